"""What a grading run noticed about a submission: a sentence to student and instructor each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from grader.core.escaping import printable_line


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
