"""Scaled dot-product attention as a diagram: each array drawn in its shape, each step between two of them."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.drawing import draw_arrow, draw_matrix, draw_shape, draw_text, make_canvas
from helpers.plots import INK, PAPER, QUIET, ROLES, ink_on, show

_CELL = 0.5
_QUERIES, _KEYS, _WIDTH, _VALUE_WIDTH = 3, 4, 2, 2  # T, S, K, V: T differs from all others, so each shape is seen
# Taken in order: "query" and the others are labels of this picture, in words that a translation changes.
_AS_QUERY, _AS_KEY, _AS_VALUE, _AS_WEIGHTS = list(ROLES.values())[2:]


def _cells(ax, left, numbers, forbidden=None, heat=False):
    """Draw an array of scores or weights with its numbers, forbidden cells hatched; give its right edge."""
    high = len(numbers) * _CELL
    for i, j in np.ndindex(*numbers.shape):
        corner = (left + j * _CELL, high / 2 - (i + 1) * _CELL)
        out = forbidden is not None and forbidden[i, j]
        colour = plt.get_cmap("viridis")(numbers[i, j]) if heat else PAPER
        ax.add_patch(plt.Rectangle(corner, _CELL, _CELL, fc="#E6E6E6" if out and not heat else colour, ec=QUIET, lw=0.8,
                                   hatch="////" if out and not heat else None, zorder=3))  # fmt: skip
        if not out or heat:
            draw_text(ax, corner[0] + _CELL / 2, corner[1] + _CELL / 2, f"{numbers[i, j]:.1f}", size=7,
                      colour=ink_on(colour) if heat else INK)  # fmt: skip
    right = left + numbers.shape[1] * _CELL
    edge = _AS_WEIGHTS if heat else INK
    ax.add_patch(plt.Rectangle((left, -high / 2), right - left, high, fill=False, ec=edge, lw=1.6, zorder=4))
    return right


def _step(ax, left, text):
    """Draw an arrow with what happens written above it; give its right end."""
    draw_arrow(ax, (left + 0.1, 0), (left + 1.2, 0), width=1.6)
    draw_text(ax, left + 0.62, 0.2, text, size=9, va="bottom")
    return left + 1.3


def _named(ax, left, right, rows, label, shape):
    """Write an array's name above it and its shape below it."""
    draw_text(ax, (left + right) / 2, rows * _CELL / 2 + 0.2, label, size=10, va="bottom")
    draw_shape(ax, (left + right) / 2, -rows * _CELL / 2 - 0.3, shape, ha="center")


def show_scaled_attention():
    """Show the five steps of scaled dot-product attention on an example with T = 3, S = 4, K = 2 and V = 2."""
    rng = np.random.default_rng(14)  # no weight but the masked ones rounds to 0, and rounded ones sum to 1
    query, key = rng.normal(size=(_QUERIES, _WIDTH)), rng.normal(size=(_KEYS, _WIDTH))
    scores = query @ key.T
    scaled = scores / np.sqrt(_WIDTH)
    forbidden = np.tile(np.arange(_KEYS) == _KEYS - 1, (_QUERIES, 1))  # the last key is padding
    weights = np.where(forbidden, 0.0, np.exp(scaled))
    weights /= weights.sum(axis=1, keepdims=True)
    figure, ax = make_canvas(-0.3, 20.4, -1.6, 1.6)
    x = draw_matrix(ax, 0, 0, _QUERIES, [_AS_QUERY] * _WIDTH, _CELL)
    _named(ax, 0, x, _QUERIES, "query", "(T, K)")
    draw_text(ax, x + 0.25, 0, "×", size=12)
    start, x = x + 0.5, draw_matrix(ax, x + 0.5, 0, _WIDTH, [_AS_KEY] * _KEYS, _CELL)
    _named(ax, start, x, _WIDTH, "key, transposed", "(K, S)")
    draw_text(ax, x + 0.3, 0, "=", size=12)
    steps = (
        ("scores", scores, None, False, None),
        ("", scaled, None, False, r"$\div\,\sqrt{K}$"),
        ("", scaled, forbidden, False, "mask"),
        ("weights", weights, forbidden, True, "softmax"),
    )
    for label, numbers, out, heat, step in steps:
        start = _step(ax, x, step) if step else x + 0.6
        x = _cells(ax, start, numbers, out, heat)
        _named(ax, start, x, _QUERIES, label, "(T, S)")
    draw_text(ax, x + 0.25, 0, "×", size=12)
    start, x = x + 0.5, draw_matrix(ax, x + 0.5, 0, _KEYS, [_AS_VALUE] * _VALUE_WIDTH, _CELL)
    _named(ax, start, x, _KEYS, "value", "(S, V)")
    draw_text(ax, x + 0.3, 0, "=", size=12)
    start, x = x + 0.6, draw_matrix(ax, x + 0.6, 0, _QUERIES, ["#B8B8B8"] * _VALUE_WIDTH, _CELL, _AS_VALUE)
    _named(ax, start, x, _QUERIES, "output", "(T, V)")
    ax.set_xlim(-0.3, x + 0.3)
    told = "; ".join(", ".join(f"{w:.1f}" for w in row) for row in weights)
    story = (
        "Diagram of scaled dot-product attention with 3 queries, 4 keys, width 2 and values of width 2. Query (T, K) "
        "times transposed key (K, S) gives scores (T, S). They are divided by the root of K. The mask takes the last "
        f"key out. A softmax of each row gives the weights (T, S): {told}. Weights times value (S, V) give the output "
        "(T, V)."
    )
    show(figure, story)
