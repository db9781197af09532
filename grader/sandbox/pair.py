"""The two processes that a submission runs in, connected with each other and with the one that keeps the clock."""

from __future__ import annotations

import contextlib
import socket
from dataclasses import dataclass
from typing import Any

from grader.core.errors import GraderError
from grader.sandbox.inside.isolate import Limits
from grader.sandbox.inside.orders import Ended, Role
from grader.sandbox.warm import WarmProcess


@dataclass(frozen=True)
class Seen:
    """What the two sides were doing at a moment.

    Args:
        student_s: CPU seconds so far of the student's side.
        trusted_s: Of the trusted side.
        waits: Whether both wait, and therefore for nothing that either of them will bring about by computing.
        ended: Whether the student's side has ended. Its sockets may live on: it may have sent them to somebody who has
            not read that.
    """

    student_s: float = 0.0
    trusted_s: float = 0.0
    waits: bool = False
    ended: bool = False

    @property
    def cpu_s(self) -> float:
        """CPU seconds so far of both."""
        return self.student_s + self.trusted_s


class Pair:
    """A student's side and a trusted side that are connected."""

    def __init__(self, template: WarmProcess, limits: Limits):
        self.template = template
        self.student, student_control = socket.socketpair()
        self.trusted, trusted_control = socket.socketpair()
        student_calls, trusted_calls = socket.socketpair()
        theirs = [student_control, trusted_control, student_calls, trusted_calls]
        self.children: list[int] = []
        self._ended: dict[int, dict[str, Any]] = {}
        self._seen = Seen()
        #: How the student's side ended, once `end` was called; or that the system ended one of the two.
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

    def look(self) -> Seen:
        """Return what both are doing."""
        (trusted_s, trusted_waits, _), (student_s, student_waits, ended) = self.template.look(self.children)
        # What has ended stays used.
        self._seen = Seen(
            max(student_s, self._seen.student_s),
            max(trusted_s, self._seen.trusted_s),
            trusted_waits and student_waits,
            ended,
        )
        return self._seen

    def interrupt(self, role: Role) -> None:
        """Ring at one side: what runs there under a clock ends as if its time was up."""
        self.template.interrupt(self.children[role is Role.STUDENT])

    def end_student(self) -> None:
        """End the student's side, whatever it does."""
        number = self.children[1]
        if number not in self._ended:
            self._ended[number] = self.template.end(number, 0)

    def end(self, wait_s: float = 0.5) -> tuple[float, float]:
        """End both; return their CPU seconds and the peak memory of the larger one, in MiB."""
        for one in (self.student, self.trusted):
            one.close()
        used = [self._ended.get(number) or self.template.end(number, wait_s) for number in self.children]
        self.children = []
        taken = any(u["ended"] == Ended.TAKEN for u in used)
        self.ended = Ended.TAKEN if taken else used[-1]["ended"] if used else Ended.UNKNOWN
        return sum(u["cpu_s"] for u in used), max((u["peak_mib"] for u in used), default=0.0)
