"""Take what an LMS hands out into nbgrader's folder of submissions: `grader collect`.

The latest attempt of a student stands as `submitted/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb`; every other one is kept in
`attempts` beside that folder, whoever put it there. `collected.csv` says what came from where, `students.csv` who is
who. All of it can be done again: what is there already stays as it is.

`timestamp.txt` is written where somebody recorded the time: Moodle's grading worksheet, or a `timestamp.txt` that came
with the file. The times inside the archives of Moodle and Canvas are those of the download (`add_file_from_stored_file`
and `get_output_stream` give none), so they only tell which of two downloads is the later one.
"""

from __future__ import annotations

import datetime
import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.utils import parse_utc

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.files import replace_file
from grader.core.notebook import read_notebook
from grader.lms.archive import Budget, Item, Unplaced, is_other_archive, is_zip, open_source, unpack
from grader.lms.journal import CURRENT, EARLIER, Attempt, Journal, later
from grader.lms.marks import counted
from grader.lms.names import Sender, counter, senders
from grader.lms.students import Ambiguous, Listed, Roster, Students, read_rosters
from grader.submissions.intake import ENDINGS, printable, rank_of, words_in, words_of

_TIMESTAMP = "timestamp.txt"
_SHOWN = 5  # of one student's files that were not taken
_FEW = ENDINGS.index(".json")  # names from here on say little: the content has to be the assignment's


@dataclass(frozen=True)
class Placed:
    """What became of a student's submission.

    Args:
        student: nbgrader's id.
        assignment: Which assignment.
        outcome: `new`, `later attempt`, `unchanged` or `earlier attempt, kept aside`.
        notes: Sentences about it.
    """

    student: str
    assignment: str
    outcome: str
    notes: tuple[str, ...] = ()


@dataclass
class Collected:
    """What a run did.

    Args:
        placed: What found its place.
        unplaced: What did not.
        aside: Files that are no notebooks and were left where they are.
    """

    placed: list[Placed] = field(default_factory=list)
    unplaced: list[Unplaced] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Candidate:
    item: Item
    sender: Sender
    name: str  # as the student gave it
    data: bytes
    score: int
    handed_in: datetime.datetime | None
    late: bool

    @property
    def sha256(self) -> str:
        return hashlib.sha256(self.data).hexdigest()

    @property
    def order(self) -> str:
        if self.sender.attachment:
            return f"attachment:{self.sender.attachment}"
        time = self.handed_in or self.item.time
        return f"time:{time.timestamp():.0f}" if time else ""

    @property
    def rank(self) -> tuple:
        """How likely this is the one that counts, among a student's files for one assignment."""
        likely = (rank_of(self.item.name) or 0) < _FEW
        order = float(self.order.partition(":")[2] or 0)
        return self.score > 0, likely, order, counter(self.name), -len(self.name), self.item.parts


def collect(
    course: Course,
    submitted: Path,
    paths: Iterable[Path],
    assignment: str | None = None,
    rosters: Iterable[Path] = (),
    say: Callable[[str], None] = lambda line: None,
) -> Collected:
    """Place what was downloaded.

    Args:
        course: The course; its source notebooks tell which assignment a file is.
        submitted: nbgrader's folder of submissions.
        paths: Downloaded zip files, folders, single notebooks.
        assignment: All files are of this assignment; by default each file's content, or its name, tells.
        rosters: Moodle's grading worksheets and Canvas' gradebooks: names, addresses, times.
        say: Receives a line for each submission.

    Returns:
        What became of each file.

    Raises:
        GraderError: If a path or a roster is wrong; nothing was placed then.
    """
    paths = [Path(p) for p in paths]
    for path in paths:
        if not path.exists():
            raise GraderError("no such file or folder", str(path), "name a downloaded zip file or a folder")
    return _Run(course, submitted, assignment, read_rosters(rosters), say).run(paths)


