"""Prepare a notebook: what of it runs for marking, and for which names the tests get proxies.

Locked cells run, answers, and what answers need (`needed`). Demonstrations, self-checks and a student's explorations do
not, nor do helpers that only these use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field, replace

from nbformat import NotebookNode

from grader.core.cells import LOCKED_KINDS, SKIPPED_KINDS, CellKind, grade_id, kind_of
from grader.core.findings import Finding
from grader.core.names import defined_functions, left_behind, words
from grader.core.needed import Needed, Part, needed_by
from grader.core.statements import statements_of

#: Most names in one sentence.
_MOST_NAMED = 8


@dataclass(frozen=True)
class Plan:
    """How a notebook is run; nothing of it is written into the notebook.

    Args:
        skipped: Places of the cells that do not run.
        functions: The names for which the tests get proxies.
        sources: What runs of a student's cell of which not all does, by place.
        released: Demonstrations that run because an answer needs them: each with the name that asks for it, and the
            answer's `grade_id`.
        beside: First lines of the statements that run although it is not known that a mark needs them, by place.
        more: How it runs once more if it loses points; None if nothing else of the student's could matter.
    """

    skipped: frozenset[int] = frozenset()
    functions: tuple[str, ...] = ()
    sources: Mapping[int, str] = field(default_factory=dict)
    released: Mapping[int, tuple[str, str]] = field(default_factory=dict)
    beside: Mapping[int, list[int]] = field(default_factory=dict)
    more: Plan | None = None

    @classmethod
    def of(cls, nb: NotebookNode, source: NotebookNode) -> Plan:
        """Return the plan of a submission.

        Args:
            nb: The submission, transplanted into the release.
            source: The source notebook of the assignment.
        """
        parts = parts_of(nb, source)
        functions = proxied(nb, source)
        tests = [n for n, cell in enumerate(nb.cells) if cell.metadata.get("nbgrader", {}).get("grade")]
        cells = {place: nb.cells[place] for place in parts}
        needed = needed_by(cells, parts, _roots(nb, source, functions), max(tests, default=len(nb.cells)))
        more = None if needed.more is None else cls._as_needed(nb, parts, functions, needed.more)
        return replace(cls._as_needed(nb, parts, functions, needed), more=more)

    @classmethod
    def _as_needed(
        cls, nb: NotebookNode, parts: Mapping[int, Part], functions: tuple[str, ...], needed: Needed
    ) -> Plan:
        skipped = frozenset(place for place, part in parts.items() if not _runs(place, part, needed))
        sources = {place: text for place, text in needed.sources.items() if text != nb.cells[place].source}
        released = {place: (name, _name(nb, answer)) for place, (name, answer) in needed.released.items()}
        return cls(skipped | unneeded_helpers(nb, skipped, sources), functions, sources, released, needed.beside)

    def findings(self) -> Iterator[Finding]:
        """Yield what the student should know: answers that need what only a demonstration provides."""
        asking: dict[str, list[str]] = {}
        for name, answer in self.released.values():
            asking.setdefault(answer, []).append(name)
        for answer, names in asking.items():
            text = (
                f"The answer {answer} uses {', '.join(sorted(set(names))[:_MOST_NAMED])}, which only a demonstration "
                "defines. That demonstration was run for it; an answer should work with its arguments alone."
            )
            yield Finding("needs-demonstration", answer, text)


def parts_of(nb: NotebookNode, source: NotebookNode) -> dict[int, Part]:
    """Say whose each code cell of a submission is, by its place; test cells are left out.

    Which cells are demonstrations is read from the source notebook, never from tags of the submission.

    Args:
        nb: The submission.
        source: The source notebook of the assignment.
    """
    known = {c.source.strip() for c in source.cells if kind_of(c) in SKIPPED_KINDS}
    parts = {}
    for place, cell in enumerate(nb.cells):
        if cell.cell_type != "code":
            continue
        marks = cell.metadata.get("nbgrader", {})
        if marks.get("solution") and not marks.get("grade"):
            parts[place] = Part.ANSWER
        elif marks.get("locked") and not marks.get("grade"):
            parts[place] = Part.LOCKED
        elif not marks.get("grade"):
            parts[place] = Part.RELEASED if cell.source.strip() in known else Part.OWN
    return parts


def _runs(place: int, part: Part, needed: Needed) -> bool:
    return part is Part.LOCKED or place in needed.sources or place in needed.released


def _name(nb: NotebookNode, place: int) -> str:
    return (grade_id(nb.cells[place]) or "") if place >= 0 else ""


def _roots(nb: NotebookNode, source: NotebookNode, functions: tuple[str, ...]) -> set[str]:
    """Return the names that tests and student-side cells ask for."""
    answers = (left_behind(c.source) for c in source.cells if kind_of(c) is CellKind.ANSWER)
    adapters = [said for c in nb.cells if kind_of(c) is CellKind.STUDENT_SIDE for said in statements_of(c.source)]
    return set(functions).union(*answers, *(said.now | said.later for said in adapters))


def proxied(nb: NotebookNode, source: NotebookNode) -> tuple[str, ...]:
    """Name the functions that the tests call through proxies.

    These are the functions that the release's answer cells define, and those of cells tagged `student-side`; never what
    the student's own text defines.

    Args:
        nb: The submission.
        source: The source notebook or its release.
    """
    kinds = (CellKind.ANSWER, CellKind.STUDENT_SIDE)
    names = {grade_id(cell): defined_functions(cell.source) for cell in source.cells if kind_of(cell) in kinds}
    return tuple(n for cell in nb.cells if cell.cell_type == "code" for n in names.get(grade_id(cell), ()))


def run_anew(nb: NotebookNode, skipped: Set[int]) -> dict[int, list[int]]:
    """Say which student-side cells run once more in front of which tests, by place.

    What such a cell binds is the course's. Code of the student's that runs behind it may have bound the name again, or
    changed what stands for it, in more ways than can be listed; the cell itself changes nothing else.

    Args:
        nb: The submission.
        skipped: Places of cells that do not run.
    """
    found: dict[int, list[int]] = {}
    sides: dict[int, frozenset[str]] = {}
    behind: set[int] = set()  # those behind which code of the student's has run
    for n, cell in enumerate(nb.cells):
        kind = kind_of(cell)
        if cell.cell_type != "code" or n in skipped:
            continue
        if kind is CellKind.STUDENT_SIDE:
            sides[n] = left_behind(cell.source)
        elif kind is CellKind.TEST:
            asked = words(cell.source)
            if again := [side for side in sides if side in behind and sides[side] & asked]:
                found[n] = again
                behind -= {*again}
        elif kind not in LOCKED_KINDS:
            behind |= sides.keys()
    return found


def unneeded_helpers(
    nb: NotebookNode, skipped: Set[int] = frozenset(), sources: Mapping[int, str] | None = None
) -> frozenset[int]:
    """Find the helper cells that nothing which runs could use.

    What draws and checks for the student alone is of no use when marking. A helper counts as used if a word of a cell
    that runs, be it in a text, is a name that the helper binds.

    Args:
        nb: The submission.
        skipped: Places of cells that do not run.
        sources: What runs of a cell of which not all does, by place.

    Returns:
        Their places in the notebook.
    """
    sources = sources or {}
    code = {n: c for n, c in enumerate(nb.cells) if c.cell_type == "code" and n not in skipped}
    helpers = {n: c for n, c in code.items() if kind_of(c) is CellKind.HELPERS}
    at_hand = set().union(*(left_behind(c.source) for c in code.values() if kind_of(c) is CellKind.SETUP))
    read = set().union(*(words(sources.get(n, c.source)) for n, c in code.items() if n not in helpers))
    while needed := {n: c for n, c in helpers.items() if (left_behind(c.source) - at_hand) & read}:
        read = read.union(*(words(c.source) for c in needed.values()))
        helpers = {n: c for n, c in helpers.items() if n not in needed}
    return frozenset(helpers)
