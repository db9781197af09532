"""Which cells are skipped when marking."""

import copy

import pytest
from nbformat import reads, writes
from nbformat.v4 import new_code_cell, new_notebook

from grader.core.findings import Finding, Level
from grader.engine.result import SKIP_TAG, Origin, Result, render
from grader.engine.skipping import Plan


def code(source, tags=(), **nbgrader):
    metadata = {"tags": list(tags)}
    if nbgrader:
        metadata["nbgrader"] = {"locked": not nbgrader.get("solution"), **nbgrader}
    return new_code_cell(source, metadata=metadata)


def source():
    return new_notebook(
        cells=[
            code("import numpy as np", ["setup"], grade_id="setup"),
            code("slow = train()", ["demonstration"]),
            code("def softmax(x):\n    return x", grade_id="softmax", solution=True),
            code("check_softmax(softmax)", ["self-check"]),
            code("assert softmax(1) == 1, 'no'", grade_id="test_softmax_value", grade=True, points=1),
        ]
    )


def submission(answer="def softmax(x):\n    return np.abs(x)", **changes):
    nb = source()
    nb.cells[2].source = answer
    for cell in nb.cells:
        cell.metadata["tags"] = []
        cell.pop("id")
    for position, text in changes.items():
        nb.cells[int(position[1:])].source = text
    return nb


def skipped(nb):
    before = copy.deepcopy(nb)
    places = Plan.of(nb, source()).skipped
    assert nb == before, "the plan is not written into the notebook"
    return [nb.cells[place].source for place in sorted(places)]


def ran(*own, answer="def softmax(x):\n    return np.abs(x)"):
    """Return what runs of an answer and of the student's own cells behind the set-up, each as its lines."""
    nb = submission(answer)
    nb.cells[1:1] = [code(text) for text in own]
    plan = Plan.of(nb, source())
    kept = [plan.sources.get(n, c.source) for n, c in enumerate(nb.cells) if n not in plan.skipped]
    return [
        line for text in kept for line in text.split("\n") if line and not line.startswith(("import numpy", "assert"))
    ]


FIRST, LAST = "import numpy as np", "assert softmax(1) == 1, 'no'"
ANSWER = ["def softmax(x):", "    return np.abs(x)"]


def test_unchanged_demonstrations_are_skipped_whatever_the_submission_lost():
    assert skipped(submission()) == ["slow = train()", "check_softmax(softmax)"]


def test_a_demonstration_that_the_student_changed_does_not_run_either():
    changed = "slow = train()\nprint(type(slow))"
    assert skipped(submission(c1=changed)) == [changed, "check_softmax(softmax)"]


def test_explorations_do_not_run():
    cells = ["probe = train(5)", "print(softmax(np.ones(3)))", "for n in range(3):\n    train(n)", "slow.history["]
    assert ran(*cells) == ANSWER


