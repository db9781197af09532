"""What objects of the student's are and hold, without any code of theirs being asked."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, GetSetDescriptorType, MappingProxyType, MemberDescriptorType

import numpy as np

from .handed_on import WHOLE, Part

#: What says nothing of where it came from: there is one of each.
SINGLE = (bool, type(None))
#: A number or a text: what a check notes of an answer.
_NOTE = (int, float, str, np.generic, type(None))
#: How Python itself leads to a slot or a dictionary: none of these is of the student's.
_BY_C = (GetSetDescriptorType, MemberDescriptorType)
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
    notes = {name: _kept(value, name) for name in part}
    if not notes or not all(issubclass(type(note), _NOTE) for note in notes.values()):
        return True
    return any(not issubclass(type(note), SINGLE) and is_named(name, read) for name, note in notes.items())


def is_named(name: str, read: set[str]) -> bool:
    """Return whether whoever reads some names may read an attribute by its own."""
    return not read.isdisjoint({f".{name}", *_READ_ALL})


def _kept(value: object, name: str) -> object:
    """Return what an object has under an attribute, in a slot or its dictionary; WHOLE if that is seen in neither."""
    of = [*names_of(type(value))]
    slot = next((one[name] for one in of if issubclass(type(one.get(name)), MemberDescriptorType)), None)
    place = next((one["__dict__"] for one in of if issubclass(type(one.get("__dict__")), _BY_C)), None)
    if isinstance(slot, MemberDescriptorType):
        with contextlib.suppress(AttributeError):  # empty
            return slot.__get__(value)
    if not isinstance(place, _BY_C):
        return WHOLE
    held = place.__get__(value)
    # The dictionary may be of a class of the student's, whose own `get` is not to be called.
    get = held.get if type(held) is MappingProxyType else functools.partial(dict.get, held)
    return get(name, WHOLE)
