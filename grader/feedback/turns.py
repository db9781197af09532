"""What of a text a browser lays out piece by piece: turns to another script, letters of rarer ones, pictures.

Chromium 150 needs a twentieth of a second for 60,000 letters of one script, three seconds for as many that take turns
between Hebrew and Latin ones, six for one Arabic word, and thirteen for letters that take turns with emoji, or with
marks that make an emoji of a digit. Where anything runs to the left, it also looks for the partner of each bracket and
turns each line around. Some of this grows with the square of the length.

So the scripts that people mix count where they take turns, and so do signs that are no pictures; each letter of another
script counts. A row of pictures counts many times, as the browser begins anew before it and behind it. If anything runs
to the left, each character counts once more.
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
    "sign": "\u2070-\u209f\u2100-\u218f\u2190-\u244a\u2460-\u2bff\ufffc\ufffd",
}
#: Signs that are drawn as pictures by themselves (Unicode's property `Emoji_Presentation`; above U+1F000 all of these
#: blocks), and what joins them or makes pictures of others.
_PICTURES = (
    "\u200d\u20e3\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab"
    "\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755"
    "\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55\U0001f000-\U0001faff"
)
#: Blanks, quotation marks, dashes and accents, which go with any script; none that is ever drawn as a picture.
_ANY = (
    "\u00a0-\u00a8\u00ab\u00ac\u00af-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u0300-\u034e\u0350-\u036f"
    "\u2002-\u200a\u2010-\u2027\u202f-\u203b\u203e-\u2048\u204a-\u205e\u20ac"
)
_PIECES = re.compile(
    f"(?P<picture>[{_PICTURES}]+)|"
    + "|".join(f"(?P<{script}>(?:(?![{_PICTURES}])[{letters}])+)" for script, letters in _SCRIPTS.items())
    + rf"|[^\x00-\x7f{_ANY}{_PICTURES}{''.join(_SCRIPTS.values())}]"
)
#: What a row of pictures counts: beside a letter or a blank it takes a browser half a millisecond, however long it is.
_PICTURE = 15
#: Categories of other signs that may take as long: symbols, what encloses a digit, and what has no name yet.
_ODD = frozenset({"So", "Me", "Co", "Cn"})
#: Marks that choose one of two forms of a sign.
_CHOOSERS = re.compile("[\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]")
#: Blocks of scripts that run to the left, in which what has no name yet does so too.
_BLOCKS = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
#: What makes a browser look for what runs to the left: letters, Arabic numbers, and marks.
_LEFTWARD = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"})


def _weight(letter: str) -> int:
    """Return what a letter or sign counts that is of none of the scripts above."""
    return _PICTURE if unicodedata.category(letter) in _ODD or _CHOOSERS.match(letter) else 1


def _runs_to_the_left(letter: str) -> bool:
    way = unicodedata.bidirectional(letter)
    return way in _LEFTWARD if way else _BLOCKS.match(letter) is not None


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
        to_the_left = leftward or (not new and _runs_to_the_left(piece[0]))
        more = _weight(piece[0]) if not new else _PICTURE if new == "picture" else int(new != script)
        if count + more + (start + 1 if to_the_left else 0) > most:
            return count + (start if leftward else 0), start
        script, count, leftward = new, count + more, to_the_left
    length = min(len(text), most - count) if leftward else len(text)
    return count + (length if leftward else 0), length
