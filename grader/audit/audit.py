"""The grader graded: do the tests take points from wrong answers, and only from wrong ones?

For each exercise of a notebook, `audit` runs the reference answer, the untouched stub, every answer of the catalogue,
answers that change their arguments so that a test agrees, answers that return spoiled results, and every automatic
change to the reference against the graded test cells, and says what is not as it should be.
"""

from __future__ import annotations

import ast
import math
import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from itertools import chain, groupby

from nbformat import NotebookNode

from grader.audit.findings import AssignmentAudit, ExerciseAudit, Finding, FindingKind
from grader.audit.judging import (
    audit_variant,
    judge_reference,
    judge_size,
    judge_stub,
    judge_variant,
    shown_path,
    was_now,
)
from grader.audit.mutations import Change, changes, stub_of
from grader.audit.report import ProgressLine
from grader.audit.results import AnswerResult, End, Outcome, Task
from grader.audit.runner import Runner
from grader.audit.series import run_in_series
from grader.audit.spoiling import RIGHT_ANSWER, passed_by
from grader.audit.tampering import gains
from grader.core.catalogue import Catalogue, Equivalent, one_line, read_catalogue
from grader.core.cells import Exercise, exercises
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests

#: CPU seconds that a right answer may take; to trace a Keras layer takes one or two.
RIGHT_LIMIT_S = 20.0
#: Wrong and changed answers get this many times what the reference took, and at least so many CPU seconds.
LIMIT_FACTOR, LIMIT_MIN_S = 10, 3.0


Progress = Callable[[str, int, int], None]


def audit(
    course: Course,
    assignment: str,
    *,
    exercise: str | None = None,
    jobs: int | None = None,
    mutations: bool = True,
    progress: Progress | None = None,
    runner: Runner | None = None,
) -> AssignmentAudit:
    """Audit the tests of one notebook.

    Args:
        course: The course.
        assignment: Which notebook.
        exercise: Only this exercise: the name of its (first) function, or its number such as `"2.3"`.
        jobs: How many answers run at once; the number of processors by default.
        mutations: Whether to run the automatic changes.
        progress: Called with what is being run, how many are done and how many there are.
        runner: A running one for this notebook, for a caller that audits several of its exercises; `jobs` is its own.

    Returns:
        What was found.

    Raises:
        GraderError: If the notebook or its catalogue is malformed, or there is no such exercise.
    """
    begun = time.monotonic()
    nb = read_notebook(course.source(assignment))
    chosen = _choose(nb, exercise, course, assignment)
    audits = [ExerciseAudit(e, _catalogue(course, assignment, e)) for e in chosen]
    result = AssignmentAudit(assignment, audits)
    if exercise is None:
        result.findings += strays(course, assignment, chosen)
    say = progress or (lambda what, done, total: None)
    with nullcontext(runner) if runner else Runner(nb, jobs) as runner:
        answers, cpu_s = runner.answers, runner.cpu_s
        _run_variants(runner, nb, course, assignment, audits, say)
        _run_tampered(runner, nb, course, assignment, audits)
        _run_spoiled(runner, course, assignment, audits)
        if mutations:
            _run_changes(runner, course, assignment, audits, say)
        result.import_s = runner.import_s or 0.0
        result.answers, result.cpu_s = runner.answers - answers, runner.cpu_s - cpu_s
        result.peak_mib = runner.peak_mib
    result.wall_s = time.monotonic() - begun
    return result