@pytest.mark.parametrize(
    ("cells", "kept"),
    [
        (["scale = 3.0\nslow = train()"], ["scale = 3.0"]),
        (["base = 1.5", "scale = 2 * base"], ["base = 1.5", "scale = 2 * base"]),
        (["scale = [1]", "scale[0] = 2", "scale.append(3)", "fill(scale)"], None),
        (["scale = 1", "scale += 1"], None),
        (["def set_up():\n    global scale\n    scale = 3", "set_up()"], None),
        (["def inner():\n    global scale\n    scale = 3", "def outer():\n    inner()", "outer()"], None),
        (["scale = {}", "def fill():\n    scale[1] = 2", "fill()"], None),
        (["scale = {}", "def put(k):\n    scale[k] = k", "def all():\n    put(1)", "for n in [1]:\n    all()"], None),
        (["scale = {}", "history = fill(scale)"], None),
        (["scale = counter()", "scale()", "now = scale()"], None),
        (["scale = [1]", "last = scale.pop()"], None),
        (["scale = iter([1, 2])", "one = next(scale)"], None),
        (["scale = [Model()]", "for model in scale:\n    model.fit()"], None),
        (["scale = [Model()]", "losses = [model.fit() for model in scale]"], None),
        (["scale = [1]", "a = [a + b for a, b in other]", "probe(a)", "print([b + 1 for b in scale])"], 1),
        (["scale = np.ones(3)", "total = np.add(1, 2, out=scale)"], None),
        (["scale = []", "if scale.append(1) is None:\n    pass"], None),
        (["scale = []", "print(scale.append(1))", "list(map(scale.append, [1]))"], None),
        (["scale = [[1]]", "row = scale[0]", "row.append(2)"], None),
        (["scale = [[1]]", "row = scale[0]", "row[0] = 5"], None),
        (["scale = np.ones(4)", "grid = scale.reshape(2, 2)", "grid[0, 0] = -2"], None),
        (["scale = [[1]]", "def fill():\n    for row in scale:\n        row[:] = [2]", "fill()"], None),
        (["scale = other = []", "other.append(1)"], None),
        (["scale = [1]", "both = scale, [2]", "for one in both:\n    one.append(1)"], None),
        (["scale = []", "class Filler:\n    def run(self):\n        scale.append(1)", "f = Filler()", "f.run()"], None),
        (["scale = []", "import functools\nput = functools.partial(scale.append, 1)", "put()"], None),
        (["scale = dict()", "steps = [lambda: scale.update({1: 2})]", "steps[0]()"], None),
        (["step = 3", "scale = [1]", "def double(x):\n    return step * x", "scale[0] = double(scale[0])"], None),
        (["scale = [1]", "best = max(slow, scale)", "print(np.maximum(best, 0))"], 1),
        (["scale = -np.inf", "best = max(1, scale)"], 1),
        (["scale = np.finfo(float).eps", "best = build(scale)"], 1),
        (
            ["factor = 2", "class scale:\n    factor = factor\n    def of(self):\n        return depth", "depth = 3"],
            None,
        ),
        (["def of(x):\n    return x", "class scale:\n    def of(self, x):\n        return of(x)"], None),
        (["Array = np.ndarray", "def scale(*parts: Array, **more: Array):\n    return 1"], None),
        (["print(\n2\n); scale = -2"], None),
        (["scale = -2; print(\n2\n)"], None),
        (["scale = 8", "model = build(scale)", "print(len(str(scale)))"], 1),
        (["scale = 2 * len('abc')", "model = build(scale)"], 1),
        (["scale = [1]", "print(scale, len(scale))", "other = [2]", "other.append(3)"], 1),
        (["scale = {}", "[scale.update({n: n}) for n in range(3)]"], None),
        (["scale = {}", "put = lambda n: scale.update({n: n})", "put(3)"], None),
        (["scale = {}", "def rule(f):\n    scale[1] = f\n    return f", "@rule\ndef one(x):\n    return x"], None),
        (["def scale(x):\n    return x", "@scale.register\ndef _(x: int):\n    return 2"], None),
        (["class scale:\n    @classmethod\n    def learn(cls):\n        cls.of = 2", "scale.learn()"], None),
        (["scale = 1", "def show(scale):\n    scale[0] = 2\n    plot(scale)", "show([1])"], 4),
        (["scale = 1", "def log():\n    seen.append(scale)", "seen = []", "log()"], None),
        (["def scale(x):\n    return x", "time(scale)", "def try_it():\n    time(scale)", "try_it()"], 2),
        (["class Way:\n    def go(self):\n        return depth", "depth = 3", "scale = Way().go()"], None),
        (["depth = 3", "def scale(x, by=depth):\n    return x"], None),
        (["def twice(f):\n    return f", "@twice\ndef scale(x):\n    return x"], None),
        (["if True:\n    scale = 3\nelse:\n    scale = 4"], None),
        (["from math import *"], None),
        (
            ["from __future__ import annotations\nother = 2", "scale = 3"],
            ["from __future__ import annotations", "scale = 3"],
        ),
        (['globals()["scale"] = 3'], None),
        (["class scale:\n    pass", "setattr(scale, 'by', 3)", "setattr(other, 'scale', slow)"], 3),
        (
            [
                "def add_to_class(c):\n    def wrapper(f):\n        setattr(c, f.__name__, f)\n    return wrapper",
                "class scale:\n    pass",
                "@add_to_class(scale)\ndef run(self, x):\n    return x",
            ],
            None,
        ),
        (
            [
                "def init(f, k):\n    f.k = k",
                "def scale(x):\n    return scale.k",
                "init(scale, 2)",
                "i = init(k=3, f=scale)",
            ],
            None,
        ),
        (
            [
                "def put(k, into):\n    into.k = k",
                "def put_two(f):\n    put(2, into=f)",
                "def scale(x):\n    return x",
                "put_two(scale)",
                "def again():\n    put_two(scale)",
                "again()",
            ],
            None,
        ),
        (["def known(f):\n    f.known = True\n    return f", "@known\nclass scale:\n    pass"], None),
        (["def scale(x):\n    return x", "def time(f, to):\n    to.s = f(1)", "time(scale, plot)"], 2),
        (["scale = []", "def print(t):\n    t.append(1)", "print(scale)"], None),
        (["scale = 1; other = 2"], None),
        (["scale: float = 1.0"], None),
        (["with open('x') as scale:\n    pass"], None),
        (["plt.plot([1])", "import matplotlib.pyplot as plt", "scale = 2"], ["scale = 2"]),
        (["scale = 2\nprint(scale)\nassert scale"], ["scale = 2"]),
    ],
)
def test_what_an_answer_reads_is_followed_through_the_students_cells(cells, kept):
    answer = "def softmax(x):\n    return scale * x"
    lines = [line for cell in cells for line in cell.split("\n")]
    lines = lines[:kept] if isinstance(kept, int) else lines if kept is None else kept
    assert ran(*cells, answer=answer) == [*lines, *answer.split("\n")]


