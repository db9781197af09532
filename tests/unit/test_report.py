"""The class report: what it says about a small class, computed by hand, and what it keeps to itself."""

import csv
import datetime
import itertools
import json
import math
import re
import shutil
from html.parser import HTMLParser

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import Engine, event, text

from grader.authoring.text import apply_view
from grader.cli import main
from grader.core.errors import GraderError
from grader.core.findings import MOST_NAMED
from grader.engine import fingerprints
from grader.gradebook import records
from grader.report import data
from grader.report.analysis import ending
from grader.report.data import Layout, Verdict, plain, read_class
from grader.report.noticed import MOST_LOOKS
from grader.report.pieces import write_csv
from grader.report.pseudonyms import KEY_FILE, pseudonym, read_key
from grader.report.write import write_report
from grader.sandbox.inside import circumstances

NAME = "08_two"
VIEW = '''# %% [markdown]
# # 8. Two exercises

# %% nbgrader={"grade_id": "setup"} tags=["setup"]
import math

# %% [markdown]
# ### Exercise 8.1 - double (3 points)

# %% nbgrader={"grade_id": "double", "solution": true}
def double(x):
    ### BEGIN SOLUTION
    return 2 * x
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_double_value", "points": 2}
"""The value."""
assert double(2) == 4, "it is not doubled"
### BEGIN HIDDEN TESTS
assert double(-3) == -6, "it is not doubled for negative numbers"
### END HIDDEN TESTS

# %% nbgrader={"grade_id": "test_double_text", "points": 1}
"""Text."""
### BEGIN HIDDEN TESTS
assert double("a") == "aa", "text is not doubled"
### END HIDDEN TESTS

# %% [markdown]
# ### Exercise 8.2 - triple (2 points)

# %% nbgrader={"grade_id": "triple", "solution": true}
def triple(x):
    ### BEGIN SOLUTION
    return 3 * x
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_triple_value", "points": 2}
"""The value."""
assert triple(2) == 6, "it is not tripled"

# %% [markdown] nbgrader={"grade_id": "written_why", "points": 2, "solution": true}
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
'''
POINTS = {"test_double_value": 2, "test_double_text": 1, "test_triple_value": 2}
# Line 4 of test_double_value and line 3 of test_double_text are hidden.
LINES = {"test_double_value": 2, "test_double_text": 3, "test_triple_value": 2}
# nbgrader walks over objects that are about to be saved.
pytestmark = pytest.mark.filterwarnings("ignore::sqlalchemy.exc.SAWarning")
TODAY = "the notebook and the grader of today"
NOW = datetime.datetime(2026, 5, 6, 18, 30, tzinfo=datetime.UTC)


@pytest.fixture(scope="module")
def empty_book(tmp_path_factory):
    """A gradebook that knows the notebook, and nobody."""
    path = tmp_path_factory.mktemp("empty") / "gradebook.db"
    with Gradebook(f"sqlite:///{path}", "attention") as book:
        book.add_assignment(NAME, duedate="2026-05-01 12:00:00 UTC")
        book.add_notebook(NAME, NAME)
        for name, points in POINTS.items():
            book.add_grade_cell(name, NAME, NAME, max_score=points, cell_type="code")
        book.add_grade_cell("written_why", NAME, NAME, max_score=2, cell_type="markdown")
        records.read_all(book, [])  # makes the table
    return path


@pytest.fixture(scope="module")
def full_book(empty_book, tmp_path_factory):
    """Twelve students. double (3 points): 6 x 3, 3 x 2, 3 x 0; triple (2 points): 4 x 2, 8 x 0."""
    path = tmp_path_factory.mktemp("full") / "gradebook.db"
    shutil.copy(empty_book, path)
    causes = [
        {"test": "test_double_value", "exercise": "double", "name": "squares", "says": "This squares."},
        {"test": "test_double_text", "exercise": "double", "name": "squares", "says": "This squares."},
    ]
    with Gradebook(f"sqlite:///{path}", "attention") as book:
        for n in range(12):
            passed = {"test_triple_value"} if n < 4 else set()
            passed |= {"test_double_value"} if n < 9 else set()
            passed |= {"test_double_text"} if n < 6 else set()
            late = {"late_h": 5, "penalty": 1.0} if n == 0 else {}
            written = None if n == 11 else 1.0
            add(book, f"student{n:02}", passed, written=written, causes=causes if n > 9 else [], **late)
    return path