class _Run:
    def __init__(self, course: Course, submitted: Path, assignment: str | None, roster: Roster, say):
        self.submitted, self.forced, self.roster, self.say = submitted, assignment, roster, say
        self.local = submitted.parent
        self.students = Students(self.local / "students.csv")
        self.journal = Journal(self.local / "collected.csv")
        self.words = {a: words_of(read_notebook(course.source(a))) for a in course.assignments()}
        self.result = Collected()

    def run(self, paths: list[Path]) -> Collected:
        for path in paths:
            with open_source(path) as contents:
                self.result.unplaced += contents.refused
                for sent in self._by_sender(contents.items):
                    self._one_sender(sent)
            self.students.save()
            self.journal.save()
        return self.result

    def _by_sender(self, items: list[Item]) -> list[list[tuple[Item, Sender]]]:
        groups: dict[tuple[str, str, str], list[tuple[Item, Sender]]] = {}
        numbers: dict[tuple[str, str], set[str]] = {}
        for item, sender in senders(items, list(self.words)):
            if sender is None:
                self._nobody(item)
                continue
            groups.setdefault((sender.system, sender.number, sender.name), []).append((item, sender))
            if sender.system == "moodle" and self.roster.get(sender) is None:
                numbers.setdefault((item.source, sender.name), set()).add(sender.number)
        found = []
        for own in groups.values():
            item, sender = own[0]
            if len(numbers.get((item.source, sender.name), ())) > 1:
                self._same_name(item, sender)
            else:
                found.append(own)
        return found

    def _nobody(self, item: Item) -> None:
        if item.name == _TIMESTAMP or not (_like_a_notebook(item) or is_zip(item.name) or is_other_archive(item.name)):
            self.result.aside.append(item.where)
            return
        fix = "put it into a folder that is named after the student, and collect the folder above"
        if is_zip(item.name) or is_other_archive(item.name):
            fix = "unpack it and collect the folder"
        self.result.unplaced.append(Unplaced(item.where, "its path does not say whose it is", fix))

    def _same_name(self, item: Item, sender: Sender) -> None:
        text = f"several people are called {printable(sender.name)}"
        fix = "give Moodle's grading worksheet of this assignment with --roster: it has the e-mail addresses"
        self.result.unplaced.append(Unplaced(item.where, text, fix))

    def _one_sender(self, sent: list[tuple[Item, Sender]]) -> None:
        item, sender = sent[0]
        listed = self.roster.get(sender)
        candidates = self._candidates(sent, listed)
        if not candidates:
            return
        try:
            person = self.students.person(sender, listed)
        except Ambiguous:
            self._same_name(item, sender)
            return
        for assignment in sorted(candidates):
            ranked = sorted(candidates[assignment], key=lambda c: c.rank)
            if self._somebody_else(person.student, assignment, sender, listed):
                text = f"{person.student} had another number than {sender.number} in Moodle's assignment before"
                fix = "give Moodle's grading worksheet with --roster: it tells whether this is the same person"
                self.result.unplaced.append(Unplaced(ranked[-1].item.where, text, fix))
                continue
            placed = self._place(person.student, assignment, ranked)
            self.result.placed.append(placed)
            notes = "".join(f"\n    {note}" for note in placed.notes)
            self.say(f"{placed.student:24} {placed.assignment:26} {placed.outcome}{notes}")

    def _somebody_else(self, student: str, assignment: str, sender: Sender, listed: Listed | None) -> bool:
        """Tell whether a name is all that ties a file to a student who had another number in the same assignment."""
        if sender.system != "moodle" or (listed and listed.email):
            return False
        known = {a.number for a in self.journal.of(student, assignment) if a.system == "moodle"}
        return bool(known) and sender.number not in known

    def _candidates(self, sent: list[tuple[Item, Sender]], listed: Listed | None) -> dict[str, list[_Candidate]]:
        """Read a student's files and sort them by assignment."""
        budget = Budget()
        stamps = {i.parts[:-1]: i for i, _ in sent if i.name == _TIMESTAMP}
        files, refused, aside = [], [], []
        for item, sender in ((budget.bound(i), s) for i, s in sent if i.name != _TIMESTAMP):
            if is_zip(item.name):
                inner = unpack(item)
                files += [(budget.bound(i), sender, i.name) for i in inner.items]
                refused += inner.refused
            else:
                files.append((item, sender, sender.file or item.name))
        found: dict[str, list[_Candidate]] = {}
        for item, sender, name in files:
            if is_other_archive(item.name):
                refused.append(Unplaced(item.where, "an archive of a kind that is not opened", "unpack it by hand"))
                continue
            if not _like_a_notebook(item):
                aside.append(item.where)
                continue
            try:
                data = item.load()
                assignment, score = self._which(item, data)
            except GraderError as error:
                refused.append(Unplaced(item.where, error.what, error.fix))
                continue
            if assignment is None:
                aside.append(item.where)
                continue
            handed_in = (listed.handed_in if listed else None) or self._stamp(stamps.get(item.parts[:-1]))
            late = sender.late or bool(listed and listed.late)
            candidate = _Candidate(item, sender, printable(name), data, score, handed_in, late)
            found.setdefault(assignment, []).append(candidate)
        self.result.unplaced += refused[:_SHOWN]
        if len(refused) > _SHOWN:
            text = f"{len(refused) - _SHOWN} further files of {printable(sent[0][1].name)} were not taken either"
            self.result.unplaced.append(Unplaced(refused[_SHOWN].where, text, refused[_SHOWN].fix))
        if aside and not found and not refused:
            text = f"{printable(sent[0][1].name)} handed in no notebook, but {printable(aside[0].rpartition('/')[2])}"
            self.result.unplaced.append(Unplaced(aside[0], text, "ask the student for the .ipynb file"))
        else:
            self.result.aside += aside
        return found

    def _stamp(self, item: Item | None) -> datetime.datetime | None:
        try:
            time = parse_utc(item.load().decode().strip()) if item else None
            return time.replace(tzinfo=datetime.UTC) if time and 1990 < time.year < 2200 else None
        except Exception:  # whatever else a file of that name may hold
            return None

    def _which(self, item: Item, data: bytes) -> tuple[str | None, int]:
        """Tell which assignment a file is: by its content, then by its name.

        Returns:
            The assignment and how much of it was found in the content; None for a file that is no notebook.

        Raises:
            GraderError: If it cannot be told, or is not the one that was asked for.
        """
        if not data.strip():
            raise GraderError("the file is empty", item.where, "ask the student to hand it in again")
        there = words_in(data)
        scores = {a: len(words & there) / len(words) if words else 0.0 for a, words in self.words.items()}
        best = max(scores, key=scores.get)
        clear = scores[best] > 0 and sum(s == scores[best] for s in scores.values()) == 1
        if self.forced:
            if clear and scores[self.forced] == 0:
                text = f"it holds {best} and not {self.forced}"
                fix = "ask the student for the right one, or collect it without --assignment"
                raise GraderError(text, item.where, fix)
            best = self.forced
        elif not clear:
            names = [self._named(text) for text in (item.name, "/".join(item.parts), item.source)]
            best = next((name for name in names if name), None)
        if (rank_of(item.name) or 0) >= _FEW and (best is None or scores[best] == 0):
            return None, 0
        if best is None:
            fix = "say which with --assignment NB"
            raise GraderError("neither its content nor its name tells which assignment it is", item.where, fix)
        return best, len(self.words[best] & there)

    def _named(self, text: str) -> str | None:
        plain = re.sub(r"[\W_]+", "_", unicodedata.normalize("NFKD", text).lower())
        found = [a for a in self.words if a in plain or a.partition("_")[2] in plain]
        return found[0] if len(found) == 1 else None

    def _place(self, student: str, assignment: str, ranked: list[_Candidate]) -> Placed:
        """Put the latest of a student's files where it belongs, and keep the others."""
        best, notes = ranked[-1], []
        folder = self.submitted / student / assignment
        current = self._current(student, assignment, folder)
        known = {a.sha256: a for a in self.journal.of(student, assignment)}
        for other in ranked[:-1]:
            if other.sha256 not in known and other.sha256 != best.sha256:
                known[other.sha256] = self._keep(student, assignment, other)
                notes.append(f"{best.name} is taken, {other.name} is kept aside")
        outcome = self._outcome(best, current, known.get(best.sha256))
        if outcome in ("new", "later attempt"):
            before = self.local / current.file if current else None
            if current:
                current.state, current.file = EARLIER, self._aside(current, before.read_bytes(), before.suffix)
                notes.append(f"the attempt that was there is kept as {current.file}")
            self._put(folder, best, student, assignment, before)
        elif outcome == "unchanged":
            notes += self._learn(folder, best, current)
        elif outcome.startswith("earlier") and best.sha256 not in known:
            notes.append(f"it is kept as {self._keep(student, assignment, best).file}")
        if best.late:
            notes.append(f"late, says {best.sender.system.title()}")
        if best.score == 0:
            notes.append(f"{best.name} holds nothing of {assignment}")
        return Placed(student, assignment, outcome, tuple(notes))

    def _outcome(self, best: _Candidate, current: Attempt | None, known: Attempt | None) -> str:
        if current is None:
            return "new"
        if current.sha256 == best.sha256:
            return "unchanged"
        comes_later = later(best.order, current.order)
        if comes_later is False or (known is not None and comes_later is None):
            return "earlier attempt, kept aside"
        return "later attempt"

    def _current(self, student: str, assignment: str, folder: Path) -> Attempt | None:
        """Give what stands among the submissions now; a file that somebody put there is entered into the journal."""
        recorded = self.journal.current(student, assignment)
        if recorded:
            path = self.local / recorded.file
            if path.is_file() and hashlib.sha256(path.read_bytes()).hexdigest() == recorded.sha256:
                return recorded
            # Somebody took it away or changed it since, or a run was cut short.
            recorded.state = EARLIER
            copies = list((self.local / "attempts" / student / assignment).glob(f"{recorded.sha256[:16]}.*"))
            recorded.file = str(copies[0].relative_to(self.local)) if copies else ""
        found = sorted(folder.glob(f"{assignment}.*"), key=lambda p: p.suffix != ".ipynb") if folder.is_dir() else []
        found = [path for path in found if path.is_file() and not path.is_symlink()]
        if not found:
            return None
        digest = hashlib.sha256(found[0].read_bytes()).hexdigest()
        for attempt in self.journal.of(student, assignment):
            if attempt.sha256 == digest:
                attempt.state, attempt.file = CURRENT, str(found[0].relative_to(self.local))
                return attempt
        own = Attempt(student, assignment, CURRENT, digest, str(found[0].relative_to(self.local)), system="found")
        self.journal.attempts.append(own)
        return own

    def _keep(self, student: str, assignment: str, candidate: _Candidate) -> Attempt:
        """Keep an attempt that does not count."""
        attempt = self._attempt(student, assignment, candidate, EARLIER, "")
        attempt.file = self._aside(attempt, candidate.data, Path(self._file_name(assignment, candidate)).suffix)
        self.journal.attempts.append(attempt)
        return attempt

    def _aside(self, attempt: Attempt, data: bytes, suffix: str) -> str:
        """Write a copy under a name that its content decides, so that it is never written over."""
        folder = self.local / "attempts" / attempt.student / attempt.assignment
        path = folder / f"{attempt.sha256[:16]}{suffix}"
        if not path.exists():
            folder.mkdir(parents=True, exist_ok=True)
            replace_file(path, data)
        return str(path.relative_to(self.local))

    def _learn(self, folder: Path, best: _Candidate, current: Attempt) -> list[str]:
        """Complete what is known of a submission that is there already; its content stays."""
        fresh = self._attempt(current.student, current.assignment, best, CURRENT, current.file)
        notes = []
        if best.handed_in and fresh.handed_in != current.handed_in:
            self._write_time(folder, best)
            current.handed_in = fresh.handed_in
            notes.append(f"the time of handing in is {fresh.handed_in} UTC")
        current.late = current.late or fresh.late
        # Where feedback goes back to: Canvas gives the same file another number when it is handed in again.
        if current.system == "found" or (fresh.attachment and later(fresh.order, current.order)):
            for key in ("late", "system", "number", "attachment", "folder", "name", "source", "order"):
                setattr(current, key, getattr(fresh, key))
        return notes

    @staticmethod
    def _write_time(folder: Path, best: _Candidate) -> None:
        replace_file(folder / _TIMESTAMP, f"{best.handed_in:%Y-%m-%d %H:%M:%S} UTC\n".encode())

    def _put(self, folder: Path, best: _Candidate, student: str, assignment: str, before: Path | None) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self._file_name(assignment, best)
        (folder / _TIMESTAMP).unlink(missing_ok=True)  # that of the attempt before
        replace_file(path, best.data)
        if before and before != path:
            before.unlink()
        if best.handed_in:
            self._write_time(folder, best)
        attempt = self._attempt(student, assignment, best, CURRENT, str(path.relative_to(self.local)))
        # The same content again, after another attempt: the row that was there says where it stands now.
        same = (student, assignment, best.sha256)
        self.journal.attempts = [a for a in self.journal.attempts if (a.student, a.assignment, a.sha256) != same]
        self.journal.attempts.append(attempt)

    @staticmethod
    def _file_name(assignment: str, candidate: _Candidate) -> str:
        """Name the file so that nbgrader finds it; what is no JSON keeps the ending that says what it is."""
        if candidate.data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
            return f"{assignment}.ipynb"
        suffix = Path(candidate.item.name).suffix.lower()
        return f"{assignment}{suffix if suffix in ENDINGS else '.ipynb'}"

    @staticmethod
    def _attempt(student: str, assignment: str, candidate: _Candidate, state: str, file: str) -> Attempt:
        handed_in = f"{candidate.handed_in:%Y-%m-%d %H:%M:%S}" if candidate.handed_in else ""
        sender = candidate.sender
        return Attempt(
            student,
            assignment,
            state,
            candidate.sha256,
            file,
            handed_in,
            "late" if candidate.late else "",
            sender.system,
            sender.number,
            sender.attachment,
            sender.folder,
            sender.file or candidate.item.name,
            candidate.item.source,
            candidate.order,
        )


def _like_a_notebook(item: Item) -> bool:
    return rank_of(item.name) is not None


def summary(result: Collected) -> str:
    """Say what a run did and what needs a look, as text."""
    outcomes: dict[str, int] = {}
    for placed in result.placed:
        outcomes[placed.outcome] = outcomes.get(placed.outcome, 0) + 1
    counts = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items())
    lines = [counted(len(result.placed), "submission") + (f": {counts}" if counts else "")]
    if result.aside:
        shown = ", ".join(result.aside[:5]) + (", ..." if len(result.aside) > 5 else "")
        lines.append(f"{counted(len(result.aside), 'file')} left aside, not a notebook: {shown}")
    if result.unplaced:
        lines.append(f"{len(result.unplaced)} could not be placed:")
        lines += [f"  {u.where}: {u.why}\n    Fix: {u.fix}" for u in result.unplaced]
    return "\n".join(lines)
