"""Wrong answers that are recognised: who is named, who is not, what is shown, and what it must not show."""

import copy
import json
import shutil
import time

import numpy as np
import pytest
from bs4 import BeautifulSoup
from nbformat import reads, writes
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from grader.authoring.text import apply_view
from grader.classrun.summary import Entry, Outcome, summary
from grader.core.cells import grade_id
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests
from grader.engine import fingerprints, submission
from grader.engine.recognising import MAX_FAILURES, MAX_WAITING_BYTES, Knower, Known, Recogniser, Waiting
from grader.engine.settings import Budget
from grader.feedback.page import FeedbackExporter
from grader.feedback.steps import CleanOutputs, HideTests
from grader.sandbox import warm
from grader.sandbox.inside import answers, wire
from grader.submissions.transplant import pristine

NAME = "08_causes"
VIEW = """# %% [markdown]
# # 8. Causes

# %% nbgrader={"grade_id": "setup"} tags=["setup"]
import numpy as np

# %% nbgrader={"grade_id": "given_one"} tags=["given"]
given_one = 1.0

# %% [markdown]
# ## 1 Shares of `one`

# %% [markdown]
# ### Exercise 8.1 - share (4 points)

# %% nbgrader={"grade_id": "share", "solution": true}
def share(x, axis=-1):
    ### BEGIN SOLUTION
    if axis not in (-1, -2):
        raise ValueError(axis)
    return x / x.sum(axis=axis, keepdims=True)
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_share_values", "points": 2}
x = np.array([[1.0, 2.0, 5.0], [3.0, 3.0, 4.0]])
before = x.copy()
got = share(x)
assert np.array_equal(x, before), "the input was changed"
assert np.allclose(got, [[0.125, 0.25, 0.625], [0.3, 0.3, 0.4]]), "wrong shares"

# %% nbgrader={"grade_id": "test_share_other", "points": 2}
### BEGIN HIDDEN TESTS
y = np.array([[7.25, 11.75, 81.0, 0.0], [13.5, 6.5, 40.0, 40.0]])
assert np.allclose(share(y, -2).sum(0), 1, equal_nan=True), "the axis is not used"
### END HIDDEN TESTS
try:
    share(x, 7)
except ValueError:
    pass
else:
    raise AssertionError("an unknown axis should raise ValueError")

# %% [markdown]
# ## 2 Calls

# %% nbgrader={"grade_id": "search", "solution": true}
def search(f, limit):
    ### BEGIN SOLUTION
    return [f(i) for i in range(limit)]
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_search_calls", "points": 3}
seen = []


def given(i):
    seen.append(i)
    return i * i


assert search(given, 4) == [0, 1, 4, 9], "not the squares"
assert seen == [0, 1, 2, 3], "each number once, in order"

# %% nbgrader={"grade_id": "both", "solution": true}
def both(x):
    ### BEGIN SOLUTION
    return [x + 1, 2 * x]
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_both_first", "points": 1}
assert both(3)[0] == 4, "the next number comes first"

# %% nbgrader={"grade_id": "test_both_second", "points": 1}
assert both(3)[1] == 6, "then twice the number"
"""
BOTH = """# %% wrong: squared
# says: The second number is the square.
def both(x):
    return [x + 1, x * x]
"""
SHARE = """# %% wrong: whole_array
# says: You divide by the sum of `everything` < all.
def share(x, axis=-1):
    if axis not in (-1, -2):
        raise ValueError(axis)
    return x / x.sum()

# %% wrong: axis_ignored
# says: You do not use the axis.
def share(x, axis=-1):
    if axis not in (-1, -2):
        raise ValueError(axis)
    return x / x.sum(-1, keepdims=True)

# %% wrong: in_place
# says: You change what you were given.
def share(x, axis=-1):
    if axis not in (-1, -2):
        raise ValueError(axis)
    x /= x.sum(axis, keepdims=True)
    return x

# %% wrong: no_error
# says: An unknown axis goes unnoticed.
def share(x, axis=-1):
    return x / x.sum(axis if axis in (-1, -2) else -1, keepdims=True)

# %% wrong: no_keepdims
# says: The sum loses an axis.
def share(x, axis=-1):
    if axis not in (-1, -2):
        raise ValueError(axis)
    return x / x.sum(axis)

# %% wrong: largest_entries
# says: Numbers above 100 are cut off.
def share(x, axis=-1):
    if axis not in (-1, -2):
        raise ValueError(axis)
    x = np.minimum(x, 100.0)
    return x / x.max(axis, keepdims=True)

# %% wrong: largest_entries_twice
# says: You divide by the largest.
def share(x, axis=-1):
    if axis not in (-1, -2):
        raise ValueError(axis)
    return x / x.max(axis, keepdims=True)
"""
SEARCH = """# %% wrong: each_twice
# says: You ask for each number twice.
def search(f, limit):
    return [f(i) for i in range(limit) if f(i) is not None]

# %% wrong: one_too_few
# says: The last number is left out.
def search(f, limit):
    return [f(i) for i in range(limit - 1)]
"""
HEAD = "def share(x, axis=-1):\n    if axis not in (-1, -2):\n        raise ValueError('which axis?')\n    "
WHOLE = "def share(x, axis=-1):\n    return x / x.sum()"
SHORT = Budget(cell_cpu_s=2, cell_wall_s=6, call_cpu_s=1, call_wall_s=3, test_wall_s=30, grace_s=2, restarts=4)


