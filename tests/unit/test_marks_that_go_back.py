"""Between a mark and the platform: it is there, of the notebook as it is now, and of the present points."""

import datetime

import nbformat
import pytest
from nbgrader.api import Gradebook
from sqlalchemy import event
from test_beside_marked import answering, grade, right, wrong  # noqa: F401 (fixtures)
from test_lms_export import (  # noqa: F401 (fixtures)
    CANVAS,
    HEADER,
    MOODLE,
    NB,
    forget,
    hand_in,
    marked,
    released,
    rows,
    shelf,
    write,
)

from grader.cli import main
from grader.core.course import to_grade
from grader.core.nbgrader_api import course_config, open_nbgrader
from grader.core.notebook import read_notebook
from grader.engine import fingerprints
from grader.feedback.marks import NotebookMarks
from grader.feedback.run import write_pages
from grader.gradebook import penalties as late_penalties
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


def correct(course, grade_id, change):
    """Change a cell of the source notebook."""
    nb = read_notebook(course.source(NB))
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == grade_id:
            change(cell)
    nbformat.write(nb, course.source(NB))


def in_source(old, new):
    def change(cell):
        assert old in cell.source
        cell.source = cell.source.replace(old, new)

    return change


def points(number):
    return lambda cell: cell.metadata.nbgrader.update(points=number)


def told(course, capsys):
    """What export and feedback say of marks by other tests, and that feedback exits with 1 for it alone."""
    look = [line for line in write(course, MoodleExportPlugin, include_waiting=True)[1] if "by hand" not in line]
    code = main(["--course", str(course.root), "feedback", "09", "--jobs", "1"])
    said = [line.strip() for line in capsys.readouterr().out.splitlines() if WHAT_OTHERS in line]
    assert said == look
    assert code == bool(said)
    return look


WHAT_OTHERS = "marked by other tests than the notebook has now"
OTHERS = f"{NB}: 2 submissions were {WHAT_OTHERS}: ada, zoe; run `grader grade 09` first"
ANOTHER = f"{NB}: 1 submission was {WHAT_OTHERS}: {{}}; run `grader grade 09` first"
CORRECTIONS = {
    "hidden test": ("test_double_value", in_source("double(-3) == -6", "double(-3) == -6.0")),
    "points": ("test_double_value", points(1)),
    "points of a written answer": ("written_why", points(3)),
}


@pytest.mark.parametrize("what", CORRECTIONS)
def test_marks_by_other_tests_are_named_until_all_are_marked_again(two_marked, grade, capsys, what):  # noqa: F811
    course = two_marked
    assert not told(course, capsys)
    correct(course, *CORRECTIONS[what])
    assert told(course, capsys) == [OTHERS]
    grade(students=["ada"])
    assert told(course, capsys) == [ANOTHER.format("zoe")]
    grade()
    assert not told(course, capsys)


def test_marks_are_named_for_nothing_that_has_no_points(two_marked, capsys, monkeypatch):
    """Prose, another version of the grader, records of before, and a machine without the sources."""
    course = two_marked
    nb = read_notebook(course.source(NB))
    for cell in nb.cells:
        cell.source = f"{'# ' * (cell.cell_type == 'code')}A word.\n\n{cell.source}  "
    nbformat.write(nb, course.source(NB))
    monkeypatch.setattr(fingerprints, "environment", lambda: "another version")
    assert not told(course, capsys)
    correct(course, *CORRECTIONS["points"])
    assert told(course, capsys)
    source = course.source(NB).read_bytes()
    course.source(NB).write_text("{")
    assert not [line for line in write(course, MoodleExportPlugin)[1] if "other tests" in line]
    course.source(NB).write_bytes(source)
    for student in ("ada", "zoe"):
        forget(course, student, "asked")
    assert not told(course, capsys)


def test_nbgraders_own_way_notes_which_tests_marked(released, capsys):  # noqa: F811
    course = released
    hand_in(course, "ada", {f"{NB}.ipynb": right(course)})
    with open_nbgrader(course_config(course)) as api:
        assert api.autograde(NB, "ada")["success"]
    assert not told(course, capsys)
    correct(course, *CORRECTIONS["hidden test"])
    assert told(course, capsys) == [ANOTHER.format("ada")]


HALF = """
class Half(BasePlugin):
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        with open({log!r}, "a") as log:
            print(student_id, score, file=log)
        return {penalty}
"""


