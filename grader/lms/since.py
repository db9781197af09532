"""What has changed since it was marked: a mark is of one file and of one time of handing in."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nbgrader.api import Assignment, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import or_, select

from grader.classrun.held import held
from grader.core.errors import GraderError
from grader.engine import fingerprints
from grader.gradebook import records
from grader.lms.put_back import some_of
from grader.submissions import intake
from grader.submissions.alone import traces
from grader.submissions.times import time_of

_OTHER_FILE = "the file that was handed in is not the one that was marked: run `grader grade` first"
_OTHER_TIME = "the time of handing in is not the one that was marked"
_NO_MARKS = "entered in the gradebook, but not marked by then"


class Marked(NamedTuple):
    """What a mark is of.

    Args:
        submission: The fingerprint of the file, empty if nothing could be read; None if nothing tells.
        held: What lay in the folder of which nothing could be read, if that was noted.
        traces: What the folder looked like, if its files had to be compared.
        time: The time of handing in.
        scored: Whether there is a mark at all: a submission is entered before its marks are.
    """

    submission: str | None = None
    held: str = ""
    traces: str = ""
    time: str = ""
    scored: bool = True


def read_marked(gradebook: Gradebook, assignment: str) -> dict[str, Marked]:
    """Read what the marks of an assignment are of, by students' ids.

    It has to be read before the marks. Where `grader grade` finishes one in between, the mark is newer than this then,
    and is named for nothing at worst; the other way round, an old mark would look like that of the new file.
    """
    # Columns, and no objects of nbgrader's: those would be the same when the marks are read, with their old values.
    query = select(SubmittedAssignment.student_id, SubmittedAssignment.timestamp).join(SubmittedAssignment.assignment)
    query = query.where(Assignment.name == assignment)
    some = or_(Grade.auto_score.is_not(None), Grade.manual_score.is_not(None))
    grades = query.join(SubmittedAssignment.notebooks).join(SubmittedNotebook.grades).where(some)
    scored = {student for student, _ in gradebook.db.execute(grades.distinct()).all()}
    rows = gradebook.db.execute(query).all()
    found = {student: Marked(time=str(time or ""), scored=student in scored) for student, time in rows}
    for _, student, _, text in records.read_all(gradebook, [assignment]):
        found[student] = _of_record(json.loads(text), found.get(student, Marked()).time)
    return found


def _of_record(record: Mapping[str, Any], time: str) -> Marked:
    # The gradebook's own time is written before the mark is; the record is written with it.
    seen = record.get("held", ""), record.get("traces", "")
    return Marked(record.get("submission"), *seen, record.get("timestamp", time))


def changed_since(assignment: str, marked: Mapping[str, Marked], files: Mapping[str, Path], grade: str) -> list[str]:
    """Name whose file, or time of handing in, is not the one that was marked, a sentence each.

    Args:
        assignment: Which assignment.
        marked: From `read_marked`.
        files: The submissions by students' ids; `timestamp.txt` is beside them.
        grade: How to have them marked.
    """
    known = {student: file for student, file in files.items() if student in marked}
    stale = [student for student, file in known.items() if _is_another(marked[student], file, assignment)]
    late = (s for s in known.keys() - stale if marked[s].time != str(time_of(known[s].parent)[0] or ""))
    look = [f"{student}, {assignment}: {_OTHER_FILE}" for student in stale]
    if others := sorted(late):
        look.append(f"{assignment}: {_OTHER_TIME}: {some_of(others)}; {grade}")
    return look


def not_marked(assignment: str, marked: Mapping[str, Marked], students: Iterable[str], grade: str) -> list[str]:
    """Name whose marks were not there yet, which are 0 points as long as nobody notices.

    Args:
        assignment: Which assignment.
        marked: From `read_marked`.
        students: Ids of those whose marks were read afterwards.
        grade: How to have them marked.
    """
    some = sorted(s for s in students if s not in marked or not marked[s].scored)
    return [f"{assignment}: {_NO_MARKS}: {some_of(some)}; {grade}"] if some else []


def _is_another(mark: Marked, path: Path, assignment: str) -> bool:
    """Return whether a mark belongs to another file than the one that is among the submissions now."""
    if mark.submission is None:  # marked by nbgrader alone
        return False
    if mark.traces and mark.traces == traces(path.parent):
        return False
    if not mark.submission and mark.held:
        return mark.held != held(path.parent, assignment)
    try:
        data = intake.read_notebook(path)
    except (GraderError, OSError):  # it is gone, or no ordinary file, as it may have been when nothing could be read
        return bool(mark.submission)
    if not mark.submission:  # of a version that noted nothing: what is like that now was it then
        return bool(data) and not intake.begins_like_a_zip(path)
    return fingerprints.fingerprint(data) != mark.submission
