"""The step of a decoder with attention, as a picture."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.drawing import draw_arrow, draw_box, draw_frame, draw_shape, draw_text, make_canvas
from helpers.plots import INK, PAPER, ROLES, show

_PITCH = 2.1  # from one source word to the next
# Heights of the rows: each annotation is drawn a second time above its weight, so no line has to cross a box or a line.
_WORDS, _KEYS, _SCORES, _BARS, _VALUES, _CONTEXT, _STATE, _OUTPUT = 0, 1.05, 2.75, 4.1, 6.8, 8.2, 9.45, 10.7


def _column(ax, x, number, word, score, weight):
    """Draw what belongs to one source word: word, annotation, score, bar of the weight, annotation times weight."""
    draw_text(ax, x, _WORDS, word)
    draw_arrow(ax, (x, 0.25), (x, _KEYS - 0.4))
    draw_box(ax, x, _KEYS, f"$h_{number}$", ROLES["encoder"], size=12)
    draw_arrow(ax, (x, _KEYS + 0.4), (x, _SCORES - 0.5), colour="key", width=1.8)
    draw_box(ax, x, _SCORES, f"{score:.1f}", PAPER, height=0.62)
    draw_arrow(ax, (x, _SCORES + 0.5), (x, _BARS - 0.25))
    height = 1.0 * weight
    ax.add_patch(plt.Rectangle((x - 0.4, _BARS), 0.8, height, fc=ROLES["weights"], ec=INK, lw=1.0, zorder=3))
    ax.plot([x - 0.55, x + 0.55], [_BARS, _BARS], color=INK, lw=1.2, zorder=4)
    draw_text(ax, x, _BARS + height + 0.24, f"{weight:.2f}")
    draw_arrow(ax, (x, _BARS + 1.65), (x, _VALUES - 0.4), colour="weights", width=1.8)
    draw_text(ax, x + 0.15, _VALUES - 0.65, f"times $h_{number}$", colour="value", ha="left")
    draw_box(ax, x, _VALUES, f"{weight:.2f} $h_{number}$", ROLES["encoder"], width=1.5)


def _decoder(ax, middle, right, context, state, new_state, previous, word):
    """Draw the decoder's side: the states, the GRU, the output layer, and what the context enters."""
    draw_box(ax, middle, _CONTEXT, f"context {context}", ROLES["value"], width=2.2, height=0.72, size=11)
    draw_box(ax, right, _SCORES, state, ROLES["decoder"], size=12)
    draw_arrow(ax, (right, _SCORES + 0.4), (right, _CONTEXT - 0.4), colour="decoder", width=1.8)
    draw_box(ax, right, _CONTEXT, "GRU", "#E8E8E8")
    draw_arrow(ax, (middle + 1.1, _CONTEXT), (right - 0.55, _CONTEXT), colour="value", width=2.4)
    draw_text(ax, right + 1.4, _CONTEXT, previous, ha="left")
    draw_arrow(ax, (right + 1.3, _CONTEXT), (right + 0.55, _CONTEXT))
    draw_arrow(ax, (right, _CONTEXT + 0.4), (right, _STATE - 0.4), colour="decoder", width=1.8)
    draw_box(ax, right, _STATE, new_state, ROLES["decoder"], size=12)
    draw_arrow(ax, (right, _STATE + 0.4), (right, _OUTPUT - 0.36), colour="decoder", width=1.8)
    draw_box(ax, right, _OUTPUT, "output layer", "#E8E8E8", width=2.2, height=0.72)
    draw_arrow(ax, (middle, _CONTEXT + 0.36), (middle, _OUTPUT), (right - 1.1, _OUTPUT), colour="value", width=2.4)
    draw_arrow(ax, (right + 1.1, _OUTPUT), (right + 1.75, _OUTPUT))
    draw_text(ax, right + 1.85, _OUTPUT, word, size=11, ha="left", weight="bold")


def show_attention_step(words, scores, state, new_state, previous, word):
    """Show one step of a decoder with attention: scores, softmax, weighted sum, context, new state, word.

    Args:
        words: The `S` source words.
        scores: Their scores, `(S,)`.
        state: Name of the previous state.
        new_state: Name of the new state.
        previous: The word written last.
        word: The word that is written.
    """
    scores = np.asarray(scores, dtype=float)
    weights = np.exp(scores - scores.max())
    weights /= weights.sum()
    columns = _PITCH * np.arange(len(words))
    middle, right = columns.mean(), columns[-1] + 3.1
    figure, ax = make_canvas(-4.6, right + 3.7, -0.35, _OUTPUT + 0.6)
    left, end = columns[0] - 0.85, columns[-1] + 0.85
    draw_frame(ax, left, end, _SCORES - 0.5, _SCORES + 0.5)
    draw_frame(ax, left, end, _BARS - 0.25, _BARS + 1.65)
    for number, x in enumerate(columns):
        _column(ax, x, number + 1, words[number], scores[number], weights[number])
        meet = middle + 0.6 * (number - (len(words) - 1) / 2)
        draw_arrow(ax, (x, _VALUES + 0.4), (meet, _CONTEXT - 0.36), colour="value", width=1.0 + 4 * weights[number])
    draw_arrow(ax, (right - 0.55, _SCORES), (end, _SCORES), colour="query", width=1.8)
    draw_text(ax, (right - 0.55 + end) / 2 + 0.1, _SCORES + 0.3, "query", colour="query")
    draw_text(ax, columns[0] - 0.15, (_KEYS + _SCORES) / 2 - 0.05, "key", colour="key", ha="right")
    context = new_state.replace("s", "c")  # of the same step
    _decoder(ax, middle, right, context, state, new_state, previous, word)
    rows = (
        (_WORDS, "source words", "(S,)"),
        (_KEYS, "annotations", "(S, E)"),
        (_SCORES, "1  scores", "(S,)"),
        (_BARS + 0.7, "2  softmax: weights", "(S,)"),
        (_VALUES, "3  weighted values", "(S, E)"),
        (_CONTEXT, "    their sum", "(E,)"),
        (_STATE, "4  new state", "(U,)"),
        (_OUTPUT, "word", ""),
    )
    for y, text, shape in rows:
        draw_text(ax, -4.5, y, text, ha="left")
        draw_shape(ax, left - 0.15, y, shape, ha="right")
    told = ", ".join(f"{name} score {s:.1f} weight {w:.2f}" for name, s, w in zip(words, scores, weights, strict=True))
    story = (
        f"One step of a decoder with attention. The previous state {state} is the query, the annotations are keys and "
        f"values. {told}. The sum of the annotations, each times its weight, is the context {context}. It enters the "
        f"GRU together with the word written last, {previous}, and {state}. The GRU makes the new state {new_state}. "
        f"The output layer computes the word {word} from two things: {new_state} and the context."
    )
    show(figure, story.replace("$", "").replace("_", ""))
