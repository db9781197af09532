"""The audit, in both directions: planted faults are found, and without them it is silent.

The notebooks here are plain Python, so that a template process starts in a fraction of a second.
"""

import json
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.audit import series
from grader.audit.audit import audit
from grader.audit.findings import FindingKind
from grader.audit.report import as_json, report
from grader.audit.results import End
from grader.audit.runner import Outcome, Runner, Task, run_answers
from grader.cli import main
from grader.core.cells import exercises
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import normalise, read_notebook, write_notebook
from grader.core.regions import hidden_tests
from grader.engine import running
from grader.engine.prelude import Prelude
from grader.sandbox.warm import ENVIRONMENT

SOLUTION = '''\
def scale(values, factor):
    """Multiply.

    Returns:
        A list.
    """
    ### BEGIN SOLUTION
    return [given_product(value, factor) for value in values]
    ### END SOLUTION
'''
CHECK = """\
def check_scale(scale):
    try:
        result = scale([1, 2], 3)
    except NotImplementedError:
        print("scale: not written yet")
        return
    if result == [3, 6]:
        print("ok  values are multiplied")
    else:
        print("--  values are multiplied. Hint:", "added instead?" if result == [4, 5] else "wrong")
"""
VISIBLE = '''\
"""Values."""
assert scale([1, 2], 3) == [3, 6], "not multiplied"
### BEGIN HIDDEN TESTS
values = [5, 3, 4]
assert scale(values, 7) == [35, 21, 28], "other values"
assert values == [5, 3, 4], "the values were changed"
### END HIDDEN TESTS
'''
SECOND = '''\
"""An empty list."""
assert scale([], 2) == [], "empty"
'''
GIVEN = "import math\n\n\ndef given_product(a, b):\n    return math.prod([a, b])\n"

WRONG = {
    "adds": "    return [v + factor for v in values]",
    "first_only": "    return [values[0] * factor] if values else []",
    "repeats": "    return values * factor",
    "strings": "    return [str(v * factor) for v in values]",
    "none": "    [v * factor for v in values]",
    "no_empty": "    return [v * factor for v in values] or None",
}
RIGHT = {
    "loop": "    out = []\n    for v in values:\n        out.append(v * factor)\n    return out",
    "map": "    return list(map(lambda v: v * factor, values))",
    "swapped": "    return [factor * v for v in values]",
}
SIGNATURE = "def scale(values, factor):\n"
EQUIVALENT = """
# %% equivalent
# because: a product does not depend on the order
# was: return [given_product(value, factor) for value in values]
# now: return [given_product(factor, value) for value in values]
"""


def catalogue(wrong=WRONG, right=RIGHT, equivalent=EQUIVALENT, words=(("adds", "added"),)) -> str:
    words = dict(words)
    parts = []
    for name, body in wrong.items():
        word = f"# self-check: {words[name]}\n" if name in words else ""
        parts.append(f"# %% wrong: {name}\n# says: what {name} does\n{word}{SIGNATURE}{body}\n")
    parts += [f"# %% right: {name}\n# why: {name} is right\n{SIGNATURE}{body}\n" for name, body in right.items()]
    return "\n".join(parts) + equivalent


def locked(source: str, name: str, tag: str):
    marks = {"grade_id": name, "grade": False, "solution": False, "locked": True}
    return new_code_cell(source, metadata={"nbgrader": marks, "tags": [tag]})


def graded(source: str, name: str, points: int):
    return new_code_cell(source, metadata={"nbgrader": {"grade_id": name, "grade": True, "points": points}})


@pytest.fixture
def make(tmp_path):
    """Make a course of one notebook with one exercise."""

    def make(solution=SOLUTION, values=VISIBLE, empty=SECOND, given=GIVEN, check=CHECK, setup="import math", **more):
        nb = new_notebook()
        nb.cells = [
            new_markdown_cell("# 1. Lists"),
            locked(setup, "setup", "setup"),
            locked(check, "helpers_checks", "helpers"),
            locked(given, "given_product", "given"),
            new_markdown_cell("### Exercise 1.1 - scale (3 points)"),
            new_code_cell(solution, metadata={"nbgrader": {"grade_id": "scale", "solution": True}}),
            new_code_cell(more.pop("call", "check_scale(scale)"), metadata={"tags": ["self-check"]}),
            new_code_cell("raise SystemExit", metadata={"tags": ["demonstration"]}),
            graded(values, "test_scale_values", 2),
            graded(empty, "test_scale_empty", 1),
            locked("raise RuntimeError('this cell stands behind the exercise')", "given_later", "given"),
        ]
        normalise(nb)
        write_notebook(nb, tmp_path / "solutions" / "01_lists" / "01_lists.ipynb")
        (tmp_path / "nbgrader_config.py").touch()
        folder = tmp_path / "grader" / "catalogue" / "01_lists"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "scale.py").write_text(more.get("text") or catalogue(**more), encoding="utf-8")
        return Course(tmp_path)

    return make


