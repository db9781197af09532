"""The numbers that the self-checks of notebook 3 hold, made anew: by the right answers, and by each mistake."""

import itertools

import keras
import numpy as np
import pytest
from helpers import checks_jacobian, checks_mask_makers

from tests.unit.held import answers, apart, same


def covariance(weights, key, value, means=None):
    means = weights if means is None else means
    return np.einsum("s,sv,sk->vk", weights, value, key) - np.outer(means @ value, means @ key)


def softmax(scores):
    return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)


def weighted(use):
    """Return a function of query, keys and values that hands the weights, keys and values on to `use`, scaled."""

    def slip(query, key, value):
        root = len(query) ** 0.5
        return use(softmax(key @ query / root), key, value) / root

    return slip


def root_of(size):
    """Return functions that divide by the root of `size(key, value)`: in the result alone, and in the weights too."""

    def whole(query, key, value):
        root = size(key, value) ** 0.5
        return covariance(softmax(key @ query / root), key, value) / root

    return weighted(lambda w, k, v: covariance(w, k, v) * (k.shape[1] / size(k, v)) ** 0.5), whole


def unweighted(w, key, value, means=None):
    means = w if means is None else means
    return (value - means @ value).T @ (key - means @ key)


#: What known mistakes compute at any query; several where one has several forms.
JACOBIAN = {
    "the mean term is missing: a covariance subtracts the product of the means": weighted(
        lambda w, k, v: (v * w[:, None]).T @ k
    ),
    "the scale 1/sqrt(K) is missing": root_of(lambda k, v: 1),
    "divided by K: the square root is missing": root_of(lambda k, v: k.shape[1] ** 2),
    "you multiply by sqrt(K); divide by it": root_of(lambda k, v: 1 / k.shape[1]),
    "divided by the root of V, the width of the values; take K, the width of the keys": root_of(
        lambda k, v: v.shape[1]
    ),
    "divided by the root of the number of keys; take K, their width": root_of(lambda k, v: len(k)),
    "a sum, not a mean: the weights are missing": (
        weighted(unweighted),
        weighted(lambda w, k, v: unweighted(w, k, v, np.full(len(w), 1 / len(w)))),
    ),
    "the sign is reversed": weighted(lambda w, k, v: -covariance(w, k, v)),
    "this is the unbiased covariance, as np.cov has it; take plain weighted means": (
        weighted(lambda w, k, v: covariance(w, k, v) * len(w) / (len(w) - 1)),
        weighted(lambda w, k, v: np.cov(v.T, k.T)[: v.shape[1], v.shape[1] :]),
        weighted(lambda w, k, v: np.cov(v.T, k.T, aweights=w)[: v.shape[1], v.shape[1] :]),
    ),
    "every key counts by the square of its weight": (
        weighted(lambda w, k, v: (v * w[:, None] ** 2).T @ (k - w @ k)),
        weighted(lambda w, k, v: ((v - w @ v) * w[:, None] ** 2).T @ (k - w @ k)),
    ),
    "the weighted sum is divided by the number of keys once more": weighted(
        lambda w, k, v: covariance(w, k, v) / len(w)
    ),
    "you treat the softmax entry by entry, w(1 - w): each weight depends on all scores": weighted(
        lambda w, k, v: (v * (w * (1 - w))[:, None]).T @ k
    ),
}


def jacobian_rows():
    cases, right = checks_jacobian._JACOBIAN_CASES, answers("03")["attention_jacobian"]

    def rows(form):
        return [form(*case)[0] for case in cases]

    slips = {text: tuple(map(rows, f)) if isinstance(f, tuple) else rows(f) for text, f in JACOBIAN.items()}
    return {"": rows(right)} | slips


def weight_slips():
    """Return what known mistakes make of the weights in the second case, with values of width 1."""
    query, (key, value) = checks_jacobian._JACOBIAN_CASES[1][0], (checks_jacobian._KEY, checks_jacobian._VALUE)
    root, even = 2**-0.5, np.full(3, 1 / 3)
    e, bare = np.exp(key @ query * root), softmax(key @ query)
    w = e / e.sum()
    mean = np.einsum("s,sv,sk->vk", w, value, key)
    made = {
        "the query has no influence: the weights are the softmax of key times query": covariance(even, key, value),
        "the weights come from query and keys, scaled: 1/sqrt(K) is missing inside the softmax": covariance(
            bare, key, value
        ),
        "the means have to be weighted as well, with the weights of the attention": covariance(w, key, value, even),
        "only the means are weighted; the mean of value times key is, too": covariance(even, key, value, w),
        "the weighted means are subtracted, and what is left is averaged without weights": unweighted(w, key, value)
        / 3,
        "the mean of the values is not weighted": mean - np.outer(even @ value, w @ key),
        "the mean of the keys is not weighted": mean - np.outer(w @ value, even @ key),
        "the weights are the exponentials; they have to sum to 1": covariance(e, key, value),
    }
    return {text: matrix[0] * root for text, matrix in made.items()}


