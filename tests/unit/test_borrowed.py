"""Answers that call what the release's helper cells know."""

import pytest
from nbformat.v4 import new_code_cell

from grader.core.catalogue import read_catalogue
from grader.core.cells import exercises, grade_id
from grader.core.course import Course
from grader.core.findings import Level
from grader.core.names import scope_of, used_anywhere
from grader.core.notebook import read_notebook
from grader.engine.borrowed import borrowed
from grader.testing.samples import fill_answers

COURSE = Course.find()
NAME = "05_positional_encoding"
HELPERS = "def _turned(x, base):\n    return x\n\n\ndef turned(x, base):\n    return x"
CALLS = "def rotary(x, base=10000.0):\n    return _turned(x, base=base)"


def released(answer):
    """Return the release with an answer, and with a helper cell that defines what it should not use.

    Of these two, `plt` or another library could have a `turned`, but nothing else has a `_turned`.
    """
    nb = fill_answers(read_notebook(COURSE.released(NAME)), {"rotary": answer})
    nb.cells.insert(0, new_code_cell(HELPERS, metadata={"tags": ["helpers"]}))
    return nb


def test_an_answer_that_calls_a_helper_is_told():
    (found,) = borrowed(released(CALLS))
    assert (found.kind, found.where, found.level) == ("helper-called", "rotary", Level.SUSPICIOUS)
    assert "_turned" in found.text


ANSWER = "def rotary(x, base=10000.0):\n    return "


@pytest.mark.parametrize(
    ("answer", "own"),
    [
        (f"_mine = _turned\n{ANSWER}_mine(x, base)", ""),
        (f"{ANSWER}list(map(_turned, [x]))[0]", ""),
        (f"{ANSWER}globals()['_turned'](x, base)", ""),
        (f"{ANSWER}__import__('__main__')._turned(x, base)", ""),
        (f"{ANSWER}eval('_turned(x, base)')", ""),
        (f"_turned = _turned\n{ANSWER}_turned(x, base)", ""),
        (f"%matplotlib inline\n{ANSWER}_turned(x, base)", ""),
        (f"m = __import__('__main__')\n{ANSWER}getattr(m, '_turned')(x, base)", ""),
        (f"import __main__ as m\n{ANSWER}m._turned(x, base)", ""),
        (f"from __main__ import _turned\n{CALLS}", ""),
        (f"from __main__ import _turned as mine\n{ANSWER}mine(x, base)", ""),
        (f"g = globals()\n{ANSWER}g['_turned'](x, base)", ""),
        (f"if False:\n    _turned = None\n{CALLS}", ""),
        (f"mine = _turned\ndef _turned(x):\n    return x\n_turned = mine\n{CALLS}", ""),
        (f"# {'x' * 120_000}\n{CALLS}", ""),
        (f"_turned: object\n{CALLS}", ""),
        (f"_turned = (lambda: _turned)()\n{CALLS}", ""),
        (f"{ANSWER}sys._getframe(1).f_locals['_turned'](x, base)", ""),
        (f"{ANSWER}_turned(x, base){' + 1' * 900}", ""),
        (f"{ANSWER}__import__(__name__)._turned(x, base)", ""),
        (f"import importlib\n{ANSWER}importlib.import_module(__name__)._turned(x, base)", ""),
        (f"import inspect\nm = inspect.getmodule(check)\n{ANSWER}m._turned(x, base)", ""),
        (f"import inspect\n{ANSWER}getattr(inspect.getmodule(rotary), '_turned')(x, base)", ""),
        (f"import inspect\n{ANSWER}inspect.getclosurevars(check).globals['_turned'](x, base)", ""),
        (f"import operator\n{ANSWER}operator.attrgetter('_turned')(inspect.getmodule(check))(x, base)", ""),
        (f"{ANSWER}mine(x, base)", "def mine(x, base):\n    return _turned(x, base)"),
        (f"{ANSWER}mine(x, base)", "their = _turned\ndef mine(x, base):\n    return their(x, base)"),
    ],
)
def test_it_is_told_however_the_name_is_reached(answer, own):
    nb = released(answer)
    place = next(n for n, cell in enumerate(nb.cells) if grade_id(cell) == "rotary")
    nb.cells.insert(place, new_code_cell(own))
    assert [(f.where, "_turned" in f.text) for f in borrowed(nb)] == [("rotary", True)]


