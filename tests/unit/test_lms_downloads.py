"""Which assignment a download is of: what slips into another one's upload replaces nothing by itself."""

import hashlib
import json
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import pytest
from test_lms_collect import make_zip, notebook, placed, rows
from test_lms_identity import worksheet, write

from grader.core.nbgrader_api import course_config
from grader.core.notebook import read_notebook
from grader.engine import handed
from grader.lms import collect, comparing, placing
from grader.lms.again import came_elsewhere
from grader.lms.archive import Item
from grader.lms.candidates import Candidate
from grader.lms.comparing import Comparing
from grader.lms.journal import Attempt, State
from grader.lms.platforms import _read
from grader.submissions.choosing import MAX_COUNTED
from grader.submissions.pristine import pristine

A8, A9 = "08_tripling", "09_doubling"
FIRST, LATER = "return 'in time'", "return 'slipped in'"


def canvas(course, path, *files, day=20):
    """A download with files given as (name, answer, assignment)."""
    files = [(name, notebook(course, answer, assignment)) for name, answer, assignment in files]
    return make_zip(path, files, (2026, 11, day, 0, 0, 0))


def there(course):
    """The answers that count, by student and assignment."""
    bodies = {notebook(course, body, a): body for a in (A8, A9) for body in (FIRST, LATER)}
    return {tuple(p.split("/")[:2]): bodies[data] for p, data in placed(course).items() if p.endswith(".ipynb")}


@pytest.fixture
def before(two, run, tmp_path):
    """What was handed in for assignment 8 in time."""
    files = [(f"{name}_{n}_90{k}_nb.ipynb", FIRST, A8) for k, (name, n) in enumerate((("eve", 333), ("bob", 222)))]
    assert not run(canvas(two, tmp_path / "hw8.zip", *files)).unplaced
    return there(two)


@pytest.mark.parametrize("how", ["beside", "alone", "packed"])
def test_a_notebook_that_slips_into_another_assignments_upload_replaces_nothing(two, run, tmp_path, before, how):
    files = [(f"{s}_{n}_96{n}_nb.ipynb", notebook(two, FIRST, A9)) for n, s in ((222, "bob"), (444, "zoe"))]
    own = [("nb.ipynb", notebook(two, FIRST, A9)), ("old.ipynb", notebook(two, LATER, A8))][how == "alone" :]
    if how == "packed":
        own = [("work.zip", make_zip(tmp_path / "w.zip", own).read_bytes())]
    files += [(f"eve_333_95{n}_{name}", data) for n, (name, data) in enumerate(own)]
    path = make_zip(tmp_path / "hw9.zip", files, (2026, 11, 28, 0, 0, 0))
    (lost,) = run(path).unplaced
    assert lost.why == f"it holds {A8}, and the download is of {A9}"
    assert "eve_333" in lost.where
    assert f"--assignment {A8}" in lost.fix
    mine = {(s, A9): FIRST for s in ("bob", "zoe", *(["eve"] if how != "alone" else []))}
    assert there(two) == before | mine
    assert len(rows(two.local / "collected.csv")) == 2 + len(mine)
    # The instructor can have it count.
    run(path, assignment=A8)
    assert there(two) == before | mine | {("eve", A8): LATER}


def test_a_file_that_slipped_in_counts_if_it_is_collected_by_itself(two, run, tmp_path, before):
    folder = tmp_path / "by itself"
    write(folder, {"eve_333_951_old.ipynb": notebook(two, LATER, A8)})
    assert not run(folder).unplaced
    assert there(two) == before | {("eve", A8): LATER}


def test_a_notebook_that_slips_in_is_not_even_new(two, run, tmp_path):
    """She handed in nothing for assignment 8, which is over."""
    files = [
        ("eve_333_950_nb.ipynb", FIRST, A9),
        ("eve_333_951_old.ipynb", LATER, A8),
        ("bob_222_960_nb.ipynb", FIRST, A9),
    ]
    assert len(run(canvas(two, tmp_path / "hw9.zip", *files)).unplaced) == 1
    assert there(two) == {("eve", A9): FIRST, ("bob", A9): FIRST}


