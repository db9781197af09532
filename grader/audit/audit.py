"""The grader graded: do the tests take points from wrong answers, and only from wrong ones?

For each exercise of a notebook, `audit` runs the reference answer, the untouched stub, every answer of the catalogue
and every automatic change to the reference against the graded test cells, and says what is not as it should be.
"""

from __future__ import annotations

import datetime
import os
import platform
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbformat import NotebookNode

from grader.audit.mutations import Change, changes, stub_of
from grader.audit.runner import AnswerResult, Runner, Task, self_check_source
from grader.core.catalogue import MIN_RIGHT, MIN_WRONG, Catalogue, Variant, read_catalogue
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import Exercise, exercises, read_notebook

SCHEMA_VERSION = 1
#: CPU seconds that a right answer may take; to trace a Keras layer takes one or two.
RIGHT_LIMIT_S = 20.0
#: Wrong and changed answers get this many times what the reference took, and at least so many CPU seconds.
LIMIT_FACTOR, LIMIT_MIN_S = 10, 3.0


@dataclass(frozen=True)
class Finding:
    """Something that needs a better test, a mended answer or a record.

    Args:
        kind: `false accept`, `false reject`, `surviving change`, `stale record`, `stub earns points`,
            `reference fails`, `self-check` or `catalogue`.
        where: File and line, or notebook and exercise.
        text: What was found, in a line.
        details: Lines that say more.
        fix: What to do.
    """

    kind: str
    where: str
    text: str
    details: tuple[str, ...] = ()
    fix: str = ""

    def __str__(self) -> str:
        """Print it over several lines."""
        lines = [f"{self.where}: {self.kind}: {self.text}", *(f"    {d}" for d in self.details)]
        return "\n".join([*lines, f"    Fix: {self.fix}"] if self.fix else lines)


@dataclass(frozen=True)
class VariantAudit:
    """How an answer of the catalogue fared.

    Args:
        variant: The answer.
        result: What it did.
        lost: Points it lost.
        caught_visibly: Whether the visible part of the tests alone takes points from it.
        noticed: Whether the self-check says that something does not hold.
        recognised: Whether the self-check prints its word; None if it has none.
    """

    variant: Variant
    result: AnswerResult
    lost: int
    caught_visibly: bool
    noticed: bool
    recognised: bool | None

    @property
    def as_expected(self) -> bool:
        """Whether a wrong answer lost points, or a right one did not."""
        return bool(self.lost) == (self.variant.kind == "wrong")


@dataclass
class ExerciseAudit:
    """What the audit of one exercise found.

    Args:
        exercise: The exercise.
        catalogue: Its catalogue; empty if there is none.
        variants: The catalogue's answers, in order.
        killed: Automatic changes that a test noticed.
        crashed: How many of these ended in an error of their own rather than at an assert.
        equivalent: Changes that no test noticed and that are recorded as equivalent.
        surviving: Changes that no test noticed.
        findings: What needs work.
        unused_cells: Test cells that no wrong answer of the catalogue fails.
        reference: What the reference answer did.
    """

    exercise: Exercise
    catalogue: Catalogue
    variants: list[VariantAudit] = field(default_factory=list)
    killed: list[Change] = field(default_factory=list)
    crashed: int = 0
    equivalent: list[Change] = field(default_factory=list)
    surviving: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unused_cells: tuple[str, ...] = ()
    reference: AnswerResult | None = None

    def of_kind(self, kind: str) -> list[VariantAudit]:
        """List the `wrong` or the `right` answers."""
        return [v for v in self.variants if v.variant.kind == kind]

    @property
    def figures(self) -> dict[str, int]:
        """The counts that the table and the JSON file show."""
        wrong, right = self.of_kind("wrong"), self.of_kind("right")
        return {
            "points": self.exercise.points,
            "test_cells": len(self.exercise.tests),
            "wrong": len(wrong),
            "wrong_that_lose_points": sum(v.as_expected for v in wrong),
            "wrong_caught_by_visible_tests": sum(v.caught_visibly for v in wrong),
            "wrong_noticed_by_self_check": sum(v.noticed for v in wrong),
            "wrong_named_by_self_check": sum(v.recognised is True for v in wrong),
            "right": len(right),
            "right_that_keep_all_points": sum(v.as_expected for v in right),
            "changes": len(self.killed) + len(self.equivalent) + len(self.surviving),
            "changes_killed": len(self.killed),
            "changes_killed_by_an_error_of_their_own": self.crashed,
            "changes_equivalent": len(self.equivalent),
            "changes_surviving": len(self.surviving),
            "findings": len(self.findings),
        }