@pytest.fixture
def two(course, empty_book, monkeypatch):
    """A course whose notebook has two exercises, and a gradebook that knows it."""
    monkeypatch.setattr(fingerprints, "tests_fingerprint", lambda source: TODAY)
    (course.build / f"{NAME}.py").write_text(VIEW)
    apply_view(course, NAME)
    course.local.mkdir(parents=True)
    shutil.copy(empty_book, course.local / "gradebook.db")
    return course


@pytest.fixture
def twelve(two, full_book):
    """The same with twelve students."""
    shutil.copy(full_book, two.local / "gradebook.db")
    return two


def address(course):
    return f"sqlite:///{course.local / 'gradebook.db'}"


def open_book(course):
    return Gradebook(address(course), "attention")


def verdict(name, outcome="passed", error="", message="", line=None):
    return {"name": name, "outcome": outcome, "error": error, "message": message, "line": line, "points": 0}


def add(book, student, passed, *, written=None, record=True, failed=None, late_h=-1, penalty=0.0, **more):
    """Put a submission into the gradebook: which test cells passed, the written mark, what marking kept."""
    book.update_or_create_student(student, first_name=more.pop("first_name", None))
    when = datetime.datetime(2026, 5, 1, 12) + datetime.timedelta(hours=late_h)
    submission = book.add_submission(NAME, student, timestamp=when)
    submission.notebooks[0].late_submission_penalty = penalty
    for grade in submission.notebooks[0].grades:
        if grade.name in POINTS:
            grade.auto_score = POINTS[grade.name] if grade.name in passed else 0
            grade.needs_manual_grade = False
        else:
            grade.manual_score, grade.needs_manual_grade = written, written is None
    verdicts = [
        verdict(name)
        if name in passed
        else verdict(name, "failed", "AssertionError", f"{name} went wrong", LINES[name]) | (failed or {})
        for name in POINTS
    ]
    result = {
        "points": sum(POINTS[name] for name in passed),
        "max_points": 5,
        "verdicts": verdicts,
        "findings": [],
        "wall_s": 2.0,
        "cpu_s": 1.0,
        "tests": TODAY,
    } | more
    book.db.commit()
    if record:
        records.write(book, NAME, student, result)
    book.db.commit()


def make(course, **options):
    """Write the report; give it with its page."""
    to = course.local / "report.html"
    reports = write_report(course, address(course), "attention", [NAME], to, now=NOW, **options)
    return reports[0], to.read_text(encoding="utf-8")


def table(page, caption):
    """Give the rows of the table with this caption, as texts, the head first."""
    body = re.search(rf"<caption>{re.escape(caption)}.*?</table>", page, re.S)[0]
    rows = re.findall(r"<tr>(.*?)</tr>", body, re.S)
    return [[re.sub(r"<[^>]+>", "", cell) for cell in re.findall(r"<t[hd].*?</t[hd]>", row, re.S)] for row in rows]


def test_marks_by_hand(twelve):
    report, page = make(twelve)
    # 4 x 5, 2 x 3, 3 x 2, 3 x 0 points
    assert report.marks.code.mean == pytest.approx(32 / 12)
    assert report.marks.code.median == 2.5
    assert report.marks.code_bins == [3, 0, 0, 0, 3, 0, 2, 0, 0, 4]
    # Eleven are marked by a person: one point more, one late with a penalty of 1: 5, 3 x 6, 2 x 4, 3 x 3, 2 x 1 of 7
    assert (report.marks.whole.n, report.marks.whole.mean) == (11, pytest.approx(42 / 11))
    assert report.marks.whole_bins == [0, 2, 0, 0, 3, 2, 0, 1, 3, 0]
    assert "Late: 1; with a penalty: 1." in page
    assert ["90 to 100 %", "4", "0"] in table(page, "Submissions by share of the points")


