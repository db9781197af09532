"""Functions of the student's that are there to be called once: `setup(1.0)` fills what an answer reads.

An answer that remembers what it saw changes something as well, at each call, and explorations call it all the time. The
tests fill what it remembers themselves. So only those functions count that nothing calls which the tests call: what
they change is changed by the student's own calls, or never.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Set

from grader.core.statements import Statement

#: What libraries are usually called that draw and show: no answer depends on what is set there.
SHOWING = {"plt", "pyplot", "mpl", "matplotlib", "sns", "seaborn", "warnings", "logging", "display", "IPython"}


def changes(said: Statement) -> frozenset[str]:
    """Return the names outside of a function into whose objects it stores when it is called."""
    return (said.stores | said.methods) & said.later if said.defines else frozenset()


def called_from(roots: Iterable[str], said: Iterable[Statement]) -> set[str]:
    """Return some names, and all that a call of what they stand for may call.

    Args:
        roots: The names.
        said: The student's statements.
    """
    binders: dict[str, list[Statement]] = defaultdict(list)
    for one in said:
        for name in one.binds:
            binders[name].append(one)
    found = set(roots)
    waiting = list(found)
    while waiting:
        for one in binders.pop(waiting.pop(), ()):
            new = (one.now | one.later) - found
            found |= new
            waiting += new
    return found


def filling(
    said: Iterable[Statement], called: Set[str], loose: Set[str], asked: Set[str]
) -> tuple[frozenset[str], frozenset[str]]:
    """Find the functions whose calls fill something.

    Args:
        said: The student's statements.
        called: What the tests call, see `called_from`.
        loose: The names of all that can change.
        asked: The names of what marks need.

    Returns:
        The functions that change one of these names, or call one that does; and those of them that change what marks
        need.
    """
    found, sure = set[str](), set[str]()
    callers: dict[str, list[Statement]] = defaultdict(list)
    for one in said:
        if one.defines and not one.binds & called:
            for name in one.later:
                callers[name].append(one)
            changed = changes(one) if one.hands & SHOWING else changes(one) | (one.hands & one.later & loose)
            found |= one.binds if changed & (loose | asked) else set()
            sure |= one.binds if changed & asked else set()
    waiting = list(found)
    while waiting:
        for one in callers.pop(waiting.pop(), ()):
            waiting += one.binds - found
            found |= one.binds
    return frozenset(found), frozenset(sure)
