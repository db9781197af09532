"""What of a text a browser lays out piece by piece: turns to another script, letters of rarer ones, pictures.

A browser looks for a font anew wherever a text turns. 60,000 letters of English words take Chromium 150 a hundredth of
a second, as many that take turns with emoji, or with marks that make an emoji of a digit, ten and more. Signs that no
font has, or a row of shades of skin without anybody, take minutes, as some of this grows with the square of the length.
Where anything runs to the left, it also looks for the partner of each bracket and turns each line around.

So only what is listed here is cheap. Scripts that people mix count where they take turns, and those that another font
has, and signs that outputs are drawn with, behind two of three blanks too. A row of emoji counts once, if all in it are
whole emoji: as Unicode lists them, with a shade of skin where one belongs, flags of two letters, joined or not. Each
letter of another script counts by itself, and more behind one of a third. All else counts by itself as much as a row of
emoji. If anything runs to the left, each character counts once more.

A third of a millisecond goes to each line, and each part of one between tabs, in which a browser looks for another font
for something that it has not seen before or that no font has: ten times what a turn takes behind a blank. So the first
row there that may need one counts more: little if it is Chinese, Japanese or Korean, which people write in lists and
tables, and much if it is of a rarer script, a rarer sign, or a mark that fonts of Latin do not have. Accents, boxes,
arrows, operators, ticks, braille, Hebrew and Arabic are in the same fonts as Latin.

For each line a browser goes over all parts of a text that have a script or a font of their own. In a narrow box each
character may be a line of its own: there 19,000 letters in two fonts by turns took it two seconds, in a wide box a
hundredth of one. Which signs a font has depends on the machine, so each sign beyond a short list is a part of its own,
and so is each letter of Greek and Cyrillic that not all fonts of Latin have. Some have no Vietnamese.

`tests/browser/laying_out.py` times what is shown.
"""

from __future__ import annotations

import re
import unicodedata

