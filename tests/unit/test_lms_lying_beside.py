"""What lies beside a submission whose place another attempt takes: it goes with the attempt that was there."""

import json
import os
import signal

import pytest
from test_lms_collect import attempts, make_zip, notebook, placed, rows
from test_lms_ended import end_at, in_a_process

from grader.core.notebook import read_notebook
from grader.lms.comparing import Comparing
from grader.lms.lying_beside import take_away
from grader.submissions import intake
from grader.submissions.choosing import Answers
from grader.submissions.intake import find_submission

NB = "09_doubling"
PLACE = f"ada/{NB}"
OLD, NEW, MAILED = (f"return {n} * x" for n in (2, 3, 4))


def download(course, path, day, data):
    return make_zip(path, [("Ada_1_assignsubmission_file_/nb.ipynb", data)], (2026, 11, day, 12, 0, 0))


@pytest.fixture
def there(course, run, tmp_path):
    """A function: collects an attempt, puts files beside it, and gives what a later download is placed with."""

    def there(files, new=None):
        assert run(download(course, tmp_path / "1.zip", 20, notebook(course, OLD)), assignment=NB).placed
        for name, data in files.items():
            path = course.local / "submitted" / PLACE / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(data)
        return download(course, tmp_path / "2.zip", 27, new or notebook(course, NEW))

    return there


def fewer(course):
    """A notebook in which an exercise is not answered."""
    nb = json.loads(notebook(course, NEW))
    nb["cells"] = [c for c in nb["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") != "double"]
    return json.dumps(nb).encode()


def packed(tmp_path, *files):
    return make_zip(tmp_path / "inner.zip", files).read_bytes()


FILES = {
    "by mail.ipynb": lambda course, tmp_path: notebook(course, MAILED),
    "work/corrected.ipynb": lambda course, tmp_path: notebook(course, MAILED),
    f"{NB}.py": lambda course, tmp_path: b"# %%\ndef double(x):\n    return 4 * x\n",
    "mine.zip": lambda course, tmp_path: packed(tmp_path, ("nb.ipynb", notebook(course, MAILED))),
    "zipped.ipynb": lambda course, tmp_path: packed(tmp_path, ("nb.ipynb", notebook(course, MAILED))),
}


@pytest.mark.parametrize("name", FILES)
def test_what_would_be_compared_with_a_later_attempt_is_kept_with_the_one_that_was_there(
    course, run, tmp_path, there, name
):
    """A correction by mail beside the release counted before the last upload, which was never marked."""
    data = FILES[name](course, tmp_path)
    second = there({name: data})
    first = run(second, assignment=NB)
    (one,), (look,) = first.placed, first.looks
    assert one.outcome == "later attempt"
    assert name in look.why
    assert look.why.endswith(", was put there by hand, and has other answers: double")
    assert placed(course) == {f"{PLACE}/{NB}.ipynb": notebook(course, NEW)}
    assert [p.name for p in (course.local / "submitted" / PLACE).iterdir()] == [f"{NB}.ipynb"]
    # Of the one that counts there is a copy, since the advice is to write over it.
    assert attempts(course) == sorted([notebook(course, OLD), notebook(course, NEW), data])
    (row,) = [row for row in rows(course.local / "collected.csv") if row["name"] == name]
    assert (row["state"], row["system"]) == ("earlier", "found")
    assert (course.local / row["file"]).read_bytes() == data
    (note,) = [note for note in one.notes if "lay beside" in note]
    assert row["file"] in note
    again = run(second, assignment=NB)
    assert [p.outcome for p in again.placed] == ["unchanged"]
    assert not again.looks


@pytest.mark.parametrize(
    ("name", "why"),
    [("by mail.ipynb", "answers 2"), ("mine.zip", "mine.zip/nb.ipynb, answers 2"), ("zipped.ipynb", "answers 2")],
)
def test_it_is_named_if_it_may_have_more_answers_than_the_later_attempt(course, run, tmp_path, there, name, why):
    second = there({name: FILES[name](course, tmp_path)}, fewer(course))
    looks = run(second, assignment=NB).looks
    assert [why in look.why for look in looks if name in look.why] == [True]


def test_what_is_no_notebook_of_the_assignment_stays(course, run, tmp_path, there):
    """A PDF may have the written answer, and marking names it."""
    files = {
        "answers.pdf": b"%PDF-1.4",
        "data.json": b"{}",
        "notes.txt": b"Ask about the date.",
        "helpers.py": b"import math\n",
        "pictures.zip": packed(tmp_path, ("a.png", b"\x89PNG"), ("readme.txt", b"Pictures.")),
        "other.ipynb": b'{"cells": []}',
    }
    second = there(files)
    result = run(second, assignment=NB)
    assert not result.looks
    assert not [note for note in result.placed[0].notes if "lay beside" in note]
    kept = {f"{PLACE}/{name}": data for name, data in files.items()}
    assert placed(course) == kept | {f"{PLACE}/{NB}.ipynb": notebook(course, NEW)}


