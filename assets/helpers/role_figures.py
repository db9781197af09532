"""Figures of the experiment with roles, and of what mixes positions in different kinds of layer."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, OKABE_ITO, QUIET, show


def dependence_pattern(f, x):
    """Push one input position at a time and measure how far each output position moves.

    Args:
        f: Function from `(B, T, D)` to `(B, T, D)`.
        x: One input `(1, T, D)`.

    Returns:
        Array `(T, T)`, outputs in rows, inputs in columns: the largest movement of the D numbers.
    """
    pushed = x + 0.01 * np.eye(x.shape[1], dtype=x.dtype)[:, :, None]  # (T, T, D): one position each
    return np.abs(np.asarray(f(pushed)) - np.asarray(f(x))).max(axis=-1).T


def show_patterns(patterns, title, alt):
    """Show how strongly each output position depends on each input position, one panel a kind of layer.

    Args:
        patterns: Dict from label to array `(T, T)`, outputs in rows; each is divided by its largest entry.
        title: The message of the picture.
        alt: What the pictures show, in words.
    """
    figure, axes = plt.subplots(1, len(patterns), figsize=(1.75 * len(patterns) + 0.7, 2.4), layout="constrained")
    for ax, (label, pattern) in zip(axes, patterns.items(), strict=True):
        image = ax.imshow(np.asarray(pattern) / np.max(pattern), vmin=0, vmax=1, cmap="viridis")
        for i, j in np.argwhere(np.asarray(pattern) == 0):  # nothing at all, not only little
            ax.add_patch(plt.Rectangle((j - 0.5, i - 0.5), 1, 1, fc="white", ec=QUIET, hatch="////", lw=0))
        ax.set_title(label, fontsize=9, loc="center")
        ax.set(xticks=[], yticks=[], xlabel="input position")
        ax.grid(False)
    axes[0].set_ylabel("output position")
    figure.colorbar(image, ax=axes, shrink=0.8, label="share of the largest")
    figure.suptitle(title, x=0.02, ha="left", fontsize=11)
    show(figure, f"{title}. {alt}")


def show_role_results(results, title):
    """Show, for each model and run, the share of held-out sentences with giver, receiver and both right.

    Args:
        results: Dict from label to array `(runs, 3)` of shares: giver, receiver, both.
        title: The message of the picture.
    """
    figure, ax = plt.subplots(figsize=(6.4, 0.9 + 0.62 * len(results)))
    roles = (("giver", "o", OKABE_ITO[0]), ("receiver", "s", OKABE_ITO[1]), ("both", "D", INK))
    for place, runs in enumerate(results.values()):
        for k, (role, marker, colour) in enumerate(roles):
            y = place + 0.2 * (k - 1) + np.zeros(len(runs))
            label = None if place else role
            ax.scatter(runs[:, k], y, marker=marker, s=46, fc=colour, ec=INK, lw=0.6, label=label, zorder=3)
    ax.set_yticks(range(len(results)), list(results))
    ax.invert_yaxis()
    ax.axvline(1 / 12, color=QUIET, lw=1, ls="--")
    ax.text(1 / 12 + 0.01, 0.5, "guessing one role", color="#5A5A5A", fontsize=9, va="center")
    ax.set(xlim=(-0.03, 1.03), xlabel="share of held-out sentences, one mark a run", title=title)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    said = "; ".join(f"{label} {', '.join(f'{v:.2f}' for v in runs[:, 2])}" for label, runs in results.items())
    show(figure, f"Giver, receiver and both right on held-out sentences. {title}. Both right: {said}.")
