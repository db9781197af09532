"""Frames between the two sides: everything arrives as it was, nothing malformed does harm."""

import collections
import contextlib
import enum
import io
import json
import math
import os
import re
import socket
import struct
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from grader.sandbox import warm
from grader.sandbox.inside import decoding, wire
from grader.sandbox.inside.frames import PREFIX
from grader.sandbox.inside.wire import Limits, Unsendable, WireClosed, WireError, WireTimeout

MODEST = settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def same(a, b):
    """Tell whether two values are of the same types and hold the same bits."""
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray | np.generic) and not isinstance(a, np.str_ | np.bytes_):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype.names is not None:
            return all(same(a[name], b[name]) for name in a.dtype.names)
        return a.tobytes() == b.tobytes()
    if isinstance(a, float):
        return struct.pack("d", a) == struct.pack("d", b) or (math.isnan(a) and math.isnan(b))
    if isinstance(a, complex):
        return same(a.real, b.real) and same(a.imag, b.imag)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return len(a) == len(b) and all(map(same, a, b)) and all(map(same, a.values(), b.values()))
    if isinstance(a, set | frozenset):
        return len(a) == len(b) and all(any(same(x, y) for y in b) for x in a)
    return a == b


# Every kind of type that the .npy format carries, both byte orders, with dates of all units, text and records.
PLAIN_TYPES = st.one_of(
    npst.boolean_dtypes(),
    npst.integer_dtypes(endianness="?"),
    npst.unsigned_integer_dtypes(endianness="?"),
    npst.floating_dtypes(endianness="?", sizes=(16, 32, 64)),
    npst.complex_number_dtypes(endianness="?", sizes=(64, 128)),
    npst.datetime64_dtypes(endianness="?"),
    npst.timedelta64_dtypes(endianness="?"),
    npst.byte_string_dtypes(endianness="?"),
    npst.unicode_string_dtypes(endianness="?"),
)
TYPES = PLAIN_TYPES | npst.array_dtypes(PLAIN_TYPES, allow_subarrays=False) | npst.nested_dtypes(PLAIN_TYPES)
# The format's version 1.0 has no other names of fields; that they are refused is tested below.
TYPES = TYPES.filter(lambda dtype: dtype.subdtype is None and str(dtype).isascii())
SHAPES = npst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@st.composite
def arrays(draw):
    """Arrays of any type, in C and Fortran order, reversed, with steps."""
    array = draw(npst.arrays(draw(TYPES), draw(SHAPES)))
    how = draw(st.sampled_from(["C", "F", "reversed", "steps", "transposed"]))
    if how == "F":
        return np.asfortranarray(array) if array.ndim else array
    if how == "reversed" and array.ndim:
        return array[::-1]
    if how == "steps" and array.ndim:
        return array[..., ::2]
    return array.T if how == "transposed" else array


SCALARS = PLAIN_TYPES.flatmap(lambda dtype: npst.arrays(dtype, ())).map(lambda array: array[()])
TEXTS = st.text(st.characters(), max_size=20)  # with surrogates
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(-(2**200), 2**200),
    st.floats(),
    st.complex_numbers(),
    TEXTS,
    st.binary(max_size=50),
    SCALARS,
)
KEYS = st.recursive(PLAIN, lambda keys: st.tuples(keys, keys) | st.frozensets(keys, max_size=3), max_leaves=5)
VALUES = st.recursive(
    PLAIN | arrays() | KEYS,
    lambda values: st.one_of(
        st.lists(values, max_size=5),
        st.lists(values, max_size=5).map(tuple),
        st.dictionaries(KEYS, values, max_size=5),
        st.sets(KEYS, max_size=5),
        st.frozensets(KEYS, max_size=5),
    ),
    max_leaves=20,
)


@MODEST
@given(VALUES)
@example(-0.0)
@example(float("-inf"))
@example(10**9_999)
@example(-(10**9_999))
@example("\ud83d\ude00 and \U0001f600")  # two surrogates, and the one character they are not
@example(np.str_("a\0"))
@example([True, 1, 1.0, np.True_, np.int8(1), np.float16(1), np.longdouble(1) / 3])
@example({(1, ("a", None)): {frozenset({b"x"})}})
@example([[], (), {}, set(), frozenset(), "", b"", np.zeros((0, 3)), np.zeros((), "S3")])
def test_a_value_arrives_as_it_was(value):
    assert same(wire.loads(wire.dumps(value)), value)


