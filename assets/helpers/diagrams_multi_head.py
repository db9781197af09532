"""Pictures of attention with several heads: the whole layer, the split as an index puzzle, rows of weights by head."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.drawing import draw_arrow, draw_matrix, draw_shape, draw_text, make_canvas
from helpers.plots import INK, ROLES, draw_weights, ink_on, show, top_alignments

#: One colour a head, apart from those of the roles, and as far apart in grey as can be.
HEAD_COLOURS = ("#4B4E6D", "#F0E442")
_CELL, _TALL, _GREY = 0.24, 0.32, "#B8B8B8"  # a row is as high as the word that is written beside it
#: How the picture names what has a colour by that name.
_SHOWN_HEAD = {"weights": "weights"}


def _head(ax, left, y, number, rows, key_dim, weights):
    """Draw one head from its queries and keys to its output; give the right edge and the middles of three stages."""
    high, wide = rows * _TALL, rows * _CELL
    columns, below = [HEAD_COLOURS[number]] * key_dim, y - high / 2 - 0.28

    def small(left, role, label):
        right = draw_matrix(ax, left, y, rows, columns, _CELL, ROLES.get(role, INK), label, _TALL)
        draw_shape(ax, (left + right) / 2, below, "(T, K)", ha="center")
        return right

    right = small(left, "query", f"$q_{number + 1}$")
    right = small(right + 0.22, "key", f"$k_{number + 1}$")
    draw_arrow(ax, (right + 0.1, y), (right + 0.6, y))
    box = (right + 0.7, right + 0.7 + wide, y - high / 2, y + high / 2)
    ax.imshow(weights, vmin=0, vmax=1, cmap="viridis", extent=box, aspect="auto", zorder=3)
    ax.add_patch(plt.Rectangle((box[0], box[2]), wide, high, fill=False, ec=ROLES["weights"], lw=2, zorder=4))
    draw_text(ax, right + 0.7 + wide / 2, y + high / 2 + 0.14, _SHOWN_HEAD["weights"], va="bottom")
    draw_shape(ax, right + 0.7 + wide / 2, below, "(T, T)", ha="center")
    draw_text(ax, box[1] + 0.22, y, "×", size=12)
    right = small(box[1] + 0.42, "value", f"$v_{number + 1}$")
    draw_text(ax, right + 0.24, y, "=", size=12)
    return small(right + 0.46, "", f"head {number + 1}")


def show_heads_diagram(words, weights):
    """Show multi-head self-attention as a diagram: project, split, attend, merge, W_O.

    Args:
        words: The `T` words.
        weights: Attention weights `(2, T, T)`, drawn as the heads' maps.
    """
    rows, key_dim, apart = len(words), 3, 2.8
    wide, high = 2 * key_dim * _CELL, rows * _TALL
    halves = [HEAD_COLOURS[0]] * key_dim + [HEAD_COLOURS[1]] * key_dim
    figure, ax = make_canvas(-1.3, 14.75, -4.15, 4.75)
    for i, word in enumerate(words):
        draw_text(ax, -0.12, (rows / 2 - i - 0.5) * _TALL, word, size=8.5, ha="right")

    def whole(left, y, colours, label, edge=None):
        draw_shape(ax, left + wide / 2, y - high / 2 - 0.28, "(T, D)", ha="center")
        return draw_matrix(ax, left, y, rows, colours, _CELL, edge, label, _TALL)

    right = whole(0, 0, [_GREY] * 2 * key_dim, "$x$")
    for (role, name), y in zip((("query", "Q"), ("key", "K"), ("value", "V")), (apart, 0, -apart), strict=True):
        edge = whole(2.55, y, halves, f"${name.lower()} = x\\,W_{name} + b_{name}$", ROLES[role])
        draw_arrow(ax, (right + 0.1, 0.12 * y), (2.45, y), colour=role, width=1.8)
    top = apart + high / 2  # all three are split
    ax.plot([edge + 0.38, edge + 0.46, edge + 0.46, edge + 0.38], [top, top, -top, -top], color=INK, lw=1.4)
    start, y = edge + 1.75, 0.55 * apart
    for number, (side, halved) in enumerate(((1, "left\nhalves"), (-1, "right\nhalves"))):
        draw_arrow(ax, (edge + 0.5, 0.35 * side), (start - 0.75, side * y), (start - 0.12, side * y), width=1.8)
        draw_text(ax, start - 0.72, side * (y + 0.55), halved, size=9, linespacing=1.4)
        head = _head(ax, start, side * y, number, rows, key_dim, weights[number])
        draw_arrow(ax, (head + 0.1, side * y), (head + 0.8, 0.25 * side), width=1.8)
    merged = head + 0.9
    edge = whole(merged, 0, halves, "side by side")
    draw_arrow(ax, (edge + 0.1, 0), (edge + 1.5, 0), width=1.8)
    draw_text(ax, edge + 0.78, 0.22, "$W_O, b_O$", va="bottom")
    last = edge + 1.6
    edge = whole(last, 0, [_GREY] * 2 * key_dim, "output")
    ax.set(xlim=(-1.3, edge + 0.2), ylim=(-4.15, 4.75))
    steps = ((3.0, "project"), (start - 0.95, "split"), ((start + head) / 2, "attend, each head alone"),
             (merged + wide / 2, "merge"), (last + wide / 2, "mix"))  # fmt: skip
    for x, text in steps:
        draw_text(ax, x, 4.5, text, size=11, weight="bold")
    alt = (
        f"Diagram of multi-head self-attention over the words {' '.join(words)!r}, with two heads. The input x is "
        "projected to q, k and v. Each is split into a left and a right half of its columns, one for each head. Each "
        "head computes its own map of weights from its halves of q and k alone, and its own output from those and its "
        "half of v. The two outputs are laid side by side again, and a last matrix W_O, with b_O, mixes them into the "
        "output, which has the shape of x."
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
    show(figure, f"{title}. Largest weight in each row: {'. '.join(said)}." + f" {alt}".rstrip())


def show_split_puzzle():
    """Show the heads of a small array as they should be, beside those of a plain reshape; coloured by head.

    Returns:
        What the first head of the reshape holds, some `"columns"` of all words or only the first `"words"`.
    """
    x = np.array([[f"{word}{column}" for column in range(4)] for word in "abc"])  # (T, D) = (3, 4)
    tables = {"x: words a, b, c": x}
    tables |= {f"wanted: head {h + 1}": x[:, 2 * h : 2 * h + 2] for h in range(2)}
    tables |= {f"reshaped: head {h + 1}": x.reshape(2, 3, 2)[h] for h in range(2)}  # (H, T, K) at once
    figure, axes = plt.subplots(1, len(tables), figsize=(1.5 * len(tables), 1.8))
    for ax, (name, table) in zip(axes, tables.items(), strict=True):
        for i, j in np.ndindex(*table.shape):
            colour = HEAD_COLOURS[int(table[i, j][1] in "23")]
            ax.add_patch(plt.Rectangle((j, i), 1, 1, fc=colour, ec="white", lw=1.5))
            draw_text(ax, j + 0.5, i + 0.5, table[i, j], colour=ink_on(plt.matplotlib.colors.to_rgb(colour)))
        ax.set(xlim=(-0.1, table.shape[1] + 0.1), ylim=(len(table) + 0.1, -0.1))
        ax.set_title(name, fontsize=9, loc="left")
        ax.set_aspect("equal")
        ax.axis("off")
    title = "A plain reshape gives each head neighbouring words, not its columns of all words"
    figure.suptitle(title, x=0.02, ha="left", fontsize=11)
    figure.tight_layout()
    said = "; ".join(f"{name}: {', '.join(' '.join(row) for row in table)}" for name, table in tables.items())
    show(figure, f"{title}. Rows of each table, {said}.")
    return "columns" if np.array_equal(x.reshape(2, 3, 2)[0], x[:, :2]) else "words"
