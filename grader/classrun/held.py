"""What lay in a folder of which nothing could be read: else a file that comes later would look like the same."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from grader.core.errors import GraderError
from grader.engine import fingerprints
from grader.submissions.intake import EXPECTED, MAX_ENTRIES, names_in, read_bytes
from grader.submissions.packed import CHECKPOINTS


def held(folder: Path, assignment: str) -> str:
    """Return a word that changes when a file comes to a folder, goes, or is another one under the assignment's name.

    A time that becomes known and the copies of whoever looks into a file in JupyterLab change nothing. Neither does a
    move to another machine, which `traces` would tell.

    Args:
        folder: `submitted/<student>/<assignment>`.
        assignment: Name of the assignment.
    """
    names, size, content, exact = list[str](), 0, b"", folder / f"{assignment}.ipynb"
    with contextlib.suppress(OSError):
        names = sorted({*names_in(folder, MAX_ENTRIES)} - EXPECTED - {CHECKPOINTS})
    with contextlib.suppress(OSError, GraderError):
        size = os.lstat(exact).st_size
        content = read_bytes(exact)
    return fingerprints.fingerprint(*map(os.fsencode, names), str(size).encode(), content)
