"""What the heads of a Transformer do, counted and drawn; a curve of the comparison with a recurrent model."""

import textwrap

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, MARKERS, OKABE_ITO, draw_weights, show, show_weights, top_alignments

_DISTANCES = range(-3, 4)
_MODELS = ("fixed vector", "", "recurrent with attention", "Transformer")  # colours and marks as in notebook 2
#: How figures and sentences name what models and maps are stored under.
_SHOWN_USES = {
    "encoder self-attention": "encoder self-attention", "decoder self-attention": "decoder self-attention",
    "cross-attention": "cross-attention", "fixed vector": "fixed vector", "Transformer": "Transformer",
    "recurrent with attention": "recurrent with attention",
}  # fmt: skip


def name_uses(maps):
    """Return how figures name the uses of attention that a model has maps of."""
    return [_SHOWN_USES[use] for use in maps]


def share_on_gold(weights, golds):
    """Give the share of words whose largest weight is on a right source word.

    Args:
        weights: Maps `(N, T, S)`.
        golds: For each map a list of sets, one for each target word; empty sets do not count.
    """
    best = np.asarray(weights).argmax(axis=-1)
    return float(
        np.mean([best[n, i] in right for n, gold in enumerate(golds) for i, right in enumerate(gold) if right])
    )


def weight_by_distance(weights, real):
    """Give the mean weight on the word that is -3, ..., 3 places away, over the real words of all sentences.

    Args:
        weights: Maps `(N, T, T)`.
        real: Which positions are words, bool `(N, T)`.
    """
    places = np.arange(weights.shape[-1])
    apart = places[None, :] - places[:, None]
    both = real[:, :, None] & real[:, None, :]
    return np.array([np.asarray(weights)[both & (apart == d)].mean() for d in _DISTANCES])


def show_habits(habits, title):
    """Show the mean weight by distance, a row for each head."""
    figure, ax = plt.subplots(figsize=(6.0, 0.33 * len(habits) + 1.2))
    table = np.stack(list(habits.values()))
    labels = [f"{d:+d}" if d else "itself" for d in _DISTANCES]
    image = draw_weights(ax, table, list(habits), labels, title, numbers=True, high=0.5)
    ax.set_xticks(range(len(labels)), labels, rotation=0, ha="center")
    ax.set(xlabel="distance of the word looked at", ylabel="layer.head")
    figure.colorbar(image, ax=ax, label="mean weight", fraction=0.05, pad=0.03).outline.set_visible(False)
    show(figure, f"{title}. Largest entry of each row: {top_alignments(table, list(habits), labels)}.")


def show_all_heads(weights, queries, keys, title, gold=None):
    """Show the maps of all layers and heads of one use of attention.

    Args:
        weights: Array `(layers, H, T, S)`.
        queries: `T` words.
        keys: `S` words.
        title: The message of the picture.
        gold: Optionally, for each query the set of right keys; they are framed.
    """
    depth, heads = weights.shape[:2]
    size = {"figsize": (8.2, 2.5 * depth + 0.4), "squeeze": False, "layout": "constrained"}
    figure, axes = plt.subplots(depth, heads, **size)
    said = []
    for layer, head in np.ndindex(depth, heads):
        ax = axes[layer, head]
        image = draw_weights(ax, weights[layer, head], queries, keys, gold=gold, numbers=False)
        ax.set(xlabel="", ylabel="")
        ax.set_title(f"layer {layer + 1}, head {head + 1}", fontsize=10, y=-0.15, loc="center")
        ax.tick_params(labelsize=8.5, labelleft=head == 0, labeltop=layer == 0)
        ax.set_xticks(range(len(keys)), keys, rotation=90, ha="center", rotation_mode="default")
        said.append(f"layer {layer + 1} head {head + 1}: {top_alignments(weights[layer, head], queries, keys)}")
    figure.suptitle(title + (" (known alignment framed)" if gold else ""), x=0.02, ha="left", fontsize=11)
    figure.colorbar(image, ax=axes, label="weight", fraction=0.03, pad=0.02).outline.set_visible(False)
    show(figure, f"{title}. Largest weight of each row. {'. '.join(said)}.")


def show_one_head(weights, queries, keys, title):
    """Show one map and say in words where it looks."""
    show_weights(weights, queries, keys, title, numbers=False)
    print(textwrap.fill(f"{title}: {top_alignments(weights, queries, keys)}", 95))


def show_by_words(words, curves, trained_to, title):
    """Show exact match against the number of source words, the mean over seeds and their range.

    Args:
        words: Numbers of words.
        curves: For each model an array `(seeds, len(words))`.
        trained_to: The longest source in training.
        title: The message of the picture.
    """
    figure, ax = plt.subplots(figsize=(6.6, 3.6))
    said = []
    for name, runs in curves.items():
        i = _MODELS.index(name)
        runs = np.asarray(runs, dtype=float)
        mean = runs.mean(axis=0)
        ax.plot(words, mean, color=OKABE_ITO[i], marker=MARKERS[i], ms=6, label=_SHOWN_USES[name])
        ax.fill_between(words, runs.min(axis=0), runs.max(axis=0), color=OKABE_ITO[i], alpha=0.18, lw=0)
        said.append(f"{_SHOWN_USES[name]} " + ", ".join(f"{w} words {v:.2f}" for w, v in zip(words, mean, strict=True)))
    ax.axvline(trained_to + 0.5, color=INK, lw=1.2, ls=(0, (4, 3)))
    ax.text(trained_to + 0.4, 0.5, "longest in training", rotation=90, ha="right", va="center", fontsize=9)
    ax.set(ylim=(-0.04, 1.04), xlabel="words of the source", ylabel="exact match, held-out numbers", title=title)
    ax.set_xticks(words)
    ax.legend(loc="lower left")
    show(figure, f"{title}. Trained on sources of up to {trained_to} words. {'; '.join(said)}.")
