"""Read one row of a head's weights, or of the mean of all heads."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, ROLES, show


def name_heads(count):
    """Return the names to choose from: each head, and the mean of all."""
    return [*(f"head {h + 1}" for h in range(count)), "mean of the heads"]


def show_head_query(weights, words, head, position):
    """Draw and describe where one head looks from one word.

    Args:
        weights: Array `(H, T, S)` with `T = S`.
        words: The `T` words.
        head: Number of the head, from 0; `H` for the mean of all heads.
        position: Position of the query, from 0.
    """
    weights = np.asarray(weights)
    row = np.concatenate([weights, weights.mean(axis=0, keepdims=True)])[head, position]
    best, name = int(row.argmax()), name_heads(len(weights))[head].capitalize()
    tops = [repr(word) for word, value in zip(words, row, strict=True) if row[best] - value < 0.005]
    asked, found = f"{name}, query {words[position]!r}:", f"most weight on {tops[0]}, {row[best]:.2f}"
    if len(tops) > 1:
        found = f"most weight on {' and '.join(tops)}, {row[best]:.2f} each"
    finding = f"{asked} {found}"
    entropy = float(-(row * np.log(np.maximum(row, 1e-12))).sum())
    figure, ax = plt.subplots(figsize=(6.4, 2.8))
    ax.bar(range(len(words)), row, color=ROLES["weights"], edgecolor=INK, lw=0.8)
    for place, value in enumerate(row):
        ax.text(place, value + 0.02, f"{value:.2f}", ha="center", va="bottom", fontsize=9)
    ax.set_xticks(range(len(words)), words)
    ax.get_xticklabels()[position].set(weight="bold", color=ROLES["query"])
    ax.set(ylim=(0, 1.16), ylabel="weight", title=f"{asked}\n{found}")
    ax.grid(False, axis="x")
    print(f"{finding}.\nIt spreads as if over {np.exp(entropy):.1f} words evenly.")
    show(figure, f"Bar chart of one row of weights. {finding}. All: " + ", ".join(
        f"{word} {value:.2f}" for word, value in zip(words, row, strict=True)))  # fmt: skip
