"""Cells that many children of a warm process run: it compiles each once, and messages name it by its number."""

from __future__ import annotations

import gc
from types import CodeType

#: As code, or as the exception that says why a cell does not compile.
CELLS: list[CodeType | Exception] = []


def compiled(name: str, source: str) -> CodeType | Exception:
    """Compile a cell, or return the exception that says why it cannot be."""
    try:
        return compile(source, f"<{name}>", "exec", dont_inherit=True)
    except Exception as error:
        return error


def keep(name: str, source: str) -> int:
    """Compile a cell that many children share; called in the warm process.

    Returns:
        Its number.
    """
    CELLS.append(compiled(name, source))
    gc.freeze()  # as after the imports: a child that looked through it for garbage would copy its pages
    return len(CELLS) - 1
