"""From values to frames: each value becomes a node of the header, arrays and bytes become blobs behind it."""

from __future__ import annotations

import io
import math
from collections import OrderedDict
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

import numpy as np

from .arrays import GENERATORS, NPY_HEADER, NUMERIC, Array, leaves, unknown
from .frames import ADVICE, ENCODER, INT_BITS, MAGIC, PREFIX, SMALL_INT, VERSION, Limits, Unsendable

#: Of `.npy` files; NumPy 2.3 does not say its types.
_FORMAT: Any = np.lib.format
#: Where a value is: None for the whole, or the pair of its container's place and its index or key there.
Place = tuple["Place", object] | None
#: The kinds that are never keys, as most values are that hold others.
_CONTAINERS = frozenset({np.ndarray, list, dict})
#: The value as the header's JSON has it.
Node = Any
#: Bytes, or the memory of an array.
Piece = bytes | memoryview


def parts(value: object, callback: Callable[[Any], int] | None, limits: Limits, root: str) -> list[Piece]:
    """Return the pieces that make up a value's frame."""
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

    def __init__(self, path: Place, reason: str):
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


class _Writer:
    """Makes the header's value and the blobs.

    It reads built-in types through the built-in types' own methods, so that a subclass is sent as what it holds,
    whatever its methods say.
    """

    def __init__(self, callback: Callable[[Any], int] | None, limits: Limits):
        self.callback = callback
        self.limits = limits
        self.blobs: list[tuple[bytes, Piece]] = []
        self.bytes = self.nodes = self.text = 0

    def value(self, value: Any, path: Place, depth: int, key: bool) -> Node:
        """Return the node of a value.

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
        if kind is int and -SMALL_INT < value < SMALL_INT:
            return value
        if kind in _CONTAINERS and not key:  # what most values are, before what they might be is gone through
            return self.unhashable(value, kind, path, depth)
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
            pair = complex.__pos__(value)
            return ["complex", pair.real.hex(), pair.imag.hex()]
        if issubclass(kind, tuple):
            return ["tuple", *self.members(tuple.__getitem__(value, slice(None)), path, depth, key)]
        if issubclass(kind, frozenset):
            return ["frozenset", *self.members(list(frozenset.__iter__(value)), path, depth, True)]
        if not key:
            return self.unhashable(value, kind, path, depth)
        raise _Refusal(path, f"has a key or member of type {_type_name(kind)}: use numbers, text or tuples of these")

    def unhashable(self, value: Any, kind: type, path: Place, depth: int) -> Node:
        """Return the node of a value that is never a key."""
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

    def deeper(self, path: Place, depth: int) -> None:
        """Refuse what is too deep."""
        if depth >= self.limits.depth:
            raise _Refusal(path, f"is nested more than {self.limits.depth} deep, or holds itself: {ADVICE}")

    def members(self, values: Iterable[Any], path: Place, depth: int, key: bool) -> list[Node]:
        """Return the nodes of a container's members."""
        self.deeper(path, depth)
        return [self.value(member, (path, at), depth + 1, key) for at, member in enumerate(values)]

    def dictionary(self, value: Any, kind: type, path: Place, depth: int) -> Node:
        """Return a dict's node."""
        self.deeper(path, depth)
        items = OrderedDict.items(value) if issubclass(kind, OrderedDict) else dict.items(value)
        node: list[Node] = ["dict"]
        for name, member in list(items):
            node.append(self.value(name, path, depth + 1, True))
            node.append(self.value(member, (path, name), depth + 1, False))
        return node

    def string(self, text: str) -> Node:
        """Return a text's node."""
        self.text += len(text)
        if self.text > self.limits.text:
            raise _Refusal(None, f"holds more than {self.limits.text} characters of text")
        try:
            text.encode()
        except UnicodeEncodeError:
            return ["str", text.encode(errors="surrogatepass").hex()]
        return text

    def integer(self, number: int, path: Place) -> Node:
        """Return an integer's node."""
        if -SMALL_INT < number < SMALL_INT:
            return number
        if number.bit_length() > INT_BITS:
            raise _Refusal(path, "is an integer of more than 10,000 digits")
        return ["int", format(number, "x")]

    def scalar(self, value: Any, path: Place, key: bool) -> Node:
        """Return a NumPy scalar's node."""
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

    def as_array(self, value: Any, kind: type, path: Place) -> Array:
        """Make an array of a tensor or another object that can become one."""
        try:
            array = np.asarray(value)
        except (Exception, SystemExit, GeneratorExit) as error:
            reason = f"is an object of type {_type_name(kind)} that cannot be made an array ({_type_name(type(error))})"
            raise _Refusal(path, f"{reason}: {ADVICE}") from error
        return np.ndarray.view(array, np.ndarray)

    def known(self, array: Array, path: Place) -> Array:
        """Return an array of a type that the .npy format can carry."""
        if array.nbytes > self.limits.frame_bytes or (array.dtype.itemsize == 0 and array.size > self.limits.nodes):
            raise _Refusal(path, f"is an array of shape {array.shape} and {array.nbytes} bytes, which is too large")
        if array.dtype.isbuiltin == 2:  # bfloat16 and its kind
            return array.astype(np.float32)
        reason = unknown(array.dtype)
        if reason:
            raise _Refusal(path, f"is an array of {reason}: use an array of numbers")
        return array

    def array(self, array: Array, path: Place) -> int:
        """Return the number of an array's blob."""
        array = self.known(array, path)
        if array.dtype.names is not None:
            # Field by field into zeros: the gaps between fields hold whatever was in this process's memory. They do so
            # with `zeros_like`, too, which fills the fields of a record alone.
            by_columns = array.flags.f_contiguous and not array.flags.c_contiguous
            clean = np.zeros(array.shape, array.dtype, order="F" if by_columns else "C")
            for target, source in zip(leaves(clean), leaves(array), strict=True):
                target[...] = source
            array = clean
        elif array.dtype.kind == "b":
            array = array.view(np.uint8) != 0
        if not (array.flags.c_contiguous or array.flags.f_contiguous):
            array = array.copy()
        try:
            maker = _head if array.dtype.names is None else _head.__wrapped__  # records that differ may count as equal
            head = maker(array.dtype, array.shape, bool(array.flags.c_contiguous))
        except ValueError as error:
            raise _Refusal(path, f"is an array of type {str(array.dtype)[:80]}, which cannot be sent") from error
        if len(head) > NPY_HEADER:
            raise _Refusal(path, "is an array of records with too many fields")
        small = array.nbytes < 2**16
        data = array.tobytes(order="A") if small else array.reshape(-1, order="A").view(np.uint8).data
        return self.blob(head, data, path)

    def blob(self, head: bytes, data: Piece, path: Place) -> int:
        """Take up a blob and return its number."""
        self.bytes += len(head) + len(data)
        if self.bytes > self.limits.frame_bytes:
            raise _Refusal(path, f"makes it too large: more than {self.limits.frame_bytes} bytes")
        self.blobs.append((head, data))
        return len(self.blobs) - 1

    def generator(self, value: Any, path: Place, depth: int) -> Node:
        """Return a random generator's node."""
        bits = np.random.Generator.bit_generator.__get__(value)
        name = type(bits).__name__
        if name not in GENERATORS or type(bits) is not getattr(np.random, name):
            raise _Refusal(path, f"is a random generator of an unknown kind: {_type_name(type(bits))}")
        return ["generator", name, self.value(bits.state, path, depth + 1, False)]

    def function(self, value: Any, kind: type, path: Place) -> Node:
        """Return a callable's node."""
        if self.callback is None:
            raise _Refusal(path, f"is a function or class (of type {_type_name(kind)}): {ADVICE}")
        return ["callback", int(self.callback(value))]


