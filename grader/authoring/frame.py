"""The frame of a notebook: the machinery folded to one line, the tests folded to their titles.

A notebook is in the frame as soon as it has the heading `## Machinery`. What is folded is derived here from what the
cells are, so nobody sets metadata by hand.
"""

from __future__ import annotations

import ast
import re

from nbformat import NotebookNode

from grader.core.cells import CellKind, kind_of
from grader.core.names import tree_of
from grader.core.notebook import normalise

#: The heading under which set-up and helper cells are.
MACHINERY = "## Machinery"
#: Metadata by which its section is folded: of the heading's cell, and of the notebook.
FOLDED_HEADING_KEYS = {"jp-MarkdownHeadingCollapsed", "id"}
FOLDED_NOTEBOOK_KEYS = {"colab"}
#: A test cell's first line: the title that is left of it when it is folded.
_TITLE = re.compile(r"\A# @title Test[^\n]*\n")


def machinery(nb: NotebookNode) -> NotebookNode | None:
    """Return the cell that opens the folded section, or None in a notebook that is not in the frame yet."""
    return next((c for c in nb.cells if c.cell_type == "markdown" and c.source.split("\n")[0] == MACHINERY), None)


def titled(source: str, points: int) -> str:
    """Return a test cell's source with its title: points and behaviour, the latter from its docstring."""
    body = _TITLE.sub("", source)
    behaviour = (ast.get_docstring(tree_of(body)) or "").split("\n")[0].strip()
    return f"# @title Test ({points} point{'s' * (points != 1)}): {behaviour}\n{body}" if behaviour else body


def without_title(source: str) -> str:
    """Return a test cell's source without its title."""
    return _TITLE.sub("", source)


def fold(nb: NotebookNode) -> None:
    """Fold the machinery and the test cells of a notebook in the frame, in place.

    JupyterLab folds by metadata of the cells. Colab folds a cell that is a form, and a section whose heading the
    notebook's metadata name by the `id` that Colab keeps in the heading's metadata.
    """
    heading = machinery(nb)
    if heading is None:
        return
    heading.metadata["jp-MarkdownHeadingCollapsed"] = True
    heading.metadata["id"] = heading.id
    nb.metadata["colab"] = {"collapsed_sections": [heading.id]}
    for cell in nb.cells:
        if kind_of(cell) is CellKind.TEST and cell.cell_type == "code":
            cell.source = titled(cell.source, cell.metadata.nbgrader.get("points") or 0)
            cell.metadata["cellView"] = "form"
            cell.metadata["jupyter"] = {"source_hidden": True}


def tidy(nb: NotebookNode) -> None:
    """Bring a source notebook into the one form that is kept, folded where it is in the frame; in place."""
    normalise(nb)
    fold(nb)
