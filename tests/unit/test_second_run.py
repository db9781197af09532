"""A notebook runs once more where points were lost and left-out code of the student's own may be why."""

import copy
from dataclasses import replace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook
from test_marking import NAME, POINTS, SHORT, course, solved, source  # noqa: F401 (fixtures)
from test_skipping import code
from test_skipping import source as small

from grader.core.cells import grade_id
from grader.core.errors import EndedFromOutside
from grader.core.findings import Finding, Level
from grader.core.names import words
from grader.engine import submission
from grader.engine.again import with_more
from grader.engine.handed import plan_of
from grader.engine.result import Outcome, Result, Verdict
from grader.engine.settings import Budget
from grader.engine.skipping import Plan

READS_SCALE = "def softmax(x):\n    return scale * x"
#: The student's own cells in front of an answer that reads `scale`; the last ones change it in a way that is not
#: followed.
CHANGED = {
    "a method of a class": "class scale:\n    @classmethod\n    def put(cls):\n        cls.k = 2//print(scale.put())",
    "a class under another name": "class scale:\n    k = 5//Same = scale\nSame.k = 2",
    "a class that counts": "class scale:\n    k = 0\n    def __init__(self):\n        type(self).k += 1//a = scale()",
    "a class that knows its heirs": "class scale:\n    pass//class Heir(scale):\n    k = 2",
    "a default": "def scale(k=None, box=[5]):\n    box[0] = k or box[0]//scale(2)",
    "a default, its result kept": "def scale(*, k=None, box={}):\n    return box.setdefault(1, k)//old = scale(k=2)",
    "a cache": "import functools\nk = 2\n@functools.cache\ndef scale():\n    return k//print(scale())",
    "a register": "from functools import singledispatch\n@singledispatch\ndef scale(x):\n    return 1//"
    "of_int = scale.register(int, abs)",
    "a table of the course's": "given_table.update(k=2)",
    "a method that returns": "old = given_table.setdefault('k', 2)",
    "a table under another name": "same = given_table//same['k'] = 2",
    "a function that knows a table": "def put():\n    given_table['k'] = 2\n    return 1//print(put())",
    "a text that is code": "CODE = 'scale = 2'//exec(CODE)",
    "a namespace": "PARAMS = {'scale': 2}//globals().update(PARAMS)",
    "an iterator": "scale = iter([5, 2])//print(list(scale))",
    "a function under another name": "def load():\n    global scale\n    scale = 2//init = load\ninit()",
    "an attribute in a loop": "def scale(x):\n    return scale.k * x//for f in (scale,):\n    f.k = 2",
}
#: What changes something of a module, and not of what an answer reads.
ON_MODULES = [
    'np.seterr(all="raise")',
    'old = np.seterr(all="raise")',
    "import sys//sys.setrecursionlimit(20000)",
    'import os//os.environ["MY_ONE"] = "1.0"',
    'import os//os.environ.update(MY_ONE="1.0")',
    "import decimal//DIGITS = 60//decimal.getcontext().prec = DIGITS",
    "from tensorflow.python.ops.numpy_ops import np_config//np_config.enable_numpy_behavior()",
    "from sys import setrecursionlimit//setrecursionlimit(10 ** 5)",
    "import os//try:\n    os.environ.setdefault('MY_ONE', '1.0')\nexcept OSError:\n    pass",
    "import os//def prepare():\n    os.environ['MY_ONE'] = '1.0'//prepare()",
    "def double(x):\n    return 2 * x//np.double_it = double",
]
#: What students leave behind that changes nothing.
EXPLORED = [
    "print(softmax(np.ones(3)))",
    "probe = softmax(np.ones(3))\nprint(probe, scale)",
    "print(softmax.__name__, list(map(softmax, [1])))",
    "import matplotlib.pyplot as plt\nplt.imshow(softmax(np.ones((3, 3))))\nplt.show()",
    "for n in range(3):\n    model = train(softmax, n)\n    model.fit()",
    "history = train(softmax).history\nhistory['loss'].append(1)",
    "def show(w, **more):\n    fig, ax = plt.subplots()\n    ax.plot(w)\nshow(softmax(np.ones(3)))",
    "assert softmax(3) == 3",
    "class Mine:\n    def run(self):\n        return softmax(1)\nMine().run()",
    "given_size + 1",
    "widths = [given_size, 3]\nwidths.append(4)",
    "import matplotlib.pyplot as plt\nplt.rcParams['figure.figsize'] = (10, 4)\nplt.figure(figsize=(3, 3))",
    "import numpy as np\nnp.random.seed(0)\nnp.set_printoptions(precision=3)",
    "import os\nos.path.join('a', str(softmax))",
    "from IPython.display import Markdown, display\ndisplay(Markdown('## Mine'))\nMarkdown('me')",
]


