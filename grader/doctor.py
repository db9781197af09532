"""Find out how far this machine can isolate students' code.

Code on the student's side tries to get at what it must not have, and then does a little honest work: the walls have to
stop the one and let the other pass.
"""

from __future__ import annotations

import contextlib
import glob
import itertools
import json
import os
import platform
import shutil
import socket
import stat
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.core.private import Place
from grader.engine.prelude import import_lines
from grader.sandbox import mounts, warm
from grader.sandbox.call_names import name_of
from grader.sandbox.inside import isolate, wire
from grader.sandbox.inside.orders import Role
from grader.sandbox.pair import Pair

# Each probe is a cell of the student's: it sets `out` to what it got, or raises.
_PROBES = {
    "read a file of this user": "out = open({secret!r}).read()",
    "ask what is noted about a file of this user": "import os\nout = os.listxattr({secret!r})",
    "ask how much room is left beside that file": "import os\nout = os.statvfs({secret!r})",
    "write outside the scratch folder": "open({outside!r}, 'w').write('x')\nout = 'written'",
    "write beside the Python packages": "import numpy\nopen(numpy.__file__ + '.x', 'w').write('x')\nout = 'written'",
    "change mode or times of this machine's devices": (  # to what they are: harmless where it is not stopped
        "import os\nwas = os.stat('/dev/full')\nos.chmod('/dev/full', was.st_mode & 0o7777)\n"
        "os.utime('/dev/full', ns=(was.st_atime_ns, was.st_mtime_ns))\nout = os.stat('/dev/full').st_ctime_ns\n"
        "if out == was.st_ctime_ns:\n    raise PermissionError('nothing was changed')"
    ),
    "see a variable of this environment": "import os\nout = os.environ['GRADER_DOCTOR_SECRET']",
    "see another process": (
        "import os\nout = [p for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid())]\n"
        "out = [open(f'/proc/{{p}}/cmdline').read() for p in out]\nassert out"
    ),
    "signal another process": "import os\nos.kill({pid}, 0)\nout = 'there'",
    "start a process": "import os\npid = os.fork()\nif pid == 0:\n    os._exit(0)\nout = pid",
    "run a program": "import subprocess\nout = subprocess.run(['/bin/true'], check=True)",
    "connect to this machine": (
        "import socket\nlink = socket.create_connection(('127.0.0.1', {port}), timeout=2)\nout = 'connected'"
    ),
    "open any network socket": "import socket\nout = socket.socket(socket.AF_INET)",
    "have more memory than it may": "out = bytearray({memory})",
    "fill the disk": (
        "out = 0\n"
        "for n in range({files}):\n"
        "    with open(f'fill{{n}}', 'wb') as file:\n"
        "        out += file.write(b'x' * 2**20 * 16)\n"
        "import time\ntime.sleep(1)"  # where no file system bounds it, somebody looks from time to time
    ),
}
#: The same for a place of this machine: what is seen there besides what Python needs.
_LOOK = """import os
try:
    seen = set(os.listdir({path!r})) - set({python!r})
except NotADirectoryError:
    seen = [open({path!r}, 'rb').read(1)]
if not seen:
    raise FileNotFoundError("nothing but Python")
"""
#: Go through all that is shown, and look for some files and folders by their numbers, whatever they are called there.
_WALK = """import os
wanted, found = {wanted!r}, []
for start in {starts!r}:
    for folder, folders, names in os.walk(start):
        if folder == "/":
            folders[:] = set(folders) - {{"proc", "dev"}}
        with os.scandir(folder) as entries:
            there = [e.path for e in entries if e.inode() in wanted]
        for path in there:
            try:
                status = os.stat(path)
                if wanted.get(status.st_ino) != status.st_dev:
                    continue
                if not os.path.isdir(path):
                    found.append(open(path, "rb").name)
                elif set(os.listdir(path)) - set({python!r}.get(path, ())):
                    found.append(path)
            except OSError:
                continue
if not found:
    raise FileNotFoundError("nothing of it")
"""
#: So many files of the course are looked for.
_MOST_FILES = 2000
#: What cannot be done where code may write no file.
_OWN_FILE = "a file of its own"
#: Honest work, by name: the module that it needs and the code. It is done if the course imports the module.
_WORK = {
    "arithmetic": ("", "assert sum(range(10)) == 45"),
    _OWN_FILE: (
        "",
        "import os, tempfile\n"
        "with tempfile.TemporaryDirectory() as folder:\n"
        "    open(os.path.join(folder, 'own'), 'w').write('x')\n"
        "    assert os.listdir(folder) == ['own']",
    ),
    "linear algebra": ("numpy", "import numpy as np\nassert np.linalg.eigvalsh(np.ones((300, 300)))[-1] > 299"),
    "a figure": (
        "matplotlib",
        "import io\nimport matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.savefig(io.BytesIO(), format='png')",
    ),
    "training a Keras layer": (
        "keras",
        "import keras, numpy as np\n"
        "model = keras.Sequential([keras.layers.Dense(1)])\n"
        "model.compile('sgd', 'mse')\n"
        "model.fit(np.ones((8, 3)), np.ones((8, 1)), verbose=0)",
    ),
}
#: Where the allowed system calls are.
_LIST = "grader/sandbox/inside/syscalls.py"
#: Seconds on the clock for such work.
_WORK_S = 90.0
#: All that resource limits and a new environment stop.
_AT_LIMITS = {"see a variable of this environment", "have more memory than it may"}


