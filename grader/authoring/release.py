"""Make the students' notebooks, through nbgrader."""

from __future__ import annotations

import tempfile
from pathlib import Path

from grader.core.cells import grade_id
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.nbgrader_api import course_config, failure_reason, folders_config, how_to_go_on, open_nbgrader
from grader.core.notebook import read_notebook
from grader.core.regions import doubtful, hidden_tests, solutions


def release(course: Course, assignments: list[str]) -> list[Path]:
    """Generate the release notebooks and enter them into the course's gradebook.

    Args:
        course: The course.
        assignments: Which notebooks.

    Returns:
        The files written.

    Raises:
        GraderError: If nbgrader refuses a notebook; its reason is in the text. Or if it would not, although a marker of
            what students do not get is misspelled.
    """
    refuse_doubtful_markers(course, assignments)
    with open_nbgrader(course_config(course), course.local / "release.log") as api:
        for assignment in assignments:
            _generate(api, assignment)
    return [course.released(a) for a in assignments]


def refuse_doubtful_markers(course: Course, assignments: list[str]) -> None:
    """Refuse notebooks in which it is not certain what students do not get.

    Args:
        course: The course.
        assignments: Which notebooks.

    Raises:
        GraderError: If a marker has no partner, or a line looks like a marker and is none.
    """
    kinds = [read(course_config(course)) for read in (solutions, hidden_tests)]
    for assignment in assignments:
        for cell in read_notebook(course.source(assignment)).cells:
            for line in doubtful(cell.source, *kinds)[:1]:
                where = f"{assignment}, cell {grade_id(cell) or cell.get('id', '?')}"
                pairs = " and ".join("`{}` with `{}`".format(*markers.written) for markers in kinds)
                raise GraderError(f"{line.strip()!r} is no marker with a partner", where, f"pair {pairs}, written so")


def out_of_date(course: Course, assignments: list[str]) -> list[str]:
    """Return the assignments whose release is out of date with their source; nothing is changed.

    nbgrader generates the same bytes from the same source, so any difference means an edited or a forgotten release.
    """
    stale = []
    with tempfile.TemporaryDirectory() as scratch:
        config = folders_config(course_config(course), Path(scratch))
        # What `nbgrader generate_assignment --no-db` sets.
        config.GenerateAssignment.no_database = True
        config.SaveCells.enabled = False
        with open_nbgrader(config) as api:
            for assignment in assignments:
                _generate(api, assignment)
                fresh = Path(scratch) / "release" / assignment / f"{assignment}.ipynb"
                kept = course.released(assignment)
                if not kept.exists() or kept.read_bytes() != fresh.read_bytes():
                    stale.append(assignment)
    left = {p.name for p in course.release.iterdir() if p.is_dir()} if course.release.exists() else set()
    return stale + sorted(left - set(course.assignments()))


def _generate(api, assignment: str) -> None:
    result = api.generate_assignment(assignment, force=True)
    if not result["success"]:
        reason = f"nbgrader could not release it: {failure_reason(result)}"
        raise GraderError(reason, assignment, how_to_go_on(api, assignment) or f"run: grader check {assignment}")