def kinds(course, **options) -> list[str]:
    return [f.kind for f in audit(course, "01_lists", **options).all_findings]


def run(course, *bodies, **options):
    """Run function bodies as answers."""
    nb = read_notebook(course.source("01_lists"))
    return run_answers(nb, exercises(nb)[0], [SIGNATURE + body for body in bodies], **options)


# The audit ------------------------------------------------------------------------------------------------------------


def test_a_sound_exercise_gives_no_finding(make):
    course = make()
    result = audit(course, "01_lists")
    assert result.all_findings == []
    (one,) = result.exercises
    assert one.figures == {
        "points": 3,
        "test_cells": 2,
        "wrong": 6,
        "wrong_that_lose_points": 6,
        "wrong_caught_by_visible_tests": 6,
        "wrong_noticed_by_self_check": 5,
        "wrong_named_by_self_check": 1,
        "right": 3,
        "right_that_keep_all_points": 3,
        "changes": len(one.killed) + 1,
        "changes_killed": len(one.killed),
        "changes_killed_by_an_error_of_their_own": one.crashed,
        "changes_equivalent": 1,
        "changes_surviving": 0,
        "findings": 0,
    }
    assert 0 < one.crashed < len(one.killed)
    assert one.unused_cells == ()
    by_name = {v.variant.name: v for v in one.variants}
    assert [c.name for c in by_name["no_empty"].result.failed] == ["test_scale_empty"]
    assert (by_name["no_empty"].lost, by_name["adds"].lost, by_name["loop"].lost) == (1, 2, 0)


def test_a_wrong_answer_that_keeps_its_points_is_found(make):
    course = make(wrong=WRONG | {"only_small": "    return [v * factor if v < 9 else 0 for v in values]"})
    (finding,) = audit(course, "01_lists").all_findings
    assert (finding.kind, finding.text) == ("false accept", "only_small keeps all 3 points")
    line = (course.catalogue / "01_lists" / "scale.py").read_text().splitlines().index("# %% wrong: only_small") + 1
    assert finding.where == f"grader/catalogue/01_lists/scale.py:{line}"
    assert "what only_small does" in finding.details[0]


def test_a_right_answer_that_loses_points_is_found_with_the_message(make):
    course = make(
        right=RIGHT | {"a_tuple": "    return tuple(v * factor for v in values)"}, check="def check_scale(f): ..."
    )
    found = {f.kind: f for f in audit(course, "01_lists", mutations=False).all_findings if f.kind != "self-check"}
    assert list(found) == ["false reject"]
    assert found["false reject"].text == "a_tuple loses 3 of 3 points"
    assert any("test_scale_values, line 2: AssertionError: not multiplied" in d for d in found["false reject"].details)


def test_a_change_that_no_test_notices_is_found(make):
    course = make(equivalent="")
    (finding,) = audit(course, "01_lists").all_findings
    assert finding.kind == "surviving change"
    assert finding.where == "solutions/01_lists/01_lists.ipynb: scale, line 8"
    assert finding.details == (
        "was: return [given_product(value, factor) for value in values]",
        "now: return [given_product(factor, value) for value in values]",
    )
    assert kinds(course, mutations=False) == []


@pytest.fixture
def noted(monkeypatch):
    """Each series that runs, with its results."""
    ran, run = [], Runner.run_in_series

    def note(self, series, progress=None):
        results = run(self, series, progress)
        ran.extend(zip(series, results, strict=True))
        return results

    monkeypatch.setattr(Runner, "run_in_series", note)
    return ran


def test_a_change_first_meets_the_cell_that_caught_the_previous_one_of_its_line(make, noted):
    # Nothing but the second cell catches anything, and all changes are of one line.
    course = make(values="scale([1], 2)", empty=VISIBLE)
    figures = audit(course, "01_lists").exercises[0].figures
    [(tasks, results)] = [one for one in noted if one[0][0].place and len(one[0]) > 1]
    assert figures["changes"] == len(tasks) - 1 >= 4
    assert len({task.place for task in tasks[:-1]}) == 1
    first = next(n for n, result in enumerate(results) if result.caught_by and result.cells[0].passed)
    assert [c.outcome for c in results[first].cells] == ["passed", "failed"]
    at_once = [result for result in results[first + 1 : -1] if result.caught_by]
    assert at_once
    assert all([c.outcome for c in result.cells] == ["not run", "failed"] for result in at_once)


