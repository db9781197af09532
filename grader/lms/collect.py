"""Take what an LMS hands out into nbgrader's folder of submissions: `grader collect`.

The latest attempt of a student stands as `submitted/STUDENT/ASSIGNMENT/ASSIGNMENT.ipynb`; every other one is kept in
`attempts` beside that folder, whoever put it there. `collected.csv` says what came from where, `students.csv` who is
who. All of it can be done again: what is there already stays as it is.

`timestamp.txt` is written where somebody recorded the time: Moodle's grading worksheet, or a `timestamp.txt` that came
with the file. The times inside the archives of Moodle and Canvas are those of the download (`add_file_from_stored_file`
and `get_output_stream` give none), so they only tell which of two downloads is the later one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.lms.archive import Item, Unplaced, is_other_archive, is_zip, open_source
from grader.lms.candidates import TIMESTAMP, Sorted, Sorter, like_a_notebook
from grader.lms.marks import counted
from grader.lms.names import Sender, System, senders
from grader.lms.placing import Placed, Shelf
from grader.lms.students import Ambiguous, Listed, Roster, Students, read_rosters
from grader.submissions.intake import printable, words_of

_SHOWN = 5  # of one student's files that were not taken


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
        self.roster, self.say = roster, say
        self.students, self.shelf = Students(submitted.parent / "students.csv"), Shelf(submitted)
        self.words = {a: words_of(read_notebook(course.source(a))) for a in course.assignments()}
        self.sorter = Sorter(self.words, assignment)
        self.result = Collected()

    def run(self, paths: list[Path]) -> Collected:
        for path in paths:
            with open_source(path) as contents:
                self.result.unplaced += contents.refused
                for sent in self._by_sender(contents.items):
                    self._one_sender(sent)
            self.students.save()
            self.shelf.save()
        return self.result

    def _by_sender(self, items: list[Item]) -> list[list[tuple[Item, Sender]]]:
        groups: dict[tuple[str, str, str], list[tuple[Item, Sender]]] = {}
        numbers: dict[tuple[str, str], set[str]] = {}
        for item, sender in senders(items, list(self.words)):
            if sender is None:
                self._nobody(item)
                continue
            groups.setdefault((sender.system, sender.number, sender.name), []).append((item, sender))
            if sender.system == System.MOODLE and self.roster.get(sender) is None:
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
        if item.name == TIMESTAMP or not (like_a_notebook(item) or is_zip(item.name) or is_other_archive(item.name)):
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
        found = self.sorter.sort(sent, listed)
        self._note_what_was_not_taken(found, printable(sender.name))
        if not found.candidates:
            return
        try:
            person = self.students.person(sender, listed)
        except Ambiguous:
            self._same_name(item, sender)
            return
        for assignment in sorted(found.candidates):
            ranked = sorted(found.candidates[assignment], key=lambda c: c.rank)
            if self._somebody_else(person.student, assignment, sender, listed):
                text = f"{person.student} had another number than {sender.number} in Moodle's assignment before"
                fix = "give Moodle's grading worksheet with --roster: it tells whether this is the same person"
                self.result.unplaced.append(Unplaced(ranked[-1].item.where, text, fix))
                continue
            placed = self.shelf.place(person.student, assignment, ranked)
            self.result.placed.append(placed)
            notes = "".join(f"\n    {note}" for note in placed.notes)
            self.say(f"{placed.student:24} {placed.assignment:26} {placed.outcome}{notes}")

    def _note_what_was_not_taken(self, found: Sorted, name: str) -> None:
        refused = found.refused
        self.result.unplaced += refused[:_SHOWN]
        if len(refused) > _SHOWN:
            text = f"{len(refused) - _SHOWN} further files of {name} were not taken either"
            self.result.unplaced.append(Unplaced(refused[_SHOWN].where, text, refused[_SHOWN].fix))
        if found.aside and not found.candidates and not refused:
            text = f"{name} handed in no notebook, but {printable(found.aside[0].rpartition('/')[2])}"
            self.result.unplaced.append(Unplaced(found.aside[0], text, "ask the student for the .ipynb file"))
        else:
            self.result.aside += found.aside

    def _somebody_else(self, student: str, assignment: str, sender: Sender, listed: Listed | None) -> bool:
        """Return whether a name is all that ties a file to a student who had another number in the same assignment."""
        if sender.system != System.MOODLE or (listed and listed.email):
            return False
        known = {a.number for a in self.shelf.journal.of(student, assignment) if a.system == System.MOODLE}
        return bool(known) and sender.number not in known


def summary(result: Collected) -> str:
    """Describe what a run did and what needs a look."""
    outcomes = Counter(placed.outcome for placed in result.placed)
    counts = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items())
    lines = [counted(len(result.placed), "submission") + (f": {counts}" if counts else "")]
    if result.aside:
        shown = ", ".join(result.aside[:5]) + (", ..." if len(result.aside) > 5 else "")
        lines.append(f"{counted(len(result.aside), 'file')} left aside, not a notebook: {shown}")
    if result.unplaced:
        lines.append(f"{len(result.unplaced)} could not be placed:")
        lines += [f"  {u.where}: {u.why}\n    Fix: {u.fix}" for u in result.unplaced]
    return "\n".join(lines)
