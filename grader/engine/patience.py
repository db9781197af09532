"""How long a submission is waited for: what it has used is looked at while an answer of its two sides is awaited.

Computing is limited in CPU seconds, so that a machine that is slow for being busy takes no points. Waiting is limited
in seconds in which *neither* side computes, wants to or is kept from it: what sleeps, waits for a lock or for input is
known by that, on any machine. The clock limits only what evades both.

A side is first rung at, which ends the call or cell as if its time was up; what does not end is ended with its process.
A student's side limits its own CPU seconds (`student.clock`); here is seen to code that cannot be interrupted there.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from grader.engine.settings import Budget
from grader.sandbox.inside import frames, wire
from grader.sandbox.inside.orders import Role
from grader.sandbox.inside.raised import RAISED
from grader.sandbox.inside.student import COMPUTED, WAITED
from grader.sandbox.pair import Pair, Seen

#: Seconds between two looks, and the share of a processor that still counts as waiting: what sleeps by turns wakes up.
LOOK_S, IDLE = 0.25, 0.05
#: Seconds of waiting after which a submission gives its place to another one.
GIVE_S = 1.0
#: CPU seconds that a side which only waits for the other may take between two looks.
_STILL_S = 0.001
#: The share of a limit that is surely used up when the student's side says that it was reached.
_SURE = 0.8
#: What gives the place of this worker to another submission while this one waits; nothing unless a run sets it.
give_place: ContextVar[Callable[[], None]] = ContextVar("give_place", default=lambda: None)


class Patience:
    """What a submission has used, over all its processes.

    Args:
        budget: What it may use.
        deadline: The value of `time.monotonic()` at which the clock's limit is reached.
    """

    def __init__(self, budget: Budget, deadline: float):
        self.budget, self.deadline = budget, deadline
        self.waited_s = self._before_s = 0.0
        self._seen, self._at = Seen(), time.monotonic()
        #: Why the student's process was ended while the last answer was awaited, in words; empty if it was not.
        self.ended = ""
        #: What of the whole notebook is used up, in words; empty as long as nothing is.
        self.exhausted = ""
        self._begun, self._begun_s, self._most_s, self._rang = self._at, 0.0, 0.0, False

    def begin(self, pair: Pair, wall_s: float) -> None:
        """Take note of where the student's side stands before it is asked for something.

        Args:
            pair: Both sides.
            wall_s: Seconds on the clock that it has for that.
        """
        self._begun, self._begun_s, self._most_s, self._rang = time.monotonic(), pair.look().student_s, wall_s, False

    def reached(self, pair: Pair, text: str, cpu_s: float) -> bool:
        """Return whether the student's side can have reached a limit since `begin`: it says so itself, in any words.

        Args:
            pair: Both sides.
            text: What it says.
            cpu_s: CPU seconds of the limit.
        """
        if COMPUTED in text:
            return pair.look().student_s - self._begun_s >= _SURE * cpu_s
        return WAITED not in text or self._rang or time.monotonic() - self._begun >= _SURE * self._most_s

    def disbelieve(self, pair: Pair, reply: dict[str, Any]) -> None:
        """Take from a test's reply, in place, the limits of calls that the student's side made up."""
        said = reply["ran_out"]
        made_up = [name for name, text in said.items() if not self.reached(pair, text, self.budget.call_cpu_s)]
        texts = [said.pop(name) for name in made_up]
        if reply["error"] == "TimeoutError" and reply["message"] in texts:
            reply["error"] = RAISED
        if texts and reply.get("call_error") == "TimeoutError" and not said:  # the last call's was one of these
            reply["call_error"] = RAISED

    def pair_ended(self, cpu_s: float) -> None:
        """Take note that the two processes were ended; what they used stays used.

        Args:
            cpu_s: CPU seconds of both.
        """
        self._before_s += cpu_s
        self._seen = Seen()

    def is_over(self) -> bool:
        """Return whether the whole notebook's time is used up."""
        if not self.exhausted and time.monotonic() > self.deadline:
            self.exhausted = "its time on the clock"
        return bool(self.exhausted)

    def receive(
        self,
        pair: Pair,
        link: socket.socket,
        deadline: float,
        alone_s: float,
        cpu_s: float,
        limits: frames.Limits = wire.DEFAULT_LIMITS,
    ) -> Any:
        """Wait for an answer of one of the sides.

        Args:
            pair: Both sides.
            link: To the one that answers.
            deadline: The value of `time.monotonic()` at which to give up.
            alone_s: CPU seconds of the student's side while the other one stands still: of one call, or of a cell.
            cpu_s: CPU seconds of both until the answer.
            limits: How much the answer may hold.

        Raises:
            WireError: As `wire.receive`; a `WireTimeout` also if it was waited for as long as this budget allows.
        """
        self.ended = ""
        awaited = _Awaited(self, pair, link, alone_s, cpu_s)
        if time.monotonic() - self._at > 4 * LOOK_S:  # many quick answers are looked at now and then, too
            self._look(pair)  # that they waited so far may be our doing: it is not counted

        def consider() -> None:
            before, at = self._seen, self._at
            self._look(pair)
            awaited.consider(before, self._seen, self._slept_s(before, self._at - at))
            if self.is_over():
                raise wire.WireTimeout("the notebook's time is up")

        def meanwhile() -> None:  # an answer may begin at once, and be an hour under way
            if time.monotonic() - self._at >= LOOK_S:
                consider()

        while not select.select([link], [], [], max(min(LOOK_S, deadline - time.monotonic()), 0))[0]:
            if time.monotonic() >= deadline:
                raise wire.WireTimeout("the other side took too long")
            consider()
        end = min(deadline, time.monotonic() + 3 * self.budget.grace_s)
        return wire.receive(link, limits=limits, deadline=end, meanwhile=meanwhile)

    def _look(self, pair: Pair) -> None:
        self._seen, self._at = pair.look(), time.monotonic()
        if self._before_s + self._seen.cpu_s > self.budget.notebook_cpu_s:
            self.exhausted = f"its {self.budget.notebook_cpu_s:g} seconds of computing"

    def _slept_s(self, before: Seen, passed_s: float) -> float:
        """Return the seconds since the last look but one if both sides waited meanwhile, else 0.

        Args:
            before: What was seen then.
            passed_s: Seconds since.
        """
        if not self._seen.waits or self._seen.cpu_s - before.cpu_s > IDLE * passed_s:
            return 0.0
        slept_s = min(passed_s, 2 * LOOK_S)
        self.waited_s += slept_s
        if self.waited_s > self.budget.notebook_waiting_s:
            self.exhausted = f"the {self.budget.notebook_waiting_s:g} seconds for which it may wait"
        return slept_s


