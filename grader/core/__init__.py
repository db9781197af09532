"""What all packages build on: the course on disk, its cells, findings, errors, files, and nbgrader's interface."""
