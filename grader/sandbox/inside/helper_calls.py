"""Which functions of the course's helper cells a student's code uses: each of them says so when it is called.

Some of these functions know what is right, so a person should look at an answer that needs one. Names need not be
followed through code for that. Where a call came from stands on the stack: the first cell found there is whose it is.
So an answer may use a given function that needs a helper, and a function of the student's own under a helper's name is
the student's.

What a helper gave before the tests is found by name: where a line of a cell calls it and binds a name of the notebook,
or fills what has one, and an answer reads that name, at any depth, while it still means the same object.

All of this happens in the student's process, so whoever wants to hide a use can. It never calls code of the student's.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import functools
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, MethodType, ModuleType

from .border import MAX_HELPERS
from .cells import CELLS, HOOK

#: Most objects that are looked through for the names that an answer reads.
_MOST = 5_000
#: What says nothing of where it came from: there is one of each.
_SINGLE = (bool, type(None))
#: What a method fills: no module, function or class.
_NOT_FILLED = (ModuleType, FunctionType, type)


class HelperCalls:
    """Listens to the helper functions of one process.

    Args:
        space: The names of the notebook.
    """

    def __init__(self, space: dict[str, object]):
        self.space = space
        self.courses = {code.co_filename for code in CELLS if isinstance(code, CodeType)}
        self.theirs: dict[str, ast.Module] = {}
        self.now = "", 0  # the cell and the line of the statement that runs
        self.asked = False
        self.called: dict[str, None] = {}
        self.lines: set[tuple[str, str, int]] = set()  # heard in the statement that runs
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
            self.theirs[file] = tree
        else:
            self.courses.add(file)

    @contextlib.contextmanager
    def statement(self, file: str, line: int) -> Iterator[None]:
        """Listen while a statement at the top of a cell runs."""
        self.now = file, line
        try:
            yield
        finally:
            for name, helper in self.given:
                if name in self.space and not issubclass(type(value := self.space[name]), _SINGLE):
                    self.got.setdefault(name, {})[helper] = value
            self.now = "", 0
            self.lines, self.given = set(), set()

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
        file, line = self.now
        if step is None and file in self.theirs:  # in another thread
            self._note(helper, file, line, ())
        while step is not None:
            code = step.f_code
            if code.co_filename in self.theirs:
                own = () if code.co_name == "<module>" else (*code.co_varnames, *code.co_cellvars, *code.co_freevars)
                self._note(helper, code.co_filename, step.f_lineno, own)
            step = step.f_back

    def _note(self, helper: str, file: str, line: int, own: tuple[str, ...]) -> None:
        """Note what a line of the student's that calls a helper function gives to names of the notebook.

        Args:
            helper: The helper function.
            file: The cell.
            line: The line.
            own: Names that a function has to itself.
        """
        if (helper, file, line) not in self.lines:
            self.lines.add((helper, file, line))
            self.given |= {(name, helper) for name in _given(self.theirs[file], line, self.space) - set(own)}

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


def _has_got(caller: FrameType, code: CodeType) -> bool:
    """Return whether a function was called with one that has this code: it is its caller's who calls that then."""
    of = caller.f_code
    given = (caller.f_locals.get(name) for name in of.co_varnames[: of.co_argcount + of.co_kwonlyargcount])
    return any(type(one) is FunctionType and one.__code__ is code for one in given)


def _given(tree: ast.Module, line: int, space: dict[str, object]) -> set[str]:
    """Return the names that what stands in a line of a cell binds, or gives an attribute or an item.

    A method that is called on a line of its own may fill what it is one of.

    Args:
        tree: The cell.
        line: The line.
        space: The names of the notebook.
    """
    within = [one for one in ast.walk(tree) if isinstance(one, ast.stmt) and _first(one) <= line <= _last(one)]
    if not within:
        return set()
    one = max(within, key=_first)
    names = {one.name} if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else set[str]()
    for node in _alone(one):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                names |= _root(node)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                names.add(name)
    if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Attribute):
        names |= {name for name in _root(one.value) if not issubclass(type(space.get(name)), _NOT_FILLED)}
    return names


def _first(one: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(one, "decorator_list", [])
    return min([one.lineno, *(decorator.lineno for decorator in decorators)])


def _last(one: ast.stmt) -> int:
    return one.end_lineno or one.lineno


def _alone(one: ast.stmt) -> Iterator[ast.AST]:
    """Yield the nodes of a statement without those of the statements in it."""
    waiting: list[ast.AST] = [one]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _root(node: ast.AST) -> set[str]:
    """Return the name that `a.b[c].d` or a call of it begins with, none if it begins with another expression."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def _reads(function: str, space: dict[str, object]) -> set[str]:
    """Return the names of the notebook that a function reads, or what it calls, at any depth."""
    names, seen = {function}, dict[int, object]()
    waiting: list[object] = [space.get(function)]
    while waiting and len(seen) < _MOST:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        if type(one) is CodeType:
            assert isinstance(one, CodeType)  # asked first, `isinstance` would call what a class makes of `__class__`
            read = {i.argval for i in dis.get_instructions(one) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
            names |= read
            waiting += [*one.co_consts, *(space[name] for name in read if name in space)]
        else:
            waiting += _parts(one)
    return names


def _parts(one: object) -> Iterator[object]:
    """Yield what an object holds that may be called with it; methods of the student's own are not asked."""
    kind = type(one)
    if kind in (list, tuple, set, frozenset):
        yield from one  # type: ignore[misc]
    elif kind is dict:
        yield from one.values()  # type: ignore[attr-defined]
    elif kind is FunctionType:
        assert isinstance(one, FunctionType)
        if one.__module__ == "__main__":
            yield one.__code__
        yield from (*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values(), *one.__dict__.values())
        for cell in one.__closure__ or ():
            with contextlib.suppress(ValueError):  # nothing yet
                yield cell.cell_contents
    elif kind is MethodType:
        yield from (one.__func__, one.__self__)  # type: ignore[attr-defined]
    elif kind in (staticmethod, classmethod):
        yield one.__func__  # type: ignore[attr-defined]
    elif kind is property:
        yield one.fget  # type: ignore[attr-defined]
    elif kind is functools.partial:
        yield from (one.func, *one.args, *one.keywords.values())  # type: ignore[attr-defined]
    elif issubclass(kind, type):
        for base in type.__dict__["__mro__"].__get__(one):
            within = type.__dict__["__dict__"].__get__(base)
            yield from within.values() if within.get("__module__") == "__main__" else ()
    elif not issubclass(kind, ModuleType):
        yield kind
        with contextlib.suppress(AttributeError):
            yield from object.__getattribute__(one, "__dict__").values()