@dataclass
class AssignmentAudit:
    """What the audit of one notebook found.

    Args:
        assignment: Its name.
        exercises: The exercises in order.
        findings: What concerns the notebook as a whole.
        import_s: Seconds to import what the notebook imports.
        wall_s: Seconds on the clock, imports included.
        answers: How many answers were run.
        cpu_s: CPU seconds of all answers.
        peak_mib: Most memory of one answer's process, what it shares with the others included.
    """

    assignment: str
    exercises: list[ExerciseAudit]
    findings: list[Finding] = field(default_factory=list)
    import_s: float = 0.0
    wall_s: float = 0.0
    answers: int = 0
    cpu_s: float = 0.0
    peak_mib: float = 0.0

    @property
    def all_findings(self) -> list[Finding]:
        """Findings of the notebook and of its exercises."""
        return [*self.findings, *(f for e in self.exercises for f in e.findings)]


Progress = Callable[[str, int, int], None]


def audit(
    course: Course,
    assignment: str,
    *,
    exercise: str | None = None,
    jobs: int | None = None,
    mutations: bool = True,
    progress: Progress | None = None,
) -> AssignmentAudit:
    """Audit the tests of one notebook.

    Args:
        course: The course.
        assignment: Which notebook.
        exercise: Only this exercise: the name of its (first) function, or its number such as `"2.3"`.
        jobs: How many answers run at once; the number of processors by default.
        mutations: Whether to run the automatic changes.
        progress: Called with what is being run, how many are done and how many there are.

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
        result.findings += _strays(course, assignment, chosen)
    say = progress or (lambda what, done, total: None)
    with Runner(nb, jobs) as runner:
        _run_variants(runner, nb, course, assignment, audits, say)
        if mutations:
            _run_changes(runner, course, assignment, audits, say)
        result.import_s = runner.import_s or 0.0
        result.answers, result.cpu_s, result.peak_mib = runner.answers, runner.cpu_s, runner.peak_mib
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


def _strays(course: Course, assignment: str, known: list[Exercise]) -> list[Finding]:
    """Find catalogue files that belong to no exercise."""
    names = {e.name for e in known}
    strays = [p for p in sorted((course.catalogue / assignment).glob("*.py")) if p.stem not in names]
    fix = f"name it after an answer cell: {', '.join(sorted(names))}"
    return [Finding("catalogue", _path(p, course), "there is no exercise of this name", fix=fix) for p in strays]


def _path(path: Path, course: Course) -> str:
    """Give a path as seen from the course's folder."""
    return str(path.relative_to(course.root)) if path.is_relative_to(course.root) else str(path)


def _run_variants(
    runner: Runner, nb: NotebookNode, course: Course, assignment: str, audits: list[ExerciseAudit], say: Progress
) -> None:
    """Run reference, stub and catalogue of every exercise, and judge them."""
    tasks = []
    for one in audits:
        where = f"{_path(course.source(assignment), course)}: {one.exercise.name}"
        for source in (one.exercise.answer, stub_of(one.exercise.answer, where=where)):
            tasks.append(Task(one.exercise, source, self_check=True, timeout_s=RIGHT_LIMIT_S))
    results = iter(runner.run(tasks, lambda done: say("solutions and untouched answers", done, len(tasks))))
    for one in audits:
        where = f"{_path(course.source(assignment), course)}: {one.exercise.name}"
        checked = bool(self_check_source(nb, one.exercise))
        one.reference, stub = next(results), next(results)
        one.findings += _judge_reference(one.reference, where, checked)
        one.findings += _judge_stub(stub, where, checked)
        one.findings += _judge_size(one.catalogue, _path(one.catalogue.path, course))
    variants = [
        Task(one.exercise, v.source, visible=True, self_check=True, timeout_s=_limit(one, v.kind))
        for one in audits
        for v in one.catalogue.variants
    ]
    results = iter(runner.run(variants, lambda done: say("answers of the catalogue", done, len(variants))))
    for one in audits:
        one.variants = [_variant(v, next(results), one.exercise, one.reference) for v in one.catalogue.variants]
        for variant in one.variants:
            found = _judge_variant(variant, course, one.exercise)
            # A self-check that fails on the solution is reported once, there.
            one.findings += [f for f in found if f.kind != "self-check" or not one.reference.self_check_error]
        failed = {c.name for v in one.of_kind("wrong") for c in v.result.failed}
        one.unused_cells = tuple(name for name, _, _ in one.exercise.tests if name not in failed)


