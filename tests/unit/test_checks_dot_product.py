"""The self-checks of notebook 3 pass right answers and name wrong ones."""

import numpy as np
import pytest
from helpers.checks_dot_product import check_similarity
from helpers.checks_jacobian import check_attention_jacobian
from helpers.checks_keras_attention import check_keras_attention
from helpers.checks_mask_makers import check_causal_mask, check_window_mask
from helpers.checks_scaled import check_scaled_dot_product_attention


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
    return np.logical_and.reduce(np.broadcast_arrays(*masks)) if masks else None


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


def jacobian(query, key, value, centre=True, inside=0.5, mean=None):
    weights = softmax(key @ query / len(query) ** inside)
    means = weights if mean is None else mean(weights)
    return (value * weights[:, None]).T @ (key - centre * (means @ key)) / np.sqrt(len(query))


def resized(query, key, value, size):
    """Return the Jacobian of an attention that divides by the root of another size, in its weights as well."""
    factor = (len(query) / size) ** 0.5
    return jacobian(factor * query, key, value) * factor


def mean_concat(query, value, key=None, scale=None, score_mode="dot", concat_weight=None, **masks):
    weight = 1.0 if concat_weight is None else concat_weight
    return layer(query, value, key, scale, score_mode, weight / query.shape[-1], **masks)


def square_causal(query, value, key=None, *options, value_mask=None, use_causal_mask=False, **masks):
    scores = query @ np.swapaxes(value if key is None else key, -2, -1)
    if use_causal_mask:
        scores = scores + triangle(query.shape[1])
    return layer(query, value, key, *options, value_mask=value_mask, use_causal_mask=use_causal_mask, **masks)


def weighted_dot(query, value, key=None, scale=None, score_mode="dot", concat_weight=None, **masks):
    factor = 1.0 if scale is None else scale
    if score_mode == "dot" and concat_weight is not None:
        factor *= concat_weight
    return layer(query, value, key, factor, score_mode, concat_weight, **masks)


def truth_of_masks(*masks):
    return combine(*[mask for mask in masks if mask])


def changing_scaled(query, value, key, mask=None):
    query /= np.sqrt(query.shape[-1])
    return attention(query, value, key, mask, power=0.0)


def unwritten(*args, **kwargs):
    raise NotImplementedError


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
            if (result := function(*args, **kwargs)) is None:
                return None
            parts = [np.asarray(p) for p in (result if isinstance(result, tuple) else (result,))]
            parts = [p.astype("float32") if p.dtype.kind == "f" else p for p in parts]
            return tuple(parts) if isinstance(result, tuple) else parts[0]

        return run

    check(*[small(f) for f in functions])
    assert "--" not in capsys.readouterr().out


@pytest.mark.parametrize(("check", "functions"), RIGHT)
def test_unwritten_answers_are_told(capsys, check, functions):
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
    (check_attention_jacobian, (lambda *a: jacobian(*a, inside=0),), "missing inside the softmax"),
    (check_attention_jacobian, (lambda *a: jacobian(*a, mean=lambda w: np.ones_like(w) / len(w)),), "not weighted"),
    (check_attention_jacobian, (lambda q, k, v: jacobian(0 * q, k, v),), "the query has no influence"),
    (check_attention_jacobian, (lambda q, k, v: resized(q, k, v, v.shape[1]),), "the width of the values"),
    (check_attention_jacobian, (lambda q, k, v: resized(q, k, v, len(k)),), "the root of the number of keys"),
    (check_attention_jacobian, (lambda q, k, v: resized(q, k, v, len(q) ** 2),), "the square root is missing"),
    (check_keras_attention, (mean_concat,), "a mean over the width, not a sum"),
    (check_keras_attention, (square_causal,), "T rows and S columns"),
    (check_scaled_dot_product_attention, (lambda q, k, v, mask=None: attention(q, v, k),), "query, value, key. The"),
    (check_keras_attention, (lambda q, k, v=None, **o: layer(q, v, k, **o),), "query, value, key. The"),
    (check_causal_mask, (triangle, unwritten, combine), "padding_mask: not written yet"),
    (check_causal_mask, (triangle, padding, unwritten), "combine_masks: not written yet"),
    (check_causal_mask, (lambda n: np.tri(n, k=-1, dtype=bool), padding, combine), "the diagonal is lost"),
    (check_causal_mask, (triangle, padding, lambda *m: combine(True, *m)), "return None if all"),
    (check_window_mask, (window, unwritten), "hard_attention: not written yet"),
    (check_window_mask, (lambda T, S, r: np.arange(T)[:, None] - np.arange(S) <= r, hard), "all later keys"),
    (check_window_mask, (lambda T, S, r: np.arange(S) - np.arange(T)[:, None] <= r, hard), "all earlier keys"),
    (check_window_mask, (window, lambda s, v: s.max(-1)[:, None] * hard(s, v)), "do not multiply"),
    (check_keras_attention, (weighted_dot,), "dot scores ignore concat_weight. Hint: yours are multiplied by it"),
    (check_causal_mask, (triangle, padding, truth_of_masks), "`mask is not None` asks"),
]


def remarks(printed):
    """Return the lines that object; a word in a line that says "ok" recognises nothing."""
    return "\n".join(line for line in printed.splitlines() if not line.startswith("ok"))


@pytest.mark.parametrize(("check", "functions", "word"), WRONG)
def test_wrong_answers_are_named(capsys, check, functions, word):
    check(*functions)
    printed = capsys.readouterr().out
    assert word in remarks(printed)
    assert printed.count("--  ") == (0 if "not written" in word else 1)  # one mistake, one finding


def test_a_changed_input_is_the_only_finding(capsys):
    check_scaled_dot_product_attention(changing_scaled)
    printed = remarks(capsys.readouterr().out).splitlines()
    name = "scaled_dot_product_attention"
    assert printed == [f"--  {name}: the inputs are unchanged. Hint: work on a copy: x = x.copy()"]


@pytest.mark.parametrize(
    ("check", "functions", "words"),
    [
        (
            check_causal_mask,
            (triangle, lambda ids, pad_id=0: ids != pad_id, np.logical_or),
            ["(B, 1, S)", "that is OR"],
        ),
        (check_causal_mask, (np.tri, unwritten, np.logical_or), ["True and False", "that is OR"]),
        (check_window_mask, (lambda *a: ~window(*a), lambda s, v: softmax(s) @ v), ["inverted", "soft mixture"]),
    ],
)
def test_a_wrong_function_hides_no_mistake_of_the_others(capsys, check, functions, words):
    check(*functions)
    found = [line for line in remarks(capsys.readouterr().out).splitlines() if line.startswith("--")]
    assert len(found) == len(words)
    assert all(word in line for word, line in zip(words, found, strict=True))
