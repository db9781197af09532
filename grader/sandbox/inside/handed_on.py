"""What a statement does with what a call in it gave: which names get that, and whether it leaves the function.

What leaves a function is kept apart from what it puts into names of the notebook: whoever calls the function is handed
the former, and the latter is found by the names.

This is read off the syntax tree, and no further than it can be read: values are followed through the names of one
function, in the order of its lines, with loops gone through twice.
"""

from __future__ import annotations

import ast
import builtins
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import CodeType

#: The place of an expression in a cell: its first line and column, and its last ones.
Place = tuple[int, int, int, int]
#: Says that a method fills nothing: of a name, and which method if it is one of what the name means.
Fixed = Callable[[str, str], bool]
#: Attributes of an object; what a helper gave is in these and nowhere else in it.
Part = frozenset[str]
#: It may be anywhere in the object, or be the object.
WHOLE = Part()

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINED = (*_FUNCTION, ast.ClassDef)
_LOOP = (ast.For, ast.AsyncFor, ast.While)
#: What `super()`, `vars(x)` and their like begin with: they lead to what came in.
_BUILT_IN = frozenset(dir(builtins))
_COMPREHENSION = (ast.ListComp, ast.SetComp)


def both(one: Part | None, other: Part) -> Part:
    """Return what an object holds that has both parts, the first one perhaps not."""
    if one is None:
        return other
    return one | other if one and other else WHOLE


class Cell:
    """A cell of the student's.

    Args:
        tree: Its syntax tree.
    """

    def __init__(self, tree: ast.Module):
        self.body = tree.body
        self._begin = [_begin(one)[0] for one in tree.body]

    def function(self, code: CodeType) -> ast.FunctionDef | None:
        """Return the function that has a code object, if it is one of this cell."""
        of = code.co_name, code.co_firstlineno
        for top in self.body[: bisect_right(self._begin, code.co_firstlineno)]:
            for one in ast.walk(top) if (top.end_lineno or 0) >= code.co_firstlineno else ():
                if isinstance(one, ast.FunctionDef) and (one.name, _begin(one)[0]) == of:
                    return one
        return None

    @cached_property
    def _shown(self) -> list[ast.stmt]:
        return [one for top in self.body for one in ast.walk(top) if isinstance(one, ast.stmt) and _shows(one)]

    def shows(self, place: Place) -> bool:
        """Return whether what is read at a place is printed, or decides whether an error is raised, and no more."""
        return any(_holds(one, place) for one in self._shown)

    def statements_at(self, place: Place) -> list[ast.stmt]:
        """Return the statements that a place is in, the innermost last; a decorator is in what it decorates."""
        first = bisect_right(self._begin, place[0])
        tops = [one for one in self.body[:first] if _holds(one, place)] if first else []
        return [one for top in tops for one in ast.walk(top) if isinstance(one, ast.stmt) and _holds(one, place)]


def _begin(one: ast.stmt) -> tuple[int, int]:
    decorators: list[ast.expr] = getattr(one, "decorator_list", [])
    return min([(one.lineno, one.col_offset), *((d.lineno, d.col_offset) for d in decorators)])


def _holds(one: ast.stmt, place: Place) -> bool:
    return _begin(one) <= place[:2] and place[2:] <= (one.end_lineno or one.lineno, one.end_col_offset or 0)


def _shows(one: ast.stmt) -> bool:
    if any(isinstance(part, ast.NamedExpr) for part in ast.walk(one)):
        return False  # what it reads has a name from then on
    match one:
        case ast.Expr(ast.Call(ast.Name("print"))):
            return True
        case ast.If(body=body, orelse=orelse):
            return all(map(_shows, [*body, *orelse]))
    return isinstance(one, ast.Assert | ast.Raise | ast.Pass)


def only_looks(one: ast.stmt, is_fixed: Fixed) -> bool:
    """Return whether a statement hands nothing on: it shows or checks something, or decides what is run.

    A method that is called on a line of its own may fill what it is one of.
    """
    if any(isinstance(part, ast.Yield | ast.YieldFrom | ast.NamedExpr) for part in _alone(one)):
        return False
    if isinstance(one, ast.Expr) and _filled(one, is_fixed):
        return False
    return isinstance(one, ast.Expr | ast.Assert | ast.If | ast.While | ast.Raise | ast.Delete)


