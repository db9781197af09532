"""Both notebooks of an assignment alone in an empty folder: no network, no repository, nothing written.

One run serves both. The release shows what a student has on the first day, and nothing that is asked of it depends on
how good a model is, so what it trains takes one step. What the source prints and draws is what its saved outputs
say. Afterwards any demonstration can be run again, in any order, with the same result.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from both_ways import notebooks_of, with_outputs
from nbformat.v4 import new_code_cell
from offline import MISSING, WITHOUT_NETWORK, has_network_namespaces
from rerun import NOT_YET_IN_THE_FRAME, changed, in_random_order
from saved_outputs import differences

from grader.core.cells import SKIPPED_KINDS, CellKind, kind_of
from grader.core.notebook import read_notebook, write_notebook

TRAINED_ONCE = Path(__file__).with_name("trained_once.py").read_text(encoding="utf-8")
TRAINED_BRIEFLY = Path(__file__).with_name("trained_briefly.py").read_text(encoding="utf-8")
#: Trainings of released cells, switched by a cell before each; neither binds a name of the notebook's.
SWITCH = "__import__('sys').briefly"
BRIEFLY = TRAINED_BRIEFLY + "\nimport sys\nsys.briefly = train_briefly()\nsys.briefly(False)"
BRIEFLY = f"exec(compile({BRIEFLY!r}, 'trained_briefly.py', 'exec'), {{}})"
#: Binds no name of the notebook's, which finds no file but its own.
REMEMBERING = TRAINED_ONCE + "\nremember_trainings()\nremember_predictions()"
REMEMBERING = f"exec(compile({REMEMBERING!r}, 'trained_once.py', 'exec'), {{}})"


def check_untouched_release(assignment, released, cells):
    """The release runs up to the tests, which fail because nothing is written.

    Args:
        assignment: Its name.
        released: The release.
        cells: What each of its cells did, as `run_alone.py` reports it, by id.
    """
    kinds = {c.id: kind_of(c) for c in released.cells if c.cell_type == "code"}
    errors = {name: cells[name]["error"] for name in kinds if cells[name]["error"]}
    tests = [name for name, kind in kinds.items() if kind is CellKind.TEST]
    only_hidden = [name for name in tests if name not in errors]
    assert not [n for n in errors if n not in tests], f"cells that fail in the untouched release: {errors}"
    assert {tuple(e) for e in errors.values()} == {("NotImplementedError", "not written yet")}
    # A test cell may be hidden as a whole; then the release has nothing there that could fail.
    sources = {c.id: c.source for c in released.cells}
    assert not [n for n in only_hidden if "assert " in sources[n]]
    checks = [name for name, kind in kinds.items() if kind is CellKind.SELF_CHECK]
    assert checks
    assert [n for n in checks if "not written yet" not in cells[n]["text"]] == []
    assert {kinds[n] for n in kinds} >= {CellKind.SETUP, CellKind.HELPERS, *SKIPPED_KINDS}


def train_released_briefly(merged):
    """Let released cells of a notebook that runs both ways train one step, and all others as long as they say."""
    for cell in merged.cells:
        kind, _, _ = cell.id.partition("-")
        if kind in ("unwritten", "written"):
            cell.source += f"\n{SWITCH}({kind == 'unwritten'})"
    # After what remembers whole trainings, which a brief one is not to be taken for.
    known = [n for n, c in enumerate(merged.cells) if c.id in ("setup", "remembering")]
    merged.cells.insert(known[-1] + 1, new_code_cell(BRIEFLY, id="briefly"))


@pytest.mark.slow
def test_both_notebooks_run_alone_and_the_source_gives_its_saved_outputs(request, course, assignment, tmp_path):
    walled = has_network_namespaces()
    source, released, merged = notebooks_of(course, assignment)
    # After the last cell, when all answers are written.
    again = [] if assignment in NOT_YET_IN_THE_FRAME else in_random_order(source, seed=0)
    merged.cells += [new_code_cell(c.source, id=f"again-{c.id}") for c in again]
    if again:  # what begins as a training or prediction did before need not be done again
        setup = next(n for n, c in enumerate(merged.cells) if c.id == "setup")
        merged.cells.insert(setup + 1, new_code_cell(REMEMBERING, id="remembering"))
    train_released_briefly(merged)
    alone, executed = tmp_path / "alone", tmp_path / "executed.ipynb"
    alone.mkdir()
    write_notebook(merged, tmp_path / f"{assignment}.ipynb")
    script = Path(__file__).with_name("run_alone.py")
    command = [
        *(WITHOUT_NETWORK if walled else ()),
        sys.executable,
        script,
        tmp_path / f"{assignment}.ipynb",
        alone,
        executed,
    ]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    outcome = json.loads(done.stdout.splitlines()[-1])
    cells = outcome["cells"]
    network, memory_mib, cpu_s = cells["probe"]["text"].split("\n")[:3]
    assert "unreachable" in network or not walled
    print(f"{assignment}: {outcome['seconds']:.0f} s, {cpu_s} s of processor time, {memory_mib} MiB")

    code = [c for c in released.cells if c.cell_type == "code"]
    check_untouched_release(assignment, released, {c.id: cells.get(f"released-{c.id}", cells.get(c.id)) for c in code})
    assert outcome["files"] == [f"{assignment}.ipynb"]
    # The course's own bounds are far below; these only tell that something runs away.
    assert int(memory_mib) < 2048

    ran = read_notebook(executed)
    answered = {c.id: c for c in with_outputs(source, ran, "answered").cells}
    differing = differences(request.session, course.source(assignment), answered)
    assert not differing, "\n\n".join(f"{name}: {text}" for name, text in differing.items())
    assert {c.id: cells[f"again-{c.id}"]["error"] for c in again if cells[f"again-{c.id}"]["error"]} == {}
    second = {c.id.removeprefix("again-"): c for c in ran.cells if c.id.startswith("again-")}
    assert len(second) == len(again)
    assert changed(answered, second) == {}
    if not walled:
        pytest.skip(f"all but the missing network was checked: {MISSING}")
