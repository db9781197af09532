"""Glimpses of notebook 9: what a decoder sees that looks at one cell."""

import numpy as np
from helpers import glimpses


def test_one_cell_hands_over_the_chosen_cell_and_leaves_the_weights():
    grid = np.arange(2 * 2 * 3 * 4.0).reshape(2, 2, 3, 4)
    weights = np.array([[[0.1, 0.2, 0.7], [0, 0, 0]], [[0, 0, 0], [0.6, 0.4, 0]]])
    look = glimpses.one_cell(lambda state, cells: (cells.mean(axis=(1, 2)), weights), lambda w: w.argmax(axis=1))
    context, looked = look(np.zeros((2, 1)), grid)
    np.testing.assert_array_equal(context, [grid[0, 0, 2], grid[1, 1, 0]])
    np.testing.assert_array_equal(looked, weights)


def test_cells_are_drawn_with_their_weights_as_probabilities():
    weights = np.tile(np.array([0.5, 0.0, 0.2, 0.3], dtype="float32"), (4000, 1))
    found = glimpses.draw_cells(weights, np.random.default_rng(0))
    shares = np.bincount(found, minlength=4) / len(found)
    np.testing.assert_allclose(shares, weights[0], atol=0.03)
    assert shares[1] == 0
