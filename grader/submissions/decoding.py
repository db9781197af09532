"""Turn the bytes of a submitted file into text, whatever encoding they are in."""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Callable

from grader.submissions.loose_json import whole

#: Receives the kind of a repair and a sentence about it.
Repaired = Callable[[str, str], None]

_BOMS = (  # the longer ones first: UTF-32's begins like UTF-16's
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
#: Code pages of Windows in Taiwan, Japan and Korea. The second byte of a character may be ASCII there, a backslash too.
_EAST_ASIAN = ("cp950", "cp932", "cp949")
#: Two or more of their letters: signs, kana, bopomofo, ideographs, hangul, and the wide forms of ASCII.
_EAST_ASIAN_LETTERS = re.compile(r"[\u3000-\u312f\u3400-\u9fff\uac00-\ud7a3\uff01-\uff60]{2,}")


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
        return _not_utf_8(data, shown, repaired)


def _not_utf_8(data: bytes, shown: str, repaired: Repaired) -> str:
    """Read what is not UTF-8 everywhere: damaged UTF-8, or the code page of an East Asian or Western Windows."""
    mended = data.replace(b"\0", b"").decode("utf-8", errors="replace")  # a NUL may stand within a character
    wrong, right = mended.count("\ufffd"), sum(char > "\x7f" for char in mended)
    if right > 10 * wrong:
        if wrong:
            repaired("encoding", f"{shown} holds bytes that are no UTF-8; the characters there are lost.")
        if b"\0" in data:
            repaired("nul-bytes", f"{shown} held NUL bytes; they were taken out.")
        return mended
    if _in_pairs(data):
        with contextlib.suppress(UnicodeDecodeError):
            text = data.decode("gb18030")
            repaired("encoding", f"{shown} is not saved as UTF-8; it was read as Chinese text (GB 18030).")
            return text
    for encoding in _EAST_ASIAN:
        with contextlib.suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if _east_asian(text) and whole(text) is not None:
                repaired("encoding", f"{shown} is not saved as UTF-8; it was read as East Asian text ({encoding}).")
                return text
    repaired("encoding", f"{shown} is not saved as UTF-8; it was read as Western European text (Windows-1252).")
    try:
        return data.decode("cp1252")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _in_pairs(data: bytes) -> bool:
    """Return whether bytes beyond ASCII come in runs of even length, as two-byte characters do, and letters do not."""
    runs = [len(run) for run in re.findall(rb"[\x80-\xff]+", data)]
    return bool(runs) and sum(length % 2 == 0 for length in runs) > 0.8 * len(runs)


def _east_asian(text: str) -> bool:
    """Return whether most characters beyond ASCII are those of East Asia, side by side, as they are written there.

    A Western letter and the ASCII letter behind it can be one character of such a code page: it then stands alone. Of
    Korean text read as Japanese, most is half-width letters.
    """
    runs = (len(run) for run in _EAST_ASIAN_LETTERS.findall(text))
    return 2 * sum(runs) > sum(char > "\x7f" for char in text)
