"""Exports: what Moodle and Canvas read of the files that are written for them, and the way there and back."""

import copy
import csv
import datetime
import functools
import html
import io
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell
from nbgrader.api import Gradebook

from grader.authoring.release import release
from grader.cli import main
from grader.core.course import Course
from grader.core.csv_files import Given, guarded
from grader.core.errors import GraderError
from grader.core.escaping import spelled
from grader.core.nbgrader_api import course_config, open_nbgrader
from grader.core.notebook import read_notebook
from grader.engine import fingerprints, handed
from grader.engine.apart import Answer, End
from grader.feedback import clock
from grader.feedback.run import write_pages
from grader.gradebook import records
from grader.lms import canvas, exporting, moodle, pack
from grader.lms.canvas import CanvasExportPlugin
from grader.lms.collect import collect
from grader.lms.journal import Attempt, State
from grader.lms.moodle import MoodleExportPlugin
from grader.submissions.folder_names import safe_id, write_folders

NB = "09_doubling"

MOODLE = [
    ("Ada Lovelace_101_assignsubmission_file_/nb.ipynb", "ada_lovelace"),
    ("Zoë O'Brien_102_assignsubmission_file_/nb.ipynb", "zoe_o_brien"),
]
CANVAS = [("lovelaceada_12345_901_nb.ipynb", "lovelaceada"), ("obrienzoë_LATE_7_902_nb-1.ipynb", "obrienzoe")]
HEADER = "Identifier,Full name,ID number,Email address,Status,Grade,Maximum grade,Grade can be changed"
HEADER += ",Last modified (submission),Last modified (grade),Feedback comments"


def submission(course, points):
    """A submission; its content differs with the points."""
    nb = read_notebook(course.released(NB))
    for cell in nb.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "double":
            cell.source = f"def double(x):\n    return 2 * x  # {points}"
    return nb


@pytest.fixture(scope="module")
def shelf(tmp_path_factory):
    """Where the release and its gradebook are kept for the next test: nbgrader takes its time over them."""
    return tmp_path_factory.mktemp("shelf")


@pytest.fixture
def released(course, shelf):
    """The small course with its release."""
    if not (shelf / "local").exists():
        release(course, [NB])
        shutil.copytree(course.release, shelf / "notebooks")
        shutil.copytree(course.local, shelf / "local")
    shutil.copytree(shelf / "notebooks", course.release, dirs_exist_ok=True)
    shutil.copytree(shelf / "local", course.local, dirs_exist_ok=True)
    return course


@pytest.fixture
def marked(released, tmp_path):
    """A function: collects an archive, enters marks, writes stand-ins for marked notebooks and feedback pages."""
    course = released

    def marked(files, written=""):
        path = tmp_path / "download.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for number, (name, _) in enumerate(files):
                archive.writestr(name, nbformat.writes(submission(course, number)))
        assert not collect(course, course.local / "submitted", [path]).unplaced
        with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
            for number, (_, student) in enumerate(files):
                gradebook.update_or_create_student(student)
                gradebook.update_or_create_submission(NB, student)
                scores = {"test_double_value": 2 - number, "test_double_text": 1, "written_why": 1.5}
                for name, score in scores.items():
                    grade = gradebook.find_grade(name, NB, NB, student)
                    grade.auto_score = score if name != "written_why" else None
                    grade.manual_score = score if name == "written_why" else None
                    grade.needs_manual_grade = False
                gradebook.find_comment("written_why", NB, NB, student).manual_comment = "Good <b>start</b>,\nmore?"
                gradebook.db.commit()
                nb = read_notebook(course.source(NB))
                for cell in nb.cells:
                    cell.metadata.get("nbgrader", {}).pop("points", None)
                nb.metadata["marking"] = {"findings": []}
                nb.cells += [new_markdown_cell(written)] if written else []
                for step, name, text in (
                    ("autograded", f"{NB}.ipynb", nbformat.writes(nb)),
                    ("feedback", f"{NB}.html", f"<html>{student}</html>"),
                ):
                    (course.local / step / student / NB).mkdir(parents=True, exist_ok=True)
                    (course.local / step / student / NB / name).write_text(text)
        return path

    return marked


def write(course, plugin, **settings):
    """Run a plugin and give what it said and the folder of the assignment."""
    with open_nbgrader(course_config(course)) as api, Gradebook(api.coursedir.db_url, api.coursedir.course_id) as book:
        done, look = plugin(parent=api, **settings).write(book)
    return done, look, course.local / "export" / plugin.system / NB


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text(encoding="utf-8-sig"), newline="")))


def moodle_reads(names, participants):
    """Give each file to a participant as `importziplib.php` does."""
    found = {}
    for name in names:
        parts = name.split("/")
        while parts:
            info = parts.pop(0).split("_", 4)
            if len(info) >= 4 and info[1].isdigit() and info[1] in participants and info[2] == "assignsubmission":
                found[info[1]] = "/".join([p for p in (*info[4:], *parts) if p])
                break
    return found


def canvas_reads(name):
    """Give user and file as `infer_comment_context_from_filename` does."""
    return [part for part in name.split("_") if re.fullmatch(r"\d+", part)][:2]


def test_moodle_worksheet_of_its_own(course, marked):
    marked(MOODLE)
    done, look, folder = write(course, MoodleExportPlugin)
    assert not look
    ada, zoe = rows(folder / "grades.csv")
    assert (ada["Identifier"], ada["Grade"], ada["Maximum grade"]) == ("Participant 101", "4.5", "5")
    assert (zoe["Identifier"], zoe["Full name"], zoe["Grade"]) == ("Participant 102", "Zoë O'Brien", "3.5")
    assert zoe["test_double_value (2)"] == "1"
    assert "test_double_value 1 of 2" in zoe["Feedback comments"]
    assert "Good &lt;b&gt;start&lt;/b&gt;, more?" in zoe["Feedback comments"]
    assert "Last modified (grade)" in ada
    assert len(done) == 3


def test_marks_of_a_file_that_came_by_mail_go_back_if_it_was_handed_in_before_another_one(course, marked):
    """It counts as it came by mail, and has the number of the download in which it was, too."""
    marked(MOODLE)
    path = course.local / "collected.csv"
    header, ada, zoe = path.read_text().splitlines()
    assert ada.count(",moodle,") == 1
    by_mail, other = ada.replace(",moodle,", ",plain,"), ada.replace(",current,", ",earlier,")
    path.write_text("\n".join([header, by_mail, zoe, other]) + "\n")
    _, look, folder = write(course, MoodleExportPlugin)
    assert not look
    assert [row["Identifier"] for row in rows(folder / "grades.csv")] == ["Participant 101", "Participant 102"]
    path.write_text("\n".join([header, by_mail, zoe]) + "\n")
    assert "not collected from Moodle" in write(course, MoodleExportPlugin)[1][0]


def test_marks_of_an_earlier_attempt_are_named(course, marked):
    marked(MOODLE)
    path = course.local / "submitted" / "ada_lovelace" / NB / f"{NB}.ipynb"
    with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
        for student in ("ada_lovelace", "zoe_o_brien"):
            file = course.local / "submitted" / student / NB / f"{NB}.ipynb"
            records.write(gradebook, NB, student, {"submission": fingerprints.fingerprint(file.read_bytes())})
        gradebook.db.commit()
    assert not write(course, MoodleExportPlugin)[1]
    path.write_text(path.read_text() + "\n")
    (line,) = write(course, MoodleExportPlugin)[1]
    assert line.startswith("ada_lovelace, ")
    assert "`grader grade` first" in line


ANOTHER = "the file that was handed in is not the one that was marked: run `grader grade` first"


def note_files(course, files, *, timestamp=None):
    """Enter into the records that the files which are among the submissions now were marked."""
    with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
        for _, student in files:
            file = course.local / "submitted" / student / NB / f"{NB}.ipynb"
            record = {"submission": fingerprints.fingerprint(file.read_bytes())}
            record |= {} if timestamp is None else {"timestamp": timestamp}
            records.write(gradebook, NB, student, record)
        gradebook.db.commit()


