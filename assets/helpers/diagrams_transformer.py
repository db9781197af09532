"""Pictures of the Transformer: a layer with its norm in two places, and the whole."""

from helpers.drawing import (
    draw_arrow,
    draw_box,
    draw_frame,
    draw_plus,
    draw_shape,
    draw_text,
    draw_wave,
    make_canvas,
    tint,
)
from helpers.plots import PAPER, ROLES, show

_WIDTH, _HIGH = 3.4, 0.72  # of a sublayer's box
_RISE = 2.61  # from one sublayer to the next
#: How the pictures name the parts.
_SHOWN_BOXES = {
    "self-attention": "self-attention", "causal self-attention": "causal self-attention", "encoder": "encoder",
    "cross-attention": "cross-attention", "feed-forward": "feed-forward", "decoder": "decoder",
    "post-norm": "post-norm", "pre-norm": "pre-norm",
}  # fmt: skip
_FEEDS = (("value", "V", -0.95), ("key", "K", 0.0), ("query", "Q", 0.95))


def _feed(ax, x, y, text, memory=None):
    """Draw what enters a sublayer, from y to its box 0.76 above. Keys and values come from x = `memory`, if given."""
    low, edge = y + 0.76, _WIDTH / 2
    if not text.endswith("attention"):
        draw_arrow(ax, (x, y), (x, low))
    elif memory is None:
        draw_arrow(ax, (x, y), (x, y + 0.36), head=False)
        for kind, letter, dx in _FEEDS:
            start = ((x, y + 0.32), (x + dx, y + 0.32)) if dx else ((x, y + 0.32),)
            draw_arrow(ax, *start, (x + dx, low), colour=kind, width=1.8)
            draw_text(ax, x + dx + 0.12, y + 0.55, letter, size=8.5, colour=kind, ha="left")
    else:
        draw_arrow(ax, (x, y), (x, low), colour="query", width=1.8)
        draw_text(ax, x + 0.12, y + 0.55, "Q", size=8.5, colour="query", ha="left")
        box = low + _HIGH / 2
        for (kind, letter, _), dy in zip(_FEEDS[:2], (-0.18, 0.18), strict=True):
            draw_arrow(ax, (memory, box + dy), (x - edge, box + dy), colour=kind, width=1.8)
            where = {"va": "top" if dy < 0 else "bottom", "ha": "right"}
            draw_text(ax, x - edge - 0.3, box + 1.5 * dy, letter, size=8.5, colour=kind, **where)


def _sublayer(ax, x, y, text, role, side, memory=None, norm_first=False):
    """Draw one sublayer with its residual path and its norm upwards from y; return the y above it."""
    start = y + (0.9 if norm_first else 0)  # a pre-norm sublayer has its norm below the box
    box, plus = start + 0.76 + _HIGH / 2, start + 1.84
    top = plus + (0.37 if norm_first else 0.56)
    fill = tint(ROLES[role], 0.45 if text.endswith("attention") else 0.18)
    draw_box(ax, x, box, _SHOWN_BOXES[text], fill, _WIDTH, _HIGH)
    _feed(ax, x, start, text, memory)
    draw_arrow(ax, (x, box + _HIGH / 2), (x, top), head=False)
    detour = x + side * (_WIDTH / 2 + 0.42)
    fork = y + (0.2 if norm_first else 0.14)
    draw_arrow(ax, (x, fork), (detour, fork), (detour, plus), (x + side * 0.19, plus), width=2.2, radius=0.3)
    draw_plus(ax, x, plus)
    if norm_first:
        draw_arrow(ax, (x, y), (x, y + 0.48))
    draw_box(ax, x, y + 0.69 if norm_first else top, "layer norm", PAPER, _WIDTH, 0.42, size=9)
    return top if norm_first else y + _RISE


def show_norms_diagram():
    """Show a post-norm and a pre-norm encoder layer side by side."""
    figure, ax = make_canvas(-2.6, 12.2, -0.65, 7.55)
    for x, side, name in ((0.0, -1, "post-norm"), (7.4, 1, "pre-norm")):
        draw_text(ax, x, -0.35, "$x$")
        draw_shape(ax, x + 0.25, -0.35, "(B, S, D)")
        y = -0.1
        for text in ("self-attention", "feed-forward"):
            y = _sublayer(ax, x, y, text, "encoder", side, norm_first=name == "pre-norm")
        draw_arrow(ax, (x, y), (x, y + 0.6))
        draw_shape(ax, x + 0.2, y + 0.3, "(B, S, D)")
        draw_text(ax, x, y + 0.9, _SHOWN_BOXES[name], size=12, colour="encoder", weight="bold")
    draw_shape(ax, 2.0, 2.3, "every signal\npasses this norm")
    draw_shape(ax, 7.4 + _WIDTH / 2 + 0.62, 1.6, "no norm\non this path")
    draw_text(ax, -2.4, 1.0, "residual", size=9, rotation=90)
    show(
        figure,
        "Diagram of two encoder layers, from x (B, S, D) upwards. Post-norm: self-attention, which makes queries, keys "
        "and values of x; its result is added to x, which comes along a residual path; layer norm of the sum; then "
        "feed-forward, residual, layer norm in the same way. Pre-norm: layer norm, self-attention, then the sum with "
        "the x that came in, and no norm of the sum; layer norm, feed-forward, sum. Along the residual paths of the "
        "pre-norm layer there is no norm.",
    )


