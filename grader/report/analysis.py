"""Turn what was read into what the page shows: one plain row for each row of a table and mark of a plot.

Groups of fewer than `MIN_CLASS` submissions get no statistics here, so neither page nor CSV can show them.
"""

from __future__ import annotations

import enum
from collections import Counter, defaultdict
from dataclasses import dataclass, field

import numpy as np

from grader.core.findings import Level
from grader.report import items
from grader.report.data import ClassData, Item, Layout, NotebookData, Problem, Record, Submission, Verdict
from grader.report.items import MIN_CLASS, Spread

#: A message that fewer submissions met is not common, and may hold what is one student's own.
MIN_MESSAGE = 3
MOST_CAUSES, MOST_MESSAGES = 12, 5


class Ending(enum.StrEnum):
    """How a test cell ended, in the words of the CSV files and in the order of the plot."""

    PASSED = "passed"
    VISIBLE = "visible"
    """It failed in its visible part."""
    HIDDEN = "hidden"
    """It failed in its hidden part."""
    ENDED = "ended"
    """It did not end by itself, or ended the process."""
    UNKNOWN = "unknown"
    """It failed, and the record has no line that tells in which part."""
    UNANSWERED = "unanswered"


#: What counts as a failure: not an exercise that nobody answered.
FAILURES = (Ending.VISIBLE, Ending.HIDDEN, Ending.ENDED, Ending.UNKNOWN)


@dataclass(frozen=True)
class Marks:
    """The marks of a notebook.

    Args:
        code: Points of the exercises.
        code_points: Most points of the exercises.
        code_bins: How many submissions have 0 to under 10 %, ..., 90 to 100 % of them.
        whole: Points with written answers and extra credit, less penalties; of those that wait for nobody. None
            if these are fewer than `MIN_CLASS`.
        whole_points: Most points of all.
        whole_bins: As `code_bins`.
    """

    code: Spread
    code_points: float
    code_bins: list[int]
    whole: Spread | None
    whole_points: float
    whole_bins: list[int]


@dataclass(frozen=True)
class ItemRow:
    """One exercise or written answer; the numbers are None where they are suppressed or not defined."""

    item: Item
    n: int
    facility: float | None = None
    discrimination: float | None = None
    low: float | None = None
    high: float | None = None
    remark: str = ""


@dataclass(frozen=True)
class CauseRow:
    """A misconception and how many submissions have it."""

    exercise: str
    name: str
    says: str
    submissions: int
    share: float


@dataclass(frozen=True)
class MessageRow:
    """What a test says to failures without a named cause, and to how many submissions."""

    test: str
    message: str
    submissions: int


@dataclass(frozen=True)
class TestsRow:
    """How the test cells of an exercise ended, over all submissions."""

    item: Item
    counts: dict[Ending, int]
    hidden_cells: int

    @property
    def runs(self) -> int:
        """All of them."""
        return sum(self.counts.values())

    @property
    def failures(self) -> int:
        """Failed test cells of answers that were written."""
        return sum(self.counts[ending] for ending in FAILURES)


@dataclass(frozen=True)
class FindingRow:
    """A kind of finding, and in how many submissions of each notebook it occurs."""

    level: Level
    kind: str
    counts: dict[str, int]


@dataclass(frozen=True)
class LookRow:
    """One finding that a person should look at."""

    student: str
    assignment: str
    level: Level
    kind: str
    where: str
    text: str


@dataclass(frozen=True)
class Missing:
    """What is missing or does not fit.

    Args:
        count: How many submissions (or cells) it concerns.
        what: What it is.
        then: What follows from it for the figures.
    """

    count: int
    what: str
    then: str


@dataclass
class NotebookReport:
    """What the page says about one notebook.

    Args:
        data: What was read.
        scored: How many submissions have points for every test cell.
        shown: Whether there are enough of them for statistics, and exercises to have statistics of.
        marks: Marks, if shown.
        item_rows: Exercises and written answers.
        cause_rows: Misconceptions, most common first.
        message_rows: Messages of failures without a named cause.
        test_rows: Test cells by exercise.
        failures: Failed test cells of answers that were written.
        named: How many of them have a named cause.
        recorded: How many submissions have a record that can be used.
        wall: Seconds of marking on the clock.
        cpu: CPU seconds of marking.
        missing: What is missing or does not fit.
    """

    data: NotebookData
    scored: int = 0
    shown: bool = False
    marks: Marks | None = None
    item_rows: list[ItemRow] = field(default_factory=list)
    cause_rows: list[CauseRow] = field(default_factory=list)
    message_rows: list[MessageRow] = field(default_factory=list)
    test_rows: list[TestsRow] = field(default_factory=list)
    failures: int = 0
    named: int = 0
    recorded: int = 0
    wall: Spread | None = None
    cpu: Spread | None = None
    missing: list[Missing] = field(default_factory=list)

    @property
    def test_shown(self) -> bool:
        """Whether enough submissions have a record for statistics about tests and time."""
        return self.recorded >= MIN_CLASS and bool(self.data.layout.code)

    @property
    def number(self) -> str:
        """The notebook's number, such as `"5"`, or its name."""
        return number_of(self.data.layout.assignment)


