"""Which names code is sure to bind, and which it reads before it does.

`if not True:`, a loop over nothing or what stands behind an error in `try` binds nothing, though a name stands there.
Whether a condition holds is known of constants alone: of any other, both ways have to bind a name.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass, field
from typing import cast

from grader.core.names import bound_at_top, scope_of, used_at_once

#: Context managers that end no error. Of any other, what stands behind an error in its body may not run.
_QUIET = re.compile(
    "open|errstate|printoptions|catch_warnings|suppress_warnings|nullcontext|closing|chdir|redirect_std(out|err)"
    "|R?Lock|Pool|(Thread|Process)PoolExecutor|Popen|connect|urlopen|ZipFile|load|(Named)?TemporaryFile"
    "|TemporaryDirectory|device|name_scope|scope|as_default|GradientTape|no_grad|inference_mode|rc_context|context"
    "|(local|option_)context|ioff|ion|tqdm"
)
COMPOUND = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)
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
                either = self._in_all([(body,), (orelse,)]) if holds is None else self.of(body if holds else orelse)
                return either[0] | _named(test), either[1]
            case ast.For() | ast.While():
                return self._looped(one)
            case ast.With(items=items, body=body):
                inner, leaves = self.of(body)
                entered, quiet = _entered(items)
                return entered | (inner if quiet else frozenset()), leaves
            case ast.Match(subject=subject, cases=cases):
                bound, leaves = self._matched(cases)
                return bound | _named(subject), leaves
            case (
                ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)
                | ast.TryStar(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)
            ):
                bound, leaves = self._in_all([(body, orelse), *((handler.body,) for handler in handlers)])
                behind, left = self.of(finalbody)
                return bound | behind, leaves or left
            case ast.AnnAssign(value=None) | ast.ImportFrom(module="__main__"):
                return frozenset(), False  # binds nothing, or what is there already
            case ast.AugAssign(value=value):
                return _named(value), False  # needs what is there already
            case ast.Expr(value=value) | ast.Assert(test=value):
                return _named(value), False
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                return frozenset(bound_at_top([one])) | _named(value), False
        return frozenset(bound_at_top([one])), False

    def _looped(self, one: ast.For | ast.While) -> _Effect:
        bound, leaves = self.of(one.body)
        behind, left = self.of(one.orelse)
        head = one.iter if isinstance(one, ast.For) else one.test
        runs = _has_any(head) if isinstance(one, ast.For) else _holds(head) is True
        bound = bound | _targets(one) if runs else frozenset()
        return _named(head) | (bound if leaves else bound | behind), left

    def _matched(self, cases: list[ast.match_case]) -> _Effect:
        """Return the effect of the cases of a `match`, of which none may fit, unless the last one takes everything."""
        every = [(self.of(case.body), _captured(case.pattern)) for case in cases]
        takes_all = isinstance(last := cases[-1].pattern, ast.MatchAs) and not last.pattern and not cases[-1].guard
        bound = [names | captured for (names, _), captured in every] if takes_all else [frozenset[str]()]
        return frozenset.intersection(*bound), any(leaves for (_, leaves), _ in every)

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
            if isinstance(one, COMPOUND):
                for value, has in _head(one):
                    bound |= self._simple(value, perhaps | bound, surely | has, later | has)
                inside = set(_targets(one) & self.names)
                for sure, body in self._branches(one):
                    # Of an `if` one branch runs, of all else what is further down may run behind what is above.
                    before = bound if isinstance(one, ast.If | ast.Match) else bound | inside
                    inside |= self.add(body, perhaps | before, surely | sure, later | sure)
                bound |= inside
            else:
                bound |= self._simple(one, perhaps | bound, surely, later)
                bound |= bound_at_top([one]).keys() & self.names
            surely = surely | self._effects.of_one(one)[0] & self.names
        return bound

    def _simple(self, one: ast.AST, perhaps: Set[str], surely: Set[str], later: Set[str]) -> set[str]:
        """Add what a statement without a body of its own reads; return what it binds in an expression or a pattern."""
        one = one if isinstance(one, ast.stmt) else ast.Expr(cast(ast.expr, one))
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
            case ast.If(test=test, body=body, orelse=orelse) | ast.While(test=test, body=body, orelse=orelse):
                yield _named(test, holds=True) & self.names, body
                yield _named(test, holds=False) & self.names, orelse
            case ast.For(body=body, orelse=orelse) | ast.AsyncFor(body=body, orelse=orelse):
                yield (_targets(one) | _named(one.iter)) & self.names, body
                yield _named(one.iter) & self.names, orelse
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                yield _filled(items) & self.names, body
            case ast.Match(subject=subject, cases=cases):
                yield from (((_captured(one.pattern) | _named(subject)) & self.names, one.body) for one in cases)
            case (
                ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)
                | ast.TryStar(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)
            ):
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


def _head(one: ast.stmt) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Yield what the head of a compound statement evaluates or fills, each with the names that it has bound by then."""
    match one:
        case ast.If(test=value) | ast.While(test=value):
            yield value, frozenset()
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield value, frozenset()
            yield target, _named(value)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            for n, item in enumerate(items):
                yield item.context_expr, _filled(items[:n])
                if item.optional_vars:
                    yield item.optional_vars, _filled(items[:n]) | _named(item.context_expr)
        case ast.Match(subject=subject, cases=cases):
            yield subject, frozenset()
            for case in cases:
                yield case.pattern, _named(subject)  # it reads names too, as that of a class
                if case.guard:
                    yield case.guard, _named(subject) | _captured(case.pattern)


