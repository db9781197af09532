"""What a run has put into place and not yet entered into `collected.csv`, so that it can be put back.

A run that is killed leaves files of which nobody knows where they came from: the next one would take them for chosen by
hand, and name nobody. So it puts back what was there before, and does it anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from grader.core.files import part_of, replace_file
from grader.lms.candidates import TIMESTAMP
from grader.lms.journal import Journal
from grader.lms.put_back import PutBack
from grader.submissions.unread import LEFT_ASIDE

_NAME = ".placing"
#: What lies beside a submission and is of that one.
_BESIDE = (TIMESTAMP, LEFT_ASIDE)


@dataclass(frozen=True)
class Noted:
    """What is going to be put into place.

    Args:
        student: nbgrader's id.
        assignment: Which assignment.
        sha256: Of the content.
        place: Where to, relative to the folder around the submissions.
        was: The file that was in its place, relative to that folder, or nothing.
        kept: The copy of it.
        beside: What lay beside that, by name, a character for each byte.
        source: The archive or folder it comes in.
        time: What `timestamp.txt` will say, or nothing; None if an earlier version noted it.
        moved: Files that are taken away from beside it, and the copy of each, relative to that folder.
    """

    student: str
    assignment: str
    sha256: str
    place: str
    was: str
    kept: str
    beside: dict[str, str]
    source: str = ""
    time: str | None = None
    moved: dict[str, str] = field(default_factory=dict)

    @property
    def key(self) -> tuple[str, str]:
        """Whose work it is, and for which assignment."""
        return self.student, self.assignment


class Underway:
    """Files that are being put into place, a line for each, until the journal is written.

    Args:
        local: The folder around the submissions.
    """

    def __init__(self, local: Path):
        self._local, self._path = local, local / _NAME
        #: Whose files are not put back yet, although that was begun: as where the disk is full.
        self.unfinished = set[tuple[str, str] | None]()

    def begin(
        self,
        student: str,
        assignment: str,
        sha256: str,
        path: Path,
        was: str,
        kept: str,
        source: str,
        time: str,
        moved: Mapping[str, str],
    ) -> None:
        """Note what is going to be put into place.

        Args:
            student: nbgrader's id.
            assignment: Which assignment.
            sha256: Of the content.
            path: Where to.
            was: The file that was in its place, relative to the folder around the submissions, or nothing.
            kept: The copy of it.
            source: The archive or folder it comes in.
            time: What `timestamp.txt` will say, or nothing.
            moved: Files that are taken away from beside it, and the copy of each, relative as `was` is.
        """
        beside = {name: text for name in _BESIDE if (text := _text(path.parent / name)) is not None}
        place = str(path.relative_to(self._local))
        noted = Noted(student, assignment, sha256, place, was, kept, beside, source, time, dict(moved))
        self.note(list(asdict(noted).values()))

    def note(self, what: list[object] | dict[str, str]) -> None:
        """Write down a file that is going to be put into place, or the row of somebody who gets a new id."""
        self._local.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="ascii") as file:
            # A line that a full disk cut short is none, and not the beginning of this one.
            file.write(f"\n{json.dumps(what)}\n")

    def left(self, journal: Journal) -> list[PutBack]:
        """Return what is to be put back of a run that was ended."""
        noted = self._noted()
        whose = {one.key for one in noted if self._is_left(one, journal)}  # one may have been placed over another
        return [PutBack(*one.key, one.sha256, one.source, self._gone(one)) for one in noted if one.key in whose]

    def put_back(self, journal: Journal, only: tuple[str, str] | None = None) -> None:
        """Put back what was there before, unless the journal knows what is there or somebody has changed it since.

        Args:
            journal: What is known.
            only: A student and an assignment; by default all.

        Raises:
            OSError: If that cannot be done; it is done the next time.
        """
        self.unfinished.add(only)
        for one in reversed(self._noted()):
            if only in (None, one.key):  # of a run that was killed before it had written all of it
                part_of(self._local / one.place).unlink(missing_ok=True)
            if only in (None, one.key) and self._is_left(one, journal):
                self._put_back(one)
        self.unfinished.discard(only)

    def _is_left(self, one: Noted, journal: Journal) -> bool:
        """Return whether what is in its place is what a run put there, and neither it nor its time is anybody's."""
        path, known = self._local / one.place, journal.current(*one.key)
        there = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        if there != one.sha256 or (known and known.sha256 == there):
            return False
        return one.time is None or _text(path.parent / TIMESTAMP) in (None, one.time, one.beside.get(TIMESTAMP))

    def _gone(self, one: Noted) -> str:
        """Return which copy would be put back and is there no more; nothing if that can be done."""
        copies = [one.kept] if one.was else []
        copies += [one.moved[one.place]] if one.place in one.moved else []
        return next((copy for copy in copies if not (self._local / copy).is_file()), "")

    def _put_back(self, one: Noted) -> None:
        if self._gone(one):  # what is there stays, with what lies beside it
            return
        path = self._local / one.place
        for name in _BESIDE:  # before the file itself, by which the next run sees what is still to be done
            if name in one.beside:
                replace_file(path.parent / name, one.beside[name].encode("latin-1"))
            else:
                (path.parent / name).unlink(missing_ok=True)
        for moved, kept in one.moved.items():  # what lay in the place itself comes below
            if not (self._local / moved).exists() and (self._local / kept).is_file():
                replace_file(self._local / moved, (self._local / kept).read_bytes())
        if one.was:
            replace_file(self._local / one.was, (self._local / one.kept).read_bytes())
        if one.place in one.moved:
            replace_file(path, (self._local / one.moved[one.place]).read_bytes())
        elif one.place != one.was:
            path.unlink()
        with contextlib.suppress(OSError):  # others may be in them
            path.parent.rmdir()
            path.parent.parent.rmdir()

    def end(self) -> None:
        """Forget what was noted: the journal has it, or it is put back."""
        if not self.unfinished:
            self._path.unlink(missing_ok=True)

    def newcomers(self) -> list[dict[str, str]]:
        """Return the rows of those who got a new id."""
        return [one for one in self._lines() if isinstance(one, dict)]

    def _noted(self) -> list[Noted]:
        return [Noted(*one) for one in self._lines() if isinstance(one, list)]

    def _lines(self) -> list[object]:
        lines = self._path.read_text(encoding="ascii").splitlines() if self._path.exists() else []
        read = []
        for line in lines:
            with contextlib.suppress(ValueError):  # the run was ended before it put this one into place
                read.append(json.loads(line))
        return read


def _text(path: Path) -> str | None:
    """Return what a file says, a character for each byte; None if there is none that can be read."""
    with contextlib.suppress(OSError):
        return path.read_bytes().decode("latin-1")
    return None
