"""Mark a class: every submission through nbgrader, one after the other, and a summary of what needs a look.

Whatever one submission does, the others get their marks: what cannot be read, does not end or breaks something is
named in the summary and costs itself alone. A run can be stopped at any point and started again; what was marked
already and has not changed is not marked again.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import stat
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from nbgrader.utils import parse_utc
from traitlets.config import Config

from ..course import Course
from ..errors import GraderError
from ..nbgrader_api import failure_reason, open_nbgrader
from ..notebook import CellKind, grade_id, kind_of, read_notebook
from . import intake, records, steps
from .findings import Finding, Level

#: Names of student folders that every part of nbgrader takes: no glob, no path, no surprise.
STUDENT = re.compile(r"[\w][\w.@+\-]{0,99}")


@dataclass(frozen=True)
class Entry:
    """What became of one submission.

    Args:
        student: Student id.
        assignment: Assignment id.
        outcome: `marked`, `unchanged` (marked before, nothing changed since), `refused` (not a submission) or `failed`.
        points: Automatic points.
        max_points: Points that can be had automatically.
        findings: What was noticed.
        isolation: The level that was reached.
        seconds: Time it took.
        why: For `refused` and `failed`: a sentence.
    """

    student: str
    assignment: str
    outcome: str
    points: float = 0.0
    max_points: float = 0.0
    findings: list[Finding] = field(default_factory=list)
    isolation: str = ""
    seconds: float = 0.0
    why: str = ""

    @property
    def needs_a_look(self) -> bool:
        """Whether a person should look at it."""
        return self.outcome in ("refused", "failed") or any(f.level is not Level.REPAIRED for f in self.findings)


def list_submissions(submitted: Path, assignments: list[str], students: list[str]) -> list[tuple[str, str, str]]:
    """List what was handed in.

    Args:
        submitted: nbgrader's folder of submissions.
        assignments: Which assignments.
        students: Which students; none means all.

    Returns:
        `(assignment, student, why)`, sorted by assignment and student; `why` says why something there is no
        submission, or is empty.

    Raises:
        GraderError: If there is no such folder.
    """
    if not submitted.is_dir():
        raise GraderError(
            "no submissions", str(submitted), "put them there as <student>/<assignment>/<assignment>.ipynb"
        )
    found = []
    with os.scandir(submitted) as entries:
        names = sorted(e.name for e in entries if not e.name.startswith("."))
    for student in names:
        if students and student not in students:
            continue
        path = submitted / student
        kind = path.lstat().st_mode
        if stat.S_ISREG(kind):
            continue  # a README, a spreadsheet: not meant as a submission
        odd = (
            ""
            if STUDENT.fullmatch(student)
            else "the folder's name cannot be a student's id (letters, digits, . _ @ + -)"
        )
        odd = odd or ("" if stat.S_ISDIR(kind) else "it is a link or a device, not a folder")
        for assignment in assignments:
            folder = path / assignment
            if odd:
                found.append((assignment, student, odd))
            elif os.path.lexists(folder):
                is_folder = stat.S_ISDIR(folder.lstat().st_mode)
                found.append((assignment, student, "" if is_folder else "it is a link or a file, not a folder"))
    return sorted(found)


def grade_class(
    course: Course,
    config: Config,
    assignments: list[str],
    students: list[str] = (),
    *,
    force: bool = False,
    log_to: Path | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> list[Entry]:
    """Mark a class.

    Args:
        course: The course.
        config: nbgrader's configuration: folders, gradebook, steps.
        assignments: Which assignments.
        students: Which students; none means all.
        force: Mark again what has not changed.
        log_to: File for nbgrader's log.
        say: Receives a line of progress at a time.

    Returns:
        An entry for each submission.

    Raises:
        GraderError: If nothing can be marked at all: no submissions, no release, less isolation than asked for.
    """
    entries = []
    with open_nbgrader(config, log_to) as api:
        submitted = Path(api.coursedir.format_path(api.coursedir.submitted_directory, ".", ".")).resolve()
        todo = list_submissions(submitted, list(assignments), list(students))
        _must_be_released(api, sorted({assignment for assignment, _, _ in todo}))
        for number, (assignment, student, why) in enumerate(todo, 1):
            begun = time.monotonic()
            if why:
                entry = Entry(student, assignment, "refused", why=why)
            else:
                entry = _grade_one(api, submitted / student / assignment, assignment, student, force)
            entries.append(entry)
            say(f"[{number:{len(str(len(todo)))}}/{len(todo)}] {_line(entry, time.monotonic() - begun)}")
    return entries


def _must_be_released(api: NbGraderAPI, assignments: list[str]) -> None:
    """Enter assignments into the gradebook that it does not know, or not to the end: a release can be cut short too."""
    with Gradebook(api.coursedir.db_url, api.coursedir.course_id) as gradebook:
        known = {
            a.name: (
                {c.name for n in a.notebooks for c in n.grade_cells},
                {c.name for n in a.notebooks for c in n.source_cells},
            )
            for a in gradebook.assignments
        }
    for assignment in assignments:
        source = (
            Path(api.coursedir.format_path(api.coursedir.source_directory, ".", assignment)) / f"{assignment}.ipynb"
        )
        cells = [c for c in read_notebook(source).cells if grade_id(c)]
        graded = {grade_id(c) for c in cells if kind_of(c) in (CellKind.TEST, CellKind.WRITTEN)}
        if known.get(assignment) != (graded, {grade_id(c) for c in cells}):
            result = api.generate_assignment(assignment)
            if not result["success"]:
                reason = f"nbgrader could not release it: {failure_reason(result)}"
                raise GraderError(reason, assignment, "run `grader release`, then see nbgrader's log")


def _grade_one(api: NbGraderAPI, folder: Path, assignment: str, student: str, force: bool) -> Entry:
    begun = time.monotonic()
    if not force:
        record = _up_to_date(api, folder, assignment, student)
        if record is not None:
            return _entry(student, assignment, "unchanged", record, time.monotonic() - begun)
    noticed = []
    if os.path.lexists(folder / "timestamp.txt") and _timestamp(folder) is None:
        text = "timestamp.txt does not hold a time; the submission was marked as if it had come in time."
        noticed.append(Finding("timestamp", "timestamp.txt", text, Level.LOST))
    with _as_nbgrader_sees_it(api, folder, assignment, student):
        result = api.autograde(assignment, student, force=True)
    with Gradebook(api.coursedir.db_url, api.coursedir.course_id) as gradebook:
        record = records.read(gradebook, assignment, student)
    seconds = time.monotonic() - begun
    if not result["success"] or record is None:
        why = failure_reason(result)
        if "isolation" in why and "asked for" in why:
            raise GraderError(why, f"{student}, {assignment}", "see `grader doctor`")
        return Entry(student, assignment, "failed", seconds=seconds, why=why)
    return _entry(student, assignment, "marked", record, seconds, noticed)


def _entry(
    student: str, assignment: str, outcome: str, record: dict, seconds: float, noticed: list[Finding] = ()
) -> Entry:
    findings = [*noticed, *(Finding.from_json(f) for f in record["findings"])]
    level = record["isolation"].get("level", "")
    return Entry(student, assignment, outcome, record["points"], record["max_points"], findings, level, seconds)


def _up_to_date(api: NbGraderAPI, folder: Path, assignment: str, student: str) -> dict | None:
    """Give the record of a submission that was marked to the end and has not changed since, nor have the tests."""
    with Gradebook(api.coursedir.db_url, api.coursedir.course_id) as gradebook:
        record = records.read(gradebook, assignment, student)
    if record is None or not record["submission"]:
        return None
    marked = Path(api.coursedir.format_path(api.coursedir.autograded_directory, student, assignment))
    source = Path(api.coursedir.format_path(api.coursedir.source_directory, ".", assignment)) / f"{assignment}.ipynb"
    try:
        note = json.loads((marked / f"{assignment}.ipynb").read_text(encoding="utf-8"))["metadata"]["marking"]
        data = intake.read_bytes(intake.find_submission(folder, assignment).path)
    except Exception:
        return None
    same = (records.fingerprint(data), records.tests_fingerprint(source))
    done = "isolation" in note and (note["submission"], note["tests"]) == same
    return record if done and (record["submission"], record["tests"]) == same else None


def _timestamp(folder: Path) -> str | None:
    """Give the time of handing in, or None if there is none that nbgrader could read; links are not followed."""
    with contextlib.suppress(Exception):
        text = intake.read_bytes(folder / "timestamp.txt").decode().strip()
        if 1990 < parse_utc(text).year < 2200:
            return text
    return None


@contextlib.contextmanager
def _as_nbgrader_sees_it(api: NbGraderAPI, folder: Path, assignment: str, student: str):
    """Give nbgrader a copy where it would stumble: over a submission without `*.ipynb`, over a time that is none."""
    stamp = _timestamp(folder)
    if any(folder.glob("*.ipynb")) and (stamp is not None or not os.path.lexists(folder / "timestamp.txt")):
        yield
        return
    with tempfile.TemporaryDirectory(prefix="marking-") as stage:
        copy = Path(stage) / student / assignment
        copy.mkdir(parents=True)
        found = intake.find_submission(folder, assignment)
        name, data = f"{assignment}.ipynb", b""
        if found.path is not None:
            own = found.path.name
            name, data = own if own.endswith(".ipynb") else f"{own[:100]}.ipynb", intake.read_bytes(found.path)
        (copy / name).write_bytes(data)
        if stamp:
            (copy / "timestamp.txt").write_text(stamp)
        usual = api.coursedir.submitted_directory
        api.coursedir.submitted_directory = stage
        try:
            yield
        finally:
            api.coursedir.submitted_directory = usual


def _line(entry: Entry, seconds: float) -> str:
    head = f"{entry.student:18} {entry.assignment:26}"
    if entry.outcome in ("refused", "failed"):
        return f"{head} {entry.outcome}: {entry.why}"
    note = f"  {len(entry.findings)} noticed" if entry.findings else ""
    unchanged = "  unchanged" if entry.outcome == "unchanged" else ""
    return f"{head} {entry.points:g} of {entry.max_points:g}  {seconds:5.1f} s{unchanged}{note}"


def summary(entries: list[Entry]) -> str:
    """Say what a run gave and what needs a look, as text.

    Args:
        entries: From `grade_class`.
    """
    counts = {
        outcome: sum(e.outcome == outcome for e in entries) for outcome in ("marked", "unchanged", "refused", "failed")
    }
    lines = [f"{len(entries)} submissions: " + ", ".join(f"{n} {outcome}" for outcome, n in counts.items() if n)]
    levels = sorted({e.isolation for e in entries if e.isolation})
    if levels:
        lines.append(f"isolation: {', '.join(levels)}")
    repaired = sum(1 for e in entries if e.findings and not e.needs_a_look)
    if repaired:
        lines.append(f"{repaired} were repaired without loss (`--verbose` lists what)")
    look = [e for e in entries if e.needs_a_look]
    if look:
        lines.append(f"{len(look)} need a look:")
    for entry in look:
        if entry.why:
            lines.append(f"  {entry.student}, {entry.assignment}: {entry.outcome}: {entry.why}")
        for finding in entry.findings:
            if finding.level is not Level.REPAIRED:
                where = f" [{finding.where}]" if finding.where else ""
                lines.append(f"  {entry.student}, {entry.assignment}: {finding.level.value}{where}: {finding.text}")
    return "\n".join(lines)


def repairs(entries: list[Entry]) -> str:
    """List everything that was noticed, a line each."""
    return "\n".join(
        f"  {e.student}, {e.assignment}: {f.level.value}{f' [{f.where}]' if f.where else ''}: {f.text}"
        for e in entries
        for f in e.findings
    )


def end() -> None:
    """End the warm process, if one is left."""
    steps.warm.close()
