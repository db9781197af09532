"""Stand beside a child of the warm process for as long as it runs, and see to what no resource limit bounds.

The kernel does not count the threads of root, and a folder on a disk has no size: both are looked at from outside. One
student's threads must not take the processors from the student who is marked beside them either, whose time limits go
by the clock. Each student's side therefore has one processor, as its libraries have one thread: what takes more is
stopped until it has been without for long enough.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import stat
import time
from collections import deque

from .isolate import Limits
from .orders import Ended

#: Seconds between two looks at the process, and at its scratch folder.
LOOK_S, LOOK_INTO_S = 0.1, 0.25
#: Seconds of a processor that a process may take in advance.
ADVANCE_S = 0.5
#: How much a student's side stands back where all processors are busy: what watches, marks and writes comes first.
NICE = 5
#: Files and folders that the scratch folder may have, as many as where it is a file system of its own (`isolate.py`).
MAX_ENTRIES = 4096
#: Where /proc/PID/stat has the number of threads, counted from the state, which follows the name in parentheses.
_THREADS = 17
#: Likewise its flags, and the one that says that it ends.
_FLAGS, _PF_EXITING = 6, 0x4
#: Where the kernel counts what it has done, among it the processes that it has ended for lack of memory.
_COUNTS = "/proc/vmstat"
#: States of a thread in which it waits or has ended.
_IDLE = {b"S", b"Z", b"X"}


def cpu_clock(pid: int) -> int:
    """Return the number of the clock that counts a process's CPU time, as `clock_getcpuclockid(3)` does.

    Args:
        pid: The process.
    """
    return (~pid << 3) | 2


def waits(pid: int) -> bool:
    """Return whether a process waits: none of its threads runs, wants to run, reads from a disk or is stopped.

    A machine that is busy makes nobody wait in this sense. A thread that has ended does nothing; the first one of a
    process stays in sight until the others end as well.

    Args:
        pid: The process.
    """
    try:
        for thread in os.scandir(f"/proc/{pid}/task"):
            with open(f"{thread.path}/stat", "rb") as file:
                if file.read(4096).rpartition(b")")[2].split()[0] not in _IDLE:
                    return False
    except (OSError, IndexError):  # it has just ended
        return False
    return True


def ends(pid: int) -> bool:
    """Return whether a process has ended, or is about to with all its threads: its sockets close a moment before.

    Args:
        pid: The process.
    """
    try:
        threads = [entry.path for entry in os.scandir(f"/proc/{pid}/task")]
    except OSError:  # it is not there any more
        return True
    return all(map(_thread_ends, threads))


def _thread_ends(folder: str) -> bool:
    try:
        with open(f"{folder}/stat", "rb") as file:
            return bool(int(file.read(4096).rpartition(b")")[2].split()[_FLAGS]) & _PF_EXITING)
    except (OSError, ValueError, IndexError):
        return True


class Taken:
    """How many processes this machine's kernel has ended for lack of memory; 0 where it does not tell.

    It alone counts, and before it ends one. So a process that has itself killed in any other way was not taken. What is
    open here can be read even when something else is mounted over /proc.
    """

    def __init__(self) -> None:
        self._file: int | None = None
        with contextlib.suppress(OSError):
            self._file = os.open(_COUNTS, os.O_RDONLY)
        self._before = self._read()

    def _read(self) -> int:
        text = b""
        while self._file is not None and (piece := os.pread(self._file, 2**16, len(text))):  # a page at a time, maybe
            text += piece
        for name, _, number in (line.partition(b" ") for line in text.splitlines()):
            if name == b"oom_kill":
                return int(number)
        return 0

    def more(self) -> bool:
        """Return whether it has ended one since this was made."""
        return self._read() > self._before

    def close(self) -> None:
        """Close what is open."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


