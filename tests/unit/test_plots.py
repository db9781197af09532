"""Figures: alternative text, legible numbers, the right cells framed."""

import base64
import io

import helpers.plots as plots
import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

matplotlib.use("Agg")


@pytest.fixture
def shown(monkeypatch):
    bundles = []
    monkeypatch.setattr(plots, "display", lambda bundle, raw: bundles.append(bundle))
    return bundles


def test_show_gives_alternative_text_and_closes_the_figure(shown):
    figure, ax = plt.subplots()
    ax.plot([0, 1])
    plots.show(figure, 'A line from 0 to 1, "rising" <fast>')
    (bundle,) = shown
    assert bundle["text/plain"] == 'A line from 0 to 1, "rising" <fast>'
    assert 'alt="A line from 0 to 1, &quot;rising&quot; &lt;fast&gt;"' in bundle["text/html"]
    assert not plt.fignum_exists(figure.number)
    data = bundle["text/html"].split("base64,")[1].split('"')[0]
    assert 'width="' in bundle["text/html"]
    image = plt.imread(io.BytesIO(base64.b64decode(data)))
    assert image.shape[0] > 100
    assert image[..., :3].std() > 0


@pytest.mark.parametrize(("colour", "ink"), [((1, 1, 1), "black"), ((0, 0, 0), "white"), ((0.27, 0, 0.33, 1), "white")])
def test_ink_stands_out(colour, ink):
    assert plots.ink_on(colour) == ink


def test_show_weights_says_where_each_row_looks(shown):
    plots.show_weights(
        np.array([[0.1, 0.9], [0.7, 0.3]]), ["drei", "und"], ["twenty", "three"], "Title", gold=[{1}, set()]
    )
    assert "drei: three 0.90; und: twenty 0.70" in shown[0]["text/plain"]
    assert "Title" in shown[0]["text/plain"]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ([0.4, 0.2, 0.4], "the: cat, milk 0.40 each"),
        ([0.25, 0.25 + 1e-8, 0.5], "the: milk 0.50"),
        ([1 / 3, 1 / 3 + 1e-8, 1 / 3], "the: all keys 0.33 each"),
        ([0.349, 0.3, 0.351], "the: milk 0.35"),
    ],
    ids=["two share the first place", "a tie below the largest is none", "rounding is a tie", "close is no tie"],
)
def test_keys_that_share_the_largest_weight_are_all_named(row, said):
    assert plots.top_alignments([row], ["the"], ["cat", "drank", "milk"]) == said


def test_a_single_key_is_named():
    assert plots.top_alignments([[1.0]], ["the"], ["cat"]) == "the: cat 1.00"


@pytest.mark.parametrize(("size", "texts"), [(12, 144), (13, 0)])
def test_numbers_are_written_up_to_twelve(size, texts):
    figure, ax = plt.subplots()
    plots.draw_weights(ax, np.full((size, size), 1 / size), range(size), range(size))
    assert len(ax.texts) == texts
    plt.close(figure)


def test_gold_cells_are_framed_and_explained():
    figure, ax = plt.subplots()
    plots.draw_weights(ax, np.eye(3), "abc", "xyz", gold=[{0, 2}, set(), {1}])
    middles = [(p.get_x() + p.get_width() / 2, p.get_y() + p.get_height() / 2) for p in ax.patches]
    assert np.allclose(middles, [(0, 0), (2, 0), (1, 2)])
    assert "framed" in ax.get_xlabel()
    plt.close(figure)
