"""A student's view: the released notebook alone in an empty folder, no network, no repository, nothing written."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from offline import WITHOUT_NETWORK, need_network_namespaces

from grader.core.cells import SKIPPED_KINDS, CellKind, kind_of
from grader.core.notebook import read_notebook


@pytest.mark.slow
def test_untouched_release_runs_up_to_the_tests(course, assignment, tmp_path):
    need_network_namespaces()
    script = Path(__file__).with_name("run_alone.py")
    command = [*WITHOUT_NETWORK, sys.executable, str(script), str(course.released(assignment)), str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    outcome = json.loads(done.stdout.splitlines()[-1])
    cells = outcome["cells"]
    network, memory_mib = cells["probe"]["text"].split("\n")[:2]
    assert "unreachable" in network
    print(f"{assignment}: {outcome['seconds']:.0f} s, {memory_mib} MiB")

    kinds = {c.id: kind_of(c) for c in read_notebook(course.released(assignment)).cells if c.cell_type == "code"}
    errors = {name: cell["error"] for name, cell in cells.items() if cell["error"]}
    tests = [name for name, kind in kinds.items() if kind is CellKind.TEST]
    only_hidden = [name for name in tests if name not in errors]
    assert not [n for n in errors if n not in tests], f"cells that fail in the untouched release: {errors}"
    assert {tuple(e) for e in errors.values()} == {("NotImplementedError", "not written yet")}
    # A test cell may be hidden as a whole; then the release has nothing there that could fail.
    released = {c.id: c.source for c in read_notebook(course.released(assignment)).cells}
    assert not [n for n in only_hidden if "assert " in released[n]]
    checks = [name for name, kind in kinds.items() if kind is CellKind.SELF_CHECK]
    assert checks
    assert [n for n in checks if "not written yet" not in cells[n]["text"]] == []
    assert {kinds[n] for n in kinds} >= {CellKind.SETUP, CellKind.HELPERS, *SKIPPED_KINDS}
    assert outcome["files"] == [f"{assignment}.ipynb"]
    # The course's own bounds are far below; these only tell that something runs away.
    assert int(memory_mib) < 2048
