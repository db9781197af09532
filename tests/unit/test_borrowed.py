"""Answers that use what the release's helper cells know."""

import ast
import subprocess
import sys
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
from grader.sandbox.inside import border, cells
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


TABLE = {"turned": lambda x: [x], "other": (lambda x, y=1: x)}
later: object = lambda x: x
one, two = [lambda x: x], 3
'''
GIVEN = "def given(x):\n    return turned(x)\n\n\ndef given_calls(f, x):\n    return f(x)\n\n\n"
GIVEN += "class Wrapped:\n    def __init__(self):\n        self.model = Model()\n    def layer(self, x):\n"
GIVEN += "        return self.model.layer(x)\n\n\ndef given_model():\n    return Wrapped()"
ANSWER = "def answer(x):\n    return "


@pytest.fixture
def uses(monkeypatch):
    """Run cells of the student's behind a helper cell and a given one; return what the calls of a function use."""

    def run(*own, function="answer"):
        main = ModuleType("__main__")
        monkeypatch.setitem(sys.modules, "__main__", main)
        calls = HelperCalls()
        for n, (source, kind) in enumerate([(HELPERS, "helpers"), (GIVEN, ""), *((one, "own") for one in own)]):
            tree = ast.parse(source)
            calls.runs(file := f"<cell-{n}>", kind == "own")
            exec(compile(cells.telling(tree) if kind == "helpers" else tree, file, "exec"), main.__dict__)
        found = []
        for _ in range(2):  # what one call has used, the next one has not
            with calls.asking():
                main.__dict__[function](1)
                found.append(calls.used())
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
        (f"{ANSWER}TABLE['turned'](x)", ["TABLE"]),
        (f"{ANSWER}[*map(later, TABLE['other'](x=[x]))]", ["TABLE", "later"]),
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
        f"{ANSWER}x\nassert answer(1) != turned(1)",
        f"def checked(function):\n    assert function(1) != turned(1)\n    return function\n@checked\n{ANSWER}x",
        f"@decorated\n{ANSWER}x",  # gives back what it was given
        f"table = [turned(n) for n in range(3)]\n{ANSWER}table[x]",
        "class Layer:\n    def __init__(self):\n        self.rows = turned(1)\n"
        "    def check(self):\n        return self(1) == turned(1)\n    def __call__(self, x):\n        return x\n"
        "answer = Layer()\nanswer.check()",
        "class Layer:\n    def __getattribute__(self, name):\n        raise ValueError\n"
        f"layer = Layer()\ngiven_calls(turned, layer)\n{ANSWER}x",
    ],
)
def test_what_happens_before_the_tests_counts_for_nothing(own, uses):
    assert uses(own) == []


def test_a_function_made_with_a_helper_is_told_only_if_the_tests_come_to_one(uses):
    kept = "import functools\n@functools.cache\ndef rows(n):\n    return turned(n)\n"
    assert uses(f"{kept}rows(1)", f"{ANSWER}rows(1)") == []
    assert uses(f"{kept}rows(2)", "def answer(x):\n    rows.cache_clear()\n    return rows(x)") == ["turned"]


def test_a_second_attempt_is_what_the_tests_call(uses):
    assert uses(f"{ANSWER}turned(x)", f"{ANSWER}x") == []
    assert uses(f"{ANSWER}x", f"{ANSWER}turned(x)") == ["turned"]


def test_a_helper_cell_that_tells_does_what_it_did_before():
    plain, telling = {}, {}
    exec(compile(HELPERS, "<a>", "exec"), plain)
    exec(cells.compiled("a", HELPERS, helpers=True), telling)
    for names in (plain, telling):
        names["found"] = names["turned"](2), names["turned"](None), [*names["steps"](1)], names["make"]()(4)
        names["found"] += names["TABLE"]["other"](5), names["later"](6), names["one"][0](7)
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
    for name in ("TABLE", "later", "Model", "make"):
        assert len(list(borrowed(nb, place, {"helpers": [name]}))) == 1, name
    (found,) = borrowed(nb, place, {"helpers": ["turned", "Earned 5 points", "x", "functools", "weights"]})
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