@pytest.fixture(scope="module")
def course(tmp_path_factory, request):
    """A course with the one notebook 08_causes and its catalogue."""
    root = tmp_path_factory.mktemp("causes") / "course"
    for folder in ("solutions", "notebooks", "build", "assets/helpers", f"grader/catalogue/{NAME}"):
        (root / folder).mkdir(parents=True)
    (root / "nbgrader_config.py").write_text((request.config.rootpath / "nbgrader_config.py").read_text())
    (root / f"build/{NAME}.py").write_text(VIEW)
    (root / f"grader/catalogue/{NAME}/share.py").write_text(SHARE)
    (root / f"grader/catalogue/{NAME}/search.py").write_text(SEARCH)
    (root / f"grader/catalogue/{NAME}/both.py").write_text(BOTH)
    course = Course(root)
    apply_view(course, NAME)
    return course


@pytest.fixture(scope="module")
def marked(course):
    """Mark the solved notebook with some answers replaced, as a worker does; give its record and notebook."""
    kit = submission.Kit.read(course.source(NAME))
    solved = copy.deepcopy(kit.source)

    def run(**answers):
        nb = copy.deepcopy(solved)
        for cell in nb.cells:
            cell.source = answers.get(grade_id(cell), cell.source)
        handed = submission.Handed(f"{NAME}.ipynb", writes(nb).encode())
        graded = submission.mark_handed(kit, handed, submission.Settings(budget=SHORT))
        return graded.record, graded.notebook

    yield run
    submission.warm.close()


def named(record, how="one of"):
    return list(dict.fromkeys(cause["name"] for cause in record["causes"] if cause["how"] == how))


def test_a_right_notebook_never_asks(marked, monkeypatch):
    asked = []
    monkeypatch.setattr(Knower, "ask", lambda self, message, seconds: asked.append(message))
    record, _ = marked()
    assert record["points"] == record["max_points"]
    assert record["causes"] == []
    assert not asked
    marked(share=HEAD + "return x / float(sum(sum(row) for row in x))")
    assert asked


def too_late(*args):
    raise wire.WireTimeout("no answer")


def mistaken(*args):
    raise KeyError("our own mistake")


@pytest.mark.parametrize(
    ("home", "name", "step", "why"),
    [
        (Knower, "_start", too_late, "it took too long"),
        (Recogniser, "_probe", mistaken, "KeyError: 'our own mistake'"),
    ],
)
def test_a_failure_to_recognise_is_counted_and_costs_nothing(course, monkeypatch, caplog, home, name, step, why):
    kit = submission.Kit.read(course.source(NAME))
    nb = copy.deepcopy(kit.source)
    next(c for c in nb.cells if grade_id(c) == "share").source = HEAD + "return x / float(sum(sum(row) for row in x))"
    handed = submission.Handed(f"{NAME}.ipynb", writes(nb).encode())
    sound = submission.mark_handed(kit, handed, submission.Settings(budget=SHORT))
    assert sound.record["causes"]
    assert sound.record["unrecognised"] == {}
    submission.warm.close()
    monkeypatch.setattr(home, name, step)
    graded = submission.mark_handed(kit, handed, submission.Settings(budget=SHORT))
    submission.warm.close()
    assert graded.record["unrecognised"] == {"share": why}
    assert graded.record["causes"] == []
    assert graded.record["verdicts"] == sound.record["verdicts"]
    assert step.__name__ in caplog.text  # the traceback
    entries = [Entry.from_record(student, NAME, Outcome.MARKED, graded.record) for student in ("ada", "bob")]
    said = f"recognition failed for 2 exercises, which costs no points: {NAME}, share (2 times): {why}"
    assert said in summary(entries)
    assert not any(e.needs_a_look for e in entries)


