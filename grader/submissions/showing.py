"""What a student's cells showed when they were handed in, as far as it is kept: text, errors and PNG files, bounded.

Cells that the marks do not need are not run again; the marked notebook shows what they showed to the student.
"""

from __future__ import annotations

import base64
from typing import Any

from nbformat import NotebookNode
from nbformat.v4 import new_output

from grader.core.images import png_size

#: Outputs of a cell, characters of its text and of one picture, and of all pictures of a cell that are kept.
MAX_OUTPUTS, MAX_TEXT, MAX_PICTURE, MAX_PICTURES = 20, 21_000, 1_400_000, 8
#: The same in all cells of a notebook.
MAX_TEXT_IN_ALL, MAX_PICTURES_IN_ALL = 500_000, 8_400_000


class Shown:
    """Keeps outputs of one notebook after the other cell, as long as there is room.

    Args:
        pictures: Whether pictures are kept too.
    """

    def __init__(self, pictures: bool):
        self.text, self.pictures = MAX_TEXT_IN_ALL, MAX_PICTURES_IN_ALL if pictures else 0

    def kept(self, outputs: object) -> list[NotebookNode]:
        """Return what is kept of a cell's outputs, whatever they are."""
        text, pictures, found = min(MAX_TEXT, self.text), MAX_PICTURES, []
        for output in outputs[:MAX_OUTPUTS] if isinstance(outputs, list) else ():
            said, picture = _parts(output)
            if picture and pictures and len(picture) <= min(MAX_PICTURE, self.pictures) and _is_picture(picture):
                pictures, self.pictures = pictures - 1, self.pictures - len(picture)
                found.append(new_output("display_data", {"image/png": picture}))
            elif said and text > 0:
                said = said[:text]
                text, self.text = text - len(said), self.text - len(said)
                found.append(new_output("stream", name="stdout", text=said))
        return found


def is_kept(outputs: object) -> bool:
    """Return whether something is a list of outputs in the form and size in which `Shown` keeps them."""
    return isinstance(outputs, list) and len(outputs) <= MAX_OUTPUTS and all(map(_is_kept, outputs))


def _is_kept(output: object) -> bool:
    if not isinstance(output, dict):
        return False
    if output.get("output_type") == "stream":
        text = output.get("text")
        return output == {"output_type": "stream", "name": "stdout", "text": text} and _is_text(text, MAX_TEXT)
    data = output.get("data")
    picture = data.get("image/png") if isinstance(data, dict) else None
    form = {"output_type": "display_data", "metadata": {}, "data": {"image/png": picture}}
    return output == form and _is_text(picture, MAX_PICTURE)


def _is_text(value: object, most: int) -> bool:
    return isinstance(value, str) and len(value) <= most


def _is_picture(text: str) -> bool:
    """Return whether base64 text is a PNG file of a size that a page can show."""
    try:
        size = png_size(base64.b64decode(text, validate=True))
    except ValueError:
        return False
    return size is not None and size.fits


def _parts(output: object) -> tuple[str, str]:
    """Return an output's text and its PNG file in base64, each empty if there is none."""
    if not isinstance(output, dict):
        return "", ""
    data = output.get("data")
    data = data if isinstance(data, dict) else {}
    picture = _joined(data.get("image/png")).replace("\n", "")
    if output.get("output_type") == "error":
        return f"{_joined(output.get('ename'))}: {_joined(output.get('evalue'))}", ""
    return _joined(output.get("text")) or _joined(data.get("text/plain")), picture


def _joined(value: Any) -> str:
    """Return a text of a notebook's JSON, which may be a list of lines; empty if it is neither."""
    if isinstance(value, list):
        value = "".join(line for line in value[:2_000] if isinstance(line, str))
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""