class Share:
    """One processor for one process, whatever number of threads it has.

    Args:
        pid: The process.
    """

    def __init__(self, pid: int):
        self._pid, self._clock = pid, cpu_clock(pid)
        self._spare, self._used, self._at = ADVANCE_S, 0.0, time.monotonic()
        self._stopped = False

    def keep(self) -> None:
        """Stop the process if it has had more than its share, let it go on if it has waited for long enough."""
        with contextlib.suppress(OSError):  # it has just ended
            used, now = time.clock_gettime(self._clock), time.monotonic()
            self._spare = min(self._spare + (now - self._at) - (used - self._used), ADVANCE_S)
            self._used, self._at = used, now
            if self._stopped != (self._spare < 0):
                self._stopped = not self._stopped
                os.kill(self._pid, signal.SIGSTOP if self._stopped else signal.SIGCONT)


def threads_of(process: int) -> int:
    """Return the number of threads of a process, 0 if it has ended.

    Args:
        process: A descriptor of its folder in /proc.
    """
    with contextlib.suppress(OSError):
        file = os.open("stat", os.O_RDONLY, dir_fd=process)
        try:
            return int(os.read(file, 4096).rpartition(b")")[2].split()[_THREADS])
        finally:
            os.close(file)
    return 0


def holds_more(folder: str, size: int, entries: int = MAX_ENTRIES) -> bool:
    """Return whether the files below a folder take more room than they may, or are too many.

    What cannot be read counts as more: nobody nests folders beyond the length of a path, or makes one that is
    unreadable, but on purpose. A file that was deleted and is still open is not seen.

    Args:
        folder: Where a student's code may write; it may do so meanwhile.
        size: Bytes on the disk.
        entries: Files and folders.
    """
    waiting = deque([folder])
    while waiting:
        try:
            with os.scandir(waiting.popleft()) as found:
                for entry in found:
                    status = entry.stat(follow_symlinks=False)
                    entries -= 1
                    size -= status.st_blocks * 512
                    if entries < 0 or size < 0:
                        return True
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(entry.path)
        except FileNotFoundError:  # removed meanwhile
            continue
        except OSError:
            return True
    return False


class Watcher:
    """Looks at a process and at the folder that it may write to.

    Args:
        pid: The process, before it has done anything.
        limits: What it may use.
        scratch: Its folder.
        shared: Whether it has one processor at most.
    """

    def __init__(self, pid: int, limits: Limits, scratch: str, shared: bool):
        self._pid, self._limits, self._scratch = pid, limits, scratch
        self._process = os.open(f"/proc/{pid}", os.O_RDONLY | os.O_DIRECTORY)  # soon something else is mounted there
        self._share = Share(pid) if shared else None
        self._looked_into = 0.0
        self._taken_since = Taken()

    def _look(self) -> Ended | None:
        if self._share is not None:
            self._share.keep()
        if threads_of(self._process) > self._limits.threads:
            return Ended.THREADS
        now = time.monotonic()
        if now - self._looked_into >= LOOK_INTO_S and not os.path.ismount(self._scratch):
            self._looked_into = now
            if holds_more(self._scratch, self._limits.scratch_mib * 2**20):
                return Ended.SCRATCH
        return None

    def _taken(self, status: int) -> Ended | None:
        """Tell an end by the system from the process's own, and from that by its limit of CPU time."""
        if not os.WIFSIGNALED(status) or os.WTERMSIG(status) != signal.SIGKILL:
            return None
        used = resource.getrusage(resource.RUSAGE_CHILDREN)  # this process has one child
        in_time = used.ru_utime + used.ru_stime < self._limits.cpu_s - 1
        return Ended.TAKEN if in_time and self._taken_since.more() else None

    def wait(self) -> tuple[int, Ended | None]:
        """Wait for the process, which is a child of this one, and end it if it takes more than it may.

        Returns:
            Its status as `os.waitpid` gives it, and why it was ended from outside, None if it was not.
        """
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        why: Ended | None = None
        while True:
            done, status = os.waitpid(self._pid, os.WNOHANG)
            if done:
                return status, why or self._taken(status)
            if why is None and (why := self._look()):
                os.kill(self._pid, signal.SIGKILL)
            signal.sigtimedwait({signal.SIGCHLD}, LOOK_S)
