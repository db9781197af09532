"""Find the names that a piece of code binds, uses and calls.

There are several such questions, and the answers differ in how deep they look: `bound_at_top` is what code leaves
behind, `bound_anywhere` and `used_anywhere` ignore scopes, and `names_of` keeps the scopes of Python apart. Text that
is not Python counts as empty code, apart from `defined_functions`, which is for cells that were checked before.
"""

from __future__ import annotations

import ast
import builtins
import functools
import io
import os
import re
import threading
import tokenize
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

_T = TypeVar("_T")
#: Longer texts are read each time: they come from one submission alone.
_REMEMBERED = 20_000


def remember(function: Callable[[str], _T]) -> Callable[[str], _T]:
    """Remember what was found in a cell: most cells of a submission are the release's own, the same in each."""
    remembered = functools.lru_cache(maxsize=2048)(function)

    @functools.wraps(function)
    def either(source: str) -> _T:
        return (remembered if len(source) < _REMEMBERED else function)(source)

    return either


#: CPython 3.11 counts how deep a parse is for all threads together: one that is interrupted by another thread's, as it
#: can be where somebody follows the garbage collector (Dask does), ends with a SystemError.
_PARSING = threading.Lock()
# A process that is forked while another thread parses would find the lock taken, for ever.
os.register_at_fork(before=_PARSING.acquire, after_in_parent=_PARSING.release, after_in_child=_PARSING.release)


def parsed(source: str) -> ast.Module:
    """Parse a cell, while no other thread does.

    Raises:
        SyntaxError: If it is not Python.
    """
    with _PARSING:
        return ast.parse(source)


@remember
def tree_of(source: str) -> ast.Module:
    """Return the syntax tree of a cell, which nobody may change; that of an empty one if it is not Python."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a student's "\\d" is nobody else's concern
            return parsed(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module(body=[], type_ignores=[])


def defined_functions(source: str) -> tuple[str, ...]:
    """Return the names of the functions that a cell defines at top level, in order.

    Raises:
        SyntaxError: If it is not Python.
    """
    return tuple(n.name for n in parsed(source).body if isinstance(n, ast.FunctionDef))


def bound_at_top(nodes: Iterable[ast.stmt]) -> dict[str, ast.stmt]:
    """Return the names that statements leave behind, each with the last of the statements that binds it.

    Compound statements such as `if` and `try` are looked into, functions and classes are not.
    """
    names: dict[str, ast.stmt] = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names[node.name] = node
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names |= dict.fromkeys(map(_alias, node.names), node)
        elif isinstance(node, ast.If | ast.Try | ast.With | ast.For | ast.While):
            inner = [*node.body, *getattr(node, "orelse", []), *getattr(node, "finalbody", [])]
            inner += [n for handler in getattr(node, "handlers", []) for n in handler.body]
            try:
                names |= dict.fromkeys(bound_at_top(inner), node)
            except RecursionError:
                continue
        elif isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets: Sequence[ast.expr] = node.targets if isinstance(node, ast.Assign) else [node.target]
            names |= dict.fromkeys(frozenset[str]().union(*map(stored, targets)), node)
    return names


def stored(target: ast.expr) -> frozenset[str]:
    """Return the names that a target binds; those that it gives an item or an attribute, it reads."""
    match target:
        case ast.Name(id=name):
            return frozenset({name})
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            return frozenset[str]().union(*map(stored, parts))
        case ast.Starred(value=value):
            return stored(value)
    return frozenset()


def bound_anywhere(tree: ast.AST) -> set[str]:
    """Return the names that code binds at any depth, parameters not counted."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(_alias(node))
    return names


def may_bind(statement: ast.AST) -> set[str]:
    """Return the names that a statement may bind where it stands, by whatever: a loop, `with`, a pattern, `:=`."""
    try:
        return scope_of(statement).bound
    except RecursionError:
        return bound_anywhere(statement)


