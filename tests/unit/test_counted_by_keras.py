"""Numbers that a test has from Keras without asking it each time are those that Keras counts."""

import re
from pathlib import Path

import keras
import numpy as np

from grader.core.cells import grade_id
from grader.core.course import Course
from grader.core.notebook import read_notebook

COURSE = Course(Path(__file__).parents[2])


def by_keras(d_model, num_heads, key_dim, value_dim=None, use_bias=True):
    layer = keras.layers.MultiHeadAttention(num_heads, key_dim, value_dim=value_dim, use_bias=use_bias)
    layer.build((1, 1, d_model), (1, 1, d_model))
    return layer.count_params()


def sources_of(notebook):
    return {grade_id(cell): cell.source for cell in read_notebook(COURSE.source(notebook)).cells}


def test_the_numbers_of_exercise_4_3_are_those_that_keras_counts():
    sources = sources_of("04_multi_head_attention")
    for name in ("test_mha_parameter_count_values", "test_mha_parameter_count_options"):
        assert "mha_parameter_count(" in sources[name]
        exec(sources[name], {"mha_parameter_count": by_keras})


def test_the_numbers_of_exercise_8_3_are_losses_of_keras():
    source = sources_of("08_language_models")["test_causal_lm_loss_values"]
    entropy = keras.losses.SparseCategoricalCrossentropy(from_logits=True, dtype="float64")
    exec(source, {"causal_lm_loss": lambda logits, ids: float(entropy(ids[:, 1:], logits[:, :-1]))})
    rng = np.random.default_rng(92)
    logits, ids = 2 * rng.normal(size=(3, 6, 9)), rng.integers(1, 9, size=(3, 6))
    said = re.search(r"unshifted, backwards, want = (\S+), (\S+), (\S+)", source).groups()
    there = entropy(ids, logits), entropy(ids[:, :-1], logits[:, 1:]), entropy(ids[:, 1:], logits[:, :-1])
    np.testing.assert_allclose(np.array(said, float), np.array(there, float), atol=1e-6)
