"""Grade a bundled sample class, from release to marks, with nbgrader on its own SQLite gradebook."""

from __future__ import annotations

import shutil
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode
from nbgrader.api import Gradebook
from nbgrader.plugins import CsvExportPlugin

from grader.classrun.executors import processors
from grader.classrun.run import end, grade_class
from grader.core.catalogue import read_catalogue
from grader.core.cells import CellKind, Exercise, exercises, grade_id, kind_of
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.escaping import printable_line
from grader.core.nbgrader_api import course_config, failure_reason, folders_config, open_nbgrader
from grader.core.notebook import read_notebook, write_notebook
from grader.feedback.run import Outcome, write_pages
from grader.report.write import write_report
from grader.testing.samples import HANDLINGS, fill_answers


@dataclass(frozen=True)
class SampleStudent:
    """One member of the sample class.

    Args:
        name: Student id.
        about: One sentence: what this submission is.
        start: `"solved"` or `"untouched"`.
        answers: Exercise to answer, as in `sample_class.toml`.
        handling: What happened to the file on its way.
        expected: Assignment to automatic points.
    """

    name: str
    about: str
    start: str
    expected: dict[str, float]
    answers: dict[str, str] = field(default_factory=dict)
    handling: str = ""


@dataclass(frozen=True)
class Mark:
    """What one submission got.

    Args:
        student: Student id.
        assignment: Assignment id.
        points: Automatic points.
        max_points: Points that can be had automatically.
        by_hand: Points that wait for a person.
        expected: Automatic points that the sample class says.
        lost: For each failed test cell its id, points and what it says.
        seconds: Time it took to grade.
    """

    student: str
    assignment: str
    points: float
    max_points: float
    by_hand: float
    expected: float
    lost: list[tuple[str, float, str]]
    seconds: float


def read_sample_class(path: Path) -> tuple[list[SampleStudent], dict[str, str]]:
    """Read the sample class.

    Returns:
        The students, and the pieces of code that their answers name.

    Raises:
        GraderError: If an entry has an unknown or a missing key.
    """
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    students = []
    for entry in content.get("student", []):
        try:
            students.append(SampleStudent(**entry))
        except TypeError as error:
            fix = "see the comments at the top of the file"
            raise GraderError(f"student {entry.get('name', '?')!r}: {error}", str(path), fix) from None
        if students[-1].handling not in HANDLINGS:
            raise GraderError(f"unknown handling {students[-1].handling!r}", str(path), f"one of {sorted(HANDLINGS)}")
    return students, content.get("code", {})


def make_submission(course: Course, student: SampleStudent, assignment: str, code: dict[str, str]) -> NotebookNode:
    """Make a sample student's submission from the released notebook.

    Raises:
        GraderError: If the student's answers name something that does not exist.
    """
    known = {e.name: e for e in exercises(read_notebook(course.source(assignment)))}
    chosen = {}
    for name, exercise in known.items():
        answer = student.answers.get(name, "solved" if student.start == "solved" else "untouched")
        if answer == "solved":
            chosen[name] = exercise.answer
        elif answer in code:
            chosen[name] = code[answer]
        elif answer != "untouched":
            chosen[name] = _from_catalogue(course, assignment, exercise, answer)
    return HANDLINGS[student.handling](fill_answers(read_notebook(course.released(assignment)), chosen))


def _from_catalogue(course: Course, assignment: str, exercise: Exercise, answer: str) -> str:
    kind, _, name = answer.partition(":")
    path = course.catalogue / assignment / f"{exercise.name}.py"
    catalogue = read_catalogue(path, exercise.functions, exercise.answer)
    for variant in catalogue.variants:
        if (variant.kind, variant.name) == (kind, name):
            return variant.source
    known = ", ".join(f"{v.kind}:{v.name}" for v in catalogue.variants)
    raise GraderError(f"no answer {answer!r} to {exercise.name}", "sample_class.toml", f"one of {known}")


