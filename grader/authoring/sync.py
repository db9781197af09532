"""Copy the helper modules into the notebooks that carry them."""

from __future__ import annotations

import re
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from grader.authoring.frame import tidy
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook, write_notebook

# In the notebook the other helper's cell comes before this one, so the import is dropped.
_HELPER_IMPORT = re.compile(r"^from helpers\.(\w+) import (?:\([^)]*\)|[^\n(]*)\n", re.M)
COLAB = "https://colab.research.google.com"
_BADGE_TARGET = re.compile(re.escape(COLAB) + r"/github/[^\s)\"]+\.ipynb")


def included_helper(cell: NotebookNode) -> str | None:
    """Name the helper file that a cell carries (`"plots.py"`), or None."""
    return cell.metadata.get("course", {}).get("include")


def helper_imports(source: str) -> list[str]:
    """List the helper files that a helper module imports from."""
    return [f"{name}.py" for name in _HELPER_IMPORT.findall(source)]


def helper_cell_source(name: str, helpers: Path) -> str:
    """Return the source of the cell that carries a helper.

    Args:
        name: File name in the helpers folder.
        helpers: The helpers folder.

    Raises:
        GraderError: If there is no such helper.
    """
    path = helpers / name
    if not path.is_file():
        known = ", ".join(sorted(p.name for p in helpers.glob("*.py")))
        raise GraderError(f"no helper named {name!r}", str(helpers), f"name one of: {known}")
    body = re.sub(r"\n{4,}", "\n\n\n", _HELPER_IMPORT.sub("", path.read_text(encoding="utf-8")))
    title = "# @title Helper code (run once, no need to read)"
    return f"{title}\n# Generated from assets/helpers/{name}; changes made here are lost.\n{body.strip()}"


def expand_helpers(nb: NotebookNode, helpers: Path) -> None:
    """Write the current helper source into every helper cell of a notebook, in place.

    A helper cell carries `metadata.course.include = "<file>.py"`. Its whole source is replaced, so that
    edits made in the notebook are lost on purpose.

    Raises:
        GraderError: If a cell names a file that does not exist.
    """
    for position, cell in enumerate(nb.cells):
        name = included_helper(cell)
        if name is None:
            continue
        stem = Path(name).stem
        # A view in plain text leaves these cells empty, and jupytext takes an empty cell for one of any type.
        if cell.cell_type != "code":
            cell = nb.cells[position] = new_code_cell(id=cell.get("id"), metadata=cell.metadata)
        cell.source = helper_cell_source(name, helpers)
        cell.metadata["cellView"] = "form"
        cell.metadata["jupyter"] = {"source_hidden": True}
        cell.metadata["tags"] = ["helpers"]
        cell.metadata["nbgrader"] = {"grade_id": f"helpers_{stem}", "locked": True}


def set_badge(nb: NotebookNode, course: Course, assignment: str, language: str = "") -> None:
    """Point the notebook's Colab badge at its release in the repository that `pyproject.toml` names, in place."""
    address = f"{COLAB}/github/{course.repository(language)}/blob/main/notebooks/{assignment}/{assignment}.ipynb"
    for cell in nb.cells:
        if cell.cell_type == "markdown":
            cell.source = _BADGE_TARGET.sub(address, cell.source)


def sync(course: Course, assignments: list[str], write: bool = True) -> list[str]:
    """Expand the helpers in source notebooks and normalise them.

    Args:
        course: The course.
        assignments: Which notebooks.
        write: Whether to write the changes; without it they are only reported.

    Returns:
        The assignments that were, or would be, changed.
    """
    changed = []
    for assignment in assignments:
        path = course.source(assignment)
        before, nb = read_notebook(path), read_notebook(path)
        expand_helpers(nb, course.helpers)
        set_badge(nb, course, assignment)
        tidy(nb)
        if write_notebook(nb, path) if write else nb != before:
            changed.append(assignment)
    return changed
