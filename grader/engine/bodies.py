"""What stands in the bodies of loops, branches, `with` and `try`, and what of it gives something an item."""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Set
from dataclasses import dataclass
from typing import TypeVar, cast

from grader.core.names import may_bind, root_of
from grader.engine.surely import COMPOUND

_Node = TypeVar("_Node", bound=ast.AST)
_WITH_BODY = (*COMPOUND, ast.ExceptHandler, ast.match_case)
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_DEEP = 100


def without_bare_calls(statement: ast.stmt, ours: Set[str]) -> ast.stmt:
    """Return a statement without its calls of helper functions on lines of their own, also in a loop or a branch."""
    try:
        if any(_bare_call(node, ours) for node in ast.walk(statement)):
            return cast(ast.stmt, _calls_left_out(statement, ours))
    except RecursionError:
        pass
    return statement


def _calls_left_out(node: ast.AST, ours: Set[str]) -> ast.AST:
    """Return a copy of a node; of a call of a helper function on a line of its own, what that is called with."""
    if call := _bare_call(node, ours):
        parts = [*call.args, *(word.value for word in call.keywords)]
        return ast.Expr(ast.Tuple(parts, ast.Load()))
    if not isinstance(node, _WITH_BODY):
        return node
    node = copy.copy(node)
    for name in _BODIES:
        if inner := getattr(node, name, None):
            setattr(node, name, [_calls_left_out(one, ours) for one in inner])
    return node


def _bare_call(node: ast.AST, ours: Set[str]) -> ast.Call | None:
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id=name)) as call) if name in ours:
            return call
    return None


@dataclass(frozen=True)
class Part:
    """A part of a compound statement: a statement without a body of its own, or the head of one that has some.

    Args:
        node: The statement or the head.
        heads: The heads around it.
        binds: The names that it may bind.
    """

    node: ast.AST
    heads: tuple[Part, ...] = ()
    binds: Set[str] = frozenset()


class Parts:
    """The parts of a compound statement, if any of them gives something an item or an attribute.

    Args:
        statement: The statement.
        filling: What gives an item or an attribute to something that the statement does not bind, by that one's name.
            It is the part with the heads around it. What else stands there gives it nothing.
        binding: What may bind a name or fill what that stands for, the same way.
    """

    def __init__(self, statement: ast.stmt) -> None:
        self.statement = statement
        self.filling: dict[str, dict[int, Part]] = {}
        self.binding: dict[str, dict[int, Part]] = {}
        self._often = Counter[str]()
        if isinstance(statement, COMPOUND) and any(map(_filled_by, ast.walk(statement))):
            self._read()
            for name in self.filling.keys() & self.binding.keys():
                self.binding[name] |= self.filling.pop(name)
            self.filling.pop("", None)

    def _read(self) -> None:
        waiting: list[tuple[ast.AST, tuple[Part, ...]]] = [(self.statement, ())]
        while waiting:
            node, heads = waiting.pop()
            part = self._add(node, heads)
            if isinstance(node, _WITH_BODY):
                # Deeper than code can be indented, as in a long `elif`, the whole is as good.
                around = heads if len(heads) > _DEEP else (*heads, part)
                waiting += ((inner, around) for name in _BODIES for inner in getattr(node, name, ()))
            if isinstance(node, ast.Try | ast.TryStar):  # what `except` gives a name may come out of all its body
                for name in {handler.name for handler in node.handlers if handler.name}:
                    self._note(self.binding, name, Part(node, heads))

    def _add(self, node: ast.AST, heads: tuple[Part, ...]) -> Part:
        """Add a part; return it."""
        one = without_bodies(node)
        names = frozenset[str]() if isinstance(one, ast.ExceptHandler) else may_bind(one)
        part = Part(one if isinstance(node, _WITH_BODY) else node, heads, names)
        for name in names:
            self._note(self.binding, name, part)
        for name in _filled_by(node):
            self._note(self.filling, name, part)
        return part

    def _note(self, where: dict[str, dict[int, Part]], name: str, part: Part) -> None:
        self._often[name] += 1
        parts = (part, *part.heads) if len(part.heads) <= _DEEP else (Part(self.statement),)
        where.setdefault(name, {}).update((id(one.node), one) for one in parts)

    def bound_beside(self, part: Part, names: Set[str]) -> set[str]:
        """Return those of some names that something else in the statement may bind than a part and the heads around."""
        here = (part, *part.heads)
        own = names & self.binding.keys()
        return {name for name in own if self._often[name] > sum(name in one.binds for one in here)}


def _filled_by(node: ast.AST) -> set[str]:
    """Return the names of what a statement gives an item or an attribute."""
    match node:
        case ast.Assign(targets=targets):
            pass
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            targets = [target]
        case _:
            return set()
    return {root_of(one) for one in targets if isinstance(one, ast.Attribute | ast.Subscript)}


def without_bodies(node: _Node) -> _Node:
    """Return a copy of a definition or a compound statement, or of a part of one, that is its head alone."""
    node = copy.copy(node)
    for name in _BODIES:
        if hasattr(node, name):
            setattr(node, name, [])
    return node
