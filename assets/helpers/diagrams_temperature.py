"""How sharply a softmax chooses: temperature and scale."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, QUIET, ROLES, show


def _draw_shares(weights, words, title, across):
    """Draw weights as bars, with a line where all would be equal; give the figure."""
    even, top = 1 / len(words), 1.14 if max(weights) > 0.45 else 0.57
    figure, ax = plt.subplots(figsize=(6.4, 2.6))
    ax.bar(range(len(words)), weights, color=ROLES["weights"], edgecolor=INK, lw=0.8)
    ax.axhline(even, color=QUIET, ls="--", lw=1.2)
    ax.text(1.01, even, "even", transform=ax.get_yaxis_transform(), va="center", fontsize=9, color=QUIET)
    for j, weight in enumerate(weights):
        on_the_line = weight < even < weight + 0.11 * top
        ax.text(j, (even if on_the_line else weight) + 0.02 * top, f"{weight:.2f}", ha="center", fontsize=9)
    ax.set_xticks(range(len(words)), words)
    ax.set(ylim=(0, top), xlabel=across, ylabel="weight", title=title)
    ax.grid(axis="x", visible=False)
    return figure


def show_temperature(scores, words, query, temperature):
    """Show the weights of one query at a temperature, the share of the two largest, and how many words share.

    Args:
        scores: The scores, `(S,)`.
        words: The `S` words.
        query: The word that asks.
        temperature: The scores are divided by it before the softmax.
    """
    logits = np.asarray(scores, dtype=float) / temperature
    weights = np.exp(logits - logits.max())
    weights /= weights.sum()
    shared = np.exp(-np.sum(weights * np.log(np.maximum(weights, 1e-300))))
    figure = _draw_shares(weights, words, f"query: {query}, temperature {temperature:g}", "the words, as keys")
    told = {f"{w} (each)" if list(words).count(w) > 1 else w: f"{a:.3f}" for w, a in zip(words, weights, strict=True)}
    finding = f"Temperature {temperature:g}: the two largest weights add up to {np.sort(weights)[-2:].sum():.3f};\n"
    finding += f"they are as spread out as equal weights on {shared:.1f} words."
    finding += "\n" + ", ".join(f"{w} {a}" for w, a in told.items())
    show(figure, f"Bars of the weights of the query {query}. {finding}.")
    print(finding)


def show_divided_scores(width, divisor, count=8):
    """Show the weights of random keys when the scores are divided by a number, and how peaked they are on average.

    Args:
        width: Width K of query and keys, whose entries are random with variance 1.
        divisor: The scores are divided by it before the softmax.
        count: Number of keys.
    """
    rng = np.random.default_rng(1)
    scores = np.einsum("nk,nsk->ns", rng.normal(size=(300, width)), rng.normal(size=(300, count, width))) / divisor
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    sharp = weights.max(axis=1).mean()
    typical = np.sort(weights[np.abs(weights.max(axis=1) - sharp).argmin()])[::-1]
    title = f"K = {width}, scores divided by {divisor:g}: largest weight {sharp:.2f} on average"
    figure = _draw_shares(
        typical, ["largest", *map(str, range(2, count)), "smallest"], title, f"{count} keys, by their weights"
    )
    finding = f"K = {width}: scores divided by {divisor:g} have standard deviation {scores.std():.2f};\n"
    finding += f"the largest of {count} weights is {sharp:.2f} on average. sqrt(K) is {width**0.5:g}."
    show(figure, f"Bars of the weights of {count} random keys. {finding}")
    print(finding)
