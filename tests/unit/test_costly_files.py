"""Files that are made to cost time or memory where no limit of the sandbox holds: while they are taken in and read."""

import io
import json
import zipfile

import pytest

from grader.core.errors import GraderError
from grader.submissions import conflicts, mend, packed, scripts
from grader.submissions.parsing import MAX_PARSED

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


def test_the_marks_of_a_script_are_read_once():
    begun = "# %% " + 'nbgrader={ "a" ' * 100_000
    assert scripts.read_script(begun + "\nx = 1\n", "answers.py")["cells"][0]["metadata"] == {}


def test_of_a_large_file_with_conflicts_few_choices_of_sides_are_read(monkeypatch):
    read = []
    monkeypatch.setattr(conflicts, "loads", lambda text: read.append(len(text)) or {})
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
