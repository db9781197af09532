"""Find the cells that a cell needs, so that a test runs those and not whole trainings."""

import symtable

from nbformat import NotebookNode

from grader.core.cells import CellKind, kind_of

_RUN = (CellKind.GIVEN, CellKind.DEMONSTRATION)


def needed(nb: NotebookNode, name: str, known: set[str] = frozenset()) -> list[str]:
    """Name the cells that define what a cell uses, directly or through others, in order.

    Args:
        nb: A notebook.
        name: Id of the cell in question.
        known: Names that something else defines.
    """
    place = next(i for i, c in enumerate(nb.cells) if c.id == name)
    wanted, found = names_of(nb.cells[place].source)[1] - known, []
    for cell in reversed(nb.cells[:place]):
        if kind_of(cell) in _RUN:
            defined, used = names_of(cell.source)
            if defined & wanted:
                found.append(cell.id)
                wanted = (wanted - defined) | (used - known)
    return found[::-1]


def names_of(source: str) -> tuple[set[str], set[str]]:
    """Give the names that a cell defines, and those that it takes from elsewhere."""
    top = symtable.symtable(source, "cell", "exec")
    defined = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    used, tables = set(), [top]
    while tables:
        table = tables.pop()
        tables += table.get_children()
        used |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and (s.is_global() or table is top)}
    return defined, used - defined
