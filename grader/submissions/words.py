"""Which words mark a file as an assignment's, whatever its name and however it was damaged."""

from __future__ import annotations

import re

from nbformat import NotebookNode

from grader.core.cells import exercises, grade_id
from grader.core.names import defined_functions


def words_of(source: NotebookNode | None) -> frozenset[str]:
    """Name what marks a file as this assignment's: ids of its cells that are marked, and functions to write."""
    if source is None:
        return frozenset()
    names = {name for cell in source.cells if (name := grade_id(cell)) and name != "setup"}
    for exercise in exercises(source):
        try:
            names.update(defined_functions(exercise.answer))
        except SyntaxError:
            continue
    return frozenset(n for n in names if len(n) > 3 and not n.startswith("helpers_"))


def words_in(data: bytes) -> set[str]:
    """Return the words of a file's content that could mark it as an assignment's."""
    # Good enough for ASCII names in any encoding.
    return set(re.findall(r"\w{4,}", data.replace(b"\0", b"").decode("latin-1")))
