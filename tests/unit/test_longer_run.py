"""A notebook that ran out of time is run once more with longer limits, which is no second try for what was judged."""

import copy
from dataclasses import replace

import nbformat
import pytest
from nbformat.v4 import new_code_cell
from test_marking import NAME, POINTS, SHORT, course, solved, source  # noqa: F401 (fixtures)
from test_second_run import two_exercises

from grader.core.cells import grade_id
from grader.core.errors import EndedFromOutside, GraderError
from grader.core.findings import Finding, Level
from grader.engine import submission
from grader.engine.longer import joined, not_judged
from grader.engine.result import Outcome, Result, Verdict
from grader.engine.settings import Pace

TESTS = ["test_one_a", "test_one_b", "test_two_a", "test_two_b"]
LATE = ("timeout", "TimeoutError", "It hung.")
NOT_RUN = ("not run", "TimeoutError", "its time was up")
WRONG = ("failed", "AssertionError", "it is 3")


def verdict(name, outcome="passed", error="", message="", **more):
    return Verdict(name, Outcome(outcome), error, message, **more)


def result_of(*ends, **more):
    """Return the result in which the tests of two exercises ended in certain ways, the rest passed."""
    ways = [*ends, *[()] * (len(TESTS) - len(ends))]
    verdicts = {
        name: verdict(name, *way) if isinstance(way, tuple) else verdict(name, **way)
        for name, way in zip(TESTS, ways, strict=True)
    }
    return Result(verdicts=verdicts, **more)


RAISED = {"outcome": "failed", "error": "NameError", "message": "scale is missing", "call_error": "NameError"}
CAUGHT = {"outcome": "failed", "error": "AssertionError", "message": "it should raise", "call_error": "TimeoutError"}
FAILED = {"outcome": "failed", "error": "ValueError", "message": "no", "call_error": "ValueError"}
PART = {"value": 1.0}


@pytest.mark.parametrize(
    ("ends", "again"),
    [
        ([LATE, (), WRONG], ["test_one_a"]),
        ([LATE, NOT_RUN, NOT_RUN, NOT_RUN], TESTS),
        ([WRONG, LATE], ["test_one_b"]),  # what was found wrong stands in front of it, as in a single run
        ([LATE, WRONG], []),  # it may have been asked for the sake of the test before
        ([LATE, PART], []),
        ([LATE, CAUGHT, WRONG, CAUGHT], ["test_one_a", "test_one_b", "test_two_b"]),
        ([LATE, RAISED, LATE, FAILED], []),
        ([PART, WRONG, RAISED, FAILED], []),
    ],
)
def test_what_was_found_wrong_is_not_judged_again(ends, again):
    assert list(not_judged(two_exercises(), result_of(*ends))) == again


def test_what_missed_a_name_is_judged_again_behind_a_cell_that_was_left_out_alone():
    nb = two_exercises()
    nb.cells[4].id = "own"
    hung = result_of(RAISED, RAISED, RAISED, WRONG, findings=[Finding("cell-hangs", "own", "It hung.", Level.LOST)])
    assert not_judged(nb, hung) == {}, "a test behind it found something wrong"
    hung = result_of(RAISED, RAISED, WRONG, RAISED, findings=hung.findings)
    assert not_judged(nb, hung) == {"test_two_b": "two"}
    assert not_judged(nb, replace(hung, findings=[])) == {}


def test_a_run_with_longer_limits_counts_for_what_it_may_judge_and_that_is_said():
    nb = two_exercises()
    kept = Finding("call-hangs", "test_two_a", "two hung.", Level.LOST)
    gone = Finding("call-hangs", "test_one_a", "one hung.", Level.LOST)
    first = result_of(
        LATE, (), WRONG, findings=[gone, kept], causes=[{"test": "test_two_a"}],
        outputs={2: ["late"], 3: [], 6: ["wrong"], 7: []},
    )  # fmt: skip
    longer = result_of(
        (), WRONG, (), WRONG, causes=[{"test": "test_one_b"}], outputs={1: ["cell"], 2: [], 3: ["wrong"], 6: [], 7: []},
        cpu_s=7.0,
    )  # fmt: skip
    both = joined(nb, first, longer, not_judged(nb, first))
    assert {n: v.outcome.value for n, v in both.verdicts.items()} == {
        "test_one_a": "passed", "test_one_b": "passed", "test_two_a": "failed", "test_two_b": "passed"
    }  # fmt: skip
    assert list(both.verdicts) == TESTS
    assert both.outputs == {1: ["cell"], 2: [], 3: [], 6: ["wrong"], 7: []}
    assert both.causes == [{"test": "test_two_a"}]
    said, *others = both.findings
    assert others == [kept]
    assert (said.kind, said.level) == ("marked-with-longer-limits", Level.REPAIRED)
    assert said.text.endswith("They belong to one.")


