"""Between a mark and the platform: it is there, of the notebook as it is now, and of the present points."""

import nbformat
import pytest
from nbgrader.api import Gradebook
from test_beside_marked import answering, grade, right, wrong  # noqa: F401 (fixtures)
from test_lms_export import (  # noqa: F401 (fixtures)
    CANVAS,
    HEADER,
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
from grader.lms.canvas import CanvasExportPlugin
from grader.lms.moodle import MoodleExportPlugin


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


def bonus(course, points, student="ada_lovelace"):
    """Full points, and some extra."""
    with book(course) as gradebook:
        gradebook.find_grade("written_why", NB, NB, student).manual_score = 2
        gradebook.find_grade("written_why", NB, NB, student).extra_credit = points
        gradebook.db.commit()


def moodle_sheet(path, maximum, *grades):
    lines = [HEADER]
    for number, points in zip((101, 102), grades, strict=True):
        lines.append(f'Participant {number},N,,n@x,Submitted for grading,{points},"{maximum}",Yes,-,-,')
    path.write_text("\n".join(lines) + "\n")
    return [str(path)]


@pytest.mark.parametrize(
    ("maximum", "shown", "points", "scale"),
    [("5.00", "5", "5.5", False), ("10,00", "10", "11", True), ("", "5", "5.5", False), (None, "5", "5.5", False)],
)
def test_a_grade_above_the_maximum_is_named_since_moodle_passes_it_over(
    released,  # noqa: F811
    marked,  # noqa: F811
    tmp_path,
    maximum,
    shown,
    points,
    scale,
):
    marked(MOODLE)
    bonus(released, 0.5)
    roster = [] if maximum is None else moodle_sheet(tmp_path / "Grades.csv", maximum, "4.00", "-")
    done, (line,), folder = write(released, MoodleExportPlugin, roster=roster, scale=scale)
    ada, zoe = rows(folder / "grades.csv")
    assert ada["Grade"] == ("" if maximum is None else "4.00")
    assert zoe["Grade"] == ("7" if scale else "3.5")
    assert ada["Feedback comments"].startswith("5.5 of 5 points.")
    assert done[0].endswith("1 grade, for *Upload grading worksheet*")
    assert line.startswith(f"ada_lovelace, {NB}: {points} points are above the maximum of {shown}, ")
    assert "take the extra credit away and export again, or raise the maximum" in line
    bonus(released, 0)
    done, look, _ = write(released, MoodleExportPlugin, roster=roster, scale=scale)
    assert not look
    assert done[0].endswith("2 grades, for *Upload grading worksheet*")


@pytest.mark.parametrize(("maximum", "scale"), [("5.00", False), ("100", True), ("3,00", True)])
def test_full_points_and_extra_ones_that_make_up_for_lost_ones_go_back(released, marked, tmp_path, maximum, scale):  # noqa: F811
    marked(MOODLE)
    bonus(released, 1e-4)
    bonus(released, 1, "zoe_o_brien")
    roster = moodle_sheet(tmp_path / "Grades.csv", maximum, "", "")
    _, look, folder = write(released, MoodleExportPlugin, roster=roster, scale=scale)
    assert not look
    assert {row["Grade"] for row in rows(folder / "grades.csv")} == {
        maximum.rpartition(",")[0] or maximum.split(".")[0]
    }


def test_canvas_takes_a_grade_above_the_maximum(released, marked, tmp_path):  # noqa: F811
    marked(CANVAS)
    bonus(released, 0.5, "lovelaceada")
    path = tmp_path / "Canvas.csv"
    path.write_text(
        f"Student,ID,SIS User ID,SIS Login ID,Section,{NB} (77)\n    Points Possible,,,,,5.00\nA,12345,,,,\nB,7,,,,\n"
    )
    _, look, folder = write(released, CanvasExportPlugin, roster=[str(path)])
    assert not look
    assert [row[f"{NB} (77)"] for row in rows(folder / "gradebook.csv")][1:] == ["5.5", "3.5"]
