"""The feedback of a class: what stands on a page, none written again, a plain one for what does not end."""

import os
import re
import time
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.api import Gradebook
from traitlets.config import Config
from traitlets.utils.importstring import import_item

from grader.core.errors import GraderError
from grader.core.notebook import write_notebook
from grader.engine.result import believe, ran_apart
from grader.feedback import clock, page, run
from grader.feedback.clock import make_all, make_one
from grader.feedback.layout import lay_out
from grader.feedback.run import Outcome, write_pages
from grader.gradebook import records

NAME = "ps1"


def marked(source, kind=new_code_cell, **marks):
    cell = kind(source)
    cell.metadata["nbgrader"] = {"grade": False, "solution": False, "locked": False, "schema_version": 3} | marks
    return cell


def error(name, text):
    return new_output("error", ename=name, evalue=text, traceback=[f"{name}: {text}"])


#: What the gradebook keeps of each submission, as far as a page asks for it.
RECORD = {"submission": "of what was handed in", "tests": "of the assignment"}


def release():
    return new_notebook(
        cells=[
            new_markdown_cell("# One\n\nThe lesson, which is long."),
            new_code_cell("demonstration = 'as the course made it'"),
            marked("import numpy", grade_id="setup", locked=True),
            new_markdown_cell("### Exercise 1.1 - `double` (3 points)"),
            marked("raise NotImplementedError", grade_id="double", solution=True),
            marked('"""The value."""\nassert double(2) == 4', grade_id="test_value", grade=True, locked=True, points=2),
            marked('"""The sign."""\nassert double(-2) < 0', grade_id="test_sign", grade=True, locked=True, points=1),
            marked("Why?", new_markdown_cell, grade_id="written_why", grade=True, solution=True, points=2),
        ]
    )


def submission():
    nb = release()
    nb.cells[4].source = "def double(x):\n    return x * x"
    nb.cells[6].outputs = [error("AssertionError", "the sign is lost")]
    nb.cells[7].source = "Because of *this*."
    nb.cells.insert(5, new_code_cell("print('mine')", outputs=[new_output("stream", text="mine\n")]))
    finding = {"kind": "moved", "where": "", "text": "A cell was moved back.", "level": "repaired"}
    nb.metadata["marking"] = RECORD | {"findings": [finding], "isolation": {}}
    return nb


@pytest.fixture
def course(tmp_path):
    """A course with marks of two students, and its configuration."""
    config = Config()
    config.CourseDirectory.root = str(tmp_path)
    config.CourseDirectory.db_url = f"sqlite:///{tmp_path / 'gradebook.db'}"
    steps = ("GetMarks", "HideTests", "CleanOutputs")
    config.GenerateFeedback.preprocessors = [f"grader.nbgrader_plugins.feedback.{step}" for step in steps]
    write_notebook(release(), tmp_path / "release" / NAME / f"{NAME}.ipynb")
    with Gradebook(config.CourseDirectory.db_url) as book:
        book.add_assignment(NAME)
        book.add_notebook(NAME, NAME)
        book.add_solution_cell("double", NAME, NAME)
        book.add_solution_cell("written_why", NAME, NAME)
        for name, points, kind in (("test_value", 2, "code"), ("test_sign", 1, "code"), ("written_why", 2, "markdown")):
            book.add_grade_cell(name, NAME, NAME, max_score=points, cell_type=kind)
        for student in ("ada", "eve"):
            book.add_student(student)
            book.add_submission(NAME, student)
            for name, points in (("test_value", 2), ("test_sign", 0)):
                grade = book.find_grade(name, NAME, NAME, student)
                grade.auto_score, grade.needs_manual_grade = points, False
            book.find_grade("written_why", NAME, NAME, student).needs_manual_grade = True
            book.find_comment("written_why", NAME, NAME, student).manual_comment = "Say **why** it holds."
            write_notebook(submission(), tmp_path / "autograded" / student / NAME / f"{NAME}.ipynb")
        book.db.commit()
        for student in ("ada", "eve"):
            records.write(book, NAME, student, RECORD)
        book.db.commit()
    return config


def page_of(course, student="ada"):
    return os.path.join(course.CourseDirectory.root, "feedback", student, NAME, f"{NAME}.html")


def read(course, student="ada"):
    with open(page_of(course, student)) as file:
        return BeautifulSoup(file.read(), "html.parser")


def outcomes(pages):
    return {p.student: p.outcome for p in pages}


