"""What the statements of a cell's top level bind, read and may change: what `grader.engine.needed` follows."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.core.names import bound_anywhere, remember, scope_of, tree_of, used_anywhere, words


@dataclass(frozen=True)
class Statement:
    """A statement of a cell's top level, and what it has to do with names.

    Args:
        first: Its first line, decorators included, from 1.
        last: Its last line.
        binds: Names that it binds at top level, also through `global` in a function that it defines.
        now: Names that it reads when it runs.
        later: Names that it reads when somebody calls what it defines.
        stores: Names into whose objects it stores.
        hands: Names that it calls, or hands to a call, for its own sake; such a call may change what they stand for.
        methods: Names of which it calls a method for its own sake, or which decorate so (`@rules.add`).
        lends: Names that it calls, hands to a call, or calls a method of, for the value that comes back.
        same: Pairs of names that may stand for one object, or for it and a part of it (`row = table[0]`); none within
            functions and classes.
        fixed: Whether all that it binds are numbers and texts, which nothing can change.
        declared: Those of the names in `binds` that only a call of its functions binds.
        imports: Those that it imports.
        defines: Whether what it binds are functions and classes.
        anything: It may bind any name (`from module import *`).
    """

    first: int
    last: int
    binds: frozenset[str]
    now: frozenset[str]
    later: frozenset[str]
    stores: frozenset[str] = frozenset()
    hands: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    lends: frozenset[str] = frozenset()
    same: frozenset[tuple[str, str]] = frozenset()
    fixed: bool = False
    declared: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    defines: bool = False
    anything: bool = False


#: Functions that look, and change nothing.
_LOOKING = {"print", "display", "help", "len", "type", "repr", "str", "sum", "max", "min", "sorted", "list", "dir"}
#: Functions that give a number or a text.
_FIXED = {"len", "int", "float", "str", "bool", "round", "repr"}
#: Calls that reach names by text, and those that return a namespace.
_BY_TEXT, _NAMESPACES = {"exec", "eval", "setattr"}, {"globals", "locals", "vars"}


@remember
def statements_of(source: str) -> tuple[Statement, ...]:
    """Return the statements of a cell's top level in order; none if it is not Python.

    Code that reaches names by text, as in `globals()["x"]`, counts as reading and binding every word in it.
    """
    return tuple(_statement(node, source) for node in tree_of(source).body)


def _statement(node: ast.stmt, source: str) -> Statement:
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    last = node.end_lineno or node.lineno
    flow, imported = _Flow(), set[str]()
    try:
        scope = scope_of(node)
        flow.follow([node])
        used, binds, declared, now = scope.used, scope.bound | scope.module_wide, scope.module_wide, flow.read
        imported = scope.imported
    except RecursionError:
        used, binds, declared = used_anywhere(node), bound_anywhere(node), set()
        now = set(used)
    nodes = list(ast.walk(node))
    used |= declared & {n.target.id for n in nodes if isinstance(n, ast.AugAssign) and isinstance(n.target, ast.Name)}
    defines = any(isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda) for n in nodes)
    anything = any(isinstance(n, ast.ImportFrom) and n.names[0].name == "*" for n in nodes)
    stores, hands, methods, lends = _touched(nodes)
    if any(_by_text(n) for n in nodes):
        said = words("\n".join(source.split("\n")[first - 1 : last]))
        used, now, binds = used | said, now | said, binds | said
    return Statement(
        first,
        last,
        frozenset(binds),
        frozenset(now),
        frozenset(used if defines else ()),
        frozenset(stores),
        frozenset(hands),
        frozenset(methods),
        frozenset(lends),
        frozenset(_same(nodes) if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) else ()),
        isinstance(node, ast.Assign | ast.AnnAssign) and _is_fixed(node.value),
        frozenset(declared),
        frozenset(imported),
        isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef),
        anything,
    )


def _by_text(node: ast.AST) -> bool:
    """Return whether code reaches names by text: `exec`, `globals()["x"]`, `vars().update(...)`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in _BY_TEXT
    if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.value, ast.Call):
        return isinstance(node.value.func, ast.Name) and node.value.func.id in _NAMESPACES
    return False


def _touched(nodes: Sequence[ast.AST]) -> tuple[set[str], set[str], set[str], set[str]]:
    """Return the names that some code may change the objects of, as `stores`, `hands`, `methods` and `lends`.

    Calls are made for their own sake as a statement, within a comprehension that is one, or by a lambda.
    """
    stores: set[str] = set()
    hands: set[str] = set()
    methods: set[str] = set()
    lends: set[str] = set()
    own = {id(call) for node in nodes for call in _for_its_own_sake(node)}
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            stores |= _root(node)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            for one in node.decorator_list:
                called = one.func if isinstance(one, ast.Call) else one
                methods |= _root(called) if isinstance(called, ast.Attribute) else set()
        elif isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id in _LOOKING):
            root = _root(node.func) if isinstance(node.func, ast.Attribute) else set()
            given = {n for part in (*node.args, *node.keywords) for n in _handed(part)}
            if isinstance(node.func, ast.Name):  # what the student made may count its calls
                given.add(node.func.id)
            if id(node) in own:
                methods |= root
                hands |= given
            else:
                lends |= root | given
        elif isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp):
            lends |= _gone_through(node)
    return stores, hands, methods, lends


