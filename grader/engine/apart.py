"""A process that works on what strangers sent, one piece after another, within limits of its own.

Reading a submission runs no code of a student's, so it needs no walls. But a file can be made so that a parser takes
minutes for it, or gigabytes, and the process that marks has neither a clock nor a limit. So the work is done in a
process that was forked from it, which its limits end and nobody else notices. It serves many submissions: forking for
each would cost more than the reading. None may meet what an earlier one has left there. So a process goes on only after
work that ended well and took little memory; what had no room in one that has worked before gets a new one.
"""

from __future__ import annotations

import contextlib
import gc
import json
import logging
import math
import os
import resource
import select
import signal
import socket
import struct
import time
import traceback
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from grader.sandbox.inside.isolate import die_with_parent, fork

#: Bytes of memory on top of what the process was forked with, and of one answer.
MEMORY, MOST = 2**30, 2**27
#: Seconds on the clock for each CPU second. Work of this kind does not wait for anything but the processor.
CLOCK = 12
#: Bytes by which the process may grow before another one takes its place.
_GROWTH = 2**27
#: A question: its CPU seconds and its length. An answer: what it is, the CPU seconds of the process so
#: far, and its length.
_QUESTION, _ANSWER = struct.Struct("!dQ"), struct.Struct("!cdQ")
#: Instead of `End.DONE`: done, and the process has grown so much that it ends, as after any other end.
_LAST = b"!"
#: CPU seconds of a second attempt at the least.
_LEAST_S = 1.0


class End(Enum):
    """How work on one piece came to its end."""

    DONE = b"+"
    #: It needed more memory than there is for it, or a value was nested too deep.
    TOO_LARGE = b"m"
    #: It used up its CPU seconds.
    TIME = b"t"
    #: The interpreter itself gave way, as it does where one of its parsers is led too deep.
    CRASH = b"c"
    #: An exception that nobody foresaw: a fault of ours.
    FAULT = b"-"
    #: The process was ended by somebody else, or was not given a processor.
    LOST = b"l"


@dataclass(frozen=True)
class Answer:
    """What came of one piece.

    Args:
        end: How the work ended.
        data: The result; for `FAULT`, the traceback.
        wall_s: Seconds on the clock that it took.
        cpu_s: CPU seconds that it took, if it told them.
    """

    end: End
    data: bytes
    wall_s: float
    cpu_s: float = 0.0


class Apart:
    """A process beside this one; use it from one thread, which is the one that begins it.

    Args:
        work: What it does with a piece. It sees this process as it is now.
        handles: Descriptors that it keeps; this process does not move in these files while it is asked.
    """

    def __init__(self, work: Callable[[bytes], bytes], handles: Collection[int] = ()):
        self._link, theirs = socket.socketpair()
        parent = os.getpid()
        self.pid = fork()
        if self.pid == 0:
            try:
                _begin(theirs, parent, handles)
                _serve(theirs, work)
            finally:
                os._exit(70)
        theirs.close()
        self._of, self._ended = parent, False
        self.fresh = True  # nothing was asked yet
        self._used_s = 0.0  # CPU seconds until the last answer

    @property
    def alive(self) -> bool:
        """Whether it works for this process.

        It does not work for a fork of the one that began it: of two that ask over one link, each would get pieces of
        the other's answers.
        """
        return not self._ended and self._of == os.getpid()

    def ask(self, question: bytes, cpu_s: float) -> Answer:
        """Have it work on a piece.

        Args:
            question: The piece.
            cpu_s: CPU seconds that it may take, and `CLOCK` times as many seconds on the clock.
        """
        begun, self.fresh = time.monotonic(), False
        try:
            self._link.settimeout(CLOCK * cpu_s)
            self._link.sendall(_QUESTION.pack(cpu_s, len(question)) + question)
            deadline = begun + CLOCK * cpu_s
            kind, used_s, size = _ANSWER.unpack(_receive(self._link, _ANSWER.size, deadline))
            data = _receive(self._link, min(size, MOST), deadline)
        except TimeoutError:
            _, in_all = self.close()
            # On a busy machine the clock may be the first to run out for a file that would have taken all its time.
            end = End.TIME if in_all - self._used_s > cpu_s / 2 else End.LOST
            return Answer(end, b"", time.monotonic() - begun)
        except OSError:  # it has ended
            return Answer(self._how_it_ended(), b"", time.monotonic() - begun)
        taken_s, self._used_s = used_s - self._used_s, used_s
        if kind != End.DONE.value or size > MOST:  # it ends by itself, or is not what we began
            self.close()
        end = End.TOO_LARGE if size > MOST else End.DONE if kind == _LAST else End(kind)
        return Answer(end, data, time.monotonic() - begun, taken_s)

    def _how_it_ended(self) -> End:
        status, _ = self.close(kill=False)
        if not os.WIFSIGNALED(status):
            return End.LOST
        ends = {signal.SIGXCPU: End.TIME, signal.SIGKILL: End.LOST, signal.SIGTERM: End.LOST}
        return ends.get(signal.Signals(os.WTERMSIG(status)), End.CRASH)

    def stop(self) -> None:
        """Kill it from another thread than the one that uses it."""
        if self.alive:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def close(self, kill: bool = True) -> tuple[int, float]:
        """End it; return the status that the system gives, and its CPU seconds. In a fork, let go of it."""
        ended, self._ended = not self.alive, True
        self._link.close()
        if ended:
            return 0, 0.0
        if kill:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
        try:
            _, status, used = os.wait4(self.pid, 0)
        except ChildProcessError:  # whoever started us has children that end not waited for
            return 0, 0.0
        return status, used.ru_utime + used.ru_stime


