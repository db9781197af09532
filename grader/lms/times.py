"""What is odd about times of handing in, which decide whether work is late: a mistaken one is seen by nobody.

A time is as good as the worksheet that says it. So what changes a known one, or leaves a file without one, is named:
in a line for all whom it is about, since one worksheet may do it to a whole class.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable

from grader.lms.archive import Unplaced
from grader.lms.platforms import Sender, System
from grader.lms.students import Listed, Roster
from grader.submissions.file_names import called, named

_SHOWN = 5  # names in one line
_AGAIN = "download the worksheet of this assignment again, and collect again with it"
#: What a worksheet has for who handed in nothing.
_NOTHING = ("", "-")


class Timing(enum.Enum):
    """What is odd about the time of a file: a sentence with a place for names, and what to do."""

    NONE = (
        "Moodle's grading worksheet, which may be older than the download, has no time for the files of {}",
        _AGAIN,
    )
    UNREAD = (
        "the times of {} in Moodle's grading worksheet cannot be read",
        "download it again, with Moodle's language set to English, and collect again with it as it is",
    )
    SAME = (
        "it has other files than before, but no later times for them in Moodle's grading worksheet, which may be older "
        "than the download, of {}",
        _AGAIN,
    )
    LOST = (
        "it has other files than before, of which no time is known, although one was of those before, of {}",
        "collect again with Moodle's grading worksheet (--roster), or with --times for folders of nbgrader's exchange",
    )
    BACK = (
        "it has an earlier time than was known of the same files, of {}; the later one stays",
        f"{_AGAIN}; if the earlier time is right, empty the cell handed_in in collected.csv before",
    )
    CONTRARY = (
        "it is older than the download of the files that count, of {}; these stay, since the later time in Moodle's "
        "grading worksheet may be of files that are in neither",
        "download the submissions and the worksheet again, and collect them together",
    )
    SAVED = (
        "nothing tells which of two files is later, of {}: one came by itself, as by mail, and was saved after the "
        "other one was handed in; it counts",
        "see which of them the student made last; if it is the other one, copy that from attempts/ to its place",
    )
    MAILED = (
        "one of two different files came by itself, as by mail, and counts, of {}; the other one was handed in",
        "if the one that was handed in is to count, copy it from attempts/ to its place",
    )
    UPLOADED = (
        "one of two different files came by itself, as by mail, and does not count, of {}; the other one was handed in",
        "if the one that came by itself is to count, copy it from attempts/ to its place",
    )
    MOVED = (
        "it has a later time of handing in for files that were collected before, of {}",
        "see above which times changed; if the one before shall count, write it into timestamp.txt beside the notebook",
    )


def odd_times(found: Iterable[tuple[str, str, Timing]]) -> list[Unplaced]:
    """Name what is odd about times.

    Args:
        found: Downloads and students, with what is odd about the time of one of the student's files.
    """
    students: dict[tuple[str, Timing], list[str]] = {}
    for source, student, timing in found:
        if student not in students.setdefault((source, timing), []):
            students[source, timing].append(student)
    return [_line(source, timing, those) for (source, timing), those in students.items()]


def _line(source: str, timing: Timing, students: list[str]) -> Unplaced:
    why, fix = timing.value
    more = f" and {len(students) - _SHOWN} more" if len(students) > _SHOWN else ""
    return Unplaced(named(source), why.format(", ".join(map(called, students[:_SHOWN])) + more), fix)


def untimed(listed: Listed | None) -> Timing | None:
    """Return why a worksheet tells no time of a file that was handed in; None if it does, or has no such column."""
    if listed is None or listed.said is None or listed.handed_in:
        return None
    return Timing.NONE if listed.said in _NOTHING else Timing.UNREAD


def of_nobody(source: str, senders: Iterable[Sender], roster: Roster) -> list[Unplaced]:
    """Name a download of Moodle of which the worksheets that were given list nobody.

    Args:
        source: The download.
        senders: Who handed in.
        roster: What the worksheets say.
    """
    moodle = [sender for sender in senders if sender.system is System.MOODLE]
    given = any(system == System.MOODLE for system, _ in roster.people)
    if not (moodle and given) or any(map(roster.get, moodle)):
        return []
    why = "the grading worksheet that was given lists nobody of it, so no time of handing in is known"
    fix = "collect again with the worksheet of this assignment; of what groups handed in, Moodle lists no times"
    return [Unplaced(named(source), why, fix)]
