"""Answers that use what the release's helper cells know."""

import ast
import subprocess
import sys
import time
from types import ModuleType

import pytest
from nbformat.v4 import new_code_cell

from grader.core.catalogue import read_catalogue
from grader.core.cells import CellKind, exercises, kind_of
from grader.core.course import Course
from grader.core.findings import Level
from grader.core.names import tree_of, used_anywhere
from grader.core.notebook import read_notebook
from grader.engine.borrowed import borrowed
from grader.sandbox.inside import border, cells, handed_on, helper_calls, unasked
from grader.sandbox.inside.frames import WireError
from grader.sandbox.inside.helper_calls import HelperCalls
from grader.testing.samples import fill_answers

COURSE = Course.find()
NAME = "05_positional_encoding"
HELPERS = '''
import functools


def turned(x=0, y=0):
    """Knows what is right."""
    if x is None:
        return 0
    return [x]


def show(x, *rest):
    return turned(x)


def make():
    def inner(x):
        return x
    return inner


def steps(x):
    yield x


class Model:
    weights = 3

    def __init__(self):
        "Begin."

    def layer(self, x):
        return x


def decorated(function):
    return function
'''
GIVEN = "def given(x):\n    return turned(x)\n\n\ndef given_calls(f, x):\n    return f(x)\n\n\n"
GIVEN += "class Wrapped:\n    def __init__(self):\n        self.model = Model()\n    def layer(self, x):\n"
GIVEN += "        return self.model.layer(x)\n\n\ndef given_model():\n    return Wrapped()"
ANSWER = "def answer(x):\n    return "
CHECKED = "def checked(function):\n    want = turned(1)[0]\n    got = function(1)\n"
TABLE = "@checked\ndef table(x=1, axis=-1, name=None):\n    return x"
LAYER = "class Layer:\n    def __init__(self):\n"
MADE = "    def __call__(self, x):\n        return x\ntable = Layer()"
TWO = "def first(x):\n    return x\ndef second(x):\n    return x\n"


@pytest.fixture
def uses(monkeypatch):
    """Run cells of the student's behind a helper cell and a given one; return what the calls of a function use."""

    def run(*own, function="answer"):
        main = ModuleType("__main__")
        monkeypatch.setitem(sys.modules, "__main__", main)
        calls = HelperCalls(main.__dict__)
        for n, (source, kind) in enumerate([(HELPERS, "helpers"), (GIVEN, ""), *((one, "own") for one in own)]):
            tree = ast.parse(source)
            calls.runs(file := f"<cell-{n}>", tree, kind == "own")
            for statement in (cells.telling(tree) if kind == "helpers" else tree).body:
                with calls.statement(statement):
                    exec(compile(ast.Module([statement], []), file, "exec"), main.__dict__)
        found = []
        for _ in range(2):  # what one call has used, the next one has not
            with calls.asking():
                main.__dict__[function](1)
                found.append(calls.used(function))
        assert found[0] == found[1]
        return found[0]

    yield run
    setattr(cells.builtins, cells.HOOK, lambda helper: None)


@pytest.mark.parametrize(
    "answer",
    [
        f"{ANSWER}turned(x)",
        "answer = turned",
        f"mine = turned\n{ANSWER}mine(x)",
        f"for mine in [turned]:\n    pass\n{ANSWER}mine(x)",
        f"(mine := turned), (turned := 0)\n{ANSWER}mine(x)",
        f"{ANSWER}list(map(turned, [x]))[0]",
        f"{ANSWER}globals()['tur' + 'ned'](x)",
        f"{ANSWER}__import__('__main__').turned(x)",
        f"{ANSWER}eval('tur' + 'ned(x)')",
        f"exec('def mine(x): return turned(x)')\n{ANSWER}mine(x)",
        f"{ANSWER}sys._getframe().f_globals['turned'](x)\nimport sys",
        f"import functools\nmine = functools.partial(turned, 1)\n{ANSWER}mine(x)",
        "answer = lambda x, f=turned: f(x)",
        f"class Mine:\n    f = staticmethod(turned)\n{ANSWER}Mine.f(x)",
        f"def keep():\n    return turned\nmine = keep()\nturned = None\n{ANSWER}mine(x)",
        f"import threading\n{ANSWER}[t.start() or t.join() for t in [threading.Thread(target=turned)]]",
        f"import types\nmine = types.FunctionType(turned.__code__, globals())\n{ANSWER}mine(x, x)",
        f"{ANSWER}given_calls(turned, x)",
        f"{ANSWER}given_calls(lambda x: turned(x), x)",
        f"def turned(x, before=turned):\n    return before(x)\n{ANSWER}turned(x)",
        f"{ANSWER}sum(turned(n) == [1] for n in range(3))",
        "def answer(x):\n    try:\n        return turned(x) + 1\n    except TypeError:\n        return 0",
    ],
)
def test_it_is_told_however_the_function_is_reached(answer, uses):
    assert uses(answer) == ["turned"]


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        (f"{ANSWER}show(x)", ["show"]),  # the first one alone is the student's call
        (f"{ANSWER}[show(x), turned(x)]", ["show", "turned"]),
        (f"mine = make()\n{ANSWER}mine(x)", ["make"]),
        (f"{ANSWER}[*steps(x)]", ["steps"]),
        (f"{ANSWER}Model().layer(x)", ["Model"]),
        (f"class Mine(Model):\n    pass\n{ANSWER}Mine().layer(x)", ["Model"]),
        (f"model = Model()\n{ANSWER}model.layer(x)", ["Model"]),
        (f"@decorated\n{ANSWER}x", ["decorated"]),
    ],
)
def test_each_kind_of_helper_tells(answer, names, uses):
    assert uses(answer) == names


