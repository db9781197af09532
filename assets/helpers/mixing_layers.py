"""What mixes positions in three kinds of layer: patterns of dependence, parameters, and the work that grows with T."""

import keras
import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import QUIET, show


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
        shares = np.sqrt(np.asarray(pattern) / np.max(pattern))  # the root: small shares are seen too
        image = ax.imshow(shares, vmin=0, vmax=1, cmap="viridis")
        for i, j in np.argwhere(np.asarray(pattern) == 0):  # nothing at all, not only little
            ax.add_patch(plt.Rectangle((j - 0.5, i - 0.5), 1, 1, fc="white", ec=QUIET, hatch="////", lw=0))
        ax.set_title(label, fontsize=9, loc="center", linespacing=1.4)
        ax.set(xticks=[], yticks=[], xlabel="input position")
        ax.grid(False)
    axes[0].set_ylabel("output position")
    bar = figure.colorbar(image, ax=axes, shrink=0.8, label="share of the panel's largest")
    bar.set_ticks(np.sqrt([0, 0.1, 0.25, 0.5, 1]), labels=["0", "0.1", "0.25", "0.5", "1"])
    figure.suptitle(title, x=0.02, ha="left", fontsize=11)
    show(figure, f"{title}. {alt}")


def compare_mixing(length=10, width=6):
    """Draw the patterns of a fully connected layer, a convolution and attention for two inputs.

    Returns:
        The names of the layers whose pattern is another one for the second input.
    """
    keras.utils.set_random_seed(1)
    dense, convolution = keras.layers.Dense(length * width), keras.layers.Conv1D(width, 3, padding="same")
    attention = keras.layers.MultiHeadAttention(num_heads=2, key_dim=width // 2)
    layers = {
        "fully connected": lambda x: np.reshape(dense(np.reshape(x, (len(x), -1))), x.shape),  # all T D numbers at once
        "convolution": convolution,
        "attention": lambda x: attention(x, x),
    }
    inputs = [2 * np.random.default_rng(n).normal(size=(1, length, width)).astype("float32") for n in range(2)]
    patterns, varying = {}, []
    for name, f in layers.items():
        first, second = (dependence_pattern(f, x) for x in inputs)
        change = np.abs(first - second).max() / first.max()
        print(f"{name:16} largest difference of the two patterns: {change:.0%} of the largest entry")
        varying += [name] if change > 0.01 else []
        patterns |= {f"{name},\nsentence 1": first, f"{name},\nsentence 2": second} if change > 0.01 else {name: first}
    alt = "Fully connected: all positions. Convolution: a band of three diagonals. Attention: all positions."
    show_patterns(patterns, "Which input positions each output depends on (hatched: not at all)", alt)
    return varying


def print_costs(lengths=(8, 32, 128), width=16, taps=3, heads=4):
    """Print parameters, and how many taps or scores mix the positions, for three kinds of layer and several lengths."""
    print(f"{'':8}parameters{'':34}taps{'':15}scores of all heads")
    counted = f"convolution ({taps} T)  attention ({heads} T^2)"
    print(f"length  fully connected  convolution  attention     {counted}")
    for length in lengths:
        counts = []
        attention = keras.layers.MultiHeadAttention(heads, width // heads)
        for layer, shape in ((keras.layers.Dense(width * length), [(1, width * length)]),
                             (keras.layers.Conv1D(width, taps), [(1, length, width)]),
                             (attention, 2 * [(1, length, width)])):  # fmt: skip
            layer.build(*shape)
            counts.append(layer.count_params())
        print(f"{length:6} {counts[0]:16,d} {counts[1]:12,d} {counts[2]:10,d} {taps * length:21,d} "
              f"{heads * length**2:18,d}")  # fmt: skip
