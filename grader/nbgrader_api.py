"""Open nbgrader on the course, with the configuration that `nbgrader` itself would read."""

from __future__ import annotations

import logging
import os
import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from sqlalchemy.exc import SAWarning
from traitlets.config import Config, PyFileConfigLoader

from .course import Course


def course_config(course: Course) -> Config:
    """Load the course's `nbgrader_config.py`."""
    return PyFileConfigLoader("nbgrader_config.py", path=str(course.root)).load_config()


def folders_config(config: Config, folder: Path) -> Config:
    """Give a copy of a configuration whose gradebook, releases and submissions stand in one folder of their own.

    Args:
        config: The course's configuration; its source folder is kept.
        folder: Where everything else goes.

    Returns:
        The copy.
    """
    own = config.copy()
    own.CourseDirectory.source_directory = str(Path(own.CourseDirectory.root) / own.CourseDirectory.source_directory)
    own.CourseDirectory.root = str(folder)
    for step in ("release", "submitted", "autograded", "feedback", "solution"):
        own.CourseDirectory[f"{step}_directory"] = step
    own.CourseDirectory.db_url = f"sqlite:///{folder / 'gradebook.db'}"
    return own


@contextmanager
def open_nbgrader(config: Config, log_to: Path | None = None) -> Iterator[NbGraderAPI]:
    """Open nbgrader's Python interface.

    Args:
        config: Configuration, of the course or derived from it.
        log_to: File for nbgrader's log, which is long; appended to.
    """
    # nbgrader calls the program `alembic` of its own environment, which need not be the activated one.
    own = str(Path(sys.executable).parent)
    if own not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = own + os.pathsep + os.environ.get("PATH", "")
    logger = logging.getLogger("traitlets")
    handler = logging.FileHandler(log_to, encoding="utf-8") if log_to else logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    saved = logger.handlers[:], logger.level, logger.propagate
    logger.handlers, logger.propagate = [handler], False
    logger.setLevel(logging.INFO)
    try:
        with warnings.catch_warnings():
            # nbgrader walks over objects that are about to be saved; it says nothing about this course.
            warnings.filterwarnings("ignore", category=SAWarning, module="nbgrader")
            yield NbGraderAPI(CourseDirectory(config=config), config=config)
    finally:
        handler.close()
        logger.handlers, logger.level, logger.propagate = saved


def failure_reason(result: dict) -> str:
    """Find the sentence that says why nbgrader failed in what its interface returned.

    Args:
        result: What a method of `NbGraderAPI` returned.

    Returns:
        One line, such as `"RuntimeError: no end solution statement found"`.
    """
    text = f"{result.get('log') or ''}\n{result.get('error') or ''}"
    errors = re.findall(r"^\s*(?:\w+\.)*(\w*(?:Error|Exception|Timeout)\w*: .+)$", text, re.M)
    return (errors or text.strip().splitlines()[-1:] or ["no reason given"])[0].strip()
