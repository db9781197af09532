"""The panels of one notebook: marks, item analysis, misconceptions, visible and hidden failures."""

from __future__ import annotations

from operator import itemgetter

from grader.report import plots
from grader.report.analysis import MIN_MESSAGE, MOST_CAUSES, Ending, NotebookReport
from grader.report.items import MIN_CLASS, Spread
from grader.report.pieces import NOT_SHOWN, Panel, Table, number, percent, two, write_csv


def make_panels(report: NotebookReport) -> list[Panel]:
    """Make the panels of one notebook.

    Args:
        report: From `analyse`.
    """
    head = f"Notebook {report.number}: "
    return [
        _marks_panel(report, f"{head}distribution of marks"),
        _items_panel(report, f"{head}difficulty and discrimination"),
        _causes_panel(report, f"{head}misconceptions"),
        _tests_panel(report, f"{head}visible and hidden failures"),
    ]


def _key(report: NotebookReport, name: str) -> str:
    return f"{report.data.layout.assignment}_{name}"


def _suppressed(report: NotebookReport, name: str, heading: str, n: int, what: str) -> Panel:
    text = f"Not shown: {n} {what}, fewer than {MIN_CLASS}."
    if n >= MIN_CLASS:
        text = "Not shown: the notebook has no exercise with test cells."
    return Panel(_key(report, name), heading, [text])


def _middle(group: Spread, most: float) -> str:
    return (
        f"mean {number(group.mean)} of {number(most)} points ({percent(group.mean, most)}), standard deviation "
        f"{number(group.deviation)}, median {number(group.median)}, middle half {number(group.quartile1)} to "
        f"{number(group.quartile3)}"
    )


def _marks_panel(report: NotebookReport, heading: str) -> Panel:
    marks = report.marks
    if marks is None:
        return _suppressed(report, "marks", heading, report.scored, "submissions")
    late = [s for s in report.data.submissions if s.late]
    penalised = sum(s.penalty > 0 for s in report.data.submissions)
    text = [f"Exercises, {marks.code.n} submissions: {_middle(marks.code, marks.code_points)}."]
    if marks.whole is not None:
        middle = _middle(marks.whole, marks.whole_points)
        text.append(
            f"Whole mark, {marks.whole.n} submissions that wait for nobody: {middle}. It has written answers, extra "
            "credit and late penalties in it."
        )
    else:
        text.append(f"Whole mark: not shown, {NOT_SHOWN} submissions have all their written answers marked.")
    text.append(f"Late: {len(late)}; with a penalty: {penalised}.")
    ranges = [f"{10 * n} to {'100' if n == 9 else f'under {10 * n + 10}'} %" for n in range(10)]
    whole = [str(n) if marks.whole else "-" for n in marks.whole_bins]
    rows = [list(row) for row in zip(ranges, map(str, marks.code_bins), whole, strict=True)]
    most = max(range(10), key=lambda n: marks.code_bins[n])
    alt = (
        f"Histogram of marks: the most submissions, {marks.code_bins[most]} of {marks.code.n}, have {ranges[most]} of "
        f"the exercises' points; the median is {percent(marks.code.median, marks.code_points)}."
    )
    counts = zip(range(0, 100, 10), marks.code_bins, marks.whole_bins if marks.whole else [None] * 10, strict=True)
    return Panel(
        _key(report, "marks"),
        heading,
        text,
        alt,
        plots.draw_marks(marks),
        [Table("Submissions by share of the points", ["points", "exercises", "whole mark"], rows)],
        write_csv(
            ["from_percent", "to_percent", "submissions_exercises", "submissions_whole_mark"],
            ([low, low + 10, code, whole] for low, code, whole in counts),
        ),
    )


def _items_panel(report: NotebookReport, heading: str) -> Panel:
    rows = report.item_rows
    if not rows:
        return _suppressed(report, "exercises", heading, report.scored, "submissions")
    known = [(r.facility, r.item) for r in rows if r.facility is not None]
    (lowest, hardest), (highest, easiest) = min(known, key=itemgetter(0)), max(known, key=itemgetter(0))
    text = [f"Hardest: {hardest.label}, facility {two(lowest)}. Easiest: {easiest.label}, {two(highest)}."]
    told = [(r.discrimination, r.item) for r in rows if r.discrimination is not None]
    if told:
        (low, least), (high, best) = min(told, key=itemgetter(0)), max(told, key=itemgetter(0))
        text.append(f"Discrimination goes from {two(low)} ({least.label}) to {two(high)} ({best.label}).")
    cells = [
        [
            r.item.label,
            number(r.item.points),
            str(r.n),
            two(r.facility),
            two(r.discrimination),
            f"{two(r.low)} to {two(r.high)}" if r.low is not None else "-",
            r.remark,
        ]
        for r in rows
    ]
    columns = ["exercise", "points", "submissions", "facility", "discrimination", "95 % interval", "remark"]
    return Panel(
        _key(report, "exercises"),
        heading,
        text,
        f"Two dot plots with a row for each of {len(rows)} exercises and written answers. " + " ".join(text),
        plots.draw_items(rows),
        [Table("Facility and discrimination", columns, cells)],
        write_csv(
            ["exercise", "points", "submissions", "facility", "discrimination", "low", "high", "remark"],
            ([r.item.label, r.item.points, r.n, r.facility, r.discrimination, r.low, r.high, r.remark] for r in rows),
        ),
    )


