"""Temporary folders that disappear even if the process that made them is killed: the next one removes them."""

from __future__ import annotations

import contextlib
import fcntl
import logging
import os
import stat
import tempfile
from pathlib import Path

from grader.sandbox.inside.removing import remove_tree

_log = logging.getLogger(__name__)
_PREFIX = "marking-"
#: A file in each folder made here. Somebody's own folder with the same prefix does not have it and is left alone.
_MADE_HERE = ".made-by-the-grader"


class LockedFolder:
    """A temporary folder that its maker holds a lock on for as long as it lives; the kernel drops it with the process.

    Making one removes those of this user whose makers are gone.
    """

    def __init__(self) -> None:
        remove_abandoned()
        # It gets the name that others look for only once it is locked: nobody finds it in between and takes it away.
        made = tempfile.mkdtemp(prefix=f"new-{_PREFIX}")
        self._lock = os.open(made, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        Path(made, _MADE_HERE).touch()
        self.path = str(Path(made).with_name(Path(made).name.removeprefix("new-")))
        os.rename(made, self.path)

    def remove(self) -> None:
        """Remove the folder and let go of the lock."""
        remove_tree(self.path)
        os.close(self._lock)


def remove_abandoned() -> list[Path]:
    """Remove the folders of this user whose makers are gone.

    Returns:
        What was removed.
    """
    removed = []
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # removed or locked by another process meanwhile
            seen = path.lstat()
            if not stat.S_ISDIR(seen.st_mode) or seen.st_uid != os.getuid() or not (path / _MADE_HERE).is_file():
                continue
            lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove_tree(str(path))
                removed.append(path)
                _log.info("removed %s, whose process had been killed", path)
            finally:
                os.close(lock)
    return removed
