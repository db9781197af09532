"""Self-checks of notebook 2: softmax, scores of all pairs."""

import math

import numpy as np
from helpers.checks import self_check
from helpers.explained_errors import call_explained


def agree(a, b, atol=1e-5):
    """Return whether an array agrees with another one, or with a number throughout; `nan` agrees with nothing.

    Args:
        a: An array, or a number.
        b: What it should be: of the same shape, or a number.
        atol: Absolute tolerance, beside a relative one of 1e-4.
    """
    return np.shape(b) in ((), np.shape(a)) and bool(np.allclose(a, b, rtol=1e-4, atol=atol))


def _lost_axis(x, got):
    """Return which of maximum and sum lost its axis in a softmax of a square array, in words."""
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
            lost = _lost_axis(x, softmax(x.copy()))
            hint = f"{lost}: write keepdims=True, which makes (2, 1) of (2,), so that it fits beside scores (2, 3)"
            report.expect(False, "softmax runs on two rows of three", hint, stop=True)
    except Exception:  # report.call says it
        pass
    same = "The weights have the shape of the scores."
    got = report.array(call_explained(report, softmax, x, on="scores (3, 3)", expected=same), x.shape)
    if agree(got, x / x.sum(-1, keepdims=True)):
        report.expect(False, "weights are positive", "take the exponential of the scores first", stop=True)
    if (got < 0).any() and agree(np.exp(got).sum(-1), 1):
        report.expect(False, "weights are positive", "these are the logarithms of the weights", stop=True)
    hint = "does each row share one sum, of the same exponentials that you divide?"
    if agree(got.sum(axis=0), 1):
        hint = "the columns do: the wrong axis"
    elif agree(got.sum(), 1):
        hint = "everything together does; each row needs its own sum"
    report.expect(agree(got.sum(axis=-1), 1), "rows sum to 1", hint, stop=True)
    ratio = got[0] / got[0, 0]
    hint = "these are powers of 2; take powers of e" if agree(ratio[2], 8) else "exp, then divide by the sum"
    hint = "the largest score got the smallest weight; which sign does the shift have?" if ratio[2] < 1 else hint
    report.expect(agree(ratio, e[0]), "weights are in proportion to exp of the scores", hint, stop=True)
    got = call_explained(report, softmax, wide, on="scores (2, 3)", expected=same)
    report.array(got, wide.shape, what="the result for two rows of three")
    got = call_explained(report, softmax, x, 0, on="scores (3, 3) with axis=0", expected=same)
    got = report.array(got, x.shape, what="the result for axis=0")
    hint = "use the axis argument in every call" if agree(got.sum(-1), 1) else "keepdims=True, in every sum?"
    report.expect(agree(got.sum(0), 1), "with axis=0 the columns sum to 1", hint, stop=True)
    big = np.array([[1e4, 1e4 - 1.0, -1e4], [-1e4, -1e4, -1e4]])
    got = call_explained(report, softmax, big, on="scores of +-1e4", expected=same)
    got = report.array(got, big.shape, what="the result for scores of +-1e4")
    if not np.isfinite(got[0]).all():
        hint = "overflow: shift the scores first, so that none is above 0"
        report.expect(False, "scores of +-1e4 give weights", hint, stop=True)
    hint = "each row needs its own maximum; the second row is far below the first"
    report.expect(np.isfinite(got[1]).all(), "scores of +-1e4 give weights", hint, stop=True)
    hint = "scores that differ by 1 became equal: shift them; to clip or replace scores loses it"
    report.expect(agree(got[0, 0] / got[0, 1], math.e, 1e-2), "a difference of 1 counts the same at 1e4", hint)


