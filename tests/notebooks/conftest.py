"""The course itself, for the tests of its notebooks."""

from dataclasses import dataclass

import pytest

from grader.audit.causes import Measure
from grader.audit.runner import Runner
from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook

COURSE = Course.find()


def pytest_generate_tests(metafunc):
    """Run a test once for each notebook of the course, or for each exercise, if it asks for one.

    The exercises of a notebook go to the same worker (`tests/conftest.py`): they share warm processes. The last
    notebook comes first, since it takes longest.
    """
    if "exercise" in metafunc.fixturenames:
        pairs = [
            pytest.param(a, e.name, id=f"{a}-{e.name}")
            for a in reversed(COURSE.assignments())
            for e in exercises(read_notebook(COURSE.source(a)))
        ]
        metafunc.parametrize(("assignment", "exercise"), pairs)
    elif "assignment" in metafunc.fixturenames:
        metafunc.parametrize("assignment", COURSE.assignments())


@pytest.fixture(scope="session")
def course():
    return COURSE


@dataclass
class Warm:
    """The warm processes of one notebook.

    Args:
        assignment: Its name.
        source: Its source.
        runner: Runs answers beside the tests, one at a time: the other core has another test. Marking forks both of
            its sides from the same process.
        measure: Marks answers and counts what is recognised.
    """

    assignment: str
    source: object
    runner: Runner
    measure: Measure

    @classmethod
    def start(cls, assignment):
        source = read_notebook(COURSE.source(assignment))
        runner = Runner(source, jobs=1).__enter__()
        return cls(assignment, source, runner, Measure(COURSE, assignment, source, runner.line))

    def end(self):
        self.runner.__exit__(None, None, None)


@pytest.fixture(scope="session")
def warm():
    """Return the warm processes of a notebook; those of the last one asked for are kept."""
    kept = []

    def of(assignment):
        if not kept or kept[-1].assignment != assignment:
            while kept:
                kept.pop().end()
            kept.append(Warm.start(assignment))
        return kept[-1]

    yield of
    while kept:
        kept.pop().end()
