"""What the student's side says is checked before it is used, and changed arguments help nobody to a point."""

import ast
import collections
import contextlib
import copy
import decimal
import fractions
import itertools
import os
import socket
import threading
import tracemalloc
import types

import numpy as np
import pytest
from nbformat.v4 import new_code_cell

from grader.authoring.text import apply_view
from grader.core.cells import grade_id
from grader.core.course import Course
from grader.core.errors import LockedCellFails
from grader.core.notebook import read_notebook
from grader.engine.prelude import import_lines
from grader.engine.recognising import Recogniser
from grader.engine.result import assertion_of, render
from grader.engine.running import _Run, mark_notebook
from grader.engine.settings import Budget
from grader.engine.skipping import Plan
from grader.sandbox import warm
from grader.sandbox.inside import border, describing, packing, student, wire
from grader.sandbox.inside.isolate import Limits
from grader.sandbox.inside.raised import StudentError, as_exception
from grader.sandbox.inside.trusted import Written

NAME = "06_border"
VIEW = """# %% [markdown]
# # 6. The border

# %% nbgrader={"grade_id": "setup"} tags=["setup"]
import numpy as np

# %% nbgrader={"grade_id": "given_numbers"} tags=["given"]
given_numbers = np.array([1.0, 2.0, 6.0])

# %% nbgrader={"grade_id": "centred", "solution": true}
def centred(x, y=None):
    ### BEGIN SOLUTION
    return x - x.mean()
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_centred_after", "points": 1}
x = np.random.default_rng(3).normal(size=5)
assert np.allclose(centred(x), x - x.mean()), "wanted is what the arguments say after the call"

# %% nbgrader={"grade_id": "test_centred_twice", "points": 1}
x = np.array([1.0, 5.0])
first = centred(x)
assert np.allclose(centred(x), x - x.mean()), "the second call sees what the first one left"
assert np.allclose(first, x - x.mean()), "the first call"

# %% nbgrader={"grade_id": "test_centred_named", "points": 1}
x = np.array([4.0, 8.0])
assert np.allclose(centred(x, y=x), x - x.mean()), "the same array twice"

# %% nbgrader={"grade_id": "test_centred_given", "points": 1}
assert np.allclose(centred(given_numbers), given_numbers - given_numbers.mean()), "an array of a given cell"

# %% nbgrader={"grade_id": "test_centred_later", "points": 1}
assert np.allclose(centred(np.array([1.0, 2.0, 6.0])), given_numbers - 3), "the given array is what it was"

# %% nbgrader={"grade_id": "test_centred_input", "points": 1}
x = np.array([3.0, 9.0])
centred(x)
assert np.array_equal(x, [3.0, 9.0]), "the input was changed"

# %% nbgrader={"grade_id": "test_centred_points", "points": 4}
x = np.array([2.0, 1.0])
centred(x)
float(x[0])

# %% nbgrader={"grade_id": "totals", "solution": true}
def totals(rows):
    ### BEGIN SOLUTION
    return {name: sum(row) for name, row in rows.items()}
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_totals_nested", "points": 1}
rows = {"a": [1.0, 2.0], "b": [4.0]}
got = totals(rows)
assert got == {name: sum(row) for name, row in rows.items()}, "not the sums"

# %% nbgrader={"grade_id": "walk", "solution": true}
def walk(step, start):
    ### BEGIN SOLUTION
    path = [start]
    while path[-1] < 20:
        path.append(step(path))
    return path
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_walk_path", "points": 1}
got = walk(lambda path: path[-1] + len(path), 1)
assert len(got) == 7 and sum(got) == 63, "not the way"
"""
FULL = {
    "test_centred_after": 1, "test_centred_twice": 1, "test_centred_named": 1, "test_centred_given": 1,
    "test_centred_later": 1, "test_centred_input": 1, "test_centred_points": 2, "test_totals_nested": 1,
    "test_walk_path": 1,
}  # fmt: skip
SHORT = Budget(
    cell_cpu_s=2, cell_wall_s=10, call_cpu_s=2, call_wall_s=10, test_wall_s=40, grace_s=5, notebook_wall_s=300
)


@pytest.fixture(scope="module")
def source(tmp_path_factory, request):
    root = tmp_path_factory.mktemp("border") / "course"
    for folder in ("solutions", "notebooks", "build", "assets/helpers"):
        (root / folder).mkdir(parents=True)
    (root / "nbgrader_config.py").write_text((request.config.rootpath / "nbgrader_config.py").read_text())
    (root / f"build/{NAME}.py").write_text(VIEW)
    course = Course(root)
    apply_view(course, NAME)
    return read_notebook(course.source(NAME))


@pytest.fixture(scope="module")
def template(source):
    with warm.Template(import_lines(source)) as template:
        yield template