def planned(*own, answer=READS_SCALE):
    """Return a notebook with cells of the student's own in front of its answer, and its plan."""
    kit = small()
    given = code("given_table = {'a': 1}\ngiven_size = 4", ["given"], grade_id="given_table")
    kit.cells.insert(1, given)
    nb = copy.deepcopy(kit)
    nb.cells[3].source = answer
    nb.cells[3:3] = [code(text) for text in own]
    return nb, Plan.of(nb, kit)


def left_out(nb, plan, own):
    """Return the lines of some cells that a plan leaves out."""
    ran = {n: plan.sources.get(n, c.source).split("\n") for n, c in enumerate(nb.cells) if n not in plan.skipped}
    return [line for n in range(3, 3 + len(own)) for line in own[n - 3].split("\n") if line not in ran.get(n, ())]


@pytest.mark.parametrize("way", CHANGED)
def test_what_may_have_changed_what_an_answer_reads_runs_in_the_second_run(way):
    own = CHANGED[way].split("//")
    answer = READS_SCALE.replace("scale", "given_table['k']") if "given_table" in own[0] else READS_SCALE
    nb, plan = planned(*own, *EXPLORED, answer=answer)
    assert own[-1].split("\n")[-1] in left_out(nb, plan, own)
    assert left_out(nb, plan.more, own) == []
    runs = words("\n".join(plan.more.sources.values()))
    assert "imshow" not in runs
    assert "train" not in runs
    assert plan.more.more is None


@pytest.mark.parametrize("way", ON_MODULES)
def test_what_changes_something_of_a_module_runs_in_the_second_run(way):
    own = way.split("//")
    nb, plan = planned(*own, *EXPLORED, answer="def softmax(x):\n    return x")
    assert own[-1].split("\n")[-1] in left_out(nb, plan, own)
    assert left_out(nb, plan.more, own) == []
    runs = words("\n".join(plan.more.sources.values()))
    assert not {"imshow", "train", "rcParams", "seed", "Markdown"} & set(runs)
    later = [*nb.cells[:3], *nb.cells[3 + len(own) :], *nb.cells[3 : 3 + len(own)]]
    assert Plan.of(new_notebook(cells=later), small()).more is None


def test_what_calls_an_answer_that_keeps_what_it_saw_runs_in_the_second_run():
    for answer, own in (
        ("def softmax(x):\n    scale.append(x)\n    return scale[0] * x", ["scale = []", "softmax(2)"]),
        ("def softmax(x, seen={}):\n    return seen.setdefault(1, x)", ["other = 1", "print(softmax(2))"]),
    ):
        nb, plan = planned(*own, answer=answer)
        assert own[1] in left_out(nb, plan, own)
        assert own[1] not in left_out(nb, plan.more, own)


def test_what_an_answers_cell_defines_to_fill_a_table_of_the_courses_runs_in_the_second_run():
    answer = "def put(k):\n    given_table['k'] = k\ndef softmax(x):\n    return given_table['k'] * x"
    nb, plan = planned("put(2)", *EXPLORED, answer=answer)
    assert left_out(nb, plan, ["put(2)"])
    assert not left_out(nb, plan.more, ["put(2)"])


