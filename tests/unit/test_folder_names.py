"""Students' folders whose names cannot be ids: the ids that stand for them, and the table of who is who."""

import csv
import os
import re
import unicodedata

import pytest
from nbgrader.converters import Autograde, base
from nbgrader.converters.base import NbGraderException
from nbgrader.coursedir import CourseDirectory
from traitlets.config import Application, Config

from grader.classrun.summary import Entry, Outcome, summary
from grader.nbgrader_plugins.autograde import MarkingExporter
from grader.sandbox.inside.removing import remove_tree
from grader.submissions.folder_names import TABLE, as_text, read_folders, safe_id, write_folders
from grader.submissions.listing import STUDENT, list_submissions

NB = "09_doubling"
COMPOSED, SPLIT = "José Núñez", unicodedata.normalize("NFD", "José Núñez")
ODD = [
    "Ada Lovelace",
    "Ada  Lovelace",
    "ada lovelace",
    "Ada_Lovelace ",
    COMPOSED,
    SPLIT,
    "Bob [2]",
    "Bob (2)",
    "Bob {2}*?",
    "-rf",
    "x" * 101,
    "x" * 102,
    "a\nb\t\x1b[31m",
    "=1+1",
    "\u202eevil",
    "王 小明",
    os.fsdecode(b"Jos\xe9"),
    "~",
    "$HOME",
    "back\\slash",
]


def class_of(folder, names, assignment=NB):
    for name in names:
        (folder / name / assignment).mkdir(parents=True)
    return folder


def test_each_odd_name_has_an_id_of_its_own_that_everything_here_can_carry():
    ids = [safe_id(name) for name in ODD]
    assert len({i.lower() for i in ids}) == len(ODD)
    for one in ids:
        assert STUDENT.fullmatch(one)
        assert re.fullmatch(r"[a-z0-9_]+-[0-9a-f]{12}", one)
        assert len(one) <= 60
    assert safe_id("José Núñez (2)").startswith("jose_nunez_2-")
    assert safe_id("王 小明").startswith("student-")


def test_an_id_stays_what_it_is():
    """Marks in a gradebook hang on it: another version must not make another one."""
    assert safe_id("José Núñez") == "jose_nunez-cd32e4cb9eba"


def test_every_folder_is_listed_and_its_id_does_not_depend_on_the_others(tmp_path):
    together = list_submissions(class_of(tmp_path / "all", [*ODD, "ada"]), [NB], [])
    assert {(one.student, one.folder, one.why) for one in together} == {
        ("ada", "ada", ""),
        *((safe_id(name), name, "") for name in ODD),
    }
    for number, name in enumerate(ODD):
        (alone,) = list_submissions(class_of(tmp_path / str(number), [name]), [NB], [])
        assert alone in together


@pytest.mark.parametrize("by", [COMPOSED, safe_id(COMPOSED)])
def test_a_student_is_named_by_folder_or_id(tmp_path, by):
    found = list_submissions(class_of(tmp_path, [COMPOSED, SPLIT, "ada"]), [NB], [by])
    assert [one.folder for one in found] == [COMPOSED]


def test_two_folders_never_become_one_student(tmp_path):
    taken = safe_id(COMPOSED)
    found = {one.folder: one for one in list_submissions(class_of(tmp_path, [COMPOSED, taken]), [NB], [])}
    assert f"the id that stands for the folder \u201c{COMPOSED}\u201d" in found[taken].why  # anybody can work it out
    assert found[COMPOSED].student == COMPOSED
    assert f"{taken}, which is made of it, is another one's" in found[COMPOSED].why


def test_a_folder_with_the_id_of_one_that_was_marked_before_is_refused(tmp_path):
    submitted = class_of(tmp_path / "submitted", [safe_id("gone (1)"), "ada"])
    write_folders(submitted, {safe_id("gone (1)"): "gone (1)"})
    found = {one.folder: one.why for one in list_submissions(submitted, [NB], [])}
    assert found["ada"] == ""
    assert "stands for the folder \u201cgone (1)\u201d" in found[safe_id("gone (1)")]


def test_an_odd_folder_that_is_no_students_is_still_named(tmp_path):
    (tmp_path / "Ada Lovelace_12_assignsubmission_file_").mkdir()
    (one,) = list_submissions(tmp_path, [NB], [])
    assert "grader collect" in one.why
    class_of(tmp_path, ["Bob (2)"], "08_other")
    assert [o.folder for o in list_submissions(tmp_path, [NB], [])] == [one.folder]


