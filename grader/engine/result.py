"""The result of marking one submission, and the two forms in which it is kept: marked notebook and record.

Running produces a `Result` and changes no notebook. `render` and `as_record` are the only places that know the form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from nbformat import NotebookNode, from_dict

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.findings import Finding, bounded
from grader.engine.settings import Pace

#: Where a marked notebook says how it was marked.
_NOTE = "marking"
#: nbgrader's comment on an answer that was not touched.
NO_RESPONSE = "No response."
#: Tag of the cells that were not run. It is set here alone, whatever tags a submission brings.
SKIP_TAG = "skipped-when-grading"


class Outcome(StrEnum):
    """How a test cell ended. The values are what records hold."""

    PASSED = "passed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    GONE = "gone"  # the student's process ended or hung
    NOT_RUN = "not run"


@dataclass(frozen=True)
class Verdict:
    """The outcome of one test cell and the reason for it.

    Args:
        name: Its `grade_id`.
        outcome: How it ended.
        error: Type name of the exception.
        message: Its text.
        line: Line of the cell.
        value: Points, where the cell ends with a number.
        by_test: Whether the message is that of an assertion in this line, and not of the student's code.
        call_error: Type name of the exception that the test's last call of a student's function ended with; empty if
            that returned something.
    """

    name: str
    outcome: Outcome
    error: str = ""
    message: str = ""
    line: int | None = None
    value: float | None = None
    by_test: bool = False
    call_error: str = ""

    @property
    def by_marking(self) -> bool:
        """Whether the message is marking's own: neither the test's nor the student's code said it."""
        return self.outcome in (Outcome.TIMEOUT, Outcome.GONE, Outcome.NOT_RUN) or self.error == "TimeoutError"

    def points(self, most: float) -> float:
        """Return the points that this outcome earns.

        Args:
            most: Points of the cell.
        """
        if self.outcome is not Outcome.PASSED:
            return 0.0
        return most if self.value is None else min(max(self.value, 0.0), most)


@dataclass(frozen=True)
class Origin:
    """What was handed in and what it is marked by.

    Args:
        submission: Fingerprint of what was handed in, empty if there was nothing.
        tests: Fingerprint of the assignment and of what marks it.
        findings: What was noticed when it was read.
    """

    submission: str = ""
    tests: str = ""
    findings: tuple[Finding, ...] = ()

    def write(self, nb: NotebookNode) -> None:
        """Write this into a notebook; nbgrader writes that to a file between its two passes."""
        nb.metadata[_NOTE] = from_dict(
            {"submission": self.submission, "tests": self.tests, "findings": [f.as_json() for f in self.findings]}
        )

    @classmethod
    def read(cls, nb: NotebookNode) -> Origin:
        """Read back what `write` wrote; a notebook without it has an empty one."""
        note = nb.metadata.get(_NOTE, {})
        findings = tuple(Finding.from_json(f) for f in note.get("findings", []))
        return cls(note.get("submission", ""), note.get("tests", ""), findings)


@dataclass
class Result:
    """What marking a notebook gave.

    Args:
        origin: What was handed in, and what was noticed before it ran.
        verdicts: For each test cell.
        outputs: For each cell that ran its outputs, by its place in the notebook.
        counts: Execution counts, by place.
        skipped: Places of the cells that did not have to run.
        findings: What was noticed while it ran.
        isolation: What the student's side reached.
        wall_s: Seconds on the clock.
        cpu_s: CPU seconds of both sides.
        peak_mib: Most memory of one process.
        cells: How many cells ran on the student's side.
        causes: Known mistakes that were recognised, for each test that shows one.
        unrecognised: Exercises for which the search for a known mistake failed, and why; it costs no points.
        ran_out: Whether a call, a cell or the notebook ran out of its time.
        waited_s: Seconds for which it waited.
        restarts: How often a new pair of processes was started.
        pace: What the longest call and test took, where that was measured.
    """

    origin: Origin = field(default_factory=Origin)
    verdicts: dict[str, Verdict] = field(default_factory=dict)
    outputs: dict[int, list[NotebookNode]] = field(default_factory=dict)
    counts: dict[int, int] = field(default_factory=dict)
    skipped: frozenset[int] = frozenset()
    findings: list[Finding] = field(default_factory=list)
    isolation: dict[str, Any] = field(default_factory=dict)
    wall_s: float = 0.0
    cpu_s: float = 0.0
    peak_mib: float = 0.0
    cells: int = 0
    causes: list[dict[str, Any]] = field(default_factory=list)
    unrecognised: dict[str, str] = field(default_factory=dict)
    ran_out: bool = False
    waited_s: float = 0.0
    restarts: int = 0
    pace: Pace = field(default_factory=Pace)

    def of(self, origin: Origin) -> Result:
        """Return this as the result of a certain submission."""
        return replace(self, origin=origin)

    @property
    def all_findings(self) -> list[Finding]:
        """What was noticed when it was read and while it ran, as much as is kept of it."""
        return bounded([*self.origin.findings, *self.findings])


