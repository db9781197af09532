"""Read what a student handed in, however the file was damaged on its way."""

from __future__ import annotations

import codecs
import contextlib
import json
import re
from collections.abc import Iterator
from itertools import islice, product
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from grader.core.findings import Finding, Level
from grader.submissions.intake import MAX_BYTES, printable

#: Most cells that are read, most characters of one, deepest nesting of metadata, most entries on one level.
MAX_CELLS, MAX_SOURCE, MAX_DEPTH, MAX_ENTRIES = 2000, 200_000, 12, 200
#: Most characters of all cells together.
MAX_TEXT = 1_000_000
#: How much of a file broken in many places is searched for whole cells, as a multiple of its size.
_SEARCH = 20

_BOMS = (  # the longer ones first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_CELL_START = re.compile(r"\{\s*\"(?:cell_type|attachments|execution_count|id|metadata|source|outputs|input)\"\s*:")
_SCRIPT_CELL = re.compile(r"^#[ \t]*(?:%%(?P<rest>[^\n]*)|In\[[\d *]*\]:?[ \t]*)$", re.M)
_PICTURES = ("image/png", "image/jpeg", "image/gif")
_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class _NotANotebookError(Exception):
    """What the file is instead; a full sentence."""


def read_submission(data: bytes, name: str) -> tuple[NotebookNode | None, list[Finding]]:
    """Read a submission's file as a notebook of format 4.5 without outputs.

    Args:
        data: The bytes of the file.
        name: Its name, for the findings; an ending `.py` counts as a script.

    Returns:
        The notebook, or None if nothing can be made of the file, and what was noticed.
    """
    shown = printable(name)
    findings: list[Finding] = []

    def repaired(kind: str, text: str) -> None:
        findings.append(Finding(kind, shown, text))

    try:
        if not data.strip(b"\0 \t\r\n"):
            raise _NotANotebookError(f"{shown} is empty.")
        if len(data) > MAX_BYTES:
            raise _NotANotebookError(f"{shown} has more than {MAX_BYTES // 2**20} MB.")
        text = _decoded(data, shown, repaired)
        content = _content(text, name, shown, repaired)
        nb = _as_notebook(content, shown, findings)
    except _NotANotebookError as error:
        findings.append(Finding("unreadable", shown, str(error), Level.LOST))
        return None, findings
    except (RecursionError, MemoryError, ValueError, TypeError, KeyError, AttributeError) as error:
        # The steps above foresee what a file can hold; what they do not foresee must not stop the class.
        text = f"{shown} cannot be read as a notebook ({type(error).__name__})."
        findings.append(Finding("unreadable", shown, text, Level.LOST))
        return None, findings
    return nb, findings


# Bytes to text


def _decoded(data: bytes, shown: str, repaired: Any) -> str:
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            repaired("encoding", f"{shown} was saved with a byte order mark ({encoding}); it was read all the same.")
            text = data.decode(encoding, errors="replace")
            break
    else:
        text = _decoded_without_mark(data, shown, repaired)
    if "\0" in text:
        repaired("nul-bytes", f"{shown} held NUL bytes; they were taken out.")
        text = text.replace("\0", "")
    return text


def _decoded_without_mark(data: bytes, shown: str, repaired: Any) -> str:
    head = data[:400]
    if head.count(0) * 3 >= len(head):  # ASCII in wide characters is mostly zeros
        wide = "utf-32" if head.count(0) * 3 >= 2 * len(head) else "utf-16"
        encoding = wide + ("-be" if head[0] == 0 else "-le")
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            pass
        else:
            repaired("encoding", f"{shown} was saved as {encoding}; it was read all the same.")
            return text
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        repaired("encoding", f"{shown} is not saved as UTF-8; it was read as Western European text (Windows-1252).")
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


# Text to what the JSON says


def _integer(digits: str) -> int:
    return int(digits) if len(digits) < 20 else 0


def _decoder(strict: bool = True) -> json.JSONDecoder:
    return json.JSONDecoder(parse_int=_integer, parse_constant=lambda _: None, strict=strict)


def _loads(text: str) -> Any:
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


def _content(text: str, name: str, shown: str, repaired: Any) -> Any:
    """Find the notebook's JSON, or make it from a script or from what is left of the file."""
    stripped = text.strip()
    if re.match(r"<(!doctype|html|\?xml)", stripped, re.I):
        raise _NotANotebookError(f"{shown} is a web page, not a notebook; download the file itself.")
    if stripped.startswith(("%PDF", "PK\x03\x04", "\x1f\x8b", "\x89PNG")):
        raise _NotANotebookError(f"{shown} is not a notebook but a file of another kind (PDF, archive or picture).")
    if stripped.startswith("version https://git-lfs"):
        raise _NotANotebookError(f"{shown} only points to a file that was not handed in (Git LFS).")
    if not stripped.startswith(("{", "[", '"', "<<<<<<<")):
        script = _script(text, name)
        if script is not None:
            repaired("script", f"{shown} is a Python script; it was read as a notebook.")
            return script
    if "<<<<<<<" in text and len(_conflicts(text)) > 1:
        content = _merged(text)
        if content is not None:
            repaired("merge-conflict", f"{shown} held an unresolved merge conflict; one side of it was taken.")
            return content
    try:
        content = _loads(text)
        if _cells_in(content) is not None:
            if stripped[-1:] not in '}]"' or not stripped.startswith(("{", "[", '"')):
                repaired("stray-text", f"{shown} held other text before or behind the notebook; it was left out.")
            return content
    except ValueError:
        content = None
    cells = list(_whole_cells(text))
    if cells:
        text = f"{shown} is damaged; {len(cells)} complete cells were read from it, and the rest was left out."
        repaired("broken-json", text)
        return {"cells": cells}
    script = _script(text, name)
    if script is not None:
        repaired("script", f"{shown} is a Python script; it was read as a notebook.")
        return script
    raise _NotANotebookError(f"{shown} is not a notebook, and no cell can be found in it.")


def _conflicts(text: str) -> list[str | tuple[str, str]]:
    """Part a text into what stands outside of merge conflicts and the two sides of each."""
    parts: list[str | tuple[str, str]] = []
    plain: list[str] = []
    ours: list[str] = []
    theirs: list[str] = []
    into = plain
    for line in text.splitlines(keepends=True):
        mark = line[:7]
        if mark == "<<<<<<<" and into is plain:
            into = ours
        elif mark == "|||||||" and into is ours:
            into = []  # what both sides started from
        elif mark == "=======" and into is not plain and into is not theirs:
            into = theirs
        elif mark == ">>>>>>>" and into is theirs:
            parts += ["".join(plain), ("".join(ours), "".join(theirs))]
            plain, ours, theirs = [], [], []
            into = plain
        else:
            into.append(line)
    return [*parts, "".join(plain)]


def _merged(text: str) -> Any:
    """Resolve merge conflicts by a choice of sides that gives a notebook; of several the one with fewer stubs."""
    parts = _conflicts(text)
    count = len(parts) // 2
    choices = [(0,) * count, (1,) * count, *(product((0, 1), repeat=count) if 1 < count <= 5 else ())]
    best: tuple[int, Any] | None = None
    for choice in dict.fromkeys(choices):
        sides = iter(choice)
        resolved = "".join(part if isinstance(part, str) else part[next(sides)] for part in parts)
        try:
            content = _loads(resolved)
        except ValueError:
            continue
        if _cells_in(content) is None:
            continue
        stubs = resolved.count("NotImplementedError")
        if best is None or stubs < best[0]:
            best = stubs, content
    return best[1] if best else None


def _whole_cells(text: str) -> Iterator[dict]:
    """Give the complete cells of a file that is no JSON as a whole."""
    decoder = _decoder(strict=False)
    position, budget, found = 0, _SEARCH * len(text) + 10_000, 0
    while budget > 0 and found < MAX_CELLS and (start := _CELL_START.search(text, position)):
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


def _script(text: str, name: str) -> dict | None:
    """Read a Python script with `# %%` or `# In[1]:` between its cells; None if it looks like none."""
    text = re.sub(r"\A(#!.*\n)?(#.*coding[:=].*\n)?", "", text)
    marks = list(islice(_SCRIPT_CELL.finditer(text), MAX_CELLS))
    if not marks and not (name.lower().endswith(".py") or re.search(r"^(async )?def \w+\(", text, re.M)):
        return None
    cells: list[dict] = []
    starts = [(0, "")] + [(m.end(), m.group("rest") or "") for m in marks]
    ends = [m.start() for m in marks] + [len(text)]
    for (start, rest), end in zip(starts, ends, strict=True):
        body = text[start:end].replace("\r\n", "\n").strip("\n")
        if re.search(r"\[(markdown|md|raw)\]", rest):
            cells.append(_cell_of("markdown", _uncommented(body), rest))
            continue
        code, prose = _code_and_prose(body)
        if code:
            cells.append(_cell_of("code", code, rest))
        # within a text cell an empty line is a comment too
        cells += [
            _cell_of("markdown", _uncommented(part), "") for part in re.split(r"\n[ \t]*\n", prose) if part.strip()
        ]
    return {"cells": cells} if any(c["source"].strip() for c in cells) else None


def _cell_of(kind: str, source: str, rest: str) -> dict:
    """Make a cell of a script's piece, with the nbgrader mark that jupytext writes into the line above it."""
    metadata = {}
    mark = re.search(r"nbgrader=(\{.*?\})(?:\s|$)", rest)
    if mark:
        with contextlib.suppress(ValueError):
            metadata["nbgrader"] = json.loads(mark.group(1))
    return {"cell_type": kind, "metadata": metadata, "source": source}


def _code_and_prose(body: str) -> tuple[str, str]:
    """Part a piece of nbconvert's script: the text of the next cell stands as comments behind the code."""
    lines = body.split("\n")
    end = len(lines)
    while end and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
        end -= 1
    if not end and not any(line.startswith("# ") for line in lines):
        return "", ""
    return "\n".join(lines[:end]).strip("\n"), "\n".join(lines[end:]).strip("\n")


def _uncommented(text: str) -> str:
    return "\n".join(re.sub(r"^# ?", "", line) for line in text.strip().strip('"').split("\n"))


# What the JSON says to a notebook


def _cells_in(content: Any, depth: int = 3) -> list | None:
    """Find the list of cells in what a file holds; None if there is none."""
    if depth == 0:
        return None
    if isinstance(content, str):
        if "cell" not in content:
            return None
        try:
            return _cells_in(_loads(content), depth - 1)
        except ValueError:
            return None
    if isinstance(content, list):
        return content if any(isinstance(c, dict) and "cell_type" in c for c in content) else None
    if not isinstance(content, dict):
        return None
    for key in ("cells", "worksheets"):
        if isinstance(content.get(key), list):
            cells = content[key]
            if key == "worksheets":
                sheets = [w for w in cells if isinstance(w, dict) and isinstance(w.get("cells"), list)]
                cells = [cell for sheet in sheets for cell in sheet["cells"]]
            return _inner(cells, depth) or cells
    for key in ("content", "notebook", "nb"):  # Jupyter's own answer to a download, and what scripts make of it
        inner = _cells_in(content.get(key), depth - 1)
        if inner is not None:
            return inner
    return None


def _inner(cells: list, depth: int) -> list | None:
    """Find a whole notebook that was pasted into a cell of another."""
    texts = [_text_of(c) for c in cells[:3] if isinstance(c, dict)]
    texts = [t for t in texts if t and t.strip()]
    if len(cells) <= 3 and len(texts) == 1 and texts[0].lstrip().startswith(("{", '"')):
        return _cells_in(texts[0].strip(), depth - 1)
    return None


def _text_of(cell: dict) -> str | None:
    """Give a cell's text; None if it has none."""
    for key in ("source", "input", "code", "text"):  # the last three: formats 2, 3 and 1
        value = cell.get(key)
        if isinstance(value, str):
            return value
        if isinstance(value, list):
            return "".join(line for line in value if isinstance(line, str))
    return None


def _as_notebook(content: Any, shown: str, findings: list[Finding]) -> NotebookNode:
    # nbformat's upgrade refuses what does not fit its schema, and logs it; the cells can be read without it.
    _note_format(content, shown, findings)
    cells = _cells_in(content)
    if cells is None:
        raise _NotANotebookError(f"{shown} holds no cells.")
    _note_language(content, shown, findings)
    nb = new_notebook(metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}})
    dropped = total = 0
    for number, cell in enumerate(cells[:MAX_CELLS], 1):
        made = _as_cell(cell, number)
        total += len(made.source) if made is not None else 0
        if made is None or total > MAX_TEXT:
            dropped += 1
        else:
            nb.cells.append(made)
    if dropped:
        text = f"{dropped} entries of {shown} are no cells, have no text or too long a one; they were left out."
        findings.append(Finding("cells-dropped", shown, text, Level.LOST))
    if len(cells) > MAX_CELLS:
        text = f"{shown} has {len(cells)} cells; only the first {MAX_CELLS} were read."
        findings.append(Finding("too-many-cells", shown, text, Level.LOST))
    if not nb.cells:
        raise _NotANotebookError(f"{shown} holds no cell with text.")
    return nb


