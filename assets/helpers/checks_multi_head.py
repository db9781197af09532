"""Self-checks of notebook 4: splitting into heads, and the whole layer."""

import traceback

import keras
import numpy as np
from helpers.checks import self_check

_NAMES = [kind + part for part in "qkvo" for kind in ("w_", "b_")]


@self_check("split_heads")
def check_split_heads(report, split_heads, merge_heads):
    """Check splitting element by element, then merging alone, then the error."""
    x = np.arange(60.0).reshape(2, 5, 6)
    got = report.array(report.call(split_heads, x, 3), (2, 3, 5, 2), "f", "split_heads(x, 3) of x (2, 5, 6)")
    blocks = np.stack([x[..., 0:2], x[..., 2:4], x[..., 4:6]], axis=1)
    if np.array_equal(got, x.reshape(2, 3, 5, 2)):
        hint = "reshape alone cuts the memory, so a head holds whole words and parts of others"
    elif np.array_equal(np.sort(got, axis=None), x.ravel()) and np.array_equal(got[:, 0], x[..., ::3]):
        hint = "yours are interleaved: head 0 has columns 0, 3, ..., it should have columns 0 and 1"
    elif np.array_equal(got, blocks[:, ::-1]):
        hint = "the heads come in reverse order"
    else:
        hint = "head 0 should have columns 0 and 1 of every word, in the order of the words"
    report.expect(np.array_equal(got, blocks), "each head holds its block of columns", hint, stop=True)
    heads = np.arange(60.0).reshape(2, 3, 5, 2)
    merged = report.array(report.call(merge_heads, heads), (2, 5, 6), "f", "merge_heads of (2, 3, 5, 2)")
    hint = "columns 0 and 1 are head 0"
    if np.array_equal(merged, heads.reshape(2, 5, 6)):
        hint = "reshape alone mixes words: first bring the axis of the heads after that of the words"
    elif np.array_equal(merged, heads.transpose(0, 2, 3, 1).reshape(2, 5, 6)):
        hint = "yours are interleaved: the columns of one head belong together"
    want = np.concatenate([heads[:, 0], heads[:, 1], heads[:, 2]], axis=-1)
    report.expect(np.array_equal(merged, want), "merging lays the heads side by side", hint)
    try:
        split_heads(x, 4)
        raised = "nothing"
    except Exception as error:
        raised = "ValueError" if isinstance(error, ValueError) else type(error).__name__
    report.expect(raised == "ValueError", "4 heads and a width of 6 raise a ValueError", f"yours raised {raised}")


def _log_ratio(got, want):
    """Return the factor between the scores of two arrays of weights; None if there is no single one."""
    a, b = (np.log(np.clip(w, 1e-30, None)) for w in (got, want))
    a, b = a - a.mean(axis=-1, keepdims=True), b - b.mean(axis=-1, keepdims=True)
    factor = (a * b).sum() / (b * b).sum()
    return factor if np.allclose(a, factor * b, atol=1e-3) else None


def _weights_hint(got, query, value, key, weights, heads, want):
    """Recognise the usual mistakes in weights without a mask."""
    width, factor = query.shape[-1], _log_ratio(got, want)
    if factor is not None and np.isclose(factor, heads**-0.5, rtol=1e-3):
        return "the scale is too strong: the root of d_model instead of that of K, the width of a head"
    if factor is not None and np.isclose(factor, (width / heads) ** 0.5, rtol=1e-3):
        return "the scale is missing: divide the scores by the root of K"
    if factor is not None:
        return f"the scale is off: your scores are {factor:.2f} times the right ones"
    if np.allclose(got.sum(axis=-2), 1):
        return "columns sum to 1, rows should: softmax over the queries instead of the keys"
    if not np.allclose(got.sum(axis=-1), 1):
        return "rows do not sum to 1: return the weights, after the softmax, not the scores"
    if np.allclose(got, got[:, :1]):
        return "all heads have the same weights: they were averaged, or use the same columns"
    bare = {n: w if n[0] == "w" else 0 * w for n, w in weights.items()}
    if np.allclose(got, _by_keras(query, key, key, bare, heads)[1], atol=1e-5):
        return "the biases b_q and b_k are missing"
    if np.allclose(got, _by_keras(query, key, value, weights, heads)[1], atol=1e-5):
        return "value and key are exchanged: value comes before key"
    return "head h works on columns h*K to (h+1)*K of the projected query and key; check split, w_q and w_k"


