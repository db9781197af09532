"""Whoever handed in only what programs leave, or nothing, is named; beside a notebook nobody hears of it."""

import pytest
from test_lms_collect import make_zip, notebook, placed

NOTHING = "Eve handed in nothing that can be read"
EVE = "Eve_103_assignsubmission_file_"


def collected(course, run, tmp_path, *files):
    """Collect a download of Moodle with these files beside Ada's notebook."""
    ada = ("Ada_101_assignsubmission_file_/nb.ipynb", notebook(course))
    return run(make_zip(tmp_path / "m.zip", [ada, *files]))


def inner(tmp_path, *files):
    return make_zip(tmp_path / "w.zip", files).read_bytes()


@pytest.mark.parametrize("name", ["._nb.ipynb", ".~nb.ipynb", ".DS_Store", "Thumbs.db", ".git/HEAD", "timestamp.txt"])
@pytest.mark.parametrize("packed", [False, True])
def test_junk_alone_is_named_and_beside_a_notebook_it_is_not(course, run, tmp_path, name, packed):
    sent = [(f"{EVE}/{name}", b"x")]
    if packed:
        sent = [(f"{EVE}/w.zip", inner(tmp_path, *([] if name == "timestamp.txt" else [(name, b"x"), ("work/", b"")])))]
    (lost,) = collected(course, run, tmp_path, *sent).unplaced
    assert lost.why == NOTHING
    assert EVE in lost.where
    assert not collected(course, run, tmp_path, *sent, (f"{EVE}/nb.ipynb", notebook(course))).unplaced


@pytest.mark.parametrize("packed", [False, True])
def test_a_copy_that_jupyter_kept_counts_if_nothing_else_was_handed_in(course, run, tmp_path, packed):
    copy = (".ipynb_checkpoints/nb-checkpoint.ipynb", notebook(course, "return 7"))
    sent = [(f"{EVE}/w.zip", inner(tmp_path, copy))] if packed else [(f"{EVE}/{copy[0]}", copy[1])]
    result = collected(course, run, tmp_path, *sent)
    assert not result.unplaced
    assert placed(course)["eve/09_doubling/09_doubling.ipynb"] == copy[1]
    (note,) = next(p for p in result.placed if p.student == "eve").notes
    assert note.startswith("no notebook was handed in but a copy that Jupyter kept")


def test_what_lies_beside_the_students_folders_names_nobody(course, run, tmp_path):
    root = tmp_path / "in"
    for name in ("ada/nb.ipynb", "bob/nb.ipynb", "cem/.DS_Store", ".DS_Store", "__MACOSX/ada/._nb.ipynb"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(notebook(course))
    (lost,) = run(root).unplaced
    assert lost.where == "in: cem/.DS_Store"
    junk = [("__MACOSX/._m", b"x"), ("__MACOSX/Eve_103_assignsubmission_file_/._nb.ipynb", b"x"), (".DS_Store", b"x")]
    assert not collected(course, run, tmp_path, *junk, ("scripts/.DS_Store", b"x")).unplaced


@pytest.mark.parametrize("name", ["x" * 260 + ".ipynb", "d/" * 45 + "nb.ipynb"])
def test_what_a_student_packed_is_named_with_the_student(course, run, tmp_path, name):
    packed = inner(tmp_path, (f"Ada_101_assignsubmission_file_/{name}", b"x"))
    (lost,) = collected(course, run, tmp_path, (f"{EVE}/w.zip", packed)).unplaced
    assert lost.path[:2] == (f"{EVE}", "w.zip")
    assert EVE in lost.where


def test_an_empty_entry_with_a_backslash_at_its_end_is_a_folder(course, run, tmp_path):
    packed = inner(tmp_path, ("work\\", b""), ("work\\nb.ipynb", notebook(course)))
    assert not collected(course, run, tmp_path, (f"{EVE}/w.zip", packed)).unplaced
    assert "eve/09_doubling/09_doubling.ipynb" in placed(course)


def test_whoever_is_called_as_programs_call_their_files_is_named(course, run, tmp_path):
    (lost,) = collected(course, run, tmp_path, (".~Dee_4_assignsubmission_file_/nb.ipynb", notebook(course))).unplaced
    assert ".~Dee_4" in lost.where
    # A Mac's entry beside a folder of Moodle's is nobody.
    assert not collected(course, run, tmp_path, ("._Ada_101_assignsubmission_file_", b"x")).unplaced