@pytest.mark.parametrize(
    "answer",
    [
        f"{ANSWER}x  # turned(x)",
        f"{ANSWER}'turned(x)'",
        f"{ANSWER}given(x)",
        f"{ANSWER}given_calls(given, x)",
        f"{ANSWER}given_model().layer(x)",
        f"def turned(x):\n    return x\n{ANSWER}turned(x)",
        f"{ANSWER}turned(x)\nturned = lambda x: x",
        f"if len('ab') > 1:\n    turned = str\n{ANSWER}turned(x)",
        f"for turned in [str]:\n    pass\n{ANSWER}turned(x)",
        f"with open('/dev/null') as turned:\n    pass\n{ANSWER}turned.name",
        f"try:\n    from nowhere import turned\nexcept ImportError:\n    turned = str\n{ANSWER}turned(x)",
        "def answer(x):\n    global turned\n    turned = str\n    return turned(x)",
        f"class A:\n    def turned(self):\n        return 0\n{ANSWER}A().turned()",
        f"{ANSWER}x if x else turned(x)",  # the tests never need it
        f"{ANSWER}x\nturned(answer(1))\nshow(answer, 1)\nfigure = show(answer(1))",
        f"{ANSWER}x\nfor figure in turned(2):\n    pass\nprint(turned(2))",
    ],
)
def test_a_name_of_ones_own_or_what_nothing_needs_is_nothing(answer, uses):
    assert uses(answer) == []


