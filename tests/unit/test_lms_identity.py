"""Whose file it is: whatever can be read in two ways is named, and nobody gets another one's place."""

import csv
import json
import tempfile
import unicodedata
import zipfile
from collections import defaultdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbgrader.api import Gradebook
from test_lms_collect import MOODLE_HEADER, aside, attempts, make_zip, notebook, placed, rows

from grader.cli import main
from grader.core.course import Course
from grader.core.nbgrader_api import course_config
from grader.lms.candidates import Sorter
from grader.lms.collect import _Run
from grader.lms.collected import summary
from grader.lms.comparing import Comparing
from grader.lms.people import is_id, may_be_meant, same_name, student_id
from grader.lms.platforms import whose
from grader.lms.students import Roster
from grader.submissions.file_names import named, quoted
from grader.submissions.folder_names import safe_id
from grader.submissions.listing import id_of
from grader.submissions.packed import unfit

GRADEBOOK = "Student,ID,SIS User ID,SIS Login ID,Section,Doubling (55)\n    Points Possible,,,,,3\n"
BOB, EVE = "return 'of bob'", "return 'of eve'"


def write(root, files):
    for name, data in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(data)
    return root


def worksheet(path, *people):
    lines = [
        f"Participant {number},{name},,{email},Submitted for grading,,3,Yes,-,-,\n" for number, name, email in people
    ]
    path.write_text(MOODLE_HEADER + "".join(lines), encoding="utf-8")
    return path


def gradebook(path, *people):
    path.write_text(GRADEBOOK + "".join(f'"{name}",{number},,,A,\n' for number, name in people), encoding="utf-8")
    return path


def who(course):
    return {path.split("/")[0] for path in placed(course) if path.endswith((".ipynb", ".py"))}


# --- Canvas


@pytest.mark.parametrize(
    "name",
    [
        "eve_1234_5678_91011_nb.ipynb",  # Eve calls herself Eve_1234, or the file 91011_nb.ipynb
        "eve_5678_91011_1234_22_nb.ipynb",
        "eve_5678_91011_x_1234_22_nb.ipynb",
        "1234_22_5678_91011_nb.ipynb",
    ],
)
def test_a_canvas_name_that_can_be_read_in_two_ways_is_named_until_a_gradebook_decides(course, run, tmp_path, name):
    """Ids in a name of a person or of a file are not the ids that Canvas writes."""
    bob = make_zip(tmp_path / "bob.zip", [("bob_1234_22_nb.ipynb", notebook(course, BOB))])
    run(bob)
    eve = make_zip(tmp_path / "eve.zip", [(name, notebook(course, EVE))], (2026, 11, 30, 0, 0, 0))
    result = run(eve)
    assert placed(course) == {"bob/09_doubling/09_doubling.ipynb": notebook(course, BOB)}
    (lost,) = result.unplaced
    assert "can be read in" in lost.why
    assert "--roster" in lost.fix
    book = gradebook(tmp_path / "book.csv", (1234, "Builder, Bob"), (9, "Nobody"))
    assert run(eve, rosters=[book]).unplaced  # nobody in it fits: still nobody's
    assert who(course) == {"bob"}


def test_the_gradebook_confirms_the_reading_whose_number_and_name_belong_together(course, run, tmp_path):
    name = "eve_1234_5678_91011_nb.ipynb"
    book = gradebook(tmp_path / "book.csv", (12, "Builder, Bob"), (5678, "Eve_1234"))
    path = make_zip(tmp_path / "eve.zip", [(name, notebook(course, EVE))])
    assert not run(path, rosters=[book]).unplaced
    (person,) = rows(course.local / "students.csv")
    assert (person["number"], person["name"]) == ("5678", "Eve_1234")
    (attempt,) = rows(course.local / "collected.csv")
    assert (attempt["number"], attempt["attachment"], attempt["name"]) == ("5678", "91011", "nb.ipynb")


FORGED = "lovelaceada_55_9999_77_901_nb.ipynb"  # Eve, number 77, calls herself "Lovelace Ada_55_9999"


