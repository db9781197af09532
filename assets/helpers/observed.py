"""What a self-check saw, in words: a known mistake that returns the same, or how a result differs, with a question."""

import dis
import re
import types
import warnings
from copy import deepcopy

import numpy as np
from helpers.relations import alike, relation, unlike

_SHORT = 6  # entries up to which a vector is written out


class Observed(str):
    """A remark that names no cause: what was seen, and a question. All other hints were held against a mistake."""


def describe_error(error):
    """Return an exception's type and message, with a plainer message where NumPy's is a riddle."""
    said = " ".join(re.sub(r"\x1b\[\d*m", "", str(error)).partition("Arguments received by")[0].split())
    if said.startswith("The truth value of an array"):
        todo = said.partition("a.all()")[2] or ". Treat all its entries at once, with a mask or np.where"
        said = f"`if`, `and`, `or` and `not` need a single True or False, and one of them got a whole array{todo}"
    return f"{type(error).__name__}: {said.removesuffix('.')}"  # what follows begins a sentence of its own


def say_what_is_lent(functions):
    """Name the capital letters that functions take from the session, such as a `B` which only a test cell sets."""
    letters = set()
    for function in functions:
        codes, session = [getattr(function, "__code__", None)], getattr(function, "__globals__", {})
        while codes:
            code = codes.pop()
            if isinstance(code, types.CodeType):
                codes.extend(code.co_consts)
                read = {step.argval for step in dis.get_instructions(code) if step.opname == "LOAD_GLOBAL"}
                letters |= {name for name in read & session.keys() if len(name) == 1 and name.isupper()}
    if letters:
        lent = ", ".join(sorted(letters))
        print(
            f"note  your function reads {lent} from another cell, where marking cannot find it; move it into this cell"
        )


def name_mistake(got, mistakes, expected, question=""):
    """Return the text of the first mistake whose result was returned, or else what differs from the expected result.

    Args:
        got: What the student's function returned.
        mistakes: For each text what a function with this mistake returns.
        expected: What a right function returns.
        question: As for `observed`.
    """
    known = (text for text, wrong in mistakes.items() if alike(got, wrong) and not alike(wrong, expected))
    return next(known, "") or observed(got, expected, question)


def name_slip(results, cases, slips):
    """Return the text of the mistake that returns in all cases what the student's function did; of two, if two do.

    Args:
        results: What the student's function returned.
        cases: The arguments of each call.
        slips: For each text a function that makes this mistake, or several.
    """

    def fits(slip):
        return all(map(alike, results, (slip(*case) for case in cases)))

    found = [text for text, slip in slips.items() if any(map(fits, slip if isinstance(slip, tuple) else (slip,)))]
    return "; or ".join(found) if len(found) <= 2 else ""  # two may return the same whatever the arguments are


def name_tried(function, cases, slips, expected, question=""):
    """Return the text of the mistake that returns in all cases what a function does, or how the first result differs.

    One input is seldom enough to tell two mistakes apart, so there should be several, with different sizes.

    Args:
        function: The student's function, which is called again.
        cases: The arguments of each call.
        slips: As for `name_slip`.
        expected: What a right function returns in the first case.
        question: As for `observed`.
    """
    results = [quietly(function, *case) for case in cases]
    named = "" if any(result is None for result in results) else name_slip(results, cases, slips)
    return named or observed(results[0], expected, question)


def quietly(function, *args):
    """Return the result of one more call, on copies and without warnings; None if it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*deepcopy(args))
        except Exception:  # the check has said what there is to say, or will
            return None


def observed(got, expected, question=""):
    """Return how a result differs from what is expected.

    Args:
        got: What the student's function returned.
        expected: What a right function returns.
        question: Leads on, and blames nothing.
    """
    a, b = _array(got), _array(expected)
    if a is None or b is None or not (a.ndim or b.ndim):
        said = f"Your function returns {_both(got, expected)}"
    elif a.shape != b.shape:
        said = f"The shape is {a.shape}, and {b.shape} is expected."
        question = question and "Which axes should it have, in which order?"  # a question about values comes too early
    elif a.ndim == 1 and a.size <= _SHORT:
        said = f"{relation(a, b)}Your function returns {_both(a, b)}"
    else:
        place = np.unravel_index(np.argmax(unlike(a, b) + (a != b) / 2), a.shape)
        said = f"{relation(a, b)}At {_text(list(place))} your function returns {_both(a[place], b[place])}"
    return Observed(f"{said} {question}".strip())


def _both(got, expected):
    ours, theirs = _text(got), _text(expected)
    if ours == theirs:
        ours, theirs = (_text(value, 12) for value in (got, expected))
    return f"{ours}, and {theirs} is expected."


def _text(value, digits=4):
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return f"[{', '.join(_text(one, digits) for one in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_text(key)}: {_text(one, digits)}' for key, one in value.items())}}}"
    if isinstance(value, float):
        return f"{value:.{digits}g}"
    return f"{value}" if isinstance(value, int | None) else f"a {type(value).__name__}"


def _array(value):
    """Return numbers as an array, and None for anything else."""
    try:
        array = np.asarray(value)
    except ValueError:
        return None
    return array if array.dtype.kind in "biuf" else None
