"""Collecting several files of one student: the one with the most answers counts, and what else has some is named."""

import gzip
import json
import os

import pytest
from test_lms_collect import MOODLE_HEADER, aside, attempts, make_zip, placed

from grader.cli import main
from grader.core.nbgrader_api import course_config
from grader.core.notebook import read_notebook
from grader.engine import handed
from grader.engine.kit import Kit
from grader.lms.collected import summary
from grader.submissions import choosing
from grader.submissions.pristine import pristine

NAME = "09_doubling"
PLACE = f"{NAME}/{NAME}.ipynb"
S = "_assignsubmission_file_"


@pytest.fixture
def work(course):
    """Writes the release with some answers."""
    release = pristine(read_notebook(course.source(NAME)), course_config(course))

    def work(**answers):
        nb = json.loads(json.dumps(release))
        for cell in nb["cells"]:
            name = cell["metadata"].get("nbgrader", {}).get("grade_id")
            cell["source"] = answers.pop(name, cell["source"])
        assert not answers
        return json.dumps(nb).encode()

    return work


DOUBLE, OTHER, WHY = "def double(x):\n    return 2 * x", "def double(x):\n    return x + x", "It is twice as much."


def moodle(path, *files, student="Ada_1", day=20):
    return make_zip(path, [(f"{student}{S}/{name}", data) for name, data in files], (2026, 11, day, 12, 0, 0))