def render(nb: NotebookNode, result: Result) -> None:
    """Write a result into the notebook that was run: outputs, tags, and a note for the feedback page.

    Args:
        nb: The notebook, changed in place.
        result: Its result.
    """
    for place, cell in enumerate(nb.cells):
        if cell.cell_type == "code":
            # A tag in the submission is the student's word.
            tags = [tag for tag in cell.metadata.get("tags", []) if not tag.startswith("skip")]
            cell.metadata["tags"] = [*tags, SKIP_TAG] if place in result.skipped else tags
    for place, outputs in result.outputs.items():
        nb.cells[place].outputs = outputs
    for place, count in result.counts.items():
        nb.cells[place].execution_count = count
    result.origin.write(nb)
    note = nb.metadata[_NOTE]
    note["findings"] = [f.as_json() for f in result.all_findings]
    note["isolation"], note["causes"] = result.isolation, result.causes
    note["by_test"] = {v.name: v.line for v in result.verdicts.values() if v.by_test}
    note["by_marking"] = [v.name for v in result.verdicts.values() if v.by_marking]


def add_findings(nb: NotebookNode, findings: list[Finding]) -> None:
    """Add to a rendered notebook what was noticed after it was marked.

    Args:
        nb: The notebook, changed in place.
        findings: What was noticed.
    """
    nb.metadata[_NOTE]["findings"] += [f.as_json() for f in findings]


def believe(nb: NotebookNode, record: Mapping[str, Any] | None) -> None:
    """Drop marking's note from a marked notebook unless it was written with the record that the gradebook has.

    A bare nbgrader leaves the notebook's metadata as they were handed in, and a student may have written such a note:
    it would tell that no text can quote a hidden test, and say what it likes in marking's name. The fingerprint of the
    assignment depends on the hidden tests, so a student cannot write a note that fits.

    Args:
        nb: The notebook, changed in place.
        record: What is kept of the submission beside its marks; None if this project never marked it.
    """
    note = nb.metadata.get(_NOTE)
    names = "submission", "tests"
    mine = record is not None and isinstance(note, dict) and all(note.get(n) == record.get(n) for n in names)
    if not mine:
        nb.metadata.pop(_NOTE, None)


def ran_apart(nb: NotebookNode) -> bool:
    """Return whether a student's code and the tests ran in processes of their own, as they do when this marks."""
    note = nb.metadata.get(_NOTE)
    return isinstance(note, dict) and bool(note.get("isolation"))


def assertion_of(nb: NotebookNode, test: str) -> int | None:
    """Return the line of a test cell with the assertion that says why it failed; None if no assertion says it."""
    note = nb.metadata.get(_NOTE)
    lines = note.get("by_test") if isinstance(note, dict) else None
    line = lines.get(test) if isinstance(lines, dict) else None
    return line if isinstance(line, int) else None


def said_by_marking(nb: NotebookNode, test: str) -> bool:
    """Return whether why a test failed is said in marking's own words: something took too long, or ended."""
    note = nb.metadata.get(_NOTE)
    names = note.get("by_marking") if isinstance(note, dict) else None
    return isinstance(names, list) and test in names


def said_by_student(nb: NotebookNode, test: str) -> bool:
    """Return whether a failed assertion may be the student's; it counts as the test's if nobody took note of that."""
    note = nb.metadata.get(_NOTE)
    noted = ran_apart(nb) and isinstance(note, dict) and isinstance(note.get("by_test"), dict)
    return noted and assertion_of(nb, test) is None


def was_marked(nb: dict[str, Any], submission: str, tests: str) -> bool:
    """Return whether a notebook, as JSON, was marked to the end.

    Args:
        nb: The notebook.
        submission: Fingerprint of what was handed in.
        tests: Fingerprint of the assignment.
    """
    note = nb["metadata"][_NOTE]
    return "isolation" in note and (note["submission"], note["tests"]) == (submission, tests)


def as_record(nb: NotebookNode, result: Result) -> dict[str, Any]:
    """Return what is kept of a result beside the marks, as plain data.

    Args:
        nb: The notebook that was run; it has the points of the tests.
        result: Its result.
    """
    most = {grade_id(c): float(c.metadata.nbgrader.points) for c in nb.cells if kind_of(c) is CellKind.TEST}
    return {
        "submission": result.origin.submission,
        "tests": result.origin.tests,
        "points": sum(v.points(most[v.name]) for v in result.verdicts.values()),
        "max_points": sum(most.values()),
        "verdicts": [
            {
                "name": v.name,
                "outcome": v.outcome.value,
                "error": v.error,
                "message": v.message,
                "line": v.line,
                "by_test": v.by_test,
                "points": v.points(most[v.name]),
            }
            for v in result.verdicts.values()
        ],
        "findings": [f.as_json() for f in result.all_findings],
        "causes": result.causes,
        "unrecognised": result.unrecognised,
        "isolation": result.isolation,
        "wall_s": round(result.wall_s, 3),
        "cpu_s": round(result.cpu_s, 3),
        "peak_mib": round(result.peak_mib),
    }
