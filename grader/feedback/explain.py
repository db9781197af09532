"""The mistake that marking recognised behind a failed test, noted where the feedback page shows it."""

from __future__ import annotations

import re
from collections.abc import Set
from typing import Any

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.feedback.layout import is_released


def explain_failures(nb: NotebookNode, released: Set[str] | None = None) -> None:
    """Note at each failed test the mistake that was recognised, and where in the notebook to read again.

    Args:
        nb: The notebook with the marking's note in its metadata; test cells get `causes`, `how` they were found,
            `example`, `section` and `same`, the first test that shows the same, in `feedback`, and the cells that open
            a section a `section`.
        released: The sources of the release's cells: a heading of a student's own opens no section of the course.
            Without it every heading counts.
    """
    entries = nb.metadata.get("marking", {}).get("causes", [])
    cells = {grade_id(cell): cell for cell in nb.cells if kind_of(cell) in (CellKind.TEST, CellKind.ANSWER)}
    shown: dict[tuple[Any, ...], str] = {}
    for test, found in _by_test(entries if isinstance(entries, list) else []).items():
        cell, answer = cells.get(test), cells.get(found[0]["exercise"])
        if cell is None or answer is None or "feedback" not in cell.metadata or not cell.metadata.feedback["message"]:
            continue
        notes = cell.metadata.feedback
        notes["causes"] = [str(one["says"]) for one in found]
        notes["how"] = str(found[0].get("how", ""))
        notes["same"] = shown.setdefault((found[0]["exercise"], *sorted(str(one["name"]) for one in found)), test)
        notes["section"] = _section(nb, answer, released)
        if notes["same"] == test and isinstance(found[0].get("example"), dict):
            one = found[0]["example"]
            notes["example"] = NotebookNode(
                function=str(one["function"]),
                arguments=[[str(name), str(text)] for name, text in one["arguments"]],
                got=str(one["got"]),
                wanted=[str(line) for line in one["wanted"]],
            )


def _by_test(entries: list[Any]) -> dict[str, list[dict[str, Any]]]:
    """Group recognised mistakes by test, leaving out entries that marking cannot have written."""
    found: dict[str, list[dict[str, Any]]] = {}
    for entry in entries:
        if isinstance(entry, dict) and all(isinstance(entry.get(n), str) for n in ("test", "exercise", "name", "says")):
            found.setdefault(entry["test"], []).append(entry)
    return found


def _section(nb: NotebookNode, answer: NotebookNode, released: Set[str] | None) -> NotebookNode | None:
    """Mark the cell that opens the section of an answer, and return the section's id and title."""
    opening: NotebookNode | None = None
    for cell in nb.cells:
        if cell is answer:
            break
        if cell.cell_type == "markdown" and re.match(r"##\s", cell.source) and is_released(cell, released):
            opening = cell
    if opening is None:
        return None
    if "section" not in opening.metadata:
        number = 1 + sum("section" in cell.metadata for cell in nb.cells)
        title = re.sub(r"[*`]", "", opening.source.splitlines()[0].strip("# "))
        opening.metadata["section"] = NotebookNode(id=f"section-{number}", title=title)
    section: NotebookNode = opening.metadata.section
    return section
