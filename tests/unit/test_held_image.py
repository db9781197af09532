"""The numbers that the self-checks of notebook 9 hold, made anew: by the right answers, and by each mistake."""

import ast
import contextlib
import inspect
import io

import numpy as np
from helpers import checks_image_glimpses, checks_image_transformer

from tests.unit.held import answers, apart, same


def mix(attention):
    mixed = attention + np.eye(attention.shape[-1])
    return mixed / mixed.sum(-1, keepdims=True)


def one_layer(layers):
    """Return what known mistakes make of the first picture's first layer, in the order of the table."""
    first = layers[0][0]
    mean = first.mean(axis=0)
    return (mean, mix(first.max(axis=0)), mean + np.eye(3), mix(first.sum(axis=0)), mix(first[0]))


def three_layers(layers):
    """Return what known mistakes make of the first picture's three layers, in the order of the table."""
    first, second, third = (layer[0] for layer in layers)
    a, b, c = (layer.mean(axis=0) for layer in (first, second, third))
    heads = np.mean([mix(third[h]) @ mix(second[h]) @ mix(first[h]) for h in range(4)], axis=0)
    return (
        heads,
        mix(a) @ mix(b) @ mix(c),
        c @ b @ mix(a),
        mix(a) * mix(b) * mix(c),
        (mix(a) + mix(b) + mix(c)) / 3,
        mix(c),
        mix(a),
    )


#: What is missing (below 0) or too much in a count, in the order of the table.
COUNTS = (
    lambda i, p, c, n, d, f, k: -d,
    lambda i, p, c, n, d, f, k: -2 * d,
    lambda i, p, c, n, d, f, k: -((i // p) ** 2) * d,
    lambda i, p, c, n, d, f, k: -((i // p) ** 2 + 1) * d,
    lambda i, p, c, n, d, f, k: (i // p - (i // p) ** 2) * d,
    lambda i, p, c, n, d, f, k: 2 * (i // p) * d,
    lambda i, p, c, n, d, f, k: -(2 * n + 1) * d,
    lambda i, p, c, n, d, f, k: -(2 * n + 1) * 2 * (d - 1),
    lambda i, p, c, n, d, f, k: -(4 * n + 2) * d,
    lambda i, p, c, n, d, f, k: -2 * n * d,
    lambda i, p, c, n, d, f, k: -4 * n * d,
    lambda i, p, c, n, d, f, k: -n * (d * d + d),
    lambda i, p, c, n, d, f, k: -n * (f + d),
    lambda i, p, c, n, d, f, k: n * (f - d),
    lambda i, p, c, n, d, f, k: n * (2 * d + 1) * (4 * d - f),
    lambda i, p, c, n, d, f, k: -k,
    lambda i, p, c, n, d, f, k: (i // p) ** 2 * d * k,
    lambda i, p, c, n, d, f, k: -p * p * (c - 1) * d,
    lambda i, p, c, n, d, f, k: (1 - n) * (4 * (d * d + d) + 2 * d * f + f + 5 * d),
)


def test_rollouts_of_mistakes():
    roll, layers = answers("09")["attention_rollout"], checks_image_transformer._LAYERS
    for held, made, wanted in (
        (checks_image_transformer._ONE_LAYER, one_layer(layers), roll(layers[:1])),
        (checks_image_transformer._THREE_LAYERS, three_layers(layers), roll(layers)),
    ):
        right, *mistakes = held.values()
        assert same(right, wanted), wanted
        for rows, numbers in zip(mistakes, made, strict=True):
            assert same(rows, numbers), numbers
            assert apart(numbers, wanted[0])


def test_rollout_of_rows_that_sum_to_a_half():
    wanted = answers("09")["attention_rollout"]([0.5 * checks_image_transformer._LAYERS[0]])
    assert same(checks_image_transformer._HALVED, wanted), wanted


def test_counts_of_mistakes():
    held = checks_image_transformer._SLIPS.values()
    cases = checks_image_transformer._TWO_SIZES
    assert [list(row) for row in held] == [[form(*sizes) for sizes in cases] for form in COUNTS]
    wholes = [answers("09")["vit_parameter_count"](*sizes) for sizes in cases]
    assert list(checks_image_transformer._WHOLES) == wholes


def test_numbers_of_attention_over_a_grid():
    seen, right = [], answers("09")["spatial_attention"]

    def attend(*args):
        seen.append((args, right(*args)))
        return seen[-1][1]

    with contextlib.redirect_stdout(io.StringIO()):
        assert not checks_image_glimpses.check_spatial_attention.report(attend).failed
    context, weights = seen[0][1]
    state, grid, w_state, w_grid, v = seen[0][0]
    scores = np.tanh((state @ w_state)[:, None, None] + grid @ w_grid) @ v
    text = inspect.getsource(checks_image_glimpses.check_spatial_attention)
    numbers = [one.value for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Constant)]
    for number in (*weights.ravel(), *np.abs(context).ravel(), *np.exp(scores).sum((1, 2))):
        assert float(f"{number:.6g}") in numbers