def answered(source, **answers):
    nb = copy.deepcopy(source)
    for cell in nb.cells:
        cell.source = answers.get(grade_id(cell), cell.source)
    return nb


@pytest.fixture
def points(source, template):
    """Mark the solved notebook with some answers replaced; give the points of each test."""

    def run(**answers):
        nb = answered(source, **answers)
        marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
        most = {grade_id(c): c.metadata.nbgrader.get("points", 0) for c in nb.cells if grade_id(c) in FULL}
        return {name: v.points(most[name]) for name, v in marked.verdicts.items()}

    return run


def lost(earned):
    return {name.removeprefix("test_") for name, full in FULL.items() if earned[name] < full}


DEF = "def centred(x, y=None):\n    "
WRONG = {"centred_after", "centred_twice", "centred_named", "centred_given", "centred_later"}


@pytest.mark.parametrize(
    "body",
    [
        "x[...] = 0\n    return np.zeros_like(x)",
        "x[...] = 0\n    return x",
        "x[...] = 7\n    return 0 * x",
        "x[...] = 0\n    if y is not None:\n        y[...] = 0\n    return 0 * x",
        "result = np.zeros_like(x)\n    x.fill(0)\n    return result",
    ],
)
def test_a_result_that_is_right_for_changed_arguments_alone_earns_nothing(points, body):
    earned = points(centred=DEF + body)
    assert lost(earned) >= WRONG
    assert earned["test_centred_input"] == 0


def test_which_words_are_a_tests_own_is_known(source, template):
    """Where a student's code raises an assertion with them, they are the student's."""
    nb = answered(source, centred="def centred(x, y=None):\n    raise AssertionError('the input was changed')")
    marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    assert marked.verdicts["test_centred_input"].message == "the input was changed"
    assert {name for name, verdict in marked.verdicts.items() if verdict.by_test} == set()
    nb = answered(source, centred="def centred(x, y=None):\n    x[...] = 0\n    return x")
    marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    assert marked.verdicts["test_centred_input"].message == "the input was changed"
    render(nb, marked)
    assert assertion_of(nb, "test_centred_input") == 3
    assert assertion_of(nb, "test_centred_points") is None


def test_changes_in_the_first_call_alone_earn_nothing(points):
    body = "COUNT.append(1)\n    if len(COUNT) % 2:\n        x[...] = 0\n    return np.zeros_like(x)"
    assert lost(points(centred="COUNT = []\n\n\n" + DEF + body)) >= {"centred_twice", "centred_after"}


def test_lists_and_dicts_within_each_other_are_no_other_way(points):
    body = "for row in rows.values():\n        row[:] = []\n    return dict.fromkeys(rows, 0)"
    assert lost(points(totals=f"def totals(rows):\n    {body}")) == {"totals_nested"}


@pytest.mark.parametrize(
    "body",
    [
        "x -= x.mean()\n    return x",
        "x -= x.mean()\n    return KEPT.setdefault(x.tobytes(), x)",
    ],
)
def test_an_honest_answer_in_place_loses_what_says_that_the_input_stays_and_nothing_else(points, body):
    """Centring what is centred changes nothing, so that these tests cannot tell; they could not before either."""
    earned = points(centred="KEPT = {}\n\n\n" + DEF + body)
    assert lost(earned) == {"centred_input", "centred_points"}
    assert earned["test_centred_points"] == 0.5


def test_a_change_of_the_arguments_that_lowers_no_mark_raises_none(points):
    earned = points(centred=DEF + "result = x - x.mean()\n    x[0] = 4\n    return result")
    assert earned["test_centred_points"] == 2
    assert earned["test_centred_input"] == 0


def test_what_was_written_back_is_undone():
    base = np.arange(6.0)
    view, other = base[::2], base[1:3]
    inner, locked = [1, [2, 3]], np.arange(2)
    locked.flags.writeable = False
    named = {"a": inner, "b": base[:1], "c": 5}
    before = copy.deepcopy((base, inner, named))
    written = Written()
    written.give_back((view, other, locked), (np.zeros(3), np.ones(2), np.ones(2)))
    written.give_back([inner, inner], [[7, [8]], [[], [9, 9, 9]]])
    written.give_back(named, {"b": np.array([-1.0]), "d": 1})
    assert base[0] == -1
    assert base[2] == 1
    assert named["d"] == 1
    assert inner[0] == []
    written.undo()
    np.testing.assert_equal((base, inner, named), before)
    assert named["a"] is inner
    assert list(named) == ["a", "b", "c"]
    assert np.shares_memory(named["b"], base)


