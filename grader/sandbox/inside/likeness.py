"""Answers that are like a known mistake where they are wrong, though not on every call.

This is weaker evidence than equality on every call: the one who asks has to hold it against something else as well.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from .answers import SOFT, Answer, Call, as_array, differs

#: How much nearer a result has to be to that of the mistake than this is to the right one.
NOISE = 1e-3
#: Entries without which a result could be the same by chance.
TELLING_NUMBERS, TELLING_TRUTHS = 2, 6
#: A whole number from here on is no coincidence either.
TELLING_COUNT = 100


def near(reply: dict[str, Any], mine: dict[str, Any] | None, ours: dict[str, Any] | None) -> bool:
    """Return whether a reply is that of a mistake, up to numerical noise.

    Args:
        reply: The student's function's.
        mine: The mistake's.
        ours: The reference's.
    """
    apart = differs(reply, mine)
    if mine is None or apart - SOFT - {"values"}:
        return False
    if "error" in reply:
        return same_step(reply["error"], mine["error"])
    if "values" not in apart:
        return True
    if ours is None or "error" in ours or differs(mine, ours) - SOFT - {"values"}:
        return False
    return _noise(reply["value"], mine["value"], ours["value"])


def _noise(value: Any, mine: Any, ours: Any) -> bool:
    """Return whether a value is as near to that of a mistake as rounding would leave it."""
    if isinstance(mine, list | tuple) and isinstance(value, list | tuple) and isinstance(ours, list | tuple):
        return len(value) == len(mine) == len(ours) and all(map(_noise, value, mine, ours))
    arrays = [as_array(one) for one in (value, mine, ours)]
    if any(a is None or a.dtype.kind not in "fc" or not np.isfinite(a).all() for a in arrays):
        return not differs({"value": value}, {"value": mine}) - SOFT
    first, second, third = arrays
    if first is None or second is None or third is None:
        return False
    return bool(np.abs(first - second).max(initial=0.0) <= NOISE * np.abs(second - third).max(initial=0.0))


def same_step(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Return whether two errors are of one type and arose at the same step: same words, and shapes in any order."""
    if one["type"] != other["type"]:
        return False
    words = [sorted(re.findall(r"\w+", error["text"].lower())) for error in (one, other)]
    return words[0] == words[1]


def tells(reply: dict[str, Any]) -> bool:
    """Return whether it would be a strange coincidence if another mistake gave this result."""
    if "error" in reply:
        return bool(re.search(r"\d", reply["error"]["text"]))  # shapes, most often
    results = reply["value"] if isinstance(reply["value"], tuple) else (reply["value"],)
    return any(_tells(as_array(one)) for one in results)


def _tells(array: np.ndarray | None) -> bool:
    if array is None or not np.isfinite(array).all():
        return False
    kinds = len(np.unique(array))
    if array.dtype.kind in "fc":
        return kinds >= TELLING_NUMBERS or bool(kinds and np.any(array != np.round(array)))
    if array.dtype.kind in "iu" and array.size and np.abs(array).max() >= TELLING_COUNT:
        return True
    return kinds > 1 and array.size >= TELLING_TRUTHS


def wrong_calls(right: Answer, seen: list[Call]) -> list[Call]:
    """Return the calls in which the student's function gave something else than the reference."""
    return [call for call in seen if differs(call.reply, right.reply(call)) - SOFT]


def partly(
    candidates: list[Answer], right: Answer, seen: list[Call], most: int
) -> dict[str, list[tuple[Answer, Call]]]:
    """Return for each test the mistakes that give what the student's function gave wherever it was wrong there.

    Args:
        candidates: Known mistakes.
        right: The reference.
        seen: The calls of all tests.
        most: If more mistakes than this explain a test, none does.

    Returns:
        By test the mistakes, each with a call that shows it.
    """
    wrong = wrong_calls(right, seen)
    fine = [call for call in seen if call not in wrong]
    found: dict[str, list[tuple[Answer, Call]]] = {}
    for test in dict.fromkeys(test for call in wrong for test in call.tests):
        calls = [call for call in wrong if test in call.tests]
        if not any(tells(call.reply) for call in calls):
            continue
        like = [one for one in candidates if all(near(c.reply, one.reply(c), right.reply(c)) for c in calls)]
        # A mistake that would have been noticed where the student's function is right is less likely to be it.
        odds = {one.name: sum(bool(differs(one.reply(c), right.reply(c)) - SOFT) for c in fine) for one in like}
        least = min(odds.values(), default=0)
        best = [one for one in like if odds[one.name] == least]
        shows = [call for call in calls if tells(call.reply)]
        if 0 < len(best) <= most and (least == 0 or (len(shows) > 1 and least <= len(wrong))):
            show = shows[0]
            found[test] = [(one, show) for one in best]
    return found
