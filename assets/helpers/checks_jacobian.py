"""Self-check of notebook 3: the Jacobian."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_dot_product import near
from helpers.observed import Observed, name_mistake, name_slip, observed, quietly

_KEY, _VALUE = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 0.5]]), np.array([[1.0], [4.0], [-2.0]])
_WIDE = _VALUE * [1.0, 2.0, 3.0, -1.0, 0.5]  # all sizes are different: K = 2, S = 3, V = 5
#: Queries, keys and values; with query 0 all weights are equal, which hides what they are used for.
_JACOBIAN_CASES = [
    (np.zeros(2), _KEY, _WIDE),
    (np.array([0.7, -0.4]), _KEY, _WIDE),
    (np.array([0.3, 0.5]), np.vstack([_KEY, [[-1.0, 1.5]]]), np.vstack([_WIDE, _WIDE[:1] - 2])),
]
#: The first row of what is right in each case, and of what known mistakes compute; several where one has several forms.
_JACOBIAN_ROWS = {
    "": [[2.12132, -1.06066], [1.52793, -1.10033], [1.82978, -0.835682]],
    "the mean term is missing: a covariance subtracts the product of the means":
        [[3.06413, -0.707107], [6.57693, -2.07172], [2.18736, -0.39188]],
    "the scale 1/sqrt(K) is missing": (
        [[3.0, -1.5], [2.16082, -1.5561], [2.58771, -1.18183]],
        [[3.0, -1.5], [1.28192, -0.959995], [2.32429, -1.03995]],
    ),
    "divided by K: the square root is missing": (
        [[1.5, -0.75], [1.08041, -0.77805], [1.29385, -0.590917]],
        [[1.5, -0.75], [1.38801, -0.952131], [1.38096, -0.640182]],
    ),
    "you multiply by sqrt(K); divide by it": (
        [[4.24264, -2.12132], [3.05586, -2.20066], [3.65957, -1.67136]],
        [[4.24264, -2.12132], [0.707658, -0.545267], [2.73657, -1.19328]],
    ),
    "divided by the root of V, the width of the values; take K, the width of the keys": (
        [[1.34164, -0.67082], [0.966348, -0.695909], [1.15726, -0.528532]],
        [[1.34164, -0.67082], [1.29785, -0.875359], [1.25413, -0.583599]],
    ),
    "divided by the root of the number of keys; take K, their width": (
        [[1.73205, -0.866025], [1.24755, -0.898414], [1.29385, -0.590917]],
        [[1.73205, -0.866025], [1.47968, -1.03662], [1.38096, -0.640182]],
    ),
    "a sum, not a mean: the weights are missing": (
        [[6.36396, -3.18198], [10.8557, -7.18325], [8.85717, -4.15177]],
        [[6.36396, -3.18198], [6.36396, -3.18198], [8.83883, -4.24264]],
    ),
    "the sign is reversed": [[-2.12132, 1.06066], [-1.52793, 1.10033], [-1.82978, 0.835682]],
    "this is the unbiased covariance, as np.cov has it; take plain weighted means": (
        [[3.18198, -1.59099], [2.29189, -1.65049], [2.43971, -1.11424]],
        [[3.18198, -1.59099], [3.18198, -1.59099], [2.94628, -1.41421]],
        [[3.18198, -1.59099], [3.94629, -2.84189], [2.53145, -1.15614]],
    ),
    "every key counts by the square of its weight": (
        [[0.707107, -0.353553], [0.994754, -0.877327], [0.387154, -0.124969]],
        [[0.707107, -0.353553], [0.390134, -0.325301], [0.380545, -0.1588]],
    ),
    "the weighted sum is divided by the number of keys once more":
        [[0.707107, -0.353553], [0.50931, -0.366776], [0.457446, -0.208921]],
    "you treat the softmax entry by entry, w(1 - w): each weight depends on all scores":
        [[2.04275, -0.471405], [1.60119, -0.428481], [1.68183, -0.413835]],
}  # fmt: skip
#: What known mistakes compute of the second case, with values of width 1.
_WEIGHT_SLIPS = {
    "the query has no influence: the weights are the softmax of key times query": [2.12132, -1.06066],
    "the weights come from query and keys, scaled: 1/sqrt(K) is missing inside the softmax": [0.906458, -0.678819],
    "the means have to be weighted as well, with the weights of the attention": [5.63412, -2.42527],
    "only the means are weighted; the mean of value times key is, too": [-1.98487, 0.264285],
    "the weighted means are subtracted, and what is left is averaged without weights": [3.61858, -2.39442],
    "the mean of the values is not weighted": [4.86817, -1.74297],
    "the mean of the keys is not weighted": [3.79114, -3.11639],
    "the weights are the exponentials; they have to sum to 1": [-245.705, 41.097],
}  # fmt: skip


@self_check("attention_jacobian")
def check_attention_jacobian(report, jacobian):
    """Check `attention_jacobian` on cases whose derivative is known."""
    key, value, query = _KEY, _VALUE, _JACOBIAN_CASES[1][0]
    got = np.asarray(report.call(jacobian, *_JACOBIAN_CASES[0]))
    hint = Observed(f"Yours has shape {got.shape}")
    hint = "transposed: a row for each output" if got.shape == (2, 5) else hint
    report.expect(got.shape == (5, 2), "the result has shape (V, K)", hint, stop=True)
    right = np.outer([1.0, 2.0, 3.0, -1.0, 0.5], _JACOBIAN_ROWS[""][0])
    hint = _name_rows(jacobian) or observed(got, right, "With query 0, what are the three weights, and the two means?")
    report.expect(near(got, right), "at query 0 it is the plain covariance over sqrt(K)", hint, stop=True)
    mistakes, right = {text: [row] for text, row in _WEIGHT_SLIPS.items()}, [_JACOBIAN_ROWS[""][1]]
    got = np.asarray(report.call(jacobian, query, key, value))
    hint = name_mistake(got, mistakes, right, "With this query, what are the three weights, and the weighted means?")
    report.expect(near(got, right), "elsewhere it is the slope of the output", hint, stop=True)
    moved = np.asarray(report.call(jacobian, query, key + 7.0, value))
    hint = observed(moved, got, "How do the weights change, and how the weighted mean of the keys?")
    report.expect(near(moved, got), "the same vector added to all keys changes nothing", hint)
    sure = np.asarray(report.call(jacobian, 1e4 * query, key, value))
    hint = observed(sure, np.zeros((1, 2)), "One key has all the weight. What can still vary?")
    hint = "nan comes from an overflow in exp" if np.isnan(sure).any() else hint
    report.expect(near(sure, np.zeros((1, 2))), "a saturated softmax has slope 0", hint)


def _name_rows(jacobian):
    """Return the text of the mistake that computes the same first rows in all cases; empty if none does."""
    results = [quietly(jacobian, *case) for case in _JACOBIAN_CASES]
    if any(np.shape(result) != (5, 2) for result in results):
        return ""
    known = {text: rows for text, rows in _JACOBIAN_ROWS.items() if text}
    slips = {
        text: tuple(one.__getitem__ for one in (rows if isinstance(rows, tuple) else (rows,)))
        for text, rows in known.items()
    }
    return name_slip([np.asarray(result)[0] for result in results], [(0,), (1,), (2,)], slips)
