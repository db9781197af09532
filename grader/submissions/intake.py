"""Choose the file that a student handed in; nothing but plain files is opened, and nothing is changed."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path

from nbformat import NotebookNode

from grader.core.errors import GraderError, NotRead
from grader.core.findings import Finding, Level
from grader.submissions.choosing import findings as said_of
from grader.submissions.endings import ENDINGS, rank_of
from grader.submissions.file_names import called, is_safe, named, printable
from grader.submissions.likely import ZIP, Answered, Aside, Candidate, Seen, with_answers
from grader.submissions.packed import (
    CHECKPOINTS,
    Entry,
    entry_seconds,
    is_junk,
    is_zip,
    likeliest_in,
    listed_in,
    open_packed,
    read_entry,
)
from grader.submissions.packed import kind_of_file as _what
from grader.submissions.slimming import slimmed
from grader.submissions.words import of_course, words_of

#: Largest file that is read as a whole, in bytes. A notebook of the course with all its figures has 1 MB.
MAX_BYTES = 25 * 2**20
#: Largest file that is read at all: a larger one than the above as a stream, without its outputs.
MAX_SLIMMED = 256 * 2**20
#: Most archives of a submission that are looked into, most files in one, and most bytes that are read of all of them.
MAX_ARCHIVES, MAX_PACKED, MAX_UNPACKED = 3, 200, 4 * MAX_BYTES
#: Most files in an archive of which those are opened that have the assignment's name, as in one of the whole course.
MAX_LISTED = 20_000
#: Most entries of a folder that are looked at, and most candidates whose content is compared.
MAX_ENTRIES, MAX_CANDIDATES = 1000, 20

_HARD_LINK = "the file has a second name on this disk (a hard link), which may be anybody's file"
#: No link is followed, no pipe waited for. Systems without such a flag have no such file.
_FLAGS = os.O_RDONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)
#: What nbgrader and others write into a submission's folder.
EXPECTED = {"timestamp.txt", "submitted_at.txt"}


@dataclass(frozen=True)
class Found:
    """What stands for a student's submission.

    Args:
        path: The file to read, or None.
        findings: What was taken, left and refused.
        packed: What was taken out of an archive, if `path` is one.
    """

    path: Path | None
    findings: list[Finding] = field(default_factory=list)
    packed: bytes | None = field(default=None, repr=False)


def find_submission(
    folder: Path,
    assignment: str,
    source: NotebookNode | None = None,
    answered: Answered | None = None,
    most: int = MAX_SLIMMED,
) -> Found:
    """Choose the notebook of a submission.

    Args:
        folder: `submitted/<student>/<assignment>`; nothing in it is changed.
        assignment: Name of the assignment; of files with as many answers, `<assignment>.ipynb` is taken.
        source: The assignment's source notebook, to recognise files by their content; by default the course's own.
        answered: Finds the answers in a file, for the one with most of them. Without it the right name counts.
        most: Bytes of the largest file that is read.

    Returns:
        The file, or None with the reason.
    """
    findings: list[Finding] = []
    for place in (folder.parent, folder):
        try:
            mode = os.lstat(place).st_mode
        except OSError:
            return Found(None, [_lost("nothing-handed-in", assignment, "There is no folder of this submission.")])
        if not stat.S_ISDIR(mode):
            text = f"{called(place.name)} is {_what(mode)} and not a folder, so nothing in it was read."
            return Found(None, [_refused(place.name, text)])
    everything = candidates_in(folder, assignment, findings, most)
    exact = f"{assignment}.ipynb"
    archives = [c for c in everything if is_zip(c.shown)]
    candidates = [c for c in everything if not is_zip(c.shown)]
    if [c.shown for c in everything] == [exact] and not begins_like_a_zip(everything[0].path):
        return Found(everything[0].path, findings)
    words = words_of(source if source is not None else of_course(assignment))
    ranked = sorted(candidates, key=lambda c: (c.shown != exact, c.rank, -c.changed, c.shown))
    if len(ranked) > MAX_CANDIDATES:
        text = f"The submission holds {len(ranked)} files that could be notebooks; {MAX_CANDIDATES} of them were read."
        findings.append(Finding("too-many-files", assignment, text))
        ranked = ranked[:MAX_CANDIDATES]
    look_into = partial(_look_into, words=words, exact=exact, most=most)
    seen = look_into(ranked)
    archives += [s.candidate for s in seen if s.zipped]
    seen = [s for s in seen if not s.zipped]
    if len(seen) > 1 or archives:
        seen = with_answers(seen, answered)
    aside = Aside()
    if archives:
        seen, aside = _with_archives(seen, archives, answered, look_into, findings, assignment)
    return _best_of(seen, exact, assignment, bool(words), findings, aside)


def _look_into(candidates: Iterable[Candidate], words: Set[str], exact: str, most: int) -> list[Seen]:
    return [Seen.of(c, partial(_read, c, most), words, exact) for c in candidates]


def _with_archives(
    seen: list[Seen],
    archives: Sequence[Candidate],
    answered: Answered | None,
    look_into: Callable[[Iterable[Candidate]], list[Seen]],
    findings: list[Finding],
    assignment: str,
) -> tuple[list[Seen], Aside]:
    """Open the newest archives. Beside a complete notebook, what is in them does not count and is only compared.

    Returns:
        The files of which one counts, and what does not.
    """
    archives = sorted(archives, key=lambda c: (-c.changed, c.shown))
    complete = any(s.score and (s.answered.complete if s.answered else not answered) for s in seen)
    # Beside a complete notebook nobody needs the pictures in an archive, but another notebook in it may be meant.
    likely = [c for c in archives if answered and names_a_notebook(c)] if complete else archives
    opened = likely[:MAX_ARCHIVES]
    inside = unpacked(opened, findings, assignment if complete else None)
    inner = with_answers(look_into(inside.found), answered)
    unopened = [c for c in archives if c not in opened]
    shut = [c.shown for c in (*inside.cut, *unopened) if answered and names_a_notebook(c)]
    shown = [c.shown for c in unopened]
    return (seen, Aside(inner, shown, shut)) if complete else ([*seen, *inner], Aside([], shown, shut))


def _best_of(
    seen: list[Seen], exact: str, assignment: str, known: bool, findings: list[Finding], aside: Aside
) -> Found:
    """Choose the file that counts, and say what was left aside, archives that nobody opened among it."""
    if not seen:
        text = "There is no file in this submission that could be a notebook."
        return Found(None, [*findings, _lost("nothing-handed-in", assignment, text)])
    best, first = max(seen, key=lambda s: s.likely), max(seen, key=lambda s: s.by_name)
    taken = best.candidate
    if known and best.score == 0 and taken.shown != exact and taken.rank >= ENDINGS.index(".json"):
        text = f"No file in this submission holds anything of {assignment}."
        return Found(None, [*findings, _lost("nothing-handed-in", assignment, text)])
    if first is not best and first.named and not first.answered:
        text = f"{exact} is the release without any answer; {named(taken.shown)}, which holds answers, was marked."
        findings.append(Finding("answered-file-taken", named(taken.shown), text))
    elif first is not best and first.answered:
        pass  # which has fewer answers, as is said below
    elif taken.packed is not None:
        text = f"An archive was handed in and not a notebook; {named(taken.shown)} was taken out of it."
        findings.append(Finding("unpacked", named(taken.shown), text))
    elif taken.shown != exact:
        text = f"There was no usable file named {exact}; {named(taken.shown)} was taken instead."
        findings.append(Finding("other-file-taken", named(taken.shown), text))
    likelier, seen = ENDINGS.index(".json"), [*seen, *aside.compared]
    left = [s.candidate.shown for s in seen if s is not best and (s.score or s.candidate.rank < likelier)]
    left += aside.unopened
    if left:
        text = f"{named(taken.shown)} was marked; also handed in and left aside: {', '.join(map(named, left[:10]))}."
        findings.append(Finding("files-left", named(taken.shown), text))
    if any(s.answered is not None for s in seen):
        others = [s for s in seen if s is not best and s.score]
        place = others.index(first) if first in others else None
        saved = [n for n, s in enumerate(others) if s.candidate.path.parent.name == CHECKPOINTS]
        left_aside = [(s.shown, s.answered) for s in others]
        findings += said_of((best.shown, best.answered), left_aside, place, saved, [*map(named, aside.shut)])
    return Found(taken.path, findings, taken.packed)


def begins_like_a_zip(path: Path) -> bool:
    """Return whether a file that is named like a notebook is a zip file."""
    with contextlib.suppress(OSError):
        handle = os.open(path, _FLAGS)
        try:
            return os.read(handle, len(ZIP)) == ZIP
        finally:
            os.close(handle)
    return False


def names_a_notebook(archive: Candidate) -> bool:
    """Return whether an archive lists a notebook, whether it can be opened or not; Jupyter's own copies are none."""
    with contextlib.suppress(GraderError):
        for parts in listed_in(_content(archive)):
            if parts and ".ipynb" in parts[-1].lower() and not any(map(is_junk, parts)):
                return True
    return False


