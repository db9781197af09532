"""Run source notebooks from a fresh kernel and save their outputs."""

from __future__ import annotations

import time

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode

from grader.authoring.frame import tidy
from grader.core.cells import grade_id
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook, write_notebook

_CELL_TIMEOUT_S = 300


def execute(course: Course, assignment: str) -> float:
    """Run a source notebook from a fresh kernel in an empty folder's place and save its outputs.

    Args:
        course: The course.
        assignment: Which notebook.

    Returns:
        Seconds it took.

    Raises:
        GraderError: If a cell fails; nothing is saved then.
    """
    path = course.source(assignment)
    nb = read_notebook(path)
    seconds = run_notebook(nb, str(path))
    tidy(nb)
    write_notebook(nb, path)
    return seconds


def run_notebook(nb: NotebookNode, where: str) -> float:
    """Run a notebook from a fresh kernel, in place.

    Args:
        nb: The notebook.
        where: What to call it if it fails.

    Returns:
        Seconds it took.

    Raises:
        GraderError: If a cell fails.
    """
    begun = time.monotonic()
    # Each kernel would tell on the terminal over which transport it talks.
    quiet = ["--IPKernelApp.log_level=ERROR"]
    client = NotebookClient(
        nb, timeout=_CELL_TIMEOUT_S, kernel_name="python3", store_widget_state=False, extra_arguments=quiet
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError) as error:
        failed = next((c for c in nb.cells if any(o.output_type == "error" for o in c.get("outputs", []))), None)
        name = (grade_id(failed) or failed.id) if failed else "?"
        raise GraderError(f"cell {name} failed:\n{error}", where, "the notebook was left as it was") from None
    return time.monotonic() - begun