@pytest.mark.parametrize(
    ("eve", "forged"),
    [
        ("Evans, Eve", FORGED),  # she changed her name after the gradebook was exported
        ("Lovelace Ada_55_9999²", FORGED),  # a digit that Canvas leaves out of the file's name
        ("Lovelace Ada_55_9999", FORGED),
        ("Evans, Eve", "lovelaceada_55_901_x_77_901_nb.ipynb"),
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_a_gradebook_that_does_not_know_the_true_name_makes_no_forged_one_true(
    course, run, tmp_path, eve, forged, together
):
    """What the gradebook says of Eve fits no reading; what it says of Ada fits the one that Eve made up."""
    book = gradebook(tmp_path / "book.csv", (55, "Lovelace, Ada"), (77, eve))
    ada = ("lovelaceada_55_900_nb.ipynb", notebook(course, "return 'of ada'"))
    files = [ada] * together + [(forged, notebook(course, EVE))]
    if not together:
        run(make_zip(tmp_path / "1.zip", [ada]), rosters=[book])
    result = run(make_zip(tmp_path / "2.zip", files, (2026, 11, 30, 0, 0, 0)), rosters=[book])
    assert placed(course) == {"ada_lovelace/09_doubling/09_doubling.ipynb": ada[1]}
    assert not attempts(course)
    (lost,) = result.unplaced
    assert "can be read in" in lost.why
    assert "see in Canvas whose it is" in lost.fix


def test_a_number_that_was_collected_before_is_known_too(course, run, tmp_path):
    """The gradebook is older than Eve's enrolment, but she handed in before."""
    run(make_zip(tmp_path / "1.zip", [("eve_77_800_nb.ipynb", notebook(course, EVE))]))
    book = gradebook(tmp_path / "book.csv", (55, "Lovelace, Ada"))
    (lost,) = run(make_zip(tmp_path / "2.zip", [(FORGED, notebook(course))]), rosters=[book]).unplaced
    assert "can be read in" in lost.why
    assert who(course) == {"eve"}


@pytest.mark.parametrize(
    ("eve", "name"),
    [
        ((78, "Somebody else"), FORGED),  # she is in no list, so the forged reading is all that the gradebook knows
        ((77, "Evans, Eve"), "lovelaceada_55_77_nb.ipynb"),
        ((77, "Evans, Eve"), "lovelaceada_55_9999_Hand_77_in.ipynb"),
    ],
)
def test_of_several_files_of_a_number_one_may_be_somebody_elses(course, run, tmp_path, eve, name):
    ada = ("lovelaceada_55_900_nb.ipynb", notebook(course, "return 'of ada'"))
    book = gradebook(tmp_path / "book.csv", (55, "Lovelace, Ada"), eve)
    result = run(make_zip(tmp_path / "1.zip", [ada, (name, notebook(course, EVE))]), rosters=[book])
    assert not placed(course)
    (lost,) = result.unplaced
    assert f"{name} may be somebody else's" in lost.why
    # One file alone, and several without such a number, are Ada's.
    several = [ada, ("lovelaceada_55_901_nb_76_b.ipynb", notebook(course, "return 'later'"))]
    assert not run(make_zip(tmp_path / "2.zip", several), rosters=[book]).unplaced
    assert list(placed(course).values()) == [notebook(course, "return 'later'")]


LONG = "lovelaceada_55_99999999999_77_901_nb.ipynb"  # a number that no later file of hers will exceed


@pytest.mark.parametrize("forged", [FORGED, LONG, "lovelaceada_55_77_901_nb.ipynb"])
@pytest.mark.parametrize("order", ["forged first", "real first", "together"])
def test_who_is_in_no_list_gets_nobodys_place_by_a_forged_name(course, run, tmp_path, forged, order):
    """The gradebook is a section's, or older than Eve's enrolment: she chose the one number that it knows."""
    book = gradebook(tmp_path / "book.csv", (55, "Lovelace, Ada"), (22, "Builder, Bob"))
    ada, eve = ("lovelaceada_55_990_nb.ipynb", notebook(course, "return 'of ada'")), (forged, notebook(course, EVE))
    bob = ("builderbob_22_905_nb.ipynb", notebook(course, BOB))
    downloads = {"forged first": [[eve], [ada]], "real first": [[ada], [eve]], "together": [[ada, eve]]}[order]
    lost = []
    for n, files in enumerate(downloads):
        path = make_zip(tmp_path / f"{n}.zip", [*files, bob], (2026, 11, 20 + n, 0, 0, 0))
        lost += run(path, rosters=[book]).unplaced
    (one,) = lost
    assert "see in Canvas whose it is" in one.fix
    assert who(course) == ({"bob_builder"} if order == "together" else {"ada_lovelace", "bob_builder"})
    assert eve[1] not in placed(course).values()
    assert not attempts(course)
    if order == "together":
        return
    assert "by its name it may also be of number" in one.why
    assert f"number 77 ({quoted(forged.split('_77_')[0])}), and the roster may lack people" in one.why
    # As the fix says: nothing in the file's name but the numbers of the one whose it is.
    own = write(tmp_path / "own", {"lovelaceada_77_901_nb.ipynb": eve[1], bob[0]: bob[1]})
    assert not run(own, rosters=[book]).unplaced
    assert placed(course)["ada_lovelace/09_doubling/09_doubling.ipynb"] == ada[1]
    assert eve[1] in placed(course).values()


def test_a_forged_name_that_an_earlier_version_took_outranks_nobody(course, run, tmp_path):
    book = gradebook(tmp_path / "book.csv", (55, "Lovelace, Ada"), (22, "Builder, Bob"))
    forged = make_zip(tmp_path / "1.zip", [("lovelaceada_55_99999999999_nb.ipynb", notebook(course, EVE))])
    run(forged, rosters=[book])
    journal = course.local / "collected.csv"
    text = journal.read_text()
    journal.write_text(text.replace(",nb.ipynb,", ",77_901_nb.ipynb,"))
    ada = notebook(course, "return 'of ada'")
    files = [("lovelaceada_55_990_nb.ipynb", ada), ("builderbob_22_905_nb.ipynb", notebook(course, BOB))]
    real = make_zip(tmp_path / "2.zip", files)
    (lost,) = run(real, rosters=[book]).unplaced
    assert "by its numbers, 77_901_nb.ipynb, which is in this place, may be somebody else's" in lost.why
    assert notebook(course, EVE) in placed(course).values()
    kept = journal.read_text()
    # It is hers: her higher number counts.
    journal.write_text(kept.replace(",77_901_nb.ipynb,", ",nb.ipynb,"))
    assert not run(real, rosters=[book]).unplaced
    assert ada in attempts(course)
    # It is not.
    journal.write_text("".join(line for line in kept.splitlines(True) if "77_901" not in line))
    assert not run(real, rosters=[book]).unplaced
    assert placed(course)["ada_lovelace/09_doubling/09_doubling.ipynb"] == ada


USUAL = ["hw_3_2_final.ipynb", "exercise_9_1.ipynb", "nb_2026_11_20.ipynb", "ex_1_2_3_4_5_final.ipynb", "hw_3_2_a.zip"]


@pytest.mark.parametrize("name", USUAL)
@pytest.mark.parametrize("others", ["nb.ipynb", "the same"])
def test_small_numbers_in_the_name_of_a_file_are_no_numbers_of_canvas(course, run, tmp_path, name, others):
    """Canvas counts all files of a server: those of one assignment have numbers of about one size."""
    people = [("lovelaceada", 5501), ("builderbob", 2277), ("o_brien", 78), ("zuse", 9012)]
    book = gradebook(
        tmp_path / "book.csv", (5501, "Lovelace, Ada"), (2277, "Builder, Bob"), (78, "O_Brien"), (9012, "Zuse")
    )
    inner = make_zip(tmp_path / "w.zip", [("nb.ipynb", notebook(course))]).read_bytes()
    files = []
    for k, (person, number) in enumerate(people):
        own = name if others == "the same" or not k else others
        files.append((f"{person}_{number}_{712_345 + k}_{own}", inner if own.endswith("zip") else notebook(course)))
    path = make_zip(tmp_path / "a.zip", files)
    assert not run(path, rosters=[book]).unplaced
    assert len(who(course)) == 4
    # A later attempt, alone in its download, and two files at once.
    again = [(f"lovelaceada_5501_{812_345 + k}_{name}", files[0][1]) for k in range(2)]
    assert not run(make_zip(tmp_path / "b.zip", again[:1]), rosters=[book]).unplaced
    assert not run(make_zip(tmp_path / "c.zip", again), rosters=[book]).unplaced


@pytest.mark.parametrize(
    "name",
    [
        "eve_5678_91011_09_doubling.ipynb",  # Canvas' numbers begin with no zero
        "eve_5678_91011_Exercise_1_2_b.ipynb",  # and its names have no capitals
        "eve_5678_91011_nb_1_2.ipynb",
        "eve_LATE_5678_91011_09_doubling-1.ipynb",
    ],
)
def test_usual_names_of_files_have_one_reading(course, run, tmp_path, name):
    assert not run(make_zip(tmp_path / "c.zip", [(name, notebook(course))])).unplaced
    (attempt,) = rows(course.local / "collected.csv")
    assert (attempt["student"], attempt["number"], attempt["attachment"]) == ("eve", "5678", "91011")


@pytest.mark.parametrize(
    ("one", "other", "ids"),
    [
        ("J. Smith", "J. Doe", {"j_smith", "j_doe"}),
        ("İnci", "İpek", None),  # whose first letter has two characters when small
        ("ada.lovelace@uni.example", "ada.byron@uni.example", {"ada.lovelace@uni.example", "ada.byron@uni.example"}),
        ("hw_ada.l_attempt_2026-11-20-10", "hw_ada.b_attempt_2026-11-20-10", None),
        ("team_1", "team_2", {"team_1", "team_2"}),
        ("team-07 - 09_doubling", "team-08 - 09_doubling", {"team-07", "team-08"}),
        ("09_doubling_team 1", "09_doubling_team 11", {"team_1", "team_11"}),
    ],
)
def test_a_dot_or_a_number_in_a_name_makes_nobody_somebody_else(course, run, tmp_path, one, other, ids):
    files = {f"{one}.ipynb": notebook(course, BOB), f"{other}.ipynb": notebook(course, EVE)}
    assert not run(make_zip(tmp_path / "a.zip", list(files.items()))).unplaced
    assert sorted(placed(course).values()) == sorted(files.values())
    assert ids is None or who(course) == ids


@pytest.mark.parametrize("again", ["Ada (2).ipynb", "Ada - 09_doubling-1.ipynb", "Ada.ipynb (1)"])
def test_what_a_browser_writes_is_another_attempt(course, run, tmp_path, again):
    files = [("Ada.ipynb", notebook(course, BOB)), (again, notebook(course, EVE))]
    assert not run(make_zip(tmp_path / "a.zip", files)).unplaced
    assert who(course) == {"Ada"}
    assert len(aside(course)) == 1


@pytest.mark.parametrize(
    "again",
    [
        "Ada - Copy of 09_doubling.ipynb",
        "Ada - Kopie von Copy of 09_doubling.ipynb",
        "Ada - 09_doubling copy.ipynb",
        "Ada - 09_doubling copy 2.ipynb",
        "Ada - 09_doubling 2.ipynb",
        "Ada - 09_doubling - Copy (2).ipynb",
        "Ada_09_doubling-Copy1.ipynb",
    ],
)
@pytest.mark.parametrize("together", [True, False])
def test_what_a_system_writes_beside_the_assignments_name_is_no_part_of_a_persons(
    course, run, tmp_path, again, together
):
    files = [("Ada - 09_doubling.ipynb", notebook(course, BOB)), (again, notebook(course, EVE))]
    for n, some in enumerate([files] if together else [files[:1], files[1:]]):
        assert not run(make_zip(tmp_path / f"{n}.zip", some)).unplaced
    assert who(course) == {"Ada"}
    assert len(aside(course)) == 1


@pytest.mark.parametrize("name", ["Copy of 09_doubling", "Kopie von 09_doubling", "09_doubling copy"])
def test_a_copy_without_a_name_is_nobodys(course, run, tmp_path, name):
    (lost,) = run(make_zip(tmp_path / "a.zip", [(f"{name}.ipynb", notebook(course, BOB))])).unplaced
    assert lost.why == "its path does not say whose it is"
    assert not placed(course)


@pytest.mark.parametrize(
    "again",
    [
        "Ada - 09_doubling final.ipynb",
        "09_doubling_Ada_final.ipynb",
        "Ada - draft - 09_doubling.ipynb",
        "Ada - homework - 09_doubling.ipynb",
        "Ada 09_doubling v2.zip",
        "Ada 09_doubling (with my notes).ipynb",
        "Ada copy.ipynb",
        "Copy of Ada.ipynb",
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_words_beside_a_name_that_may_be_a_remark_make_nobody_somebody_else(course, run, tmp_path, again, first):
    """Whichever of the two comes first: else one person is two in the gradebook, and nobody is told."""
    data = notebook(course, EVE)
    if again.endswith(".zip"):
        data = make_zip(tmp_path / "inner.zip", [("nb.ipynb", data)]).read_bytes()
    named, odd = [("Ada - 09_doubling.ipynb", notebook(course, BOB))], [(again, data)]
    results = [run(make_zip(tmp_path / f"{n}.zip", f)) for n, f in enumerate((named, odd) if first else (odd, named))]
    (lost,) = [one for result in results for one in result.unplaced]
    assert "or may hold words that belong to the file" in lost.why
    assert "folder that is named after the student" in lost.fix
    assert placed(course) == {"Ada/09_doubling/09_doubling.ipynb": named[0][1]}


@pytest.mark.parametrize("name", ["Ada Copyman", "Finn Finally", "Ada - Lovelace"])
def test_a_name_that_looks_like_a_remark_is_one_if_a_row_says_so(course, run, tmp_path, name):
    file = [(f"{name} - 09_doubling.ipynb", notebook(course, BOB))]
    students = course.local / "students.csv"
    students.parent.mkdir(parents=True, exist_ok=True)
    students.write_text(f"student,system,number,name,email,login,sis_id,section\nada,plain,,{name},,,,\n")
    assert not run(make_zip(tmp_path / "a.zip", file)).unplaced
    assert who(course) == {"ada"}


@pytest.mark.parametrize(
    "names",
    [("group (1)", "group (2)"), ("team 09_doubling_7", "team 09_doubling_8"), ("09_doubling-1", "09_doubling-2")],
)
def test_several_numbers_and_no_name_without_one_are_not_placed(course, run, tmp_path, names):
    files = [(f"{name}.ipynb", notebook(course, body)) for name, body in zip(names, (BOB, EVE), strict=True)]
    assert len(run(make_zip(tmp_path / "a.zip", files)).unplaced) == 2
    assert placed(course) == {}


def test_numbers_are_compared_over_all_that_is_collected(course, run, tmp_path):
    files = {f"group ({n}).ipynb": notebook(course, body) for n, body in ((1, BOB), (2, EVE))}
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (lost,) = run(*(tmp_path / name for name in files)).unplaced
    assert "of somebody called “group (2)”" in lost.why
    assert list(placed(course).values()) == [files["group (1).ipynb"]]
    assert run(tmp_path / "group (2).ipynb").unplaced
    assert not run(tmp_path / "group (1).ipynb").unplaced  # the same again
    assert list(placed(course).values()) == [files["group (1).ipynb"]]


@pytest.mark.parametrize("together", [True, False])
def test_a_number_that_may_be_a_browsers_or_a_persons_is_not_placed(course, run, tmp_path, together):
    first, second = ("ada.ipynb", notebook(course, BOB)), ("ada-1.ipynb", notebook(course, EVE))
    if together:
        result = run(make_zip(tmp_path / "a.zip", [first, second]))
    else:
        run(make_zip(tmp_path / "a.zip", [first]))
        result = run(make_zip(tmp_path / "b.zip", [second]))
    (lost,) = result.unplaced
    assert "another attempt of ada, or of somebody called ada-1" in lost.why
    assert placed(course) == {"ada/09_doubling/09_doubling.ipynb": first[1]}


def test_a_canvas_number_that_comes_under_another_name(course, run, tmp_path):
    run(make_zip(tmp_path / "a.zip", [("bob_12_22_nb.ipynb", notebook(course, BOB))]))
    other = make_zip(tmp_path / "b.zip", [("eve_12_23_nb.ipynb", notebook(course, EVE))])
    (lost,) = run(other).unplaced
    assert "number 12 comes as eve" in lost.why
    assert placed(course) == {"bob/09_doubling/09_doubling.ipynb": notebook(course, BOB)}
    # The gradebook knows of the new name.
    assert not run(other, rosters=[gradebook(tmp_path / "book.csv", (12, "Eve"))]).unplaced
    assert placed(course) == {"bob/09_doubling/09_doubling.ipynb": notebook(course, EVE)}


def test_a_number_beside_two_names_in_one_download(course, run, tmp_path):
    files = [("bob_12_22_nb.ipynb", notebook(course, BOB)), ("eve_12_23_nb.ipynb", notebook(course, EVE))]
    result = run(make_zip(tmp_path / "a.zip", files))
    assert len(result.unplaced) == 2
    assert not placed(course)


CLASS = [("lovelaceada", 5501), ("builderbob", 2277), ("zuse", 9012)]


def canvas_class(course, body=BOB, first=712_345):
    return {f"{n}_{user}_{first + k}_nb.ipynb": notebook(course, body) for k, (n, user) in enumerate(CLASS)}


@pytest.mark.parametrize("stray", ["Untitled.ipynb", "solution.py", "09_doubling.ipynb", "others.zip", "ada.ipynb"])
@pytest.mark.parametrize("forced", [None, "09_doubling"])
def test_one_file_that_canvas_did_not_name_changes_nobody_elses_name(course, run, tmp_path, stray, forced):
    """JupyterLab puts an Untitled.ipynb into any folder; all others were read as people's names, with their numbers."""
    folder = write(tmp_path / "submissions", canvas_class(course) | {stray: notebook(course, EVE)})
    (lost,) = run(folder, assignment=forced).unplaced
    assert lost.where.endswith(stray)
    assert "named by Canvas, and this one is not" in lost.why
    assert who(course) == {name for name, _ in CLASS}
    # And again without it: nobody is a second student, and a later attempt is one.
    later = write(tmp_path / "again", canvas_class(course, EVE, 812_345))
    assert not run(later, assignment=forced).unplaced
    assert who(course) == {name for name, _ in CLASS}
    assert len(attempts(course)) == 3
    # As the line says, it is somebody's if it lies in a folder of that name.
    own = write(tmp_path / "own", canvas_class(course) | {"Eve/nb.ipynb": notebook(course, EVE)})
    assert not run(own, assignment=forced).unplaced
    assert who(course) == {name for name, _ in CLASS} | {"Eve"}


def test_one_file_beside_moodles_is_nobodys_either(course, run, tmp_path):
    files = {f"{n}_{k}_assignsubmission_file_/nb.ipynb": notebook(course, BOB) for k, n in enumerate(("Ada", "Bob"), 1)}
    (lost,) = run(write(tmp_path / "in", files | {"Untitled.ipynb": notebook(course, EVE)})).unplaced
    assert "named by Moodle, and this one is not" in lost.why
    assert who(course) == {"ada", "bob"}


@pytest.mark.parametrize("number", [1, 2, 3])
def test_whoever_calls_files_as_canvas_does_changes_nobody_elses_name(course, run, tmp_path, number):
    """People named these files; one of them named some so that the class would look like another platform's."""
    people = {f"{name}.ipynb": notebook(course, BOB) for name in ("Ada", "Bob", "Zoe")}
    forged = {f"eve_{22 + n}_{333 + n}_nb.ipynb": notebook(course, EVE) for n in range(number)}
    result = run(write(tmp_path / "in", people | forged))
    assert {"Ada", "Bob", "Zoe"} <= who(course)
    assert [u.why for u in result.unplaced if "as many notebooks beside it are not" not in u.why] == []
    assert len(result.unplaced) == (number if number > 1 else 0)


@pytest.mark.parametrize("kind", ["link", "text"])
def test_a_link_or_a_text_in_canvas_has_a_sender_who_is_told_of(course, run, tmp_path, kind):
    """Canvas puts no number of a file there: nobody said that these people handed in no notebook."""
    pages = {f"{n}_{late}{k}_{kind}.html": b"<html>" for n, late, k in (("eve", "", 81), ("o_brien", "LATE_", 82))}
    pages[f"anon_x7Yf_{kind}.html"] = b"<html>"
    lost = run(make_zip(tmp_path / "a.zip", list((canvas_class(course) | pages).items()))).unplaced
    assert sorted(one.why for one in lost) == [
        f"{name} handed in a {kind} and no notebook" for name in ("anon_x7Yf", "eve", "o_brien")
    ]
    assert all("ask the student for the .ipynb file" in one.fix for one in lost)
    assert who(course) == {name for name, _ in CLASS}


def test_a_link_takes_no_number_from_anybody(course, run, tmp_path):
    """Eve calls herself `eve_2277`, which is Bob's number; read as a file's name, hers would be his."""
    page = {"eve_2277_5678_link.html": b"<html>"}
    (lost,) = run(make_zip(tmp_path / "a.zip", list((canvas_class(course) | page).items()))).unplaced
    assert "can be read in 2 ways" in lost.why
    assert who(course) == {name for name, _ in CLASS}


# --- Moodle


def test_only_the_top_of_an_archive_is_moodles(course, run, tmp_path):
    files = [
        ("Eve_1_assignsubmission_file_/Bob_2_assignsubmission_file_/nb.ipynb", notebook(course, EVE)),
        ("Eve_1_assignsubmission_file_/Bob_2_assignsubmission_file_/timestamp.txt", b"2020-01-01 00:00:00 UTC"),
        ("Eve_1_assignsubmission_file_/timestamp.txt", b"2020-01-01 00:00:00 UTC"),
        ("Eve_1_assignsubmission_file_/bob/09_doubling/09_doubling.ipynb", notebook(course, EVE)),
        ("Bob_2_assignsubmission_file_/nb.ipynb", notebook(course, BOB)),
    ]
    assert not run(make_zip(tmp_path / "a.zip", files)).unplaced
    assert placed(course) == {
        "bob/09_doubling/09_doubling.ipynb": notebook(course, BOB),
        "eve/09_doubling/09_doubling.ipynb": notebook(course, EVE),
    }


@pytest.mark.parametrize(
    "inner",
    ["Bob_2_assignsubmission_file_/nb.ipynb", "Bob_2_assignsubmission_file_nb.ipynb", "x/bob/09_doubling/nb.ipynb"],
)
def test_what_lies_in_a_students_own_folder_gives_nobody_elses_place(course, run, tmp_path, inner):
    write(tmp_path / "in", {f"eve/{inner}": notebook(course, EVE), "ada/nb.ipynb": notebook(course)})
    result = run(tmp_path / "in")
    assert who(course) == {"ada"}
    assert "may be of eve, or of" in result.unplaced[0].why
    assert "eve" in result.unplaced[0].where


def test_a_name_taken_over_without_a_roster(course, run, tmp_path):
    """Eve handed in as herself, then calls herself Bob, who has not handed in yet."""
    run(make_zip(tmp_path / "a.zip", [("Eve_3_assignsubmission_file_/nb.ipynb", notebook(course))]))
    run(make_zip(tmp_path / "z.zip", [("Bob_9_assignsubmission_file_/x.ipynb", b"")]))
    result = run(make_zip(tmp_path / "b.zip", [("Bob_3_assignsubmission_file_/nb.ipynb", notebook(course, EVE))]))
    assert who(course) == {"eve"}
    (lost,) = result.unplaced
    assert "number 3 comes as Bob, but is eve" in lost.why


def test_a_name_taken_over_goes_to_its_owner_if_the_addresses_say_so(course, run, tmp_path):
    path = make_zip(tmp_path / "a.zip", [("Eve_3_assignsubmission_file_/nb.ipynb", notebook(course))])
    run(path, rosters=[worksheet(tmp_path / "1.csv", (3, "Eve", "eve@x.org"), (2, "Bob", "bob@x.org"))])
    path = make_zip(tmp_path / "b.zip", [("Bob_3_assignsubmission_file_/nb.ipynb", notebook(course, EVE))])
    sheet = worksheet(tmp_path / "2.csv", (3, "Bob", "eve@x.org"), (2, "Bob", "bob@x.org"))
    assert not run(path, rosters=[sheet]).unplaced
    assert who(course) == {"eve"}


@pytest.mark.parametrize("address", ["a@x.org", " A@X.org "])
def test_an_address_beside_several_numbers_tells_nobody_apart(course, run, tmp_path, address):
    files = [
        ("Ada_12_assignsubmission_file_/nb.ipynb", notebook(course, BOB)),
        ("Eve_13_assignsubmission_file_/nb.ipynb", notebook(course, EVE)),
        ("Zoe_14_assignsubmission_file_/nb.ipynb", notebook(course)),
    ]
    path = make_zip(tmp_path / "a.zip", files)
    people = [(12, "Ada", "a@x.org"), (13, "Eve", address), (14, "Zoe", "zoe@x.org")]
    result = run(path, rosters=[worksheet(tmp_path / "s.csv", *people)])
    assert who(course) == {"zoe"}
    assert ["have the address of Ada" in u.why for u in result.unplaced] == [True, False]
    assert "have the address of Eve" in result.unplaced[1].why
    # As the fix says: without the address of the one, or of both.
    people[1] = (13, "Eve", "")
    assert not run(path, rosters=[worksheet(tmp_path / "s.csv", *people)]).unplaced
    assert who(course) == {"ada", "eve", "zoe"}


def test_one_address_in_the_worksheets_of_two_assignments_is_one_person(two, run, tmp_path):
    files = [
        ("Ada_1_assignsubmission_file_/nb.ipynb", notebook(two)),
        ("Ada L_2_assignsubmission_file_/nb.ipynb", notebook(two, assignment="08_tripling")),
    ]
    sheets = [worksheet(tmp_path / f"{n}.csv", (n, name, "ada@x.org")) for n, name in ((1, "Ada"), (2, "Ada L"))]
    assert not run(*(make_zip(tmp_path / f"{f[0][:5]}.zip", [f]) for f in files), rosters=sheets).unplaced
    assert who(two) == {"ada"}


def moodle(course, path, *people, assignment="09_doubling"):
    files = [
        (f"{name}_{number}_assignsubmission_file_/nb.ipynb", notebook(course, body, assignment))
        for number, name, body in people
    ]
    return make_zip(path, files)


def answers(course):
    """Whose notebook is in which place."""
    bodies = {
        notebook(course, body, a): who for a in course.assignments() for who, body in (("bob", BOB), ("eve", EVE))
    }
    return {
        tuple(path.split("/")[:2]): bodies[data] for path, data in placed(course).items() if path.endswith(".ipynb")
    }


def test_an_address_that_somebody_else_had_before_gives_nobodys_place(two, run, tmp_path):
    """Addresses change, and are given to others."""
    sheet = worksheet(tmp_path / "1.csv", (11, "Bob Builder", "bob@x.org"), (12, "Eve E", "eve@x.org"))
    run(moodle(two, tmp_path / "1.zip", (11, "Bob Builder", BOB), (12, "Eve E", EVE)), rosters=[sheet])
    before = answers(two)
    sheet = worksheet(tmp_path / "2.csv", (77, "Eve E", "bob@x.org"), (78, "Bob Builder", "new@x.org"))
    path = moodle(two, tmp_path / "2.zip", (77, "Eve E", EVE), (78, "Bob Builder", BOB), assignment="08_tripling")
    eve, bob = run(path, rosters=[sheet]).unplaced
    assert "number 77 comes as “Eve E” with the address of “Bob Builder” in students.csv" in eve.why
    assert "“Bob Builder” has another address in students.csv" in bob.why
    assert answers(two) == before
    # As the fix says: the addresses that they have now.
    people = course_people(two)
    for person in people:
        person["email"] = {"bob_builder": "new@x.org", "eve_e": "bob@x.org"}[person["student"]]
    save_people(two, people)
    assert not run(path, rosters=[sheet]).unplaced
    assert answers(two) == before | {("bob_builder", "08_tripling"): "bob", ("eve_e", "08_tripling"): "eve"}


@pytest.mark.parametrize("somebody_else", [False, True])
def test_a_new_name_beside_a_known_address_is_asked(two, run, tmp_path, somebody_else):
    """It may be a marriage, or somebody who was given an address that was free."""
    sheet = worksheet(tmp_path / "1.csv", (11, "Bob Builder", "bob@x.org"))
    run(moodle(two, tmp_path / "1.zip", (11, "Bob Builder", BOB)), rosters=[sheet])
    sheet = worksheet(tmp_path / "2.csv", (77, "Bob Miller", "Bob@x.org"))
    path = moodle(two, tmp_path / "2.zip", (77, "Bob Miller", EVE), assignment="08_tripling")
    (lost,) = run(path, rosters=[sheet]).unplaced
    assert "comes as “Bob Miller” with the address of “Bob Builder”" in lost.why
    (person,) = course_people(two)
    save_people(two, [person | ({"email": "old@x.org"} if somebody_else else {"name": "Bob Miller"})])
    assert not run(path, rosters=[sheet]).unplaced
    assert answers(two)["bob_miller" if somebody_else else "bob_builder", "08_tripling"] == "eve"


@pytest.mark.parametrize("name", ["Builder Bob", "Bob B. Builder", "Bob Builder-Miller", "BOB BUILDER", "Bob"])
def test_a_name_in_another_form_beside_a_known_address_is_not_asked(two, run, tmp_path, name):
    sheet = worksheet(tmp_path / "1.csv", (11, "Bob Builder", "bob@x.org"))
    run(moodle(two, tmp_path / "1.zip", (11, "Bob Builder", BOB)), rosters=[sheet])
    sheet = worksheet(tmp_path / "2.csv", (77, name, "bob@x.org"))
    path = moodle(two, tmp_path / "2.zip", (77, name, BOB), assignment="08_tripling")
    assert not run(path, rosters=[sheet]).unplaced
    assert who(two) == {"bob_builder"}


def test_a_second_person_of_a_known_name_is_told_apart_if_the_worksheet_has_both(two, run, tmp_path):
    sheet = worksheet(tmp_path / "1.csv", (11, "Bob", "bob@x.org"))
    run(moodle(two, tmp_path / "1.zip", (11, "Bob", BOB)), rosters=[sheet])
    path = moodle(two, tmp_path / "2.zip", (78, "Bob", EVE), assignment="08_tripling")
    alone = worksheet(tmp_path / "2.csv", (78, "Bob", "other@x.org"))
    (lost,) = run(path, rosters=[alone]).unplaced
    assert "Bob has another address in students.csv" in lost.why
    both = worksheet(tmp_path / "3.csv", (77, "Bob", "bob@x.org"), (78, "Bob", "other@x.org"))
    assert not run(path, rosters=[both]).unplaced
    assert answers(two)["bob_2", "08_tripling"] == "eve"


def course_people(course):
    return rows(course.local / "students.csv")


def save_people(course, people):
    with (course.local / "students.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.DictWriter(file, list(people[0]))
        table.writeheader()
        table.writerows(people)


def test_a_row_without_an_address_is_nobodys_if_the_worksheet_has_the_name_twice(two, run, tmp_path):
    run(make_zip(tmp_path / "a.zip", [("Bob_2_assignsubmission_file_/nb.ipynb", notebook(two, BOB))]))
    sheet = worksheet(tmp_path / "2.csv", (13, "Bob", "eve@x.org"), (12, "Bob", "bob@x.org"))
    eve = notebook(two, EVE, "08_tripling")
    result = run(make_zip(tmp_path / "b.zip", [("Bob_13_assignsubmission_file_/nb.ipynb", eve)]), rosters=[sheet])
    assert "several people" in result.unplaced[0].why
    assert list(placed(two)) == ["bob/09_doubling/09_doubling.ipynb"]


@pytest.mark.parametrize("first", [0, 1])
def test_one_of_two_with_a_name_is_not_in_the_worksheet(course, run, tmp_path, first):
    files = [
        ("Ada_1_assignsubmission_file_/nb.ipynb", notebook(course, BOB)),
        ("Ada_2_assignsubmission_file_/nb.ipynb", notebook(course, EVE)),
    ]
    sheet = worksheet(tmp_path / "s.csv", (1, "Ada", "ada@x.org"))
    result = run(make_zip(tmp_path / "a.zip", files[first:] + files[:first]), rosters=[sheet])
    assert len(result.unplaced) == 1
    assert "Ada_2" in result.unplaced[0].where
    assert placed(course) == {"ada/09_doubling/09_doubling.ipynb": notebook(course, BOB)}


def test_a_group_whose_number_is_also_a_participants(course, run, tmp_path):
    sheet = worksheet(tmp_path / "s.csv", (5, "Zoe", "zoe@x.org"))
    path = make_zip(tmp_path / "a.zip", [("Team A_5_assignsubmission_file_/nb.ipynb", notebook(course))])
    (lost,) = run(path, rosters=[sheet]).unplaced
    assert "number 5 comes as \u201cTeam A\u201d, but is Zoe" in lost.why
    path = make_zip(tmp_path / "b.zip", [("Default group_assignsubmission_file_/nb.ipynb", notebook(course))])
    assert "no number" in run(path).unplaced[0].why
    assert not placed(course)


def test_the_worksheets_name_may_be_written_as_file_systems_allow(course, run, tmp_path):
    sheet = worksheet(tmp_path / "s.csv", (5, "Seán O'Brien: III", "s@x.org"))
    path = make_zip(tmp_path / "a.zip", [("Sea\u0301n OBrien III_5_assignsubmission_file_/nb.ipynb", notebook(course))])
    assert not run(path, rosters=[sheet]).unplaced


# --- folders and files that people named


@pytest.mark.parametrize(
    "names", [("Ada Lovelace", "ada_lovelace"), ("Ada", "ada"), ("José", "Jose\u0301"), ("ａda", "ada")]
)
def test_two_folders_never_become_one_student(course, run, tmp_path, names):
    one, other = (f"{name}/nb.ipynb" for name in names)
    write(tmp_path / "in", {one: notebook(course, BOB), other: notebook(course, EVE)})
    result = run(tmp_path / "in")
    assert not placed(course)
    assert len(result.unplaced) == 2
    assert all("would become one student" in u.why for u in result.unplaced)
    assert all("students.csv" in u.fix for u in result.unplaced)
    if unicodedata.normalize("NFC", names[1]) == names[0]:
        return
    # The instructor says who is who.
    with (course.local / "students.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [("student", "system", "name"), ("one", "plain", names[0]), ("two", "plain", names[1])]
        )
    assert not run(tmp_path / "in").unplaced
    assert who(course) == {"one", "two"}


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize("other", ["Ada ", " Ada", "Ada\t", "A\u0301da"])
def test_a_name_that_is_anothers_but_for_blanks_is_nobodys(course, run, tmp_path, other, known):
    """Eve, who names her own folder, neither gets Ada's place nor becomes an Ada of her own."""
    ada = "Ada" if other.split() == ["Ada"] else "\u00c1da"
    if known:
        write(tmp_path / "first", {f"{ada}/nb.ipynb": notebook(course, BOB), "bob/nb.ipynb": notebook(course)})
        assert not run(tmp_path / "first").unplaced
    before = who(course)
    write(tmp_path / "in", {f"{ada}/nb.ipynb": notebook(course, BOB), f"{other}/nb.ipynb": notebook(course, EVE)})
    lost = run(tmp_path / "in").unplaced
    certain = known and other.split() == ["Ada"]  # her row has her name letter for letter
    assert len(lost) == 2 - certain
    assert all("would become one student" in one.why for one in lost)
    assert who(course) == before
    assert notebook(course, EVE) not in placed(course).values()


@pytest.mark.parametrize("eve", ["ada_lovelace", "Ada-Lovelace", "ADA LOVELACE", "Ada  Lovelace", "Ada Lovelace\u3000"])
def test_no_name_of_another_folder_takes_the_place_of_somebody_known(course, run, tmp_path, eve):
    run(write(tmp_path / "a", {"Ada Lovelace/nb.ipynb": notebook(course, BOB), "bob/nb.ipynb": notebook(course)}))
    later = notebook(course, "return 'later'")
    write(tmp_path / "b", {"Ada Lovelace/nb.ipynb": later, f"{eve}/nb.ipynb": notebook(course, EVE)})
    (lost,) = run(tmp_path / "b").unplaced
    assert "Ada Lovelace" in lost.why
    assert lost.where.replace("\u201c", "").startswith(f"b: {eve}/")
    assert placed(course)["ada_lovelace/09_doubling/09_doubling.ipynb"] == later
    assert who(course) == {"ada_lovelace", "bob"}


def test_a_name_that_differs_in_blanks_is_settled_by_a_row(course, run, tmp_path):
    run(write(tmp_path / "a", {"Ada/nb.ipynb": notebook(course, BOB), "bob/nb.ipynb": notebook(course)}))
    eve = write(tmp_path / "b", {"Ada /nb.ipynb": notebook(course, EVE), "bob/nb.ipynb": notebook(course)})
    (lost,) = run(eve).unplaced
    assert "\u201cAda\\x20\u201d and Ada of students.csv differ in their blanks alone" in lost.why
    assert r"name as it is here" in lost.fix
    with (course.local / "students.csv").open("a", encoding="utf-8") as file:
        file.write("eve, plain,, Ada\\x20 \n")  # blanks that somebody typed around a cell are not the name's
    assert not run(eve).unplaced
    assert who(course) == {"Ada", "bob", "eve"}
    together = write(tmp_path / "c", {"Ada/nb.ipynb": notebook(course, BOB), "Ada /nb.ipynb": notebook(course, EVE)})
    assert not run(together).unplaced
    assert placed(course)["Ada/09_doubling/09_doubling.ipynb"] == notebook(course, BOB)


OTHERWISE = [
    "ada lovelace",
    "ADA LOVELACE",
    "Lovelace Ada",
    "Lovelace, Ada",
    "AdaLovelace",
    "lovelaceada",
    "Adá Lovelace",
    "Ada K. Lovelace",
    "Ada Lovelace 2",
    "Ada Lovelace2",
    "Ada Lovelace (late)",
    "AdaLovelace late",
    "Lovelace",
    "A. Lovelace",
    "Ada L",
]


@pytest.mark.parametrize("system", ["moodle", "canvas", "plain"])
@pytest.mark.parametrize("kind", ["{}.ipynb", "{}/nb.ipynb"])
@pytest.mark.parametrize("name", OTHERWISE)
def test_a_name_that_may_be_meant_for_somebody_known_is_settled_by_a_row(course, run, tmp_path, name, kind, system):
    """A correction that a person saved under nearly the student's name makes no second student in silence."""
    known = {
        "moodle": "Ada Lovelace_5_assignsubmission_file_/nb.ipynb",
        "canvas": "lovelaceada_55_900_nb.ipynb",
        "plain": "Ada Lovelace/nb.ipynb",
    }[system]
    other = known.replace("Ada Lovelace", "Bob M").replace("lovelaceada_55", "mbob_56").replace("_5_", "_6_")
    first = make_zip(tmp_path / "1.zip", [(known, notebook(course, BOB)), (other, notebook(course))])
    book = [gradebook(tmp_path / "book.csv", (55, "Lovelace, Ada"), (56, "M, Bob"))] if system == "canvas" else []
    assert not run(first, rosters=book).unplaced
    mail = write(tmp_path / "mail", {kind.format(name): notebook(course, EVE)})
    (lost,) = run(mail).unplaced
    assert "of students.csv may be one person" in lost.why
    assert "name it as students.csv does; if not, write a row" in lost.fix
    assert who(course) == {"ada_lovelace", "bob_m"}
    with (course.local / "students.csv").open("a", encoding="utf-8") as file:
        file.write(f'second,plain,,"{name}"\n')
    assert not run(mail).unplaced
    assert who(course) == {"ada_lovelace", "bob_m", "second"}
    both = write(tmp_path / "2", {"Ada Lovelace/nb.ipynb": notebook(course), f"{name}/nb.ipynb": notebook(course, EVE)})
    assert not run(both).unplaced


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Anna Mueller", "Anna Müller"),
        ("Anna Müller", "Anna Mueller"),
        ("Joerg Weiss", "Jörg Weiß"),
        ("Soeren Oedegaard", "Søren Ødegård"),
        ("Soren Odegaard", "So\u0308ren Ødegård"),
        ("MUELLER_Anna", "Anna Müller"),
        ("A Muller", "Anna Müller"),
        ("M Anna", "Anna Müller"),
        ("रीता शर्मा", "शर्मा रीता"),
        ("Mohamed Khaled Mohamed", "Khaled Mohamed Mohamed"),
    ],
)
def test_a_name_may_be_written_in_other_letters(name, known):
    assert may_be_meant(name, known)
    assert may_be_meant(known, name)


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("Yue Li", "Yu Li"),
        ("Sue Mann", "Su Mann"),
        ("रीता शर्मा", "राता शर्मा"),
        ("Mohamed Mohamed", "Mohamed Khaled"),
        ("A L", "Ada Lovelace"),
        ("team 1", "team 12"),
        ("E. Lovelace", "Ada Lovelace"),
        ("王", "王小明"),
        ("---", "Ada"),
        ("", "Ada"),
    ],
)
def test_other_letters_are_another_name(name, known):
    assert not may_be_meant(name, known)
    assert not may_be_meant(known, name)


@pytest.mark.parametrize("name", ["Adam Lovelace", "Ada Love", "Eve Lovelace", "Ada 2"])
def test_a_name_that_shares_some_words_with_somebodys_is_a_newcomers(course, run, tmp_path, name):
    run(write(tmp_path / "a", {"Ada Lovelace/nb.ipynb": notebook(course), "Bob M/nb.ipynb": notebook(course)}))
    assert not run(write(tmp_path / "b", {f"{name}.ipynb": notebook(course, EVE)})).unplaced
    assert len(who(course)) == 3


def test_what_is_advised_about_a_name_that_the_worksheet_has_otherwise_is_in_the_worksheet(course, run, tmp_path):
    """No row of `students.csv` is held against it."""
    path = make_zip(tmp_path / "1.zip", [("Group A-Ada_11_assignsubmission_file_/nb.ipynb", notebook(course))])
    (lost,) = run(path, rosters=[worksheet(tmp_path / "1.csv", (11, "Ada", "ada@x.org"))]).unplaced
    assert "is Ada in the roster" in lost.why
    assert "worksheet anew" in lost.fix
    assert "students.csv" not in lost.fix


def test_two_who_log_in_by_names_of_which_one_is_longer_are_two(course, run, tmp_path):
    for name in ("ada", "ada2", "ada-l"):
        assert not run(write(tmp_path / name, {f"{name}/09_doubling/nb.ipynb": notebook(course)})).unplaced
    assert who(course) == {"ada", "ada2", "ada-l"}
    (lost,) = run(write(tmp_path / "other", {"Ada/09_doubling/nb.ipynb": notebook(course)})).unplaced
    assert "may be one person" in lost.why


def test_a_name_that_the_worksheet_writes_otherwise_is_found_again(two, run, tmp_path):
    first = worksheet(tmp_path / "1.csv", (5, "Seán O'Brien III", ""))
    run(
        make_zip(tmp_path / "1.zip", [("Seán OBrien III_5_assignsubmission_file_/nb.ipynb", notebook(two))]),
        rosters=[first],
    )
    again = worksheet(tmp_path / "2.csv", (6, "Seán O'Brien III", ""))
    data = notebook(two, assignment="08_tripling")
    files = [("Seán OBrien III_6_assignsubmission_file_/nb.ipynb", data)]
    assert not run(make_zip(tmp_path / "2.zip", files), rosters=[again]).unplaced
    assert len(rows(two.local / "students.csv")) == 1


#: Letters of names that differ in a blank, an accent or its form, capitals, or in what no table or terminal shows.
_ODD = "aAe\u00e9\u0301 \t\n\r\x1b\x85\xa0\u200b\u202e\u3000_-,;'=\\"


def _kept(course):
    tables = [course.local / name for name in ("students.csv", "collected.csv")]
    return {t.name: t.read_bytes() for t in tables if t.exists()}, placed(course), attempts(course)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(_ODD, min_size=1, max_size=5), min_size=1, max_size=4, unique=True), st.booleans())
