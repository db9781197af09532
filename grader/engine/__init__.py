"""One submission, from bytes to a result: prepare the notebook, run its two sides, recognise mistakes."""
