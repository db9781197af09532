"""What of a text a browser lays out piece by piece: turns to another script, letters of rarer ones, pictures.

Chromium 150 needs a twentieth of a second for 60,000 letters of one script, three seconds for as many that take turns
between Hebrew and Latin ones, six for one Arabic word, and thirteen for letters that take turns with emoji, or with
marks that make an emoji of a digit. Where anything runs to the left, it also looks for the partner of each bracket and
turns each line around. Some of this grows with the square of the length.

So the scripts that people mix count where they take turns, and each letter of another script counts. What may be a
picture counts many times. If anything runs to the left, each character counts once more.
"""

from __future__ import annotations

import re
import unicodedata

#: Characters of scripts that are laid out in one piece, and of signs that outputs are drawn with.
_SCRIPTS = {
    "latin": "0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u017f",
    "greek": "\u0370-\u03ff",
    "cyrillic": "\u0400-\u04ff",
    "han": "\u3000-\u3003\u3005\u3007-\u3011\u3014-\u301b\u4e00-\u9fa5"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff60",
    "kana": "\u3041-\u3096\u30a1-\u30fe",
    "hangul": "\uac00-\ud7a3",
    "sign": "\u2070-\u208e\u2190-\u2193\u2200-\u22ff\u2500-\u25a9",
}
#: Blanks, quotation marks, dashes and accents, which go with any script; none that is ever drawn as a picture.
_ANY = (
    "\u00a0-\u00a8\u00ab\u00ac\u00af-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u0300-\u034e\u0350-\u036f"
    "\u2002-\u200a\u2010-\u2027\u202f-\u203b\u203e-\u2048\u204a-\u205e\u20ac"
)
_PIECES = re.compile(
    "|".join(f"(?P<{script}>[{letters}]+)" for script, letters in _SCRIPTS.items())
    + rf"|[^\x00-\x7f{_ANY}{''.join(_SCRIPTS.values())}]"
)
#: What a sign counts that may be a picture: beside a letter it takes a browser as long as some thousand letters do.
_PICTURE = 20
#: Categories of such signs: symbols, what encloses a digit, and what has no name yet.
_PICTURES = frozenset({"So", "Sm", "Sk", "Me", "Co", "Cn"})
#: Marks that choose one of two forms of a sign, often a picture.
_CHOOSERS = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
#: What makes a browser look for what runs to the left: letters, Arabic numbers, marks, and what has no direction yet.
_LEFTWARD = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI", ""})


def _weight(letter: str) -> int:
    """Return what a letter or sign counts that is of none of the scripts above."""
    return _PICTURE if unicodedata.category(letter) in _PICTURES or _CHOOSERS.match(letter) else 1


def turns(text: str, most: int, leftward: bool = False) -> tuple[int, int]:
    """Return how often a text turns, and the length of its first part that does not do so more often than it may.

    Args:
        text: A text of a student's.
        most: As often as it may; what is behind that is not counted.
        leftward: Whether it stands in a box that runs to the left.
    """
    if text.isascii() and not leftward:
        return 0, len(text)
    script, count = "latin", 0
    for piece in _PIECES.finditer(text):
        new, start = piece.lastgroup or "", piece.start()
        if leftward and count + start > most:
            break
        to_the_left = leftward or (not new and unicodedata.bidirectional(piece[0]) in _LEFTWARD)
        more = _weight(piece[0]) if not new else int(new != script)
        if count + more + (start + 1 if to_the_left else 0) > most:
            return count + (start if leftward else 0), start
        script, count, leftward = new, count + more, to_the_left
    length = min(len(text), most - count) if leftward else len(text)
    return count + (length if leftward else 0), length