def test_collecting_again_changes_nothing_whatever_folders_are_called(folders, apart):
    with tempfile.TemporaryDirectory() as folder:
        local, words = Path(folder, "local"), {"nb": {"doubling", "odd"}}
        sources = []
        for number, name in enumerate(folders):
            source = Path(folder, f"in{number if apart else ''}")
            write(source, {f"{name}/nb.ipynb": b'{"doubling": %d}' % number, "zoe/nb.ipynb": b'{"odd": 1}'})
            sources += [source] if source not in sources else []
        place = SimpleNamespace(local=local)
        write(local, {"nbgrader_config.py": b"c = get_config()"})

        def run():
            comparing = Comparing(Course(local))  # which has no such notebook: nothing is counted
            run = _Run(Sorter(words, None), comparing, local / "submitted", Roster(), lambda line: None, ())
            return run.run(sources)

        first = run()
        kept = _kept(place)
        assert first.placed
        again = run()
        assert _kept(place) == kept
        assert [(one.where, one.why) for one in again.unplaced] == [(one.where, one.why) for one in first.unplaced]
        # Nobody's folder went to somebody else, but for a Mac's way to write the same name.
        whose = defaultdict(set)
        for path in [*local.glob("submitted/*/nb/nb.*"), *local.glob("attempts/*/nb/*")]:
            if (data := json.loads(path.read_bytes())).get("doubling") is not None:
                whose[path.parts[-3]].add(unicodedata.normalize("NFC", folders[data["doubling"]]))
        assert all(len(names) == 1 for names in whose.values())


