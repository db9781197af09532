"""Where a function goes wrong: what all calls have in common in which it does, and no call in which it is right.

Told are kinds of arguments, never their values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from .answers import SOFT, Answer, Call, differs
from .describing import MAX_NAME
from .shrink import named

#: Calls without which nothing is said: a single one that went wrong has many things that no other has, and by chance.
LEAST_RIGHT, LEAST_WRONG = 3, 2
#: Circumstances of which more say nothing.
MOST_TOLD = 2
#: Circumstances of special cases, told before all others.
SPECIAL = (
    "has large numbers", "has a row of zeros", "has an infinite number", "has a row without True", "is empty", "is 0",
    "begins a row with False", "is 1", "has length 1", "holds an empty one",
)  # fmt: skip
#: Numbers from here on are large: the exponential of single precision overflows soon after.
LARGE = 80.0


def _rows(array: np.ndarray) -> np.ndarray:
    return array.reshape(-1, array.shape[-1]) if array.ndim and array.size else np.zeros((0, 1))


def _first_hidden(array: np.ndarray) -> bool:
    return array.ndim > 0 and array.size > 0 and not _rows(array)[:, 0].all()


#: What may be so of an array of numbers, and of one of truth values.
NUMBERS: dict[str, Callable[[np.ndarray], bool]] = {
    "{label} has large numbers": lambda a: bool(a.size and np.abs(a.astype("float64")).max() >= LARGE),
    "{label} has a row of zeros": lambda a: a.dtype.kind == "f" and a.ndim > 0 and bool((~_rows(a).any(-1)).any()),
    "{label} has negative numbers": lambda a: bool((a < 0).any()),
    "{label} has an infinite number": lambda a: bool(np.isinf(a.astype("float64")).any()),
    "{label} holds whole numbers": lambda a: a.dtype.kind in "iu",
}
TRUTHS: dict[str, Callable[[np.ndarray], bool]] = {
    "{label} has a row without True": lambda a: a.ndim > 0 and a.size > 0 and bool((~_rows(a).any(-1)).any()),
    "{label} begins a row with False": _first_hidden,
    "{label} has False in it": lambda a: not a.all(),
}
WHOLE: dict[str, Callable[[int], bool]] = {
    "{label} is 0": lambda n: n == 0,
    "{label} is 1": lambda n: n == 1,
    "{label} is negative": lambda n: n < 0,
}


#: How what is told begins; `grader report` leaves it out.
COUNTED = "Your function is right in {fine} of the {seen} calls that were tried. "


def told(seen: list[Call], right: Answer) -> str:
    """Say where a function goes wrong; return an empty text if too little is known.

    Args:
        seen: What it was called with, and what came back.
        right: The reference.
    """
    wrong = wrong_calls(right, seen)
    fine = [call for call in seen if call not in wrong]
    found = where(wrong, fine, right.space)
    if not found:
        return ""
    return f"{COUNTED.format(fine=len(fine), seen=len(seen))}Where it is wrong, and only there: {' and '.join(found)}."


def wrong_calls(right: Answer, seen: list[Call]) -> list[Call]:
    """Return the calls in which the student's function gave something else than the reference."""
    return [call for call in seen if differs(call.reply, right.reply(call)) - SOFT]


def where(wrong: list[Call], right: list[Call], functions: dict[str, Any]) -> list[str]:
    """Return what is so in all calls that went wrong and in none that went right.

    Args:
        wrong: Calls in which the student's function is wrong, of one of its functions.
        right: Those in which it is right.
        functions: The solution's functions, for the names of parameters.

    Returns:
        Up to two circumstances, such as "`mask` has a row without True"; none if more would do, or if too few calls
        tell.
    """
    names = {call.function for call in wrong}
    if len(names) != 1:
        return []
    right = [call for call in right if call.function in names]
    if len(wrong) < LEAST_WRONG or len(right) < LEAST_RIGHT:
        return []
    found = set.intersection(*(set(circumstances_of(call, functions)) for call in wrong))
    found -= set().union(*(set(circumstances_of(call, functions)) for call in right))
    special = sorted(text for text in found if text.endswith(SPECIAL))
    return next((some for some in (special, sorted(found)) if 0 < len(some) <= MOST_TOLD), [])


def circumstances_of(call: Call, functions: dict[str, Any]) -> Iterator[str]:
    """Yield what is so of a call.

    Args:
        call: The call.
        functions: As in `where`.
    """
    given = dict(named(functions.get(call.function), *call.arguments(None)))
    for name, value in given.items():
        label = f"`{name[:MAX_NAME]}`"
        yield f"{label} is given" if value is not None else f"{label} is None"
        if isinstance(value, np.ndarray):
            yield f"{label} has {value.ndim} axes"
            if value.size == 0:
                yield f"{label} is empty"
            if 1 in value.shape:
                yield f"an axis of {label} has length 1"
            kinds = TRUTHS if value.dtype.kind == "b" else NUMBERS if value.dtype.kind in "iuf" else {}
            yield from (text.format(label=label) for text, holds in kinds.items() if holds(value))
        elif type(value) is int:
            yield from (text.format(label=label) for text, holds in WHOLE.items() if holds(value))
        elif type(value) is bool:
            yield f"{label} is {value}"
        elif isinstance(value, list | tuple | set):
            if not value:
                yield f"{label} is empty"
            if any(isinstance(one, list | tuple | set) and not one for one in value):
                yield f"{label} holds an empty one"
        elif isinstance(value, float) and value == 0:
            yield f"{label} is 0"
    arrays = {name: value for name, value in given.items() if isinstance(value, np.ndarray)}
    shapes = list(arrays.items())
    for n, (name, value) in enumerate(shapes):
        for other, another in shapes[n + 1 :]:
            if value.ndim == another.ndim > 1 and value.shape[-2] != another.shape[-2]:
                yield f"`{name}` and `{other}` differ in length"