def test_item_analysis_by_hand(twelve):
    report, page = make(twelve)
    double, triple, written = report.item_rows
    assert (double.item.label, triple.item.label, written.item.label) == ("8.1 double", "8.2 triple", "written: why")
    assert double.facility == pytest.approx(24 / 36)
    assert triple.facility == pytest.approx(8 / 24)
    # Of each with the other: sums of squares 18 and 32/3, of products 8
    assert double.discrimination == pytest.approx(8 / math.sqrt(18 * 32 / 3))
    assert triple.discrimination == pytest.approx(1 / math.sqrt(3))
    assert (written.n, written.facility, written.discrimination) == (11, 0.5, None)
    assert table(page, "Facility and discrimination")[1][:5] == ["8.1 double", "3", "12", "0.67", "0.58"]


def test_visible_and_hidden_failures_by_hand(twelve):
    report, page = make(twelve)
    double, triple = report.test_rows
    # 3 fail in the visible line of the first cell, 6 in the hidden line of the second
    assert (double.counts["passed"], double.counts["visible"], double.counts["hidden"]) == (15, 3, 6)
    assert (triple.counts["passed"], triple.counts["visible"], triple.counts["hidden"]) == (4, 8, 0)
    assert (double.hidden_cells, triple.hidden_cells) == (2, 0)
    assert "11 failed in their visible part, 6 in their hidden part" in page


def test_misconceptions_are_counted_by_submission_and_the_rest_is_said(twelve):
    report, page = make(twelve)
    row = report.cause_rows[0]
    assert (row.exercise, row.name, row.submissions) == ("8.1 double", "squares", 2)
    # 17 failures; students 10 and 11 have two named ones each
    assert (report.failures, report.named) == (17, 4)
    assert (
        "17 test cells failed in exercises that were answered; 4 (24\u00a0%) have a named cause, 13 have none." in page
    )
    assert ["test_triple_value", "test_triple_value went wrong", "8"] in table(page, "Failures without a named cause")
    assert "This squares." in page
    # One student alone met it: not common.
    assert "test_double_value went wrong" not in page


def test_an_assertion_of_students_answers_is_not_shown_as_the_tests(two):
    theirs = {"message": "the test is wrong", "by_test": False}
    with open_book(two) as book:
        for n in range(10):
            add(book, f"student{n:02}", {"test_double_value"}, written=1.0, failed=theirs)
    _, page = make(two)
    rows = table(page, "Failures without a named cause")
    assert ["test_triple_value", "AssertionError: \u201cthe test is wrong\u201d", "10"] in rows


def test_a_notebook_of_written_answers_alone_has_no_item_analysis(two):
    view = VIEW.split("# %% [markdown]\n# ### Exercise 8.1")[0] + VIEW[VIEW.index("# %% [markdown] nbgrader") :]
    (two.build / f"{NAME}.py").write_text(view)
    two.source(NAME).unlink()
    apply_view(two, NAME)
    with open_book(two) as book:
        for n in range(10):
            add(book, f"student{n:02}", set(), written=1.0)
    report, page = make(two)
    assert (report.scored, report.shown) == (10, False)
    assert page.count("Not shown: the notebook has no exercise with test cells.") == 4


def test_time_by_hand(twelve):
    report, page = make(twelve)
    assert (report.wall.median, report.cpu.median) == (2.0, 1.0)
    assert "Running 12 submissions took 0.4 minutes in all, 2 s each" in page