def test_a_folder_and_a_file_of_one_name(course, run, tmp_path):
    write(tmp_path / "in", {"Ada/nb.ipynb": notebook(course, BOB), "eve/nb.ipynb": notebook(course)})
    make_zip(tmp_path / "in" / "Ada.zip", [("nb.ipynb", notebook(course, EVE))])
    result = run(tmp_path / "in")
    assert not any("would become one student" in u.why for u in result.unplaced)  # both say Ada, letter for letter
    assert who(course) == {"Ada", "eve"}


def test_a_folder_with_somebodys_id_for_a_name(course, run, tmp_path):
    files = [(f"Ada_{n}_assignsubmission_file_/nb.ipynb", notebook(course, f"return {n}")) for n in (1, 2)]
    sheet = worksheet(tmp_path / "s.csv", (1, "Ada", "ada@x.org"), (2, "Ada", "other@x.org"))
    run(make_zip(tmp_path / "a.zip", files), rosters=[sheet])
    before = placed(course)
    write(tmp_path / "in", {"ada_2/nb.ipynb": notebook(course, EVE), "zoe/nb.ipynb": notebook(course)})
    (lost,) = run(tmp_path / "in").unplaced
    assert "ada_2 is the id of Ada" in lost.why
    assert {k: v for k, v in placed(course).items() if not k.startswith("zoe")} == before
    # In nbgrader's own folders it is the id and nothing else.
    own = write(
        tmp_path / "own", {f"{s}/09_doubling/09_doubling.ipynb": notebook(course, EVE) for s in ("ada_2", "zoe")}
    )
    assert not run(own).unplaced
    assert placed(course)["ada_2/09_doubling/09_doubling.ipynb"] == notebook(course, EVE)


