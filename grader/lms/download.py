"""Which assignment a download is of, so that a notebook of another one that lies in it replaces nothing in silence.

Whoever hands in a notebook again after its time can put it into the upload for a later one. Its content says truly
what it is, but not that it may still be handed in. So a download is of what most people in it handed in, and a folder
with an assignment's name, if no student made it, is of that assignment. What else lies there is named.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from grader.lms.archive import Unplaced
from grader.lms.candidates import Candidate, Sorted


@dataclass
class Download:
    """What the people of one download handed in.

    Args:
        told: The assignment that its name tells, or None.
        often: How many people handed in each assignment.
        people: How many handed in any.
    """

    told: str | None = None
    often: Counter[str] = field(default_factory=Counter)
    people: int = 0

    def count(self, found: Sorted) -> None:
        """Take note of one person's files."""
        self.people += bool(found.candidates)
        self.often.update(found.candidates.keys())

    @property
    def own(self) -> set[str]:
        """The assignments that it is of: several if most people handed in several; none if nothing tells.

        What one person handed in alone tells nothing, and the name of a download may mean the course.
        """
        if len(self.often) < 2:
            return set(self.often)
        most = {assignment for assignment, often in self.often.items() if 2 * often > self.people > 1}
        return most or {assignment for assignment in self.often if assignment == self.told}

    def leave_out(self, found: Sorted) -> list[Unplaced]:
        """Take the notebooks of other assignments out of one person's files, and say so."""
        own, left = self.own, list[Unplaced]()
        for assignment in sorted(found.candidates):
            ranked = sorted(found.candidates.pop(assignment), key=lambda c: c.rank)
            others = [c for c in ranked if assignment not in self._expected(c, own or {assignment})]
            if others:
                left.append(_left_out(others, assignment, own))
            if len(others) < len(ranked):
                found.candidates[assignment] = [c for c in ranked if c not in others]
        return left

    @staticmethod
    def _expected(candidate: Candidate, own: set[str]) -> set[str]:
        """Return the assignments that a notebook can be of where it lies."""
        return {candidate.sender.stated} if candidate.sender.stated else own

    def may_replace(self, ranked: Sequence[Candidate]) -> bool:
        """Return whether something tells that the download, or the folder in it, is of a notebook's assignment."""
        return bool(self.own or ranked[-1].sender.stated)


def to_count(assignment: str) -> str:
    """Return what to do if a notebook of an assignment counts that lies in another one's download."""
    return f"if it counts, collect again with --assignment {assignment}, or collect this file by itself"


def _left_out(others: Sequence[Candidate], assignment: str, own: set[str]) -> Unplaced:
    last = others[-1]
    where = f"its folder is of {last.sender.stated}" if last.sender.stated else f"the download is of {_listed(own)}"
    more = f" (and {len(others) - 1} more of the same)" if len(others) > 1 else ""
    what = "it holds" if last.score else "its name says"
    return last.item.unplaced(f"{what} {assignment}, and {where}{more}", to_count(assignment))


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names))
