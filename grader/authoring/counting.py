"""How much there is to read and to do in a notebook: words, cells, predictions, minutes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from nbformat import NotebookNode

from grader.authoring.check_reading import outside_fences, prose
from grader.core.cells import CellKind, kind_of

#: How the heading of an optional section begins, and that of the list of references, which nobody reads in one go.
DEEPER = "Going deeper"
REFERENCES = "Further reading"
PREDICTION = "> **Predict.**"
WORDS_A_MINUTE = 200
MINUTES_A_DEMONSTRATION = 1
_SEEN = (CellKind.GIVEN, CellKind.STUDENT_SIDE, CellKind.ANSWER, CellKind.SELF_CHECK, CellKind.DEMONSTRATION)


@dataclass(frozen=True)
class Counts:
    """How much there is to read and to do in a notebook.

    Args:
        words: Words of the main text: no tables, no formulas, nothing that is folded away, no optional section,
            no references.
        deeper: Words of the optional sections and references.
        cells: Code cells that a reader sees: all but machinery and tests.
        demonstrations: Demonstrations outside optional sections.
        predictions: Predictions that are asked for.
        exercises: Exercises.
        exercise_minutes: Minutes that the exercises say they take.
        stated: Minutes that the first cell states, None if it states none.
    """

    words: int
    deeper: int
    cells: int
    demonstrations: int
    predictions: int
    exercises: int
    exercise_minutes: int
    stated: int | None

    @property
    def minutes(self) -> int:
        """Estimate of the minutes: reading, a minute for each demonstration, and the exercises."""
        reading = self.words / WORDS_A_MINUTE
        return round(reading + MINUTES_A_DEMONSTRATION * self.demonstrations + self.exercise_minutes)

    def __str__(self) -> str:
        """Return the line that `grader check --counts` prints."""
        return (
            f"{self.words} words (and {self.deeper} of going deeper), {self.cells} code cells to read, "
            f"{self.demonstrations} of them demonstrations, {self.predictions} predictions, "
            f"{self.exercises} exercises; {self.minutes} minutes by count, {self.stated or 'none'} stated"
        )


def count_words(text: str) -> int:
    """Count the words a reader has to read at once: not what is folded away, and no tables."""
    text = re.sub(r"<details\b.*?</details>", " ", outside_fences(text), flags=re.S)
    text = re.sub(r"^\s*\|.*$", " ", text, flags=re.M)
    return len(re.findall(r"\w[\w'’.,-]*", prose(text)))


def _with_depth(nb: NotebookNode) -> Iterator[tuple[NotebookNode, bool]]:
    """Go through the cells, each with whether it is in an optional section or among the references.

    An optional section begins at a cell with such a heading and ends at a cell with one of the same or a higher level.
    """
    deeper = 0  # level of the optional section's heading, 0 outside
    for cell in nb.cells:
        heading = re.match(r"(#+) (.*)", cell.source) if cell.cell_type == "markdown" else None
        if heading and (not deeper or len(heading[1]) <= deeper):
            deeper = len(heading[1]) if heading[2].startswith((DEEPER, REFERENCES)) else 0
        yield cell, bool(deeper)


def count(nb: NotebookNode) -> Counts:
    """Count what there is to read and to do in a notebook."""
    cells = list(_with_depth(nb))
    text = [(c, deeper) for c, deeper in cells if kind_of(c) is CellKind.TEXT]
    main = "\n\n".join(c.source for c, deeper in text if not deeper)
    stated = re.search(r"\b(\d+) min", nb.cells[0].source) if nb.cells else None
    return Counts(
        words=sum(count_words(c.source) for c, deeper in text if not deeper),
        deeper=sum(count_words(c.source) for c, deeper in text if deeper),
        cells=sum(kind_of(c) in _SEEN for c in nb.cells),
        demonstrations=sum(kind_of(c) is CellKind.DEMONSTRATION and not deeper for c, deeper in cells),
        predictions=main.count(PREDICTION),
        exercises=len(re.findall(r"^### Exercise ", main, re.M)),
        exercise_minutes=sum(int(m) for m in re.findall(r"Difficulty \d/5\b.*?\b(\d+) min", main)),
        stated=int(stated[1]) if stated else None,
    )