def test_what_an_answer_made_is_changed_in_front_of_the_last_test_only_and_at_its_own_expense():
    nb = submission("def softmax(x):\n    return scale * x")
    nb.cells[1:1] = [code("scale = [1]\nprint(scale)"), code("scale[0] = 2\ntwice = build(scale)\nother = 3")]
    nb.cells.append(code("thrice = build(scale)"))
    plan = Plan.of(nb, source())
    assert plan.sources == {1: "scale = [1]\n", 2: "scale[0] = 2\ntwice = build(scale)\n"}
    assert plan.beside == {2: [2]}
    assert len(nb.cells) - 1 in plan.skipped


def test_what_a_cell_of_the_course_reads_is_not_found_in_the_students_own_cells_by_chance():
    nb, kit = submission(), source()
    given = code("def given_one(n):\n    return vars(np)[n]", grade_id="given_one")
    for one in (nb, kit):
        one.cells.insert(1, copy.deepcopy(given))
    nb.cells[3].source = "def softmax(x):\n    return given_one('abs')(x)"
    nb.cells.insert(4, code("for n in range(3):\n    print(n, slow)"))
    plan = Plan.of(nb, kit)
    assert 4 in plan.skipped
    assert not plan.released


def test_what_an_answer_remembers_is_filled_by_the_tests_and_not_by_explorations():
    answer = "def softmax(x):\n    known[x] = 1\n    log(x)\n    return x"
    own = ["known = {}", "seen = []", "def log(x):\n    seen.append(x)"]
    explored = ["softmax(3)", "def show():\n    softmax(4)", "show()"]
    lines = ran(*own, *explored, answer=answer)
    assert lines[:4] == ["known = {}", "seen = []", "def log(x):", "    seen.append(x)"]
    assert "show()" not in lines
    assert "softmax(3)" not in lines


FILLS = {
    "a table": ("scale = {}\ndef put(k):\n    scale[1] = k", "put(2)", "scale[1]"),
    "a list": ("scale = []\ndef put(k):\n    scale.append(k)", "put(2)", "scale[0]"),
    "an array": ("scale = np.zeros(1)\ndef put(k):\n    scale[:] = k", "put(2)", "scale[0]"),
    "an object": (
        "from types import SimpleNamespace\nscale = SimpleNamespace()\ndef put(k):\n    scale.by = k",
        "put(2)",
        "scale.by",
    ),
    "a class": ("class scale:\n    by = 1\ndef put(k):\n    scale.by = k", "put(2)", "scale.by"),
    "the answer itself": ("def put(k):\n    softmax.by = k", "put(2)", "softmax.by"),
    "by another function": (
        "scale = {}\ndef put(k):\n    scale[1] = k\ndef start():\n    put(2)",
        "start()",
        "scale[1]",
    ),
    "by a function of its own": (
        "scale = {}\ndef put(k):\n    scale[1] = k",
        "def start():\n    put(2)//start()",
        "scale[1]",
    ),
    "by handing it on": ("scale = [3, 2]\ndef put():\n    heapq.heapify(scale)", "put()", "scale[0]"),
    "its value kept": ("scale = {}\ndef put(k):\n    scale[1] = k\n    return k", "old = put(2)", "scale[1]"),
    "under another name": ("scale = []\nsame = scale\ndef put(k):\n    same.append(k)", "put(2)", "scale[0]"),
    "a register": (
        "scale = {}\ndef rule(k):\n    def of(f):\n        scale[k] = f\n        return f\n    return of",
        "@rule(1)\ndef one(x):\n    return x",
        "scale[1](x)",
    ),
    "with a number of its own": ("scale = {}\ndef put(k):\n    scale[1] = k", "k = 2//put(k)", "scale[1]"),
}


