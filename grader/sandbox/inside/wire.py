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

import io
import json
import math
import re
import select
import socket
import struct
import time
from collections import OrderedDict
from dataclasses import dataclass

import numpy as np

VERSION = 1
MAGIC = b"GRDW"
PREFIX = struct.Struct(">4sB3sIQ")
SMALL_INT = 2**53
INT_BITS = 33_220  # 10,000 decimal digits
NPY_HEADER = 10_000
# Keys of one hash cost time with the square of their number; an honest set has hardly two of them.
EQUAL_HASHES = 64
NUMERIC = re.compile(r"[<>|](?:b1|[iu][1248]|f(?:2|4|8|12|16)|c(?:8|16|24|32))")
# Never fails to match behind a quote, and never goes back: looking for strings stays linear on text that is no JSON.
STRING = re.compile(rb'"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
LONG_NUMBER = re.compile(rb"[-+.0-9eE]{41}")
HEX_FLOAT = re.compile(r"nan|-?inf|-?0x[01]\.[0-9a-f]{1,13}p[-+][0-9]{1,4}")
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

    def __init__(self, path, reason, root="result"):
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
    """

    frame_bytes: int = 64 * 2**20
    header_bytes: int = 4 * 2**20
    depth: int = 32
    nodes: int = 200_000
    text: int = 1_000_000


DEFAULT_LIMITS = Limits()


def dumps(value, *, callback=None, limits=DEFAULT_LIMITS, root="result"):
    """Give a value as one frame.

    Args:
        value: What is sent.
        callback: Takes a callable and returns the number by which it may be asked for; None refuses callables.
        limits: How much it may hold.
        root: What an error message calls the value.

    Raises:
        Unsendable: The value cannot be sent, or is too large; no other exception.
    """
    return b"".join(_parts(value, callback, limits, root))


def loads(frame, *, callback=None, generators=False, limits=DEFAULT_LIMITS):
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
        header, blobs = _lengths(view[: PREFIX.size], limits)
        if len(view) != PREFIX.size + header + blobs:
            raise WireError(f"the frame has {len(view)} bytes, its lengths say {PREFIX.size + header + blobs}")
        return _Reader(view[PREFIX.size :], header, callback, generators, limits).whole()
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"malformed frame ({type(error).__name__})") from error


def send(sock, value, *, callback=None, limits=DEFAULT_LIMITS, deadline=None, root="result"):
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
    _send_parts(sock, _parts(value, callback, limits, root), deadline)


def send_frame(sock, frame, *, deadline=None):
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


def _send_parts(sock, pieces, deadline):
    """Send the pieces of a frame one behind the other."""
    parts = [memoryview(piece) for piece in pieces if len(piece)]
    if sum(map(len, parts)) < 2**16:
        parts = [memoryview(b"".join(parts))]
    flags = socket.MSG_DONTWAIT | getattr(socket, "MSG_NOSIGNAL", 0)
    at = 0
    while at < len(parts):
        sent = _patiently(sock, select.POLLOUT, deadline, sock.sendmsg, parts[at : at + 64], (), flags)
        while at < len(parts) and sent >= len(parts[at]):
            sent -= len(parts[at])
            at += 1
        if sent:
            parts[at] = parts[at][sent:]


def receive(sock, *, callback=None, generators=False, limits=DEFAULT_LIMITS, deadline=None, keep=None):
    """Wait for a value on a blocking stream socket.

    Args:
        sock: The socket.
        callback: As in `loads`.
        generators: As in `loads`.
        limits: As in `loads`.
        deadline: The value of `time.monotonic()` at which to give up, or None.
        keep: Takes the frame as it came, once it was read, or None.

    Raises:
        WireClosed: The other side has ended the connection.
        WireTimeout: The frame was not there in time.
        WireError: As in `loads`.
    """
    prefix = _read(sock, PREFIX.size, deadline, first=True)
    header, blobs = _lengths(prefix, limits)
    body = memoryview(_read(sock, header + blobs, deadline))
    try:
        value = _Reader(body, header, callback, generators, limits).whole()
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"malformed frame ({type(error).__name__})") from error
    if keep is not None:
        keep(bytes(prefix) + bytes(body))
    return value


def _read(sock, size, deadline, first=False):
    """Read so many bytes. The buffer is of zero pages at first: what is claimed costs nothing until it comes."""
    try:
        data = bytearray(size)
    except MemoryError:
        raise WireError(f"no memory for a frame of {size} bytes") from None
    view = memoryview(data)
    have = 0
    while have < size:
        flags = socket.MSG_DONTWAIT
        got = _patiently(sock, select.POLLIN, deadline, sock.recv_into, view[have:], size - have, flags)
        if got == 0:
            raise WireClosed("the other side has ended" + ("" if first and have == 0 else " in the middle of a frame"))
        have += got
    return data


def _patiently(sock, event, deadline, operation, *arguments):
    """Do a socket operation as soon as it can be done, until the deadline."""
    while True:
        if deadline is not None and time.monotonic() >= deadline:
            raise WireTimeout("the other side took too long")
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
        left = None if deadline is None else max(0, math.ceil(1000 * (deadline - time.monotonic())))
        poll.poll(left)


def _lengths(prefix, limits):
    """Give the lengths of header and blobs that a prefix tells."""
    if len(prefix) != PREFIX.size:
        raise WireError("the frame is shorter than its prefix")
    magic, version, zero, header, blobs = PREFIX.unpack(prefix)
    if magic != MAGIC or zero != b"\0\0\0":
        raise WireError("this is no frame")
    if version != VERSION:
        raise WireError(f"the frame is of version {version}, not {VERSION}")
    if header > limits.header_bytes or PREFIX.size + header + blobs > limits.frame_bytes:
        raise WireError(f"the frame is too large: a header of {header} bytes, {blobs} bytes of arrays")
    return header, blobs


def _parts(value, callback, limits, root):
    """Give the pieces that make up a value's frame."""
    try:
        writer = _Writer(callback, limits)
        node = writer.value(value, None, 0, False)
        lengths = [len(head) + len(data) for head, data in writer.blobs]
        header = ENCODER.encode([node, lengths]).encode()
        total = sum(lengths)
        if len(header) > limits.header_bytes or PREFIX.size + len(header) + total > limits.frame_bytes:
            raise _Refusal(None, f"is too large: {len(header) + total} bytes, of which {len(header)} are not in arrays")
        pieces = [piece for blob in writer.blobs for piece in blob]
        return [PREFIX.pack(MAGIC, VERSION, b"\0\0\0", len(header), total), header, *pieces]
    except _Refusal as refusal:
        raise Unsendable(_shown(refusal.path), refusal.reason, root) from refusal.__cause__
    except Exception as error:
        raise Unsendable("", f"cannot be read ({_type_name(type(error))})", root) from error


class _Refusal(Exception):
    """A value cannot be sent: where, and why."""

    def __init__(self, path, reason):
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


class _Writer:
    """Makes the header's value and the blobs.

    It reads built-in types through the built-in types' own methods, so that a subclass is sent as what it holds,
    whatever its methods say.
    """

    def __init__(self, callback, limits):
        self.callback = callback
        self.limits = limits
        self.blobs = []
        self.bytes = self.nodes = self.text = 0

    def value(self, value, path, depth, key):
        """Give the node of a value.

        Args:
            value: The value.
            path: Where it is: None, or the pair of its container's path and its place there.
            depth: How many containers it is in.
            key: Whether it is in a set or is a dict's key.
        """
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            raise _Refusal(None, f"holds more than {self.limits.nodes} values: {ADVICE}")
        kind = type(value)
        if value is None or kind is bool or (kind is float and math.isfinite(value)):
            return value
        if kind is str:
            return self.string(value)
        if issubclass(kind, np.generic):
            return self.scalar(value, path, key)
        if issubclass(kind, int):
            return self.integer(int.__index__(value), path)
        if issubclass(kind, float):
            number = float.__float__(value)
            return number if math.isfinite(number) else ["float", repr(number)]
        if issubclass(kind, str):
            return self.string(str.__str__(value))
        if issubclass(kind, bytes):
            return ["bytes", self.blob(b"", bytes.__getitem__(value, slice(None)), path)]
        if issubclass(kind, complex):
            number = complex.__pos__(value)
            return ["complex", number.real.hex(), number.imag.hex()]
        if issubclass(kind, tuple):
            return ["tuple", *self.members(tuple.__getitem__(value, slice(None)), path, depth, key)]
        if issubclass(kind, frozenset):
            return ["frozenset", *self.members(list(frozenset.__iter__(value)), path, depth, True)]
        if not key:
            return self.unhashable(value, kind, path, depth)
        raise _Refusal(path, f"has a key or member of type {_type_name(kind)}: use numbers, text or tuples of these")

    def unhashable(self, value, kind, path, depth):
        """Give the node of a value that is never a key."""
        if issubclass(kind, np.ndarray):
            return ["array", self.array(np.ndarray.view(value, np.ndarray), path)]
        if issubclass(kind, list):
            return ["list", *self.members(list.copy(value), path, depth, False)]
        if issubclass(kind, dict):
            return self.dictionary(value, kind, path, depth)
        if issubclass(kind, set):
            return ["set", *self.members(list(set.__iter__(value)), path, depth, True)]
        if issubclass(kind, np.random.Generator):
            return self.generator(value, path, depth)
        if _defines(kind, "__array__"):
            return ["array", self.array(self.as_array(value, kind, path), path)]
        if callable(value):
            return self.function(value, kind, path)
        hint = ADVICE
        if issubclass(kind, (range, map, zip, filter, type({}.keys()), type({}.values()), type({}.items()))):
            hint = "make a list of it with list(...)"
        raise _Refusal(path, f"is an object of type {_type_name(kind)}: {hint}")

    def deeper(self, path, depth):
        """Refuse what is too deep."""
        if depth >= self.limits.depth:
            raise _Refusal(path, f"is nested more than {self.limits.depth} deep, or holds itself: {ADVICE}")

    def members(self, values, path, depth, key):
        """Give the nodes of a container's members."""
        self.deeper(path, depth)
        return [self.value(member, (path, at), depth + 1, key) for at, member in enumerate(values)]

    def dictionary(self, value, kind, path, depth):
        """Give a dict's node."""
        self.deeper(path, depth)
        items = OrderedDict.items(value) if issubclass(kind, OrderedDict) else dict.items(value)
        node = ["dict"]
        for name, member in list(items):
            node.append(self.value(name, path, depth + 1, True))
            node.append(self.value(member, (path, name), depth + 1, False))
        return node

    def string(self, text):
        """Give a text's node."""
        self.text += len(text)
        if self.text > self.limits.text:
            raise _Refusal(None, f"holds more than {self.limits.text} characters of text")
        try:
            text.encode()
        except UnicodeEncodeError:
            return ["str", text.encode(errors="surrogatepass").hex()]
        return text

    def integer(self, number, path):
        """Give an integer's node."""
        if -SMALL_INT < number < SMALL_INT:
            return number
        if number.bit_length() > INT_BITS:
            raise _Refusal(path, "is an integer of more than 10,000 digits")
        return ["int", format(number, "x")]

    def scalar(self, value, path, key):
        """Give a NumPy scalar's node."""
        kind = type(value)
        if issubclass(kind, np.str_):
            return ["numpy.str", self.string(str.__str__(value))]
        if issubclass(kind, np.bytes_):
            return ["numpy.bytes", self.blob(b"", bytes.__getitem__(value, slice(None)), path)]
        array = self.known(self.as_array(value, kind, path), path)
        if array.ndim:
            raise _Refusal(path, f"is a scalar of type {_type_name(kind)} that is none: {ADVICE}")
        if NUMERIC.fullmatch(array.dtype.str):
            return ["scalar", array.dtype.str, array.tobytes().hex()]
        if key and array.dtype.kind == "V":
            raise _Refusal(path, "has a record as key or member: use numbers, text or tuples of these")
        return ["item", self.array(array, path)]

    def as_array(self, value, kind, path):
        """Make an array of a tensor or another object that can become one."""
        try:
            array = np.asarray(value)
        except (Exception, SystemExit, GeneratorExit) as error:
            reason = f"is an object of type {_type_name(kind)} that cannot be made an array ({_type_name(type(error))})"
            raise _Refusal(path, f"{reason}: {ADVICE}") from error
        return np.ndarray.view(array, np.ndarray)

    def known(self, array, path):
        """Give an array of a type that the .npy format can carry."""
        if array.nbytes > self.limits.frame_bytes or (array.dtype.itemsize == 0 and array.size > self.limits.nodes):
            raise _Refusal(path, f"is an array of shape {array.shape} and {array.nbytes} bytes, which is too large")
        if array.dtype.isbuiltin == 2:  # bfloat16 and its kind
            return array.astype(np.float32)
        reason = _unknown(array.dtype)
        if reason:
            raise _Refusal(path, f"is an array of {reason}: use an array of numbers")
        return array

    def array(self, array, path):
        """Give the number of an array's blob."""
        array = self.known(array, path)
        if array.dtype.names is not None:
            # Field by field into zeros: the gaps between fields hold whatever was in this process's memory.
            clean = np.zeros_like(array)
            for target, source in zip(_leaves(clean), _leaves(array), strict=True):
                target[...] = source
            array = clean
        elif array.dtype.kind == "b":
            array = array.view(np.uint8) != 0
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            array = array.copy()
        head = io.BytesIO()
        try:
            np.lib.format.write_array_header_1_0(head, np.lib.format.header_data_from_array_1_0(array))
        except ValueError as error:
            raise _Refusal(path, f"is an array of type {str(array.dtype)[:80]}, which cannot be sent") from error
        if len(head.getvalue()) > NPY_HEADER:
            raise _Refusal(path, "is an array of records with too many fields")
        small = array.nbytes < 2**16
        data = array.tobytes(order="A") if small else array.reshape(-1, order="A").view(np.uint8).data
        return self.blob(head.getvalue(), data, path)

    def blob(self, head, data, path):
        """Take up a blob and give its number."""
        self.bytes += len(head) + len(data)
        if self.bytes > self.limits.frame_bytes:
            raise _Refusal(path, f"makes it too large: more than {self.limits.frame_bytes} bytes")
        self.blobs.append((head, data))
        return len(self.blobs) - 1

    def generator(self, value, path, depth):
        """Give a random generator's node."""
        bits = np.random.Generator.bit_generator.__get__(value)
        name = type(bits).__name__
        if name not in GENERATORS or type(bits) is not getattr(np.random, name):
            raise _Refusal(path, f"is a random generator of an unknown kind: {_type_name(type(bits))}")
        return ["generator", name, self.value(bits.state, path, depth + 1, False)]

    def function(self, value, kind, path):
        """Give a callable's node."""
        if self.callback is None:
            raise _Refusal(path, f"is a function or class (of type {_type_name(kind)}): {ADVICE}")
        return ["callback", int(self.callback(value))]


class _Reader:
    """Reads header and blobs."""

    def __init__(self, body, header, callback, generators, limits):
        self.header = bytes(body[:header])
        self.body = body
        self.start = header
        self.callback = callback
        self.generators = generators
        self.limits = limits
        self.nodes = self.text = 0
        self.blobs = {}

    def whole(self):
        """Give the frame's value."""
        # Before JSON makes objects of it: each costs up to 90 bytes of memory, and may be a number of any length.
        skeleton = STRING.sub(b"", self.header)
        if b"{" in skeleton or skeleton.count(b"[") + skeleton.count(b",") > 5 * self.limits.nodes + 64:
            raise WireError("the header holds objects or too many values")
        if LONG_NUMBER.search(skeleton):
            raise WireError("the header holds a number with too many digits")
        node, lengths = json.loads(self.header.decode(), parse_constant=_no_constant)
        at = self.start
        for number, length in enumerate(lengths):
            if type(length) is not int or length < 0:
                raise WireError("a blob's length is none")
            self.blobs[number] = self.body[at : at + length]
            at += length
        if at != len(self.body):
            raise WireError("the lengths of the blobs are not those of the frame")
        value = self.value(node, 0, False)
        if self.blobs:
            raise WireError("a blob belongs to nothing")
        return value

    def value(self, node, depth, key):
        """Give a node's value; `key` tells that it is in a set or a dict's key."""
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            raise WireError(f"more than {self.limits.nodes} values")
        kind = type(node)
        if kind is str:
            return self.string(node)
        if kind is not list:
            return node
        word, *rest = node
        if type(word) is not str:
            raise WireError("a list that does not begin with a word")
        if word in SIMPLE:
            return getattr(self, SIMPLE[word])(*rest)
        if word == "tuple":
            return tuple(self.members(rest, depth, key))
        if word == "frozenset":
            return frozenset(self.distinct(self.members(rest, depth, True)))
        if key:
            raise WireError(f"a key of kind {word[:20]!r}")
        if word == "list":
            return self.members(rest, depth, False)
        if word == "set":
            return set(self.distinct(self.members(rest, depth, True)))
        if word == "dict":
            keys = self.distinct(self.members(rest[::2], depth, True))
            return dict(zip(keys, self.members(rest[1::2], depth, False), strict=True))
        if word == "array":
            return self.array(*rest)
        if word == "generator":
            return self.generator(*rest, depth=depth)
        if word == "callback":
            return self.function(*rest)
        raise WireError(f"an unknown kind of value: {word[:20]!r}")

    def members(self, nodes, depth, key):
        """Give the values of a container's members."""
        if depth >= self.limits.depth:
            raise WireError(f"nested more than {self.limits.depth} deep")
        return [self.value(node, depth + 1, key) for node in nodes]

    def distinct(self, values):
        """Refuse keys that occur twice, or so many of one hash that a dict of them takes for ever."""
        if len(values) > EQUAL_HASHES:
            hashes = sorted(map(hash, values))
            if any(map(int.__eq__, hashes, hashes[EQUAL_HASHES:])):
                raise WireError("too many keys of one hash")
        if len(set(values)) != len(values):
            raise WireError("a key occurs twice")
        return values

    def string(self, text):
        """Count a text."""
        if type(text) is not str:
            raise WireError("a text that is none")
        self.text += len(text)
        if self.text > self.limits.text:
            raise WireError(f"more than {self.limits.text} characters of text")
        return text

    def surrogates(self, digits):
        """Give a text that holds surrogates."""
        return self.string(bytes.fromhex(digits).decode(errors="surrogatepass"))

    def integer(self, digits):
        """Give a long integer."""
        if len(digits) > INT_BITS // 4 + 2 or not re.fullmatch("-?[0-9a-f]+", digits):
            raise WireError("an integer that is none, or too long")
        return int(digits, 16)

    def special(self, text):
        """Give a float that is no number."""
        return float({"nan": "nan", "inf": "inf", "-inf": "-inf"}[text])

    def complex(self, real, imaginary):
        """Give a complex number."""
        if not (HEX_FLOAT.fullmatch(real) and HEX_FLOAT.fullmatch(imaginary)):
            raise WireError("a complex number that is none")
        return complex(float.fromhex(real), float.fromhex(imaginary))

    def blob(self, number):
        """Give a blob, once."""
        if type(number) is not int or number not in self.blobs:
            raise WireError("a blob that is not there, or is used twice")
        return self.blobs.pop(number)

    def raw(self, number):
        """Give bytes."""
        return bytes(self.blob(number))

    def scalar(self, name, digits):
        """Give a NumPy number."""
        if not NUMERIC.fullmatch(name):
            raise WireError("a scalar of an unknown type")
        data = bytes.fromhex(digits)
        dtype = np.dtype(name)
        if len(data) != dtype.itemsize:
            raise WireError("a scalar of the wrong size")
        return _checked(np.frombuffer(data, dtype))[0]

    def item(self, number):
        """Give a NumPy scalar that is no number."""
        array = self.array(number)
        if array.ndim:
            raise WireError("a scalar that has dimensions")
        return array[()]

    def numpy_string(self, text):
        """Give a NumPy text, from a text with or without surrogates."""
        if type(text) is list and text[0] == "str":
            return np.str_(self.surrogates(*text[1:]))
        return np.str_(self.string(text))

    def numpy_bytes(self, number):
        """Give NumPy bytes."""
        return np.bytes_(self.raw(number))

    def array(self, number):
        """Give an array, once its header agrees with the bytes that are there."""
        blob = self.blob(number)
        if bytes(blob[:8]) != b"\x93NUMPY\x01\x00" or len(blob) < 10:
            raise WireError("an array that is not in the .npy format, version 1.0")
        start = 10 + int.from_bytes(blob[8:10], "little")
        head = io.BytesIO(blob[8:start])
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(head, max_header_size=NPY_HEADER)
        data = blob[start:]
        reason = _unknown(dtype)
        if reason or dtype.subdtype or min(shape, default=0) < 0:
            raise WireError(f"an array of {reason or 'an odd type or shape'}")
        count = math.prod(shape)
        if start > len(blob) or count * dtype.itemsize != len(data):
            raise WireError("an array's shape does not agree with its bytes")
        order = "F" if fortran else "C"
        if len(data):
            flat = np.frombuffer(data, dtype)
            array = _checked(flat.reshape(shape, order=order)).copy(order=order)
        elif count <= self.limits.nodes:
            array = np.zeros(shape, dtype, order=order)
        else:
            raise WireError("an array with too many empty elements")
        if array.dtype != dtype:
            raise WireError("an array of a type that no array has")
        return array

    def generator(self, name, state, depth):
        """Give a random generator."""
        if not self.generators:
            raise WireError("random generators are not accepted here")
        state = self.value(state, depth + 1, False)
        # NumPy's setters do not check every position and would read behind their own memory.
        if name not in GENERATORS or not GENERATORS[name](state, state["state"]) or state["bit_generator"] != name:
            raise WireError("a random generator with a state that is none")
        bits = getattr(np.random, name)(0)
        bits.state = state
        return np.random.Generator(bits)

    def function(self, number):
        """Give the callable that stands for a number."""
        if self.callback is None:
            raise WireError("functions are not accepted here")
        if type(number) is not int or not 0 <= number < SMALL_INT:
            raise WireError("a function's number that is none")
        return self.callback(number)


# Word of the header -> the reader's method, for values that may be keys and hold no other values.
SIMPLE = {
    "int": "integer",
    "float": "special",
    "complex": "complex",
    "str": "surrogates",
    "bytes": "raw",
    "scalar": "scalar",
    "item": "item",
    "numpy.str": "numpy_string",
    "numpy.bytes": "numpy_bytes",
}


def _whole(value, bits):
    """Tell whether this is an integer of so many bits."""
    return type(value) is int and 0 <= value < 2**bits


def _words(value, count, dtype):
    """Tell whether this is an array of so many words."""
    return type(value) is np.ndarray and value.shape == (count,) and value.dtype == dtype


def _rest(whole):
    """Tell whether the half word that a generator keeps is one."""
    return _whole(whole["has_uint32"], 1) and _whole(whole["uinteger"], 32)


def _pcg(whole, state):
    return _whole(state["state"], 128) and _whole(state["inc"], 128) and _rest(whole)


GENERATORS = {
    "PCG64": _pcg,
    "PCG64DXSM": _pcg,
    "MT19937": lambda whole, state: _words(state["key"], 624, np.uint32) and state["pos"] in range(625),
    "Philox": lambda whole, state: (
        _words(state["counter"], 4, np.uint64)
        and _words(state["key"], 2, np.uint64)
        and _words(whole["buffer"], 4, np.uint64)
        and whole["buffer_pos"] in range(5)
        and _rest(whole)
    ),
    "SFC64": lambda whole, state: _words(state["state"], 4, np.uint64) and _rest(whole),
}


def _shown(path):
    """Write a path as Python would, without calling any method of a key."""
    steps = []
    while path is not None:
        path, place = path
        plain = type(place) in (str, float, bool, type(None)) or (type(place) is int and abs(place) < SMALL_INT)
        steps.append(f"[{repr(place[:40] if type(place) is str else place) if plain else '...'}]")
    return "".join(steps[:8][::-1]) if len(steps) <= 8 else "".join(["[...]", *steps[:7][::-1]])


def _no_constant(name):
    raise WireError(f"{name} in the header")


def _type_name(kind):
    """Give a type's name, whatever its metaclass says."""
    module = type.__getattribute__(kind, "__dict__").get("__module__")
    name = type.__dict__["__name__"].__get__(kind)
    name = f"{module}.{name}" if type(module) is str and module != "builtins" else name
    return name.encode(errors="replace").decode()[:80]


def _defines(kind, name):
    """Tell whether a class or a base of it defines a method, without running any code of it."""
    return any(name in type.__getattribute__(base, "__dict__") for base in type.__dict__["__mro__"].__get__(kind))


def _unknown(dtype, depth=0):
    """Name what a type holds that cannot be sent, or give an empty string."""
    if depth > 16:
        return "records within records within records"
    if dtype.subdtype is not None:
        return _unknown(dtype.subdtype[0], depth + 1)
    if dtype.names is not None:
        return next(filter(None, (_unknown(dtype.fields[name][0], depth + 1) for name in dtype.names)), "")
    if dtype.kind == "O":
        return "Python objects"
    if dtype.isbuiltin == 2 or dtype.kind not in "biufcmMSUV" or dtype.hasobject:
        return f"type {str(dtype)[:80]}"
    return ""


def _leaves(array):
    """Yield an array, or the arrays of its fields and of their fields."""
    if array.dtype.names is None:
        yield array
    else:
        for name in array.dtype.names:
            yield from _leaves(array[name])


def _checked(array):
    """Refuse bytes that no array of the type holds: a truth value that is neither, a character beyond Unicode."""
    for leaf in _leaves(array):
        odd = False
        if leaf.dtype.kind == "b":
            odd = bool((leaf.view(np.uint8) > 1).any())
        elif leaf.dtype.kind == "U" and leaf.dtype.itemsize:
            codes = np.ascontiguousarray(leaf).reshape(-1).view(leaf.dtype.byteorder.replace("|", "=") + "u4")
            odd = bool((codes > 0x10FFFF).any())
        if odd:
            raise WireError("an array with values that its type does not have")
    return array
