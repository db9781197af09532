"""What the first cells of a notebook say about it: its title, what it is about, how long it takes, its points."""

from __future__ import annotations

import re
from dataclasses import dataclass

from nbformat import NotebookNode

#: A heading, a badge, a list, the line about minutes and points.
_NO_LEAD = re.compile(r"$|#|\[!|[-*] |\*About ")


@dataclass(frozen=True)
class Facts:
    """What a table of contents shows of a notebook.

    Args:
        title: Its title, number included; empty if it has none.
        lead: The first paragraph below the title and the badge.
        minutes: How long it takes; empty if it does not say.
        points: Automatic points, and those of the written answer, as `20 + 2`; empty if it does not say.
    """

    title: str
    lead: str
    minutes: str
    points: str


def facts_of(nb: NotebookNode) -> Facts:
    """Read what a notebook says about itself in its first two cells."""
    text = "\n\n".join(c.source for c in nb.cells[:2] if c.cell_type == "markdown")
    title, minutes = re.search(r"^# (.+)$", text, re.M), re.search(r"[Aa]bout (\d+) minutes", text)
    points = re.search(r"(\d+) points(?:, and (\d+))?", text)
    paragraphs = [p.strip() for p in re.split(r"\n\s*\n", text)]
    lead = next((p for p in paragraphs if not _NO_LEAD.match(p)), "")
    shown = (f"{points[1]} + {points[2]}" if points[2] else points[1]) if points else ""
    return Facts(title[1] if title else "", lead, minutes[1] if minutes else "", shown)
