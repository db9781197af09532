"""Errors that an author or instructor reads.

Decisions are taken from the class of an error, never from its text. Errors come back from workers in other processes
and on other machines, so each class survives pickling.
"""


class GraderError(Exception):
    """Something is wrong with the input; the text says what, where and what to do.

    Args:
        what: What is wrong.
        where: File, notebook or cell it was found in.
        fix: What to do about it.
    """

    def __init__(self, what: str, where: str = "", fix: str = ""):
        # What is passed on here is what pickle passes to this constructor again.
        super().__init__(what, where, fix)
        self.what, self.where, self.fix = what, where, fix

    def __str__(self) -> str:
        """Return the text, in one or two lines."""
        text = f"{self.where}: {self.what}" if self.where else self.what
        return f"{text}\n  Fix: {self.fix}" if self.fix else text


class NotRead(GraderError):
    """A file was refused before anything of it was read, so that it has cost nothing."""


class RunRefused(GraderError):
    """No submission of this run can be marked, so there is no use in trying the next one."""


class IsolationNotReached(RunRefused):
    """This machine isolates students' code less than the instructor asked for."""


class OtherWorker(RunRefused):
    """A worker has other code, another Python or other libraries than the process that asks it."""


class SchedulerGone(RunRefused):
    """The scheduler of the cluster does not answer any more."""


class LockedCellFails(GraderError):
    """A set-up, helper or given cell of the course itself fails: the author's mistake, not a student's."""


class EndedFromOutside(GraderError):
    """The system ended a process of a submission: nobody knows what the tests would have said."""

    def __init__(
        self,
        what: str = "the system ended the process that it ran in, as it does when the machine's memory is used up",
        where: str = "",
        fix: str = "start the same command again, with fewer at once (--jobs)",
    ):
        super().__init__(what, where, fix)


def first_line(error: BaseException, most: int = 200) -> str:
    """Return the first line of an error's text, or the name of its type if it has no text.

    Args:
        error: The error. One that SQLAlchemy wraps stands for the database driver's own, whose text is the shorter one.
        most: The longest text that is returned, in characters.
    """
    lines = str(getattr(error, "orig", None) or error).strip().splitlines()
    return (lines[0] if lines else type(error).__name__)[:most]


def describe(error: BaseException, most: int = 500) -> str:
    """Describe an error on one line: our own with what to do about it, any other by its type and first line.

    Args:
        error: The error.
        most: The longest text that is returned for an error that is not ours, in characters.
    """
    if isinstance(error, GraderError):
        return " ".join(str(error).split("\n"))
    return f"{type(error).__name__}: {error}".splitlines()[0][:most]