def _note_format(content: Any, shown: str, findings: list[Finding]) -> None:
    version = content.get("nbformat") if isinstance(content, dict) else 4
    if version in (1, 2, 3):
        text = f"{shown} is in the old format {version}; its cells were read all the same."
        findings.append(Finding("old-format", shown, text))
    elif isinstance(version, int) and not isinstance(version, bool) and version > 4:
        text = f"{shown} says it is in format {version}, which is not known; it was read as format 4."
        findings.append(Finding("new-format", shown, text))


def _note_language(content: Any, shown: str, findings: list[Finding]) -> None:
    metadata = content.get("metadata") if isinstance(content, dict) else None
    kernel = metadata.get("kernelspec") if isinstance(metadata, dict) else None
    if not isinstance(kernel, dict):
        return
    language = kernel.get("language")
    if isinstance(language, str) and language and not language.lower().startswith(("python", "ipython")):
        text = f"{shown} names another language ({printable(language)}); it was read as Python."
        findings.append(Finding("other-language", shown, text))


def _as_cell(cell: Any, number: int) -> NotebookNode | None:
    if not isinstance(cell, dict):
        return None
    text = _text_of(cell)
    if text is None or len(text) > MAX_SOURCE:
        return None
    text = _clean(text)
    kind = cell.get("cell_type")
    if kind == "heading":
        level = cell.get("level")
        text = "#" * (level if level in range(1, 7) else 1) + " " + text
    if kind not in ("code", "raw", "markdown"):
        guessed = "outputs" in cell or "execution_count" in cell or re.search(r"^(def|import|from) ", text, re.M)
        kind = "code" if guessed and kind not in ("heading", "html") else "markdown"
    given, metadata = cell.get("id"), cell.get("metadata")
    # Not nbformat's new_code_cell and its like, which hold each cell against the schema: a third of all reading.
    made = NotebookNode(
        cell_type=kind,
        id=given if isinstance(given, str) and _CELL_ID.fullmatch(given) else f"unnamed-{number}",
        metadata=nbformat.from_dict(_bounded(metadata, MAX_DEPTH) if isinstance(metadata, dict) else {}),
        source=text,
    )
    if kind == "code":
        made.update(execution_count=None, outputs=[])
    pictures = _pictures(cell.get("attachments"))
    if pictures and kind != "code":
        made.attachments = nbformat.from_dict(pictures)
    return made


def _pictures(attachments: Any) -> dict[str, dict[str, str]]:
    """Keep what is a picture of the attachments of a cell."""
    kept = {}
    for name, forms in list(attachments.items())[:20] if isinstance(attachments, dict) else ():
        forms = forms if isinstance(forms, dict) else {}
        data = {k: v for k, v in forms.items() if k in _PICTURES and isinstance(v, str) and v.isascii()}
        if isinstance(name, str) and data:
            kept[_clean(name)] = data
    return kept


def _clean(text: str) -> str:
    """Give text that can be written again: no lone surrogates, no NUL, line ends as they should be."""
    text = text.replace("\0", "").replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _bounded(value: Any, depth: int) -> Any:
    """Copy plain data down to a depth; what lies deeper, or has no end, is left out."""
    if isinstance(value, dict):
        if depth == 0:
            return {}
        pairs = list(value.items())[:MAX_ENTRIES]
        return {_clean(k): _bounded(v, depth - 1) for k, v in pairs if isinstance(k, str)}
    if isinstance(value, list):
        return [_bounded(v, depth - 1) for v in value[: 10 * MAX_ENTRIES]] if depth else []
    if isinstance(value, str):
        return _clean(value)
    return value
