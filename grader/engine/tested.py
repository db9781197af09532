"""What an answer consists of: its cell, and what gives the names that its tests call something else below it.

A second attempt may stand in a cell of the student's own between the answer and its tests; from there on it is the
answer. What a name means behind the tests says nothing about an answer.

This parses a student's code, so it is called where time and memory have limits (`handed.py`).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.core.names import bound_at_top, left_behind, may_bind, names_of, root_of, run_at_once, tree_of

#: A student-side cell calls the answer for the tests.
_ASKING = (CellKind.TEST, CellKind.STUDENT_SIDE)


@dataclass(frozen=True)
class Tested:
    """An answer of a notebook that is run.

    Args:
        name: Its `grade_id`.
        place: Place of its cell.
        end: Place of its last test; the end of the notebook if it has none.
        names: Names of the student's that its tests call.
        unbound: Those of them that its cell is not sure to bind.
    """

    name: str
    place: int
    end: int
    names: frozenset[str]
    unbound: frozenset[str]

    def made_of(self, name: str, place: int) -> bool:
        """Return whether a statement that binds a name in a cell of the student's is part of the answer."""
        before = place < self.end and name in self.names
        return before and (place > self.place or name in self.unbound)


def tested(nb: NotebookNode) -> Iterator[Tested]:
    """Yield the answers of a notebook in order.

    Args:
        nb: The notebook that is run: the release's cells, with the student's in their places.
    """
    kinds = [kind_of(cell) if cell.cell_type == "code" else CellKind.TEXT for cell in nb.cells]
    # What a student-side cell binds is the course's too (`run_anew`); a test may go on with another.
    courses = (*LOCKED_KINDS, CellKind.TEST)
    fixed = [cell for cell, kind in zip(nb.cells, kinds, strict=True) if kind in courses]
    locked = frozenset[str]().union(*(left_behind(cell.source) for cell in fixed))
    answers = {n: cell for n, cell in enumerate(nb.cells) if kinds[n] is CellKind.ANSWER}
    for n, cell in answers.items():
        end = _last_test(kinds, n)
        asked = (nb.cells[at].source for at in range(n, min(end + 1, len(kinds))) if kinds[at] in _ASKING)
        theirs = [left_behind(other.source) | {grade_id(other) or ""} for at, other in answers.items() if at != n]
        bound = left_behind(cell.source)
        names = frozenset[str]().union(*(names_of(source).free for source in asked)) - locked
        names -= frozenset[str]().union(*theirs) - bound
        yield Tested(grade_id(cell) or "", n, end, names, names - _bound(tree_of(cell.source).body))


def _bound(body: list[ast.stmt]) -> set[str]:
    """Return the names that statements bind unless one fails: of a branch what all branches bind, of a loop none."""
    bound = set[str]()
    for one in body:
        match one:
            case ast.Raise():
                break
            case ast.If(test=ast.Constant(value=value)):
                bound |= _bound(one.body if value else one.orelse)
            case ast.If():
                bound |= _bound(one.body) & _bound(one.orelse)
            case ast.Try():
                whole = _bound([*one.body, *one.orelse])
                bound |= whole.intersection(*(_bound(handler.body) for handler in one.handlers))
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                bound.add(one.name)
            case _ if not hasattr(one, "body"):
                bound |= bound_at_top([one]).keys()
    return bound


def _last_test(kinds: list[CellKind], answer: int) -> int:
    """Return the place of the last test cell of an answer; the end of the notebook if it has none."""
    last = len(kinds)
    for n, kind in enumerate(kinds[answer + 1 :], answer + 1):
        if kind is CellKind.TEST:
            last = n
        elif kind is CellKind.ANSWER and last < len(kinds):
            break
    return last


def binds(statement: ast.stmt) -> set[str]:
    """Return the names that a statement may bind, also by `global`, and those of what it may give an attribute or item.

    What may be bound is followed, so one name too many costs a look at code, and one too few hides what an answer uses.
    """
    parts = (n for n in run_at_once(statement) if isinstance(n, ast.Attribute | ast.Subscript))
    given = {root_of(part) for part in parts if isinstance(part.ctx, ast.Store)} - {""}
    wide = (n.names for n in ast.walk(statement) if isinstance(n, ast.Global))
    return may_bind(statement).union(given, *wide)
