"""A file that is not read, beside a notebook that lacks an answer: somebody is told, and no empty answer gets 0."""

import gzip
import json
import shutil

import pytest
from nbgrader.api import Gradebook
from test_lms_collect import make_zip

from grader.classrun.run import end, grade_class
from grader.classrun.summary import summary
from grader.core.cells import grade_id
from grader.core.nbgrader_api import course_config, folders_config
from grader.core.notebook import read_notebook
from grader.core.regions import hidden_tests
from grader.feedback.run import write_pages
from grader.submissions.pristine import pristine
from grader.submissions.unread import LEFT_ASIDE, list_of, unread_in
from grader.submissions.words import words_of

NAME = "09_doubling"
#: An answer in words that is long enough to be one.
WORDS = "Because each number is added to itself, and that is what two times a number means, whatever its sign is."


@pytest.fixture
def handed_in(course):
    """Make a submission: the release with some answers."""
    release = pristine(read_notebook(course.source(NAME)), course_config(course))

    def make(**answers):
        nb = release.copy()
        nb.cells = [cell.copy() for cell in release.cells]
        for cell in nb.cells:
            cell.source = answers.get(grade_id(cell) or "", hidden_tests().without(cell.source))
        return json.dumps(nb).encode()

    return make


@pytest.fixture
def grade(course):
    """Mark the submissions; return the entries, and the points of the written answers with whether they wait."""

    def run(**options):
        config = folders_config(course_config(course), course.local)
        try:
            entries = grade_class(course, config, [NAME], **options)
        finally:
            end()
        with Gradebook(f"sqlite:///{course.local / 'gradebook.db'}") as book:
            grades = {e.student: book.find_grade("written_why", NAME, NAME, e.student) for e in entries}
            return entries, {s: (g.auto_score, g.needs_manual_grade) for s, g in grades.items()}

    return run


def put(course, student, files):
    folder = course.local / "submitted" / student / NAME
    shutil.rmtree(folder, ignore_errors=True)
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    return folder


def kinds(entries):
    return {e.student: sorted(f.kind for f in e.findings) for e in entries}


ANSWER = {"double": "def double(x):\n    return 2 * x"}


def test_an_empty_written_answer_beside_a_document_waits_for_a_person(course, grade, handed_in):
    done, empty = handed_in(**ANSWER, written_why=WORDS), handed_in(**ANSWER)
    put(course, "ada", {f"{NAME}.ipynb": empty, "my answer.pdf": b"%PDF-1.4"})
    put(course, "bob", {f"{NAME}.ipynb": done, "my answer.pdf": b"%PDF-1.4"})
    put(course, "cyd", {f"{NAME}.ipynb": empty})
    put(course, "dan", {f"{NAME}.ipynb": handed_in(**ANSWER, written_why="see PDF"), "my answer.pdf": b"%PDF-1.4"})
    entries, written = grade()
    assert written == {"ada": (None, True), "bob": (None, True), "cyd": (0, False), "dan": (None, True)}
    assert {s for s, found in kinds(entries).items() if "written-beside" in found} == {"ada", "dan"}
    assert "ada, 09_doubling: lost [written_why]" in summary(entries)
    assert "“my answer.pdf”" in summary(entries)
    write_pages(folders_config(course_config(course), course.local), [NAME])
    page = (course.local / "feedback/ada" / NAME / f"{NAME}.html").read_text()
    assert "my answer.pdf" in page
    assert "It waits for a person" in page
    assert "No response." not in page
    # Nothing has changed; then the document is there no longer, and comes again.
    assert {e.outcome for e in grade()[0]} == {"unchanged"}
    put(course, "ada", {f"{NAME}.ipynb": empty})
    assert grade()[1]["ada"] == (0, False)
    put(course, "ada", {f"{NAME}.ipynb": empty, "my answer.pdf": b"%PDF-1.4"})
    assert grade()[1]["ada"] == (None, True)


