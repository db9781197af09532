"""Mark one submission, from the bytes that were handed in to plain data: what a worker does, wherever it runs.

Nothing here opens the gradebook or a file of the course. What is needed comes in, what came out is given back, so that
a worker may be this process, another one beside it, or one on another machine.
"""

from __future__ import annotations

import json
import socket
import zlib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from nbformat import NotebookNode, from_dict
from nbformat.v4 import writes_json
from nbgrader.preprocessors import ComputeChecksums, IgnorePattern, LimitOutput
from nbgrader.utils import compute_checksum, determine_grade, is_solution, is_task
from traitlets.config import Config

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.errors import GraderError, OtherWorker
from grader.core.findings import Finding, Level
from grader.core.notebook import read_notebook
from grader.engine import fingerprints
from grader.engine.recognising import Known, read_mistakes
from grader.engine.result import Origin, Result, as_record, render
from grader.engine.running import import_lines, mark_notebook
from grader.engine.settings import Settings
from grader.engine.skipping import Plan
from grader.sandbox.warm_processes import warm
from grader.submissions import intake, reading
from grader.submissions.cells import How
from grader.submissions.transplant import pristine, transplant

#: What a folder, and what a file's content, can make the readers do whatever they foresee: it changes while it is read,
#: or it is nested without end. Every other exception is a fault of our own code. It ends as *failed*, never as a
#: student's zero.
_OF_THE_FOLDER = (GraderError, OSError, RecursionError, MemoryError)
_OF_THE_CONTENT = (RecursionError, MemoryError)


@dataclass(frozen=True)
class Kit:
    """What is needed to mark an assignment.

    Args:
        assignment: Its name.
        source: The source notebook, without outputs.
        release: The same with solutions cleared, hidden tests in it, and nbgrader's checksums.
        imports: What the warm process imports.
        tests: Fingerprint of the source notebook, of the catalogue and of what marks.
        mistakes: Known mistakes, as `read_mistakes` returns them.
    """

    assignment: str
    source: NotebookNode
    release: NotebookNode
    imports: str
    tests: str
    mistakes: dict[str, list[list[str]]]

    @classmethod
    def read(cls, path: Path, config: Config | None = None) -> Kit:
        """Make the kit of a source notebook.

        Args:
            path: The notebook; its name is the assignment's.
            config: nbgrader's configuration with the stubs; by default the course's own.
        """
        source = read_notebook(path)
        for cell in source.cells:
            if cell.cell_type == "code":
                cell.outputs, cell.execution_count = [], None
        release, _ = ComputeChecksums().preprocess(pristine(source, config), {})
        mistakes = read_mistakes(source, fingerprints.catalogue_of(path))
        return cls(path.stem, source, release, import_lines(source), fingerprints.tests_fingerprint(path), mistakes)

    def answered(self, data: bytes, name: str) -> int:
        """Count the exercises that are answered in a file; untouched ones and those that it lacks are not."""
        try:
            submission, _ = reading.read_submission(data, name)
            ways = transplant(self.source, submission, release=self.release).answered.values()
        except _OF_THE_CONTENT:
            return 0
        return sum(how not in (How.UNTOUCHED, How.MISSING) for how in ways)

    def packed(self) -> bytes:
        """Return it as bytes, for the way to a worker."""
        return zlib.compress(json.dumps(self.__dict__).encode(), 6)

    @staticmethod
    @lru_cache(maxsize=16)
    def unpacked(data: bytes) -> Kit:
        """Read it back; the same bytes return the same object."""
        fields = json.loads(zlib.decompress(data))
        return Kit(**fields | {name: from_dict(fields[name]) for name in ("source", "release")})


@dataclass(frozen=True)
class Handed:
    """What a student handed in.

    Args:
        name: Name of the file that stands for the submission, empty if there is none.
        data: Its bytes.
        findings: What was noticed when it was taken in.
    """

    name: str = ""
    data: bytes = b""
    findings: tuple[Finding, ...] = ()

    @property
    def digest(self) -> str:
        """The fingerprint of what was handed in, empty if there was nothing."""
        return fingerprints.fingerprint(self.data) if self.name else ""

    @classmethod
    def take(cls, folder: Path, kit: Kit, file_mib: int = Settings.file_mib) -> Handed:
        """Take in a folder; whatever it holds, the result can be marked.

        Args:
            folder: `submitted/<student>/<assignment>`.
            kit: The assignment's.
            file_mib: Size of the largest file that is read.
        """
        found, most = intake.Found(None), file_mib * 2**20
        try:
            found = intake.find_submission(folder, kit.assignment, kit.source, kit.answered, most)
            if found.packed is not None:
                return cls(f"{kit.assignment}.ipynb", found.packed, tuple(found.findings))
            if found.path is not None:
                size, data = found.path.lstat().st_size, intake.read_notebook(found.path, most)
                slim = [_without_outputs(found.path.name, size)] if size > intake.MAX_BYTES else []
                return cls(found.path.name, data, (*found.findings, *slim))
        except _OF_THE_FOLDER as error:
            return cls(findings=(*found.findings, _unreadable(error)))
        return cls(findings=tuple(found.findings))


