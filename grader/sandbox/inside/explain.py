"""The side that recognises wrong answers: known mistakes, run on what a student's function was called with.

It is a process of its own, forked from the same warm process as the others, and it serves many submissions. It knows
the release's cells, the reference and the catalogue's answers; of the student it knows what the tests called and what
came back. No code of the student's runs here.

An answer is recognised if a known mistake gives the same as the student's function for every call, and if the
reference gives something else for at least one. A test ends where it fails, so the student's function is then asked
what the test would have asked of a right one. Results are compared as plain data: what kind of thing, which shape,
which values; which error; whether an argument was changed; which calls of a function that the test handed over.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import sys
import time

import numpy as np
import shrink
import student
import wire

#: Seconds that a known mistake has for one call, and bytes of results that are kept from one submission to the next.
CALL_S, MAX_CACHE_BYTES = 4.0, 128 * 2**20
#: Inputs that the tests did not come to, on which a mistake has to agree as well.
MAX_UNSEEN = 30
#: What makes two results different, and what may differ between two ways to write the same mistake.
SOFT = frozenset({"type", "dtype", "text"})


class Elsewhere(BaseException):
    """A known mistake asked a test's function for something that the student's function did not ask."""


class Handed:
    """Stands for a function that a test handed over: it knows the answers that the student's function got.

    Args:
        number: Its number in the call.
        trace: Pairs of frames: what was asked, what was answered.
    """

    def __init__(self, number: int, trace: Trace):
        self.number, self.trace = number, trace

    def __call__(self, *args, **kwargs):
        """Give the answer to the same question."""
        return self.trace.answer({"callback": self.number, "args": args, "kwargs": kwargs})


class Trace:
    """Questions and answers between a student's function and functions of a test.

    Args:
        pairs: Frames of each.
    """

    def __init__(self, pairs: list):
        self.pairs = [(wire.loads(asked), wire.loads(answered)) for asked, answered in pairs]
        self.used: list[int] = []
        self.left = False

    def answer(self, question: dict) -> object:
        """Find the same question, the next one first."""
        with contextlib.suppress(wire.Unsendable):
            question = wire.loads(wire.dumps(question))
            order = [len(self.used), *range(len(self.pairs))]
            for n in (n for n in order if n < len(self.pairs)):
                asked, answered = self.pairs[n]
                if not unlike(asked, question) - SOFT:
                    self.used.append(n)
                    if "error" in answered:
                        raise RuntimeError(answered["error"])
                    return answered["value"]
        self.left = True
        raise Elsewhere

    @property
    def same(self) -> bool:
        """Whether the questions were those of the student's function, in the same order."""
        return not self.left and self.used == list(range(len(self.pairs)))


class Call:
    """A call of a student's function, as the trusted side kept it.

    Args:
        kept: What it kept.
    """

    def __init__(self, kept: dict):
        self.function, self.test, self.line = kept["function"], kept["test"], kept["line"]
        self.request, self.pairs, self.hidden = kept["request"], kept["trace"], kept["hidden"]
        self.reply = wire.loads(kept["reply"])
        asked = self.arguments(None)
        plain = wire.dumps([self.function, *asked], callback=lambda item: item.number)
        digest = hashlib.sha256(plain)
        for pair in self.pairs:
            for frame in pair:
                digest.update(frame)
        self.key = digest.digest()
        self.plain = not self.pairs and not any(isinstance(v, Handed) for v in (*asked[0], *asked[1].values()))
        self.size = len(plain)

    def arguments(self, trace: Trace | None) -> tuple[tuple, dict]:
        """Make the arguments anew."""
        message = wire.loads(self.request, callback=lambda number: Handed(number, trace), generators=True)
        return message["args"], message["kwargs"]


