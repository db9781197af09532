"""What a result would take as an array is known before NumPy makes one of it, and no field's name gets to a test."""

import contextlib
import time
import tracemalloc

import numpy as np
import pytest

from grader.sandbox.inside import acceptable, answers, border, student, wire
from grader.sandbox.inside.handed_over import HandedOver

LONG = "x" * 3000
#: Half a megabyte; more than two gigabytes as an array.
WIDE = [LONG] + [""] * 190_000
RECORDS = np.zeros((), [("Note of the instructor: solved", "<f4")])


def outcome(value):
    return wire.loads(student.outcome(lambda: value, (), {}, contextlib.nullcontext()))


def peak_of(function):
    tracemalloc.start()
    try:
        function()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "value",
    [
        WIDE, tuple(WIDE), {"a": WIDE}, {"a": {"b": (1, WIDE)}}, (1, 2, WIDE), dict(enumerate(WIDE[:90_000])),
        dict.fromkeys([LONG, *map(str, range(60_000))], 1), {LONG, *map(str, range(60_000))},
        [*WIDE[:100_000], *[1.5] * 80_000], [(LONG, "")] + [("", "")] * 20_000, [WIDE[:50_000], WIDE[50_000:100_000]],
        [LONG.encode()] + [b""] * 30_000, [LONG.encode(), *["a"] * 30_000], [np.str_(LONG)] + [""] * 30_000,
        [np.zeros(5000, "U1")] * 20 + [np.zeros(5000, "U200")], [np.zeros(2**20, bool)] * 40 + [np.zeros(2**20, "U1")],
        [np.zeros(2**18, bool)] * 100 + [np.zeros(2**18, "clongdouble")],
    ],
)  # fmt: skip
def test_what_would_be_huge_as_an_array_is_refused_on_both_sides(value):
    said = outcome(value)["error"]
    assert said["type"] == "Unsendable"
    assert " MB as an array, where each entry has the room of the longest; 64 MB are allowed" in said["text"]
    for reply in ({"value": value, "changed": None}, {"value": 1, "changed": [(value,), {}]}):
        with pytest.raises(wire.WireError, match="as an array"):
            border.call_reply(reply)
    called = []
    functions = HandedOver()
    refused = wire.loads(functions.answer(functions.number(called.append), (value,), {}))
    assert "an argument of the test's function would take" in refused["error"]
    assert called == []


@pytest.mark.parametrize(
    "value",
    [
        ["low", "lower", "newest"] * 60_000, [("e", "s"), ("es", "t")] * 9_000, {"w" * (n % 30): n for n in range(99)},
        ("y" * 500_000, ["a"] * 100_000), {"text": "y" * 500_000, "tokens": ["a"] * 100_000}, "y" * 900_000,
        [["a"] * 60_000, ["y" * 100_000]], [("the", 5)] * 20_000, [1.5] * 190_000, [None, True, "a", 2**70, 1j] * 9_000,
        b"\1" * 60_000_000, [b"\1" * 50_000_000], np.zeros(2**25, bool), (np.zeros(2**22, "f4"), np.zeros(2**22, "f4")),
        [np.zeros(0)] * 3, [], {}, [[]], np.datetime64("2020-01-01"), [np.datetime64("2020-01-01"), "a"], {"a", 1},
    ],
)  # fmt: skip
def test_words_texts_and_numbers_are_taken(value):
    assert acceptable.objection(value) == ""
    assert border.call_reply({"value": value, "changed": None})["value"] is value
    assert "error" not in outcome(value)


@pytest.mark.parametrize(
    "value",
    [
        ["a", "bcd"], [["a", "bcd"], ["", "ef"]], [b"a", b"bcd"], [b"a", "bcd"], [np.zeros(4, "f4"), np.zeros(4, "f8")],
        [np.zeros((2, 3), "i2")] * 5, [np.array(["a", "b"]), np.array(["abc", ""])], [["a"], ["b", "c"]],
        [np.zeros(2, bool), np.zeros(2, "U1")], [np.float32(1), np.array("text")],
    ],
)  # fmt: skip
def test_it_is_the_size_that_numpy_would_need(value, monkeypatch):
    try:
        size = np.asarray(value).nbytes
    except ValueError:  # rows of different lengths: each is an array by itself at most
        size = max(np.asarray(row).nbytes for row in value)
    monkeypatch.setattr(acceptable, "MOST", size)
    assert acceptable.objection(value) == ""
    monkeypatch.setattr(acceptable, "MOST", size - 1)
    assert "as an array" in acceptable.objection(value)


def test_to_measure_and_to_compare_texts_takes_no_array_and_little_time():
    begun = time.process_time()
    assert peak_of(lambda: acceptable.objection([*WIDE, 1.5])) < 60 * 2**20
    assert peak_of(lambda: answers.unlike(WIDE, np.zeros(3))) < 2**20
    assert peak_of(lambda: answers.unlike([WIDE], np.zeros(3))) < 2**20
    assert time.process_time() - begun < 5
    assert answers.unlike(WIDE, np.zeros(3)) == {"kind"}


@pytest.mark.parametrize(
    ("value", "numbers"),
    [
        (1, True), ([1.5, 2], True), ([[True], (np.float32(3),)], True), ([np.ones(2), [1, 2]], True), ([], True),
        ("1", False), ([1, "1"], False), ([[1], [None]], False), ([np.array(["a"])], False), ({1: 2}, False),
        (np.array(["a"]), False), ([b"a"], False), ([RECORDS], False),
    ],
)  # fmt: skip
def test_only_numbers_are_compared_as_arrays(value, numbers):
    assert (answers.as_array(value) is not None) == numbers
    assert acceptable.only_numbers(value) == numbers


@pytest.mark.parametrize("value", [RECORDS, RECORDS[()], [RECORDS], {"a": (1, RECORDS)}, np.zeros(3, "i4,f8")])
def test_names_of_fields_do_not_get_to_a_test(value):
    said = outcome(value)["error"]
    assert said["text"] == "result holds an array of records: use an array of numbers"
    with pytest.raises(wire.WireError, match=r"^it holds an array of records: use an array of numbers$"):
        border.call_reply({"value": value, "changed": None})
    functions = HandedOver()
    refused = wire.loads(functions.answer(functions.number(lambda given: pytest.fail("called")), (value,), {}))
    assert "an array of records" in refused["error"]
    assert "Note" not in refused["error"]
