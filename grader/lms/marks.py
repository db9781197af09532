"""Marks as the gradebook has them, question by question, and the sentence that goes to the student with them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nbgrader.api import Gradebook

from grader.feedback.marks import marks_word
from grader.lms.students import Students, write_rows


@dataclass(frozen=True)
class Question:
    """One graded cell of a submission.

    Args:
        name: Its `grade_id`.
        score: Points given.
        max_score: Points that can be had.
        waits: Whether a person has yet to mark it.
    """

    name: str
    score: float
    max_score: float
    waits: bool


@dataclass(frozen=True)
class Mark:
    """What one submission got.

    Args:
        student: nbgrader's id.
        assignment: Which assignment.
        questions: Its graded cells, in the notebook's order.
        penalty: Points taken off because it came late.
        comments: What was written about its answers, with the answer's name.
    """

    student: str
    assignment: str
    questions: tuple[Question, ...]
    penalty: float
    comments: tuple[tuple[str, str], ...]

    @property
    def score(self) -> float:
        """Points after the penalty, as nbgrader's own export counts them."""
        return max(0.0, sum(q.score for q in self.questions) - self.penalty)

    @property
    def max_score(self) -> float:
        """Points that can be had."""
        return sum(q.max_score for q in self.questions)

    @property
    def waiting(self) -> float:
        """Points that a person has yet to give."""
        return sum(q.max_score for q in self.questions if q.waits)

    @property
    def word(self) -> str:
        """The word by which a feedback page tells which marks it shows."""
        grades = {q.name: (q.score, q.max_score, q.waits) for q in self.questions}
        return marks_word(grades, self.penalty, dict(self.comments))

    @property
    def remarks(self) -> list[tuple[str, str]]:
        """What a person wrote, in lines as typed, with the answers that it is about."""
        by_text: dict[str, list[str]] = {}
        for name, text in self.comments:
            by_text.setdefault("\n".join(text.rstrip().splitlines()), []).append(name)
        return [(", ".join(names), text) for text, names in by_text.items() if text]

    def sentences(self) -> list[str]:
        """Describe where the points went, for the student, and what a person wrote, each remark in one line."""
        return self.points_told() + [f"{names}: {' '.join(text.split())}" for names, text in self.remarks]

    def points_told(self, lost_too: bool = True) -> list[str]:
        """Describe where the points went, for the student.

        Args:
            lost_too: Whether to list the questions at which points were lost.
        """
        lines = [f"{number(self.score)} of {number(self.max_score)} points."]
        if self.waiting:
            lines.append(f"{number(self.waiting)} of them wait for a person.")
        if self.penalty:
            lines.append(f"{number(self.penalty)} points were taken off because it came late.")
        lost = [q for q in self.questions if q.score < q.max_score and not q.waits]
        if lost and lost_too:
            shown = ", ".join(f"{q.name} {number(q.score)} of {number(q.max_score)}" for q in lost)
            lines.append(f"Points were lost at: {shown}. The feedback says why.")
        return lines


def read_marks(gradebook: Gradebook, assignment: str, students: Iterable[str] = ()) -> list[Mark]:
    """Read the marks of an assignment.

    Args:
        gradebook: The gradebook.
        assignment: Which assignment.
        students: Which students; none means all.

    Returns:
        A mark for each submission, by student.
    """
    wanted, marks = set(students), []
    order: dict[str, int] = {}
    for notebook in gradebook.find_assignment(assignment).notebooks:
        order |= {cell.name: place for place, cell in enumerate(notebook.source_cells)}
    for submission in gradebook.assignment_submissions(assignment):
        if wanted and submission.student.id not in wanted:
            continue
        questions, comments = [], []
        for notebook in submission.notebooks:
            for grade in sorted(notebook.grades, key=lambda g: (order.get(g.name, len(order)), g.name)):
                questions.append(Question(grade.name, grade.score, grade.max_score, bool(grade.needs_manual_grade)))
            comments += [(c.name, c.comment) for c in notebook.comments if c.comment]
        comments.sort(key=lambda pair: order.get(pair[0], len(order)))
        penalty = submission.late_submission_penalty or 0.0
        marks.append(Mark(submission.student.id, assignment, tuple(questions), penalty, tuple(comments)))
    return sorted(marks, key=lambda m: m.student)


def write_questions(path: Path, marks: list[Mark], students: Students, folders: Mapping[str, str]) -> None:
    """Write a table with a row per student and a column per question.

    Args:
        path: Where to.
        marks: The marks.
        students: Who is who, for the names.
        folders: The names of folders by the ids that were made of them: the names of whom `students` does not have.
    """
    rows = []
    for mark in marks:
        names = [p.name for p in students.people if p.student == mark.student]
        row = {
            "student": mark.student,
            "name": names[0] if names else folders.get(mark.student, ""),
            "waits for a person": number(mark.waiting),
        }
        row |= question_columns(mark) | {"late penalty": number(mark.penalty)}
        rows.append(row | {f"total ({number(mark.max_score)})": number(mark.score)})
    header = list(dict.fromkeys(key for row in rows for key in row))
    write_rows(path, header, rows)


def question_columns(mark: Mark) -> dict[str, str]:
    """Return the points of each question under a heading with its most points; nothing for those that wait."""
    return {f"{q.name} ({number(q.max_score)})": "" if q.waits else number(q.score) for q in mark.questions}


def counted(count: int, what: str) -> str:
    """Write `1 grade`, `2 grades`."""
    return f"{count} {what}{'s' * (count != 1)}"


def number(value: float) -> str:
    """Write points with a point and at most two decimals, as both systems read them."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
