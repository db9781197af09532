"""The weights of all heads, by Keras and with the usual mistakes, for a self-check of notebook 4."""

import keras
import numpy as np
from helpers.observed import name_mistake

HEAD_WEIGHTS = [kind + part for part in "qkvo" for kind in ("w_", "b_")]


def by_keras(query, value, key, weights, heads, mask=None):
    """Let the Keras layer compute output and weights."""
    width = query.shape[-1]
    layer = keras.layers.MultiHeadAttention(num_heads=heads, key_dim=width // heads, dtype="float64")
    layer.build((1, 1, width), (1, 1, width))
    layer.set_weights([np.reshape(weights[n], w.shape) for n, w in zip(HEAD_WEIGHTS, layer.get_weights(), strict=True)])
    return [np.asarray(a) for a in layer(query, value, key, attention_mask=mask, return_attention_scores=True)]


def _log_ratio(got, want):
    """Return the factor between the scores behind some weights and those behind others; None if there is none."""
    a, b = (np.log(np.clip(w, 1e-30, None)) for w in (got, want))
    a, b = a - a.mean(axis=-1, keepdims=True), b - b.mean(axis=-1, keepdims=True)
    factor = (a * b).sum() / (b * b).sum()
    return factor if np.allclose(a, factor * b, atol=1e-3) else None


def _scores(query, key, weights, heads, split=None, turned=False, bias=True):
    """Compute the scores of all heads, over sqrt(K); `split` is another way to cut the projections into heads."""
    parts = []
    for x, part in ((query, "q"), (key, "k")):
        w = weights[f"w_{part}"]
        x = x @ (w.T if turned else w) + (weights[f"b_{part}"] if bias else 0)
        cut = (*x.shape[:2], heads, x.shape[2] // heads)
        parts.append(split(x, *cut) if split else x.reshape(cut).swapaxes(1, 2))
    return parts[0] @ parts[1].swapaxes(-2, -1) / parts[0].shape[-1] ** 0.5


def _softmaxed(scores, axis=-1):
    e = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def with_zeroed_scores(query, key, weights, heads, mask):
    """Compute the weights if the mask multiplies the scores and so turns some of them into 0."""
    return _softmaxed(_scores(query, key, weights, heads) * mask)


def weights_hint(got, query, value, key, weights, heads, want):
    """Recognise the usual mistakes in weights without a mask."""
    width, factor = query.shape[-1], _log_ratio(got, want)
    if factor is not None and np.isclose(factor, heads**-0.5, rtol=1e-3):
        return "the scale is too strong: the root of d_model instead of that of K, the width of a head"
    if factor is not None and np.isclose(factor, (width / heads) ** 0.5, rtol=1e-3):
        return "the scale is missing: divide the scores by the root of K"
    if factor is not None:
        return f"the scale is off: your scores are {factor:.2f} times the right ones"
    scores = _scores(query, key, weights, heads)
    mistakes = {
        "columns sum to 1, rows should: softmax over the queries instead of the keys": _softmaxed(scores, -2),
        "the softmax runs over the heads; it should run over the keys": _softmaxed(scores, 1),
        "return the weights, after the softmax, not the scores": scores,
        "all heads have the same weights: they were averaged": np.broadcast_to(want.mean(1, keepdims=True), want.shape),
        "the bias b_q is missing (b_k changes no weight: why?)": _softmaxed(
            _scores(query, key, weights, heads, bias=False)
        ),
        "your keys are made of `value`; value comes before key in the arguments": _softmaxed(
            _scores(query, value, weights, heads)
        ),
        "w_q and w_k are transposed: each word is a row, x @ w_q": _softmaxed(
            _scores(query, key, weights, heads, turned=True)
        ),
        "reshape alone does not split: bring the axis of the heads before that of the words": _softmaxed(
            _scores(query, key, weights, heads, lambda x, b, t, h, k: x.reshape(b, h, t, k))
        ),
        "the split is interleaved: head h works on columns h*K to (h+1)*K": _softmaxed(
            _scores(query, key, weights, heads, lambda x, b, t, h, k: x.reshape(b, t, k, h).transpose(0, 3, 1, 2))
        ),
    }
    return name_mistake(got, mistakes, want, "Which columns of the projected query and key does head h read?")
