"""Pick a head and a word, and read where that head looks from there."""

import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, OKABE_ITO, show
from helpers.widgets import capture_html
from IPython.display import display


def show_head_query(weights, words, head, position):
    """Draw and say where one head looks from one word.

    Args:
        weights: Array `(H, T, S)` with `T = S`.
        words: The `T` words.
        head: Number of the head, from 0.
        position: Position of the query, from 0.
    """
    row = np.asarray(weights)[head, position]
    best = int(row.argmax())
    finding = f"Head {head + 1}, query {words[position]!r}: most weight on {words[best]!r}, {row[best]:.2f}"
    entropy = float(-(row * np.log(np.maximum(row, 1e-12))).sum())
    figure, ax = plt.subplots(figsize=(5.6, 2.5))
    bars = ax.bar(range(len(words)), row, color=OKABE_ITO[4], edgecolor=INK, lw=0.8)
    bars[best].set_facecolor(OKABE_ITO[3])
    for place, value in enumerate(row):
        ax.text(place, value + 0.02, f"{value:.2f}", ha="center", va="bottom", fontsize=9)
    ax.set_xticks(range(len(words)), words)
    ax.set(ylim=(0, 1.16), ylabel="weight", title=finding)
    ax.grid(False, axis="x")
    print(f"{finding}. It spreads as if over {np.exp(entropy):.1f} words evenly.")
    show(figure, f"Bar chart of one row of weights. {finding}. All: " + ", ".join(
        f"{word} {value:.2f}" for word, value in zip(words, row, strict=True)))  # fmt: skip


def explore_heads(weights, words, head=0, position=1):
    """Choose head and query word from two lists and see the weights; works in ipywidgets 7 and 8 and by keyboard.

    Args:
        weights: Array `(H, T, S)` with `T = S`.
        words: The `T` words.
        head: The head to begin with, from 0.
        position: The query to begin with, from 0.
    """
    try:
        import ipywidgets as widgets
    except ImportError:  # no widgets here: the one picture still shows
        show_head_query(weights, words, head, position)
        return
    style = {"description_width": "initial"}
    places = [(f"{i + 1} {word}", i) for i, word in enumerate(words)]
    heads = widgets.Dropdown(
        options=[(f"head {h + 1}", h) for h in range(len(weights))], value=head, description="head", style=style
    )
    queries = widgets.Dropdown(options=places, value=position, description="query", style=style)

    def draw():
        return capture_html(lambda chosen: show_head_query(weights, words, *chosen), (heads.value, queries.value))

    picture = widgets.HTML(draw())

    def redraw(change):
        picture.value = draw()

    heads.observe(redraw, "value")
    queries.observe(redraw, "value")
    display(widgets.VBox([widgets.HBox([heads, queries]), picture]))