@MODEST
@given(arrays())
def test_an_array_is_writable_owns_its_memory_and_keeps_its_order(array):
    back = wire.loads(wire.dumps(array))
    assert same(back, np.asarray(array))
    assert back.flags.writeable
    assert back.flags.owndata
    if array.size:
        assert back.flags.f_contiguous >= (array.flags.f_contiguous and not array.flags.c_contiguous)


def test_small_pieces_are_sent_together_and_large_ones_as_they_are():
    pieces = [b"a", memoryview(b"bc"), b"d" * 2**16, b"", b"e" * 2**15, b"f" * 2**15, b"g", *[b"h" * 1000] * 200]
    gathered = list(wire._gathered(pieces))
    assert b"".join(gathered) == b"".join(pieces)
    assert gathered[:3] == [b"abc", b"d" * 2**16, b"e" * 2**15 + b"f" * 2**15]
    assert any(piece is pieces[2] for piece in gathered)
    assert len(gathered) == 3 + 4


def test_large_arrays_arrive():
    rng = np.random.default_rng(0)
    for array in (rng.random((300, 400)), np.asfortranarray(rng.random((300, 400))), rng.random((300, 800))[:, ::2]):
        assert same(wire.loads(wire.dumps(array)), array)
    dates = np.arange(100_000).astype("M8[D]")
    assert same(wire.loads(wire.dumps(dates)), dates)


def test_an_object_that_occurs_twice_arrives_as_two():
    array = np.zeros(2)
    first, second = wire.loads(wire.dumps([array, array]))
    first[0] = 1
    assert second[0] == 0


class Text(str):
    def __str__(self):
        raise RuntimeError

    __repr__ = __hash__ = __str__
    __eq__ = __len__ = __iter__ = None


class Many(list):
    def __len__(self):
        return 10**12

    def __iter__(self):
        while True:
            yield self


class Whole(int):
    def __index__(self):
        return 5

    __int__ = __index__


class Array(np.ndarray):
    shape = property(lambda self: (1, 2, 3))
    dtype = property(lambda self: "object")

    def __array_finalize__(self, other):
        pass

    def tobytes(self, order=None):
        return b"forged"


class Tensor:
    def __init__(self, make):
        self.make = make

    def __array__(self, dtype=None, copy=None):
        return self.make()


class Colour(enum.IntEnum):
    RED = 3


Point = collections.namedtuple("Point", "x y")


