"""Which names code is sure to bind, and which it reads before it does.

`if not True:`, a loop over nothing or what stands behind an error in `try` binds nothing, though a name stands there.
Whether a condition holds is known of constants alone: of any other, both ways have to bind a name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field

from grader.core.names import bound_at_top, scope_of, used_at_once

#: Context managers that end an error, so that what stands behind it in their body does not run.
_SWALLOW = frozenset({"suppress", "raises", "ExitStack", "assertRaises"})
_COMPOUND = (ast.If, ast.For, ast.While, ast.With, ast.Try)
#: Names that are bound for certain, and whether a loop around may end before what comes next.
_Effect = tuple[frozenset[str], bool]


def surely_bound(statements: list[ast.stmt]) -> frozenset[str]:
    """Return the names that statements bind to something of their own whenever they run without an error."""
    try:
        return Effects().of(statements)[0]
    except RecursionError:
        return frozenset()


def ends(statement: ast.stmt) -> bool:
    """Return whether a statement is sure to be an error, so that nothing runs behind it."""
    return isinstance(statement, ast.Raise) or (isinstance(statement, ast.Assert) and _holds(statement.test) is False)


class Effects:
    """What bodies of statements are sure to bind. Each is looked at once, and must not be forgotten before this is."""

    def __init__(self) -> None:
        self._known: dict[int, _Effect] = {}

    def of(self, statements: list[ast.stmt]) -> _Effect:
        """Return the effect of statements."""
        if id(statements) not in self._known:
            bound, leaves = set[str](), False
            for one in statements:
                names, left = self.of_one(one)
                if not leaves:
                    bound |= names
                leaves = leaves or left
                if ends(one):
                    break
            self._known[id(statements)] = frozenset(bound), leaves
        return self._known[id(statements)]

    def of_one(self, one: ast.stmt) -> _Effect:
        """Return the effect of one statement."""
        match one:
            case ast.Break() | ast.Continue():
                return frozenset(), True
            case ast.If(test=test, body=body, orelse=orelse):
                holds = _holds(test)
                return self._in_all([(body,), (orelse,)]) if holds is None else self.of(body if holds else orelse)
            case ast.For() | ast.While():
                return self._looped(one)
            case ast.With(items=items, body=body):
                inner, leaves = self.of(body)
                sure = not any(_swallows(item.context_expr) for item in items)
                return _targets(one) | (inner if sure else frozenset()), leaves
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
                bound, leaves = self._in_all([(body, orelse), *((handler.body,) for handler in handlers)])
                behind, left = self.of(finalbody)
                return bound | behind, leaves or left
            case ast.AnnAssign(value=None) | ast.AugAssign() | ast.ImportFrom(module="__main__"):
                return frozenset(), False  # binds nothing, needs what is there already, or is what is there already
        return frozenset(bound_at_top([one])), False

    def _looped(self, one: ast.For | ast.While) -> _Effect:
        bound, leaves = self.of(one.body)
        behind, left = self.of(one.orelse)
        runs = _has_any(one.iter) if isinstance(one, ast.For) else _holds(one.test) is True
        bound = bound | _targets(one) if runs else frozenset()
        return (bound if leaves else bound | behind), left

    def _in_all(self, ways: Iterable[tuple[list[ast.stmt], ...]]) -> _Effect:
        """Return what all of some ways bind; one that ends in an error leads nowhere."""
        every = [[self.of(body) for body in way] for way in ways if not any(ends(one) for body in way for one in body)]
        bound = [frozenset[str]().union(*(names for names, _ in way)) for way in every]
        common = frozenset.intersection(*bound) if bound else frozenset[str]()
        return common, any(leaves for way in every for _, leaves in way)


@dataclass
class Reads:
    """Which of some names a statement reads of elsewhere.

    Args:
        names: The names.
        at_once: Those that it reads while it runs, and has not even perhaps bound before.
        unsure: Those that it reads while it runs, and is not sure to have bound before.
        needs: Those that it or a function in it reads, and that are not sure to be bound with it.
    """

    names: Set[str]
    at_once: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)
    _effects: Effects = field(default_factory=Effects)

    def add(
        self,
        statements: list[ast.stmt],
        perhaps: Set[str] = frozenset(),
        surely: Set[str] = frozenset(),
        later: Set[str] = frozenset(),
    ) -> set[str]:
        """Add what statements read; return the names that they perhaps bind.

        Args:
            statements: The statements.
            perhaps: Names that are perhaps bound where they begin.
            surely: Names that are bound there.
            later: Names that are bound once what stands around them has run.

        Raises:
            RecursionError: If they are nested too deeply.
        """
        later = later | surely | self._effects.of(statements)[0] & self.names
        bound = set[str]()
        for one in statements:
            if isinstance(one, _COMPOUND):
                for value in _values(one):
                    extra = self._simple(ast.Expr(value), perhaps | bound, surely, later)
                    bound, surely, later = bound | extra, surely | extra, later | extra
                inside = set(_targets(one) & self.names)
                for sure, body in self._branches(one):
                    # Of an `if` one branch runs, of all else what is further down may run behind what is above.
                    before = bound if isinstance(one, ast.If) else bound | inside
                    inside |= self.add(body, perhaps | before, surely | sure, later | sure)
                bound |= inside
            else:
                self._simple(one, perhaps | bound, surely, later)
                bound |= bound_at_top([one]).keys() & self.names
            surely = surely | self._effects.of_one(one)[0] & self.names
        return bound

    def _simple(self, one: ast.stmt, perhaps: Set[str], surely: Set[str], later: Set[str]) -> set[str]:
        """Add what a statement without a body of its own reads; return what it binds in an expression or a pattern."""
        scope = scope_of(one)
        inside = scope.bound - assigned_in(one)
        now = used_at_once(ast.Module([one], [])) & scope.used & self.names - inside
        if isinstance(one, ast.Assign):  # `share = (lambda: share)()`
            now |= scope.used & scope.bound & self.names
        self.at_once |= now - perhaps
        self.unsure |= now - surely
        self.needs |= scope.used & self.names - inside - later
        return inside & self.names

    def _branches(self, one: ast.stmt) -> Iterator[tuple[Set[str], list[ast.stmt]]]:
        """Yield the bodies of a compound statement, each with the names that it has surely bound where that begins."""
        match one:
            case ast.If(body=body, orelse=orelse):
                yield set(), body
                yield set(), orelse
            case ast.For(body=body, orelse=orelse) | ast.While(body=body, orelse=orelse):
                yield _targets(one) & self.names, body
                yield set(), orelse
            case ast.With(body=body):
                yield _targets(one) & self.names, body
            case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody):
                yield set(), body
                yield from (({handler.name or ""} & self.names, handler.body) for handler in handlers)
                yield self._effects.of(body)[0] & self.names, orelse
                yield set(), finalbody


def assigned_in(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds by `=`, at any depth."""
    assigns = (n for n in ast.walk(statement) if isinstance(n, ast.Assign | ast.AugAssign | ast.AnnAssign))
    targets = (t for n in assigns for t in (n.targets if isinstance(n, ast.Assign) else [n.target]))
    return {name for target in targets for name in _stored(target)}


