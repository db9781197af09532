"""What the page consists of - sections with panels and tables - and how its numbers are written."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from dataclasses import dataclass, field

from grader.core.csv_files import Given, csv_text
from grader.report.data import LONGEST, plain
from grader.report.items import MIN_CLASS

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
    """A plot with its twins, or the sentence that explains why there is none.

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
        """The picture as a `data:` address."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode("ascii")

    @property
    def download(self) -> str:
        """The CSV as a `data:` address."""
        return "data:text/csv;charset=utf-8;base64," + base64.b64encode(self.csv.encode("utf-8")).decode("ascii")


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    key: str
    heading: str
    text: list[str]
    panels: list[Panel] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)


def write_csv(columns: list[str], rows: Iterable[Iterable]) -> str:
    """Return CSV text in which a spreadsheet takes no cell for a formula.

    Args:
        columns: Heads.
        rows: Numbers, texts and None.
    """
    return csv_text([columns, *([_cell(value) for value in row] for row in rows)])


def _cell(value: object) -> object:
    if isinstance(value, float):
        return Given(f"{value:.6g}")
    if isinstance(value, str):
        return plain(value, 2 * LONGEST)
    return "" if value is None else value


def number(value: float, digits: int = 1) -> str:
    """Return a number as text, with a comma between thousands and no trailing zeros.

    Args:
        value: The number.
        digits: Most decimals.
    """
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def percent(part: float, whole: float) -> str:
    """Return a share in whole per cent, with a space that does not break the line.

    Args:
        part: The part.
        whole: What it is a part of.
    """
    return f"{100 * part / whole:.0f}\u00a0%" if whole else "-"


def two(value: float | None) -> str:
    """Return a coefficient with two decimals, or a dash for None."""
    return "-" if value is None else f"{value:.2f}".replace("-0.00", "0.00")
