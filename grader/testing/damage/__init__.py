"""What happens to honest submissions on their way: damage that must not cost points, for testing the marking.

Each kind takes a solved submission - a released notebook with answers, see `samples.fill_answers` - and returns a
changed notebook, the bytes of a file, or the files of a folder. In the names of files `{assignment}` stands for the
assignment's name. The modules of kinds enter them in `DAMAGES` when they are imported.
"""

from grader.testing.damage import files, cells, code  # isort: skip - made classes draw from the kinds in this order
from grader.testing.damage.register import DAMAGES, UNREPAIRABLE, Damaged, hand_in

__all__ = ["DAMAGES", "UNREPAIRABLE", "Damaged", "cells", "code", "files", "hand_in"]
