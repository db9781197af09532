"""What a cell is for, and which cells make an exercise; the one module that knows how the course marks its cells."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from nbformat import NotebookNode

from grader.core.names import defined_functions


class CellKind(Enum):
    """What a cell is for. The values are the tags that mark it, where a tag does."""

    SETUP = "setup"
    HELPERS = "helpers"
    GIVEN = "given"
    STUDENT_SIDE = "student-side"
    ANSWER = "answer"
    TEST = "test"
    SELF_CHECK = "self-check"
    DEMONSTRATION = "demonstration"
    WRITTEN = "written"
    TEXT = "text"
    FREE = "free"


#: Cells that never change: what a test may rely on. A student-side cell calls the answer, all others do without.
LOCKED_KINDS = (CellKind.SETUP, CellKind.HELPERS, CellKind.GIVEN, CellKind.STUDENT_SIDE)
#: Cells that grading skips as long as they are what the source says.
SKIPPED_KINDS = (CellKind.SELF_CHECK, CellKind.DEMONSTRATION)
_TAGS = [(kind.value, kind) for kind in (*LOCKED_KINDS, *SKIPPED_KINDS)]


def kind_of(cell: NotebookNode) -> CellKind:
    """Return what a cell is for, read from its nbgrader metadata and tags."""
    # By key: as attributes of a notebook's nodes they take longer, and a submission asks some 2,500 times.
    metadata: dict[str, Any] = cell["metadata"]
    marks = metadata.get("nbgrader", {})
    tags = metadata.get("tags", [])
    if marks.get("grade"):
        return CellKind.WRITTEN if marks.get("solution") else CellKind.TEST
    if cell["cell_type"] != "code":
        return CellKind.TEXT
    if marks.get("solution"):
        return CellKind.ANSWER
    return next((kind for tag, kind in _TAGS if tag in tags), CellKind.FREE)


def grade_id(cell: NotebookNode) -> str | None:
    """Return nbgrader's id of a cell, or None."""
    found: str | None = cell["metadata"].get("nbgrader", {}).get("grade_id")
    return found


@dataclass(frozen=True)
class Exercise:
    """One exercise of a notebook: the cells from its answer cell to the next one.

    Args:
        name: `grade_id` of the answer cell: the (first) function's name.
        functions: All functions that the answer cell defines.
        answer: Source of the answer cell in the source notebook.
        tests: The test cells that follow the answer cell, in order, as `(grade_id, points, source)`.
        number: The number in the exercise's heading, such as `"2.3"`, or an empty string.
        adapters: Sources of its student-side cells, which call the answer for the tests.
        self_checks: Sources of its self-check cells.
    """

    name: str
    functions: tuple[str, ...]
    answer: str
    tests: list[tuple[str, int, str]] = field(default_factory=list)
    number: str = ""
    adapters: list[str] = field(default_factory=list)
    self_checks: list[str] = field(default_factory=list)

    @property
    def points(self) -> int:
        """Points of all test cells."""
        return sum(points for _, points, _ in self.tests)

    @property
    def last_cell(self) -> str:
        """`grade_id` of its last test cell, or of the answer cell if there is no test."""
        return self.tests[-1][0] if self.tests else self.name

    @property
    def test_sources(self) -> dict[str, str]:
        """Sources of the test cells, by `grade_id`."""
        return {name: source for name, _, source in self.tests}

    @property
    def tested_functions(self) -> tuple[str, ...]:
        """Functions that the tests may call: those of the answer cell and of the student-side cells."""
        return (*self.functions, *(name for source in self.adapters for name in defined_functions(source)))


def exercises(nb: NotebookNode) -> list[Exercise]:
    """Return the exercises of a source notebook in order."""
    found: list[Exercise] = []
    number = ""
    for cell in nb.cells:
        kind = kind_of(cell)
        if kind is CellKind.TEXT:
            heading = re.search(r"^### Exercise (\d+\.\d+)", cell.source, re.M)
            number = heading.group(1) if heading else number
        elif kind is CellKind.ANSWER:
            found.append(Exercise(grade_id(cell) or "", defined_functions(cell.source), cell.source, number=number))
        elif found and kind is CellKind.TEST:
            found[-1].tests.append((grade_id(cell) or "", cell.metadata.nbgrader.points, cell.source))
        elif found and kind is CellKind.STUDENT_SIDE:
            found[-1].adapters.append(cell.source)
        elif found and kind is CellKind.SELF_CHECK:
            found[-1].self_checks.append(cell.source)
    return found


def needed_cells(nb: NotebookNode, exercise: Exercise) -> list[NotebookNode]:
    """Return the cells that it takes to mark one exercise: its answer and tests, and the locked cells before the last.

    A locked cell further down is left out on purpose: it would not be there yet when the notebook runs from top to
    bottom.
    """
    own = {exercise.name, *exercise.test_sources}
    found = []
    for cell in nb.cells:
        if grade_id(cell) in own or kind_of(cell) in LOCKED_KINDS:
            found.append(cell)
        if grade_id(cell) == exercise.last_cell:
            break
    return found


def written_points(nb: NotebookNode) -> dict[str, int]:
    """Return the points of each answer that a person marks, by `grade_id`."""
    return {grade_id(c) or "": c.metadata.nbgrader.points for c in nb.cells if kind_of(c) is CellKind.WRITTEN}
