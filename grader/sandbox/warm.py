"""Start the warm process in the strongest surroundings that this machine offers, and talk to it.

With bubblewrap the process sees what Python needs, piece by piece and read-only (`mounts.py`), and an empty `/tmp`; no
repository, no home, no network, no other process, no variable of the instructor's environment. Without it Landlock's
rules stand in (see `isolate.py`).
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from grader.core.errors import GraderError, IsolationNotReached
from grader.core.private import Place, of_this_machine
from grader.sandbox import mounts
from grader.sandbox.folders import LockedFolder
from grader.sandbox.inside import isolate, orders
from grader.sandbox.inside.orders import Role

_log = logging.getLogger(__name__)
#: The folder of what runs inside; nothing else of this package is to be seen there,
#: where it is a package of its own, `inside`.
INSIDE = Path(__file__).with_name("inside")
#: How the warm process starts. Python puts the folder of this script first on its search path, and neither the current
#: folder nor a student's.
_START = "from inside.template import main\n\nmain()\n"
START_S = 180
# Not in /tmp and not in /scratch: the Python installation may stand there.
_RUNNER, _SCRATCH = "/run/marking", "/run/scratch"

#: What a warm process is started with. One thread per child: children run side by side, and sums come out the same on
#: every machine.
ENVIRONMENT = {
    "PATH": "/usr/bin:/bin",
    "LANG": "C.UTF-8",
    "MPLBACKEND": "Agg",
    "KERAS_BACKEND": "tensorflow",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TF_NUM_INTRAOP_THREADS": "1",
    "TF_NUM_INTEROP_THREADS": "1",
    "TF_CPP_MIN_LOG_LEVEL": "3",
    "TF_ENABLE_ONEDNN_OPTS": "0",
    "CUDA_VISIBLE_DEVICES": "-1",
}


@functools.cache
def bubblewrap() -> str | None:
    """Return the path of a bubblewrap that works here, or None."""
    program = shutil.which("bwrap")
    if program is None:
        return None
    command = [program, "--unshare-all", "--ro-bind", "/", "/", "--proc", "/proc", "--dev", "/dev", "true"]
    try:
        works = subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return None
    return program if works else None


def _wrap(program: str, runner: str, environment: dict[str, str], seen: mounts.View) -> list[str]:
    """Return the words that go before a command to run it inside bubblewrap."""
    words = [program, "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    for name, value in environment.items():
        words += ["--setenv", name, value]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--tmpfs", _SCRATCH, "--ro-bind", runner, _RUNNER]
    words += mounts.bubblewrap_words(seen)
    return [*words, "--remount-ro", "/", "--remount-ro", "/dev", "--remount-ro", "/tmp", "--chdir", _SCRATCH]


class _Line:
    """The connection to a warm process.

    Args:
        link: A socket of packets.
        isolation: The least level of isolation that will do.
        at_most: The highest level that is used.
    """

    def __init__(self, link: socket.socket, isolation: str, at_most: str):
        self._link, self.isolation, self.at_most, self._lock = link, isolation, at_most, threading.Lock()
        self.count = self._owed = 0
        #: What its users keep for as long as it lives, by name.
        self.kept: dict[str, object] = {}
        self._afters: dict[tuple[tuple[str, str, bool], ...], Twin | None] = {}

    def _first(self) -> None:
        """Wait until the process is ready; called once, before the first message."""

    def _gone(self) -> None:
        raise GraderError("the warm process ended", "marking", "see what `grader doctor` says")

    def _ask(self, message: dict[str, Any], descriptors: list[int] | None = None) -> dict[str, Any]:
        with self._lock:
            try:
                self._first()
                while self._owed:  # whoever asked was interrupted; its answer is not the next one's
                    self._link.recv(orders.PACKET_BYTES)
                    self._owed -= 1
                socket.send_fds(self._link, [json.dumps(message).encode()], descriptors or [])
                self._owed += 1
                reply = self._link.recv(orders.PACKET_BYTES)
                self._owed -= 1
            except OSError:
                self._gone()
            if not reply:
                self._gone()
        answer: dict[str, Any] = json.loads(reply)
        return answer

    def spawn(self, role: Role, sockets: list[socket.socket], limits: isolate.Limits) -> tuple[int, dict[str, Any]]:
        """Fork a child that serves some sockets.

        Args:
            role: What it does.
            sockets: What it gets; the caller closes its own copies.
            limits: What it may use.

        Returns:
            Its number, and the isolation that it reached.

        Raises:
            GraderError: If it could not be isolated, or less than asked for.
        """
        self.count += 1
        number = self.count
        message = {"spawn": number, "role": role, "limits": limits.as_json()}
        reply = self._ask(message, [s.fileno() for s in sockets])
        reached = reply.get("isolation")
        if reached is None:
            self.end(number, 0)
            why = reply.get("error", "no report from the new process")
            raise GraderError(f"a process for marking could not be isolated: {why}", "marking", "see `grader doctor`")
        if isolate.LEVELS.index(reached["level"]) < isolate.LEVELS.index(self._least()):
            self.end(number, 0)
            raise IsolationNotReached(
                f"isolation {self.isolation!r} was asked for, this machine reaches {reached['level']!r}",
                "marking",
                "install bubblewrap (Debian, Ubuntu: apt-get install bubblewrap), or ask for less; see `grader doctor`",
            )
        return number, reached

    def _least(self) -> str:
        """Return the least level that will do. Limits alone protect no file, so they have to be asked for by name."""
        if self.isolation != "best":
            return self.isolation
        return min(self.at_most, isolate.Level.LANDLOCK, key=lambda level: isolate.LEVELS.index(isolate.Level(level)))

    def end(self, number: int, wait_s: float) -> dict[str, Any]:
        """Wait for a child, and end it if it does not end by itself.

        The warm process serves nobody else meanwhile, so ask only once the child has closed its sockets, or to kill it.

        Args:
            number: The child.
            wait_s: Seconds that it has; 0 kills it.

        Returns:
            `ended` (an `orders.Ended`), `code` (the exit code or the signal), `cpu_s` and `peak_mib`.
        """
        reply = self._ask({"end": number, "wait_s": wait_s})
        return reply | {"ended": orders.Ended(reply["ended"])}

    def look(self, numbers: list[int]) -> list[tuple[float, bool, bool]]:
        """Return the CPU seconds so far of some children, whether each waits (`watching.waits`), and has ended.

        One that has ended also waits, and 0 seconds are told of it.
        """
        seen = self._ask({"look": numbers})["seen"]
        return [(float(cpu_s), bool(waits), bool(ended)) for cpu_s, waits, ended in seen]

    def interrupt(self, number: int) -> None:
        """Ring at a child: its code that runs under a clock ends as if its time was up."""
        self._ask({"interrupt": number})

    def keep(self, name: str, source: str, helpers: bool = False) -> int:
        """Compile a cell that many children run.

        Args:
            name: What tracebacks call it.
            source: Its source.
            helpers: Whether it is a helper cell, whose functions say when they are called.

        Returns:
            Its number, by which a task names it.
        """
        return int(self._ask({"keep": [name, source, helpers]})["kept"])

    def twin(self) -> Twin:
        """Fork a second warm process, which shares the memory of this one; it ends with this one at the latest."""
        return Twin(self._fork({"twin": True}), self.isolation, self.at_most)

    def _fork(self, message: dict[str, Any]) -> socket.socket:
        """Have a second warm process forked; return the socket to it."""
        own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        own.settimeout(START_S)
        with other:
            reply = self._ask(message, [other.fileno()])
        if "error" in reply:
            own.close()
            raise GraderError(f"no second warm process: {reply['error']}", "marking", "see `grader doctor`")
        return own

    def after(self, cells: Sequence[tuple[str, str, bool]]) -> Twin | None:
        """Return a warm process that has run some cells, none of them a student's, before it forks its children.

        It is forked from this one when it is first asked for, and ends with it.

        Args:
            cells: Names, sources, and whether they are helper cells.

        Returns:
            The process, with what the cells printed in `texts`; None if they cannot be run ahead, because one of them
            fails or runs an operation of TensorFlow.
        """
        key = tuple(cells)
        found = self._afters.get(key)
        if key not in self._afters or (found is not None and not found.alive):
            link = self._fork({"twin": True, "prelude": [self.keep(*cell) for cell in key]})
            try:
                said = json.loads(link.recv(orders.PACKET_BYTES) or b'{"error": "it ended"}')
            except OSError as error:
                said = {"error": f"it did not end ({type(error).__name__})"}
            if "texts" in said:
                self._afters[key] = Twin(link, self.isolation, self.at_most, tuple(said["texts"]))
            else:
                _log.warning("%s cannot be run ahead: %s", ", ".join(name for name, *_ in key), said["error"])
                link.close()
                self._afters[key] = None
        return self._afters[key]

    def _close_afters(self) -> None:
        while self._afters:
            if (twin := self._afters.popitem()[1]) is not None:
                twin.close()


class Twin(_Line):
    """A warm process that was forked from another one.

    It is for one more worker, in another process or thread, or for the notebook whose first cells it has run.

    Args:
        link: A socket of packets.
        isolation: The least level of isolation that will do.
        at_most: The highest level that is used.
        texts: What the cells printed that it has run.
    """

    alive = True

    def __init__(self, link: socket.socket, isolation: str, at_most: str, texts: tuple[str, ...] = ()):
        super().__init__(link, isolation, at_most)
        self.texts = texts

    def _gone(self) -> None:
        self.alive = False
        super()._gone()

    def close(self) -> None:
        """Hang up: the process ends."""
        self.alive = False
        self._close_afters()
        self._link.close()


class Template(_Line):
    """A warm process that student and trusted sides are forked from; a context manager.

    Args:
        imports: Import statements and `os.environ` assignments, a line each.
        isolation: The least level that will do: one of `isolate.LEVELS`, or "best" for what there is,
            from Landlock on unless `at_most` is lower.
        at_most: The highest level to use, to try a lower one on purpose.
        private: What must not be seen there, besides what is known of this machine.

    Raises:
        GraderError: If the machine offers less than asked for, or the process does not start.
        RunRefused: If something private lies where Python needs to read, and cannot be covered.
    """

    def __init__(
        self,
        imports: str,
        isolation: str = "best",
        at_most: str = isolate.Level.BUBBLEWRAP,
        private: Iterable[Place] = (),
    ):
        if isolation not in ("best", *isolate.LEVELS):
            raise GraderError(
                f"unknown isolation {isolation!r}", "isolation", f"one of best, {', '.join(isolate.LEVELS)}"
            )
        if sys.platform != "linux":
            fix = "mark in a Linux container or virtual machine, or in WSL; see grader/README.md"
            raise GraderError("marking isolates student code by means of Linux, which this is not", sys.platform, fix)
        self.imports, self.isolation, self.at_most = imports, isolation, at_most
        self.private = (*private, *of_this_machine())
        self._process: subprocess.Popen[bytes] | None = None
        self._hung_up = False

    def __enter__(self) -> Template:
        """Start the process; it goes on importing while the caller goes on."""
        program = bubblewrap() if self.at_most == isolate.Level.BUBBLEWRAP else None
        self.wrapped = program is not None
        # Limits alone hide nothing from anybody.
        walls = program or (self.at_most != isolate.Level.LIMITS and isolate.landlock_version())
        hide = self.private if walls else ()
        self.seen = mounts.view(hide, cover=program is not None)
        self._held = LockedFolder()
        self.folder = self._held.path
        runner = os.path.join(self.folder, "runner")
        scratch = os.path.join(self.folder, "scratch")
        os.mkdir(runner)
        os.mkdir(scratch, 0o700)
        package = os.path.join(runner, "inside")
        os.mkdir(package)
        for path in INSIDE.glob("*.py"):
            shutil.copy(path, package)
        Path(runner, "start.py").write_text(_START)
        own, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        environment = dict(ENVIRONMENT)
        inside = _SCRATCH if program else scratch
        environment |= {name: inside for name in ("HOME", "TMPDIR", "IPYTHONDIR", "MPLCONFIGDIR", "XDG_CACHE_HOME")}
        environment["MPLCONFIGDIR"] = runner if program is None else _RUNNER
        _copy_font_list(runner)
        command = [sys.executable, "-s", f"{_RUNNER if program else runner}/start.py", str(other.fileno())]
        if program:
            command = [*_wrap(program, runner, environment, self.seen), *command]
        self._log = open(os.path.join(self.folder, "log"), "w+b")
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=self._log,
            pass_fds=[other.fileno()], cwd=scratch, env=environment, start_new_session=True,
        )  # fmt: skip
        other.close()
        _log.debug("warm process %d, %s bubblewrap, in %s", self._process.pid, "in" if program else "no", self.folder)
        super().__init__(own, self.isolation, self.at_most)
        self._link.settimeout(START_S)
        readable = [*self.seen.shown, runner]
        first = {"imports": self.imports, "wrapped": bool(program), "readable": readable, "scratch": inside}
        first["at_most"] = self.at_most
        try:
            self._link.send(json.dumps(first).encode())
        except OSError:
            self._gone()
        self._ready: dict[str, Any] | None = None
        atexit.register(self.close)
        return self

    def __exit__(self, *exception: object) -> None:
        """End the process and all that was forked from it."""
        self.close()

    def close(self) -> None:
        """End the process and all that was forked from it; may be called twice."""
        process, self._process = self._process, None
        if process is None:
            return
        atexit.unregister(self.close)
        self._close_afters()
        self._link.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            _log.warning("warm process %d did not end and was killed", process.pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.kill()
            process.wait()
        self._log.close()
        self._held.remove()

    @property
    def import_s(self) -> float | None:
        """Seconds that the imports took; None before the first message."""
        return None if self._ready is None else float(self._ready["ready"])

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process is not None and not self._hung_up and self._process.poll() is None

    def _first(self) -> None:
        if self._ready is None:
            self._ready = json.loads(self._link.recv(orders.PACKET_BYTES) or b"null")
            if self._ready is None:
                self._gone()

    def _gone(self) -> None:
        self._hung_up = True  # its socket ends before the process does
        self._log.seek(0)
        said = " | ".join(self._log.read().decode("utf-8", "replace").strip().splitlines()[-3:])
        fix = "see what `grader doctor` says; run the notebook's imports in plain Python"
        raise GraderError(f"the process that imports the notebook's modules ended: {said}", "marking", fix)


def _copy_font_list(folder: str) -> None:
    """Let matplotlib find the list of fonts that it has made before; making it costs seconds."""
    with contextlib.suppress(Exception):
        import matplotlib

        for path in Path(matplotlib.get_cachedir()).glob("fontlist-*.json"):
            shutil.copy(path, folder)


#: What a notebook is marked with: the process itself, or a fork of it for one more worker.
WarmProcess = Template | Twin
