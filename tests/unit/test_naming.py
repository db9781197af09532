"""Wrong answers that equal no known mistake: the self-check's word, two mistakes at once, where it goes wrong."""

import ast
import copy
import math

import numpy as np
import pytest
from nbformat import reads, writes

from grader.authoring.sync import helper_cell_source
from grader.authoring.text import apply_view
from grader.core.cells import grade_id
from grader.core.course import Course
from grader.engine import submission
from grader.engine.recognising import Recogniser, Waiting
from grader.engine.settings import Budget
from grader.feedback.explain import explain_failures
from grader.sandbox.inside import answers, checking, circumstances, composing, explain, wire

NAME = "07_naming"
VIEW = '''# %% [markdown]
# # 7. Naming

# %% nbgrader={{"grade_id": "setup"}} tags=["setup"]
import numpy as np

# %% nbgrader={{"grade_id": "helpers_relations"}} tags=["helpers"]
{relations}

# %% nbgrader={{"grade_id": "helpers_observed"}} tags=["helpers"]
{observed}

# %% nbgrader={{"grade_id": "helpers_checks"}} tags=["helpers"]
{checks}


@self_check("scale")
def check_scale(report, scale):
    """Look at two numbers, then at the argument."""
    got, right = report.call(scale, np.array([1.0, 2.0]), 3.0), np.array([3.0, 6.0])
    hint = name_mistake(got, {{"multiply by the factor": np.array([4.0, 5.0])}}, right, "What is twice 3?")
    report.expect(np.shape(got) == (2,) and np.allclose(got, right), "twice 3 is 6", hint, stop=True)
    x = np.ones(2)
    scale(x, 2.0)
    report.expect(np.array_equal(x, np.ones(2)), "the array is left alone", "work on a copy", stop=True)


# %% [markdown]
# ## 1 Scales

# %% nbgrader={{"grade_id": "scale", "solution": true}}
def scale(x, factor):
    ### BEGIN SOLUTION
    larger = x * factor
    return np.where(larger > 100, 100, larger)
    ### END SOLUTION

# %% nbgrader={{"grade_id": "test_scale_values", "points": 2}}
assert np.allclose(scale(np.array([1.5, 2.5, 4.0]), 2.5), [3.75, 6.25, 10.0]), "wrong values"

# %% nbgrader={{"grade_id": "test_scale_rows", "points": 2}}
### BEGIN HIDDEN TESTS
rows = np.array([[7.25, 8.75], [99.5, 3.5]])
assert np.allclose(scale(rows, 1.5), [[10.875, 13.125], [100, 5.25]]), "wrong rows"
assert np.allclose(scale(rows / 2, 1.5), [[5.4375, 6.5625], [74.625, 2.625]]), "wrong smaller rows"
### END HIDDEN TESTS

# %% tags=["self-check"]
scale(np.ones(2), 2.0)
check_scale(scale)
'''
CATALOGUE = """# %% wrong: added
# says: You add the factor.
# self-check: multiply
def scale(x, factor):
    larger = x + factor
    return np.where(larger > 100, 100, larger)

# %% wrong: not_cut
# says: Nothing is cut off at 100.
def scale(x, factor):
    larger = x * factor
    return np.where(larger > 1000, 100, larger)

# %% wrong: transposed
# says: Rows and columns are exchanged.
def scale(x, factor):
    larger = x * factor
    return np.where(larger > 100, 100, larger).T
"""
SHORT = Budget(cell_cpu_s=2, cell_wall_s=6, call_cpu_s=1, call_wall_s=3, test_wall_s=30, grace_s=2, restarts=4)


@pytest.fixture(scope="module")
def marked(tmp_path_factory, request):
    """Mark the solved notebook with another answer; give its record and notebook."""
    root = tmp_path_factory.mktemp("naming") / "course"
    for folder in ("solutions", "notebooks", "build", "assets/helpers", f"grader/catalogue/{NAME}"):
        (root / folder).mkdir(parents=True)
    (root / "nbgrader_config.py").write_text((request.config.rootpath / "nbgrader_config.py").read_text())
    helpers = {
        name: helper_cell_source(f"{name}.py", request.config.rootpath / "assets/helpers")
        for name in ("relations", "observed", "checks")
    }
    (root / f"build/{NAME}.py").write_text(VIEW.format(**helpers))
    (root / f"grader/catalogue/{NAME}/scale.py").write_text(CATALOGUE)
    course = Course(root)
    apply_view(course, NAME)
    kit = submission.Kit.read(course.source(NAME))

    def run(answer=None):
        nb = copy.deepcopy(kit.source)
        for cell in nb.cells:
            if grade_id(cell) == "scale" and answer is not None:
                cell.source = answer
        handed = submission.Handed(f"{NAME}.ipynb", writes(nb).encode())
        graded = submission.mark_handed(kit, handed, submission.Settings(budget=SHORT))
        return graded.record, graded.notebook

    yield run
    submission.warm.close()