def drawn(mask):
    return " ".join("".join("#" if one else "." for one in row) for row in mask)


def windows():
    apart = np.arange(8) - np.arange(5)[:, None]
    right = answers("03")["window_mask"](5, 8, 2)
    made = {
        "": right,
        "off by one: a distance equal to the radius is inside": np.abs(apart) < 2,
        "one step too wide: True where the distance of i and j is at most radius": np.abs(apart) <= 3,
        "all later keys are allowed: a distance has no sign, np.abs": apart >= -2,
        "all earlier keys are allowed: a distance has no sign, np.abs": apart <= 2,
        "one side only, the past: the window reaches to both sides": right & (apart <= 0),
        "one side only, the future: the window reaches to both sides": right & (apart >= 0),
        "the last key of the window is missing": right & (apart < 2),
        "the first key of the window is missing": right & (apart > -2),
        "the query's own position is missing: its distance is 0": right & (apart != 0),
        "the window wraps around from one end to the other": (apart + 2) % 8 <= 4,
    }
    return {text: drawn(mask) for text, mask in made.items()}


def even_ties(s, value):
    ties = s == s.max(-1, keepdims=True)
    return ties / ties.sum(-1, keepdims=True) @ value


#: What known mistakes take by hard attention.
HARD = {
    "that is a soft mixture: take one value, whole": lambda s, value: s @ value,
    "the value comes whole: do not multiply it by its score": lambda s, value: (
        s.max(-1, keepdims=True) * value[s.argmax(-1)]
    ),
    "that is the value with the smallest score; take the largest score": lambda s, value: value[s.argmin(-1)],
    "the sign of the scores is lost; -0.9 is less than 0.7": lambda s, value: value[np.abs(s).argmax(-1)],
    "you average the ties": even_ties,
    "you take the last one of ties": lambda s, value: value[s.shape[-1] - 1 - s[:, ::-1].argmax(-1)],
    "that is a soft mixture, by a softmax: take one value, whole": lambda s, value: softmax(s) @ value,
}


def hard_slips():
    return {text: [form(*case) for case in checks_mask_makers._HARD_CASES] for text, form in HARD.items()}


def forms(rows):
    return rows if isinstance(rows, tuple) else (rows,)


@pytest.mark.parametrize("text", JACOBIAN)
def test_slopes_of_mistakes(text):
    held, made = checks_jacobian._JACOBIAN_ROWS, jacobian_rows()
    assert list(held) == list(made)
    assert same(held[""], made[""])
    for row, numbers in zip(forms(held[text]), forms(made[text]), strict=True):
        assert same(row, numbers), numbers
        assert apart(numbers, made[""])


def test_the_right_slope_is_that_of_keras():
    layer, ends = keras.layers.Attention(use_scale=True, dtype="float64"), []
    query, key, value = checks_jacobian._JACOBIAN_CASES[1]
    layer.build([(1, 1, 2), (1, 3, 5), (1, 3, 2)])
    layer.scale.assign(0.5**0.5)
    for q in [query + sign * e for e in 1e-5 * np.eye(2) for sign in (1, -1)]:
        ends.append(np.asarray(layer([q[None, None], value[None], key[None]]))[0, 0, 0])
    slope = (np.array(ends[::2]) - ends[1::2]) / 2e-5
    assert np.allclose(slope, checks_jacobian._JACOBIAN_ROWS[""][1], rtol=1e-5)


def test_slopes_of_mistaken_weights():
    held, made = checks_jacobian._WEIGHT_SLIPS, weight_slips()
    assert list(held) == list(made)
    for text, numbers in made.items():
        assert same(held[text], numbers), numbers
    results = [*made.values(), checks_jacobian._JACOBIAN_ROWS[""][1]]
    assert all(apart(a, b) for a, b in itertools.combinations(results, 2))


def test_windows_of_mistakes():
    assert windows() == checks_mask_makers._WINDOWS


def test_hard_attention_of_mistakes():
    held, made = checks_mask_makers._HARD_SLIPS, hard_slips()
    right = [answers("03")["hard_attention"](*case) for case in checks_mask_makers._HARD_CASES]
    assert list(held) == list(made)
    for text, outputs in made.items():
        assert all(map(same, held[text], outputs)), outputs
        assert any(map(apart, outputs, right))
    for a, b in itertools.combinations(made.values(), 2):
        assert any(map(apart, a, b))