def test_a_name_of_another_system_is_taken_and_said(course, run, tmp_path):
    run(make_zip(tmp_path / "a.zip", [("Ada Lovelace_1_assignsubmission_file_/nb.ipynb", notebook(course))]))
    write(tmp_path / "in", {"Ada Lovelace/nb.ipynb": notebook(course, "return 'by mail'")})
    (placed_,) = run(tmp_path / "in").placed
    assert "was taken for \u201cAda Lovelace\u201d of Moodle" in placed_.notes[-1]


@pytest.mark.parametrize(
    "inner", ["bob_1234_99_nb.ipynb", "Bob_2_assignsubmission_file_/nb.ipynb", "Bob_2_assignsubmission_file_nb.ipynb"]
)
def test_a_students_archive_among_others_that_looks_like_a_download(course, run, tmp_path, inner):
    (tmp_path / "in").mkdir()
    make_zip(tmp_path / "in" / "eve.zip", [(inner, notebook(course, EVE))])
    make_zip(tmp_path / "in" / "ada.zip", [("nb.ipynb", notebook(course))])
    result = run(tmp_path / "in")
    assert who(course) == {"ada"}
    assert "eve.zip may be a system's download" in result.unplaced[0].why


@pytest.mark.parametrize(
    ("archive", "inner", "students"),
    [
        ("evansevil_77_901_my_submissions.zip", "lovelaceada_55_999_nb.ipynb", {"evansevil"}),
        ("Eve Evil_99_assignsubmission_file_work-1.zip", "Ada_41_assignsubmission_file_/nb.ipynb", {"eve_evil"}),
        ("eve-1.zip", "Ada_41_assignsubmission_file_/nb.ipynb", set()),
        ("submissions.zip", "lovelaceada_55_999_nb.ipynb", set()),
        ("x-1.zip", "around/Ada_41_assignsubmission_file_/nb.ipynb", set()),
        ("eve.zip", "ada/09_doubling/nb.ipynb", set()),
        ("09_doubling.zip", "ada/nb.ipynb", set()),
    ],
)
def test_a_zip_in_a_folder_is_never_a_download(course, run, tmp_path, archive, inner, students):
    (tmp_path / "in").mkdir()
    make_zip(tmp_path / "in" / archive, [(inner, notebook(course, EVE))])
    result = run(tmp_path / "in")
    assert who(course) == students
    assert bool(result.unplaced) is not bool(students)
    assert all("on the command line" in u.fix for u in result.unplaced)


