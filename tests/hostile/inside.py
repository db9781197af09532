"""Run commands in a throw-away course and say what they left behind; a program of its own, standard library only.

Usage: `python inside.py STEPS.json RESULT.json`. A step is a list of arguments, or `{"from": folder, "to": folder}`,
which puts one folder in the place of another (a submission that comes later).
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

MARKER = f"HOSTILE_RUN={os.environ.get('HOSTILE_RUN', '')}".encode()


def marked_processes() -> dict[int, str]:
    """List other processes that carry this run's marker in their environment."""
    own = {os.getpid(), os.getppid()}
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) not in own:
            try:
                if MARKER in (entry / "environ").read_bytes().split(b"\0"):
                    state = (entry / "stat").read_text().rpartition(")")[2].split()[0]
                    if state != "Z":
                        found[int(entry.name)] = (entry / "cmdline").read_text().replace("\0", " ").strip()
            except OSError:
                continue
    return found


def main(steps: str, result: str) -> None:
    """Do the steps, wait a moment, list what still runs, end it."""
    codes = []
    for step in json.loads(Path(steps).read_text()):
        if isinstance(step, dict):
            shutil.rmtree(step["to"], ignore_errors=True)
            shutil.copytree(step["from"], step["to"], symlinks=True)
        else:
            codes.append(subprocess.run(step, stdin=subprocess.DEVNULL).returncode)
    time.sleep(0.3)
    left = marked_processes()
    Path(result).write_text(json.dumps({"codes": codes, "left": sorted(left.values())}))
    for pid in left:
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            continue


if __name__ == "__main__":
    main(*sys.argv[1:])