def in_series(nb, *bodies, cpu_s=20.0):
    exercise = exercises(nb)[0]
    tasks = [Task(exercise, SIGNATURE + body, stop_at_first=True, timeout_s=cpu_s) for body in bodies]
    with Runner(nb, 1) as runner:
        return series.run_in_series(runner, tasks, exercise.answer)


#: Changes what every later answer calls.
HARM = "    given_product.__code__ = (lambda value, factor: 0).__code__\n    return None"
ADDS = "    return [value + factor for value in values]"


def test_answers_in_a_series_do_not_see_each_others_names_and_random_numbers(make, noted):
    nb = read_notebook(make().source("01_lists"))
    seen = "    global counted\n    counted = globals().get('counted', 0) + 1\n    import random\n"
    odd = seen + "    return (counted, random.random())"
    results = in_series(nb, odd, odd, odd)
    assert len({result.cells[0].message for result in results}) == 1
    [(tasks, found)] = noted  # the reference solution passed, so none of them was run again
    assert [result.kept_all for result in found] == [False, False, False, True]
    assert tasks[-1].source == exercises(nb)[0].answer


def test_what_passes_in_a_series_is_asked_again_alone(make, noted):
    nb = read_notebook(make().source("01_lists"))
    right = RIGHT["map"]
    results = in_series(nb, ADDS, right, ADDS)
    assert [result.kept_all for result in results] == [False, True, False]
    assert [len(tasks) for tasks, _ in noted] == [4, 1]
    assert noted[1][0][0].source == SIGNATURE + right


def test_an_answer_that_leaves_something_behind_spoils_no_verdict(make, noted):
    """Behind it right answers fail, and one might be taken for caught that no test notices."""
    nb = read_notebook(make().source("01_lists"))
    clean = "    assert given_product(2, 3) == 6\n" + RIGHT["map"]
    results = in_series(nb, HARM, clean, ADDS)
    assert [result.kept_all for result in results] == [False, True, False]
    together = noted[0][1]
    assert not together[1].kept_all
    assert not together[-1].kept_all  # the reference solution told
    assert [len(tasks) for tasks, _ in noted[1:]] == [1, 1, 1]


@pytest.mark.parametrize("end", ["    while True: pass", "    import os; os._exit(3)", "    import os; os.abort()"])
def test_an_answer_that_ends_its_series_is_the_only_one_to_do_so(make, noted, end):
    nb = read_notebook(make().source("01_lists"))
    bodies = (ADDS, end, ADDS, RIGHT["map"], end, ADDS)
    results = in_series(nb, *bodies, cpu_s=0.5)
    assert [result.kept_all for result in results] == [False, False, False, True, False, False]
    outcome = Outcome.TIMEOUT if "while" in end else Outcome.CRASHED
    assert [result.cells[0].outcome for result in results] == [
        Outcome.FAILED, outcome, Outcome.FAILED, Outcome.PASSED, outcome, Outcome.FAILED
    ]  # fmt: skip
    # Those before it were run again without it, and the reference solution passed behind them.
    sound = [[task.source for task in tasks[:-1]] for tasks, found in noted if len(found) == len(tasks) > 1]
    assert sorted(text for texts in sound for text in texts) == sorted(
        SIGNATURE + body for body in bodies if body != end
    )


def test_the_verdict_on_one_that_ended_a_spoiled_series_is_asked_again_alone(make, noted):
    nb = read_notebook(make().source("01_lists"))
    led_on = "    import os\n    given_product(2, 3) or os._exit(3)\n" + RIGHT["map"]
    results = in_series(nb, HARM, led_on, ADDS)
    assert [result.kept_all for result in results] == [False, True, False]


def test_what_a_finding_prints_can_be_pasted_as_a_record(make):
    (finding,) = audit(make(equivalent=""), "01_lists").all_findings
    record = "\n# %% equivalent\n# because: symmetric\n" + "\n".join(f"# {d}" for d in finding.details) + "\n"
    assert kinds(make(equivalent=record)) == []


@pytest.mark.parametrize(
    ("now", "text"),
    [
        ("return [given_product(value, factor) for value in factor]", "a test notices this change"),
        ("return [given_product(value, factor, 1) for value in values]", "no automatic change is this one"),
    ],
)
def test_a_record_that_holds_no_longer_is_found(make, now, text):
    was = "return [given_product(value, factor) for value in values]"
    course = make(equivalent=EQUIVALENT + f"\n# %% equivalent\n# because: once true\n# was: {was}\n# now: {now}\n")
    (finding,) = audit(course, "01_lists").all_findings
    assert finding.kind == "stale record"
    assert finding.text.startswith(text)
    assert finding.where.startswith("grader/catalogue/01_lists/scale.py:")


