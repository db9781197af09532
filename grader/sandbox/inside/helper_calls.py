"""Which functions of the course's helper cells a student's code uses: each of them says so when it is called.

Some of these functions know what is right, so a person should look at an answer that needs one. Names need not be
followed through code for that. Where a call came from stands on the stack: the first cell found there is whose it is.
So an answer may use a given function that needs a helper, and a function of the student's own under a helper's name is
the student's.

What a helper gave before the tests is found by name: where a statement of a cell calls it and binds a name of the
notebook, or fills what has one, and an answer reads that name, at any depth, while it still means the same object. A
statement that only shows or checks something hands nothing on.

All of this happens in the student's process, so whoever wants to hide a use can. It never calls code of the student's.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import gc
import inspect
import itertools
import sys
import threading
from collections import deque
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, ModuleType

import numpy as np

from .border import MAX_HELPERS
from .cells import CELLS, HOOK
from .handed_on import Cell, Place, bound, gets_out, given, only_looks

#: Most objects that are looked through for the names that an answer reads, and most of what one holds.
_MOST, _MOST_HELD = 5_000, 1_000
#: What says nothing of where it came from: there is one of each.
_SINGLE = (bool, type(None))
#: What a method fills: no module, function or class.
_NOT_FILLED = (ModuleType, FunctionType, type)
#: What reads no name.
_PLAIN = frozenset({int, float, complex, bool, str, bytes, type(None), np.ndarray, np.float64, np.int64})


class HelperCalls:
    """Listens to the helper functions of one process.

    Args:
        space: The names of the notebook.
    """

    def __init__(self, space: dict[str, object]):
        self.space = space
        self.courses = {code.co_filename for code in CELLS if isinstance(code, CodeType)}
        self.theirs: dict[str, Cell] = {}
        self.asked = False
        self.called: dict[str, None] = {}
        self.heard: dict[tuple[str, CodeType, int], bool] = {}  # in the statement that runs: what was handed on
        self.given: set[tuple[str, str]] = set()
        self.got: dict[str, dict[str, object]] = {}
        self.read: dict[str, set[str]] = {}  # of functions that were asked since the last cell
        setattr(builtins, HOOK, self.hear)

    def runs(self, file: str, tree: ast.Module, own: bool) -> None:
        """Say that a cell begins.

        Args:
            file: What its code objects call it.
            tree: Its syntax tree.
            own: Whether it is an answer or a cell that the student added.
        """
        self.read = {}
        if own:
            self.theirs[file] = Cell(tree)
        else:
            self.courses.add(file)

    @contextlib.contextmanager
    def statement(self, one: ast.stmt) -> Iterator[None]:
        """Listen while a statement at the top of a cell runs."""
        try:
            yield
        finally:
            anew = bound(one) if self.got and not isinstance(one, ast.AugAssign) else set[str]()
            for name in self.got.keys() & anew:
                del self.got[name]  # what it means now, it got here
            for name, helper in self.given:
                if name in self.space and not issubclass(type(value := self.space[name]), _SINGLE):
                    self.got.setdefault(name, {})[helper] = value
            self.heard, self.given = {}, set()

    def hear(self, helper: str) -> None:
        """Note a call of a helper function, unless code of the course's called it."""
        if helper in self.called:
            return
        frame = sys._getframe(1)
        step = frame.f_back
        while step is not None and step.f_code.co_filename not in self.theirs:
            if step.f_code.co_filename in self.courses and not _has_got(step, frame.f_code):
                return
            step = step.f_back
        if self.asked:
            self.called[helper] = None
            return
        for frame in _around(step):
            if not self._hands_on(helper, frame):
                break

    def _hands_on(self, helper: str, frame: FrameType) -> bool:
        """Note what a frame gives to names of the notebook; return whether it may hand on what the helper gave.

        Args:
            helper: The helper function that it calls, itself or through others.
            frame: The frame, the student's or anybody's.
        """
        code = frame.f_code
        cell = self.theirs.get(code.co_filename)
        if cell is None or (code.co_name.startswith("<") and code.co_name != "<module>"):  # a lambda, a comprehension
            return True
        if (key := (helper, code, frame.f_lasti)) not in self.heard:
            self.heard[key] = self._is_handed_on(helper, code, cell.statements_at(_place(frame)))
        return self.heard[key]

    def _is_handed_on(self, helper: str, code: CodeType, around: list[ast.stmt]) -> bool:
        """Note what a statement gives to names of the notebook; return whether what it got may get out of it.

        Args:
            helper: The helper function that it calls.
            code: The code that it is in.
            around: It and those around it, the innermost last.
        """
        if not around:
            return True
        if only_looks(around[-1], self._is_fixed):
            return False
        if code.co_name == "<module>":
            self.given |= {(name, helper) for name in given(around[-1], self._is_fixed)}
        elif code.co_flags & inspect.CO_OPTIMIZED:  # a function; what the body of a class binds is the class's
            own = {*code.co_varnames, *code.co_cellvars, *code.co_freevars}
            self.given |= {(name, helper) for name in given(around[-1], self._is_fixed) - own}
            return gets_out(around, own, self._is_fixed)
        return True

    def _is_fixed(self, name: str) -> bool:
        """Return whether a method of what a name means fills nothing."""
        return issubclass(type(self.space.get(name)), _NOT_FILLED)

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Listen while a test calls a function of the student's."""
        self.asked = True
        try:
            yield
        finally:
            self.asked, self.called = False, {}

    def used(self, function: str) -> list[str]:
        """Return the helper functions that a call has used so far.

        Args:
            function: The name that the test has called.
        """
        used = set(self.called)
        if self.got:
            if function not in self.read:
                self.read[function] = _reads(function, self.space)
            for name in self.got.keys() & self.read[function]:
                used |= {helper for helper, value in self.got[name].items() if value is self.space.get(name)}
        return sorted(used)[:MAX_HELPERS]


