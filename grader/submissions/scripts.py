"""Read a Python script as a notebook: as nbconvert, jupytext and VS Code write them, or plain; or their Markdown."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from grader.submissions.light_scripts import HEADER, uncommented
from grader.submissions.light_scripts import cells_of as light_cells
from grader.submissions.loose_json import MAX_CELLS
from grader.submissions.magics import is_cell_magic, uncommented_magics
from grader.submissions.parsing import parse

_SCRIPT_CELL = re.compile(r"^#[ \t]*(?:%%(?P<rest>[^\n]*)|In\[[\d *]*\]:?[ \t]*)$", re.M)
#: The header says that the script has no marks but those of the light format.
_IS_LIGHT = re.compile(r"format_name: *light\b")

#: A line that opens or closes code in Markdown, with the language and what jupytext writes behind it.
_FENCE = re.compile(r"^ {0,3}(?P<fence>`{3,}+)[ \t]*+(?P<rest>[^`\n]*+)$", re.M)
_PYTHON = re.compile(r"\{?\.?i?(?:py|python)[\d.]*\b", re.I)
_DEFINITION = re.compile(r"^(?:async )?def \w+\(", re.M)


def read_fenced(text: str) -> dict[str, Any] | None:
    """Read a notebook that was saved as Markdown; None if it is none.

    A script may have fences in its docstrings: it parses, or else defines something outside of them.
    """
    if "```" not in text:
        return None
    cells: list[dict[str, Any]] = []
    for rest, piece in _pieces(text):
        code = rest is not None and bool(_PYTHON.match(rest) or (not rest and _DEFINITION.search(piece)))
        if not code and _DEFINITION.search(piece):
            return None
        if piece.strip():
            cells.append(_cell_of("code" if code else "markdown", piece.strip("\n"), rest or ""))
    defines = any(cell["cell_type"] == "code" and _DEFINITION.search(cell["source"]) for cell in cells)
    return {"cells": cells} if defines and parse(text) is None else None


def _pieces(text: str) -> Iterator[tuple[str | None, str]]:
    """Cut Markdown at its fences, up to a number of them: code, with what stands behind its fence, and the rest."""
    text, start = text.replace("\r\n", "\n"), 0
    opening: re.Match[str] | None = None
    for fence in islice(_FENCE.finditer(text), 2 * MAX_CELLS):
        if opening is None:
            yield None, text[start : fence.start()]
            opening, start = fence, fence.end()
        elif not fence["rest"] and len(fence["fence"]) >= len(opening["fence"]):
            yield opening["rest"].strip(), text[start : fence.start()]
            opening, start = None, fence.end()
    yield (opening["rest"].strip() if opening else None), text[start:]


def read_script(text: str, name: str) -> dict[str, Any] | None:
    """Read a Python script with `# %%`, `# In[1]:` or jupytext's `# +` between its cells; None if it is none."""
    text = re.sub(r"\A(#!.*\n)?(#.*coding[:=].*\n)?", "", text)
    header = HEADER.match(text.replace("\r\n", "\n"))
    told = header["lines"] if header else ""
    by_jupytext = "jupytext" in told
    # `# %%time` is a magic: in the light format jupytext makes a comment of it, and then it looks like a mark.
    found = (m for m in _SCRIPT_CELL.finditer(text) if not is_cell_magic((m["rest"] or "").split(" ")[0]))
    marks = [] if _IS_LIGHT.search(told) else list(islice(found, MAX_CELLS))
    if not marks and (light := light_cells(text)) is not None:
        spelled = ((kind, uncommented_magics(s, by_jupytext) if kind == "code" else s, rest) for kind, s, rest in light)
        return {"cells": [_cell_of(*cell) for cell in spelled]}
    if not marks and not (name.lower().endswith(".py") or re.search(r"^(async )?def \w+\(", text, re.M)):
        return None
    cells: list[dict[str, Any]] = []
    starts = [(0, "")] + [(m.end(), m.group("rest") or "") for m in marks]
    ends = [m.start() for m in marks] + [len(text)]
    for (start, rest), end in zip(starts, ends, strict=True):
        body = text[start:end].replace("\r\n", "\n").strip("\n")
        if re.search(r"\[(markdown|md|raw)\]", rest):
            cells.append(_cell_of("markdown", uncommented(body), rest))
            continue
        code, prose = _code_and_prose(uncommented_magics(body, by_jupytext))
        if code:
            cells.append(_cell_of("code", code, rest))
        # within a text cell an empty line is a comment too
        cells += [
            _cell_of("markdown", uncommented(part), "") for part in re.split(r"\n[ \t]*\n", prose) if part.strip()
        ]
    return {"cells": cells} if any(c["source"].strip() for c in cells) else None


def _cell_of(kind: str, source: str, rest: str) -> dict[str, Any]:
    """Make a cell of a script's piece, with the nbgrader mark that jupytext writes into the line above it.

    It wrote `{"nbgrader": {...}}` once, and writes `nbgrader={...}` today.
    """
    metadata = {}
    found = re.search(r'nbgrader=\{|"nbgrader": ?\{', rest)
    if found:
        mark = rest[found.end() :]
        with contextlib.suppress(ValueError, RecursionError):
            metadata["nbgrader"], _ = json.JSONDecoder().raw_decode("{" + mark)
    return {"cell_type": kind, "metadata": metadata, "source": source}


def _code_and_prose(body: str) -> tuple[str, str]:
    """Split a piece of nbconvert's script: the text of the next cell follows the code as comments."""
    lines = body.split("\n")
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    if not end and not any(line.startswith("# ") for line in lines):
        return "", ""
    return "\n".join(lines[:end]).strip("\n"), "\n".join(lines[end:]).strip("\n")
