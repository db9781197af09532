"""What the page says about all notebooks together: marks, time, what was handed in and what is missing."""

from __future__ import annotations

from grader.core.findings import Level
from grader.report import plots
from grader.report.analysis import NotebookReport
from grader.report.items import MIN_CLASS, Spread
from grader.report.pieces import NOT_SHOWN, Panel, Table, number, percent, write_csv

_SPREAD_COLUMNS = ["notebook", "submissions", "5 %", "25 %", "median", "75 %", "95 %"]


def overview_panel(reports: list[NotebookReport]) -> Panel:
    """Return the panel that compares the marks of all notebooks."""
    rows = [(r.data.layout.title, _scaled(r.marks.code, 100 / r.marks.code_points)) for r in reports if r.marks]
    heading = "Points of the exercises, all notebooks"
    if not rows:
        return Panel("overview", heading, [f"Not shown: no notebook has {MIN_CLASS} marked submissions."])
    low, high = min(rows, key=lambda r: r[1].median), max(rows, key=lambda r: r[1].median)
    text = (
        f"The median goes from {percent(low[1].median, 100)} ({low[0]}) to {percent(high[1].median, 100)} ({high[0]})."
    )
    if low[1].median == high[1].median:
        text = f"The median is {percent(low[1].median, 100)}" + (" everywhere." if len(rows) > 1 else ".")
    caption = "Share of the exercises' points in per cent: percentiles"
    return Panel(
        "overview",
        heading,
        ["Diamond: median; thick bar: middle half; line: middle 90 %. " + text],
        f"Range plot with a row for each of {len(rows)} notebooks. {text}",
        plots.draw_spreads(rows, "% of the points", 103),
        [Table(caption, _SPREAD_COLUMNS, [[name, *_spread_cells(g, 1)] for name, g in rows])],
        _spread_csv(rows),
    )


def time_panel(reports: list[NotebookReport]) -> Panel:
    """Return the panel about the time that marking took."""
    rows = [(r.data.layout.title, r.wall) for r in reports if r.wall]
    if not rows:
        return Panel("time", "Time of marking", [f"Not shown: no notebook has {MIN_CLASS} marking records."])
    n, total = sum(g.n for _, g in rows), sum(g.n * g.mean for _, g in rows)
    slowest = max(rows, key=lambda r: r[1].median)
    text = [
        f"Running {n:,} submissions took {number(total / 60)} minutes in all, {number(total / n, 2)} s each; the "
        f"slowest notebook is {slowest[0]} with a median of {number(slowest[1].median, 2)} s.",
        "Seconds on the clock while the notebook ran; reading the file and writing marks come on top. Diamond: median; "
        "thick bar: middle half; line: middle 90 %.",
    ]
    cpu = {r.data.layout.title: r.cpu for r in reports if r.cpu}
    cells = [[name, *_spread_cells(g, 2), number(cpu[name].median, 2)] for name, g in rows]
    return Panel(
        "time",
        "Time of marking",
        text,
        f"Range plot of seconds for a submission, a row for each of {len(rows)} notebooks. {text[0]}",
        plots.draw_spreads(rows, "seconds for a submission"),
        [Table("Seconds for a submission: percentiles", [*_SPREAD_COLUMNS, "CPU, median"], cells)],
        _spread_csv(rows),
    )


def glance_table(reports: list[NotebookReport]) -> Table:
    """Return the table at the top of the page: submissions, marks and findings of each notebook."""
    rows = []
    for r in reports:
        levels = [
            sum(any(f.level is level for f in s.record.findings) for s in r.data.submissions if s.record)
            for level in (Level.SUSPICIOUS, Level.LOST, Level.REPAIRED)
        ]
        mean = percent(r.marks.code.mean, r.marks.code_points) if r.marks else NOT_SHOWN
        late = sum(s.late for s in r.data.submissions)
        counts = [len(r.data.submissions), r.scored]
        rows.append([r.data.layout.title, *map(str, counts), mean, *map(str, [late, *levels])])
    columns = ["notebook", "submissions", "marked", "mean of the exercises", "late", "suspicious", "lost", "repaired"]
    return Table("Submissions by notebook; the last three columns count submissions with such a finding", columns, rows)


def missing_table(reports: list[NotebookReport]) -> Table:
    """Return the table of what is missing or does not fit, and what follows from it."""
    told: dict[tuple[str, str], dict[str, int]] = {}
    for r in reports:
        for m in r.missing:
            told.setdefault((m.what, m.then), {})[r.number] = m.count
    heads = [f"notebook {r.number}" for r in reports]
    rows = [[what, *(f"{counts.get(r.number, 0):,}" for r in reports), then] for (what, then), counts in told.items()]
    return Table("How many, by notebook, and what follows", ["what", *heads, "what follows"], rows)


def _spread_cells(group: Spread, digits: int) -> list[str]:
    values = (group.low, group.quartile1, group.median, group.quartile3, group.high)
    return [str(group.n), *(number(v, digits) for v in values)]


def _spread_csv(rows: list[tuple[str, Spread]]) -> str:
    columns = ["notebook", "submissions", "percentile_5", "quartile_1", "median", "quartile_3", "percentile_95", "mean"]
    return write_csv(
        columns,
        ([name, g.n, g.low, g.quartile1, g.median, g.quartile3, g.high, g.mean] for name, g in rows),
    )


def _scaled(group: Spread, by: float) -> Spread:
    values = (group.mean, group.deviation, group.low, group.quartile1, group.median, group.quartile3, group.high)
    return Spread(group.n, *(v * by for v in values))
