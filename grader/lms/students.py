"""Who is who: `students.csv` beside the submissions ties an LMS's names and numbers to nbgrader's student ids.

An instructor may edit the file: two rows with one id are one person, and a row written in advance decides the id. What
is in it is never overwritten; later knowledge (an e-mail address from a worksheet) fills empty cells alone. A row that
cannot be read stays in the file and is named.
"""

from __future__ import annotations

import csv
import datetime
import functools
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path

from grader.core.csv_files import Row, csv_text, read_csv, read_head
from grader.core.errors import GraderError
from grader.core.files import write_if_changed
from grader.lms.people import in_folders, in_letters, in_words, is_id, same_name, student_id
from grader.lms.platforms import Sender, System
from grader.submissions.listing import may_be_id

_TIMES = ("%A, %d %B %Y, %I:%M %p", "%A, %B %d, %Y, %I:%M %p", "%d %B %Y, %I:%M %p", "%d/%m/%y, %H:%M")

_SPLIT = {"LastName", "FirstName"}


@dataclass
class Person:
    """A row of `students.csv`.

    Args:
        student: nbgrader's id.
        system: One of `System`, as the file has it.
        number: Canvas' number of the user; Moodle's numbers belong to one assignment and are in `collected.csv`.
        name: As the system writes it.
        email: From Moodle's grading worksheet.
        login: Canvas' `SIS Login ID`.
        sis_id: Canvas' `SIS User ID`.
        section: Canvas' section.
        full_name: As Canvas' gradebook has it, where the name is of a file of Canvas, which has it in one word.
    """

    student: str
    system: str
    number: str = ""
    name: str = ""
    email: str = ""
    login: str = ""
    sis_id: str = ""
    section: str = ""
    full_name: str = ""

    @property
    def names(self) -> list[str]:
        """What the person is called. After a change of the name, the full one is that of before."""
        return [self.name, self.full_name] if _is_full(self.full_name, self.name) else [self.name]

    @property
    def in_one(self) -> bool:
        """Whether nothing is known of a name but that of a file of Canvas, in which its words are one."""
        return self.system == System.CANVAS and not any(" " in name for name in self.names)


# Everybody's is asked for each newcomer. More rows than a course has are not kept.
@functools.lru_cache(maxsize=4096)
def _is_full(full_name: str, name: str) -> bool:
    return bool(full_name) and same_name(full_name, name)


@dataclass(frozen=True)
class Listed:
    """What a roster says about a person.

    Args:
        name: With the first name first.
        email: From Moodle's grading worksheet.
        login: Canvas' `SIS Login ID`.
        sis_id: Canvas' `SIS User ID`.
        section: Canvas' section.
        handed_in: When, as the worksheet says.
        late: Whether the worksheet says that it came late.
        said: What the worksheet has for that time; None if it has no such column.
        shared: Whether the address is beside several numbers of one worksheet, so that it says nobody's name.
    """

    name: str
    email: str = ""
    login: str = ""
    sis_id: str = ""
    section: str = ""
    handed_in: datetime.datetime | None = None
    late: bool = False
    said: str | None = None
    shared: bool = False


@dataclass
class Roster:
    """Moodle's grading worksheets and Canvas' exported gradebooks, by system and number."""

    people: dict[tuple[str, str], Listed] = field(default_factory=dict)

    def get(self, sender: Sender) -> Listed | None:
        """Return what is known about a sender."""
        return self.people.get((sender.system, sender.number))

    def add(self, number: str, listed: Listed) -> None:
        """Take a row of a worksheet; of two worksheets of one assignment the one with the later time is the newer."""
        before = self.people.get((System.MOODLE, number))
        if before and before.handed_in and not (listed.handed_in and listed.handed_in >= before.handed_in):
            listed = replace(listed, handed_in=before.handed_in, late=before.late, said=before.said)
        self.people[System.MOODLE, number] = listed


