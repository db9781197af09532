"""Regions are read the way nbgrader reads them, whatever the markers look like, by everybody who reads them."""

from __future__ import annotations

import random

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions
from traitlets.config import Config

from grader.audit.mutations import solution_regions, stub_of
from grader.core.course import Course
from grader.core.notebook import write_notebook
from grader.core.regions import Markers, Part, hidden_tests, solutions
from grader.publishing.leaks import leaks, secrets_of
from grader.report.data import read_layout
from grader.submissions.transplant import pristine
from grader.testing.samples import fill_answers

STUB = "# Write here.\npass"
OTHER = Config(
    {
        "ClearSolutions": {"begin_solution_delimeter": "ANFANG LÖSUNG", "end_solution_delimeter": "ENDE LÖSUNG"},
        "ClearHiddenTests": {"begin_test_delimeter": "<hidden>", "end_test_delimeter": "</hidden>"},
    }
)
LINES = {
    "BEGIN": ["### BEGIN {}", "    ### BEGIN {}", "# BEGIN {}", "#BEGIN {}  ", "x = 1  ### BEGIN {} of it"],
    "END": ["### END {}", "    ### END {}", "# END {}", "#END {} #"],
    "": ["a = 1", "    b = 2", "", "# begin {}", "### BEGIN", "### BEGINNING OF {}"],
}


def cells(name: str, seed: int) -> str:
    """Return a cell of a few lines, markers among them in any order."""
    chance = random.Random(seed)
    kinds = chance.choices(["BEGIN", "END", ""], [1, 1, 2], k=chance.randint(0, 8))
    return "\n".join(chance.choice(LINES[kind]).format(name) for kind in kinds)


def nbgraders(markers: str, source: str) -> str | None:
    """Return what nbgrader leaves of a cell, or None if it refuses it."""
    cell = new_code_cell(source)
    try:
        if markers == "SOLUTION":
            clear = ClearSolutions(code_stub={"python": STUB})
            clear.log.disabled = True
            clear._replace_solution_region(cell, "python")
        else:
            ClearHiddenTests()._remove_hidden_test_region(cell)
    except RuntimeError:
        return None
    return cell.source


@pytest.mark.parametrize("name", ["SOLUTION", "HIDDEN TESTS"])
def test_what_nbgrader_removes_is_what_we_remove(name):
    markers, stub = (solutions(), STUB) if name == "SOLUTION" else (hidden_tests(), None)
    agreed = refused = 0
    for seed in range(3000):
        source = cells(name, seed)
        theirs = nbgraders(name, source)
        if theirs is None:
            refused += 1
            assert markers.unpaired(source), source
        else:
            agreed += 1
            assert markers.without(source, stub) == theirs, source
            # nbgrader overlooks an end without a beginning, and nothing else.
            stray = sum(part is Part.STRAY for part, _ in markers.parts(source))
            assert markers.unpaired(source) == stray, source
    assert agreed > 500
    assert refused > 500


@pytest.mark.parametrize("seed", range(200))
def test_the_ways_to_read_a_cell_agree(seed):
    markers, source = hidden_tests(), cells("HIDDEN TESTS", seed)
    parts = markers.parts(source)
    assert "\n".join(line for _, line in parts) == source
    lines = source.split("\n")
    inside = [line for region in markers.regions(source) for line in region]
    assert inside == [lines[n - 1] for n in sorted(markers.numbers(source))]
    outside = [line for part, line in parts if part is Part.OUTSIDE]
    assert markers.without(source) == "\n".join(outside)
    assert sorted(filter(None, markers.unmarked(source).split("\n"))) == sorted(filter(None, inside + outside))


@pytest.mark.parametrize(
    ("source", "regions", "unpaired"),
    [
        ("", [], 0),
        ("BEGIN\na\nEND", [["a"]], 0),
        ("BEGIN\nEND\nBEGIN\nb\nc\nEND", [[], ["b", "c"]], 0),
        ("a\nBEGIN\nb", [["b"]], 1),
        ("END\na", [], 1),
        ("BEGIN\na\nBEGIN\nb\nEND\nc", [["a", "b"]], 1),
        ("BEGIN\nBEGIN\na", [["a"]], 2),
    ],
)
def test_regions(source, regions, unpaired):
    markers = Markers("BEGIN", "END")
    assert markers.regions(source) == regions
    assert markers.unpaired(source) == unpaired


