"""A small input that shows a mistake, and what a right answer would have there: shape, kind and properties, no values.

It starts from a call that a test made and cuts it down as long as the known mistake and the reference differ there in
the same way: axes of one length together, since tests give each dimension a length of its own; then fewer digits.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from . import answers, wire

#: Inputs that are tried, CPU seconds for all of them, those for one call beyond which none is tried, and entries of an
#: array that are shown.
MAX_TRIES, MAX_S, DEAR_S, MAX_SHOWN = 120, 1.0, 0.2, 24
#: Calls that are cut down, and inputs on which mistakes are told apart.
MAX_STARTS, MAX_QUESTIONS = 3, 6
MAX_TEXT = 400
KINDS = {"b": "truth values", "i": "whole numbers", "u": "whole numbers", "f": "floats", "c": "complex numbers"}


def _last(array: np.ndarray, axis: int = -1) -> np.ndarray | None:
    """Return an array of floats if it has such an axis."""
    return array.astype("float64") if array.ndim >= -axis and array.size and array.dtype.kind in "fiu" else None


def _sums(array: np.ndarray, axis: int, to: tuple[float, ...]) -> bool:
    values = _last(array, axis)
    return values is not None and bool(np.isclose(values.sum(axis)[..., None], to, atol=1e-4).any(-1).all())


def _unit_rows(array: np.ndarray) -> bool:
    values = _last(array)
    return values is not None and bool(np.allclose(np.linalg.norm(values, axis=-1), 1, atol=1e-4))


def _square(array: np.ndarray) -> bool:
    return array.ndim > 1 and array.shape[-1] == array.shape[-2] and array.dtype.kind in "biuf"


#: What can be said of an array without giving its values away, the more telling ones first.
PROPERTIES: dict[str, Callable[[np.ndarray], bool]] = {
    "no entry is nan": lambda a: not np.isnan(a).any(),
    "every entry is finite": lambda a: bool(np.isfinite(a).all()),
    "each row sums to 1": lambda a: _sums(a, -1, (1,)),
    "each row sums to 1 or is all zeros": lambda a: _sums(a, -1, (0, 1)),
    "each column sums to 1": lambda a: _sums(a, -2, (1,)),
    "each row sums to 0": lambda a: _sums(a, -1, (0,)),
    "no entry is negative": lambda a: a.dtype.kind in "iuf" and not (a < 0).any(),
    "every entry is 0 or 1": lambda a: bool(np.isin(a, (0, 1)).all()),
    "no entry is larger than 1 in size": lambda a: bool((np.abs(a.astype("complex")) <= 1 + 1e-5).all()),
    "each row has the length 1": _unit_rows,
    "the matrix is symmetric": lambda a: _square(a) and np.allclose(a, np.swapaxes(a, -1, -2), atol=1e-5),
    "every entry above the diagonal is 0": lambda a: _square(a) and not np.triu(a, 1).any(),
    "the diagonal is set": lambda a: _square(a) and bool(np.diagonal(a, axis1=-2, axis2=-1).all()),
}


def examples(one: answers.Answer, right: answers.Answer, shown: list[Any], seen: list[Any]) -> list[dict[str, Any]]:
    """Return small inputs on which a known mistake shows, the best one first.

    Args:
        one: The mistake.
        right: The reference.
        shown: Calls that show it.
        seen: All calls that the tests made.

    Returns:
        For each `function`; `arguments`, pairs of name and text; `got`, what the mistake gives; `wanted`, lines about
        what is expected; `probe`, the input as a frame and `reply`, what the mistake gives there, both empty if it is
        an input of a test. Of inputs of hidden tests only kind and shape are told.
    """
    found, end = [], min(time.process_time() + MAX_S, one.home.end)
    for start in sorted(shown, key=lambda call: (call.hidden, call.size))[:MAX_STARTS]:
        mine, ours = one.reply(start), right.reply(start)
        key = one.exercise, one.name, start.key
        if start.plain and mine is not None and ours is not None and key not in one.home.small and cheap(one, start):
            search = _Search(one, right, start, mine, ours, end)
            cut = search.run()
            if not search.ran_out:  # the next submission may have more time
                one.home.small[key] = cut
        else:
            cut = one.home.small.get(key)
        if cut is not None:
            found.append((start, *cut))
    found.sort(key=lambda f: _weight([f[1], f[2]]))
    told = []
    for start, args, kwargs, *replies in found[:1]:
        probe = wire.dumps({"call": start.function, "args": args, "kwargs": kwargs})
        told.append(_told(right, seen, start.function, [args, kwargs], replies, text_of))
        told[-1] |= {"probe": probe, "reply": wire.dumps(replies[0])}
    start = min(shown, key=lambda call: (call.hidden, call.size))
    tell = kind_of if start.hidden else text_of
    told.append(
        _told(right, seen, start.function, start.arguments(None), [one.reply(start), right.reply(start)], tell)
        | {"probe": b"", "reply": b""}
    )
    return told


def cheap(answer: answers.Answer, call: answers.Call) -> bool:
    """Return whether a call may be made many times."""
    return answer.home.seconds.get((answer.exercise, call.key), 0.0) < DEAR_S


def questions(
    found: list[answers.Answer], right: answers.Answer, seen: list[Any]
) -> list[tuple[bytes, dict[str, Any]]]:
    """Return inputs on which mistakes differ that gave the same so far.

    Args:
        found: The mistakes.
        right: The reference.
        seen: All calls that the tests made.

    Returns:
        Up to `MAX_QUESTIONS` inputs as frames, each with the replies by name.
    """
    asked: list[tuple[bytes, dict[str, Any]]] = []
    groups, tries, end = [found], 0, time.process_time() + MAX_S
    for call in sorted((c for c in seen if c.plain and cheap(right, c)), key=lambda c: c.size):
        before = right.reply(call) or {}
        for args, kwargs in (*_larger(call.arguments(None)), *_smaller(list(call.arguments(None)))):
            if all(len(g) == 1 for g in groups) or len(asked) >= MAX_QUESTIONS:
                return asked
            if tries >= MAX_TRIES or time.process_time() > end:
                return asked
            tries += 1
            with contextlib.suppress(wire.WireError, wire.Unsendable):
                frame = wire.dumps({"call": call.function, "args": args, "kwargs": kwargs})

                def reply(one: answers.Answer, frame: bytes = frame) -> dict[str, Any]:
                    message = wire.loads(frame, generators=True)
                    said: dict[str, Any] = wire.loads(one.run(message["call"], message["args"], message["kwargs"]))
                    return said

                # Where the reference fails, other than it should, nothing is asked for.
                ours = reply(right)
                if "error" in ours and ours["error"]["type"] != before.get("error", {}).get("type"):
                    continue
                replies = {one.name: reply(one) for one in found}
                finer = [part for group in groups for part in _parted(group, replies)]
                if len(finer) > len(groups):
                    groups, asked = finer, [*asked, (frame, replies)]
    return asked


def _parted(group: list[answers.Answer], replies: dict[str, Any]) -> list[list[answers.Answer]]:
    """Part mistakes by what they reply."""
    parts: list[list[answers.Answer]] = []
    for one in group:
        for part in parts:
            if not answers.differs(replies[one.name], replies[part[0].name]) - answers.SOFT:
                part.append(one)
                break
        else:
            parts.append([one])
    return parts


def _weight(arguments: list[Any]) -> tuple[int, float]:
    """Return how much there is to read in arguments: entries, then how large the numbers are."""
    entries, size = 0, 0.0
    waiting = [*arguments[0], *arguments[1].values()]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list | tuple):
            waiting += value
        elif isinstance(value, dict):
            waiting += value.values()
        elif isinstance(value, np.ndarray):
            entries += value.size
            size += float(np.abs(value[np.isfinite(value)]).sum()) if value.dtype.kind in "iuf" else 0.0
        else:
            entries += 1
    return entries, size


def _told(
    right: answers.Answer,
    seen: list[Any],
    function: str,
    arguments: list[Any],
    replies: list[Any],
    tell: Callable[[object], str],
) -> dict[str, Any]:
    """Return an example as plain data."""
    mine, ours = replies
    if "error" not in mine:
        got = tell(mine["value"])
    else:
        got = f"{mine['error']['type']}: {mine['error']['text']}" if tell is text_of else mine["error"]["type"]
    others = [right.reply(call) for call in seen if call.function == function]
    return {
        "function": function,
        "arguments": [
            (name, tell(value).replace("\n", "\n" + " " * len(f"{name} = ")))
            for name, value in named(right.space.get(function), *arguments)
        ],
        "got": got[:MAX_TEXT],
        "wanted": wanted(mine, ours, others),
    }


class _Search:
    """Cuts an input down."""

    def __init__(
        self,
        one: answers.Answer,
        right: answers.Answer,
        call: answers.Call,
        mine: dict[str, Any],
        ours: dict[str, Any],
        end: float,
    ):
        self.one, self.right, self.function = one, right, call.function
        self.begin, self.call = (mine, ours), call
        self.how = answers.differs(mine, ours) - {"text"}
        self.tries, self.end, self.ran_out = 0, end, False

    def run(self) -> tuple[Any, ...] | None:
        """Return arguments and both replies; None if the input stays as it was."""
        best = None
        args, kwargs = self.call.arguments(None)
        smaller = True
        while smaller:
            smaller = False
            for candidate in _smaller([args, kwargs]):
                replies = self.shows(candidate)
                if replies:
                    args, kwargs = candidate
                    best, smaller = (args, kwargs, *replies), True
                    break
        for digits in (0, 1, 2):
            candidate = _changed([args, kwargs], functools.partial(_rounded, digits=digits))
            replies = self.shows(candidate)
            if replies:
                return (*candidate, *replies)
        return best

    def shows(self, candidate: list[Any]) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """Return both replies if they differ as they did at the start."""
        now = time.process_time()
        self.ran_out |= now > self.one.home.end
        if self.tries >= MAX_TRIES or now > self.end:
            return None
        self.tries += 1
        replies = []
        with contextlib.suppress(wire.WireError, wire.Unsendable):
            frame = wire.dumps(candidate)
            for answer, before in zip((self.one, self.right), self.begin, strict=True):
                args, kwargs = wire.loads(frame, generators=True)
                try:
                    reply = wire.loads(answer.run(self.function, args, kwargs))
                except TimeoutError:
                    self.ran_out = True
                    return None
                if reply.get("error", {}).get("type") != before.get("error", {}).get("type"):
                    return None
                replies.append(reply)
            if answers.differs(*replies) - {"text"} == self.how:
                return tuple(replies)
        return None


def _lengths(value: object) -> Iterator[int]:
    """Yield the lengths of axes and lists."""
    if isinstance(value, np.ndarray):
        yield from value.shape
    elif isinstance(value, list | tuple):
        yield len(value)
        for one in value:
            yield from _lengths(one)
    elif isinstance(value, dict):
        for one in value.values():
            yield from _lengths(one)
    elif type(value) is int:
        yield value


def _smaller(arguments: list[Any]) -> Iterator[list[Any]]:
    """Yield smaller arguments: all axes, lists and numbers of one length cut to a shorter one."""
    args, kwargs = arguments
    found = {n for value in (*args, *kwargs.values()) for n in _lengths(value) if 1 < n < 10_000}
    for length in sorted(found, reverse=True):
        for new in sorted({1, 2, 3, 4, length // 2}):
            if new < length:
                for numbers in (True, False):
                    cut = tuple(_cut(v, length, new, numbers) for v in args)
                    candidate = [cut, {name: _cut(v, length, new, numbers) for name, v in kwargs.items()}]
                    yield candidate


def _larger(arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> Iterator[list[Any]]:
    """Yield arguments with one whole number a little larger."""
    args, kwargs = arguments
    for n, value in enumerate(args):
        if type(value) is int and 0 <= value < 1000:
            yield [(*args[:n], 2 * value + 1, *args[n + 1 :]), kwargs]
    for name, value in kwargs.items():
        if type(value) is int and 0 <= value < 1000:
            yield [args, kwargs | {name: 2 * value + 1}]


def _cut(value: object, length: int, new: int, numbers: bool) -> object:
    if isinstance(value, np.ndarray):
        return value[tuple(slice(new if n == length else None) for n in value.shape)]
    if isinstance(value, list | tuple):
        kept = value[:new] if len(value) == length else value
        return type(value)(_cut(one, length, new, numbers) for one in kept)
    if isinstance(value, dict):
        return {key: _cut(one, length, new, numbers) for key, one in value.items()}
    return new if numbers and type(value) is int and value == length else value


def _changed(value: Any, change: Callable[[np.ndarray], np.ndarray]) -> Any:
    """Apply a change to every array."""
    if isinstance(value, np.ndarray):
        return change(value)
    if isinstance(value, list | tuple):
        return type(value)(_changed(one, change) for one in value)
    if isinstance(value, dict):
        return {key: _changed(one, change) for key, one in value.items()}
    return value


def _rounded(array: np.ndarray, digits: int) -> np.ndarray:
    return np.round(array, digits) + 0 if array.dtype.kind == "f" else array


def named(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, object]]:
    """Pair arguments with the names of the parameters."""
    try:
        return list(inspect.signature(function).bind(*args, **kwargs).arguments.items())
    except (TypeError, ValueError):
        return [*((f"argument {n}", value) for n, value in enumerate(args, 1)), *kwargs.items()]


def kind_of(value: object) -> str:
    """Describe what kind of thing a value is, and its shape."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}, {KINDS.get(value.dtype.kind, 'entries')}"
    if isinstance(value, answers.Handed) or callable(value):
        return "a function of the test"
    if isinstance(value, np.random.Generator):
        return "a random generator"
    if isinstance(value, list | tuple):
        return f"a {type(value).__name__} of length {len(value)}"
    names = {bool: "a truth value", int: "a whole number", float: "a float", str: "a text", dict: "a dict"}
    if isinstance(value, np.generic):
        return f"one of {KINDS.get(value.dtype.kind, 'a kind of its own')}, {value.dtype}"
    return "None" if value is None else names.get(type(value), f"a {type(value).__name__}")