def given(one: ast.stmt, is_fixed: Fixed, part: Part) -> dict[str, Part]:
    """Return the names that a statement binds, or gives an attribute or an item, or calls a method of.

    Args:
        one: The statement.
        is_fixed: Whether a method fills nothing.
        part: Where in what the statement got that is which is followed.

    Returns:
        Each with the part of what it means that has it then.
    """
    names = dict.fromkeys(bound(one), part)
    for name, filled in _filled(one, is_fixed).items():
        names[name] = both(names.get(name), filled)
    return names


def bound(one: ast.stmt) -> set[str]:
    """Return the names that a statement binds, without the statements in it."""
    names = {one.name} if isinstance(one, _DEFINED) else set[str]()
    for node in _alone(one):
        match node:
            case ast.Name(id=name, ctx=ast.Store()):
                names.add(name)
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                names.add(name)
    return names


def _filled(one: ast.stmt, is_fixed: Fixed) -> dict[str, Part]:
    names = dict[str, Part]()
    for node in _alone(one):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            part = Part([node.attr]) if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) else WHOLE
            for name in _root(node):
                names[name] = both(names.get(name), part)
    for name, method in _methods(one):
        if not is_fixed(name, method):
            names[name] = WHOLE
    return names


def _methods(one: ast.stmt) -> Iterator[tuple[str, str]]:
    """Yield whose method a statement calls on a line of its own, and which one; for each of something, too."""
    if not isinstance(one, ast.Expr):
        return
    call, own = one.value, set[str]()
    while isinstance(call, _COMPREHENSION):
        own |= {n.id for part in call.generators for n in ast.walk(part.target) if isinstance(n, ast.Name)}
        call = call.elt
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
        method = call.func.attr if isinstance(call.func.value, ast.Name) else ""
        yield from ((name, method) for name in _root(call) - own)


def method_of(one: ast.stmt, place: Place) -> tuple[str, str]:
    """Return whose method a statement calls, and which, if it does nothing but this call; else empty texts."""
    match one:
        case ast.Expr(ast.Call(ast.Attribute(ast.Name(name) | ast.Call(ast.Name("super" as name)), method))):
            return (name, method) if is_all(one, place) else ("", "")
    return "", ""


def is_all(one: ast.stmt, place: Place) -> bool:
    """Return whether a call is the whole value of a statement; a decorator is, as it makes what is defined."""
    whole = one.decorator_list if isinstance(one, _DEFINED) else [getattr(one, "value", None)]
    return any(place == (v.lineno, v.col_offset, v.end_lineno, v.end_col_offset) for v in whole if v is not None)


def fills(method: ast.FunctionDef, is_fixed: Fixed) -> bool:
    """Return whether a method may put something into what it is one of, into another argument or into a global.

    Args:
        method: The method.
        is_fixed: Whether one that it calls fills nothing.
    """
    inside = [one for one in ast.walk(method) if isinstance(one, ast.stmt) and one is not method]
    arguments = [node.arg for node in ast.walk(method.args) if isinstance(node, ast.arg)]
    calls = [node for node in ast.walk(method) if isinstance(node, ast.Call)]
    if any(isinstance(one, ast.Global | ast.Nonlocal) for one in inside):
        return True
    if any(_fills_whose(call, name, is_fixed) for name in arguments[:1] for call in calls):
        return True
    own = set[str]().union(*map(bound, inside)).difference(arguments)
    for one in inside:  # another name of what comes from elsewhere
        if isinstance(one, ast.Assign | ast.AnnAssign) and one.value is not None:
            own -= bound(one) if _root(one.value) & {*arguments} else set()
        elif isinstance(one, ast.For | ast.With):
            own -= bound(one)
    return any(_filled(one, is_fixed).keys() - own for one in inside)


def _fills_whose(call: ast.Call, name: str, is_fixed: Fixed) -> bool:
    """Return whether a call may put something into what has a name: it is a method of that, or is handed that."""
    func = call.func
    if isinstance(func, ast.Attribute) and name in _root(func):
        return not (isinstance(func.value, ast.Name) and is_fixed(name, func.attr))
    handed = any(isinstance(one, ast.Name) and one.id == name for one in call.args)
    return handed and not (isinstance(func, ast.Name) and func.id == "print")


def _read(one: ast.stmt) -> set[str]:
    """Return the names that a statement reads, also in a lambda, and in what it defines unless that only looks."""
    if isinstance(one, _DEFINED):
        inner = [part for part in ast.walk(one) if isinstance(part, ast.stmt) and part is not one]
        own = set[str]().union(*map(bound, inner))
        own |= {node.arg for node in ast.walk(one) if isinstance(node, ast.arg)}
        return set[str]().union(
            *(_loaded(part) for part in inner if not only_looks(part, lambda *of: True))
        ) - own | _loaded(one)
    return _loaded(one)


