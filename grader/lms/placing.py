"""Put submissions where nbgrader looks for them, and keep every other attempt beside that folder."""

from __future__ import annotations

import contextlib
import enum
import hashlib
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from grader.core.errors import GraderError
from grader.core.escaping import printable_line
from grader.core.files import replace_file
from grader.lms.again import came_again, came_elsewhere, may_be_back, once_more, takes_over, untold, was_lost, went_back
from grader.lms.candidates import TIMESTAMP, Candidate
from grader.lms.journal import Attempt, Journal, State, comes_later, contrary, later
from grader.lms.lying_beside import Lying, lying_beside, newly_kept, note_of, take_away
from grader.lms.platforms import System
from grader.lms.put_back import PutBack
from grader.lms.rows import file_name, row_of
from grader.lms.stamps import OF_ANOTHER, Stamps, as_written, is_anothers, settle_time, take_along
from grader.lms.students import Person
from grader.lms.times import Timing
from grader.lms.two_ways import two_ways
from grader.lms.underway import Underway
from grader.submissions.file_names import named
from grader.submissions.intake import MAX_BYTES, MAX_SLIMMED, read_bytes
from grader.submissions.unread import LEFT_ASIDE, list_of

_SHOWN = 5  # of one student's files that are kept aside


class Outcome(enum.StrEnum):
    """What became of a submission, in the words that the instructor reads."""

    NEW = "new"
    LATER = "later attempt"
    UNCHANGED = "unchanged"
    EARLIER = "earlier attempt, kept aside"


@dataclass(frozen=True)
class Placed:
    """What became of a student's submission.

    Args:
        student: nbgrader's id.
        assignment: Which assignment.
        outcome: Whether it is in its place now.
        notes: Sentences about it.
        timing: What is odd about its time of handing in.
        may_be_back: Whether it was known, and may have been handed in once more in place of the one that counts.
        digests: Of the files that came.
        known: Digests of the student's files that were known before, and whether each was collected.
        moved: Files that lay beside the one whose place was taken.
    """

    student: str
    assignment: str
    outcome: Outcome
    notes: tuple[str, ...] = ()
    timing: Timing | None = None
    may_be_back: bool = False
    digests: frozenset[str] = frozenset()
    known: Mapping[str, bool] = field(default_factory=dict)
    moved: tuple[Lying, ...] = ()


