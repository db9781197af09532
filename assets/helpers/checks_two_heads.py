"""Self-checks of notebook 4: the two heads made by hand."""

import keras
import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, describe_error, name_mistake, quietly
from helpers.relations import alike


def _look(w_q, w_k, positions):
    """Return for each position the best one and its weight, as one head computes them."""
    scores = (positions @ w_q) @ (positions @ w_k).T / np.sqrt(w_q.shape[1])
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return scores, scores.argmax(axis=1), e / e.sum(axis=1, keepdims=True)


@self_check("previous_token_head")
def check_previous_token_head(report, previous_token_head):
    """Check shapes, then where the rows look, then how sharply."""
    result = report.call(previous_token_head, 5, 8)
    three = isinstance(result, tuple | list) and len(result) == 3
    report.expect(three, "it returns w_q, w_k and positions", "separate them by commas after return", stop=True)
    positions = report.array(result[2], (5, 8), "f", "positions")
    w_q, w_k = (np.asarray(a, dtype=float) for a in result[:2])
    fits = w_q.ndim == 2 and w_q.shape == w_k.shape and len(w_q) == 8
    hint = Observed(f"Yours have the shapes {w_q.shape} and {w_k.shape}, and D = 8")
    report.expect(fits, "w_q and w_k are both (D, K)", hint, stop=True)
    scores, best, weights = _look(w_q, w_k, positions)
    report.expect(np.isfinite(scores).all(), "the scores are finite", Observed("Some are nan or inf"), stop=True)
    hint = Observed(f"Your rows look at {best.tolist()}. For which j should query i times key j be the largest?")
    if (best[:-1] == np.arange(1, 5)).all():
        hint = "yours looks at the next position"
    elif (best == np.arange(5)).all():
        hint = "each of your positions looks at itself"
    elif (scores[1:].argmin(axis=1) == np.arange(4)).all() and np.ptp(scores[1:]) > 0:
        hint = "the position before has the smallest score; it should have the largest: the sign is reversed"
    elif (best[2:] == np.arange(3)).all():
        hint = "yours looks two positions back"
    elif (best[1:] == best[1]).all() and np.ptp(scores[1:]) > 0:
        hint = f"all your rows look at position {best[1]}: its key is the largest for every query"
    right = (best[1:] == np.arange(4)).all() and np.ptp(scores[1:]) > 0
    report.expect(right, "row i looks at i - 1", hint, stop=True)
    least = float(np.diag(weights, -1).min())
    hint = f"the smallest is {least:.2f}, too weak: larger scores make the softmax sharper"
    report.expect(least > 0.99, "the weights there are above 0.99", hint, stop=True)
    for length, depth in ((2, 2), (30, 100), (60, 60)):
        w_q, w_k, x = (np.asarray(a, dtype=float) for a in report.call(previous_token_head, length, depth))
        line = f"also for {length} positions of width {depth}"
        hint = f"Yours have the shapes {w_q.shape}, {w_k.shape} and {x.shape}. What depends on length and depth?"
        fits = x.shape == (length, depth) and w_q.shape == w_k.shape and len(w_q) == depth
        report.expect(fits, f"{line}: the shapes", Observed(hint), stop=True)
        _, best, weights = _look(w_q, w_k, x)
        least, wrong = float(np.diag(weights, -1).min()), np.flatnonzero(best[1:] != np.arange(length - 1)) + 1
        hint = f"the smallest is {least:.2f}: too weak for a wide K (scores are divided by its root) or a long sequence"
        if wrong.size:
            seen = f"Yours looks from position {wrong[0]} at position {best[wrong[0]]}"
            hint = Observed(f"{seen}. Which of your numbers grow?")
        report.expect(least > 0.99, line, hint, stop=True)
    alone = [np.asarray(a, dtype=float) for a in report.call(previous_token_head, 1, 4)]
    hint = Observed("Yours holds nan or inf. What do you divide by if there is one position?")
    report.expect(all(np.isfinite(a).all() for a in alone), "a single position has a finite head, too", hint)


