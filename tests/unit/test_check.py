"""Every rule of `grader check`, in both directions: a clean course gives no finding, one flaw gives that finding."""

import copy
from dataclasses import dataclass, field

import jupytext
import pytest
from nbformat import from_dict
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell

from grader.authoring.check import RULES, Book, On, Page, check, examine, rules_named
from grader.authoring.check_reading import badly_marked, prose, stub, visible
from grader.authoring.frame import fold, tidy
from grader.authoring.sync import expand_helpers
from grader.cli import main
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import normalise, write_notebook
from grader.core.regions import solutions

NAME = "01_demo"
HELPERS = {
    "base.py": '''"""What the other helper needs."""

import numpy as np


def twice(x):
    """Double an array `(T,)`."""
    return 2 * np.asarray(x)
''',
    "plots.py": '''"""Figures and checks."""

import warnings

import keras

from helpers.base import twice


def show(figure, alt):
    """Show a figure with its alternative text."""


def explore(function):
    """Call a function from a slider."""
    import ipywidgets


def check_softmax(function):
    """Check softmax."""
    with warnings.catch_warnings():
        print(twice(keras.ops.ones(1)))
''',
}
VIEW = '''
# %% [markdown]
# # 1. A demo
# [![Open in Colab](https://x.org/badge.svg)](https://colab.research.google.com/github/a/b/blob/main/notebooks/01_demo/01_demo.ipynb)
#
# 75 minutes · 1 exercise · 5 points
# %% [markdown]
# ## Goals
# - implement softmax
#
# ## Before you start
# You know [numpy broadcasting](https://numpy.org/doc).
# %% tags=["setup"] nbgrader={"grade_id": "setup"}
import matplotlib.pyplot as plt
import numpy as np
# %% course={"include": "base.py"}
# helper
# %% course={"include": "plots.py"}
# helper
# %% [markdown]
# ## 1 A question
# The cost is \\$5; the weights are $w = 3!$ and `x != y`.
#
# $$\\begin{align} a &= b \\end{align}$$
#
# > **Predict.** What comes out?
# %% tags=["given"] nbgrader={"grade_id": "given_exp"}
def given_exp(x):
    """Exponentiate the array x of shape `(T,)`."""
    return np.exp(x)
# %% tags=["demonstration"]
scores = given_exp(np.arange(3.0))
figure, ax = plt.subplots()
show(figure, "Three bars, each larger than the one before")
# %% [markdown]
# ### Exercise 1.1 - softmax (3 points)
# Difficulty 2/5 · about 10 minutes
# %% nbgrader={"grade_id": "softmax", "solution": true}
def softmax(x, axis=-1):
    """Turn scores into weights.

    Args:
        x: Array `(..., T)`.
        axis: Where they sum to 1.

    Returns:
        Array of the same shape, `(..., T)`.

    Example:
        >>> softmax(np.zeros((1, 2)))
        array([[0.5, 0.5]])
    """
    ### BEGIN SOLUTION
    shifted = given_exp(x - np.max(x, axis=axis, keepdims=True))
    return shifted / shifted.sum(axis=axis, keepdims=True)
    ### END SOLUTION
# %% tags=["self-check"]
explore(lambda x: softmax(x))
check_softmax(softmax)
# %% [markdown]
# <details><summary>Hint 1: the idea</summary>
#
# Divide.
#
# </details>
# <details><summary>Hint 2: the call</summary>
#
# Call np.sum.
#
# </details>
# %% nbgrader={"grade_id": "test_softmax_values", "points": 2}
"""Softmax gives weights that sum to 1."""
import warnings
warnings.simplefilter("ignore")
import numpy as np
visible_result = np.asarray(softmax(np.array([0.0, 1.0])))
assert np.allclose(visible_result.sum(), 1), "weights sum to 1: did you divide?"
### BEGIN HIDDEN TESTS
hidden_result = np.asarray(softmax(np.array([[0.0, 7.0, 2.0]])))
assert np.allclose(hidden_result.sum(), 1), "weights sum to 1 along the last axis"
### END HIDDEN TESTS
# %% nbgrader={"grade_id": "test_softmax_shape", "points": 1}
"""Softmax keeps the shape."""
import warnings
warnings.simplefilter("ignore")
import numpy as np
for n in (2, 3):
    assert np.shape(softmax(np.zeros((n, 5)))) == (n, 5), f"the shape changed for {n} rows"
### BEGIN HIDDEN TESTS
assert n == 3, "the shape changed"
### END HIDDEN TESTS
# %% [markdown]
# ## Try it yourself
# %% tags=["demonstration"]
explore(print)
# %% tags=["demonstration"]
try:
    print(np.round(softmax(scores), 2))
except NotImplementedError:
    print("not written yet")
# %% [markdown]
# ## What you learned
# - softmax
#
# ## Quiz
QUIZ
# ## Questions to think about
# %% [markdown] nbgrader={"grade_id": "written_scale", "points": 2, "solution": true}
# ### BEGIN SOLUTION
# It grows.
#
# Rubric: one point for the direction, one for the reason.
# ### END SOLUTION
# %% [markdown]
# ## Further reading
# - [Attention is all you need](https://arxiv.org/abs/1706.03762)
'''.replace(
    "QUIZ\n",
    "".join(
        f"# **{n}.** Which?\n# <details><summary>Answer</summary>\n#\n# a\n#\n# </details>\n#\n" for n in range(1, 6)
    ),
)
DEMANDS = """[test_softmax_values]
"Where they sum to 1." = ["weights sum to 1: did you divide?", "weights sum to 1 along the last axis"]
[test_softmax_shape]
"Array of the same shape" = ["the shape changed for {} rows", "the shape changed"]
"""
IMAGE = '<img alt="Three bars, each larger than the one before" src="data:image/png;base64,aGVsbG8=">'


@pytest.fixture
def course(tmp_path):
    """An empty course that has helpers only."""
    (tmp_path / "nbgrader_config.py").write_text("")
    helpers = tmp_path / "assets" / "helpers"
    helpers.mkdir(parents=True)
    for name, source in HELPERS.items():
        (helpers / name).write_text(source)
    (tmp_path / "solutions" / NAME).mkdir(parents=True)
    course = Course(tmp_path)
    for name in (NAME, "02_other"):
        (course.catalogue / name).mkdir(parents=True)
        (course.catalogue / name / "demands.toml").write_text(DEMANDS)
    return course


