"""Answers that call a function of the release's folded helper cells: some of these know what is right.

A self-check computes what an answer should give, and a lesson what it shows. No answer of the catalogue and none that a
reader wrote calls one of them, so a person should look at one that does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from nbformat import NotebookNode

from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.core.findings import Finding, Level

_DEFINES = re.compile(r"^(?:def|class) (\w+)", re.M)
_CALLS = re.compile(r"(?<![\w.])(\w{1,80})\(")
_OWN = re.compile(r"\b(?:def|class) +(\w{1,80})|(?<![\w.])(\w{1,80}) *=(?!=)|\bas +(\w{1,80})|\bimport +(\w{1,80})")
#: Most characters of a cell that are looked at.
_MOST = 100_000


def borrowed(nb: NotebookNode) -> Iterator[Finding]:
    """Yield a finding for each answer that calls such a function, unless a cell of the student's gives its name.

    Args:
        nb: The notebook that is run: the release's cells, with the student's in their places.
    """
    code = [cell for cell in nb.cells if cell.cell_type == "code"]
    ours = {name for cell in code if kind_of(cell) is CellKind.HELPERS for name in _DEFINES.findall(cell.source)}
    answers = [cell for cell in code if kind_of(cell) is CellKind.ANSWER]
    called = {grade_id(cell) or "": ours.intersection(_CALLS.findall(cell.source[:_MOST])) for cell in answers}
    if not any(called.values()):
        return
    theirs = [cell.source[:_MOST] for cell in code if kind_of(cell) not in (*LOCKED_KINDS, CellKind.TEST)]
    own = {name for source in theirs for names in _OWN.findall(source) for name in names}
    for answer, names in called.items():
        for name in sorted(names - own):
            text = f"The answer to {answer} calls {name}, which the course's helper cells define and no answer needs."
            yield Finding("helper-called", answer, text, Level.SUSPICIOUS)
