"""`timestamp.txt` beside a notebook, from which nbgrader counts late penalties: it is to be of the file that counts."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Iterable
from pathlib import Path

from grader.core.files import replace_file
from grader.lms.candidates import TIMESTAMP
from grader.lms.journal import Attempt, as_time
from grader.submissions.times import time_of


def write_time(folder: Path, handed_in: datetime.datetime) -> None:
    """Write when the submission in a folder was handed in, in UTC."""
    replace_file(folder / TIMESTAMP, f"{_text(handed_in)}\n".encode())


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

    A worksheet has one time for each person, that of the last attempt, also if an earlier one counts.

    Args:
        handed_in: The time.
        current: The attempt that counts.
        attempts: All of them.
        upload: Digests of the files that came together.
    """
    known = as_time(current.handed_in)
    if handed_in is None or (known and handed_in <= known):
        return False
    return handed_in in {as_time(attempt.handed_in) for attempt in attempts if attempt.sha256 not in upload}


def _text(time: datetime.datetime) -> str:
    return f"{time:%Y-%m-%d %H:%M:%S} UTC"