@pytest.mark.parametrize(
    "own",
    [
        "for mine in [turned]:\n    pass",
        "for n, mine in enumerate([turned]):\n    print(n)",
        "(mine := turned)",
        "print(mine := turned)",
        "if mine := turned:\n    pass",
        "while not (mine := turned):\n    pass",
        "[mine := f for f in [turned]]",
        "[0 for mine.f in [turned]]",
        "with nullcontext(turned) as mine:\n    pass",
        "match turned:\n    case mine:\n        pass",
        "match [turned]:\n    case [*mine]:\n        pass",
        "match {0: turned}:\n    case {**mine}:\n        pass",
        "match 0:\n    case [turned]:\n        pass\n    case _:\n        mine = turned",
        "try:\n    mine = turned\nexcept* ValueError as turned:\n    pass",
        "d = {}\nfor d[turned] in [0]:\n    mine = [*d][0]",
        "mine = {}\nfor mine[0] in [turned]:\n    pass",
        "with nullcontext(turned) as mine.f:\n    pass",
        "mine.f: object = turned",
        "if x:\n    mine.f = turned",
        "for m in [__import__('__main__')]:\n    pass\nmine = m.turned",
        "mine = 0\nif x and (turned := x):\n    pass\nelse:\n    mine = turned",
        "for mine in [turned]:\n    pass\nif x:\n    pass\n" + "elif x:\n    pass\n" * 900,
    ],
)
def test_it_is_told_whatever_gives_it_another_name(own):
    assert beside(f"{ANSWER}mine(x, base)", "rotary", own) == ["rotary"]
    assert [f.where for f in borrowed(released(f"{own}\n{ANSWER}mine(x, base)"))] == ["rotary"]


@pytest.mark.parametrize(
    "own",
    [
        "(mine := turned), (turned := 0)",
        "print(mine := turned, turned := 0)",
        "assert [mine := turned, turned := 0]",
        "mine: object = [turned, (turned := 0)][0]",
        "if (mine := turned) and (turned := 1):\n    pass",
        "for mine in [turned, turned := 0][:1]:\n    pass",
        "with nullcontext([turned, turned := 0]) as (mine, _):\n    pass",
        "match [turned, turned := 0]:\n    case [mine, _]:\n        pass",
        "def mine(x, base, f=turned, g=(turned := 0)):\n    return f(x, base)",
        "def mine(x, base, f=turned):\n    global turned\n    turned = 0\n    return f(x, base)",
        "mine = [turned, [0 for turned in [0]]][0]\nturned = None",
        "f = turned\n(mine := f), (f := 0)",
    ],
)
def test_what_is_read_in_the_statement_that_binds_it_again_is_the_courses(own):
    assert beside(f"{ANSWER}mine(x, base)", "rotary", own) == ["rotary"]


@pytest.mark.parametrize(
    "own",
    [
        "(turned := turned)",
        "if turned := turned:\n    pass",
        "def turned(x, base, f=turned):\n    return f(x, base)",
        "async def turned(x, base, f=turned):\n    return f(x, base)",
        "turned = lambda x, base, f=turned: f(x, base)",
        "@lambda f: partial(f, turned)\ndef turned(f, x, base):\n    return f(x, base)",
        "class turned(type('K', (), {'f': turned})):\n    pass",
        "class turned:\n    f = turned",
    ],
)
def test_what_is_read_for_a_definition_is_read_before_it_has_a_name(own):
    assert beside(USES, "rotary", own) == ["rotary"]


def beside(answer, place, own):
    """Return which answers are named, beside a cell of the student's own in front of a cell."""
    nb = released(answer)
    at = next(n for n, cell in enumerate(nb.cells) if grade_id(cell) == place)
    nb.cells.insert(at, new_code_cell(own))
    return [f.where for f in borrowed(nb)]


