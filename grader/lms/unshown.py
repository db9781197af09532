"""What was found and nobody has read yet: it is kept until a run has told it to the end.

What is found is found once: the next run sees files that are there already. So what a run found is written down before
the rows that it belongs to.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from grader.core.errors import GraderError
from grader.core.files import write_if_changed
from grader.lms.archive import Unplaced
from grader.lms.collected import Collected
from grader.lms.put_back import PutBack, lines_of

_NAME = ".not_shown"


class Unshown:
    """The findings of runs that were ended before they had told them.

    Args:
        local: The folder around the submissions.

    Raises:
        GraderError: If the file cannot be read.
    """

    def __init__(self, local: Path):
        self._path = local / _NAME
        try:
            text = self._path.read_text(encoding="utf-8") if self._path.exists() else "[[], []]"
            looks, times, *more = json.loads(text)
            self._looks, self._times = ([Unplaced(*one) for one in some] for some in (looks, times))
            self._back = [PutBack(*one) for some in more for one in some]  # earlier versions have none
        except (OSError, ValueError, TypeError) as error:
            why = f"what the last run found cannot be read ({error})"
            raise GraderError(why, str(self._path), "look at it, move it away, and collect again") from None

    def keep_put_back(self, left: list[PutBack]) -> None:
        """Write down what is going to be put back."""
        self._back = list(dict.fromkeys(self._back + left))
        self.keep(Collected())

    def added_to(self, result: Collected) -> Collected:
        """Return a result with what was found before and not told."""
        looks, times = list(dict.fromkeys(self._looks + result.looks)), list(dict.fromkeys(self._times + result.times))
        return replace(result, looks=looks, times=times, put_back=lines_of(self._left(result)))

    def _left(self, result: Collected) -> list[PutBack]:
        """Return what was put back and has not come again, and what could not be put back."""
        came = {(placed.student, placed.assignment, digest) for placed in result.placed for digest in placed.digests}
        return [one for one in self._back if one.gone or one[:3] not in came]

    def keep(self, result: Collected) -> None:
        """Write down what is found so far."""
        found, left = self.added_to(result), self._left(result)
        if found.looks or found.times or left or self._path.exists():
            lists = [[[one.where, one.why, one.fix] for one in some] for some in (found.looks, found.times)]
            write_if_changed(self._path, json.dumps([*lists, left]))

    def shown(self) -> None:
        """Forget it: it was told to the end."""
        self._path.unlink(missing_ok=True)
