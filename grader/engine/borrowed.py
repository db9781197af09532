"""Answers that use a function of the release's folded helper cells: some of these know what is right.

A self-check computes what an answer should give, and a lesson what it shows. No answer of the catalogue and none that a
reader wrote calls one of them, so a person should look at one that does: a check inside the answer may be why. Which
ones it calls, the student's side says while the tests ask it (`sandbox/inside/helper_calls.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.findings import Finding, Level

#: What the student's side has to know of a cell: whether its functions say when they are called, and who wrote it.
WHOSE = {CellKind.HELPERS: "helpers", CellKind.ANSWER: "own", CellKind.FREE: "own"}
_DEFINES = re.compile(r"^(?:(?:async def|def|class) +)?(\w+)(?=[(:]| *(?::[^=\n]*)?=(?!=))", re.M)


def borrowed(nb: NotebookNode, place: int, reply: dict[str, Any]) -> Iterator[Finding]:
    """Yield a finding for each such function that an answer called in a test.

    Args:
        nb: The notebook that is run.
        place: Place of the test cell.
        reply: What the tests' side said of it: in `helpers` any names, for they come from the student's side.
    """
    if not reply.get("helpers"):
        return
    helpers = [cell.source for cell in nb.cells if kind_of(cell) is CellKind.HELPERS]
    known = {name for source in helpers for name in _DEFINES.findall(source)}
    answers = [cell for cell in nb.cells[:place] if kind_of(cell) is CellKind.ANSWER]
    answer = (grade_id(answers[-1]) if answers else None) or ""
    for name in sorted(known.intersection(reply["helpers"])):
        text = (
            f"While the tests asked the answer to {answer}, the student's code called {name}, which the course's "
            "helper cells define and no answer needs. That may be a check inside the answer, or the answer itself."
        )
        yield Finding("helper-called", answer, text, Level.SUSPICIOUS)