def called_at_once(statement: ast.stmt) -> set[str]:
    """Return the functions that a statement calls by name while it runs, also as decorators or through `map`."""
    found = set[str]()
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        match node:
            case (
                ast.FunctionDef(decorator_list=outside, args=args)
                | ast.AsyncFunctionDef(decorator_list=outside, args=args)
            ):
                found |= {one.id for one in outside if isinstance(one, ast.Name)}
                waiting += [*outside, *args.defaults, *filter(None, args.kw_defaults)]
                continue
            case ast.Lambda(args=args):
                waiting += [*args.defaults, *filter(None, args.kw_defaults)]
                continue
            case ast.ClassDef(decorator_list=outside):
                found |= {one.id for one in outside if isinstance(one, ast.Name)}
            case ast.Call(func=ast.Lambda(body=body)):
                waiting.append(body)
            case ast.Call(func=ast.Name(id="map" | "filter"), args=[ast.Name(id=name), *_]):
                found.add(name)
            case ast.Call(func=ast.Name(id=name)):
                found.add(name)
        waiting += ast.iter_child_nodes(node)
    return found


def _values(one: ast.stmt) -> list[ast.expr]:
    """Return what the head of a compound statement evaluates."""
    match one:
        case ast.If(test=value) | ast.While(test=value) | ast.For(iter=value):
            return [value]
        case ast.With(items=items):
            return [item.context_expr for item in items]
    return []


def _targets(one: ast.stmt) -> frozenset[str]:
    """Return the names that the head of a loop or of `with` binds."""
    match one:
        case ast.For(target=target):
            return _stored(target)
        case ast.With(items=items):
            return frozenset[str]().union(*(_stored(item.optional_vars) for item in items if item.optional_vars))
    return frozenset()


def _stored(target: ast.expr) -> frozenset[str]:
    """Return the names that a target binds, and those that it gives an item or an attribute."""
    return frozenset(node.id for node in ast.walk(target) if isinstance(node, ast.Name))


def _holds(test: ast.expr) -> bool | None:
    """Return whether a condition holds; None if that is not known."""
    match test:
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            holds = _holds(operand)
            return None if holds is None else not holds
        case ast.Compare(left=ast.Name(id="__name__"), ops=[ast.Eq()], comparators=[ast.Constant(value="__main__")]):
            return True
    return None


def _has_any(value: ast.expr) -> bool:
    """Return whether a loop over something is sure to run at least once."""
    match value:
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            return any(not isinstance(element, ast.Starred) for element in elements)
        case ast.Dict(keys=keys):
            return any(keys)
        case ast.Constant(value=str(text)):
            return bool(text)
        case ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(count))], keywords=[]):
            return count > 0
        case ast.Call(func=ast.Name(id="enumerate" | "zip" | "reversed" | "sorted" | "list" | "tuple"), args=values):
            return bool(values) and all(_has_any(one) for one in values)
    return False


def _swallows(manager: ast.expr) -> bool:
    """Return whether a context manager may end an error: by its name, or since it is neither `open` nor a library's."""
    match manager:
        case ast.Call(func=ast.Name(id="open")):
            return False
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _SWALLOW
    return True
