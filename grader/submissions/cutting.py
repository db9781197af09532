"""Cut texts that a file without cells ran together: where one released text cell ends, and the next one begins."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

#: In the metadata of a submission that was read from Markdown or a script.
FROM_TEXT = "read_from_text"
#: Most released cells that are compared at one line: the course's have headings of their own.
_MOST_ALIKE = 20
#: A shorter text says nothing about where it is from. What defines a function may be an answer.
_SHORT = 10
_DEFINES = re.compile(r"^(?:async )?def ", re.M)


def cut_at_released(cells: Iterable[NotebookNode], released: Iterable[str]) -> list[NotebookNode]:
    """Cut text cells before and after each text of the release in them.

    Args:
        cells: A submission's cells.
        released: The sources of the release's text cells.

    Returns:
        The cells. What stood between two texts of the release is one cell, as it was in the student's notebook. Parts
        of a released text that its own fences had cut are left out: they are nobody's answer, and never ran.
    """
    released = list(released)
    known = {line for text in released for line in _lines(text)}
    by_line: dict[str, list[list[str]]] = defaultdict(list)
    for text in released:
        lines = _lines(text.strip())
        if lines[0] and len(by_line[lines[0]]) < _MOST_ALIKE and lines not in by_line[lines[0]]:
            by_line[lines[0]].append(lines)
    for texts in by_line.values():
        texts.sort(key=len, reverse=True)
    made: list[NotebookNode] = []
    for cell in cells:
        whole = cell.cell_type != "markdown" or cell.get("attachments")
        parts = [] if whole else list(_parts(_lines(cell.source), by_line))
        made += [_like(cell, part) for part in parts] if len(parts) > 1 else [cell]
    return [cell for cell in made if not _is_a_part(cell.source.strip(), known, released)]


def _is_a_part(text: str, known: set[str], released: list[str]) -> bool:
    if len(text) < _SHORT or _DEFINES.search(text) or not set(_lines(text)) <= known:
        return False
    return any(text in other and text != other.strip() for other in released)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n")]


def _parts(lines: list[str], by_line: dict[str, list[list[str]]]) -> Iterator[str]:
    start = number = 0
    while number < len(lines):
        texts = by_line.get(lines[number], [])
        size = next((len(t) for t in texts if lines[number : number + len(t)] == t), 0)
        if size:
            yield from _text(lines[start:number])
            yield from _text(lines[number : number + size])
            start = number + size
        number += size or 1
    yield from _text(lines[start:])


def _text(lines: list[str]) -> Iterator[str]:
    text = "\n".join(lines).strip("\n")
    if text.strip():
        yield text


def _like(cell: NotebookNode, text: str) -> NotebookNode:
    made: NotebookNode = new_markdown_cell(text, metadata=cell.metadata)
    return made
