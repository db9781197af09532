"""Known answers to an exercise, the calls that the tests made of a student's, and in what two results differ."""

from __future__ import annotations

import contextlib
import copy
import hashlib
import time
from typing import Any, Protocol

import numpy as np

from . import acceptable, border, student, wire

#: Seconds that a known mistake has for one call, and bytes of results that are kept from one submission to the next.
CALL_S, MAX_CACHE_BYTES = 4.0, 128 * 2**20
#: What makes two results different, and what may differ between two ways to write the same mistake.
SOFT = frozenset({"type", "dtype", "text"})


class Elsewhere(BaseException):
    """A known mistake asked a test's function for something that the student's function did not ask."""


class Handed:
    """Stands for a function that a test handed over: it knows the answers that the student's function got.

    Args:
        number: Its number in the call.
        trace: Pairs of frames: what was asked, what was answered; None if nothing will be asked.
    """

    def __init__(self, number: int, trace: Trace | None):
        self.number, self.trace = number, trace

    def __call__(self, *args: Any, **kwargs: Any) -> object:
        """Return the answer to the same question."""
        assert self.trace is not None
        return self.trace.answer({"callback": self.number, "args": args, "kwargs": kwargs})


class Trace:
    """Questions and answers between a student's function and functions of a test.

    Args:
        pairs: Frames of each.
    """

    def __init__(self, pairs: list[Any]):
        self.pairs = [(wire.loads(asked), wire.loads(answered)) for asked, answered in pairs]
        for asked, _ in self.pairs:
            border.question(asked)
        self.used: list[int] = []
        self.left = False

    def answer(self, question: dict[str, Any]) -> object:
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

    def __init__(self, kept: dict[str, Any]):
        self.function, self.test, self.line = kept["function"], kept["test"], kept["line"]
        self.tests = [self.test]
        self.request, self.pairs, self.hidden = kept["request"], kept["trace"], kept["hidden"]
        self.reply = border.call_reply(wire.loads(kept["reply"]))
        asked = self.arguments(None)
        plain = wire.dumps([self.function, *asked], callback=lambda item: item.number)
        digest = hashlib.sha256(plain)
        for pair in self.pairs:
            for frame in pair:
                digest.update(frame)
        self.key = digest.digest()
        self.plain = not self.pairs and not any(isinstance(v, Handed) for v in (*asked[0], *asked[1].values()))
        self.size = len(plain)

    def answered(self, reply: dict[str, Any]) -> Call:
        """Return the same call with another reply."""
        other = copy.copy(self)
        other.reply, other.tests = reply, list(self.tests)
        return other

    def arguments(self, trace: Trace | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Make the arguments anew."""
        message = wire.loads(self.request, callback=lambda number: Handed(number, trace), generators=True)
        return message["args"], message["kwargs"]


def unlike(one: Any, other: Any) -> set[str]:
    """Return in what two plain values differ; an empty set if in nothing that matters.

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
    first, second = as_array(one), as_array(other)
    if first is None or second is None:
        return set() if one is None and other is None else {"kind"}
    if first.shape != second.shape:
        return found | {"shape"}
    if first.dtype != second.dtype:
        found.add("dtype" if first.dtype.kind == second.dtype.kind else "type")
    return found if close(first, second) else found | {"values"}


def _is_text(value: object) -> bool:
    return isinstance(value, str | bytes)


def as_array(value: object) -> np.ndarray | None:
    """Return numbers as an array, anything else as None: of a list with a text in it NumPy would make a huge one."""
    if not acceptable.only_numbers(value):
        return None
    with contextlib.suppress(Exception):
        array = np.asarray(value)
        return array if array.dtype.kind in "biufc" else None
    return None


def close(one: np.ndarray, other: np.ndarray) -> bool:
    """Return whether two arrays hold the same, up to rounding."""
    if one.dtype.kind in "biu" and other.dtype.kind in "biu":
        return bool(np.array_equal(one, other))
    coarse = any(a.dtype.kind in "fc" and a.dtype.itemsize <= (4 if a.dtype.kind == "f" else 8) for a in (one, other))
    rtol, atol = (3e-5, 1e-6) if coarse else (1e-7, 1e-9)
    with np.errstate(all="ignore"):
        size = np.abs(one[np.isfinite(one)]).max(initial=1.0)
        return bool(np.allclose(one, other, rtol=rtol, atol=atol * min(float(size), 1e4), equal_nan=True))


def differs(one: dict[str, Any] | None, other: dict[str, Any] | None) -> set[str]:
    """Return in what two replies differ: as `unlike`, or `error`, `text` (of one), `changed` (arguments), `asked`."""
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


class Home(Protocol):
    """Where known answers keep their cells and results: the `Explainer`."""

    base: dict[str, Any]
    spaces: dict[tuple[str, str], dict[str, Any]]
    results: dict[tuple[Any, ...], bytes]
    small: dict[tuple[Any, ...], tuple[Any, ...] | None]
    seconds: dict[tuple[Any, ...], float]
    passing: set[tuple[Any, ...]]
    kept_bytes: int
    end: float


def _is_of_the_moment(reply: dict[str, Any]) -> bool:
    """Return whether a reply says more of the machine, or of what else was in memory, than of the answer."""
    error = reply.get("error")
    return error is not None and (error["type"] == "MemoryError" or error["text"] == student.WAITED)


class Answer:
    """A known answer to an exercise, right or wrong.

    Args:
        home: Whose cells and results it uses.
        name: Its name; an empty one for the reference.
        source: Its source.
        exercise: The exercise.
        adapters: Cells that run behind it.
    """

    def __init__(self, home: Home, name: str, source: str, exercise: str, adapters: list[Any]):
        self.home, self.name, self.source = home, name, source
        self.exercise, self.adapters = exercise, adapters
        #: The mistakes that it makes, by name.
        self.names = [name]

    @property
    def space(self) -> dict[str, Any]:
        """Its namespace; the cell runs when it is first asked for."""
        key = self.exercise, self.name
        if key not in self.home.spaces:
            space = dict(self.home.base)
            try:
                exec(compile(self.source, f"<{self.name or 'reference'}>", "exec", dont_inherit=True), space)
                for source in self.adapters:
                    exec(compile(source, "<adapter>", "exec", dont_inherit=True), space)
            except MemoryError:  # what else was there may have taken it all: the next submission finds room
                return space
            except Exception:
                pass  # it lacks what it did not come to
            self.home.spaces[key] = space  # not if its time ran out before the end
        return self.home.spaces[key]

    def reply(self, call: Call) -> dict[str, Any] | None:
        """Return what it answers to a call; None if it asked a test's function something else than the student did."""
        key = self.exercise, self.name, call.key
        if key not in self.home.results:
            trace, begun = Trace(call.pairs), time.process_time()
            args, kwargs = call.arguments(trace)
            frame = self.run(call.function, args, kwargs)
            if not self.name:
                self.home.seconds[self.exercise, call.key] = time.process_time() - begun
            # What it asked is compared by the mistakes' users: a reference that asks otherwise differs.
            self.keep(key, frame if trace.same else b"")
            if _is_of_the_moment(wire.loads(frame)):
                self.home.passing.add(key)
        frame = self.home.results[key]
        return wire.loads(frame) if frame else None

    def run(self, function: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bytes:
        """Call one of its functions.

        Raises:
            TimeoutError: If the time for all of it is up.
        """
        left = self.home.end - time.process_time()
        if left <= 0:
            raise TimeoutError

        def call(*args: Any, **kwargs: Any) -> object:
            if function not in self.space:
                raise NameError(f"name '{function}' is not defined")
            return self.space[function](*args, **kwargs)

        with np.errstate(all="ignore"):
            return student.outcome(call, args, kwargs, student.clock(CALL_S, max(2 * CALL_S, 0.1)))

    def keep(self, key: tuple[Any, ...], frame: bytes) -> None:
        """Keep a result for the next submission."""
        home = self.home
        if home.kept_bytes > MAX_CACHE_BYTES:
            home.results.clear()
            home.small.clear()
            home.kept_bytes = 0
        home.results[key] = frame
        home.kept_bytes += len(frame) + 200
