"""From what was handed in to a notebook that can be run: choose a file, read it, mend it, transplant its answers."""
