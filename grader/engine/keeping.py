"""What of a submission's output is kept in its marked notebook: a bounded part, whatever the submission does.

The student's side has limits of its own, but code that took it over can send what it likes in its replies. Everything
that a reply may add to the notebook passes through here, and what is left out is said in one sentence.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from grader.core.findings import Finding
from grader.core.images import png_size

#: Characters of one cell's text and of one message that are kept.
MAX_TEXT, MAX_MESSAGE = 21_000, 2_000
#: The same in all cells of a notebook.
MAX_TEXT_IN_ALL = 500_000
#: Figures of one cell and of a notebook, and bytes of one and of all.
MAX_FIGURES, MAX_FIGURES_IN_ALL = 8, 60
MAX_FIGURE, MAX_FIGURE_BYTES = 2**20, 6 * 2**20

Message = Mapping[str, Any]


@dataclass(frozen=True)
class Reply:
    """What the student's side said about a cell, in the form and size that it should have.

    Args:
        error: `type`, `text` and `line` of the exception that ended the cell, or None.
        text: What the cell printed.
        shown: The text of its last value.
        rescued: Names that were defined behind a failed statement.
        figures: PNG files, not yet looked at.
    """

    error: dict[str, Any] | None
    text: str
    shown: str
    rescued: list[str]
    figures: list[object]

    @classmethod
    def read(cls, reply: Message, drawn: bool) -> Reply:
        """Take a reply apart.

        Args:
            reply: From the student's side, which may have written anything.
            drawn: Whether figures were asked for; if not, none are taken.

        Raises:
            LookupError, TypeError, ValueError: If it is no reply.
        """
        error = reply["error"]
        if error is not None:
            line = error["line"] if type(error["line"]) is int else None
            text = readable(error["text"])[:MAX_MESSAGE]
            error = {"type": readable(error["type"])[:100], "text": text, "line": line}
        rescued = [readable(name)[:100] for name in list(reply["rescued"])[:20]] if error is not None else []
        figures = list(reply["figures"]) if drawn else []
        return cls(error, readable(reply["text"]), readable(reply["shown"]), rescued, figures)


@dataclass
class Room:
    """The room that a notebook has for its cells' outputs.

    Args:
        text: Characters that are left.
        figures: Figures that are left to be looked at.
        figure_bytes: Bytes that are left for them.
        cut_text: Characters that were left out.
        cut_figures: Figures that were left out.
    """

    text: int = MAX_TEXT_IN_ALL
    figures: int = MAX_FIGURES_IN_ALL
    figure_bytes: int = MAX_FIGURE_BYTES
    cut_text: int = field(default=0, init=False)
    cut_figures: int = field(default=0, init=False)

    def outputs(self, reply: Reply) -> list[NotebookNode]:
        """Return what is kept of a cell's outputs, as a notebook holds them."""
        outputs = []
        if text := self._text(reply.text):
            outputs.append(new_output("stream", name="stdout", text=text))
        for data in self._figures(reply.figures):
            outputs.append(new_output("display_data", {"image/png": base64.b64encode(data).decode()}))
        if shown := self._text(reply.shown):
            outputs.append(new_output("execute_result", {"text/plain": shown}, execution_count=1))
        if reply.error is not None:
            line = f"line {reply.error['line']}: " if reply.error["line"] else ""
            outputs.append(error_output(str(reply.error["type"]), line + str(reply.error["text"])))
        return outputs

    def finding(self) -> Finding | None:
        """Return what was left out as a sentence, or None if that is nothing."""
        parts = [f"{self.cut_figures:,} figure{'s' * (self.cut_figures != 1)}"] if self.cut_figures else []
        parts += [f"{self.cut_text:,} characters of output"] if self.cut_text else []
        if not parts:
            return None
        text = f"The cells show more than there is room for, so {' and '.join(parts)} were left out of the marked copy."
        return Finding("outputs-cut", "", text)

    def _text(self, text: str) -> str:
        kept = text[: min(MAX_TEXT, self.text)]
        self.text -= len(kept)
        self.cut_text += len(text) - len(kept)
        return kept

    def _figures(self, figures: list[object]) -> list[bytes]:
        kept: list[bytes] = []
        looks = min(MAX_FIGURES, self.figures)
        for data in figures:
            if not looks:
                break
            if type(data) is not bytes or len(data) > min(MAX_FIGURE, self.figure_bytes):
                continue
            # To look at one takes this process time, whether it is kept or not, so each takes a place.
            looks, self.figures = looks - 1, self.figures - 1
            size = png_size(data)
            if size is not None and size.fits:
                kept.append(data)
                self.figure_bytes -= len(data)
        self.cut_figures += len(figures) - len(kept)
        return kept


def error_output(name: str, text: str) -> NotebookNode:
    """Return an output of a notebook that says that a cell ended with an error."""
    output: NotebookNode = new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])
    return output


def readable(text: object) -> str:
    """Return text that can be written to a file: no halves of surrogate pairs."""
    return str(text).encode("utf-8", "replace").decode()
