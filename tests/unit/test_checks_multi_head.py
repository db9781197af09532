"""Each self-check of notebook 4 passes a right answer and names the usual mistakes."""

import keras
import numpy as np
import pytest
from helpers.checks_head_count import check_mha_parameter_count
from helpers.checks_head_tests import check_is_permutation_equivariant
from helpers.checks_multi_head import check_multi_head_attention
from helpers.checks_split_heads import check_split_heads
from helpers.checks_two_heads import check_convolution_as_attention, check_previous_token_head


def split_heads(x, num_heads):
    B, T, D = x.shape
    if D % num_heads:
        raise ValueError(num_heads)
    return x.reshape(B, T, num_heads, -1).swapaxes(1, 2)


def merge_heads(x):
    B, H, T, K = x.shape
    return x.swapaxes(1, 2).reshape(B, T, H * K)


def softmax(scores, mask):
    allowed = np.broadcast_to(True if mask is None else mask, scores.shape)
    e = np.where(allowed, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0)
    total = e.sum(axis=-1, keepdims=True)
    return e / np.where(total == 0, 1, total)


def attend(query, value, key, weights, num_heads, mask=None, scale=None, project=True, invert=False, nan=False):
    def heads(x, name):
        return split_heads(x @ weights["w_" + name] + weights["b_" + name], num_heads)

    q, k, v = heads(query, "q"), heads(key, "k"), heads(value, "v")
    if mask is not None:
        mask = mask[:, None] if mask.ndim == 3 else mask
        mask = ~mask if invert else mask
    attention = softmax(q @ k.swapaxes(-2, -1) / np.sqrt(scale or q.shape[-1]), mask)
    if nan:
        attention = np.where(attention.sum(axis=-1, keepdims=True) == 0, np.nan, attention)
    merged = merge_heads(attention @ v)
    return (merged @ weights["w_o"] + weights["b_o"] if project else merged), attention


def count(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, value_dim, use_bias=use_bias)
    layer.build((1, 1, d_model), (1, 1, d_model))
    return layer.count_params()


def equivariant(f, x, rng, trials=10, tolerance=1e-3, expect=lambda y, order: y[order]):
    for _ in range(trials):
        order = rng.permutation(len(x))
        if np.abs(f(x[order]) - expect(f(x), order)).max() > tolerance:
            return False
    return True


def any_trial(f, x, rng):
    return any(equivariant(f, x, rng, trials=1) for _ in range(10))


def shuffle(x, rng):
    rng.shuffle(x)
    return x


def previous(length, depth, k=-1, size=30.0):
    return size * np.sqrt(depth) * np.eye(depth, k=k), np.eye(depth), np.eye(length, depth)


def convolve(x, kernel, front=None, step=1):
    W = len(kernel)
    front = (W - 1) // 2 if front is None else front(W)
    return sum(np.eye(len(x), k=w - front) @ x @ kernel[::step][w] for w in range(W))


