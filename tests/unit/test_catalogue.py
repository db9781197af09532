"""The catalogue's format: what is read, and what each malformed thing is told."""

from pathlib import Path
from textwrap import dedent

import pytest

from grader.core.catalogue import one_line, read_catalogue
from grader.core.errors import GraderError

GOOD = """\
# Answers to the exercise `double`.

# %% wrong: adds_two
# says: 2 + x and 2 * x agree at x = 2 only.
#   Try another number.
# self-check: doubled

# This comment belongs to the code.
def double(x):
    return x + 2


# %% right: by_adding
# why: x + x is 2 * x
def double(x):
    return x + x

# %% equivalent
# because: multiplication commutes
# was: return  (2 * x)
# now: return x*2
# was: return 2 * x #2
# now: return x * 2
"""


@pytest.fixture
def read(tmp_path):
    def read(text: str, *functions: str, reference: str = ""):
        path = tmp_path / "double.py"
        path.write_text(dedent(text), encoding="utf-8")
        return read_catalogue(path, functions or ("double",), reference)

    return read


def test_reads_every_part(read):
    catalogue = read(GOOD)
    (wrong,), (right,) = catalogue.wrong, catalogue.right
    assert (wrong.name, wrong.self_check, wrong.line) == ("adds_two", "doubled", 3)
    assert wrong.text == "2 + x and 2 * x agree at x = 2 only. Try another number."
    assert wrong.source.startswith("# This comment belongs to the code.\ndef double")
    assert (right.kind, right.text, right.self_check) == ("right", "x + x is 2 * x", None)
    assert right.where.endswith("double.py:13")


def test_one_reason_may_cover_several_changes(read):
    first, second = read(GOOD).equivalents
    assert first.key == ("return 2 * x", "return x * 2", 1)
    assert second.key == ("return 2 * x", "return x * 2", 2)
    assert first.because == second.because == "multiplication commutes"


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("import numpy\n", "code before the first cell", 1),
        ("# %% false: x\n", "unknown kind", 1),
        ("# %% wrong: a\ndef double(x): ...\n", "lacks `# says", 1),
        ("# %% right: a\ndef double(x): ...\n", "lacks `# why", 1),
        ("# %% equivalent\n# because: a\n# was: b\n", "lacks `# now", 1),
        ("# %% equivalent\n# because: a\n# was: b\n# was: c\n# now: d\n", "do not form pairs", 1),
        ("# %% equivalent\n# because: a\n# now: b\n# was: c\n", "do not form pairs", 1),
        ("# %% equivalent\n# because: a\n# was: b\n# now: c\n\ndouble = 1\n", "with code", 1),
        ("# %% wrong: a\n# says:\n\ndef double(x): ...\n", "`says` is empty", 2),
        ("# %% wrong: a\n# says: b\n# says: c\ndef double(x): ...\n", "`says` occurs twice", 2),
        ("# %% right: a\n# why: b\n# self-check: c\ndef double(x): ...\n", "`self-check` has no meaning here", 3),
        ("# %% wrong: a\n# a comment\ndef double(x): ...\n", "belongs to no field", 2),
        ("# %% wrong: Not A Name\n# says: b\ndef double(x): ...\n", "not a name", 1),
        ("# %% wrong:\n# says: b\ndef double(x): ...\n", "not a name", 1),
        ("# %% wrong: a\n# says: b\n\ndef double(x):\n    return (\n", "does not parse", 5),
        ("# %% wrong: a\n# says: b\ndef duoble(x): ...\n", "does not define double", 1),
    ],
)
def test_malformed_things_are_named_with_their_line(read, text, what, line):
    with pytest.raises(GraderError) as caught:
        read(text)
    assert what in caught.value.what
    assert caught.value.where.endswith(f"double.py:{line}")
    assert caught.value.fix


def test_a_name_may_not_occur_twice_even_with_another_kind(read):
    with pytest.raises(GraderError, match="the name by_adding occurs twice") as caught:
        read(GOOD + "\n# %% wrong: by_adding\n# says: no\ndef double(x): ...\n")
    assert "line 13" in caught.value.fix


def test_a_change_may_not_be_recorded_twice(read):
    with pytest.raises(GraderError, match="recorded twice"):
        read(GOOD + "\n# %% equivalent\n# because: again\n# was: return 2*x\n# now: return x * 2\n")


def test_functions_that_an_answer_leaves_out_are_the_references(read):
    reference = "def double(x):\n    return 2 * x\n\n\ndef half(x):\n    return x / 2\n"
    (wrong,) = read(
        "# %% wrong: a\n# says: b\ndef half(x):\n    return x\n", "double", "half", reference=reference
    ).wrong
    names: dict = {}
    exec(wrong.source, names)
    assert (names["double"](3), names["half"](3)) == (6, 3)


def test_an_answer_with_all_functions_stands_alone(read):
    text = "# %% right: a\n# why: b\ndouble = lambda x: x + x\ndef half(x): ...\n"
    (right,) = read(text, "double", "half", reference="raise SystemExit").right
    assert "SystemExit" not in right.source


def test_a_file_that_is_not_text_is_named(tmp_path):
    Path(tmp_path / "x.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(GraderError, match="cannot be read"):
        read_catalogue(tmp_path / "x.py")


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("x=( 1+2 )", "x = 1 + 2"),
        ("if  (a and b) :", "if a and b:"),
        ("elif a==1:", "if a == 1:"),
        ("for i in range( 3 ):", "for i in range(3):"),
        ("except  ValueError:", "except ValueError:"),
        ('print("a")', "print('a')"),
        ("a=1 ;; while x:", "a = 1 ;; while x:"),
        ("no python at  all", "no python at all"),
    ],
)
def test_statements_are_compared_in_one_form(text, same):
    assert one_line(text) == one_line(same) == same
