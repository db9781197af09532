"""Self-checks of notebook 9: attention over a grid, its penalty, and the pointing game."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_image_patches import near
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_mistake, name_tried, observed, quietly


@self_check("spatial_attention")
def check_spatial_attention(report, spatial_attention):
    """Check shapes, the softmax over all cells, the score and the context."""
    shapes = (2, 4), (2, 3, 3, 5), (4, 6), (5, 6), (6,)
    waves = (np.sin((n + 3) * np.arange(1.0, 1 + np.prod(shape))).reshape(shape) for n, shape in enumerate(shapes))
    state, grid, w_state, w_grid, v = waves
    result = call_explained(report, spatial_attention, state, grid, w_state, w_grid, v / 4,
                            on="state (2, 4) and a grid (2, 3, 3, 5)",
                            expected="Each state has to meet all cells: give it axes of size 1.")  # fmt: skip
    pair = isinstance(result, tuple | list) and len(result) == 2
    kind = Observed(f"Yours is {type(result).__name__}")
    report.expect(pair, "it returns two arrays: context, weights", kind, stop=True)
    context, weights = (np.asarray(part) for part in result)
    if context.shape == (2, 3, 3):
        report.expect(False, "the context comes first", "your first array has the shape of the weights", stop=True)
    weights = report.array(weights, (2, 3, 3), what="the array of weights")
    context = report.array(context, (2, 5), what="the context")
    raw = [[0.0591933, 0.0667677, 0.137264, 0.201529, 0.141079, 0.0698368, 0.0523444, 0.109096, 0.16289],
           [0.199824, 0.0805328, 0.0586479, 0.0698665, 0.137397, 0.209072, 0.123116, 0.0677709, 0.0537735]]  # fmt: skip
    want = np.reshape(raw, (2, 3, 3))
    e = want * np.array([10.1, 10.4021])[:, None, None]  # before they were divided by their sums
    slips = {"these are the scores; a softmax turns them into weights": np.log(e),
             "each row of cells sums to 1; one picture has one sum, over all its cells": e / e.sum(2, keepdims=True),
             "each column of cells sums to 1; one picture has one sum, over all its cells": e / e.sum(1, keepdims=True),
             "all pictures share one sum; each needs its own": e / e.sum(),
             "height and width have changed places": want.swapaxes(1, 2)}  # fmt: skip
    hint = name_mistake(weights, slips, want, "Is your score v . tanh(state w_state + cell w_grid)?")
    report.expect(near(weights, want), "the weights of additive attention over all cells", hint, stop=True)
    mixed = np.array([[0.154779, -0.301639, 0.23955, -0.0115211, -0.224488],
                      [0.318183, -0.15244, -0.1189, 0.307877, -0.283583]])  # fmt: skip
    slips = {"this is a plain sum over the cells; multiply by the weights": grid.sum((1, 2)),
             "this is the mean of the cells; multiply by the weights and sum": grid.mean((1, 2)),
             "you divided by the number of cells, but the weights sum to 1 already": mixed / 9}  # fmt: skip
    hint = name_mistake(context, slips, mixed, "What is each cell's vector multiplied by?")
    report.expect(near(context, mixed), "the context is the weighted sum", hint)
    _check_large_scores(report, spatial_attention)


def _check_large_scores(report, spatial_attention):
    """Check scores near 16,000 in both directions; the second picture has none above 0."""
    scores = np.array([[[16000.0, 16001.0, -15999.0]], [[-16000.0, -15999.0, -15998.0]]])
    most = 0.8 * np.sign(scores)
    cells = np.arctanh(np.stack([most, most, scores / 1e4 - 2 * most], axis=-1))
    large = call_explained(report, spatial_attention, np.zeros((2, 1)), cells, np.zeros((1, 3)), np.eye(3),
                           np.full(3, 1e4), on="v with entries of 1e4")  # fmt: skip
    got = np.asarray(large[1])

    def softmax(exponents):
        with np.errstate(all="ignore"):
            return np.exp(exponents) / np.exp(exponents).sum((1, 2), keepdims=True)

    shared, want = softmax(scores - scores.max()), softmax(scores - scores.max((1, 2), keepdims=True))
    hint = Observed("There is a nan or inf. How large may exp's argument be?")
    if np.shape(got) == want.shape and np.allclose(got, shared, atol=0.01, equal_nan=True):
        hint = "you subtract one maximum for all pictures, so one with lower scores becomes 0 / 0; each has its own"
    report.expect(np.isfinite(got).all(), "it stays finite for large scores", hint, stop=True)
    slips = {"scores beyond some limit come out equal, as if clipped; subtract the picture's maximum instead":
                 softmax(np.clip(scores, -300, 300))}  # fmt: skip
    hint = name_mistake(got, slips, want, "What becomes of scores of 16,000 and 16,001 before the softmax?")
    close = np.shape(got) == want.shape and np.allclose(got, want, atol=0.01)  # in float32 a score is off by 0.002
    report.expect(close, "and large scores that differ have different weights", hint)


@self_check("doubly_stochastic_penalty")
def check_doubly_stochastic_penalty(report, doubly_stochastic_penalty):
    """Check one small caption by hand, the mask, the batch and an empty caption."""
    weights = np.array([[[0.5, 0.5, 0.0], [0.5, 0.0, 0.5]]])
    got = call_explained(report, doubly_stochastic_penalty, weights, np.array([[True, True]]),
                         on="weights (1, 2, 3) and a mask (1, 2)")  # fmt: skip
    report.expect(np.shape(got) == (), "it returns one number", Observed(f"Yours has shape {np.shape(got)}"), stop=True)
    slips = {"you took the mean over the places; take the sum": lambda w, mask: ((1 - w.sum(1)) ** 2).mean(),
             "you summed over places: each step sums to 1 anyway; sum over the steps":
                 lambda w, mask: ((1 - w.sum(2)) ** 2).sum(),
             "the differences have to be squared, each by itself":
                 (lambda w, mask: np.abs(1 - w.sum(1)).sum(), lambda w, mask: (1 - w.sum(1)).sum() ** 2),
             "compare the sum of each place with 1, not each weight": lambda w, mask: ((1 - w) ** 2).sum(),
             "yours compares each place with an equal share of all steps; compare it with 1":
                 lambda w, mask: ((w.shape[1] / w.shape[2] - w.sum(1)) ** 2).sum()}  # fmt: skip
    other = np.random.default_rng(1).dirichlet(np.ones(4), size=(3, 5))  # three captions of five steps, four places
    cases = [(weights, np.ones((1, 2), bool)), (other[:1], np.ones((1, 5), bool))]
    asked = "The places have the sums 1, 0.5 and 0.5 over the steps. Do yours, and what do you compare them with?"
    hint = name_tried(doubly_stochastic_penalty, cases, slips, 0.5, asked)
    report.expect(near(float(got), 0.5), "sums of 1, 0.5 and 0.5 make 0 + 0.25 + 0.25", hint, stop=True)
    masked, mask = np.concatenate([weights, [[[7.0] * 3]]], axis=1), np.array([[True, True, False]])
    got = float(call_explained(report, doubly_stochastic_penalty, masked, mask, on="a masked third step"))
    slips = {"the masked step counts in your sums: multiply the weights by the mask": 133.5}
    hint = name_mistake(got, slips, 0.5, "What does the masked step add to a place?")
    report.expect(near(got, 0.5), "a masked step does not count, whatever its weights are", hint, stop=True)
    given = masked[:, [0, 2, 1]], mask[:, [0, 2, 1]]
    got = float(call_explained(report, doubly_stochastic_penalty, *given, on="a masked second step"))
    slips = {"you took steps from the front, as many as the mask has True; take those where it is True": 120.5}
    hint = name_mistake(got, slips, 0.5, "Which steps do you take?")
    report.expect(near(got, 0.5), "nor does one between real steps", hint, stop=True)
    both, mask = np.concatenate([masked, masked]), np.array([[True, True, False], [False, False, False]])
    got = float(call_explained(report, doubly_stochastic_penalty, both, mask, on="a batch of two"))
    real = np.arange(5) < np.array([[4], [0], [2]])
    cases = [(both * mask[..., None], mask), (other * real[..., None], real)]
    slips = {"you summed over the batch; take the mean": lambda w, m: ((1 - w.sum(1)) ** 2).sum(),
             "captions without a step were left out": lambda w, m: ((1 - w[m.any(1)].sum(1)) ** 2).sum(1).mean(),
             "you divided by the number of real steps": lambda w, m: ((1 - w.sum(1)) ** 2).sum() / m.sum()}  # fmt: skip
    hint = name_tried(doubly_stochastic_penalty, cases, slips, 1.75, "What does a caption without a real step count?")
    report.expect(near(got, 1.75), "the mean over the batch: (0.5 + 3) / 2", hint)


@self_check("pointing_accuracy")
def check_pointing_accuracy(report, pointing_accuracy):
    """Check axes, the ends of a box, ties and what counts as a hit."""
    maps = np.zeros((4, 3, 5))
    maps[0, 0, 4] = maps[1, 2, 0] = maps[2, 1, 1] = maps[3, 2, 4] = 0.3
    boxes = np.array([[0, 3, 1, 5], [2, 0, 3, 1], [0, 0, 2, 2], [0, 0, 1, 1]])
    got = call_explained(report, pointing_accuracy, maps, boxes, on="maps (4, 3, 5) and boxes (4, 4)")
    report.expect(np.shape(got) == (), "it returns one number", Observed(f"Yours has shape {np.shape(got)}"), stop=True)
    twice = quietly(lambda: float(pointing_accuracy(np.tile(maps, (2, 1, 1)), np.tile(boxes, (2, 1)))))
    turned = quietly(lambda: float(pointing_accuracy(maps, boxes[:, [1, 0, 3, 2]])))
    known = {(3, 6, 1): "this is the number of hits; divide it by the number of maps",
             (75, 75, 25): "return a share, not percent",
             (0.25, 0.25, 0.75): "rows and columns are exchanged: a box is (top, left, bottom, right)"}  # fmt: skip
    hint = observed(float(got), 0.75, "How do you find row and column, and which sides do you compare them with?")
    hint = known.get((float(got), twice, turned), hint)
    report.expect(near(float(got), 0.75), "three of four largest cells lie in their boxes", hint, stop=True)
    nearly = "Do you treat nearly equal cells as equal?"
    cases = [
        ("bottom and right are excluded", [[0, 0, 0], [0, 0, 1]], [0, 0, 1, 3], 0.0, "What does a box hold?"),
        ("and the right side likewise", [[0, 0, 0], [0, 0, 1]], [0, 0, 2, 2], 0.0, "What does a box hold?"),
        ("top and left belong to the box", [[0, 0, 0], [0, 1, 0]], [1, 1, 2, 2], 1.0, "What does a box hold?"),
        ("the last two numbers are bottom and right", [[0, 0, 0], [0, 0, 1]], [1, 1, 2, 2], 0.0,
         "Do you read them as height and width?"),
        ("the largest cell counts, not the sum in the box", [[3, 3, 3], [0, 0, 4]], [0, 0, 1, 3], 0.0,
         "Where is the largest cell?"),
        ("a small largest cell is enough", [[0.2, 0.1, 0.1], [0.1, 0.1, 0.1]], [0, 0, 1, 1], 1.0,
         "Is there a threshold?"),
        ("of equal cells the first counts", [[0, 1, 0], [1, 1, 0]], [0, 1, 1, 2], 1.0, "Which do you take?"),
        ("negative maps have a largest cell too", [[-3, -2, -3], [-1, -4, -2]], [1, 0, 2, 1], 1.0,
         "Which cell is the largest here?"),
        ("a little larger is larger", [[0.3, 0.3, 0.3], [0.3, 0.300001, 0.3]], [1, 1, 2, 2], 1.0, nearly),
        ("and so in a map of tiny numbers", [[1e-12, 0, 0], [0, 0, 2e-12]], [1, 2, 2, 3], 1.0, nearly),
    ]  # fmt: skip
    for line, cells, box, want, question in cases:
        one_map, one_box = np.array([cells], float), np.array([box])
        got = call_explained(report, pointing_accuracy, one_map, one_box, on="one map (1, 2, 3)")
        report.expect(near(float(got), want), line, observed(float(got), want, question), stop=True)
