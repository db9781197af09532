"""What comes to a file after it was marked, or goes: it is named as if it had been there at the first marking."""

import shutil

import nbformat
import pytest
from test_lms_collect import make_zip
from test_lms_export import (  # noqa: F401 (fixtures)
    NB,
    SEVERAL,
    about_files,
    forget,
    hand_in,
    released,
    shelf,
    submission,
    zip_of,
)

from grader.classrun.run import end, grade_class
from grader.core.course import Course
from grader.core.nbgrader_api import course_config, open_nbgrader
from grader.core.notebook import read_notebook

LOOK = "other files that need a look lie beside the notebook than when it was marked"


def answering(course, **answers):
    """Return a notebook with some cells' sources."""
    nb = read_notebook(course.released(NB))
    for cell in nb.cells:
        cell.source = answers.get(cell.metadata.get("nbgrader", {}).get("grade_id"), cell.source)
    return nbformat.writes(nb).encode()


def wrong(course):
    return answering(course, double="def double(x):\n    return 77")


def right(course):
    return nbformat.writes(submission(course, 1)).encode()


BETTER = {
    "notebook": lambda course: {f"{NB}-v2.ipynb": right(course)},
    "zip": lambda course: {"new.zip": zip_of({f"{NB}.ipynb": right(course)})},
    "folder": lambda course: {"work/corrected.ipynb": right(course)},
    "script": lambda course: {"answers.py": b"# %%\ndef double(x):\n    return 2 * x\n"},
    "lacking": lambda course: {"written.ipynb": answering(course, written_why="Doubling adds x to itself. " * 4)},
}
#: What editors, systems and people leave that asks for no look.
HARMLESS = {
    "checkpoint": lambda course: {f".ipynb_checkpoints/{NB}-checkpoint.ipynb": wrong(course)},
    "older_checkpoint": lambda course: {f".ipynb_checkpoints/{NB}-checkpoint.ipynb": right(course)},
    "copy": lambda course: {f"{NB} (1).ipynb": wrong(course)},
    "release": lambda course: {"release.ipynb": course.released(NB).read_bytes()},
    "system": lambda course: {".DS_Store": b"\0\0\0\1Bud1", f"{NB}.ipynb~": wrong(course)},
}


@pytest.fixture
def grade(released):  # noqa: F811
    """Mark the class and return outcomes and what needs a look, by student."""

    def grade(course=released, **options):
        try:
            entries = grade_class(course, course_config(course), [NB], **options)
        finally:
            end()
        return {e.student: e.outcome for e in entries}, {
            e.student: {f.kind for f in e.findings if f.level.value != "repaired"} for e in entries
        }

    return grade


def all_hand_in(course, several):
    for student, make in several.items():
        hand_in(course, student, make(course))


@pytest.mark.parametrize("by", ["grade", "autograde"])
def test_what_has_other_answers_is_named_whenever_it_came(released, grade, by):  # noqa: F811
    course = released
    for student in BETTER:
        hand_in(course, student, {f"{NB}.ipynb": wrong(course)})
    if by == "grade":
        grade()
    else:
        with open_nbgrader(course_config(course)) as api:
            assert all(api.autograde(NB, student)["success"] for student in BETTER)
    assert set(grade()[0].values()) == {"unchanged"}
    assert not about_files(course)
    all_hand_in(course, BETTER)
    (line,) = about_files(course)
    assert line.startswith(f"{NB}: {LOOK}: ")
    outcomes, looks = grade()
    assert outcomes == dict.fromkeys(BETTER, "marked")
    assert not about_files(course)
    assert grade() == (dict.fromkeys(BETTER, "unchanged"), looks)
    assert grade(force=True)[1] == looks
    assert all(looks.values())


@pytest.mark.parametrize("left", [{}, {"notes.txt": b"It is compared."}])
def test_what_was_taken_away_is_named_no_more(released, grade, left):  # noqa: F811
    course = released
    folders = {student: course.local / "submitted" / student / NB for student in BETTER}
    for student in BETTER:
        hand_in(course, student, {f"{NB}.ipynb": wrong(course), **left})
    clean = grade()[1]
    all_hand_in(course, BETTER)
    assert grade()[1] != clean
    for folder in folders.values():
        for path in [p for p in folder.iterdir() if p.name not in (f"{NB}.ipynb", *left)]:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    assert about_files(course)
    assert grade() == (dict.fromkeys(BETTER, "marked"), clean)
    assert grade() == (dict.fromkeys(BETTER, "unchanged"), clean)
    assert not about_files(course)


def test_copies_that_are_left_beside_mark_nobody_again(released, grade):  # noqa: F811
    course = released
    for student in HARMLESS:
        hand_in(course, student, {f"{NB}.ipynb": wrong(course)})
    marked = grade()[1]
    all_hand_in(course, HARMLESS)
    assert not about_files(course)
    for _ in range(2):
        assert grade() == (dict.fromkeys(HARMLESS, "unchanged"), marked)
        assert not about_files(course)


