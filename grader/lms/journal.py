"""What was collected: `collected.csv` beside the submissions, a row for each attempt, none of which is ever dropped.

A row that cannot be read is kept and named too, and costs only the student whom it is about.
"""

from __future__ import annotations

import contextlib
import datetime
import enum
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from grader.core.csv_files import Row
from grader.lms.platforms import System
from grader.lms.students import Unread, read_own, write_rows
from grader.submissions.listing import may_be_id

#: How `collected.csv` has the time of handing in.
HANDED_IN = "%Y-%m-%d %H:%M:%S"


class State(enum.StrEnum):
    """Where an attempt is, in the words of `collected.csv`."""

    CURRENT = "current"
    EARLIER = "earlier"
    LOST = "lost"
    """It counted until it was taken away, and is to count again; nothing later came since."""


@dataclass
class Attempt:
    """A row of `collected.csv`.

    Args:
        student: nbgrader's id.
        assignment: Which assignment.
        state: Whether it is among the submissions, was until it was taken away, or is kept aside.
        sha256: Of its content.
        file: Where it is, relative to the folder of `collected.csv`.
        handed_in: When, in UTC, if that is known.
        late: `late` if the system says so.
        system: One of `System`, as the file has it.
        number: The system's number of the person, for the way back.
        attachment: Canvas' number of the file.
        folder: Moodle's folder.
        name: The name of the file that was handed in: of the zip file, if the notebook was in one.
        source: The archive or folder it came in.
        order: What orders attempts beside `handed_in`: seconds of the download's time (without one, of that of handing
            in), or Canvas' number of the file; nothing if somebody put it there by hand.
    """

    student: str
    assignment: str
    state: State
    sha256: str
    file: str
    handed_in: str = ""
    late: str = ""
    system: str = ""
    number: str = ""
    attachment: str = ""
    folder: str = ""
    name: str = ""
    source: str = ""
    order: str = ""

    def come_as(self, other: Attempt) -> None:
        """Say from now on that the file came as that of another row did."""
        for key in ("system", "number", "attachment", "folder", "name", "source", "order"):
            setattr(self, key, getattr(other, key))

    def learn_number(self, other: Attempt) -> None:
        """Say from now on to whom marks go back; when and how the file came stays."""
        self.number, self.attachment, self.folder = other.number, other.attachment, other.folder


class Journal:
    """The attempts of `collected.csv`.

    Args:
        path: The file; it need not exist.

    Raises:
        GraderError: If the file has lost its columns.
    """

    def __init__(self, path: Path):
        self.path = path
        self.attempts: list[Attempt] = []
        self.unread: list[Unread] = []
        names = [f.name for f in fields(Attempt)]
        for row in read_own(path, names):
            why = _wrong(row)
            if why:
                self.unread.append(Unread(path.name, row, why, "correct it", ("student", "number")))
                continue
            known = {name: row.cells[name] for name in names if name != "state"}
            attempt = Attempt(state=State(row.cells["state"]), **known)
            attempt.order = _of_a_kind(attempt)
            self.attempts.append(attempt)

    def save(self) -> None:
        """Write the file, if it changed; rows that could not be read are kept."""
        write_rows(self.path, [f.name for f in fields(Attempt)], [asdict(a) for a in self.attempts], self.unread)

    def of(self, student: str, assignment: str) -> list[Attempt]:
        """Return the attempts of one student at one assignment, in the order they were collected."""
        return [a for a in self.attempts if (a.student, a.assignment) == (student, assignment)]

    def numbers(self, system: System) -> dict[str, set[str]]:
        """Return a system's numbers of the people by the ids under which something was collected from it."""
        found = dict[str, set[str]]()
        for attempt in self.attempts:
            if attempt.system == system and attempt.number:
                found.setdefault(attempt.student, set()).add(attempt.number)
        return found

    def current(self, student: str, assignment: str) -> Attempt | None:
        """Return the attempt that is among the submissions."""
        return next((a for a in self.of(student, assignment) if a.state is State.CURRENT), None)

    def lose(self, recorded: Attempt) -> None:
        """Remember what is to count again: what counted or, where that came by hand, the last that can come again."""
        rows = self.of(recorded.student, recorded.assignment)
        if any(attempt.state is State.LOST for attempt in rows):
            return
        last: Attempt | None = recorded if recorded.source else None
        for attempt in rows if last is None else ():
            if attempt.source and (last is None or comes_later(attempt, last) is not False):
                last = attempt
        if last:
            last.state = State.LOST

    def nothing_lost(self, since: Attempt) -> None:
        """Let what counted before a loss be an earlier attempt, unless it is later than what came since."""
        for other in self.of(since.student, since.assignment):
            if other.state is State.LOST and comes_later(since, other) is not False:
                other.state = State.EARLIER

    def is_next_best(self, one: Attempt, other: Attempt) -> bool:
        """Return whether what counted before a loss has not come yet, and one row is below another."""
        rows = self.of(other.student, other.assignment)
        return any(a.state is State.LOST for a in rows) and rows.index(one) > rows.index(other)


