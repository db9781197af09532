"""One collect at a time: each reads the tables when it begins and writes them as a whole when it ends."""

from __future__ import annotations

import errno
import fcntl
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from grader.core.errors import GraderError

logger = logging.getLogger(__name__)

#: Seconds for which a collect waits for another one: that of a class takes less.
WAIT_S = 30.0
_LOOK_S = 0.1  # between two looks
_NAME = ".collecting"
_HELD = (errno.EACCES, errno.EAGAIN)


@contextmanager
def alone(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """Wait until nobody else collects into a folder, and keep others waiting meanwhile.

    The file stays, but what it stands for ends with the process, however that ends. A process that this one begins does
    not have it, so none that is left over keeps anybody waiting.

    Args:
        folder: That of `students.csv` and `collected.csv`.
        say: Receives a line if it has to wait.

    Raises:
        GraderError: If the other one takes too long.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _NAME).open("ab") as file:
        deadline, waits = time.monotonic() + WAIT_S, False
        while not _taken(file.fileno()):
            if not waits:
                say("another `grader collect` is running in this course: waiting for it ...")
            elif time.monotonic() > deadline:
                fix = "nothing was taken: start this command again when the other one has ended"
                raise GraderError("another `grader collect` is still running in this course", str(folder), fix)
            waits = True
            time.sleep(_LOOK_S)
        yield


def _taken(descriptor: int) -> bool:
    try:
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            return False
        logger.warning(
            "nothing keeps two collects apart here: %s", error.strerror
        )  # some network folders have no locks
    return True