def test_a_copy_that_jupyter_kept_goes_without_a_word(course, run, there):
    name = f".ipynb_checkpoints/{NB}-checkpoint.ipynb"
    result = run(there({name: notebook(course, OLD)}), assignment=NB)
    assert placed(course) == {f"{PLACE}/{NB}.ipynb": notebook(course, NEW)}
    assert attempts(course) == [notebook(course, OLD)]
    assert not result.looks
    assert not [note for note in result.placed[0].notes if "lay beside" in note]


def test_nothing_is_moved_while_the_same_attempt_counts(course, run, tmp_path, there):
    files = {name: make(course, tmp_path) for name, make in FILES.items()}
    there(files)
    before = placed(course)
    for day in (20, 25):
        run(download(course, tmp_path / "again.zip", day, notebook(course, OLD)), assignment=NB)
        assert placed(course) == before
    run(download(course, tmp_path / "older.zip", 10, notebook(course, "return 9")), assignment=NB)
    assert placed(course) == before


@pytest.mark.parametrize("name", FILES)
def test_what_was_moved_by_a_run_that_was_killed_is_put_back(course, run, tmp_path, there, monkeypatch, name):
    data = FILES[name](course, tmp_path)
    second, first = there({name: data}), tmp_path / "1.zip"
    before = placed(course)
    with monkeypatch.context() as patch:
        end_at("ada", lambda: os.kill(os.getpid(), signal.SIGKILL), patch)
        assert in_a_process(lambda: run(second, assignment=NB)) == signal.SIGKILL
    run(first, assignment=NB)
    assert placed(course) == before
    run(second, assignment=NB)
    assert placed(course) == {f"{PLACE}/{NB}.ipynb": notebook(course, NEW)}
    assert data in attempts(course)


def test_a_folder_with_something_else_in_it_stays(tmp_path):
    for name in ("nb.ipynb", "data.csv"):
        (tmp_path / "work").mkdir(exist_ok=True)
        (tmp_path / "work" / name).touch()
    take_away(tmp_path / "work" / "nb.ipynb", tmp_path)
    assert [p.name for p in (tmp_path / "work").iterdir()] == ["data.csv"]


SCRIPT = b"# %%\ndef double(x):\n    return 4 * x\n"


@pytest.fixture
def in_its_place(course, run, tmp_path):
    """A function: hand in one form, put the other beside it, and give the download of a later attempt in that."""

    def in_its_place(form):
        forms = {"ipynb": notebook(course, OLD), "py": SCRIPT.replace(b"4", b"2")}
        first, mailed = ("py", notebook(course, MAILED)) if form == "ipynb" else ("ipynb", SCRIPT)
        folder = "Ada_1_assignsubmission_file_"
        make_zip(tmp_path / "1.zip", [(f"{folder}/nb.{first}", forms[first])], (2026, 11, 20, 12, 0, 0))
        assert run(tmp_path / "1.zip", assignment=NB).placed
        (course.local / "submitted" / PLACE / f"{NB}.{form}").write_bytes(mailed)
        later = notebook(course, NEW) if form == "ipynb" else SCRIPT.replace(b"4", b"3")
        make_zip(tmp_path / "2.zip", [(f"{folder}/nb.{form}", later)], (2026, 11, 27, 12, 0, 0))
        return mailed, later

    return in_its_place


@pytest.mark.parametrize("form", ["ipynb", "py"])
def test_what_lies_where_the_later_attempt_comes_is_kept_as_well(course, run, tmp_path, in_its_place, form):
    """A correction under the assignment's own name, beside a script that was handed in, was written over."""
    mailed, later = in_its_place(form)
    result = run(tmp_path / "2.zip", assignment=NB)
    assert placed(course) == {f"{PLACE}/{NB}.{form}": later}
    assert mailed in attempts(course)
    (row,) = [row for row in rows(course.local / "collected.csv") if row["system"] == "found"]
    assert (course.local / row["file"]).read_bytes() == mailed
    assert [row["file"] in note for note in result.placed[0].notes if "lay beside" in note] == [True]
    (look,) = [look for look in result.looks if row["file"] in look.fix]
    assert "09_doubling" in look.why


@pytest.mark.parametrize("name", [NB, f"{NB}.ipynb", f"{NB}.txt"])
def test_what_somebody_put_there_before_anything_was_collected_is_kept(course, run, tmp_path, name):
    path = course.local / "submitted" / PLACE / name
    path.parent.mkdir(parents=True)
    path.write_bytes(SCRIPT)
    (course.local / "students.csv").write_text("student,system,number,name\nada,moodle,1,Ada\n")
    files = [(f"Ada_1_assignsubmission_file_/{NB}{path.suffix}", SCRIPT.replace(b"4", b"3"))]
    (one,) = run(make_zip(tmp_path / "1.zip", files, (2026, 11, 20, 12, 0, 0)), assignment=NB).placed
    assert one.outcome == "later attempt"
    assert attempts(course) == [SCRIPT]


