"""Lay out the page: a panel for each plot, with picture, alternative text, text twin, table and CSV.

Nothing is marked as safe: the template escapes every text.
"""

from __future__ import annotations

import base64
import contextlib
import csv
import datetime
import io
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from jinja2 import Environment, PackageLoader, StrictUndefined

from grader.core.csv_files import guarded
from grader.core.findings import Level
from grader.report import plots
from grader.report.analysis import (
    MIN_MESSAGE,
    MOST_CAUSES,
    FindingRow,
    LookRow,
    NotebookReport,
    finding_rows,
    look_rows,
    number_of,
)
from grader.report.data import LONGEST, ClassData, plain
from grader.report.items import MIN_CLASS, Spread

MOST_LOOKS = 200
#: Kinds of findings whose name says too little.
KINDS = {
    "answer-by-place": "answer known by its place alone",
    "answer-elsewhere": "answer stood in another cell",
    "answer-rescued": "part of an answer failed, its other definitions were used",
    "answer-twice": "answer there twice",
    "cell-moved": "cell moved, put back",
    "cell-repaired": "leftovers in a cell taken out",
    "cell-retyped": "cell of another type",
    "cells-restored": "released cells were missing, put back",
    "files-left": "other files were left aside",
    "gave-up": "marking gave up: time or restarts used up",
    "helper-moved": "helper function moved up",
    "left-over-raise": "the stub's raise was left in",
    "locked-changed": "locked cell changed, put back",
    "manual-mark-set-aside": "manual mark set aside",
    "marks-lost": "nbgrader's metadata of a cell was lost",
    "new-format": "newer notebook format",
    "old-format": "older notebook format",
    "order-restored": "cells in another order, put back",
    "other-file-taken": "file of another name taken",
    "other-name": "function of another name",
    "points-changed": "points of a cell changed",
    "test-changed": "test cell changed, put back",
    "test-tagged": "test cell told not to run",
}
NOT_SHOWN = f"fewer than {MIN_CLASS}"


@dataclass(frozen=True)
class Table:
    """A table of the page.

    Args:
        caption: What it shows.
        columns: Heads of the columns; the first column heads the rows.
        rows: Texts.
    """

    caption: str
    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Panel:
    """A plot with its twins, or the sentence that says why there is none.

    Args:
        key: Name of its CSV file and anchor.
        heading: Heading.
        text: What the plot shows, in words.
        alt: Alternative text.
        svg: The picture; none if there is nothing to draw.
        tables: The numbers as tables; the first is the plot's own.
        csv: The numbers as CSV.
    """

    key: str
    heading: str
    text: list[str]
    alt: str = ""
    svg: bytes = b""
    tables: list[Table] = field(default_factory=list)
    csv: str = ""

    @property
    def picture(self) -> str:
        """The picture as an address."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode("ascii")

    @property
    def download(self) -> str:
        """The CSV as an address."""
        return "data:text/csv;charset=utf-8;base64," + base64.b64encode(self.csv.encode("utf-8")).decode("ascii")


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    key: str
    heading: str
    text: list[str]
    panels: list[Panel] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def say_kind(kind: str) -> str:
    """Say a kind of finding in words."""
    return KINDS.get(kind, kind.replace("-", " "))


def write_csv(columns: list[str], rows: Iterable[Iterable]) -> str:
    """Write CSV in which no text is taken for a formula by a spreadsheet.

    Args:
        columns: Heads.
        rows: Numbers, texts and None.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return buffer.getvalue()


def _cell(value: object) -> object:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, str):
        return guarded(plain(value, 2 * LONGEST))
    return "" if value is None else value


def number(value: float, digits: int = 1) -> str:
    """Write a number with at most so many decimals and a point for thousands as a comma.

    Args:
        value: The number.
        digits: Decimals.
    """
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(part: float, whole: float) -> str:
    """Write a share as whole per cent, on one line.

    Args:
        part: The part.
        whole: What it is a part of.
    """
    return f"{100 * part / whole:.0f}\u00a0%" if whole else "-"


