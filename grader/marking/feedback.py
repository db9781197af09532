"""Moved to `grader.nbgrader_plugins.feedback`."""

from grader.marking import forward

__getattr__ = forward(
    __name__, "grader.nbgrader_plugins.feedback", ("GetMarks", "HideTests", "CleanOutputs", "FeedbackExporter")
)
