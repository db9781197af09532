"""Tell the usual submission, one file of the right name, from those whose files have to be compared, and what was seen.

Comparing files takes seconds if somebody wants it to, so it is not done again for a folder that nobody touched.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
from pathlib import Path

from grader.submissions.intake import EXPECTED, MAX_BYTES, MAX_ENTRIES, begins_like_a_zip, names_in


def is_alone(folder: Path, assignment: str, most: int = MAX_BYTES) -> bool:
    """Return whether a folder holds the assignment's notebook, of usual size, and nothing to compare it with.

    Args:
        folder: `submitted/<student>/<assignment>`.
        assignment: Name of the assignment.
        most: Bytes of the largest file that is read.
    """
    exact = folder / f"{assignment}.ipynb"
    with contextlib.suppress(OSError):
        names = names_in(folder, len(EXPECTED) + 2)
        if exact.name not in names or not {exact.name, *EXPECTED}.issuperset(names):
            return False
        # A folder that is called like a file could hold any number of others.
        modes = [stat.S_ISREG(os.lstat(folder / name).st_mode) for name in names]
        places = [stat.S_ISDIR(os.lstat(place).st_mode) for place in (folder.parent, folder)]
        status = os.lstat(exact)
        usual = status.st_nlink == 1 and 0 < status.st_size <= min(most, MAX_BYTES)
        return all(modes) and all(places) and usual and not begins_like_a_zip(exact)
    return False


def traces(folder: Path) -> str:
    """Return a word that changes when anything in a folder does, without opening a file.

    The system itself notes the time of the last change of a file and of its name; no program sets that back.

    Args:
        folder: `submitted/<student>/<assignment>`.

    Returns:
        The word; an empty one, which stands for nothing, if more is there than is looked at.
    """
    digest, found = hashlib.sha256(), entries(folder)
    for path, told in found or ():
        seen = told.st_ino, told.st_size, told.st_mtime_ns, told.st_ctime_ns
        digest.update(repr((os.fsencode(path), *seen)).encode())
    return "" if found is None else digest.hexdigest()


def entries(folder: Path) -> list[tuple[Path, os.stat_result]] | None:
    """List what is in a folder and in those in it, with what the system notes; None if it is more than is looked at.

    Args:
        folder: `submitted/<student>/<assignment>`.
    """
    found, left = list[tuple[Path, os.stat_result]](), MAX_ENTRIES
    for place in (folder, *_folders_in(folder)):
        with contextlib.suppress(OSError):
            names = names_in(place, left + 1)
            left -= len(names)
            for name in sorted(names) if left >= 0 else ():
                found.append((place / name, os.lstat(place / name)))  # where a link leads is not looked at
    return found if left >= 0 else None


def _folders_in(folder: Path) -> list[Path]:
    with contextlib.suppress(OSError):
        places = [folder / name for name in sorted(names_in(folder, MAX_ENTRIES))]
        return [place for place in places if stat.S_ISDIR(os.lstat(place).st_mode)]
    return []
