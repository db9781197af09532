"""The numbers that the self-checks of notebook 1 hold, made anew: by the right answers, and by each mistake."""

import numpy as np
import pytest
from helpers import checks_decoding, checks_exact_match, checks_quantize

from tests.unit.held import answers, apart, same


def log_softmax(logits, axis=-1):
    shifted = logits - logits.max(axis=axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=axis, keepdims=True))


def costs(logits, targets, axis=-1):
    return -np.take_along_axis(log_softmax(logits, axis), targets[..., None], axis=-1)[..., 0]


def mean(logits, targets, real, axis=-1):
    return costs(logits, targets, axis)[real].mean()


def picked(logits, targets, real):
    return np.take_along_axis(logits, targets[..., None], axis=-1)[..., 0][real]


#: What known mistakes return for logits, targets and the mask, in the order of the table.
LOSSES = (
    lambda x, y, real: -mean(x, y, real),
    lambda x, y, real: mean(x, y, real) * real.sum(),
    lambda x, y, real: mean(x, y, real) * real.mean(),
    lambda x, y, real: mean(x, y, real) * real.sum() / len(x),
    lambda x, y, real: mean(x, y, real) / np.log(2),
    lambda *args: mean(*args, 1),
    lambda *args: mean(*args, 0),
    lambda *args: mean(*args, (0, 1, 2)),
    lambda x, y, real: np.exp(-costs(x, y)[real]).mean(),
    lambda x, y, real: np.mean([row[kept].mean() for row, kept in zip(costs(x, y), real, strict=True)]),
    lambda x, y, real: costs(x, y).mean(),
    lambda x, y, real: costs(x * real[..., None], y).mean(),
    (lambda x, y, real: mean(x, y, y != 0), lambda x, y, real: mean(x, y, real & (y != 0))),
    lambda x, y, real: mean(x, y, ~real),
    lambda x, y, real: mean(np.exp(log_softmax(x)), y, real),
    lambda x, y, real: (costs(x, y) - x.max(-1))[real].mean(),
    lambda x, y, real: -picked(x, y, real).mean(),
)


def to_levels(x, gaps, to=np.round):
    return to((x + 1) / 2 * gaps) / gaps * 2 - 1


#: What known mistakes make of values from -1 to 1, for a number of bits, in the order of the table.
LEVELS = (
    lambda x, bits: to_levels(x, 2**bits - 1, np.floor),
    lambda x, bits: to_levels(x, 2**bits - 1, np.ceil),
    lambda x, bits: np.round(x * (2**bits - 1) / 2) * 2 / (2**bits - 1),
    lambda x, bits: to_levels(x, 2**bits),
    lambda x, bits: (to_levels(x, 2**bits - 1) + 1) / 2,
    lambda x, bits: np.round((x + 1) / 2 * (2**bits - 1)),
)


def cases():
    """Return the two cases of the check of the loss, and the others."""
    targets, mask = (
        np.array([[1, 0, 4, 0, 0, 0], [3, 0, 0, 0, 0, 0]]),
        np.array([[1, 1, 1, 0, 0, 0], [1, 0, 0, 0, 0, 0]]),
    )
    plain, wrong = np.zeros((2, 2, 6, 5))
    wrong[1, 0, 2] = 3
    return [(plain, targets, mask > 0), (wrong, targets, mask > 0), *checks_decoding._OTHERS]


@pytest.mark.parametrize("n", range(len(LOSSES)))
def test_losses_of_mistakes(n):
    held, forms = list(checks_decoding._LOSSES.values())[n], LOSSES[n]
    held, forms = (one if isinstance(one, tuple) else (one,) for one in (held, forms))
    right = [answers("01")["masked_cross_entropy"](*case) for case in cases()]
    for row, form in zip(held, forms, strict=True):
        assert same(row, [form(*case) for case in cases()]), [form(*case) for case in cases()]
        assert apart(row[2:], right[2:])


