"""What was collected: `collected.csv` beside the submissions, a row for each attempt, none of which is ever dropped."""

from __future__ import annotations

import enum
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from grader.core.errors import GraderError
from grader.lms.students import read_rows, write_rows


class State(enum.StrEnum):
    """Where an attempt is, in the words of `collected.csv`."""

    CURRENT = "current"
    EARLIER = "earlier"


@dataclass
class Attempt:
    """A row of `collected.csv`.

    Args:
        student: nbgrader's id.
        assignment: Which assignment.
        state: Whether it is among the submissions or kept aside.
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
        order: What orders attempts: seconds of a time, or Canvas' number of the file.
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


class Journal:
    """The attempts of `collected.csv`.

    Args:
        path: The file; it need not exist.

    Raises:
        GraderError: If the file has lost its columns, or has a state that is unknown.
    """

    def __init__(self, path: Path):
        self.path = path
        self.attempts: list[Attempt] = []
        names = [f.name for f in fields(Attempt)]
        for row in read_rows(path) if path.exists() else []:
            if not set(names) <= set(row):
                fix = "restore it from a backup, or move it away: the next collect starts a new one"
                raise GraderError(f"it has no column {sorted(set(names) - set(row))[0]}", str(path), fix)
            try:
                state = State(row["state"])
            except ValueError:
                text = f"its column state has {row['state']!r}, and not one of: {', '.join(State)}"
                raise GraderError(text, str(path), "correct it") from None
            self.attempts.append(Attempt(state=state, **{name: row[name] for name in names if name != "state"}))

    def save(self) -> None:
        """Write the file, if it changed."""
        write_rows(self.path, [f.name for f in fields(Attempt)], [asdict(a) for a in self.attempts])

    def of(self, student: str, assignment: str) -> list[Attempt]:
        """Return the attempts of one student at one assignment, in the order they were collected."""
        return [a for a in self.attempts if (a.student, a.assignment) == (student, assignment)]

    def current(self, student: str, assignment: str) -> Attempt | None:
        """Return the attempt that is among the submissions."""
        return next((a for a in self.of(student, assignment) if a.state is State.CURRENT), None)


def later(one: str, other: str) -> bool | None:
    """Return whether an attempt is later than another by their orders; None if the orders cannot be compared."""
    kind, _, value = one.partition(":")
    other_kind, _, other_value = other.partition(":")
    if not kind or kind != other_kind or value == other_value:
        return None
    return float(value) > float(other_value)
