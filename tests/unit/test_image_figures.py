"""Pictures of notebook 9: their alternative texts say what is where and where a model looks."""

import numpy as np
import pytest
from helpers import image_figures, scenes


@pytest.fixture
def said(monkeypatch):
    texts = []
    monkeypatch.setattr(image_figures, "show", lambda figure, alt: texts.append(alt))
    return texts


def test_a_scene_is_described_by_its_caption_and_its_boxes(said):
    data = scenes.make_captioned(1, seed=1)
    image_figures.show_scenes(data["images"], ["blue circle\nabove\ngreen cross"], "One", data["boxes"])
    (top, left, bottom, right), _ = data["boxes"][0].tolist()
    assert "blue circle, above, green cross" in said[0]
    assert f"a box in rows {top} to {bottom - 1}, columns {left} to {right - 1}" in said[0]


def test_a_look_is_inside_or_outside_its_box(said):
    cells = np.zeros((6, 6))
    cells[2, 3] = 0.5
    picture = scenes.draw_scene([("red", "circle", 8, 12)])
    image_figures.show_looks(
        picture, [cells] * 3, list("abc"), "Looks", [(2, 3, 4, 5), (0, 0, 2, 6), None], scene="A red circle."
    )
    assert "A red circle. Bright" in said[0]
    assert "a: largest in row 2, column 3 (0.50), inside the box of rows 2 to 3, columns 3 to 4" in said[0]
    assert "b: largest in row 2, column 3 (0.50), outside the box of rows 0 to 1, columns 0 to 5" in said[0]
    assert said[0].endswith("c: largest in row 2, column 3 (0.50).")


def test_curves_and_similarities_name_their_numbers(said):
    image_figures.show_sizes([10, 20], {"ViT": [[0.2, 0.4], [0.4, 0.6]]}, "Sizes", "share right", (0.25, "guessing"))
    assert "ViT 0.30 (0.20 to 0.40), 0.50 (0.40 to 0.60)" in said[0]
    table = np.eye(4)
    table[3] += table[0]
    image_figures.show_similarity(table, 2, "Alike")
    assert "row 0, column 0 is most similar to row 1, column 1" in said[1]
