"""Find out which submissions of a class did harm: one alone, or several that are harmless without each other."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from .judge import Outcome
from .sheet import Kind

#: Marks submissions in one class and returns the outcome of each, by name.
Mark = Callable[[list[Kind]], dict[str, Outcome]]
Wrong = Callable[[Outcome], bool]


def settled(kinds: list[Kind], mark: Mark, wrong: Wrong, say: Callable[[str], None] = print) -> dict[str, Outcome]:
    """Mark submissions in one class, and attribute the harm if there is any.

    If a lone run shows the harm, the lone runs count, so that nobody is blamed for a classmate. If none does, the
    submissions of a smallest class that still shows it share the blame; if nothing shows it again, all of them do.
    The outcomes are therefore never clean when the class was not.

    Args:
        kinds: The class.
        mark: Marks some of it.
        wrong: Whether an outcome shows harm, whoever did it.
        say: Receives a line for each step.
    """
    together = mark(kinds)
    if len(kinds) == 1 or not any(map(wrong, together.values())):
        return together
    words = next(o.words() for o in together.values() if wrong(o))
    say(f"something is amiss among {len(kinds)} ({words}): each alone")
    alone: dict[str, Outcome] = {}
    for kind in kinds:
        alone |= mark([kind])
    if any(map(wrong, alone.values())):
        return alone
    say("none of them does it alone: looking for those that do it together")
    culprits = smallest(kinds, lambda some: any(map(wrong, mark(some).values())))
    found = mark(culprits)
    if not any(map(wrong, found.values())):
        culprits, found = kinds, together
    names = ", ".join(k.name for k in culprits)
    say(f"only together: {names}")
    for kind in culprits:
        outcome = found[kind.name]
        alone[kind.name] = replace(outcome, note=f"{outcome.note} together: {names}".strip())
    return alone


def smallest(kinds: list[Kind], shows: Callable[[list[Kind]], bool]) -> list[Kind]:
    """Find a smallest class that shows the harm of a larger one (QuickXplain, Junker 2004).

    Args:
        kinds: A class that shows it.
        shows: Whether some of them, at least two, show it; no single one does.

    Returns:
        Submissions in the order of the class. Without any one of them, the others do not show the harm.
    """

    def needed(kept: list[Kind], asked: list[Kind], changed: bool) -> list[Kind]:
        """Return those of `asked` that it takes besides `kept`."""
        if changed and len(kept) > 1 and shows(ordered(kept)):
            return []
        if len(asked) == 1:
            return asked
        half = len(asked) // 2
        first, second = asked[:half], asked[half:]
        of_second = needed(kept + first, second, bool(first))
        return needed(kept + of_second, first, bool(of_second)) + of_second

    def ordered(some: list[Kind]) -> list[Kind]:
        chosen = {k.name for k in some}
        return [k for k in kinds if k.name in chosen]

    return ordered(needed([], kinds, False))