@pytest.fixture(scope="module")
def clean(tmp_path_factory):
    """The clean notebook, read from its view once."""
    helpers = tmp_path_factory.mktemp("helpers")
    for name, source in HELPERS.items():
        (helpers / name).write_text(source)
    nb = jupytext.reads(VIEW.strip(), fmt="py:percent")
    expand_helpers(nb, helpers)
    for cell in nb.cells:
        cell.metadata.pop("lines_to_next_cell", None)
        if cell.cell_type == "code":
            cell.execution_count = 1
    normalise(nb)
    return nb


@pytest.fixture
def base(course, clean):
    """The clean notebook, executed."""
    page = Page(copy.deepcopy(clean), course, NAME)
    picture = new_output("display_data", {"text/html": IMAGE, "text/plain": "Three bars"})
    demonstration(page).outputs = [picture]
    cell_of(page, "explore(print)").outputs = [copy.deepcopy(picture)]
    compared = new_output("stream", text="largest difference 1e-07", name="stdout")
    cell_of(page, "np.round(softmax").outputs = [compared]
    return page


@pytest.fixture
def release(base):
    """The clean notebook as students get it."""
    write_notebook(base.nb, base.path)
    nb = copy.deepcopy(base.nb)
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
        cell.source = visible(cell.source)
    page = Page(nb, base.course, NAME, released=True)
    page.by_id["softmax"].source = stub(page.by_id["softmax"].source).replace("pass", "raise NotImplementedError()")
    page.by_id["written_scale"].source = "*Write your answer here.*"
    return page


@dataclass
class Framed:
    """Put a notebook into the frame, then break one thing about it."""

    change: object

    def __call__(self, page):
        framed(page)
        self.change(page)


def framed(page):
    """Put the clean notebook into the frame."""
    heading = new_markdown_cell("## Machinery\n\nA folded section. If you see code below, go on at section 0.")
    place = place_of(page, "setup")
    page.cells.insert(place, heading)
    cell_of(page, "## 1 A question").source += "\n\n> **Predict.** More?" * 3
    hints = cell_of(page, "Hint 1")
    hints.source += "\n<details><summary>Hint 3: all</summary>\n\nDo.\n\n</details>"
    page.cells[0].source = page.cells[0].source.replace("75 minutes", "90 minutes")
    exercise = cell_of(page, "### Exercise")
    exercise.source = exercise.source.replace("about 10 minutes", "about 86 minutes")
    tidy(page.nb)
    page.nb.cells[place].id = "machinery"
    fold(page.nb)
    for name in set(page.__dict__) - {"nb", "course", "assignment", "released"}:
        del page.__dict__[name]  # what the page remembers of the cells as they were


V, S = "test_softmax_values", "test_softmax_shape"
DEMO, GOALS, EXERCISE, QUESTION, END = "plt.subplots", "## Goals", "### Exercise", "## 1 A question", "## Further"
ASSERT_V = 'assert np.allclose(visible_result.sum(), 1), "weights sum to 1: did you divide?"'
ONLY_ASSERT_S = (
    'for n in (2, 3):\n    assert np.shape(softmax(np.zeros((n, 5)))) == (n, 5), f"the shape changed for {n} rows"'
)
HIDDEN_V = "hidden_result = np.asarray(softmax(np.array([[0.0, 7.0, 2.0]])))"
HIDDEN_V += '\nassert np.allclose(hidden_result.sum(), 1), "weights sum to 1 along the last axis"'
SOLUTION = """    shifted = given_exp(x - np.max(x, axis=axis, keepdims=True))
    return shifted / shifted.sum(axis=axis, keepdims=True)"""
HIDDEN_S = 'assert n == 3, "the shape changed"'


# --- ways to break a notebook; a cell is named by grade_id, by its place, or by a word in it -----------------


def cell_of(page, where):
    """Find a cell."""
    if isinstance(where, int):
        return page.cells[where]
    return page.by_id.get(where) or next(c for c in page.cells if where in c.source)


def place_of(page, where):
    return page.cells.index(cell_of(page, where))


def demonstration(page):
    return cell_of(page, "plt.subplots")


def swap(where, old, new):
    """Replace a piece of a cell."""

    def change(page):
        cell = cell_of(page, where)
        assert old in cell.source
        cell.source = cell.source.replace(old, new)

    return change


def put(where, text):
    """Append lines to a cell."""

    def change(page):
        cell_of(page, where).source += "\n" + text

    return change


def mark(where, **keys):
    """Change metadata of a cell; None removes a key."""

    def change(page):
        metadata = cell_of(page, where).metadata
        for key, value in keys.items():
            metadata[key] = value
            if value is None:
                del metadata[key]

    return change


def nbgrader(where, **keys):
    """Change nbgrader's metadata of a cell."""
    return lambda page: cell_of(page, where).metadata.nbgrader.update(keys)


def rename(where, name):
    """Change both ids of a cell."""

    def change(page):
        cell = cell_of(page, where)
        cell.id = cell.metadata.nbgrader["grade_id"] = name

    return change


def emit(*outputs):
    """Give the demonstration other outputs."""
    return lambda page: demonstration(page).update(outputs=list(outputs))


def emit_data(**data):
    return emit(new_output("display_data", {k.replace("_", "/"): v for k, v in data.items()}))


def emit_text(text, name="stdout"):
    return emit(new_output("stream", text=text, name=name))


def swap_output(where, text):
    """Give a cell another printed output."""
    return lambda page: cell_of(page, where).update(outputs=[new_output("stream", text=text, name="stdout")])


def remove(where):
    """Take a cell out."""

    def change(page):
        page.cells.remove(cell_of(page, where))
        count_again(page)

    return change


def double(where, **changes):
    """Repeat a cell under another id."""

    def change(page):
        cell = copy.deepcopy(cell_of(page, where))
        cell.update(id="another_one", **changes)
        if "nbgrader" in cell.metadata:
            cell.metadata.nbgrader.grade_id = "another_one"
        page.cells.insert(page.cells.index(cell_of(page, where)) + 1, cell)
        count_again(page)

    return change


