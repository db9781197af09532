"""Exceptions of the student's side, of which it told as plain data, as the trusted side raises them."""

from __future__ import annotations

import builtins
import contextlib
from typing import Any

from .describing import MAX_MESSAGE
from .student import COMPUTED, WAITED

#: What a time limit is called that no limit of marking's was.
RAISED = "TimeoutError (raised by the answer)"
#: What an exception is called whose type has a name that could be read as words.
UNNAMED = "an exception of the answer's"


class StudentError(Exception):
    """An exception of a type that only the student's side knows."""

    def __init__(self, name: str, text: str) -> None:
        super().__init__(f"{name}: {text}")
        self.name, self.text = name, text


def as_exception(error: dict[str, Any]) -> Exception:
    """Make an exception of what the student's side told of one; what a time limit says, only marking can say."""
    name, text = str(error.get("type", ""))[:100], str(error.get("text", ""))[:MAX_MESSAGE]
    if name == "Unsendable":
        return TypeError(text)
    kind = getattr(builtins, name, None)
    if kind is TimeoutError and text not in (COMPUTED, WAITED):
        return StudentError(RAISED, text)
    if isinstance(kind, type) and issubclass(kind, Exception) and kind is not StopIteration:
        with contextlib.suppress(Exception):
            return kind(text)
    return StudentError(name if name.isascii() and name.isidentifier() else UNNAMED, text)
