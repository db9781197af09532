"""Measure what marking costs, next to stock nbgrader and to the least that is possible, by turns in one run.

The submissions are right answers with a few cells of the student's own, two of which draw. Demonstrations are left out
on all sides. CPU seconds are those of every process that takes part; the first turn of each way is not counted, since
it pays for imports that all others share.
"""

from __future__ import annotations

import copy
import json
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell
from nbgrader.api import Gradebook, Student
from nbgrader.apps import NbGraderAPI
from traitlets.config import Config

from grader.classrun.run import Entry, grade_class
from grader.core.cells import LOCKED_KINDS, SKIPPED_KINDS, CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.nbgrader_api import course_config, failure_reason, folders_config, open_nbgrader
from grader.core.notebook import read_notebook, write_notebook
from grader.engine import running, submission
from grader.engine.recognising import Known, Recogniser
from grader.engine.skipping import SKIP_TAG, mark_skippable, mark_unneeded_helpers
from grader.gradebook.writer import Writer
from grader.sandbox.inside import isolate
from grader.sandbox.inside.orders import Role
from grader.sandbox.warm import Template
from grader.testing.samples import fill_answers

WAYS = {
    "stock": "stock nbgrader, plots drawn",
    "drawn": "ours, plots drawn",
    "ours": "ours",
    "floor": "floor: one warm process",
}
#: Submissions that stock nbgrader marks in a turn.
_STOCK = 2
#: What many students leave in their notebooks: a look at an array, two figures, a number.
_OWN_CELLS = (
    "rng = np.random.default_rng(1)\nmine = rng.random((12, 12))\nprint(mine.shape, mine.mean().round(3))",
    "plt.figure(figsize=(5, 4))\nplt.imshow(mine, cmap='viridis')\nplt.colorbar()\nplt.title('my weights')\nplt.show()",
    "figure, axes = plt.subplots(1, 2, figsize=(8, 3))\nfor n, ax in enumerate(axes):\n"
    "    ax.plot(np.cumsum(mine, axis=n)[:, :4])\n    ax.set_xlabel('position')\nplt.show()",
    "mine.sum(axis=1)",
)


@dataclass
class Cost:
    """What one way of marking costs, a number for each turn.

    Args:
        cpu_s: CPU seconds per submission.
        wall_s: Seconds on the clock per submission.
        peak_mib: Most memory of all its processes together (PSS), measured in a turn of its own.
    """

    cpu_s: list[float] = field(default_factory=list)
    wall_s: list[float] = field(default_factory=list)
    peak_mib: float = 0.0

    def mean(self) -> tuple[float, float]:
        """Give CPU and clock seconds per submission, the first turn left out."""
        count = max(len(self.cpu_s) - 1, 1)
        return sum(self.cpu_s[1:]) / count, sum(self.wall_s[1:]) / count


def realistic(course: Course, assignment: str) -> NotebookNode:
    """Make a right submission with a few cells of the student's own."""
    answers = {e.name: e.answer for e in exercises(read_notebook(course.source(assignment)))}
    nb = fill_answers(read_notebook(course.released(assignment)), answers)
    nb.cells += [new_code_cell(source, id=f"own-{n}") for n, source in enumerate(_OWN_CELLS)]
    return nb


def _family() -> list[psutil.Process]:
    own = psutil.Process()
    return [own, *own.children(recursive=True)]


def _cpu() -> float:
    """Give the CPU seconds of this process and of all that it started, those that ended among them."""
    total = 0.0
    for process in _family():
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.Error:
            continue
    return total


@contextmanager
def _memory(cost: Cost):
    """Look at the memory of all processes (PSS: shared pages are divided among those that share them) meanwhile."""
    done = threading.Event()

    def look() -> None:
        while not done.wait(0.05):
            total = 0
            for process in _family():
                try:
                    total += process.memory_full_info().pss
                except psutil.Error:
                    continue
            cost.peak_mib = max(cost.peak_mib, total / 2**20)

    thread = threading.Thread(target=look)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