def move(where, place):
    """Put a cell elsewhere."""

    def change(page):
        cell = cell_of(page, where)
        page.cells.remove(cell)
        page.cells.insert(place, cell)
        count_again(page)

    return change


def only_visible(page):
    """Take the hidden tests out of one of the two test cells."""
    swap(S, f"\n### BEGIN HIDDEN TESTS\n{HIDDEN_S}\n### END HIDDEN TESTS", "")(page)


def all_of(*changes):
    def change(page):
        for one in changes:
            one(page)

    return change


def second_exercise(page):
    """Add an exercise; this is no flaw."""
    begin, end = (page.cells.index(cell_of(page, w)) for w in (EXERCISE, "## Try it"))
    new = copy.deepcopy(page.cells[begin:end])
    for number, cell in enumerate(new):
        text = cell.source.replace("softmax", "other").replace("check_other", "check_softmax")
        cell.source = text.replace("Exercise 1.1", "Exercise 1.2")
        cell.id = f"new-{number}"
        if "nbgrader" in cell.metadata:
            cell.id = cell.metadata.nbgrader["grade_id"] = cell.metadata.nbgrader["grade_id"].replace(
                "softmax", "other"
            )
    page.cells[end:end] = new
    page.cells[0].source = page.cells[0].source.replace("1 exercise · 5", "2 exercises · 8")
    count_again(page)


def adapter(page, place=None, source="def softmax_shape(n):\n    return np.shape(softmax(np.zeros((n, 5))))"):
    """Let a test reach the answer through a cell on the student's side; this is no flaw."""
    cell = copy.deepcopy(cell_of(page, "given_exp"))
    cell.update(id="softmax_shape", source=source)
    cell.metadata.tags = ["student-side"]
    cell.metadata.nbgrader.grade_id = "softmax_shape"
    page.cells.insert(page.cells.index(cell_of(page, "softmax")) + 1 if place is None else place, cell)
    cell_of(page, S).source = cell_of(page, S).source.replace("np.shape(softmax(np.zeros((n, 5))))", "softmax_shape(n)")
    count_again(page)


def in_both_helpers(text):
    """Add the same lines to both helper files and their cells."""

    def change(page):
        for name in HELPERS:
            with (page.course.helpers / name).open("a") as file:
                file.write(f"\n\n{text}\n")
        expand_helpers(page.nb, page.course.helpers)
        normalise(page.nb)

    return change


def count_again(page):
    for number, code in enumerate((c for c in page.cells if c.cell_type == "code"), start=1):
        code.execution_count = number


@dataclass
class Bad:
    """A flaw, the rule that reports it, and rules that rightly report it too."""

    rule: str
    change: object
    also: set = field(default_factory=set)


