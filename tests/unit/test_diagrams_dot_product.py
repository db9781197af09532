"""The pictures of notebook 3 say in words what they show."""

import numpy as np
import pytest
from helpers import diagrams_dot_product as diagrams
from helpers import diagrams_masks, diagrams_temperature, plots


@pytest.fixture
def told(monkeypatch):
    """Collect the alternative texts, and draw each figure as it would be shown."""
    texts = []

    def shown(figure, alt):
        figure.canvas.draw()
        texts.append(alt)
        plots.plt.close(figure)

    for module in (diagrams, diagrams_masks, diagrams_temperature):
        monkeypatch.setattr(module, "show", shown)
    return texts


def test_soft_dictionary_tells_the_answer(told):
    keys = np.array([[1.0, 0.0], [0.0, 1.0]])
    diagrams.show_soft_dictionary(["cold", "hot"], keys, np.ones(2), "mild", np.array([0.25, 0.75]), [0.0, 40.0], "°")
    assert "cold weight 0.25 value 0" in told[0]
    assert "30.0 °" in told[0]


def test_masks_tell_who_sees_whom(told):
    diagrams_masks.show_masks({"a": np.eye(2, 3, dtype=bool), "b": np.ones((3, 2), dtype=bool)})
    assert "a: row 0 sees [0]; row 1 sees [1]" in told[0]
    assert "row 2 sees [0, 1]" in told[0]


def test_curves_tell_all_values(told):
    panels = [{"title": "one", "curves": {"x": [1, 10]}, "log": True}, {"title": "two", "curves": {"x": [0.1, 0.9]}}]
    diagrams.show_curves([2, 4], panels, "width", guess=[0.5, 0.25])
    assert "x: 1, 10" in told[0]
    assert "your guess: 0.5, 0.25" in told[0]


@pytest.mark.parametrize("count", [2, 4])
def test_maps_tell_the_largest_weights(told, count):
    diagrams.show_maps({f"map {i}": np.eye(2) for i in range(count)}, ["q", "r"], ["k", "l"])
    assert told[0].count("q: k 1.00; r: l 1.00") == count


@pytest.mark.parametrize(
    ("temperature", "spread"), [(1e-3, "equal weights on 1.0 words"), (1e6, "equal weights on 3.0 words")]
)
def test_temperature_tells_the_spread(told, capsys, temperature, spread):
    diagrams_temperature.show_temperature([0.0, 5.0, 1e4], ["a", "b", "c"], "q", temperature)
    assert spread in told[0]
    assert spread in capsys.readouterr().out


def test_temperature_tells_the_pair_and_repeated_words(told, capsys):
    diagrams_temperature.show_temperature([0.0, np.log(3), 0.0, np.log(3)], ["the", "cat", "the", "milk"], "drank", 1.0)
    assert "the two largest weights add up to 0.750" in told[0]
    assert "the (each) 0.125, cat 0.375, milk 0.375" in capsys.readouterr().out


def test_maps_hatch_what_is_forbidden(told):
    diagrams.show_maps({"one": np.eye(2), "two": np.eye(2)}, ["q", "r"], ["k", "l"], {"two": np.eye(2, dtype=bool)})
    assert "hatched, forbidden cells" in told[0]


@pytest.mark.parametrize(("width", "divisor"), [(16, 4), (64, 8), (256, 16)])
def test_dividing_by_the_root_of_the_width_gives_equal_sharpness(told, capsys, width, divisor):
    diagrams_temperature.show_divided_scores(width, divisor)
    diagrams_temperature.show_divided_scores(width, divisor / 4)
    lines = capsys.readouterr().out.splitlines()
    right, sharp = "\n".join(lines[:2]), lines[2]
    assert "is 0.36 on average" in right or "is 0.37 on average" in right
    assert f"sqrt(K) is {divisor}" in right
    assert right in told[0]
    assert "deviation 4.0" in sharp or "deviation 3.9" in sharp
