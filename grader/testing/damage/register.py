"""Enter kinds of damage, and what they are made with."""

from __future__ import annotations

import ast
import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from grader.core.cells import CellKind, grade_id, kind_of

Damaged = NotebookNode | bytes | dict[str, bytes]
DAMAGES: dict[str, Callable[[NotebookNode], Damaged]] = {}
#: Kinds after which something of an answer is gone for good: the exercises that may rightly lose points.
UNREPAIRABLE: dict[str, Callable[[NotebookNode], set[str]]] = {}


def hand_in(damaged: Damaged, folder: Path, assignment: str) -> None:
    """Write what a kind of damage gave into a submission's folder."""
    if isinstance(damaged, NotebookNode):
        damaged = as_bytes(damaged)
    files = damaged if isinstance(damaged, dict) else {"{assignment}.ipynb": damaged}
    for name, data in files.items():
        path = folder / name.replace("{assignment}", assignment)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def damage(change: Callable[[NotebookNode], Damaged | None]) -> Callable[[NotebookNode], Damaged]:
    """Enter a kind; it may change the copy that it is given and give nothing."""

    def entered(nb: NotebookNode) -> Damaged:
        own = copy.deepcopy(nb)
        result = change(own)
        return own if result is None else result

    entered.__name__, entered.__doc__ = change.__name__, change.__doc__
    DAMAGES[change.__name__.strip("_").replace("_", "-")] = entered
    return entered


def costs(exercises: Callable[[NotebookNode], set[str]]):
    """Enter the kind below as one that may cost points, in the exercises that a function names."""

    def enter(kind: Callable[[NotebookNode], Damaged]) -> Callable[[NotebookNode], Damaged]:
        UNREPAIRABLE[kind.__name__.replace("_", "-")] = exercises
        return kind

    return enter


def as_bytes(nb: NotebookNode | dict) -> bytes:
    """Write a notebook as it is, valid or not."""
    return json.dumps(nb, indent=1, ensure_ascii=False, sort_keys=True).encode()


def cells_of(nb: NotebookNode, *kinds: CellKind) -> list[NotebookNode]:
    """Return the cells of some kinds."""
    return [cell for cell in nb.cells if kind_of(cell) in kinds]


def answers_of(nb: NotebookNode) -> list[NotebookNode]:
    """Return the answer cells."""
    return cells_of(nb, CellKind.ANSWER)


def names_of(cells: list[NotebookNode]) -> set[str]:
    """Return the `grade_id` of each cell that has one."""
    return {name for cell in cells if (name := grade_id(cell))}


def exercise(number: int) -> Callable[[NotebookNode], set[str]]:
    """Return a function that names one exercise of a notebook, for `costs`."""
    return lambda nb: names_of(answers_of(nb)[number:][:1])


def index_of(nb: NotebookNode, cell: NotebookNode) -> int:
    """Return the position of a cell."""
    return next(n for n, c in enumerate(nb.cells) if c is cell)


def insert_after(nb: NotebookNode, cell: NotebookNode, *new: NotebookNode) -> None:
    """Insert cells below another."""
    at = index_of(nb, cell) + 1
    nb.cells[at:at] = new


def code_cell(text: str, **more) -> NotebookNode:
    """Make a code cell whose id is the same each time."""
    cell = new_code_cell(text, **more)
    cell["id"] = more.get("id", f"added-{len(text)}-{sum(map(ord, text)) % 9973}")
    return cell


def next_of(nb: NotebookNode, cell: NotebookNode, *kinds: CellKind) -> Any:
    """Return the next cell of some kinds, None if there is none."""
    return next((c for c in nb.cells[index_of(nb, cell) + 1 :] if kind_of(c) in kinds), None)


def stub(text: str) -> str:
    """Empty the functions of an answer again."""
    tree = ast.parse(text)
    stop = ast.parse('raise NotImplementedError("not written yet")').body
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.body = [n for n in node.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)] + stop
    return ast.unparse(tree)


def without_marks(nb: NotebookNode, ids: bool) -> None:
    """Remove the metadata of all cells, and their ids if asked for."""
    for number, cell in enumerate(nb.cells):
        cell.metadata = NotebookNode()
        if ids:
            cell["id"] = f"lost{number:04d}"
