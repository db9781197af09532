"""Self-check of notebook 3: the options of the Keras layer."""

import keras
import numpy as np
from helpers.checks import self_check
from helpers.checks_dot_product import hinted, near
from helpers.observed import name_mistake, observed


def _layer_weights(query, key, scale=None, mode="dot", concat_weight=None, **options):
    """Give the weights of `keras.layers.Attention` with its scalars set."""
    layer = keras.layers.Attention(use_scale=scale is not None, score_mode=mode, dtype="float64")
    layer.build([query.shape, key.shape])
    if scale is not None:
        layer.scale.assign(scale)
    if concat_weight is not None:
        layer.concat_score_weight.assign(concat_weight)
    return np.asarray(layer([query, key], return_attention_scores=True, **options)[1])


def _transposed(weights):
    """Return weights under a causal mask that shows the future instead of the past."""
    kept = weights * np.triu(np.ones(weights.shape[1:]))
    return kept / np.maximum(kept.sum(-1, keepdims=True), 1e-9)


@self_check("keras_attention")
def check_keras_attention(report, attention):
    """Check `keras_attention` option by option against the layer, with B = 2, T = 3, S = 5, K = 4 and V = 6."""
    rng = np.random.default_rng(2)
    query, value, key = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 6)), 0.8 * rng.normal(size=(2, 5, 4))
    result = report.call(hinted(attention, "The order of the arguments is query, value, key"), query, value, key)
    both = isinstance(result, tuple | list) and len(result) == 2
    report.expect(both, "it returns output and weights", "separate them by a comma", stop=True)
    output = report.array(result[0], (2, 3, 6), "f", "output")
    weights = report.array(result[1], (2, 3, 5), "f", "weights")
    hint = observed(weights, _layer_weights(query, key), "Over which axis does the softmax run?")
    report.expect(near(weights.sum(-1), np.ones((2, 3))), "weights sum to 1 over the keys", hint, stop=True)
    right, scaled = _layer_weights(query, key), _layer_weights(query, key, 0.5)
    mistakes = {"you divide by sqrt(K): without scale= the layer has no scale": scaled}  # K = 4
    hint = name_mistake(weights, mistakes, right, "What are the scores of query 0, before the softmax?")
    report.expect(near(weights, right), "the weights are the layer's", hint, stop=True)
    hint = observed(output, weights @ value, "Which of the three arrays do the weights mix?")
    report.expect(near(output, weights @ value), "output is weights @ value", hint)
    alone = np.asarray(report.call(attention, query, key)[1])
    hint = observed(alone, weights, "What is compared with the query if there is no key?")
    report.expect(near(alone, weights), "key=None: the value is the key", hint)
    zero = np.asarray(report.call(attention, query, value, key, 0.0)[1])
    mistakes = {"scale=0.0 is a scale too: ask `is None`": weights}
    hint = name_mistake(zero, mistakes, np.full((2, 3, 5), 0.2), "What are scores times 0?")
    report.expect(near(zero, np.full((2, 3, 5), 0.2)), "scale=0.0 makes all weights equal", hint)
    half = np.asarray(report.call(attention, query, value, key, 0.5)[1])
    mistakes = {
        "divided by the scale instead of multiplied": _layer_weights(query, key, 2.0),
        "the scale has no effect": weights,
    }
    hint = name_mistake(half, mistakes, scaled, "Which number multiplies the scores?")
    report.expect(near(half, scaled), "scale=0.5 halves the scores", hint)
    third = np.asarray(report.call(attention, query, value, key, 0.5, concat_weight=3.0)[1])
    mistakes = {"yours are multiplied by it; only concat scores have this weight": _layer_weights(query, key, 1.5)}
    hint = name_mistake(third, mistakes, half, "Which of the arguments do dot scores depend on?")
    report.expect(near(third, half), "dot scores ignore concat_weight", hint)

    def concat(scale=None, weight=None):
        return np.asarray(report.call(attention, query, value, key, scale, "concat", weight)[1])

    report.expect(not near(concat(), weights), "score_mode changes the scores", "it has no effect", stop=True)
    sums, products = query[:, :, None] + key[:, None], query[:, :, None] * key[:, None]

    def softmaxed(scores):
        return np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)

    known = _layer_weights(query, key, mode="concat")
    mistakes = {
        "a mean over the width, not a sum": softmaxed(np.tanh(sums).mean(-1)),
        "the tanh is missing": softmaxed(sums.sum(-1)),
        "the tanh is taken of the sum; it belongs to each entry": softmaxed(np.tanh(sums.sum(-1))),
        "query and key are multiplied; they should be added": softmaxed(np.tanh(products).sum(-1)),
        "you divide by sqrt(K); the layer does not": softmaxed(np.tanh(sums).sum(-1) / 2),
    }
    hint = name_mistake(concat(), mistakes, known, "What is the tanh of query 0 plus key 0, summed over the width?")
    report.expect(near(concat(), known), "concat: the sum of tanh(query + key)", hint, stop=True)
    known = _layer_weights(query, key, 0.3, "concat")
    mistakes = {
        "yours is applied after the tanh; the scale belongs inside the tanh": softmaxed(0.3 * np.tanh(sums).sum(-1)),
        "the scale has no effect in this mode": concat(),
        "the scale multiplies the query alone": softmaxed(np.tanh(0.3 * query[:, :, None] + key[:, None]).sum(-1)),
    }
    hint = name_mistake(concat(0.3), mistakes, known, "What exactly does the scale multiply?")
    report.expect(near(concat(0.3), known), "concat: the scale is applied before the tanh", hint)
    zero, even = concat(0.0), np.full((2, 3, 5), 0.2)
    hint = name_mistake(
        zero, {"scale=0.0 is a scale here too: ask `is None`": concat()}, even, "What is the tanh of 0?"
    )
    report.expect(near(zero, even), "concat: scale=0.0 makes all weights equal", hint)
    known = _layer_weights(query, key, mode="concat", concat_weight=0.4)
    mistakes = {
        "the weight is missing": concat(),
        "the weight is inside the tanh; it multiplies the sum": softmaxed(np.tanh(0.4 * sums).sum(-1)),
    }
    hint = name_mistake(concat(None, 0.4), mistakes, known, "What does concat_weight multiply?")
    report.expect(near(concat(None, 0.4), known), "concat: concat_weight multiplies the sum", hint)
    zero = concat(None, 0.0)
    hint = "concat_weight=0.0 is a weight too: ask `is None`"
    hint = name_mistake(zero, {hint: concat()}, even, "What are scores times 0?")
    report.expect(near(zero, even), "concat_weight=0.0 makes all weights equal", hint)
    real = np.array([[True, True, False], [True, True, True]])
    masked = [np.asarray(part) for part in report.call(attention, query, value, key, query_mask=real)]
    hint = observed(masked[1], weights, "What does the layer do with the row of a masked query?")
    report.expect(near(masked[1], weights), "query_mask leaves the weights alone", hint)
    known = output * real[..., None]
    mistakes = {
        "the query mask has no effect": output,
        "inverted: True keeps a row, False makes it zero": output * ~real[..., None],
    }
    hint = name_mistake(masked[0], mistakes, known, "Which rows of the output are left?")
    report.expect(near(masked[0], known), "query_mask makes output rows zero", hint)
    real = np.array([[True, True, False, True, True], [True] * 5])
    hint = "value_mask (B, S) needs an axis for the queries: (B, 1, S)"
    masked = np.asarray(report.call(hinted(attention, hint, "broadcast"), query, value, key, value_mask=real)[1])
    known = _layer_weights(query, key, mask=[None, real])
    mistakes = {
        "the value mask has no effect": weights,
        "the mask has to act before the softmax: yours no longer sum to 1": weights * real[:, None],
    }
    hint = name_mistake(masked, mistakes, known, "Which keys may be attended to?")
    hint = "inverted: True may be attended to" if masked[0, 0, 2] > 0.99 else hint
    right = (masked[0, :, 2] == 0).all() and near(masked.sum(-1), np.ones((2, 3)))
    report.expect(right, "value_mask takes keys out before the softmax", hint)
    seen = np.array([[True, False, True], [True, True, True]])
    for q, k, mask, words in ((query, key, None, "S > T"), (key, query, seen, "T > S, beside a value mask")):
        hint = "T and S differ here: the causal mask has T rows and S columns"
        call = hinted(attention, hint, "broadcast")
        got = np.asarray(report.call(call, q, k, value_mask=mask, use_causal_mask=True)[1])
        want = _layer_weights(q, k, mask=[None, mask], use_causal_mask=True)
        plain, free = _layer_weights(q, k), True if mask is None else mask[:, None]
        rows, columns = q.shape[1], k.shape[1]
        late = plain * np.tri(rows, columns, columns - rows) * free
        late = late / np.maximum(late.sum(-1, keepdims=True), 1e-9)
        mistakes = {
            "it has no effect": plain,
            "the causal mask has no effect beside the value mask": _layer_weights(q, k, mask=[None, mask]),
            "the value mask is lost": _layer_weights(q, k, use_causal_mask=True),
            "your mask is aligned bottom-right; Keras aligns it top-left, so query 0 sees key 0 only": late,
            "transposed: query i sees the keys 0 to i, not those from i on": _transposed(plain * free),
        }
        hint = name_mistake(got, mistakes, want, "Which keys does query i see, whatever the two lengths are?")
        report.expect(near(got, want), f"causal mask with {words}", hint)
