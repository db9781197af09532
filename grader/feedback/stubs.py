"""What an answer says that nobody has written yet: the words of the stub that the release puts in its place."""

from __future__ import annotations

import re
from collections.abc import Set
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from grader.core.course import Course
from grader.core.errors import GraderError
from grader.languages.messages import CODE_STUB
from grader.languages.stubs import stub_texts

_RAISED = re.compile(r"""^ *raise NotImplementedError\((["'])(.*)\1\)""", re.M)


def says_unwritten(text: str, folders: CourseDirectory, released: Set[str] | None) -> bool:
    """Return whether a text is what a stub says, in whichever language the notebook was handed out.

    Args:
        text: Of a `NotImplementedError`, which may be the student's own.
        folders: Where the course is.
        released: The sources of the release's cells, or None if there is no release.
    """
    if text == CODE_STUB[1] or any(said == text for source in released or () for _, said in _RAISED.findall(source)):
        return True
    return not text.isascii() and text in _translated(folders)


def _translated(folders: CourseDirectory) -> Set[str]:
    try:
        return stub_texts(Course(Path(folders.root)))
    except (GraderError, OSError):  # a course of another layout has no translations
        return frozenset()
