"""Between a mark and the platform: it is there, of the notebook as it is now, and of the present points."""

import nbformat
import pytest
from nbgrader.api import Gradebook
from test_beside_marked import answering, grade, right, wrong  # noqa: F401 (fixtures)
from test_lms_export import (  # noqa: F401 (fixtures)
    MOODLE,
    NB,
    hand_in,
    marked,
    released,
    rows,
    shelf,
    write,
)

from grader.core.nbgrader_api import course_config
from grader.core.notebook import read_notebook
from grader.feedback.run import write_pages


def book(course):
    return Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention")


def scores(course):
    """The points of each student, as nbgrader has them."""
    with book(course) as gradebook:
        return {s.student.id: s.score for s in gradebook.assignment_submissions(NB)}


@pytest.fixture
def two_marked(released, grade):  # noqa: F811
    """Two students with the same answer, marked."""
    for student in ("ada", "zoe"):
        hand_in(released, student, {f"{NB}.ipynb": right(released)})
    grade()
    return released


@pytest.mark.parametrize("what", ["student", "assignment", "marks"])
def test_a_record_without_nbgraders_marks_is_no_mark(two_marked, grade, what):  # noqa: F811
    course = two_marked
    before = scores(course)
    with book(course) as gradebook:
        if what == "student":
            gradebook.remove_student("zoe")
        elif what == "assignment":
            gradebook.remove_assignment(NB)
        else:  # a run that was ended between nbgrader's entry and its marks
            gradebook.remove_submission(NB, "zoe")
            gradebook.update_or_create_submission(NB, "zoe")
    outcomes = {"ada": "marked" if what == "assignment" else "unchanged", "zoe": "marked"}
    assert grade()[0] == outcomes
    assert scores(course) == before
    assert grade()[0] == dict.fromkeys(outcomes, "unchanged")


def test_where_all_points_wait_for_a_person_nobody_is_marked_again(released, grade):  # noqa: F811
    course = released
    nb = read_notebook(course.source(NB))
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id", "").startswith("test_"):
            cell.metadata.nbgrader |= {"grade": False, "solution": False, "locked": True}
            cell.metadata.nbgrader.pop("points")
            cell.source = "pass"
    nbformat.write(nb, course.source(NB))
    hand_in(course, "ada", {f"{NB}.ipynb": answering(course, written_why="Doubling adds x to itself. " * 4)})
    assert grade()[0] == {"ada": "marked"}
    with book(course) as gradebook:
        assert gradebook.find_submission(NB, "ada").needs_manual_grade
    assert grade()[0] == {"ada": "unchanged"}


def test_feedback_says_what_to_do_about_whom_the_gradebook_does_not_have(two_marked, grade):  # noqa: F811
    course = two_marked
    with book(course) as gradebook:
        gradebook.remove_student("zoe")
    ada, zoe = write_pages(course_config(course), [NB])
    assert (ada.why, zoe.outcome) == ("", "failed")
    assert "no such submission: run `grader grade 09` first, or, if it shall not count, delete " in zoe.why
    grade()
    assert not [page.why for page in write_pages(course_config(course), [NB]) if page.why]
