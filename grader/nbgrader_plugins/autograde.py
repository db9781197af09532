"""The steps of marking as nbgrader runs them, named in `nbgrader_config.py`.

`nbgrader autograde` and the formgrader's button take them; `grader grade` does the same work (`engine/submission.py`)
without nbconvert.

nbgrader converts a submission twice. First, "sanitizing": `MarkingExporter` reads what was handed in and gives the
release's notebook with the student's answers in it. Then, "autograding": `MarkingExecute` runs that on two sides and
`StrictAutoGrades` writes the marks.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.converters import Autograde, base
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from nbgrader.preprocessors import NbGraderPreprocessor
from nbgrader.utils import find_all_files

from grader.classrun.held import Seen, noted
from grader.core import private
from grader.core.escaping import printable_line
from grader.core.findings import Finding
from grader.engine import submission
from grader.engine.result import Origin, add_findings, render
from grader.engine.settings import Marking
from grader.gradebook import writer
from grader.gradebook.penalties import LATE, not_asked
from grader.nbgrader_plugins.times import bound_times
from grader.sandbox.warm_processes import warm
from grader.submissions.file_names import named
from grader.submissions.folder_names import as_text
from grader.submissions.listing import Submission, list_submissions


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

    def __init__(self, *args: Any, **traits: Any):
        super().__init__(*args, **traits)  # type: ignore[no-untyped-call]
        # A configuration of before does not do so itself. nbgrader asks for a submission's time before any of its hooks
        # is called, but makes its exporter before that.
        bound_times()
        ignore_at_once()
        if isinstance(self.parent, Autograde):
            leave_out_odd_folders(self.parent)

    def from_filename(
        self, filename: str, resources: dict[str, Any] | None = None, **options: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Read a submission, or on nbgrader's second pass the notebook that the first one wrote."""
        if resources is None or self.parent is None:
            raise ValueError("nbgrader calls this, and says whose submission it is")
        names = resources["nbgrader"]
        folders: CourseDirectory = self.parent.coursedir
        sanitized = folders.format_path(folders.autograded_directory, names["student"], names["assignment"])
        # The file itself may be a link to anywhere; only its folder says which pass this is.
        if Path(filename).parent.resolve() == Path(sanitized).resolve():
            return super().from_filename(filename, resources, **options)
        kit = submission.Kit.read(_source_path(folders, names))
        settings = Marking(config=self.config).settings()
        handed, what = _take(Path(filename).parent, kit, settings.file_mib)
        _noted[names["student"], names["assignment"]] = what
        made = submission.planted(kit, handed, settings.budget, settings.render)
        notebook = made.notebook
        Origin(handed.digest, kit.tests, tuple(made.findings)).write(notebook)
        resources["metadata"] = {"name": names["notebook"], "path": "", "modified_date": ""}
        converted: tuple[Any, dict[str, Any]] = self.from_notebook_node(  # type: ignore[no-untyped-call]
            notebook, resources, **options
        )
        return converted


#: What the first pass noted of a student's submission, for its record, which the second one writes in this process too.
_noted: dict[tuple[str, str], dict[str, Any]] = {}


def _take(folder: Path, kit: submission.Kit, file_mib: int) -> tuple[submission.Handed, dict[str, Any]]:
    """Take in what was handed in, and return with it what `grader grade` notes of it."""
    # As `grader grade` and the exports write the path: what tells whether anything was touched depends on it.
    folder = folder.parents[1].resolve() / folder.parent.name / folder.name
    if handed := submission.Handed.alone(folder, kit.assignment, file_mib):
        return handed, noted(handed, Seen())
    seen = Seen.of(folder)
    handed = submission.Handed.take(folder, kit, file_mib)
    return handed, noted(handed, seen)


