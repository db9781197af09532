"""Students' folders whose names cannot be ids: the id that stands for such a name, and the table of who is who.

nbgrader and the commands here put an id into paths, patterns of files, addresses of pages and a column of 128 letters,
so a blank, a bracket, an accent that is a character of its own, or a very long name would lead to another place or
nowhere. Such a folder is marked under an id that is made of its name alone: what else lies beside it changes nothing,
and the digest in it keeps apart what looks alike without its accents.
"""

from __future__ import annotations

import contextlib
import csv
import hashlib
import os
import re
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from grader.core.csv_files import csv_text, read_csv
from grader.core.escaping import spelled
from grader.core.files import write_if_changed

#: The table of who is who, beside the folder of submissions.
TABLE = "folders.csv"
_COLUMNS = ("student", "folder")
_LETTERS = str.maketrans({"ß": "ss", "æ": "ae", "ø": "o", "œ": "oe", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"})
#: Letters of the name and of its digest in an id.
_MOST_LETTERS, _DIGEST = 40, 12


def small_letters(name: str) -> str:
    """Return a name in small letters without accents, where there is such a form."""
    split = unicodedata.normalize("NFKD", name.lower().translate(_LETTERS))
    return unicodedata.normalize("NFC", "".join(c for c in split if not unicodedata.combining(c)))


def safe_id(folder: str) -> str:
    """Return the id under which a folder is marked whose name cannot be one.

    Args:
        folder: Its name as the disk has it, letter for letter; names that differ in any byte have different ids.
    """
    letters = re.sub(r"[^a-z0-9]+", "_", small_letters(folder))[:_MOST_LETTERS].strip("_") or "student"
    return f"{letters}-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:_DIGEST]}"


def as_text(folder: str) -> str:
    """Return a folder's name in full with what does not print spelled out, so that no two names look the same."""
    return spelled(folder)


def read_names(submitted: Path) -> dict[str, str]:
    """Read the table of who is who: for each id that was made of a folder's name, the name letter for letter.

    Args:
        submitted: nbgrader's folder of submissions. A table that is missing or unreadable has no rows.
    """
    with contextlib.suppress(OSError, UnicodeError, csv.Error):
        rows = [row.cells for row in read_csv((submitted.parent / TABLE).read_text(encoding="utf-8-sig"))]
        return {row["student"]: row["folder"] for row in rows if all(row.get(c) for c in _COLUMNS)}
    return {}


def read_folders(submitted: Path) -> dict[str, str]:
    """Read the table of who is who as `read_names` does, with each name as text."""
    return {student: as_text(name) for student, name in read_names(submitted).items()}


def write_folders(submitted: Path, folders: Mapping[str, str]) -> None:
    """Enter folders into the table of who is who; rows of folders that are gone stay, since their marks do.

    Args:
        submitted: nbgrader's folder of submissions.
        folders: The names of folders as the disk has them, by the ids that were made of them.
    """
    if not folders:
        return
    known = read_names(submitted) | dict(folders)
    write_if_changed(submitted.parent / TABLE, csv_text([_COLUMNS, *sorted(known.items())]))
