"""From frames to values: nothing that comes is believed before it was checked."""

from __future__ import annotations

import ast
import builtins
import io
import json
import math
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Literal, NoReturn

import numpy as np

from .arrays import GENERATORS, NPY_HEADER, NUMERIC, Array, checked, named, unknown
from .frames import INT_BITS, SMALL_INT, Limits, WireError

# Keys of one hash cost time with the square of their number; an honest set has hardly two of them.
EQUAL_HASHES = 64
# Never fails to match behind a quote, and never goes back: looking for strings stays linear on text that is no JSON.
STRING = re.compile(rb'"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
LONG_NUMBER = re.compile(rb"[-+.0-9eE]{41}")
HEX_FLOAT = re.compile(r"nan|-?inf|-?0x[01]\.[0-9a-f]{1,13}p[-+][0-9]{1,4}")


def read(body: memoryview, header: int, callback: Callable[[int], Any] | None, generators: bool, limits: Limits) -> Any:
    """Return the value of a frame.

    Args:
        body: The frame without its prefix.
        header: Bytes of its header.
        callback: As in `wire.loads`.
        generators: As in `wire.loads`.
        limits: As in `wire.loads`.

    Raises:
        WireError: As in `wire.loads`.
    """
    try:
        return _Reader(body, header, callback, generators, limits).whole()
    except WireError:
        raise
    except Exception as error:
        raise WireError(f"malformed frame ({type(error).__name__})") from error


class _Reader:
    """Reads header and blobs."""

    def __init__(
        self, body: memoryview, header: int, callback: Callable[[int], Any] | None, generators: bool, limits: Limits
    ):
        self.header = bytes(body[:header])
        self.body = body
        self.start = header
        self.callback = callback
        self.generators = generators
        self.limits = limits
        self.nodes = self.text = 0
        self.blobs: dict[int, memoryview] = {}

    def whole(self) -> Any:
        """Return the frame's value."""
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

    def value(self, node: Any, depth: int, key: bool) -> Any:
        """Return a node's value; `key` says whether it is in a set or is a dict's key."""
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
        if word in OF_NUMPY and not self.limits.arrays:
            raise WireError("NumPy's values are not accepted here")
        if word in SIMPLE:
            return getattr(self, SIMPLE[word])(*rest)
        if word == "tuple":
            return tuple(self.members(rest, depth, key))
        if word == "frozenset":
            return frozenset(self.distinct(self.members(rest, depth, True)))
        if key:
            raise WireError("a key of a kind that cannot be one")  # the word is the sender's, so it is not quoted
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
            return self.generator(depth, *rest)
        if word == "callback":
            return self.function(*rest)
        raise WireError("an unknown kind of value")

    def members(self, nodes: list[Any], depth: int, key: bool) -> list[Any]:
        """Return the values of a container's members."""
        if depth >= self.limits.depth:
            raise WireError(f"nested more than {self.limits.depth} deep")
        return [self.value(node, depth + 1, key) for node in nodes]

    def distinct(self, values: list[Any]) -> list[Any]:
        """Refuse keys that occur twice, or so many of one hash that a dict of them takes for ever."""
        if len(values) > EQUAL_HASHES:
            hashes = sorted(map(hash, values))
            if any(map(int.__eq__, hashes, hashes[EQUAL_HASHES:])):
                raise WireError("too many keys of one hash")
        if len(set(values)) != len(values):
            raise WireError("a key occurs twice")
        return values

    def string(self, text: str) -> str:
        """Return a text, once it was counted."""
        if type(text) is not str:
            raise WireError("a text that is none")
        self.text += len(text)
        if self.text > self.limits.text:
            raise WireError(f"more than {self.limits.text} characters of text")
        return text

    def surrogates(self, digits: str) -> str:
        """Return a text that holds surrogates."""
        return self.string(bytes.fromhex(digits).decode(errors="surrogatepass"))

    def integer(self, digits: str) -> int:
        """Return a long integer."""
        if len(digits) > INT_BITS // 4 + 2 or not re.fullmatch("-?[0-9a-f]+", digits):
            raise WireError("an integer that is none, or too long")
        return int(digits, 16)

    def special(self, text: str) -> float:
        """Return a float that is no number."""
        return float({"nan": "nan", "inf": "inf", "-inf": "-inf"}[text])

    def complex(self, real: str, imaginary: str) -> builtins.complex:
        """Return a complex number."""
        if not (HEX_FLOAT.fullmatch(real) and HEX_FLOAT.fullmatch(imaginary)):
            raise WireError("a complex number that is none")
        return complex(float.fromhex(real), float.fromhex(imaginary))

    def blob(self, number: int) -> memoryview:
        """Return a blob, once."""
        if type(number) is not int or number not in self.blobs:
            raise WireError("a blob that is not there, or is used twice")
        return self.blobs.pop(number)

    def raw(self, number: int) -> bytes:
        """Return bytes."""
        return bytes(self.blob(number))

    def scalar(self, name: str, digits: str) -> np.generic:
        """Return a NumPy number."""
        if not NUMERIC.fullmatch(name):
            raise WireError("a scalar of an unknown type")
        data = bytes.fromhex(digits)
        dtype = np.dtype(name)
        if len(data) != dtype.itemsize:
            raise WireError("a scalar of the wrong size")
        number: np.generic = checked(np.frombuffer(data, dtype))[0]
        return number

    def item(self, number: int) -> Any:
        """Return a NumPy scalar that is no number."""
        array = self.array(number)
        if array.ndim:
            raise WireError("a scalar that has dimensions")
        return array[()]

    def numpy_string(self, text: Any) -> np.str_:
        """Return a NumPy text, from a text with or without surrogates."""
        if type(text) is list and text[0] == "str":
            return np.str_(self.surrogates(*text[1:]))
        return np.str_(self.string(text))

    def numpy_bytes(self, number: int) -> np.bytes_:
        """Return NumPy bytes."""
        return np.bytes_(self.raw(number))

    def array(self, number: int) -> Array:
        """Return an array, once its header agrees with the bytes that are there."""
        blob = self.blob(number)
        if bytes(blob[:8]) != b"\x93NUMPY\x01\x00" or len(blob) < 10:
            raise WireError("an array that is not in the .npy format, version 1.0")
        start = 10 + int.from_bytes(blob[8:10], "little")
        shape, fortran, dtype = _head(bytes(blob[8:start]))
        data = blob[start:]
        count = math.prod(shape)
        if start > len(blob) or count * dtype.itemsize != len(data):
            raise WireError("an array's shape does not agree with its bytes")
        order: Literal["C", "F"] = "F" if fortran else "C"
        if len(data):
            flat = np.frombuffer(data, dtype)
            array = checked(flat.reshape(shape, order=order)).copy(order=order)
        elif count <= self.limits.nodes:
            array = np.zeros(shape, dtype, order=order)
        else:
            raise WireError("an array with too many empty elements")
        if array.dtype != dtype:
            raise WireError("an array of a type that no array has")
        return array

    def generator(self, depth: int, name: str, state: Any) -> np.random.Generator:
        """Return a random generator."""
        if not self.generators:
            raise WireError("random generators are not accepted here")
        state = self.value(state, depth + 1, False)
        # NumPy's setters do not check every position and would read behind their own memory.
        if name not in GENERATORS or not GENERATORS[name](state, state["state"]) or state["bit_generator"] != name:
            raise WireError("a random generator with a state that is none")
        bits = getattr(np.random, name)(0)
        bits.state = state
        # Its seed, from which it would spawn others, does not come along: one that is another for each state will do.
        bits = getattr(np.random, name)(bits.random_raw())
        bits.state = state
        return np.random.Generator(bits)

    def function(self, number: int) -> Any:
        """Return the callable that stands for a number."""
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
#: The header of an array of numbers as NumPy writes it; its own reader takes ten times as long.
_COMMON_HEAD = re.compile(
    rb"\{'descr': '([<>|](?:b1|[iu][1248]|f[248]|c(?:8|16)))', 'fortran_order': (True|False), "
    rb"'shape': \((|(?:0|[1-9]\d{0,11}),|(?:0|[1-9]\d{0,11})(?:, (?:0|[1-9]\d{0,11}))+)\), \} *\n"
)
_WHOLE = re.compile(rb"\d+")
#: Of `.npy` files; NumPy 2.3 does not say its types.
_FORMAT: Any = np.lib.format
#: Words of values that NumPy makes.
OF_NUMPY = frozenset({"scalar", "item", "numpy.str", "numpy.bytes", "array", "generator"})


@lru_cache(maxsize=256)
def _head(head: bytes) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, order and type from the header of an `.npy` file, which most arrays of a test have in common.

    Args:
        head: Its length in two bytes, and the header.

    Raises:
        WireError: If no array that may cross has such a header.
    """
    text = head[2:]
    if common := _COMMON_HEAD.fullmatch(text):
        name, columns, shape = common.groups()
        return tuple(map(int, _WHOLE.findall(shape))), columns == b"True", np.dtype(name.decode())
    if len(text) > NPY_HEADER or not named(ast.literal_eval(text.decode("latin-1"))["descr"]):
        raise WireError("an array of a type that has no such name")
    shape, fortran, dtype = _FORMAT.read_array_header_1_0(io.BytesIO(head), max_header_size=NPY_HEADER)
    reason = unknown(dtype)
    if reason or dtype.subdtype or min(shape, default=0) < 0:
        raise WireError(f"an array of {reason or 'an odd type or shape'}")
    return shape, fortran, dtype


def _no_constant(name: str) -> NoReturn:
    raise WireError(f"{name} in the header")
