"""The marks of one submission as the gradebook has them, for its feedback page."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from nbgrader.api import Gradebook


@dataclass(frozen=True)
class NotebookMarks:
    """Marks and comments of one submitted notebook.

    Args:
        score: Points after the penalty.
        max_score: Points that can be had.
        late_penalty: Points taken off because it came late.
        grades: For each graded cell its points, its most points, and whether they wait for a person.
        comments: For each answer what was written about it.
    """

    score: float
    max_score: float
    late_penalty: float
    grades: dict[str, tuple[float, float, bool]]
    comments: dict[str, str | None]

    @classmethod
    def read(cls, gradebook: Gradebook, assignment: str, student: str, notebook: str) -> NotebookMarks:
        """Read the marks of a submission.

        Raises:
            nbgrader.api.MissingEntry: If it was not marked.
        """
        found = gradebook.find_submission_notebook(notebook, assignment, student)
        penalty = float(found.late_submission_penalty or 0)
        grades = {g.name: (g.score, g.max_score, bool(g.needs_manual_grade)) for g in found.grades}
        comments = {c.name: c.comment for c in found.comments}
        # As an export has it: points that a person took away later can leave less than the penalty.
        return cls(max(0.0, found.score - penalty), found.max_score, penalty, grades, comments)

    @property
    def word(self) -> str:
        """A word that stands for these marks and comments."""
        comments = {name: text for name, text in self.comments.items() if text}
        return marks_word(self.grades, self.late_penalty, comments)

    def as_json(self) -> dict[str, Any]:
        """Return them as plain data."""
        return asdict(self)


def marks_word(grades: Mapping[str, tuple[float, float, bool]], penalty: float, comments: Mapping[str, str]) -> str:
    """Return a word that changes when marks or comments do, so that a page tells which it shows.

    Args:
        grades: For each graded cell its points, its most points, and whether they wait for a person.
        penalty: Points taken off because it came late.
        comments: What was written about answers.
    """
    shown = [sorted((name, float(s), float(most), bool(w)) for name, (s, most, w) in grades.items())]
    parts = [*shown, float(penalty), sorted(comments.items())]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:32]