def own_names(tree: ast.AST) -> set[str]:
    """Return the names that may be code's own: bound at any depth, parameters, and what it deletes."""
    deleted = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Del)}
    return bound_anywhere(tree) | {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)} | deleted


def used_anywhere(tree: ast.AST) -> set[str]:
    """Return the names that code reads at any depth, its own included."""
    return {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def root_of(node: ast.expr) -> str:
    """Return the name at the beginning of `a.b[0].c`, or nothing."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def used_at_once(tree: ast.Module) -> set[str]:
    """Return the names that code reads while it runs and did not bind before: not those in bodies of functions."""
    bound: set[str] = set()
    used: set[str] = set()
    for statement in tree.body:
        scope = _Scope(later=False)
        try:
            scope.visit(statement)
        except RecursionError:
            scope.used |= used_anywhere(statement)
        used |= scope.used - bound
        bound |= bound_at_top([statement]).keys()
    return used


def run_at_once(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes of a statement that are run with it: not those in bodies of functions."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            waiting += [node.args, *node.decorator_list, *([node.returns] if node.returns else [])]
        elif isinstance(node, ast.Lambda):
            waiting.append(node.args)
        else:
            waiting += ast.iter_child_nodes(node)


def imported_modules(node: ast.AST) -> list[str]:
    """Return the full names of the modules that a statement imports, without relative ones; none for any other node."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    return [node.module] if isinstance(node, ast.ImportFrom) and node.module and not node.level else []


@remember
def left_behind(source: str) -> frozenset[str]:
    """Return the names that a cell leaves behind: `bound_at_top` of its source."""
    return frozenset(bound_at_top(tree_of(source).body))


@remember
def all_bound(source: str) -> frozenset[str]:
    """Return the names that a cell binds at any depth: `bound_anywhere` of its source."""
    return frozenset(bound_anywhere(tree_of(source)))


@remember
def all_used(source: str) -> frozenset[str]:
    """Return the names that a cell reads at any depth: `used_anywhere` of its source."""
    return frozenset(used_anywhere(tree_of(source)))


@remember
def words(source: str) -> frozenset[str]:
    """Return every word of a cell, in code, comments or texts, that does not follow a dot."""
    # `plt.show()` does not ask for a `show` of ours.
    return frozenset(re.findall(r"(?<![\w.])\w+", source))


def _alias(node: ast.alias) -> str:
    return node.asname or node.name.split(".")[0]


@dataclass(frozen=True)
class Names:
    """Names of a cell's top level.

    Args:
        bound: Names that the cell defines: assigned, imported, functions and classes.
        imported: Those of them that are imported.
        free: Names that it needs from elsewhere.
    """

    bound: frozenset[str]
    imported: frozenset[str]
    free: frozenset[str]


# `display` is there in every IPython kernel.
_KNOWN = frozenset(dir(builtins)) | {"__name__", "__file__", "display", "get_ipython"}
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class _Scope(ast.NodeVisitor):
    """Collects the names of one scope.

    `symtable` would do, but from Python 3.12 on it merges a comprehension's names with those around it.

    Args:
        later: Whether to look into what runs later than what stands around it: the bodies of functions.
    """

    def __init__(self, *, later: bool = True) -> None:
        self.later = later
        self.bound: set[str] = set()
        self.imported: set[str] = set()
        self.used: set[str] = set()
        self.module_wide: set[str] = set()

    def inner(self, nodes: Iterable[ast.AST], parameters: ast.arguments | None = None) -> None:
        """Look into a scope within this one; that of a function has `parameters`."""
        scope = _Scope(later=self.later)
        if parameters:
            every = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
            every += [a for a in (parameters.vararg, parameters.kwarg) if a]
            scope.bound |= {a.arg for a in every}
            for given in [*parameters.defaults, *parameters.kw_defaults, *(a.annotation for a in every)]:
                if given:
                    self.visit(given)
        for node in nodes if self.later or parameters is None else ():
            scope.visit(node)
        self.used |= scope.used - (scope.bound - scope.module_wide)
        self.module_wide |= scope.module_wide

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.bound.add(node.name)
        for outside in [*node.decorator_list, *([node.returns] if node.returns else [])]:
            self.visit(outside)
        self.inner(node.body, node.args)

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.inner([node.body], node.args)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.bound.add(node.name)
        for outside in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(outside)
        bound: set[str] = set()
        for one in node.body:  # in order: `factor = factor` reads the one outside
            inside = _Scope(later=self.later)
            if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef):
                for outside in [*one.decorator_list, *([one.returns] if one.returns else [])]:
                    inside.visit(outside)
                inside.used -= bound
                inside.inner(one.body, one.args)  # a function does not see what its class binds
                inside.bound.add(one.name)
            else:
                inside.visit(one)
                inside.used -= bound
            self.used |= inside.used
            self.module_wide |= inside.module_wide
            bound |= inside.bound

    def visit_Name(self, node: ast.Name) -> None:
        (self.used if isinstance(node.ctx, ast.Load) else self.bound).add(node.id)

    def visit_alias(self, node: ast.alias) -> None:
        self.bound.add(_alias(node))
        self.imported.add(_alias(node))

    def visit_Global(self, node: ast.Global) -> None:
        self.module_wide |= set(node.names)

    def generic_visit(self, node: ast.AST) -> None:
        if isinstance(node, _COMPREHENSIONS):
            self.visit(node.generators[0].iter)
            parts = [getattr(node, p) for p in ("elt", "key", "value") if hasattr(node, p)]
            for number, generator in enumerate(node.generators):
                parts += [generator.target, *generator.ifs, *([generator.iter] if number else [])]
            self.bound |= {n.target.id for part in parts for n in ast.walk(part) if isinstance(n, ast.NamedExpr)}
            self.inner(parts)
            return
        if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            self.bound.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            self.bound.add(node.rest)
        super().generic_visit(node)


