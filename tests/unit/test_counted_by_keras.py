"""Numbers that a test has from Keras without asking it each time are those that Keras counts."""

from pathlib import Path

import keras

from grader.core.cells import grade_id
from grader.core.course import Course
from grader.core.notebook import read_notebook

COURSE = Course(Path(__file__).parents[2])


def by_keras(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, value_dim=value_dim, use_bias=use_bias)
    layer.build((1, 1, d_model), (1, 1, d_model))
    return layer.count_params()


def test_the_numbers_of_exercise_4_3_are_those_that_keras_counts():
    cells = {grade_id(cell): cell for cell in read_notebook(COURSE.source("04_multi_head_attention")).cells}
    for name in ("test_mha_parameter_count_values", "test_mha_parameter_count_options"):
        assert "mha_parameter_count(" in cells[name].source
        exec(cells[name].source, {"mha_parameter_count": by_keras})
