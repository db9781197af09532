"""Run a self-check of the notebook on the trusted side, on functions that live on the student's side.

The sentences of a self-check are the course's own. The text of a student's exception may be part of them, in quotation
marks that nothing from there can close. Where an exercise asks for text (subwords, the keys of a dict), a right result
is made of pieces of what the function was given, or of words of the self-check: no sentence can be written with those.
Where a result holds any other text, that is the finding, and what the self-check made of it is not shown.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
from collections.abc import Callable
from typing import Any

#: Around what the student's side said.
_OPEN, _CLOSE = "\u201c", "\u201d"
#: Those of `grader.core.escaping.DOUBLE_QUOTES`, which is out of reach behind the walls, and the one around code.
_TAKEN_FOR_AN_END = (
    "`"
    + '"\u00ab\u00bb\u02ba\u02dd\u02ee\u201c\u201d\u201e\u201f\u2033\u2036\u275d\u275e\u2760\u301d\u301e\u301f\uff02'
)
#: Characters of one text of the student's side, and of all that is told.
MAX_SAID, MAX_FINDING = 200, 800
#: Told of a result that holds text of its own.
HOLDS_TEXT = "the result holds no text but pieces of what the function was given. Hint: yours holds another text"
#: Characters of a word of a self-check that a result may hold, and of all texts that a call was given.
MAX_WORD, MAX_GIVEN = 12, 20_000
#: An exception of a type that only the student's side knows; its name is what a self-check says of it.
_OTHER: type[Exception] = type("an exception", (Exception,), {})


class Heard:
    """What came from the student's side while a self-check ran."""

    def __init__(self, words: frozenset[str] = frozenset()) -> None:
        """Listen.

        Args:
            words: What results may hold though no call was given it.
        """
        self.text = self.written = False
        self._words = words

    def error(self, problem: Exception) -> Exception:
        """Return an exception whose text is marked as the student's."""
        said, kind = quoted(str(problem.args[0]) if problem.args else ""), type(problem)
        with contextlib.suppress(Exception):
            kind = kind if getattr(builtins, kind.__name__, None) is kind else _OTHER
            marked: Exception = kind(said)
            return marked
        return _OTHER(said)

    def value(self, value: object, given: frozenset[object] = frozenset()) -> None:
        """Take note of whether a result holds text of its own; `given` are the texts of the call's arguments."""
        self.text = self.text or self._own(value, given)

    def arguments(self, after: object, given: frozenset[object]) -> None:
        """Take note of whether a call left text of its own in its arguments."""
        self.written = self.written or self._own(after, given)

    def _own(self, value: object, given: frozenset[object]) -> bool:
        own = _texts_of(value) - self._words - given
        pieces = "\0".join(text for text in given if isinstance(text, str))[:MAX_GIVEN] if own else ""
        return any(not isinstance(text, str) or "\0" in text or text not in pieces for text in own)

    def told(self, finding: str, line: str) -> str:
        """Return what a self-check found as it may be shown.

        Args:
            finding: All of it.
            line: The property that does not hold, in the self-check's own words.
        """
        if self.text:
            return HOLDS_TEXT
        cut = (line if self.written else finding)[:MAX_FINDING]
        return cut + _CLOSE * (cut.count(_OPEN) - cut.count(_CLOSE))


def plain(text: str) -> str:
    """Return a text of the student's in one line, short, and without what could be taken for its end."""
    words = " ".join("".join(c if c.isprintable() else " " for c in text[: 4 * MAX_SAID]).split())
    words = words.translate(dict.fromkeys(map(ord, _TAKEN_FOR_AN_END), "'"))
    return words if len(words) <= MAX_SAID else words[:MAX_SAID] + " ..."


def quoted(text: str) -> str:
    """Return a text of the student's in quotation marks, so that nobody takes it for a sentence of the grader's."""
    return _OPEN + plain(text) + _CLOSE


def _texts_of(value: Any) -> frozenset[object]:
    """Return all that plain data holds besides numbers, truth values and None, be it the name of a field."""
    import numpy as np

    if isinstance(value, str | bytes):
        return frozenset([value])
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return frozenset().union(*map(_texts_of, value))
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind == "U":
        return frozenset(value.ravel().tolist())
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind not in "biufc":
        return frozenset([value.dtype])
    return frozenset()


def words_of(source: str) -> frozenset[str]:
    """Return the short words among the texts of some code, such as the keys of a dict that it looks up."""
    texts = {n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return frozenset(text for text in texts if text.isidentifier() and len(text) <= MAX_WORD)


def self_check(
    space: dict[str, Any], helpers: list[Any], check: str, functions: dict[str, Callable[..., object]]
) -> dict[str, Any]:
    """Run a self-check and return its first finding, with its hint.

    Args:
        space: The namespace of the set-up and given cells; no name is bound in it.
        helpers: Names and sources of the helper cells that the check needs.
        check: The call of the check, such as `check_softmax(softmax)`.
        functions: What stands for the student's functions, by name.

    Returns:
        `finding`, as it may be shown, `line`, the property that does not hold, and `named`: whether the finding says
        which mistake was made, and not only what was seen. Both texts are empty if everything holds.
    """
    space, heard = dict(space), Heard(frozenset().union(*(words_of(source) for _, source in helpers)))
    for name, source in helpers:
        exec(compile(source, f"<{name}>", "exec", dont_inherit=True), space)
    space |= {name: _listening(function, heard) for name, function in functions.items()}
    name, _, arguments = check.partition("(")
    report = eval(compile(f"{name}.report({arguments}", "<self-check>", "eval", dont_inherit=True), space)
    if not report.failed:
        return {"finding": "", "line": "", "named": False}
    named = heard.text or (bool(report.named) and not heard.written)
    finding, line = str(report.finding), str(report.line)
    return {"finding": heard.told(finding, line), "line": heard.told(line, line), "named": named}


def _listening(function: Callable[..., object], heard: Heard) -> Callable[..., object]:
    """Return a function that does the same and takes note of what comes back."""

    def call(*args: Any, **kwargs: Any) -> object:
        given = _texts_of((args, kwargs))  # what the call changes in its arguments comes back too
        try:
            value = function(*args, **kwargs)
        except Exception as error:
            problem = heard.error(error)
        else:
            heard.value(value, given)
            return value
        finally:
            heard.arguments((args, kwargs), given)
        # From here, so that the traceback holds nothing of the way to the student's side: a check may look at it.
        raise problem from None

    # A check may also show the line of the function that failed: there is none to be found of this one.
    call.__code__ = call.__code__.replace(co_filename="<marking>")
    return call
