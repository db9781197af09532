"""Given functions as answers: what they earn is what the page on marking says."""

import contextlib
import importlib
import re
import warnings
from pathlib import Path

import numpy as np

from grader.core.cells import CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook

COURSE = Course(Path(__file__).parents[2])
#: A row of the page: the exercise, the notebooks with such a function, the points.
ROW = re.compile(r"^ *\| (\d\.\d `\w+`) \| ([\d, ]+) \| (\d of \d) \|$", re.M)


def given_in(number):
    """Return the functions that the given cells of a notebook define, by the names of the answers they may be."""
    (path,) = COURSE.solutions.glob(f"{number}_*/*.ipynb")
    space = {"np": np, "keras": importlib.import_module("keras")}
    for cell in read_notebook(path).cells:
        if kind_of(cell) is CellKind.GIVEN:
            exec(compile(cell.source, path.stem, "exec"), space)
    return {name.removeprefix("given_"): value for name, value in space.items() if name.startswith("given_")}


def earned(exercise, function):
    """Return the points that a function gets from an exercise's tests."""
    points = 0
    for name, worth, source in exercise.tests:
        space = {"np": np, "keras": importlib.import_module("keras"), exercise.name: function}
        with contextlib.suppress(Exception), warnings.catch_warnings():
            exec(compile(source, name, "exec"), space)
            points += worth
    return points


def test_what_they_earn_is_stated():
    text = (COURSE.root / "grader" / "README.md").read_text(encoding="utf-8")
    given = {a[:2]: given_in(a[:2]) for a in COURSE.assignments()}
    found = {}
    for assignment in COURSE.assignments():
        for one in exercises(read_notebook(COURSE.source(assignment))):
            for number, functions in given.items():
                if number >= assignment[:2] and one.name in functions and (points := earned(one, functions[one.name])):
                    said = (f"{one.number} `{one.name}`", f"{points} of {one.points}")
                    found.setdefault(said, []).append(str(int(number)))
    assert [(answer, ", ".join(where), points) for (answer, points), where in found.items()] == ROW.findall(text)
