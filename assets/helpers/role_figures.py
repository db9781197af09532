"""Figure of the experiments on heads and projections: one mark for each run."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, OKABE_ITO, QUIET, show

#: Colour and mark by what is measured.
_MARKS = {"giver": (OKABE_ITO[0], "o"), "receiver": (OKABE_ITO[1], "s"), "both": (INK, "D"),
          "new pairs": (INK, "D"), "training pairs": (OKABE_ITO[4], "v"), "run": (OKABE_ITO[2], "o")}  # fmt: skip
#: How figures name what is stored.
_SHOWN_RUNS = {
    "giver": "giver", "receiver": "receiver", "both": "both", "new pairs": "new pairs", "run": "a run",
    "training pairs": "training pairs", "nothing left out": "nothing left out", "without W_Q": "without W_Q",
    "without W_K": "without W_K", "one matrix for W_Q and W_K": "one matrix for W_Q and W_K",
    "without W_V": "without W_V", "one head": "one head", "two heads": "two heads",
    "one head, keys without names": "one head, keys without names",
    "one head, then 96 hidden units": "one head, then 96 hidden units",
    "two heads, then 96 hidden units": "two heads, then 96 hidden units",
}  # fmt: skip


def show_runs(results, title, xlabel, guessing=None):
    """Show shares of several runs, a row for each model and a mark for each run.

    Args:
        results: Dict from label to a dict from what is measured to a list of shares, one for each run.
        title: The message of the picture.
        xlabel: What a share is a share of.
        guessing: Optionally, the share of an even guess, drawn as a line.
    """
    figure, ax = plt.subplots(figsize=(6.4, 1.0 + 0.55 * len(results)))
    for place, series in enumerate(results.values()):
        for k, (name, runs) in enumerate(series.items()):
            colour, mark = _MARKS[name]
            y = place + 0.3 * (k - (len(series) - 1) / 2) + np.linspace(-0.09, 0.09, len(runs))  # equal runs stay apart
            label = None if place else _SHOWN_RUNS[name]
            ax.scatter(runs, y, marker=mark, s=42, fc=colour, ec=INK, lw=0.6, label=label, zorder=3, clip_on=False)
    ax.set_yticks(range(len(results)), [_SHOWN_RUNS.get(label, label) for label in results])
    ax.invert_yaxis()
    if guessing:
        ax.axvline(guessing, color=QUIET, lw=1, ls="--", label="guessing")
    ax.set(xlim=(-0.02, 1.02), xlabel=f"{xlabel}, one mark a run", title=title)
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    said = "; ".join(f"{_SHOWN_RUNS.get(label, label)}, {_SHOWN_RUNS[name]} {', '.join(f'{v:.2f}' for v in runs)}"
                     for label, series in results.items() for name, runs in series.items())  # fmt: skip
    show(figure, f"{title}. {xlabel}: {said}.")


def show_parts(stored):
    """Show the stored runs with parts of the head left out.

    Args:
        stored: `STORED_HEADS`.
    """
    results = {name: {"run": runs} for name, runs in stored["parts"].items()}
    title = "W_Q or W_K may be left out, but one matrix cannot serve as both"
    show_runs(results, title, "accuracy, new sentences", guessing=0.2)


def show_readers(stored):
    """Show the stored runs of readers with one head and with two.

    Args:
        stored: `STORED_HEADS`.
    """
    title = "Only readers with two heads get many new pairs right"
    show_runs(stored["roles"], title, "share of sentences with both roles right")