def said(record):
    return list(dict.fromkeys((cause["how"], cause["says"]) for cause in record["causes"]))


def test_where_no_mistake_fits_the_self_check_says_what_it_finds(marked):
    record, nb = marked("def scale(x, factor):\n    return x + factor if x.ndim < 2 else np.minimum(x * factor, 100.0)")
    assert said(record) == [("self-check", ADDED)]
    assert {cause["test"] for cause in record["causes"]} == {"test_scale_values"}
    assert record["unrecognised"] == {}
    nb = reads(nb, as_version=4)
    for cell in nb.cells:
        cell.metadata["feedback"] = {"message": "x"}
    explain_failures(nb)
    notes = [cell.metadata.feedback for cell in nb.cells if grade_id(cell) == "test_scale_values"]
    assert notes[0]["how"] == "self-check"
    assert notes[0]["causes"] == [ADDED]


def test_a_finding_that_names_no_mistake_says_what_was_observed(marked):
    record, _ = marked("def scale(x, factor):\n    return x * 0.5")
    text = "twice 3 is 6. Every entry is 0.1667 times what is expected. Your function returns [0.5, 1], and [3, 6] is "
    assert said(record) == [("self-check", text + "expected. What is twice 3?")]


def test_a_finding_that_names_no_mistake_is_told_with_where_it_goes_wrong():
    class Checked(Recogniser):
        named = False

        def _finding(self, exercise, ask):
            return {"finding": "twice 3 is 6. What is it?", "line": "twice 3 is 6", "named": self.named}

    one = Checked(None, None, where={"scale": "Only where x is 0."})
    waiting = Waiting("scale", [], ["test_scale"])
    [cause] = one._checked(waiting, None)
    assert (cause["how"], cause["name"]) == ("self-check", "self-check: twice 3 is 6")
    assert cause["says"] == "twice 3 is 6. What is it? Only where x is 0."
    one.named = True
    [cause] = one._checked(waiting, None)
    assert cause["says"] == "twice 3 is 6. What is it?"


def test_where_it_goes_wrong_is_said_when_nothing_else_can_be(marked):
    answer = (
        "def scale(x, factor):\n    y = np.minimum(x * factor, 100.0)\n    return y if x.ndim < 2 else y.round() + 9"
    )
    record, _ = marked(answer)
    assert said(record) == []  # one call in which it is right: too few to tell
    seen = [call(reply(1.0), x=np.ones((n, 2))) for n in (2, 3, 4)]
    odd = [call(reply(2.0), x=np.ones((1, 2))), call(reply(3.0), x=np.ones((1, 5)))]
    space = {"f": lambda x: 0.0}
    assert circumstances.where(odd, seen, space) == ["an axis of `x` has length 1"]
    assert circumstances.where(odd, seen[1:], space) == []
    assert circumstances.where([], seen, space) == []
    many = [call(reply(2.0), x=np.array([[-np.inf, n]])) for n in (1.0, 2.0)]
    assert circumstances.where(many, seen, space) == []  # three that would do
    assert circumstances.where(odd[:1], seen, space) == []  # a single call has much that no other has


def test_a_number_that_differs_in_all_calls_that_went_wrong_is_no_circumstance():
    """Of three answers that were told such a number two did something else: a test changes several numbers at once."""
    seen = [call(reply(1.0), x=n, y=3) for n in (1, 2, 3)]
    assert circumstances.where([call(reply(2.0), x=n, y=7) for n in (4, 5)], seen, {}) == []


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (np.zeros((2, 0)), "`x` is empty"),
        (np.full((2, 2), 1e4), "`x` has large numbers"),
        (np.array([[0.0, 0.0], [1.0, 1.0]]), "`x` has a row of zeros"),
        (np.array([[True, True], [False, False]]), "`x` has a row without True"),
        (np.array([[True, True], [False, True]]), "`x` begins a row with False"),
        (0, "`x` is 0"),
        (None, "`x` is None"),
        ([[1], []], "`x` holds an empty one"),
    ],
)  # fmt: skip
def test_circumstances_are_kinds(value, text):
    assert text in circumstances.circumstances_of(call(reply(1.0), x=value), {"f": lambda x: 0.0})


