"""Self-checks of notebook 3: the options of the Keras layer, the Jacobian."""

import keras
import numpy as np
from helpers.checks import self_check
from helpers.checks_dot_product import hinted, near


def _layer_weights(query, key, scale=None, mode="dot", concat_weight=None, **options):
    """Give the weights of `keras.layers.Attention` with its scalars set."""
    layer = keras.layers.Attention(use_scale=scale is not None, score_mode=mode, dtype="float64")
    layer.build([query.shape, key.shape])
    if scale is not None:
        layer.scale.assign(scale)
    if concat_weight is not None:
        layer.concat_score_weight.assign(concat_weight)
    return np.asarray(layer([query, key], return_attention_scores=True, **options)[1])


@self_check("keras_attention")
def check_keras_attention(report, attention):
    """Check `keras_attention` option by option against the layer, with B = 2, T = 3, S = 5, K = 4 and V = 6."""
    rng = np.random.default_rng(2)
    query, value, key = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 6)), 0.8 * rng.normal(size=(2, 5, 4))
    result = report.call(hinted(attention, "Is the order of the arguments query, value, key?"), query, value, key)
    both = isinstance(result, tuple | list) and len(result) == 2
    report.expect(both, "it returns output and weights", "separate them by a comma", stop=True)
    output = report.array(result[0], (2, 3, 6), "f", "output")
    weights = report.array(result[1], (2, 3, 5), "f", "weights")
    report.expect(near(weights.sum(-1), np.ones((2, 3))), "weights sum to 1 over the keys", "softmax over S", stop=True)
    hint = "is there a scale? Without scale= the layer has none"
    report.expect(near(weights, _layer_weights(query, key)), "the weights are the layer's", hint, stop=True)
    report.expect(near(output, weights @ value), "output is weights @ value", "the values, not the keys")
    alone = report.call(attention, query, key)[1]
    report.expect(near(alone, weights), "key=None: the value is the key", "query, value, key is the order")
    zero = np.asarray(report.call(attention, query, value, key, 0.0)[1])
    hint = "scale=0.0 is a scale too: ask `is None`" if near(zero, weights) else "scale multiplies the scores"
    report.expect(near(zero, np.full((2, 3, 5), 0.2)), "scale=0.0 makes all weights equal", hint)
    half = np.asarray(report.call(attention, query, value, key, 0.5)[1])
    divided = near(half, _layer_weights(query, key, 2.0))
    hint = "divided by the scale instead of multiplied" if divided else "the scale multiplies the scores"
    report.expect(near(half, _layer_weights(query, key, 0.5)), "scale=0.5 halves the scores", hint)

    def concat(scale=None, weight=None):
        return np.asarray(report.call(attention, query, value, key, scale, "concat", weight)[1])

    report.expect(not near(concat(), weights), "score_mode changes the scores", "it has no effect", stop=True)
    known, logs = _layer_weights(query, key, mode="concat"), np.log(concat())
    mean = near(np.exp(4 * (logs - logs[..., :1])), known / known[..., :1])
    hint = "a mean over the width, not a sum" if mean else "all pairs, tanh, then the sum over the width"
    report.expect(near(concat(), known), "concat: the sum of tanh(query + key)", hint, stop=True)
    known, logs = _layer_weights(query, key, 0.3, "concat"), [np.log(concat(s)) for s in (None, 0.3)]
    outside = near(*[factor * (x - x[..., :1]) for factor, x in zip((0.3, 1), logs, strict=True)])
    hint = "the scale stands inside the tanh" if outside else "tanh(scale * (query + key))"
    report.expect(near(concat(0.3), known), "concat: the scale is applied before the tanh", hint)
    heavy = near(concat(None, 0.4), _layer_weights(query, key, mode="concat", concat_weight=0.4))
    report.expect(heavy, "concat: concat_weight multiplies the sum", "the weight is missing, or at another place")
    real = np.array([[True, True, False], [True, True, True]])
    masked = report.call(attention, query, value, key, query_mask=real)
    report.expect(near(masked[1], weights), "query_mask leaves the weights alone", "the output rows only")
    zeroed = not np.any(np.asarray(masked[0])[0, 2]) and near(np.asarray(masked[0])[1], output[1])
    report.expect(zeroed, "query_mask makes output rows zero", "True keeps a row, False makes it zero")
    real = np.array([[True, True, False, True, True], [True] * 5])
    hint = "value_mask (B, S) needs an axis for the queries: (B, 1, S)"
    masked = np.asarray(report.call(hinted(attention, hint), query, value, key, value_mask=real)[1])
    hint = "inverted: True may be attended to" if masked[0, 0, 2] > 0 else "the mask has to act before the softmax"
    right = (masked[0, :, 2] == 0).all() and near(masked.sum(-1), np.ones((2, 3)))
    report.expect(right, "value_mask takes keys out before the softmax", hint)
    seen = np.array([[True, False, True], [True, True, True]])
    for q, k, mask, words in ((query, key, None, "S > T"), (key, query, seen, "T > S, beside a value mask")):
        hint = "T and S differ here: the causal mask has T rows and S columns"
        got = np.asarray(report.call(hinted(attention, hint), q, k, value_mask=mask, use_causal_mask=True)[1])
        if near(got, _layer_weights(q, k)):
            hint = "it has no effect"
        elif mask is not None and near(got, _layer_weights(q, k, use_causal_mask=True)):
            hint = "the value mask is lost"
        elif got[0, 0, 1] > 0 and mask is None:
            hint = "the mask is aligned top-left: query 0 sees key 0 only"
        else:
            hint = "query i sees the keys 0 to i, whatever the two lengths"
        want = _layer_weights(q, k, mask=[None, mask], use_causal_mask=True)
        report.expect(near(got, want), f"causal mask with {words}", hint)