#: Replies of a student's process that has been taken over, by which the comparison once ended.
FORGED = ("{'error': {}}", "{'error': {'type': 3}}", "{'value': 1, 'changed': 7}", "{'value': 1}")


def forged(reply):
    patch = f"import sys\nframe = sys.modules['inside.wire'].dumps({reply})\n"
    return f"{patch}sys.modules['inside.student'].outcome = lambda *given: frame\n\n\n{HEAD}return x"


def test_nobody_silences_recognition_for_the_next(marked):
    wrong = HEAD + "return x / np.sum(x)"
    before, _ = marked(share=wrong)
    for reply in FORGED:
        record, _ = marked(share=forged(reply))
        assert record["causes"] == []
        assert record["points"] == 0
    after, _ = marked(share=wrong)
    assert after["causes"] == before["causes"]
    assert after["unrecognised"] == {}
    assert named(after) == ["whole_array"]


def test_what_recognition_fails_on_is_said_and_its_process_goes_on(course):
    known = Known(read_notebook(course.source(NAME)), {}, NAME)
    good = wire.dumps({"value": 1.0, "changed": None})
    with warm.Template("import numpy as np") as template:
        knower = Knower(template, known)
        number = None
        for frame in (b"junk", wire.dumps({"error": {}}), wire.dumps([])):
            assert knower.ask({"do": "compare", "one": frame, "other": good}, 60) is None
            assert knower.trouble.startswith("WireError")
            assert knower.ask({"do": "compare", "one": good, "other": good}, 60) == {"same": True}
            assert number in (None, knower.number)
            number = knower.number
        knower.end()


class Silent:
    """Stands for the process that knows the mistakes, and for what is kept by its key."""

    def __init__(self):
        self.asked, self.trouble = 0, "it took too long"

    def ask(self, message, seconds):
        self.asked += 1


def test_failures_of_recognition_are_counted_for_each_submission(course, monkeypatch):
    known = Known(read_notebook(course.source(NAME)), {"share": [], "search": []}, NAME)
    silent = Silent()
    monkeypatch.setattr(Recogniser, "_knower", lambda self, known: silent)
    for asked in (MAX_FAILURES, 2 * MAX_FAILURES):
        recogniser = Recogniser(known, None)
        recogniser.waiting = [Waiting(name, [], []) for name in ("share", "search", "share")]
        assert recogniser.finish(None, time.monotonic() + 100) == []
        assert silent.asked == asked
        assert recogniser.failures["search"] == "it took too long"
        assert recogniser.failures["share"] == f"it had failed {MAX_FAILURES} times before"


def test_when_the_time_is_up_nothing_is_asked(course, monkeypatch):
    known = Known(read_notebook(course.source(NAME)), {"share": []}, NAME)
    silent, asked = Silent(), []
    monkeypatch.setattr(Recogniser, "_knower", lambda self, known: silent)
    recogniser = Recogniser(known, None, waiting=[Waiting("share", [], [])])
    assert recogniser.finish(asked.append, time.monotonic() - 1) == []
    assert recogniser.failures == {"share": "no time was left"}
    assert recogniser._probe(asked.append, b"") == b""
    assert silent.asked == 0
    assert asked == []


def test_a_question_may_take_what_is_left_and_no_more():
    asked = []

    def ask(message):
        asked.append(message["wall_s"])
        return {"gone": False, "reply": b"1"}

    recogniser = Recogniser(None, None, end=time.monotonic() + 3)
    assert recogniser._probe(ask, b"") == b"1"
    assert 0 < asked[0] <= 3