def test_a_right_answer_is_not_checked(marked):
    record, _ = marked()
    assert record["points"] == record["max_points"]
    assert record["causes"] == []


def test_a_changed_argument_is_noticed_through_the_boundary(marked):
    answer = "def scale(x, factor):\n    x *= factor\n    return np.where(x > 100, 99, x)"
    record, _ = marked(answer)
    [(how, text)] = said(record)
    assert how == "self-check"
    assert text.startswith("scale: the inputs are unchanged")


ADDED = "twice 3 is 6. Hint: multiply by the factor"
FORGERY = 'no”. Hint: 10 points.\\n--  Full marks. `x` <b>"'


@pytest.mark.parametrize(
    ("answer", "start"),
    [
        (f"def scale(x, factor):\n    raise ValueError('{FORGERY}' + 'y' * 5000)", "scale runs. It raised "),
        (
            f"class Full(Exception): pass\ndef scale(x, factor):\n    raise Full('{FORGERY}')",
            "scale runs. It raised an exception: “Full: no'. Hint",
        ),
        (f"def scale(x, factor):\n    return ['{FORGERY}']", checking.HOLDS_TEXT),
        ("def scale(x, factor):\n    return np.zeros(1, dtype=[('Full marks', 'f8')])", "scale runs. It raised "),
        ("def scale(x, factor):\n    return {'Full marks': 1.0}", checking.HOLDS_TEXT),
    ],
)  # fmt: skip
def test_nothing_from_the_students_side_forges_a_sentence(marked, answer, start):
    record, _ = marked(answer)
    [(how, text)] = said(record)
    assert how == "self-check"
    assert text.startswith(start)
    assert len(text) < checking.MAX_FINDING
    assert len(text.splitlines()) == 1
    outside = text.partition("“")[0] + text.rpartition("”")[2] if "“" in text else text
    assert "marks" not in outside
    assert text.count("“") == text.count("”") <= 1
    assert "`" not in text


CUTS = """
class Report:
    failed, named, line = True, False, "a word is cut in two"


def check_cut(cut):
    pass


def report(cut):
    merges = [("in", "g")]
    try:
        result = cut("sings", merges=merges, cache={"old": 1})
    except Exception:
        result = None
    Report.finding = f"a word is cut in two. Yours gave {result} and left {merges}"
    return Report


check_cut.report, right = report, {"key": 0}
"""


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (["s", "ing", "s"], True),
        (["sg"], False),  # both letters are there, but nowhere side by side
        ({"key": np.zeros(1), "old": 2}, True),  # a word of the self-check, a key of an argument
        ({"Full marks": 1}, False),
        (np.array(["sin", "gs"]), True),
        (np.array(["Full marks"]), False),
        ([b"s"], False),
        (["s\0in"], False),
        (["", "sings"], True),
        (np.array([None]), False),
        ([1, 2.0, None, True], True),
    ],
)  # fmt: skip
def test_a_result_may_hold_pieces_of_what_the_function_was_given(result, shown):
    told = checking.self_check({}, [("checks", CUTS)], "check_cut(cut)", {"cut": lambda *_, **__: result})
    assert (told["line"] == "a word is cut in two") is shown
    assert (told["finding"] == checking.HOLDS_TEXT) is not shown
    assert ("marks" in told["finding"]) is False


@pytest.mark.parametrize("returned", ["Full marks", 1.0, ZeroDivisionError()], ids=repr)
def test_what_a_function_writes_into_its_arguments_is_no_piece_of_them(returned):
    def cut(word, merges, cache):
        merges.append(("Full marks", "g"))
        if isinstance(returned, Exception):
            raise returned
        return returned

    told = checking.self_check({}, [("checks", CUTS)], "check_cut(cut)", {"cut": cut})
    assert told["finding"] == (checking.HOLDS_TEXT if returned == "Full marks" else "a word is cut in two")
    assert told["named"] is (returned == "Full marks")  # a line alone names no mistake


def test_a_self_check_shows_no_line_of_marking_as_that_of_the_answer(request):
    folder = request.config.rootpath / "assets/helpers"
    helpers = [(name, (folder / f"{name}.py").read_text()) for name in ("checks", "explained_errors")]
    own = '@self_check("turn")\ndef check_turn(report, turn):\n    call_explained(report, turn, np.ones(9))'

    def turn(x):
        return x.reshape(7, 5)

    told = checking.self_check({"np": np}, [*helpers, ("own", own)], "check_turn(turn)", {"turn": turn})
    assert told["finding"].endswith("Hint: an array with 9 entries cannot have the shape (7, 5).")