@pytest.mark.parametrize(
    "own",
    [
        CALLS,
        "rotary = turned",
        "rotary = _turned",
        f"{ANSWER}mine(x, base)\n\n\ndef mine(x, base):\n    return _turned(x, base)",
        "mine = turned\nrotary = mine",
        "class my: pass\nmy.turn = turned\nrotary = lambda *a: my.turn(*a)",
        "def change():\n    global rotary\n    rotary = turned\n\n\nchange()",
        "for rotary in [turned]:\n    pass",
        "(rotary := turned)",
        "with nullcontext(turned) as rotary:\n    pass",
        "match turned:\n    case rotary:\n        pass",
        f"{ANSWER}globals()['turned'](x, base)",
        "def rotary(x):\n    global turned\n    mine, turned = turned, None\n    return mine(x)",
        "def rotary(x):\n    global turned\n    f = lambda: turned\n    y = f()\n    turned = x\n    return y(x)",
    ],
)
@pytest.mark.parametrize("place", ["test_rotary_values", "test_rotary_properties"])
def test_a_second_attempt_between_an_answer_and_its_tests_is_the_answer(own, place):
    assert beside(f"{ANSWER}x", place, own) == ["rotary"]


@pytest.mark.parametrize(
    ("place", "own"),
    [
        ("test_rotary_values", "seen = turned(rotary(1), 2)"),
        ("test_rotary_values", "check_rotary(rotary)"),
        ("test_rotary_values", f"turned = np.cos\n{ANSWER}turned(x)"),
        ("test_rotary_values", "x = rng = got = wanted = turned(1, 2)"),
        ("test_rotary_values", "for turned in [rotary]:\n    rotary = turned"),
        ("rotary", CALLS),
        ("", CALLS),  # behind the tests
    ],
)
def test_what_gives_no_name_that_the_tests_call_is_no_second_attempt(place, own):
    places = [grade_id(cell) or "" for cell in released("").cells]
    last = max(n for n, name in enumerate(places) if name.startswith("test_rotary"))
    assert beside(f"{ANSWER}x", place or next(filter(None, places[last + 1 :])), own) == []


@pytest.mark.parametrize("place", ["test_rotary_values", "test_rotary_properties"])
def test_a_second_attempt_reads_what_the_student_has_bound_with_it(place):
    own = f"def turned(x, base):\n    return x\n\n\n{ANSWER}turned(x, base)"
    assert beside(f"{ANSWER}x", place, own) == []


def test_a_name_of_ones_own_behind_the_first_test_is_no_excuse_for_the_answer_above():
    own = "def turned(x, base):\n    return x"
    assert beside(f"{ANSWER}turned(x, base)", "test_rotary_properties", own) == ["rotary"]


def test_what_an_answer_reads_is_what_it_was_before_its_tests():
    answer = f"{ANSWER}mine(x, base)\n\n\ndef mine(x, base):\n    return x"
    assert beside(answer, "test_rotary_properties", "mine = turned") == ["rotary"]
    nb = released(answer)
    nb.cells.append(new_code_cell("mine = turned"))
    assert list(borrowed(nb)) == []


OWN = "def turned(x, base):\n    return x\n"
USES = f"{ANSWER}turned(x, base)\n"