def test_no_more_is_asked_than_can_be_handed_over(course, monkeypatch):
    """All that a function returns goes to the other process in one frame, which has a limit."""
    known, asked, handed = Known(read_notebook(course.source(NAME)), {"share": []}, NAME), [], []

    class Curious:
        def ask(self, message, seconds):
            handed.append(message)
            return {"any": True, "questions": [b"?"] * 9, "where": "", "named": []}

    def ask(message):
        asked.append(message)
        return {"gone": False, "reply": bytes(MAX_WAITING_BYTES // 2)}

    monkeypatch.setattr(Recogniser, "_knower", lambda self, known: Curious())
    recogniser = Recogniser(known, None, waiting=[Waiting("share", [], ["test"])])
    monkeypatch.setattr(Recogniser, "_checked", lambda self, one, ask: [])
    recogniser.finish(ask, time.monotonic() + 100)
    assert recogniser.failures == {}
    assert len(asked) == 3
    assert [len(reply) for reply in handed[1]["replies"]] == [MAX_WAITING_BYTES // 2] * 3 + [0] * 6
    wire.dumps(handed[1])


def test_calls_with_too_much_data_do_not_wait():
    def calls(size):
        return [{"request": bytes(size), "reply": b"", "trace": [(b"12", b"3")]}]

    assert Waiting("share", calls(10), []).size == 13


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        (HEAD + "return x / float(sum(sum(row) for row in x))", ["whole_array"]),
        (HEAD + "return (x.T / x.sum(axis=1)).T", ["axis_ignored"]),
        (HEAD + "x[...] = x / x.sum(axis, keepdims=True)\n    return x", ["in_place"]),
        ("def share(x, axis=-1):\n    return np.divide(x, x.sum(max(axis, -2) % -3, keepdims=True))", []),
        ("def share(x, axis=-1):\n    axis = -1 if axis > 0 else axis\n    return x / x.sum(axis)[..., None]", []),
        (
            "def share(x, axis=-1):\n    axis = -1 if axis > 0 else axis\n    return x / x.sum(axis, keepdims=True)",
            ["no_error"],
        ),
        (HEAD + "return x / np.sum(x, axis)", ["no_keepdims"]),
        # Nothing in these tests is larger than 100: both give the same.
        (HEAD + "return x / np.max(x, axis, keepdims=True)", ["largest_entries", "largest_entries_twice"]),
        (HEAD + "return (x / x.sum()).astype('float32')", ["whole_array"]),
        # The same up to where the tests end; a right answer would have been asked for the unknown axis as well.
        (WHOLE, []),
        (HEAD + "return x / x.sum() + 1e-3", []),
        (HEAD + "return x / x.sum(axis, keepdims=True) * 1.5", []),
        (HEAD + "raise NotImplementedError('not written yet')", []),
        (HEAD + "return None", []),
        (HEAD + "raise KeyError('x')", []),
        ("def share(x, axis=-1:", []),
    ],
)  # fmt: skip
def test_who_is_named(marked, answer, names):
    record, _ = marked(share=answer)
    assert record["points"] < record["max_points"]
    assert named(record) == names
    says = {line[len("# says: ") :] for line in SHARE.splitlines() if line.startswith("# says: ")}
    assert {c["exercise"] for c in record["causes"]} <= {"share"}
    assert {c["says"] for c in record["causes"]} <= says
    failed = {v["name"] for v in record["verdicts"] if v["outcome"] != "passed"}
    assert {c["test"] for c in record["causes"]} <= failed


def test_what_is_like_a_mistake_in_some_calls_only_is_not_named(marked):
    """Two of seven answers that were named by such calls did something else."""
    record, _ = marked(share=WHOLE)
    assert [cause["name"] for cause in record["causes"] if cause["how"] != "self-check"] == []


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        ("def search(f, limit):\n    return [f(i) for i in range(limit) for _ in range(2 if f(i) is None else 1)]",
         ["each_twice"]),
        ("def search(f, limit):\n    return [f(i) for i in range(0, limit - 1)]", ["one_too_few"]),
        # The same result in another way: what the test's function was asked is another thing.
        ("def search(f, limit):\n    return [f(limit - 1 - i) for i in range(limit)][::-1]", []),
        ("def search(f, limit):\n    return [f(i) for i in range(limit)] + [f(0)]", []),
    ],
)  # fmt: skip
def test_calls_of_a_function_that_the_test_hands_over_count(marked, answer, names):
    record, _ = marked(search=answer)
    assert named(record) == names


