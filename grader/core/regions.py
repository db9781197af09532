"""Read the regions of a cell that students do not get: solutions and hidden tests.

nbgrader takes a line for a marker if the marker's text occurs anywhere in it (`BEGIN SOLUTION`, with any number of `#`
in front), and removes the markers with what is between them. This module does the same, with the texts that nbgrader is
configured with. nbgrader refuses a cell in which a marker has no partner; here everything that could belong to a region
then counts as part of one, and `unpaired` counts the markers.
"""

from __future__ import annotations

import copy
import difflib
import functools
from dataclasses import dataclass
from enum import Enum, auto

from traitlets.config import Config


class Part(Enum):
    """What a line is to the regions of a cell."""

    OUTSIDE = auto()
    BEGIN = auto()
    INSIDE = auto()
    END = auto()
    #: A second beginning in an open region; the region goes on.
    NESTED = auto()
    #: An end without a beginning.
    STRAY = auto()


@dataclass(frozen=True)
class Markers:
    """How regions of one kind are marked, and what can be read with that.

    Args:
        begin: Text that opens a region in the line that it occurs in.
        end: Text that closes it.
    """

    begin: str
    end: str

    @property
    def written(self) -> tuple[str, str]:
        """The two marker lines as this course writes them."""
        return f"### {self.begin}", f"### {self.end}"

    def parts(self, source: str) -> list[tuple[Part, str]]:
        """Return the lines of a cell in order, each with what it is. An open region reaches to the end of the cell."""
        found, inside = [], False
        for line in source.split("\n"):
            if self.begin in line:
                part, inside = Part.NESTED if inside else Part.BEGIN, True
            elif self.end in line:
                part, inside = Part.END if inside else Part.STRAY, False
            else:
                part = Part.INSIDE if inside else Part.OUTSIDE
            found.append((part, line))
        return found

    def without(self, source: str, stub: str | None = None) -> str:
        """Return a cell without its regions.

        Args:
            source: Source of the cell.
            stub: What each region is replaced with, indented like the marker that opens it; nothing by default.
        """
        kept = []
        for part, line in self.parts(source):
            if part is Part.OUTSIDE:
                kept.append(line)
            elif part is Part.BEGIN and stub is not None:
                indent = line[: len(line) - len(line.lstrip())]
                kept += [indent + replacement for replacement in stub.split("\n")]
        return "\n".join(kept)

    def unmarked(self, source: str) -> str:
        """Return a cell with what its regions hold, but without the markers."""
        return "\n".join(line for part, line in self.parts(source) if part in (Part.OUTSIDE, Part.INSIDE))

    def numbers(self, source: str) -> frozenset[int]:
        """Return the numbers of the lines between markers, counted from 1."""
        return frozenset(n for n, (part, _) in enumerate(self.parts(source), 1) if part is Part.INSIDE)

    def regions(self, source: str) -> list[list[str]]:
        """Return the lines of each region, without the markers."""
        found: list[list[str]] = []
        for part, line in self.parts(source):
            if part is Part.BEGIN:
                found.append([])
            elif part is Part.INSIDE:
                found[-1].append(line)
        return found

    def unpaired(self, source: str) -> int:
        """Return how many markers have no partner. nbgrader releases no cell with an open or a nested region."""
        parts = [part for part, _ in self.parts(source)]
        still_open = parts.count(Part.BEGIN) - parts.count(Part.END)
        return parts.count(Part.NESTED) + parts.count(Part.STRAY) + still_open


#: How like a marker a comment may look, from 0 to 1: `BEGIN HIDDEN TEST` is 0.96 of one.
_ALIKE = 0.8
_LONGEST = 80


def doubtful(source: str, *kinds: Markers) -> list[str]:
    """Return the lines of a cell by which a region cannot be told: markers without a partner, and what looks like one.

    What stands behind a marker that is misspelled would be shown to students, and nothing else would notice.

    Args:
        source: Source of the cell.
        *kinds: The markers.
    """
    odd = (Part.NESTED, Part.STRAY)
    found = []
    for markers in kinds:
        parts = markers.parts(source)
        found += [line for part, line in parts if part in odd]
        if markers.unpaired(source) and not found:
            found += [line for part, line in parts if part is Part.BEGIN][-1:]
    texts = {text for markers in kinds for text in (markers.begin, markers.end)}
    for line in source.split("\n"):
        said = line.strip()
        if said.startswith("#") and len(said) < _LONGEST and not any(text in line for text in texts):
            ratios = (difflib.SequenceMatcher(None, _letters(said), _letters(text)).ratio() for text in texts)
            found += [line] if max(ratios, default=0.0) >= _ALIKE else []
    return found


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalpha())


def solutions(config: Config | None = None) -> Markers:
    """Return the markers of solutions.

    Args:
        config: nbgrader's configuration of the course; without it nbgrader's own defaults hold.
    """
    return _defaults()[0] if config is None else _configured(config)[0]


def hidden_tests(config: Config | None = None) -> Markers:
    """Return the markers of hidden tests.

    Args:
        config: nbgrader's configuration of the course; without it nbgrader's own defaults hold.
    """
    return _defaults()[1] if config is None else _configured(config)[1]


@functools.cache
def _defaults() -> tuple[Markers, Markers]:
    return _configured(Config())


def _configured(config: Config) -> tuple[Markers, Markers]:
    # nbgrader takes a second to import, and most of what reads notebooks does so without asking for regions.
    from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

    config = copy.deepcopy(config)  # nbgrader changes what it is given
    clear, hide = ClearSolutions(config=config), ClearHiddenTests(config=config)
    return (
        Markers(clear.begin_solution_delimeter, clear.end_solution_delimeter),
        Markers(hide.begin_test_delimeter, hide.end_test_delimeter),
    )
