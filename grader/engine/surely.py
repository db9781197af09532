"""Which names code is sure to bind.

`if not True:`, a loop over nothing or what stands behind an error in `try` binds nothing, though a name stands there.
What is known of a condition, a loop and `with` is in `foreseen.py`. Of any other condition, both ways have to bind a
name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from grader.core.names import bound_at_top, may_bind, run_at_once, stored
from grader.engine.foreseen import Foreseen, without_not

COMPOUND = (ast.If, ast.For, ast.AsyncFor, ast.While, ast.With, ast.AsyncWith, ast.Try, ast.TryStar, ast.Match)
#: Names that are bound for certain, and whether a loop around may end before what comes next.
_Effect = tuple[frozenset[str], bool]
_NOTHING = frozenset[str]()


def surely_bound(statements: list[ast.stmt]) -> frozenset[str]:
    """Return the names that a cell's statements bind to something of their own whenever they run without an error."""
    return _NOTHING.union(*Effects(Foreseen()).steps(statements))


class Effects:
    """What statements of one cell are sure to bind. Each is looked at once, and must not be forgotten before this is.

    Args:
        foreseen: What is known where the cell begins; each statement at its top changes that.
    """

    def __init__(self, foreseen: Foreseen) -> None:
        self.foreseen = foreseen
        self._inside = foreseen
        self._at_top: ast.stmt | None = None
        self._found: dict[int, _Effect] = {}
        self._before: tuple[str, bool, frozenset[str]] | None = None
        self._by_calling: dict[str, frozenset[str]] = {}

    def steps(self, statements: list[ast.stmt]) -> Iterator[frozenset[str]]:
        """Yield for each statement at the top of the cell the names that are sure to be bound when it has run."""
        over = False
        for one in statements:
            self._at_top = one
            self._inside = self.foreseen.within(one) if isinstance(one, COMPOUND) else self.foreseen
            try:
                bound = self.of_one(one)[0] | self._either_way(one) | self._called(one)
            except RecursionError:
                bound = _NOTHING
            yield _NOTHING if over else bound
            over = over or self.foreseen.ends(one)
            self.foreseen.run(one)

    def _known(self, one: ast.stmt) -> Foreseen:
        """Return what is known where a statement begins."""
        return self.foreseen if one is self._at_top else self._inside

    def _either_way(self, one: ast.stmt) -> frozenset[str]:
        """Return what `if not c:` binds as well as the `if c:` right in front of it, which has no `else`.

        If that one did not run, nothing has run that could have changed `c`.
        """
        before, self._before = self._before, None
        if not isinstance(one, ast.If):
            return _NOTHING
        test, wanted = without_not(one.test)
        if not isinstance(test, ast.Name):
            return _NOTHING
        if not one.orelse:
            self._before = test.id, wanted, self.of(one.body)[0]
        if before is None or before[:2] != (test.id, not wanted):
            return _NOTHING
        return before[2] & self.of(one.body)[0]

    def _called(self, one: ast.stmt) -> frozenset[str]:
        """Return what a call binds by `global` in a function of the cell's."""
        match one:
            case (
                ast.Expr(value=ast.Call(func=ast.Name(id=name))) | ast.Assign(value=ast.Call(func=ast.Name(id=name)))
            ) if name not in self.foreseen.shared:
                return self._by_calling.get(name, _NOTHING)
        for name in may_bind(one):
            self._by_calling.pop(name, None)
        if isinstance(one, ast.FunctionDef) and not one.decorator_list:
            self._by_calling[one.name] = self._shared(one.body)
        return _NOTHING

    def _shared(self, body: list[ast.stmt]) -> frozenset[str]:
        """Return the names that the body of a function is sure to bind by `global`; none if it may return before."""
        wide = {name for one in body if isinstance(one, ast.Global) for name in one.names}
        before = body[:-1] if isinstance(body[-1], ast.Return) else body
        leaving = (ast.Return, ast.Yield, ast.YieldFrom)
        if not wide or any(isinstance(node, leaving) for one in before for node in run_at_once(one)):
            return _NOTHING
        self._inside = self.foreseen.anew()  # it runs when it is called
        return self.of(body)[0] & wide

    def of(self, statements: list[ast.stmt]) -> _Effect:
        """Return the effect of statements that stand in another one."""
        bound, leaves = set[str](), False
        for one in statements:
            names, left = self.of_one(one)
            if not leaves:
                bound |= names
            leaves = leaves or left
            if self._inside.ends(one):
                break
        return frozenset(bound), leaves

    def of_one(self, one: ast.stmt) -> _Effect:
        """Return the effect of one statement."""
        if id(one) not in self._found:
            self._found[id(one)] = self._of_one(one)
        return self._found[id(one)]

    def _of_one(self, one: ast.stmt) -> _Effect:
        match one:
            case ast.Break() | ast.Continue():
                return _NOTHING, True
            case ast.If(test=test, body=body, orelse=orelse):
                holds = self._known(one).holds(test)
                either = self._in_all([(body,), (orelse,)]) if holds is None else self.of(body if holds else orelse)
                return either[0] | named(test), either[1]
            case ast.For() | ast.While():
                return self._looped(one)
            case ast.With(items=items, body=body):
                inner, leaves = self.of(body)
                entered, quiet = self._entered(items, self._known(one))
                return entered | (inner if quiet else _NOTHING), leaves
            case ast.Match(subject=subject, cases=cases):
                bound, leaves = self._matched(cases)
                return bound | named(subject), leaves
            case (
                ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)
                | ast.TryStar(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)
            ):
                bound, leaves = self._in_all([(body, orelse), *((handler.body,) for handler in handlers)])
                behind, left = self.of(finalbody)
                # A jump out of `finally` ends the error that may have come before any name was bound.
                return behind if left else bound | behind, leaves or left
            case ast.AnnAssign(value=None) | ast.ImportFrom(module="__main__"):
                return _NOTHING, False  # binds nothing, or what is there already
            case ast.AugAssign(value=value):
                return named(value), False  # needs what is there already
            case ast.Expr(value=value) | ast.Assert(test=value):
                return named(value), False
            case ast.Assign(value=value) | ast.AnnAssign(value=ast.expr() as value):
                return frozenset(bound_at_top([one])) | named(value), False
        return frozenset(bound_at_top([one])), False

    def _looped(self, one: ast.For | ast.While) -> _Effect:
        bound, leaves = self.of(one.body)
        behind, left = self.of(one.orelse)
        head, known = one.iter if isinstance(one, ast.For) else one.test, self._known(one)
        runs = known.has_any(head) if isinstance(one, ast.For) else known.holds(head) is True
        bound = bound | targets_of(one) if runs else _NOTHING
        return named(head) | (bound if leaves else bound | behind), left

    def _matched(self, cases: list[ast.match_case]) -> _Effect:
        """Return the effect of the cases of a `match`, of which none may fit, unless the last one takes everything."""
        every = [(self.of(case.body), captured(case.pattern)) for case in cases]
        takes_all = isinstance(last := cases[-1].pattern, ast.MatchAs) and not last.pattern and not cases[-1].guard
        bound = [names | taken for (names, _), taken in every] if takes_all else [_NOTHING]
        return frozenset.intersection(*bound), any(leaves for (_, leaves), _ in every)

    def _in_all(self, ways: Iterable[tuple[list[ast.stmt], ...]]) -> _Effect:
        """Return what all of some ways bind; one that ends in an error leads nowhere."""
        ends = self._inside.ends
        every = [[self.of(body) for body in way] for way in ways if not any(ends(one) for body in way for one in body)]
        bound = [_NOTHING.union(*(names for names, _ in way)) for way in every]
        common = frozenset.intersection(*bound) if bound else _NOTHING
        return common, any(leaves for way in every for _, leaves in way)

    @staticmethod
    def _entered(items: list[ast.withitem], known: Foreseen) -> tuple[frozenset[str], bool]:
        """Return the names that the head of `with` is sure to bind, and whether it ends no error of its body."""
        bound = _NOTHING
        for n, item in enumerate(items):
            if known.swallows(item.context_expr):  # also an error in taking apart what it gives
                whole = isinstance(item.optional_vars, ast.Name)
                return bound | (filled(items[n : n + 1]) if whole else named(item.context_expr)), False
            bound |= filled(items[n : n + 1])
        return bound, True


def named(value: ast.AST, holds: bool | None = None) -> frozenset[str]:
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
            return named(inner, holds) | {name}
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
    return _NOTHING.union(*(named(*part) for part in parts))


def targets_of(one: ast.stmt) -> frozenset[str]:
    """Return the names that the head of a loop or of `with` binds."""
    match one:
        case ast.For(target=target) | ast.AsyncFor(target=target):
            return stored(target)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return filled(items)
    return _NOTHING


def filled(items: list[ast.withitem]) -> frozenset[str]:
    """Return the names that items of a `with` bind by `as`, and those that they bind by `:=`."""
    within = _NOTHING.union(*(named(item.context_expr) for item in items))
    return within.union(*(stored(item.optional_vars) for item in items if item.optional_vars))


def captured(pattern: ast.pattern) -> frozenset[str]:
    """Return the names that a pattern binds if it fits."""
    names = (getattr(n, "name", None) or getattr(n, "rest", None) for n in ast.walk(pattern))
    return frozenset(filter(None, names))
