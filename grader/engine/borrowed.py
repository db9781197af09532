"""Answers that use a function of the release's folded helper cells: some of these know what is right.

A self-check computes what an answer should give, and a lesson what it shows. No answer of the catalogue and none that a
reader wrote uses one of them, so a person should look at one that does. It is found by its name, wherever the answer,
or what it needs of the student's own cells, reads that. Who puts the name together from pieces is not found.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from nbformat import NotebookNode

from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.core.findings import Finding, Level
from grader.core.names import bound_at_top, left_behind, own_names, scope_of, tree_of

_DEFINES = re.compile(r"^(?:def|class) (\w+)", re.M)
_WORDS = re.compile(r"\w{1,80}")
_CALLS = re.compile(r"(?<![\w.])(\w{1,80})\(")
#: Code that has one of these can get at a name by a text, or as an attribute.
_BY_TEXT = {
    *("globals", "locals", "vars", "getattr", "eval", "exec", "compile", "get_ipython"),
    *("__main__", "__globals__", "__dict__", "modules", "user_ns"),
}
#: Most characters of a cell that are looked at.
_MOST = 100_000


def borrowed(nb: NotebookNode) -> Iterator[Finding]:
    """Yield a finding for each answer that uses such a function, unless a cell of the student's gives its name.

    A call of its own line, such as that of a self-check, gives an answer nothing.

    Args:
        nb: The notebook that is run: the release's cells, with the student's in their places.
    """
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    ours = {name for cell in code if kind_of(cell) is CellKind.HELPERS for name in _DEFINES.findall(cell.source)}
    theirs = [cell for cell in code if kind_of(cell) in (CellKind.ANSWER, CellKind.FREE)]
    if not any(ours.intersection(_WORDS.findall(cell.source[:_MOST])) for cell in theirs):
        return
    others = [cell for cell in code if kind_of(cell) not in (*LOCKED_KINDS, CellKind.TEST)]
    own = {name for cell in others for name in left_behind(cell.source[:_MOST])}
    behind: dict[str, set[str]] = {}  # what the student's own definitions read
    for cell in theirs:
        for name, statement in bound_at_top(tree_of(cell.source[:_MOST]).body).items():
            itself = {name} if isinstance(statement, ast.FunctionDef | ast.ClassDef) else set()
            behind.setdefault(name, set()).update(_read([statement], ours) - itself)
    for cell in theirs:
        if kind_of(cell) is CellKind.ANSWER:
            answer, source = grade_id(cell) or "", cell.source[:_MOST]
            for name in sorted(_needed(_all_read(source, ours), behind, own) & ours):
                text = (
                    f"The answer to {answer} uses {name}, which the course's helper cells define and no answer needs."
                )
                yield Finding("helper-called", answer, text, Level.SUSPICIOUS)


def _all_read(source: str, ours: set[str]) -> set[str]:
    """Return the names that a cell reads; of one that is not Python alone, because of a magic, what it calls."""
    body = tree_of(source).body
    return _read(body, ours) if body else set(_CALLS.findall(source))


def _read(body: Iterable[ast.stmt], ours: set[str]) -> set[str]:
    """Return the names that statements read, and those of `ours` that they may reach by a text."""
    found: set[str] = set()
    for statement in body:
        try:
            read = scope_of(statement).used
            said = set(_WORDS.findall(ast.unparse(statement)))
        except RecursionError:
            continue
        match statement:
            case ast.Expr(value=ast.Call(func=ast.Name(id=name), args=args, keywords=named)) if name in ours:
                read = {read for part in (*args, *(word.value for word in named)) for read in scope_of(part).used}
            case _ if said & _BY_TEXT:
                read |= said & ours - own_names(statement)
        found |= read
    return found


def _needed(names: set[str], behind: dict[str, set[str]], own: set[str]) -> set[str]:
    """Return the names that are not the student's own among those that some names need, at any depth."""
    seen: set[str] = set()
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in own:
            found.add(name)
        elif name not in seen:
            seen.add(name)
            there = behind.get(name, set())
            waiting += there
            found |= {name} & there  # `share = share` gives a name that it has from somebody else
    return found