def test_what_cannot_have_been_changed_in_place_is_put_there():
    grown, whole, kept = np.zeros((2, 1)), np.zeros(3, dtype=int), np.zeros(2)
    named, items = {"grown": grown, "whole": whole, "kept": kept, "list": [1]}, [grown, [2]]
    before = dict(named), list(items)
    after = {"grown": np.ones((2, 2)), "whole": np.full(3, 0.5), "kept": np.ones(2), "list": np.arange(2)}
    written = Written()
    written.give_back(named, after)
    written.give_back(items, [np.ones((2, 3)), np.arange(4)])
    assert named["grown"].shape == (2, 2)
    assert named["whole"].tolist() == [0.5, 0.5, 0.5]
    assert named["kept"] is kept
    assert kept.tolist() == [1, 1]
    assert named["list"].tolist() == [0, 1]
    assert items[0].shape == (2, 3)
    assert items[1].tolist() == [0, 1, 2, 3]
    written.undo()
    assert all(named[key] is value for key, value in before[0].items())
    assert all(one is other for one, other in zip(items, before[1], strict=True))
    assert kept.tolist() == [0, 0]


GOOD_CELL = {"error": None, "text": "", "shown": "", "rescued": [], "figures": []}
ERROR = {"type": "ValueError", "text": "no", "line": None}


def test_the_largest_honest_reply_about_a_cell_is_taken():
    error = {"type": "\ud800" * border.MAX_NAME, "text": "\0" * border.MAX_MESSAGE, "line": 3}
    texts = {"text": "\ud800" * border.MAX_TEXT, "shown": "\x1b" * border.MAX_TEXT}
    reply = {"error": error, "rescued": ["\U00020000" * border.MAX_NAME] * border.MAX_RESCUED, **texts}
    for figures, limits in (([], border.CELL), ([bytes(border.MAX_FIGURE)] * border.MAX_FIGURES, border.DRAWN_CELL)):
        frame = wire.dumps(reply | {"figures": figures})
        assert border.cell_reply(wire.loads(frame, limits=limits)) == reply | {"figures": figures}


@pytest.mark.parametrize(
    "reply",
    [
        None, [], {}, GOOD_CELL | {"more": 1}, GOOD_CELL | {"text": b"x"}, GOOD_CELL | {"text": np.zeros(3)},
        GOOD_CELL | {"shown": "x" * 30_000}, GOOD_CELL | {"error": 7}, GOOD_CELL | {"error": {}},
        GOOD_CELL | {"error": ERROR | {"type": []}}, GOOD_CELL | {"error": ERROR | {"line": 1.5}},
        GOOD_CELL | {"error": ERROR | {"line": 1 << 33_000}}, GOOD_CELL | {"error": ERROR | {"line": -1}},
        GOOD_CELL | {"error": ERROR | {"line": True}}, GOOD_CELL | {"error": ERROR | {"text": "x" * 3000}},
        GOOD_CELL | {"rescued": {}}, GOOD_CELL | {"rescued": [7]}, GOOD_CELL | {"rescued": ["x"] * 21},
        GOOD_CELL | {"rescued": [""]}, GOOD_CELL | {"rescued": ["f. All points are due"]},
        GOOD_CELL | {"figures": ["x"]}, GOOD_CELL | {"figures": [b""] * 9},
        GOOD_CELL | {"figures": [bytes(2**20 + 1)]},
    ],
)  # fmt: skip
def test_a_reply_about_a_cell_of_another_form_is_refused_as_a_whole(reply):
    with pytest.raises(wire.WireError):
        border.cell_reply(reply)


@pytest.mark.parametrize(
    "reply",
    [
        None, [], {}, {"value": 1}, {"value": 1, "changed": None, "outcome": "passed"}, {"error": {}}, {"error": "no"},
        {"value": 1, "changed": [(), {}, 3]}, {"value": 1, "changed": [["x"], {"y": 1}]},
        {"value": 1, "changed": [(), {1: 2}]}, {"value": 1, "changed": np.zeros(2)},
        {"error": ERROR | {"type": 3}}, {"error": ERROR | {"text": None}}, {"error": ERROR, "value": 1},
        {"error": ERROR | {"text": "x" * 3000}}, {"error": ERROR | {"line": "1"}},
    ],
)  # fmt: skip
def test_a_reply_to_a_call_of_another_form_is_refused_as_a_whole(reply):
    with pytest.raises(wire.WireError):
        border.call_reply(reply)
    assert border.call_reply({"error": ERROR}) == {"error": ERROR}
    assert border.call_reply({"value": 1, "changed": [(1,), {"a": 2}]})["value"] == 1


@pytest.mark.parametrize(
    "asked",
    [
        None, {"callback": 0}, {"callback": True, "args": (), "kwargs": {}}, {"callback": -1, "args": (), "kwargs": {}},
        {"callback": 0, "args": [], "kwargs": {}}, {"callback": 0, "args": (), "kwargs": {1: 2}},
        {"callback": 0, "args": (), "kwargs": {}, "more": 1},
    ],
)  # fmt: skip
def test_a_question_of_another_form_is_refused(asked):
    with pytest.raises(wire.WireError):
        border.question(asked)
    assert border.question({"callback": 2, "args": (1,), "kwargs": {"a": 2}}) == (2, (1,), {"a": 2})


