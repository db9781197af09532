"""The side that recognises wrong answers: known mistakes, run on what a student's function was called with.

It is a process of its own, forked from the same warm process as the others, and it serves many submissions. It knows
the release's cells, the reference and the catalogue's answers; of the student it knows what the tests called and what
came back. No code of the student's runs here.

An answer is recognised if a known mistake gives the same as the student's function for every call, and if the
reference gives something else for at least one. A test ends where it fails, so the student's function is then asked
what the test would have asked of a right one. Results are compared as plain data: what kind of thing, which shape,
which values; which error; whether an argument was changed; which calls of a function that the test handed over.

Where no mistake does, two of them at once may (`composing.py`). Where these do not either, none is named: a mistake
that gave the same in some calls only was not the student's in two of seven answers. But what all calls that went wrong
have in common may tell something (`circumstances.py`).
"""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from typing import Any

from . import border, circumstances, composing, shrink, student, wire
from .answers import CALL_S, SOFT, Answer, Call, differs
from .describing import MAX_MESSAGE

#: CPU seconds for two mistakes at once.
COMPOSED_S = 6.0
#: Inputs that the tests did not come to, on which a mistake has to agree as well.
MAX_UNSEEN = 30


class Explainer:
    """Known answers, and what they gave for the calls seen so far.

    Args:
        control: To the process that keeps the clock.
    """

    def __init__(self, control: socket.socket):
        self.control = control
        main = sys.modules["__main__"] = type(sys)("__main__")
        self.base = main.__dict__
        self.spaces: dict[tuple[str, str], dict[str, Any]] = {}
        self.results: dict[tuple[Any, ...], bytes] = {}
        self.passing = set[tuple[Any, ...]]()  # of these results, those that hold for one submission at most
        self.small: dict[tuple[Any, ...], tuple[Any, ...] | None] = {}
        self.seconds: dict[tuple[Any, ...], float] = {}  # what the reference took
        self.kept_bytes, self.end = 0, 0.0
        self.pending: tuple[Any, ...] | None = None
        self.inputs: dict[str, list[Call]] = {}
        self.pairs: dict[tuple[str, ...], list[Answer]] = {}
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for the life of the process
        sys.displayhook = lambda value: None

    def serve(self) -> None:
        """Do what is asked until the clock's side hangs up."""
        tasks: dict[str, Callable[..., dict[str, Any]]] = {
            "begin": self.begin,
            "recognise": self.recognise,
            "decide": self.decide,
            "compare": self.compare,
            "alike": self.alike,
        }
        while True:
            message = wire.receive(self.control)
            try:
                reply = tasks[message.pop("do")](**message)
            except Exception as error:  # a fault of ours, on this submission: the next one finds this process as it was
                self.pending = None
                reply = {"failed": f"{type(error).__name__}: {error}"[:MAX_MESSAGE]}
            wire.send(self.control, reply)

    def begin(self, locked: list[Any]) -> dict[str, Any]:
        """Run the notebook's set-up, helper and given cells."""
        for name, source in locked:
            exec(compile(source, f"<{name}>", "exec", dont_inherit=True), self.base)
        return {}

    def compare(self, one: bytes, other: bytes) -> dict[str, Any]:
        """Return whether two replies are the same."""
        pair = [border.call_reply(wire.loads(frame)) for frame in (one, other)]
        return {"same": not differs(*pair) - SOFT}

    def alike(self, exercise: str, answers: list[Any], adapters: list[Any], calls: list[Any]) -> dict[str, Any]:
        """Return whether two answers give the same for all calls; for `grader.audit.causes`, which measures.

        Args:
            exercise: Its name.
            answers: A pair of names and sources.
            adapters: As in `recognise`.
            calls: As in `recognise`.
        """
        self.end = time.process_time() + 60
        self.forget_passing()
        one, other = (Answer(self, name, source, exercise, adapters) for name, source in answers)
        pairs = [(one.reply(c), other.reply(c)) for c in map(Call, calls)]
        return {"alike": all(a is b is None or not differs(a, b) - SOFT for a, b in pairs)}

    def recognise(
        self,
        exercise: str,
        reference: str,
        wrong: dict[str, Any],
        adapters: list[Any],
        tests: dict[str, Any],
        functions: list[Any],
        calls: list[Any],
        seconds: float,
    ) -> dict[str, Any]:
        """Find the known mistakes that give what the student's function gave.

        Args:
            exercise: Its name.
            reference: The reference answer's source.
            wrong: The source of each known mistake, by name.
            adapters: Cells of the student's side, which run behind the answer.
            tests: The sources of the test cells, by name.
            functions: The functions that these call.
            calls: What the trusted side kept.
            seconds: CPU seconds for all of it.

        Returns:
            `any`, whether there is something to decide; `questions`, further inputs as frames: `decide` wants the
            replies of the student's function.
        """
        self.end, self.pending = time.process_time() + seconds, None
        self.forget_passing()
        nothing = {"any": False, "questions": []}
        seen: list[Call] = []
        known: dict[bytes, Call] = {}
        for kept in calls:
            call = Call(kept) if kept["reply"] else None
            if call is None:  # the student's process ended: nothing that could be compared
                return nothing
            if call.key in known:
                known[call.key].tests.append(call.test)  # several tests may ask the same: each of them shows it
            else:
                known[call.key] = call
                seen.append(call)
        right = Answer(self, "", reference, exercise, adapters)
        try:
            telling = {c.key: differs(c.reply, right.reply(c)) - {"text"} for c in seen}
            if not any(telling.values()):
                return nothing
            # Calls that show most first, cheap ones before dear ones: most mistakes are ruled out by the first.
            cost = {c.key: (round(self.seconds.get((exercise, c.key), 0.0), 1), c.size) for c in seen}
            order = sorted(seen, key=lambda c: (not telling[c.key] - SOFT, not telling[c.key], cost[c.key]))
            known_ones = [Answer(self, name, source, exercise, adapters) for name, source in wrong.items()]
            found = [(one, shown) for one in known_ones if (shown := self.agrees(one, right, order))]
            if not found and all(shrink.cheap(right, call) for call in seen):
                found = self.two_at_once(known_ones, right, order, self.inputs_of(right, tests, functions))
            answers = [one for one, _ in found]
            calls_more = self.unseen(right, seen, tests, functions)
            questions = [(call.request, {one.name: one.reply(call) for one in answers}) for call in calls_more]
            questions += shrink.questions(answers, right, seen) if answers else []
        except TimeoutError:
            return nothing
        self.pending = found, right, seen, questions, calls_more
        return {"any": True, "questions": [frame for frame, _ in questions]}

    def forget_passing(self) -> None:
        """Forget the results that another moment may have made, and what was made of them."""
        if self.passing:
            for key in self.passing:
                self.results.pop(key, None)
            self.small.clear()
            self.pairs.clear()
            self.passing.clear()

    def two_at_once(
        self, known: list[Answer], right: Answer, order: list[Call], inputs: list[Call]
    ) -> list[tuple[Answer, list[Call]]]:
        """Return answers that make two mistakes and give the same as the student's function, with calls that show it.

        Args:
            known: Answers that make one mistake each.
            right: The reference.
            order: All calls, those that tell most first.
            inputs: What the tests ask of a right answer. What is made once is for all submissions, so it is judged by
                these: the first student's function may have been asked little.
        """
        begun = time.process_time()
        key = right.exercise, *(one.name for one in known)
        if key not in self.pairs:

            def is_right(source: str) -> bool:
                usual = Answer(self, f"usual {hash(source)}", source, right.exercise, right.adapters)
                wrong = any(differs(usual.reply(call), right.reply(call)) - SOFT for call in inputs)
                return bool(inputs) and not wrong

            made = []
            sources = {one.name: one.source for one in known}
            for names, source in composing.composed(right.source, sources, is_right):
                both = Answer(self, f"{' + '.join(names)} {hash(source)}", source, right.exercise, right.adapters)
                both.names = list(names)
                made.append(both)
            self.pairs[key] = made  # whole, or not at all: what ran out of time must not stand for later submissions
        found = []
        for both in self.pairs[key]:
            if time.process_time() - begun > COMPOSED_S:
                return []  # which of them is not known: there may be another one
            if shown := self.agrees(both, right, order):
                found.append((both, shown))
        return found

    def unseen(self, right: Answer, seen: list[Any], tests: dict[str, Any], functions: list[Any]) -> list[Call]:
        """Return calls that the tests did not come to."""
        if not all(shrink.cheap(right, call) for call in seen):
            return []
        known = {call.key for call in seen}
        asked: list[Call] = []
        for call in self.inputs_of(right, tests, functions):
            if call.key not in known and shrink.cheap(right, call) and len(asked) < MAX_UNSEEN:
                known.add(call.key)
                asked.append(call)
        return asked

    def inputs_of(self, right: Answer, tests: dict[str, Any], functions: list[Any]) -> list[Call]:
        """Return the calls that the tests make of a right answer; they are found once."""
        if right.exercise not in self.inputs:
            self.inputs[right.exercise] = self.all_inputs(right, tests, functions)
        return self.inputs[right.exercise]

    def all_inputs(self, right: Answer, tests: dict[str, Any], functions: list[Any]) -> list[Call]:
        """Return the calls that the tests make of a right answer, those with functions of a test left out."""
        found: list[Call] = []
        empty = {
            "line": 0,
            "trace": [],
            "hidden": True,
            "reply": wire.dumps({"value": None, "changed": None}),
        }

        def recorder(name: str) -> Callable[..., object]:
            def call(*args: Any, **kwargs: Any) -> object:
                with contextlib.suppress(wire.Unsendable):
                    frame = wire.dumps({"call": name, "args": args, "kwargs": kwargs})
                    found.append(Call(empty | {"function": name, "request": frame, "test": running[0]}))
                return right.space[name](*args, **kwargs)

            return call

        space = dict(right.space) | {name: recorder(name) for name in functions}
        running = [""]
        for name, source in tests.items():
            running[0] = name
            # One that the reference fails is for `grader audit` to report.
            with contextlib.suppress(Exception, student.TimeIsUp), student.clock(2 * CALL_S, 4 * CALL_S):
                exec(compile(source, f"<{name}>", "exec", dont_inherit=True), space)
        for call in found:
            right.reply(call)  # what it costs is known then
        return found

    def decide(self, replies: list[Any], most: int) -> dict[str, Any]:
        """Choose among the mistakes that were found.

        Args:
            replies: What the student's function gave for the questions, as frames; an empty one if nothing came.
            most: If more mistakes than this are left, none is named.

        Returns:
            `named`, pairs of a test that shows it and the names, none if no mistake is sure; `how`: `one of` these
            mistakes, or `both`; `where`: if none is named, what the calls that went wrong have in common, an empty text
            if nothing; `examples` as in `shrink.examples`, the better one first.
        """
        if self.pending is None:
            raise ValueError("nothing to decide: no mistake was found before")
        found, right, seen, questions, calls_more = self.pending
        more = []
        for n, (frame, (_, expected)) in enumerate(zip(replies, questions, strict=False)):
            if frame:
                reply = border.call_reply(wire.loads(frame))
                more += [calls_more[n].answered(reply)] if n < len(calls_more) else []
                found = [(one, shown) for one, shown in found if not differs(reply, expected[one.name]) - SOFT]
        if len(found) > 1:  # the most specific: those that agree in type, precision and text of errors as well
            exact = [sum(not differs(c.reply, one.reply(c)) for c in seen) for one, _ in found]
            found = [pair for pair, count in zip(found, exact, strict=True) if count == max(exact)]
        both = len(found) == 1 and len(found[0][0].names) > 1
        if not (both or 0 < len(found) <= most) or (len(found) > 1 and len(found[0][0].names) > 1):
            return {"named": [], "how": "", "where": circumstances.told([*seen, *more], right), "examples": []}
        one, shown = found[0]
        tests = dict.fromkeys(test for call in seen if call in shown for test in call.tests)
        names = one.names if both else [a.name for a, _ in found]
        return {
            "named": [(test, names) for test in tests],
            "how": "both" if both else "one of",
            "where": "",
            "examples": shrink.examples(one, right, shown, seen),
        }

    def agrees(self, one: Answer, right: Answer, calls: list[Call]) -> list[Call]:
        """Return the calls that show the mistake, none if it is not the student's."""
        shown, sure = [], any("error" not in call.reply for call in calls)
        for call in calls:
            mine = one.reply(call)
            apart = differs(call.reply, mine)
            if apart - SOFT:
                return []
            wrong = differs(mine, right.reply(call)) - {"text"}
            if wrong - SOFT or (wrong and not wrong & apart):
                shown.append(call)
                sure |= "text" not in apart
        # That errors are of one type says little if there is nothing else, unless their texts agree as well.
        return shown if sure else []


def main(control: socket.socket) -> None:
    """Serve until the socket closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(wire.WireError, OSError):
        Explainer(control).serve()