def number_of(assignment: str) -> str:
    """Return the number of a notebook, such as `"5"`, or its name if it has none."""
    head = assignment.split("_")[0]
    return head.lstrip("0") if head.isdigit() else assignment


def analyse(data: ClassData) -> list[NotebookReport]:
    """Analyse each notebook.

    Args:
        data: From `read_class`.
    """
    return [_analyse(notebook, len(data.students)) for notebook in data.notebooks]


def is_scored(notebook: NotebookData, submission: Submission) -> bool:
    """Return whether a submission has points for every test cell."""
    return all(submission.scores.get(test) is not None for test in notebook.layout.hidden)


def code_score(notebook: NotebookData, submission: Submission) -> float:
    """Return the points of a scored submission for its exercises."""
    return sum(_points(submission, test) for item in notebook.layout.code for test in item.tests)


def _points(submission: Submission, test: str) -> float:
    """Return the points of a scored submission for a test."""
    points = submission.scores[test]
    if points is None:
        raise ValueError(f"{test} of a scored submission has no points")
    return points


def whole_score(notebook: NotebookData, submission: Submission) -> float | None:
    """Return a scored submission's whole mark as nbgrader exports it; None while written answers wait for a person."""
    written = [submission.scores.get(item.name) for item in notebook.layout.written]
    known = [score for score in written if score is not None]
    if len(known) < len(written):
        return None
    whole = code_score(notebook, submission) + sum(known) + submission.extra
    return max(0.0, whole - submission.penalty)


def _analyse(notebook: NotebookData, students: int) -> NotebookReport:
    layout = notebook.layout
    scored = [s for s in notebook.submissions if is_scored(notebook, s)]
    recorded = [(s.student, s.record) for s in scored if s.record is not None]
    report = NotebookReport(notebook, len(scored), _has_enough(notebook, scored), recorded=len(recorded))
    report.missing = _missing(notebook, students, len(scored))
    if report.shown:
        report.marks = _marks(notebook, scored)
        report.item_rows = _item_rows(notebook, scored)
    if report.test_shown:
        _read_verdicts(report, [record for _, record in recorded])
        report.wall = items.spread([record.wall_s for _, record in recorded])
        report.cpu = items.spread([record.cpu_s for _, record in recorded])
    report.test_rows = report.test_rows or [TestsRow(item, dict.fromkeys(Ending, 0), 0) for item in layout.code]
    return report


def _has_enough(notebook: NotebookData, scored: list[Submission]) -> bool:
    return len(scored) >= MIN_CLASS and notebook.layout.code_points > 0


def _marks(notebook: NotebookData, scored: list[Submission]) -> Marks:
    layout = notebook.layout
    code = np.array([code_score(notebook, s) for s in scored])
    whole = np.array([w for s in scored if (w := whole_score(notebook, s)) is not None])
    enough = len(whole) >= MIN_CLASS
    return Marks(
        items.spread(code),
        layout.code_points,
        items.histogram(code / layout.code_points),
        items.spread(whole) if enough else None,
        layout.points,
        items.histogram(whole / layout.points) if enough else [0] * 10,
    )


def _item_rows(notebook: NotebookData, scored: list[Submission]) -> list[ItemRow]:
    totals = np.array([code_score(notebook, s) for s in scored])
    rows = []
    for item in notebook.layout.items:
        if item.tests:
            scores, rest = np.array([sum(_points(s, t) for t in item.tests) for s in scored]), totals
            rest = totals - scores
        else:
            marked = [(n, s.scores[item.name]) for n, s in enumerate(scored) if s.scores.get(item.name) is not None]
            scores, rest = np.array([score for _, score in marked]), totals[[n for n, _ in marked]]
        rows.append(_item_row(item, scores, rest))
    return rows


def _item_row(item: Item, scores: np.ndarray, rest: np.ndarray) -> ItemRow:
    n = len(scores)
    if n < MIN_CLASS:
        return ItemRow(item, n, remark=f"not shown: {n} marked, fewer than {MIN_CLASS}")
    ease, found = items.facility(scores, item.points), items.discrimination(scores, rest)
    low, high = items.interval(found, n) if found is not None else (None, None)
    return ItemRow(item, n, ease, found, low, high, items.remark(ease, found, low))


def ending(verdict: Verdict, layout: Layout) -> Ending:
    """Return how a test cell ended.

    Args:
        verdict: From the record.
        layout: Its notebook.
    """
    if verdict.outcome == "passed":
        return Ending.PASSED
    if verdict.error == "NotImplementedError" and verdict.message in layout.stubs | {""}:
        return Ending.UNANSWERED
    if verdict.outcome != "failed":
        return Ending.ENDED
    if verdict.line is None:
        return Ending.UNKNOWN
    return Ending.HIDDEN if verdict.line in layout.hidden.get(verdict.test, ()) else Ending.VISIBLE


