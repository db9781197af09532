"""The two processes that a submission runs in, connected with each other and with the one that keeps the clock."""

from __future__ import annotations

import contextlib
import socket

from grader.core.errors import GraderError
from grader.sandbox.inside.isolate import Limits
from grader.sandbox.inside.orders import Ended, Role
from grader.sandbox.warm import WarmProcess


class Pair:
    """A student's side and a trusted side that are connected."""

    def __init__(self, template: WarmProcess, limits: Limits):
        self.template = template
        self.student, student_control = socket.socketpair()
        self.trusted, trusted_control = socket.socketpair()
        student_calls, trusted_calls = socket.socketpair()
        theirs = [student_control, trusted_control, student_calls, trusted_calls]
        self.children: list[int] = []
        #: How the student's side ended, once `end` was called.
        self.ended = Ended.UNKNOWN
        try:
            for role, ends in (
                (Role.TRUSTED, (trusted_control, trusted_calls)),
                (Role.STUDENT, (student_control, student_calls)),
            ):
                number, self.isolation = template.spawn(role, list(ends), limits)
                self.children.append(number)
        except BaseException:
            with contextlib.suppress(GraderError):
                self.end(0)
            raise
        finally:
            for one in theirs:
                one.close()

    def end(self, wait_s: float = 0.5) -> tuple[float, float]:
        """End both; return their CPU seconds and the peak memory of the larger one, in MiB."""
        for one in (self.student, self.trusted):
            one.close()
        used = [self.template.end(number, wait_s) for number in self.children]
        self.children = []
        self.ended = used[-1]["ended"] if used else Ended.UNKNOWN
        return sum(u["cpu_s"] for u in used), max((u["peak_mib"] for u in used), default=0.0)