@dataclass
class Examination:
    """What was found.

    Args:
        level: The level that is reached.
        reached: Its parts.
        probes: For each probe: whether it was stopped, and by what error.
        work: For each piece of honest work: what went wrong, or an empty string.
        refused: For work that failed: the system calls that the list does not have.
        covered: What lies where Python needs to read, and is covered by an empty folder.
        milliseconds: For a pair of processes, from the request until both are isolated.
        advice: What to do for a better level, and about what else is open.
    """

    level: str = ""
    reached: dict = field(default_factory=dict)
    probes: dict[str, tuple[bool, str]] = field(default_factory=dict)
    work: dict[str, str] = field(default_factory=dict)
    refused: dict[str, list[str]] = field(default_factory=dict)
    covered: tuple[Place, ...] = ()
    milliseconds: float = 0.0
    advice: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether everything that the level claims to stop was stopped."""
        return all(stopped for name, (stopped, _) in self.probes.items() if self.claims(name))

    def claims(self, name: str) -> bool:
        """Return whether the level claims to stop a probe."""
        return self.level != isolate.Level.LIMITS or name in _AT_LIMITS

    @property
    def usable(self) -> bool:
        """Whether honest work was possible."""
        return not any(self.work.values())


def imports_of(course: Course) -> str:
    """Return what the notebooks of a course import, a statement a line."""
    lines = [import_lines(read_notebook(course.source(name))).splitlines() for name in course.assignments()]
    return "\n".join(dict.fromkeys(line for some in lines for line in some))


def _probes_of(places: Iterable[Place], seen: mounts.View, wrapped: bool) -> dict[str, str]:
    """Return the probes that look for the places of a course: each by its path, and all of them by their numbers."""
    probes, wanted, python = {}, {}, {}
    shown = [*seen.shown, *(at for at, _ in seen.links)]
    for place in places:
        path = os.path.realpath(place.path)
        if not os.path.exists(path):
            continue
        rest = [one[len(path.rstrip("/")) + 1 :] for one in shown if mounts.within(one, path)]
        python[path] = sorted({one.split("/")[0] for one in rest})
        probes[f"look into {place.what}"] = _LOOK.format(path=path, python=python[path])
        # Not pathlib's: a folder that is gone before it is read, as among temporary files, would end it.
        below = glob.iglob(os.path.join(glob.escape(path), "*", "*.*"), include_hidden=True)
        files = (Path(file) for file in below if not any(mounts.within(file, s) for s in shown))
        for one in (Path(path), *itertools.islice(files, _MOST_FILES)):
            with contextlib.suppress(OSError):
                status = one.lstat()
                wanted[status.st_ino] = status.st_dev
    # With bubblewrap nothing else is there; elsewhere this would be the whole disk.
    starts = ["/"] if wrapped else seen.shown
    probes["find any of these by walking"] = _WALK.format(wanted=wanted, starts=starts, python=python)
    return probes


def examine(
    at_most: str = isolate.Level.BUBBLEWRAP, imports: str = "import numpy", places: Iterable[Place] = ()
) -> Examination:
    """Start both sides, try every probe, and do honest work.

    Args:
        at_most: The highest level to use.
        imports: What the warm process imports, a statement a line.
        places: What students' code must not see, besides what is known of this machine.

    Raises:
        GraderError: If no process can be started at all, or a place can be neither left out nor covered.
    """
    import time

    found = Examination()
    limits = isolate.Limits(memory_mib=512, scratch_mib=32, cpu_s=60)
    outside = tempfile.mkdtemp(prefix="doctor-")
    secret = Path(outside) / "secret"
    secret.write_text("secret")
    listener = socket.create_server(("127.0.0.1", 0))
    os.environ["GRADER_DOCTOR_SECRET"] = "secret"
    values = {
        "secret": str(secret),
        "outside": str(Path(outside) / "new"), "pid": os.getpid(),
        "port": listener.getsockname()[1], "memory": 2**30, "files": 8,
    }  # fmt: skip
    try:
        with warm.Template(imports, isolate.Level.LIMITS, at_most, places) as template:
            found.covered = template.seen.hidden
            probes = {name: code.format(**values) for name, code in _PROBES.items()}
            for name, code in (probes | _probes_of(template.private, template.seen, template.wrapped)).items():
                begun = time.monotonic()
                pair = Pair(template, limits)
                found.milliseconds = 1000 * (time.monotonic() - begun)
                found.reached, found.level = pair.isolation, pair.isolation["level"]
                found.probes[name] = _try(pair, code)
                pair.end()
            for name, (module, code) in _WORK.items():
                if module in imports and (name != _OWN_FILE or found.reached["writes"]):
                    _work(template, found, name, code)
    finally:
        os.environ.pop("GRADER_DOCTOR_SECRET", None)
        listener.close()
        shutil.rmtree(outside, ignore_errors=True)
    if found.level != isolate.Level.BUBBLEWRAP:
        if sys.platform != "linux":
            found.advice.append("mark in a Linux container: this system has none of the walls that marking uses")
        elif warm.bubblewrap() is None:
            found.advice.append("install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap)")
            found.advice.append("if it is installed: allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)")
    return found


def advice_on_marks(folder: Path, shared: bool) -> list[str]:
    """Return advice if other users of this machine can get at submissions and marks.

    Args:
        folder: Where they are, `grader/local`.
        shared: Whether the folder's group is meant to (nbgrader's `groupshared`).
    """
    wrong = stat.S_IRWXO if shared else stat.S_IRWXG | stat.S_IRWXO
    enter = stat.S_IXGRP | stat.S_IXOTH
    reached = folder.is_dir() and all(parent.stat().st_mode & enter for parent in folder.resolve().parents)
    if not reached or not folder.stat().st_mode & wrong & enter:
        return []
    return [f"other users of this machine can enter {folder}: chmod {'o=' if shared else 'go='} {folder}"]


def _work(template: warm.Template, found: Examination, name: str, code: str) -> None:
    """Do honest work; if it fails, do it again in the role that reports the system calls which the list lacks."""
    pair = Pair(template, isolate.Limits())
    stopped, why = _try(pair, code, _WORK_S)
    pair.end()
    found.work[name] = why if stopped else ""
    if stopped and found.level != isolate.Level.LIMITS:
        found.refused[name] = refused_calls(template, code)


def refused_calls(template: warm.Template, code: str) -> list[str]:
    """Run code and return the system calls that it makes and that are not on the list, by name or number."""
    own, other = socket.socketpair()
    own.settimeout(_WORK_S)
    with own:
        with other:
            number, _ = template.spawn(Role.PROBE, [other], isolate.Limits())
        told = []
        with contextlib.suppress(OSError), own.makefile("r", encoding="utf-8") as lines:
            own.sendall(json.dumps(code).encode() + b"\n")
            told = [json.loads(line) for line in lines]
    template.end(number, 0.5)
    calls = dict.fromkeys(one["refused"] for one in told if "refused" in one)
    return [name_of(call, platform.machine()) for call in calls]


def _try(pair: Pair, code: str, seconds: float = 20.0) -> tuple[bool, str]:
    message = {"source": code, "name": "probe", "cpu_s": seconds, "wall_s": seconds, "rescue": False}
    try:
        wire.send(pair.student, message)
        error = wire.receive(pair.student)["error"]
    except wire.WireError as problem:
        return True, f"its process ended ({problem})"
    return (False, "") if error is None else (True, f"{error['type']}: {error['text'][:80]}")


def report(found: Examination) -> str:
    """Format it as text."""
    lines = [f"isolation: {found.level}"]
    parts = [
        f"bubblewrap {'yes' if found.reached['bubblewrap'] else 'no'}",
        f"namespaces {', '.join(found.reached['namespaces']) or 'none'}",
        f"seccomp {'yes' if found.reached['seccomp'] else 'no'}",
        f"Landlock version {found.reached['landlock']}" if found.reached["landlock"] else "Landlock not used",
    ]
    lines += ["  " + "; ".join(parts), f"  a pair of processes is ready in {found.milliseconds:.0f} ms", ""]
    for place in found.covered:
        lines.append(f"Covered by an empty folder, since Python needs what is around it: {place.what} ({place.path})")
    lines.append("The student's side was made to try to")
    for name, (stopped, why) in found.probes.items():
        claimed = found.claims(name)
        verdict = (
            f"stopped  ({why})"
            if stopped
            else "NOT STOPPED"
            if claimed
            else "not stopped (this level does not claim to)"
        )
        lines.append(f"  {name:52} {verdict}")
    lines += ["", "It was also given honest work:"]
    for name, why in found.work.items():
        lines.append(f"  {name:52} {f'FAILED  ({why})' if why else 'done'}")
        if calls := found.refused.get(name):
            lines.append(f"  {'':52} system calls that are not allowed: {', '.join(calls)}")
            lines.append(f"  {'':52} if a library needs them, add them to {_LIST}")
    if not found.reached["writes"]:
        lines.append("  Students' code can write no file here: nothing would bound what that takes of the disk.")
    lines += ["", *(f"Advice: {line}" for line in found.advice)]
    if not found.sound:
        lines.append("SOMETHING IS NOT STOPPED: do not mark unknown code here.")
    if not found.usable:
        lines.append("HONEST WORK FAILS: right answers would lose points here.")
    if found.sound and found.usable:
        lines.append("All that this level claims is so.")
    return "\n".join(lines)