AS_GIVEN = {"given-names", "grade-id", "test-calls-answer"}
SOURCE_FLAWS = [
    Bad("plain-python", put(DEMO, "%matplotlib inline"), {"no-download", "demonstration-names"}),
    Bad("plain-python", put(DEMO, "def f(:"), {"demonstration-names"}),
    Bad("cell-kind", mark(DEMO, tags=None), {"demonstration-names"}),
    Bad("cell-kind", mark(DEMO, tags=["demonstration", "self-check"]), {"exercise-self-check", "demonstration-names"}),
    Bad("cell-kind", mark(GOALS, tags=["demonstration"])),
    Bad("cell-kind", lambda page: page.cells.append(new_raw_cell("x", id="raw"))),
    Bad("known-tags", mark(DEMO, tags=["demonstration", "nbval-ignore-outputs"])),
    Bad("nbgrader-marks", nbgrader(V, locked=False)),
    Bad("nbgrader-marks", nbgrader("softmax", locked=True)),
    Bad("nbgrader-marks", mark("setup", nbgrader=None)),
    Bad("nbgrader-marks", mark(DEMO, nbgrader={"grade_id": "demo", "grade": False}), {"cell-id"}),
    Bad("grade-id", rename("softmax", "Softmax")),
    Bad("grade-id", rename("softmax", "soft_max")),
    Bad("grade-id", rename("given_exp", "given_e")),
    Bad("grade-id", rename("written_scale", "scale")),
    Bad("grade-id", rename("setup", "set_up")),
    Bad("cell-id", lambda page: page.by_id["softmax"].update(id="4f3c")),
    Bad("setup-first", move("helpers_base", 2), set()),
    Bad("setup-first", move("helpers_plots", 8), {"demonstration-names"}),
    Bad("setup-first", double("setup"), {"grade-id"}),
    Bad("helper-sync", put("helpers_plots", "# mine")),
    Bad("helper-sync", mark("helpers_plots", cellView=None)),
    Bad("helper-sync", mark("helpers_plots", course={"include": "plot.py"}), {"grade-id"}),
    Bad("helper-order", move("helpers_plots", 3)),
    Bad("helper-order", remove("helpers_base")),
    Bad("helper-order", double("helpers_base"), {"grade-id"}),
    Bad(
        "helper-used",
        double("helpers_base", source="def unused():\n    pass"),
        {"grade-id", "helper-sync", "helper-order"},
    ),
    Bad("helper-names", in_both_helpers("_WIDTH = 3")),
    Bad("helper-names", in_both_helpers("def _f():\n    return 3")),
    Bad("given-names", swap("given_exp", "np.exp(x)", "scores * x")),
    Bad("given-names", put("given_exp", "table = 3")),
    Bad("given-names", all_of(adapter, swap("softmax_shape", "5", "scores"))),
    Bad("given-names", all_of(adapter, put("given_exp", "    return softmax_shape"))),
    Bad("given-names", all_of(adapter, mark("softmax_shape", tags=["given"])), AS_GIVEN),
    Bad("known-tags", all_of(adapter, mark("softmax_shape", tags=["student-side", "student"]))),
    Bad("cell-kind", all_of(adapter, mark("softmax_shape", tags=["given", "student-side"])), AS_GIVEN),
    Bad("grade-id", all_of(adapter, rename("softmax_shape", "softmax_form"))),
    Bad("nbgrader-marks", all_of(adapter, nbgrader("softmax_shape", locked=False))),
    Bad("docstring-shapes", all_of(adapter, swap("softmax_shape", "(n):", '(n):\n    """Give (B, T)."""'))),
    Bad("student-side", all_of(adapter, swap("softmax_shape", "softmax(", "abs("))),
    Bad("student-side", all_of(adapter, swap("softmax_shape", "def ", "softmax = abs\ndef "))),
    Bad("student-side", lambda page: adapter(page, place=6), {"given-names", "test-own-exercise", "test-calls-answer"}),
    Bad("demonstration-names", put(DEMO, "softmax(scores)")),
    Bad("demonstration-names", all_of(adapter, put("explore(print)", "softmax_shape(3)"))),
    Bad("demonstration-names", put(DEMO, "x = visible_result")),
    Bad("no-rebinding", put(DEMO, "np = 3")),
    Bad("no-rebinding", put(DEMO, "import math as np")),
    Bad("no-rebinding", put(DEMO, "from math import exp as show")),
    Bad("no-rebinding", all_of(in_both_helpers("from math import exp"), put(DEMO, "from cmath import exp"))),
    Bad("no-rebinding", swap(V, "import warnings", "import warnings\nshow = 3")),
    Bad("no-rebinding", put(DEMO, "def softmax(x):\n    return x")),
    Bad("no-rebinding", all_of(adapter, put(DEMO, "softmax_shape = 3"))),
    Bad("code-length", put(DEMO, "\n".join(f"x{n} = {n}" for n in range(23)))),
    Bad("line-length", put(DEMO, "# " + "far " * 30)),
    Bad("no-download", put(DEMO, "import requests")),
    Bad("no-download", put(DEMO, "from urllib.request import urlopen")),
    Bad("no-download", put(DEMO, "plt.get_file('x')")),
    Bad("no-download", put(DEMO, "!pip install keras"), {"plain-python", "demonstration-names"}),
    Bad("no-download", put(DEMO, "import os\nos.system('ls')")),
    Bad("seeded", put(DEMO, "rng = np.random.default_rng()")),
    Bad("seeded", put(S, "x = np.random.normal(size=3)\nassert x.all(), 'no'")),
    Bad("figure-helper", put(DEMO, "plt.show()")),
    Bad("figure-helper", put(DEMO, "figure.show()")),
    # grade cells
    Bad(
        "test-asserts",
        all_of(only_visible, swap(S, ONLY_ASSERT_S, "def test_x():\n    assert softmax(3), 'no'\n\nx = test_x")),
        {"exercise-visible-hidden"},
    ),
    Bad(
        "test-asserts",
        all_of(only_visible, swap(S, ONLY_ASSERT_S, "if False:\n    assert softmax(3), 'no'")),
        {"exercise-visible-hidden"},
    ),
    Bad(
        "test-asserts",
        all_of(only_visible, swap(S, ONLY_ASSERT_S, "try:\n    assert softmax(3), 'no'\nexcept Exception:\n    pass")),
        {"exercise-visible-hidden"},
    ),
    Bad("test-can-fail", put(S, "assert (n == 3, 'three')"), {"assert-message"}),
    Bad("test-can-fail", put(S, "assert True, 'fine'")),
    Bad("assert-message", put(S, "assert n == 3")),
    Bad("assert-message", put(S, "assert n == 3, ' '")),
    Bad("test-docstring", swap(S, '"""Softmax keeps the shape."""\n', "")),
    Bad("test-no-expression", put(S, "n")),
    Bad("test-no-expression", swap(V, ASSERT_V, ASSERT_V + "\nvisible_result.sum()")),
    Bad("test-silent", swap(S, "for n in", "print(3)\nfor n in")),
    Bad("test-silent", swap(S, "for n in", "import sys\nsys.stderr.write('x')\nfor n in"), {"test-imports"}),
    Bad("test-silent", lambda page: page.by_id[S].update(outputs=[new_output("stream", text="x", name="stdout")])),
    Bad("test-warnings", swap(S, 'warnings.simplefilter("ignore")\n', "")),
    Bad("test-warnings", swap(S, 'warnings.simplefilter("ignore")', 'warnings.simplefilter("error")')),
    Bad("test-no-helpers", swap(S, "(2, 3)", "twice((2, 3))")),
    Bad("test-own-exercise", all_of(second_exercise, swap(V, "visible_result =", "x = other(3)\nvisible_result ="))),
    Bad("test-own-exercise", all_of(second_exercise, adapter, swap("np.shape(other(", "np.shape", "softmax_shape"))),
    Bad("test-names", swap(S, "(2, 3)", "scores")),
    Bad("test-names", put(V, "assert undefined_name == 3, 'no'")),
    Bad("test-names", put(V, "assert hidden_result is not None, 'no'")),
    Bad("test-imports", put(V, "import itertools as it\nassert it, 'no'")),
    Bad("test-calls-answer", swap(S, "softmax(np", "abs(np")),
    Bad("test-calls-answer", all_of(adapter, swap(S, "softmax_shape(n)", "(n, 5)"))),
    Bad("test-function-called", put(S, "def test_more():\n    assert n == 3, 'no'\n\nassert n, 'no'")),
    Bad("test-no-replacing", swap(S, "for n in", "softmax = np.exp\nfor n in"), {"test-calls-answer"}),
    Bad("test-no-replacing", all_of(adapter, put(V, "softmax_shape = 3\nassert softmax_shape, 'no'"))),
    Bad("hidden-regions", swap(V, "### END HIDDEN TESTS", "")),
    Bad("hidden-regions", swap(V, "### BEGIN HIDDEN TESTS", "# BEGIN HIDDEN TESTS")),
    Bad("hidden-regions", put(DEMO, "### BEGIN HIDDEN TESTS\nx = 3\n### END HIDDEN TESTS")),
    Bad("hidden-regions", put(S, "### BEGIN HIDDEN TESTS\nx = 3\n### END HIDDEN TESTS")),
    Bad("test-points", nbgrader("written_scale", points=0), {"facts-line"}),
    Bad("test-points", all_of(nbgrader(V, points=1.5), nbgrader(S, points=1.5))),
    Bad("test-after-answer", rename(S, "test_soft_max_shape")),
    Bad("test-after-answer", move(S, 8), {"exercise-tests", "heading-points", "facts-line", "test-own-exercise"}),
    # exercises
    Bad("exercise-heading", swap(EXERCISE, "1.1", "1.2")),
    Bad("exercise-heading", swap(EXERCISE, "1.1", "2.1")),
    Bad("exercise-heading", swap(EXERCISE, " (3 points)", "")),
    Bad("exercise-place", swap(EXERCISE, "### Exercise 1.1 - softmax (3 points)", "### Softmax")),
    Bad("heading-points", swap(EXERCISE, "(3 points)", "(4 points)")),
    Bad("heading-points", swap("## Questions to", "## Questions to think about", "## A written answer (3 points)")),
    Bad("exercise-tests", all_of(remove(S), nbgrader(V, points=3))),
    Bad(
        "exercise-visible-hidden", all_of(swap(V, "### BEGIN HIDDEN TESTS\n", ""), swap(V, "### END HIDDEN TESTS", ""))
    ),
    Bad(
        "exercise-visible-hidden",
        all_of(
            swap(V, ASSERT_V + "\n### BEGIN HIDDEN TESTS", "### BEGIN HIDDEN TESTS\n" + ASSERT_V),
            swap(S, ONLY_ASSERT_S + "\n### BEGIN HIDDEN TESTS", "### BEGIN HIDDEN TESTS\n" + ONLY_ASSERT_S),
        ),
    ),
    Bad("exercise-effort", swap(EXERCISE, "Difficulty 2/5", "Easy")),
    Bad("exercise-hints", swap("Hint 2", "Hint 2", "Hint two")),
    Bad("exercise-self-check", swap("check_softmax(softmax)", "check_softmax(softmax)", "print(softmax)")),
    Bad("exercise-self-check", mark("check_softmax(softmax)", tags=["demonstration"])),
    Bad("exercise-self-check", put("check_softmax(softmax)", "softmax(np.ones(3))\ncheck_softmax(softmax)")),
    Bad("exercise-self-check", put("check_softmax(softmax)", "check_hardmax(softmax)")),
    Bad(
        "exercise-self-check",
        all_of(adapter, put("check_softmax(softmax)", "softmax_shape(2)\ncheck_softmax(softmax)")),
    ),
    Bad("solution-regions", swap("softmax", "### END SOLUTION", "")),
    Bad("solution-regions", put(DEMO, "### BEGIN SOLUTION\nx = 3\n### END SOLUTION")),
    Bad(
        "solution-regions",
        put("softmax", '\ndef second():\n    """Do.\n\n    Returns:\n        3.\n    """\n    return 3'),
    ),
    Bad("solution-regions", put("softmax", "\nold = softmax")),
    Bad("solution-regions", swap("softmax", "    ### BEGIN SOLUTION\n", "    x = 1 * x\n    ### BEGIN SOLUTION\n")),
    Bad("exercise-visible-hidden", only_visible),
    Bad("solution-length", swap("softmax", "    return", "    x = 3\n" * 15 + "    return")),
    Bad("answer-docstring", swap("softmax", "        axis: Where they sum to 1.\n", "")),
    Bad("answer-docstring", swap("softmax", "Returns:", "Gives:")),
    Bad("docstring-shapes", swap("softmax", "shape, `(..., T)`", "shape, (..., T)")),
    Bad("docstring-shapes", swap("given_exp", "of shape `(T,)`", "of some shape")),
    Bad("answer-names", swap("softmax", "given_exp(x -", "scores * given_exp(x -")),
    Bad("answer-names", all_of(adapter, swap("softmax", "given_exp(x -", "softmax_shape(2)[0] * given_exp(x -"))),
    Bad("written-answer", swap("written_scale", "Rubric", "Marks")),
    Bad(
        "hidden-rubric",
        all_of(
            swap("written_scale", "### END SOLUTION", ""), swap("written_scale", "Rubric", "### END SOLUTION\nRubric")
        ),
    ),
    Bad("written-answer", remove("written_scale"), {"facts-line"}),
    Bad("facts-line", swap(0, "5 points", "6 points")),
    Bad("facts-line", swap(0, "1 exercise", "2 exercises")),
    Bad("facts-line", swap(0, "75 minutes", "soon")),
    # text
    Bad("title", swap(0, "# 1. A demo", "# A demo")),
    Bad("title", put(END, "\n# Another")),
    Bad("colab-badge", swap(0, "01_demo.ipynb", "02_demo.ipynb")),
    Bad("heading-levels", swap(EXERCISE, "###", "####"), {"exercise-heading", "exercise-place"}),
    Bad("heading-levels", put(END, "\n#### Deep")),
    Bad("sections", swap(GOALS, "## Goals", "## Aims")),
    Bad("sections", swap("## Try it", "## Try it yourself", "## Play"), {"widget"}),
    Bad("sections", move(END, 1)),
    Bad("prediction", swap(QUESTION, "**Predict.**", "Predict")),
    Bad("quiz", swap("## Quiz", "**5.** Which?\n<details><summary>Answer</summary>\n\na\n\n</details>", "")),
    Bad("quiz", swap("## Quiz", "<details><summary>Answer</summary>\n\na\n\n</details>\n\n**3.**", "\n**3.**")),
    Bad("quiz", swap("## Quiz", "**4.**", "**3.**")),
    Bad("details", swap("Hint 1", "idea</summary>\n\n", "idea</summary>\n")),
    Bad("details", swap("Hint 1", "Divide.", "Divide by $x$.")),
    Bad("details", swap("Hint 1", "Divide.\n\n</details>", "Divide.")),
    Bad("details", put(GOALS, "<details>\n\nx\n\n</details>")),
    Bad("links", put(GOALS, "[the notes](notes.md)")),
    Bad("links", put(GOALS, "![two bars](../figures/bars.png)")),
    Bad("links", put(GOALS, '<img src="bars.png" alt="two bars">')),
    Bad("links", put(GOALS, "![two bars](attachment:bars.png)")),
    Bad("links", lambda page: cell_of(page, GOALS).update(attachments={"a.png": {}})),
    Bad("image-alt", put(GOALS, "![](https://x.org/a.png)")),
    Bad("image-alt", put(GOALS, '<img src="https://x.org/a.png" alt="">')),
    Bad("link-text", put(GOALS, "It is [here](https://x.org).")),
    Bad("formulas", put(GOALS, r"$\newcommand{\x}{y}$")),
    Bad("formulas", put(GOALS, r"\begin{align} a \end{align}")),
    Bad("formulas", put(GOALS, r"\(a\)")),
    Bad("formulas", put(GOALS, "It costs $5.")),
    Bad("formulas", put(GOALS, "$$a\n\nb$$")),
    Bad("text-length", put(GOALS, "word " * 121)),
    Bad("no-emoji", put(GOALS, "Go \U0001f680")),
    Bad("no-emoji", put(DEMO, "x = '\u2705'")),
    Bad("no-exclamation", put(GOALS, "Well done!")),
    Bad("no-exclamation", swap(S, "the shape changed", "Oh no! the shape changed")),
    Bad("no-filler", put(GOALS, "You simply divide.")),
    Bad("no-filler", swap(S, "the shape changed", "obviously the shape changed")),
    Bad("words-of-attention", put(GOALS, "The attention scores sum to 1.")),
    # what is saved
    Bad("executed", lambda page: demonstration(page).update(execution_count=None)),
    Bad("executed", lambda page: demonstration(page).update(execution_count=99)),
    Bad("no-error-output", emit(new_output("error", ename="ValueError", evalue="x", traceback=[]))),
    Bad("no-stderr", emit_text("W0000 tensorflow", name="stderr")),
    Bad("no-addresses", emit_text("<Dense at 0x7f3c5a1b2c3d>")),
    Bad("no-plot-repr", emit_data(text_plain="<Figure size 640x480 with 1 Axes>")),
    Bad("no-plot-repr", emit_data(text_plain="Text(0.5, 1.0, 'title')")),
    Bad("figure-alt", emit_data(image_png="aGVsbG8=")),
    Bad("figure-alt", emit_data(text_html='<img src="data:image/png;base64,aGVsbG8=">')),
    Bad("figure-alt", emit_data(text_html='<img alt="figure" src="data:image/png;base64,aGVsbG8=">')),
    Bad("no-svg", emit(new_output("display_data", {"image/svg+xml": "<svg/>"}))),
    Bad("no-svg", emit_data(text_html="<svg></svg>")),
    Bad("keras-difference", swap_output("np.round(softmax", "0.5")),
    Bad("widget", swap("explore(print)", "explore(print)", "print(3)")),
    Bad("widget", lambda page: cell_of(page, "explore(print)").update(outputs=[])),
    Bad("no-local-paths", put(DEMO, "x = '/home/ada/data.csv'")),
    Bad("no-local-paths", put(GOALS, r"Look at C:\Users first.")),
    Bad("no-local-paths", emit_text("saved /tmp/x.png")),
    Bad("clean-metadata", lambda page: page.nb.metadata.update(widgets={})),
    Bad("clean-metadata", lambda page: page.nb.metadata.kernelspec.update(name="a311")),
    Bad("clean-metadata", mark(DEMO, collapsed=True)),
    Bad("size", emit_text("x" * 1_100_000)),
    Bad("machinery", Framed(mark("## Machinery", **{"jp-MarkdownHeadingCollapsed": None}))),
    Bad("machinery", Framed(lambda page: page.nb.metadata.pop("colab"))),
    Bad("machinery", Framed(swap("## Machinery", "folded", "small"))),
    Bad("machinery", Framed(swap("## Machinery", "section 0", "the end"))),
    Bad("machinery", Framed(lambda page: page.cells.insert(1, page.cells.pop(place_of(page, "setup"))))),
    Bad("machinery", Framed(swap("## 1 A question", "## 1 A question", "One question"))),
    Bad("folded-tests", Framed(mark(V, jupyter=None))),
    Bad("folded-tests", Framed(mark(V, cellView=None))),
    Bad("folded-tests", Framed(swap(V, "2 points", "3 points"))),
    Bad("lesson-length", Framed(put("## Goals", "\n\n".join(["word " * 2700]))), {"text-length", "honest-time"}),
    Bad("honest-time", Framed(swap(0, "90 minutes", "89 minutes"))),
    Bad("honest-time", Framed(swap(0, "90 minutes", "111 minutes"))),
    Bad("honest-time", Framed(swap("### Exercise", "86 minutes", "70 minutes"))),
    Bad("predictions", Framed(swap("## 1 A question", "> **Predict.** More?\n\n", ""))),
    Bad("exercise-hints", Framed(swap("Hint 3", "Hint 3", "Hint"))),
]
RELEASE_FLAWS = [
    Bad("plain-python", put(DEMO, "def f(:")),
    Bad("no-local-paths", put(DEMO, "x = '/home/ada/data.csv'")),
    Bad("clean-metadata", lambda page: page.nb.metadata.update(widgets={})),
    Bad("size", put(GOALS, "x" * 510_000)),
    Bad("release-no-outputs", emit_text("0.5")),
    Bad("release-no-outputs", lambda page: demonstration(page).update(execution_count=1)),
    Bad("release-no-solutions", put(S, "### BEGIN HIDDEN TESTS")),
    Bad("release-no-solutions", put("softmax", "    return shifted / shifted.sum(axis=axis, keepdims=True)")),
    Bad("release-no-solutions", put("written_scale", "Rubric: two points")),
    Bad("release-no-solutions", lambda page: page.cells.clear()),
    Bad("release-stubs", swap("softmax", "raise NotImplementedError()", "return None")),
    Bad("machinery", Framed(mark("## Machinery", **{"jp-MarkdownHeadingCollapsed": None}))),
    Bad("folded-tests", Framed(mark(V, jupyter=None))),
]


