"""Run a notebook from top to bottom, then its demonstrations again in any order: do they show the same?"""

import copy
import random
import re
import tempfile
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

from grader.core.cells import CellKind, kind_of

#: Notebooks that still have the old form: nothing folded, nothing promised about running cells again.
NOT_YET_IN_THE_FRAME = ()
_PICTURE = re.compile(r'src="data:image/png;base64,[^"]*"')  # what it shows is said by its alternative text
_WIDGET = "application/vnd.jupyter.widget-view+json"  # a number that counts widgets


def shown(cell):
    """Return what a cell shows, as far as it can be compared."""
    parts = []
    for output in cell.outputs:
        data = {"stream": output.text} if output.output_type == "stream" else output.get("data", {})
        data = {kind: value for kind, value in data.items() if kind != _WIDGET}
        if "text/html" in data:
            data["text/html"] = _PICTURE.sub('src="picture"', data["text/html"])
        if parts and set(data) == set(parts[-1]) == {"stream"}:  # how a kernel cuts a stream is chance
            parts[-1]["stream"] += data["stream"]
        else:
            parts.append(data)
    return parts


def in_random_order(nb, seed):
    """Return the demonstrations of a notebook in random order."""
    found = [c for c in nb.cells if kind_of(c) is CellKind.DEMONSTRATION]
    random.Random(seed).shuffle(found)
    return found


def changed(first, again):
    """Return what is shown differently, by the cell's id: what was shown first, and what again.

    Args:
        first: Cells by id, after the first run.
        again: The same after the second.
    """
    return {name: (shown(first[name]), shown(c)) for name, c in again.items() if shown(first[name]) != shown(c)}


def changed_when_run_again(nb, seed, timeout_s=600):
    """Run all cells, then the demonstrations once more in random order.

    Args:
        nb: The notebook; its outputs are replaced.
        seed: Seed of the order.
        timeout_s: Limit of a cell.

    Returns:
        For each demonstration that shows something else the second time: its id with both outputs. A demonstration
        that ends in an error ends the run, with nbclient's exception.
    """
    with tempfile.TemporaryDirectory() as folder:
        manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=str(Path(folder) / "kernel"))
        times = {"timeout": timeout_s, "startup_timeout": 600}
        client = NotebookClient(nb, km=manager, **times, resources={"metadata": {"path": folder}})
        with client.setup_kernel():
            for place, cell in enumerate(nb.cells):
                client.execute_cell(cell, place)
            first = {c.id: c for c in copy.deepcopy(nb).cells}
            again = in_random_order(nb, seed)
            for cell in again:
                client.execute_cell(cell, nb.cells.index(cell))
            return changed(first, {c.id: c for c in again})