def _loaded(one: ast.stmt) -> set[str]:
    nodes = [*_alone(one, lambdas=True)]
    into = {_first(node) for node in nodes if isinstance(node, ast.Attribute | ast.Subscript) and _is_target(node)}
    names = [node for node in nodes if isinstance(node, ast.Name) and node not in into]
    return {node.id for node in names if not _is_target(node)}


def _is_target(node: ast.Attribute | ast.Subscript | ast.Name) -> bool:
    return not isinstance(node.ctx, ast.Load)


def _alone(one: ast.stmt, lambdas: bool = False) -> Iterator[ast.AST]:
    """Yield the nodes of a statement, but not what statements in it, lambdas and targets of comprehensions have."""
    waiting: list[ast.AST] = [one]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.comprehension):
            waiting += [node.iter, *node.ifs]
        elif lambdas or not isinstance(node, ast.Lambda):
            waiting += [child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt)]


def _root(node: ast.AST) -> set[str]:
    """Return the name that `a.b[c].d` or a call of it begins with, none if it begins with another expression."""
    first = _first(node)
    return {first.id} if isinstance(first, ast.Name) else set()


def _first(node: ast.AST) -> ast.AST:
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node


def followed(
    around: list[ast.stmt], own: set[str], is_fixed: Fixed, part: Part, gives: dict[str, Part] | None = None
) -> Follow:
    """Follow what a statement in a function got, to where it leaves that.

    Args:
        around: The statement and those around it, the innermost last.
        own: Names that the function has to itself.
        is_fixed: Whether a method fills nothing.
        part: Where in what it got that is which is followed.
        gives: Names that it gives parts, if that is known.
    """
    function = next((one for one in reversed(around[:-1]) if isinstance(one, _FUNCTION)), None)
    if function is None:
        return Follow(set(), own, is_fixed, returned=WHOLE, filled=WHOLE)
    inside = list(_inside(function))
    follow = Follow({node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}, own, is_fixed)
    begin = inside.index(around[-1]) if around[-1] in inside else 0
    follow.take(around[-1], part, gives)
    loops = any(isinstance(one, _LOOP) for one in around[around.index(function) : -1])
    for one in [*inside[begin + 1 :], *(inside if loops else ())]:
        hit = None
        for name in _read(one) & follow.reached.keys():
            hit = both(hit, follow.reached[name])
        follow.take(one, hit)
    return follow


def _inside(function: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements of a function in the order of its lines, but not those of functions and classes in it."""
    for child in ast.iter_child_nodes(function):
        within = child if isinstance(child, ast.stmt) else None
        if within is not None:
            yield within
        if not isinstance(child, _DEFINED):
            yield from _inside(child)  # type: ignore[arg-type]


@dataclass
class Follow:
    """Follows what one statement of a function got.

    Args:
        came: Names of the function's arguments.
        own: Names that it has to itself.
        is_fixed: Whether a method fills nothing.
        returned: The part of what it returns or yields that has it; None if it does not.
        filled: Likewise of what came in.
    """

    came: set[str]
    own: set[str]
    is_fixed: Fixed
    returned: Part | None = None
    filled: Part | None = None

    def __post_init__(self) -> None:
        self.reached = dict[str, Part]()
        self.names = dict[str, Part]()  # those of the notebook that get it

    def take(self, one: ast.stmt, part: Part | None, gives: dict[str, Part] | None = None) -> None:
        """Take the next statement.

        Args:
            one: The statement.
            part: Where in what it reads that is which is followed; None if it is not there.
            gives: Names that it gives parts, if that is known.
        """
        if part is None:
            for name in bound(one) if isinstance(one, ast.Assign | ast.AnnAssign) else ():
                self.reached.pop(name, None)
        elif isinstance(one, ast.Return):
            self.returned = both(self.returned, part)
        elif any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _alone(one)):
            self.returned = WHOLE
        elif gives is not None or not only_looks(one, self.is_fixed):
            filled = _filled(one, self.is_fixed) if gives is None else gives
            for name in filled.keys() & (self.came | _BUILT_IN - self.own):
                self.filled = both(self.filled, filled[name])
            for name, got in (given(one, self.is_fixed, part) if gives is None else gives).items():
                self.reached[name] = both(self.reached.get(name), got)
                if name not in self.own:
                    self.names[name] = both(self.names.get(name), got)
