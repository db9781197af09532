"""Take what an LMS hands out into nbgrader's folder of submissions: `grader collect`.

The latest attempt of a student stands as `submitted/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb`; every other one is kept in
`attempts` beside that folder, whoever put it there. `collected.csv` says what came from where, `students.csv` who is
who. All of it can be done again: what is there already stays as it is.

`timestamp.txt` is written where somebody recorded the time: Moodle's grading worksheet, or nbgrader's exchange, if the
instructor says that it filled the folders. Otherwise one that lies there is not looked at, since the student may have
written it. The times inside the archives of Moodle and Canvas are those of the download (`add_file_from_stored_file`
and `get_output_stream` give none), so they only tell which of two downloads is the later one.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.escaping import printable_line
from grader.core.machine import remedy
from grader.core.notebook import read_notebook
from grader.lms.archive import Contents, Item, Unplaced, is_other_archive, open_source
from grader.lms.beside import Beside
from grader.lms.candidates import TIMESTAMP, Candidate, Sorted, Sorter, like_a_notebook
from grader.lms.collected import Collected
from grader.lms.comparing import Comparing
from grader.lms.download import Download, to_count
from grader.lms.identity import Group, Identity, nobodys, several
from grader.lms.lone import ASK, NOTHING, lone
from grader.lms.lying_beside import holds_others
from grader.lms.marks import counted
from grader.lms.names import COLLECT_IT, senders
from grader.lms.people import folded
from grader.lms.placing import Outcome, Placed, Shelf
from grader.lms.platforms import NOT_SAID, Doubt, Sender, System, handed_in_instead
from grader.lms.refusing import refuse_own
from grader.lms.students import Ambiguous, Listed, Roster, Students, read_rosters
from grader.lms.times import Timing, odd_times, of_nobody, untimed
from grader.lms.told import SHOWN, some_of_each
from grader.lms.turns import alone
from grader.lms.unshown import Unshown
from grader.submissions.file_names import called
from grader.submissions.packed import is_checkpoint, is_zip
from grader.submissions.words import words_of

#: Most bytes of a download that are kept in memory until all of it is read; what is beyond is read twice.
_MOST_KEPT = 2**28
_LOOK_AT_IT = "look at it, move it away, and collect again"
#: What lies beside students' files in many a folder, and is no student.
_OF_NOBODY = {"LICENSE", "LICENCE", "COPYING", "NOTICE", "README", "Makefile"}


def collect(
    course: Course,
    submitted: Path,
    paths: Iterable[Path],
    assignment: str | None = None,
    rosters: Iterable[Path] = (),
    say: Callable[[str], None] = lambda line: None,
    marked: Collection[str] = (),
    times: bool = False,
    show: Callable[[Collected], None] = lambda result: None,
) -> Collected:
    """Place what was downloaded.

    Args:
        course: The course; its source notebooks tell which assignment a file is.
        submitted: nbgrader's folder of submissions.
        paths: Downloaded zip files, folders, single notebooks.
        assignment: All files are of this assignment; by default each file's content, or its name, tells.
        rosters: Moodle's grading worksheets and Canvas' gradebooks: names, addresses, times.
        say: Receives a line for each submission.
        marked: Ids under which the gradebook has submissions; nobody gets one of them by a name alone.
        times: nbgrader's exchange filled these folders, so that a `timestamp.txt` beside a notebook tells the time.
        show: Tells what the run did. What it found is kept for the next run until this has ended.

    Returns:
        What became of each file, and what was found before and not told.

    Raises:
        GraderError: If a path or a roster is wrong, or another run does not end; nothing was placed then.
    """
    paths = [Path(p) for p in paths]
    for path in paths:
        if not path.exists():
            raise GraderError("no such file or folder", str(path), "name a downloaded zip file or a folder")
        refuse_own(path, submitted)
    words = {a: words_of(read_notebook(course.source(a))) for a in course.assignments()}
    sorter = Sorter(words, assignment, times)
    # From here on nobody else may read the tables, and write them without what this run adds.
    with alone(submitted.parent, say), contextlib.closing(Comparing(course)) as comparing:
        unshown = Unshown(submitted.parent)
        shelf = partial(Shelf, keep=unshown.keep_put_back, words=words)
        run = _Run(sorter, comparing, submitted, read_rosters(rosters), say, marked, shelf)
        result = unshown.added_to(run.run(paths, unshown.keep))
        show(result)
        unshown.shown()
        return result


class _Run:
    def __init__(
        self,
        sorter: Sorter,
        comparing: Comparing,
        submitted: Path,
        roster: Roster,
        say,
        marked: Collection[str],
        shelf: Callable[[Path], Shelf] = Shelf,
    ):
        self.comparing, self.roster, self.say = comparing, roster, say
        self.marked = {student.lower() for student in marked}
        self.shelf = shelf(submitted)
        self.students = Students(submitted.parent / "students.csv", self.shelf.journal.numbers(System.CANVAS))
        self.students.restore(self.shelf.newcomers)
        self.students.learn(roster)
        self.identity = Identity(roster, self.students, self.shelf.journal)
        self.sorter, self.assignments = sorter, list(sorter.words)
        self.known = set[str]()  # names and ids of before the present source
        self.download = Download()
        self.odd: dict[tuple[str, str], tuple[str, Timing]] = {}
        self.result = Collected(unread=[*self.students.unread, *self.shelf.journal.unread])

    def run(self, paths: list[Path], keep: Callable[[Collected], None] = lambda result: None) -> Collected:
        for path in paths:
            try:
                with open_source(path, self.assignments) as contents:
                    earlier, self.result.unplaced = self.result.unplaced, list(contents.refused)
                    groups = self._by_sender(contents)
                    self.result.times += of_nobody(printable_line(path.name), (g.sender for g in groups), self.roster)
                    groups = self._certain(groups)
                    sent = [(g.sent, self.roster.get(g.sender), folded(g.sender.name) in self.known) for g in groups]
                    with contextlib.closing(Beside(self.sorter, sent, contents.handles)) as beside:
                        for group, found in zip(groups, self._sorted(beside, groups, path), strict=True):
                            self._one_sender(group, found)
                    self.result.unplaced = earlier + some_of_each(
                        self.result.unplaced, contents.around, self.assignments
                    )
            finally:  # whatever ends a run: what it placed is known to the next one
                keep(self._found())  # before the rows it is about: these files will be no news
                self.students.save()
                self.shelf.save()
        return self._found()

    def _found(self) -> Collected:
        odd = odd_times((source, key[0], timing) for key, (source, timing) in self.odd.items())
        return replace(self.result, looks=self.comparing.looks, times=self.result.times + odd)

    def _sorted(self, beside: Beside, groups: list[Group], path: Path) -> Iterator[Sorted]:
        """Read the files of everybody before anybody's are placed: all of them tell what the download is of."""
        # What a student called a single notebook says nothing of a download.
        download = path.is_dir() or is_zip(path.name)
        self.download = Download(self.sorter.named(path.name) if download else None, self.sorter.forced)
        kept, room = list[Sorted | None](), _MOST_KEPT
        for n, group in enumerate([] if self.sorter.forced else groups):
            found = beside.sort(n)
            self.download.count(self._told_by(group, found))
            room -= found.size
            kept.append(found if room >= 0 else None)
        for n in range(len(groups)):
            yield (kept[n] if kept else None) or beside.sort(n)

    def _told_by(self, group: Group, found: Sorted) -> list[str]:
        """Return the assignments of one person's files, without what tells nothing of the download."""
        student, alone = self._id_of(group), len(found.candidates) < 2
        self.comparing.turn_to((group.source, group.sender))
        telling = {
            assignment: some
            for assignment, some in found.candidates.items()
            if len(self.comparing.came_before(self.shelf, student, assignment, some, alone)) < len(some)
        }
        if len(telling) < 2:
            return list(telling)
        return self._begun(telling)

    def _begun(self, candidates: Mapping[str, list[Candidate]]) -> list[str]:
        """Return the assignments of files that are not all untouched."""
        return [a for a, some in candidates.items() if len(self.comparing.untouched(a, some)) < len(some)]

    def _id_of(self, group: Group) -> str:
        """Return the id that a sender has so far, or nothing."""
        try:
            person = self.students.find(group.sender, self.roster.get(group.sender))
        except Ambiguous:
            return ""
        return person.student if person else ""

    def _by_sender(self, contents: Contents) -> list[Group]:
        groups: dict[tuple[str, str, str, str], Group] = {}
        people = {word for p in self.students.people for word in (p.student, *p.names)}
        self.known = {folded(word) for word in people}
        files = [attempt.name for attempt in self.shelf.journal.attempts if attempt.system == System.PLAIN]
        every = senders(contents.items, self.assignments, people, files)
        if left := lone(contents, self.assignments):
            # What is read of the others' paths stays as it is without these.
            beside = senders([*contents.items, *left], self.assignments, people, files)[len(contents.items) :]
            every = every + self._named_alone(beside, {s.system for _, s in every if isinstance(s, Sender)})
        for item, told in every:
            sender = self.identity.chosen(told) if isinstance(told, Sender) else told
            if isinstance(sender, Doubt):
                self._nobody(item, sender)
                continue
            key = (sender.system, sender.number, sender.name, sender.origin)
            groups.setdefault(key, Group(sender, [])).sent.append((item, sender))
        return list(groups.values())

    def _named_alone(
        self, left: list[tuple[Item, Sender | Doubt]], systems: set[System]
    ) -> list[tuple[Item, Sender | Doubt]]:
        """Name those who handed in only what programs left, and return Jupyter's copies among it, which are read."""
        copies = []
        for item, told in left:
            plain = isinstance(told, Sender) and told.system is System.PLAIN
            if plain and systems - {System.PLAIN}:  # in a system's download, such a folder is the instructor's
                continue
            if is_checkpoint(item.parts):
                copies.append((item, told))
                continue
            name = called(told.name if isinstance(told, Sender) else item.parts[-2])
            self.result.unplaced.append(item.unplaced(NOTHING.format(name), ASK))
        return copies

    def _certain(self, groups: list[Group]) -> list[Group]:
        """Name the senders that are in doubt, and return the others."""
        # All of them before any is placed: which comes first in an archive must not matter.
        doubtful = {id(group): doubt for group, doubt in self.identity.doubts(groups)}
        for group in groups:  # a folder that was left out is named already
            group.sent = [(item, sender) for item, sender in group.sent if not item.stands_for]
        groups = [group for group in groups if group.sent]
        for group in groups:
            if id(group) in doubtful:
                self._doubt(group, doubtful[id(group)])
        return [group for group in groups if id(group) not in doubtful]

    def _nobody(self, item: Item, doubt: Doubt) -> None:
        if item.stands_for:
            return
        archive = is_zip(item.name) or is_other_archive(item.name)
        if item.name == TIMESTAMP or not (like_a_notebook(item) or archive or handed_in_instead(item.name)):
            self.result.aside.append(item.where)
            return
        packed = COLLECT_IT if is_zip(item.name) else "unpack it and collect the folder"
        fix = packed if archive and doubt == NOT_SAID else doubt.fix
        self.result.unplaced.append(item.unplaced(doubt.why, fix))

    def _doubt(self, group: Group, doubt: Doubt) -> None:
        likely = [i for i, _ in group.sent if like_a_notebook(i) or is_zip(i.name) or handed_in_instead(i.name)]
        if likely:
            more = f" (and {len(likely) - 1} more of the same)" if len(likely) > 1 else ""
            self.result.unplaced.append(likely[0].unplaced(doubt.why + more, doubt.fix))
        else:
            self.result.aside += [item.where for item, _ in group.sent]

    def _one_sender(self, group: Group, found: Sorted) -> None:
        sender, listed = group.sender, self.roster.get(group.sender)
        self.comparing.turn_to((group.source, sender))
        own, others = self.download.parted(found)
        # Where a download is of one notebook, it is that one's upload, whatever lies beside it.
        lone = len(self.download.own) == 1 and not self.sorter.forced
        alone = lone or len(found.candidates) < 2 or len(self._begun(found.candidates)) < 2
        left = self._pass_over(self._id_of(group), found, own, others)
        self._note_what_was_not_taken(group, found)
        self.result.untold += found.untold
        self.result.unplaced += [self.download.left_out(some, assignment) for assignment, some in others.items()]
        found.candidates = own
        if not own:
            return
        words = [sender.name, sender.number, *((listed.name, listed.email) if listed else ())]
        if self._unread_about(group, words):
            return
        try:
            new = self.students.find(sender, listed) is None
            person = self.students.person(sender, listed)
        except Ambiguous:
            self._doubt(group, several(sender))
            return
        if self._unread_about(group, [person.student]):
            if new:
                self.students.people.remove(person)
            return
        digests = {assignment: {c.sha256 for c in some} for assignment, some in found.candidates.items()}
        taken = person.student.lower() in self.marked or holds_others(self.shelf.submitted / person.student, digests)
        if new and not sender.as_id and taken:
            self.students.people.remove(person)
            self._doubt(group, nobodys(person))
            return
        if new:  # before anything lies under the id, or nobody knows whose it is if this run is killed
            self.shelf.note_newcomer(person)
        for assignment in sorted(found.candidates):
            ranked = self.comparing.ranked(assignment, found.candidates[assignment])
            if self._somebody_else(person.student, assignment, sender, listed):
                text = f"{person.student} had another number than {sender.number} in Moodle's assignment before"
                fix = "give Moodle's grading worksheet with --roster: it tells whether this is the same person"
                self.result.unplaced.append(ranked[-1].item.unplaced(text, fix))
                continue
            if doubt := self.identity.doubted_before(person.student, assignment, sender):
                self.result.unplaced.append(ranked[-1].item.unplaced(doubt.why, doubt.fix))
                continue
            try:
                with self.shelf.whole(person.student, assignment):
                    placed = self._place(person.student, assignment, ranked, alone, found, listed)
            except (GraderError, OSError) as error:  # one student's file ends nobody else's
                self.result.unplaced.append(ranked[-1].item.unplaced(*_why_not(error, person.student, assignment)))
                continue
            if placed is None:
                text = f"it would replace the {assignment} that is there, and {self.download.says(set())}"
                self.result.unplaced.append(ranked[-1].item.unplaced(text, to_count(assignment)))
                continue
            if sender.system == System.PLAIN and person.system != System.PLAIN and not sender.as_id:
                note = f"{called(sender.origin)} was taken for {called(person.name)} of {person.system.title()}"
                placed = replace(placed, notes=(*placed.notes, note))
            if is_checkpoint(ranked[-1].item.parts):
                left = [*left, f"no notebook was handed in but a copy that Jupyter kept: {ranked[-1].item.where}"]
            placed, left = replace(placed, notes=(*placed.notes, *left)), []
            self.result.placed.append(placed)
            notes = "".join(f"\n    {note}" for note in placed.notes)
            self.say(f"{placed.student:24} {placed.assignment:26} {placed.outcome}{notes}")

    def _place(
        self, student: str, assignment: str, ranked: list[Candidate], alone: bool, found: Sorted, listed: Listed | None
    ) -> Placed | None:
        """Place the file that counts and note what to look at; None if nothing tells that it may replace one."""
        best = ranked[-1]
        if not self.download.may_replace(ranked) and self.shelf.would_replace(student, assignment, best, alone):
            return None
        before = self.shelf.there(student, assignment)
        repeats = self.comparing.repeats(assignment, best, before)
        placed = self.shelf.place(student, assignment, ranked, alone, repeats)
        self.shelf.note_left_aside(placed, found.unread)
        if placed.outcome is not Outcome.EARLIER and not self.shelf.is_timed(student, assignment):
            placed = replace(placed, timing=untimed(listed) or placed.timing)
        self.comparing.look(placed, ranked, alone, before, self.shelf)
        placed = replace(placed, moved=())  # with their content
        if self.download.may_be_elsewhere:
            self.comparing.look_elsewhere(placed, best, alone, before, self.shelf)
        if placed.outcome in (Outcome.NEW, Outcome.LATER):  # a later download may have what counts, and its time
            self.odd.pop((student, assignment), None)
        if placed.timing:
            self.odd[student, assignment] = best.item.source, placed.timing
        return placed

    def _pass_over(
        self, student: str, found: Sorted, own: dict[str, list[Candidate]], others: dict[str, list[Candidate]]
    ) -> list[str]:
        """Take out what nobody needs to look at beside a person's own notebook, and return what is to be noted of it.

        Those are notebooks that came before and, if all of it is answered, the course's other ones as released, as in a
        zip file of its folder, and notebooks that nothing tells the assignment of. Where answers are lacking they may
        be elsewhere, so there each of these is named.
        """
        notes = []
        if own and (before := _take_out(others, partial(self.comparing.came_before, self.shelf, student))):
            notes.append(f"{_of_others(before)} left aside, handed in before")
        if not (others or found.unknown):
            return notes
        if not own or not self.comparing.complete(own):
            found.refused += found.unknown
            if len(others) > 1 and (untouched := _take_out(others, self.comparing.untouched)):
                self.result.unplaced.append(self.download.untouched(untouched))
            return notes
        if untouched := _take_out(others, self.comparing.untouched):
            notes.append(f"{_of_others(untouched)} left aside, untouched")
        if found.unknown:
            more = f" (and {len(found.unknown) - 1} more of the same)" if len(found.unknown) > 1 else ""
            notes.append(f"left aside, nothing tells of which assignment: {found.unknown[0].where}{more}")
        return notes

    def _unread_about(self, group: Group, words: list[str]) -> bool:
        """Leave out what a person handed in of whom a row speaks that could not be read: it may say who that is."""
        row = next((one for one in self.result.unread if one.speaks_of(words)), None)
        if row:
            self._doubt(group, Doubt(f"{row.where} speaks of it, and cannot be read: {row.why}", row.fix))
        return row is not None

    def _note_what_was_not_taken(self, group: Group, found: Sorted) -> None:
        refused, name = found.refused, called(group.sender.name)
        self.result.unplaced += refused[:SHOWN]
        if len(refused) > SHOWN:
            text = f"{len(refused) - SHOWN} further files of {name} were not taken either"
            self.result.unplaced.append(Unplaced(refused[SHOWN].where, text, refused[SHOWN].fix))
        if not (found.aside or found.candidates or refused):
            self.result.unplaced.append(group.sent[0][0].unplaced(NOTHING.format(name), ASK))
        elif found.aside and not (found.candidates or refused or _of_nobody(group)):
            sort = handed_in_instead(group.sent[0][0].name) if group.sender.system is System.CANVAS else ""
            text = f"{name} handed in {sort} and no notebook" if sort else f"{name} handed in no notebook, but this"
            self.result.unplaced.append(Unplaced(found.aside[0], text, "ask the student for the .ipynb file"))
        else:
            self.result.aside += found.aside

    def _somebody_else(self, student: str, assignment: str, sender: Sender, listed: Listed | None) -> bool:
        """Return whether a name is all that ties a file to a student who had another number in the same assignment."""
        if sender.system != System.MOODLE or (listed and listed.email):
            return False
        known = {a.number for a in self.shelf.journal.of(student, assignment) if a.system == System.MOODLE}
        return bool(known) and sender.number not in known


