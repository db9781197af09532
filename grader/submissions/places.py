"""Say which cell of the release each of the student's own cells follows, in a notebook whose cells may be moved about.

The student's own cells keep the order that they had. So a cell of the release that stands out of order does not take
those behind it along; what it is put back to is no place of theirs.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from grader.core.cells import LOCKED_KINDS
from grader.core.names import bound_at_top, used_at_once
from grader.submissions.cells import RECOGNISED, Cells, Piece, Role
from grader.submissions.parsing import parse

_NOTHING = ast.Module([], [])


def places_of(cells: Cells) -> dict[int, int]:
    """Return the index of the slot that each cell of the student's follows, -1 if it precedes all, by its own index.

    Only cells of the release that stand in order are followed, and two kinds of those that were moved: a group that
    was moved down together keeps what stands in it, and what reads an answer that was moved up comes behind it.
    """
    run = {p.index for p in cells.in_order()}
    known = [p for p in cells.pieces if p.role in RECOGNISED]
    behind = _Behind(cells)
    found: dict[int, int] = {}
    place, last, number = -1, -1, 0
    for piece in cells.pieces:
        if piece.role in RECOGNISED:
            number += 1
            last = piece.slot
            if piece.index in run:
                place = piece.slot
            else:
                behind.meet(piece)
            found[piece.index] = max(place, piece.slot)
            continue
        upcoming = known[number] if number < len(known) else None
        grouped = upcoming is not None and upcoming.index not in run and last <= upcoming.slot
        found[piece.index] = last if last < place and grouped else behind.place(piece, place)
    there = {p.slot for p in known if p.index in run}
    for slot, moved in {p.slot: p for p in known if p.slot not in there}.items():
        if cells.slots[slot].kind in LOCKED_KINDS:
            _stay_in_front(cells, moved, found)
    return found


@dataclass
class _Behind:
    """Finds what reads names of an answer that was moved up, at once: that is put back, and so it has to be behind it.

    Args:
        cells: The cells.
        slots: By name, the slot behind which it is there.
    """

    cells: Cells
    slots: dict[str, int] = field(default_factory=dict)

    def meet(self, piece: Piece) -> None:
        """Note what a cell of the release that stands out of order defines."""
        if piece.role is Role.HOME:
            self.slots |= dict.fromkeys(self.cells.slot_of(piece).functions, piece.slot)

    def place(self, piece: Piece, place: int) -> int:
        """Return where a cell comes that would otherwise follow the slot at `place`."""
        tree = piece.code.tree if self.slots and piece.code else None
        if tree is None:
            return place
        late = max((self.slots[name] for name in used_at_once(tree) & set(self.slots)), default=-1)
        if late > place:
            self.slots |= dict.fromkeys(bound_at_top(tree.body), late)
        return max(late, place)


def _stay_in_front(cells: Cells, moved: Piece, found: dict[int, int]) -> None:
    """Keep in front of a locked cell what bound its names in front of it, and would bind them again behind it."""
    slot = cells.slot_of(moved)
    locked = set(bound_at_top((parse(slot.text) or _NOTHING).body))
    early: set[str] = set()
    for piece in cells.pieces[: moved.index]:
        if piece.role in RECOGNISED and piece.slot > slot.index and (piece.is_code and cells.slot_of(piece).is_answer):
            return  # what follows may need that answer
        if not piece.is_own or piece.code is None or piece.code.tree is None or found[piece.index] < slot.index:
            continue
        binds, reads = set(piece.code.bound), used_at_once(piece.code.tree)
        if (binds & locked or reads & early) and not reads & (locked - early):
            early |= binds
            found[piece.index] = slot.index - 1
