"""The sample class: read, made into submissions, graded, explained."""

import pytest

import grader.demo as demo
from grader.authoring.release import release
from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook

NB = "09_doubling"
CLASS = """
[code]
endless = '''
def double(x):
    while True:
        pass
'''

[[student]]
name = "perfect"
about = "all right"
start = "solved"
expected = { 09_doubling = 3 }

[[student]]
name = "untouched"
about = "nothing"
start = "untouched"
expected = { 09_doubling = 0 }

[[student]]
name = "squarer"
about = "a typical mistake"
start = "solved"
answers = { double = "wrong:squares" }
expected = { 09_doubling = 0 }

[[student]]
name = "adder"
about = "another right way, through Colab"
start = "solved"
answers = { double = "right:adds" }
handling = "colab"
expected = { 09_doubling = 3 }

[[student]]
name = "noisy"
about = "a log line at each call"
start = "solved"
handling = "noise"
expected = { 09_doubling = 3 }
"""


def read(tmp_path, text=CLASS):
    (tmp_path / "class.toml").write_text(text)
    return demo.read_sample_class(tmp_path / "class.toml")


def answer_of(nb):
    return next(c.source for c in nb.cells if kind_of(c) is CellKind.ANSWER)


def test_submissions_are_what_their_entries_say(executed, tmp_path):
    release(executed, [NB])
    students, code = read(tmp_path)
    made = {s.name: demo.make_submission(executed, s, NB, code) for s in students}
    assert "return given_two * x" in answer_of(made["perfect"])
    assert "not written yet" in answer_of(made["untouched"])
    assert "x * x" in answer_of(made["squarer"])
    assert "x + x" in answer_of(made["adder"])
    assert made["adder"].nbformat_minor == 0
    assert "logging.warning" in answer_of(made["noisy"])
    for nb in made.values():
        assert [grade_id(c) for c in nb.cells if kind_of(c) is CellKind.TEST] == [
            "test_double_value",
            "test_double_text",
        ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('handling = "noise"', 'handling = "noize"', "unknown handling 'noize'"),
        ('about = "nothing"', 'abuot = "nothing"', "'untouched'.*abuot"),
    ],
)
def test_a_wrong_entry_is_named(tmp_path, old, new, message):
    with pytest.raises(GraderError, match=message):
        read(tmp_path, CLASS.replace(old, new))


def test_an_answer_that_does_not_exist_is_named(executed, tmp_path):
    release(executed, [NB])
    students, code = read(tmp_path, CLASS.replace("wrong:squares", "wrong:cubes"))
    with pytest.raises(GraderError, match=r"wrong:cubes.*double") as caught:
        demo.make_submission(executed, students[2], NB, code)
    assert "wrong:squares" in str(caught.value)


@pytest.fixture
def graded(executed, tmp_path, monkeypatch):
    release(executed, [NB])
    students, code = read(tmp_path)
    monkeypatch.setattr(demo, "read_sample_class", lambda path: (students, code))
    lines = []
    marks = demo.run_demo(executed, tmp_path / "demo", [NB], lines.append)
    return executed, students, marks, lines, tmp_path / "demo"


@pytest.mark.slow
def test_a_class_is_graded_as_expected(graded):
    _course, students, marks, lines, folder = graded
    assert {m.student: m.points for m in marks} == {s.name: s.expected[NB] for s in students}
    assert demo.surprises(marks) == []
    assert all(m.by_hand == (0 if m.student == "untouched" else 2) for m in marks)
    squarer = next(m for m in marks if m.student == "squarer")
    assert [name for name, _, _ in squarer.lost] == ["test_double_value", "test_double_text"]
    assert squarer.lost[0][2] == "it is not doubled for negative numbers"
    table = demo.format_marks(marks, students)
    assert "squarer, 09: -2 test_double_value: it is not doubled for negative numbers" in table
    assert "untouched, 09: nothing written yet" in table
    assert "8 points of written answers wait" in table
    progress = [line for line in lines if line.startswith("[")]
    pages = [line for line in progress if "written, " in line]
    marking = [line for line in progress if line not in pages]
    names = sorted(s.name for s in students)
    assert sorted(line.split()[1] for line in marking) == names
    assert sorted(line.split()[1] for line in pages) == names
    assert any("perfect" in line and "3 of 3" in line for line in marking)
    csv = (folder / "marks.csv").read_text().splitlines()
    assert len(csv) == 6
    assert (folder / "feedback/squarer" / NB / f"{NB}.html").exists()
    assert "fewer than 10" in (folder / "report.html").read_text()  # five are too few for statistics
    noisy = read_notebook(folder / "autograded/noisy" / NB / f"{NB}.ipynb")
    assert all(c.outputs == [] for c in noisy.cells if kind_of(c) is CellKind.TEST)
    shown = next(c for c in noisy.cells if c.source.startswith("shown ="))
    assert shown.outputs == []  # the demonstration was skipped


def test_a_mark_that_is_not_the_expected_one_is_told():
    mark = demo.Mark("a", NB, 2, 3, 0, 3, [], 1.0)
    assert demo.surprises([mark]) == ["a, 09_doubling: 2 points, expected 3"]