def two(value: float | None) -> str:
    """Write a coefficient with two decimals, or a dash."""
    return "-" if value is None else f"{value:.2f}".replace("-0.00", "0.00")


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
    known = [r for r in rows if r.facility is not None]
    hardest, easiest = min(known, key=lambda r: r.facility), max(known, key=lambda r: r.facility)
    text = [
        f"Hardest: {hardest.item.label}, facility {two(hardest.facility)}. "
        f"Easiest: {easiest.item.label}, {two(easiest.facility)}."
    ]
    told = [r for r in rows if r.discrimination is not None]
    if told:
        least, best = min(told, key=lambda r: r.discrimination), max(told, key=lambda r: r.discrimination)
        text.append(
            f"Discrimination goes from {two(least.discrimination)} ({least.item.label}) to "
            f"{two(best.discrimination)} ({best.item.label})."
        )
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
        caption = f"Failures without a named cause: what the tests said to at least {MIN_MESSAGE} submissions"
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
    names = [name for name, *_ in plots.ENDINGS]
    total = {name: sum(r.counts[name] for r in rows) for name in ("passed", *names)}
    met = [(name, label) for name, label, *_ in plots.ENDINGS if name != "unknown" or total["unknown"]]
    known = total["visible"] + total["hidden"]
    runs = sum(r.runs for r in rows)
    text = [
        f"Of {runs:,} test cells, {total['passed']:,} passed ({percent(total['passed'], runs)}), {total['visible']:,} "
        f"failed in their visible part, {total['hidden']:,} in their hidden part, {total['ended']:,} did not end or "
        f"ended the process, {total['unanswered']:,} met no answer"
        + (f", and of {total['unknown']:,} the part is not known." if total["unknown"] else ".")
    ]
    worst = max(rows, key=lambda r: (r.counts["hidden"], r.failures))
    if total["hidden"]:
        text.append(
            f"The hidden part found {percent(total['hidden'], known)} of these failures, the most in "
            f"{worst.item.label} ({worst.counts['hidden']})."
        )
    heads = ["exercise", "cells", "with hidden", "passed", *(label for _, label in met)]
    cells = [
        [r.item.label, str(len(r.item.tests)), str(r.hidden_cells), str(r.counts["passed"])]
        + [str(r.counts[name]) for name, _ in met]
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
            ["exercise", "test_cells", "with_hidden_part", "passed", *names],
            (
                [r.item.label, len(r.item.tests), r.hidden_cells, *(r.counts[name] for name in ("passed", *names))]
                for r in rows
            ),
        ),
    )


def _spread_cells(group: Spread, digits: int) -> list[str]:
    values = (group.low, group.quartile1, group.median, group.quartile3, group.high)
    return [str(group.n), *(number(v, digits) for v in values)]


def _spread_csv(rows: list[tuple[str, Spread]]) -> str:
    columns = ["notebook", "submissions", "percentile_5", "quartile_1", "median", "quartile_3", "percentile_95", "mean"]
    return write_csv(
        columns,
        ([name, g.n, g.low, g.quartile1, g.median, g.quartile3, g.high, g.mean] for name, g in rows),
    )


_SPREAD_COLUMNS = ["notebook", "submissions", "5 %", "25 %", "median", "75 %", "95 %"]


def _scaled(group: Spread, by: float) -> Spread:
    values = (group.mean, group.deviation, group.low, group.quartile1, group.median, group.quartile3, group.high)
    return Spread(group.n, *(v * by for v in values))


def _overview_panel(reports: list[NotebookReport]) -> Panel:
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


def _time_panel(reports: list[NotebookReport]) -> Panel:
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


def _glance(reports: list[NotebookReport]) -> Table:
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


def _missing_table(reports: list[NotebookReport]) -> Table:
    told: dict[tuple[str, str], dict[str, int]] = {}
    for r in reports:
        for m in r.missing:
            told.setdefault((m.what, m.then), {})[r.number] = m.count
    heads = [f"notebook {r.number}" for r in reports]
    rows = [[what, *(f"{counts.get(r.number, 0):,}" for r in reports), then] for (what, then), counts in told.items()]
    return Table("How many, by notebook, and what follows", ["what", *heads, "what follows"], rows)


def _findings_table(rows: list[FindingRow], reports: list[NotebookReport], caption: str) -> Table:
    names = [r.data.layout.assignment for r in reports]
    cells = [
        [say_kind(row.kind), *(str(row.counts.get(a, 0)) for a in names), str(sum(row.counts.values()))] for row in rows
    ]
    return Table(caption, ["finding", *(f"notebook {r.number}" for r in reports), "all"], cells)


def _look_cells(row: LookRow, who: Callable[[str], str], known: set[str], names: bool) -> list[str]:
    # A file's name, an error's text can hold a student's name.
    where = row.where if names or row.where in known else "withheld" if row.where else ""
    cells = [plain(who(row.student), 80), number_of(row.assignment), row.level.value, say_kind(row.kind)]
    return [*cells, where, *([row.text] if names else [])]


