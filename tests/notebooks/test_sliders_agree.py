"""A slider of the web edition says what the saved output of the cell below it says: both are of one run."""

import ast
import html
import re
from itertools import pairwise, product

import pytest

from grader.authoring.runs import kept, shown
from grader.core.notebook import read_notebook
from grader.languages.messages import ENGLISH
from grader.publishing.frames import explores, frames_of_notebook

_ALT = re.compile(r'alt="([^"]*)"')


def choice(frames, values):
    """Return the picture of some values of the controls; None if it was not drawn."""
    places = []
    for control, value in zip(frames.controls, values, strict=True):
        words = control["values"]
        place = value if control["list"] else next((n for n, word in enumerate(words) if float(word) == value), None)
        if place is None:
            return None
        places.append(place)
    lengths = [len(control["values"]) for control in frames.controls]
    return frames.frames[list(product(*map(range, lengths))).index(tuple(places))]


def calls(cell):
    """Return the calls of a cell that give numbers to a function, each with its numbers."""
    found = []
    for statement in ast.parse(cell.source).body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            arguments = statement.value.args
            if arguments and all(isinstance(a, ast.Constant) for a in arguments):
                found.append([a.value for a in arguments])
    return found


def said(outputs):
    """Return the alternative texts and the printed text of a cell."""
    alts, printed = [], ""
    for output in outputs:
        if output.output_type == "stream":
            printed += output.text
        else:
            alts += [html.unescape(alt) for alt in _ALT.findall(output["data"].get("text/html", ""))]
    return alts, printed


def compared(course, assignment, language):
    """Yield, for each choice that a cell shows below its sliders: the picture, and what that cell shows."""
    nb = read_notebook(course.source(assignment))
    frames, _ = frames_of_notebook(course, assignment, nb, language)
    run = {} if language == ENGLISH else kept(course, assignment, language, nb).outputs
    cells = [cell for cell in nb.cells if cell.cell_type == "code"]
    for cell, below in pairwise(cells):
        if cell.id in frames:
            for values in calls(below):
                if found := choice(frames[cell.id], values):
                    yield cell.id, values, found, said(run.get(below.id) or shown(below))


@pytest.mark.parametrize("language", [ENGLISH, "zh_CN"])
def test_a_slider_says_what_the_cell_below_it_says(course, assignment, language):
    for name, values, found, (alts, printed) in compared(course, assignment, language):
        what = f"{name} at {values}: run grader execute {assignment[:2]} --language {language}"
        assert found["alt"] in alts, what
        assert found["text"] in printed, what


@pytest.mark.parametrize("language", [ENGLISH, "zh_CN"])
def test_nearly_all_sliders_can_be_compared(course, language):
    sliders, held = set(), set()
    for assignment in course.assignments():
        sliders |= {cell.id for cell in read_notebook(course.source(assignment)).cells if explores(cell)}
        held |= {name for name, *_ in compared(course, assignment, language)}
    assert len(sliders - held) <= 1  # one is called with what it computes
