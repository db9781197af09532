"""Run source notebooks from a fresh kernel and save their outputs."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError
from nbformat import NotebookNode
from nbformat.v4 import new_notebook

from grader.authoring.frame import tidy
from grader.core.cells import grade_id
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook, write_notebook

#: Of a cell, or of the pictures of one cell's sliders: some hundreds, on a busy machine.
_CELL_TIMEOUT_S = 900


def execute(course: Course, assignment: str, behind: Sequence[NotebookNode] = ()) -> float:
    """Run a source notebook from a fresh kernel in an empty folder's place and save its outputs.

    Args:
        course: The course.
        assignment: Which notebook.
        behind: Cells that run after its own and are not saved; they get their outputs.

    Returns:
        Seconds it took.

    Raises:
        GraderError: If a cell fails; nothing is saved then.
    """
    path = course.source(assignment)
    nb = read_notebook(path)
    seconds = run_notebook(nb, str(path), behind)
    tidy(nb)
    write_notebook(nb, path)
    return seconds


def run_notebook(nb: NotebookNode, where: str, behind: Sequence[NotebookNode] = ()) -> float:
    """Run a notebook from a fresh kernel, in place.

    Args:
        nb: The notebook.
        where: What to call it if it fails.
        behind: Cells that run after its own, in the same kernel; they get their outputs.

    Returns:
        Seconds it took.

    Raises:
        GraderError: If a cell fails.
    """
    begun = time.monotonic()
    run = new_notebook(cells=[*nb.cells, *behind], metadata=nb.metadata)
    try:
        with client_of(run, _CELL_TIMEOUT_S) as client:
            client.execute()
    except (CellExecutionError, CellTimeoutError) as error:
        failed = next((c for c in run.cells if any(o.output_type == "error" for o in c.get("outputs", []))), None)
        name = (grade_id(failed) or failed.id) if failed else "?"
        raise GraderError(f"cell {name} failed:\n{error}", where, "the notebook was left as it was") from None
    return time.monotonic() - begun


@contextlib.contextmanager
def client_of(nb: NotebookNode, timeout_s: float) -> Iterator[NotebookClient]:
    """Yield what runs a notebook, in a kernel that two commands at the same moment cannot take from each other.

    jupyter_client looks for free TCP ports before the kernel takes them, so of two kernels started side by side one may
    find a port taken. Sockets in a folder of its own are nobody else's.

    Args:
        nb: The notebook.
        timeout_s: Limit of a cell.
    """
    # Each kernel would tell on the terminal over which transport it talks.
    quiet = ["--IPKernelApp.log_level=ERROR"]
    with tempfile.TemporaryDirectory(prefix="kernel-") as folder:
        private = {"transport": "ipc", "ip": str(Path(folder) / "socket")} if os.name == "posix" else {}
        manager = AsyncKernelManager(kernel_name="python3", **private)
        client = NotebookClient(nb, km=manager, timeout=timeout_s, store_widget_state=False, extra_arguments=quiet)
        client.owns_km = True  # so that the kernel ends with the run
        yield client
