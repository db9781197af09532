"""How often a text turns to another script or direction: a browser lays out what is between two turns by itself.

It takes the square of their number for each block, whatever the text says: Chromium 150 needs a twentieth of a second
for 60,000 letters of one script, three seconds for as many that take turns between Hebrew and Latin ones, and nineteen
for letters and emoji in turn. What people write in two languages turns once in some letters.
"""

from __future__ import annotations

import functools
import re
import unicodedata

_PIECES = re.compile(r"[0-9A-Za-z]+|[()\[\]{}<>]|[^\x00-\x7f]")
#: Scripts without gaps between words, which a browser looks up one after another: there each letter counts.
_WITHOUT_GAPS = frozenset({"THAI", "LAO", "KHMER", "MYANMAR", "TAI"})
#: Words with which names of letters and signs begin that are written together.
_TOGETHER = {
    **dict.fromkeys(("CJK", "IDEOGRAPHIC", "FULLWIDTH", "HIRAGANA", "KATAKANA", "HALFWIDTH", "HANGUL"), "CJK"),
    **dict.fromkeys(("LEFT", "RIGHT", "EN", "EM", "HORIZONTAL", "BULLET", "COMBINING", "VARIATION"), ""),
}
_LATIN, _BRACKET = "LATIN", "("


@functools.lru_cache(maxsize=4096)  # there are a million letters that a student can name
def _kind(letter: str) -> tuple[str, bool]:
    """Return the script of a letter that is not ASCII, as far as its name tells, and whether it runs to the left.

    The name is empty for signs that go with any script.
    """
    word = unicodedata.name(letter, f"{ord(letter) >> 8}").split()[0]
    leftward = unicodedata.bidirectional(letter) in ("R", "AL", "RLE", "RLO", "RLI")
    return _TOGETHER.get(word, word) if ord(letter) < 0x10000 else letter, leftward


def turns(text: str, most: int) -> tuple[int, int]:
    """Return how often a text turns, and the length of its first part that does not do so more often than it may.

    Args:
        text: A text of a student's.
        most: As often as it may; what is behind that is not counted.
    """
    if text.isascii():
        return 0, len(text)
    script, leftward, count = _LATIN, False, 0
    new: str
    now: bool
    for piece in _PIECES.finditer(text):
        sign = piece[0]
        if sign[0] in "()[]{}<>":
            if not leftward:  # nothing but text to the left has to find the partner of each
                continue
            new, now = _BRACKET, leftward
        elif sign.isascii():
            new, now = _LATIN, False
        else:
            new, now = _kind(sign)
            if not new:
                continue
        if new != script or new in _WITHOUT_GAPS:
            count += 1
            if count > most:
                return most, piece.start()
        script, leftward = new, now
    return count, len(text)
