"""Headings as JupyterLab names them, so that a link within a notebook leads to the heading in every language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

#: A link within the notebook, in markdown.
LINK = re.compile(r"\]\(#([^)\s]+)\)")
#: What markdown adds to the words of a heading.
_MARKS = re.compile(r"[`*]")


def anchor(heading: str) -> str:
    """Return the name under which a link finds a heading: its words, with a hyphen for each blank."""
    return _MARKS.sub("", heading).strip().replace(" ", "-")


def headings_of(source: str) -> list[str]:
    """Return the headings of a markdown cell, in any language."""
    found, fenced = [], False
    for line in source.split("\n"):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced and (heading := re.match(r"#{1,6}\s+(.*)", line)):
            found.append(heading[1])
    return found


def translated_anchors(sources: Iterable[str], translate: Callable[[str], str]) -> dict[str, str]:
    """Return the anchors of translated headings by those of the English ones.

    Args:
        sources: The markdown cells of a notebook, in English.
        translate: Returns the translation of a heading.
    """
    return {anchor(heading): anchor(translate(heading)) for source in sources for heading in headings_of(source)}


def with_links(source: str, anchors: dict[str, str]) -> str:
    """Return a markdown cell whose links within the notebook lead to other anchors."""
    return LINK.sub(lambda link: f"](#{anchors.get(link[1], link[1])})", source)
