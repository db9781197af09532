"""Tables and archives print as they stand whoever chose the names in them, and one odd row costs nobody else."""

import csv
import io
import unicodedata
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.core.csv_files import Given, csv_text, read_csv
from grader.core.escaping import spelled, unspelled
from grader.lms.journal import Attempt, Journal, State
from grader.lms.pack import Fixed, fitting, zip_bytes
from grader.lms.platforms import Sender, System
from grader.lms.students import Person, Students, write_rows

#: C0 and C1, overrides of direction, separators of lines, what looks like nothing, half of a pair, marks, and escapes.
ODD = "\x00\x07\x1b\x85\x9b\u202e\u2066\u2028\u2029\u200b\u3164\ud800\u0301\r\n\t\\x1bu202eU0001f600 =;',\"aé漢🙂"
names = st.text(alphabet=ODD, max_size=12)


def prints(text):
    return all(unicodedata.category(char)[0] not in "CZ" or char in " \n" for char in text)


@given(names)
def test_what_is_spelled_out_prints_and_comes_back(text):
    assert prints(spelled(text))
    assert "\n" not in spelled(text)
    assert unspelled(spelled(text)) == text


@pytest.mark.parametrize("text", ["Ada Lovelace", r"C:\users\ada", "Nguyễn", "王小明", "O'Hara", r"a\b", ""])
def test_ordinary_names_are_written_as_they_are(text):
    assert spelled(text) == text


def test_marks_heaped_onto_a_letter_are_spelled_out():
    assert spelled("a" + "\u0301" * 9).count("\u0301") == 4
    assert spelled("\u0301a") == r"\u0301a"


@given(st.lists(st.tuples(names, names), max_size=4))
def test_every_table_prints_and_every_field_comes_back(rows):
    text = csv_text([["student", "name"], *rows])
    assert prints(text)
    assert [tuple(row.cells.values()) for row in read_csv(text)] == rows


@given(names.filter(lambda text: "\ud800" not in text and "\r" not in text))
def test_what_a_system_gave_goes_back_letter_for_letter(text):
    (_, row) = csv.reader(io.StringIO(csv_text([["ID"], [Given(f"=1{text}")]]), newline=""))
    assert row == [f"=1{text}"]


@given(names.filter(lambda text: "/" not in text))
def test_names_in_an_archive_print_and_keep_what_a_system_looks_for(name):
    data = zip_bytes([(f"{name}_102_assignsubmission_file_/nb.html", b"")])
    (entry,) = zipfile.ZipFile(io.BytesIO(data)).namelist()
    assert prints(entry)
    assert "\\" not in entry
    assert entry.endswith("_102_assignsubmission_file_/nb.html")


@given(
    st.lists(st.text("a\u00ad\u0301\u6f22\U0001f600", min_size=60, max_size=130), min_size=1, max_size=3),
    st.integers(0, 9),
)
def test_a_name_in_an_archive_fits_and_keeps_what_is_fixed(pieces, number):
    fixed = Fixed(f"_{number}_901_")
    name = fitting(*pieces, fixed, ".ipynb")
    assert len(name.encode()) <= 255
    assert fixed in name
    assert fitting(name) == name
    assert fitting(*pieces, "b", fixed, ".ipynb") != name
    assert len(fitting(Fixed("漢" * 100)).encode()) <= 255


def journal(tmp_path):
    found = Journal(tmp_path / "collected.csv")
    found.attempts = [
        Attempt(s, "nb", State.CURRENT, "0" * 64, f"submitted/{s}", order="time:5") for s in ("ada", "bob")
    ]
    found.save()
    return found.path


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("ada,nb,current", "ada,nb,currant", "its column state has 'currant'"),
        ("ada,nb,current", "ada,extra,nb,current", "more cells"),
        ("ada,nb,current", "../x,nb,current", "cannot be a student's id"),
        ("ada,nb,current", "ada", "its column state"),
        ("time:5", "time:soon", "orders nothing"),
    ],
)
def test_a_row_of_the_journal_that_cannot_be_read_is_named_and_kept(tmp_path, old, new, why):
    path = journal(tmp_path)
    path.write_text(path.read_text().replace(old, new, 1))
    found = Journal(path)
    assert [a.student for a in found.attempts] == ["bob"]
    assert not found.unread[0].speaks_of(["nb", "current", "submitted/ada", "time:5"])
    assert found.unread[0].speaks_of([found.unread[0].row.cells["student"]])
    (unread,) = found.unread
    assert why in unread.why
    assert unread.where == "collected.csv, line 2"
    before = [row for row in csv.reader(path.open())][1]
    found.save()
    after = [row for row in csv.reader(path.open())][-1]
    assert [cell for cell in after if cell] == [cell for cell in before if cell]
    assert [a.student for a in Journal(path).attempts] == ["bob"]


def test_a_row_of_students_that_cannot_be_read_is_named_and_kept(tmp_path):
    path = tmp_path / "students.csv"
    write_rows(
        path,
        ["student", "system", "name", "section"],
        [{"student": "a/b", "system": "plain", "name": "Ada", "section": "A"}, {"student": "bob", "name": "Bob"}],
    )
    students = Students(path)
    assert students.people == [Person("bob", "", name="Bob")]
    (unread,) = students.unread
    assert "'a/b' cannot be a student's id" in unread.why
    assert unread.speaks_of(["ada"])
    assert not unread.speaks_of(["bob", ""])
    assert not unread.speaks_of(["plain", "A"])  # somebody may be called as a system or a section is
    students.save()
    assert [row.cells["student"] for row in read_csv(path.read_text())] == ["bob", "a/b"]


@given(names)
def test_a_person_is_found_again_whatever_the_name_is(tmp_path_factory, name):
    path = tmp_path_factory.mktemp("s") / "students.csv"
    students, sender = Students(path), Sender(System.PLAIN, name or "x", origin="x")
    student = students.person(sender, None).student
    students.save()
    found = Students(path).find(sender, None)
    assert found is not None
    assert found.student == student