def _causes_panel(report: NotebookReport, heading: str) -> Panel:
    if not report.test_shown:
        return _suppressed(report, "misconceptions", heading, report.recorded, "marking records")
    rows, rest = report.cause_rows, report.failures - report.named
    text = [
        f"{report.failures:,} test cells failed in exercises that were answered; {report.named:,} "
        f"({percent(report.named, report.failures)}) have a named cause, {rest:,} have none."
    ]
    tables, alt, svg = [], "", b""
    if rows:
        shown = rows[:MOST_CAUSES]
        first = rows[0]
        text.append(
            f"Most common: {first.name.replace('_', ' ')} in {first.exercise}, {first.submissions} "
            f"submission{'s' * (first.submissions != 1)} ({percent(first.share, 1)})."
        )
        if len(rows) > len(shown):
            text.append(f"The plot and the table show {len(shown)} of {len(rows)}; the CSV has all.")
        alt = f"Bar chart of the {len(shown)} most common misconceptions. " + text[1]
        svg = plots.draw_causes(shown)
        cells = [
            [f"{r.exercise}: {r.name.replace('_', ' ')}", str(r.submissions), percent(r.share, 1), r.says]
            for r in shown
        ]
        columns = ["misconception", "submissions", "share", "what the student is told"]
        tables.append(Table("Misconceptions, by submissions", columns, cells))
    else:
        text.append("No misconception was recognised.")
    if report.message_rows:
        cells = [[r.test, r.message, str(r.submissions)] for r in report.message_rows]
        caption = (
            f"Failures without a named cause: what the tests said to at least {MIN_MESSAGE} submissions, "
            "and in quotation marks what errors of the answers said"
        )
        tables.append(Table(caption, ["test cell", "message", "submissions"], cells))
    return Panel(
        _key(report, "misconceptions"),
        heading,
        text,
        alt,
        svg,
        tables,
        write_csv(
            ["exercise", "misconception", "submissions", "share", "says"],
            ([r.exercise, r.name, r.submissions, r.share, r.says] for r in rows),
        ),
    )


def _tests_panel(report: NotebookReport, heading: str) -> Panel:
    if not report.test_shown:
        return _suppressed(report, "tests", heading, report.recorded, "marking records")
    rows = report.test_rows
    total = {ending: sum(r.counts[ending] for r in rows) for ending in Ending}
    visible, hidden, unknown = total[Ending.VISIBLE], total[Ending.HIDDEN], total[Ending.UNKNOWN]
    told = [Ending.PASSED, *(ending for ending, *_ in plots.ENDINGS)]
    met = [(ending, label) for ending, label, *_ in plots.ENDINGS if ending is not Ending.UNKNOWN or unknown]
    runs = sum(r.runs for r in rows)
    text = [
        f"Of {runs:,} test cells, {total[Ending.PASSED]:,} passed ({percent(total[Ending.PASSED], runs)}), {visible:,} "
        f"failed in their visible part, {hidden:,} in their hidden part, {total[Ending.ENDED]:,} did not end or "
        f"ended the process, {total[Ending.UNANSWERED]:,} met no answer"
        + (f", and of {unknown:,} the part is not known." if unknown else ".")
    ]
    worst = max(rows, key=lambda r: (r.counts[Ending.HIDDEN], r.failures))
    if hidden:
        text.append(
            f"The hidden part found {percent(hidden, visible + hidden)} of these failures, the most in "
            f"{worst.item.label} ({worst.counts[Ending.HIDDEN]})."
        )
    heads = ["exercise", "cells", "with hidden", "passed", *(label for _, label in met)]
    cells = [
        [r.item.label, str(len(r.item.tests)), str(r.hidden_cells), str(r.counts[Ending.PASSED])]
        + [str(r.counts[ending]) for ending, _ in met]
        for r in rows
    ]
    return Panel(
        _key(report, "tests"),
        heading,
        text,
        f"Stacked bars with a row for each of {len(rows)} exercises: how test cells without points ended. "
        + " ".join(text),
        plots.draw_tests(rows),
        [Table("Test cells of each exercise, and how they ended over all submissions", heads, cells)],
        write_csv(
            ["exercise", "test_cells", "with_hidden_part", *told],
            ([r.item.label, len(r.item.tests), r.hidden_cells, *(r.counts[ending] for ending in told)] for r in rows),
        ),
    )
