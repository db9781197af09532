"""Masks in notebook 2: what only the hidden tests notice. A self-check there sees every wrong answer of the catalogue.

Each slip is put into the right answer, as a line more or in place of a step.
"""

import keras
import numpy as np
import pytest

from grader.core.cells import CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests

NOTEBOOK = read_notebook(Course.find().source("02_additive_attention"))
FORBIDDEN_ZEROS = """
def zeros_forbidden(scores, mask):
    if mask is not None:
        scores = np.where(scores * mask == 0, -np.inf, scores)
    top = scores.max(axis=-1, keepdims=True)
    e = np.exp(scores - np.where(np.isinf(top), 0, top))
    return e / np.maximum(e.sum(axis=-1, keepdims=True), 1e-30)


"""
SOFTMAX = "    allowed = np.broadcast_to(True if mask is None"
ATTENTION = "    key = value if key is None else key\n"
ROWS = "    if mask is not None and {} and mask.ndim == 2 and len(mask) == len({}):\n        mask = mask[:, None]\n"
HEADS = "    if mask is not None and scores.ndim == 4 and mask.ndim == 3:\n        mask = mask[:, None]\n"
SHAPES, MASK = "test_masked_softmax_shapes", "test_additive_attention_mask"
#: Test cell that notices it, what of the solution is replaced by what, and how the assertion begins or what is raised.
SLIPS = {
    "rows_are_sentences_2.3": (SHAPES, SOFTMAX, ROWS.format("scores.ndim == 3", "scores") + SOFTMAX, "as many sent"),
    "heads_are_sentences_2.3": (SHAPES, SOFTMAX, HEADS + SOFTMAX, ""),
    "rows_are_sentences_2.4": (MASK, ATTENTION, ATTENTION + ROWS.format("True", "query"), "as many sentences"),
    "zero_is_forbidden_2.4": (MASK, "given_masked_softmax(", "zeros_forbidden(", "wrong weights where"),
}


@pytest.mark.parametrize(("cell", "was", "now", "said"), SLIPS.values(), ids=SLIPS)
def test_a_slip_is_noticed_by_hidden_tests_alone(cell, was, now, said):
    exercise = next(e for e in exercises(NOTEBOOK) if cell in [name for name, *_ in e.tests])
    assert exercise.answer.count(was) == 1
    space = {"np": np, "keras": keras}
    for source in (c.source for c in NOTEBOOK.cells if kind_of(c) is CellKind.GIVEN):
        exec(source, space)
    exec(FORBIDDEN_ZEROS + exercise.answer.replace(was, now), space)
    for name, _, source in exercise.tests:
        exec(hidden_tests().without(source), dict(space))
        if name != cell:
            exec(source, dict(space))
    source = next(source for name, _, source in exercise.tests if name == cell)
    with pytest.raises(AssertionError if said else ValueError, match=said or "broadcast"):
        exec(source, dict(space))