@dataclass(frozen=True)
class Unread:
    """A row of a table of ours that cannot be read: it is named and kept, and costs only those whom it is about.

    Args:
        file: The table's name.
        row: The row, as far as it is understood.
        why: A sentence.
        fix: What to do about it.
        about: Heads of the columns that say whom a row of the table is about. Words of the others, such as a section's
            or those of ours, may be somebody's name.
    """

    file: str
    row: Row
    why: str
    fix: str
    about: tuple[str, ...] = ("student", "number", "name", "email", "login", "sis_id", "full_name")

    @property
    def where(self) -> str:
        """The place of the row, for whoever corrects it."""
        return f"{self.file}, line {self.row.line}"

    def speaks_of(self, words: Iterable[str]) -> bool:
        """Return whether the row is about a person, by one of the person's words: id, name, number, address."""
        there = {self.row.cells.get(head, "").strip().lower() for head in self.about}
        return any(word.strip().lower() in there for word in words if word.strip())


class Ambiguous(Exception):
    """A name that several people have."""


class Students:
    """The people of `students.csv`.

    Args:
        path: The file; it need not exist.
        collected: Canvas' numbers under each id, as far as `collected.csv` tells: no id becomes another number's
            because its row here is gone.
    """

    def __init__(self, path: Path, collected: Mapping[str, Collection[str]] | None = None):
        self.path, self.collected = path, collected or {}
        self.people: list[Person] = []
        self.unread: list[Unread] = []
        for row in read_own(path, ["student"]):
            person = Person(**{f.name: row.cells.get(f.name, "") for f in fields(Person)})
            if may_be_id(person.student):
                self.people.append(person)
            else:
                text = f"{person.student!r} cannot be a student's id (letters, digits, . _ @ + -)"
                self.unread.append(Unread(path.name, row, text, "correct the column student"))

    def learn(self, roster: Roster) -> None:
        """Keep the full names that Canvas' gradebook tells of those who are known by another form of them."""
        for person in self.people:
            listed = roster.people.get((person.system, person.number)) if person.number else None
            told = len(person.names) > 1  # perhaps by the instructor, in another way than the gradebook's
            if listed and not told and listed.name != person.name and same_name(listed.name, person.name):
                person.full_name = listed.name

    def restore(self, newcomers: Iterable[Mapping[str, str]]) -> None:
        """Write the rows of those whom a run had added that was killed, unless there are other rows for them by now."""
        added = []
        for row in newcomers:
            person = Person(**{f.name: row.get(f.name, "") for f in fields(Person)})
            its = (person.system, person.number, person.name)
            if not any(p.student == person.student or (p.system, p.number, p.name) == its for p in self.people):
                added.append(person)
                self.people.append(person)
        if added:
            self.save()

    def save(self) -> None:
        """Write the file, if it changed; rows that could not be read are kept."""
        header = [f.name for f in fields(Person)]
        write_rows(self.path, header, [asdict(p) for p in self.people], self.unread)

    def find(self, sender: Sender, listed: Listed | None) -> Person | None:
        """Find a sender's row.

        Raises:
            Ambiguous: If several people have the name, and nothing else tells them apart.
        """
        if sender.system == System.CANVAS:
            return next((p for p in self.people if (p.system, p.number) == (System.CANVAS, sender.number)), None)
        own = [p for p in self.people if p.system == sender.system]
        if listed and listed.email:
            same = [p for p in own if p.email.lower() == listed.email.lower()]
            if same:
                return same[0]
            # A row from an archive that came without a worksheet says no more than the name.
            own = [p for p in own if not p.email]
        if sender.system == System.PLAIN:
            named = self.own_rows(sender) or self._called(sender.name)
        else:  # a roster may have more of the name than a path can
            names = {in_words(name) for name in (sender.name, *((listed.name,) if listed else ()))}
            named = [p for p in own if in_words(p.name) in names] if listed else []
            if not named:
                forms = {in_folders(name) for name in names}
                named = [p for p in own if in_folders(p.name) in forms]
        if len({p.student for p in named}) > 1:
            raise Ambiguous(sender.name)
        return named[0] if named else None

    def own_rows(self, sender: Sender) -> list[Person]:
        """Return the rows of a folder or file that people named: by its id, or by its name letter for letter."""
        as_id = [p for p in self.people if p.student == sender.name] if sender.as_id else []
        name = in_letters(sender.name)
        return as_id or [p for p in self.people if p.system == System.PLAIN and in_letters(p.name) == name]

    def _called(self, name: str) -> list[Person]:
        """Return the rows of a name that somebody wrote by hand, with those of whom Canvas may write it in one word."""
        letters = in_letters(name)
        named = [p for p in self.people if letters in map(in_letters, p.names)]
        # A gradebook that lacks one of two namesakes tells the full name of the other alone. Canvas writes both in one.
        either = any(p.in_one for p in named)
        may = [p for p in self.people if p.in_one or (either and p.system == System.CANVAS)] if named else []
        return named + [p for p in may if any(same_name(known, name) for known in p.names)]

    def id_for(self, sender: Sender, listed: Listed | None) -> str:
        """Return the id that a sender without a row would get."""
        name = listed.name if listed else sender.name
        taken = {p.student for p in self.people}
        free = sender.name.lower() not in {t.lower() for t in taken}  # on many disks capitals are no difference
        if sender.system == System.PLAIN and is_id(sender.name) and free:
            return sender.name
        number = sender.number if sender.system == System.CANVAS else ""
        if number:
            taken |= {student for student, numbers in self.collected.items() if number not in numbers}
        return student_id(name, taken, number)

    def person(self, sender: Sender, listed: Listed | None) -> Person:
        """Find a sender's row or add one.

        Raises:
            Ambiguous: If several people have the name, and nothing else tells them apart.
        """
        found = self.find(sender, listed)
        if found is None:
            name = listed.name if listed else sender.name
            number = sender.number if sender.system == System.CANVAS else ""
            found = Person(self.id_for(sender, listed), sender.system, number, name)
            self.people.append(found)
        for key in ("email", "login", "sis_id", "section") if listed else ():
            if not getattr(found, key):
                setattr(found, key, getattr(listed, key))
        return found

    def of(self, student: str, system: str) -> Person | None:
        """Return a student's row for a system, or None."""
        return next((p for p in self.people if (p.student, p.system) == (student, system)), None)


