"""Which CSS declarations a student may use: those that colour and space a piece, in sizes that stay inside of it."""

from __future__ import annotations

import re
from collections.abc import Iterator

#: Characters of one style attribute that are looked at.
_LONGEST = 1_000
_COLOUR = r"(?:#[0-9a-f]{3,8}|[a-z]{3,20}|(?:rgb|rgba|hsl|hsla)\([0-9.,%/ ]{1,40}\))"
_WORD = r"[a-z-]{1,20}"
#: Up to 99 pixels, 4 characters or 100 per cent.
_SMALL = r"(?:0|\d{1,2}(?:\.\d{1,3})?(?:px|pt)|[0-4]?(?:\.\d{1,3})?r?em|[0-3](?:\.\d{1,3})?r?em)"
_SPACE = rf"{_SMALL}(?: {_SMALL}){{0,3}}"
_WIDTH = r"(?:auto|0|\d{1,3}px|\d{1,2}(?:\.\d{1,2})?r?em|(?:100|\d{1,2}(?:\.\d{1,2})?)%)"
_LINE = rf"(?:none|(?:[0-9](?:\.\d)?px |thin |medium )?(?:solid|dotted|dashed|double)(?: {_COLOUR})?)"
_FORMS = {
    **dict.fromkeys(("background-color", "color", "border-color"), _COLOUR),
    **dict.fromkeys(("border", "border-top", "border-right", "border-bottom", "border-left"), _LINE),
    **dict.fromkeys(("padding", "padding-top", "padding-right", "padding-bottom", "padding-left"), _SPACE),
    **dict.fromkeys(("width", "max-width", "min-width", "height"), _WIDTH),
    **dict.fromkeys(
        ("border-collapse", "border-style", "caption-side", "font-style", "text-align", "text-decoration"), _WORD
    ),
    "border-width": r"(?:0|[0-9](?:\.\d)?px)",
    "border-spacing": _SMALL,
    # A browser asks the system for each other name.
    "font-family": r"(?:serif|sans-serif|monospace|cursive|fantasy|system-ui)",
    # No smaller than can be read, no larger than a heading.
    "font-size": r"(?:small|medium|large|smaller|larger|1[0-9]px|2[0-9]px|9pt|1[0-9]pt|(?:0\.[6-9]|1|1\.\d{1,2}|2)r?em"
    r"|(?:[6-9]\d|1\d\d|200)%)",
    "font-weight": r"(?:normal|bold|bolder|lighter|[1-9]00)",
    "line-height": r"(?:normal|1|1\.\d{1,3}|2(?:\.\d)?|1[0-9]\d%|[1-4]\dpx)",
    "vertical-align": r"(?:baseline|top|middle|bottom|sub|super)",
    "white-space": r"(?:normal|nowrap|pre|pre-wrap|pre-line)",
}
_CHECKED = {name: re.compile(form) for name, form in _FORMS.items()}


def safe_style(style: str) -> str:
    """Return the declarations of a style attribute that are on the list, with a value that is.

    Args:
        style: What a student wrote. A line of nothing with letters of a thousand pixels would be painted over whatever
            is beside it.
    """
    return ";".join(_safe(style[:_LONGEST]))


def _safe(style: str) -> Iterator[str]:
    for declaration in style.split(";"):
        name, colon, value = declaration.partition(":")
        name, value = name.strip().lower(), " ".join(value.lower().replace("!important", "").split())
        if colon and name in _CHECKED and _CHECKED[name].fullmatch(value):
            yield f"{name}:{value}"
