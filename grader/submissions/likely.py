"""The files of a submission that may count, and how likely each of them does."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from grader.submissions.choosing import Answers, File, counted
from grader.submissions.file_names import named
from grader.submissions.words import how_many

ZIP = b"PK\x03\x04"
#: Finds the answers in a file, by its content and its name.
Answered = Callable[[bytes, str], Answers]


@dataclass(frozen=True)
class Candidate:
    """A file that could be the notebook.

    Args:
        path: Where it is: the archive, if it is in one.
        shown: Its name in the submission, as it is shown.
        rank: Of its ending; smaller is likelier.
        changed: When, in seconds.
        packed: What was taken out of an archive.
    """

    path: Path
    shown: str
    rank: int
    changed: float
    packed: bytes | None = None


@dataclass(frozen=True)
class Seen:
    """A candidate and what is in it.

    Args:
        candidate: The file.
        read: Reads it again; empty if it cannot be read.
        score: How many words of the assignment it holds.
        named: Whether it has the right name.
        zipped: Whether it is an archive that is named like a notebook.
        digest: Of its content.
        size: Its bytes.
        answered: What is answered in it; None if nobody counted.
    """

    candidate: Candidate
    read: Callable[[], bytes]
    score: int
    named: bool
    zipped: bool
    digest: str
    size: int
    answered: Answers | None = None

    @classmethod
    def of(cls, candidate: Candidate, read: Callable[[], bytes], words: Set[str], exact: str) -> Seen:
        """Look into a file."""
        data = read()
        digest, is_exact = hashlib.sha256(data).hexdigest(), candidate.shown == exact
        return cls(candidate, read, how_many(data, words), is_exact, data.startswith(ZIP), digest, len(data))

    @property
    def shown(self) -> str:
        """Its name for a sentence."""
        return named(self.candidate.shown)

    @property
    def by_name(self) -> tuple[bool, int, bool, int, int, float]:
        """How likely it counts before answers are counted: the right name does, unless it holds nothing."""
        return replace(self, answered=None).likely

    @property
    def likely(self) -> tuple[bool, int, bool, int, int, float]:
        """How likely it counts: the more answers the likelier; of equals, the right name does."""
        c = self.candidate
        return self.score > 0, len(self.answered or ()), self.named, self.score, -c.rank, c.changed


class Aside(NamedTuple):
    """What does not count beside the files of which one does.

    Args:
        compared: Notebooks from archives beside a complete one.
        unopened: Archives that nobody opened.
        shut: Those of all the archives that may hold a notebook which nobody has looked into.
    """

    compared: Sequence[Seen] = ()
    unopened: Sequence[str] = ()
    shut: Sequence[str] = ()


def with_answers(seen: Sequence[Seen], answered: Answered | None) -> list[Seen]:
    """Count the answers of the likeliest files."""
    if answered is None:
        return [*seen]
    likely = sorted(seen, key=lambda s: s.likely, reverse=True)
    held = [s for s in likely if s.score]
    files = [File(s.digest, s.size, partial(_answers, s, answered)) for s in held]
    done = [replace(s, answered=one) for s, one in zip(held, counted(files), strict=True)]
    return [*done, *likely[len(held) :]]


def _answers(seen: Seen, answered: Answered) -> Answers:
    return answered(seen.read(), seen.candidate.path.name)
