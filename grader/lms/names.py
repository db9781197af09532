"""Find out from a file's path who handed it in, as Moodle, Canvas and people name things.

What systems write is at the top of a download or a folder. Deeper in, and in an archive that lies in a folder, a
student could have written the same: then the path is a `Doubt`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field, replace

from grader.core.escaping import printable_line
from grader.lms.archive import Item
from grader.lms.leftover import in_doubt, more_behind, without_marks
from grader.lms.people import folded
from grader.lms.platforms import (
    MOODLE,
    MOODLE_MARK,
    NOT_SAID,
    OWN_FOLDER,
    Doubt,
    Sender,
    System,
    by_platform,
    readings_of,
)
from grader.submissions.endings import rank_of
from grader.submissions.file_names import called
from grader.submissions.packed import is_zip

#: What a browser or a system adds to the name of a file that was there before: `(2)`, `-2`, `_2`.
_COUNTER = re.compile(r"(?: ?\((\d{1,4})\)|[-_](\d{1,3}))$")
#: And a Mac, of which only the name of an assignment before it says that it is no part of a person's name.
_SPACED = re.compile(r" (\d{1,3})$")
#: What to do about a zip file in a folder: only what is named on the command line is a download.
COLLECT_IT = "if it is a download, name it on the command line; if it is a student's, take out the notebook"

NOT_AT_THE_TOP = Doubt(
    "its folder is called as Moodle calls them, and lies in another folder",
    "if that other one is Moodle's download, collect it by itself, unpacked, with nothing else in it",
)


def senders(
    items: list[Item], assignments: list[str], people: Collection[str] = (), files: Iterable[str] = ()
) -> list[tuple[Item, Sender | Doubt]]:
    """Find out who handed in each file of an archive or folder.

    Args:
        items: The files.
        assignments: Names of the course's assignments, which are no students.
        people: Names and ids of students that are known: a folder of such a name is that student's own.
        files: Names of the files that were collected before, of which one may say who is known by a number alone.

    Returns:
        Each file with its sender, or with the reason why there is none.
    """
    known = {folded(name) for name in people}
    told = by_platform(items)
    plain = [item for item in items if item not in told]
    wrappers = _wrappers(plain, assignments, known)
    outer = plain[0].parts[:wrappers] if plain else ()
    around = next((p for p in outer if p not in assignments and not _of_a_class(p, plain[0])), "")
    if not told and not around and len(outer) == 1 and outer[0] not in assignments:
        told = _packed_again(items)
        plain = [item for item in items if item not in told]
    paths = _Paths(
        assignments, wrappers, _full_of_canvas(plain), known, around, _as_nbgrader_does(plain, assignments, wrappers)
    )
    paths.remember(files)
    paths.look(item.name for item in plain if rank_of(item.name) is not None or is_zip(item.name))
    return [(item, told[item] if item in told else paths.sender(item)) for item in items]


def perhaps_a_download(archive: str, items: list[Item], assignments: Collection[str], known: bool) -> Doubt | None:
    """Doubt that a zip file in a folder is all of the person whom its name says.

    Args:
        archive: Its name.
        items: What is in it.
        assignments: Names of the course's assignments.
        known: Whether a student of that name is known, who may have several folders.

    Returns:
        Why it may hold other people's submissions; None if nothing in it looks so.
    """
    folders = [item.parts[item.top : -1] for item in items]
    around = 0
    while folders and all(len(f) > around for f in folders) and len({f[around] for f in folders}) == 1:
        around += 1
    inner = [replace(item, top=item.top + around) for item in items]
    moodles = any(MOODLE_MARK in part for item in items for part in item.parts[item.top :])
    named = any(isinstance(sender, Sender) for sender in by_platform(inner).values())
    if moodles or named or any(part in assignments for f in folders for part in f[1:]):
        why = f"{called(archive)} may be a system's download or a student's own archive that looks like one"
        return Doubt(why, COLLECT_IT)
    likely = [item.parts for item in inner if rank_of(item.name) is not None]
    several = {parts[inner[0].top] for parts in likely}
    if len(several) > 1 and not known and all(len(f) > around for f in folders):
        return Doubt(f"{called(archive)} may hold the folders of several students or of one", COLLECT_IT)
    return None


def _packed_again(items: list[Item]) -> dict[Item, Sender | Doubt]:
    """Read a system's download in the one folder that has the archive's own name: somebody unpacked and packed it.

    The archive was named on the command line, as it would be without that folder. Still, a student's own archive can
    hold such a folder with others in it, of which one is called like somebody else's. So all of them have to be a
    system's, as in a download, where students name none of these.
    """
    inner = {item: replace(item, top=1) for item in items}
    told = by_platform(list(inner.values()))
    folders = {item.parts[1] for item in items if len(item.parts) > 2}
    if not folders or any(not MOODLE.fullmatch(folder) for folder in folders):
        return {}
    return {item: told[below] for item, below in inner.items() if below in told}


def _full_of_canvas(items: list[Item]) -> set[str]:
    """Return the top folders in which lie files of several people as Canvas names them: perhaps a download."""
    users: dict[str, set[str]] = {}
    for item in items:
        if len(item.parts) > 1 and (first := next(readings_of(item.name), None)):
            users.setdefault(item.parts[0], set()).add(first.number)
    return {folder for folder, numbers in users.items() if len(numbers) > 1}


def _wrappers(items: list[Item], assignments: list[str], known: set[str]) -> int:
    """Count the folders around all the students' folders: `class/ada/nb.ipynb`, `class/bob/nb.ipynb`."""
    depth = 0
    while True:
        deep = [item for item in items if len(item.parts) > depth + 1]
        if len(deep) < len(items) or len({i.parts[depth] for i in deep}) != 1:
            return depth
        if folded(deep[0].parts[depth]) in known:
            return depth
        inner = {i.parts[depth + 1] for i in deep if len(i.parts) > depth + 2}
        if len(inner) < 2 or inner & set(assignments):
            return depth
        depth += 1