class Successive:
    """Processes for the same work, of which the next one begins when it is needed; use it from one thread.

    Args:
        begin: Begins one.
    """

    def __init__(self, begin: Callable[[], Apart]):
        self._begin = begin
        self.process: Apart | None = None

    def _ready(self) -> Apart:
        if self.process is None or not self.process.alive:
            self.process = self._begin()
        return self.process

    def ask(self, question: bytes, cpu_s: float) -> Answer:
        """Have a piece worked on; `Apart.ask` has the arguments.

        What had no room in a process that has worked before may have met what that one remembered of others. It is
        tried in a new one, for the CPU seconds that are left.
        """
        process = self._ready()
        used = not process.fresh
        answer = process.ask(question, cpu_s)
        if answer.end is not End.TOO_LARGE or not used:
            return answer
        again = self._ready().ask(question, max(cpu_s - answer.cpu_s, _LEAST_S))
        return replace(again, wall_s=answer.wall_s + again.wall_s)

    def close(self) -> None:
        """End the process, if there is one."""
        if self.process is not None:
            self.process.close()
            self.process = None


def joined(head: dict[str, Any], data: bytes = b"") -> bytes:
    """Join plain data and bytes to one piece."""
    told = json.dumps(head, ensure_ascii=False, check_circular=False).encode("utf-8", "surrogatepass")
    return len(told).to_bytes(8, "big") + told + data


def parted(both: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the plain data and the bytes that were joined to one piece."""
    size = int.from_bytes(both[:8], "big")
    head = json.loads(both[8 : 8 + size].decode("utf-8", "surrogatepass"))
    if not isinstance(head, dict):
        raise TypeError("an answer that is no object")
    return head, both[8 + size :]


def _receive(link: socket.socket, size: int, deadline: float = math.inf) -> bytes:
    """Read so many bytes.

    Raises:
        TimeoutError: If they do not come in time.
        OSError: If the other side has closed.
    """
    pieces = bytearray()
    while len(pieces) < size:
        left = deadline - time.monotonic()
        if not select.select([link], [], [], None if math.isinf(left) else max(left, 0))[0]:
            raise TimeoutError
        piece = link.recv(min(size - len(pieces), 2**20))
        if not piece:
            raise ConnectionResetError
        pieces += piece
    return bytes(pieces)


def _begin(link: socket.socket, parent: int, handles: Collection[int]) -> None:
    """Let go of what was inherited, and take on limits."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the other side decides; it hangs up
    for one in (signal.SIGTERM, signal.SIGXCPU):
        signal.signal(one, signal.SIG_DFL)
    # The other side's files and sockets: somebody may wait for the last copy of one to be closed.
    first = 3
    for kept in sorted({link.fileno(), *handles}):
        os.closerange(first, kept)
        first = kept + 1
    os.closerange(first, 4096)
    die_with_parent()
    if os.getppid() != parent:
        os._exit(0)
    logging.disable()
    with open("/proc/self/statm") as memory:
        now = int(memory.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, now + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    gc.freeze()  # what is there stays: looking through it for garbage would copy every page


def _serve(link: socket.socket, work: Callable[[bytes], bytes]) -> None:
    """Work on one piece after another until the other side hangs up."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 + _GROWTH
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    while True:
        try:
            cpu_s, size = _QUESTION.unpack(_receive(link, _QUESTION.size))
            question = _receive(link, size)
        except OSError:
            os._exit(0)
        resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(time.process_time() + cpu_s), hard))
        end, said = _done(work, question)
        resource.setrlimit(resource.RLIMIT_CPU, (hard, hard))  # receiving the next piece takes none of this one's time
        if len(said) > MOST:
            end, said = End.TOO_LARGE, b""
        del question
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 > most
        kind = _LAST if grown and end is End.DONE else end.value
        link.sendall(_ANSWER.pack(kind, time.process_time(), len(said)) + said)
        if kind != End.DONE.value:
            os._exit(0)


def _done(work: Callable[[bytes], bytes], question: bytes) -> tuple[End, bytes]:
    try:
        return End.DONE, work(question)
    except (MemoryError, RecursionError):
        return End.TOO_LARGE, b""
    except Exception:
        return End.FAULT, traceback.format_exc().encode("utf-8", "replace")[-20_000:]
