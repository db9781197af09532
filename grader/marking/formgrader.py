"""Moved to `grader.nbgrader_plugins.formgrader`."""

from grader.marking import forward

__getattr__ = forward(__name__, "grader.nbgrader_plugins.formgrader", ("CleanSubmission", "clean_markdown"))
