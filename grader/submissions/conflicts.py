"""Resolve the merge conflicts that git left in a notebook's file."""

from __future__ import annotations

from itertools import islice, product
from typing import Any

from grader.submissions.loose_json import whole

#: Characters that are read to try choices of sides; each choice reads the whole file.
_MOST_READ = 4_000_000
#: How a conflict begins.
MARK = "<<<<<<<"


def parts(text: str) -> list[str | tuple[str, str]]:
    """Split a text into what is outside of merge conflicts and the two sides of each."""
    if MARK not in text:
        return [text]
    found: list[str | tuple[str, str]] = []
    plain: list[str] = []
    ours: list[str] = []
    theirs: list[str] = []
    into = plain
    for line in text.splitlines(keepends=True):
        mark = line[:7]
        if mark == MARK and into is plain:
            into = ours
        elif mark == "|||||||" and into is ours:
            into = []  # what both sides started from
        elif mark == "=======" and into is not plain and into is not theirs:
            into = theirs
        elif mark == ">>>>>>>" and into is theirs:
            found += ["".join(plain), ("".join(ours), "".join(theirs))]
            plain, ours, theirs = [], [], []
            into = plain
        else:
            into.append(line)
    return [*found, "".join(plain)]


def merged(text: str) -> Any:
    """Resolve merge conflicts by a choice of sides that yields a notebook, if several do the one with fewest stubs."""
    found = parts(text)
    count = len(found) // 2
    choices = [(0,) * count, (1,) * count, *(product((0, 1), repeat=count) if 1 < count <= 5 else ())]
    most = max(1, _MOST_READ // len(text)) if text else 1
    best: tuple[int, Any] | None = None
    for choice in islice(dict.fromkeys(choices), most):
        sides = iter(choice)
        resolved = "".join(part if isinstance(part, str) else part[next(sides)] for part in found)
        content = whole(resolved)
        if content is None:
            continue
        stubs = resolved.count("NotImplementedError")
        if best is None or stubs < best[0]:
            best = stubs, content
    return best[1] if best else None
