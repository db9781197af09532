"""What was noticed in submissions: how often each repair was made, and what a person should look at."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace

from grader.core.findings import MOST_NAMED, Level, weightiest
from grader.report.analysis import FindingRow, LookRow, NotebookReport, look_rows, number_of
from grader.report.data import plain
from grader.report.pieces import Section, Table, write_csv

MOST_LOOKS = 200
#: Words for kinds of findings whose name alone would not explain them.
KINDS = {
    "addition-left-out": "changes to a locked or test cell left out",
    "answer-by-place": "answer known by its place alone",
    "answer-elsewhere": "answer stood in another cell",
    "answer-rescued": "part of an answer failed, its other definitions were used",
    "answer-twice": "answer there twice",
    "answers-differ": "a file that was left aside has other answers",
    "answers-left": "a file that was left aside has answers that the marked one lacks",
    "answers-not-counted": "files were left aside without counting their answers",
    "beside-stopped": "code that no mark needs took too long",
    "call-hangs": "a call ran out of time",
    "cell-hangs": "a cell ran out of time",
    "cell-moved": "cell moved, put back",
    "cell-repaired": "leftovers in a cell taken out",
    "cell-retyped": "cell of another type",
    "cells-restored": "released cells were missing, put back",
    "counted-in-second-run": "points counted that only a second run gave, with more of the student's cells",
    "equals-differ": "of two files with as many answers nothing says which counts",
    "files-left": "other files were left aside",
    "files-unread": "files that are not read beside a notebook with hardly any answers",
    "fuller-file-taken": "the file with more answers taken",
    "gave-up": "marking gave up: time or restarts used up",
    "given-copied": "answer is a given function of the course",
    "helper-called": "answer calls a helper function of the course",
    "helper-moved": "helper function moved up",
    "left-over-raise": "the stub's raise was left in",
    "library-missing": "a library that marking does not have",
    "locked-changed": "locked cell changed, put back",
    "long-cell": "answer too long to be looked at",
    "manual-mark-set-aside": "manual mark set aside",
    "marked-with-longer-limits": "marked once more with longer limits",
    "marks-lost": "nbgrader's metadata of a cell was lost",
    "more-noticed": "more than is listed",
    "name-missing": "a name was missing that the notebook defines",
    "name-rebound": "a function's name was given to something else",
    "new-format": "newer notebook format",
    "newer-python": "a cell in a newer Python",
    "no-longer-run": "no memory for a second run with longer limits",
    "no-second-run": "no time or memory for a second run with more of the student's cells",
    "not-in-python": "something that this Python does not have",
    "old-format": "older notebook format",
    "order-restored": "cells in another order, put back",
    "other-file-taken": "file of another name taken",
    "other-name": "function of another name",
    "pictures-left-out": "pictures in texts too large or too many",
    "pictures-not-shown": "pictures in texts that no page shows",
    "points-changed": "points of a cell changed",
    "test-changed": "test cell changed, put back",
    "test-tagged": "test cell told not to run",
    "tests-began-again": "results took the memory of the tests",
    "too-much-scratch": "too many or too large files written",
    "too-much-threads": "too many threads",
    "words-elsewhere": "a text elsewhere may be the written answer",
    "written-beside": "a file that is not read may hold the written answer",
}


def say_kind(kind: str) -> str:
    """Return a kind of finding in words."""
    return KINDS.get(kind, kind.replace("-", " "))


def findings_table(rows: list[FindingRow], reports: list[NotebookReport], caption: str) -> Table:
    """Return a table of findings: in how many submissions of each notebook each kind occurs."""
    names = [r.data.layout.assignment for r in reports]
    cells = [
        [say_kind(row.kind), *(str(row.counts.get(a, 0)) for a in names), str(sum(row.counts.values()))] for row in rows
    ]
    return Table(caption, ["finding", *(f"notebook {r.number}" for r in reports), "all"], cells)


def look_section(reports: list[NotebookReport], who: Callable[[str], str], names: bool) -> tuple[Section, str]:
    """Make the section of findings that a person should look at.

    Args:
        reports: From `analyse`.
        who: Returns the name under which a student is shown.
        names: Whether that is the real one; only then are texts and file names shown, which may contain it.

    Returns:
        The section, and all findings as CSV.
    """
    known = {name for r in reports for i in r.data.layout.items for name in (i.name, *i.tests)}
    rows = look_rows(reports)
    shown = _in_turn(rows)[:MOST_LOOKS]
    cells, listed = ([_look_cells(row, who, known, names) for row in some] for some in (rows, shown))
    for some in (cells, listed):
        some.sort(key=lambda c: (c[2] != Level.SUSPICIOUS.value, c[1], c[0]))
    columns = ["student", "notebook", "level", "finding", "where", *(["what was noticed"] if names else [])]
    text = [
        "Suspicious: looks like an attempt on the grader, a person should look. Lost: something could not be used or "
        "did not end, points may be missing."
    ]
    if not names:
        text.append("What was noticed in words, and names of files, can tell who it is; with --names they are shown.")
    if len(shown) < len(rows):
        most = f"at most {MOST_NAMED} of a submission, and everybody's first before anybody's second"
        text.append(f"{len(rows):,} in all, of which the table has {most}; the CSV has all.")
    tables = [Table("Findings that need a look", columns, listed)] if cells else []
    text = text if cells else ["Nothing suspicious, nothing lost."]
    return Section("look", "What needs a look", text, tables=tables), write_csv(columns, cells)


def _in_turn(rows: list[LookRow]) -> list[LookRow]:
    """Return what of everybody's findings is listed: everybody's weightiest, everybody's second, and so on.

    Of nobody more than some, and then how many are left out: one submission can have as many as it likes.
    """
    submissions: dict[tuple[str, str], list[LookRow]] = defaultdict(list)
    for row in rows:
        submissions[row.student, row.assignment].append(row)
    turns: list[tuple[int, LookRow]] = []
    for some in submissions.values():
        ordered = weightiest(some, len(some))
        turns += enumerate(ordered[:MOST_NAMED])
        if left := ordered[MOST_NAMED:]:
            heaviest = next((row for row in left if row.level is Level.SUSPICIOUS), left[0])
            last = replace(heaviest, kind=f"and {len(left):,} more", where="", text="")
            turns.append((MOST_NAMED, last))
    return [row for _, row in sorted(turns, key=lambda turn: turn[0])]


def _look_cells(row: LookRow, who: Callable[[str], str], known: set[str], names: bool) -> list[str]:
    # A file's name, an error's text can hold a student's name.
    where = row.where if names or row.where in known else "withheld" if row.where else ""
    cells = [plain(who(row.student), 80), number_of(row.assignment), row.level.value, say_kind(row.kind)]
    return [*cells, where, *([row.text] if names else [])]
