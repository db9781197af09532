"""What lies with the machine and not with the course: a disk that is full, a folder that nobody may write to."""

from __future__ import annotations

import errno
import io
import os
import select
import signal
import sqlite3
import sys

from grader.core.errors import GraderError

_ROOM, _WRITABLE = "make room on the disk", "see that this user may read and write there"
_ERRORS = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EROFS: _WRITABLE,
    errno.EACCES: _WRITABLE,
    errno.EPERM: _WRITABLE,
}
#: The same of SQLite, in the low byte of its codes.
_DATABASE = {
    sqlite3.SQLITE_FULL: _ROOM,
    sqlite3.SQLITE_READONLY: _WRITABLE,
    sqlite3.SQLITE_CANTOPEN: _WRITABLE,
    sqlite3.SQLITE_PERM: _WRITABLE,
}
#: What may be left of a command that works while it tells what it does, if nobody reads on. Most only tell.
_LEFT = {"grade": "some submissions may not be marked", "feedback": "some pages may not be written"}


def remedy(error: BaseException) -> str:
    """Return what to do about an error that the machine is to blame for; nothing if it is not.

    Args:
        error: The error; SQLAlchemy's stands for the database driver's own.
    """
    code = getattr(getattr(error, "orig", error), "sqlite_errorcode", None)
    if code is not None:
        return _DATABASE.get(int(code) & 0xFF, "")
    return _ERRORS.get(error.errno or 0, "") if isinstance(error, OSError) else ""


def begin() -> None:
    """Let this process be as our own code expects it, whoever started it and in whatever terminal.

    Its children are waited for, which a process that inherited that they are ignored cannot. What the terminal's
    encoding lacks is shown as an escape: somebody's name shall not end a command.
    """
    if signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")  # as Python does with `sys.stderr`


def ended_by(end: KeyboardInterrupt | BrokenPipeError, command: str) -> int:
    """Return the exit code of a command that somebody ended: by Ctrl-C, or by reading no further (`| head`).

    Args:
        end: How.
        command: Which command.

    Raises:
        BrokenPipeError: If it was another pipe than the one to whoever reads, which is a fault of ours.
    """
    if isinstance(end, KeyboardInterrupt):
        print(f"grader {command}: interrupted", file=sys.stderr)
        return 130
    try:
        output = sys.stdout.fileno()
    except OSError:  # what a program put in its place is no pipe
        raise end from None
    reader = select.poll()
    reader.register(output, 0)
    if not any(event & select.POLLERR for _, event in reader.poll(0)):
        raise end
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, output)  # what is still to be written would fail when Python ends
    if command in _LEFT:
        text = f"grader {command}: stopped, since its output is read no further; {_LEFT[command]}, so start it again"
        try:
            print(text, file=sys.stderr, flush=True)
        except OSError:  # it goes the same way: `2>&1 | head`
            os.dup2(nowhere, sys.stderr.fileno())
    return 1


def as_told(error: Exception) -> GraderError:
    """Return an error in the form in which an instructor reads it.

    Raises:
        Exception: The error itself, if it is a fault of ours; its traceback says where.
    """
    if isinstance(error, GraderError):
        return error
    fix = remedy(error)
    if not fix:
        raise error
    again = f"{fix}, then start the same command again: what is done already stays"
    if isinstance(error, OSError):
        return GraderError(os.strerror(error.errno or 0), os.fsdecode(error.filename or ""), again)
    return GraderError(str(getattr(error, "orig", error)), "the gradebook", again)
