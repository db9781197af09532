"""Show what is no tag or link to a page in a student's Markdown as it was typed: `<end>`, `if n<m and w>0`, `c[i](t)`.

Parsers take all of these for tags and addresses. A cleaner that leaves them out takes words of an answer along, and a
`<title>` even what follows it. So a tag stays only if the page knows its name and if it is written as a tag is, and a
link only if the page may have its address; all else becomes text. Nothing here makes anything safe: whatever stays is
cleaned afterwards, and text is text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Set
from html import escape, unescape
from urllib.parse import unquote

from nbconvert.filters.markdown_mistune import IPythonRenderer
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import JsonLexer

from grader.core.escaping import printable_line
from grader.feedback.bounds import STYLE_SHEET
from grader.feedback.colours import coloured

#: How the address of an image begins that is attached to the cell.
ATTACHMENT = "attachment:"
#: An address that holds an image.
_HELD = re.compile(r"data:image/[a-z]+;base64,", re.IGNORECASE)
#: Characters of the address of an image that are shown where it is no image. A text may ask for it many times.
_SHOWN_ADDRESS = 100
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
#: Names of Python behind a fence, whose code gets the colours of cells. Pygments' own lexer of it takes the square of a
#: text's length, as do those of shells, CSS and TeX; that of JSON goes through it once.
_PYTHON = frozenset({"python", "py", "python3", "py3", "pycon", "ipython", "ipython3"})
#: What Markdown takes for one piece with all that follows, blank lines as well.
_LONG = re.compile(r"\s*<(?:script|style|textarea|\?|!)", re.IGNORECASE)


class TypedTags(IPythonRenderer):
    """Renders Markdown, with the tags and links in it that are none to a page as text.

    Args:
        allowed: The names of the tags that a page knows.
        is_link: Returns whether a link on the page may have this address.
        is_attached: Returns whether there is an image of the cell under an address that begins with `ATTACHMENT`. Such
            an address stays in what is rendered.
    """

    def __init__(self, allowed: Set[str], is_link: Callable[[str], bool], is_attached: Callable[[str], bool]):
        super().__init__(escape=False, exclude_anchor_links=True)
        self.allowed = allowed - _TOKENS
        self.is_link, self.is_attached = is_link, is_attached
        #: The labels of definitions that the text asks for.
        self.asked_for = set[str]()
        #: Whether the text asks for an attached image that there is none of.
        self.missing = False

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """Return an image, or what was typed if it is an attached one that is missing; the others stay."""
        if url.startswith(ATTACHMENT) and not self.is_attached(url):
            self.missing = True
            return f"![{text}]({escape(unquote(url))})"
        # Not nbconvert's, to which any name with a blank is missing, and which then gives up the whole text.
        return super(IPythonRenderer, self).image(text, url, title)

    def is_target(self, url: str) -> bool:
        """Return whether a definition may have this address, of a link or an image."""
        return self.is_link(url) or self._is_image(url)

    def _is_image(self, url: str) -> bool:
        return bool(_HELD.match(url)) or (url.startswith(ATTACHMENT) and self.is_attached(url))

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """Return a link, or what was typed if its address is none: `c[i](t)`."""
        if self.is_link(url):
            return str(super().link(text, url, title))
        address = _as_typed(url)
        if unescape(text) == address:  # <ftp://...>
            return text
        shown = printable_line(address, _SHOWN_ADDRESS) if self._is_image(url) else address
        words = f' "{title}"' if title else ""
        return f"[{text}]({_text(shown + words)})"

    def definition(self, raw: str, label: str | None) -> str:
        """Return the line of a definition as it was typed, if it has no label or the text does not ask for that."""
        return "" if label in self.asked_for else f"<p>{_text(raw.strip())}</p>\n"

    def block_code(self, code: str, info: str | None = None) -> str:
        """Return code, in colours if its language is known here; other words beside its first fence are words.

        Any other language is among these. Its colours would come from a lexer that was made for an editor, such as one
        that takes the cube of a number of tabs.
        """
        typed, words = (info or "").strip(), (info or "").lower().split()
        # Not nbconvert's drawings of Mermaid, for which no page has the script: their tags would be gone.
        if typed in ("", "mermaid") or words == ["text"]:
            return str(super(IPythonRenderer, self).block_code(code))
        if words[0] in _PYTHON:
            shown = f"{coloured(code)}\n"
        elif words[0] == "json":
            shown = highlight(code, JsonLexer(), HtmlFormatter())
        else:
            return str(super(IPythonRenderer, self).block_code(f"{typed}\n{code}"))
        return shown if len(words) == 1 else f"<pre>{_text(typed)}</pre>\n{shown}"

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


def _text(typed: str) -> str:
    return escape(typed, quote=False)


def _as_typed(url: str) -> str:
    """Return an address without the spelling that a parser gives to its letters."""
    try:
        return unquote(url, errors="strict")
    except UnicodeDecodeError:
        return url


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
