"""Mark the class of a throw-away course with this course's grader; the one place that knows how that is called.

Usage: `python -m tests.hostile.mark_class COURSE release|grade [landlock]`, the last word for as if there were no
bubblewrap. A process of its own, so that what tricks do to the
process that grades does not reach the harness.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from grader.classrun.executors import processors
from grader.classrun.run import end, grade_class
from grader.classrun.summary import summary
from grader.core.nbgrader_api import course_config, failure_reason, folders_config, open_nbgrader
from grader.feedback.run import Outcome, write_pages
from grader.sandbox.inside import isolate

from .course import NAME, HostileCourse

#: More than a machine's cores: many kinds sleep until their time is up, and sleep side by side.
JOBS = 6


def release(made: HostileCourse) -> None:
    """Enter the assignment into the class's gradebook."""
    with open_nbgrader(folders_config(course_config(made.course), made.group), made.group / "nbgrader.log") as api:
        done = api.generate_assignment(NAME)
    if not done["success"]:
        raise RuntimeError(failure_reason(done))


def grade(made: HostileCourse) -> None:
    """Mark every submission in `made.group / "submitted"`, write feedback.

    Marked notebooks go to `autograded`, pages to `feedback`, marks to `gradebook.db`, all in `made.group`. Time is
    short, since many kinds use up all that they get.
    """
    config = folders_config(course_config(made.course), made.group)
    config.MarkingExecute.update(
        {"cell_s": 2.0, "call_s": 1.0, "notebook_s": 30.0, "waiting_s": 2.0, "memory_mib": 1024}
    )
    log = made.group / "nbgrader.log"
    try:
        entries = grade_class(made.course, config, [NAME], jobs=JOBS, log_to=log, say=print)
    finally:
        end()
    print(summary(entries))
    marked = {entry.student for entry in entries if entry.outcome == "marked"}
    for page in write_pages(config, [NAME], force=True, jobs=processors()):
        marked.discard(page.student)
        if page.outcome is Outcome.FAILED:  # a page that is missing holds nothing active
            raise RuntimeError(f"no feedback: {page.line()}")
    if marked:
        raise RuntimeError(f"no feedback for {sorted(marked)}")


def main(root: str, what: str, level: str = "") -> None:
    """Do one of the two."""
    if level == isolate.Level.LANDLOCK:
        os.environ["PATH"] = str(Path(sys.executable).parent)  # where no bubblewrap is
    {"release": release, "grade": grade}[what](HostileCourse.bare(Path(root)))


if __name__ == "__main__":
    main(*sys.argv[1:])
