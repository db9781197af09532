"""Show the tags in a student's Markdown that are none to a page as they were typed: `<end>`, `if n<m and w>0`.

A parser of HTML takes all of these for tags. A cleaner that leaves them out takes words of an answer along, and a
`<title>` even what follows it. So a tag stays only if the page knows its name and if it is written as a tag is; every
other `<` becomes text. Nothing here makes anything safe: whatever stays is cleaned afterwards, and text is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from html import escape
from urllib.parse import unquote

from nbconvert.filters.markdown_mistune import IPythonRenderer

from grader.feedback.bounds import STYLE_SHEET

#: How the address of an image begins that is attached to the cell.
ATTACHMENT = "attachment:"
#: Elements of the looks only, which editors paste along with a text; the text stays, and nobody means their tags.
_LOOKS = frozenset({"big", "center", "font", "nobr", "o:p", "strike", "tt", "wbr"})
#: Elements that a page knows, and that are more likely tokens of an answer: the start of a sentence, a query.
_TOKENS = frozenset({"s", "q"})
#: Attributes that are written without a value. Any other word in a tag is a word: `if i<p and q>0`.
_BARE = "border|compact|hidden|noshade|nowrap|open|reversed"
#: What they have else; not with a tag in it, of which a parser that reads differently might make one.
_VALUE = r"""(?:"[^"<]*+"|'[^'<]*+'|[^\s"'=<>`]+)"""
#: A tag as it is written. No attribute of HTML has a name of one letter, and an end has none at all.
#: No repetition is tried again with less, or a long gap would take the square of its length.
_TAG = re.compile(
    rf"<(?:/(?P<end>[a-z][\w:-]*+)|(?P<name>[a-z][\w:-]*+)"
    rf"(?:\s++(?:[a-z_:][\w.:-]++\s*+=\s*+{_VALUE}|(?:{_BARE})(?=[\s/>])))*+\s*+/?)\s*+>",
    re.IGNORECASE,
)
#: Comments that editors paste along with a text. One of a student's may hold the answer, so it is shown.
_PASTED = re.compile(r"<!--\s*(?:\[if|(?:Start|End)Fragment)", re.IGNORECASE)
#: An image that stood in the text itself, in a block of HTML, in which no Markdown is read.
_MOVED = re.compile(r"!\[\]\((attachment:pasted-[0-9]+-[0-9]+)\)")
#: What Markdown takes for one piece with all that follows, blank lines as well.
_LONG = re.compile(r"\s*<(?:script|style|textarea|\?|!)", re.IGNORECASE)


class TypedTags(IPythonRenderer):
    """Renders Markdown, with the tags in it that are none to a page as text.

    Args:
        allowed: The names of the tags that a page knows.
        is_attached: Returns whether there is an image of the cell under an address that begins with `ATTACHMENT`. Such
            an address stays in what is rendered.
    """

    def __init__(self, allowed: Set[str], is_attached: Callable[[str], bool]):
        super().__init__(escape=False, exclude_anchor_links=True)
        self.allowed = allowed - _TOKENS
        self.is_attached = is_attached
        #: Whether the text asks for an attached image that there is none of.
        self.missing = False

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Return an image, or what was typed if it is an attached one that is missing; the others stay."""
        if url.startswith(ATTACHMENT) and not self.is_attached(url):
            self.missing = True
            return f"![{text}]({escape(unquote(url))})"
        # Not nbconvert's, to which any name with a blank is missing, and which then gives up the whole text.
        return super(IPythonRenderer, self).image(text, url, title)

    def block_html(self, html: str) -> str:
        """Return a block of HTML."""
        block = _MOVED.sub(r'<img src="\1">', _without_sheets(html))
        shown = with_text_for_tags(block, self.allowed)
        long = _LONG.match(block) and not _PASTED.match(block.lstrip())
        return f"<pre>{shown}</pre>\n" if long else super().block_html(shown)

    def inline_html(self, html: str) -> str:
        """Return a tag in a line."""
        return super().inline_html(with_text_for_tags(html, self.allowed))

    def task_list_item(self, text: str, checked: bool = False) -> str:
        """Return an item with a box (`- [x]`), which no page has a form's element for: it would be gone."""
        return f"<li>{'☑' if checked else '☐'} {text}</li>\n"


def _without_sheets(text: str) -> str:
    """Return HTML without the style sheets that editors and pandas paste along."""
    return STYLE_SHEET.sub(lambda sheet: "" if "{" in sheet[0] else sheet[0], text)


def with_text_for_tags(text: str, allowed: Set[str]) -> str:
    """Return HTML in which every tag that is not allowed, or is not written as a tag, is text.

    Args:
        text: Of a student's. It is read in a time that its length decides, as long as that is bounded.
        allowed: The names of the tags that stay.
    """
    parts, place = [], 0
    while (begins := text.find("<", place)) >= 0:
        parts.append(text[place:begins])
        place = begins
        if _PASTED.match(text, begins) and (ends := text.find("-->", begins)) >= 0:
            place = ends + 3
            continue
        tag = _TAG.match(text, begins)
        name = (tag["end"] or tag["name"]).lower() if tag else ""
        if tag and (name in allowed or name in _LOOKS):
            parts.append("" if name in _LOOKS else tag[0])
            place = tag.end()
        else:
            parts.append("&lt;")
            place += 1
    # An entity that is spelled out is one in a tag as well as beside it, so it stays as it is.
    return "".join([*parts, text[place:]])