def _read_verdicts(report: NotebookReport, found: list[Record]) -> None:
    layout = report.data.layout
    exercise_of = {test: item for item in layout.code for test in item.tests}
    counts: dict[str, Counter[str]] = {item.name: Counter() for item in layout.code}
    causes: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    messages: Counter[tuple[str, str]] = Counter()
    for record in found:
        named = {cause.test for cause in record.causes}
        # A known mistake has one text for all who made it. Where answers go wrong differs from one to the other.
        told = {(c.exercise, c.name, c.says if c.name == "where" else ""): c.says for c in record.causes}
        for key, says in told.items():
            causes[key].append(says)
        for verdict in record.verdicts:
            item = exercise_of.get(verdict.test)
            if item is None:
                continue
            how = ending(verdict, layout)
            counts[item.name][how] += 1
            if how not in FAILURES:
                continue
            report.failures += 1
            report.named += verdict.test in named
            if verdict.test not in named:
                messages[verdict.test, verdict.reason] += 1
    labels = {item.name: item.label for item in layout.code}
    report.cause_rows = sorted(
        (CauseRow(labels.get(e, e), n, s[0], len(s), len(s) / len(found)) for (e, n, _), s in causes.items()),
        key=lambda row: (-row.submissions, row.exercise, row.name, row.says),
    )
    common = [MessageRow(test, text, n) for (test, text), n in messages.items() if n >= MIN_MESSAGE]
    report.message_rows = sorted(common, key=lambda row: (-row.submissions, row.test, row.message))[:MOST_MESSAGES]
    report.test_rows = [
        TestsRow(
            item,
            {how: counts[item.name][how] for how in Ending},
            sum(bool(layout.hidden[t]) for t in item.tests),
        )
        for item in layout.code
    ]


def _missing(notebook: NotebookData, students: int, scored: int) -> list[Missing]:
    if not notebook.released:
        return [Missing(students, "the gradebook does not know this notebook", "nothing of it was marked")]
    found = notebook.submissions
    problems = Counter(s.problem for s in found if s.problem)
    waiting = sum(
        any(s.scores.get(item.name) is None for item in notebook.layout.written)
        for s in found
        if is_scored(notebook, s)
    )
    stale = sum(s.record is not None and s.record.tests != notebook.layout.fingerprint for s in found)
    read = [s.record.verdicts for s in found if s.record is not None]
    no_line = sum(any(ending(v, notebook.layout) is Ending.UNKNOWN for v in verdicts) for verdicts in read)
    rows = [
        (students - len(found), "no submission", "in no figure here"),
        (len(notebook.not_marked), "handed in, not marked", "in no figure here; run grader grade"),
        (len(found) - scored, "no points for some test cell", "in no figure here; run grader grade"),
        (waiting, "a written answer waits for a person", "its exercises count, its whole mark does not"),
        (
            sum(s.to_review > 0 for s in found),
            "a written answer was marked before the submission was marked anew",
            "the old mark counts; the formgrader asks for it again",
        ),
        (
            problems[Problem.NO_RECORD],
            "no marking record: marked by a bare nbgrader?",
            "points count; failures, causes, repairs and time are not known",
        ),
        (
            problems[Problem.DISAGREES],
            "the marking record speaks of other points: marked again by another program?",
            "points count, the record does not",
        ),
        (problems[Problem.UNREADABLE], "the marking record cannot be read", "points count, the record does not"),
        (notebook.stray_records, "a marking record, but no submission in the gradebook", "left out"),
        (
            stale,
            "marked with another state of the notebook or the grader",
            "which line is hidden may have changed; grader grade marks them again",
        ),
        (no_line, "a failed test cell without its line", "whether the visible or the hidden part failed is not known"),
        (
            sum(s.overridden > 0 for s in found),
            "a person set the points of a test cell",
            "these points count; the verdict is shown as it was",
        ),
        (
            len(notebook.unknown_tests),
            f"graded cells that the source notebook does not have: {_some(notebook.unknown_tests)}",
            "left out",
        ),
    ]
    return [Missing(*row) for row in rows if row[0] > 0]


def _some(names: tuple[str, ...]) -> str:
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def finding_rows(reports: list[NotebookReport], level: Level) -> list[FindingRow]:
    """Count findings of one level by kind: in how many submissions of each notebook.

    Args:
        reports: From `analyse`.
        level: Which level.
    """
    counts: dict[str, Counter] = defaultdict(Counter)
    for report in reports:
        for submission in report.data.submissions:
            for kind in {f.kind for f in submission.record.findings if f.level is level} if submission.record else ():
                counts[kind][report.data.layout.assignment] += 1
    rows = [FindingRow(level, kind, dict(by)) for kind, by in counts.items()]
    return sorted(rows, key=lambda row: (-sum(row.counts.values()), row.kind))


def look_rows(reports: list[NotebookReport]) -> list[LookRow]:
    """List the findings that a person should look at: what is suspicious, then what was lost.

    Args:
        reports: From `analyse`.
    """
    found = [
        LookRow(s.student, r.data.layout.assignment, f.level, f.kind, f.where, f.text)
        for r in reports
        for s in r.data.submissions
        if s.record
        for f in s.record.findings
        if f.level is not Level.REPAIRED
    ]
    return sorted(found, key=lambda row: (row.level is not Level.SUSPICIOUS, row.assignment))
