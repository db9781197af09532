"""What lies beside a submission whose place another attempt takes: marking would compare it with the new one.

Somebody put it there by hand, as a correction that came by mail, or an editor did. It is of the attempt that was there.
Beside the next one an older file could count, since it has more answers.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Collection, Iterator, Set
from pathlib import Path
from typing import NamedTuple

from grader.core.errors import GraderError
from grader.lms.journal import Attempt, State
from grader.lms.platforms import System
from grader.submissions.endings import ENDINGS
from grader.submissions.file_names import named
from grader.submissions.intake import (
    MAX_SLIMMED,
    MAX_UNPACKED,
    begins_like_a_zip,
    candidates_in,
    read_bytes,
    read_notebook,
    unpacked,
)
from grader.submissions.likely import Candidate
from grader.submissions.packed import CHECKPOINTS, is_zip
from grader.submissions.words import how_many

_SHOWN = 5  # names in one line


class Lying(NamedTuple):
    """A file beside a submission.

    Args:
        path: Where it is.
        row: What `collected.csv` says of it from now on; `file` is to be filled in.
        data: Its content.
    """

    path: Path
    row: Attempt
    data: bytes

    @property
    def suffix(self) -> str:
        """The ending under which it is kept."""
        if begins_like_a_zip(self.path):
            return ".zip"
        suffix = self.path.suffix.lower()
        return suffix if suffix and (suffix in ENDINGS or is_zip(suffix)) else ".ipynb"

    @property
    def is_copy(self) -> bool:
        """Whether it is a copy that Jupyter kept, which nobody put there."""
        return self.path.parent.name == CHECKPOINTS


def lying_beside(
    folder: Path, student: str, assignment: str, words: Set[str], counting: Collection[Path]
) -> Iterator[Lying]:
    """Find the files in a folder whose answers marking would compare; what holds nothing of the assignment is none.

    Args:
        folder: `submitted/<student>/<assignment>`.
        student: nbgrader's id.
        assignment: Which assignment.
        words: What marks a file as the assignment's.
        counting: What was in the place until now and what comes there.
    """
    room = MAX_UNPACKED
    for one in candidates_in(folder, assignment, [], MAX_SLIMMED):
        room -= one.path.lstat().st_size
        if one.path in counting or room < 0:  # what is left is compared by marking, which names it
            continue
        packed = is_zip(one.shown) or begins_like_a_zip(one.path)
        if not any(how_many(_content(file), words) for file in (unpacked([one], [])[0] if packed else [one])):
            continue
        with contextlib.suppress(GraderError):  # it has changed meanwhile
            data = read_bytes(one.path, MAX_SLIMMED)
            digest = hashlib.sha256(data).hexdigest()
            row = Attempt(student, assignment, State.EARLIER, digest, "", system=System.FOUND, name=one.shown)
            yield Lying(one.path, row, data)


def _content(one: Candidate) -> bytes:
    with contextlib.suppress(GraderError):
        return one.packed if one.packed is not None else read_notebook(one.path)
    return b""


def take_away(path: Path, folder: Path) -> None:
    """Remove a file that is kept elsewhere, with the folder around it if nothing else is in that."""
    path.unlink(missing_ok=True)
    if path.parent != folder:
        with contextlib.suppress(OSError):  # others are in it
            path.parent.rmdir()


def note_of(found: Collection[Attempt]) -> list[str]:
    """Say which files are kept that lay beside an attempt."""
    if not found:
        return []
    names = [f"{named(one.name)} as {named(one.file)}" for one in found]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return [f"what lay beside that attempt is kept, too: {', '.join(names[:_SHOWN])}{more}"]