#: Characters of scripts that are laid out in one piece, and of signs that outputs are drawn with. All have a name:
#: what has none is in no font, and a browser looks for one each time.
_SCRIPTS = {
    "latin": "0-9A-Za-z\u00aa\u00b5\u00ba\u00c0-\u017f",
    "greek": "\u0370-\u0377\u037a-\u037f\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03e1\u03f0-\u03ff",
    "cyrillic": "\u0400-\u04ff",
    "han": "\u3000-\u3003\u3005\u3007-\u3011\u3014-\u301b\u4e00-\u9fa5"
    "\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff60",
    "kana": "\u3041-\u3096\u30a1-\u30fe",
    "hangul": "\uac00-\ud7a3",
    "sign": "\u2070\u2071\u2074-\u208e\u2090-\u209c\u2100-\u218b\u2190-\u2426\u2440-\u244a\u2460-\u27ff"
    "\u2900-\u2b73\u2b76-\u2b95\u2b97-\u2bff\ufffc\ufffd",
    "braille": "\u2800-\u28ff",
}
#: Those that fonts of Latin seldom have: a browser looks for another one for each row of them, also behind a blank.
_BORROWED = frozenset({"han", "kana", "hangul", "sign", "braille"})
#: Signs that are drawn as pictures by themselves: `Emoji_Presentation` of emoji-data.txt, Unicode 14.0, without shades
#: of skin and the letters of flags.
_PICTURES = (
    "\u231a\u231b\u23e9-\u23ec\u23f0\u23f3\u25fd\u25fe\u2614\u2615\u2648-\u2653\u267f\u2693\u26a1\u26aa\u26ab"
    "\u26bd\u26be\u26c4\u26c5\u26ce\u26d4\u26ea\u26f2\u26f3\u26f5\u26fa\u26fd\u2705\u270a\u270b\u2728\u274c\u274e\u2753-\u2755"
    "\u2757\u2795-\u2797\u27b0\u27bf\u2b1b\u2b1c\u2b50\u2b55"
    "\U0001f004\U0001f0cf\U0001f18e\U0001f191-\U0001f19a\U0001f201\U0001f21a\U0001f22f\U0001f232-\U0001f236"
    "\U0001f238-\U0001f23a\U0001f250\U0001f251\U0001f300-\U0001f320\U0001f32d-\U0001f335\U0001f337-\U0001f37c"
    "\U0001f37e-\U0001f393\U0001f3a0-\U0001f3ca\U0001f3cf-\U0001f3d3\U0001f3e0-\U0001f3f0\U0001f3f4"
    "\U0001f3f8-\U0001f3fa\U0001f400-\U0001f43e\U0001f440\U0001f442-\U0001f4fc\U0001f4ff-\U0001f53d"
    "\U0001f54b-\U0001f54e\U0001f550-\U0001f567\U0001f57a\U0001f595\U0001f596\U0001f5a4\U0001f5fb-\U0001f64f"
    "\U0001f680-\U0001f6c5\U0001f6cc\U0001f6d0-\U0001f6d2\U0001f6d5-\U0001f6d7\U0001f6dd-\U0001f6df"
    "\U0001f6eb\U0001f6ec\U0001f6f4-\U0001f6fc\U0001f7e0-\U0001f7eb\U0001f7f0\U0001f90c-\U0001f93a"
    "\U0001f93c-\U0001f945\U0001f947-\U0001f9ff\U0001fa70-\U0001fa74\U0001fa78-\U0001fa7c\U0001fa80-\U0001fa86"
    "\U0001fa90-\U0001faac\U0001fab0-\U0001faba\U0001fac0-\U0001fac5\U0001fad0-\U0001fad9\U0001fae0-\U0001fae7"
    "\U0001faf0-\U0001faf6"
)
#: Those of them that take a shade of skin (`Emoji_Modifier_Base`), the shades, and letters that are a flag in twos.
_SKIN = (
    "\u270a\u270b\U0001f385\U0001f3c2-\U0001f3c4\U0001f3c7\U0001f3ca\U0001f442\U0001f443\U0001f446-\U0001f450"
    "\U0001f466-\U0001f478\U0001f47c\U0001f481-\U0001f483\U0001f485-\U0001f487\U0001f48f\U0001f491\U0001f4aa"
    "\U0001f57a\U0001f595\U0001f596\U0001f645-\U0001f647\U0001f64b-\U0001f64f\U0001f6a3\U0001f6b4-\U0001f6b6"
    "\U0001f6c0\U0001f6cc\U0001f90c\U0001f90f\U0001f918-\U0001f91f\U0001f926\U0001f930-\U0001f939"
    "\U0001f93c-\U0001f93e\U0001f977\U0001f9b5\U0001f9b6\U0001f9b8\U0001f9b9\U0001f9bb\U0001f9cd-\U0001f9cf"
    "\U0001f9d1-\U0001f9dd\U0001fac3-\U0001fac5\U0001faf0-\U0001faf6"
)
_SHADES, _FLAGS = "\U0001f3fb-\U0001f3ff", "\U0001f1e6-\U0001f1ff"
#: A picture, and what joins it to the next.
_ONE = f"(?:[{_SKIN}][{_SHADES}]|[{_PICTURES}]|[{_FLAGS}]{{2}})\u200d?"
#: Blanks, quotation marks, dashes and accents, which go with any script; none that is ever drawn as a picture, and none
#: of the marks of medieval and phonetic writing that fonts of Latin do not have.
_ANY = (
    "\u00a0-\u00a8\u00ab\u00ac\u00af-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u0300-\u034e\u035c-\u0362"
    "\u2002-\u200a\u2010-\u2027\u202f-\u203b\u203e-\u2048\u204a-\u205e\u20ac"
)
_PIECES = re.compile(
    f"(?P<picture>(?:{_ONE})+)|"
    + "|".join(f"(?P<{script}>(?:(?![{_PICTURES}])[{letters}])+)" for script, letters in _SCRIPTS.items())
    + rf"|[^\x00-\x7f{_ANY}{_PICTURES}{''.join(_SCRIPTS.values())}]"
)
#: What ends a line or goes to the next column.
_BREAK = re.compile("[\t\n\r]")
#: What the first row behind one counts more that needs another font: if there is one, in which a browser remembers what
#: it has seen, and if there may be none.
_FOUND, _MISSED = 1, 4
#: Signs that fonts of Latin seldom have, and letters of Latin, Hebrew and Arabic beyond the listed ones that they have.
_SELDOM = re.compile(
    "[\u214a-\u214f\u2186-\u2188\u218a\u218b\u2300-\u239a\u23af-\u2422\u2424-\u2426\u2440-\u244a\u269d-\u2700\u275f\u2760"
    "\u27c0-\u27e5\u27ea-\u27ff\u2900-\u2bff\ufffc]"
)
_COMMON = re.compile(
    "[\u0180-\u02af\u02b0-\u02b9\u02bb-\u02c1\u02c6-\u02c9\u02cc-\u02d3\u02d6-\u02de\u02e0-\u02e9\u02ee\u02f3"
    "\u05d0-\u05ea\u060c\u061f\u0621-\u063a\u0640-\u0655\u0660-\u0670\u0679-\u06bf\u06cc\u06f0-\u06f9"
    "\u1d2c-\u1d2e\u1d30-\u1d3c\u1d3e-\u1d5b\u1d62-\u1d65\u1e00-\u1efb]"
)
#: What a row of pictures counts, however long it is, and each sign that may be a picture in none: beside anything else
#: it takes a browser half a millisecond.
_PICTURE = 15
#: What a letter of none of these scripts counts more behind one of another such script: a browser looks for a font for
#: both.
_STRANGER = 3
#: Categories of the letters, marks, numbers and signs of such scripts; what has no name yet is in none of them.
_PLAIN = re.compile("[LNPZ]|M[nc]|S[ckm]|C[cf]")
#: What is no letter all the same: marks that choose one of two forms of a sign, what joins pictures, and their blocks.
_ODD = re.compile("[\u180b-\u180f\u200d\ufe00-\ufe0f\U0001f000-\U0001ffff\U000e0000-\U000e0fff]")
#: Blocks of scripts that run to the left, in which what has no name yet does so too.
_BLOCKS = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]")
#: What makes a browser look for what runs to the left: letters, Arabic numbers, and marks.
_LEFTWARD = frozenset({"R", "AL", "AN", "RLE", "RLO", "RLI", "LRE", "LRO", "LRI", "FSI", "PDF", "PDI"})
#: Parts of a text times its lines that take a browser as long as one turn.
_GONE_OVER = 6_000
#: What is surely in every font of Latin: letters, quotation marks, dashes, bullet, ellipsis.
_BEYOND = re.compile("[^\x00-\x7f\u00a0-\u017f\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac]")
_VIETNAMESE = re.compile("[\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9]")
#: What goes with the script before it. Of Greek and Cyrillic, fonts of Latin have these letters too: there it begins no
#: part.
_BETWEEN = re.compile("[^A-Za-z\u00aa\u00b5\u00ba\u00c0-\u024f\u1e00-\u1eff]*")
_WITH_LATIN = re.compile("[\u0384-\u038a\u038c\u038e-\u03a1\u03a3-\u03ce\u0400-\u045f\u0490\u0491]")


