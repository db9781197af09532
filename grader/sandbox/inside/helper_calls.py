"""Which functions of the course's helper cells a student's code calls while a test asks it: each one says so itself.

Some of these functions know what is right, so a person should look at an answer that needs one. Names need not be
followed through code for that. Where a call came from stands on the stack: the first cell found there is whose it is.
So an answer may use a given function that needs a helper, and a function of the student's own under a helper's name is
the student's.

What happens before the tests counts for nothing: students check and draw their answers with helpers there. A value kept
from then answers few of the tests, which ask with others.

All of this happens in the student's process, so whoever wants to hide a use can. It never calls code of the student's.
"""

from __future__ import annotations

import builtins
import contextlib
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType

from .border import MAX_HELPERS
from .cells import CELLS, HOOK


class HelperCalls:
    """Listens to the helper functions of one process."""

    def __init__(self) -> None:
        self._courses = {code.co_filename for code in CELLS if isinstance(code, CodeType)}
        self._theirs = set[str]()
        self._asked = False
        self._called = set[str]()
        setattr(builtins, HOOK, self._hear)

    def runs(self, file: str, own: bool) -> None:
        """Say that a cell begins.

        Args:
            file: What its code objects call it.
            own: Whether it is an answer or a cell that the student added.
        """
        (self._theirs if own else self._courses).add(file)

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Listen while a test calls a function of the student's."""
        self._asked = True
        try:
            yield
        finally:
            self._asked, self._called = False, set()

    def used(self) -> list[str]:
        """Return the helper functions that the call has used so far."""
        return sorted(self._called)[:MAX_HELPERS]

    def _hear(self, helper: str) -> None:
        """Note a call of a helper function, unless code of the course's called it."""
        if not self._asked or helper in self._called:
            return
        code = sys._getframe(1).f_code
        step = sys._getframe(1).f_back
        while step is not None and step.f_code.co_filename not in self._theirs:
            if step.f_code.co_filename in self._courses and not _was_given(step, code):
                return
            step = step.f_back
        self._called.add(helper)


def _was_given(caller: FrameType, code: CodeType) -> bool:
    """Return whether a function was called with one that has this code: it is its caller's who calls that then."""
    of = caller.f_code
    given = (caller.f_locals.get(name) for name in of.co_varnames[: of.co_argcount + of.co_kwonlyargcount])
    return any(type(one) is FunctionType and one.__code__ is code for one in given)
