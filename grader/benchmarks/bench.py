"""Measure what marking costs, next to stock nbgrader and to the least that is possible, by turns in one run.

The submissions are right ones of students who have explored (`grader.testing.exploring`), each in another way. Stock
nbgrader gets them without the demonstrations, which it would run with all their trainings, unless asked for `whole`;
ours gets them whole. CPU seconds are those of every process that takes part; the first turn of each way is not counted,
since it pays for imports that all others share.
"""

from __future__ import annotations

import itertools
import json
import socket
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from nbgrader.api import Gradebook
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from grader.benchmarks.measuring import Cost, cpu_seconds, memory, must_be_right, realistic, succeed
from grader.classrun.run import grade_class
from grader.core.cells import SKIPPED_KINDS, CellKind, kind_of
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.nbgrader_api import course_config, folders_config, open_nbgrader
from grader.core.notebook import write_notebook
from grader.engine import submission
from grader.sandbox.inside import isolate
from grader.sandbox.inside.orders import Role
from grader.sandbox.warm import Template
from grader.sandbox.warm_processes import warm

WAYS = {
    "stock": "stock nbgrader",
    "ours": "ours",
    "floor": "floor: one warm process",
}
#: Submissions that stock nbgrader marks in a turn.
_STOCK = 2
#: Students of the class that is marked with one worker and with two.
STUDENTS = 28


class _Turns:
    """The ways of marking one assignment, each with a class of its own that is marked again at each turn.

    Args:
        course: The course.
        assignment: Which assignment.
        folder: An empty folder.
        many: How many submissions our ways and the floor mark in a turn; stock nbgrader, many times slower, marks two.
        whole: Whether stock nbgrader gets the demonstrations as well.
    """

    def __init__(self, course: Course, assignment: str, folder: Path, many: int, whole: bool = False):
        self.course, self.assignment, self.folder = course, assignment, folder
        self.configs = {
            "stock": _bare(course, folder / "stock"),
            "ours": folders_config(course_config(course), folder / "ours"),
        }
        for way, config in self.configs.items():
            for number in range(_STOCK if way == "stock" else many):
                nb = realistic(course, assignment, number)
                if way == "stock" and not whole:
                    nb.cells = [c for c in nb.cells if kind_of(c) not in SKIPPED_KINDS]
                own = folder / way / "submitted" / f"student{number}" / assignment
                write_notebook(nb, own / f"{assignment}.ipynb")
            with open_nbgrader(config) as api:
                succeed(api.generate_assignment(assignment), way)
        kit = submission.Kit.read(course.source(assignment))
        nb = realistic(course, assignment)
        made = submission.planted(kit, submission.Handed("own.ipynb", json.dumps(nb).encode()))
        cells = {
            n: c for n, c in enumerate(made.notebook.cells) if c.cell_type == "code" and n not in made.plan.skipped
        }
        run = [(kind_of(c) is CellKind.TEST, made.plan.sources.get(n, c.source)) for n, c in cells.items()]
        self.cells = json.dumps([["test" if test else "", source] for test, source in run])
        self.many, self.imports = many, kit.imports
        self.floor: Template | None = None

    def _failed_on_the_floor(self) -> int:
        """Run the notebook in one process of a warm one, started if need be as marking starts it but without walls."""
        if self.floor is None:
            self.floor = Template(self.imports, at_most=isolate.Level.LIMITS)
            self.floor.__enter__()
        own, other = socket.socketpair()
        with own:
            with other:
                number, _ = self.floor.spawn(Role.FLOOR, [other], isolate.Limits())
            own.sendall(self.cells.encode() + b"\n")
            with own.makefile() as lines:
                reply = lines.readline()
        used = self.floor.end(number, 5)
        if not reply:
            raise GraderError(f"the process of the floor ended: {used['ended']}", self.assignment, "see `grader audit`")
        return json.loads(reply)["failed"]

    def turn(self, way: str) -> int:
        """Mark; give how many submissions."""
        if way == "floor":
            for _ in range(self.many):
                if failed := self._failed_on_the_floor():
                    raise GraderError(f"{failed} tests fail in one process", self.assignment, "see `grader audit`")
            return self.many
        if way == "stock":
            with open_nbgrader(self.configs[way]) as api:
                for number in range(_STOCK):
                    succeed(api.autograde(self.assignment, f"student{number}"), way)
                self.must_be_full(api)
            return _STOCK
        must_be_right(grade_class(self.course, self.configs[way], [self.assignment], force=True))
        return self.many

    def must_be_full(self, api: NbGraderAPI) -> None:
        """Raise an error unless stock nbgrader gave all automatic points too."""
        with Gradebook(api.coursedir.db_url) as gradebook:
            submissions = gradebook.assignment_submissions(self.assignment)
            grades = [grade for one in submissions for notebook in one.notebooks for grade in notebook.grades]
            lost = [g.name for g in grades if g.auto_score is not None and g.auto_score < g.max_score]
        if lost:
            raise GraderError(f"stock nbgrader takes points off for {', '.join(lost)}", self.assignment, "see its log")

    def end(self) -> None:
        """End what was started; it is started again when it is needed."""
        if self.floor is not None:
            self.floor.close()
            self.floor = None
        warm.close()


