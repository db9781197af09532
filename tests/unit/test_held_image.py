"""The numbers that the self-checks of notebook 9 hold, made anew: by the right answers, and by each mistake."""

import ast
import contextlib
import inspect
import io

import numpy as np
from helpers import checks_image_glimpses, checks_image_patches, checks_image_transformer, scenes, vision_models

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


def between(table, places):
    """Return the entries of a table at places between its rows; further out the line goes on."""
    first = np.clip(np.floor(places).astype(int), 0, len(table) - 2)
    return table[first] + (places - first)[:, None] * (table[first + 1] - table[first])


def resized():
    """Return what known mistakes make of the two rows of cells, by how many cells they become."""
    forms = {
        "this puts the outermost centres on the corners; a centre lies half a cell inside the picture": (
            lambda table, old, new, centres: between(table, np.linspace(0, old - 1, new))
        ),
        "this copies the nearest position; interpolate between two": (
            lambda table, old, new, centres: table[np.floor(centres + 0.5).astype(int)]
        ),
        "beyond the last centre the border is repeated; yours goes on along the line": (
            lambda table, old, new, centres: between(table, centres)
        ),
        "beyond the outermost centres your values fade towards 0; the shares of a new cell sum to 1 there, too": (
            lambda table, old, new, centres: between(np.pad(table, ((1, 1), (0, 0))), centres + 1)
        ),
        "yours starts at the cell's edge, not at its centre: add 0.5 before and subtract it after": (
            lambda table, old, new, centres: between(table, np.minimum(np.arange(new) * old / new, old - 1))
        ),
    }
    made = {}
    for text, form in forms.items():
        rows = zip(map(np.array, checks_image_patches._ROWS_OF_CELLS), (4, 5), strict=True)
        made[text] = {
            new: form(table, len(table), new, (np.arange(new) + 0.5) * len(table) / new - 0.5) for table, new in rows
        }
    return made


def test_positions_that_mistakes_bring_to_another_grid():
    held, made = checks_image_patches._RESIZED, resized()
    assert list(held) == list(made)
    for text, by_cells in made.items():
        assert list(held[text]) == list(by_cells)
        for table, (new, numbers) in zip(checks_image_patches._ROWS_OF_CELLS, by_cells.items(), strict=True):
            assert same(held[text][new], numbers), text
            right = answers("09")["resize_positions"](np.array(table), (1, len(table)), (1, new))
            assert apart(numbers, right), text


def test_the_lesson_cuts_its_own_pictures_as_a_student_would():
    images = scenes.make_labelled(3, seed=5)["images"]
    wanted = answers("09")["patchify"](images, scenes.PATCH)
    assert same(vision_models.as_patches(images), wanted)
    assert same(vision_models.as_patches(images, answers("09")["patchify"]), wanted)


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
