"""Sliders and lists: one call for each change, with all values; pictures and text as HTML."""

import sys

import ipywidgets
import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from helpers import explore as exploring
from helpers import plots
from IPython.core.interactiveshell import InteractiveShell

mpl.use("Agg")


@pytest.fixture
def shell():
    yield InteractiveShell.instance()
    InteractiveShell.clear_instance()


@pytest.fixture
def boxes(monkeypatch):
    shown = []
    monkeypatch.setattr(exploring, "display", lambda what, raw=False: shown.append(what))
    return shown


def test_capture_html_takes_figure_and_text(shell):
    def draw(value):
        figure, ax = plt.subplots(figsize=(1, 1))
        ax.plot([value])
        plots.show(figure, "a point")
        print("value <", value)

    picture, text = exploring.capture_html(draw, 3)
    assert 'alt="a point"' in picture
    assert "value &lt; 3" in text


def test_each_change_calls_with_all_values(boxes):
    seen = []
    controls = {"digits": (1, 9, 4), "temperature": (0.5, 2.0, 1.0, 0.5), "model": (["small", "large"], 1)}
    exploring.explore(lambda *values: seen.append(values), controls)
    digits, temperature, model, *_ = boxes[0].children
    digits.children[0].value = 7
    temperature.children[0].value = 1.5
    model.value = 0
    assert seen == [(4, 1.0, 1), (7, 1.0, 1), (7, 1.5, 1), (7, 1.5, 0)]


def test_a_slider_has_a_label_and_a_number_box_of_the_same_name(boxes):
    exploring.explore(lambda *values: None, {"digits": (1, 9, 4), "temperature": (0.5, 2.0, 1.0, 0.5)})
    for row, slider_kind, box_kind in zip(
        boxes[0].children[:2],
        (ipywidgets.IntSlider, ipywidgets.FloatSlider),
        (ipywidgets.BoundedIntText, ipywidgets.BoundedFloatText),
        strict=True,
    ):
        slider, box = row.children
        assert isinstance(slider, slider_kind)
        assert isinstance(box, box_kind)
        assert slider.description == box.description
        assert not slider.continuous_update
        assert (box.min, box.max, box.step) == (slider.min, slider.max, slider.step)


def test_the_number_box_moves_the_slider(boxes):
    seen = []
    exploring.explore(lambda *values: seen.append(values), {"digits": (1, 9, 4), "temperature": (0.5, 2.0, 1.0, 0.5)})
    (digits, box), (temperature, float_box) = (row.children for row in boxes[0].children[:2])
    box.value = 7
    float_box.value = 1.5
    assert (digits.value, temperature.value) == (7, 1.5)
    digits.value = 2
    assert box.value == 2
    assert seen == [(4, 1.0), (7, 1.0), (7, 1.5), (2, 1.5)]


def test_picture_and_text_follow_and_the_text_stays_the_same_widget(boxes):
    """A screen reader reads what changes in an element, not an element that comes instead of another."""
    exploring.explore(lambda digits: print(f"{digits} digits"), {"digits": (1, 9, 4)})
    row, picture, text = boxes[0].children
    assert "4 digits" in text.value
    row.children[0].value = 5
    assert boxes[0].children == (row, picture, text)
    assert "5 digits" in text.value
    assert "finding" in text._dom_classes


def test_a_list_may_hold_the_same_word_twice(boxes):
    seen = []
    exploring.explore(seen.append, {"word": (["und", "drei", "und"], 0)})
    boxes[0].children[0].index = 2
    assert seen == [0, 2]


def test_without_widgets_the_one_picture_shows(monkeypatch):
    monkeypatch.setitem(sys.modules, "ipywidgets", None)
    seen = []
    exploring.explore(lambda *values: seen.append(values), {"digits": (1, 9, 4), "model": (["a", "b"], 1)})
    assert seen == [(4, 1)]
