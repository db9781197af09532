"""What a result may be besides what the wire carries: a test looks at it through NumPy, whatever it came as.

Most tests begin with `np.asarray(result)`. In an array each text has the room of the longest and each number that of
the widest, so that a list of half a megabyte can become an array of gigabytes. And what a test says of an array's type
would hold the names of its fields, which are words of the sender's own.
"""

from __future__ import annotations

import functools
import math
from typing import Any, NamedTuple

import numpy as np

from .frames import DEFAULT_LIMITS

#: Bytes that a series may take as an array: no more than an array may that crosses as one.
MOST = DEFAULT_LIMITS.frame_bytes
#: Bytes of a character in an array, and of a number of Python's, which is a complex one at most.
_CHARACTER, _NUMBER = 4, 16
#: Characters of such a number where there is a text beside it.
_WRITTEN = 64
_PLAIN = {int, float, bool, type(None), str}
_SERIES, _OF_NUMPY = (list, tuple), (np.ndarray, np.generic)


class _Measured(NamedTuple):
    """What NumPy would make of a value.

    Args:
        shape: The shape of the array; None if it makes none, or one of objects.
        number: Bytes of its widest number.
        characters: Characters of its longest text; numbers beside it are written as texts.
        text: Bytes of a character of these; 0 if there is no text.
        most: Bytes of the largest array that it or a part of it would be.
        records: Whether there is an array of records in it.
    """

    shape: tuple[int, ...] | None
    number: int = 0
    characters: int = 0
    text: int = 0
    most: int = 0
    records: bool = False


def objection(value: Any) -> str:
    """Return why a test is not to look at a value, as the end of a sentence about it; an empty text if it may.

    Args:
        value: Plain data, as the wire gives it.
    """
    measured = _measured(value)
    if measured.records:
        return "holds an array of records: use an array of numbers"
    if measured.most > MOST:
        size, most = measured.most // 2**20, MOST // 2**20
        return f"would take {size} MB as an array, where each entry has the room of the longest; {most} MB are allowed"
    return ""


def is_bare(value: Any) -> bool:
    """Return whether a value that can be sent is surely accepted: one number, text or array, and nothing around it."""
    kind = type(value)
    return kind in _PLAIN or (kind is np.ndarray and value.dtype.names is None)


def only_numbers(value: Any) -> bool:
    """Return whether a value is a number, an array of numbers, or a list of such at any depth."""
    if isinstance(value, _SERIES):
        return set(map(type, value)) <= {int, float, bool} or all(map(only_numbers, value))
    if isinstance(value, _OF_NUMPY):
        return value.dtype.kind in "biufc"
    return isinstance(value, int | float | complex)


def _measured(value: Any) -> _Measured:
    if isinstance(value, _SERIES):
        return _series(value)
    if isinstance(value, _OF_NUMPY):
        return _array(value.shape, value.dtype)
    if isinstance(value, str | bytes):
        return _Measured((), 0, len(value), _CHARACTER if isinstance(value, str) else 1)
    if isinstance(value, dict | set | frozenset):  # no array by itself; a test makes lists of its keys and values
        parts = [_series(list(value)), _series(list(value.values()) if isinstance(value, dict) else [])]
        return _Measured(None, most=max(p.most for p in parts), records=any(p.records for p in parts))
    return _Measured((), _NUMBER, _WRITTEN)


def _array(shape: tuple[int, ...], dtype: np.dtype[Any]) -> _Measured:
    number, characters = _widths(dtype)
    text = {"U": _CHARACTER, "S": 1}.get(dtype.kind, 0)
    return _Measured(shape, number, characters, text, math.prod(shape) * dtype.itemsize, dtype.names is not None)


@functools.lru_cache(maxsize=64)
def _widths(dtype: np.dtype[Any]) -> tuple[int, int]:
    """Return the bytes of a number of some type, and its characters beside a text."""
    if dtype.kind in "US":
        return 0, dtype.itemsize // (_CHARACTER if dtype.kind == "U" else 1)
    return dtype.itemsize, np.promote_types(dtype, "U1").itemsize // _CHARACTER if dtype.kind in "biufc" else _WRITTEN


def _series(values: list[Any] | tuple[Any, ...]) -> _Measured:
    kinds = set(map(type, values))
    if kinds <= _PLAIN:  # without a look at each of a hundred thousand
        numbers = kinds - {str}
        characters = max([_WRITTEN if numbers else 0, *(len(v) for v in values if type(v) is str)])
        text = _CHARACTER if str in kinds else 0
        return _sized((len(values),), _NUMBER if numbers else 0, characters, text)
    parts = list(map(_measured, values))
    shapes = {part.shape for part in parts}
    number, characters, text, most, records = map(max, list(zip(*parts, strict=True))[1:])
    inner = shapes.pop() if len(shapes) == 1 else None
    if inner is None:  # rows of different lengths, or something that is no row
        return _Measured(None, most=most, records=records)
    whole = _sized((len(values), *inner), number, characters, text)
    return whole._replace(most=max(most, whole.most), records=records)


def _sized(shape: tuple[int, ...], number: int, characters: int, text: int) -> _Measured:
    return _Measured(shape, number, characters, text, math.prod(shape) * (text * characters if text else number))
