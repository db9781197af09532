"""Read tags as the cleaner writes them: each attribute behind one blank and in double quotes, with none inside.

A student may write `>`, a tag, or what looks like another attribute into one, as in `<img title=" alt=" alt="...">`. So
a tag is matched as a whole, and its attributes are read from its beginning, one behind the other, and found by name.
"""

from __future__ import annotations

import re

_ATTRIBUTES = '(?: [a-z]+="[^"]*")*'
#: Any tag: the slash of an end, its name, and its attributes.
TAG = re.compile(rf"<(/?)([a-z][a-z0-9]*)({_ATTRIBUTES})>")
#: A tag that begins an element: its name, and its attributes.
OPENING = re.compile(rf"<([a-z][a-z0-9]*)({_ATTRIBUTES})>")
_ATTRIBUTE = re.compile(r' ([a-z]+)="([^"]*)"')


def attributes_of(written: str) -> dict[str, str]:
    """Return the attributes of a tag by name, in their order, with their values as they are written.

    Args:
        written: What `TAG` or `OPENING` found of them.
    """
    return dict(_ATTRIBUTE.findall(written)) if written else {}