class Shelf:
    """The folder of submissions, the attempts kept beside it, and the journal of both.

    Args:
        submitted: nbgrader's folder of submissions.
        keep: Writes down what is going to be put back that a run placed that was ended.
        words: What marks a file as each assignment's.
    """

    def __init__(
        self,
        submitted: Path,
        keep: Callable[[list[PutBack]], None] = lambda left: None,
        words: Mapping[str, Set[str]] | None = None,
    ):
        self.submitted, self.local, self._words = submitted, submitted.parent, words or {}
        self.journal = Journal(self.local / "collected.csv")
        self._stamps = Stamps()
        self._settled = dict[tuple[str, str], str]()  # what became of the times of files that were put there by hand
        self._underway = Underway(self.local)
        if left := self._underway.left(self.journal):
            keep(left)  # before it is gone, or nobody would hear of it if this run is ended, too
        self._underway.put_back(self.journal)
        self.newcomers = self._underway.newcomers()
        self._underway.end()

    def note_newcomer(self, person: Person) -> None:
        """Note who gets a new id, for the next run if this one is killed."""
        self._underway.note(asdict(person))

    def save(self) -> None:
        """Write the journal."""
        self.journal.save()
        self._underway.end()

    @contextlib.contextmanager
    def whole(self, student: str, assignment: str) -> Iterator[None]:
        """Place all of a student's files or none: what ends that on its way leaves the place and the rows as before."""
        if (student, assignment) in self._underway.unfinished:
            self._underway.put_back(self.journal, (student, assignment))
        rows = [(row, replace(row)) for row in self.journal.of(student, assignment)]
        try:
            yield
        except BaseException:
            for row, was in rows:
                vars(row).update(vars(was))
            others = [a for a in self.journal.attempts if (a.student, a.assignment) != (student, assignment)]
            self.journal.attempts = others + [row for row, _ in rows]
            self._underway.put_back(self.journal, (student, assignment))
            raise

    def place(
        self, student: str, assignment: str, ranked: list[Candidate], alone: bool = True, repeats: bool = False
    ) -> Placed:
        """Put the latest of a student's files where it belongs, and keep the others.

        Args:
            student: nbgrader's id.
            assignment: Which assignment.
            ranked: The files, the one that counts last.
            alone: Whether no notebook of another assignment came with them.
            repeats: Whether the one that counts of them has the answers of the one that is there, from another upload.

        Raises:
            GraderError: If what is there already cannot be read within bounds.
        """
        best, notes, timing, moved = ranked[-1], list[str](), None, list[Lying]()
        folder = self.submitted / student / assignment
        current = self._current(student, assignment, folder)
        if settled := self._settled.pop((student, assignment), ""):
            notes.append(settled)
        fresh = row_of(student, assignment, best, State.EARLIER, "")
        if current and current.sha256 != best.sha256 and contrary(fresh, current):
            timing, ranked = Timing.CONTRARY, [replace(c, handed_in=None, late=False) for c in ranked]
            best = ranked[-1]
        known = {a.sha256: a for a in self.journal.of(student, assignment)}
        were = {digest: bool(a.source) for digest, a in known.items()}
        if (row := known.get(best.sha256)) and went_back(fresh, row, known.values()):
            best = replace(best, handed_in=None, late=False)  # a worksheet has the time of the last attempt
            ranked = [*ranked[:-1], best]
        aside = []
        for other in ranked[:-1]:
            if other.sha256 not in known and other.sha256 != best.sha256:
                known[other.sha256] = self._keep(student, assignment, other)
                aside.append(other.name)
        if aside:
            more = f" and {len(aside) - _SHOWN} more" if len(aside) > _SHOWN else ""
            names = ", ".join(map(named, aside[:_SHOWN])) + more
            why = ""
            if best.answers and max(ranked, key=lambda c: c.rank_by_order) is not best:
                why = f", which answers {len(best.answers)} of {best.answers.of} exercises"
            notes.append(f"{named(best.name)} is taken{why}, {names} {'is' if len(aside) == 1 else 'are'} kept aside")
        outcome = self._outcome(best, current, known.get(best.sha256), alone)
        repeats = repeats and outcome in (Outcome.LATER, Outcome.EARLIER)
        outcome = Outcome.EARLIER if repeats else outcome
        elsewhere = outcome is Outcome.UNCHANGED and current is not None and came_elsewhere(best, current, alone)
        for other in ranked if outcome is Outcome.EARLIER else ranked[:-1]:
            row = known.get(other.sha256)
            if row and not row.file:  # somebody wrote another one over it
                row.file = self._aside(row, other.data, Path(file_name(assignment, other)).suffix)
        if outcome in (Outcome.NEW, Outcome.LATER):
            before, kept, again = None, "", known.get(best.sha256)
            timing = two_ways(best, current, again, True) or self._stamps.odd(best, current, again)
            lost = again is not None and (
                current is None or was_lost(again, current, self.journal.is_next_best(again, current))
            )
            if current:
                before = self.local / current.file
                notes += [] if lost else untold(row_of(student, assignment, best, State.CURRENT, ""), current)
                if not take_along(folder, current):
                    self._stamps.give_back(current, best)
                current.state, current.file = State.EARLIER, self._aside(current, _read(before), before.suffix)
                kept = current.file
                notes.append(f"the attempt that was there is kept as {named(printable_line(current.file))}")
            if again:
                attempts, upload = self.journal.of(student, assignment), {c.sha256 for c in ranked}
                best, learnt, odd = self._stamps.again(best, again, lost, attempts, upload)
                notes, timing = notes + learnt, odd or (None if lost and best.handed_in else timing)
            moved = self._put(folder, best, student, assignment, before, kept, lost)
            notes += note_of(moved)
            for gone in self.journal.of(student, assignment):
                if gone.state is State.LOST:
                    source = named(printable_line(gone.source))
                    notes.append(f"what counted before was lost, and counts again if {source} is collected again")
        elif outcome is Outcome.UNCHANGED and current:
            if elsewhere:
                notes.append("the same file came in another upload before, whose time and number stay")
            else:
                attempts, upload = self.journal.of(student, assignment), {c.sha256 for c in ranked}
                if is_anothers(best.handed_in, current, attempts, upload):
                    best = replace(best, handed_in=None, late=False)
                    notes.append("the worksheet has the time of another attempt, so nothing is learnt from it")
                learnt, timing = self._learn(folder, best, current, alone)
                notes += learnt
        elif outcome is Outcome.EARLIER and not repeats:
            again = known.get(best.sha256)
            timing = timing or two_ways(best, current, again, False)
            timing = timing or (None if again else self._stamps.odd(best, current, None))
        if outcome is Outcome.EARLIER and best.sha256 not in known:
            notes.append(f"it is kept as {named(self._keep(student, assignment, best).file)}")
        if repeats:
            notes.append("its answers came in another upload before, whose time and number stay")
        if best.late and not (elsewhere or repeats):
            notes.append(f"late, says {best.sender.system.title()}")
        if best.item.size > MAX_BYTES:
            notes.append(f"it has {best.item.size // 2**20} MB and was taken without its outputs")
        if best.score == 0:
            notes.append(f"{named(best.name)} holds nothing of {assignment}")
        row, back = known.get(best.sha256), False
        if row and current and outcome is Outcome.EARLIER:
            back = may_be_back(fresh, row, current)
            if came_again(fresh, row, current) and later(fresh.order, current.order) and not repeats:
                notes.append(f"the same file came before; the one from {named(printable_line(current.source))} counts")
        digests = frozenset(c.sha256 for c in ranked)
        return Placed(student, assignment, outcome, tuple(notes), timing, back, digests, were, tuple(moved))

    def note_left_aside(self, placed: Placed, names: Collection[str]) -> None:
        """Write beside a notebook what came with it and is none: marking names it where answers are lacking.

        Args:
            placed: What became of the notebook.
            names: Of the other files.

        Raises:
            GraderError: If the list that is there cannot be read.
        """
        if placed.outcome is Outcome.EARLIER:
            return
        path, text = self.submitted / placed.student / placed.assignment / LEFT_ASIDE, list_of(names)
        if text and not (path.is_file() and not path.is_symlink() and _read(path) == text):
            replace_file(path, text)
        # What came with the same notebook before is not forgotten if that is collected again by itself.
        elif not text and placed.outcome is not Outcome.UNCHANGED:
            path.unlink(missing_ok=True)

    def would_replace(self, student: str, assignment: str, best: Candidate, alone: bool = True) -> bool:
        """Return whether a file would take the place of another one that is there.

        Args:
            student: nbgrader's id.
            assignment: Which assignment.
            best: The file.
            alone: Whether no notebook of another assignment came with it.

        Raises:
            GraderError: If what is there already cannot be read within bounds.
        """
        current = self._current(student, assignment, self.submitted / student / assignment)
        known = next((a for a in self.journal.of(student, assignment) if a.sha256 == best.sha256), None)
        return self._outcome(best, current, known, alone) is Outcome.LATER

    def before(self, student: str, assignment: str) -> list[Attempt]:
        """Return a student's attempts, those first that are likeliest to come again: the one that counts, the last."""
        newest = reversed(self.journal.of(student, assignment))
        return sorted(newest, key=lambda attempt: attempt.state is not State.CURRENT)

    def content(self, attempt: Attempt) -> bytes | None:
        """Return the content of an attempt; None if it is there no more, was changed or cannot be read in bounds."""
        with contextlib.suppress(GraderError, OSError):
            data = _read(self.local / attempt.file) if attempt.file else b""
            return data if hashlib.sha256(data).hexdigest() == attempt.sha256 else None
        return None

    def keep_copy(self, attempt: Attempt) -> None:
        """Keep a copy of a submission that is there, as somebody may write another one over it."""
        data = self.content(attempt)
        if data is not None:
            with contextlib.suppress(OSError):  # it is one more copy
                self._aside(attempt, data, Path(attempt.file).suffix)

    def there(self, student: str, assignment: str) -> tuple[Attempt, bytes] | None:
        """Return the submission that is there now and its content.

        Raises:
            GraderError: If it cannot be read within bounds.
        """
        current = self._current(student, assignment, self.submitted / student / assignment)
        return (current, _read(self.local / current.file)) if current else None

    def is_timed(self, student: str, assignment: str) -> bool:
        """Return whether the time of the submission that is there is known."""
        current = self.journal.current(student, assignment)
        return bool(current and current.handed_in)

    def attempt(self, student: str, assignment: str, sha256: str) -> Attempt | None:
        """Return what is known of a student's file with some content."""
        return next((a for a in self.journal.of(student, assignment) if a.sha256 == sha256), None)

    def _outcome(self, best: Candidate, current: Attempt | None, known: Attempt | None, alone: bool) -> Outcome:
        if current is None:
            return Outcome.NEW
        if current.sha256 == best.sha256:
            return Outcome.UNCHANGED
        if known is not None and came_elsewhere(best, known, alone):  # an older state in a zip file of the course
            return Outcome.EARLIER
        fresh = row_of(current.student, current.assignment, best, State.EARLIER, "")
        if known is not None and was_lost(known, current, self.journal.is_next_best(known, current)):
            return Outcome.LATER
        anew = known is None or once_more(fresh, known, current)
        if known is not None and not anew and came_again(fresh, known, current):
            return Outcome.EARLIER
        is_later = comes_later(fresh, current)
        if is_later is False or (is_later is None and not anew):
            return Outcome.EARLIER
        return Outcome.LATER

    def _current(self, student: str, assignment: str, folder: Path) -> Attempt | None:
        """Return the submission that is there now; one that somebody put there by hand is entered into the journal."""
        recorded = self.journal.current(student, assignment)
        if recorded:
            path = self.local / recorded.file
            if path.is_file() and hashlib.sha256(_read(path)).hexdigest() == recorded.sha256:
                return recorded
            # Somebody took it away or changed it since, or a run was cut short.
            was, recorded.state = recorded.file, State.EARLIER
            copies = list((self.local / "attempts" / student / assignment).glob(f"{recorded.sha256[:16]}.*"))
            recorded.file = str(copies[0].relative_to(self.local)) if copies else ""
        named_so = [*folder.glob(f"{assignment}.*"), folder / assignment]  # whatever endings `file_name` leaves
        found = [path for path in named_so if path.is_file() and not path.is_symlink()]
        found.sort(key=lambda path: path.suffix != ".ipynb")
        if not found:
            if recorded:
                self.journal.lose(recorded)
            return None
        digest = hashlib.sha256(_read(found[0])).hexdigest()
        for attempt in self.journal.of(student, assignment):
            if attempt.sha256 == digest:
                if recorded:
                    try:
                        self._settled[student, assignment] = settle_time(folder, attempt, recorded)
                    except OSError:  # once more the next time
                        recorded.state, recorded.file = State.CURRENT, was
                        raise
                attempt.state, attempt.file = State.CURRENT, str(found[0].relative_to(self.local))
                # Somebody chose it: without an order no file that was known then comes later, and any other one does.
                attempt.order = ""
                return attempt
        file = str(found[0].relative_to(self.local))
        own = Attempt(student, assignment, State.CURRENT, digest, file, system=System.FOUND, name=found[0].name)
        if take_along(folder, own) and recorded and own.handed_in == recorded.handed_in:
            own.handed_in = ""
            self._settled[student, assignment] = OF_ANOTHER
        self.journal.attempts.append(own)
        return own

    def _keep(self, student: str, assignment: str, candidate: Candidate) -> Attempt:
        """Keep an attempt that does not count."""
        attempt = row_of(student, assignment, candidate, State.EARLIER, "")
        attempt.file = self._aside(attempt, candidate.data, Path(file_name(assignment, candidate)).suffix)
        self.journal.attempts.append(attempt)
        return attempt

    def _aside(self, attempt: Attempt, data: bytes, suffix: str) -> str:
        """Write a copy under a name that its content decides, so that it is never written over."""
        folder = self.local / "attempts" / attempt.student / attempt.assignment
        path = folder / f"{attempt.sha256[:16]}{suffix}"
        if not path.exists():
            replace_file(path, data)
        return str(path.relative_to(self.local))

    def _learn(self, folder: Path, best: Candidate, current: Attempt, alone: bool) -> tuple[list[str], Timing | None]:
        """Complete what is known of a submission that is there already; its content stays.

        Returns:
            What was learnt, and what is odd about it.
        """
        fresh = row_of(current.student, current.assignment, best, State.CURRENT, current.file)
        notes, timing = self._stamps.news(best, current)
        if best.handed_in and fresh.handed_in == current.handed_in and not os.path.lexists(folder / TIMESTAMP):
            notes.append(f"{TIMESTAMP} was taken away, and is written again")
        if notes and best.handed_in:
            self._stamps.write(folder, best.handed_in)
            current.handed_in = fresh.handed_in
        current.late = current.late or fresh.late
        # It was handed in again: in Canvas with another number, to which feedback goes back.
        anew = fresh.attachment or (
            timing is Timing.MOVED and (fresh.system, fresh.number) == (current.system, current.number)
        )
        # What came by mail was handed in, too, so marks can go back.
        as_well = current.order and fresh.number and not current.number and alone
        if as_well and went_back(fresh, current, self.journal.of(current.student, current.assignment)):
            current.learn_number(fresh)
            return notes, timing
        if current.system == System.FOUND or as_well or (anew and later(fresh.order, current.order)):
            current.come_as(fresh)
            self.journal.nothing_lost(current)
        return notes, timing

    def _put(
        self, folder: Path, best: Candidate, student: str, assignment: str, before: Path | None, kept: str, lost: bool
    ) -> list[Lying]:
        """Put a file into its place, and return what lay beside the one that was there."""
        path = folder / file_name(assignment, best)
        beside = self._beside(student, assignment, folder, before, path) if before else []
        was = str(before.relative_to(self.local)) if before else ""
        time = as_written(best.handed_in) if best.handed_in else ""
        copies = {str(one.path.relative_to(self.local)): one.row.file for one in beside}
        self._underway.begin(student, assignment, best.sha256, path, was, kept, best.item.source, time, copies)
        replace_file(path, best.data)
        (folder / TIMESTAMP).unlink(missing_ok=True)  # that of the attempt before
        if before and before != path:
            before.unlink()
        for one in beside:
            if one.path != path:
                take_away(one.path, folder)
        if best.handed_in:
            self._stamps.write(folder, best.handed_in)
        attempt = row_of(student, assignment, best, State.CURRENT, str(path.relative_to(self.local)))
        moved = newly_kept(beside, {a.sha256: a for a in self.journal.of(student, assignment)}, best.sha256)
        self.journal.attempts += [one.row for one in moved if all(one.row is not a for a in self.journal.attempts)]
        # The same content again: one row for it is enough, below the others unless they were lost with it.
        same = [a for a in self.journal.of(student, assignment) if a.sha256 == best.sha256]
        if not lost:
            self.journal.nothing_lost(attempt)
        elif not takes_over(attempt, same[0], self.journal.of(student, assignment)):
            attempt.come_as(same[0])
        rows = [a for a in self.journal.attempts if all(a is not one for one in same)]
        rows.insert(self.journal.attempts.index(same[0]) if same and (lost or not before) else len(rows), attempt)
        self.journal.attempts = rows
        return [one for one in moved if not one.is_copy]

    def _beside(self, student: str, assignment: str, folder: Path, before: Path, comes: Path) -> list[Lying]:
        """Keep what lies beside a submission and would be compared with the next one; nothing is taken away yet."""
        words = self._words.get(assignment, frozenset())
        found = list(lying_beside(folder, student, assignment, words, before, comes))
        for one in found:
            one.row.file = self._aside(one.row, one.data, one.suffix)
        return found


def _read(path: Path) -> bytes:
    """Read what is among the submissions, where anything may have been put."""
    return read_bytes(path, MAX_SLIMMED)