def test_in_moodle_too_and_the_time_of_the_first_stays(two, run, tmp_path):
    (tmp_path / "1.csv").parent.mkdir(exist_ok=True)
    files = [("Eve_1_assignsubmission_file_/nb.ipynb", FIRST, A8)]
    run(canvas(two, tmp_path / "8.zip", *files), rosters=[worksheet(tmp_path / "1.csv", (1, "Eve", "eve@x.org"))])
    sheet = worksheet(tmp_path / "2.csv", (7, "Eve", "eve@x.org"), (8, "Bob", "bob@x.org"))
    files = [
        ("Eve_7_assignsubmission_file_/a.ipynb", FIRST, A9),
        ("Eve_7_assignsubmission_file_/08_tripling/b.ipynb", LATER, A8),  # a folder that she named
        ("Bob_8_assignsubmission_file_/nb.ipynb", FIRST, A9),
    ]
    (lost,) = run(canvas(two, tmp_path / "9.zip", *files, day=28), rosters=[sheet]).unplaced
    assert "b.ipynb" in lost.where
    assert there(two)["eve", A8] == FIRST


@pytest.mark.parametrize("times", [False, True])
@pytest.mark.parametrize("stray", [f"eve/{A9}/z.ipynb", "eve/z.ipynb", f"eve/{A9}/{A8}.ipynb"])
def test_in_nbgraders_layout_the_folder_says_the_assignment(two, run, tmp_path, times, stray):
    def layout(name, assignment, **further):
        files = {f"{s}/{assignment}/{assignment}.ipynb": notebook(two, FIRST, assignment) for s in ("eve", "bob")}
        stamps = {f"{s}/{assignment}/timestamp.txt": b"2026-11-20 10:00:00 UTC" for s in ("eve", "bob")}
        return write(tmp_path / name, files | stamps | further)

    run(layout("x8", A8), times=times)
    before = placed(two)
    (lost,) = run(layout("x9", A9, **{stray: notebook(two, LATER, A8)}), times=times).unplaced
    said = f"it holds {A8}, and its folder is of {A9}" if A9 in stray else f"it holds {A8}, and the download is of {A9}"
    assert lost.why == said
    assert before.items() <= placed(two).items()
    assert LATER not in there(two).values()


@pytest.mark.parametrize("layout", ["{s}/{a}/{a}.ipynb", "{a}/{s}/nb.ipynb", "{a}/{s}.ipynb"])
def test_folders_of_several_assignments_are_each_of_its_own(two, run, tmp_path, layout):
    """As nbgrader lays them out: few have handed in assignment 8, and some of them again."""
    who = {A8: ("eve",), A9: ("eve", "bob", "zoe")}

    def files(root, body):
        every = {layout.format(s=s, a=a): notebook(two, body, a) for a, people in who.items() for s in people}
        return write(tmp_path / root, every)

    assert not run(files("in", FIRST)).unplaced
    assert there(two) == {(s, a): FIRST for a, people in who.items() for s in people}
    assert not run(files("again", LATER)).unplaced
    assert set(there(two).values()) == {LATER}


def test_several_downloads_at_once_are_each_of_its_own(two, run, tmp_path):
    eight = [(f"{s}_{n}_90{n}_nb.ipynb", FIRST, A8) for n, s in enumerate(("ada", "bob", "eve"), 1)]
    nine = [("ada_1_951_nb.ipynb", FIRST, A9)]
    result = run(canvas(two, tmp_path / "8.zip", *eight), canvas(two, tmp_path / "9.zip", *nine))
    assert not result.unplaced
    assert len(there(two)) == 4


def test_an_upload_for_two_notebooks_is_of_both(two, run, tmp_path, before):
    """Most hand in both, one has only one; and again, later."""
    for day, body in ((25, FIRST), (26, LATER)):
        files = [
            (f"{s}_{n}_9{day}{k}_{a}.ipynb", body, a)
            for k, a in enumerate((A8, A9))
            for n, s in ((333, "eve"), (222, "bob"))
        ]
        files.append((f"zoe_5_9{day}9_nb.ipynb", body, A9))
        assert not run(canvas(two, tmp_path / f"{day}.zip", *files, day=day)).unplaced
        assert set(there(two).values()) == {body}
    assert len(there(two)) == 5


def test_of_a_mixed_bag_all_is_new_or_unchanged_and_nothing_is_replaced(two, run, tmp_path):
    def bag(name, eve):
        files = {"ada 08_tripling.ipynb": (FIRST, A8), "bob 09_doubling.ipynb": (FIRST, A9), "eve.ipynb": (eve, A8)}
        files["zoe.ipynb"] = (FIRST, A9)
        return write(tmp_path / name, {n: notebook(two, body, a) for n, (body, a) in files.items()})

    for _ in range(2):
        assert not run(bag("in", FIRST)).unplaced
        assert len(there(two)) == 4
    later = bag("again", LATER)
    (lost,) = run(later).unplaced
    assert lost.why == f"it would replace the {A8} that is there, and the download is of several assignments"
    assert set(there(two).values()) == {FIRST}
    run(later, assignment=A8)
    assert there(two)["eve", A8] == LATER


