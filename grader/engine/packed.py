"""Test and locked cells as code for the tests' side, compiled once and not for each student.

They are never compiled in the warm process, which a student's process is forked from.
"""

from __future__ import annotations

import marshal
from functools import lru_cache

from grader.core.names import parsed
from grader.sandbox.inside.cells import halves


@lru_cache(maxsize=512)
def packed(name: str, source: str) -> bytes | str:
    """Return a cell as code, to be read by `unpacked`; its source if it is not Python, which is said where it runs.

    Args:
        name: What tracebacks call it.
        source: Its source.
    """
    try:
        return marshal.dumps(halves(name, parsed(source)))
    except SyntaxError:
        return source
