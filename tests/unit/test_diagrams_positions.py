"""Figures of notebook 5: each figure says in words what it shows."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from helpers import diagrams_positions, diagrams_rotations, order_curves


@pytest.fixture
def told(monkeypatch):
    """Collect the alternative texts instead of displaying the figures."""
    texts = []

    def show(figure, alt):
        figure.canvas.draw()
        plt.close(figure)
        texts.append(alt)

    for module in (diagrams_positions, diagrams_rotations, order_curves):
        monkeypatch.setattr(module, "show", show)
    return texts


def test_encodings_are_named(told):
    encodings = {"bits": np.eye(4, dtype="uint8"), "sines": np.ones((4, 12)) * np.arange(12)}  # no wrap at 0 - 1
    diagrams_positions.show_encodings(encodings, "Fast left")
    assert "bits; from row to row column 0 changes by 0.33 on average" in told[0]
    assert "sines; from row to row column 0 changes by 0.00 on average, the last by 0.000" in told[0]
    assert "Fast left" in told[0]


def test_the_range_of_products_at_a_distance_is_told(told):
    toeplitz = np.cos(np.subtract.outer(np.arange(20), np.arange(20)) / 10)
    diagrams_positions.show_gram({"even": toeplitz}, "Products")
    assert "even: product at distance 1 from 1.00 to 1.00" in told[0]
    assert f"at distance 8 from {np.cos(0.8):.2f} to {np.cos(0.8):.2f}" in told[0]


def test_angles_of_a_shift_and_scores_of_rotated_pairs_are_told(told):
    diagrams_rotations.show_shift(depth=4, position=1, offset=2, base=100.0)
    diagrams_rotations.show_rotary(0.5, ((1, 3), (4, 6), (1, 6)))
    assert "pair 1 rotates by 0.2 radians" in told[0]
    assert told[1].count("score 0.88") == 2


@pytest.mark.parametrize(
    ("pair", "position", "finding"), [(0, 0, "0.00 turns"), (15, 63, "no repetition"), (2, 40, "2.01 turns")]
)
def test_the_hand_says_what_there_is_to_see(told, capsys, pair, position, finding):
    diagrams_rotations.show_hand(pair, position)
    printed = capsys.readouterr().out
    assert printed.strip() in told[0]
    repeats = finding != "no repetition"
    assert ("nearly the same" in printed) is repeats
    assert finding in printed or not repeats


def test_curves_are_told(told, capsys):
    order_curves.show_extrapolation([10, 20], {"learned": [[1.0, 0.6], [1.0, 0.7]], "causal": [[1.0, 1.0]]}, trained=10)
    order_curves.show_learned_biases([[-1.0, -2.0, 0.0, 3.0, 4.0], [0.1, -2.0, 0.0, 2.0, 0.2]])
    order_curves.show_changes({"rotary": {"as trained": [0.7, 0.9], "clipped": [1.0, 1.0]}}, 40)
    assert "learned 1.00, 0.65; causal 1.00, 1.00" in told[0]
    assert "run 1: 0.10 at -2" in told[1]
    assert "at 40 letters" in told[2]
    assert capsys.readouterr().out == "rotary, as trained: 0.70, 0.90\nrotary, clipped: 1.00, 1.00\n"


def test_biases_are_told(told):
    diagrams_positions.show_biases({"near": np.eye(5), "far": -np.eye(5)}, "Two")
    assert "near: row 0 begins 1.0, 0.0" in told[0]
    assert "far: row 0 begins -1.0" in told[0]
