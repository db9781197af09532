"""When something was handed in, as `timestamp.txt` says: a file that a student may have written."""

from __future__ import annotations

import datetime

from nbgrader.utils import parse_utc

from grader.core.escaping import printable_line

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
