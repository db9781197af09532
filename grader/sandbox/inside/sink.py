"""A text stream for code that may print without end."""

from __future__ import annotations

import io

#: More text than this of one cell is dropped.
MAX_TEXT = 20_000


class Sink(io.TextIOBase):
    """A text stream that keeps the first part of what is written to it."""

    encoding = "utf-8"
    errors = "replace"

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.size = 0

    def writable(self) -> bool:
        """It can be written to."""
        return True

    def write(self, text: str) -> int:
        """Keep the text as long as there is room."""
        if self.size < MAX_TEXT:
            self.parts.append(str(text)[: MAX_TEXT - self.size])
        self.size += len(text)
        return len(text)

    def take(self) -> str:
        """Return what was written since the last call."""
        text = "".join(self.parts) + (f"\n[{self.size - MAX_TEXT:,} more characters]" if self.size > MAX_TEXT else "")
        self.parts, self.size = [], 0
        return text