class _Turns:
    """The ways of marking one assignment, each with a class of its own that is marked again at each turn.

    Args:
        course: The course.
        assignment: Which assignment.
        folder: An empty folder.
        many: How many submissions our ways and the floor mark in a turn; stock nbgrader, many times slower, marks two.
    """

    def __init__(self, course: Course, assignment: str, folder: Path, many: int):
        self.course, self.assignment, self.folder = course, assignment, folder
        source, nb = read_notebook(course.source(assignment)), realistic(course, assignment)
        short = copy.deepcopy(nb)
        short.cells = [c for c in short.cells if kind_of(c) not in SKIPPED_KINDS]
        self.configs = {"stock": _bare(course, folder / "stock")}
        for way in ("drawn", "ours"):
            self.configs[way] = folders_config(course_config(course), folder / way)
            self.configs[way].MarkingExecute.render = way == "drawn"
        for way, config in self.configs.items():
            for number in range(_STOCK if way == "stock" else many):
                own = folder / way / "submitted" / f"student{number}" / assignment
                write_notebook(short if way == "stock" else nb, own / f"{assignment}.ipynb")
            with open_nbgrader(config) as api:
                _succeed(api.generate_assignment(assignment), way)
        kit = submission.Kit.read(course.source(assignment))
        planted, _ = submission.planted(kit, submission.Handed("own.ipynb", json.dumps(nb).encode()))
        mark_skippable(planted, source)
        mark_unneeded_helpers(planted)
        cells = [c for c in planted.cells if c.cell_type == "code" and SKIP_TAG not in c.metadata.get("tags", [])]
        kinds = ["test" if kind_of(c) is CellKind.TEST else "" for c in cells]
        self.cells = json.dumps([[k, c.source] for k, c in zip(kinds, cells, strict=True)])
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
                    _succeed(api.autograde(self.assignment, f"student{number}"), way)
                self.must_be_full(api)
            return _STOCK
        _must_be_right(grade_class(self.course, self.configs[way], [self.assignment], force=True))
        return self.many

    def must_be_full(self, api: NbGraderAPI) -> None:
        """See that stock nbgrader gave all automatic points too."""
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
        submission.warm.close()


def _must_be_right(entries: list[Entry]) -> None:
    """See that right submissions got all points: what fails fast is not to look fast."""
    for entry in entries:
        if entry.outcome != "marked" or entry.points != entry.max_points:
            why = entry.why or f"{entry.points:g} of {entry.max_points:g}"
            raise GraderError(f"a right submission was not marked as right: {why}", entry.assignment, "see the log")


def _bare(course: Course, folder: Path) -> Config:
    config = Config()
    config.CourseDirectory.root = str(course.root)
    config.CourseDirectory.source_directory = "solutions"
    config.Execute.timeout = 600
    # Each kernel would tell on the terminal over which transport it talks.
    config.Execute.extra_arguments = ["--IPKernelApp.log_level=ERROR"]
    folder.mkdir(parents=True)
    return folders_config(config, folder)


def _succeed(result: dict, what: str) -> None:
    if not result["success"]:
        raise GraderError(f"nbgrader failed: {failure_reason(result)}", what, "run `grader demo` and see its log")


def compare(
    course: Course, assignment: str, turns: int, many: int = 6, say: Callable[[str], None] = lambda line: None
) -> dict[str, Cost]:
    """Mark the same submission in all ways, by turns.

    Args:
        course: The course.
        assignment: Which assignment.
        turns: How many turns count; one more comes first.
        many: How many submissions our ways mark in a turn.
        say: Receives a line of progress at a time.

    Returns:
        Costs by way, see `WAYS`.

    Raises:
        GraderError: If a way fails or takes points off.
    """
    costs = {way: Cost() for way in WAYS}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        ways = _Turns(course, assignment, Path(folder), many)
        try:
            for number in range(turns + 1):
                for way, cost in costs.items():
                    begun, cpu = time.monotonic(), _cpu()
                    marked = ways.turn(way)
                    cost.cpu_s.append((_cpu() - cpu) / marked)
                    cost.wall_s.append((time.monotonic() - begun) / marked)
                say(f"{assignment}: turn {number + 1} of {turns + 1}")
            for way, cost in costs.items():
                ways.end()  # so that one way's processes are not counted with another's memory
                with _memory(cost):
                    ways.turn(way)
        finally:
            ways.end()
    return costs


