"""Self-check of notebook 3: scaled dot-product attention."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_dot_product import factor_hint, hinted, near, ratio_of
from helpers.observed import Observed, name_mistake, observed


@self_check("scaled_dot_product_attention")
def check_scaled_dot_product_attention(report, attention):
    """Check `scaled_dot_product_attention` with K = 5, V = 3, T = 2 and S = 4."""
    rng = np.random.default_rng(1)
    query, value, key = rng.normal(size=(2, 5)), rng.normal(size=(4, 3)), rng.normal(size=(4, 5))
    result = report.call(hinted(attention, "The order of the arguments is query, value, key"), query, value, key)
    both = isinstance(result, tuple | list) and len(result) == 2
    report.expect(both, "it returns output and weights", "separate them by a comma", stop=True)
    output = report.array(result[0], (2, 3), "f", "output")
    weights = report.array(result[1], (2, 4), "f", "weights")
    rows, columns = weights.sum(axis=-1), weights.sum(axis=0)
    raw = query @ key.T
    e = np.exp(raw / 5**0.5)
    bare = np.exp(raw) / np.exp(raw).sum(-1, keepdims=True)
    late = {"the scale came after the softmax: divide the scores, not the weights": bare / 5**0.5}
    hint = name_mistake(weights, late, e / e.sum(-1, keepdims=True), "What makes weights of scores?")
    if near(columns, np.ones(4)):
        hint = "the softmax runs over the queries, the wrong axis"
    elif near(weights, raw / 5**0.5) or near(weights, raw):
        hint = "these are still scores: the weights are their softmax"
    report.expect(near(rows, np.ones(2)), "the weights of each query sum to 1", hint, stop=True)
    factor = ratio_of(np.log(weights[:, 1:] / weights[:, :1]), raw[:, 1:] - raw[:, :1])
    hints = {1.0: "the scale is missing", 1 / 5: "the square root is missing", 3**-0.5: "this is the width of value"}
    hint = factor_hint(factor, hints, "scores are", "What is sqrt(K) here?")
    report.expect(np.isclose(factor, 5**-0.5, rtol=1e-3), "the scores are divided by sqrt(K)", hint)
    mistakes = {
        "yours is mixed with the scores; mix with the weights": raw / 5**0.5 @ value,
        "yours is the mean of the values; mix with the weights": value.mean(0) + np.zeros((2, 1)),
        "you divide the weighted sum by the number of keys; the weights sum to 1 already": weights @ value / 4,
    }
    hint = name_mistake(output, mistakes, weights @ value, "Which value counts how much for this query?")
    report.expect(near(output, weights @ value), "output is the weighted sum of the values", hint)
    mask = np.array([[True, False, True, True], [False, False, False, False]])
    output, weights = (np.asarray(a) for a in report.call(attention, query, value, key, mask))
    free = np.exp(raw[0] / 5**0.5) / np.exp(raw[0] / 5**0.5).sum()
    after = free * mask[0]
    mistakes = {
        "inverted: True means that the query may attend": 1.0 * ~mask[0],
        "the mask has no effect": free,
        "the mask came after the softmax: the rest no longer sums to 1": after,
        "a masked score of 0 still counts: its exponential is 1": np.exp(raw[0] / 5**0.5 * mask[0])
        / np.exp(raw[0] / 5**0.5 * mask[0]).sum(),
    }
    hint = name_mistake(weights[0], mistakes, after / after.sum(), "Which three keys share this query's weight?")
    kept = weights[0, 1] == 0 and near(weights[0].sum(), 1)
    report.expect(kept, "a masked key gets 0 and the others share 1", hint, stop=True)
    hint = observed(weights[1], np.zeros(4), "What should a query get that may attend to nothing?")
    if np.isnan(weights[1]).any():
        hint = "nan"
    elif near(weights[1], np.full(4, 0.25)):
        hint = "its weights are uniform"
    elif (weights[1] == 0).all():
        hint = observed(output[1], np.zeros(3), "What is a sum with these weights?")
        hint = "its weights are zero, its output was mixed with others" if np.isfinite(output[1]).all() else hint
    zero = (weights[1] == 0).all() and (output[1] == 0).all()
    report.expect(zero, "a fully masked row gives zeros, in the weights and in the output", hint)
    moved = report.call(attention, query, value, key + rng.normal(size=5))[0]
    whole = report.call(attention, query, value, key)[0]
    hint = observed(moved, whole, "By how much does each score of a query change?")
    report.expect(near(moved, whole), "the same vector added to all keys changes nothing", hint)
    large = report.call(attention, 1e3 * query, value, 1e1 * key)
    finite = np.isfinite(large[1]).all()
    hint = "overflow: smaller scores give finite weights. Is the softmax stable?"
    report.expect(finite, "large scores give finite weights", hint)
    hint = "Swap the last two axes of key only: np.swapaxes(key, -2, -1)"
    stack = [np.stack([a, 2 * a, -a]) for a in (query, value, key)]
    output, weights = report.call(hinted(attention, hint, "matmul"), *stack)
    shapes = np.shape(output) == (3, 2, 3) and np.shape(weights) == (3, 2, 4)
    seen = Observed(f"Yours have the shapes {np.shape(output)} and {np.shape(weights)}")
    report.expect(shapes, "leading axes stay", seen, stop=True)
    first = attention(query, value, key)[0]
    hint = observed(output[0], first, "Along which axes do you swap, sum and divide?")
    report.expect(near(output[0], first), "each entry of a batch is on its own", hint)