AFTERWARDS = '''\
"""Values."""
values = [1, 2]
got = scale(values, 3)
assert got == [3 * value for value in values], "not multiplied"
### BEGIN HIDDEN TESTS
assert scale([5], 7) == [35] or not values[0], "one value"
### END HIDDEN TESTS
'''


def test_answers_that_change_what_a_test_compares_with_are_marked(make, monkeypatch):
    course = make(values=AFTERWARDS)
    assert FindingKind.TAMPERING not in kinds(course, mutations=False), "marking gives nothing for it"
    ask = running._Run._ask_test

    def once_with_changes(run, message):
        return ask(run, message | {"write_back": True}) | {"changed": False}

    monkeypatch.setattr(running._Run, "_ask_test", once_with_changes)
    found = [f for f in audit(course, "01_lists", mutations=False).all_findings if f.kind is FindingKind.TAMPERING]
    assert "zeros every argument and returns zeros gets 2 of 3 points" in str(found[0])
    assert found[0].details == ("test_scale_values",)


LOOSE = '''\
"""Values."""
got = scale([1, 2], 3)
assert not any(abs(g - wanted) > 0.1 for g, wanted in zip(got, [3, 6])), "not multiplied"
'''


def test_a_test_cell_that_a_spoiled_result_passes_is_found(make):
    found = audit(make(values=LOOSE), "01_lists", mutations=False).all_findings
    spoiled = {f.text: f.details for f in found if f.text.startswith("an answer that returns")}
    says = ("nothing along the leading axis", "an empty array that broadcasts", "NaN of the right shape")
    assert {text: details[0] for text, details in spoiled.items()} == {
        f"an answer that returns {what} gets 2 of 3 points": "test_scale_values" for what in says
    }, "and nothing about an empty list that should be one, nor about a kind of result that costs the other cell"


def test_arguments_that_are_changed_unnoticed_are_found(make):
    unchanged = 'assert values == [5, 3, 4], "the values were changed"\n'
    assert unchanged in VISIBLE
    [found] = audit(make(values=VISIBLE.replace(unchanged, "")), "01_lists", mutations=False).all_findings
    assert found.kind is FindingKind.FALSE_ACCEPT
    assert found.text == "an answer that changes values in place gets 2 of 3 points"


NUMBERS_AS_TEXT = '''\
"""Values."""
import numpy as np
for values in ([1, 2], [4, 7, 1]):
    assert np.array_equal(np.asarray(scale(values, 3)).astype(float), 3 * np.array(values)), "not multiplied"
'''


def test_a_kind_of_result_that_is_converted_silently_is_found_or_recorded(make):
    wrong = {name: body for name, body in WRONG.items() if name != "strings"}
    wrong["one_only"] = "    return values[:1]"
    [found] = audit(make(values=NUMBERS_AS_TEXT, wrong=wrong), "01_lists", mutations=False).all_findings
    assert found.text == "an answer that returns numbers as text gets 2 of 3 points"
    record = "\n".join(f"# {line}" for line in found.details[-2:])
    equivalent = f"{EQUIVALENT}\n# %% equivalent\n# because: the contract allows text\n{record}\n"
    assert not kinds(make(values=NUMBERS_AS_TEXT, wrong=wrong, equivalent=equivalent), mutations=False)
    assert kinds(make(equivalent=equivalent), mutations=False) == ["stale record"]


def test_a_test_cell_that_the_stub_passes_is_found(make):
    course = make(empty='"""A test that is never called."""\ndef test():\n    assert scale([], 2) == []\n')
    found = audit(course, "01_lists", mutations=False).all_findings
    assert [f.kind for f in found] == ["stub earns points", "false accept"]
    assert "test_scale_empty passes on the untouched notebook" in found[0].text
    assert found[1].text.startswith("no_empty ")


def test_a_solution_that_fails_is_found_and_its_changes_are_left_out(make):
    course = make(solution=SOLUTION.replace("value, factor)", "value, 1)"))
    result = audit(course, "01_lists")
    assert "reference fails" in [f.kind for f in result.all_findings]
    assert not any(f.kind in ("surviving change", "stale record") for f in result.all_findings)
    assert result.exercises[0].figures["changes"] == 0


def test_too_few_answers_and_none_at_all_are_found(make):
    course = make(wrong={"adds": WRONG["adds"]}, right={"map": RIGHT["map"]})
    texts = [f.text for f in audit(course, "01_lists", mutations=False).all_findings]
    assert texts == ["1 wrong answers", "1 right answers"]
    (course.catalogue / "01_lists" / "scale.py").unlink()
    assert [f.text for f in audit(course, "01_lists", mutations=False).all_findings] == ["no answers"]


