"""What lies beside a submission whose place another attempt takes: it goes with the attempt that was there."""

import json
import os
import signal

import pytest
from test_lms_collect import attempts, make_zip, notebook, placed, rows
from test_lms_ended import end_at, in_a_process

from grader.lms.lying_beside import take_away

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
    (one,) = run(second, assignment=NB).placed
    assert one.outcome == "later attempt"
    assert placed(course) == {f"{PLACE}/{NB}.ipynb": notebook(course, NEW)}
    assert [p.name for p in (course.local / "submitted" / PLACE).iterdir()] == [f"{NB}.ipynb"]
    assert attempts(course) == sorted([notebook(course, OLD), data])
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
    [("by mail.ipynb", "answers 2"), ("mine.zip", "nobody counted the answers"), ("zipped.ipynb", "nobody counted")],
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
