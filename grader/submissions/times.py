"""When something was handed in, as `timestamp.txt` says: a file that a student may have written."""

from __future__ import annotations

import datetime
import os
from pathlib import Path

from nbgrader.utils import parse_utc

from grader.core.errors import GraderError
from grader.core.escaping import printable_line
from grader.submissions import intake

#: Most bytes of such a file.
MAX_TIME = 100


def time_in(data: bytes) -> datetime.datetime:
    """Return the time, as UTC without a zone, that the content of a `timestamp.txt` stands for.

    What reads it takes days for a megabyte of digits, so it never sees more than a time is long.

    Raises:
        ValueError: If it is no time between 1990 and 2200.
    """
    text = data[: MAX_TIME + 1].decode("utf-8", "replace").strip()
    if len(data) > MAX_TIME:
        raise ValueError("too long for a time")
    try:
        time: datetime.datetime = parse_utc(text)
    except (ValueError, OverflowError, TypeError, AttributeError) as error:
        raise ValueError(printable_line(str(error))) from None
    if not 1990 < time.year < 2200:
        raise ValueError("out of range")
    return time


def time_of(folder: Path) -> tuple[datetime.datetime | None, str]:
    """Read the time in the `timestamp.txt` of a folder; links are not followed, and pipes not waited for.

    Returns:
        The time, None if there is none; and why what is there is no time, empty if it is one or nothing is there.
    """
    path = folder / "timestamp.txt"
    if not os.path.lexists(path):
        return None, ""
    try:
        data = intake.read_bytes(path, MAX_TIME)
        return (time_in(data), "") if data.strip() else (None, "empty")
    except (GraderError, OSError, ValueError) as error:
        return None, error.what if isinstance(error, GraderError) else printable_line(str(error))
