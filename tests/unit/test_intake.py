"""Which file of a submission is taken, and what is never opened."""

import io
import os
import socket
import tracemalloc
import zipfile

import pytest
from test_reading import tiny_source

from grader.core.errors import GraderError
from grader.core.findings import Level
from grader.submissions import intake, times, words
from grader.submissions.alone import is_alone
from grader.submissions.intake import find_submission, read_bytes
from grader.submissions.words import words_in

NAME = "09_doubling"
GOOD = b'{"cells": [{"cell_type": "code", "source": "def double(x): pass", "metadata": {"grade_id": "double"}}]}'
OTHER = b'{"cells": [{"cell_type": "code", "source": "shopping = 1", "metadata": {}}]}'


class Opened:
    """Counts what is opened and read.

    Args:
        monkeypatch: Puts the counting in place.
    """

    def __init__(self, monkeypatch):
        self.names, self.bytes = [], 0
        real_open, real_read = os.open, os.read

        def opened(path, *args, **kwargs):
            self.names.append(os.path.basename(path))
            return real_open(path, *args, **kwargs)

        def read(handle, most):
            data = real_read(handle, most)
            self.bytes += len(data)
            return data

        monkeypatch.setattr(intake.os, "open", opened)
        monkeypatch.setattr(intake.os, "read", read)


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "submitted" / "ada" / NAME
    place.mkdir(parents=True)
    return place


def find(folder):
    before = sorted((str(p), p.lstat().st_size, p.lstat().st_mtime_ns) for p in folder.rglob("*"))
    found = find_submission(folder, NAME, tiny_source())
    after = sorted((str(p), p.lstat().st_size, p.lstat().st_mtime_ns) for p in folder.rglob("*"))
    assert before == after, "the folder was changed"
    again = find_submission(folder, NAME, tiny_source())
    assert found == again
    return found


def kinds(found):
    return {f.kind for f in found.findings}


def test_the_right_name_is_taken_without_a_word(folder):
    (folder / f"{NAME}.ipynb").write_bytes(GOOD)
    (folder / "timestamp.txt").write_text("2026-11-21 10:00:00 UTC")
    found = find(folder)
    assert found.path == folder / f"{NAME}.ipynb"
    assert found.findings == []


@pytest.mark.parametrize(
    "name",
    [
        f"{NAME} (1).ipynb",
        f"Copy of {NAME}.ipynb",
        f"{NAME.upper()}.IPYNB",
        f"{NAME}.ipynb.txt",
        f"{NAME}.json",
        f"{NAME}.py",
        f"{NAME}.ipynb (1)",
        NAME,
        "Übung – neu.ipynb",
        f"deeper/{NAME}.ipynb",
        f"{NAME}.ipynb/{NAME}.ipynb",
        f".ipynb_checkpoints/{NAME}-checkpoint.ipynb",
    ],
)
def test_other_names_are_found(folder, name):
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(GOOD)
    (folder / "notes.txt").write_text("buy milk")
    found = find(folder)
    assert found.path == folder / name
    assert kinds(found) == {"other-file-taken"}
    assert str(folder) not in found.findings[0].text


def test_of_several_the_one_with_the_assignment_in_it(folder):
    (folder / "aaa.ipynb").write_bytes(OTHER)
    (folder / "zzz.ipynb").write_bytes(GOOD)
    os.utime(folder / "zzz.ipynb", (1, 1))
    assert find(folder).path == folder / "zzz.ipynb"


def test_of_equals_the_newest(folder):
    for name, at in (("a (1).ipynb", 100), ("a (2).ipynb", 300), ("a (3).ipynb", 200)):
        (folder / name).write_bytes(GOOD)
        os.utime(folder / name, (at, at))
    found = find(folder)
    assert found.path == folder / "a (2).ipynb"
    assert "files-left" in kinds(found)
    assert "a (1).ipynb" in found.findings[-1].text


def test_a_file_of_the_right_name_that_holds_something_else(folder):
    (folder / f"{NAME}.ipynb").write_bytes(OTHER)
    (folder / "mine.ipynb").write_bytes(GOOD)
    assert find(folder).path == folder / "mine.ipynb"
    (folder / "mine.ipynb").unlink()
    assert find(folder).path == folder / f"{NAME}.ipynb"


def test_an_empty_file_of_the_right_name(folder):
    (folder / f"{NAME}.ipynb").touch()
    found = find(folder)
    assert found.path is None
    assert {"file-empty", "nothing-handed-in"} == kinds(found)
    (folder / "b.ipynb").write_bytes(GOOD)
    assert find(folder).path == folder / "b.ipynb"


