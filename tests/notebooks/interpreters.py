"""Interpreters on this machine."""

import glob
import shutil
import subprocess
import sys
from pathlib import Path


def find_interpreters(*minors):
    """Find interpreters of Python 3.minor that can make an environment, the minors in the order given."""
    found = []
    for minor in minors:
        own = [sys._base_executable] if sys.version_info[:2] == (3, minor) else []
        pyenv = sorted(glob.glob(str(Path.home() / f".pyenv/versions/3.{minor}.*/bin/python")))
        found += [*own, shutil.which(f"python3.{minor}"), *pyenv]
    check = "import ensurepip, venv"
    return [f for f in found if f and subprocess.run([f, "-c", check], capture_output=True).returncode == 0]
