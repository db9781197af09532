"""Which cells are skipped when marking."""

import copy

import pytest
from nbformat import reads, writes
from nbformat.v4 import new_code_cell, new_notebook

from grader.core.findings import Finding, Level
from grader.engine.result import SKIP_TAG, Origin, Result, render
from grader.engine.skipping import Plan, skippable


def code(source, tags=(), **nbgrader):
    metadata = {"tags": list(tags)}
    if nbgrader:
        metadata["nbgrader"] = {"locked": not nbgrader.get("solution"), **nbgrader}
    return new_code_cell(source, metadata=metadata)


def source():
    return new_notebook(
        cells=[
            code("import numpy as np", ["setup"], grade_id="setup"),
            code("slow = train()", ["demonstration"]),
            code("def softmax(x):\n    return x", grade_id="softmax", solution=True),
            code("check_softmax(softmax)", ["self-check"]),
            code("assert softmax(1) == 1, 'no'", grade_id="test_softmax_value", grade=True, points=1),
        ]
    )


def submission(answer="def softmax(x):\n    return np.abs(x)", **changes):
    nb = source()
    nb.cells[2].source = answer
    for cell in nb.cells:
        cell.metadata["tags"] = []
        cell.pop("id")
    for position, text in changes.items():
        nb.cells[int(position[1:])].source = text
    return nb


def skipped(nb):
    before = copy.deepcopy(nb)
    places = skippable(nb, source())
    assert nb == before, "the plan is not written into the notebook"
    return [nb.cells[place].source for place in sorted(places)]


def test_unchanged_demonstrations_are_skipped_whatever_the_submission_lost():
    assert skipped(submission()) == ["slow = train()", "check_softmax(softmax)"]


def test_a_demonstration_that_the_student_changed_runs():
    assert skipped(submission(c1="slow = train()\nfast = 1")) == ["check_softmax(softmax)"]


@pytest.mark.parametrize("tag", [SKIP_TAG, "skip-execution", "demonstration", "self-check"])
def test_tags_of_the_submission_skip_nothing(tag):
    nb = submission()
    for cell in nb.cells:
        cell.metadata["tags"] = [tag]
    assert skipped(nb) == ["slow = train()", "check_softmax(softmax)"]
    result = Result(skipped=skippable(nb, source()))
    render(nb, result)
    assert not any("skip-execution" in c.metadata.tags for c in nb.cells)
    assert [c.source for c in nb.cells if SKIP_TAG in c.metadata.tags] == ["slow = train()", "check_softmax(softmax)"]


def test_a_graded_cell_with_the_text_of_a_demonstration_runs():
    assert skipped(submission(c4="slow = train()")) == ["slow = train()", "check_softmax(softmax)"]
    assert 4 not in skippable(submission(c4="slow = train()"), source())


def test_nothing_is_skipped_when_the_answer_uses_what_a_demonstration_defines():
    assert skipped(submission("def softmax(x):\n    return x * slow")) == []


def test_a_name_of_the_students_own_does_not_count_as_the_demonstrations():
    assert len(skipped(submission("def softmax(x):\n    slow = np.max(x)\n    return x - slow"))) == 2


def test_an_answer_that_does_not_parse_is_no_obstacle():
    assert len(skipped(submission("def softmax(x:\n  !pip install x"))) == 2


def test_helpers_that_nothing_uses_are_left_out_of_the_plan():
    nb = submission()
    nb.cells[1:1] = [
        code("def used():\n    return deeper()", ["helpers"]),
        code("def deeper():\n    return 1", ["helpers"]),
        code("def drawn():\n    return 2", ["helpers"]),
    ]
    nb.cells[5].source += "\nused()"
    plan = Plan.of(nb, source())
    assert [nb.cells[place].source.split("(")[0] for place in sorted(plan.skipped)][:1] == ["def drawn"]
    assert plan.functions == ("softmax",)


def test_what_is_noted_between_nbgraders_two_passes_comes_back():
    nb = submission()
    assert Origin.read(nb) == Origin()
    origin = Origin("digest", "tests", (Finding("cell-moved", "softmax", "It was moved.", Level.REPAIRED),))
    origin.write(nb)
    assert Origin.read(reads(writes(nb), as_version=4)) == origin
