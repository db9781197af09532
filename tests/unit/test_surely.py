"""Which names code is sure to bind."""

import ast

import pytest

from grader.engine.reads import called_at_once
from grader.engine.surely import surely_bound


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a = 1\nb: int = 2\nc: int\nd += 1", "ab"),
        ("def a(): pass\nclass b: pass\nimport c as d", "abd"),
        ("if x:\n a = b = 1\nelse:\n a = c = 2", "a"),
        ("if x:\n a = 1\nelif y:\n a = 2", ""),
        ("if 1:\n a = 1\nelse:\n b = 2", "a"),
        ("if not 1:\n a = 1\nelse:\n b = 2", "b"),
        ("for a in x:\n b = 1\nelse:\n c = 2", "c"),
        ("for a in 'xy':\n b = 1", "ab"),
        ("for a in range(0):\n b = 1", ""),
        ("for a in zip([1], [2]):\n b = 1\n if b: continue\n c = 2\nelse:\n d = 3", "ab"),
        ("for a in [*x]:\n b = 1", ""),
        ("while x:\n a = 1\nelse:\n b = 2", "b"),
        ("try:\n a = b = 1\nexcept E:\n b = c = 2\nfinally:\n d = 3", "bd"),
        ("try:\n a = 1\nexcept E:\n raise", "a"),
        ("try:\n raise E\nexcept E:\n a = 1", "a"),
        ("for b in [1]:\n try:\n  a = 1\n finally:\n  c = 2\n  break", "bc"),
        ("for b in [1]:\n try:\n  a = 1\n finally:\n  for c in [1]: break", "abc"),
        ("d[[a for a in [1]][0]] = 1\nfor e[[b for b in x][0]], *c in [1]: pass", "c"),
        ("with open(x) as a:\n b = 1", "ab"),
        ("with suppress(E) as a:\n b = 1", "a"),
        ("with x.suppress(E) as a:\n b = 1", "a"),
        ("with x.errstate() as (a, b.c), d as e, x.open() as f:\n g = 1", "ae"),
        ("with x as (a, b):\n c = 1", ""),
        ("for a.b in [c]:\n pass\nfor d[e] in [c]:\n pass", ""),
        ("print(a := 1, (b := 2) and (c := 3), d if (e := 4) else (f := 5))", "abe"),
        ("if not (a := 1) < (b := 2) < (c := 3):\n pass", "ab"),
        ("x = [(a := 1) for y in (b := z) if (c := y)]", "bx"),
        ("match (a := x):\n case [b]:\n  c = 1\n case b:\n  c = d = 2", "abc"),
        ("match x:\n case [a]:\n  b = 1", ""),
        ("d = True\nif d:\n a = 1", "ad"),
        ("d = 0\nif d:\n a = 1\nif not d:\n b = 1", "bd"),
        ("d = True\nd = x\nif d:\n a = 1", "d"),
        ("d = True\nfor d in x:\n pass\nif d:\n a = 1", "d"),
        ("if x:\n d = True\nif d:\n a = 1", ""),
        ("def f():\n global d\n d = 0\nd = 1\nf()\nif d:\n a = 1", "df"),
        ("n = 0\nwhile n < 2:\n a = n\n n += 1", "an"),
        ("n = 2\nwhile n < 2:\n a = n\n n += 1", "n"),
        ("n = 'x'\nwhile n < 2:\n a = n", "n"),
        ("n = 0\nfor i in [1]:\n n = 2\n while n < 2:\n  a = 1", "in"),
        ("n = 3\nfor i in range(n):\n a = 1", "ain"),
        ("for a in np.arange(3):\n pass\nfor b in range(1, 4):\n pass\nfor c in {1: 2}.items():\n pass", "abc"),
        ("for a in np.arange(0):\n pass\nfor b in range(4, 1):\n pass\nfor c in range(1, 2, 0):\n pass", ""),
        ("for a in np.arange(x):\n pass\nfor b in {}.items():\n pass\nfor c in range(*[1]):\n pass", ""),
        ("for a in np.linspace(0, 1, 3):\n pass\nfor b in np.linspace(0, 1):\n pass", "ab"),
        ("for a in np.linspace(0, 1, n):\n pass\nfor b in np.linspace(0, 1, 0):\n pass", ""),
        ("for a in np.linspace(*x, 1, 0):\n pass\nfor b in np.linspace(*x, 1):\n pass", ""),
        ("for a in np.linspace(0, 1, num=0):\n pass\nfor b in np.linspace(*x):\n pass", ""),
        ("for a in [i + 1 for i in range(3)]:\n pass", "a"),
        ("for a in [i for np in [x] for i in np.arange(3)]:\n pass\nfor b in np.linspace(0, *[1, 0]):\n pass", ""),
        ("for a in [i for i in range(3) if i > 5]:\n pass\nfor b in [i for i in x]:\n pass", ""),
        ("def range(n):\n return []\nfor a in range(3):\n pass", ["range"]),
        ("np = x\nfor a in np.arange(3):\n pass", ["np"]),
        ("from m import n as list\nfor a in list([1]):\n pass", ["list"]),
        ("open = x\nwith open(E):\n a = 1", ["open"]),
        ("class m:\n open = x\nwith m.open(E):\n a = 1", "m"),
        ("__name__ = x\nif __name__ == '__main__':\n a = 1", ["__name__"]),
        ("if c:\n a = b = 1\nif not c:\n a = d = 2", "a"),
        ("if not c:\n a = b = 1\nif not not c:\n a = 2\nelse:\n b = 2", "a"),
        ("if c:\n a = 1\nelse:\n pass\nif not c:\n a = 2", ""),
        ("if c:\n a = 1\nif c:\n a = 2", ""),
        ("if not c:\n a = 1\nd = x\nif c:\n a = 2", "d"),
        ("if not c:\n a = 1\nc.clear()\nif c:\n a = 2", ""),
        ("if c:\n a = 1\nif not d:\n a = 1", ""),
        ("if x():\n a = 1\nif not x():\n a = 1", ""),
        ("def f():\n global a, b\n a = 1\n if x:\n  b = 1\n return a\nc = f()", "acf"),
        ("def f():\n global a\n a = 1", "f"),
        ("def f():\n global a\n a = 1\nif x:\n f()", "f"),
        ("def f():\n global a\n if x:\n  return\n a = 1\nf()", "f"),
        ("def f():\n global a\n yield\n a = 1\nf()", "f"),
        ("def f():\n global a\n a = 1\nf = x\nf()", "f"),
        ("@x\ndef f():\n global a\n a = 1\nf()", "f"),
        ("def f():\n a = 1\n def g():\n  global a\nf()", "f"),
        ("a = 1\nassert 0\nb = 2", "a"),
        ("from __main__ import a\nfrom m import b", "b"),
    ],
)
def test_names_that_are_sure_to_be_bound(source, names):
    assert sorted(surely_bound(ast.parse(source).body)) == sorted(names)


def test_what_is_nested_too_deeply_binds_nothing_for_certain():
    source = "if x:\n    a = 1\n" + "elif x:\n    a = 1\n" * 900 + "else:\n    a = 1"
    assert surely_bound(ast.parse(source).body) == frozenset()


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("a(b(1))", "ab"),
        ("x = lambda: a()", ""),
        ("x = (lambda: a())()", "a"),
        ("@a\n@b(1)\ndef f(x=c()):\n    d()", "abc"),
        ("@a\nclass f:\n    x = b()\n    def g(self): c()", "ab"),
        ("x = list(map(a, y))", "a"),
        ("x = functools.reduce(a, y)", "a"),
        ("x = [a, z][0](y)", "az"),
        ("x = partial(a, b=1)(y)", ["partial", "a"]),
        ("x = (lambda: a)()()", ""),
        ("x = [f() for f in [a]]", "af"),
        ("x = [f for f in [a]]", ""),
        ("for f in [a]:\n    x = f()", "af"),
        ("x = k.get(y) + np.cos(y) + n.k()", "k"),
    ],
)
def test_functions_that_are_called_at_once(source, names):
    assert called_at_once(ast.parse(source).body[0], {"k"}) - {"list"} == set(names)
