"""Scaled dot-product attention as a diagram: each array drawn in its shape, each step between two of them."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.drawing import NOTE, draw_arrow, draw_matrix, draw_text, make_canvas
from helpers.plots import INK, PAPER, QUIET, ROLES, ink_on, show

_CELL = 0.62
_QUERIES, _KEYS, _WIDTH, _VALUE_WIDTH = 3, 4, 2, 2  # T, S, K, V: T differs from all others, so each shape is seen
_SECOND = -3.95  # the middle of the second row
# Taken in order: "query" and the others are labels of this picture, in words that a translation changes.
_AS_QUERY, _AS_KEY, _AS_VALUE, _AS_WEIGHTS = list(ROLES.values())[2:]


def _cells(ax, left, y, numbers, forbidden=None, heat=False):
    """Draw an array of scores or weights with its numbers, forbidden cells hatched; give its right edge."""
    high = len(numbers) * _CELL
    for i, j in np.ndindex(*numbers.shape):
        corner = (left + j * _CELL, y + high / 2 - (i + 1) * _CELL)
        out = forbidden is not None and forbidden[i, j]
        colour = plt.get_cmap("viridis")(numbers[i, j]) if heat else PAPER
        ax.add_patch(plt.Rectangle(corner, _CELL, _CELL, fc="#E6E6E6" if out and not heat else colour, ec=QUIET, lw=0.8,
                                   hatch="////" if out and not heat else None, zorder=3))  # fmt: skip
        if not out or heat:
            draw_text(ax, corner[0] + _CELL / 2, corner[1] + _CELL / 2, f"{numbers[i, j]:.1f}", size=9,
                      colour=ink_on(colour) if heat else INK)  # fmt: skip
    right = left + numbers.shape[1] * _CELL
    edge = _AS_WEIGHTS if heat else INK
    ax.add_patch(plt.Rectangle((left, y - high / 2), right - left, high, fill=False, ec=edge, lw=1.6, zorder=4))
    _named(ax, left, right, y, len(numbers), "weights" if heat else "", "(T, S)")
    return right


def _step(ax, left, y, text):
    """Draw an arrow with what happens written above it; give its right end."""
    draw_arrow(ax, (left + 0.1, y), (left + 1.45, y), width=1.6)
    draw_text(ax, left + 0.74, y + 0.2, text, size=10, va="bottom")
    return left + 1.55


def _next_row(ax, left, right, text):
    """Draw the arrow from the end of the first row to the beginning of the second, with what happens below it."""
    turn = -1.85
    way = ((right + 0.1, 0), (right + 0.5, 0), (right + 0.5, turn), (left - 0.6, turn), (left - 0.6, _SECOND))
    draw_arrow(ax, *way, (left - 0.1, _SECOND), width=1.6)
    draw_text(ax, left - 0.4, turn - 0.2, text, size=10, ha="left", va="top")


def _named(ax, left, right, y, rows, label, shape):
    """Write an array's name above it and its shape below it."""
    draw_text(ax, (left + right) / 2, y + rows * _CELL / 2 + 0.2, label, size=11, va="bottom")
    draw_text(ax, (left + right) / 2, y - rows * _CELL / 2 - 0.32, shape, size=10, colour=NOTE)


def _coloured(ax, left, y, rows, colours, label, shape, edge=None):
    """Draw an array without numbers, with its name and its shape; give its right edge."""
    right = draw_matrix(ax, left, y, rows, colours, _CELL, edge)
    _named(ax, left, right, y, rows, label, shape)
    return right


def show_scaled_attention():
    """Show the five steps of scaled dot-product attention on an example with T = 3, S = 4, K = 2 and V = 2."""
    rng = np.random.default_rng(14)  # no weight but the masked ones rounds to 0, and rounded ones sum to 1
    query, key = rng.normal(size=(_QUERIES, _WIDTH)), rng.normal(size=(_KEYS, _WIDTH))
    scores = query @ key.T
    scaled = scores / np.sqrt(_WIDTH)
    forbidden = np.tile(np.arange(_KEYS) == _KEYS - 1, (_QUERIES, 1))  # the last key is padding
    weights = np.where(forbidden, 0.0, np.exp(scaled))
    weights /= weights.sum(axis=1, keepdims=True)
    figure, ax = make_canvas(-0.3, 12.6, _SECOND - 1.9, 1.65)
    x = _coloured(ax, 0, 0, _QUERIES, [_AS_QUERY] * _WIDTH, "query", "(T, K)")
    draw_text(ax, x + 0.3, 0, "×", size=13)
    x = _coloured(ax, x + 0.6, 0, _WIDTH, [_AS_KEY] * _KEYS, "key, transposed", "(K, S)")
    draw_text(ax, x + 0.35, 0, "=", size=13)
    start, x = x + 0.7, _cells(ax, x + 0.7, 0, scores)
    _named(ax, start, x, 0, _QUERIES, "scores", "")
    end = _cells(ax, _step(ax, x, 0, r"$\div\,\sqrt{K}$"), 0, scaled)
    start = 0.7
    _next_row(ax, start, end, "mask")
    x = _cells(ax, start, _SECOND, scaled, forbidden)
    x = _cells(ax, _step(ax, x, _SECOND, "softmax"), _SECOND, weights, forbidden, heat=True)
    draw_text(ax, x + 0.3, _SECOND, "×", size=13)
    x = _coloured(ax, x + 0.6, _SECOND, _KEYS, [_AS_VALUE] * _VALUE_WIDTH, "value", "(S, V)")
    draw_text(ax, x + 0.35, _SECOND, "=", size=13)
    x = _coloured(ax, x + 0.7, _SECOND, _QUERIES, ["#B8B8B8"] * _VALUE_WIDTH, "output", "(T, V)", _AS_VALUE)
    ax.set_xlim(-0.3, max(end + 0.7, x + 0.3))
    told = "; ".join(", ".join(f"{w:.1f}" for w in row) for row in weights)
    story = (
        "Diagram of scaled dot-product attention with 3 queries, 4 keys, width 2 and values of width 2. Query (T, K) "
        "times transposed key (K, S) gives scores (T, S). They are divided by the root of K. The mask takes the last "
        f"key out. A softmax of each row gives the weights (T, S): {told}. Weights times value (S, V) give the output "
        "(T, V)."
    )
    show(figure, story)
