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
    spoiled = around.spoiled(lambda: value, getattr(around, how), probe=None)()
    assert not around.same(around.arrays(value), spoiled)
    around.mapped(spoiled, only_nan)
    with pytest.raises(around.SpoiledError):
        around.spoiled(lambda: value, getattr(around, how), probe=around.stop)()


@pytest.mark.parametrize(("how", "kind"), [("text", "U"), ("objects", "O"), ("truth", "b")])
def test_a_kind_of_result_is_changed_and_nothing_else(how, kind):
    value = np.array([0, 1, 1])
    spoiled = getattr(around, how)(value)
    assert spoiled.dtype.kind == kind
    assert spoiled.shape == value.shape
    assert around.same(getattr(around, how)(spoiled), spoiled)


@pytest.mark.parametrize("how", ["empty", "nan", "text", "objects", "truth"])
def test_a_probe_lets_a_result_pass_that_holds_nothing_to_spoil(how):
    assert around.spoiled(lambda: [], getattr(around, how), probe=around.stop)() == []


def test_what_is_no_numbers_is_not_spoiled():
    with pytest.raises(around.NoNumbersError):
        around.nan(object())


def test_errors_of_a_right_answer_stay_as_they_are():
    with pytest.raises(ZeroDivisionError):
        around.spoiled(lambda: 1 / 0, around.nan, probe=None)()


def right(x, y=None, scale=1.0):
    return scale * np.asarray(x, dtype=float) + (0 if y is None else y)


X, Y = np.array([[1.0, 2.0], [300.1, 4.0]]), np.array([[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.parametrize(
    ("make", "args", "wanted"),
    [
        (lambda f, p: around.mixed_axes(f, "x", 0, 1, p), (X, Y), right(X.T, Y)),
        (lambda f, p: around.mixed_axes_of_result(f, 0, 1, p), (X, Y), right(X, Y).T),
        (lambda f, p: around.through_another(f, "x", "y", p), (X, Y), right(Y, Y)),
        (lambda f, p: around.truth_for_none(f, "scale", p), (X, Y, 0), right(X, Y)),
        (lambda f, p: around.small_integers(f, "x", p), ([1, 300],), right([1, 44])),
        (lambda f, p: around.low_precision(f, "x", p), (X,), right(np.array([[1.0, 2.0], [300.0, 4.0]]))),
    ],
)
def test_a_mistake_with_an_argument_is_made_where_it_makes_a_difference(make, args, wanted):
    assert np.array_equal(make(right, None)(*args), wanted)
    with pytest.raises(around.SpoiledError):
        make(right, around.stop)(*args)
    plain = np.array([1.0, 2.0])
    assert np.array_equal(make(right, around.stop)(plain), right(plain))


@pytest.mark.parametrize(("option", "happens"), [("", True), ("y", False)])
def test_an_argument_is_changed_in_place_and_the_result_is_right(option, happens):
    x = X.copy()
    assert np.array_equal(around.changes_argument(right, "x", None, option)(x), right(X))
    assert np.array_equal(x, X) != happens
    x = X.copy()
    around.changes_argument(right, "x", None, option)(x, Y)
    assert not np.array_equal(x, X)


@pytest.mark.parametrize(("kind", "happens"), [("float32", False), ("float64", True)])
def test_an_argument_of_one_kind_of_numbers_is_changed_in_place(kind, happens):
    x = X.astype("float64")
    around.changes_argument(right, "x", None, kind=kind)(x)
    assert np.array_equal(x, X) != happens
    parts = {"of it": (x.copy(),), "beside": 3.0}
    assert around.alter(parts, kind) is happens
    assert parts["beside"] == 3.0


def test_an_argument_is_changed_in_place_without_another_one():
    x = X.copy()
    around.changes_argument(right, "x", None, "y", True)(x, Y)
    assert np.array_equal(x, X)
    around.changes_argument(right, "x", None, "y", True)(x)
    assert not np.array_equal(x, X)


def test_a_probe_changes_no_argument():
    x, met = X.copy(), []
    around.changes_argument(right, "x", lambda: met.append(1))(x)
    around.changes_argument(right, "x", lambda: met.append(1))(3.0)
    assert np.array_equal(x, X)
    assert met == [1]