def test_files_that_are_no_notebook_are_not_taken(folder):
    (folder / "numpy.py").write_text("raise SystemExit")
    (folder / "data.json").write_text("{}")
    (folder / "picture.png").write_bytes(b"\x89PNG")
    found = find(folder)
    assert found.path is None
    assert found.findings[-1].level is Level.LOST


def test_no_folder(tmp_path):
    found = find_submission(tmp_path / "nobody" / NAME, NAME, tiny_source())
    assert found.path is None
    assert kinds(found) == {"nothing-handed-in"}


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("thing", ["link", "dangling", "pipe", "socket", "giant", "folder-link", "name"])
def test_what_is_refused_costs_nothing(folder, tmp_path, monkeypatch, thing, beside):
    secret = tmp_path / "solution.ipynb"
    secret.write_bytes(GOOD + b"secret")
    place = folder / f"{NAME}.ipynb"
    if thing == "link":
        place.symlink_to(secret)
    elif thing == "dangling":
        place.symlink_to("/nowhere")
    elif thing == "pipe":
        os.mkfifo(place)
    elif thing == "socket":
        monkeypatch.chdir(folder)  # a socket's path must be short
        socket.socket(socket.AF_UNIX).bind(place.name)
    elif thing == "giant":
        with place.open("wb") as file:
            file.truncate(50 * 2**30)
    elif thing == "folder-link":
        (tmp_path / "other").mkdir()
        (tmp_path / "other" / f"{NAME}.ipynb").write_bytes(GOOD)
        (folder / "deeper").symlink_to(tmp_path / "other")
    else:
        (folder / "a\nb\u202e.ipynb").write_bytes(GOOD)
    if beside:
        (folder / "mine.ipynb").write_bytes(GOOD)
    opened = Opened(monkeypatch)
    found = find(folder)
    assert set(opened.names) <= {"mine.ipynb"}
    assert opened.bytes == len(GOOD) * len(opened.names)
    assert found.path == (folder / "mine.ipynb" if beside else None)
    assert "file-refused" in kinds(found)
    assert not any(c in f.text for f in found.findings for c in "\n\u202e")


def packed(**files):
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as zf:
        for name, data in files.items():
            zf.writestr(name, data)
    return made.getvalue()


@pytest.mark.parametrize("name", ["Ada's notebook", "Q & A"])
@pytest.mark.parametrize("place", ["file", "folder", "zip", "in a zip"])
def test_names_that_people_write_are_taken(folder, name, place):
    if place == "file":
        (folder / f"{name}.ipynb").write_bytes(GOOD)
    elif place == "folder":
        (folder / name).mkdir()
        (folder / name / "nb.ipynb").write_bytes(GOOD)
    else:
        inner = f"{name}/{name}.ipynb" if place == "in a zip" else "nb.ipynb"
        (folder / ("hw.zip" if place == "in a zip" else f"{name}.zip")).write_bytes(packed(**{inner: GOOD}))
    found = find(folder)
    assert (found.packed or found.path.read_bytes()) == GOOD
    assert kinds(found) <= {"other-file-taken", "unpacked"}
    assert not any(c in f.text for f in found.findings for c in "'&")  # as before: a sentence shows none of them


@pytest.mark.parametrize("place", ["folder", "in a zip"])
def test_a_folder_whose_name_no_sentence_would_hold_is_named(folder, place):
    odd = "a|b\u202e"
    if place == "folder":
        (folder / odd).mkdir()
        (folder / odd / "nb.ipynb").write_bytes(GOOD)
    else:
        (folder / "hw.zip").write_bytes(packed(**{f"{odd}/nb.ipynb": GOOD}))
    found = find(folder)
    assert found.path is None
    assert kinds(found) == {"file-refused", "nothing-handed-in"}
    assert not any(c in f.text for f in found.findings for c in "|\u202e")


@pytest.mark.parametrize("archives", [1, 2])
def test_an_archive_beside_a_notebook_that_is_not_opened_is_named(folder, archives):
    (folder / f"{NAME}.ipynb").write_bytes(GOOD)
    for n in range(archives):
        (folder / f"work{n}.zip").write_bytes(packed(**{"nb.ipynb": GOOD}))
        os.utime(folder / f"work{n}.zip", (9 - n, 9 - n))
    found = find(folder)
    assert found.path.name == f"{NAME}.ipynb"
    (left,) = found.findings
    assert left.kind == "files-left"
    assert left.text.endswith("left aside: " + ", ".join(f"work{n}.zip" for n in range(archives)) + ".")


