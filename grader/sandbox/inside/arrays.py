"""Which arrays, scalars and random generators of NumPy may cross the wire."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .frames import WireError

Array = np.ndarray[Any, np.dtype[Any]]
NPY_HEADER = 10_000
NUMERIC = re.compile(r"[<>|](?:b1|[iu][1248]|f(?:2|4|8|12|16)|c(?:8|16|24|32))")
#: Names of types that may be in a header. NumPy's own reader takes more, and one of them, a date in units of `[s/0]`,
#: ends the process that reads it.
_TYPE = re.compile(
    r"[<>|=]?(?:[?bBhHiIlLqQefdgFDGSaUVO]|[biufcSaUVO]\d{1,9}|[mM]8(?:\[(?:[1-9]\d{0,8})?[A-Za-z\u03bc\u00b5]{1,7}\])?)"
)


def named(descr: object, depth: int = 0) -> bool:
    """Return whether NumPy may be given this description of a type.

    Args:
        descr: From the header of an `.npy` file: a name, or for records a list of tuples of field, type and shape.
        depth: How many records this one is within.
    """
    if isinstance(descr, str):
        return _TYPE.fullmatch(descr) is not None
    if isinstance(descr, tuple):  # an array within a record
        return len(descr) == 2 and named(descr[0], depth + 1)
    if not isinstance(descr, list) or depth > 16:
        return False
    return all(isinstance(f, tuple) and 2 <= len(f) <= 3 and named(f[1], depth + 1) for f in descr)


def unknown(dtype: np.dtype[Any], depth: int = 0) -> str:
    """Name what a type holds that cannot be sent, or return an empty string."""
    if depth > 16:
        return "records within records within records"
    if dtype.subdtype is not None:
        return unknown(dtype.subdtype[0], depth + 1)
    if dtype.names is not None:
        return next(filter(None, (unknown(dtype[name], depth + 1) for name in dtype.names)), "")
    if dtype.kind == "O":
        return "Python objects"
    if dtype.isbuiltin == 2 or dtype.kind not in "biufcmMSUV" or dtype.hasobject:
        return f"type {str(dtype)[:80]}"
    return ""


def leaves(array: Array) -> Iterator[Array]:
    """Yield an array, or the arrays of its fields and of their fields."""
    if array.dtype.names is None:
        yield array
    else:
        for name in array.dtype.names:
            yield from leaves(array[name])


def checked(array: Array) -> Array:
    """Refuse bytes that no array of the type holds: a truth value that is neither, a character beyond Unicode."""
    for leaf in leaves(array):
        odd = False
        if leaf.dtype.kind == "b":
            odd = bool((leaf.view(np.uint8) > 1).any())
        elif leaf.dtype.kind == "U" and leaf.dtype.itemsize:
            codes = np.ascontiguousarray(leaf).reshape(-1).view(leaf.dtype.byteorder.replace("|", "=") + "u4")
            odd = bool((codes > 0x10FFFF).any())
        if odd:
            raise WireError("an array with values that its type does not have")
    return array


def _whole(value: object, bits: int) -> bool:
    """Return whether this is an integer of so many bits."""
    return type(value) is int and 0 <= value < 2**bits


def _words(value: object, count: int, dtype: type[np.generic]) -> bool:
    """Return whether this is an array of so many words."""
    return type(value) is np.ndarray and value.shape == (count,) and value.dtype == dtype


def _rest(whole: dict[str, Any]) -> bool:
    """Return whether the half word that a generator keeps is one."""
    return _whole(whole["has_uint32"], 1) and _whole(whole["uinteger"], 32)


def _pcg(whole: dict[str, Any], state: dict[str, Any]) -> bool:
    return _whole(state["state"], 128) and _whole(state["inc"], 128) and _rest(whole)


#: For each bit generator whether a state of it is one that NumPy may be given.
GENERATORS: dict[str, Callable[[dict[str, Any], dict[str, Any]], bool]] = {
    "PCG64": _pcg,
    "PCG64DXSM": _pcg,
    "MT19937": lambda whole, state: _words(state["key"], 624, np.uint32) and state["pos"] in range(625),
    "Philox": lambda whole, state: (
        _words(state["counter"], 4, np.uint64)
        and _words(state["key"], 2, np.uint64)
        and _words(whole["buffer"], 4, np.uint64)
        and whole["buffer_pos"] in range(5)
        and _rest(whole)
    ),
    "SFC64": lambda whole, state: _words(state["state"], 4, np.uint64) and _rest(whole),
}
