"""The self-checks of notebook 3 pass right answers and name wrong ones."""

import numpy as np
import pytest
from helpers.checks_dot_product import check_causal_mask, check_scaled_dot_product_attention, check_similarity
from helpers.checks_keras_attention import check_attention_jacobian, check_keras_attention, check_window_mask


def softmax(scores, mask=None):
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    top = np.where(allowed, scores, -np.inf).max(axis=-1, keepdims=True)
    e = np.where(allowed, np.exp(np.where(allowed, scores - np.where(np.isfinite(top), top, 0), 0)), 0)
    return e / np.where(e.sum(axis=-1, keepdims=True) > 0, e.sum(axis=-1, keepdims=True), 1)


def similarity(query, key, kind="dot", power=0.5):
    if kind not in ("dot", "cosine", "scaled_dot"):
        raise ValueError(kind)
    scores = query @ np.swapaxes(key, -2, -1)
    if kind == "scaled_dot":
        return scores / query.shape[-1] ** power
    if kind == "cosine":
        lengths = np.linalg.norm(query, axis=-1)[..., :, None] * np.linalg.norm(key, axis=-1)[..., None, :]
        return np.where(lengths > 0, scores / np.where(lengths > 0, lengths, 1), 0)
    return scores


def attention(query, value, key, mask=None, power=0.5):
    weights = softmax(query @ np.swapaxes(key, -2, -1) / query.shape[-1] ** power, mask)
    return weights @ value, weights


def combine(*masks):
    masks = [m for m in masks if m is not None]
    return np.logical_and.reduce(np.broadcast_arrays(*masks))


def triangle(length):
    return np.tri(length, dtype=bool)


def padding(ids, pad_id=0):
    return (ids != pad_id)[:, None]


def layer(
    query, value, key=None, scale=None, score_mode="dot", concat_weight=None, query_mask=None, value_mask=None,
    use_causal_mask=False, outside=False,
):  # fmt: skip
    key = value if key is None else key
    factor = 1.0 if scale is None else scale
    if score_mode == "dot":
        scores = factor * (query @ np.swapaxes(key, -2, -1))
    else:
        pairs = query[:, :, None] + key[:, None]
        summed = factor * np.tanh(pairs).sum(-1) if outside else np.tanh(factor * pairs).sum(-1)
        scores = summed * (1.0 if concat_weight is None else concat_weight)
    mask = np.ones(scores.shape, dtype=bool) if value_mask is None else value_mask[:, None]
    weights = softmax(scores, mask & np.tri(*scores.shape[1:], dtype=bool) if use_causal_mask else mask)
    output = weights @ value
    return output if query_mask is None else np.where(query_mask[..., None], output, 0), weights


def window(T, S, radius):
    return np.abs(np.arange(T)[:, None] - np.arange(S)) <= radius


def hard(scores, value):
    return value[scores.argmax(axis=-1)]


def jacobian(query, key, value, centre=True):
    weights = softmax(key @ query / np.sqrt(len(query)))
    return (value * weights[:, None]).T @ (key - centre * (weights @ key)) / np.sqrt(len(query))


RIGHT = [
    (check_similarity, (similarity,)),
    (check_scaled_dot_product_attention, (attention,)),
    (check_causal_mask, (triangle, padding, combine)),
    (check_keras_attention, (layer,)),
    (check_window_mask, (window, hard)),
    (check_attention_jacobian, (jacobian,)),
]


@pytest.mark.parametrize(("check", "functions"), RIGHT)
def test_right_answers_pass(capsys, check, functions):
    assert check(*functions) is None
    printed = capsys.readouterr().out
    assert "--" not in printed
    assert "all of these hold" in printed


@pytest.mark.parametrize(("check", "functions"), RIGHT)
def test_float32_passes_as_well(capsys, check, functions):
    def small(function):
        def run(*args, **kwargs):
            result = function(*args, **kwargs)
            parts = [np.asarray(p) for p in (result if isinstance(result, tuple) else (result,))]
            parts = [p.astype("float32") if p.dtype.kind == "f" else p for p in parts]
            return tuple(parts) if isinstance(result, tuple) else parts[0]

        return run

    check(*[small(f) for f in functions])
    assert "--" not in capsys.readouterr().out


@pytest.mark.parametrize(("check", "functions"), RIGHT)
def test_unwritten_answers_are_told(capsys, check, functions):
    def unwritten(*args, **kwargs):
        raise NotImplementedError

    check(*[unwritten] * len(functions))
    assert capsys.readouterr().out.strip().endswith("not written yet")


WRONG = [
    (check_similarity, (lambda *a: similarity(*a, power=1.0),), "the square root is missing"),
    (check_similarity, (lambda *a: (np.abs if a[2:] == ("cosine",) else np.asarray)(similarity(*a)),), "sign got lost"),
    (check_scaled_dot_product_attention, (lambda *a: attention(*a, power=0.0),), "the scale is missing"),
    (check_scaled_dot_product_attention, (lambda q, v, k, mask=None: attention(q, v, k),), "no effect"),
    (check_causal_mask, (lambda n: triangle(n).T, padding, combine), "transposed"),
    (check_causal_mask, (triangle, lambda ids, pad_id=0: ~padding(ids, pad_id), combine), "inverted"),
    (check_causal_mask, (triangle, padding, lambda a, *b: a), "--"),
    (check_keras_attention, (lambda *a, **k: layer(*a, **k, outside=True),), "inside the tanh"),
    (check_window_mask, (lambda T, S, radius: window(T, S, radius - 1), hard), "off by one"),
    (check_window_mask, (window, lambda s, v: softmax(s) @ v), "soft mixture"),
    (check_attention_jacobian, (lambda *a: jacobian(*a, centre=False),), "mean term is missing"),
    (check_attention_jacobian, (lambda *a: jacobian(*a).T,), "transposed"),
]


@pytest.mark.parametrize(("check", "functions", "word"), WRONG)
def test_wrong_answers_are_named(capsys, check, functions, word):
    check(*functions)
    assert word in capsys.readouterr().out
