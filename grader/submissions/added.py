"""Find what a student wrote into the released text cells: beside a question, or below an explanation."""

from __future__ import annotations

import re
from difflib import SequenceMatcher, get_close_matches
from functools import lru_cache
from itertools import pairwise

from grader.core.cells import CellKind
from grader.submissions.cells import Cells, Piece, Role, Slot

#: Fewest letters added to a text cell of the release that count as words. A Chinese character is worth three.
FEWEST = 20
_CJK = "\u2e80"
#: Share of a cell's lines that another must hold to have been merged with it.
_MERGED = 0.6
#: As many words of a released line in a row are no words of the student's, who wrote within that line.
_IN_A_ROW = 4
#: Most words of two lines that are compared, and most lines of a cell that are: the rest is taken as it is.
_MOST_WORDS, _MOST_LINES = 300, 10
#: Share of the letters of two lines that are the same if one was made of the other, and most letters of such a line.
_ALIKE, _MOST_LETTERS = 0.8, 600
#: Encodings in which editors save that have no Chinese letters, or no letters with accents.
_WITHOUT_LETTERS = ("cp1252", "ascii")
_WORD = re.compile(rf"[{_CJK}-\uffff]|[^\s{_CJK}-\uffff]+")


def weight(text: str) -> int:
    """Return how much a text says: its letters, of which a Chinese one is worth three."""
    return len(text) + 2 * sum(c >= _CJK for c in text)


def added_words(cells: Cells, piece: Piece, fewest: int = FEWEST) -> str:
    """Return what a student wrote into a text cell of the release; an empty text if that is next to nothing.

    Args:
        cells: The cells.
        piece: The text cell.
        fewest: Letters that are more than next to nothing.
    """
    if piece.role is not Role.EDITED or cells.slot_of(piece).kind is not CellKind.TEXT:
        return ""
    known = _released_lines(cells)
    slot, mine = cells.slot_of(piece), {line.strip() for line in piece.raw.split("\n")}
    changed = [line for t in (slot.text, *slot.others) for line in t.split("\n") if line.strip() not in mine]
    lines = [line for line in piece.raw.split("\n") if line.strip() not in known - {""}]
    added = _own_words(lines, changed)
    return added if weight(added) >= fewest else ""


def without_released(cells: Cells, slot: Slot, text: str) -> str:
    """Return a text without the lines of released text cells, which ran together with it.

    Args:
        cells: The cells.
        slot: The cell for the text: a line of its neighbours may have been changed.
        text: The text.
    """
    known = _released_lines(cells) - {""}
    beside = [s for s in cells.slots[max(slot.index - 1, 0) : slot.index + 2] if not s.is_code]
    near = [line for s in beside for t in (s.text, *s.others) for line in t.split("\n") if line.strip()]
    lines = [line for line in text.split("\n") if line.strip() not in known]
    return _own_words(lines, near, quoted=True)


def _own_words(lines: list[str], released: list[str], quoted: bool = False) -> str:
    """Return a student's lines without what the first ones of them have from released ones, unless they quote it."""
    for number in [n for n, line in enumerate(lines) if line.strip()][:_MOST_LINES]:
        line = lines[number]
        if len(line) <= _MOST_LETTERS and (close := get_close_matches(line, released, 1, _ALIKE)):
            more = _beyond(line, close, 1)
            lines[number] = more if weight(more) >= FEWEST else ""
        elif not quoted:
            lines[number] = _beyond(line, released)
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _released_lines(cells: Cells) -> frozenset[str]:
    """Return the lines of all text cells: two may have been merged, and the one for the answer with them."""
    return _lines_of(tuple(t for s in cells.slots if not s.is_code for t in (s.text, *s.others)))


@lru_cache(16)  # the release's, for each of a submission's text cells
def _lines_of(texts: tuple[str, ...]) -> frozenset[str]:
    lines = {line.strip() for text in texts for line in text.split("\n")}
    # Saved in an encoding that lacks its letters, a Chinese line is one of question marks, and still no student's.
    lost = (line.encode(name, "replace").decode(name).strip() for line in lines for name in _WITHOUT_LETTERS)
    return frozenset(lines.union(lost))


def holds(piece: Piece, slot: Slot) -> bool:
    """Return whether a cell is a released text cell, changed, or was merged with it."""
    if piece.role is not Role.EDITED or piece.is_code or slot.is_code:
        return False
    lines = {line.strip() for line in slot.text.split("\n") if line.strip()}
    mine = {line.strip() for line in piece.raw.split("\n")}
    return piece.slot == slot.index or (bool(lines) and len(lines & mine) >= _MERGED * len(lines))


def _beyond(line: str, released: list[str], in_a_row: int = _IN_A_ROW) -> str:
    """Return what a line holds beyond the released one that it was made of, if there is one."""
    words = list(_WORD.finditer(line))
    mine = [word[0] for word in words]
    others = [other for text in released if len(other := _WORD.findall(text)) <= _MOST_WORDS]
    other = max(others, key=lambda o: len(set(o) & set(mine)), default=[])
    if len(mine) > _MOST_WORDS or len(set(other) & set(mine)) < in_a_row:
        return line
    blocks = SequenceMatcher(None, other, mine, autojunk=False).get_matching_blocks()
    theirs = [(b.b, b.b + b.size) for b in blocks if b.size >= in_a_row or not b.size]
    kept = []
    for (_, start), (end, _) in pairwise([(0, 0), *theirs]):
        if start < end:
            kept.append(line[words[start].start() : words[end - 1].end()])
    return " ".join(kept)
