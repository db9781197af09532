"""Which names of elsewhere code reads, before it is sure to bind them itself, and what it calls while it runs."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Set
from dataclasses import dataclass, field
from typing import cast

from grader.core.names import bound_at_top, may_bind, root_of, scope_of, used_anywhere, used_at_once
from grader.engine.surely import COMPOUND, Effects, captured, filled, named, stored, targets_of

_WITH_BODY = (*COMPOUND, ast.ExceptHandler, ast.match_case)
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
_DEEP = 100
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
                    inside |= self.add(body, perhaps | before, surely | sure, later | sure)
                bound |= inside
            else:
                bound |= self._simple(one, perhaps | bound, surely, later)
                bound |= bound_at_top([one]).keys() & self.names
            surely = surely | self.effects.of_one(one)[0] & self.names
        return bound

    def _simple(self, one: ast.AST, perhaps: Set[str], surely: Set[str], later: Set[str]) -> set[str]:
        """Add what a statement without a body of its own reads; return what it binds in an expression or a pattern."""
        one = one if isinstance(one, ast.stmt) else ast.Expr(cast(ast.expr, one))
        scope = scope_of(one)
        inside = scope.bound - assigned_in(one) | set_first(one, self)
        now = used_at_once(ast.Module([one], [])) & scope.used & self.names - inside
        # `share = (lambda: share)()`, not `count = lambda n: n and count(n - 1)`.
        if isinstance(one, ast.Assign) and not isinstance(one.value, ast.Lambda):
            now |= scope.used & scope.bound & self.names
        self.at_once |= now - perhaps
        self.unsure |= now - surely
        self.needs |= scope.used & self.names - inside - later
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


def filling(statement: ast.stmt) -> dict[str, list[ast.AST]]:
    """Return what gives an item or an attribute to something in the body of a compound statement, by that one's name.

    It is the statement in the body, with the heads of those around it. What else they do gives it nothing.
    """
    found: dict[str, list[ast.AST]] = {}
    waiting: list[tuple[ast.AST, ast.Module]] = [(statement, ast.Module([], []))]
    while waiting:
        node, heads = waiting.pop()
        if isinstance(node, _WITH_BODY):
            around = ast.Module([*heads.body, cast(ast.stmt, _without_bodies(node))], [])
            bodies = (getattr(node, name, ()) for name in _BODIES)
            waiting += ((one, around) for body in bodies for one in body)
        elif heads.body and isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            # Deeper than code can be indented, as in a long `elif`, the whole is as good.
            parts = [node, heads] if len(heads.body) <= _DEEP else [statement]
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Attribute | ast.Subscript):
                    found.setdefault(root_of(target), []).extend(parts)
    bound = may_bind(statement) | {""}
    return {name: nodes for name, nodes in found.items() if name not in bound}


def _without_bodies(node: ast.AST) -> ast.AST:
    """Return a copy of a compound statement, or of a part of one, that is its head alone."""
    node = copy.copy(node)
    for name in _BODIES:
        if hasattr(node, name):
            setattr(node, name, [])
    return node


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
