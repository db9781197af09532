"""Parse cells, at a bounded cost: the same cells are asked for again and again, and a hostile one may be long."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass

#: A longer cell is kept as it is: nobody writes it by hand, and parsing takes time.
MAX_PARSED = 400_000
#: Characters of cells whose trees are remembered. A notebook's own cells, in both languages and with what is hidden,
#: are up to half a million, and a class that hands in both asks for all of them in turns. Usual code takes 40 bytes a
#: character, a list of names 200.
_REMEMBERED = 800_000

#: The one that was asked for last comes last.
_trees: dict[str, ast.Module | None] = {}
_NOT_YET = ast.Module(body=[], type_ignores=[])
#: Characters of a cell that is parsed once more to say why it could not be.
_MAX_DEEP = 50_000
_NO_PYTHON = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


def parse(text: str) -> ast.Module | None:
    """Parse a cell; None if it is no valid Python. The tree is shared with others that ask for it: do not change it."""
    if len(text) > MAX_PARSED:
        return None
    tree = _trees.pop(text, _NOT_YET)  # in one step, since another thread may make room
    if tree is _NOT_YET:
        tree = _parse_anew(text)
        _make_room(len(text))
    _trees[text] = tree
    return tree


def _make_room(characters: int) -> None:
    known = list(_trees)
    room = _REMEMBERED - sum(map(len, known))
    for oldest in known:
        if room >= characters:
            break
        room += len(oldest)
        _trees.pop(oldest, None)


def is_too_deep(text: str) -> bool:
    """Return whether a cell that could not be parsed may be Python, nested deeper than Python itself can follow."""
    if len(text) > _MAX_DEEP:
        return False
    try:
        _read(text)
    except RecursionError:
        return True
    except _NO_PYTHON:
        pass
    return False


def _parse_anew(text: str) -> ast.Module | None:
    try:
        return _read(text)
    except _NO_PYTHON:
        return None


def _read(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(text)
        if len(text) < 20_000:  # `return` outside of a function is found here only
            compile(tree, "<cell>", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    return tree


@dataclass
class Effort:
    """How many characters may still be parsed to find repairs, so that no notebook takes long."""

    left: int = 10_000_000
