"""Read the size of an image from its bytes, or find that it is none, without decoding it.

Who decodes an image of a student's is the browser of whoever opens the page; a file of some bytes can ask it for
gigabytes. So the structure is walked through to its end, and the size in pixels is part of the answer.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace

#: Most pixels along one side, and in all, of an image that is let in.
MAX_SIDE, MAX_PIXELS = 8_000, 16_000_000
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
#: Chunks that every PNG may hold; of others only those that a reader may ignore, and none that begins an animation.
_CRITICAL, _ANIMATION = {b"IHDR", b"PLTE", b"IDAT", b"IEND"}, {b"acTL", b"fcTL", b"fdAT"}
#: The bits of a sample that PNG has for each of its types of colour; it has one way to compress, one to filter, and two
#: orders of lines. A browser refuses all others, and shows a text in place of the image.
_DEPTHS = {0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}
#: JPEG's markers that open a frame and give its size, and those that have no length behind them.
_FRAMES = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_BARE = {0x01, *range(0xD0, 0xD8)}
_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
#: What ends the data of a scan: a marker that is none of those that stand in it.
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
#: Most scans of a JPEG: a browser goes over the whole picture in each. Usual programs write about ten.
MAX_SCANS = 100
#: What a scan of a JPEG counts for each pixel; twice that if it has the four colours of a press. What a PNG counts, and
#: one whose lines come in seven turns; twice that if its samples have 16 bits.
SCAN, PNG_SCANS, INTERLACED_SCANS = 2, 4, 12
#: How many times as much it is if each pixel is brought into another space of colours by a table. Which chunks may ask
#: for that, and how a JPEG does. A camera's profile has no table and is short: it counts once for all scans.
BY_TABLE, TURNED = 4, 2
_PROFILES, _PROFILE, _APP2 = {b"iCCP", b"gAMA", b"cHRM", b"cICP"}, b"ICC_PROFILE", 0xE2
_TABLE, _SHORT = re.compile(rb"[AB]2[AB]|D2B|B2D"), 20_000


@dataclass(frozen=True)
class Size:
    """The size of an image in pixels."""

    width: int
    height: int
    #: What showing it takes a browser for each of them.
    weight: int = field(default=1, compare=False)

    @property
    def fits(self) -> bool:
        """Whether a page may show an image of this size."""
        return min(self.width, self.height) > 0 and max(self.width, self.height) <= MAX_SIDE and self._area_fits

    @property
    def _area_fits(self) -> bool:
        return self.width * self.height <= MAX_PIXELS

    @property
    def work(self) -> int:
        """What showing it takes a browser: its pixels, weighed."""
        return self.width * self.height * self.weight


def png_size(data: bytes) -> Size | None:
    """Return the size of a PNG image, or None if the bytes are not one whole still image and nothing else."""
    if not data.startswith(_PNG):
        return None
    place, size = len(_PNG), None
    kinds: list[bytes] = []
    while place + 12 <= len(data):
        (length,) = struct.unpack_from(">I", data, place)
        kind, end = data[place + 4 : place + 8], place + 12 + length
        if end > len(data) or struct.unpack_from(">I", data, end - 4)[0] != zlib.crc32(data[place + 4 : end - 4]):
            return None
        if kind in _ANIMATION or (kind[0:1].isupper() and kind not in _CRITICAL):
            return None
        if not kinds:
            if kind != b"IHDR" or length != 13:
                return None
            width, height, depth, colour, *ways = struct.unpack_from(">IIBBBBB", data, place + 8)
            if depth not in _DEPTHS.get(colour, ()) or ways not in ([0, 0, 0], [0, 0, 1]):
                return None
            weight = INTERLACED_SCANS if ways[2] else PNG_SCANS
            size = Size(width, height, weight=2 * weight if depth == 16 else weight)
        kinds.append(kind)
        place = end
        if kind == b"IEND":
            break
    whole = place == len(data) and kinds[-1:] == [b"IEND"] and b"IDAT" in kinds and kinds.count(b"IHDR") == 1
    if size and not _PROFILES.isdisjoint(kinds):
        size = replace(size, weight=BY_TABLE * size.weight)
    return size if whole else None


def jpeg_size(data: bytes) -> Size | None:
    """Return the size of a JPEG image, or None if the bytes do not lead to its end, or there in too many scans."""
    if not data.startswith(_JPEG) or not data.rstrip(b"\0").endswith(b"\xff\xd9"):
        return None
    place, size, scans, is_press = 2, None, 0, False
    profiles: list[bytes] = []
    while place + 2 <= len(data) and data[place] == 0xFF:
        marker = data[place + 1]
        if marker == 0xFF or marker in _BARE:  # a byte that fills, or a marker without content
            place += 1 if marker == 0xFF else 2
            continue
        if marker == _END:
            weight = scans * SCAN * (2 if is_press else 1)
            if profiles:
                simple = len(profiles) == 1 and len(profiles[0]) <= _SHORT and not _TABLE.search(profiles[0])
                weight = weight + TURNED if simple and not is_press else weight * BY_TABLE
            return replace(size, weight=weight) if size and scans else None
        if place + 4 > len(data) or marker == _START:
            return None
        (length,) = struct.unpack_from(">H", data, place + 2)
        if length < 2:
            return None
        if marker in _FRAMES:
            if size is not None or length < 8 or place + 9 > len(data):
                return None
            height, width = struct.unpack_from(">HH", data, place + 5)
            size = Size(width, height)
            is_press = data[place + 9 : place + 10] == b"\4"
        if marker == _APP2 and data.startswith(_PROFILE, place + 4):
            profiles.append(data[place + 4 : place + 2 + length])
        place += 2 + length
        if marker == _SCAN:  # the picture itself follows, up to the next marker
            scans += 1
            following = _MARKER.search(data, place)
            if size is None or scans > MAX_SCANS or following is None:
                return None
            place = following.start()
    return None


_READERS: dict[str, Callable[[bytes], Size | None]] = {"image/png": png_size, "image/jpeg": jpeg_size}
KINDS = frozenset(_READERS)


def decoded(kind: str, data: object, most: int) -> bytes | None:
    """Return the bytes of an embedded image, or None if it is not what it claims to be or is too large to show.

    Args:
        kind: Its media type.
        data: Its content in base64.
        most: Most bytes.
    """
    found = _read(kind, data, most)
    return found[0] if found else None


def work(kind: str, data: object, most: int) -> int:
    """Return what showing an embedded image takes a browser (`Size.work`); 0 for one that is not to be shown.

    Args:
        kind: Its media type.
        data: Its content in base64.
        most: Most bytes.
    """
    found = _read(kind, data, most)
    return found[1].work if found else 0


def _read(kind: str, data: object, most: int) -> tuple[bytes, Size] | None:
    if kind not in _READERS or not isinstance(data, str) or len(data) > 2 * most:
        return None
    try:
        content = base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    size = _READERS[kind](content) if len(content) <= most else None
    return (content, size) if size is not None and size.fits else None
