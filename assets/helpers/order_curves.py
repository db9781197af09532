"""Curves of the experiment on order: accuracy by length, and learned biases."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, MARKERS, OKABE_ITO, QUIET, show

_LOOKS = ("learned", "sinusoidal", "relative", "rotary", "causal")  # a kind keeps its colour and mark
_RUNS = ("-", (0, (6, 2)), (0, (1, 1.2)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1, 1, 1, 1, 1)))  # runs of one kind
#: How figures name what is stored.
_SHOWN_CHANGES = {
    "learned": "learned", "sinusoidal": "sinusoidal", "relative": "relative", "rotary": "rotary", "causal": "causal",
    "as learned": "as learned", "outermost made equal": "outermost made equal", "as trained": "as trained",
    "outermost set to the mean of their side": "outermost set to the mean of their side",
    "distances clipped": "distances clipped", "distances squeezed": "distances squeezed",
}  # fmt: skip


def show_extrapolation(lengths, curves, trained):
    """Show the accuracy against the length of the sequence.

    Args:
        lengths: Lengths of the test sequences, increasing.
        curves: For each kind of position an array `(runs, lengths)`.
        trained: The length seen in training.
    """
    figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
    words = []
    for kind, runs in curves.items():
        i, runs = _LOOKS.index(kind), np.atleast_2d(runs)
        line = {"ls": (0, (1, 1.6)), "lw": 3} if kind == "causal" else {}  # what lies below it is seen
        line |= {"color": OKABE_ITO[i], "marker": MARKERS[i], "label": _SHOWN_CHANGES[kind]}
        ax.plot(lengths, runs.mean(axis=0), ms=6, **line)
        ax.plot(lengths, runs.T, color=OKABE_ITO[i], lw=0.8, alpha=0.45)
        words.append(f"{_SHOWN_CHANGES[kind]} {', '.join(f'{v:.2f}' for v in runs.mean(axis=0))}")
    fine = np.arange(trained, max(lengths) + 1)
    seen = trained * (trained - 1) / (fine * (fine - 1))  # both letters within the trained positions
    label = f"knows the first {trained} positions only"
    ax.plot(fine, 0.5 + 0.5 * seen, color=INK, lw=1.3, ls=(0, (4, 3)), label=label)
    for level, name, va, ha in ((1.0, "all right", "bottom", "right"), (0.5, "guessing", "top", "left")):
        ax.axhline(level, color=QUIET, lw=1, zorder=0)
        where = max(lengths) if ha == "right" else min(lengths)  # no curve is there
        ax.text(where, level + 0.04 * (level - 0.75), name, ha=ha, va=va, fontsize=9, color="#555555")
    ax.set_xticks(lengths)
    ax.set(
        ylim=(0.3, 1.08),
        xlabel=f"letters in the sequence (trained on {trained})",
        ylabel="accuracy",
        title=f"Equal at {trained} letters, far apart beyond",
    )
    figure.legend(loc="outside lower center", ncols=3)
    show(
        figure,
        f"Accuracy against length, for {', '.join(map(str, lengths))} letters, mean over the runs: "
        f"{'; '.join(words)}. A rule that knows the first {trained} positions only falls from 1.00 towards 0.50.",
    )


def show_learned_biases(tables):
    """Show what several runs learned as a bias per distance.

    Args:
        tables: For each run the biases for the distances -R to R, `(runs, 2R+1)`.
    """
    tables = np.asarray(tables)
    radius = tables.shape[1] // 2
    distances = np.arange(-radius, radius + 1)
    figure, ax = plt.subplots(figsize=(6.6, 3.4), layout="constrained")
    words, kind = [], _LOOKS.index("relative")
    look = {"color": OKABE_ITO[kind], "marker": MARKERS[kind], "ms": 4, "lw": 1.5}
    for run, table in enumerate(tables):
        ax.plot(distances, table, ls=_RUNS[run], label=f"run {run}", **look)
        words.append(
            f"run {run}: {table[0]:.2f} at -{radius}, {table[radius - 1]:.2f} at -1, {table[radius + 1]:.2f} at 1, "
            f"{table[-1]:.2f} at {radius}"
        )
    ax.axhline(0, color=INK, lw=0.8)
    ax.set_xticks(distances)
    title = "What the stored runs learned: each prefers far keys on one side"
    ax.set(xlabel="distance: position of the key minus position of the query", ylabel="bias", title=title)
    figure.legend(loc="outside lower center", ncols=5, handlelength=3.5)
    show(figure, f"Learned bias against distance, one line per run. {'; '.join(words)}.")


def show_changes(changed, length):
    """Show, as a dot for each run, what overwriting something in trained networks does to their answers.

    Args:
        changed: For each kind a dict from what was done to one accuracy per run.
        length: Letters in the sequences.
    """
    rows = [len(accuracies) for accuracies in changed.values()]
    figure, axes = plt.subplots(
        len(changed), 1, figsize=(7, 0.9 + 0.42 * sum(rows)), height_ratios=rows, sharex=True, layout="constrained",
        squeeze=False,
    )  # fmt: skip
    words = []
    for ax, (kind, accuracies) in zip(axes[:, 0], changed.items(), strict=True):
        i = _LOOKS.index(kind)
        for row, (name, runs) in enumerate(accuracies.items()):
            spread = row + 0.09 * (np.arange(len(runs)) - (len(runs) - 1) / 2)  # runs with one accuracy stay visible
            ax.plot(runs, spread, ls="", marker=MARKERS[i], ms=6, color=OKABE_ITO[i], alpha=0.8, mec=INK, mew=0.5)
            shown = f"{_SHOWN_CHANGES[kind]}, {_SHOWN_CHANGES.get(name, name)}"
            words.append(f"{shown}: {', '.join(f'{accuracy:.2f}' for accuracy in runs)}")
            print(words[-1])
        ax.axvline(0.5, color=QUIET, lw=1)
        ax.set_yticks(range(len(accuracies)), [_SHOWN_CHANGES.get(name, name) for name in accuracies])
        ax.set(title=_SHOWN_CHANGES[kind], xlim=(0.38, 1.03), ylim=(len(accuracies) - 0.5, -0.5))
    axes[-1, 0].set_xlabel(f"accuracy at {length} letters, one mark per run (line: guessing)")
    show(figure, f"Accuracy at {length} letters, a number for each run. {'; '.join(words)}.")
