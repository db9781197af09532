"""Collecting: archives laid out as Moodle and Canvas document them, folders, attempts, and what hostile ones hold."""

import contextlib
import csv
import datetime
import errno
import functools
import io
import json
import os
import pathlib
import stat
import struct
import subprocess
import sys
import zipfile
from types import SimpleNamespace

import pytest

from grader.cli import main
from grader.core.csv_files import guarded, unguarded
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.lms import archive, beside, candidates, names, platforms, turns
from grader.lms.archive import open_source
from grader.lms.collected import summary
from grader.lms.names import counter, senders
from grader.lms.people import student_id
from grader.lms.placing import Shelf
from grader.lms.students import Students, read_rosters
from grader.sandbox.inside.removing import remove_tree
from grader.submissions import packed
from grader.submissions.listing import STUDENT
from grader.submissions.packed import MAX_DEPTH
from grader.submissions.words import words_of

MOODLE_HEADER = (
    "Identifier,Full name,ID number,Email address,Status,Grade,Maximum grade,Grade can be changed,"
    "Last modified (submission),Last modified (grade),Feedback comments\n"
)


def notebook(course, answer="return 2 * x", assignment="09_doubling"):
    """A submission: the source notebook with another answer."""
    nb = read_notebook(course.source(assignment))
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") in ("double", "triple"):
            cell.source = f"def {cell.metadata.nbgrader.grade_id}(x):\n    {answer}"
    return json.dumps(nb).encode()


def make_zip(path, files, time=(2026, 11, 20, 12, 0, 0)):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zf:
        for name, data in files:
            info = name if isinstance(name, zipfile.ZipInfo) else zipfile.ZipInfo(name, time)
            info.compress_type = zipfile.ZIP_DEFLATED
            zf.writestr(info, data)
    return path


def placed(course):
    root = course.local / "submitted"
    return {str(p.relative_to(root)): p.read_bytes() for p in sorted(root.rglob("*")) if p.is_file()}


def attempts(course):
    return sorted(p.read_bytes() for p in (course.local / "attempts").rglob("*") if p.is_file())


def aside(course):
    """The attempts that do not count; a copy of the one that does is kept where another one may be put over it."""
    counts = {(path.split("/")[0], data) for path, data in placed(course).items()}
    kept = [p for p in (course.local / "attempts").rglob("*") if p.is_file()]
    return [p for p in kept if (p.parent.parent.name, p.read_bytes()) not in counts]


def rows(path):
    return list(csv.DictReader(path.open(encoding="utf-8", newline="")))


@pytest.mark.parametrize(
    "name",
    [
        "Anna Maria Müller_12345_assignsubmission_file_/nb.ipynb",
        "Anna Maria Müller_12345_assignsubmission_file/nb.ipynb",
        "Anna Maria Müller_12345_assignsubmission_file_/a folder/nb.ipynb",
        "Anna Maria Müller_12345_assignsubmission_file_nb.ipynb",
    ],
)
def test_moodle_download_with_folders_of_every_version_and_flat(course, run, tmp_path, name):
    data = notebook(course)
    result = run(make_zip(tmp_path / "NLP-Doubling-4711.zip", [(name, data)]))
    assert not result.unplaced
    assert placed(course) == {"anna_maria_muller/09_doubling/09_doubling.ipynb": data}
    (person,) = rows(course.local / "students.csv")
    assert (person["student"], person["system"], person["name"]) == ("anna_maria_muller", "moodle", "Anna Maria Müller")
    (attempt,) = rows(course.local / "collected.csv")
    assert (attempt["number"], attempt["state"]) == ("12345", "current")
    assert attempt["folder"] == "Anna Maria Müller_12345_assignsubmission_file"


def test_canvas_download_with_late_marks_repeated_files_and_anonymous_ones(course, run, tmp_path):
    older, newer = notebook(course, "return 1"), notebook(course, "return 2")
    files = [
        ("müllerannamaria_LATE_12345_67890_nb.ipynb", older),
        ("müllerannamaria_LATE_12345_67899_nb-1.ipynb", newer),
        ("o_brien_77_70000_nb_1_2.ipynb", older),
        ("LATE_anon_x7Yf_70001_nb.ipynb", newer),
    ]
    result = run(make_zip(tmp_path / "submissions.zip", files))
    assert not result.unplaced
    assert placed(course) == {
        "anon_x7yf/09_doubling/09_doubling.ipynb": newer,
        "mullerannamaria/09_doubling/09_doubling.ipynb": newer,
        "o_brien/09_doubling/09_doubling.ipynb": older,
    }
    assert [p.read_bytes() for p in aside(course)] == [older]
    notes = {p.student: " ".join(p.notes) for p in result.placed}
    assert "nb-1.ipynb is taken, nb.ipynb is kept aside" in notes["mullerannamaria"]
    assert "late, says Canvas" in notes["mullerannamaria"]
    assert "late" not in notes["o_brien"]
    found = {(a["student"], a["state"]): a for a in rows(course.local / "collected.csv")}
    assert found["mullerannamaria", "current"]["attachment"] == "67899"
    assert found["o_brien", "current"]["number"] == "77"


@pytest.mark.parametrize(
    ("path", "student"),
    [
        ("ada/09_doubling/09_doubling.ipynb", "ada"),
        ("ada/my work/solution.ipynb", "ada"),
        ("Ada Lovelace/nb.ipynb", "ada_lovelace"),
        ("José Núñez - 09_doubling (2).ipynb", "jose_nunez"),
        ("09_doubling_李明.ipynb", "李明"),
    ],
)
def test_plain_folders(course, run, tmp_path, path, student):
    target = tmp_path / "class" / path
    target.parent.mkdir(parents=True)
    target.write_bytes(notebook(course))
    assert not run(tmp_path / "class").unplaced
    assert list(placed(course)) == [f"{student}/09_doubling/09_doubling.ipynb"]


def test_a_folder_around_the_students_folders_is_no_student(course, run, tmp_path):
    for name in ("ada", "bob"):
        (tmp_path / "in" / "class of 2026" / name).mkdir(parents=True)
        (tmp_path / "in" / "class of 2026" / name / "nb.ipynb").write_bytes(notebook(course))
    assert all("may be a class, or one student" in u.why for u in run(tmp_path / "in").unplaced)
    assert not placed(course)
    assert not run(tmp_path / "in" / "class of 2026").unplaced
    assert {p.split("/")[0] for p in placed(course)} == {"ada", "bob"}


def test_downloads_are_named_on_the_command_line_and_zips_in_a_folder_are_students_own(course, run, tmp_path):
    data = notebook(course)
    make_zip(tmp_path / "in.zip", [("x.ipynb", data)])
    folder = tmp_path / "downloads"
    folder.mkdir()
    make_zip(folder / "NLP-Doubling-1.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", data)])
    make_zip(folder / "Bob Builder.zip", [("nb.ipynb", data)])
    make_zip(folder / "canvas.zip", [("clarke_5_6_work.zip", (tmp_path / "in.zip").read_bytes())])
    result = run(folder)
    assert [u.where for u in result.unplaced] == ["downloads: NLP-Doubling-1.zip", "downloads: canvas.zip"]
    assert all("name it on the command line" in u.fix for u in result.unplaced)
    assert {p.split("/")[0] for p in placed(course)} == {"bob_builder"}
    assert not run(folder / "NLP-Doubling-1.zip", folder / "canvas.zip").unplaced
    assert {p.split("/")[0] for p in placed(course)} == {"ada", "bob_builder", "clarke"}


def test_names_from_a_mac_are_the_same_student(course, run, tmp_path):
    composed, split = "José_5_assignsubmission_file_/nb.ipynb", "Jose\u0301_5_assignsubmission_file_/nb.ipynb"
    run(make_zip(tmp_path / "a.zip", [(composed, notebook(course))]))
    again = zipfile.ZipInfo(split, (2026, 11, 21, 0, 0, 0))
    result = run(make_zip(tmp_path / "b.zip", [(again, notebook(course))]))
    assert [p.outcome for p in result.placed] == ["unchanged"]
    # Without the flag that says UTF-8, as a Mac writes it.
    raw = make_zip(tmp_path / "c.zip", [(composed, notebook(course))]).read_bytes()
    with zipfile.ZipFile(tmp_path / "c.zip") as zf:
        assert zf.infolist()[0].flag_bits & 0x800
    patched = raw.replace(b"PK\x03\x04\x14\x00\x00\x08", b"PK\x03\x04\x14\x00\x00\x00")
    patched = patched.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x08", b"PK\x01\x02\x14\x03\x14\x00\x00\x00")
    assert patched != raw
    (tmp_path / "c.zip").write_bytes(patched)
    assert [p.outcome for p in run(tmp_path / "c.zip").placed] == ["unchanged"]