@pytest.mark.parametrize(
    "own",
    [
        "table = turned(1)",
        "table = {n: turned(n) for n in range(3)}",
        "table: dict = {1: turned(1)}",
        "table = {}\nfor n in range(3):\n    table[n] = turned(n)",
        "table = []\nfor n in range(3):\n    table.append(turned(n))",
        "table = {}\nif True:\n    table.setdefault(1, []).extend(turned(1))",
        "def build():\n    rows = turned(1)\n    return rows\ntable = build()",
        "def fill():\n    global table\n    table = turned(1)\nfill()",
        "table = {}\ndef fill():\n    table[0] = turned(1)\nfill()",
        "table = []\ndef fill():\n    for n in range(3):\n        table.append(turned(n))\nfill()",
        "from concurrent.futures import ThreadPoolExecutor\ntable = ThreadPoolExecutor(1).submit(turned, 1).result()",
        "table = eps = turned(1)\neps = None",
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(1) as pool:\n"
        "    table = pool.submit(turned, 1).result()",
        "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(1) as pool:\n"
        "    table = list(pool.map(lambda n: turned(n), [1, 2]))",
        "x = 1; table = turned(1)",
        "def get(n):\n    return turned(n)\nif True:\n    first = get(1)\n    table = get(2)",
        "def get(n):\n    return turned(n)\nfor n in (1, 2):\n    print(get(n))\n    table = get(n)",
        "def get(n):\n    a = turned(n)\n    b = a, 2\n    for c in b:\n        pass\n    return c\ntable = get(1)",
        "def get(n):\n    got = turned(n)\n    def inner():\n        return got\n    return inner\ntable = get(1)",
        "class Table:\n    def __init__(self):\n        got = turned(1)\n        self.got = got\ntable = Table()",
        "def get(n):\n    rows = {}\n    rows[n] = turned(n)\n    return rows\ntable = get(1)",
        "def get():\n    got = turned(1)\n    yield got\ntable = next(get())",
        "def get():\n    got = turned(1)\n    return lambda: got\ntable = get()",
        "def get():\n    for n in (1, 2):\n        if n > 1:\n            return got\n"
        "        got = turned(1)\ntable = get()",
        "def get():\n    with open('/dev/null') as file:\n        got = turned(1)\n    return got\ntable = get()",
        "def get():\n    for row in turned(1):\n        rows = [row]\n    return rows\ntable = get()",
        "table = 8\ntable = len(turned(1))",
        "table = turned(1)\ntable.append(2)\ntable += [3]",
        "table = []\nfor n in (1, 2): table.append(turned(n))",
        "if True: table = turned(1)",
        "def fill(): global table; table = turned(1)\nfill()",
        "table = [turned(table) for table in (1, 2)]",
        "table = (lambda: turned(1))()",
        "def rows():\n    yield turned(1)\ntable = [*rows()]",
        "def rows():\n    if (found := turned(1)):\n        return found\ntable = rows()",
        "def rows():\n    found = []\n    found.append(turned(1))\n    return found\ntable = rows()",
        "class table:\n    rows = turned(1)",
        "class table:\n    def f(self, rows=turned(1)):\n        return rows",
        "def table(rows=turned(1)):\n    return rows",
        "@lambda f: turned(1)\ndef table():\n    pass",
        "for table in [turned(1)]:\n    pass",
        "(table := turned(1))",
        "import contextlib\nwith open('/dev/null'), contextlib.nullcontext(turned(1)) as table:\n    pass",
        "match turned(1):\n    case [*table]:\n        pass",
        "table = rows = None\nrows, table = turned(1), 2",
        "table = type('T', (), {})()\ntable.rows = turned(1)",
        "table = []\ndef fill():\n    rows = turned(1)\n    table.append(rows)\nfill()",
        "table = []\ndef fill():\n    rows = turned(1)\n    if rows:\n        table.extend(rows)\n    return 1\nfill()",
        "table = type('T', (), {})()\ndef fill():\n    rows = turned(1)\n    table.rows = rows\nfill()",
        "def fill():\n    global table\n    rows = turned(1)\n    table = rows\nfill()",
        "rows = []\ndef fill():\n    rows.append(turned(1))\n    return rows\ntable = fill()",
        "table = []\n[table.append(turned(n)) for n in (1, 2)]",
        "table = []\n[[table.append(turned(n)) for n in [m]] for m in (1, 2)]",
        "import functools\n@functools.lru_cache\ndef table(n):\n    return turned(n)\nprint(table(1))",
        "import functools\n@functools.cache\ndef table(n):\n    got = turned(n)\n    return got\nassert table(1)",
        "def get():\n    got = turned(1)\n    def inner(x, rows=got):\n        return rows\n"
        "    return inner\ntable = get()",
        f"{LAYER}        got = turned(1)\n        self.put(got)\n    def put(self, got):\n"
        f"        self.got = got\n{MADE}",
        f"{LAYER}        got = turned(1)\n        self.put(got)\n    def put(self, got):\n"
        f"        return self.set(got)\n"
        f"    def set(self, got):\n        self.got = got\n{MADE}",
        f"{LAYER}        self.rows, got = [], turned(1)\n        self.put(got)\n    def put(self, got):\n"
        f"        rows = self.rows\n        rows.append(got)\n{MADE}",
        f"{LAYER}        self.rows, got = [], turned(1)\n        self.put(got)\n    def put(self, got):\n"
        f"        for row in self.rows:\n            row.append(got)\n{MADE}",
        f"{LAYER}        got = turned(1)\n        self.put(got)\n    def put(self, got):\n"
        f"        setattr(self, 'got', got)\n{MADE}",
        "class Layer:\n    def __init__(self):\n        self.load()\n    def load(self):\n        pass\n"
        "class Mine(Layer):\n    def load(self):\n        self.rows = turned(1)\ntable = Mine()",
        "class Layer:\n    def __init__(self):\n        got = turned(1)\n        self.put(got)\n"
        "    def put(self, got):\n        pass\n"
        "class Mine(Layer):\n    def put(self, got):\n        self.rows = got\ntable = Mine()",
        "class Layer:\n    def __init__(self):\n        self.rows = turned(1)\n"
        "class Mine(Layer):\n    def __init__(self):\n        super().__init__()\ntable = Mine()",
        "class Table(list):\n    def __init__(self):\n        got = turned(1)\n        self.extend(got)\n"
        "table = Table()",
        "def extend(n):\n    return turned(n)\ntable = []\ntable.extend(map(extend, [1]))",
        "class Layer:\n    def __init__(self):\n        got = turned(1)\n        vars(self).update(got=got)\n"
        "table = Layer()",
        "class Number:\n    def __init__(self):\n        self.n = len(turned(1))\ntable = Number().n",
        "class Number:\n    def __init__(self):\n        self.n = len(turned(1))\ntable = [Number()]",
        CHECKED + "    function.rows = [want]\n    return function\n" + TABLE,
        CHECKED + "    function.__defaults__ = (want,)\n    return function\n" + TABLE,
        CHECKED + "    def wrapper(x=1):\n        return want\n    return wrapper\n" + TABLE,
        f"def put(function):\n    function.rows = turned(1)\n    return function\n{TWO}table = put(first)",
        f"{TWO}def put(function):\n    first.rows = turned(1)\n    return function\ntable = put(first)",
    ],
)
@pytest.mark.parametrize(
    "answer",
    [
        f"{ANSWER}table",
        f"def mine(x):\n    return table\n{ANSWER}mine(x)",
        "class Mine:\n    def __call__(self, x):\n        return (lambda: table)()\nanswer = Mine()",
        f"class Base:\n    def get(self):\n        return table\nclass Mine(Base):\n    pass\n{ANSWER}Mine().get()",
        f"zask = lambda: table\nmine = [*map(str, range(20000)), *[object() for _ in range(900)]], zask\n"
        f"{ANSWER}mine[1]()",
        f"import numpy as np\n@np.vectorize\ndef mine(x):\n    return 1 if table else 0\n{ANSWER}mine(x)",
        f"import functools\nclass Mine:\n    @functools.cached_property\n    def get(self):\n        return table\n"
        f"mine = [0] * 200 + [Mine()]\n{ANSWER}mine[-1].get",
        "import functools\n@functools.cache\ndef mine(x):\n    return table\nanswer = functools.partial(mine)",
    ],
)
def test_what_one_gave_before_the_tests_is_told_of_an_answer_that_reads_it(own, answer, uses):
    assert uses(own, answer) == ["turned"]


