"""Moved to `grader.nbgrader_plugins.autograde`."""

from grader.marking import forward

__getattr__ = forward(
    __name__,
    "grader.nbgrader_plugins.autograde",
    ("take_what_there_is", "MarkingExporter", "MarkingExecute", "StrictAutoGrades"),
)
