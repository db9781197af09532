"""Read JSON that was damaged on its way, and find a notebook's cells in what it holds."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

#: Most cells that are kept, and most that are looked at to find out which matter.
MAX_CELLS, MAX_LISTED = 2000, 20_000
#: How much of a file broken in many places is searched for whole cells, as a multiple of its size.
_SEARCH = 20
#: Escapes that JSON knows, as many as follow each other, or a backslash that begins none.
_ESCAPES = re.compile(r"((?:\\(?:[\"\\/bfnrt]|u[0-9a-fA-F]{4}))++)|\\")
_CELL_START = re.compile(r"\{\s*\"(?:cell_type|attachments|execution_count|id|metadata|source|outputs|input)\"\s*:")


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < 20 else 0


def _decoder(strict: bool = True) -> json.JSONDecoder:
    return json.JSONDecoder(parse_int=_integer, parse_constant=lambda _: None, strict=strict)


def loads(text: str) -> Any:
    """Decode JSON that may have something in front of it or behind it.

    Raises:
        ValueError: If it does not hold together.
    """
    starts = [m.start() for m in (re.search(r"[\[{\"]", text), re.search(r"\{", text)) if m]
    for start in dict.fromkeys(starts):
        for strict in (True, False):  # line breaks inside of a text are no JSON, but leave no doubt
            try:
                content = _decoder(strict).raw_decode(text, start)[0]
            except RecursionError:
                break
            except ValueError:
                continue
            if not isinstance(content, str) or "cell" in content:  # else a quoted word in front of the notebook
                return content
            break
    raise ValueError("no JSON")


def whole(text: str) -> Any:
    """Return what a file's JSON holds; None if it does not hold together, or there are no cells in it."""
    try:
        content = loads(text)
        return None if cells_in(content) is None else content
    except ValueError:
        return None


def escaped(text: str) -> str:
    r"""Return JSON in which each backslash that begins no escape stands for itself, as in `\d` that somebody typed.

    They are read from left to right, since the second one of `\\` begins nothing.
    """
    return _ESCAPES.sub(lambda found: found[1] or r"\\", text)


def whole_cells(text: str) -> Iterator[dict[str, Any]]:
    """Yield the complete cells of a file that is no JSON as a whole."""
    decoder = _decoder(strict=False)
    position, budget, found = 0, _SEARCH * len(text) + 10_000, 0
    while budget > 0 and found < MAX_LISTED and (start := _CELL_START.search(text, position)):
        try:
            cell, end = decoder.raw_decode(text, start.start())
        except json.JSONDecodeError as error:
            budget -= error.pos - start.start() + 100 + error.pos // 8  # the error counts the lines in front of it
            position = start.start() + 1
            continue
        except RecursionError:
            budget -= 100_000
            position = start.start() + 1
            continue
        if isinstance(cell, dict) and isinstance(cell.get("cell_type"), str) and ("source" in cell or "input" in cell):
            found += 1
            yield cell
            position = end
        else:
            budget -= end - start.start() + 100
            position = start.start() + 1


def cells_in(content: Any, depth: int = 3) -> list[Any] | None:
    """Find the list of cells in what a file holds; None if there is none."""
    if depth == 0:
        return None
    if isinstance(content, str):
        return _cells_in_text(content, depth)
    if isinstance(content, list):
        return content if any(isinstance(c, dict) and "cell_type" in c for c in content) else None
    if not isinstance(content, dict):
        return None
    cells = _listed(content)
    if cells is not None:
        return _inner(cells, depth) or cells
    for key in ("content", "notebook", "nb"):  # Jupyter's own answer to a download, and what scripts make of it
        inner = cells_in(content.get(key), depth - 1)
        if inner is not None:
            return inner
    return None


def _cells_in_text(text: str, depth: int) -> list[Any] | None:
    """Find cells in a notebook that was written as a text within JSON."""
    try:
        return cells_in(loads(text), depth - 1) if "cell" in text else None
    except ValueError:
        return None


def _listed(content: dict[str, Any]) -> list[Any] | None:
    """Return the cells of a notebook: of format 4, or of all worksheets of an earlier one."""
    if isinstance(content.get("cells"), list):
        return list(content["cells"])
    if isinstance(content.get("worksheets"), list):
        sheets = [w for w in content["worksheets"] if isinstance(w, dict) and isinstance(w.get("cells"), list)]
        return [cell for sheet in sheets for cell in sheet["cells"]]
    return None


def _inner(cells: list[Any], depth: int) -> list[Any] | None:
    """Find a whole notebook that was pasted into a cell of another."""
    texts = [t for c in cells[:3] if isinstance(c, dict) and (t := text_of(c)) and t.strip()]
    if len(cells) <= 3 and len(texts) == 1 and texts[0].lstrip().startswith(("{", '"')):
        return cells_in(texts[0].strip(), depth - 1)
    return None


def text_of(cell: dict[str, Any]) -> str | None:
    """Return a cell's text; None if it has none."""
    for key in ("source", "input", "code", "text"):  # the last three: formats 2, 3 and 1
        value = cell.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "".join(line for line in value if isinstance(line, str))
    return None