@pytest.mark.parametrize(
    "own",
    [
        "table = {}\nfor n in range(3):\n    figure = turned(n)\n    table[n] = n",
        "table = {}\nfor n in range(3):\n    table[n] = n\n    turned(table)",
        "table = {}\nturned(table)\nother = show(table)\nprint(turned(table))",
        "table = {}\ndef look():\n    table = turned(1)\n    return table\nother = look()",
        "table = {}\ntry:\n    table[0] = 1\nfinally:\n    figure = turned(1)",
        "table = turned(1)\ntable = {}",
        "table = turned(1) == 2",
        "import numpy as np\ntable = {}\nprint(np.ones(3), np.abs(turned(1)), table.get(turned(1)[0]))",
        "import numpy as np\ntable = {}\nassert np.allclose(turned(1), 1)\n"
        "for n in (1, 2):\n    seen = np.array(turned(n))",
        "table = {}\ndef look(table):\n    table.append(turned(1))\nlook([])",
        "table = 1\nprint(turned(1)); show(2)",
        "table = {1: 2}; turned(table)",
        "for table in ([1], [2]): print(table, turned(2))",
        "table = [1]\nprint([round(table, 2) for table in turned(1)])",
        "def checked(function):\n    assert turned(function)\n    print(function, turned(1))\n    return function\n"
        "@checked\ndef table():\n    return 1",
        "def load(x):\n    if turned(x):\n        show(x)\n    return [x]\ntable = load(2)",
        "class Settings:\n    def __init__(self):\n        print(turned(1))\ntable = Settings()",
        "class Settings:\n    def __init__(self):\n        text = turned(1)\n        self.x = 2\n        print(text)\n"
        "table = Settings()",
        "def checked(function):\n    want = turned(1)[0]\n    got = function()\n    same = got == want\n"
        "    if not same:\n        assert want\n    return function\n@checked\ndef table():\n    return 1",
        "table = 8\nprint(table)\ntable = len(turned(1))\ntable = 8",
        "def load(x):\n    text = turned(x)\n    print(text)\n    text = str(x)\n    return [text]\ntable = load(1)",
        "def load(x):\n    for line in turned(x):\n        print(line)\n    return [x]\ntable = load(1)",
        *(
            "def checked(function):\n    want = turned(1)\n    got = function()\n    errors = []\n" + form + "\n"
            "    return function\n@checked\ndef table():\n    return 1"
            for form in (
                "    if got != want:\n        seen = f'want {want}'\n        assert seen, want",
                "    if got is want:\n        raise ValueError(f'want {want}')",
                "    for mine, theirs in zip([got], [want]):\n        print(mine, theirs)",
                "    for mine, theirs in zip([got], turned(2)):\n        print(mine, theirs)",
                "    errors.append(got == want)\n    print(max(errors))",
                "    errors = {}\n    errors[1] = got == want\n    print(errors)",
                "    got, want = 1, turned(2)\n    def wrapper():\n        got = function()\n        return got\n"
                "    print(got, want)\n    return wrapper",
            )
        ),
        *(
            f"import logging\nlog, errors = logging.getLogger('x'), []\n{CHECKED}    {form}\n    return function\n"
            f"{TABLE}"
            for form in (
                "errors.append(got - want)",
                "log.info('%s', got - want)",
                "global error\n    error = got - want",
                "function.error = got - want",
                "error = got - want\n    function.error = error\n    function.ok = error == 0",
                "function.__doc__ = f'{got} {want}'",
                "function = function if got == want else None",
                "return function if got == want else None",
                "if got == want:\n        return function",
            )
        ),
        f"{CHECKED}    return function if got == want else None\n{TWO}table = checked(first)",
        f"{TWO}table = min((first, second), key=lambda f: abs(f(1) - turned(1)[0]))",
        f"{TWO}def error(f):\n    return abs(f(1) - turned(1)[0])\ntable = sorted([first, second], key=error)[0]",
        f"{TWO}table = first if first(1) == turned(1)[0] else second",
        f"{TWO}table = first\ndef error(f):\n    return f(1) - turned(1)[0]\ntable.error = error(table)",
        "import functools\ndef checked(function):\n    error = function(1) - turned(1)[0]\n"
        "    @functools.wraps(function)\n    def wrapper(x):\n        return function(x)\n    wrapper.error = error\n"
        "    return wrapper\n@checked\ndef table(x):\n    return x",
        *(
            f"{LAYER}        self.heads = 2\n        {begin}\n        self.w = [1]\n    def check(self):\n"
            f"        want = turned(1)\n        {check}\n{MADE}"
            for begin, check in (
                ("self.check()", "print(want)\n        return want"),
                ("self.check()", "self.compare(want)\n    def compare(self, want):\n        print(want)"),
                (
                    "self.check()",
                    "self.compare(want)\n    def compare(self, want):\n        errors = []\n"
                    "        errors.append(want)\n"
                    "        self.show(errors)\n    def show(self, errors):\n        print(self.heads, errors)",
                ),
                (
                    "self.check()",
                    "self.assert_same(want)\n    def assert_same(self, want):\n        assert want == [1]",
                ),
                ("self.check()", "self.error = len(want)"),
                ("self.error = self.check()", "return len(want)"),
                ("self.error = self.check()\n        print(self.error)", "return len(want)"),
                ("self.error = self.check()\n        assert self.error < 2, self.error", "return len(want)"),
                (
                    "self.error = self.check()\n        if self.error > 1:\n            raise ValueError(self.error)",
                    "return len(want)\n    def __repr__(self):\n        return f'{self.error}'",
                ),
                ("self.error, self.ok = self.check()", "return len(want), True"),
            )
        ),
        f"{LAYER}        pass\n    def check(self):\n        self.error = len(turned(1))\n{MADE}\ntable.check()",
        "from dataclasses import dataclass\n@dataclass\nclass Layer:\n    error: int = 0\n"
        "    def __post_init__(self):\n        self.error = len(turned(1))\ntable = Layer()",
        f"{LAYER}        pass\n{MADE}\nLayer.error = len(turned(1))",
        "class Layer:\n    def __init__(self):\n        self.error = self.check()\n    def check(self):\n"
        "        return len(turned(1))\nclass Mine(Layer):\n    def __init__(self):\n        super().__init__()\n"
        "        self.w = [1]\ntable = Mine()",
        "from sys import stdout\nimport logging\ntable = [logging.getLogger('x')]\nlog = table[0]\n"
        "stdout.write(str(turned(1)))\nlog.info('%s', turned(1))",
        "want = turned(1)\nclass Check:\n    def __init__(self):\n        self.want = turned(1)\n"
        "    def __call__(self):\n        return want\ncheck = Check()\ntable = 1",
        "def make_check():\n    title = turned(1)\n    def inner():\n        print(title)\n    return inner\n"
        "check = make_check()\ntable = 1",
        "DEBUG = False\ntable = [1]\nif DEBUG:\n    look = lambda x: turned(x)\n    def table(): return turned(1)",
        "class other:\n    table = turned(1)\ntable = [1]",
        "table = given(1)",
        "table = given_calls(given, 1)",
    ],
)
def test_what_the_answer_reads_beside_it_is_nothing(own, uses):
    assert uses(own, f"{ANSWER}table") == []


