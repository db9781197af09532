"""The lesson goes on with the student's function if its self-check holds, and with ours if not."""

import pytest
from helpers.checks import self_check
from helpers.yours import yours


@self_check("double")
def check_double(report, double):
    report.expect(report.call(double, 3) == 6, "twice three is six", "multiply")


@self_check("triple")
def check_triple(report, triple, undo_triple):
    report.expect(report.call(undo_triple, report.call(triple, 5)) == 5, "one undoes the other")


def written(source):
    """Define functions as a notebook does: beside the checks, in one namespace."""
    space = {"check_double": check_double, "check_triple": check_triple}
    exec(source, space)
    return space


def test_an_answer_that_passes_its_self_check_is_used(capsys):
    double = written("def double(x): return 2 * x")["double"]
    assert yours(double, ours="ours") is double
    assert capsys.readouterr().out == "[double: yours]\n"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise NotImplementedError('not written yet')", "is not written yet"),
        ("return x + 1", "does not pass its self-check yet"),
        ("return x.missing", "raises an error in its self-check"),
        ("raise KeyboardInterrupt", None),
    ],
)
def test_any_other_answer_is_replaced_and_the_reason_is_said(body, says, capsys):
    double = written(f"def double(x): {body}")["double"]
    if says is None:  # a student who stops an endless loop means it
        with pytest.raises(KeyboardInterrupt):
            yours(double, ours="ours")
        return
    assert yours(double, ours="ours") == "ours"
    assert capsys.readouterr().out == f"[double: ours, because yours {says}]\n"


def test_without_a_stand_in_nothing_comes_back(capsys):
    assert yours(written("def double(x): raise NotImplementedError")["double"]) is None


def test_a_session_without_the_self_check_goes_on_with_ours(capsys):
    space = {}
    exec("def halve(x): return x / 2", space)
    assert yours(space["halve"], ours=7) == 7
    assert "has no self-check" in capsys.readouterr().out


def test_several_functions_of_one_answer_come_back_together(capsys):
    space = written("def triple(x): return 3 * x\ndef undo_triple(x): return x / 3")
    functions = space["triple"], space["undo_triple"]
    assert yours(*functions) == functions
    assert capsys.readouterr().out == "[triple, undo_triple: yours]\n"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("raise NotImplementedError", "are not all written yet"),
        ("return x", "do not all pass their self-check yet"),
        ("return x.missing", "raise an error in their self-check"),
    ],
)
def test_of_several_functions_none_is_blamed_for_another(body, says, capsys):
    space = written(f"def triple(x): return 3 * x\ndef undo_triple(x): {body}")
    assert yours(space["triple"], space["undo_triple"], ours=(1, 2)) == (1, 2)
    assert capsys.readouterr().out == f"[triple, undo_triple: ours, because yours {says}]\n"


def test_a_function_of_another_cell_is_no_part_of_the_answer(capsys):
    space = written("")
    exec(compile("def triple(x): return 3 * x", "<the answer>", "exec"), space)
    exec(compile("def undo_triple(x): return x / triple(1)", "<a locked cell>", "exec"), space)
    functions = space["triple"], space["undo_triple"]
    assert yours(*functions) == functions
    assert capsys.readouterr().out == "[triple: yours]\n"
    space["check_triple"] = None
    assert yours(*functions) is None
    assert capsys.readouterr().out == "[triple: ours, because yours has no self-check in this session]\n"
