"""Comments that exports wrote for Moodle, so that what a person typed there is not taken for one of them.

Moodle takes the comment of an uploaded worksheet in place of the one that it has, whoever wrote that. So each export
notes what it writes, and of a comment that is in a worksheet already it can be said whether a person wrote in it.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from pathlib import Path

from grader.core.files import write_if_changed

#: The file in the folder of an assignment's export. Without it, a comment that is there counts as a person's.
NOTED = "comments_written.json"
#: Tags that hold nothing; a picture, a recording or a link is somebody's.
_LINES = re.compile(r"</?(?:p|br|div|span)\b[^<>]*>", re.I)
#: Comments of one person that are remembered, the last ones.
_MOST = 50


class OwnComments:
    """The comments of an assignment that exports wrote so far.

    Args:
        folder: The folder of the assignment's export.
    """

    def __init__(self, folder: Path):
        self._path = folder / NOTED
        self._written: dict[str, list[str]] = {}
        try:
            read = json.loads(self._path.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # nothing is lost by it: what is there stays and is named
            return
        if isinstance(read, dict):
            self._written = {str(number): [str(one) for one in of] for number, of in read.items() if type(of) is list}

    def are(self, number: str, comment: str) -> bool:
        """Return whether an export wrote a comment, as Moodle's editor may have stored it; none is nobody's.

        Args:
            number: The participant's.
            comment: Moodle's, as HTML.
        """
        return not _words(comment) or _word(comment) in self._written.get(number, ())

    def note(self, number: str, comment: str) -> None:
        """Remember a comment that goes to Moodle."""
        before = [one for one in self._written.get(number, ()) if one != _word(comment)]
        self._written[number] = [*before, _word(comment)][-_MOST:]

    def save(self) -> None:
        """Write them, before the worksheet that has them."""
        write_if_changed(self._path, json.dumps(self._written, indent=1, sort_keys=True) + "\n")


def _words(comment: str) -> str:
    """Return what is left of a comment without what an editor or a table adds: tags of lines, blanks, apostrophes."""
    return re.sub(r"[\s'\u200b]", "", html.unescape(_LINES.sub("", comment)))


def _word(comment: str) -> str:
    return hashlib.sha256(_words(comment).encode(errors="surrogatepass")).hexdigest()[:16]
