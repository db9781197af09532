"""Say what isolation this machine gives to marking: code on the student's side reaches for what it must not get."""

from __future__ import annotations

import os
import shutil
import socket
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from grader.sandbox import warm
from grader.sandbox.inside import isolate, wire
from grader.sandbox.pair import Pair

# Each probe is a cell of the student's: it sets `out` to what it got, or raises.
_PROBES = {
    "read a file of this user": "out = open({secret!r}).read()",
    "list the home folder": "import os\nout = set(os.listdir({home!r})) - {python}\nassert out, 'nothing but Python'",
    "write outside the scratch folder": "open({outside!r}, 'w').write('x')\nout = 'written'",
    "write beside the Python packages": "import numpy\nopen(numpy.__file__ + '.x', 'w').write('x')\nout = 'written'",
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
    ),
}
#: What a level does not claim to stop.
_NOT_AT = {
    "landlock": {"fill the disk"},
    "limits": set(_PROBES) - {"see a variable of this environment", "have more memory than it may"},
}


@dataclass
class Examination:
    """What was found.

    Args:
        level: The level that is reached.
        reached: Its parts.
        probes: For each probe: whether it was stopped, and by what error.
        milliseconds: For a pair of processes, from the request until both are isolated.
    """

    level: str = ""
    reached: dict = field(default_factory=dict)
    probes: dict[str, tuple[bool, str]] = field(default_factory=dict)
    milliseconds: float = 0.0
    advice: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether everything that the level claims to stop was stopped."""
        return all(stopped for name, (stopped, _) in self.probes.items() if name not in _NOT_AT.get(self.level, ()))


def examine(at_most: str = "bubblewrap") -> Examination:
    """Start both sides without any library and let every probe loose.

    Args:
        at_most: The highest level to use.

    Raises:
        GraderError: If no process can be started at all.
    """
    import time

    found = Examination()
    limits = isolate.Limits(memory_mib=512, scratch_mib=32, cpu_s=60)
    outside = tempfile.mkdtemp(prefix="doctor-")
    secret = Path(outside) / "secret"
    secret.write_text("secret")
    listener = socket.create_server(("127.0.0.1", 0))
    os.environ["GRADER_DOCTOR_SECRET"] = "secret"
    # A Python that is installed in the home folder is the one thing to be seen there.
    home = Path.home()
    python = {Path(f).relative_to(home).parts[0] for f in warm.python_folders() if Path(f).is_relative_to(home)}
    values = {
        "secret": str(secret), "home": str(home), "python": python or "set()",
        "outside": str(Path(outside) / "new"), "pid": os.getpid(),
        "port": listener.getsockname()[1], "memory": 2**30, "files": 8,
    }  # fmt: skip
    try:
        with warm.Template("import numpy", at_most=at_most) as template:
            for name, code in _PROBES.items():
                begun = time.monotonic()
                pair = Pair(template, limits)
                found.milliseconds = 1000 * (time.monotonic() - begun)
                found.reached, found.level = pair.isolation, pair.isolation["level"]
                found.probes[name] = _try(pair, code.format(**values))
                pair.end()
    finally:
        os.environ.pop("GRADER_DOCTOR_SECRET", None)
        listener.close()
        shutil.rmtree(outside, ignore_errors=True)
    if found.level != "bubblewrap":
        if sys.platform != "linux":
            found.advice.append("mark in a Linux container: this system has none of the walls that marking uses")
        elif warm.bubblewrap() is None:
            found.advice.append("install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap)")
            found.advice.append("if it is installed: allow user namespaces (sysctl kernel.unprivileged_userns_clone=1)")
    return found


def _try(pair: Pair, code: str) -> tuple[bool, str]:
    message = {"source": code, "name": "probe", "cpu_s": 20.0, "wall_s": 20.0, "rescue": False}
    try:
        wire.send(pair.student, message)
        error = wire.receive(pair.student)["error"]
    except wire.WireError as problem:
        return True, f"its process ended ({problem})"
    return (False, "") if error is None else (True, f"{error['type']}: {error['text'][:80]}")


def report(found: Examination) -> str:
    """Lay it out as text."""
    lines = [f"isolation: {found.level}"]
    parts = [
        f"bubblewrap {'yes' if found.reached['bubblewrap'] else 'no'}",
        f"namespaces {', '.join(found.reached['namespaces']) or 'none'}",
        f"seccomp {'yes' if found.reached['seccomp'] else 'no'}",
        f"Landlock version {found.reached['landlock']}" if found.reached["landlock"] else "Landlock not used",
    ]
    lines += ["  " + "; ".join(parts), f"  a pair of processes is ready in {found.milliseconds:.0f} ms", ""]
    lines.append("The student's side was made to try to")
    for name, (stopped, why) in found.probes.items():
        claimed = name not in _NOT_AT.get(found.level, ())
        verdict = (
            f"stopped  ({why})"
            if stopped
            else "NOT STOPPED"
            if claimed
            else "not stopped (this level does not claim to)"
        )
        lines.append(f"  {name:36} {verdict}")
    lines += ["", *(f"Advice: {line}" for line in found.advice)]
    lines.append(
        "All that this level claims is so."
        if found.sound
        else "SOMETHING IS NOT STOPPED: do not mark unknown code here."
    )
    return "\n".join(lines)
