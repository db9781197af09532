"""Numbers as people's tables have them: with a point or a comma, and perhaps with something between thousands.

Canvas exports numbers in the language of the person who asks for it, and a spreadsheet saves them in its own. What the
systems read back is another matter:

- Canvas takes the last `,` or `.` for what stands before decimals (`decimal_comma_to_period` in
  `lib/gradebook_importer.rb`). So it reads both, and `1,000` as one.
- Moodle (`unformat_float`) takes a point in every language, but a comma only where the language of the person who
  uploads has one. In English, which the headings of a worksheet have to be in, `4,5` would be 4.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.lms.marks import number

_PLAIN = re.compile(r"(?P<whole>[0-9]+)((?P<sign>[.,])(?P<rest>[0-9]+))?", re.ASCII)
#: Between thousands there may also be blanks of several widths, and apostrophes.
_GROUPED = re.compile(
    r"(?P<whole>[0-9]{1,3}(?P<gap>[., \xa0\u2009\u202f'\u2019])[0-9]{3}((?P=gap)[0-9]{3})*)"
    r"((?!(?P=gap))(?P<sign>[.,])(?P<rest>[0-9]+))?"
)
#: One sign and three digits: thousands, or more decimals than most people write.
_DOUBTFUL = re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}")


class Numerals:
    """How a table writes numbers, as far as its numbers tell.

    Args:
        cells: Texts of the table's cells; those that are no numbers tell nothing.
    """

    def __init__(self, cells: Iterable[str]):
        signs = {sign for cell in cells if (sign := _decimal_sign(cell.strip()))}
        #: What stands before decimals; empty if no number tells, or if they contradict each other.
        self.decimal = signs.pop() if len(signs) == 1 else ""

    def readings(self, cell: str) -> list[float]:
        """Return the numbers that a cell may stand for: none if it is no number, two if nothing tells which it is."""
        cell = cell.strip()
        if _DOUBTFUL.fullmatch(cell):
            thousands, decimals = float(re.sub("[.,]", "", cell)), float(cell.replace(",", "."))
            return [decimals if self.decimal in cell else thousands] if self.decimal else [thousands, decimals]
        found = _PLAIN.fullmatch(cell) or _GROUPED.fullmatch(cell)
        return [float(f"{re.sub('[^0-9]', '', found['whole'])}.{found['rest'] or 0}")] if found else []

    def places(self, cells: Iterable[str]) -> int:
        """Return how many digits some cells have behind the decimal sign at most.

        Args:
            cells: Texts of cells; those that are no numbers have none.
        """
        return max((self._places(cell.strip()) for cell in cells), default=0)

    def _places(self, cell: str) -> int:
        if _DOUBTFUL.fullmatch(cell) and self.decimal and self.decimal not in cell:
            return 0
        found = _PLAIN.fullmatch(cell) or _GROUPED.fullmatch(cell)
        return len(found["rest"] or "") if found else 0

    def written(self, points: float) -> str:
        """Write points as the table does; with a point if nothing tells."""
        return number(points).replace(".", self.decimal or ".")

    def with_point(self, cell: str) -> str:
        """Return a cell whose number has a decimal comma with a point instead; any other one as it is."""
        found = _PLAIN.fullmatch(cell.strip()) or _GROUPED.fullmatch(cell.strip())
        comma = found is not None and (found["sign"] == "," or (found.re is _GROUPED and found["gap"] == "."))
        readings = self.readings(cell)
        return number(readings[0]) if comma and len(readings) == 1 else cell


def _decimal_sign(cell: str) -> str:
    """Return what stands before a number's decimals, if that cannot stand between thousands; empty if nothing tells."""
    if _DOUBTFUL.fullmatch(cell):
        return ""
    if found := _PLAIN.fullmatch(cell):
        return found["sign"] or ""
    found = _GROUPED.fullmatch(cell)
    return (found["sign"] or {",": ".", ".": ","}.get(found["gap"], "")) if found else ""
