"""The steps of marking as nbgrader runs them, named in `nbgrader_config.py`.

`nbgrader autograde`, the formgrader's button and `grader grade` all take them.

nbgrader converts a submission twice. First, "sanitizing": `MarkingExporter` reads what was handed in and gives the
release's notebook with the student's answers in it. Then, "autograding": `MarkingExecute` runs that on two sides and
`StrictAutoGrades` writes the marks.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import determine_grade, is_solution, is_task
from traitlets import Enum, Float, Integer

from ..errors import GraderError
from ..notebook import CellKind, grade_id, kind_of, read_notebook
from . import intake, reading, records
from .findings import Finding, Level
from .isolate import LEVELS, Limits
from .mark import Budget, Marked, import_lines, mark_notebook, name_proxies
from .sandbox import Template
from .skipping import mark_skippable
from .transplant import transplant


class _Warm:
    """The warm process of the assignment that was marked last; nbgrader has no place to keep one."""

    def __init__(self):
        self._key: tuple | None = None
        self._template: Template | None = None

    def template(self, imports: str, isolation: str) -> Template:
        """Give the warm process for these imports, started if need be; the one before it ends."""
        if self._key != (imports, isolation) or self._template is None:
            self.close()
            self._template = Template(imports, isolation).__enter__()
            self._key = (imports, isolation)
        return self._template

    def close(self) -> None:
        """End the process, if there is one."""
        if self._template is not None:
            self._template.close()
        self._key = self._template = None


warm = _Warm()


def read_folder(folder: Path, source: NotebookNode, assignment: str) -> tuple[NotebookNode, list[Finding], str]:
    """Turn a folder that was handed in into a notebook that can be marked.

    Args:
        folder: `submitted/<student>/<assignment>`.
        source: The source notebook.
        assignment: Its name.

    Returns:
        The notebook, what was noticed, and the fingerprint of what was read (an empty string if nothing was).
    """
    findings: list[Finding] = []
    submission, digest = None, ""
    try:
        found = intake.find_submission(folder, assignment)
        findings += found.findings
        if found.path is not None:
            data = intake.read_bytes(found.path)
            digest = records.fingerprint(data)
            submission, noticed = reading.read_submission(data, found.path.name)
            findings += noticed
        planted = transplant(source, submission)
    except Exception as error:  # a submission that trips us costs itself, never the run
        text = f"The file could not be read ({type(error).__name__}); it was marked as if nothing had been handed in."
        findings.append(Finding("unreadable", "", text, Level.LOST))
        planted = transplant(source, None)
    return planted.notebook, [*findings, *planted.findings], digest


def take_what_there_is(assignment: str, student: str, notebooks: list[str]) -> None:
    """Have nbgrader go on with a submission whose file has another name (`Autograde.pre_convert_hook`).

    `MarkingExporter` looks into the folder itself; nbgrader only has to ask for the assignment's notebook.

    Args:
        assignment: Assignment id.
        student: Student id.
        notebooks: Paths of the notebooks that nbgrader found; changed in place.
    """
    if notebooks:
        notebooks[:] = [str(Path(notebooks[0]).parent / f"{assignment}.ipynb")]


class MarkingExporter(NotebookExporter):
    """Reads what was handed in; nbgrader's own would stop at the first oddity (`Autograde.exporter_class`)."""

    def from_filename(self, filename: str, resources: dict | None = None, **options: Any) -> tuple[Any, dict]:
        """Read a submission, or on nbgrader's second pass the notebook that the first one wrote."""
        names = resources["nbgrader"]
        folders: CourseDirectory = self.parent.coursedir
        sanitized = folders.format_path(folders.autograded_directory, names["student"], names["assignment"])
        # The file itself may be a link to anywhere; only its folder says which pass this is.
        if Path(filename).parent.resolve() == Path(sanitized).resolve():
            return super().from_filename(filename, resources, **options)
        source = read_notebook(_source_path(folders, names))
        notebook, findings, digest = read_folder(Path(filename).parent, source, names["assignment"])
        notebook.metadata["marking"] = {
            "submission": digest,
            "tests": records.tests_fingerprint(_source_path(folders, names)),
            "findings": [f.as_json() for f in findings],
        }
        resources["metadata"] = {"name": names["notebook"], "path": "", "modified_date": ""}
        return self.from_notebook_node(notebook, resources, **options)


def _source_path(folders: CourseDirectory, names: dict) -> Path:
    folder = Path(folders.format_path(folders.source_directory, ".", names["assignment"]))
    return folder / f"{names['notebook']}.ipynb"


