"""Remove from texts what does not belong on a page: paths of this machine and lines of hidden tests."""

from __future__ import annotations

import html
import re
import site
import sys
import sysconfig
import tempfile
from collections.abc import Iterable
from pathlib import Path

REDACTED = "[hidden test]"


class Scrubber:
    """Removes the paths of this machine from a text.

    Args:
        root: The course's folder.
    """

    def __init__(self, root: str | Path):
        libraries = {*site.getsitepackages(), site.getusersitepackages(), *sysconfig.get_paths().values()}
        temporary = re.escape(tempfile.gettempdir().rstrip("/\\"))
        exact = [(place, "") for place in sorted(libraries, key=len, reverse=True)]
        exact += [(str(place), "course") for place in {Path(root), Path(root).resolve()}]
        # Last: with Debian's Python a prefix is /usr, which much begins with that is gone as a whole above.
        prefixes = [(sys.prefix, ""), (sys.base_prefix, ""), (str(Path.home()), "~")]
        # Of bounded length: an embedded image is one long word with many slashes. Not within an address.
        path = r"(?<![\w./])(?!//)(?:[A-Za-z]:)?[/\\](?:[^\s\"'<>:|()]{0,200}[/\\])?"
        self.patterns = [(re.compile(rf"{temporary}[/\\]ipykernel_\d+[/\\]\d+\.py|<ipython-input-[^<>\"']*>"), "cell")]
        self._exactly(exact)
        self.patterns += [
            (re.compile(rf"{path}(?:site|dist)-packages[/\\]"), ""),
            (re.compile(rf"{path}lib[/\\]python3\.\d+[/\\]"), ""),
        ]
        self._exactly(prefixes)
        self.patterns += [
            (re.compile(r"(?<![\w./])(?:/home|/Users|[A-Za-z]:\\Users)[/\\][^/\\\s\"'<>:]+"), "~"),
        ]

    def _exactly(self, places: list[tuple[str, str]]) -> None:
        for place, instead in places:
            if len(place) > 3:
                # As a whole: /root is not a part of /roots.
                tail = r"[/\\]" if not instead else r"(?![\w-])"
                head = r"(?<![\w./])" if place.startswith("/") else ""  # nor is it a part of an address
                self.patterns.append((re.compile(head + re.escape(place.rstrip("/\\")) + tail), instead))

    def __call__(self, text: str) -> str:
        """Return the text without the paths."""
        for pattern, instead in self.patterns:
            text = pattern.sub(instead, text)
        return text


def redact(text: str, secrets: Iterable[str]) -> str:
    """Return a text with each secret replaced, however a page or a traceback would have written it."""
    for secret in secrets:
        for form in (secret, html.escape(secret), html.escape(secret, quote=False), repr(secret)[1:-1]):
            text = text.replace(form, REDACTED)
    return text