def from_the_end(x, kernel):
    T, W = len(x), len(kernel)
    taps = [[i + w - (W - 1) // 2 for w in range(W)] for i in range(T)]
    return np.array([sum(x[j] @ kernel[w] for w, j in enumerate(row) if j < T) for row in taps])


RIGHT = [
    (check_split_heads, (split_heads, merge_heads)),
    (check_multi_head_attention, (attend,)),
    (check_mha_parameter_count, (count,)),
    (check_is_permutation_equivariant, (equivariant,)),
    (check_previous_token_head, (previous,)),
    (check_convolution_as_attention, (convolve,)),
]


@pytest.mark.parametrize(("check", "functions"), RIGHT)
def test_right_answers_pass(check, functions, capsys):
    check(*functions)
    out = capsys.readouterr().out
    assert "--" not in out
    assert "all of these hold" in out


@pytest.mark.parametrize(("check", "functions"), RIGHT)
def test_unwritten_answers_say_so(check, functions, capsys):
    def unwritten(*args, **kwargs):
        raise NotImplementedError

    check(*(unwritten for _ in functions))
    assert capsys.readouterr().out.strip().endswith("not written yet")


@pytest.mark.parametrize(
    ("check", "functions", "word"),
    [
        (check_split_heads, (lambda x, h: x.reshape(len(x), h, x.shape[1], -1), merge_heads), "reshape alone"),
        (check_split_heads, (split_heads, lambda x: x.reshape(len(x), x.shape[2], -1)), "reshape alone"),
        (check_split_heads, (lambda x, h: split_heads(x[..., : x.shape[-1] // h * h], h), merge_heads), "ValueError"),
        (check_multi_head_attention, (lambda *a: attend(*a, scale=6),), "root of d_model"),
        (check_multi_head_attention, (lambda *a: attend(*a, scale=1),), "scale is missing"),
        (check_multi_head_attention, (lambda *a: attend(*a, project=False),), "output projection"),
        (check_multi_head_attention, (lambda *a: attend(*a, invert=True),), "inverted"),
        (check_multi_head_attention, (lambda *a: attend(*a, nan=True),), "nan"),
        (check_multi_head_attention, (lambda q, v, k, w, h, m=None: attend(q, v, k, w, h),), "no effect"),
        (check_multi_head_attention, (lambda q, v, k, *a: attend(q, k, v, *a),), "value comes before key"),
        (check_mha_parameter_count, (lambda d, h, k, **options: count(d, 1, k, **options),), "per head"),
        (check_mha_parameter_count, (lambda *a, value_dim=None, use_bias=True: count(*a, value_dim),), "use_bias"),
        (check_is_permutation_equivariant, (lambda *a: equivariant(*a, expect=lambda y, o: y),), "invariance"),
        (check_is_permutation_equivariant, (lambda *a: equivariant(*a, tolerance=0),), "too strict"),
        (check_is_permutation_equivariant, (lambda *a: equivariant(*a, tolerance=0.1),), "too lenient"),
        (check_is_permutation_equivariant, (lambda f, x, rng: True,), "identity"),
        (check_is_permutation_equivariant, (lambda f, x, rng: equivariant(f, x, rng, trials=1),), "all trials"),
        (check_is_permutation_equivariant, (any_trial,), "refutes"),
        (check_is_permutation_equivariant, (lambda f, x, rng: equivariant(f, shuffle(x, rng), rng),), "x[order]"),
        (check_previous_token_head, (lambda n, d: previous(n, d, k=1),), "next position"),
        (check_previous_token_head, (lambda n, d: previous(n, d, k=0),), "itself"),
        (check_previous_token_head, (lambda n, d: previous(n, d, size=1.0),), "too weak"),
        (check_convolution_as_attention, (lambda x, k: convolve(x, k, step=-1),), "flipped"),
        (check_convolution_as_attention, (lambda x, k: convolve(x, k, front=lambda w: w - 1),), "causal"),
        (check_convolution_as_attention, (from_the_end,), "negative index"),
        (check_convolution_as_attention, (lambda x, k: convolve(x, k, front=lambda w: w // 2),), "even"),
    ],
)
def test_usual_mistakes_are_named(check, functions, word, capsys):
    check(*functions)
    lines = [line for line in capsys.readouterr().out.splitlines() if not line.startswith("ok")]
    assert word in "\n".join(lines)
    assert "all of these hold" not in "\n".join(lines)


def test_an_unwritten_function_that_the_layer_calls_is_named(capsys):
    def split_heads_to_come(x):
        raise NotImplementedError

    check_multi_head_attention(lambda *arguments: split_heads_to_come(arguments[0]))
    assert "split_heads_to_come, which it calls, is not written yet" in capsys.readouterr().out


def test_a_subclass_of_the_error_that_is_asked_for_is_that_error(capsys):
    class DoesNotDivide(ValueError):
        pass

    def split(x, num_heads):
        if x.shape[-1] % num_heads:
            raise DoesNotDivide(num_heads)
        return split_heads(x, num_heads)

    check_split_heads(split, merge_heads)
    assert "--" not in capsys.readouterr().out