@pytest.mark.parametrize(
    ("value", "arrives"),
    [
        (Text("abc"), "abc"),
        (Many([1, 2]), [1, 2]),
        (Whole(7), 7),
        (Colour.RED, 3),
        (Point(1, 2), (1, 2)),
        (collections.Counter("aab"), {"a": 2, "b": 1}),
        (type("Real", (float,), {"__float__": lambda self: 9.0})(0.5), 0.5),
        (type("Real", (np.float32,), {"dtype": None})(0.5), np.float32(0.5)),
        (np.arange(3).view(Array), np.arange(3)),
        pytest.param(
            np.array([[1, 2]]).view(np.matrix),
            np.array([[1, 2]]),
            marks=pytest.mark.filterwarnings("ignore::PendingDeprecationWarning"),
        ),
        (np.ma.array([1.0, 2.0], mask=[0, 1]), np.array([1.0, 2.0])),
        (np.rec.array([(1, 2.0)]), np.array([(1, 2.0)], dtype=[("f0", "i8"), ("f1", "f8")])),
        (Tensor(lambda: np.arange(4.0)), np.arange(4.0)),
        (Tensor(lambda: np.arange(4.0).view(Array)), np.arange(4.0)),
        (Tensor(lambda: np.float32(3)), None),  # not an array: refused
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_subclass_is_sent_as_what_it_holds(value, arrives):
    if arrives is None:
        with pytest.raises(Unsendable):
            wire.dumps(value)
    else:
        assert same(wire.loads(wire.dumps(value)), arrives)


def test_an_ordered_dict_keeps_its_own_order():
    ordered = collections.OrderedDict(a=1, b=2)
    ordered.move_to_end("a")
    assert list(wire.loads(wire.dumps(ordered))) == ["b", "a"]


def test_small_floats_of_machine_learning_become_float32():
    ml_dtypes = pytest.importorskip("ml_dtypes")
    for name in ("bfloat16", "float8_e5m2", "float8_e4m3fn"):
        kind = getattr(ml_dtypes, name)
        assert same(wire.loads(wire.dumps(np.array([1.5, -2.0], kind))), np.array([1.5, -2.0], np.float32))
        assert same(wire.loads(wire.dumps([kind(1.5)])), [np.float32(1.5)])


def circle():
    values = []
    values.append({"again": values})
    return values


def explode(error):
    raise error


def doubled(levels=60):
    values = []
    for _ in range(levels):
        values = [values, values]
    return values


class Liar:
    """Says that it is of another type."""

    @property
    def __class__(self):
        raise RuntimeError


class Meta(type):
    __module__ = property(lambda cls: explode(RuntimeError()))
    __name__ = property(lambda cls: explode(RuntimeError()))

    def __instancecheck__(cls, other):
        return True

    def mro(cls):
        return [cls, object]


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), f"result is an object of type object: {wire.ADVICE}"),
        ([1, {"a": (2, object())}], f"result[1]['a'][1] is an object of type object: {wire.ADVICE}"),
        ({(1, 2): object()}, f"result[...] is an object of type object: {wire.ADVICE}"),
        (range(3), "result is an object of type range: make a list of it with list(...)"),
        ({}.keys(), "make a list"),
        ((number for number in range(3)), "result is an object of type generator"),
        (len, "result is a function or class (of type builtin_function_or_method)"),
        (Liar, "result is a function or class (of type type)"),
        (Liar(), "result is an object of type test_wire.Liar"),
        (Meta("Strange", (), {})(), "Strange"),
        ({object(): 1}, "has a key or member of type object"),
        ({1: 1, Tensor(None): 1}, "has a key or member of type test_wire.Tensor"),
        ({len}, "has a key or member of type builtin_function_or_method"),
        (np.array([1, None]), "result is an array of Python objects"),
        (np.zeros(2, dtype=[("a", "f8"), ("b", [("c", object)])]), "result is an array of Python objects"),
        (np.array(["a"], dtype=np.dtypes.StringDType()), "result is an array of type StringDType()"),
        (Tensor(lambda: explode(ValueError("secret"))), "test_wire.Tensor that cannot be made an array (ValueError)"),
        (Tensor(lambda: explode(SystemExit())), "cannot be made an array (SystemExit)"),
        (Tensor(lambda: Tensor(lambda: None)), "cannot be made an array"),
        (Tensor(lambda: np.array([None])), "Python objects"),
        (np.broadcast_to(1.0, (10**12,)), "is an array of shape (1000000000000,) and 8000000000000 bytes"),
        (np.empty((10**7,), np.dtype([])), "too large"),
        (np.zeros(1, [(f"field{number}", "i4") for number in range(1000)]), "too many fields"),
        (np.zeros(1, [("\u3042", "i4")]), "cannot be sent"),
        (np.zeros(1, np.dtype({"names": ["a", "b"], "formats": ["i4", "i4"], "offsets": [0, 2]})), "cannot be sent"),
        (circle(), "]['again'] is nested more than 32 deep, or holds itself"),
        (doubled(), "[0][0] is nested more than 32 deep"),
        (doubled(20), "result holds more than 200000 values"),
        ([0] * 200_000, "result holds more than 200000 values"),
        ("a" * 1_000_001, "result holds more than 1000000 characters"),
        (["a" * 600_000, "b" * 600_000], "result holds more than 1000000 characters"),
        (["\0" * 900_000], "result is too large"),
        ([10**10_100], "result[0] is an integer of more than 10,000 digits"),
        ([np.zeros(2**22)] * 3, "result[1] makes it too large"),
        (b"a" * (2**26 + 1), "result makes it too large"),
        (np.random.RandomState(1), "result is an object of type RandomState"),
    ],
    ids=lambda value: str(value)[:40] if type(value) is str else "",
)
def test_what_cannot_be_sent_is_refused_with_its_place(value, message):
    with pytest.raises(Unsendable) as caught:
        wire.dumps(value)
    assert message in str(caught.value)
    assert len(str(caught.value)) < 400
    assert str(caught.value) == f"result{caught.value.path} {caught.value.reason}"


def test_the_root_of_a_message_can_be_named():
    with pytest.raises(Unsendable, match=r"^the second argument\[0\] is a"):
        wire.dumps([len], root="the second argument")