def _inputs(ax, x, words, role, size, side):
    """Draw words, embedding and positions below a stack of layers; give the y where the stream goes on."""
    draw_text(ax, x, -0.4, " ".join(words), size=11, style="italic")
    draw_arrow(ax, (x, -0.12), (x, 0.24))
    draw_box(ax, x, 0.6, r"embedding $\times\,\sqrt{D}$", tint(ROLES[role], 0.18), _WIDTH, _HIGH)
    draw_arrow(ax, (x, 0.96), (x, 1.41))
    draw_plus(ax, x, 1.6)
    outside = x + side * 2.6
    draw_wave(ax, outside, 1.6)
    draw_text(ax, outside, 1.22, "positions", size=9, va="top")
    draw_arrow(ax, (outside - side * 0.75, 1.6), (x + side * 0.19, 1.6))
    draw_arrow(ax, (x, 1.79), (x, 2.4), head=False)
    draw_shape(ax, x - side * 0.2, 1.98, f"(B, {size}, D)", ha="right" if side > 0 else "left")
    return 2.4


def show_transformer_diagram(source, target, next_word):
    """Show the whole Transformer at the step that writes a word.

    Args:
        source: Words of the source.
        target: Words that the decoder reads, the start mark first.
        next_word: The word that is written at the last position.
    """
    figure, ax = make_canvas(-3.6, 11.0, -0.7, 13.15)
    left, right, top = 0.0, 7.4, 0.0
    parts = ("self-attention", "feed-forward"), ("causal self-attention", "cross-attention", "feed-forward")
    stacks = (left, source, "encoder", "S", -1, parts[0]), (right, target, "decoder", "T", 1, parts[1])
    for x, words, role, size, side, names in stacks:
        y = low = _inputs(ax, x, words, role, size, side)
        for text in names:
            if text.startswith("cross"):
                trunk, cross = x - _WIDTH / 2 - 1.35, y + 1.12
                y = _sublayer(ax, x, y, text, role, side, trunk)
            else:
                y = _sublayer(ax, x, y, text, role, side)
        draw_frame(ax, x - 2.45, x + 2.45, low - 0.12, y + 0.2)
        stack = f"{_SHOWN_BOXES[role]}: N layers"
        draw_text(ax, x + side * 2.75, (low + y) / 2, stack, colour=role, rotation=90, weight="bold")
        top = y if role == "encoder" else top
    draw_arrow(ax, (left, top), (left, top + 0.75), (trunk, top + 0.75), (trunk, cross - 0.18), colour="encoder",
               width=2.4, head=False, radius=0.3)  # fmt: skip
    draw_text(ax, (left + trunk) / 2, top + 0.9, "memory: keys and values", colour="encoder", va="bottom")
    draw_shape(ax, (left + trunk) / 2, top + 0.6, "(B, S, D)", ha="center", va="top")
    draw_arrow(ax, (right, y), (right, y + 0.64))
    draw_box(ax, right, y + 1.0, "dense, softmax", tint(ROLES["decoder"], 0.18), _WIDTH, _HIGH)
    draw_arrow(ax, (right, y + 1.36), (right, y + 1.86))
    draw_shape(ax, right + 0.2, y + 1.58, "(B, T, vocab_size)")
    draw_text(ax, right, y + 2.15, next_word, size=12, weight="bold")
    show(
        figure,
        f"Diagram of the Transformer. Left, the encoder reads {' '.join(source)!r}: embedding times the root of D, "
        "plus positions, then N layers of self-attention and feed-forward, shape (B, S, D) throughout. Its output, the "
        "memory, gives keys and values to the cross-attention of every decoder layer, whose queries come from the "
        f"decoder. Right, the decoder reads {' '.join(target)!r}: embedding, positions, N layers of causal "
        "self-attention, cross-attention and feed-forward, shape (B, T, D) throughout; a dense layer and softmax give "
        f"probabilities (B, T, vocab_size), at the last position for {next_word!r}. Residual paths lead round every "
        "sublayer, and there is no recurrence: attention is the only way between positions.",
    )