@pytest.mark.parametrize(
    ("archive", "student"),
    [
        ("lovelaceada_55_900_work.zip", "lovelaceada"),
        ("Ada Lovelace_41_assignsubmission_file_work.zip", "ada_lovelace"),
        ("Ada Lovelace.zip", "ada_lovelace"),
    ],
)
def test_an_honest_zip_of_an_unpacked_download_goes_to_its_student(course, run, tmp_path, archive, student):
    (tmp_path / "in").mkdir()
    make_zip(tmp_path / "in" / archive, [("work/nb.ipynb", notebook(course))])
    assert not run(tmp_path / "in").unplaced
    assert who(course) == {student}


FOLDERS = [f"{name}_{n}_assignsubmission_file/nb.ipynb" for name, n in (("Ada L", 41), ("Bob B", 42))]


@pytest.mark.parametrize("archive", ["NLP-05-77.zip", "nlp-05-77.zip"])
@pytest.mark.parametrize("more", [[], ["grades.csv", ".DS_Store"]])
def test_moodles_download_that_was_unpacked_and_packed_again(course, run, tmp_path, archive, more):
    """A Mac unpacks it by itself; packed again it made everybody another student, and nothing went back to Moodle."""
    run(make_zip(tmp_path / "NLP-05-1.zip", [(name, notebook(course)) for name in FOLDERS]))
    inner = [(f"NLP-05-77/{name}", notebook(course, "return 'later'")) for name in FOLDERS]
    inner += [(f"NLP-05-77/{name}", b"x") for name in more]
    result = run(make_zip(tmp_path / archive, inner, (2026, 11, 28, 0, 0, 0)))
    assert not result.unplaced
    assert [p.outcome for p in result.placed] == ["later attempt"] * 2
    assert who(course) == {"ada_l", "bob_b"}
    assert {row["folder"] for row in rows(course.local / "collected.csv")} == {name.split("/")[0] for name in FOLDERS}


@pytest.mark.parametrize(
    ("archive", "files", "packed"),
    [
        ("eve.zip", [f"eve/{FOLDERS[1]}", "eve/work/nb.ipynb"], True),  # her own folder, with others in it
        ("eve.zip", [f"eve/{FOLDERS[1]}"], True),
        ("other.zip", [f"eve/{name}" for name in FOLDERS], True),  # a name that she chose
        ("in", [f"eve/{name}" for name in FOLDERS], False),
        ("eve", [f"eve/{name}" for name in FOLDERS], False),
    ],
)
def test_a_students_own_folder_is_never_read_as_a_systems(course, run, tmp_path, archive, files, packed):
    run(make_zip(tmp_path / "NLP-05-1.zip", [(name, notebook(course, BOB)) for name in FOLDERS]))
    before = placed(course)
    eve = {name: notebook(course, EVE) for name in files}
    source = make_zip(tmp_path / archive, list(eve.items())) if packed else write(tmp_path / archive, eve)
    result = run(source)
    assert len(result.unplaced) == sum("_assignsubmission_" in name for name in files)
    assert {path: data for path, data in placed(course).items() if path in before} == before
    assert not any("assignsubmission" in student for student in who(course))
    assert not attempts(course)


def test_an_archive_of_several_folders_among_others(course, run, tmp_path):
    (tmp_path / "in").mkdir()
    files = [("ada/nb.ipynb", notebook(course)), ("bob/nb.ipynb", notebook(course, BOB))]
    path = make_zip(tmp_path / "in" / "class.zip", files)
    assert all("several students or of one" in u.why for u in run(tmp_path / "in").unplaced)
    assert not placed(course)
    assert not run(path).unplaced  # by itself it is a download
    assert who(course) == {"ada", "bob"}


def test_a_download_unpacked_in_a_folder_above(course, run, tmp_path):
    names = [f"submissions/{n}_{k}_9{k}_09_doubling.ipynb" for n, k in (("ada", 11), ("bob", 12))]
    write(tmp_path / "in", {**dict.fromkeys(names, notebook(course)), "zoe/nb.ipynb": notebook(course)})
    result = run(tmp_path / "in")
    assert len(result.unplaced) == 2
    assert "collect what is in it by itself" in result.unplaced[0].fix
    assert who(course) == {"zoe"}
    assert not run(tmp_path / "in" / "submissions").unplaced
    assert who(course) == {"ada", "bob", "zoe"}


def test_folders_of_assignments_with_students_in_them(two, run, tmp_path):
    files = {f"08_tripling/{s}/nb.ipynb": notebook(two, assignment="08_tripling") for s in ("ada", "bob")}
    files |= {f"09_doubling/{s}/nb.ipynb": notebook(two) for s in ("ada", "bob")}
    assert not run(write(tmp_path / "in", files)).unplaced
    assert set(placed(two)) == {f"{s}/{a}/{a}.ipynb" for s in ("ada", "bob") for a in ("08_tripling", "09_doubling")}


@pytest.mark.parametrize("around", ["", "class/"])
@pytest.mark.parametrize("packed", [False, True])
def test_nobodys_lines_push_those_of_the_others_away(course, run, tmp_path, packed, around):
    files = {f"{around}eve/x/09_doubling/{n}.ipynb": notebook(course, EVE) for n in range(30)}
    files |= {f"{around}ada/nb.ipynb": notebook(course), f"{around}zoe/x/09_doubling/nb.ipynb": notebook(course)}
    root = write(tmp_path / "in", files)
    if packed:
        root = make_zip(tmp_path / f"{around.rstrip('/') or 'in'}.zip", [(name, data) for name, data in files.items()])
    else:
        for n in range(30):
            (root / f"{around}eve/{n}.ipynb").symlink_to("/etc/passwd")
        root, around = root / around, ""
    result = run(root)
    assert who(course) == {"ada"}
    assert [u.where for u in result.unplaced if "zoe" in u.where] == [
        f"{root.name}: {around}zoe/x/09_doubling/nb.ipynb"
    ]
    assert len(result.unplaced) < 10
    left_out = (30 if packed else 60) - (len(result.unplaced) - 2)
    assert result.unplaced[-1].why == f"{left_out} further files in it were not taken either"
    assert result.unplaced[-1].where == f"{around}eve"


SEVERAL, FOLDER = "lada_12_{0}_7_9_x.ipynb", "lada_12_{0}_\\x.ipynb"


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("names", [[SEVERAL], [FOLDER], [SEVERAL, "lada_12_{0}_7_9_x.zip"], [SEVERAL, FOLDER]])
def test_nor_do_the_lines_of_one_who_has_no_folder(course, run, tmp_path, packed, names):
    """Canvas puts the files of all students side by side."""
    files = {f"bob_{n}_{900 + n}_nb.ipynb": notebook(course) for n in (13, 14)}
    files |= {name.format(500 + n): notebook(course, EVE) for n in range(30) for name in names}
    files |= {f"zoe_15_990_{n}_3_x.ipynb": notebook(course) for n in (8, 9)}
    if packed or any("\\" in name for name in names):
        root = make_zip(tmp_path / "in.zip", list(files.items()))
    else:
        root = write(tmp_path / "in", files)
    result = run(root)
    assert len([u for u in result.unplaced if "zoe_15" in u.where]) == 2
    assert len([u for u in result.unplaced if "lada" in u.where]) == 7
    assert result.unplaced[-1].why == f"{30 * len(names) - 6} further files called so were not taken either"
    assert result.unplaced[-1].where == "lada_12_..."


def test_files_of_many_without_a_folder_are_all_named(course, run, tmp_path):
    files = {f"s{n}_{100 + n}_{900 + n}_7_9_x.ipynb": notebook(course) for n in range(30)}
    assert len(run(write(tmp_path / "in", files)).unplaced) == 30


@pytest.mark.parametrize(
    ("name", "beginning"),
    [
        ("lada_12_500_x.ipynb", "lada_12_"),
        ("lada_LATE_12_500_3_4_x.ipynb", "lada_12_"),
        ("lada_12_500_", "lada_12_"),
        ("lada_anon_x1_500_x.ipynb", "lada_anon_x1_"),
        ("l_3_4_12_500_x.ipynb", "l_3_"),
        ("Ada L_12_assignsubmission_file_x.ipynb", "Ada L_12_"),
        ("Ada L_12_assignsubmission_file", "Ada L_12_"),
        ("ada.ipynb", ""),
        ("ada_12.ipynb", ""),
        ("", ""),
    ],
)
def test_what_systems_write_before_all_files_of_one_person(name, beginning):
    assert whose(name) == beginning


# --- times