def test_deep_recursion_is_refused_also_with_other_limits():
    wide = Limits(depth=10**6, nodes=10**7)
    with pytest.raises(Unsendable):
        wire.dumps(circle(), limits=wide)
    frame = framed(json.loads("[" * 900 + '"list"' + "]" * 900), [])
    with pytest.raises(WireError):
        wire.loads(frame, limits=wide)


@pytest.mark.parametrize("name", sorted(wire.GENERATORS))
def test_random_generators_go_on_where_they_were(name):
    rng = np.random.Generator(getattr(np.random, name)(5))
    rng.random(3)
    rng.integers(10, size=3, dtype=np.int32)
    frame = wire.dumps({"rng": rng})
    back = wire.loads(frame, generators=True)["rng"]
    assert type(back) is np.random.Generator
    assert np.array_equal(back.integers(100, size=1000, dtype=np.int32), rng.integers(100, size=1000, dtype=np.int32))
    with pytest.raises(WireError, match="not accepted"):
        wire.loads(frame)


def test_a_generator_with_a_position_behind_its_memory_is_refused():
    frame = wire.dumps(np.random.Generator(np.random.MT19937(5)))
    broken = re.sub(rb'"pos",62\d', b'"pos",999', frame)
    assert broken != frame
    with pytest.raises(WireError, match="state"):
        wire.loads(broken, generators=True)


def test_callables_go_by_number():
    sent, here = [], {}

    def number(function):
        sent.append(function)
        here[len(sent)] = function
        return len(sent)

    frame = wire.dumps([len, {"f": abs}, len], callback=number)
    assert wire.loads(frame, callback=here.__getitem__) == [len, {"f": abs}, len]
    with pytest.raises(WireError, match="functions"):
        wire.loads(frame)
    with pytest.raises(WireError):
        wire.loads(frame, callback={}.__getitem__)


# Malformed frames -----------------------------------------------------------------------------------------------------


def framed(node, blobs, version=wire.VERSION, lengths=None):
    """Make a frame by the specification."""
    lengths = [len(blob) for blob in blobs] if lengths is None else lengths
    header = node if type(node) is bytes else json.dumps([node, lengths]).encode()
    body = b"".join(blobs)
    return struct.pack(">4sB3xIQ", b"GRDW", version, len(header), len(body)) + header + body


def npy(descr, shape, data=b"", fortran=False, raw=None):
    """Make a .npy blob that may claim what it likes."""
    text = raw or str({"descr": descr, "fortran_order": fortran, "shape": shape}).encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


def test_a_frame_made_by_the_specification_is_read():
    node = ["list", 1, 2.5, ["array", 1], ["tuple", ["bytes", 0], None], ["scalar", "<f4", "0000c03f"]]
    value = wire.loads(framed(node, [b"ab", npy("<i2", (2,), b"\1\0\2\0")]))
    assert same(value, [1, 2.5, np.array([1, 2], "<i2"), (b"ab", None), np.float32(1.5)])