def unlike(one: object, other: object) -> set[str]:
    """Say in what two plain values differ; an empty set if in nothing that matters.

    Returns:
        Of `kind`, `length`, `keys`, `shape` and `values`, and, where these agree, of `type` and `dtype`.
    """
    if _is_text(one) or _is_text(other):
        return set() if _is_text(one) and _is_text(other) and one == other else {"values"}
    if isinstance(one, dict) or isinstance(other, dict):
        if not (isinstance(one, dict) and isinstance(other, dict)):
            return {"kind"}
        if one.keys() != other.keys():
            return {"keys"}
        return set().union(*(unlike(one[key], other[key]) for key in one))
    if isinstance(one, set | frozenset) or isinstance(other, set | frozenset):
        return set() if type(one) is type(other) and one == other else {"kind"}
    lists = isinstance(one, list | tuple), isinstance(other, list | tuple)
    if all(lists):
        if len(one) != len(other):
            return {"length"}
        found = {"type"} if type(one) is not type(other) else set()
        return found.union(*(unlike(a, b) for a, b in zip(one, other, strict=True)))
    found = {"type"} if any(lists) else set()
    arrays = [_as_array(value) for value in (one, other)]
    if arrays[0] is None or arrays[1] is None:
        return set() if one is None and other is None else {"kind"}
    if arrays[0].shape != arrays[1].shape:
        return found | {"shape"}
    if arrays[0].dtype != arrays[1].dtype:
        found.add("dtype" if arrays[0].dtype.kind == arrays[1].dtype.kind else "type")
    return found if close(*arrays) else found | {"values"}


def _is_text(value: object) -> bool:
    return isinstance(value, str | bytes)


def _as_array(value: object) -> np.ndarray | None:
    """Give numbers as an array, anything else as None."""
    with contextlib.suppress(Exception):
        array = np.asarray(value)
        return array if array.dtype.kind in "biufc" else None
    return None


def close(one: np.ndarray, other: np.ndarray) -> bool:
    """Tell whether two arrays hold the same, up to rounding."""
    if one.dtype.kind in "biu" and other.dtype.kind in "biu":
        return bool(np.array_equal(one, other))
    coarse = any(a.dtype.kind in "fc" and a.dtype.itemsize <= (4 if a.dtype.kind == "f" else 8) for a in (one, other))
    rtol, atol = (3e-5, 1e-6) if coarse else (1e-7, 1e-9)
    with np.errstate(all="ignore"):
        size = np.abs(one[np.isfinite(one)]).max(initial=1.0)
        return bool(np.allclose(one, other, rtol=rtol, atol=atol * min(float(size), 1e4), equal_nan=True))


def differs(one: dict | None, other: dict | None) -> set[str]:
    """Say in what two replies differ: as `unlike`, or `error`, `text` (of an error), `changed` (arguments), `asked`."""
    if one is None or other is None:
        return {"asked"}
    if ("error" in one) != ("error" in other):
        return {"error"}
    if "error" in one:
        if one["error"]["type"] != other["error"]["type"]:
            return {"error"}
        return set() if one["error"]["text"] == other["error"]["text"] else {"text"}
    found = unlike(one["value"], other["value"])
    changed = one.get("changed"), other.get("changed")
    if (changed[0] is None) != (changed[1] is None) or (changed[0] is not None and unlike(*changed) - SOFT):
        found.add("changed")
    return found


