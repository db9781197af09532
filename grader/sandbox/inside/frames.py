"""What a frame consists of, how much it may hold, and the errors that sender and receiver raise.

`wire.py` describes the format.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass

VERSION = 1
MAGIC = b"GRDW"
PREFIX = struct.Struct(">4sB3sIQ")
SMALL_INT = 2**53
INT_BITS = 33_220  # 10,000 decimal digits
ENCODER = json.JSONEncoder(ensure_ascii=False, check_circular=False, allow_nan=False, separators=(",", ":"))
ADVICE = "return a NumPy array, number, text, or a list, tuple, dict or set of these"


class WireError(Exception):
    """The other side sent something that is malformed or too large, or is gone."""


class WireClosed(WireError):
    """The other side has ended the connection."""


class WireTimeout(WireError):
    """The deadline has passed."""


class Unsendable(TypeError):
    """A value that cannot be sent.

    Attributes:
        path: Where in the value, such as `[1]['weights']`; empty for the value itself.
        reason: The rest of the message.
    """

    def __init__(self, path: str, reason: str, root: str = "result"):
        super().__init__(f"{root}{path} {reason}")
        self.path = path
        self.reason = reason


@dataclass(frozen=True)
class Limits:
    """How much one frame may hold.

    Args:
        frame_bytes: Bytes of the frame.
        header_bytes: Bytes of its header, which holds all but arrays and bytes.
        depth: Containers within each other.
        nodes: Values of any kind, arrays counting as one.
        text: Characters of all strings together.
        arrays: Whether arrays and NumPy's other values may be in it.
    """

    frame_bytes: int = 64 * 2**20
    header_bytes: int = 4 * 2**20
    depth: int = 32
    nodes: int = 200_000
    text: int = 1_000_000
    arrays: bool = True


DEFAULT_LIMITS = Limits()


def lengths(prefix: bytes | bytearray | memoryview, limits: Limits) -> tuple[int, int]:
    """Return the lengths of header and blobs that a prefix states."""
    if len(prefix) != PREFIX.size:
        raise WireError("the frame is shorter than its prefix")
    magic, version, zero, header, blobs = PREFIX.unpack(prefix)
    if magic != MAGIC or zero != b"\0\0\0":
        raise WireError("this is no frame")
    if version != VERSION:
        raise WireError(f"the frame is of version {version}, not {VERSION}")
    if header > limits.header_bytes or PREFIX.size + header + blobs > limits.frame_bytes:
        raise WireError(f"the frame is too large: a header of {header} bytes, {blobs} bytes of arrays")
    return int(header), int(blobs)
