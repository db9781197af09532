"""Find the answer to each exercise: in its own cell, in another, in several, or nowhere."""

from __future__ import annotations

import difflib
import sys
from dataclasses import dataclass, field
from typing import Any

from grader.core.cells import CellKind
from grader.core.findings import Level
from grader.core.statements import statements_of
from grader.submissions import mend
from grader.submissions.cells import Cells, How, Piece, Role, Slot
from grader.submissions.file_names import printable, quoted
from grader.submissions.parsing import MAX_PARSED, is_too_deep, parse

Claims = list[tuple[How, Piece]]


@dataclass
class Answer:
    """What goes into an answer cell.

    Args:
        text: Its source.
        how: How it was found.
        before: Parts of it that cannot be in the same cell.
        pictures: Attachments of a written answer.
    """

    text: str
    how: How
    before: list[Piece] = field(default_factory=list)
    pictures: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Home:
    """A cell that holds an answer or a part of it, how it was found, and what is taken of it."""

    how: How
    piece: Piece
    text: str


_Homes = dict[int, _Home]


def find_answer(cells: Cells, slot: Slot) -> Answer | None:
    """Find the code that answers an exercise; None if there is none.

    Args:
        cells: The cells, matched. Roles and findings are added.
        slot: The answer cell.
    """
    own = [(how, p) for how, p in cells.claiming(slot) if p.code and _may_answer(cells, slot, p)]
    homes = _own_homes(cells, slot, own)
    missing = [n for n in slot.functions if not any(h.piece.writes(n) for h in homes.values())]
    _drop_copies(cells, slot, own, homes)
    for name in missing:
        _take_from_elsewhere(cells, slot, name, homes)
    if not homes:
        return _weak_answer(cells, slot, own)
    _add_between(cells, slot, homes)
    for _, piece in own:
        only_stub = piece.names and piece.names <= set(slot.functions) and not any(map(piece.writes, slot.functions))
        if piece.index not in homes and piece.is_own and only_stub:
            piece.role = Role.DROPPED
    return _joined(cells, slot, [homes[n] for n in sorted(homes)])


def _may_answer(cells: Cells, slot: Slot, piece: Piece) -> bool:
    """Return False where a mark moved to another exercise's answer, and therefore says nothing."""
    return bool(piece.names & set(slot.functions)) or not piece.names & (cells.functions - set(slot.functions))


def _own_homes(cells: Cells, slot: Slot, own: Claims) -> _Homes:
    """Choose among the cells that claim a slot: what its tests met of each function, and helpers split off from it."""
    homes: _Homes = {}
    for name in slot.functions:
        met = cells.in_front(slot, [p for p in cells.pieces if p.is_own and p.writes(name)])
        definers = [(how, p) for how, p in own if any(p is q for q in met)]
        definers = [d for d in definers if d[1].known_code.tree is not None] or definers
        if definers:
            how, piece = definers[-1]
            homes[piece.index] = _Home(how, piece, piece.known_code.text)
    for how, piece in own:
        fits = piece.known_code.tree is not None and piece.names and not piece.names & set(slot.functions)
        if homes and fits and piece.index not in homes:  # a helper's half of a split cell
            homes[piece.index] = _Home(how, piece, piece.known_code.text)
    return homes


def _drop_copies(cells: Cells, slot: Slot, own: Claims, homes: _Homes) -> None:
    rest = [p for _, p in own if p.index not in homes]
    untouched = [p for p in cells.pieces if p.role is Role.DROPPED and p.claims_slot(slot)]
    untouched += [p for p in cells.pieces if p.role is Role.RELEASED and p.slot == slot.index and homes]
    texts = {home.text.strip() for home in homes.values()}
    for piece in rest:
        if piece.known_code.text.strip() in texts:
            piece.role = Role.DROPPED
    again = [p for p in rest if p.names & set(slot.functions)]
    if homes and (again or any(p.raw.strip() for p in untouched)):
        behind = any(p.index > max(homes) and any(map(p.writes, slot.functions)) for p in again)
        which = "the last one in front of its tests" if behind else "the last one with an answer"
        text = f"The cell of {slot.shown} stood in the notebook more than once; {which} counts."
        cells.note("answer-twice", slot.name, text)


