"""Read what a student handed in, however the file was damaged on its way."""

from __future__ import annotations

import re
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from grader.core.findings import Finding, Level
from grader.submissions import conflicts, loose_json, scripts
from grader.submissions.cutting import FROM_TEXT
from grader.submissions.decoding import Repaired, decoded
from grader.submissions.file_names import called
from grader.submissions.intake import MAX_BYTES
from grader.submissions.loose_json import MAX_CELLS, MAX_LISTED
from grader.submissions.parsing import MAX_PARSED
from grader.submissions.showing import Shown, unpasted, without_data

#: Most characters of a cell, deepest nesting of metadata, most entries on one level. A whole notebook may be one cell:
#: Colab saves it as a script without marks. Those of the course have up to 230,000, and no longer cell is parsed.
MAX_SOURCE, MAX_DEPTH, MAX_ENTRIES = MAX_PARSED, 12, 200
#: Most characters of all cells together.
MAX_TEXT = 1_000_000
#: How much a cell matters that has no marks and defines no function.
_SCRATCH = 2

#: What JSON can begin with that holds cells.
_JSON = ("{", "[", '"')
#: What a programming language is called.
_LANGUAGE = re.compile(r"[\w+#.-]{1,20}", re.ASCII)
_VERSION = re.compile(r"3\.\d{1,2}(?:\.\d{1,3})?[\w+.]{0,20}", re.ASCII)
_CELL_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class _NotANotebookError(Exception):
    """What the file is instead; a full sentence."""


def read_submission(data: bytes, name: str, pictures: bool = False) -> tuple[NotebookNode | None, list[Finding]]:
    """Read a submission's file as a notebook of format 4.5, with a bounded part of its outputs.

    Args:
        data: The bytes of the file.
        name: Its name, for the findings; an ending `.py` counts as a script.
        pictures: Whether pictures are a part of the outputs that is kept.

    Returns:
        The notebook, or None if nothing can be made of the file, and what was noticed.
    """
    shown = called(name)
    findings: list[Finding] = []

    def repaired(kind: str, text: str) -> None:
        findings.append(Finding(kind, shown, text))

    try:
        if not data.strip(b"\0 \t\r\n"):
            raise _NotANotebookError(f"{shown} is empty.")
        if len(data) > MAX_BYTES:
            raise _NotANotebookError(f"{shown} has more than {MAX_BYTES // 2**20} MB.")
        text = decoded(data, shown, repaired)
        content = _content(text, name, shown, repaired)
        nb = _as_notebook(content, shown, findings, Shown(pictures))
    except _NotANotebookError as error:
        findings.append(Finding("unreadable", shown, str(error), Level.LOST))
        return None, findings
    except RecursionError as error:
        # Nested without end. That memory is used up need not be this file's doing, as only the process that reads can
        # tell. Any other exception would be a fault of the steps above, which take every value for what it may be:
        # that must not become a student's zero.
        text = f"{shown} cannot be read as a notebook ({type(error).__name__})."
        findings.append(Finding("unreadable", shown, text, Level.LOST))
        return None, findings
    return nb, findings


def _refuse_other_files(text: str, shown: str) -> None:
    """Refuse what is certainly no notebook, and name what it is."""
    if re.match(r"<(!doctype|html|\?xml)", text, re.I):
        raise _NotANotebookError(f"{shown} is a web page, not a notebook; download the file itself.")
    if text.startswith(("%PDF", "PK\x03\x04", "\x1f\x8b", "\x89PNG")):
        raise _NotANotebookError(f"{shown} is not a notebook but a file of another kind (PDF, archive or picture).")
    if text.startswith("version https://git-lfs"):
        raise _NotANotebookError(f"{shown} only points to a file that was not handed in (Git LFS).")


def _content(text: str, name: str, shown: str, repaired: Repaired) -> Any:
    """Find the notebook's JSON, or make it from a script or from what is left of the file."""
    stripped = text.strip()
    _refuse_other_files(stripped, shown)
    is_json = stripped.startswith(_JSON)
    content: Any = None
    if not is_json and not stripped.startswith(conflicts.MARK):
        content = _script(text, name, shown, repaired)
    if content is None:
        content = _json(text, is_json and stripped[-1:] in '}]"', shown, repaired)
    if content is None:
        content = _script(text, name, shown, repaired)
    if content is None:
        raise _NotANotebookError(f"{shown} is not a notebook, and no cell can be found in it.")
    return content


def _json(text: str, ends_well: bool, shown: str, repaired: Repaired) -> Any:
    """Find the notebook's JSON, or cells of it; None if there are none."""
    content, read, in_conflict = None, text, len(conflicts.parts(text)) > 1
    if not in_conflict:
        content = loose_json.whole(text)
    if content is None:  # of a conflict, at once: the side without backslashes may be the one without the answer
        read = loose_json.escaped(text)
    if in_conflict and (content := conflicts.merged(read)) is not None:
        repaired("merge-conflict", f"{shown} held an unresolved merge conflict; one side of it was taken.")
    elif content is not None or (content := loose_json.whole(read)) is not None:
        if not ends_well:
            repaired("stray-text", f"{shown} held other text before or behind the notebook; it was left out.")
    elif cells := list(loose_json.whole_cells(read)):  # the sound ones among them are what they were
        said = f"{shown} is damaged; {len(cells)} complete cells were read from it, and the rest was left out."
        repaired("broken-json", said)
        content = {"cells": cells}
    if content is not None and read != text:
        said = f"{shown} holds backslashes that JSON does not allow in a text; they were read as they stand."
        repaired("stray-backslash", said)
    return content


