"""Measure what marking costs, next to stock nbgrader."""
