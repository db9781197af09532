"""Name what a run had placed that was ended, and what was put back: its download has to be collected again."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from grader.core.escaping import printable_line
from grader.lms.archive import Unplaced
from grader.submissions.file_names import called, named

_SHOWN = 5  # names in one line


class PutBack(NamedTuple):
    """A file that a run had put into its place that was ended, and that is there no more but for one case.

    Args:
        student: nbgrader's id.
        assignment: Which assignment.
        sha256: Of the file.
        source: The archive or folder it came in; nothing if an earlier version placed it.
        gone: The copy of what was there before, if it is lost; then the file stays.
    """

    student: str
    assignment: str
    sha256: str
    source: str
    gone: str = ""


def lines_of(some: Iterable[PutBack]) -> list[Unplaced]:
    """Name what was put back: a line for each download and assignment."""
    alike: dict[tuple[str, str, bool], list[PutBack]] = {}
    for one in some:
        alike.setdefault((one.source, one.assignment, bool(one.gone)), []).append(one)
    return [_line(those) for those in alike.values()]


def _line(some: list[PutBack]) -> Unplaced:
    source, assignment, gone = some[0].source, some[0].assignment, some[0].gone
    where = named(printable_line(source)) if source else "a download of before"
    who = some_of(list(dict.fromkeys(one.student for one in some)))
    then = f"that stays, since {named(printable_line(gone))} of before is gone" if gone else "that was put back"
    why = f"a run was ended before it had entered the {assignment} of {who} into collected.csv, and {then}"
    return Unplaced(where, why, f"collect {where} again" + (", and look at their times of handing in" if gone else ""))


def some_of(students: list[str]) -> str:
    """Name the first of some students, and say how many more there are."""
    more = f" and {len(students) - _SHOWN} more" if len(students) > _SHOWN else ""
    return ", ".join(map(called, students[:_SHOWN])) + more
