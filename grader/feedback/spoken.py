"""The feedback page in the language of the submission: what the course says, not what the student wrote."""

from __future__ import annotations

from collections.abc import Callable

from nbformat import NotebookNode

from grader.core.cells import CellKind, kind_of
from grader.core.course import Course
from grader.feedback.layout import Layout
from grader.languages.building import Sources
from grader.languages.catalogues import languages
from grader.languages.messages import ENGLISH
from grader.languages.speech import Speech


def spoken(
    nb: NotebookNode, page: Layout, course: Course | None, assignment: str, language: str
) -> Callable[[str], str]:
    """Translate what a page shows of the course, in place.

    Args:
        nb: The notebook, after all steps.
        page: The page.
        course: The course, with its translations.
        assignment: The assignment.
        language: The language that the notebook says it is in; it may be anything.

    Returns:
        What translates the page's own words; in English, and where there is no translation, it changes nothing.
    """
    if language == ENGLISH or course is None or language not in languages(course):
        return lambda text: text
    say = Speech(course, assignment, language)
    if assignment in course.assignments():
        sources = Sources(course, assignment, language)
        for cell in [*nb.cells]:
            if kind_of(cell) is CellKind.TEST:
                cell.source = sources.of(cell)
        for section in page.sections:
            section.title = say(section.title)
            for cell in section.cells:
                if kind_of(cell) is CellKind.TEXT:
                    cell.source = sources.of(cell)
    for part in page.parts:
        part.title = say(part.title)
    for cell in nb.cells:
        notes = cell.metadata.get("feedback")
        if notes:
            notes["title"], notes["message"] = say(notes.get("title", "")), say(notes.get("message", ""))
            if "causes" in notes:
                notes["causes"] = [say(text) for text in notes["causes"]]
            if notes.get("section"):
                notes["section"]["title"] = say(notes["section"]["title"])
    return say