GOOD = npy("<f8", (2,), bytes(16))
COLLIDING = [number * (2**61 - 1) for number in range(1, 3000)]
MALFORMED = {
    "empty": b"",
    "magic": b"XXXX" + wire.dumps(1)[4:],
    "version": framed(1, [], version=2),
    "reserved": wire.dumps(1)[:5] + b"\1" + wire.dumps(1)[6:],
    "header claims 4 GiB": struct.pack(">4sB3xIQ", b"GRDW", 1, 2**32 - 1, 0),
    "blobs claim 16 EiB": struct.pack(">4sB3xIQ", b"GRDW", 1, 2, 2**64 - 1) + b"[]",
    "trailing": wire.dumps(1) + b"x",
    "no JSON": framed(b"nothing", []),
    "no UTF-8": framed(b'["\xff\xff",[]]', []),
    "no list": framed(b"1", []),
    "one part": framed(b"[1]", []),
    "object": framed(b'[{"a":1},[]]', []),
    "constant": framed(b"[NaN,[]]", []),
    "long number": framed(b"[" + b"1" * 100_000 + b",[]]", []),
    "long float": framed(b"[1." + b"1" * 100_000 + b",[]]", []),
    "deep": framed(b"[" * 200_000, []),
    "deep and closed": framed(b"[" * 100_000 + b"]" * 100_000, []),
    "deep lists": framed(json.loads('["list",' * 40 + "1" + "]" * 40), []),
    "wide": framed(b"[[" + b"[]," * 1_200_000 + b"1],[]]", []),
    "quotes": framed(b'"' + b'\\"' * 1_000_000 + b"\\", []),
    "unknown word": framed(["pickle", 0], [b"x"]),
    "word is none": framed([1, 2], []),
    "word is a list": framed([["list"], 2], []),
    "empty node": framed([], []),
    "missing blob": framed(["array", 0], []),
    "negative blob": framed(["array", -1], [GOOD]),
    "blob twice": framed(["list", ["array", 0], ["array", 0]], [GOOD]),
    "blob unused": framed(1, [GOOD]),
    "blob number is true": framed(["list", ["array", True], ["array", 0]], [GOOD, GOOD]),
    "blob number is text": framed(["array", "0"], [GOOD]),
    "lengths negative": framed(["bytes", 0], [b"abc"], lengths=[-3]),
    "lengths short": framed(["bytes", 0], [b"abc"], lengths=[2]),
    "lengths long": framed(["bytes", 0], [b"abc"], lengths=[4]),
    "lengths are no list": framed(["bytes", 0], [b"abc"], lengths=3),
    "int": framed(["int", "0x12"], []),
    "int is a number": framed(["int", 12], []),
    "int too long": framed(["int", "f" * 9000], []),
    "int of text": framed(["int", "१२"], []),
    "float": framed(["float", "1"], []),
    "float unhashable": framed(["float", []], []),
    "complex": framed(["complex", "0x1p+99999", "nan"], []),
    "complex too long": framed(["complex", "0x1." + "0" * 100_000 + "p+0", "nan"], []),
    "str": framed(["str", "zz"], []),
    "str of bytes": framed(["str", "ff"], []),
    "numpy.str": framed(["numpy.str", ["list"]], []),
    "numpy.str of a number": framed(["numpy.str", 5], []),
    "too many arguments": framed(["complex", "nan", "nan", "nan"], []),
    "dict odd": framed(["dict", 1, 2, 3], []),
    "dict key twice": framed(["dict", 1, 2, 1, 3], []),
    "dict key equal": framed(["dict", 1, 2, True, 3], []),
    "dict key list": framed(["dict", ["list"], 2], []),
    "dict key array": framed(["dict", ["array", 0], 2], [GOOD]),
    "dict key record": framed(["dict", ["item", 0], 2], [npy([("a", "<i4")], (), bytes(4))]),
    "dict key callback": framed(["dict", ["callback", 1], 2], []),
    "set twice": framed(["set", 1, 1], []),
    "set of set": framed(["set", ["set"]], []),
    "hashes collide": framed(["set", *(["int", format(number, "x")] for number in COLLIDING)], []),
    "scalar of objects": framed(["scalar", "|O8", "00" * 8], []),
    "scalar size": framed(["scalar", "<f4", "00"], []),
    "scalar truth": framed(["scalar", "|b1", "02"], []),
    "scalar type": framed(["scalar", "(1000000000,)f8", "00"], []),
    "item with dimensions": framed(["item", 0], [GOOD]),
    "npy magic": framed(["array", 0], [b"\x93NUMPZ" + GOOD[6:]]),
    "npy version": framed(["array", 0], [GOOD[:6] + b"\2" + GOOD[7:]]),
    "npy empty": framed(["array", 0], [b""]),
    "npy short": framed(["array", 0], [GOOD[:9]]),
    "npy cut": framed(["array", 0], [GOOD[:-1]]),
    "npy long": framed(["array", 0], [GOOD + b"\0"]),
    "npy header cut": framed(["array", 0], [GOOD[:30]]),
    "npy header large": framed(["array", 0], [npy("<f8", (1,), bytes(8), raw=b" " * 60_000)]),
    "npy header deep": framed(["array", 0], [npy("", (), raw=b"(" * 9_000)]),
    "npy header minus": framed(["array", 0], [npy("", (), raw=b"-" * 9_000 + b"1")]),
    "npy header code": framed(["array", 0], [npy("", (), raw=b"__import__('os').system('true')")]),
    "npy pickle": framed(["array", 0], [npy("|O", (1,), b"\x80\x04K\x01.")]),
    "npy record of objects": framed(["array", 0], [npy([("a", "|O")], (1,), bytes(8))]),
    "npy shape huge": framed(["array", 0], [npy("<f8", (2**40,), bytes(16))]),
    "npy shape overflows": framed(["array", 0], [npy("<f8", (2**62, 4), b"")]),
    "npy shape huge and empty": framed(["array", 0], [npy("<f8", (0, 2**62, 2**62), b"")]),
    "npy shape negative": framed(["array", 0], [npy("<f8", (-1, -2), bytes(16))]),
    "npy shape of truth": framed(["array", 0], [npy("<f8", (True, "2"), bytes(16))]),
    "npy shape of many": framed(["array", 0], [npy("<f8", (1,) * 100, bytes(8))]),
    "npy shape of nothing": framed(["array", 0], [npy([], (2**40,), b"")]),
    "npy type huge": framed(["array", 0], [npy("<U500000000", (1,), b"")]),
    "npy subarray": framed(["array", 0], [npy("(1000000000,)<f8", (0,), b"")]),
    "npy type unknown": framed(["array", 0], [npy("bfloat16", (1,), bytes(2))]),
    "npy truth": framed(["array", 0], [npy("|b1", (2,), b"\0\2")]),
    "npy truth in a record": framed(["array", 0], [npy([("a", "|b1"), ("b", "|b1")], (1,), b"\0\2")]),
    "npy character": framed(["array", 0], [npy("<U1", (1,), b"\xff\xff\xff\xff")]),
    "generator": framed(["generator", "PCG64", ["dict"]], []),
    "generator unknown": framed(["generator", "SeedSequence", ["dict", "state", 1]], []),
    "generator state": framed(["generator", "PCG64", 1], []),
    "callback": framed(["callback", "x"], []),
    "callback negative": framed(["callback", -1], []),
}


