"""No self-check names a mistake for an answer that makes none of those it knows: it says what it saw, and asks."""

import ast
import contextlib
import functools
import importlib
import io
from pathlib import Path

import keras
import numpy as np
import pytest

from grader.core.cells import CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook

ROOT = Path(__file__).resolve().parents[2]
COURSE = Course(ROOT)
#: Self-checks that cannot see such a change: the answer is one truth value, or weights of which a little is as good.
SILENT = ("is_permutation_equivariant", "previous_token_head", "leaks_future")
EXERCISES = [
    (assignment, exercise)
    for assignment in COURSE.select([])
    for exercise in exercises(read_notebook(COURSE.source(assignment)))
    if exercise.name not in SILENT
]


def checks():
    """Return all self-checks by name."""
    found = {}
    for path in sorted((ROOT / "assets/helpers").glob("checks*.py")):
        found |= vars(importlib.import_module(f"helpers.{path.stem}"))
    return found


@functools.cache
def given(assignment):
    """Return what a notebook's given cells define."""
    space = {"functools": functools, "np": np, "keras": keras}
    for cell in read_notebook(COURSE.source(assignment)).cells:
        if kind_of(cell) is CellKind.GIVEN:
            exec(compile(cell.source, cell.id, "exec"), space)
    return space


def spoilt(value, everywhere):
    """Change a right result as no mistake would: all numbers a little, or one entry in the middle."""
    if isinstance(value, dict):
        return {key: spoilt(one, everywhere) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(spoilt(one, everywhere) for one in value)
    if value is None or isinstance(value, bool | np.bool_):
        return value
    array = np.array(value)
    n = np.arange(array.size).reshape(array.shape)
    there = n == (array.size - 1 if everywhere else array.size // 2)
    if array.dtype.kind == "f" and everywhere:
        array = array * (1 + 0.037 * np.sin(n + 1)) + 0.0113 * np.cos(n)
    elif array.dtype.kind == "b":
        array = np.where(there, ~array, array)
    else:
        array = np.where(there, array * 0.7 + 0.123 if array.dtype.kind == "f" else array + 3, array)
    return array if isinstance(value, np.ndarray) else array.item()


@pytest.mark.parametrize("everywhere", [True, False])
@pytest.mark.parametrize(("assignment", "exercise"), EXERCISES, ids=[exercise.name for _, exercise in EXERCISES])
def test_a_finding_about_an_unknown_mistake_claims_none(assignment, exercise, everywhere, capsys):
    calls = [
        node.value for source in exercise.self_checks for node in ast.parse(source).body if isinstance(node, ast.Expr)
    ]
    call = next(one for one in reversed(calls) if getattr(one.func, "id", "").startswith("check_"))
    space = dict(given(assignment))
    with contextlib.redirect_stdout(io.StringIO()):
        for source in (exercise.answer, *exercise.adapters):
            exec(compile(source, exercise.name, "exec"), space)
    names = [argument.id for argument in call.args]
    for name in names if exercise.name != "build_transformer" else ["model_logits"]:

        def wrong(*args, right=space[name], **options):
            return spoilt(right(*args, **options), everywhere)

        with np.errstate(all="ignore"):
            report = checks()[call.func.id].report(*(wrong if one == name else space[one] for one in names))
        assert report.finding
        assert not report.named, report.finding
        assert "Hint: " not in report.finding