def _limit(one: ExerciseAudit, kind: str) -> float:
    """Give the CPU seconds for an answer that is `right`, or that is not known to be."""
    return RIGHT_LIMIT_S if kind == "right" else max(LIMIT_MIN_S, LIMIT_FACTOR * one.reference.answer_cpu_s)


def _judge_reference(result: AnswerResult, where: str, checked: bool) -> Iterable[Finding]:
    if not result.kept_all:
        fix = "mend the solution or the test; nothing else can be judged before"
        yield Finding("reference fails", where, "the solution loses points", _lines(result), fix)
    if checked and _objections(result.printed):
        yield Finding("self-check", where, "objects to the solution", _objections(result.printed))
    if checked and result.self_check_error:
        yield Finding("self-check", where, "raises on the solution", (result.self_check_error,))


def _judge_stub(result: AnswerResult, where: str, checked: bool) -> Iterable[Finding]:
    for cell in result.cells:
        if cell.passed:
            fix = "assert something that needs the student's function, at top level of the cell"
            yield Finding("stub earns points", where, f"{cell.name} passes on the untouched notebook", fix=fix)
    if checked and "not written yet" not in result.printed:
        said = tuple(result.printed.splitlines()[:5]) + ((result.self_check_error,) if result.self_check_error else ())
        yield Finding("self-check", where, "does not say `not written yet` on the untouched notebook", said)


def _judge_size(catalogue: Catalogue, where: str) -> Iterable[Finding]:
    if not catalogue.variants:
        yield Finding("catalogue", where, "no answers", fix=f"write {MIN_WRONG} wrong and {MIN_RIGHT} right ones")
        return
    for kind, some, least in (("wrong", catalogue.wrong, MIN_WRONG), ("right", catalogue.right, MIN_RIGHT)):
        if len(some) < least:
            yield Finding("catalogue", where, f"{len(some)} {kind} answers", fix=f"write at least {least}")


def _variant(variant: Variant, result: AnswerResult, exercise: Exercise, reference: AnswerResult) -> VariantAudit:
    points = {name: points for name, points, _ in exercise.tests}
    word = variant.self_check.lower() if variant.self_check else None
    # A word that it prints about the right answer as well is no sign of anything.
    named = word is not None and word in _remarks(result.printed) and word not in _remarks(reference.printed)
    return VariantAudit(
        variant,
        result,
        lost=sum(points[c.name] for c in result.failed),
        caught_visibly=not result.kept_all_visible,
        noticed=bool(_objections(result.printed)),
        recognised=None if word is None else named,
    )


def _judge_variant(one: VariantAudit, course: Course, exercise: Exercise) -> Iterable[Finding]:
    variant, result = one.variant, one.result
    where = f"{_path(variant.path, course)}:{variant.line}"
    if variant.kind == "wrong" and not one.lost:
        fix = f"write a test in {exercise.name} that it fails, or remove it if it is right after all"
        text = f"{variant.name} keeps all {exercise.points} points"
        yield Finding("false accept", where, text, (f"says: {variant.text}",), fix)
    if variant.kind == "right" and one.lost:
        text = f"{variant.name} loses {one.lost} of {exercise.points} points"
        fix = "let the test accept it, or remove it if it is wrong after all"
        yield Finding("false reject", where, text, (f"why: {variant.text}", *_lines(result)), fix)
    if variant.kind == "right" and one.noticed:
        text = f"objects to the right answer {variant.name}"
        yield Finding("self-check", where, text, _objections(result.printed))
    if result.self_check_error:
        yield Finding("self-check", where, f"raises on {variant.name}", (result.self_check_error,))
    if one.recognised is False:
        said = _objections(result.printed) or ("it prints nothing but ok",)
        text = f"does not print {variant.self_check!r} on {variant.name}"
        yield Finding("self-check", where, text, said[:6], "add a hint to the self-check, or mend the word")