def test_one_persons_two_notebooks_replace_nothing(two, run, tmp_path, before):
    """Nothing tells of which assignment the download is."""
    files = [("eve_333_950_nb.ipynb", FIRST, A9), ("eve_333_951_old.ipynb", LATER, A8)]
    (lost,) = run(canvas(two, tmp_path / "a.zip", *files, day=28)).unplaced
    assert "would replace" in lost.why
    assert there(two) == before | {("eve", A9): FIRST}
    (lost,) = run(canvas(two, tmp_path / "NLP-Doubling-7.zip", *files, day=28)).unplaced  # its name tells
    assert lost.why == f"it holds {A8}, and the download is of {A9}"
    # A later attempt alone is what its download is of.
    assert not run(canvas(two, tmp_path / "b.zip", files[1], day=28)).unplaced
    assert there(two)["eve", A8] == LATER


def test_what_is_not_kept_in_memory_is_read_again(two, run, tmp_path, monkeypatch, before):
    monkeypatch.setattr(collect, "_MOST_KEPT", len(notebook(two, FIRST, A9)) + 10)
    files = [("eve_333_950_nb.ipynb", FIRST, A9), ("eve_333_951_old.ipynb", LATER, A8)]
    files += [(f"{s}_{n}_96{n}_nb.ipynb", FIRST, A9) for n, s in ((222, "bob"), (444, "zoe"))]
    result = run(canvas(two, tmp_path / "hw9.zip", *files, day=28))
    assert len(result.unplaced) == 1
    assert there(two) == before | {(s, A9): FIRST for s in ("bob", "eve", "zoe")}


@pytest.mark.parametrize("name", ["08_tripling.ipynb", "tripling again.ipynb"])
def test_a_notebook_of_another_assignment_by_its_name_alone_slips_in_as_little(two, run, tmp_path, before, name):
    files = [(f"{s}_{n}_96{n}_nb.ipynb", notebook(two, FIRST, A9)) for n, s in ((222, "bob"), (444, "zoe"))]
    path = make_zip(tmp_path / "9.zip", [*files, (f"eve_333_951_{name}", b'{"cells": []}')], (2026, 11, 28, 0, 0, 0))
    (lost,) = run(path).unplaced
    assert lost.why == f"its name says {A8}, and the download is of {A9}"
    assert there(two) == before | {("bob", A9): FIRST, ("zoe", A9): FIRST}


@pytest.mark.parametrize("file", ["x\\nb.ipynb", "x/nb.ipynb", "\\nb.ipynb", "/nb.ipynb", "\\x\\bob_222_1_nb.ipynb"])
def test_a_folder_that_is_called_like_a_file_of_canvas_is_nobody(two, run, tmp_path, before, file):
    """One student with many such files would be many people, and the download would be of what is in them."""
    files = [(f"{name}_{n}_95{n}_nb.ipynb", FIRST, A9) for n, name in ((222, "bob"), (444, "zoe"))]
    files += [(f"eve_333_96{n}_{file}", LATER, A8) for n in range(4)]
    lost = run(canvas(two, tmp_path / "hw9.zip", *files)).unplaced
    assert len(lost) == 4
    assert {one.why.partition(",")[0] for one in lost} == {"Canvas makes no folders"}
    assert there(two) == before | {("bob", A9): FIRST, ("zoe", A9): FIRST}


def test_a_students_folder_beside_the_files_of_canvas_is_the_students(two, run, tmp_path):
    """As the person who collects is told to make it."""
    files = [(f"{name}_{n}_95{n}_nb.ipynb", FIRST, A9) for n, name in ((222, "bob"), (444, "zoe"))]
    assert not run(canvas(two, tmp_path / "hw9.zip", *files, ("eve/nb_1_2_x.ipynb", FIRST, A9))).unplaced
    assert {student for student, _ in there(two)} == {"bob", "zoe", "eve"}