def _by_keras(query, value, key, weights, heads, mask=None):
    """Let the Keras layer compute output and weights."""
    width = query.shape[-1]
    layer = keras.layers.MultiHeadAttention(num_heads=heads, key_dim=width // heads, dtype="float64")
    layer.build((1, 1, width), (1, 1, width))
    layer.set_weights([np.reshape(weights[n], w.shape) for n, w in zip(_NAMES, layer.get_weights(), strict=True)])
    return [np.asarray(a) for a in layer(query, value, key, attention_mask=mask, return_attention_scores=True)]


@self_check("multi_head_attention")
def check_multi_head_attention(report, multi_head_attention):
    """Check weights, output and masks against the Keras layer, and the empty row against our contract."""
    rng = np.random.default_rng(7)
    B, T, S, D, H = 2, 4, 5, 6, 3
    weights = {n: 0.5 * rng.normal(size=(D, D) if n[0] == "w" else D) for n in _NAMES}
    query, value, key = (rng.normal(size=s) for s in ((B, T, D), (B, S, D), (B, S, D)))

    def named(*arguments):
        try:
            return multi_head_attention(*arguments)
        except NotImplementedError as error:
            _, *frames = traceback.extract_tb(error.__traceback__)
            if len(frames) > 1:  # not the student's function itself but one it calls
                raise RuntimeError(f"{frames[-1].name}, which it calls, is not written yet") from None
            raise

    result = report.call(named, query, value, key, weights, H)
    hint = "separate them by a comma after return"
    report.expect(isinstance(result, tuple | list) and len(result) == 2, "it returns output and attention", hint, True)
    want, wanted = _by_keras(query, value, key, weights, H)
    got = report.array(result[1], (B, H, T, S), "f", "attention")
    hint = "" if np.allclose(got, wanted, atol=1e-5) else _weights_hint(got, query, value, key, weights, H, wanted)
    report.expect(not hint, "the weights are those of Keras", hint, stop=True)
    output = report.array(result[0], (B, T, D), "f", "the output")
    merged = np.linalg.solve(weights["w_o"].T, (want - weights["b_o"]).reshape(-1, D).T).T.reshape(want.shape)
    interleaved = merged.reshape(B, T, H, D // H).swapaxes(-2, -1).reshape(B, T, D)
    averaged = wanted.mean(axis=1) @ (value @ weights["w_v"] + weights["b_v"])
    hint = "each head multiplies its weights with its own values; merge, then w_o and b_o"
    if np.allclose(output, merged, atol=1e-5):
        hint = "the output projection w_o (and b_o) is missing"
    elif np.allclose(output, want - weights["b_o"], atol=1e-5):
        hint = "the bias b_o is missing"
    elif np.allclose(output, averaged @ weights["w_o"] + weights["b_o"], atol=1e-5):
        hint = "the heads are averaged"
    elif np.allclose(output, interleaved @ weights["w_o"] + weights["b_o"], atol=1e-5):
        hint = "heads were merged interleaved: those of one head belong side by side"
    elif np.allclose(output, _by_keras(query, key, key, weights, H)[0], atol=1e-5):
        hint = "the key was used as value"
    report.expect(np.allclose(output, want, atol=1e-5), "the output is that of Keras", hint, stop=True)
    for shape in ((T, S), (B, 1, S), (B, T, S), (B, 1, T, S), (B, H, T, S)):
        mask = rng.random(shape) < 0.5
        mask[..., 1], mask[..., 3] = True, False
        full = np.broadcast_to(mask[:, None] if mask.ndim == 3 else mask, (B, H, T, S))
        try:
            got = np.asarray(multi_head_attention(query, value, key, weights, H, mask)[1])
        except Exception as error:
            hint = f"it raised {type(error).__name__}; a mask of three axes lacks the axis of the heads, after B"
            report.expect(False, f"a mask of shape {shape} works", hint, stop=True)
        hint = "which axis is which? The last is S; a mask of three axes lacks the axis of the heads, after B"
        if got.shape == full.shape and np.allclose(got[full], 0):
            hint = "inverted: True means may attend"
        elif np.allclose(got, wanted):
            hint = "the mask has no effect"
        elif not np.allclose(got.sum(axis=-1), 1):
            hint = "rows no longer sum to 1: mask the scores before the softmax"
        masked = _by_keras(query, value, key, weights, H, full)[1]
        right = got.shape == full.shape and np.allclose(got, masked, atol=1e-5)
        report.expect(right, f"a mask of shape {shape} is right", hint, stop=True)
    mask = np.ones((B, T, S), dtype=bool)
    mask[1, 2] = False
    output, got = (np.asarray(a) for a in multi_head_attention(query, value, key, weights, H, mask))
    nan = "nan: a row of -inf divides zero by zero; given_masked_softmax returns zeros for such a row"
    hint = nan if np.isnan(got).any() else "an empty row has weights, it should have none"
    report.expect(np.all(got[1, :, 2] == 0), "an empty row has zero weights", hint)
    hint = "with zero weights the merged heads are zero, and only the bias b_o remains"
    report.expect(np.allclose(output[1, 2], weights["b_o"]), "the output of an empty row is b_o", hint)
