"""What objects of the student's are and hold, without any code of theirs being asked."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, GetSetDescriptorType, MappingProxyType

import numpy as np

from .handed_on import WHOLE, Part

#: What says nothing of where it came from: there is one of each.
SINGLE = (bool, type(None))
#: A number or a text: what a check notes of an answer.
_NOTE = (int, float, str, np.generic, type(None))
#: Read any attribute of something.
_READ_ALL = frozenset({"vars", "getattr", ".__dict__", ".__getattribute__"})


def names_of(kind: type) -> Iterator[Mapping[str, object]]:
    """Yield the names of a class and of those that it is made from."""
    for one in type.__dict__["__mro__"].__get__(kind):
        yield type.__dict__["__dict__"].__get__(one)


def codes_of(kind: type, name: str) -> Iterator[CodeType | None]:
    """Yield the code of a method of a class, then of those that it overrides; None for what is no plain function."""
    for names in names_of(kind):
        if name in names:
            found = names[name]
            yield found.__code__ if type(found) is FunctionType else None


def keeps(value: object, code: CodeType) -> bool:
    """Return whether a value is a function with this code that keeps what it returns, by `functools.cache`."""
    if type(value) is not type(functools.cache(len)):
        return False
    function = getattr(value, "__wrapped__", None)
    return type(function) is FunctionType and function.__code__ is code


def is_read(value: object, part: Part, read: set[str]) -> bool:
    """Return whether whoever reads some names may read a part of a value; notes alone are read by their names."""
    places = (names.get("__dict__") for names in names_of(type(value)))
    place = next((one for one in places if type(one) is GetSetDescriptorType), None)
    if part == WHOLE or place is None:
        return True
    held = place.__get__(value)
    if type(value) is FunctionType:
        held = {"__doc__": value.__doc__, **held}
    # The dictionary may be of a class of the student's, whose own `get` is not to be called.
    get = held.get if type(held) is MappingProxyType else functools.partial(dict.get, held)
    notes = {name: get(name, held) for name in part}
    if any(type(note) is not bool and not issubclass(type(note), _NOTE) for note in notes.values()):
        return True
    return any(type(note) not in SINGLE and {f".{name}", *_READ_ALL} & read for name, note in notes.items())
