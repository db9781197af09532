"""Make a page in a process of its own that ends when its time or memory is used up, several at once.

The bounds on what is rendered (`bounds.py`) keep a page's cost small; this is for what nobody thought of. Each process
is a copy of this one, so it costs some milliseconds.
"""

from __future__ import annotations

import contextlib
import logging
import os
import selectors
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeVar

from grader.core.escaping import printable_line
from grader.sandbox.inside.isolate import fork

logger = logging.getLogger(__name__)

Key = TypeVar("Key")

#: CPU seconds and seconds on the clock of one page, and bytes of memory on top of what this process has.
CPU_S, WALL_S, MEMORY = 20, 300, 2 * 2**30
#: Bytes that are kept of what the process of a page prints.
MAX_SAID = 2_000
#: Lines that are kept of a traceback; its last ones tell most.
MAX_TRACED = 40


@dataclass(frozen=True)
class Made:
    """What came of making one page.

    Args:
        text: The page, or None if there is none.
        why: If there is none: what the process said, or an empty text if it was ended.
        cpu_s: CPU seconds that it took.
        trace: The end of the traceback, if an error of ours ended it; printable lines.
    """

    text: str | None
    why: str
    cpu_s: float
    trace: str = ""


class _Child(Generic[Key]):
    """A process at work on one page."""

    def __init__(self, key: Key, make: Callable[[], str]):
        self.key, self.pieces = key, []  # type: tuple[Key, list[bytes]]
        self.out, into = os.pipe()
        self.heard, mouth = os.pipe()
        os.set_blocking(self.heard, False)
        self.words, self.unheard = b"", 0
        self.deadline = time.monotonic() + WALL_S
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        self.pid = fork()
        if self.pid == 0:
            os.close(self.out)
            os.close(self.heard)
            for stream in (1, 2):
                os.dup2(mouth, stream)
            os.close(mouth)
            _work(make, into)
        os.close(into)
        os.close(mouth)

    def listen(self) -> bool:
        """Take up some of what the process prints, of which the beginning is kept; return whether more may come."""
        try:
            piece = os.read(self.heard, 2**16)
        except BlockingIOError:
            return False
        room = MAX_SAID - len(self.words)
        self.words += piece[:room]
        self.unheard += max(len(piece) - room, 0)
        return bool(piece)

    def end(self, kill: bool) -> Made:
        """Wait for the process and return what it made."""
        if kill:
            os.kill(self.pid, signal.SIGKILL)
        os.close(self.out)
        _, status, used = os.wait4(self.pid, 0)
        while self.listen():
            pass
        os.close(self.heard)
        self._tell()
        said, cpu_s = b"".join(self.pieces), used.ru_utime + used.ru_stime
        text = said[1:].decode("utf-8", "replace")
        whole = status == 0 and not kill
        if whole and said[:1] == b"+":
            return Made(text, "", cpu_s)
        why, _, trace = text.partition("\0") if whole and said[:1] == b"-" else ("", "", "")
        return Made(None, why, cpu_s, trace)

    def _tell(self) -> None:
        """Log what the process printed: the beginning of it, and nothing that drives a terminal."""
        lines = [printable_line(line) for line in self.words.decode("utf-8", "replace").splitlines() if line.strip()]
        more = [f"[{self.unheard:,} more bytes]"] if self.unheard else []
        for line in lines + more:
            logger.warning("%s", line)


def _work(make: Callable[[], str], into: int) -> None:
    """Make the page in the child, which never returns."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 1))
        with contextlib.suppress(OSError, ValueError):
            with open("/proc/self/statm") as memory:
                now = int(memory.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (now + MEMORY, now + MEMORY))
        try:
            said = b"+" + make().encode("utf-8", "replace")
        except (MemoryError, RecursionError):
            os._exit(1)  # its bounds are reached: nobody is to try it again without them
        except Exception as error:
            why = f"{type(error).__name__}: {error}".replace("\0", "\ufffd")
            lines = "".join(traceback.format_exception(error)).splitlines()[-MAX_TRACED:]
            said = b"-" + "\0".join([why, "\n".join(map(printable_line, lines))]).encode("utf-8", "replace")
        with os.fdopen(into, "wb") as out:
            out.write(said)
        os._exit(0)
    finally:
        os._exit(1)


def make_all(work: Iterable[tuple[Key, Callable[[], str]]], jobs: int) -> Iterator[tuple[Key, Made]]:
    """Make pages, each in a process of its own; yield each as soon as it is there.

    Args:
        work: What to call for each page, and by what the page is known.
        jobs: How many at once.
    """
    waiting, done = iter(work), False
    with selectors.DefaultSelector() as selector:
        running: dict[int, _Child[Key]] = {}
        try:
            while running or not done:
                while not done and len(running) < max(jobs, 1):
                    following = next(waiting, None)
                    done = following is None
                    if following is not None:
                        child = _Child(*following)
                        running[child.out] = child
                        selector.register(child.out, selectors.EVENT_READ, child)
                        selector.register(child.heard, selectors.EVENT_READ, child)
                for key, _ in selector.select(1.0) if running else ():
                    child = key.data
                    if child.out not in running:  # it ended a moment ago, and was heard to the end
                        continue
                    if key.fd == child.heard:
                        if not child.listen():
                            selector.unregister(child.heard)
                        continue
                    piece = os.read(child.out, 2**20)
                    child.pieces.append(piece)
                    if not piece:
                        _forget(selector, child)
                        yield running.pop(key.fd).key, child.end(kill=False)
                for late in [c for c in running.values() if time.monotonic() > c.deadline]:
                    _forget(selector, late)
                    yield running.pop(late.out).key, late.end(kill=True)
        finally:
            for child in running.values():
                child.end(kill=True)


def _forget(selector: selectors.BaseSelector, child: _Child[Key]) -> None:
    """Wait no longer for what a process says."""
    for stream in (child.out, child.heard):
        if stream in selector.get_map():
            selector.unregister(stream)


def make_one(make: Callable[[], str]) -> Made:
    """Make one page; on a system that cannot copy a process, in this one."""
    if not hasattr(os, "fork"):
        return Made(make(), "", 0.0)
    [(_, made)] = make_all([(0, make)], 1)
    return made
