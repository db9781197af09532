"""Self-checks of notebook 2: softmax, scores of all pairs."""

import math

import numpy as np
from helpers.checks import self_check


def agree(a, b, atol=1e-5):
    """Tell whether an array agrees with another one, or with a number throughout; `nan` agrees with nothing.

    Args:
        a: An array, or a number.
        b: What it should be: of the same shape, or a number.
        atol: Absolute tolerance, beside a relative one of 1e-4.
    """
    return np.shape(b) in ((), np.shape(a)) and bool(np.allclose(a, b, rtol=1e-4, atol=atol))


def _lost_axis(x, got):
    """Say which of maximum and sum lost its axis in a softmax of a square array."""
    kept, lost, plain = np.exp(x - x.max(-1, keepdims=True)), np.exp(x - x.max(-1)), np.exp(x)
    variants = {
        "the sum lost its axis": (kept / kept.sum(-1), plain / plain.sum(-1)),
        "the maximum lost its axis": (lost / lost.sum(-1, keepdims=True),),
        "the maximum and the sum lost their axis": (lost / lost.sum(-1),),
    }
    unknown = "the maximum or the sum lost its axis"
    return next((name for name, wrong in variants.items() if any(agree(got, w) for w in wrong)), unknown)


@self_check("softmax")
def check_softmax(report, softmax):
    """Check shape, sums, values, the axis argument and large scores."""
    x = np.array([[0.0, 1.0, 3.0], [2.0, 2.0, -1.0], [1.0, 0.5, 0.0]])
    e, wide = np.exp(x), x[:2]
    try:  # two rows of three: an axis that was lost cannot be broadcast
        softmax(wide.copy())
    except ValueError as error:
        if "broadcast" in str(error):
            hint = f"{_lost_axis(x, softmax(x.copy()))}: write keepdims=True ({error})"
            report.expect(False, "softmax runs on two rows of three", hint, stop=True)
    except Exception:  # report.call says it
        pass
    got = report.array(report.call(softmax, x), x.shape)
    if agree(got, x / x.sum(-1, keepdims=True)):
        report.expect(False, "weights are positive", "take the exponential of the scores first", stop=True)
    if (got < 0).any() and agree(np.exp(got).sum(-1), 1):
        report.expect(False, "weights are positive", "these are the logarithms of the weights", stop=True)
    hint = "does each row share one sum?"
    if agree(got.sum(axis=0), 1):
        hint = "the columns do: the wrong axis"
    elif agree(got.sum(), 1):
        hint = "everything together does; each row needs its own sum"
    report.expect(agree(got.sum(axis=-1), 1), "rows sum to 1", hint, stop=True)
    ratio = got[0] / got[0, 0]
    hint = "these are powers of 2; take powers of e" if agree(ratio[2], 8) else "exp, then divide by the sum"
    report.expect(agree(ratio, e[0]), "weights are in proportion to exp of the scores", hint, stop=True)
    report.array(report.call(softmax, wide), wide.shape, what="the result for two rows of three")
    got = report.array(report.call(softmax, x, 0), x.shape, what="the result for axis=0")
    hint = "use the axis argument in every call" if agree(got.sum(-1), 1) else "keepdims=True, in every sum?"
    report.expect(agree(got.sum(0), 1), "with axis=0 the columns sum to 1", hint, stop=True)
    big = np.array([[1e4, 1e4 - 1.0], [-1e4, -1e4]])
    got = report.array(report.call(softmax, big), big.shape, what="the result for scores of +-1e4")
    if not np.isfinite(got[0]).all():
        report.expect(
            False, "scores of +-1e4 give weights", "overflow: exp(1e4) is inf; shift the scores first", stop=True
        )
    hint = "each row needs its own maximum; the second row is far below the first"
    report.expect(np.isfinite(got[1]).all(), "scores of +-1e4 give weights", hint, stop=True)
    hint = "scores that differ by 1 became equal: do not clip, shift"
    report.expect(agree(got[0, 0] / got[0, 1], math.e, 1e-2), "a difference of 1 counts the same at 1e4", hint)


@self_check("additive_scores")
def check_additive_scores(report, additive_scores):
    """Check shape, the part of v, of the tanh and of each projection on a tiny example worked by hand."""
    query, key = np.array([[[1.0], [2.0], [0.0]]]), np.array([[[0.5], [-1.0], [1.0]]])  # all pairs of three and three
    w_query, w_key, v = np.array([[1.0, 0.5]]), np.array([[2.0, -1.0]]), np.array([1.0, -2.0])
    got = report.call(additive_scores, query, key, w_query, w_key, v)
    if np.shape(got) == (1, 3):
        report.expect(False, "every query meets every key", "you scored pairs at the same position only", stop=True)
    got = report.array(got, (1, 3, 3), what="the array of scores for 3 queries and 3 keys")
    report.expect(
        not agree(got.sum(-1), 1), "these are scores, not yet weights", "leave the softmax to a later step", stop=True
    )
    doubled = np.asarray(report.call(additive_scores, query, key, w_query, w_key, 2 * v))
    report.expect(not agree(doubled, got), "v matters", "v has no influence on your scores", stop=True)

    def scores(pair, a=w_query[0], b=w_key[0], weigh=lambda h: h @ v):
        return np.array([[[weigh(pair(q * a, k * b)) for k in key[0, :, 0]] for q in query[0, :, 0]]])

    def both(q, k):
        return np.tanh(q + k)

    right = scores(both)
    mistakes = {
        "rows and columns: queries are rows, keys are columns": right.swapaxes(1, 2),
        "w_query and w_key are exchanged": scores(both, w_key[0], w_query[0]),
        "the tanh is taken of the sum; it belongs to each hidden unit": np.tanh(scores(lambda q, k: q + k)),
        "without a tanh query and key do not interact": scores(lambda q, k: q + k),
        "you used a ReLU instead of the tanh": scores(lambda q, k: np.maximum(q + k, 0)),
        "query and key are multiplied; they should be added": scores(lambda q, k: np.tanh(q * k)),
        "add first, then one tanh: only then do query and key interact": scores(lambda q, k: np.tanh(q) + np.tanh(k)),
        "additive scores are not divided by the root of a size": right / math.sqrt(2),
    }
    hint = next(
        (text for text, wrong in mistakes.items() if agree(got, wrong)), "work out one pair by hand and compare"
    )
    report.expect(agree(got, right), "nine scores agree with those worked out pair by pair", hint, stop=True)
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in ((2, 3, 4), (2, 5, 6), (4, 7), (6, 7), (7,))]
    got = report.array(
        report.call(additive_scores, *arrays), (2, 3, 5), what="the array of scores for B=2, T=3, S=5, Dq=4, Dk=6, A=7"
    )
    other = [a.copy() for a in arrays]
    other[1][1] += 1.0
    moved = np.abs(np.asarray(report.call(additive_scores, *other)) - got).max(axis=(1, 2))
    hint = "the first axis of query and key belongs together"
    report.expect(moved[0] < 1e-5 < moved[1], "each query meets the keys of its own sentence", hint)
