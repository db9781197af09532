"""Which system calls code behind the walls may make: those on a list, all others are refused.

The list was found by tracing (strace) the reference answers, known mistakes, explanations, figures and audits of the
six notebooks, and completed by what plain Python code does with files, clocks, signals and pipes of its own. Refused
are above all new processes and programs, other processes, mounts and namespaces, keys, memory that no limit counts, and
every interface of the kernel that is newer than this list. `grader doctor` names the call if a library needs one more.

Refused is also whatever tells which pages of a file are in memory or puts them out of it (`mincore`, `cachestat`,
`fadvise64`, `getrusage`, which counts reads from disk, an advice such as `MADV_PAGEOUT`). The files of Python are the
same for every submission, so their pages would carry a message from one run to the next one.

seccomp(2) describes the filter; a number 999 or a call of tomorrow's kernel is refused like `ptrace`.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import signal
import struct

#: Number of each call on x86_64 and on aarch64, None where the latter lacks an old call.
ALLOWED: dict[str, tuple[int, int | None]] = {
    # Memory, and randomness.
    "brk": (12, 214), "mmap": (9, 222), "munmap": (11, 215), "mremap": (25, 216), "mprotect": (10, 226),
    "msync": (26, 227), "getrandom": (318, 278), "membarrier": (324, 283),
    # Threads of its own (`clone` makes nothing else, see below), and waiting for them.
    "exit": (60, 93), "exit_group": (231, 94), "futex": (202, 98), "gettid": (186, 178), "rseq": (334, 293),
    "set_robust_list": (273, 99), "set_tid_address": (218, 96), "restart_syscall": (219, 128),
    "sched_yield": (24, 124), "sched_get_priority_max": (146, 125), "sched_get_priority_min": (147, 126),
    "getcpu": (309, 168),
    # Signals to itself, and its clocks.
    "rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136), "rt_sigtimedwait": (128, 137), "rt_sigsuspend": (130, 133),
    "sigaltstack": (131, 132), "pause": (34, None), "alarm": (37, None), "getitimer": (36, 102),
    "setitimer": (38, 103), "nanosleep": (35, 101), "gettimeofday": (96, 169), "time": (201, None),
    "times": (100, 153),
    # Who and where it is.
    "getpid": (39, 172), "getppid": (110, 173), "getuid": (102, 174), "geteuid": (107, 175),
    "getgid": (104, 176), "getegid": (108, 177), "getresuid": (118, 148), "getresgid": (120, 150),
    "getgroups": (115, 158), "getpgrp": (111, None), "uname": (63, 160), "sysinfo": (99, 179), "wait4": (61, 260),
    "waitid": (247, 95),
    # Reading and writing what is open.
    "read": (0, 63), "write": (1, 64), "readv": (19, 65), "writev": (20, 66), "pread64": (17, 67),
    "pwrite64": (18, 68), "preadv": (295, 69), "pwritev": (296, 70), "lseek": (8, 62), "close": (3, 57),
    "dup": (32, 23), "dup2": (33, None), "dup3": (292, 24),
    "flock": (73, 32), "fsync": (74, 82), "fdatasync": (75, 83), "ftruncate": (77, 46),
    "fallocate": (285, 47), "sendfile": (40, 71), "copy_file_range": (326, 285),
    "pipe": (22, None), "pipe2": (293, 59),
    # Files; namespaces and Landlock decide which.
    "creat": (85, None), "stat": (4, None), "fstat": (5, 80),
    "lstat": (6, None), "newfstatat": (262, 79), "statx": (332, 291), "statfs": (137, 43), "fstatfs": (138, 44),
    "access": (21, None), "faccessat": (269, 48), "faccessat2": (439, 439), "readlink": (89, None),
    "readlinkat": (267, 78), "getdents": (78, None), "getdents64": (217, 61), "getcwd": (79, 17),
    "chdir": (80, 49), "fchdir": (81, 50), "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None),
    "unlink": (87, None), "unlinkat": (263, 35), "rename": (82, None), "renameat": (264, 38),
    "renameat2": (316, 276), "link": (86, None), "linkat": (265, 37), "symlink": (88, None),
    "symlinkat": (266, 36), "truncate": (76, 45), "chmod": (90, None), "fchmod": (91, 52),
    "fchmodat": (268, 53), "utime": (132, None), "utimes": (235, None), "utimensat": (280, 88),
    "umask": (95, 166),
    # What a copied file has beside its content; Python's `shutil` takes EPERM for an answer only when it writes that.
    "getxattr": (191, 8), "lgetxattr": (192, 9), "fgetxattr": (193, 10), "listxattr": (194, 11),
    "llistxattr": (195, 12), "flistxattr": (196, 13),
    # Waiting for descriptors.
    "poll": (7, None), "ppoll": (271, 73), "select": (23, None), "pselect6": (270, 72),
    "epoll_create": (213, None), "epoll_create1": (291, 20), "epoll_ctl": (233, 21), "epoll_wait": (232, None),
    "epoll_pwait": (281, 22), "eventfd2": (290, 19),
    # The sockets that it got, and pairs of its own. Neither can be led to an address: see `socketpair` below. `sendmsg`
    # is missing: the kernel counts descriptors under way for all processes of a user, and lets threads that send at the
    # same time exceed what it allows, whereupon nobody of this user can hand one over, the grader's own processes too.
    "recvfrom": (45, 207), "recvmsg": (47, 212), "shutdown": (48, 210), "getsockname": (51, 204),
    "getpeername": (52, 205),
}  # fmt: skip
#: Calls whose arguments are looked at.
ASKED: dict[str, tuple[int, int | None]] = {
    "clone": (56, 220), "clone3": (435, 435), "socketpair": (53, 199), "kill": (62, 129), "tgkill": (234, 131),
    "prlimit64": (302, 261), "prctl": (157, 167), "setpriority": (141, 140), "getpriority": (140, 141),
    "sched_getaffinity": (204, 123), "sched_getparam": (143, 121), "sched_getscheduler": (145, 120),
    "getpgid": (121, 155), "getsid": (124, 156), "clock_gettime": (228, 113), "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115), "fcntl": (72, 25), "ioctl": (16, 29), "setsockopt": (54, 208),
    "open": (2, None), "openat": (257, 56),
    "getsockopt": (55, 209), "close_range": (436, 436), "sendto": (44, 206), "madvise": (28, 233),
}  # fmt: skip
_MACHINES = ("x86_64", "aarch64")
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
#: What the C libraries' `pthread_create` asks for: all of the first, some of the second, nothing else. A thread with a
#: table of descriptors of its own would multiply what it may open.
_THREAD, _OF_A_THREAD = 0x00010F00, 0x007C0000
_AF_UNIX = 1
#: Pairs that stay connected with each other (streams, packets). One of datagrams could be sent to any socket of this
#: machine that has a place in a folder, which neither a network namespace nor Landlock forbids.
_PAIRS = [kind | flags for kind in (1, 5) for flags in (0, 0o4000, 0o2000000, 0o2004000)]
#: Locks of a whole file. One of a library's would hold up the programs of this machine that lock the same file, and a
#: process shares its own files with nobody. So it does nothing and reports success.
_LOCKS = ("flock",)
#: Waiting until a disk has what was written. Nothing of a submission's has to last, so it does nothing as well.
_LASTING = ("fsync", "fdatasync", "msync")
#: Flags of a file that make every read and write wait for the disk that all others of this machine use, by machine:
#: `O_DIRECT`, and the bit that `O_DSYNC` and `O_SYNC` have in common.
_SLOWLY = {"x86_64": 0o40000 | 0o10000, "aarch64": 0o200000 | 0o10000}
#: What changes a file's mode and times. Landlock does not ask about these, and bubblewrap binds the devices of this
#: machine, which belong to whoever marks as root. So they do nothing on any file and report success, as code expects
#: that copies a file of its own.
_MODES_AND_TIMES = ("chmod", "fchmod", "fchmodat", "utime", "utimes", "utimensat")
#: What tells of any file by its name, which Landlock does not ask about either, and what is answered there: a file has
#: no attributes, as `shutil` takes it, and nobody knows how much room a disk has.
_TOLD = {
    **dict.fromkeys(("getxattr", "lgetxattr", "listxattr", "llistxattr"), errno.ENOTSUP),
    **dict.fromkeys(("statfs", "fstatfs"), errno.ENOSYS),
}
#: What threads may ask of `prctl`: to set and to read their own name, and to name a piece of memory.
_PR_SET_NAME, _PR_GET_NAME, _PR_SET_VMA = 15, 16, 0x53564D41
_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _SECCOMP_MODE_FILTER = 22, 38, 2
#: What may be asked of a descriptor: copies, flags, whether there is a lock, and the size of a pipe. Not who gets a
#: signal when something can be read (`F_SETOWN`, `F_SETOWN_EX`, `F_SETSIG`, a lease), since the kernel sends it on
#: behalf of the descriptor's owner to whatever process that names.
_F_SETFL, _O_ASYNC = 4, 0o20000
_F_ANY = (0, 1, 2, 3, 5, 36, 1030, 1032)
#: What takes memory of the kernel's that no limit counts, and that nobody needs who shares no file: locks of parts of a
#: file, and larger buffers of a socket. It does nothing and reports success.
_F_LOCKS, _SOCKET_BUFFERS = (6, 7, 37, 38), (7, 8)
#: `TCGETS`, `TCGETS2` (whether it is a terminal), `TIOCGWINSZ`, `FIONREAD`, `FIONBIO`, `FIONCLEX`, `FIOCLEX`. Not
#: `FIOASYNC` and `FIOSETOWN` (signals, as above), interfaces of the network, or flags of a file.
_IOCTLS = (0x5401, 0x802C542A, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
#: Options of a socket itself: reuse, keep-alive, time limits.
_SOL_SOCKET, _SOCKET_OPTIONS = 1, (2, 9, 20, 21)
#: A byte out of turn: whoever waits for what comes in turn is woken by it, again and again, and gets nothing.
_MSG_OOB = 1
#: Besides these it may be asked for its type, error, buffers, protocol and family: not for who is at the other end.
_SOCKET_FACTS = (*_SOCKET_OPTIONS, 3, 4, *_SOCKET_BUFFERS, 30, 38, 39)
#: Closing a range of descriptors, or marking it; not in a table of its own, as for threads.
_RANGES = (0, 4)
#: What an allocator advises about memory of its own: to give it back, forks, huge pages, dumps, guard pages. Not what
#: is about pages of a file: to read them ahead, to let them go (`MADV_COLD`, `MADV_PAGEOUT`), to have them all at once.
_ADVICES = (4, 8, 10, 11, 14, 15, 16, 17, 18, 19, 102, 103)
#: A clock with a higher number is the processor time of any process or thread, or a device.
_CLOCKS = 15
_LOAD, _AND, _JUMP_EQUAL, _JUMP_GREATER_EQUAL, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x06
_RET_ALLOW, _RET_KILL, _RET_TRAP = 0x7FFF0000, 0x80000000, 0x00030000
_ALL_BITS = 0xFFFFFFFF
#: Where `struct seccomp_data` has the number, the architecture and the lower half of the first argument. The next half
#: is 4 bytes further on.
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
Line = tuple[int, int, int, int]
#: Half of an argument (lower halves are even), the bits of it that are looked at, and what these have to be. Of an
#: `int`, and of flags of which the kernel takes 32 bits, the lower half is all that the kernel looks at.
Test = tuple[int, int, int]


def numbers(machine: str, calls: dict[str, tuple[int, int | None]]) -> dict[str, int]:
    """Return the numbers of some calls on a machine, without those that it does not have."""
    own = _MACHINES.index(machine)
    return {name: number for name, pair in calls.items() if (number := pair[own]) is not None}


def _refuse(error: int) -> int:
    return 0x00050000 | error


def _is(argument: int, value: int) -> Test:
    return 2 * argument, _ALL_BITS, value


def _without(argument: int, bits: int) -> Test:
    return 2 * argument, bits, 0


def _nowhere(argument: int) -> list[Test]:
    """Return the tests of an address, which has two halves."""
    return [(2 * argument, _ALL_BITS, 0), (2 * argument + 1, _ALL_BITS, 0)]


def _ways(machine: str, own_pid: int) -> dict[str, list[list[Test]]]:
    """Return the ways in which calls are allowed: in one of them every test has to hold.

    Whatever could be aimed at another process is aimed at none (0) or at this one.
    """
    itself = [[_is(0, 0)], [_is(0, own_pid)]]
    a_clock = [[_without(0, _ALL_BITS ^ _CLOCKS)]]
    slowly = _SLOWLY[machine]
    own_names = (_PR_SET_NAME, _PR_GET_NAME, _PR_SET_VMA)
    return {
        "clone": [[(0, _ALL_BITS ^ _OF_A_THREAD, _THREAD)]],  # threads, no processes
        "socketpair": [[_is(0, _AF_UNIX), _is(1, kind)] for kind in _PAIRS],
        "setsockopt": [[_is(1, _SOL_SOCKET), _is(2, option)] for option in _SOCKET_OPTIONS],
        "getsockopt": [[_is(1, _SOL_SOCKET), _is(2, option)] for option in _SOCKET_FACTS],
        "kill": [[_is(0, own_pid)]],
        "tgkill": [[_is(0, own_pid)]],
        "prlimit64": [[_is(0, 0), *_nowhere(2)]],  # to ask, not to set: the kernel ends what is over a limit
        "setpriority": [[_is(0, 0), _is(1, 0)]],  # not that of all of this user's
        "getpriority": [[_is(0, 0), _is(1, 0)]],
        "prctl": [[_is(0, option)] for option in own_names],
        **dict.fromkeys(("sched_getaffinity", "sched_getparam", "sched_getscheduler", "getpgid", "getsid"), itself),
        **dict.fromkeys(("clock_gettime", "clock_getres", "clock_nanosleep"), a_clock),
        "fcntl": [[_is(1, command)] for command in _F_ANY] + [[_is(1, _F_SETFL), _without(2, _O_ASYNC | slowly)]],
        "open": [[_without(1, slowly)]],
        "openat": [[_without(2, slowly)]],
        "ioctl": [[_is(1, command)] for command in _IOCTLS],
        "close_range": [[_is(2, flags)] for flags in _RANGES],
        "madvise": [[_is(2, advice)] for advice in _ADVICES],
        "sendto": [[_without(3, _MSG_OOB)]],
    }


#: Ways in which a call is refused, whatever else allows it: by this signal one knows that the system ended a process.
_NEVER: dict[str, list[list[Test]]] = {"kill": [[_is(1, signal.SIGKILL)]], "tgkill": [[_is(2, signal.SIGKILL)]]}

#: Ways in which a call does nothing and reports success.
_IN_NAME: dict[str, list[list[Test]]] = {
    "fcntl": [[_is(1, command)] for command in _F_LOCKS],
    "prlimit64": [[_is(0, 0)]],
    "setsockopt": [[_is(1, _SOL_SOCKET), _is(2, option)] for option in _SOCKET_BUFFERS],
}


def program(machine: str, own_pid: int, trap: bool = False, sealed: bool = True) -> bytes:
    """Assemble the filter: a list of comparisons that each end in a return.

    Args:
        machine: `x86_64` or `aarch64`.
        own_pid: The process that signals may go to.
        trap: Send SIGSYS for a call that is not on the list, which `probing.py` reports, instead of refusing it.
        sealed: Whether the files of this machine are out of reach or mounted read-only.
    """
    no = _RET_TRAP if trap else _refuse(errno.EPERM)
    asked, allowed = numbers(machine, ASKED), numbers(machine, ALLOWED)
    code: list[Line] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_JUMP_EQUAL, 1, 0, _AUDIT_ARCH[machine]),
        (_RETURN, 0, 0, _RET_KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if machine == "x86_64":  # the x32 numbers of the same calls
        code += [(_JUMP_GREATER_EQUAL, 0, 1, _X32), (_RETURN, 0, 0, _refuse(errno.ENOSYS))]
    # The C library falls back to clone, whose flags a filter can see.
    code += [(_JUMP_EQUAL, 0, 1, asked.pop("clone3")), (_RETURN, 0, 0, _refuse(errno.ENOSYS))]
    ways = _ways(machine, own_pid)
    for name, number in asked.items():
        in_name = [(tests, _refuse(0)) for tests in _IN_NAME.get(name, ())]
        refused = [(tests, no) for tests in _NEVER.get(name, ())]
        code += _if_arguments(number, [*refused, *((tests, _RET_ALLOW) for tests in ways[name]), *in_name], no)
    answers = dict.fromkeys((*_LOCKS, *_LASTING, *_MODES_AND_TIMES), 0)
    if not sealed:
        answers |= _TOLD
    for name in answers.keys() & allowed.keys():
        code += [(_JUMP_EQUAL, 0, 1, allowed.pop(name)), (_RETURN, 0, 0, _refuse(answers[name]))]
    for number in sorted(allowed.values()):
        code += [(_JUMP_EQUAL, 0, 1, number), (_RETURN, 0, 0, _RET_ALLOW)]
    code.append((_RETURN, 0, 0, no))
    return b"".join(struct.pack("HBBI", *line) for line in code)


def _if_arguments(number: int, ways: list[tuple[list[Test], int]], no: int) -> list[Line]:
    """Return from a call as the first of some ways says of which all tests of its arguments hold."""
    inside: list[Line] = []
    for tests, answer in ways:
        for place, (half, bits, value) in enumerate(tests):
            behind = 3 * (len(tests) - place) - 2  # what is left of this way, its return included
            inside += [
                (_LOAD, 0, 0, _ARGUMENTS + 4 * half),
                (_AND, 0, 0, bits),
                (_JUMP_EQUAL, 0, behind, value),
            ]
        inside.append((_RETURN, 0, 0, answer))
    inside.append((_RETURN, 0, 0, no))
    return [(_JUMP_EQUAL, 0, len(inside), number), *inside]


def install(trap: bool = False, sealed: bool = True) -> bool:
    """Put the filter in force, for this process and for ever.

    Args:
        trap: As for `program`.
        sealed: As for `program`.

    Returns:
        Whether it is in force.
    """
    machine = platform.machine()
    if machine not in _MACHINES:
        return False
    code = program(machine, os.getpid(), trap, sealed)
    buffer = ctypes.create_string_buffer(code, len(code))
    head = struct.pack("HP", len(code) // 8, ctypes.addressof(buffer))
    keep = ctypes.create_string_buffer(head, len(head))
    libc = ctypes.CDLL(None, use_errno=True)
    zero = ctypes.c_ulong(0)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero):
        return False
    mode, address = ctypes.c_ulong(_SECCOMP_MODE_FILTER), ctypes.c_ulong(ctypes.addressof(keep))
    return int(libc.prctl(_PR_SET_SECCOMP, mode, address, zero, zero)) == 0
