"""Run a notebook as a student does, in an empty folder without a network, for test_colab.py."""

import json
import os
import subprocess
from pathlib import Path

from offline import WITHOUT_NETWORK

from grader.core.notebook import read_notebook, write_notebook

RUN_ALONE = Path(__file__).with_name("run_alone.py")
TRAINED_BRIEFLY = Path(__file__).with_name("trained_briefly.py").read_text(encoding="utf-8")


def briefly(graphs=0):
    """Return a cell by which trainings take a step; it binds no name of the notebook's, which finds no file.

    Args:
        graphs: How many trainings are compiled as a whole one is.
    """
    code = f"{TRAINED_BRIEFLY}\ntrain_briefly({graphs})"
    return f"exec(compile({code!r}, 'trained_briefly.py', 'exec'), {{}})"


def after_setup(nb):
    """Return where a cell stands that comes next to the set-up."""
    return 1 + next(n for n, c in enumerate(nb.cells) if c.id == "setup")


def run(python, nb, folder, *place):
    """Run a notebook in an empty folder.

    Args:
        python: The interpreter.
        nb: The notebook.
        folder: Where it is written, and a folder `alone` is made.
        place: `colab`, where cells should find that they are there.

    Returns:
        The outcome by cell, as `run_alone.py` reports it, and the notebook after the run.
    """
    (folder / "alone").mkdir()
    notebook, executed = folder / "merged.ipynb", folder / "executed.ipynb"
    write_notebook(nb, notebook)
    command = [*WITHOUT_NETWORK, python, RUN_ALONE, notebook, folder / "alone", executed, *place]
    # A library that is not compiled yet, as in the environment made for Colab, is compiled once and not in each kernel.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1]), read_notebook(executed)


def errors(nb):
    """Give the first error of each cell that has one."""
    found = {c.id: next((o for o in c.get("outputs", []) if o.output_type == "error"), None) for c in nb.cells}
    return {name: (o.ename, o.evalue) for name, o in found.items() if o}


def printed(cell):
    """Return what a cell printed or showed as text."""
    return "".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in cell.outputs)