def leave_out_odd_folders(converter: Autograde) -> None:
    """Take those submissions out of nbgrader's list that lie in a folder whose name is no student's id.

    nbgrader takes such a name for an id, puts it into paths and patterns, and would enter what stands for one student
    under another one's id. It calls no hook before it enters a student, but makes its exporter before that.

    Args:
        converter: nbgrader's, with the list of what it will mark; it is changed.

    Raises:
        NbGraderException: If nothing is left.
    """
    folders: CourseDirectory = converter.coursedir
    submitted = Path(folders.format_path(folders.submitted_directory, ".", ".")).resolve()
    told: dict[str, dict[str, str]] = {}
    listed = sorted(getattr(converter, "assignments", {}))
    for path in listed:
        folder, assignment = Path(path).parent.name, Path(path).name
        if assignment not in told:
            told[assignment] = {one.folder: _why_not(one) for one in list_submissions(submitted, [assignment], [])}
        if why := told[assignment].get(folder, ""):
            converter.log.error("%s of %s was left out: %s", assignment, named(printable_line(as_text(folder))), why)
            del converter.assignments[path]
    if listed and not converter.assignments:
        raise NbGraderException("nothing is left to be marked; `grader grade` marks folders of any name")


def ignore_at_once() -> None:
    """Have nbgrader look for nothing beside a notebook where everything is ignored, as `nbgrader_config.py` says.

    It asks of each folder in a submission whether it is among the ignored ones, and lists all that are beside it to
    find out: of ten thousand, that takes minutes, and a thousand in one another end it. To do so again changes nothing.
    """
    base.find_all_files = _not_ignored


def _not_ignored(path: str, exclude: list[str] | None = None) -> list[str]:
    """List the files in a folder that are not ignored, in the place of nbgrader's own function."""
    found: list[str] = [] if "*" in (exclude or ()) else find_all_files(path, exclude)
    return found


def _why_not(one: Submission) -> str:
    """Return why nbgrader cannot mark what lies in a folder, or an empty text."""
    if not one.why and one.student != one.folder:
        return f"the folder's name cannot be a student's id; `grader grade` marks it as {one.student}"
    return one.why


def _source_path(folders: CourseDirectory, names: dict[str, Any]) -> Path:
    folder = Path(folders.format_path(folders.source_directory, ".", names["assignment"]))
    return folder / f"{names['notebook']}.ipynb"


class MarkingExecute(Marking, NbGraderPreprocessor):
    """Run a notebook with the student's code on one side and the tests on the other; stands for nbgrader's Execute."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Run one notebook. Called by nbconvert on nbgrader's second pass."""
        folders = CourseDirectory(parent=self)
        warm.keep_out(private.of_course(folders))
        kit = submission.Kit.read(_source_path(folders, resources["nbgrader"]))
        settings = self.settings()
        result = submission.noticed(nb, Origin.read(nb), submission.run(nb, kit, settings))
        render(nb, result)
        resources["marking"] = result
        resources["marking_noted"] = {"how": settings.fingerprint, "asked": kit.points}  # as `grader grade` notes it
        return nb, resources


class StrictAutoGrades(NbGraderPreprocessor):
    """Write the marks: from verdicts, all or none, whatever stood there before."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Write the marks of one notebook. Called by nbconvert after the notebook was run."""
        names = resources["nbgrader"]
        record, by_hand, comments = submission.kept(nb, resources["marking"])
        with Gradebook(names["db_url"]) as gradebook:
            handed_in = gradebook.find_submission(names["assignment"], names["student"]).timestamp
            record.update(resources["marking_noted"], timestamp=str(handed_in or ""))
            record.update(_noted.pop((names["student"], names["assignment"]), {}))
            whose = names["assignment"], names["student"]

            def note(findings: list[Finding]) -> None:  # nbgrader's step asks right after this one, and may fail
                record[LATE] = not_asked(gradebook, *whose)

            findings = writer.write_marks(gradebook, *whose, record, by_hand, comments, note)
        add_findings(nb, findings)
        return nb, resources
