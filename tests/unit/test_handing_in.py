"""The last cell: what it says of every kind of answer, on Colab and in JupyterLab, whatever state the session is in."""

import html
import re
import sys
import types
from pathlib import Path

import numpy as np
import pytest
from helpers import handing_in, yours
from helpers.checks import self_check
from helpers.handing_in import hand_in, review

EXERCISES = {"9.1": (3, "double"), "9.2": (2, "triple", "undo_triple")}


@self_check("double")
def check_double(report, double):
    """Check a function that doubles an array."""
    result = report.array(report.call(double, np.arange(3.0)), (3,))
    report.expect(result[0] == 0, "zero stays zero")
    report.expect(result[1] == 2, "one becomes two", "multiply by 2")


@self_check("triple")
def check_triple(report, triple, undo_triple):
    """Check a pair of functions."""
    report.expect(report.call(undo_triple, report.call(triple, 5)) == 5, "one undoes the other")


def unwritten(x):
    raise NotImplementedError("not written yet")


def session(**changes):
    """Give the globals of a session in which everything is right, but for the changes; None deletes."""
    names = {
        "double": lambda x: 2 * x,
        "triple": lambda x: 3 * x,
        "undo_triple": lambda x: x / 3,
        "check_double": check_double,
        "check_triple": check_triple,
    }
    names |= changes
    return {name: value for name, value in names.items() if value is not None}


@pytest.fixture
def shown(monkeypatch):
    """What hand_in displays: the plain text and the words of the page, which say the same."""
    displayed = []
    monkeypatch.setattr(handing_in, "display", lambda data, raw: displayed.append(data))

    def show(names):
        displayed.clear()
        hand_in(names, "09_doubling.ipynb", EXERCISES, written=2)
        (data,) = displayed
        text = data["text/plain"]
        words = html.unescape(re.sub(r"<[^>]*>", " ", data["text/html"]))
        assert words.split() == text.split()
        return text

    return show


def states(**changes):
    return [answer.state for answer in review(session(**changes), EXERCISES)]


def says(**changes):
    return review(session(**changes), EXERCISES)[0].says


def test_all_right(shown):
    text = shown(session())
    assert states() == ["passes", "passes"]
    assert "2 of 2 exercises are written, and 2 of 2 pass their self-check. That makes 5 of 5 points" in text
    assert "Your file is graded in a fresh session" in text
    assert "go back" not in text


def test_nothing_written(shown):
    nothing = {"double": unwritten, "triple": unwritten, "undo_triple": unwritten}
    text = shown(session(**nothing))
    assert states(**nothing) == ["not written", "not written"]
    assert "0 of 2 exercises are written, and 0 of 2 pass their self-check. That makes 0 of 5 points" in text
    assert "If you have time left, go back to 9.1 double." in text
    assert "fresh session" not in text


def test_one_function_of_two_is_left(shown):
    assert states(undo_triple=unwritten) == ["passes", "not written"]
    assert "unwritten still raises NotImplementedError" in shown(session(undo_triple=unwritten))
    assert "go back to 9.2 triple, undo_triple." in shown(session(undo_triple=unwritten))


def test_a_row_names_the_functions_of_the_answer_and_no_locked_one():
    def rows(**changes):
        return [answer.exercise for answer in review(session(**changes), EXERCISES)]

    assert rows() == rows(triple=None, undo_triple=None) == ["9.1 double", "9.2 triple, undo_triple"]
    space = {}
    exec(compile("def undo_triple(x): return x / 3", "<a locked cell>", "exec"), space)
    assert rows(undo_triple=space["undo_triple"]) == ["9.1 double", "9.2 triple"]


def test_an_answer_that_raises(shown):
    assert states(double=lambda x: x / "2")[0] == "raises an error"
    assert says(double=lambda x: x / "2").startswith("TypeError: ufunc 'divide' not supported")
    assert "2 of 2 exercises are written, and 1 of 2 pass their self-check. That makes 2 of 5 points" in shown(
        session(double=lambda x: x / "2")
    )


