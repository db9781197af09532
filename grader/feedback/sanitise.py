"""Make students' HTML, Markdown and images safe: nothing in them may run, load, hide or cover anything."""

from __future__ import annotations

import base64
import binascii
import html
import re

import bleach
from bleach.css_sanitizer import CSSSanitizer
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

IMAGES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
_TAGS = """
a abbr b blockquote br caption code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i
img ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var
"""
TAGS = frozenset(_TAGS.split())
ATTRIBUTES = {
    "*": {"class", "dir", "lang", "style", "title"},
    "a": {"href"},
    "img": {"alt", "height", "src", "width"},
    "ol": {"start"},
    "td": {"colspan", "headers", "rowspan"},
    "th": {"colspan", "headers", "rowspan", "scope"},
}
# Nothing that takes an element out of its place: a student's box shall not cover the points.
_STYLES = """
background-color border border-bottom border-collapse border-color border-left border-right border-spacing border-style
border-top border-width caption-side color font-family font-size font-style font-weight height line-height max-width
min-width padding padding-bottom padding-left padding-right padding-top text-align text-decoration text-indent
vertical-align white-space width
"""
STYLES = frozenset(_STYLES.split())
IMAGE_SOURCE = re.compile(r"data:image/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/=\s]+")
LINK = re.compile(r"(?:https?://|mailto:|#).*", re.IGNORECASE | re.DOTALL)


def _allowed(tag: str, name: str, value: str) -> bool:
    if name not in ATTRIBUTES["*"] | ATTRIBUTES.get(tag, set()):
        return False
    if name == "src":
        return IMAGE_SOURCE.fullmatch(value) is not None
    if name == "class":  # the colours of code; not the classes that the page gives to points and messages
        return re.fullmatch(r"highlight|[a-z][a-z0-9]?", value) is not None
    return name != "href" or LINK.fullmatch(value.strip()) is not None


def clean_html(text: str) -> str:
    """Remove from HTML everything that can run, load, hide or cover something.

    Args:
        text: HTML of a student's.

    Returns:
        HTML with the plain tags of text, tables and embedded PNG and JPEG images. Headings are two levels lower, under
        those of the page.
    """
    # The text inside these would be left behind as text.
    text = re.sub(r"(?is)<(script|style|title|template|noscript)\b.*?(?:</\1\s*>|\Z)", "", text)
    cleaned = bleach.clean(
        text,
        tags=TAGS,
        attributes=_allowed,
        protocols={"http", "https", "mailto", "data"},
        strip=True,
        css_sanitizer=CSSSanitizer(allowed_css_properties=STYLES, allowed_svg_properties=()),
    )
    cleaned = re.sub(r"<img(?![^>]*\ssrc=)([^>]*)>", _alternative, cleaned)
    return re.sub(r"<(/?)h([1-6])\b", lambda m: f"<{m[1]}h{min(6, int(m[2]) + 2)}", cleaned)


def _alternative(image: re.Match) -> str:
    """Return the alternative text of an image that was not let in, instead of a browser's broken-image icon."""
    text = re.search(r'\salt="([^"]*)"', image[1])
    return text[1] if text else ""


def student_markdown(cell: NotebookNode | str) -> str:
    """Return a Markdown cell, or a comment, as clean HTML."""
    source = cell if isinstance(cell, str) else cell.source
    attachments = {} if isinstance(cell, str) else cell.get("attachments", {})
    try:
        renderer = IPythonRenderer(escape=False, attachments=attachments, exclude_anchor_links=True)
        return clean_html(MarkdownWithMath(renderer=renderer).render(source))
    except Exception:  # a lost image, or text on which the renderer stumbles: show what was typed
        return f"<pre>{html.escape(source)}</pre>"


def is_image(kind: str, data: object) -> bool:
    """Return whether data really are a PNG or JPEG image of the kind that they claim to be."""
    if kind not in IMAGES or not isinstance(data, str):
        return False
    try:
        return base64.b64decode("".join(data.split()), validate=True).startswith(IMAGES[kind])
    except (binascii.Error, ValueError):
        return False
