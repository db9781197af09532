"""Where the time of one submission goes, and whether the gradebook becomes the bottleneck."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path

from nbgrader.api import Gradebook, Student
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from grader.benchmarks.measuring import realistic, succeed
from grader.core.cells import LOCKED_KINDS, CellKind, kind_of
from grader.core.course import Course
from grader.core.nbgrader_api import course_config, folders_config, open_nbgrader
from grader.core.notebook import as_text, write_notebook
from grader.engine import running, submission
from grader.engine.recognising import Known, Recogniser
from grader.engine.result import Origin, render
from grader.engine.settings import Budget, Settings
from grader.gradebook.writer import Writer
from grader.sandbox.inside import isolate
from grader.sandbox.pair import Pair
from grader.sandbox.warm import Template
from grader.sandbox.warm_processes import warm


class _Timed(running._Run):
    """A run that notes how long each kind of cell takes on the clock."""

    spent: dict[str, float]

    def _cell(self, n: int, again: bool) -> None:
        cell, begun = self.nb.cells[n], time.monotonic()
        super()._cell(n, again)
        kind = kind_of(cell)
        if kind is CellKind.SETUP:
            name = "set-up cell, on both sides"
        elif kind in LOCKED_KINDS:
            name = "helper and given cells"
        elif kind is CellKind.TEST:
            name = "tests, with their calls of answers"
        else:
            name = "answers and the student's own cells"
        self.spent[name] = self.spent.get(name, 0.0) + time.monotonic() - begun


def profile(course: Course, assignment: str, repeat: int = 5) -> dict[str, float]:
    """Measure where the time of one submission goes, one worker, no plots: milliseconds on the clock, the median.

    Args:
        course: The course.
        assignment: Which assignment.
        repeat: How often; one more time comes first.
    """
    times: dict[str, list[float]] = {}
    kit = submission.Kit.read(course.source(assignment))
    with tempfile.TemporaryDirectory(prefix="bench-") as name, Template(kit.imports) as template:
        folder, config = Path(name), folders_config(course_config(course), Path(name))
        path = folder / "submitted" / "student" / assignment
        write_notebook(realistic(course, assignment), path / f"{assignment}.ipynb")
        with open_nbgrader(config) as api:
            succeed(api.generate_assignment(assignment), assignment)
            for _ in range(repeat + 1):
                for what, seconds in _once(kit, path, template, config, api).items():
                    times.setdefault(what, []).append(1000 * seconds)
    return {what: sorted(values[1:])[repeat // 2] for what, values in times.items()}


def _once(kit: submission.Kit, path: Path, template: Template, config: Config, api: NbGraderAPI) -> dict[str, float]:
    spent, begun = {}, time.monotonic()

    def done(what: str) -> None:
        nonlocal begun
        spent[what], begun = time.monotonic() - begun, time.monotonic()

    handed = submission.Handed.take(path, kit)
    made = submission.planted(kit, handed)
    nb, plan = made.notebook, made.plan
    done("reading, transplant, what to skip")
    Pair(template, isolate.Limits()).end()
    done("two processes, isolated, begun and ended")
    recogniser = Recogniser(Known(kit.source, kit.mistakes, kit.tests), template)
    run = _Timed(nb, plan, template, Budget(), isolate.Limits(), recogniser, False)
    run.spent = {}
    result = run.run().of(Origin(handed.digest, kit.tests, tuple(made.findings)))
    spent |= run.spent
    begun = time.monotonic()
    render(nb, result)
    graded = submission.Graded(as_text(nb), *submission.kept(nb, result))
    with Gradebook(api.coursedir.db_url, api.coursedir.course_id) as gradebook:
        writer = Writer(api.coursedir, config, gradebook)
        students = "warm-up", f"student{time.monotonic_ns()}"
        for student in students:
            gradebook.update_or_create_student(student)
        writer.write(kit.assignment, students[0], None, graded)
        begun = time.monotonic()
        writer.write(kit.assignment, students[1], None, graded)
    done("marks and marked notebook written")
    return spent


def growth(course: Course, assignment: str, counts: tuple[int, ...]) -> dict[int, tuple[float, float]]:
    """Write the marks of one submission for ever more students: does the gradebook become the bottleneck?

    Args:
        course: The course.
        assignment: Which assignment.
        counts: How many students, ascending.

    Returns:
        By count: CPU and clock seconds of this process for each submission since the count before.
    """
    found: dict[int, tuple[float, float]] = {}
    kit = submission.Kit.read(course.source(assignment))
    handed = submission.Handed("own.ipynb", json.dumps(realistic(course, assignment)).encode())
    graded = submission.mark_handed(kit, handed, Settings())
    warm.close()
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        config = folders_config(course_config(course), Path(name))
        with open_nbgrader(config) as api:
            succeed(api.generate_assignment(assignment), assignment)
            with Gradebook(api.coursedir.db_url, api.coursedir.course_id) as gradebook:
                writer, done = Writer(api.coursedir, config, gradebook), 0
                for count in counts:
                    students = [f"student{n}" for n in range(done, count)]
                    gradebook.db.add_all(Student(id=student) for student in students)
                    gradebook.db.commit()
                    begun, cpu = time.monotonic(), time.process_time()
                    for student in students:
                        writer.write(assignment, student, None, graded)
                    many = count - done
                    found[count] = (time.process_time() - cpu) / many, (time.monotonic() - begun) / many
                    done = count
    return found
