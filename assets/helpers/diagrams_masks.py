"""Masks as grids of cells."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, QUIET, show


def show_masks(masks):
    """Show boolean masks side by side: a dot where a query may attend, a grey cell where it may not.

    Args:
        masks: Dictionary from a title to a mask `(T, S)`, True = may attend.
    """
    masks = {title: np.asarray(mask, dtype=bool) for title, mask in masks.items()}
    widths = [mask.shape[1] + 1.2 for mask in masks.values()]
    high = max(mask.shape[0] for mask in masks.values())
    cell = min(0.42, 7.2 / sum(widths))
    size = (cell * sum(widths), cell * high + 0.8)
    figure, axes = plt.subplots(1, len(masks), figsize=size, width_ratios=widths, squeeze=False)
    told = []
    for ax, (title, mask) in zip(axes[0], masks.items(), strict=True):
        ax.pcolormesh(~mask, cmap="Greys", vmin=0, vmax=2.2, edgecolors=QUIET, lw=0.8)
        rows, columns = np.nonzero(mask)
        ax.plot(columns + 0.5, rows + 0.5, "o", color=INK, ms=6)
        ax.set_xticks(np.arange(mask.shape[1]) + 0.5, range(mask.shape[1]))
        ax.set_yticks(np.arange(mask.shape[0]) + 0.5, range(mask.shape[0]))
        ax.tick_params(length=0)
        ax.set(title=title, xlabel="key", xlim=(-0.04, mask.shape[1] + 0.04), ylim=(mask.shape[0] + 0.04, -0.04))
        ax.set_aspect("equal", anchor="NW")
        ax.grid(False)
        ax.spines[:].set_visible(False)  # the cells have borders of their own
        told.append(f"{title}: " + "; ".join(f"row {i} sees {np.flatnonzero(r).tolist()}" for i, r in enumerate(mask)))
    axes[0, 0].set_ylabel("query")
    figure.tight_layout(w_pad=1.5)
    show(figure, "Masks, a dot where a query may attend. " + ". ".join(told) + ".")