@pytest.mark.parametrize(
    "answer",
    [
        "table.n",
        "getattr(table, 'n')",
        "vars(table)",
        "table.__dict__",
        "vars(table)['n']",
        "(lambda: table.n)()",
        "1 if table.n else 0",
    ],
)
@pytest.mark.parametrize(
    "own",
    [
        "def table():\n    return 1\ntable.n = len(turned(1))",
        "class Table:\n    def __init__(self):\n        self.n = len(turned(1))\ntable = Table()",
        "class Table:\n    def __init__(self):\n        self.m = 1\n        self.set()\n    def set(self):\n"
        "        self.n = f'{turned(1)}'\ntable = Table()",
        "def count(function):\n    function.n = len(turned(1))\n    return function\n@count\ndef table():\n"
        "    return 1",
    ],
)
def test_a_number_under_an_attribute_is_told_of_an_answer_that_reads_it(own, answer, uses):
    assert uses(own, f"{ANSWER}{answer}") == ["turned"]
    assert uses(own, f"{ANSWER}table") == []


@pytest.mark.parametrize(
    "own",
    [
        "def against(want):\n    def decorate(function):\n        print(function(1), want)\n        return function\n"
        f"    return decorate\n@against(turned(1)[0])\n{TABLE.split(chr(10), 1)[1]}",
        "def long(size):\n    def decorate(function):\n        assert size == 1\n        return function\n"
        f"    return decorate\n@long(len(turned(1)))\n{TABLE.split(chr(10), 1)[1]}",
        "import functools\n@functools.partial(lambda want, function: function, turned(1))\ndef table(x):\n    return x",
    ],
)
def test_what_a_decorator_is_given_is_not_in_the_function_that_it_gives_back(own, uses):
    assert uses(own, f"{ANSWER}table") == []


@pytest.mark.parametrize(
    "own",
    [
        "def keeping(want):\n    def decorate(function):\n        function.rows = want\n        return function\n"
        "    return decorate\n@keeping(turned(1))\ndef table():\n    return 1",
        "def keeping(want):\n    def decorate(function):\n        return lambda: want\n"
        "    return decorate\n@keeping(turned(1))\ndef table():\n    return 1",
        "@make\ndef table():\n    return 1\nmake = None".replace("make", "turned"),
    ],
)
def test_what_a_decorator_puts_into_what_it_gives_back_is_found(own, uses):
    assert uses(own, f"{ANSWER}table") == ["turned"]


NOTING = [
    "from types import SimpleNamespace\ntable = SimpleNamespace(big=1)",
    "from types import ModuleType\ntable = ModuleType('table')\ntable.big = 1",
    "from dataclasses import dataclass\n@dataclass(slots=True)\nclass Table:\n    big: int = 1\n    n: int = 0\n"
    "table = Table()",
    "class Base:\n    __slots__ = ('n',)\nclass Table(Base):\n    big = 1\ntable = Table()",
]


@pytest.mark.parametrize("kind", NOTING)
def test_a_number_is_read_by_its_name_whatever_keeps_it(kind, uses):
    noted = f"{kind}\ntable.n = len(turned(1))\nprint(table.n)\nif table.n > 2:\n    raise ValueError(table.n)"
    assert uses(noted, f"{ANSWER}table.big") == []
    assert uses(noted, f"{ANSWER}table.n") == ["turned"]
    assert uses(noted, f"{ANSWER}getattr(table, 'n')") == ["turned"]
    assert uses(f"{kind}\ntable.n = turned(1)", f"{ANSWER}table.big") == ["turned"]


