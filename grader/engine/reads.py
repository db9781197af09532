"""Which names of elsewhere code reads, before it is sure to bind them itself, and what it calls while it runs."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import cast

from grader.core.names import bound_at_top, scope_of, stored, used_anywhere, used_at_once
from grader.engine.bodies import without_bodies
from grader.engine.surely import COMPOUND, Effects, captured, filled, named, targets_of

_LATER = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef, ast.GeneratorExp)


@dataclass
class Reads:
    """Which of some names a statement reads of elsewhere.

    Args:
        names: The names.
        effects: What the statements of its cell are sure to bind.
        at_once: Those that it reads while it runs, and has not even perhaps bound before.
        unsure: Those that it reads while it runs, and is not sure to have bound before.
        needs: Those that it or a function in it reads, and that are not sure to be bound with it.
    """

    names: Set[str]
    effects: Effects
    at_once: set[str] = field(default_factory=set)
    unsure: set[str] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)

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
        later = later | surely | self.effects.of(statements)[0] & self.names
        bound = set[str]()
        for one in statements:
            if isinstance(one, COMPOUND):
                for value, has in _head(one, self.names):
                    bound |= self._simple(value, perhaps | bound, surely | has, later | has)
                inside = set(targets_of(one) & self.names)
                for sure, body in self._branches(one):
                    # Of an `if` one branch runs, of all else what is further down may run behind what is above.
                    before = bound if isinstance(one, ast.If | ast.Match) else bound | inside
                    inside |= self.add(body, perhaps | before | sure, surely | sure, later | sure)
                bound |= inside
            else:
                bound |= self._simple(one, perhaps | bound, surely, later)
                bound |= bound_at_top([one]).keys() & self.names
            surely = surely | self.effects.of_one(one)[0] & self.names
        return bound

    def _simple(self, one: ast.AST, perhaps: Set[str], surely: Set[str], later: Set[str]) -> set[str]:
        """Add what a statement without a body of its own reads; return what it binds in an expression or a pattern."""
        if isinstance(one, ast.BoolOp):  # `if (count := len(x)) and count > 3` reads its own
            bound = set[str]()
            for value in one.values:
                bound |= self._simple(value, perhaps | bound, surely, later)
                surely = surely | named(value) & self.names
            return bound
        one = one if isinstance(one, ast.stmt) else ast.Expr(cast(ast.expr, one))
        scope = scope_of(one)
        inside = scope.bound - assigned_in(one) | set_first(one, self)
        now = (used_at_once(ast.Module([one], [])) | scope_of(_first_of(one)).used & scope.bound) & self.names
        self.at_once |= now - perhaps - surely
        self.unsure |= now - surely
        self.needs |= scope.used & self.names - (inside - now) - later
        return inside & self.names

    def _branches(self, one: ast.stmt) -> Iterator[tuple[Set[str], list[ast.stmt]]]:
        """Yield the bodies of a compound statement, each with the names that it has surely bound where that begins."""
        match one:
            case ast.If(test=test, body=body, orelse=orelse) | ast.While(test=test, body=body, orelse=orelse):
                yield named(test, holds=True) & self.names, body
                yield named(test, holds=False) & self.names, orelse
            case ast.For(body=body, orelse=orelse) | ast.AsyncFor(body=body, orelse=orelse):
                yield (targets_of(one) | named(one.iter)) & self.names, body
                yield named(one.iter) & self.names, orelse
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                yield filled(items) & self.names, body
            case ast.Match(subject=subject, cases=cases):
                yield from (((captured(one.pattern) | named(subject)) & self.names, one.body) for one in cases)
            case (
                ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)
                | ast.TryStar(body=body, handlers=handlers, orelse=orelse, finalbody=finalbody)
            ):
                yield set(), body
                yield from (({handler.name or ""} & self.names, handler.body) for handler in handlers)
                yield self.effects.of(body)[0] & self.names, orelse
                yield set(), finalbody


def _first_of(one: ast.stmt) -> ast.AST:
    """Return what a statement may run before it binds its names: all of it but the body of what it defines.

    That of a lambda too, which something in the statement may call: `share = (lambda: share)()`.
    """
    match one:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return without_bodies(one)
        case ast.Assign(value=ast.Lambda(args=args)) | ast.AnnAssign(value=ast.Lambda(args=args)):
            return args  # `count = lambda n: n and count(n - 1)` is called when it has a name
    return one


def set_first(statement: ast.stmt, reads: Reads) -> set[str]:
    """Return the names, of those that are asked for, that a function binds by `global` before it reads them."""
    if not isinstance(statement, ast.FunctionDef):
        return set()
    names = {name for one in statement.body if isinstance(one, ast.Global) for name in one.names} & reads.names
    if names:  # what a function in it reads may be called first
        functions = [n for n in ast.walk(statement) if isinstance(n, _LATER) and n is not statement]
        names -= set[str]().union(*map(used_anywhere, functions))
        within = Reads(names, Effects(reads.effects.foreseen.anew()))
        within.add(statement.body)
        names -= within.unsure | within.needs
    return names


def assigned_in(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds by `=`, at any depth."""
    assigns = (n for n in ast.walk(statement) if isinstance(n, ast.Assign | ast.AugAssign | ast.AnnAssign))
    targets = (t for n in assigns for t in (n.targets if isinstance(n, ast.Assign) else [n.target]))
    return {name for target in targets for name in stored(target)}