@pytest.mark.parametrize("way", FILLS)
def test_a_call_of_what_an_answers_cell_defines_to_fill_what_it_reads_runs(way):
    defines, own, read = FILLS[way]
    answer = f"{defines}\ndef softmax(x):\n    return {read} * x"
    nb = submission(answer)
    explored = ["print(softmax(3))", "y = softmax(np.ones(3))\nprint(y)", "for n in range(3):\n    train(softmax, n)"]
    nb.cells[3:3] = [code(text) for text in (*own.split("//"), *explored)]
    plan = Plan.of(nb, source())
    end = 3 + len(own.split("//"))
    assert not plan.skipped & set(range(3, end)), "what fills runs"
    assert set(range(end, end + 3)) <= plan.skipped, "what only calls the answer does not"
    assert plan.beside.keys() >= {end - 1}, "at its own expense"
    nb.cells.append(nb.cells.pop(end - 1))
    assert len(nb.cells) - 1 in Plan.of(nb, source()).skipped, "behind the last test it changes no mark"


@pytest.mark.parametrize(
    "answer",
    [
        # The tests fill what the answer remembers.
        "known = {}\ndef put(k):\n    known[k] = 1\ndef softmax(x):\n    put(x)\n    return known[x]",
        # It changes nothing, or nothing that the answer reads, or draws.
        "scale = {1: 2}\ndef put(k):\n    return scale[k]\ndef softmax(x):\n    return put(1) * x",
        "scale = {1: 2}\ndef put(k):\n    return scale[k]\ndef softmax(x):\n    return scale[1] * x",
        "scale = [2]\ndef put(k):\n    mine = [*scale]\n    mine.append(k)\ndef softmax(x):\n    return scale[0] * x",
        "scale = [2]\nlog = []\ndef put(k):\n    log.append(k)\ndef softmax(x):\n    return scale[0] * x",
        "scale = [2]\ndef put(k):\n    plt.plot(scale)\ndef softmax(x):\n    return scale[0] * x",
        "scale = 2\ndef put(k):\n    show(scale)\ndef softmax(x):\n    return scale * x",
        "class put:\n    def __init__(self, k):\n        super().__init__()\n        np.seterr(all='raise')\n"
        "def softmax(x):\n    return np.abs(x)",
    ],
)
def test_a_call_that_fills_nothing_an_answer_waits_for_does_not_run(answer):
    assert "put(2)" not in ran("put(2)", "softmax(2)", answer=answer)


def test_a_second_definition_of_the_answer_counts_wherever_it_stands():
    assert ran("def softmax(x):\n    return x", "soft = 1")[:2] == ["def softmax(x):", "    return x"]


def test_a_name_of_a_locked_cell_that_the_student_binds_anew_counts_if_the_answer_reaches_it():
    nb = submission("def softmax(x):\n    return shifted(x)")
    nb.cells[1:1] = [
        code("def shifted(x):\n    return x - top(x)\ndef top(x):\n    return x.max()", ["given"], grade_id="given"),
        code("top = np.min\nother = 1"),
    ]
    plan = Plan.of(nb, source())
    assert 2 not in plan.skipped
    assert plan.sources[2] == "top = np.min\n"
    nb.cells[4].source = "def softmax(x):\n    return x"
    assert 2 in Plan.of(nb, source()).skipped


def test_a_line_of_an_answer_cell_that_only_looks_at_a_demonstration_is_left_out():
    answer = "def softmax(x):\n    return x\nprint(type(slow))\nshape = slow.shape\nprint(shape)\nprint(softmax(1))"
    nb = submission(answer)
    plan = Plan.of(nb, source())
    assert 1 in plan.skipped
    assert not list(plan.findings())
    assert plan.sources[2].split("\n") == ["def softmax(x):", "    return x", "", "", "", "print(softmax(1))"]
    assert nb.cells[2].source == answer