def _wrong(row: Row) -> str:
    """Return why a row cannot be read, or nothing."""
    if row.rest:
        return "it has more cells than there are columns"
    if row.cells["state"] not in set(State):
        return f"its column state has {row.cells['state']!r}, and not one of: {', '.join(State)}"
    if not may_be_id(row.cells["student"]):
        return f"{row.cells['student']!r} cannot be a student's id (letters, digits, . _ @ + -)"
    if row.cells["order"] and not re.fullmatch(r"(time|handed|attachment):-?\d{1,30}", row.cells["order"], re.ASCII):
        return f"its column order has {row.cells['order']!r}, which orders nothing"
    return ""


def later(one: str, other: str) -> bool | None:
    """Return whether an order is later than another one; None if they cannot be compared."""
    kind, _, value = one.partition(":")
    other_kind, _, other_value = other.partition(":")
    if not kind or kind != other_kind or value == other_value:
        return None
    return int(value) > int(other_value)  # Canvas' numbers may have more digits than a float keeps apart


def comes_later(one: Attempt, other: Attempt) -> bool | None:
    """Return whether an attempt is later than another one; None if nothing tells.

    Two times of handing in are compared, or two of downloads. One of each says nothing: a server's clock may be of
    another zone, and a download is always later than what is in it. Where they say different things, neither is later.
    A file that came by itself, as by mail, has no download: when it was saved is held against a time of handing in. See
    `saved_between`.
    """
    if not (one.order and other.order):  # somebody put it there by hand
        return None
    said, others = as_time(one.handed_in), as_time(other.handed_in)
    if said and not others:
        others = saved(other)
    elif others and not said:
        said = saved(one)
    if said and others and said != others:
        return said > others and not contrary(one, other)
    return later(one.order, other.order)


def contrary(one: Attempt, other: Attempt) -> bool:
    """Return whether a file under a number of Moodle has a later time than another one from a later download.

    A worksheet has the time of a person's last attempt, and an older download the one before.
    """
    said, others = as_time(one.handed_in), as_time(other.handed_in)
    if not (said and others and said > others) or (one.system, one.number) != (other.system, other.number):
        return False
    return one.system == System.MOODLE and later(one.order, other.order) is False


def saved_between(one: Attempt, other: Attempt) -> bool:
    """Return whether a file came by itself, and was saved when another one was handed in but not downloaded yet.

    It may have been sent before that.

    Args:
        one: The file with a time of handing in.
        other: The one that came by itself.
    """
    said, then = as_time(one.handed_in), None if other.handed_in else saved(other)
    return bool(said and then and said < then and later(one.order, other.order))


def as_time(handed_in: str) -> datetime.datetime | None:
    """Return the time of handing in of a row; None if there is none or somebody wrote it in another form."""
    with contextlib.suppress(ValueError):
        return datetime.datetime.strptime(handed_in, HANDED_IN).replace(tzinfo=datetime.UTC)
    return None


def time_of_download(attempt: Attempt) -> datetime.datetime | None:
    """Return when the download was made in which an attempt came; None if nothing tells."""
    kind, _, seconds = attempt.order.partition(":")
    if kind != "time":
        return None
    with contextlib.suppress(OverflowError, OSError, ValueError):
        return datetime.datetime.fromtimestamp(int(seconds), datetime.UTC)
    return None


def saved(attempt: Attempt) -> datetime.datetime | None:
    """Return when somebody saved a file that came from no system; None for other files."""
    return time_of_download(attempt) if attempt.system == System.PLAIN else None


def _of_a_kind(attempt: Attempt) -> str:
    """Return the order of a row, in which earlier versions wrote both kinds of times alike."""
    time = as_time(attempt.handed_in)
    alike = time is not None and attempt.order == f"time:{time.timestamp():.0f}"
    return f"handed:{attempt.order.removeprefix('time:')}" if alike else attempt.order
