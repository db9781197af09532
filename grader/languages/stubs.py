"""What the stub of an answer says in each language of the course."""

from __future__ import annotations

import functools

from grader.core.course import Course
from grader.languages.catalogues import languages, translations
from grader.languages.messages import CODE_STUB


@functools.lru_cache(maxsize=4)
def stub_texts(course: Course) -> frozenset[str]:
    """Return what the stub that stands for an answer raises, in whichever language the notebook was handed out."""
    translated = (translations(course, language, "frame").get(CODE_STUB[1], "") for language in languages(course))
    return frozenset({CODE_STUB[1], *translated} - {""})