@pytest.mark.parametrize(
    "own",
    [
        "if not True:\n    turned = None",
        "if True:\n    pass\nelse:\n    turned = None",
        "if np.pi > 4:\n    turned = None",
        "while 0:\n    turned = None",
        "for turned in []:\n    pass",
        "for turned in np.zeros(0):\n    pass",
        "for n in [1]:\n    if n:\n        break\n    turned = None",
        "while True:\n    break\n    turned = None",
        "try:\n    import numpy\nexcept ImportError:\n    turned = None",
        "try:\n    int('x')\n    turned = None\nexcept ValueError:\n    pass",
        "with contextlib.suppress(Exception):\n    int('x')\n    turned = None",
        "try:\n    turned += 1\nexcept TypeError:\n    pass",
        "match 1:\n    case 2:\n        turned = None",
        "match 1:\n    case [turned]:\n        pass\n    case other:\n        pass",
        "match 1:\n    case turned if np.pi > 4:\n        pass",
        "for turned.x in [None]:\n    pass",
        "for d[turned] in [None]:\n    pass",
        "for [turned][0].x in [None]:\n    pass",
        "with open('a') as turned.x:\n    pass",
        "with np.testing.assert_raises(ZeroDivisionError):\n    1 / 0\n    turned = None",
        "with widgets.Output():\n    1 / 0\n    turned = None",
        "with contextlib.suppress(TypeError), open(0 / 0) as turned:\n    pass",
        "with contextlib.suppress(TypeError) as (turned, _):\n    pass",
        "np.pi > 4 and (turned := None)",
        "0 if np.pi else (turned := None)",
        "1 > 2 > (turned := 3)",
        "later = lambda: (turned := None)",
        "[turned := n for n in []]",
        "DEBUG = False\nif DEBUG:\n    turned = None",
        "DEBUG = False\nif np.pi > 4:\n    DEBUG = True\nif DEBUG:\n    turned = None",
        "n = 2\nwhile n < 2:\n    turned = None\n    n += 1",
        "n = 1\ndef change():\n    global n\n    n = 2\nchange()\nwhile n < 2:\n    turned = None",
        "for turned in np.arange(0):\n    pass",
        "range = lambda n: []\nfor turned in range(3):\n    pass",
        "c = [1]\nif not c:\n    turned = None\nc.clear()\nif c:\n    turned = None",
        "def prepare():\n    global turned\n    return\n    turned = None\nprepare()",
        "class m:\n    open = contextlib.suppress\nwith m.open(Exception):\n    1 / 0\n    turned = None",
        "for n in [0]:\n    try:\n        1 / 0\n        turned = None\n    finally:\n        break",
        "while x:\n    try:\n        f()\n        turned = None\n    finally:\n        if n:\n            continue",
        "d[[turned for turned in [0]][0]] = 1",
        "for d[[turned for turned in [0]][0]] in [0]:\n    pass",
    ],
)
def test_what_binds_a_name_only_perhaps_is_no_excuse_for_an_answer(own):
    assert [f.where for f in borrowed(released(f"{own}\n{USES}"))] == ["rotary"]
    assert beside(USES, "rotary", own) == ["rotary"]
    assert [f.where for f in borrowed(released(f"{own}\nmine = turned\n{ANSWER}mine(x, base)"))] == ["rotary"]
    inside = f"{own}\n{USES}".rstrip().replace("\n", "\n    ")
    assert [f.where for f in borrowed(released(f"if True:\n    {inside}"))] == ["rotary"]


@pytest.mark.parametrize("own", ["turned = None", OWN, "from m import turn as turned"])
def test_what_a_helper_cell_binds_again_is_no_excuse(own):
    nb = released(USES)
    nb.cells.insert(0, new_code_cell(own))
    assert [f.where for f in borrowed(nb)] == ["rotary"]


@pytest.mark.parametrize(
    "own",
    [
        "def keep():\n    return turned\nmine = keep()",
        "def inner():\n    return turned\ndef keep():\n    return inner()\nmine = keep()",
        "keep = lambda: turned\nmine = keep()",
        "def keep(x):\n    return turned\nmine = list(map(keep, [0]))[0]",
        "def keep():\n    return turned\nmine = (lambda: keep())()",
        "def keep(f):\n    return turned\n@keep\ndef mine():\n    pass",
        "def keep():\n    global mine\n    mine = turned\nkeep()",
        "def keep():\n    return turned\n(mine := keep())",
        "def keep():\n    yield turned\nfor mine in keep():\n    pass",
        "def keep():\n    return turned\nwith nullcontext(keep()) as mine:\n    pass",
        "def keep():\n    return turned\nmatch keep():\n    case mine:\n        pass",
        "def keep(a, b):\n    return turned\nmine = functools.reduce(keep, [0, 0])",
        "def keep():\n    return turned\nmine = [keep][0]()",
        "def keep():\n    return turned\nmine = partial(keep)()",
        "def keep():\n    return turned\nmine = [f() for f in [keep]][0]",
        "class Keep:\n    @staticmethod\n    def get():\n        return turned\nmine = Keep.get()",
    ],
)
def test_what_was_got_before_a_name_was_bound_again_is_the_courses(own):
    assert [f.where for f in borrowed(released(f"{own}\nturned = None\n{ANSWER}mine(x, base)"))] == ["rotary"]