def _content(archive: Candidate) -> bytes:
    return read_bytes(archive.path) if archive.packed is None else archive.packed


@dataclass
class Unpacked:
    """What was taken out of archives.

    Args:
        found: What could be notebooks.
        cut: The archives with notebooks in them that nobody read: together they hold more than is read.
        narrowed: Those with so many files that only the notebooks with the assignment's name were read.
        unread: Those that are refused, or in which a notebook is.
    """

    found: list[Candidate] = field(default_factory=list)
    cut: Sequence[Candidate] = ()
    narrowed: list[Candidate] = field(default_factory=list)
    unread: list[Candidate] = field(default_factory=list)


def unpacked(archives: Sequence[Candidate], findings: list[Finding], assignment: str | None) -> Unpacked:
    """Take what could be notebooks out of archives that a student handed in; an archive in an archive stays packed.

    Args:
        archives: The archives, the likeliest first.
        findings: What was refused is added to them.
        assignment: If an archive holds too much, notebooks with this name are read of it; None for the likeliest files.
    """
    taken = Unpacked()
    found = taken.found
    room = MAX_UNPACKED
    for number, archive in enumerate(archives):
        try:
            opened, likely, narrowed = _opened(archive, assignment)
        except GraderError as error:
            findings.append(_lost("file-refused", archive.shown, f"{named(archive.shown)} was not read: {error.what}."))
            taken.unread.append(archive)
            continue
        taken.narrowed += [archive] if narrowed else []
        for rank, parts, entry in likely:
            shown = f"{archive.shown}/{printable('/'.join(parts))}"
            if not all(map(is_safe, parts)):
                findings.append(_odd_name(shown))
                continue
            room -= min(entry.file_size, MAX_SLIMMED)
            if room < 0 or len(found) == MAX_CANDIDATES:
                text = f"{named(archive.shown)} holds more than is read of an archive; the rest of it was left out."
                findings.append(Finding("too-many-files", named(archive.shown), text))
                taken.cut = archives[number if rank < ENDINGS.index(".json") else number + 1 :]
                return taken
            try:
                data = read_entry(opened, entry, named(shown), MAX_BYTES, MAX_SLIMMED)
            except GraderError as error:
                findings.append(_lost("file-refused", shown, f"{named(shown)} was not read: {error.what}."))
                taken.unread += [archive] if rank < ENDINGS.index(".json") else []
                continue
            found.append(Candidate(archive.path, shown, rank, entry_seconds(entry), data))
    return taken


