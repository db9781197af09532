"""Choose the file that a student handed in; nothing but plain files is opened, and nothing is changed."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import unicodedata
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from nbformat import NotebookNode

from grader.core.cells import exercises, grade_id
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.findings import Finding, Level
from grader.core.names import defined_functions
from grader.core.notebook import read_notebook

#: Largest file that is read, in bytes. A notebook of the course with all its figures has 1 MB.
MAX_BYTES = 25 * 2**20
#: Most entries of a folder that are looked at, and most candidates whose content is compared.
MAX_ENTRIES, MAX_CANDIDATES = 1000, 20

_HARD_LINK = "the file has a second name on this disk (a hard link), which may be anybody's file"
#: Endings of what could be a notebook, the likeliest first.
ENDINGS = (".ipynb", ".ipynb.txt", ".ipynb.json", ".json", ".py", ".txt", "")
#: No link is followed, no pipe waited for. Systems without such a flag have no such file.
_FLAGS = os.O_RDONLY
for _name in ("O_NOFOLLOW", "O_NONBLOCK", "O_CLOEXEC", "O_NOCTTY", "O_BINARY"):
    _FLAGS |= getattr(os, _name, 0)
_CHECKPOINTS = ".ipynb_checkpoints"
#: What nbgrader and others write into a submission's folder.
_EXPECTED = {"timestamp.txt", "submitted_at.txt"}


@dataclass(frozen=True)
class Found:
    """What stands for a student's submission.

    Args:
        path: The file to read, or None.
        findings: What was taken, left and refused.
    """

    path: Path | None
    findings: list[Finding] = field(default_factory=list)


@dataclass(frozen=True)
class _Candidate:
    path: Path
    shown: str
    rank: int  # of its ending; smaller is likelier
    changed: float


def find_submission(folder: Path, assignment: str, source: NotebookNode | None = None) -> Found:
    """Choose the notebook of a submission.

    Args:
        folder: `submitted/<student>/<assignment>`; nothing in it is changed.
        assignment: Name of the assignment; `<assignment>.ipynb` is taken if it is there.
        source: The assignment's source notebook, to recognise files by their content; by default the course's own.

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
            text = f"{printable(place.name)} is {_what(mode)} and not a folder, so nothing in it was read."
            return Found(None, [_refused(place.name, text)])
    candidates = _candidates(folder, assignment, findings)
    if not candidates:
        text = "There is no file in this submission that could be a notebook."
        return Found(None, [*findings, _lost("nothing-handed-in", assignment, text)])
    exact = f"{assignment}.ipynb"
    if len(candidates) == 1 and candidates[0].shown == exact:
        return Found(candidates[0].path, findings)
    words = words_of(source if source is not None else _course_source(assignment))
    ranked = sorted(candidates, key=lambda c: (c.shown != exact, c.rank, -c.changed, c.shown))
    if len(ranked) > MAX_CANDIDATES:
        text = f"The submission holds {len(ranked)} files that could be notebooks; {MAX_CANDIDATES} of them were read."
        findings.append(Finding("too-many-files", assignment, text))
        ranked = ranked[:MAX_CANDIDATES]
    scored = [(_score(c.path, words), c) for c in ranked]
    # The right name counts, unless that file holds nothing of the assignment and another does.
    best_score, best = max(
        scored, key=lambda pair: (pair[0] > 0, pair[1].shown == exact, pair[0], -pair[1].rank, pair[1].changed)
    )
    if words and best_score == 0 and best.shown != exact and best.rank >= ENDINGS.index(".json"):
        text = f"No file in this submission holds anything of {assignment}."
        return Found(None, [*findings, _lost("nothing-handed-in", assignment, text)])
    if best.shown != exact:
        text = f"There was no usable file named {exact}; {best.shown} was taken instead."
        findings.append(Finding("other-file-taken", best.shown, text))
    left = [c.shown for score, c in scored if c is not best and (score or c.rank < ENDINGS.index(".json"))]
    if left:
        text = f"{best.shown} was marked; also handed in and left aside: {', '.join(left[:10])}."
        findings.append(Finding("files-left", best.shown, text))
    return Found(best.path, findings)


def read_bytes(path: Path) -> bytes:
    """Read a regular file of bounded size; never follow a link or wait for a pipe.

    Raises:
        GraderError: If it is anything else.
    """
    fix = "hand in the notebook itself, as a file"
    try:
        handle = os.open(path, _FLAGS)
    except OSError as error:
        what = "a link" if error.errno == errno.ELOOP else f"not readable ({os.strerror(error.errno or 0)})"
        raise GraderError(f"the file is {what}", printable(path.name), fix) from None
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise GraderError(f"this is {_what(status.st_mode)}, not a file", printable(path.name), fix)
        if status.st_nlink > 1:
            raise GraderError(_HARD_LINK, printable(path.name), "copy the submissions; do not link them")
        if status.st_size > MAX_BYTES:
            raise GraderError(
                f"the file has more than {MAX_BYTES // 2**20} MB", printable(path.name), "clear the outputs and save"
            )
        pieces, room = [], MAX_BYTES + 1
        while room > 0 and (piece := os.read(handle, min(room, 2**20))):
            pieces.append(piece)
            room -= len(piece)
        return b"".join(pieces)[:MAX_BYTES]
    except OSError as error:
        raise GraderError(f"the file cannot be read: {error.strerror}", printable(path.name), fix) from None
    finally:
        os.close(handle)


