"""The report of an audit: a table, the findings, plain data, and a line of progress."""

from __future__ import annotations

import datetime
import os
import platform
import sys
from dataclasses import replace

from grader.audit.findings import AssignmentAudit, ExerciseAudit, Finding

SCHEMA_VERSION = 1


def table(audits: list[AssignmentAudit]) -> str:
    """Return a table with one line per exercise and one of totals."""
    head = ("exercise", "pts", "cells", "wrong", "visibly", "noticed", "named", "right", "changes", "equiv.", "alive")
    rows = []
    totals: dict[str, int] = {}
    for one in (e for a in audits for e in a.exercises):
        for key, value in one.figures.items():
            totals[key] = totals.get(key, 0) + value
        rows.append(_row(f"{one.exercise.number} {one.exercise.name}".strip(), one.figures))
    rows.append(_row("all", totals))
    widths = [max(len(r[i]) for r in [head, *rows]) for i in range(len(head))]
    lines = [
        "  ".join(text.ljust(w) if i == 0 else text.rjust(w) for i, (text, w) in enumerate(zip(r, widths, strict=True)))
        for r in [head, *rows]
    ]
    rule = "-" * len(lines[0])
    return "\n".join([lines[0], rule, *lines[1:-1], rule, lines[-1]])


def _row(name: str, f: dict[str, int]) -> tuple[str, ...]:
    return (
        name,
        str(f["points"]),
        str(f["test_cells"]),
        f"{f['wrong_that_lose_points']}/{f['wrong']}",
        str(f["wrong_caught_by_visible_tests"]),
        str(f["wrong_noticed_by_self_check"]),
        str(f["wrong_named_by_self_check"]),
        f"{f['right_that_keep_all_points']}/{f['right']}",
        f"{f['changes_killed']}/{f['changes']}",
        str(f["changes_equivalent"]),
        str(f["changes_surviving"]),
    )


LEGEND = """\
wrong: wrong answers that lose points, of all; visibly: by the visible tests alone; noticed: the self-check objects;
named: it prints the word for this mistake; right: right answers that keep all points; changes: automatic changes to
the solution that a test notices, of all; equiv.: recorded as changing nothing; alive: neither."""


def report(audits: list[AssignmentAudit]) -> str:
    """Return the whole report: table, findings, notes."""
    findings = [f for a in audits for f in a.all_findings]
    texts = [
        str(replace(f, fix="") if after and after.fix == f.fix else f)  # the same advice once for several in a row
        for f, after in zip(findings, [*findings[1:], None][: len(findings)], strict=True)
    ]
    notes = [
        f"note: no wrong answer of the catalogue fails {name}"
        for a in audits
        for e in a.exercises
        if e.of_kind("wrong")
        for name in e.unused_cells
    ]
    answers, cpu = sum(a.answers for a in audits), sum(a.cpu_s for a in audits)
    last = f"{answers} answers in {sum(a.wall_s for a in audits):.0f} s; {cpu / max(answers, 1):.2f} CPU s each."
    killed = [len(e.killed) for a in audits for e in a.exercises]
    crashed = sum(e.crashed for a in audits for e in a.exercises)
    own = f"Of {sum(killed)} changes that a test notices, {crashed} ended in an error of their own, not at an assert."
    count = f"{len(findings)} finding{'' if len(findings) == 1 else 's'}." if findings else "No findings."
    parts = [table(audits), LEGEND, "\n".join(texts), "\n".join(notes), own if sum(killed) else "", f"{count} {last}"]
    return "\n\n".join(p for p in parts if p)


def as_json(audits: list[AssignmentAudit]) -> dict:
    """Return the figures and findings as plain data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "processors": os.cpu_count(),
        "assignments": [
            {
                "assignment": a.assignment,
                "answers": a.answers,
                "wall_s": round(a.wall_s, 1),
                "import_s": round(a.import_s, 1),
                "cpu_s_per_answer": round(a.cpu_s / max(a.answers, 1), 3),
                "peak_mib": round(a.peak_mib),
                "exercises": [_exercise_json(e) for e in a.exercises],
                "findings": [_finding_json(f) for f in a.findings],
            }
            for a in audits
        ],
    }


def _exercise_json(one: ExerciseAudit) -> dict:
    return {
        "exercise": one.exercise.name,
        "number": one.exercise.number,
        **one.figures,
        "cpu_s_of_the_solution_and_all_tests": round(one.solution.answer_cpu_s, 2),
        "variants": [
            {
                "name": v.variant.name,
                "kind": v.variant.kind,
                "lost": v.lost,
                "failed_cells": [c.name for c in v.result.failed],
                "caught_visibly": v.caught_visibly,
                "noticed": v.noticed,
                "named": v.recognised,
            }
            for v in one.variants
        ],
        "cells_that_no_wrong_answer_fails": list(one.unused_cells),
        "finding_list": [_finding_json(f) for f in one.findings],
    }


def _finding_json(f: Finding) -> dict:
    return {"kind": f.kind, "where": f.where, "text": f.text, "details": list(f.details), "fix": f.fix}


class ProgressLine:
    """One line on standard error that is overwritten; on no terminal, a line at each quarter.

    Args:
        name: What the line begins with.
        stream: Where it goes; standard error by default.
    """

    def __init__(self, name: str, stream=None):
        self.name, self.stream = name, stream or sys.stderr
        self.live = self.stream.isatty()
        self.told = ("", -1)

    def __call__(self, what: str, done: int, total: int) -> None:
        """Show how far it is."""
        quarter = 4 * done // total
        if self.live:
            end = "\n" if done == total else ""
            self.stream.write(f"\r{self.name}: {what} {done}/{total} {end}")
        elif (what, quarter) != self.told:
            self.told = (what, quarter)
            self.stream.write(f"{self.name}: {what} {done}/{total}\n")
        self.stream.flush()
