"""What has changed since it was marked: a mark is of one file and of one time of handing in."""

from __future__ import annotations

import functools
import json
import logging
import stat
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Config

from grader.classrun.held import held, noticed, noticed_then
from grader.core.errors import describe
from grader.engine import handed
from grader.engine.handed import Handed
from grader.engine.kit import Kit
from grader.engine.settings import Marking
from grader.gradebook import records
from grader.gradebook.entered import read_entered
from grader.gradebook.outdated import Basis
from grader.lms.put_back import some_of
from grader.submissions.alone import entries, traces
from grader.submissions.intake import EXPECTED
from grader.submissions.packed import is_junk
from grader.submissions.times import EMPTY, time_of
from grader.submissions.unread import LEFT_ASIDE

logger = logging.getLogger(__name__)

_OTHER_FILE = "the file that was handed in is not the one that was marked: run `grader grade` first"
_GONE = "the file that was marked is gone from the submissions"
_OTHER_BESIDE = "other files that marking does not read lie beside the notebook than when it was marked"
_OTHER_LOOK = "other files that need a look lie beside the notebook than when it was marked"
_UNKNOWN = "whether the file is still the one that was marked could not be found out"
_OTHER_TIME = "the time of handing in is not the one that was marked"
_NO_MARKS = "entered in the gradebook, but not marked by then"


class Marked(NamedTuple):
    """What a mark is of.

    Args:
        submission: The fingerprint of the file, empty if nothing could be read; None if nothing tells.
        held: What lay in the folder, if its files had to be compared and that was noted.
        traces: What the folder looked like then.
        unread: The files beside it that are not read, if they were noted.
        noticed: What was noticed when its files were compared; None if that was not noted.
        time: The time of handing in.
        no_time: Why what `timestamp.txt` said was none; None if that was not noted.
        scored: Whether there is a mark at all: a submission is entered before its marks are.
        basis: What it rests on besides the submission.
    """

    submission: str | None = None
    held: str = ""
    traces: str = ""
    unread: list[str] | None = None
    noticed: str | None = None
    time: str = ""
    no_time: str | None = None
    scored: bool = True
    basis: Basis = Basis()

    def is_of(self, folder: Path) -> bool:
        """Return whether a folder has the time of handing in that was marked."""
        time, wrong = time_of(folder)
        # An empty file tells of no other time; the next marking names it.
        then, now = ("" if why == EMPTY else why for why in (self.no_time, wrong))
        return self.time == str(time or "") and (then is None or then == now)


def read_marked(gradebook: Gradebook, assignment: str) -> dict[str, Marked]:
    """Read what the marks of an assignment are of, by students' ids.

    It has to be read before the marks. Where `grader grade` finishes one in between, the mark is newer than this then,
    and is named for nothing at worst; the other way round, an old mark would look like that of the new file.
    """
    rows = read_entered(gradebook, [assignment]).items()
    found = {student: Marked(time=str(row.time or ""), scored=row.scored) for (_, student), row in rows}
    for _, student, _, text in records.read_all(gradebook, [assignment]):
        found[student] = _of_record(json.loads(text), found.get(student, Marked()).time)
    return found


def _of_record(record: Mapping[str, Any], time: str) -> Marked:
    # The gradebook's own time is written before the mark is; the record is written with it.
    seen = record.get("held", ""), record.get("traces", ""), record.get("unread"), noticed_then(record)
    when = record.get("timestamp", time), record.get("no_time")
    return Marked(record.get("submission"), *seen, *when, basis=Basis.of(record))


class Taking:
    """Takes in what students handed in for an assignment, as marking would do it now.

    Args:
        folders: nbgrader's.
        config: nbgrader's configuration.
        assignment: Which assignment.
    """

    def __init__(self, folders: CourseDirectory, config: Config, assignment: str):
        self._folders, self._config, self._assignment = folders, config, assignment

    @property
    def source(self) -> Path:
        """The source notebook, which need not be on this machine."""
        folder = self._folders.format_path(self._folders.source_directory, ".", self._assignment)
        return Path(folder) / f"{self._assignment}.ipynb"

    @functools.cached_property
    def _kit(self) -> Kit:
        return Kit.read(self.source, self._config)

    def __call__(self, folder: Path) -> Handed:
        """Take in one folder; what a kit needs is read only for whom files have to be compared."""
        most = Marking(config=self._config).settings().file_mib
        one = Handed.alone(folder, self._assignment, most)
        return one if one is not None else Handed.take(folder, self._kit, most)


