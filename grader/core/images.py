"""Read the size of an image from its bytes, or find that it is none, without decoding it.

Who decodes an image of a student's is the browser of whoever opens the page; a file of some bytes can ask it for
gigabytes. So the structure is walked through to its end, and the size in pixels is part of the answer. A browser gets
what was walked through and counted, and nothing else of the file: a photo may have another one inside or behind it, in
which nobody counted anything, such as the map of what is brighter on a better screen.
"""

from __future__ import annotations

import base64
import binascii
import re
import struct
import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace

#: Most pixels along one side, and in all, of an image that is let in.
MAX_SIDE, MAX_PIXELS = 8_000, 16_000_000
_PNG, _JPEG = b"\x89PNG\r\n\x1a\n", b"\xff\xd8"
#: Most chunks of a PNG, and segments of a JPEG, that are walked through: 3 MB in pieces of 150 bytes. Usual programs
#: write a few kilobytes into each.
MAX_PIECES = 20_000
#: Chunks that every PNG may hold; of others only those that a reader may ignore, and none that begins an animation.
_CRITICAL, _ANIMATION = {b"IHDR", b"PLTE", b"IDAT", b"IEND"}, {b"acTL", b"fcTL", b"fdAT"}
#: Those that a browser gets besides: what is transparent, colours, and which side is up. A PNG has one of each.
_SEEN = {b"tRNS", b"gAMA", b"cHRM", b"sRGB", b"sBIT", b"iCCP", b"cICP", b"eXIf"}
#: The bits of a sample that PNG has for each of its types of colour; it has one way to compress, one to filter, and two
#: orders of lines. A browser refuses all others, and shows a text in place of the image.
_DEPTHS = {0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}}
#: JPEG's markers that open a frame and give its size: baseline, extended, progressive. The others open one that few
#: browsers show, or one whose arithmetic takes five times as long as it would count, so there is no such picture.
_FRAMES = {0xC0, 0xC1, 0xC2}
_OTHER_FRAMES = {*range(0xC3, 0xD0)} - {0xC4, 0xC8, 0xCC}
#: The next marker with content, or the end, behind those without and behind bytes that fill: all at once, since there
#: may be millions of them. No repetition is tried again with less.
_NEXT = re.compile(rb"(?:\xff++[\x01\xd0-\xd7])*+\xff++([^\xff])", re.DOTALL)
_START, _END, _SCAN = 0xD8, 0xD9, 0xDA
#: Other markers without which there is no picture: tables of three kinds, and how often a scan begins anew.
_TABLES = {0xC4, 0xDB, 0xDD}
#: Segments of programs by how they begin: the two that say what the numbers of a colour mean, which side is up, and the
#: profile of the colours. A browser goes through those that it has for each that comes, so it gets the first of each
#: kind, and as many parts of a profile as can be numbered.
_APP2, _PROFILE, _PARTS = 0xE2, b"ICC_PROFILE\0", 255
_PROGRAMS = {0xE0: b"JFIF\0", 0xE1: b"Exif\0", _APP2: _PROFILE, 0xEE: b"Adobe"}
#: What ends the data of a scan: a marker that is none of those that stand in it.
_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7\xff]", re.DOTALL)
#: Most scans of a JPEG: a browser goes over the whole picture in each. Usual programs write about ten. Most segments
#: that a browser gets: a hundred scans with tables of their own need some hundreds.
MAX_SCANS, MAX_SEGMENTS = 100, 2_000
#: What a scan of a JPEG counts for each pixel; twice that if it has the four colours of a press. What a PNG counts, and
#: one whose lines come in seven turns; twice that if its samples have 16 bits.
SCAN, PNG_SCANS, INTERLACED_SCANS = 2, 4, 12
#: How many times as much it is if each pixel is brought into another space of colours by a table. Which chunks may ask
#: for that, and how a JPEG does. A camera's profile has no table and is short: it counts once for all scans.
BY_TABLE, TURNED = 4, 2
_PROFILES = {b"iCCP", b"gAMA", b"cHRM", b"cICP"}
_TABLE, _SHORT = re.compile(rb"[AB]2[AB]|D2B|B2D"), 20_000
#: What a byte of a PNG's profile counts, which is packed: it may stand for a thousand. Those of a short one are free.
PACKED, FREE = 350, 1_000


