"""The cells of a release and of a submission, and what each of them turned out to be."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from functools import lru_cache
from typing import Any, TypeVar

from nbformat import NotebookNode

from grader.core.cells import LOCKED_KINDS, CellKind, grade_id, kind_of
from grader.core.findings import Finding, Level
from grader.core.names import bound_at_top, defined_functions, remember, tree_of
from grader.core.regions import hidden_tests
from grader.languages.messages import ENGLISH
from grader.submissions import mend
from grader.submissions.cutting import FROM_TEXT, cut_at_released
from grader.submissions.magics import as_typed
from grader.submissions.parsing import parse

_Kind = TypeVar("_Kind")
#: By language, the source of each cell of the release by its id.
Shown = Mapping[str, Mapping[str, str]]
#: Id of the cell that Colab puts in front.
_COLAB_BADGE = "view-in-github"


class How(StrEnum):
    """How an answer was found; the surest way first."""

    GRADE_ID = "grade_id"
    CELL_ID = "cell id"
    FUNCTION = "function"
    POSITION = "position"
    UNTOUCHED = "untouched"
    MISSING = "missing"


class Role(Enum):
    """What a cell of a submission is."""

    OWN = "a cell of the student's own"
    RELEASED = "a cell of the release, unchanged"
    EDITED = "a cell of the release, changed"
    HOME = "where an answer was written"
    USED = "a cell of the release that an answer was taken from"
    JOINED = "a later part of a cell that was split"
    DROPPED = "a copy of another cell, or an empty one"


#: Roles of cells whose place in the release is known.
RECOGNISED = (Role.RELEASED, Role.EDITED, Role.HOME, Role.USED)


@dataclass
class Slot:
    """A cell of the release.

    Args:
        index: Its number in the release.
        cell: The cell.
        kind: Its kind.
        text: Its source as this student got it, in the form in which cells are compared.
        others: Its source as students got it in other languages.
        functions: Of an answer cell: what the student should define.
        number: Of an answer cell: the number of the exercise.
        last_test: Of an answer cell: index of the last of its tests, -1 if it has none.
    """

    index: int
    cell: NotebookNode
    kind: CellKind
    text: str
    functions: tuple[str, ...] = ()
    number: str = ""
    last_test: int = -1
    others: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its `grade_id`, or else its id."""
        return grade_id(self.cell) or self.cell.get("id", "")

    @property
    def is_code(self) -> bool:
        """Whether it is a code cell."""
        return bool(self.cell.cell_type == "code")

    @property
    def is_answer(self) -> bool:
        """Whether the student is to write here, code or words."""
        return self.kind in (CellKind.ANSWER, CellKind.WRITTEN)

    @property
    def is_fixed(self) -> bool:
        """Whether the released cell is used whatever the student made of it."""
        return self.kind in (CellKind.TEST, *LOCKED_KINDS)

    @property
    def shown(self) -> str:
        """What a sentence calls an answer."""
        if self.kind is CellKind.WRITTEN:
            return f"the written answer ({self.name})"
        return f"the answer to exercise {self.number} ({self.name})" if self.number else f"the answer {self.name}"

    @property
    def shown_first(self) -> str:
        """The same at the beginning of a sentence."""
        return self.shown[0].upper() + self.shown[1:]


@dataclass
class Piece:
    """A cell of the submission.

    Args:
        index: Its number in the submission.
        kind: nbformat's cell type.
        raw: Its source.
        claims: Which slots its marks name, and by which mark.
        marks: nbgrader's metadata.
        tags: Its tags.
        pictures: Its attachments.
        code: Its code, mended; of a text cell the code in it.
        words: Of a text cell with code: whether it holds anything besides.
        shown: Its outputs.
        role: What it is.
        slot: Index of the slot that it belongs to, -1 if there is none.
        halves: Whether it was split and joined again.
        beyond: Of an edited cell: the code that the released one does not have.
        said: Of a cell that the release has: words in it that may be a written answer.
    """

    index: int
    kind: str
    raw: str
    claims: list[tuple[How, int]]
    marks: dict[str, Any]
    tags: list[str]
    pictures: dict[str, Any] | None = None
    code: mend.Mended | None = None
    words: bool = False
    shown: list[NotebookNode] = field(default_factory=list)
    role: Role = Role.OWN
    slot: int = -1
    halves: bool = False
    beyond: mend.Mended | None = None
    said: str = ""

    @property
    def is_code(self) -> bool:
        """Whether it is a code cell."""
        return self.kind == "code"

    @property
    def is_own(self) -> bool:
        """Whether it is the student's own, as far as is known yet."""
        return self.role is Role.OWN

    @property
    def names(self) -> set[str]:
        """What its code defines."""
        return self.code.names if self.code else set()

    @property
    def known_code(self) -> mend.Mended:
        """Its code, of a cell that has some.

        Raises:
            ValueError: If it has none.
        """
        if self.code is None:
            raise ValueError(f"cell {self.index} holds no code")
        return self.code

    @property
    def new_code(self) -> mend.Mended:
        """The student's part of its code, of a cell that has some."""
        return self.beyond or self.known_code

    def claims_slot(self, slot: Slot) -> bool:
        """Return whether one of its marks names a slot."""
        return any(index == slot.index for _, index in self.claims)

    def writes(self, name: str) -> bool:
        """Return whether it defines a function, and not only its stub."""
        code = self.code if self.beyond is None else self.beyond
        if code is None:
            return False
        if code.tree is None:
            return name in code.names
        node = code.bound.get(name)
        return node is not None and not mend.hollow(node)