def test_a_cell_that_was_left_out_is_still_said_where_a_test_behind_it_keeps_its_loss():
    nb = two_exercises()
    nb.cells[0].id = "own"
    hung = Finding("cell-hangs", "own", "It hung.", Level.LOST)
    first = result_of((), RAISED, WRONG, (), findings=[hung])
    again = not_judged(nb, first)
    assert list(again) == ["test_one_b"]
    assert joined(nb, first, result_of((), (), (), ()), again).findings[1:] == [hung]
    first = result_of((), RAISED, (), (), findings=[hung])
    assert joined(nb, first, result_of((), (), (), ()), not_judged(nb, first)).findings[1:] == []


# Marked as a whole.


@pytest.fixture(scope="module")
def kit(course):  # noqa: F811
    return submission.Kit.read(course.source(NAME))


@pytest.fixture
def graded(kit, solved, monkeypatch):  # noqa: F811
    """Mark the solved notebook with other answers on a machine where the reference takes long; return the record."""
    monkeypatch.setattr(submission, "_pace", lambda *asked: Pace(call_s=0.05, cell_s=0.05, notebook_s=1.0))

    def run(*own, **answers):
        nb = copy.deepcopy(solved)
        for cell in nb.cells:
            cell.source = answers.get(grade_id(cell), cell.source)
        at = next(n for n, cell in enumerate(nb.cells) if grade_id(cell) == "scale")
        nb.cells[at:at] = [new_code_cell(text) for text in own]
        data = nbformat.writes(nb).encode()
        settings = submission.Settings(budget=replace(SHORT, call_cpu_s=0.5, cell_cpu_s=0.5))
        record = submission.mark_handed(kit, submission.Handed(f"{NAME}.ipynb", data), settings).record
        return {verdict["name"]: verdict["points"] for verdict in record["verdicts"]}, record

    return run


WAIT = (
    "import time\n\ndef wait():\n    end = time.process_time() + 1.0\n    while time.process_time() < end:\n"
    "        pass\n    return 3.0\n\n"
)
SLOW = WAIT + "def scale(x):\n    return wait() * x"


def test_an_answer_or_a_cell_that_needs_longer_limits_here_earns_its_points(graded):
    for points, record in (
        graded(scale=SLOW),
        graded(WAIT + "k = wait()", scale="def scale(x):\n    return k * x"),
        graded(scale=WAIT + "k = wait()\n\ndef scale(x):\n    return k * x"),
    ):
        assert points == POINTS
        assert [f["kind"] for f in record["findings"]] == ["marked-with-longer-limits"]


def second_try(monkeypatch):
    """Have every run but the first of a submission pass all of its tests; return how often one began."""
    mark, runs = submission.mark_notebook, []

    def knowing(nb, plan, *asked):
        runs.append(plan)
        done = mark(nb, plan, *asked)
        if len(runs) > 1:
            done.verdicts = {name: Verdict(name, Outcome.PASSED) for name in done.verdicts}
        return done

    monkeypatch.setattr(submission, "mark_notebook", knowing)
    return runs


def test_what_a_run_that_ran_out_of_time_learned_of_the_tests_earns_nothing(graded, monkeypatch):
    runs = second_try(monkeypatch)
    spins = "def share():\n    while True:\n        pass"
    points, record = graded(scale="def scale(x):\n    return 4.0 * x", share=spins)
    assert len(runs) == 2
    assert points == POINTS | {"test_scale_value": 0}
    assert "marked-with-longer-limits" in [f["kind"] for f in record["findings"]]


def test_what_was_judged_once_stays_so_when_a_later_run_ends_the_warm_process(graded, monkeypatch):
    mark, runs = submission.mark_notebook, []

    def ending(nb, plan, template, *asked):
        runs.append(plan)
        if len(runs) == 2:
            template.close()
            raise GraderError("it is gone", "marking", "begin again")
        return mark(nb, plan, template, *asked)

    monkeypatch.setattr(submission, "mark_notebook", ending)
    points, _ = graded(scale=SLOW)
    assert points == POINTS
    assert len(runs) == 3, "the first run and twice the one with longer limits"


def test_what_was_judged_stays_so_where_the_system_ends_the_run_with_longer_limits(graded, monkeypatch):
    mark, runs = submission.mark_notebook, []

    def taken(*asked):
        runs.append(asked)
        if len(runs) == 2:
            raise EndedFromOutside
        return mark(*asked)

    monkeypatch.setattr(submission, "mark_notebook", taken)
    points, record = graded(
        scale="def scale(x):\n    return 4.0 * x", share="def share():\n    while True:\n        pass"
    )
    assert len(runs) == 2
    assert 0 < sum(points.values()) < sum(POINTS.values())
    assert points["test_scale_value"] == 0
    assert "marked-with-longer-limits" not in [f["kind"] for f in record["findings"]]
    (said,) = [f for f in record["findings"] if f["kind"] == "no-longer-run"]
    assert said["level"] == "lost"
    assert said["text"].endswith("belongs to share.")
