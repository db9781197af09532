"""What a student's code leaves in its folder is removed, however it is nested or protected."""

import os
import stat

import pytest

from grader.sandbox import folders
from grader.sandbox.inside import removing


def nest(folder, levels):
    """Make folders within each other, deeper than a path may be long and than Python may call itself."""
    back = os.open(".", os.O_RDONLY)
    try:
        os.chdir(folder)
        for _ in range(levels):
            os.mkdir("d" * 20)
            os.chdir("d" * 20)
        open("last", "w").close()
    finally:
        os.fchdir(back)
        os.close(back)


def test_folders_within_folders_do_not_end_whoever_removes_them(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    nest(home, 3000)
    assert removing.remove_tree(str(home))
    assert list(tmp_path.iterdir()) == []


def test_protected_folders_and_many_files_are_removed_and_links_are_not_followed(tmp_path, monkeypatch):
    monkeypatch.setattr(removing, "_AT_ONCE", 7)
    kept, home = tmp_path / "kept", tmp_path / "home"
    kept.mkdir()
    (kept / "file").write_text("not theirs")
    for name in ("a/b", "a/c", "e"):
        (home / name).mkdir(parents=True)
    for number in range(30):
        (home / f"{number}").touch()
        (home / "a" / "b" / f"{number}").touch()
    (home / "link").symlink_to(kept)
    (home / "a" / "nowhere").symlink_to(tmp_path / "nothing")
    for name in ("a/b", "a", "e"):
        (home / name).chmod(0)
    assert removing.remove_tree(str(home))
    assert [p.name for p in tmp_path.iterdir()] == ["kept"]
    assert (kept / "file").read_text() == "not theirs"
    assert stat.S_IMODE(kept.stat().st_mode) != 0


def test_what_is_not_there_is_removed_already(tmp_path):
    assert removing.remove_tree(str(tmp_path / "nothing"))


@pytest.mark.parametrize("levels", [3000])
def test_what_a_killed_run_left_does_not_end_the_next(tmp_path, monkeypatch, levels):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    left = folders.LockedFolder()
    nest(left.path, levels)
    os.close(left._lock)  # as when the process is killed
    assert [str(path) for path in folders.remove_abandoned()] == [left.path]
    assert list(tmp_path.iterdir()) == []