def _take_from_elsewhere(cells: Cells, slot: Slot, name: str, homes: _Homes) -> None:
    """Look for a function in cells that are not this answer's."""
    roles = (Role.OWN, Role.EDITED, Role.HOME, Role.USED)
    donors = [p for p in cells.pieces if p.role in roles and p.writes(name)]
    donors = [p for p in donors if p.new_code.tree is not None] or donors
    donors = cells.in_front(slot, donors)
    if not donors or donors[-1].index in homes:
        return
    piece = donors[-1]
    code = piece.new_code
    text = code.text
    if code.tree is not None and _only_in_part(cells, slot, piece):
        there = cells.bound_in_front(slot)
        text = mend.closure(code.text, code.tree, [f for f in slot.functions if piece.writes(f)], there)
    elif piece.is_own and not piece.words:
        piece.role, piece.slot = Role.HOME, slot.index
    elif piece.role is Role.EDITED:
        piece.role = Role.USED
        if code.tree is not None:  # the definitions without what the student called or checked there
            wanted = {name, *mend.definitions(code.tree)}
            text = mend.closure(code.text, code.tree, wanted, cells.bound_in_front(slot))
    homes[piece.index] = _Home(How.FUNCTION, piece, text)
    _note_elsewhere(cells, slot, piece)


def _add_between(cells: Cells, slot: Slot, homes: _Homes) -> None:
    """Take what defines a function once more between two parts of an answer: as a helper it would run before both."""
    for piece in cells.pieces[min(homes) + 1 : max(homes)]:
        again = piece.is_own and piece.code is not None and piece.code.tree is not None
        if again and piece.index not in homes and any(map(piece.writes, slot.functions)):
            piece.role, piece.slot = Role.HOME, slot.index
            homes[piece.index] = _Home(How.FUNCTION, piece, piece.known_code.text)


def _only_in_part(cells: Cells, slot: Slot, piece: Piece) -> bool:
    """Return whether a cell that holds an answer is another's too, or comes so late that it cannot move as a whole."""
    if piece.role in (Role.HOME, Role.USED) or piece.words:
        return True
    others = cells.functions - set(slot.functions)
    claims_other = any(cells.slots[s].kind is CellKind.ANSWER and s != slot.index for _, s in piece.claims)
    if claims_other and any(piece.writes(f) for f in others):
        return True
    tree = piece.new_code.tree
    return piece.is_own and cells.place(piece) > slot.last_test and tree is not None and not mend.quiet(tree)


def _note_elsewhere(cells: Cells, slot: Slot, piece: Piece) -> None:
    """Report where an answer stood that was found by its functions."""
    stub = any(p.slot == slot.index or p.claims_slot(slot) for p in cells.pieces if p is not piece)
    if not piece.claims and not stub and piece.role is Role.HOME and piece.is_code:
        text = f"The marks of {slot.shown} were lost; it was found by its function name."
        cells.note("marks-lost", slot.name, text)
        return
    if piece.words:
        text = (
            f"{slot.shown_first} stood in a text cell with other words around it, where Jupyter does not run it; "
            f"the code was taken, and the words were kept."
        )
        cells.note("answer-elsewhere", slot.name, text)
        return
    where = "in another cell" if piece.is_code else "in a text cell"
    if piece.role is Role.USED:
        donor = cells.slot_of(piece)
        where = f"in {'the test cell' if donor.kind is CellKind.TEST else 'the released cell'} {donor.name}"
    cells.note("answer-elsewhere", slot.name, f"{slot.shown_first} stood {where}; it was found by its function name.")


def _joined(cells: Cells, slot: Slot, homes: list[_Home]) -> Answer:
    """Make one answer of the cells that hold its parts."""
    texts = [home.text.strip("\n") for home in homes]
    joined = "\n\n\n".join(texts)
    before: list[Piece] = []
    if len(homes) > 1:
        if parse(joined) is None and any(h.piece.code and h.piece.known_code.tree is not None for h in homes):
            joined = texts[-1]
            before = [h.piece for h in homes[:-1]]
        _note_split(cells, slot)
    for home in homes:
        if home.how is not How.FUNCTION:
            home.piece.role, home.piece.slot = Role.HOME, slot.index
        _note_home(cells, slot, home)
    _note_what_stops_it(cells, slot, joined)
    ways = [home.how for home in homes]
    return Answer(joined, next(how for how in How if how in ways), before)


def _note_home(cells: Cells, slot: Slot, home: _Home) -> None:
    if home.piece.halves:
        _note_split(cells, slot)
    for done in home.piece.new_code.done:
        cells.note("cell-repaired", slot.name, f"In {slot.shown}, {done}.")
    if home.how is How.CELL_ID:
        note_found_by_id(cells, slot)
    if home.how is not How.FUNCTION and not home.piece.is_code:
        cells.note("cell-retyped", slot.name, f"The cell of {slot.shown} was a text cell; its code was taken.")