@pytest.mark.parametrize(
    ("given", "is_a"),
    [
        (Verdict("t", "passed", "", "", None), "passed"),
        (Verdict("t", "failed", "NotImplementedError", "not written yet", 3), "unanswered"),
        (Verdict("t", "failed", "NotImplementedError", "\u8fd8\u6ca1\u6709\u5199", 3), "unanswered"),
        (Verdict("t", "failed", "NotImplementedError", "", 3), "unanswered"),
        (Verdict("t", "failed", "NotImplementedError", "this test was withdrawn", 2), "visible"),
        (Verdict("t", "failed", "AssertionError", "", 3), "hidden"),
        (Verdict("t", "failed", "AssertionError", "", 2), "visible"),
        (Verdict("t", "failed", "AssertionError", "", None), "unknown"),
        (Verdict("t", "timeout", "TimeoutError", "", None), "ended"),
        (Verdict("t", "gone", "TimeoutError", "", 3), "ended"),
        (Verdict("t", "not run", "TimeoutError", "", None), "ended"),
    ],
)
def test_outcomes(given, is_a):
    layout = Layout("a", "A", (), {"t": frozenset({3})}, "", frozenset({"not written yet", "\u8fd8\u6ca1\u6709\u5199"}))
    assert ending(given, layout) == is_a


def test_nothing_is_computed_of_fewer_than_ten(two, tmp_path):
    with open_book(two) as book:
        for n in range(9):
            add(book, f"student{n:02}", {"test_double_value"}, written=1.0)
    report, page = make(two, csv_to=tmp_path / "csv")
    assert (report.marks, report.item_rows, report.cause_rows, report.wall) == (None, [], [], None)
    assert "Not shown: 9 submissions, fewer than 10." in page
    assert "No statistics are given of fewer than 10 submissions" in page
    assert "<img" not in page
    assert {p.stem for p in (tmp_path / "csv").iterdir()} == {"missing", "findings", "look"}
    with open_book(two) as book:
        add(book, "student09", {"test_double_value"}, written=1.0)
    report, page = make(two, csv_to=tmp_path / "csv")
    assert report.marks.code.n == 10
    assert "Not shown" not in page
    assert page.count("<img") == 5
    assert (tmp_path / "csv" / f"{NAME}_exercises.csv").is_file()


def test_no_statistics_of_ten_submissions_with_nine_records_either(two):
    with open_book(two) as book:
        for n in range(10):
            add(book, f"student{n:02}", {"test_double_value"}, written=1.0, record=n > 0)
    report, page = make(two)
    assert report.shown
    assert not report.test_shown
    assert report.cause_rows == []
    assert "Not shown: 9 marking records, fewer than 10." in page


