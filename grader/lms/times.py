"""What is odd about times of handing in, which decide whether work is late: a mistaken one is seen by nobody.

A time is as good as the worksheet that says it. So what changes a known one, or leaves a file without one, is named:
in a line for all whom it is about, since one worksheet may do it to a whole class.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from grader.lms.archive import Unplaced
from grader.submissions.file_names import called, named

_SHOWN = 5  # names in one line


class Timing(enum.Enum):
    """What is odd about the time of a file: a sentence with a place for names, and what to do."""

    MOVED = (
        "it has a later time of handing in for files that were collected before, of {}",
        "see above which times changed; if the one before shall count, write it into timestamp.txt beside the notebook",
    )


def odd_times(source: str, found: Iterable[tuple[str, Timing]]) -> list[Unplaced]:
    """Name what is odd about the times of one download.

    Args:
        source: The download.
        found: Students with what is odd about the time of one of their files.
    """
    students: dict[Timing, list[str]] = {}
    for student, timing in found:
        if student not in students.setdefault(timing, []):
            students[timing].append(student)
    return [_line(source, timing, those) for timing, those in students.items()]


def _line(source: str, timing: Timing, students: list[str]) -> Unplaced:
    why, fix = timing.value
    more = f" and {len(students) - _SHOWN} more" if len(students) > _SHOWN else ""
    return Unplaced(named(source), why.format(", ".join(map(called, students[:_SHOWN])) + more), fix)
