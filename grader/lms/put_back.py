"""Name what a run had placed that was ended, and what was put back: its download has to be collected again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from grader.core.escaping import printable_line
from grader.lms.archive import Unplaced
from grader.submissions.file_names import called, named

_SHOWN = 5  # names in one line


class PutBack(NamedTuple):
    """A file that was in its place and is there no more.

    Args:
        student: nbgrader's id.
        assignment: Which assignment.
        sha256: Of the file.
        source: The archive or folder it came in; nothing if an earlier version placed it.
    """

    student: str
    assignment: str
    sha256: str
    source: str


def lines_of(some: Iterable[PutBack]) -> list[Unplaced]:
    """Name what was put back: a line for each download and assignment."""
    students: dict[tuple[str, str], list[str]] = {}
    for one in some:
        those = students.setdefault((one.source, one.assignment), [])
        those += [one.student] if one.student not in those else []
    return [_line(source, assignment, those) for (source, assignment), those in students.items()]


def _line(source: str, assignment: str, students: list[str]) -> Unplaced:
    who = some_of(students)
    where = named(printable_line(source)) if source else "a download of before"
    why = f"a run was ended before it had entered the {assignment} of {who} into collected.csv, and that was put back"
    return Unplaced(where, why, f"collect {where} again")


def some_of(students: list[str]) -> str:
    """Name the first of some students, and say how many more there are."""
    more = f" and {len(students) - _SHOWN} more" if len(students) > _SHOWN else ""
    return ", ".join(map(called, students[:_SHOWN])) + more
