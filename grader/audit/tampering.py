"""Answers that change their arguments so that a test agrees with a wrong result, marked as a student's would be.

A test that computes what it wants from its own arrays *after* the call can be answered with zeros by zeroing those
arrays. Each such answer has a twin that does the same to copies of its arguments. What it earns beyond its twin, it
earned by changing what the test looks at.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from grader.audit.results import End, Task
from grader.audit.runner import Runner
from grader.audit.series import run_in_series
from grader.core.cells import Exercise, grade_id, needed_cells
from grader.engine.recognising import Recogniser
from grader.engine.result import Outcome
from grader.engine.running import mark_notebook
from grader.engine.settings import Budget
from grader.engine.skipping import Plan

_BUDGET = Budget(call_cpu_s=4.0, call_wall_s=16.0, cell_cpu_s=30.0, grace_s=10.0)
_ALL, _FIRST, _REST = "(args, kwargs)", "args[:1]", "(args[1:], kwargs)"
_ZEROS, _RIGHT_NOW = "_np.zeros_like", "right(*copies(args), **copies(kwargs))"
#: What each of them does: to which arguments, what becomes of each number and array in them, and what it returns
#: then; `before` is what would have been right.
TAMPERED = {
    "zeros every argument and returns zeros": (_ALL, _ZEROS, "mapped(before, _np.zeros_like)"),
    "fills every argument with ones and returns what is right then": (_ALL, "_np.ones_like", _RIGHT_NOW),
    "zeros every argument and returns the first one": (_ALL, _ZEROS, "first(args, kwargs)"),
    "zeros its first argument and returns zeros": (_FIRST, _ZEROS, "mapped(before, _np.zeros_like)"),
    "zeros its first argument and returns what is right then": (_FIRST, _ZEROS, _RIGHT_NOW),
    "zeros all arguments but the first and returns what is right then": (_REST, _ZEROS, _RIGHT_NOW),
    "adds one to every argument and to the result": (
        _ALL,
        "lambda old: old + 1",
        "mapped(before, lambda old: old + 1)",
    ),
    "doubles every argument and the result": (_ALL, "lambda old: 2 * old", "mapped(before, lambda old: 2 * old)"),
}
# Its names begin with an underscore or are local: nothing of the notebook's is covered.
_SOURCE = """import numpy as _np

_space = dict(globals())
exec({reference!r}, _space)


def _wrapped(right):
    def mapped(value, change):
        if isinstance(value, (list, tuple)):
            return type(value)(mapped(one, change) for one in value)
        if isinstance(value, dict):
            return {{key: mapped(one, change) for key, one in value.items()}}
        if isinstance(value, _np.ndarray):
            return change(value).astype(value.dtype) if value.dtype.kind in "biufc" else value
        return type(value)(change(value)) if isinstance(value, (bool, int, float, complex, _np.number)) else value

    def copies(value):
        return mapped(value, lambda old: 1 * old)

    def fill(value):
        if isinstance(value, _np.ndarray):
            value[...] = mapped(value, {change})
        elif isinstance(value, (list, dict)):
            for key in range(len(value)) if isinstance(value, list) else list(value):
                if isinstance(value[key], (_np.ndarray, list, dict, tuple)):
                    fill(value[key])
                else:
                    value[key] = mapped(value[key], {change})
        elif isinstance(value, tuple):
            for one in value:
                fill(one)

    def first(args, kwargs):
        return next((one for one in (*args, *kwargs.values()) if isinstance(one, (_np.ndarray, list, dict))), 0.0)

    def tampered(*args, **kwargs):
        if {twin}:
            args, kwargs = copies(args), copies(kwargs)
        before = right(*copies(args), **copies(kwargs))
        fill({where})
        return {result}

    return tampered


for _name in {functions!r}:
    globals()[_name] = _wrapped(_space[_name])
"""


@dataclass(frozen=True)
class Gain:
    """Test cells that an answer passes because it changes its arguments.

    Args:
        says: What the answer does.
        cells: The names of these test cells.
        points: Their points.
    """

    says: str
    cells: tuple[str, ...]
    points: int


def tampered(exercise: Exercise, says: str, twin: bool) -> str:
    """Return the source of an answer that changes its arguments.

    Args:
        exercise: The exercise.
        says: A key of `TAMPERED`.
        twin: Whether it changes copies of them instead.
    """
    where, change, result = TAMPERED[says]
    return _SOURCE.format(
        reference=exercise.answer,
        where=where,
        change=change,
        result=result,
        twin=twin,
        functions=list(exercise.functions),
    )


def alone(source: NotebookNode, exercise: Exercise, answer: str) -> NotebookNode:
    """Cut a notebook down to the cells that an exercise needs, with an answer in it.

    Args:
        source: The source notebook.
        exercise: One of its exercises.
        answer: Source of the answer cell.
    """
    nb = copy.copy(source)
    # A locked cell of the student's side asks for answers of its own exercise alone.
    nb.cells = copy.deepcopy(needed_cells(source, exercise))
    for cell in nb.cells:
        if grade_id(cell) == exercise.name:
            cell.source = answer
    return nb


def gains(source: NotebookNode, exercise: Exercise, runner: Runner) -> Iterator[Gain]:
    """Run answers that change their arguments, and yield those that earn something by it when they are marked.

    Beside the tests, in one process, nothing stands between an answer and the arrays of a test. So only what earns
    something there is marked, on two sides as for students.

    Args:
        source: The source notebook.
        exercise: One of its exercises.
        runner: A running one for this notebook.
    """
    points = {name: points for name, points, _ in exercise.tests}
    pairs = [(says, tampered(exercise, says, twin=False), tampered(exercise, says, twin=True)) for says in TAMPERED]
    tasks = [Task(exercise, text) for _, *both in pairs for text in both]
    beside = run_in_series(runner, tasks, exercise.answer, sure=lambda _, result: result.end is End.DONE)
    for (says, text, twin), result, honest in zip(pairs, beside[::2], beside[1::2], strict=True):
        if {c.name for c in result.cells if c.passed} <= {c.name for c in honest.cells if c.passed}:
            continue
        earned = _passed(source, exercise, text, runner)
        earned -= _passed(source, exercise, twin, runner) if earned else set()
        if earned:
            yield Gain(says, tuple(name for name in points if name in earned), sum(points[name] for name in earned))


def _passed(source: NotebookNode, exercise: Exercise, answer: str, runner: Runner) -> set[str]:
    """Mark an answer, and name the tests that it passes."""
    nb, process = alone(source, exercise, answer), runner.line
    marked = mark_notebook(nb, Plan.of(nb, source), process, _BUDGET, known=Recogniser(None, process))
    return {verdict.name for verdict in marked.verdicts.values() if verdict.outcome is Outcome.PASSED}