@pytest.mark.parametrize("n", range(len(LEVELS)))
def test_levels_of_mistakes(n):
    held, row = list(checks_quantize._LEVEL_SLIPS.values())[n], checks_quantize._ROW
    for bits, numbers in zip((2, 3), held, strict=True):
        made = LEVELS[n](row, bits) * (2**bits - 1)
        assert same([numbers], made), made
        assert apart(made, answers("01")["quantize"](row, bits) * (2**bits - 1)), bits


def test_each_mistake_has_its_numbers():
    assert len(LOSSES) == len(checks_decoding._LOSSES)
    assert len(LEVELS) == len(checks_quantize._LEVEL_SLIPS)


END = 2


def mismatched(predicted, target, lengths):
    """Return what each known mistake in `exact_match_by_length` returns: dicts from lengths to fractions."""
    same, place = predicted == target, np.arange(target.shape[1])
    real, counted = place < lengths[:, None], (target != 0).sum(axis=1)
    early = place >= np.where((predicted == END).any(1), (predicted == END).argmax(1), 99)[:, None]
    words = [sorted(p[:n]) == sorted(t[:n]) for p, t, n in zip(predicted, target, lengths, strict=True)]

    def shares(rows, by=lengths):
        return {int(n): float(np.asarray(rows)[by == n].mean()) for n in np.unique(by)}

    right = shares((same | ~real).all(1))
    rows = {n: int((lengths == n).sum()) for n in right}
    return {
        "that is token accuracy: one wrong token makes the whole row wrong": {
            n: float(same[real & (lengths == n)[:, None]].mean()) for n in right
        },
        "it compares the padding too; only the first `length` positions count": shares(same.all(1)),
        "it compares the padding next to a sentence; only the first `length` positions count: off by one": shares(
            (same | (place > lengths[:, None])).all(1)
        ),
        "the last real position, the end mark, has to be right as well: off by one": shares(
            (same | (place >= lengths[:, None] - 1)).all(1)
        ),
        "all positions have to be right, any is not enough": shares((same & real).any(1)),
        "a real id may be 0: take the real positions from `lengths`, not from the ids": shares(
            (same | (target == 0)).all(1)
        ),
        "a real id may be 0: use the `lengths` handed in, do not count ids": shares(
            (same | (place >= counted[:, None])).all(1), counted
        ),
        "it compares the padding and leaves the real positions out: inverted": shares((same | real).all(1)),
        "it compares which words there are; their order counts as well": shares(words),
        "a sentence that ends too early counts as right; compare all real positions of the target": shares(
            (same | ~real | early).all(1)
        ),
        "rows that are longer count as well; each length averages its own rows": {
            n: float(same[lengths >= n, :n].all(1).mean()) for n in right
        },
        "that is a count: divide by the number of rows of this length": {n: rows[n] * right[n] for n in right},
        "you divide by the number of all rows: each length averages its own rows": {
            n: rows[n] * right[n] / len(lengths) for n in right
        },
        "these are percent": {n: 100 * right[n] for n in right},
        "one key for each length that occurs; no others": dict.fromkeys(range(1, 5), 0.0) | right,
        "the keys are the lengths themselves": {n - 1: right[n] for n in right},
    }


@pytest.fixture(scope="module")
def rows_of_exact_match():
    """What the self-check hands to an answer: seven rows, and three draws of them."""
    right, asked = answers("01")["exact_match_by_length"], []
    checks_exact_match.check_exact_match_by_length(lambda *case: asked.append(case) or right(*case))
    assert len(asked) == 4
    return asked


def test_exact_match_of_mistakes(rows_of_exact_match):
    made, right = [mismatched(*case) for case in rows_of_exact_match], answers("01")["exact_match_by_length"]
    assert [list(one) for one in made] == [list(checks_exact_match._MISTAKES)] * 4
    for text, held in checks_exact_match._MISTAKES.items():
        assert [list(one) for one in held] == [list(one[text]) for one in made], text
        assert all(same(list(a.values()), list(one[text].values())) for a, one in zip(held, made, strict=True)), text
        assert list(held) != [right(*case) for case in rows_of_exact_match], text
    assert right(*rows_of_exact_match[0]) == checks_exact_match._RIGHT