def test_collecting_twice_changes_nothing(course, run, tmp_path):
    files = [
        ("Ada_1_assignsubmission_file_/a.ipynb", notebook(course)),
        ("Ada_1_assignsubmission_file_/b.pdf", b"%PDF"),
    ]
    path = make_zip(tmp_path / "a.zip", files)
    first = run(path)
    state = {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in course.local.rglob("*") if p.is_file()}
    second = run(path)
    assert [p.outcome for p in first.placed + second.placed] == ["new", "unchanged"]
    assert {p: (p.read_bytes(), p.stat().st_mtime_ns) for p in course.local.rglob("*") if p.is_file()} == state
    assert len(second.aside) == 1  # the PDF, which is no reason for alarm beside a notebook


def test_the_latest_download_wins_in_any_order_and_nothing_is_lost(course, run, tmp_path):
    one, two, three = (notebook(course, f"return {n}") for n in (1, 2, 3))
    name = "Ada_1_assignsubmission_file_/nb.ipynb"
    monday = make_zip(tmp_path / "1.zip", [(name, one)], (2026, 11, 16, 8, 0, 0))
    tuesday = make_zip(tmp_path / "2.zip", [(name, two)], (2026, 11, 17, 8, 0, 0))
    friday = make_zip(tmp_path / "3.zip", [(name, three)], (2026, 11, 20, 8, 0, 0))
    (later,) = (run(monday), run(friday))[1].placed
    assert later.outcome == "later attempt"
    assert "kept as attempts/ada/09_doubling/" in later.notes[0]
    (earlier,) = run(tuesday).placed
    assert earlier.outcome.startswith("earlier attempt")
    assert placed(course) == {"ada/09_doubling/09_doubling.ipynb": three}
    assert attempts(course) == sorted([one, two])
    assert run(monday).placed[0].outcome.startswith("earlier attempt")
    assert placed(course) == {"ada/09_doubling/09_doubling.ipynb": three}
    # Back to the first version on Saturday: it is the latest then.
    saturday = make_zip(tmp_path / "4.zip", [(name, one)], (2026, 11, 21, 8, 0, 0))
    assert run(saturday).placed[0].outcome == "later attempt"
    assert placed(course) == {"ada/09_doubling/09_doubling.ipynb": one}
    assert attempts(course) == sorted([one, two, three])


@pytest.mark.parametrize("digits", [19, 20, 21, 31, 90])
@pytest.mark.parametrize("name", ["eve_7_{}_nb.ipynb", "eve_{}_8_nb.ipynb", "Eve_{}_assignsubmission_file_/nb.ipynb"])
def test_what_is_written_into_the_journal_can_be_read_again(course, run, tmp_path, digits, name):
    path = make_zip(tmp_path / "a.zip", [(name.format("1" * digits), notebook(course))])
    placed_before = run(path).placed
    kept = {p.name: p.read_bytes() for p in course.local.glob("*.csv")}
    again = run(path)
    assert not again.unread
    assert bool(placed_before) == bool(again.placed)
    assert {p.name: p.read_bytes() for p in course.local.glob("*.csv")} == kept


def test_numbers_of_files_that_only_a_last_digit_tells_apart(course, run, tmp_path):
    number = 10**17  # more than a float keeps apart, as numbers of Canvas' shards are
    older = make_zip(tmp_path / "a.zip", [(f"eve_7_{number}_nb.ipynb", notebook(course, "return 1"))])
    newer = make_zip(tmp_path / "b.zip", [(f"eve_7_{number + 1}_nb.ipynb", notebook(course, "return 2"))])
    for path in (newer, older, newer):
        run(path)
    assert list(placed(course).values()) == [notebook(course, "return 2")]


def test_what_somebody_put_there_by_hand_is_kept(course, run, tmp_path):
    target = course.local / "submitted/ada/09_doubling/09_doubling.ipynb"
    target.parent.mkdir(parents=True)
    target.write_bytes(notebook(course, "return 'by hand'"))
    name = "Ada_1_assignsubmission_file_/nb.ipynb"
    download = make_zip(tmp_path / "a.zip", [(name, notebook(course))])
    (unplaced,) = run(download).unplaced  # anybody may be called so
    assert "submissions of ada already, and students.csv does not say whose" in unplaced.why
    assert placed(course) == {"ada/09_doubling/09_doubling.ipynb": notebook(course, "return 'by hand'")}
    assert "(student ada, system moodle, name Ada)" in unplaced.fix
    (course.local / "students.csv").write_text("student,system,name\nada,moodle,Ada\n")
    assert run(download).placed[0].outcome == "later attempt"
    assert attempts(course) == [notebook(course, "return 'by hand'")]
    # Changed by hand after it was collected: the next collection of the same file leaves that alone.
    target.write_bytes(notebook(course, "return 'again'"))
    assert run(tmp_path / "a.zip").placed[0].outcome.startswith("earlier attempt")
    assert target.read_bytes() == notebook(course, "return 'again'")


@pytest.mark.parametrize(
    "names",
    [
        ("ada_55_901_nb.ipynb", "ada_55_902_nb-1.ipynb", "ada_55_903_nb-2.ipynb"),
        tuple(f"Ada_1_assignsubmission_file_/nb{number}.ipynb" for number in ("", " (1)", " (2)")),
    ],
)
def test_a_choice_by_hand_stays_until_a_file_comes_that_nobody_knew(course, run, tmp_path, names):
    """As is advised for two files that differ: the same download again undid it, and so did the next one."""
    data = [notebook(course, f"return {n}") for n in range(3)]
    both = list(zip(names, data, strict=True))[:2]
    first = make_zip(tmp_path / "1.zip", both)
    (look,) = run(first).looks
    target = course.local / "submitted/ada/09_doubling/09_doubling.ipynb"
    assert target.read_bytes() == data[1]
    (kept,) = aside(course)
    assert f"copy attempts/ada/09_doubling/{kept.name}" in look.fix
    target.write_bytes(kept.read_bytes())
    for path in (first, make_zip(tmp_path / "2.zip", both, (2026, 11, 24, 0, 0, 0)), first):
        result = run(path)
        assert [str(p.outcome) for p in result.placed] == ["earlier attempt, kept aside"]
        assert not result.looks
        assert target.read_bytes() == data[0]
        assert attempts(course) == sorted(data[:2])
    new = make_zip(tmp_path / "3.zip", [(names[2], data[2])], (2026, 11, 26, 0, 0, 0))
    assert run(new).placed[0].outcome == "later attempt"
    assert target.read_bytes() == data[2]
    assert run(first).placed[0].outcome == "earlier attempt, kept aside"


@pytest.mark.parametrize(
    "path", ["", "attempts", "attempts/eve", "autograded", "feedback", "export/moodle", "..", "../.."]
)
def test_what_the_grader_keeps_is_not_collected(course, run, tmp_path, path):
    """An earlier attempt would come back as a later one, and a marked notebook or the course's own as a submission."""
    bodies = {f"{n}.zip": notebook(course, f"return {n}") for n in range(2)}
    for day, (name, data) in enumerate(bodies.items(), 20):
        run(make_zip(tmp_path / name, [("Eve_1_assignsubmission_file_/nb.ipynb", data)], (2026, 11, day, 0, 0, 0)))
    (course.local / path).mkdir(parents=True, exist_ok=True)
    before = placed(course)
    with pytest.raises(GraderError) as caught:
        run(course.local / path)
    assert caught.value.what == "it is no download: the grader keeps there what was collected or marked"
    assert "copy it to its place in submitted/" in caught.value.fix
    assert placed(course) == before
    assert {p.outcome for p in run(course.local / "submitted").placed} == {"unchanged"}
    own = course.local / "downloads"  # which git ignores, too
    own.mkdir()
    (tmp_path / "1.zip").rename(own / "1.zip")
    assert {p.outcome for p in run(own / "1.zip").placed} == {"unchanged"}


def test_what_is_there_and_cannot_be_read_costs_its_owner_alone(course, run, tmp_path):
    target = course.local / "submitted/eve/09_doubling/09_doubling.ipynb"
    run(make_zip(tmp_path / "1.zip", [("Eve_2_assignsubmission_file_/nb.ipynb", notebook(course))]))
    with target.open("wb") as file:
        file.truncate(2**40)  # takes no room on the disk
    files = [(f"{name}_assignsubmission_file_/nb.ipynb", notebook(course)) for name in ("Bob_1", "Eve_2", "Zoe_3")]
    result = run(make_zip(tmp_path / "2.zip", files))
    assert {p.student for p in result.placed} == {"bob", "zoe"}
    assert "what is in eve/09_doubling already cannot be read" in result.unplaced[0].why
    assert {a["student"] for a in rows(course.local / "collected.csv")} == {"bob", "eve", "zoe"}