def second_notebook(book):
    other = copy.deepcopy(book.pages[0].nb)
    book.pages.append(Page(other, book.course, "02_other"))


def helper(name, text):
    return lambda book: book.helpers.update({name: book.helpers.get(name, "") + text})


COURSE_FLAWS = [
    Bad("unique-ids", second_notebook),
    Bad("stated-demands", lambda book: put(S, "assert softmax is not None, 'new'")(book.pages[0])),
    Bad("unique-ids", lambda book: book.pages[0].cells[2].update(id="softmax")),
    Bad("only-notebooks", lambda book: (book.course.solutions / NAME / "data.csv").write_text("x")),
    Bad("kept-back", lambda book: put(DEMO, f"def old(x, axis=-1):\n{SOLUTION}")(book.pages[0])),
    Bad("kept-back", lambda book: put(V, f"# {SOLUTION.strip().replace('    ', '# ')}")(book.pages[0])),
    Bad("kept-back", lambda book: put(DEMO, HIDDEN_V)(book.pages[0])),
    Bad("kept-back", lambda book: (book.course.root / "pyproject.toml").write_text('[tool.course]\nshown = ["a/b"]')),
    Bad("helper-length", helper("base.py", "\n# more" * 150)),
    Bad("helper-imports", helper("base.py", "\nimport pandas as pd\n")),
    Bad("helper-imports", helper("base.py", "\nfrom . import plots\n")),
    Bad("helper-imports", helper("base.py", "\nimport helpers.plots\n")),
    Bad("helper-imports", helper("base.py", "\ndef _f():\n    from helpers.plots import show\n")),
    Bad("helper-docstrings", helper("base.py", "\ndef thrice(x):\n    return 3 * x\n")),
    Bad("helper-docstrings", helper("new.py", "x = 3\n")),
    Bad("helper-text", helper("base.py", "\n# \U0001f680\n")),
]


