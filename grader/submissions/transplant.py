"""Put a student's answers into a pristine copy of the released notebook.

What is locked comes from the source alone, whatever a submission's cells claim to be. An answer is found by its
`grade_id`, then by its cell's id, then by the functions it defines, then by its place.
"""

from __future__ import annotations

import builtins
import copy
import difflib
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.findings import Finding, Level
from grader.core.nbgrader_api import course_config
from grader.core.notebook import LOCKED_KINDS, SKIPPED_KINDS, CellKind, defined_functions, grade_id, kind_of
from grader.core.regions import hidden_tests
from grader.submissions import mend
from grader.submissions.intake import printable

STUDENT_TAG = "student-cell"
#: Id of the cell that Colab puts in front.
_COLAB_BADGE = "view-in-github"
#: Share of a released cell's lines that a cell without marks must hold to be taken for an edited copy of it.
_ALIKE = 0.6


@dataclass(frozen=True)
class Transplant:
    """A pristine notebook with a student's answers.

    Args:
        notebook: All cells of the release; the student's further cells are tagged `student-cell`.
        findings: What was repaired and what was lost.
        answered: `grade_id` of each answer cell, code or written, to how its answer was found: `"grade_id"`,
            `"cell id"`, `"function"`, `"position"`, `"untouched"` or `"missing"`.
    """

    notebook: NotebookNode
    findings: list[Finding]
    answered: dict[str, str]


def pristine(source: NotebookNode, config: Config | None = None) -> NotebookNode:
    """Make the released notebook with its hidden tests still in it: solutions cleared, outputs too.

    Args:
        source: The source notebook; it is not changed.
        config: nbgrader's configuration with the stubs; by default the course's own.

    Returns:
        A new notebook.
    """
    nb = copy.deepcopy(source)
    # nbgrader changes the configuration that it is given
    clear = ClearSolutions(config=copy.deepcopy(_course_config() if config is None else config))
    nb, _ = clear.preprocess(nb, {})
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nb


def transplant(
    source: NotebookNode,
    submission: NotebookNode | None,
    config: Config | None = None,
    release: NotebookNode | None = None,
) -> Transplant:
    """Put the answers of a submission into a pristine notebook.

    Args:
        source: The assignment's source notebook.
        submission: What `read_submission` made of the student's file. None of the notebooks is changed.
        config: As for `pristine`.
        release: What `pristine` made of the source, if that is at hand.
    """
    return _Transplanter(pristine(source, config) if release is None else release, submission).result()


def _course_config() -> Config:
    for start in (Path.cwd(), Path(__file__).parent):
        try:
            return _config_of(Course.find(start))
        except GraderError:
            continue
    return Config()


@lru_cache(maxsize=4)
def _config_of(course: Course) -> Config:
    return course_config(course)


def _plain(text: str) -> str:
    """Give a text in the form in which it is compared: no white space at the ends of lines and of the cell."""
    return "\n".join(line.rstrip() for line in text.strip().split("\n"))


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.split("\n") if len(line.strip()) > 3}


@dataclass
class _Slot:
    """A cell of the release."""

    index: int
    cell: NotebookNode
    kind: CellKind
    text: str  # as students got it, for comparison
    functions: tuple[str, ...] = ()
    number: str = ""
    last_test: int = -1  # of an answer cell: slot of the last of its tests

    @property
    def name(self) -> str:
        return grade_id(self.cell) or self.cell.get("id", "")

    @property
    def shown(self) -> str:
        """What a sentence calls an answer."""
        if self.kind is CellKind.WRITTEN:
            return f"the written answer ({self.name})"
        return f"the answer to exercise {self.number} ({self.name})" if self.number else f"the answer {self.name}"


@dataclass
class _Piece:
    """A cell of the submission."""

    index: int
    kind: str
    raw: str
    claims: list[tuple[str, int]]  # how, slot
    marks: dict
    tags: list[str]
    pictures: dict | None = None
    code: mend.Mended | None = None  # of a code cell, and of code in a text cell
    role: str = ""  # released, edited, home, used, joined, dropped; empty: the student's own
    slot: int = -1
    halves: bool = False  # it was split and joined again
    beyond: mend.Mended | None = None  # of an edited cell: what the released one does not have

    @property
    def names(self) -> set[str]:
        """What its code defines."""
        return self.code.names if self.code else set()

    def writes(self, name: str) -> bool:
        """Tell whether it defines a function, and not only its stub."""
        code = self.code if self.beyond is None else self.beyond
        if code is None:
            return False
        if code.tree is None:
            return name in code.names
        node = code.bound.get(name)
        return node is not None and not mend.hollow(node)


