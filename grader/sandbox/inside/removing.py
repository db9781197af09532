"""Remove a folder that a student's code could write to, however it is nested."""

from __future__ import annotations

import contextlib
import itertools
import os
import stat
import tempfile
from collections.abc import Iterator

#: Names read at a time, so that a folder of a million files costs no memory.
_AT_ONCE = 10_000


def remove_tree(folder: str) -> bool:
    """Remove a folder with all that is in it. Symbolic links are removed, not followed.

    `shutil.rmtree` calls itself for each level: a student who nests a thousand folders ends whoever cleans up after
    it, and paths become too long for the system. Here every folder inside is first moved to the top.

    Args:
        folder: The folder. No process may be writing to it any more.

    Returns:
        True if nothing of it is left.
    """
    with contextlib.suppress(OSError):
        os.chmod(folder, stat.S_IRWXU)
        top = tempfile.mkdtemp(dir=folder)
        numbers = itertools.count()
        waiting = [folder]
        while waiting:
            current = waiting.pop()
            waiting += _emptied(current, top, numbers)
            if current != folder:
                os.rmdir(current)
        os.rmdir(top)
        os.rmdir(folder)
    return not os.path.lexists(folder)


def _emptied(folder: str, top: str, numbers: Iterator[int]) -> list[str]:
    """Remove the files of a folder, move the folders in it to `top` and return where they are now."""
    moved: list[str] = []
    while True:
        with os.scandir(folder) as entries:
            some = list(itertools.islice((e for e in entries if e.path != top), _AT_ONCE))
        if not some:
            return moved
        for entry in some:
            if entry.is_dir(follow_symlinks=False):
                os.chmod(entry.path, stat.S_IRWXU)  # what is moved has to be writable itself
                moved.append(os.path.join(top, str(next(numbers))))
                os.rename(entry.path, moved[-1])
            else:
                os.unlink(entry.path)