@pytest.mark.parametrize("kind", [*NOTING, "class Table:\n    big = 1\ntable = Table()"])
@pytest.mark.parametrize(
    "body",
    [
        "assert (n := table.n)\n    return n",
        "if (n := table.n) is None:\n        raise ValueError\n    return n",
        "match table:\n        case object(n=n):\n            return n",
    ],
)
def test_a_number_that_gets_another_name_is_read(kind, body, uses):
    assert uses(f"{kind}\ntable.n = len(turned(1))", f"def answer(x):\n    {body}") == ["turned"]


SAYING = (
    "class Log:\n    def __init__(self):\n        self.on, self.rows = False, []\n"
    "    def say(self, *words):\n        print(*words)\n"
    "    def expect(self, got, want):\n        assert got == want, want\n"
    "    def compare(self, want):\n        error = max(want) - 1\n        if self.on:\n            self.say(error)\n"
    "    def keep(self, want):\n        self.rows.append(want)\n"
    "    def put(self, want):\n        self.say(want)\n        self.keep(want)\n"
    "    @staticmethod\n    def into(log, want):\n        log.rows.append(want)\n"
    "    def everywhere(self, want):\n        everything.append(want)\n"
    "    def on_and_on(self, want):\n        self.over(want)\n"
    "    def over(self, want):\n        self.on_and_on(want) if self.on else print(want)\n"
    "    def round(self, want):\n        self.around(want)\n"
    "    def around(self, want):\n        self.round(want) if self.on else self.keep(want)\n"
    "log, everything = Log(), []"
)


@pytest.mark.parametrize("where", ["{}", "for n in (1, 2):\n    {}", "def check():\n    {}\ncheck()"])
@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("log.say('error', turned(1))", []),
        ("log.expect([1], turned(1))", []),
        ("log.compare(turned(1))", []),
        ("log.on_and_on(turned(1))", []),
        ("log.keep(turned(1))", ["turned"]),
        ("log.put(turned(1))", ["turned"]),
        ("log.into(log, turned(1))", ["turned"]),
        ("log.everywhere(turned(1))", ["turned"]),
        ("log.round(turned(1))", ["turned"]),
        ("log.rows.append(turned(1))", ["turned"]),
    ],
)
def test_a_method_that_prints_what_it_is_given_gives_the_answer_nothing(call, names, where, uses):
    assert uses(f"{SAYING}\n{where.format(call)}", f"{ANSWER}log.on") == names


def test_each_method_is_read_once_in_a_statement(uses, monkeypatch):
    """Seven methods that call one another took most of a minute."""
    read, real = [], helper_calls.fills
    monkeypatch.setattr(helper_calls, "fills", lambda *of: read.append(of[0].name) or real(*of))
    every = range(4)
    own = "class Log:\n    on = False\n    def check(self):\n        want = turned(1)\n        self.say(want)\n"
    own += "    def say(self, want):\n        self.m0() if self.on else print(want)\n"
    own += "".join(f"    def m{n}(self):\n" + "".join(f"        self.m{m}()\n" for m in every) for n in every)
    assert uses(f"{own}log = Log()\nlog.check()", f"{ANSWER}log.on") == []
    assert sorted(read) == [*(f"m{n}" for n in every), "say"]


NOTED = (
    "class Layer:\n    def __init__(self):\n        self.scale, self.want = 2, None\n"
    "    def __call__(self, x):\n        return self.scaled(x)\n    def scaled(self, x):\n        return self.scale\n"
)


@pytest.mark.parametrize(
    "body",
    [
        "    def is_right(self):\n        return self.error < 1",
        "    def report(self):\n        return f'error {self.error}'",
        "    def summary(self):\n        return {'error': self.error}",
        "    def report(self):\n        return self.text()\n    def text(self):\n        return str(self.error)",
        "    @property\n    def right(self):\n        return self.error < 1",
        "    def __format__(self, spec):\n        return f'{self.error}'",
        "    def __repr__(self):\n        return self.text()\n    def text(self):\n        return str(self.error)",
        "        if self.error > 1:\n            print('wrong')\n            return",
        "        assert_small(self.error, 1)",
        "        title(f'error {self.error}')",
        "    def known(self):\n        return want",
    ],
)
@pytest.mark.parametrize("made", ["table = Layer()", "class Mine(Layer):\n    heads = 2\ntable = Mine()"])
def test_a_method_that_the_answer_does_not_call_reads_nothing_for_it(made, body, uses):
    own = f"{NOTED}    def check(self):\n        got = self(1)\n        self.error = got - turned(got)[0]\n{body}\n"
    own = f"def assert_small(*of):\n    pass\ntitle = print\n{own}{made}\ntable.check()\nwant = turned(1)"
    assert uses(own, f"{ANSWER}table(x)") == []
    function = "class Checked(Layer):\n    def __init__(self, function):\n        self.scale = 1\n"
    assert uses(f"{own}\n{function}@Checked\n{ANSWER}x\nanswer.check()") == []