def changed_since(
    assignment: str,
    marked: Mapping[str, Marked],
    files: Mapping[str, Path],
    grade: str,
    take: Callable[[Path], Handed],
) -> list[str]:
    """Name whose file, or time of handing in, is not the one that was marked, a sentence each.

    Args:
        assignment: Which assignment.
        marked: From `read_marked`.
        files: The submissions by students' ids; what counts is in the folder of each, `timestamp.txt` too.
        grade: How to have them marked.
        take: Takes in a folder, as marking would.
    """
    known = {student: file.parent for student, file in files.items() if student in marked}
    others: dict[str, list[str]] = {}
    try:
        for student, folder in sorted(known.items()):
            if what := _other_than(marked[student], folder, take):
                others.setdefault(what, []).append(student)
    finally:
        handed.close()  # which is begun only if files had to be compared
    stale, gone = others.pop(_OTHER_FILE, []), others.pop(_GONE, [])
    look = [f"{student}, {assignment}: {_OTHER_FILE}" for student in stale]
    # Marking would find nothing there; a whole class is gone where its folder was cleared.
    look += [f"{assignment}: {_GONE}: {some_of(gone)}; collect it again, or put it back"] if gone else []
    if late := sorted(s for s in known.keys() - stale - {*gone} if not marked[s].is_of(known[s])):
        others[_OTHER_TIME] = late
    return look + [f"{assignment}: {what}: {some_of(students)}; {grade}" for what, students in others.items()]


def not_marked(assignment: str, marked: Mapping[str, Marked], students: Iterable[str], grade: str) -> list[str]:
    """Name whose marks were not there yet, which are 0 points as long as nobody notices.

    Args:
        assignment: Which assignment.
        marked: From `read_marked`.
        students: Ids of those whose marks were read afterwards.
        grade: How to have them marked.
    """
    some = sorted(s for s in students if s not in marked or not marked[s].scored)
    return [f"{assignment}: {_NO_MARKS}: {some_of(some)}; {grade}"] if some else []


def _other_than(mark: Marked, folder: Path, take: Callable[[Path], Handed]) -> str:
    """Return what of a mark is of something else than what is among the submissions now, empty if nothing is.

    Which file counts is for marking to say: one that came beside the marked one may have more answers or none, and be
    the copy of an editor.
    """
    if mark.submission is None:  # marked by nbgrader alone
        return ""
    if mark.submission and _is_empty(folder):
        return _GONE
    if mark.traces and mark.traces == traces(folder):
        return ""
    if mark.held and mark.held == held(folder):
        return ""
    try:
        now = take(folder)
    except Exception as error:  # the source is not on this machine, or has no time: the marks go back all the same
        logger.info("what is in %s cannot be compared", folder, exc_info=True)
        return f"{_UNKNOWN} ({describe(error)})"
    if now.given_up:  # on a slower machine, perhaps
        return _UNKNOWN if mark.submission else ""
    if now.digest != mark.submission:
        return _OTHER_FILE
    # A mark of nothing is named by marking itself, whatever it could not read.
    if mark.submission and mark.noticed is not None and mark.noticed != noticed(now):
        return _OTHER_LOOK
    return _OTHER_BESIDE if mark.unread is not None and mark.unread != [*now.unread] else ""


def _is_empty(folder: Path) -> bool:
    """Return whether nothing is left in a folder, or of it, but what programs write beside a submission."""
    found = entries(folder)
    files = [path.name for path, told in found or () if not stat.S_ISDIR(told.st_mode)]
    return found is not None and all(name in (*EXPECTED, LEFT_ASIDE) or is_junk(name) for name in files)