def _as_nbgrader_does(items: list[Item], assignments: list[str], wrappers: int) -> bool:
    """Return whether each student's folder holds an assignment's, as nbgrader makes them.

    One student's folder can look so because the student made a folder in it; nobody makes those of all the others, and
    nobody's further files take away what the others' folders are.
    """
    likely = [i for i in items if not i.stands_for and (rank_of(i.name) is not None or is_zip(i.name))]
    if any(len(i.parts) <= wrappers + 1 or i.parts[wrappers] in assignments for i in likely):
        return False
    own = {i.parts[wrappers] for i in items if len(i.parts) > wrappers + 2 and i.parts[wrappers + 1] in assignments}
    return {i.parts[wrappers] for i in likely} <= own


def _of_a_class(folder: str, item: Item) -> bool:
    """Return whether a folder around others has the archive's own name; any other one may be a student's choice."""
    stem, dot, _ = item.source.rpartition("/")[2].rpartition(".")
    return bool(dot) and is_zip(item.source) and folded(folder) == folded(stem)


@dataclass(frozen=True)
class _Paths:
    """How people named the folders and files that no system named.

    Args:
        assignments: Names of the course's assignments, which are no students.
        wrappers: So many folders are around all the students' folders.
        downloads: Top folders that may be a download from Canvas.
        known: Names of students that are known, folded.
        around: The folder around all the others that may be one student's, who named those in it; empty if none may.
        nbgraders: Whether all of it is laid out as nbgrader does.
        named: Names of all files without their endings, folded.
        numbered: By the name of a person, folded, the numbers that a browser may have put behind names of files.
    """

    assignments: list[str]
    wrappers: int
    downloads: set[str]
    known: set[str]
    around: str = ""
    nbgraders: bool = False
    named: set[str] = field(default_factory=set)
    numbered: dict[str, set[str]] = field(default_factory=dict)

    def look(self, names: Iterable[str]) -> None:
        """Take note of the names of all files."""
        for name in names:
            if more_behind(name):  # it may be nobody's of that name
                continue
            self.named.add(folded(_stem(name)))
            self._note_number(name)

    def remember(self, names: Iterable[str]) -> None:
        """Take note of the names of files that were collected before: whose have a number is not known without it."""
        bare = {folded(self._person_in(name)[0]) for name in names if not self._note_number(name)}
        self.known.difference_update(self.numbered.keys() - bare)

    def _note_number(self, name: str) -> bool:
        """Take note of a number that a browser may have put behind a file's name; return whether there is one."""
        person, number, apart = self._person_in(name)
        if number and apart:
            self.numbered.setdefault(folded(person), set()).add(number)
        return bool(number) and apart

    def sender(self, item: Item) -> Sender | Doubt:
        """Return whose file it is."""
        if self.around:
            why = f"{called(self.around)} may be a class, or one student who named the folders in it"
            return Doubt(why, "if it is a class, name that folder itself on the command line; if not, see what counts")
        depth = self.wrappers
        if item.parts[depth] in self.assignments and len(item.parts) > depth + 2:  # ASSIGNMENT/STUDENT/file
            depth += 1
        inner = item.parts[depth:]
        stated = next((part for part in item.parts[:-1][: depth + 1] if part in self.assignments), "")
        if len(inner) == 1 or inner[0] in self.assignments:
            return self._by_file(item, stated)
        if MOODLE.fullmatch(inner[0]):  # not at the top, or it would be Moodle's
            return NOT_AT_THE_TOP
        origin = self._origin(item.raw[: depth + 1])
        # nbgrader's own layout: STUDENT/ASSIGNMENT/file
        if len(inner) > 2 and inner[1] in self.assignments:
            stated = stated or (inner[1] if self.nbgraders else "")
            return Sender(System.PLAIN, inner[0], origin=origin, as_id=self.nbgraders, stated=stated)
        if any(p in self.assignments for p in inner[1:-1]) or any(MOODLE.fullmatch(p) for p in inner[1:]):
            return self._doubt(inner)
        if item.parts[0] in self.downloads and next(readings_of(item.name), None):
            return self._doubt(inner)
        # In nbgrader's folders the name is an id, whatever else lies there.
        return Sender(System.PLAIN, inner[0], origin=origin, as_id=self.nbgraders, stated=stated)

    def _by_file(self, item: Item, stated: str) -> Sender | Doubt:
        """Read a file that is named after a student: `Ada Lovelace - 02_additive_attention (1).ipynb`."""
        if rank_of(item.name) is None and not is_zip(item.name):
            return NOT_SAID
        name, number, apart = self._person_in(item.name)
        if not re.search(r"[^\W\d_]", name):
            return NOT_SAID
        if behind := more_behind(item.name):
            return Doubt(f"it may be of {called(name)}, or of whom {called(behind)} behind that names", OWN_FOLDER)
        # `ada-1` may be what a browser made of a second `ada`, or what somebody is called: `team-1`, `team-2`.
        if number and folded(name + number) not in self.known:
            named, several = self._is_named(name), len(self.numbered.get(folded(name), ())) > 1
            if (several and not named) if apart else named:
                why = f"it may be another attempt of {called(name)}, or of somebody called {called(name + number)}"
                return Doubt(why, OWN_FOLDER)
            number = "" if apart else number
        if folded(name + number) not in self.known and in_doubt(self._parts_of(item.name)[0], self.longest):
            why = f"{called(name + number)} may be a student's name, or may hold words that belong to the file"
            return Doubt(why, OWN_FOLDER)
        person, raw, apart = self._person_in(item.raw[-1])
        origin = self._origin((*item.raw[:-1], person if apart else person + raw))
        return Sender(System.PLAIN, name + number, file=printable_line(item.name), origin=origin, stated=stated)

    def _is_named(self, name: str) -> bool:
        """Return whether a student or another file has this name."""
        files = {folded(name), *(folded(name + assignment) for assignment in self.assignments)}
        return folded(name) in self.known or bool(files & self.named)

    def _person_in(self, name: str) -> tuple[str, str, bool]:
        """Return the person's name that a file's name holds, a number at its end, and whether that stands apart.

        It does in brackets, as a browser writes it, and behind the name of an assignment.
        """
        stem, number, apart = self._parts_of(name)
        for assignment in self.longest:
            stem = stem.replace(assignment, " ")
        return re.sub(r"^[\s_\-]+|[\s_\-]+$", "", stem), number, apart

    def _parts_of(self, name: str) -> tuple[str, str, bool]:
        """Return a file's name without what systems put around that of an assignment, a number, and whether apart."""
        stem, number, apart = _stem(name), "", False
        match = _COUNTER.search(stem)
        if match is None and (spaced := _SPACED.search(stem)):
            match = spaced if stem[: spaced.start()].endswith(tuple(self.assignments)) else None
        if match:
            stem, number = stem[: match.start()], match[0]
        stem = without_marks(stem, self.longest)
        if match:
            apart = match[0].endswith(")") or stem.endswith(tuple(self.assignments))
        return stem, number, apart

    @property
    def longest(self) -> list[str]:
        """The assignments, the longer names first, of which another one may be a part."""
        return sorted(self.assignments, key=len, reverse=True)

    def _origin(self, parts: tuple[str, ...]) -> str:
        return "/".join(part for part in parts if part not in self.assignments)

    @staticmethod
    def _doubt(inner: tuple[str, ...]) -> Doubt:
        first, rest = called(inner[0]), called("/".join(inner[1:]))
        fix = f"if {first} is no student, collect what is in it by itself; if it is, put the notebook directly into it"
        return Doubt(f"it may be of {first}, or of somebody whom {rest} names", fix)


def _stem(name: str) -> str:
    """Return a file's name without its ending, and without what a system put behind that; other dots are a name's."""
    ending = re.search(r"\.ipynb", name, re.IGNORECASE)
    if ending:
        match = _COUNTER.fullmatch(name, ending.end())
        return name[: ending.start()] + (match[0] if match else "")
    return name.rpartition(".")[0] or name


def counter(name: str) -> int:
    """Return the number that a browser, a system or Canvas put behind a name that was taken: 2 for `nb (2).ipynb`."""
    stem = name.split(".ipynb")[0] if ".ipynb" in name else name.rpartition(".")[0] or name
    match = _COUNTER.search(stem) or _COUNTER.search(name)
    return int(match[1] or match[2]) if match else 0
