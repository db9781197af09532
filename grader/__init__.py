"""The grader of the attention course: authoring, audit and marking on top of nbgrader."""

__version__ = "0.1.0"