class Explainer:
    """Known answers, and what they gave for the calls seen so far.

    Args:
        control: To the process that keeps the clock.
    """

    def __init__(self, control):
        self.control = control
        main = sys.modules["__main__"] = type(sys)("__main__")
        self.base = main.__dict__
        self.spaces: dict[tuple[str, str], dict] = {}
        self.results: dict[tuple, bytes] = {}
        self.small: dict[tuple, tuple | None] = {}
        self.seconds: dict[tuple, float] = {}  # what the reference took
        self.bytes, self.end = 0, 0.0
        self.pending: tuple | None = None
        self.inputs: dict[str, list[Call]] = {}
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - for the life of the process
        sys.displayhook = lambda value: None

    def serve(self) -> None:
        """Do what is asked until the clock's side hangs up."""
        tasks = {"begin": self.begin, "recognise": self.recognise, "decide": self.decide, "compare": self.compare}
        tasks["alike"] = self.alike
        while True:
            message = wire.receive(self.control)
            wire.send(self.control, tasks[message.pop("do")](**message))

    def begin(self, locked: list) -> dict:
        """Run the notebook's set-up, helper and given cells."""
        for name, source in locked:
            exec(compile(source, f"<{name}>", "exec"), self.base)
        return {}

    def compare(self, one: bytes, other: bytes) -> dict:
        """Tell whether two replies are the same."""
        return {"same": not differs(wire.loads(one), wire.loads(other)) - SOFT}

    def alike(self, exercise: str, answers: list, adapters: list, calls: list) -> dict:
        """Tell whether two answers give the same for all calls; for `grader.audit.causes`, which measures.

        Args:
            exercise: Its name.
            answers: A pair of names and sources.
            adapters: As in `recognise`.
            calls: As in `recognise`.
        """
        self.end = time.process_time() + 60
        one, other = (Answer(self, name, source, exercise, adapters) for name, source in answers)
        pairs = [(one.reply(c), other.reply(c)) for c in map(Call, calls)]
        return {"alike": all(a is b is None or not differs(a, b) - SOFT for a, b in pairs)}

    def recognise(
        self,
        exercise: str,
        reference: str,
        wrong: dict,
        adapters: list,
        tests: dict,
        functions: list,
        calls: list,
        seconds: float,
    ) -> dict:
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
            `found`, how many there are; `questions`, further inputs as frames: `decide` wants the replies of the
            student's function.
        """
        self.end, self.pending = time.process_time() + seconds, None
        nothing = {"found": 0, "questions": []}
        seen, known = [], set()
        for kept in calls:
            call = Call(kept) if kept["reply"] else None
            if call is None:  # the student's process ended: nothing that could be compared
                return nothing
            if call.key not in known:
                known.add(call.key)
                seen.append(call)
        answer = {"exercise": exercise, "adapters": adapters}
        right = Answer(self, "", reference, **answer)
        try:
            telling = {c.key: differs(c.reply, right.reply(c)) - {"text"} for c in seen}
            if not any(telling.values()):
                return nothing
            # Calls that show most first, cheap ones before dear ones: most mistakes are ruled out by the first.
            cost = {c.key: (round(self.seconds.get((exercise, c.key), 0.0), 1), c.size) for c in seen}
            order = sorted(seen, key=lambda c: (not telling[c.key] - SOFT, not telling[c.key], cost[c.key]))
            found = []
            for name, source in wrong.items():
                one = Answer(self, name, source, **answer)
                shown = self.agrees(one, right, order)
                if shown:
                    found.append((one, shown))
            answers = [one for one, _ in found]
            questions = [*self.unseen(answers, right, seen, tests, functions), *shrink.questions(answers, right, seen)]
        except TimeoutError:
            return nothing
        if not found:
            return nothing
        self.pending = found, right, seen, questions
        return {"found": len(found), "questions": [frame for frame, _ in questions]}

    def unseen(self, found: list, right: Answer, seen: list, tests: dict, functions: list) -> list[tuple[bytes, dict]]:
        """Give inputs that the tests did not come to, and what the mistakes found give there."""
        if not found or not all(shrink.cheap(right, call) for call in seen):
            return []
        if right.exercise not in self.inputs:
            self.inputs[right.exercise] = self.all_inputs(right, tests, functions)
        known, asked = {call.key for call in seen}, []
        for call in self.inputs[right.exercise]:
            if call.key not in known and shrink.cheap(right, call) and len(asked) < MAX_UNSEEN:
                known.add(call.key)
                asked.append((call.request, {one.name: one.reply(call) for one in found}))
        return asked

    def all_inputs(self, right: Answer, tests: dict, functions: list) -> list[Call]:
        """Give the calls that the tests make of a right answer, those with functions of a test left out."""
        found: list[Call] = []
        empty = {"test": "", "line": 0, "trace": [], "hidden": True, "reply": wire.dumps({})}

        def recorder(name: str):
            def call(*args, **kwargs):
                with contextlib.suppress(wire.Unsendable):
                    frame = wire.dumps({"call": name, "args": args, "kwargs": kwargs})
                    found.append(Call(empty | {"function": name, "request": frame}))
                return right.space[name](*args, **kwargs)

            return call

        space = dict(right.space) | {name: recorder(name) for name in functions}
        for name, source in tests.items():
            # One that the reference fails is for `grader audit` to report.
            with contextlib.suppress(Exception, student.TimeIsUp), student.clock(2 * CALL_S, 4 * CALL_S):
                exec(compile(source, f"<{name}>", "exec"), space)
        for call in found:
            right.reply(call)  # what it costs is known then
        return found

    def decide(self, replies: list, most: int) -> dict:
        """Choose among the mistakes that were found.

        Args:
            replies: What the student's function gave for the questions, as frames; an empty one if nothing came.
            most: If more mistakes than this are left, none is named.

        Returns:
            `names`, in the order of the catalogue; `tests`, those that show it; `examples` as in `shrink.examples`, the
            better one first.
        """
        found, right, seen, questions = self.pending
        for frame, (_, expected) in zip(replies, questions, strict=False):
            if frame:
                reply = wire.loads(frame)
                found = [(one, shown) for one, shown in found if not differs(reply, expected[one.name]) - SOFT]
        if len(found) > 1:  # the most specific: those that agree in type, precision and text of errors as well
            exact = [sum(not differs(c.reply, one.reply(c)) for c in seen) for one, _ in found]
            found = [pair for pair, count in zip(found, exact, strict=True) if count == max(exact)]
        if not 0 < len(found) <= most:
            return {"names": [], "tests": [], "examples": []}
        one, shown = found[0]
        tests = [call.test for call in seen if call in shown]
        examples = shrink.examples(one, right, shown, seen)
        return {"names": [a.name for a, _ in found], "tests": [*dict.fromkeys(tests)], "examples": examples}

    def agrees(self, one: Answer, right: Answer, calls: list[Call]) -> list[Call]:
        """Give the calls that show the mistake, none if it is not the student's."""
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