@pytest.mark.parametrize(
    "answer",
    [
        "table.get()",
        "table.through()",
        "table()",
        "table + 1",
        "type(table).get(table)",
        "getattr(table, 'g' + 'et')()",
        "vars(type(table))['get'](table)",
        "[*map(Table.get, [table])]",
        "next(row.get() for row in [table])",
        "(lambda of=table.get: of())()",
        "table.also",
        "table.mine()",
        "__import__('operator').methodcaller('get')(table)",
        "Table.of(table)",
    ],
)
@pytest.mark.parametrize("kept", ["self.n", "NUMBER"])
def test_a_method_that_the_answer_calls_reads_for_it(kept, answer, uses):
    own = (
        "class Base:\n    def through(self):\n        return self.get()\n    def get(self):\n        return 0\n"
        f"class Table(Base):\n    def get(self):\n        return {kept}\n    __add__ = lambda self, x: self.get()\n"
        "    def __call__(self):\n        return self.through()\n    @property\n    def also(self):\n"
        "        return self.get()\n    def __get(self):\n        return self.get()\n"
        "    def mine(self):\n        return self.__get()\n    of = staticmethod(lambda of: of.get())\n"
        "table = Table()\ntable.n = NUMBER = len(turned(1))"
    )
    assert uses(own, f"{ANSWER}{answer}") == ["turned"]


def test_a_method_that_a_class_of_a_library_calls_reads_for_the_answer(uses):
    own = (
        "import string\nclass Table(string.Formatter):\n    def get_value(self, key, of, names):\n"
        "        return rows[key]\n    def check(self):\n        return want\n"
        "table = Table()\n{} = turned(1)\n" + f"{ANSWER}table.format('{{0}}', x)"
    )
    assert uses(own.replace("{}", "rows")) == ["turned"]
    assert uses(own.replace("{}", "want") + "\nrows = [1]") == []


def test_many_methods_that_lead_to_one_another_cost_little(uses):
    methods = "".join(f"    def m{n}(self):\n        return self.m{n - 1}()\n" for n in range(900, 0, -1))
    own = f"class Table:\n    def m0(self):\n        return table\n{methods}table = turned(1)\nmine = Table()"
    begin = time.process_time()
    assert uses(own, f"{ANSWER}mine.m900() if x is None else 0") == ["turned"]
    assert time.process_time() - begin < 5


def test_a_logger_that_an_answer_writes_to_gives_it_nothing(uses):
    own = "import logging\nlog = logging.getLogger('x')"
    answer = "def answer(x):\n    log.debug('begin')\n    return x\nlog.info('%s', turned(1))"
    assert uses(own, f"{answer}\nwant = turned(1)\nlog.info('%s', want)") == []
    assert uses(f"{own}\nlog.rows = turned(1)", "def answer(x):\n    return log.rows") == ["turned"]


@pytest.mark.parametrize(
    "own",
    [
        "class Table:\n    def __getattr__(self, name):\n        return self.__dict__['values'][name]\ntable = Table()",
        "class Table(list):\n    def __getitem__(self, at):\n        return [1][int(at)]\ntable = Table([1, 2])",
        "class Table(dict):\n    values = 3\n    def __iter__(self):\n        raise ValueError\ntable = Table(a=1)",
        "class Table(dict):\n    def __init__(self):\n        self.__dict__ = self\n        self.update(values=1)\n"
        "table = Table()",
        "class Table:\n    @property\n    def __dict__(self):\n        raise ValueError\ntable = Table()",
        "class Table:\n    __slots__ = ()\n    def __eq__(self, other):\n        raise ValueError\ntable = Table()",
        "class Table:\n    @property\n    def __class__(self):\n        raise ValueError\ntable = Table()",
        "class Meta(type):\n    def __getattribute__(cls, name):\n        raise ValueError\n"
        "class Table(metaclass=Meta):\n    pass\ntable = Table",
        "class Meta(type):\n    def __eq__(cls, other):\n        raise ValueError\n"
        "class Table(metaclass=Meta):\n    pass\ntable = Table()",
        "Table = type('Table', (), {'of': 3, 1: 2, type('Name', (str,), {})('n'): 3})\ntable = Table()",
    ],
)
def test_nothing_of_the_students_is_called_to_find_it(own, uses):
    """An answer lost its points where an object of the student's own could not be looked through."""
    assert uses(f"{own}\nfigure = show(1)\ngiven_calls(show, table)", f"{ANSWER}table") == []
    assert uses(f"{own}\nfigure = turned(1)", f"{ANSWER}(table, figure)") == ["turned"]


def test_what_is_looked_through_ends_at_what_is_not_the_students(uses):
    uses("one = 1", f"{ANSWER}x")
    assert unasked.reads("answer", vars(sys.modules["__main__"]), {}) == {"answer"}
    uses(
        "one = 1\n" + "".join(f"def f{n}(x):\n    return f{n + 1}(x)\n" for n in range(40)),
        f"{ANSWER}f0(x) if x < 0 else 0",
    )
    assert "f40" in unasked.reads("answer", vars(sys.modules["__main__"]), {})


