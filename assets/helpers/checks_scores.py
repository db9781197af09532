"""Self-check of notebook 2: the scores of all pairs."""

import math

import numpy as np
from helpers.checks import self_check
from helpers.checks_additive import agree
from helpers.explained_errors import call_explained
from helpers.observed import name_mistake

#: The nine scores where the projected keys were reshaped; tests/unit/test_held_additive.py makes them anew.
_REORDERED = [[[2.774324, 0.995055, 1.888262], [2.518243, 0.075095, 0.995055], [2.689649, 1.888262, 2.284782]]]


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
    units = np.tanh(query @ w_query + key @ w_key)  # of pairs at the same position
    odd = {
        (1, 3): "you scored pairs at the same position only; which axis does each projection lack?",
        (1, 3, 2): "this is a hidden layer for pairs at the same position; which axis does each projection lack?",
        (1, 3, 3, 2): "the hidden units are still there; what adds them up, each with its weight?",
        (1, 3, 3, 1): "an axis of size 1 is left at the end",
        (1, 1, 3): "both projections got their new axis in the same place",
        (1, 3, 1): "both projections got their new axis in the same place",
        (3, 3): "the axis of sentences is gone; it stays, even for a single sentence",
    }
    one = units if np.shape(got) == (1, 3, 2) else units @ v
    known = np.ndim(got) == 4 or np.shape(got) == (3, 3) or agree(np.ravel(got), np.ravel(one))
    if known and np.shape(got) in odd:
        hint = f"got {np.shape(got)}: {odd[np.shape(got)]}"
        report.expect(False, "every query meets every key: one score each, of shape (1, 3, 3)", hint, stop=True)
    got = report.array(got, (1, 3, 3), what="the array of scores for 3 queries and 3 keys")
    hint = "leave the softmax to a later step"
    report.expect(not agree(got.sum(-1), 1), "these are scores, not yet weights", hint, stop=True)
    other = np.asarray(report.call(additive_scores, query, key, w_query, w_key, v[::-1]))
    hint = "v has no influence on your scores; how much does each hidden unit count?"
    report.expect(not agree(other, got), "v matters", hint, stop=True)

    def scores(pair, a=w_query[0], b=w_key[0], weigh=lambda h: h @ v):
        return np.array([[[weigh(pair(q * a, k * b)) for k in key[0, :, 0]] for q in query[0, :, 0]]])

    def both(q, k):
        return np.tanh(q + k)

    right = scores(both)
    mistakes = {
        "rows and columns: queries are rows, keys are columns": right.swapaxes(1, 2),
        "w_query and w_key are swapped": scores(both, w_key[0], w_query[0]),
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
        "the projected keys come in another order: give them an axis, do not reshape them": _REORDERED,
    }
    hint = name_mistake(got, mistakes, right, "What do you get if you work out that pair by hand?")
    report.expect(agree(got, right), "nine scores agree with those worked out pair by pair", hint, stop=True)
    rng = np.random.default_rng(0)
    # No cell of the notebook binds B, T, S, Dq, Dk or A to the size used here: who reads such a global is told.
    arrays = [rng.normal(size=shape) for shape in ((5, 6, 8), (5, 7, 4), (8, 9), (4, 9), (9,))]
    sizes, second = "B=5, T=6, S=7, Dq=8, Dk=4, A=9", expected.format((5, 6, 7), (5, 6, 7, 9))
    got = call_explained(report, additive_scores, *arrays, on=sizes, expected=second)
    got = report.array(got, (5, 6, 7), what=f"the array of scores for {sizes}")
    other = [a.copy() for a in arrays]
    other[1][1] += 1.0
    moved = np.abs(np.asarray(report.call(additive_scores, *other)) - got).max(axis=(1, 2))
    hint = "sentence 0 depends on keys of sentence 1" if moved[0] > 1e-5 else "sentence 1 ignores its own keys"
    hint += ": the first axis of query and key belongs together"
    report.expect(moved[0] < 1e-5 < moved[1], "each query meets the keys of its own sentence", hint)
