"""What came of a run: an entry for each submission, and the summary that an instructor reads."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from grader.core.escaping import printable_line
from grader.core.findings import MOST_NAMED, Finding, Level, bounded, weightiest
from grader.submissions.file_names import called, named
from grader.submissions.folder_names import TABLE


class Outcome(StrEnum):
    """What became of a submission, in the order of the summary."""

    MARKED = "marked"
    UNCHANGED = "unchanged"  # marked before, and nothing has changed since
    REFUSED = "refused"  # not a submission
    FAILED = "failed"  # not the student's fault, or a process that ended each time


@dataclass(frozen=True)
class Entry:
    """What became of one submission.

    Args:
        student: Student id.
        assignment: Assignment id.
        outcome: What became of it.
        points: Automatic points.
        max_points: Points that can be had automatically.
        findings: What was noticed.
        isolation: The level that was reached.
        seconds: Time it took.
        why: For `refused` and `failed`: a sentence; for the others: why its late penalty could not be computed, if so.
        unrecognised: Exercises for which the search for a known mistake failed, and why.
        folder: The name of the student's folder, as text, if it could not be the id.
    """

    student: str
    assignment: str
    outcome: Outcome
    points: float = 0.0
    max_points: float = 0.0
    findings: list[Finding] = field(default_factory=list)
    isolation: str = ""
    seconds: float = 0.0
    why: str = ""
    unrecognised: dict[str, str] = field(default_factory=dict)
    folder: str = ""

    @property
    def needs_a_look(self) -> bool:
        """Whether a person should look at it."""
        lost = any(f.level is not Level.REPAIRED for f in self.findings)
        return lost or bool(self.why) or self.outcome in (Outcome.REFUSED, Outcome.FAILED)

    @classmethod
    def from_record(
        cls,
        student: str,
        assignment: str,
        outcome: Outcome,
        record: dict[str, Any],
    ) -> Entry:
        """Return the entry of a marked submission from what is kept of it."""
        return cls(
            student,
            assignment,
            outcome,
            points=record["points"],
            max_points=record["max_points"],
            findings=bounded([Finding.from_json(f) for f in record["findings"]]),  # earlier versions kept all
            isolation=record["isolation"].get("level", ""),
            seconds=record["wall_s"],
            unrecognised=record.get("unrecognised", {}),  # earlier versions did not keep it
        )


def one_line(entry: Entry) -> str:
    """Return a line about one submission, for the progress of a run."""
    head = f"{called(entry.student):18} {entry.assignment:26}"
    if entry.outcome in (Outcome.REFUSED, Outcome.FAILED):
        return f"{head} {entry.outcome}: {printable_line(entry.why)}"
    note = f"  {len(entry.findings)} noticed" if entry.findings else ""
    note += f": {printable_line(entry.why)}" if entry.why else ""
    unchanged = "  unchanged" if entry.outcome is Outcome.UNCHANGED else ""
    return f"{head} {entry.points:g} of {entry.max_points:g}  {entry.seconds:5.1f} s{unchanged}{note}"


def summary(entries: list[Entry]) -> str:
    """Describe what came of a run, and list what needs a look.

    Args:
        entries: From `grade_class`.
    """
    if not entries:
        return "no submissions: nobody has handed in what was asked for"
    counts = {outcome: sum(e.outcome is outcome for e in entries) for outcome in Outcome}
    lines = [f"{len(entries)} submissions: " + ", ".join(f"{n} {outcome}" for outcome, n in counts.items() if n)]
    levels = sorted({e.isolation for e in entries if e.isolation})
    if levels:
        lines.append(f"isolation: {', '.join(levels)}")
    repaired = sum(1 for e in entries if e.findings and not e.needs_a_look)
    if repaired:
        lines.append(f"{repaired} were repaired without loss (`--verbose` lists what)")
    failures = Counter((e.assignment, name, why) for e in entries for name, why in e.unrecognised.items())
    if failures:
        count = sum(failures.values())
        what = "; ".join(f"{a}, {name}{f' ({n} times)' * (n > 1)}: {why}" for (a, name, why), n in failures.items())
        where = f"for {count} exercise{'s' * (count != 1)}"
        lines.append(f"recognition failed {where}, which costs no points: {printable_line(what)}")
    lines += _odd_but_right(entries) + _who_is_who(entries)
    look = [e for e in entries if e.needs_a_look]
    if look:
        lines.append(f"{len(look)} need a look:")
    for entry in look:
        if entry.why:
            why = f"{entry.outcome}: {printable_line(entry.why)}"
            lines.append(f"  {called(entry.student)}, {entry.assignment}: {why}")
        weighty = [finding for finding in entry.findings if finding.level is not Level.REPAIRED]
        lines += [f"  {_noticed(entry, finding)}" for finding in weightiest(weighty, MOST_NAMED)]
        if len(weighty) > MOST_NAMED:  # nobody's lines push those of the others away
            who = f"{called(entry.student)}, {entry.assignment}"
            lines.append(f"  {who}: and {len(weighty) - MOST_NAMED} more (`--verbose`)")
    return "\n".join(lines)


#: What is named although it costs nothing: another file or another form than the one that was asked for.
_ODD = {
    "answered-file-taken": "handed in an untouched release beside the answered file, which was marked",
    "fuller-file-taken": "handed in a file with fewer answers beside the one that was marked",
    "unpacked": "handed in an archive, of which the notebook was marked",
    "outputs-left-out": "so large that it was read without its outputs",
    "too-many-cells": "more cells than are kept; scratch cells were left out",
}
#: Students that one line names.
_STUDENTS = 10


def _odd_but_right(entries: list[Entry]) -> list[str]:
    """Return a line for each odd form in which right answers came, with the students' names."""
    lines = []
    for kind, text in _ODD.items():
        who = [e for e in entries if any(f.kind == kind and f.level is Level.REPAIRED for f in e.findings)]
        if who:
            names = ", ".join(f"{called(e.student)} ({e.assignment})" for e in who[:_STUDENTS])
            lines.append(f"{text}: {names}{', ...' if len(who) > _STUDENTS else ''}")
    return lines


def _who_is_who(entries: list[Entry]) -> list[str]:
    """Return the ids that stand for folders whose names cannot be ids, and where all of them are listed."""
    renamed = sorted({(e.student, e.folder) for e in entries if e.folder})
    if not renamed:
        return []
    names = [f"  {student}: {named(printable_line(folder))}" for student, folder in renamed[:_STUDENTS]]
    more = [f"  and {len(renamed) - _STUDENTS} more"] if len(renamed) > _STUDENTS else []
    head = f"{len(renamed)} with a folder whose name cannot be an id, marked under one that is made of it"
    return [f"{head} (all of them: {TABLE}, beside the submissions):", *names, *more]


def _noticed(entry: Entry, finding: Finding) -> str:
    where = f" [{finding.where}]" if finding.where else ""
    return f"{called(entry.student)}, {entry.assignment}: {finding.level.value}{where}: {finding.text}"


def repairs(entries: list[Entry]) -> str:
    """Return everything that was noticed, a line each."""
    return "\n".join(f"  {_noticed(e, f)}" for e in entries for f in e.findings)
