"""Take over from a run with longer limits what the first run of a notebook could not judge, and nothing else.

A submission that ran out of time is run once more with the limits that the reference solution needs here. That must not
be another try for what was judged already: a test ends at its first failure, so how often it called a function tells
which answer was wrong, and code that finds a way to leave a note for the next run would give another one there.

So a test keeps what the first run said of it, unless time ended it or its last call, or unless that call missed a name
behind a cell that was left out for lack of time. Neither tells an answer anything about what it returned. What came in
front of a test that found something wrong, in the same exercise, is not judged again either: that test may have been
asked for the sake of the earlier one.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import replace

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.findings import Finding, Level
from grader.engine.again import exercises_of
from grader.engine.losses import MISSING
from grader.engine.result import Outcome, Result, Verdict

#: What is noticed where a cell of the student's was left out because its time was up.
_LEFT_OUT = "cell-hangs"


def not_judged(nb: NotebookNode, result: Result) -> dict[str, str]:
    """Return the tests that a run with longer limits may still judge, each with the answer that it belongs to.

    Args:
        nb: The notebook.
        result: What its first run gave.
    """
    hung = {finding.where for finding in result.findings if finding.kind == _LEFT_OUT}
    behind = next((n for n, cell in enumerate(nb.cells) if {grade_id(cell), cell.get("id")} & hung), len(nb.cells))
    return {name: answer for answer, name in _open(nb, result, behind)}


def _open(nb: NotebookNode, result: Result, behind: int) -> Iterator[tuple[str, str]]:
    for exercise in exercises_of(nb):
        found: list[str] = []
        for name, (most, place) in sorted(exercise.tests.items(), key=lambda test: test[1][1]):
            verdict = result.verdicts.get(name)
            if verdict is None or _is_open(verdict, place > behind):
                found.append(name)
            elif verdict.points(most) < most:
                found.clear()
        yield from ((exercise.answer, name) for name in found)


def _is_open(verdict: Verdict, behind: bool) -> bool:
    """Return whether a test may end otherwise with longer limits, and has found nothing wrong.

    Args:
        verdict: What the first run said of it.
        behind: Whether it came behind a cell that was left out.
    """
    if verdict.outcome is Outcome.PASSED:
        return False
    return verdict.by_marking or verdict.call_error == "TimeoutError" or (behind and verdict.call_error in MISSING)


def joined(nb: NotebookNode, first: Result, longer: Result, again: dict[str, str]) -> Result:
    """Return the result of a run with longer limits, in which what the first run judged is as it was there.

    Args:
        nb: The notebook.
        first: What its first run gave.
        longer: What the run with longer limits gave.
        again: The tests that it judges, from `not_judged`.
    """
    kept = first.verdicts.keys() - again.keys()
    # A test that is kept may have lost its points behind a cell that only the longer run could finish.
    lost = [n for n, cell in enumerate(nb.cells) if (name := grade_id(cell)) in kept and not _passed(first, name)]
    hung = {name for cell in nb.cells[: max(lost, default=0)] for name in (grade_id(cell), cell.get("id")) if name}
    places = {n for n, cell in enumerate(nb.cells) if kind_of(cell) is CellKind.TEST and grade_id(cell) in kept}
    return replace(
        longer,
        verdicts=longer.verdicts | {name: first.verdicts[name] for name in first.verdicts if name in kept},
        outputs=_but(longer.outputs, places) | {n: shown for n, shown in first.outputs.items() if n in places},
        findings=[_said(again)]
        + [finding for finding in longer.findings if finding.where not in kept]
        + [
            finding
            for finding in first.findings
            if finding.where in kept or (finding.kind == _LEFT_OUT and finding.where in hung)
        ],
        causes=[cause for cause in longer.causes if cause["test"] not in kept]
        + [cause for cause in first.causes if cause["test"] in kept],
        unrecognised=first.unrecognised | longer.unrecognised,
    )


def not_run(first: Result, again: dict[str, str]) -> Result:
    """Return the first run's result where the machine ended the one with longer limits.

    Args:
        first: What its first run gave.
        again: The tests that the other run would have judged, from `not_judged`.
    """
    answers = ", ".join(dict.fromkeys(again.values()))
    text = (
        "This notebook ran out of time, and the machine had too little memory to mark it once more with longer limits. "
        f"What the first run could not judge counts as lost. It belongs to {answers}."
    )
    return replace(first, findings=[Finding("no-longer-run", "", text, Level.LOST), *first.findings])


def _passed(result: Result, name: str) -> bool:
    return result.verdicts[name].outcome is Outcome.PASSED


def _but(outputs: dict[int, list[NotebookNode]], places: Set[int]) -> dict[int, list[NotebookNode]]:
    return {n: shown for n, shown in outputs.items() if n not in places}


def _said(again: dict[str, str]) -> Finding:
    answers = ", ".join(dict.fromkeys(again.values()))
    text = (
        "This notebook ran out of time, so it was marked once more with longer limits. That run counts only for tests "
        f"that the first one could not judge. They belong to {answers}."
    )
    return Finding("marked-with-longer-limits", "", text)
