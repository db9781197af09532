"""Helpers into notebooks, notebooks as text and back, execution, release."""

import pytest

from grader.authoring.execute import execute
from grader.authoring.release import out_of_date, release
from grader.authoring.sync import helper_cell_source, helper_imports, sync
from grader.authoring.text import apply_view, view_path, write_view
from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook, write_notebook

NB = "09_doubling"


def cell(course, name):
    return next(c for c in read_notebook(course.source(NB)).cells if c.id == name)


def test_apply_makes_a_notebook_with_helpers_in_locked_collapsed_cells(course):
    helper = cell(course, "helpers_words")
    assert kind_of(helper) is CellKind.HELPERS
    assert helper.source.startswith("# @title Helper code")
    assert "def say(word, number):" in helper.source
    assert helper.metadata.cellView == "form"
    assert helper.metadata.jupyter.source_hidden
    assert helper.metadata.nbgrader.locked
    assert not helper.metadata.nbgrader.grade


def test_sync_notices_and_mends_drift(course):
    assert sync(course, [NB], write=False) == []
    helper = course.helpers / "words.py"
    helper.write_text(helper.read_text() + "\nNEW = 1\n")
    before = course.source(NB).read_bytes()
    assert sync(course, [NB], write=False) == [NB]
    assert course.source(NB).read_bytes() == before
    assert sync(course, [NB]) == [NB]
    assert "NEW = 1" in cell(course, "helpers_words").source
    assert sync(course, [NB], write=False) == []


def test_sync_overwrites_an_edit_in_the_notebook(course):
    nb = read_notebook(course.source(NB))
    next(c for c in nb.cells if c.id == "helpers_words").source = "changed = 1"
    write_notebook(nb, course.source(NB))
    assert sync(course, [NB]) == [NB]
    assert "changed" not in cell(course, "helpers_words").source


def test_sync_points_the_colab_badge_at_the_configured_repository(course):
    view = write_view(course, NB)
    badge = "https://colab.research.google.com/github/x/y/blob/main/notebooks/old/old.ipynb"
    view.write_text(
        view.read_text().replace(
            "# # 9. Doubling", f"# # 9. Doubling\n#\n# [![Open in Colab](https://h/b.svg)]({badge})"
        )
    )
    apply_view(course, NB)
    (course.root / "pyproject.toml").write_text('[tool.course]\nrepository = "someone/their-course"\n')
    assert sync(course, [NB]) == [NB]
    title = read_notebook(course.source(NB)).cells[0].source
    target = "https://colab.research.google.com/github/someone/their-course/blob/main/notebooks/09_doubling/09_doubling.ipynb"
    assert f"(https://h/b.svg)]({target})" in title


def test_unknown_helper_is_named(course):
    (course.helpers / "words.py").rename(course.helpers / "other.py")
    with pytest.raises(GraderError, match=r"no helper named 'words.py'") as caught:
        sync(course, [NB])
    assert "other.py" in str(caught.value)


def test_import_between_helpers_is_dropped_in_the_notebook(course):
    imports = "from helpers.words import say\nfrom helpers.words import (\n    HELLO,\n    say,\n)\n"
    text = f"import math\n\n{imports}\nX = say('a', 1)\n"
    (course.helpers / "more.py").write_text(text)
    source = helper_cell_source("more.py", course.helpers)
    assert "helpers.words" not in source
    assert "HELLO" not in source
    assert source.endswith("X = say('a', 1)")
    assert helper_imports(text) == ["words.py", "words.py"]


def test_text_view_round_trip_keeps_everything(executed):
    before = executed.source(NB).read_bytes()
    view = write_view(executed, NB)
    assert "# helper" in view.read_text()
    assert "def say" not in view.read_text()
    apply_view(executed, NB)
    assert executed.source(NB).read_bytes() == before


