"""The corpus's tricks in the course's own notebooks."""

import json

import nbformat
import pytest

from grader.core.cells import exercises, grade_id
from grader.core.course import Course
from grader.core.notebook import read_notebook

from .corpus import KINDS
from .crowd import Tricks, main
from .sheet import EXERCISES

NAME = "05_positional_encoding"


@pytest.fixture(scope="module")
def tricks():
    return Tricks(Course.find(), seed=1, without=["resources"])


def test_a_trick_is_put_into_another_notebook(tricks, tmp_path):
    known = exercises(read_notebook(tricks.course.source(NAME)))
    for number in range(12):
        folder = tmp_path / str(number)
        folder.mkdir()
        name, _, says = tricks(NAME, folder, number).partition(": ")
        assert KINDS[name].says == says
        assert KINDS[name].group != "resources"
        assert any(folder.iterdir())
    sheet = tricks.sheets[NAME]
    files = sheet.files(KINDS["skip-tag"])
    assert list(files) == [f"{NAME}.ipynb"]
    cells = {grade_id(c): c for c in nbformat.reads(files[f"{NAME}.ipynb"].decode(), as_version=4).cells}
    assert all(f"def {e.name}(" in cells[e.name].source for e in known[: len(EXERCISES)])
    assert all(cells[name].metadata.tags == ["skip-execution"] for e in known for name, _, _ in e.tests)
    assert b"01_sums" not in files[f"{NAME}.ipynb"]


def test_most_kinds_can_be_transferred_and_are_the_same_each_time(tricks, tmp_path):
    names = sorted(k.name for k in tricks.kinds)[::9]
    tricks(NAME, _made(tmp_path / "first"), 0)
    sheet = tricks.sheets[NAME]
    assert len(names) > 40
    for name in names:
        assert sheet.files(KINDS[name]) == sheet.files(KINDS[name]), name


def _made(folder):
    folder.mkdir()
    return folder


def test_a_kind_that_does_not_fit_is_passed_over_and_named(tricks, tmp_path):
    own = Tricks(tricks.course)
    at = next(n for n, kind in enumerate(own.kinds) if kind.name == "hardlink-notebook")
    folder = _made(tmp_path / "one")
    said = own(NAME, folder, at)
    assert not said.startswith("hardlink-notebook")
    assert "FileNotFoundError" in own.passed_over["hardlink-notebook"]
    assert any(folder.iterdir())


def test_the_command_writes_a_class_and_what_it_must_earn(tmp_path, monkeypatch, capsys):
    to = tmp_path / "submitted"
    arguments = ["crowd", str(to), "05", "--students", "8", "--hostile", "0.4", "--without", "resources"]
    monkeypatch.setattr("sys.argv", arguments)
    main()
    made = json.loads((tmp_path / "submitted.json").read_text())
    assert len(made) == 8 == len(list(to.iterdir()))
    assert any(one["what"].startswith("hostile") for one in made)
    assert "8 submissions" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main()
    assert "is not empty" in capsys.readouterr().err
