"""The picture of Transformers with other positions: exact match beyond the trained length."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, MARKERS, OKABE_ITO, show

#: What the kinds of position are called; in this order they have the colours and marks that they have in notebook 5.
_SHOWN_KINDS = {"none": "none", "sines": "sines", "relative": "relative", "rotary": "rotary"}


def show_longer_sources(stored, title):
    """Show exact match against the number of source words, the mean over seeds and their range.

    Args:
        stored: Table of `assets/experiments/translator_positions.py`.
        title: The message of the picture.
    """
    words, longest = stored["words"], stored["trained_to"]
    figure, ax = plt.subplots(figsize=(6.6, 3.6), layout="constrained")
    said = []
    for kind, runs in stored["curves"].items():
        i, runs = list(_SHOWN_KINDS).index(kind), np.asarray(runs, dtype=float)
        mean = runs.mean(axis=0)
        ax.plot(words, mean, color=OKABE_ITO[i], marker=MARKERS[i], ms=6, label=_SHOWN_KINDS[kind])
        ax.fill_between(words, runs.min(axis=0), runs.max(axis=0), color=OKABE_ITO[i], alpha=0.18, lw=0)
        said.append(f"{_SHOWN_KINDS[kind]} " + ", ".join(f"{w}: {v:.2f}" for w, v in zip(words, mean, strict=True)))
    ax.axvline(longest + 0.5, color=INK, lw=1.2, ls=(0, (4, 3)))
    ax.text(longest + 0.4, 0.5, "longest in training", rotation=90, ha="right", va="center", fontsize=9)
    ax.set(ylim=(-0.04, 1.04), xlabel="words of the source", ylabel="exact match, held-out numbers", title=title)
    ax.set_xticks(words)
    ax.legend(loc="lower left")
    show(figure, f"{title}. Trained on sources of up to {longest} words; means by number of words. {'; '.join(said)}.")