@pytest.mark.parametrize(
    "answer",
    [
        USES + OWN,
        f"y = 1\n{OWN}z = turned(1, 2)\n{USES}y = turned(z, 3)",
        f"def one(x):\n    return turned(x, 1)\n{OWN}rotary = np.vectorize(one)",
        f"def show():\n    print(turned(1, 2))\nshow()\n{OWN}{USES}",
        f"if __name__ == '__main__':\n    turned = np.cos\n{USES}",
        f"if np.a:\n    turned = 1\nelif np.b:\n    turned = 2\nelse:\n    raise ValueError\n{USES}",
        f"try:\n    import scipy\nexcept ImportError:\n    turned = np.cos\nelse:\n    turned = scipy.cos\n{USES}",
        f"try:\n    turned = np.load('a')\nexcept OSError as error:\n    raise ValueError from error\n{USES}",
        f"with np.errstate(all='ignore'):\n    turned = np.ones(3)\n{USES}",
        f"for n in range(3):\n    turned = n\n{USES}",
        f"for n, turned in enumerate([1, 2]):\n    pass\n{USES}",
        f"while True:\n    turned = 3\n    if turned:\n        break\n{USES}",
        "for turned in rows():\n    def rotary(x, base=1):\n        return turned + x",
        "if True:\n    def rotary(x):\n        return turned(x)\n    def turned(x):\n        return x",
        f"if True:\n    import numpy as np\n    for turned in np.arange(3):\n        pass\n{USES}",
        f"(turned := np.cos)\n{USES}",
        f"if len(sizes) > (turned := 3):\n    print(turned)\n{USES}",
        f"if sizes and (turned := 3):\n    rotary = turned\n{ANSWER}x",
        f"match sizes:\n    case [turned]:\n        print(turned)\n    case turned:\n        pass\n{USES}",
        f"match sizes:\n    case 1:\n        turned = np.cos\n    case _:\n        turned = np.sin\n{USES}",
        f"with warnings.catch_warnings():\n    turned = np.ones(3)\n{USES}",
        f"with tf.device('cpu'), open('a') as turned:\n    pass\n{USES}",
        "for turned in rows():\n    turned.size = 1\n    rotary = turned.size",
        "match rows():\n    case [turned] if turned.size:\n        rotary = turned",
        f"DEBUG = True\nif DEBUG:\n    {OWN.replace(chr(10), chr(10) + '    ').rstrip()}\n{USES}",
        f"n = 0\nwhile n < 2:\n    turned = n\n    n += 1\n{USES}",
        f"for turned in np.arange(3):\n    pass\n{USES}",
        f"n = 3\nfor i in range(n):\n    turned = i\n{USES}",
        f"for a, b in {{1: 2}}.items():\n    turned = a\n{USES}",
        f"quick = np.pi > 3\nif quick:\n    turned = 1\nif not quick:\n    turned = 2\n{USES}",
        f"def prepare():\n    global turned\n    turned = {{}}\n    turned[0] = 1\nprepare()\n{USES}",
        "def rotary(x, base=1):\n    global turned\n    turned = x\n    return turned * base",
        f"turned = lambda x: turned(x - 1) if x else 0\n{USES}",
        f"@functools.cache\ndef turned(x: int = 1) -> int:\n    return turned(x - 1) if x else 0\n{USES}",
        f"class turned:\n    def again(self):\n        return turned()\n{USES}",
        f"if (turned := len(sizes)) and turned > 3:\n    print(turned)\n{USES}",
        f"turned = [1, 2]\nfor turned in turned:\n    print(turned)\n{USES}",
        f"turned = np.ones(3)\nturned[[turned for turned in range(3)]] = 1\n{USES}",
        f"for n in [1]:\n    try:\n        turned = 1\n    finally:\n        print(n)\n{USES}",
        f"def one(x):\n    return turned(x, 1)\nparts = [f for f in [one]]\n{OWN}rotary = parts[0]",
        f"class Net:\n    def one(self, x):\n        return turned(x, 1)\nnet = np.vectorize(Net)\n{OWN}rotary = net",
    ],
)
def test_a_name_that_is_sure_to_be_ones_own_is_nothing(answer):
    assert list(borrowed(released(answer))) == []


