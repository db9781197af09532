"""Automatic wrong answers around the reference solution: its results spoiled, for every exercise alike.

They need no knowledge of the exercise, so each of them is tried on all. What passes is looked at once more with a
*probe*, which raises where the mistake would have made a difference: a test cell that passes then as well has met no
spoiled result, and there is nothing to find in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.audit import around
from grader.audit.results import AnswerResult, Task
from grader.audit.runner import Runner
from grader.core.cells import Exercise

#: The `was` of a record for an answer of this kind that is right after all; its `now` is what the answer does.
RIGHT_ANSWER = "the right answer"
_TOOLS = Path(around.__file__).read_text(encoding="utf-8")
# Its names begin with an underscore: nothing of the notebook's is covered.
_SOURCE = """_space = dict(globals())
exec({reference!r}, _space)
_around = {{"__name__": "around"}}
exec({tools!r}, _around)
for _name in {functions!r}:
    if _name in _space:
        globals()[_name] = eval({call!r}, _around, {{"right": _space[_name]}})
"""


@dataclass(frozen=True)
class Spoiling:
    """One way to spoil an answer.

    Args:
        says: What such an answer does, for the report.
        call: What a function becomes: an expression of `right`, `probe` and the names of `around.py`.
        every_cell: Whether every test cell that meets it has to fail, as nothing in the result is right; otherwise one
            of them is enough.
    """

    says: str
    call: str
    every_cell: bool = True


RESULTS = (
    Spoiling("returns nothing along the leading axis", "spoiled(right, empty, {probe})"),
    Spoiling("returns an empty array that broadcasts", "spoiled(right, empty_axis_more, {probe})"),
    Spoiling("returns NaN of the right shape", "spoiled(right, nan, {probe})"),
    Spoiling("returns NaN with an axis more in front", "spoiled(right, nan_axis_more, {probe})"),
    Spoiling("returns None", "spoiled(right, nothing, {probe})"),
    Spoiling("returns numbers as text", "spoiled(right, text, {probe})", every_cell=False),
    Spoiling("returns arrays of Python objects", "spoiled(right, objects, {probe})", every_cell=False),
    Spoiling("returns booleans where numbers are due", "spoiled(right, truth, {probe})", every_cell=False),
)


@dataclass(frozen=True)
class Passed:
    """Test cells that a spoiled answer passes, though it got there.

    Args:
        says: What the answer does.
        cells: The names of these test cells.
        points: Their points.
    """

    says: str
    cells: tuple[str, ...]
    points: int


def spoilings(exercise: Exercise) -> list[Spoiling]:
    """List the ways in which an answer to an exercise is spoiled."""
    return list(RESULTS)


def source_of(exercise: Exercise, one: Spoiling, probe: bool = False) -> str:
    """Return the source of a spoiled answer.

    What its student-side cells return is spoiled as well: an answer may be a model, which only they turn into numbers.
    """
    call = one.call.format(probe=probe)
    return _SOURCE.format(reference=exercise.answer, tools=_TOOLS, functions=list(exercise.tested_functions), call=call)


def passed_by(exercise: Exercise, runner: Runner, timeout_s: float) -> Iterator[Passed]:
    """Run the spoiled answers to an exercise, and yield what they pass by mistake of the tests.

    Args:
        exercise: An exercise whose reference solution keeps all its points.
        runner: A running one for its notebook.
        timeout_s: CPU seconds for each answer.
    """
    points = {name: points for name, points, _ in exercise.tests}
    ways = spoilings(exercise)
    results = runner.run([Task(exercise, source_of(exercise, one), timeout_s=timeout_s) for one in ways])
    open_ones = [(one, result) for one, result in zip(ways, results, strict=True) if _suspect(one, result)]
    tasks = [Task(exercise, source_of(exercise, one, probe=True), timeout_s=timeout_s) for one, _ in open_ones]
    for (one, result), probe in zip(open_ones, runner.run(tasks), strict=True):
        reached = {c.name for c in probe.failed}
        cells = tuple(c.name for c in result.cells if c.passed and c.name in reached)
        if cells:
            yield Passed(one.says, cells, sum(points[name] for name in cells))


def _suspect(one: Spoiling, result: AnswerResult) -> bool:
    """Return whether an answer passed more than it may, if it was spoiled there."""
    return any(c.passed for c in result.cells) if one.every_cell else result.kept_all