def test_a_call_that_two_tests_make_shows_a_mistake_in_the_one_that_fails(marked):
    record, _ = marked(both="def both(x):\n    return [1 + x, x**2]")
    assert {v["name"] for v in record["verdicts"] if v["outcome"] == "failed"} == {"test_both_second"}
    assert [(c["test"], c["name"]) for c in record["causes"]] == [("test_both_second", "squared")]


def test_an_answer_that_ends_its_process_is_no_known_mistake(marked):
    empty = {"search": "def search(f, limit):\n    return []", "both": "def both(x):\n    return []"}
    record, _ = marked(share=HEAD + "import os\n    os._exit(0)", **empty)
    assert named(record) == []
    assert {v["outcome"] for v in record["verdicts"]} <= {"gone", "failed", "not run"}


def test_a_process_that_ends_when_it_is_asked_once_more_costs_nothing_else(marked):
    """The small inputs are tried on the student's function as well."""
    dies = "import os\n    if x.size < 4:\n        os._exit(0)\n    return x / np.sum(x)"
    record, _ = marked(share=HEAD + dies)
    points = {v["name"]: v["points"] for v in record["verdicts"]}
    assert {name for name, earned in points.items() if earned == 0} == {"test_share_values", "test_share_other"}
    assert not [f for f in record["findings"] if f["level"] == "lost"]
    assert named(record) == ["whole_array"]
    assert "shape (2, 3)" in json.dumps(record["causes"][0]["example"])  # the test's own input then


def test_what_is_shown_is_small_and_gives_nothing_away(marked):
    record, _ = marked(share=HEAD + "return x / np.sum(x)")
    first = record["causes"][0]
    example = first["example"]
    assert first["test"] == "test_share_values"
    assert example["function"] == "share"
    [[name, text]] = example["arguments"]
    assert name == "x"
    assert "shape (2, 1)" in text
    assert example["wanted"][0] == "an array of shape (2, 1), floats"
    assert "each row sums to 1" not in example["wanted"]  # it does not for the other axis
    # Expected values, and inputs that only the hidden test has.
    assert not [
        secret for secret in ("0.125", "0.625", "7.25", "11.75", "81") if secret in json.dumps(record["causes"])
    ]


def test_of_a_hidden_input_no_value_is_shown(marked):
    record, _ = marked(share=HEAD + "return (x.T / x.sum(axis=1)).T")
    [cause] = record["causes"]
    assert cause["test"] == "test_share_other"
    text = json.dumps(cause)
    assert not [secret for secret in ("7.25", "11.75", "13.5", "6.5") if secret in text]


def test_a_changed_argument_is_said(marked):
    record, _ = marked(share=HEAD + "x /= x.sum(axis, keepdims=True)\n    return x")
    assert "the arguments stay as they were" in record["causes"][0]["example"]["wanted"]


def test_the_catalogue_belongs_to_the_fingerprint(course, tmp_path):
    shutil.copytree(course.root, tmp_path / "course")
    other = Course(tmp_path / "course")
    before = fingerprints.tests_fingerprint(other.source(NAME))
    assert before == fingerprints.tests_fingerprint(course.source(NAME))
    path = other.catalogue / NAME / "share.py"
    path.write_text(path.read_text().replace("the sum of", "all of"))
    assert fingerprints.tests_fingerprint(other.source(NAME)) != before


def test_a_catalogue_that_cannot_be_read_costs_nobody_anything(course, tmp_path):
    shutil.copytree(course.root, tmp_path / "course")
    other = Course(tmp_path / "course")
    (other.catalogue / NAME / "share.py").write_text("# %% wrong: nothing\n")
    assert set(submission.Kit.read(other.source(NAME)).mistakes) == {"search", "both"}


def test_hidden_lines():
    source = "a\n### BEGIN HIDDEN TESTS\nb\n### END HIDDEN TESTS\nc"
    assert hidden_tests().numbers(source) & {1, 3, 5} == {3}


