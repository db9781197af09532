"""The students' repository, and what must not get into it."""
