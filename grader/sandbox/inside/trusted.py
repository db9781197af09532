"""The side that the tests run on: the release's own cells, and proxies where the student's functions would stand.

What comes from the student is plain data or an error's name and text; no code of the student's ever runs here.
"""

from __future__ import annotations

import contextlib
import functools
import math
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from . import border, checking, prelude, wire
from .cells import unpacked
from .describing import MAX_MESSAGE, MAX_NAME, describe, is_assertion_of
from .handed_over import HandedOver
from .raised import StudentError, as_exception

#: Calls of functions that a test handed to the student's code, for each call of the student's.
MAX_CALLBACKS = 20_000
MAX_DEPTH = 16
#: Calls of one exercise that are kept, and their bytes: from these a wrong answer is recognised.
MAX_KEPT, MAX_KEPT_BYTES = 400, 16 * 2**20
#: Questions to a test's functions, of one call and of all that are kept; what asks more is not compared.
MAX_TRACE, MAX_TRACES = 2_000, 20_000

#: What the clock's side can ask for.
Task = Callable[..., dict[str, Any]]


class StudentGone(BaseException):
    """The student's side does not answer any more. No `except Exception` of a test stops it."""

    def __init__(self, function: str, why: str):
        self.function, self.why = function, why
        super().__init__(f"{function}: {why}")


class CellTimeout(BaseException):
    """The test cell ran longer than it may."""


class Written:
    """What was done to a test's own arguments, as the student's functions did it to their copies; it can be undone."""

    def __init__(self) -> None:
        self.undoing: list[Callable[[], object]] = []

    def undo(self) -> None:
        """Give everything the content that it had before, the last change first."""
        while self.undoing:
            self.undoing.pop()()

    def give_back(self, original: object, after: object) -> None:
        """Do to an argument what the student's function did to its copy.

        Args:
            original: The argument; what it holds is changed in place.
            after: The copy behind the call.
        """
        import numpy as np

        with contextlib.suppress(Exception):
            if isinstance(original, np.ndarray) and isinstance(after, np.ndarray):
                self._array(original, after)
            elif isinstance(original, list) and isinstance(after, list | np.ndarray):  # of many, an array was sent
                self._list(original, after if isinstance(after, list) else after.tolist())
            elif isinstance(original, tuple) and isinstance(after, tuple):
                for one, other in zip(original, after, strict=True):
                    if other is not None:
                        self.give_back(one, other)
            elif isinstance(original, dict) and isinstance(after, dict):
                self._dict(original, after)

    def _array(self, original: Any, after: object) -> None:
        if not original.flags.writeable:
            return
        before = original.copy()
        self.undoing.append(functools.partial(original.__setitem__, ..., before))
        original[...] = after

    def _list(self, original: list[Any], after: list[Any]) -> None:
        self.undoing.append(functools.partial(original.__setitem__, slice(None), list(original)))
        if len(original) != len(after):
            original[:] = after
            return
        for n, (one, other) in enumerate(zip(original, after, strict=True)):
            if _became(one, other):
                self.give_back(one, other)
            else:
                original[n] = other

    def _dict(self, original: dict[Any, Any], after: dict[Any, Any]) -> None:
        before = dict(original)
        self.undoing += [functools.partial(original.update, before), original.clear]  # undone from the end
        for key in [k for k in original if k not in after]:
            del original[key]
        for key, other in after.items():
            if key in original and _became(original[key], other):
                self.give_back(original[key], other)
            else:
                original[key] = other


def _became(one: object, other: object) -> bool:
    """Return whether a value can have become the other in place; if not, the other was put where it was."""
    import numpy as np

    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return bool(one.shape == other.shape and one.dtype.kind == other.dtype.kind)
    return any(isinstance(one, kind) and isinstance(other, kind) for kind in (list, dict))