@pytest.fixture
def late(released, grade, tmp_path):  # noqa: F811
    """A function: a class with a due date, in which Ada is late and Zoe is not, marked with a plugin of one's own."""
    course, log = released, tmp_path / "asked.txt"
    log.touch()

    def late(penalty="score / 2", by="grade", due=True):
        path = course.root / "nbgrader_config.py"
        plugin = "\nfrom nbgrader.plugins import BasePlugin\n" + HALF.format(log=str(log), penalty=penalty)
        if penalty:
            path.write_text(f"{path.read_text()}{plugin}\nc.AssignLatePenalties.plugin_class = Half\n")
        for student, day in (("ada", 21), ("zoe", 19)):
            text = f"Doubling adds {student} to itself. " * 4
            files = {f"{NB}.ipynb": answering(course, double="def double(x):\n    return 2 * x", written_why=text)}
            hand_in(course, student, files | {"timestamp.txt": f"2026-11-{day} 12:00:00 UTC".encode()})
        with book(course) as gradebook:
            when = datetime.datetime(2026, 11, 20) if due else None
            gradebook.update_or_create_assignment(NB, duedate=when)
        if by == "grade":
            grade()
        elif by == "autograde":
            with open_nbgrader(course_config(course)) as api:
                assert all(api.autograde(NB, student)["success"] for student in ("ada", "zoe"))
        return log

    return late


def by_hand(course, points):
    with book(course) as gradebook:
        for student in ("ada", "zoe"):
            given = gradebook.find_grade("written_why", NB, NB, student)
            given.manual_score, given.needs_manual_grade = points, False
        gradebook.db.commit()


def penalties(course):
    with book(course) as gradebook:
        return {s.student.id: (s.score, s.late_submission_penalty) for s in gradebook.assignment_submissions(NB)}


def about_penalties(course, capsys):
    """What export says, and feedback too."""
    main(["--course", str(course.root), "feedback", "09", "--jobs", "1"])
    said = [line.strip() for line in capsys.readouterr().out.splitlines() if "late penalt" in line]
    assert said == [line for line in write(course, MoodleExportPlugin)[1] if "late penalt" in line]
    return said


WHAT = "the late penalty is not of the points, the due date and the settings that there are now"
STALE = f"{NB}: {WHAT}: ada; run `grader grade 09` first"
SETTLED = f"{NB}: late penalties were settled, since points, the due date or settings have changed: ada"


@pytest.mark.parametrize("by", ["grade", "autograde"])
def test_a_late_penalty_is_settled_of_the_points_that_a_person_gave_after_marking(late, released, grade, capsys, by):  # noqa: F811
    course, log = released, late(by=by)
    assert penalties(course) == {"ada": (3, 1.5), "zoe": (3, 0)}
    assert not about_penalties(course, capsys)
    for points in (2, 1):
        by_hand(course, points)
        assert about_penalties(course, capsys) == [STALE]
        said = []
        assert set(grade(say=said.append)[0].values()) == {"unchanged"}
        assert said[0] == SETTLED
        assert penalties(course) == {"ada": (3 + points, (3 + points) / 2), "zoe": (3 + points, 0)}
        assert not about_penalties(course, capsys)
        asked = log.read_text()
        said = []
        assert set(grade(say=said.append)[0].values()) == {"unchanged"}
        assert len(said) == 2  # whoever was settled is not asked for again
        assert log.read_text() == asked
    settled = penalties(course)
    grade(force=True)
    assert penalties(course) == settled


@pytest.mark.parametrize("penalty", ["1", "None"])
def test_a_penalty_that_does_not_depend_on_points_is_not_named(late, released, grade, capsys, penalty):  # noqa: F811
    course = released
    late(penalty)
    by_hand(course, 2)
    assert not about_penalties(course, capsys)
    said = []
    grade(say=said.append)
    assert len(said) == 2
    assert penalties(course) == {"ada": (5, float(penalty) if penalty == "1" else 0), "zoe": (5, 0)}


STAYS = "the late penalty cannot be computed again and stays as it was"


def ended(course, capsys):
    """How `grade` ended, and what it said of penalties."""
    capsys.readouterr()
    code = main(["--course", str(course.root), "grade", "09", "--jobs", "1"])
    said = capsys.readouterr()
    assert "Traceback" not in said.out + said.err
    return code, sorted({line.strip() for line in said.out.splitlines() if "late penalt" in line and line[0] == " "})


