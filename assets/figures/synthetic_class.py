"""A gradebook of a class that does not exist, with varied and plausible results: to try the class report on.

It is written into nbgrader's own tables and the table of marking records, without running any notebook. Each student
has an ability, each exercise a difficulty; a wrong answer is one of the catalogue's, the first ones of a file more
often than the last. The same seed gives the same class.
"""

from __future__ import annotations

import datetime
import json
import math
import random
import re
from pathlib import Path

from nbgrader import api
from nbgrader.api import Gradebook
from sqlalchemy import MetaData, Table, insert, select

from grader.core.catalogue import read_catalogue
from grader.core.cells import exercises, written_points
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests
from grader.engine import fingerprints
from grader.gradebook import records

MARKED = "2026-05-06T18:30:00+00:00"
DUE = datetime.datetime(2026, 5, 4, 12, 0)
REPAIRS = ("cell-moved", "marks-lost", "locked-changed", "files-left", "answer-elsewhere", "cells-restored")
UNANSWERED = {"outcome": "failed", "error": "NotImplementedError", "message": "not written yet", "line": 9}
NAMED, WITHOUT_RECORD, NOT_HANDED_IN, LATE = 0.75, 0.02, 0.06, 0.08


def write_class(course: Course, path: Path, assignments: list[str], students: int, seed: int = 0) -> None:
    """Write the gradebook of a class.

    Args:
        course: The course.
        path: The SQLite file; it must not exist.
        assignments: Which notebooks.
        students: How many.
        seed: Of all that is random.
    """
    draw = random.Random(seed)
    ids = [f"student-{n:04}" for n in range(1, students + 1)]
    abilities = {student: draw.gauss(0.9, 1.2) for student in ids}
    with Gradebook(f"sqlite:///{path}", "attention") as gradebook:
        records.read_all(gradebook, [])  # makes the table
        table = Table("marking_record", MetaData(), autoload_with=gradebook.engine)
        gradebook.db.execute(insert(api.Student), [{"id": s} for s in ids])
        for number, assignment in enumerate(assignments):
            notebook = _Notebook(course, gradebook, assignment, number, draw)
            notebook.write(abilities)
            gradebook.db.execute(insert(table), notebook.records)
        gradebook.db.commit()


