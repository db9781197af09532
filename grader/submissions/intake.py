"""Choose the file that a student handed in; nothing but plain files is opened, and nothing is changed."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

from nbformat import NotebookNode

from grader.core.errors import GraderError, NotRead
from grader.core.findings import Finding, Level
from grader.submissions.choosing import Answers, File, counted
from grader.submissions.choosing import findings as said_of
from grader.submissions.file_names import called, is_safe, named, printable
from grader.submissions.packed import (
    CHECKPOINTS,
    entry_parts,
    entry_seconds,
    is_folder,
    is_junk,
    is_link,
    is_zip,
    leads_out,
    open_packed,
    read_entry,
)
from grader.submissions.packed import kind_of_file as _what
from grader.submissions.slimming import slimmed
from grader.submissions.words import how_many, of_course, words_of

#: Largest file that is read as a whole, in bytes. A notebook of the course with all its figures has 1 MB.
MAX_BYTES = 25 * 2**20
#: Largest file that is read at all: a larger one than the above as a stream, without its outputs.
MAX_SLIMMED = 256 * 2**20
#: Most archives of a submission that are looked into, most files in one, and most bytes that are read of all of them.
MAX_ARCHIVES, MAX_PACKED, MAX_UNPACKED = 3, 200, 4 * MAX_BYTES
#: Most entries of a folder that are looked at, and most candidates whose content is compared.
MAX_ENTRIES, MAX_CANDIDATES = 1000, 20

_HARD_LINK = "the file has a second name on this disk (a hard link), which may be anybody's file"
#: Endings of what could be a notebook, the likeliest first.
ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json", ".json", ".py", ".txt", "")
#: No link is followed, no pipe waited for. Systems without such a flag have no such file.
_FLAGS = os.O_RDONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)
_ZIP = b"PK\x03\x04"
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


@dataclass(frozen=True)
class _Candidate:
    path: Path
    shown: str
    rank: int  # of its ending; smaller is likelier
    changed: float
    packed: bytes | None = None

    def read(self, most: int) -> bytes:
        """Return its content; empty if it cannot be read."""
        try:
            return self.packed if self.packed is not None else read_notebook(self.path, most)
        except GraderError:
            return b""


#: Finds the answers in a file, by its content and its name.
Answered = Callable[[bytes, str], Answers]


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
    seen = [_Seen.of(c, words, exact, most) for c in ranked]
    archives += [s.candidate for s in seen if s.zipped]
    seen = [s for s in seen if not s.zipped]
    if len(seen) > 1 or archives:
        seen = _counted(seen, answered, most)
    archives.sort(key=lambda c: (-c.changed, c.shown))
    opened = 0
    if archives and not any(s.score and (s.answered.complete if s.answered else not answered) for s in seen):
        opened = MAX_ARCHIVES
        inner = [_Seen.of(c, words, exact, most) for c in unpacked(archives[:opened], findings)]
        seen = [*seen, *_counted(inner, answered, most)]
    return _best_of(seen, exact, assignment, bool(words), findings, [c.shown for c in archives[opened:]])


@dataclass(frozen=True)
class _Seen:
    """A candidate and what is in it.

    Args:
        candidate: The file.
        score: How many words of the assignment it holds.
        named: Whether it has the right name.
        zipped: Whether it is an archive that is named like a notebook.
        digest: Of its content.
        size: Its bytes.
        answered: What is answered in it; None if nobody counted.
    """

    candidate: _Candidate
    score: int
    named: bool
    zipped: bool
    digest: str
    size: int
    answered: Answers | None = None

    @classmethod
    def of(cls, candidate: _Candidate, words: frozenset[str], exact: str, most: int) -> _Seen:
        """Look into a file."""
        data = candidate.read(most)
        digest = hashlib.sha256(data).hexdigest()
        return cls(candidate, how_many(data, words), candidate.shown == exact, data.startswith(_ZIP), digest, len(data))

    def answers(self, answered: Answered, most: int) -> Answers:
        """Find the answers in it."""
        return answered(self.candidate.read(most), self.candidate.path.name)

    @property
    def shown(self) -> str:
        """Its name for a sentence."""
        return named(self.candidate.shown)

    @property
    def by_name(self) -> tuple[bool, int, bool, int, int, float]:
        """How likely it counts before answers are counted: the right name does, unless it holds nothing."""
        return replace(self, answered=None).likely

    @property
    def likely(self) -> tuple[bool, int, bool, int, int, float]:
        """How likely it counts: the more answers the likelier; of equals, the right name does."""
        c = self.candidate
        return self.score > 0, len(self.answered or ()), self.named, self.score, -c.rank, c.changed


def _counted(seen: list[_Seen], answered: Answered | None, most: int) -> list[_Seen]:
    """Count the answers of the likeliest files."""
    if answered is None:
        return seen
    likely = sorted(seen, key=lambda s: s.likely, reverse=True)
    held = [s for s in likely if s.score]
    files = [File(s.digest, s.size, partial(s.answers, answered, most)) for s in held]
    done = [replace(s, answered=one) for s, one in zip(held, counted(files), strict=True)]
    return [*done, *likely[len(held) :]]


def _best_of(
    seen: list[_Seen], exact: str, assignment: str, known: bool, findings: list[Finding], unopened: list[str]
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
    likelier = ENDINGS.index(".json")
    left = [s.candidate.shown for s in seen if s is not best and (s.score or s.candidate.rank < likelier)]
    left += unopened
    if left:
        text = f"{named(taken.shown)} was marked; also handed in and left aside: {', '.join(map(named, left[:10]))}."
        findings.append(Finding("files-left", named(taken.shown), text))
    if any(s.answered is not None for s in seen):
        others = [s for s in seen if s is not best and s.score]
        place = others.index(first) if first in others else None
        saved = [n for n, s in enumerate(others) if s.candidate.path.parent.name == CHECKPOINTS]
        findings += said_of((best.shown, best.answered), [(s.shown, s.answered) for s in others], place, saved)
    return Found(taken.path, findings, taken.packed)


def begins_like_a_zip(path: Path) -> bool:
    """Return whether a file that is named like a notebook is a zip file."""
    with contextlib.suppress(OSError):
        handle = os.open(path, _FLAGS)
        try:
            return os.read(handle, len(_ZIP)) == _ZIP
        finally:
            os.close(handle)
    return False


def unpacked(archives: list[_Candidate], findings: list[Finding]) -> list[_Candidate]:
    """Take what could be notebooks out of archives that a student handed in; an archive in an archive stays packed."""
    found: list[_Candidate] = []
    room = MAX_UNPACKED
    for archive in archives:
        try:
            opened = open_packed(read_bytes(archive.path), named(archive.shown), MAX_PACKED)
        except GraderError as error:
            findings.append(_lost("file-refused", archive.shown, f"{named(archive.shown)} was not read: {error.what}."))
            continue
        for entry in opened.infolist():
            parts = entry_parts(entry)
            likely = parts and not is_folder(entry) and rank_of(parts[-1]) is not None and not any(map(is_junk, parts))
            if not likely or leads_out(entry) or is_link(entry):
                continue
            shown = f"{archive.shown}/{printable('/'.join(parts))}"
            if not all(map(is_safe, parts)):
                findings.append(_odd_name(shown))
                continue
            room -= min(entry.file_size, MAX_SLIMMED)
            if room < 0 or len(found) == MAX_CANDIDATES:
                text = f"{named(archive.shown)} holds more than is read of an archive; the rest of it was left out."
                findings.append(Finding("too-many-files", named(archive.shown), text))
                return found
            try:
                data = read_entry(opened, entry, named(shown), MAX_BYTES, MAX_SLIMMED)
            except GraderError as error:
                findings.append(_lost("file-refused", shown, f"{named(shown)} was not read: {error.what}."))
                continue
            found.append(_Candidate(archive.path, shown, rank_of(parts[-1]) or 0, entry_seconds(entry), data))
    return found


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


def candidates_in(folder: Path, assignment: str, findings: list[Finding], most: int) -> list[_Candidate]:
    """List the files that could be the notebook, in the folder and one folder deeper."""
    found: list[_Candidate] = []
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


def _candidate(path: Path, shown: str, status: os.stat_result, findings: list[Finding], most: int) -> _Candidate | None:
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
    return _Candidate(path, shown, rank, status.st_mtime)


def rank_of(name: str) -> int | None:
    """Return how likely a file's ending is for a notebook, 0 the likeliest; None for what is none."""
    lower = name.lower()
    for rank, ending in enumerate(ENDINGS):
        if ending and lower.endswith(ending):
            return rank
    # Browsers and systems add to a name: `nb.ipynb (1)`, `nb.ipynb.download`, `nb`.
    if ".ipynb" in lower:
        return ENDINGS.index(".json")
    return len(ENDINGS) - 1 if "." not in name.strip(".") and not name.startswith(".") else None
