"""The step of a decoder with attention, as a picture."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.drawing import draw_arrow, draw_box, draw_frame, draw_shape, draw_text, make_canvas
from helpers.plots import INK, PAPER, ROLES, show

_PITCH, _BASE = 2.1, 4.15  # from one word to the next; where the bars of the weights stand


def _column(ax, x, number, word, score, weight):
    """Draw what belongs to one source word: the word, its annotation, its score and the bar of its weight."""
    draw_text(ax, x, 0, word)
    draw_arrow(ax, (x, 0.25), (x, 0.7))
    draw_box(ax, x, 1.1, f"$h_{number}$", ROLES["encoder"], size=12)
    draw_arrow(ax, (x + 0.2, 1.5), (x + 0.2, 2.39), colour="key", width=1.8)
    draw_box(ax, x, 2.7, f"{score:.1f}", PAPER, height=0.62)
    draw_arrow(ax, (x, 3.01), (x, 3.62))
    height = 1.2 * weight
    ax.add_patch(plt.Rectangle((x - 0.4, _BASE), 0.8, height, fc=ROLES["weights"], ec=INK, lw=1.0, zorder=3))
    ax.plot([x - 0.55, x + 0.55], [_BASE, _BASE], color=INK, lw=1.2, zorder=4)
    draw_text(ax, x, _BASE + height + 0.24, f"{weight:.2f}")


def show_attention_step(words, scores, state, new_state, previous, word):
    """Show one step of a decoder with attention: query, scores, softmax, weighted sum, context, new state.

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
    middle, right = columns.mean(), columns[-1] + 2.9
    figure, ax = make_canvas(-4.6, right + 2.7, -0.35, 8.85)
    draw_frame(ax, columns[0] - 0.85, columns[-1] + 0.85, 3.62, 6.05)
    for number, x in enumerate(columns):
        _column(ax, x, number + 1, words[number], scores[number], weights[number])
        meet = middle + 0.4 * (number - (len(words) - 1) / 2)
        # The annotation itself goes up, past its score, and counts as much as its weight says.
        width = 1.0 + 4 * weights[number]
        draw_arrow(ax, (x + 0.45, 1.1), (x + 0.7, 1.1), (x + 0.7, 6.1), (meet, 6.74), colour="value", width=width)
        draw_arrow(ax, (right, 2.3), (right, 1.95), (x - 0.25, 1.95), (x - 0.25, 2.39), colour="query", width=1.8)
    draw_text(ax, (columns[-1] + 0.55 + right) / 2 + 0.1, 2.22, "query", colour="query")
    draw_text(ax, columns[0] + 0.12, 1.72, "key", colour="key", ha="right")
    draw_text(ax, columns[-1] + 0.82, 1.1, "value", colour="value", ha="left")
    draw_box(ax, middle, 7.1, "context $c$", ROLES["value"], width=2.2, height=0.72, size=11)
    draw_box(ax, right, 2.7, state, ROLES["decoder"], size=12)
    draw_arrow(ax, (right, 3.1), (right, 6.7), colour="decoder", width=1.8)
    draw_box(ax, right, 7.1, "GRU", "#E8E8E8")
    draw_arrow(ax, (middle + 1.1, 7.1), (right - 0.55, 7.1), colour="value", width=2.4)
    draw_arrow(ax, (right, 7.5), (right, 8.0), colour="decoder", width=1.8)
    draw_box(ax, right, 8.4, new_state, ROLES["decoder"], size=12)
    draw_arrow(ax, (right + 1.2, 7.1), (right + 0.55, 7.1))
    draw_text(ax, right + 1.3, 7.1, previous, ha="left")
    draw_arrow(ax, (right + 0.55, 8.4), (right + 1.2, 8.4))
    draw_text(ax, right + 1.3, 8.4, word, size=11, ha="left", weight="bold")
    steps = (
        (0, "source words", "(S,)"),
        (1.1, "annotations", "(S, E)"),
        (2.7, "1  scores", "(S,)"),
        (4.85, "2  softmax: weights", "(S,)"),
        (7.1, "3  weighted sum", "(E,)"),
        (8.4, "4  new state", "(U,)"),
    )
    for y, text, shape in steps:
        draw_text(ax, -4.4, y, text, ha="left")
        draw_shape(ax, -1.0, y, shape, ha="right")
    told = ", ".join(f"{name} score {s:.1f} weight {w:.2f}" for name, s, w in zip(words, scores, weights, strict=True))
    story = (
        f"One step of a decoder with attention. The previous state {state} is the query. {told}. The weighted sum "
        f"of the annotations is the context, which enters the GRU together with the word written last, {previous}. "
        f"The GRU makes the new state {new_state}, from which the word {word} is written."
    )
    show(figure, story.replace("$", "").replace("_", ""))
