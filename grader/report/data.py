"""Read what the report needs: source notebooks, nbgrader's gradebook and the marking records, with few queries.

What is missing or does not fit is kept as such, so that the page can say it. Text of a record, some of which a student
may have written, is cut to a length and freed of control characters.
"""

from __future__ import annotations

import enum
import json
import math
import re
from dataclasses import dataclass, field, replace
from pathlib import Path

from nbformat import NotebookNode
from nbgrader.api import (
    Assignment,
    BaseCell,
    Grade,
    Gradebook,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import Select, select
from sqlalchemy.exc import SQLAlchemyError

from grader.core.cells import exercises, written_points
from grader.core.course import Course
from grader.core.databases import read_address, shown_address
from grader.core.errors import GraderError, first_line
from grader.core.escaping import printable_line
from grader.core.findings import Finding
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests
from grader.engine import fingerprints
from grader.gradebook import records
from grader.languages.stubs import stub_texts
from grader.sandbox.inside.checking import quoted

#: Characters of a message or sentence that are kept.
LONGEST = 240


@dataclass(frozen=True)
class Item:
    """What points are given for: an exercise with its test cells, or a written answer.

    Args:
        name: `grade_id` of the answer cell.
        number: Such as `"2.3"`; empty for a written answer.
        points: Most points.
        tests: `grade_id`s of its test cells; none for a written answer.
    """

    name: str
    number: str
    points: float
    tests: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """Number and name; of a written answer what it is about."""
        if self.number:
            return f"{self.number} {self.name}"
        return "written: " + self.name.removeprefix("written_").replace("_", " ")


@dataclass(frozen=True)
class Layout:
    """What a source notebook consists of.

    Args:
        assignment: Assignment id.
        title: Its first heading.
        items: Exercises in order, then written answers.
        hidden: For each test cell the lines of its hidden tests, counted from 1.
        fingerprint: Of the notebook and of what marks it now.
        stubs: What an exercise says that nobody has written.
    """

    assignment: str
    title: str
    items: tuple[Item, ...]
    hidden: dict[str, frozenset[int]]
    fingerprint: str
    stubs: frozenset[str] = frozenset()

    @property
    def code(self) -> tuple[Item, ...]:
        """The exercises."""
        return tuple(i for i in self.items if i.tests)

    @property
    def written(self) -> tuple[Item, ...]:
        """The written answers."""
        return tuple(i for i in self.items if not i.tests)

    @property
    def code_points(self) -> float:
        """Most points of the exercises."""
        return sum(i.points for i in self.code)

    @property
    def points(self) -> float:
        """Most points of all."""
        return sum(i.points for i in self.items)


@dataclass(frozen=True)
class Verdict:
    """How a test cell ended, as the marking record has it.

    Args:
        test: The cell's `grade_id`.
        outcome: How it ended.
        error: Type name of the exception.
        message: Its text.
        line: Line of the cell.
        by_test: Whether the message is the test's own. Records from before this was noted do not say; then it is.
    """

    test: str
    outcome: str
    error: str
    message: str
    line: int | None
    by_test: bool = True

    @property
    def reason(self) -> str:
        """The test's words, or the name of an error with what it says, which may be words of the student's."""
        if self.error == "AssertionError" and self.by_test:
            return self.message
        return f"{self.error}: {quoted(self.message)}" if self.message else self.error


@dataclass(frozen=True)
class Cause:
    """A failure whose misconception is known.

    Args:
        test: `grade_id` of the test cell.
        exercise: `grade_id` of the answer cell.
        name: Name of the wrong variant.
        says: What the catalogue says to a student who has it.
    """

    test: str
    exercise: str
    name: str
    says: str


@dataclass(frozen=True)
class Record:
    """What marking kept of a submission."""

    at: str
    points: float
    verdicts: tuple[Verdict, ...]
    findings: tuple[Finding, ...]
    causes: tuple[Cause, ...]
    wall_s: float
    cpu_s: float
    tests: str


class Problem(enum.Enum):
    """Why there is no marking record of a submission that can be used."""

    NO_RECORD = enum.auto()
    UNREADABLE = enum.auto()
    DISAGREES = enum.auto()
    """The submission was marked again by another program since, so the record is about other marks."""


@dataclass
class Submission:
    """A student's submission of one notebook.

    Args:
        student: Student id.
        late: Whether it came after the due date.
        penalty: Points taken off for that.
        scores: Points of each graded cell, as nbgrader counts them, without extra credit; None if there are none yet.
        automatic: Points that the test cells gave by themselves.
        extra: Extra credit.
        overridden: Test cells whose points a person set.
        to_review: Written answers whose marks a person gave before the submission was marked anew.
        record: What marking kept, or None.
        problem: Why there is none; None if there is one.
    """

    student: str
    late: bool = False
    penalty: float = 0.0
    scores: dict[str, float | None] = field(default_factory=dict)
    automatic: float = 0.0
    extra: float = 0.0
    overridden: int = 0
    to_review: int = 0
    record: Record | None = None
    problem: Problem | None = Problem.NO_RECORD


@dataclass
class NotebookData:
    """All submissions of one notebook.

    Args:
        layout: The source notebook.
        released: Whether the gradebook knows the assignment.
        submissions: Those in the gradebook, sorted by student.
        unknown_tests: Graded cells of the gradebook that the source notebook does not have.
        stray_records: Records of submissions that the gradebook does not have.
        not_marked: Students whose folder was handed in and is not in the gradebook.
    """

    layout: Layout
    released: bool = False
    submissions: list[Submission] = field(default_factory=list)
    unknown_tests: tuple[str, ...] = ()
    stray_records: int = 0
    not_marked: tuple[str, ...] = ()


@dataclass
class ClassData:
    """A class.

    Args:
        students: Student ids of the gradebook with the names in it (perhaps empty).
        notebooks: One for each assignment asked for.
    """

    students: dict[str, str]
    notebooks: list[NotebookData]


def plain(text: str, longest: int = LONGEST) -> str:
    """Return one line of text that can be printed: no control or direction characters, white space joined, cut.

    Args:
        text: Of anybody's.
        longest: Most characters.
    """
    return printable_line(text, longest)


def read_layout(nb: NotebookNode, assignment: str, fingerprint: str = "") -> Layout:
    """Read what a source notebook consists of.

    Args:
        nb: The source notebook.
        assignment: Its name.
        fingerprint: Of the notebook and of what marks it now.
    """
    found = exercises(nb)
    items = [Item(e.name, e.number, float(e.points), tuple(t[0] for t in e.tests)) for e in found if e.tests]
    items += [Item(name, "", float(points)) for name, points in written_points(nb).items()]
    heading = next((re.search(r"^# (.+)$", c.source, re.M) for c in nb.cells if c.source.startswith("# ")), None)
    hidden = {name: hidden_tests().numbers(source) for e in found for name, _, source in e.tests}
    return Layout(assignment, heading.group(1) if heading else assignment, tuple(items), hidden, fingerprint)


def read_class(course: Course, db_url: str, course_id: str, assignments: list[str]) -> ClassData:
    """Read a class.

    Args:
        course: The course, for its source notebooks.
        db_url: Where the gradebook is.
        course_id: nbgrader's id of the course.
        assignments: Which notebooks.

    Raises:
        GraderError: If there is no gradebook or it cannot be read.
    """
    url = read_address(db_url)
    where = shown_address(url)
    if url.get_backend_name() == "sqlite" and not Path(url.database or "").is_file():
        fix = "mark a class first (`grader grade`), or name another gradebook with --gradebook"
        raise GraderError("no gradebook", str(url.database), fix)
    stubs = stub_texts(course)
    layouts = [
        replace(read_layout(read_notebook(path), a, fingerprints.tests_fingerprint(path)), stubs=stubs)
        for a, path in ((a, course.source(a)) for a in assignments)
    ]
    try:
        with Gradebook(db_url, course_id) as gradebook:
            return _read(gradebook, layouts)
    except SQLAlchemyError as error:
        raise GraderError(f"the gradebook cannot be read: {first_line(error)}", where, "is it nbgrader's?") from None


def _read(gradebook: Gradebook, layouts: list[Layout]) -> ClassData:
    names = [layout.assignment for layout in layouts]
    query = gradebook.db.execute
    people = query(select(Student.id, Student.first_name, Student.last_name).order_by(Student.id))
    students = {row[0]: " ".join(part for part in row[1:] if part) for row in people}
    known = set(query(select(Assignment.name).where(Assignment.name.in_(names))).scalars())
    notebooks = {layout.assignment: NotebookData(layout, layout.assignment in known) for layout in layouts}

    rows = query(
        _of_assignments(
            select(
                SubmittedNotebook.id,
                Assignment.name,
                SubmittedAssignment.student_id,
                SubmittedNotebook.late_submission_penalty,
                SubmittedAssignment.timestamp,
                Assignment.duedate,
                SubmittedAssignment.extension,
            ).select_from(SubmittedNotebook),
            names,
        ).order_by(Assignment.name, SubmittedAssignment.student_id)
    )
    submissions, places = {}, {}
    for key, assignment, student, penalty, handed_in, due, extension in rows:
        due = due + extension if due is not None and extension is not None else due
        late = handed_in is not None and due is not None and handed_in > due
        submission = Submission(student, late, float(penalty or 0.0))
        submissions[key], places[assignment, student] = submission, submission
        notebooks[assignment].submissions.append(submission)
    _read_grades(gradebook, names, notebooks, submissions)
    _read_records(gradebook, names, notebooks, places)
    return ClassData(students, list(notebooks.values()))


def _of_assignments(query: Select, names: list[str]) -> Select:
    """Join from submitted notebooks to the notebook of the assignment's own name."""
    return (
        query.join(SubmittedAssignment, SubmittedNotebook.assignment_id == SubmittedAssignment.id)
        .join(Notebook, SubmittedNotebook.notebook_id == Notebook.id)
        .join(Assignment, SubmittedAssignment.assignment_id == Assignment.id)
        .where(Assignment.name.in_(names), Notebook.name == Assignment.name)
    )


def _read_grades(
    gradebook: Gradebook, names: list[str], notebooks: dict[str, NotebookData], submissions: dict[str, Submission]
) -> None:
    tests = {a: set(nb.layout.hidden) for a, nb in notebooks.items()}
    items = {a: {i.name for i in nb.layout.written} for a, nb in notebooks.items()}
    unknown: dict[str, set[str]] = {a: set() for a in notebooks}
    cells = {key: name for key, name in gradebook.db.execute(select(BaseCell.id, BaseCell.name))}
    rows = gradebook.db.execute(
        _of_assignments(
            select(
                Grade.notebook_id,
                Assignment.name,
                Grade.cell_id,
                Grade.auto_score,
                Grade.manual_score,
                Grade.extra_credit,
                Grade.needs_manual_grade,
            )
            .select_from(Grade)
            .join(SubmittedNotebook, Grade.notebook_id == SubmittedNotebook.id),
            names,
        )
    )
    for key, assignment, cell, automatic, manual, extra, waits in rows:
        submission, name = submissions[key], cells.get(cell, "")
        is_test = name in tests[assignment]
        if not is_test and name not in items[assignment]:
            unknown[assignment].add(name)
            continue
        submission.scores[name] = manual if manual is not None else automatic
        submission.extra += extra or 0.0
        if is_test:
            submission.automatic += automatic or 0.0
            submission.overridden += manual is not None
        else:
            submission.to_review += manual is not None and bool(waits)
    for assignment, names_unknown in unknown.items():
        notebooks[assignment].unknown_tests = tuple(sorted(names_unknown))


def _read_records(
    gradebook: Gradebook, names: list[str], notebooks: dict[str, NotebookData], places: dict[tuple, Submission]
) -> None:
    for assignment, student, at, text in records.read_all(gradebook, names):
        submission = places.get((assignment, student))
        if submission is None:
            notebooks[assignment].stray_records += 1
            continue
        try:
            record = read_record(json.loads(text), at)
        except (ValueError, TypeError, LookupError, AttributeError):
            submission.problem = Problem.UNREADABLE
            continue
        fits = math.isclose(record.points, submission.automatic, abs_tol=1e-6)
        submission.record, submission.problem = (record, None) if fits else (None, Problem.DISAGREES)


def read_record(result: dict, at: str) -> Record:
    """Read a marking record.

    Args:
        result: The record as plain data.
        at: When it was written.

    Raises:
        ValueError, TypeError, LookupError, AttributeError: If it is no such record.
    """
    verdicts = tuple(
        Verdict(
            str(v["name"]),
            str(v["outcome"]),
            plain(str(v.get("error", "")), 60),
            plain(str(v.get("message", ""))),
            v["line"] if type(v.get("line")) is int else None,
            v.get("by_test") is not False,
        )
        for v in result["verdicts"]
    )
    causes = tuple(
        Cause(str(c["test"]), plain(str(c["exercise"]), 60), plain(str(c["name"]), 60), plain(_said_of_all(c)))
        for c in result.get("causes") or ()
    )
    found = [Finding.from_json(f) for f in result["findings"]]
    findings = tuple(Finding(plain(f.kind, 60), plain(f.where, 80), plain(f.text), f.level) for f in found)
    wall_s, cpu_s = float(result["wall_s"]), float(result["cpu_s"])
    return Record(at, float(result["points"]), verdicts, findings, causes, wall_s, cpu_s, str(result.get("tests", "")))


#: How `circumstances.told` begins.
_COUNTED = re.compile(r"^Your function is right in \d+ of the \d+ calls that were tried\. ")


def _said_of_all(cause: dict[str, object]) -> str:
    """Return what all who made a mistake are told: not the numbers of one student.

    Of a self-check that is its line. Of where an answer goes wrong it is what the calls have in common, not how many.
    """
    how, _, line = str(cause["name"]).partition(": ")
    says = line if how == "self-check" and line else str(cause["says"])
    return _unquoted(_COUNTED.sub("", says) if how == "where" else says)


def _unquoted(says: str) -> str:
    """Return what is said about a mistake without the words of a student's exception, which a self-check quotes."""
    return re.sub("\u201c[^\u201d]*(\u201d|$)", "...", says)
