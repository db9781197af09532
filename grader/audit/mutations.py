"""Small automatic changes to a reference solution, each of which some test should notice.

Changes are made on the syntax tree, and only between `### BEGIN SOLUTION` and `### END SOLUTION`. What an exercise's
contract does not fix is left alone: texts of messages, docstrings, imports, type annotations.

Statements are changed here, the expressions in them in `expression_changes.py`.
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from grader.audit.expression_changes import ARITHMETIC, Edit, ExpressionChanges, is_module, swapped
from grader.core.catalogue import STATEMENT_JOIN, header
from grader.core.errors import GraderError
from grader.core.regions import Part, solutions


@dataclass(frozen=True)
class Change:
    """One automatic change.

    Args:
        operator: What kind of change.
        line: Line of the answer cell, from 1.
        was: The statement it is in, on one line: whole if it is simple, only the head if not.
        now: The same statement, changed.
        nth: Which of several places with the same `was` and `now`, from 1.
        source: The whole changed answer.
    """

    operator: str
    line: int
    was: str
    now: str
    nth: int
    source: str

    @property
    def key(self) -> tuple[str, str, int]:
        """What a record of the catalogue identifies it by."""
        return self.was, self.now, self.nth


def solution_regions(source: str, where: str = "") -> list[tuple[int, int]]:
    """Find the lines between the solution marks.

    Args:
        source: An answer cell.
        where: What it is called in an error.

    Returns:
        First and last line of each region, the marks themselves included, from 1.

    Raises:
        GraderError: If marks do not come in pairs, or there are none.
    """
    regions: list[tuple[int, int]] = []
    begin: int | None = None
    first, last = solutions().written
    for number, (part, _) in enumerate(solutions().parts(source), 1):
        if part is Part.NESTED:
            raise GraderError(f"two {first} in a row", f"{where}, line {number}", f"add {last}")
        if part is Part.STRAY:
            raise GraderError(f"{last} without a beginning", f"{where}, line {number}", f"add {first} above it")
        if part is Part.BEGIN:
            begin = number
        elif part is Part.END and begin is not None:
            regions.append((begin, number))
            begin = None
    if begin is not None or not regions:
        fix = f"put the solution between {first} and {last}"
        raise GraderError("no complete solution region", where, fix)
    return regions


def stub_of(source: str, stub: str = 'raise NotImplementedError("not written yet")', where: str = "") -> str:
    """Return an answer cell as students get it: each region replaced, as nbgrader's `ClearSolutions` does."""
    solution_regions(source, where)  # complains about markers that are not in pairs
    return solutions().without(source, stub)


def changes(source: str, where: str = "") -> list[Change]:
    """List all automatic changes to a reference answer, in a fixed order.

    Args:
        source: The answer cell, with its solution marks.
        where: What it is called in an error.

    Returns:
        The changes, by line. No two give the same program, and none gives the original.
    """
    finder = _Changes(ast.parse(source), solution_regions(source, where))
    number = {id(node): n for n, node in enumerate(ast.walk(finder.tree))}
    seen = {ast.dump(finder.tree)}
    found = []
    for edit in finder.all():
        tree = copy.deepcopy(finder.tree)
        twins = list(ast.walk(tree))
        edit.apply(twins[number[id(edit.node)]])
        ast.fix_missing_locations(tree)
        if ast.dump(tree) in seen:
            continue
        seen.add(ast.dump(tree))
        try:
            changed = ast.unparse(tree)
            compile(changed, "<change>", "exec")
        except (SyntaxError, ValueError):
            continue  # no program, such as `del` of a constant
        if edit.of_statements:
            at = edit.at or 0
            old = getattr(edit.node, edit.field)[at : at + len(edit.new)]
            was, now = (STATEMENT_JOIN.join(map(header, nodes)) for nodes in (old, edit.new))
            line = old[0].lineno
        else:
            statement = finder.statement_of(edit.node)
            was, now = header(statement), header(twins[number[id(statement)]])
            line = getattr(edit.node, "lineno", statement.lineno)
        found.append((line, edit.operator, was, now, changed))
    found.sort(key=lambda entry: entry[0])  # stable: within a line, the order of the tree
    places: Counter[tuple[str, str]] = Counter()
    result = []
    for line, operator, was, now, changed in found:
        places[was, now] += 1
        result.append(Change(operator, line, was, now, places[was, now], changed))
    return result


_IMPORTS = (ast.Import, ast.ImportFrom)
_ENDS = (ast.Return, ast.Raise, ast.Break, ast.Continue)
_BLOCKS = ("body", "orelse", "finalbody")