@pytest.mark.parametrize("cell", EXPLORED)
def test_an_exploration_is_no_reason_for_a_second_run(cell):
    for answer in (
        "def softmax(x):\n    return x",
        "def softmax(x, top=None, by=-1, like=np.inf):\n    return given_size * x",
    ):
        nb, plan = planned("scale = 3", cell, answer=answer)
        assert left_out(nb, plan, ["scale = 3", cell]), "it does not run"
        assert plan.more is None


def test_what_stands_behind_the_last_test_is_no_reason_for_a_second_run():
    nb, _ = planned("class scale:\n    k = 5")
    nb.cells += [code("scale.put(2)")]
    assert Plan.of(nb, small()).more is None


# What is made of two runs.


def two_exercises():
    cells = []
    for name in ("one", "two"):
        cells += [code(f"# of {name}"), code(f"def {name}():\n    pass", grade_id=name, solution=True)]
        cells += [code("pass", grade_id=f"test_{name}_{n}", grade=True, points=2) for n in "ab"]
    nb = new_notebook(cells=cells)
    for cell in nb.cells:
        cell.metadata.nbgrader = cell.metadata.get("nbgrader", {})
        if cell.metadata.nbgrader:
            cell.metadata.nbgrader.setdefault("solution", False)
            cell.metadata.nbgrader.setdefault("grade", False)
    return nb


def result_of(passed, **more):
    """Return the result in which some of the tests of two exercises passed."""
    names = ["test_one_a", "test_one_b", "test_two_a", "test_two_b"]
    verdicts = {
        n: Verdict(n, Outcome.PASSED) if n in passed else Verdict(n, Outcome.FAILED, "KeyError", "'k'") for n in names
    }
    return Result(
        verdicts=verdicts, outputs={1: [f"of {passed}"], 2: [passed]}, counts={2: 1, 3: 2, 6: 3, 7: 4}, **more
    )


MORE = Plan(frozenset({4}))
PLAN = Plan(frozenset({0, 4}), more=MORE)


def ran_twice(first, second, plan=PLAN, budget=SHORT):
    """Return the result of two runs, and the budgets of the second one."""
    budgets = []

    def mark(one, left):
        assert one is plan.more
        budgets.append(left)
        return second

    return with_more(two_exercises(), plan, first, budget, mark), budgets


def test_an_exercise_that_gains_gets_the_points_of_the_second_run_and_that_is_said():
    first = result_of(
        ["test_one_a", "test_two_a"], findings=[Finding("call-hangs", "test_one_b", "It hung.", Level.LOST)]
    )
    first.causes = [{"test": "test_one_b"}, {"test": "test_two_b"}]
    second = result_of(
        ["test_one_a", "test_one_b"], findings=[Finding("call-hangs", "test_two_a", "It hung.", Level.LOST)]
    )
    both, _ = ran_twice(first, second)
    assert [n for n, v in both.verdicts.items() if v.outcome is Outcome.PASSED] == [
        "test_one_a",
        "test_one_b",
        "test_two_a",
    ]
    assert list(both.verdicts) == list(first.verdicts)
    assert both.causes == [{"test": "test_two_b"}]
    assert both.outputs == second.outputs
    assert both.skipped == second.skipped
    [finding] = both.findings
    assert (finding.kind, finding.where, finding.level) == ("counted-in-second-run", "one", Level.LOST)
    assert "second run count" in finding.text


def test_a_test_that_fails_in_the_second_run_alone_costs_nothing():
    first = result_of(["test_one_a", "test_two_a", "test_two_b"])
    for passed in (["test_one_b"], ["test_one_a"], []):
        both, budgets = ran_twice(first, result_of(passed))
        assert budgets
        assert both.verdicts == first.verdicts
        assert both.outputs == first.outputs
        assert both.skipped == first.skipped
        assert both.findings == []


@pytest.mark.parametrize(
    ("passed", "plan"),
    [
        (["test_one_a", "test_one_b", "test_two_a", "test_two_b"], PLAN),
        ([], replace(PLAN, more=None)),
        (["test_two_a", "test_two_b"], Plan(frozenset({0, 4}), more=Plan(frozenset({0})))),
        ([], Plan(frozenset({0, 4}), more=Plan(frozenset({0, 4}), beside={1: [1]}))),
    ],
)
def test_there_is_no_second_run_where_nothing_can_be_gained(passed, plan):
    first = result_of(passed)
    both, budgets = ran_twice(first, result_of([]), plan)
    assert both is first
    assert not budgets


