"""Which submissions nbgrader's own tables hold: what is kept of a mark beside them outlives the mark itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from nbgrader.api import Assignment, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import or_, select


class Entered(NamedTuple):
    """A submission as nbgrader entered it.

    Args:
        time: The time of handing in.
        scored: Whether any of its cells has points: a submission is entered before its marks are.
    """

    time: datetime | None
    scored: bool

    def has_marks(self, record: Mapping[str, Any]) -> bool:
        """Return whether the marks that a record tells of are there; written answers alone can all wait."""
        return self.scored or not record.get("verdicts")


def read_entered(gradebook: Gradebook, assignments: Sequence[str]) -> dict[tuple[str, str], Entered]:
    """Read which submissions of some assignments are entered, by assignment and student's id."""
    # Columns, and no objects of nbgrader's: those would be the same when the marks are read, with their old values.
    columns = Assignment.name, SubmittedAssignment.student_id, SubmittedAssignment.timestamp
    query = select(*columns).join(SubmittedAssignment.assignment).where(Assignment.name.in_(assignments))
    some = or_(Grade.auto_score.is_not(None), Grade.manual_score.is_not(None))
    grades = query.join(SubmittedAssignment.notebooks).join(SubmittedNotebook.grades).where(some)
    scored = {(assignment, student) for assignment, student, _ in gradebook.db.execute(grades.distinct()).all()}
    rows = gradebook.db.execute(query).all()
    return {(name, student): Entered(time, (name, student) in scored) for name, student, time in rows}