@dataclass(frozen=True)
class Size:
    """The size of an image in pixels."""

    width: int
    height: int
    #: What showing it takes a browser for each of them.
    weight: int = field(default=1, compare=False)
    #: And besides, whatever its size is.
    besides: int = field(default=0, compare=False)

    @property
    def fits(self) -> bool:
        """Whether a page may show an image of this size."""
        return min(self.width, self.height) > 0 and max(self.width, self.height) <= MAX_SIDE and self._area_fits

    @property
    def _area_fits(self) -> bool:
        return self.width * self.height <= MAX_PIXELS

    @property
    def work(self) -> int:
        """What showing it takes a browser: its pixels, weighed, and its profile."""
        return self.width * self.height * self.weight + self.besides


@dataclass(frozen=True)
class Picture:
    """An image as a browser gets it.

    Args:
        size: Its size.
        content: The bytes that were counted: those of its file if there are no others in it.
    """

    size: Size
    content: bytes

    @property
    def data(self) -> str:
        """Its bytes in base64."""
        return base64.b64encode(self.content).decode()


def png_size(data: bytes) -> Size | None:
    """Return the size of a PNG image, or None if the bytes are not one whole still image and nothing else.

    One in too many pieces is none either.
    """
    found = _png(data)
    return found.size if found else None


def jpeg_size(data: bytes) -> Size | None:
    """Return the size of a JPEG image, or None if the bytes do not lead to its end, or there in too many steps."""
    found = _Jpeg(data).picture()
    return found.size if found else None


def _png(data: bytes) -> Picture | None:
    """Walk through a PNG."""
    if not data.startswith(_PNG):
        return None
    place, size, besides, chunks = len(_PNG), None, 0, 0
    # Not searched from its start for each chunk: there may be as many of those before it, each of a kind of its own.
    kinds, kept = Counter[bytes](), [_PNG]
    while place + 12 <= len(data) and chunks < MAX_PIECES:
        (length,) = struct.unpack_from(">I", data, place)
        kind, end = data[place + 4 : place + 8], place + 12 + length
        if end > len(data) or struct.unpack_from(">I", data, end - 4)[0] != zlib.crc32(data[place + 4 : end - 4]):
            return None
        if kind in _ANIMATION or (kind[0:1].isupper() and kind not in _CRITICAL):
            return None
        if not kinds:
            size = _header(data[place + 8 : end - 4]) if kind == b"IHDR" else None
            if size is None:
                return None
        if kind in _CRITICAL or (kind in _SEEN and kind not in kinds):
            kept.append(data[place:end])
            besides += PACKED * max(length - FREE, 0) if kind == b"iCCP" else 0
        kinds[kind] += 1
        chunks += 1
        place = end
        if kind == b"IEND":
            break
    whole = place == len(data) and kinds[b"IHDR"] == kinds[b"IEND"] == 1 and b"IDAT" in kinds
    if size and not _PROFILES.isdisjoint(kinds):
        size = replace(size, weight=BY_TABLE * size.weight, besides=besides)
    return Picture(size, b"".join(kept)) if size and whole else None


def _header(content: bytes) -> Size | None:
    """Return the size that a PNG's first chunk gives, or None if there is no such PNG."""
    if len(content) != 13:
        return None
    width, height, depth, colour, *ways = struct.unpack(">IIBBBBB", content)
    if depth not in _DEPTHS.get(colour, ()) or ways not in ([0, 0, 0], [0, 0, 1]):
        return None
    weight = INTERLACED_SCANS if ways[2] else PNG_SCANS
    return Size(width, height, weight=2 * weight if depth == 16 else weight)


