"""Sample submissions: what they contain and what was done to them."""

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from grader.core.cells import grade_id
from grader.testing.samples import HANDLINGS, as_saved_by_colab, fill_answers, with_noise, with_shuffled_counts


def release():
    marks = {"grade_id": "f", "solution": True, "grade": False, "locked": False}
    written = {"grade_id": "written_x", "solution": True, "grade": True, "locked": False, "points": 2}
    return new_notebook(
        cells=[
            new_code_cell("def f():\n    raise NotImplementedError()", metadata={"nbgrader": marks}),
            new_code_cell("f()"),
            new_markdown_cell("Write here", metadata={"nbgrader": written}),
        ]
    )


def test_answers_go_into_their_cells_without_the_markers():
    nb = fill_answers(release(), {"f": "def f():\n    ### BEGIN SOLUTION\n    return 1\n    ### END SOLUTION"})
    assert nb.cells[0].source == "def f():\n    return 1"
    assert nb.cells[2].source != "Write here"


def test_untouched_stays_untouched():
    before = release()
    nb = fill_answers(before, {})
    assert [c.source for c in nb.cells] == [c.source for c in before.cells]


def test_colab_moves_ids_and_keeps_nbgrader_metadata():
    nb = as_saved_by_colab(release())
    nbformat.validate(nb)
    assert nb.nbformat_minor == 0
    assert all("id" not in c for c in nb.cells)
    assert grade_id(nb.cells[1]) == "f"
    assert nb.cells[1].metadata["outputId"]
    assert "state" not in nb.metadata.widgets["application/vnd.jupyter.widget-state+json"]


def test_colab_keeps_outputs_and_lists_the_widgets_that_are_shown():
    ran = release()
    view = {"version_major": 2, "version_minor": 0, "model_id": "abc"}
    ran.cells[0].outputs = [new_output("display_data", {"application/vnd.jupyter.widget-view+json": view})]
    ran.cells[1].outputs = [new_output("error", ename="NotImplementedError", evalue="", traceback=[])]
    ran.cells[1].execution_count = 2
    nb = as_saved_by_colab(ran)
    nbformat.validate(nb)
    assert [c.get("outputs", []) for c in nb.cells[1:]] == [c.get("outputs", []) for c in ran.cells]
    assert nb.cells[2].execution_count == 2
    assert [c.metadata.executionInfo["status"] for c in nb.cells[1:3]] == ["ok", "error"]
    assert list(nb.metadata.widgets["application/vnd.jupyter.widget-state+json"]) == ["abc"]


def test_noise_goes_to_stderr_at_every_call(capfd):
    nb = with_noise(fill_answers(release(), {"f": "def f():\n    return 1"}))
    namespace = {}
    exec(nb.cells[0].source, namespace)
    namespace["logging"] = type("Log", (), {"warning": staticmethod(lambda text: print("logged", text))})
    assert namespace["f"]() == 1
    assert "logged f was called" in capfd.readouterr().out


def test_shuffled_counts_are_out_of_order():
    nb = with_shuffled_counts(release())
    assert [c.execution_count for c in nb.cells[:2]] == [2, 1]


def test_no_handling_changes_its_input():
    for handle in HANDLINGS.values():
        nb = release()
        before = nbformat.writes(nb)
        handle(nb)
        assert nbformat.writes(nb) == before