@pytest.mark.parametrize(
    "answer",
    [
        "import os\ndef scale(x, factor):\n    os._exit(0) if np.shape(x) == (2,) else None\n    return x",
        "def scale(x, factor):\n    while np.shape(x) == (2,):\n        pass\n    return x",
    ],
)  # fmt: skip
def test_what_ends_the_self_check_costs_nothing(marked, answer):
    record, _ = marked(answer)
    assert {v["outcome"] for v in record["verdicts"]} == {"failed"}
    assert [how for how, _ in said(record)] in ([], ["self-check"])


def test_two_mistakes_at_once_are_both_named(marked):
    record, _ = marked("def scale(x, factor):\n    return x + factor")
    assert said(record) == [("both", "You add the factor."), ("both", "Nothing is cut off at 100.")]


def test_a_mistake_made_in_some_cases_only_is_not_named_where_the_self_check_is_silent(marked):
    answer = "def scale(x, factor):\n    y = np.minimum(x * factor, 100)\n    return y if x.ndim < 2 else y.T"
    record, _ = marked(answer)
    assert said(record) == [("one of", "Rows and columns are exchanged.")]
    answer = (
        "def scale(x, factor):\n    if x.ndim < 2:\n        return np.minimum(x * factor, 100.0)\n"
        "    return np.minimum(x + factor, 100.0)"
    )
    record, _ = marked(answer)
    assert said(record) == []


# Its parts ------------------------------------------------------------------------------------------------------------


def reply(value):
    return {"value": value, "changed": None}


def call(answer, **arguments):
    frame = wire.dumps({"call": "f", "args": (), "kwargs": arguments})
    kept = {"function": "f", "test": "t", "line": 1, "request": frame, "trace": [], "reply": wire.dumps(answer)}
    return answers.Call(kept | {"hidden": False})


REFERENCE = 'def f(x, y=1):\n    """Say."""\n    total = x + y\n    return total * 2\n'


def composed(wrong, right=lambda source: False):
    return {names: ast.unparse(ast.parse(source)) for names, source in composing.composed(REFERENCE, wrong, right)}


def test_two_mistakes_in_different_places_are_composed():
    wrong = {
        "minus": "def f(x, y=1):\n    total = x - y\n    return total * 2",
        "thrice": "def f(x, y=1):\n    total = x + y\n    return total * 3",
        "product": "def f(x, y=1):\n    total = x * y\n    return total * 2",
    }
    both = composed(wrong)
    assert set(both) == {("minus", "thrice"), ("thrice", "product")}
    assert both["minus", "thrice"] == "def f(x, y=1):\n    total = x - y\n    return total * 3"


def test_answers_in_another_style_are_composed_over_what_they_share():
    wrong = {
        "minus": "def f(x, y=1):\n    return (x - y) * 2",
        "thrice": "def f(x, y=1):\n    return (x + y) * 3",
        "three": "def f(x, y=3):\n    return (x + y) * 2",
    }
    assert composed(wrong) == {}
    seen = []
    both = composed(wrong, lambda source: seen.append(source) or True)
    assert [ast.unparse(ast.parse(source)) for source in seen] == ["def f(x, y=1):\n    return (x + y) * 2"]
    assert both["minus", "thrice"] == "def f(x, y=1):\n    return (x - y) * 3"
    assert len(both) == 3


def test_what_serves_as_a_right_answer_is_judged_by_what_the_tests_ask(monkeypatch):
    """What is composed once is for the whole class, and the first student's function may have been asked little."""
    seen = []

    def once(reference, wrong, is_right):
        seen.append(is_right("def f(x):\n    return x"))
        return iter(())

    monkeypatch.setattr(explain.composing, "composed", once)
    home = explain.Explainer.__new__(explain.Explainer)
    home.base, home.spaces, home.results, home.small, home.seconds, home.pairs = {}, {}, {}, {}, {}, {}
    home.kept_bytes, home.end = 0, math.inf
    right = answers.Answer(home, "", "def f(x):\n    return abs(x)", "f", [])
    little, asked = [call(reply(1.0), x=1.0)], [call(reply(1.0), x=1.0), call(reply(1.0), x=-1.0)]
    for inputs in (little, asked, []):
        home.pairs.clear()
        home.two_at_once([], right, little, inputs)
    assert seen == [True, False, False]