def reported(findings):
    return {f.rule for f in findings}


def names(flaws):
    return [f"{f.rule}-{n}" for n, f in enumerate(flaws)]


def test_clean_source_has_no_findings(base):
    assert [str(f) for f in examine(base, rules_named([]))] == []


def test_clean_release_has_no_findings(release):
    assert [str(f) for f in examine(release, rules_named([]))] == []


def test_notebook_in_the_frame_has_no_findings(base):
    framed(base)
    assert [str(f) for f in examine(Page(base.nb, base.course, NAME), rules_named([]))] == []


def test_the_rules_of_the_frame_leave_other_notebooks_alone(base):
    base.cells[0].source = base.cells[0].source.replace("75 minutes", "300 minutes")
    put(QUESTION, " word" * 3000)(base)
    rules = ["machinery", "folded-tests", "lesson-length", "honest-time", "predictions", "exercise-hints"]
    assert examine(base, rules_named(rules)) == []


def test_second_exercise_is_no_flaw(base):
    second_exercise(base)
    assert [str(f) for f in examine(Page(base.nb, base.course, NAME), rules_named([]))] == []


def test_messages_on_lines_of_their_own_are_no_code(base):
    put(S, "\n".join("assert softmax(3) is not None, (\n    'no '\n    'such thing')" for _ in range(14)))(base)
    assert examine(base, rules_named(["code-length"])) == []
    put(S, "\n".join("assert softmax(3) is not None, 'no'" for _ in range(14)))(base)
    assert len(examine(base, rules_named(["code-length"]))) == 1