@dataclass
class _Answer:
    """What will stand in an answer cell."""

    text: str
    how: str
    before: list[_Piece] = field(default_factory=list)  # halves that cannot stand in the same cell


class _Transplanter:
    """One transplant, step by step; each step reads what the ones before it noted."""

    def __init__(self, release: NotebookNode, submission: NotebookNode | None):
        self.release = release
        self.slots = list(_slots(release))
        self.answers = [s for s in self.slots if s.kind is CellKind.ANSWER]
        self.written = [s for s in self.slots if s.kind is CellKind.WRITTEN]
        self.functions = {f for s in self.answers for f in s.functions}
        self.findings: list[Finding] = []
        self.handed_in = submission is not None
        self.pieces = [] if submission is None else list(self._pieces(submission))
        self.filled: dict[int, _Answer] = {}
        self.replaced: dict[int, _Piece] = {}
        self.pictures: dict[int, dict] = {}

    def note(self, kind: str, where: str, text: str, level: Level = Level.REPAIRED) -> None:
        finding = Finding(kind, where, text, level)
        if finding not in self.findings:
            self.findings.append(finding)

    def result(self) -> Transplant:
        if not self.handed_in:
            self.note("no-submission", "", "There was no notebook to take answers from.", Level.LOST)
        self.recognise()
        self.join_halves()
        self.mend_pieces()
        self.note_claims()
        for slot in self.answers:
            self.answer(slot)
        for slot in self.written:
            self.answer_in_words(slot)
        self.note_restored()
        self.note_order()
        return Transplant(self.assembled(), self.findings, {s.name: self.found(s) for s in self.answers + self.written})

    def found(self, slot: _Slot) -> str:
        return self.filled[slot.index].how if slot.index in self.filled else "missing"

    # What each cell is

    def _pieces(self, submission: NotebookNode) -> Iterator[_Piece]:
        by_name = {s.name: s.index for s in self.slots}
        by_id = {s.cell.get("id"): s.index for s in self.slots}
        for index, cell in enumerate(submission.get("cells", [])):
            metadata = cell.get("metadata")
            metadata = metadata if isinstance(metadata, dict) else {}
            marks = metadata.get("nbgrader")
            marks = marks if isinstance(marks, dict) else {}
            tags = metadata.get("tags")
            tags = [t for t in tags if isinstance(t, str)] if isinstance(tags, list) else []
            claims = []
            for how, value, known in (
                ("grade_id", marks.get("grade_id"), by_name),
                ("cell id", cell.get("id"), by_id),
                ("cell id", metadata.get("id"), by_id),
            ):
                slot = known.get(value) if isinstance(value, str) else None
                if slot is not None and all(slot != s for _, s in claims):
                    claims.append((how, slot))
            text = cell.get("source")
            text = text if isinstance(text, str) and metadata.get("id") != _COLAB_BADGE else ""
            pictures = cell.get("attachments")
            yield _Piece(index, str(cell.get("cell_type")), text, claims, marks, tags, pictures)

    def recognise(self) -> None:
        """Find the released cells among the student's: unchanged, then by their marks, then by their lines."""
        by_text: dict[str, list[int]] = defaultdict(list)
        for slot in self.slots:
            if slot.text:
                by_text[slot.text].append(slot.index)
        taken: set[int] = set()
        for piece in self.pieces:
            same = by_text.get(_plain(piece.raw), [])
            claimed = [s for _, s in piece.claims]
            free = sorted((s for s in same if s not in taken), key=lambda s: s not in claimed)
            if free:
                piece.role, piece.slot = "released", free[0]
                taken.add(free[0])
            elif same or not piece.raw.strip():
                piece.role = "dropped"  # a copy of a released cell, or nothing
        by_line: dict[str, list[int]] = defaultdict(list)
        sizes = {}
        for slot in self.slots:
            if slot.kind not in (CellKind.ANSWER, CellKind.WRITTEN) and slot.index not in taken:
                lines = _lines(slot.text)
                sizes[slot.index] = len(lines)
                for line in lines:
                    by_line[line].append(slot.index)
        for piece in self.pieces:
            if piece.role:
                continue
            slot = self.edited_slot(piece, taken)
            if slot is None and not any(self.slots[s].kind in _ANSWERS for _, s in piece.claims):
                slot = _most_alike(piece, by_line, sizes, taken, self.slots)
            if slot is not None:
                self.take_edited(piece, slot, taken)

    def edited_slot(self, piece: _Piece, taken: set[int]) -> int | None:
        """Find the released cell that a changed cell says it is."""
        for _, index in piece.claims:
            kind = self.slots[index].kind
            if kind in _ANSWERS:
                return None
            if kind in (CellKind.TEST, *LOCKED_KINDS):
                return index
            if index not in taken and (piece.kind == "code") == (self.slots[index].cell.cell_type == "code"):
                return index
        return None

    def take_edited(self, piece: _Piece, index: int, taken: set[int]) -> None:
        slot = self.slots[index]
        same = slot.cell.cell_type == "code" and mend.same_code(mend.parse(piece.raw), mend.parse(slot.text))
        if index in taken:
            piece.role, piece.slot = "dropped" if same else "edited", index
            return
        piece.role, piece.slot = "released" if same else "edited", index
        taken.add(index)

    def join_halves(self) -> None:
        """Join a cell that was split within a function: its second half is no code by itself."""
        for number, first in enumerate(self.pieces):
            if first.role or first.kind != "code":
                continue
            text, halves = first.raw, []
            whole = mend.parse(text) is not None
            for second in self.pieces[number + 1 : number + 6]:
                if second.role == "dropped" and not second.raw.strip():
                    continue
                foreign = [c for c in second.claims if c not in first.claims]
                if second.role or second.kind != "code" or foreign or len(halves) == 3:
                    break
                head = next((line for line in second.raw.split("\n") if line.strip()), "")
                if whole and not head.startswith((" ", "\t")):
                    break
                text += "\n" + second.raw
                halves.append(second)
                if mend.parse(text) is not None:
                    first.raw, first.halves = text, True
                    for half in halves:
                        half.role = "joined"
                    break

    def mend_pieces(self) -> None:
        """Mend the code of the student's cells; leftovers are known by what the whole notebook imports and reads."""
        known = {root for s in self.slots if (t := _tree(s.cell)) for n in t.body for root in mend.module_roots(n)}
        own = [p for p in self.pieces if p.role in ("", "edited") and p.kind == "code"]
        trees = [t for p in own if (t := mend.parse(p.raw))]
        read = {name for t in trees for name in mend.used(t)} | self.functions
        services = {name for t in trees for name in mend.services_in(t)}
        effort = mend.Effort()
        for piece in self.pieces:
            if piece.role not in ("", "edited"):
                continue
            if piece.kind == "code":
                piece.code = mend.mend(piece.raw, services, known, read, effort)
            else:
                own_functions = {f for _, s in piece.claims for f in self.slots[s].functions}
                code = mend.code_in_prose(piece.raw, own_functions or self.functions)
                piece.code = mend.mend(code, services, known, read, effort) if code is not None else None
            if piece.role == "edited":
                slot = self.slots[piece.slot]
                code = piece.code or mend.Mended(piece.raw, None)
                text = mend.without(code.text, code.tree, slot.text, mend.parse(slot.text)).strip("\n")
                piece.beyond = mend.Mended(text, mend.parse(text), code.done)

    def note_claims(self) -> None:
        """Say what looks like an attempt on the marks: other points, a test cell told not to run."""
        for piece in self.pieces:
            for how, index in piece.claims:
                slot = self.slots[index]
                if how != "grade_id" or slot.kind not in (CellKind.TEST, CellKind.WRITTEN):
                    continue
                points = piece.marks.get("points")
                if isinstance(points, int | float) and points != slot.cell.metadata.nbgrader.get("points"):
                    text = f"The cell {slot.name} says it is worth {str(points)[:20]} points; the release's count."
                    self.note("points-changed", slot.name, text, Level.SUSPICIOUS)
                added = [t for t in piece.tags if t not in slot.cell.metadata.get("tags", [])]
                if slot.kind is CellKind.TEST and any(t.startswith(("skip", "raises")) for t in added):
                    text = f"The test cell {slot.name} carries a tag that would keep it from running; it runs."
                    self.note("test-tagged", slot.name, text, Level.SUSPICIOUS)

    # Answers in code

    def answer(self, slot: _Slot) -> None:
        """Find what stands in one answer cell."""
        own = [(how, p) for p in self.pieces if not p.role for how, s in p.claims if s == slot.index]
        # A mark that moved to another exercise's answer says nothing; nor does one on a cell of its own first claim.
        own = [
            (how, p)
            for how, p in own
            if p.code and (p.names & set(slot.functions) or not p.names & (self.functions - set(slot.functions)))
        ]
        homes: dict[int, tuple[str, _Piece, str]] = {}
        written: set[str] = set()
        for name in slot.functions:
            definers = [(how, p) for how, p in own if p.writes(name)]
            definers = [d for d in definers if d[1].code.tree is not None] or definers
            if definers:
                how, piece = definers[-1]
                homes[piece.index] = (how, piece, piece.code.text)
                written.add(name)
        for how, piece in own:
            fits = piece.code.tree is not None and piece.names and not piece.names & set(slot.functions)
            if homes and fits and piece.index not in homes:  # a helper's half of a split cell
                homes[piece.index] = (how, piece, piece.code.text)
        self.note_duplicates(slot, own, homes)
        self.take_from_elsewhere(slot, [n for n in slot.functions if n not in written], homes)
        for _, piece in own:
            only_stub = (
                piece.names and piece.names <= set(slot.functions) and not any(map(piece.writes, slot.functions))
            )
            if homes and piece.index not in homes and not piece.role and only_stub:
                piece.role = "dropped"
        if not homes:
            self.answer_weakly(slot, own)
            return
        self.fill(slot, [homes[n] for n in sorted(homes)])

    def note_duplicates(self, slot: _Slot, own: list[tuple[str, _Piece]], homes: dict) -> None:
        rest = [p for _, p in own if p.index not in homes]
        untouched = [p for p in self.pieces if p.role == "dropped" and any(s == slot.index for _, s in p.claims)]
        untouched += [p for p in self.pieces if p.role == "released" and p.slot == slot.index and homes]
        texts = {homes[n][2].strip() for n in homes}
        for piece in rest:
            if piece.code.text.strip() in texts:
                piece.role = "dropped"
        again = [p for p in rest if p.names & set(slot.functions)]
        if homes and (again or any(p.raw.strip() for p in untouched)):
            text = f"The cell of {slot.shown} stood in the notebook more than once; the last one with an answer counts."
            self.note("answer-twice", slot.name, text)

    def take_from_elsewhere(self, slot: _Slot, missing: list[str], homes: dict) -> None:
        """Look for functions in cells that are not this answer's."""
        for name in missing:
            donors = [p for p in self.pieces if p.role in ("", "edited", "home", "used") and p.writes(name)]
            donors = [p for p in donors if (p.beyond or p.code).tree is not None] or donors
            if not donors or donors[-1].index in homes:
                continue
            piece = donors[-1]
            code = piece.beyond or piece.code
            text = code.text
            claims_other = any(self.slots[s].kind is CellKind.ANSWER and s != slot.index for _, s in piece.claims)
            others = self.functions - set(slot.functions)
            shared = claims_other and any(piece.writes(f) for f in others)
            late = not piece.role and self.place(piece) > slot.last_test and code.tree and not mend.quiet(code.tree)
            if code.tree is not None and (piece.role in ("home", "used") or shared or late):
                text = mend.closure(code.text, code.tree, [f for f in slot.functions if piece.writes(f)])
            elif piece.role == "":
                piece.role, piece.slot = "home", slot.index
            elif piece.role == "edited":
                piece.role = "used"
                if code.tree is not None:  # the definitions without what the student called or checked there
                    text = mend.closure(code.text, code.tree, {name, *mend.definitions(code.tree)})
            homes[piece.index] = ("function", piece, text)
            self.note_elsewhere(slot, piece)

    def note_elsewhere(self, slot: _Slot, piece: _Piece) -> None:
        """Say where an answer stood that was found by its functions."""
        stub = any(slot.index in (p.slot, *(s for _, s in p.claims)) for p in self.pieces if p is not piece)
        shown = slot.shown[0].upper() + slot.shown[1:]
        if not piece.claims and not stub and piece.role == "home" and piece.kind == "code":
            text = f"The marks of {slot.shown} were lost; it was found by its function name."
            self.note("marks-lost", slot.name, text)
            return
        where = "in another cell" if piece.kind == "code" else "in a text cell"
        if piece.role == "used":
            kind = self.slots[piece.slot].kind
            where = (
                f"in {'the test cell' if kind is CellKind.TEST else 'the released cell'} {self.slots[piece.slot].name}"
            )
        self.note("answer-elsewhere", slot.name, f"{shown} stood {where}; it was found by its function name.")

    def place(self, piece: _Piece) -> int:
        """Give the slot of the released cell that a piece follows."""
        before = [p.slot for p in self.pieces[: piece.index] if p.role in ("released", "edited", "home")]
        return before[-1] if before else -1

    def fill(self, slot: _Slot, homes: list[tuple[str, _Piece, str]]) -> None:
        texts = [text.strip("\n") for _, _, text in homes]
        joined = "\n\n\n".join(texts)
        before: list[_Piece] = []
        if len(homes) > 1:
            if mend.parse(joined) is None and any(p.code and p.code.tree is not None for _, p, _ in homes):
                joined = texts[-1]
                before = [p for _, p, _ in homes[:-1]]
            self.note_split(slot)
        ways = [how for how, _, _ in homes]
        how = next(w for w in ("grade_id", "cell id", "function", "position", "untouched") if w in ways)
        for way, piece, _ in homes:
            if way != "function":
                piece.role, piece.slot = "home", slot.index
            if piece.halves:
                self.note_split(slot)
            for done in (piece.beyond or piece.code).done:
                self.note("cell-repaired", slot.name, f"In {slot.shown}, {done}.")
            if way == "cell id":
                text = f"The marks of {slot.shown} were lost; it was found by its cell's id."
                self.note("marks-lost", slot.name, text)
            if way != "function" and piece.kind != "code":
                text = f"The cell of {slot.shown} was a text cell; its code was taken."
                self.note("cell-retyped", slot.name, text)
        tree = mend.parse(joined)
        if tree is None:
            text = f"The cell of {slot.shown} is not valid Python, so it cannot be run."
            self.note("syntax-error", slot.name, text, Level.LOST)
        else:
            for name in mend.stopped_early(tree, slot.functions):
                text = f"In {name}, the line that raises NotImplementedError still stands in front of the code."
                self.note("left-over-raise", slot.name, text, Level.LOST)
        self.filled[slot.index] = _Answer(joined, how, before)

    def note_split(self, slot: _Slot) -> None:
        text = f"The cell of {slot.shown} was split; its parts were put together again."
        self.note("answer-split", slot.name, text)

    def answer_weakly(self, slot: _Slot, own: list[tuple[str, _Piece]]) -> None:
        """Take an answer cell that defines none of the functions, a cell in its place, or nothing."""
        left = [(how, p) for how, p in own if not p.role]
        gap = [] if left else self.gap(slot)
        gap = [p for p in gap if p.code and (p.code.tree is None or p.names) and not p.names & self.functions]
        near = sorted({n for p in [*(p for _, p in left), *gap] for n in p.names})
        stub = any(p.role == "released" and p.slot == slot.index for p in self.pieces)
        if not left and len(gap) == 1 and not stub and not gap[0].claims and self.in_order():
            left = [("position", gap[0])]
            self.note("answer-by-place", slot.name, f"The cell in the place of {slot.shown} was taken for it.")
        if left:
            how, piece = left[-1]
            if piece.names & set(slot.functions):
                self.fill(slot, [("untouched", piece, piece.code.text)])  # the stub in other words
            else:
                self.note_names(slot, near)
                self.fill(slot, [(how, piece, piece.code.text)])
                if how != "position":
                    self.filled[slot.index].how = "missing"
        elif stub:
            self.filled[slot.index] = _Answer(slot.cell.source, "untouched")
            if near:
                self.note_names(slot, near, only_close=True)
        elif self.handed_in:
            text = f"There is nothing in the notebook that could be {slot.shown}; it counts as not answered."
            self.note("answer-missing", slot.name, text, Level.LOST)
            if near:
                self.note_names(slot, near, only_close=True)

    def note_names(self, slot: _Slot, near: list[str], only_close: bool = False) -> None:
        close = [m for f in slot.functions for m in difflib.get_close_matches(f, near[:50], 1, 0.6)]
        if not close and only_close:
            return
        wanted = ", ".join(slot.functions)
        hint = f"; {printable(close[0])} looks like it, but has another name" if close else ""
        text = f"The cell of {slot.shown} does not define {wanted}{hint}."
        self.note("other-name", slot.name, text, Level.LOST)

    def gap(self, slot: _Slot) -> list[_Piece]:
        """Give the student's own cells between the recognised neighbours of a released cell."""
        anchors = self.in_order()
        before = max((p.index for p in anchors if p.slot < slot.index), default=-1)
        after = min((p.index for p in anchors if p.slot > slot.index and p.index > before), default=len(self.pieces))
        return [p for p in self.pieces[before + 1 : after] if not p.role]

    def in_order(self) -> list[_Piece]:
        """Give the longest run of recognised cells whose order is the release's."""
        known = [p for p in self.pieces if p.role in ("released", "edited", "home")]
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

    # Answers in words

    def answer_in_words(self, slot: _Slot) -> None:
        own = [(how, p) for p in self.pieces if not p.role for how, s in p.claims if s == slot.index]
        stub = any(p.role == "released" and p.slot == slot.index for p in self.pieces)
        gap = self.gap(slot)
        if own:
            taken, how = [p for _, p in own], own[0][0]
        else:
            taken = [p for p in gap if p.kind != "code" and not p.claims]
            taken = taken or [p for p in gap if p.code and (p.code.tree is None or not p.code.tree.body)]
            how = "position"
        texts: list[str] = []
        for piece in taken:
            text = piece.raw.strip()
            if text not in texts:
                texts.append(text)
            piece.role, piece.slot = "home", slot.index
            if isinstance(piece.pictures, dict):
                self.pictures.setdefault(slot.index, {}).update(piece.pictures)
        if not texts:
            texts = [t for p in self.pieces if abs(p.slot - slot.index) == 1 and (t := self.added_words(p))]
            how = "position"
        if texts:
            if how == "position":
                text = f"{slot.shown[0].upper()}{slot.shown[1:]} stood in another cell; it was found by its place."
                self.note("answer-elsewhere", slot.name, text)
            elif how == "cell id":
                text = f"The marks of {slot.shown} were lost; it was found by its cell's id."
                self.note("marks-lost", slot.name, text)
            if any(p.kind == "code" for p in taken):
                self.note("cell-retyped", slot.name, f"The cell of {slot.shown} was a code cell; its text was taken.")
            if len(own) > 1:
                text = f"The cell of {slot.shown} stood in the notebook more than once; all its texts were kept."
                self.note("answer-twice", slot.name, text)
            self.filled[slot.index] = _Answer("\n\n".join(texts), how)
        elif stub:
            self.filled[slot.index] = _Answer(slot.cell.source, "untouched")
        elif self.handed_in:
            text = f"There is nothing in the notebook that could be {slot.shown}; it counts as not answered."
            self.note("answer-missing", slot.name, text, Level.LOST)

    def added_words(self, piece: _Piece) -> str:
        """Give what a student wrote into a text cell of the release."""
        if piece.role != "edited" or self.slots[piece.slot].kind is not CellKind.TEXT:
            return ""
        known = {line.strip() for line in self.slots[piece.slot].text.split("\n")}
        added = "\n".join(line for line in piece.raw.split("\n") if line.strip() not in known).strip()
        return added if len(added) >= 20 else ""

    # The rest

    def note_restored(self) -> None:
        """Say which locked cells were missing or changed, and keep what was added to them."""
        if not self.handed_in:
            return
        known = {p.slot for p in self.pieces if p.role in ("released", "edited", "used")}
        fixed = (CellKind.TEST, *LOCKED_KINDS)
        missing = [s for s in self.slots if s.kind in fixed and s.index not in known]
        if missing:
            names = ", ".join(s.name for s in missing[:8]) + (", ..." if len(missing) > 8 else "")
            many = f"{len(missing)} cells of the released notebook were not there and were"
            one = "One cell of the released notebook was not there and was"
            text = f"{one if len(missing) == 1 else many} put back: {names}."
            self.note("cells-restored", "", text)
        if self.pieces and not any(p.slot >= 0 for p in self.pieces):
            self.note("other-notebook", "", "Nothing in this notebook belongs to the assignment.", Level.LOST)
        for piece in self.pieces:
            if piece.role not in ("edited", "used"):
                continue
            slot = self.slots[piece.slot]
            if slot.kind in fixed:
                what = "test cell" if slot.kind is CellKind.TEST else "cell"
                text = f"The {what} {slot.name} was changed; the released one was used."
                self.note("test-changed" if slot.kind is CellKind.TEST else "locked-changed", slot.name, text)
            elif slot.kind in SKIPPED_KINDS and piece.role == "edited" and piece.kind == "code":
                self.replaced[slot.index] = piece

    def note_order(self) -> None:
        run = {p.index for p in self.in_order()}
        moved = [p for p in self.pieces if p.role in ("released", "home") and p.index not in run]
        for piece in moved:
            slot = self.slots[piece.slot]
            elsewhere = any(f.kind == "answer-elsewhere" and f.where == slot.name for f in self.findings)
            if slot.kind in _ANSWERS and piece.role == "home" and not elsewhere:
                text = f"{slot.shown[0].upper()}{slot.shown[1:]} stood in another place; it was put back."
                self.note("cell-moved", slot.name, text)
        if any(self.slots[p.slot].kind in (CellKind.TEST, *LOCKED_KINDS) for p in moved):
            self.note("order-restored", "", "The cells stood in another order; they were put back as released.")

    def additions(self, piece: _Piece) -> str:
        """Give imports and definitions that a student added to a locked cell, as far as they replace nothing in it."""
        code = piece.beyond
        slot = self.slots[piece.slot]
        if piece.role != "edited" or slot.kind not in LOCKED_KINDS or code is None or code.tree is None:
            return ""
        tree = mend.parse(slot.text)
        own = set(mend.bound(tree.body)) if tree else set()
        return mend.segments(code.text, code.tree, lambda n: mend.adds(n, own))

    def assembled(self) -> NotebookNode:
        """Put the notebook together."""
        after: dict[int, list[NotebookNode]] = defaultdict(list)
        place = -1
        for piece in self.pieces:
            if piece.role in ("released", "home", "edited", "used"):
                place = piece.slot
                added = self.additions(piece)
                if added.strip():
                    after[place].append(_student_code(added))
            elif not piece.role:
                after[place] += self.own_cell(piece)
        nb = copy.deepcopy(self.release)
        cells: list[NotebookNode] = [*after[-1]]
        for slot in self.slots:
            cell = nb.cells[slot.index]
            answer = self.filled.get(slot.index)
            if answer is not None:
                cells += [_student_code(p.code.text) for p in answer.before]
                cell.source = answer.text
                if slot.index in self.pictures and cell.cell_type == "markdown":
                    cell.attachments = nbformat.from_dict(self.pictures[slot.index])
            replaced = self.replaced.get(slot.index)
            cells += [cell] if replaced is None else self.own_cell(replaced)
            cells += after[slot.index]
        nb.cells = self.with_helpers_in_front(cells)
        taken = {s.cell.get("id") for s in self.slots}
        number = 0
        for cell in nb.cells:
            if STUDENT_TAG in cell.metadata.get("tags", []):
                number += 1
                while f"{STUDENT_TAG}-{number}" in taken:
                    number += 1
                cell.id = f"{STUDENT_TAG}-{number}"
        nb.nbformat, nb.nbformat_minor = 4, 5
        return nb

    def own_cell(self, piece: _Piece) -> list[NotebookNode]:
        """Make a plain cell of one of the student's own."""
        if piece.kind == "code":
            return [_student_code(piece.code.text if piece.code else piece.raw)]
        cell = new_markdown_cell(piece.raw, id=STUDENT_TAG, metadata={"tags": [STUDENT_TAG]})
        if isinstance(piece.pictures, dict):
            cell.attachments = nbformat.from_dict(piece.pictures)
        return [cell]

    def with_helpers_in_front(self, cells: list[NotebookNode]) -> list[NotebookNode]:
        """Move a student's cells of definitions up if an answer needs them before they come: they ran out of order."""
        trees = {id(cell): _tree(cell) for cell in cells}
        binds = {key: set(mend.bound(tree.body)) for key, tree in trees.items() if tree}
        own = [c for c in cells if STUDENT_TAG in c.metadata.get("tags", []) and (t := trees[id(c)]) and mend.quiet(t)]
        for answer in self.answers:
            cell = self.release_cell(cells, answer.name)
            if answer.last_test < 0 or self.found(answer) in ("untouched", "missing") or not trees[id(cell)]:
                continue
            last = self.slots[answer.last_test].name
            ends = next(n for n, c in enumerate(cells) if grade_id(c) == last)
            there = set().union(*(binds.get(id(c), ()) for c in cells[:ends]))
            needed = mend.used(trees[id(cell)]) - there - set(dir(builtins)) - mend.stored(trees[id(cell)])
            for other in own:
                helpers = needed & binds[id(other)]
                at = next(n for n, c in enumerate(cells) if c is other)
                if at < ends or not helpers or self.functions & binds[id(other)]:
                    continue
                needed -= helpers
                del cells[at]
                cells.insert(next(n for n, c in enumerate(cells) if c is cell), other)
                text = f"The cell that defines {', '.join(sorted(helpers))} stood below {answer.shown}, which needs it"
                self.note("helper-moved", answer.name, f"{text}; it was moved up.")
        return cells

    @staticmethod
    def release_cell(cells: list[NotebookNode], name: str) -> NotebookNode:
        return next(c for c in cells if grade_id(c) == name)


