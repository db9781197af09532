"""What counts until an upload comes, in whatever form: an archive in the place, a file by hand, one beside a known."""

import json
import os

import pytest
from test_lms_collect import attempts, make_zip, notebook, placed
from test_lms_lying_beside import MAILED, NB, NEW, OLD, PLACE, download, packed

from grader.lms.lying_beside import held_in

FOLDER = "Ada_1_assignsubmission_file_"
WHY, BY_HAND = "written_why", "was put there by hand, and has other answers: double"


def put(course, name, data):
    """Put a file into the place of what counts."""
    folder = course.local / "submitted" / PLACE
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.iterdir():
        path.unlink()
    (folder / name).write_bytes(data)


def without(course, exercise, answer=OLD):
    """A notebook in which the other exercise alone is answered."""
    nb = json.loads(notebook(course, answer))
    nb["cells"] = [c for c in nb["cells"] if c["metadata"].get("nbgrader", {}).get("grade_id") != exercise]
    return json.dumps(nb).encode()


@pytest.mark.parametrize("name", [f"{NB}.zip", f"{NB}.ipynb"])
@pytest.mark.parametrize(("less", "told"), [(True, "answers 2"), (False, BY_HAND)])
def test_an_archive_in_the_place_is_compared_as_the_notebook_in_it(course, run, tmp_path, name, less, told):
    """Its bytes were taken for a notebook without answers, and the marks went from 3 to 0 without a word."""
    run(download(course, tmp_path / "1.zip", 20, notebook(course, OLD)), assignment=NB)
    archive = packed(tmp_path, ("draft.ipynb", without(course, "double")), ("nb.ipynb", notebook(course, MAILED)))
    put(course, name, archive)
    second = download(course, tmp_path / "2.zip", 27, without(course, WHY, NEW) if less else notebook(course, NEW))
    result = run(second, assignment=NB)
    assert [one.outcome for one in result.placed] == ["later attempt"]
    assert [told in look.why for look in result.looks] == [True]
    assert archive in attempts(course)
    assert not run(second, assignment=NB).looks


@pytest.mark.parametrize("data", [[("nb.ipynb", True)], [("a.png", False)]])
def test_of_an_archive_that_has_nothing_more_nobody_is_told(course, run, tmp_path, data):
    """Classes that hand in archives through nbgrader's exchange, and whose next attempts are as good or better."""
    files = [(name, notebook(course, OLD) if is_one else b"\x89PNG") for name, is_one in data]
    put(course, f"{NB}.zip", packed(tmp_path, *files))
    (tmp_path / "in" / "ada" / NB).mkdir(parents=True)
    path = tmp_path / "in" / "ada" / NB / f"{NB}.ipynb"
    for attempt in (notebook(course, NEW), notebook(course, MAILED)):
        path.write_bytes(attempt)
        assert not run(tmp_path / "in", assignment=NB).looks
    assert placed(course)[f"{PLACE}/{NB}.ipynb"] == notebook(course, MAILED)


def test_an_archive_that_counts_and_is_complete_is_not_told_to_have_nothing(course, run, tmp_path):
    first = download(course, tmp_path / "1.zip", 20, notebook(course, OLD))
    run(first, assignment=NB)
    put(course, f"{NB}.zip", packed(tmp_path, ("nb.ipynb", notebook(course, MAILED))))
    result = run(first, assignment=NB)
    assert [one.outcome for one in result.placed] == ["earlier attempt, kept aside"]
    assert not result.looks


