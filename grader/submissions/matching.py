"""Recognise the released cells among a student's, and prepare the others: joined where split, mended where broken."""

from __future__ import annotations

from collections import defaultdict
from hashlib import sha256

from grader.core.cells import CellKind
from grader.core.findings import Level
from grader.core.names import bound_at_top, used_anywhere
from grader.submissions import mend
from grader.submissions.cells import Cells, How, Piece, Role, Slot, plain
from grader.submissions.magics import names_in, runs_as_it_stands
from grader.submissions.parsing import Effort, parse

#: Share of a released cell's lines that a cell without marks must hold to be taken for an edited copy of it.
_ALIKE = 0.6
#: Most parts of a cell that was split, and how far below its beginning they are looked for.
_MOST_PARTS, _NEAR = 4, 5
#: A longer line holds data; nobody writes it by hand.
_DATA = 1000


def match(cells: Cells) -> None:
    """Find out what each cell of a submission is, as far as that can be said without looking for answers."""
    taken = _recognise_unchanged(cells)
    _recognise_edited(cells, taken)
    for number, first in enumerate(cells.pieces):
        if first.is_own and first.is_code:
            _join_parts(first, cells.pieces[number + 1 : number + 1 + _NEAR])
    _mend(cells)
    _note_claims(cells)


def _recognise_unchanged(cells: Cells) -> set[int]:
    """Recognise cells by their text; return the slots that were found."""
    by_text: dict[str, list[int]] = defaultdict(list)
    for slot in cells.slots:
        for text in filter(None, (slot.text, *slot.others)):
            by_text[text].append(slot.index)
    taken: set[int] = set()
    for piece in cells.pieces:
        same = by_text.get(plain(piece.raw), [])
        claimed = [s for _, s in piece.claims]
        free = sorted((s for s in same if s not in taken), key=lambda s: s not in claimed)
        if free:
            piece.role, piece.slot = Role.RELEASED, free[0]
            taken.add(free[0])
        elif same or not piece.raw.strip():
            piece.role, piece.slot = Role.DROPPED, same[0] if same else -1
    return taken


def _recognise_edited(cells: Cells, taken: set[int]) -> None:
    """Recognise changed cells by their marks, then by their lines."""
    alike = _Alike([s for s in cells.slots if not s.is_answer and s.index not in taken])
    for piece in cells.pieces:
        if not piece.is_own:
            continue
        slot = _claimed_slot(cells, piece, taken)
        if slot is None and not any(cells.slots[s].is_answer for _, s in piece.claims):
            slot = alike.most(piece, taken)
        if slot is not None:
            _take_edited(piece, slot, taken)


def _claimed_slot(cells: Cells, piece: Piece, taken: set[int]) -> Slot | None:
    """Find the released cell that a changed cell says it is."""
    for _, index in piece.claims:
        slot = cells.slots[index]
        if slot.is_answer:
            return None
        if slot.is_fixed or (index not in taken and piece.is_code == slot.is_code):
            return slot
    return None


def _take_edited(piece: Piece, slot: Slot, taken: set[int]) -> None:
    same = slot.is_code and mend.same_code(parse(_without_data(piece.raw)), parse(_without_data(slot.text)))
    as_released = Role.DROPPED if slot.index in taken else Role.RELEASED
    piece.role, piece.slot = as_released if same else Role.EDITED, slot.index
    taken.add(slot.index)


def _without_data(code: str) -> str:
    """Put a name in the place of each line of data: with a font in it, a cell is too long to parse."""
    lines = code.split("\n")
    return "\n".join(f"_{sha256(n.encode(errors='surrogatepass')).hexdigest()}" if len(n) > _DATA else n for n in lines)


class _Alike:
    """Finds the released cell most of whose lines a cell holds.

    Args:
        slots: The cells to choose from.
    """

    def __init__(self, slots: list[Slot]):
        self.slots = {s.index: s for s in slots}
        self.sizes: dict[int, int] = {}
        self.by_line: dict[str, list[int]] = defaultdict(list)
        for slot in slots:
            lines = _lines(slot.text)
            self.sizes[slot.index] = len(lines)
            for line in lines:
                self.by_line[line].append(slot.index)

    def most(self, piece: Piece, taken: set[int]) -> Slot | None:
        """Return the slot that a cell is most alike, None if it is alike to none that is not taken."""
        hits: dict[int, int] = defaultdict(int)
        for line in _lines(piece.raw):
            for index in self.by_line.get(line, ()):
                hits[index] += 1
        fitting = [
            (n / self.sizes[i], -i)
            for i, n in hits.items()
            if i not in taken and n >= _ALIKE * self.sizes[i] and piece.is_code == self.slots[i].is_code
        ]
        return self.slots[-max(fitting)[1]] if fitting else None