@pytest.mark.parametrize(
    ("kept", "noted", "told"),
    [
        (RECORD, RECORD, True),
        (None, RECORD, False),  # a bare nbgrader marked it, and left the metadata as they were handed in
        (RECORD | {"submission": "another one"}, RECORD, False),
        (RECORD | {"tests": "others"}, RECORD, False),
        (RECORD, {}, False),
        (None, {}, False),
        (RECORD, ["no note"], False),
    ],
)
def test_what_a_notebook_says_of_its_marking_is_believed_if_the_gradebook_says_the_same(course, kept, noted, told):
    nb = submission()
    if isinstance(noted, dict):
        noted = noted | {"findings": nb.metadata["marking"]["findings"], "isolation": {"level": "landlock"}}
    nb.metadata["marking"] = noted
    believe(nb, kept)
    assert ran_apart(nb) == told
    assert [f.text for f in page.findings_for_student(nb)] == ["A cell was moved back."] * told


def test_a_note_that_a_student_wrote_is_on_no_page(course):
    with Gradebook(course.CourseDirectory.db_url) as book:
        records.write(book, NAME, "eve", RECORD | {"submission": "what this project marked before"})
        book.db.commit()
    write_pages(course, [NAME])
    assert "A cell was moved back." in read(course, "ada").get_text()
    assert "A cell was moved back." not in read(course, "eve").get_text()


def test_a_page_says_what_was_earned_first_and_leaves_out_what_did_not_change(course):
    said = []
    assert outcomes(write_pages(course, [NAME], jobs=2, say=said.append)) == dict.fromkeys(
        ("ada", "eve"), Outcome.WRITTEN
    )
    assert [line[:6] for line in said] == ["[1/2] ", "[2/2] "]
    found = read(course)
    assert [h.get_text() for h in found.find_all(["h1", "h2"])] == [
        "Feedback: ps1",
        "Points and reasons",
        "What was noticed",
        "Exercise 1.1 - double (3 points)",
        "written_why",
    ]
    [part] = found.select("#marks .part")
    assert [c.get_text() for c in part.find_all(["th", "td"])] == ["Exercise 1.1 - double (3 points)", "2 of 3", ""]
    assert found.find(id="test_sign").find(class_="message").get_text() == "the sign is lost"
    assert found.find(id="test_value").find("details") is None  # a test that passed takes one line
    assert "return x * x" in found.find(id="double").get_text()
    answer = found.find(id="written_why")
    assert answer.find("em").get_text() == "this"
    assert answer.find(class_="comment").find("strong", string="why")
    assert "mine" in found.find("summary", string="1 cell of your own").parent.get_text()
    assert "as the course made it" not in found.get_text()
    assert "The lesson" not in found.get_text()
    assert found.find(class_="left").get_text() == "4 cells that are as the course made them are not shown."


def test_a_student_of_whom_nothing_was_marked_is_named(course):
    with pytest.raises(GraderError, match="no marked submission of bob"):
        write_pages(course, [NAME], ["ada", "bob"])


def test_every_piece_of_the_students_is_contained(course):
    write_pages(course, [NAME])
    with open(page_of(course)) as file:
        text = file.read()
    [rule] = re.findall(r"([^\n{}]+) \{ overflow: auto; contain: content; isolation: isolate;", text)
    boxes = rule.split(", ")
    found = BeautifulSoup(text, "html.parser")
    pieces = [t for t in found.find_all(string=re.compile("mine|return|the sign is lost|Because|moved"))]
    assert len(pieces) >= 6
    inside = {id(e) for box in boxes for e in found.select(box)}
    assert [str(t) for t in pieces if not any(id(e) in inside for e in t.parents)] == []


def test_a_page_that_has_not_changed_is_not_written_again(course):
    write_pages(course, [NAME])
    before = os.stat(page_of(course)).st_ino
    assert set(outcomes(write_pages(course, [NAME])).values()) == {Outcome.UNCHANGED}
    assert os.stat(page_of(course)).st_ino == before
    assert outcomes(write_pages(course, [NAME], ["eve"], force=True)) == {"eve": Outcome.WRITTEN}


@pytest.mark.parametrize("what", ["mark", "comment", "notebook", "release", "page"])
def test_a_page_is_written_again_when_something_it_shows_did_change(course, what):
    write_pages(course, [NAME])
    root = course.CourseDirectory.root
    if what in ("mark", "comment"):
        with Gradebook(course.CourseDirectory.db_url) as book:
            if what == "mark":
                book.find_grade("written_why", NAME, NAME, "ada").manual_score = 1.5
            else:
                book.find_comment("written_why", NAME, NAME, "ada").manual_comment = "Better."
            book.db.commit()
    elif what == "page":
        os.unlink(page_of(course))
    else:
        nb = submission() if what == "notebook" else release()
        nb.cells[1].source += "  # changed"
        folder = ("autograded", "ada", NAME) if what == "notebook" else ("release", NAME)
        path = os.path.join(root, *folder, f"{NAME}.ipynb")
        write_notebook(nb, type(run.Path())(path))
    assert outcomes(write_pages(course, [NAME], ["ada"])) == {"ada": Outcome.WRITTEN}


