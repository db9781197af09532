"""Exercises whose answer is true or false: where a test stops must not tell an answer which of its guesses was wrong.

A run can leave a note of a few bits for another one (see `grader/README.md`, "What is not protected"). Of other results
a note of that size tells nothing.
"""

import warnings

import numpy as np
import pytest

from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests

COURSE = Course.find()
EXERCISES = {"04_multi_head_attention": "is_permutation_equivariant", "08_language_models": "leaks_future"}


def exercise_of(assignment):
    known = exercises(read_notebook(COURSE.source(assignment)))
    return next(e for e in known if e.name == EXERCISES[assignment])


def calls(name, source, function):
    """Run a test cell with a function; return how often it calls it, and whether it passes."""
    count = 0

    def counted(*args, **kwargs):
        nonlocal count
        count += 1
        return function(count, *args, **kwargs)

    passed = True
    with warnings.catch_warnings():
        try:
            exec(compile(source, f"<{name}>", "exec"), {name: counted})
        except AssertionError:
            passed = False
    return count, passed


@pytest.mark.parametrize("guess", [True, False])
@pytest.mark.parametrize("assignment", EXERCISES)
def test_a_guess_that_is_wrong_is_asked_as_often_as_one_that_is_right(assignment, guess):
    exercise = exercise_of(assignment)
    space = {"np": np}
    exec(exercise.answer, space)
    right = space[exercise.name]
    for name, _, source in exercise.tests:
        shown, passed = calls(exercise.name, hidden_tests().without(source), lambda n, *args: right(*args))
        assert passed
        asked, passed = calls(exercise.name, source, lambda n, *args: right(*args))
        assert passed
        assert asked > shown, name
        # What is to be seen is answered rightly, as anybody can, and the rest by a guess.
        guessed, passed = calls(
            exercise.name, source, lambda n, *args, known=shown: right(*args) if n <= known else guess
        )
        assert not passed, name
        assert guessed == asked, name