def minor_python(nb: NotebookNode | None) -> int | None:
    """Return the second number of the version of Python 3 that a notebook was saved with; Colab does not write it."""
    told = None if nb is None else nb.get("metadata", {}).get("language_info")
    version = told.get("version") if isinstance(told, dict) else None
    match = re.match(r"3\.(\d{1,2})(?:\.|$)", version) if isinstance(version, str) else None
    return int(match[1]) if match else None


class Cells:
    """The cells of a release and of a submission, side by side, and what was noticed about them.

    Args:
        release: The pristine notebook.
        submission: The student's; None if nothing was handed in.
        shown: The release in other languages: by language, the source of each cell by its id.
    """

    def __init__(self, release: NotebookNode, submission: NotebookNode | None, shown: Shown | None = None):
        shown = shown or {}
        self.language = language_of(release, submission, shown)
        self.slots = list(_slots(release, self.language, shown))
        self.answers = [s for s in self.slots if s.kind is CellKind.ANSWER]
        self.written = [s for s in self.slots if s.kind is CellKind.WRITTEN]
        self.functions = {f for s in self.answers for f in s.functions}
        self.handed_in = submission is not None
        minor = minor_python(submission)
        #: The version of Python that the notebook was saved with, as `3.13`, if it is newer than this one's.
        self.newer_python = f"3.{minor}" if minor is not None and minor > sys.version_info.minor else ""
        self.python_untold = minor is None
        #: Whether the student's file was Markdown or a script, in which cells may have run together.
        self.from_text = submission is not None and bool(submission.get("metadata", {}).get(FROM_TEXT))
        given = [] if submission is None else submission.get("cells", [])
        if self.from_text:
            given = cut_at_released(given, [t for s in self.slots if not s.is_code for t in (s.text, *s.others)])
        self.pieces = list(_pieces(given, self.slots))
        self.noted: dict[Finding, None] = {}

    def note(self, kind: str, where: str, text: str, level: Level = Level.REPAIRED) -> None:
        """Keep a finding, once."""
        self.noted[Finding(kind, where, text, level)] = None

    @property
    def findings(self) -> list[Finding]:
        """What was noticed, in order."""
        return list(self.noted)

    def slot_of(self, piece: Piece) -> Slot:
        """Return the slot that a recognised cell belongs to."""
        return self.slots[piece.slot]

    def claiming(self, slot: Slot) -> list[tuple[How, Piece]]:
        """List the student's own cells whose marks name a slot, with the mark."""
        return [(how, p) for p in self.pieces if p.is_own for how, s in p.claims if s == slot.index]

    def is_untouched(self, slot: Slot) -> bool:
        """Return whether the submission holds a slot's cell as it was released."""
        return any(p.role is Role.RELEASED and p.slot == slot.index for p in self.pieces)

    def place(self, piece: Piece) -> int:
        """Return the index of the slot that a cell follows, of those that stand in order; -1 if there is none."""
        before = [p.slot for p in self.in_order() if p.index < piece.index]
        return before[-1] if before else -1

    def in_front(self, slot: Slot, pieces: list[Piece]) -> list[Piece]:
        """Return those of some cells that stand in front of a test of an exercise; all of them if none does.

        What stands behind all tests is not what they said on the student's screen, in the order of the notebook.
        """
        tests = {s.index for s in self.slots[slot.index : slot.last_test + 1] if s.kind is CellKind.TEST}
        copies = (p.index for p in self.pieces if p.slot in tests or any(s in tests for _, s in p.claims))
        last = max(copies, default=-1)
        return [p for p in pieces if p.index < last] or pieces

    def gap(self, slot: Slot) -> list[Piece]:
        """List the student's own cells between the recognised neighbours of a slot."""
        anchors = self.in_order()
        before = max((p.index for p in anchors if p.slot < slot.index), default=-1)
        after = min((p.index for p in anchors if p.slot > slot.index and p.index > before), default=len(self.pieces))
        return [p for p in self.pieces[before + 1 : after] if p.is_own]

    def bound_in_front(self, slot: Slot) -> set[str]:
        """Return the names that the release binds in front of a slot, or the student's own cells there."""
        end = min((p.index for p in self.in_order() if p.slot >= slot.index), default=len(self.pieces))
        trees = [tree_of(s.text) for s in self.slots[: slot.index] if s.is_code]
        trees += [p.code.tree for p in self.pieces[:end] if p.is_code and p.code and p.code.tree is not None]
        return {name for tree in trees for name in bound_at_top(tree.body)}

    def in_order(self) -> list[Piece]:
        """Return the longest run of recognised cells whose order is the release's."""
        known = [p for p in self.pieces if p.role in RECOGNISED]
        tails: list[int] = []
        ends: list[int] = []
        previous: list[int] = []
        for number, piece in enumerate(known):
            at = bisect_right(tails, piece.slot)
            previous.append(ends[at - 1] if at else -1)
            tails[at : at + 1] = [piece.slot]
            ends[at : at + 1] = [number]
        run, number = [], ends[-1] if ends else -1
        while number >= 0:
            run.append(known[number])
            number = previous[number]
        return run[::-1]