def test_a_catalogue_of_no_exercise_is_found(make):
    course = make()
    (course.catalogue / "01_lists" / "scael.py").write_text(catalogue())
    (finding,) = audit(course, "01_lists", mutations=False).all_findings
    assert finding.where == "grader/catalogue/01_lists/scael.py"


def test_a_test_cell_that_no_wrong_answer_fails_is_noted(make):
    wrong = {k: v for k, v in WRONG.items() if k not in ("no_empty", "none")}
    wrong |= {"zero": "    return [0 for v in values]", "half": "    return [v * factor / 2 for v in values]"}
    result = audit(make(wrong=wrong), "01_lists", mutations=False)
    assert result.all_findings == []
    assert result.exercises[0].unused_cells == ("test_scale_empty",)
    assert "note: no wrong answer of the catalogue fails test_scale_empty" in report([result])


NEAR = "def near(a, b):\n    assert a == b\n\n\n"


LENIENT = VISIBLE.replace("== [3, 6]", "!= 0")  # nothing but its hidden part notices much


@pytest.mark.parametrize(
    ("values", "decided"),
    [
        (VISIBLE, True),
        (LENIENT, False),
        (NEAR + VISIBLE.replace("assert scale([1, 2], 3) == [3, 6]", "near(scale([1, 2], 3), [3, 6])"), False),
        # Raises in a line before the hidden part, which only the hidden part calls.
        (NEAR + LENIENT.replace("assert scale([5], 7) == [35]", "near(scale([5], 7), [35])"), False),
    ],
)
def test_visible_tests_are_run_where_the_whole_ones_do_not_decide_it(make, monkeypatch, values, decided):
    ran = []
    run = Runner.run

    def noted(self, tasks, progress=None):
        ran.extend(task for task in tasks if task.visible)
        return run(self, tasks, progress)

    monkeypatch.setattr(Runner, "run", noted)
    course = make(values=values, empty="scale([], 2)")
    figures = audit(course, "01_lists", mutations=False).exercises[0].figures
    assert bool(ran) != decided
    monkeypatch.setattr("grader.audit.audit._follows", lambda task, result: None)
    assert audit(course, "01_lists", mutations=False).exercises[0].figures == figures


# The self-check -------------------------------------------------------------------------------------------------------


def test_a_self_check_that_does_not_print_its_word_is_found(make):
    (finding,) = audit(make(words=[("adds", "added"), ("repeats", "repeated")]), "01_lists").all_findings
    assert (finding.kind, finding.text) == ("self-check", "does not print 'repeated' on repeats")
    assert finding.details == ("--  values are multiplied. Hint: wrong",)


def test_a_word_in_an_ok_line_is_no_sign_of_recognition(make):
    (finding,) = audit(make(words=[("no_empty", "multiplied")]), "01_lists").all_findings
    assert finding.text == "does not print 'multiplied' on no_empty"


@pytest.mark.parametrize(
    ("old", "new", "text"),
    [
        ("[3, 6]", "[3, 7]", "objects to the solution"),
        ("scale: not written yet", "oh", "does not say `not written yet` on the untouched notebook"),
        ('print("ok  values are multiplied")', "1 / 0", "raises on the solution"),
    ],
)
def test_a_self_check_that_misleads_is_found(make, old, new, text):
    found = audit(make(check=CHECK.replace(old, new)), "01_lists", mutations=False).all_findings
    assert text in [f.text for f in found if f.kind == "self-check"]


def test_a_self_check_that_fails_on_the_solution_is_reported_once(make):
    check = "def check_scale(scale):\n    print('scale: not written yet')\n    1 / 0"
    (finding,) = audit(make(check=check), "01_lists", mutations=False).all_findings
    assert finding.details == ("ZeroDivisionError: division by zero (helpers_checks, line 3)",)


def test_an_example_beside_the_self_check_may_use_what_a_demonstration_defines(make):
    course = make(call="print(scale(shown_before, 2))\ncheck_scale(scale)")
    assert audit(course, "01_lists").all_findings == []


def test_an_example_beside_the_self_check_may_not_stumble_over_an_answer(make):
    course = make(call="print(round(scale([1], 2)[0]))\ncheck_scale(scale)")
    texts = [f.text for f in audit(course, "01_lists", mutations=False).all_findings]
    assert "raises on strings" in texts
    assert not any("solution" in text for text in texts)


def test_a_self_check_that_objects_to_a_right_answer_is_found(make):
    check = CHECK.replace("if result == [3, 6]:", "if str(result) == '[3, 6]':")
    right = RIGHT | {"floats": "    return [float(v * factor) for v in values]"}
    (finding,) = audit(make(check=check, right=right), "01_lists", mutations=False).all_findings
    assert (finding.kind, finding.text) == ("self-check", "objects to the right answer floats")


