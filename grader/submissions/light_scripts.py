"""Read jupytext's light format: a script whose paragraphs are cells, with `# +` and `# -` around longer ones."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from grader.submissions.loose_json import MAX_CELLS
from grader.submissions.parsing import parse

#: A kind of cell, its source, and what its mark says.
Read = tuple[str, str, str]

#: What jupytext writes at the top of a script, as comments.
HEADER = re.compile(r"\A\s*# ---\n(?P<lines>(?:#.*\n){1,100}?)# ---\n")
# A list's item begins with `# + ` too, but no item looks like metadata.
_BEGIN = re.compile(r"# \+(?P<rest>(?:[ \t]+(?:\[(?:markdown|md|raw)\]|\{|[\w.-]+=).*)?)[ \t]*")
_END = re.compile(r"# -[ \t]*")
#: A heading of Markdown among comments, or between quotes as Colab writes it: a notebook's texts are in the script.
_HEADING = re.compile(r'^(?:# |""")#{1,6} \S', re.M)
#: A line that Colab writes as it stands: it is no Python.
_MAGIC = re.compile(r"^[ \t]*[!%]", re.M)
_IS_TEXT = re.compile(r'\[(?:markdown|md|raw)\]|"cell_type": ?"(?:markdown|raw)"')
#: A line of IPython's that jupytext made a comment of.
_COMMENTED_MAGIC = re.compile(r"#[ !](?:(?:[\w.]+ = )?%{1,2}[a-zA-Z]|![a-zA-Z])")


def cells_of(text: str) -> list[Read] | None:
    """Return the cells of a script in the light format, with marks or without; None if nothing says that it is one."""
    text = text.replace("\r\n", "\n")
    header = HEADER.match(text)
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
    """Cut what has no marks at its empty lines: comments or a string alone are a text, and a statement is never cut."""
    lines = body.split("\n")
    tree = parse(body) or parse(_MAGIC.sub(r"#\g<0>", body))
    within: set[int] = set() if tree else _within_quotes(lines)
    for node in tree.body if tree else ():
        within.update(range(node.lineno, node.end_lineno or node.lineno))
    part: list[str] = []
    for number, line in enumerate([*lines, ""]):
        after = next((n for n in lines[number : number + 4] if n.strip()), "")
        goes_on = number in within or (not tree and after.startswith((" ", "\t", ")", "]", "}")))
        if line.strip() or (part and goes_on and number < len(lines)):
            part.append(line)
        elif part:
            yield _paragraph(part)
            part = []


def _paragraph(lines: list[str]) -> Read:
    text = "\n".join(lines).strip("\n")
    if all(line.startswith("#") for line in lines) and not _COMMENTED_MAGIC.match(text):
        return "markdown", uncommented(text), ""
    if text.startswith('"""') and (tree := parse(text)) and len(tree.body) == 1:
        value = tree.body[0].value if isinstance(tree.body[0], ast.Expr) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            return "markdown", value.value.strip(), ""
    return "code", text, ""


def _within_quotes(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that go on with a text between quotes; for code that cannot be parsed."""
    within: set[int] = set()
    opened = False
    for number, line in enumerate(lines):
        ends = line.rstrip().endswith('"""')
        if opened:
            within.add(number)
            opened = not ends
        else:
            opened = line.startswith('"""') and not (ends and len(line.rstrip()) >= 6)
    return within


def uncommented(text: str) -> str:
    """Return a text that a script holds as comments, or between quotes."""
    return "\n".join(re.sub(r"^# ?", "", line) for line in text.strip().strip('"').split("\n"))