def test_helpers_may_import_the_same(base):
    in_both_helpers("import math")(base)
    assert examine(base, rules_named(["helper-names"])) == []


def test_a_lesson_may_import_what_its_helpers_import(base):
    in_both_helpers("import math\nimport os.path\nfrom math import exp")(base)
    same = "import math, os\nfrom math import exp\nfrom matplotlib import pyplot as plt\nimport numpy as np\n"
    for cell in (DEMO, V):
        cell_of(base, cell).source = same + cell_of(base, cell).source
    assert examine(base, rules_named(["no-rebinding"])) == []


def test_adapter_on_the_students_side_is_no_flaw(base):
    adapter(base)
    put("check_softmax(softmax)", "check_softmax(softmax_shape)")(base)
    assert [str(f) for f in examine(Page(base.nb, base.course, NAME), rules_named([]))] == []


@pytest.mark.parametrize("written", ["3 points, and 2 for a written answer", "3 points · 1 written answer, 2 points"])
def test_written_points_may_stand_beside_the_others(base, written):
    swap(0, "5 points", written)(base)
    assert examine(base, rules_named(["facts-line"])) == []
    swap(0, "2", "4")(base)
    assert examine(base, rules_named(["facts-line"])) != []


@pytest.mark.parametrize(
    "damage",
    [
        lambda cell: cell.update(source=""),
        lambda cell: cell.update(source="def ("),
        lambda cell: cell.update(source="<details> ``` $ ### BEGIN SOLUTION"),
        lambda cell: cell.update(metadata={}),
        lambda cell: cell.update(metadata={"nbgrader": {"grade": True}, "tags": ["x"]}),
        lambda cell: cell.update(metadata={"nbgrader": {"solution": True}, "course": {"include": "no.py"}}),
        lambda cell: cell.update(cell_type="raw"),
    ],
    ids=["empty", "broken", "half", "bare", "grade", "solution", "raw"],
)
def test_no_rule_stumbles_over_a_damaged_cell(base, damage):
    for number in range(len(base.cells)):
        nb = copy.deepcopy(base.nb)
        damage(nb.cells[number])
        nb = from_dict(nb)
        page = Page(nb, base.course, NAME)
        examine(page, rules_named([]))
        examine(Page(nb, base.course, NAME, released=True), rules_named([]))
        course_findings(Book(base.course, [page], dict(HELPERS)))


def test_no_rule_stumbles_over_an_empty_notebook(base):
    base.cells.clear()
    assert examine(base, rules_named([])) != []


def course_findings(book):
    return [f for r in RULES.values() if r.on is On.COURSE for f in r.findings(book)]


def test_clean_course_has_no_findings(base):
    assert course_findings(Book(base.course, [base], dict(HELPERS))) == []


@pytest.mark.parametrize("flaw", SOURCE_FLAWS, ids=names(SOURCE_FLAWS))
def test_flaw_in_source_is_reported(base, flaw):
    flaw.change(base)
    found = examine(Page(base.nb, base.course, NAME), rules_named([]))
    assert reported(found) == {flaw.rule} | flaw.also


@pytest.mark.parametrize("flaw", RELEASE_FLAWS, ids=names(RELEASE_FLAWS))
def test_flaw_in_release_is_reported(release, flaw):
    flaw.change(release)
    found = examine(Page(release.nb, release.course, NAME, released=True), rules_named([]))
    assert reported(found) == {flaw.rule} | flaw.also


