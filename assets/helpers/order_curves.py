"""Curves of the experiment on order: right answers by length, and learned biases."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, MARKERS, OKABE_ITO, QUIET, show


def show_extrapolation(lengths, curves, trained):
    """Show the share of right answers against the length of the sequence.

    Args:
        lengths: Lengths of the test sequences, increasing.
        curves: For each kind of position an array `(runs, lengths)`.
        trained: The length seen in training.
    """
    figure, ax = plt.subplots(figsize=(7, 4.6), layout="constrained")
    words = []
    for i, (kind, runs) in enumerate(curves.items()):
        runs = np.atleast_2d(runs)
        ax.plot(lengths, runs.mean(axis=0), color=OKABE_ITO[i], marker=MARKERS[i], ms=6, label=kind)
        ax.plot(lengths, runs.T, color=OKABE_ITO[i], lw=0.8, alpha=0.45)
        words.append(f"{kind} {', '.join(f'{v:.2f}' for v in runs.mean(axis=0))}")
    fine = np.arange(trained, max(lengths) + 1)
    seen = trained * (trained - 1) / (fine * (fine - 1))  # both letters within the trained places
    ax.plot(fine, 0.5 + 0.5 * seen, color=INK, lw=1.3, ls=(0, (4, 3)), label="knows the first ten places only")
    ax.axhline(0.5, color=QUIET, lw=1)
    ax.text(trained, 0.492, "guessing", ha="left", va="top", fontsize=9, color="#555555")
    ax.set_xticks(lengths)
    ax.set(
        ylim=(0.3, 1.03),
        xlabel=f"letters in the sequence (trained on {trained})",
        ylabel="share right",
        title=f"Equal at {trained} letters, far apart beyond",
    )
    figure.legend(loc="outside lower center", ncols=3)
    show(
        figure,
        f"Share of right answers against length, for {', '.join(map(str, lengths))} letters, mean over the runs: "
        f"{'; '.join(words)}. A guide that knows the first {trained} places only falls from 1.00 towards 0.50.",
    )


def show_learned_biases(tables, shares, length):
    """Show what several runs learned as a bias per distance, and which run holds beyond the trained length.

    Args:
        tables: For each run the biases for the distances -R to R, `(runs, 2R+1)`.
        shares: For each run the share of right answers at the longer length.
        length: That length.
    """
    tables, worst = np.asarray(tables), int(np.argmin(shares))
    radius = tables.shape[1] // 2
    distances = np.arange(-radius, radius + 1)
    figure, ax = plt.subplots(figsize=(6.6, 3.4), layout="constrained")
    words = []
    for run, (table, share) in enumerate(zip(tables, shares, strict=True)):
        odd = run == worst
        style = {"color": INK, "ls": (0, (4, 2)), "marker": "s"} if odd else {"color": OKABE_ITO[2], "marker": "^"}
        low, high = (f"{f(np.delete(shares, worst)):.2f}" for f in (np.min, np.max))
        others = f"the other runs: {low if low == high else 'at least ' + low} right at {length}"
        label = f"run {run}: {share:.2f} right at {length}" if odd else others if run == (worst == 0) else None
        ax.plot(distances, table, ms=4, lw=1.4, label=label, alpha=1.0 if odd else 0.65, **style)
        words.append(
            f"run {run} ({share:.2f} right): {table[0]:.2f} at -{radius}, {table[radius - 1]:.2f} at -1, "
            f"{table[radius + 1]:.2f} at 1, {table[-1]:.2f} at {radius}"
        )
    ax.axhline(0, color=INK, lw=0.8)
    ax.set_xticks(distances)
    ax.set(
        xlabel="distance: place of the key minus place of the query",
        ylabel="bias",
        title="In one run far left and far right have nearly the same bias",
    )
    figure.legend(loc="outside lower center", ncols=2)
    show(figure, f"Learned bias against distance, one line per run. {'; '.join(words)}.")
    gaps = ", ".join(f"{abs(table[-1] - table[0]):.2f}" for table in tables)
    print(f"gap between the outermost biases, by run: {gaps}")
