"""Exceptions as plain data. Some come from code that is not ours: nothing about them is taken on trust."""

from __future__ import annotations

import contextlib
from typing import Any

#: Characters of an exception's text, and of its type's name, that are kept.
MAX_MESSAGE, MAX_NAME = 2_000, 100
#: Modules that start processes, and what is added to what they raise: what the system says is about a file. A pool of
#: threads of `multiprocessing` raises as well, since its locks are those of processes, in memory that programs share.
_STARTING = {"multiprocessing", "subprocess"}
NO_PROCESSES = (
    "(marking has no other processes and programs, and no pools or locks of multiprocessing; "
    "concurrent.futures.ThreadPoolExecutor works)"
)


def describe(error: BaseException, file: str = "") -> dict[str, Any]:
    """Describe an exception.

    Args:
        error: The exception; its `__str__` may itself raise.
        file: The name that the running cell was compiled under, such as `<test_values>`.

    Returns:
        `type` (the name of its class), `text` and `line` (of the cell, from 1; None if the cell is not in the
        traceback).
    """
    line = None
    with contextlib.suppress(BaseException):
        step = error.__traceback__
        while step is not None:
            if step.tb_frame.f_code.co_filename == file:
                line = int(step.tb_lineno)
            step = step.tb_next
        if isinstance(error, SyntaxError) and error.filename == file:
            line = int(error.lineno or 0) or None
    kind = "Exception"
    with contextlib.suppress(BaseException):
        kind = str(type(error).__name__)[:MAX_NAME]
    try:
        text = str(error)[:MAX_MESSAGE]
        if isinstance(error, OSError) and _starts_a_process(error):
            text = f"{text[: MAX_MESSAGE - len(NO_PROCESSES) - 1]} {NO_PROCESSES}"
    except BaseException:
        text = "(its text could not be made)"
    return {"type": kind, "text": text, "line": line}


def _starts_a_process(error: BaseException) -> bool:
    """Return whether an exception comes from what starts a process."""
    step = error.__traceback__
    while step is not None:
        if str(step.tb_frame.f_globals.get("__name__")).split(".")[0] in _STARTING:
            return True
        step = step.tb_next
    return False


def innermost_cell(error: BaseException) -> str:
    """Return the name and the line of the last notebook cell in an exception's traceback, or an empty string."""
    place, step = "", error.__traceback__
    while step is not None:
        file = step.tb_frame.f_code.co_filename
        if file.startswith("<"):
            place = f"{file.strip('<>')}, line {step.tb_lineno}"
        step = step.tb_next
    return place


def is_assertion_of(error: BaseException, file: str) -> bool:
    """Return whether an exception is an assertion of the cell itself; what a function of it raised ends elsewhere."""
    step = error.__traceback__
    while step is not None and step.tb_next is not None:
        step = step.tb_next
    return type(error) is AssertionError and step is not None and step.tb_frame.f_code.co_filename == file