# The page ------------------------------------------------------------------------------------------------------------


def page(nb):
    """Write the page of a notebook that was marked, all tests without points."""
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade"):
            cell.metadata.nbgrader |= {"score": 0, "points": cell.metadata.nbgrader["points"], "waits": False}
    resources = {"nbgrader": {"notebook": "x", "score": 0, "max_score": 1, "late_penalty": 0}, "metadata": {}}
    for step in (HideTests, CleanOutputs):
        nb, resources = step().preprocess(nb, resources)
    html, _ = FeedbackExporter().from_notebook_node(nb, resources)
    return BeautifulSoup(html, "html.parser")


def test_the_page_tells_the_cause_once_and_links_to_the_section(marked):
    _, text = marked(share=HEAD + "return x / np.sum(x)")
    found = page(reads(text, as_version=4))
    [block] = found.select(".cause")
    assert "You divide by the sum of everything < all." in block.get_text()
    assert "everything" in [code.get_text() for code in block.find_all("code")]
    assert "x = " in block.get_text()
    link = block.find("a")
    assert link.get_text() == "section 1 Shares of one"
    assert found.find(id=link["href"][1:]).get_text() == "1 Shares of one"
    [again] = found.select(".again")
    assert again.find("a")["href"] == "#test_share_values"


def test_what_a_notebook_claims_of_causes_is_harmless():
    """A notebook that something else marked brings its own metadata along."""
    nb = new_notebook()
    for name, marks in (("f", {"solution": True}), ("test_f", {"grade": True, "points": 1, "locked": True})):
        cell = new_code_cell("def f(): pass")
        base = {
            "grade": False,
            "solution": False,
            "locked": False,
            "task": False,
            "schema_version": 3,
            "grade_id": name,
        }
        cell.metadata["nbgrader"] = base | marks
        nb.cells.append(cell)
    nb.cells[1].outputs = [new_output("error", ename="AssertionError", evalue="no", traceback=[])]
    nb.cells.insert(0, new_markdown_cell("## A"))
    nb.cells[0].metadata["section"] = {"id": '"><script>x</script>', "title": "<script>y</script>"}
    cause = {"test": "test_f", "exercise": "f", "name": "n", "says": "<script>z</script>", "example": None}
    for entries in ("none", [1, {"test": 2}], [cause | {"exercise": "g"}], [cause]):
        nb.metadata["marking"] = {"causes": entries}
        found = page(copy.deepcopy(nb))
        assert not found.find_all("script")
        assert len(found.select(".cause")) == (entries == [cause])


# How results are compared --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (np.ones(3), np.ones(3), set()),
        (np.ones(3), np.ones(3) + 1e-12, set()),
        (np.ones(3), np.ones(3) + 1e-6, {"values"}),
        (np.ones(3), (np.ones(3) + 1e-6).astype("float32"), {"dtype"}),
        (np.ones(3), np.ones((1, 3)), {"shape"}),
        (np.ones(3), [1.0, 1.0, 1.0], {"type"}),
        (np.ones(3), np.ones(3, dtype=int), {"type"}),
        (np.array([np.nan, np.inf]), np.array([np.nan, np.inf]), set()),
        (np.array([np.nan, 1.0]), np.array([0.0, 1.0]), {"values"}),
        (1, True, {"type"}),
        (1, 2, {"values"}),
        ((1, 2), [1, 2], {"type"}),
        ((1, 2), (1,), {"length"}),
        (("a", 1), ("b", 1), {"values"}),
        ({"a": 1}, {"b": 1}, {"keys"}),
        ({"a": 1}, {"a": 2}, {"values"}),
        ({1, 2}, {2, 1}, set()),
        (None, None, set()),
        (None, 0, {"kind"}),
        ("1", 1, {"values"}),
    ],
)  # fmt: skip
def test_in_what_two_results_differ(one, other, found):
    assert answers.unlike(one, other) == found
    assert answers.unlike(other, one) == found


def test_the_stub_earns_no_cause(marked, course):
    untouched = {grade_id(c): c.source for c in pristine(read_notebook(course.source(NAME))).cells if grade_id(c)}
    record, _ = marked(**{name: untouched[name] for name in ("share", "search", "both")})
    assert record["points"] == 0
    assert record["causes"] == []