def audit_all(
    course: Course, assignments: list[str], exercise: str | None, jobs: int | None, mutations: bool
) -> list[AssignmentAudit]:
    """Audit several notebooks, with progress on standard error.

    Args:
        course: The course.
        assignments: Which notebooks.
        exercise: Only this exercise, in whichever of the notebooks it stands.
        jobs: How many answers run at once.
        mutations: Whether to run the automatic changes.

    Raises:
        GraderError: If none of the notebooks has this exercise, or something is malformed.
    """
    if exercise is not None:
        known = {
            a: [n for e in exercises(read_notebook(course.source(a))) for n in (e.name, e.number)] for a in assignments
        }
        assignments = [a for a in assignments if exercise in known[a]]
        if not assignments:
            names = sorted({n for some in known.values() for n in some if n and not n[0].isdigit()})
            raise GraderError(f"no exercise named {exercise!r}", str(course.solutions), f"one of: {', '.join(names)}")
    if not assignments:
        raise GraderError("no notebook to audit", str(course.solutions), "write one; see CONTRIBUTING.md")
    return [
        audit(course, a, exercise=exercise, jobs=jobs, mutations=mutations, progress=ProgressLine(a))
        for a in assignments
    ]


def _choose(nb: NotebookNode, wanted: str | None, course: Course, assignment: str) -> list[Exercise]:
    known = exercises(nb)
    chosen = [e for e in known if wanted is None or wanted in (e.name, e.number)]
    if not chosen:
        where = course.source(assignment)
        names = ", ".join(e.name for e in known)
        raise GraderError(f"no exercise named {wanted!r}", str(where), f"one of: {names}" if names else "add one")
    return chosen


def _catalogue(course: Course, assignment: str, exercise: Exercise) -> Catalogue:
    path = course.catalogue / assignment / f"{exercise.name}.py"
    return read_catalogue(path, exercise.functions, exercise.answer) if path.exists() else Catalogue(path)


def strays(course: Course, assignment: str, known: list[Exercise]) -> list[Finding]:
    """Find catalogue files that belong to no exercise."""
    names = {e.name for e in known}
    found = [p for p in sorted((course.catalogue / assignment).glob("*.py")) if p.stem not in names]
    fix = f"name it after an answer cell: {', '.join(sorted(names))}"
    text = "there is no exercise of this name"
    return [Finding(FindingKind.CATALOGUE, shown_path(p, course), text, fix=fix) for p in found]


def _run_variants(
    runner: Runner, nb: NotebookNode, course: Course, assignment: str, audits: list[ExerciseAudit], say: Progress
) -> None:
    """Run reference, stub and catalogue of every exercise, and judge them."""
    tasks = []
    for one in audits:
        where = f"{shown_path(course.source(assignment), course)}: {one.exercise.name}"
        for source in (one.exercise.answer, stub_of(one.exercise.answer, where=where)):
            tasks.append(Task(one.exercise, source, self_check=True, timeout_s=RIGHT_LIMIT_S))
    results = iter(runner.run(tasks, lambda done: say("solutions and untouched answers", done, len(tasks))))
    for one in audits:
        where = f"{shown_path(course.source(assignment), course)}: {one.exercise.name}"
        checked = bool(one.exercise.self_checks)
        one.reference, one.stub = next(results), next(results)
        one.findings += judge_reference(one.reference, where, checked)
        one.findings += judge_stub(one.stub, where, checked)
        one.findings += judge_size(one.catalogue, shown_path(one.catalogue.path, course))
    variants = [_variants(one) for one in audits]
    count, ended = sum(map(len, variants)), list[AnswerResult]()
    for one, some in zip(audits, variants, strict=True):
        ended += _ended_as_named(
            runner, one, some, len(ended), lambda done: say("answers of the catalogue", done, count)
        )
    caught = zip(ended, _caught_visibly(runner, [*chain(*variants)], ended), strict=True)
    for one in audits:
        one.variants = [audit_variant(v, *next(caught), one.exercise, one.solution) for v in one.catalogue.variants]
        for variant in one.variants:
            found = judge_variant(variant, course, one.exercise)
            # A self-check that fails on the solution is reported once, there.
            one.findings += [
                f for f in found if f.kind is not FindingKind.SELF_CHECK or not one.solution.self_check_error
            ]
        failed = {c.name for v in one.of_kind("wrong") for c in v.result.failed}
        one.unused_cells = tuple(name for name, _, _ in one.exercise.tests if name not in failed)


