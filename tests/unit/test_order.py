"""Tests that share what takes long to set up are run by one worker, and the longest begin first."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
EACH = """
import os, time

import pytest


@pytest.mark.parametrize("which", {ids})
def test_which(which):
    with open({log!r}, "a") as log:
        print(os.environ["PYTEST_XDIST_WORKER"], {name!r}, which, file=log)
    time.sleep(0.2)
"""
FILES = {
    "notebooks/test_answers.py": ["02-a", "02-b", "02-c", "02-d", "01-a", "01-b", "01-c", "01-d"],
    "gradebook/test_postgresql.py": ["a", "b", "c", "d"],
    "unit/test_small.py": ["a", "b", "c", "d"],
    "notebooks/test_readme.py": ["a", "b"],
}


def run(folder):
    """Run a small suite in the same order as the real one; return worker, file and id of each test."""
    log = folder / "log"
    for name, ids in FILES.items():
        path = folder / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(EACH.format(ids=json.dumps(ids), log=str(log), name=name))
    shutil.copy(TESTS / "conftest.py", folder / "tests")
    (folder / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "xdist",
        "-n",
        "2",
        "--dist",
        "loadgroup",
        "--no-loadscope-reorder",
    ]
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    env["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # the others take longer to import than the tests to run
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    return [line.split() for line in log.read_text().splitlines()]


def test_a_group_has_one_worker_and_the_longest_begin_first(tmp_path):
    ran = run(tmp_path)
    assert len(ran) == sum(map(len, FILES.values()))
    workers = {}
    for worker, name, which in ran:
        group = {"notebooks/test_answers.py": which[:2], "gradebook/test_postgresql.py": ""}.get(name)
        if group is not None:
            workers.setdefault((name, group), set()).add(worker)
    assert {group: len(found) for group, found in workers.items()} == dict.fromkeys(workers, 1)
    assert len(workers) == 3
    assert {name for _, name, _ in ran[:2]} == {"notebooks/test_readme.py"}
    # What is small begins last: at most one of it, on the other worker, in the moment in which the last group begins.
    names = [name for _, name, _ in ran]
    assert names[: names.index("gradebook/test_postgresql.py")].count("unit/test_small.py") <= 1


def test_every_file_that_is_named_is_there():
    spec = importlib.util.spec_from_file_location("order", TESTS / "conftest.py")
    order = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(order)
    named = [*order.LONGEST, *order.TOGETHER, *order.BY_NOTEBOOK]
    assert [name for name in named if not (TESTS / name).exists()] == []
