"""The functions that stand in for an answer to exercise 2.3 do what it asks, and take masks of all kinds."""

from pathlib import Path

import numpy as np
import pytest

from grader.core.cells import grade_id
from grader.core.course import Course
from grader.core.notebook import read_notebook

COURSE = Course(Path(__file__).parents[2])
NOTEBOOKS = ["02_additive_attention", "03_dot_product_attention", "04_multi_head_attention"]


@pytest.fixture(params=NOTEBOOKS)
def masked_softmax(request):
    cells = read_notebook(COURSE.source(request.param)).cells
    names = {"np": np}
    exec(next(cell.source for cell in cells if grade_id(cell) == "given_masked_softmax"), names)
    return names["given_masked_softmax"]


@pytest.mark.parametrize("kind", [bool, int, float, "float32"])
def test_a_mask_of_any_kind_lets_some_keys_through(masked_softmax, kind):
    scores, allowed = np.log([[[1.0, 2.0, 5.0], [3.0, 3.0, 4.0]]]), np.array([[1, 0, 1], [0, 0, 0]])
    before = scores.copy()
    weights = masked_softmax(scores, allowed.astype(kind))
    np.testing.assert_allclose(weights, [[[1 / 6, 0, 5 / 6], [0, 0, 0]]])
    np.testing.assert_array_equal(scores, before)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_scores_and_no_mask(masked_softmax, dtype):
    weights = masked_softmax(np.array([[1e4, -1e4, 1e4], [0, 0, 0]], dtype))
    np.testing.assert_allclose(weights, [[0.5, 0, 0.5], [1 / 3, 1 / 3, 1 / 3]], rtol=1e-5)
    assert weights.dtype == dtype
    np.testing.assert_allclose(masked_softmax([1, 2], [True, False]), [1.0, 0.0])
