"""What an audit finds: findings, and the counts of each answer, exercise and notebook."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from grader.audit.mutations import Change
from grader.audit.results import AnswerResult
from grader.core.catalogue import Catalogue, Variant
from grader.core.cells import Exercise


class FindingKind(StrEnum):
    """What is wrong: with the tests, the solution, the self-check or the catalogue."""

    FALSE_ACCEPT = "false accept"
    FALSE_REJECT = "false reject"
    SURVIVING_CHANGE = "surviving change"
    STALE_RECORD = "stale record"
    TAMPERING = "tampering"
    STUB_EARNS_POINTS = "stub earns points"
    REFERENCE_FAILS = "reference fails"
    SELF_CHECK = "self-check"
    CATALOGUE = "catalogue"


@dataclass(frozen=True)
class Finding:
    """Something that needs a better test, a mended answer or a record.

    Args:
        kind: What is wrong.
        where: File and line, or notebook and exercise.
        text: What was found, in a line.
        details: Lines that say more.
        fix: What to do.
    """

    kind: FindingKind
    where: str
    text: str
    details: tuple[str, ...] = ()
    fix: str = ""

    def __str__(self) -> str:
        """Return the finding as several lines of text."""
        lines = [f"{self.where}: {self.kind}: {self.text}", *(f"    {d}" for d in self.details)]
        return "\n".join([*lines, f"    Fix: {self.fix}"] if self.fix else lines)


@dataclass(frozen=True)
class VariantAudit:
    """How an answer of the catalogue fared.

    Args:
        variant: The answer.
        result: What it did.
        lost: Points it lost.
        caught_visibly: Whether the visible part of the tests alone takes points from it.
        noticed: Whether the self-check says that something does not hold.
        recognised: Whether the self-check prints its word; None if it has none.
    """

    variant: Variant
    result: AnswerResult
    lost: int
    caught_visibly: bool
    noticed: bool
    recognised: bool | None

    @property
    def as_expected(self) -> bool:
        """Whether a wrong answer lost points, or a right one did not."""
        return bool(self.lost) == (self.variant.kind == "wrong")


@dataclass
class ExerciseAudit:
    """What the audit of one exercise found.

    Args:
        exercise: The exercise.
        catalogue: Its catalogue; empty if there is none.
        variants: The catalogue's answers, in order.
        killed: Automatic changes that a test noticed.
        crashed: How many of these ended in an error of their own rather than at an assert.
        equivalent: Changes that no test noticed and that are recorded as equivalent.
        surviving: Changes that no test noticed.
        findings: What needs work.
        unused_cells: Test cells that no wrong answer of the catalogue fails.
        reference: What the reference answer did.
        stub: What the untouched answer cell did.
    """

    exercise: Exercise
    catalogue: Catalogue
    variants: list[VariantAudit] = field(default_factory=list)
    killed: list[Change] = field(default_factory=list)
    crashed: int = 0
    equivalent: list[Change] = field(default_factory=list)
    surviving: list[Change] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    unused_cells: tuple[str, ...] = ()
    reference: AnswerResult | None = None
    stub: AnswerResult | None = None

    @property
    def solution(self) -> AnswerResult:
        """What the reference answer did; to be asked for once it was run."""
        assert self.reference is not None, f"the reference of {self.exercise.name} was not run"
        return self.reference

    def of_kind(self, kind: str) -> list[VariantAudit]:
        """List the `wrong` or the `right` answers."""
        return [v for v in self.variants if v.variant.kind == kind]

    @property
    def figures(self) -> dict[str, int]:
        """The counts that the table and the JSON file show."""
        wrong, right = self.of_kind("wrong"), self.of_kind("right")
        return {
            "points": self.exercise.points,
            "test_cells": len(self.exercise.tests),
            "wrong": len(wrong),
            "wrong_that_lose_points": sum(v.as_expected for v in wrong),
            "wrong_caught_by_visible_tests": sum(v.caught_visibly for v in wrong),
            "wrong_noticed_by_self_check": sum(v.noticed for v in wrong),
            "wrong_named_by_self_check": sum(v.recognised is True for v in wrong),
            "right": len(right),
            "right_that_keep_all_points": sum(v.as_expected for v in right),
            "changes": len(self.killed) + len(self.equivalent) + len(self.surviving),
            "changes_killed": len(self.killed),
            "changes_killed_by_an_error_of_their_own": self.crashed,
            "changes_equivalent": len(self.equivalent),
            "changes_surviving": len(self.surviving),
            "findings": len(self.findings),
        }


@dataclass
class AssignmentAudit:
    """What the audit of one notebook found.

    Args:
        assignment: Its name.
        exercises: The exercises in order.
        findings: What concerns the notebook as a whole.
        import_s: Seconds to import what the notebook imports.
        wall_s: Seconds on the clock, imports included.
        answers: How many answers were run.
        cpu_s: CPU seconds of all answers.
        peak_mib: Most memory of one answer's process, what it shares with the others included.
    """

    assignment: str
    exercises: list[ExerciseAudit]
    findings: list[Finding] = field(default_factory=list)
    import_s: float = 0.0
    wall_s: float = 0.0
    answers: int = 0
    cpu_s: float = 0.0
    peak_mib: float = 0.0

    @property
    def all_findings(self) -> list[Finding]:
        """Findings of the notebook and of its exercises."""
        return [*self.findings, *(f for e in self.exercises for f in e.findings)]
