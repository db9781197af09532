"""Make what a student wrote fit for a page that acts with somebody's session: the formgrader's.

There a link does more harm than on a page of its own. JupyterLab shows the formgrader in a frame and obeys whatever
page is in that frame, so that a click on a student's link would hand the instructor's kernels to the student. A link is
shown as its label and its address instead.
"""

from __future__ import annotations

import html
import re

from grader.core.escaping import printable_line, without_controls
from grader.feedback.sanitise import ATTRIBUTE, contained

#: Every tag that the cleaner writes, an opening one with its attributes.
_TAG = re.compile(r'<(/?)([a-z][a-z0-9]*)((?: [a-z]+="[^"]*")*)>')
#: Characters of an address that are shown.
_SHOWN_ADDRESS = 300


def harmless(markup: str) -> str:
    """Return what the cleaner wrote in a box of its own, without links out of the page."""
    parts, place = list[str](), 0
    link: tuple[str, int] | None = None  # its address, and where in `parts` its label begins
    for tag in _TAG.finditer(markup):
        parts.append(_text(markup[place : tag.start()]))
        place = tag.end()
        ends, name = tag[1] == "/", tag[2]
        if name != "a":
            parts.append(tag[0])
        elif not ends:
            attributes = ATTRIBUTE.findall(tag[3])
            address = html.unescape(dict(attributes).get("href", ""))
            kept = "".join(f' {key}="{value}"' for key, value in attributes if key != "href")
            link = None if address.startswith("#") else (address, len(parts) + 1)
            parts.append(f"<span{kept}>" if link else tag[0])
        elif link is None:
            parts.append(tag[0])
        else:
            parts.append(f"{_address(link[0], ''.join(parts[link[1] :]))}</span>")
            link = None
    parts.append(_text(markup[place:]))
    return contained("".join(parts))


def _text(text: str) -> str:
    """Return what stands between two tags; should it hold a tag that was not read as one, it shows that."""
    return text.replace("<", "&lt;")


def _address(address: str, label: str) -> str:
    """Return the address of a link as it stands behind its label; nothing if it is the label."""
    said = " ".join(html.unescape(_TAG.sub("", label)).split())
    shown = printable_line(without_controls(address), _SHOWN_ADDRESS)
    if not shown or said in (shown, shown.removeprefix("mailto:"), re.sub("^https?://", "", shown)):
        return ""
    return html.escape(f" ({shown})" if said else shown, quote=False)
