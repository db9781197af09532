"""What helpers print and draw fits on a page of the web edition: lines that can be read, pictures not made smaller."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers import (
    curves,
    diagrams_rotations,
    diagrams_scaled,
    diagrams_temperature,
    gradient_tails,
    language_lesson,
    number_reading,
    translator_figures,
)
from helpers.number_words import END, GERMAN, translate_number
from helpers.stored_curves import STORED_CURVES

WIDEST = 100  # characters of a printed line on a page
PAGE = 800  # pixels


@pytest.fixture
def figures(monkeypatch):
    """Collect the figures instead of showing them."""
    drawn = []
    for module in (curves, diagrams_rotations, diagrams_scaled, diagrams_temperature, gradient_tails):
        monkeypatch.setattr(module, "show", lambda figure, alt: drawn.append(figure))
    monkeypatch.setattr(translator_figures, "show_weights", lambda *args, **more: None)
    yield drawn
    plt.close("all")


class Letters:
    """Subwords of one letter each."""

    symbols = tuple("abcdefgh ij")

    def __len__(self):
        return len(self.symbols)

    def encode(self, text):
        return [i % 8 for i in range(len(text))]

    def show(self, i):
        return self.symbols[int(i)]


def _mistakes():
    wrong = [GERMAN.index(word) for word in translate_number(777_777_777)[1]]
    number_reading.show_mistakes([888_888_888], np.array([[*wrong, END]]))


def _one_head():
    english, german, _ = translate_number(745_321)
    translator_figures.show_one_head(np.full((len(german), len(english)), 0.1), german, english, "a head")


PRINTING = {
    "wrong translations": _mistakes,
    "a curve among others": lambda: curves.show_capacity(
        STORED_CURVES["fixed"]["curves"], STORED_CURVES["fixed"]["counts"], 3, 9
    ),
    "a hand": lambda: diagrams_rotations.show_hand(3, 12),
    "divided scores": lambda: diagrams_temperature.show_divided_scores(256, 16),
    "gradients by width": lambda: gradient_tails.show_gradient_growth([16, 64], lengths=[8]),
    "a hidden text": lambda: language_lesson.print_hidden(None, Letters(), 40 * "some words "),
    "one head": _one_head,
}


@pytest.mark.parametrize("printing", PRINTING.values(), ids=PRINTING)
def test_printed_lines_fit(printing, figures, capsys):
    printing()
    lines = capsys.readouterr().out.splitlines()
    assert lines
    assert max(map(len, lines)) <= WIDEST


def test_the_diagram_of_attention_is_not_made_smaller_on_a_page(figures):
    diagrams_scaled.show_scaled_attention()
    assert figures[0].get_figwidth() * figures[0].dpi <= PAGE


@pytest.mark.parametrize("temperature", [0.2, 1.0, 5.0])
def test_no_weight_is_written_on_the_line_of_even_weights(figures, temperature):
    scores, words = [1.0, 2.5, 0.2, 2.6, 0.1, 1.0], ["the", "cat", "drank", "the", "warm", "milk"]
    diagrams_temperature.show_temperature(scores, words, "drank", temperature)
    figure = figures[0]
    figure.canvas.draw()
    ax = figure.axes[0]
    line = ax.transData.transform((0, 1 / len(words)))[1]
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text() != "even"]
    assert len(boxes) == len(words)
    assert not any(box.y0 < line < box.y1 for box in boxes)
