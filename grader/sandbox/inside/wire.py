"""How the trusted and the student side of marking talk: plain values in frames, nothing pickled, nothing evaluated.

It needs the standard library and NumPy only.

**Frame.** Numbers are unsigned and big-endian::

    offset  bytes  content
    0       4      magic, b"GRDW"
    4       1      version, 1
    5       3      zero
    8       4      H, bytes of the header
    12      8      B, bytes of all blobs together
    20      H      header: JSON in UTF-8
    20+H    B      the blobs, one behind the other, in the order of the header's list

The frame ends there. The header is `[value, lengths]`: a value as below, and a list with the bytes of each blob.
Every blob is used by exactly one place in the value. There are no JSON objects in the header, no NaN or Infinity,
and no number is written with more than 40 characters.

**Values** in the header. `null`, `true`, `false` and strings are themselves. A number without `.`, `e` and `E` is an
integer (of at most 53 bits), any other number a float of 64 bits. The rest are lists that begin with a word::

    ["int", "-ff..."]                an integer of any size, in hexadecimal
    ["float", "nan"]                 also "inf" and "-inf"
    ["complex", "0x1.8p+0", "nan"]   real and imaginary part as in C99's %a (Python's float.hex)
    ["str", "eda080"]                text that holds surrogates: its UTF-8 with surrogates passed, in hexadecimal
    ["bytes", 0]                     the blob's number, counted from 0
    ["list", v, ...]  ["tuple", v, ...]  ["set", v, ...]  ["frozenset", v, ...]
    ["dict", key, value, key, value, ...]
    ["array", 0]                     a blob in the .npy format, version 1.0, without objects
    ["scalar", "<f4", "0000c03f"]    a NumPy number or truth value: its type and bytes
    ["item", 0]                      another NumPy scalar (a date, a record): a blob with a .npy array of no dimension
    ["numpy.str", text]  ["numpy.bytes", 0]
    ["generator", "PCG64", state]    a numpy.random.Generator: its bit generator's name and state
    ["callback", 3]                  a function that stays where it is, by a number that its owner gave it

Members of sets and keys of dicts are numbers, text, bytes, None, NumPy scalars (no records), and tuples and frozensets
of these; none appears twice. Values are trees: an object that occurs twice is sent twice and arrives as two.

`Limits` hold on both sides. After a `WireError` from `receive` or `send` the connection is of no more use; after an
`Unsendable` it is, because nothing was sent.
"""

from __future__ import annotations

import math
import select
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from .arrays import GENERATORS
from .decoding import SIMPLE, read
from .encoding import Piece, parts
from .frames import (
    ADVICE,
    DEFAULT_LIMITS,
    MAGIC,
    PREFIX,
    VERSION,
    Limits,
    Unsendable,
    WireClosed,
    WireError,
    WireTimeout,
    lengths,
)

__all__ = [
    "ADVICE",
    "DEFAULT_LIMITS",
    "GENERATORS",
    "MAGIC",
    "PREFIX",
    "SIMPLE",
    "VERSION",
    "Limits",
    "Unsendable",
    "WireClosed",
    "WireError",
    "WireTimeout",
    "dumps",
    "loads",
    "receive",
    "send",
    "send_frame",
]

#: Who gets fewer bytes than this and wants more waits so long for them to gather: to be woken for each byte costs more
#: than to send it, and nobody counts that.
_LITTLE, _GATHERING_S = 1024, 0.001
#: Pieces with so many bytes are sent as they are; smaller ones go together.
_LARGE = 2**16
#: Seconds after which whoever waits looks up, if there is something to be done meanwhile.
_MEANWHILE_S = 0.25
#: Returns the number by which a function that stays behind may be asked for.
Kept = Callable[[Any], int]
#: Returns the function that stands for such a number.
Found = Callable[[int], Any]


def dumps(
    value: object, *, callback: Kept | None = None, limits: Limits = DEFAULT_LIMITS, root: str = "result"
) -> bytes:
    """Return a value as one frame.

    Args:
        value: What is sent.
        callback: Takes a callable and returns the number by which it may be asked for; None refuses callables.
        limits: How much it may hold.
        root: What an error message calls the value.

    Raises:
        Unsendable: The value cannot be sent, or is too large; no other exception.
    """
    return b"".join(parts(value, callback, limits, root))


def loads(
    frame: bytes | bytearray | memoryview,
    *,
    callback: Found | None = None,
    generators: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Any:
    """Read one frame.

    Args:
        frame: The bytes.
        callback: Takes a number and returns the callable that stands for it; None refuses them.
        generators: Whether random generators are accepted.
        limits: How much it may hold.

    Raises:
        WireError: The frame is malformed or too large, or holds what is not accepted; no other exception.
    """
    try:
        view = memoryview(frame).cast("B")
        header, blobs = lengths(view[: PREFIX.size], limits)
        if len(view) != PREFIX.size + header + blobs:
            raise WireError(f"the frame has {len(view)} bytes, its lengths say {PREFIX.size + header + blobs}")
        return read(view[PREFIX.size :], header, callback, generators, limits)
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"malformed frame ({type(error).__name__})") from error


