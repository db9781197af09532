"""What a run of `grader collect` did, and how it is told."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from grader.core.escaping import printable_line
from grader.lms.archive import Unplaced
from grader.lms.marks import counted
from grader.lms.placing import Placed
from grader.lms.students import Unread


@dataclass
class Collected:
    """What a run did.

    Args:
        placed: What found its place.
        unplaced: What did not.
        aside: Files that are no notebooks and were left where they are.
        untold: How many times lie there that the exchange or the students may have written.
        unread: Rows of `students.csv` and `collected.csv` that could not be read.
        looks: Files that are kept aside although they may hold more answers than the one that counts.
        times: What is odd about times of handing in.
        put_back: What a run that was ended had placed, and did not come again since or could not be put back.
    """

    placed: list[Placed] = field(default_factory=list)
    unplaced: list[Unplaced] = field(default_factory=list)
    aside: list[str] = field(default_factory=list)
    untold: int = 0
    unread: list[Unread] = field(default_factory=list)
    looks: list[Unplaced] = field(default_factory=list)
    times: list[Unplaced] = field(default_factory=list)
    put_back: list[Unplaced] = field(default_factory=list)

    @property
    def needs_a_look(self) -> bool:
        """Whether anything is named that a person has to see."""
        return bool(self.unplaced or self.unread or self.looks or self.times or self.put_back)


def summary(result: Collected) -> str:
    """Describe what a run did and what needs a look."""
    outcomes = Counter(placed.outcome for placed in result.placed)
    counts = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.items())
    lines = [counted(len(result.placed), "submission") + (f": {counts}" if counts else "")]
    if result.aside:
        shown = ", ".join(result.aside[:5]) + (", ..." if len(result.aside) > 5 else "")
        lines.append(f"{counted(len(result.aside), 'file')} left aside, not a notebook: {shown}")
    if result.untold:
        lines.append(
            f"{counted(result.untold, 'timestamp')} not used, since students may have written them: if nbgrader's "
            "exchange filled these folders, each STUDENT/ASSIGNMENT, collect with --times"
        )
    if result.unread:
        lines.append(f"{counted(len(result.unread), 'row')} could not be read, and kept as they were:")
        lines += [f"  {u.where}: {printable_line(u.why)}\n    Fix: {u.fix}" for u in result.unread]
    if result.looks:
        lines.append(
            f"{counted(len(result.looks), 'file')} kept aside to look at, with answers that may not be marked:"
        )
        lines += [f"  {u.where}: {u.why}\n    Fix: {u.fix}" for u in result.looks]
    if result.times:
        lines.append("times of handing in to look at:")
        lines += [f"  {u.where}: {u.why}\n    Fix: {u.fix}" for u in result.times]
    if result.put_back:
        lines.append("from a run that was ended:")
        lines += [f"  {u.where}: {u.why}\n    Fix: {u.fix}" for u in result.put_back]
    if result.unplaced:
        lines.append(f"{len(result.unplaced)} could not be placed:")
        lines += [f"  {u.where}: {u.why}\n    Fix: {u.fix}" for u in result.unplaced]
    return "\n".join(lines)
