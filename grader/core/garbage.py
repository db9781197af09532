"""How often a process of the grader looks for garbage: seldom, since nearly all that it holds stays to its end.

Python looks through all objects of a process whenever a quarter more has come, and through the young ones every 700. A
process that marks holds 900,000: notebooks, catalogues and libraries. Looking through them again and again took 2.7 of
the 9 CPU seconds of a `grader grade` in which one of 108 submissions was to be marked, and nothing was ever found that
would have mattered. What counting references does not free is small here: errors and the frames that they hold on to.
"""

from __future__ import annotations

import gc

#: Objects that may come before the young ones are looked through; ten times so often older ones are, and so on. In the
#: worst case that is garbage of some tens of megabytes.
YOUNG = 20_000


def look_seldom() -> None:
    """Leave what is there now out of all later searches for garbage of this process, and search seldom."""
    gc.freeze()
    gc.set_threshold(YOUNG, 10, 10)