@pytest.mark.parametrize(
    "demonstration",
    [
        "for n in sizes:\n    turned = n\n    print(turned)\nprint(turned)",
        "for turned in sizes:\n    pass\nlast = turned",
        "for n in range(k):\n    turned = rotary(n)\n    if turned:\n        break\nelse:\n    print(turned)",
        "if sizes:\n    turned = 1\n    print(turned)",
        "try:\n    turned = rotary(1)\nexcept ValueError:\n    print('no')\nfinally:\n    print(turned)",
        "try:\n    rotary(1)\nexcept ValueError as turned:\n    print(turned)",
        "match rotary(1):\n    case [turned, *_]:\n        print(turned)",
        "match rotary(1):\n    case [turned, *_]:\n        pass\nlast = turned",
        "if turned := rotary(1):\n    print(turned)\nprint(turned)",
        "for turned in sizes:\n    rows[turned] = turned.size = 1\nprint(rows)",
        "with open('a') as file:\n    turned = file.read()\nlast = turned",
    ],
)
def test_what_is_tried_beside_an_answer_may_bind_a_name_perhaps(demonstration):
    assert list(borrowed(released(f"{ANSWER}x\n\n{demonstration}"))) == []


@pytest.mark.parametrize(
    "own",
    [
        "table = {}\nfor n in sizes:\n    table[n] = n\n    turned(table, n)",
        "table = {}\nif sizes:\n    table[0] = 1\nelse:\n    turned(table, 2)",
        "try:\n    table = 1\nexcept ValueError:\n    turned(1, 2)\nfinally:\n    turned(1, 2)",
        "with open('a') as table:\n    turned(table, base=2)",
        "match sizes:\n    case [table]:\n        turned(table, 2)",
    ],
)
def test_what_is_called_on_a_line_of_its_own_gives_nothing(own):
    assert beside(f"{ANSWER}table[x]", "rotary", own) == []
    assert list(borrowed(released(f"{own}\n{ANSWER}table[x]"))) == []
    assert beside(f"{ANSWER}table[x]", "rotary", own.replace("turned(", "table = turned(")) == ["rotary"]


@pytest.mark.parametrize(
    ("own", "named"),
    [
        ("for n in sizes:\n    figure = turned(n, 2)\n    table[n] = np.ones(n)", []),
        ("for n in sizes:\n    with open(n) as file:\n        figure = turned(n, file)\n        table.a = file", []),
        ("for turned in sizes:\n    table[turned] = turned", []),
        ("for n in [1]:\n    turned = n\n    table[n] = turned", []),
        ("for n in sizes:\n    table[n] = turned(n, 2)", ["rotary"]),
        ("for n in sizes:\n    row = turned(n, 2)\n    table[n] = row", ["rotary"]),
        ("for f in [turned]:\n    if x:\n        table[0] = f", ["rotary"]),
        ("if turned(1, 2):\n    table[0] = 1", ["rotary"]),
        ("match x:\n    case 1:\n        table.a[0] = globals()['turned']", ["rotary"]),
        ("def keep():\n    return turned\nfor n in sizes:\n    table[n] = keep()\nturned = None", ["rotary"]),
        ("if x:\n    def f(*a):\n        return turned(*a)\n    table[0] = f", ["rotary"]),
        ("for n in sizes:\n    for f in [turned]:\n        pass\n    table[0] = f", ["rotary"]),
        ("for n in sizes:\n    (f := turned)\n    table[0] = f", ["rotary"]),
        ("if x:\n    with nullcontext(turned) as f:\n        pass\n    table[0] = f", ["rotary"]),
        ("if x:\n    class f:\n        g = turned\n    table[0] = f.g", ["rotary"]),
        ("if x:\n    from __main__ import turned as f\n    table[0] = f", ["rotary"]),
        ("if x:\n    import m as f\n    f.g = turned\n    table[0] = f.g", ["rotary"]),
        ("for f in [m]:\n    f.g = turned\n    table[0] = f.g", ["rotary"]),
        ("try:\n    raise KeyError(turned)\nexcept KeyError as e:\n    table[0] = e.args[0]", ["rotary"]),
        ("f = [turned]\nfor f in f:\n    table[0] = f", ["rotary"]),
        ("for f in globals().values():\n    if f.__name__ == 'turned':\n        table[0] = f", ["rotary"]),
        ("for n in sizes:\n    (k := n)\n    table[k] = k\n    figure = turned(n, 2)", []),
        ("for n in sizes:\n    def f(x):\n        return x\n    table[n] = f\n    figure = turned(n, 2)", []),
        ("for n in sizes:\n    for k in n:\n        table[k] = k\n    for k in n:\n        figure = turned(k)", []),
        ("n = turned(1, 2)\nfor n in sizes:\n    table[n] = n", []),
        ("figure = turned(1, 2)\ntry:\n    table = f()\nexcept E as e:\n    table[0] = str(e)", []),
        ("for n in x:\n    figure = turned(n)\n    try:\n        f()\n    except E as e:\n        table[0] = e", []),
    ],
)
def test_what_is_filled_in_a_loop_or_branch_is_made_of_what_fills_it(own, named):
    assert beside(f"{ANSWER}table[x]", "rotary", f"table = {{}}\n{own}") == named