@lru_cache(maxsize=256)
def _head(dtype: np.dtype[Any], shape: tuple[int, ...], rows: bool) -> bytes:
    """Return the header of an `.npy` file, which most arrays of a test have in common.

    Args:
        dtype: The array's type.
        shape: Its shape.
        rows: Whether its rows come one after the other, and not its columns.

    Raises:
        ValueError: If the format has no name for the type.
    """
    head = io.BytesIO()
    told = {"descr": _FORMAT.dtype_to_descr(dtype), "fortran_order": not rows, "shape": shape}
    _FORMAT.write_array_header_1_0(head, told)
    return head.getvalue()


def _shown(path: Place) -> str:
    """Write a path as Python would, without calling any method of a key."""
    steps = []
    while path is not None:
        path, place = path
        plain = type(place) in (str, float, bool, type(None)) or (type(place) is int and abs(place) < SMALL_INT)
        steps.append(f"[{repr(place[:40] if type(place) is str else place) if plain else '...'}]")
    return "".join(steps[:8][::-1]) if len(steps) <= 8 else "".join(["[...]", *steps[:7][::-1]])


def _type_name(kind: type) -> str:
    """Return a type's name, whatever its metaclass says."""
    module = type.__getattribute__(kind, "__dict__").get("__module__")
    name = type.__dict__["__name__"].__get__(kind)
    name = f"{module}.{name}" if type(module) is str and module != "builtins" else name
    return name.encode(errors="replace").decode()[:80]


def _defines(kind: type, name: str) -> bool:
    """Return whether a class or a base of it defines a method, without running any code of it."""
    return any(name in type.__getattribute__(base, "__dict__") for base in type.__dict__["__mro__"].__get__(kind))
