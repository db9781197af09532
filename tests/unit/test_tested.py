"""What an answer consists of, and which names its tests call."""

import pytest

from grader.core.cells import LOCKED_KINDS, kind_of
from grader.core.course import Course
from grader.core.names import left_behind
from grader.core.notebook import read_notebook
from grader.engine import tested

COURSE = Course.find()


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_what_a_cell_of_the_courses_binds_is_no_name_of_an_answer(assignment):
    nb = read_notebook(COURSE.source(assignment))
    courses = set().union(*(left_behind(cell.source) for cell in nb.cells if kind_of(cell) in LOCKED_KINDS))
    answers = {answer.name: answer for answer in tested.tested(nb)}
    assert {name: answer.names & courses for name, answer in answers.items()} == dict.fromkeys(answers, frozenset())
