"""Messages with places where something was filled in: found again in what was said, and said in another language."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass

from grader.languages.literals import choices, is_grammar, split_placeholders
from grader.languages.messages import Message

#: Between the names of places that stand side by side.
_BESIDE = "\0"
#: What is quoted of a student, and what stands for it meanwhile: characters that no printable text has.
QUOTATIONS = re.compile("\u201c[^\u201d]*(?:\u201d|$)")
_FIRST, _STANDING_IN = 0xE000, re.compile("[\ue000-\uf8ff]")
#: How a sentence ends that had to be cut.
CUT = " ..."


@dataclass(frozen=True)
class Pattern:
    """A message with places where something was filled in, and its translation.

    Args:
        parts: The message in pieces, each with whether it is such a place.
        said: The translation in pieces.
    """

    parts: tuple[tuple[bool, str], ...]
    said: tuple[tuple[bool, str], ...]

    @property
    def letters(self) -> int:
        """How many letters it has besides what is filled in."""
        return sum(c.isalpha() for inside, text in self.parts if not inside for c in text)

    def filled(self, text: str, cut: bool = False) -> list[tuple[str, str]] | None:
        """Return what a text has in each place; None if it is not this message.

        Args:
            text: What was said.
            cut: Whether its end may be missing: then it may end in any place behind the first words.
        """
        found: list[tuple[str, str]] = []
        at, place, met = 0, "", False
        for number, (inside, part) in enumerate(self.parts):
            if inside:
                if (True, part) not in self.said and not _bends(part):
                    return None  # where it goes is not known
                place = part
                continue
            words = plain(part)
            last = number == len(self.parts) - 1
            chosen = [len(one) for one in _choices(place) if text.startswith(one + words, at)] if place else []
            start = text.rfind(words) if last and place else text.find(words, at)
            start = at + max(chosen) if chosen else start
            if cut and met and place and start < at:
                break
            if start < at or (not place and start != at):
                return None
            found += [(place, text[at:start])] if place else []
            at, place, met = start + len(words), "", True
        found += [(place, text[at:])] if place else []
        bent = all((True, part) in self.said or " " not in value for part, value in found)
        return found if bent and (place or at == len(text)) else None

    def said_with(self, values: list[tuple[str, str]], word: Callable[[str, str], str]) -> str:
        """Return the translation with what a text had in each place.

        Args:
            values: From `filled`.
            word: Translates what stands in a place, which is its first argument.
        """
        said = ""
        for inside, part in self.said:
            value = next((value for name, value in values if name == part), "") if inside else ""
            said += plain(part) if not inside else "" if _bends(part) or not value else word(part, value)
        return said


def plain(part: str) -> str:
    """Return the text of a piece of a message, whose braces are doubled."""
    return part.replace("{{", "{").replace("}}", "}")


def patterns_of(messages: list[Message], known: dict[str, str]) -> list[Pattern]:
    """Return the messages with places, those with most words of their own first; what is only printed is none."""
    found = []
    for message in messages:
        printed = message.kind.endswith("in print()")
        if message.formatted and "{" in message.text and message.text in known and not printed:
            parts, said = (_side_by_side(split_placeholders(text)) for text in (message.text, known[message.text]))
            found.append(Pattern(tuple(parts), tuple(said)))
    return sorted(found, key=lambda p: -sum(len(text) for inside, text in p.parts if not inside))


def around(text: str, translate: Callable[[str], str], kept: re.Pattern[str] = QUOTATIONS) -> str:
    """Return a text translated but for what is kept: quotations are a student's words, and no sentence of ours.

    Args:
        text: What was said.
        translate: Gets the text with a character in the place of each piece that is kept; may return an empty text.
        kept: What those pieces are.
    """
    if _STANDING_IN.search(text):
        return ""
    quoted = kept.findall(text)
    numbers = iter(range(_FIRST, _FIRST + len(quoted)))
    said = translate(kept.sub(lambda match: chr(next(numbers)), text))
    return _STANDING_IN.sub(lambda match: quoted[ord(match[0]) - _FIRST], said)


@functools.cache
def _choices(place: str) -> tuple[str, ...]:
    """Return the texts of which a place holds one, if it does."""
    return choices(place) if _BESIDE not in place else ()


@functools.cache
def _bends(place: str) -> bool:
    """Return whether a place only bends an English word."""
    return _BESIDE not in place and is_grammar(place)


def _side_by_side(parts: list[tuple[bool, str]]) -> list[tuple[bool, str]]:
    """Return a message's parts with places that nothing stands between as one: what fills them cannot be told apart."""
    found: list[tuple[bool, str]] = []
    for inside, part in parts:
        if inside and found and found[-1][0]:
            found[-1] = (True, found[-1][1] + _BESIDE + part)
        else:
            found.append((inside, part))
    return found
