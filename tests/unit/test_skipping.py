"""Which cells are skipped when marking."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader.engine.skipping import SKIP_TAG, mark_skippable


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
    return [c.source for c in nb.cells if SKIP_TAG in c.metadata.tags]


def test_unchanged_demonstrations_are_skipped_whatever_the_submission_lost():
    nb = submission()
    assert mark_skippable(nb, source()) == 2
    assert skipped(nb) == ["slow = train()", "check_softmax(softmax)"]


def test_a_demonstration_that_the_student_changed_runs():
    nb = submission(c1="slow = train()\nfast = 1")
    mark_skippable(nb, source())
    assert skipped(nb) == ["check_softmax(softmax)"]


@pytest.mark.parametrize("tag", [SKIP_TAG, "skip-execution", "demonstration", "self-check"])
def test_tags_of_the_submission_skip_nothing(tag):
    nb = submission()
    for cell in nb.cells:
        cell.metadata["tags"] = [tag]
    mark_skippable(nb, source())
    assert skipped(nb) == ["slow = train()", "check_softmax(softmax)"]
    assert not any("skip-execution" in c.metadata.tags for c in nb.cells)


def test_a_graded_cell_with_the_text_of_a_demonstration_runs():
    nb = submission(c4="slow = train()")
    mark_skippable(nb, source())
    assert SKIP_TAG not in nb.cells[4].metadata.tags


def test_nothing_is_skipped_when_the_answer_uses_what_a_demonstration_defines():
    nb = submission("def softmax(x):\n    return x * slow")
    assert mark_skippable(nb, source()) == 0
    assert skipped(nb) == []


def test_a_name_of_the_students_own_does_not_count_as_the_demonstrations():
    nb = submission("def softmax(x):\n    slow = np.max(x)\n    return x - slow")
    assert mark_skippable(nb, source()) == 2


def test_an_answer_that_does_not_parse_is_no_obstacle():
    assert mark_skippable(submission("def softmax(x:\n  !pip install x"), source()) == 2