def _lines(text: str) -> set[str]:
    return {line.strip() for line in text.split("\n") if len(line.strip()) > 3}


def _join_parts(first: Piece, below: list[Piece]) -> None:
    """Join a cell that was split within a function: its second half is no code by itself."""
    text = first.raw
    parts: list[Piece] = []
    whole = parse(text) is not None
    for part in below:
        if part.role is Role.DROPPED and not part.raw.strip():
            continue
        foreign = [c for c in part.claims if c not in first.claims]
        if not part.is_own or not part.is_code or foreign or len(parts) == _MOST_PARTS - 1:
            return
        head = next((line for line in part.raw.split("\n") if line.strip()), "")
        if whole and not head.startswith((" ", "\t")):
            return
        text += "\n" + part.raw
        parts.append(part)
        if parse(text) is not None:
            first.raw, first.halves = text, True
            for joined in parts:
                joined.role = Role.JOINED
            return


def _mend(cells: Cells) -> None:
    """Mend the code of the student's cells; leftovers are known by what the whole notebook imports and reads."""
    released = [t for s in cells.slots if s.is_code and (t := parse(s.text))]  # without what is hidden
    known = {root for tree in released for node in tree.body for root in mend.module_roots(node)}
    students = [p for p in cells.pieces if p.role in (Role.OWN, Role.EDITED)]
    trees = [t for p in students if p.is_code and (t := parse(p.raw))]
    read = {name for t in trees for name in used_anywhere(t)} | cells.functions
    services = {name for t in trees for name in mend.services_in(t)}
    services -= {name for t in [*released, *trees] for name in mend.bound_otherwise(t)}
    plainly = {n for p in students if p.is_code and not p.raw.lstrip().startswith("%%") for n in names_in(p.raw)}
    taken = {name for p in students if p.is_code and runs_as_it_stands(p.raw) for name in _defined(p.raw)}
    effort = Effort()
    for piece in students:
        text: str | None = piece.raw
        functions = {f for _, s in piece.claims for f in cells.slots[s].functions}
        if not piece.is_code:
            text = mend.code_in_prose(piece.raw, functions or cells.functions)
            piece.words = text is not None and mend.lines_besides(piece.raw, text)
        spared = functions - plainly
        # Code under a magic that is not known counts if an answer is nowhere else.
        others = taken if not names_in(piece.raw) & (cells.functions - taken) else frozenset()
        piece.code = mend.mend(text, services, known, read, effort, spared, others) if text is not None else None
        if piece.role is Role.EDITED:
            piece.beyond = _beyond(piece, cells.slot_of(piece))


def _defined(code: str) -> set[str]:
    """Return the functions and classes that a cell defines, those left out that are a stub."""
    tree = parse(code)
    if tree is None:
        return names_in(code)
    return {name for name, node in bound_at_top(tree.body).items() if not mend.hollow(node)} & names_in(code)


def _beyond(piece: Piece, slot: Slot) -> mend.Mended:
    """Return the code of an edited cell that the released one does not have."""
    code = piece.code or mend.Mended(piece.raw, None)
    text = mend.without(code.text, code.tree, slot.text, parse(slot.text)).strip("\n")
    return mend.Mended(text, parse(text), code.done)


def _note_claims(cells: Cells) -> None:
    """Report what looks like an attempt on the marks: other points, a test cell told not to run."""
    for piece in cells.pieces:
        for how, index in piece.claims:
            slot = cells.slots[index]
            if how is not How.GRADE_ID or slot.kind not in (CellKind.TEST, CellKind.WRITTEN):
                continue
            points = piece.marks.get("points")
            if isinstance(points, int | float) and points != slot.cell.metadata.nbgrader.get("points"):
                text = f"The cell {slot.name} says it is worth {str(points)[:20]} points; the release's count."
                # Fewer are what an earlier release may have said; nobody gains by writing them.
                more = not points <= (slot.cell.metadata.nbgrader.get("points") or 0)
                cells.note("points-changed", slot.name, text, Level.SUSPICIOUS if more else Level.REPAIRED)
            added = [t for t in piece.tags if t not in slot.cell.metadata.get("tags", [])]
            if slot.kind is CellKind.TEST and any(t.startswith(("skip", "raises")) for t in added):
                text = f"The test cell {slot.name} carries a tag that would keep it from running; it runs."
                cells.note("test-tagged", slot.name, text, Level.SUSPICIOUS)
