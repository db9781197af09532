"""Automatic wrong answers around the reference solution: results and arguments spoiled, for every exercise alike.

They need no knowledge of the exercise, so each of them is tried wherever it makes a difference. *Probes* tell where: in
one run of the tests all of them note what they meet. What passes is looked at once more with a probe that raises: a
test cell that passes then as well has met nothing spoiled, and there is nothing to find in it.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from grader.audit import around
from grader.audit.results import Task
from grader.audit.runner import Runner
from grader.audit.series import as_expected, run_in_series
from grader.core.cells import Exercise
from grader.core.errors import GraderError

#: The `was` of a record for an answer of this kind that is right after all; its `now` is what the answer does.
RIGHT_ANSWER = "the right answer"
#: What `np.asarray(x, dtype=...)` copies only if it is of the other kind.
_FLOATS = ("float32", "float64")
_TOOLS = Path(around.__file__).read_text(encoding="utf-8")
# Its names begin with an underscore: nothing of the notebook's is covered. The reference is executed in a space of its
# own, so that its functions call each other unspoiled.
_SOURCE = """_space = dict(globals())
exec({reference!r}, _space)
_made = dict(_space)
_around = {{"__name__": "around", "met": set()}}
exec({tools!r}, _around)
for _name, _call, _number in {calls!r}:
    if _name in _made:
        _made[_name] = globals()[_name] = eval(_call, _around | {{"right": _made[_name], "number": _number}})