@pytest.mark.parametrize("own", ["print(_turned(1, 2))", "seen = _turned(1, 2)", "check_rotary(rotary)"])
def test_what_the_answer_does_not_need_may_use_one(own):
    nb = released(f"{ANSWER}x")
    nb.cells.append(new_code_cell(own))
    assert list(borrowed(nb)) == []


@pytest.mark.parametrize(
    "answer",
    [
        f"{ANSWER}x\n\ncheck_rotary(rotary)",
        f"{ANSWER}x\n# check_rotary(rotary)",
        "def rotary(x, base=10000.0):\n    'Not _turned(x).'\n    return x\n_turned(rotary(1), base=2)",
        "def rotary(x, base=10000.0):\n    for _turned in x:\n        getattr(_turned, 'a')\n    return x",
        f"def _turned(x, base):\n    return _turned(x, base) if base else x\n\n{CALLS}",
        f"def _turned(x, base):\n    return x\n\n{CALLS}",
        f"_turned = np.cos\n{CALLS}",
        f"from m import turn as _turned\n{CALLS}",
        "def rotary(x, base=10000.0):\n    return x.turned(base)",
        "def rotary(x, base=10000.0):\n    return x  # _turned",
        "def rotary(x, base=10000.0):\n    'Turn it: _turned is getattr(x).'\n    return getattr(x, 'a')",
        "for _turned in [1]:\n    print(_turned)\ndef rotary(x, base=10000.0):\n    return x",
        "with open('a') as _turned:\n    _turned.read()\ndef rotary(x, base=10000.0):\n    return x",
        "if (_turned := 3):\n    print(_turned)\ndef rotary(x, base=10000.0):\n    return x",
        "turn = vars()\ndef rotary(x, base=10000.0):\n    x.turned('not turned')\n    return x",
        "class A:\n    def _turned(self):\n        return 0\ndef rotary(x, base=10000.0):\n    return A()._turned()",
        "class A:\n    def set(self):\n        self._turned = 0\ndef rotary(x, base=10000.0):\n    return A()._turned",
        "class A:\n    _turned: int = 0\ndef rotary(x, base=10000.0):\n    return getattr(A(), '_turned')",
        "class A:\n    def set(self):\n        setattr(self, '_turned', 0)\ndef rotary(x):\n    return A()._turned",
        "class A:\n    __slots__ = ('_turned',)\ndef rotary(x, base=10000.0):\n    return A()._turned",
        "class A:\n    async def _turned(self):\n        return 0\ndef rotary(x):\n    return A()._turned()",
        "def rotary(x, base=10000.0):\n    return types.SimpleNamespace(_turned=x)._turned",
        "def rotary(x, base=10000.0):\n    return dict(zip(['_turned'], [x]))['_turned']",
        "def rotary(x, base=10000.0):\n    parts = {'_turned': x}\n    return parts['_turned']",
        "def rotary(x, base=10000.0):\n    x['_turned'] = base\n    return x['_turned']",
        "def rotary(x, base=10000.0):\n    return [f'{n}_turned' for n in x if n.endswith('_turned')]",
        "if __name__ == '__main__':\n    plt.turned()\ndef rotary(x, base=10000.0):\n    return x",
        "here = 'a' in sys.modules\ndef rotary(x, base=10000.0):\n    plt.turned() if here else 0\n    return x",
        "for m in net.modules():\n    plt.turned()\ndef rotary(x, base=10000.0):\n    return x",
        "def rotary(x, base=10000.0):\n    model.eval()\n    print('_turned', x)\n    return x",
        "try:\n    from m import _turned\nexcept ImportError:\n    def _turned(x): return x\n" + CALLS,
        "for n in [1]:\n    _turned = n\n" + CALLS,
        "class A:\n    _turned = 0\n    best = max(_turned, 1)\ndef rotary(x, base=10000.0):\n    return x",
        "turn = re.compile('turned')\ndef rotary(x, base=10000.0):\n    modules = x\n    return x.turned",
    ],
)
def test_a_name_of_ones_own_or_that_is_not_called_is_nothing(answer):
    assert list(borrowed(released(answer))) == []