def _variants(one: ExerciseAudit) -> list[Task]:
    limits = [_limit(one, v.kind) for v in one.catalogue.variants]
    pairs = zip(one.catalogue.variants, limits, strict=True)
    return [Task(one.exercise, v.source, self_check=True, timeout_s=limit) for v, limit in pairs]


def _ended_as_named(
    runner: Runner, one: ExerciseAudit, tasks: list[Task], before: int, progress: Callable[[int], None]
) -> list[AnswerResult]:
    """Run the catalogue's answers: in series, as far as they turn out to be right or wrong as they are named."""
    right = {v.source for v in one.catalogue.variants if v.kind == "right"}

    def sure(task: Task, result: AnswerResult) -> bool:
        return result.end is End.DONE and result.kept_all is (task.source in right)

    return run_in_series(runner, tasks, one.exercise.answer, lambda done: progress(before + done), sure)


def _run_tampered(
    runner: Runner, nb: NotebookNode, course: Course, assignment: str, audits: list[ExerciseAudit]
) -> None:
    """Run answers that change what a test compares with."""
    for one in audits:
        if not one.solution.kept_all:
            continue
        where = f"{shown_path(course.source(assignment), course)}: {one.exercise.name}"
        for gain in gains(nb, one.exercise, runner):
            text = f"an answer that {gain.says} gets {gain.points} of {one.exercise.points} points by that"
            fix = "compute what is wanted before the call, or from a copy"
            one.findings.append(Finding(FindingKind.TAMPERING, where, text, gain.cells, fix))


def _run_spoiled(runner: Runner, course: Course, assignment: str, audits: list[ExerciseAudit]) -> None:
    """Run answers that go wrong around the reference."""
    for one in audits:
        if not one.solution.kept_all:
            continue
        where = f"{shown_path(course.source(assignment), course)}: {one.exercise.name}"
        recorded = {r.now: r for r in one.catalogue.equivalents if r.was == RIGHT_ANSWER}
        for passed in passed_by(one.exercise, runner, _limit(one, "wrong")):
            if recorded.pop(one_line(passed.says), None):
                continue
            text = f"an answer that {passed.says} gets {passed.points} of {one.exercise.points} points"
            said = (*passed.cells, f"was: {RIGHT_ANSWER}", f"now: {passed.says}")
            fix = "write a test that notices it, or record it in the catalogue as equivalent, with the reason"
            one.findings.append(Finding(FindingKind.FALSE_ACCEPT, where, text, said, fix))
        one.findings += [_stale(record, course) for record in recorded.values()]


def _stale(record: Equivalent, course: Course) -> Finding:
    """Report a record that no automatic change needs."""
    fix = "remove the record, or copy `was` and `now` again from the output of this command"
    said = (f"was: {record.was}", f"now: {record.now}")
    place = f"{shown_path(record.path, course)}:{record.line}"
    return Finding(FindingKind.STALE_RECORD, place, "no automatic change is this one", said, fix)


def _caught_visibly(runner: Runner, tasks: list[Task], ended: list[AnswerResult]) -> list[bool]:
    """Return for each answer whether the visible part of the test cells alone takes points from it.

    A cell that passes does so without its hidden part too, and one that fails before its hidden part begins fails
    there as well; only where neither decides it the visible parts are run.
    """
    caught: list[bool | None] = [_follows(task, result) for task, result in zip(tasks, ended, strict=True)]
    open_ones = [n for n, known in enumerate(caught) if known is None]
    again = [replace(tasks[n], graded=False, visible=True, self_check=False) for n in open_ones]
    for n, result in zip(open_ones, runner.run(again), strict=True):
        caught[n] = not result.kept_all_visible
    return [bool(known) for known in caught]


