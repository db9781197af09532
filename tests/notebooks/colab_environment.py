"""An environment with Colab's library set, made once and kept in build/ under the hash of its requirements."""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

from interpreters import find_interpreters

REQUIREMENTS = Path(__file__).parents[1] / "colab" / "requirements.txt"


def colab_python(build):
    """Give the interpreter of the environment, making it if need be; None if there is no Python 3.13 here.

    Args:
        build: Folder for throw-away files.
    """
    bases = find_interpreters(13)
    if not bases:
        return None
    digest = hashlib.sha256(REQUIREMENTS.read_bytes() + str(Path(bases[0]).resolve()).encode()).hexdigest()[:12]
    folder = build / f"colab-{digest}"
    build.mkdir(exist_ok=True)
    with (build / "colab.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # tests run in several processes
        if not (folder / "ready").exists():
            shutil.rmtree(folder, ignore_errors=True)
            _make(bases[0], folder)
            (folder / "ready").touch()
    return folder / "bin" / "python"


def _make(base, folder):
    own = str(Path(sys.executable).parent)
    uv = shutil.which("uv", path=os.pathsep.join([own, os.environ.get("PATH", "")]))
    if uv:
        commands = [[uv, "venv", "--quiet", "--python", base, folder]]
        commands += [[uv, "pip", "install", "--quiet", "--python", folder / "bin" / "python", "-r", REQUIREMENTS]]
    else:
        commands = [[base, "-m", "venv", "--without-pip", folder]]
        pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--quiet"]
        # Compiled when first imported, which few of the files are.
        commands += [[*pip, "--disable-pip-version-check", "--no-compile", "-r", REQUIREMENTS]]
    for command in commands:
        done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
        assert done.returncode == 0, f"{command}\n{done.stderr[-3000:]}"