def test_each_plot_has_its_twins(twelve, tmp_path):
    _, page = make(twelve, csv_to=tmp_path)
    images = re.findall(r'<img src="data:image/svg\+xml;base64,[\w+/=]+" alt="([^"]+)"', page)
    assert len(images) == page.count("<img") == 6
    assert all(len(alt) > 60 for alt in images)
    for name in ("marks", "exercises", "misconceptions", "tests"):
        assert f'download="{NAME}_{name}.csv"' in page
    with (tmp_path / f"{NAME}_exercises.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [r["exercise"] for r in rows] == ["8.1 double", "8.2 triple", "written: why"]
    assert float(rows[1]["discrimination"]) == pytest.approx(1 / math.sqrt(3), abs=1e-5)
    with (tmp_path / f"{NAME}_tests.csv").open() as file:
        assert next(csv.DictReader(file))["hidden"] == "6"


def test_the_same_class_gives_the_same_page(twelve):
    assert make(twelve)[1] == make(twelve)[1]


def finding(level, where="", text="noticed", kind="file-refused"):
    return {"kind": kind, "where": where, "text": text, "level": level}


def test_students_are_pseudonymous_unless_asked(twelve, tmp_path):
    found = [
        finding("suspicious", "student07 homework.ipynb", "student07 homework.ipynb is a link."),
        finding("lost", "test_double_value", "student07 did it"),
        finding("repaired", "student07.ipynb", "student07.ipynb was taken", "other-file-taken"),
    ]
    with open_book(twelve) as book:
        add(book, "student12", set(), findings=found, first_name="Student07 the Second")
    report, page = make(twelve, csv_to=tmp_path / "a")
    assert len(report.data.submissions) == 13
    everything = page + "".join(p.read_text() for p in (tmp_path / "a").iterdir())
    assert "tudent0" not in everything
    assert "student12" not in everything
    alias = pseudonym(read_key(twelve.local), "student12")
    assert [alias, "8", "suspicious", "file refused", "withheld"] in table(page, "Findings that need a look")
    assert [alias, "8", "lost", "file refused", "test_double_value"] in table(page, "Findings that need a look")
    assert ["file of another name taken", "1", "1"] in table(page, "Repairs, by submissions")
    assert (twelve.local / KEY_FILE).read_text().strip() not in everything

    _, page = make(twelve, names=True, csv_to=tmp_path / "b")
    assert "Student07 the Second (student12)" in page
    assert "student07 homework.ipynb is a link." in page
    assert alias not in page
    assert "student12" in (tmp_path / "b" / "look.csv").read_text()


def test_what_a_self_check_found_in_one_answer_is_not_shown_for_all(twelve, tmp_path):
    line = "double leaves x alone"
    with open_book(twelve) as book:
        for n in range(12, 17):
            says = f"{line}. It is {{'Bob sold me this': {n}}} now. Do you write into it?"
            cause = {"test": "test_double_value", "exercise": "double", "name": f"self-check: {line}", "says": says}
            add(book, f"student{n}", set(), causes=[cause])
    _, page = make(twelve, csv_to=tmp_path / "csv")
    texts = [page, *(path.read_text() for path in (tmp_path / "csv").iterdir())]
    assert line in page
    assert [text for text in texts if "Bob" in text or "Do you write" in text] == []


def test_the_report_knows_how_it_is_told_where_answers_go_wrong():
    assert data._COUNTED.sub("", circumstances.COUNTED.format(fine=3, seen=40) + "Where?") == "Where?"


def test_where_answers_go_wrong_is_counted_by_what_the_calls_have_in_common(twelve):
    """All who had any such text had stood under that of one student, with that student's numbers."""
    places = ["`x` is negative", "`x` has large numbers"]
    with open_book(twelve) as book:
        for n in range(12, 23):
            says = f"Your function is right in {n} of the 30 calls that were tried. Where it is wrong, and only there: "
            cause = {
                "test": "test_double_value",
                "exercise": "double",
                "name": "where",
                "says": f"{says}{places[n % 2]}.",
            }
            add(book, f"student{n}", set(), causes=[cause])
    report, page = make(twelve)
    found = {row.says: row.submissions for row in report.cause_rows if row.name == "where"}
    assert found == {f"Where it is wrong, and only there: {p}.": n for p, n in zip(places, (6, 5), strict=True)}
    assert "calls that were tried" not in page


class Elements(HTMLParser):
    """Tags and attributes as a browser would see them."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))


def test_hostile_text_is_shown_and_does_nothing(twelve, tmp_path):
    evil = "<script>alert(1)</script><img src=x onerror=alert(2)>\u202e\x00" + "A" * 5000
    cause = {"test": "test_triple_value", "exercise": "triple", "name": evil, "says": evil}
    with open_book(twelve) as book:
        for n in range(12, 17):
            add(
                book,
                f"student{n}",
                set(),
                findings=[finding("suspicious", evil, evil, evil[:60]), finding("repaired", "", "", evil[:60])],
                failed={"error": evil[:90], "message": evil},
                causes=[cause],
                first_name='=cmd|"/c calc"!A1' + evil[:60],
            )
    _, page = make(twelve, names=True, csv_to=tmp_path / "csv")
    elements = Elements(page).found
    assert not {"script", "iframe", "object", "link"} & {tag for tag, _ in elements}
    assert not [key for _, attributes in elements for key in attributes if key.startswith("on")]
    sources = [a["src"] for tag, a in elements if tag == "img"]
    assert len(sources) == 6
    assert all(source.startswith("data:image/svg+xml;base64,") for source in sources)
    assert "&lt;script&gt;alert(1)" in page
    assert "A" * 300 not in page
    assert "\u202e" not in page
    assert "\x00" not in page
    for path in (tmp_path / "csv").iterdir():
        with path.open() as file:
            cells = [cell for row in csv.reader(file) for cell in row]
        assert not [cell for cell in cells if cell[:1] in ("=", "+", "@") or re.match(r"-\D", cell)]
    assert "'=cmd" in (tmp_path / "csv" / "look.csv").read_text()


def test_csv_takes_no_text_for_a_formula_and_leaves_numbers_alone():
    assert write_csv(["a", "b"], [["=1+1", -0.5], ["x,y", None]]) == 'a,b\n\'=1+1,-0.5\n"x,y",\n'


def test_plain_text_is_one_bounded_line():
    assert plain("a\n\tb\x1b[31m c\u2028d") == "a b\ufffd[31m c d"
    assert plain("x" * 500, 20) == "x" * 16 + " ..."


def test_long_lists_end_and_say_so_and_nobody_fills_them_alone(twelve):
    each = 30
    with open_book(twelve) as book:
        for n in range(12, 42):
            add(book, f"student{n}", set(), findings=[finding("lost")] * each)
        seen = [finding("suspicious", kind="points-changed")] * 990
        add(book, "student42", set(), findings=[*seen, finding("suspicious", kind="test-tagged")])
    _, page = make(twelve, names=True, csv_to=twelve.local / "csv")
    rows = table(page, "Findings that need a look")[1:]
    assert len(rows) == MOST_LOOKS
    assert f"{30 * each + 991:,} in all" in page
    assert {row[0] for row in rows} == {f"student{n}" for n in range(12, 43)}
    assert sum(row[0] == "student42" for row in rows) < 8
    assert "test cell told not to run" in [row[3] for row in rows]
    assert len((twelve.local / "csv" / "look.csv").read_text().splitlines()) == 30 * each + 992


def test_how_many_more_a_submission_has_is_a_row(twelve):
    with open_book(twelve) as book:
        add(book, "student12", set(), findings=[finding("lost")] * 207)
    _, page = make(twelve)
    rows = table(page, "Findings that need a look")[1:]
    assert [row[3] for row in rows] == [*["file refused"] * MOST_NAMED, f"and {207 - MOST_NAMED} more"]


def test_a_complete_class_misses_nothing(two):
    with open_book(two) as book:
        for n in range(10):
            add(book, f"student{n:02}", set(POINTS), written=2.0)
    report, page = make(two)
    assert report.missing == []
    assert "Nothing: each student handed in each notebook, and all of it is marked." in page
    assert "Nothing suspicious, nothing lost." in page
    assert "Nothing had to be repaired." in page
    assert "0 test cells failed" in page


def test_what_is_missing_is_said(twelve):
    with open_book(twelve) as book:
        book.add_student("idle")
        add(book, "bare", {"test_double_value"}, written=1, record=False)
        add(book, "again", {"test_double_value"}, written=1, points=5)
        add(book, "stale", set(), written=1, tests="of another day")
        add(book, "lineless", set(), written=1, failed={"line": None})
        add(book, "waiting", set())
        add(book, "broken", {"test_double_value"}, written=1)
        book.db.execute(text("update marking_record set result = '{\"a\": [' where student = 'broken'"))
        records.write(book, NAME, "nobody", json.loads(json.dumps({"points": 0})))
        for name in ("unmarked", "overridden", "reviewed"):
            add(book, name, {"test_double_value"}, written=1)
            for grade in book.find_submission_notebook(NAME, NAME, name).grades:
                if name == "unmarked" and grade.name == "test_double_text":
                    grade.auto_score = None
                if name == "overridden" and grade.name == "test_double_text":
                    grade.manual_score = 1
                if name == "reviewed" and grade.name == "written_why":
                    grade.needs_manual_grade = True
        book.add_grade_cell("test_gone", NAME, NAME, max_score=1, cell_type="code")
        add(book, "old", set(), written=1)
        book.db.commit()
    submitted = twelve.local / "submitted"
    (submitted / "lost-soul" / NAME).mkdir(parents=True)
    (submitted / "bare" / NAME).mkdir(parents=True)
    report, page = make(twelve, submitted=submitted)
    said = {m.what: m.count for m in report.missing}
    assert said == {
        "no submission": 1,
        "handed in, not marked": 1,
        "no points for some test cell": 1,
        "a written answer waits for a person": 2,
        "a written answer was marked before the submission was marked anew": 1,
        "no marking record: marked by a bare nbgrader?": 1,
        "the marking record speaks of other points: marked again by another program?": 1,
        "the marking record cannot be read": 1,
        "a marking record, but no submission in the gradebook": 1,
        "marked with another state of the notebook or the grader": 1,
        "a failed test cell without its line": 1,
        "a person set the points of a test cell": 1,
        "graded cells that the source notebook does not have: test_gone": 1,
    }
    assert [row[:2] for row in table(page, "How many, by notebook")[1:]] == [[k, str(v)] for k, v in said.items()]
    # All but "unmarked"; a person's points count.
    assert report.scored == 21
    assert report.data.submissions[[s.student for s in report.data.submissions].index("overridden")].scores == {
        "test_double_value": 2,
        "test_double_text": 1,
        "test_triple_value": 0,
        "written_why": 1,
    }


def test_a_notebook_that_was_never_marked_is_said(course):
    course.local.mkdir(parents=True)
    with open_book(course) as book:
        book.add_student("ada")
    to = course.local / "report.html"
    write_report(course, address(course), "attention", ["09_doubling"], to, now=NOW)
    assert "the gradebook does not know this notebook" in to.read_text()


def test_as_many_queries_for_many_students_as_for_few(twelve):
    counts = []
    for more in (0, 20):
        with open_book(twelve) as book:
            for n in range(more):
                add(book, f"more{n:02}", set())
        asked = []

        def note(connection, cursor, statement, *_, into=asked):
            into.append(statement)

        event.listen(Engine, "before_cursor_execute", note)
        try:
            read_class(twelve, address(twelve), "attention", [NAME])
        finally:
            event.remove(Engine, "before_cursor_execute", note)
        counts.append(sum("SELECT" in s.upper() for s in asked))
    assert counts[0] == counts[1] > 0


def test_the_page_is_in_order(twelve):
    _, page = make(twelve)
    elements = Elements(page).found
    levels = [int(tag[1]) for tag, _ in elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels.count(1) == 1
    assert levels[0] == 1
    assert set(levels) == {1, 2, 3}
    assert all(b - a <= 1 for a, b in itertools.pairwise(levels))
    heads = [attributes.get("scope") for tag, attributes in elements if tag == "th"]
    assert set(heads) == {"col", "row"}
    ids = [attributes["id"] for _, attributes in elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    targets = {a["href"][1:] for tag, a in elements if tag == "a" and a["href"].startswith("#")}
    assert {"glance", "missing", f"notebook-{NAME}", "marking", "repaired", "look", "method"} == targets <= set(ids)
    outside = [a for _, attributes in elements for a in (attributes.get("src"), attributes.get("href")) if a]
    assert {a[:5] for a in outside if not a.startswith("#")} == {"data:"}


def test_the_command(twelve, capsys, tmp_path):
    to = tmp_path / "page.html"
    arguments = ["--course", str(twelve.root), "report", "8", "--to", str(to)]
    assert main([*arguments, "--csv", str(tmp_path / "csv")]) == 0
    printed = capsys.readouterr().out
    assert "12 of 12 marked" in printed
    assert str(to) in printed
    assert "student03" not in to.read_text()
    assert (tmp_path / "csv" / f"{NAME}_marks.csv").is_file()
    assert main([*arguments, "--gradebook", str(tmp_path / "nothing.db")]) == 2
    assert "no gradebook" in capsys.readouterr().err
    assert not (tmp_path / "nothing.db").exists()


def test_a_file_that_is_no_gradebook_is_an_error(twelve, tmp_path):
    path = tmp_path / "letter.db"
    path.write_text("Dear reader, " * 100)
    with pytest.raises(GraderError, match="cannot be read"):
        read_class(twelve, f"sqlite:///{path}", "attention", [NAME])


def test_a_page_that_cannot_be_written_leaves_nothing(twelve, tmp_path):
    (tmp_path / "page.html").mkdir()
    with pytest.raises(GraderError, match="cannot be written"):
        write_report(twelve, address(twelve), "attention", [NAME], tmp_path / "page.html")
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".page")] == []
