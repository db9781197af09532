"""Decide whether a file's sender is certainly one person; one student's place is never given to another on a guess.

A name alone proves little: people choose their names in most systems, and folders and files are named by hand. So a
name that can be read in two ways, a number that is known under another name, and two sources that would become one
student in silence are each a `Doubt`, which is shown with what to do about it. What settles a doubt is something that
students do not write: a roster, or a row that the instructor puts into `students.csv`.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from grader.core.escaping import spelled
from grader.lms.archive import Item
from grader.lms.attachments import Attachments
from grader.lms.journal import Attempt, Journal
from grader.lms.people import (
    folded,
    id_form,
    in_folders,
    in_letters,
    in_words,
    may_be_meant,
    may_be_meant_in_one,
    may_be_one,
    same_name,
)
from grader.lms.platforms import BLIND, Doubt, Sender, System
from grader.lms.students import Ambiguous, Listed, Person, Roster, Students
from grader.submissions.endings import rank_of
from grader.submissions.file_names import called, printable, quoted
from grader.submissions.packed import is_zip

_ROSTER = "the roster"
_WITH_WORKSHEET = "give Moodle's grading worksheet of this assignment with --roster: it has the e-mail addresses"
_WITH_GRADEBOOK = "give Canvas' exported gradebook with --roster: it tells whose number is whose"
_ADDRESS = "write into the worksheet the address that each of them has alone, or none, and collect again"
_ONE_PERSON = "see in Canvas whose it is, leave only that person's numbers in its name, and collect the unpacked folder"
_WHOSE_BEFORE = (
    "see in Canvas whose that is: if this person's, take the numbers out of its name in collected.csv, column name; "
    "if not, delete its row there; then collect again"
)
_NEW_NAME = (
    "if it is the same person: change the column name of students.csv to the new one; if not: write into its column "
    "email the addresses that both have now; then collect again"
)
_OLD_ID = (
    "an id stays once something was collected under it, or the marks would be of two students: write the one of "
    "collected.csv into the column student of students.csv again, and collect again"
)
_NEW_ADDRESS = (
    "if it is the same person: change the column email of students.csv to the new one; if not: write a row into it for "
    "the new one (student, system moodle, name, email); then collect again"
)
_BY_HAND = "see in Canvas whose it is, put it into a folder named after the student, and collect the folder above"
_RENAME = "students.csv cannot tell them apart: rename one, in more than how its accents are written, and collect again"
_WITH_ROW = "write a row into students.csv for each (student, system plain, name as it is here) and collect again"
_AS_KNOWN = f"if they are the same person, name it as students.csv does; if not, {_WITH_ROW}"
_AS_KNOWN_IN_ONE = f"{_AS_KNOWN}; or give Canvas' exported gradebook with --roster, which tells the full names"
_WHOSE = (
    "the next one of that name may be another one's, so rename it to what only that person is called, as with a number "
    "behind the name, write a row into students.csv for that (student, system plain, name), and collect again"
)


@dataclass
class Group:
    """What one sender handed in.

    Args:
        sender: Who.
        sent: The files, each with what its path says.
    """

    sender: Sender
    sent: list[tuple[Item, Sender]]

    @property
    def source(self) -> str:
        """The archive or folder it came in."""
        return self.sent[0][0].source

    @property
    def number(self) -> tuple[str, str, str]:
        """What a system's number means: it is of one system and, as far as one can tell, of one download."""
        return self.source, self.sender.system, self.sender.number


