"""What the tests of held numbers share: the answers of the course, and a look at each number for itself."""

import functools
from pathlib import Path

import keras
import numpy as np

from grader.core.cells import CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook

COURSE = Course(Path(__file__).resolve().parents[2])


@functools.cache
def answers(number):
    """Return what the given cells and the right answers of a notebook define, by its number."""
    (assignment,) = COURSE.select([number])
    nb, space = read_notebook(COURSE.source(assignment)), {"functools": functools, "np": np, "keras": keras}
    given = [cell.source for cell in nb.cells if kind_of(cell) is CellKind.GIVEN]
    for source in (*given, *(exercise.answer for exercise in exercises(nb))):
        exec(compile(source, assignment, "exec"), space)
    return space


def same(held, computed):
    """Return whether numbers are those that were computed, to the six digits that self-checks hold."""
    held, computed = np.asarray(held, dtype=float), np.asarray(computed, dtype=float)
    return held.shape == computed.shape and bool(np.allclose(held, computed, rtol=6e-6, atol=6e-7))


def apart(a, b):
    """Return whether a self-check can tell two results: they differ by far more than it lets pass."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    return a.shape != b.shape or not np.allclose(a, b, rtol=1e-3, atol=1e-4)