def test_what_no_file_system_takes_costs_its_owner_alone(course, run, tmp_path, monkeypatch):
    place = Shelf.place

    def refuse(self, student, assignment, ranked, alone, repeats):
        if student == "eve":
            raise OSError(36, "File name too long")
        return place(self, student, assignment, ranked, alone, repeats)

    monkeypatch.setattr(Shelf, "place", refuse)
    files = [(f"{name}_assignsubmission_file_/nb.ipynb", notebook(course)) for name in ("Bob_1", "Eve_2", "Zoe_3")]
    result = run(make_zip(tmp_path / "1.zip", files))
    assert {p.student for p in result.placed} == {"bob", "zoe"}
    assert "File name too long" in result.unplaced[0].why


def test_what_ends_a_run_leaves_its_records(course, run, tmp_path):
    files = [(f"{name}_assignsubmission_file_/nb.ipynb", notebook(course)) for name in ("Bob_1", "Eve_2", "Zoe_3")]

    def say(line):
        if line.startswith("eve"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(make_zip(tmp_path / "1.zip", files), say=say)
    assert {a["student"] for a in rows(course.local / "collected.csv")} == {"bob", "eve"}
    assert {p["student"] for p in rows(course.local / "students.csv")} == {"bob", "eve"}


#: Collects in a process of its own and waits, after it has read the tables, for a line.
HOLDER = """
import sys
from pathlib import Path
from grader.core.course import Course
from grader.lms.collect import collect

def say(line):
    print("holds", flush=True)
    sys.stdin.readline()

course = Course(Path(sys.argv[1]))
collect(course, course.local / "submitted", [Path(sys.argv[2])], say=say)
"""


@pytest.fixture
def holder(course, tmp_path):
    """Another collect, which holds the tables until it gets a line or is killed."""
    path = make_zip(tmp_path / "other.zip", [("Zoe_3_assignsubmission_file_/nb.ipynb", notebook(course))])
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(course.root), str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"holds\n"
        yield process
        process.kill()


def test_two_collects_lose_no_record_of_each_other(course, run, tmp_path, holder):
    path = make_zip(tmp_path / "a.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))])
    said = []

    def say(line):
        if said == []:
            holder.stdin.write(b"\n")
            holder.stdin.flush()
        said.append(line)

    run(path, say=say)
    assert "another `grader collect` is running" in said[0]
    assert {a["student"] for a in rows(course.local / "collected.csv")} == {"ada", "zoe"}
    assert {p["student"] for p in rows(course.local / "students.csv")} == {"ada", "zoe"}


def test_a_collect_waits_for_another_one_for_a_while_alone(course, run, tmp_path, holder, monkeypatch):
    monkeypatch.setattr(turns, "WAIT_S", 0.3)
    path = make_zip(tmp_path / "a.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))])
    with pytest.raises(GraderError, match="another `grader collect` is still running") as refused:
        run(path)
    assert "start this command again" in refused.value.fix
    assert not (course.local / "submitted/ada").exists()
    holder.kill()  # as the system does when memory is short; nothing of it is in the way
    holder.wait()
    said = []
    assert run(path, say=said.append).placed
    assert not [line for line in said if "another" in line]


def test_a_folder_without_locks_is_collected_into_as_before(course, run, tmp_path, monkeypatch):
    def unknown(*_):
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(turns.fcntl, "lockf", unknown)
    assert run(make_zip(tmp_path / "a.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))])).placed


@pytest.mark.parametrize(("code", "fix"), [(errno.ENOSPC, "make room"), (errno.EROFS, "may read and write there")])
def test_a_disk_is_not_taken_for_what_is_there(course, run, tmp_path, monkeypatch, code, fix):
    def refuse(self, student, assignment, ranked, alone, repeats):
        raise OSError(code, "as the system says")

    monkeypatch.setattr(Shelf, "place", refuse)
    result = run(make_zip(tmp_path / "1.zip", [("Eve_2_assignsubmission_file_/nb.ipynb", notebook(course))]))
    (one,) = result.unplaced
    assert "already" not in one.why
    assert os.strerror(code) in one.why
    assert fix in one.fix
    assert "move it away" not in one.fix


def sheet_with(path, time, name="Ada", number=1):
    when = f'"Friday, 20 November 2026, {time}"' if time else "-"
    path.write_text(MOODLE_HEADER + f"Participant {number},{name},,,Submitted for grading,,3,Yes,{when},-,\n")
    return path


def test_a_time_of_a_worksheet_is_not_compared_with_that_of_a_download(course, run, tmp_path):
    name = "Ada_1_assignsubmission_file_/nb.ipynb"
    one, two, three = (notebook(course, f"return {n}") for n in (1, 2, 3))
    # The server's clock is hours ahead of this machine's, in which the worksheet's times are read.
    first = make_zip(tmp_path / "1.zip", [(name, one)], (2026, 11, 20, 18, 0, 0))
    second = make_zip(tmp_path / "2.zip", [(name, two)], (2026, 11, 20, 22, 0, 0))
    older = make_zip(tmp_path / "3.zip", [(name, three)], (2026, 11, 20, 12, 0, 0))
    run(first)
    assert run(second, rosters=[sheet_with(tmp_path / "w.csv", "2:00 PM")]).placed[0].outcome == "later attempt"
    # An older download without a worksheet is one still, and so is one with a worksheet that says so.
    assert run(older).placed[0].outcome.startswith("earlier attempt")
    assert placed(course)["ada/09_doubling/09_doubling.ipynb"] == two
    again = make_zip(tmp_path / "4.zip", [(name, notebook(course, "return 4"))], (2026, 11, 20, 23, 0, 0))
    outcome = run(again, rosters=[sheet_with(tmp_path / "w.csv", "1:00 PM")]).placed[0].outcome
    assert outcome.startswith("earlier attempt")


def test_where_two_times_say_nothing_of_each_other_the_last_one_counts_and_that_is_said(course, run, tmp_path):
    name = "Ada_1_assignsubmission_file_/nb.ipynb"
    make = functools.partial(make_zip, files=[(name, notebook(course, "return 1"))])
    run(make(tmp_path / "1.zip", time=(2026, 11, 20, 18, 0, 0)), rosters=[sheet_with(tmp_path / "w.csv", "2:00 PM")])
    # As earlier versions wrote the journal: with the worksheet's time in place of the download's.
    journal = course.local / "collected.csv"
    (row,) = rows(journal)
    seconds = datetime.datetime.fromisoformat(f"{row['handed_in']}+00:00").timestamp()
    journal.write_text(journal.read_text().replace(row["order"], f"time:{seconds:.0f}"))
    second = make_zip(tmp_path / "2.zip", [(name, notebook(course, "return 2"))], (2026, 11, 20, 13, 0, 0))
    (later,) = run(second).placed
    assert later.outcome == "later attempt"
    assert "nothing tells which of the two is the later one" in later.notes[0]
    third = make_zip(tmp_path / "3.zip", [(name, notebook(course, "return 3"))], (2026, 11, 20, 14, 0, 0))
    assert "nothing tells" not in "".join(run(third).placed[0].notes)


@pytest.mark.parametrize("first", [True, False])
def test_a_name_is_the_same_without_what_moodle_leaves_out_of_folders(two, run, tmp_path, first):
    """With a worksheet the name is whole, and without one it is that of the folder."""
    assignments = ("08_tripling", "09_doubling")
    for number, assignment in enumerate(assignments, 1):
        file = (f"Zoe OBrien_{number}_assignsubmission_file/nb.ipynb", notebook(two, assignment=assignment))
        sheet = sheet_with(tmp_path / "w.csv", "", "Zoe O'Brien", number)
        with_sheet = first == (number == 1)
        assert run(make_zip(tmp_path / f"{number}.zip", [file]), rosters=[sheet] * with_sheet).placed
    (person,) = rows(two.local / "students.csv")
    assert {path.split("/")[0] for path in placed(two)} == {person["student"]}


def test_two_people_whose_names_moodle_writes_alike_are_not_taken_for_one(two, run, tmp_path):
    files = [
        (f"Zoe OBrien_{number}_assignsubmission_file/nb.ipynb", notebook(two, assignment="08_tripling"))
        for number in (1, 2)
    ]
    sheet = tmp_path / "w.csv"
    sheet.write_text(
        MOODLE_HEADER
        + "Participant 1,Zoe O'Brien,,a@x.org,,,3,Yes,-,-,\nParticipant 2,Zoe OBrien,,b@x.org,,,3,Yes,-,-,\n"
    )
    assert len(run(make_zip(tmp_path / "1.zip", files), rosters=[sheet]).placed) == 2
    assert len(rows(two.local / "students.csv")) == 2
    result = run(make_zip(tmp_path / "2.zip", [("Zoe OBrien_7_assignsubmission_file/nb.ipynb", notebook(two))]))
    assert not result.placed
    assert "several people are called" in result.unplaced[0].why


def test_a_run_that_was_cut_short_before_its_records_were_written(course, run, tmp_path):
    name = "Ada_1_assignsubmission_file_/nb.ipynb"
    run(make_zip(tmp_path / "1.zip", [(name, notebook(course, "return 1"))], (2026, 11, 16, 8, 0, 0)))
    kept = (course.local / "collected.csv").read_bytes()
    second = make_zip(tmp_path / "2.zip", [(name, notebook(course, "return 2"))], (2026, 11, 17, 8, 0, 0))
    run(second)
    (course.local / "collected.csv").write_bytes(kept)
    assert run(second).placed[0].outcome == "unchanged"
    found = {a["state"]: a for a in rows(course.local / "collected.csv")}
    assert (course.local / found["earlier"]["file"]).read_bytes() == notebook(course, "return 1")
    assert (found["current"]["system"], found["current"]["number"]) == ("moodle", "1")


def test_content_tells_the_assignment_then_the_name(two, run, tmp_path):
    files = [
        ("Ada_1_assignsubmission_file_/09_doubling.ipynb", notebook(two, "return 3 * x", "08_tripling")),
        ("Bob_2_assignsubmission_file_/tripling final.ipynb", b'{"cells": []}'),
        ("Cy_3_assignsubmission_file_/nb.ipynb", b'{"cells": []}'),
    ]
    result = run(make_zip(tmp_path / "a.zip", files))
    assert set(placed(two)) == {"ada/08_tripling/08_tripling.ipynb", "bob/08_tripling/08_tripling.ipynb"}
    assert "holds nothing of 08_tripling" in result.placed[1].notes[0]
    (lost,) = result.unplaced
    assert "Cy" in lost.where
    assert "--assignment" in lost.fix
    assert not run(make_zip(tmp_path / "Doubling-7.zip", files[2:])).unplaced  # the archive is named after it


def test_a_notebook_of_another_assignment_is_not_placed_under_the_one_asked_for(two, run, tmp_path):
    files = [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(two, assignment="08_tripling"))]
    result = run(make_zip(tmp_path / "a.zip", files), assignment="09_doubling")
    assert not placed_anything(two)
    assert "holds 08_tripling and not 09_doubling" in result.unplaced[0].why


def placed_anything(course):
    return (course.local / "submitted").exists() and placed(course)


def test_several_notebooks_of_one_student_go_to_their_assignments(two, run, tmp_path):
    files = [("Ada_1_assignsubmission_file_/a.ipynb", notebook(two))]
    files += [("Ada_1_assignsubmission_file_/b.ipynb", notebook(two, assignment="08_tripling"))]
    run(make_zip(tmp_path / "a.zip", files))
    assert set(placed(two)) == {"ada/08_tripling/08_tripling.ipynb", "ada/09_doubling/09_doubling.ipynb"}


def test_other_formats_keep_the_ending_that_says_what_they_are(course, run, tmp_path):
    files = [
        ("Ada_1_assignsubmission_file_/nb.ipynb.txt", notebook(course)),
        ("Bob_2_assignsubmission_file_/nb.py", b"def double(x):\n    return 2 * x\n"),
        ("Cy_3_assignsubmission_file_/essay.pdf", b"%PDF"),
        ("Di_4_assignsubmission_onlinetext_/onlinetext.html", b"<p>see my mail</p>"),
        ("Ed_5_assignsubmission_file_/nb.ipynb", b""),
    ]
    result = run(make_zip(tmp_path / "a.zip", files))
    assert set(placed(course)) == {"ada/09_doubling/09_doubling.ipynb", "bob/09_doubling/09_doubling.py"}
    why = {u.where.split("/")[0].split(": ")[1].split("_")[0]: u.why for u in result.unplaced}
    assert set(why) == {"Cy", "Di", "Ed"}
    assert "no notebook" in why["Cy"]
    assert "empty" in why["Ed"]


def test_a_notebook_counts_before_the_script_beside_it(course, run, tmp_path):
    files = [("Ada_1_assignsubmission_file_/z (3).py", b"def double(x):\n    return 2 * x\n")]
    files += [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))]
    files += [("Ada_1_assignsubmission_file_/nb (1).ipynb", notebook(course, "return 7"))]
    run(make_zip(tmp_path / "a.zip", files))
    assert placed(course) == {"ada/09_doubling/09_doubling.ipynb": notebook(course, "return 7")}
    assert len(aside(course)) == 2


def test_two_people_of_one_name_are_told_apart_by_the_worksheet_alone(course, run, tmp_path):
    ada, other = notebook(course, "return 1"), notebook(course, "return 2")
    files = [("Ada_1_assignsubmission_file_/nb.ipynb", ada), ("Ada_2_assignsubmission_file_/nb.ipynb", other)]
    path = make_zip(tmp_path / "a.zip", files)
    result = run(path)
    assert not placed_anything(course)
    assert len(result.unplaced) == 2
    assert all("--roster" in u.fix for u in result.unplaced)
    sheet = tmp_path / "Grades.csv"
    sheet.write_text(
        "\ufeff" + MOODLE_HEADER + "Participant 1,Ada,,ada@x.org,Submitted for grading,,3,Yes,"
        '"Friday, 20 November 2026, 9:30 PM",-,\nParticipant 2,Ada,,other@x.org,'
        '"Submitted for grading - Assignment was submitted 2 hours late",,3,Yes,'
        '"Friday, November 20, 2026, 11:30 PM",-,\n',
        encoding="utf-8",
    )
    assert not run(path, rosters=[sheet]).unplaced
    stamps = {k: v for k, v in placed(course).items() if k.endswith("timestamp.txt")}
    assert set(placed(course)) - set(stamps) == {f"{s}/09_doubling/09_doubling.ipynb" for s in ("ada", "ada_2")}
    assert set(stamps) == {"ada/09_doubling/timestamp.txt", "ada_2/09_doubling/timestamp.txt"}
    assert all(v.endswith(b" UTC\n") for v in stamps.values())
    late = {a["student"]: a["late"] for a in rows(course.local / "collected.csv")}
    assert late == {"ada": "", "ada_2": "late"}
    # What the worksheet said stays known without it.
    before = (course.local / "collected.csv").read_bytes()
    one = make_zip(tmp_path / "one.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", ada)], (2026, 11, 22, 0, 0, 0))
    run(one, rosters=[sheet])
    assert (course.local / "collected.csv").read_bytes() == before
    # Another assignment's archive has other numbers; with two of that name the name alone says nothing any more.
    assert run(make_zip(tmp_path / "b.zip", [("Ada_9_assignsubmission_file_/nb.ipynb", ada)])).unplaced


