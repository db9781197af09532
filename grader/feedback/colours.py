"""Code with colours, in a time that grows with its length alone.

Lexers made for editors look ahead and start again: two of them take seconds for a few thousand blank lines. Here one
pattern goes through the code once; each of its alternatives takes what it began.
"""

from __future__ import annotations

import builtins
import html
import keyword
import re

#: Characters of code that get colours; beyond them it is shown plain.
MAX_COLOURED = 60_000
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


def coloured(source: str) -> str:
    """Return code as HTML with the colours of its words, numbers, texts and comments."""
    if len(source) > MAX_COLOURED:
        return f'<div class="highlight"><pre>{html.escape(source, quote=False)}</pre></div>'
    pieces, before = [], ""
    for token in _TOKEN.finditer(source):
        kind, text = str(token.lastgroup), token[0]
        if kind == "name":
            kind = "nf" if before in ("def", "class") else "k" if text in _KEYWORDS else "rest"
            kind = "nb" if kind == "rest" and text in _BUILTINS and before != "." else kind
        shown = html.escape(text, quote=False)
        pieces.append(shown if kind in ("rest", "space") else f'<span class="{kind}">{shown}</span>')
        before = text if kind != "space" else before
    return f'<div class="highlight"><pre>{"".join(pieces)}</pre></div>'
