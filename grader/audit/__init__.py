"""Test the tests: wrong answers must lose points, right ones must not, and small changes must be noticed."""
