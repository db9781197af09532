"""Late penalties: nbgrader takes one off when it marks, and what a person changes afterwards is not in it.

So each record notes what its penalty is of: by how much the submission is late, its points, and what decides. Where one
of these has changed, by points that a person gave, another due date, an extension or other settings, the plugin is
asked again. It is asked for nobody else, since it may be a program that counts how often.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from nbgrader.api import Assignment, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import select
from traitlets.config import Config

from grader.core.nbgrader_api import late_penalty, late_policy
from grader.gradebook import records

logger = logging.getLogger(__name__)

#: What a penalty is of: `seconds`, and if these are not 0 `points` and `policy`.
Of = dict[str, Any]

#: Where a record has that, and what it has there of whoever was on time.
LATE, ON_TIME = "late", {"seconds": 0}
#: What is said of whose penalty is another one now.
SETTLED = "late penalties were settled, since points, the due date or settings have changed"
#: Points that differ by less are the same.
_SAME = 1e-6


def note_late(
    gradebook: Gradebook, config: Config, assignment: str, student: str, record: dict[str, Any]
) -> SubmittedNotebook | None:
    """Note in a record what a penalty is of now.

    Returns:
        The gradebook's entry; None if it is not late, or if nothing is taken off for that.
    """
    seconds = gradebook.find_submission(assignment, student).total_seconds_late
    record[LATE] = ON_TIME
    if not seconds:
        return None
    notebook, policy = _entry(gradebook, assignment, student), late_policy(config)
    gradebook.db.refresh(notebook)  # its points have just been written
    record[LATE] = {"seconds": seconds, "points": notebook.score, "policy": policy}
    return notebook if policy else None


def outdated(
    gradebook: Gradebook, config: Config, assignment: str, late: Mapping[str, Of]
) -> dict[str, tuple[Of, float | None]]:
    """Ask the plugin again where something has changed since that a penalty is of.

    Args:
        gradebook: nbgrader's.
        config: nbgrader's configuration; it names the plugin.
        assignment: Which assignment.
        late: What the records of submissions note, by student.

    Returns:
        By student what it is of now, and what is to be taken off, also if that is as much as was.
    """
    found = dict[str, tuple[Of, float | None]]()
    try:
        if not late:
            return found
        policy, columns = late_policy(config), (SubmittedAssignment.student_id, SubmittedNotebook.score)
        times = SubmittedAssignment.timestamp, Assignment.duedate, SubmittedAssignment.extension
        query = select(*columns, *times).join(SubmittedNotebook.assignment).join(SubmittedAssignment.assignment)
        for student, points, *when in gradebook.db.execute(query.where(Assignment.name == assignment)).all():
            seconds = _seconds_late(*when)
            now = {"seconds": seconds, "points": points, "policy": policy} if seconds else ON_TIME
            if student in late and not _same(late[student], now):
                asks = seconds and policy
                notebook = _entry(gradebook, assignment, student)
                found[student] = now, late_penalty(config, student, notebook, seconds) if asks else None
    except Exception:  # a plugin is a program of somebody's; marking says what is wrong with it
        logger.exception("late penalties of %s cannot be compared", assignment)
    return found


def _seconds_late(time: datetime | None, due: datetime | None, extension: timedelta | None) -> float:
    """Return by how much something is late, as nbgrader's `SubmittedAssignment` does; it reads an object for each."""
    if time is None or due is None:
        return 0
    return max(0, (time - due - (extension or timedelta())).total_seconds())


def _same(then: Of, now: Of) -> bool:
    numbers = all(abs(then.get(name, 0) - now.get(name, 0)) <= _SAME for name in ("seconds", "points"))
    return numbers and then.get("policy", "") == now.get("policy", "")


def not_of_now(gradebook: Gradebook, config: Config, assignment: str, late: Mapping[str, Of]) -> list[str]:
    """Return whose penalty would be another one of what there is now. Arguments as for `outdated`."""
    now = outdated(gradebook, config, assignment, late)
    return sorted(s for s, (_, penalty) in now.items() if _differs(_entry(gradebook, assignment, s), penalty))


def settle(gradebook: Gradebook, config: Config, assignment: str, late: dict[str, Of]) -> list[str]:
    """Have each penalty be of what there is now, and note that.

    Args:
        gradebook: nbgrader's.
        config: nbgrader's configuration; it names the plugin.
        assignment: Which assignment.
        late: What the records of submissions note, by student; what has changed is noted here as well.

    Returns:
        Whose penalty is another one then.
    """
    changed = []
    try:
        for student, (now, penalty) in outdated(gradebook, config, assignment, late).items():
            notebook, record = _entry(gradebook, assignment, student), records.read(gradebook, assignment, student)
            if _differs(notebook, penalty):
                changed.append(student)
                notebook.late_submission_penalty = penalty
            if record is not None:
                record[LATE] = late[student] = now
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
