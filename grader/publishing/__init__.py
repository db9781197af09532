"""The students' repository and the web edition, and what must not get into them."""