def test_a_class_that_was_copied_is_not_marked_again(released, grade, tmp_path):  # noqa: F811
    """Where times are those of copying, files of one folder come in another order."""
    course = released
    for student, make in BETTER.items():
        files = {f"{NB}.ipynb": wrong(course), "b.ipynb": right(course), "a.ipynb": right(course), **make(course)}
        hand_in(course, student, files)
    looks = grade()[1]
    other = Course(tmp_path / "other")
    shutil.copytree(course.root, other.root, copy_function=shutil.copyfile)
    assert not about_files(other)
    assert grade(other) == (dict.fromkeys(BETTER, "unchanged"), looks)


@pytest.mark.parametrize("forgotten", [("noticed", "no_time"), ("noticed", "no_time", "held", "unread")])
def test_records_of_before_are_marked_anew_once_where_files_were_compared(released, grade, forgotten):  # noqa: F811
    course = released
    hand_in(course, "ada", {f"{NB}.ipynb": right(course)})
    hand_in(course, "bob", {f"{NB}.ipynb": wrong(course), "mine.ipynb": right(course)})
    hand_in(course, "two", SEVERAL["two"](course, 1))
    looks = grade()[1]
    for student in ("ada", "bob", "two"):
        forget(course, student, *forgotten)
    assert not about_files(course)
    assert grade() == ({"ada": "unchanged", "bob": "marked", "two": "marked"}, looks)
    assert grade() == (dict.fromkeys(looks, "unchanged"), looks)
    assert not about_files(course)


@pytest.mark.parametrize("beside", [{}, {"notes.txt": b"It is compared."}])
def test_a_time_in_another_form_is_named_whenever_it_came(released, grade, beside):  # noqa: F811
    course = released
    stamps = [course.local / "submitted" / student / NB / "timestamp.txt" for student in ("ada", "bob")]
    for student in ("ada", "bob"):
        hand_in(course, student, {f"{NB}.ipynb": right(course), **beside})
    clean = grade()[1]
    stamps[1].write_text("20.11.2026 12:00\n")
    (line,) = about_files(course)
    assert line.startswith(f"{NB}: the time of handing in is not the one that was marked: bob; ")
    outcomes, looks = grade()
    assert outcomes == {"ada": "unchanged", "bob": "marked"}
    assert looks["bob"] - clean["bob"] == {"timestamp"}
    assert grade() == (dict.fromkeys(clean, "unchanged"), looks)
    assert not about_files(course)
    stamps[1].unlink()
    assert about_files(course)
    assert grade() == ({"ada": "unchanged", "bob": "marked"}, clean)
    assert not about_files(course)


@pytest.mark.parametrize("left", ["nothing", "times", "junk"])
def test_what_is_gone_since_it_was_marked_is_named_in_one_line(released, grade, run, tmp_path, left):  # noqa: F811
    """Where the folder was cleared to save room: a line a student advised to mark what was not there."""
    course, students = released, [f"Stu Dent{letter}" for letter in "ABCDEFG"]
    names = [f"{name}_{n}_assignsubmission_file_/nb.ipynb" for n, name in enumerate(students)]
    run(make_zip(tmp_path / "1.zip", [(name, right(course)) for name in names]), assignment=NB)
    assert set(grade()[0].values()) == {"marked"}
    assert not about_files(course)
    shutil.rmtree(course.local / "submitted")
    beside = {"timestamp.txt": b"", **({".DS_Store": b"0"} if left == "junk" else {})}
    for name in students if left != "nothing" else ():
        hand_in(course, name.lower().replace(" ", "_"), beside)
    (line,) = about_files(course)
    assert line.startswith(f"{NB}: the file that was marked is gone from the submissions: stu_denta, ")
    assert line.endswith(" and 2 more; collect it again, or put it back")
    run(tmp_path / "1.zip", assignment=NB)
    assert not about_files(course)


def test_what_is_packed_beside_a_complete_notebook_is_named_once_it_differs(released, grade):  # noqa: F811
    """Each of an honest class has an archive of pictures or of the same notebook; one has a correction in it."""
    course, why = released, "Doubling adds x to itself. " * 4
    draft, final = (answering(course, double=f"def double(x):\n    return {n} * x", written_why=why) for n in (3, 2))
    honest = {"pictures.zip": zip_of({"a.png": b"\x89PNG"}), "same.zip": zip_of({"work/nb.ipynb": draft})}
    for student in ("ada", "bob"):
        hand_in(course, student, {f"{NB}.ipynb": draft, **honest})
    clean = grade()[1]
    assert not set().union(*clean.values()) & {"equals-differ", "answers-left", "answers-not-counted", "file-refused"}
    assert grade() == (dict.fromkeys(clean, "unchanged"), clean)
    assert not about_files(course)
    hand_in(course, "bob", {"new.zip": zip_of({"nb.ipynb": final})})
    (line,) = about_files(course)
    assert line.startswith(f"{NB}: {LOOK}: bob; ")
    outcomes, looks = grade()
    assert outcomes == {"ada": "unchanged", "bob": "marked"}
    assert looks["bob"] - clean["bob"] == {"equals-differ"}
    assert looks["ada"] == clean["ada"]
    assert grade() == (dict.fromkeys(clean, "unchanged"), looks)
    assert not about_files(course)