def _objections(printed: str) -> tuple[str, ...]:
    """Give the lines of a self-check that say that something does not hold."""
    return tuple(line.rstrip() for line in printed.splitlines() if line.startswith("--"))


def _remarks(printed: str) -> str:
    """Give what a self-check says beyond `ok`, in lower case: where the sign of a known mistake may stand."""
    return "\n".join(line for line in printed.splitlines() if line.startswith(("--", "note"))).lower()


def _lines(result: AnswerResult) -> tuple[str, ...]:
    lines = [f"the answer cell: {result.answer_error}"] if result.answer_error else []
    return (*lines, *(str(c) for c in result.failed))


def _run_changes(runner: Runner, course: Course, assignment: str, audits: list[ExerciseAudit], say: Progress) -> None:
    """Run the automatic changes to every reference that passes, and judge them."""
    tasks, owners = [], []
    for one in audits:
        where = f"{_path(course.source(assignment), course)}: {one.exercise.name}"
        if not one.reference.kept_all:
            continue
        limit = _limit(one, "changed")
        for change in changes(one.exercise.answer, where):
            tasks.append(Task(one.exercise, change.source, stop_at_first=True, timeout_s=limit))
            owners.append((one, change))
    results = runner.run(tasks, lambda done: say("changed solutions", done, len(tasks)))
    recorded = {id(one): {r.key: r for r in one.catalogue.equivalents} for one in audits}
    for (one, change), result in zip(owners, results, strict=True):
        record = recorded[id(one)].pop(change.key, None)
        where = f"{_path(course.source(assignment), course)}: {one.exercise.name}, line {change.line}"
        if not result.kept_all:
            one.killed.append(change)
            one.crashed += result.caught_by.error != "AssertionError"
            if record:
                fix = "remove the record: the change does change something"
                text = f"a test notices this change: {result.caught_by}"
                place = f"{_path(record.path, course)}:{record.line}"
                one.findings.append(Finding("stale record", place, text, _was_now(change), fix))
        elif record:
            one.equivalent.append(change)
        else:
            one.surviving.append(change)
            fix = "write a test that notices it, or record it in the catalogue as equivalent, with the reason"
            text = f"{change.operator}; no test notices"
            one.findings.append(Finding("surviving change", where, text, _was_now(change), fix))
    for one in audits:
        if one.reference.kept_all:
            for record in recorded[id(one)].values():
                fix = "remove the record, or copy `was` and `now` again from the output of this command"
                said = (f"was: {record.was}", f"now: {record.now}")
                place = f"{_path(record.path, course)}:{record.line}"
                one.findings.append(Finding("stale record", place, "no automatic change is this one", said, fix))


def _was_now(change: Change) -> tuple[str, str]:
    place = f" #{change.nth}" if change.nth > 1 else ""
    return f"was: {change.was}{place}", f"now: {change.now}"


def table(audits: list[AssignmentAudit]) -> str:
    """Print one line per exercise and one of totals."""
    head = ("exercise", "pts", "cells", "wrong", "visibly", "noticed", "named", "right", "changes", "equiv.", "alive")
    rows = []
    totals: dict[str, int] = {}
    for one in (e for a in audits for e in a.exercises):
        for key, value in one.figures.items():
            totals[key] = totals.get(key, 0) + value
        rows.append(_row(f"{one.exercise.number} {one.exercise.name}".strip(), one.figures))
    rows.append(_row("all", totals))
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    lines = [
        "  ".join(text.ljust(w) if i == 0 else text.rjust(w) for i, (text, w) in enumerate(zip(r, widths, strict=True)))
        for r in [head, *rows]
    ]
    rule = "-" * len(lines[0])
    return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])


