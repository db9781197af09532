"""Find what was handed in and is not read: a PDF, a document, an archive in an archive.

Mostly it is no part of the work. But where the notebook lacks an answer, the answer may be there, and a person should
look. So these files are named then, and a written answer that is empty waits for a person instead of getting 0.

What comes through `grader collect` has no such files beside it: their names are in a list that it writes.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence, Set
from pathlib import Path

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.errors import GraderError
from grader.core.findings import Finding, Level
from grader.submissions.added import FEWEST, weight
from grader.submissions.cells import How
from grader.submissions.endings import ENDINGS, rank_of
from grader.submissions.file_names import called, named, printable
from grader.submissions.intake import (
    EXPECTED,
    MAX_ARCHIVES,
    MAX_BYTES,
    MAX_CANDIDATES,
    MAX_ENTRIES,
    MAX_PACKED,
    names_in,
    read_bytes,
)
from grader.submissions.packed import entry_parts, is_junk, is_zip, open_packed
from grader.submissions.transplant import Transplant
from grader.submissions.words import how_many

#: The list of the names of files that were handed in beside a notebook and left where they were.
LEFT_ASIDE = "left_aside.list"
#: Kind of the finding that makes a written answer wait for a person.
WAITS = "written-beside"
#: Most names that are kept, and most of them in a sentence; most bytes of the list.
_MOST, _SHOWN, _MOST_LISTED = 50, 5, 2**14
#: Share of the exercises without an answer that are nearly all.
_NEARLY_ALL = 0.75
#: A shorter text may only say where the answer is ("see the PDF").
_BRIEF = 3 * FEWEST


def unread_in(folder: Path, taken: Path | None, words: Set[str]) -> tuple[str, ...]:
    """Return the names of the files in a submission that are not read, as they are shown.

    Args:
        folder: `submitted/<student>/<assignment>`.
        taken: The file that is marked, or the archive it came out of.
        words: What marks a file as the assignment's.
    """
    found, looked_at, opened = list[str](), 0, 0
    for path, shown, is_folder in _entries(folder):
        if shown == LEFT_ASIDE:
            found += _listed(path)
            continue
        if is_folder:
            found.append(f"{shown}/")
        elif is_zip(path.name):
            opened += 1
            found += _unread_inside(path, shown) if opened <= MAX_ARCHIVES else [shown]
        elif path != taken:
            looked_at += rank_of(path.name) is not None
            if not (looked_at <= MAX_CANDIDATES and _is_compared(path, words)):
                found.append(shown)
        if len(found) >= _MOST:
            break
    return tuple(dict.fromkeys(map(printable, found[:_MOST])))


def _entries(folder: Path) -> Iterator[tuple[Path, str, bool]]:
    """Yield files in a folder and in those in it, and the folders deeper in, of which nothing is looked at."""
    places = [(folder, "")]
    while places:
        place, prefix = places.pop(0)
        try:
            names = sorted(names_in(place, MAX_ENTRIES))
        except OSError:
            continue
        for name in names:
            path, shown = place / name, prefix + name
            try:
                status = os.lstat(path)
            except OSError:
                continue
            if is_junk(name) or name.startswith((".", "__")) or name in EXPECTED:
                continue
            if stat.S_ISDIR(status.st_mode) and not prefix:
                places.append((path, f"{name}/"))
            elif stat.S_ISDIR(status.st_mode) or status.st_size:
                yield path, shown, stat.S_ISDIR(status.st_mode)


def _is_compared(path: Path, words: Set[str]) -> bool:
    """Return whether a file holds something of the assignment, so that its answers are compared (`intake.py`)."""
    if rank_of(path.name) is None:
        return False
    try:
        data = read_bytes(path, MAX_BYTES)
    except GraderError:
        return False
    return how_many(data, words) > 0 or rank_of(path.name) == ENDINGS.index(".py")  # a module is no written answer


def _unread_inside(path: Path, shown: str) -> list[str]:
    """Return the files in an archive that are no notebooks; the archive itself if it cannot be opened."""
    try:
        opened = open_packed(read_bytes(path), called(path.name), MAX_PACKED)
    except GraderError:
        return [shown]
    inner = [entry_parts(e) for e in opened.infolist() if not e.is_dir() and e.file_size]
    shut = [p for p in inner if p and rank_of(p[-1]) is None and not any(is_junk(n) or n[0] == "." for n in p)]
    return [f"{shown}/{'/'.join(parts)}" for parts in shut[:_MOST]]


def _listed(path: Path) -> list[str]:
    """Return the names that a list holds; anybody may have written it."""
    try:
        text = read_bytes(path, _MOST_LISTED).decode("utf-8", "replace")
    except GraderError:
        return []
    return [line.strip() for line in text.split("\n") if line.strip()]


def list_of(names: Iterable[str]) -> bytes:
    """Return the list of the files that are left aside, as `unread_in` reads it."""
    lines, room = list[str](), _MOST_LISTED
    for name in list(dict.fromkeys(map(printable, names)))[:_MOST]:
        room -= len(name.encode()) + 1
        lines += [name] if room >= 0 else []
    return "".join(f"{line}\n" for line in lines).encode()


def unread_findings(unread: Sequence[str], release: NotebookNode, done: Transplant) -> Iterator[Finding]:
    """Say which files may hold an answer that the notebook lacks.

    Args:
        unread: The files that are not read.
        release: The released notebook.
        done: The release with the student's answers.
    """
    if not unread:
        return
    files = ", ".join(map(named, unread[:_SHOWN])) + (", ..." if len(unread) > _SHOWN else "")
    lacking = [name for name, how in done.answered.items() if how in (How.UNTOUCHED, How.MISSING)]
    cells = {grade_id(cell): cell for cell in done.notebook.cells}
    for name in (grade_id(cell) for cell in release.cells if kind_of(cell) is CellKind.WRITTEN):
        brief = name not in lacking and name in cells and not cells[name].get("attachments")
        if name and (name in lacking or (brief and weight(cells[name].source.strip()) < _BRIEF)):
            text = (
                f"The written answer ({name}) is empty or very short, and files were handed in that marking does not "
                f"read: {files}. It waits for a person, who looks whether the answer is in one of them. Next time, "
                "write it into its cell of the notebook."
            )
            yield Finding(WAITS, name, text, Level.LOST)
    if len(lacking) >= _NEARLY_ALL * len(done.answered):
        text = (
            f"The notebook that was marked answers {len(done.answered) - len(lacking)} of {len(done.answered)} "
            f"exercises, and files were handed in that marking does not read: {files}. If the work is in one of them, "
            "hand it in again as a notebook."
        )
        yield Finding("files-unread", "", text, Level.LOST)


def waiting(findings: Iterable[Finding]) -> dict[str, str]:
    """Return the written answers that may be in a file that is not read, for a person to look, with what is said."""
    return {finding.where: finding.text for finding in findings if finding.kind == WAITS}
