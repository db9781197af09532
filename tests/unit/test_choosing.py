"""Which of several files with answers counts, and what is said of those that were left aside."""

import io
import os
import time
import zipfile

import pytest
from test_intake import GOOD, NAME
from test_reading import tiny_source

from grader.core.findings import Level
from grader.submissions.choosing import MAX_COUNTED, MAX_COUNTED_BYTES, Answers, File, compared, counted
from grader.submissions.intake import MAX_ARCHIVES, MAX_CANDIDATES, MAX_PACKED, find_submission, names_a_notebook
from grader.submissions.likely import Candidate
from grader.submissions.packed import listed_in

EXACT, OTHER = f"{NAME}.ipynb", f"{NAME} (1).ipynb"


def answers(text, of=4):
    """Answers in a short form: "a b2" answers a, and b in another way than "b"."""
    return Answers({word[0]: word for word in text.split()}, of)


def content(text):
    return GOOD + b"\n# " + text.encode()


def read(data, name=""):
    return answers(data.rpartition(b"# ")[2].decode())


@pytest.fixture
def take(tmp_path):
    """Hand in files, each with the answers that stand for it, and have one of them chosen."""

    def take(newest=None, **files):
        folder = tmp_path / "submitted" / "ada" / NAME
        folder.mkdir(parents=True)
        names = {"exact": EXACT, "other": OTHER}
        for key, text in files.items():
            path = folder / names.get(key, f"{key}.ipynb")
            path.write_bytes(content(text))
            os.utime(path, (2 if key == newest else 1,) * 2)
        return find_submission(folder, NAME, tiny_source(), read)

    return take


def said(found):
    return {f.kind: f for f in found.findings}


@pytest.mark.parametrize(("exact", "other"), [("a", "a b c d"), ("a", "a b"), ("a b c", "a b c d"), ("", "a")])
def test_the_file_with_more_answers_counts_whatever_its_name_and_nothing_is_lost(take, exact, other):
    found = take(exact=exact, other=other)
    assert found.path.name == OTHER
    assert not [f for f in found.findings if f.level is not Level.REPAIRED]
    if exact:
        text = said(found)["fuller-file-taken"].text
        assert f"answers {len(other.split())} of 4 exercises; {EXACT} answers {len(exact.split())}" in text
    else:
        assert "answered-file-taken" in said(found)


@pytest.mark.parametrize(("exact", "other"), [("a b c d", "a"), ("a b", "a"), ("a b", "a b"), ("", "")])
def test_a_file_with_no_more_answers_never_counts_before_the_right_name(take, exact, other):
    found = take("other", exact=exact, other=other)
    assert found.path.name == EXACT
    assert list(said(found)) == ["files-left"]
    assert said(found)["files-left"].level is Level.REPAIRED


@pytest.mark.parametrize("newest", ["one", "two"])
def test_of_two_files_of_other_names_the_fuller_counts_before_the_newer(take, newest):
    assert take(newest, one="a b", two="a b c").path.name == "two.ipynb"


def test_of_two_files_of_other_names_with_as_many_answers_the_newer_counts(take):
    assert take("one", one="a b", two="a b2").path.name == "one.ipynb"


@pytest.mark.parametrize(("exact", "other"), [("a b c d", "a b2 c d"), ("a b", "a b2")])
@pytest.mark.parametrize("newest", ["exact", "other"])
def test_of_two_files_with_as_many_answers_the_other_needs_a_look_if_it_differs(take, exact, other, newest):
    """One may be a draft, and neither its name nor its time says which."""
    found = take(newest, exact=exact, other=other)
    assert found.path.name == EXACT
    lost = said(found)["equals-differ"]
    assert lost.level is Level.LOST
    assert f"{EXACT} was marked. \u201c{OTHER}\u201d was left aside: it answers as many exercises" in lost.text
    assert "differently: b. Nothing says which of the two should count. Hand in only that one." in lost.text


def test_of_two_files_of_other_names_too(take):
    assert said(take("one", one="a b c d", two="a b2 c d"))["equals-differ"].level is Level.LOST


def test_what_an_editor_saved_before_is_no_second_notebook(tmp_path):
    folder = tmp_path / "submitted" / "ada" / NAME
    (folder / ".ipynb_checkpoints").mkdir(parents=True)
    (folder / EXACT).write_bytes(content("a b c d"))
    (folder / ".ipynb_checkpoints" / f"{NAME}-checkpoint.ipynb").write_bytes(content("a b2 c d"))
    found = find_submission(folder, NAME, tiny_source(), read)
    assert found.path == folder / EXACT
    assert list(said(found)) == ["files-left"]


@pytest.mark.parametrize(("exact", "other"), [("a b c", "a d"), ("a", "b"), ("a b c", "d")])
def test_an_answer_in_the_file_that_was_left_aside_needs_a_look(take, exact, other):
    found = take(exact=exact, other=other)
    assert found.path.name == EXACT
    lost = said(found)["answers-left"]
    assert lost.level is Level.LOST
    assert f"{EXACT} was marked, which answers {len(exact.split())} of 4 exercises" in lost.text
    assert f"\u201c{OTHER}\u201d was left aside, which answers {len(other.split())}, and" in lost.text
    assert f"does not answer: {other[-1]}." in lost.text


