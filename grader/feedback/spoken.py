"""The feedback page in the language of the submission: what the course says, not what the student wrote."""

from __future__ import annotations

import functools
import logging
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

from nbformat import NotebookNode

from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.course import Course
from grader.core.escaping import printable_line
from grader.core.findings import Finding
from grader.engine.result import NO_RESPONSE, assertion_of, said_by_marking
from grader.feedback.layout import Layout
from grader.feedback.telling import Telling
from grader.languages.building import Sources
from grader.languages.catalogues import languages
from grader.languages.messages import ENGLISH
from grader.languages.speech import Speech
from grader.sandbox.inside.raised import RAISED, UNNAMED
from grader.submissions.showing import tells_left_out

logger = logging.getLogger(__name__)

#: What stands in front of the text of an error, if its line is known.
_LINE = re.compile(r"^line \d+: ")
#: Lines in which an output may tell what is left out.
_TOLD_LINES = 3
Said = TypeVar("Said", str, NotebookNode)


@dataclass(frozen=True)
class Voice:
    """What translates the pages of an assignment into a language.

    Args:
        speech: What was said about a submission.
        telling: What marking told of it.
        sources: The cells of the course's; None if the course has no such assignment.
    """

    speech: Speech
    telling: Telling
    sources: Sources | None

    @classmethod
    def of(cls, course: Course, assignment: str, language: str) -> Voice:
        """Read what it takes."""
        there = assignment in course.assignments()
        sources = Sources(course, assignment, language) if there else None
        return cls(Speech(course, assignment, language), Telling(course, language), sources)

    def read_all(self) -> Voice:
        """Read at once what is otherwise read when it is asked for."""
        _ = self.speech.known, self.speech.asserted, self.speech.checking, self.telling.notes, self.telling.examples
        return self


def spoken(
    nb: NotebookNode,
    page: Layout,
    noticed: list[Finding],
    course: Course | None,
    assignment: str,
    language: str,
    voice: Voice | None = None,
) -> Callable[[str], str]:
    """Translate what a page shows of the course, in place.

    Args:
        nb: The notebook, after all steps.
        page: The page.
        noticed: What was noticed, as the page lists it.
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
    speech, telling = voice.speech, voice.telling
    say, tell, value = _or_english(speech), _or_english(telling), _or_english(telling.value)
    cause = _or_english(functools.partial(telling.cause, finding=speech.finding))
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
        own = cell.metadata.get("nbgrader", {})
        if own.get("comment") == NO_RESPONSE:  # any other one is a person's
            own["comment"] = tell(NO_RESPONSE)
        notes = cell.metadata.get("feedback")
        if notes:
            test, message = grade_id(cell) or "", notes.get("message", "")
            reason = _or_english(functools.partial(speech.reason, test, assertion_of(nb, test)))
            notes["title"] = say(notes.get("title", ""))
            notes["message"] = tell(message) if said_by_marking(nb, test) else reason(message)
            for kind in (RAISED, UNNAMED):  # what marking calls an error of a student's, whose text follows
                if message.startswith(f"{kind}:") or message == kind:
                    notes["message"] = tell(kind) + message.removeprefix(kind)
            if "causes" in notes:
                here = cause if notes.get("how") in ("self-check", "where") else say  # what else is said has no places
                notes["causes"] = [here(text) for text in notes["causes"]]
            if notes.get("section"):
                notes["section"]["title"] = say(notes["section"]["title"])
            if example := notes.get("example"):
                example["arguments"] = [[value(name), value(text)] for name, text in example["arguments"]]
                example["got"], example["wanted"] = value(example["got"]), [*map(value, example["wanted"])]
    _stopped(nb, noticed, tell)
    _cut_short(nb, tell)
    noticed[:] = [replace(finding, text=tell(finding.text)) for finding in noticed]
    return say


def _stopped(nb: NotebookNode, noticed: list[Finding], tell: Callable[[str], str]) -> None:
    """Translate the errors with which marking ended cells of the student's: those that were noticed at that cell."""
    for cell in nb.cells:
        texts = [finding.text for finding in noticed if finding.where == (grade_id(cell) or cell.get("id"))]
        for output in cell.get("outputs", []) if texts else ():
            name, said = str(output.get("ename", "")), str(output.get("evalue", ""))
            words = _LINE.sub("", said)
            if output.output_type == "error" and words and any(words in text for text in texts):
                output["evalue"] = tell(said)
                output["traceback"] = [f"{name}: {output.evalue}"]


def _cut_short(nb: NotebookNode, tell: Callable[[str], str]) -> None:
    """Translate what tells at the end of outputs that there are more of them."""
    for cell in nb.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "stream":
                lines = output.text.rsplit("\n", _TOLD_LINES)
                first = next((n for n in range(len(lines)) if tells_left_out("\n".join(lines[n:]))), len(lines))
                output["text"] = "\n".join([*lines[:first], *map(tell, lines[first:])])


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