def text_of(value: object) -> str:
    """Return a small value written out, a large one described by kind and shape."""
    if isinstance(value, np.ndarray):
        if value.size > MAX_SHOWN:
            return kind_of(value)
        text = np.array2string(value, precision=4, separator=", ", suppress_small=False, max_line_width=68)
        return f"{text}   shape {value.shape}, {value.dtype}"
    if isinstance(value, answers.Handed | np.random.Generator) or callable(value):
        return kind_of(value)
    if isinstance(value, tuple) and any(isinstance(one, np.ndarray) for one in value):
        return "\n".join(f"{n}: {text_of(one)}" for n, one in enumerate(value, 1))
    text = repr(value.item() if isinstance(value, np.generic) else value)
    return text if len(text) <= MAX_TEXT else kind_of(value)


def wanted(mine: dict[str, Any], ours: dict[str, Any] | None, others: list[Any]) -> list[str]:
    """Describe what is expected: kind, shape, and properties that the mistake lacks; never values.

    Args:
        mine: What the mistake gives.
        ours: What the reference gives.
        others: What the reference gives for the other calls: a property counts if it holds for them all.
    """
    if ours is None:
        return ["other calls of the function that it is given"]
    if "error" in ours:
        return [f"{ours['error']['type']} is raised"]
    results = ours["value"] if isinstance(ours["value"], tuple) else (ours["value"],)
    lines = [f"result {n}: {kind_of(one)}" for n, one in enumerate(results, 1)] if len(results) > 1 else []
    lines = lines or [kind_of(results[0])]
    how = answers.differs(mine, ours)
    if "changed" in how and mine.get("changed") is not None:
        lines.append("the arguments stay as they were")
    if "error" in mine or "values" not in how:
        return lines
    theirs = mine["value"] if isinstance(mine["value"], tuple) else (mine["value"],)
    found = []
    for n, one in enumerate(results):
        if n < len(theirs):
            same = [o["value"][n] if isinstance(o["value"], tuple) else o["value"] for o in others if _alike(o, ours)]
            label = f"result {n + 1}: " if len(results) > 1 else ""
            found += [label + text for text in _lacking(theirs[n], [one, *same])][:2]
            if not found and answers.unlike(theirs[n], one) - answers.SOFT:
                found += [label + text for text in _count(theirs[n], one)]
    return lines + found


