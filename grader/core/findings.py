"""What a grading run noticed about a submission: a sentence to student and instructor each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, TypeVar

from grader.core.escaping import printable_line

#: Findings of one submission that are kept, their characters in all, and how many of them a list of a class names.
MOST_KEPT, MOST_TEXT, MOST_NAMED = 60, 20_000, 10
#: Characters that the last one may have, which says how many are left out.
_OF_THE_LAST = 100


class Level(Enum):
    """How much a finding matters."""

    REPAIRED = "repaired"  # nothing was lost
    LOST = "lost"  # something could not be used or did not end; points may be missing
    SUSPICIOUS = "suspicious"  # looks like an attempt on the grader; a person should look


@dataclass(frozen=True)
class Finding:
    """One thing that was noticed. Its texts are lines that can be printed, whatever they were made of.

    Args:
        kind: A short stable name, such as `"cell-moved"`, to count by.
        where: `grade_id` of the cell, a file's name, or an empty string.
        text: A full sentence in plain words for student and instructor; no path of this machine, no source of a test.
        level: How much it matters.
    """

    kind: str
    where: str
    text: str
    level: Level = Level.REPAIRED

    def __post_init__(self) -> None:
        for name in ("kind", "where", "text"):
            object.__setattr__(self, name, printable_line(getattr(self, name)))

    def as_json(self) -> dict[str, str]:
        """Return it as plain data."""
        return {"kind": self.kind, "where": self.where, "text": self.text, "level": self.level.value}

    @classmethod
    def from_json(cls, data: dict[str, str]) -> Finding:
        """Return the finding that `as_json` described."""
        return cls(data["kind"], data["where"], data["text"], Level(data["level"]))


class _Noticed(Protocol):
    @property
    def kind(self) -> str: ...

    @property
    def level(self) -> Level: ...


_Some = TypeVar("_Some", bound=_Noticed)
_WEIGHT = {Level.SUSPICIOUS: 0, Level.LOST: 1, Level.REPAIRED: 2}
#: Kinds that come before all others: what speaks for points that are there, not for some that are missing.
_BEFORE_ALL = {"counted-in-second-run"}


def weightiest(findings: Sequence[_Some], most: int) -> list[_Some]:
    """Return some of what was noticed about one submission: what weighs most, and of each kind something.

    Args:
        findings: What was noticed.
        most: How many are returned.

    Returns:
        The chosen ones: first one of each kind, with the heaviest level before the others, then a second of each.
    """
    return [findings[place] for place in _in_turn(findings)[:most]]


def _in_turn(findings: Sequence[_Noticed]) -> list[int]:
    """Return the places of findings, the weightiest first.

    A submission can have one kind of finding as often as it likes, and with it hide another kind. So each kind has its
    turn before one of them has its second. The first one that speaks for a gained point comes before all of these: it
    may be all that gives an attempt away.
    """
    met: Counter[tuple[Level, str]] = Counter()
    turns = []
    for place, finding in enumerate(findings):
        kind = finding.level, finding.kind
        weight = -1 if finding.kind in _BEFORE_ALL else _WEIGHT[finding.level]
        turns.append((met[kind], weight, place))
        met[kind] += 1
    return [place for *_, place in sorted(turns)]


def bounded(findings: Sequence[Finding]) -> list[Finding]:
    """Return what is kept of all that was noticed about one submission, whatever it holds.

    Args:
        findings: What was noticed.

    Returns:
        As many as there is room for, in their order, and behind them how many are left out.
    """
    sizes = [len(finding.where) + len(finding.text) for finding in findings]
    if len(findings) <= MOST_KEPT and sum(sizes) <= MOST_TEXT:
        return list(findings)
    kept: set[int] = set()
    room = MOST_TEXT - _OF_THE_LAST
    for place in _in_turn(findings)[: MOST_KEPT - 1]:
        room -= sizes[place]
        if room >= 0:
            kept.add(place)
    left = [finding for place, finding in enumerate(findings) if place not in kept]
    text = f"And {len(left):,} more like these were noticed, which are not listed."
    more = Finding("more-noticed", "", text, min((f.level for f in left), key=_WEIGHT.__getitem__))
    return [*(findings[place] for place in sorted(kept)), more]
