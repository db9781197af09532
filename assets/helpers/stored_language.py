"""Placeholder."""

STORED_LANGUAGE = {}
