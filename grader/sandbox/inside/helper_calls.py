"""Which functions of the course's helper cells a student's code uses: each of them says so when it is called.

Some of these functions know what is right, so a person should look at an answer that needs one. Names need not be
followed through code for that. Where a call came from stands on the stack: the first cell found there is whose it is.
So an answer may use a given function that needs a helper, and a function of the student's own under a helper's name is
the student's. What a helper gave before the tests is found by the names that its statement bound or filled, if the
answer reads one of them, at any depth.

All of this happens in the student's process, so whoever wants to hide a use can.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import dis
import functools
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, FunctionType, MethodType

from .border import MAX_HELPERS
from .cells import CELLS, HOOK

#: Most objects that are looked through for the names that an answer reads.
_MOST = 10_000


class HelperCalls:
    """Listens to the helper functions of one process.

    Args:
        space: The names of the notebook.
    """

    def __init__(self, space: dict[str, object]):
        self.space = space
        self.courses = {code.co_filename for code in CELLS if isinstance(code, CodeType)}
        self.theirs: set[str] = set()
        self.statement: ast.stmt | None = None
        self.asked = False
        self.called: dict[str, None] = {}
        self.got: dict[str, set[str]] = {}
        self.read: dict[str, set[str]] = {}  # of functions that were asked since the last cell
        setattr(builtins, HOOK, self.hear)

    def runs(self, file: str, own: bool) -> None:
        """Say that a cell begins.

        Args:
            file: What its code objects call it.
            own: Whether it is an answer or a cell that the student added.
        """
        (self.theirs if own else self.courses).add(file)
        self.read = {}

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
        elif step is not None and self.statement is not None:
            for name in _given(self.statement, _line(step, self.theirs), helper):
                self.got.setdefault(name, set()).add(helper)

    @contextlib.contextmanager
    def asking(self) -> Iterator[None]:
        """Listen while a test calls a function of the student's."""
        self.asked, self.called = True, {}
        try:
            yield
        finally:
            self.asked = False

    def used(self, function: str) -> list[str]:
        """Return the helper functions that a call has used so far.

        Args:
            function: The name that the test has called.
        """
        used = set(self.called)
        if self.got:
            if function not in self.read:
                self.read[function] = _reads(function, self.space)
            used = used.union(*(self.got.get(name, ()) for name in self.read[function]))
        return sorted(used)[:MAX_HELPERS]


def _has_got(caller: FrameType, code: CodeType) -> bool:
    """Return whether a function was called with one that has this code: it is its caller's who calls that then."""
    given = caller.f_code.co_varnames[: caller.f_code.co_argcount]
    return any(getattr(caller.f_locals.get(name), "__code__", None) is code for name in given)


def _line(step: FrameType, files: set[str]) -> int:
    """Return the line of the outermost frame that belongs to some files: where the cell itself is."""
    line, above = step.f_lineno, step.f_back
    while above is not None:
        line = above.f_lineno if above.f_code.co_filename in files else line
        above = above.f_back
    return line


def _given(statement: ast.stmt, line: int, helper: str) -> set[str]:
    """Return the names that what stands in a line binds, or gives an attribute or an item; a bare call gives nothing.

    Args:
        statement: A statement at the top of a cell.
        line: The line, of this statement or of one in it.
        helper: The helper function that it calls.
    """
    within = [one for one in ast.walk(statement) if isinstance(one, ast.stmt) and _first(one) <= line <= _last(one)]
    one = max(within, key=_first, default=statement)
    names = {one.name} if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else set[str]()
    match one:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name))) if name == helper:
            return names
    for node in _alone(one):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()) | ast.Call(func=ast.Attribute()):
                names |= _root(node)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                names.add(name)
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
    waiting = [space.get(function)]
    while waiting and len(seen) < _MOST:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen[id(one)] = one
        match one:
            case FunctionType() if one.__module__ != "__main__":
                waiting.append(getattr(one, "__wrapped__", None))
            case FunctionType():
                defaults = [*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values()]
                waiting += [one.__code__, *defaults, *_contents(one), *vars(one).values()]
            case CodeType():
                read = {i.argval for i in dis.get_instructions(one) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
                names |= read
                waiting += [*one.co_consts, *(space[name] for name in read if name in space)]
            case MethodType():
                waiting += [one.__func__, one.__self__]
            case staticmethod() | classmethod() | property():
                waiting.append(one.fget if isinstance(one, property) else one.__func__)
            case functools.partial():
                waiting += [one.func, *one.args, *one.keywords.values()]
            case type():
                waiting += vars(one).values() if one.__module__ == "__main__" else ()
            case list() | tuple():
                waiting += one[:100]
            case dict():
                waiting += [*one.values()][:100]
            case _:
                waiting.append(getattr(one, "__wrapped__", None))
                waiting += [type(one), *vars(one).values()] if _is_own(one) else ()
    return names


def _is_own(one: object) -> bool:
    return type(one).__module__ == "__main__" and hasattr(one, "__dict__")


def _contents(function: FunctionType) -> Iterator[object]:
    """Yield what the names of the functions around one mean in it."""
    for cell in function.__closure__ or ():
        with contextlib.suppress(ValueError):  # nothing yet
            yield cell.cell_contents