@pytest.mark.parametrize("form", ["ipynb", "py"])
def test_what_lay_there_is_put_back_after_a_run_that_was_killed(course, run, tmp_path, in_its_place, monkeypatch, form):
    mailed, later = in_its_place(form)
    before = placed(course)
    with monkeypatch.context() as patch:
        end_at("ada", lambda: os.kill(os.getpid(), signal.SIGKILL), patch)
        assert in_a_process(lambda: run(tmp_path / "2.zip", assignment=NB)) == signal.SIGKILL
    assert placed(course) != before
    run(tmp_path / "1.zip", assignment=NB)
    assert placed(course) == before
    run(tmp_path / "2.zip", assignment=NB)
    assert placed(course) == {f"{PLACE}/{NB}.{form}": later}
    assert mailed in attempts(course)


def test_what_a_killed_run_had_half_written_is_nobodys_file(course, run, tmp_path, there, monkeypatch):
    """It lay beside the notebook, and marking told the student to hand in only one of the two."""
    second = there({})
    part = course.local / "submitted" / PLACE / f".{NB}.ipynb.part"
    replace = os.replace

    def killed(source, target):
        if str(source) == str(part):
            os.kill(os.getpid(), signal.SIGKILL)
        return replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", killed)
        assert in_a_process(lambda: run(second, assignment=NB)) == signal.SIGKILL
    assert part.exists()
    found = find_submission(
        part.parent, NB, read_notebook(course.source(NB)), lambda data, name: Answers({"double": str(data)}, 2)
    )
    assert found.path.name == f"{NB}.ipynb"
    assert not found.findings
    run(tmp_path / "1.zip", assignment=NB)
    assert not part.exists()


def test_of_many_archives_few_are_opened_and_the_others_are_named(course, run, tmp_path, there, monkeypatch):
    """Each of them cost seconds of the process that collects."""
    opened = []
    real = intake.open_packed
    monkeypatch.setattr(intake, "open_packed", lambda data, *rest: opened.append(data) or real(data, *rest))
    many = {f"{n}.zip": packed(tmp_path, (f"{n}.ipynb", notebook(course, f"return {n}"))) for n in range(20)}
    pictures = {f"p{n}.zip": packed(tmp_path, (f"{n}.png", b"\x89PNG")) for n in range(20)}
    second = there(many | pictures)
    for name in pictures:
        os.utime(course.local / "submitted" / PLACE / name, (1, 1))
    looks = run(second, assignment=NB).looks
    assert len(opened) == intake.MAX_ARCHIVES
    assert {path.split("/")[-1] for path in placed(course)} == {f"{NB}.ipynb", *pictures}
    assert all(data in attempts(course) for data in many.values())
    assert len([look for look in looks if "nobody counted the answers in" in look.why]) == 20 - intake.MAX_ARCHIVES


def test_archives_take_their_room_together(course, run, tmp_path, there, monkeypatch):
    monkeypatch.setattr(intake, "MAX_UNPACKED", 300_000)
    big = {
        f"{n}.zip": packed(tmp_path, ("nb.ipynb", notebook(course, f"return {n}") + b" " * 200_000)) for n in range(2)
    }
    looks = run(there(big), assignment=NB).looks
    assert list(placed(course)) == [f"{PLACE}/{NB}.ipynb"]
    assert sorted("nobody counted" in look.why for look in looks) == [False, True]