def _opened(archive: Candidate, assignment: str | None) -> tuple[zipfile.ZipFile, list[Entry], bool]:
    """Open an archive and list what could be a notebook in it.

    Returns:
        The archive, what is to be read of it, and whether that is only what has the assignment's name, of too much.

    Raises:
        GraderError: If it holds too many files for any of them to be read, or cannot be opened.
    """
    data, name = _content(archive), named(archive.shown)
    if assignment is None:
        opened = open_packed(data, name, MAX_PACKED)
        return opened, likeliest_in(opened), False
    opened = open_packed(data, name, MAX_LISTED)
    likely = likeliest_in(opened)
    notebooks = [one for one in likely if one[0] < ENDINGS.index(".json")]
    ours = [one for one in notebooks if any(assignment in part for part in one[1])]
    if not ours:
        return open_packed(data, name, MAX_PACKED) if len(opened.infolist()) > MAX_PACKED else opened, likely, False
    narrowed = len(opened.infolist()) > MAX_PACKED or len(notebooks) > MAX_CANDIDATES
    return opened, ours if narrowed else likely, narrowed


def _read(candidate: Candidate, most: int) -> bytes:
    try:
        return candidate.packed if candidate.packed is not None else read_notebook(candidate.path, most)
    except GraderError:
        return b""


def read_bytes(path: Path, most: int = MAX_BYTES) -> bytes:
    """Read a regular file of bounded size; never follow a link or wait for a pipe.

    Args:
        path: The file.
        most: Bytes of the largest file that is read.

    Raises:
        GraderError: If it is anything else.
    """
    return b"".join(_pieces(path, most))


def read_notebook(path: Path, most: int = MAX_SLIMMED) -> bytes:
    """Read a file like `read_bytes`; a larger one is read as a stream, and its outputs are left out.

    Args:
        path: The file.
        most: Bytes of the largest file that is read.

    Raises:
        GraderError: If it is no regular file, larger, or too large without its outputs.
    """
    pieces = _pieces(path, max(most, MAX_BYTES))
    if path.lstat().st_size <= MAX_BYTES:
        return b"".join(pieces)
    return slimmed(pieces, MAX_BYTES, called(path.name))