def scope_of(node: ast.AST) -> _Scope:
    """Return what a piece of code binds, imports, reads (`used`) and declares `global` (`module_wide`).

    Raises:
        RecursionError: If it is nested too deeply.
    """
    scope = _Scope()
    scope.visit(node)
    return scope


@remember
def names_of(source: str) -> Names:
    """Return the names that a cell defines and needs, with the scopes of functions and comprehensions kept apart."""
    scope = scope_of(tree_of(source))
    bound = frozenset(scope.bound | scope.module_wide)
    return Names(bound, frozenset(scope.imported), frozenset(scope.used - bound - _KNOWN))


def calls_in(tree: ast.AST) -> set[str]:
    """Return the functions that code calls by name; a lambda is handed on and called, with care, by others."""
    found: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(node.func.id)
        waiting += [] if isinstance(node, ast.Lambda) else ast.iter_child_nodes(node)
    return found


def called_uncaught(source: str) -> set[str]:
    """Return the functions that a cell calls by name outside `try`."""
    tree = tree_of(source)
    caught = {n for t in ast.walk(tree) if isinstance(t, ast.Try) for s in t.body for n in calls_in(s)}
    return calls_in(tree) - caught


@functools.lru_cache(1024)
def bare(source: str) -> str:
    """Return code without comments, docstrings and blank lines, in the same words under every version of Python."""
    lines = source.split("\n")
    try:
        found = list(tokenize.generate_tokens(io.StringIO(source).readline))
    except (tokenize.TokenError, SyntaxError):
        return source
    for token in reversed(found):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    for node in ast.walk(tree_of(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node, clean=False):
            said = node.body[0]
            for row in range(said.lineno, (said.end_lineno or said.lineno) + 1):
                lines[row - 1] = ""
    return "\n".join(line.rstrip() for line in lines if line.strip())
