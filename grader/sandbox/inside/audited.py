"""Answers of our own together with their tests, in a single process: what the audit runs, thousands of times.

The task comes as a line of JSON, and each thing that happens goes back as one, so that what happened before the process
was ended is known. Several answers may run one after the other: see `grader.audit.series` for when that is sound.
"""

from __future__ import annotations

import ast
import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import time
from types import CodeType
from typing import Any

from . import prelude
from .cells import CELLS, compiled
from .describing import describe, innermost_cell
from .sink import MAX_TEXT, Sink

#: CPU seconds for set-up, helper and given cells.
SETUP_LIMIT_S = 60


class Answers:
    """The cells of some answers, one after the other.

    Args:
        link: To the process that keeps the clock.
        task: What to run, as `grader.audit.runner` writes it.
    """

    def __init__(self, link: socket.socket, task: dict[str, Any]):
        self.link, self.task = link, task
        self.out, self.err = Sink(), Sink()
        self.err_fd = os.open("stderr", os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        os.dup2(self.err_fd, 2)
        sys.stdout, sys.stderr = self.out, self.err
        # Neither SIGPROF's default action nor a handler in Python ends an endless loop here: the kernel spares number 1
        # of a process namespace the one, and code that catches everything, or never returns from C, stops the other.
        # So the handler is the C library's own `_exit`, whose exit code is then the number of the signal. An answer may
        # exit with that code as well, but not after it has used its CPU time.
        libc = ctypes.CDLL(None)
        libc.signal(int(signal.SIGPROF), ctypes.cast(libc._exit, ctypes.c_void_p))
        self.module = prelude.take_over()
        #: By the place in the reference that was changed, the test cell that caught the last change there.
        self.caught: dict[str, str] = {}

    def say(self, **event: Any) -> None:
        """Send one event."""
        self.link.sendall((json.dumps(event) + "\n").encode())

    def limit(self, cpu_s: float) -> None:
        """Start the clock anew, and say so: whoever waits can tell a time-out from an answer that exits."""
        self.say(clock=cpu_s, at=time.process_time())
        signal.setitimer(signal.ITIMER_PROF, cpu_s)

    def execute(self, name: str, code: CodeType | Exception) -> dict[str, Any]:
        """Run one cell; describe how it ended, and what it wrote to standard error."""
        self.say(begin=name)
        self.err.take()
        before = os.fstat(self.err_fd).st_size
        try:
            if isinstance(code, Exception):
                raise code
            exec(code, self.module.__dict__)
        except BaseException as error:
            return {"name": name, "error": describe(error, f"<{name}>") | {"source": innermost_cell(error)}}
        written = self.err.take()
        after = os.fstat(self.err_fd).st_size
        if after > before:
            written += os.pread(self.err_fd, min(after - before, MAX_TEXT), before).decode("utf-8", "replace")
        return {"name": name, "stderr": written[:2000]}

    def check(self, source: str) -> dict[str, Any]:
        """Run the self-check, statement by statement.

        Its cell may also show an example with names from a demonstration cell, which does not run here: a statement
        that misses a name is passed over.
        """
        ended = {}
        for node in ast.parse(source).body:
            code = compile(ast.Module([node], []), "<self-check>", "exec", dont_inherit=True)
            ended = self.execute("self-check", code)
            error = ended.get("error")
            if error and not (error["type"] == "NameError" and error["source"].startswith("self-check,")):
                return ended
            ended.pop("error", None)
        return ended

    def run(self) -> None:
        """Run the locked cells, then for each answer that answer, each test cell and the self-check."""
        self.limit(SETUP_LIMIT_S)
        for name, number in self.task["locked"]:
            ended = self.execute(name, CELLS[number])
            if "error" in ended:
                self.say(locked=ended)
                return
        names, chances = dict(self.module.__dict__), prelude.states()
        for number, one in enumerate(self.task["answers"]):
            if number:  # as after the locked cells; seeds are what a set-up cell has besides names
                self.module.__dict__.clear()
                self.module.__dict__.update(names)
                prelude.restore(chances)
                for name, setup in self.task["again"]:
                    self.execute(name, CELLS[setup])
            self.say(next=number)
            self.answer(one)
            self.say(done=True)

    def answer(self, one: dict[str, Any]) -> None:
        """Run one answer, each test cell and the self-check."""
        self.limit(one["cpu_s"])
        begun = time.process_time()
        answer = self.execute("answer", compiled("answer", one["answer"]))
        if "error" in answer:
            self.say(answer=answer)
        likeliest = self.caught.get(one["place"])
        for name, number in sorted(one["cells"], key=lambda cell: cell[0] != likeliest):
            ended = self.execute(name, CELLS[number])
            self.say(cell=ended)
            if one["stop_at_first"] and ("error" in ended or ended["stderr"]):
                self.caught[one["place"]] = name
                self.say(answer_cpu_s=time.process_time() - begun)
                return
        self.say(answer_cpu_s=time.process_time() - begun)
        if one["self_check"]:
            self.limit(one["cpu_s"])
            self.out.take()
            self.say(self_check={**self.check(one["self_check"]), "printed": self.out.take()})


def main(link: socket.socket) -> None:
    """Run the answers that come over the socket."""
    with link.makefile("r", encoding="utf-8") as lines:
        task = json.loads(lines.readline())
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # whoever asked has gone away
        Answers(link, task).run()
