"""What the student's code learns from, and can do to, a function that a test hands to it."""

import functools
import types

import numpy as np
import pytest

from grader.sandbox.inside import wire
from grader.sandbox.inside.handed_over import HandedOver

TABLE = np.arange(12.0).reshape(4, 3)


def hidden_rows(ids, start=TABLE[:1]):
    """Give rows of a table and write into what it got, as a test's function may."""
    rows = TABLE[ids]
    rows[0] = -1.0
    return rows


def ask(function, *args, **kwargs):
    functions = HandedOver()
    number = functions.number(function)
    return wire.loads(functions.answer(number, args, kwargs)), functions


def test_a_value_comes_back():
    said, functions = ask(lambda a, b: a - b, 7, 2)
    assert said == {"value": 5}
    assert functions.meant({"type": "RuntimeError", "text": "", "line": 1}) is None


def test_functions_keep_their_numbers():
    functions = HandedOver()
    assert [functions.number(f) for f in (min, max)] == [0, 1]
    assert wire.loads(functions.answer(1, (3, 4), {})) == {"value": 4}
    with pytest.raises(wire.WireError, match="unknown function"):
        functions.answer(2, (), {})


@pytest.mark.parametrize(
    "args",
    [
        (), (1, 2, 3), ("four",), (np.full((2, 3), 99),), (np.zeros(2),), ([99],), ([[0], [1, 2]],), (None,),
        ({"secret": 1},),
    ],
)  # fmt: skip
def test_an_error_of_the_tests_says_nothing_of_the_test(args):
    def hidden_name(hidden_parameter):
        hidden = {"hidden key": 1}
        return TABLE[hidden_parameter][hidden[hidden_parameter]]

    said, _ = ask(hidden_name, *args)
    assert said.keys() == {"error"}
    assert said["error"].startswith("the test's function raised an error when it was called with ")
    for word in ("hidden", "TypeError", "IndexError", "KeyError", "99", "four", "secret", "size", "4"):
        assert word not in said["error"].replace("int64", "").replace("float64", "")


def test_the_students_own_arguments_are_described():
    said, _ = ask(len, np.zeros((2, 3)), "text")
    assert said["error"].endswith("called with an array of shape (2, 3) and type float64, a str")


def test_many_arguments_and_names_of_fields_are_not_repeated():
    record = np.zeros(3, [("bob copied it", "<f8")])
    said, _ = ask(divmod, *range(30_000))
    assert said["error"].endswith("a int, a int, a int, a int and 29996 more")
    said, _ = ask(len, 1, record)
    assert said == {"error": "an argument of the test's function holds an array of records: use an array of numbers"}


@pytest.mark.parametrize(
    "gaps", [{"names": ["a"], "formats": ["i1"], "offsets": [0], "itemsize": 64}, np.dtype("i1,f8,i1", align=True)]
)
@pytest.mark.parametrize("shape", [(2000,), (40, 50)])
def test_what_lies_between_the_fields_of_a_record_is_not_sent(gaps, shape):
    question = wire.dumps(np.zeros(shape, gaps))
    for function in (lambda x: np.sort(x, axis=0), lambda x: x[::-1], lambda x: x.T, np.array, lambda x: x):
        freed = [np.frombuffer(b"HIDDEN" * 30_000, np.uint8).copy() for _ in range(12)]
        del freed
        functions = HandedOver()
        number = functions.number(functools.partial(function, wire.loads(question)))
        frame = functions.answer(number, (), {})
        blob = bytes(frame[-2000 * np.dtype(gaps).itemsize :])
        assert blob.count(0) == len(blob), "a record of zeros is sent as zeros"


@pytest.mark.parametrize(
    "options", [{"where": np.zeros((1, 8), bool)}, {"out": np.zeros((4, 1))}, {"dtype": "float32"}]
)
def test_options_are_not_passed_on(options):
    said, _ = ask(np.tanh, np.zeros((4, 1)), **options)
    assert said == {"error": "the test's function takes its arguments by position: call it without names"}


@pytest.mark.parametrize("asked", [0, (0,), (None, 2), np.array([0, 2])])
def test_no_array_of_the_tests_is_written_to(asked):
    before = TABLE.copy()
    said, _ = ask(hidden_rows, asked)
    assert ("value" in said) == isinstance(asked, np.ndarray), "rows by an array are a copy, all else is a view"
    np.testing.assert_array_equal(TABLE, before)
    assert TABLE.flags.writeable


def test_arrays_that_are_closed_over_or_views_are_kept_too():
    own, late = np.zeros(3), None
    view = own[1:]

    def writes(where):
        (view if where else own)[0] = 1.0
        return late

    for where in (0, 1):
        assert "error" in ask(writes, where)[0]
        assert not own.any()
    assert own.flags.writeable
    assert view.flags.writeable
    fixed = np.zeros(2)
    fixed.flags.writeable = False
    ask(lambda: fixed.sum())
    assert not fixed.flags.writeable, "what was read-only stays so"


def test_names_of_a_module_are_gone_through_once_in_a_call():
    seen = []

    class Space(dict):
        def values(self):
            seen.append(1)
            return super().values()

    def asks():
        return 1

    handed = HandedOver()
    first, second = (types.FunctionType(asks.__code__, Space(here=np.zeros(2))) for _ in range(2))
    for function in (first, first, second, first):
        held = handed._within_reach(function)
        assert any(one is function.__globals__["here"] for one in held), "each module has its own"
    assert len(seen) == 2


def test_what_the_test_asserts_is_told_as_its_own():
    def limited(n):
        if n >= 3:
            raise AssertionError("it does not stop")
        return n

    said, functions = ask(limited, 5)
    assert "it does not stop" not in said["error"]
    told = {"type": "RuntimeError", "text": said["error"], "line": 4}
    assert str(functions.meant(told)) == "it does not stop"
    assert functions.meant({**told, "text": "of the student's own"}) is None
    assert functions.meant({**told, "type": "ValueError"}) is None
    functions.answer(0, (1,), {})
    assert functions.meant(told) is None, "the student's code went on and failed for another reason"
