"""Count what is answered in a student's files, and find those kept aside that may hold more than the one that counts.

Of the files of one upload, the one with the most answers counts (`submissions/choosing.py`); two with as many answers
that differ are named. Of two uploads the later one counts, as the platform has it. But if the one that does not count
has answers that the other lacks, nobody would see it when marking, where a student has one file. So it is named here.
"""

from __future__ import annotations

import hashlib
import logging
import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import PurePath
from typing import NamedTuple

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.escaping import printable_line
from grader.core.nbgrader_api import course_config
from grader.engine import handed
from grader.engine.kit import Kit
from grader.lms.again import came_elsewhere
from grader.lms.archive import Unplaced
from grader.lms.candidates import Candidate
from grader.lms.journal import Attempt
from grader.lms.looks import left_aside, look_at
from grader.lms.lying_beside import Held, Lying, held_in
from grader.lms.placing import Outcome, Placed, Shelf
from grader.lms.platforms import System
from grader.submissions.choosing import MAX_COUNTED, Answers, File, compared, counted, some_of
from grader.submissions.file_names import called, named
from grader.submissions.packed import is_zip

logger = logging.getLogger(__name__)

_LIKELY = 3  # of one student's files for an assignment, of which one may be complete


class _Other(NamedTuple):
    """An earlier attempt, or what lay beside it.

    Args:
        row: What `collected.csv` says of it.
        name: Of the file.
        answers: What is answered in it; None if nobody counted.
        by_hand: Whether another answer in it needs a look: somebody put it there.
    """

    row: Attempt
    name: str
    answers: Answers | None
    by_hand: bool


