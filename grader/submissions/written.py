"""Find the answer to a question that is answered in words."""

from __future__ import annotations

import ast
import re
from typing import Any

from grader.core.findings import Level
from grader.submissions.added import FEWEST, added_words, holds, weight, without_released
from grader.submissions.answers import Answer, note_found_by_id, untouched_or_missing
from grader.submissions.cells import Cells, How, Piece, Role, Slot
from grader.submissions.prose import prose_of, words_in
from grader.submissions.remarks import note_remarks
from grader.submissions.showing import missing, spellings

#: A shorter answer may only say where the answer stands ("see below").
_BRIEF = 3 * FEWEST
#: Letters that are no typing error of somebody who clicked into a question.
_A_FEW = 8


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
    texts: dict[int, str] = {}
    for piece in taken:
        piece.role, piece.slot = Role.HOME, slot.index
        words = piece.raw if own or not cells.from_text else without_released(cells, slot, piece.raw)
        texts[piece.index] = _with_pictures(piece, words.strip(), pictures)
    texts = {index: text for index, text in texts.items() if text}
    _add_from_beside(cells, slot, texts, pictures)
    if sum(map(weight, texts.values())) < _BRIEF and not pictures:
        _note_words_elsewhere(cells, slot)
    if not texts:
        return untouched_or_missing(cells, slot)
    if not taken or how is How.POSITION:
        how = How.POSITION
        text = f"{slot.shown_first} stood in another cell; it was found by its place."
        cells.note("answer-elsewhere", slot.name, text)
    elif how is How.CELL_ID:
        note_found_by_id(cells, slot)
    if any(p.is_code for p in taken):
        cells.note("cell-retyped", slot.name, f"The cell of {slot.shown} was a code cell; its text was taken.")
    if len(own) > 1:
        text = f"The cell of {slot.shown} stood in the notebook more than once; all its texts were kept."
        cells.note("answer-twice", slot.name, text)
    text = "\n\n".join(_each_once(texts))
    _note_pictures(cells, slot, text, pictures)
    return Answer(text, how, pictures=pictures)


def _note_pictures(cells: Cells, slot: Slot, text: str, pictures: dict[str, Any]) -> None:
    """Say that an answer asks for pictures that no page shows: whoever marks sees the words alone, or nothing."""
    lost = set(missing(text, pictures))
    if lost:  # what the course shows itself is no part of the answer, though a copy of the question may stand in it
        lost -= {address for s in cells.slots for words in (s.cell.source, *s.others) for address in missing(words, {})}
    if lost:
        said = (
            f"{slot.shown_first} asks for pictures that no page shows ({len(lost)} in all): they are not attached to "
            f"its cell, or they are no PNG or JPEG files. Please look at them in the notebook that was handed in."
        )
        cells.note("pictures-not-shown", slot.name, said, Level.LOST)


def _add_from_beside(cells: Cells, slot: Slot, texts: dict[int, str], pictures: dict[str, Any]) -> None:
    """Add what was written into the cell of the question, and into the next one as long as there is little else."""
    in_cells = bool(texts)
    for above in (True, False):
        beside = slot.index + (-1 if above else 1)
        if not 0 <= beside < len(cells.slots) or (not above and sum(map(weight, texts.values())) >= _BRIEF):
            continue
        for piece in cells.pieces:
            words = added_words(cells, piece) if holds(piece, cells.slots[beside]) else ""
            if not words:
                continue
            piece.role = Role.USED
            texts[piece.index] = _with_pictures(piece, words, pictures)
            if in_cells and above:
                text = f"A part of {slot.shown} stood in the cell of the question; all its texts were kept."
                cells.note("answer-elsewhere", slot.name, text)
            elif in_cells:
                text = f"A part of {slot.shown} stood in the text cell below it; all its texts were kept."
                cells.note("answer-elsewhere", slot.name, text)


def _each_once(texts: dict[int, str]) -> list[str]:
    """Return texts in the order of their cells, without one that another one holds."""
    ordered = list(dict.fromkeys(texts[index] for index in sorted(texts)))
    return [text for text in ordered if not any(text in other for other in ordered if other != text)]


def _note_words_elsewhere(cells: Cells, slot: Slot) -> None:
    """Say where a longer text of the student's own stands, which may be the answer."""
    own = [p for p in cells.pieces if p.is_own and not p.claims]
    said = {p.index: weight(p.raw.strip()) for p in own if not p.is_code or _strings_alone(p, fewest=1)}
    released = frozenset(line.strip() for s in cells.slots for t in (s.text, *s.others) for line in t.split("\n"))
    said |= {p.index: weight(prose_of(p.raw, released)) for p in own if p.is_code and p.index not in said}
    # Right beside the answer words count in code as well that holds more than them, and a few of them in the question.
    for piece in cells.gap(slot):
        if piece.is_code and not piece.claims:
            said[piece.index] = max(weight(words_in(piece.raw)), said.get(piece.index, 0))
    others = {index: weighs for index, weighs in said.items() if weighs >= _BRIEF}
    others |= note_remarks(cells, slot, released, _BRIEF)
    others |= {p.index: weight(p.raw) for p in cells.pieces if _holds_a_few_words(cells, p, slot)}
    if others:
        number = max(others, key=lambda index: others[index]) + 1
        text = (
            f"{slot.shown_first} is empty or very short, and cell {number} of the notebook that was handed in "
            f"holds a text of the student's own: please look whether it is the answer."
        )
        cells.note("words-elsewhere", slot.name, text, Level.LOST)


def _holds_a_few_words(cells: Cells, piece: Piece, slot: Slot) -> bool:
    """Return whether the question in front of an answer has got words of a student's, fewer than an answer has."""
    if not slot.index or not holds(piece, cells.slots[slot.index - 1]):
        return False
    return bool(added_words(cells, piece, fewest=_A_FEW))


def _with_pictures(piece: Piece, text: str, pictures: dict[str, Any]) -> str:
    """Add the pictures of a cell that its text shows to those of other cells; return the text, which names them.

    Jupyter calls each picture that is pasted into a cell `image.png`; a second one of a name gets another name here.
    """
    for name, picture in (piece.pictures if isinstance(piece.pictures, dict) else {}).items():
        spelled = spellings(name)
        if piece.role is Role.USED and not any(f"attachment:{s}" in text for s in spelled):  # the question's own
            continue
        own = name
        while pictures.get(own, picture) != picture:
            own = f"{len(pictures)}-{own}"
        pictures[own] = picture
        if own != name:
            renamed = f"attachment:{own.replace(' ', '%20')}".replace("\\", r"\\")
            anyhow = "|".join(map(re.escape, spelled))
            text = re.sub(rf"attachment:(?:{anyhow})(?![\w.])", renamed, text)
    return text


def _in_the_gap(gap: list[Piece]) -> list[Piece]:
    """Choose what can be words among the cells in an answer's place: text, or else what is no code."""
    texts = [p for p in gap if not p.is_code and not p.claims]
    return texts or [p for p in gap if p.code and (p.code.tree is None or _strings_alone(p))]


def _strings_alone(piece: Piece, fewest: int = 0) -> bool:
    """Return whether a cell of code holds texts and comments only."""
    body = piece.code.tree.body if piece.code and piece.code.tree else None
    return body is not None and len(body) >= fewest and all(map(_is_string, body))


def _is_string(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