def note_found_by_id(cells: Cells, slot: Slot) -> None:
    """Report that nbgrader's marks were lost."""
    cells.note("marks-lost", slot.name, f"The marks of {slot.shown} were lost; it was found by its cell's id.")


def _note_what_stops_it(cells: Cells, slot: Slot, text: str) -> None:
    if len(text) > MAX_PARSED:
        text = f"The cell of {slot.shown} has more than {MAX_PARSED:,} characters, so it was taken as it is."
        cells.note("long-cell", slot.name, text)
        return
    tree = parse(text)
    if tree is None:
        said = f"The cell of {slot.shown} is not valid Python, so it cannot be run."
        if is_too_deep(text):
            said = f"The cell of {slot.shown} is nested deeper than Python can follow, so it cannot be run."
        elif cells.newer_python:
            ours = f"{sys.version_info.major}.{sys.version_info.minor}"
            said = (
                f"The cell of {slot.shown} is not valid in Python {ours}, so it cannot be run. The notebook was saved "
                f"with Python {cells.newer_python}, where it may be: ask for marking with that, or write it otherwise."
            )
        elif cells.python_untold:
            ours = f"{sys.version_info.major}.{sys.version_info.minor}"
            said = (
                f"The cell of {slot.shown} is not valid Python, so it cannot be run. Marking uses Python {ours}, and "
                "the notebook does not say which one it was written with. If the cell ran there, it may be valid in a "
                f"newer Python: write it so that Python {ours} can read it."
            )
        cells.note("syntax-error", slot.name, said, Level.LOST)
        return
    for name in mend.stopped_early(tree, slot.functions):
        text = f"In {name}, the line that raises NotImplementedError still comes before the code."
        cells.note("left-over-raise", slot.name, text, Level.LOST)


def _note_split(cells: Cells, slot: Slot) -> None:
    text = f"The cell of {slot.shown} was split; its parts were put together again."
    cells.note("answer-split", slot.name, text)


def _weak_answer(cells: Cells, slot: Slot, own: Claims) -> Answer | None:
    """Take an answer cell that defines none of the functions, a cell in its place, or nothing."""
    left = [(how, p) for how, p in own if p.is_own]
    gap = [] if left else cells.gap(slot)
    gap = [p for p in gap if p.code and (p.code.tree is None or p.names) and not p.names & cells.functions]
    near = sorted({n for p in [*(p for _, p in left), *gap] for n in p.names})
    stub = cells.is_untouched(slot)
    if not left and len(gap) == 1 and not stub and not gap[0].claims and cells.in_order():
        left = [(How.POSITION, gap[0])]
        cells.note("answer-by-place", slot.name, f"The cell in the place of {slot.shown} was taken for it.")
    if left:
        how, piece = left[-1]
        if piece.names & set(slot.functions):  # the stub in other words
            return _joined(cells, slot, [_Home(How.UNTOUCHED, piece, piece.known_code.text)])
        # A walrus binds a name too, and so may text that is executed.
        bound = {name for statement in statements_of(piece.known_code.text) for name in statement.binds}
        bound_otherwise = set(slot.functions) <= bound
        if not bound_otherwise:
            _note_names(cells, slot, near)
        joined = _joined(cells, slot, [_Home(how, piece, piece.known_code.text)])
        joined.how = how if bound_otherwise or how is How.POSITION else How.MISSING
        return joined
    answer = untouched_or_missing(cells, slot)
    if near:
        _note_names(cells, slot, near, only_close=True)
    return answer


def untouched_or_missing(cells: Cells, slot: Slot) -> Answer | None:
    """Return a slot's released text as its answer if the submission holds it; report the answer as missing if not."""
    if cells.is_untouched(slot):
        return Answer(slot.cell.source, How.UNTOUCHED)
    if cells.handed_in:
        text = f"There is nothing in the notebook that could be {slot.shown}; it counts as not answered."
        cells.note("answer-missing", slot.name, text, Level.LOST)
    return None


def _note_names(cells: Cells, slot: Slot, near: list[str], only_close: bool = False) -> None:
    close = [m for f in slot.functions for m in difflib.get_close_matches(f, near[:50], 1, 0.6)]
    if not close and only_close:
        return
    wanted = ", ".join(slot.functions)
    hint = f"; {quoted(printable(close[0]))} looks like it, but has another name" if close else ""
    text = f"The cell of {slot.shown} does not define {wanted}{hint}."
    cells.note("other-name", slot.name, text, Level.LOST)
