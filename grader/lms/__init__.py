"""In and out: what a learning management system hands out becomes nbgrader's folders, and marks go back to it."""