class Answer:
    """A known answer to an exercise, right or wrong.

    Args:
        home: Whose cells and results it uses.
        name: Its name; an empty one for the reference.
        source: Its source.
        exercise: The exercise.
        adapters: Cells that run behind it.
    """

    def __init__(self, home: Explainer, name: str, source: str, exercise: str, adapters: list):
        self.home, self.name, self.source = home, name, source
        self.exercise, self.adapters = exercise, adapters

    @property
    def space(self) -> dict:
        """Its namespace; the cell runs when it is first asked for."""
        key = self.exercise, self.name
        if key not in self.home.spaces:
            space = self.home.spaces[key] = dict(self.home.base)
            with contextlib.suppress(Exception):
                exec(compile(self.source, f"<{self.name or 'reference'}>", "exec"), space)
                for source in self.adapters:
                    exec(compile(source, "<adapter>", "exec"), space)
        return self.home.spaces[key]

    def reply(self, call: Call) -> dict | None:
        """Give what it answers to a call; None if it asked a test's function something else than the student did."""
        key = self.exercise, self.name, call.key
        if key not in self.home.results:
            trace, begun = Trace(call.pairs), time.process_time()
            args, kwargs = call.arguments(trace)
            frame = self.run(call.function, args, kwargs)
            if not self.name:
                self.home.seconds[self.exercise, call.key] = time.process_time() - begun
            # What it asked is compared by the mistakes' users: a reference that asks otherwise differs.
            self.keep(key, frame if trace.same else b"")
        frame = self.home.results[key]
        return wire.loads(frame) if frame else None

    def run(self, function: str, args: tuple, kwargs: dict) -> bytes:
        """Call one of its functions.

        Raises:
            TimeoutError: If the time for all of it is up.
        """
        left = self.home.end - time.process_time()
        if left <= 0:
            raise TimeoutError

        def call(*args, **kwargs):
            if function not in self.space:
                raise NameError(f"name '{function}' is not defined")
            return self.space[function](*args, **kwargs)

        with np.errstate(all="ignore"):
            return student.outcome(call, args, kwargs, student.clock(CALL_S, max(2 * CALL_S, 0.1)))

    def keep(self, key: tuple, frame: bytes) -> None:
        """Keep a result for the next submission."""
        home = self.home
        if home.bytes > MAX_CACHE_BYTES:
            home.results.clear()
            home.small.clear()
            home.bytes = 0
        home.results[key] = frame
        home.bytes += len(frame) + 200


def main(control) -> None:
    """Serve until the socket closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(wire.WireError, OSError):
        Explainer(control).serve()
