"""The course itself, for the tests of its notebooks."""

import pytest

from grader.core.course import Course

COURSE = Course.find()


def pytest_generate_tests(metafunc):
    """Run a test that asks for `assignment` once for each notebook of the course."""
    if "assignment" in metafunc.fixturenames:
        metafunc.parametrize("assignment", COURSE.assignments())


@pytest.fixture(scope="session")
def course():
    return COURSE