def _follows(task: Task, result: AnswerResult) -> bool | None:
    """Return whether the visible tests catch an answer, as far as it follows from the whole ones; else None."""
    if result.kept_all:
        return False
    sources = {name: source for name, _, source in task.exercise.tests}
    failed = [c for c in result.failed if c.outcome is Outcome.FAILED and c.line is not None]
    return True if any(_fails_before_hidden(sources[c.name], c.line or 0) for c in failed) else None


def _fails_before_hidden(source: str, line: int) -> bool:
    """Return whether a line of a test cell that raised ran before anything hidden did.

    The line may be in a function that a hidden line calls; so only statements count that define nothing.
    """
    hidden = min(hidden_tests().numbers(source), default=math.inf)
    try:
        statements = ast.parse(source).body
    except SyntaxError:
        return False
    here = [node for node in statements if node.lineno <= line <= (node.end_lineno or node.lineno) < hidden]
    defining = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.GeneratorExp)
    return bool(here) and not any(isinstance(part, defining) for part in ast.walk(here[0]))


def _limit(one: ExerciseAudit, kind: str) -> float:
    """Return the CPU seconds allowed for an answer that is `right`, or that is not known to be."""
    return RIGHT_LIMIT_S if kind == "right" else max(LIMIT_MIN_S, LIMIT_FACTOR * one.solution.answer_cpu_s)


def _run_changes(runner: Runner, course: Course, assignment: str, audits: list[ExerciseAudit], say: Progress) -> None:
    """Run the automatic changes to every reference that passes, and judge them."""
    chosen = []
    for one in audits:
        if one.solution.kept_all:
            where = f"{shown_path(course.source(assignment), course)}: {one.exercise.name}"
            chosen += [(one, change) for change in changes(one.exercise.answer, where)]
    results = _caught_soon(runner, chosen, lambda done: say("changed solutions", done, len(chosen)))
    recorded = {id(one): {r.key: r for r in one.catalogue.equivalents if r.was != RIGHT_ANSWER} for one in audits}
    for (one, change), result in zip(chosen, results, strict=True):
        record = recorded[id(one)].pop(change.key, None)
        where = f"{shown_path(course.source(assignment), course)}: {one.exercise.name}, line {change.line}"
        if not result.kept_all:
            one.killed.append(change)
            one.crashed += result.caught_by is not None and result.caught_by.error != "AssertionError"
            if record:
                fix = "remove the record: the change does change something"
                text = f"a test notices this change: {result.caught_by}"
                place = f"{shown_path(record.path, course)}:{record.line}"
                one.findings.append(Finding(FindingKind.STALE_RECORD, place, text, was_now(change), fix))
        elif record:
            one.equivalent.append(change)
        else:
            one.surviving.append(change)
            fix = "write a test that notices it, or record it in the catalogue as equivalent, with the reason"
            text = f"{change.operator}; no test notices"
            one.findings.append(Finding(FindingKind.SURVIVING_CHANGE, where, text, was_now(change), fix))
    for one in audits:
        if one.solution.kept_all:
            one.findings += [_stale(record, course) for record in recorded[id(one)].values()]


def _caught_soon(
    runner: Runner, chosen: list[tuple[ExerciseAudit, Change]], progress: Callable[[int], None]
) -> list[AnswerResult]:
    """Run changes, those of one line behind each other.

    A change first meets the test cell that caught the previous change of its line: most changes of a line are caught
    by the same cell, and a change is done with as soon as one cell catches it. A change that survives meets all cells.
    """
    results: list[AnswerResult] = []
    for one, some in groupby(chosen, key=lambda pair: pair[0]):
        limit, before = _limit(one, "changed"), len(results)
        tasks = [
            Task(one.exercise, change.source, stop_at_first=True, place=str(change.line), timeout_s=limit)
            for _, change in some
        ]

        def tell(done: int, before: int = before) -> None:
            progress(before + done)

        results += run_in_series(runner, tasks, one.exercise.answer, tell)
    return results
