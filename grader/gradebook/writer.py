"""Write marks into the gradebook: one process does, and a submission's marks are one transaction."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from nbformat import reads
from nbgrader.api import (
    Assignment,
    BaseCell,
    Comment,
    Grade,
    Gradebook,
    InvalidEntry,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.coursedir import CourseDirectory
from sqlalchemy import select, update
from traitlets.config import Config

from grader.core.errors import GraderError
from grader.core.files import replace_file
from grader.core.findings import Finding, Level
from grader.core.notebook import as_text
from grader.engine.result import add_findings
from grader.engine.submission import Graded
from grader.gradebook import records
from grader.gradebook.penalties import LATE, ON_TIME, not_asked, take_off

#: After so many submissions the gradebook's objects are let go.
_FORGET = 200


def write_marks(
    gradebook: Gradebook,
    assignment: str,
    student: str,
    record: dict[str, Any],
    by_hand: dict[str, float | None],
    comments: dict[str, str | None],
    first: Callable[[list[Finding]], None] = lambda findings: None,
) -> list[Finding]:
    """Write the marks of a submission and its record in one transaction, whatever stood there before.

    A test cell has its points if it ran on the trusted side and ended well. Manual marks and comments stay if this
    project marked the submission before a person set them; they wait for a second look only where what the person saw
    has changed. Marks that stand there from before are set aside and named, since code of a submission may have
    written them.

    Args:
        gradebook: nbgrader's; the submission is known to it.
        assignment: Assignment id, which is the notebook's name too.
        student: Student id.
        record: What is kept; findings are added to it.
        by_hand: Points of written answers, None where a person is needed.
        comments: Automatic comments by `grade_id`.
        first: Called with what was noticed, before anything is committed.

    Returns:
        What was noticed while writing.

    Raises:
        GraderError: If the gradebook does not know a test.
    """
    try:
        findings = _marks(gradebook, assignment, student, record, by_hand, comments)
        record["findings"] += [f.as_json() for f in findings]
        first(findings)
        records.write(gradebook, assignment, student, record)
        gradebook.db.commit()
    except BaseException:
        gradebook.db.rollback()
        raise
    return findings


def _marks(
    gradebook: Gradebook,
    assignment: str,
    student: str,
    record: dict[str, Any],
    by_hand: dict[str, float | None],
    comments: dict[str, str | None],
) -> list[Finding]:
    # Statements for all cells at once: one object for each grade would cost some fifty queries a submission.
    db = gradebook.db
    whose = (Assignment.name == assignment, SubmittedAssignment.student_id == student)
    own = (
        select(SubmittedNotebook.id)
        .join(SubmittedNotebook.assignment)
        .join(SubmittedAssignment.assignment)
        .join(SubmittedNotebook.notebook)
        .where(*whose, Notebook.name == assignment)
        .scalar_subquery()
    )
    columns = (
        Grade.id, BaseCell.name, Grade.max_score, Grade.manual_score, Grade.extra_credit, Grade.auto_score,
        Grade.needs_manual_grade,
    )  # fmt: skip
    grades = db.execute(select(*columns).join(Grade.cell).where(Grade.notebook_id == own)).all()
    points = {v["name"]: v["points"] for v in record["verdicts"]}
    missing = sorted(set(points) - {row.name for row in grades})
    if missing:
        fix = "run `nbgrader generate_assignment` for it (with --force), then mark again"
        raise GraderError(f"the gradebook does not know the tests {', '.join(missing)}", assignment, fix)
    known = records.read(gradebook, assignment, student)
    # Untouched cells have 0 points, but here the answer may stand in another cell: a person looks first.
    asked = {f["where"] for f in record["findings"] if f["kind"] == "words-elsewhere"}
    by_hand = by_hand | dict.fromkeys(asked & by_hand.keys())
    comments = {name: None if name in asked else comment for name, comment in comments.items()}
    findings, rows, set_aside = [], [], []
    for number, name, most, manual, extra, automatic, waited in grades:
        score = min(points[name], most) if name in points else by_hand.get(name, 0.0)
        if known is None and (manual is not None or extra):
            text = (
                f"A manual mark of {manual or 0.0:g} (extra credit {extra or 0.0:g}) stood in the gradebook before "
                "this submission was marked here for the first time. Code of a submission can have written it, so it "
                "was set aside: enter it again if a person gave it."
            )
            findings.append(Finding("manual-mark-set-aside", name, text, Level.SUSPICIOUS))
            manual = extra = None
            set_aside.append({"id": number, "manual_score": None, "extra_credit": None})
        given = manual is not None or bool(extra)  # by a person, for what stood there then
        waits = given or score is None
        if given and known is not None and not waited:
            waits = not _same_as_marked(name, known, record, automatic == score)
        rows.append({"id": number, "auto_score": score, "needs_manual_grade": waits})
    # What a person gave is not written back: the formgrader may be changing it at this moment.
    for changes in (rows, set_aside):
        if changes:
            db.execute(update(Grade), changes)
    said = db.execute(
        select(Comment.id, BaseCell.name, Comment.auto_comment).join(Comment.cell).where(Comment.notebook_id == own)
    )
    changed = [
        {"id": number, "auto_comment": comments.get(name)} for number, name, was in said if was != comments.get(name)
    ]
    if changed:
        db.execute(update(Comment), changed)
    # nbgrader's plugin sets it anew.
    late = update(SubmittedNotebook).where(SubmittedNotebook.id == own, SubmittedNotebook.late_submission_penalty > 0)
    db.execute(late.values(late_submission_penalty=None).execution_options(synchronize_session=False))
    return findings


def _same_as_marked(name: str, before: dict[str, Any], now: dict[str, Any], as_many: bool) -> bool:
    """Return whether what a person gave a mark for is what it was, so that the mark need not be given again.

    nbgrader has every mark of a person's wait again whenever a submission is marked, and a corrected test would keep
    the whole class's marks back.

    Args:
        name: The cell's.
        before: The record of when the submission was marked last.
        now: Its record now.
        as_many: Whether the cell has as many points by itself as then.
    """
    written, was = now.get("written", {}), before.get("written", {})
    same_file = bool(now["submission"]) and now["submission"] == before["submission"]
    if name in written:  # of before a version that noted it, the file tells
        return bool(written[name] == was[name] if name in was else same_file)
    return same_file and as_many


class Writer:
    """The one writer of a run: marked notebooks into their folders, marks into the gradebook.

    Args:
        folders: nbgrader's.
        config: nbgrader's configuration, for late penalties.
        gradebook: Open for the whole run.
    """

    def __init__(self, folders: CourseDirectory, config: Config, gradebook: Gradebook):
        self.folders, self.config, self.gradebook = folders, config, gradebook
        self._due: dict[str, bool] = {}
        self._written = 0
        # What the gradebook says of an assignment is read once, not after each commit again.
        gradebook.db().expire_on_commit = False

    def write(self, assignment: str, student: str, timestamp: datetime | None, graded: Graded) -> dict[str, Any]:
        """Write one submission: first the notebook, then its marks and its record, then its late penalty.

        Args:
            assignment: Assignment id.
            student: Student id.
            timestamp: When it was handed in, if known.
            graded: What a worker returned.

        Returns:
            The record as it was written.
        """
        record = graded.record | {"findings": list(graded.record["findings"])}
        try:  # None as well: an attempt whose time is not known has not the time of the one before
            self.gradebook.update_or_create_submission(assignment, student, timestamp=timestamp)
        except InvalidEntry:  # another run has just entered it
            self.gradebook.db.rollback()
            self.gradebook.update_or_create_submission(assignment, student, timestamp=timestamp)

        def store(findings: list[Finding]) -> None:
            record[LATE] = not_asked(self.gradebook, assignment, student) if self._has_due(assignment) else ON_TIME
            nb = reads(graded.notebook, as_version=4) if findings else None
            if nb is not None:
                add_findings(nb, findings)
            text = graded.notebook if nb is None else as_text(nb)
            shared = self.folders.groupshared
            path = self.marked(assignment, student)
            if path.parent.exists():  # nothing of an earlier attempt stays beside it
                shutil.rmtree(path.parent)
            record["bytes"] = replace_file(path, text, 0o664 if shared else None, at_most=None if shared else 0o444)

        write_marks(self.gradebook, assignment, student, record, graded.by_hand, graded.comments, store)
        if record[LATE] != ON_TIME:
            take_off(self.gradebook, self.config, assignment, student, record)
        self._written += 1
        if self._written % _FORGET == 0:
            self.gradebook.db.expunge_all()
        return record

    def keep(self, assignment: str, student: str, record: dict[str, Any]) -> None:
        """Replace the record of a submission whose marks stay as they are."""
        records.write(self.gradebook, assignment, student, record)
        self.gradebook.db.commit()

    def marked(self, assignment: str, student: str) -> Path:
        """Return the path of the marked notebook."""
        folder = self.folders.format_path(self.folders.autograded_directory, student, assignment)
        return Path(folder) / f"{assignment}.ipynb"

    def _has_due(self, assignment: str) -> bool:
        if assignment not in self._due:
            self._due[assignment] = self.gradebook.find_assignment(assignment).duedate is not None
        return self._due[assignment]