def read_rosters(paths: Iterable[Path]) -> Roster:
    """Read Moodle's grading worksheets and Canvas' gradebooks.

    Raises:
        GraderError: If a file is neither.
    """
    roster = Roster()
    for path in paths:
        rows = read_rows(path)
        header = set(rows[0]) if rows else set()
        if {"Identifier", "Grade"} <= header:
            shared = _shared_addresses(rows)
            for row in rows:
                number = _participant(row)
                late = "late" in (row.get("Status") or "").lower()
                said = row.get("Last modified (submission)")
                name = " ".join((row.get("Full name") or f"Participant {number}").split())
                email = _address(row)
                listed = Listed(name, email, "", "", "", parse_time(said or ""), late, said, email.lower() in shared)
                roster.add(number, replace(listed, said=None if said is None else said.strip()))
        elif {"ID", "Section"} <= header and ("Student" in header or header >= _SPLIT):
            for row in rows:
                if (row["ID"] or "").strip():
                    login, sis = row.get("SIS Login ID") or "", row.get("SIS User ID") or ""
                    name = _turned(row["Student"]) if "Student" in header else _joined(row)
                    listed = Listed(name, "", login, sis, row["Section"] or "")
                    roster.people[System.CANVAS, row["ID"].strip()] = listed
        else:
            fix = "give Moodle's grading worksheet (downloaded in English) or Canvas' exported gradebook"
            raise GraderError("neither a grading worksheet nor a gradebook", str(path), fix)
    return roster


