"""Find out from a file's path who handed it in, as Moodle, Canvas and people name things.

Moodle, `mod/assign/classes/downloader.php`: a folder `Full Name_12345_assignsubmission_file` per participant (up to 4.0
with `_` at the end), or with *Download submissions in folders* off all files in one folder, that text before each name.
`_` in a full name becomes a space. The number is `get_uniqueid_for_user`: of this participant in this assignment, so
it is another one in the next assignment. Group submissions have the group's name and number instead.

Canvas, `lib/content_zipper.rb`: `name_12345_67890_file.ipynb`: the sortable name in small letters without anything but
word characters, `LATE_` if it came late, the user's number, the attachment's number, the file's name. With anonymous
marking `anon_` and a code stand for name and number. Later attempts have later attachments; Canvas puts `-1` to the
name of a file that was there before. Only the last attempt is in the download.
"""

from __future__ import annotations

import enum
import re
import unicodedata
from dataclasses import dataclass

from grader.lms.archive import Item, is_zip
from grader.submissions.intake import rank_of
from grader.submissions.listing import STUDENT

_MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<number>\d+)_(?P<kind>assignsubmission_[a-z]+)(?:_(?P<rest>.*))?", re.S)
_CANVAS = re.compile(
    r"(?:(?P<name>[^\W\d_].*?)_)??(?P<late>LATE_)?(?P<user>\d+|anon_[A-Za-z0-9]+)_(?P<file>\d+)_(?P<rest>.+)", re.S
)
#: What a browser or a system adds to the name of a file that was there before: `(2)`, `-2`, `_2`, `copy`.
_COUNTER = re.compile(r"(?: ?\((\d{1,4})\)|[-_](\d{1,3}))$")
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})


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
        attachment: Canvas' number of the file.
        late: Whether the system says that it came late.
        folder: Moodle's folder, for the way back.
        file: The file's name as the student gave it.
    """

    system: System
    name: str
    number: str = ""
    attachment: str = ""
    late: bool = False
    folder: str = ""
    file: str = ""


def senders(items: list[Item], assignments: list[str]) -> list[tuple[Item, Sender | None]]:
    """Find out who handed in each file of an archive or folder.

    Args:
        items: The files.
        assignments: Names of the course's assignments, which are no students.

    Returns:
        Each file with its sender, or None where the path does not say.
    """
    moodle = {item: _moodle(item.parts) for item in items}
    rest = [item for item in items if moodle[item] is None]
    canvas = {item: _CANVAS.fullmatch(item.name) for item in rest}
    # One file can look like Canvas' by chance; the notebooks beside it then do not.
    folders = {item.parts[:-1] for item in rest if item.name.lower().endswith(".ipynb") and not canvas[item]}
    found: list[tuple[Item, Sender | None]] = []
    by_canvas = {item: match for item, match in canvas.items() if match and item.parts[:-1] not in folders}
    plain = [item for item in rest if item not in by_canvas]
    wrappers = _wrappers(plain, assignments)
    for item in items:
        if moodle[item]:
            found.append((item, moodle[item]))
        elif item in by_canvas:
            found.append((item, _from_canvas(by_canvas[item])))
        else:
            found.append((item, _plain(item.parts, wrappers, assignments)))
    return found


def _moodle(parts: tuple[str, ...]) -> Sender | None:
    for part in parts:
        match = _MOODLE.fullmatch(part)
        if match:
            folder = f"{match['name']}_{match['number']}_{match['kind']}"
            name = " ".join(match["name"].split())
            # With blind marking everybody is called so, and the number is all there is.
            name = f"{name} {match['number']}" if name == "Participant" else name
            return Sender(System.MOODLE, name, match["number"], folder=folder, file=match["rest"] or parts[-1])
    return None


def _from_canvas(match: re.Match) -> Sender:
    name = match["name"] or match["user"]
    return Sender(System.CANVAS, name, match["user"], match["file"], bool(match["late"]), file=match["rest"])


def _wrappers(items: list[Item], assignments: list[str]) -> int:
    """Count the folders around all the students' folders: `class/ada/nb.ipynb`, `class/bob/nb.ipynb`."""
    depth = 0
    while True:
        deep = [item.parts for item in items if len(item.parts) > depth + 1]
        if len(deep) < len(items) or len({p[depth] for p in deep}) != 1:
            return depth
        inner = {p[depth + 1] for p in deep if len(p) > depth + 2}
        if len(inner) < 2 or inner & set(assignments):
            return depth
        depth += 1


def _plain(parts: tuple[str, ...], wrappers: int, assignments: list[str]) -> Sender | None:
    inner = parts[wrappers:]
    # nbgrader's own layout, however deep: STUDENT/ASSIGNMENT/file
    for position, part in enumerate(inner[1:-1], 1):
        if part in assignments:
            return Sender(System.PLAIN, inner[position - 1])
    if len(inner) > 1 and inner[0] not in assignments:
        return Sender(System.PLAIN, inner[0])
    if rank_of(inner[-1]) is None and not is_zip(inner[-1]):
        return None
    stem = inner[-1].split(".")[0]
    for assignment in sorted(assignments, key=len, reverse=True):
        stem = stem.replace(assignment, " ")
    name = _COUNTER.sub("", re.sub(r"^[\s_\-]+|[\s_\-]+$", "", stem)).strip(" _-")
    return Sender(System.PLAIN, name) if re.search(r"[^\W\d_]", name) else None


def counter(name: str) -> int:
    """Return the number that a browser, a system or Canvas put behind a name that was taken: 2 for `nb (2).ipynb`."""
    stem = name.split(".ipynb")[0] if ".ipynb" in name else name.rpartition(".")[0] or name
    match = _COUNTER.search(stem) or _COUNTER.search(name)
    return int(match[1] or match[2]) if match else 0


def student_id(name: str, taken: set[str], extra: str = "") -> str:
    """Return an id, made of a name, that nbgrader and every file system accept.

    Args:
        name: A person's name.
        taken: Ids that other people have.
        extra: What is put behind it if it is taken; else a number.

    Returns:
        Small letters without accents where there is such a form, digits and `_`; at most 60 characters.
    """
    split = unicodedata.normalize("NFKD", name.lower().translate(_LETTERS))
    plain = unicodedata.normalize("NFC", "".join(c for c in split if not unicodedata.combining(c)))
    base = re.sub(r"\W+", "_", plain).strip("_")[:60].strip("_") or "student"
    known = {t.lower() for t in taken}
    extra = re.sub(r"\W+", "", extra)[:20]
    chosen = base if base not in known else f"{base}_{extra}" if extra else f"{base}_2"
    number = 2
    while chosen in known:
        number += 1
        chosen = f"{base}_{number}"
    if not STUDENT.fullmatch(chosen):
        raise ValueError(f"{chosen!r} made of {name!r}")
    return chosen
