"""Keep a spreadsheet from running what students wrote: they choose their names, their files' names and their messages.

A spreadsheet takes a cell of a CSV file that begins with one of a few characters for a formula, quoted or not. An
apostrophe in front makes it a text.
"""

from __future__ import annotations

# The apostrophe itself is among them so that `unguarded` gives back every text as it was.
_FORMULA_STARTS = ("=", "+", "-", "@", "|", "%", "\t", "\r", "'")


def guarded(text: str) -> str:
    """Return a text for a cell of a CSV file that no spreadsheet takes for a formula.

    A single minus sign stays as it is: Moodle writes it where there is no mark.
    """
    return f"'{text}" if text[:1] in _FORMULA_STARTS and text != "-" else text


def unguarded(text: str) -> str:
    """Return the text that `guarded` was given."""
    return text[1:] if text[:1] == "'" and text[1:2] in _FORMULA_STARTS else text
