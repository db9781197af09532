"""What the warm process can be asked for, and the words in which it answers; the standard library alone."""

from __future__ import annotations

from enum import StrEnum

#: Largest message between the warm process and the one that started it.
PACKET_BYTES = 1 << 20


class Role(StrEnum):
    """What a child of the warm process does; the value is the module of this package whose `main` it runs."""

    STUDENT = "student"
    TRUSTED = "trusted"
    EXPLAIN = "explain"
    AUDIT = "audited"
    FLOOR = "floor"
    PROBE = "probing"


class Ended(StrEnum):
    """How a child ended."""

    DONE = "done"
    #: It left with an exit code other than 0, which `code` holds.
    EXIT = "exit"
    #: A signal ended it, whose number `code` holds.
    SIGNAL = "signal"
    #: The system ended it, as it does when the machine's memory is used up.
    TAKEN = "taken"
    #: Its time was up, so the warm process ended it.
    KILLED = "killed"
    #: It had more threads than it may (`watching.py`).
    THREADS = "threads"
    #: Its scratch folder held more than it may.
    SCRATCH = "scratch"
    #: The warm process has no child of that number.
    UNKNOWN = "unknown"
