"""Read a notebook that its outputs made huge as a stream, and leave the outputs out.

A right answer in a file of 200 MB is still a right answer: pictures and the state of widgets make such files, and no
reader needs them. What passes through here is never in memory as a whole; what is kept is bounded as any file is.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.core.errors import GraderError

#: What is left out, and the bracket behind it: outputs of cells, and the state of widgets in the metadata.
_OPENING = re.compile(rb'"(?:outputs|widgets)"\s{0,40}:\s{0,40}([\[{])')
#: So many bytes may be the beginning of such a place.
_LONGEST = 120
#: Strings and brackets: all that tells where a value ends. A string that does not end in a piece is a single quote.
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{}]', re.S)
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.S)
_EMPTY = {b"[": b"[]", b"{": b"{}"}
#: Most strings and brackets that are looked at, so that nobody's outputs take long: some seconds.
MAX_TOKENS = 15_000_000


class Slimmer:
    """Leaves the outputs out of a notebook that arrives in pieces.

    Args:
        most: So many bytes may be left.
        shown: The file's name in a sentence.
    """

    def __init__(self, most: int, shown: str):
        self.most, self.shown = most, shown
        self._kept: list[bytes] = []
        self._size = self._tokens = self._depth = 0  # depth 0: what is read is kept
        self._in_string = False
        self._rest = b""

    def feed(self, piece: bytes) -> None:
        """Take the next piece.

        Raises:
            GraderError: If more is left than may be, or what is left out is too tangled.
        """
        data, position = self._rest + piece, 0
        self._rest = b""
        while position < len(data):
            position = self._skip(data, position) if self._depth else self._keep(data, position)

    def end(self) -> bytes:
        """Return what is left."""
        self._keep_bytes(self._rest if not self._depth else b"")
        self._rest = b""
        return b"".join(self._kept)

    def _keep(self, data: bytes, position: int) -> int:
        """Keep what comes before the next value that is left out; return where to go on."""
        found = _OPENING.search(data, position)
        if found is None:
            end = max(position, len(data) - _LONGEST)
            self._keep_bytes(data[position:end])
            self._rest = data[end:]
            return len(data)
        self._keep_bytes(data[position : found.start(1)] + _EMPTY[found[1]])
        self._depth = 1
        return found.end()

    def _skip(self, data: bytes, position: int) -> int:
        """Pass over what is left out; return where to go on."""
        if self._in_string:
            end = _IN_STRING.match(data, position)
            position = end.end() if end else len(data)
            if data[position : position + 1] != b'"':  # all of it, up to a backslash whose letter is yet to come
                self._rest = data[position:]
                return len(data)
            self._in_string = False
            position += 1
        for token in _TOKEN.finditer(data, position):
            self._tokens += 1
            first, length = data[token.start()], token.end() - token.start()
            if first == 34:  # a quote
                if length == 1:
                    self._in_string = True
                    self._count()
                    return token.end()
            elif first in b"[{":
                self._depth += 1
            else:
                self._depth -= 1
                if not self._depth:
                    self._count()
                    return token.end()
        self._count()
        return len(data)

    def _count(self) -> None:
        if self._tokens > MAX_TOKENS:
            fix = "clear the outputs and save it again"
            raise GraderError("its outputs are too tangled to be left out", self.shown, fix)

    def _keep_bytes(self, data: bytes) -> None:
        self._size += len(data)
        if self._size > self.most:
            text = f"it has more than {self.most // 2**20} MB, even without its outputs"
            raise GraderError(text, self.shown, "save the notebook without what makes it so large")
        self._kept.append(data)


def slimmed(pieces: Iterable[bytes], most: int, shown: str) -> bytes:
    """Return a notebook without outputs.

    Args:
        pieces: The file, in pieces of any size.
        most: So many bytes may be left.
        shown: The file's name in a sentence.

    Raises:
        GraderError: If more is left, or what is left out is too tangled.
    """
    slimmer = Slimmer(most, shown)
    for piece in pieces:
        slimmer.feed(piece)
    return slimmer.end()
