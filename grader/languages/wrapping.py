"""Break translated text into lines, for comments and docstrings: between Chinese characters or at spaces."""

from __future__ import annotations

import re

from grader.languages.literals import width

#: What stays together: a span of code or a formula, a run without spaces, or one wide character with its punctuation.
_ATOM = re.compile(
    r"(?:[（《“‘「]*(?:`[^`]*`|\$[^$]+\$|[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\u3000-\u303f]+|[\u2e80-\u9fff\uf900-\ufaff])"
    r"[，。：；！？、）》”’」]*|\S)\s*"
)


def wrapped(text: str, room: int) -> list[str]:
    """Break a text into lines of at most `room` columns, as far as what stays together allows."""
    lines, line = [], ""
    for atom in _ATOM.findall(text):
        if line and width((line + atom).rstrip()) > room:
            lines.append(line.rstrip())
            line = ""
        line += atom
    return [*lines, line.rstrip()] if line or not lines else lines
