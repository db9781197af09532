"""Whole files or none, cells that no spreadsheet runs, and errors on one line."""

from __future__ import annotations

import csv
import io
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbformat.v4 import new_notebook

from grader.core import files
from grader.core.csv_files import Given, csv_text, guarded, read_csv, unguarded
from grader.core.errors import GraderError, describe, first_line
from grader.core.files import replace_file, write_if_changed
from grader.core.notebook import write_notebook


def names_in(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir())


@pytest.mark.parametrize(("content", "size"), [("é\n", 3), (b"\xff\r\n", 3), ("", 0)])
def test_text_and_bytes_go_in_as_they_are(tmp_path, content, size):
    path = tmp_path / "new" / "folder" / "a.txt"
    assert replace_file(path, content) == size
    assert path.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert names_in(path.parent) == ["a.txt"]


@pytest.mark.parametrize("step", ["write", "replace"])
def test_a_write_that_fails_leaves_the_file_before_it_and_nothing_else(tmp_path, monkeypatch, step):
    path = tmp_path / "a.txt"
    path.write_text("before")

    def full(*args, **kwargs):
        if step == "write":
            Path(args[0]).open("wb").close()  # a part of it is on disk already
        raise OSError(28, "No space left on device")

    owner, name = (Path, "write_bytes") if step == "write" else (files.os, "replace")
    monkeypatch.setattr(owner, name, full)
    with pytest.raises(OSError, match="No space left"):
        replace_file(path, "after")
    monkeypatch.undo()
    assert path.read_text() == "before"
    assert names_in(tmp_path) == ["a.txt"]


def test_nobody_ever_sees_a_part(tmp_path, monkeypatch):
    path, seen = tmp_path / "a.txt", []
    path.write_text("before")
    put = os.replace

    def watched(source, target):
        seen.append((Path(source).read_text(), path.read_text()))
        put(source, target)

    monkeypatch.setattr(files.os, "replace", watched)
    replace_file(path, "after")
    assert seen == [("after", "before")]


def test_mode(tmp_path):
    path = tmp_path / "a.txt"
    replace_file(path, "x", 0o440)
    assert path.stat().st_mode & 0o777 == 0o440
    replace_file(path, "y")  # what is replaced keeps its mode, and being write-protected is no obstacle
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("y", 0o440)
    replace_file(path, "z", 0o644)
    assert path.stat().st_mode & 0o777 == 0o644


def test_what_a_killed_run_left_is_no_obstacle(tmp_path):
    left = tmp_path / ".a.txt.part"
    left.write_text("half")
    left.chmod(0o000)
    replace_file(tmp_path / "a.txt", "x")
    assert names_in(tmp_path) == ["a.txt"]


def test_a_long_name_of_wide_letters(tmp_path):
    path = tmp_path / ("é" * 125)
    replace_file(path, "x")
    assert path.read_text() == "x"


def test_a_link_is_replaced_but_a_notebook_is_written_where_its_link_points(tmp_path):
    target, link = tmp_path / "elsewhere", tmp_path / "a"
    target.write_text("elsewhere")
    link.symlink_to(target)
    replace_file(link, "x")
    assert (link.is_symlink(), link.read_text(), target.read_text()) == (False, "x", "elsewhere")
    link.unlink()
    link.symlink_to(target)
    assert write_notebook(new_notebook(), link)
    assert link.is_symlink()
    assert target.read_text().startswith("{")
    assert not write_notebook(new_notebook(), link)


def test_only_a_change_is_written(tmp_path):
    path = tmp_path / "a.txt"
    assert write_if_changed(path, "x")
    before = path.stat().st_ino
    assert not write_if_changed(path, b"x")
    assert path.stat().st_ino == before
    assert write_if_changed(path, "y")


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "|x", "%x", "'=1", "'", "''=", "--", "＝1", " =1", '"=1'])
def test_what_a_spreadsheet_would_run_becomes_a_text_and_comes_back(text):
    assert guarded(text) == f"'{text}"
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("x;=1", "x;'=1"),
        (";=1", ";'=1"),
        (";;+1", ";;'+1"),
        ('x; "=1', "x;' \"=1"),
        ("x\t@y", "x\t'@y"),
        ("x\n=1", "x\n'=1"),
        ("x\r\n=1", "x\r'\n'=1"),
        ("\t=1", "'\t'=1"),
        ("\r=1", "'\r'=1"),
        ("x;'=1", "x;''=1"),
        ("=1;=1", "'=1;'=1"),
    ],
)
def test_a_formula_behind_what_may_separate_cells_becomes_a_text_too(text, cell):
    assert guarded(text) == cell
    assert unguarded(cell) == text
    # What a spreadsheet makes of the line that takes `;` for the separator, where quotes within a line mean nothing.
    line = io.StringIO()
    csv.writer(line, lineterminator="\n").writerow(["ada", guarded(text)])
    for separated in re.split(r"[;\t\r\n]", line.getvalue()):
        assert not separated.lstrip(' "').startswith(tuple("=+-@"))


@given(st.text(alphabet=";\t\r\n =-'\"x＝,"))
def test_whatever_is_guarded_comes_back(text):
    assert unguarded(guarded(text)) == text


@pytest.mark.parametrize("text", ["", "-", "a=1", "Ada", "1", "O'Hara", " ", "a; b", "a,=1", "1 - 2;x"])
def test_other_texts_stay(text):
    assert guarded(text) == text == unguarded(text)


class Wrapped(Exception):
    orig = ValueError("\n the driver says\nmore")


@pytest.mark.parametrize(
    ("error", "line", "described"),
    [
        (ValueError("one\ntwo"), "one", "ValueError: one"),
        (ValueError(), "ValueError", "ValueError: "),
        (ValueError("\n"), "ValueError", "ValueError: "),
        (Wrapped("(psycopg.Error) a lot\nof text"), "the driver says", "Wrapped: (psycopg.Error) a lot"),
        (GraderError("what", "where", "do"), "where: what", "where: what   Fix: do"),
    ],
)
def test_an_error_on_one_line(error, line, described):
    assert (first_line(error), describe(error)) == (line, described)


def test_a_long_error_is_cut():
    assert first_line(ValueError("x" * 900)) == "x" * 200
    assert describe(ValueError("x" * 900), 20) == "ValueError: " + "x" * 8


@given(st.lists(st.lists(st.text("ab,;'\"\r\n\t\x00\x0b\x85\u2028=", max_size=6), min_size=2, max_size=2), max_size=4))
def test_every_field_of_a_csv_file_comes_back(rows):
    given_ones = [[Given(text) for text in row] for row in rows]
    text = csv_text([["student", "name"], *given_ones])
    assert list(csv.reader(io.StringIO(text, newline=""))) == [["student", "name"], *rows]
    assert [list(row.cells.values()) for row in read_csv(csv_text([["student", "name"], *rows]))] == rows


def test_the_rows_of_a_csv_file_end_with_a_line_feed():
    assert csv_text([["a", "b"], ["1", Given("two\rthree")], ["", None]]) == 'a,b\n1,"two\rthree"\n,\n'
