"""Students who do more than answer: what they do, and that it costs them no mark and the class no training."""

import copy
import random

import nbformat
import pytest

from grader.benchmarks.measuring import must_be_right
from grader.classrun.run import grade_class
from grader.core.cells import CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.nbgrader_api import course_config, folders_config
from grader.core.needed import Part
from grader.core.notebook import read_notebook, write_notebook
from grader.engine.handed import Handed, planted
from grader.engine.kit import Kit
from grader.engine.prelude import import_lines
from grader.engine.running import mark_notebook
from grader.engine.skipping import Plan, parts_of
from grader.sandbox.warm import Template
from grader.submissions.assembly import STUDENT_TAG
from grader.testing.exploring import HABITS, explore
from grader.testing.samples import fill_answers

COURSE = Course.find()
NAME = "05_positional_encoding"


def solved(name):
    known = exercises(read_notebook(COURSE.source(name)))
    return fill_answers(read_notebook(COURSE.released(name)), {e.name: e.answer for e in known}), known


def planted_of(kit, nb):
    return planted(kit, Handed("own.ipynb", nbformat.writes(nb, version=nbformat.NO_CONVERT).encode()))


@pytest.mark.parametrize("name", HABITS)
def test_each_habit_leaves_a_trace_and_the_answers_are_still_there(name):
    nb, known = solved(NAME)
    changed = [copy.deepcopy(nb) for _ in range(3)]
    for seed, one in enumerate(changed):
        HABITS[name].do(one, known, random.Random(seed))
    assert any(one != nb for one in changed)
    for one in changed:
        nbformat.validate(one)
        names = [c.metadata.nbgrader.grade_id for c in one.cells if kind_of(c) is CellKind.ANSWER]
        assert names == [e.name for e in known]


def test_the_same_numbers_make_the_same_notebook():
    nb, known = solved(NAME)
    before = copy.deepcopy(nb)
    assert explore(nb, known, random.Random(3)) == explore(nb, known, random.Random(3))
    assert explore(nb, known, random.Random(3)) != explore(nb, known, random.Random(4))
    assert nb == before


@pytest.mark.parametrize("name", COURSE.select([]))
def test_nothing_that_a_curious_student_does_makes_a_demonstration_run(name):
    """The part of an answer that stands in a cell of its own runs, and nothing else of a student's own."""
    nb, known = solved(name)
    kit = Kit.read(COURSE.source(name))
    ran, explored = set(), 0
    for seed in range(8):
        made = planted_of(kit, explore(nb, known, random.Random(seed)))
        parts = parts_of(made.notebook, kit.source)
        own = [n for n, part in parts.items() if part is Part.OWN]
        explored += len(own)
        ran |= {made.plan.sources.get(n, made.notebook.cells[n].source) for n in own if n not in made.plan.skipped}
        assert not made.plan.released
        assert not [n for n, part in parts.items() if part is Part.RELEASED and n not in made.plan.skipped]
    assert explored > 20
    assert all(text.startswith(("def shapes(", "import matplotlib")) for text in ran), ran


def test_a_class_that_explores_loses_no_point(tmp_path):
    nb, known = solved(NAME)
    config = folders_config(course_config(COURSE), tmp_path)
    for seed in range(4):
        path = tmp_path / "submitted" / f"s{seed}" / NAME / f"{NAME}.ipynb"
        write_notebook(explore(nb, known, random.Random(seed)), path)
    must_be_right(grade_class(COURSE, config, [NAME]))
    (shown,) = {
        cell.outputs[0].text
        for seed in range(4)
        for cell in read_notebook(tmp_path / "autograded" / f"s{seed}" / NAME / f"{NAME}.ipynb").cells
        if kind_of(cell) is CellKind.DEMONSTRATION and cell.outputs
    }
    assert shown.startswith("step 100"), "what was not run shows what was handed in"


def test_marks_are_the_same_as_when_every_cell_of_the_students_runs():
    """Demonstrations stay out of it: they would train for minutes."""
    nb, known = solved(NAME)
    kit = Kit.read(COURSE.source(NAME))
    with Template(import_lines(kit.source)) as template:
        for seed in range(3):
            one, rng = copy.deepcopy(nb), random.Random(seed)
            for habit in ("predictions filled in", "plots of one's own", "broken cells", "%timeit"):
                HABITS[habit].do(one, known, rng)
            HABITS["part of an answer in a cell of its own"].do(one, known, rng)
            if seed == 2:
                one.cells.insert(0, nbformat.v4.new_code_cell("shapes = None", id="later"))
            made = planted_of(kit, one)
            own = {n for n, c in enumerate(made.notebook.cells) if STUDENT_TAG in c.metadata.get("tags", [])}
            whole = Plan(made.plan.skipped - own, made.plan.functions)
            assert own & made.plan.skipped
            verdicts = [mark_notebook(made.notebook, plan, template).verdicts for plan in (made.plan, whole)]
            assert {k: v.outcome for k, v in verdicts[0].items()} == {k: v.outcome for k, v in verdicts[1].items()}
