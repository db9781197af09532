"""Figures of notebook 1: what survives when the vector's numbers keep a few bits."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.bottleneck_runs import write_rounded
from helpers.number_words import GERMAN, PAD, decode_ids
from helpers.plots import INK, OKABE_ITO, QUIET, show


def show_bits(kept, unrounded):
    """Show the share of sentences that survive against the bits of each number.

    Args:
        kept: For each number of bits the share of sentences that are entirely right.
        unrounded: The share without rounding.
    """
    figure, ax = plt.subplots(figsize=(6.2, 3.2))
    ax.plot(list(kept), list(kept.values()), color=OKABE_ITO[0], marker="o", ms=7, label="rounded after training")
    ax.axhline(unrounded, color=INK, lw=1.2, ls=":", label="not rounded (32 bits each)")
    ax.set_xticks(list(kept), [f"{bits}\n({32 * bits})" for bits in kept])
    ax.set(ylim=(-0.02, None), xlabel="bits of each number (of the whole vector)", ylabel="exact match, all lengths")
    ax.set_title("Most of a float's 32 bits are spare, but one bit is not enough")
    ax.legend(loc="lower right")
    said = [f"{bits} bits each, {32 * bits:3} in the vector: {share:.3f}" for bits, share in kept.items()]
    said.append(f"not rounded: {unrounded:.3f}")
    show(figure, f"Exact match on all held-out numbers against the bits of each number. {'; '.join(said)}.")
    print("\n".join(said))


def show_rounded(writer, vectors, target, digits, bits, length, rounding=None):
    """Show one vector before and after rounding, what the decoder writes from both, and the share that survives.

    Args:
        writer: A `Writer`.
        vectors: Float array `(N, U)`.
        target: Right ids `(N, 18)`.
        digits: Integer array `(N,)`.
        bits: Bits of each number.
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
    near = levels[np.abs(exact[:, None] - levels).argmin(axis=1)]
    places = np.arange(1, len(exact) + 1)
    ax.vlines(places, exact, near, color=OKABE_ITO[1], lw=1.5)
    ax.plot(places, exact, "o", color=OKABE_ITO[0], ms=5, label="exact")
    ax.plot(places, near, "s", color=OKABE_ITO[1], ms=4, label=f"{bits} bits")
    share = [float(r.mean()) for r in right]
    ax.set(ylim=(-1.1, 1.1), xlabel="number in the vector", ylabel="value")
    ax.set_title(f"{bits} bits, {length} digits: {share[1]:.2f} right after rounding, {share[0]:.2f} before")
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1))
    words = [" ".join(decode_ids(ids[first], GERMAN)) for ids in (before, after)]
    said = f"{bits} bits, {length} digits: {share[1]:.3f} of {rows.sum()} entirely right, {share[0]:.3f} unrounded."
    show(figure, f"The numbers of one vector and their nearest levels. {said}")
    print(said)
    print(f"from the exact vector:   {words[0]}\nfrom the rounded vector: {words[1]}")
