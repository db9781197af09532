"""A course's configuration is a program: whose is run."""

import os
from types import SimpleNamespace

import pytest

from grader.cli import main
from grader.core.course import Course
from grader.core.errors import GraderError


@pytest.fixture
def owned(course, monkeypatch):
    """Make the course's configuration somebody's, and oneself user 1000."""
    real = type(course.root).stat

    def act(uid):
        def stat(path, **options):
            found = real(path, **options)
            return SimpleNamespace(st_uid=uid, st_mode=found.st_mode) if path.name == "nbgrader_config.py" else found

        monkeypatch.setattr(type(course.root), "stat", stat)
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        monkeypatch.chdir(course.solutions)
        return course

    return act


def test_another_users_is_not_run_by_standing_there(owned, capsys):
    course = owned(1001)
    (course.root / "nbgrader_config.py").write_text("raise SystemExit('it ran')")
    assert main(["grade"]) == 2
    assert "another user owns this course's configuration" in capsys.readouterr().err
    with pytest.raises(GraderError, match=f"--course {course.root}"):
        Course.find(course.solutions)


def test_whoever_names_a_course_wants_it(owned):
    course = owned(1001)
    assert Course.find(course.root) == course
    assert Course.nearest() == course  # what students must not see; nothing is run


@pytest.mark.parametrize("uid", [0, 1000])
def test_ones_own_and_that_of_root_are_found(owned, uid):
    course = owned(uid)
    assert Course.find() == course