def _alike(other: dict[str, Any] | None, ours: dict[str, Any]) -> bool:
    if other is None or "error" in other:
        return False
    pair = [r["value"] if isinstance(r["value"], tuple) else (r["value"],) for r in (other, ours)]
    return len(pair[0]) == len(pair[1])


def _lacking(value: object, right: list[Any]) -> list[str]:
    """Name properties that hold for all right values and not for this one."""
    if not isinstance(value, np.ndarray) or not all(isinstance(one, np.ndarray) for one in right):
        return []
    return [
        text for text, holds in PROPERTIES.items() if not _holds(holds, value) and all(_holds(holds, r) for r in right)
    ]


def _holds(holds: Callable[[np.ndarray], bool], array: np.ndarray) -> bool:
    try:
        with np.errstate(all="ignore"):
            return bool(holds(array))
    except (TypeError, ValueError):
        return False


def _count(value: object, right: object) -> list[str]:
    """Describe how many entries differ."""
    pair = answers.as_array(value), answers.as_array(right)
    if pair[0] is None or pair[1] is None or pair[0].shape != pair[1].shape:
        return []
    if not pair[1].ndim:
        return ["another value"]
    apart = sum(not answers.close(a[None], b[None]) for a, b in zip(pair[0].ravel(), pair[1].ravel(), strict=True))
    return [f"{apart} of {pair[1].size} entries have other values"]
