"""How much is told of each student's files that could not be placed, however many somebody handed in."""

from __future__ import annotations

from collections import Counter

from grader.lms.archive import Unplaced, owner_of
from grader.lms.platforms import whose
from grader.submissions.file_names import called

SHOWN = 5  # of one student's files that were not taken
_ALL = "..."  # behind the beginning of files' names


def some_of_each(unplaced: list[Unplaced], around: int, assignments: list[str]) -> list[Unplaced]:
    """Return what is told of each student's files; nobody's lines push those of the others away.

    Args:
        unplaced: What could not be placed of one download.
        around: How many folders are around all the students' folders.
        assignments: Names of the course's assignments, which are no students.
    """
    often, told = Counter[tuple[str, ...]](), []
    for one in unplaced:
        owner = _owner(one.path, around, assignments)
        often[owner] += 1
        if not owner or often[owner] <= SHOWN + 1:  # the last of these may say how many more of one archive there are
            told.append(one)
    for owner, number in often.items():
        if owner and number > SHOWN + 1:
            which = "called so" if owner[-1].endswith(_ALL) else "in it"
            text = f"{number - SHOWN - 1:,} further files {which} were not taken either"
            told.append(Unplaced(called("/".join(owner)), text, "see what they are"))
    return told


def _owner(path: tuple[str, ...], around: int, assignments: list[str]) -> tuple[str, ...]:
    """Return a student's folder, or what Canvas or Moodle wrote before the names of the student's files.

    Those have no folder of their own, or one each: Canvas' names with `/` in them.
    """
    prefix = "".join(whose(name) for name in path[around : around + 1])
    return (*path[:around], prefix + _ALL) if prefix else owner_of(path[:-1], around, assignments)