class _Notebook:
    """One assignment of the class."""

    def __init__(self, course: Course, gradebook: Gradebook, assignment: str, number: int, draw: random.Random):
        nb = read_notebook(course.source(assignment))
        self.gradebook, self.assignment, self.draw = gradebook, assignment, draw
        self.exercises, self.written = exercises(nb), written_points(nb)
        self.hidden = {name: hidden_tests().numbers(source) for e in self.exercises for name, _, source in e.tests}
        self.visible = {
            name: [n for n, line in enumerate(source.split("\n"), 1) if n not in self.hidden[name] and "assert" in line]
            for e in self.exercises
            for name, _, source in e.tests
        }
        self.messages = {
            (name, n): match[1]
            for e in self.exercises
            for name, _, source in e.tests
            for n, line in enumerate(source.split("\n"), 1)
            if (match := re.search(r', f?"([^"{]+)"$', line))
        }
        self.difficulty = {e.name: draw.gauss(0.2 * number - 0.6, 0.7) for e in self.exercises}
        self.seconds = draw.uniform(0.4, 1.1)
        self.wrong = {}
        for e in self.exercises:
            catalogue = read_catalogue(course.catalogue / assignment / f"{e.name}.py", e.functions, e.answer)
            self.wrong[e.name] = [v for v in catalogue.variants if v.kind == "wrong"]
        self.records: list[dict] = []
        self.tests = fingerprints.tests_fingerprint(course.source(assignment))
        self.rows: dict[object, list[dict]] = {api.SubmittedAssignment: [], api.SubmittedNotebook: [], api.Grade: []}

    def write(self, abilities: dict[str, float]) -> None:
        """Write the assignment, its cells and what each student got."""
        self.gradebook.add_assignment(self.assignment, duedate=DUE)
        self.gradebook.add_notebook(self.assignment, self.assignment)
        for e in self.exercises:
            for name, points, _ in e.tests:
                self.gradebook.add_grade_cell(
                    name, self.assignment, self.assignment, max_score=points, cell_type="code"
                )
        for name, points in self.written.items():
            self.gradebook.add_grade_cell(
                name, self.assignment, self.assignment, max_score=points, cell_type="markdown"
            )
        assignment = self.gradebook.find_assignment(self.assignment)
        self.assignment_id, self.notebook_id = assignment.id, assignment.notebooks[0].id
        query = select(api.BaseCell.name, api.BaseCell.id).where(api.BaseCell.notebook_id == self.notebook_id)
        self.cells = {name: key for name, key in self.gradebook.db.execute(query)}
        for student, ability in abilities.items():
            if self.draw.random() > NOT_HANDED_IN:
                self._submission(student, ability)
        for table, rows in self.rows.items():
            self.gradebook.db.execute(insert(table), rows)

    def _submission(self, student: str, ability: float) -> None:
        draw = self.draw
        late = draw.random() < LATE
        key = f"{self.assignment_id[:8]}{student}"
        handed_in = DUE + datetime.timedelta(hours=draw.uniform(1, 40) if late else -draw.uniform(1, 90))
        self.rows[api.SubmittedAssignment].append(
            {"id": key, "assignment_id": self.assignment_id, "student_id": student, "timestamp": handed_in}
        )
        self.rows[api.SubmittedNotebook].append(
            {"id": key, "assignment_id": key, "notebook_id": self.notebook_id, "late_submission_penalty": 2.0 * late}
        )
        verdicts, causes = [], []
        stopped = len(self.exercises) if draw.random() > 0.15 else draw.randint(1, len(self.exercises))
        for place, e in enumerate(self.exercises):
            self._exercise(e, ability, place >= stopped, verdicts, causes)
        for verdict in verdicts:
            self._grade(key, verdict["name"], verdict["points"], None, False)
        for name, points in self.written.items():
            waits = draw.random() < 0.1
            score = None if waits else float(min(points, max(0, round(points * _chance(ability) + draw.gauss(0, 0.5)))))
            self._grade(key, name, None, score, waits)
        if draw.random() > WITHOUT_RECORD:
            self._record(student, verdicts, causes)

    def _grade(self, key: str, name: str, automatic: float | None, manual: float | None, waits: bool) -> None:
        self.rows[api.Grade].append(
            {
                "id": f"{key}{len(self.rows[api.Grade])}",
                "notebook_id": key,
                "cell_id": self.cells[name],
                "auto_score": automatic,
                "manual_score": manual,
                "needs_manual_grade": waits,
            }
        )

    def _exercise(self, e, ability: float, unanswered: bool, verdicts: list, causes: list) -> None:
        draw = self.draw
        right = draw.random() < _chance(ability - self.difficulty[e.name])
        wrong = None if right else self._variant(e.name)
        named = draw.random() < NAMED
        lost = {draw.choice(e.tests)[0] for _ in range(2)} if wrong else set()
        for name, points, _ in e.tests:
            verdict = {"name": name, "outcome": "passed", "error": "", "message": "", "line": None, "points": points}
            if unanswered:
                verdict |= {
                    "outcome": "failed",
                    "error": "NotImplementedError",
                    "message": "not written yet",
                    "line": 9,
                }
            elif name in lost:
                verdict |= self._failure(name)
                if named and wrong is not None:
                    causes.append({"test": name, "exercise": e.name, "name": wrong.name, "says": wrong.text})
            verdicts.append(verdict | {"points": float(points) if verdict["outcome"] == "passed" else 0.0})

    def _variant(self, exercise: str):
        known = self.wrong[exercise]
        return self.draw.choices(known, [1 / (n + 1) for n in range(len(known))])[0]

    def _failure(self, name: str) -> dict:
        draw = self.draw
        if draw.random() < 0.01:
            return {"outcome": "timeout", "error": "TimeoutError", "message": "did not end in time: an endless loop?"}
        visible, hidden = self.visible[name], sorted(self.hidden[name])
        lines = hidden if hidden and (not visible or draw.random() < 0.35) else visible or [1]
        if draw.random() < 0.2:
            return {"outcome": "failed", "error": "ValueError", "message": "shapes do not fit", "line": lines[0]}
        line = draw.choice([n for n in lines if (name, n) in self.messages] or lines)
        message = self.messages.get((name, line), "the values are not those of the definition")
        return {"outcome": "failed", "error": "AssertionError", "message": message, "line": line}

    def _record(self, student: str, verdicts: list, causes: list) -> None:
        draw = self.draw
        findings = []
        if draw.random() < 0.12:
            for kind in draw.sample(REPAIRS, draw.choice((1, 1, 2))):
                findings.append({"kind": kind, "where": "", "text": "It was put back.", "level": "repaired"})
        if draw.random() < 0.01:
            where, text = self.exercises[0].tests[0][0], "The points of a test cell were changed."
            findings.append({"kind": "points-changed", "where": where, "text": text, "level": "suspicious"})
        if draw.random() < 0.015:
            where, text = self.exercises[-1].name, "The answer could not be read."
            findings.append({"kind": "syntax-error", "where": where, "text": text, "level": "lost"})
        wall_s = self.seconds * draw.lognormvariate(0, 0.3) + 30 * any(v["outcome"] == "timeout" for v in verdicts)
        result = {
            "submission": student,
            "tests": self.tests,
            "points": sum(v["points"] for v in verdicts),
            "max_points": float(sum(e.points for e in self.exercises)),
            "verdicts": verdicts,
            "findings": findings,
            "causes": causes,
            "isolation": {"level": "bubblewrap"},
            "wall_s": round(wall_s, 3),
            "cpu_s": round(0.9 * min(wall_s, 10), 3),
            "peak_mib": 500,
        }
        row = {"assignment": self.assignment, "student": student, "at": MARKED, "result": json.dumps(result)}
        self.records.append(row)


def _chance(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
