"""Name marks that are not of the notebook as it is now: it was corrected, and not everybody was marked again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from grader.core.course import to_grade
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.engine.fingerprints import points_fingerprint


class Basis(NamedTuple):
    """What a mark rests on besides the submission.

    Args:
        asked: Fingerprint of what the notebook had points for; None if an earlier version marked, or nbgrader alone.
    """

    asked: str | None = None

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Basis:
        """Return that of a record."""
        return cls(record.get("asked"))


def by_other_tests(assignment: str, source: Path, some: Iterable[Basis]) -> list[str]:
    """Say, in one line, how many were marked by other tests than a notebook has now.

    Args:
        assignment: Which assignment.
        source: The source notebook. Nothing is said if it is not on this machine.
        some: Of the marks that are shown or go back.
    """
    known = [basis.asked for basis in some if basis.asked is not None]
    if not known:
        return []
    try:
        now = points_fingerprint(read_notebook(source))
    except GraderError:  # not there, or being edited: marks are shown all the same
        return []
    others = sum(asked != now for asked in known)
    was = "submission was" if others == 1 else "submissions were"
    what = f"{others} {was} marked by other tests than the notebook has now"
    return [f"{assignment}: {what}; {to_grade(assignment)}"] if others else []
