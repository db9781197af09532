"""Run a notebook once more, with all of the student's own that may matter, if an exercise loses points without it.

What the answers need is followed through the student's cells (`needed`). But an object can be changed in more ways
than can be followed: by a method of its class, by a default that remembers, by a cache, under another name. Which
statements may do so is known (`Plan.more`), and they are far more than those that do. So they run only where something
can be gained: if an exercise loses points and such a statement stands in front of its tests, the notebook runs once
more with them. An exercise that earns more in that run gets what it earns there, as it did from top to bottom on the
student's screen. The others keep what they have.

The second run has what is left of the submission's time and restarts, in processes like those of the first. For an
answer that depends on chance it is another try. So what is gained is always said, for a person to look at.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.errors import EndedFromOutside
from grader.core.findings import Finding, Level
from grader.engine.result import Result, Verdict
from grader.engine.settings import Budget
from grader.engine.skipping import Plan

#: Runs a notebook by a plan and within a budget.
Mark = Callable[[Plan, Budget], Result]
#: What is noticed where code that may matter was not run to its end for lack of time.
_CUT = {"beside-stopped", "demonstrations-stopped", "cell-hangs"}


@dataclass(frozen=True)
class Exercise:
    """An answer and its tests.

    Args:
        answer: The `grade_id` of the answer's cell.
        tests: Of the tests, by name, the most points and the place.
    """

    answer: str
    tests: Mapping[str, tuple[float, int]]

    def points(self, result: Result) -> float:
        """Return its points."""
        there = {name: verdict for name, verdict in result.verdicts.items() if name in self.tests}
        return sum(verdict.points(self.tests[name][0]) for name, verdict in there.items())

    def lost(self, result: Result) -> dict[int, Verdict]:
        """Return the verdicts that cost points, by place."""
        there = ((*self.tests[name], verdict) for name, verdict in result.verdicts.items() if name in self.tests)
        return {place: verdict for most, place, verdict in there if verdict.points(most) < most}


def with_more(nb: NotebookNode, plan: Plan, first: Result, budget: Budget, mark: Mark) -> Result:
    """Return the result of a notebook, with what a second run gains.

    Args:
        nb: The notebook.
        plan: How it was run.
        first: What that gave.
        budget: The budget that it had.
        mark: Runs it once more.
    """
    more = plan.more
    if more is None:
        return first
    # Nothing more may run: what only the second run adds can share a line with what runs anyway, and then it runs too.
    begins = min((n for n in range(len(nb.cells)) if _runs(plan, n) != _runs(more, n)), default=len(nb.cells))
    lost = [one for one in exercises_of(nb) if any(_may_gain(v) and n > begins for n, v in one.lost(first).items())]
    if not lost:
        return first
    left = budget.without(first.cpu_s, first.wall_s, first.waited_s, first.restarts)
    if min(left.notebook_cpu_s, left.notebook_wall_s, left.notebook_waiting_s) <= 0 or left.restarts < 0:
        return replace(first, findings=[*first.findings, *map(_not_tried, lost)])
    # Nobody knows how long it takes; half of the time is for the answers and the tests.
    beside_s = min(left.demonstrations_cpu_s, left.notebook_cpu_s / 2)
    try:
        second = mark(more, replace(left, demonstrations_cpu_s=beside_s))
    # What was judged stays so: else whoever lost points could fill the memory and be judged anew.
    except EndedFromOutside:
        return replace(first, findings=[*first.findings, *map(_ended, lost)])
    gained = [one for one in lost if one.points(second) > one.points(first)]
    cut = any(finding.kind in _CUT and finding not in first.findings for finding in second.findings)
    ended = [one for one in lost if cut or any(v.by_marking for v in one.lost(second).values())]
    findings = [*map(_gained, gained), *(_not_tried(one) for one in ended if one not in gained)]
    both = replace(
        first,
        findings=[*first.findings, *findings],
        wall_s=first.wall_s + second.wall_s,
        cpu_s=first.cpu_s + second.cpu_s,
        peak_mib=max(first.peak_mib, second.peak_mib),
    )
    return _joined(both, second, gained, findings) if gained else both


def _runs(plan: Plan, place: int) -> tuple[bool, str | None]:
    """Return what runs of a cell, in a form to be compared."""
    return place in plan.skipped, plan.sources.get(place)


def _may_gain(verdict: Verdict) -> bool:
    """Return whether another run may end otherwise: not if the time was up, which would be up again."""
    return not verdict.by_marking


def exercises_of(nb: NotebookNode) -> list[Exercise]:
    """Return the exercises of a notebook, in its order."""
    found: dict[str, dict[str, tuple[float, int]]] = {}
    answer = ""
    for place, cell in enumerate(nb.cells):
        kind, name = kind_of(cell), grade_id(cell) or ""
        if kind is CellKind.ANSWER:
            answer = name
        elif kind is CellKind.TEST:
            found.setdefault(answer, {})[name] = float(cell.metadata.nbgrader.points), place
    return [Exercise(name, tests) for name, tests in found.items()]


def _joined(first: Result, second: Result, gained: list[Exercise], new: list[Finding]) -> Result:
    """Return the first result with the exercises that gained from the second.

    Its findings of these exercises are those of the second run. A mistake that was recognised in them is named no more:
    it was one of the run that does not count.
    """
    tests = {name for one in gained for name in one.tests}
    mine = tests | {one.answer for one in gained}
    places = {place for one in gained for _, place in one.tests.values()}
    judged = set(first.counts) - places  # the tests of the other exercises
    return replace(
        first,
        verdicts=first.verdicts | {name: v for name, v in second.verdicts.items() if name in tests},
        outputs=first.outputs | {n: shown for n, shown in second.outputs.items() if n not in judged},
        skipped=second.skipped,
        findings=[f for f in first.findings if f in new or f.where not in mine]
        + [f for f in second.findings if f.where in mine],
        causes=[cause for cause in first.causes if cause["test"] not in tests],
    )


def _gained(exercise: Exercise) -> Finding:
    text = (
        f"The tests of {exercise.answer} gave more points in a second run, with cells of this notebook that "
        "marking leaves out at first. The points of the second run count."
    )
    return Finding("counted-in-second-run", exercise.answer, text, Level.LOST)


def _not_tried(exercise: Exercise) -> Finding:
    text = (
        f"The tests of {exercise.answer} lost points. Cells of this notebook that marking leaves out at first "
        "might change that, but there was too little time for a second run with them."
    )
    return Finding("no-second-run", exercise.answer, text, Level.LOST)


def _ended(exercise: Exercise) -> Finding:
    text = (
        f"The tests of {exercise.answer} lost points. Cells of this notebook that marking leaves out at first "
        "might change that, but the machine had too little memory for a second run with them."
    )
    return Finding("no-second-run", exercise.answer, text, Level.LOST)
