"""The feedback page in the language of the submission: what the course says, not what the student wrote."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.course import Course
from grader.core.escaping import printable_line
from grader.engine.result import assertion_of
from grader.feedback.layout import Layout
from grader.languages.building import Sources
from grader.languages.catalogues import languages
from grader.languages.messages import ENGLISH
from grader.languages.speech import Speech

logger = logging.getLogger(__name__)

Said = TypeVar("Said", str, NotebookNode)


@dataclass(frozen=True)
class Voice:
    """What translates the pages of an assignment into a language.

    Args:
        speech: What was said about a submission.
        sources: The cells of the course's; None if the course has no such assignment.
    """

    speech: Speech
    sources: Sources | None

    @classmethod
    def of(cls, course: Course, assignment: str, language: str) -> Voice:
        """Read what it takes."""
        there = assignment in course.assignments()
        return cls(Speech(course, assignment, language), Sources(course, assignment, language) if there else None)

    def read_all(self) -> Voice:
        """Read at once what is otherwise read when it is asked for."""
        _ = self.speech.known, self.speech.asserted, self.speech.checking
        return self


def spoken(
    nb: NotebookNode, page: Layout, course: Course | None, assignment: str, language: str, voice: Voice | None = None
) -> Callable[[str], str]:
    """Translate what a page shows of the course, in place.

    Args:
        nb: The notebook, after all steps.
        page: The page.
        course: The course, with its translations.
        assignment: The assignment.
        language: The language that the notebook says it is in; it may be anything.
        voice: What translates this assignment into this language, if that was read already.

    Returns:
        What translates the page's own words; in English, and where there is no translation, it changes nothing.
    """
    if language == ENGLISH or course is None or language not in languages(course):
        return lambda text: text
    voice = voice or Voice.of(course, assignment, language)
    speech = voice.speech
    say, found = _or_english(speech), _or_english(speech.finding)
    if voice.sources is not None:
        source_of = _or_english(voice.sources.of, lambda cell: str(cell.source))
        for cell in [*nb.cells]:
            if kind_of(cell) is CellKind.TEST:
                cell.source = source_of(cell)
        for section in page.sections:
            section.title = say(section.title)
            for cell in section.cells:
                if kind_of(cell) is CellKind.TEXT:
                    cell.source = source_of(cell)
    for part in page.parts:
        part.title = say(part.title)
    for cell in nb.cells:
        notes = cell.metadata.get("feedback")
        if notes:
            test, message = grade_id(cell) or "", notes.get("message", "")
            reason = _or_english(functools.partial(speech.reason, test, assertion_of(nb, test)))
            notes["title"], notes["message"] = say(notes.get("title", "")), reason(message)
            if "causes" in notes:
                tell = found if notes.get("how") == "self-check" else say  # what else is said has no places
                notes["causes"] = [tell(text) for text in notes["causes"]]
            if notes.get("section"):
                notes["section"]["title"] = say(notes["section"]["title"])
    return say


def _or_english(translate: Callable[[Said], str], english: Callable[[Said], str] = str) -> Callable[[Said], str]:
    """Return a function that leaves in English what cannot be translated: no text is worth a page."""

    def said(text: Said) -> str:
        try:
            return translate(text)
        except (MemoryError, RecursionError):  # the bounds of the page, which then becomes a plain one
            raise
        except Exception as error:
            logger.warning("a text stays English: %s", printable_line(f"{type(error).__name__}: {error}"))
            return english(text)

    return said
