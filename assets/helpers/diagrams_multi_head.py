"""Pictures of attention with several heads: the whole layer, the split as an index puzzle, rows of weights by head."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, OKABE_ITO, draw_weights, ink_on, show, top_alignments
from matplotlib.patches import FancyArrowPatch

#: One colour a head, the same in every picture of the notebook.
HEAD_COLOURS = (OKABE_ITO[0], OKABE_ITO[1], OKABE_ITO[2], OKABE_ITO[5])
_CELL = 0.25


def _matrix(ax, left, middle, rows, colours, label=""):
    """Draw a matrix as a grid with one colour a column; give its right edge."""
    bottom = middle - rows * _CELL / 2
    for i, j in np.ndindex(rows, len(colours)):
        corner = (left + j * _CELL, bottom + i * _CELL)
        ax.add_patch(plt.Rectangle(corner, _CELL, _CELL, fc=colours[j], ec="white", lw=0.8))
    if label:
        middle = left + len(colours) * _CELL / 2
        ax.text(middle, bottom + rows * _CELL + 0.09, label, ha="center", va="bottom", fontsize=9)
    return left + len(colours) * _CELL


def _link(ax, start, end, colour=INK, bend=0.0):
    """Draw an arrow."""
    ax.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=9, lw=1.1, color=colour,
                                 connectionstyle=f"arc3,rad={bend}", shrinkA=0, shrinkB=0))  # fmt: skip


def show_heads_diagram(words, weights):
    """Show multi-head self-attention as a diagram: project, split, attend, merge, W_O.

    Args:
        words: The `T` words.
        weights: Attention weights `(2, T, T)`, drawn as the heads' maps.
    """
    rows, key_dim, grey = len(words), 3, "#B8B8B8"
    halves = [HEAD_COLOURS[0]] * key_dim + [HEAD_COLOURS[1]] * key_dim
    figure, ax = plt.subplots(figsize=(9.4, 4.2))
    for i, word in enumerate(words):
        ax.text(-0.1, (rows / 2 - i - 0.5) * _CELL, word, ha="right", va="center", fontsize=8)
    right = _matrix(ax, 0, 0, rows, [grey] * 2 * key_dim, "$x$")
    for name, y in (("Q", 1.95), ("K", 0.0), ("V", -1.95)):
        edge = _matrix(ax, 2.55, y, rows, halves, f"${name} = x\\,W_{name} + b_{name}$")
        _link(ax, (right + 0.1, 0.18 * y), (2.45, y))
        for head, side in enumerate((1.95, -1.95)):
            target = (5.25, side + {"Q": 0.35, "K": 0.0, "V": -0.35}[name])
            _link(ax, (edge + 0.1, y + 0.16 * (1 - 2 * head)), target, HEAD_COLOURS[head])
    for head, y in enumerate((1.95, -1.95)):
        colour, left = HEAD_COLOURS[head], 5.4
        ends = left + key_dim * _CELL / 2
        for name in "VQK":  # query and key stand beside the weights that they make
            left = _matrix(ax, left, y, rows, [colour] * key_dim, f"${name}_{head + 1}$") + 0.2
        _link(ax, (left - 0.08, y), (left + 0.37, y), colour)
        left, side = left + 0.47, rows * _CELL * 1.12
        ax.imshow(weights[head], vmin=0, vmax=1, cmap="viridis", extent=(left, left + side, y - side / 2, y + side / 2))
        ax.text(left + side / 2, y + side / 2 + 0.09, f"weights {head + 1}", ha="center", va="bottom", fontsize=9)
        _link(ax, (left + side + 0.1, y), (left + side + 0.55, y), colour)
        below, start = y - 0.5 * side - 0.2, y - rows * _CELL / 2 - 0.05
        edge = _matrix(ax, left + side + 0.65, y, rows, [colour] * key_dim, f"head {head + 1}")
        middle = edge - key_dim * _CELL / 2  # the values go round the weights and meet them in the head
        ax.plot([ends, ends, middle], [start, below, below], color=colour, lw=1.1, solid_capstyle="butt")
        _link(ax, (middle, below), (middle, start), colour)
        _link(ax, (edge + 0.1, y), (edge + 0.92, 0.32 * (1 - 2 * head)), colour)
    middle = edge + 1.02
    edge = _matrix(ax, middle, 0, rows, halves, "side by side")
    _link(ax, (edge + 0.1, 0), (edge + 0.8, 0))
    ax.text(edge + 0.43, 0.12, "$W_O$", ha="center", va="bottom", fontsize=10)
    edge = _matrix(ax, edge + 0.9, 0, rows, [grey] * 2 * key_dim, "output")
    steps = ((2.0, "project"), (4.65, "split"), (8.1, "attend, each head alone"), (middle, "merge"), (edge - 2, "mix"))
    for x, text in steps:
        ax.text(x, 3.3, text, ha="center", va="center", fontsize=11, weight="bold", color=INK)
    ax.set(xlim=(-0.8, edge + 0.1), ylim=(-3.0, 3.5))
    ax.set_aspect("equal")
    ax.axis("off")
    alt = (
        f"Diagram of multi-head self-attention over the words {' '.join(words)!r}, with two heads. The input x is "
        "projected to Q, K and V. Each is split into a left and a right half of its columns, one for each head. Each "
        "head computes its own map of weights from its halves of Q and K alone, and its own output from those and its "
        "half of V. The two outputs are laid side by side again, and a last matrix W_O mixes them into the output, "
        "which has the shape of x."
    )
    show(figure, alt)


def show_head_rows(panels, words, title, alt=""):
    """Show one query's weights for several heads, as a heat map with a row for each head; one panel a sentence.

    Args:
        panels: For each panel a dict from label to weights `(S,)`.
        words: For each panel its `S` words.
        title: The message of the picture.
        alt: What the alternative text says besides.
    """
    rows = sum(len(panel) for panel in panels)
    figure, axes = plt.subplots(
        len(panels), 1, figsize=(7.0, 0.5 + 0.36 * rows + 0.62 * len(panels)), squeeze=False,
        gridspec_kw={"height_ratios": [len(panel) for panel in panels]},
    )  # fmt: skip
    said = []
    for ax, panel, labels in zip(axes[:, 0], panels, words, strict=True):
        weights = np.stack(list(panel.values()))
        draw_weights(ax, weights, list(panel), labels)
        ax.set_xticks(range(len(labels)), labels, rotation=0, ha="center")
        ax.set(xlabel="", ylabel="")
        said.append(f"{' '.join(labels)} - {top_alignments(weights, list(panel), labels)}")
    figure.suptitle(title, x=0.02, ha="left", fontsize=11)
    figure.tight_layout(h_pad=1.2)
    show(figure, f"{title}. Largest weight in each row: {'. '.join(said)}. {alt}".strip())


def show_index_puzzle(labels, colours, title):
    """Show arrays of labels as small tables, coloured by the head that each entry belongs to.

    Args:
        labels: Dict from name to an array of text `(rows, columns)`.
        colours: Function that gives the head of a label.
        title: The message of the picture.
    """
    figure, axes = plt.subplots(1, len(labels), figsize=(1.75 * len(labels), 1.9), squeeze=False)
    for ax, (name, table) in zip(axes[0], labels.items(), strict=True):
        for i, j in np.ndindex(*table.shape):
            colour = HEAD_COLOURS[colours(table[i, j])]
            ax.add_patch(plt.Rectangle((j, i), 1, 1, fc=colour, ec="white", lw=1.5))
            ink = ink_on(plt.matplotlib.colors.to_rgb(colour))
            ax.text(j + 0.5, i + 0.5, table[i, j], ha="center", va="center", fontsize=10, color=ink)
        ax.set(xlim=(-0.1, table.shape[1] + 0.1), ylim=(len(table) + 0.1, -0.1))
        ax.set_title(name, fontsize=9, loc="left")
        ax.set_aspect("equal")
        ax.axis("off")
    figure.suptitle(title, x=0.02, ha="left", fontsize=11)
    figure.tight_layout()
    said = "; ".join(f"{name}: {', '.join(' '.join(row) for row in table)}" for name, table in labels.items())
    show(figure, f"{title}. Rows of each table, {said}.")