"""


@dataclass(frozen=True)
class Spoiling:
    """One way to spoil an answer.

    Args:
        says: What such an answer does, for the report.
        call: What a function becomes: an expression of `right`, `probe` and the names of `around.py`.
        every_cell: Whether every test cell that meets it has to fail, as nothing in the result is right; otherwise one
            of them is enough.
        function: The function that goes wrong; all of an exercise's if this is empty.
    """

    says: str
    call: str
    every_cell: bool = True
    function: str = ""


RESULTS = (
    Spoiling("returns nothing along the leading axis", "spoiled(right, empty, {probe})"),
    Spoiling("returns an empty array that broadcasts", "spoiled(right, empty_axis_more, {probe})"),
    Spoiling("returns NaN of the right shape", "spoiled(right, nan, {probe})"),
    Spoiling("returns NaN with an axis more in front", "spoiled(right, nan_axis_more, {probe})"),
    Spoiling("returns None", "spoiled(right, nothing, {probe})"),
    Spoiling("returns numbers as text", "spoiled(right, text, {probe})", every_cell=False),
    Spoiling("returns arrays of Python objects", "spoiled(right, objects, {probe})", every_cell=False),
    Spoiling("returns booleans where numbers are due", "spoiled(right, truth, {probe})", every_cell=False),
    Spoiling("returns its result in reverse", "spoiled(right, backwards, {probe})", every_cell=False),
    Spoiling("returns its result sorted", "spoiled(right, in_order, {probe})", every_cell=False),
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
    return [*RESULTS, *_of_arguments(exercise)]


def _of_arguments(exercise: Exercise) -> Iterator[Spoiling]:
    for node in ast.parse(exercise.answer).body:
        if not isinstance(node, ast.FunctionDef) or node.name not in exercise.functions:
            continue
        names = [one.arg for one in (*node.args.args, *node.args.kwonlyargs)]
        options = names[len(node.args.args) - len(node.args.defaults) :]
        values = [*node.args.defaults, *node.args.kw_defaults]
        without = {name for name, value in zip(options, values, strict=True) if value and ast.unparse(value) == "None"}

        def way(says: str, call: str, function: str = node.name) -> Spoiling:
            where = f" in {function}" if len(exercise.functions) > 1 else ""
            return Spoiling(says + where, call, False, function)

        for one in names:
            begun = f"changes_argument(right, {one!r}, {{probe}}"
            yield way(f"changes {one} in place", f"{begun})")
            for kind in _FLOATS:
                yield way(f"changes {one} in place if it is of {kind}", f"{begun}, kind={kind!r})")
            for option in options:
                yield way(f"changes {one} in place if {option} is given", f"{begun}, {option!r})")
                if option in without and option != one:
                    yield way(f"changes {one} in place if {option} is None", f"{begun}, {option!r}, True)")
            for first, second in itertools.combinations(range(4), 2):
                says = f"mixes up axes {first} and {second} of {one} if they are equally long"
                yield way(says, f"mixed_axes(right, {one!r}, {first}, {second}, {{probe}})")
            for other in names:
                if other != one:
                    says = f"uses {other} for {one} if both have one shape"
                    yield way(says, f"through_another(right, {one!r}, {other!r}, {{probe}})")
            yield way(f"stores {one} in eight bits", f"small_integers(right, {one!r}, {{probe}})")
            yield way(f"stores {one} in half precision", f"low_precision(right, {one!r}, {{probe}})")
        for one in options:
            says = f"takes zeros, False or nothing for a {one} that was left out"
            yield way(says, f"truth_for_none(right, {one!r}, {{probe}})")
        for first, second in itertools.combinations(range(4), 2):
            says = f"mixes up axes {first} and {second} of its result if they are equally long"
            yield way(says, f"mixed_axes_of_result(right, {first}, {second}, {{probe}})")


def source_of(exercise: Exercise, *ways: Spoiling, probe: str = "None") -> str:
    """Return the source of an answer that is spoiled in one way, or with probes in several at once.

    What its student-side cells return is spoiled as well: an answer may be a model, which only they turn into numbers.

    Args:
        exercise: The exercise.
        ways: What is done around the reference solution.
        probe: Expression of what is called instead of spoiling anything; it may use `number`, that of the way.
    """
    functions = exercise.tested_functions
    calls = [
        (name, one.call.format(probe=probe), number)
        for number, one in enumerate(ways)
        for name in ([one.function] if one.function else functions)
    ]
    return _SOURCE.format(reference=exercise.answer, tools=_TOOLS, calls=calls)


def passed_by(exercise: Exercise, runner: Runner, timeout_s: float) -> Iterator[Passed]:
    """Run the spoiled answers to an exercise, and yield what they pass by mistake of the tests.

    Args:
        exercise: An exercise whose reference solution keeps all its points.
        runner: A running one for its notebook.
        timeout_s: CPU seconds for each answer.
    """
    points = {name: points for name, points, _ in exercise.tests}
    ways = _met(exercise, runner, timeout_s)
    tasks = [
        Task(exercise, source_of(exercise, one), stop_at_first=not one.every_cell, timeout_s=timeout_s) for one in ways
    ]
    results = run_in_series(runner, tasks, exercise.answer)
    open_ones = [(w, r) for w, task, r in zip(ways, tasks, results, strict=True) if not as_expected(task, r)]
    tasks = [Task(exercise, source_of(exercise, one, probe="stop"), timeout_s=timeout_s) for one, _ in open_ones]
    for (one, result), probe in zip(open_ones, runner.run(tasks), strict=True):
        met = {c.name for c in probe.failed}
        cells = tuple(c.name for c in result.cells if c.passed and c.name in met)
        if cells:
            yield Passed(one.says, cells, sum(points[name] for name in cells))


def _met(exercise: Exercise, runner: Runner, timeout_s: float) -> list[Spoiling]:
    """List the ways of spoiling that make a difference somewhere in the tests, found by probes of all in one run."""
    ways = spoilings(exercise)
    counted = replace(exercise, self_checks=["print('met', *sorted(_around['met']))"])
    source = source_of(exercise, *ways, probe="lambda: met.add(number)")
    [result] = runner.run([Task(counted, source, self_check=True, timeout_s=len(ways) * timeout_s)])
    marked, _, numbers = result.printed.partition(" ")
    if marked.strip() != "met" or not result.kept_all:
        failed = "; ".join(map(str, result.failed)) or result.answer_error
        raise GraderError(f"the audit's probes do not run: {failed}", f"exercise {exercise.name}", "mend around.py")
    return [ways[int(number)] for number in numbers.split()]