@pytest.fixture
def words(course):
    """A catalogue of the course, in whose language one student's notebook is."""
    root = Path(course.CourseDirectory.root)
    words = root / "assets/locale/zh_CN/feedback.po"
    for path in (words, root / "solutions/none"):
        path.parent.mkdir(parents=True)
    words.write_text('msgid "passed"\nmsgstr "通过"\n')
    nb = submission()
    nb.metadata["course"] = {"language": "zh_CN"}
    write_notebook(nb, root / "autograded" / "ada" / NAME / f"{NAME}.ipynb")
    return words


def test_translations_are_read_once_for_all_pages(course, words, monkeypatch):
    here, read_there = os.getpid(), page.Voice.of
    monkeypatch.setattr(page.Voice, "of", lambda *names: read_there(*names) if os.getpid() == here else 1 / 0)
    assert set(outcomes(write_pages(course, [NAME])).values()) == {Outcome.WRITTEN}
    assert "通过" in read(course).get_text()
    assert "通过" not in read(course, "eve").get_text()


def test_a_page_is_written_again_when_its_translation_changed_and_one_in_english_is_not(course, words):
    write_pages(course, [NAME])
    assert "通过" in read(course).get_text()
    words.write_text('msgid "passed"\nmsgstr "过了"\n')
    assert outcomes(write_pages(course, [NAME])) == {"ada": Outcome.WRITTEN, "eve": Outcome.UNCHANGED}
    assert "过了" in read(course).get_text()


def test_what_translates_is_part_of_what_makes_a_page(monkeypatch, tmp_path):
    before = run._code()
    monkeypatch.setattr(run.catalogues, "__file__", str(tmp_path / "catalogues.py"))
    (tmp_path / "speech.py").write_text("changed")
    assert run._code() != before


def test_a_submission_without_marks_costs_its_own_page_alone(course):
    write_notebook(submission(), run.Path(course.CourseDirectory.root) / "autograded" / "bob" / NAME / f"{NAME}.ipynb")
    found = {p.student: p for p in write_pages(course, [NAME])}
    assert found["bob"].outcome is Outcome.FAILED
    assert "bob" in found["bob"].why
    assert found["ada"].outcome is Outcome.WRITTEN


def test_a_page_that_does_not_end_is_replaced_by_its_points(course, monkeypatch):
    def endless(cell, room):
        text = cell if isinstance(cell, str) else cell.source
        while "this" in text:
            pass
        return text

    monkeypatch.setattr(clock, "CPU_S", 1)
    page._template()
    monkeypatch.setattr(page, "student_markdown", endless)
    [found] = write_pages(course, [NAME], ["ada"])
    assert found.outcome is Outcome.PLAIN
    shown = read(course)
    assert "could not be made in time" in shown.get_text()
    assert [row.get_text() for row in shown.select("#marks tbody tr")] == [
        "test_value2 of 2",
        "test_sign0 of 1",
        "written_whywaits for a person (of 2)",
    ]
    # The same by nbgrader's own way.
    exporter = page.FeedbackExporter(config=course)
    exporter.register_preprocessor(page.GetMarks, enabled=True)
    names = {"student": "ada", "assignment": NAME, "notebook": NAME, "db_url": course.CourseDirectory.db_url}
    text, resources = exporter.from_notebook_node(submission(), {"nbgrader": names})
    assert "could not be made in time" in text
    assert resources["output_extension"] == ".html"


def test_a_page_that_fails_is_replaced_by_its_points_and_not_tried_without_bounds(course, monkeypatch, caplog):
    tried = []

    def fail(text):
        tried.append(text)
        raise ValueError("no page")

    monkeypatch.setattr(page.FeedbackExporter, "_write", _failing(page.FeedbackExporter._write, fail))
    exporter = page.FeedbackExporter(config=course)
    exporter.register_preprocessor(page.GetMarks, enabled=True)
    names = {"student": "ada", "assignment": NAME, "notebook": NAME, "db_url": course.CourseDirectory.db_url}
    text, _ = exporter.from_notebook_node(submission(), {"nbgrader": names})
    assert tried == []  # in this process
    assert "test_value" in text
    assert "Because" not in text
    assert "ValueError: no page" in caplog.text


