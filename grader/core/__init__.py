"""What every part builds on: the course on disk, its cells, findings, errors, files, and nbgrader's interface."""
