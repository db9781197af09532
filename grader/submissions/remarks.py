"""Find words of a student's own in cells that the release has, where nobody looks for an answer in words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from functools import lru_cache

from grader.core.cells import CellKind
from grader.submissions.added import added_words, weight
from grader.submissions.cells import Cells, Piece, Role, Slot
from grader.submissions.prose import is_most, is_prose, prose_in

#: As many words of the release in a row are quoted, or belong to a cell that an editor laid out anew; and as many
#: Chinese characters, of which a word has one or two.
_IN_A_ROW, _CHARACTERS = 4, 8
#: In an answer's cell and in one that asks for a prediction, words are no surprise: an answer is so many times longer.
_LONGER = 3
#: A text with a prediction to make, and code with a place for one.
_PREDICT = "**Predict"
_PREDICTED = re.compile(r"^my_\w+(?:, my_\w+)* = None\b", re.M)
#: Most characters of cells that are looked through, and of words that are kept: more is nothing that somebody typed.
_MOST, _MOST_KEPT = 2_000_000, 20_000
_CJK = "\u2e80"
_WORD = re.compile(rf"[{_CJK}-\uffff]|[^\W_{_CJK}-\uffff]+")


def note_remarks(cells: Cells, slot: Slot, released: Set[str], fewest: int) -> dict[int, int]:
    """Note the cells of the release that hold words of a student's own which may be a written answer.

    Args:
        cells: The cells; the words are kept with them.
        slot: The cell for the written answer.
        released: The lines of the release.
        fewest: How much such words weigh at least.

    Returns:
        How much they weigh, by the number of the cell.
    """
    found: dict[int, int] = {}
    left, room = _MOST, _MOST_KEPT
    for piece in cells.pieces:
        holder = _holder(cells, piece)
        if holder is None or holder.kind is CellKind.WRITTEN or piece.role is Role.JOINED:
            continue
        if piece.role is Role.USED and not piece.is_code:  # the answer was taken from there
            continue
        fresh = [line for line in piece.raw.split("\n") if line.strip() not in released]
        if len(piece.raw) > left or not any(map(is_prose, fresh)) or _is_damaged(holder, piece, len(fresh)):
            continue
        left -= len(piece.raw)
        least = fewest * (_LONGER if holder.kind is CellKind.ANSWER or _asks(cells, holder) else 1)
        words = _words(cells, piece, holder, released)
        own = _without_quotations(words, cells) if weight(words) >= least else ""
        lines = [line for line in own.split("\n") if is_prose(line)]
        weighs = weight("\n".join(line for line in lines if piece.is_code or not _is_names(line)))
        if weighs >= least:
            found[piece.index], piece.said = weighs, words[:room]
            room -= len(piece.said)
    return found


def _holder(cells: Cells, piece: Piece) -> Slot | None:
    """Return the cell of the release that a cell is, or says it is; None if it is nothing but the student's own."""
    if piece.slot >= 0:
        return cells.slot_of(piece)
    return cells.slots[piece.claims[0][1]] if piece.claims else None


def _is_damaged(slot: Slot, piece: Piece, fresh: int) -> bool:
    """Return whether a locked cell or a test has other lines than the released one, but no more: mail does that."""
    mine = {line.strip() for line in piece.raw.split("\n")}
    return slot.is_fixed and fresh <= sum(line.strip() not in mine for line in slot.text.split("\n"))


def _asks(cells: Cells, slot: Slot) -> bool:
    """Return whether students are to write a prediction here: in the text that asks for it, or the cell below it."""
    beside = cells.slots[max(slot.index - slot.is_code, 0) : slot.index + 1]
    asked = any(_PREDICT in s.cell.source for s in beside if not s.is_code)
    return asked or (slot.is_code and _PREDICTED.search(slot.cell.source) is not None)


def _words(cells: Cells, piece: Piece, holder: Slot, released: Set[str]) -> str:
    """Return the lines with words of a student's own in a cell of the release."""
    if not piece.is_code and holder.kind is CellKind.TEXT and piece.role is Role.EDITED:
        return added_words(cells, piece)
    if not piece.is_code:
        return "\n".join(line for line in piece.raw.split("\n") if line.strip() not in released)
    if holder.kind is CellKind.ANSWER:
        # Remarks within a function explain it.
        return prose_in(piece.raw, released, at_top=True)
    prose = prose_in(piece.raw, released)
    return prose if is_most(prose, piece.raw, released) else ""


def _is_names(line: str) -> bool:
    """Return whether a line says who, and when, rather than what: most of its words have a capital letter."""
    words: list[str] = [word for word in _WORD.findall(line) if not word[0].isdigit()]
    return 2 * sum(word[0].isupper() for word in words) >= len(words)


def _without_quotations(text: str, cells: Cells) -> str:
    """Return a text without the words that the release has in the same order."""
    known = _rows_of(tuple(t for s in cells.slots for t in (s.text, *s.others)))
    words = list(_WORD.finditer(text))
    quoted = bytearray(len(words))
    for start, row in _rows([word[0] for word in words]):
        if row in known:
            quoted[start : start + len(row)] = bytes([1]) * len(row)
    kept, done = [], 0
    for number, word in enumerate(words):
        if quoted[number]:
            kept.append(text[done : word.start()])
            done = word.end()
    return "".join([*kept, text[done:]])


@lru_cache(2)  # the release's, for each of a submission's cells
def _rows_of(texts: tuple[str, ...]) -> frozenset[tuple[str, ...]]:
    return frozenset(row for text in texts for _, row in _rows(_WORD.findall(text)))


def _rows(words: list[str]) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield where as many words stand as make a quotation, and which."""
    for start, row in enumerate(zip(*(words[n:] for n in range(_IN_A_ROW)), strict=False)):
        if all(word < _CJK for word in row):
            yield start, row
    yield from enumerate(zip(*(words[n:] for n in range(_CHARACTERS)), strict=False))
