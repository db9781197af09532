"""Answers that are right in the visible part of a test cell and constant or cut in its hidden part lose the points."""

import functools
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from grader.core.cells import Exercise, exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests

ROOT = Path(__file__).parents[2]


def _first_row(value: np.ndarray) -> np.ndarray:
    return value[:1]


def _one_of_each_axis(value: np.ndarray) -> np.ndarray:
    return value[(slice(1),) * value.ndim]


def _first_entry(value: np.ndarray) -> np.ndarray:
    return np.full(value.shape, value.ravel()[0]) if value.size else value


def _first_row_again(value: np.ndarray) -> np.ndarray:
    return np.broadcast_to(value[:1], value.shape).copy() if value.ndim else value


def _first_column_again(value: np.ndarray) -> np.ndarray:
    return np.broadcast_to(value[..., :1], value.shape).copy() if value.ndim else value


def _first_matrix_row_again(value: np.ndarray) -> np.ndarray:
    return np.broadcast_to(value[..., :1, :], value.shape).copy() if value.ndim > 1 else value


WAYS = [
    _first_row,
    _one_of_each_axis,
    _first_entry,
    _first_row_again,
    _first_column_again,
    _first_matrix_row_again,
]
CELLS = [
    ("01_seq2seq_bottleneck", "greedy_decode", "test_greedy_decode_prefix", "greedy_decode"),
    ("03_dot_product_attention", "causal_mask", "test_combine_masks_and", "combine_masks"),
    ("04_multi_head_attention", "previous_token_head", "test_previous_token_head_weights", "previous_token_head"),
]


@functools.cache
def _exercise(assignment: str, name: str) -> Exercise:
    found = exercises(read_notebook(Course(ROOT).source(assignment)))
    return next(e for e in found if e.name == name)


def _through(change: Callable[[np.ndarray], np.ndarray], value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_through(change, part) for part in value)
    if value is None:
        return None
    changed = change(np.asarray(value))
    return changed.tolist() if isinstance(value, list) else changed


def _passes(cell: tuple[str, str, str, str], spoil: Callable[[Any, Any], Any]) -> tuple[bool, bool]:
    """Return whether a test cell passes if results in its hidden part are spoiled, and whether any was changed.

    Args:
        cell: Assignment, exercise, test cell and function.
        spoil: Makes a result of the right one and the one before it.
    """
    exercise = _exercise(*cell[:2])
    source = exercise.test_sources[cell[2]]
    hidden = min(hidden_tests().numbers(source))
    space: dict[str, Any] = {"np": np}
    exec(exercise.answer, space)
    right, state = space[cell[3]], {"before": None, "changed": False}

    def call(*args: Any, **kwargs: Any) -> Any:
        result = right(*args, **kwargs)
        frame = sys._getframe()
        while frame.f_code.co_filename != "<test>" or frame.f_code.co_name != "<module>":
            assert frame.f_back is not None
            frame = frame.f_back
        if frame.f_lineno < hidden:
            state["before"] = result
            return result
        spoiled = spoil(result, state["before"])
        state["changed"] |= repr(spoiled) != repr(result)
        return spoiled

    try:
        exec(compile(source, "<test>", "exec"), {"np": np, cell[3]: call})
    except (AssertionError, ValueError, IndexError, TypeError):
        return False, bool(state["changed"])
    return True, bool(state["changed"])


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell[2])
def test_the_right_answer_passes(cell):
    assert _passes(cell, lambda result, before: result) == (True, False)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__[1:])
@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell[2])
def test_a_result_that_is_constant_or_cut_in_the_hidden_part_fails(cell, way):
    passed, changed = _passes(cell, lambda result, before: _through(way, result))
    assert not passed or (cell[1] == "greedy_decode" and way is _first_matrix_row_again)  # a list has no rows
    assert changed or passed


@pytest.mark.parametrize("cell", CELLS, ids=lambda cell: cell[2])
def test_the_last_visible_result_for_every_hidden_input_fails(cell):
    assert _passes(cell, lambda result, before: before) == (False, True)


@pytest.mark.parametrize("left_out", range(4))
def test_each_of_four_masks_decides(left_out):
    exercise = _exercise("03_dot_product_attention", "causal_mask")
    space: dict[str, Any] = {"np": np}
    exec(exercise.answer, space)
    right = space["combine_masks"]

    def wrong(*masks: Any) -> Any:
        given = [m for m in masks if m is not None]
        if len(given) != 4:
            return right(*masks)
        shape = np.broadcast_shapes(*(m.shape for m in given))
        place = sorted(range(4), key=lambda n: given[n].size)[left_out]
        return np.broadcast_to(right(*given[:place], *given[place + 1 :]), shape).copy()

    with pytest.raises(AssertionError, match="more than two masks"):
        exec(exercise.test_sources["test_combine_masks_and"], {"np": np, "combine_masks": wrong})
