"""Curves of exact match by length, and of gradients by distance."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, MARKERS, OKABE_ITO, QUIET, show


def guess_trouble(guess):
    """Return why a guess cannot be drawn beside a curve for 1 to 9 digits; empty if it can, or if there is none."""
    if guess is None:
        return ""
    try:
        values = np.asarray(guess, dtype=float)
    except (TypeError, ValueError):
        return "it is not a list of nine fractions"
    if values.shape != (9,):
        return f"write nine fractions, one for each of 1, 2, ... 9 digits; yours has {values.size}"
    return "" if ((values >= 0) & (values <= 1)).all() else "write fractions from 0 to 1, such as 0.95, not 95"


def note_guess(guess):
    """Print whether a guess can be drawn later; nothing if there is none yet."""
    trouble = guess_trouble(guess)
    if trouble or guess is not None:
        print(f"this guess cannot be drawn: {trouble}" if trouble else "noted: your guess will be drawn in section 4")


def show_length_curves(curves, title, counts=None, guess=None, note=""):
    """Show exact match on held-out numbers against the count of digits.

    Args:
        curves: For each label nine values, for 1 to 9 digits, or an array `(runs, 9)`, of which the mean is drawn
            as a line and the range as a band.
        title: The message of the picture.
        counts: How many numbers each point stands for; written below the axis. A point of fewer than 10 is hollow.
        guess: Nine values guessed beforehand, drawn dashed; why others cannot be drawn is printed.
        note: What the alternative text says besides.
    """
    digits = np.arange(1, 10)
    figure, ax = plt.subplots(figsize=(6.6, 3.8))
    words, trouble = [], guess_trouble(guess)
    if trouble:
        print(f"your guess is not drawn: {trouble}")
    elif guess is not None:
        ax.plot(digits, guess, color=INK, ls=(0, (4, 3)), lw=1.4, marker="x", ms=6, label="your guess")
        words.append(f"your guess {', '.join(f'{v:.2f}' for v in guess)}")
    for i, (label, values) in enumerate(curves.items()):
        runs = np.atleast_2d(np.asarray(values, dtype=float))
        mean, colour = runs.mean(axis=0), OKABE_ITO[i % len(OKABE_ITO)]
        # The first curve is on top; the larger marks of those below it show around its own.
        look = {"color": colour, "marker": MARKERS[i % len(MARKERS)], "ms": 6 + i, "zorder": 3 - 0.1 * i}
        ax.plot(digits, mean, label=label, **look)
        few = np.array([] if counts is None else np.flatnonzero(np.asarray(counts) < 10), dtype=int)
        ax.plot(digits[few], mean[few], ls="", mfc="white", **look)
        if len(runs) > 1:
            ax.fill_between(digits, runs.min(axis=0), runs.max(axis=0), color=colour, alpha=0.18, lw=0)
        words.append(f"{label} {', '.join(f'{v:.2f}' for v in mean)}")
    labels = digits if counts is None else [f"{d}\nn={n}" for d, n in zip(digits, counts, strict=True)]
    ax.set_xticks(digits, labels)
    ax.set(ylim=(-0.04, 1.04), xlabel="digits of the number", ylabel="exact match, held-out numbers", title=title)
    many = {"loc": "upper center", "bbox_to_anchor": (0.5, -0.22), "ncols": 2 if len(words) == 4 else 3}
    ax.legend(**(many if len(words) > 3 else {"loc": "lower left"}))
    show(figure, f"Exact match against length. {title}. For 1 to 9 digits: {'; '.join(words)}. {note}".strip())


def show_gradient_curves(norms, title):
    """Show how the gradient of the last state fades with the distance of the input, on a logarithmic axis.

    Args:
        norms: For each label the norms for inputs 0, 1, 2, ... steps before the end.
        title: The message of the picture.
    """
    figure, ax = plt.subplots(figsize=(6.2, 3.3))
    words = []
    for i, (label, values) in enumerate(norms.items()):
        relative = np.asarray(values) / values[0]
        ax.semilogy(relative, color=OKABE_ITO[i], marker=MARKERS[i], ms=4, markevery=5, label=label)
        words.append(f"{label}: {relative[-1]:.0e} at distance {len(values) - 1}")
    ax.axhline(1, color=QUIET, lw=1)
    ax.set(
        xlabel="steps between the input and the last state", ylabel="gradient norm, relative to distance 0", title=title
    )
    ax.legend(loc="lower left")
    show(figure, f"Gradient norm of the last state with respect to earlier inputs. {title}. {'; '.join(words)}.")


def _apart(heights, gap):
    """Return heights, given from the largest to the smallest, moved down so that labels there do not overlap."""
    placed = []
    for height in heights:
        placed.append(min(height, placed[-1] - gap) if placed else height)
    return placed


def show_capacity(curves, counts, chosen, digits):
    """Show the curve of one model among the others, and say what it gets right at one length.

    Args:
        curves: For each label, which begins with the number of units, runs of nine values, for 1 to 9 digits.
        counts: How many numbers each point stands for.
        chosen: Which of the labels, from 0.
        digits: Digits of the number.
    """
    figure, ax = plt.subplots(figsize=(6.6, 3.3))
    places = np.arange(1, 10)
    means = {label: np.atleast_2d(runs).mean(axis=0) for label, runs in curves.items()}
    label = list(curves)[chosen]
    others = sorted((other for other in means if other != label), key=lambda other: -means[other][-1])
    heights = _apart([means[other][-1] for other in others], 0.09)
    for other, height in zip(others, heights, strict=True):
        ax.plot(places, means[other], color="#9A9A9A", lw=1.1, ls=(0, (4, 3)), zorder=2.5)  # dashed, on the chosen too
        ax.text(9.3, height, other, color="#6A6A6A", fontsize=8, va="center")
    every = np.atleast_2d(curves[label])
    ax.fill_between(places, every.min(axis=0), every.max(axis=0), color=OKABE_ITO[0], alpha=0.18, lw=0)
    mean, runs = means[label], every[:, digits - 1]
    ax.plot(places, mean, color=OKABE_ITO[0], lw=4, zorder=2.2)
    ax.plot(places, mean, ls="", color=OKABE_ITO[0], marker=MARKERS[0], zorder=3)
    few = np.flatnonzero(np.asarray(counts) < 10)
    ax.plot(places[few], mean[few], ls="", color=OKABE_ITO[0], marker=MARKERS[0], mfc="white", zorder=3)
    ax.axvline(digits, color=INK, lw=1, ls=":")
    ax.plot(digits, mean[digits - 1], "o", mfc="none", mec=INK, mew=2, ms=14, zorder=4)
    ax.set_xticks(places)
    length = f"{digits} digit{'s' * (digits > 1)}"
    title = f"{label}, {length}: exact match {mean[digits - 1]:.2f} (grey: the other models)"
    ax.set(ylim=(-0.04, 1.06), xlabel="digits of the number", ylabel="exact match, held-out numbers", title=title)
    good = [d for d in range(2, 10) if mean[d - 1] >= 0.5]
    spread = f"mean of {len(runs)} runs, from {runs.min():.2f} to {runs.max():.2f}" if len(runs) > 1 else "one run"
    finding = (
        f"{label}, {length}: exact match {mean[digits - 1]:.2f} ({spread}) on {counts[digits - 1]} held-out numbers. "
    )
    carried = f"At least 0.5 up to {good[-1]} digits. " if good else "It is below 0.5 at every length above 1. "
    carried += f"A {digits}-digit number carries {np.log2(9 * 10.0 ** (digits - 1)):.1f} bits; the vector, in float32, "
    carried += f"has {32 * int(label.split()[0]):,}."
    finding = f"{finding.strip()}\n{carried}"
    show(figure, f"Exact match against length for one model, the others in grey. {finding}")
    print(finding)