@pytest.mark.parametrize("kind", ["zip", "folder"])
def test_whoever_is_alone_in_the_download_of_another_assignment_replaces_nothing(two, run, tmp_path, before, kind):
    """The name says the other assignment, the content of the only file this one: nobody else's files decide."""
    if kind == "zip":
        late = canvas(two, tmp_path / "09_doubling.zip", ("eve_333_950_nb.ipynb", LATER, A8), day=28)
    else:
        late = write(tmp_path / "09_doubling", {"eve_333_950_nb.ipynb": notebook(two, LATER, A8)})
    (lost,) = run(late).unplaced
    assert lost.why == f"it holds {A8}, and the name of the download says {A9}"
    assert f"--assignment {A8}" in lost.fix
    assert there(two) == before
    assert not run(late, assignment=A8).unplaced
    assert there(two)["eve", A8] == LATER


def test_several_late_people_alone_in_the_download_of_another_assignment_replace_nothing(two, run, tmp_path, before):
    """The name may mean the course, so what is new is taken; what was in time stays until somebody says so."""
    files = [(f"{s}_{n}_95{n}_nb.ipynb", LATER, A8) for s, n in (("eve", 333), ("bob", 222), ("zoe", 444))]
    late = canvas(two, tmp_path / "NLP-Doubling-7.zip", *files, day=28)
    assert {lost.why for lost in run(late).unplaced} == {
        f"it would replace the {A8} that is there, and the name of the download says {A9}"
    }
    assert there(two) == before | {("zoe", A8): LATER}
    run(late, assignment=A8)
    assert set(there(two).values()) == {LATER}


def test_what_a_student_called_a_notebook_is_no_name_of_a_download(two, run, tmp_path, before):
    """As the person who collects is told to do: that file by itself."""
    write(tmp_path, {"eve_333_950_09_doubling.ipynb": notebook(two, LATER, A8)})
    assert not run(tmp_path / "eve_333_950_09_doubling.ipynb").unplaced
    assert there(two)["eve", A8] == LATER


def released(course, assignment):
    return json.dumps(pristine(read_notebook(course.source(assignment)), course_config(course))).encode()


@pytest.mark.parametrize("forced", [None, A9])
@pytest.mark.parametrize(
    ("own", "other", "told"),
    [
        ("complete", "released", []),
        ("complete", "answered", ["holds 08_tripling"]),  # it may be meant for the other upload
        ("released", "released", ["holds 08_tripling"]),  # what is lacking may be anywhere
        (None, "released", ["holds 08_tripling"]),
    ],
)
def test_other_notebooks_as_released_need_no_look_beside_a_complete_one(two, run, tmp_path, forced, own, other, told):
    """In a zip file of the course's folder each of the eight others was named for each student."""
    made = {"complete": lambda a: notebook(two, FIRST, a), "answered": lambda a: notebook(two, FIRST, a)}
    made["released"] = lambda a: released(two, a)
    files = [(f"attention/{a}.ipynb", made[how](a)) for a, how in ((A9, own), (A8, other)) if how]
    upload = make_zip(tmp_path / "course.zip", files).read_bytes()
    everybody = [(f"{s}_{n}_96{n}_nb.ipynb", notebook(two, LATER, A9)) for n, s in ((222, "bob"), (333, "zoe"))]
    path = make_zip(tmp_path / "hw9.zip", [*everybody, ("eve_444_95_course.zip", upload)])
    said = []
    result = run(path, assignment=forced, say=said.append)
    assert [part in lost.why for part, lost in zip(told, result.unplaced, strict=True)] == [True] * len(told)
    assert not result.looks
    assert {path.split("/")[1] for path in placed(two) if path.startswith("eve")} == ({A9} if own else set())
    assert ("1 notebook of other assignments is left aside, untouched" in said[-1]) == (not told)


@pytest.mark.parametrize("own", ["complete", "released"])
def test_a_notebook_of_no_assignment_needs_a_look_only_beside_one_that_lacks_answers(two, run, tmp_path, own):
    mine = notebook(two, FIRST, A9) if own == "complete" else released(two, A9)
    files = [("eve_444_95_nb.ipynb", mine), ("eve_444_96_Untitled.ipynb", b'{"cells": []}')]
    said = []
    result = run(make_zip(tmp_path / "downloads.zip", files), say=said.append)
    assert {path.split("/")[1] for path in placed(two)} == {A9}
    if own == "complete":
        assert not result.unplaced
        assert "nothing tells of which assignment: " in said[-1]
        assert "Untitled.ipynb" in said[-1]
    else:
        (lost,) = result.unplaced
        assert "neither its content nor its name" in lost.why