class Identity:
    """What is known of people.

    Args:
        roster: What the systems' own lists say.
        students: The rows of `students.csv`.
        journal: What was collected before.
    """

    def __init__(self, roster: Roster, students: Students, journal: Journal):
        self.roster, self.students, self.journal = roster, students, journal
        self._attachments = Attachments((), ())

    def chosen(self, sender: Sender) -> Sender | Doubt:
        """Choose among the ways in which a text can be read; only a roster can, and it can only confirm.

        The reading of a number that is known stays possible even if the name beside it is another: people change their
        names between two downloads, and if it were dropped, one that somebody made up could be all that is left.
        """
        readings = [replace(sender, others=()), *sender.others]
        if len(readings) == 1:
            return readings[0]
        numbers = self._canvas_numbers()
        known = [r for r in readings if r.number in numbers]
        listed = self.roster.get(known[0]) if len(known) == 1 else None
        if listed and same_name(listed.name, known[0].name):
            return replace(known[0], others=tuple(r for r in readings if r is not known[0]))
        fix = _BY_HAND if listed or len(known) > 1 else _WITH_GRADEBOOK
        return Doubt(f"its name can be read in {len(readings)} ways: {_people(readings)}", fix)

    def _canvas_numbers(self) -> set[str]:
        """Return the numbers of Canvas that belong to somebody: on a roster, or collected before."""
        listed = {number for system, number in self.roster.people if system == System.CANVAS}
        return listed | {p.number for p in self.students.people if p.system == System.CANVAS}

    def doubts(self, groups: list[Group]) -> Iterator[tuple[Group, Doubt]]:
        """Find the senders of one download that nobody can be sure of, each with the first reason."""
        canvas = [sender for g in groups if g.sender.system == System.CANVAS for _, sender in g.sent]
        self._attachments = Attachments(canvas, self.journal.attempts)
        checks = (
            self._one_number(groups),
            self._one_name(groups),
            self._one_student(groups),
            self._unlisted(groups),
            self._several_files(groups),
            self._also_anothers(groups),
        )
        for position, group in enumerate(groups):
            found = next((doubts[position] for doubts in checks if position in doubts), None) or self._known(group)
            if found is not None:
                yield group, found

    @staticmethod
    def _one_number(groups: list[Group]) -> dict[int, Doubt]:
        """Find numbers that stand beside several names in one download."""
        names: dict[tuple[str, str, str], set[str]] = defaultdict(set)
        for group in groups:
            names[group.number].add(group.sender.name)
        text = "its number stands beside several names"
        return {
            n: Doubt(text, "ask these students who they are; collect theirs by hand")
            for n, g in enumerate(groups)
            if g.sender.number and len(names[g.number]) > 1
        }

    def _one_name(self, groups: list[Group]) -> dict[int, Doubt]:
        """Find Moodle's names that stand beside several numbers in one download, unless addresses tell them apart."""
        numbers: dict[tuple[str, str], set[str]] = defaultdict(set)
        for group in groups:
            if group.sender.system == System.MOODLE:
                numbers[group.source, group.sender.name].add(group.sender.number)
        found: dict[int, Doubt] = {}
        for position, group in enumerate(groups):
            listed = self.roster.get(group.sender)
            if len(numbers[group.source, group.sender.name]) > 1 and not (listed and listed.email):
                found[position] = several(group.sender)
        return found

    def _one_student(self, groups: list[Group]) -> dict[int, Doubt]:
        """Find folders and files with different names that would become one student, or two spellings of one name."""
        places: dict[str, set[int]] = defaultdict(set)
        alike: dict[str, set[int]] = defaultdict(set)
        plain = {position: g.sender for position, g in enumerate(groups) if g.sender.system == System.PLAIN}
        rows = {position: next(iter(self.students.own_rows(sender)), None) for position, sender in plain.items()}
        for position, row in rows.items():
            name = groups[position].sender.name
            alike[in_words(name)].add(position)
            for place in {row.student.lower()} if row else {id_form(name), name.lower()}:
                places[place].add(position)
        found: dict[int, Doubt] = {}
        # A folder that has a row of its own, letter for letter, is certain, whatever others are called.
        for positions in alike.values():
            letters = {p: in_letters(groups[p].sender.name) for p in positions}
            often = Counter(letters.values())
            doubtful = [p for p in positions if not rows[p] or often[letters[p]] > 1]
            if doubtful and len(positions) > 1:
                fix = _WITH_ROW if len(often) == len(positions) else _RENAME
                found |= dict.fromkeys(doubtful, self._one_place(groups, positions, fix))
        for place, positions in places.items():
            # Two rows of one id are what the instructor wants; so are José and Jose, who become two students.
            known = [p for p in positions if rows[p]]
            doubtful = [p for p in positions if not rows[p] or (groups[p].sender.as_id and len(known) > 1)]
            taken = known or any(groups[p].sender.name.lower() == place for p in positions)
            if doubtful and len(positions) > 1 and taken:
                doubt = self._one_place(groups, positions, _WITH_ROW)
                found = dict.fromkeys(doubtful, doubt) | found
        for positions in self._found_as(plain).values():
            doubtful = [p for p in positions if not rows[p]]
            if doubtful and len(positions) > 1:
                found = dict.fromkeys(doubtful, self._one_place(groups, positions, _WITH_ROW)) | found
        return found

    def _found_as(self, senders: Mapping[int, Sender]) -> dict[str, set[int]]:
        """Return who is one student by what is known, also by different names, of which a system may tell several."""
        found: dict[str, set[int]] = defaultdict(set)
        for position, sender in senders.items():
            with contextlib.suppress(Ambiguous):  # which is a doubt of its own
                if person := self.students.find(sender, None):
                    found[person.student.lower()].add(position)
        return found

    @staticmethod
    def _one_place(groups: list[Group], positions: set[int], fix: str) -> Doubt:
        shown = " and ".join(sorted(_shown(groups[p].sender.origin) for p in positions)[:3])
        return Doubt(f"{shown} would become one student", fix)

    def _unlisted(self, groups: list[Group]) -> dict[int, Doubt]:
        """Find numbers that the worksheet of a download lacks: a group's, or of somebody who came later."""
        moodle = [g for g in groups if g.sender.system == System.MOODLE]
        covered = {g.source for g in moodle if self.roster.get(g.sender)}
        text = "Moodle's grading worksheet does not list number {}"
        fix = "download the worksheet of this assignment again, and give it with --roster"
        return {
            n: Doubt(text.format(g.sender.number), fix)
            for n, g in enumerate(groups)
            if g.sender.system == System.MOODLE and g.source in covered and not self.roster.get(g.sender)
        }

    def _several_files(self, groups: list[Group]) -> dict[int, Doubt]:
        """Find numbers of Canvas with several notebooks, one of which may be of somebody else, by its own numbers.

        A gradebook may lack that person, and then one's own notebook would be set aside for another one's.
        """
        numbers = self._canvas_numbers()
        found: dict[int, Doubt] = {}
        for position, group in enumerate(groups):
            likely = [(i, s) for i, s in group.sent if rank_of(i.name) is not None or is_zip(i.name)]
            if group.sender.system != System.CANVAS or len(likely) < 2:
                continue
            for item, sender in likely:
                shorter = any(len(other.file) > len(sender.file) for other in sender.others)
                if shorter or self._attachments.others(sender) or _numbers_in(sender) & numbers - {sender.number}:
                    text = f"by the numbers in its name, {called(item.name)} may be somebody else's"
                    found.setdefault(position, Doubt(text, _BY_HAND))
        return found

    def _also_anothers(self, groups: list[Group]) -> dict[int, Doubt]:
        """Find files of Canvas that may be of somebody with a longer name whom the roster lacks, as it may."""
        found: dict[int, Doubt] = {}
        for position, group in enumerate(groups):
            for _, sender in group.sent:
                if others := self._attachments.others(sender):
                    whose = _people(others)
                    why = f"by its name it may also be of {whose}, and the roster may lack people"
                    found.setdefault(position, Doubt(why, _ONE_PERSON))
        return found

    def doubted_before(self, student: str, assignment: str, sender: Sender) -> Doubt | None:
        """Doubt a file if the one in its place may be somebody else's, whose numbers order nobody's attempts."""
        there = self.journal.current(student, assignment)
        if sender.system != System.CANVAS or there is None or not self._attachments.doubts(there):
            return None
        why = f"by its numbers, {called(there.name)}, which is in this place, may be somebody else's"
        return Doubt(why, _WHOSE_BEFORE)

    def _known(self, group: Group) -> Doubt | None:
        """Hold a sender against what is known from rosters and from before."""
        sender, listed = group.sender, self.roster.get(group.sender)
        nameless = listed and listed.name == f"{BLIND} {sender.number}"  # a worksheet of blind marking
        if listed and listed.shared:
            text = f"several people of Moodle's grading worksheet have the address of {called(sender.name)}"
            return Doubt(text, _ADDRESS)
        if listed and not nameless and not same_name(listed.name, sender.name):
            return _other_name(sender, called(listed.name), _ROSTER)
        try:
            person = self.students.find(sender, listed)
        except Ambiguous:
            return several(sender)
        if sender.system == System.CANVAS and person and not listed and not same_name(person.name, sender.name):
            return _other_name(sender, called(person.name), "students.csv")
        if sender.system == System.CANVAS:
            return self._known_by_number(sender, person) if person else self._known_without_row(sender, listed)
        if sender.system == System.MOODLE:
            return (
                self._known_by_number(sender, person)
                or self._known_by_address(sender, listed, person)
                or self._named_twice(sender, listed, person)
            )
        if sender.system == System.PLAIN:
            return (
                self._known_but_for_blanks(sender, person)
                or self._known_by_id(sender, person)
                or self._known_otherwise(sender, person)
            )
        return None

    def _known_by_number(self, sender: Sender, person: Person | None) -> Doubt | None:
        """Hold a number, which a system never gives to somebody else, against what was collected before."""
        before = {a.student for a in self.journal.attempts if (a.system, a.number) == (sender.system, sender.number)}
        if not before or (person and person.student in before):
            return None
        ids = ", ".join(map(called, sorted(before)))
        if person and (sender.system == System.CANVAS or not any(p.student in before for p in self.students.people)):
            why = f"number {sender.number} is {called(person.student)} in students.csv now, but {ids} in collected.csv"
            return Doubt(why, _OLD_ID)
        return _other_name(sender, ids, "collected.csv")

    def _known_without_row(self, sender: Sender, listed: Listed | None) -> Doubt | None:
        """Doubt a number of Canvas that would get another id than it has, as the row that says so is gone.

        Which id is made of a name depends on whether a gradebook tells it. Where it is the same one, what is there
        under it is held against the files when they are placed.
        """
        before = {a.student for a in self.journal.attempts if (a.system, a.number) == (sender.system, sender.number)}
        if not before or self.students.id_for(sender, listed) in before:
            return None
        why = f"number {sender.number} is {' and '.join(map(called, sorted(before)))} in collected.csv"
        person = Person(min(before), sender.system, sender.number, listed.name if listed else sender.name)
        return Doubt(f"{why}, and no row of students.csv says so", f"{_row_of(person)} and collect again")

    def _known_by_address(self, sender: Sender, listed: Listed | None, person: Person | None) -> Doubt | None:
        """Hold a worksheet's address, which may be another one's by now, and its name against `students.csv`."""
        if not listed or not listed.email:
            return None
        if person is None:
            return self._elsewhere(sender, listed)
        if not person.email or any((a.system, a.number) == (sender.system, sender.number) for a in self._of(person)):
            return None  # found by the name; or the number, which is nobody else's, says the same as the address
        names = [p.name for p in self.students.people if p.student == person.student]
        if any(may_be_one(name, now) for name in names for now in (sender.name, listed.name)):
            return None
        who = f"{called(sender.name)} with the address of {called(person.name)} in students.csv"
        return Doubt(f"number {sender.number} comes as {who}", _NEW_NAME)

    def _elsewhere(self, sender: Sender, listed: Listed) -> Doubt | None:
        """Doubt that a name with another address than before is a second person's, unless the roster has both."""
        names = {in_words(sender.name), in_words(listed.name)}
        now = {one.email.lower() for one in self.roster.people.values() if in_words(one.name) in names}
        own = [p for p in self.students.people if p.system == System.MOODLE and in_words(p.name) in names]
        if any(p.email and p.email.lower() not in now for p in own):
            return Doubt(f"{called(sender.name)} has another address in students.csv", _NEW_ADDRESS)
        return None

    def _of(self, person: Person) -> list[Attempt]:
        return [a for a in self.journal.attempts if a.student == person.student]

    def _named_twice(self, sender: Sender, listed: Listed | None, person: Person | None) -> Doubt | None:
        """Doubt a row without an address if the worksheet has several people of that name."""
        addresses = {
            one.email.lower()
            for (system, _), one in self.roster.people.items()
            if system == System.MOODLE and one.email and in_folders(one.name) == in_folders(sender.name)
        }
        if person and listed and not person.email and len(addresses) > 1:
            fix = "write the address of the one who is meant into students.csv, column email, and collect again"
            return Doubt(f"several people are called {called(sender.name)}", fix)
        return None

    def _known_but_for_blanks(self, sender: Sender, person: Person | None) -> Doubt | None:
        """Doubt a name that is somebody's but for its blanks: it is no other person's for certain, and not theirs."""
        name = in_words(sender.name)
        theirs = [] if person else [p for p in self.students.people if in_words(p.name) == name]
        if not theirs:
            return None
        why = f"{_shown(sender.name)} and {_shown(theirs[0].name)} of students.csv differ in their blanks alone"
        return Doubt(why, _AS_KNOWN)

    def _known_by_id(self, sender: Sender, person: Person | None) -> Doubt | None:
        """Doubt a folder or file whose name is the id of somebody who is called otherwise."""
        name = in_words(sender.name).lower()
        theirs = [p for p in self.students.people if p.student.lower() == name and p is not person]
        if sender.as_id or not theirs or (person and person.student == theirs[0].student):
            return None
        if person and in_letters(person.name) == in_letters(sender.name) and person.system == System.PLAIN:
            return None
        who = called(theirs[0].name)
        return Doubt(f"{called(sender.name)} is the id of {who}, or the name of somebody else", _WITH_ROW)

    def _known_otherwise(self, sender: Sender, person: Person | None) -> Doubt | None:
        """Doubt a newcomer who may be somebody who is known, by a name that people wrote by hand."""
        theirs = None if person else next((p for p in self.students.people if self._may_mean(sender, p)), None)
        if theirs is None:
            return None
        why = f"{_shown(sender.name)} and {_shown(theirs.name)} of students.csv may be one person"
        return Doubt(why, _AS_KNOWN_IN_ONE if theirs.in_one else _AS_KNOWN)

    def _may_mean(self, sender: Sender, person: Person) -> bool:
        """Return whether a newcomer may be somebody who is known, by what the row or the roster has for a name.

        People name files by what they log in with as well.
        """
        listed = self.roster.people.get((person.system, person.number)) if person.number else None
        names = [*person.names, listed.name] if listed else person.names
        if not sender.as_id and folded(person.login) == folded(sender.name) != "":
            return True
        # Where nbgrader's exchange filled the folders, `ada` and `ada2` are two people who logged in.
        alike = same_name if sender.as_id else may_be_meant_in_one if person.in_one and not listed else may_be_meant
        return any(alike(sender.name, name) for name in names)