def test_another_answer_in_the_file_of_the_right_name_needs_a_look_if_a_fuller_one_counts(take):
    found = take(exact="a2 b", other="a b c d")
    assert found.path.name == OTHER
    lost = said(found)["answers-differ"]
    assert lost.level is Level.LOST
    assert f"because it answers 4 of 4 exercises and {EXACT} only 2. But {EXACT} has other answers" in lost.text
    assert "to some of them: a." in lost.text


@pytest.mark.parametrize("inside", ["a b c d", "a"])
def test_an_archive_beside_a_notebook_that_lacks_answers_is_looked_into(tmp_path, inside):
    folder = tmp_path / "submitted" / "ada" / NAME
    folder.mkdir(parents=True)
    (folder / EXACT).write_bytes(content("a b"))
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as zf:
        zf.writestr("nb.ipynb", content(inside))
    (folder / "work.zip").write_bytes(packed.getvalue())
    found = find_submission(folder, NAME, tiny_source(), read)
    assert found.packed == (content(inside) if len(inside) > 3 else None)
    assert not [f for f in found.findings if f.level is not Level.REPAIRED]


@pytest.fixture
def beside(tmp_path):
    """Hand in a notebook with archives, each with the files in it by name, and have one of them chosen."""

    def beside(own, /, **archives):
        folder = tmp_path / "submitted" / "ada" / NAME
        folder.mkdir(parents=True)
        (folder / EXACT).write_bytes(content(own))
        for number, (name, files) in enumerate(archives.items()):
            with zipfile.ZipFile(folder / f"{name}.zip", "w") as zf:
                for inner, data in files.items():
                    zf.writestr(inner, content(data) if isinstance(data, str) else data)
            os.utime(folder / f"{name}.zip", (100 - number,) * 2)
        return find_submission(folder, NAME, tiny_source(), read)

    return beside


def looks(found):
    return [f.kind for f in found.findings if f.level is not Level.REPAIRED]


def test_of_a_complete_notebook_and_another_one_in_an_archive_the_other_needs_a_look(beside):
    """A correction came in a zip, and nobody opened that."""
    found = beside("a b c d", corrected={"nb.ipynb": "a b2 c d"})
    assert (found.path.name, found.packed) == (EXACT, None)
    assert looks(found) == ["equals-differ"]
    assert "corrected.zip/nb.ipynb was left aside" in said(found)["equals-differ"].text


PICTURES = {f"{n}.png": b"\x89PNG" for n in range(MAX_PACKED + 50)}


@pytest.mark.parametrize("number", [1, MAX_ARCHIVES + 2])
@pytest.mark.parametrize(
    "archive",
    [
        {"a.png": b"\x89PNG", "b.jpg": b"\xff\xd8"},
        PICTURES,
        PICTURES | {"readme.md": b"Open nb.ipynb in Jupyter, and not the PK\x01\x02."},
        PICTURES | {".ipynb_checkpoints/nb-checkpoint.ipynb": "a b2 c d", "__MACOSX/._nb.ipynb": b"\0"},
        {"answers.pdf": b"%PDF-1.4", "notes.txt": b"Ask about the date."},
        {".ipynb_checkpoints/": b"", "inner.zip": b"PK\x03\x04"},
    ],
)
def test_archives_of_pictures_beside_a_complete_notebook_are_no_reason_for_alarm(beside, archive, number):
    assert not looks(beside("a b c d", **{f"more{n}": archive for n in range(number)}))


@pytest.mark.parametrize(
    "archive",
    [
        {"nb.ipynb": "a b c d", "plot.png": b"\x89PNG"},
        {"work/nb.ipynb": "a b", "work/.ipynb_checkpoints/nb-checkpoint.ipynb": "a b2 c d"},
        {f"0{n}.ipynb": b'{"cells": []}' for n in range(9)},
        {f"data/{n}.json": b"{}" for n in range(MAX_CANDIDATES + 5)} | {"nb.ipynb": "a b c d"},
    ],
)
def test_an_archive_that_has_nothing_else_beside_a_complete_notebook_is_none_either(beside, archive):
    """As one of the folder that the notebook was made in, or of the whole course."""
    assert not looks(beside("a b c d", work=archive))


@pytest.mark.parametrize("own", ["a b c d", "a b"])
def test_archives_with_notebooks_that_nobody_opened_are_named(beside, own):
    found = beside(own, **{f"z{n}": {"nb.ipynb": "a"} for n in range(MAX_ARCHIVES)}, last={"nb.ipynb": "a b c d"})
    assert looks(found) == ["answers-not-counted"]
    assert "too many or too large ones: last.zip. Hand in" in said(found)["answers-not-counted"].text


