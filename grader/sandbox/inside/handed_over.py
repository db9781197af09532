"""Functions that a test hands to the student's code: it gets what they return, and nothing else of the test.

The student's code may call them as often as it likes, with any plain data. So they are called by position alone (the
options of a NumPy function can return memory that nothing was written to), what they raise stays on this side (an error
names variables and functions of a hidden test), and the arrays of the test cannot be written to meanwhile.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from . import acceptable, wire

if TYPE_CHECKING:
    from .arrays import Array

#: What the student's code is told instead of an error of the test's.
NAMELESS = "the test's function takes its arguments by position: call it without names"
REFUSED = "an argument of the test's function"
RAISED = "the test's function raised an error when it was called with"
#: Arguments that are described.
SHOWN = 4


class HandedOver:
    """The functions of one call, by number."""

    def __init__(self) -> None:
        self.functions: list[Callable[..., object]] = []
        self.refusal = ""
        self.objection: AssertionError | None = None
        #: The arrays among a module's names, looked for once in a call: it may ask a thousand times.
        self._named: dict[int, list[Array]] = {}

    def number(self, function: Callable[..., object]) -> int:
        """Return the number by which the student's code may ask for a function."""
        self.functions.append(function)
        return len(self.functions) - 1

    def answer(self, number: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
        """Call a function; return the frame that says what came of it.

        Raises:
            WireError: If there is no such function.
        """
        if number >= len(self.functions):
            raise wire.WireError("an unknown function of the test's")
        self.refusal, self.objection = "", None
        if kwargs:
            self.refusal = NAMELESS
        elif reason := next(filter(None, map(acceptable.objection, args)), ""):
            self.refusal = f"{REFUSED} {reason}"
        else:
            try:
                with _unwritten(self._within_reach(self.functions[number])):
                    return wire.dumps({"value": self.functions[number](*args)})
            except wire.WireError:
                raise
            except (wire.Unsendable, Exception) as error:
                self.refusal = f"{RAISED} {_kinds(args)}"
                self.objection = error if isinstance(error, AssertionError) else None
        return wire.dumps({"error": self.refusal})

    def _within_reach(self, function: Callable[..., object]) -> list[Array]:
        """Return the arrays that can be written to and that a function can reach by name, a view after its base."""
        names = getattr(function, "__globals__", {})
        if id(names) not in self._named:
            self._named[id(names)] = _writeable(names.values())
        near = [*_closed_over(function), *(getattr(function, "__defaults__", None) or ())]
        nearer = _writeable(near) if near else near
        return _in_order([*self._named[id(names)], *nearer]) if nearer else self._named[id(names)]

    def meant(self, error: dict[str, Any]) -> AssertionError | None:
        """Return what a test's function asserted, if that is why the student's function ended."""
        return self.objection if error["type"] == "RuntimeError" and error["text"] == self.refusal else None


@contextlib.contextmanager
def _unwritten(arrays: list[Array]) -> Iterator[None]:
    """Keep arrays from being written to, as a view of one could be.

    Args:
        arrays: A view after what it is a view of, since only then may it be written to again.
    """
    try:
        for array in arrays:
            array.flags.writeable = False
        yield
    finally:
        for array in arrays:
            array.flags.writeable = True


def _writeable(held: Iterable[object]) -> list[Array]:
    """Return the arrays among values that are written to in their own right: a view of what is read-only stays so."""
    import numpy as np

    arrays = {id(v): v for v in held if isinstance(v, np.ndarray) and v.flags.writeable}
    return _in_order([v for v in arrays.values() if not isinstance(v.base, np.ndarray) or v.base.flags.writeable])


def _in_order(arrays: list[Array]) -> list[Array]:
    return sorted(arrays, key=lambda v: v.base is not None)


def _closed_over(function: Callable[..., object]) -> Iterator[object]:
    for cell in getattr(function, "__closure__", None) or ():
        try:
            yield cell.cell_contents
        except ValueError:  # a name that is not bound yet
            continue


def _kinds(values: tuple[Any, ...]) -> str:
    """Return what kinds of values the student's code handed over, in a few words."""
    more = f" and {len(values) - SHOWN} more" if len(values) > SHOWN else ""
    return f"{', '.join(map(_kind, values[:SHOWN])) or 'nothing'}{more}"


def _kind(value: object) -> str:
    shape, dtype = getattr(value, "shape", None), getattr(value, "dtype", None)
    if shape is None or dtype is None:
        return f"a {type(value).__name__}"
    return f"an array of shape {shape} and type {dtype}"
