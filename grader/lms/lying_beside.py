"""What lies beside a submission whose place another attempt takes: marking would compare it with the new one.

Somebody put it there by hand, as a correction that came by mail, or an editor did. It is of the attempt that was there.
Beside the next one an older file could count, since it has more answers.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import NamedTuple

from grader.core.errors import GraderError
from grader.core.escaping import printable_line
from grader.lms.journal import Attempt, State
from grader.lms.platforms import System
from grader.submissions.endings import ENDINGS
from grader.submissions.file_names import named
from grader.submissions.intake import (
    MAX_ARCHIVES,
    MAX_SLIMMED,
    MAX_UNPACKED,
    begins_like_a_zip,
    candidates_in,
    names_a_notebook,
    read_bytes,
    read_notebook,
    unpacked,
)
from grader.submissions.likely import ZIP, Candidate
from grader.submissions.packed import CHECKPOINTS, is_zip
from grader.submissions.words import how_many

_SHOWN = 5  # names in one line


#: The name of a file, and its content without outputs if it is a large one.
Held = tuple[str, bytes]


class Inside(NamedTuple):
    """What there is to compare in a file.

    Args:
        held: The file itself, or the notebooks in an archive.
        shut: Whether it is an archive that may hold a notebook which nobody has read.
    """

    held: tuple[Held, ...] = ()
    shut: bool = False


class Lying(NamedTuple):
    """A file beside a submission.

    Args:
        path: Where it is.
        row: What `collected.csv` says of it from now on; `file` is to be filled in.
        data: Its content.
        inside: What there is to compare in it.
    """

    path: Path
    row: Attempt
    data: bytes
    inside: Inside

    @property
    def suffix(self) -> str:
        """The ending under which it is kept."""
        if begins_like_a_zip(self.path):
            return ".zip"
        suffix = self.path.suffix.lower()
        return suffix if suffix and (suffix in ENDINGS or is_zip(suffix)) else ".ipynb"

    @property
    def is_copy(self) -> bool:
        """Whether it is a copy that Jupyter kept, which nobody put there."""
        return self.path.parent.name == CHECKPOINTS


def lying_beside(
    folder: Path, student: str, assignment: str, words: Set[str], before: Path, comes: Path
) -> Iterator[Lying]:
    """Find the files in a folder whose answers marking would compare; what holds nothing of the assignment is none.

    What lies where the next attempt comes is found whatever it holds, as it is written over.

    Args:
        folder: `submitted/<student>/<assignment>`.
        student: nbgrader's id.
        assignment: Which assignment.
        words: What marks a file as the assignment's.
        before: What was in the place until now.
        comes: Where the next attempt comes.

    Raises:
        GraderError: If what lies there cannot be read within bounds.
    """
    found, room = list[Candidate](), MAX_UNPACKED
    for one in candidates_in(folder, assignment, [], MAX_SLIMMED):
        room -= one.path.lstat().st_size
        if one.path not in (before, comes) and room >= 0:  # what is left is compared by marking, which names it
            found.append(one)
    archives = [one for one in found if is_zip(one.shown) or begins_like_a_zip(one.path)]
    plain = [(one.path, one.shown, _inside(one, words)) for one in found if one not in archives]
    for path, shown, inside in (*plain, *_in_archives(archives, assignment, words)):
        if any(inside):
            with contextlib.suppress(GraderError):  # it has changed meanwhile
                yield _lying(path, shown, inside, student, assignment)
    if comes != before and any(inside := _at(comes)):
        yield _lying(comes, comes.name, inside, student, assignment)


def _lying(path: Path, shown: str, inside: Inside, student: str, assignment: str) -> Lying:
    data = read_bytes(path, MAX_SLIMMED)
    digest = hashlib.sha256(data).hexdigest()
    row = Attempt(student, assignment, State.EARLIER, digest, "", system=System.FOUND, name=shown)
    return Lying(path, row, data, inside)


def _inside(one: Candidate, words: Set[str]) -> Inside:
    """Return a file, without its outputs if it is a large one, if it holds something of the assignment."""
    with contextlib.suppress(GraderError):
        data = read_notebook(one.path)
        return Inside(((one.shown, data),) if how_many(data, words) else ())
    return Inside()


def _at(comes: Path) -> Inside:
    """Return the file that is written over; an archive is not opened for that."""
    if not comes.is_file() or comes.is_symlink() or not comes.stat().st_size:
        return Inside()
    with contextlib.suppress(GraderError):
        return Inside(shut=True) if begins_like_a_zip(comes) else Inside(((comes.name, read_notebook(comes)),))
    return Inside(shut=True)


def held_in(name: str, data: bytes, assignment: str, words: Set[str]) -> Inside:
    """Return what there is to compare in a file, by its first bytes and not by its name.

    Args:
        name: Of the file.
        data: Its content.
        assignment: Which assignment.
        words: What marks a file as the assignment's.
    """
    if not data.startswith(ZIP):
        return Inside(((name, data),))
    ((*_, inside),) = _in_archives([Candidate(Path(name), name, 0, 0.0, data)], assignment, words)
    return inside


def _in_archives(archives: Sequence[Candidate], assignment: str, words: Set[str]) -> Iterator[tuple[Path, str, Inside]]:
    """Open as many archives as marking does; the others, and those that cannot be read, may hold a notebook, too."""
    newest = sorted(archives, key=lambda one: (-one.changed, one.shown))
    taken = unpacked(newest[:MAX_ARCHIVES], [], assignment)
    for number, archive in enumerate(newest):
        packed = [(one.shown, one.packed or b"") for one in taken.found if one.path == archive.path]
        # An archive in an archive stays packed: one can hold itself.
        held = tuple(one for one in packed if not one[1].startswith(ZIP) and how_many(one[1], words))
        unsure = number >= MAX_ARCHIVES or archive in (*taken.cut, *taken.unread, *(() if held else taken.narrowed))
        yield archive.path, archive.shown, Inside(held, unsure and names_a_notebook(archive))


def holds_others(place: Path, known: Mapping[str, Set[str]]) -> bool:
    """Return whether submissions are there under an id, other than a run that was cut short could have left.

    Args:
        place: `submitted/<student>`.
        known: Digests of what comes now, by assignment.
    """
    for folder in sorted(place.glob("*/")):
        paths = {one.path for one in candidates_in(folder, folder.name, [], MAX_SLIMMED)}
        for path in sorted(paths.union(folder.glob(f"{folder.name}.*"))):
            try:
                digest = hashlib.sha256(read_bytes(path, MAX_SLIMMED)).hexdigest()
            except GraderError:
                return True
            if digest not in known.get(folder.name, ()):
                return True
    return False


def newly_kept(found: Iterable[Lying], known: Mapping[str, Attempt], comes: str) -> list[Lying]:
    """Return what was not kept before, each content once; a row that did not say where its file is says so now.

    Args:
        found: What lay beside, with the places of the copies.
        known: The student's rows by the digests of their files.
        comes: Digest of the file that counts now.
    """
    kept = dict[str, Lying]()
    for one in found:
        row = known.get(one.row.sha256, one.row)
        if one.row.sha256 not in (comes, *kept) and (row is one.row or not row.file):
            row.file = one.row.file
            kept[row.sha256] = one._replace(row=row)
    return [*kept.values()]


def take_away(path: Path, folder: Path) -> None:
    """Remove a file that is kept elsewhere, with the folder around it if nothing else is in that."""
    path.unlink(missing_ok=True)
    if path.parent != folder:
        with contextlib.suppress(OSError):  # others are in it
            path.parent.rmdir()


def note_of(found: Collection[Lying]) -> list[str]:
    """Say which files are kept that lay beside an attempt."""
    if not found:
        return []
    names = [f"{named(printable_line(one.row.name))} as {named(printable_line(one.row.file))}" for one in found]
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return [f"what lay beside that attempt is kept, too: {', '.join(names[:_SHOWN])}{more}"]
