"""Which cells need not run for marking: demonstrations and self-checks left as they were, helpers of those alone."""

from __future__ import annotations

import builtins

from nbformat import NotebookNode

from grader.core.cells import SKIPPED_KINDS, CellKind, kind_of
from grader.core.names import all_bound, all_used, left_behind, words

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
    demonstrated = set().union(*(all_bound(c.source) for c in candidates))
    elsewhere = set(dir(builtins)).union(*(all_bound(c.source) for c in kept))
    needed = set().union(*(all_used(s) for s in student)) & (demonstrated - elsewhere)
    if needed:
        return 0
    for cell in candidates:
        cell.metadata["tags"].append(SKIP_TAG)
    return len(candidates)


def mark_unneeded_helpers(nb: NotebookNode) -> int:
    """Tag the helper cells that nothing which runs could use, in place; call it after `mark_skippable`.

    What draws and checks for the student alone is of no use when marking. A helper counts as used if a word of a cell
    that runs, be it in a text, is a name that the helper binds.

    Args:
        nb: The submission.

    Returns:
        How many cells were tagged.
    """
    code = [c for c in nb.cells if c.cell_type == "code" and SKIP_TAG not in c.metadata.get("tags", [])]
    helpers = [c for c in code if kind_of(c) is CellKind.HELPERS]
    at_hand = set().union(*(left_behind(c.source) for c in code if kind_of(c) is CellKind.SETUP))
    read = set().union(*(words(c.source) for c in code if kind_of(c) is not CellKind.HELPERS))
    unneeded = helpers
    while needed := [c for c in unneeded if (left_behind(c.source) - at_hand) & read]:
        read = read.union(*(words(c.source) for c in needed))
        unneeded = [c for c in unneeded if all(c is not n for n in needed)]
    for cell in unneeded:
        cell.metadata["tags"] = [*cell.metadata.get("tags", []), SKIP_TAG]
    return len(unneeded)
