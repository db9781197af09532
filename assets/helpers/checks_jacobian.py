"""Self-check of notebook 3: the Jacobian."""

import keras
import numpy as np
from helpers.checks import self_check
from helpers.checks_dot_product import near
from helpers.observed import Observed, name_mistake, name_tried, observed


def _slope(query, key, value, step=1e-5):
    """Return the slope of the output of `keras.layers.Attention`, for one value of one entry, by small steps."""
    layer, ends = keras.layers.Attention(use_scale=True, dtype="float64"), []
    layer.build([(1, 1, 2), (1, 3, 1), (1, 3, 2)])
    layer.scale.assign(0.5**0.5)
    for q in [query + sign * e for e in step * np.eye(2) for sign in (1, -1)]:
        ends.append(np.asarray(layer([q[None, None], value[None], key[None]])).item())
    return (np.array(ends[::2]) - ends[1::2])[None] / (2 * step)


def _covariance(weights, key, value, means=None):
    """Return the weighted covariance of values and keys; `means` are the weights of the two means."""
    means = weights if means is None else means
    return np.einsum("s,sv,sk->vk", weights, value, key) - np.outer(means @ value, means @ key)


def _weighted(use):
    """Return a function of query, keys and values that hands the weights, keys and values on to `use`, scaled."""

    def slip(query, key, value):
        e = np.exp(key @ query / len(query) ** 0.5)
        return use(e / e.sum(), key, value) * len(query) ** -0.5

    return slip


def _root(size):
    """Return functions that divide by the root of `size(key, value)`: in the result alone, and in the weights too."""

    def whole(query, key, value):
        root = size(key, value) ** 0.5
        e = np.exp(key @ query / root)
        return _covariance(e / e.sum(), key, value) / root

    return _weighted(lambda w, k, v: _covariance(w, k, v) * (k.shape[1] / size(k, v)) ** 0.5), whole


def _unweighted(w, key, value, means=None):
    """Return the sum of the products of what is left after two means, the weighted ones by default."""
    means = w if means is None else means
    return (value - means @ value).T @ (key - means @ key)


#: What known mistakes compute at any query; several where one has several forms.
_JACOBIAN_SLIPS = {
    "the mean term is missing: a covariance subtracts the product of the means": _weighted(
        lambda w, k, v: (v * w[:, None]).T @ k
    ),
    "the scale 1/sqrt(K) is missing": _root(lambda k, v: 1),
    "divided by K: the square root is missing": _root(lambda k, v: k.shape[1] ** 2),
    "you multiply by sqrt(K); divide by it": _root(lambda k, v: 1 / k.shape[1]),
    "divided by the root of V, the width of the values; take K, the width of the keys": _root(lambda k, v: v.shape[1]),
    "divided by the root of the number of keys; take K, their width": _root(lambda k, v: len(k)),
    "a sum, not a mean: the weights are missing": (
        _weighted(_unweighted),
        _weighted(lambda w, k, v: _unweighted(w, k, v, np.full(len(w), 1 / len(w)))),
    ),
    "the sign is reversed": _weighted(lambda w, k, v: -_covariance(w, k, v)),
    "this is the unbiased covariance, as np.cov has it; take plain weighted means": (
        _weighted(lambda w, k, v: _covariance(w, k, v) * len(w) / (len(w) - 1)),
        _weighted(lambda w, k, v: np.cov(v.T, k.T)[: v.shape[1], v.shape[1] :]),
        _weighted(lambda w, k, v: np.cov(v.T, k.T, aweights=w)[: v.shape[1], v.shape[1] :]),
    ),
    "every key counts by the square of its weight": (
        _weighted(lambda w, k, v: (v * w[:, None] ** 2).T @ (k - w @ k)),
        _weighted(lambda w, k, v: ((v - w @ v) * w[:, None] ** 2).T @ (k - w @ k)),
    ),
    "the weighted sum is divided by the number of keys once more": _weighted(
        lambda w, k, v: _covariance(w, k, v) / len(w)
    ),
    "you treat the softmax entry by entry, w(1 - w): each weight depends on all scores": _weighted(
        lambda w, k, v: (v * (w * (1 - w))[:, None]).T @ k
    ),
}


@self_check("attention_jacobian")
def check_attention_jacobian(report, jacobian):
    """Check `attention_jacobian` on cases whose derivative is known."""
    key, value = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 0.5]]), np.array([[1.0], [4.0], [-2.0]])
    wide = value * [1.0, 2.0, 3.0, -1.0, 0.5]  # all sizes are different: K = 2, S = 3, V = 5
    got = np.asarray(report.call(jacobian, np.zeros(2), key, wide))
    hint = Observed(f"Yours has shape {got.shape}")
    hint = "transposed: a row for each output" if got.shape == (2, 5) else hint
    report.expect(got.shape == (5, 2), "the result has shape (V, K)", hint, stop=True)
    even = np.full(3, 1 / 3)  # the weights of query 0
    truth, root = _covariance(even, key, wide), 2**-0.5
    cases = [(q, key, wide) for q in (np.zeros(2), np.array([0.7, -0.4]))]  # equal weights hide what they are used for
    cases.append((np.array([0.3, 0.5]), np.vstack([key, [[-1.0, 1.5]]]), np.vstack([wide, wide[:1] - 2])))
    asked = "With query 0, what are the three weights, and the two means?"
    hint = name_tried(jacobian, cases, _JACOBIAN_SLIPS, truth * root, asked)
    report.expect(near(got, truth * root), "at query 0 it is the plain covariance over sqrt(K)", hint, stop=True)
    query = np.array([0.7, -0.4])
    products = np.exp(key @ query), np.exp(key @ query * root)
    bare, weights = (e / e.sum() for e in products)
    right = _slope(query, key, value)
    mistakes = {
        "the query has no influence: the weights are the softmax of key times query": _covariance(even, key, value),
        "the weights come from query and keys, scaled: 1/sqrt(K) is missing inside the softmax": _covariance(
            bare, key, value
        ),
        "the means have to be weighted as well, with the weights of the attention": _covariance(
            weights, key, value, even
        ),
        "only the means are weighted; the mean of value times key is, too": _covariance(even, key, value, weights),
        "the weighted means are subtracted, and what is left is averaged without weights": (value - weights @ value).T
        @ (key - weights @ key)
        / 3,
        "the mean of the values is not weighted": np.einsum("s,sv,sk->vk", weights, value, key)
        - np.outer(even @ value, weights @ key),
        "the mean of the keys is not weighted": np.einsum("s,sv,sk->vk", weights, value, key)
        - np.outer(weights @ value, even @ key),
        "the weights are the exponentials; they have to sum to 1": _covariance(products[1], key, value),
    }
    mistakes = {text: wrong * root for text, wrong in mistakes.items()}
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
