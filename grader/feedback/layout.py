"""What stands on a feedback page: exercises with their answers and tests, and what the student added.

What the student left as it was is not on the page: the notebook has it. It is told from the student's own cells by the
release, never by what a submission claims about its cells.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode
from nbgrader.coursedir import CourseDirectory

from grader.core.cells import LOCKED_KINDS, SKIPPED_KINDS, CellKind, grade_id, kind_of
from grader.core.notebook import read_notebook
from grader.engine.result import SKIP_TAG

_HEADING = re.compile(r"^#{2,6}\s+(.+?)\s*#*$", re.M)


@dataclass
class Part:
    """An exercise, a written answer, or what stands before the first of them.

    Args:
        title: Its heading.
        answer: The cell with the answer, or None.
        tests: Its test cells.
        own: Cells of the student's own that follow.
    """

    title: str = ""
    answer: NotebookNode | None = None
    tests: list[NotebookNode] = field(default_factory=list)
    own: list[NotebookNode] = field(default_factory=list)

    @property
    def graded(self) -> list[NotebookNode]:
        """The cells that carry points."""
        cells = [self.answer] if self.answer is not None else []
        return [c for c in [*cells, *self.tests] if c.metadata.nbgrader.get("grade") or c.metadata.nbgrader.get("task")]

    @property
    def score(self) -> float:
        """Points that it got; those that wait for a person are none yet."""
        return sum(_points(c, "score") for c in self.graded if not c.metadata.nbgrader.get("waits"))

    @property
    def points(self) -> float:
        """Points that it can get."""
        return sum(_points(c, "points") for c in self.graded)

    @property
    def waits(self) -> bool:
        """Whether some of its points wait for a person."""
        return any(c.metadata.nbgrader.get("waits") for c in self.graded)

    @property
    def name(self) -> str:
        """The `grade_id` of the answer."""
        return (grade_id(self.answer) or "") if self.answer is not None else ""

    @property
    def failed(self) -> bool:
        """Whether one of the student's own cells ended with an error."""
        return any(_ends_with_error(cell) for cell in self.own)

    @property
    def left_out(self) -> bool:
        """Whether some of them were not run."""
        return any(SKIP_TAG in cell.metadata.get("tags", []) for cell in self.own)


@dataclass
class Section:
    """A section to read again: where it is, its title, and its text."""

    id: str
    title: str
    cells: list[NotebookNode] = field(default_factory=list)


@dataclass
class Layout:
    """A whole page.

    Args:
        parts: In the notebook's order.
        sections: Those that a failed test points to.
        unchanged: How many cells are left out, being as the course made them.
        broken: Cells among these that ended with an error.
    """

    parts: list[Part] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    unchanged: int = 0
    broken: list[NotebookNode] = field(default_factory=list)


@functools.lru_cache(maxsize=16)
def _sources(path: Path, changed: float) -> frozenset[str]:
    return frozenset(cell.source.strip() for cell in read_notebook(path).cells)


def released_sources(path: Path) -> Set[str] | None:
    """Return the sources of a released notebook's cells, or None if there is none."""
    return _sources(path, path.stat().st_mtime) if path.is_file() else None


def released_to(folders: CourseDirectory, names: Mapping[str, str]) -> Set[str] | None:
    """Return the sources of the release that a marked notebook belongs to, or None if there is none.

    Args:
        folders: Where the release is.
        names: What nbgrader's resources say of the notebook.
    """
    if "assignment" not in names:
        return None
    folder = folders.format_path(folders.release_directory, ".", names["assignment"])
    return released_sources(Path(folder) / f"{names['notebook']}.ipynb")


def is_released(cell: NotebookNode, released: Set[str] | None) -> bool:
    """Return whether a cell of text is the course's; whatever it says of itself, its words have to be released.

    Args:
        cell: The cell.
        released: From `released_sources`; without it every text counts.
    """
    return released is None or cell.source.strip() in released


def lay_out(nb: NotebookNode, released: Set[str] | None) -> Layout:
    """Arrange a marked notebook for its page.

    Args:
        nb: After the steps of feedback.
        released: From `released_sources`. Without it, text and demonstrations count as the course's.
    """
    page, heading = Layout([Part()]), ""
    section: Section | None = None
    for cell in nb.cells:
        kind = kind_of(cell)
        if cell.metadata.get("section"):
            section = Section(str(cell.metadata.section.id), str(cell.metadata.section.title))
            page.sections.append(section)
        elif cell.cell_type == "markdown" and re.match(r"##?\s", cell.source) and is_released(cell, released):
            section = None
        if kind in (CellKind.ANSWER, CellKind.WRITTEN) or cell.metadata.get("nbgrader", {}).get("task"):
            title = heading if kind is CellKind.ANSWER or "xercise" in heading else ""
            page.parts.append(Part(title or grade_id(cell) or "", cell))
            heading, section = "", None
        elif kind is CellKind.TEST:
            page.parts[-1].tests.append(cell)
        elif _is_the_courses(cell, kind, released):
            page.unchanged += 1
            if _ends_with_error(cell):
                page.broken.append(cell)
            if kind is CellKind.TEXT:
                found = _HEADING.findall(cell.source)
                heading = re.sub(r"[*`]", "", found[-1]) if found else heading
                if section is not None:
                    section.cells.append(cell)
        else:
            page.parts[-1].own.append(cell)
    page.parts = [p for p in page.parts if p.answer is not None or p.tests or p.own]
    return page


def _is_the_courses(cell: NotebookNode, kind: CellKind, released: Set[str] | None) -> bool:
    if kind in LOCKED_KINDS or cell.metadata.get("nbgrader", {}).get("locked"):
        return True
    if released is None:
        return kind is CellKind.TEXT or kind in SKIPPED_KINDS
    return cell.source.strip() in released


def _points(cell: NotebookNode, name: str) -> float:
    return float(cell.metadata.nbgrader.get(name) or 0)


def _ends_with_error(cell: NotebookNode) -> bool:
    return any(output.output_type == "error" for output in cell.get("outputs", []))