def test_no_name_of_a_file_reads_like_the_commands_own_words(course, run, tmp_path):
    odd, other = "01, full points were given by hand; nb.ipynb", "02, and bob copied it; nb.ipynb"
    files = [(f"Eve_1_assignsubmission_file_/{n}", notebook(course, f"return {k}")) for k, n in enumerate((odd, other))]
    files += [("Dora_2_assignsubmission_file_/nothing is wrong with it.pdf", b"%PDF-1.4")]
    result = run(make_zip(tmp_path / "a.zip", files))
    (one,), (none,) = result.placed, result.unplaced
    [note] = [n for n in one.notes if "kept aside" in n]
    assert note in {f"\u201c{a}\u201d is taken, \u201c{b}\u201d is kept aside" for a, b in ((odd, other), (other, odd))}
    assert none.why == "Dora handed in no notebook, but this"
    assert none.where == "a.zip: \u201cDora_2_assignsubmission_file_/nothing is wrong with it.pdf\u201d"


def test_one_student_s_many_files_are_told_in_a_line(course, run, tmp_path):
    files = [(f"Eve_1_assignsubmission_file_/{n}.ipynb", notebook(course, f"return {n}")) for n in range(40)]
    said = []
    (one,) = run(make_zip(tmp_path / "a.zip", files), say=said.append).placed
    assert len(aside(course)) == 39
    assert len(one.notes) == 1
    assert "and 34 more are kept aside" in said[0]
    assert said[0].count("\n") == 1