def read_all(frame):
    """Read with everything accepted."""
    return wire.loads(frame, callback={0: len, 1: abs}.__getitem__, generators=True)


@pytest.mark.parametrize("name", MALFORMED)
def test_malformed_frames_are_refused_and_take_no_memory(name):
    frame = MALFORMED[name]
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            read_all(frame)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # Python's tokenizer takes 2.4 MB for an odd .npy header of 9,000 bytes, which is the longest that is looked at.
    assert peak < 5 * len(frame) + 3 * 2**20


@pytest.mark.parametrize("node", [["bob copied it", 1], ["dict", ["bob copied it"], 1], ["set", ["bob copied it"]]])
def test_words_of_the_sender_are_not_said_again(node):
    with pytest.raises(WireError) as refused:
        read_all(framed(node, []))
    assert "bob" not in str(refused.value)


@MODEST
@given(st.binary(max_size=300))
def test_random_bytes_are_refused(data):
    for frame in (data, wire.dumps(1)[:20] + data, framed(data, []), framed(["array", 0], [data])):
        with pytest.raises(WireError):
            read_all(frame)


RICH = {
    "call": ["softmax", 2**70, 1.5, float("nan"), 1j, "\ud800", b"bytes", np.str_("x"), np.bytes_(b"y"), (1, {2, 3})],
    "arrays": [
        np.arange(6.0).reshape(2, 3),
        np.zeros(2, [("a", "?"), ("b", "U2")]),
        np.float32(1),
        np.datetime64("NaT"),
    ],
    "rest": [frozenset({None}), len, np.random.default_rng(1), np.random.Generator(np.random.MT19937(1))],
}
FRAME = wire.dumps(RICH, callback=lambda function: 1)


@MODEST
@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 7)), min_size=1, max_size=3))
def test_flipped_bits_are_refused_or_read(flips):
    frame = bytearray(FRAME)
    for at, bit in flips:
        frame[at % len(frame)] ^= 1 << bit
    with contextlib.suppress(WireError):  # no other exception
        read_all(bytes(frame))


def test_every_flipped_header_byte_is_refused_or_read():
    for at in range(600):
        frame = bytearray(FRAME)
        frame[at] ^= 1 + at % 7
        with contextlib.suppress(WireError):  # no other exception
            read_all(bytes(frame))


@MODEST
@given(st.integers(0, len(FRAME) - 1))
def test_cut_frames_are_refused(length):
    with pytest.raises(WireError):
        read_all(FRAME[:length])


