"""Keep a spreadsheet from running what students wrote: they choose their names, their files' names and their messages.

A spreadsheet takes a cell of a CSV file that begins with one of a few characters for a formula, quoted or not. An
apostrophe in front makes it a text. Where it takes `;` or a tab for what separates cells, as in half of Europe, quotes
within a line mean nothing to it, so a cell may also begin behind such a character, or behind a line break, in a text.

What drives a terminal, reverses a line or looks like nothing is spelled out, so a table can be printed as it stands.
Every text gets both when it is written (`csv_text`), and `read_csv` takes them away. Only a text that another system
gave and will compare with its own is left letter for letter: whoever writes it says so (`Given`).
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from grader.core.escaping import spelled, unspelled

# The apostrophe itself is among them so that `unguarded` gives back every text as it was. The last four are the wide
# forms of the first, which spreadsheets in East Asia take for the same.
_FORMULA_STARTS = "=+-@|%\t\r'＝＋－＠"
_START = rf"[{re.escape(_FORMULA_STARTS)}]"
#: Behind what a spreadsheet may begin a cell, and what it passes over to find out what is in the cell.
_UNGUARDED = re.compile(rf"([;\t\r\n])(?=[\s\"]*{_START})")
_GUARDED = re.compile(rf"([;\t\r\n])'(?=[\s\"]*{_START})")
_BEGUN = re.compile(rf"[\s\"]*{_START}")
#: In HTML, where the `;` of an entity may be what separates cells: all signs there, since each entity ends with one.
_BEGINNINGS, _SIGNS = re.compile(rf"(^|[;\t\r\n])((?:[\s\"]*{_START})+)"), re.compile(_START)


def guarded(text: str) -> str:
    """Return a text for a cell of a CSV file that no spreadsheet takes for a formula, whatever separates its cells.

    A single minus sign stays as it is: Moodle writes it where there is no mark.
    """
    inner = _UNGUARDED.sub(r"\1'", text)
    return f"'{inner}" if _BEGUN.match(text) and text != "-" else inner


def guarded_html(text: str) -> str:
    """Return HTML for a cell of a CSV file that no spreadsheet takes for a formula, and that looks as it did before."""
    return _BEGINNINGS.sub(lambda found: found[1] + _SIGNS.sub(lambda sign: f"&#{ord(sign[0])};", found[2]), text)


def unguarded(text: str) -> str:
    """Return the text that `guarded` was given."""
    text = text[1:] if text[:1] == "'" and _BEGUN.match(text, 1) else text
    return _GUARDED.sub(r"\1", text)


class _Rows(io.StringIO):
    """Text whose rows end with a line feed.

    `csv` puts quotes around what its own end of a row is made of. Only if that is a carriage return and a line feed, it
    does so for a single carriage return too, which is the end of a row to whoever reads.
    """

    def write(self, row: str) -> int:
        return super().write(row.removesuffix("\r\n") + "\n")


class Given(str):
    """A text that is written letter for letter: another system gave it and matches it, or it is a number."""

    __slots__ = ()


@dataclass(frozen=True)
class Row:
    """A row of a table that `csv_text` wrote, and that somebody may have edited.

    Args:
        line: The line on which it ends, counted from 1.
        cells: Its texts by the heads of their columns; those that are missing are empty.
        rest: Further cells, for which there is no head.
    """

    line: int
    cells: dict[str, str]
    rest: tuple[str, ...] = ()


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as the text of a CSV file that prints as it stands, and in which no cell is a formula.

    Args:
        rows: The head, then fields as `csv.writer` takes them. Numbers and what is `Given` are written as they are.
    """
    text = _Rows(newline="")
    csv.writer(text, lineterminator="\r\n").writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue()


def _cell(value: object) -> object:
    return guarded(spelled(value)) if isinstance(value, str) and not isinstance(value, Given) else value


def read_csv(text: str, delimiter: str = ",", ours: bool = True) -> list[Row]:
    """Read a CSV file with a head.

    Args:
        text: The file's.
        delimiter: What separates cells; a spreadsheet may have written another one.
        ours: Whether `csv_text` wrote it, so that every field comes back as it was, without the blanks that somebody
            typed around it since; others are left as they are.

    Raises:
        csv.Error: If it is no such file.
    """
    head, reader = _begun(text, delimiter)
    rows = []
    for fields in reader:
        if fields:
            texts = [unspelled(unguarded(field.strip())) if ours else field for field in fields]
            cells = dict.fromkeys(filter(None, head), "") | {k: v for k, v in zip(head, texts, strict=False) if k}
            rows.append(Row(reader.line_num, cells, tuple(texts[len(head) :])))
    return rows


def read_head(text: str, delimiter: str = ",") -> list[str]:
    """Return the heads of the columns of a CSV file; one may be there several times, of which a row has the last.

    Args:
        text: The file's.
        delimiter: What separates cells.

    Raises:
        csv.Error: If it is no such file.
    """
    return _begun(text, delimiter)[0]


def _begun(text: str, delimiter: str) -> tuple[list[str], Any]:
    """Return the heads, and what reads the rows below them."""
    # A worksheet has the texts that people typed into Moodle, of any length; the whole is in memory anyway.
    csv.field_size_limit(max(csv.field_size_limit(), len(text)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    return [name.strip() for name in next(reader, [])], reader