@pytest.mark.parametrize("which", ["student", "assignment"])
def test_a_linked_folder_is_not_entered(tmp_path, which):
    victim = tmp_path / "submitted" / "bob" / NAME
    victim.mkdir(parents=True)
    (victim / f"{NAME}.ipynb").write_bytes(GOOD)
    mallory = tmp_path / "submitted" / "mallory"
    if which == "student":
        mallory.symlink_to(victim.parent)
    else:
        mallory.mkdir()
        (mallory / NAME).symlink_to(victim)
    found = find_submission(mallory / NAME, NAME, tiny_source())
    assert found.path is None
    assert kinds(found) == {"file-refused"}


def test_many_files_are_bounded(folder, monkeypatch):
    for number in range(intake.MAX_ENTRIES + 50):
        (folder / f"junk{number:05d}.ipynb").write_bytes(OTHER)
    (folder / f"{NAME}.ipynb").write_bytes(GOOD)
    opened = Opened(monkeypatch)
    found = find_submission(folder, NAME, tiny_source())
    assert len(opened.names) == intake.MAX_CANDIDATES
    assert f"{NAME}.ipynb" in opened.names
    assert found.path == folder / f"{NAME}.ipynb"
    assert "too-many-files" in kinds(found)


def test_the_course_knows_its_own_assignments(folder):
    """Without a source notebook the course's own is taken."""
    place = folder.parent / "05_positional_encoding"
    place.mkdir()
    (place / "a.ipynb").write_bytes(GOOD)
    (place / "b.ipynb").write_bytes(GOOD.replace(b"double", b"rotary"))
    os.utime(place / "b.ipynb", (1, 1))
    assert find_submission(place, place.name).path == place / "b.ipynb"


def test_reading_refuses_what_is_no_file(tmp_path):
    (tmp_path / "a").write_bytes(b"123")
    assert read_bytes(tmp_path / "a") == b"123"
    (tmp_path / "link").symlink_to(tmp_path / "a")
    os.mkfifo(tmp_path / "pipe")
    with (tmp_path / "giant").open("wb") as file:
        file.truncate(intake.MAX_BYTES + 1)
    for name in ("link", "pipe", "giant", "missing", "."):
        with pytest.raises(GraderError):
            read_bytes(tmp_path / name)
    with pytest.raises(GraderError):
        read_bytes(type(tmp_path)("/dev/zero"))


def test_a_giant_file_for_the_time_is_not_read(tmp_path):
    (tmp_path / "timestamp.txt").write_bytes(b"1" * 101)
    with pytest.raises(GraderError):
        intake.read_bytes(tmp_path / "timestamp.txt", times.MAX_TIME)


def test_a_folder_that_is_called_like_a_record_of_time_is_not_passed_over(folder):
    exact = folder / f"{NAME}.ipynb"
    exact.write_bytes(GOOD)
    (folder / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC")
    assert is_alone(folder, NAME)
    (folder / "submitted_at.txt").mkdir()
    assert not is_alone(folder, NAME)
    (folder / "submitted_at.txt").rmdir()
    os.symlink("/etc/passwd", folder / "submitted_at.txt")
    assert not is_alone(folder, NAME)


def test_alone_is_a_file_that_would_be_taken(folder, tmp_path):
    exact = folder / f"{NAME}.ipynb"
    exact.write_bytes(GOOD)
    assert is_alone(folder, NAME)
    assert not is_alone(folder, NAME, most=len(GOOD) - 1)
    os.link(exact, tmp_path / "second name")
    assert not is_alone(folder, NAME)
    exact.unlink()
    exact.write_bytes(b"")
    assert not is_alone(folder, NAME)
    exact.unlink()
    os.symlink(tmp_path / "second name", exact)
    assert not is_alone(folder, NAME)


def test_a_file_of_millions_of_words_takes_little_memory():
    """Files are told apart by their words, in a process that reads those of a whole class."""
    data = b" ".join(b"%06d" % n for n in range(1_500_000)) + b" double triple "
    tracemalloc.start()
    try:
        found = words_in(data, {"double", "doubled", "triple", "000000", "1499999"})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found == {"double", "triple", "000000", "1499999"}
    assert peak < 5 * len(data)


@pytest.mark.parametrize("before", [0, 1, 3, 4, 5, 6])
def test_a_word_is_found_wherever_a_piece_of_the_text_ends(monkeypatch, before):
    monkeypatch.setattr(words, "_PIECE", 4)
    assert words_in(b"." * before + b"double, doubled\0", {"double", "doubled", "oubled"}) == {"double", "doubled"}