def test_a_plugin_that_fails_stops_nobody_and_is_named(late, released, grade, capsys):  # noqa: F811
    course = released
    late("score / 2 if score == 3 or student_id == 'zoe' else [][0]")
    by_hand(course, 2)
    with book(course) as gradebook:
        gradebook.update_or_create_assignment(NB, duedate=datetime.datetime(2026, 11, 18))
    why = f"{STAYS} (IndexError: list index out of range)"
    others = STALE.replace(": ada;", ": zoe;")
    assert about_penalties(course, capsys) == [others, f"{NB}: {why}: ada; when that is mended, {to_grade(NB)}"]
    assert ended(course, capsys) == (1, [f"ada, {NB}: unchanged: {why}"])
    assert penalties(course) == {"ada": (5, 1.5), "zoe": (5, 2.5)}
    assert set(grade()[0].values()) == {"unchanged"}


def test_a_setting_that_is_wrong_is_named(late, released, capsys):  # noqa: F811
    course, _ = released, late()
    take_away(course)
    path = course.root / "nbgrader_config.py"
    right = path.read_text()
    path.write_text(right + 'c.LateSubmissionPlugin.penalty_method = "half"\n')
    code, (said,) = ended(course, capsys)
    assert (code, "TraitError" in said, STAYS in said) == (1, True, True)
    path.write_text(right)
    assert ended(course, capsys) == (0, [])


TIERS = """
import enum
import re
from decimal import Decimal
from fractions import Fraction
import numpy as np
from nbgrader.plugins import BasePlugin
from traitlets import Any, Dict, Instance, List, Set, Type, UseEnum
class Share(enum.Enum):
    HALF, NONE = 0.5, 0
class Hard:
    share = 1
class Mild(Hard):
    share = 0.5
class Tiers(BasePlugin):
    tiers = List([0.5]).tag(config=True)
    free = Set({"zoe", "eve", "max"}).tag(config=True)
    of = Dict({"b": (1, None), "a": (2, 3)}).tag(config=True)
    odd = Any(object()).tag(config=True)
    share = UseEnum(Share, default_value=Share.HALF).tag(config=True)
    exact = Instance(Decimal, args=("1",)).tag(config=True)
    rule = Type(Hard).tag(config=True)
    what = Any(Fraction(1)).tag(config=True)
    whose = Any(re.compile(".")).tag(config=True)
    how = Any(float).tag(config=True)
    def late_submission_penalty(self, student_id, score, total_seconds_late):
        points = score * self.tiers[0] * (student_id not in self.free) * self.of["b"][0] * 2 * self.share.value
        points *= float(self.exact) * self.rule.share * float(np.ravel(self.what)[0])
        points *= bool(self.whose.match(student_id))
        return self.how(points)
c.AssignLatePenalties.plugin_class = Tiers
"""


@pytest.mark.parametrize(
    ("setting", "share"),
    [
        ("tiers = [0.25]", 0.25),
        ("free = {'ada', 'zoe'}", 0),
        ("of = {'a': (2, 3), 'b': (0.2, None)}", 0.1),
        ("share = Share.NONE", 0),
        ("exact = Decimal('0.1')", 0.05),
        ("rule = Mild", 0.25),
        ("what = Fraction(1, 10)", 0.05),
        ("what = np.array([0.1])", 0.05),
        ("whose = re.compile('zoe')", 0),
        ("how = int", 1 / 3),
    ],
)
def test_a_penalty_follows_settings_that_hold_several_values(late, released, grade, capsys, setting, share):  # noqa: F811
    course = released
    path = course.root / "nbgrader_config.py"
    path.write_text(path.read_text() + TIERS)
    late(penalty="")
    assert penalties(course)["ada"] == (3, 1.5)
    assert ended(course, capsys) == (0, [])
    for name, same in (("free", "{'max', 'eve', 'zoe'}"), ("of", "{'a': (2, 3), 'b': (1, None)}")):
        path.write_text(f"{path.read_text()}c.Tiers.{name} = {same}\n")
    said = []
    grade(say=said.append)
    assert len(said) == 2
    path.write_text(f"{path.read_text()}c.Tiers.{setting}\n")
    said = []
    grade(say=said.append)
    assert said[0] == SETTLED
    assert penalties(course)["ada"] == (3, share * 3)


NONE_YET = "the late penalty cannot be computed, and nothing was taken off"