class _Jpeg:
    """Walks through a JPEG from segment to segment, and writes it anew from those that are counted.

    Args:
        data: The file.
    """

    def __init__(self, data: bytes):
        self.data, self.kept = data, [_JPEG]
        self.size: Size | None = None
        self.scans, self.segments, self.is_press = 0, 0, False
        self.profiles: list[bytes] = []
        self.programs = set[int]()

    def picture(self) -> Picture | None:
        """Return the picture, or None if there is none or in too many steps; what is behind its end is left out."""
        data, place = self.data, len(_JPEG)
        if not data.startswith(_JPEG):
            return None
        while place and (following := _NEXT.match(data, place)):
            marker = following[1][0]
            if marker == _END:
                return self._whole()
            place = self._after(marker, following.end() - 2)
        return None

    def _after(self, marker: int, place: int) -> int:
        """Return where the segment at a place ends, with the data of a scan; 0 if it is none that may be here."""
        if place + 4 > len(self.data) or marker == _START:
            return 0
        (length,) = struct.unpack_from(">H", self.data, place + 2)
        end: int = place + 2 + length
        self.segments += 1
        if length < 2 or self.segments > MAX_PIECES or marker in _OTHER_FRAMES:
            return 0
        if marker in _FRAMES and not self._frame(self.data[place + 4 : end]):
            return 0
        if marker == _SCAN:  # the picture itself follows, up to the next marker
            self.scans += 1
            following = _MARKER.search(self.data, end)
            if self.size is None or self.scans > MAX_SCANS or following is None:
                return 0
            end = following.start()
        if marker in _FRAMES or marker in _TABLES or marker == _SCAN or self._is_seen(marker, place + 4, end):
            self.kept.append(self.data[place:end])
        return end if len(self.kept) <= 1 + MAX_SEGMENTS else 0

    def _is_seen(self, marker: int, start: int, end: int) -> bool:
        """Take up what a program wrote in a segment, and return whether a browser gets it."""
        begins = _PROGRAMS.get(marker)
        if begins is None or not self.data.startswith(begins, start, end):
            return False
        if marker == _APP2:
            if len(self.profiles) == _PARTS:
                return False
            self.profiles.append(self.data[start:end])
            return True
        is_first = marker not in self.programs
        self.programs.add(marker)
        return is_first

    def _frame(self, content: bytes) -> bool:
        """Take up what opens the frame, and return whether it is the first one."""
        if self.size is not None or len(content) < 6:
            return False
        height, width, colours = struct.unpack_from(">HHB", content, 1)
        self.size, self.is_press = Size(width, height), colours == 4
        return True

    def _whole(self) -> Picture | None:
        weight = self.scans * SCAN * (2 if self.is_press else 1)
        if self.profiles:
            profile = self.profiles[0]
            simple = len(self.profiles) == 1 and len(profile) <= _SHORT and not _TABLE.search(profile)
            weight = weight + TURNED if simple and not self.is_press else weight * BY_TABLE
        if self.size is None or not self.scans:
            return None
        return Picture(replace(self.size, weight=weight), b"".join([*self.kept, bytes((0xFF, _END))]))


_READERS: dict[str, Callable[[bytes], Picture | None]] = {
    "image/png": _png,
    "image/jpeg": lambda data: _Jpeg(data).picture(),
}
KINDS = frozenset(_READERS)


def picture(kind: object, data: object, most: int) -> Picture | None:
    """Return an embedded image, or None if it is not what it claims to be or is too large to show.

    Args:
        kind: Its media type.
        data: Its content in base64.
        most: Most bytes.
    """
    if kind not in _READERS or not isinstance(data, str) or len(data) > 2 * most:
        return None
    try:
        content = base64.b64decode("".join(data.split()), validate=True)
    except (binascii.Error, ValueError):
        return None
    found = _READERS[str(kind)](content) if len(content) <= most else None
    return found if found is not None and found.size.fits else None


def decoded(kind: str, data: object, most: int) -> bytes | None:
    """Return the bytes of an embedded image that a browser gets (`picture`), or None if it is not to be shown."""
    found = picture(kind, data, most)
    return found.content if found else None


def work(kind: str, data: object, most: int) -> int:
    """Return what showing an embedded image takes a browser (`Size.work`); 0 for one that is not to be shown."""
    found = picture(kind, data, most)
    return found.size.work if found else 0
