"""Markdown cells and docstrings as messages: paragraphs, headings, list items, table cells, entries."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from grader.languages.wrapping import wrapped

Translate = Callable[[str], str]


@dataclass
class Block:
    """A piece of a text: what is translated, with what stands before and after it.

    Args:
        before: What precedes it on its first line, such as `"## "` or `"- "`.
        text: The message, or None where the block is kept as it is in `before`.
        after: What follows it on its last line.
        kind: What it is, for the translator.
    """

    before: str
    text: str | None = None
    after: str = ""
    kind: str = ""


#: What a text consists of where it says nothing in any language.
_CODE, _MATH = r"`+[^`]*`+", r"\$\$.+?\$\$|(?<![\\\w])\$[^$\n]+\$"
_MARKUP = re.compile(rf"{_CODE}|{_MATH}|!\[[^\]]*\]\([^)]*\)|https?://\S+|<[^>]+>|&\w+;", re.S)
_ITEM = re.compile(r"(\s*(?:[-*+]|\d+[.)])\s+)(.*)")
_SUMMARY = re.compile(r"(\s*(?:<details[^>]*>)?\s*<summary>)(.*?)(</summary>.*)")
_BADGE = re.compile(r"\s*\[!\[[^\]]*\]\([^)]*\)\]\([^)]*\)\s*")


def says_something(text: str) -> bool:
    """Return whether there are words outside of code, formulas, pictures, addresses and tags."""
    return re.search(r"(?<!\$)\b[A-Za-z]{2,}", _MARKUP.sub(" ", text)) is not None


def markdown_blocks(source: str) -> list[Block]:
    """Split the source of a markdown cell into lines that stay and units that are translated."""
    blocks: list[Block] = []
    lines, at = source.split("\n"), 0
    while at < len(lines):
        line = lines[at]
        end = _verbatim(lines, at)
        if end > at:
            blocks += [Block(kept) for kept in lines[at:end]]
            at = end
            continue
        end = at + 1
        if line.lstrip().startswith("|"):
            blocks += _row(line)
        elif heading := re.match(r"(#{1,6}\s+)(.*)", line):
            blocks.append(_unit(heading[1], heading[2], "", "heading"))
        elif summary := _SUMMARY.fullmatch(line):
            blocks.append(_unit(summary[1], summary[2], summary[3], "summary of a folded answer or hint"))
        else:
            quote = (re.match(r"\s*>\s?", line) or [""])[0]
            item = _ITEM.match(line[len(quote) :])
            before = quote + (item[1] if item else (re.match(r"\s*", line[len(quote) :]) or [""])[0])
            while end < len(lines) and _goes_on(lines, end, quote):
                end += 1
            text = " ".join(part[len(quote) :].strip() for part in [quote + line[len(before) :], *lines[at + 1 : end]])
            kind = "list item" if item else "prediction" if "**Predict" in text else "paragraph"
            blocks.append(_unit(before, text, "", kind))
        at = end
    return blocks


def _unit(before: str, text: str, after: str, kind: str) -> Block:
    return Block(before, text, after, kind) if says_something(text) else Block(before + text + after)


def _verbatim(lines: list[str], at: int) -> int:
    """Return the line after a stretch that is not translated, which begins at a line; the same line if none does."""
    line = lines[at].strip()
    if line.startswith("```"):
        ends = (n for n in range(at + 1, len(lines)) if lines[n].strip().startswith("```"))
        return next(ends, len(lines) - 1) + 1
    if line.startswith("$$"):
        if line.count("$$") > 1:
            return at + 1 if line.endswith("$$") else at
        return next((n for n in range(at + 1, len(lines)) if "$$" in lines[n]), len(lines) - 1) + 1
    tags = re.fullmatch(r"(</?\w+[^>]*>\s*)+", line)
    ruled = re.fullmatch(r"\|?[\s:|-]+\|?", line)
    return at + 1 if not line or line == ">" or tags or ruled or _BADGE.fullmatch(line) else at


def _goes_on(lines: list[str], at: int, quote: str) -> bool:
    """Return whether a line continues the paragraph or item before it."""
    line = lines[at]
    if bool(quote) != line.lstrip().startswith(">") or _verbatim(lines, at) > at:
        return False
    rest = line[len(quote) :]
    return bool(rest.strip()) and not re.match(r"\s*(#{1,6}\s|\||[-*+]\s|\d+[.)]\s|<|```)", rest)


def _row(line: str) -> list[Block]:
    """Split a row of a table; the blocks of one line follow each other without a line break (`after` is not empty)."""
    cells = re.split(r"(?<!\\)\|(?![^`|]*`(?:[^`]*`[^`]*`)*[^`]*$)", line)
    blocks, before = [], cells[0] + "|"
    for cell in cells[1:-1]:
        text = cell.strip()
        lead = cell[: len(cell) - len(cell.lstrip())]
        tail = cell[len(cell.rstrip()) :] if text else ""
        block = _unit(before + lead, text, tail, "table cell")
        if block.text is None:
            before = block.before + "|"
        else:
            blocks.append(block)
            block.after += "|\0"
            before = ""
    if blocks:
        blocks[-1].after = blocks[-1].after[:-2] + "|" + before + cells[-1]
        return blocks
    return [Block(line)]


def in_markdown(source: str, translate: Translate) -> str:
    """Return a markdown cell with its units translated, each on one line."""
    parts = []
    for block in markdown_blocks(source):
        line = block.before + (translate(block.text) if block.text is not None else "") + block.after
        parts.append(line[:-1] if line.endswith("\0") else line + "\n")
    return "".join(parts)[:-1]


_SECTION = re.compile(r"\s*(Args|Returns|Raises|Yields|Example|Examples|Note|Notes):\s*")
_ENTRY = re.compile(r"(\s+(?:\*{0,2}[A-Za-z_]\w*|`[^`]+`)(?:, (?:\*{0,2}[A-Za-z_]\w*|`[^`]+`))*: )(.*)")


def docstring_blocks(text: str) -> list[Block]:
    """Split a docstring, cleaned of its indentation, into lines that stay and units that are translated."""
    blocks: list[Block] = []
    lines, at, sample, entries = text.split("\n"), 0, False, False
    while at < len(lines):
        line, end = lines[at], at + 1
        indent = re.match(r"\s*", line)[0]  # type: ignore[index]
        if _SECTION.fullmatch(line):
            sample, entries = line.strip().startswith("Example"), line.strip() in ("Args:", "Raises:")
            blocks.append(Block(indent, line.strip(), "", "heading of a section of a docstring"))
        elif not line.strip() or line.strip().startswith((">>>", "...")) or (sample and indent and _is_code(line)):
            blocks.append(Block(line))
        else:
            sample, entries = sample and bool(indent), entries and bool(indent)
            item = (_ENTRY.match(line) if entries else None) or _ITEM.match(line)
            before = item[1] if item else indent
            deeper = len(indent) + 1 if item else len(indent)
            while end < len(lines) and _same_entry(lines[end], deeper, bool(item), entries):
                end += 1
            words = " ".join([line[len(before) :].strip(), *(part.strip() for part in lines[at + 1 : end])])
            blocks.append(_unit(before, words, "", "docstring"))
        at = end
    return blocks


def _is_code(line: str) -> bool:
    return "`" not in line and not re.search(r"[.,:;] [a-z]|\b(the|is|are|gives?|returns?|raises?)\b", line)


def _same_entry(line: str, deeper: int, entry: bool, entries: bool) -> bool:
    indent = len(line) - len(line.lstrip())
    if not line.strip() or _SECTION.fullmatch(line) or line.strip().startswith(">>>"):
        return False
    if entry:
        return indent >= deeper
    return indent == deeper and not (entries and _ENTRY.match(line)) and not _ITEM.match(line)


def in_docstring(text: str, translate: Translate, room: int) -> str:
    """Return a cleaned docstring with its units translated and wrapped."""
    lines = []
    for block in docstring_blocks(text):
        if block.text is None:
            lines.append(block.before)
            continue
        hanging = 4 if block.before.strip() else 0
        indent = " " * (len(block.before) - len(block.before.lstrip()) + hanging)
        said = wrapped(translate(block.text), room - len(block.before))
        lines += [block.before + said[0], *(indent + more for more in said[1:])]
    return "\n".join(lines)
