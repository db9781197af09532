"""What the recogniser could not finish in time is not kept: a submission behind it finds nothing of it."""

import socket
import sys

import numpy as np
import pytest

from grader.sandbox.inside import answers, composing, explain, shrink, student, wire

REFERENCE = "def scale(x, factor):\n    larger = x * factor\n    return np.where(larger > 100, 100, larger)\n"
WRONG = {
    "added": REFERENCE.replace("*", "+"),
    "not_cut": REFERENCE.replace("> 100", "> 1000"),
    "transposed": REFERENCE.replace("100, larger)", "100, larger).T"),
}
BOTH = "def scale(x, factor):\n    return x + factor\n"
ASKED = [("t1", np.array([1.5, 2.5, 4.0]), 2.5), ("t2", np.array([[7.25, 8.75], [99.5, 3.5]]), 1.5)]


@pytest.fixture
def explainer(monkeypatch):
    for name in ("stdout", "stderr", "displayhook"):
        monkeypatch.setattr(sys, name, getattr(sys, name))
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    ours, theirs = socket.socketpair()
    made = explain.Explainer(ours)
    made.begin([["setup", "import numpy as np"]])
    yield made
    ours.close()
    theirs.close()


def calls(source):
    space = {"np": np}
    exec(source, space)
    for test, x, factor in ASKED:
        request = wire.dumps({"call": "scale", "args": (x, factor), "kwargs": {}})
        reply = wire.dumps({"value": space["scale"](x, factor), "changed": None})
        kept = {"function": "scale", "test": test, "line": 1, "request": request, "reply": reply}
        yield kept | {"trace": [], "hidden": False}


def named(explainer, source):
    asked = list(calls(source))
    found = explainer.recognise("scale", REFERENCE, WRONG, [], {}, ["scale"], asked, 40.0)
    if not found["any"]:
        return "nothing"
    space = {"np": np}
    exec(source, space)
    replies = []
    for question in found["questions"]:
        message = wire.loads(question)
        replies.append(wire.dumps({"value": space["scale"](*message["args"]), "changed": None}))
    return explainer.decide(replies, 2)["how"]


def test_pairs_whose_making_ran_out_of_time_are_made_again(explainer, monkeypatch):
    def runs_out(*_):
        raise TimeoutError

    with monkeypatch.context() as patch:
        patch.setattr(composing, "composed", runs_out)
        assert named(explainer, "def scale(x, factor):\n    return x * 0.5\n") == "nothing"
    assert not explainer.pairs
    assert named(explainer, BOTH) == "both"


def test_an_answer_whose_cell_ran_out_of_time_runs_again(explainer, monkeypatch):
    explainer.base["wait"] = lambda: (_ for _ in ()).throw(student.TimeIsUp("computed"))
    one = answers.Answer(explainer, "slow", "wait()\ndef scale(x, factor):\n    return x\n", "scale", [])
    with pytest.raises(student.TimeIsUp):
        assert one.space
    explainer.base["wait"] = lambda: None
    assert "scale" in one.space


def test_a_small_input_that_was_not_found_in_time_is_looked_for_again(explainer):
    explainer.end = float("inf")
    right = answers.Answer(explainer, "", REFERENCE, "scale", [])
    one = answers.Answer(explainer, "added", WRONG["added"], "scale", [])
    seen = [answers.Call(kept) for kept in calls(REFERENCE)]
    for call in seen:
        assert answers.differs(one.reply(call), right.reply(call))
    explainer.end = 0.0
    assert len(shrink.examples(one, right, seen, seen)) == 1
    assert not explainer.small
    explainer.end = float("inf")
    assert len(shrink.examples(one, right, seen, seen)) == 2


@pytest.mark.parametrize("moment", [MemoryError(), student.TimeIsUp(student.WAITED)])
def test_what_only_the_moment_made_of_an_answer_is_gone_with_the_next_submission(explainer, moment):
    def busy():
        raise moment

    explainer.base["wait"] = busy
    body = "def scale(x, factor):\n    wait()\n    return x + factor\n"
    slow = {"added": body, "not_cut": WRONG["not_cut"]}
    asked = list(calls(BOTH))
    explainer.recognise("scale", REFERENCE, slow, [], {}, ["scale"], asked, 40.0)
    assert explainer.passing
    explainer.base["wait"] = lambda: None
    one = answers.Answer(explainer, "added", body, "scale", [])
    one.space["wait"] = lambda: None
    found = explainer.recognise("scale", REFERENCE, slow, [], {}, ["scale"], asked, 40.0)
    assert found["any"]
    assert not explainer.passing
    assert all("error" not in one.reply(answers.Call(kept)) for kept in asked)


def test_an_answer_whose_cell_found_no_memory_runs_again(explainer):
    def full():
        raise MemoryError

    explainer.base["wait"] = full
    one = answers.Answer(explainer, "full", "wait()\ndef scale(x, factor):\n    return x\n", "scale", [])
    assert "scale" not in one.space
    explainer.base["wait"] = lambda: None
    assert "scale" in one.space