def test_another_number_of_the_same_assignment_is_not_taken_for_the_same_person(course, run, tmp_path):
    run(make_zip(tmp_path / "a.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))]))
    files = [("Ada_2_assignsubmission_file_/nb.ipynb", notebook(course, "return 'mine'"))]
    result = run(make_zip(tmp_path / "b.zip", files, (2026, 11, 22, 0, 0, 0)))
    assert placed(course) == {"ada/09_doubling/09_doubling.ipynb": notebook(course)}
    assert "another number than 2" in result.unplaced[0].why


def test_the_time_is_entered_when_the_worksheet_comes_later(course, run, tmp_path):
    path = make_zip(tmp_path / "a.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))])
    run(path)
    assert not (course.local / "submitted/ada/09_doubling/timestamp.txt").exists()
    sheet = tmp_path / "Grades.csv"
    row = 'Participant 1,Ada,,a@x.org,Submitted for grading,,3,Yes,"Friday, 20 November 2026, 9:30 PM",-,\n'
    sheet.write_text(MOODLE_HEADER + row)
    assert run(path, rosters=[sheet]).placed[0].outcome == "unchanged"
    assert "2026-11-2" in (course.local / "submitted/ada/09_doubling/timestamp.txt").read_text()
    assert rows(course.local / "students.csv")[0]["email"] == "a@x.org"


def test_a_timestamp_beside_the_notebook_goes_along(course, run, tmp_path):
    folder = tmp_path / "in/ada/09_doubling"
    folder.mkdir(parents=True)
    (folder / "09_doubling.ipynb").write_bytes(notebook(course))
    (folder / "timestamp.txt").write_text("2026-11-20 10:00:00 UTC")
    run(tmp_path / "in", times=True)
    assert placed(course)["ada/09_doubling/timestamp.txt"] == b"2026-11-20 10:00:00 UTC\n"


def test_a_time_that_is_none_ends_no_run_and_is_named(course, run, tmp_path):
    for student in ("ada", "eve", "zoe"):
        folder = tmp_path / "in" / student / "09_doubling"
        folder.mkdir(parents=True)
        (folder / "09_doubling.ipynb").write_bytes(notebook(course))
    (tmp_path / "in/eve/09_doubling/timestamp.txt").write_text("1" * 30 + "m")
    result = run(tmp_path / "in", times=True)
    assert set(placed(course)) == {f"{s}/09_doubling/09_doubling.ipynb" for s in ("ada", "eve", "zoe")}
    assert [aside for aside in result.aside if "eve" in aside and "timestamp.txt" in aside]


def test_names_that_are_no_text_lose_nothing(course, run, tmp_path):
    for name in (b"M\xfcller", b"Ada"):
        folder = os.fsencode(tmp_path / "in") + b"/" + name + b"/09_doubling"
        os.makedirs(folder)
        (pathlib.Path(os.fsdecode(folder)) / "09_doubling.ipynb").write_bytes(notebook(course))
    result = run(tmp_path / "in")
    assert len(result.placed) == 2
    assert len(placed(course)) == 2
    assert len(rows(course.local / "collected.csv")) == 2
    assert {p.outcome for p in run(tmp_path / "in").placed} == {"unchanged"}


def test_canvas_gradebook_gives_names_and_logins(course, run, tmp_path):
    book = tmp_path / "gradebook.csv"
    book.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Doubling (55)\n    Points Possible,,,,,3\n"
        '"Lovelace, Ada",12345,s1,al815,A,\n'
    )
    path = make_zip(tmp_path / "s.zip", [("lovelaceada_12345_9_nb.ipynb", notebook(course))])
    run(path, rosters=[book])
    (person,) = rows(course.local / "students.csv")
    assert (person["student"], person["name"], person["login"]) == ("ada_lovelace", "Ada Lovelace", "al815")


def test_a_canvas_gradebook_may_have_first_and_last_names_apart(course, run, tmp_path):
    book = tmp_path / "gradebook.csv"
    book.write_text(
        "LastName,FirstName,ID,SIS User ID,SIS Login ID,Section,Doubling (55)\n    Points Possible,,,,,,3\n"
        "Lovelace,Ada,12345,s1,al815,A,\n"
    )
    path = make_zip(tmp_path / "s.zip", [("lovelaceada_12345_9_nb.ipynb", notebook(course))])
    assert not run(path, rosters=[book]).unplaced
    (person,) = rows(course.local / "students.csv")
    assert (person["student"], person["name"], person["login"]) == ("ada_lovelace", "Ada Lovelace", "al815")


def test_an_id_written_in_advance_is_used(course, run, tmp_path):
    course.local.mkdir(parents=True)
    (course.local / "students.csv").write_text("student,system,number,name\ns0815,moodle,,Ada\n")
    run(make_zip(tmp_path / "a.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))]))
    assert list(placed(course)) == ["s0815/09_doubling/09_doubling.ipynb"]


@pytest.mark.parametrize("text", ["student,system\n../../etc,moodle\n", "student,system\n,moodle\n"])
def test_a_bad_id_in_the_file_is_refused_and_costs_nobody_else(course, run, tmp_path, text):
    course.local.mkdir(parents=True)
    (course.local / "students.csv").write_text(text)
    result = run(make_zip(tmp_path / "a.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))]))
    assert list(placed(course)) == ["ada/09_doubling/09_doubling.ipynb"]
    assert "students.csv, line 2" in summary(result)
    assert "cannot be a student's id" in summary(result)
    wrong = text.splitlines()[1].split(",")[0]
    assert [row["student"] for row in rows(course.local / "students.csv")] == ["ada", wrong]


def test_a_row_that_cannot_be_read_leaves_out_whom_it_names_alone(course, run, tmp_path):
    """Without its row, nobody can tell whether the name there is the one in the download."""
    course.local.mkdir(parents=True)
    (course.local / "students.csv").write_text("student,system,name\ns 1,moodle,Ada\n")
    files = [
        (f"{name}_{n}_assignsubmission_file_/nb.ipynb", notebook(course)) for n, name in enumerate(("Ada", "Bob"), 1)
    ]
    result = run(make_zip(tmp_path / "a.zip", files))
    assert list(placed(course)) == ["bob/09_doubling/09_doubling.ipynb"]
    (unplaced,) = result.unplaced
    assert "students.csv, line 2 speaks of it, and cannot be read" in unplaced.why


def test_a_state_that_nobody_knows_is_named_and_kept_and_the_others_go_on(course, run, tmp_path):
    path = make_zip(tmp_path / "a.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))])
    run(path)
    journal = course.local / "collected.csv"
    journal.write_text(journal.read_text().replace(",current,", ",curent,"))
    kept = journal.read_bytes()
    result = run(path)
    assert "'curent', and not one of: current, earlier" in summary(result)
    assert "collected.csv, line 2 speaks of it" in result.unplaced[0].why
    assert journal.read_bytes() == kept
    run(make_zip(tmp_path / "b.zip", [("Bob_2_assignsubmission_file_/nb.ipynb", notebook(course))]))
    assert sorted(placed(course)) == [f"{who}/09_doubling/09_doubling.ipynb" for who in ("ada", "bob")]
    assert sorted(row["state"] for row in rows(journal)) == ["curent", "current"]


@pytest.mark.parametrize(
    ("name", "chosen"),
    [
        ("Anna-Lena Groß", "anna_lena_gross"),
        ("../../etc/passwd", "etc_passwd"),
        ("💥", "student"),
        ("-rf *", "rf"),
        ("Нина", "нина"),
        ("x" * 500, "x" * 60),
        ("김철수", "김철수"),
    ],
)
def test_ids_are_safe(name, chosen):
    assert student_id(name, set()) == chosen
    assert STUDENT.fullmatch(student_id(name, {chosen}))
    assert student_id(name, {chosen.upper()}) not in (chosen, chosen.upper())


@pytest.mark.parametrize(
    ("name", "number"),
    [("nb.ipynb", 0), ("nb (2).ipynb", 2), ("nb-1.ipynb", 1), ("nb.ipynb (3)", 3), ("09_doubling.ipynb", 0)],
)
def test_counters_of_copies(name, number):
    assert counter(name) == number


def test_files_that_look_like_canvas_by_chance(course, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in ("doubling_2026_11_ada.ipynb", "bob.ipynb"):
        (folder / name).write_bytes(b"{}")
    with open_source(folder) as contents:
        found = {item.name: sender.system for item, sender in senders(contents.items, ["09_doubling"])}
    assert set(found.values()) == {"plain"}


def link(name, target=b"/etc/passwd"):
    info = zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    return info, target


def test_an_archives_name_drives_no_terminal(course, run, tmp_path):
    """Students name the archives that they send by mail, and the folder they come in may be named after one."""
    folder = tmp_path / "mails\x1b[2J"
    folder.mkdir()
    files = [("../x.ipynb", notebook(course)), ("nb.ipynb", notebook(course)), ("notes.txt", b"x")]
    make_zip(folder / "eve\x1b]0;owned\x07.zip", files)
    (folder / "bob\x1b[31m.zip").write_bytes(b"nonsense")
    files = [("zoe_12_34_nb.ipynb", notebook(course)), ("zoe_12_35_a.txt", b"x")]
    alone = make_zip(tmp_path / "download\u202e.zip", files)
    single = folder.parent / "one\x1b" / "Ann.ipynb"
    single.parent.mkdir()
    single.write_bytes(notebook(course))
    result = run(folder, alone, single)
    assert len(result.unplaced) == 2
    assert len(result.placed) == 3
    shown = summary(result) + (course.local / "collected.csv").read_text(encoding="utf-8")
    assert "\u201cmails\ufffd[2J\u201d: \u201ceve?]0;owned?.zip" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


def test_archives_whose_names_look_alike_stay_two(course, run, tmp_path):
    make_zip(tmp_path / "eve\x07.zip", [("nb.ipynb", notebook(course))])
    make_zip(tmp_path / "eve\x1b.zip", [(f"{name}/nb.ipynb", notebook(course)) for name in ("ada", "bob")])
    (tmp_path / "in").mkdir()
    for path in tmp_path.glob("*.zip"):
        path.rename(tmp_path / "in" / path.name)
    result = run(tmp_path / "in")
    assert len(result.placed) == 1
    assert ["several students or of one" in u.why for u in result.unplaced] == [True]


def test_paths_out_of_the_archive_and_links_are_refused(course, run, tmp_path):
    data = notebook(course)
    files = [
        ("../../outside_1_assignsubmission_file_/nb.ipynb", data),
        ("/abs_2_assignsubmission_file_/nb.ipynb", data),
        ("C:/win_3_assignsubmission_file_/nb.ipynb", data),
        link("Eve_4_assignsubmission_file_/nb.ipynb"),
        ("Ada_5_assignsubmission_file_/nb.ipynb", data),
    ]
    before = {p for p in tmp_path.rglob("*")}
    result = run(make_zip(tmp_path / "a.zip", files))
    assert list(placed(course)) == ["ada/09_doubling/09_doubling.ipynb"]
    assert sorted(u.why.split()[-1] for u in result.unplaced) == ["archive", "archive", "archive", "followed"]
    new = {p for p in tmp_path.rglob("*")} - before - {tmp_path / "a.zip"}
    assert course.local / "submitted/ada/09_doubling/09_doubling.ipynb" in new
    assert all(course.local in p.parents or p == course.local for p in new)
    assert not pathlib.Path("/abs_2_assignsubmission_file_").exists()


def test_links_in_a_folder_are_not_followed(course, run, tmp_path):
    secret = tmp_path / "secret.ipynb"
    secret.write_bytes(notebook(course))
    (tmp_path / "in/eve").mkdir(parents=True)
    (tmp_path / "in/eve/nb.ipynb").symlink_to(secret)
    (tmp_path / "in/mallory").symlink_to(tmp_path / "course")
    os.mkfifo(tmp_path / "in/eve/pipe.ipynb")
    result = run(tmp_path / "in")
    assert not placed_anything(course)
    assert len(result.unplaced) == 3


def deep_file(root, parts, data):
    """Write a file whose path is longer than a system call takes, a step at a time."""
    at = os.open(root, os.O_RDONLY)
    for part in parts:
        os.mkdir(part, dir_fd=at)
        at, before = os.open(part, os.O_RDONLY, dir_fd=at), at
        os.close(before)
    file = os.open("nb.ipynb", os.O_WRONLY | os.O_CREAT, dir_fd=at)
    os.write(file, data)
    os.close(file)
    os.close(at)


@pytest.mark.parametrize("further", [[], ["y" * 200, "z" * 200]])
def test_a_path_that_is_too_long_costs_its_owner_alone(course, run, tmp_path, further):
    root = tmp_path / "in"
    for student in ("ada", "bob", "cyd"):
        (root / student).mkdir(parents=True)
    for student in ("ada", "cyd"):
        (root / student / "nb.ipynb").write_bytes(notebook(course))
    parts, room = [], 4_091 - len(str(root / "bob"))  # the folder can be listed, and its file cannot be looked at
    while room > 1:
        parts.append("x" * (200 if room > 210 else room - 1))
        room -= len(parts[-1]) + 1
    deep_file(root / "bob", [*parts, *further], notebook(course))
    result = run(root)
    assert list(placed(course)) == [f"{s}/09_doubling/09_doubling.ipynb" for s in ("ada", "cyd")]
    (refused,) = result.unplaced
    assert refused.where.startswith("in: bob/x")
    assert "it cannot be looked at" in refused.why


@pytest.fixture
def removed(tmp_path):
    """A folder that is taken away again; pytest itself cannot, if a thousand folders are in one another there."""
    yield tmp_path / "in"
    remove_tree(str(tmp_path / "in"))


@pytest.mark.parametrize("packed", [False, True])
def test_folders_in_folders_cost_their_owner_alone(course, run, tmp_path, removed, packed):
    """A thousand of them once ended the run for all, and the path of each file in some hundred filled the memory."""
    root, data = removed, notebook(course)
    deep = "/".join(["ab"] * 1_250)
    files = [(f"{student}/nb.ipynb", data) for student in ("ada", "bob", "cyd")]
    if packed:
        root = make_zip(tmp_path / "in.zip", [*files, (f"bob/{deep}/x.ipynb", data), (f"bob/{deep}/y.ipynb", data)])
    else:
        for name, content in files:
            (root / name).parent.mkdir(parents=True)
            (root / name).write_bytes(content)
        deep_file(root / "bob", deep.split("/"), data)
    with open_source(root) as contents:
        assert [item.parts for item in contents.items] == [(s, "nb.ipynb") for s in ("ada", "bob", "cyd")]
        assert all(len(refused.path) <= MAX_DEPTH + 1 for refused in contents.refused)
    result = run(root)
    assert list(placed(course)) == [f"{s}/09_doubling/09_doubling.ipynb" for s in ("ada", "bob", "cyd")]
    assert {u.why for u in result.unplaced} == {f"it lies in more than {MAX_DEPTH} folders"}
    assert all(u.where.partition(": ")[2].startswith("bob/ab/ab") for u in result.unplaced)


def test_a_folder_is_looked_into_as_deep_as_anybody_needs(course, run, tmp_path):
    deep = ["bob", *(["ab"] * (MAX_DEPTH - 1))]
    (tmp_path / "in").mkdir()
    for folders in (deep, ["ada"]):
        deep_file(tmp_path / "in", folders, notebook(course))
    with open_source(tmp_path / "in") as contents:
        assert {item.parts for item in contents.items} == {("ada", "nb.ipynb"), (*deep, "nb.ipynb")}
        assert not contents.refused
        names = [name for item in contents.items for name in item.parts if name == "ab"]
        assert len({id(name) for name in names}) == 1  # a name is in memory once, in however many paths it is


@pytest.mark.parametrize("time", [1e13, -1e13])
def test_a_time_that_no_calendar_has_costs_nobody_anything(course, run, tmp_path, monkeypatch, time):
    root, lstat = tmp_path / "in", pathlib.Path.lstat
    for student in ("ada", "bob"):
        (root / student).mkdir(parents=True)
        (root / student / "nb.ipynb").write_bytes(notebook(course))

    def told(path):  # not every file system keeps such a time
        status = lstat(path)
        return SimpleNamespace(st_mode=status.st_mode, st_size=status.st_size, st_mtime=time)

    monkeypatch.setattr(pathlib.Path, "lstat", told)
    with open_source(root) as contents:
        assert [item.time for item in contents.items] == [None, None]
    assert len(run(root).placed) == 2


def test_a_bomb_costs_its_author_alone(course, run, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_BYTES", 100_000)
    data = notebook(course)
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as zf:
        zf.writestr("nb.ipynb", b" " * 200_000)
        zf.writestr("again.zip", b"PK")
    many = io.BytesIO()
    with zipfile.ZipFile(many, "w") as zf:
        for number in range(archive.MAX_STUDENT_FILES + 1):
            zf.writestr(f"{number}.ipynb", b"{}")
    files = [
        ("Eve_1_assignsubmission_file_/bomb.zip", bomb.getvalue()),
        ("Mallory_2_assignsubmission_file_/many.zip", many.getvalue()),
        ("Oscar_3_assignsubmission_file_/huge.ipynb", b" " * 200_000),
        ("Trudy_4_assignsubmission_file_/broken.zip", b"PK\x03\x04 no zip"),
        ("Ada_5_assignsubmission_file_/nb.ipynb", data),
    ]
    result = run(make_zip(tmp_path / "a.zip", files))
    assert list(placed(course)) == ["ada/09_doubling/09_doubling.ipynb"]
    why = " ".join(u.why for u in result.unplaced)
    for part in ("it has more than 0 MB", "a zip file inside a zip file", "a zip file with more than", "a broken zip"):
        assert part in why
    assert len(result.unplaced) == 5


def test_a_students_files_are_read_up_to_a_bound(course, run, tmp_path, monkeypatch):
    data = notebook(course)
    monkeypatch.setattr(archive.Budget.__init__, "__defaults__", (3, 10**9))
    files = [(f"Eve_1_assignsubmission_file_/{n}.ipynb", data + b" " * n) for n in range(10)]
    result = run(make_zip(tmp_path / "a.zip", [*files, ("Ada_5_assignsubmission_file_/nb.ipynb", data)]))
    assert len(result.unplaced) == 6
    assert "2 further files of Eve" in result.unplaced[-1].why
    assert len(placed(course)) == 2


def test_what_cannot_be_unpacked_uses_up_the_bound_as_well(course, run, tmp_path, monkeypatch):
    monkeypatch.setattr(archive.Budget.__init__, "__defaults__", (200, 1_000_000))
    files = [(f"Eve_1_assignsubmission_file_/{n}.ipynb", b"broken" + b" " * 300_000) for n in range(20)]
    path = make_zip(tmp_path / "a.zip", [*files, ("Ada_5_assignsubmission_file_/nb.ipynb", notebook(course))])
    spoil_sums(path, b"/0.ipynb", 20)
    result = run(path)
    assert len(placed(course)) == 1
    whys = [u.why for u in result.unplaced]
    assert [why.startswith("it cannot be unpacked (it is damaged") for why in whys] == [True] * 4 + [False] * 2
    assert "already came to" in whys[4]


def test_what_is_refused_unread_leaves_the_bound_to_the_others(course, run, tmp_path):
    """A film that lies beside a notebook, or an archive of another kind of packing, takes nothing of it."""
    folder = tmp_path / "in/ada"
    folder.mkdir(parents=True)
    with (folder / "a_film.zip").open("wb") as file:
        file.truncate(2 * archive.MAX_STUDENT_BYTES)
    (folder / "nb.ipynb").write_bytes(notebook(course))
    result = run(tmp_path / "in")
    assert list(placed(course)) == ["ada/09_doubling/09_doubling.ipynb", "ada/09_doubling/left_aside.list"]
    assert "has more than 25 MB" in result.unplaced[0].why


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are Linux'")
@pytest.mark.parametrize(
    ("harm", "why"),
    [
        ("while True: pass", "could not be read within 1 seconds of a processor's time"),
        ("kept = [bytearray(2**24) for _ in range(2**10)]", "need more memory than any notebook does"),
        ("os.abort()", "nested deeper than Python's own parser can follow"),
        ("os._exit(0)", "the process that reads was stopped"),
    ],
)
@pytest.mark.parametrize("packed", [True, False])
def test_what_reading_costs_is_its_owners_alone(course, run, tmp_path, monkeypatch, harm, why, packed):
    """Whatever nobody thought of: each student is read beside the process that collects, in bounds."""
    words = candidates.words_in

    def slowly(data, known):
        if data.startswith(b"harm"):
            exec(harm)
        return words(data, known)

    monkeypatch.setattr(candidates, "words_in", slowly)
    if harm.startswith("while"):  # the others end by themselves, however slow the machine is
        monkeypatch.setattr(beside, "READ_S", 1.0)
    files = [(f"{name}/nb.ipynb", notebook(course)) for name in ("ada", "bob", "eve", "zoe")]
    files += [("eve/own.ipynb", b"harm")]
    for name, data in files:
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(data)
    result = run(make_zip(tmp_path / "in.zip", files) if packed else tmp_path / "in")
    assert list(placed(course)) == [f"{name}/09_doubling/09_doubling.ipynb" for name in ("ada", "bob", "zoe")]
    [one] = result.unplaced
    assert "eve/" in one.where
    assert why in one.why


def test_a_fault_of_ours_while_reading_is_told_and_stops_nobody_else(course, run, tmp_path, monkeypatch, caplog):
    words = candidates.words_in

    def faulty(data, known):
        if data.startswith(b"\x1b"):
            raise ZeroDivisionError("\x1b[2J of ours")
        return words(data, known)

    monkeypatch.setattr(candidates, "words_in", faulty)
    data = notebook(course)
    result = run(
        make_zip(tmp_path / "a.zip", [("eve/a.ipynb", b"\x1b"), ("ada/nb.ipynb", data), ("zoe/nb.ipynb", data)])
    )
    assert len(placed(course)) == 2
    [one] = result.unplaced
    assert one.why == "a fault of the grader, not of the files: \u201cZeroDivisionError: \ufffd[2J of ours\u201d"
    assert "in faulty" in caplog.text


def test_what_was_read_beside_is_what_is_read_here(course, tmp_path):
    """Every word of it, with names that no text can hold and times of a student's own archive."""
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as zf:
        zf.writestr(zipfile.ZipInfo("deep/nb.ipynb", (2026, 1, 2, 3, 4, 6)), notebook(course))
        zf.writestr("b.rar", b"")
    folder = tmp_path / "in" / os.fsdecode(b"ad\xe9")
    folder.mkdir(parents=True)
    for name, data in (("nb.ipynb", notebook(course, "return x")), ("own.zip", inner.getvalue()), ("film.mp4", b"")):
        (folder / name).write_bytes(data)
    sorter = candidates.Sorter({"09_doubling": words_of(read_notebook(course.source("09_doubling")))}, None)
    with open_source(tmp_path / "in") as contents:
        sent = [(item, sender) for item, sender in senders(contents.items, ["09_doubling"], set())]
        here = sorter.sort(sent, None, False)
        with contextlib.closing(beside.Beside(sorter, [(sent, None, False)], contents.handles)) as process:
            there = process.sort(0)
    assert there == here
    assert [c.item.said for c in there.candidates["09_doubling"]].count(None) == 1
    assert len(there.refused) == len(there.aside) == 1


def spoil_sums(path, first, entries):
    """Write wrong checksums into the first entries of a zip file's list."""
    raw = bytearray(path.read_bytes())
    place = 0
    for _ in range(entries):
        place = raw.index(b"PK\x01\x02", place + 1)
        raw[place + 16] ^= 0xFF
    path.write_bytes(raw)


def nothing_but_a_list(path, entries):
    """Write a zip file that lists so many files and holds none."""
    with zipfile.ZipFile(path, "w") as zf:
        zf.writestr("a.ipynb", b"")
        start = zf.start_dir
    raw = path.read_bytes()
    end = raw.index(b"PK\x05\x06")
    listed = raw[start:end] * entries
    counts = struct.pack("<2H2L", entries % 2**16, entries % 2**16, len(listed), start)
    path.write_bytes(raw[:start] + listed + raw[end : end + 8] + counts + b"\0\0")
    return path


@pytest.mark.parametrize("around", ["", "class/", "09_doubling/"])
@pytest.mark.parametrize("flood", ["{n}.txt", "{n}/{n}.ipynb", "deep/{n}/a"])
def test_a_folder_with_too_many_files_costs_its_owner_alone(course, run, tmp_path, monkeypatch, around, flood):
    monkeypatch.setattr(archive, "MAX_FILES", 20)
    root, data = tmp_path / "in", notebook(course)
    for student in ("ada", "bob", "cyd"):
        (root / f"{around}{student}").mkdir(parents=True)
        (root / f"{around}{student}" / "nb.ipynb").write_bytes(data)
    for number in range(21):
        file = root / f"{around}bob" / flood.format(n=number)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
    named, inside = (root / around, "") if around == "class/" else (root, around)
    result = run(named)
    assert list(placed(course)) == [f"{s}/09_doubling/09_doubling.ipynb" for s in ("ada", "cyd")]
    (refused,) = result.unplaced
    assert refused.where == f"{named.name}: {inside}bob"
    assert "more than 20 files and folders" in refused.why
    assert not result.aside


@pytest.mark.parametrize("around", ["", "class/", "09_doubling/"])
@pytest.mark.parametrize("flood", ["{n}.txt", "{n}/{n}.ipynb", "deep/{n}/a"])
def test_too_many_files_of_one_student_in_an_archive_cost_their_owner_alone(
    course, run, tmp_path, monkeypatch, around, flood
):
    monkeypatch.setattr(archive, "MAX_FILES", 20)
    data = notebook(course)
    files = [(f"{around}{student}/nb.ipynb", data) for student in ("ada", "bob", "cyd")]
    files[1:1] = [(f"{around}bob/{flood.format(n=number)}", data) for number in range(21)]
    name = "class.zip" if around == "class/" else "in.zip"
    result = run(make_zip(tmp_path / name, files))
    assert list(placed(course)) == [f"{s}/09_doubling/09_doubling.ipynb" for s in ("ada", "cyd")]
    (refused,) = result.unplaced
    assert refused.where == f"{name}: {around}bob"
    assert "more than 20 files and folders" in refused.why
    assert not result.aside


def test_too_many_files_of_an_archive_that_are_nobodys_are_refused_with_advice(course, run, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_FILES", 20)
    result = run(make_zip(tmp_path / "in.zip", [(f"{n}.ipynb", notebook(course)) for n in range(21)]))
    assert not placed(course)
    assert [(u.where, u.fix) for u in result.unplaced] == [
        ("in.zip", "unpack it and name the folder of the submissions")
    ]


@pytest.mark.parametrize("packed", [False, True])
def test_the_only_student_beside_a_folder_with_too_many_files_keeps_the_name(
    course, run, tmp_path, monkeypatch, packed
):
    monkeypatch.setattr(archive, "MAX_FILES", 20)
    root = tmp_path / "in"
    paths = ["class/ada/nb.ipynb", *(f"class/bob/{n}.ipynb" for n in range(21))]
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(notebook(course))
    download = make_zip(tmp_path / "class.zip", [(path, notebook(course)) for path in paths])
    assert len(run(download if packed else root / "class").unplaced) == 1
    assert list(placed(course)) == ["ada/09_doubling/09_doubling.ipynb"]


def test_too_many_files_in_nobodys_folder_are_refused_with_advice(course, run, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_FILES", 20)
    (tmp_path / "in").mkdir()
    for number in range(21):
        (tmp_path / "in" / f"{number}.ipynb").write_bytes(notebook(course))
    with pytest.raises(GraderError, match="more than 20 files"):
        run(tmp_path / "in")


def test_a_list_of_too_many_files_is_refused_before_it_is_parsed(course, run, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_LISTED", 60)
    parsed = []
    monkeypatch.setattr(zipfile.ZipInfo, "_decodeExtra", lambda *args: parsed.append(1))
    (tmp_path / "in").mkdir()
    nothing_but_a_list(tmp_path / "in" / "evil_77_903_work.zip", archive.MAX_STUDENT_FILES + 1)
    (tmp_path / "in" / "ada_55_900_nb.ipynb").write_bytes(notebook(course))
    alone = nothing_but_a_list(tmp_path / "alone.zip", 61)
    good = nothing_but_a_list(tmp_path / "good.zip", 60)
    result = run(alone, tmp_path / "in")
    assert not parsed
    assert list(placed(course)) == ["ada/09_doubling/09_doubling.ipynb"]
    assert [(u.where, "more than" in u.why) for u in result.unplaced] == [
        ("alone.zip", True),
        ("in: evil_77_903_work.zip", True),
    ]
    run(good)
    assert len(parsed) == 60


def test_a_list_of_too_many_bytes_is_refused_before_it_is_read(course, run, tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "_MOST_LISTED", 2**17)
    name = "1_" * 60 + "{}_9_nb.ipynb"
    path = make_zip(tmp_path / "a.zip", [(name.format(n), b"x") for n in range(1000)])
    assert "its list of files has more than" in run(path).unplaced[0].why
    bob = ("Bob_2_assignsubmission_file_/nb.ipynb", notebook(course))
    assert not run(make_zip(tmp_path / "b.zip", [bob])).unplaced


@pytest.mark.parametrize("name", ["1_" * 1200 + ".ipynb", "a/" * 3000 + "nb.ipynb", "a/" + "n" * 256 + "/nb.ipynb"])
def test_names_longer_than_any_file_system_takes_are_refused(course, run, tmp_path, monkeypatch, name):
    read = []
    for module in (names, platforms):
        monkeypatch.setattr(module, "readings_of", lambda text: read.append(text) or iter(()))
    bob = ("Bob_2_assignsubmission_file_/nb.ipynb", notebook(course))
    result = run(make_zip(tmp_path / "a.zip", [(name, notebook(course)), bob]))
    assert [u.why for u in result.unplaced] == ["its name is too long for a file's"]
    assert list(placed(course)) == ["bob/09_doubling/09_doubling.ipynb"]
    assert all(len(text) < 300 for text in read)


def test_damaged_and_encrypted_entries_are_named(course, run, tmp_path):
    path = make_zip(tmp_path / "a.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))])
    raw = bytearray(path.read_bytes())
    raw[200] ^= 0xFF  # within the compressed data
    path.write_bytes(raw)
    assert "cannot be unpacked" in run(path).unplaced[0].why
    (tmp_path / "no.zip").write_bytes(b"not a zip")
    assert "not a zip file that can be read" in run(tmp_path / "no.zip").unplaced[0].why


def test_a_broken_archive_is_described_in_the_graders_own_words(course, run, tmp_path):
    """The standard library quotes a name of 60,000 bytes, and with five of them nobody sees the others' lines."""

    def entry(name):
        return struct.pack("<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, 0, 0, 0, len(name), 0) + name

    shown, told = b"nb.ipynb", b"\xff" * 60_000
    start = entry(told)
    listed = struct.pack("<4s6H3L5H2L", b"PK\1\2", 20, 20, 0, 0, 0, 33, 0, 0, 0, len(shown), 0, 0, 0, 0, 0, 0) + shown
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 1, 1, len(listed), len(start), 0)
    (tmp_path / "in" / "ada").mkdir(parents=True)
    (tmp_path / "in" / "ada" / "work.zip").write_bytes(start + listed + end)
    deep_file(tmp_path / "in", ["bob"], notebook(course))
    result = run(tmp_path / "in")
    assert list(placed(course)) == ["bob/09_doubling/09_doubling.ipynb"]
    (refused,) = result.unplaced
    assert refused.why == "it cannot be unpacked (it is damaged, or is not what the zip file's list says of it)"
    assert len(summary(result)) < 1_000


def test_two_entries_of_one_name_are_two_attempts(course, run, tmp_path):
    name = "Ada_1_assignsubmission_file_/nb.ipynb"
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = make_zip(tmp_path / "a.zip", [(name, notebook(course, f"return {n}")) for n in (1, 2)])
    run(path)
    assert len(aside(course)) == 1
    assert len(placed(course)) == 1


def test_names_that_a_spreadsheet_would_run(course, run, tmp_path):
    name = '=HYPERLINK("http://x","y")'
    assert unguarded(guarded(name)) == name
    data = notebook(course)
    run(make_zip(tmp_path / "a.zip", [(f"{name.replace('/', '')}_1_assignsubmission_file_/nb.ipynb", data)]))
    for line in (course.local / "students.csv").read_text().splitlines():
        assert not any(cell.startswith("=") for cell in next(csv.reader([line])))
    again = Students(course.local / "students.csv").people[0]
    assert again.name.startswith("=HYPERLINK")


def test_where_nobody_can_be_told(course, run, tmp_path):
    (tmp_path / "in").mkdir()
    (tmp_path / "in/09_doubling.ipynb").write_bytes(notebook(course))
    (tmp_path / "in/notes.txt.md").write_text("mine")
    result = run(tmp_path / "in")
    assert "whose it is" in result.unplaced[0].why
    assert "could not be placed" in summary(result)
    assert len(result.aside) == 1


def test_a_long_text_in_a_worksheet_keeps_nobody_out(tmp_path):
    """Moodle's worksheet has a column with what people typed."""
    sheet = tmp_path / "s.csv"
    row = "Participant 1,Ada,,a@x.org,Submitted for grading,,3,Yes,-,-,{}\n"
    sheet.write_text(MOODLE_HEADER + row.format("x" * 200_000))
    assert [one.name for one in read_rosters([sheet]).people.values()] == ["Ada"]


def test_a_file_that_is_no_roster(course, run, tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with pytest.raises(GraderError, match="neither a grading worksheet nor a gradebook"):
        read_rosters([tmp_path / "x.csv"])


def test_the_command_says_what_it_did(course, tmp_path, capsys):
    good = make_zip(tmp_path / "a.zip", [("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course))])
    arguments = ["--course", str(course.root), "collect"]
    assert main([*arguments, str(good)]) == 0
    printed = capsys.readouterr().out
    assert "ada" in printed
    assert "1 submission: 1 new" in printed
    bad = make_zip(tmp_path / "b.zip", [link("Eve_4_assignsubmission_file_/nb.ipynb")])
    assert main([*arguments, str(bad)]) == 1
    assert "Fix:" in capsys.readouterr().out
    assert main([*arguments, str(tmp_path / "none.zip")]) == 2
    assert main([*arguments, str(good), "--assignment", "77"]) == 2