def _named(value: ast.AST, holds: bool | None = None) -> frozenset[str]:
    """Return the names that `:=` binds whenever an expression is evaluated.

    Args:
        value: The expression.
        holds: What its value is, where that is known: of `a and b` that holds, both were evaluated.
    """
    parts: list[tuple[ast.AST, bool | None]]
    match value:
        case ast.BoolOp(op=op, values=values):
            every = holds is isinstance(op, ast.And)
            parts = [(one, holds if every else None) for one in (values if every else values[:1])]
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            parts = [(operand, None if holds is None else not holds)]
        case ast.NamedExpr(target=ast.Name(id=name), value=inner):
            return _named(inner, holds) | {name}
        case ast.IfExp(test=test):
            parts = [(test, None)]
        case ast.Compare(left=left, comparators=comparators):
            parts = [(left, None), (comparators[0], None)]
        case ast.Lambda():
            parts = []
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            parts = [(value.generators[0].iter, None)]
        case _:
            parts = [(one, None) for one in ast.iter_child_nodes(value)]
    return frozenset[str]().union(*(_named(*part) for part in parts))


def _entered(items: list[ast.withitem]) -> tuple[frozenset[str], bool]:
    """Return the names that the head of `with` is sure to bind, and whether it ends no error of what is behind it."""
    bound = frozenset[str]()
    for n, item in enumerate(items):
        if _swallows(item.context_expr):  # also an error in taking apart what it gives
            whole = isinstance(item.optional_vars, ast.Name)
            return bound | (_filled(items[n : n + 1]) if whole else _named(item.context_expr)), False
        bound |= _filled(items[n : n + 1])
    return bound, True


def _targets(one: ast.stmt) -> frozenset[str]:
    """Return the names that the head of a loop or of `with` binds."""
    match one:
        case ast.For(target=target) | ast.AsyncFor(target=target):
            return _stored(target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return _filled(items)
    return frozenset()


def _filled(items: list[ast.withitem]) -> frozenset[str]:
    """Return the names that items of a `with` bind by `as`, and those that they bind by `:=`."""
    named = frozenset[str]().union(*(_named(item.context_expr) for item in items))
    return named.union(*(_stored(item.optional_vars) for item in items if item.optional_vars))


def _stored(target: ast.expr) -> frozenset[str]:
    """Return the names that a target binds; those that it gives an item or an attribute, it reads."""
    return frozenset(n.id for n in ast.walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))


def _captured(pattern: ast.pattern) -> frozenset[str]:
    """Return the names that a pattern binds if it fits."""
    names = (getattr(n, "name", None) or getattr(n, "rest", None) for n in ast.walk(pattern))
    return frozenset(filter(None, names))


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
    """Return whether a context manager may end an error: it is none that is known to end none, by its name."""
    match manager:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return not _QUIET.fullmatch(name)
    return True