def test_an_untouched_notebook_beside_what_is_not_read_needs_a_look(course, grade, handed_in, tmp_path):
    empty, done = handed_in(), handed_in(**ANSWER, written_why=WORDS)
    inner = make_zip(tmp_path / "i.zip", [("nb.ipynb", done)]).read_bytes()
    beside = {
        "rar": {"work.rar": b"Rar!\x1a\7"},
        "html": {"page.html": b"<html>"},
        "gz": {"nb.ipynb.gz": gzip.compress(done)},
        "zip in zip": {"w.zip": make_zip(tmp_path / "o.zip", [("i.zip", inner)]).read_bytes()},
        "two deep": {"final/nb/nb.ipynb": done},
        "text": {"answers.txt": b"I doubled it."},
    }
    for student, files in beside.items():
        put(course, student.replace(" ", "_"), {f"{NAME}.ipynb": empty} | files)
    put(course, "nothing", {f"{NAME}.ipynb": empty, ".DS_Store": b"x", "timestamp.txt": b"2026-11-20 12:00:00 UTC"})
    entries, written = grade()
    assert {s for s, found in kinds(entries).items() if "files-unread" not in found} == {"nothing"}
    assert {s for s, (_, waits) in written.items() if not waits} == {"nothing"}
    said = summary(entries)
    assert all(f"does not read: {name}." in said for name in ("work.rar", "page.html", "w.zip/i.zip", "final/nb/"))


def test_what_was_collected_beside_a_notebook_is_known_when_it_is_marked(course, run, grade, handed_in, tmp_path):
    """`collect` leaves a document where it is: marking gave 0 for the answer in it, and nobody was asked."""
    empty, pdf = handed_in(**ANSWER), ("Ada_1_assignsubmission_file_/written answer 5.pdf", b"%PDF-1.4")
    first = [("Ada_1_assignsubmission_file_/nb.ipynb", empty), pdf]
    run(make_zip(tmp_path / "1.zip", first))
    entries, written = grade()
    assert written == {"ada": (None, True)}
    assert "“written answer 5.pdf”" in summary(entries)
    # The same notebook by itself takes nothing back; a later attempt without the document does.
    run(make_zip(tmp_path / "2.zip", first[:1]))
    assert grade()[1] == {"ada": (None, True)}
    later = handed_in(double="def double(x):\n    return x + x")
    run(make_zip(tmp_path / "3.zip", [(first[0][0], later)], (2026, 11, 30, 0, 0, 0)))
    assert grade()[1] == {"ada": (0, False)}
    assert not (course.local / "submitted/ada" / NAME / LEFT_ASIDE).exists()


@pytest.mark.parametrize("kind", ["zip in zip", "broken", "pdf in zip", "rar named zip"])
def test_an_archive_that_collect_could_not_open_is_known_when_the_notebook_is_marked(
    course, run, grade, handed_in, tmp_path, kind
):
    done = handed_in(**ANSWER, written_why=WORDS)
    inner = make_zip(tmp_path / "i.zip", [("nb.ipynb", done)]).read_bytes()
    files = {"zip in zip": [("more.zip", inner)], "pdf in zip": [("answer.pdf", b"%PDF-1.4")]}
    outer = make_zip(tmp_path / "o.zip", files.get(kind, [("nb.ipynb", done)])).read_bytes()
    outer = {"broken": outer[:60], "rar named zip": b"Rar!\x1a\7" + bytes(99)}.get(kind, outer)
    place = "Ada_1_assignsubmission_file_/"
    run(make_zip(tmp_path / "1.zip", [(f"{place}nb.ipynb", handed_in(**ANSWER)), (f"{place}answers.zip", outer)]))
    entries, written = grade()
    assert written == {"ada": (None, True)}
    assert kinds(entries)["ada"].count("written-beside") == 1


def test_a_list_that_anybody_wrote_harms_nobody(course, tmp_path):
    words = words_of(read_notebook(course.source(NAME)))
    folder = put(course, "eve", {f"{NAME}.ipynb": b"{}", LEFT_ASIDE: b"a\x1b[2J\0.pdf\n" * 9 + b"\xff\xfe\n<b>\n"})
    unread = unread_in(folder, folder / f"{NAME}.ipynb", words)
    assert len(unread) == 3
    assert not set("\x1b\0<>") & set("".join(unread))
    (folder / LEFT_ASIDE).write_bytes(b"x\n" * 2**20)
    assert not unread_in(folder, folder / f"{NAME}.ipynb", words)
    (folder / LEFT_ASIDE).unlink()
    (folder / LEFT_ASIDE).symlink_to("/etc/passwd")
    assert not unread_in(folder, folder / f"{NAME}.ipynb", words)
    assert len(list_of(f"{n} " + "x" * 70 for n in range(10**4))) <= 2**14