def test_a_name_that_another_cell_of_the_students_gives_is_nothing():
    nb = released(CALLS)
    place = next(n for n, cell in enumerate(nb.cells) if grade_id(cell) == "rotary")
    nb.cells.insert(place, new_code_cell("def _turned(x, base):\n    return x"))
    assert list(borrowed(nb)) == []


def test_a_name_that_is_bound_behind_the_tests_is_still_the_courses():
    nb = released(CALLS)
    nb.cells.append(new_code_cell("def _turned(x, base):\n    return x"))
    assert [f.where for f in borrowed(nb)] == ["rotary"]


def statements_read(monkeypatch, source):
    """Return how many statements are read for an answer beside a cell of the student's own."""
    read = []
    monkeypatch.setattr("grader.engine.borrowed.scope_of", lambda node: read.append(node) or scope_of(node))
    nb = released(CALLS)
    nb.cells.append(new_code_cell(source))
    assert list(borrowed(nb))
    return len(read)


def test_each_statement_is_read_once_however_many_names_it_binds(monkeypatch):
    few, many = ("if 0:\n" + "".join(f" a{n}=_turned\n" for n in range(count)) for count in (2, 2000))
    assert statements_read(monkeypatch, few) == statements_read(monkeypatch, many)


def test_the_head_around_many_branches_is_read_once(monkeypatch):
    read = []
    monkeypatch.setattr("grader.engine.borrowed.scope_of", lambda node: read.append(node) or scope_of(node))
    own = "if far_and_wide:\n" + "".join(f" if x: table[{n}] = _turned\n" for n in range(50))
    assert beside(f"{ANSWER}table[0]", "rotary", own) == ["rotary"]
    # By itself, and with all that it is around.
    assert len([one for one in read if "far_and_wide" in used_anywhere(one)]) == 2


@pytest.mark.parametrize("own", ["print(f\"{'\u3000' + str(1)}\")", f"number = 0x{'f' * 3700}", "x" + "[0]" * 400])
def test_what_cannot_be_written_down_again_is_read_all_the_same(own):
    """Of an answer too: a full-width blank in a replacement field, a number that is too long for its digits."""
    nb = released(f"{own}\n{CALLS}")
    assert [f.where for f in borrowed(nb)] == ["rotary"]


@pytest.mark.parametrize("operator", ["not ", "-"])
@pytest.mark.parametrize(
    "own",
    [
        "assert {}",
        "x = {}",
        "print({})",
        "if {}:\n    pass",
        "while x and {}:\n    pass",
        "for x in [{}]:\n    pass",
        "with open({}):\n    pass",
        "match {}:\n    case 1:\n        pass",
        "@print({})\ndef f():\n    global turned\n    turned = 1",
    ],
)
def test_what_is_nested_too_deeply_to_be_followed_hides_and_accuses_nobody(own, operator):
    own = own.format(operator * 2000 + "1")
    assert beside(USES, "rotary", own) == ["rotary"]
    assert beside(USES, "rotary", f"{own}\n{OWN}") == []


@pytest.mark.parametrize("assignment", COURSE.assignments())
def test_no_known_answer_calls_one(assignment):
    answers = {}
    for one in exercises(read_notebook(COURSE.source(assignment))):
        path = COURSE.catalogue / assignment / f"{one.name}.py"
        variants = read_catalogue(path, one.functions, one.answer).variants
        answers[one.name] = "\n\n".join([one.answer, *(v.source for v in variants)])
    assert all(answers.values())
    assert list(borrowed(fill_answers(read_notebook(COURSE.released(assignment)), answers))) == []
