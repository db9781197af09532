"""Late penalties: nbgrader takes one off when it marks, and what a person gives afterwards is not in it.

So the record of a late submission notes which points its penalty is of. Where these have changed, the plugin is asked
again, for as many seconds as it was late when it was marked: a changed due date has to be marked with `--force` anyway.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from nbgrader.api import Assignment, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select
from traitlets.config import Config

from grader.core.nbgrader_api import late_penalty, takes_penalties
from grader.gradebook import records

logger = logging.getLogger(__name__)

#: Where a record has by how much it was late, and the points that its penalty is of.
LATE = "late"
#: Points that differ by less are the same.
_SAME = 1e-6


def note_late(
    gradebook: Gradebook, config: Config, assignment: str, student: str, record: dict[str, Any]
) -> SubmittedNotebook | None:
    """Note in a record by how much a submission is late, and of which points a penalty is now.

    Returns:
        The gradebook's entry; None if it is not late, or if nothing is taken off for that.
    """
    seconds = gradebook.find_submission(assignment, student).total_seconds_late
    if seconds <= 0 or not takes_penalties(config):
        return None
    notebook = gradebook.find_submission_notebook(assignment, assignment, student)
    gradebook.db.refresh(notebook)  # its points have just been written
    record[LATE] = {"seconds": seconds, "points": notebook.score}
    return notebook


def outdated(
    gradebook: Gradebook, config: Config, assignment: str, late: Mapping[str, Mapping[str, float]]
) -> dict[str, float | None]:
    """Ask the plugin again for whose points have changed since.

    Args:
        gradebook: nbgrader's.
        config: nbgrader's configuration; it names the plugin.
        assignment: Which assignment.
        late: What the records of late submissions note, by student.

    Returns:
        By student what is to be taken off now, also if that is as much as was.
    """
    found = dict[str, float | None]()
    try:
        if not late or not takes_penalties(config):
            return found
        query = select(SubmittedAssignment.student_id, SubmittedNotebook.score).join(SubmittedNotebook.assignment)
        rows = gradebook.db.execute(query.join(SubmittedAssignment.assignment).where(Assignment.name == assignment))
        for student, points in rows.all():
            if student in late and abs(points - late[student]["points"]) > _SAME:
                notebook = gradebook.find_submission_notebook(assignment, assignment, student)
                found[student] = late_penalty(config, student, notebook, late[student]["seconds"])
    except Exception:  # a plugin is a program of somebody's; marking says what is wrong with it
        logger.exception("late penalties of %s cannot be compared", assignment)
    return found


def not_of_present_points(
    gradebook: Gradebook, config: Config, assignment: str, late: Mapping[str, Mapping[str, float]]
) -> list[str]:
    """Return whose penalty would be another one of the points that there are now. Arguments as for `outdated`."""
    now = outdated(gradebook, config, assignment, late)
    return sorted(s for s, penalty in now.items() if _differs(_entry(gradebook, assignment, s), penalty))


def settle(gradebook: Gradebook, config: Config, assignment: str, late: Mapping[str, Mapping[str, float]]) -> list[str]:
    """Have each penalty be of the present points, and return whose is another one now. Arguments as for `outdated`."""
    changed = []
    try:
        for student, penalty in outdated(gradebook, config, assignment, late).items():
            notebook, record = _entry(gradebook, assignment, student), records.read(gradebook, assignment, student)
            if _differs(notebook, penalty):
                changed.append(student)
                notebook.late_submission_penalty = penalty
            if record is not None:
                record[LATE] = {**late[student], "points": notebook.score}
                records.write(gradebook, assignment, student, record)
        gradebook.db.commit()
    except Exception:  # others are marked all the same, and the exports still name them
        logger.exception("late penalties of %s could not be settled", assignment)
        gradebook.db.rollback()
        return []
    return sorted(changed)


def _entry(gradebook: Gradebook, assignment: str, student: str) -> SubmittedNotebook:
    return gradebook.find_submission_notebook(assignment, assignment, student)


def _differs(notebook: SubmittedNotebook, penalty: float | None) -> bool:
    return abs((penalty or 0.0) - (notebook.late_submission_penalty or 0.0)) > _SAME
