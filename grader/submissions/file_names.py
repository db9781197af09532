"""Names of files that students chose: how they are shown in a sentence, and which of them are safe to open."""

from __future__ import annotations

import re
import unicodedata

from grader.core.escaping import DOUBLE_QUOTES, few_marks

#: A name that nobody takes for a sentence.
_ONE_WORD = re.compile(r"[\w.()/+~=@-]+", re.ASCII)


def printable(name: str) -> str:
    """Return a file's name in a form that can stand in a sentence."""
    shown = few_marks("".join(c if _harmless(c) else "?" for c in name), before=" ")
    return shown if len(shown) <= 80 else shown[:77] + "..."


def named(shown: str) -> str:
    """Return a file's name, as `printable` gives it, for a sentence of the grader's.

    What could be read as words stands in quotation marks, or a student could have the sentence say something else.
    """
    return shown if _ONE_WORD.fullmatch(shown) else quoted(shown)


def quoted(shown: str) -> str:
    """Return a text in quotation marks, in which nothing looks like their end.

    For what stands in brackets of the grader's, and for names in code: one word can spell a sentence there.
    """
    inner = shown.translate(dict.fromkeys(map(ord, DOUBLE_QUOTES), "'"))
    return f"\u201c{inner}\u201d"


def called(name: str) -> str:
    """Return a name that a student chose, of a file, a folder or a person, for a sentence of the grader's."""
    return named(printable(name))


def _harmless(char: str) -> bool:
    return unicodedata.category(char)[0] not in "C" and char not in "\u2028\u2029<>&\"'`|*"


def is_safe(name: str) -> bool:
    """Return whether a file of this name may be opened: nothing in it that a sentence or a command would not hold.

    `Ada's notebook` and `Q & A` are names that people write; a sentence shows them without those characters.
    """
    return (
        all(_harmless(c) or c in "'&" for c in name)
        and not name.startswith("-")
        and len(name) <= 200
        and name.strip() == name
    )