#: Sends a reply about the cell itself, in place of the one that would come.
FORGE = """import socket, sys
link = socket.socket(fileno=3)
sys.modules["inside.wire"].send(link, {reply})
link.detach()


def totals(rows):
    return {{}}"""
LONG = "b'\\xff' * 60_000_000"
CELL = '{{"error": {error}, "text": {text}, "shown": "", "rescued": {rescued}, "figures": {figures}}}'
PLAIN = {"error": None, "text": '""', "rescued": [], "figures": []}
FAILED = '{"type": "E", "text": "", "line": 1}'


@pytest.mark.parametrize(
    "parts",
    [
        {"text": LONG},
        {"error": f'{{"type": {LONG}, "text": "", "line": 1}}'},
        {"error": FAILED, "rescued": LONG},
        {"figures": f"[{LONG}]"},
    ],
)
def test_this_process_makes_nothing_of_a_reply_that_is_too_large(points, parts):
    tracemalloc.start()
    try:
        earned = points(totals=FORGE.format(reply=CELL.format(**PLAIN | parts)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert lost(earned) == {"totals_nested"}
    assert peak < 20 * 2**20


def test_recognising_has_what_is_left_of_the_submissions_time(source, template):
    class Noted(Recogniser):
        def finish(self, ask, end):
            self.told = end
            return []

        def after(self, test, reply, ask):
            assert ask is None or ask({"do": "calls"}) == {"calls": []}

    nb, noted = answered(source), Noted(None, template)
    run = _Run(nb, Plan.of(nb, source), template, SHORT, Limits(), noted, False)
    deadline = run.deadline
    result = run.run()
    assert len(result.verdicts) == len(FULL)
    assert run.deadline == deadline
    assert noted.told == deadline


MEMORY = """# %% [markdown]
# # 7. Room

# %% nbgrader={"grade_id": "setup"} tags=["setup"]
import numpy as np

# %% nbgrader={"grade_id": "large", "solution": true}
def large(n):
    ### BEGIN SOLUTION
    return np.full(1, n)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_large", "points": 1}
kept = [large(n) for n in range(12)]
assert kept[0][0] == 0, "it does not begin at 0"

# %% nbgrader={"grade_id": "given_room"} tags=["given"]
given_room = np.ones(40_000_000)

# %% nbgrader={"grade_id": "small", "solution": true}
def small():
    ### BEGIN SOLUTION
    return given_room[:2]
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_small", "points": 1}
assert small().shape == (2,), "not two"
"""


@pytest.fixture
def roomy(tmp_path, request):
    return made(tmp_path, request, "07_room", MEMORY)


def made(tmp_path, request, name, view):
    """Make a course with one notebook; return its source."""
    root = tmp_path / "course"
    for folder in ("solutions", "notebooks", "build", "assets/helpers"):
        (root / folder).mkdir(parents=True)
    (root / "nbgrader_config.py").write_text((request.config.rootpath / "nbgrader_config.py").read_text())
    (root / f"build/{name}.py").write_text(view)
    apply_view(Course(root), name)
    return read_notebook(Course(root).source(name))


def test_results_that_fill_the_memory_of_the_tests_are_no_fault_of_the_courses(roomy, template):
    nb, limits = answered(roomy, large="def large(n):\n    return np.full(6_000_000, n)"), Limits(memory_mib=700)
    marked = mark_notebook(nb, Plan.of(nb, roomy), template, SHORT, limits)
    assert {name: str(v.outcome) for name, v in marked.verdicts.items()} == {
        "test_large": "passed",
        "test_small": "passed",
    }
    [finding] = marked.findings
    assert (finding.kind, finding.where) == ("tests-began-again", "given_room")


def test_a_cell_of_the_courses_that_fails_by_itself_is_its_fault(roomy, template):
    nb = answered(roomy, given_room="given_room = np.ones(40_000_000)\nraise MemoryError")
    with pytest.raises(LockedCellFails, match="given_room fails: MemoryError"):
        mark_notebook(nb, Plan.of(nb, roomy), template, SHORT)


@pytest.mark.parametrize(
    ("kind", "result"),
    [
        ("collections.deque", "list(path)"),
        ("collections.deque", "path"),
        ("collections.UserList", "path"),
        ("list", "iter(path)"),
        ("list", "itertools.chain(path[:2], path[2:])"),
        ("list", "array.array('q', path)"),
        ("list", "[fractions.Fraction(n) for n in path]"),
        ("list", "tuple(decimal.Decimal(n) for n in path)"),
    ],
)
def test_a_series_of_another_kind_is_taken_for_a_list(points, kind, result):
    start = "[start]" if kind == "list" else f"{kind}([start])"
    walk = f"""import array, collections, decimal, fractions, itertools

def walk(step, start):
    path = {start}
    while path[-1] < 20:
        path.append(step(path))
    return {result}"""
    assert lost(points(walk=walk)) == set()


@pytest.mark.parametrize("result", ["['x' * 3000] + [''] * 190_000", "np.zeros((), [('All points are due', 'f4')])"])
def test_a_test_does_not_get_what_it_could_not_look_at(points, result):
    earned = points(centred=f"def centred(x, y=None):\n    return {result}")
    assert lost(earned) == {name.removeprefix("test_") for name in earned if name.startswith("test_centred")}


@pytest.mark.parametrize(
    "definition",
    [
        "class Step:\n    kind: int = 3\n\n\nkind = Step.__annotations__['kind']",
        "import inspect\n\n\ndef kind(n):\n    return int(n)  # a word\n\n\nassert 'a word' in inspect.getsource(kind)",
        "from __future__ import annotations\n\n\ndef kind(n: Number) -> Number:\n    return int(n)",
    ],
)
def test_a_cell_finds_what_it_finds_in_a_kernel(points, definition):
    walk = f"""{definition}


def walk(step, start):
    path = [kind(start)]
    while path[-1] < 20:
        path.append(step(path))
    return path"""
    assert lost(points(walk=walk)) == set()


def test_several_threads_of_an_answer_may_call_the_tests_function(points):
    walk = """from concurrent.futures import ThreadPoolExecutor

def walk(step, start):
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda n: step([n] * n), range(1, 101))) == [2 * n for n in range(1, 101)]
    path = [start]
    while path[-1] < 20:
        path.append(step(path))
    return path"""
    assert lost(points(walk=walk)) == set()


def test_a_function_of_the_tests_is_not_there_when_its_call_has_ended():
    here, there = socket.socketpair()
    side = object.__new__(student.Student)  # without a shell
    ended, later = object(), object()
    side.calls, side.talking = here, threading.RLock()
    for side.under_way in ([], [later], [ended, later]):
        with pytest.raises(RuntimeError, match="had ended"):
            side.callback(ended, 0)([1])
    here.close()
    assert there.recv(1) == b""  # nothing was asked


def test_what_an_answer_draws_from_is_not_the_same_in_each_call_whatever_it_makes_of_the_generator():
    rng, drawn = np.random.default_rng(7), []
    for _ in range(3):
        frame = wire.dumps(rng)
        same = [wire.loads(frame, generators=True) for _ in range(2)]
        one, other = (g.spawn(1)[0].random() for g in same)
        assert one == other
        drawn.append(one)
        assert same[0].random() == rng.random()
    assert len(set(drawn)) == 3


@pytest.mark.parametrize(
    ("value", "sent"),
    [
        ((x for x in [1, collections.deque([2, 3])]), [1, [2, 3]]),
        (([1.5], (x for x in [2])), ([1.5], [2])),
        ({"a": {"b": 1}.keys()}, {"a": ["b"]}),
        (collections.UserDict(a=fractions.Fraction(1, 4)), {"a": 0.25}),
        (memoryview(b"ab"), [97, 98]),
        (collections.Counter(a=fractions.Fraction(1, 4)), {"a": 0.25}),
        (collections.OrderedDict(a=collections.deque([1])), {"a": [1]}),
        (collections.namedtuple("Pair", "one two")(decimal.Decimal("0.5"), 2), (0.5, 2)),
        (type("Words", (list,), {})([fractions.Fraction(1, 2)]), [0.5]),
        ({fractions.Fraction(1, 2)}, {0.5}),
        (frozenset([decimal.Decimal(2)]), frozenset([2.0])),
        (types.MappingProxyType({fractions.Fraction(1, 2): 1}), {0.5: 1}),
        (collections.ChainMap({"a": collections.UserString("b")}), {"a": "b"}),
    ],
)
def test_what_holds_others_is_sent_as_lists_at_any_depth(value, sent):
    reply = wire.loads(student.outcome(lambda: value, (), {}, contextlib.nullcontext()))
    assert reply["value"] == sent
    assert type(reply["value"]) is type(sent)


def test_more_numbers_in_lists_than_may_be_sent_go_over_as_arrays():
    rows = np.arange(300_000).reshape(500, 600)
    value = list(map(tuple, rows.tolist())), {"ragged": [[1.5], [2]], "mixed": ["a"]}
    reply = wire.loads(student.outcome(lambda: value, (), {}, contextlib.nullcontext()))
    assert (reply["value"][0] == rows).all()
    assert reply["value"][1] == value[1]
    words = ["a"] * 300_000
    assert (
        "more than 200000 values"
        in wire.loads(student.outcome(lambda: words, (), {}, contextlib.nullcontext()))["error"]["text"]
    )


def alike(one, other):
    """Return whether a test that looks at two results, or at any part of them with enough numbers, sees the same."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(alike(part, other[key]) for key, part in one.items())
    try:
        as_arrays = np.asarray(one), np.asarray(other)
    except ValueError:  # rows of different lengths
        return len(one) == len(other) and all(map(alike, one, other))
    if as_arrays[0].size < packing.FEW:
        return True
    same = as_arrays[0].dtype == as_arrays[1].dtype and np.array_equal(*as_arrays)
    return same and (isinstance(one, np.ndarray) or all(map(alike, one, other)))


IDS = np.arange(1_200).reshape(12, 100)
KINDS = {
    "ids": IDS.tolist(),
    "flags": (IDS % 7 == 0).tolist(),
    "weights": (IDS / 3).tolist(),
    "small": IDS.astype("u1"),
}
MIXED = [row if n % 2 else [0] * 100 for n, row in enumerate(KINDS["weights"])]


@pytest.mark.parametrize(
    "value",
    [
        *([KINDS[one], KINDS[other]] for one, other in itertools.permutations(KINDS, 2)),
        (KINDS["ids"], KINDS["flags"]),
        [KINDS["ids"], KINDS["ids"]],
        [[KINDS["ids"], KINDS["flags"]], [KINDS["ids"], KINDS["flags"]]],
        [[row, flags] for row, flags in zip(KINDS["ids"], KINDS["flags"], strict=True)],
        {"both": [KINDS["ids"], KINDS["flags"]]},
        [KINDS["ids"], MIXED],
        [list(itertools.chain(*KINDS["ids"])), list(itertools.chain(*KINDS["flags"]))],
        [IDS, IDS > 3],
        [KINDS["flags"], KINDS["flags"][:-1], MIXED],
        [1, True, 0.5] * 1_000,
    ],
)
def test_what_a_test_sees_of_a_result_does_not_depend_on_how_much_it_holds(value):
    assert alike(value, packing.packed(value))


def test_two_lists_of_different_kinds_that_are_returned_in_a_list_stay_two():
    ids, flags = np.arange(120_000).reshape(200, 600), np.arange(120_000).reshape(200, 600) % 3 == 0
    reply = wire.loads(student.outcome(lambda: [ids.tolist(), flags.tolist()], (), {}, contextlib.nullcontext()))
    one, other = map(np.asarray, reply["value"])
    assert (one.dtype.kind, other.dtype.kind) == ("i", "b")
    assert (one == ids).all()
    assert (other == flags).all()


@pytest.mark.parametrize("rows", [np.arange(100_000), np.arange(100_000).reshape(2, 50_000) / 3])
def test_many_numbers_in_a_list_that_was_changed_are_written_back(rows):
    def grown(x, y, numbers):
        x[0], numbers[-1] = 3, numbers[0]
        return [[0]] * 150_000

    args = np.ones(1_000), np.ones(1_000), rows.tolist()
    reply = border.call_reply(wire.loads(student.outcome(grown, copy.deepcopy(args), {}, contextlib.nullcontext())))
    Written().give_back(args, reply["changed"][0])
    assert args[2][-1] == args[2][0] == rows.tolist()[0]
    assert type(args[2][0]) is type(rows.tolist()[0])


def _reversed_and_back(x):
    x[:] = x[::-1]
    x[:] = x[::-1]


@pytest.mark.parametrize(
    ("change", "argument", "changed"),
    [
        (_reversed_and_back, np.arange(4.0), False),
        (lambda x: x.reverse() or x.reverse(), ["one", "two"], False),
        (lambda words: words.__setitem__(0, "".join(["a", "b c"])), ["ab c", "ab c"], False),  # another object of it
        (lambda x: x.sort(), np.arange(4.0), False),
        (lambda x: x.sort(), np.array([0.0, np.nan, -0.0]), True),
        (lambda x: setattr(x, "shape", (2, 2)), np.arange(4.0), True),
        (lambda x: x.resize(3, refcheck=False), np.arange(4.0), True),
        (lambda x: x.__setitem__(0, -0.0), np.zeros(2), True),
        (lambda d: d.update(a=d.pop("a")), {"a": 1, "b": 2}, True),  # another order
        (lambda x: x.__setitem__(0, True), [1], True),
        (lambda x: x.add(3), {1, 2}, True),
        (lambda x: x[1].append(0), (1, []), True),
        (lambda x: x.__setitem__(0, np.float64(1.0)), [1.0], True),
        (lambda x: x.__setitem__(0, collections.deque(x[0])), [[1, 2]], True),
        (lambda x: x.__setitem__(0, collections.namedtuple("Row", "a b")(1, 2)), [[1, 2]], True),
    ],
)
def test_arguments_count_as_changed_if_a_frame_of_them_does(change, argument, changed):
    reply = wire.loads(student.outcome(change, (argument,), {}, contextlib.nullcontext()))
    assert (reply["changed"] is not None) == changed


def _yields(x):
    x.append(0)
    yield len(x)


def _maps(x):
    return map(lambda one: x.append(0) or one, list(x))


@pytest.mark.parametrize(("lazy", "value", "after"), [(_yields, [2], [1, 0]), (_maps, [1], [1, 0])])
def test_what_a_lazy_result_does_is_seen(lazy, value, after):
    given = [1]
    asked = student.outcome(lazy, (given,), {}, contextlib.nullcontext(), lambda: ["told"] if given != [1] else [])
    reply = wire.loads(asked)
    assert (reply["value"], reply["changed"][0][0], reply["helpers"]) == (value, after, ["told"])


@pytest.mark.parametrize("refuses", [RuntimeError, RecursionError])
def test_an_object_that_cannot_be_pickled_is_refused_as_a_value_is(refuses):
    class Odd:
        def __reduce__(self):
            raise refuses

    reply = wire.loads(student.outcome(lambda x: x.append(Odd()), ([1],), {}, contextlib.nullcontext()))
    assert reply["error"]["type"] == "Unsendable"


def test_arguments_that_were_changed_stay_apart_beside_a_result_that_is_sent_as_an_array():
    def grown(x, y):
        x[0] = 3
        return [[0]] * 150_000

    args = np.ones(1_000), np.ones(1_000)
    reply = wire.loads(student.outcome(grown, args, {}, contextlib.nullcontext()))
    assert border.call_reply(reply)["changed"][0][0][0] == 3


def test_the_tests_function_takes_more_numbers_than_may_be_sent_one_by_one():
    here, there = socket.socketpair()
    side = object.__new__(student.Student)  # without a shell
    side.calls, side.talking, call = here, threading.RLock(), object()
    side.under_way = [call]
    asked = []

    def test():
        asked.append(wire.receive(there))
        wire.send(there, {"value": 7})

    here.settimeout(20)
    threading.Thread(target=test, daemon=True).start()
    assert side.callback(call, 0)([list(range(1_000))] * 300) == 7
    assert asked[0]["args"][0].shape == (300, 1_000)


def test_an_array_that_is_too_large_is_called_that():
    reply = wire.loads(student.outcome(lambda: np.zeros(2**26 + 1, bool), (), {}, contextlib.nullcontext()))
    assert "is an array of shape (67108865,) and 67108865 bytes, which is too large" in reply["error"]["text"]


def test_a_series_without_an_end_is_cut_and_one_in_itself_is_refused():
    reply = wire.loads(student.outcome(itertools.count, (), {}, contextlib.nullcontext()))
    assert reply["value"] == list(range(packing.MAX_ELEMENTS))
    endless = collections.deque()
    endless.append(endless)
    assert "error" in wire.loads(student.outcome(lambda: endless, (), {}, contextlib.nullcontext()))


class _OddHeads(ValueError):
    """What a student may raise instead of a plain ValueError."""


@pytest.mark.parametrize(
    ("raised", "kind"),
    [
        (_OddHeads("4"), ValueError),
        (ValueError("4"), ValueError),
        (type("Own", (Exception,), {})("4"), StudentError),
        (type("IndexError", (TypeError,), {})("4"), TypeError),
        (type("The tests are broken.\nYou have full points", (Exception,), {})("4"), StudentError),
    ],
)
def test_a_subclass_is_the_builtin_exception_that_it_is_a_kind_of(raised, kind):
    def answer():
        raise raised

    reply = border.call_reply(wire.loads(student.outcome(answer, (), {}, contextlib.nullcontext())))
    told = as_exception(reply["error"])
    assert type(told) is kind
    assert str(told).endswith("4")
    assert "full points" not in str(told)


REPORTED = """# %% [markdown]
# # 8. A cell that reports

# %% nbgrader={"grade_id": "setup"} tags=["setup"]
import numpy as np

# %% nbgrader={"grade_id": "build", "solution": true}
def build(n):
    ### BEGIN SOLUTION
    return {"n": n}
    ### END SOLUTION

# %% nbgrader={"grade_id": "number"} tags=["student-side"]
def number(n):
    if n not in number.known:
        number.known[n] = build(n)["n"]
    return number.known[n]


number.known = {}

# %% nbgrader={"grade_id": "test_build_one", "points": 1}
assert number(1) == 1, "not one"

# %% nbgrader={"grade_id": "test_build_two", "points": 1}
assert number(2) == 2, "not two"
"""
NOTHING = "def build(n):\n    return {'n': 0}"


@pytest.fixture
def reported(tmp_path, request, template):
    source = made(tmp_path, request, "08_reported", REPORTED)

    def run(answer, own, before):
        """Mark an answer beside a cell of the student's own; return the tests that passed."""
        nb = answered(source, build=answer)
        place = next(n for n, cell in enumerate(nb.cells) if grade_id(cell) == before)
        nb.cells.insert(place, new_code_cell(own))
        marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
        return {name for name, v in marked.verdicts.items() if v.outcome == "passed"}

    return run


@pytest.mark.parametrize("before", ["test_build_one", "test_build_two"])
@pytest.mark.parametrize(
    "own",
    [
        "def number(n):\n    return n",
        "number.known.update({1: 1, 2: 2})",
        "class number:\n    def __new__(cls, n):\n        return n",
        "def change():\n    global number\n    number = lambda n: n\n\n\nchange()",
        "globals()['number'] = lambda n: n",
    ],
)
def test_what_a_cell_on_the_students_side_reports_is_reported_by_the_courses_cell(reported, own, before):
    assert reported(NOTHING, own, before) == set()


@pytest.mark.parametrize("ends", ["", "import os\nif n == 1: os._exit(0)"])
def test_it_is_the_courses_again_when_the_process_has_ended(reported, ends):
    answer = f"def build(n):\n    {ends.replace(chr(10), chr(10) + '    ')}\n    return {{'n': 0}}"
    assert reported(answer, "number = lambda n: build(n)['n'] + n", "test_build_one") == set()


def test_a_second_attempt_in_front_of_the_tests_is_what_such_a_cell_calls(reported):
    both = {"test_build_one", "test_build_two"}
    assert reported(NOTHING, "def build(n):\n    return {'n': n}", "test_build_one") == both
    assert reported(NOTHING, "def build(n):\n    return {'n': n}", "test_build_two") == {"test_build_two"}


@pytest.mark.parametrize(
    "start",
    [
        "import multiprocessing\n    multiprocessing.Pool(2)",
        "from concurrent.futures import ProcessPoolExecutor\n    list(ProcessPoolExecutor(2).map(abs, [1]))",
        "import subprocess\n    subprocess.run(['true'])",
        "from multiprocessing.pool import ThreadPool\n    ThreadPool(2)",
        "from multiprocessing.dummy import Pool\n    Pool(2)",
        "import multiprocessing\n    multiprocessing.Lock()",
    ],
)
def test_an_answer_that_starts_a_process_is_told_that_there_is_none(source, template, start):
    nb = answered(source, centred=f"def centred(x, y=None):\n    {start}")
    verdict = mark_notebook(nb, Plan.of(nb, source), template, SHORT).verdicts["test_centred_after"]
    assert "no other processes and programs, and no pools or locks of multiprocessing" in verdict.message
    assert verdict.message.endswith("concurrent.futures.ThreadPoolExecutor works)")


def test_the_threads_that_the_message_speaks_of_work(source, template):
    body = "with ThreadPoolExecutor(2) as pool:\n        return pool.submit(lambda: x - np.mean(x)).result()"
    answer = f"from concurrent.futures import ThreadPoolExecutor\n\n\ndef centred(x, y=None):\n    {body}"
    nb = answered(source, centred=answer)
    assert mark_notebook(nb, Plan.of(nb, source), template, SHORT).verdicts["test_centred_after"].outcome == "passed"


def test_what_else_the_system_refuses_is_told_in_its_words():
    with pytest.raises(OSError, match="gone") as raised:
        os.stat("gone")
    assert "processes" not in describing.describe(raised.value)["text"]


@pytest.mark.parametrize(
    ("cell", "transformed"),
    [
        ("x = 1\n\ndef f():\n    return '%time ? !ls'  # what?\n", False),
        ("\n\nx = [\n 5\n % 3]", False),
        ("%matplotlib inline\nx = 1", True),
        ("\n\n%%time\nx = 1", True),
        ("x = 1\n!ls", True),
        ("x = %timeit -o 1", True),
        ("print?", True),
        (">>> x = 1", True),
        ("In [1]: x = 1", True),  # which is Python, too: `In[1]` with an annotation
        ("x = (", True),
    ],
)
def test_a_cell_that_is_python_already_is_not_looked_through_for_magics(cell, transformed):
    asked = []

    class Shell:
        def transform_cell(self, source):
            asked.append(source)
            return "a = 1\n"

    code, tree = student._parsed(cell, "<cell>", Shell())
    assert asked == ([cell] if transformed else [])
    assert code == ("\n" * (len(cell) - len(cell.lstrip("\n"))) + "a = 1\n" if transformed else cell)
    assert len(tree.body) == (1 if transformed else len(ast.parse(cell).body))
    assert student._parsed("x = 1", "<cell>", None)[0] == "x = 1"