class Comparing:
    """Counts answers in the process that reads submissions for marking, within its limits.

    Args:
        course: The course of the assignments.
    """

    def __init__(self, course: Course):
        self._course = course
        self._kits: dict[str, Kit | None] = {}
        self._known: dict[tuple[str, str, str], Answers] = {}
        self._whose: Hashable = None
        self._left_s: dict[Hashable, float] = {}
        #: By student and assignment, and by the digest of the file that is kept aside.
        self._looks: dict[tuple[str, str], dict[str, Unplaced]] = {}
        #: Those of them whose place was taken by a file from another upload.
        self._from_elsewhere = set[tuple[str, str, str]]()
        #: Of those of them that lay beside an attempt and were read, how many exercises the one that counts lacks.
        self._lay_beside = dict[tuple[str, str, str], int]()

    @property
    def looks(self) -> list[Unplaced]:
        """The files to look at that are kept aside, of all that was collected."""
        return [one for key, some in self._looks.items() for one in self._in_few_lines(key, some)]

    def _in_few_lines(self, key: tuple[str, str], some: Mapping[str, Unplaced]) -> list[Unplaced]:
        """Name one of the files that lay beside an attempt, the one with most that is lacking, as there may be many."""
        beside = [digest for digest in some if (*key, digest) in self._lay_beside]
        most = max(beside, key=lambda digest: self._lay_beside[*key, digest], default=None)
        more = f" (and {len(beside) - 1} more files that lay beside it)" if len(beside) > 1 else ""
        few = {digest: one for digest, one in some.items() if digest == most or digest not in beside}
        return [replace(one, why=one.why + more) if digest == most else one for digest, one in few.items()]

    def turn_to(self, whose: Hashable) -> None:
        """Turn to somebody's files, which have seconds of their own; coming back to them gives no new ones.

        Args:
            whose: Who handed them in, and in which download.
        """
        self._whose = whose
        self._left_s.setdefault(whose, handed.READ_S)

    def close(self) -> None:
        """End the process that reads."""
        if self._kits:
            handed.close()

    def ranked(self, assignment: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the files of one upload with their answers, if there are several, the one that counts last."""
        likely = _likeliest(candidates)
        held = [c for c in likely if c.score]
        if len({c.sha256 for c in held}) > 1:
            both = zip(held, self._counted(assignment, held), strict=True)
            likely = [replace(c, answers=answers) for c, answers in both] + likely[len(held) :]
        return sorted(likely, key=lambda c: c.rank)

    def complete(self, candidates: Mapping[str, Sequence[Candidate]]) -> bool:
        """Return whether one of the likeliest files for each assignment answers all of it."""
        return all(
            any(self._is_complete(assignment, c) for c in _likeliest(some)[:_LIKELY])
            for assignment, some in candidates.items()
        )

    def _is_complete(self, assignment: str, candidate: Candidate) -> bool:
        answers = self._count(assignment, candidate)
        return answers is not None and answers.complete

    def untouched(self, assignment: str, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Return the notebooks in which nothing is answered.

        Only the likeliest of many are looked into. In what nobody looked into there may be answers.
        """
        likely = _likeliest(candidates)
        both = zip(likely, self._counted(assignment, likely), strict=True)
        return [c for c, answers in both if answers is not None and answers.of > 0 and not answers]

    def came_before(
        self, shelf: Shelf, student: str, assignment: str, candidates: Sequence[Candidate], alone: bool | None = None
    ) -> list[Candidate]:
        """Return the files that a student handed in before, or only those that were in another upload.

        Whoever runs a notebook once more saves other bytes and hands in nothing new, so the answers are compared. Only
        the likeliest of many files are, with the likeliest of many attempts. What nobody compared is new.

        Args:
            shelf: Where the attempts are.
            student: nbgrader's id.
            assignment: Which assignment.
            candidates: The files.
            alone: Whether no notebook of another assignment came with the files now; None if any upload will do.
        """
        attempts, kept = shelf.before(student, assignment), dict[str, list[Attempt]]()
        for a in attempts:
            kept.setdefault(a.sha256, []).append(a)

        def came(c: Candidate, sha256: str) -> bool:
            return any(alone is None or came_elsewhere(c, a, alone) for a in kept.get(sha256, ()))

        again = [c for c in candidates if came(c, c.sha256)]
        done = set(map(id, again))
        rest = _likeliest([c for c in candidates if c.score and id(c) not in done])
        # Of what differs in nothing that `came_elsewhere` asks for, one stands for all.
        ways = {(c.sender.system, c.sender.number, c.sender.attachment): c for c in rest}
        likely = islice((sha for sha in kept if any(came(c, sha) for c in ways.values())), MAX_COUNTED)
        firsts = [kept[sha256][0] for sha256 in likely]
        files = (File(a.sha256, 0, partial(self._count_kept, assignment, a, shelf)) for a in firsts)
        known = [(a.sha256, answers) for a, answers in zip(firsts, counted(files), strict=True) if answers is not None]
        if known:
            for c, answers in zip(rest, self._counted(assignment, rest), strict=True):
                if any(answers == theirs and came(c, digest) for digest, theirs in known):
                    again.append(c)
        return again

    def repeats(self, assignment: str, candidate: Candidate, before: tuple[Attempt, bytes] | None) -> bool:
        """Return whether a file from another upload of Moodle has the answers of the one that is there, saved again.

        That upload tells neither their time nor where the feedback goes, also if the wrong assignment is asked for. In
        Canvas another upload may be a new attempt, and there are no times.
        """
        if before is None or candidate.sender.system is not System.MOODLE or not candidate.score:
            return False
        there, data = before
        if there.sha256 == candidate.sha256 or not came_elsewhere(candidate, there, alone=True):
            return False
        answers = self._count(assignment, candidate)
        return bool(answers) and answers == self._found(assignment, there.file, there.sha256, lambda: data)

    def look(
        self,
        placed: Placed,
        ranked: Sequence[Candidate],
        alone: bool,
        before: tuple[Attempt, bytes] | None,
        shelf: Shelf,
    ) -> None:
        """Name the files that do not count although they may hold more answers than the one that does.

        Those that were named beside an attempt before are held against the one that counts now, and so are those whose
        place was taken by a file from another upload.

        Args:
            placed: What became of one student's upload.
            ranked: Its files, the one that counts of them last.
            alone: Whether no notebook of another assignment came with it.
            before: What was in the place until then.
            shelf: Where all of them are now.
        """
        key, found = (placed.student, placed.assignment), dict[str, Unplaced]()
        if placed.outcome is not Outcome.EARLIER:
            found |= self._beside(placed, ranked, shelf)
        elif before:
            found |= self._added(placed, ranked, before[0], shelf)
        if before and placed.outcome in (Outcome.LATER, Outcome.EARLIER):
            found |= self._attempts(placed, ranked[-1], *before, shelf)
        for moved in placed.moved:
            found |= self._moved(placed, ranked[-1], moved, before, shelf)
        named = self._looks.get(key, {})
        for digest in named if placed.outcome is Outcome.LATER else ():
            kept = shelf.attempt(*key, digest)
            if kept and is_zip(kept.file):
                found.setdefault(digest, named[digest])
            elif kept and digest not in found and (data := shelf.content(kept)) is not None:
                found |= self._attempts(placed, ranked[-1], kept, data, shelf)
                if digest not in found and (*key, digest) in self._from_elsewhere:
                    found |= self._elsewhere(placed, ranked[-1], alone, kept, shelf)
        if before and placed.may_be_back and not found:
            counts, best = before[0], ranked[-1]
            now, then = called(printable_line(counts.source)), called(best.item.source)
            why = f"the file from {now} counts; an earlier one lies in {then} again, perhaps because it is to count now"
            found |= look_at(placed, shelf, counts.sha256, best.sha256, why)
        self._looks[key] = found if placed.outcome is Outcome.LATER else named | found

    def look_elsewhere(
        self, placed: Placed, best: Candidate, alone: bool, before: tuple[Attempt, bytes] | None, shelf: Shelf
    ) -> None:
        """Name a file that took a place although it came in another upload than the one before.

        Most people may have handed in such a notebook there, or one again, but its own time may be over.

        Args:
            placed: What became of one student's upload.
            best: Its file that counts.
            alone: Whether no notebook of another assignment came with it.
            before: What was in the place until then.
            shelf: Where both are now.
        """
        if placed.outcome is Outcome.LATER and before is not None:
            looks = self._looks.setdefault((placed.student, placed.assignment), {})
            looks.update(self._elsewhere(placed, best, alone, before[0], shelf))

    def _elsewhere(
        self, placed: Placed, best: Candidate, alone: bool, there: Attempt, shelf: Shelf
    ) -> dict[str, Unplaced]:
        """Name an attempt if what counts came in another upload, and nobody said that it may."""
        if best.sender.stated or not came_elsewhere(best, there, alone):
            return {}
        self._from_elsewhere.add((placed.student, placed.assignment, there.sha256))
        moodle = best.sender.system is System.MOODLE
        how = f"with another number of Moodle ({there.number} before)" if moodle else "beside another notebook"
        why = f"{named(best.name)} counts now, which came in {named(best.item.source)} {how}; it may be late for this"
        return look_at(placed, shelf, best.sha256, there.sha256, why)

    def _beside(self, placed: Placed, ranked: Sequence[Candidate], shelf: Shelf) -> dict[str, Unplaced]:
        """Compare the file that counts with the others of its upload."""
        best, others = ranked[-1], [c for c in ranked[:-1] if c.score and c.sha256 != ranked[-1].sha256]
        first = max(ranked, key=lambda c: c.rank_by_order)
        aside = compared(best.answers, [c.answers for c in others], others.index(first) if first in others else None)
        return left_aside(placed, shelf, (named(best.name), best.sha256, best.answers), others, aside)

    def _added(self, placed: Placed, ranked: Sequence[Candidate], there: Attempt, shelf: Shelf) -> dict[str, Unplaced]:
        """Compare what counts with the new files of an upload of which the likeliest one is put aside, too.

        If that one is known, the others were handed in since. If it is new, all are of an earlier upload.
        """
        others = [c for c in ranked[:-1] if c.score and c.sha256 not in (*placed.known, ranked[-1].sha256)]
        if not others:
            return {}
        answers = self._count_kept(placed.assignment, there, shelf)
        aside = compared(answers, self._counted(placed.assignment, others))
        if ranked[-1].sha256 not in placed.known:
            aside = replace(aside, equal=())
        return left_aside(placed, shelf, (called(printable_line(there.name)), there.sha256, answers), others, aside)

    def _attempts(
        self, placed: Placed, best: Candidate, there: Attempt, data: bytes, shelf: Shelf
    ) -> dict[str, Unplaced]:
        """Compare an upload with the one before, of which the later one counts."""
        name = there.name or PurePath(there.file).name
        old = self._found(placed.assignment, name, there.sha256, lambda: data)
        found = _Other(there, name, old, _by_hand(placed, there))
        return self._later(placed, best, found, shelf)

    def _later(self, placed: Placed, best: Candidate, there: _Other, shelf: Shelf) -> dict[str, Unplaced]:
        """Name the one of two attempts that does not count if it has answers that the other one lacks.

        What somebody put there by hand, as a correction that came by mail, is also named for another answer.
        """
        # What holds nothing of the assignment, as a page of a browser, answers nothing; nobody need read it.
        new = best.answers or (self._count(placed.assignment, best) if best.score else Answers())
        is_new = placed.outcome is Outcome.LATER
        counts, other = (new, there.answers) if is_new else (there.answers, new)
        mine = counts or Answers()
        names = [called(printable_line(there.name)), named(best.name)]
        what, earlier = f"{names[is_new]} counts, the later attempt", f"the earlier one, {names[not is_new]}"
        if other is None:
            if mine.complete or not self._kit(placed.assignment):
                return {}
            why = f"{what}; nobody counted the answers in {earlier}"
        elif lacking := mine.missing(other):
            why = f"{what}, which answers {len(mine)} of {other.of} exercises; {earlier}, answers {len(other)}"
            more = f", among them some that the first does not: {some_of(lacking)}"
            why += more if len(other) <= len(mine) else ""
        elif is_new and there.by_hand and (changed := mine.changed(other)):
            why = f"{what}; {earlier}, was put there by hand, and has other answers: {some_of(changed)}"
        else:
            return {}
        digests = (best.sha256, there.row.sha256) if is_new else (there.row.sha256, best.sha256)
        return look_at(placed, shelf, *digests, why)

    def _moved(
        self, placed: Placed, best: Candidate, moved: Lying, before: tuple[Attempt, bytes] | None, shelf: Shelf
    ) -> dict[str, Unplaced]:
        """Compare an upload with a file that lay beside the attempt before, as a correction by mail does."""
        there, content = before or (moved.row, moved.data)
        was = self._found(placed.assignment, there.name, there.sha256, lambda: content)
        for name, data in moved.inside.held:
            answers = self._found(placed.assignment, name, hashlib.sha256(data).hexdigest(), partial(bytes, data))
            # What has the answers of the attempt before corrects nothing.
            by_hand = answers != was and _by_hand(placed, moved.row)
            if found := self._later(placed, best, _Other(moved.row, name, answers, by_hand), shelf):
                lacking = (best.answers or self._count(placed.assignment, best) or Answers()).missing(
                    answers or Answers()
                )
                self._lay_beside[placed.student, placed.assignment, moved.row.sha256] = len(lacking)
                return found
        return self._shut(placed, best, moved.row, shelf) if moved.inside.shut else {}

    def _shut(self, placed: Placed, best: Candidate, there: Attempt, shelf: Shelf) -> dict[str, Unplaced]:
        """Name an archive with a notebook that lay beside an attempt, which nobody has opened."""
        why = f"{named(best.name)} counts, the later attempt; nobody counted the answers in"
        name = named(printable_line(there.name))
        return look_at(placed, shelf, best.sha256, there.sha256, f"{why} {name}, which lay beside the earlier one")

    def _counted(self, assignment: str, candidates: Sequence[Candidate]) -> list[Answers | None]:
        """Find the answers in files, the likeliest first, within bounds; None for what nobody counted."""
        return counted(File(c.sha256, len(c.data), partial(self._count, assignment, c)) for c in candidates)

    def _count(self, assignment: str, candidate: Candidate) -> Answers | None:
        """Find the answers in a file; None if that is not possible in the time that the student's files have left."""
        return self._found(assignment, candidate.name, candidate.sha256, lambda: candidate.data)

    def _count_kept(self, assignment: str, attempt: Attempt, shelf: Shelf) -> Answers | None:
        """Find the answers in an attempt, which is read only if nobody has counted them yet."""
        name = attempt.file or attempt.name  # which may be that of a zip file
        return self._found(assignment, name, attempt.sha256, lambda: shelf.content(attempt))

    def _found(self, assignment: str, name: str, sha256: str, content: Callable[[], bytes | None]) -> Answers | None:
        # The same release lies in many a student's folder.
        key = (assignment, PurePath(name).suffix.lower(), sha256)
        if key not in self._known and self._seconds >= 1:
            data = content()
            if data is not None and (answers := self._read(assignment, name, data)) is not None:
                self._known[key] = answers
        return self._known.get(key)

    def _in_archive(self, assignment: str, held: Sequence[Held]) -> list[Answers | None]:
        digests = [hashlib.sha256(data).hexdigest() for _, data in held]
        return counted(
            File(digest, len(data), partial(self._found, assignment, name, digest, partial(bytes, data)))
            for digest, (name, data) in zip(digests, held, strict=True)
        )

    @property
    def _seconds(self) -> float:
        """Seconds that the present student's files have left."""
        return self._left_s.get(self._whose, 0.0)

    def _read(self, assignment: str, name: str, data: bytes) -> Answers | None:
        kit = self._kit(assignment)
        if kit is None:
            return None
        inside = held_in(name, data, assignment, frozenset(kit.words.get(assignment, ())))
        if inside.held != ((name, data),):  # an archive: of the notebooks in it, the one with the most answers counts
            found = [answers for answers in self._in_archive(assignment, inside.held) if answers is not None]
            return max(found, key=len, default=None if inside.held or inside.shut else Answers())
        if sys.platform != "linux":  # elsewhere there are no such limits; nothing is marked there either
            return kit.answered(data, name)
        try:
            answers, seconds = handed.answered(kit, name, data, self._seconds)
        except (GraderError, handed.ReadingFailed):
            logger.exception("counting the answers in %s failed", named(name))
            return None
        self._left_s[self._whose] = self._seconds - seconds
        return answers

    def _kit(self, assignment: str) -> Kit | None:
        if assignment not in self._kits:
            self._kits[assignment] = None
            try:
                self._kits[assignment] = Kit.read(self._course.source(assignment), course_config(self._course))
            except GraderError as error:  # then it cannot be marked either, but what is handed in finds its place
                logger.error("no answers are counted for %s: %s", assignment, error)
        return self._kits[assignment]


def _by_hand(placed: Placed, there: Attempt) -> bool:
    """Return whether somebody put a file there by hand, where a student's work had been collected before.

    A folder that was never collected into, as one of nbgrader's exchange, has what the student handed in.
    """
    return there.system == System.FOUND and any(placed.known.values())


def _likeliest(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the files of one upload, the one first that is likeliest to count."""
    return sorted(candidates, key=lambda c: c.rank, reverse=True)
