"""When something was handed in, as `timestamp.txt` says: a file that a student may have written.

nbgrader's exchange writes `2026-11-20 12:00:00.000000 UTC` and `grader collect` the same without the fraction. These
are read, and the same with an offset, and nothing else: whatever guesses what a text may mean can be made to hang, to
fail in ways nobody listed, or to open a file that the text names as a time zone.
"""

from __future__ import annotations

import datetime
import os
import re
from pathlib import Path

from grader.core.errors import GraderError
from grader.core.escaping import printable_line
from grader.core.findings import Finding, Level
from grader.submissions import intake

#: Most bytes of such a file.
MAX_TIME = 100
_FORM = re.compile(
    r"(?P<local>[0-9]{4}-[0-9]{2}-[0-9]{2}[ T][0-9]{2}:[0-9]{2}:[0-9]{2})(?:\.(?P<fraction>[0-9]{1,6})[0-9]*)?"
    r" ?(?P<zone>UTC|GMT|Z|(?P<sign>[+-])(?P<hours>[0-9]{2}):?(?P<minutes>[0-5][0-9]))?"
)
#: Why an empty file is none, which says nothing of any time.
EMPTY = "it is empty"
_WRITTEN = "not written like 2026-11-20 12:00:00 UTC or 2026-11-20 12:00:00 +0100"


def time_in(data: bytes) -> datetime.datetime:
    """Return the time, as UTC without a zone, that the content of a `timestamp.txt` stands for.

    Raises:
        ValueError: If it is no time between 1990 and 2200 in one of the forms that are read.
    """
    if len(data) > MAX_TIME:
        raise ValueError("too long for a time")
    match = _FORM.fullmatch(data.decode("utf-8", "replace").strip())
    if not match:
        raise ValueError(_WRITTEN)
    time = datetime.datetime.fromisoformat(match["local"])
    if not 1990 < time.year < 2200:
        raise ValueError("out of range")
    time = time.replace(microsecond=int((match["fraction"] or "0").ljust(6, "0")))
    if match["sign"]:
        if int(match["hours"]) > 14:  # the largest offset there is
            raise ValueError("out of range")
        offset = datetime.timedelta(hours=int(match["hours"]), minutes=int(match["minutes"]))
        time = time - offset if match["sign"] == "+" else time + offset
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
        return (time_in(data), "") if data.strip() else (None, EMPTY)
    except OSError as error:  # its own text has the path, and folders may be named by students
        return None, os.strerror(error.errno or 0)
    except (GraderError, ValueError) as error:
        return None, error.what if isinstance(error, GraderError) else printable_line(str(error))


def no_time(why: str) -> Finding:
    """Return what to say of a `timestamp.txt` that holds no time.

    Args:
        why: From `time_of`.
    """
    text = f"timestamp.txt does not hold a time ({why}); the submission was marked as if it had come in time."
    return Finding("timestamp", "timestamp.txt", text, Level.LOST)
