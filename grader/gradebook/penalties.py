"""Late penalties: nbgrader takes one off when it marks, and what a person changes afterwards is not in it.

So each record notes what its penalty is of: by how much the submission is late, its points, and what decides. Where one
of these has changed, by points that a person gave, another due date, an extension or other settings, the plugin is
asked again. It is asked for nobody else, since it may be a program that counts how often.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any, NamedTuple

from nbgrader.api import Assignment, Grade, Gradebook, SubmittedAssignment, SubmittedNotebook
from sqlalchemy import func, select
from traitlets.config import Config

from grader.core.course import to_grade
from grader.core.nbgrader_api import PenaltyUnknown, late_penalty, late_policy
from grader.gradebook import records
from grader.submissions.choosing import some_of

#: What a penalty is of: `seconds`, and if these are not 0 `points` and `policy`, or why the plugin `failed`.
Of = dict[str, Any]

#: Where a record has that, and what it has there of whoever was on time.
LATE, ON_TIME = "late", {"seconds": 0}
#: What is said of whose penalty is another one now.
SETTLED = "late penalties were settled, since points, the due date or settings have changed"
#: Points that differ by less are the same.
_SAME = 1e-6


def not_asked(gradebook: Gradebook, assignment: str, student: str) -> Of:
    """Return what is noted of a submission while it is being marked, before the plugin is asked.

    A late one differs by it from whatever its penalty can be of, until that is settled.
    """
    seconds = gradebook.find_submission(assignment, student).total_seconds_late
    return {"seconds": seconds, "failed": "it was not asked"} if seconds else ON_TIME


def take_off(gradebook: Gradebook, config: Config, assignment: str, student: str, record: dict[str, Any]) -> None:
    """Take the late penalty off a submission whose marks have just been written; if the plugin fails, note why not."""
    notebook = _entry(gradebook, assignment, student)
    gradebook.db.refresh(notebook)
    of = {"seconds": record[LATE]["seconds"], "points": notebook.score}
    gradebook.db.commit()  # nothing is open while a plugin is at it, which may write to the gradebook
    try:
        of["policy"] = late_policy(gradebook, config, assignment)
        now = _asked(gradebook, config, assignment, student, of)
    except PenaltyUnknown as error:
        now = Now(of, failed=str(error))
    record[LATE] = record[LATE] | {"failed": now.failed} if now.failed else now.of
    notebook.late_submission_penalty = now.penalty
    records.write(gradebook, assignment, student, record)
    gradebook.db.commit()


class Now(NamedTuple):
    """What a late penalty would be now.

    Args:
        of: What it is of.
        penalty: Points to be taken off, also if that is as much as was; None for nothing.
        failed: Why the plugin cannot say; empty if it can.
    """

    of: Of
    penalty: float | None = None
    failed: str = ""


def outdated(gradebook: Gradebook, config: Config, assignment: str, late: Mapping[str, Of]) -> dict[str, Now]:
    """Ask the plugin again where something has changed since that a penalty is of.

    Args:
        gradebook: nbgrader's.
        config: nbgrader's configuration; it names the plugin.
        assignment: Which assignment.
        late: What the records of submissions note, by student.
    """
    seconds = {who: by for who, by in _seconds(gradebook, assignment).items() if who in late}
    if not any(by or not _same(late[who], ON_TIME) for who, by in seconds.items()):
        return {}
    failed, policy, points = "", "", _points(gradebook, assignment)
    try:
        policy = late_policy(gradebook, config, assignment)
    except PenaltyUnknown as error:
        failed = str(error)
    found = dict[str, Now]()
    for who, by in seconds.items():
        of = {"seconds": by, "points": points.get(who, 0.0), "policy": policy} if by else ON_TIME
        if by and failed:
            found[who] = Now(of, failed=failed)
        elif not _same(late[who], of):
            found[who] = _asked(gradebook, config, assignment, who, of)
    return found


def _asked(gradebook: Gradebook, config: Config, assignment: str, student: str, of: Of) -> Now:
    if not of.get("policy"):
        return Now(of)
    try:
        return Now(of, late_penalty(gradebook, config, assignment, student, of["seconds"]))
    except PenaltyUnknown as error:
        return Now(of, failed=str(error))


def _seconds(gradebook: Gradebook, assignment: str) -> dict[str, float]:
    """Return by how much each submission is late, as nbgrader does; it reads an object for each."""
    times = SubmittedAssignment.timestamp, Assignment.duedate, SubmittedAssignment.extension
    query = select(SubmittedAssignment.student_id, *times).join(SubmittedAssignment.assignment)
    found = {}
    for student, time, due, extension in gradebook.db.execute(query.where(Assignment.name == assignment)).all():
        late = time - due - (extension or timedelta()) if time and due else timedelta()
        found[student] = max(0.0, late.total_seconds())
    return found


def _points(gradebook: Gradebook, assignment: str) -> dict[str, float]:
    """Return the points of each submission, read at once: nbgrader looks through all marks for each of them."""
    query = select(SubmittedAssignment.student_id, func.sum(Grade.score)).join(SubmittedAssignment.assignment)
    query = query.join(SubmittedAssignment.notebooks).join(SubmittedNotebook.grades)
    query = query.where(Assignment.name == assignment).group_by(SubmittedAssignment.student_id)
    return {student: points or 0.0 for student, points in gradebook.db.execute(query).all()}


def _same(then: Of, now: Of) -> bool:
    if "failed" in then:
        return False
    numbers = all(abs(then.get(name, 0) - now.get(name, 0)) <= _SAME for name in ("seconds", "points"))
    return numbers and then.get("policy", "") == now.get("policy", "")


def not_of_now(gradebook: Gradebook, config: Config, assignment: str, late: Mapping[str, Of]) -> list[str]:
    """Say in a line each whose penalty would be another one of what there is now, and whose cannot be computed.

    Arguments as for `outdated`.
    """
    now, lines = outdated(gradebook, config, assignment, late), []
    others = sorted(s for s, one in now.items() if not one.failed and _differs(_entry(gradebook, assignment, s), one))
    if others:
        what = "the late penalty is not of the points, the due date and the settings that there are now"
        lines.append(f"{assignment}: {what}: {some_of(others)}; {to_grade(assignment)}")
    for why in dict.fromkeys(one.failed for one in now.values() if one.failed):
        whose = sorted(student for student, one in now.items() if one.failed == why)
        lines.append(f"{assignment}: {cannot(why)}: {some_of(whose)}; when that is mended, {to_grade(assignment)}")
    return lines


def none_yet(record: Mapping[str, Any]) -> str:
    """Say of a submission that has just been marked why nothing was taken off, if the plugin failed."""
    failed = record.get(LATE, {}).get("failed")
    return f"the late penalty cannot be computed, and nothing was taken off ({failed})" if failed else ""


def cannot(why: str) -> str:
    """Say that a late penalty stays as it was, and why."""
    return f"the late penalty cannot be computed again and stays as it was ({why})"


def settle(
    gradebook: Gradebook, config: Config, assignment: str, late: dict[str, Of]
) -> tuple[list[str], dict[str, str]]:
    """Have each penalty be of what there is now, and note that.

    Args:
        gradebook: nbgrader's.
        config: nbgrader's configuration; it names the plugin.
        assignment: Which assignment.
        late: What the records of submissions note, by student; what has changed is noted here as well.

    Returns:
        Whose penalty is another one then, and whose stays as it was, with why.
    """
    changed, failed = [], {}
    for student, now in outdated(gradebook, config, assignment, late).items():
        if now.failed:
            failed[student] = now.failed
            continue
        notebook, record = _entry(gradebook, assignment, student), records.read(gradebook, assignment, student)
        if _differs(notebook, now):
            changed.append(student)
            notebook.late_submission_penalty = now.penalty
        if record is not None:
            record[LATE] = late[student] = now.of
            records.write(gradebook, assignment, student, record)
    gradebook.db.commit()
    return sorted(changed), failed


def _entry(gradebook: Gradebook, assignment: str, student: str) -> SubmittedNotebook:
    return gradebook.find_submission_notebook(assignment, assignment, student)


def _differs(notebook: SubmittedNotebook, now: Now) -> bool:
    return abs((now.penalty or 0.0) - (notebook.late_submission_penalty or 0.0)) > _SAME
