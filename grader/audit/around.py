"""What goes wrong around a right answer: its text goes into an answer of the audit, before the reference solution.

Everything here runs beside the tests, where nothing of the grader can be imported. So this module uses NumPy only.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

Answer = Callable[..., Any]
#: Called in place of a mistake, wherever it would make a difference.
Probe = Callable[[], object]


class SpoiledError(Exception):
    """What the probe `stop` raises, so that every test cell fails that meets the mistake."""


def stop() -> None:
    """Raise `SpoiledError`."""
    raise SpoiledError


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
    if isinstance(one, (list, tuple, dict)) or isinstance(other, (list, tuple, dict)):
        return False
    first, second = np.asarray(one), np.asarray(other)
    if first.dtype.kind != second.dtype.kind or first.shape != second.shape:
        return False
    return np.array_equal(first, second, equal_nan=first.dtype.kind in "fc")


def spoiled(right: Answer, how: Callable[[Any], Any], probe: Probe | None) -> Answer:
    """Return an answer whose results are right ones, spoiled; its errors stay as they are.

    Args:
        right: A right answer.
        how: What becomes of its result.
        probe: Called instead, where that makes a difference.
    """

    @functools.wraps(right)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        result = right(*args, **kwargs)
        try:
            changed = how(result)
        except NoNumbersError:  # a student-side cell turns it into numbers, and is spoiled itself
            return result
        if probe and not same(arrays(result), arrays(changed)):
            probe()
        return result if probe else changed

    return wrong


def backwards(value: Any) -> Any:
    """Return a result with its leading axis reversed."""
    if isinstance(value, tuple):
        return tuple(backwards(one) for one in value)
    return value[::-1] if isinstance(value, list) or np.ndim(value) else value


def in_order(value: Any) -> Any:
    """Return a result with each array sorted along its leading axis."""
    if isinstance(value, tuple):
        return tuple(in_order(one) for one in value)
    if isinstance(value, list):
        return sorted(value) if all(isinstance(one, (int, float, str)) for one in value) else value
    return np.sort(value, axis=0) if isinstance(value, np.ndarray) and value.ndim else value


# Arguments ------------------------------------------------------------------------------------------------------------


def _given(right: Answer, args: tuple[Any, ...], kwargs: dict[str, Any]) -> inspect.BoundArguments:
    return inspect.signature(right).bind(*args, **kwargs)


def own(value: Any) -> Any:
    """Return a copy of all arrays and lists in a result, so that nothing in it changes with the arguments."""
    if isinstance(value, (list, tuple)):
        return type(value)(own(one) for one in value)
    if isinstance(value, dict):
        return {key: own(one) for key, one in value.items()}
    return value.copy() if isinstance(value, (np.ndarray, set)) else value


def alter(value: Any, kind: str = "") -> bool:
    """Change a value in place; return whether anything of it can be changed.

    Args:
        value: Arrays, or what holds them.
        kind: Change arrays of this kind of numbers only, such as `float32`.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc" and value.size and kind in ("", value.dtype.name):
        value[...] = ~value if value.dtype.kind == "b" else value + 1
        return True
    if isinstance(value, set) and not kind:
        value.add("changed")
        return True
    if not isinstance(value, (list, dict, tuple)):
        return False
    done = False
    for key in list(value) if isinstance(value, dict) else range(len(value)):
        if not isinstance(value, tuple) and not kind and isinstance(value[key], (bool, int, float, np.generic)):
            value[key], done = value[key] + 1, True
        else:
            done |= alter(value[key], kind)
    return done


def changes_argument(
    right: Answer, name: str, probe: Probe | None, option: str = "", without: bool = False, kind: str = ""
) -> Answer:
    """Return an answer that is right, but changes one of its arguments in place.

    Args:
        right: A right answer.
        name: The argument.
        probe: Called instead, where there is something to change.
        option: Another argument: it happens only if that one is given and not None; always if this is empty.
        without: Whether it happens only if that one is None or not given.
        kind: Change arrays of this kind of numbers only, such as `float32`; all if this is empty.
    """

    @functools.wraps(right)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        given = _given(right, args, kwargs).arguments
        result = own(right(*args, **kwargs))
        if name in given and (not option or (given.get(option) is None) is without):
            if not probe:
                alter(given[name], kind)
            elif alter(own(given[name]), kind):
                probe()
        return result

    return wrong


