"""The machinery of the self-checks: it prints, names what is wrong and never raises."""

import numpy as np
import pytest
from helpers.checks import self_check
from helpers.observed import Observed


@self_check("double")
def check_double(report, double):
    """Check a function that doubles an array."""
    x = np.arange(6.0).reshape(2, 3)
    result = report.array(report.call(double, x), (2, 3))
    report.expect(np.allclose(result, 2 * x), "every entry is doubled", "multiply by 2")
    report.expect(result.sum() == 30, "the sum is 30")


def changes_input(x):
    x *= 2
    return x


def unwritten(x):
    raise NotImplementedError("not written yet")


def warns(x):
    np.log(np.zeros(1))
    return 2 * x


@pytest.mark.parametrize(
    ("function", "lines"),
    [
        (lambda x: 2 * x, ["ok  every entry is doubled", "double: all of these hold"]),
        (unwritten, ["double: not written yet"]),
        (lambda x: 1 / "a", ["--  double runs. It raised TypeError"]),
        (lambda x: None, ["is the return statement missing"]),
        (changes_input, ["--  double: the inputs are unchanged"]),
        (lambda x: 2 * x[0], ["--  the result has shape (2, 3). Yours has shape (3,)"]),
        (lambda x: (2 * x).astype(int), ["--  the result holds floats. Hint: its dtype is int64"]),
        (lambda x: [[1.0], [1.0, 2.0]], ["--  the result is an array of floats"]),
        (lambda x: "text", ["--  the result has shape (2, 3)"]),
        (lambda x: 3 * x, ["--  every entry is doubled. Hint: multiply by 2", "--  the sum is 30"]),
        (warns, ["note  numpy warns: divide by zero", "ok  every entry is doubled"]),
    ],
)
def test_findings_are_printed_and_nothing_is_raised(function, lines, capsys):
    assert check_double(function) is None
    printed = capsys.readouterr().out
    for line in lines:
        assert line in printed
    assert printed.count("all of these hold") == (lines[-1].startswith(("double: all", "ok")))


def in_a_session(code, **names):
    """Return the function `double` that this code defines in a session with these names."""
    exec(code, names)
    return names["double"]


@pytest.mark.parametrize(
    ("code", "named"),
    [
        ("def double(x): return 2 * x.reshape(B, T)", "B, T"),
        ("def double(x): return (lambda a: a.reshape(B, 3))(2 * x)", "B"),
        ("def double(x):\n    def rows():\n        return 2 * x[:B]\n    return rows()", "B"),
    ],
)
def test_what_another_cell_lends_is_named(code, named, capsys):
    check_double(in_a_session(code, B=2, T=3, np=np))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"note  your function reads {named} from another cell")
    assert lines[-1].startswith("double: all of these hold")


@pytest.mark.parametrize(
    "code",
    [
        "def double(x): return 2 * x.T.T",
        "def double(x):\n    B, T = x.shape\n    return 2 * x.reshape(B, T)",
        "def double(x):\n    B = len(x)\n    return (lambda: 2 * x.reshape(B, -1))()",
        "def double(x, B=2): return B * x",
        "def double(x): return TWO * x",
        "def double(x): return 2 * x.reshape(S, -1)",  # nobody lends it: the error says so
        "import functools\ndouble = functools.partial(lambda two, x: two * x, 2)",
    ],
)
def test_what_is_the_functions_own_is_not_called_lent(code, capsys):
    check_double(in_a_session(code, B=2, T=3, TWO=2, np=np))
    assert "another cell" not in capsys.readouterr().out


def test_a_first_finding_that_explains_the_rest_ends_the_check(capsys):
    check_double(lambda x: x[0])
    assert len(capsys.readouterr().out.splitlines()) == 1


@self_check("double")
def check_double_and_half(report, double, half):
    """Check two functions that do not need each other."""
    x = np.arange(4.0)
    with report.part("double"):
        report.expect(
            np.array_equal(report.call(double, x), 2 * x), "double: it is doubled", "multiply by 2", stop=True
        )
        report.expect(report.call(double, x)[0] == 0, "double: zero stays zero")
    with report.part("half"):
        report.expect(np.array_equal(report.call(half, x), x / 2), "half: it is halved", "divide by 2", stop=True)
        report.expect(report.call(half, x)[0] == 0, "half: zero stays zero")
    report.name = "double, half"


@pytest.mark.parametrize(
    ("double", "half", "lines"),
    [
        (
            lambda x: 2 * x,
            lambda x: x / 2,
            ["ok  double: it", "ok  double: zero", "ok  half: it", "ok  half: zero", "double, half: all of these hold"],
        ),
        (lambda x: x, lambda x: x / 2, ["--  double: it is doubled. Hint", "ok  half: it", "ok  half: zero"]),
        (lambda x: x, lambda x: x, ["--  double: it is doubled. Hint", "--  half: it is halved. Hint"]),
        (unwritten, lambda x: x, ["double: not written yet", "--  half: it is halved"]),
        (lambda x: 2 * x, unwritten, ["ok  double: it", "ok  double: zero", "half: not written yet"]),
        (lambda x: x.no, lambda x: x.no, ["--  double runs. It raised", "--  half runs. It raised"]),
        (lambda x: dict(), lambda x: x / 2, ["--  double: it is doubled", "ok  half: it", "ok  half: zero"]),
    ],
)
def test_a_mistake_in_one_function_hides_nothing_about_the_next_one(double, half, lines, capsys):
    check_double_and_half(double, half)
    printed = capsys.readouterr().out.splitlines()
    assert len(printed) == len(lines)
    assert all(map(str.startswith, printed, lines))


def test_of_several_errors_the_report_keeps_the_first():
    report = check_double_and_half.report(unwritten, lambda x: x.no)
    assert isinstance(report.error, NotImplementedError)
    report = check_double_and_half.report(lambda x: x.no, unwritten)
    assert isinstance(report.error, AttributeError)
    assert report.finding.startswith("double runs. It raised AttributeError")


def test_an_odd_result_ends_the_part_of_its_function_only(capsys):
    @self_check("odd")
    def check_odd(report, odd, even):
        """Stumble over the first."""
        with report.part("odd"):
            report.expect(odd()["missing"], "it has a key")
        with report.part("even"):
            report.expect(even() == 2, "it is even")

    check_odd(dict, lambda: 2)
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith("--  the result has the form")
    assert printed[1:] == ["ok  it is even"]


def test_a_function_that_changes_its_input_is_told_once(capsys):
    @self_check("double")
    def check_twice(report, double):
        """Call it twice."""
        for x in (np.ones(2), np.ones(3)):
            report.call(double, x)

    check_twice(changes_input)
    hint = "Hint: work on a copy: x = x.copy()"
    assert capsys.readouterr().out.splitlines() == [f"--  double: the inputs are unchanged. {hint}"]


def test_an_odd_result_that_breaks_the_check_itself_is_reported(capsys):
    @self_check("odd")
    def check_odd(report, odd):
        """Stumble."""
        report.expect(odd()["missing"], "it has a key")

    check_odd(dict)
    assert "--  the result has the form" in capsys.readouterr().out


def test_a_finding_says_whether_it_names_a_mistake(capsys):
    @self_check("odd")
    def check_odd(report, hint):
        """Object."""
        report.expect(False, "it is even", hint)

    for hint, finding, named in (
        ("divide by 2", "it is even. Hint: divide by 2", True),
        (Observed("Yours is 3. What is left over?"), "it is even. Yours is 3. What is left over?", False),
        ("", "it is even", False),
    ):
        report = check_odd.report(hint)
        assert (report.finding, report.line, report.named) == (finding, "it is even", named)
