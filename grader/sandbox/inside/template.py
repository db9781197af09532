r"""The warm process that every run of an answer is forked from: it imports what a notebook imports, and runs nothing.

Marking, the audit and the benchmark differ only in the role of the children, so what was audited is what is marked.
`warm.py` starts it by a script of two lines, inside bubblewrap where there is one, with a unix socket of packets (JSON,
and descriptors beside it) as its only connection:

```text
<- {"imports": "import numpy as np\n...", "wrapped": true, "readable": [...], "scratch": "/scratch", "at_most": ...}
-> {"ready": 2.1}
<- {"spawn": 7, "role": "student", "limits": {...}}, two sockets
-> {"inner": 4711, "isolation": {...}}  or {"error": "..."}
<- {"end": 7, "wait_s": 2.0}
-> {"ended": "done", "code": 0, "cpu_s": 0.4, "peak_mib": 80}
<- {"look": [6, 7]}
-> {"seen": [[0.4, true, false], [0.0, true, true]]}: CPU seconds so far of each, whether it waits, whether it has ended
<- {"interrupt": 7}
-> {"interrupted": true}: SIGALRM was sent to it
<- {"keep": ["setup", "import numpy as np", false]}
-> {"kept": 0}: a cell that many children run, compiled once, with its number
<- {"twin": true}, a socket
-> {"twin": 4712}: a second warm process, forked from this one, that serves the socket in the same way
<- {"twin": true, "prelude": [0, 1]}, a socket
-> {"twin": 4713}: one that has run these cells; the first thing that comes over its socket is what `prelude.run` says
```

Importing TensorFlow takes seconds, forking milliseconds. TensorFlow can be forked only while it has not run an
operation: afterwards children hang without a word. So nothing but imports is executed here.

A child is two processes: the outer one enters new namespaces and watches (`watching.py`), the inner one is number 1 in
them. When number 1 ends, the kernel ends everything in its process namespace.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import tempfile
import time
from typing import Any

from . import cells, isolate, pages, prelude, watching
from .lookout import Lookout
from .orders import PACKET_BYTES, Ended, Role
from .removing import remove_tree


def import_modules(source: str) -> None:
    """Execute import statements and assignments to `os.environ`, one by one.

    An import that fails is left alone: it fails again in the child, where it is reported with its cell.
    """
    space: dict[str, Any] = {"os": os}
    for line in source.splitlines():
        with contextlib.suppress(Exception):
            exec(compile(line, "<imports>", "exec", dont_inherit=True), space)


def _only_these_descriptors(keep: list[int]) -> list[int]:
    """Move the kept descriptors to 3, 4, ..., cut the standard streams, close all others."""
    null = os.open(os.devnull, os.O_RDWR)
    high = [os.dup2(fd, 200 + n) for n, fd in enumerate(keep)]
    null = os.dup2(null, 199)
    os.closerange(3, 199)
    for n in range(3):
        os.dup2(null, n)
    moved = [os.dup2(fd, 3 + n) for n, fd in enumerate(high)]
    os.closerange(3 + len(moved), 4096)
    return moved


#: What is seen of a child that has ended; whoever asked before knows what it has used.
_ENDED = 0.0, True, True


class Child:
    """A running child as the template sees it.

    Args:
        request: The `spawn` message.
        descriptors: The sockets that it gets.
        settings: What the first message said.
    """

    def __init__(self, request: dict[str, Any], descriptors: list[int], settings: dict[str, Any]):
        self.folder = "" if settings["wrapped"] else tempfile.mkdtemp(dir=settings["scratch"])
        scratch = self.folder or settings["scratch"]
        read, write = os.pipe()
        self._why, why = os.pipe()
        self._taken = watching.Taken()
        try:
            self.outer = isolate.fork()
        except OSError:
            for descriptor in (read, write, self._why, why):
                os.close(descriptor)
            self._taken.close()
            if self.folder:
                os.rmdir(self.folder)
            raise
        if self.outer == 0:
            try:
                os.close(read)
                self._outer(request, descriptors, settings, scratch, write, why)
            finally:
                os._exit(70)
        os.close(write)
        os.close(why)
        self.report, self.inner, self.isolation = read, 0, None

    def _outer(
        self,
        request: dict[str, Any],
        descriptors: list[int],
        settings: dict[str, Any],
        scratch: str,
        write: int,
        why: int,
    ) -> None:
        os.setsid()
        isolate.die_with_parent()
        namespaces = [] if settings["at_most"] == isolate.Level.LIMITS else isolate.enter_namespaces()
        ready, go = os.pipe()
        try:
            inner = isolate.fork()
        except OSError as error:
            os.write(write, json.dumps(_no_process(error)).encode() + b"\n")
            os._exit(71)
        if inner:
            for fd in (*descriptors, settings["link"]):
                os.close(fd)
            os.write(write, json.dumps({"inner": inner}).encode() + b"\n")
            os.close(write)
            os.close(ready)
            limits, shared = isolate.Limits(**request["limits"]), request["role"] == Role.STUDENT
            watcher = watching.Watcher(inner, limits, scratch, shared)
            os.write(go, b"1")
            status, ended = watcher.wait()
            os.write(why, (ended or "").encode())
            # The same end as the inner one, so that the template learns of it.
            if os.WIFSIGNALED(status):
                os._exit(128 + os.WTERMSIG(status))
            os._exit(os.WEXITSTATUS(status))
        isolate.die_with_parent()
        os.close(go)
        os.read(ready, 1)
        self._inner(request, descriptors, settings, scratch, write, namespaces)

    def _inner(
        self,
        request: dict[str, Any],
        descriptors: list[int],
        settings: dict[str, Any],
        scratch: str,
        write: int,
        namespaces: list[str],
    ) -> None:
        *moved, write = _only_these_descriptors([*descriptors, write])
        try:
            role, limits = Role(request["role"]), isolate.Limits(**request["limits"])
            if role is Role.STUDENT:
                os.nice(watching.NICE)
            if role in (Role.STUDENT, Role.TRUSTED):
                # Alike, so that the largest of all ends: the tests' side may have to hold much of what an answer sends.
                isolate.give_up_first(1000)
            walls = namespaces, settings["wrapped"], settings["readable"], settings["at_most"] != isolate.Level.LIMITS
            reached = isolate.lock_down(scratch, limits, *walls, trap=role is Role.PROBE)
            os.write(write, json.dumps({"isolation": reached}).encode() + b"\n")
        except Exception as error:
            os.write(write, json.dumps({"error": f"{type(error).__name__}: {error}"}).encode() + b"\n")
            os._exit(71)
        os.close(write)
        importlib.import_module(f".{role}", __package__).main(*(socket.socket(fileno=fd) for fd in moved))
        os._exit(0)

    def wait_for_isolation(self, seconds: float) -> dict[str, Any]:
        """Read the child's report on how far it is isolated."""
        data, deadline = b"", time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not select.select([self.report], [], [], 0.2)[0]:
                continue
            piece = os.read(self.report, 1 << 16)
            if not piece:
                break
            data += piece
        os.close(self.report)
        report: dict[str, Any] = {}
        for line in data.splitlines():
            report |= json.loads(line)
        self.inner = report.get("inner", 0)
        return report

    def look(self) -> tuple[float, bool, bool]:
        """Return its CPU seconds so far, whether it waits, and whether it has ended, whoever may hold its sockets."""
        with contextlib.suppress(OSError):  # it has just ended
            # The outer process ends once the inner one did. It is not taken leave of: this is what `end` does.
            ended = os.waitid(os.P_PID, self.outer, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
            if self.inner and not ended:
                return time.clock_gettime(watching.cpu_clock(self.inner)), watching.waits(self.inner), False
        return _ENDED

    def interrupt(self) -> bool:
        """Send it SIGALRM; return whether it was there."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self.inner:
                os.kill(self.inner, signal.SIGALRM)
                return True
        return False

    def end(self, wait_s: float) -> dict[str, Any]:
        """Wait for the child, end it if it does not end, and clean up.

        Returns:
            How it ended, its CPU seconds and the most memory it had.
        """
        deadline, tried, killed = time.monotonic() + wait_s, False, False
        while True:
            pid, status, usage = os.wait4(self.outer, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > deadline:
                # First number 1 of its namespace, with which all others end; then the one that waits for it.
                targets = (self.inner or self.outer, self.outer) if tried else (self.inner or self.outer,)
                tried, killed = True, killed or not watching.ends(targets[0])
                for target in targets:
                    with contextlib.suppress(ProcessLookupError, PermissionError):
                        os.kill(target, signal.SIGKILL)
                deadline = time.monotonic() + 2
            time.sleep(0.001)
        if self.folder:
            remove_tree(self.folder)
        why = os.read(self._why, 100).decode()  # all who could write to it have ended
        os.close(self._why)
        taken = self._taken.more()
        self._taken.close()
        # The outer process passes a signal on as 128 and its number, as a shell does. Code may exit with 255 as well.
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status)
        if why and not (killed and why == Ended.TAKEN):
            ended = Ended(why)
        elif killed:
            ended = Ended.KILLED
        elif os.WIFSIGNALED(status) and code - 128 == signal.SIGKILL and taken:
            ended, code = Ended.TAKEN, code - 128
        elif code - 128 in {*signal.Signals}:
            ended, code = Ended.SIGNAL, code - 128
        else:
            ended = Ended.EXIT if code else Ended.DONE
        cpu_s = usage.ru_utime + usage.ru_stime
        return {"ended": ended, "code": code, "cpu_s": cpu_s, "peak_mib": usage.ru_maxrss / 1024}


def _no_process(error: OSError) -> dict[str, Any]:
    """Return the answer where the system gives no further process: whoever asked is told, and the others go on."""
    return {"error": f"this machine gives no further process now ({error.strerror or type(error).__name__})"}


def _warm_shell() -> None:
    """Make the IPython shell that serves `get_ipython()` and magics, without history, which would start a thread.

    As in a notebook, plots may be asked for in any way (`run_line_magic("matplotlib", "inline")`). Nothing is changed.
    """
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    class Shell(InteractiveShell):
        def enable_gui(self, gui: str | None = None) -> None:
            pass

        def enable_matplotlib(self, gui: str | None = None) -> tuple[str | None, str]:
            return gui, "inline"

    config = Config()
    config.HistoryManager.enabled = False
    config.InteractiveShell.colors = "nocolor"  # IPython 8 ignores the case, 9 warns of capitals
    Shell.instance(config=config)


def main() -> None:
    """Serve until the socket closes."""
    isolate.die_with_parent()
    link = socket.socket(fileno=int(sys.argv[1]))
    settings = json.loads(link.recv(PACKET_BYTES)) | {"link": link.fileno()}
    begun = time.monotonic()
    gc.disable()  # what imports make stays: looking for garbage among it takes a sixth of their time
    import_modules(settings["imports"])
    _warm_shell()
    from . import (
        student,  # noqa: F401 - both sides are forked with their module loaded
        trusted,  # noqa: F401
    )

    lookout = Lookout()
    if settings["wrapped"]:
        isolate.still_files()
    # What stands here stays: children need not look through it for garbage, which would copy every page.
    gc.collect()
    gc.freeze()
    gc.enable()
    link.send(json.dumps({"ready": time.monotonic() - begun}).encode())
    serve(link, settings, lookout)


def _has_run(numbers: list[int], link: socket.socket, lookout: Lookout) -> bool:
    """Run a prelude, say how it ended, and return whether children may be forked now."""
    said = prelude.run(numbers)
    if "texts" in said and (objection := lookout.objection()):
        said = {"error": objection}
    link.send(json.dumps(said).encode())
    return "texts" in said


def serve(link: socket.socket, settings: dict[str, Any], lookout: Lookout) -> None:
    """Fork what is asked for, until the socket closes.

    Args:
        link: A socket of packets.
        settings: What the first message said.
        lookout: Knows which threads this process may have.
    """
    children: dict[int, Child] = {}
    twins: list[int] = []
    spawned = 0
    while True:
        data, descriptors, _, _ = socket.recv_fds(link, PACKET_BYTES, 4)
        if not data:
            break
        message = json.loads(data)
        twins = [pid for pid in twins if os.waitpid(pid, os.WNOHANG)[0] == 0]  # those that ended are taken leave of
        if ("spawn" in message or "twin" in message) and (objection := lookout.objection()):
            reply: dict[str, Any] = {"error": objection}
        elif "spawn" in message:
            spawned += 1
            if spawned == pages.WORTH_IT:
                pages.collect()
            try:
                child = Child(message, descriptors, settings)
            except OSError as error:
                reply = _no_process(error)
            else:
                reply = child.wait_for_isolation(20)
                children[message["spawn"]] = child
        elif "twin" in message:
            try:
                pid = isolate.fork()
            except OSError as error:
                pid, reply = -1, _no_process(error)
            if pid == 0:
                try:
                    isolate.die_with_parent()
                    link.close()
                    twin = socket.socket(fileno=descriptors[0])
                    if "prelude" in message and not _has_run(message["prelude"], twin, lookout):
                        os._exit(0)
                    serve(twin, settings | {"link": twin.fileno()}, lookout)
                finally:
                    os._exit(0)
            if pid > 0:
                twins.append(pid)
                reply = {"twin": pid}
        elif "look" in message:
            reply = {"seen": [children[n].look() if n in children else _ENDED for n in message["look"]]}
        elif "interrupt" in message:
            there = children.get(message["interrupt"])
            reply = {"interrupted": there is not None and there.interrupt()}
        elif "keep" in message:
            reply = {"kept": cells.keep(*message["keep"])}
        else:
            ended = children.pop(message["end"], None)
            reply = (
                ended.end(message["wait_s"])
                if ended
                else {"ended": Ended.UNKNOWN, "code": 0, "cpu_s": 0.0, "peak_mib": 0.0}
            )
        for fd in descriptors:
            os.close(fd)
        link.send(json.dumps(reply).encode())
    for child in children.values():
        child.end(0)
