"""Recognise wrong answers: when a test failed, name the known mistake that returns what the student's function did.

The mistakes are the `wrong` answers of the audit's catalogue, with their `says` as the explanation. They run in a
process of their own (`explain.py`), on the calls that the tests made; a notebook that fails no test never asks it.
Where none is recognised, the exercise's self-check runs on the trusted side (`checking.py`), and its first finding is
told.
"""

from __future__ import annotations

import ast
import contextlib
import logging
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from grader.core.catalogue import read_catalogue
from grader.core.cells import LOCKED_KINDS, CellKind, Exercise, exercises, grade_id, kind_of
from grader.core.errors import GraderError, describe
from grader.core.names import parsed
from grader.core.regions import hidden_tests
from grader.engine.skipping import unneeded_helpers
from grader.sandbox.inside import wire
from grader.sandbox.inside.isolate import Limits
from grader.sandbox.inside.orders import Role
from grader.sandbox.warm import WarmProcess

logger = logging.getLogger(__name__)

#: What goes to a process behind the walls and what comes back, by name.
Message = dict[str, Any]
#: Asks the trusted side.
Ask = Callable[[Message], Message]

#: CPU seconds to recognise the answer to one exercise, and how many times that on the clock end the process; what was
#: found is kept for the next submission. Seconds on the clock for the set-up cells, and for all else.
SECONDS, CLOCK, BEGIN_S, GRACE_S = 40.0, 6, 90.0, 15.0
#: Seconds on the clock to decide between mistakes that were found.
DECIDE_S = 45.0
#: Seconds on the clock for one call more of a student's function.
PROBE_S = 10.0
#: Seconds on the clock for a self-check.
CHECK_S = 60.0
#: CPU seconds of the process, which serves many submissions.
CPU_S = 100_000
#: Failures after which nothing more is looked for in a submission, and bytes of its calls that wait to be looked at, or
#: of what its functions return when they are called once more.
MAX_FAILURES, MAX_WAITING_BYTES = 2, 32 * 2**20
#: Characters of the texts of an example.
MAX_TEXT = 2_000
#: More mistakes than this give the same as the answer: then none is named.
MAX_NAMES = 2


def read_mistakes(source: NotebookNode, folder: Path) -> dict[str, list[list[str]]]:
    """Read the known mistakes of a notebook's exercises.

    Args:
        source: The source notebook.
        folder: Its catalogue, a file per exercise.

    Returns:
        For each exercise lists of name, explanation, source, and the word of the self-check; none for an exercise whose
        catalogue is not there or cannot be read: that is for `grader audit` to report, no student shall pay for it.
    """
    found = {}
    for exercise in exercises(source):
        path = folder / f"{exercise.name}.py"
        if path.is_file():
            with contextlib.suppress(GraderError):
                catalogue = read_catalogue(path, exercise.functions, exercise.answer)
                found[exercise.name] = [
                    [v.name, v.text, v.source, (v.self_check or "").lower()] for v in catalogue.wrong
                ]
    return found


@dataclass(frozen=True)
class Known:
    """What is known about wrong answers to a notebook's exercises.

    Args:
        source: The source notebook.
        mistakes: As `read_mistakes` returns them.
        key: Names notebook and mistakes; other ones have another key.
    """

    source: NotebookNode
    mistakes: dict[str, list[list[str]]]
    key: str

    @cached_property
    def exercises(self) -> dict[str, Exercise]:
        """The exercises by name."""
        return {exercise.name: exercise for exercise in exercises(self.source)}

    @cached_property
    def owners(self) -> dict[str, str]:
        """For each test cell the exercise that it belongs to."""
        return {test: exercise.name for exercise in self.exercises.values() for test in exercise.test_sources}

    def locked(self) -> list[tuple[str, str]]:
        """Return names and sources of set-up, helper and given cells."""
        kinds = [kind for kind in LOCKED_KINDS if kind is not CellKind.STUDENT_SIDE]
        return [(str(grade_id(c)), c.source) for c in self.source.cells if kind_of(c) in kinds]

    def self_check(self, exercise: str) -> tuple[str, list[tuple[str, str]]]:
        """Return the call of an exercise's self-check, and names and sources of the helper cells that it needs.

        The call is an empty text if there is none.
        """
        nodes = [node for source in self.exercises[exercise].self_checks for node in parsed(source).body]
        calls = [ast.unparse(node) for node in nodes if isinstance(node, ast.Expr) and _is_check(node.value)]
        if not calls:
            return "", []
        kinds = (CellKind.SETUP, CellKind.HELPERS)
        cells = [cell for cell in self.source.cells if kind_of(cell) in kinds]
        unneeded = unneeded_helpers(new_notebook(cells=[*cells, new_code_cell(calls[-1])]))
        needed = [c for n, c in enumerate(cells) if n not in unneeded and kind_of(c) is CellKind.HELPERS]
        return calls[-1], [(str(grade_id(c)), c.source) for c in needed]


