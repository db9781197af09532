"""Read what is in a cell: marked regions, names, prose, outputs."""

from __future__ import annotations

import ast
import builtins
import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from grader.core.regions import Markers, Part, hidden_tests, solutions


# Many rules look at the same cell; nobody changes a tree.
@functools.lru_cache(maxsize=2048)
def tree_of(source: str) -> ast.Module:
    """Parse a cell; one that is not Python counts as empty (the rule `plain-python` reports it)."""
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return ast.Module(body=[], type_ignores=[])


def visible(source: str) -> str:
    """Return the part of a test cell that students see."""
    return hidden_tests().without(source)


def stub(source: str) -> str:
    """Return the part of an answer cell that students see, with `pass` where the solution was."""
    return solutions().without(source, "pass")


def badly_marked(markers: Markers, source: str) -> bool:
    """Return whether a cell has markers without a partner, or markers that are not written as this course does it."""
    lines = [line.strip() for part, line in markers.parts(source) if part not in (Part.OUTSIDE, Part.INSIDE)]
    return bool(markers.unpaired(source)) or not set(lines) <= set(markers.written)


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
    """

    def __init__(self) -> None:
        self.bound: set[str] = set()
        self.imported: set[str] = set()
        self.used: set[str] = set()
        self.module_wide: set[str] = set()

    def inner(self, nodes: Iterable[ast.AST], parameters: ast.arguments | None = None) -> None:
        """Look into a scope within this one."""
        scope = _Scope()
        if parameters:
            every = [*parameters.posonlyargs, *parameters.args, *parameters.kwonlyargs]
            scope.bound |= {a.arg for a in [*every, parameters.vararg, parameters.kwarg] if a}
            for given in [*parameters.defaults, *parameters.kw_defaults, *(a.annotation for a in every)]:
                if given:
                    self.visit(given)
        for node in nodes:
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
        self.inner(node.body)

    def visit_Name(self, node: ast.Name) -> None:
        (self.used if isinstance(node.ctx, ast.Load) else self.bound).add(node.id)

    def visit_alias(self, node: ast.alias) -> None:
        name = node.asname or node.name.split(".")[0]
        self.bound.add(name)
        self.imported.add(name)

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


@functools.lru_cache(maxsize=2048)
def names_of(source: str) -> Names:
    """Find the names that a cell defines and needs."""
    scope = _Scope()
    scope.visit(tree_of(source))
    bound = frozenset(scope.bound | scope.module_wide)
    return Names(bound, frozenset(scope.imported), frozenset(scope.used - bound - _KNOWN))


def calls_in(tree: ast.AST) -> set[str]:
    """Name the functions that a cell calls; a lambda is handed on and called, with care, by others."""
    found: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            found.add(node.func.id)
        waiting += [] if isinstance(node, ast.Lambda) else ast.iter_child_nodes(node)
    return found


def called_uncaught(source: str) -> set[str]:
    """Name the functions that a cell calls outside `try`."""
    tree = tree_of(source)
    caught = {n for t in ast.walk(tree) if isinstance(t, ast.Try) for s in t.body for n in calls_in(s)}
    return calls_in(tree) - caught


def defined_in(cells: Iterable[NotebookNode]) -> frozenset[str]:
    """Return all names that some cells define."""
    return frozenset().union(*(names_of(c.source).bound for c in cells))


def listed(names: Iterable[str]) -> str:
    """Write names as a list in a sentence."""
    return ", ".join(sorted(names))


def outside_fences(text: str) -> str:
    """Return markdown without its code blocks."""
    return re.sub(r"^(```|~~~).*?^\1[ \t]*$", "", text, flags=re.M | re.S)


def prose(text: str) -> str:
    """Return the words of a markdown text: no code, formulas, tags, addresses or table rules."""
    text = outside_fences(text)
    text = re.sub(r"<!--.*?-->", " ", text, flags=re.S)
    text = re.sub(r"(`+).+?\1", " code ", text).replace(r"\$", "")
    text = re.sub(r"\$\$.+?\$\$", " formula ", text, flags=re.S)
    text = re.sub(r"\$[^$\n]+\$", " formula ", text)
    text = re.sub(r"!\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return re.sub(r"</?\w[^>]*>|https?://\S+", " ", text)


def output_texts(cell: NotebookNode) -> Iterator[str]:
    """Return every text among a cell's outputs, without the pictures inside HTML."""
    for output in cell.get("outputs", []):
        if output.output_type == "stream":
            yield output.text
        for kind, data in output.get("data", {}).items():
            if kind.startswith("text/") and isinstance(data, str):
                yield re.sub(r"data:[\w/+.-]+;base64,[\w+/=\s]*", "data:", data)
