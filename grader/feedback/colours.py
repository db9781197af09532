"""Code with colours, in a time that grows with its length alone.

Lexers made for editors look ahead and start again: two of them take seconds for a few thousand blank lines. Here one
pattern goes through the code once; each of its alternatives takes what it began.
"""

from __future__ import annotations

import builtins
import html
import keyword
import re

#: Characters of code that get colours, and words of a whole page; beyond them it is shown plain.
MAX_COLOURED, MAX_WORDS = 60_000, 50_000
# The names of the classes are those of Pygments, whose style sheet is on nbgrader's own pages.
_TOKEN = re.compile(
    r"""
    (?P<space>\s+)
  | (?P<c1>\#[^\n]*)
  | (?P<s2>[rbfuRBFU]{0,2}(?:
        \"\"\"(?:[^\\"]|\\.|\"(?!\"\"))*(?:\"\"\"|\\?\Z|\")
      | '''(?:[^\\']|\\.|'(?!''))*(?:'''|\\?\Z|')
      | "(?:[^"\\\n]|\\.)*"?
      | '(?:[^'\\\n]|\\.)*'?))
  | (?P<mi>\d[\w.]*)
  | (?P<name>[^\W\d]\w*)
  | (?P<rest>[^\s\w\#"']+|.)
    """,
    re.VERBOSE | re.DOTALL,
)
_KEYWORDS, _BUILTINS = frozenset(keyword.kwlist), frozenset(dir(builtins))


class Colours:
    """The colours of one page: a browser makes an element for each word that has one."""

    def __init__(self) -> None:
        self._left = MAX_WORDS

    def code(self, source: str) -> str:
        """Return code as HTML, in colours as long as there are some left."""
        shown = coloured(source, self._left)
        self._left -= shown.count("<span ")
        return shown


def coloured(source: str, words: int = MAX_WORDS) -> str:
    """Return code as HTML with the colours of its words, numbers, texts and comments.

    Args:
        source: The code.
        words: How many of them get a colour at most.
    """
    if len(source) > MAX_COLOURED:
        return f'<div class="highlight"><pre>{html.escape(source, quote=False)}</pre></div>'
    pieces, before = [], ""
    for token in _TOKEN.finditer(source):
        kind, text = str(token.lastgroup), token[0]
        if kind == "name":
            kind = "nf" if before in ("def", "class") else "k" if text in _KEYWORDS else "rest"
            kind = "nb" if kind == "rest" and text in _BUILTINS and before != "." else kind
        shown = html.escape(text, quote=False)
        plain = kind in ("rest", "space") or words <= 0
        words -= not plain
        pieces.append(shown if plain else f'<span class="{kind}">{shown}</span>')
        before = text if kind != "space" else before
    return f'<div class="highlight"><pre>{"".join(pieces)}</pre></div>'
