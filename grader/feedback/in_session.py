"""Make what a student wrote fit for a page that acts with somebody's session: the formgrader's.

There a link does more harm than on a page of its own. JupyterLab shows the formgrader in a frame and obeys whatever
page is in that frame, so that a click on a student's link would hand the instructor's kernels to the student. A link is
shown as its label and its address instead, and only formulas of harmless names are set (`formulas.py`).
"""

from __future__ import annotations

import html
import itertools
import re

from grader.core.escaping import printable_line, without_controls
from grader.feedback.boxes import laid_out_anew
from grader.feedback.formulas import LEFT_ALONE, Formulas
from grader.feedback.sanitise import contained
from grader.feedback.tags import TAG, attributes_of

_MAY_BE_FORMULA = re.compile(r"[$\\]")
#: Elements in which no formula is set.
_AS_TYPED = frozenset({"pre", "code", "kbd", "samp"})
#: Characters of an address that are shown.
_SHOWN_ADDRESS = 300
#: Tags and texts of a label that are compared with the address.
_LABEL = 40


def harmless(markup: str, formulas: Formulas) -> str:
    """Return clean HTML in a box of its own, without links out of the page, its harmless formulas marked.

    Args:
        markup: What the cleaner wrote.
        formulas: Those of the page.
    """
    parts, place, quiet = list[str](), 0, 0
    anew = iter(laid_out_anew(markup)) if _MAY_BE_FORMULA.search(markup) else itertools.repeat(0)
    links: list[tuple[str, int]] = []  # those that are open: the address, and where in `parts` the label begins
    for tag in TAG.finditer(markup):
        parts.append(_text(markup[place : tag.start()], formulas, quiet > 0, next(anew)))
        place = tag.end()
        ends, name = tag[1] == "/", tag[2]
        quiet += (-1 if ends else 1) if name in _AS_TYPED else 0
        if name != "a":
            parts.append(tag[0])
        elif not ends:
            attributes = attributes_of(tag[3])
            address = html.unescape(attributes.pop("href", ""))
            kept = "".join(f' {key}="{value}"' for key, value in attributes.items())
            links.append((address, len(parts) + 1))
            parts.append(f"<span{kept}>")
        elif links:  # in a table's caption a link may stand within another one's label
            address, label = links.pop()
            parts.append(f"{_address(address, ''.join(parts[label : label + _LABEL]))}</span>")
    parts.append(_text(markup[place:], formulas, quiet > 0, next(anew)))
    return left_alone("".join(parts))


def left_alone(markup: str) -> str:
    """Return clean HTML in a box of its own, in which no formula is set that is not marked."""
    return contained(markup, f"student {LEFT_ALONE}")


def _text(text: str, formulas: Formulas, quiet: bool, anew: int) -> str:
    """Return what stands between two tags; should it hold a tag that was not read as one, it shows that."""
    if quiet or not _MAY_BE_FORMULA.search(text):
        return text.replace("<", "&lt;")
    return formulas.marked(html.unescape(text), anew)


def _address(address: str, label: str) -> str:
    """Return the address of a link as it stands behind its label; nothing if it is the label."""
    said = " ".join(html.unescape(TAG.sub("", label)).split())
    shown = printable_line(without_controls(address), _SHOWN_ADDRESS)
    if not shown or said in (shown, shown.removeprefix("mailto:"), re.sub("^https?://", "", shown)):
        return ""
    return html.escape(f" ({shown})" if said else shown, quote=False)
