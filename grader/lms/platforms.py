"""Read the names that Moodle and Canvas give to what they hand out, and find out which of them named it.

Moodle, `mod/assign/classes/downloader.php`: a folder `Full Name_12345_assignsubmission_file_` per person (up to 4.0
with `_` at the end), or with *Download submissions in folders* off all files in one folder, that text before each name.
`_` in a full name becomes a space. The number is `get_uniqueid_for_user`: of this participant in this assignment, so
it is another one in the next assignment. Group submissions have the group's name and number instead, and those of the
default group no number.

Canvas, `lib/content_zipper.rb`: `name_12345_67890_file.ipynb`: the sortable name in small letters without anything but
word characters, `LATE_` if it came late, the user's number, the attachment's number, the file's name. With anonymous
marking `anon_` and a code stand for name and number. An address or a text that was handed in instead of a file is
`name_12345_link.html` or `name_12345_text.html`. Later attempts have later attachments; Canvas puts `-1` to the
name of a file that was there before. Only the last attempt is in the download. A person chooses both the name before
the numbers and the one after them, and either may hold numbers and `_` (`_1_` is taken out of a name, `_-1-_` is not),
so that such a text can be read in several ways: all of them are kept, and only a roster can choose.

A person can put something beside what a system named. So the system is the one that named most of it, and what it
did not name is a `Doubt`; one odd file changes nobody else's name.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from grader.lms.archive import Item
from grader.submissions.endings import rank_of
from grader.submissions.packed import is_zip

MOODLE = re.compile(
    r"(?P<name>[^_]+)_(?P<number>[0-9]{1,20})_(?P<kind>assignsubmission_[a-z]+)(?:_(?P<rest>.*))?", re.S
)
MOODLE_MARK = "_assignsubmission_"
#: Canvas' numbers begin with no zero, which tells them from the `02` of a notebook's name. No system's number has more
#: than 20 digits, which `collected.csv` takes, too.
_NUMBERS = re.compile(
    r"(?P<late>LATE_)?(?P<user>[1-9][0-9]{0,19}|anon_[A-Za-z0-9]+)_(?P<file>[1-9][0-9]{0,19})_(?P<rest>.+)", re.S
)
#: What Canvas calls an address or a text that was handed in instead of a file: those have no number of a file.
_ENTRY = re.compile(
    r"(?:(?P<name>[^A-Z]+)_)?(?P<late>LATE_)?(?P<user>[1-9][0-9]{0,19}|anon_[A-Za-z0-9]+)"
    r"_(?P<rest>(?P<kind>link|text)(?:-[0-9]{1,3})?\.html)",
    re.S,
)
#: So many places of a file's name are looked at; systems cut names far below.
_MOST_READINGS = 300
#: So many letters a file system takes; archives may hold longer names, which are refused.
_LONGEST = 255
#: What Moodle calls everybody whose name it does not show.
BLIND = "Participant"


class System(enum.StrEnum):
    """Where a submission came from, in the words of `students.csv` and `collected.csv`."""

    MOODLE = "moodle"
    CANVAS = "canvas"
    PLAIN = "plain"
    """A folder, or files that people named."""
    FOUND = "found"
    """It was among the submissions already."""


@dataclass(frozen=True)
class Sender:
    """Who handed a file in.

    Args:
        system: Who named the files.
        name: As the system writes it.
        number: Moodle's number of the participant in this assignment, Canvas' number of the user.
        attachment: Canvas' number of the file; empty if a link or a text was handed in.
        late: Whether the system says that it came late.
        folder: Moodle's folder, for the way back.
        file: The file's name as the student gave it; empty if a folder says who it is.
        origin: The name that says who it is, as the archive or the disk has it, letter for letter.
        as_id: Whether that is the student's id, because all the folders are nbgrader's own `STUDENT/ASSIGNMENT`.
        others: The other people whom the same text could mean.
        stated: The assignment that a folder around it says, if no student can have made that folder.
    """

    system: System
    name: str
    number: str = ""
    attachment: str = ""
    late: bool = False
    folder: str = ""
    file: str = ""
    origin: str = ""
    as_id: bool = False
    others: tuple[Sender, ...] = field(default=(), hash=False)  # a hundred of a long name, and of one text the same
    stated: str = ""


@dataclass(frozen=True)
class Doubt:
    """Why nobody can tell who handed a file in.

    Args:
        why: A sentence.
        fix: What to do about it.
    """

    why: str
    fix: str


#: What to do if nothing says whose a file is.
OWN_FOLDER = "put it into a folder that is named after the student, and collect the folder above"
NOT_SAID = Doubt("its path does not say whose it is", OWN_FOLDER)


def by_platform(items: list[Item]) -> dict[Item, Sender | Doubt]:
    """Read the paths of one archive or folder as Moodle and Canvas write them.

    Returns:
        The files whose paths are of that kind, or are in doubt; the others are named by people.
    """
    found = dict[Item, Sender | Doubt]()
    for item in items:
        moodle = _moodle(item)
        if moodle is not None:
            found[item] = moodle
    rest = [item for item in items if item not in found]
    read = {item: _canvas(item) for item in rest if len(item.parts) == item.top + 1}
    canvas = {item: readings for item, readings in read.items() if readings}
    work = {item for item in read if rank_of(item.name) is not None or is_zip(item.name)}
    odd = work - canvas.keys()
    # JupyterLab puts an Untitled.ipynb into any folder: that one changes nobody else's name. Only a notebook says that
    # people named the files: one of theirs can look like Canvas' by chance, and the notebooks beside it then do not.
    notebooks = sum(item.name.lower().endswith(".ipynb") for item in odd)
    users = {sender.number for item, sender in canvas.items() if item in work or not sender.attachment}
    participants = {sender.number for sender in found.values() if isinstance(sender, Sender)}
    if canvas and (len(users) > notebooks or not notebooks):
        found |= canvas
        if len(users) > len(odd):
            found |= dict.fromkeys(odd, not_named_by(System.CANVAS))
    elif len(users) > 1:  # nobody can tell, and read as people's names they would be other students than before
        found |= dict.fromkeys(canvas, UNDECIDED)
    elif len(participants) > len(odd):
        found |= dict.fromkeys(odd, not_named_by(System.MOODLE))
    # Canvas makes no folders. A name of a file with `\` or `/` in it becomes one here, which would be a person's. The
    # student's part of the name may begin with that sign, which is put back: something has to follow the numbers.
    if any(isinstance(sender, Sender) and sender.system is System.CANVAS for sender in found.values()):
        others = (item for item in rest if item not in found)
        found |= {item: NO_FOLDER for item in others if next(readings_of(f"{item.parts[item.top]}/"), None)}
    return found


def not_named_by(system: System) -> Doubt:
    """Return the doubt about a file that lies beside those of a system, which did not name it."""
    why = f"most files beside it are named by {system.title()}, and this one is not"
    return Doubt(why, f"if a student handed it in, {OWN_FOLDER}; if not, take it out")


UNDECIDED = Doubt(
    "it is called as Canvas calls files, and as many notebooks beside it are not",
    "keep Canvas' files in a folder of their own, and collect that folder",
)
NO_FOLDER = Doubt(
    "Canvas makes no folders, and this one is called like one of its files, perhaps for a \\ or / in a file's name",
    "put the file into a folder named after the student",
)


def _moodle(item: Item) -> Sender | Doubt | None:
    part = item.parts[item.top]
    match = MOODLE.fullmatch(part)
    if match:
        folder = f"{match['name']}_{match['number']}_{match['kind']}"
        name = " ".join(match["name"].split())
        # With blind marking everybody is called so, and the number is all there is.
        name = f"{name} {match['number']}" if name == BLIND else name
        return Sender(System.MOODLE, name, match["number"], folder=folder, file=match["rest"] or item.name)
    if MOODLE_MARK in part:
        return Doubt("Moodle says no number there, as for a group", "put it into a folder named after the student")
    return None


def _canvas(item: Item) -> Sender | None:
    """Return what a file's name says as Canvas writes it, with all its readings; None if there is none."""
    return _read(item.name)


