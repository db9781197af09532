"""A view of a notebook as plain text (py:percent), to edit and to write back."""

from __future__ import annotations

from pathlib import Path

import jupytext
from jupytext.combine import combine_inputs_with_outputs
from nbformat import NotebookNode

from grader.authoring.frame import tidy
from grader.authoring.sync import expand_helpers, included_helper
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.files import replace_file
from grader.core.notebook import read_notebook, write_notebook

_OPTIONS = {
    "cell_metadata_filter": "tags,nbgrader,course,-all",
    "notebook_metadata_filter": "-all",
    "comment_magics": False,
}


def view_path(course: Course, assignment: str) -> Path:
    """Where the text view of an assignment is written."""
    return course.build / f"{assignment}.py"


def write_view(course: Course, assignment: str) -> Path:
    """Write the text view of a source notebook; helper cells are left empty, since `sync` fills them.

    Returns:
        The path of the view.
    """
    nb = read_notebook(course.source(assignment))
    for cell in nb.cells:
        if included_helper(cell):
            cell.source = "# helper"
            cell.metadata = {"course": cell.metadata["course"]}
        elif "nbgrader" in cell.metadata:
            marks = cell.metadata["nbgrader"]
            short = {"grade_id": marks["grade_id"]}
            short |= {"points": marks["points"]} if marks["grade"] else {}
            short |= {"solution": True} if marks["solution"] else {}
            cell.metadata["nbgrader"] = short
    nb.metadata["jupytext"] = _OPTIONS
    path = view_path(course, assignment)
    replace_file(path, jupytext.writes(nb, fmt="py:percent"))
    return path


def apply_view(course: Course, assignment: str) -> Path:
    """Write a text view back into its source notebook, which is made if there is none.

    Cells whose text did not change keep their ids and outputs.

    Returns:
        The path of the notebook.

    Raises:
        GraderError: If there is no view.
    """
    view = view_path(course, assignment)
    if not view.is_file():
        raise GraderError("no text view to apply", str(view), f"write it with: grader text {assignment}")
    nb: NotebookNode = jupytext.reads(view.read_text(encoding="utf-8"), fmt="py:percent")
    expand_helpers(nb, course.helpers)
    path = course.source(assignment)
    if path.exists():
        before = read_notebook(path)
        expand_helpers(before, course.helpers)
        written = [cell.metadata for cell in nb.cells]
        nb = combine_inputs_with_outputs(nb, before)
        seen = set()
        for cell, metadata in zip(nb.cells, written, strict=True):
            # jupytext finds the cell that a text came from, by likeness; what the view says of it counts.
            cell.metadata = metadata
            if cell.get("id") in seen:
                cell["id"] = ""
            seen.add(cell.get("id"))
    tidy(nb)
    write_notebook(nb, path)
    return path
