"""The frame of a notebook: what is folded, and how much is counted."""

import copy

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.authoring.counting import count
from grader.authoring.frame import fold, machinery, tidy, titled, without_title
from grader.core.notebook import normalise

TEST = {"nbgrader": {"grade": True, "grade_id": "test_double_value", "points": 2, "solution": False, "locked": True}}


def notebook(*cells):
    nb = new_notebook(cells=list(cells))
    normalise(nb)
    return nb


def test_a_notebook_without_machinery_stays_as_it_is():
    nb = notebook(new_markdown_cell("# 1. A"), new_code_cell('"""Doubles."""\nassert double(1) == 2', metadata=TEST))
    before = copy.deepcopy(nb)
    fold(nb)
    assert nb == before
    assert machinery(nb) is None


def test_machinery_and_tests_are_folded_in_both_places():
    nb = notebook(
        new_markdown_cell("# 1. A"),
        new_markdown_cell("## Machinery\n\nA folded section."),
        new_code_cell('"""It doubles.\n\nMore."""\nassert double(1) == 2', metadata=copy.deepcopy(TEST)),
    )
    tidy(nb)
    heading, test = nb.cells[1:]
    assert heading.metadata["jp-MarkdownHeadingCollapsed"] is True
    assert nb.metadata["colab"]["collapsed_sections"] == [heading.metadata["id"]] == [heading.id]
    assert test.source.startswith('# @title Test (2 points): It doubles.\n"""It doubles.\n')
    assert (test.metadata["cellView"], test.metadata["jupyter"]) == ("form", {"source_hidden": True})
    again = copy.deepcopy(nb)
    tidy(again)
    assert again == nb


def test_a_title_follows_the_docstring_and_the_points():
    source = '"""It doubles."""\nassert double(1) == 2'
    once = titled(source, 1)
    assert once.split("\n")[0] == "# @title Test (1 point): It doubles."
    changed = titled(once.replace("doubles", "halves"), 3)
    assert changed.split("\n")[:2] == ["# @title Test (3 points): It halves.", '"""It halves."""']
    assert without_title(once) == source
    assert titled("assert double(1) == 2", 1) == "assert double(1) == 2"


def test_what_is_counted():
    demonstration = {"tags": ["demonstration"]}
    nb = new_notebook(
        cells=[
            new_markdown_cell("# 1. A\n\n95 minutes in all"),
            new_markdown_cell(
                "one two `x = 3` $y$\n\n| a | table |\n\n<details><summary>s</summary>\n\nno\n\n</details>"
            ),
            new_markdown_cell("> **Predict.** Which?"),
            new_markdown_cell("### Exercise 1.1 - a (2 points)\n\nDifficulty 1/5 · about 8 minutes"),
            new_code_cell("a = 1", metadata=demonstration),
            new_markdown_cell("### Going deeper: why\n\nfive words that count apart"),
            new_code_cell("b = 1", metadata=demonstration),
            new_markdown_cell("## 2 Back\n\nmain again"),
            new_code_cell("c = 1", metadata=demonstration),
            new_markdown_cell("## Further reading\n\n- a list of papers"),
            new_markdown_cell("## Before you hand in"),
            new_code_cell("d = 1", metadata=TEST),
        ]
    )
    counts = count(nb)
    assert counts.words == sum((6, 4, 2, 11, 4, 4))
    assert counts.deeper == 8 + 6
    assert (counts.cells, counts.demonstrations, counts.predictions, counts.exercises) == (3, 2, 1, 1)
    assert (counts.exercise_minutes, counts.stated, counts.minutes) == (8, 95, 10)
    assert "10 minutes by count, 95 stated" in str(counts)
