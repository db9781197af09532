"""What people are called: which names may be one person's, and which id is made of a name."""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections import Counter
from typing import NamedTuple

from grader.submissions.folder_names import small_letters
from grader.submissions.listing import may_be_id

#: Windows takes a folder of such a name for a device.
_DEVICES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10))}

#: Words of a name that are compared; nobody's name has more.
_MOST_WORDS = 12
#: So many names are read once: everybody's is compared with everybody's.
_MOST_NAMES = 4096
#: Letters that people write as two where a keyboard lacks them (`Mueller`), and these two.
_WRITTEN_OUT, _TWO = frozenset("äöüøåæœ"), re.compile("[aou]e|aa")

_NOT_IN_FOLDERS = re.compile(r"[\x00-\x1f\x7f-\x9f&<>\"`|':\\/]")


def in_letters(name: str) -> str:
    """Return a name as it is, but with its accents in one form, so that a Mac's way to write it is the same."""
    return unicodedata.normalize("NFC", name)


def in_words(name: str) -> str:
    """Return a name whose blanks say nothing but where a word ends.

    Two names of one such form may be one person's. Whether they are is nothing that the form can tell.
    """
    return " ".join(in_letters(name).split())


def in_folders(name: str) -> str:
    """Return a name as Moodle writes it into the names of folders, in which some characters are left out.

    That is what `clean_param` with `PARAM_FILE` does; a `_` becomes a blank. *Ada O'Brien* is *Ada OBrien* there.
    """
    return in_words(_NOT_IN_FOLDERS.sub("", name.replace("_", " ")))


def same_name(one: str, other: str) -> bool:
    """Return whether two systems may write one name so: `Lovelace, Ada`, `Ada Lovelace`, `lovelaceada`."""
    return bool(_orders(one) & _orders(other))


def may_be_one(one: str, other: str) -> bool:
    """Return whether two names may be one person's: both the same, or one with further names, as `Ada` and `Ada L`."""
    words, others = ({folded(w) for w in re.split(r"[\s,\-]+", name)} - {""} for name in (one, other))
    return same_name(one, other) or bool(words and others and (words <= others or others <= words))


def may_be_meant(name: str, known: str) -> bool:
    """Return whether somebody who wrote a name by hand may have meant a person who is known by another one.

    They may where the two differ in capitals, accents, blanks, signs or the order of words, or where one is all of the
    other and has further words or a number: `ada lovelace`, `Lovelace, Ada`, `AdaLovelace (late)`, `Ada Lovelace 2`. A
    name may be begun only (`A. Lovelace`, `A. Lovelace 2`), and a letter be written as two (`Mueller` for *Müller*).
    """
    one, other = _read(name), _read(known)
    if _meet(one, other):
        return True
    return (one.written_out or other.written_out) and _meet(_read(name, True), _read(known, True))


def may_be_meant_in_one(name: str, known: str) -> bool:
    """Return whether somebody may have meant a person of whom a system tells the name in one word, as Canvas does.

    Where its words end is not known. So whoever is meant by `Lovelace, Ada` may be meant for `lovelaceada`, and by
    words of which it is made beside others (`Ada M Lovelace`), or which are its beginning or its end (`A. Lovelace`,
    `Ada L`, `Lovelace`). It has to go on, or begin, with a letter that is written in place of a word. A word may be all
    of it that begins elsewhere (`AdaLovelace`).

    Args:
        name: What somebody wrote by hand.
        known: The name in one word, of which the first may be the family's.
    """
    ways = (False, True) if _read(name).written_out or _read(known).written_out else (False,)
    return may_be_meant(name, known) or any(
        _spell("".join(_as(known, short)), _in_pieces(name, short)) for short in ways
    )


class _Read(NamedTuple):
    """A name: whether a letter of it may be written as two, its words, these as one, and all that is side by side.

    If a letter is in place of a word and there is a number as well, `begun` has the words without numbers.
    """

    written_out: bool
    words: tuple[str, ...]
    begun: tuple[str, ...]
    as_one: frozenset[str]
    parts: frozenset[str]


class _Pieces(NamedTuple):
    """Of which texts a name in one word may be made, and with which it may begin or end beside letters."""

    whole: frozenset[str]
    ends: frozenset[str]
    letters: tuple[str, ...]


@functools.lru_cache(maxsize=_MOST_NAMES)
def _read(name: str, short: bool = False) -> _Read:
    words = _as(name, short)
    named = tuple(word for word in words if _kind(word[0]) != "N")
    begun = named if len(named) < len(words) and any(len(word) == 1 for word in named) else ()
    return _Read(not _WRITTEN_OUT.isdisjoint(in_letters(name).lower()), words, begun, _as_one(words), _parts(words))


def _as(name: str, short: bool) -> tuple[str, ...]:
    return _in_short(_words(name)) if short else _words(name)


def _meet(one: _Read, other: _Read) -> bool:
    if not (one.as_one.isdisjoint(other.parts) and other.as_one.isdisjoint(one.parts)):
        return True
    if _is_within(one.words, other.words) or _is_within(other.words, one.words):
        return True
    # Two numbers are two people, as of teams.
    return (
        bool(one.begun)
        and not any(_kind(word[0]) == "N" for word in other.words)
        and _is_within(one.begun, other.words)
    )


