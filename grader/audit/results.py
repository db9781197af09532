"""What the audit runs and what came of it: an answer with its test cells."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from grader.core.cells import Exercise


class Outcome(StrEnum):
    """How one test cell ended."""

    PASSED = "passed"
    FAILED = "failed"
    #: It ran, but wrote to standard error, for which nbgrader takes all its points.
    STDERR = "stderr"
    TIMEOUT = "timeout"
    #: The process ended while it ran.
    CRASHED = "crashed"
    #: An earlier cell ended the process, or the run stopped there as it was asked to.
    NOT_RUN = "not run"


class End(StrEnum):
    """How the process of an answer ended."""

    DONE = "done"
    TIMEOUT = "timeout"
    #: A set-up, helper or given cell failed.
    LOCKED = "locked"
    #: The answer ended it, or a signal did.
    CRASHED = "crashed"


@dataclass(frozen=True)
class CellResult:
    """How one test cell ended.

    Args:
        name: Its `grade_id`.
        outcome: How it ended.
        error: Type name of the exception.
        message: Its text, or what was written to standard error.
        line: Line of the cell, from 1.
    """

    name: str
    outcome: Outcome
    error: str = ""
    message: str = ""
    line: int | None = None

    @property
    def passed(self) -> bool:
        """Whether the cell gives its points."""
        return self.outcome is Outcome.PASSED

    def __str__(self) -> str:
        """Describe it in one line."""
        text = " ".join(self.message.split())
        what = ": ".join(filter(None, [self.error, text[:300]])) or self.outcome
        return f"{self.name}{f', line {self.line}' if self.line else ''}: {what}"


@dataclass(frozen=True)
class AnswerResult:
    """What one answer did.

    Args:
        cells: The graded test cells in order.
        visible: The same cells without their hidden part; empty if that was not asked for.
        answer_error: What went wrong when the answer cell itself ran, or an empty string.
        printed: What the exercise's self-check printed.
        self_check_error: The exception that the self-check raised, which it never should.
        end: How the process ended.
        cpu_s: CPU seconds of its process, set-up included.
        answer_cpu_s: CPU seconds of the answer and all test cells that were run.
        wall_s: Seconds on the clock.
        peak_mib: Most memory it had, what it shares with the template included.
    """

    cells: tuple[CellResult, ...]
    visible: tuple[CellResult, ...] = ()
    answer_error: str = ""
    printed: str = ""
    self_check_error: str = ""
    end: End = End.DONE
    cpu_s: float = 0.0
    answer_cpu_s: float = 0.0
    wall_s: float = 0.0
    peak_mib: float = 0.0

    @property
    def kept_all(self) -> bool:
        """Whether it gets every point."""
        return all(c.passed for c in self.cells)

    @property
    def kept_all_visible(self) -> bool:
        """Whether the visible tests alone would find nothing."""
        return all(c.passed for c in self.visible)

    @property
    def failed(self) -> tuple[CellResult, ...]:
        """The cells that give no points."""
        return tuple(c for c in self.cells if not c.passed)

    @property
    def caught_by(self) -> CellResult | None:
        """A cell that ran and gives no points; the only one if the run stopped at the first."""
        return next((c for c in self.failed if c.outcome is not Outcome.NOT_RUN), None)


@dataclass(frozen=True)
class Task:
    """One answer to run.

    Args:
        exercise: The exercise it answers.
        source: Source of the answer cell.
        visible: Also run the test cells without their hidden part.
        self_check: Also run the exercise's self-check.
        graded: Run the whole test cells.
        stop_at_first: Stop at the first test cell that gives no points.
        first: Name of the test cell to run before the others: the one that is likely to fail. Test cells do not
            depend on each other, so their order changes no verdict.
        place: What was changed, if it is one of a series: each first meets the cell that caught the last one there.
        timeout_s: CPU seconds for the answer and its tests; on the clock four times as many and a
            little more, set-up included, since other work may keep the processors busy.
        memory_mib: Memory on top of what the template has.
    """

    exercise: Exercise
    source: str
    visible: bool = False
    self_check: bool = False
    graded: bool = True
    stop_at_first: bool = False
    first: str = ""
    place: str = ""
    timeout_s: float = 20.0
    memory_mib: int = 2048