def complete(course, answer=NEW):
    nb = json.loads(notebook(course, answer))
    for cell in nb["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "written_why":
            cell["source"] = "It is twice as much, as it is added to itself."
    return json.dumps(nb).encode()


def test_a_large_file_beside_is_compared_without_its_outputs(course, run, there, monkeypatch):
    """With its outputs nobody could count its answers, and nobody was told."""
    nb = json.loads(complete(course))
    code = next(c for c in nb["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") == "double")
    code["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "x" * intake.MAX_BYTES}]
    looks = run(there({"by mail.ipynb": json.dumps(nb).encode()}, fewer(course)), assignment=NB).looks
    assert [look.why.endswith("answers 2") for look in looks if "by mail.ipynb" in look.why] == [True]


def test_an_attempt_whose_answers_nobody_can_count_is_named_beside_one_that_is_not_complete(
    course, run, there, monkeypatch
):
    real = Comparing._found
    monkeypatch.setattr(
        Comparing, "_found", lambda self, a, name, *rest: None if "mail" in name else real(self, a, name, *rest)
    )
    looks = run(there({"by mail.ipynb": notebook(course, MAILED)}, fewer(course)), assignment=NB).looks
    told = "nobody counted the answers in the earlier one, \u201cby mail.ipynb\u201d"
    assert [told in look.why for look in looks if "mail" in look.why] == [True]


def test_a_file_beside_that_is_known_already_is_named_where_it_is(course, run, there):
    """The file that was collected was renamed by hand: its row said nowhere where it is from then on."""
    second, folder = there({}), course.local / "submitted" / PLACE
    (folder / f"{NB}.ipynb").rename(folder / "old.ipynb")
    (folder / f"{NB}.ipynb").write_bytes(notebook(course, MAILED))
    (one,) = run(second, assignment=NB).placed
    (row,) = [row for row in rows(course.local / "collected.csv") if row["source"] == "1.zip"]
    assert (course.local / row["file"]).read_bytes() == notebook(course, OLD)
    assert [row["file"] in note for note in one.notes if "lay beside" in note] == [True]
    assert all(row["file"] for row in rows(course.local / "collected.csv"))


@pytest.mark.parametrize("where", ["beside", "place"])
def test_what_was_put_there_by_hand_is_named_once_if_an_attempt_with_other_answers_takes_its_place(
    course, run, there, where
):
    """The correction counted until an older attempt was collected, and the marks went from 3 to 0."""
    second = there(
        {"by mail.ipynb" if where == "beside" else f"{NB}.ipynb": complete(course, MAILED)}, complete(course)
    )
    (look,) = run(second, assignment=NB).looks
    shown = f"{NB}.ipynb" if where == "place" else "\u201cby mail.ipynb\u201d"
    assert look.why.endswith(f"the earlier one, {shown}, was put there by hand, and has other answers: double")
    assert not run(second, assignment=NB).looks


@pytest.mark.parametrize("name", ["by mail.ipynb", "mine.zip", f"{NB}.ipynb"])
@pytest.mark.parametrize("answer", [OLD, NEW])
def test_whoever_put_there_what_was_handed_in_is_told_nothing(course, run, tmp_path, there, name, answer):
    """Somebody ran and saved the attempt that was there, or the one that comes now."""
    same = json.loads(notebook(course, answer))
    same["metadata"]["saved"] = "again"
    data = json.dumps(same).encode()
    second = there({name: packed(tmp_path, ("nb.ipynb", data)) if name == "mine.zip" else data})
    looks = run(second, assignment=NB).looks
    assert len(looks) == (name == f"{NB}.ipynb" and answer == OLD)  # which counts no more, as what came by mail


def test_of_a_folder_that_the_exchange_filled_no_other_answer_is_named(course, run, tmp_path):
    """Each student of such a class has the attempts of the weeks in the folder."""
    for who in ("ada", "bob"):
        folder = course.local / "submitted" / who / NB
        folder.mkdir(parents=True)
        (folder / f"{NB}.ipynb").write_bytes(notebook(course, OLD))
        (folder / "draft.ipynb").write_bytes(notebook(course, MAILED))
        (folder / "all.zip").write_bytes(packed(tmp_path, ("nb.ipynb", notebook(course, MAILED))))
        (tmp_path / "in" / who / NB).mkdir(parents=True)
        (tmp_path / "in" / who / NB / f"{NB}.ipynb").write_bytes(notebook(course, NEW))
    result = run(tmp_path / "in", assignment=NB)
    assert [one.outcome for one in result.placed] == ["later attempt"] * 2
    assert not result.looks


@pytest.mark.parametrize("name", [f"{NB}.ipynb", "by mail.ipynb", "work/nb.ipynb", "mine.zip"])
def test_a_newcomer_does_not_get_the_id_of_whoever_has_a_file_there(course, run, tmp_path, name):
    """Marking took that file, and gave its marks to the newcomer."""
    path = course.local / "submitted" / PLACE / name
    path.parent.mkdir(parents=True)
    data = complete(course)
    path.write_bytes(packed(tmp_path, ("nb.ipynb", data)) if name == "mine.zip" else data)
    before = placed(course)
    result = run(download(course, tmp_path / "1.zip", 20, notebook(course, OLD)), assignment=NB)
    assert not result.placed
    assert len(result.unplaced) == 1
    assert placed(course) == before


@pytest.mark.parametrize("name", ["timestamp.txt", "left_aside.list", f".{NB}.ipynb.part", "answers.pdf", ".DS_Store"])
def test_what_is_nobodys_work_keeps_no_newcomer_out(course, run, tmp_path, name):
    path = course.local / "submitted" / PLACE / name
    path.parent.mkdir(parents=True)
    path.write_bytes(b"2026-11-20 10:00:00 UTC")
    assert run(download(course, tmp_path / "1.zip", 20, notebook(course, OLD)), assignment=NB).placed