def _of_nobody(group: Group) -> bool:
    """Return whether all is a file beside the students' that is no work, as `LICENSE`: no more than a `README.md`."""
    return group.sender.system is System.PLAIN and all(s.file and item.name in _OF_NOBODY for item, s in group.sent)


def _take_out(
    others: dict[str, list[Candidate]], which: Callable[[str, list[Candidate]], list[Candidate]]
) -> list[Candidate]:
    """Take out some of the notebooks of other assignments, and return them."""
    taken = list[Candidate]()
    for assignment, some in list(others.items()):
        out = which(assignment, some)
        taken += out
        others[assignment] = [c for c in some if all(c is not one for one in out)]
        if not others[assignment]:
            del others[assignment]
    return taken


def _of_others(some: Sequence[object]) -> str:
    return f"{counted(len(some), 'notebook')} of other assignments {'is' if len(some) == 1 else 'are'}"


def _why_not(error: GraderError | OSError, student: str, assignment: str) -> tuple[str, str]:
    """Return why a file could not be placed, and what to do: the disk may be at fault, or what is there already."""
    why = error.what if isinstance(error, GraderError) else os.strerror(error.errno or 0)
    if fix := remedy(error):
        return f"it cannot be put into {student}/{assignment}: {why}", f"{fix}, and collect again"
    return f"what is in {student}/{assignment} already cannot be read: {why}", _LOOK_AT_IT
