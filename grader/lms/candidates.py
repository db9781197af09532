"""Read what students handed in and find out which assignment each file is."""

from __future__ import annotations

import datetime
import hashlib
import logging
import re
import unicodedata
from collections.abc import Mapping, Set
from dataclasses import dataclass, field, replace
from functools import cached_property

from grader.core.errors import GraderError
from grader.lms.archive import Budget, Item, Unplaced, is_other_archive, refuse_nested, unpack
from grader.lms.names import COLLECT_IT, counter, perhaps_a_download
from grader.lms.platforms import Sender, System
from grader.lms.students import Listed
from grader.submissions.choosing import Answers
from grader.submissions.endings import ENDINGS, rank_of
from grader.submissions.file_names import printable
from grader.submissions.packed import is_zip
from grader.submissions.times import time_in
from grader.submissions.words import clearly_another, likeliest, shares_of, words_in

logger = logging.getLogger(__name__)

TIMESTAMP = "timestamp.txt"
_NO_TIME = " (no time)"
_FEW = ENDINGS.index(".json")  # files of this and later endings count only if their content is the assignment's


class _Unknown(GraderError):
    """Nothing tells which assignment a notebook is of."""


@dataclass(frozen=True)
class Candidate:
    """A file that may be a student's submission.

    Args:
        item: The file.
        sender: Who handed it in.
        name: Its name as the student gave it.
        data: Its content.
        score: How many words of the assignment's notebook it contains.
        handed_in: When, if somebody recorded that.
        late: Whether the system says that it came late.
        answers: What is answered in it; None if nobody counted.
    """

    item: Item
    sender: Sender
    name: str
    data: bytes
    score: int
    handed_in: datetime.datetime | None
    late: bool
    answers: Answers | None = None

    @cached_property  # each row of the journal is compared with it
    def sha256(self) -> str:
        """Digest of its content."""
        return hashlib.sha256(self.data).hexdigest()

    @property
    def order(self) -> str:
        """What orders it among attempts beside the time of handing in, as `collected.csv` has it.

        The time of an archive is never compared with one that a worksheet has, so the two have names of their own.
        """
        if self.sender.attachment:
            return f"attachment:{self.sender.attachment}"
        if self.item.time:
            return f"time:{self.item.time.timestamp():.0f}"
        return f"handed:{self.handed_in.timestamp():.0f}" if self.handed_in else ""

    @property
    def rank(self) -> tuple:
        """How likely this is the one that counts, among a student's files for one assignment in one upload.

        The order of files in an upload says little: the one with the most answers counts before the last one.
        """
        likely = (rank_of(self.item.name) or 0) < _FEW
        handed = f"{self.handed_in.timestamp():.0f}" if self.handed_in and not self.sender.attachment else ""
        order = int(handed or self.order.partition(":")[2] or 0)
        said = self.item.said.timestamp() if self.item.said else 0.0
        answered = len(self.answers or ())
        return self.score > 0, answered, likely, order, said, counter(self.name), -len(self.name), self.item.parts

    @property
    def rank_by_order(self) -> tuple:
        """The same if nobody had counted answers."""
        return replace(self, answers=None).rank


@dataclass
class Sorted:
    """A student's files.

    Args:
        candidates: What may be a submission, by assignment.
        refused: What cannot be taken, and why.
        unknown: Notebooks that nothing tells the assignment of.
        aside: Files that are no notebooks.
        untold: How many times are there that nbgrader or a student may have written, and were not looked at.
    """

    candidates: dict[str, list[Candidate]] = field(default_factory=dict)
    refused: list[Unplaced] = field(default_factory=list)
    unknown: list[Unplaced] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    untold: int = 0

    @property
    def unread(self) -> list[str]:
        """The names of the files that came with the notebooks and are not read; a module is no answer in words."""
        refused = [(one.where, _last(one.where)) for one in self.refused]
        shut = [where for where, name in refused if is_other_archive(name) or is_zip(name)] + self.aside
        return [_last(where) for where in shut if not where.endswith((".py", _NO_TIME))]

    @property
    def size(self) -> int:
        """How many bytes its files have."""
        return sum(len(c.data) for some in self.candidates.values() for c in some)


