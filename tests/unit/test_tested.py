"""What an answer consists of, and which names its tests call."""

import pytest
from nbformat.v4 import new_code_cell

from grader.core.cells import LOCKED_KINDS, grade_id, kind_of
from grader.core.course import Course
from grader.core.names import left_behind
from grader.core.notebook import read_notebook
from grader.engine import tested
from grader.engine.borrowed import borrowed
from grader.testing.samples import fill_answers

COURSE = Course.find()


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_what_a_cell_of_the_courses_binds_is_no_name_of_an_answer(assignment):
    nb = read_notebook(COURSE.source(assignment))
    courses = set().union(*(left_behind(cell.source) for cell in nb.cells if kind_of(cell) in LOCKED_KINDS))
    answers = {answer.name: answer for answer in tested.tested(nb)}
    assert {name: answer.names & courses for name, answer in answers.items()} == dict.fromkeys(answers, frozenset())


@pytest.mark.parametrize("place", ["build_transformer", "model_logits", "test_build_transformer_paths"])
def test_a_try_under_the_name_of_a_cell_on_the_students_side_may_use_helpers(place):
    """The course's cell binds the name again, so the tests never meet what the student called so."""
    answer = "def build_transformer(config):\n    return keras.Model()"
    nb = fill_answers(read_notebook(COURSE.released("06_transformer")), {"build_transformer": answer})
    at = next(n for n, cell in enumerate(nb.cells) if (grade_id(cell) or "").startswith(place))
    own = "inputs = shift_right(np.array([[1, 5, 2]]))\nmodel_logits = np.zeros((*inputs.shape, 40))"
    nb.cells.insert(at, new_code_cell(own))
    assert list(borrowed(nb)) == []