def _is_check(node: ast.expr) -> bool:
    """Return whether an expression calls a self-check with functions by their names."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id.startswith("check_")
        and all(isinstance(one, ast.Name) for one in node.args)
    )


class Knower:
    """The process that knows the mistakes of one notebook; started when it is first asked."""

    def __init__(self, template: WarmProcess, known: Known):
        self.template, self.known = template, known
        self.socket: socket.socket | None = None
        self.number = 0
        #: Why it did not answer when it was last asked.
        self.trouble = ""

    def ask(self, message: Message, seconds: float) -> Message | None:
        """Ask it something; None if that fails. If it does not answer it is ended, and started when it is asked again.

        Args:
            message: What is asked.
            seconds: On the clock, its start included.
        """
        end = time.monotonic() + seconds
        try:
            link = self._start(end) if self.socket is None else self.socket
            wire.send(link, message, deadline=min(time.monotonic() + GRACE_S, end))
            reply: Message = wire.receive(link, deadline=end)
        except (wire.WireError, wire.Unsendable, OSError, GraderError) as error:  # no student shall pay for it
            self.trouble = _in_words(error)
            logger.warning("the process that recognises mistakes: %s", self.trouble, exc_info=True)
            self.end()
            return None
        if "failed" in reply:
            self.trouble = str(reply["failed"])
            logger.warning("recognising mistakes: %s", self.trouble)
            return None
        return reply

    def _start(self, end: float) -> socket.socket:
        self.socket, other = socket.socketpair()
        with other:
            self.number, _ = self.template.spawn(Role.EXPLAIN, [other], Limits(cpu_s=CPU_S))
        wire.send(
            self.socket, {"do": "begin", "locked": self.known.locked()}, deadline=min(time.monotonic() + GRACE_S, end)
        )
        begun: Message = wire.receive(self.socket, deadline=min(time.monotonic() + BEGIN_S, end))
        if "failed" in begun:
            raise wire.WireError(f"its first cells fail: {begun['failed']}")
        return self.socket

    def end(self) -> None:
        """End the process."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None
        if self.number and self.template.alive:
            self.template.end(self.number, 0)
        self.number = 0


def _in_words(error: Exception) -> str:
    """Return a reason that is the same for the same kind of failure, to count by."""
    if isinstance(error, wire.WireTimeout):
        return "it took too long"
    if isinstance(error, wire.WireClosed):
        return "its process ended"
    return describe(error)


@dataclass(frozen=True)
class Waiting:
    """An exercise whose mistakes are to be looked for.

    Args:
        exercise: Its name.
        calls: What its functions were called with, and what came back.
        failed: Its failed tests.
    """

    exercise: str
    calls: list[Message]
    failed: list[str]

    @property
    def size(self) -> int:
        """Bytes of its calls."""
        frames = (frame for call in self.calls for pair in call["trace"] for frame in pair)
        return sum(len(call["request"]) + len(call["reply"]) for call in self.calls) + sum(map(len, frames))


