"""Which words mark a file as an assignment's, whatever its name and however it was damaged."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Set

from nbformat import NotebookNode

from grader.core.cells import exercises, grade_id
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.names import defined_functions
from grader.core.notebook import read_notebook

_WORD, _END = re.compile(r"\w{4,}"), re.compile(r"\W|\Z")
#: Characters that are looked at together.
_PIECE = 2**20


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


def words_in(data: bytes, known: Set[str]) -> set[str]:
    """Return those of some words that a file's content holds.

    Args:
        data: The content; it may hold millions of other words, of which no more than a few are in memory at a time.
        known: What marks a file as an assignment's.
    """
    # Good enough for ASCII names in any encoding.
    text, found, start = data.replace(b"\0", b"").decode("latin-1"), set[str](), 0
    while start < len(text):
        end = _END.search(text, min(start + _PIECE, len(text)))
        stop = end.end() if end else len(text)
        found.update(known & set(_WORD.findall(text, start, stop)))
        start = stop
    return found


def how_many(data: bytes, words: Set[str]) -> int:
    """Count the words of the assignment that a file holds; if none are known, what any notebook holds."""
    if not words:
        return len(re.findall(r"\"cell_type\"|\"grade_id\"", data.replace(b"\0", b"").decode("latin-1")))
    return len(words_in(data, words))


def of_course(assignment: str) -> NotebookNode | None:
    """Return the source notebook of the course around the working directory, None if there is none."""
    course = Course.nearest()
    with contextlib.suppress(GraderError):
        return read_notebook(course.source(assignment)) if course else None
    return None
