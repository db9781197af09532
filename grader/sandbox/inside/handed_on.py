"""What a statement does with what a call in it gave: which names get that, and whether it leaves the function.

This is read off the syntax tree, and no further than it can be read: values are followed through the names of one
function, in the order of its lines, with loops gone through twice.
"""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass

#: The place of an expression in a cell: its first line and column, and its last ones.
Place = tuple[int, int, int, int]
#: Says of a name of the notebook that a method of it fills nothing: a module, a function, a class.
Fixed = Callable[[str], bool]

_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINED = (*_FUNCTION, ast.ClassDef)
_LOOP = (ast.For, ast.AsyncFor, ast.While)


class Cell:
    """A cell of the student's.

    Args:
        tree: Its syntax tree.
    """

    def __init__(self, tree: ast.Module):
        self.body = tree.body
        self._begin = [_begin(one)[0] for one in tree.body]

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


def only_looks(one: ast.stmt, is_fixed: Fixed) -> bool:
    """Return whether a statement hands nothing on: it shows or checks something, or decides what is run.

    A method that is called on a line of its own may fill what it is one of.
    """
    if any(isinstance(part, ast.Yield | ast.YieldFrom | ast.NamedExpr) for part in _alone(one)):
        return False
    if isinstance(one, ast.Expr) and _filled(one, is_fixed):
        return False
    return isinstance(one, ast.Expr | ast.Assert | ast.If | ast.While | ast.Raise | ast.Delete)


def given(one: ast.stmt, is_fixed: Fixed) -> set[str]:
    """Return the names that a statement binds, or gives an attribute or an item, or calls a method of."""
    return bound(one) | _filled(one, is_fixed)


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


def _filled(one: ast.stmt, is_fixed: Fixed) -> set[str]:
    names = set[str]()
    for node in _alone(one):
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store):
            names |= _root(node)
    if isinstance(one, ast.Expr) and isinstance(one.value, ast.Call) and isinstance(one.value.func, ast.Attribute):
        names |= {name for name in _root(one.value) if not is_fixed(name)}
    return names


def _read(one: ast.stmt) -> set[str]:
    """Return the names that a statement reads, also in a lambda, and in what it defines unless that only looks."""
    if isinstance(one, _DEFINED):
        inner = [part for part in ast.walk(one) if isinstance(part, ast.stmt) and part is not one]
        own = set[str]().union(*map(bound, inner))
        own |= {node.arg for node in ast.walk(one) if isinstance(node, ast.arg)}
        return set[str]().union(*(_loaded(part) for part in inner if not only_looks(part, lambda name: True))) - own
    return _loaded(one)


def _loaded(one: ast.stmt) -> set[str]:
    nodes = _alone(one, lambdas=True)
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


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
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


def gets_out(around: list[ast.stmt], own: set[str], is_fixed: Fixed) -> bool:
    """Return whether what a statement in a function got leaves that: it is returned, or put into what came in.

    Args:
        around: The statement and those around it, the innermost last.
        own: Names that the function has to itself.
        is_fixed: Says of a name of the notebook that a method of it fills nothing.
    """
    function = next((one for one in reversed(around[:-1]) if isinstance(one, _FUNCTION)), None)
    if function is None:
        return True
    inside = list(_inside(function))
    follow = _Follow({node.arg for node in ast.walk(function.args) if isinstance(node, ast.arg)}, own, is_fixed)
    begin = inside.index(around[-1]) if around[-1] in inside else 0
    follow.take(around[-1], True)
    loops = any(isinstance(one, _LOOP) for one in around[around.index(function) : -1])
    for one in [*inside[begin + 1 :], *(inside if loops else ())]:
        follow.take(one, bool(_read(one) & follow.reached))
    return follow.out


def _inside(function: ast.stmt) -> Iterator[ast.stmt]:
    """Yield the statements of a function in the order of its lines, but not those of functions and classes in it."""
    for child in ast.iter_child_nodes(function):
        within = child if isinstance(child, ast.stmt) else None
        if within is not None:
            yield within
        if not isinstance(child, _DEFINED):
            yield from _inside(child)  # type: ignore[arg-type]


@dataclass
class _Follow:
    """Follows what one statement of a function got.

    Args:
        came: Names of the function's arguments.
        own: Names that it has to itself.
        is_fixed: As in `gets_out`.
    """

    came: set[str]
    own: set[str]
    is_fixed: Fixed

    def __post_init__(self) -> None:
        self.reached, self.out = set[str](), False

    def take(self, one: ast.stmt, hit: bool) -> None:
        """Take the next statement.

        Args:
            one: The statement.
            hit: Whether it has what is followed.
        """
        if not hit:
            self.reached -= bound(one) if isinstance(one, ast.Assign | ast.AnnAssign) else set()
        elif isinstance(one, ast.Return) or any(isinstance(part, ast.Yield | ast.YieldFrom) for part in _alone(one)):
            self.out = True
        elif not only_looks(one, self._is_fixed):
            filled = _filled(one, self._is_fixed)
            self.out = self.out or bool(filled - self.own or filled & self.came)
            self.reached |= (filled | bound(one)) & self.own

    def _is_fixed(self, name: str) -> bool:
        return name not in self.own and self.is_fixed(name)
