"""Figures of notebook 1's experiments on the vector: its width, and the bits that its values keep."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.bottleneck_runs import write_rounded
from helpers.number_reading import read_number
from helpers.number_words import GERMAN, PAD, decode_ids
from helpers.plots import INK, MARKERS, OKABE_ITO, QUIET, show
from helpers.tables import to_width


def show_widths(stored, live=None):
    """Show exact match at four digits against the width of the vector, a point for each run and a bar for each mean.

    Runs with more epochs are not drawn, but printed below the others.

    Args:
        stored: `STORED_WIDTHS`.
        live: Exact match at four digits of the reader's own run, whose vector has 8 values, or None.
    """
    figure, ax = plt.subplots(figsize=(6.4, 3.5))
    said, drawn_from = [], f"{stored['counts'][-1]} held-out numbers of four digits"
    for i, (way, label) in enumerate((("first state", "given once"), ("every step", "given at every step"))):
        colour = OKABE_ITO[i]
        for width, runs in stored[way].items():
            shares = np.array(runs)[:, -1]
            place = np.log2(width) + (0.19 * (2 * i - 1) if width in stored["every step"] else 0)
            spread = place + np.linspace(-0.13, 0.13, len(shares))  # so that equal runs do not hide each other
            ax.plot(spread, shares, ls="", marker=MARKERS[i], ms=6, mfc="none", mec=colour, label=label)
            ax.hlines(shares.mean(), place - 0.17, place + 0.17, color=colour, lw=2)
            label = None
            said.append(
                f"width {width:2}, {'given once' if i == 0 else 'at every step'}: mean {shares.mean():.3f}, "
                f"from {shares.min():.3f} to {shares.max():.3f}"
            )
    if live is not None:
        ax.plot(np.log2(8) - 0.19, live, ls="", marker="*", ms=11, color=INK, label="your run, given once")
        said.append(f"width  8, given once, your run: {live:.3f}")
    for width in stored["first state"]:  # a strip for each width, so that what is beside its tick belongs to it
        ax.axvspan(np.log2(width) - 0.42, np.log2(width) + 0.42, color="#F2F2F2", lw=0, zorder=0)
    ax.grid(axis="x", visible=False)
    ax.set_xticks(np.log2(list(stored["first state"])), list(stored["first state"]))
    ax.set(
        xlabel="values in the vector (encoder and decoder: 32 units)",
        ylabel="exact match, 4 digits",
        ylim=(-0.04, 1.04),
    )
    ax.set_title("The width of the vector (points: single seeds, bars: their means)")
    ax.legend(loc="lower right")
    heading = f"exact match on {drawn_from}; stored runs, {len(shares)} seeds a width unless stated:"
    drawn = "; ".join(said)
    for way in [way for way in stored if way.endswith("the epochs")]:
        times = int(way.partition(", ")[2].split()[0])
        for width, runs in stored[way].items():
            shares = np.array(runs)[:, -1]
            said.append(
                f"width {width:2}, given once, {times} x the epochs, {len(shares)} seeds: "
                f"mean {shares.mean():.3f}, from {shares.min():.3f} to {shares.max():.3f}"
            )
    show(figure, f"Exact match against the width of the vector. {heading} {drawn}.")
    print("\n".join([heading, *said]))


def show_bits(kept, unrounded, count):
    """Show exact match on all held-out numbers against the bits that each value of the vector keeps.

    Args:
        kept: Exact match for each number of bits.
        unrounded: Exact match without rounding.
        count: How many held-out numbers there are.
    """
    figure, ax = plt.subplots(figsize=(6.2, 3.2))
    ax.plot(list(kept), list(kept.values()), color=OKABE_ITO[0], marker="o", ms=7, label="rounded after training")
    ax.axhline(unrounded, color=INK, lw=1.2, ls=":", label="not rounded (32 bits per value)")
    ax.set_xticks(list(kept), [f"{bits}\n({32 * bits})" for bits in kept])
    ax.set(ylim=(-0.02, None), xlabel="bits per value (in the whole vector)", ylabel="exact match, all lengths")
    ax.set_title("Exact match when the trained vector is rounded")
    ax.legend(loc="lower right")
    each = {to_width(_bits(bits) + " per value", 16): (32 * bits, share) for bits, share in kept.items()}
    said = [f"{name}{size:4} in the vector: {share:.3f}" for name, (size, share) in each.items()]
    said.append(f"{to_width('not rounded', 35)}: {unrounded:.3f}")
    heading = f"exact match on all {count:,} held-out numbers:"
    show(figure, f"Exact match against the bits per value. {heading} {' '.join('; '.join(said).split())}.")
    print("\n".join([heading, *said]))


def _bits(bits):
    return f"{bits} bit{'s' * (bits > 1)}"


def show_rounded(writer, vectors, target, digits, bits, length, rounding=None):
    """Show one vector before and after rounding, what the decoder writes from both, and exact match with and without.

    Args:
        writer: A `Writer`.
        vectors: Float array `(N, U)`.
        target: Right ids `(N, 18)`.
        digits: Integer array `(N,)`.
        bits: Bits per value.
        length: Digits of the numbers that are looked at.
        rounding: `quantize` or None.
    """
    rows = digits == length
    before, after = writer.write(vectors[rows]), write_rounded(writer, vectors[rows], bits, rounding)
    right = [((says == target[rows]) | (target[rows] == PAD)).all(axis=1) for says in (before, after)]
    first = int(np.argmax(right[0]))  # a sentence that is right before rounding, if there is one
    exact = vectors[rows][first]
    levels = np.linspace(-1, 1, 2**bits)
    figure, ax = plt.subplots(figsize=(6.6, 2.6))
    if bits <= 4:
        for level in levels:
            ax.axhline(level, color=QUIET, lw=0.6)
        ax.grid(axis="y", visible=False)  # beside the levels it would look like more of them
    near = levels[np.abs(exact[:, None] - levels).argmin(axis=1)]
    places = np.arange(1, len(exact) + 1)
    ax.vlines(places, exact, near, color=OKABE_ITO[1], lw=1.5)
    ax.plot(places, near, "s", color=OKABE_ITO[1], ms=4, label=_bits(bits))
    ax.plot(places, exact, "o", mfc="none", mec=OKABE_ITO[0], ms=8, mew=1.5, label="exact")  # a ring hides no square
    ax.set_xticks([1, *range(4, len(exact) + 1, 4)])
    share = [float(r.mean()) for r in right]
    number = read_number(decode_ids(target[rows][first], GERMAN))
    ax.set(ylim=(-1.1, 1.1), xlabel="position in the vector", ylabel="value")
    ax.set_title(f"The vector of {number:,}, rounded to {_bits(bits)} per value")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    words = [" ".join(decode_ids(ids[first], GERMAN)) for ids in (before, after)]
    said = f"{_bits(bits)} per value: exact match {share[1]:.3f} on {rows.sum()} held-out numbers of {length} digits; "
    said += f"without rounding {share[0]:.3f}"
    show(figure, f"The 32 values of the vector of {number:,} and their nearest levels. {said}.")
    print(said)
    print(f"written from the exact vector of {number:,}: {words[0]}\nwritten from the rounded vector: {words[1]}")
