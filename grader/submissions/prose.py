"""Find the prose in a code cell: an answer in words that somebody typed where Jupyter's `+` made a cell."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator, Set

from grader.submissions.added import FEWEST, weight
from grader.submissions.parsing import parse

#: Magics of cells that show what is in them.
_SHOWING = re.compile(r"\s*%%(?:markdown|html|latex)\b.*", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
#: Words with nothing but a blank between them, or a sign that prose has there as well.
_NEIGHBOURS = re.compile(r"(?<=[^\W\d_])[,.;:!?]? (?=[^\W\d_])")
#: Fewest words of a line of prose, and share of them that have a neighbour: of a line of code fewer have.
_FEWEST_WORDS, _NEIGHBOURING = 4, 0.5
#: Characters of a language without blanks between words, and how many of them say something.
_CJK, _FEWEST_CJK = re.compile("[\u2e80-\uff00]"), 6
#: Share of a cell that is prose if the cell is there for the sake of it.
_HEAVY = 0.5
#: Most characters of such a cell: a longer one is data, or a program.
_MOST = 20_000
#: A text with values in it comes in parts since Python 3.12.
_TEXTS = {tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


def words_in(text: str) -> str:
    """Return the comments of a cell of code, and its longer strings."""
    return " ".join(token.string for token in _worded(text))


def prose_of(text: str, released: Set[str]) -> str:
    """Return the prose of a code cell that holds little else; an empty text if it holds more code than prose.

    Prose that is no Python counts, and what `%%markdown` shows; of Python the comments and the texts, but not what
    explains a function, code in a comment, or what the course says itself.

    Args:
        text: The cell.
        released: The lines of the release.
    """
    if len(text) > _MOST or not any(map(is_prose, text.split("\n"))):
        return ""
    prose = prose_in(text, released)
    return prose if is_most(prose, text, released) else ""


def prose_in(text: str, released: Set[str], at_top: bool = False) -> str:
    """Return the lines of prose in a code cell, whatever else it holds.

    Args:
        text: The cell.
        released: The lines of the release.
        at_top: Whether those within a function, a loop and the like are left out.
    """
    tree = parse(text)
    if (magic := _SHOWING.match(text)) is not None:
        said = text[magic.end() :].split("\n")
    elif tree is None:
        skipped = ("!", "%", " ", "\t") if at_top else ("!", "%")
        said = [line for line in text.split("\n") if not (line if at_top else line.lstrip()).startswith(skipped)]
    else:
        explained = _docstrings(tree)
        tokens = [t for t in _worded(text) if t.start not in explained and not (at_top and t.start[1])]
        said = [line for token in tokens for line in token.string.split("\n")]
    return "\n".join(line for line in said if line.strip() not in released and is_prose(line))


def is_most(prose: str, text: str, released: Set[str]) -> bool:
    """Return whether a cell's prose is most of what it holds beyond the lines of the release."""
    rest = sum(weight(line.strip()) for line in text.split("\n") if line.strip() not in released)
    return weight(prose) >= _HEAVY * rest


def _worded(text: str) -> Iterator[tokenize.TokenInfo]:
    """Yield the comments and longer strings of a cell of code; up to an error, if there is one."""
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT or (token.type in _TEXTS and weight(token.string) >= FEWEST):
                yield token
    except (tokenize.TokenError, SyntaxError):
        pass  # what stands in front of the error was read


def _docstrings(tree: ast.Module) -> set[tuple[int, int]]:
    """Return where the texts begin that explain functions and classes."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    first = [node.body[0] for node in ast.walk(tree) if isinstance(node, kinds)]
    return {(node.lineno, node.col_offset) for node in first if isinstance(node, ast.Expr)}


def is_prose(line: str) -> bool:
    """Return whether a line holds some words, most of them side by side."""
    words = len(_WORD.findall(line))
    together = len(_NEIGHBOURS.findall(line))
    prose = words >= _FEWEST_WORDS and together >= _NEIGHBOURING * words
    return prose or len(_CJK.findall(line)) >= _FEWEST_CJK