@pytest.mark.parametrize(
    ("more", "left"),
    [
        ("double", True),
        ("double test_double_value test_double_text written_why given_two", False),  # both in one notebook
    ],
)
def test_a_word_or_two_of_the_assignment_that_is_asked_for_make_no_notebook_of_it(two, run, tmp_path, more, left):
    """Any solved notebook of the course was taken for any other one: they share a word."""
    nb = json.loads(notebook(two, FIRST, A8))
    nb["cells"][-1]["source"] = f"As in {more}."
    path = make_zip(tmp_path / "a.zip", [("eve_444_95_nb.ipynb", json.dumps(nb).encode())])
    result = run(path, assignment=A9)
    assert [lost.why for lost in result.unplaced] == [f"it holds {A8} and not {A9}"] * left
    assert [f"--assignment {A8}" in lost.fix for lost in result.unplaced] == [True] * left
    assert len(result.placed) == (not left)


@pytest.mark.parametrize("system", ["moodle", "canvas"])
@pytest.mark.parametrize("forced", [None, A9])
@pytest.mark.parametrize("saved", ["as it was", "again"])
def test_what_was_handed_in_before_tells_nothing_of_a_download(two, run, tmp_path, system, forced, saved):
    """Everybody zips the folder of the course, and one of them has mended the notebook that is over."""

    def path(student, n, upload, name):
        moodle = f"{student}_{100 * upload + n}_assignsubmission_file_/{name}"
        return moodle if system == "moodle" else f"{student}_{n}_{9000 * upload + n}_{name}"

    def upload(name, *assignments):
        files = [(f"c/{a}/{a}.ipynb", notebook(two, body, a)) for a, body in assignments]
        if saved == "again":  # run and saved once more: other bytes, the same answers
            files = [(name, json.dumps({**json.loads(data), "again": 1}, indent=1).encode()) for name, data in files]
        return make_zip(tmp_path / f"{name}-inner.zip", files).read_bytes()

    everybody = [(s, n) for n, s in enumerate(("ada", "bob", "eve"), 1)]
    run(make_zip(tmp_path / "x8.zip", [(path(s, n, 1, "nb.ipynb"), notebook(two, FIRST, A8)) for s, n in everybody]))
    before = there(two)
    same, mended = upload("same", (A8, FIRST), (A9, FIRST)), upload("mended", (A8, LATER), (A9, FIRST))
    files = [(path(s, n, 2, "c.zip"), mended if s == "eve" else same) for s, n in everybody]
    late = make_zip(tmp_path / "x9.zip", files, (2026, 11, 28, 0, 0, 0))
    for outcome in ("new", "unchanged"):
        result = run(late, assignment=forced)
        assert {(p.assignment, p.outcome) for p in result.placed} == {(A9, outcome)}
        (lost,) = result.unplaced
        assert lost.why.startswith(f"it holds {A8}")
        assert {key: placed(two)[f"{'/'.join(key)}/{A8}.ipynb"] for key in before} == {
            key: notebook(two, FIRST, A8) for key in before
        }
    assert "1 notebook of other assignments is left aside, handed in before" in result.placed[0].notes


@pytest.mark.parametrize("system", ["moodle", "canvas"])
def test_what_replaces_a_notebook_from_another_upload_is_named(two, run, tmp_path, system):
    """So many mended the earlier notebook that the download is of both; its own time may be over."""

    def collected(upload, *bodies, **options):
        moodle, files, people = system == "moodle", [], ("ada", "bob", "eve")
        for n, name in enumerate(people, 1):
            zipped = make_zip(tmp_path / "inner.zip", [(f"c/{a}.ipynb", notebook(two, b, a)) for a, b in bodies])
            number = 100 * upload + n
            path = f"{name}_{number}_assignsubmission_file_/c.zip" if moodle else f"{name}_{n}_{9000 + number}_c.zip"
            files.append((path, zipped.read_bytes()))
        sheet = worksheet(tmp_path / "w.csv", *((100 * upload + n, p, f"{p}@x") for n, p in enumerate(people, 1)))
        download = make_zip(tmp_path / f"hw{upload}.zip", files, (2026, 11, 20 + upload, 0, 0, 0))
        return run(download, rosters=[sheet] if moodle else [], **options)

    assert not collected(1, (A8, FIRST)).looks
    result = collected(2, (A8, LATER), (A9, FIRST))
    assert there(two) == {(s, a): b for s in ("ada", "bob", "eve") for a, b in ((A8, LATER), (A9, FIRST))}
    assert [look.where for look in result.looks] == [f"{s}, {A8}" for s in ("ada", "bob", "eve")]
    assert "which came in hw2.zip" in result.looks[0].why
    assert "attempts/ada/" in result.looks[0].fix
    # What the instructor says is for it needs no look.
    assert not collected(3, (A8, FIRST), (A9, FIRST), assignment=A8).looks