@functools.lru_cache(maxsize=_MOST_NAMES)
def _in_pieces(name: str, short: bool) -> _Pieces:
    words = _as(re.sub("['\u2019`]", "", name), short)  # no sign is in a name in one word, nor where it was
    named = [word for word in words if _kind(word[0]) != "N"]
    full, letters = (tuple(word for word in named if (len(word) > 1) is long) for long in (True, False))
    around = frozenset(
        "".join((full[n:] + full[:n])[:end]) for n in range(len(full)) for end in range(1, len(full) + 1)
    )
    return _Pieces(around, _as_one(full) if letters or len(named) == len(words) else frozenset(), letters)


def _spell(known: str, pieces: _Pieces) -> bool:
    """Return whether a name in one word is made of some words, or begins or ends with them and goes on as they do.

    A word that holds several, as the name itself does, may have them in another order, wherever the one ends.
    """
    if any(len(whole) == len(known) and whole in known + known for whole in pieces.whole):
        return True
    rests = [known.removeprefix(end) for end in pieces.ends if known.startswith(end)]
    rests += [known.removesuffix(end) for end in pieces.ends if known.endswith(end)]
    letters = Counter(pieces.letters)
    return any(not letters or (rest[:1] in letters and letters <= Counter(rest)) for rest in rests)


def _is_within(few: tuple[str, ...], many: tuple[str, ...]) -> bool:
    """Return whether each of some words is one of the others, or the first letter of one, and not all are letters."""
    if any(len(word) > 1 and word not in many for word in few):  # which costs less than counting
        return False
    same = Counter(few) & Counter(many)
    left, others = list((Counter(few) - same).elements()), list((Counter(many) - same).elements())
    for letter in left:
        begun = [word for word in others if len(letter) == 1 and letter.isalpha() and word.startswith(letter)]
        if not begun:
            return False
        others.remove(begun[0])
    return bool(same)


@functools.lru_cache(maxsize=_MOST_NAMES)
def _words(name: str) -> tuple[str, ...]:
    """Return the words and numbers of a name in the order they have; a number may stand right behind a word."""
    text = small_letters(unicodedata.normalize("NFKC", name)).casefold()
    parts = ((kind, "".join(part)) for kind, part in itertools.groupby(text, _kind))
    return tuple(part for kind, part in parts if kind)[:_MOST_WORDS]


def _kind(character: str) -> str:
    """Return whether a character is of a word, with its vowels where these are marks, or of a number, or of neither."""
    category = unicodedata.category(character)[0]
    return {"L": "L", "M": "L", "N": "N"}.get(category, "")


def _in_short(words: tuple[str, ...]) -> tuple[str, ...]:
    """Return words with one letter for two that may stand for it."""
    return tuple(_TWO.sub(lambda two: two[0][0], word) for word in words)


def _as_one(words: tuple[str, ...]) -> frozenset[str]:
    """Return words written as one, as Canvas does, begun at any of them."""
    return frozenset("".join(words[n:] + words[:n]) for n in range(len(words)))


def _parts(words: tuple[str, ...]) -> frozenset[str]:
    """Return all that stands side by side among words, written as one."""
    ends = range(1, len(words) + 1)
    return frozenset(one for end in ends for n in range(end) for one in _as_one(words[n:end]))


def _orders(name: str) -> set[str]:
    """Return a name's letters and digits, its words in the order they have or begun at any other word."""
    words = [folded(word) for word in re.split(r"[\s,]+", name)]
    return {"".join(words[n:] + words[:n]) for n in range(min(len(words), 20))}


def folded(name: str) -> str:
    """Return the letters and digits of a name without the difference of case and of their forms in Unicode."""
    return "".join(c for c in unicodedata.normalize("NFKC", name).casefold() if c.isalnum())


def student_id(name: str, taken: set[str], extra: str = "") -> str:
    """Return an id, made of a name, that nbgrader and every file system accept.

    Args:
        name: A person's name.
        taken: Ids that other people have.
        extra: What is put behind it if it is taken; else a number.

    Returns:
        Small letters without accents where there is such a form, digits and `_`; at most 60 characters.
    """
    base = id_form(name)
    known = {t.lower() for t in taken}
    extra = re.sub(r"\W+", "", extra)[:20]
    chosen = base if base not in known else f"{base}_{extra}" if extra else f"{base}_2"
    number = 2
    while chosen in known:
        number += 1
        chosen = f"{base}_{number}"
    if not may_be_id(chosen):
        raise ValueError(f"{chosen!r} made of {name!r}")
    return chosen


def id_form(name: str) -> str:
    """Return the id that is made of a name if nobody has it yet."""
    letters = re.sub(r"\W+", "_", small_letters(name)).strip("_")[:60]
    base = letters.encode()[:100].decode(errors="ignore").strip("_") or "student"  # a letter may be four bytes
    return f"{base}_" if base in _DEVICES else base


def is_id(name: str) -> bool:
    """Return whether a name can be an id as it stands, on every file system."""
    return may_be_id(name) and not name.endswith(".") and name.split(".")[0].lower() not in _DEVICES