# Running one answer ---------------------------------------------------------------------------------------------------


def test_an_endless_loop_ends(make):
    begun = time.monotonic()
    result, honest = run(make(), "    while True:\n        pass", RIGHT["loop"], timeout_s=0.5)
    assert time.monotonic() - begun < 10
    assert [c.outcome for c in result.cells] == ["timeout", "not run"]
    assert result.cells[0].message == "no end within 0.5 s"
    assert not result.kept_all
    assert honest.kept_all


def test_what_an_endless_loop_kept_from_running_is_run_apart(make):
    body = "    while len(values) in (1, 3):\n        pass\n    return [v + factor for v in values]"
    (result,) = run(make(), body, timeout_s=0.3, visible=True, self_check=True)
    assert [c.outcome for c in result.cells] == ["failed", "passed"]
    (result,) = run(
        make(values=VISIBLE.replace("scale([1, 2], 3) == [3, 6]", "True")), body, timeout_s=0.3, visible=True
    )
    assert [c.outcome for c in result.cells] == ["timeout", "not run"]
    assert [c.outcome for c in result.visible] == ["passed", "passed"]
    assert result.end is End.TIMEOUT
    (result,) = run(make(values="scale([1], 3)"), body, timeout_s=0.3, self_check=True)
    assert "added instead?" in result.printed


def test_an_endless_loop_that_catches_everything_ends(make):
    body = "    while True:\n        try:\n            while True: pass\n        except BaseException: pass"
    (result,) = run(make(), body, timeout_s=0.3)
    assert result.end is End.TIMEOUT


def test_sleeping_ends_by_the_clock(make, monkeypatch):
    course = make()
    nb = read_notebook(course.source("01_lists"))
    monkeypatch.setattr("grader.audit.runner.CLOCK_ALLOWANCE_S", 0.5)
    with Runner(nb, 1) as runner:
        source = SIGNATURE + "    import time\n    time.sleep(600)"
        (result,) = runner.run([Task(exercises(nb)[0], source, timeout_s=0.1)])
    assert result.end is End.TIMEOUT
    assert 0.9 <= result.wall_s < 10


def test_a_process_that_kills_itself_is_reported(make):
    # Not `os.kill(os.getpid(), ...)`: the kernel spares number 1 of a process namespace what it sends itself.
    kill = "    import ctypes\n    ctypes.string_at(0)"
    leave = "    import os\n    os._exit(0)"
    killed, left, honest = run(make(), kill, leave, RIGHT["map"])
    assert [c.outcome for c in killed.cells] == ["crashed", "not run"]
    assert killed.cells[0].message == "killed by SIGSEGV"
    assert left.cells[0].message == "ended itself with exit code 0"
    assert honest.kept_all


def test_a_high_exit_code_is_not_taken_for_a_signal(make):
    (left,) = run(make(), "    import os\n    os._exit(-1)")
    assert left.end is End.CRASHED
    assert left.cells[0].message == "ended itself with exit code 255"


def test_leaving_with_the_exit_code_of_a_timeout_is_none(make):
    leave = f"    import os\n    os._exit({signal.SIGPROF:d})"
    late = "    while True: pass"
    left, slow = run(make(), leave, late, timeout_s=0.3)
    assert left.end is End.CRASHED
    assert [c.outcome for c in left.cells] == ["crashed", "not run"]
    assert left.cells[0].message == "ended itself with exit code 27"
    assert slow.end is End.TIMEOUT
    assert slow.cells[0].message == "no end within 0.3 s"


def test_leaving_through_sys_exit_loses_the_points(make):
    (result,) = run(make(), "    import sys\n    sys.exit(0)")
    assert [c.error for c in result.cells] == ["SystemExit", "SystemExit"]


@pytest.mark.skipif(sys.platform != "linux", reason="the memory limit is Linux' own")
def test_a_memory_hog_is_contained(make):
    hog, honest = run(make(), "    block = bytearray(64 << 30)\n    return values", RIGHT["map"])
    assert hog.cells[0].error == "MemoryError"
    assert honest.kept_all


def test_children_of_an_answer_end_with_it(make, tmp_path):
    mark = tmp_path / "alive"
    late = f"time.sleep(1)\n        open({str(mark)!r}, 'w')\n        os._exit(0)"
    body = f"    import os, time\n    if os.fork() == 0:\n        {late}"
    run(make(), body + "\n    return []")
    time.sleep(1.5)
    assert not mark.exists()


def test_endless_output_is_cut(make):
    result, honest = run(make(), "    while True:\n        print('x' * 10000)", RIGHT["map"], timeout_s=1.0)
    assert result.end is End.TIMEOUT
    assert result.peak_mib < 500
    assert honest.kept_all