def test_a_time_that_a_student_wrote_is_not_taken(course, run, tmp_path):
    early = b"2020-01-01 00:00:00 UTC"
    inner = make_zip(
        tmp_path / "w.zip", [("09_doubling/nb.ipynb", notebook(course)), ("09_doubling/timestamp.txt", early)]
    )
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "eve.zip").write_bytes(inner.read_bytes())
    make_zip(tmp_path / "in" / "zoe.zip", [("nb.ipynb", notebook(course)), ("timestamp.txt", early)])
    write(tmp_path / "in", {"ada/nb.ipynb": notebook(course), "ada/timestamp.txt": early})
    run(tmp_path / "in")
    moodle = [
        ("Bob_1_assignsubmission_file_/nb.ipynb", notebook(course)),
        ("Bob_1_assignsubmission_file_/timestamp.txt", early),
    ]
    moodle += [("Cy_2_assignsubmission_file_/w.zip", inner.read_bytes())]
    run(make_zip(tmp_path / "m.zip", moodle))
    assert who(course) == {"ada", "bob", "cy", "eve", "zoe"}
    assert not [path for path in placed(course) if path.endswith("timestamp.txt")]
    assert not any(a["handed_in"] for a in rows(course.local / "collected.csv"))


EARLY = b"2020-01-01 00:00:00 UTC"


@pytest.mark.parametrize("times", [False, True])
def test_a_time_in_a_folder_that_a_student_made_is_not_taken(course, run, tmp_path, times):
    files = {"eve/09_doubling/nb.ipynb": notebook(course, EVE), "eve/09_doubling/timestamp.txt": EARLY}
    result = run(write(tmp_path / "in", {"ada/nb.ipynb": notebook(course), **files}), times=times)
    assert who(course) == {"ada", "eve"}
    assert not [path for path in placed(course) if path.endswith("timestamp.txt")]
    assert "1 timestamp not used" in summary(result)


def test_a_time_counts_where_the_instructor_says_who_wrote_it(course, run, tmp_path):
    files = {f"{s}/09_doubling/nb.ipynb": notebook(course) for s in ("ada", "eve")}
    folder = write(tmp_path / "in", {**files, "eve/09_doubling/timestamp.txt": EARLY})
    result = run(folder)
    assert not any(a["handed_in"] for a in rows(course.local / "collected.csv"))
    assert "collect with --times" in summary(result)
    result = run(folder, times=True)
    assert placed(course)["eve/09_doubling/timestamp.txt"] == b"2020-01-01 00:00:00 UTC\n"
    assert "timestamp" not in summary(result)


def test_a_folder_that_a_student_made_does_not_make_a_name_an_id(course, run, tmp_path):
    run(make_zip(tmp_path / "a.zip", [("Ada Lovelace_1_assignsubmission_file_/nb.ipynb", notebook(course))]))
    files = {"ada_lovelace/09_doubling/nb.ipynb": notebook(course, EVE), "bob/nb.ipynb": notebook(course, BOB)}
    result = run(write(tmp_path / "in", files))
    assert who(course) == {"ada_lovelace", "bob"}
    assert not any(EVE.encode() in data for data in (*attempts(course), *placed(course).values()))
    assert "ada_lovelace is the id of \u201cAda Lovelace\u201d" in result.unplaced[0].why
    # Where all folders are so, somebody laid them out for nbgrader.
    own = {f"{s}/09_doubling/nb.ipynb": notebook(course, BOB) for s in ("ada_lovelace", "bob")}
    assert not run(write(tmp_path / "own", own)).unplaced


def test_times_in_a_students_own_archive_do_not_order_attempts(course, run, tmp_path):
    def handed(name, answer, packed, outer):
        inner = make_zip(tmp_path / "w.zip", [("nb.ipynb", notebook(course, answer))], packed)
        return make_zip(tmp_path / name, [("Eve_1_assignsubmission_file_/w.zip", inner.read_bytes())], outer)

    run(handed("1.zip", "return 1", (2099, 1, 1, 0, 0, 0), (2026, 11, 20, 0, 0, 0)))
    result = run(handed("2.zip", "return 2", (2001, 1, 1, 0, 0, 0), (2026, 11, 21, 0, 0, 0)))
    assert result.placed[0].outcome == "later attempt"
    assert placed(course) == {"eve/09_doubling/09_doubling.ipynb": notebook(course, "return 2")}


def test_of_the_files_in_one_archive_the_newest_counts(course, run, tmp_path):
    with zipfile.ZipFile(tmp_path / "w.zip", "w") as zf:
        for name, day in (("a.ipynb", 3), ("b.ipynb", 9), ("c.ipynb", 5)):
            zf.writestr(zipfile.ZipInfo(name, (2026, 11, day, 0, 0, 0)), notebook(course, f"return {day}"))
    inner = (tmp_path / "w.zip").read_bytes()
    run(make_zip(tmp_path / "1.zip", [("Eve_1_assignsubmission_file_/w.zip", inner)]))
    assert placed(course) == {"eve/09_doubling/09_doubling.ipynb": notebook(course, "return 9")}


# --- names


@pytest.mark.parametrize("name", ["CON", "nul", "com1", "Aux", "lpt9"])
def test_no_id_is_a_device_of_windows(course, run, tmp_path, name):
    assert student_id(name, set()) != name.lower()
    assert not is_id(name)
    assert not is_id(f"{name}.txt")
    assert not is_id("ada.")
    write(tmp_path / "in", {f"{name}/nb.ipynb": notebook(course), "ada/nb.ipynb": notebook(course)})
    assert not run(tmp_path / "in").unplaced
    assert who(course) == {"ada", f"{name.lower()}_"}


def test_an_id_that_only_capitals_tell_from_another(course, run, tmp_path):
    run(write(tmp_path / "a", {"Ada/nb.ipynb": notebook(course)}))
    result = run(write(tmp_path / "b", {"ada/nb.ipynb": notebook(course, EVE)}))
    assert "ada is the id of Ada" in result.unplaced[0].why
    assert who(course) == {"Ada"}


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Lovelace, Ada", "lovelaceada", True),
        ("Ada Lovelace", "lovelaceada", True),
        ("María del Mar López", "lópezmaríadelmar", True),
        ("Ada", "ada l", False),
        ("Ada Lovelace", "Lovelace Bob", False),
        ("аda", "ada", False),  # the first letter of the first is Cyrillic
    ],
)
def test_names_as_systems_write_them(one, other, same):
    assert same_name(one, other) is same
    assert same_name(other, one) is same


@pytest.mark.parametrize("settled", [False, True])
def test_marks_in_the_gradebook_go_to_nobody_by_a_name_alone(course, tmp_path, capsys, settled):
    """Her submissions were moved away after marking, and students.csv never had her: only the gradebook knows her."""
    course.local.mkdir(parents=True, exist_ok=True)
    with Gradebook(course_config(course).CourseDirectory.db_url, "attention") as book:
        book.add_assignment("08_before")
        for student in ("eve_adams", "only_entered"):
            book.add_student(student)
        book.add_submission("08_before", "eve_adams")
    if settled:
        (course.local / "students.csv").write_text("student,system,name\neve_adams,moodle,Eve Adams\n")
    files = [
        (f"{name}_{n}_assignsubmission_file_/nb.ipynb", notebook(course))
        for n, name in enumerate(("Eve Adams", "Bob Brown", "Only Entered"), 1)
    ]
    download = make_zip(tmp_path / "download.zip", files)
    assert main(["--course", str(course.root), "collect", str(download)]) == (0 if settled else 1)
    assert who(course) == {"bob_brown", "only_entered", *(["eve_adams"] if settled else [])}
    said = capsys.readouterr().out
    assert ("there are submissions of eve_adams already" in said) is not settled


def test_the_folders_in_what_may_be_a_students_folder_are_nobodys(course, run, tmp_path):
    write(tmp_path / "in", {"ada/nb.ipynb": notebook(course), "bob/nb.ipynb": notebook(course)})
    run(tmp_path / "in")
    before = placed(course)
    for outer in ("Eve Adams", "Adams Eve"):
        files = {f"{outer}/{s}/nb.ipynb": notebook(course, "return 'of eve'") for s in ("ada", "bob", "zz")}
        write(tmp_path / f"late {outer}", files)
        packed = make_zip(tmp_path / f"packed {outer}.zip", list(files.items()))
        for path in (tmp_path / f"late {outer}", packed):
            result = run(path)
            assert [u for u in result.unplaced if outer in u.why and "command line" in u.fix]
            assert placed(course) == before
    # With the name of the archive it is the class; so it is if it is named itself.
    both = [(f"Eve Adams/{student}/nb.ipynb", notebook(course)) for student in ("yan", "zoe")]
    assert not run(make_zip(tmp_path / "Eve Adams.zip", both)).unplaced
    assert {path.split("/")[0] for path in placed(course)} == {"ada", "bob", "yan", "zoe"}


@pytest.mark.parametrize("outer", ["eve_homework", "submissions", "Class of 2026", "in", "course group"])
@pytest.mark.parametrize("packed", [False, True])
def test_no_word_in_a_name_that_a_student_chose_makes_a_class(course, run, tmp_path, outer, packed):
    files = {f"{outer}/{student}/nb.ipynb": notebook(course, EVE) for student in ("ada", "bob")}
    path = write(tmp_path / "in", files)
    if packed:
        path = make_zip(tmp_path / "download.zip", list(files.items()))
    result = run(path)
    assert not placed(course)
    assert all(f"{named(outer)} may be a class, or one student" in u.why for u in result.unplaced)
    assert len(result.unplaced) == 2


STRAYS = [
    "eve/notes.ipynb",
    "eve/backup.zip",
    "eve/x/nb.ipynb",
    "eve/x/09_doubling/nb.ipynb",
    "eve/09_doubling/x/nb.py",
]


@pytest.mark.parametrize("stray", STRAYS)
def test_a_stray_file_undoes_nbgraders_layout_for_nobody(course, run, tmp_path, stray):
    people = ("ada_lovelace", "bob", "eve")
    files = {f"{s}/09_doubling/09_doubling.ipynb": notebook(course, BOB) for s in people}
    files |= {f"{s}/09_doubling/timestamp.txt": b"2026-11-25 10:00:00 UTC" for s in people}
    # An id that stands for another name: only in nbgrader's layout is the folder's name that id.
    run(make_zip(tmp_path / "a.zip", [("Ada Lovelace_1_assignsubmission_file_/nb.ipynb", notebook(course))]))
    folder = write(tmp_path / "own", {**files, stray: b"{}"})
    result = run(folder, times=True)
    assert {p.student for p in result.placed} == set(people)
    assert all("eve" in u.where for u in result.unplaced)
    for student in people:
        assert placed(course)[f"{student}/09_doubling/timestamp.txt"] == b"2026-11-25 10:00:00 UTC\n"


def test_a_file_beside_the_folders_makes_no_layout_of_nbgraders(course, run, tmp_path):
    """Files that came by mail, and one folder, which is laid out as its student wanted."""
    files = {"ada.ipynb": notebook(course), "eve/09_doubling/nb.ipynb": notebook(course, EVE)}
    result = run(write(tmp_path / "in", {**files, "eve/09_doubling/timestamp.txt": EARLY}), times=True)
    assert who(course) == {"ada", "eve"}
    assert "1 timestamp not used" in summary(result)