class Trusted:
    """The tests' namespace, and the way to the student's functions.

    Args:
        control: To the process that keeps the clock: cells to run.
        calls: To the student's side.
    """

    def __init__(self, control: socket.socket, calls: socket.socket):
        self.control, self.calls = control, calls
        self.space = prelude.take_over().__dict__
        self.deadline = 0.0
        self.limits: dict[str, Any] = {}
        self.depth, self.count, self.inside = 0, 0, ""
        #: Whether a call of the cell at hand changed its arguments, and what of that was done to the test's own.
        self.changed = False
        self.written: Written | None = None
        self.late: dict[str, int] = {}
        self.ran_out, self.longest_s = dict[str, str](), 0.0  # of the cell at hand: functions with what is said of them
        self.broken: dict[str, str] = {}
        self.helpers: set[str] = set()  # names of those that the calls of the cell at hand used
        self.call_error = ""  # the type's name, if the last call ended with an exception of the student's side
        self.exercise, self.cell, self.room, self.traces = "", "", 0, 0
        self.kept: list[dict[str, Any]] = []
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for the life of the process
        sys.displayhook = lambda value: None

    def serve(self) -> None:
        """Run the cells that the clock's side sends, until it hangs up."""
        tasks: dict[str, Task] = {
            "locked": self.locked,
            "test": self.test,
            "calls": self.calls_kept,
            "probe": self.probe,
            "check": self.check,
        }
        while True:
            message = wire.receive(self.control)
            wire.send(self.control, tasks[message.pop("do")](**message))

    def locked(self, source: bytes | str, name: str, wall_s: float) -> dict[str, Any]:
        """Run a set-up, helper or given cell, from `engine/packed.py` or as source."""
        return self._run(source, name, wall_s)[0]

    def test(
        self,
        source: bytes | str,
        name: str,
        wall_s: float,
        functions: list[Any],
        broken: dict[str, Any],
        limits: dict[str, Any],
        exercise: str,
        write_back: bool,
    ) -> dict[str, Any]:
        """Run a test cell with proxies for the student's functions.

        What the functions were called with and what they gave is kept while the tests of one exercise run; with the
        verdict of a test that ended the student's process it is handed over, since this process ends as well then.

        Args:
            source: The cell, from `engine/packed.py`.
            name: Its `grade_id`.
            wall_s: Seconds on the clock.
            functions: Names of the student's functions.
            broken: Those that are not called, and why.
            limits: For one call.
            exercise: Whose calls are kept; an empty text for none.
            write_back: Whether the test's own arguments change with the copies that the student's functions got. Such a
                run is a repetition: of its calls nothing is kept, and behind it everything is as it was before.

        Returns:
            The verdict, whether a function changed its arguments, whose calls ran out of time, seconds of the longest,
            with what the last one ended, and names of helper functions that they used.
        """
        self.limits, self.broken, self.ran_out, self.longest_s = limits, broken, {}, 0.0
        self.changed, self.written, self.call_error = False, Written() if write_back else None, ""
        self.helpers = set()
        if exercise != self.exercise:
            self.exercise, self.kept, self.room, self.traces = exercise, [], MAX_KEPT_BYTES if exercise else 0, 0
        self.cell = name
        for function in functions:
            self.space[function] = self.proxy(function)
        try:
            verdict, value = self._run(source, name, wall_s)
        finally:
            if self.written is not None:
                self.written.undo()
                self.written = None
        verdict |= {"changed": self.changed, "ran_out": self.ran_out, "longest_s": self.longest_s}
        verdict |= {"call_error": self.call_error, "helpers": sorted(self.helpers)}
        if verdict["outcome"] == "passed" and value is not None:
            verdict |= self._partial(value)
        if verdict["outcome"] in ("gone", "timeout"):
            verdict |= self.calls_kept()
        return verdict

    def calls_kept(self) -> dict[str, Any]:
        """Hand over the calls that are kept."""
        kept, self.kept = self.kept, []
        return {"calls": kept}

    def probe(self, frame: bytes, wall_s: float) -> dict[str, Any]:
        """Call a student's function once more; return the frame that came back, none if nothing did."""
        message = wire.loads(frame, generators=True)
        if message["call"] in self.late:  # what has run out of its time once is not asked for more
            return {"reply": b"", "gone": False}
        self.deadline, self.room, self.traces, self.kept = time.monotonic() + wall_s, MAX_KEPT_BYTES, 0, []
        gone = False
        with contextlib.suppress(Exception):  # it stands in the frame
            try:
                self._call(message["call"], message["args"], message["kwargs"])
            except StudentGone:
                gone = True
        return {"reply": self.kept[-1]["reply"] if self.kept and not gone else b"", "gone": gone}

    def check(self, helpers: list[Any], check: str, functions: list[Any], wall_s: float) -> dict[str, Any]:
        """Run a self-check on the student's functions; return its first finding, as `checking.self_check` does.

        Its arrays change as the student's functions change their copies of them: a self-check looks for that.
        """
        proxies = {name: self.proxy(name) for name in functions}
        self.exercise, self.room, self.kept, self.written = "", 0, [], Written()
        try:
            with self._timed(wall_s):
                return checking.self_check(self.space, helpers, check, proxies) | {"gone": False}
        except (Exception, CellTimeout, StudentGone) as error:  # none of the course's sentences: nothing is said
            return {"finding": "", "line": "", "named": False, "gone": isinstance(error, StudentGone)}
        finally:
            self.written.undo()
            self.written = None

    def _keep(self, function: str, frame: bytes) -> dict[str, Any] | None:
        """Begin the record of a call, if there is room for it."""
        if self.depth or self.written is not None:
            return None
        if self.room < len(frame) or len(self.kept) >= MAX_KEPT:
            self.room = 0  # what comes later is not kept either: no gaps
            return None
        step: FrameType | None = sys._getframe()
        line = 0
        while step is not None:
            line = step.f_lineno if step.f_code.co_filename == f"<{self.cell}>" else line
            step = step.f_back
        call = {"function": function, "test": self.cell, "line": line, "request": frame, "trace": [], "reply": b""}
        self.kept.append(call)
        self.room -= len(frame)
        return call

    def _take(self, size: int, kept: dict[str, Any]) -> bool:
        """Take some bytes of the room for calls; where there is none left, nothing more is kept."""
        self.room -= size
        self.traces += 1
        if len(kept["trace"]) >= MAX_TRACE or self.traces > MAX_TRACES:
            self.room = 0
        return self.room > 0

    def _partial(self, value: Any) -> dict[str, Any]:
        """Take a number at the end of a test cell as points."""
        number = None
        with contextlib.suppress(Exception):
            number = float(value) if not isinstance(value, str | bytes | bool) else None
        if number is None or not math.isfinite(number):
            return {
                "outcome": "failed",
                "error": "ValueError",
                "message": "the test ended with a value that is no mark",
            }
        return {"value": number}

    def _run(self, source: bytes | str, name: str, wall_s: float) -> tuple[dict[str, Any], object]:
        file = f"<{name}>"
        verdict = {"outcome": "passed", "error": "", "message": "", "line": None, "value": None, "function": ""}
        value = None
        try:
            with self._timed(wall_s):
                body, last = unpacked(name, source)
                exec(body, self.space)
                if last is not None:
                    value = eval(last, self.space)
        except StudentGone as gone:
            text = f"{gone.function}: {gone.why}"
            verdict |= {"outcome": "gone", "error": "TimeoutError", "message": text, "function": gone.function}
        except CellTimeout:
            text = f"{self.inside or 'the test'}: its calls together took longer than a test may"
            verdict |= {"outcome": "timeout", "error": "TimeoutError", "message": text, "function": self.inside}
        except BaseException as error:
            verdict |= {"outcome": "failed"} | self._describe(error, file)
        return verdict, value

    @contextlib.contextmanager
    def _timed(self, wall_s: float) -> Iterator[None]:
        """Begin something that has so many seconds on the clock; beyond them it gets a `CellTimeout`."""
        self.deadline = time.monotonic() + wall_s
        self.depth, self.count, self.inside = 0, 0, ""

        def ring(number: int, frame: FrameType | None) -> None:
            raise CellTimeout

        signal.signal(signal.SIGALRM, ring)  # of its own timer, and of the clock's side
        try:
            signal.setitimer(signal.ITIMER_REAL, wall_s)
            yield
        finally:
            signal.signal(signal.SIGALRM, signal.SIG_IGN)
            signal.setitimer(signal.ITIMER_REAL, 0)

    def _describe(self, error: BaseException, file: str) -> dict[str, Any]:
        told = describe(error, file)
        name, text = told["type"], told["text"]
        if isinstance(error, StudentError):
            name, text = error.name, error.text
        elif isinstance(error, KeyError) and error.args:
            text = str(error.args[0])  # `str` of a KeyError is the repr of its key
        by_test = is_assertion_of(error, file)
        return {"error": name[:MAX_NAME], "message": text[:MAX_MESSAGE], "line": told["line"], "by_test": by_test}

    def proxy(self, function: str) -> Callable[..., object]:
        """Make what stands for a student's function in the tests."""

        def call(*args: Any, **kwargs: Any) -> object:
            return self._call(function, args, kwargs)

        call.__name__ = call.__qualname__ = function
        return call

    def _call(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        import numpy as np

        self.call_error = "TimeoutError" if function in self.broken else ""
        if function in self.broken:
            raise TimeoutError(self.broken[function])
        if self.depth >= MAX_DEPTH:
            raise RecursionError("calls between test and answer are nested too deeply")
        functions = HandedOver()
        begun, cpu_s = time.monotonic(), self.limits["cpu_s"]
        wall_s = min(self.limits["wall_s"], max(self.deadline - begun, 0.1))
        message = {"call": function, "args": tuple(args), "kwargs": dict(kwargs), "cpu_s": cpu_s, "wall_s": wall_s}
        end = begun + wall_s + self.limits["grace_s"]
        frame = wire.dumps(message, callback=functions.number)
        kept = self._keep(function, frame)
        came: list[bytes] = []
        self.depth, self.inside = self.depth + 1, function
        try:
            wire.send_frame(self.calls, frame, deadline=end)
            while True:
                came.clear()
                said = wire.receive(self.calls, deadline=end, keep=came.append if kept else None)
                if not (isinstance(said, dict) and "callback" in said):
                    break
                answer = self._call_back(border.question(said), functions, end)
                if kept and self._take(len(came[0]) + len(answer), kept):
                    kept["trace"].append((came[0], answer))
            reply = border.call_reply(said)
            if kept and self._take(len(came[0]), kept):
                kept["reply"] = came[0]
        except wire.WireTimeout:
            text = "did not end in time and could not be interrupted: an endless loop?"
            self.ran_out[function] = f"{function}: {text}"
            raise StudentGone(function, text) from None
        except (wire.WireClosed, OSError):
            raise StudentGone(function, "ended the process that it ran in") from None
        except wire.WireError as error:
            raise StudentGone(function, f"returned something that cannot be read ({error})") from None
        finally:
            self.depth -= 1
            for item in (*args, *kwargs.values()):
                if isinstance(item, np.random.Generator):
                    item.random()  # the next call gets other numbers, as it would from one and the same generator
        self.inside = ""
        self.longest_s = max(self.longest_s, time.monotonic() - begun)
        if "error" in reply and (objection := functions.meant(reply["error"])):
            raise objection  # the test's own words, told as such
        return self._result(function, reply, args, kwargs)

    def _result(self, function: str, reply: dict[str, Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> object:
        if "error" in reply:
            problem = as_exception(reply["error"])
            if isinstance(problem, TimeoutError):
                self.ran_out[function] = text = f"{function}: {problem}"
                problem, self.late[function] = TimeoutError(text), self.late.get(function, 0) + 1
                if self.late[function] >= 2:
                    self.broken[function] = str(problem)
            self.call_error = problem.name if isinstance(problem, StudentError) else type(problem).__name__
            raise problem
        self.helpers.update(reply.get("helpers", ()))
        if reply["changed"] is not None:
            self.changed = True
            if self.written is not None:
                after_args, after_kwargs = reply["changed"]
                self.written.give_back(tuple(args), after_args)
                self.written.give_back(kwargs, after_kwargs)
        self.call_error = ""  # whatever a call in between ended with
        return reply["value"]

    def _call_back(
        self, question: tuple[int, tuple[Any, ...], dict[str, Any]], functions: HandedOver, end: float
    ) -> bytes:
        """Call a test's function for the student's code, with plain data; return the frame that was sent back."""
        self.count += 1
        if self.count > MAX_CALLBACKS:
            raise wire.WireError("too many calls of the test's function")
        frame = functions.answer(*question)
        wire.send_frame(self.calls, frame, deadline=end)
        return frame


def main(control: socket.socket, calls: socket.socket) -> None:
    """Serve until the socket closes."""
    with contextlib.suppress(wire.WireError, OSError):
        Trusted(control, calls).serve()
