"""Prepare a notebook: which of its cells need not run for marking, and for which names the tests get proxies.

Demonstrations and self-checks that were left as they were do not run, nor do helpers that only these use.
"""

from __future__ import annotations

import builtins
from collections.abc import Set
from dataclasses import dataclass

from nbformat import NotebookNode

from grader.core.cells import SKIPPED_KINDS, CellKind, grade_id, kind_of
from grader.core.names import all_bound, all_used, defined_functions, left_behind, words


@dataclass(frozen=True)
class Plan:
    """How a notebook is run; nothing of it is written into the notebook.

    Args:
        skipped: Places of the cells that need not run.
        functions: The names for which the tests get proxies.
    """

    skipped: frozenset[int] = frozenset()
    functions: tuple[str, ...] = ()

    @classmethod
    def of(cls, nb: NotebookNode, source: NotebookNode) -> Plan:
        """Return the plan of a submission.

        Args:
            nb: The submission, transplanted into the release.
            source: The source notebook of the assignment.
        """
        skipped = skippable(nb, source)
        return cls(skipped | unneeded_helpers(nb, skipped), proxied(nb, source))


def proxied(nb: NotebookNode, source: NotebookNode) -> tuple[str, ...]:
    """Name the functions that the tests call through proxies.

    These are the functions that the release's answer cells define, and those of cells tagged `student-side`; never what
    the student's own text defines.

    Args:
        nb: The submission.
        source: The source notebook or its release.
    """
    kinds = (CellKind.ANSWER, CellKind.STUDENT_SIDE)
    names = {grade_id(cell): defined_functions(cell.source) for cell in source.cells if kind_of(cell) in kinds}
    return tuple(n for cell in nb.cells if cell.cell_type == "code" for n in names.get(grade_id(cell), ()))


def skippable(nb: NotebookNode, source: NotebookNode) -> frozenset[int]:
    """Find the cells of a submission that need not run.

    Which cells those are is read from the source notebook, never from tags of the submission. If the student's own code
    uses a name that only a demonstration defines, all of them run.

    Args:
        nb: The submission.
        source: The source notebook of the assignment.

    Returns:
        Their places in the notebook.
    """
    known = {c.source.strip() for c in source.cells if kind_of(c) in SKIPPED_KINDS}
    candidates, kept = {}, []
    for place, cell in enumerate(nb.cells):
        if cell.cell_type != "code":
            continue
        marks = cell.metadata.get("nbgrader", {})
        own = marks.get("grade") or marks.get("solution") or marks.get("locked")
        if own or cell.source.strip() not in known:
            kept.append(cell)
        else:
            candidates[place] = cell
    locked = [c.source for c in source.cells if kind_of(c) not in (*SKIPPED_KINDS, CellKind.ANSWER)]
    student = [c.source for c in kept if c.source not in locked]
    demonstrated = set().union(*(all_bound(c.source) for c in candidates.values()))
    elsewhere = set(dir(builtins)).union(*(all_bound(c.source) for c in kept))
    needed = set().union(*(all_used(s) for s in student)) & (demonstrated - elsewhere)
    return frozenset() if needed else frozenset(candidates)


def unneeded_helpers(nb: NotebookNode, skipped: Set[int] = frozenset()) -> frozenset[int]:
    """Find the helper cells that nothing which runs could use.

    What draws and checks for the student alone is of no use when marking. A helper counts as used if a word of a cell
    that runs, be it in a text, is a name that the helper binds.

    Args:
        nb: The submission.
        skipped: Places of cells that do not run.

    Returns:
        Their places in the notebook.
    """
    code = {n: c for n, c in enumerate(nb.cells) if c.cell_type == "code" and n not in skipped}
    helpers = {n: c for n, c in code.items() if kind_of(c) is CellKind.HELPERS}
    at_hand = set().union(*(left_behind(c.source) for c in code.values() if kind_of(c) is CellKind.SETUP))
    read = set().union(*(words(c.source) for n, c in code.items() if n not in helpers))
    while needed := {n: c for n, c in helpers.items() if (left_behind(c.source) - at_hand) & read}:
        read = read.union(*(words(c.source) for c in needed.values()))
        helpers = {n: c for n, c in helpers.items() if n not in needed}
    return frozenset(helpers)
