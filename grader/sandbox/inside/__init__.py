"""Everything that runs behind the walls. These files are copied there and import nothing else of the grader."""
