"""Have every program of nbgrader's read the time of handing in as the grader does.

nbgrader opens `timestamp.txt` in two places, whatever it is, and tries to understand any text: a pipe or a text that a
student chose makes the formgrader's list hang or fail for everybody. No setting of nbgrader's leads there, so that
`nbgrader_config.py`, which each of its programs loads, puts these in their place.
"""

from __future__ import annotations

import datetime
from pathlib import Path

from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory

from grader.core.escaping import printable_line
from grader.submissions.times import time_of


def bound_times() -> None:
    """Replace what nbgrader reads a `timestamp.txt` with, in this process; to do so again changes nothing."""
    CourseDirectory.get_existing_timestamp = _existing
    NbGraderAPI.get_submitted_timestamp = _submitted


def _existing(folders: CourseDirectory, dest_path: str) -> datetime.datetime | None:
    """Return the time in a folder's `timestamp.txt`; where it has none, only this submission goes without."""
    time, wrong = time_of(Path(dest_path))
    if wrong:
        where = printable_line(str(Path(dest_path) / "timestamp.txt"))
        folders.log.error("%s is no time (%s): this submission is taken as one without a time", where, wrong)
    return time


def _submitted(api: NbGraderAPI, assignment_id: str, student_id: str) -> datetime.datetime | None:
    """Return when a student handed in an assignment, None if that is not known."""
    folders = api.coursedir
    return _existing(folders, folders.format_path(folders.submitted_directory, student_id, assignment_id))
