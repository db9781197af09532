"""Parts of the diagrams: legible inks, roles told apart, rounded arrows that end where they should."""

import itertools

import matplotlib as mpl
import numpy as np
import pytest
from helpers import drawing
from helpers.plots import INKS, ROLES
from matplotlib.colors import to_rgb

mpl.use("Agg")


def luminance(colour):
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))


def deuteranope(colour):
    """Simulate how a reader without the receptor for green sees a colour (Machado and others, 2009)."""
    matrix = [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    return np.clip(np.dot(matrix, np.power(to_rgb(colour), 2.2)), 0, 1) ** (1 / 2.2)


@pytest.mark.parametrize("role", ROLES)
def test_the_ink_of_a_role_is_legible_on_paper(role):
    assert 1.05 / (luminance(INKS[role]) + 0.05) >= 4.5


@pytest.mark.parametrize("pair", list(itertools.combinations(ROLES, 2)), ids="-".join)
def test_roles_are_told_apart_without_the_green_receptor(pair):
    first, second = (deuteranope(ROLES[role]) for role in pair)
    assert np.abs(first - second).max() > 0.1


def test_a_path_with_rounded_corners_keeps_its_ends():
    path = drawing._rounded([(0, 0), (2, 0), (2, 3)], 0.2)
    assert path.vertices[0].tolist() == [0, 0]
    assert path.vertices[-1].tolist() == [2, 3]
    assert [1.8, 0] in np.round(path.vertices, 6).tolist()


def test_a_unit_is_as_long_in_every_diagram():
    for left, right, bottom, top in ((0, 10, 0, 4), (-3, 4, -1, 9)):
        figure, ax = drawing.make_canvas(left, right, bottom, top)
        figure.canvas.draw()
        (x0, y0), (x1, y1) = ax.transData.transform([(0, 0), (1, 1)])
        assert np.allclose((x1 - x0, y1 - y0), drawing.UNIT * figure.dpi)


def test_text_in_a_box_stands_out():
    _, ax = drawing.make_canvas(0, 4, 0, 4)
    for colour in (ROLES["encoder"], ROLES["decoder"]):
        drawing.draw_box(ax, 1, 1, "h", colour)
    assert [t.get_color() for t in ax.texts] == ["white", "black"]
