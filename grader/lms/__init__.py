"""In and out of a learning management system: downloads become nbgrader's folders, and marks go back as uploads."""
