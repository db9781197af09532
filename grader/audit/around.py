"""What goes wrong around a right answer: its text goes into an answer of the audit, before the reference solution.

Everything here runs beside the tests, where nothing of the grader can be imported. So this module uses NumPy only.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

Answer = Callable[..., Any]


class SpoiledError(Exception):
    """What a probe raises where its mistake makes a difference, so that every test cell that gets there fails."""


class NoNumbersError(Exception):
    """A result is neither numbers nor text, such as a Keras model: nothing is known about spoiling it."""


def mapped(value: Any, change: Callable[[np.ndarray], Any]) -> Any:
    """Change every array and number in a result, whatever holds them.

    Args:
        value: A result: an array, a number, or lists, tuples and dicts of these. All else stays as it is.
        change: Takes an array; what becomes of a number is what it makes of an array without axes.
    """
    if isinstance(value, (list, tuple)):
        return type(value)(mapped(one, change) for one in value)
    if isinstance(value, dict):
        return {key: mapped(one, change) for key, one in value.items()}
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return change(np.asarray(value))[()]
    if value is None or isinstance(value, (str, bytes)):
        return value
    raise NoNumbersError(type(value).__name__)


def arrays(value: Any) -> Any:
    """Return a result with an array in place of every list of numbers."""
    if isinstance(value, (list, tuple)):
        if value and all(isinstance(one, (bool, int, float, complex, np.generic)) for one in value):
            return np.asarray(value)
        return type(value)(arrays(one) for one in value)
    return {key: arrays(one) for key, one in value.items()} if isinstance(value, dict) else value


def empty(value: Any) -> Any:
    """Return nothing along the leading axis of a result: a comparison of nothing holds for all of it."""
    if isinstance(value, tuple):
        return tuple(empty(one) for one in value)
    if isinstance(value, (list, dict, str)):
        return type(value)()
    return value[:0] if isinstance(value, np.ndarray) and value.ndim else np.zeros(0)


def empty_axis_more(value: Any) -> Any:
    """Return arrays with an empty axis in front: they broadcast with whatever is wanted, and agree with it."""
    return mapped(arrays(value), lambda old: np.zeros((0, *np.shape(old))))


def nan(value: Any) -> Any:
    """Return NaN for every number of a result: each comparison with it is false, the one that fails a test too."""
    return mapped(arrays(value), lambda old: np.full(np.shape(old), np.nan))


def nan_axis_more(value: Any) -> Any:
    """Return NaN for every number, with an axis in front that broadcasts."""
    return mapped(arrays(value), lambda old: np.full((1, *np.shape(old)), np.nan))


def nothing(value: Any) -> None:
    """Return None, as a function does that forgets its `return`."""


def text(value: Any) -> Any:
    """Return every number as text, which compares with other text."""
    return _of_kind(value, "U", lambda old: np.asarray(old, dtype=str))


def objects(value: Any) -> Any:
    """Return arrays of Python objects, for which NumPy calculates like Python."""
    return _of_kind(value, "O", lambda old: np.asarray(old, dtype=object) if np.ndim(old) else old)


def truth(value: Any) -> Any:
    """Return for every number whether it is not zero, which calculates like 0 and 1."""
    return _of_kind(value, "b", lambda old: np.asarray(old != 0))


def _of_kind(value: Any, kind: str, change: Callable[[np.ndarray], Any]) -> Any:
    def one(old: np.ndarray) -> Any:
        return old if old.dtype.kind not in "biufc" or old.dtype.kind == kind else change(old)

    return mapped(value, one)


def same(one: Any, other: Any) -> bool:
    """Return whether two results are the same in type, shape and every number."""
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    first, second = np.asarray(one), np.asarray(other)
    if first.dtype.kind != second.dtype.kind or first.shape != second.shape:
        return False
    return np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")


def spoiled(right: Answer, how: Callable[[Any], Any], probe: bool) -> Answer:
    """Return an answer whose results are right ones, spoiled; its errors stay as they are.

    Args:
        right: A right answer.
        how: What becomes of its result.
        probe: Whether to raise `SpoiledError` instead, where that makes a difference.
    """

    @functools.wraps(right)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        result = right(*args, **kwargs)
        changed = how(result)
        if probe and not same(arrays(result), changed):
            raise SpoiledError
        return changed

    return wrong
