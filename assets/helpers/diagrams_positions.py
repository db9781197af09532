"""Pictures of positions: heat maps and Gram matrices."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import OKABE_ITO, draw_weights, show

#: How figures name what answers are compared with.
_SHOWN_KINDS = {"sines": "sines", "bits": "bits", "table, R = 3": "table, R = 3"}


def show_encodings(encodings, title):
    """Show encodings side by side as heat maps: a row for each position, a column for each dimension.

    Args:
        encodings: For each label an array `(T, D)`.
        title: The message of the picture.
    """
    widths = [max(0.45, np.shape(e)[1] / 16) for e in encodings.values()]
    figure, axes = plt.subplots(
        1, len(encodings), figsize=(7, 3.9), width_ratios=widths, squeeze=False, layout="constrained"
    )
    words = []
    for ax, (label, encoding) in zip(axes[0], encodings.items(), strict=True):
        first, last = np.abs(np.diff(np.asarray(encoding, dtype=float), axis=0)).mean(axis=0)[[0, -1]]
        words.append(f"{label}; from row to row column 0 changes by {first:.2f} on average, the last by {last:.3f}")
        image = ax.imshow(
            encoding,
            cmap="viridis",
            vmin=-1,
            vmax=1,
            aspect="auto",
            interpolation="nearest",
        )
        ax.grid(False)
        ax.set(xlabel="column", title=label)
        ax.set_xticks(range(0, np.shape(encoding)[1], 2 if np.shape(encoding)[1] < 8 else 4))
        ax.spines[:].set_visible(False)
    axes[0][0].set_ylabel("position")
    bar = figure.colorbar(image, ax=axes[0][-1], label="value", ticks=(-1, 0, 1), fraction=0.05, pad=0.03)
    bar.outline.set_visible(False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    show(
        figure,
        f"Heat maps of encodings, positions down, columns across. {title}. {'. '.join(words)}.",
    )


def show_gram(grams, title):
    """Show matrices of dot products between positions, and beneath each how its values depend on the distance.

    Args:
        grams: For each label a symmetric matrix `(T, T)`.
        title: The message of the picture.
    """
    figure, axes = plt.subplots(
        2, len(grams), figsize=(7, 5.4), height_ratios=(3, 1.6), layout="constrained", squeeze=False
    )
    words = []
    for column, (kind, gram) in enumerate(grams.items()):
        length, label = len(gram), _SHOWN_KINDS.get(kind, kind)
        ax, below = axes[:, column]
        # One way from dark to light: with two dark ends -1 and 1 would be the same in grey.
        image = ax.imshow(gram, cmap="viridis", vmin=-1, vmax=1, interpolation="nearest")
        ax.grid(False)
        ax.set(title=label, xlabel="position t")
        ax.spines[:].set_visible(False)
        distances = np.arange(1 - length // 2, length // 2)  # both signs: the product is even
        values = [np.diagonal(gram, d) for d in distances]
        means = [v.mean() for v in values]
        near, far = np.diagonal(gram, 1), np.diagonal(gram, 8)
        below.fill_between(
            distances,
            [v.min() for v in values],
            [v.max() for v in values],
            color=OKABE_ITO[1],
            alpha=0.45,
            lw=0,
            label="smallest to largest",
        )
        below.plot(distances, means, color=OKABE_ITO[0], label="mean")
        below.set(ylim=(-1.08, 1.08), xlabel="distance t - s")
        words.append(
            f"{label}: product at distance 1 from {near.min():.2f} to {near.max():.2f}, "
            f"at distance 8 from {far.min():.2f} to {far.max():.2f}"
        )
    axes[0][0].set_ylabel("position s")
    axes[1][0].set_ylabel("product")
    handles = axes[1][0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=2)
    bar = figure.colorbar(image, ax=axes[0][-1], label="product", ticks=(-1, 0, 1), fraction=0.05, pad=0.03)
    bar.outline.set_visible(False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    show(
        figure,
        "Matrices of products between positions as heat maps, and the range of the products at each distance. "
        f"{title}. {'; '.join(words)}.",
    )


def show_biases(biases, title):
    """Show matrices of biases as heat maps side by side: a row for each query, a column for each key.

    Args:
        biases: For each label a matrix `(T, T)`.
        title: The message of the picture.
    """
    limit = max(float(np.abs(bias).max()) for bias in biases.values())
    figure, axes = plt.subplots(1, len(biases), figsize=(7, 3.6), layout="constrained", squeeze=False)
    words = []
    for ax, (kind, bias) in zip(axes[0], biases.items(), strict=True):
        places, label = range(len(bias)), _SHOWN_KINDS.get(kind, kind)
        image = draw_weights(ax, bias, places, places, label, low=-limit, high=limit, cmap="PuOr")
        words.append(f"{label}: row 0 begins {', '.join(f'{value:.1f}' for value in bias[0][:4])}")
    bar = figure.colorbar(image, ax=axes[0][-1], label="bias", fraction=0.05, pad=0.03)
    bar.outline.set_visible(False)
    figure.suptitle(title, x=0.01, ha="left", fontsize=11)
    show(figure, f"Matrices of biases as heat maps. {title}. {'; '.join(words)}.")
