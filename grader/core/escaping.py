"""What students wrote, in the form that each target shows as nothing but text: the one place that knows how.

A message of an error, a file's name or an answer can hold whatever its author likes: sequences that drive a terminal,
marks that make text run from right to left, Markdown, tags, formulas of a spreadsheet. For a page use `html.escape` or
`feedback.sanitise`, a table (`csv_files.csv_text`) does it for each of its
cells; this module has the rest.
"""

from __future__ import annotations

import re
import unicodedata

#: What joins pictures, and the letters of Persian and of languages of India or keeps them apart.
_JOINERS = "\u200c\u200d"
#: Characters of one sentence about a submission.
MAX_SENTENCE = 1_000
#: Marks on one letter. Vietnamese has two, Hebrew with its points and Thai three.
MAX_MARKS = 4
#: Letters and signs that look like nothing at all.
_BLANKS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
#: What could begin or end something in Markdown, wherever it stands in a line, and what could at the line's beginning.
_MARKS = re.compile(r"[\\`*_\[\]<>&#|~$!^]|(?<=:)//|@|(?<=\bwww)\.|^[-+=:](?=.)|(?<=\d)[.)](?=\s|$)", re.IGNORECASE)
#: What begins a formula, even as an entity, because formulas are set after Markdown is; a wide form does not.
_FORMULAS = re.compile(r"\$|\\(?=[()\[\]]|begin)")
_WIDE = {"$": "\uff04", "\\": "\uff3c"}
#: Blanks that somebody who looks at a table, or a program that reads it, may take for none.
_OUTER_BLANK = re.compile(r"^ | $")
#: How `spelled` writes a character.
_SPELLED = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U00(?:0[0-9a-f]|10)[0-9a-f]{4})")
# Shown on a page, since they may be part of a trick on a terminal into which somebody copies the page.
_CONTROLS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 127, *range(128, 160)], "?")
#: Marks that change the direction of what follows, on a page far beyond the text that holds them.
_DIRECTIONS = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)], "?")
#: Those that keyboards and editors write into Hebrew and Arabic, which is read as well without them.
_WRITTEN = re.compile("[\u061c\u200e\u200f]")
_LEFTWARD = re.compile("[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


def without_controls(text: str) -> str:
    """Return a text of several lines that can be shown and written: no control characters, no marks of direction."""
    if _LEFTWARD.search(text):
        text = _WRITTEN.sub("", text)
    # A lone surrogate, which JSON can spell, has no UTF-8.
    return few_marks(text.encode("utf-8", "replace").decode("utf-8").translate(_CONTROLS | _DIRECTIONS))


def as_printed(text: str) -> str:
    """Return a printed text as JupyterLab shows it: what is drawn anew on its line stands in place of what was there.

    A backspace takes away the character before it, and what follows a carriage return is written over its line. Keras
    draws its bar anew by both, tqdm by the latter.
    """
    if "\b" not in text and "\r" not in text:
        return text
    return "\n".join(_drawn(line) if "\b" in line or "\r" in line else line for line in text.split("\n"))


def _drawn(line: str) -> str:
    kept: list[str] = []
    for char in line:
        if char != "\b":
            kept.append(char)
        elif kept:
            kept.pop()
    shown = ""
    for part in reversed("".join(kept).split("\r")):
        shown += part[len(shown) :]  # what no later part was written over
    return shown


def few_marks(text: str, before: str = "") -> str:
    """Return a text in which no letter has more marks above, below and through it than a language puts there.

    Hundreds of them on one letter paint over the lines around it, and take no place in a line that is cut by its width.

    Args:
        text: Of anybody's.
        before: What the text is shown behind; empty if that is nothing that a mark could be put onto.
    """
    if text.isascii():
        return text
    kept, marks = [], MAX_MARKS if before else 0
    for char in text:
        marks = marks + 1 if unicodedata.category(char)[0] == "M" else 0
        if marks <= MAX_MARKS:
            kept.append(char)
        elif marks == MAX_MARKS + 1:
            kept.append("\ufffd")
    return "".join(kept)


def printable_line(text: str, most: int = MAX_SENTENCE) -> str:
    """Return one line that a terminal prints as it stands: nothing in it moves, hides, colours or reverses anything.

    Args:
        text: Of anybody's.
        most: Its most characters.
    """
    kept = "".join(" " if char.isspace() else _visible(char) for char in text[: 2 * most])
    line = few_marks(" ".join(kept.split()), before=" ")
    return line if len(line) <= most else line[: most - 4] + " ..."


def _hidden(char: str) -> bool:
    return (unicodedata.category(char)[0] in "CZ" and char != " ") or char in _BLANKS


#: What looks like a double quotation mark, and so like the end of words that stand in such marks.
DOUBLE_QUOTES = (
    '"\u00ab\u00bb\u02ba\u02dd\u02ee\u201c\u201d\u201e\u201f\u2033\u2036\u275d\u275e\u2760\u301d\u301e\u301f\uff02'
)


def _visible(char: str) -> str:
    return "\ufffd" if _hidden(char) else char


def spelled(text: str) -> str:
    r"""Return a text in full with what does not print spelled out (`\x1b`, `\u202e`), so that no two look the same.

    Marks beyond those that a language puts onto a letter, and a blank at either end, are spelled out too. `unspelled`
    gives back every text.
    """
    kept, marks = [], MAX_MARKS  # of the cell's or line's beginning, which is nothing to put a mark onto
    for char in _SPELLED.sub(lambda found: rf"\x5c{found[0][1:]}", text):
        marks = marks + 1 if unicodedata.category(char)[0] == "M" else 0
        kept.append(_code(char) if _hidden(char) or marks > MAX_MARKS else char)
    return _OUTER_BLANK.sub(lambda blank: _code(blank[0]), "".join(kept))


def unspelled(text: str) -> str:
    """Return the text that `spelled` was given."""
    return _SPELLED.sub(lambda found: chr(int(found[0][2:], 16)), text)


def visible(text: str) -> str:
    """Return a text, as long as it was, in which a sign stands for each character that does not print.

    For names that cannot be spelled out, since a backslash is a folder's end to some: those in archives.
    """
    return few_marks("".join(map(_visible, text)))


def _code(char: str) -> str:
    number = ord(char)
    return rf"\x{number:02x}" if number < 0x100 else rf"\u{number:04x}" if number < 0x10000 else rf"\U{number:08x}"


def markdown_line(text: str) -> str:
    """Return one line for Markdown that any renderer shows as it is: what is a mark there becomes an entity."""
    line = _FORMULAS.sub(lambda mark: _WIDE[mark[0]], printable_line(text))
    return _MARKS.sub(lambda mark: "".join(f"&#{ord(char)};" for char in mark[0]), line)


def markdown_block(text: str) -> str:
    """Return a text of several lines for Markdown, as a block of code that nothing in it can end."""
    lines = without_controls(text).expandtabs().splitlines() or [""]
    shown = ("".join(" " if c.isspace() else c if c in _JOINERS else _visible(c) for c in line) for line in lines)
    return "\n".join(f"    {line}".rstrip() for line in shown)