def test_the_second_run_has_what_is_left_of_the_time_and_a_loss_that_it_might_have_mended_is_said():
    used = result_of(["test_two_a", "test_two_b"], cpu_s=3.0, wall_s=5.0, waited_s=0.5, restarts=1)
    both, [left] = ran_twice(used, result_of(["test_two_a"], cpu_s=2.0, wall_s=4.0))
    assert left.notebook_cpu_s == SHORT.notebook_cpu_s - 3
    assert left.notebook_wall_s == SHORT.notebook_wall_s - 5
    assert left.notebook_waiting_s == SHORT.notebook_waiting_s - 0.5
    assert left.restarts == SHORT.restarts - 1
    assert left.call_cpu_s == SHORT.call_cpu_s
    assert left.demonstrations_cpu_s == left.notebook_cpu_s / 2, "the tests have time as well"
    assert (both.cpu_s, both.wall_s) == (5.0, 9.0)
    for all_used in (
        {"cpu_s": SHORT.notebook_cpu_s}, {"wall_s": SHORT.notebook_wall_s}, {"restarts": SHORT.restarts + 1},
        {"waited_s": SHORT.notebook_waiting_s},
    ):  # fmt: skip
        both, budgets = ran_twice(replace(used, **all_used), result_of([]))
        assert not budgets
        assert [(f.kind, f.where, f.level) for f in both.findings] == [("no-second-run", "one", Level.LOST)]
    late = result_of([])
    late.verdicts["test_one_a"] = Verdict("test_one_a", Outcome.NOT_RUN, "TimeoutError", "its time was up")
    both, _ = ran_twice(used, late)
    assert [f.kind for f in both.findings] == ["no-second-run"]
    cut = [Finding("beside-stopped", "cell", "Line 3 of this cell, which no mark needs, was still computing.")]
    both, _ = ran_twice(used, result_of([], findings=cut))
    assert [f.kind for f in both.findings] == ["no-second-run"]
    both, _ = ran_twice(replace(used, findings=cut), result_of([], findings=cut))
    assert both.findings == cut, "it is no other than in the first run"


def test_what_was_judged_stays_so_where_the_system_ends_the_second_run():
    """It runs where points were lost alone, and so nobody may be judged anew by having it ended."""

    def mark(more, left):
        raise EndedFromOutside

    first = result_of(["test_one_a", "test_two_a", "test_two_b"])
    both = with_more(two_exercises(), PLAN, first, SHORT, mark)
    assert both.verdicts == first.verdicts
    [finding] = both.findings
    assert (finding.kind, finding.where, finding.level) == ("no-second-run", "one", Level.LOST)
    assert "too little memory" in finding.text


def test_an_answer_whose_time_was_up_is_not_waited_for_again():
    first = result_of(["test_one_a", "test_two_a", "test_two_b"])
    first.verdicts["test_one_b"] = Verdict("test_one_b", Outcome.TIMEOUT, "TimeoutError", "It hung.")
    assert not ran_twice(first, result_of([]))[1]


# Marked as a whole.


@pytest.fixture(scope="module")
def kit(course):  # noqa: F811
    return submission.Kit.read(course.source(NAME))


@pytest.fixture
def graded(kit, solved):  # noqa: F811
    """Mark the solved notebook with some cells of the student's own and another answer; return points and record."""

    def run(*own, budget=SHORT, **answers):
        nb = copy.deepcopy(solved)
        for cell in nb.cells:
            cell.source = answers.get(grade_id(cell), cell.source)
        at = next(n for n, cell in enumerate(nb.cells) if grade_id(cell) == "scale")
        nb.cells[at:at] = [new_code_cell(text) for text in own]
        data = nbformat.writes(nb).encode()
        record = submission.mark_handed(
            kit, submission.Handed(f"{NAME}.ipynb", data), submission.Settings(budget=budget)
        ).record
        return {verdict["name"]: verdict["points"] for verdict in record["verdicts"]}, record

    return run


