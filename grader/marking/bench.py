"""Measure what marking costs, next to stock nbgrader and to the least that is possible, interleaved in one run.

CPU seconds of this process and of all that it started; the first submission of each side is not counted, since it pays
for imports that the others share. Demonstrations are left out on both sides.
"""

from __future__ import annotations

import copy
import resource
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from ..course import Course
from ..errors import GraderError
from ..nbgrader_api import course_config, failure_reason, folders_config, open_nbgrader
from ..notebook import SKIPPED_KINDS, exercises, kind_of, read_notebook, write_notebook
from ..samples import fill_answers
from . import records, work
from .isolate import Limits
from .mark import Budget, Pair, import_lines, mark_notebook, name_proxies
from .sandbox import Template
from .skipping import mark_skippable
from .transplant import transplant


@dataclass
class Cost:
    """What one way of marking costs per further submission.

    Args:
        cpu_s: CPU seconds of each submission.
        wall_s: Seconds on the clock of each.
        points: Points of each.
    """

    cpu_s: list[float] = field(default_factory=list)
    wall_s: list[float] = field(default_factory=list)
    points: list[float] = field(default_factory=list)

    def mean(self) -> tuple[float, float]:
        """Give CPU and clock seconds per submission without the first."""
        count = max(len(self.cpu_s) - 1, 1)
        return sum(self.cpu_s[1:]) / count, sum(self.wall_s[1:]) / count


def _cpu() -> float:
    own, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def _bare(course: Course, folder: Path) -> Config:
    config = Config()
    config.CourseDirectory.root = str(course.root)
    config.CourseDirectory.source_directory = "solutions"
    config.Execute.timeout = 600
    # Each kernel would tell on the terminal over which transport it talks.
    config.Execute.extra_arguments = ["--IPKernelApp.log_level=ERROR"]
    return folders_config(config, folder)


def _points(api: NbGraderAPI, assignment: str, student: str) -> float:
    with Gradebook(api.coursedir.db_url) as gradebook:
        found = gradebook.find_submission_notebook(assignment, assignment, student)
        return sum(g.auto_score or 0.0 for g in found.grades)


def compare(
    course: Course, assignment: str, submissions: int, say: Callable[[str], None] = lambda line: None
) -> dict[str, Cost]:
    """Mark the same submissions in three ways, by turns.

    Args:
        course: The course.
        assignment: Which assignment.
        submissions: How many count; one more is marked first.
        say: Receives a line of progress at a time.

    Returns:
        Costs by way: `stock`, `ours`, and `floor`: the cells alone, on both sides, without nbgrader around it.

    Raises:
        GraderError: If a way fails or the ways give different marks.
    """
    source = read_notebook(course.source(assignment))
    solved = fill_answers(read_notebook(course.released(assignment)), {e.name: e.answer for e in exercises(source)})
    short = copy.deepcopy(solved)
    short.cells = [c for c in short.cells if kind_of(c) not in SKIPPED_KINDS]
    costs = {way: Cost() for way in ("stock", "ours", "floor")}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder, Template(import_lines(source)) as template:
        ways = {"stock": _bare(course, Path(folder, "stock"))}
        ways["ours"] = folders_config(course_config(course), Path(folder, "ours"))
        for way, config in ways.items():
            Path(folder, way).mkdir()
            with open_nbgrader(config) as api:
                _succeed(api.generate_assignment(assignment), way)
        for number in range(submissions + 1):
            student = f"student{number}"
            for way, config in ways.items():
                path = Path(folder, way, "submitted", student, assignment, f"{assignment}.ipynb")
                write_notebook(short if way == "stock" else solved, path)
                with open_nbgrader(config) as api:
                    begun, cpu = time.monotonic(), _cpu()
                    _succeed(api.autograde(assignment, student), way)
                    used = _cpu() - cpu
                    if way == "ours":  # what was forked from the warm process is not this process's child
                        with Gradebook(api.coursedir.db_url) as gradebook:
                            used += records.read(gradebook, assignment, student)["cpu_s"]
                    costs[way].cpu_s.append(used)
                    costs[way].wall_s.append(time.monotonic() - begun)
                    costs[way].points.append(_points(api, assignment, student))
            nb = transplant(source, solved).notebook
            mark_skippable(nb, source)
            name_proxies(nb, source)
            begun = time.monotonic()
            marked = mark_notebook(nb, template, Budget())
            costs["floor"].cpu_s.append(marked.cpu_s)
            costs["floor"].wall_s.append(time.monotonic() - begun)
            say(f"{assignment}: {number + 1} of {submissions + 1}")
    work.warm.close()
    if costs["stock"].points != costs["ours"].points:
        raise GraderError(
            f"marks differ: {costs['stock'].points} and {costs['ours'].points}", assignment, "see the log"
        )
    return costs


def _succeed(result: dict, what: str) -> None:
    if not result["success"]:
        raise GraderError(f"nbgrader failed: {failure_reason(result)}", what, "run `grader demo` and see its log")


def layers(course: Course, assignment: str, repeat: int = 5) -> dict[str, float]:
    """Measure the layers of marking one submission, in milliseconds on the clock, the median of a few.

    Args:
        course: The course.
        assignment: Which assignment.
        repeat: How often.
    """
    source = read_notebook(course.source(assignment))
    solved = fill_answers(read_notebook(course.released(assignment)), {e.name: e.answer for e in exercises(source)})
    times: dict[str, list[float]] = {}

    def measure(name: str, run: Callable[[], object]) -> object:
        begun = time.monotonic()
        result = run()
        times.setdefault(name, []).append(1000 * (time.monotonic() - begun))
        return result

    kit = work.Kit.read(course.source(assignment))
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        path = Path(folder, "student", assignment)
        write_notebook(solved, path / f"{assignment}.ipynb")
        for _ in range(repeat):
            measure("intake, reading and transplant", lambda: work.planted(kit, work.Handed.take(path, kit)))
        for at_most in ("limits", "landlock", "bubblewrap"):
            with Template("import numpy", at_most=at_most) as template:
                Pair(template, Limits()).end()
                for _ in range(repeat):
                    pair = measure(f"two processes, isolated by {at_most}", lambda t=template: Pair(t, Limits()))
                    pair.end()
    return {name: sorted(values)[len(values) // 2] for name, values in times.items()}


def report(costs: dict[str, dict[str, Cost]], parts: dict[str, float]) -> str:
    """Lay out the figures as text."""
    lines = ["per further submission            CPU s   clock s   stock's CPU time over it"]
    for assignment, ways in costs.items():
        stock = ways["stock"].mean()[0]
        for way, what in (("stock", "stock nbgrader"), ("ours", "ours"), ("floor", "cells alone")):
            cpu, wall = ways[way].mean()
            lines.append(f"{assignment[:2]} {what:28} {cpu:7.2f}   {wall:7.2f}   {stock / cpu:7.1f}")
    lines += ["", "layers, milliseconds on the clock"]
    lines += [f"{name:42} {value:7.1f}" for name, value in parts.items()]
    return "\n".join(lines)
