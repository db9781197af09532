"""The released notebook as it was before anybody touched it, with its hidden tests still in it."""

from __future__ import annotations

import copy
from functools import lru_cache

from nbformat import NotebookNode
from nbgrader.preprocessors import ClearSolutions
from traitlets.config import Config

from grader.core.course import Course
from grader.core.nbgrader_api import course_config


def pristine(source: NotebookNode, config: Config | None = None) -> NotebookNode:
    """Make the released notebook with its hidden tests still in it: solutions cleared, outputs too.

    Args:
        source: The source notebook; it is not changed.
        config: nbgrader's configuration with the stubs; by default the course's own.

    Returns:
        A new notebook.
    """
    nb: NotebookNode = copy.deepcopy(source)
    # nbgrader changes the configuration that it is given
    clear = ClearSolutions(config=copy.deepcopy(_config_of(Course.nearest()) if config is None else config))
    nb, _ = clear.preprocess(nb, {})
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return nb


@lru_cache(maxsize=4)
def _config_of(course: Course | None) -> Config:
    return Config() if course is None else course_config(course)