def _row(name: str, f: dict[str, int]) -> tuple[str, ...]:
    return (
        name,
        str(f["points"]),
        str(f["test_cells"]),
        f"{f['wrong_that_lose_points']}/{f['wrong']}",
        str(f["wrong_caught_by_visible_tests"]),
        str(f["wrong_noticed_by_self_check"]),
        str(f["wrong_named_by_self_check"]),
        f"{f['right_that_keep_all_points']}/{f['right']}",
        f"{f['changes_killed']}/{f['changes']}",
        str(f["changes_equivalent"]),
        str(f["changes_surviving"]),
    )


LEGEND = """\
wrong: wrong answers that lose points, of all; visibly: by the visible tests alone; noticed: the self-check objects;
named: it prints the word for this mistake; right: right answers that keep all points; changes: automatic changes to
the solution that a test notices, of all; equiv.: recorded as changing nothing; alive: neither."""


def report(audits: list[AssignmentAudit]) -> str:
    """Write the whole report: table, findings, notes."""
    findings = [f for a in audits for f in a.all_findings]
    texts = [
        str(replace(f, fix="") if after and after.fix == f.fix else f)  # the same advice once for several in a row
        for f, after in zip(findings, [*findings[1:], None][: len(findings)], strict=True)
    ]
    notes = [
        f"note: no wrong answer of the catalogue fails {name}"
        for a in audits
        for e in a.exercises
        if e.of_kind("wrong")
        for name in e.unused_cells
    ]
    answers, cpu = sum(a.answers for a in audits), sum(a.cpu_s for a in audits)
    last = f"{answers} answers in {sum(a.wall_s for a in audits):.0f} s; {cpu / max(answers, 1):.2f} CPU s each."
    killed = [len(e.killed) for a in audits for e in a.exercises]
    crashed = sum(e.crashed for a in audits for e in a.exercises)
    own = f"Of {sum(killed)} changes that a test notices, {crashed} ended in an error of their own, not at an assert."
    count = f"{len(findings)} finding{'' if len(findings) == 1 else 's'}." if findings else "No findings."
    parts = [table(audits), LEGEND, "\n".join(texts), "\n".join(notes), own if sum(killed) else "", f"{count} {last}"]
    return "\n\n".join(p for p in parts if p)


def as_json(audits: list[AssignmentAudit]) -> dict:
    """Give the figures and findings as plain data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "assignments": [
            {
                "assignment": a.assignment,
                "answers": a.answers,
                "wall_s": round(a.wall_s, 1),
                "import_s": round(a.import_s, 1),
                "cpu_s_per_answer": round(a.cpu_s / max(a.answers, 1), 3),
                "peak_mib": round(a.peak_mib),
                "exercises": [_exercise_json(e) for e in a.exercises],
                "findings": [_finding_json(f) for f in a.findings],
            }
            for a in audits
        ],
    }


def _exercise_json(one: ExerciseAudit) -> dict:
    return {
        "exercise": one.exercise.name,
        "number": one.exercise.number,
        **one.figures,
        "cpu_s_of_the_solution_and_all_tests": round(one.reference.answer_cpu_s, 2),
        "variants": [
            {
                "name": v.variant.name,
                "kind": v.variant.kind,
                "lost": v.lost,
                "failed_cells": [c.name for c in v.result.failed],
                "caught_visibly": v.caught_visibly,
                "noticed": v.noticed,
                "named": v.recognised,
            }
            for v in one.variants
        ],
        "cells_that_no_wrong_answer_fails": list(one.unused_cells),
        "finding_list": [_finding_json(f) for f in one.findings],
    }


def _finding_json(f: Finding) -> dict:
    return {"kind": f.kind, "where": f.where, "text": f.text, "details": list(f.details), "fix": f.fix}


class ProgressLine:
    """One line on standard error that is overwritten; on no terminal, a line at each quarter.

    Args:
        name: What stands in front.
        stream: Where it goes; standard error by default.
    """

    def __init__(self, name: str, stream=None):
        self.name, self.stream = name, stream or sys.stderr
        self.live = self.stream.isatty()
        self.told = ("", -1)

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show how far it is."""
        quarter = 4 * done // total
        if self.live:
            end = "\n" if done == total else ""
            self.stream.write(f"\r{self.name}: {what} {done}/{total} {end}")
        elif (what, quarter) != self.told:
            self.told = (what, quarter)
            self.stream.write(f"{self.name}: {what} {done}/{total}\n")
        self.stream.flush()
