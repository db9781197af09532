"""What the marks of a cell mean, and the one form in which source notebooks are kept."""

import json

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from grader.core.cells import CellKind, exercises, kind_of, written_points
from grader.core.errors import GraderError
from grader.core.notebook import as_text, normalise, read_notebook, write_notebook


def marked(source="", tags=(), cell=new_code_cell, **nbgrader):
    metadata = {"tags": list(tags)} if tags else {}
    if nbgrader:
        metadata["nbgrader"] = nbgrader
    return cell(source, metadata=metadata)


@pytest.mark.parametrize(
    ("cell", "kind"),
    [
        (marked(tags=["setup"], grade_id="setup", locked=True), CellKind.SETUP),
        (marked(tags=["helpers"], grade_id="helpers_plots", locked=True), CellKind.HELPERS),
        (marked(tags=["given"], grade_id="given_softmax", locked=True), CellKind.GIVEN),
        (marked(grade_id="softmax", solution=True), CellKind.ANSWER),
        (marked(grade_id="test_softmax_value", grade=True, locked=True, points=1), CellKind.TEST),
        (marked(tags=["demonstration"], grade_id="t", grade=True, points=1), CellKind.TEST),
        (marked(grade_id="written_x", grade=True, solution=True, points=2, cell=new_markdown_cell), CellKind.WRITTEN),
        (marked(tags=["self-check"]), CellKind.SELF_CHECK),
        (marked(tags=["demonstration"]), CellKind.DEMONSTRATION),
        (marked(tags=["demonstration"], cell=new_markdown_cell), CellKind.TEXT),
        (marked(), CellKind.FREE),
    ],
)
def test_kind_of(cell, kind):
    assert kind_of(cell) is kind


def course_notebook():
    return new_notebook(
        cells=[
            new_markdown_cell("# 9. Title"),
            marked("import numpy as np", tags=["setup"], grade_id="setup"),
            new_markdown_cell("### Exercise 9.1 - double (3 points)"),
            marked(
                "def double(x):\n    return 2 * x\ndef half(x):\n    return x / 2", grade_id="double", solution=True
            ),
            marked("assert double(1) == 2, 'no'", grade_id="test_double_value", points=2),
            marked("assert half(2) == 1, 'no'", grade_id="test_double_half", points=1),
            marked("model answer", grade_id="written_why", points=2, solution=True, cell=new_markdown_cell),
        ]
    )


def test_exercises_and_points():
    nb = course_notebook()
    normalise(nb)
    (exercise,) = exercises(nb)
    assert (exercise.name, exercise.functions, exercise.number) == ("double", ("double", "half"), "9.1")
    assert [t[:2] for t in exercise.tests] == [("test_double_value", 2), ("test_double_half", 1)]
    assert exercise.points == 3
    assert written_points(nb) == {"written_why": 2}


def test_normalise_completes_nbgrader_metadata_and_names_cells():
    nb = course_notebook()
    normalise(nb)
    test = next(c for c in nb.cells if c.id == "test_double_value")
    assert test.metadata.nbgrader == {
        "grade": True, "grade_id": "test_double_value", "locked": True, "points": 2, "schema_version": 3,
        "solution": False, "task": False,
    }  # fmt: skip
    answer = next(c for c in nb.cells if c.id == "double")
    assert not answer.metadata.nbgrader.locked
    assert not answer.metadata.nbgrader.grade
    assert [c.id for c in nb.cells if c.cell_type == "markdown"][:2] == ["9-title", "exercise-9-1-double-3-points"]


def test_normalise_keeps_outputs_and_drops_noise():
    nb = course_notebook()
    cell = nb.cells[1]
    cell.metadata |= {"ExecuteTime": {}, "colab": {"x": 1}, "outputId": "a", "execution": {"iopub": 1}, "kept": 1}
    cell.execution_count = 17
    stream = [new_output("stream", name="stdout", text=t) for t in ("a\n", "b\n")]
    cell.outputs = [*stream, new_output("execute_result", {"text/plain": "3"}, execution_count=17)]
    cell.source += "   \n\n"
    nb.metadata["widgets"] = {"state": {}}
    nb.metadata["kernelspec"] = {"name": "my-env", "display_name": "My env"}
    normalise(nb)
    cell = nb.cells[1]
    assert set(cell.metadata) == {"tags", "nbgrader", "kept"}
    assert [o.get("text") for o in cell.outputs] == ["a\nb\n", None]
    assert cell.execution_count == 1
    assert cell.outputs[1].execution_count == 1
    assert cell.source == "import numpy as np"
    assert nb.metadata.kernelspec.name == "python3"
    assert "widgets" not in nb.metadata


def test_normalise_twice_changes_nothing(tmp_path):
    nb = course_notebook()
    normalise(nb)
    assert write_notebook(nb, tmp_path / "a.ipynb")
    again = read_notebook(tmp_path / "a.ipynb")
    normalise(again)
    assert not write_notebook(again, tmp_path / "a.ipynb")
    assert (tmp_path / "a.ipynb").read_bytes().endswith(b"}\n")


@pytest.mark.parametrize(("text", "word"), [("{", "not a notebook"), ("", "not a notebook"), ("[1]", "not a notebook")])
def test_unreadable_notebook_is_named(tmp_path, text, word):
    path = tmp_path / "broken.ipynb"
    path.write_text(text)
    with pytest.raises(GraderError, match=word) as caught:
        read_notebook(path)
    assert str(path) in str(caught.value)
    assert "Fix:" in str(caught.value)
    assert path.read_text() == text


def test_missing_notebook_is_named(tmp_path):
    with pytest.raises(GraderError, match="no such notebook"):
        read_notebook(tmp_path / "none.ipynb")


def test_written_file_is_plain_json(tmp_path):
    nb = course_notebook()
    normalise(nb)
    write_notebook(nb, tmp_path / "a.ipynb")
    assert json.loads((tmp_path / "a.ipynb").read_text())["nbformat_minor"] == 5


def test_a_marked_notebook_has_a_line_for_each_cell_and_is_read_as_it_was():
    nb = new_notebook(
        cells=[
            new_markdown_cell("one\ntwo\n\u2028 three"),
            new_code_cell("x = 1\n", outputs=[new_output("stream", text="é\n")]),
        ]
    )
    nb.metadata.update(
        orig_nbformat=3, kernelspec={"name": "python3", "display_name": "Python 3", "language": "python"}
    )
    nb.cells[1].metadata.trusted = True
    kept = nbformat.from_dict(nb)
    text = as_text(nb)
    assert len(text.split("\n")) == len(nb.cells) + 4
    del kept.metadata["orig_nbformat"], kept.cells[1].metadata["trusted"]
    again = nbformat.reads(text, as_version=4)
    assert again == kept
    assert again == nbformat.reads(nbformat.writes(kept), as_version=4)
    nbformat.validate(again)
