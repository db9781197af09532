"""Diagrams of the encoder-decoder and its bottleneck."""

import numpy as np
from helpers.drawing import draw_arrow, draw_box, draw_text, make_canvas
from helpers.plots import OKABE_ITO, QUIET, ROLES, show

_NECK = OKABE_ITO[3]
_PITCH = 1.75  # from one word to the next


def _neck(ax, left, right, label):
    """Draw the bottleneck between two x positions: a band that is as high as a state at its ends and thin inside."""
    x = np.linspace(left, right, 80)
    middle = (left + right) / 2
    half = 0.06 + 0.34 * np.abs((x - middle) / ((right - left) / 2)) ** 2.5
    ax.fill_between(x, -half, half, color=_NECK, lw=0, zorder=1)
    draw_text(ax, middle, 0.55, "bottleneck", size=11, colour="query", weight="bold")
    draw_text(ax, middle, -0.55, label, colour="query", va="top")


def show_encoder_decoder(source, target, units):
    """Show an encoder that reads, the one vector it hands over, and a decoder that writes.

    Args:
        source: Words that the encoder reads.
        target: Words that the decoder writes, without the end mark.
        units: Size of the state that links the two.
    """
    read = _PITCH * np.arange(len(source))
    written = read[-1] + 3.6 + _PITCH * np.arange(len(target) + 1)
    figure, ax = make_canvas(-0.95, written[-1] + 0.95, -1.75, 2.65)
    for i, (x, word) in enumerate(zip(read, source, strict=True)):
        draw_text(ax, x, -1.45, word)
        draw_arrow(ax, (x, -1.15), (x, -0.4))
        draw_box(ax, x, 0, f"$h_{{{i + 1}}}$", ROLES["encoder"], size=12)
        if i:
            draw_arrow(ax, (x - _PITCH + 0.55, 0), (x - 0.55, 0), colour="encoder", width=1.8)
    _neck(ax, read[-1] + 0.5, written[0] - 0.5, f"one vector,\n{units} values")
    for i, (x, word_in, word_out) in enumerate(zip(written, ["<start>", *target], [*target, "<end>"], strict=True)):
        draw_text(ax, x, -1.45, word_in)
        draw_arrow(ax, (x, -1.15), (x, -0.4))
        draw_box(ax, x, 0, f"$s_{{{i + 1}}}$", ROLES["decoder"], size=12)
        draw_arrow(ax, (x, 0.4), (x, 1.1))
        draw_text(ax, x, 1.35, word_out, weight="bold")
        if i:
            draw_arrow(ax, (x - _PITCH + 0.55, 0), (x - 0.55, 0), colour="decoder", width=1.8)
            half = x - _PITCH / 2  # each word is the next input
            draw_arrow(ax, (half - 0.3, 1.05), (half, 0.75), (half, -0.9), (half + 0.3, -1.25), colour=QUIET, width=1.1,
                       dashed=True)  # fmt: skip
    spans = ((read[0], read[-1], "encoder: reads", "encoder"), (written[0], written[-1], "decoder: writes", "decoder"))
    for start, end, text, role in spans:
        ax.plot((start - 0.55, end + 0.55), (1.95, 1.95), color=ROLES[role], lw=2.2, solid_capstyle="round")
        draw_text(ax, (start + end) / 2, 2.3, text, size=11, colour=role, weight="bold")
    show(
        figure,
        f"Diagram of an encoder-decoder. The encoder reads {' '.join(source)!r}, one state per word. Only its last "
        f"state, {units} values, goes through a narrow bottleneck to the decoder, which writes {' '.join(target)!r} "
        "and an end mark; each word it writes is its next input. No other path leads from the source words to the "
        "decoder.",
    )
