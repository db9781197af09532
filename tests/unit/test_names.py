"""Each question about names gets its own answer: at top level, at any depth, by Python's scopes."""

from __future__ import annotations

import ast
import os
import signal
import threading
import time

import pytest

from grader.core.names import (
    all_bound,
    all_used,
    bound_anywhere,
    bound_at_top,
    called_uncaught,
    calls_in,
    defined_functions,
    imported_modules,
    left_behind,
    names_of,
    own_names,
    parsed,
    stored,
    tree_of,
    used_anywhere,
    used_at_once,
    words,
)

EVERYTHING = """
import numpy as np, os.path
from a.b import c as d
x, (y, *z) = 1, 2
x.e = f[0] = g
h: int = 3
h += 1
if q:
    i = 1
else:
    j = 2
try:
    k = 1
except E as l:
    m = 2
finally:
    n = 3
with o as p:
    del x
for r in s:
    t = r
def u(v, *w, a1=b1):
    c1 = [d1 for d1 in v]
    return lambda e1: f1
class A(B):
    g1 = 1
(h1 := 2)
"""


def test_a_target_binds_what_it_stores_and_reads_its_indices():
    targets = ast.parse("(a, [b, *c]), d.e, f[g], h[[i for i in j][0]] = k").body[0].targets
    assert stored(targets[0]) == {"a", "b", "c"}
    assert set(bound_at_top(ast.parse("h[[i for i in j][0]] = k").body)) == set()


def test_names_that_are_read_while_code_runs():
    source = "x = [a for b in c]\ny = [a, [0 for a in x]]\n@d\ndef f(e=g): h\nclass i:\n    j = k\n    l = j"
    assert used_at_once(ast.parse(source)) == {"a", "c", "d", "g", "k"}
    assert used_at_once(ast.parse("m(lambda n=o: p)\nq = " + "-" * 2000 + "r")) == {"m", "o", "r"}


def test_names_that_are_left_behind():
    # The target of a loop, of `with` and of `except` is not looked at: nobody hands on a function in one.
    found = set(bound_at_top(ast.parse(EVERYTHING).body))
    assert found == {"np", "os", "d", "x", "y", "z", "h", "i", "j", "k", "m", "n", "t", "u", "A"}
    assert left_behind(EVERYTHING) == found


def test_the_last_statement_that_binds_a_name():
    body = ast.parse("f = 1\ndef f(): pass\nif x:\n    g = 1\n").body
    found = bound_at_top(body)
    assert found == {"f": body[1], "g": body[2]}


def test_names_at_any_depth():
    inner = set(["p", "r", "c1", "d1", "g1", "h1"])
    assert bound_anywhere(ast.parse(EVERYTHING)) == left_behind(EVERYTHING) | inner
    assert all_bound(EVERYTHING) == left_behind(EVERYTHING) | inner
    assert own_names(ast.parse(EVERYTHING)) == all_bound(EVERYTHING) | {"v", "w", "a1", "e1"}
    assert own_names(ast.parse("del x")) == {"x"}
    assert bound_anywhere(ast.parse("del x")) == set()


def test_names_that_are_used():
    assert used_anywhere(ast.parse("a.b = c[d](e=f)\ng += 1\nlambda h: h\ndel i")) == set(["a", "c", "d", "f", "h"])
    assert all_used("a.b = c") == {"a", "c"}


def test_words():
    assert words("plt.show(a)  # of b_1\n'c d.e'") == {"plt", "a", "of", "b_1", "c", "d"}


@pytest.mark.parametrize(
    "source", ["def f(:", "%matplotlib inline", "\0", "(" * 5000 + ")" * 5000, "x = (" + "-" * 90_000]
)
def test_what_is_not_python_binds_nothing(source):
    assert tree_of(source).body == []
    assert left_behind(source) == all_bound(source) == all_used(source) == names_of(source).free == set()


def test_a_long_text_is_not_kept(monkeypatch):
    assert tree_of("a = 1") is tree_of("a = 1")
    long = "a = 1\n" * 4_000
    assert tree_of(long) is not tree_of(long)


@pytest.mark.filterwarnings("error")
def test_a_warning_about_a_students_text_is_not_ours():
    assert tree_of("'\\d' is 1").body


def test_functions_of_a_cell():
    assert defined_functions("def f():\n    def g(): pass\nx = 1\nclass A: pass\ndef h(): pass") == ("f", "h")
    with pytest.raises(SyntaxError):
        defined_functions("def f(:")


def test_modules_that_are_imported():
    tree = ast.parse("import a.b, c as d\nfrom e.f import g\nfrom . import h\nfrom .i import j\nk = 1")
    assert [imported_modules(node) for node in tree.body] == [["a.b", "c"], ["e.f"], [], [], []]


def test_calls():
    assert calls_in(ast.parse("f(g(1))\nlambda: h()\na.i()\n")) == {"f", "g"}
    assert called_uncaught("try:\n    f()\nexcept E:\n    g()\nh()") == {"g", "h"}


def test_names_see_into_functions_and_comprehensions():
    names = names_of("import numpy as np\ndef f(a):\n    return [g(x, h) for x in a]\ny = [i for i in z]\nprint(np)")
    assert names.bound == {"np", "f", "y"}
    assert names.imported == {"np"}
    assert names.free == {"g", "h", "z"}


@pytest.mark.parametrize(
    ("source", "bound", "free"),
    [
        ("print([i * w for i in y])", "", "w y"),
        ("x = {k: v for k, v in a.items() for b in v if (q := k)}", "x q", "a"),
        ("f = lambda a, b=c: a + b + d", "f", "c d"),
        ("def f(*a, **k):\n    global g\n    g = a, k", "f g", ""),
        ("def f():\n    global g\n    return g", "f g", ""),
        ("@deco\nclass A(B):\n    x = 3\n    def m(self) -> R:\n        return self, y", "A", "deco B R y"),
        ("try:\n    pass\nexcept E as e:\n    print(e)", "e", "E"),
        ("match p:\n    case {'a': a, **r} | [a, *r]:\n        pass\n    case t:\n        pass", "a r t", "p"),
        ("import a.b as c, d.e\nfrom f import g as h\nwith o as w:\n    w[i] = 3", "c d h w", "o i"),
        ("for i, (j, *k) in z:\n    del i\n    t += 1", "i j k t", "z"),
        ("async def f(a: T = 3):\n    return [x async for x in a]", "f", "T"),
        ("def f(:", "", ""),
    ],
)
def test_names(source, bound, free):
    names = names_of(source)
    assert (names.bound, names.free) == (set(bound.split()), set(free.split()))


def test_names_keep_locals_apart():
    assert names_of("def f():\n    def g():\n        return inner\n    inner = 3\n    return g").free == set()


def test_a_process_that_is_forked_while_another_thread_parses_can_parse():
    """Threads of one worker share the lock of parsing, and a process that reads submissions is forked beside them."""
    text, over = "x = [1, 2, 3]\n" * 2_000, threading.Event()

    def parse_on():
        while not over.is_set():
            parsed(text)

    beside = threading.Thread(target=parse_on)
    beside.start()
    stuck = 0
    try:
        for _ in range(20):
            child = os.fork()
            if not child:
                parsed("1")
                os._exit(0)
            end = time.monotonic() + 30
            while not (ended := os.waitpid(child, os.WNOHANG)[0]) and time.monotonic() < end:
                time.sleep(0.005)
            if not ended:
                stuck += 1
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                break
    finally:
        over.set()
        beside.join()
    assert stuck == 0
