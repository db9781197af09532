"""Pictures of dot-product attention: a soft dictionary, curves over width and cost, maps."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, INKS, MARKERS, OKABE_ITO, PAPER, QUIET, ROLES, draw_weights, show, top_alignments


def show_soft_dictionary(words, keys, query, name, weights, values, unit):
    """Show keys and query as arrows in a plane and, beside them, the weight and value of each key.

    Args:
        words: The `S` words that the keys stand for.
        keys: Array `(S, 2)`.
        query: Array `(2,)`.
        name: The word that the query stands for.
        weights: Array `(S,)`.
        values: Array `(S,)`.
        unit: Unit of the values.
    """
    figure, (plane, bars) = plt.subplots(1, 2, figsize=(7.0, 3.1), width_ratios=(1.05, 1))
    for i, (word, key) in enumerate(zip([*words, name], [*keys, query], strict=True)):
        colour, line = (INKS["key"], "-") if i < len(words) else (INKS["query"], "--")
        plane.annotate("", key, (0, 0), arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 1.8, "ls": line})
        plane.text(*(np.asarray(key) * 1.08), word, color=colour, ha="left", va="center", fontsize=10)
    reach = 1.45 * max(np.abs(keys).max(), np.abs(query).max())
    plane.set(xlim=(-0.12 * reach, reach), ylim=(-0.12 * reach, reach * 0.86), xticks=[], yticks=[])
    plane.set_title(f"keys, and the query {name} (dashed)")
    plane.set_aspect("equal")
    plane.spines[:].set_visible(False)  # the arrows begin at the origin, not at the corner
    bars.bar(range(len(words)), weights, color=ROLES["weights"], edgecolor=INK, lw=0.8)
    for i, weight in enumerate(weights):
        bars.text(i, weight + 0.015, f"{weight:.2f}", ha="center", fontsize=9)
    bars.set_xticks(range(len(words)), [f"{w}\n{v:g} {unit}" for w, v in zip(words, values, strict=True)])
    bars.set(ylim=(0, 1.12 * max(0.5, np.max(weights))), ylabel="weight")
    bars.set_title(f"answer: {(answer := float(np.dot(weights, values))):.1f} {unit}")
    bars.grid(axis="x", visible=False)
    figure.tight_layout(w_pad=1.5)
    told = ", ".join(f"{w} weight {a:.2f} value {v:g}" for w, a, v in zip(words, weights, values, strict=True))
    show(figure, f"Arrows for the keys and, dashed, for the query {name}; bars for the weights: {told}. "
         f"The weighted sum of the values is {answer:.1f} {unit}.")  # fmt: skip


def show_curves(x, panels, xlabel, guess=None):
    """Show panels of curves over a size that doubles.

    Args:
        x: Sizes along the axis.
        panels: List of dictionaries with `title`, `curves` (label to values) and `log`, for an axis not from 0 to 1.
        xlabel: Label of the horizontal axes.
        guess: Values guessed beforehand, drawn dashed in the last panel.
    """
    figure, axes = plt.subplots(1, len(panels), figsize=(7.0, 3.1), squeeze=False)
    told = []
    for ax, panel in zip(axes[0], panels, strict=True):
        curves = dict(panel["curves"])
        for i, (label, values) in enumerate(curves.items()):
            ax.plot(x, values, color=OKABE_ITO[i], marker=MARKERS[i], ms=5, label=label)
        if guess is not None and panel is panels[-1]:
            ax.plot(x, guess, color=INK, ls=(0, (4, 3)), lw=1.4, marker="x", label="your guess")
            curves["your guess"] = guess
        ax.set_xscale("log", base=2)
        if panel.get("log"):
            ax.set_yscale("log")
        else:
            ax.set_ylim(0, 1.05)
        ax.set_xticks(x, [f"{v:g}" for v in x])
        ax.minorticks_off()
        ax.set(title=panel["title"], xlabel=xlabel)
        lines = [f"{k}: {', '.join(f'{v:.3g}' for v in values)}" for k, values in curves.items()]
        told.append(f"{panel['title']}. {'; '.join(lines)}")
    figure.tight_layout(w_pad=2)
    figure.legend(*axes[0, -1].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.03), ncols=3)
    show(figure, f"Curves over {xlabel} {', '.join(f'{v:g}' for v in x)}. {'. '.join(told)}.")


def show_maps(maps, queries, keys, allowed=None):
    """Show two or four heat maps of weights in two columns.

    Args:
        maps: Dictionary from a title to weights `(T, S)`.
        queries: `T` labels of the rows.
        keys: `S` labels of the columns.
        allowed: Optionally, a dictionary from a title to a mask `(T, S)`; forbidden cells are hatched.
    """
    rows = len(maps) // 2
    figure, axes = plt.subplots(rows, 2, figsize=(6.6, 2.8 * rows), squeeze=False)
    for ax, (title, weights) in zip(axes.flat, maps.items(), strict=True):
        draw_weights(ax, weights, queries, keys, title)
        for i, j in np.argwhere(~(allowed or {}).get(title, np.ones(np.shape(weights), dtype=bool))):
            ax.add_patch(plt.Rectangle((j - 0.5, i - 0.5), 1, 1, fc=PAPER, ec=QUIET, hatch="////", lw=0, zorder=4))
    for ax in axes[:-1].flat:
        ax.set(xlabel="")
    for ax in axes[:, 1]:
        ax.set(ylabel="")
    figure.tight_layout(w_pad=2, h_pad=2)
    told = [f"{title}: {top_alignments(weights, queries, keys)}" for title, weights in maps.items()]
    hatched = "; hatched, forbidden cells" if allowed else ""
    show(figure, f"Heat maps of weights, largest per row{hatched}. {'. '.join(told)}.")