def _look_section(reports: list[NotebookReport], who: Callable[[str], str], names: bool) -> tuple[Section, str]:
    known = {name for r in reports for i in r.data.layout.items for name in (i.name, *i.tests)}
    cells = [_look_cells(row, who, known, names) for row in look_rows(reports)]
    cells.sort(key=lambda c: (c[2] != Level.SUSPICIOUS.value, c[1], c[0]))
    columns = ["student", "notebook", "level", "finding", "where", *(["what was noticed"] if names else [])]
    text = [
        "Suspicious: looks like an attempt on the grader, a person should look. Lost: something could not be used or "
        "did not end, points may be missing."
    ]
    if not names:
        text.append("What was noticed in words, and names of files, can tell who it is; with --names they are shown.")
    if len(cells) > MOST_LOOKS:
        text.append(f"The first {MOST_LOOKS} of {len(cells):,}; the CSV has all.")
    tables = [Table("Findings that need a look", columns, cells[:MOST_LOOKS])] if cells else []
    text = text if cells else ["Nothing suspicious, nothing lost."]
    return Section("look", "What needs a look", text, tables=tables), write_csv(columns, cells)


def _is_numeric(table: Table, column: int) -> bool:
    """Whether a column of a table holds numbers, to be set to the right."""
    return column > 0 and all(
        row[column].lstrip("-")[:1].isdigit() or row[column] in ("-", NOT_SHOWN) for row in table.rows
    )


def make_sections(
    data: ClassData, reports: list[NotebookReport], who: Callable[[str], str], names: bool
) -> tuple[list[Section], dict[str, str]]:
    """Make the sections of the page.

    Args:
        data: From `read_class`.
        reports: From `analyse`.
        who: Gives the name under which a student is shown.
        names: Whether that is the real one.

    Returns:
        The sections, and CSV files by name.
    """
    missing = _missing_table(reports)
    repaired = finding_rows(reports, Level.REPAIRED)
    look, look_csv = _look_section(reports, who, names)
    sections = [
        Section("glance", "At a glance", [], [_overview_panel(reports)], [_glance(reports)]),
        Section(
            "missing",
            "What is missing",
            [] if missing.rows else ["Nothing: each student handed in each notebook, and all of it is marked."],
            tables=[missing] if missing.rows else [],
        ),
        *(
            Section(f"notebook-{r.data.layout.assignment}", f"Notebook {r.data.layout.title}", [], make_panels(r))
            for r in reports
        ),
        Section("marking", "Time", [], [_time_panel(reports)]),
        Section(
            "repaired",
            "What was repaired",
            ["Damage that cost nobody a point: in how many submissions it was found."]
            if repaired
            else ["Nothing had to be repaired."],
            tables=[_findings_table(repaired, reports, "Repairs, by submissions")] if repaired else [],
        ),
        look,
    ]
    files = {panel.key: panel.csv for section in sections for panel in section.panels if panel.csv}
    files["missing"] = write_csv(missing.columns, missing.rows)
    everything = [row for level in Level for row in finding_rows(reports, level)]
    names_of = [r.data.layout.assignment for r in reports]
    counted = ([row.level.value, row.kind, *(row.counts.get(a, 0) for a in names_of)] for row in everything)
    files["findings"] = write_csv(["level", "finding", *names_of], counted)
    files["look"] = look_csv
    return sections, files


def _minute(at: str) -> str:
    """Write a time of a record without its seconds."""
    with contextlib.suppress(ValueError):
        return datetime.datetime.fromisoformat(at).astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    return plain(at, 40)


def render(
    data: ClassData,
    reports: list[NotebookReport],
    who: Callable[[str], str],
    names: bool,
    now: datetime.datetime,
) -> tuple[str, dict[str, str]]:
    """Render the page.

    Args:
        data: From `read_class`.
        reports: From `analyse`.
        who: Gives the name under which a student is shown.
        names: Whether that is the real one.
        now: Time of the report.

    Returns:
        HTML, and CSV files by name.
    """
    sections, files = make_sections(data, reports, who, names)
    environment = Environment(
        loader=PackageLoader("grader.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["numeric"] = _is_numeric
    times = [s.record.at for r in reports for s in r.data.submissions if s.record]
    page = environment.get_template("report.html.j2").render(
        sections=sections,
        students=len(data.students),
        notebooks=len(reports),
        names=names,
        least=MIN_CLASS,
        now=now.strftime("%Y-%m-%d %H:%M UTC"),
        marked=_minute(max(times, default="")),
        small=any(len(r.data.submissions) < MIN_CLASS for r in reports),
    )
    return page, files