def _bare(course: Course, folder: Path) -> Config:
    config = Config()
    config.CourseDirectory.root = str(course.root)
    config.CourseDirectory.source_directory = "solutions"
    config.Execute.timeout = 600
    # Each kernel would tell on the terminal over which transport it talks.
    config.Execute.extra_arguments = ["--IPKernelApp.log_level=ERROR"]
    folder.mkdir(parents=True)
    return folders_config(config, folder)


def compare(
    course: Course,
    assignment: str,
    turns: int,
    many: int = 20,
    say: Callable[[str], None] = lambda line: None,
    whole: bool = False,
) -> dict[str, Cost]:
    """Mark the same submission in all ways, by turns.

    Args:
        course: The course.
        assignment: Which assignment.
        turns: How many turns count; one more comes first.
        many: How many submissions our ways mark in a turn.
        say: Receives a line of progress at a time.
        whole: Whether stock nbgrader gets the demonstrations as well, which takes minutes.

    Returns:
        Costs by way, see `WAYS`.

    Raises:
        GraderError: If a way fails or takes points off.
    """
    costs = {way: Cost() for way in WAYS}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        ways = _Turns(course, assignment, Path(folder), many, whole)
        try:
            for number in range(turns + 1):
                for way, cost in costs.items():
                    begun, cpu = time.monotonic(), cpu_seconds()
                    marked = ways.turn(way)
                    cost.cpu_s.append((cpu_seconds() - cpu) / marked)
                    cost.wall_s.append((time.monotonic() - begun) / marked)
                say(f"{assignment}: turn {number + 1} of {turns + 1}")
            for way, cost in costs.items():
                ways.end()  # so that one way's processes are not counted with another's memory
                with memory(cost):
                    ways.turn(way)
        finally:
            ways.end()
    return costs


def scaling(
    course: Course, assignments: list[str], students: int, jobs: tuple[int, ...] = (1, 2), repeat: int = 1
) -> dict[int, Cost]:
    """Mark a class with one worker and with several, by turns; starting them takes a second or two of it.

    Args:
        course: The course.
        assignments: What each student hands in.
        students: How many.
        jobs: Numbers of workers.
        repeat: How often each; the first time does not count.

    Returns:
        Costs by number of workers, per submission.
    """
    costs, submissions = {n: Cost() for n in jobs}, students * len(assignments)
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        config = folders_config(course_config(course), Path(folder))
        for number, assignment in itertools.product(range(students), assignments):
            nb = realistic(course, assignment, number)
            write_notebook(nb, Path(folder, "submitted", f"student{number}", assignment, f"{assignment}.ipynb"))
        for _ in range(repeat + 1):
            for n, cost in costs.items():
                begun, cpu = time.monotonic(), cpu_seconds()
                must_be_right(grade_class(course, config, assignments, force=True, jobs=n))
                cost.cpu_s.append((cpu_seconds() - cpu) / submissions)
                cost.wall_s.append((time.monotonic() - begun) / submissions)
        for n, cost in costs.items():
            with memory(cost):
                grade_class(course, config, assignments, force=True, jobs=n)
    warm.close()
    return costs


def report(
    costs: dict[str, dict[str, Cost]],
    profiles: dict[str, dict[str, float]],
    pools: dict[str, dict[int, Cost]],
    written: dict[int, tuple[float, float]],
) -> str:
    """Lay out the figures as text."""
    lines = ["per further submission                CPU s  clock s  stock's CPU  over the   memory of all"]
    lines += ["                                                     over it      floor      processes, MiB"]
    note = "(one thread per process for ours and the floor; stock's kernels take as many as there are processors)"
    for assignment, ways in costs.items():
        stock, floor = ways["stock"].mean()[0], ways["floor"].mean()[0]
        for way, what in WAYS.items():
            cpu, wall = ways[way].mean()
            ratios = f"{stock / cpu:10.1f} {cpu / floor:12.2f}"
            lines.append(f"{assignment[:2]} {what:32} {cpu:7.3f}  {wall:7.3f} {ratios} {ways[way].peak_mib:14,.0f}")
    lines.append(note)
    for assignment, parts in profiles.items():
        lines += ["", f"where the time of {assignment[:2]} goes: ours, one worker, milliseconds on the clock"]
        total = sum(parts.values())
        for what, value in sorted(parts.items(), key=lambda pair: -pair[1]):
            lines.append(f"{what:44} {value:7.1f}  {value / total:5.0%}")
        lines.append(f"the largest piece: {max(parts, key=parts.__getitem__)}")
    for whose, counts in pools.items():
        one = counts[1].mean()[1]
        lines += ["", f"workers on this machine, a class of {whose}"]
        for n, cost in counts.items():
            cpu, wall = cost.mean()
            speed = f"{3600 / wall:7,.0f} an hour, {one / wall:4.2f} times one worker's"
            lines.append(f"{n} worker{'s' * (n > 1):1} {speed}; {cpu:.3f} CPU s each; {cost.peak_mib:,.0f} MiB in all")
    if written:
        lines += ["", "marks and marked notebook written, by the one process that writes, per submission"]
    for count, (cpu, wall) in written.items():
        lines.append(f"up to {count:7,} in the gradebook: {1000 * cpu:6.1f} CPU ms, {1000 * wall:6.1f} ms on the clock")
    return "\n".join(lines)
