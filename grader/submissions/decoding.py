"""Turn the bytes of a submitted file into text, whatever encoding they are in."""

from __future__ import annotations

import codecs
from collections.abc import Callable

#: Receives the kind of a repair and a sentence about it.
Repaired = Callable[[str, str], None]

_BOMS = (  # the longer ones first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def decoded(data: bytes, shown: str, repaired: Repaired) -> str:
    """Return the text of a file.

    Args:
        data: Its bytes.
        shown: Its name in a sentence.
        repaired: Receives what was odd about it.
    """
    for bom, encoding in _BOMS:
        if data.startswith(bom):
            repaired("encoding", f"{shown} was saved with a byte order mark ({encoding}); it was read all the same.")
            text = data.decode(encoding, errors="replace")
            break
    else:
        text = _without_mark(data, shown, repaired)
    if "\0" in text:
        repaired("nul-bytes", f"{shown} held NUL bytes; they were taken out.")
        text = text.replace("\0", "")
    return text


def _without_mark(data: bytes, shown: str, repaired: Repaired) -> str:
    head = data[:400]
    if head.count(0) * 3 >= len(head):  # ASCII in wide characters is mostly zeros
        wide = "utf-32" if head.count(0) * 3 >= 2 * len(head) else "utf-16"
        encoding = wide + ("-be" if head[0] == 0 else "-le")
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            pass
        else:
            repaired("encoding", f"{shown} was saved as {encoding}; it was read all the same.")
            return text
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        repaired("encoding", f"{shown} is not saved as UTF-8; it was read as Western European text (Windows-1252).")
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")