@pytest.mark.parametrize("row", ["plain", "canvas", "none"])
def test_whose_file_changed_is_named_before_it_is_advised_to_enter_the_mark_by_hand(course, marked, row):
    """A correction by mail, placed after marking: one entered the mark of the file before."""
    marked(MOODLE)
    note_files(course, MOODLE)
    path = course.local / "collected.csv"
    header, ada, zoe = path.read_text().splitlines()
    path.write_text("\n".join([header, zoe, *([] if row == "none" else [ada.replace(",moodle,", f",{row},")])]) + "\n")
    by_hand = f"ada_lovelace, {NB}: it was not collected from Moodle, so nothing of it goes there; enter it by hand"
    assert write(course, MoodleExportPlugin)[1] == [by_hand]
    folder = course.local / "submitted" / "ada_lovelace" / NB
    (folder / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC\n")
    time = f"{NB}: the time of handing in is not the one that was marked: ada_lovelace; run `grader grade 09` first"
    assert write(course, MoodleExportPlugin)[1] == [time, by_hand]
    (folder / f"{NB}.ipynb").write_text(nbformat.writes(submission(course, 7)))
    assert write(course, MoodleExportPlugin)[1] == [f"ada_lovelace, {NB}: {ANOTHER}", by_hand]


def test_who_was_marked_and_whose_files_nobody_keeps_is_asked_to_mark_nothing_again(course, marked):
    marked(MOODLE)
    note_files(course, MOODLE, timestamp="2026-11-20 12:00:00")
    path = course.local / "collected.csv"
    path.write_text("".join(line for line in path.read_text().splitlines(True) if not line.startswith("ada_")))
    shutil.rmtree(course.local / "submitted" / "ada_lovelace")
    (course.local / "submitted" / "zoe_o_brien" / NB / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC\n")
    (line,) = write(course, MoodleExportPlugin)[1]
    assert line.startswith("ada_lovelace, ")
    assert "enter it by hand" in line


@pytest.mark.parametrize("what", ["file", "time"])
def test_what_is_marked_while_marks_are_read_is_named(course, marked, monkeypatch, what):
    """An old mark went back beside the new record, which is of the file that is there."""
    marked(MOODLE)
    note_files(course, MOODLE, timestamp="")
    assert not write(course, MoodleExportPlugin)[1]
    folder = course.local / "submitted" / "ada_lovelace" / NB
    if what == "file":
        (folder / f"{NB}.ipynb").write_text(nbformat.writes(submission(course, 7)))
    else:
        (folder / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC\n")
    read = exporting.read_marks

    def meanwhile(*args):
        marks = read(*args)
        note_files(course, MOODLE[:1], timestamp="2026-11-20 12:00:00" if what == "time" else "")
        with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
            time = datetime.datetime(2026, 11, 20, 12) if what == "time" else None
            gradebook.find_submission(NB, "ada_lovelace").timestamp = time
            gradebook.find_grade("test_double_value", NB, NB, "ada_lovelace").auto_score = 0
            gradebook.db.commit()
        return marks

    monkeypatch.setattr(exporting, "read_marks", meanwhile)
    (line,) = write(course, MoodleExportPlugin)[1]
    assert "ada_lovelace" in line
    assert "not the one that was marked" in line
    monkeypatch.undo()
    assert not [line for line in write(course, MoodleExportPlugin)[1] if "that was marked" in line]


@pytest.mark.parametrize("when", ["before", "meanwhile"])
def test_who_was_entered_and_has_no_mark_yet_is_named(course, marked, monkeypatch, when):
    """As by a run that was killed, or that is at it: with those that wait, 0 points that nobody gave went back."""
    marked(MOODLE)
    folder = course.local / "submitted" / "fay" / NB

    def enter():
        with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
            gradebook.update_or_create_student("fay")
            gradebook.update_or_create_submission(NB, "fay")

    if when == "before":
        enter()
    else:
        read = exporting.read_marks
        monkeypatch.setattr(exporting, "read_marks", lambda *args: enter() or read(*args))
    folder.mkdir(parents=True)
    (folder / f"{NB}.ipynb").write_text(nbformat.writes(submission(course, 7)))
    line, by_hand = write(course, MoodleExportPlugin, include_waiting=True)[1]
    assert line == f"{NB}: entered in the gradebook, but not marked by then: fay; run `grader grade 09` first"
    assert "enter it by hand" in by_hand
    monkeypatch.undo()
    note_files(course, [("", "fay")])
    assert write(course, MoodleExportPlugin, include_waiting=True)[1] == [by_hand]


@pytest.mark.parametrize("noted", [("held", "traces"), ("held",), ("traces",), ()])
def test_a_file_that_comes_after_one_that_could_not_be_read_is_named(released, tmp_path, noted):
    """The mark of a zip file that was cut short is of nothing, and that is not what is there by now."""
    course, folder = released, released.local / "submitted" / "zoe_o_brien" / NB
    good = nbformat.writes(submission(course, 1)).encode()
    with zipfile.ZipFile(tmp_path / "own.zip", "w") as own:
        own.writestr("nb.ipynb", good)
    for number, data in enumerate([(tmp_path / "own.zip").read_bytes()[:-30], good]):
        with zipfile.ZipFile(tmp_path / f"{number}.zip", "w") as archive:
            archive.writestr(zipfile.ZipInfo(MOODLE[1][0], (2026, 11, 20 + number, 12, 0, 0)), data)

    def take(number):
        collect(course, course.local / "submitted", [tmp_path / f"{number}.zip"], NB)

    def said():
        look = write(course, MoodleExportPlugin, include_waiting=True)[1]
        return [line for line in look if "the file that was handed in" in line]

    take(0)
    _main(course, "grade", "--isolation", "limits")
    with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
        record = records.read(gradebook, NB, "zoe_o_brien")
        assert not record["submission"]
        for word in {"held", "traces"} - {*noted}:  # as a version noted that knew less
            record.pop(word, None)
        records.write(gradebook, NB, "zoe_o_brien", record)
        gradebook.db.commit()
    assert not said()
    take(0)
    (folder / "timestamp.txt").write_text("2026-11-20 12:00:00 UTC\n")
    (folder / ".ipynb_checkpoints").mkdir()
    assert not said()
    take(1)
    assert said() == [f"zoe_o_brien, {NB}: {ANOTHER}"]


def about_files(course):
    """Give what an export says of files that were handed in and of their times."""
    look = write(course, MoodleExportPlugin, include_waiting=True)[1]
    return [line for line in look if " marked" in line]


BESIDE = {
    "better": ("corrected.ipynb", lambda course: nbformat.writes(submission(course, 1)).encode(), ANOTHER),
    "in a folder": ("work/corrected.ipynb", lambda course: nbformat.writes(submission(course, 1)).encode(), ANOTHER),
    "unread": ("answers.pdf", lambda course: b"%PDF-1.4", "other files that marking does not read lie beside"),
    "copy": (f".ipynb_checkpoints/{NB}-checkpoint.ipynb", lambda course: course.released(NB).read_bytes(), ""),
    "backup": (f"{NB}.ipynb~", lambda course: course.released(NB).read_bytes(), ""),
    "Finder": (".DS_Store", lambda course: b"\0\0\0\1Bud1", ""),
    "time": ("submitted_at.txt", lambda course: b"yesterday", ""),
}


@pytest.mark.parametrize("noted", ["now", "before"])
@pytest.mark.parametrize("what", BESIDE)
def test_what_came_to_a_file_that_was_marked_alone_is_named_if_the_mark_depends_on_it(released, noted, what):
    """A correction by mail was put beside the release that somebody had handed in, and the old mark went back."""
    course, (name, content, told) = released, BESIDE[what]
    folder = course.local / "submitted" / "zoe" / NB
    folder.mkdir(parents=True)
    shutil.copy(course.released(NB), folder / f"{NB}.ipynb")
    _main(course, "grade", "--isolation", "limits")
    if noted == "before":
        forget(course, "zoe", "held")
    assert not about_files(course)
    (folder / name).parent.mkdir(exist_ok=True)
    (folder / name).write_bytes(content(course))
    lines = about_files(course)
    assert [told in line and "zoe" in line for line in lines] == [True] * bool(told)
    _main(course, "grade", "--isolation", "limits")
    assert not about_files(course)


def forget(course, student, *words):
    """Take from a record what an earlier version did not note."""
    with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
        record = records.read(gradebook, NB, student)
        for word in words:
            record.pop(word, None)
        records.write(gradebook, NB, student, record)
        gradebook.db.commit()


SEVERAL = {
    "other": lambda course, n: {"my nb.ipynb": nbformat.writes(submission(course, n)).encode()},
    "two": lambda course, n: {
        f"{NB}.ipynb": course.released(NB).read_bytes(),
        "mine.ipynb": nbformat.writes(submission(course, n)).encode(),
    },
    "zip": lambda course, n: {"work.zip": zip_of({"nb.ipynb": nbformat.writes(submission(course, n)).encode()})},
    "folder": lambda course, n: {"work/nb.ipynb": nbformat.writes(submission(course, n)).encode()},
    "broken": lambda course, n: {"work.zip": b"PK\3\4" if n == 1 else zip_of({"nb.ipynb": b"x"})[:4]},
}


def zip_of(files):
    """Pack files without their times."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return data.getvalue()


def hand_in(course, student, files):
    for name, content in files.items():
        path = course.local / "submitted" / student / NB / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)


@pytest.mark.parametrize("by", ["grade", "autograde"])
@pytest.mark.parametrize("words", [(), ("held",), ("held", "traces"), ("held", "traces", "unread")])
def test_whose_file_has_another_name_is_named_only_if_it_changed(released, tmp_path, by, words):
    """The mark is of the file that was chosen, and the one of the usual name was compared with it."""
    course = released
    several = {name: make for name, make in SEVERAL.items() if by == "grade" or name in ("two", "other")}
    for student, make in several.items():
        hand_in(course, student, make(course, 1))
    if by == "grade":
        _main(course, "grade", "--isolation", "limits")
    else:
        with open_nbgrader(course_config(course)) as api:
            for student in several:
                assert api.autograde(NB, student)["success"]
    for student in several:
        forget(course, student, *words)
    assert not about_files(course)
    other = Course(Path(shutil.copytree(course.root, tmp_path / "other")))
    assert not about_files(other)
    for student in several:
        hand_in(course, student, {".ipynb_checkpoints/nb-checkpoint.ipynb": b"{}", "timestamp.txt": b""})
    assert not about_files(course)
    hand_in(course, "two", {"timestamp.txt": b"2026-11-20 12:00:00 UTC"})
    (line,) = about_files(course)
    assert line.startswith(f"{NB}: the time of handing in is not the one that was marked: two; ")
    hand_in(course, "two", {"timestamp.txt": b""})
    for student, make in several.items():
        if student != "broken":
            hand_in(course, student, make(course, 2))  # as long as the one before
    changed = sorted(several.keys() - {"broken"})
    assert about_files(course) == [f"{student}, {NB}: {ANOTHER}" for student in changed]


def test_what_cannot_be_compared_is_named_in_one_line_and_the_marks_go_back(released, monkeypatch):
    """As on a machine without the source notebooks."""
    course = released
    for student in ("ada", "bob"):
        hand_in(course, student, SEVERAL["two"](course, 1))
    hand_in(course, "zoe", {f"{NB}.ipynb": nbformat.writes(submission(course, 1)).encode()})
    _main(course, "grade", "--isolation", "limits")
    shutil.rmtree(course.source(NB).parents[1])
    assert not about_files(course)
    for student in ("ada", "bob", "zoe"):
        hand_in(course, student, {"timestamp.txt": b"", ".DS_Store": b""})
    (line,) = about_files(course)
    assert line.startswith(f"{NB}: whether the file is still the one that was marked could not be found out (")
    assert line.endswith("): ada, bob, zoe; run `grader grade 09` first")


def test_whose_files_take_too_long_to_compare_now_has_not_handed_in_another(released, monkeypatch):
    course = released
    hand_in(course, "ada", SEVERAL["two"](course, 1))
    _main(course, "grade", "--isolation", "limits")
    hand_in(course, "ada", {".DS_Store": b""})
    monkeypatch.setattr(handed, "_ask", lambda *args: Answer(End.TIME, b"", 30.0))
    (line,) = about_files(course)
    assert line.startswith(f"{NB}: whether the file is still the one that was marked could not be found out: ada; ")


@pytest.mark.parametrize(("plugin", "files"), [(MoodleExportPlugin, MOODLE), (CanvasExportPlugin, CANVAS)])
def test_a_time_of_handing_in_that_came_after_marking_is_named_in_one_line(course, marked, plugin, files):
    """What a penalty is of is the time that was known when it was marked."""
    marked(files)
    stamps = [course.local / "submitted" / student / NB / "timestamp.txt" for _, student in files]

    def said():
        return [line for line in write(course, plugin)[1] if "time of handing in" in line]

    def mark(*times):
        with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
            for (_, student), time in zip(files, times, strict=True):
                gradebook.find_submission(NB, student).timestamp = time
            gradebook.db.commit()

    one, other = sorted(student for _, student in files)
    first = next(stamp for stamp in stamps if one in stamp.parts)
    assert not said()
    first.write_text("2026-11-20 12:00:00 UTC\n")
    line = f"{NB}: the time of handing in is not the one that was marked: {one}; run `grader grade 09` first"
    assert said() == [line]
    for stamp in stamps:
        stamp.write_text("2026-11-20 12:00:00.25 +0100\n")
    assert said() == [line.replace(f": {one}", f": {one}, {other}")]
    time = datetime.datetime(2026, 11, 20, 11, 0, 0, 250_000)
    mark(time, time)
    assert not said()
    first.unlink()
    assert said() == [line]
    first.write_text("yesterday")  # which was marked as in time, and told then
    mark(*(None if stamp == first else time for stamp in stamps))
    assert not said()
    done, _, _ = write(course, plugin)
    assert "2 grades" in done[0]  # the marks go back


LATECOMERS = {
    "moodle": ("{0} New_{1}_assignsubmission_file_/nb.ipynb", "{}_new"),
    "canvas": ("new{0}_{1}_9{1}_nb.ipynb", "new{}"),
}


def collect_more(course, path, names, assignment=None):
    """Collect more files of the small course, which are not marked."""
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, nbformat.writes(submission(course, 7)))
    assert not collect(course, course.local / "submitted", [path], assignment).needs_a_look


def left_out(look):
    return [line for line in look if "not marked" in line]


@pytest.mark.parametrize(("plugin", "files"), [(MoodleExportPlugin, MOODLE), (CanvasExportPlugin, CANVAS)])
def test_who_was_collected_after_the_others_were_marked_is_named_in_one_line(course, marked, tmp_path, plugin, files):
    """An empty grade beside *Submitted for grading* went back without a word."""
    marked(files)
    assert not left_out(write(course, plugin)[1])
    name, student = LATECOMERS[plugin.system]
    people = ["abe", "bea", "cal", "dot", "eli", "fay", "gus"]
    collect_more(course, tmp_path / "2.zip", [name.format(one, 200 + n) for n, one in enumerate(people)])
    done, look, _ = write(course, plugin)
    who = ", ".join(student.format(one) for one in people[:5])
    assert left_out(look) == [f"{NB}: handed in and not marked: {who} and 2 more; run `grader grade 09` first"]
    assert "2 grades" in done[0]  # the others' marks go back
    chosen = {"student": [student.format("gus"), files[0][1]], "assignment": [NB]}
    assert left_out(write(course, plugin, **chosen)[1]) == [
        f"{NB}: handed in and not marked: {student.format('gus')}; run `grader grade 09` first"
    ]
    assert not left_out(write(course, plugin, student=[files[0][1]])[1])


@pytest.mark.parametrize(("plugin", "other"), [(MoodleExportPlugin, CANVAS), (CanvasExportPlugin, MOODLE)])
def test_who_handed_in_elsewhere_or_waits_for_a_person_is_not_unmarked(course, marked, tmp_path, plugin, other):
    files = MOODLE if other is CANVAS else CANVAS
    marked(files)
    with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
        gradebook.find_grade("written_why", NB, NB, files[0][1]).needs_manual_grade = True
        gradebook.db.commit()
    collect_more(course, tmp_path / "2.zip", [name for name, _ in other])
    look = write(course, plugin)[1]
    assert not left_out(look)
    assert len([line for line in look if line.startswith(f"{files[0][1]}, ")]) == 1
    # Of another notebook there is nothing to say where this one is asked for.
    journal = course.local / "collected.csv"
    text = journal.read_text()
    late = text.splitlines()[1].replace(files[0][1], "late").replace(NB, "08_tripling")
    journal.write_text(text + late + "\n")
    assert not left_out(write(course, plugin, assignment=[NB])[1])
    (line,) = left_out(write(course, plugin)[1])
    assert line.startswith("08_tripling: handed in and not marked: late; it is gone from the submissions: collect it")


def test_who_handed_in_by_mail_alone_or_as_well_and_is_not_marked_is_named(course, marked, tmp_path):
    marked(MOODLE)
    by_mail = tmp_path / "mail" / "Fay New.ipynb"
    by_mail.parent.mkdir()
    by_mail.write_text(nbformat.writes(submission(course, 7)))
    assert not collect(course, course.local / "submitted", [by_mail.parent]).needs_a_look
    for plugin in (MoodleExportPlugin, CanvasExportPlugin):
        (line,) = left_out(write(course, plugin)[1])
        assert line == f"{NB}: handed in and not marked: fay_new; run `grader grade 09` first"
    journal = course.local / "collected.csv"
    row = journal.read_text().splitlines()[-1]
    as_well = row.replace(",current,", ",earlier,").replace(",plain,", ",moodle,")
    journal.write_text(f"{journal.read_text()}{as_well}\n")
    assert left_out(write(course, MoodleExportPlugin)[1])
    assert not left_out(write(course, CanvasExportPlugin)[1])


def test_moodle_worksheet_that_was_downloaded_is_filled_in_and_the_rest_of_it_stays(course, marked, tmp_path):
    marked(MOODLE)
    sheet = tmp_path / "Grades-NLP-Doubling-55.csv"
    sheet.write_text(
        f"\ufeff{HEADER}\n"
        'Participant 101,Ada Lovelace,1,ada@x.org,Submitted,,5.00,Yes,"Friday, 20 November 2026, 9:30 PM",-,\n'
        "Participant 300,Nobody Yet,2,n@x.org,No submission,2.00,5.00,Yes,-,-,keep me\n"
        "Participant 102,Zoë O'Brien,3,z@x.org,Submitted,1.00,5.00,Yes,-,-,\n",
        encoding="utf-8",
    )
    _, look, folder = write(course, MoodleExportPlugin, roster=[str(sheet)])
    assert not look
    ada, nobody, zoe = rows(folder / "grades.csv")
    assert [ada["Grade"], nobody["Grade"], zoe["Grade"]] == ["4.5", "2.00", "3.5"]
    assert nobody["Feedback comments"] == "keep me"
    assert ada["Last modified (submission)"] == "Friday, 20 November 2026, 9:30 PM"
    assert list(ada)[:11] == HEADER.split(",")
    # A worksheet without one of those who handed in, and one of another assignment.
    sheet.write_text(f"{HEADER}\nParticipant 101,Ada Lovelace,1,a@x.org,Submitted,,5.00,Yes,-,-,\n")
    assert "participant 102 is not in" in write(course, MoodleExportPlugin, roster=[str(sheet)])[1][0]
    sheet.write_text(f"{HEADER}\nParticipant 901,Ada Lovelace,1,a@x.org,Submitted,,100.00,Yes,-,-,\n")
    assert "those of another assignment?" in write(course, MoodleExportPlugin, roster=[str(sheet)])[1][0]


@pytest.mark.parametrize("word", ["No", " no "])
def test_a_grade_that_moodle_has_locked_stays_and_is_named(course, marked, tmp_path, word):
    """Moodle passes it over and takes comment and page, which then stood beside the old grade."""
    marked(MOODLE)
    sheet = tmp_path / "grades.csv"
    row = "Participant {},{},1,a@x.org,Submitted,{},5.00,{},-,-,\n"
    ada, zoe = row.format(101, "Ada Lovelace", "2.00", word), row.format(102, "Zoë O'Brien", "", "Yes")
    sheet.write_text(f"{HEADER}\n{ada}{zoe}{row.format(300, 'Nobody Yet', '1.00', word)}", encoding="utf-8")
    done, look, folder = write(course, MoodleExportPlugin, roster=[str(sheet)])
    filled = rows(folder / "grades.csv")
    assert [one["Grade"] for one in filled] == ["2.00", "3.5", "1.00"]
    assert "test_double_value" in filled[1]["Feedback comments"]
    (line,) = look
    assert line.startswith(f"{NB}: Moodle lets no grade be changed that is locked or overridden")
    assert ": ada_lovelace; unlock it" in line
    assert ": 1 grade, for" in done[0]


@pytest.mark.parametrize("grades", [("4.5", "3.5"), ("4.50", "3.50"), ("4,50", "3,50")])
def test_a_whole_class_that_moodle_has_locked_with_its_marks_is_not_named(course, marked, tmp_path, grades):
    """As at the end of a term, when an export is made once more; a comma is what some spreadsheets save."""
    marked(MOODLE)
    sheet = tmp_path / "grades.csv"
    text = "".join(
        f"Participant {number};Name;1;a@x.org;Submitted;{mark};5;No;-;-;\n"
        for number, mark in zip((101, 102), grades, strict=True)
    )
    sheet.write_text(f"{HEADER.replace(',', ';')}\n{text}")
    done, look, _ = write(course, MoodleExportPlugin, roster=[str(sheet)])
    assert not look
    assert ": 0 grades, for" in done[0]
    sheet.write_text(sheet.read_text().replace(grades[0], "1"))
    (line,) = write(course, MoodleExportPlugin, roster=[str(sheet)])[1]
    assert ": ada_lovelace; unlock it" in line


@pytest.mark.parametrize(
    ("grades", "named"),
    [(("5", "4"), False), (("4", "3"), False), (("5", "3.0"), True), (("6", "4"), True), (("5.00", "4.00"), True)],
)
def test_a_locked_grade_is_compared_as_moodle_shows_it(course, marked, tmp_path, grades, named):
    """The marks are 4.5 and 3.5, and a grade item may show no decimals: a whole class was named at each export."""
    marked(MOODLE)
    sheet = tmp_path / "grades.csv"
    rows_of = [f"Participant {101 + n},Name,1,a@x.org,Submitted,{grade},5,No,-,-,\n" for n, grade in enumerate(grades)]
    sheet.write_text(f"{HEADER}\n{''.join(rows_of)}")
    assert bool(write(course, MoodleExportPlugin, roster=[str(sheet)])[1]) is named


@pytest.mark.parametrize("heading", ["Identifier", "Grade", "Last modified (grade)", "Feedback comments"])
def test_a_worksheet_with_a_column_twice_that_moodle_reads_is_refused(course, marked, tmp_path, heading):
    """Of somebody without a mark, the grade of the last one went back."""
    marked(MOODLE)
    sheet = tmp_path / "grades.csv"
    sheet.write_text(f"{HEADER},Note,Note\nParticipant 101,Ada Lovelace,1,a@x.org,Submitted,2.50,5.00,Yes,-,-,,,\n")
    write(course, MoodleExportPlugin, roster=[str(sheet)])
    sheet.write_text(sheet.read_text().replace("Note,Note", f"Note, {heading} "))
    with pytest.raises(GraderError, match=re.escape(f"several columns {heading}")):
        write(course, MoodleExportPlugin, roster=[str(sheet)])


def test_moodle_feedback_reaches_its_participant(course, marked):
    marked(MOODLE)
    _, _, folder = write(course, MoodleExportPlugin)
    with zipfile.ZipFile(folder / "feedback.zip") as archive:
        names = archive.namelist()
        assert names[0] == "Ada Lovelace_101_assignsubmission_file_/09_doubling_feedback.html"
        assert moodle_reads(names, {"101", "102"}) == dict.fromkeys(("101", "102"), "09_doubling_feedback.html")
        assert archive.read(names[1]) == b"<html>zoe_o_brien</html>"
    before = (folder / "feedback.zip").read_bytes()
    write(course, MoodleExportPlugin)
    assert (folder / "feedback.zip").read_bytes() == before


@pytest.mark.parametrize("what", ["points", "comment"])
def test_feedback_that_shows_other_marks_is_named(course, marked, what):
    marked(MOODLE)
    assert {page.outcome for page in write_pages(course_config(course), [NB], force=True)} == {"written"}
    look, folder = write(course, MoodleExportPlugin)[1:]
    assert not look
    with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
        if what == "points":
            gradebook.find_grade("written_why", NB, NB, "ada_lovelace").manual_score = 0.5
        else:
            gradebook.find_comment("written_why", NB, NB, "ada_lovelace").manual_comment = "Well done."
        gradebook.db.commit()
    look = write(course, MoodleExportPlugin)[1]
    assert [line for line in look if "older than the marks" in line] == look
    assert ["ada_lovelace" in line for line in look] == [True]
    with zipfile.ZipFile(folder / "feedback.zip") as archive:
        assert len(archive.namelist()) == 1
    write_pages(course_config(course), [NB])
    assert not write(course, MoodleExportPlugin)[1]


def test_feedback_that_is_missing_or_old_is_named(course, marked):
    marked(MOODLE)
    (course.local / "feedback/ada_lovelace" / NB / f"{NB}.html").unlink()
    os.utime(course.local / "feedback/zoe_o_brien" / NB / f"{NB}.html", (1, 1))
    _, look, folder = write(course, MoodleExportPlugin)
    assert "no feedback page" in look[0]
    assert "older than the marks" in look[1]
    assert not (folder / "feedback.zip").exists()


def test_another_maximum_is_refused_or_converted(course, marked, tmp_path):
    marked(MOODLE)
    sheet = tmp_path / "Grades.csv"
    sheet.write_text(f"{HEADER}\nParticipant 101,Ada Lovelace,1,a@x.org,Submitted,,100.00,Yes,-,-,\n")
    with pytest.raises(GraderError, match="the maximum there is 100, that of 09_doubling 5"):
        write(course, MoodleExportPlugin, roster=[str(sheet)])
    assert not (course.local / "export").exists()
    _, _, folder = write(course, MoodleExportPlugin, roster=[str(sheet)], scale=True)
    assert rows(folder / "grades.csv")[0]["Grade"] == "90"


def worksheet(path, maximum, other=""):
    """Write a worksheet with Ada and somebody who handed in nothing, as a spreadsheet may save it."""
    path.write_text(
        f"{HEADER}\nParticipant 101,Ada Lovelace,1,a@x.org,Submitted,,{maximum},Yes,-,-,\n"
        f"Participant 300,Nobody Yet,2,n@x.org,No submission,{other},{maximum},Yes,-,-,\n".replace(",", ";").replace(
            "~", ","
        )
    )
    return [str(path)]


@pytest.mark.parametrize(
    ("maximum", "shown", "grade"),
    [
        ("100~00", "100", "90"), ("100.00", "100", "90"), ("1.000~00", "1000", "900"), ("1~000.00", "1000", "900"),
        ("1\xa0000~00", "1000", "900"), ("1\u202f000~50", "1000.5", "900.45"), ("1'000.00", "1000", "900"),
        ("1~000~000", "1000000", "900000"), (" 7~5 ", "7.5", "6.75"),
    ],
)  # fmt: skip
def test_a_maximum_is_compared_in_any_notation_of_numbers(course, marked, tmp_path, maximum, shown, grade):
    marked(MOODLE[:1])
    roster = worksheet(tmp_path / "Grades.csv", maximum)
    with pytest.raises(GraderError, match=f"the maximum there is {re.escape(shown)}, that of 09_doubling 5"):
        write(course, MoodleExportPlugin, roster=roster)
    _, _, folder = write(course, MoodleExportPlugin, roster=roster, scale=True)
    assert rows(folder / "grades.csv")[0]["Grade"] == grade  # with a point: in English, Moodle reads nothing else


@pytest.mark.parametrize("maximum", ["5~00", "5.00", "5", "5~0", "", "  ", "5.000", "5~000"])
def test_the_same_maximum_or_none_stops_nothing(course, marked, tmp_path, maximum):
    marked(MOODLE[:1])
    _, look, folder = write(course, MoodleExportPlugin, roster=worksheet(tmp_path / "Grades.csv", maximum))
    assert not look
    assert rows(folder / "grades.csv")[0]["Grade"] == "4.5"


@pytest.mark.parametrize(
    ("maximum", "what"),
    [
        ("1~000", "“1,000”, may be 1000 or 1, so"),
        ("1.000", "“1.000”, may be 1000 or 1, so"),
        ("(read only)", "“(read only)”, is no number of points"),
        ("-3.00", "is no number of points"),
        ("1~00~00", "is no number of points"),
        ("nan", "is no number of points"),
    ],
)
@pytest.mark.parametrize("scale", [True, False])
def test_a_maximum_that_cannot_be_read_is_named(course, marked, tmp_path, maximum, what, scale):
    marked(MOODLE[:1])
    roster = worksheet(tmp_path / "Grades.csv", maximum)
    with pytest.raises(GraderError, match=re.escape(what)):
        write(course, MoodleExportPlugin, roster=roster, scale=scale)
    assert not (course.local / "export").exists()


def test_a_maximum_of_nothing_makes_no_marks(course, marked, tmp_path):
    marked(MOODLE[:1])
    roster = worksheet(tmp_path / "Grades.csv", "0~00")
    for scale in (True, False):
        with pytest.raises(GraderError, match="the maximum there is 0, that of") as refused:
            write(course, MoodleExportPlugin, roster=roster, scale=scale)
        assert str(refused.value.fix) == "set the maximum in the LMS"
    assert not (course.local / "export").exists()


@pytest.mark.parametrize(
    ("maximum", "other", "grade", "goes_back"),
    [("1~000", "3.25", "900", "3.25"), ("1.000", "3~25", "900", "3.25"), ("10~000", "12~5", "9", "12.5")],
)
def test_the_other_numbers_tell_what_a_sign_means(course, marked, tmp_path, maximum, other, grade, goes_back):
    marked(MOODLE[:1])
    roster = worksheet(tmp_path / "Grades.csv", maximum, other)
    _, _, folder = write(course, MoodleExportPlugin, roster=roster, scale=True)
    # The other one's grade goes back as well, and Moodle would read 3 of `3,25`.
    assert [row["Grade"] for row in rows(folder / "grades.csv")] == [grade, goes_back]


@pytest.mark.parametrize(
    ("points", "other", "grades"),
    [
        ("100,00", "1,5", ["90", "70"]), ("7,50", "", ["6,75", "5,25"]), ("7.50", "1", ["6.75", "5.25"]),
        ("15", "1", ["13.5", "10.5"]), ("5", "1,5", ["4,5", "3,5"]), ("1.500,00", "", ["1350", "1050"]),
    ],
)  # fmt: skip
def test_canvas_gets_points_back_in_the_notation_of_its_gradebook(course, marked, tmp_path, points, other, grades):
    marked(CANVAS)
    book = tmp_path / "grades.csv"
    book.write_text(
        f"Student;ID;SIS User ID;SIS Login ID;Section;Doubling (55)\n    Points Possible;;;;;{points}\n"
        f"Lovelace, Ada;12345;s1;al815;A;\nNobody, Yet;8;s2;n;A;{other}\nO'Brien, Zoë;7;s3;z;B;\n"
    )
    _, look, folder = write(course, CanvasExportPlugin, roster=[str(book)], scale=True)
    assert not look
    found = {r["ID"]: r["Doubling (55)"] for r in rows(folder / "gradebook.csv")}
    assert (found["12345"], found["8"], found["7"]) == (grades[0], other, grades[1])
    if points not in ("5", "5,00"):
        with pytest.raises(GraderError, match="the maximum there is"):
            write(course, CanvasExportPlugin, roster=[str(book)])


def test_a_worksheet_in_another_language_is_refused(course, marked, tmp_path):
    marked(MOODLE)
    sheet = tmp_path / "Bewertungen.csv"
    sheet.write_text("ID,Vollständiger Name,Bewertung\nTeilnehmer/in101,Ada,\n", encoding="utf-8")
    with pytest.raises(GraderError, match="no grading worksheet"):
        write(course, MoodleExportPlugin, roster=[str(sheet)])


def test_marks_that_wait_are_left_out_unless_asked_for(course, marked):
    marked(MOODLE)
    with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
        gradebook.find_grade("written_why", NB, NB, "ada_lovelace").needs_manual_grade = True
        gradebook.db.commit()
    _, look, folder = write(course, MoodleExportPlugin)
    assert "ada_lovelace, 09_doubling: left out" in look[0]
    assert [r["Identifier"] for r in rows(folder / "grades.csv")] == ["Participant 102"]
    write(course, MoodleExportPlugin, include_waiting=True)
    ada = rows(folder / "grades.csv")[0]
    assert ada["written_why (2)"] == ""
    assert "2 of them wait for a person" in ada["Feedback comments"]


def test_a_student_of_the_other_system_is_named_and_a_mark_can_be_chosen(course, marked):
    marked([*MOODLE, CANVAS[0]])
    _, look, folder = write(course, MoodleExportPlugin)
    assert look == [
        f"lovelaceada, {NB}: it was not collected from Moodle, so nothing of it goes there; enter it by hand"
    ]
    assert len(rows(folder / "questions.csv")) == 3
    write(course, MoodleExportPlugin, student=["zoe_o_brien"], assignment=[NB])
    assert [r["Identifier"] for r in rows(folder / "grades.csv")] == ["Participant 102"]
    with pytest.raises(GraderError, match="no such assignment"):
        write(course, MoodleExportPlugin, assignment=["77"])


@pytest.mark.parametrize(("plugin", "files"), [(MoodleExportPlugin, MOODLE), (CanvasExportPlugin, CANVAS)])
def test_of_two_ids_with_one_number_neither_mark_goes_back(course, marked, plugin, files):
    """The id was changed after something was collected; which mark went back was a matter of the alphabet."""
    marked(files)
    journal = course.local / "collected.csv"
    (first, second), text = rows(journal), journal.read_text()
    journal.write_text(text.replace(f",{second['number']},", f",{first['number']},"))
    done, look, _ = write(course, plugin)
    assert "0 grades" in done[0]
    assert sum(f"has the same number {first['number']} of" in line for line in look) == 2
    # As it is said: without the row of the other one, the mark goes back.
    journal.write_text("".join(line for line in text.splitlines(True) if not line.startswith(second["student"])))
    assert "1 grade" in write(course, plugin)[0][0]


def test_a_folder_whose_name_is_no_id_is_named_beside_its_marks(course, marked):
    marked(MOODLE)
    submitted, name = course.local / "submitted", "José [Núñez]"
    student = safe_id(name)
    with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
        gradebook.update_or_create_student(student)
        gradebook.update_or_create_submission(NB, student)
    write_folders(submitted, {student: name})
    _, look, folder = write(course, MoodleExportPlugin, include_waiting=True)
    assert {r["student"]: r["name"] for r in rows(folder / "questions.csv")}[student] == name
    assert any(
        line.startswith(f"{student} (folder \u201c{name}\u201d), {NB}: it was not collected from Moodle")
        for line in look
    )


@pytest.mark.parametrize(("plugin", "files"), [(MoodleExportPlugin, MOODLE), (CanvasExportPlugin, CANVAS)])
def test_feedback_that_is_too_large_to_take_along_is_named(course, marked, monkeypatch, plugin, files):
    marked(files)
    monkeypatch.setattr(pack, "MAX_TAKEN", 50_000)
    first = files[0][1]
    for path in (course.local / "autograded" / first / NB, course.local / "feedback" / first / NB):
        for file in path.iterdir():
            file.write_bytes(file.read_bytes() + b" " * 50_000)
    for page in (course.local / "feedback").rglob("*.html"):
        os.utime(page)
    _, look, folder = write(course, plugin)
    (line,) = [one for one in look if "bytes, more than the 50,000 that are taken along" in one]
    assert line.startswith(f"{first}, {NB}:")
    assert len(zipfile.ZipFile(folder / "feedback.zip").namelist()) == 1


def test_late_penalty_is_taken_off(course, marked):
    marked(MOODLE)
    with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
        gradebook.find_submission_notebook(NB, NB, "ada_lovelace").late_submission_penalty = 2
        gradebook.db.commit()
    _, _, folder = write(course, MoodleExportPlugin)
    ada = rows(folder / "grades.csv")[0]
    assert ada["Grade"] == "2.5"
    assert "taken off because it came late" in ada["Feedback comments"]
    assert rows(folder / "questions.csv")[0]["late penalty"] == "2"


def test_canvas_gradebook(course, marked, tmp_path):
    marked(CANVAS)
    book = tmp_path / "grades.csv"
    book.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Additive attention (54),Doubling (55),Final Score\n"
        ",,,,,,Manual Posting,\n    Points Possible,,,,,20.0,5.00,(read only)\n"
        '"Lovelace, Ada",12345,s1,al815,A,19,,\n"Nobody, Yet",8,s2,n,A,3,1,\n"O\'Brien, Zoë",7,s3,z,B,,,\n'
    )
    _, look, folder = write(course, CanvasExportPlugin, roster=[str(book)])
    assert not look
    found = rows(folder / "gradebook.csv")
    # The other columns are not in the file: their marks may have changed in Canvas meanwhile.
    assert list(found[0]) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Doubling (55)"]
    assert [r["Doubling (55)"] for r in found] == ["Manual Posting", "5.00", "4.5", "1", "3.5"]
    assert found[1]["Student"] == "    Points Possible"
    with pytest.raises(GraderError, match="no column for Doublings"):
        write(course, CanvasExportPlugin, roster=[str(book)], column="Doublings")
    _, _, folder = write(course, CanvasExportPlugin, roster=[str(book)], column="Additive attention", scale=True)
    assert rows(folder / "gradebook.csv")[2]["Additive attention (54)"] == "18"  # 4.5 of 5, as 18 of 20


@pytest.mark.parametrize("word", ["EX", " ex "])
def test_who_is_excused_in_canvas_stays_so_and_is_named(course, marked, tmp_path, word):
    marked(CANVAS)
    book = tmp_path / "book.csv"
    book.write_text(
        "Student,ID,Section,Doubling (55)\n    Points Possible,,,5\n"
        f'"Lovelace, Ada",12345,1,{word}\n"O\'Brien, Zoë",7,1,\n"Nobody, Yet",8,1,EX\n'
    )
    done, look, folder = write(course, CanvasExportPlugin, roster=[str(book)])
    assert [row["Doubling (55)"] for row in rows(folder / "gradebook.csv")] == ["5", word, "3.5", "EX"]
    (line,) = look
    assert line.startswith(f"lovelaceada, {NB}: the gradebook has EX (excused) in the column, which stays; if the mark")
    assert ": 1 grade in the column" in done[0]
    with zipfile.ZipFile(folder / "feedback.zip") as archive:
        assert len(archive.namelist()) == 2


@pytest.mark.parametrize("name", ["Eve Points Possible", "    Points Possible"])
def test_a_person_called_like_the_row_of_points_changes_nobodys_marks(course, marked, tmp_path, name):
    marked(CANVAS)
    book = tmp_path / "grades.csv"
    book.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Doubling (55)\n    Points Possible,,,,,50\n"
        f'"Nobody, Yet",8,s2,n,A,1\n"{name}",9,s4,e,A,5000\n"Lovelace, Ada",12345,s1,al815,A,\n'
        f'"{name}",,s5,f,A,5000\n"O\'Brien, Zoë",7,s3,z,B,\n'
    )
    _, _, folder = write(course, CanvasExportPlugin, roster=[str(book)], scale=True)
    found = {r["ID"]: r["Doubling (55)"] for r in rows(folder / "gradebook.csv")}
    assert (found["12345"], found["7"]) == ("45", "35")


def test_canvas_without_a_gradebook_makes_a_new_assignment_and_says_so(course, marked):
    marked(CANVAS)
    _, look, folder = write(course, CanvasExportPlugin)
    assert "a new assignment" in look[0]
    found = rows(folder / "gradebook.csv")
    assert [r["ID"] for r in found] == ["", "12345", "7"]
    assert found[0]["Student"] == "    Points Possible"
    assert [r[NB] for r in found] == ["5", "4.5", "3.5"]
    # A column per question would become an assignment each.
    assert list(found[0]) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", NB]
    assert "test_double_value (2)" in rows(folder / "questions.csv")[0]


def test_canvas_feedback_is_a_notebook_under_the_name_of_what_was_handed_in(course, marked):
    marked(CANVAS)
    _, _, folder = write(course, CanvasExportPlugin)
    with zipfile.ZipFile(folder / "feedback.zip") as archive:
        assert archive.namelist() == ["lovelaceada_12345_901_nb.ipynb", "obrienzoe_7_902_nb-1.ipynb"]
        assert [canvas_reads(n) for n in archive.namelist()] == [["12345", "901"], ["7", "902"]]
        text = archive.read("obrienzoe_7_902_nb-1.ipynb").decode()
    nb = nbformat.reads(text, as_version=4)
    nbformat.validate(nb)
    assert "3.5 of 5 points" in nb.cells[0].source
    assert any("**test_double_value: 1 of 2**" in c.source for c in nb.cells)
    assert "it is not doubled for negative numbers" not in text
    assert "HIDDEN TESTS" not in text
    assert set(nb.metadata) <= {"kernelspec", "language_info"}


def test_a_hidden_test_in_what_would_go_back_stops_the_export(course, marked, monkeypatch):
    marked(CANVAS)
    monkeypatch.setattr(pack, "import_item", lambda name: _Nothing)
    _, look, folder = write(course, CanvasExportPlugin)
    assert sum("a hidden test would go along" in line for line in look) == 2
    assert not (folder / "feedback.zip").exists()


def test_markers_that_a_student_wrote_are_no_hidden_test(course, marked):
    marked(CANVAS, "### BEGIN HIDDEN TESTS\nmine\n### END HIDDEN TESTS")
    _, look, folder = write(course, CanvasExportPlugin)
    assert not [line for line in look if "hidden test" in line]
    with zipfile.ZipFile(folder / "feedback.zip") as archive:
        assert all(b"BEGIN HIDDEN TESTS" in archive.read(name) for name in archive.namelist())


def test_what_needs_a_look_drives_no_terminal(course, marked, monkeypatch):
    """What goes wrong with a student's notebook may be told in the student's words."""

    def fails(*args):
        raise GraderError("it holds \x1b[2J\u202e", "nb\r.ipynb", "")

    marked(CANVAS)
    monkeypatch.setattr(canvas, "marked_notebook", fails)
    _, look, _ = write(course, CanvasExportPlugin)
    told = [line for line in look if "it holds" in line]
    assert len(told) == 2
    assert all(char.isprintable() for line in look for char in line)


class _Nothing:
    """A step that leaves everything as it is."""

    def __init__(self, config):
        pass

    def preprocess(self, nb, resources):
        return nb, resources


class _Endless(_Nothing):
    """A step that a submission keeps busy."""

    def preprocess(self, nb, resources):
        while True:
            pass


def test_what_takes_too_long_to_hand_back_is_named_and_ends_no_export(course, marked, monkeypatch):
    marked(CANVAS)
    monkeypatch.setattr(pack, "import_item", lambda name: _Endless)
    monkeypatch.setattr(clock, "CPU_S", 1)
    _, look, folder = write(course, CanvasExportPlugin)
    assert sum("could not be made within" in line for line in look) == 2
    assert (folder / "gradebook.csv").exists()


def test_what_was_handed_in_as_a_zip_goes_back_as_a_zip(course, marked, tmp_path):
    marked(CANVAS)
    text = (course.local / "collected.csv").read_text()
    (course.local / "collected.csv").write_text(text.replace(",nb.ipynb,", ",work.zip,"))
    _, _, folder = write(course, CanvasExportPlugin)
    with zipfile.ZipFile(folder / "feedback.zip") as archive:
        data = archive.read("lovelaceada_12345_901_work.zip")
    with zipfile.ZipFile(io.BytesIO(data)) as inner:
        assert inner.namelist() == [f"{NB}_feedback.ipynb", f"{NB}_feedback.html"]


@pytest.fixture
def commented(course, marked, tmp_path):
    """A function: exports with a worksheet that has a comment for Ada; gives what is named, and what goes back."""
    marked(MOODLE)

    def commented(comment, can="Yes"):
        sheet, row = tmp_path / "sheet.csv", ["x", "1", "a@x.org", "Submitted", "", "5.00", can, "-", "-"]
        with sheet.open("w", newline="") as file:
            lines = (["Participant 101", *row, comment], ["Participant 102", *row, ""])
            csv.writer(file).writerows([HEADER.split(","), *lines])
        _, look, folder = write(course, MoodleExportPlugin, roster=[str(sheet)])
        return [line for line in look if "comment" in line], rows(folder / "grades.csv")[0]["Feedback comments"]

    return commented


TYPED = [
    "<p>See me on Friday.</p>",
    "{}<p>Oral: 2 points more.</p>",
    '{}<p><img src="a.png"></p>',
    "{}\U0001f44d",
    "0 of 5",
]


@pytest.mark.parametrize("can", ["Yes", "No"])
@pytest.mark.parametrize("typed", TYPED)
def test_a_comment_that_a_person_typed_into_moodle_stays_and_is_named(commented, typed, can):
    """Moodle takes the worksheet's in its place, where the grade is locked too."""
    look, ours = commented("")
    assert not look
    there = typed.format(ours)
    ((line,), back) = commented(there, can)
    assert back == there
    assert line.startswith(f"{NB}: in Moodle is a comment that no export wrote")
    assert "ada_lovelace;" in line
    assert "zoe" not in line


@pytest.mark.parametrize("change", ["{}", "<p>{}</p>", "'{}", '<div dir="ltr">{}<br></div>', "<p></p>"])
def test_a_comment_of_an_export_is_replaced_by_that_of_the_next(course, commented, change):
    ours = [commented("")[1]]
    for points in (0, 1):  # corrected twice; the second of three exports was not uploaded
        with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
            gradebook.find_grade("written_why", NB, NB, "ada_lovelace").manual_score = points
            gradebook.db.commit()
        look, back = commented(change.format(ours[0]))
        assert (look, back in ours) == ([], False)
        ours.append(back)


@pytest.mark.parametrize("noted", [None, "", "[]", '{"101": 3}', '{"101": ["x"]}'])
def test_without_what_exports_noted_a_comment_counts_as_a_persons(course, commented, noted):
    _, ours = commented("")
    path = course.local / "export/moodle" / NB / "comments_written.json"
    path.unlink() if noted is None else path.write_text(noted)
    look, back = commented(ours)
    assert (len(look), back) == (1, ours)


def test_signs_in_a_comment_are_no_formula_and_look_as_they_did():
    lines = ['i <= j & -q, "=1;  =-2; @x; b; ==3', "-0.5", "a;'=1"]
    shown = moodle._as_html(SimpleNamespace(sentences=lambda: lines))
    assert [html.unescape(line) for line in shown.split("<br>")] == lines
    assert guarded(shown) == shown


def test_a_comment_that_moodle_shows_is_not_spelled_out():
    words = "\u06cc\u200c\U0001f469\u200d\U0001f4bb"  # joined by signs that look like nothing
    mark = SimpleNamespace(sentences=lambda: [f"=1; {words}\x1b[2J"])
    assert moodle._as_html(mark) == f"&#61;1; {words}?[2J"
    assert isinstance(moodle._as_html(mark), Given)


def test_what_a_system_compares_goes_back_letter_for_letter_and_names_print(course, marked, tmp_path):
    """Moodle would take a comment with another sign in front for a new one, and Canvas a login for another person."""
    marked(MOODLE)
    sheet = tmp_path / "s.csv"
    name, comment, when = "=Ada\u202e\x1b[2J", "'=as it \\\\x41 was\u200b", "-"
    row = f'Participant {{}},"{name}",,a@x.org,,,5,Yes,-,{when},"{{}}"\n'
    sheet.write_text(f"{HEADER}\n{row.format(101, '')}{row.format(999, comment)}", encoding="utf-8")
    _, _, folder = write(course, MoodleExportPlugin, roster=[str(sheet)])
    ada, other = rows(folder / "grades.csv")
    assert other["Feedback comments"] == comment
    assert "points" in ada["Feedback comments"]
    assert ada["Full name"] == other["Full name"] == r"'=Ada\u202e\x1b[2J"
    assert [ada["Identifier"], other["Identifier"]] == ["Participant 101", "Participant 999"]


@pytest.mark.parametrize(
    ("heading", "taken"),
    [
        ("09_doubling (55)", True),
        ("Notebook 9: Doubling (55)", True),
        ("Doubling, week 3 (55)", True),
        ("Essay on doubling (55)", False),
        ("Doublings (55)", False),
    ],
)
def test_a_column_whose_heading_says_more_is_not_filled(course, marked, tmp_path, heading, taken):
    marked(CANVAS)
    book = tmp_path / "book.csv"
    book.write_text(f'Student,ID,Section,"{heading}"\n"Lovelace, Ada",12345,1,\n')
    if not taken:
        with pytest.raises(GraderError, match="no column for 09_doubling"):
            write(course, CanvasExportPlugin, roster=[str(book)])
        return
    done, _, _ = write(course, CanvasExportPlugin, roster=[str(book)])
    assert any(heading.partition(":")[0] in line and "in the column" in line for line in done)


def test_a_column_of_canvas_goes_back_letter_for_letter(course, marked, tmp_path):
    marked(CANVAS)
    book, login = tmp_path / "book.csv", "+49'=\u200b1"
    book.write_text(
        "Student,ID,SIS User ID,SIS Login ID,Section,Doubling\u200b (55)\n    Points Possible,,,,,5\n"
        f'"=Ada\u202e",12345,-s5,{login},=A,\n"O\'Brien",7,s3,z,B,\n',
        encoding="utf-8",
    )
    _, _, folder = write(course, CanvasExportPlugin, roster=[str(book)], column="Doubling\u200b (55)")
    ada = rows(folder / "gradebook.csv")[1]
    assert list(ada) == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Doubling\u200b (55)"]
    assert list(ada.values()) == [r"'=Ada\u202e", "12345", "-s5", login, "=A", "4.5"]


def test_a_row_that_cannot_be_read_is_named_and_the_others_are_exported(course, marked):
    marked(MOODLE)
    journal = course.local / "collected.csv"
    journal.write_text(journal.read_text().replace(",current,", ",curent,", 1))
    _, look, folder = write(course, MoodleExportPlugin)
    assert any(line.startswith("collected.csv, line 2: it cannot be read") for line in look)
    assert len(rows(folder / "grades.csv")) == 1


def test_there_and_back_again(course, marked):
    """What goes back in Moodle's layout is again a download that collect reads: the same people."""
    marked(MOODLE)
    _, _, folder = write(course, MoodleExportPlugin)
    result = collect(course, course.local / "again/submitted", [folder / "feedback.zip"])
    assert not result.placed
    assert {u.why.split(" handed")[0] for u in result.unplaced} == {
        "\u201cAda Lovelace\u201d",
        "\u201cZoë O?Brien\u201d",
    }


#: Two bytes each, for which a sign of three stands.
LONG = "\u00ad" * 90


@pytest.mark.parametrize("long", [LONG, "x" * 200, "\u6f22" * 60, "\u0301" * 90])
def test_what_goes_back_can_be_unpacked_whatever_names_are(course, marked, monkeypatch, tmp_path, long):
    """Two people whose names are equal but for their ends, which are cut, stay apart."""
    marked(MOODLE)
    journal = course.local / "collected.csv"
    text = journal.read_text()
    for number, name in enumerate(("Ada Lovelace", "Zo\u00eb O'Brien")):
        text = text.replace(f"{name}_10", f"{spelled(long)}{number}_10")
    journal.write_text(text)
    _, _, folder = write(course, MoodleExportPlugin)
    monkeypatch.setattr(canvas, "marked_notebook", lambda *args: b"{}")
    plugin = SimpleNamespace(parent=SimpleNamespace(coursedir=None), config=None)
    files = []
    for number in (1, 2):
        student = "\u6f22" * 66 + str(number)
        attempt = Attempt(
            student, NB, State.CURRENT, "", "", number="77", attachment="901", name=f"{long}{number}.ipynb"
        )
        files.append(CanvasExportPlugin._upload(plugin, attempt, SimpleNamespace(student=student, assignment=NB), []))
    pack.write_zip(tmp_path / "canvas.zip", files)
    unpacked = {}
    for path in (folder / "feedback.zip", tmp_path / "canvas.zip"):
        with zipfile.ZipFile(path) as archive:
            names = unpacked[path.name] = archive.namelist()
            archive.extractall(tmp_path / path.stem)
        assert len(set(names)) == 2
        assert all(len(part.encode()) <= 255 for name in names for part in name.split("/"))
    found = moodle_reads(unpacked["feedback.zip"], {"101", "102"})
    assert found == dict.fromkeys(("101", "102"), "09_doubling_feedback.html")
    assert [canvas_reads(name) for name in unpacked["canvas.zip"]] == [["77", "901"]] * 2
    assert all(name.endswith(".ipynb") for name in unpacked["canvas.zip"])


@pytest.mark.slow
def test_the_command_and_nbgraders_own(course, marked, tmp_path, capsys):
    marked(MOODLE)
    out = tmp_path / "out"
    arguments = ["--course", str(course.root), "export", "--to", "moodle", "--out", str(out)]
    assert main(arguments) == 0
    assert "2 grades" in capsys.readouterr().out
    assert main([*arguments, "77"]) == 2
    assert main(["--course", str(course.root), "export", "--to", "canvas"]) == 1
    assert "need a look" in capsys.readouterr().out
    command = [str(Path(sys.executable).with_name("nbgrader")), "export", f"--to={tmp_path / 'own'}"]
    command += ["--exporter=grader.lms.moodle.MoodleExportPlugin", "--MoodleExportPlugin.include_waiting=True"]
    ended = subprocess.run(command, cwd=course.root, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    assert (tmp_path / "own" / NB / "grades.csv").read_bytes() == (out / NB / "grades.csv").read_bytes()


@pytest.mark.slow
def test_from_download_to_upload_with_real_marks(released, tmp_path, capsys):
    """Collect, grade, write feedback, export, with nothing but the commands."""
    course = released
    nb = submission(course, 0)
    with zipfile.ZipFile(tmp_path / "NLP-Doubling-55.zip", "w") as archive:
        archive.writestr("Ada Lovelace_101_assignsubmission_file_/nb.ipynb", nbformat.writes(nb))
        archive.writestr("Bob_102_assignsubmission_file_/nb.ipynb", course.released(NB).read_text())
    with zipfile.ZipFile(tmp_path / "submissions.zip", "w") as archive:
        archive.writestr("clarke_LATE_7_902_nb-1.ipynb", nbformat.writes(nb))
    arguments = ["--course", str(course.root)]
    assert main([*arguments, "collect", str(tmp_path / "NLP-Doubling-55.zip"), str(tmp_path / "submissions.zip")]) == 0
    main([*arguments, "grade", "--isolation", "limits"])
    with open_nbgrader(course_config(course)) as api:
        for student in ("ada_lovelace", "bob", "clarke"):
            assert api.generate_feedback(NB, student)["success"]
    capsys.readouterr()
    assert main([*arguments, "export", "--to", "moodle", "--include-waiting"]) == 1  # clarke is not in Moodle
    assert main([*arguments, "export", "--to", "canvas", "--include-waiting"]) == 1
    ada, bob = rows(course.local / "export/moodle" / NB / "grades.csv")
    assert (ada["Grade"], bob["Grade"]) == ("3", "0")
    assert "not written yet" not in html.unescape(ada["Feedback comments"])
    with zipfile.ZipFile(course.local / "export/canvas" / NB / "feedback.zip") as archive:
        text = archive.read("clarke_7_902_nb-1.ipynb").decode()
    assert "**test_double_text: 1 of 1**" in text
    assert "it is not doubled for negative numbers" not in text
    with zipfile.ZipFile(course.local / "export/moodle" / NB / "feedback.zip") as archive:
        assert b"Points: 3 of 5" in archive.read("Ada Lovelace_101_assignsubmission_file_/09_doubling_feedback.html")


@pytest.mark.slow
@pytest.mark.parametrize("system", ["moodle", "canvas"])
def test_whom_marking_left_out_is_named_by_the_export_until_all_are_marked(released, tmp_path, capsys, system):
    course, run = released, functools.partial(_main, released)
    files = MOODLE if system == "moodle" else CANVAS
    collect_more(course, tmp_path / "1.zip", [name for name, _ in files])
    run("grade", "--isolation", "limits", "--student", files[0][1])
    capsys.readouterr()
    assert run("export", "--to", system, "--include-waiting") == 1
    said = f"{NB}: handed in and not marked: {files[1][1]}; run `grader grade 09` first"
    assert said in capsys.readouterr().out
    run("grade", "--isolation", "limits")
    capsys.readouterr()
    run("export", "--to", system, "--include-waiting")
    assert "not marked" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("student", "name"),
    [("lovelaceada_2", "lovelaceada_77_901_nb.ipynb"), ("55", "77_901_nb.ipynb"), ("5\u00b2", "77_901_nb.ipynb")],
)
def test_no_digit_of_an_id_stands_before_the_number_that_canvas_looks_for(monkeypatch, student, name):
    monkeypatch.setattr(canvas, "marked_notebook", lambda *args: b"{}")
    attempt = Attempt(student, NB, State.CURRENT, "", "", number="77", attachment="901", name="nb.ipynb")
    plugin = SimpleNamespace(parent=SimpleNamespace(coursedir=None), config=None)
    named, _ = CanvasExportPlugin._upload(plugin, attempt, SimpleNamespace(student=student, assignment=NB), [])
    assert named == name


@pytest.mark.parametrize(("change", "advice"), [("gone", "put test_double_text back"), ("new", "take extra out again")])
@pytest.mark.parametrize("command", ["release", "grade"])
def test_other_cells_in_mid_term_are_refused_with_a_way_to_go_on(released, tmp_path, capsys, change, advice, command):
    course = released
    run = functools.partial(_main, course)
    target = course.local / "submitted/ada" / NB / f"{NB}.ipynb"
    target.parent.mkdir(parents=True)
    target.write_text(nbformat.writes(submission(course, 1)))
    run("grade")
    capsys.readouterr()
    source, text = course.source(NB), course.source(NB).read_text()
    nb = read_notebook(source)
    place = next(n for n, cell in enumerate(nb.cells) if "test_double_text" in str(cell.metadata))
    if change == "gone":
        del nb.cells[place]
    else:
        extra = copy.deepcopy(nb.cells[place])
        extra.metadata.nbgrader.grade_id, extra.id = "extra", "another"
        nb.cells.insert(place, extra)
    source.write_text(nbformat.writes(nb))
    assert run(command) == 2
    told = capsys.readouterr().err
    assert advice in told
    assert "what was collected and marked is kept" in told
    assert "then run `grader release` and `grader grade`" in told
    assert "grader check" not in told
    # The way that is advised leads on: the cell is there, without asserts.
    source.write_text(text)
    nb = read_notebook(source)
    nb.cells[place].source = '"""Text."""\nassert True'
    source.write_text(nbformat.writes(nb))
    assert run("release") == 0
    assert run("grade") in (0, 1)
    with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}", "attention") as gradebook:
        assert gradebook.find_submission(NB, "ada").score == 3


def _main(course, command, *options):
    return main(["--course", str(course.root), command, NB, *options])