def worded(nodes):
    return WORDS.map(lambda word: [word, *nodes])


WORDS = st.sampled_from([*wire.SIMPLE, "array", "list", "tuple", "set", "dict", "generator", "callback"])
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["", "nan", "ff", "<f4", "PCG64"]),
    lambda nodes: st.lists(nodes, max_size=4) | st.lists(nodes, min_size=1, max_size=3).flatmap(worded),
    max_leaves=12,
)


@MODEST
@given(JUNK, st.lists(st.binary(max_size=20) | st.just(GOOD), max_size=3))
def test_headers_of_the_right_words_in_the_wrong_places(node, blobs):
    with contextlib.suppress(WireError):  # no other exception
        read_all(framed(node, blobs))


def test_a_huge_claim_costs_nothing():
    tracemalloc.start()
    try:
        with pytest.raises(WireError):
            wire.loads(framed(["array", 0], [npy("<f8", (2**22,), bytes(100))]))
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()


def test_limits_hold_for_the_reader_too():
    for value, limits in (
        ([[[1]]], Limits(depth=2)),
        ([1] * 100, Limits(nodes=100)),
        (["abc"] * 40, Limits(text=119)),
        ({"abc": 1, "def": 2}, Limits(text=5)),
        (np.zeros(1000), Limits(frame_bytes=8000)),
        (list(range(100)), Limits(header_bytes=200)),
    ):
        frame = wire.dumps(value)
        assert same(wire.loads(frame), value)
        with pytest.raises(WireError):
            wire.loads(frame, limits=limits)
        with pytest.raises(Unsendable):
            wire.dumps(value, limits=limits)


def test_gaps_between_fields_do_not_leave_the_process():
    padded = np.dtype([("a", "i1"), ("b", "i8")], align=True)
    memory = np.frombuffer(bytearray(b"\xaa" * 32), padded)
    memory["a"], memory["b"] = 1, 2  # only the gaps hold the pattern now
    assert b"\xaa" * 7 in memory.tobytes()
    assert b"\xaa" not in wire.dumps(memory)
    assert same(wire.loads(wire.dumps(memory)), memory)


# Sockets --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def pair():
    here, there = socket.socketpair()
    yield here, there
    here.close()
    there.close()


def test_values_cross_a_socket_in_order(pair):
    here, there = pair
    square = np.random.default_rng(0).random((1000, 1000))
    values = [1, square, "text", [np.zeros(3)] * 200, {"a": square.T}]
    sender = threading.Thread(target=lambda: [wire.send(here, value) for value in values], daemon=True)
    sender.start()
    for value in values:
        assert same(wire.receive(there, deadline=time.monotonic() + 60), value)
    sender.join(60)


def test_an_unsendable_value_leaves_the_connection_usable(pair):
    here, there = pair
    with pytest.raises(Unsendable):
        wire.send(here, [1, object()])
    wire.send(here, "next")
    assert wire.receive(there) == "next"


def test_a_peer_that_is_gone(pair):
    here, there = pair
    there.sendall(wire.dumps(1) + wire.dumps(2)[:-1])
    there.close()
    assert wire.receive(here) == 1
    with pytest.raises(WireClosed, match="middle"):
        wire.receive(here)
    with pytest.raises(WireClosed):
        wire.receive(here)
    with pytest.raises(WireClosed):
        wire.send(here, np.zeros(10**6))


def test_the_deadline_holds_for_a_silent_peer_and_for_a_slow_one(pair):
    here, there = pair
    with pytest.raises(WireTimeout):
        wire.receive(here, deadline=time.monotonic() + 0.05)
    stop = threading.Event()

    def trickle():
        for byte in wire.dumps("x" * 10_000):
            if stop.wait(0.01):
                return
            there.send(bytes([byte]))

    thread = threading.Thread(target=trickle, daemon=True)
    thread.start()
    with pytest.raises(WireTimeout):
        wire.receive(here, deadline=time.monotonic() + 0.1)
    stop.set()
    thread.join(60)


def test_the_deadline_holds_for_a_peer_that_does_not_read(pair):
    here, _ = pair
    with pytest.raises(WireTimeout):
        wire.send(here, np.zeros(10**6), deadline=time.monotonic() + 0.1)
    with pytest.raises(WireTimeout):
        wire.send(here, 1, deadline=time.monotonic() - 1)