@self_check("convolution_as_attention")
def check_convolution_as_attention(report, convolution_as_attention):
    """Check a convolution of ones and twos by hand, then even and wide kernels against Keras."""
    x, kernel = np.array([[1.0], [2.0], [4.0]]), np.array([1.0, 10.0, 100.0]).reshape(3, 1, 1)
    result = report.call(convolution_as_attention, x, kernel)
    shape = np.shape(result)
    hint = "yours is the valid part only: padding is same" if shape == (1, 1) else Observed(f"Yours has shape {shape}")
    report.expect(shape == (3, 1), "three rows go in, three come out", hint, stop=True)
    got = report.array(result, (3, 1))[:, 0]
    right = np.array([210.0, 421.0, 42.0])
    four = quietly(convolution_as_attention, np.vstack([x, [[0.0]]]), kernel)  # three taps, but four rows
    averaged = alike(four, np.array([[70.0], [421 / 3], [14.0], [4 / 3]]))
    hints = {
        "flipped: the first tap looks back, the last one ahead": (12.0, 124.0, 240.0),
        "all taps look ahead: the first should look (W - 1) // 2 back": (421.0, 42.0, 4.0),
        "causal: all taps look back, the last should look ahead": (100.0, 210.0, 421.0),
        "wrapped around at the start: a negative index counts from the end; rows outside count as zero": (214, 421, 42),
        "wrapped around: rows outside count as zero": (214.0, 421.0, 142.0),
        "repeated at the borders: rows outside count as zero": (211.0, 421.0, 442.0),
        "the heads are averaged; add them up": right / 3 if averaged else right,
        "yours is divided by the number of taps that lie inside; add the heads up": right / [2, 3, 2],
        "yours is divided by the sum of the taps; add the heads up": right / 111,
        "every head uses the same tap; tap w has its own, kernel[w]": (30.0, 70.0, 60.0),
        "every head uses the sum of all taps; tap w has its own, kernel[w]": (333.0, 777.0, 666.0),
        "a tap that lies outside sees the mean of all rows; it adds zero": (212 + 1 / 3, 421, 275 + 1 / 3),
    }
    asked = "output 0 is 0 + 10 + 200. Which row does each tap see there?"
    hint = name_mistake(got, {text: np.array(wrong) for text, wrong in hints.items()}, right, f"Here {asked}")
    report.expect(np.allclose(got, right), "1, 2, 4 with taps 1, 10, 100 gives 210, 421, 42", hint, stop=True)
    rng = np.random.default_rng(9)
    for (T, D, W, V), name, question in (
        ((6, 2, 3, 4), "several columns", "Which shape has a tap, and how does it act on a row?"),
        ((5, 2, 4, 3), "an even number of taps", "How many rows of padding come before the first row of x?"),
        ((3, 2, 8, 4), "more taps than rows", "Which taps see a row, and which none?"),
    ):
        x, kernel = rng.normal(size=(T, D)), rng.normal(size=(W, D, V))
        taps = (
            kernel,
            np.pad(kernel, ((0, 1), (0, 0), (0, 0))),
            np.where(np.arange(W)[:, None, None] < T, kernel, 0),
            kernel.sum(0, keepdims=True).repeat(W, axis=0),
        )
        want, late, cut, alike_taps = (np.asarray(keras.ops.conv(x[None], k, padding="same"))[0] for k in taps)
        mistakes = {
            "for an even kernel (W - 1) // 2 rows of padding come before x, and yours has W // 2": late,
            "the last taps are left out: those that fall outside add nothing, the others count": cut,
            "every head uses the sum of all taps; tap w has its own, kernel[w]": alike_taps,
        }
        try:
            result = convolution_as_attention(x.copy(), kernel.copy())
        except Exception as error:
            hint = f"For x {x.shape} and a kernel {kernel.shape} it raised {describe_error(error)}. {question}"
            report.expect(False, f"{name} as in keras.ops.conv", Observed(hint), stop=True)
        got = report.array(result, (T, V), "f", f"with {name} the result")
        hint = name_mistake(got, mistakes, want, question)
        report.expect(np.allclose(got, want, atol=1e-5), f"{name} as in keras.ops.conv", hint, stop=True)
