"""Errors of NumPy become sentences with the shapes that met and the student's line."""

import math
import re

import numpy as np
import pytest
from helpers.checks import CheckReport, self_check
from helpers.explained_errors import call_explained, explain_error

A, B, FLAGS = np.ones((2, 3, 7)), np.ones((2, 5, 7)), np.ones(3, dtype=bool)


def first_line(function, *args):
    """Run a function in a self-check that does nothing else; return what the check prints."""

    @self_check("answer")
    def check(report, answer):
        call_explained(report, answer, *args, on="two arrays", expected="The result has the shape (2, 3, 5).")

    return check(function)


@pytest.mark.parametrize(
    ("function", "says"),
    [
        (lambda: A + B, "arrays of shapes (2, 3, 7) and (2, 5, 7) do not fit together"),
        (lambda: A @ np.ones((6, 4)), "its left array, of size 7, and the last but one of its right array"),
        (lambda: A @ np.ones((5, 7, 2)), "the axes before the last two, and those of (2, 3, 7) and (5, 7, 2)"),
        (
            lambda: np.dot(A, np.ones((6, 4))),
            "the product needs equal sizes where it sums, and got (2, 3, 7) and (6, 4)",
        ),
        (lambda: np.einsum("bta,bsd->bts", A, np.ones((3, 5, 2))), "same letter in np.einsum need the same size"),
        (lambda: np.broadcast_to(np.ones((3, 2)), (2, 5, 3, 4)), "shapes (3, 2) and (2, 5, 3, 4) do not fit together"),
        (lambda: A if A > 0 else B, "a whole array was used as one True or False"),
        (lambda: A.sum(axis=3), "axis 3 was asked for, and the array there has 3 axes"),
        (lambda: A[FLAGS], "along axis 0 the array has 2 entries, and they have 3"),
        (lambda: A[0, 0, 0, 0], "4 indices were used for an array with 3 axes"),
        (lambda: A[5], "position 5 was asked for on axis 0, which ends at position 1"),
        (lambda: np.concatenate([A, FLAGS]), "here one has 3, another 1"),
        (lambda: np.concatenate([A, B], axis=-1), "along axis 1 they have 3 and 5"),
        (lambda: A.reshape(4, 2), "an array with 42 entries cannot have the shape (4, 2)"),
        (lambda: math.exp(A), "NumPy's function of the same name takes arrays"),
        (lambda: ~A, "`~` needs booleans"),
        (lambda: None.shape, "something is None there"),
        (lambda: undefined_name, "NameError: name 'undefined_name' is not defined"),  # noqa: F821
    ],
)
def test_an_error_is_explained(function, says):
    with pytest.raises(Exception) as caught:  # noqa: PT011 - the kinds differ on purpose
        function()
    told = explain_error(caught.value, function)
    assert says in told
    assert re.search(r"It happened in `.*lambda: ", told)  # the line that failed, which here is this table's
    assert "ufunc" not in told
    assert "gufunc" not in told


def test_the_failing_line_is_quoted_with_the_shapes_it_names(capsys):
    def answer(a, b):
        total = a + b
        return total

    first_line(answer, A, B)
    told = capsys.readouterr().out
    assert told.startswith("--  answer runs on two arrays. Hint: arrays of shapes (2, 3, 7) and (2, 5, 7)")
    assert "`total = a + b`, with a (2, 3, 7), b (2, 5, 7)." in told
    assert told.endswith("The result has the shape (2, 3, 5).\n")


def test_the_students_line_is_named_where_a_given_function_raises():
    space = {}
    exec(compile("def given(a):\n    raise ValueError('query must be (B, T, D), got (2, 3)')", "given", "exec"), space)

    def answer(a):
        return space["given"](a)

    with pytest.raises(ValueError, match="query") as caught:
        answer(FLAGS)
    told = explain_error(caught.value, answer)
    assert told.startswith("query must be (B, T, D), got (2, 3). It happened in `return space")


def test_a_function_without_source_is_explained_too():
    space = {}
    exec("def answer(a, b):\n    return a + b", space)
    with pytest.raises(ValueError, match="broadcast") as caught:
        space["answer"](A, B)
    assert "do not fit together" in explain_error(caught.value, space["answer"])


def test_changed_arguments_are_noted_once_and_do_not_reach_the_next_call(capsys):
    def answer(a, sets):
        a += 1
        sets[0].clear()
        return a

    a, sets, report = np.zeros(2), [{1}], CheckReport("answer")
    for _ in range(2):
        np.testing.assert_array_equal(call_explained(report, answer, a, sets), [1, 1])
    assert capsys.readouterr().out.count("the inputs are unchanged") == 1
    assert not a.any()
    assert sets == [{1}]