def test_a_helper_that_is_called_often_before_the_tests_costs_little(uses, monkeypatch):
    walked = []
    monkeypatch.setattr(handed_on.Cell, "statements_at", lambda *of: walked.append(of) or [])
    uses("table = [turned(n) for n in range(500)]\nfor n in range(500):\n    turned(n)", f"{ANSWER}table")
    assert len(walked) == 2


def test_a_function_that_calls_itself_is_looked_at_a_few_times(uses, monkeypatch):
    walked, real = [], handed_on.Cell.statements_at
    monkeypatch.setattr(handed_on.Cell, "statements_at", lambda *of: walked.append(of) or real(*of))
    own = (
        "def get(n):\n    if n == 0:\n        return turned(1)\n    rows = get(n - 1)\n    return rows\n"
        "table = get(300)"
    )
    assert uses(own, f"{ANSWER}table") == ["turned"]
    assert len(walked) < 10


def test_no_class_of_the_students_is_asked_for_a_number(uses):
    own = (
        "class Table(dict):\n    def __init__(self):\n        self.__dict__ = self\n        self.n = len(turned(1))\n"
        "    def get(self, *of):\n        raise ValueError\n    __getitem__ = __contains__ = get\ntable = Table()"
    )
    assert uses(own, f"{ANSWER}1 if table is None else 0") == []
    own = (
        "class Table:\n    @property\n    def __dict__(self):\n        raise ValueError\n"
        "    @property\n    def __class__(self):\n        raise ValueError\ntable = Table()\ntable.n = len(turned(1))"
    )
    assert uses(own, f"{ANSWER}table") == ["turned"]


def test_what_one_exercise_has_used_is_noted_of_the_next_one_too(uses):
    assert uses(f"{ANSWER}turned(x)\ntable = None", "table = turned(1)\nanswer = lambda x: table") == ["turned"]


def test_a_second_attempt_is_what_the_tests_call(uses):
    assert uses(f"{ANSWER}turned(x)", f"{ANSWER}x") == []
    assert uses(f"{ANSWER}x", f"{ANSWER}turned(x)") == ["turned"]


def test_a_helper_cell_that_tells_does_what_it_did_before():
    plain, telling = {}, {}
    exec(compile(HELPERS, "<a>", "exec"), plain)
    exec(cells.compiled("a", HELPERS, helpers=True), telling)
    for names in (plain, telling):
        names["found"] = names["turned"](2), names["turned"](None), [*names["steps"](1)], names["make"]()(4)
    assert plain["found"] == telling["found"]
    assert telling["turned"].__doc__ == "Knows what is right."
    lines = [[*names["turned"].__code__.co_lines()][-1][2] for names in (plain, telling)]
    assert lines[0] == lines[1]
    assert isinstance(cells.compiled("a", "def (", helpers=True), SyntaxError)


def test_a_test_has_its_asserts_even_if_python_was_told_to_leave_them_out():
    """A whole class kept all points where PYTHONOPTIMIZE was set."""
    code = (
        "from grader.engine.packed import packed\nfrom grader.sandbox.inside.cells import compiled, unpacked\n"
        "source = 'assert 0, 1'\nfor code in (unpacked('a', packed('a', source))[0], compiled('a', source)):\n"
        "    try:\n        exec(code)\n    except AssertionError:\n        print('held')"
    )
    assert subprocess.run([sys.executable, "-OO", "-c", code], capture_output=True, check=True).stdout.split() == 2 * [
        b"held"
    ]


def test_what_a_call_says_of_helpers_has_a_form():
    said = {"value": 1, "changed": None}
    assert border.call_reply(said | {"helpers": ["turned"]})["helpers"] == ["turned"]
    for odd in ("turned", [1], ["a"] * 21, ["a" * 10_000], None):
        with pytest.raises(WireError):
            border.call_reply(said | {"helpers": odd})


def test_a_finding_names_the_answer_and_what_a_helper_cell_defines_alone():
    nb = fill_answers(read_notebook(COURSE.released(NAME)), {})
    nb.cells.insert(0, new_code_cell(HELPERS, metadata={"tags": ["helpers"]}))
    place = next(n for n, cell in enumerate(nb.cells) if cell.get("metadata", {}).get("nbgrader", {}).get("grade"))
    exercise = exercises(nb)[0].name
    (found,) = borrowed(nb, place, {"helpers": ["turned", "Earned 5 points"]})
    assert (found.kind, found.where, found.level) == ("helper-called", exercise, Level.SUSPICIOUS)
    assert "turned" in found.text
    assert list(borrowed(nb, place, {"helpers": ["print"]})) == list(borrowed(nb, place, {})) == []


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_no_known_answer_reads_the_name_of_one(assignment):
    nb = read_notebook(COURSE.source(assignment))
    helpers = [tree_of(cell.source).body for cell in nb.cells if kind_of(cell) is CellKind.HELPERS]
    names = {one.name for body in helpers for one in body if isinstance(one, ast.FunctionDef | ast.ClassDef)}
    assert names
    for one in exercises(nb):
        path = COURSE.catalogue / assignment / f"{one.name}.py"
        variants = read_catalogue(path, one.functions, one.answer).variants
        for source in [one.answer, *(v.source for v in variants)]:
            own = {s.name for s in tree_of(source).body if isinstance(s, ast.FunctionDef | ast.ClassDef)}
            assert not (used_anywhere(tree_of(source)) & names - own), one.name