@self_check("attention_jacobian")
def check_attention_jacobian(report, jacobian):
    """Check `attention_jacobian` on cases whose derivative is known."""
    key, value = np.array([[1.0, 2.0], [3.0, -1.0], [0.0, 0.5]]), np.array([[1.0], [4.0], [-2.0]])
    got = np.asarray(report.call(jacobian, np.zeros(2), key, np.tile(value, (1, 3)) * [1.0, 2.0, 3.0]))
    hint = "transposed: a row for each output" if got.shape == (2, 3) else f"got {got.shape}"
    report.expect(got.shape == (3, 2), "the result has shape (V, K)", hint, stop=True)
    mean = value.mean(axis=0)
    truth = (value - mean).T @ key / 3  # with query 0 all weights are 1/3
    row = got[:1] * 2**0.5
    if near(row, value.T @ key / 3):
        hint = "the mean term is missing: a covariance subtracts the product of the means"
    elif near(row, truth * 2**0.5):
        hint = "the scale 1/sqrt(K) is missing"
    elif near(row, truth / 2**0.5):
        hint = "divided by K: the square root is missing"
    elif near(row, truth * 3):
        hint = "a sum, not a mean: the weights are missing"
    elif near(row, -truth):
        hint = "the sign is reversed"
    else:
        hint = "the weighted mean of value times key, minus the product of the weighted means, over sqrt(K)"
    report.expect(near(row, truth), "at query 0 it is the plain covariance over sqrt(K)", hint, stop=True)
    query, step = np.array([0.7, -0.4]), 1e-5

    def slope(factor):
        layer, ends = keras.layers.Attention(use_scale=True, dtype="float64"), []
        layer.build([(1, 1, 2), (1, 3, 1), (1, 3, 2)])
        layer.scale.assign(factor)
        for q in [query + sign * e for e in step * np.eye(2) for sign in (1, -1)]:
            ends.append(np.asarray(layer([q[None, None], value[None], key[None]])).item())
        return (np.array(ends[::2]) - ends[1::2])[None] / (2 * step)

    got = np.asarray(report.call(jacobian, query, key, value))
    if near(got, row / 2**0.5):
        hint = "the query has no influence: the weights are the softmax of key times query"
    elif near(got * 2**0.5, slope(1.0)):
        hint = "the weights come from query and keys, scaled: 1/sqrt(K) is missing inside the softmax"
    elif not near(report.call(jacobian, query, key, value + 7.0), got):
        hint = "the means have to be weighted as well, with the weights of the attention"
    else:
        hint = "the weights come from query and keys, scaled"
    report.expect(near(got, slope(0.5**0.5)), "elsewhere it is the slope of the output", hint, stop=True)
    moved = report.call(jacobian, query, key + 7.0, value)
    report.expect(near(moved, got), "the same vector added to all keys changes nothing", "subtract the mean")
    sure = np.asarray(report.call(jacobian, 1e4 * query, key, value))
    hint = "nan comes from an overflow in exp" if np.isnan(sure).any() else "one key has all the weight: nothing varies"
    report.expect(near(sure, np.zeros((1, 2))), "a saturated softmax has slope 0", hint)
