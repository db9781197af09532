"""Diagrams of the encoder-decoder and its bottleneck."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, OKABE_ITO, QUIET, show
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

_ENCODER, _DECODER, _NECK = OKABE_ITO[0], OKABE_ITO[1], OKABE_ITO[3]
_PITCH = 1.3  # from one word to the next


def _box(ax, x, y, text, colour, width=0.8, height=0.62):
    """Draw a rounded box with its centre at (x, y)."""
    shape = FancyBboxPatch(
        (x - width / 2, y - height / 2), width, height, boxstyle="round,pad=0,rounding_size=0.12", fc=colour, ec="none"
    )
    ax.add_patch(shape)
    ink = "white" if colour in (_ENCODER, _NECK) else "black"
    ax.text(x, y, text, ha="center", va="center", color=ink, fontsize=10)


def _arrow(ax, start, end, colour=INK, curve=0.0, width=1.4, style="-"):
    """Draw an arrow from one point to another."""
    arrow = FancyArrowPatch(
        start, end, arrowstyle="-|>", mutation_scale=10, lw=width, color=colour, linestyle=style,
        connectionstyle=f"arc3,rad={curve}", shrinkA=0, shrinkB=0,
    )  # fmt: skip
    ax.add_patch(arrow)


def _neck(ax, left, right, label):
    """Draw the bottleneck between two x positions: a band that is as high as a state at its ends and thin inside."""
    x = np.linspace(left, right, 80)
    share = np.abs((x - (left + right) / 2) / ((right - left) / 2))
    half = 0.06 + 0.25 * share**2.5
    ax.fill_between(x, -half, half, color=_NECK, lw=0)
    middle = (left + right) / 2
    ax.text(middle, 0.34, "bottleneck", ha="center", va="bottom", color=_NECK, fontsize=10, weight="bold")
    ax.text(middle, -0.36, label, ha="center", va="top", color=_NECK, fontsize=10)


def draw_encoder_decoder(ax, source, target, label):
    """Draw an encoder that reads, the one vector it hands over, and a decoder that writes.

    Args:
        ax: Matplotlib axes.
        source: Words that the encoder reads.
        target: Words that the decoder writes, without the end mark.
        label: What stands below the bottleneck.
    """
    written, read = [*target, "<end>"], ["<start>", *target]
    for i, word in enumerate(source):
        x = _PITCH * i
        _box(ax, x, 0, f"$h_{{{i + 1}}}$", _ENCODER)
        ax.text(x, -0.98, word, ha="center", va="center", color=INK, fontsize=10)
        _arrow(ax, (x, -0.78), (x, -0.34))
        if i:
            _arrow(ax, (x - _PITCH + 0.42, 0), (x - 0.42, 0), _ENCODER)
    left = _PITCH * (len(source) - 1) + 0.4
    first = left + 2.55
    _neck(ax, left, first - 0.4, label)
    for i, (word_in, word_out) in enumerate(zip(read, written, strict=True)):
        x = first + _PITCH * i
        _box(ax, x, 0, f"$s_{{{i + 1}}}$", _DECODER)
        ax.text(x, -0.98, word_in, ha="center", va="center", color="#6B6B6B" if i else INK, fontsize=10)
        ax.text(x, 0.98, word_out, ha="center", va="center", color=INK, fontsize=10)
        _arrow(ax, (x, -0.78), (x, -0.34))
        _arrow(ax, (x, 0.33), (x, 0.78))
        if i:
            _arrow(ax, (x - _PITCH + 0.42, 0), (x - 0.42, 0), _DECODER)
            before = x - _PITCH
            _arrow(ax, (before + 0.16, 0.8), (x - 0.2, -0.8), QUIET, 0.0, 0.9, (0, (3, 2)))
    last = first + _PITCH * len(target)
    spans = ((-0.5, left + 0.1, "encoder: reads", _ENCODER), (first - 0.5, last + 0.5, "decoder: writes", "#8A5A00"))
    for start, end, text, colour in spans:
        ax.plot((start, end), (1.45, 1.45), color=colour, lw=1.8, solid_capstyle="round")
        ax.text((start + end) / 2, 1.55, text, ha="center", va="bottom", color=colour, fontsize=11)
    ax.set(xlim=(-0.75, last + 0.75), ylim=(-1.25, 2.0))
    ax.set_aspect("equal")
    ax.axis("off")


def show_encoder_decoder(source, target, units):
    """Show the encoder-decoder for one sentence pair.

    Args:
        source: Words that the encoder reads.
        target: Words that the decoder writes, without the end mark.
        units: Size of the state that links the two.
    """
    figure, ax = plt.subplots(figsize=(min(8.5, 0.85 * (1.3 * (len(source) + len(target)) + 3.0)), 2.8))
    draw_encoder_decoder(ax, source, target, f"one vector,\n{units} numbers")
    alt = (
        f"Diagram of an encoder-decoder. The encoder reads {' '.join(source)!r}, one state per word. Only its last "
        f"state, {units} numbers, goes through a narrow bottleneck to the decoder, which writes {' '.join(target)!r} "
        "and an end mark; each word it writes is its next input. No other path leads from the source words to the "
        "decoder."
    )
    show(figure, alt)


def show_word_shares(share, words, title):
    """Show how often the word at each position is right, the words that the grammar gives away apart from the others.

    Args:
        share: Share of right words at each position.
        words: For each position the word that the grammar puts there, or None where it depends on the number.
        title: The message of the picture.
    """
    places = np.arange(1, len(share) + 1)
    free = np.array([word is None for word in words])
    figure, ax = plt.subplots(figsize=(6.6, 3.0))
    for these, colour, hatch, label in (
        (free, OKABE_ITO[0], None, "number word: only the vector can tell it"),
        (~free, "#D9D9D9", "///", "given by the form of the sentence"),
    ):
        ax.bar(places[these], np.asarray(share)[these], color=colour, hatch=hatch, ec="white", lw=0, label=label)
    ax.set_xticks(places, [word or "…" for word in words], rotation=60, ha="right", rotation_mode="anchor")
    ax.set(xlim=(0.3, 18.7), ylim=(0, 1.04), ylabel="share right", title=title)
    ax.grid(axis="x", visible=False)
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, -0.38), ncols=2)
    said = ", ".join(f"{word or 'number word'} {s:.2f}" for word, s in zip(words, share, strict=True))
    show(figure, f"Bars: share of right words at each position. {title}. In order: {said}.")
