"""What marking told of a submission, in the language of the submission: the sentences of its modules are found again.

A sentence is put together of the messages that `grader.languages.messages.SAYING` lists: one of them fills the place of
another, or stands behind it. All of it has to be found, or it stays English. What a student chose stands in quotation
marks or is one word, and no message is looked for in either.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cached_property

from grader.core.course import Course
from grader.core.escaping import MAX_SENTENCE
from grader.languages.catalogues import translations
from grader.languages.messages import Message, said_of_submissions
from grader.languages.patterns import CUT, Pattern, around, patterns_of
from grader.sandbox.inside import circumstances

#: How often a text is compared with all messages. A sentence of some parts takes ten; what holds much more is none.
_TRIES = 60
#: Names, numbers and shapes: what a place may hold that is not looked up.
_NO_WORDS = re.compile(r"[^ ]+(?:, [^ ]+)*")
#: Between two messages of equal weight; with what begins the second of two, or ends the first.
_AND, _BEGINS, _ENDS = " and ", (" (", "; "), ": "
#: A place for what the system or a library says, in its own language.
_OTHERS_SAY = re.compile(r"\bstrerror\b|^\{error\}$")
#: Fewer letters of its own do not tell a message from a name and any other text.
_FEWEST = 2
#: A blank beside Chinese or between it and a quotation, for which a private character stands.
_BETWEEN = re.compile("(?<=[\u3000-\uf8ff\uff00-\uffef]) (?=[\u3000-\uf8ff\uff00-\uffef])")
#: Where the kinds and shapes of an example are named, and what they never hold: texts, and so a student's words.
_OF_EXAMPLES, _TEXT = "sandbox/inside/shrink.py", re.compile("['\"]")
_SHAPES = re.compile(r"\([\d, ]*\)")


class Telling:
    """Says in another language what marking told.

    Args:
        course: The course, with its translations.
        language: The language.
    """

    def __init__(self, course: Course, language: str):
        self.course, self.language = course, language

    @cached_property
    def notes(self) -> _Known:
        """What is said of a submission."""
        return self._known(said_of_submissions(self.course))

    @cached_property
    def examples(self) -> _Known:
        """What is said of the values in an example."""
        return self._known([m for m in said_of_submissions(self.course) if m.place == _OF_EXAMPLES], values=True)

    @cached_property
    def stop(self) -> str:
        """What ends a sentence."""
        return translations(self.course, self.language, "feedback").get(".", ".")

    def _known(self, messages: list[Message], values: bool = False) -> _Known:
        return _Known(messages, translations(self.course, self.language, "feedback"), values)

    def __call__(self, text: str) -> str:
        """Return a sentence that marking wrote in the language; the text itself if it is none."""
        if len(text) > MAX_SENTENCE:
            return text
        cut = len(text) == MAX_SENTENCE and text.endswith(CUT)
        return around(text, lambda masked: _Search(self.notes, _TRIES).sentence(masked, cut)) or text

    def cause(self, text: str, finding: Callable[[str], str]) -> str:
        """Return in the language what a self-check found, and behind it where an answer goes wrong.

        Args:
            text: Both, or one of them.
            finding: Translates what the self-check found.
        """
        at = text.rfind(circumstances.COUNTED.partition("{")[0])
        if at < 0 or text.count("\u201c", 0, at) != text.count("\u201d", 0, at):  # a student's words
            return finding(text)
        found = text[:at].strip()
        bare = finding(found.removesuffix("."))  # which stands there only for the sake of what comes behind it
        said = finding(found) if bare == found.removesuffix(".") else bare + self.stop * found.endswith(".")
        return _BETWEEN.sub("", f"{said} {self(text[at:])}".strip())

    def value(self, text: str) -> str:
        """Return a value of an example with its kind and shape named in the language, line by line."""
        return "\n".join(self._line(line) for line in text.split("\n"))

    def _line(self, line: str) -> str:
        if len(line) > MAX_SENTENCE or _TEXT.search(line):
            return line
        return around(line, lambda masked: _Search(self.examples, _TRIES).sentence(masked), _SHAPES) or line


class _Known:
    """Messages and their translations: those with places, and the others.

    Args:
        messages: In English.
        known: Translation by message.
        values: Whether they tell of values alone, so that no word can be a name and a place may hold an array.
    """

    def __init__(self, messages: list[Message], known: dict[str, str], values: bool):
        self.values = values
        texts = {m.text: m.formatted for m in messages if m.text in known}
        self.said = {text: known[text] for text, formatted in texts.items() if not formatted}
        self.patterns = patterns_of(messages, known)


class _Search:
    """Finds the messages of one text.

    Args:
        known: All messages.
        tries: How often the text may be compared with them.
    """

    def __init__(self, known: _Known, tries: int):
        self.known, self.tries = known, tries

    def sentence(self, text: str, cut: bool = False) -> str:
        """Return a whole text in the language; an empty one if part of it is not known.

        Args:
            text: What was said.
            cut: Whether its end is missing.
        """
        said = self._phrase(text)
        if not said and cut:
            said = self._message(text.removesuffix(CUT), cut=True)
            said += CUT if said and text.endswith(CUT) else ""
        return said if self.known.values else _BETWEEN.sub("", said)

    def _phrase(self, text: str) -> str:
        """Return one message in the language, or several behind each other."""
        if said := self._message(text):
            return said
        for at in _places(text, _AND):
            first = self._message(text[:at])
            if first and (second := self._phrase(text[at + len(_AND) :])):
                return first + self.known.said.get(_AND, _AND) + second
        for at in sorted({at for begin in _BEGINS for at in _places(text, begin)}):
            second = self._message(text[at:])
            if second and (first := self._message(text[:at]) or _no_words(text[:at])):
                return first + second
        for at in _places(text, _ENDS):
            first = self._message(text[: at + len(_ENDS)])
            if first and (second := self._phrase(text[at + len(_ENDS) :])):
                return first + second
        return ""

    def _message(self, text: str, cut: bool = False) -> str:
        """Return what is one message, with whatever its places hold, in the language."""
        turned = text[:1].swapcase() + text[1:]  # at the beginning of a sentence, or no more there
        for form in (text, turned):
            self.tries -= 1
            if self.tries < 0:
                return ""
            if " " in form.strip() and form in self.known.said:
                return self.known.said[form]
            for pattern in self.known.patterns:
                values = pattern.filled(form, cut)
                if values is not None and (said := self._filled(pattern, values)):
                    return said
        return ""

    def _filled(self, pattern: Pattern, values: list[tuple[str, str]]) -> str:
        found: dict[str, str] = {}
        worded = [value for _, value in values if value and not _no_words(value)]
        if pattern.letters < _FEWEST and not self.known.values and len(worded) != 1:
            return ""  # a name in front of what marking said, or nothing of marking's
        for place, value in values:
            found[place] = self._word(place, value) if value else ""
            if value and not found[place]:
                return ""
        return pattern.said_with(values, lambda place, value: found[place])

    def _word(self, place: str, value: str) -> str:
        """Return what stands in a place; an empty text if it is words that are not known."""
        named = any(f"{mark}{value}{mark}" in place for mark in "'\"")
        if (named or self.known.values) and value in self.known.said:
            return self.known.said[value]
        if self.known.values and value.endswith("]"):
            return value
        return _no_words(value) or self._phrase(value) or (value if _OTHERS_SAY.search(place) else "")


def _places(text: str, join: str) -> list[int]:
    return [found.start() for found in re.finditer(re.escape(join), text) if 0 < found.start() < len(text) - len(join)]


def _no_words(text: str) -> str:
    """Return a text of names, numbers or shapes; an empty one if it is anything else."""
    return text if _NO_WORDS.fullmatch(text.strip()) else ""
