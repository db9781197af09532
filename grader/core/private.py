"""Places on this machine that students' code must not see, wherever they are."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from nbgrader.coursedir import CourseDirectory

from grader.core.course import Course
from grader.core.databases import read_address
from grader.core.errors import GraderError

_STEPS = ("source", "release", "submitted", "autograded", "feedback", "solution")


@dataclass(frozen=True)
class Place:
    """A folder or a file.

    Args:
        what: What it is, as a message names it.
        path: Where it is; need not exist yet.
    """

    what: str
    path: str


def of_this_machine() -> tuple[Place, ...]:
    """Return the places that are known without a configuration: this package and its course, home, temporary files."""
    places = [
        Place("the grader with its catalogue of answers", str(Path(__file__).parents[1])),
        Place("the home folder", os.path.expanduser("~")),
        Place("the folder for temporary files", tempfile.gettempdir()),
    ]
    course = Course.nearest()
    return (Place("the course", str(course.root)), *places) if course else tuple(places)


def of_course(folders: CourseDirectory) -> tuple[Place, ...]:
    """Return the places that nbgrader's configuration names.

    Args:
        folders: The configured folders.
    """
    places = [Place("the course", os.path.abspath(folders.root))]
    for step in _STEPS:
        name = getattr(folders, f"{step}_directory")
        places.append(Place(f"nbgrader's folder {Path(name).name!r}", os.path.join(places[0].path, name)))
    try:
        url = read_address(folders.db_url)
    except GraderError:  # opening it says so
        return tuple(places)
    if url.get_backend_name() == "sqlite" and url.database and url.database != ":memory:":
        places.append(Place("the gradebook", os.path.abspath(url.database)))
    return tuple(places)
