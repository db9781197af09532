"""What is noted of a folder: the same word as long as the same files lie there, on any machine."""

import os
import shutil

import pytest

from grader.classrun.held import held
from grader.submissions.intake import MAX_BYTES, MAX_ENTRIES

NAME = "09_doubling"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "submitted" / "ada" / NAME
    (folder / "work").mkdir(parents=True)
    for name in (f"{NAME}.ipynb", "work.zip", "work/nb.ipynb"):
        (folder / name).write_bytes(b"one")
    return folder


@pytest.mark.parametrize("name", [f"{NAME}.ipynb", "work.zip", "work/nb.ipynb"])
@pytest.mark.parametrize("content", [b"two", b"longer", b""])
def test_another_file_of_the_same_name_is_another_word(folder, name, content):
    before = held(folder)
    (folder / name).write_bytes(content)
    assert held(folder) != before
    (folder / name).write_bytes(b"one")
    assert held(folder) == before
    (folder / name).unlink()
    assert held(folder) != before


@pytest.mark.parametrize("name", ["more.ipynb", "work/more.ipynb", ".ipynb_checkpoints/nb.ipynb"])
def test_a_file_that_comes_is_another_word(folder, name):
    before = held(folder)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(b"")
    assert held(folder) != before


def test_a_time_and_another_machine_change_nothing(folder, tmp_path):
    before = held(folder)
    (folder / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC")
    assert held(folder) == before
    shutil.copytree(folder, tmp_path / "elsewhere")
    os.utime(tmp_path / "elsewhere" / "work.zip", (0, 0))
    assert held(tmp_path / "elsewhere") == before


def test_what_is_no_file_is_not_opened(folder):
    before = held(folder)
    os.mkfifo(folder / "pipe.ipynb")
    (folder / "link.ipynb").symlink_to("/dev/zero")
    assert held(folder) != before


def test_more_than_is_looked_at_has_no_word(folder):
    for number in range(MAX_ENTRIES):
        (folder / f"{number}.txt").touch()
    assert held(folder) == ""


@pytest.mark.parametrize("why", ["large", "many", "hard link"])
def test_what_is_not_read_has_no_word(folder, tmp_path, why):
    """Another file of the same size would have the same one."""
    for number in range(2 if why == "many" else 1):
        path = folder / f"{number}.ipynb"
        if why == "hard link":
            (tmp_path / "other").touch()
            path.hardlink_to(tmp_path / "other")
        else:
            path.touch()
            os.truncate(path, MAX_BYTES + (why == "large"))
    if why == "many":
        for number in range(2, 4):
            shutil.copy(folder / "0.ipynb", folder / f"{number}.ipynb")
    assert held(folder) == ""
    for path in folder.glob("*.ipynb"):
        path.unlink()
    assert held(folder)
