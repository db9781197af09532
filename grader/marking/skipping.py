"""Which cells need not run for marking: demonstrations and self-checks that the student left as they were."""

from __future__ import annotations

import ast
import builtins

from nbformat import NotebookNode

from ..notebook import SKIPPED_KINDS, CellKind, kind_of

#: Tag of the cells that are not run. It is set here alone, whatever tags a submission brings.
SKIP_TAG = "skipped-when-grading"


def mark_skippable(nb: NotebookNode, source: NotebookNode) -> int:
    """Tag the cells of a submission that need not run, in place.

    Which cells those are is read from the source notebook. If the student's own code uses a name that only a
    demonstration defines, all of them run.

    Args:
        nb: The submission.
        source: The source notebook of the assignment.

    Returns:
        How many cells were tagged.
    """
    known = {c.source.strip() for c in source.cells if kind_of(c) in SKIPPED_KINDS}
    candidates, kept = [], []
    for cell in nb.cells:
        if cell.cell_type != "code":
            continue
        # A tag in the submission is the student's word; only the source's counts.
        cell.metadata["tags"] = [t for t in cell.metadata.get("tags", []) if not t.startswith("skip")]
        marks = cell.metadata.get("nbgrader", {})
        own = marks.get("grade") or marks.get("solution") or marks.get("locked")
        (kept if own or cell.source.strip() not in known else candidates).append(cell)
    locked = [c.source for c in source.cells if kind_of(c) not in (*SKIPPED_KINDS, CellKind.ANSWER)]
    student = [c.source for c in kept if c.source not in locked]
    demonstrated = set().union(*(_bound(c.source) for c in candidates))
    elsewhere = set(dir(builtins)).union(*(_bound(c.source) for c in kept))
    needed = set().union(*(_used(s) for s in student)) & (demonstrated - elsewhere)
    if needed:
        return 0
    for cell in candidates:
        cell.metadata["tags"].append(SKIP_TAG)
    return len(candidates)


def _tree(source: str) -> ast.AST:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):  # a magic or half a line: it binds and uses nothing that we could know
        return ast.Module([], [])


def _bound(source: str) -> set[str]:
    """Name what a cell binds, at any depth: more than needed here does no harm."""
    names = set()
    for node in ast.walk(_tree(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add((node.asname or node.name).split(".")[0])
    return names


def _used(source: str) -> set[str]:
    return {n.id for n in ast.walk(_tree(source)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