def _around(frame: FrameType | None) -> Iterator[FrameType]:
    """Yield a frame and those around it; those of the main thread, too, which waits for another one."""
    while frame is not None:
        yield frame
        frame = frame.f_back
    main = threading.main_thread().ident
    if main is not None and main != threading.get_ident():
        frame = sys._current_frames().get(main)
        while frame is not None:
            yield frame
            frame = frame.f_back


def _has_got(caller: FrameType, code: CodeType) -> bool:
    """Return whether a function was called with one that has this code: it is its caller's who calls that then."""
    of = caller.f_code
    given = (caller.f_locals.get(name) for name in of.co_varnames[: of.co_argcount + of.co_kwonlyargcount])
    return any(type(one) is FunctionType and one.__code__ is code for one in given)


def _place(frame: FrameType) -> Place:
    """Return the place of what a frame is at; of its whole line if Python was told not to keep places."""
    at = next(itertools.islice(frame.f_code.co_positions(), frame.f_lasti // 2, None), (None,) * 4)
    first, last, begin, end = at
    if first is None or last is None or begin is None or end is None:
        return frame.f_lineno, 10**6, frame.f_lineno, 0
    return first, begin, last, end


def _reads(function: str, space: dict[str, object]) -> set[str]:
    """Return the names of the notebook that a function reads, or what it calls, at any depth; the nearest first."""
    names, seen = {function}, dict[int, object]()
    waiting = deque([space.get(function)])
    while waiting and len(seen) < _MOST:
        one = waiting.popleft()
        if type(one) in _PLAIN or id(one) in seen:
            continue
        seen[id(one)] = one
        if type(one) is CodeType:
            assert isinstance(one, CodeType)  # asked first, `isinstance` would call what a class makes of `__class__`
            read = sorted({i.argval for i in dis.get_instructions(one) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")})
            names.update(read)
            waiting += [*one.co_consts, *(space[name] for name in read if name in space)]
        else:
            waiting += itertools.islice(_held(one, space), _MOST_HELD)
    return names


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
        return
    if issubclass(kind, ModuleType | HelperCalls):
        return
    if issubclass(kind, type) and type.__dict__["__dict__"].__get__(one).get("__module__") != "__main__":
        return
    yield from (part for part in gc.get_referents(one) if part is not space)