def gone_over(text: str, lines: int) -> int:
    """Return as how many turns it counts that a browser goes over all parts of a text for each of its lines.

    Args:
        text: What stands between two tags: a browser does not go beyond them.
        lines: How many lines it may have.
    """
    before, parts, end = "", 1, 0
    for letter in () if text.isascii() else _BEYOND.finditer(text):
        script = _part(letter[0])
        latin_between = letter.start() > end
        if latin_between and script == before and _WITH_LATIN.match(letter[0]):
            latin_between = _BETWEEN.fullmatch(text, end, letter.start()) is None
        parts += latin_between + (latin_between or script != before)
        before, end = script, letter.end()
    return parts * lines // _GONE_OVER if parts > 1 else 0


def _part(letter: str) -> str:
    """Return what stands for the script of a letter; a sign, or a mark, may have a font of its own and is its own."""
    found = _PIECES.match(letter)
    if found is None or found.lastgroup in ("sign", "picture"):
        return letter
    if found.lastgroup in ("greek", "cyrillic"):
        return found.lastgroup if _WITH_LATIN.match(letter) else letter
    if _VIETNAMESE.match(letter):
        return "vietnamese"
    if found.lastgroup == "kana":
        return "han"  # a font that has the one has the other
    return found.lastgroup or _script(letter) or letter


def _weight(letter: str) -> int:
    """Return what a letter or sign counts that is of none of the scripts above."""
    return 1 if _PLAIN.match(unicodedata.category(letter)) and not _ODD.match(letter) else _PICTURE


def _script(letter: str) -> str:
    """Return what stands for the script of such a letter, in capitals; nothing for what goes with the letter before it.

    It is the first word of the letter's name, but for scripts of dead languages and Tai ones, which share theirs.
    """
    name = unicodedata.name(letter, "")
    if unicodedata.category(letter) == "Cf" or name.startswith("COMBINING "):
        return ""
    if name.startswith("MATHEMATICAL ") or (letter < "\U00010000" and not name.startswith("TAI ")):
        return re.split("[ -]", name)[0]
    return f"U+{ord(letter) // 128:X}"


def _beginning(script: str, row: str) -> int:
    """Return what a row counts more if no other font was looked for before it in its line and column.

    Args:
        script: Its script; empty if that is none of those above.
        row: Its text.
    """
    if script in ("han", "kana", "hangul"):
        return _FOUND
    if script == "sign":
        return _MISSED if _SELDOM.search(row) else 0
    # What counts as much as a row of pictures has that in it.
    return _MISSED if not script and not _COMMON.match(row) and _weight(row) < _PICTURE else 0


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
    script, count, rows, looked = "latin", 0, 0, 0
    for piece in _PIECES.finditer(text):
        new, start = piece.lastgroup or "", piece.start()
        if leftward and count + start > most:
            break
        to_the_left = leftward or (not new and _runs_to_the_left(piece[0]))
        beginning = _beginning(new, piece[0])
        if not new:
            more = _weight(piece[0])
            new = _script(piece[0]) or script if more == 1 else "odd"
            more += _STRANGER if new.isupper() and script.isupper() and new != script else 0
        elif new == script and new in _BORROWED:
            rows += 1
            more = int(rows % 3 > 0)
        else:
            more = _PICTURE if new == "picture" else int(new != script)
        if beginning:
            more += beginning if _BREAK.search(text, looked, start) else 0
            looked = start
        if count + more + (start + 1 if to_the_left else 0) > most:
            return count + (start if leftward else 0), start
        script, count, leftward = new, count + more, to_the_left
    length = min(len(text), most - count) if leftward else len(text)
    return count + (length if leftward else 0), length
