"""Take everything away from a forked child but its own memory and a scratch folder; the standard library alone.

Linux offers four walls, and each is tried: namespaces of the child's own (user, process ids, mounts, network, ipc,
host name), Landlock (files), seccomp (system calls) and resource limits. What was reached is reported, never assumed.

`enter_namespaces` comes before the fork that makes the child number 1 of its process namespace, `lock_down` after it.
The walls' manuals: user_namespaces(7), landlock(7), seccomp(2), setrlimit(2).
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import os
import platform
import resource
import signal
import struct
import sys
import time
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from . import syscalls

_LIBC = ctypes.CDLL(None, use_errno=True)

_CLONE_NEWNS, _CLONE_NEWUTS, _CLONE_NEWIPC = 0x00020000, 0x04000000, 0x08000000
_CLONE_NEWUSER, _CLONE_NEWPID, _CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
_MS_RDONLY, _MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MS_REMOUNT, _MS_BIND = 1, 2, 4, 8, 32, 4096
_MS_REC, _MS_PRIVATE = 16384, 1 << 18
_AT_RECURSIVE = 0x8000
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_CAPBSET_DROP, _PR_SET_NO_NEW_PRIVS = 1, 4, 24, 38


#: Seconds between attempts to fork. A process with too many threads is seen and ended within a fraction of them.
_PAUSES_S = (0.1, 0.2, 0.4, 0.8)


class Level(StrEnum):
    """How well a child is isolated, from weak to strong."""

    #: Resource limits alone.
    LIMITS = "limits"
    #: Files, processes and network are refused by rules.
    LANDLOCK = "landlock"
    #: They are not there: nothing to see, nothing to change, no network, no other process.
    BUBBLEWRAP = "bubblewrap"


#: The levels from weak to strong.
LEVELS = tuple(Level)


@dataclass(frozen=True)
class Limits:
    """What a child may use.

    Args:
        memory_mib: Address space on top of what it was forked with.
        scratch_mib: Size of its scratch folder.
        file_mib: Size of one file.
        descriptors: Open files.
        threads: Threads. Honest work has had 4 at most, since each library has one of its own only (`warm.py`). Some
            containers have a few hundred processes and threads for everything together.
        cpu_s: CPU seconds of the whole child, at which the kernel ends it.
    """

    memory_mib: int = 3072
    scratch_mib: int = 64
    file_mib: int = 32
    descriptors: int = 128
    threads: int = 64
    cpu_s: int = 400

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)


def _call(name: str, *args: Any) -> None:
    if getattr(_LIBC, name)(*args) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _prctl(option: int, *values: int) -> None:
    _call("prctl", option, *(ctypes.c_ulong(v) for v in (*values, 0, 0, 0, 0)[:4]))


def enter_namespaces() -> list[str]:
    """Return the calling process namespaces of its own; the next fork makes number 1 of the new process namespace.

    The process must have one thread.

    Returns:
        Names of the namespaces, none where the system does not allow them.
    """
    uid, gid = os.getuid(), os.getgid()
    wanted = _CLONE_NEWUSER | _CLONE_NEWNS | _CLONE_NEWPID | _CLONE_NEWNET | _CLONE_NEWIPC | _CLONE_NEWUTS
    try:
        _call("unshare", wanted)
    except (OSError, AttributeError):
        return []
    with open("/proc/self/setgroups", "w") as file:
        file.write("deny")
    for name, inside, outside in (("uid_map", 1000, uid), ("gid_map", 1000, gid)):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(f"{inside} {outside} 1")
    return ["user", "pid", "mount", "net", "ipc", "uts"]


def _mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    encoded = [None if text is None else text.encode() for text in (source, target, kind)]
    _call("mount", *encoded, ctypes.c_ulong(flags), None if data is None else data.encode())


def _own_scratch(scratch: str, limits: Limits) -> None:
    """Lay an empty scratch folder of bounded size over the shared one."""
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    options = f"size={limits.scratch_mib}m,nr_inodes=4096,mode=700"
    _mount("scratch", scratch, "tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC, options)


def _all_read_only() -> None:
    """Make every mount read-only in the calling process's namespace.

    Rules forbid it to write already. But reading a file notes the time on it, which others are told: a message from one
    submission to the next. On a read-only mount nothing is noted.
    """
    _mount("none", "/", None, _MS_REC | _MS_PRIVATE)
    attributes = struct.pack("=QQQQ", _MS_RDONLY, 0, 0, 0)
    if _LIBC.syscall(442, -100, b"/", ctypes.c_uint(_AT_RECURSIVE), attributes, ctypes.c_size_t(len(attributes))):
        raise OSError(ctypes.get_errno(), "mount_setattr")  # as before Linux 5.12


def _no_terminals() -> None:
    """Lay an empty folder over the one in which opening `/dev/ptmx` makes terminals."""
    _mount(
        "none", "/dev/pts", "tmpfs", _MS_NOSUID | _MS_NODEV | _MS_NOEXEC | _MS_RDONLY, "size=4k,nr_inodes=1,mode=755"
    )


@functools.cache
def still_files() -> dict[str, bytes]:
    """Return what a child finds in /proc, by name: the warm process reads it once, since writing it all takes time."""
    still = {"self/cmdline": b"python\0"}
    for name in ("cpuinfo", "meminfo", "stat", "self/maps"):
        with open(f"/proc/{name}", "rb") as file:
            still[name] = file.read()
    return still


def _own_proc() -> None:
    """Lay a few still files over /proc.

    A live /proc of the child's own cannot be had inside bubblewrap, which covers parts of its /proc
    (user_namespaces(7)); without `self/exe` and `self/cmdline` TensorFlow ends the process.
    """
    program = os.readlink("/proc/self/exe")
    flags = _MS_NOSUID | _MS_NODEV | _MS_NOEXEC
    _mount("none", "/proc", "tmpfs", flags, "size=4m,mode=755")
    os.mkdir("/proc/self")
    os.symlink(program, "/proc/self/exe")
    for name, content in still_files().items():
        with open(f"/proc/{name}", "wb") as file:
            file.write(content)
    _mount("none", "/proc", None, flags | _MS_RDONLY | _MS_REMOUNT | _MS_BIND)


# Landlock ------------------------------------------------------------------------------------------------------------

_LL_EXECUTE, _LL_READ_FILE, _LL_READ_DIR = 1 << 0, 1 << 2, 1 << 3
#: What bubblewrap puts into its own /dev. The machine's has its disks, and /dev/shm the memory that programs share.
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
#: What Python and TensorFlow read of the process itself. Its folder has the machine's network and mounts, too.
_OWN_PROC = tuple(f"/proc/self/{name}" for name in ("cmdline", "exe", "maps", "stat", "statm", "status"))
#: The first version that knows `truncate`, of Linux 6.2.
_LL_LEAST = 3
_LL_FIRST_ABI = (1 << 13) - 1
_LL_READ = _LL_EXECUTE | _LL_READ_FILE | _LL_READ_DIR
_LL_FILE_ONLY = _LL_EXECUTE | (1 << 1) | _LL_READ_FILE | (1 << 14)  # write and truncate: what can be said of a file


def landlock_version() -> int:
    """Return the version of Landlock that the kernel offers, 0 for none that keeps files from being emptied."""
    version = int(_LIBC.syscall(444, None, ctypes.c_size_t(0), ctypes.c_uint32(1)))
    return version if version >= _LL_LEAST else 0


def landlock(readable: list[str], writable: list[str]) -> int:
    """Forbid all files but the named ones, and TCP, and signals to processes outside, as far as the kernel can.

    Returns:
        The version of Landlock that is in force, 0 for none.
    """
    version = landlock_version()
    if version == 0:
        return 0
    files = _LL_FIRST_ABI | 1 << 13 | 1 << 14  # refer, truncate
    files |= 1 << 15 if version >= 5 else 0  # device ioctl
    network = 0b11 if version >= 4 else 0
    scope = 0b11 if version >= 6 else 0  # abstract unix sockets, signals
    rules = struct.pack("QQQ", files, network, scope)[: 8 if version < 4 else 16 if version < 6 else 24]
    ruleset = _LIBC.syscall(444, rules, ctypes.c_size_t(len(rules)), ctypes.c_uint32(0))
    if ruleset < 0:
        return 0
    for paths, access in ((readable, _LL_READ), (writable, files & ~_LL_EXECUTE)):
        for path in paths:
            if not os.path.exists(path):
                continue
            folder = os.open(path, os.O_PATH | os.O_CLOEXEC)
            allowed = access if os.path.isdir(path) else access & _LL_FILE_ONLY
            rule = struct.pack("=Qi", allowed & files, folder)
            failed = _LIBC.syscall(445, ruleset, 1, rule, ctypes.c_uint32(0))
            os.close(folder)
            if failed:
                os.close(ruleset)
                return 0
    _prctl(_PR_SET_NO_NEW_PRIVS, 1)
    failed = _LIBC.syscall(446, ruleset, ctypes.c_uint32(0))
    os.close(ruleset)
    return 0 if failed else version


def _drop_capabilities() -> None:
    for number in range(64):
        try:
            _prctl(_PR_CAPBSET_DROP, number)
        except OSError:
            break
    header = struct.pack("Ii", 0x20080522, 0)
    _LIBC.syscall({"x86_64": 126, "aarch64": 91}.get(platform.machine(), 126), header, struct.pack("6I", *[0] * 6))


def _limit(name: str, value: int) -> None:
    kind = getattr(resource, name, None)
    if kind is None:
        return
    _, hard = resource.getrlimit(kind)
    value = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (value, value))


def _address_space() -> int | None:
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except (OSError, ValueError):
        return None


def limit_resources(limits: Limits, used: int | None) -> None:
    """Set the limits of the calling process, which it cannot raise again.

    Args:
        limits: What it may use.
        used: Bytes of address space that it has now, if known.
    """
    if used is not None:
        _limit("RLIMIT_AS", used + limits.memory_mib * 2**20)
    _limit("RLIMIT_FSIZE", limits.file_mib * 2**20)
    _limit("RLIMIT_NOFILE", limits.descriptors)
    _limit("RLIMIT_CPU", limits.cpu_s)
    _limit("RLIMIT_CORE", 0)
    _limit("RLIMIT_MEMLOCK", 0)
    _limit("RLIMIT_MSGQUEUE", 0)
    _limit("RLIMIT_SIGPENDING", 64)  # it counts those of all of this user's processes
    _limit("RLIMIT_NICE", 0)
    _limit("RLIMIT_RTPRIO", 0)
    if os.getuid() != 0 or not os.path.exists("/proc"):
        # Counts every thread of the user on the machine, a browser's too, unless the kernel counts by namespace (5.14).
        _limit("RLIMIT_NPROC", 4096)


def give_up_first(score: int) -> None:
    """Have the kernel end the calling process before others when the machine's memory is used up.

    Args:
        score: From 0, like all others, to 1000, before all others.
    """
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(str(score))


def die_with_parent() -> None:
    """Have the kernel end the calling process when its parent ends."""
    try:
        _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    except (OSError, AttributeError):  # not Linux
        return


def fork() -> int:
    """Fork like `os.fork`. Where there is no room for a process, whoever took it is given a moment to be ended.

    Raises:
        OSError: If there is still none.
    """
    for pause_s in _PAUSES_S:
        with contextlib.suppress(OSError):
            return os.fork()
        time.sleep(pause_s)
    return os.fork()


def fresh_seeds() -> None:
    """Return the calling process random numbers of its own: a fork goes on with those of the process it came from."""
    for name in ("random", "numpy.random"):
        if name in sys.modules:
            sys.modules[name].seed()


def _temporary_files_in(folder: str) -> None:
    """Have `tempfile` use a folder; what the process was forked from may have chosen its own."""
    os.environ["TMPDIR"] = folder
    if "tempfile" in sys.modules:
        vars(sys.modules["tempfile"])["tempdir"] = None


def lock_down(
    scratch: str,
    limits: Limits,
    namespaces: list[str],
    wrapped: bool,
    readable: list[str],
    rules: bool = True,
    trap: bool = False,
) -> dict[str, Any]:
    """Close the walls around the calling process, which goes on in its scratch folder.

    Args:
        scratch: The folder that it may write to.
        limits: What it may use.
        namespaces: What `enter_namespaces` gave.
        wrapped: Whether bubblewrap stands around the process that this one was forked from.
        readable: Folders that it may read where Landlock stands in for bubblewrap.
        rules: Whether to use Landlock and seccomp at all.
        trap: Whether a system call that is not allowed is reported rather than refused (see `probing.py`).

    Returns:
        What was reached, as plain data.
    """
    reached: dict[str, Any] = {"bubblewrap": wrapped, "namespaces": list(namespaces), "landlock": 0, "seccomp": False}
    reached["writes"] = not rules  # whether it may write to its folder
    fresh_seeds()
    used = _address_space()
    if wrapped and namespaces:
        _own_scratch(scratch, limits)
        _no_terminals()
        _own_proc()
        reached["writes"] = True
    elif namespaces:
        with contextlib.suppress(OSError):
            _all_read_only()
        with contextlib.suppress(OSError):  # some systems allow namespaces without mounts
            _own_scratch(scratch, limits)
            reached["writes"] = True
    os.chdir(scratch)
    _temporary_files_in(scratch)
    limit_resources(limits, used)
    rules = rules and hasattr(_LIBC, "prctl")
    if rules and not (wrapped and namespaces):
        # Nothing bounds what takes room in a folder of the machine's: nobody sees a file that was deleted and is still
        # mapped. So where it has no folder of its own size, no file can be written at all.
        writable = ["/dev/null", *([scratch] if reached["writes"] else [])]
        reached["landlock"] = landlock([*readable, *_OWN_PROC, *_DEVICES, scratch], writable)
    if rules:
        _prctl(_PR_SET_DUMPABLE, 0)
        _drop_capabilities()
        reached["seccomp"] = syscalls.install(trap, sealed=wrapped and bool(namespaces))
    reached["level"] = level_of(reached)
    return reached


def level_of(reached: dict[str, Any]) -> Level:
    """Return the level of isolation that was reached."""
    if reached["bubblewrap"] and reached["namespaces"] and reached["seccomp"]:
        return Level.BUBBLEWRAP
    if reached["landlock"] and reached["seccomp"]:
        return Level.LANDLOCK
    return Level.LIMITS
