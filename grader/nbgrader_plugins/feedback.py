"""The steps of feedback as nbgrader runs them, named in `nbgrader_config.py`; what they do is in `grader/feedback`."""

from grader.feedback.page import FeedbackExporter
from grader.feedback.steps import CleanOutputs, GetMarks, HideTests

__all__ = ["CleanOutputs", "FeedbackExporter", "GetMarks", "HideTests"]
