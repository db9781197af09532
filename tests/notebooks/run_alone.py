"""Run one notebook in an empty folder without a network; print what each code cell did as JSON.

Called by test_alone.py and test_colab.py as a process of its own: `python run_alone.py NOTEBOOK FOLDER`, where
possible inside a network namespace that has no interface. The kernel talks over files (`ipc`), so that it needs none
either. A third argument names a file for the notebook as it is after the run; with a fourth, `colab`, cells find the
module by which they know Colab. It runs under the oldest libraries that a notebook has to work with as well.
"""

import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient

PROBE = """
import resource, socket
try:
    socket.create_connection(("127.0.0.1", 9), timeout=2)
    probe = "connected"
except OSError as error:
    probe = error.strerror or str(error)
print(probe)
usage = resource.getrusage(resource.RUSAGE_SELF)
print(usage.ru_maxrss // 1024)
print(round(usage.ru_utime + usage.ru_stime))
"""
#: What the libraries consist of is never garbage. Keras looks through all of it at every fresh start, which took a
#: tenth of a whole run.
KEEP = "__import__('gc').collect(); __import__('gc').freeze()"
COLAB = "import sys, types; sys.modules['google.colab'] = types.ModuleType('google.colab')"


def main(notebook, folder, executed=None, place=None):
    """Copy the notebook into the folder, run it and print the outcome."""
    nb = nbformat.read(notebook, as_version=4)
    shutil.copy(notebook, folder)
    if place == "colab":
        nb.cells.insert(0, nbformat.v4.new_code_cell(COLAB, id="colab"))
    nb.cells.append(nbformat.v4.new_code_cell(PROBE, id="probe"))
    for number in [n for n, cell in enumerate(nb.cells) if cell.id == "setup"]:
        nb.cells.insert(number + 1, nbformat.v4.new_code_cell(KEEP, id="keep"))
    # Not even by accident may the notebook find the course's own packages.
    shadow = Path(tempfile.mkdtemp())
    for name in ("grader", "helpers"):
        (shadow / f"{name}.py").write_text("raise ImportError('students have no repository')\n")
    os.environ["PYTHONPATH"] = str(shadow)
    os.chdir(folder)
    manager = AsyncKernelManager(kernel_name="python3", transport="ipc", ip=str(shadow / "kernel"))
    begun = time.monotonic()
    # A kernel that compiles its libraries first, on a busy machine, needs more than the 60 seconds that nbclient gives.
    times = {"timeout": 1200, "startup_timeout": 600}
    client = NotebookClient(nb, km=manager, **times, allow_errors=True, resources={"metadata": {"path": folder}})
    client.owns_km = True  # else the kernel goes on until it notices that this process has ended, if it ever does
    client.execute()
    seconds = time.monotonic() - begun
    cells = {}
    for cell in nb.cells:
        if cell.cell_type == "code":
            errors = [o for o in cell.outputs if o.output_type == "error"]
            text = "".join(o.text for o in cell.outputs if o.output_type == "stream")
            cells[cell.id] = {"error": [errors[0].ename, errors[0].evalue] if errors else None, "text": text}
    if executed:
        nbformat.write(nb, executed)
    left = sorted(p.name for p in Path(folder).iterdir())
    print(json.dumps({"seconds": seconds, "cells": cells, "files": left}))


if __name__ == "__main__":
    main(*sys.argv[1:])
