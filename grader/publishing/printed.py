"""What cells printed, as the web edition shows it: sentences are wrapped, rows of a table stay in one line.

A line is a row if it has a gap and a column of it begins or ends right above or below one of a neighbour's. A table
wider than a screen is wrapped too, each row into its last column.
"""

from __future__ import annotations

import html
import re
import unicodedata
from dataclasses import dataclass

_CELL = re.compile(r"\S+(?: \S+)*")
#: As many letters as a wide screen has room for; longer rows are wrapped, with at least so many in a line.
_WIDEST, _NARROWEST = 98, 38


@dataclass(frozen=True)
class _Line:
    """A line and its columns, those with a gap before them.

    Args:
        text: The line.
        width: How many letters wide it is.
        begins: Where columns begin, that of an indented line included.
        ends: Where they end.
    """

    text: str
    width: int
    begins: frozenset[int]
    ends: frozenset[int]

    def beside(self, other: _Line) -> bool:
        """Return whether a column of this line and one of the other's stand below one another."""
        return bool((self.ends or other.ends) and (self.begins & other.begins or self.ends & other.ends))


def shown_output(text: str) -> str:
    """Return the HTML of what a cell printed."""
    lines = [_measured(line) for line in text.split("\n")]
    parts = []
    kind = "output"
    for group in _groups(lines):
        if len(group) == 1:
            parts.append(html.escape(group[0].text, quote=False) + "\n")
        elif max(line.width for line in group) > _WIDEST:
            parts += [_hanging(line) for line in group]
        else:
            kind = "output columns"
            parts += [f'<span class="row">{html.escape(line.text, quote=False)}</span>\n' for line in group]
    code = "".join(parts)
    return f'<div class="highlight-text {kind} notranslate"><div class="highlight"><pre>{code}</pre></div></div>'


def _measured(text: str) -> _Line:
    """Find the columns of a line; Chinese letters are two wide."""
    places = [0]
    for letter in text:
        places.append(places[-1] + 1 + (unicodedata.east_asian_width(letter) in "WF"))
    cells = list(_CELL.finditer(text))
    begins = frozenset(places[cell.start()] for cell in cells if cell.start() > 1)
    return _Line(text, places[-1], begins, frozenset(places[cell.end()] for cell in cells[1:]))


def _groups(lines: list[_Line]) -> list[list[_Line]]:
    """Return the lines with the rows of a table together and all others alone."""
    groups: list[list[_Line]] = []
    for line in lines:
        if groups and line.beside(groups[-1][-1]):
            groups[-1].append(line)
        else:
            groups.append([line])
    return groups


def _hanging(row: _Line) -> str:
    """Return a row that goes on below its last column that has room for that."""
    column = max((begin for begin in row.begins if begin <= _WIDEST - _NARROWEST), default=2)
    return f'<span class="hanging" style="--column: {column}ch">{html.escape(row.text, quote=False)}\n</span>'
