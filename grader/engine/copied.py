"""Answers that are a given function of the course: the course needs it further down, and does it the exercise's work.

Behind some exercises stands a locked cell with a function that does what was asked for, so that a wrong answer costs
nothing later. An answer that does word for word the same, but for names, was hardly written by its author, so a person
should look at it. What stands above an answer, or in an earlier notebook, may be used there, and is not looked for.
Whoever changes more than names is not found.

This parses a student's code, so it is called where time and memory have limits (`handed.py`).
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from nbformat import NotebookNode

from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.findings import Finding, Level
from grader.core.names import remember, scope_of, tree_of, used_anywhere
from grader.core.notebook import read_notebook
from grader.engine.tested import binds, tested

#: Fewest words of a function that is looked for: with less, as a loop around one call, two authors write the same. Most
#: that are compared.
_LEAST, _MOST = 64, 4_000
#: What of a function's code is not compared.
_LEFT_OUT = frozenset({"annotation", "returns", "type_comment", "type_params", "ctx", "kind"})
#: Where code has a name that its author chose.
_CHOSEN = frozenset({(ast.Name, "id"), (ast.arg, "arg"), (ast.FunctionDef, "name"), (ast.ExceptHandler, "name")})
_FUNCTION = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class _Part:
    """A statement of a cell.

    Args:
        binds: Names that it binds, or gives an attribute or an item to.
        reads: Names that it reads, at any depth; not those that a function has to itself.
        functions: What the functions in it do, at any depth.
    """

    binds: Collection[str]
    reads: Collection[str]
    functions: Collection[int]


def copied(nb: NotebookNode, assignment: str, elsewhere: dict[str, list[str]]) -> Iterator[Finding]:
    """Yield a finding for each answer that is such a function, or needs one of the student's own that is.

    Args:
        nb: The notebook that is run: the release's cells, with the student's in their places.
        assignment: The assignment.
        elsewhere: What `given_elsewhere` returned.
    """
    own: dict[str, list[tuple[int, _Part]]] = {}
    for n, cell in enumerate(nb.cells):
        if cell.cell_type == "code" and kind_of(cell) not in (*LOCKED_KINDS, CellKind.TEST):
            for part in _parts(cell.source):
                # Another answer is looked at by itself, but not what else stands in its cell.
                for name in part.binds if grade_id(cell) not in part.binds else ():
                    own.setdefault(name, []).append((n, part))
    earlier = [source for other, sources in elsewhere.items() if other < assignment for source in sources]
    above = [what for source in earlier for what, _ in _given(source)]
    above += [what for cell in nb.cells if kind_of(cell) is CellKind.GIVEN for what, _ in _given(cell.source)]
    given: dict[int, tuple[str, str]] = {}  # where several are the same, the one that a student meets first
    for other in sorted((one for one in elsewhere if one > assignment), reverse=True):
        given |= {what: (name, other) for source in elsewhere[other] for what, name in _given(source)}
    found: list[Finding] = []
    answers = {one.place: one for one in tested(nb)}
    for n, cell in reversed([*enumerate(nb.cells)]):
        if kind_of(cell) is CellKind.GIVEN:
            given |= {what: (name, "") for what, name in _given(cell.source)}
            above = above[: len(above) - len(_given(cell.source))]
        elif n in answers:
            # What a name means in an answer is what it was given before the tests called it.
            answer = answers[n]
            before = {name: [part for at, part in parts if at < answer.end] for name, parts in own.items()}
            anew = [part for name in answer.names for at, part in own.get(name, ()) if answer.made_of(name, at)]
            does = _done_by([*_parts(cell.source), *anew], before) & given.keys() - {*above}
            found += [_said(answer.name, *one) for one in sorted({given[what] for what in does}, reverse=True)]
    yield from reversed(found)


def given_elsewhere(course: Course, assignment: str) -> dict[str, list[str]]:
    """Return the sources of the given cells of other assignments, by assignment; none of what cannot be read."""
    found = {}
    for other in course.assignments():
        if other != assignment:
            with contextlib.suppress(GraderError, OSError):
                path = course.source(other)
                found[other] = list(_given_at(path, path.stat().st_mtime_ns))
    return {other: sources for other, sources in found.items() if sources}


@lru_cache(maxsize=64)
def _given_at(path: Path, changed: int) -> tuple[str, ...]:
    """Return the sources of a notebook's given cells; most kits of a course ask. `changed` tells versions apart."""
    return tuple(cell.source for cell in read_notebook(path).cells if kind_of(cell) is CellKind.GIVEN)