def test_text_view_edit_changes_one_cell_and_keeps_the_other_outputs(executed):
    view = write_view(executed, NB)
    view.write_text(view.read_text().replace("print(double(1) == 2)", "print(double(4) == 8)"))
    before = {c.id: c for c in read_notebook(executed.source(NB)).cells}
    apply_view(executed, NB)
    after = {c.id: c for c in read_notebook(executed.source(NB)).cells}
    changed = [name for name in after if after[name] != before.get(name)]
    assert len(changed) == 1
    assert after[changed[0]].source == "print(double(4) == 8)"
    shown = next(c for c in after.values() if c.source.startswith("shown"))
    assert shown.outputs[0].text == "['two: 2', 'two: 2']\n"


def test_metadata_edited_in_the_view_counts(executed):
    view = write_view(executed, NB)
    view.write_text(view.read_text().replace('"points": 2}\n"""The value', '"points": 5}\n"""The value'))
    apply_view(executed, NB)
    assert cell(executed, "test_double_value").metadata.nbgrader.points == 5


def test_a_cell_split_in_two_keeps_ids_unique(executed):
    view = write_view(executed, NB)
    given = '# %% nbgrader={"grade_id": "given_two"} tags=["given"]\ngiven_two = 2\n'
    text = view.read_text()
    assert given in text
    twin = given.replace("given_two", "given_three").replace("= 2", "= 2 + 1")
    view.write_text(text.replace(given, f"{twin}\n{given}"))
    apply_view(executed, NB)
    ids = [c.id for c in read_notebook(executed.source(NB)).cells]
    assert len(set(ids)) == len(ids)
    assert ids.index("given_three") == ids.index("given_two") - 1
    assert cell(executed, "given_three").metadata.nbgrader.grade_id == "given_three"


def test_apply_without_a_view_is_an_error(course):
    view_path(course, NB).unlink()
    with pytest.raises(GraderError, match="no text view"):
        apply_view(course, NB)


def test_execute_saves_outputs(executed):
    nb = read_notebook(executed.source(NB))
    assert [c.execution_count for c in nb.cells if c.cell_type == "code"] == list(range(1, 9))
    assert cell(executed, "double").outputs == []


def test_failed_execution_saves_nothing_and_names_the_cell(course):
    view = write_view(course, NB)
    view.write_text(view.read_text().replace("return given_two * x", "return given_two + x"))
    apply_view(course, NB)
    before = course.source(NB).read_bytes()
    with pytest.raises(GraderError, match="test_double_value"):
        execute(course, NB)
    assert course.source(NB).read_bytes() == before


def test_release_has_no_solutions_and_is_reproducible(executed):
    (path,) = release(executed, [NB])
    text = path.read_text()
    assert "return given_two" not in text
    assert "HIDDEN" not in text
    assert "-6" not in text
    assert "Because." not in text
    assert "not written yet" in text
    assert all(not c.get("outputs") for c in read_notebook(path).cells)
    first = path.read_bytes()
    release(executed, [NB])
    assert path.read_bytes() == first
    assert [grade_id(c) for c in read_notebook(path).cells if kind_of(c) is CellKind.TEST] == [
        "test_double_value",
        "test_double_text",
    ]


def test_out_of_date_release_is_noticed(executed):
    assert out_of_date(executed, [NB]) == [NB]
    release(executed, [NB])
    assert out_of_date(executed, [NB]) == []
    path = executed.released(NB)
    path.write_text(path.read_text().replace("Doubling", "Tripling"))
    assert out_of_date(executed, [NB]) == [NB]
    release(executed, [NB])
    (executed.release / "10_left_over").mkdir()
    assert out_of_date(executed, [NB]) == ["10_left_over"]


def test_release_of_a_broken_source_says_why(executed):
    nb = read_notebook(executed.source(NB))
    answer = next(c for c in nb.cells if c.id == "double")
    answer.source = answer.source.replace("    ### END SOLUTION", "")
    write_notebook(nb, executed.source(NB))
    with pytest.raises(GraderError, match="is no marker with a partner"):
        release(executed, [NB])
