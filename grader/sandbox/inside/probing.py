"""Do honest work and report every system call that the filter would have refused; `grader doctor` asks for it.

In this role alone the filter sends SIGSYS instead of an error. The handler notes the number, lets the call fail as it
would have, and the work goes on.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import platform
import signal
import socket

from .describing import describe

_SA_SIGINFO, _SA_NODEFER = 4, 0x40000000
#: Where `siginfo_t` has the number of the call, and `ucontext_t` the register for its result.
_CALL, _RESULT = 24, {"x86_64": 40 + 8 * 13, "aarch64": 184}
_HANDLER = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)


class _Action(ctypes.Structure):
    """The C library's `struct sigaction`."""

    _fields_ = (
        ("handler", _HANDLER),
        ("mask", ctypes.c_ulong * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


def _report_to(descriptor: int) -> _Action:
    """Have the number of each refused call written to a descriptor; keep what is returned as long as that shall be."""
    result = _RESULT[platform.machine()]

    def note(number: int, info: int, context: int) -> None:
        call = ctypes.c_int.from_address(info + _CALL).value
        os.write(descriptor, json.dumps({"refused": call}).encode() + b"\n")
        ctypes.c_long.from_address(context + result).value = -errno.EPERM

    action = _Action(handler=_HANDLER(note), flags=_SA_SIGINFO | _SA_NODEFER)
    ctypes.CDLL(None).sigaction(int(signal.SIGSYS), ctypes.byref(action), None)
    return action


def main(link: socket.socket) -> None:
    """Run the code that comes over the socket as a line of JSON."""
    action = _report_to(link.fileno())
    with link.makefile("r", encoding="utf-8") as lines:
        source = json.loads(lines.readline())
    error = None
    try:
        exec(compile(source, "<work>", "exec"), {"__name__": "__main__"})
    except BaseException as problem:
        error = describe(problem, "<work>")
    link.sendall(json.dumps({"error": error}).encode() + b"\n")
    del action
