"""Parse cells, at a bounded cost: the same cells are asked for again and again, and a hostile one may be long."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

#: A longer cell is kept as it is: nobody writes it by hand, and parsing takes time.
MAX_PARSED = 50_000
#: Characters of cells whose trees are remembered: the same cells are asked for again and again.
_REMEMBERED = 300_000

_trees: dict[str, ast.Module | None] = {}


def parse(text: str) -> ast.Module | None:
    """Parse a cell; None if it is no valid Python. The tree is shared with others that ask for it: do not change it."""
    if len(text) > MAX_PARSED:
        return None
    if text not in _trees:
        _trees[text] = _parse_anew(text)
        room = _REMEMBERED - sum(map(len, list(_trees)))
        for oldest in list(_trees) if room < 0 else ():
            if oldest != text:
                room += len(oldest)
                _trees.pop(oldest, None)
            if room >= 0:
                break
    return _trees[text]


def _parse_anew(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(text)
            if len(text) < 20_000:  # `return` outside of a function is found here only
                compile(tree, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    return tree


@dataclass
class Effort:
    """How many characters may still be parsed to find repairs, so that no notebook takes long."""

    left: int = 10_000_000
