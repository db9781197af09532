"""Where a line of text may end: not between a formula and its full stop, not within short code, but in long names.

Beside these, it marks stressed words that are Chinese, whose letters are not to be slanted.

Sphinx loads this as an extension. A browser takes a formula for a picture and breaks the line on both of its sides.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

#: What belongs to the formula behind it.
_OPENING = re.compile(r"[(\[\"'“‘（《「『【]*$")
#: What belongs to the formula before it: the end of a word as in "k-th", then marks.
_CLOSING = re.compile(r"[A-Za-z0-9'’]{0,12}[-/)\]\"'”’.,;:!?…%–）》」』】，。、：；？！]*")
_CHINESE = re.compile("[\u4e00-\u9fff]")
#: Code of up to so many letters stays in one line.
_SHORT = 16


class WhereLinesBreak(SphinxPostTransform):
    """Marks what stays in one line, where a long name may be broken, and what is not slanted."""

    default_priority = 400

    def run(self, **kwargs: Any) -> None:
        """Change the page."""
        for formula in list(self.document.findall(nodes.math)):
            _keep_with_marks(formula)
        for code in list(self.document.findall(nodes.literal)):
            text = code.astext()
            if len(text) <= _SHORT:
                code["classes"].append("short")
            elif "." in text and " " not in text:
                code[:] = _broken_at_dots(text)
        for stressed in self.document.findall(nodes.emphasis):
            if _CHINESE.search(stressed.astext()):
                stressed["classes"] += ["upright", *(["whole"] if len(stressed.parent) == 1 else [])]


def _keep_with_marks(formula: nodes.math) -> None:
    """Put a formula into one part of the line with the marks that touch it."""
    parent = formula.parent
    place = parent.index(formula)
    before, after = _text(parent, place - 1), _text(parent, place + 1)
    opening = _OPENING.search(before)[0]
    closing = _CLOSING.match(after)[0]
    if not opening and not closing:
        return
    if opening:
        parent[place - 1] = nodes.Text(before.removesuffix(opening))
    if closing:
        parent[place + 1] = nodes.Text(after.removeprefix(closing))
    together = nodes.inline(classes=["together"])
    parent.replace(formula, together)
    together += [nodes.Text(opening), formula, nodes.Text(closing)]


def _text(parent: nodes.Element, place: int) -> str:
    """Return the text at a place among the parts of a paragraph; nothing where there is something else, or no place."""
    found = parent[place] if 0 <= place < len(parent) else None
    return str(found) if isinstance(found, nodes.Text) else ""


def _broken_at_dots(text: str) -> list[nodes.Node]:
    """Return a name with a possible end of the line after each dot."""
    first, *rest = re.split(r"(?<=\.)(?=\w)", text)
    parts: list[nodes.Node] = [nodes.Text(first)]
    for part in rest:
        parts += [nodes.raw("", "<wbr>", format="html"), nodes.Text(part)]
    return parts


def setup(app: Sphinx) -> dict[str, Any]:
    """Register it."""
    app.add_post_transform(WhereLinesBreak)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
