"""What a run has put into place and not yet entered into `collected.csv`, so that it can be put back.

A run that is killed leaves files of which nobody knows where they came from: the next one would take them for chosen by
hand, and name nobody. So it puts back what was there before, and does it anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from pathlib import Path

from grader.core.files import replace_file
from grader.lms.candidates import TIMESTAMP
from grader.lms.journal import Journal
from grader.submissions.unread import LEFT_ASIDE

_NAME = ".placing"
#: What lies beside a submission and is of that one.
_BESIDE = (TIMESTAMP, LEFT_ASIDE)


class Underway:
    """Files that are being put into place, a line for each, until the journal is written.

    Args:
        local: The folder around the submissions.
    """

    def __init__(self, local: Path):
        self._local, self._path = local, local / _NAME

    def begin(self, student: str, assignment: str, sha256: str, path: Path, was: str, kept: str) -> None:
        """Note what is going to be put into place.

        Args:
            student: nbgrader's id.
            assignment: Which assignment.
            sha256: Of the content.
            path: Where to.
            was: The file that was in its place, relative to the folder around the submissions, or nothing.
            kept: The copy of it.
        """
        beside = {}
        for name in _BESIDE:
            with contextlib.suppress(OSError):
                beside[name] = (path.parent / name).read_bytes().decode("latin-1")
        place = str(path.relative_to(self._local))
        line = json.dumps([student, assignment, sha256, place, was, kept, beside])
        self._local.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="ascii") as file:
            file.write(line + "\n")

    def put_back(self, journal: Journal, only: tuple[str, str] | None = None) -> None:
        """Put back what was there before, unless the journal knows what is there or somebody has changed it since.

        Args:
            journal: What is known.
            only: A student and an assignment; by default all.

        Raises:
            OSError: If that cannot be done; it is done the next time.
        """
        for student, assignment, sha256, place, was, kept, beside in reversed(self._noted()):
            if only not in (None, (student, assignment)):
                continue
            path, known = self._local / place, journal.current(student, assignment)
            there = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
            if there != sha256 or (known and known.sha256 == there):
                continue
            if was:
                replace_file(self._local / was, (self._local / kept).read_bytes())
            if place != was:
                path.unlink()
            for name in _BESIDE:
                if name in beside:
                    replace_file(path.parent / name, beside[name].encode("latin-1"))
                else:
                    (path.parent / name).unlink(missing_ok=True)
            with contextlib.suppress(OSError):  # others may be in them
                path.parent.rmdir()
                path.parent.parent.rmdir()

    def end(self) -> None:
        """Forget what was noted: the journal has it, or it is put back."""
        self._path.unlink(missing_ok=True)

    def _noted(self) -> list[list]:
        lines = self._path.read_text(encoding="ascii").splitlines() if self._path.exists() else []
        noted = []
        for line in lines:
            with contextlib.suppress(ValueError):  # the run was ended before it put this one into place
                noted.append(json.loads(line))
        return noted
