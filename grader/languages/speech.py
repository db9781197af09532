"""What marking says to a student, in the language of the submission: words that were filled in are found again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from grader.core.course import Course
from grader.languages.catalogues import translations
from grader.languages.literals import is_grammar, split_placeholders
from grader.languages.messages import messages_of

#: Longer texts are no message of the course.
_LONGEST = 2_000


@dataclass(frozen=True)
class _Pattern:
    """A message with places where something was filled in, and its translation.

    Args:
        parts: The message in pieces, each with whether it is such a place.
        said: The translation in pieces.
    """

    parts: tuple[tuple[bool, str], ...]
    said: tuple[tuple[bool, str], ...]

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
        found = []
        for message in messages_of(self.course, self.assignment):
            printed = message.kind.endswith("in print()")
            if message.formatted and "{" in message.text and message.text in self.known and not printed:
                parts, said = split_placeholders(message.text), split_placeholders(self.known[message.text])
                found.append(_Pattern(tuple(parts), tuple(said)))
        return sorted(found, key=lambda p: -sum(len(text) for inside, text in p.parts if not inside))

    def __call__(self, text: str) -> str:
        """Return a text in the language; the text itself if it is none of the course's messages."""
        if text in self.known or len(text) > _LONGEST:
            return self.known.get(text, text)
        for pattern in self.patterns:
            values = pattern.filled(text)
            if values is not None:
                return "".join(self._word(part, values) if inside else _plain(part) for inside, part in pattern.said)
        return text

    def _word(self, place: str, values: list[tuple[str, str]]) -> str:
        value = next((value for name, value in values if name == place), "")
        return "" if is_grammar(place) else self.known.get(value, value)
