"""The grader graded: wrong answers must lose points, right ones must not, small changes must be noticed."""