class Sorter:
    """Reads students' files and sorts them by assignment.

    Args:
        words: The words of each assignment's source notebook.
        forced: The assignment that all files are of that are not clearly of another one; None if their contents and
            names tell.
        times: Whether a `timestamp.txt` in nbgrader's layout is nbgrader's, as the instructor says.
    """

    def __init__(self, words: Mapping[str, Set[str]], forced: str | None, times: bool = False):
        self.words, self.forced, self.times = words, forced, times

    def sort(self, sent: list[tuple[Item, Sender]], listed: Listed | None, known: bool = False) -> Sorted:
        """Read one student's files, up to a bound, and sort them.

        Args:
            sent: The files, and what their paths say about who handed them in.
            listed: What a roster says about the student, if there is one.
            known: Whether the student has a row already.
        """
        budget, found = Budget(), Sorted()
        told = [(i, s) for i, s in sent if i.name == TIMESTAMP and self._where_nbgrader_writes(i, s)]
        stamps = {i.parts[:-1]: _stamp(i, found) for i, s in told if self.times and s.as_id}
        found.untold = len(told) - len(stamps)
        files, copies = self._unpacked(sent, budget, found, known)
        self._read(files, listed, stamps, found)
        if not (found.candidates or found.unknown):
            self._read(copies, listed, stamps, found)
        return found

    def _read(
        self,
        files: list[tuple[Item, Sender, str]],
        listed: Listed | None,
        stamps: Mapping[tuple[str, ...], datetime.datetime | None],
        found: Sorted,
    ) -> None:
        """Read files, and put each of them where it belongs."""
        for item, sender, name in files:
            if is_other_archive(item.name):
                found.refused.append(item.unplaced("an archive of a kind that is not opened", "unpack it by hand"))
                continue
            if not like_a_notebook(item):
                found.aside.append(item.where)
                continue
            try:
                data = item.load()
                assignment, score = self._which(item, data)
            except GraderError as error:
                refused = found.unknown if isinstance(error, _Unknown) else found.refused
                refused.append(item.unplaced(error.what, error.fix))
                continue
            if assignment is None:
                found.aside.append(item.where)
                continue
            handed_in = (listed.handed_in if listed else None) or _time_above(item.parts, stamps)
            late = sender.late or bool(listed and listed.late)
            candidate = Candidate(item, sender, printable(name), data, score, handed_in, late)
            found.candidates.setdefault(assignment, []).append(candidate)

    def _where_nbgrader_writes(self, stamp: Item, sender: Sender) -> bool:
        """Return whether a `timestamp.txt` is where nbgrader's exchange puts it, and where a student can put one."""
        return len(stamp.raw) > 1 and sender.origin == "/".join(stamp.raw[:-2]) and stamp.parts[-2] in self.words

    def _unpacked(
        self, sent: list[tuple[Item, Sender]], budget: Budget, found: Sorted, known: bool
    ) -> tuple[list[tuple[Item, Sender, str]], list[tuple[Item, Sender, str]]]:
        """List a student's files with their names, those in the student's own zip files included.

        Returns:
            The files, and the copies that Jupyter kept in the zip files, which count if nothing else does.
        """
        files, copies = [], []
        for item, sender in ((budget.bound(i), s) for i, s in sent if i.name != TIMESTAMP):
            if is_zip(item.name):
                inner = unpack(item)
                if sender.system == System.PLAIN and sender.file:  # nothing but its own name says whose it is
                    if doubt := perhaps_a_download(item.name, inner.items or inner.junk, self.words, known):
                        found.refused.append(item.unplaced(doubt.why, doubt.fix))
                        continue
                    if not inner.items:
                        inner.refused = [replace(u, fix=COLLECT_IT) for u in inner.refused]
                refuse_nested(inner)
                files += [(budget.bound(i), sender, i.name) for i in inner.items]
                copies += [(budget.bound(i), sender, i.name) for i in inner.junk if like_a_notebook(i)]
                found.refused += inner.refused
            else:
                files.append((item, sender, sender.file or item.name))
        return files, copies

    def _which(self, item: Item, data: bytes) -> tuple[str | None, int]:
        """Find out which assignment a file is: by its content, then by its name; what was asked for settles a doubt.

        Returns:
            The assignment and how much of it was found in the content; None for a file that is no notebook.

        Raises:
            GraderError: If it cannot be told.
        """
        if not data.strip():
            raise GraderError("the file is empty", item.where, "ask the student to hand it in again")
        there = words_in(data, set[str]().union(*self.words.values()))
        scores = shares_of(there, self.words)
        best = likeliest(scores)
        if self.forced:
            best = clearly_another(scores, self.forced) or self.forced
        elif best is None:
            names = [self.named(text) for text in (item.name, "/".join(item.parts), item.source)]
            best = next((name for name in names if name), None)
        if (rank_of(item.name) or 0) >= _FEW and (best is None or scores[best] == 0):
            return None, 0
        if best is None:
            fix = "say which with --assignment NB"
            raise _Unknown("neither its content nor its name tells which assignment it is", item.where, fix)
        return best, len(self.words[best] & there)

    def named(self, text: str) -> str | None:
        """Return the one assignment whose name, or its words, are in a text."""
        plain = re.sub(r"[\W_]+", "_", unicodedata.normalize("NFKD", text).lower())
        found = [a for a in self.words if a in plain or a.partition("_")[2] in plain]
        return found[0] if len(found) == 1 else None


def like_a_notebook(item: Item) -> bool:
    """Return whether a file has a name under which notebooks are handed in."""
    return rank_of(item.name) is not None


def _last(where: str) -> str:
    """Return the name of a file of which it is told where it is."""
    return where.rpartition("/")[2].rpartition(": ")[2].strip("\u201c\u201d")


def _time_above(
    parts: tuple[str, ...], stamps: Mapping[tuple[str, ...], datetime.datetime | None]
) -> datetime.datetime | None:
    """Return the time of the folder in which a file lies at any depth: a folder in it or an archive has no other."""
    return next((stamps[parts[:n]] for n in range(len(parts) - 1, 0, -1) if parts[:n] in stamps), None)


def _stamp(item: Item, found: Sorted) -> datetime.datetime | None:
    try:
        return time_in(item.load()).replace(tzinfo=datetime.UTC)
    except (GraderError, OSError, ValueError) as error:  # a file of that name may hold anything
        logger.info("%s holds no time: %s", printable(item.where), printable(str(error)))
        found.aside.append(item.where + _NO_TIME)
        return None