def test_whose_penalty_cannot_be_computed_is_marked_all_the_same(late, released, grade, capsys):  # noqa: F811
    """In a row, too, which is what a disk that is full looks like; and sys.exit ends nothing."""
    course = released
    late("score / 2 if student_id == 'ada' else exit() if student_id == 'eve' else {}[student_id]")
    for student, day in (("bob", 21), ("cyd", 21), ("dan", 21), ("eve", 21), ("fay", 19)):
        files = {f"{NB}.ipynb": right(course), "timestamp.txt": f"2026-11-{day} 12:00:00 UTC".encode()}
        hand_in(course, student, files)
    code, said = ended(course, capsys)
    assert (code, len(said)) == (1, 4)
    assert f"bob, {NB}: marked: {NONE_YET} (KeyError: 'bob')" in said
    assert f"eve, {NB}: marked: {NONE_YET} (SystemExit: None)" in said
    points = {student: have for student, (have, _) in penalties(course).items()}
    assert penalties(course) == {s: (have, 1.5 if s == "ada" else 0) for s, have in points.items()}
    assert set(points) == {"ada", "bob", "cyd", "dan", "eve", "fay", "zoe"}
    assert set(points.values()) == {3}
    code, said = ended(course, capsys)
    assert (code, f"bob, {NB}: unchanged: {STAYS} (KeyError: 'bob')" in said) == (1, True)
    take_all(course)
    take_away(course)
    assert ended(course, capsys) == (0, [])
    assert penalties(course) == {s: (3, 0 if s in ("fay", "zoe") else 3) for s in points}


@pytest.mark.parametrize("returned", ["Decimal(score) / 2", "np.float32(score / 2)", "Fraction(score) / 2"])
def test_a_plugin_may_return_any_number(late, released, grade, capsys, returned):  # noqa: F811
    path = released.root / "nbgrader_config.py"
    path.write_text(
        f"{path.read_text()}\nfrom decimal import Decimal\nfrom fractions import Fraction\nimport numpy as np"
    )
    late(returned)
    assert penalties(released)["ada"] == (3, 1.5)
    by_hand(released, 2)
    assert about_penalties(released, capsys) == [STALE]
    assert ended(released, capsys) == (0, [])
    assert penalties(released)["ada"] == (5, 2.5)


def test_whose_penalty_failed_when_the_formgrader_marked_is_named(late, released, capsys):  # noqa: F811
    course, path = released, released.root / "nbgrader_config.py"
    late("{}[student_id]", by="nobody")
    with open_nbgrader(course_config(course)) as api:
        assert [api.autograde(NB, student)["success"] for student in ("ada", "zoe")] == [False, True]
    by_hand(course, 2)
    said = write(course, MoodleExportPlugin)[1]
    assert any(f"{STAYS} (KeyError: 'ada'): ada" in line for line in said)
    path.write_text(path.read_text().replace("{}[student_id]", "score / 2"))
    assert STALE in write(course, MoodleExportPlugin)[1]


def test_what_is_no_number_is_named_and_nothing_is_taken_off(late, released, capsys):  # noqa: F811
    late("float('nan')")
    assert ended(released, capsys) == (1, [f"ada, {NB}: unchanged: {STAYS} (ValueError: the plugin returned nan)"])
    assert penalties(released)["ada"] == (3, 0)


BY_ASSIGNMENT = """{'09_tiny': {'ada': 0.5, 'zoe': 0}}[self.parent.assignment_id][self.parent.student_id] * \\
            self.parent.gradebook.find_submission_notebook(self.parent.notebook_id, NAME, student_id).score"""


@pytest.mark.parametrize("by", ["grade", "autograde"])
def test_a_plugin_is_told_what_nbgraders_step_tells_it(late, released, grade, capsys, by):  # noqa: F811
    late(BY_ASSIGNMENT.replace("09_tiny", NB).replace("NAME", repr(NB)), by=by)
    assert penalties(released)["ada"] == (3, 1.5)
    by_hand(released, 2)
    assert about_penalties(released, capsys) == [STALE]
    assert ended(released, capsys) == (0, [])
    assert penalties(released)["ada"] == (5, 2.5)


