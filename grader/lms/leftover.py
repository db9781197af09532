"""Words in a file's name that are neither the assignment nor a person: `Copy of 02_...`, `02_... copy 2`, `..._final`.

What Colab, a Mac, Windows and Jupyter add to the name of a copy stands right beside the name of the assignment. It says
nothing about who handed the file in, so it is taken out. Any other words between which the assignment's name stands may
be a person's name or a student's own remark. Taken for a name, a remark makes two people of one, so nobody guesses.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_BLANK = r"[\s_]"  # of which so many are looked at: names in archives can be of any length
_BLANKS, _ANY_BLANKS = _BLANK + "{1,3}", _BLANK + "{0,3}"
#: What the systems write before a name, in the languages that they speak here.
_BEFORE = r"(?:copy of|kopie von|copie de|c[oó]pia (?:de|di)|kopia)".replace(" ", _BLANKS)
#: And what they write after it.
_COPY = rf"(?:-{_ANY_BLANKS})?(?:copy|kopie|copie|copia|副本)(?:{_ANY_BLANKS}\d{{1,3}})?"
_AFTER = rf"{_ANY_BLANKS}(?:{_COPY}|的副本|のコピー)"
#: Words that nobody is called, before or after a name.
_REMARK = re.compile(
    rf"(?:^|[\W_])(?:{_BEFORE}|copy|kopie|final|finished|draft|version|resubmission|corrected|v\d{{1,2}}|副本)(?:$|[\W_\d])",
    re.IGNORECASE,
)
#: What browsers and systems put behind the ending of a file: another ending, a number, a word for a copy.
_BEHIND = re.compile(
    rf"(?:\.(?:ipynb|txt|json|zip|download)| ?\(\d{{1,4}}\)|[-_ ]\d{{1,3}}|{_AFTER}){{0,4}}[\W_]*", re.IGNORECASE
)
#: What separates the parts of a name.
_PARTS = re.compile(r"\s[-\u2013\u2014]\s")


def without_marks(stem: str, assignments: Sequence[str]) -> str:
    """Return a file's name without what a system writes beside the name of an assignment in a copy's name.

    Args:
        stem: The name without its ending and without a number at its end.
        assignments: Names of the course's assignments, longer ones first.
    """
    name = next((a for a in assignments if a in stem), None)
    if name is None:
        return stem
    before, _, after = stem.partition(name)
    before = re.sub(rf"(?:(?:^|(?<=[\s_\-])){_BEFORE}{_BLANKS})+$", "", before, flags=re.IGNORECASE)
    after = re.sub(rf"^(?:{_AFTER})+(?=$|[\s_\-])", "", after, flags=re.IGNORECASE)
    return before + name + after


def in_doubt(stem: str, assignments: Sequence[str]) -> bool:
    """Return whether a file's name may hold more than an assignment and a person's name.

    Args:
        stem: The name, as `without_marks` returns it.
        assignments: Names of the course's assignments, longer ones first.
    """
    name = next((a for a in assignments if a in stem), None)
    sides = [text for text in (stem.partition(name)[::2] if name else (stem,)) if re.search(r"[^\W_]", text)]
    return len(sides) > 1 or any(_REMARK.search(text) or (name and _PARTS.search(text.strip(" _-"))) for text in sides)


def more_behind(name: str) -> str:
    """Return what stands behind the first `.ipynb` of a file's name, if it is more than browsers and systems put there.

    A form writes the person's name behind that of the file, which the person chose: `Bob.ipynb - Eve.ipynb` is Eve's.
    """
    ending = re.search(r"\.ipynb", name, re.IGNORECASE)
    rest = name[ending.end() :] if ending else ""
    return "" if _BEHIND.fullmatch(rest) else rest