def _pieces(path: Path, most: int) -> Iterator[bytes]:
    fix, shown = "hand in the notebook itself, as a file", called(path.name)
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        what = "a link" if error.errno == errno.ELOOP else f"not readable ({os.strerror(error.errno or 0)})"
        raise NotRead(f"the file is {what}", shown, fix) from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise NotRead(f"this is {_what(status.st_mode)}, not a file", shown, fix)
        if status.st_nlink > 1:
            raise NotRead(_HARD_LINK, shown, "copy the submissions; do not link them")
        if status.st_size > most:
            text = f"the file has more than {most // 2**20} MB"
            raise NotRead(text, shown, "clear the outputs and save")
        room = most  # it may grow while it is read
        while room > 0 and (piece := os.read(handle, min(room, 2**20))):
            yield piece
            room -= len(piece)
    except OSError as error:
        raise GraderError(f"the file cannot be read: {error.strerror}", shown, fix) from None
    finally:
        os.close(handle)


def _refused(name: str, text: str) -> Finding:
    return Finding("file-refused", called(name), text, Level.SUSPICIOUS)


def _odd_name(shown: str) -> Finding:
    text = f"The name of {named(shown)} holds characters that a file's name should not hold; it was not opened."
    return _refused(shown, text)


def _lost(kind: str, where: str, text: str) -> Finding:
    return Finding(kind, named(where), text, Level.LOST)


def candidates_in(folder: Path, assignment: str, findings: list[Finding], most: int) -> list[Candidate]:
    """List the files that could be the notebook, in the folder and one folder deeper."""
    found: list[Candidate] = []
    seen = 0
    places: list[tuple[Path, str]] = [(folder, "")]
    while places:
        place, prefix = places.pop(0)
        try:
            listed = names_in(place, MAX_ENTRIES + 1 - seen)  # one more shows that there are too many
        except OSError:
            findings.append(_refused(place.name, f"The folder {called(place.name)} cannot be read."))
            continue
        looked_at, seen = listed[: MAX_ENTRIES - seen], seen + len(listed)
        # The file of the right name is looked up by its name, however many others there are.
        names = sorted({*looked_at, *([f"{assignment}.ipynb"] if not prefix else [])})
        for name in names:
            path = place / name
            try:
                status = os.lstat(path)
            except OSError:
                continue
            shown = prefix + printable(name)
            if stat.S_ISDIR(status.st_mode):
                visible = name == CHECKPOINTS or not name.startswith((".", "__"))
                if not prefix and visible and is_safe(name):
                    places.append((path, shown + "/"))
                elif not prefix and visible:
                    findings.append(_odd_name(shown))
                continue
            candidate = _candidate(path, shown, status, findings, most)
            if candidate is not None:
                found.append(candidate)
    if seen > MAX_ENTRIES:
        text = f"The submission holds more than {MAX_ENTRIES} files; the rest was not looked at."
        findings.append(Finding("too-many-files", assignment, text))
    return found


def names_in(folder: Path, most: int) -> list[str]:
    """List the entries of a folder, no more than a number of them."""
    with os.scandir(folder) as scan:
        return [entry.name for entry in islice(scan, max(most, 0))]


def _candidate(path: Path, shown: str, status: os.stat_result, findings: list[Finding], most: int) -> Candidate | None:
    """Judge one entry that is not a folder; what is refused is named in a finding."""
    name = path.name
    if name.startswith(("._", ".~")) or name in EXPECTED:  # a Mac's and an editor's companions of a file
        return None
    if not stat.S_ISREG(status.st_mode):
        findings.append(
            _refused(shown, f"{named(shown)} is {_what(status.st_mode)} and not a file; it was not opened.")
        )
        return None
    rank = len(ENDINGS) if is_zip(name) else rank_of(name)
    if rank is None:
        return None
    if not is_safe(name):
        findings.append(_odd_name(shown))
        return None
    if status.st_nlink > 1:
        text = f"{named(shown)} was not opened: {_HARD_LINK}. Copy the submissions instead of linking them."
        findings.append(_refused(shown, text))
        return None
    largest = MAX_BYTES if is_zip(name) else most
    if status.st_size > largest:
        text = (
            f"{named(shown)} has more than {largest // 2**20} MB and was not read; clear the outputs and save it again."
        )
        findings.append(Finding("file-refused", named(shown), text, Level.LOST))
        return None
    if status.st_size == 0:
        findings.append(Finding("file-empty", named(shown), f"{named(shown)} is empty."))
        return None
    if path.parent.name == CHECKPOINTS:
        rank += len(ENDINGS)
    return Candidate(path, shown, rank, status.st_mtime)
