"""What objects of the student's are, hold and read, without any code of theirs being asked."""

from __future__ import annotations

import contextlib
import dis
import functools
import gc
import itertools
from collections import deque
from collections.abc import Iterator, Mapping
from types import CodeType, FunctionType, GetSetDescriptorType, MappingProxyType, MemberDescriptorType, ModuleType

import numpy as np

from .handed_on import WHOLE, Cell, Part

#: What says nothing of where it came from: there is one of each.
SINGLE = (bool, type(None))
#: A number or a text: what a check notes of an answer.
_NOTE = (int, float, str, np.generic, type(None))
#: How Python itself leads to a slot or a dictionary: none of these is of the student's.
_BY_C = (GetSetDescriptorType, MemberDescriptorType)
#: Most objects that are looked through for the names that an answer reads, and most of what one holds.
_MOST, _MOST_HELD = 5_000, 1_000
#: Methods, perhaps made by `dataclass`, that read attributes to show or compare them.
_SHOW = frozenset({"__repr__", "__str__", "__format__", "__eq__"})
#: Types of what reads no name, by identity, since a class of the student's may say what it equals.
_PLAIN = frozenset(map(id, (int, float, complex, bool, str, bytes, type(None), np.ndarray, np.float64, np.int64)))
#: Read any attribute of something.
_READ_ALL = frozenset({"vars", "getattr", ".__dict__", ".__getattribute__"})


def names_of(kind: object) -> list[Mapping[str, object]]:
    """Return the names of a class, then of those that it is made from."""
    return [type.__dict__["__dict__"].__get__(one) for one in type.__dict__["__mro__"].__get__(kind)]


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
    of = names_of(type(value)) if part else []
    notes = {name: _kept(value, name, of) for name in part}
    if not notes or not all(issubclass(type(note), _NOTE) for note in notes.values()):
        return True
    return any(
        not issubclass(type(note), SINGLE) and not read.isdisjoint({f".{name}", *_READ_ALL})
        for name, note in notes.items()
    )


def _kept(value: object, name: str, of: list[Mapping[str, object]]) -> object:
    """Return what an object has under an attribute, in a slot or its dictionary; WHOLE if that is seen in neither.

    Args:
        value: The object.
        name: The attribute.
        of: The names of its class and of those that this is made from.
    """
    for one in of:
        if name in one and issubclass(type(slot := one[name]), MemberDescriptorType):
            with contextlib.suppress(AttributeError):  # empty
                return slot.__get__(value)  # type: ignore[attr-defined]
    places = [one["__dict__"] for one in of if "__dict__" in one]
    place = next((one for one in places if issubclass(type(one), _BY_C)), None)
    if not isinstance(place, _BY_C):
        return WHOLE
    held = place.__get__(value)
    # The dictionary may be of a class of the student's, whose own `get` is not to be called.
    get = held.get if type(held) is MappingProxyType else functools.partial(dict.get, held)
    return get(name, WHOLE)


def reads(function: str, space: dict[str, object], cells: dict[str, Cell], *apart: object) -> set[str]:
    """Return the names of the notebook that a function reads, or what it calls, at any depth; the nearest first.

    Those of attributes are among them, with a dot in front. A method that nothing reads by its name is not called.

    Args:
        function: The name of the function.
        space: The names of the notebook.
        cells: The student's, by what their code calls them.
        apart: Objects that are not looked through.
    """
    names, seen = {function}, {id(one): one for one in (space, *apart)}
    waiting, later = deque([space.get(function)]), dict[str, list[object]]()
    while waiting and len(seen) < _MOST:
        one = waiting.popleft()
        if id(type(one)) in _PLAIN or id(one) in seen:
            continue
        seen[id(one)] = one
        if type(one) is CodeType:
            assert isinstance(one, CodeType)  # asked first, `isinstance` would call what a class makes of `__class__`
            steps = [*dis.get_instructions(one)]
            read = sorted({step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")})
            names.update(read, _attributes(one, steps, cells.get(one.co_filename)))
            waiting += [*one.co_consts, *(space[name] for name in read if name in space)]
        else:
            waiting += itertools.islice(_held(one, space), _MOST_HELD)
            for name, method in _by_name(one).items():
                later.setdefault(name, []).append(method)
        for name in sorted(later.keys() & names if names.isdisjoint(_READ_ALL) else later):
            waiting += later.pop(name)
    return names


def _attributes(code: CodeType, steps: list[dis.Instruction], cell: Cell | None) -> Iterator[str]:
    """Yield the attributes that code reads for more than to show them, with a dot in front; a text may name one."""
    if code.co_name in _SHOW:
        return
    for step, after in itertools.pairwise(steps):
        is_text = step.opname == "LOAD_CONST" and type(step.argval) is str
        if is_text or step.opname in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
            first, last, begin, end = (at or 0 for at in step.positions or (0,) * 4)
            if cell is None or not cell.shows((first, begin, last, end)):
                yield f".{step.argval}"
        elif after.opname == "MATCH_CLASS":
            yield from (f".{name}" for name in step.argval)


def _held(one: object, space: dict[str, object]) -> Iterator[object]:
    """Yield what an object of the notebook holds, as the garbage collector sees it: no code of its class is asked.

    Args:
        one: The object.
        space: The names of the notebook.
    """
    kind = type(one)
    if kind is FunctionType:
        assert isinstance(one, FunctionType)
        if one.__globals__ is space:
            yield one.__code__
        yield from (one.__defaults__, one.__kwdefaults__, one.__closure__, one.__dict__)
    elif issubclass(kind, type):
        if (names := names_of(one)[0]).get("__module__") == "__main__":
            yield from type.__dict__["__mro__"].__get__(one)
            later = _by_name(one)
            yield from (held for name, held in names.items() if type(name) is not str or f".{name}" not in later)
    elif not issubclass(kind, ModuleType):
        yield from gc.get_referents(one)


def _by_name(one: object) -> dict[str, object]:
    """Return what a class of the student's has that nothing reads but by its name, by that with a dot in front.

    Python itself calls special methods, and a class of a library those that it has as well.
    """
    if not issubclass(type(one), type) or (own := names_of(one)[0]).get("__module__") != "__main__":
        return {}
    known = set[str]().union(*(names for names in names_of(one) if names.get("__module__") != "__main__"))
    plain = [name for name in own if type(name) is str and not (name.startswith("__") and name.endswith("__"))]
    return {f".{name}": own[name] for name in plain if name not in known}