@self_check("additive_scores")
def check_additive_scores(report, additive_scores):
    """Check shape, the part of v, of the tanh and of each projection on a tiny example worked by hand."""
    query, key = np.array([[[1.0], [2.0], [0.0]]]), np.array([[[0.5], [-1.0], [1.0]]])  # all pairs of three and three
    w_query, w_key, v = np.array([[1.0, 0.5]]), np.array([[2.0, -1.0]]), np.array([1.0, -2.0])
    expected = (
        "One score for each pair of query and key is expected, (B, T, S) = {}; the hidden layer before it has an "
    )
    expected += "axis for each of sentence, query, key and hidden unit, {}. Print the shapes of both projections."
    first = expected.format((1, 3, 3), (1, 3, 3, 2))
    got = call_explained(
        report, additive_scores, query, key, w_query, w_key, v, on="3 queries, 3 keys and A = 2", expected=first
    )
    odd = {
        (1, 3): "you scored pairs at the same position only; which axis does each projection lack?",
        (1, 3, 2): "this is a hidden layer for pairs at the same position; which axis does each projection lack?",
        (1, 3, 3, 2): "the hidden units are still there; what adds them up, each with its weight?",
        (1, 3, 3, 1): "an axis of size 1 is left at the end",
        (1, 1, 3): "both projections got their new axis in the same place",
        (1, 3, 1): "both projections got their new axis in the same place",
        (3, 3): "the axis of sentences is gone; it stays, even for a single sentence",
    }
    if np.shape(got) in odd:
        hint = f"got {np.shape(got)}: {odd[np.shape(got)]}"
        report.expect(False, "every query meets every key: one score each, of shape (1, 3, 3)", hint, stop=True)
    got = report.array(got, (1, 3, 3), what="the array of scores for 3 queries and 3 keys")
    hint = "leave the softmax to a later step"
    report.expect(not agree(got.sum(-1), 1), "these are scores, not yet weights", hint, stop=True)
    doubled = np.asarray(report.call(additive_scores, query, key, w_query, w_key, 2 * v))
    hint = "v has no influence on your scores; how much does each hidden unit count?"
    report.expect(not agree(doubled, got), "v matters", hint, stop=True)

    def scores(pair, a=w_query[0], b=w_key[0], weigh=lambda h: h @ v):
        return np.array([[[weigh(pair(q * a, k * b)) for k in key[0, :, 0]] for q in query[0, :, 0]]])

    def both(q, k):
        return np.tanh(q + k)

    right = scores(both)
    mistakes = {
        "rows and columns: queries are rows, keys are columns": right.swapaxes(1, 2),
        "w_query and w_key are exchanged": scores(both, w_key[0], w_query[0]),
        "w_query projects queries and keys; which matrix belongs to the keys?": scores(both, b=w_query[0]),
        "w_key projects queries and keys; which matrix belongs to the queries?": scores(both, a=w_key[0]),
        "the tanh is taken of the sum; it belongs to each hidden unit": np.tanh(scores(lambda q, k: q + k)),
        "v comes after the tanh, not before it": scores(lambda q, k: (q + k) * v, weigh=lambda h: np.tanh(h).sum()),
        "the hidden units are averaged; they should be added up": right / 2,
        "the key is subtracted; it should be added": scores(lambda q, k: np.tanh(q - k)),
        "you used a sigmoid instead of the tanh": scores(lambda q, k: 1 / (1 + np.exp(-q - k))),
        "without a tanh query and key do not interact": scores(lambda q, k: q + k),
        "you used a ReLU instead of the tanh": scores(lambda q, k: np.maximum(q + k, 0)),
        "query and key are multiplied; they should be added": scores(lambda q, k: np.tanh(q * k)),
        "add first, then one tanh: only then do query and key interact": scores(lambda q, k: np.tanh(q) + np.tanh(k)),
        "additive scores are not divided by the root of a size": right / math.sqrt(2),
    }
    unknown = "work out one pair by hand and compare"
    hint = next((text for text, wrong in mistakes.items() if agree(got, wrong)), unknown)
    report.expect(agree(got, right), "nine scores agree with those worked out pair by pair", hint, stop=True)
    rng = np.random.default_rng(0)
    arrays = [rng.normal(size=shape) for shape in ((2, 3, 4), (2, 5, 6), (4, 7), (6, 7), (7,))]
    sizes, second = "B=2, T=3, S=5, Dq=4, Dk=6, A=7", expected.format((2, 3, 5), (2, 3, 5, 7))
    got = call_explained(report, additive_scores, *arrays, on=sizes, expected=second)
    got = report.array(got, (2, 3, 5), what=f"the array of scores for {sizes}")
    other = [a.copy() for a in arrays]
    other[1][1] += 1.0
    moved = np.abs(np.asarray(report.call(additive_scores, *other)) - got).max(axis=(1, 2))
    hint = "the first axis of query and key belongs together"
    report.expect(moved[0] < 1e-5 < moved[1], "each query meets the keys of its own sentence", hint)
