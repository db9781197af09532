"""Which words mark a file as an assignment's, whatever its name and however it was damaged."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Set
from functools import lru_cache
from pathlib import Path

from nbformat import NotebookNode

from grader.core.cells import exercises, grade_id
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.names import defined_functions
from grader.core.notebook import read_notebook

_WORD, _END = re.compile(r"\w{4,}"), re.compile(r"\W|\Z")
#: Characters that are looked at together.
_PIECE = 2**20
#: A notebook is clearly another assignment's if the share of that one's words in it is more than so many times larger.
#: Released and solved notebooks share a word or two of thirty; of a script without its cells' ids a quarter is left.
_CLEARLY = 3
#: Places that are tried at which a word may be, before a file is read word by word.
_TRIES = 100


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


def is_surely_of(data: bytes, words: Set[str]) -> bool:
    """Return whether a file holds so many of an assignment's words that it is not `clearly_another`.

    These are looked for one by one: in an honest file they come soon, and with figures it has 50,000 other words.

    Args:
        data: The content.
        words: What marks a file as the assignment's.
    """
    text = data.replace(b"\0", b"").decode("latin-1")
    missing = -(-len(words) // _CLEARLY)
    for word in words:
        missing -= _is_in(text, word)
        if missing <= 0:
            return bool(words)
    return False


def _is_in(text: str, word: str) -> bool:
    """Return whether a word is found in a text soon, as `_WORD` finds it."""
    at = -1
    for _ in range(_TRIES):
        at = text.find(word, at + 1)
        if at < 0:
            return False
        around = text[max(at - 1, 0) : at] + text[at + len(word) : at + len(word) + 1]
        if not any(letter == "_" or letter.isalnum() for letter in around):
            return True
    return False


def shares_of(there: Set[str], words: Mapping[str, Set[str]]) -> dict[str, float]:
    """Return the share of each assignment's words that are among those that a file holds."""
    return {a: len(some & there) / len(some) if some else 0.0 for a, some in words.items()}


def likeliest(shares: Mapping[str, float]) -> str | None:
    """Return the one assignment of which a file holds most; None if there is none, or several."""
    most = max(shares.values(), default=0.0)
    found = [assignment for assignment, share in shares.items() if share == most > 0]
    return found[0] if len(found) == 1 else None


def clearly_another(shares: Mapping[str, float], asked: str, least: float = 0.0) -> str | None:
    """Return the assignment that a file is of if that is clearly not the one that was asked for.

    Args:
        shares: What `shares_of` returned.
        asked: The assignment that it should be of.
        least: The smallest share of the other one's words that says so.
    """
    other = likeliest(shares)
    if other and shares[other] >= least and _CLEARLY * shares.get(asked, 0.0) < shares[other]:
        return other
    return None


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


def words_of_course(course: Course) -> dict[str, frozenset[str]]:
    """Return what marks a file as each of a course's assignments, those left out whose source cannot be read."""
    found = {}
    for assignment in course.assignments():
        with contextlib.suppress(GraderError, OSError):
            path = course.source(assignment)
            found[assignment] = _words_at(path, path.stat().st_mtime_ns)
    return found


@lru_cache(maxsize=64)
def _words_at(path: Path, changed: int) -> frozenset[str]:
    """Return what `words_of` finds; each kit of a course asks for all of them. `changed` tells versions apart."""
    return words_of(read_notebook(path))