def _script(text: str, name: str, shown: str, repaired: Repaired) -> dict[str, Any] | None:
    fenced = scripts.read_fenced(text)
    if fenced is not None:
        repaired("script", f"{shown} is Markdown; it was read as a notebook, with the code that stands between fences.")
        return fenced
    script = scripts.read_script(text, name)
    if script is not None:
        repaired("script", f"{shown} is a Python script; it was read as a notebook.")
    return script


def _as_notebook(content: Any, shown: str, findings: list[Finding], outputs: Shown) -> NotebookNode:
    # nbformat's upgrade refuses what does not fit its schema, and logs it; the cells can be read without it.
    _note_format(content, shown, findings)
    cells = loose_json.cells_in(content)
    if cells is None:
        raise _NotANotebookError(f"{shown} holds no cells.")
    _note_language(content, shown, findings)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    nb: NotebookNode = new_notebook(metadata={"kernelspec": kernel} | _python_of(content))
    if any(finding.kind == "script" for finding in findings):
        nb.metadata[FROM_TEXT] = True
    made = [_as_cell(cell, number, outputs) for number, cell in enumerate(cells[:MAX_LISTED], 1)]
    whole = [cell for cell in made if cell is not None]
    nb.cells = _that_matter(whole)
    kept = {id(cell) for cell in nb.cells}
    left = [cell for cell in whole if id(cell) not in kept]
    dropped = len(made) - len(whole) + sum(_matters(cell) < _SCRATCH for cell in left)
    if dropped:
        text = f"{dropped} entries of {shown} are no cells, have no text or too long a one; they were left out."
        findings.append(Finding("cells-dropped", shown, text, Level.LOST))
    scratch = len(cells) - len(made) + sum(_matters(cell) == _SCRATCH for cell in left)
    if scratch:
        text = f"{shown} has {len(cells)} cells; {scratch} that define nothing were left out."
        findings.append(
            Finding("too-many-cells", shown, text, Level.LOST if len(cells) > MAX_LISTED else Level.REPAIRED)
        )
    if outputs.left_out:
        text = f"{outputs.left_out} pictures in the text of {shown} are too large or too many; they were left out."
        findings.append(Finding("pictures-left-out", shown, text, Level.LOST))
    if outputs.not_shown:
        text = (
            f"{outputs.not_shown} pictures in the text of {shown} are not shown. They have more than 16 million pixels "
            f"or are no plain PNG or JPEG files. Please look at them in the notebook that was handed in."
        )
        findings.append(Finding("pictures-not-shown", shown, text, Level.LOST))
    if not nb.cells and dropped:
        raise _NotANotebookError(
            f"{shown} holds no cell that can be read: each is empty or has more than {MAX_SOURCE:,} characters. "
            f"Please hand in the notebook itself, the .ipynb file."
        )
    if not nb.cells:
        raise _NotANotebookError(f"{shown} holds no cell with text.")
    return nb


def _matters(cell: NotebookNode) -> int:
    """Return how much a cell matters for the marks, 0 the most."""
    if isinstance(cell.metadata.get("nbgrader"), dict):
        return 0
    return 1 if re.search(r"^(?:async def|def|class|import|from|@)\b", cell.source, re.M) else _SCRATCH


def _that_matter(cells: list[NotebookNode]) -> list[NotebookNode]:
    """Return as many cells as are kept, in their order: of too many, scratch cells are left out first."""
    if len(cells) <= MAX_CELLS and sum(len(cell.source) for cell in cells) <= MAX_TEXT:
        return cells
    kept: set[int] = set()
    room = MAX_TEXT
    for index in sorted(range(len(cells)), key=lambda n: (_matters(cells[n]), n)):
        size = len(cells[index].source)
        if len(kept) < MAX_CELLS and size <= room:
            kept.add(index)
            room -= size
    return [cell for index, cell in enumerate(cells) if index in kept]


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
        # A name and no sentence, which a reader could take for one of the grader's.
        name = f" ({language})" if _LANGUAGE.fullmatch(language) else ""
        text = f"{shown} names another language{name}; it was read as Python."
        findings.append(Finding("other-language", shown, text))


def _python_of(content: Any) -> dict[str, Any]:
    """Return the metadata that say which Python a notebook was saved with; none if it says nothing of the kind."""
    metadata = content.get("metadata") if isinstance(content, dict) else None
    told = metadata.get("language_info") if isinstance(metadata, dict) else None
    version = told.get("version") if isinstance(told, dict) else None
    is_one = isinstance(version, str) and _VERSION.fullmatch(version)
    return {"language_info": {"name": "python", "version": version}} if is_one else {}


def _as_cell(cell: Any, number: int, outputs: Shown) -> NotebookNode | None:
    if not isinstance(cell, dict):
        return None
    text, pasted = loose_json.text_of(cell), dict[str, dict[str, str]]()
    kind = cell.get("cell_type")
    if text is not None and kind == "markdown":
        text, pasted = unpasted(text, number)
        if len(text) > MAX_SOURCE:
            text, others = without_data(text)
            outputs.left_out += others
    if text is None or len(text) > MAX_SOURCE:
        return None
    text = _clean(text)
    if kind == "heading":
        level = cell.get("level")
        text = "#" * (level if isinstance(level, int) and level in range(1, 7) else 1) + " " + text
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
        made.update(execution_count=None, outputs=outputs.kept(cell.get("outputs")))
    if kind != "code":
        pictures = outputs.attached(cell.get("attachments")) | outputs.attached(pasted)
        if pictures:
            made.attachments = nbformat.from_dict({_clean(name): data for name, data in pictures.items()})
    return made


def _clean(text: str) -> str:
    """Return text that can be written again: no lone surrogates, no NUL, line ends as they should be."""
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