def _gone_through(node: ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp) -> set[str]:
    """Return the names that a comprehension goes through, if it hands their members to calls or calls their methods."""
    members = {n.id for one in node.generators for n in ast.walk(one.target) if isinstance(n, ast.Name)}
    parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    calls = [n for part in parts for n in ast.walk(part) if isinstance(n, ast.Call)]
    if not members & {n.id for call in calls for n in ast.walk(call) if isinstance(n, ast.Name)}:
        return set()
    return {n.id for one in node.generators for n in ast.walk(one.iter) if isinstance(n, ast.Name)}


def _handed(node: ast.AST) -> set[str]:
    """Return the names in an argument of a call; calls within it are looked at by themselves."""
    found: set[str] = set()
    waiting = [node]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name):
            found.add(node.id)
        elif not isinstance(node, ast.Call):
            waiting += ast.iter_child_nodes(node)
    return found


def _for_its_own_sake(node: ast.AST) -> list[ast.Call]:
    """Return the calls of a statement or lambda whose values nobody takes."""
    value = node.value if isinstance(node, ast.Expr) else node.body if isinstance(node, ast.Lambda) else None
    while isinstance(value, ast.ListComp | ast.SetComp | ast.GeneratorExp):
        value = value.elt
    return [value] if isinstance(value, ast.Call) else []


def _same(nodes: Sequence[ast.AST]) -> set[tuple[str, str]]:
    """Return pairs of names that may stand for one object, or for an object and a part of it."""
    pairs: set[tuple[str, str]] = set()
    for node in nodes:
        if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Call):
            targets, roots = node.targets, _root(node.value)
        elif isinstance(node, ast.For | ast.AsyncFor):
            targets, roots = [node.target], {n.id for n in ast.walk(node.iter) if isinstance(n, ast.Name)}
        else:
            continue
        names = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
        pairs |= {(name, root) for name in names for root in roots}
    return pairs


def _is_fixed(node: ast.expr | None) -> bool:
    """Return whether an expression gives a number, a text or a tuple of such, whatever the names in it stand for."""
    if isinstance(node, ast.Tuple):
        return all(map(_is_fixed, node.elts))
    if isinstance(node, ast.UnaryOp):
        return _is_fixed(node.operand)
    if isinstance(node, ast.BinOp):
        return _is_fixed(node.left) and _is_fixed(node.right)
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _FIXED
    return isinstance(node, ast.Constant | ast.JoinedStr | ast.Compare)


def _root(node: ast.expr) -> set[str]:
    """Return the name that a chain such as `a.b[c].d` begins with."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        node = node.func if isinstance(node, ast.Call) else node.value
    return {node.id} if isinstance(node, ast.Name) else set()


class _Flow:
    """Finds the names that statements read before they bind them, following the order in which they run."""

    def __init__(self) -> None:
        self.read: set[str] = set()
        self.bound: set[str] = set()

    def follow(self, body: Iterable[ast.stmt]) -> None:
        """Go through statements in order."""
        for node in body:
            if isinstance(node, ast.If | ast.While):
                self._look(node.test)
                self._branches(node.body, node.orelse)
            elif isinstance(node, ast.For | ast.AsyncFor):
                self._look(node.iter)
                self._look(node.target)
                self._branches(node.body, node.orelse)
            elif isinstance(node, ast.With | ast.AsyncWith):
                for item in node.items:
                    self._look(item)
                self.follow(node.body)
            elif isinstance(node, ast.Try | ast.TryStar):
                for handler in node.handlers:
                    self._look(handler.type)
                    self.bound |= {handler.name} if handler.name else set()
                self._branches([*node.body, *node.orelse], *(handler.body for handler in node.handlers))
                self.follow(node.finalbody)
            else:
                if isinstance(node, ast.AugAssign):
                    self.read |= _root(node.target) - self.bound
                self._look(node)

    def _branches(self, *branches: Iterable[ast.stmt]) -> None:
        """Follow branches of which any may run: what one binds, the others do not have, what comes behind has."""
        before, after = self.bound, set(self.bound)
        for branch in branches:
            self.bound = set(before)
            self.follow(branch)
            after |= self.bound
        self.bound = after

    def _look(self, node: ast.AST | None) -> None:
        if node is not None:
            scope = scope_of(node)
            self.read |= scope.used - self.bound
            self.bound |= scope.bound
