"""Which functions of the course's helper cells a student's code uses: each of them says so when it is called.

Some of these functions know what is right, so a person should look at an answer that needs one. Names need not be
followed through code for that. Where a call came from stands on the stack: the first cell found there is whose it is.
So an answer may use a given function that needs a helper, and a function of the student's own under a helper's name is
the student's.

What a helper gave before the tests is found by name: where a statement of a cell calls it and binds a name of the
notebook, or fills what has one, and an answer reads that name, at any depth, while it still means the same object. A
statement that only shows or checks something hands nothing on, and a function that was there before holds nothing new.
A number under an attribute counts if the answer reads an attribute of that name for more than a print (`unasked.py`).

All of this happens in the student's process, so whoever wants to hide a use can. It never calls code of the student's.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import inspect
import itertools
import logging
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType, ModuleType

from .border import MAX_HELPERS
from .cells import CELLS, HOOK
from .handed_on import (
    WHOLE,
    Cell,
    Fixed,
    Follow,
    Part,
    Place,
    both,
    bound,
    fills,
    followed,
    given,
    is_all,
    method_of,
    only_looks,
)
from .sink import Sink
from .unasked import SINGLE, codes_of, is_read, keeps, reads

#: What a method fills: no module, function or class.
_NOT_FILLED = (ModuleType, FunctionType, type)
#: Its own methods write text away, which is a print.
_WRITES = (logging.Logger, Sink)

#: Says whether a method of a class puts nothing anywhere.
Looks = Callable[[type, str], bool]


@dataclass(frozen=True, eq=False, slots=True)  # known by its identity, since each call of a helper looks one up
class _Handed:
    """What a frame hands to the one around it.

    Args:
        part: Where in it that is which the helper gave.
        code: That of the function which hands it to its caller.
        filled: The part of its arguments that has it; None if it only returns it.
        bare: The same when more has been done with it, if that is another.
    """

    part: Part
    code: CodeType | None = None
    filled: Part | None = None
    bare: _Handed | None = None


#: What came from somewhere, and what the helper itself hands to its caller.
_ANYHOW = _Handed(WHOLE)
_STRAIGHT = _Handed(WHOLE, bare=_ANYHOW)


@functools.lru_cache(maxsize=1000)  # one that calls itself hands the same to itself
def _handed(part: Part, code: CodeType | None = None, filled: Part | None = None) -> _Handed:
    return _Handed(part, code, filled, None if code is None else _handed(part))


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
        self.heard: dict[tuple[str, CodeType, int, _Handed], _Handed | None] = {}  # in the statement that runs
        self.looked: dict[tuple[int, str], tuple[type, bool]] = {}  # which methods put nothing anywhere
        self.given: dict[tuple[str, str], Part] = {}
        self.made: set[tuple[str, str]] = set()  # what a helper itself returned
        self.before: dict[int, FunctionType] | None = None  # functions that the notebook had when it was first heard
        self.got: dict[str, dict[str, tuple[object, Part]]] = {}
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
            for (name, helper), part in self.given.items():
                if name in self.space and not issubclass(type(value := self.space[name]), SINGLE):
                    anywhere = part == WHOLE and (name, helper) not in self.made
                    self._gets(name, helper, value, self._part(one, value) if anywhere else part)
            self.heard, self.given, self.made, self.before, self.looked = {}, {}, set(), None, {}

    def _gets(self, name: str, helper: str, value: object, part: Part | None) -> None:
        """Note that the part of what a name means now has what a helper gave."""
        if part is None:
            return
        names = {name}
        if type(value) is FunctionType:  # what was put into it is read by whatever name it has
            names |= {other for other, meant in list(self.space.items()) if meant is value}
        for one in names:
            was, its = self.got.setdefault(one, {}).get(helper, (None, None))
            self.got[one][helper] = value, both(its if was is value else None, part)

    def _part(self, one: ast.stmt, value: object) -> Part | None:
        """Return where in a value what a statement got can be: in a function that was there before, its attributes."""
        if type(value) is not FunctionType:
            return WHOLE
        assert isinstance(value, FunctionType)
        if id(value) in (self.before or {}) or self._is_defined_in(one, value):
            return Part(value.__dict__) or None
        return WHOLE

    def _is_defined_in(self, one: ast.stmt, function: FunctionType) -> bool:
        """Return whether a function is what a statement defines, with nothing that it computes as a default."""
        code = function.__code__
        cell = self.theirs.get(code.co_filename)
        node = cell.function(code) if cell is not None and "." not in code.co_qualname else None
        if node is None or node not in ast.walk(one):
            return False
        defaults = [*node.args.defaults, *filter(None, node.args.kw_defaults)]
        plain = (ast.Constant, ast.Name, ast.UnaryOp, ast.unaryop, ast.Load)
        return all(isinstance(part, plain) for default in defaults for part in ast.walk(default))

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
        handed = _STRAIGHT
        for frame in _around(step):
            if (on := self._hands_on(helper, frame, handed)) is None:
                break
            handed = on

    def _hands_on(self, helper: str, frame: FrameType, handed: _Handed) -> _Handed | None:
        """Note what a frame gives to names of the notebook; return what it may hand on of what the helper gave.

        Args:
            helper: The helper function that it calls, itself or through others.
            frame: The frame, the student's or anybody's.
            handed: What it got.
        """
        code = frame.f_code
        cell = self.theirs.get(code.co_filename)
        if cell is None:
            return handed.bare or handed
        try:
            return self.heard[key := (helper, code, frame.f_lasti, handed)]
        except KeyError:
            on = self.heard[key] = self._is_handed_on(helper, frame, cell, handed)
            return on

    def _is_handed_on(self, helper: str, frame: FrameType, cell: Cell, handed: _Handed) -> _Handed | None:
        """Note what a statement gives to names of the notebook; return what may get out of it.

        Args:
            helper: The helper function that it calls.
            frame: The frame that it is in.
            cell: The cell that it is in.
            handed: What it got.
        """
        code = frame.f_code
        if code.co_name.startswith("<") and code.co_name != "<module>":  # a lambda, a comprehension
            return handed.bare or handed
        place = _place(frame)
        if not (around := cell.statements_at(place)):
            return _ANYHOW
        inside = bool(code.co_flags & inspect.CO_OPTIMIZED)  # a function; what the body of a class binds is the class's
        is_fixed = self._fixed(code, _kind_of_first(frame)) if inside else self._fixed()
        gives, whose = None, self._whose(frame, *method_of(around[-1], place), handed.code)
        if whose and handed.filled is not None:
            gives = {whose: handed.filled}
        elif whose or only_looks(around[-1], is_fixed):
            return None
        if code.co_name == "<module>":
            if self.before is None:
                self.before = {id(one): one for one in list(self.space.values()) if type(one) is FunctionType}
            names = given(around[-1], is_fixed, handed.part) if gives is None else gives
            self._give(helper, names)
            if handed is _STRAIGHT and is_all(around[-1], place):
                self.made |= {(name, helper) for name in names}
        elif inside:
            return self._gets_out(helper, code, followed(around, _own(code), is_fixed, handed.part, gives))
        return handed.bare or handed

    def _gets_out(self, helper: str, code: CodeType, follow: Follow) -> _Handed | None:
        """Note what a function gives to names of the notebook; return what it hands to its caller."""
        self._give(helper, follow.names)
        if follow.returned is not None and keeps(self.space.get(code.co_name), code):
            self._give(helper, {code.co_name: WHOLE})
        if follow.filled is None and follow.returned is None:
            return None
        parts = [part for part in (follow.returned, follow.filled) if part is not None]
        part = both(*parts) if len(parts) == 2 else parts[0]
        waits = code.co_flags & (inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
        return _handed(part) if waits else _handed(part, code, follow.filled)

    def _whose(self, frame: FrameType, name: str, method: str, code: CodeType | None) -> str:
        """Return the name in a frame whose method, called by it or by `super()`, has this code; else nothing."""
        of = frame.f_code
        inside = bool(of.co_flags & inspect.CO_OPTIMIZED)
        name = of.co_varnames[0] if name == "super" and inside and of.co_argcount else name
        if not name or code is None:
            return ""
        value = (frame.f_locals if inside and name in _own(of) else self.space).get(name)
        return name if code in codes_of(type(value), method) else ""

    def _give(self, helper: str, names: dict[str, Part]) -> None:
        for name, part in names.items():
            self.given[name, helper] = both(self.given.get((name, helper)), part)

    def _fixed(self, code: CodeType | None = None, kind: type | None = None, looks: Looks | None = None) -> Fixed:
        """Make what says whether a method fills nothing, by what a name of the notebook or a first argument means.

        Args:
            code: That of the student's function that has the names; None at the top of a cell.
            kind: The type of the function's first argument.
            looks: What says so of the methods of a class.
        """
        own = _own(code) if code is not None else set[str]()
        first = code.co_varnames[:1] if code is not None and code.co_argcount else ()
        looks = looks or self._looks

        def is_fixed(name: str, method: str) -> bool:
            of = kind if name in first else type(self.space.get(name))
            if of is None or (name in own and name not in first):
                return False
            if name not in own and issubclass(of, _NOT_FILLED):
                return True
            return bool(method) and (issubclass(of, _WRITES) or looks(of, method))

        return is_fixed

    def _looks(self, kind: type, method: str) -> bool:
        """Return whether a method of a class of the student's puts nothing anywhere, nor do those that it calls."""
        if (id(kind), method) not in self.looked:  # by identity, since a class of the student's may say what it equals
            reached, asked = [(kind, method)], {(id(kind), method)}

            def reach(kind: type, method: str) -> bool:
                if (id(kind), method) not in asked:
                    asked.add((id(kind), method))
                    reached.append((kind, method))
                return True

            looks = all(self._looks_alone(*one, reach) for one in reached)
            self.looked |= {(id(of), name): (of, looks) for of, name in (reached if looks else reached[:1])}
        return self.looked[id(kind), method][1]

    def _looks_alone(self, kind: type, method: str, looks: Looks) -> bool:
        code = next(codes_of(kind, method), None)
        cell = self.theirs.get(code.co_filename) if code is not None else None
        node = cell.function(code) if code is not None and cell is not None else None
        return node is not None and not fills(node, self._fixed(code, kind, looks))

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
                self.read[function] = reads(function, self.space, self.theirs, self)
            for name in self.got.keys() & self.read[function]:
                now, read = self.space.get(name), self.read[function]
                of = self.got[name].items()
                used |= {helper for helper, (value, part) in of if value is now and is_read(value, part, read)}
        return sorted(used)[:MAX_HELPERS]


def _own(code: CodeType) -> set[str]:
    """Return the names that a function has to itself."""
    return {*code.co_varnames, *code.co_cellvars, *code.co_freevars}


def _kind_of_first(frame: FrameType) -> type | None:
    """Return the type of a function's first argument."""
    code = frame.f_code
    return type(frame.f_locals.get(code.co_varnames[0])) if code.co_argcount else None


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
