"""What the student's side may say, checked before anything else looks at it: types and sizes first, nothing converted.

Code of the student's can have taken over the process that sends these frames, so that any value may stand where a text
is expected. An honest process sends exactly these forms; whatever has another one is refused as a whole.
"""

from __future__ import annotations

from typing import Any

from . import acceptable
from .describing import MAX_MESSAGE, MAX_NAME
from .frames import Limits, WireError
from .sink import MAX_TEXT

#: Figures of one cell that are drawn, and bytes of one.
MAX_FIGURES, MAX_FIGURE = 8, 2**20
#: The last line that an error may be in; Python's own limit on the length of a written integer is far beyond.
MAX_LINE = 10**7
#: Names that were rescued from a failed answer cell.
MAX_RESCUED = 20
#: Names of helper functions that a call has used.
MAX_HELPERS = 20
#: What a reply about a cell may hold: two texts and a few short ones, each character written with up to eight bytes.
CELL = Limits(frame_bytes=2**19, header_bytes=2**19, depth=4, nodes=128, text=3 * MAX_TEXT, arrays=False)
#: The same with figures.
DRAWN_CELL = Limits(
    frame_bytes=CELL.frame_bytes + MAX_FIGURES * MAX_FIGURE,
    header_bytes=CELL.header_bytes, depth=CELL.depth, nodes=CELL.nodes, text=CELL.text, arrays=False,
)  # fmt: skip
#: Sink adds how much it has left out.
_TEXT = MAX_TEXT + 100


def cell_reply(value: object) -> dict[str, Any]:
    """Return what `Student.run_cell` says about a cell.

    Args:
        value: A frame of the student's side, read with the limits of `CELL` or `DRAWN_CELL`.

    Raises:
        WireError: If it has another form.
    """
    said = _fields(value, "error", "text", "shown", "rescued", "figures")
    if said["error"] is not None:
        _error(said["error"])
    _text(said["text"], _TEXT)
    _text(said["shown"], MAX_TEXT)
    for name in _items(said["rescued"], MAX_RESCUED):
        _text(name, MAX_NAME)
        if not name.isidentifier():  # it is listed in a sentence for people, where words of its own would be ours
            raise WireError("a name that is none")
    for figure in _items(said["figures"], MAX_FIGURES):
        if type(figure) is not bytes or len(figure) > MAX_FIGURE:
            raise WireError("a figure that is none, or too large")
    return said


def call_reply(value: object) -> dict[str, Any]:
    """Return what `student.outcome` says about a call of a function: its value, or its error.

    With a value can come `helpers`: names of the helper functions that it used.

    Args:
        value: A frame of the student's side.

    Raises:
        WireError: If it has another form.
    """
    if type(value) is dict and value.keys() == {"error"}:
        _error(value["error"])
        return value
    said = _fields(value, "value", "changed", *(("helpers",) if type(value) is dict and "helpers" in value else ()))
    for name in _items(said.get("helpers", []), MAX_HELPERS):
        _text(name, MAX_NAME)
    changed = said["changed"]
    if changed is not None:
        whole = type(changed) is list and [type(part) for part in changed] == [tuple, dict]
        if not whole or not all(type(name) is str for name in changed[1]):
            raise WireError("changed arguments that are none")
    for part in (said["value"], changed):
        if reason := acceptable.objection(part):  # an honest process says so itself
            raise WireError(f"it {reason}")
    return said


def question(value: object) -> tuple[int, tuple[Any, ...], dict[str, Any]]:
    """Return the number and the arguments of a test's function that the student's code calls.

    Args:
        value: A frame of the student's side.

    Raises:
        WireError: If it has another form.
    """
    said = _fields(value, "callback", "args", "kwargs")
    number, args, kwargs = said["callback"], said["args"], said["kwargs"]
    named = type(kwargs) is dict and all(type(key) is str for key in kwargs)
    if type(number) is not int or number < 0 or type(args) is not tuple or not named:
        raise WireError("a call of a test's function that is none")
    return number, args, kwargs


def _fields(value: object, *names: str) -> dict[str, Any]:
    if type(value) is not dict or value.keys() != set(names):
        raise WireError("it does not have the form that it should have")
    return value


def _items(value: object, most: int) -> list[Any]:
    if type(value) is not list or len(value) > most:
        raise WireError("a list that is none, or too long")
    return value


def _text(value: object, most: int) -> None:
    if type(value) is not str or len(value) > most:
        raise WireError("a text that is none, or too long")


def _error(value: object) -> None:
    error = _fields(value, "type", "text", "line")
    _text(error["type"], MAX_NAME)
    _text(error["text"], MAX_MESSAGE)
    if error["line"] is not None and (type(error["line"]) is not int or not 0 <= error["line"] <= MAX_LINE):
        raise WireError("a line number that is none")