def send(
    sock: socket.socket,
    value: object,
    *,
    callback: Kept | None = None,
    limits: Limits = DEFAULT_LIMITS,
    deadline: float | None = None,
    root: str = "result",
) -> None:
    """Send a value over a blocking stream socket.

    Args:
        sock: The socket.
        value: What is sent.
        callback: As in `dumps`.
        limits: As in `dumps`.
        deadline: The value of `time.monotonic()` at which to give up, or None.
        root: As in `dumps`.

    Raises:
        Unsendable: As in `dumps`; nothing was sent.
        WireTimeout: The other side did not take it in time.
        WireClosed: The other side is gone.
    """
    _send_parts(sock, parts(value, callback, limits, root), deadline)


def send_frame(sock: socket.socket, frame: bytes, *, deadline: float | None = None) -> None:
    """Send a frame from `dumps` over a blocking stream socket.

    Args:
        sock: The socket.
        frame: The bytes.
        deadline: As in `send`.

    Raises:
        WireTimeout: As in `send`.
        WireClosed: As in `send`.
    """
    _send_parts(sock, [frame], deadline)


def _send_parts(sock: socket.socket, pieces: Sequence[Piece], deadline: float | None) -> None:
    """Send the pieces of a frame one behind the other."""
    flags = socket.MSG_DONTWAIT | getattr(socket, "MSG_NOSIGNAL", 0)
    for piece in _gathered(pieces):
        left = memoryview(piece)
        while left:
            left = left[_patiently(sock, select.POLLOUT, deadline, sock.send, left, flags) :]


def _gathered(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Put small pieces together, so that not each of them costs a call; `sendmsg`, which could, is forbidden here."""
    small: list[Piece] = []
    size = 0
    for piece in pieces:
        if len(piece) < _LARGE:
            small.append(piece)
            size += len(piece)
        if small and (size >= _LARGE or len(piece) >= _LARGE):
            yield b"".join(small)
            small, size = [], 0
        if len(piece) >= _LARGE:
            yield piece
    yield b"".join(small)


def receive(
    sock: socket.socket,
    *,
    callback: Found | None = None,
    generators: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    deadline: float | None = None,
    keep: Callable[[bytes], object] | None = None,
    meanwhile: Callable[[], object] | None = None,
) -> Any:
    """Wait for a value on a blocking stream socket.

    Args:
        sock: The socket.
        callback: As in `loads`.
        generators: As in `loads`.
        limits: As in `loads`.
        deadline: The value of `time.monotonic()` at which to give up, or None.
        keep: Takes the frame as it came, once it was read, or None.
        meanwhile: Called often while the frame comes, or None; an exception of its own ends the waiting.

    Raises:
        WireClosed: The other side has ended the connection.
        WireTimeout: The frame was not there in time.
        WireError: As in `loads`.
    """
    prefix = _read(sock, PREFIX.size, deadline, meanwhile, first=True)
    header, blobs = lengths(prefix, limits)
    body = memoryview(_read(sock, header + blobs, deadline, meanwhile))
    value = read(body, header, callback, generators, limits)
    if keep is not None:
        keep(bytes(prefix) + bytes(body))
    return value


def _read(
    sock: socket.socket,
    size: int,
    deadline: float | None,
    meanwhile: Callable[[], object] | None,
    first: bool = False,
) -> bytearray:
    """Read so many bytes. The buffer is of zero pages at first: what is claimed costs nothing until it comes."""
    try:
        data = bytearray(size)
    except MemoryError:
        raise WireError(f"no memory for a frame of {size} bytes") from None
    view = memoryview(data)
    have = 0
    while have < size:
        into = view[have:], size - have, socket.MSG_DONTWAIT
        got = _patiently(sock, select.POLLIN, deadline, sock.recv_into, *into, meanwhile=meanwhile)
        if got == 0:
            raise WireClosed("the other side has ended" + ("" if first and have == 0 else " in the middle of a frame"))
        have += got
        if got < _LITTLE and have < size:
            time.sleep(_GATHERING_S)
    return data


def _patiently(
    sock: socket.socket,
    event: int,
    deadline: float | None,
    operation: Callable[..., int],
    *arguments: Any,
    meanwhile: Callable[[], object] | None = None,
) -> int:
    """Do a socket operation as soon as it can be done, until the deadline."""
    while True:
        if deadline is not None and time.monotonic() >= deadline:
            raise WireTimeout("the other side took too long")
        if meanwhile is not None:
            meanwhile()
        try:
            return operation(*arguments)
        except BlockingIOError:
            pass
        except TimeoutError:
            raise WireTimeout("the other side took too long") from None
        except ConnectionError:
            raise WireClosed("the other side has ended") from None
        except OSError as error:
            raise WireError(f"the connection failed: {error}") from None
        poll = select.poll()
        poll.register(sock, event)
        left_s = math.inf if deadline is None else max(0.0, deadline - time.monotonic())
        left_s = left_s if meanwhile is None else min(left_s, _MEANWHILE_S)
        poll.poll(None if math.isinf(left_s) else math.ceil(1000 * left_s))
