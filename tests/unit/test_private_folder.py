"""Submissions and marks are not for everybody who has an account on the machine."""

import os
import stat
import tempfile
from pathlib import Path

import pytest

from grader.core.files import replace_file
from grader.core.nbgrader_api import course_config
from grader.doctor import advice_on_marks


@pytest.fixture(autouse=True)
def usual_umask():
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path):
    return stat.S_IMODE(path.stat().st_mode)


def configured(course, more=""):
    path = course.root / "nbgrader_config.py"
    path.write_text(path.read_text().replace("\nc.Execute.timeout", f"\n{more}\nc.Execute.timeout"))
    return course_config(course)


def test_the_folder_is_made_for_its_owner(course):
    configured(course)
    assert mode(course.local) == 0o700
    assert mode(course.local.parent) == 0o755


def test_where_a_group_shares_it_the_umask_decides(course):
    configured(course, "c.CourseDirectory.groupshared = True")
    assert mode(course.local) == 0o755


def test_a_folder_that_is_there_stays_as_it_is(course):
    course.local.mkdir(0o750)
    configured(course)
    assert mode(course.local) == 0o750


@pytest.mark.parametrize(
    ("umask", "at_most", "is_then"),
    [(0o022, 0o644, 0o644), (0o077, 0o644, 0o600), (0o002, 0o644, 0o644), (0o022, 0o444, 0o444), (0o077, 0o444, 0o400)],
)
def test_a_file_has_no_bit_that_the_umask_takes(tmp_path, umask, at_most, is_then):
    (tmp_path / "page").write_text("as it was before, for everybody")
    os.umask(umask)
    replace_file(tmp_path / "page", "new", at_most=at_most)
    assert mode(tmp_path / "page") == is_then


@pytest.mark.parametrize(
    ("of_folder", "of_parent", "shared", "said"),
    [
        (0o755, 0o755, False, "chmod go="),
        (0o750, 0o755, False, "chmod go="),
        (0o755, 0o755, True, "chmod o="),
        (0o770, 0o755, True, ""),
        (0o700, 0o755, False, ""),
        (0o755, 0o700, False, ""),
    ],
)
def test_doctor_names_a_folder_that_others_can_enter(of_folder, of_parent, shared, said):
    with tempfile.TemporaryDirectory(dir="/tmp") as above:  # nobody else enters pytest's own folders
        folder = Path(above, "local")
        folder.mkdir()
        folder.chmod(of_folder)
        folder.parent.chmod(of_parent)
        found = advice_on_marks(folder, shared)
    assert len(found) == bool(said)
    assert said in "".join(found)


def test_doctor_has_nothing_to_say_of_no_folder(tmp_path):
    assert advice_on_marks(tmp_path / "none", False) == []
