"""The comparison with saved outputs finds each kind of difference, and nothing else."""

import copy

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from saved_outputs import differences

from grader.core.notebook import write_notebook


def picture(alt, pixels):
    html = f'<img alt="{alt}" src="data:image/png;base64,{pixels}">'
    return new_output("display_data", {"text/html": html, "text/plain": "<Figure>"})


def printed(text, name="stdout"):
    return new_output("stream", name=name, text=text)


def result(text):
    return new_output("execute_result", {"text/plain": text}, execution_count=1)


def error(name):
    return new_output("error", ename=name, evalue="", traceback=[name])


SAVED = [printed("loss 0.5\n"), picture("a curve", "AAAA"), result("7")]


def compare(session, folder, saved, ran, **metadata):
    """Compare a run of two cells, the first of which is always the same."""
    first = new_code_cell("x = 1", id="first", execution_count=1, outputs=[printed("1\n")])
    cell = new_code_cell("show(x)", id="second", execution_count=2, outputs=saved, metadata=metadata)
    notebook = folder / "saved.ipynb"
    write_notebook(new_notebook(cells=[first, cell]), notebook)
    run = copy.deepcopy({"first": first, "second": cell})
    run["second"].outputs = ran
    return differences(session, notebook, run)


@pytest.mark.parametrize(
    "ran",
    [
        SAVED,
        [printed("loss "), printed("0.5\n"), *SAVED[1:]],
        [SAVED[0], picture("a curve", "BBBB"), SAVED[2]],
    ],
    ids=["the same", "printed in parts", "other pixels"],
)
def test_what_means_nothing_is_no_difference(request, tmp_path, ran):
    assert compare(request.session, tmp_path, SAVED, ran) == {}


@pytest.mark.parametrize(
    ("saved", "ran"),
    [
        (SAVED, [printed("loss 0.6\n"), *SAVED[1:]]),
        (SAVED, [SAVED[0], picture("two curves", "AAAA"), SAVED[2]]),
        (SAVED, [*SAVED[:2], result("8")]),
        (SAVED, SAVED[1:]),
        (SAVED, SAVED[:2]),
        (SAVED, []),
        ([], SAVED[:1]),
        (SAVED, [*SAVED, printed("a warning\n", "stderr")]),
        (SAVED, [*SAVED, picture("a curve", "AAAA")]),
        (SAVED, [error("ValueError")]),
        ([error("ValueError")], [error("ValueError")]),
    ],
    ids=[
        "other text", "other picture", "other result", "text missing", "result missing", "all missing", "not saved",
        "warning", "one more picture", "error", "error that no tag expects",
    ],
)  # fmt: skip
def test_a_difference_is_found(request, tmp_path, saved, ran):
    assert list(compare(request.session, tmp_path, saved, ran)) == ["second"]


@pytest.mark.parametrize(
    ("tag", "saved", "ran", "found"),
    [
        ("nbval-ignore-output", SAVED, SAVED[:1], []),
        ("nbval-ignore-output", SAVED, [error("ValueError")], ["second"]),
        ("raises-exception", [error("ValueError")], [error("ValueError")], []),
        ("raises-exception", [error("ValueError")], [error("TypeError")], ["second"]),
        ("nbval-skip", SAVED, [], []),
    ],
)
def test_tags_keep_their_meaning(request, tmp_path, tag, saved, ran, found):
    assert list(compare(request.session, tmp_path, saved, ran, tags=[tag])) == found


def test_saved_outputs_of_a_cell_that_did_not_run_are_found(request, tmp_path):
    cell = new_code_cell("1", id="only", execution_count=None, outputs=[result("1")])
    write_notebook(new_notebook(cells=[cell]), tmp_path / "saved.ipynb")
    assert list(differences(request.session, tmp_path / "saved.ipynb", {"only": cell})) == ["only"]
