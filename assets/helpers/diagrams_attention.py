"""The step of a decoder with attention, as a picture."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, OKABE_ITO, QUIET, ink_on, show
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch


def _step_box(ax, x, y, text, colour, width=1.1, height=0.62, size=12):
    """Draw a rounded box around a text."""
    style = "round,pad=0.02,rounding_size=0.12"
    corner = (x - width / 2, y - height / 2)
    ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=style, fc=colour, ec=INK, lw=1.1, zorder=3))
    ax.text(
        x,
        y,
        text,
        ha="center",
        va="center",
        fontsize=size,
        color=ink_on(plt.matplotlib.colors.to_rgb(colour)),
        zorder=4,
    )


def _step_arrow(ax, start, end, width=1.2, colour=INK, bend=0.0, alpha=1.0):
    """Draw an arrow between two points."""
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=11,
            lw=width,
            color=colour,
            alpha=alpha,
            connectionstyle=f"arc3,rad={bend}",
            shrinkA=0,
            shrinkB=0,
            zorder=2,
        )
    )


def show_attention_step(words, scores, state, new_state, previous, word):
    """Show one step of a decoder with attention: query, scores, softmax, weighted sum, context, new state.

    Args:
        words: The `S` source words.
        scores: Their scores, `(S,)`.
        state: Name of the previous state.
        new_state: Name of the new state.
        previous: The word written last.
        word: The word that is written.
    """
    scores = np.asarray(scores, dtype=float)
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    blue, orange, green, sky = OKABE_ITO[0], OKABE_ITO[1], OKABE_ITO[2], OKABE_ITO[4]
    figure, ax = plt.subplots(figsize=(7.0, 4.7))
    columns = 1.9 * np.arange(len(words)) + 1.1
    middle, right = columns.mean(), columns[-1] + 2.9
    for x, name, score, weight, j in zip(columns, words, scores, weights, range(1, len(words) + 1), strict=True):
        ax.text(x, 0.1, name, ha="center", va="center", fontsize=11)
        _step_arrow(ax, (x, 0.3), (x, 0.66))
        _step_box(ax, x, 1.0, f"$h_{j}$", sky)
        _step_arrow(ax, (x, 1.33), (x, 1.77))
        _step_box(ax, x, 2.05, f"{score:.1f}", "#FFFFFF", width=0.86, height=0.5, size=11)
        _step_arrow(ax, (x, 2.32), (x, 2.78))
        ax.add_patch(plt.Rectangle((x - 0.36, 3.02), 0.72, 0.9 * weight, fc=orange, ec=INK, lw=0.9, zorder=3))
        ax.plot([x - 0.46, x + 0.46], [3.02, 3.02], color=INK, lw=1.1, zorder=4)
        ax.text(x, 3.06 + 0.9 * weight, f"{weight:.2f}", ha="center", va="bottom", fontsize=10, zorder=4)
        _step_arrow(ax, (x, 4.22), (middle + 0.12 * (x - middle), 4.72), width=0.8 + 4 * weight)
    width = np.ptp(columns) + 1.5
    ax.add_patch(plt.Rectangle((columns[0] - 0.75, 2.78), width, 1.44, fill=False, ec=QUIET, lw=1, ls="--"))
    _step_box(ax, middle, 5.03, "context $c$", green, width=1.9)
    _step_box(ax, right, 2.05, state, blue, width=1.2)
    _step_box(ax, right, 5.03, "GRU", "#E8E8E8", width=1.2)
    _step_box(ax, right, 6.25, new_state, blue, width=1.2)
    rail = columns[0] - 0.28  # the query meets every annotation
    ax.plot([right, right, rail], [1.72, 1.54, 1.54], color=blue, lw=1.8, zorder=2, solid_joinstyle="round")
    for x in columns:
        _step_arrow(ax, (x - 0.28, 1.54), (x - 0.28, 1.79), colour=blue, width=1.8)
    ax.text((right + columns[-1]) / 2 + 0.1, 1.62, "query", ha="center", va="bottom", fontsize=10, color=blue)
    _step_arrow(ax, (right, 2.38), (right, 4.69), colour=blue)
    _step_arrow(ax, (middle + 0.99, 5.03), (right - 0.63, 5.03), colour=green, width=2.2)
    _step_arrow(ax, (right, 5.36), (right, 5.91), colour=blue)
    ax.text(right + 1.2, 5.03, previous, ha="left", va="center", fontsize=11)
    _step_arrow(ax, (right + 1.12, 5.03), (right + 0.63, 5.03))
    _step_arrow(ax, (right + 0.63, 6.25), (right + 1.12, 6.25))
    ax.text(right + 1.2, 6.25, word, ha="left", va="center", fontsize=12, weight="bold")
    steps = (
        (0.1, "source"),
        (1.0, "annotations"),
        (2.05, "1  scores"),
        (3.4, "2  weights\n(softmax)"),
        (5.03, "3  weighted sum\nof annotations"),
        (6.25, "4  new state"),
    )
    for y, text in steps:
        ax.text(-0.15, y, text, ha="right", va="center", fontsize=10, color="#444444")
    ax.set(xlim=(-2.3, right + 3.0), ylim=(-0.2, 6.65))
    ax.axis("off")
    told = ", ".join(f"{name} score {s:.1f} weight {w:.2f}" for name, s, w in zip(words, scores, weights, strict=True))
    story = (
        f"One step of a decoder with attention. The previous state {state} is the query. {told}. The weighted sum "
        f"of the annotations is the context, which enters the GRU together with the word written last, {previous}. "
        f"The GRU makes the new state {new_state}, from which the word {word} is written."
    )
    show(figure, story.replace("$", "").replace("_", ""))