COURSES = [
    {f"course/assets/{n}.png": b"\x89PNG" for n in range(MAX_PACKED + 50)},
    {f"course/{n}/nb{n}.ipynb": b'{"cells": []}' for n in range(MAX_CANDIDATES + 5)},
]


@pytest.mark.parametrize("course", COURSES)
def test_of_an_archive_of_the_whole_course_what_has_the_name_of_the_assignment_is_opened(beside, course):
    """A class in which everybody zips that folder had a line for each, and nobody read the one that mattered."""
    mine = f"course/{NAME}/{EXACT}"
    assert not looks(beside("a b c d", all={**course, mine: "a b c d"}, old={**course, mine: "a b"}))


@pytest.mark.parametrize("course", COURSES)
def test_another_answer_in_an_archive_of_the_whole_course_is_named(beside, course):
    found = beside("a b c d", all={**course, f"course/{EXACT}": "a b2 c d"})
    assert looks(found) == ["equals-differ"]


@pytest.mark.parametrize("course", COURSES)
def test_beside_an_incomplete_notebook_an_archive_of_the_course_is_named(beside, course):
    """Any other notebook in it may have what is lacking."""
    assert len(looks(beside("a b c", all={**course, f"course/{EXACT}": "a b"}))) == 1


def test_beside_an_incomplete_notebook_a_notebook_of_another_name_counts(beside):
    found = beside("a", all={"final.ipynb": "a b c d", **COURSES[1], f"course/{EXACT}": ""})
    assert found.packed == content("a b c d")


@pytest.mark.parametrize("name", ["nb.ipynb", "work\\NB.IPYNB", "NB.ipynb (1)", "x/" * 50 + "nb.ipynb.json"])
@pytest.mark.parametrize("part", [slice(None), slice(2000), slice(-2000, None)])
def test_an_archive_lists_a_notebook_also_if_it_is_cut_short(tmp_path, name, part):
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w") as zf:
        for n in range(9):
            zf.writestr(f"{n}.png", b"\x89PNG" * n)
        zf.writestr(name, b"{}" * 2000)
    path.write_bytes(path.read_bytes()[part])
    assert names_a_notebook(Candidate(path, path.name, 0, 0.0))
    assert not names_a_notebook(Candidate(path, path.name, 0, 0.0, b"PK\x01\x02"))


def test_names_are_listed_in_time_whatever_an_archive_holds():
    for data in (b"PK\x01\x02" * 2**20, (b"PK\x01\x02" + b"\0" * 42) * 2**16, b"PK\x03\x04" + b"\xff" * 2**22):
        start = time.process_time()
        assert len(list(listed_in(data))) <= 2**17
        assert time.process_time() - start < 5


def test_an_archive_of_which_not_all_notebooks_were_read_is_named(beside):
    found = beside("a b c d", many={f"{n}.ipynb": "a" for n in range(MAX_CANDIDATES + 1)})
    assert looks(found) == ["answers-not-counted"]


def test_files_whose_answers_nobody_counted_need_a_look_unless_all_is_answered(take):
    many = {f"copy{n}": f"a b{n}" for n in range(MAX_COUNTED + 2)}
    found = take(exact="a b c", **many)
    assert found.path.name == EXACT
    assert said(found)["answers-not-counted"].level is Level.LOST


def test_many_files_beside_a_complete_one_are_no_reason_for_alarm(take):
    found = take(exact="a b c d", **{f"copy{n}": f"a b{n}" for n in range(MAX_COUNTED + 2)})
    assert list(said(found)) == ["files-left"]


def test_counting_is_bounded_and_the_same_content_is_counted_once():
    asked = []

    def file(digest, size=1, text=""):
        return File(digest, size, lambda: asked.append(digest) or answers(text))

    assert len(counted([file("x")] * 50)) == 50
    assert asked == ["x"]
    asked.clear()
    assert counted([file(str(n)) for n in range(50)])[MAX_COUNTED:] == [None] * (50 - MAX_COUNTED)
    assert len(asked) == MAX_COUNTED
    asked.clear()
    large = MAX_COUNTED_BYTES // 2 + 1
    assert counted([file("1", large), file("2", large, "a"), file("3", large, "a b"), file("4", 1, "b")])[2] is None
    assert asked == ["1", "2"]  # the bound begins with the first file that has answers


def test_files_beside_a_complete_one_are_counted_within_the_bounds():
    """A second one may answer everything too, in another way."""
    asked = []
    texts = ("a b", "a b c d", "a", *(f"a b{n} c d" for n in range(MAX_COUNTED)))
    found = counted([File(t, 1, lambda t=t: asked.append(t) or answers(t)) for t in texts])
    assert asked == [*texts[:MAX_COUNTED]]
    assert found[2] == answers("a")


def test_nobody_is_told_of_files_that_hold_no_more():
    assert not compared(answers("a b"), [answers("a"), answers(""), answers("b2"), answers("a b")])
    assert not compared(answers(""), [answers("")])
    assert not compared(answers("a b c d"), [None])
    assert compared(answers("a b"), [None]).uncounted == (0,)
    assert compared(None, [answers("a")]).missing == ((0, ("a",)),)