def _failing(write, fail):
    """Let the whole page fail, and not the plain one."""
    return lambda self, nb, found, plain=False: write(self, nb, found, plain=True) if plain else fail(nb)


def test_a_megabyte_of_a_students_own_cuts_no_cell_of_the_courses(course):
    """What stays of a cut test was no Python, so that in another language there was no page."""
    nb = submission()
    test = next(
        n for n, cell in enumerate(nb.cells) if cell.metadata.get("nbgrader", {}).get("grade_id") == "test_sign"
    )
    nb.cells[test].source = '"""The sign."""\nassert (\n    double(-2)\n    < 0\n)'
    text = nb.cells[0].source
    full = [new_markdown_cell("x" * 59_000) for _ in range(17)]
    nb.cells[:0] = full
    step = import_item(course.GenerateFeedback.preprocessors[-1])(config=course)
    names = {"student": "ada", "assignment": NAME, "notebook": NAME}
    cleaned, _ = step.preprocess(nb, {"nbgrader": names})
    assert "characters are not shown" in cleaned.cells[16].source
    assert cleaned.cells[17].source == text
    assert cleaned.cells[test + 17].source.endswith("< 0\n)")
    # Each is free once: what repeats a cell of the course is the student's.
    again = submission()
    again.cells = [*full, again.cells[0], new_markdown_cell(again.cells[0].source)]
    cleaned, _ = step.preprocess(again, {"nbgrader": names})
    assert [cell.source == text for cell in cleaned.cells[17:]] == [True, False]


def test_processes_that_make_pages_end_and_say_why():
    def fail():
        raise ValueError("no page")

    made = dict(make_all([(1, lambda: "é" * 10**6), (2, fail), (3, lambda: os._exit(3)), (4, lambda: "")], 2))
    assert made[1].text == "é" * 10**6
    assert (made[2].text, made[2].why) == (None, "ValueError: no page")
    assert (made[3].text, made[3].why) == (None, "")
    assert made[4].text == ""


def test_a_page_that_sleeps_or_takes_memory_is_ended(monkeypatch):
    monkeypatch.setattr(clock, "WALL_S", 0.2)
    assert make_one(lambda: time.sleep(600) or "").text is None
    monkeypatch.setattr(clock, "WALL_S", 60)
    monkeypatch.setattr(clock, "MEMORY", 2**28)
    assert make_one(lambda: str(len(bytearray(2**30)))).text is None


def test_what_a_submission_claims_about_a_cell_does_not_hide_it():
    own = new_code_cell("print('own')")
    own.metadata["tags"] = ["demonstration", "skipped-when-grading"]
    nb = submission()
    nb.cells.insert(0, own)
    released = frozenset(cell.source.strip() for cell in release().cells)
    assert own in lay_out(nb, released).parts[0].own


@pytest.mark.parametrize("bound", [MemoryError, RecursionError])
def test_what_reached_its_bounds_is_not_tried_again_without_them(bound):
    """A reason would have the caller try it in its own process, which has no bounds."""

    def make():
        raise bound("no room")

    made = make_one(make)
    assert (made.text, made.why) == (None, "")


def test_many_texts_with_a_broken_attachment_say_nothing(course, caplog):
    path = Path(course.CourseDirectory.root) / "autograded" / "ada" / NAME / f"{NAME}.ipynb"
    nb = submission()
    broken = {"x.png": {"image/png": "bm9uZQ=="}}
    nb.cells += [new_markdown_cell("![x](attachment:x.png)", attachments=broken) for _ in range(20)]
    write_notebook(nb, path)
    at_work = run._Run(course, force=True)  # in this process, where what it logs is seen
    at_work.stamps[NAME, "ada"] = ""
    assert at_work._make(NAME, "ada").count("![x](attachment:x.png)") == 20
    assert not caplog.records


def test_what_the_process_of_a_page_prints_is_told_up_to_a_bound(capfd, caplog):
    def make():
        for stream in (1, 2):
            os.write(stream, b"first \x1b[2J line\n" + b"x" * 300_000 + b"\n")
        return "made"

    assert make_one(make).text == "made"
    assert "".join(capfd.readouterr()) == ""
    first, second, *_, last = [record.getMessage() for record in caplog.records]
    assert first == "first \ufffd[2J line"
    assert set(second) <= {"x", ".", " "}
    assert last.endswith("more bytes]")
    assert len(caplog.text) < 10_000