def mistakes_argument(right: Answer, name: str, how: Callable[[dict[str, Any]], Any], probe: Probe | None) -> Answer:
    """Return an answer that is right for another value of one argument.

    Args:
        right: A right answer.
        name: The argument.
        how: Takes all arguments by name, and returns what this one is taken for.
        probe: Called instead, where that makes a difference.
    """

    @functools.wraps(right)
    def wrong(*args: Any, **kwargs: Any) -> Any:
        given = _given(right, args, kwargs)
        if name in given.arguments:
            old = given.arguments[name]
            new = how(dict(given.arguments))
            if new is not old and probe:
                probe()
            given.arguments[name] = old if probe else new
        return right(*given.args, **given.kwargs)

    return wrong


def _numbers(value: Any) -> np.ndarray | None:
    """Return a value as an array, or None if it is not made of numbers or its rows differ in length."""
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    return array if array.dtype.kind in "biufc" else None


def turned(value: Any, first: int, second: int) -> Any:
    """Return an array with two axes exchanged if they are equally long, and the value itself if not."""
    if not isinstance(value, np.ndarray) or value.ndim <= max(first, second):
        return value
    if value.shape[first] != value.shape[second]:
        return value
    new = value.swapaxes(first, second)
    return value if same(value, new) else new


def mixed_axes(right: Answer, name: str, first: int, second: int, probe: Probe | None) -> Answer:
    """Return an answer that mixes up two axes of an argument wherever they are equally long."""
    return mistakes_argument(right, name, lambda given: turned(given[name], first, second), probe)


def mixed_axes_of_result(right: Answer, first: int, second: int, probe: Probe | None) -> Answer:
    """Return an answer that mixes up two axes of its result wherever they are equally long."""

    def how(value: Any) -> Any:
        return tuple(how(one) for one in value) if isinstance(value, tuple) else turned(value, first, second)

    return spoiled(right, how, probe)


def through_another(right: Answer, name: str, other: str, probe: Probe | None) -> Answer:
    """Return an answer that uses another argument of the same shape in the place of one."""

    def how(given: dict[str, Any]) -> Any:
        value, instead = given[name], given.get(other)
        if not isinstance(value, np.ndarray) or not isinstance(instead, np.ndarray):
            return value
        fits = value.shape == instead.shape and value.dtype.kind == instead.dtype.kind and not same(value, instead)
        return instead if fits else value

    return mistakes_argument(right, name, how, probe)


def truth_for_none(right: Answer, name: str, probe: Probe | None) -> Answer:
    """Return an answer that takes zeros, False and what is empty for an argument that was left out."""
    default = inspect.signature(right).parameters[name].default

    def how(given: dict[str, Any]) -> Any:
        value = given[name]
        numbers = _numbers(value)
        return value if numbers is None or np.any(numbers) or same(value, default) else default

    return mistakes_argument(right, name, how, probe)


def small_integers(right: Answer, name: str, probe: Probe | None) -> Answer:
    """Return an answer that stores an argument's integers in eight bits."""

    def how(given: dict[str, Any]) -> Any:
        value = _numbers(given[name])
        if value is None or not value.ndim or value.dtype.kind not in "iu" or same(value, value.astype(np.int8)):
            return given[name]
        new = value.astype(np.int8).astype(value.dtype)
        return new if isinstance(given[name], np.ndarray) else type(given[name])(new.tolist())

    return mistakes_argument(right, name, how, probe)


def low_precision(right: Answer, name: str, probe: Probe | None) -> Answer:
    """Return an answer that stores an argument in half precision."""

    def how(given: dict[str, Any]) -> Any:
        value = given[name]
        if not isinstance(value, np.ndarray) or value.dtype.kind != "f":
            return value
        with np.errstate(all="ignore"):
            new = value.astype(np.float16).astype(value.dtype)
        return value if same(value, new) else new

    return mistakes_argument(right, name, how, probe)