def scaling(
    course: Course, assignment: str, submissions: int, jobs: tuple[int, ...] = (1, 2), repeat: int = 3
) -> dict[int, Cost]:
    """Mark a class with one worker and with several, by turns.

    Args:
        course: The course.
        assignment: Which assignment.
        submissions: How many.
        jobs: Numbers of workers.
        repeat: How often each; the first time does not count.

    Returns:
        Costs by number of workers, per submission.
    """
    costs = {n: Cost() for n in jobs}
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        nb, config = realistic(course, assignment), folders_config(course_config(course), Path(folder))
        for number in range(submissions):
            write_notebook(nb, Path(folder, "submitted", f"student{number}", assignment, f"{assignment}.ipynb"))
        for _ in range(repeat + 1):
            for n, cost in costs.items():
                begun, cpu = time.monotonic(), _cpu()
                _must_be_right(grade_class(course, config, [assignment], force=True, jobs=n))
                cost.cpu_s.append((_cpu() - cpu) / submissions)
                cost.wall_s.append((time.monotonic() - begun) / submissions)
        for n, cost in costs.items():
            with _memory(cost):
                grade_class(course, config, [assignment], force=True, jobs=n)
    submission.warm.close()
    return costs


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
            _succeed(api.generate_assignment(assignment), assignment)
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
    nb, findings = submission.planted(kit, handed)
    nb.metadata["marking"] = submission.noted(kit, handed, findings)
    mark_skippable(nb, kit.source)
    mark_unneeded_helpers(nb)
    running.name_proxies(nb, kit.source)
    done("reading, transplant, what to skip")
    running.Pair(template, isolate.Limits()).end()
    done("two processes, isolated, begun and ended")
    recogniser = Recogniser(Known(kit.source, kit.mistakes, kit.tests), template)
    run = _Timed(nb, template, running.Budget(), isolate.Limits(), recogniser, False)
    run.spent = {}
    marked = run.run()
    spent |= run.spent
    begun = time.monotonic()
    note = nb.metadata["marking"]
    note["isolation"], note["causes"] = marked.isolation, marked.causes
    graded = submission.Graded(submission.writes_json(nb), *submission.results(nb, marked))
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
    graded = submission.mark_handed(kit, handed, submission.Settings())
    submission.warm.close()
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        config = folders_config(course_config(course), Path(name))
        with open_nbgrader(config) as api:
            _succeed(api.generate_assignment(assignment), assignment)
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
        lines.append(f"the largest piece: {max(parts, key=parts.get)}")
    for assignment, counts in pools.items():
        one = counts[1].mean()[1]
        lines += ["", f"workers on this machine, {assignment[:2]}"]
        for n, cost in counts.items():
            cpu, wall = cost.mean()
            speed = f"{3600 / wall:7,.0f} an hour, {one / wall:4.2f} times one worker's"
            lines.append(f"{n} worker{'s' * (n > 1):1} {speed}; {cpu:.3f} CPU s each; {cost.peak_mib:,.0f} MiB in all")
    lines += ["", "marks and marked notebook written, by the one process that writes, per submission"]
    for count, (cpu, wall) in written.items():
        lines.append(f"up to {count:7,} in the gradebook: {1000 * cpu:6.1f} CPU ms, {1000 * wall:6.1f} ms on the clock")
    return "\n".join(lines)
