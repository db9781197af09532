"""`timestamp.txt` beside a notebook, from which nbgrader counts late penalties: it is to be of the file that counts."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable
from dataclasses import replace
from pathlib import Path

from grader.core.files import replace_file
from grader.lms.candidates import TIMESTAMP, Candidate
from grader.lms.journal import HANDED_IN, Attempt, State, as_time, comes_later, later, saved
from grader.lms.platforms import System
from grader.lms.rows import row_of
from grader.lms.times import Timing
from grader.submissions.times import time_of

#: Said of a file that nobody collected and that lies where another one was.
OF_ANOTHER = (
    f"{TIMESTAMP} beside it has the time of the attempt that was there before: if the one that was put there by hand "
    "was handed in at another time, write that into it"
)


class Stamps:
    """The times that a run's worksheets tell, and those that were known before."""

    def __init__(self) -> None:
        self._told = set[tuple[str, str]]()
        self._before = dict[tuple[str, str], tuple[str, str]]()  # what was known before a worksheet said another one

    def told(self, student: str, assignment: str) -> bool:
        """Return whether the time of a student's submission is of this run."""
        return (student, assignment) in self._told

    def write(self, folder: Path, handed_in: datetime.datetime) -> None:
        """Write when the submission in a folder was handed in, in UTC."""
        self._told.add((folder.parent.name, folder.name))
        write_time(folder, handed_in)

    def odd(self, best: Candidate, current: Attempt | None, known: Attempt | None) -> Timing | None:
        """Return what is odd about the time of a file that is another one than was there before.

        Args:
            best: The file.
            current: The one that was there, if there was one.
            known: The file as it came before.
        """
        if current is None:
            return None
        fresh = row_of(current.student, current.assignment, best, State.CURRENT, "")
        told, was = as_time(fresh.handed_in), as_time(current.handed_in)
        if was and not told and comes_later(fresh, current) is not False:
            return Timing.LOST
        one_upload = fresh.system == current.system == System.MOODLE and fresh.number == current.number
        here = self.told(current.student, current.assignment)
        if not (one_upload and told and was) or known or here or later(fresh.order, current.order) is False:
            return None
        return Timing.SAME if told <= was else None

    def news(self, best: Candidate, known: Attempt) -> tuple[list[str], Timing | None]:
        """Return what the time of a known file tells that is new, and what is odd about it.

        An earlier time than was known tells nothing.
        """
        told, was = f"{best.handed_in:{HANDED_IN}}" if best.handed_in else "", known.handed_in
        if not told or told == was:
            return [], None
        time, before = as_time(told), as_time(was)
        if time and before and time < before:
            return [], Timing.BACK
        self._before.setdefault((known.student, known.assignment), (was, known.late))
        note = f"the time of handing in is {told} UTC" + (f"; it was {was} UTC" if was else "")
        if not was and time and (came := saved(known)) and came < time:  # it may have been mailed in time
            note, was = f"{note}; it came by itself before, and was saved at {_text(came)}", told
        return [note], Timing.MOVED if was else None

    def again(
        self, best: Candidate, known: Attempt, lost: bool, attempts: Iterable[Attempt], upload: Collection[str]
    ) -> tuple[Candidate, list[str], Timing | None]:
        """Give a known file that takes its place again the time that it had, or a later one.

        Args:
            best: The file.
            known: Its row.
            lost: Whether it was taken away since it came; otherwise it was handed in again.
            attempts: All of the student's.
            upload: Digests of the files that came together.

        Returns:
            The file with its time, what to say, and what is odd about the time.
        """
        own = replace(best, handed_in=as_time(known.handed_in), late=best.late or bool(known.late))
        if not best.handed_in:
            return own if lost else best, [], None
        if lost and is_anothers(best.handed_in, known, attempts, upload):
            note = "the worksheet has the time of another attempt, so this one keeps its own"
            return replace(own, late=bool(known.late)), [note], None
        notes, timing = self.news(best, known)
        return own if timing is Timing.BACK else best, notes, timing

    def give_back(self, current: Attempt, best: Candidate) -> None:
        """Give an attempt the time that it had if the one of this run's worksheet is that of the attempt after it."""
        known = self._before.pop((current.student, current.assignment), None)
        if known and best.handed_in and current.handed_in == f"{best.handed_in:{HANDED_IN}}":
            current.handed_in, current.late = known


def write_time(folder: Path, handed_in: datetime.datetime) -> None:
    """Write when the submission in a folder was handed in, in UTC."""
    replace_file(folder / TIMESTAMP, as_written(handed_in).encode())


def as_written(handed_in: datetime.datetime) -> str:
    """Return what `timestamp.txt` says of a time."""
    return f"{_text(handed_in)}\n"


def settle_time(folder: Path, chosen: Attempt, before: Attempt) -> str:
    """Give a file that somebody copied to its place the time at which it was handed in.

    Beside it lies the time of the file that it replaced. Any other one was written there by hand, too, and stays.

    Args:
        folder: The submission's.
        chosen: The attempt that is there now.
        before: The one that was there.

    Returns:
        What was done, or nothing.
    """
    there, why_not = time_of(folder)
    own, was = as_time(chosen.handed_in), as_time(before.handed_in)
    now = there.replace(tzinfo=datetime.UTC) if there else None
    if why_not or now == own or (now and now != was):
        return ""
    if own:
        write_time(folder, own)
        return f"{TIMESTAMP} says {_text(own)} now, the time of the attempt that was put there by hand"
    (folder / TIMESTAMP).unlink(missing_ok=True)
    return f"{TIMESTAMP} is taken away: it was of another attempt than the one that was put there by hand"


def take_along(folder: Path, attempt: Attempt) -> bool:
    """Enter the time beside a submission that is set aside into its row, if it is another one than was known.

    Somebody wrote it by hand, or nbgrader's exchange did, and it is written down nowhere else.

    Args:
        folder: The submission's.
        attempt: Its row.

    Returns:
        Whether it was another one.
    """
    there, why_not = time_of(folder)
    said = f"{there:{HANDED_IN}}" if there and not why_not else ""
    if not said or said == attempt.handed_in:
        return False
    attempt.handed_in = said
    return True


def with_time(other: Attempt | None, counts: Attempt | None) -> str:
    """Say what becomes of `timestamp.txt` if another attempt is put in the place of the one that counts."""
    own, there = (as_time(attempt.handed_in) if attempt else None for attempt in (other, counts))
    if own == there:
        return ""
    if own is None:
        return f", and delete {TIMESTAMP} beside it, which is of the file that is there now"
    return f", and write {_text(own)} into {TIMESTAMP} beside it"


def is_anothers(
    handed_in: datetime.datetime | None, current: Attempt, attempts: Iterable[Attempt], upload: Collection[str]
) -> bool:
    """Return whether a worksheet's later time is of an attempt that did not come in this upload.

    A worksheet has one time for each person, that of the last attempt, also if an earlier one counts. An attempt before
    that may have got it too, from a worksheet that was newer than its download.

    Args:
        handed_in: The time.
        current: The attempt that counts.
        attempts: All of them.
        upload: Digests of the files that came together.
    """
    known = as_time(current.handed_in)
    if handed_in is None or (known and handed_in <= known):
        return False
    others = [a for a in attempts if a.sha256 not in upload and later(a.order, current.order) is not False]
    return handed_in in {as_time(attempt.handed_in) for attempt in others}


def _text(time: datetime.datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"