def test_the_table_has_every_name_and_keeps_those_that_are_gone(tmp_path):
    submitted = tmp_path / "submitted"
    write_folders(submitted, {})
    assert not (tmp_path / TABLE).exists()
    write_folders(submitted, {safe_id("gone (1)"): "gone (1)"})
    write_folders(submitted, {safe_id(name): name for name in ODD})
    expected = {safe_id(name): as_text(name) for name in [*ODD, "gone (1)"]}
    assert read_folders(submitted) == expected
    assert len(set(expected.values())) == len(expected)
    rows = list(csv.reader((tmp_path / TABLE).open(encoding="utf-8", newline="")))
    assert rows[0] == ["student", "folder"]
    assert not any(name[:1] in "=+-@" for _, name in rows[1:])  # what a spreadsheet would run
    assert all(name.isprintable() for _, name in rows)


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe\x00", b"student;folder\na;b\n", b"student,folder\nx\n"])
def test_a_table_that_was_damaged_is_written_anew(tmp_path, damage):
    (tmp_path / TABLE).write_bytes(damage)
    write_folders(tmp_path / "submitted", {safe_id("A B"): "A B"})
    assert read_folders(tmp_path / "submitted")[safe_id("A B")] == "A B"


def test_the_summary_says_who_is_who():
    entries = [Entry(f"s_{n}-0", NB, Outcome.MARKED, folder=f"S ({n})") for n in range(12)]
    said = summary([Entry("ada", NB, Outcome.MARKED), *entries, *entries])
    assert "12 with a folder whose name cannot be an id" in said
    assert TABLE in said
    assert "  s_0-0: \u201cS (0)\u201d" in said
    assert "and 2 more" in said
    assert "cannot be an id" not in summary([Entry("ada", NB, Outcome.MARKED)])


def converter_of(folder, student, **folders):
    """Begin as `nbgrader autograde` does before it enters anybody into the gradebook."""
    config = Config()
    config.CourseDirectory.update(folders)
    config.CourseDirectory.root = str(folder)
    config.CourseDirectory.assignment_id, config.CourseDirectory.student_id = NB, student
    converter = Autograde(coursedir=CourseDirectory(config=config), config=config)
    converter.init_notebooks()
    MarkingExporter(parent=converter)
    return converter


def autograde(folder, student):
    """List what `nbgrader autograde` would mark."""
    return sorted(path.split("/")[-2] for path in converter_of(folder, student).assignments)


def test_nbgrader_autograde_leaves_out_folders_that_are_no_ids_and_says_so(tmp_path, caplog, monkeypatch):
    # The log of an application that another test has left behind may not pass on what it is told.
    monkeypatch.setattr(Application, "initialized", lambda: False)
    taken = safe_id(COMPOSED)
    submitted = class_of(tmp_path / "submitted", ["ada", "Bob (2)", "Eve \x1b[2J", COMPOSED, taken])
    for place in submitted.glob(f"*/{NB}"):
        (place / f"{NB}.ipynb").write_text("{}")
    with caplog.at_level("ERROR"):
        assert autograde(tmp_path, "*") == ["ada"]
    said = caplog.messages
    assert len(said) == 4
    why = "the folder's name cannot be a student's id; `grader grade` marks it as"
    assert f"{NB} of \u201cBob (2)\u201d was left out: {why}" in said[0]
    assert (
        f"{NB} of {taken} was left out: the folder's name is the id that stands for the folder \u201c{COMPOSED}\u201d"
        in said[3]
    )
    assert all(char.isprintable() for line in said for char in line)
    assert autograde(tmp_path, "ada") == ["ada"]


def test_nbgrader_autograde_of_such_a_folder_alone_is_an_error(tmp_path):
    (class_of(tmp_path / "submitted", ["Bob (2)"]) / "Bob (2)" / NB / f"{NB}.ipynb").write_text("{}")
    with pytest.raises(NbGraderException, match="nothing is left to be marked; `grader grade` marks folders of any"):
        autograde(tmp_path, "Bob (2)")


@pytest.mark.parametrize("ignore", [["*"], [".ipynb_checkpoints"]])
def test_nbgrader_autograde_looks_for_nothing_beside_a_notebook_where_all_is_ignored(tmp_path, ignore):
    """Its own way through the folders ends with a thousand in one another, and lists all of them for each of them."""
    place = class_of(tmp_path / "submitted", ["ada"]) / "ada" / NB
    (place / f"{NB}.ipynb").write_text("{}")
    (place / "data.csv").write_text("1")
    converter = converter_of(tmp_path, "ada", ignore=ignore)
    everything = ignore == ["*"]
    at = os.open(place, os.O_RDONLY)
    for _ in range(1_200 if everything else 3):
        os.mkdir("ab", dir_fd=at)
        at, before = os.open("ab", os.O_RDONLY, dir_fd=at), at
        os.close(before)
    os.close(at)
    try:
        base.BaseConverter.init_assignment(converter, NB, "ada")
        copied = [path.name for path in (tmp_path / "autograded").rglob("*") if path.is_file()]
        assert copied == ([] if everything else ["data.csv"])
    finally:
        remove_tree(str(place / "ab"))