class _Awaited:
    """One answer that is awaited.

    Args:
        patience: The submission's.
        pair: Its two sides.
        link: As for `Patience.receive`.
        alone_s: As for `Patience.receive`.
        cpu_s: As for `Patience.receive`.
    """

    def __init__(self, patience: Patience, pair: Pair, link: socket.socket, alone_s: float, cpu_s: float):
        self.patience, self.pair, self.link, self.budget = patience, pair, link, patience.budget
        self.alone_s, self.cpu_s = alone_s, cpu_s
        self.waited_s = self.computed_s = self.alone = 0.0
        self.rung: set[Role] = set()

    def consider(self, before: Seen, now: Seen, slept_s: float) -> None:
        """Ring at a side, or end it, if it has had more than it may; give up if no answer can come any more.

        Args:
            before: What was seen before.
            now: What is seen now.
            slept_s: Seconds for which both waited meanwhile.

        Raises:
            WireClosed: The student's side has ended, and the other one waits nevertheless.
        """
        # A look earlier the trusted side may just not have been told.
        if before.ended and now.ended and now.waits and not select.select([self.link], [], [], 0)[0]:
            raise wire.WireClosed("the student's process has ended, and nobody answers for it")
        still = now.trusted_s - before.trusted_s <= _STILL_S
        self.alone = self.alone + now.student_s - before.student_s if still else 0.0
        self.computed_s += now.cpu_s - before.cpu_s
        self.waited_s = self.waited_s + slept_s
        if slept_s and self.waited_s >= GIVE_S:
            give_place.get()()
        if self.waited_s >= self.budget.waiting_s:
            self._ring(Role.STUDENT)
            if self.waited_s >= self.budget.waiting_s + self.budget.grace_s:
                self._end(WAITED)
        if self.alone > self.alone_s + min(self.alone_s, self.budget.grace_s):
            self._end(COMPUTED)
        if self.computed_s > self.cpu_s:
            self._ring(Role.TRUSTED)
            if self.computed_s > self.cpu_s + self.budget.grace_s:
                raise wire.WireTimeout("it has computed for longer than it may")

    def _ring(self, role: Role) -> None:
        if role not in self.rung:
            self.rung.add(role)
            self.patience._rang |= role is Role.STUDENT
            self.pair.interrupt(role)

    def _end(self, why: str) -> None:
        if not self.patience.ended:
            self.patience.ended = f"{why}; it could not be interrupted, so the process that it ran in was ended"
            self.pair.end_student()
