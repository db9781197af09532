"""The rule on solutions and hidden tests that can be read elsewhere, and how lines are compared for that."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.authoring.check_base import Book, Finding, On, rule
from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.regions import Markers, Part, hidden_tests, solutions

#: Lines with fewer characters than this, without spaces, say nothing; they occur in too many places.
LINE = 12


def squeezed(line: str) -> str:
    """Return a line without spaces, and without what makes it a comment or a quotation."""
    return "".join(line.split()).replace("`", "").lstrip("#>*-")


def quotable(line: str) -> str:
    """Return what somebody would quote of a line of code: as `squeezed`, without `return` and the comment behind it."""
    if not line.lstrip().startswith("#"):
        line = re.sub(r"\s#\s.*", "", line)
    line = squeezed(line)
    short = line.removeprefix("return")
    return short if len(short) >= LINE else line


def lines_by_kind(source: str, kinds: dict[str, Markers]) -> Iterator[tuple[str, str]]:
    """Yield each line of a cell with the kind of region that it is in, or an empty string; markers are left out."""
    read = [markers.parts(source) for markers in kinds.values()]
    for line, *parts in zip(source.split("\n"), *([part for part, _ in one] for one in read), strict=True):
        if set(parts) <= {Part.INSIDE, Part.OUTSIDE}:
            yield line, next((kind for kind, part in zip(kinds, parts, strict=True) if part is Part.INSIDE), "")


@rule(
    "kept-back",
    On.COURSE,
    "Code that students get anyway gives away what it has in common with an answer.",
    guards=True,
)
def _kept_back(book: Book) -> Iterator[Finding]:
    kinds = {"solution": solutions(), "hidden test": hidden_tests()}
    # Visible and hidden tests begin alike; so for hidden tests other cells count.
    read: dict[str, dict[str, str]] = {kind: {} for kind in kinds}
    for page in book.pages:
        for cell in page.code:
            shown = "\n".join(squeezed(line) for line, kind in lines_by_kind(cell.source, kinds) if not kind)
            where = f"{page.assignment}/{grade_id(cell) or cell.get('id', '?')}"
            for kind in kinds if kind_of(cell) is not CellKind.TEST else ["solution"]:
                read[kind].setdefault(shown, where)
    named = dict.fromkeys(book.course.shown, False)
    for page in book.pages:
        for cell in page.cells:
            name = f"{page.assignment}/{grade_id(cell) or cell.get('id', '?')}"
            for kind, markers in kinds.items():
                for where, line in _mostly_read(markers.regions(cell.source), read[kind]):
                    if name not in named:
                        what = f"most of its {kind} is in code that students get, `{line}` in {where}"
                        fix = f"take it away there; if it is meant so, add {name} to `shown` in pyproject.toml"
                        yield page.finding(cell, what, fix)
                    named[name] = True
    for name in [name for name, found in named.items() if not found]:
        what = f"`shown` of [tool.course] names {name}, which is not shown, or not there"
        yield Finding("pyproject.toml", "", what, "take the name out")


def _mostly_read(regions: list[list[str]], read: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield a place and a line there for each region of which more than half the lines can be read in code."""
    everything = "\n".join(read)
    for region in regions:
        lines = [quotable(line) for line in region if len(squeezed(line)) >= LINE]
        found = [line for line in lines if line in everything]
        if 2 * len(found) > len(lines):
            line = max(found, key=len)
            yield next(where for text, where in read.items() if line in text), line