def test_a_claimed_length_is_not_allocated_before_it_comes(pair):
    here, there = pair
    there.sendall(struct.pack(">4sB3xIQ", b"GRDW", 1, 2**32 - 1, 0))
    with pytest.raises(WireError, match="too large"):
        wire.receive(here)


def test_it_needs_nothing_but_its_own_package_and_numpy():
    program = (
        "import sys\n"
        "sys.path += sys.argv[1:]\n"
        "from inside import wire\n"
        "assert wire.loads(wire.dumps([1, 'a'])) == [1, 'a']\n"
        "print(*{name.split('.')[0] for name in sys.modules} - set(sys.stdlib_module_names))\n"
    )
    # -I: neither the current folder nor PYTHONPATH is on the search path. -S: site's own hooks import nothing.
    paths = [str(warm.INSIDE.parent), str(Path(np.__file__).parent.parent)]
    done = subprocess.run([sys.executable, "-IS", "-c", program, *paths], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) <= {"__main__", "inside", "numpy"}


# Types by which a header ends its reader, found by trying; NumPy divides by their zero.
@pytest.mark.parametrize("unit", ["2s/0", "s/0", "0s", "10ms/0", "s//3", ""])
@pytest.mark.parametrize("form", ["<M8[{}]", ">m8[{}]", "[('a', '<m8[{}]')]", "[('a', [('b', '|M8[{}]', (2,))])]"])
def test_a_header_with_an_odd_unit_of_time_is_refused_before_numpy_reads_it(form, unit, monkeypatch):
    read = []
    monkeypatch.setattr("numpy.lib.format.read_array_header_1_0", lambda *a, **k: read.append(a))
    described = form.format(unit)
    descr = repr(described) if described[0] != "[" else described
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': ()}}\n".encode()
    blob = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(16)
    header = json.dumps([["array", 0], [len(blob)]]).encode()
    with pytest.raises(wire.WireError, match="no such name"):
        wire.loads(PREFIX.pack(b"GRDW", 1, bytes(3), len(header), len(blob)) + header + blob)
    assert read == []


class Counted(socket.socket):
    """A socket that counts how often it is read."""

    reads = 0

    def recv_into(self, *arguments):
        Counted.reads += 1
        return super().recv_into(*arguments)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="another process is needed to drip")
def test_who_drips_a_frame_does_not_wake_the_reader_for_each_byte(monkeypatch):
    """A reader's time is nobody's: it took several times as long to read byte by byte as to send so."""
    monkeypatch.setattr(Counted, "reads", 0)
    value = b"x" * 40_000
    frame = wire.dumps(value)
    own, other = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        try:
            for byte in frame:
                other.send(bytes([byte]))
        finally:
            os._exit(0)
    other.close()
    with Counted(fileno=own.detach()) as reader:
        assert wire.receive(reader, deadline=time.monotonic() + 60) == value
    os.waitpid(pid, 0)
    assert Counted.reads < len(frame) / 20


@MODEST
@given(arrays())
def test_the_common_header_of_an_array_is_read_as_numpy_reads_it(array):
    frame = wire.dumps(np.asarray(array))
    text = frame[frame.index(b"\x93NUMPY") + 10 :]
    text = text[: text.index(b"\n") + 1]
    if decoding._COMMON_HEAD.fullmatch(text):
        head = len(text).to_bytes(2, "little") + text
        shape, columns, dtype = np.lib.format.read_array_header_1_0(io.BytesIO(head))
        assert decoding._head(head) == (shape, columns, dtype)
    else:
        assert array.dtype.kind not in "biu", "arrays of numbers are the common ones"


def test_arrays_that_differ_in_type_shape_or_order_alone_have_headers_of_their_own():
    rows = np.arange(6).reshape(2, 3)
    kinds = [rows, rows.T.copy().T, rows.reshape(3, 2), rows.astype(">i8"), rows.astype("f4"), rows.ravel()]
    for one in [*kinds, *kinds]:
        back = wire.loads(wire.dumps(one))
        assert same(back, one)
        assert back.flags.f_contiguous == one.flags.f_contiguous
    titled = [np.zeros(2, [(("one", "a"), "f4")]), np.zeros(2, [(("other", "a"), "f4")]), np.zeros(2, [("a", "f4")])]
    for one in titled:
        assert wire.loads(wire.dumps(one)).dtype.fields.keys() == one.dtype.fields.keys()