def test_an_archive_in_an_archive_stays_packed(course, tmp_path):
    """One can hold itself."""
    inner = make_zip(tmp_path / "a.zip", [("nb.ipynb", notebook(course, OLD))]).read_bytes()
    outer = make_zip(tmp_path / "b.zip", [("nb.ipynb", inner), ("my.ipynb", notebook(course, OLD))]).read_bytes()
    assert held_in("b.zip", outer, NB, {"double"}) == ((("b.zip/my.ipynb", notebook(course, OLD)),), False)
    assert held_in("b.ipynb", outer[: len(outer) // 2], NB, {"double"}) == ((), True)
    assert held_in("b.zip", b"{}", NB, {"double"}) == ((("b.zip", b"{}"),), False)


@pytest.mark.parametrize("name", [f"{NB}.ipynb", "by mail.ipynb"])
def test_a_correction_is_named_though_the_upload_still_has_the_first_file(course, run, tmp_path, name):
    """Moodle keeps a submission's files, so the old one came again, and was taken for the first that ever came."""
    half = without(course, WHY)
    run(download(course, tmp_path / "1.zip", 20, half), assignment=NB)
    (course.local / "submitted" / PLACE / name).write_bytes(notebook(course, MAILED))
    files = [(f"{FOLDER}/nb.ipynb", half), (f"{FOLDER}/nb (1).ipynb", notebook(course, OLD))]
    second = make_zip(tmp_path / "2.zip", files, (2026, 11, 27, 12, 0, 0))
    (look,) = run(second, assignment=NB).looks
    assert look.why.endswith(BY_HAND)
    assert not run(second, assignment=NB).looks


def test_a_folder_of_the_exchange_is_compared_as_such_whatever_an_upload_holds(course, run, tmp_path):
    """Nothing was collected before, so nobody put a correction there."""
    put(course, f"{NB}.ipynb", notebook(course, MAILED))
    (course.local / "students.csv").write_text("student,system,number,name\nada,moodle,1,Ada\n")
    files = [(f"{FOLDER}/nb.ipynb", without(course, WHY)), (f"{FOLDER}/nb (1).ipynb", notebook(course, OLD))]
    result = run(make_zip(tmp_path / "1.zip", files, (2026, 11, 20, 12, 0, 0)), assignment=NB)
    assert [one.outcome for one in result.placed] == ["later attempt"]
    assert not result.looks


@pytest.fixture
def mailed(course, run, tmp_path):
    """A function: collect an attempt, then a correction by mail, and then the attempt with another file beside it."""

    def mailed(first, correction, added, by_hand, day=27):
        run(download(course, tmp_path / "1.zip", 20, first), assignment=NB)
        if by_hand:
            put(course, f"{NB}.ipynb", correction)
        else:
            path = tmp_path / "Ada.ipynb"
            path.write_bytes(correction)
            os.utime(path, (1_795_867_200,) * 2)  # 28 November 2026, at noon
            run(path, assignment=NB)
        files = [(f"{FOLDER}/nb.ipynb", first), (f"{FOLDER}/nb_final.ipynb", added)]
        second = make_zip(tmp_path / "2.zip", files, (2026, 11, day, 12, 0, 0))
        return run(second, assignment=NB), run(second, assignment=NB)

    return mailed


@pytest.mark.parametrize("by_hand", [True, False])
def test_a_new_file_beside_a_known_one_is_compared_with_the_correction(course, mailed, by_hand):
    """The other half of the exercises was put aside without a word."""
    result, again = mailed(without(course, WHY), without(course, WHY, MAILED), without(course, "double"), by_hand)
    assert [one.outcome for one in result.placed] == ["earlier attempt, kept aside"]
    (look,) = result.looks
    told = "\u201cnb_final.ipynb\u201d" if "\u201c" in look.why else "nb_final.ipynb"
    assert f"{told}, which is kept aside, answers 1, among them some that the first does not: written_why" in look.why
    assert not again.looks


def test_of_as_many_answers_that_differ_the_new_file_is_named(course, mailed):
    result, again = mailed(notebook(course, OLD), notebook(course, MAILED), notebook(course, NEW), True)
    (look,) = result.looks
    assert look.why.endswith("nb_final.ipynb answers as many exercises, and some in another way: double")
    assert not again.looks


@pytest.mark.parametrize("added", [MAILED, None])
def test_a_new_file_with_nothing_more_than_the_correction_is_named_to_nobody(course, mailed, added):
    """The same answers saved again; and fewer of them."""
    new = notebook(course, added) + b" " if added else without(course, "double")
    result, again = mailed(
        notebook(course, OLD) if added else without(course, WHY), notebook(course, MAILED), new, True
    )
    assert [one.outcome for one in result.placed] == ["earlier attempt, kept aside"]
    assert not result.looks
    assert not again.looks


def test_an_older_upload_whose_files_the_student_improved_is_named_to_nobody(course, run, tmp_path):
    run(download(course, tmp_path / "2.zip", 27, notebook(course, NEW)), assignment=NB)
    files = [(f"{FOLDER}/nb.ipynb", notebook(course, OLD)), (f"{FOLDER}/nb_final.ipynb", notebook(course, MAILED))]
    result = run(make_zip(tmp_path / "1.zip", files, (2026, 11, 20, 12, 0, 0)), assignment=NB)
    assert [one.outcome for one in result.placed] == ["earlier attempt, kept aside"]
    assert not result.looks


def test_each_archive_is_judged_by_itself(course, run, tmp_path):
    """A broken one beside it made an archive of another assignment one that nobody had opened."""
    run(download(course, tmp_path / "1.zip", 20, notebook(course, OLD)), assignment=NB)
    other = packed(tmp_path, ("other.ipynb", b'{"cells": []}'))
    data = bytearray(packed(tmp_path, ("release.ipynb", notebook(course, OLD)), ("mine.ipynb", notebook(course, NEW))))
    for mark, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):  # the second entry is encrypted
        data[data.rindex(mark) + at] |= 1
    folder = course.local / "submitted" / PLACE
    for name, content in (("broken.zip", data[:-40]), ("other.zip", other), ("locked.zip", data)):
        (folder / name).write_bytes(content)
    looks = run(download(course, tmp_path / "2.zip", 27, notebook(course, MAILED)), assignment=NB).looks
    told = sorted(name for name in ("broken", "other", "locked") for look in looks if f"in {name}.zip" in look.why)
    assert told == ["broken", "locked"]
    assert len(looks) == 2


def test_of_many_files_that_lay_beside_an_attempt_the_one_with_most_that_is_lacking_is_named(course, run, tmp_path):
    """A folder of the exchange with copies of each hour gave a line for each of them."""
    run(download(course, tmp_path / "1.zip", 20, without(course, WHY)), assignment=NB)
    folder = course.local / "submitted" / PLACE
    for n in range(30):
        data = notebook(course, MAILED) if n == 20 else without(course, WHY, f"return {n} + x")
        (folder / f"copy {n}.ipynb").write_bytes(data)
    downloads = [
        download(course, tmp_path / f"{day}.zip", day, without(course, WHY, answer))
        for day, answer in ((27, NEW), (28, "return 99"))
    ]
    (look,) = run(*downloads, assignment=NB).looks
    assert "\u201ccopy 20.ipynb\u201d, answers 2" in look.why
    assert look.why.endswith("more files that lay beside it)")
    assert len(attempts(course)) >= 31
    assert not run(downloads[1], assignment=NB).looks
