"""The Python files are linted and formatted as pyproject.toml says."""

import subprocess
import sys

import pytest


@pytest.mark.parametrize("command", [["check"], ["format", "--check"]])
def test_ruff_finds_nothing(request, command):
    places = ["grader", "assets", "tests", "nbgrader_config.py"]
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *command, *places], cwd=request.config.rootpath, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