@pytest.mark.parametrize("forced", [None, A8])
def test_who_goes_back_to_an_earlier_file_beside_the_courses_other_notebooks_has_it(two, run, tmp_path, forced):
    """In Canvas such a zip file comes with a number of its own each time: the download is of one notebook."""
    for turn, body in enumerate((FIRST, LATER, FIRST), 1):
        course = [(f"c/{A8}.ipynb", notebook(two, body, A8)), (f"c/{A9}.ipynb", released(two, A9))]
        files = [(f"{name}_nb.ipynb", notebook(two, FIRST, A8)) for name in ("eve_7_901", "bob_8_902")]
        files += [(f"ada_9_95{turn}_c.zip", make_zip(tmp_path / "c.zip", course).read_bytes())]
        result = run(make_zip(tmp_path / f"hw{turn}.zip", files, (2026, 11, turn, 0, 0, 0)), assignment=forced)
        assert not result.looks
        assert not result.unplaced
        assert there(two)["ada", A8] == body
    attempts = rows(two.local / "collected.csv")
    assert {row["student"]: row["attachment"] for row in attempts if row["state"] == "current"}["ada"] == "953"


@pytest.mark.parametrize("more", [[], [A9]])
def test_a_second_activity_for_one_notebook_names_nobody(two, run, tmp_path, more):
    people = ("ada", "bob", "eve")
    for turn, body in ((1, FIRST), (2, LATER)):
        files = []
        for n, name in enumerate(people, 1):
            course = [(f"c/{A8}.ipynb", notebook(two, body, A8)), *((f"c/{a}.ipynb", released(two, a)) for a in more)]
            zipped = make_zip(tmp_path / "c.zip", course).read_bytes()
            files.append((f"{name}_{100 * turn + n}_assignsubmission_file_/c.zip", zipped))
        sheet = worksheet(tmp_path / "w.csv", *((100 * turn + n, p, f"{p}@x") for n, p in enumerate(people, 1)))
        result = run(make_zip(tmp_path / f"hw{turn}.zip", files, (2026, 11, turn, 0, 0, 0)), rosters=[sheet])
        assert not result.looks
        assert not result.unplaced
    assert there(two) == {(name, A8): LATER for name in people}