def called_at_once(statement: ast.stmt, classes: Set[str] = frozenset()) -> set[str]:
    """Return the functions that a statement calls while it runs, also as decorators, through `map` or out of a list.

    Args:
        statement: The statement.
        classes: Names of classes; to call a method of one is to call it.
    """
    found = set[str]()
    turns: list[tuple[Set[str], ast.expr]] = []  # names of what a loop goes through, and that
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
            case ast.comprehension(target=target, iter=value) | ast.For(target=target, iter=value):
                turns.append((stored(target), value))
            case ast.Call(func=func, args=args):
                found |= _called(func, args, classes)
        waiting += ast.iter_child_nodes(node)
    return found.union(*(_loaded(value) for names, value in turns if names & found))


def _called(func: ast.expr, args: list[ast.expr], classes: Set[str]) -> set[str]:
    """Return the functions that a call may call, by what stands in front of its parentheses and in them."""
    match func, args:
        case ast.Name(id="map" | "filter" | "reduce") | ast.Attribute(attr="map" | "reduce"), [ast.Name(id=name), *_]:
            return {name}
        case ast.Name(id=name), _:
            return {name}
        case ast.Attribute(value=of), _:
            return {of.id} & classes if isinstance(of, ast.Name) else set()
    return _loaded(func)  # `functions[0]()`, `partial(function)()`


def _loaded(value: ast.expr) -> set[str]:
    """Return the names that an expression reads at once, but for what calls in it call: each call is looked at."""
    found = set[str]()
    waiting: list[ast.AST] = [value]
    while waiting:
        match waiting.pop():
            case ast.Name(id=name, ctx=ast.Load()):
                found.add(name)
            case ast.Call(args=args, keywords=keywords):  # of `f()()()...`, each part is read once
                waiting += [*args, *keywords]
            case ast.Lambda():
                pass
            case node:
                waiting += ast.iter_child_nodes(node)
    return found


def _head(one: ast.stmt, names: Set[str]) -> Iterator[tuple[ast.AST, frozenset[str]]]:
    """Yield what the head of a compound statement evaluates or fills, each with the names that it has bound by then.

    Args:
        one: The statement.
        names: The names that matter.
    """
    match one:
        case ast.If(test=value) | ast.While(test=value):
            yield value, frozenset()
        case ast.For(target=target, iter=value) | ast.AsyncFor(target=target, iter=value):
            yield value, frozenset()
            yield target, named(value)
        case ast.With(items=items) | ast.AsyncWith(items=items):
            before = frozenset[str]()
            for item in items:
                yield item.context_expr, before
                if item.optional_vars:
                    yield item.optional_vars, before | named(item.context_expr)
                before |= filled([item]) & names
        case ast.Match(subject=subject, cases=cases):
            yield subject, frozenset()
            for case in cases:
                yield case.pattern, named(subject)  # it reads names too, as that of a class
                if case.guard:
                    yield case.guard, named(subject) | captured(case.pattern)
