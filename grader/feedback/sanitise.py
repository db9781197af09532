"""Make students' HTML, Markdown and images safe: nothing in them may run, load, hide or cover anything."""

from __future__ import annotations

import base64
import binascii
import html
import logging
import re

import nh3
from nbconvert.filters.markdown_mistune import InvalidNotebook, IPythonRenderer, MarkdownWithMath
from nbformat import NotebookNode

logger = logging.getLogger(__name__)

IMAGES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}
_TAGS = """
a abbr b blockquote br caption code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i
img ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul var
"""
TAGS = frozenset(_TAGS.split())
# The text inside these is no text of the page; of other elements that are not allowed the text stays.
DROPPED_WHOLE = frozenset({"script", "style", "title", "template", "noscript"})
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
# Shown, since they may be part of a trick on a terminal into which somebody copies the page.
CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32)], "?")
CODE_CLASS = re.compile(r"highlight|[a-z][a-z0-9]?")
# What the cleaner writes: every attribute in double quotes, with none inside. The whole tag is matched, attributes and
# all, because a student may write > and even a tag into an attribute.
ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')
OPENING = re.compile(r'<img((?: [a-z]+="[^"]*")*)>')
HEADING = re.compile(r"(</?h)([1-6])\b")
LINK = re.compile(r"(?:https?://|mailto:|#).*", re.IGNORECASE | re.DOTALL)


def clean_html(text: str) -> str:
    """Remove from HTML everything that can run, load, hide or cover something.

    Args:
        text: HTML of a student's.

    Returns:
        HTML with the plain tags of text, tables and embedded images. Headings are two levels lower, below those of the
        page, and an image that was not let in is replaced by its alternative text.
    """
    # A lone surrogate, which JSON can spell, has no UTF-8, neither for the cleaner nor for the page.
    text = text.encode("utf-8", "replace").decode("utf-8").translate(CONTROLS)
    return OPENING.sub(_image_or_text, HEADING.sub(_lower, _CLEANER.clean(text)))


def _checked(tag: str, name: str, value: str) -> str | None:
    """Return the value of an attribute that is on the list, or None if this value is not let in."""
    if name == "src":
        return value if IMAGE_SOURCE.fullmatch(value) else None
    if name == "class":  # the colours of code; not the classes that the page gives to points and messages
        return value if CODE_CLASS.fullmatch(value) else None
    if name == "href":
        return value if LINK.fullmatch(value.strip()) else None
    return value


_CLEANER = nh3.Cleaner(
    tags=set(TAGS),
    clean_content_tags=set(DROPPED_WHOLE),
    attributes=ATTRIBUTES,
    attribute_filter=_checked,
    filter_style_properties=set(STYLES),
    url_schemes={"http", "https", "mailto", "data"},
    link_rel=None,
)


def _lower(tag: re.Match[str]) -> str:
    return f"{tag[1]}{min(6, int(tag[2]) + 2)}"


def _image_or_text(image: re.Match[str]) -> str:
    """Return an image as it is, or the alternative text of one that lost its source, not a broken-image icon."""
    attributes = dict(ATTRIBUTE.findall(image[1]))
    # Whether the cleaner escapes < and > in an attribute depends on its version; in text they would make tags.
    return image[0] if "src" in attributes else html.escape(html.unescape(attributes.get("alt", "")), quote=False)


def student_markdown(cell: NotebookNode | str) -> str:
    """Return a Markdown cell, or a comment, as clean HTML."""
    source = cell if isinstance(cell, str) else cell.source
    attachments = {} if isinstance(cell, str) else cell.get("attachments", {})
    try:
        renderer = IPythonRenderer(escape=False, attachments=attachments, exclude_anchor_links=True)
        return clean_html(MarkdownWithMath(renderer=renderer).render(source))
    except InvalidNotebook:  # an attached image is missing
        pass
    except Exception:
        logger.warning("Markdown could not be rendered; the page shows it as it was typed", exc_info=True)
    return f"<pre>{html.escape(source)}</pre>"


def is_image(kind: str, data: object) -> bool:
    """Return whether data really are a PNG or JPEG image of the kind that they claim to be."""
    if kind not in IMAGES or not isinstance(data, str):
        return False
    try:
        return base64.b64decode("".join(data.split()), validate=True).startswith(IMAGES[kind])
    except (binascii.Error, ValueError):
        return False
