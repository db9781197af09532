"""What a self-check says of a result that is no known mistake: what differs, and what all entries have in common."""

import numpy as np
import pytest
from helpers.observed import Observed, describe_error, name_mistake, name_slip, observed

RIGHT = np.array([[1.0, 2.5, -3.0], [4.0, 0.5, 7.25]])
SQUARE = np.array([[1.0, 2.0], [3.0, 4.0]])
LINE = np.array([0.1, 0.5, 0.2, 0.9, 0.7, 0.3, 0.8])
MASK = np.tri(3, 4, dtype=bool)


@pytest.mark.parametrize(
    ("got", "expected", "said"),
    [
        (0 * RIGHT, RIGHT, "Every entry is 0. At [0, 0] your function returns"),
        (-RIGHT, RIGHT, "Every entry has the opposite sign. "),
        (np.abs(RIGHT), RIGHT, "Every sign is lost. "),
        (RIGHT / 3, RIGHT, "Every entry is 0.3333 times what is expected. "),
        (RIGHT + 0.5, RIGHT, "Every entry is 0.5 too large. "),
        (RIGHT - 2, RIGHT, "Every entry is 2 too small. "),
        (np.floor(RIGHT), RIGHT, "Every entry is rounded down to a whole number. "),
        (np.round(RIGHT / 3, 2), RIGHT / 3, "Every entry is rounded to 2 decimals. "),
        (SQUARE.T, SQUARE, "Rows and columns are swapped. "),
        (RIGHT[::-1], RIGHT, "Along axis 0 the order is reversed. "),
        (np.append(0.0, LINE[:-1]), LINE, "Along axis 0 everything comes one place too late. "),
        (np.append(LINE[1:], 0.0), LINE, "Along axis 0 everything comes one place too early. "),
        (~MASK, MASK, "True and False are swapped. "),
        (MASK & False, MASK, "The result is wrong wherever True is expected, and only there. "),
        (np.where(RIGHT == 7.25, 9.0, RIGHT), RIGHT, "All errors are in [1, :]. At [1, 2] your function"),
        (np.where(np.arange(3) > 0, 9.0, RIGHT), RIGHT, "Only [:, 0] is right. "),
        (np.array([1, 2]), np.array([1, 3]), "All errors are in [1]. Your function returns [1, 2],"),
        (np.ones(3), np.ones((3, 1)), "The shape is (3,), and (3, 1) is expected. Which axes"),
        (1.5, 2.0, "Your function returns 1.5, and 2 is expected."),
        (1.00001, 1.0, "Your function returns 1.00001, and 1 is expected."),
        ({1: 0.25}, {1: 0.5, 2: 1.0}, "Your function returns {1: 0.25}, and {1: 0.5, 2: 1} is expected."),
        ([5, 6], [5], "The shape is (2,), and (1,) is expected. Which axes"),
        (np.full((2, 3), np.nan), RIGHT, "At [0, 0] your function returns nan, and 1 is expected."),
        ("x", 1.0, "Your function returns a str, and 1 is expected."),
        (RIGHT + np.sin(np.arange(6)).reshape(2, 3), RIGHT, "At [0, 1] your function returns 3.341, and 2.5 is"),
    ],
)  # fmt: skip
def test_what_differs_is_said(got, expected, said):
    text = observed(got, expected, "What then?")
    assert isinstance(text, Observed)
    assert text.startswith(said)
    asked = "Which axes should it have, in which order?" if said.startswith("The shape") else "What then?"
    assert text.endswith(f"expected. {asked}")


def test_a_mistake_is_named_only_if_it_returns_the_same():
    mistakes = {"it is doubled": 2 * RIGHT, "nothing is wrong": RIGHT}
    assert name_mistake(2 * RIGHT, mistakes, RIGHT) == "it is doubled"
    assert not isinstance(name_mistake(2 * RIGHT, mistakes, RIGHT), Observed)
    assert isinstance(name_mistake(2 * RIGHT + 1e-2, mistakes, RIGHT), Observed)
    # The result of a right answer names nothing, even if the check demands more digits.
    assert isinstance(name_mistake(RIGHT + 1e-6, mistakes, RIGHT), Observed)


def test_a_slip_has_to_agree_in_all_cases():
    slips = {"twice": lambda x: 2 * x, "squared": (lambda x: x**2, lambda x: -(x**2)), "plus 2": lambda x: x + 2}
    cases = [(2.0,), (3.0,)]
    assert name_slip([4.0, 6.0], cases, slips) == "twice"
    assert name_slip([-4.0, -9.0], cases, slips) == "squared"
    assert name_slip([4.0, 7.0], cases, slips) == ""
    assert name_slip([4.0], cases[:1], slips) == ""  # three fit
    assert name_slip([4.0], cases[:1], dict(list(slips.items())[:2])) == "twice; or squared"


def test_an_error_is_told_in_one_line():
    assert describe_error(ValueError("two\n  lines")) == "ValueError: two lines"
    assert describe_error(ValueError("Shapes do not fit.")) == "ValueError: Shapes do not fit"
    loud = "\x1b[1mIncompatible shapes\x1b[0m\n\nArguments received by layer:\n  - x"
    assert describe_error(TypeError(loud)) == "TypeError: Incompatible shapes"
    assert "need a single True or False" in describe_error(ValueError("The truth value of an array is ambiguous"))