def test_a_demonstration_that_an_answer_needs_runs_with_what_it_needs_and_no_other():
    full = source()
    full.cells[1:1] = [code("data = load()", ["demonstration"]), code("other = train(0)", ["demonstration"])]
    full.cells[3].source = "slow = train(data)"
    nb = copy.deepcopy(full)
    nb.cells[4].source = "def softmax(x):\n    return x * slow"
    plan = Plan.of(nb, full)
    assert [full.cells[place].source for place in plan.skipped] == ["other = train(0)", "check_softmax(softmax)"]
    (finding,) = plan.findings()
    assert finding.where == "softmax"
    assert "uses slow, which" in finding.text


def test_a_name_that_answer_and_demonstration_share_needs_no_demonstration():
    own = "slow = 3\ndef softmax(x):\n    return x * slow"
    assert skipped(submission(own)) == ["slow = train()", "check_softmax(softmax)"]
    assert skipped(submission("slow = slow + 1\ndef softmax(x):\n    return x * slow")) == ["check_softmax(softmax)"]


@pytest.mark.parametrize(
    ("own", "runs"),
    [("from numpy import *", False), ("from math import sqrt", True), ("from nowhere import *", True)],
)
def test_a_name_that_a_star_import_brings_needs_no_demonstration(own, runs):
    """A whole training ran for a name that NumPy has as well."""
    full = source()
    full.cells[1].source = "where = train()"
    nb = copy.deepcopy(full)
    nb.cells[2].source = "def softmax(x):\n    return where(x > 0, x, 0)"
    nb.cells[1:1] = [code(own)]
    assert bool(Plan.of(nb, full).released) is runs


def test_the_search_is_not_slow_for_odd_code():
    """Thousands of statements that read and bind one name, functions that declare one name global, deep expressions."""
    chain = "\n".join(["scale = 1", *["scale = scale + 1"] * 4_000])
    declared = "\n".join(f"def f{n}():\n    global scale\n    scale = f{n + 1}()" for n in range(1_000))
    deep = "deep = " + "+".join(["1"] * 500) + "\nscale = deep"
    answer = "def softmax(x):\n    return scale * x"
    assert len(ran(chain, declared, deep, answer=answer)) == 4_001 + 3_000 + 2 + 2


@pytest.mark.parametrize("tag", [SKIP_TAG, "skip-execution", "demonstration", "self-check"])
def test_tags_of_the_submission_skip_nothing(tag):
    nb = submission()
    for cell in nb.cells:
        cell.metadata["tags"] = [tag]
    assert skipped(nb) == ["slow = train()", "check_softmax(softmax)"]
    result = Result(skipped=Plan.of(nb, source()).skipped)
    render(nb, result)
    assert not any("skip-execution" in c.metadata.tags for c in nb.cells)
    assert [c.source for c in nb.cells if SKIP_TAG in c.metadata.tags] == ["slow = train()", "check_softmax(softmax)"]


def test_a_graded_cell_with_the_text_of_a_demonstration_runs():
    assert skipped(submission(c4="slow = train()")) == ["slow = train()", "check_softmax(softmax)"]
    assert 4 not in Plan.of(submission(c4="slow = train()"), source()).skipped


def test_a_name_of_the_students_own_does_not_count_as_the_demonstrations():
    assert len(skipped(submission("def softmax(x):\n    slow = np.max(x)\n    return x - slow"))) == 2


def test_an_answer_that_does_not_parse_is_no_obstacle():
    assert len(skipped(submission("def softmax(x:\n  !pip install x"))) == 2


def test_helpers_that_nothing_uses_are_left_out_of_the_plan():
    nb = submission()
    nb.cells[1:1] = [
        code("def used():\n    return deeper()", ["helpers"], grade_id="used"),
        code("def deeper():\n    return 1", ["helpers"], grade_id="deeper"),
        code("def drawn():\n    return 2", ["helpers"], grade_id="drawn"),
    ]
    nb.cells[5].source += "\nused()"
    plan = Plan.of(nb, source())
    assert [nb.cells[place].source.split("(")[0] for place in sorted(plan.skipped)][:1] == ["def drawn"]
    assert plan.functions == ("softmax",)


def test_what_is_noted_between_nbgraders_two_passes_comes_back():
    nb = submission()
    assert Origin.read(nb) == Origin()
    origin = Origin("digest", "tests", (Finding("cell-moved", "softmax", "It was moved.", Level.REPAIRED),))
    origin.write(nb)
    assert Origin.read(reads(writes(nb), as_version=4)) == origin
