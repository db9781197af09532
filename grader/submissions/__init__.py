"""Turn what was handed in into a notebook that can be run: choose a file, read it, mend it, transplant its answers."""
