"""Answers that go wrong around a right one: what is spoiled, and what a probe says about it."""

import numpy as np
import pytest

from grader.audit import around

RESULTS = {
    "array": np.array([[1.0, 2.0, 3.0], [0.0, 1.0, 2.0]]),
    "number": 0.5,
    "list": [3, 6],
    "tuple": (np.array([1, 2]), np.array([True, False])),
    "dict": {2: 0.5, 7: 1.0},
}


def only_nan(old):
    assert np.isnan(old).all()
    return old


@pytest.mark.parametrize("how", ["empty", "empty_axis_more", "nan", "nan_axis_more", "nothing"])
@pytest.mark.parametrize("result", RESULTS)
def test_no_number_of_a_result_is_left(how, result):
    value = RESULTS[result]
    spoiled = around.spoiled(lambda: value, getattr(around, how), probe=False)()
    assert not around.same(around.arrays(value), spoiled)
    around.mapped(spoiled, only_nan)
    with pytest.raises(around.SpoiledError):
        around.spoiled(lambda: value, getattr(around, how), probe=True)()


@pytest.mark.parametrize(("how", "kind"), [("text", "U"), ("objects", "O"), ("truth", "b")])
def test_a_kind_of_result_is_changed_and_nothing_else(how, kind):
    value = np.array([0, 1, 1])
    spoiled = getattr(around, how)(value)
    assert spoiled.dtype.kind == kind
    assert spoiled.shape == value.shape
    assert around.same(getattr(around, how)(spoiled), spoiled)


@pytest.mark.parametrize("how", ["empty", "nan", "text", "objects", "truth"])
def test_a_probe_lets_a_result_pass_that_holds_nothing_to_spoil(how):
    assert around.spoiled(lambda: [], getattr(around, how), probe=True)() == []


def test_what_is_no_numbers_is_not_spoiled():
    with pytest.raises(around.NoNumbersError):
        around.nan(object())


def test_errors_of_a_right_answer_stay_as_they_are():
    with pytest.raises(ZeroDivisionError):
        around.spoiled(lambda: 1 / 0, around.nan, probe=False)()
