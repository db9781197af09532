"""What a record notes of a folder: its files are not compared, and not marked, again as long as that is the same."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from grader.core.errors import GraderError
from grader.core.findings import Level
from grader.engine import fingerprints
from grader.engine.handed import Handed
from grader.submissions.alone import entries, traces
from grader.submissions.intake import EXPECTED, MAX_UNPACKED, read_bytes


def held(folder: Path) -> str:
    """Return a word that changes when a file comes to a folder or to one in it, goes, or is another one.

    A time that becomes known changes nothing. Neither does a move to another machine, which `traces` would tell.

    Args:
        folder: `submitted/<student>/<assignment>`.

    Returns:
        The word; an empty one, which stands for nothing, if more is there than is looked at, or if a file in it is not
        read: one that is too large, or has a second name, could be another one of the same size.
    """
    found, room = entries(folder), MAX_UNPACKED
    if found is None:
        return ""
    parts = list[bytes]()
    for path, told in found:
        if path.parent == folder and path.name in EXPECTED:
            continue
        # How large a folder is depends on the disk.
        size, content = told.st_size if stat.S_ISREG(told.st_mode) else -1, b""
        room -= max(size, 0)
        if size >= 0:
            if room < 0:
                return ""
            try:
                content = read_bytes(path)
            except GraderError:
                return ""
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
    def of(cls, folder: Path) -> Seen:
        """Look at a folder.

        Args:
            folder: `submitted/<student>/<assignment>`.
        """
        return cls(traces(folder), held(folder))


def noticed(handed: Handed) -> str:
    """Return a word for what needs a look of the files that were compared; empty if nothing does.

    A file that comes beside the marked one leaves that the one that counts, and may still have an answer that it lacks.
    Copies that editors keep are left aside without a need for a look, and nobody is marked again for them.

    Args:
        handed: What was handed in.
    """
    looks = [one for one in handed.findings if one.level is not Level.REPAIRED]
    texts = [text.encode() for one in looks for text in (one.kind, one.where, one.text)]
    return fingerprints.fingerprint(*texts) if texts else ""


def noticed_then(record: Mapping[str, Any]) -> str | None:
    """Return the word of `noticed` in a record; None if files were compared by a version that did not note it."""
    # What is alone in its folder has no traces, and nothing is noticed of it.
    found: str | None = record.get("noticed", None if record.get("traces") else "")
    return found


def noted(handed: Handed, seen: Seen) -> dict[str, Any]:
    """Return what a record notes of what was handed in, by whatever it is marked.

    Args:
        handed: What was handed in.
        seen: What its folder looked like before.
    """
    beside = {"unread": list(handed.unread), "noticed": noticed(handed)}
    return seen._asdict() | beside | {"given_up": handed.given_up}