def test_what_one_answer_changes_stays_with_it(make):
    spoil = "    import math\n    math.prod = None\n    open('numpy.py', 'w').write('1/0')"
    spoil += "\n    return [v * factor for v in values]"
    spoiling, honest = run(make(), spoil, "    return [given_product(v, factor) for v in values]", jobs=1)
    assert spoiling.kept_all
    assert honest.kept_all


def test_a_failing_cell_does_not_stop_the_next(make):
    (result,) = run(make(), "    return []")
    assert [c.outcome for c in result.cells] == ["failed", "passed"]
    assert (result.cells[0].line, result.cells[0].message) == (2, "not multiplied")


@pytest.mark.parametrize("statement", ["print('x', file=sys.stderr)", "os.write(2, b'x')"])
def test_text_on_standard_error_loses_the_points_as_with_nbgrader(make, statement):
    (result,) = run(make(), f"    import os, sys\n    {statement}\n    return [v * factor for v in values]")
    assert [c.outcome for c in result.cells] == ["stderr", "stderr"]
    assert "".join(result.cells[0].message.split()) == "xx"


def test_an_answer_cell_that_fails_is_told_from_a_test_that_fails(make):
    course = make()
    nb = read_notebook(course.source("01_lists"))
    results = run_answers(nb, exercises(nb)[0], ["scale = undefined", "def scale(:"])
    assert results[0].answer_error == "NameError: name 'undefined' is not defined"
    assert results[1].answer_error.startswith("SyntaxError")
    assert [c.error for c in results[0].cells] == ["NameError", "NameError"]


def test_visible_tests_are_run_apart(make):
    (result,) = run(make(), "    return [v * 3 for v in values]", visible=True)
    assert not result.kept_all
    assert result.kept_all_visible
    assert [c.name for c in result.visible] == [c.name for c in result.cells]
    assert hidden_tests().without(VISIBLE) == '"""Values."""\nassert scale([1, 2], 3) == [3, 6], "not multiplied"\n'


def test_the_answers_run_as_main_and_see_no_demonstration(make):
    course = make(empty="assert __name__ == '__main__'\nimport __main__\nassert __main__.scale is scale\nscale([], 1)")
    (result,) = run(course, RIGHT["map"])
    assert result.kept_all


def test_results_come_in_the_order_of_the_sources(make):
    bodies = [f"    sum(range({n}))\n    return {n}" for n in (2_000_000, 1, 500_000, 2)]
    course = make(values="assert False, scale([], 1)")
    results = run(course, *bodies, jobs=3)
    assert [r.cells[0].message for r in results] == ["2000000", "1", "500000", "2"]


def test_the_environment_that_the_setup_cell_sets_is_there_when_modules_are_imported(make):
    setup = "import os\nos.environ['MPLBACKEND'] = 'svg'\nimport matplotlib"
    course = make(setup=setup, empty="assert matplotlib.rcParams['backend'] == 'svg'\nscale([], 1)")
    (result,) = run(course, RIGHT["map"])
    assert result.kept_all


def test_the_environment_is_that_of_marking(make, monkeypatch):
    """What was audited is what is marked: the same numbers, from the same devices and backend."""
    monkeypatch.setenv("TF_ENABLE_ONEDNN_OPTS", "1")
    monkeypatch.setenv("KERAS_BACKEND", "jax")
    monkeypatch.setenv("AUDIT_TEST", "of the instructor")
    wanted = {name: value for name, value in ENVIRONMENT.items() if name != "PATH"}
    test = f"import os\nassert {wanted!r}.items() <= os.environ.items()\nassert 'AUDIT_TEST' not in os.environ"
    (result,) = run(make(values=f"scale([1], 2)\n{test}"), RIGHT["map"])
    assert result.cells[0].passed, result.cells


def test_a_test_cell_may_be_asked_to_run_first(make):
    course = make()
    nb = read_notebook(course.source("01_lists"))
    exercise = exercises(nb)[0]
    wrong = SIGNATURE + "    return [v * factor for v in values][: len(values) - 1] or None"
    tasks = [Task(exercise, wrong, stop_at_first=True, first=name) for name in ("", "test_scale_empty", "no such cell")]
    with Runner(nb, 1) as runner:
        results = runner.run([*tasks, replace(tasks[1], stop_at_first=False)])
    assert [r.caught_by.name for r in results] == ["test_scale_values", "test_scale_empty"] + ["test_scale_values"] * 2
    assert [[c.outcome for c in r.cells] for r in results] == [
        [Outcome.FAILED, Outcome.NOT_RUN],
        [Outcome.NOT_RUN, Outcome.FAILED],
        [Outcome.FAILED, Outcome.NOT_RUN],
        [Outcome.FAILED, Outcome.FAILED],
    ]
    assert [c.name for c in results[1].cells] == ["test_scale_values", "test_scale_empty"]