@pytest.mark.parametrize("name", ["x/nb.ipynb", "w.zip"])
def test_a_time_holds_for_all_that_lies_in_its_folder(course, run, tmp_path, name):
    """A later notebook in a folder of her own would otherwise count, without the time that makes it late."""
    data = notebook(course, EVE)
    if name == "w.zip":
        data = make_zip(tmp_path / "w.zip", [("nb.ipynb", data)]).read_bytes()
    files = {f"eve/09_doubling/{name}": data, "eve/09_doubling/timestamp.txt": b"2026-11-20 10:00:00 UTC"}
    run(write(tmp_path / "in", files), times=True)
    assert placed(course)["eve/09_doubling/timestamp.txt"] == b"2026-11-20 10:00:00 UTC\n"


@pytest.mark.parametrize("letter", ["a", "\xe9", "\u6f22", "\U00020000"])
def test_an_id_fits_into_the_name_of_a_file_in_bytes(letter):
    """What has 100 letters may have 400 bytes, and a file system takes 255."""
    fits = len((letter * 100).encode()) <= 200
    assert is_id(letter * 100) is fits
    assert id_of(letter * 100) == (letter * 100 if fits else safe_id(letter * 100))
    chosen = student_id(letter * 100, {student_id(letter * 100, set())}, extra=letter * 100)
    assert is_id(chosen)
    assert bool(unfit(zipfile.ZipInfo(f"folder/{letter * 100}/a.ipynb"))) is (len((letter * 100).encode()) > 255)


@pytest.mark.parametrize("name", ["eve_33_9{}_nb.ipynb", "Eve_33_assignsubmission_file_/nb{}.ipynb"])
def test_an_id_stays_once_something_was_collected_under_it(two, run, tmp_path, name):
    """Later work would be another student's, and the earlier mark could go back in its place."""
    run(make_zip(tmp_path / "a.zip", [(name.format(1), notebook(two))]))
    table = two.local / "students.csv"
    table.write_text(table.read_text().replace("eve,", "eve01,", 1))
    later = make_zip(tmp_path / "b.zip", [(name.format(2), notebook(two, EVE))], (2026, 11, 28, 0, 0, 0))
    (lost,) = run(later).unplaced
    assert lost.why == "number 33 is eve01 in students.csv now, but eve in collected.csv"
    assert who(two) == {"eve"}
    table.write_text(table.read_text().replace("eve01,", "eve,", 1))
    assert run(later).placed[0].outcome == "later attempt"


@pytest.mark.parametrize("when", ["before", "now", "never", "both"])
@pytest.mark.parametrize("lost", ["all", "row", "number"])
def test_a_number_of_canvas_gets_no_second_id_when_its_row_is_gone(course, run, tmp_path, when, lost):
    """Which id is made of a name depends on whether a gradebook tells it."""
    people = [("lovelaceada", 1), ("builderbob", 2)]
    book = gradebook(tmp_path / "book.csv", (1, "Lovelace, Ada"), (2, "Builder, Bob"))
    downloads = [
        make_zip(tmp_path / f"{n}.zip", [(f"{name}_{number}_{n}0{number}_nb.ipynb", data) for name, number in people])
        for n, data in ((1, notebook(course, BOB)), (2, notebook(course, EVE)))
    ]
    assert not run(downloads[0], rosters=[book] if when in ("before", "both") else []).needs_a_look
    ada, bob = ids = sorted(who(course), key=lambda student: "bob" in student)
    table = course.local / "students.csv"
    complete = table.read_text()
    if lost == "all":
        table.unlink()
    elif lost == "row":
        table.write_text("".join(line for line in complete.splitlines(True) if not line.startswith(ada)))
    else:  # as a spreadsheet leaves it
        table.write_text(complete.replace("canvas,1,", "canvas,1E+0,"))
    roster = [book] if when in ("now", "both") else []
    result = run(downloads[1], rosters=roster)
    assert who(course) == set(ids)
    assert {row["student"] for row in rows(course.local / "collected.csv")} == set(ids)
    assert len(result.unplaced) == (2 if lost == "all" else 1)
    assert f"write a row into students.csv (student {ada}, system canvas, number 1, name " in result.unplaced[0].fix
    if lost == "row" and when in ("before", "now"):
        assert result.unplaced[0].why == f"number 1 is {ada} in collected.csv, and no row of students.csv says so"
    # As was advised, for each of them.
    header, *lines = table.read_text().splitlines()
    there = [dict(zip(header.split(","), line.split(","), strict=True)) for line in lines]
    gone = {"lovelaceada": ada} | ({"builderbob": bob} if lost == "all" else {})
    there += [{"student": gone[n], "system": "canvas", "number": str(k), "name": n} for n, k in people if n in gone]
    cells = [",".join(row.get(head, "") for head in header.split(",")) for row in there]
    table.write_text("\n".join([header, *cells]) + "\n")
    result = run(downloads[1], rosters=roster)
    assert not result.unplaced
    outcomes = {placed.student: placed.outcome for placed in result.placed}
    assert outcomes == {ada: "later attempt", bob: "later attempt" if lost == "all" else "unchanged"}
    assert who(course) == set(ids)


@pytest.mark.parametrize("both", [False, True])
def test_a_namesake_does_not_get_the_id_of_a_number_whose_row_is_gone(course, run, tmp_path, both):
    """The advice was a row that gives the newcomer the other one's id, right beside the one for that one."""

    def download(name, data, numbers, day):
        files = [(f"lovelaceada_{number}_{day}0{number}_nb.ipynb", data) for number in numbers]
        return make_zip(tmp_path / name, files, (2026, 11, day, 0, 0, 0))

    assert not run(download("1.zip", notebook(course, BOB), (1, 4) if both else (1,), 20)).needs_a_look
    table = course.local / "students.csv"
    table.unlink()
    later = download("2.zip", notebook(course, EVE), (4, 1), 28)
    result = run(later)
    ids = {"1": "lovelaceada", "4": "lovelaceada_4"}
    assert [(placed.student, placed.outcome) for placed in result.placed] == [(ids["4"], "new")] * (not both)
    asked = {number: student for number, student in ids.items() if both or number == "1"}
    fixes = " ".join(lost.fix for lost in result.unplaced)
    assert len(result.unplaced) == len(asked)
    assert all(f"(student {student}, system canvas, number {number}, " in fixes for number, student in asked.items())
    # As was advised, for each of them.
    table.write_text("student,system,number,name\n" + "".join(f"{s},canvas,{n},lovelaceada\n" for n, s in ids.items()))
    assert not run(later).unplaced
    assert {row["number"]: row["student"] for row in rows(course.local / "collected.csv")} == ids
    assert len({(row["number"], row["student"]) for row in rows(course.local / "collected.csv")}) == 2


def test_two_numbers_of_canvas_that_are_one_student_stay_so(course, run, tmp_path):
    """Somebody has two accounts, as two rows with one id say."""
    assert not run(make_zip(tmp_path / "1.zip", [("lovelaceada_1_901_nb.ipynb", notebook(course, BOB))])).needs_a_look
    with (course.local / "students.csv").open("a") as table:
        table.write("lovelaceada,canvas,4,kingada\n")
    later = make_zip(tmp_path / "2.zip", [("kingada_4_904_nb.ipynb", notebook(course, EVE))], (2026, 11, 28, 0, 0, 0))
    assert [(placed.student, placed.outcome) for placed in run(later).placed] == [("lovelaceada", "later attempt")]
    assert not run(later).unplaced
    assert who(course) == {"lovelaceada"}


@pytest.mark.parametrize("known", [False, True])
@pytest.mark.parametrize(
    "name", ["Bob Builder - 09_doubling.ipynb - Eve Evans.ipynb", "Bob Builder_09_doubling.ipynb_Eve Evans.ipynb"]
)
def test_what_a_form_writes_behind_a_chosen_name_is_not_cut_off(course, run, tmp_path, known, name):
    """The form writes the sender's name at the end, and the sender wrote Bob's and an ending before it."""
    bobs = {"09_doubling - Bob Builder.ipynb": notebook(course), "09_doubling - Ada L.ipynb": notebook(course)}
    if known:
        run(write(tmp_path / "before", bobs))
    (lost,) = run(write(tmp_path / "forms", bobs | {name: notebook(course, EVE)})).unplaced
    assert lost.why.startswith("it may be of \u201cBob Builder\u201d, or of whom ")
    assert "Eve Evans" in lost.why
    assert placed(course) == {f"{s}/09_doubling/09_doubling.ipynb": notebook(course) for s in ("bob_builder", "ada_l")}


@pytest.mark.parametrize(
    "behind",
    ["", ".txt", ".json", ".ipynb", " (1)", " (2).ipynb", "-1.ipynb", " copy.ipynb", " - Copy.ipynb", ".download"],
)
def test_what_browsers_put_behind_an_ending_is_nobodys_name(course, run, tmp_path, behind):
    folder = write(tmp_path / "in", {f"Ada L - 09_doubling.ipynb{behind}": notebook(course)})
    assert not run(folder).unplaced
    assert who(course) == {"ada_l"}


def test_a_plain_folder_with_the_name_of_several_people_is_settled_by_a_row(course, run, tmp_path):
    """A worksheet of Moodle tells nothing of a folder."""
    course.local.mkdir(parents=True, exist_ok=True)
    (course.local / "students.csv").write_text(
        "student,system,number,name,email\nada,moodle,,Ada,a@x.org\nada_2,moodle,,Ada,b@x.org\n"
    )
    (tmp_path / "in" / "Ada").mkdir(parents=True)
    (tmp_path / "in" / "Ada" / "nb.ipynb").write_bytes(notebook(course))
    (lost,) = run(tmp_path / "in").unplaced
    assert lost.why == "several people are called Ada"
    assert "rename it to what only that person is called, as with a number behind the name" in lost.fix
    with (course.local / "students.csv").open("a") as file:
        file.write("ada_2,plain,,Ada 17,\n")
    (tmp_path / "in" / "Ada").rename(tmp_path / "in" / "Ada 17")
    assert [p.student for p in run(tmp_path / "in").placed] == ["ada_2"]
    # A file by mail, too; and nothing of the other one's gets there.
    mail = write(tmp_path / "mail", {"Ada 17 - 09_doubling.ipynb": notebook(course, "return 'by mail'")})
    assert [p.student for p in run(mail).placed] == ["ada_2"]
    assert len(run(write(tmp_path / "2", {"Ada - 09_doubling.ipynb": notebook(course)})).unplaced) == 1