def test_a_plugin_that_ends_the_run_leaves_marks_and_notebook_of_one_attempt_and_is_named(late, released, capsys):  # noqa: F811
    course, path = released, released.root / "nbgrader_config.py"
    late()
    config = path.read_text()
    path.write_text(config.replace("return score / 2", "raise KeyboardInterrupt"))
    text = "Doubling adds ada to itself. " * 4
    files = {f"{NB}.ipynb": answering(course, double="def double(x):\n    return 0", written_why=text)}
    hand_in(course, "ada", files | {"timestamp.txt": b"2026-11-22 12:00:00 UTC"})
    main(["--course", str(course.root), "grade", "09", "--jobs", "1"])
    assert "return 0" in course.local.joinpath("autograded", "ada", NB, f"{NB}.ipynb").read_text()
    assert penalties(course) == {"ada": (0, 0), "zoe": (3, 0)}
    by_hand(course, 2)
    path.write_text(config)
    assert about_penalties(course, capsys) == [STALE]
    assert ended(course, capsys) == (0, [])
    assert penalties(course) == {"ada": (2, 1), "zoe": (5, 0)}


TOUCHES = {
    "rolls back": "(self.parent.gradebook.db.rollback(), score / 2)[1]",
    "closes": "(self.parent.gradebook.close(), score / 2)[1]",
    "writes": "(self.parent.gradebook.update_or_create_student('eve'), score / 2)[1]",
    "fails to write": "self.parent.gradebook.add_student('ada')",
    "leaves it broken": "self.parent.gradebook.db.add(type(self.parent.gradebook.find_student('ada'))(id='ada'))",
    "writes by its own": "(type(self.parent.gradebook)(self.parent.db_url).update_or_create_student('eve'), 1.5)[1]",
}


@pytest.mark.parametrize("how", TOUCHES)
def test_what_a_plugin_does_to_the_gradebook_loses_no_marks(late, released, capsys, how):  # noqa: F811
    course = released
    late(TOUCHES[how])
    text = "Doubling adds ada to itself. " * 4
    files = {f"{NB}.ipynb": answering(course, double="def double(x):\n    return 0", written_why=text)}
    hand_in(course, "ada", files | {"timestamp.txt": b"2026-11-22 12:00:00 UTC"})
    by_hand(course, 2)
    fails = how == "fails to write"
    assert ended(course, capsys)[0] == fails
    worse = penalties(course)["ada"][0]
    assert 2 <= worse < 5
    taken = 0 if how in ("fails to write", "leaves it broken") else min(worse, 1.5 if "own" in how else worse / 2)
    assert penalties(course)["ada"][1] == taken
    hand_in(course, "ada", {f"{NB}.ipynb": right(course), "timestamp.txt": b"2026-11-22 12:00:00 UTC"})
    assert ended(course, capsys)[0] == fails
    assert penalties(course)["ada"][0] >= 3
    assert main(["--course", str(course.root), "feedback", "09", "--jobs", "1"]) == fails


def test_what_is_late_is_asked_of_the_gradebook_at_once(late, released):  # noqa: F811
    """nbgrader looks through all marks for the points of each submission, which is quadratic in the class."""
    late()
    asked = []
    with book(released) as gradebook:
        event.listen(gradebook.engine, "before_cursor_execute", lambda *of: asked.append(of[2]))
        noted = {s: late_penalties.ON_TIME for s in ("ada", "zoe")}
        assert late_penalties.outdated(gradebook, course_config(released), NB, {"zoe": late_penalties.ON_TIME}) == {}
        assert len(asked) == 1
        assert "grade" not in asked[0].lower().split()
        assert set(late_penalties.outdated(gradebook, course_config(released), NB, noted)) == {"ada"}


@pytest.mark.parametrize("case", ["no due date", "no plugin", "records of before"])
def test_nobody_is_asked_whose_penalty_is_not_known_to_be_of_other_points(late, released, grade, capsys, case):  # noqa: F811
    course = released
    log = late(penalty="" if case == "no plugin" else "score / 2", due=case != "no due date")
    before = penalties(course)["ada"][1]
    by_hand(course, 2)
    if case == "records of before":
        forget(course, "ada", "late")
    asked = log.read_text()
    assert not about_penalties(course, capsys)
    assert set(grade()[0].values()) == {"unchanged"}
    assert log.read_text() == asked
    assert penalties(course)["ada"][1] == before


def extend(course):
    with book(course) as gradebook:
        gradebook.grant_extension(NB, "ada", days=3)


def put_off(course):
    with book(course) as gradebook:
        gradebook.update_or_create_assignment(NB, duedate=datetime.datetime(2026, 11, 25))


