"""Self-check of notebook 3: the Jacobian."""

import keras
import numpy as np
from helpers.checks import self_check
from helpers.checks_dot_product import near
from helpers.observed import Observed, name_mistake, observed


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
    mistakes = {
        "the mean term is missing: a covariance subtracts the product of the means": wide.T @ key / 3 * root,
        "the scale 1/sqrt(K) is missing": truth,
        "divided by K: the square root is missing": truth / 2,
        "you multiply by sqrt(K); divide by it": truth / root,
        "divided by the root of V, the width of the values; take K, the width of the keys": truth / 5**0.5,
        "divided by the root of the number of keys; take K, their width": truth / 3**0.5,
        "a sum, not a mean: the weights are missing": 3 * truth * root,
        "the sign is reversed": -truth * root,
        "this is the unbiased covariance, as np.cov has it; take plain weighted means": 1.5 * truth * root,
        "every key counts by the square of its weight": truth * root / 3,
        "you treat the softmax entry by entry, w(1 - w): each weight depends on all scores": wide.T @ key * root / 4.5,
    }
    hint = name_mistake(got, mistakes, truth * root, "With query 0, what are the three weights, and the two means?")
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