@remember
def plain(text: str) -> str:
    """Return a text in the form in which it is compared: no white space at the ends of lines and of the cell."""
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def language_of(release: NotebookNode, submission: NotebookNode | None, shown: Shown) -> str:
    """Return the language in which a student got the release: most of the lines that only one language has are of it.

    What a notebook's metadata say is lost as soon as a cell is copied into another file.
    """
    if submission is None or not shown:
        return ENGLISH
    texts = {ENGLISH: tuple(_as_shown(c, c.source) for c in release.cells)}
    for name, cells in shown.items():
        texts[name] = tuple(_as_shown(c, cells.get(c.get("id", ""), "")) for c in release.cells)
    lines = {name: _lines(sources) for name, sources in texts.items()}
    own = {line.rstrip() for c in submission.get("cells", []) for line in _as(str, c.get("source")).split("\n")}
    counts = {name: len(own & mine - _of_others(lines, name)) for name, mine in lines.items()}
    return max(counts, key=lambda name: (counts[name], name == ENGLISH))


def _as_shown(cell: NotebookNode, source: str) -> str:
    """Return what a student has of a cell's source in some language: a test without its hidden part."""
    return hidden_tests().without(source) if kind_of(cell) is CellKind.TEST else source


@lru_cache(maxsize=64)
def _lines(texts: tuple[str, ...]) -> frozenset[str]:
    return frozenset(line for text in texts for line in plain(text).split("\n"))


def _of_others(lines: dict[str, frozenset[str]], name: str) -> frozenset[str]:
    return frozenset[str]().union(*(other for language, other in lines.items() if language != name))


def _slots(release: NotebookNode, language: str, shown: Shown) -> Iterator[Slot]:
    number, answer = "", None
    for index, cell in enumerate(release.cells):
        kind = kind_of(cell)
        sources = {ENGLISH: cell.source, **{name: texts.get(cell.get("id", ""), "") for name, texts in shown.items()}}
        texts = {name: plain(_as_shown(cell, source)) for name, source in sources.items()}
        text = texts.pop(language) or texts.get(ENGLISH, "")
        slot = Slot(index, cell, kind, text, others=tuple(t for t in texts.values() if t and t != text))
        if kind is CellKind.TEXT:
            number = _exercise_number(cell.source) or number
        elif kind is CellKind.ANSWER:
            slot.number, answer = number, slot
            tree = parse(cell.source)
            slot.functions = defined_functions(cell.source) if tree else ()
            if not slot.functions and tree:
                slot.functions = tuple(bound_at_top(tree.body))
        elif kind is CellKind.TEST and answer is not None:
            answer.last_test = index
        yield slot


def _exercise_number(text: str) -> str:
    for line in text.split("\n"):
        if line.startswith("### Exercise "):
            return line.split()[2]
    return ""


def _pieces(given: list[NotebookNode], slots: list[Slot]) -> Iterator[Piece]:
    by_name = {s.name: s.index for s in slots}
    by_id = {s.cell.get("id"): s.index for s in slots}
    for index, cell in enumerate(given):
        metadata = _as(dict, cell.get("metadata"))
        marks = _as(dict, metadata.get("nbgrader"))
        claims: list[tuple[How, int]] = []
        for how, value, known in (
            (How.GRADE_ID, marks.get("grade_id"), by_name),
            (How.CELL_ID, cell.get("id"), by_id),
            (How.CELL_ID, metadata.get("id"), by_id),
        ):
            slot = known.get(value) if isinstance(value, str) else None
            if slot is not None and all(slot != s for _, s in claims):
                claims.append((how, slot))
        text = "" if metadata.get("id") == _COLAB_BADGE else _as(str, cell.get("source"))
        text = as_typed(text) if cell.get("cell_type") == "code" else text
        tags = [t for t in _as(list, metadata.get("tags")) if isinstance(t, str)]
        piece = Piece(index, str(cell.get("cell_type")), text, claims, marks, tags, cell.get("attachments"))
        piece.shown = _as(list, cell.get("outputs"))
        yield piece


def _as(kind: type[_Kind], value: object) -> _Kind:
    """Return a value that is of a kind, or that kind's empty one: what a student handed in may be anything."""
    return value if isinstance(value, kind) else kind()
