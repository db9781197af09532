"""What marking says to a student, in the language of the submission: words that were filled in are found again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.languages.catalogues import translations
from grader.languages.literals import is_grammar, split_placeholders
from grader.languages.messages import messages_of

#: Longer texts are no message of the course.
_LONGEST = 2_000
#: Parts of the names of helpers that say what a self-check found.
_CHECKING = ("check", "slips", "observed", "relations", "explained")
#: How they put one thing after another, the longest first.
_JOINS = (". Hint: ", "; or ", ". ", " ")
#: How often one text is compared with them: part of it may be a student's, made to be cut in ever more ways.
_TRIES = 150
#: Fewer letters of its own do not tell a self-check's message from any other text.
_LETTERS = 5


@dataclass(frozen=True)
class _Pattern:
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

    def filled(self, text: str) -> list[tuple[str, str]] | None:
        """Return what a text has in each place; None if it is not this message."""
        found: list[tuple[str, str]] = []
        at, place = 0, ""
        for number, (inside, part) in enumerate(self.parts):
            if inside:
                if place:  # two places side by side cannot be told apart
                    return None
                place = part
                continue
            words = _plain(part)
            last = number == len(self.parts) - 1
            start = text.rfind(words) if last and place else text.find(words, at)
            if start < at or (not place and start != at):
                return None
            found += [(place, text[at:start])] if place else []
            at, place = start + len(words), ""
        found += [(place, text[at:])] if place else []
        return found if place or at == len(text) else None


def _plain(part: str) -> str:
    return part.replace("{{", "{").replace("}}", "}")


class Speech:
    """Says in another language what is said about a submission.

    Args:
        course: The course, with its translations.
        assignment: The assignment.
        language: The language.
    """

    def __init__(self, course: Course, assignment: str, language: str):
        self.course, self.assignment, self.language = course, assignment, language
        self.names = (assignment, "frame", "feedback")
        self.tries = 0

    @cached_property
    def known(self) -> dict[str, str]:
        """Translation by message."""
        found: dict[str, str] = {}
        for name in self.names:
            found |= translations(self.course, self.language, name)
        return found

    @cached_property
    def patterns(self) -> list[_Pattern]:
        """The messages of tests with places, those with most words of their own first.

        What a notebook prints is none of them, nor are the page's own words: `{score} of {points}` is like any sentence
        that has an "of", and the page says it before it fills it in.
        """
        return _patterns(self.course, [self.assignment], self.known)

    @cached_property
    def checking(self) -> tuple[dict[str, str], list[_Pattern]]:
        """What the self-checks of the assignment say, as `known` and `patterns`."""
        names = []
        if self.assignment in self.course.assignments():
            cells = read_notebook(self.course.source(self.assignment)).cells
            stems = [Path(cell.metadata.get("course", {}).get("include", "")).stem for cell in cells]
            names = [f"helpers/{stem}" for stem in stems if any(part in stem for part in _CHECKING)]
        known: dict[str, str] = {}
        for name in names:
            known |= translations(self.course, self.language, name)
        return known, [p for p in _patterns(self.course, names, known) if p.letters >= _LETTERS]

    def __call__(self, text: str) -> str:
        """Return a text in the language; the text itself if it is none of the course's messages."""
        if text in self.known or len(text) > _LONGEST:
            return self.known.get(text, text)
        self.tries = _TRIES
        for pattern in self.patterns:
            values = pattern.filled(text)
            if values is not None:
                return self._said(pattern, values)
        return self._found(text) or text

    def _found(self, text: str) -> str:
        """Return in the language what a self-check found, as a whole or not at all: a message, or several in a row."""
        known, _ = self.checking
        for join in _JOINS:
            for at in _places(text, join) if self.tries > 0 and text not in known else ():
                said = self._found_alone(text[:at])
                after = self._found(text[at + len(join) :]) if said else ""
                if after:
                    return f"{said}{known.get(join, join.rstrip(' '))}{after}"
        return self._found_alone(text)

    def _found_alone(self, text: str) -> str:
        known, patterns = self.checking
        self.tries -= 1
        if text in known or self.tries < 0:
            return known.get(text, "")
        for pattern in patterns:
            values = pattern.filled(text)
            if values is not None and not any(_JOINS[0] in value for _, value in values):
                return self._said(pattern, values)
        return ""

    def _said(self, pattern: _Pattern, values: list[tuple[str, str]]) -> str:
        return "".join(self._word(part, values) if inside else _plain(part) for inside, part in pattern.said)

    def _word(self, place: str, values: list[tuple[str, str]]) -> str:
        value = next((value for name, value in values if name == place), "")
        if is_grammar(place) or not value:
            return ""
        # What stands in the last place may have lost the full stop that is its own.
        said = self.known.get(value) or self._found(value.strip()) or self._found(f"{value.strip()}.").rstrip("。.")
        return said or value


def _places(text: str, join: str) -> list[int]:
    """Return where one message may end; before a blank only what ends as a sentence does."""
    found = [at for at in range(1, len(text) - len(join)) if text.startswith(join, at)]
    return [at for at in found if join.strip() or text[at - 1] in ".?"]


def _patterns(course: Course, names: list[str], known: dict[str, str]) -> list[_Pattern]:
    found = []
    for message in (message for name in names for message in messages_of(course, name)):
        printed = message.kind.endswith("in print()")
        if message.formatted and "{" in message.text and message.text in known and not printed:
            parts, said = split_placeholders(message.text), split_placeholders(known[message.text])
            found.append(_Pattern(tuple(parts), tuple(said)))
    return sorted(found, key=lambda p: -sum(len(text) for inside, text in p.parts if not inside))