_ANSWERS = (CellKind.ANSWER, CellKind.WRITTEN)


def _slots(release: NotebookNode) -> Iterator[_Slot]:
    number, answer = "", None
    for index, cell in enumerate(release.cells):
        kind = kind_of(cell)
        text = _plain(hidden_tests().without(cell.source) if kind is CellKind.TEST else cell.source)
        slot = _Slot(index, cell, kind, text)
        if kind is CellKind.TEXT:
            number = _exercise_number(cell.source) or number
        elif kind is CellKind.ANSWER:
            slot.number, answer = number, slot
            tree = mend.parse(cell.source)
            slot.functions = defined_functions(cell.source) if tree else ()
            if not slot.functions and tree:
                slot.functions = tuple(mend.bound(tree.body))
        elif kind is CellKind.TEST and answer is not None:
            answer.last_test = index
        yield slot


def _exercise_number(text: str) -> str:
    for line in text.split("\n"):
        if line.startswith("### Exercise "):
            return line.split()[2]
    return ""


def _most_alike(
    piece: _Piece, by_line: dict[str, list[int]], sizes: dict[int, int], taken: set[int], slots: list[_Slot]
) -> int | None:
    """Find the released cell most of whose lines a cell holds; None if there is none."""
    hits: dict[int, int] = defaultdict(int)
    for line in _lines(piece.raw):
        for index in by_line.get(line, ()):
            hits[index] += 1
    code = piece.kind == "code"
    fitting = [
        (n / sizes[i], i)
        for i, n in hits.items()
        if i not in taken and n >= _ALIKE * sizes[i] and code == (slots[i].cell.cell_type == "code")
    ]
    return max(fitting, key=lambda pair: (pair[0], -pair[1]))[1] if fitting else None


def _student_code(text: str) -> NotebookNode:
    return new_code_cell(text, id=STUDENT_TAG, metadata={"tags": [STUDENT_TAG]})


def _tree(cell: NotebookNode):
    return mend.parse(cell.source) if cell.cell_type == "code" else None