def several(sender: Sender) -> Doubt:
    """Return the doubt about a name that several people have."""
    fix = _WHOSE if sender.system == System.PLAIN else _WITH_WORKSHEET
    return Doubt(f"several people are called {called(sender.name)}", fix)


def nobodys(person: Person) -> Doubt:
    """Return the doubt about submissions that are there already under an id that no row of `students.csv` has."""
    fix = f"if they are the same person's, {_row_of(person)} and collect again"
    return Doubt(f"there are submissions of {person.student} already, and students.csv does not say whose", fix)


def _row_of(person: Person) -> str:
    cells = {"student": person.student, "system": person.system, "number": person.number, "name": person.name}
    row = ", ".join(f"{head} {called(cell)}" for head, cell in cells.items() if cell)
    return f"write a row into students.csv ({row})"


def _other_name(sender: Sender, name: str, where: str) -> Doubt:
    text = f"number {sender.number} comes as {called(sender.name)}, but is {name} in {where}"
    if sender.system == System.CANVAS:
        fix = f"if the person has a new name: {_WITH_GRADEBOOK}, or correct the column name of students.csv"
    elif where == _ROSTER:
        fix = "if it is the same person: download submissions and grading worksheet anew, so that both have one name"
    else:
        fix = "if it is the same person: change the column name of students.csv to the new one, and collect again"
    return Doubt(text, fix)


def _people(readings: Iterable[Sender]) -> str:
    """Return whom some readings of a name mean, to show."""
    return " or ".join(f"number {r.number} ({quoted(printable(r.name))})" for r in list(readings)[:3])


def _numbers_in(sender: Sender) -> set[str]:
    """Return the numbers that come after a sender's own in Canvas' name of a file and could be somebody's, too."""
    return set(re.findall(r"(?<![^_])[1-9][0-9]*(?=_)", f"{sender.attachment}_{sender.file}"))


def _shown(name: str) -> str:
    """Return a name to show, in which a blank at an end is seen; so it can be copied into `students.csv`."""
    return called(spelled(name))