def run_demo(course: Course, folder: Path, assignments: list[str], say: Callable[[str], None] = print) -> list[Mark]:
    """Release, submit, grade, write feedback and the report, and export marks for the sample class.

    Args:
        course: The course.
        folder: Where it happens; emptied first.
        assignments: Which notebooks.
        say: Receives a line of progress at a time.

    Returns:
        A mark for each student and notebook.

    Raises:
        GraderError: If nbgrader fails on a submission, which on this class it must not.
    """
    students, code = read_sample_class(Path(__file__).with_name("sample_class.toml"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    config, log = folders_config(course_config(course), folder), folder / "nbgrader.log"
    with open_nbgrader(config, log) as api:
        for assignment in assignments:
            say(f"releasing {assignment}")
            _succeed(api.generate_assignment(assignment), assignment, folder)
            for student in students:
                path = folder / "submitted" / student.name / assignment / f"{assignment}.ipynb"
                write_notebook(make_submission(course, student, assignment, code), path)
    say(f"marking, {processors()} at a time")
    try:
        entries = grade_class(course, config, assignments, jobs=processors(), log_to=log, say=say)
    finally:
        end()
    for entry in entries:
        if entry.outcome != "marked":
            raise GraderError(
                f"{entry.outcome}: {entry.why}", f"{entry.student}, {entry.assignment}", f"its log is {log}"
            )
    seconds = {(e.assignment, e.student): e.seconds for e in entries}
    marks = []
    say(f"writing feedback, {processors()} pages at a time")
    for page in write_pages(config, assignments, jobs=processors(), say=say):
        if page.outcome is not Outcome.WRITTEN:
            raise GraderError(
                f"no feedback: {page.outcome} {page.why}", f"{page.student}, {page.assignment}", "see log"
            )
    with open_nbgrader(config, log) as api:
        for assignment in assignments:
            for student in students:
                took = seconds[assignment, student.name]
                marks.append(_mark(api.coursedir.db_url, folder, assignment, student, took))
        with Gradebook(api.coursedir.db_url, api.coursedir.course_id) as gradebook:
            CsvExportPlugin(to=str(folder / "marks.csv"), parent=api).export(gradebook)
        folders = api.coursedir
        to, submitted = folder / "report.html", folder / "submitted"
        write_report(course, folders.db_url, folders.course_id, assignments, to, submitted=submitted, names=True)
    return marks


def _succeed(result: dict, what: str, folder: Path) -> None:
    if not result["success"]:
        raise GraderError(f"nbgrader failed: {failure_reason(result)}", what, f"its log is {folder / 'nbgrader.log'}")


def _mark(db_url: str, folder: Path, assignment: str, student: SampleStudent, seconds: float) -> Mark:
    marked = read_notebook(folder / "autograded" / student.name / assignment / f"{assignment}.ipynb")
    says = {grade_id(c): _complaint(c) for c in marked.cells if kind_of(c) is CellKind.TEST}
    with Gradebook(db_url) as gradebook:
        grades = gradebook.find_submission_notebook(assignment, assignment, student.name).grades
        automatic = [(g.name, g.auto_score or 0.0, g.max_score) for g in grades if g.name in says]
        by_hand = sum(g.max_score for g in grades if g.name not in says and g.needs_manual_grade)
    return Mark(
        student.name,
        assignment,
        sum(score for _, score, _ in automatic),
        sum(most for _, _, most in automatic),
        by_hand,
        student.expected.get(assignment, -1.0),
        [(name, most - score, says[name]) for name, score, most in automatic if score < most],
        seconds,
    )


def _complaint(cell: NotebookNode) -> str:
    for output in cell.get("outputs", []):
        if output.output_type == "error":
            if output.ename == "AssertionError":
                return output.evalue
            return f"{output.ename}: {output.evalue}" if output.evalue else output.ename
    return ""


def format_marks(marks: list[Mark], students: list[SampleStudent]) -> str:
    """Lay out who got what and why as text.

    Args:
        marks: Marks of a run.
        students: The sample class.

    Returns:
        A table with a row per student and, below it, a line for each test cell that failed.
    """
    assignments = list(dict.fromkeys(m.assignment for m in marks))
    width = max(len(s.name) for s in students)
    lines = [f"{'student':{width}}  " + "  ".join(f"{a[:2]:>8}" for a in assignments) + "   what this submission is"]
    for student in students:
        own = {m.assignment: m for m in marks if m.student == student.name}
        cells = [f"{own[a].points:g}/{own[a].max_points:g}" for a in assignments]
        lines.append(f"{student.name:{width}}  " + "  ".join(f"{c:>8}" for c in cells) + f"   {student.about}")
    lines += ["", "Why points were lost, test by test:"]
    for mark in marks:
        if mark.points == 0 and all("not written yet" in text for _, _, text in mark.lost):
            lines.append(f"  {mark.student}, {mark.assignment[:2]}: nothing written yet")
            continue
        for name, points, text in mark.lost:
            lines.append(f"  {mark.student}, {mark.assignment[:2]}: -{points:g} {name}: {printable_line(text, 150)}")
    waiting = sum(m.by_hand for m in marks)
    if waiting:
        lines += ["", f"{waiting:g} points of written answers wait for a person (in the formgrader)."]
    return "\n".join(lines)


def surprises(marks: list[Mark]) -> list[str]:
    """List the submissions whose points are not the expected ones, a sentence each."""
    return [
        f"{m.student}, {m.assignment}: {m.points:g} points, expected {m.expected:g}"
        for m in marks
        if m.points != m.expected
    ]
