"""Make the report of a class and write it down."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.files import replace_file
from grader.report.analysis import NotebookReport, analyse
from grader.report.data import ClassData, plain, read_class
from grader.report.page import render
from grader.report.pseudonyms import pseudonym, read_key
from grader.submissions.listing import list_submissions


def write_report(
    course: Course,
    db_url: str,
    course_id: str,
    assignments: list[str],
    to: Path,
    *,
    submitted: Path | None = None,
    names: bool = False,
    csv_to: Path | None = None,
    now: datetime.datetime | None = None,
) -> list[NotebookReport]:
    """Write the report of a class.

    Args:
        course: The course.
        db_url: Where the gradebook is.
        course_id: nbgrader's id of the course.
        assignments: Which notebooks.
        to: The page; replaced if it is there.
        submitted: Where submissions were handed in, to say which are not in the gradebook.
        names: Whether students appear with their names.
        csv_to: Folder for the CSV files; none are written without it.
        now: Time of the report; the present by default.

    Returns:
        What the report says about each notebook.

    Raises:
        GraderError: If there is no gradebook, or nothing can be written.
    """
    data = read_class(course, db_url, course_id, assignments)
    if submitted is not None:
        _note_unmarked(data, submitted)
    reports = analyse(data)
    page, files = render(data, reports, _naming(course, data, names), names, now or datetime.datetime.now(datetime.UTC))
    _write(to, page)
    if csv_to is not None:
        for name, text in files.items():
            _write(csv_to / f"{name}.csv", text)
    return reports


def _note_unmarked(data: ClassData, submitted: Path) -> None:
    if not submitted.is_dir():
        return
    known = {n.layout.assignment: {s.student for s in n.submissions} for n in data.notebooks}
    there = [(one.assignment, one.student) for one in list_submissions(submitted, list(known), [])]
    found = [(a, student) for a, student in there if student not in known[a]]
    data.notebooks = [
        replace(n, not_marked=tuple(student for a, student in found if a == n.layout.assignment))
        for n in data.notebooks
    ]


def _naming(course: Course, data: ClassData, names: bool) -> Callable[[str], str]:
    key = read_key(course.local)

    def who(student: str) -> str:
        if not names:
            return pseudonym(key, student)
        full = data.students.get(student, "")
        return plain(f"{full} ({student})" if full else student)

    return who


def _write(path: Path, text: str) -> None:
    """Write a file in one step, so that a run cut short leaves the one before it."""
    try:
        replace_file(path, text)
    except OSError as error:
        raise GraderError(f"cannot be written: {error.strerror}", str(path), "name another place") from None
