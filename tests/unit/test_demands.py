"""The table of demands: every assertion has a sentence, every sentence is told, nothing in it is of yesterday."""

import copy

import jupytext
import pytest

from grader.authoring.check import RULES, Book, Page
from grader.authoring.check_demands import demands, plain
from grader.core.course import Course
from grader.core.notebook import normalise

NAME = "01_demo"
VIEW = '''
# %% [markdown]
# # A demo
#
# In every exercise a function never
# changes its arguments.
# %% tags=["setup"] nbgrader={"grade_id": "setup"}
import numpy as np
# %% [markdown]
# ## 1 Another section
# A word of section one alone.
# %% [markdown]
# ## 2 Weights
# %% [markdown]
# ### Exercise 1.1 - softmax
# > **Shape.** `(T,)`, a whole
# > row, goes in.
# %% nbgrader={"grade_id": "softmax", "solution": true}
def softmax(x):
    """Turn scores into weights that sum to 1."""
    ### BEGIN SOLUTION
    # the solution says more
    return np.exp(x) / np.exp(x).sum()
    ### END SOLUTION
# %% nbgrader={"grade_id": "test_softmax_values", "points": 2}
"""Values."""
got = softmax(np.zeros(2))
assert got.shape == (2,), f"the shape is {got.shape}, " "not (2,)"
### BEGIN HIDDEN TESTS
for n in (2, 3):
    assert softmax(np.zeros(n)).sum() == 1, "the sum is not 1"
try:
    softmax(np.zeros(1))
except IndexError as error:
    raise AssertionError(f"a single score: {error}") from error
### END HIDDEN TESTS
# %% [markdown]
# It comes after the answer cell.
'''
TABLE = """[test_softmax_values]
"`(T,)`, a whole row, goes in." = ["the shape is {}, not (2,)", "a single score: {}"]
"weights that sum to 1" = ["the sum is not 1"]
"""


@pytest.fixture
def found(tmp_path):
    """Change view and table; give what the rule finds."""

    def look(view=VIEW, table=TABLE):
        course = Course(tmp_path)
        (course.catalogue / NAME).mkdir(parents=True)
        if table is not None:
            (course.catalogue / NAME / "demands.toml").write_text(table)
        nb = jupytext.reads(view.strip(), fmt="py:percent")
        normalise(nb)
        page = Page(copy.deepcopy(nb), course, NAME)
        return [(f.cell, f.what) for f in RULES["stated-demands"].findings(Book(course, [page], {}))]

    return look


def test_a_complete_table_gives_no_finding(found):
    assert found() == []


def test_demands_are_messages_with_gaps_for_what_is_put_in():
    source = 'assert a, f"x {b} y " "z"\nfor i in c:\n    assert d\n'
    source += 'raise AssertionError("e" + str(f))\nraise ValueError("g")'
    assert demands(source) == ["x {} y z", "d", "e{}"]


def test_quoted_blocks_and_lines_are_one_text():
    assert plain("> a\n> b\n\n  c > d") == "a b c > d"


@pytest.mark.parametrize(
    ("old", "new", "cell", "word"),
    [
        ("the sum is not 1", "the sum is wrong", "test_softmax_values", "no assertion says"),
        (', "a single score: {}"', "", "test_softmax_values", "`a single score: {}` checks no sentence"),
        ('["the sum is not 1"]', '["the sum is not 1", "a single score: {}"]', "test_softmax_values", "2 times"),
        ("weights that sum to 1", "weights that sum to one", "test_softmax_values", "not told"),
        ("weights that sum to 1", "the solution says more", "test_softmax_values", "not told"),
        ("weights that sum to 1", "A word of section one alone.", "test_softmax_values", "not told"),
        ("weights that sum to 1", "It comes after the answer cell.", "test_softmax_values", "not told"),
        ("weights that sum to 1", "sum to", "test_softmax_values", "is no sentence"),
        ("[test_softmax_values]", "[test_softmax_value]", "", "[test_softmax_value], which is no test cell"),
        ('= ["the sum', '= 3 # ["the sum', "", "cannot be read"),
        ("[test_softmax_values]", "[test_softmax_values", "", "cannot be read"),
    ],
)
def test_what_is_wrong_with_a_table_is_found(found, old, new, cell, word):
    assert old in TABLE
    assert any(place == cell and word in what for place, what in found(table=TABLE.replace(old, new, 1)))


def test_a_general_rule_before_the_first_code_counts_for_every_exercise(found):
    rule = '"a function never changes its arguments" = ["the sum is not 1"]'
    assert found(table=TABLE.replace('"weights that sum to 1" = ["the sum is not 1"]', rule)) == []


@pytest.mark.parametrize(("begins", "wrong"), [("**In every exercise** ", 0), ("In exercise 3 ", 1)])
def test_what_holds_in_every_exercise_may_come_later_if_it_says_so(found, begins, wrong):
    one = f"# ## 1 Another section\n# %% [markdown]\n# {begins}nothing is printed.\n"
    table = TABLE.replace("weights that sum to 1", "nothing is printed")
    assert len(found(VIEW.replace("# ## 1 Another section\n", one), table)) == wrong


def test_a_new_assertion_needs_a_sentence(found):
    new = 'assert got[0] == 0.5, "not even"\n### BEGIN HIDDEN'
    assert found(VIEW.replace("### BEGIN HIDDEN", new)) == [
        ("test_softmax_values", "`not even` checks no sentence that is named")
    ]


def test_a_notebook_without_a_table_has_no_sentence_for_anything(found):
    assert len(found(table=None)) == 3
