"""Put the page together from its sections, and render it.

Nothing is marked as safe: the template escapes every text.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Callable

from jinja2 import Environment, PackageLoader, StrictUndefined

from grader.core.findings import Level
from grader.report.analysis import NotebookReport, finding_rows
from grader.report.data import ClassData, plain
from grader.report.items import MIN_CLASS
from grader.report.noticed import findings_table, look_section
from grader.report.overview import glance_table, missing_table, overview_panel, time_panel
from grader.report.panels import make_panels
from grader.report.pieces import NOT_SHOWN, Section, Table, write_csv


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
        who: Returns the name under which a student is shown.
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


def make_sections(
    data: ClassData, reports: list[NotebookReport], who: Callable[[str], str], names: bool
) -> tuple[list[Section], dict[str, str]]:
    """Make the sections of the page.

    Args:
        data: From `read_class`.
        reports: From `analyse`.
        who: Returns the name under which a student is shown.
        names: Whether that is the real one.

    Returns:
        The sections, and CSV files by name.
    """
    missing = missing_table(reports)
    repaired = finding_rows(reports, Level.REPAIRED)
    look, look_csv = look_section(reports, who, names)
    sections = [
        Section("glance", "At a glance", [], [overview_panel(reports)], [glance_table(reports)]),
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
        Section("marking", "Time", [], [time_panel(reports)]),
        Section(
            "repaired",
            "What was repaired",
            ["Damage that cost nobody a point: in how many submissions it was found."]
            if repaired
            else ["Nothing had to be repaired."],
            tables=[findings_table(repaired, reports, "Repairs, by submissions")] if repaired else [],
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


def _is_numeric(table: Table, column: int) -> bool:
    """Return whether a column of a table holds numbers, which are aligned to the right."""
    return column > 0 and all(
        row[column].lstrip("-")[:1].isdigit() or row[column] in ("-", NOT_SHOWN) for row in table.rows
    )


def _minute(at: str) -> str:
    """Return the time of a record without its seconds."""
    with contextlib.suppress(ValueError):
        return datetime.datetime.fromisoformat(at).astimezone(datetime.UTC).strftime("%Y-%m-%d %H:%M UTC")
    return plain(at, 40)