def test_what_one_person_alone_replaces_from_another_upload_is_named(two, run, tmp_path):
    """Whoever hands in notebook 8 for notebook 9's activity may be late for it; nobody else's files tell."""
    for number, body in ((101, FIRST), (201, LATER)):
        file = (MOODLE.format("Ada", number, "nb.ipynb"), notebook(two, body, A8))
        path, sheet = tmp_path / f"{number}.zip", worksheet(tmp_path / f"{number}.csv", (number, "Ada", "ada@x"))
        looks = run(make_zip(path, [file], (2026, 11, number // 10, 0, 0, 0)), rosters=[sheet]).looks
    (look,) = looks
    assert "with another number of Moodle (101 before); it may be late for this" in look.why


def test_what_took_a_place_from_another_upload_is_named_though_a_later_one_came(two, run, tmp_path):
    """Both downloads of the second activity are collected at once with that of the first, whose file may be in time."""
    paths, sheets = [], []
    for turn, number, body in ((1, 101, FIRST), (2, 201, "return 'between'"), (3, 201, LATER)):
        file = (MOODLE.format("Ada", number, "nb.ipynb"), notebook(two, body, A8))
        paths.append(make_zip(tmp_path / f"{turn}.zip", [file], (2026, 11, 10 + turn, 0, 0, 0)))
        sheets.append(worksheet(tmp_path / f"{turn}.csv", (number, "Ada", "ada@x")))
    (look,) = run(*paths, rosters=sheets[:2]).looks
    assert "with another number of Moodle (101 before); it may be late for this" in look.why
    assert there(two)["ada", A8] == LATER


def test_untouched_notebooks_of_the_course_are_not_what_a_download_is_of(two, run, tmp_path):
    files = [(f"c/{A8}.ipynb", released(two, A8)), (f"c/{A9}.ipynb", notebook(two, FIRST, A9))]
    course = make_zip(tmp_path / "inner.zip", files).read_bytes()
    people = [(f"{s}_{n}_90{n}_c.zip", course) for n, s in enumerate(("ada", "bob", "eve"), 1)]
    result = run(make_zip(tmp_path / "downloads.zip", people))
    assert not result.unplaced
    assert set(there(two)) == {(s, A9) for s in ("ada", "bob", "eve")}
    # Whoever handed in one notebook as it was released has handed it in.
    alone = [("zoe_4_904_nb.ipynb", released(two, A9))]
    assert run(make_zip(tmp_path / "again.zip", alone)).placed[0].outcome == "new"


def test_a_cumulative_download_for_two_notebooks_is_of_both(two, run, tmp_path):
    """One of them unchanged, the other handed in again, in an upload that has the same number in Moodle."""
    for day, body in ((25, FIRST), (26, LATER)):
        files = [
            (f"{s}_{n}_assignsubmission_file_/{a}.ipynb", FIRST if a == A8 and s != "eve" else body, a)
            for a in (A8, A9)
            for n, s in enumerate(("ada", "bob", "eve"))
        ]
        result = run(canvas(two, tmp_path / f"{day}.zip", *files, day=day))
        assert not result.unplaced
    assert there(two)["eve", A8] == LATER


@pytest.mark.parametrize("name", ["\\", "\\.", ".\\", "/", "/."])
def test_a_file_that_is_called_like_a_folder_is_nobodys(two, run, tmp_path, before, name):
    """Before Canvas' numbers stands what Eve calls herself; her file without its end was a file of Bob's."""
    files = [("zoe_444_95_nb.ipynb", notebook(two, FIRST, A8))]
    info = zipfile.ZipInfo("x", (2026, 11, 28, 0, 0, 0))
    info.filename = f"bob_222_990_333_991_{name}"
    (lost,) = run(make_zip(tmp_path / "a.zip", [*files, (info, notebook(two, LATER, A8))])).unplaced
    assert lost.why == "its name ends as a folder's does, and it is a file"
    assert there(two) == before | {("zoe", A8): FIRST}


def test_a_file_is_hashed_once(course, run, tmp_path, monkeypatch):
    """Each row of the journal is compared with it, and a student may have hundreds of large files."""
    hashed, data = [], notebook(course)

    class Counting:
        def __getattr__(self, name):
            return getattr(hashlib, name)

        def sha256(self, content):
            hashed.append(content)
            return hashlib.sha256(content)

    monkeypatch.setattr("grader.lms.candidates.hashlib", Counting())
    for n in range(4):
        other = notebook(course, f"return {n}")
        run(make_zip(tmp_path / f"{n}.zip", [("Eve_1_assignsubmission_file_/nb.ipynb", other)]))
    hashed.clear()
    run(make_zip(tmp_path / "a.zip", [("Eve_1_assignsubmission_file_/nb.ipynb", data)]))
    assert len(hashed) == 1


def again(data, n):
    """The same notebook, saved once more."""
    return json.dumps({**json.loads(data), "again": n}, indent=1).encode()


@pytest.fixture
def costly(monkeypatch):
    """Counts what is read of the attempts, and whose answers are counted."""
    reads, asked = [], []
    read, answered = placing._read, handed.answered
    monkeypatch.setattr(placing, "_read", lambda path: reads.append(path) or read(path))
    monkeypatch.setattr(handed, "answered", lambda kit, name, *rest: asked.append(name) or answered(kit, name, *rest))
    return reads, asked


MANY = MAX_COUNTED + 4
MOODLE = "{}_{}_assignsubmission_file_/{}"


def many(course, tmp_path, week):
    """One student's zip file with many notebooks 8 that differ."""
    files = [(f"{n}.ipynb", notebook(course, f"return {week}{n:02}", A8)) for n in range(MANY)]
    return make_zip(tmp_path / "many.zip", files).read_bytes()


def test_many_files_and_many_attempts_are_not_all_compared_and_none_is_taken_for_another(two, run, tmp_path, costly):
    run(make_zip(tmp_path / "8.zip", [(MOODLE.format("eve", 1, "x.zip"), many(two, tmp_path, 1))]), assignment=A8)
    assert len(rows(two.local / "collected.csv")) == MANY
    files = [(MOODLE.format(s, n, "nb.ipynb"), notebook(two, FIRST, A9)) for s, n in (("bob", 12), ("eve", 11))]
    files.append((MOODLE.format("eve", 11, "x.zip"), many(two, tmp_path, 2)))
    path, before = make_zip(tmp_path / "9.zip", files, (2026, 11, 28, 0, 0, 0)), placed(two)
    for counted in costly:
        counted.clear()
    (lost,) = run(path).unplaced
    assert lost.why == f"it holds {A8}, and the download is of {A9} (and {MANY - 1} more of the same)"
    assert before.items() <= placed(two).items()
    reads, asked = costly
    assert len(reads) <= MAX_COUNTED + 2  # and what is in the place
    assert len(asked) <= 2 * MAX_COUNTED + 1


def test_of_many_attempts_few_are_asked_where_each_came(course, monkeypatch):
    """Each of a student's files was held against each attempt, and all the ways to read its name were hashed for it."""
    asked = []
    monkeypatch.setattr(comparing, "came_elsewhere", lambda c, a, alone: asked.append(c) or came_elsewhere(c, a, alone))
    attempts = [
        Attempt("eve", A9, State.EARLIER, f"{n:064}", "", system="canvas", number="5501", attachment=str(n))
        for n in range(200)
    ]
    senders = [_read(f"eve_5501_{7000 + n}_1_2_3_nb.ipynb") for n in range(100)]
    item = Item("x", ("nb.ipynb",), 1, None, bytes)
    files = [Candidate(item, sender, "nb.ipynb", sender.attachment.encode(), 1, None, False) for sender in senders]
    shelf = SimpleNamespace(before=lambda *_: attempts, content=lambda attempt: None)
    assert not Comparing(course).came_before(shelf, "eve", A9, files, alone=False)
    assert len(asked) <= MAX_COUNTED
    assert len(senders[0].others) == 3
    assert hash(senders[0]) == hash(replace(senders[0], others=()))


@pytest.mark.parametrize("which", ["the one that counts", "the last one aside"])
def test_of_many_attempts_the_likeliest_are_known_when_they_are_saved_again(two, run, tmp_path, which):
    files = [[(MOODLE.format("eve", 1, "nb.ipynb"), notebook(two, f"return {n}", A8))] for n in range(MANY)]
    paths = [make_zip(tmp_path / f"{n}.zip", some, (2026, 11, 1 + n, 0, 0, 0)) for n, some in enumerate(files)]
    run(*paths, assignment=A8)
    counts = again(notebook(two, f"return {MANY - 1 - (which != 'the one that counts')}", A8), 1)
    files = [(f"{MOODLE.format('eve', 11, a)}.ipynb", data) for a, data in ((A8, counts), (A9, notebook(two)))]
    files.append((MOODLE.format("bob", 12, "nb.ipynb"), notebook(two)))
    result = run(make_zip(tmp_path / "9.zip", files, (2026, 11, 28, 0, 0, 0)))
    assert not result.unplaced
    assert "1 notebook of other assignments is left aside, handed in before" in result.placed[0].notes


def test_a_students_seconds_are_given_once_for_a_download(two, run, tmp_path, before, monkeypatch):
    """They are spent before it is known what the download is of; the student's own files have none left then."""
    asked = []
    monkeypatch.setattr(handed, "answered", lambda kit, name, data, most_s: asked.append(name) or (None, most_s))
    files = [(f"eve_333_95{n}_{n}.ipynb", notebook(two, f"return {n}", A8)) for n in range(3)]
    files.append(("eve_333_959_nb.ipynb", notebook(two, FIRST, A9)))
    assert run(make_zip(tmp_path / "9.zip", files, (2026, 11, 28, 0, 0, 0))).unplaced
    assert len(asked) == 1


@pytest.mark.parametrize("path", ["{}/nb.ipynb", "{} - 09_doubling.ipynb"])
def test_what_lies_beside_the_students_work_in_a_repository_is_no_student(course, run, tmp_path, path):
    files = [(path.format(name), notebook(course)) for name in ("ada", "bob")]
    files += [("README.md", b"# A class"), ("LICENSE", b"MIT")]
    result = run(make_zip(tmp_path / "class.zip", files))
    assert {p.student for p in result.placed} == {"ada", "bob"}
    assert not result.unplaced
    assert sorted(result.aside) == ["class.zip: LICENSE", "class.zip: README.md"]


@pytest.mark.parametrize("name", ["eve - 09_doubling", "eve", "Eve Smith"])
def test_whoever_hands_in_what_cannot_be_read_and_has_no_ending_is_named(course, run, tmp_path, name):
    files = [(f"{student} - 09_doubling.ipynb", notebook(course)) for student in ("ada", "bob")]
    result = run(make_zip(tmp_path / "class.zip", [*files, (name, b"%PDF-1.4")]))
    assert ["handed in no notebook" in one.why for one in result.unplaced] == [True]
