"""Keep a spreadsheet from running what students wrote: they choose their names, their files' names and their messages.

A spreadsheet takes a cell of a CSV file that begins with one of a few characters for a formula, quoted or not. An
apostrophe in front makes it a text. Where it takes `;` or a tab for what separates cells, as in half of Europe, quotes
within a line mean nothing to it, so a cell may also begin behind such a character, or behind a line break, in a text.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable

# The apostrophe itself is among them so that `unguarded` gives back every text as it was. The last four are the wide
# forms of the first, which spreadsheets in East Asia take for the same.
_FORMULA_STARTS = "=+-@|%\t\r'＝＋－＠"
_START = rf"[{re.escape(_FORMULA_STARTS)}]"
#: Behind what a spreadsheet may begin a cell, and what it passes over to find out what is in the cell.
_UNGUARDED = re.compile(rf"([;\t\r\n])(?=[\s\"]*{_START})")
_GUARDED = re.compile(rf"([;\t\r\n])'(?=[\s\"]*{_START})")


def guarded(text: str) -> str:
    """Return a text for a cell of a CSV file that no spreadsheet takes for a formula, whatever separates its cells.

    A single minus sign stays as it is: Moodle writes it where there is no mark.
    """
    inner = _UNGUARDED.sub(r"\1'", text)
    return f"'{inner}" if text[:1] and text[:1] in _FORMULA_STARTS and text != "-" else inner


def unguarded(text: str) -> str:
    """Return the text that `guarded` was given."""
    text = text[1:] if text[:1] == "'" and text[1:2] and text[1:2] in _FORMULA_STARTS else text
    return _GUARDED.sub(r"\1", text)


class _Rows(io.StringIO):
    """Text whose rows end with a line feed.

    `csv` puts quotes around what its own end of a row is made of. Only if that is a carriage return and a line feed, it
    does so for a single carriage return too, which is the end of a row to whoever reads.
    """

    def write(self, row: str) -> int:
        return super().write(row.removesuffix("\r\n") + "\n")


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as the text of a CSV file, in which every field comes back as it was written.

    Args:
        rows: The head, then fields as `csv.writer` takes them.
    """
    text = _Rows(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()