class _Changes(ExpressionChanges):
    """Walks over the solution regions of one answer and proposes edits.

    Args:
        tree: The answer.
        regions: First and last line of each region.
    """

    def __init__(self, tree: ast.Module, regions: list[tuple[int, int]]):
        super().__init__({id(child): node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)})
        self.tree, self.regions = tree, regions

    def statement_of(self, node: ast.AST) -> ast.stmt | ast.ExceptHandler:
        """Find the innermost statement that a node belongs to."""
        while not isinstance(node, ast.stmt | ast.ExceptHandler):
            node = self.parents[id(node)]
        return node

    def all(self) -> Iterator[Edit]:
        """Propose every change of the regions."""
        yield from self._block(self.tree, "body", ())

    def _inside(self, node: Any) -> bool:
        return any(begin <= node.lineno <= end for begin, end in self.regions)

    def _block(self, owner: ast.AST, field: str, parameters: tuple[str, ...]) -> Iterator[Edit]:
        """Look at the statements of one block, then at the blocks inside them."""
        body = getattr(owner, field)
        for at, node in enumerate(body):
            if self._inside(node) and not _is_text(node):
                yield from self._statement(owner, field, at, parameters)
            names = parameters
            if isinstance(node, ast.FunctionDef):
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                names = tuple(a.arg for a in arguments)
            for block in _BLOCKS:
                if isinstance(getattr(node, block, None), list):
                    yield from self._block(node, block, names)
            for handler in getattr(node, "handlers", []):
                yield from self._block(handler, "body", names)
            for case in getattr(node, "cases", []):
                yield from self._block(case, "body", names)

    def _statement(self, owner: ast.AST, field: str, at: int, parameters: tuple[str, ...]) -> Iterator[Edit]:
        """Propose changes of a statement as a whole, then of the expressions in it."""
        body = getattr(owner, field)
        node = body[at]

        def replaced(operator: str, *new: ast.stmt) -> Edit:
            return Edit(operator, owner, field, list(new), at)

        if isinstance(node, _IMPORTS):
            return
        last_return = isinstance(node, ast.Return) and isinstance(owner, ast.FunctionDef) and node is body[-1]
        first = self._first_given(node)
        needed = first & self._read_after(node)
        if not isinstance(node, ast.Pass | ast.FunctionDef) and not last_return and not needed:
            yield replaced("dropped statement", ast.Pass())
        if at + 1 < len(body):
            after = body[at + 1]
            still = (*_IMPORTS, *_ENDS, ast.FunctionDef)
            movable = not isinstance(node, still) and not isinstance(after, still)
            if movable and self._inside(after) and _depend(node, after) and not first & _names(after)[0]:
                yield replaced("swapped statements", after, node)
        match node:
            case ast.Break():
                yield replaced("continue for break", ast.Continue())
            case ast.Continue():
                yield replaced("break for continue", ast.Break())
            case ast.AugAssign(target, op, value):
                for other in ARITHMETIC.get(type(op), ()):
                    yield Edit("arithmetic", node, "op", other())
                yield replaced("assignment", ast.Assign([target], value, lineno=node.lineno))
            case ast.Assign([ast.Name(name) as target], ast.BinOp(ast.Name(same), op, right)) if name == same:
                yield replaced("change in place", ast.AugAssign(target, op, right))
            case ast.If():
                yield Edit("condition", node, "test", ast.Constant(True))
                if node.orelse:  # else it is the same as dropping the statement
                    yield Edit("condition", node, "test", ast.Constant(False))
            case ast.Return(ast.Tuple(elements) as value):
                for i in range(len(elements) - 1):
                    yield Edit("swapped results", value, "elts", swapped(elements, i))
            case ast.Raise(exc) if exc is not None:
                # The type counts, the text does not.
                kind, slot = (
                    (exc.func, (exc, "func", None)) if isinstance(exc, ast.Call) else (exc, (node, "exc", None))
                )
                yield from self.name(kind, slot)
                return
        for name, value in ast.iter_fields(node):
            skipped = name in (*_BLOCKS, "handlers", "cases", "annotation", "args", "decorator_list", "returns", "msg")
            if not skipped:
                yield from self.values(node, name, value, parameters)

    def _scope(self, node: ast.AST) -> ast.AST:
        """Find the function, or the module, that a statement belongs to."""
        while not isinstance(node, ast.FunctionDef | ast.Module):
            node = self.parents[id(node)]
        return node

    def _first_given(self, node: ast.stmt) -> set[str]:
        """List the names that get their first value from this assignment.

        To drop it, or to move it behind their use, is no test of the tests: any call then ends in a NameError.
        """
        if not isinstance(node, ast.Assign | ast.AnnAssign):
            return set()
        scope = self._scope(self.parents[id(node)])
        known = {n.arg for n in ast.walk(scope) if isinstance(n, ast.arg)}
        names = [n for n in ast.walk(scope) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
        known |= {n.id for n in names if n.lineno < node.lineno}
        return {n.id for n in names if node.lineno <= n.lineno <= (node.end_lineno or node.lineno)} - known

    def _read_after(self, node: ast.stmt) -> set[str]:
        """List the names that the same function reads further down."""
        names = (n for n in ast.walk(self._scope(self.parents[id(node)])) if isinstance(n, ast.Name))
        return {n.id for n in names if isinstance(n.ctx, ast.Load) and n.lineno > (node.end_lineno or node.lineno)}


def _names(node: ast.stmt) -> tuple[set[str], set[str]]:
    """List the names that a statement mentions, and those that it changes.

    A name counts as changed if it is assigned to, also in part (`x[0] = 1`), or if one of its methods is called.
    """
    mentioned, changed = set(), set()
    for part in ast.walk(node):
        if isinstance(part, ast.Name):
            mentioned.add(part.id)
            changed |= set() if isinstance(part.ctx, ast.Load) else {part.id}
        elif isinstance(part, ast.Attribute | ast.Subscript):
            base: ast.expr = part
            while isinstance(base, ast.Attribute | ast.Subscript):
                base = base.value
            method = isinstance(part, ast.Attribute) and not is_module(part)
            if isinstance(base, ast.Name) and (method or not isinstance(part.ctx, ast.Load)):
                changed.add(base.id)
    return mentioned, changed


def _depend(one: ast.stmt, other: ast.stmt) -> bool:
    """Return whether the order of two statements can matter: one changes a name that the other mentions."""
    (mentioned_1, changed_1), (mentioned_2, changed_2) = _names(one), _names(other)
    return bool(changed_1 & mentioned_2 or changed_2 & mentioned_1)


def _is_text(node: ast.stmt) -> bool:
    """Return whether a statement is a docstring or a bare `...`."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
