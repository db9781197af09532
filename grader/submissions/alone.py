"""Tell the usual submission, one file of the right name, from those whose files have to be compared."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from grader.submissions.intake import EXPECTED, MAX_BYTES, begins_like_a_zip, names_in


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
