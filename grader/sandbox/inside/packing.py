"""What an answer returned, as plain data that a test takes for the same.

Series of all kinds become lists, exact numbers floats, and more numbers than may be sent one by one arrays. Where
answer and test are one process, a test looks at a result, or at a part of it, through `np.asarray`. What is sent in its
place has to look the same there.
"""

from __future__ import annotations

import array
import collections
import contextlib
import decimal
import fractions
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

#: Most members of a series that may have no end, and most containers within each other that are looked into.
MAX_ELEMENTS, MAX_DEPTH = 100_000, 16
#: Numbers of a list that go over as an array if there are too many values; in a part of a list whose parts are of
#: different kinds, fewer do, or there would be too many values still.
MANY, FEW = 1_000, 64

#: What holds its members one after the other, or will, and stands for a list of them.
_SERIES: tuple[type[Any], ...] = (
    range, Iterator, collections.deque, collections.UserList, array.array, memoryview,
    type({}.keys()), type({}.values()), type({}.items()),
)  # fmt: skip


def plain(value: Any, depth: int = MAX_DEPTH) -> Any:
    """Return a value whose series of all kinds are lists and whose exact numbers are floats, at any depth.

    A test next to the answer takes a deque for a list and a fraction for a number, and so it has to here. A stream that
    does not end is cut.
    """
    if isinstance(value, fractions.Fraction | decimal.Decimal):
        return float(value)
    if isinstance(value, collections.UserString):
        return value.data
    if isinstance(value, _SERIES):
        value = list(itertools.islice(value, MAX_ELEMENTS))
    if not depth:
        return value
    # A class of its own, such as a Counter or a named tuple, is sent as the built-in one that it is a kind of.
    for kind in (list, tuple, set, frozenset):
        if isinstance(value, kind):
            return kind([plain(one, depth - 1) for one in value])
    if isinstance(value, Mapping):
        return {plain(key, depth - 1): plain(one, depth - 1) for key, one in value.items()}
    return value


def packed(value: Any, least: int = MANY) -> Any:
    """Return a value whose long series of numbers, which count one by one, are arrays, which count as one.

    Args:
        value: The value; its series are lists and tuples.
        least: Numbers that a series has to have.
    """
    import numpy as np

    if isinstance(value, dict):
        return {key: packed(one, least) for key, one in value.items()}
    if not isinstance(value, list | tuple):
        return value
    several = isinstance(value, tuple) and isinstance(next(iter(value), None), list | tuple | np.ndarray)
    if not several:  # of a tuple, they may be results, or arguments
        with contextlib.suppress(ValueError, TypeError, OverflowError):  # rows of different lengths
            whole = np.array(value)
            if whole.size >= least and whole.dtype.kind in "biuf":
                if _of_one_kind(value, whole):
                    return whole
                least = FEW
    return type(value)(packed(one, least) for one in value)


def _of_one_kind(value: Iterable[Any], whole: Any) -> bool:
    """Return whether NumPy makes of each part of a series what it is in the array of the whole.

    In one array of ids and of truth values these become integers, and as an index they mean something else.

    Args:
        value: The series.
        whole: The array that NumPy makes of it.
    """
    import numpy as np

    depth = sum(math.prod(whole.shape[n:]) >= FEW for n in range(1, whole.ndim))  # smaller parts are not looked at
    parts = value
    for _ in range(depth - 1):
        parts = itertools.chain.from_iterable(parts)
    return not depth or all(np.asarray(part).dtype == whole.dtype for part in parts)
