"""Read jupytext's light format: a script whose paragraphs are cells, with `# +` and `# -` around longer ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

from grader.submissions.loose_json import MAX_CELLS
from grader.submissions.parsing import parse

#: A kind of cell, its source, and what its mark says.
Read = tuple[str, str, str]

_HEADER = re.compile(r"\A\s*# ---\n(?P<lines>(?:#.*\n){1,100}?)# ---\n")
# A list's item begins with `# + ` too, but no item looks like metadata.
_BEGIN = re.compile(r"# \+(?P<rest>(?:[ \t]+(?:\[(?:markdown|md|raw)\]|\{|[\w.-]+=).*)?)[ \t]*")
_END = re.compile(r"# -[ \t]*")
#: A heading of Markdown among comments: the texts of a notebook are in this script.
_HEADING = re.compile(r"^# #{1,6} \S", re.M)
_IS_TEXT = re.compile(r'\[(?:markdown|md|raw)\]|"cell_type": ?"(?:markdown|raw)"')
#: A line of IPython's that jupytext made a comment of.
_COMMENTED_MAGIC = re.compile(r"# (?:%{1,2}[a-zA-Z]|![a-zA-Z])")


def cells_of(text: str) -> list[Read] | None:
    """Return the cells of a script in the light format, with marks or without; None if nothing says that it is one."""
    text = text.replace("\r\n", "\n")
    header = _HEADER.match(text)
    lines = text[header.end() if header else 0 :].split("\n")
    begins = any(_is_begin(lines, number) for number in range(len(lines)))
    if not begins and not (header and "jupytext" in header["lines"]) and not _HEADING.search(text):
        return None
    cells = [cell for cell in _cells(lines) if cell[1].strip()]
    return cells or None


def _is_begin(lines: list[str], number: int) -> bool:
    """Return whether a line begins a cell: `# +` alone within a text is a part of that."""
    begin = _BEGIN.fullmatch(lines[number]) if lines[number].startswith("# +") else None
    if begin is None:
        return False
    return (
        bool(begin["rest"].strip())
        or not number
        or not lines[number - 1].strip()
        or bool(_END.fullmatch(lines[number - 1]))
    )


def _cells(lines: list[str]) -> Iterator[Read]:
    start, rest, opened = 0, "", False
    marks = 0
    for number, line in enumerate(lines):
        begins = _is_begin(lines, number)
        if marks > MAX_CELLS or not (begins or (opened and _END.fullmatch(line))):
            continue
        yield from _cell(lines[start:number], rest, opened)
        start, opened, marks = number + 1, begins, marks + 1
        rest = line[len("# +") :] if begins else ""
    yield from _cell(lines[start:], rest, opened)


def _cell(lines: list[str], rest: str, marked: bool) -> Iterator[Read]:
    body = "\n".join(lines).strip("\n")
    if not marked:
        yield from _paragraphs(body)
    elif _IS_TEXT.search(rest):
        yield "markdown", uncommented(body), rest
    else:
        yield "code", body, rest


def _paragraphs(body: str) -> Iterator[Read]:
    """Cut what has no marks at its empty lines: comments alone are a text, and a statement is never cut."""
    lines = body.split("\n")
    tree = parse(body)
    within: set[int] = set()
    for node in tree.body if tree else ():
        within.update(range(node.lineno, node.end_lineno or node.lineno))
    part: list[str] = []
    for number, line in enumerate([*lines, ""]):
        after = next((n for n in lines[number : number + 4] if n.strip()), "")
        goes_on = number in within if tree else after.startswith((" ", "\t", ")", "]", "}"))
        if line.strip() or (part and goes_on and number < len(lines)):
            part.append(line)
        elif part:
            text = "\n".join(part).strip("\n")
            prose = all(n.startswith("#") for n in part) and not _COMMENTED_MAGIC.match(part[0])
            yield ("markdown", uncommented(text), "") if prose else ("code", text, "")
            part = []


def uncommented(text: str) -> str:
    """Return a text that a script holds as comments, or between quotes."""
    return "\n".join(re.sub(r"^# ?", "", line) for line in text.strip().strip('"').split("\n"))