def take_away(course):
    path = course.root / "nbgrader_config.py"
    path.write_text(path.read_text().replace("c.AssignLatePenalties.plugin_class = Half", ""))


def take_all(course):
    take_away(course)
    path = course.root / "nbgrader_config.py"
    path.write_text(path.read_text() + 'c.LateSubmissionPlugin.penalty_method = "zero"\n')


@pytest.mark.parametrize("points", [None, 2])
@pytest.mark.parametrize(("change", "share"), [(extend, 0), (put_off, 0), (take_away, 0), (take_all, 1)])
def test_a_penalty_follows_extensions_due_dates_and_settings(late, released, grade, capsys, change, share, points):  # noqa: F811
    course, _ = released, late()
    if points:
        by_hand(course, points)
    change(course)
    if points:  # while a written answer waits, nobody's points go back
        assert about_penalties(course, capsys) == [STALE]
    said, have = [], 3 + (points or 0)
    assert set(grade(say=said.append)[0].values()) == {"unchanged"}
    assert said[0] == SETTLED
    assert penalties(course) == {"ada": (have, share * have), "zoe": (have, 0)}
    assert not about_penalties(course, capsys)
    said = []
    grade(say=said.append)
    assert len(said) == 2
    grade(force=True)
    assert penalties(course) == {"ada": (have, share * have), "zoe": (have, 0)}


def test_a_policy_that_is_set_after_marking_holds_for_all_who_are_late(late, released, grade, capsys):  # noqa: F811
    course, _ = released, late(penalty="")
    assert penalties(course) == {"ada": (3, 0), "zoe": (3, 0)}
    by_hand(course, 2)
    take_all(course)
    assert about_penalties(course, capsys) == [STALE]
    grade()
    assert penalties(course) == {"ada": (5, 5), "zoe": (5, 0)}


def test_an_earlier_due_date_makes_more_of_them_late(late, released, grade):  # noqa: F811
    course, _ = released, late()
    with book(course) as gradebook:
        gradebook.update_or_create_assignment(NB, duedate=datetime.datetime(2026, 11, 18))
    grade()
    assert penalties(course) == {"ada": (3, 1.5), "zoe": (3, 1.5)}


def waiting(course):
    """Which cells wait for a person, and the extra credit there is."""
    with book(course) as gradebook:
        (notebook,) = gradebook.find_submission(NB, "ada").notebooks
        return {g.name for g in notebook.grades if g.needs_manual_grade}, sum(
            g.extra_credit or 0 for g in notebook.grades
        )


def extra(course, cell, points=2):
    with book(course) as gradebook:
        given = gradebook.find_grade(cell, NB, NB, "ada")
        given.extra_credit, given.needs_manual_grade = points, False
        gradebook.db.commit()


@pytest.mark.parametrize("cell", ["test_double_value", "written_why"])
def test_extra_credit_waits_for_a_second_look_where_its_reason_has_changed(released, grade, cell):  # noqa: F811
    course, why = released, "Doubling adds x to itself. " * 4

    def attempt(double, written):
        hand_in(course, "ada", {f"{NB}.ipynb": answering(course, double=double, written_why=written)})

    attempt("def double(x):\n    return 2 * x", why)
    grade()
    with book(course) as gradebook:
        given = gradebook.find_grade("written_why", NB, NB, "ada")
        given.manual_score, given.needs_manual_grade = 2, False
        gradebook.db.commit()
    extra(course, cell)
    grade(force=True)
    assert waiting(course) == (set(), 2)
    attempt("def double(x):\n    return 0", why)
    grade()
    assert waiting(course) == ({cell} - {"written_why"}, 2)  # the written answer is the same
    hand_in(
        course, "ada", {f"{NB}.ipynb": answering(course, double="def double(x):\n    return 0", written_why="No. " * 9)}
    )
    grade()
    assert waiting(course) == ({cell, "written_why"}, 2)


def test_a_page_has_no_negative_points_where_the_penalty_is_more_than_what_is_left(late, released):  # noqa: F811
    course = released
    late("score")
    with book(course) as gradebook:
        given = gradebook.find_grade("test_double_value", NB, NB, "ada")
        given.manual_score, given.needs_manual_grade = 0, False
        gradebook.db.commit()
        assert gradebook.find_submission(NB, "ada").late_submission_penalty == 3
        assert NotebookMarks.read(gradebook, NB, "ada", NB).score == 0
        assert NotebookMarks.read(gradebook, NB, "zoe", NB).score == 3