def test_a_wrong_answer_is_told_with_its_hint():
    assert states(double=lambda x: 3 * x)[0] == "look again"
    assert says(double=lambda x: 3 * x) == (
        "3 of 4 properties hold. The first one that does not: one becomes two. Hint: multiply by 2"
    )


@pytest.mark.parametrize(
    ("value", "state", "word"),
    [
        (None, "not defined", "double is not defined"),
        (7, "not defined", "double is of type int"),
        (lambda: 1, "raises an error", "TypeError"),
        (lambda x: None, "look again", "return statement"),
        (lambda x: sys.exit(), "stopped", "SystemExit"),
    ],
)
def test_a_session_in_disorder(value, state, word):
    assert states(double=value) == [state, "passes"]
    assert word in says(double=value)


def test_an_endless_loop_can_be_interrupted_and_the_others_are_still_looked_at():
    def endless(x):
        raise KeyboardInterrupt  # what the front end's stop button raises inside the loop

    assert states(double=endless) == ["stopped", "passes"]


def test_an_exception_that_cannot_be_printed():
    class RudeError(Exception):
        def __str__(self):
            raise ValueError("no words")

    def rude(x):
        raise RudeError

    assert states(double=rude) == ["stopped", "passes"]
    assert says(double=rude) == "the self-check did not finish: ValueError"


def test_what_a_function_prints_or_warns_is_not_shown(capsys):
    def loud(x):
        print("--  noise")
        np.log(np.zeros(1))
        return 2 * x

    assert states(double=loud) == ["passes", "passes"]
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "")


def test_a_self_check_that_is_gone_or_replaced():
    assert states(check_double=None)[0] == "not checked"
    assert states(check_double=3)[0] == "not checked"


def test_long_errors_are_cut_and_markup_is_shown_as_text(monkeypatch):
    def wordy(x):
        raise ValueError("<b>no</b>\n" * 200)

    displayed = []
    monkeypatch.setattr(handing_in, "display", lambda data, raw: displayed.append(data["text/html"]))
    hand_in(session(double=wordy), "09_doubling.ipynb", EXERCISES, written=2)
    assert "<b>no</b>" not in displayed[0]
    assert "&lt;b&gt;no&lt;/b&gt;" in displayed[0]
    assert len(says(double=wordy)) < 250


def test_the_way_to_hand_in_is_that_of_the_front_end(shown, monkeypatch):
    monkeypatch.delitem(sys.modules, "google.colab", raising=False)
    in_jupyter = shown(session())
    monkeypatch.setitem(sys.modules, "google.colab", object())
    on_colab = shown(session())
    assert "Choose File > Save Notebook, then File > Download." in in_jupyter
    assert "Kernel > Restart Kernel" in in_jupyter
    assert "Choose File > Download > Download .ipynb." in on_colab
    assert "Runtime > Restart session" in on_colab
    for text in (in_jupyter, on_colab):
        assert "Hand in the file 09_doubling.ipynb" in text
        assert "A person marks your written answer (2 points)." in text


def test_a_library_that_graded_code_does_not_find_is_named(shown, monkeypatch):
    monkeypatch.setattr(yours, "_THERE", {*yours._THERE, __name__})  # where this session's functions are from
    text = shown(session())
    assert "Your notebook imports" not in text
    torch, special = types.ModuleType("torch"), types.ModuleType("scipy.special")
    log1p = types.FunctionType((lambda: 0).__code__, {"__name__": "scipy.special"})
    more = {"np": np, "sin": np.sin, "path": sys.path, "Path": Path, "torch": torch, "softmax": log1p, "s": special}
    text = shown(session(**more, nameless=types.FunctionType((lambda: 0).__code__, {})))
    assert "Your notebook imports scipy, torch. When your answers are graded, only Python's own modules" in text