@pytest.mark.parametrize(
    ("answered", "release"),
    [
        ("nb.ipynb", "nb (1).ipynb"),
        ("nb (1).ipynb", "nb.ipynb"),
        ("Copy of nb.ipynb", "nb.ipynb"),
        ("nb.ipynb", "Copy of nb.ipynb"),
        ("nb_solved.ipynb", "sub/nb.ipynb"),
        ("nb.py", "nb.ipynb"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_of_one_upload_the_answered_file_counts_and_not_the_release(
    course, run, work, tmp_path, answered, release, first
):
    data, fresh = work(double=DOUBLE), work()
    files = [(answered, data), (release, fresh)]
    result = run(moodle(tmp_path / "a.zip", *(files if first else files[::-1])))
    assert list(placed(course).values()) == [data]
    assert attempts(course) == [fresh]
    assert not result.looks


def test_in_canvas_the_last_file_counts_only_among_equals(course, run, work, tmp_path):
    files = [
        ("lovelaceada_5501_712345_nb.ipynb", work(double=DOUBLE)),
        ("lovelaceada_5501_712346_nb (1).ipynb", work()),
        ("youngcy_5503_712361_nb.ipynb", work(double=DOUBLE)),
        ("youngcy_5503_712362_nb-1.ipynb", work(double=OTHER)),
    ]
    result = run(make_zip(tmp_path / "submissions.zip", files))
    assert placed(course) == {f"lovelaceada/{PLACE}": files[0][1], f"youngcy/{PLACE}": files[3][1]}
    (look,) = result.looks  # nobody but the student knows which of the two equals is meant
    assert look.where == f"youngcy, {NAME}"
    assert look.why == "nb-1.ipynb counts; nb.ipynb answers as many exercises, and some in another way: double"
    notes = {p.student: " ".join(p.notes) for p in result.placed}
    assert (
        "nb.ipynb is taken, which answers 1 of 2 exercises, \u201cnb (1).ipynb\u201d is kept aside"
        in notes["lovelaceada"]
    )
    assert notes["youngcy"] == "nb-1.ipynb is taken, nb.ipynb is kept aside"


@pytest.mark.parametrize("newest", ["half", "full"])
def test_in_a_folder_the_complete_file_counts_before_the_newer_half_done_one(course, run, work, tmp_path, newest):
    files = {"half": work(double=DOUBLE), "full": work(double=DOUBLE, written_why=WHY)}
    (tmp_path / "in" / "ada").mkdir(parents=True)
    for name, data in files.items():
        path = tmp_path / "in" / "ada" / f"{name}.ipynb"
        path.write_bytes(data)
        os.utime(path, (1.7e9 if name == newest else 1.6e9,) * 2)
    result = run(tmp_path / "in")
    assert placed(course) == {f"ada/{PLACE}": files["full"]}
    assert not result.looks


def test_answers_that_only_a_file_kept_aside_has_are_named_and_the_command_says_so(course, run, work, tmp_path, capsys):
    one, two = work(double=DOUBLE), work(written_why=WHY)
    path = moodle(tmp_path / "a.zip", ("a.ipynb", one), ("b.ipynb", two))
    assert main(["--course", str(course.root), "collect", str(path)]) == 1
    said = capsys.readouterr().out
    assert "1 file kept aside to look at, with answers that may not be marked:\n  ada, 09_doubling: " in said
    (kept,) = aside(course)
    assert f"copy attempts/ada/{NAME}/{kept.name} to submitted/ada/{PLACE}" in said
    (look,) = run(path).looks  # until somebody has settled it
    names = ("a.ipynb", "b.ipynb") if list(placed(course).values()) == [one] else ("b.ipynb", "a.ipynb")
    assert look.why.startswith(f"{names[0]} counts, which answers 1 of 2 exercises; {names[1]}, which is kept aside, ")
    assert look.why.endswith("does not: " + ("written_why" if names[0] == "a.ipynb" else "double"))


def test_two_complete_files_that_differ_are_named_and_the_command_says_so(course, run, work, tmp_path, capsys):
    """A draft beside the final one: names and times decide, and the student may have meant the other."""
    draft, final = work(double=OTHER, written_why=WHY), work(double=DOUBLE, written_why=WHY)
    path = moodle(tmp_path / "a.zip", ("02.ipynb", draft), ("02_final.ipynb", final))
    assert main(["--course", str(course.root), "collect", str(path)]) == 1
    said = capsys.readouterr().out
    assert "02.ipynb counts; 02_final.ipynb answers as many exercises, and some in another way: double" in said
    (kept,) = aside(course)
    assert kept.read_bytes() == final
    assert f"copy attempts/ada/{NAME}/{kept.name} to submitted/ada/{PLACE}" in said


def test_another_answer_in_the_last_file_of_an_upload_is_named_if_a_fuller_one_counts(course, run, work, tmp_path):
    files = [
        ("ada_5501_712345_a.ipynb", work(double=DOUBLE, written_why=WHY)),
        ("ada_5501_712346_b.ipynb", work(double=OTHER)),
    ]
    (look,) = run(make_zip(tmp_path / "submissions.zip", files)).looks
    assert placed(course) == {f"ada/{PLACE}": files[0][1]}
    assert look.why.endswith("more exercises than b.ipynb, which has other answers to some of them: double")


def test_a_later_attempt_counts_but_the_untouched_release_is_named(course, run, work, tmp_path):
    data, fresh = work(double=DOUBLE), work()
    earlier = moodle(tmp_path / "1.zip", ("nb.ipynb", data), day=20)
    later = moodle(tmp_path / "2.zip", ("nb.ipynb", fresh), day=21)
    assert not run(earlier).looks
    result = run(later)
    assert placed(course) == {f"ada/{PLACE}": fresh}  # as the platform has it
    (look,) = result.looks
    what = "nb.ipynb counts, the later attempt, which answers 0 of 2 exercises"
    assert look.why == f"{what}; the earlier one, nb.ipynb, answers 1"
    assert "to have the other one count, copy attempts/ada" in look.fix
    assert look.why in summary(result)
    assert len(run(earlier).looks) == 1  # also when the earlier one comes again, or comes last


@pytest.mark.parametrize(
    ("days", "then"),
    [
        ((20, 27), ", and write 2026-11-20 10:00:00 UTC into timestamp.txt beside it"),
        ((None, 27), ", and delete timestamp.txt beside it, which is of the file that is there now"),
        ((None, None), ""),
    ],
)
def test_whoever_copies_an_attempt_to_its_place_is_told_its_time(run, work, tmp_path, days, then):
    """Late work had replaced it, and its time stayed beside the file that had come in time."""
    looks = []
    for n, day in enumerate(days):
        path = moodle(tmp_path / f"{n}.zip", ("nb.ipynb", work() if n else work(double=DOUBLE)), day=28 + n)
        row = f'Participant 1,Ada,,a@x,Submitted,,3,Yes,"{day} November 2026, 10:00 AM",-,\n'
        (tmp_path / f"{n}.csv").write_text(MOODLE_HEADER + row)
        looks = run(path, rosters=[tmp_path / f"{n}.csv"] if day else []).looks
    (look,) = looks
    assert look.fix.endswith(f" to submitted/ada/{PLACE}{then}")


@pytest.mark.parametrize(("last", "number"), [(WHY, 0), ("", 1)])
def test_of_several_downloads_at_once_what_counts_in_the_end_is_compared(course, run, work, tmp_path, last, number):
    """A line said of an attempt that counts, and advised to put the first one over the last one."""
    answers = [{"double": DOUBLE, "written_why": WHY}, {}, {"double": OTHER} | ({"written_why": last} if last else {})]
    paths = [moodle(tmp_path / f"{n}.zip", ("nb.ipynb", work(**a)), day=20 + n) for n, a in enumerate(answers)]
    looks = run(*paths).looks
    assert list(placed(course).values()) == [work(**answers[2])]
    assert len(looks) == number
    for look in looks:
        assert "counts, the later attempt, which answers 1 of 2 exercises" in look.why
        assert look.why.endswith("the earlier one, nb.ipynb, answers 2")
        kept = look.fix.split(" copy ")[1].split(" to ")[0]
        assert (course.local / kept).read_bytes() == work(**answers[0])


def test_whoever_follows_the_advice_loses_no_attempt(course, run, work, tmp_path):
    data, fresh = work(double=DOUBLE), work()
    run(moodle(tmp_path / "1.zip", ("nb.ipynb", data), day=20))
    assert len(run(moodle(tmp_path / "2.zip", ("nb.ipynb", fresh), day=21)).looks) == 1
    (course.local / "submitted/ada" / PLACE).write_bytes(data)
    assert attempts(course) == sorted([data, fresh])


@pytest.mark.parametrize("nothing", ["scratch", "page", "packed", "pointer"])
def test_a_later_attempt_that_holds_nothing_is_named(course, run, work, tmp_path, nothing):
    data = work(double=DOUBLE)
    cell = {"cell_type": "code", "source": "1", "metadata": {}, "outputs": [], "execution_count": None}
    what = {
        "scratch": json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode(),
        "page": b"<!doctype html><html><body>Please log in again</body></html>",
        "packed": gzip.compress(data),
        "pointer": b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n",
    }[nothing]
    run(moodle(tmp_path / "1.zip", ("nb.ipynb", data)))
    result = run(moodle(tmp_path / "2.zip", ("nb.ipynb", what), day=21), assignment=NAME)
    (look,) = result.looks
    assert "counts, the later attempt, which answers 0 of 2 exercises; the earlier one, nb.ipynb, answers 1" in look.why
    assert f"nb.ipynb holds nothing of {NAME}" in result.placed[0].notes
    assert not run(moodle(tmp_path / "3.zip", ("nb.ipynb", b"nothing either"), day=22), assignment=NAME).looks


def test_a_later_attempt_with_as_many_answers_or_more_is_no_reason_for_alarm(course, run, work, tmp_path):
    texts = ({}, {"double": DOUBLE}, {"double": OTHER}, {"double": OTHER, "written_why": WHY})
    for day, answers in enumerate(texts, 20):
        assert not run(moodle(tmp_path / f"{day}.zip", ("nb.ipynb", work(**answers)), day=day)).looks
    assert len(attempts(course)) == 3


@pytest.mark.parametrize("order", [1, -1])
def test_another_upload_with_as_many_other_answers_is_named_whichever_counts(course, run, work, tmp_path, order):
    """The second half was handed in from a fresh release, and the first half was lost."""
    halves = work(double=DOUBLE), work(written_why=WHY)
    days = (20, 21)[::order]
    paths = [moodle(tmp_path / f"{n}.zip", ("nb.ipynb", half), day=days[n]) for n, half in enumerate(halves)]
    assert not run(paths[0]).looks
    (look,) = run(paths[1]).looks
    assert list(placed(course).values()) == [halves[order > 0]]
    assert "counts, the later attempt, which answers 1 of 2 exercises; the earlier one, nb.ipynb, answers 1" in look.why
    assert look.why.endswith(f"some that the first does not: {'double' if order > 0 else 'written_why'}")
    (kept,) = aside(course)
    assert kept.name in look.fix


def test_of_one_file_nothing_is_counted(run, work, tmp_path, monkeypatch):
    monkeypatch.setattr(handed, "answered", None)  # would be called
    path = moodle(tmp_path / "a.zip", ("nb.ipynb", work(double=DOUBLE)), ("again.ipynb", work(double=DOUBLE)))
    assert not run(path).looks
    assert not run(path).looks


def test_a_file_that_nobody_can_count_costs_its_owner_a_look_and_nobody_else(course, run, work, tmp_path, monkeypatch):
    monkeypatch.setattr(handed, "READ_S", 0.5)  # less than anybody is given
    files = [(f"{who}{S}/{name}.ipynb", work(**({"double": DOUBLE} if name == "a" else {})))
             for who in ("Ada_1", "Bob_2") for name in ("a", "b")]  # fmt: skip
    result = run(make_zip(tmp_path / "a.zip", [*files[:2], files[2]]))
    assert [p.student for p in result.placed] == ["ada", "bob"]
    (look,) = result.looks
    assert look.where == f"ada, {NAME}"
    assert "the answers in other files could not be counted" in look.why


def test_of_many_files_few_are_counted(run, work, tmp_path, monkeypatch):
    asked = []
    real = handed.answered
    monkeypatch.setattr(handed, "answered", lambda kit, name, *rest: asked.append(name) or real(kit, name, *rest))
    files = [
        (f"{n}.ipynb", work(double=f"def double(x):\n    return {n} * x")) for n in range(choosing.MAX_COUNTED + 4)
    ]
    same, look = run(moodle(tmp_path / "a.zip", *files)).looks
    assert same.why.endswith(f"in another way: double (and {choosing.MAX_COUNTED - 2} more such files)")
    assert len(asked) == choosing.MAX_COUNTED
    assert "could not be counted: " in look.why


def with_cells(data, *texts):
    """The same notebook with cells of the student's own in front of the answers."""
    nb = json.loads(data)
    place = next(n for n, c in enumerate(nb["cells"]) if c["metadata"].get("nbgrader", {}).get("grade_id"))
    own = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None}
    nb["cells"][place:place] = [{**own, "source": text, "id": f"own{n}"} for n, text in enumerate(texts)]
    return json.dumps(nb).encode()


@pytest.mark.parametrize(
    ("draft", "final", "differs"),
    [
        ("def times(x):\n    return x", "def times(x):\n    return 2 * x", True),
        ("def deep(x):\n    return x\ndef times(x):\n    return deep(x)",
         "def deep(x):\n    return 2 * x\ndef times(x):\n    return deep(x)", True),
        ("def times(x):\n    return 2 * x", "# A remark.\ndef times(x):\n    return 2 * x", False),
        ("def times(x):\n    return 2 * x\nx = 1", "def times(x):\n    return 2 * x\nx = 2", False),  # nobody reads it
    ],
)  # fmt: skip
def test_two_files_that_differ_in_a_helper_alone_need_a_look(course, run, work, tmp_path, draft, final, differs):
    """The answers' own cells are the same in both: the draft counted, and nobody was told."""
    data = work(double="def double(x):\n    return times(x)")
    files = ("nb.ipynb", with_cells(data, draft)), ("nb_final.ipynb", with_cells(data, final))
    result = run(moodle(tmp_path / "a.zip", *files))
    assert ["in another way: double" in look.why for look in result.looks] == [True] * differs


@pytest.fixture
def kit(course):
    """That of the assignment."""
    return Kit.read(course.source(NAME), course_config(course))


@pytest.mark.parametrize(
    "helper",
    [
        ("TABLE = {}", "TABLE['by'] = 2", "TABLE['by'] = 1"),
        ("TABLE = {}", "TABLE.update(by=2)", "TABLE.update(by=1)"),
        ("TABLE = {}", "for n in (2,):\n    TABLE['by'] = n", "for n in (1,):\n    TABLE['by'] = n"),
        ("TABLE = {}\nalias = TABLE", "alias['by'] = 2", "alias['by'] = 1"),
        ("class TABLE:\n    by = 0", "TABLE.by = 2", "TABLE.by = 1"),
        ("TABLE = {}\ndef fill(n):\n    TABLE['by'] = n", "fill(2)", "fill(1)"),
        ("def set_by():\n    global TABLE\n    TABLE = 2", "set_by()", ""),
        ("TABLE = 1", "TABLE = TABLE * 2\nTABLE = TABLE * 1", "TABLE = TABLE * 1\nTABLE = TABLE * 1"),
        ("TABLE = 1", "exec('TABLE = 2')", "exec('TABLE = 1')"),
        ("", "from cmath import *", "from math import *"),
        ("", "double.__defaults__ = (2,)", "double.__defaults__ = (1,)"),
        ("", "math.floor = round", "math.floor = int"),
        ("", "sum = max", "sum = min"),  # a builtin
        ("TABLE = " + "+".join(["1"] * 900), "TABLE += 2", "TABLE += 1"),  # too deep for whoever reads names
    ],
)
def test_what_changes_a_helper_without_binding_it_makes_another_answer(kit, work, helper):
    """What fills a table was overlooked, so a mended file was taken for one that had come before."""
    data = work(double="def double(x, n=1):\n    return sum([math.floor(x) * TABLE['by']])")
    common, one, other = helper
    first, second = (kit.answered(with_cells(data, common, text), "nb.ipynb") for text in (one, other))
    assert first.changed(second) == ["double"]


@pytest.mark.parametrize(
    "own",
    [
        "ok = True\nprint(f\"{'\U0001f469\u200d\U0001f4bb done' if ok else 'not yet'}\")",
        "names = ['a']\nline = f\"{'\u3000'.join(names)}\"",
        f"number = 0x{'f' * 5000}",
        f"total = 1{' + 1' * 900}",
    ],
)
def test_answers_are_counted_beside_code_that_cannot_be_written_down_again(kit, work, own):
    data = work(double=f"{own}\n\n\n{DOUBLE}")
    assert (
        len(kit.answered(with_cells(data, own), "nb.ipynb")) == len(kit.answered(work(double=DOUBLE), "nb.ipynb")) == 1
    )


@pytest.mark.parametrize(
    "more",
    [
        "print(TABLE['by'])",
        "TABLE",
        "double(3)\nprint(double(3))",
        "y = math.floor(2.5)\ny.real",
        "x = 3\nx",  # the answer has an x of its own
        "import math",
        "def unused():\n    other = 1\n    return other",
        "# TABLE['by'] = 3\n'TABLE'",
    ],
)
def test_what_only_looks_at_answers_and_helpers_makes_no_other_answer(kit, work, more):
    data = work(double="def double(x):\n    return math.floor(x) * TABLE['by']")
    one, other = (kit.answered(with_cells(data, "TABLE = {'by': 2}", *texts), "nb.ipynb") for texts in ((), (more,)))
    assert one == other
    assert len(one) == 1


DEEP = "    t = " + "+".join(["n"] * 900)


@pytest.mark.parametrize(
    ("answer", "one", "other"),
    [
        ("return helper(x)", f"def helper(n):\n{DEEP}\n    return t + 1", f"def helper(n):\n{DEEP}\n    return t + 2"),
        ("return " + "+".join(["x"] * 900), "double.__defaults__ = (1,)", "double.__defaults__ = (2,)"),
        (
            "return helper(x)",
            f"# a\x0c\ndef helper(n):\n    return 0x{'f' * 5000}",
            f"# a\x0c\ndef helper(n):\n    return 0x{'e' * 5000}",
        ),
    ],
)
def test_a_helper_that_python_cannot_read_to_its_depth_makes_another_answer(kit, work, answer, one, other):
    data = work(double=f"def double(x):\n    {answer}")
    first, second = (kit.answered(with_cells(data, text), "nb.ipynb") for text in (one, other))
    assert first.changed(second) == ["double"]


def test_another_picture_in_a_written_answer_makes_another_answer(kit, work):
    def with_picture(content):
        nb = json.loads(work(written_why="See ![my drawing](attachment:image.png)"))
        (cell,) = (c for c in nb["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == "written_why")
        cell["attachments"] = {"image.png": {"image/png": content}}
        return kit.answered(json.dumps(nb).encode(), "nb.ipynb")

    assert with_picture("iVBORw0KGgo=") == with_picture("iVBORw0KGgo=\n")
    assert with_picture("iVBORw0KGgo=").changed(with_picture("iVBORw0KGgoAAAA=")) == ["written_why"]


@pytest.mark.parametrize(
    ("own", "answer", "differs"),
    [
        # The release imports `math`.
        ("import math\nprint(math.pi)", "def double(x):\n    return 2 * math.floor(x)", False),
        ("import os, math\ngiven_two = 2", "def double(x):\n    return 2 * math.floor(x)", False),
        ("", "def double(x):\n    # A remark.\n\n    return (2 * math.floor(x))  ", False),
        ("math = None", "def double(x):\n    return 2 * math.floor(x)", True),
        ("import cmath as math", "def double(x):\n    return 2 * math.floor(x)", True),
        ("", "def double(x):\n    return 3 * math.floor(x)", True),
    ],
)
def test_what_the_release_binds_alike_and_remarks_make_no_other_answer(run, work, tmp_path, own, answer, differs):
    """A complete notebook beside its own script, where set-up cells are joined, was said to differ everywhere."""
    other = with_cells(work(double=answer), own)
    plain = work(double="def double(x):\n    return 2 * math.floor(x)")
    result = run(moodle(tmp_path / "a.zip", ("nb.ipynb", plain), ("nb (1).ipynb", other)))
    assert ["in another way: double" in look.why for look in result.looks] == [True] * differs