def _participant(row: Mapping[str, str]) -> str:
    """Return the number at the end of a worksheet's `Participant 12345`, or nothing."""
    return "".join(re.findall(r"\d+$", row["Identifier"] or ""))


def _address(row: Mapping[str, str]) -> str:
    return (row.get("Email address") or "").strip()


def _shared_addresses(rows: Iterable[Mapping[str, str]]) -> set[str]:
    """Return the addresses, in small letters, that several numbers of one worksheet have.

    Another worksheet is of another assignment, in which everybody has another number.
    """
    numbers: dict[str, set[str]] = {}
    for row in rows:
        if address := _address(row).lower():
            numbers.setdefault(address, set()).add(_participant(row))
    return {address for address, those in numbers.items() if len(those) > 1}


def parse_time(text: str) -> datetime.datetime | None:
    """Read a time as Moodle writes it in English; it is of the zone of the person who downloads, so of this machine."""
    text = " ".join(text.split())
    for form in _TIMES:
        try:
            return datetime.datetime.strptime(text, form).astimezone(datetime.UTC)
        except ValueError:
            continue
    return None


def _turned(name: str) -> str:
    """Return `Ada Lovelace` for `Lovelace, Ada`."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma else name.strip()


def _joined(row: Mapping[str, str]) -> str:
    """Return the name of a gradebook that was exported with first and last names apart."""
    return " ".join(f"{row['FirstName']} {row['LastName']}".split())


def read_rows(path: Path, once: Iterable[str] = ()) -> list[dict[str, str]]:
    """Read a CSV file of a system with a header, as spreadsheets write it; its texts are left letter for letter.

    Args:
        path: The file.
        once: Heads that name one column at most: of two, nothing tells which one the system reads.

    Raises:
        GraderError: If it cannot be read.
    """
    return [row.cells for row in _read(path, ours=False, once=once)]


def read_own(path: Path, needed: Iterable[str]) -> list[Row]:
    """Read a table that `write_rows` wrote; none is there before the first run.

    Args:
        path: The file.
        needed: Heads of columns without which nothing in it can be understood.

    Raises:
        GraderError: If it cannot be read at all.
    """
    rows = _read(path, ours=True) if path.exists() else []
    for name in needed if rows else ():
        if name not in rows[0].cells:
            fix = "restore it from a backup, or move it away: the next collect starts a new one"
            raise GraderError(f"it has no column {name}", str(path), fix)
    return rows


def _read(path: Path, ours: bool, once: Iterable[str] = ()) -> list[Row]:
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise GraderError("no such file", str(path), "check the name") from None
    except (UnicodeError, OSError) as error:
        raise GraderError(f"it cannot be read ({error})", str(path), "save it as CSV in UTF-8") from None
    first = text.partition("\n")[0]
    delimiter = max(",;\t", key=first.count)
    try:
        head = read_head(text, delimiter)
        if twice := [name for name in once if head.count(name) > 1]:
            raise GraderError(f"several columns {twice[0]}", str(path), "delete the one that does not count")
        return read_csv(text, delimiter, ours)
    except csv.Error as error:
        raise GraderError(f"not a CSV file ({error})", str(path), "save it as CSV in UTF-8") from None


def write_rows(
    path: Path, header: Iterable[str], rows: Iterable[Mapping[str, object]], unread: Iterable[Unread] = ()
) -> bool:
    """Write a CSV file at once, so that it is never half written; return whether that changed it.

    Args:
        path: Where to.
        header: Heads of the columns.
        rows: What is in them; a text that a system has to find again is `Given`.
        unread: Rows of the file before that could not be read, which are kept at its end as they were.
    """
    header = list(header)
    fields = [[row.get(key, "") for key in header] for row in rows]
    fields += [[*(one.row.cells.get(key, "") for key in header), *one.row.rest] for one in unread]
    return write_if_changed(path, csv_text([header, *fields]))