SCORER = "class Scorer:\n    k = 5.0\n    @classmethod\n    def put(cls, k):\n        cls.k = k\n        return k"
USES_SCORER = "def scale(x):\n    return x * Scorer.k"


def test_a_class_that_a_method_of_its_own_changed_counts_as_on_the_students_screen(graded):
    points, record = graded(SCORER, "print(Scorer.put(3.0))", scale=USES_SCORER)
    assert points == POINTS
    assert [(f["kind"], f["where"]) for f in record["findings"]] == [("counted-in-second-run", "scale")]


def test_a_setting_of_a_module_counts_as_on_the_students_screen(graded):
    answer = "import os\n\n\ndef scale(x):\n    return x * float(os.environ['MY_THREE'])"
    points, record = graded("import os\nos.environ['MY_THREE'] = '3.0'", scale=answer)
    assert points == POINTS
    assert [(f["kind"], f["where"]) for f in record["findings"]] == [("counted-in-second-run", "scale")]
    points, _ = graded("import os\nos.environ['MY_THREE'] = '4.0'", scale=answer)
    assert points["test_scale_value"] == 0


def test_a_method_that_a_decorator_puts_on_a_class_is_followed_at_once(graded):
    decorator = (
        "def add_to_class(Class):\n    def wrapper(obj):\n        setattr(Class, obj.__name__, obj)\n    return wrapper"
    )
    method = "@add_to_class(Scorer)\ndef run(self, x):\n    return x * 3.0"
    points, record = graded(
        decorator, "class Scorer:\n    pass", method, scale="def scale(x):\n    return Scorer().run(x)"
    )
    assert points == POINTS
    assert record["findings"] == []


def test_a_wrong_answer_stays_wrong_in_the_second_run(graded):
    points, record = graded(SCORER, "print(Scorer.put(4.0))", scale=USES_SCORER)
    assert points == POINTS | {"test_scale_value": 0}
    assert record["findings"] == []


def test_a_hostile_cell_gains_nothing_in_the_second_run_and_gets_no_time_of_its_own(graded):
    wrong = "class Scorer:\n    k = 5.0"
    budget = replace(SHORT, demonstrations_cpu_s=2.0)
    for own in (
        "import os\nprint(os._exit(repr(Scorer) and 0))",
        "def go(c=Scorer):\n    while c:\n        pass\nlast = go()",
        "Same = Scorer\nSame.k = 4.0\nwhile Same:\n    pass",
        "import builtins\nbuiltins.abs = lambda x: 0.0\nbuiltins.AssertionError = KeyboardInterrupt",
        "import os\nos._exit(0)",
    ):
        points, record = graded(wrong, own, scale=USES_SCORER, budget=budget)
        assert points == POINTS | {"test_scale_value": 0}
        assert record["cpu_s"] < SHORT.notebook_cpu_s


def test_a_statement_on_the_line_of_one_that_runs_anyway_is_no_reason_for_a_second_run(graded):
    own = "scales = [4.0, 2.0]; print(sum(scales))"  # a line runs as a whole
    points, record = graded(own, scale="def scale(x):\n    return x * scales[0]")
    assert points == POINTS | {"test_scale_value": 0}
    assert record["findings"] == []


def test_the_plan_of_a_second_run_comes_back_from_the_process_that_reads(kit, solved):  # noqa: F811
    nb = copy.deepcopy(solved)
    at = next(n for n, cell in enumerate(nb.cells) if grade_id(cell) == "scale")
    nb.cells[at].source = USES_SCORER
    nb.cells[at:at] = [new_code_cell(SCORER), new_code_cell("Scorer.put(3.0) + 1")]
    plan = plan_of(kit, nb)
    assert plan.more is not None
    assert plan == Plan.of(nb, kit.source)


def test_a_budget_without_what_was_used_keeps_its_other_limits():
    left = Budget().without(10.0, 20.0, 5.0, 2)
    assert replace(left, notebook_cpu_s=60.0, notebook_wall_s=600.0, notebook_waiting_s=20.0, restarts=4) == Budget()
