"""Which assignment a download is of, so that a notebook of another one that lies in it replaces nothing in silence.

Whoever hands in a notebook again after its time can put it into the upload for a later one. Its content says truly
what it is, but not that it may still be handed in. So a download is of what most people in it handed in, and a folder
with an assignment's name, if no student made it, is of that assignment. What else lies there is named.

The name of a download may mean the course and not an assignment, so the content of many people's files outranks it.
But a name that says an assignment which nobody in the download handed in is a reason to ask before anything is
replaced, and one person's files alone never outrank the name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from grader.lms.archive import Unplaced
from grader.lms.candidates import Candidate, Sorted


@dataclass
class Download:
    """What the people of one download handed in.

    Args:
        told: The assignment that its name tells, or None.
        forced: The assignment that the instructor says it is of, which settles it, or None.
        often: How many people handed in each assignment. What they had handed in before in another upload does not
            count, nor what is untouched beside another notebook: both lie in a zip file of the course's folder.
        people: How many handed in any.
    """

    told: str | None = None
    forced: str | None = None
    often: Counter[str] = field(default_factory=Counter)
    people: int = 0

    def count(self, assignments: Collection[str]) -> None:
        """Take note of the assignments that one person handed in."""
        self.people += bool(assignments)
        self.often.update(assignments)

    @property
    def own(self) -> set[str]:
        """The assignments that it is of: several if most people handed in several; none if nothing tells.

        What one person handed in alone tells nothing, and the name of a download may mean the course.
        """
        if self.forced:
            return {self.forced}
        if self.told and self.contradicted and self.people < 2:
            return {self.told}
        if len(self.often) < 2:
            return set(self.often)
        most = {assignment for assignment, often in self.often.items() if 2 * often > self.people > 1}
        return most or {assignment for assignment in self.often if assignment == self.told}

    @property
    def contradicted(self) -> bool:
        """Whether its name tells an assignment that nobody in it handed in."""
        return self.told is not None and self.told not in self.often

    @property
    def may_be_elsewhere(self) -> bool:
        """Whether a notebook of another upload may lie in it: it is of several, or of what one person handed in."""
        return len(self.own) > 1 or (self.people < 2 and not self.forced)

    def parted(self, found: Sorted) -> tuple[dict[str, list[Candidate]], dict[str, list[Candidate]]]:
        """Part one person's files into those that may count and the notebooks of other assignments."""
        own, mine, others = self.own, dict[str, list[Candidate]](), dict[str, list[Candidate]]()
        for assignment in sorted(found.candidates):
            for candidate in sorted(found.candidates[assignment], key=lambda c: c.rank):
                fits = assignment in self._expected(candidate, own or {assignment})
                (mine if fits else others).setdefault(assignment, []).append(candidate)
        return mine, others

    def _expected(self, candidate: Candidate, own: set[str]) -> set[str]:
        """Return the assignments that a notebook can be of where it lies."""
        return {candidate.sender.stated} if candidate.sender.stated and not self.forced else own

    def may_replace(self, ranked: Sequence[Candidate]) -> bool:
        """Return whether the download, or the folder in it, is of a notebook's assignment, undisputed."""
        return bool(self.forced or ranked[-1].sender.stated or (self.own and not self.contradicted))

    def left_out(self, others: Sequence[Candidate], assignment: str) -> Unplaced:
        """Name notebooks of another assignment."""
        last, own = others[-1], self.own
        if self.forced:
            more = f" (and {len(others) - 1} more of the same)" if len(others) > 1 else ""
            fix = f"ask the student for the right one, or collect it by itself, with --assignment {assignment}"
            return last.item.unplaced(f"it holds {assignment} and not {self.forced}{more}", fix)
        where = f"its folder is of {last.sender.stated}" if last.sender.stated else self.says(own)
        more = f" (and {len(others) - 1} more of the same)" if len(others) > 1 else ""
        what = "it holds" if last.score else "its name says"
        return last.item.unplaced(f"{what} {assignment}, and {where}{more}", to_count(assignment))

    def untouched(self, others: Sequence[Candidate]) -> Unplaced:
        """Name one person's notebooks of other assignments without answers, which lie where answers are lacking."""
        says = f"the download is of {self.forced}" if self.forced else self.says(self.own)
        what = "it is an untouched notebook of another assignment"
        if len(others) > 1:
            what = f"it and {len(others) - 1} more notebooks of other assignments are untouched"
        fix = "what is lacking may be elsewhere: ask the student, or see whether anything is"
        return others[0].item.unplaced(f"{what}, and {says}", fix)

    def says(self, own: set[str]) -> str:
        """Return what the download is of, for a sentence.

        Args:
            own: The assignments that it is of; none if it is of several without a reason for any of them.
        """
        if self.told and self.contradicted and own <= {self.told}:
            return f"the name of the download says {self.told}"
        return f"the download is of {_listed(own) if own else 'several assignments'}"


def to_count(assignment: str) -> str:
    """Return what to do if a notebook of an assignment counts that lies in another one's download."""
    return f"if it counts, collect again with --assignment {assignment}, or collect this file by itself"


def _listed(names: set[str]) -> str:
    return " and ".join(sorted(names))