def test_markers_come_from_the_configuration():
    assert solutions() == Markers("BEGIN SOLUTION", "END SOLUTION")
    assert hidden_tests() == Markers("BEGIN HIDDEN TESTS", "END HIDDEN TESTS")
    assert solutions(OTHER) == Markers("ANFANG LÖSUNG", "ENDE LÖSUNG")
    assert hidden_tests(OTHER).written == ("### <hidden>", "### </hidden>")
    assert solutions(Config()) == solutions()


# Two readers of regions wanted exactly three `#` where nbgrader is content with any line that holds the words.


@pytest.fixture(params=["# BEGIN {}|# END {}", "#### BEGIN {} ####|#### END {} ####"])
def source_notebook(request):
    begin, end = request.param.split("|")

    def between(name, code, indent=""):
        return "\n".join(indent + line for line in (begin.format(name), code, end.format(name)))

    answer = new_code_cell("def double(x):\n" + between("SOLUTION", "return x + x + 0 * x", "    "))
    test = new_code_cell("assert double(1) == 2\n" + between("HIDDEN TESTS", "assert double(-3.25) == -6.5"))
    marks = {"locked": False, "task": False, "schema_version": 3}
    answer.metadata["nbgrader"] = marks | {"grade": False, "solution": True, "grade_id": "double"}
    test.metadata["nbgrader"] = marks | {"grade": True, "solution": False, "grade_id": "test_double_v", "points": 1}
    nb = new_notebook(cells=[new_markdown_cell("# Doubling"), answer, test])
    nb.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return nb


def test_secrets_are_found_whatever_the_markers_look_like(source_notebook, tmp_path):
    (tmp_path / "nbgrader_config.py").write_text("c = get_config()\n")
    course = Course(tmp_path)
    write_notebook(source_notebook, course.source("01_doubling"))
    secrets = secrets_of(course)
    for line, what in (("return x + x + 0 * x", "a solution"), ("assert double(-3.25) == -6.5", "a hidden test")):
        assert [what in leak.what for leak in leaks("x.txt", line.encode(), secrets)] == [True]
    assert not leaks("x.txt", b"assert double(1) == 2", secrets)


def test_secrets_are_found_when_the_course_has_markers_of_its_own(source_notebook, tmp_path):
    (tmp_path / "nbgrader_config.py").write_text(
        "c = get_config()\nc.ClearHiddenTests.begin_test_delimeter = 'SECRET'\n"
        "c.ClearHiddenTests.end_test_delimeter = 'KNOWN'\n"
    )
    source_notebook.cells[2].source = "# SECRET\nassert double(-3.25) == -6.5\n# KNOWN\nassert double(1) == 2"
    course = Course(tmp_path)
    write_notebook(source_notebook, course.source("01_doubling"))
    secrets = secrets_of(course)
    assert [leak.what for leak in leaks("x", b"# SECRET", secrets)] == ["it holds the mark '### SECRET'"]
    assert "a hidden test" in leaks("x", b"assert double(-3.25) == -6.5", secrets)[0].what
    assert not leaks("x", b"assert double(1) == 2", secrets)


def test_the_report_knows_the_hidden_lines(source_notebook):
    layout = read_layout(source_notebook, "01_doubling")
    assert layout.hidden == {"test_double_v": {3}}


def test_automatic_changes_find_the_solution(source_notebook):
    answer = source_notebook.cells[1].source
    assert solution_regions(answer) == [(2, 4)]
    assert stub_of(answer, "pass") == "def double(x):\n    pass"


def test_an_answer_is_filled_in_without_markers(source_notebook):
    answer = source_notebook.cells[1].source
    filled = fill_answers(pristine(source_notebook, Config()), {"double": answer})
    assert filled.cells[1].source == "def double(x):\n    return x + x + 0 * x"