def printable(name: str) -> str:
    """Return a file's name in a form that can stand in a sentence."""
    shown = "".join(c if _harmless(c) else "?" for c in name)
    return shown if len(shown) <= 80 else shown[:77] + "..."


def _harmless(char: str) -> bool:
    return unicodedata.category(char)[0] not in "C" and char not in "\u2028\u2029<>&\"'`|*"


def _safe(name: str) -> bool:
    return all(_harmless(c) for c in name) and not name.startswith("-") and len(name) <= 200 and name.strip() == name


def _what(mode: int) -> str:
    kinds = {
        stat.S_IFLNK: "a link",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFCHR: "a device",
        stat.S_IFBLK: "a device",
        stat.S_IFDIR: "a folder",
        stat.S_IFREG: "a file",
    }
    return kinds.get(stat.S_IFMT(mode), "something else")


def _refused(name: str, text: str) -> Finding:
    return Finding("file-refused", printable(name), text, Level.SUSPICIOUS)


def _lost(kind: str, where: str, text: str) -> Finding:
    return Finding(kind, where, text, Level.LOST)


def _candidates(folder: Path, assignment: str, findings: list[Finding]) -> list[_Candidate]:
    """List the files that could be the notebook, in the folder and one folder deeper."""
    found: list[_Candidate] = []
    seen = 0
    places: list[tuple[Path, str]] = [(folder, "")]
    while places:
        place, prefix = places.pop(0)
        try:
            listed = _names_in(place, MAX_ENTRIES + 1 - seen)  # one more shows that there are too many
        except OSError:
            findings.append(_refused(place.name, f"The folder {printable(place.name)} cannot be read."))
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
                visible = name == _CHECKPOINTS or not name.startswith((".", "__"))
                if not prefix and visible and _safe(name):
                    places.append((path, shown + "/"))
                continue
            candidate = _candidate(path, shown, status, findings)
            if candidate is not None:
                found.append(candidate)
    if seen > MAX_ENTRIES:
        text = f"The submission holds more than {MAX_ENTRIES} files; the rest was not looked at."
        findings.append(Finding("too-many-files", assignment, text))
    return found


def _names_in(folder: Path, most: int) -> list[str]:
    """List the entries of a folder, no more than a number of them."""
    with os.scandir(folder) as scan:
        return [entry.name for entry in islice(scan, max(most, 0))]


def _candidate(path: Path, shown: str, status: os.stat_result, findings: list[Finding]) -> _Candidate | None:
    """Judge one entry that is not a folder; what is refused is named in a finding."""
    name = path.name
    if name.startswith(("._", ".~")) or name in _EXPECTED:  # a Mac's and an editor's companions of a file
        return None
    if not stat.S_ISREG(status.st_mode):
        findings.append(_refused(shown, f"{shown} is {_what(status.st_mode)} and not a file; it was not opened."))
        return None
    rank = rank_of(name)
    if rank is None:
        return None
    if not _safe(name):
        text = f"The name of {shown} holds characters that a file's name should not hold; it was not opened."
        findings.append(_refused(shown, text))
        return None
    if status.st_nlink > 1:
        text = f"{shown} was not opened: {_HARD_LINK}. Copy the submissions instead of linking them."
        findings.append(_refused(shown, text))
        return None
    if status.st_size > MAX_BYTES:
        text = f"{shown} has more than {MAX_BYTES // 2**20} MB and was not read; clear the outputs and save it again."
        findings.append(Finding("file-refused", shown, text, Level.LOST))
        return None
    if status.st_size == 0:
        findings.append(Finding("file-empty", shown, f"{shown} is empty."))
        return None
    if path.parent.name == _CHECKPOINTS:
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


def words_of(source: NotebookNode | None) -> frozenset[str]:
    """Name what marks a file as this assignment's: ids of its cells that are marked, and functions to write."""
    if source is None:
        return frozenset()
    names = {name for cell in source.cells if (name := grade_id(cell)) and name != "setup"}
    for exercise in exercises(source):
        try:
            names.update(defined_functions(exercise.answer))
        except SyntaxError:
            continue
    return frozenset(n for n in names if len(n) > 3 and not n.startswith("helpers_"))


def _course_source(assignment: str) -> NotebookNode | None:
    course = Course.nearest()
    with contextlib.suppress(GraderError):
        return read_notebook(course.source(assignment)) if course else None
    return None


def _score(path: Path, words: frozenset[str]) -> int:
    """Count the words of the assignment that a file holds; a file that cannot be read holds none."""
    try:
        data = read_bytes(path)
    except GraderError:
        return 0
    if not words:
        return len(re.findall(r"\"cell_type\"|\"grade_id\"", data.replace(b"\0", b"").decode("latin-1")))
    return len(words & words_in(data))


def words_in(data: bytes) -> set[str]:
    """Return the words of a file's content that could mark it as an assignment's."""
    # Good enough for ASCII names in any encoding.
    return set(re.findall(r"\w{4,}", data.replace(b"\0", b"").decode("latin-1")))