@dataclass(frozen=True)
class Graded:
    """A marked submission as plain data.

    Args:
        notebook: The marked notebook as JSON text.
        record: What is kept of it beside the marks: points, verdicts, findings, isolation, time.
        by_hand: Points of written answers that need no person, by `grade_id`; None where a person is needed.
        comments: nbgrader's automatic comments, by `grade_id`.
    """

    notebook: str
    record: dict[str, Any]
    by_hand: dict[str, float | None]
    comments: dict[str, str | None]


def mark_handed(kit: Kit | bytes, handed: Handed, settings: Settings) -> Graded:
    """Mark a submission.

    Args:
        kit: The assignment's, or its bytes.
        handed: What was handed in.
        settings: How to mark.

    Raises:
        GraderError: If a locked cell fails, the isolation asked for is not reached or this worker is not like the one
            that asks: nobody's fault but ours.
    """
    if settings.environment not in ("", fingerprints.environment()):
        fix = "install the same version of the course, of Python and of the libraries on every machine"
        raise OtherWorker("a worker marks with other code or libraries", socket.gethostname(), fix)
    kit = Kit.unpacked(kit) if isinstance(kit, bytes) else kit
    nb, findings = planted(kit, handed)
    result = run(nb, kit, settings).of(Origin(handed.digest, kit.tests, tuple(findings)))
    render(nb, result)
    for step in (IgnorePattern, LimitOutput):
        nb, _ = step(config=settings.outputs).preprocess(nb, {})
    return Graded(writes_json(nb), *kept(nb, result))


def planted(kit: Kit, handed: Handed) -> tuple[NotebookNode, list[Finding]]:
    """Put the answers of what was handed in into the release.

    Args:
        kit: The assignment's.
        handed: What was handed in.

    Returns:
        A notebook that can be run, and what was noticed.
    """
    findings, submission = list(handed.findings), None
    try:
        if handed.name:
            submission, noticed = reading.read_submission(handed.data, handed.name)
            findings += noticed
        done = transplant(kit.source, submission, release=kit.release)
    except _OF_THE_CONTENT as error:
        findings.append(_unreadable(error))
        done = transplant(kit.source, None, release=kit.release)
    return done.notebook, [*findings, *done.findings]


def _without_outputs(name: str, size: int) -> Finding:
    text = f"{intake.printable(name)} has {size // 2**20} MB; it was read without its outputs."
    return Finding("outputs-left-out", intake.printable(name), text)


def _unreadable(error: Exception) -> Finding:
    why = error.what if isinstance(error, GraderError) else type(error).__name__
    text = f"The file could not be read ({why}); it was marked as if nothing had been handed in."
    return Finding("unreadable", "", text, Level.LOST)


def run(nb: NotebookNode, kit: Kit, settings: Settings) -> Result:
    """Run a notebook and judge its tests; the notebook is not changed.

    Args:
        nb: From `planted`.
        kit: The assignment's.
        settings: How to mark.
    """
    plan = Plan.of(nb, kit.source)
    imports, known = settings.imports or kit.imports, Known(kit.source, kit.mistakes, kit.tests)
    for last in (False, True):
        line = None
        try:
            with warm.use(imports, settings.isolation) as line:
                return mark_notebook(nb, plan, line, settings.budget, settings.limits, known, settings.render)
        except GraderError:
            # The warm process is gone, out of memory perhaps: once more with a new one.
            if last or (line is not None and line.alive):
                raise
    raise AssertionError("the second attempt returns or raises")


def kept(nb: NotebookNode, result: Result) -> tuple[dict[str, Any], dict[str, float | None], dict[str, str | None]]:
    """Return what is kept of a marked notebook: the record, points of written answers, automatic comments."""
    named = {name: cell for cell in nb.cells if (name := grade_id(cell))}
    by_hand = {name: determine_grade(cell)[0] for name, cell in named.items() if kind_of(cell) is CellKind.WRITTEN}
    comments = {name: _auto_comment(cell) for name, cell in named.items()}
    return as_record(nb, result), by_hand, comments


def _auto_comment(cell: NotebookNode) -> str | None:
    if not is_solution(cell) and not is_task(cell):
        return None
    untouched = cell.metadata.nbgrader.get("checksum") == compute_checksum(cell) and not is_task(cell)
    return "No response." if untouched else None
