"""What marking says to a student, in the language of the submission: words that were filled in are found again.

Only what the course said is looked up, and only where the course can have said it: a test's message among those of the
assertion that failed, a self-check's finding without what it quotes. Were the student's words looked up too, a page
would tell which guesses stand in a hidden test, and could be made to say what the course does not.
"""

from __future__ import annotations

import ast
from functools import cached_property
from pathlib import Path

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.languages.catalogues import translations
from grader.languages.code import pieces_of
from grader.languages.messages import CODE_STUB, MISTAKES, STEPS_SAY, Message, messages_of, notebook_rules
from grader.languages.patterns import Pattern, around, patterns_of

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
#: These are enough beside nothing but names, as in "softmax runs".
_FEWEST = 4
#: Where the message of an assertion stands.
_ASSERTED = ("message of a test", "string, in AssertionError()")
#: Reasons that no assertion gives: every release or page may say them.
_COMMON = (*STEPS_SAY, CODE_STUB[1])


class Speech:
    """Says in another language what is said about a submission.

    Args:
        course: The course, with its translations.
        assignment: The assignment.
        language: The language.
    """

    def __init__(self, course: Course, assignment: str, language: str):
        self.course, self.assignment, self.language = course, assignment, language
        self.names = (assignment, f"{MISTAKES}{assignment}", "frame", "feedback")
        self.tries = 0

    @cached_property
    def known(self) -> dict[str, str]:
        """Translation by message."""
        found: dict[str, str] = {}
        for name in self.names:
            found |= translations(self.course, self.language, name)
        return found

    @cached_property
    def asserted(self) -> dict[str, list[tuple[range, list[Message]]]]:
        """The assertions of each test, as their lines and the messages that they may give."""
        if self.assignment not in self.course.assignments():
            return {}
        nb = read_notebook(self.course.source(self.assignment))
        rules = notebook_rules(self.course, self.assignment, nb)
        found = {}
        for cell in (cell for cell in nb.cells if kind_of(cell) is CellKind.TEST):
            pieces = [piece for piece in pieces_of(cell.source, rules) if piece.kind in _ASSERTED]
            places = [(cell.source.count("\n", 0, piece.start) + 1, piece) for piece in pieces]
            nodes = [n for n in ast.walk(ast.parse(cell.source)) if isinstance(n, ast.Assert | ast.Raise)]
            statements = [range(n.lineno, (n.end_lineno or n.lineno) + 1) for n in nodes]
            found[grade_id(cell) or ""] = [
                (lines, [Message(p.messages[0], p.kind, "", p.formatted) for at, p in places if at in lines])
                for lines in statements
            ]
        return found

    @cached_property
    def checking(self) -> tuple[dict[str, str], list[Pattern]]:
        """What the self-checks of the assignment say: texts, and those with places."""
        names = []
        if self.assignment in self.course.assignments():
            cells = read_notebook(self.course.source(self.assignment)).cells
            stems = [Path(cell.metadata.get("course", {}).get("include", "")).stem for cell in cells]
            names = [f"helpers/{stem}" for stem in stems if any(part in stem for part in _CHECKING)]
        known: dict[str, str] = {}
        for name in names:
            known |= translations(self.course, self.language, name)
        messages = [message for name in names for message in messages_of(self.course, name)]
        return known, [p for p in patterns_of(messages, known) if p.letters >= _FEWEST]

    def __call__(self, text: str) -> str:
        """Return words of the course's own, with nothing filled in, in the language."""
        return self.known.get(text, text)

    def reason(self, test: str, line: int | None, text: str) -> str:
        """Return in the language why a test failed; the text itself if it is not the test's.

        Args:
            test: Its `grade_id`.
            line: The line of its assertion that says this; None if no assertion does, but maybe the student.
            text: The reason.
        """
        if text in _COMMON:
            return self(text)
        messages = [m for lines, found in self.asserted.get(test, ()) if line in lines for m in found]
        if text in (m.text for m in messages if not m.formatted):
            return self(text)
        for pattern in patterns_of(messages, self.known) if len(text) <= _LONGEST else ():
            values = pattern.filled(text)
            if values is not None:
                return pattern.said_with(values, self._asserted_word)
        return text

    def finding(self, text: str) -> str:
        """Return in the language what a self-check found; what it quotes of the student stays as it is."""
        if text in _COMMON or len(text) > _LONGEST:
            return self(text)
        self.tries = _TRIES
        return around(text, self._found) or text

    def _found(self, text: str) -> str:
        """Return in the language what a self-check found, as a whole or not at all: a message, or several in a row."""
        known, _ = self.checking
        for join in _JOINS:
            for at in _places(text, join) if self.tries > 0 and text not in known else ():
                said = self._found_alone(text[:at])
                after = self._found(text[at + len(join) :]) if said else ""
                if after:
                    return f"{said}{known.get(join, join.rstrip(' '))}{after}"
                if said and (after := self._found_alone(text[at:])):  # a message that begins as others are joined
                    return said + after
        return self._found_alone(text)

    def _found_alone(self, text: str) -> str:
        known, patterns = self.checking
        self.tries -= 1
        if text in known or self.tries < 0:
            return known.get(text, "")
        for pattern in patterns:
            values = pattern.filled(text)
            if values is None or any(_JOINS[0] in value for _, value in values):
                continue
            if pattern.letters >= _LETTERS or all(value.isidentifier() for _, value in values if value):
                return pattern.said_with(values, self._found_word)
        return ""

    def _asserted_word(self, place: str, value: str) -> str:
        """Return what stands in a place of a test's message: a word of the test's, if the place itself names it."""
        return self(value) if any(f"{mark}{value}{mark}" in place for mark in "'\"") else value

    def _found_word(self, place: str, value: str) -> str:
        # What stands in the last place may have lost the full stop that is its own.
        return (
            self.checking[0].get(value)
            or self._found(value.strip())
            or self._found(f"{value.strip()}.").rstrip("。.")
            or value
        )


def _places(text: str, join: str) -> list[int]:
    """Return where one message may end; before a blank only what ends as a sentence does."""
    found = [at for at in range(1, len(text) - len(join)) if text.startswith(join, at)]
    return [at for at in found if join.strip() or text[at - 1] in ".?"]
