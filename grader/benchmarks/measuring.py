"""A right submission as students hand it in, and what marking it costs: CPU, clock, memory."""

from __future__ import annotations

import random
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil
from nbformat import NotebookNode

from grader.classrun.summary import Entry
from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.nbgrader_api import failure_reason
from grader.core.notebook import read_notebook
from grader.testing.exploring import explore
from grader.testing.samples import fill_answers


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
        """Return CPU and clock seconds per submission, the first turn left out."""
        count = max(len(self.cpu_s) - 1, 1)
        return sum(self.cpu_s[1:]) / count, sum(self.wall_s[1:]) / count


def realistic(course: Course, assignment: str, seed: int = 0) -> NotebookNode:
    """Make a right submission of a student who has explored the notebook.

    Args:
        course: The course.
        assignment: Which notebook.
        seed: What the student did beside answering.
    """
    known = exercises(read_notebook(course.source(assignment)))
    nb = fill_answers(read_notebook(course.released(assignment)), {e.name: e.answer for e in known})
    return explore(nb, known, random.Random(seed))


def _family() -> list[psutil.Process]:
    own = psutil.Process()
    return [own, *own.children(recursive=True)]


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of all that it started, including those that ended."""
    total = 0.0
    for process in _family():
        try:
            total += sum(process.cpu_times()[:4])
        except psutil.Error:
            continue
    return total


@contextmanager
def memory(cost: Cost):
    """Watch the memory of all processes meanwhile (PSS: shared pages are divided among those that share them)."""
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


def must_be_right(entries: list[Entry]) -> None:
    """Raise an error unless right submissions got all points, so that what fails early does not look fast."""
    for entry in entries:
        if entry.outcome != "marked" or entry.points != entry.max_points:
            why = entry.why or f"{entry.points:g} of {entry.max_points:g}"
            raise GraderError(f"a right submission was not marked as right: {why}", entry.assignment, "see the log")


def succeed(result: dict, what: str) -> None:
    """Raise an error if a step of nbgrader failed."""
    if not result["success"]:
        raise GraderError(f"nbgrader failed: {failure_reason(result)}", what, "run `grader demo` and see its log")