def _said(answer: str, name: str, other: str) -> Finding:
    """Return what is said of an answer that is a given function.

    Args:
        answer: The answer.
        name: The function.
        other: The assignment that gives it, if another one does.
    """
    if other:
        text = f"The answer to {answer} does word for word what {name} does, which {other} gives."
    else:
        text = f"The answer to {answer} does word for word what {name} does, which the notebook gives further down."
    return Finding("given-copied", answer, text, Level.SUSPICIOUS)


def _done_by(parts: Iterable[_Part], own: Mapping[str, Iterable[_Part]]) -> set[int]:
    """Return what the functions of an answer do, and those that it needs of the student's own, at any depth."""
    found, followed = set[int](), set[str]()
    waiting, seen = list(parts), set[int]()
    while waiting:
        part = waiting.pop()
        if id(part) in seen:
            continue
        seen.add(id(part))
        found.update(part.functions)
        for name in set(part.reads) - followed:
            followed.add(name)
            waiting += own.get(name, ())
    return found


@remember
def _parts(source: str) -> tuple[_Part, ...]:
    """Return the statements of a cell."""
    return tuple(_Part(binds(s), _read(s), set(_functions(s))) for s in tree_of(source).body)


def _read(statement: ast.stmt) -> set[str]:
    """Return the names that a statement reads of the notebook's: not its functions' parameters and variables."""
    try:
        return scope_of(statement).used
    except RecursionError:
        return used_anywhere(statement)


def _functions(statement: ast.stmt) -> Iterator[int]:
    for node in ast.walk(statement):
        if isinstance(node, _FUNCTION) and len(words := _words(node)) < _MOST:
            yield hash(words)


@remember
def _given(source: str) -> tuple[tuple[int, str], ...]:
    """Return what the functions of a given cell do, with their names; without those that are too short."""
    functions = [(n.name, _words(n)) for n in tree_of(source).body if isinstance(n, _FUNCTION)]
    return tuple((hash(words), name) for name, words in functions if _LEAST <= len(words) < _MOST)


def _words(function: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[object, ...]:
    """Return what is compared of a function: its body, the names in it replaced by the order in which they appear.

    What is told to a reader is in another language elsewhere, so of texts those that look like code are compared.
    """
    said: list[object] = []
    names: dict[str, int] = {}
    waiting: list[object] = [function.body]
    while waiting and len(said) < _MOST:
        match waiting.pop():
            case list(nodes):
                nodes = [node for node in nodes if not _does_nothing(node)]
                said.append(len(nodes))
                waiting += reversed(nodes)
            case ast.Constant(value=str(text)):
                said.append(text if text.isascii() and " " not in text else str)
            case ast.Constant(value=value):
                said.append((type(value), value))
            case ast.AST() as node:
                said.append(type(node))
                if isinstance(node, ast.JoinedStr):
                    continue
                for field in reversed(node._fields):
                    value = getattr(node, field, None)
                    if (type(node), field) in _CHOSEN and value is not None:
                        said.append(names.setdefault(value, len(names)))
                    elif field not in _LEFT_OUT:
                        waiting.append(value)
            case other:
                said.append(other)
    return tuple(said)


def _does_nothing(node: object) -> bool:
    return isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
