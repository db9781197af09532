"""Find the answer to a question that is answered in words."""

from __future__ import annotations

import re
from typing import Any

from grader.core.cells import CellKind
from grader.submissions.answers import Answer, note_found_by_id, untouched_or_missing
from grader.submissions.cells import Cells, How, Piece, Role, Slot

#: Fewest letters added to a text cell of the release that count as an answer. A Chinese character is worth three.
_FEWEST = 20
_CJK = "\u2e80"


def find_words(cells: Cells, slot: Slot) -> Answer | None:
    """Find a written answer; None if there is none.

    Args:
        cells: The cells, matched. Roles and findings are added.
        slot: The cell for it.
    """
    own = cells.claiming(slot)
    how = own[0][0] if own else How.POSITION
    taken = [p for _, p in own] if own else _in_the_gap(cells.gap(slot))
    pictures: dict[str, Any] = {}
    texts: list[str] = []
    for piece in taken:
        piece.role, piece.slot = Role.HOME, slot.index
        texts.append(_with_pictures(piece, pictures))
    texts = list(dict.fromkeys(texts))
    if not texts:
        how = How.POSITION
        texts = [t for p in cells.pieces if abs(p.slot - slot.index) == 1 and (t := _added_words(cells, p))]
    if not texts:
        return untouched_or_missing(cells, slot)
    if how is How.POSITION:
        text = f"{slot.shown_first} stood in another cell; it was found by its place."
        cells.note("answer-elsewhere", slot.name, text)
    elif how is How.CELL_ID:
        note_found_by_id(cells, slot)
    if any(p.is_code for p in taken):
        cells.note("cell-retyped", slot.name, f"The cell of {slot.shown} was a code cell; its text was taken.")
    if len(own) > 1:
        text = f"The cell of {slot.shown} stood in the notebook more than once; all its texts were kept."
        cells.note("answer-twice", slot.name, text)
    return Answer("\n\n".join(texts), how, pictures=pictures)


def _with_pictures(piece: Piece, pictures: dict[str, Any]) -> str:
    """Add a cell's pictures to those of other cells; return its text, which names them.

    Jupyter calls each picture that is pasted into a cell `image.png`; a second one of a name gets another name here.
    """
    text = piece.raw.strip()
    for name, picture in (piece.pictures if isinstance(piece.pictures, dict) else {}).items():
        own = name
        while pictures.get(own, picture) != picture:
            own = f"{len(pictures)}-{own}"
        pictures[own] = picture
        if own != name:
            renamed = f"attachment:{own}".replace("\\", r"\\")
            text = re.sub(rf"attachment:{re.escape(name)}(?![\w.])", renamed, text)
    return text


def _in_the_gap(gap: list[Piece]) -> list[Piece]:
    """Choose what can be words among the cells in an answer's place: text, or else what is no code."""
    texts = [p for p in gap if not p.is_code and not p.claims]
    return texts or [p for p in gap if p.code and (p.code.tree is None or not p.code.tree.body)]


def _added_words(cells: Cells, piece: Piece) -> str:
    """Return what a student wrote into a text cell of the release."""
    if piece.role is not Role.EDITED or cells.slot_of(piece).kind is not CellKind.TEXT:
        return ""
    known = {line.strip() for line in cells.slot_of(piece).text.split("\n")}
    added = "\n".join(line for line in piece.raw.split("\n") if line.strip() not in known).strip()
    return added if len(added) + 2 * sum(c >= _CJK for c in added) >= _FEWEST else ""
