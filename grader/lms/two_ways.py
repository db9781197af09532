"""Two files that came in two ways: one was handed in, and one came by itself, as by mail; a person has to see both.

The time at which a file was saved says neither when it was sent nor when somebody wrote in it last.
"""

from __future__ import annotations

from grader.lms.again import once_more
from grader.lms.candidates import Candidate
from grader.lms.journal import Attempt, State, saved_between
from grader.lms.platforms import System
from grader.lms.rows import row_of
from grader.lms.times import Timing

_SYSTEMS = (System.MOODLE, System.CANVAS)


def two_ways(best: Candidate, current: Attempt | None, known: Attempt | None, counts: bool) -> Timing | None:
    """Return what to say of a file that came in another way than the one that was there before.

    It is said when the file comes in that way for the first time, or once more with a number of its own in Canvas,
    whichever of the two counts.

    Args:
        best: The file.
        current: The other one, that counted until now.
        known: The file as it came before.
        counts: Whether it counts now.
    """
    if current is None:
        return None
    by_itself = best.sender.system == System.PLAIN
    fresh = row_of(current.student, current.assignment, best, State.EARLIER, "")
    new = known is None or (by_itself and known.system in _SYSTEMS) or once_more(fresh, known, current)
    ways = (best.sender.system, current.system) if by_itself else (current.system, best.sender.system)
    if not new or ways[0] != System.PLAIN or ways[1] not in _SYSTEMS:
        return None
    if saved_between(fresh, current):
        return Timing.SAVED
    return Timing.MAILED if by_itself == counts else Timing.UPLOADED