def test_helpers_that_nothing_uses_are_not_executed_where_they_are_not_run_ahead(make):
    course = make(check=CHECK + "\nimport time\ntime.sleep(0.001)\nhelped = 3\n")
    nb = read_notebook(course.source("01_lists"))
    exercise = exercises(nb)[0]
    there = SIGNATURE + "    return [v * factor for v in values if 'help' 'ed' in globals()]"
    used = SIGNATURE + "    return [v * helped for v in values]"
    with Runner(nb, 1) as runner:
        runner.prelude = Prelude(())
        left_out, kept, checked = runner.run(
            [Task(exercise, there), Task(exercise, used), Task(exercise, there, self_check=True)]
        )
    assert [c.passed for c in left_out.cells] == [False, True]
    assert [c.error for c in kept.cells] == ["AssertionError", ""]  # the hidden part multiplies by 7
    assert checked.kept_all


def test_a_locked_cell_that_fails_is_an_error_of_the_course(make):
    with pytest.raises(GraderError, match="the locked cell given_product fails: ZeroDivisionError") as caught:
        run(make(given="x = 1\n1 / 0\n"), RIGHT["map"])
    assert "line 2" in caught.value.where


def test_a_locked_cell_that_ends_the_process_is_an_error_of_the_course(make):
    with pytest.raises(GraderError, match="the locked cell given_product did not end"):
        run(make(given="import os\nos._exit(3)\n"), RIGHT["map"])


def test_no_process_stays_behind(make):
    course = make()
    nb = read_notebook(course.source("01_lists"))
    with Runner(nb) as runner:
        runner.run([Task(exercises(nb)[0], SIGNATURE + RIGHT["map"])])
        process, scratch = runner.template._process, Path(runner.template.folder)
        assert scratch.exists()
    assert process.poll() is not None
    assert not scratch.exists()


# The command ----------------------------------------------------------------------------------------------------------


def test_the_command_exits_with_0_1_or_2(make, capsys, tmp_path):
    course = make()
    command = ["--course", str(course.root), "audit", "1"]
    assert main([*command, "--jobs", "2", "--json", str(tmp_path / "audit.json")]) == 0
    out = capsys.readouterr().out
    assert "1.1 scale" in out
    assert "No findings." in out
    data = json.loads((tmp_path / "audit.json").read_text())
    assert data["schema_version"] == 1
    assert data["assignments"][0]["exercises"][0]["wrong_that_lose_points"] == 6
    make(equivalent="")
    assert main([*command, "--exercise", "1.1"]) == 1
    assert "was: return" in capsys.readouterr().out
    assert main([*command, "--no-mutations"]) == 0
    assert main([*command, "--exercise", "nothing"]) == 2
    assert "one of: scale" in capsys.readouterr().err
    assert main([*command, "--jobs", "0"]) == 2
    make(text="# %% wrong: x\n")
    assert main(command) == 2
    assert "lacks `# says: ...`" in capsys.readouterr().err


def test_figures_are_plain_data(make):
    data = as_json([audit(make(), "01_lists", mutations=False)])
    assert json.loads(json.dumps(data)) == data
    variants = {v["name"]: v for v in data["assignments"][0]["exercises"][0]["variants"]}
    assert variants["adds"]["failed_cells"] == ["test_scale_values"]
    assert (variants["adds"]["named"], variants["none"]["named"]) == (True, None)


def test_on_another_system_there_is_a_clear_error(make, monkeypatch):
    nb = read_notebook(make().source("01_lists"))
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(GraderError, match="Linux, which this is not"):
        Runner(nb)


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_an_interrupted_audit_leaves_no_process(make, tmp_path):
    course = make()
    program = (
        "import sys; from grader.audit.runner import *; from grader.core.notebook import *; from pathlib import Path\n"
        f"nb = read_notebook(Path({str(course.source('01_lists'))!r}))\n"
        f"with Runner(nb, 1) as r:\n    print(r.template._process.pid, flush=True)\n"
        f"    r.run([Task(exercises(nb)[0], 'import time; time.sleep(100)')])\n"
    )
    one = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    template = int(one.stdout.readline())
    time.sleep(0.5)
    one.kill()
    one.wait()
    one.stdout.close()
    deadline = time.monotonic() + 20
    while _lives(template):
        assert time.monotonic() < deadline, "the template process is still there"
        time.sleep(0.05)


def _lives(pid: int) -> bool:
    """Return whether a process is there and not only waiting to be collected."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False
