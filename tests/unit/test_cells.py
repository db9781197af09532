"""Which cells make an exercise."""

from __future__ import annotations

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.core.cells import CellKind, exercises, grade_id, kind_of, needed_cells


def marked(source, tag="", **marks):
    cell = new_code_cell(source, metadata={"nbgrader": marks} if marks else {})
    cell.metadata["tags"] = [tag] if tag else []
    return cell


def answer(name, source):
    return marked(source, grade_id=name, solution=True)


def graded(name, source, points):
    return marked(source, grade_id=name, grade=True, points=points)


@pytest.fixture
def notebook():
    return new_notebook(
        cells=[
            marked("assert True", grade_id="test_before", grade=True, points=1),
            marked("adapter_of_nothing()", "student-side", grade_id="early"),
            marked("import a", "setup", grade_id="setup"),
            marked("def h(): pass", "helpers", grade_id="helpers_h"),
            new_markdown_cell("### Exercise 1.2 - first"),
            answer("first", "def first(): pass\nclass No: pass\ndef second(): pass"),
            marked("check_first(first)", "self-check"),
            marked("def adapter(): return first()", "student-side", grade_id="adapter"),
            graded("test_first_a", "assert first() is None", 2),
            marked("given_b = 1", "given", grade_id="given_b"),
            graded("test_first_b", "assert adapter() is None", 1),
            marked("given_c = 1", "given", grade_id="given_c"),
            marked("check_again(first)", "self-check"),
            marked("draw()", "demonstration"),
            new_markdown_cell("no heading"),
            answer("alone", "def alone(): pass"),
            marked("def other(): return alone()", "student-side", grade_id="other"),
            marked("check_alone(alone)", "self-check"),
        ]
    )


def test_the_cells_of_each_exercise(notebook):
    first, alone = exercises(notebook)
    assert first.functions == ("first", "second")
    assert first.tests == [
        ("test_first_a", 2, "assert first() is None"),
        ("test_first_b", 1, "assert adapter() is None"),
    ]
    assert first.test_sources == {name: source for name, _, source in first.tests}
    assert first.adapters == ["def adapter(): return first()"]
    assert first.self_checks == ["check_first(first)", "check_again(first)"]
    assert (first.points, first.number, first.last_cell) == (3, "1.2", "test_first_b")
    assert first.tested_functions == ("first", "second", "adapter")
    assert (alone.tests, alone.points, alone.last_cell) == ([], 0, "alone")
    assert alone.adapters == ["def other(): return alone()"]
    assert alone.self_checks == ["check_alone(alone)"]
    assert alone.number == "1.2"


def test_the_cells_that_it_takes_to_mark_an_exercise(notebook):
    first, alone = exercises(notebook)
    locked = ["early", "setup", "helpers_h"]
    needed = [*locked, "first", "adapter", "test_first_a", "given_b", "test_first_b"]
    assert [grade_id(c) for c in needed_cells(notebook, first)] == needed
    # Without a test of its own it ends at its answer. Locked cells of other exercises are there, their tests are not.
    needed = [*locked, "adapter", "given_b", "given_c", "alone"]
    assert [grade_id(c) for c in needed_cells(notebook, alone)] == needed


def test_the_cells_are_the_notebooks_own(notebook):
    for cell in needed_cells(notebook, exercises(notebook)[0]):
        assert any(cell is own for own in notebook.cells)


def test_a_notebook_without_exercises():
    nb = new_notebook(cells=[marked("x", "setup"), new_markdown_cell("text")])
    assert exercises(nb) == []
    assert [kind_of(c) for c in nb.cells] == [CellKind.SETUP, CellKind.TEXT]
