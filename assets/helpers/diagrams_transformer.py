"""Pictures of the Transformer: one layer of the encoder, one of the decoder, and the whole."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, OKABE_ITO, QUIET, show
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

#: One colour for each kind of part, light enough for black ink, and apart in grey.
PART_COLOURS = {"attention": "#9CC9E8", "masked": "#5FA3D3", "ffn": "#F6CF83", "norm": "#EDEDED",
                "words": "#BFE3D4", "output": "#F2B798"}  # fmt: skip
_WIDTH = 3.0


def _box(ax, x, y, text, kind, height=0.56, width=_WIDTH):
    """Draw a rounded box with its middle at (x, y)."""
    ax.add_patch(FancyBboxPatch((x - width / 2, y - height / 2), width, height, fc=PART_COLOURS[kind], ec=INK, lw=1.0,
                                boxstyle="round,pad=0,rounding_size=0.1", zorder=3))  # fmt: skip
    ax.text(x, y, text, ha="center", va="center", fontsize=8.5, color=INK, zorder=4)


def _path(ax, points, colour=INK, arrow=True, dashed=False):
    """Draw a line with corners; the last piece is an arrow."""
    style = {"color": colour, "lw": 1.4, "ls": (0, (3, 2)) if dashed else "-", "zorder": 2}
    cut = -1 if arrow else None
    xs, ys = zip(*points[:cut], strict=True) if len(points[:cut]) > 1 else ((), ())
    if xs:
        ax.plot(xs, ys, solid_capstyle="round", **style)
    if arrow:
        ax.add_patch(FancyArrowPatch(points[-2], points[-1], arrowstyle="-|>", mutation_scale=11, shrinkA=0, shrinkB=0,
                                     color=colour, lw=1.4, zorder=2))  # fmt: skip


def _sublayer(ax, x, y, text, kind, side):
    """Draw one sublayer on its residual stream from y upwards; give the y above its norm."""
    _path(ax, [(x, y), (x, y + 0.42)])
    _box(ax, x, y + 0.72, text, kind)
    _path(ax, [(x, y + 1.0), (x, y + 1.27)])
    detour = x + side * (_WIDTH / 2 + 0.32)
    _path(ax, [(x, y + 0.08), (detour, y + 0.08), (detour, y + 1.4), (x + side * 0.16, y + 1.4)], OKABE_ITO[0])
    ax.add_patch(plt.Circle((x, y + 1.4), 0.13, fc="white", ec=INK, lw=1.0, zorder=3))
    ax.text(x, y + 1.395, "+", ha="center", va="center", fontsize=10, zorder=4)
    _path(ax, [(x, y + 1.53), (x, y + 1.78)])
    _box(ax, x, y + 1.98, "layer norm", "norm", height=0.38)
    return y + 2.17


def _finish(ax, figure, title, xlim, ylim, alt):
    """Set limits and title, and show."""
    ax.set(xlim=xlim, ylim=ylim)
    ax.set_aspect("equal")
    ax.axis("off")
    ax.set_title(title, loc="center", pad=4)
    show(figure, alt)


def _frame(ax, x, low, high):
    """Frame a layer that is repeated."""
    width = _WIDTH + 1.15
    ax.add_patch(FancyBboxPatch((x - width / 2, low), width, high - low, fc="#FAFAFA", ec=QUIET, lw=1.0, ls="--",
                                boxstyle="round,pad=0,rounding_size=0.15", zorder=0))  # fmt: skip


def show_layers_diagram():
    """Show the encoder layer and the decoder layer side by side."""
    figure, ax = plt.subplots(figsize=(7.0, 5.4))
    y = 0.0
    ax.text(0, y - 0.14, "$x$  (B, S, D)", ha="center", va="top", fontsize=10)
    for text, kind in (("self-attention", "attention"), ("feed-forward", "ffn")):
        y = _sublayer(ax, 0, y, text, kind, -1)
    _path(ax, [(0, y), (0, y + 0.4)])
    ax.text(0, y + 0.45, "encoder layer: two sublayers", ha="center", va="bottom", fontsize=10)
    x, y = 6.0, 0.0
    ax.text(x, y - 0.14, "$x$  (B, T, D)", ha="center", va="top", fontsize=10)
    for text, kind in (("causal self-attention", "masked"), ("cross-attention", "attention"), ("feed-forward", "ffn")):
        if text.startswith("cross"):
            middle = y + 0.72
        y = _sublayer(ax, x, y, text, kind, 1)
    _path(ax, [(x, y), (x, y + 0.4)])
    ax.text(x, y + 0.45, "decoder layer: three sublayers", ha="center", va="bottom", fontsize=10)
    _path(ax, [(2.95, middle), (x - _WIDTH / 2 - 0.02, middle)], OKABE_ITO[3])
    ax.text(2.8, middle, "memory\n(B, S, D)", ha="right", va="center", fontsize=9)
    ax.text(3.75, middle + 0.1, "key, value", ha="center", va="bottom", fontsize=8.5, color=OKABE_ITO[3])
    ax.text(-2.05, 0.75, "residual", rotation=90, ha="center", va="center", fontsize=8.5, color=OKABE_ITO[0])
    alt = (
        "Diagram of one encoder layer and one decoder layer, post-norm. Encoder layer, from below: self-attention, "
        "added to its input by a residual connection, layer norm; feed-forward, residual, layer norm. Decoder layer, "
        "from below: causal self-attention, residual, layer norm; cross-attention, whose keys and values come from the "
        "memory, the output of the encoder, residual, layer norm; feed-forward, residual, layer norm."
    )
    _finish(ax, figure, "Every sublayer: compute, add to what came in, normalise", (-2.3, 8.1), (-0.5, 7.6), alt)


def show_transformer_diagram(source, target, next_word):
    """Show the whole Transformer at the step that writes a word.

    Args:
        source: Words of the source.
        target: Words that the decoder reads, the start mark first.
        next_word: The word that is written at the last position.
    """
    figure, ax = plt.subplots(figsize=(7.0, 6.6))
    left, right = 0.0, 6.4
    tops = {}
    for x, words, parts, side, name in (
        (left, source, (("self-attention", "attention"), ("feed-forward", "ffn")), -1, "encoder"),
        (right, target, (("causal self-attention", "masked"), ("cross-attention", "attention"),
                         ("feed-forward", "ffn")), 1, "decoder"),
    ):  # fmt: skip
        ax.text(x, -0.2, " ".join(words), ha="center", va="top", fontsize=10, style="italic")
        _path(ax, [(x, -0.1), (x, 0.22)])
        _box(ax, x, 0.5, "embedding times $\\sqrt{D}$", "words")
        _path(ax, [(x, 0.78), (x, 1.07)])
        ax.add_patch(plt.Circle((x, 1.2), 0.13, fc="white", ec=INK, zorder=3))
        ax.text(x, 1.195, "+", ha="center", va="center", fontsize=10, zorder=4)
        outside = x + side * 2.35
        wave = np.linspace(0, 4 * np.pi, 80)
        ax.plot(outside - 0.42 + wave / 15, 1.2 + 0.16 * np.sin(wave), color=OKABE_ITO[2], lw=1.5)
        ax.text(outside, 0.95, "positions", ha="center", va="top", fontsize=8.5)
        _path(ax, [(outside - side * 0.45, 1.2), (x + side * 0.16, 1.2)], OKABE_ITO[2])
        y = 1.33
        _path(ax, [(x, y), (x, y + 0.4)], arrow=False)
        low = y = y + 0.4
        for text, kind in parts:
            if text.startswith("cross"):
                tops["cross"] = y + 0.72
            y = _sublayer(ax, x, y, text, kind, side)
        _frame(ax, x, low - 0.12, y + 0.14)
        if x == left:
            ax.text(left - 2.3, (low + y) / 2, "N layers", rotation=90, ha="center", va="center", fontsize=10)
        else:
            ax.text(right + 2.3, (low + y) / 2, "N layers", rotation=90, ha="center", va="center", fontsize=10)
        tops[name] = y
    top = tops["encoder"]
    _path(ax, [(left, top), (left, top + 0.45), (3.2, top + 0.45)], OKABE_ITO[3], arrow=False)
    _path(ax, [(3.2, top + 0.45), (3.2, tops["cross"]), (right - _WIDTH / 2 - 0.02, tops["cross"])], OKABE_ITO[3])
    ax.text(1.6, top + 0.52, "memory: keys and values", ha="center", va="bottom", fontsize=9, color=OKABE_ITO[3])
    top = tops["decoder"]
    _path(ax, [(right, top), (right, top + 0.44)])
    _box(ax, right, top + 0.72, "dense, softmax", "output")
    _path(ax, [(right, top + 1.0), (right, top + 1.34)])
    ax.text(right, top + 1.4, next_word, ha="center", va="bottom", fontsize=11, weight="bold")
    alt = (
        f"Diagram of the Transformer. Left, the encoder reads {' '.join(source)!r}: embedding times the root of D, "
        "plus positions, then N layers of self-attention and feed-forward. Its output, the memory, gives keys and "
        f"values to the cross-attention of every decoder layer. Right, the decoder reads {' '.join(target)!r}: "
        "embedding, positions, N layers of causal self-attention, cross-attention and feed-forward, a dense layer and "
        f"a softmax, which at the last position gives {next_word!r}."
    )
    _finish(ax, figure, "No recurrence: attention is the only way between positions", (-3.0, 9.4), (-0.7, 10.35), alt)
