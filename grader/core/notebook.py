"""Read, write and normalise notebooks."""

from __future__ import annotations

import json
import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4.rwbase import strip_transient

from grader.core.errors import GraderError, first_line
from grader.core.files import write_if_changed

# What JupyterLab, Colab and VS Code leave behind in a cell's metadata and says nothing about the cell.
_NOISE = {
    "execution",
    "ExecuteTime",
    "scrolled",
    "collapsed",
    "id",
    "outputId",
    "colab",
    "executionInfo",
    "vscode",
    "cell_marker",
    "lines_to_next_cell",
}
_ENCODER = json.JSONEncoder(ensure_ascii=False, sort_keys=True)
_CELL_ORDER = ("cell_type", "execution_count", "id", "metadata", "outputs", "source")


def read_notebook(path: Path) -> NotebookNode:
    """Read a notebook in the current format.

    Raises:
        GraderError: If there is no such file or it is not a notebook.
    """
    try:
        nb: NotebookNode = nbformat.read(path, as_version=4)
        return nb
    except FileNotFoundError:
        raise GraderError("no such notebook", str(path), "check the name; `grader release` writes notebooks/") from None
    except Exception as error:  # nbformat has half a dozen ways to say it
        reason = f"not a notebook: {first_line(error)}"
        raise GraderError(reason, str(path), "open and save it in JupyterLab, or restore it") from error


def as_text(nb: NotebookNode) -> str:
    """Return a notebook as JSON with a cell on each line; what is not to be stored in files is taken out of it.

    nbformat's own way indents, which Python's fast encoder cannot, and copies the notebook: that was a twentieth of all
    that marking takes. Notebooks that people edit are written by `write_notebook`.
    """
    strip_transient(nb)
    cells = ",\n".join(map(_ENCODER.encode, nb.cells))
    rest = _ENCODER.encode({key: value for key, value in nb.items() if key != "cells"})
    return f'{{"cells": [\n{cells}\n],\n{rest[1:]}\n'


def write_notebook(nb: NotebookNode, path: Path) -> bool:
    """Write a notebook if that changes the file.

    Returns:
        True if the file was written.
    """
    text = nbformat.writes(nb, version=nbformat.NO_CONVERT)
    text = text if text.endswith("\n") else text + "\n"
    return write_if_changed(path.resolve(), text)  # an author may keep the notebook elsewhere and link to it


def _complete_marks(cell: NotebookNode) -> None:
    """Fill in the nbgrader keys that follow from the ones given."""
    marks = cell.metadata.get("nbgrader")
    if marks is None:
        return
    grade, solution = bool(marks.get("grade", "points" in marks)), bool(marks.get("solution", False))
    full = {
        "grade": grade,
        "grade_id": marks.get("grade_id"),
        "locked": bool(marks.get("locked", not solution)),
        "schema_version": 3,
        "solution": solution,
        "task": bool(marks.get("task", False)),
    }
    if grade:
        full["points"] = int(marks.get("points", 0))
    cell.metadata["nbgrader"] = NotebookNode(full)
    if full["grade_id"]:
        # With the cell's own id the same, an answer can be found again when its metadata got lost.
        cell.id = full["grade_id"]


def _slug(text: str) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")
    return words[:40].strip("-") or "cell"


def _name_cells(nb: NotebookNode) -> None:
    """Replace machine-made cell ids by speaking ones that stay; ids set by hand are kept."""
    taken = {c.get("id") for c in nb.cells}
    heading = "cell"
    for cell in nb.cells:
        if cell.cell_type == "markdown" and cell.source.startswith("#"):
            heading = _slug(cell.source.splitlines()[0])
        if cell.get("id") and not re.fullmatch(r"[0-9a-f]{8}|[0-9a-f-]{36}", cell.id):
            continue
        base = heading if cell.cell_type == "markdown" else f"{heading}-code"
        number, name = 1, base
        while name in taken:
            number += 1
            name = f"{base}-{number}"
        taken.add(name)
        cell["id"] = name


def normalise(nb: NotebookNode) -> None:
    """Bring a source notebook into the one form that is kept, in place.

    Keeps outputs, ids and the course's own metadata; drops what editors leave behind, widget state and the
    machine's own kernel name; completes nbgrader's metadata.
    """
    nb.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        }
    )
    nb.nbformat, nb.nbformat_minor = 4, 5
    count = 0
    for cell in nb.cells:
        for key in _NOISE & set(cell.metadata):
            del cell.metadata[key]
        _complete_marks(cell)
        cell.source = "\n".join(line.rstrip() for line in cell.source.strip("\n").split("\n"))
        if cell.cell_type == "code":
            executed = cell.get("execution_count") is not None
            count += executed
            cell.execution_count = count if executed else None
            cell.outputs = _joined_streams(cell.get("outputs", []), cell.execution_count)
    _name_cells(nb)
    nb.cells = [NotebookNode({k: c[k] for k in _CELL_ORDER if k in c}) for c in nb.cells]


def _joined_streams(outputs: list[NotebookNode], count: int | None) -> list[NotebookNode]:
    """Join neighbouring pieces of a stream: how a kernel cuts them is chance."""
    joined: list[NotebookNode] = []
    for output in outputs:
        output.get("metadata", {}).pop("execution", None)
        if output.output_type == "execute_result":
            output["execution_count"] = count
        if output.output_type == "stream" and joined and joined[-1].get("name") == output.name:
            joined[-1].text += output.text
        else:
            joined.append(output)
    return joined