class MarkingExecute(NbGraderPreprocessor):
    """Run a notebook with the student's code on one side and the tests on the other; stands for nbgrader's Execute."""

    isolation = Enum(
        ("best", *LEVELS),
        default_value="best",
        help="Least isolation that will do; 'best' takes what there is, anything else is refused if not reached.",
    ).tag(config=True)
    notebook_s = Float(400.0, help="Seconds on the clock for one notebook.").tag(config=True)
    cell_s = Float(60.0, help="CPU seconds for a cell of the student's; twice as many on the clock.").tag(config=True)
    call_s = Float(10.0, help="CPU seconds for a call by a test; three times as many on the clock.").tag(config=True)
    memory_mib = Integer(3072, help="Address space of each process, on top of what it was forked with.").tag(
        config=True
    )

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Run one notebook. Called by nbconvert on nbgrader's second pass."""
        source = read_notebook(_source_path(CourseDirectory(parent=self), resources["nbgrader"]))
        mark_skippable(nb, source)
        name_proxies(nb, source)
        template = warm.template(import_lines(source), self.isolation)
        budget = Budget(
            cell_cpu_s=self.cell_s,
            cell_wall_s=2 * self.cell_s,
            call_cpu_s=self.call_s,
            call_wall_s=3 * self.call_s,
            test_wall_s=9 * self.call_s,
            notebook_wall_s=self.notebook_s,
        )
        limits = Limits(memory_mib=self.memory_mib)
        try:
            marked = mark_notebook(nb, template, budget, limits)
        except GraderError:
            if template.alive:
                raise
            # The warm process is gone, out of memory perhaps: once more with a new one.
            warm.close()
            marked = mark_notebook(nb, warm.template(import_lines(source), self.isolation), budget, limits)
        for cell in nb.cells:
            cell.metadata.pop("proxies", None)
        note = nb.metadata.setdefault("marking", NotebookNode())
        note["isolation"] = marked.isolation
        note["findings"] = [*note.get("findings", []), *(f.as_json() for f in marked.findings)]
        resources["marking"] = marked
        return nb, resources


class StrictAutoGrades(NbGraderPreprocessor):
    """Write the marks: from verdicts, all or none, whatever stood there before.

    A test cell has its points if it ran on the trusted side and ended well. Manual marks and comments stay if this
    project marked the submission before a person set them; marks that stand there from before are set aside and
    named, since code of a submission may have written them.
    """

    def preprocess(self, nb: NotebookNode, resources: dict) -> tuple[NotebookNode, dict]:
        """Write the marks of one notebook. Called by nbconvert after the notebook was run."""
        names, marked = resources["nbgrader"], resources["marking"]
        note = nb.metadata["marking"]
        with Gradebook(names["db_url"]) as gradebook:
            try:
                findings = self._write(nb, names, marked, gradebook)
                note["findings"] = [*note["findings"], *(f.as_json() for f in findings)]
                records.write(gradebook, names["assignment"], names["student"], _result(nb, marked, note))
                gradebook.db.commit()
            except BaseException:
                gradebook.db.rollback()
                raise
        return nb, resources

    def _write(self, nb: NotebookNode, names: dict, marked: Marked, gradebook: Gradebook) -> list[Finding]:
        by_hand = {grade_id(c): determine_grade(c)[0] for c in nb.cells if kind_of(c) is CellKind.WRITTEN}
        submission = gradebook.find_submission_notebook(names["notebook"], names["assignment"], names["student"])
        missing = sorted(set(marked.verdicts) - {grade.name for grade in submission.grades})
        if missing:
            fix = "run `nbgrader generate_assignment` for it (with --force), then mark again"
            raise GraderError(f"the gradebook does not know the tests {', '.join(missing)}", names["assignment"], fix)
        known = records.read(gradebook, names["assignment"], names["student"]) is not None
        findings = []
        for grade in submission.grades:
            if grade.name in marked.verdicts:
                grade.auto_score = marked.verdicts[grade.name].points(grade.max_score)
            else:
                grade.auto_score = by_hand.get(grade.name, 0.0)
            if not known and (grade.manual_score is not None or grade.extra_credit):
                score, extra = grade.manual_score or 0.0, grade.extra_credit or 0.0
                text = (
                    f"A manual mark of {score:g} (extra credit {extra:g}) stood in the gradebook before this "
                    "submission was marked here for the first time. Code of a submission can have written it, so it "
                    "was set aside: enter it again if a person gave it."
                )
                findings.append(Finding("manual-mark-set-aside", grade.name, text, Level.SUSPICIOUS))
                grade.manual_score = grade.extra_credit = None
            grade.needs_manual_grade = grade.manual_score is not None or grade.auto_score is None
        cells = {grade_id(c): c for c in nb.cells if grade_id(c)}
        for comment in submission.comments:
            cell = cells.get(comment.name)
            comment.auto_comment = _auto_comment(cell) if cell is not None else None
        return findings


def _auto_comment(cell: NotebookNode) -> str | None:
    from nbgrader.utils import compute_checksum

    if not is_solution(cell) and not is_task(cell):
        return None
    untouched = cell.metadata.nbgrader.get("checksum") == compute_checksum(cell) and not is_task(cell)
    return "No response." if untouched else None


def _result(nb: NotebookNode, marked: Marked, note: dict) -> dict:
    """Give what is kept of a marked submission as plain data."""
    most = {grade_id(c): float(c.metadata.nbgrader.points) for c in nb.cells if kind_of(c) is CellKind.TEST}
    return {
        "submission": note.get("submission", ""),
        "tests": note.get("tests", ""),
        "points": sum(v.points(most[v.name]) for v in marked.verdicts.values()),
        "max_points": sum(most.values()),
        "verdicts": [
            {
                "name": v.name,
                "outcome": v.outcome,
                "error": v.error,
                "message": v.message,
                "line": v.line,
                "points": v.points(most[v.name]),
            }
            for v in marked.verdicts.values()
        ],
        "findings": json.loads(json.dumps(note["findings"])),
        "isolation": marked.isolation,
        "wall_s": round(marked.wall_s, 3),
        "cpu_s": round(marked.cpu_s, 3),
        "peak_mib": round(marked.peak_mib),
    }
