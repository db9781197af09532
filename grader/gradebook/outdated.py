"""Name marks that are not of what there is now: the notebook was corrected, or points were given after a penalty."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from nbgrader.api import Gradebook
from traitlets.config import Config

from grader.core.course import to_grade
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.engine.fingerprints import points_fingerprint
from grader.gradebook.penalties import LATE, Of, not_of_now
from grader.submissions.choosing import some_of


class Basis(NamedTuple):
    """What a mark rests on besides the submission.

    Args:
        asked: Fingerprint of what the notebook had points for; None if an earlier version marked, or nbgrader alone.
        late: What its late penalty is of; None if an earlier version marked.
    """

    asked: str | None = None
    late: Of | None = None

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Basis:
        """Return that of a record."""
        return cls(record.get("asked"), record.get(LATE))


def outdated(
    gradebook: Gradebook, config: Config, assignment: str, source: Path, some: Mapping[str, Basis]
) -> list[str]:
    """Name marks that are of other tests than there are now, and penalties that are of other points, in a line each.

    Args:
        gradebook: nbgrader's.
        config: nbgrader's configuration.
        assignment: Which assignment.
        source: The source notebook; of tests nothing is said if it is not on this machine.
        some: By student, of the marks that are shown or go back.
    """
    late = {student: basis.late for student, basis in some.items() if basis.late is not None}
    return _by_other_tests(assignment, source, some) + not_of_now(gradebook, config, assignment, late)


def _by_other_tests(assignment: str, source: Path, some: Mapping[str, Basis]) -> list[str]:
    """Say, in one line, whose were marked by other tests than a notebook has now."""
    known = {student: basis.asked for student, basis in some.items() if basis.asked is not None}
    if not known:
        return []
    try:
        now = points_fingerprint(read_notebook(source))
    except GraderError:  # not there, or being edited: marks are shown all the same
        return []
    others = sorted(student for student, asked in known.items() if asked != now)
    was = "submission was" if len(others) == 1 else "submissions were"
    what = f"{len(others)} {was} marked by other tests than the notebook has now"
    return [f"{assignment}: {what}: {some_of(others)}; {to_grade(assignment)}"] if others else []