@dataclass
class Recogniser:
    """Follows the tests of one submission, and looks for its mistakes when all of them are judged.

    Nothing that happens here can cost a point, and nothing of it is left for the next submission but results of the
    known mistakes themselves.

    Args:
        known: The mistakes; None switches it off.
        template: The warm process.
        calls: What the functions of the exercise at hand were called with.
        failed: Its failed tests.
        written: Whether one of these failed for another reason than that nothing is written.
        waiting: Exercises to be looked at.
        lost: Whether the student's process ended when it was asked once more.
        end: The value of `time.monotonic()` at which the submission's time is up.
        troubles: How often the other process did not answer.
        failures: Exercises whose mistakes could not be looked for, and why.
        where: What is said of the calls in which the answer to an exercise is wrong.
    """

    known: Known | None
    template: WarmProcess
    calls: list[Message] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    written: bool = False
    waiting: list[Waiting] = field(default_factory=list)
    lost: bool = False
    end: float = 0.0
    troubles: int = 0
    failures: dict[str, str] = field(default_factory=dict)
    where: dict[str, str] = field(default_factory=dict)

    def exercise(self, test: str) -> str:
        """Name the exercise whose calls are to be kept while a test runs; an empty text for none."""
        return self.known.owners.get(test, "") if self.known else ""

    def after(self, test: str, reply: Message, ask: Ask | None) -> None:
        """Take note of how a test ended; after the last one of an exercise, of what its functions were called with.

        Args:
            test: The test cell.
            reply: What the trusted side said.
            ask: Asks the trusted side; None if the student's process is gone.
        """
        known, exercise = self.known, self.exercise(test)
        if known is None or not exercise:
            return
        self.calls += reply.get("calls", [])
        if reply["outcome"] != "passed":
            self.failed.append(test)
            self.written |= reply["error"] != "NotImplementedError"
        if test != known.exercises[exercise].last_cell:
            return
        calls, failed, written = self.calls, self.failed, self.written
        self.calls, self.failed, self.written = [], [], False
        if not (failed and written and known.mistakes.get(exercise)):
            return
        if ask is not None:
            calls += ask({"do": "calls"}).get("calls", [])
        found = Waiting(exercise, calls, failed)
        if found.size + sum(one.size for one in self.waiting) > MAX_WAITING_BYTES:
            self.failures[exercise] = "its calls hold too much data"
        else:
            self.waiting.append(found)

    def finish(self, ask: Ask | None, end: float) -> list[Message]:
        """Look for the mistakes of all exercises that wait for it.

        Args:
            ask: Asks the trusted side; None if there is none any more.
            end: The value of `time.monotonic()` at which the submission's time is up.

        Returns:
            For each test that shows it, what is stored of a mistake (see `steps.py`).
        """
        self.end = end
        if self.known is None:
            return []
        found: list[Message] = []
        unsure: list[Waiting] = []
        waiting, self.waiting = self.waiting, []
        for one in waiting:
            if self._left_s() <= 0:
                self.failures[one.exercise] = "no time was left"
            elif self.troubles >= MAX_FAILURES:
                self.failures[one.exercise] = f"it had failed {MAX_FAILURES} times before"
            else:
                named = self._guarded(one.exercise, partial(self._name, self.known, one, ask))
                found += named
                unsure += [] if named else [one]
        for one in unsure:  # when all else is done: it calls the student's functions many times
            found += self._guarded(one.exercise, partial(self._checked, one, ask))
        return found

    def _left_s(self) -> float:
        return max(self.end - time.monotonic(), 0.0)

    def _guarded(self, exercise: str, look: Callable[[], list[Message]]) -> list[Message]:
        """Look for the mistake in the answer to an exercise; nothing is found if that fails."""
        try:
            return look()
        except Exception as error:  # a fault of ours, and the marks are sound without a name for the mistake
            logger.exception("recognising the answer to %s", exercise)
            self.failures[exercise] = describe(error)
            return []

    def _name(self, known: Known, waiting: Waiting, ask: Ask | None) -> list[Message]:
        exercise, wrong, failed = waiting.exercise, known.mistakes[waiting.exercise], waiting.failed
        asked = known.exercises[exercise]
        hidden = {name: hidden_tests().numbers(source) for name, source in asked.test_sources.items()}
        calls = [call | {"hidden": call["line"] in hidden.get(call["test"], ())} for call in waiting.calls]
        knower = self._knower(known)
        message = {
            "do": "recognise", "exercise": exercise, "reference": asked.answer,
            "wrong": {name: source for name, _, source, _ in wrong}, "adapters": asked.adapters, "calls": calls,
            "tests": asked.test_sources, "functions": list(asked.tested_functions),
            "seconds": min(SECONDS, self._left_s() / 2),
        }  # fmt: skip
        found = self._asked(knower, exercise, message, CLOCK * SECONDS + GRACE_S)
        if not found or not found["any"]:
            return []
        replies = list[bytes]()
        for frame in found["questions"]:
            full = sum(map(len, replies)) > MAX_WAITING_BYTES  # so that all of them can be handed over
            replies.append(b"" if full else self._probe(ask, frame))
        found = self._asked(knower, exercise, {"do": "decide", "replies": replies, "most": MAX_NAMES}, DECIDE_S)
        if not found:
            return []
        if found["where"]:
            self.where[exercise] = str(found["where"])[:MAX_TEXT]
        if not found["named"]:
            return []
        example = self._confirmed(knower, exercise, found["examples"], ask)
        says = {name: text for name, text, *_ in wrong}
        return [
            {
                "test": test, "exercise": exercise, "name": name, "says": says[name], "how": found["how"],
                "example": example,
            }
            for test, names in found["named"]
            if test in failed
            for name in names
        ]  # fmt: skip

    def _checked(self, waiting: Waiting, ask: Ask | None) -> list[Message]:
        """Return what the exercise's self-check finds first, or where the answer goes wrong.

        A finding that names a mistake was held against it; one that says what was observed is told with where the
        answer goes wrong.
        """
        found, where = self._finding(waiting.exercise, ask), self.where.get(waiting.exercise, "")
        says, how = found["finding"], "self-check" if found["finding"] else "where"
        if not found["named"]:
            says = f"{says}{'' if not says or says[-1] in '.?' else '.'} {where}".strip() if where else says
        name = f"{how}: {found['line']}" if says != where else how
        about = {"exercise": waiting.exercise, "name": name, "says": says, "how": how, "example": None}
        return [{"test": test} | about for test in waiting.failed] if says else []

    def _finding(self, exercise: str, ask: Ask | None) -> Message:
        """Run the self-check of an exercise on the student's functions; return what it finds first."""
        nothing: Message = {"finding": "", "line": "", "named": False}
        if self.known is None or ask is None or self.lost or self._left_s() <= 0:
            return nothing
        check, helpers = self.known.self_check(exercise)
        if not check:
            return nothing
        functions = list(self.known.exercises[exercise].tested_functions)
        message = {"do": "check", "helpers": helpers, "check": check, "functions": functions}
        answer = nothing | ask(message | {"wall_s": min(CHECK_S, self._left_s())})
        self.lost = answer.get("gone", True)
        return {
            "finding": str(answer["finding"])[:MAX_TEXT],
            "line": str(answer["line"])[:MAX_TEXT],
            "named": bool(answer["named"]),
        }

    def _knower(self, known: Known) -> Knower:
        """Return the process that knows the mistakes; it serves all submissions of the warm process."""
        knower = self.template.kept.setdefault(known.key, Knower(self.template, known))
        assert isinstance(knower, Knower)  # what is kept by the key of a `Known` is put there by this line
        return knower

    def _asked(self, knower: Knower, exercise: str, message: Message, seconds: float) -> Message | None:
        """Ask, and take note if there is no answer."""
        reply = knower.ask(message, min(seconds, self._left_s()))
        if reply is None:
            self.troubles += 1
            self.failures[exercise] = knower.trouble
        return reply

    def _probe(self, ask: Ask | None, frame: bytes) -> bytes:
        """Call the student's function once more; return the frame that came back, an empty one if none did."""
        if ask is None or self.lost or self._left_s() <= 0:
            return b""
        answer = ask({"do": "probe", "frame": frame, "wall_s": min(PROBE_S, self._left_s())})
        self.lost = answer.get("gone", True)
        reply: bytes = answer.get("reply", b"")
        return reply

    def _confirmed(self, knower: Knower, exercise: str, examples: list[Message], ask: Ask | None) -> Message | None:
        """Return the first example that the student's own function shows as well, if it can be asked."""
        for one in examples:
            if one["probe"] and ask is not None:
                reply = self._probe(ask, one["probe"])
                message = {"do": "compare", "one": one["reply"], "other": reply}
                answer = self._asked(knower, exercise, message, GRACE_S) if reply else None
                if not answer or not answer["same"]:
                    continue
            return {
                "function": str(one["function"])[:100],
                "arguments": [[str(name)[:100], str(text)[:MAX_TEXT]] for name, text in one["arguments"]],
                "got": str(one["got"])[:MAX_TEXT],
                "wanted": [str(line)[:MAX_TEXT] for line in one["wanted"]],
            }
        return None
