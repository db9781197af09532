"""Files that are made to cost time or memory where no limit of the sandbox holds: while they are taken in and read."""

import io
import json
import zipfile

import pytest

from grader.core.errors import GraderError
from grader.submissions import conflicts, magics, mend, packed, scripts
from grader.submissions.parsing import MAX_PARSED, Effort

# At these lengths a pattern that goes back over what it has read takes minutes or hours instead of milliseconds.


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_what_can_be_unpacked_piece_by_piece_is_unpacked(method, monkeypatch):
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", method) as archive:
        archive.writestr("nb.ipynb", bytes(10_000_000))
    assert len(held.getvalue()) < 10_000
    unpacked = []
    monkeypatch.setattr(zipfile.ZipExtFile, "_read1", lambda self, n: unpacked.append(n) or b"")
    with zipfile.ZipFile(held) as archive, pytest.raises(GraderError, match="unusual method"):
        packed.read_entry(archive, archive.infolist()[0], "nb.ipynb", 1000, 1000)
    assert unpacked == []


@pytest.mark.parametrize(
    "line", ["```" + " " * 40_000 + "!", "```" + "w" * 40_000 + "!", " " * 40_000 + "``!", "```\t" + "w " * 20_000]
)
def test_a_fence_with_a_long_line_is_read_once(line):
    assert len(line) < MAX_PARSED
    text = f"{line}\ndef answer(x):\n    pass"
    assert mend.code_in_prose(text, ["answer"]) == text


def test_code_between_fences_is_found_as_before():
    text = "My answer:\n\n``` python  \ndef answer(x):\n    return x\n```\n\nand so on"
    assert mend.code_in_prose(text, ["answer"]) == "def answer(x):\n    return x"


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("```a\n" * 5, []),
        ("```a\n```b\nx\n```\ny", ["```b\nx"]),
        ("```\n```\n```\nz\n```", ["", "z"]),
        ("`` `\n```py x\n  ```py\t\n 1\n2\n\n\t``` \n```", [" 1\n2\n"]),
    ],
)
def test_a_block_goes_from_a_fence_to_the_next_bare_one(text, blocks):
    assert list(mend._fenced(text)) == blocks


_ASKING = ["a" * 20_000 + " ?", "a." * 10_000 + " ?", "(" + "a" * 20_000 + "\nx?", "*" * 20_000 + " ?"]


@pytest.mark.parametrize(
    "line", ["```" + " " * 40_000 + "!", "x?" + " " * 20_000 + "$", "!ls '" + "\\'" * 15_000, *_ASKING]
)
def test_a_line_that_tokens_are_read_from_again_and_again_is_not_for_ipython(line, monkeypatch):
    effort = Effort()
    monkeypatch.setattr("IPython.core.inputtransformer2.make_tokens_by_line", lambda lines: pytest.fail("it was read"))
    assert magics.without_magics(f"{line}\ndef answer(x):\n    pass", effort)[1] is None
    assert effort.left > 9_000_000, "the other cells go without"


@pytest.mark.parametrize(
    "line", ["x = 1" + " " * 40_000, "x = 1" + " " * 500 + "# $", f"x = '{'it is ' * 5_000}'", f"x = '{'a' * 9_000}'"]
)
def test_a_long_line_does_not_keep_ipython_from_the_others(line):
    text, tree, _ = magics.without_magics(f"%matplotlib inline\n{line}", Effort())
    assert tree is not None
    assert text == f"# %matplotlib inline\n{line}"


def test_the_marks_of_a_script_are_read_once():
    begun = "# %% " + 'nbgrader={ "a" ' * 100_000
    assert scripts.read_script(begun + "\nx = 1\n", "answers.py")["cells"][0]["metadata"] == {}


def test_of_a_large_file_with_conflicts_few_choices_of_sides_are_read(monkeypatch):
    read = []
    monkeypatch.setattr(conflicts, "whole", lambda text: read.append(len(text)) or {})
    conflict = "<<<<<<< a\n1\n=======\n2\n>>>>>>> b\n"
    conflicts.merged(conflict * 5)
    assert len(read) == 32
    read.clear()
    conflicts.merged(conflict * 5 + " " * 1_500_000)
    assert len(read) == 2
    read.clear()
    conflicts.merged(conflict * 5 + " " * 9_000_000)
    assert len(read) == 1


def test_a_conflict_is_still_resolved_by_the_side_with_fewer_stubs():
    def cell(source):
        return json.dumps({"cell_type": "code", "source": source, "metadata": {}, "outputs": []})

    sides = cell("raise NotImplementedError()"), cell("x = 1")
    conflict = "<<<<<<< a\n{}\n=======\n{}\n>>>>>>> b\n".format(*sides)
    text = '{"cells": [\n' + conflict + '], "metadata": {}}'
    assert conflicts.merged(text)["cells"][0]["source"] == "x = 1"
