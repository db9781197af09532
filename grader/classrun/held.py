"""What lies in a folder whose files had to be compared: they are not compared again as long as it is the same."""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path
from typing import NamedTuple

from grader.core.errors import GraderError
from grader.engine import fingerprints
from grader.submissions.alone import entries, traces
from grader.submissions.intake import EXPECTED, MAX_UNPACKED, read_bytes


def held(folder: Path, assignment: str) -> str:
    """Return a word that changes when a file comes to a folder or to one in it, goes, or is another one.

    A time that becomes known changes nothing. Neither does a move to another machine, which `traces` would tell.

    Args:
        folder: `submitted/<student>/<assignment>`.
        assignment: Name of the assignment.

    Returns:
        The word; an empty one, which stands for nothing, if more is there than is looked at.
    """
    found, room = entries(folder), MAX_UNPACKED
    if found is None:
        return ""
    # The assignment's own file first: of others, there may be more than is read.
    found.sort(key=lambda entry: entry[0] != folder / f"{assignment}.ipynb")
    parts = list[bytes]()
    for path, told in found:
        if path.parent == folder and path.name in EXPECTED:
            continue
        # How large a folder is depends on the disk.
        size, content = told.st_size if stat.S_ISREG(told.st_mode) else -1, b""
        room -= max(size, 0)
        if size >= 0 and room >= 0:
            with contextlib.suppress(GraderError):
                content = read_bytes(path)
        kind = str(stat.S_IFMT(told.st_mode)).encode()
        name = os.fsencode(path.relative_to(folder))
        parts += [name, kind, str(size).encode(), fingerprints.fingerprint(content).encode()]
    return fingerprints.fingerprint(*parts)


class Seen(NamedTuple):
    """What a record notes of a folder whose files are compared, from before any of them is chosen.

    Args:
        traces: Of `traces`, at no cost, for this machine.
        held: Of `held`, for any.
    """

    traces: str = ""
    held: str = ""

    @classmethod
    def of(cls, folder: Path, assignment: str) -> Seen:
        """Look at a folder.

        Args:
            folder: `submitted/<student>/<assignment>`.
            assignment: Name of the assignment.
        """
        return cls(traces(folder), held(folder, assignment))