def read_again(number: str, attachment: str, late: bool, file: str) -> Sender | None:
    """Return what Canvas' name of a file said, of which the parts are known but for the person's name."""
    return _read(f"x_{'LATE_' if late else ''}{number}_{attachment}_{file}")


def _read(text: str) -> Sender | None:
    found = [*readings_of(text), *_entries(text)]
    return replace(found[0], others=tuple(found[1:])) if found else None


def readings_of(text: str) -> Iterator[Sender]:
    """Yield every way in which Canvas can have made a file's name, the shortest name of a person first."""
    starts = [0, *(m.end() for m in re.finditer("_", text))]
    for start in starts[:_MOST_READINGS]:
        match, name = _NUMBERS.match(text, start), text[: max(start - 1, 0)]
        if match and not re.search("[A-Z]", name):  # Canvas writes names in small letters
            user = match["user"]
            yield Sender(System.CANVAS, name or user, user, match["file"], bool(match["late"]), file=match["rest"])


def _entries(text: str) -> Iterator[Sender]:
    """Yield how Canvas can have made a name for what somebody handed in instead of a file."""
    match = _ENTRY.fullmatch(text)
    if match:
        user, late = match["user"], bool(match["late"])
        yield Sender(System.CANVAS, match["name"] or user, user, late=late, file=match["rest"])


def handed_in_instead(name: str) -> str:
    """Return what Canvas calls so: a link or a text; empty if it is a file's name."""
    match = _ENTRY.fullmatch(name[:_LONGEST])
    return f"a {match['kind']}" if match else ""


def whose(name: str) -> str:
    """Return what a system wrote before all files of one person, up to the number; empty if none wrote the name.

    Args:
        name: Of a file or folder at the top of a download.
    """
    moodle = MOODLE.fullmatch(name[:_LONGEST])
    if moodle:
        return f"{moodle['name']}_{moodle['number']}_"
    # A person's own name may hold numbers. They stand before all of the files too, and are the first to be read.
    first = next(readings_of(f"{name[:_LONGEST]}/"), None) or next(_entries(name[:_LONGEST]), None)
    return f"{first.name}_{first.number}_" if first else ""
