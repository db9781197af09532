"""Mark the class of a throw-away course with this course's grader; the one place that knows how that is called.

Usage: `python -m tests.hostile.mark_class COURSE release|grade`. A process of its own, so that what tricks do to the
process that grades does not reach the harness.
"""

from __future__ import annotations

import sys
from pathlib import Path

from grader.nbgrader_api import course_config, failure_reason, folders_config, open_nbgrader

from .course import NAME, HostileCourse


def release(made: HostileCourse) -> None:
    """Enter the assignment into the class's gradebook."""
    with open_nbgrader(folders_config(course_config(made.course), made.group), made.group / "nbgrader.log") as api:
        done = api.generate_assignment(NAME)
    if not done["success"]:
        raise RuntimeError(failure_reason(done))


def grade(made: HostileCourse) -> None:
    """Mark every submission in `made.group / "submitted"`, write feedback.

    Marked notebooks go to `autograded`, pages to `feedback`, marks to `gradebook.db`, all in `made.group`.

    Raises:
        NotImplementedError: As long as the grader has no `grade_class`.
    """
    try:
        from grader.marking.grade import grade_class
    except ImportError as error:
        raise NotImplementedError(f"grader.marking.grade.grade_class is not there yet: {error}") from None
    grade_class(made.course, folders_config(course_config(made.course), made.group), made.group)


def main(root: str, what: str) -> None:
    """Do one of the two."""
    {"release": release, "grade": grade}[what](HostileCourse.bare(Path(root)))


if __name__ == "__main__":
    main(*sys.argv[1:])
