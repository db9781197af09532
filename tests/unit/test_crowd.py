"""A made class: the same each time, what it says it is, and honest about what it must earn."""

import hashlib
import json

import pytest

from grader.classrun.summary import Entry
from grader.core.cells import CellKind, exercises, grade_id, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.submissions import intake
from grader.testing import crowd
from grader.testing.damage import DAMAGES
from grader.testing.samples import fill_answers

NAME = "05_positional_encoding"


@pytest.fixture(scope="module")
def course():
    return Course.find()


def files_of(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_the_same_seed_makes_the_same_class(course, tmp_path):
    made = [
        crowd.make_class(course, tmp_path / str(n), 12, [NAME], seed=seed, damaged_share=0.3)
        for n, seed in enumerate((3, 3, 4))
    ]
    files = [files_of(tmp_path / str(n)) for n in range(3)]
    assert made[0] == made[1]
    assert files[0] == files[1]
    assert made[0] != made[2]
    assert files[0] != files[2]


def test_submissions_differ_and_hold_the_answers_that_they_are_credited_with(course, tmp_path):
    made = crowd.make_class(course, tmp_path, 40, [NAME], seed=1, exploring_share=0.3, damaged_share=0.2)
    assert [one.student for one in made] == [f"s{n:04}" for n in range(1, 41)]
    assert {one.what.split(":")[0] for one in made} >= {"honest", "exploring", "damaged", "colab"}
    for one in made:
        assert intake.find_submission(tmp_path / one.student / NAME, NAME).path is not None, one
    points = {one.least for one in made if one.what == "honest"}
    assert len(points) > 5, "marks vary"
    assert any(one.least < one.most for one in made), "some answers are wrong"
    source = read_notebook(course.source(NAME))
    released = read_notebook(course.released(NAME))
    stubs = {grade_id(c): c.source for c in released.cells if kind_of(c) is CellKind.ANSWER}
    texts = []
    for one in made:
        if one.what != "honest":
            continue
        nb = read_notebook(tmp_path / one.student / NAME / f"{NAME}.ipynb")
        texts.append(str(nb))
        assert [c.id for c in nb.cells] == [c.id for c in released.cells]
        assert all(not c.get("outputs") for c in nb.cells), "without outputs, as released"
        written = {
            e.points for e in exercises(source) for c in nb.cells if grade_id(c) == e.name and c.source != stubs[e.name]
        }
        assert bool(written) == (one.most > 0), one
    touched = [text for text in texts if text != str(released)]
    assert len(set(touched)) == len(touched), "no two are the same, so no mark can be served for another"


def test_a_notebook_is_filled_as_the_slow_way_does_it(course):
    sheet = crowd._Sheet.of(course, NAME)
    answers = {one.name: one.answer + '\n# "é" \\ \t' for one in sheet.exercises[:3]}
    filled = json.loads(sheet.filled(answers))
    slow = json.loads(crowd._as_file(fill_answers(sheet.released, answers)))
    assert filled == slow
    assert sheet.filled({}) == crowd._as_file(sheet.released)


def test_what_a_damaged_one_must_earn_is_known(course, tmp_path):
    made = crowd.make_class(course, tmp_path, 60, [NAME], seed=2, damaged_share=1.0)
    whole = sum(e.points for e in exercises(read_notebook(course.source(NAME))))
    assert all(one.least == one.most for one in made)
    assert {one.least for one in made} > {whole}, "some damage cannot be mended"
    assert {one.what.removeprefix("damaged: ") for one in made} <= set(DAMAGES)


def test_hostile_ones_are_written_by_the_caller(course, tmp_path):
    asked = []

    def hostile(assignment, folder, number):
        asked.append((assignment, number))
        (folder / f"{assignment}.ipynb").write_text("{}")
        return "it is empty"

    made = crowd.make_class(course, tmp_path, 30, [NAME], hostile=hostile, hostile_share=0.5)
    found = [one for one in made if one.what == "hostile: it is empty"]
    assert asked == [(NAME, n) for n in range(len(found))]
    assert 5 < len(found) < 25
    assert all((one.least, one.most) == (0, 20) for one in found)


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        (Entry("s1", NAME, "marked", 7.0, 20.0), None),
        (Entry("s1", NAME, "unchanged", 5.0, 20.0), None),
        (Entry("s1", NAME, "marked", 8.0, 20.0), "8 points, 5 to 7 expected"),
        (Entry("s1", NAME, "marked", 4.0, 20.0), "4 points, 5 to 7 expected"),
        (Entry("s1", NAME, "failed", why="no"), "failed: no"),
        (Entry("s2", NAME, "marked", 7.0, 20.0), "there is no entry"),
    ],
)
def test_surprises_are_named(entry, says):
    made = [crowd.HandedIn("s1", NAME, "honest", 5.0, 7.0)]
    assert [s.split("): ")[1] for s in crowd.surprises(made, [entry])] == ([says] if says else [])