@pytest.mark.parametrize("flaw", COURSE_FLAWS, ids=names(COURSE_FLAWS))
def test_flaw_in_course_is_reported(base, flaw):
    book = Book(base.course, [base], dict(HELPERS))
    flaw.change(book)
    assert reported(course_findings(book)) == {flaw.rule} | flaw.also


def test_an_answer_that_is_shown_on_purpose_is_named(base):
    put(DEMO, f"def old(x, axis=-1):\n{SOLUTION}")(base)
    (base.course.root / "pyproject.toml").write_text(f'[tool.course]\nshown = ["{NAME}/softmax"]')
    assert course_findings(Book(base.course, [base], dict(HELPERS))) == []


@pytest.mark.parametrize(
    "shared",
    [
        put(DEMO, SOLUTION.split("\n")[0].strip()),  # one line of two
        put(V, HIDDEN_V),  # tests resemble each other
        put(QUESTION, "The shift `x - np.max(x, axis=axis)` changes nothing."),
    ],
)
def test_what_code_has_in_common_with_an_answer_is_no_flaw(base, shared):
    shared(base)
    assert [f for f in course_findings(Book(base.course, [base], dict(HELPERS))) if f.rule == "kept-back"] == []


def test_every_rule_has_a_flaw_wherever_it_applies():
    shown = {
        On.SOURCE: {f.rule for f in SOURCE_FLAWS},
        On.RELEASE: {f.rule for f in RELEASE_FLAWS},
        On.BOTH: {f.rule for f in SOURCE_FLAWS} & {f.rule for f in RELEASE_FLAWS},
        On.COURSE: {f.rule for f in COURSE_FLAWS},
    }
    assert [r.name for r in RULES.values() if r.name not in shown[r.on]] == []
    assert set().union(*shown.values()) <= set(RULES)


# --- the command ----------------------------------------------------------------------------------------------


@pytest.fixture
def grader(base, capsys):
    """Run `grader check` on the course; gives exit code and lines."""

    def run(*args):
        write_notebook(base.nb, base.path)
        code = main(["--course", str(base.course.root), "check", *args])
        return code, capsys.readouterr()

    return run


def test_command_says_clean(grader):
    code, said = grader()
    assert (code, said.out) == (0, "1 notebook: clean\n")


def test_command_prints_a_line_for_each_finding(grader, base):
    put(GOALS, "Well done!")(base)
    code, said = grader("01")
    line, last = said.out.splitlines()
    assert code == 1
    assert line.startswith("solutions/01_demo/01_demo.ipynb [goals] no-exclamation: ")
    assert line.endswith("Fix: end the sentence with a full stop.")
    assert last == f"1 notebook: 1 finding by 1 of {len(RULES)} rules"


def test_command_keeps_to_the_rules_asked_for(grader, base):
    put(GOALS, "Well done, obviously!")(base)
    code, said = grader("--rule", "no-filler")
    assert code == 1
    assert "no-exclamation" not in said.out
    assert grader("--rule", "no-emoji")[0] == 0


def test_command_counts_words_and_minutes(grader):
    code, printed = grader("--counts")
    assert code == 0
    assert printed.out.startswith(f"{NAME}: ")
    assert "1 exercises" in printed.out
    assert "75 stated" in printed.out


def test_command_refuses_an_unknown_rule(grader):
    code, said = grader("--rule", "no-such-rule")
    assert code == 2
    assert "grader check --list" in said.err


def test_command_lists_the_rules(grader):
    code, said = grader("--list")
    assert code == 0
    assert [line.split()[0] for line in said.out.splitlines()] == list(RULES)


def test_check_looks_at_the_release_and_leaves_out_other_notebooks(base, release):
    emit_text("0.5")(release)
    write_notebook(release.nb, release.path)
    (base.course.solutions / "02_other").mkdir()
    write_notebook(base.nb, base.course.source("02_other"))
    found = check(base.course, [NAME])
    assert {(f.path, f.rule) for f in found} == {("notebooks/01_demo/01_demo.ipynb", "release-no-outputs")}
    assert {f.path for f in check(base.course, ["02_other"])} == {"solutions/02_other/02_other.ipynb"}


@pytest.mark.parametrize("tag", ["setup", "helpers", "given", "demonstration"])
@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("x = (7\n% 4)", True),
        ('text = """\n% of all\n!"""', True),
        ("%matplotlib inline", False),
        ("import os\n!ls", False),
        ("x = %time 3", False),
    ],
)
def test_magics_are_forbidden_in_every_kind_of_cell_and_remainders_are_not(base, tag, source, plain):
    page = Page(new_notebook(cells=[new_code_cell(source, metadata={"tags": [tag]})]), base.course, NAME)
    found = {name for name in ("plain-python", "no-download") if RULES[name].findings(page)}
    assert not found if plain else "plain-python" in found


def test_magics_are_forbidden_in_answers_and_tests(base):
    for marks in ({"grade": True, "points": 1}, {"solution": True}):
        cell = new_code_cell("%cd ..", metadata={"nbgrader": {"grade_id": "x", **marks}})
        assert RULES["plain-python"].findings(Page(new_notebook(cells=[cell]), base.course, NAME))


# --- reading --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "badly"),
    [
        ("### BEGIN SOLUTION\na\n### END SOLUTION", False),
        ("    ### BEGIN SOLUTION\n    a\n    ### END SOLUTION", False),
        ("# BEGIN SOLUTION\na\n### END SOLUTION", True),
        ("### BEGIN SOLUTION\na\n### END SOLUTION of it", True),
        ("### END SOLUTION", True),
        ("### BEGIN SOLUTION", True),
        ("### BEGIN SOLUTION\n### BEGIN SOLUTION\n### END SOLUTION", True),
        ("a", False),
    ],
)
def test_badly_marked(text, badly):
    assert badly_marked(solutions(), text) is badly


def test_prose_leaves_out_what_is_not_read():
    text = "One `code!` [link](https://x.org/!) $3!$ \\$5 ![alt](https://x.org)\n```\nmore!\n```\n<b>two</b>"
    assert prose(text).split() == ["One", "code", "link", "formula", "5", "alt", "two"]


def test_unknown_rule_is_an_error():
    with pytest.raises(GraderError):
        rules_named(["nothing"])
