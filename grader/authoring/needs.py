"""Find which cells of a notebook it takes to show what some of them show."""

from __future__ import annotations

import hashlib
from collections.abc import Container

from nbformat import NotebookNode

from grader.core.cells import SKIPPED_KINDS, CellKind, kind_of
from grader.core.names import bare
from grader.core.statements import statements_of

_NEVER = (CellKind.TEST, CellKind.SELF_CHECK)


def needed_cells(nb: NotebookNode, wanted: Container[str], strict: bool = False) -> list[NotebookNode]:
    """Return the cells to run: those that are wanted, what they need of demonstrations, and what defines the rest.

    A demonstration is needed if it binds a name that is needed, stores into it or hands it to a call, as training does.

    Args:
        nb: The notebook.
        wanted: Ids of cells.
        strict: Whether other cells are looked at in the same way, so that a helper that is not used stays out.
    """
    names: set[str] = set()
    found = []
    for cell in reversed(nb.cells):
        kind = kind_of(cell)
        if cell.cell_type != "code" or kind in _NEVER:
            continue
        statements = statements_of(cell.source)
        touched = {name for s in statements for name in s.binds | s.stores | s.hands}
        asked = bool(touched & names) or (bool(names) and not strict and kind not in SKIPPED_KINDS)
        if cell.id in wanted or asked:
            names |= {name for s in statements for name in s.now | s.later | s.binds}
            found.append(cell)
    return found[::-1]


def digest(cells: list[NotebookNode]) -> str:
    """Return what changes as soon as the code of cells does; comments, docstrings and blank lines do not count."""
    return hashlib.sha256("\n\n".join(bare(cell.source) for cell in cells).encode()).hexdigest()[:16]
