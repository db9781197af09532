"""Marking on two sides: what comes over the boundary, what a crash costs, and that the class survives."""

import base64
import copy
import datetime
import errno
import os
import re
import shutil
import signal
import sqlite3
import struct
import subprocess
import sys
import time
import zlib
from dataclasses import replace
from pathlib import Path

import psutil
import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output
from nbgrader.api import Gradebook
from sqlalchemy import Engine
from sqlalchemy.event import listen, remove

from grader import doctor
from grader.authoring.execute import execute
from grader.authoring.text import apply_view
from grader.classrun import executors
from grader.classrun.run import end, grade_class
from grader.classrun.summary import repairs, summary
from grader.cli import main
from grader.core.cells import CellKind, grade_id, kind_of
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.findings import Finding, Level
from grader.core.nbgrader_api import course_config, folders_config, open_nbgrader
from grader.core.notebook import read_notebook, write_notebook
from grader.core.regions import hidden_tests
from grader.engine import fingerprints, handed, losses, submission
from grader.engine.losses import weighed
from grader.engine.prelude import import_lines
from grader.engine.result import Outcome, Result, Verdict, render
from grader.engine.running import mark_notebook
from grader.engine.settings import Budget
from grader.engine.skipping import Plan
from grader.feedback.run import write_pages
from grader.gradebook import records, writer
from grader.sandbox import warm
from grader.sandbox.inside import isolate
from grader.sandbox.inside.orders import Role
from grader.sandbox.inside.student import COMPUTED, WAITED
from grader.submissions import intake, reading
from grader.submissions.folder_names import as_text, read_folders, safe_id
from grader.submissions.listing import list_submissions
from grader.submissions.transplant import transplant
from grader.testing.samples import fill_answers

NAME = "07_boundary"
VIEW = """# %% [markdown]
# # 7. Over the boundary

# %% nbgrader={"grade_id": "setup"} tags=["setup"]
import numpy as np

# %% nbgrader={"grade_id": "given_scale"} tags=["given"]
given_scale = 3.0

# %% [markdown]
# ### Exercise 7.1 - scale (3 points)

# %% nbgrader={"grade_id": "scale", "solution": true}
def scale(x):
    ### BEGIN SOLUTION
    return x * given_scale
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_scale_value", "points": 2}
x = np.arange(3.0)
assert np.array_equal(scale(x), 3 * x), "it is not scaled"
assert np.array_equal(x, np.arange(3.0)), "the input was changed"
### BEGIN HIDDEN TESTS
assert scale(np.float32(2)) == 6 and isinstance(scale(np.float32(2)), np.floating), "a number stays a number"
### END HIDDEN TESTS

# %% nbgrader={"grade_id": "test_scale_error", "points": 1}
try:
    scale("a")
except TypeError:
    pass
except Exception as error:
    raise AssertionError(f"text should raise TypeError, not {type(error).__name__}") from None
else:
    raise AssertionError("text should raise TypeError")

# %% [markdown]
# ### Exercise 7.2 - search (3 points)

# %% nbgrader={"grade_id": "search", "solution": true}
def search(f, limit):
    ### BEGIN SOLUTION
    return [f(i) for i in range(limit)]
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_search_calls", "points": 3}
seen = []


def given(i):
    assert len(seen) < 9, "it asks too often"
    seen.append(i)
    return i * i


assert search(given, 4) == [0, 1, 4, 9], "not the squares"
assert seen == [0, 1, 2, 3], "each number once, in order"

# %% [markdown]
# ### Exercise 7.3 - share (2 points)

# %% nbgrader={"grade_id": "share", "solution": true}
def share():
    ### BEGIN SOLUTION
    return 1.0
    ### END SOLUTION

# %% nbgrader={"grade_id": "test_share_partial", "points": 2}
2 * share()

# %% [markdown] nbgrader={"grade_id": "written_why", "points": 4, "solution": true}
# ### BEGIN SOLUTION
# Because.
# ### END SOLUTION
"""
POINTS = {"test_scale_value": 2, "test_scale_error": 1, "test_search_calls": 3, "test_share_partial": 2}
SHORT = Budget(cell_cpu_s=2, call_cpu_s=1, waiting_s=1, grace_s=1, notebook_cpu_s=40, notebook_wall_s=240, restarts=4)
#: A body that catches whatever would interrupt it.
STUBBORN = """while True:
        try:
            while True:
                pass
        except BaseException:
            pass"""

#: Those that run out of time, each with what the student is told.
RUNS_OUT = {
    "while True:\n        pass": "still computing when its time was up: an endless loop? (1 seconds of computing)",
    STUBBORN: "still computing when its time was up: an endless loop?; it could not be interrupted",
    "import time\n    time.sleep(60)": "waited for something that did not come",
}


@pytest.fixture(scope="module")
def course(tmp_path_factory, request):
    """A course with the one notebook 07_boundary."""
    root = tmp_path_factory.mktemp("marking") / "course"
    for folder in ("solutions", "notebooks", "build", "assets/helpers"):
        (root / folder).mkdir(parents=True)
    (root / "nbgrader_config.py").write_text((request.config.rootpath / "nbgrader_config.py").read_text())
    (root / f"build/{NAME}.py").write_text(VIEW)
    course = Course(root)
    apply_view(course, NAME)
    execute(course, NAME)
    return course


@pytest.fixture(scope="module")
def source(course):
    return read_notebook(course.source(NAME))


@pytest.fixture(scope="module")
def solved(source):
    answers = {grade_id(c): c.source for c in source.cells if kind_of(c) is CellKind.ANSWER}
    released = transplant(source, None).notebook
    for cell in released.cells:
        cell.source = hidden_tests().without(cell.source)
    return fill_answers(released, answers)


@pytest.fixture(scope="module")
def template(source):
    with warm.Template(import_lines(source)) as template:
        yield template


@pytest.fixture
def mark(source, solved, template):
    """Mark the solved notebook with some answers replaced; give the points of each test and what was noticed."""

    def run(**answers):
        handed_in = copy.deepcopy(solved)
        for cell in handed_in.cells:
            if grade_id(cell) in answers:
                cell.source = answers[grade_id(cell)]
        nb = transplant(source, handed_in).notebook
        marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
        assert set(marked.verdicts) == set(POINTS), "a verdict for each test, whatever happened"
        return {name: v.points(POINTS[name]) for name, v in marked.verdicts.items()}, marked

    return run


def without(*names):
    return {name: 0 if name in names else points for name, points in POINTS.items()}


def test_a_solved_notebook_gets_everything(mark):
    points, marked = mark()
    assert points == POINTS
    assert marked.findings == []
    assert marked.isolation["level"] == doctor.examine().level


@pytest.mark.parametrize(
    ("body", "lost"),
    [
        ("x *= given_scale\n    return x", ["test_scale_value"]),  # the input is changed
        ("return list(np.asarray(x) * given_scale)", ["test_scale_value"]),  # NumPy's error for text is a TypeError
        ("raise ValueError('no')", ["test_scale_value", "test_scale_error"]),
        ("return object()", ["test_scale_value"]),  # TypeError: return an array
        ("import os\n    os._exit(0)", ["test_scale_value", "test_scale_error"]),
        ("import ctypes\n    ctypes.string_at(0)", ["test_scale_value", "test_scale_error"]),
        ("while True:\n        pass", ["test_scale_value", "test_scale_error"]),
        (STUBBORN, ["test_scale_value", "test_scale_error"]),
        ("import time\n    time.sleep(60)", ["test_scale_value", "test_scale_error"]),
        ("raise SystemExit", ["test_scale_value", "test_scale_error"]),
        ("return bytearray(8 * 2**30)", ["test_scale_value", "test_scale_error"]),
        ("return scale(x)", ["test_scale_value", "test_scale_error"]),  # endless recursion
    ],
)
def test_a_broken_answer_costs_itself_alone(mark, body, lost):
    points, marked = mark(scale=f"def scale(x):\n    {body}")
    assert points == without(*lost)
    told = {f.where: f.text for f in marked.findings if f.kind == "call-hangs"}
    if body in RUNS_OUT:
        # What could not be interrupted is not called again.
        assert list(told) == (lost[:1] if body == STUBBORN else lost), "which tests it is about"
        assert all(text.startswith("scale: ") for text in told.values()), "whose calls it is about"
        assert RUNS_OUT[body] in told[lost[0]], "whether it computed or waited, and for how long"
        assert marked.verdicts[lost[0]].message in told[lost[0]], "the marked notebook says the same"
        assert marked.ran_out
    else:
        assert not told
        assert not marked.ran_out


@pytest.mark.parametrize(
    ("cell", "lost"),
    [
        ("import os\nos._exit(0)", []),
        ("while True:\n    pass", []),
        ("def loop():\n    " + STUBBORN + "\nloop()", []),
        ("raise KeyboardInterrupt", []),
        ("given_scale = 7.0", ["test_scale_value"]),  # the student's own doing, as in Jupyter
        ("x = [0] * 10**10", []),
        ("print('x' * 10**8)", []),
        ("import threading\n[threading.Thread(target=print).start() for _ in range(50)]", []),
    ],
)
@pytest.mark.parametrize("all_runs", [False, True])
def test_a_cell_of_the_students_costs_itself_alone(source, solved, template, cell, lost, all_runs):
    """Whether it is left out, since no answer needs it, or runs."""
    handed_in = copy.deepcopy(solved)
    handed_in.cells.insert(1, copy.deepcopy(handed_in.cells[2]))
    handed_in.cells[1].source, handed_in.cells[1].metadata, handed_in.cells[1].id = cell, {}, "mine"
    # After the given cell, so that what it sets is the student's.
    handed_in.cells.insert(4, handed_in.cells.pop(1))
    nb = transplant(source, handed_in).notebook
    plan = Plan.of(nb, source)
    assert len(plan.skipped) == (cell != "given_scale = 7.0")
    marked = mark_notebook(nb, Plan(frozenset(), plan.functions) if all_runs else plan, template, SHORT)
    assert {name: v.points(POINTS[name]) for name, v in marked.verdicts.items()} == without(*lost)


def test_an_answer_that_needs_a_demonstration_gets_it_within_a_limit_of_its_own(source, solved, template):
    source = copy.deepcopy(source)
    at = next(n for n, c in enumerate(source.cells) if grade_id(c) == "scale")
    slow = "import time\nbegun = time.process_time()\nwhile time.process_time() < begun + 1.5:\n    pass"
    shown = [
        new_code_cell(text, metadata={"tags": ["demonstration"]}) for text in (f"{slow}\ntrained = 3.0", "late = 1")
    ]
    source.cells[at:at] = shown
    handed_in = copy.deepcopy(solved)
    place = next(n for n, c in enumerate(handed_in.cells) if grade_id(c) == "scale")
    handed_in.cells[place:place] = copy.deepcopy(shown)
    handed_in.cells[place + 2].source = "def scale(x):\n    return x * trained * late"
    nb = transplant(source, handed_in).notebook
    plan = Plan.of(nb, source)
    assert [name for name, _ in plan.released.values()] == ["trained", "late"]
    marked = mark_notebook(nb, plan, template, SHORT)
    assert {name: v.points(POINTS[name]) for name, v in marked.verdicts.items()} == POINTS
    assert [f.kind for f in marked.findings] == ["needs-demonstration"]
    short = replace(SHORT, demonstrations_cpu_s=1.0)
    marked = mark_notebook(nb, plan, template, short)
    assert {name: v.points(POINTS[name]) for name, v in marked.verdicts.items()} == without(
        "test_scale_value", "test_scale_error"
    )
    assert "demonstrations-stopped" in {f.kind for f in marked.findings}


def test_what_stands_beside_an_answer_and_no_mark_needs_is_cut_and_the_answer_behind_it_counts(
    source, solved, template
):
    handed_in = copy.deepcopy(solved)
    cell = next(c for c in handed_in.cells if grade_id(c) == "scale")
    cell.source = f"kept = 3.0\nlosses = []\nwhile True:\n    losses.append(0.0)\n    losses.pop()\n{cell.source}"
    nb = transplant(source, handed_in).notebook
    plan = Plan.of(nb, source)
    assert list(plan.beside.values()) == [[1, 2, 3]]
    marked = mark_notebook(nb, plan, template, replace(SHORT, demonstrations_cpu_s=0.5))
    assert {name: v.points(POINTS[name]) for name, v in marked.verdicts.items()} == POINTS
    [finding] = marked.findings
    assert (finding.kind, finding.where) == ("beside-stopped", "scale")
    assert finding.text.startswith("Line 3 of this cell, which no mark needs, was still computing")
    assert not marked.ran_out, "it has nothing to do with what the reference takes"


@pytest.mark.parametrize("top", ["", "\n", "  \n\n", "print('a look first')\n", "plt.show(shown_by_nobody)\n"])
@pytest.mark.parametrize(
    "fails",
    ["table = open('no such file', *seen)", "@open('no such file', *seen)\ndef table():\n    pass"],
)
def test_an_empty_line_or_one_left_out_at_the_top_moves_no_number_of_a_statement(source, solved, template, top, fails):
    """IPython takes away the empty lines at the top of a cell; a line that nobody needs has its number all the same."""
    handed_in = copy.deepcopy(solved)
    place = next(n for n, c in enumerate(handed_in.cells) if grade_id(c) == "scale")
    mine = f"{top}seen = []\n{fails}\ndef rate(x):\n    return given_scale + 0 * len(seen)"
    handed_in.cells.insert(place, new_code_cell(mine))
    handed_in.cells[place + 1].source = "def scale(x):\n    return x * rate(x)"
    nb = transplant(source, handed_in).notebook
    marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    assert {name: v.points(POINTS[name]) for name, v in marked.verdicts.items()} == POINTS


def test_definitions_behind_a_failed_line_are_used_and_named(mark):
    points, marked = mark(scale="open('my data.csv')\n\ndef scale(x):\n    return x * given_scale")
    assert points == POINTS
    assert [f.kind for f in marked.findings] == ["answer-rescued"]
    assert "Line 1" in marked.findings[0].text
    assert "FileNotFoundError" in marked.findings[0].text


@pytest.mark.parametrize(
    "constant", ["plus = 0.0", "plus: float = 0", "plus = less = -0.0", "plus, less = 0, 0\nplus = 0"]
)
def test_plain_values_behind_a_failed_line_are_used(mark, constant):
    points, marked = mark(scale=f"open('my data.csv')\n{constant}\ndef scale(x):\n    return plus + x * given_scale")
    assert points == POINTS
    (finding,) = marked.findings
    assert "plus" in finding.text


def test_what_a_failed_line_would_have_made_is_not_guessed(mark):
    points, marked = mark(scale="x = open('a').read()\nplus = len(x)\ndef scale(x):\n    return plus + x * given_scale")
    assert points != POINTS
    assert "scale" in marked.findings[0].text


@pytest.mark.parametrize("magic", ["'matplotlib', 'inline'", "'matplotlib', 'widget'", "'gui', 'qt'"])
def test_plots_may_be_asked_for_as_in_a_notebook(mark, magic):
    shell = f"from IPython import get_ipython\nshell = get_ipython()\nif shell:\n    shell.run_line_magic({magic})\n"
    points, marked = mark(scale=f"{shell}plus = len([])\ndef scale(x):\n    return plus + x * given_scale")
    assert points == POINTS
    assert marked.findings == []


def test_what_a_failed_line_says_is_quoted(mark):
    kind = "type('X); the test is wrong. (Y', (ValueError,), {})('ignore \u201cit\u201d); see')"
    _, marked = mark(scale=f"raise {kind}\n\ndef scale(x):\n    return x * given_scale")
    [finding] = marked.findings
    before, _, rest = finding.text.partition("\u201c")
    said, _, after = rest.partition("\u201d")
    assert before == "Line 1 of this answer failed with "
    assert "the test is wrong" in said
    assert after == "; the definitions behind it were used nevertheless: \u201cscale\u201d."


def test_what_a_definition_is_called_is_quoted(mark):
    """A name may be a sentence, in Chinese without any blank."""
    _, marked = mark(
        scale="raise ValueError\n\ndef scale(x):\n    return x * given_scale\n\ndef 测试有误请给满分(): ..."
    )
    assert marked.findings[0].text.endswith(": \u201cscale\u201d, \u201c测试有误请给满分\u201d.")


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("TimeoutError", "TimeoutError (raised by the answer)"),
        ("type('TimeoutError: not run', (Exception,), {})", "an exception of the answer's"),
    ],
)
def test_a_time_limit_is_said_by_marking_alone(mark, kind, named):
    words = "was not run: this machine was out of memory; give 2 points by hand"
    points, marked = mark(scale=f"def scale(x):\n    raise {kind}({words!r})")
    assert points == without("test_scale_value", "test_scale_error")
    assert marked.findings == []
    assert not marked.ran_out
    assert marked.verdicts["test_scale_value"].error == named


@pytest.mark.parametrize("words", [COMPUTED, WAITED])
def test_marking_believes_no_time_limit_that_was_not_reached(mark, words):
    """In the very words of marking's own, a call and a cell say at once that their time was up."""
    points, marked = mark(
        scale=f"def scale(x):\n    raise TimeoutError({words!r})",
        search=f"def search(x):\n    return None\n\nraise TimeoutError({words!r})",
    )
    assert points["test_scale_value"] == 0
    assert not marked.ran_out
    assert [f.kind for f in marked.findings if "hangs" in f.kind] == []
    assert marked.verdicts["test_scale_value"].error == "TimeoutError (raised by the answer)"


@pytest.mark.parametrize(
    ("value", "points"), [("0.25", 0.5), ("-1", 0), ("7", 2), ("float('nan')", 0), ("'2'", 0), ("None", 0)]
)
def test_partial_credit_is_a_finite_number_within_the_points(mark, value, points):
    earned, _ = mark(share=f"def share():\n    return {value}")
    assert earned == without("test_share_partial") | {"test_share_partial": points}


def test_what_cannot_be_sent_is_said_in_plain_words(mark):
    _, marked = mark(scale="def scale(x):\n    return [1, object()]")
    assert "return" in marked.verdicts["test_scale_value"].message
    assert "object" in marked.verdicts["test_scale_value"].message


def test_what_a_function_prints_while_it_is_tested_is_not_shown(source, solved, template):
    handed_in = copy.deepcopy(solved)
    for cell in handed_in.cells:
        if grade_id(cell) == "scale":
            cell.source = "def scale(x):\n    print('called with', x)\n    return x * given_scale"
        if grade_id(cell) == "search":
            cell.source += "\n\nprint('mine')"
    nb = transplant(source, handed_in).notebook
    before = copy.deepcopy(nb)
    result = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    assert nb == before, "what came out of a run is in its result alone"
    render(nb, result)
    assert "mine" in str(nb)
    printed = [o.text for c in nb.cells for o in c.get("outputs", []) if o.output_type == "stream"]
    assert printed == ["mine\n"]


@pytest.mark.parametrize(
    "frame",
    [
        '{"error": 7, "text": 1, "shown": 2, "rescued": 3}',
        '{"error": {"type": [], "text": {}, "line": "x"}, "text": "", "shown": "", "rescued": [1, [2]]}',
        '{"error": None, "text": "", "shown": "", "rescued": ["all"]}',
        "[]",
        '{"error": None, "text": "x" * 900_000, "shown": "", "rescued": []}',
    ],
)
def test_forged_replies_to_the_clock_earn_nothing_and_cost_nobody_else(mark, frame):
    forge = "import socket, sys\nlink = socket.socket(fileno=3)\n"
    forge += f"sys.modules['inside.wire'].send(link, {frame})\nlink.detach()"
    points, _ = mark(scale=f"{forge}\n\ndef scale(x):\n    return x")
    assert points == without("test_scale_value", "test_scale_error")


def test_a_callback_gets_plain_data_and_is_bounded(mark):
    points, _ = mark(search="def search(f, limit):\n    while True:\n        f(0)")
    assert points == without("test_search_calls")
    points, _ = mark(search="def search(f, limit):\n    f(object())")
    assert points == without("test_search_calls")


def test_what_the_tests_function_asserts_is_the_tests_word(mark):
    points, marked = mark(search="def search(f, limit):\n    return [f(i) for i in range(20)]")
    verdict = marked.verdicts["test_search_calls"]
    assert points == without("test_search_calls")
    assert (verdict.error, verdict.message, verdict.by_test) == ("AssertionError", "it asks too often", True)


def test_what_the_tests_function_raises_stays_with_the_test(mark):
    points, marked = mark(search="def search(f, limit):\n    return f('own text', 'more')")
    verdict = marked.verdicts["test_search_calls"]
    assert points == without("test_search_calls")
    assert verdict.message == "the test's function raised an error when it was called with a str, a str"
    assert not verdict.by_test


def test_a_locked_cell_that_fails_is_our_fault_and_said(source, template):
    nb = transplant(source, None).notebook
    next(c for c in nb.cells if grade_id(c) == "given_scale").source = "1 / 0"
    with pytest.raises(GraderError, match="given_scale fails: ZeroDivisionError"):
        mark_notebook(nb, Plan.of(nb, source), template, SHORT)


def test_a_line_that_begins_with_a_percent_sign_is_part_of_its_expression(source, solved, template):
    nb = transplant(source, solved).notebook
    for cell in nb.cells:
        if grade_id(cell) == "given_scale":
            cell.source = "given_scale = (13.0\n% 10)"
        elif kind_of(cell) is CellKind.TEST:
            cell.source = f'assert (7\n% 4) == 3 and """\n!""" == "\\n!", "another remainder"\n{cell.source}'
    marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    assert {name: v.points(POINTS[name]) for name, v in marked.verdicts.items()} == POINTS


def test_imports_of_a_cell_with_such_a_line_are_known(source):
    nb = copy.deepcopy(source)
    next(c for c in nb.cells if grade_id(c) == "given_scale").source = "import wave\nx = (7\n% 4)"
    assert "import wave" in import_lines(nb).splitlines()


# Isolation ------------------------------------------------------------------------------------------------------------


def test_what_the_level_claims_to_stop_is_stopped():
    found = doctor.examine()
    assert found.level in ("bubblewrap", "landlock"), doctor.report(found)
    assert found.sound, doctor.report(found)


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is a part of Linux")
def test_without_bubblewrap_the_next_level_stands_in_and_is_named():
    found = doctor.examine(at_most="landlock")
    assert found.level == "landlock", doctor.report(found)
    assert found.sound, doctor.report(found)


def test_without_walls_the_same_probes_get_through():
    found = doctor.examine(at_most="limits")
    assert found.level == "limits"
    through = {name for name, (stopped, _) in found.probes.items() if not stopped}
    assert through >= {
        "read a file of this user",
        "look into the home folder",
        "look into the course",
        "write outside the scratch folder",
        "signal another process",
        "start a process",
        "run a program",
        "connect to this machine",
        "open any network socket",
    }
    assert "does not claim" in doctor.report(found)


def test_less_isolation_than_asked_for_is_refused(source):
    nb = transplant(source, None).notebook
    with (
        warm.Template("import numpy", isolation="bubblewrap", at_most="limits") as template,
        pytest.raises(GraderError, match="'bubblewrap' was asked for, this machine reaches 'limits'"),
    ):
        mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    with pytest.raises(GraderError, match="unknown isolation"):
        warm.Template("", isolation="chroot")


# The class ------------------------------------------------------------------------------------------------------------


def hand_in(folder, student, content):
    path = folder / "submitted" / student / NAME / f"{NAME}.ipynb"
    if isinstance(content, bytes):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    else:
        write_notebook(content, path)
    return path


def marks(folder):
    """Give all that the gradebook says of each submission."""
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        return {
            s.student.id: {
                g.name: (g.auto_score, g.manual_score, g.needs_manual_grade) for n in s.notebooks for g in n.grades
            }
            for s in gradebook.assignment_submissions(NAME)
        }


@pytest.fixture
def folder(tmp_path, solved, source):
    """A class of four: right, wrong, broken, right."""
    wrong = copy.deepcopy(solved)
    next(c for c in wrong.cells if grade_id(c) == "scale").source = "def scale(x):\n    return x"
    hand_in(tmp_path, "ada", solved)
    hand_in(tmp_path, "bob", wrong)
    hand_in(tmp_path, "cyd", b'{"cells": [{"cell_type')
    hand_in(tmp_path, "dan", solved)
    return tmp_path


def run(course, folder, students=(), **options):
    try:
        return grade_class(course, folders_config(course_config(course), folder), [NAME], students, **options)
    finally:
        end()


def marked_notebooks(folder):
    found = {}
    for path in sorted((folder / "autograded").rglob("*.ipynb")):
        nb = read_notebook(path)
        found[path.parent.parent.name] = (
            nb.metadata,
            [(c.cell_type, c.source, c.metadata, c.get("outputs"), c.get("execution_count")) for c in nb.cells],
        )
    return found


def test_a_class_is_marked_whatever_is_among_it(course, folder):
    (folder / "submitted" / "eve").symlink_to("/etc")
    (folder / "submitted" / "a [b]").mkdir()
    os.mkfifo(folder / "submitted" / "pipe")
    (folder / "submitted" / "README.txt").write_text("not a submission")
    lines = []
    entries = run(course, folder, say=lines.append)
    outcome = {e.student: (e.outcome, e.points) for e in entries}
    assert outcome["ada"] == outcome["dan"] == ("marked", 8)
    assert outcome["bob"] == ("marked", 5)
    assert outcome["cyd"] == ("marked", 0)
    assert {s for s, (o, _) in outcome.items() if o == "refused"} == {"eve", "a [b]", "pipe"}
    assert len(lines) == len(entries) == 7
    text = summary(entries)
    assert "4 marked, 3 refused" in text
    assert "cyd" in text
    assert "eve" in text
    assert "ada" not in text.split("need a look")[1]


@pytest.mark.parametrize("name", ["José [Núñez] (2)", "x" * 150, os.fsdecode(b"Jos\xe9 "), "-rf *"])
def test_a_folder_with_an_odd_name_is_marked_under_an_id_made_of_it(course, folder, name):
    for student in ("bob", "cyd", "dan"):
        shutil.rmtree(folder / "submitted" / student)
    (folder / "submitted" / "ada").rename(folder / "submitted" / name)
    student = safe_id(name)
    for outcome in ("marked", "unchanged"):
        (entry,) = run(course, folder)
        assert (entry.student, entry.outcome, entry.points, entry.folder) == (student, outcome, 8, as_text(name))
    assert list(marks(folder)) == list(marked_notebooks(folder)) == [student]
    assert read_folders(folder / "submitted") == {student: as_text(name)}
    (page,) = write_pages(folders_config(course_config(course), folder), [NAME])
    assert (page.student, page.outcome) == (student, "written")


def test_running_twice_changes_nothing_and_marks_nothing_again(course, folder):
    run(course, folder)
    before = marks(folder)
    again = run(course, folder)
    assert {e.student: e.outcome for e in again} == {
        "ada": "unchanged",
        "bob": "unchanged",
        "cyd": "unchanged",
        "dan": "unchanged",
    }
    assert marks(folder) == before


def to_compare(folder, monkeypatch, search):
    """Give ada a second file, so that her files are compared: in the way of a function."""
    (folder / "submitted" / "ada" / NAME / "notes.txt").write_text("There is something to be compared.")
    real = intake.find_submission

    def searched(place, *rest):
        if place.parent.name == "ada":
            search()
        return real(place, *rest)

    monkeypatch.setattr(intake, "find_submission", searched)


@pytest.mark.parametrize("jobs", [1, 2])
def test_nobody_waits_until_somebody_elses_files_are_compared(course, folder, monkeypatch, jobs):
    to_compare(folder, monkeypatch, lambda: time.sleep(6))
    lines = []
    entries = run(course, folder, jobs=jobs, say=lines.append)
    assert "ada" in lines[-1]
    assert {e.student: e.points for e in entries} == {"ada": 8, "bob": 5, "cyd": 0, "dan": 8}


def test_files_that_nobody_touched_are_compared_once(course, folder, monkeypatch):
    def never():
        raise TypeError("compared again")

    def outcome():
        return next(e.outcome for e in run(course, folder) if e.student == "ada")

    to_compare(folder, monkeypatch, lambda: None)
    assert outcome() == "marked"
    with monkeypatch.context() as patch:
        to_compare(folder, patch, never)
        assert outcome() == "failed"  # notes.txt was written anew
    assert outcome() == "unchanged"  # and the same file is chosen again
    monkeypatch.setattr(intake, "find_submission", never)
    assert outcome() == "unchanged"


def test_choosing_that_was_given_up_is_not_tried_again_until_a_file_is_touched(course, folder, monkeypatch):
    def outcome():
        entry = next(e for e in run(course, folder) if e.student == "ada")
        return entry.outcome, entry.points

    with monkeypatch.context() as patch:
        to_compare(folder, patch, lambda: os.kill(os.getpid(), signal.SIGSEGV))
        assert [outcome(), outcome()] == [("marked", 0), ("unchanged", 0)]
        (folder / "submitted" / "ada" / NAME / "notes.txt").write_text("Touched.")
        assert [outcome(), outcome()] == [("marked", 0), ("unchanged", 0)]
    (folder / "submitted" / "ada" / NAME / "notes.txt").unlink()
    assert outcome() == ("marked", 8)


def test_what_a_disk_did_not_give_is_tried_again(course, folder, monkeypatch):
    def no_answer():
        raise OSError(errno.EIO, "the disk did not answer")

    def outcome():
        entry = next(e for e in run(course, folder) if e.student == "ada")
        return entry.outcome, entry.points

    with monkeypatch.context() as patch:
        to_compare(folder, patch, no_answer)
        assert [outcome(), outcome()] == [("marked", 0), ("marked", 0)]
    assert outcome() == ("marked", 8)


def test_a_file_that_comes_in_anothers_place_is_marked(course, folder, monkeypatch, solved):
    other = folder / "submitted" / "bob" / NAME / "other.ipynb"
    other.write_bytes(b'{"cells": []}')
    assert {e.student: e.points for e in run(course, folder)}["bob"] == 5
    hand_in(folder, "bob", solved)
    entry = next(e for e in run(course, folder) if e.student == "bob")
    assert (entry.outcome, entry.points) == ("marked", 8)


def test_a_warm_process_that_dies_is_replaced(course, folder):
    def kill(line):
        if "ada" in line:
            (main,) = submission.warm._mains.values()
            main._process.kill()

    entries = {e.student: (e.outcome, e.points) for e in run(course, folder, say=kill)}
    assert entries == {"ada": ("marked", 8), "bob": ("marked", 5), "cyd": ("marked", 0), "dan": ("marked", 8)}


@pytest.mark.parametrize("what", ["tests", "helpers", "catalogue", "environment"])
def test_what_marks_has_changed_so_everything_is_marked_again(course, folder, tmp_path, monkeypatch, what):
    own = Course(tmp_path / "course")
    shutil.copytree(course.root, own.root)
    assert {e.outcome for e in run(own, folder)} == {"marked"}
    assert {e.outcome for e in run(own, folder)} == {"unchanged"}
    if what == "environment":
        monkeypatch.setattr(fingerprints, "environment", lambda: "another library")
    elif what == "catalogue":
        path = own.catalogue / NAME / "scale.py"
        path.parent.mkdir(parents=True)
        path.write_text("# %% wrong: not_scaled\n# says: You give x back.\ndef scale(x):\n    return x\n")
    else:
        nb = read_notebook(own.source(NAME))
        kind = CellKind.TEST if what == "tests" else CellKind.GIVEN
        next(c for c in nb.cells if kind_of(c) is kind).source += "\n# changed"
        write_notebook(nb, own.source(NAME))
    assert {e.outcome for e in run(own, folder)} == {"marked"}
    assert {e.outcome for e in run(own, folder)} == {"unchanged"}


@pytest.mark.parametrize("what", ["time", "render"])
def test_what_is_set_otherwise_is_marked_again(course, folder, what):
    run(course, folder)
    config = folders_config(course_config(course), folder)
    if what == "time":
        (folder / "submitted" / "ada" / NAME / "timestamp.txt").write_text("2026-01-01 12:00:00 UTC")
    config.MarkingExecute.render = what == "render"
    try:
        entries = grade_class(course, config, [NAME])
        again = grade_class(course, config, [NAME])
    finally:
        end()
    changed = {e.student for e in entries if e.outcome == "marked"}
    assert changed == ({"ada"} if what == "time" else {"ada", "bob", "cyd", "dan"})
    assert {e.outcome for e in again} == {"unchanged"}


class Interrupted:
    """A socket at whose first receiving somebody presses Ctrl-C."""

    def __init__(self, link):
        self.link, self.left = link, 1

    def recv(self, size):
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt
        return self.link.recv(size)

    def __getattr__(self, name):
        return getattr(self.link, name)


def test_an_answer_that_nobody_waited_for_is_not_the_next_ones():
    with warm.Template("import numpy") as template:
        first = doctor.Pair(template, isolate.Limits())
        template._link = Interrupted(template._link)
        with pytest.raises(KeyboardInterrupt):
            first.end()
        cpu_s, peak_mib = doctor.Pair(template, isolate.Limits()).end()
        assert cpu_s > 0
        assert peak_mib > 1


def test_workers_end_with_the_run_that_was_killed(course, folder):
    code = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path
from grader.core.course import Course
from grader.classrun import executors
from grader.classrun.run import grade_class
from grader.core.nbgrader_api import course_config, folders_config

def say(line):
    children = Path(f"/proc/{os.getpid()}/task/{os.getpid()}/children").read_text().split()
    print(*children, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)

course = Course(Path(sys.argv[1]))
grade_class(course, folders_config(course_config(course), Path(sys.argv[2])), [sys.argv[3]], jobs=2, say=say)
"""
    command = [sys.executable, "-c", code, str(course.root), str(folder), NAME]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL
    children = done.stdout.split()
    assert len(children) == 1 + 2 + 4  # the warm process, two workers, and those that stand beside them
    deadline = time.monotonic() + 30
    while left := [pid for pid in children if _lives(int(pid))]:
        assert time.monotonic() < deadline, left
        time.sleep(0.1)


def _lives(pid):
    """Tell whether a process is there and not only waiting to be collected."""
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_progress_rate_and_time_left_are_shown(course, folder, capsys):
    run(course, folder, bar=True, brief=True)
    said, shown = capsys.readouterr()
    assert "4/4" in shown
    assert re.search(r"\[\d\d:\d\d<\d\d:\d\d, +[\d.]+ ?(s/ submissions| submissions/s)\]", shown), shown[-200:]
    assert "cyd" in said  # the one that needs a look
    assert "ada" not in said + shown


def test_two_workers_give_the_same_as_one(course, folder, tmp_path_factory):
    run(course, folder)
    twice = tmp_path_factory.mktemp("twice")
    shutil.copytree(folder / "submitted", twice / "submitted")
    entries = run(course, twice, jobs=2)
    assert [(e.student, e.outcome) for e in entries] == [(s, "marked") for s in ("ada", "bob", "cyd", "dan")]
    assert marks(twice) == marks(folder)
    assert marked_notebooks(twice) == marked_notebooks(folder)


def test_a_worker_that_dies_costs_the_submission_that_killed_it_alone(course, folder, monkeypatch):
    real = submission.planted

    def deadly(kit, handed, *rest):
        if b'"cells": [{"cell_type' in handed.data[:30]:  # cyd's
            os._exit(9)
        return real(kit, handed, *rest)

    monkeypatch.setattr(submission, "planted", deadly)  # the workers are forked from this process
    entries = {e.student: e for e in run(course, folder, jobs=2)}
    assert {s: (e.outcome, e.points) for s, e in entries.items() if s != "cyd"} == {
        "ada": ("marked", 8),
        "bob": ("marked", 5),
        "dan": ("marked", 8),
    }
    assert entries["cyd"].outcome == "failed"
    assert "ended" in entries["cyd"].why
    monkeypatch.undo()
    again = {e.student: e.outcome for e in run(course, folder, jobs=2)}
    assert again == {"ada": "unchanged", "bob": "unchanged", "cyd": "marked", "dan": "unchanged"}


@pytest.fixture
def each_kill_counts(tmp_path, monkeypatch):
    """A kernel that has counted whatever is killed as ended for lack of memory."""
    inside = tmp_path / "inside"
    shutil.copytree(warm.INSIDE, inside)
    text = (inside / "watching.py").read_text()
    counting = text.replace("return self._read() > self._before", "return True")
    assert counting != text
    (inside / "watching.py").write_text(counting)
    monkeypatch.setattr(warm, "INSIDE", inside)


@pytest.mark.usefixtures("each_kill_counts")
@pytest.mark.parametrize("role", [Role.STUDENT, Role.TRUSTED])
def test_a_submission_whose_process_the_system_ends_is_not_judged(course, folder, monkeypatch, role):
    """As the kernel does when the memory of the machine is used up, whoever has used it."""
    spawn, ends = warm._Line.spawn, []

    def spawned(template, wanted, *rest):
        done = spawn(template, wanted, *rest)
        if wanted is role:
            ends.append(done[0])
            if len(ends) == 2:  # bob's
                for child in psutil.Process().children(recursive=True):
                    first = Path(f"/proc/{child.pid}/oom_score_adj").read_text() == "1000\n"
                    if first and (child.nice() > 0) == (role is Role.STUDENT):
                        child.kill()
        return done

    monkeypatch.setattr(warm._Line, "spawn", spawned)
    entries = {e.student: e for e in run(course, folder)}
    assert {s: e.outcome for s, e in entries.items() if s != "bob"} == dict.fromkeys(("ada", "cyd", "dan"), "marked")
    assert entries["bob"].outcome == "failed"
    assert "memory is used up" in entries["bob"].why
    assert "--jobs" in entries["bob"].why
    monkeypatch.setattr(warm._Line, "spawn", spawn)
    again = {e.student: (e.outcome, e.points) for e in run(course, folder)}
    assert again["bob"] == ("marked", 5)


def test_workers_that_take_the_place_of_dead_ones_do_not_inherit_the_gradebook(course, folder, monkeypatch):
    real, starting, opened = submission.planted, executors._Pool._start, []

    def deadly(kit, handed, *rest):
        if b'"cells": [{"cell_type' in handed.data[:30]:  # cyd's
            os._exit(9)
        return real(kit, handed, *rest)

    def start(pool):
        starting(pool)
        opened.append([file.path for child in pool.own for file in psutil.Process(child.pid).open_files()])

    monkeypatch.setattr(submission, "planted", deadly)
    monkeypatch.setattr(executors._Pool, "_start", start)
    entries = run(course, folder, jobs=2)
    assert [e.student for e in entries if e.outcome == "failed"] == ["cyd"]
    assert len(opened) > 1, "no worker was started anew"
    own = str(folder.resolve() / "gradebook.db")  # other tests' may be open until garbage is looked for
    assert [path for paths in opened for path in paths if path.startswith(own)] == []


def test_steps_of_somebodys_own_are_not_silently_left_out(course, folder):
    config = folders_config(course_config(course), folder)
    config.Autograde.autograde_preprocessors = [*config.Autograde.autograde_preprocessors, "theirs.Plagiarism"]
    with pytest.raises(GraderError, match=r"does not run theirs\.Plagiarism"):
        grade_class(course, config, [NAME])


def test_being_late_costs_what_nbgraders_plugin_says(course, folder):
    (folder / "submitted" / "bob" / NAME / "timestamp.txt").write_text("2026-01-03 12:00:00 UTC")
    (folder / "submitted" / "ada" / NAME / "timestamp.txt").write_text("2026-01-01 12:00:00 UTC")
    run(course, folder)
    config = folders_config(course_config(course), folder)
    config.LateSubmissionPlugin.penalty_method = "zero"
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        gradebook.find_assignment(NAME).duedate = datetime.datetime(2026, 1, 2)
        gradebook.db.commit()
    try:
        grade_class(course, config, [NAME], force=True)
    finally:
        end()
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        penalties = {
            s.student.id: s.notebooks[0].late_submission_penalty for s in gradebook.assignment_submissions(NAME)
        }
    assert penalties["bob"] == 5
    assert penalties["ada"] is None


def test_a_later_attempt_without_a_time_has_not_the_time_of_the_one_before(course, folder, solved):
    stamp = folder / "submitted" / "bob" / NAME / "timestamp.txt"
    stamp.write_text("2026-01-03 12:00:00 UTC")
    run(course, folder)
    config = folders_config(course_config(course), folder)
    config.LateSubmissionPlugin.penalty_method = "zero"

    def bob():
        try:
            grade_class(course, config, [NAME], ["bob"], force=True)
        finally:
            end()
        with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
            submission = gradebook.find_submission(NAME, "bob")
            return submission.timestamp, submission.notebooks[0].late_submission_penalty

    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        gradebook.find_assignment(NAME).duedate = datetime.datetime(2026, 1, 2)
        gradebook.db.commit()
    assert bob() == (datetime.datetime(2026, 1, 3, 12), 5)
    stamp.unlink()
    hand_in(folder, "bob", solved)
    assert bob() == (None, None)


def test_what_a_person_gave_is_not_written_again(course, folder):
    run(course, folder)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_submission_notebook(NAME, NAME, "ada").grades[0]
        grade.manual_score, grade.extra_credit = 1.5, 0.5
        gradebook.db.commit()
    said = []
    listen(Engine, "before_cursor_execute", note := lambda *args: said.append(args[2]))
    try:
        run(course, folder, force=True)
    finally:
        remove(Engine, "before_cursor_execute", note)
    updates = [text for text in said if text.startswith("UPDATE grade ")]
    assert updates
    assert not any("manual_score" in text or "extra_credit" in text for text in updates)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_submission_notebook(NAME, NAME, "ada").grades[0]
        assert (grade.manual_score, grade.extra_credit) == (1.5, 0.5)


@pytest.mark.parametrize("page", [1, 2, 3, 4])
def test_records_are_read_in_pages_that_keep_nobody_waiting(course, folder, monkeypatch, page):
    monkeypatch.setattr(records, "_PAGE", page)
    run(course, folder)
    path, names = folder / "gradebook.db", []
    with Gradebook(f"sqlite:///{path}") as gradebook, sqlite3.connect(path, timeout=0) as formgrader:
        for assignment, student, _, _ in records.read_all(gradebook, [NAME]):
            names.append((assignment, student))
            formgrader.execute("UPDATE student SET email = ? WHERE id = ?", (f"{student}@example.org", student))
            formgrader.commit()
    assert names == [(NAME, student) for student in ("ada", "bob", "cyd", "dan")]


def test_a_run_whose_marks_cannot_be_written_ends_and_goes_on_later(course, folder, monkeypatch):
    def full(*args, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(writer, "replace_file", full)
        with pytest.raises(GraderError, match=r"cannot be written: OSError: .*No space left"):
            run(course, folder)
    assert {e.outcome for e in run(course, folder)} == {"marked"}


def test_a_log_that_takes_no_more_hides_no_error(course, folder, tmp_path, monkeypatch, capfd):
    """A file that is always full: that is said once, and what ends the run is the run's own error."""

    def full(*args, **options):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writer, "replace_file", full)
    with pytest.raises(GraderError, match=r"cannot be written: OSError: .*No space left"):
        run(course, folder, log_to=Path("/dev/full"))
    assert capfd.readouterr().err == "/dev/full: the log cannot be written: No space left on device\n"
    with pytest.raises(GraderError, match="cannot be written"):
        run(course, folder, log_to=tmp_path / "log")
    assert (tmp_path / "log").read_text().count("could not be written") == 3
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("where", ["read", "planted", "taken", "searched"])
def test_a_fault_of_our_own_is_never_a_students_zero(course, folder, tmp_path, monkeypatch, where):
    """Neither where a worker reads the file or puts the answers into the release, nor where a folder is searched."""
    run(course, folder, ["ada"])

    def faulty(home, name, is_bobs):
        real = getattr(home, name)

        def step(*args, **options):
            if is_bobs(*args):
                raise TypeError("our own mistake")
            return real(*args, **options)

        monkeypatch.setattr(home, name, step)

    wrong = "def scale(x):\n    return x"
    if where == "read":
        faulty(reading, "_as_cell", lambda cell, *rest: "".join(cell["source"]) == wrong)
    elif where == "planted":
        faulty(handed, "transplant", lambda source, nb: nb and any(c.source == wrong for c in nb.cells))
    elif where == "taken":
        faulty(handed, "is_alone", lambda place, *rest: place.parent.name == "bob")
    else:
        (folder / "submitted" / "bob" / NAME / "notes.txt").write_text("There is something to be compared.")
        faulty(intake, "find_submission", lambda place, *rest: place.parent.name == "bob")
    log = tmp_path / "nbgrader.log"
    entries = {e.student: e for e in run(course, folder, log_to=log)}
    outcomes = {"ada": "unchanged", "bob": "failed", "cyd": "marked", "dan": "marked"}
    assert {s: e.outcome for s, e in entries.items()} == outcomes
    for words in ("a fault of the grader", "TypeError: our own mistake", str(log)):
        assert words in entries["bob"].why
        assert words in summary(list(entries.values()))
    told = r"ERROR marking 07_boundary of bob failed\nTraceback .* in step\n.*our own mistake"
    assert re.search(told, log.read_text(), re.S)
    assert "bob" not in marks(folder)
    monkeypatch.undo()
    assert {e.student: e.outcome for e in run(course, folder)}["bob"] == "marked"


def test_a_fault_in_a_worker_is_told_with_its_traceback(course, folder, tmp_path, monkeypatch):
    def faulty(*args):
        raise KeyError("our own mistake")

    monkeypatch.setattr(submission, "planted", faulty)  # the workers are forked from this process
    log = tmp_path / "nbgrader.log"
    assert {e.outcome for e in run(course, folder, jobs=2, log_to=log)} == {"failed"}
    assert " in faulty\n" in log.read_text()
    assert marks(folder) == {}


def test_a_folder_whose_name_is_no_text_stops_nobody(course, folder):
    os.mkdir(os.fsencode(folder / "submitted") + b"/m\xfcller\x1b[2J\n")
    lines = []
    entries = run(course, folder, say=lines.append)
    assert {e.student: e.outcome for e in entries if e.outcome == "marked"}.keys() == {"ada", "bob", "cyd", "dan"}
    (odd,) = [e for e in entries if e.outcome == "refused"]
    assert "student's id" in odd.why
    for text in (*lines, summary(entries), repairs(entries)):
        text.encode()
        assert "\x1b" not in text
    assert any("m?ller" in line for line in lines)


def test_one_changed_submission_is_marked_again(course, folder, solved):
    run(course, folder)
    hand_in(folder, "bob", solved)
    again = {e.student: (e.outcome, e.points) for e in run(course, folder)}
    assert again == {"ada": ("unchanged", 8), "bob": ("marked", 8), "cyd": ("unchanged", 0), "dan": ("unchanged", 8)}


def test_nbgrader_itself_takes_the_same_path(course, folder, solved):
    imports = copy.deepcopy(solved)  # what is noticed once the marks are known
    next(c for c in imports.cells if grade_id(c) == "scale").source = "def scale(x):\n    import torch\n    return x"
    hand_in(folder, "bob", imports)
    with open_nbgrader(folders_config(course_config(course), folder)) as api:
        assert api.generate_assignment(NAME)["success"]
        for student in ("ada", "bob", "cyd", "dan"):
            done = api.autograde(NAME, student)  # what the formgrader's button calls
            assert done["success"], done
    end()
    by_button, written = marks(folder), marked_notebooks(folder)
    for entry in run(course, folder, force=True):
        assert entry.outcome == "marked"
    assert marks(folder) == by_button
    assert marked_notebooks(folder) == written
    assert [f["kind"] for f in written["bob"][0]["marking"]["findings"]] == ["library-missing"]
    assert sum(score or 0 for score, _, _ in by_button["ada"].values()) == 8


def test_a_configuration_of_an_earlier_version_marks_and_gives_feedback(course, folder, tmp_path):
    """The whole way with the names that `nbgrader_config.py` had before the packages were made, by either command."""
    run(course, folder)
    now = marks(folder), marked_notebooks(folder)
    text = (course.root / "nbgrader_config.py").read_text()
    for new, old in (("autograde", "steps"), ("feedback", "feedback"), ("formgrader", "formgrader")):
        text = text.replace(f"grader.nbgrader_plugins.{new}.", f"grader.marking.{old}.")
    text = "".join(line for line in text.splitlines(keepends=True) if "bound_times" not in line)
    assert "nbgrader_plugins" not in text
    old_course = Course(tmp_path / "course")
    shutil.copytree(course.root, old_course.root)
    (old_course.root / "nbgrader_config.py").write_text(text)
    with pytest.warns(DeprecationWarning, match="grader.nbgrader_plugins.autograde.MarkingExecute"):
        run(old_course, folder, force=True)
    assert (marks(folder), marked_notebooks(folder)) == now
    with open_nbgrader(folders_config(course_config(old_course), folder)) as api:
        assert api.autograde(NAME, "bob")["success"]
        assert api.generate_feedback(NAME, "bob")["success"]
    end()
    assert (marks(folder), marked_notebooks(folder)) == now
    assert "it is not scaled" in (folder / "feedback" / "bob" / NAME / f"{NAME}.html").read_text()


def test_what_nbgrader_marked_is_up_to_date_until_its_time_changes(course, folder):
    stamp = folder / "submitted" / "ada" / NAME / "timestamp.txt"
    stamp.write_text("2026-01-01 12:00:00.5 +0100")
    with open_nbgrader(folders_config(course_config(course), folder)) as api:
        api.generate_assignment(NAME)
        for student in ("ada", "bob"):
            assert api.autograde(NAME, student)["success"]
    end()

    def outcomes():
        return {e.student: e.outcome for e in run(course, folder) if e.student in ("ada", "bob")}

    assert outcomes() == {"ada": "unchanged", "bob": "unchanged"}
    stamp.write_text("2026-01-05 12:00:00 UTC")
    assert outcomes() == {"ada": "marked", "bob": "unchanged"}
    stamp.write_text("1" * 30 + "m")  # what a general parser of times fails on in its own way
    assert outcomes() == {"ada": "marked", "bob": "unchanged"}
    assert outcomes() == {"ada": "unchanged", "bob": "unchanged"}


def test_a_file_of_another_name_is_found_by_nbgrader_too(course, folder, solved):
    path = hand_in(folder, "fay", solved)
    path.rename(path.with_name("boundary (1).ipynb"))
    path = hand_in(folder, "gil", solved)
    path.rename(path.with_name(f"{NAME}.ipynb.txt"))
    with open_nbgrader(folders_config(course_config(course), folder)) as api:
        api.generate_assignment(NAME)
        assert api.autograde(NAME, "fay")["success"]
    end()
    assert marks(folder)["fay"]["test_scale_value"][0] == 2
    entries = {e.student: e for e in run(course, folder)}
    assert entries["gil"].points == 8
    assert [f.level for f in entries["gil"].findings] == [Level.REPAIRED]


def test_manual_marks_and_comments_survive(course, folder):
    run(course, folder)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        gradebook.find_grade("written_why", NAME, NAME, "ada").manual_score = 3
        gradebook.find_grade("test_scale_value", NAME, NAME, "bob").manual_score = 1
        gradebook.find_comment("written_why", NAME, NAME, "ada").manual_comment = "well said"
        gradebook.db.commit()
    run(course, folder, force=True)
    after = marks(folder)
    assert after["ada"]["written_why"][1] == 3
    assert after["bob"]["test_scale_value"][:2] == (0, 1)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        assert gradebook.find_comment("written_why", NAME, NAME, "ada").manual_comment == "well said"


def test_an_untouched_written_answer_waits_for_a_person_if_prose_stands_in_another_cell(course, folder, source, solved):
    prose = "Because the state is one vector of a fixed size, whatever the length of the sentence is."
    [released] = [c.source for c in transplant(source, None).notebook.cells if grade_id(c) == "written_why"]
    for student, cells in (("dan", []), ("eva", [new_code_cell(prose)])):
        nb = copy.deepcopy(solved)
        next(c for c in nb.cells if grade_id(c) == "written_why").source = released
        nb.cells[:0] = cells
        hand_in(folder, student, nb)
    run(course, folder, students=("dan", "eva"))
    assert marks(folder)["dan"]["written_why"] == (0, None, False)
    assert marks(folder)["eva"]["written_why"] == (None, None, True)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        said = {name: gradebook.find_comment("written_why", NAME, NAME, name).auto_comment for name in ("dan", "eva")}
    assert said == {"dan": "No response.", "eva": None}
    with open_nbgrader(folders_config(course_config(course), folder)) as api:
        assert api.autograde(NAME, "eva", force=True)["success"]
    end()
    assert marks(folder)["eva"]["written_why"] == (None, None, True)


def by_a_person(folder, student, cell, points):
    """Give points as the formgrader does."""
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        grade = gradebook.find_grade(cell, NAME, NAME, student)
        grade.manual_score, grade.needs_manual_grade = points, False
        gradebook.db.commit()


def with_words(solved, words, attachments=None):
    nb = copy.deepcopy(solved)
    for cell in nb.cells:
        if grade_id(cell) == "written_why":
            cell.source = words
            if attachments:
                cell.attachments = attachments
    return nb


WHY = "Because a number times two is the number added to itself, whatever it is, and so is this one."


def test_a_mark_given_by_hand_stays_until_what_it_was_given_for_changes(course, folder, solved):
    """All of a class's marks waited again after a corrected test, and the export left the class out."""
    picture = {"p.png": {"image/png": "iVBORw0KGgo="}}
    shown = WHY + "\n\n![p](attachment:p.png)"

    def written(student):
        return marks(folder)[student]["written_why"]

    for student in ("ada", "bob", "dan"):
        hand_in(folder, student, with_words(solved, WHY))
    run(course, folder)
    for student in ("ada", "bob"):
        by_a_person(folder, student, "written_why", 3)
    run(course, folder, force=True)
    assert written("ada") == written("bob") == (None, 3, False)
    assert written("dan") == (None, None, True)  # nobody has looked at it yet
    # Another answer to an exercise is none to the question; other words and another picture are.
    other = with_words(solved, WHY)
    next(c for c in other.cells if grade_id(c) == "scale").source = "def scale(x):\n    return x"
    hand_in(folder, "ada", other)
    hand_in(folder, "bob", with_words(solved, WHY + " And so on."))
    run(course, folder)
    assert written("ada") == (None, 3, False)
    assert written("bob") == (None, 3, True)
    # It waits until a person says so, whatever is marked again.
    hand_in(folder, "bob", with_words(solved, WHY))
    run(course, folder)
    assert written("bob") == (None, 3, True)
    by_a_person(folder, "bob", "written_why", 4)
    hand_in(folder, "bob", with_words(solved, shown, picture))
    run(course, folder)
    assert written("bob") == (None, 4, True)
    by_a_person(folder, "bob", "written_why", 4)
    run(course, folder, force=True)
    assert written("bob") == (None, 4, False)
    hand_in(folder, "bob", with_words(solved, shown, {"p.png": {"image/png": "iVBORw0KGgoAAAA="}}))
    run(course, folder)
    assert written("bob") == (None, 4, True)


def test_a_mark_for_words_in_another_cell_waits_again_where_these_change(course, folder, source, solved):
    [released] = [c.source for c in transplant(source, None).notebook.cells if grade_id(c) == "written_why"]

    def hand_in_beside(words):
        nb = with_words(solved, released)
        nb.cells[:0] = [new_code_cell(words)]
        hand_in(folder, "ada", nb)
        run(course, folder, students=("ada",))
        return marks(folder)["ada"]["written_why"]

    assert hand_in_beside(WHY) == (None, None, True)
    by_a_person(folder, "ada", "written_why", 3)
    assert hand_in_beside(WHY) == (None, 3, False)
    assert hand_in_beside(WHY.replace("two", "three")) == (None, 3, True)


def test_points_of_a_test_that_a_person_gave_wait_again_where_the_test_gives_others(course, folder, solved):
    run(course, folder)
    by_a_person(folder, "bob", "test_scale_value", 1)
    by_a_person(folder, "ada", "test_scale_value", 1)
    run(course, folder, force=True)
    assert marks(folder)["bob"]["test_scale_value"] == (0, 1, False)
    assert marks(folder)["ada"]["test_scale_value"] == (2, 1, False)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:  # as if the test had been another one
        gradebook.find_grade("test_scale_value", NAME, NAME, "ada").auto_score = 0
        gradebook.db.commit()
    hand_in(folder, "bob", with_words(solved, "Other words."))
    run(course, folder, force=True)
    assert marks(folder)["ada"]["test_scale_value"] == (2, 1, True)
    assert marks(folder)["bob"]["test_scale_value"] == (2, 1, True)


def test_a_record_of_before_tells_by_the_file_what_a_person_marked(course, folder, solved):
    for student in ("ada", "dan"):
        hand_in(folder, student, with_words(solved, WHY))
    run(course, folder)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        for student in ("ada", "dan"):
            record = records.read(gradebook, NAME, student)
            del record["written"]
            records.write(gradebook, NAME, student, record)
        gradebook.db.commit()
    for student in ("ada", "dan"):
        by_a_person(folder, student, "written_why", 3)
    hand_in(folder, "dan", with_words(solved, WHY + " And so on."))
    run(course, folder, force=True)
    assert marks(folder)["ada"]["written_why"] == (None, 3, False)
    assert marks(folder)["dan"]["written_why"] == (None, 3, True)


def test_marks_from_before_the_first_run_are_set_aside_and_named(course, folder):
    with open_nbgrader(folders_config(course_config(course), folder)) as api:
        api.generate_assignment(NAME)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        gradebook.update_or_create_student("bob")
        gradebook.update_or_create_submission(NAME, "bob")
        grade = gradebook.find_grade("test_scale_value", NAME, NAME, "bob")
        grade.auto_score, grade.manual_score, grade.extra_credit = 2, 2, 100
        gradebook.db.commit()
    entries = {e.student: e for e in run(course, folder)}
    assert marks(folder)["bob"]["test_scale_value"] == (0, None, False)
    assert [f.kind for f in entries["bob"].findings] == ["manual-mark-set-aside"]
    assert "extra credit 100" in entries["bob"].findings[0].text
    assert entries["bob"].needs_a_look


RUN = """
import os, signal, sys
from dataclasses import replace
from pathlib import Path

from sqlalchemy.orm import Session

from grader.core.course import Course
from grader.engine import submission as work
from grader.gradebook import records, writer
from grader.gradebook import writer as writing
from grader.classrun import executors
from grader.classrun.run import end, grade_class
from grader.core.nbgrader_api import course_config, folders_config

left = int(sys.argv[3])


def deadly(owner, name):
    real = getattr(owner, name)

    def step(*args, **kwargs):
        global left
        result = real(*args, **kwargs)
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, step)


# Where something has just become true for good, or is about to.
for owner, name in ((Session, "commit"), (writing, "replace_file"), (work, "mark_notebook"), (records, "write")):
    deadly(owner, name)
course = Course(Path(sys.argv[1]))
config = folders_config(course_config(course), Path(sys.argv[2]))
grade_class(course, config, ["07_boundary"])
end()
"""


@pytest.mark.slow
def test_a_killed_run_ends_in_the_same_gradebook(course, folder, tmp_path_factory):
    """The first run is killed at its first step, the next at its second, ...; then a run that nobody disturbed."""
    for student in ("ada", "dan"):
        shutil.rmtree(folder / "submitted" / student)
    command = [sys.executable, "-c", RUN, str(course.root), str(folder)]
    killed = 0
    while (code := subprocess.run([*command, str(killed + 1)], capture_output=True).returncode) == -signal.SIGKILL:
        killed += 1
    assert code == 0
    assert killed > 10
    whole = tmp_path_factory.mktemp("whole")
    for path in (folder / "submitted").rglob("*.ipynb"):
        hand_in(whole, path.parent.parent.name, path.read_bytes())
    run(course, whole)
    assert marks(folder) == marks(whole)
    assert [e.outcome for e in run(course, folder)] == ["unchanged"] * 2


def test_nothing_is_left_running(course, folder, monkeypatch):
    """Only descendants of this process count: other workers of pytest mark as well."""
    before, close, seen = set(psutil.Process().children(recursive=True)), warm.Template.close, set()

    def closing(template):
        seen.update(psutil.Process().children(recursive=True))
        close(template)

    monkeypatch.setattr(warm.Template, "close", closing)
    run(course, folder)
    seen.update(psutil.Process().children(recursive=True))  # and what was started, or stays, behind the last close
    assert len(seen - before) >= 2  # bubblewrap and what runs in it
    _, left = psutil.wait_procs(seen - before, timeout=10)
    assert left == []


def test_a_record_knows_what_marked_it(course, folder):
    run(course, folder)
    with Gradebook(f"sqlite:///{folder / 'gradebook.db'}") as gradebook:
        record = records.read(gradebook, NAME, "bob")
        assert records.read(gradebook, NAME, "nobody") is None
    assert record["points"] == 5
    assert record["isolation"]["level"] in isolate.LEVELS
    assert record["tests"] == fingerprints.tests_fingerprint(course.source(NAME))
    assert [v["name"] for v in record["verdicts"] if v["outcome"] != "passed"] == [
        "test_scale_value",
        "test_scale_error",
    ]


# The command line ----------------------------------------------------------------------------------------------------


def test_grade_says_what_needs_a_look_and_its_exit_code_says_so(course, folder, capsys, monkeypatch):
    monkeypatch.setattr("grader.core.nbgrader_api.course_config", lambda c: folders_config(course_config(c), folder))
    assert main(["--course", str(course.root), "grade", "--student", "ada"]) == 0
    assert "8 of 8" in capsys.readouterr().out
    assert main(["--course", str(course.root), "grade", "--verbose"]) == 1
    said = capsys.readouterr().out
    assert "4 submissions: 3 marked, 1 unchanged" in said
    assert "1 need a look:\n  cyd, 07_boundary: lost" in said


def test_grade_without_submissions_says_where_they_belong(course, capsys):
    assert main(["--course", str(course.root), "grade"]) == 2
    said = capsys.readouterr().err
    assert "no submissions" in said
    assert "<student>/<assignment>" in said


def test_grade_names_a_student_who_handed_in_nothing(course, folder, capsys, monkeypatch):
    monkeypatch.setattr("grader.core.nbgrader_api.course_config", lambda c: folders_config(course_config(c), folder))
    assert main(["--course", str(course.root), "grade", "--student", "ada", "--student", "adda"]) == 2
    assert "no submission of adda" in capsys.readouterr().err


def test_a_folder_that_may_not_be_read_is_said(tmp_path, monkeypatch):
    (tmp_path / "ada" / "01").mkdir(parents=True)
    (tmp_path / "bob" / "01").mkdir(parents=True)
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "bob" and allowed(path, mode))
    ada, bob = list_submissions(tmp_path, ["01"], [])
    assert ada == ("01", "ada", "", "ada")
    assert bob[:2] == ("01", "bob")
    assert "may not be read" in bob[2]


def test_doctor_prints_its_examination(course, capsys):
    assert main(["--course", str(course.root), "doctor"]) == 0
    assert "isolation: bubblewrap" in capsys.readouterr().out


def test_other_systems_are_told_what_to_do(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    with pytest.raises(GraderError, match="WSL"):
        warm.Template("")


def test_figures_of_students_cells_are_shown_on_demand_alone(course, folder, solved):
    """Those of an answer cell are drawn, those of a cell that is not run are taken from what was handed in."""
    draw = "import matplotlib.pyplot as plt\nplt.plot([1, 2, 3])\nplt.show()"
    size = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    chunks = [(b"IHDR", size), (b"IDAT", zlib.compress(b"\0\0")), (b"IEND", b"")]
    whole = [struct.pack(">I", len(d)) + k + d + struct.pack(">I", zlib.crc32(k + d)) for k, d in chunks]
    dot = base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(whole)).decode()
    solved = copy.deepcopy(solved)
    solved.cells.append(
        new_code_cell("plt.imshow([[1, 2], [3, 4]])", outputs=[new_output("display_data", {"image/png": dot})])
    )
    next(c for c in solved.cells if grade_id(c) == "share").source += f"\n\n{draw}"
    hand_in(folder, "bob", solved)
    pictures = {}
    for drawn in (False, True):
        config = folders_config(course_config(course), folder)
        config.MarkingExecute.render = drawn
        try:
            grade_class(course, config, [NAME], ["bob"], force=True)
        finally:
            end()
        nb = read_notebook(folder / "autograded" / "bob" / NAME / f"{NAME}.ipynb")
        shown = [c for c in nb.cells if "plt." in c.source]
        pictures[drawn] = [[o.data["image/png"] for o in c.outputs if "image/png" in o.get("data", {})] for c in shown]
    assert pictures[False] == [[], []]
    answers, own = pictures[True]
    assert [base64.b64decode(data)[:4] for data in answers] == [b"\x89PNG"]
    assert own == [dot]


@pytest.mark.parametrize(
    ("cell", "answer", "kind"),
    [
        ("import scipy_of_colab as sp", "return x * sp.scale", "library-missing"),
        ("", "import scipy_of_colab as sp\n    return x * sp.scale", "library-missing"),
        ("if given_scale < 0:\n    half = 2", "return x * given_scale * half", "name-missing"),
        ("", "import math\n    return x * math.scale_of_3_99", "not-in-python"),
        ("", "from itertools import scale_of_3_99\n    return x * scale_of_3_99", "not-in-python"),
    ],
)
def test_why_a_right_answer_loses_points_is_told_to_the_instructor(source, solved, template, cell, answer, kind):
    handed_in = copy.deepcopy(solved)
    place = next(n for n, c in enumerate(handed_in.cells) if grade_id(c) == "scale")
    handed_in.cells[place].source = f"def scale(x):\n    {answer}"
    handed_in.cells.insert(place, new_code_cell(cell))
    nb = transplant(source, handed_in).notebook
    marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    assert marked.verdicts["test_scale_value"].outcome == "failed"
    before, there = weighed(nb, [Finding("answer-twice", "scale", "It was there twice.")], marked)
    assert [(f.kind, f.level) for f in before] == [("answer-twice", Level.LOST)]
    assert {f.kind for f in there if f.level is Level.LOST} == (set() if kind == "name-missing" else {kind})
    _, there = weighed(nb, [], marked)
    assert kind in {f.kind for f in there if f.level is Level.LOST}
    assert not cell.startswith("import") or "imports scipy_of_colab, which marking does not have" in there[0].text


@pytest.mark.parametrize(
    ("binds", "named"),
    [
        ("import known", ["name-missing"]),
        ("### BEGIN HIDDEN TESTS\nimport known\n### END HIDDEN TESTS", []),
    ],
)
def test_a_name_that_only_a_visible_test_binds_is_told(source, solved, binds, named):
    """On the student's screen it is there, once the test has run."""
    nb = transplant(source, solved).notebook
    next(c for c in nb.cells if grade_id(c) == "test_search_calls").source += f"\n{binds}"
    missed = Verdict("test_scale_value", Outcome.FAILED, "NameError", "name 'known' is not defined")
    _, there = weighed(nb, [], Result(verdicts={missed.name: missed}))
    assert [f.kind for f in there if f.where == "scale"] == named


def test_what_cost_nothing_stays_a_repair(source, solved, template):
    handed_in = copy.deepcopy(solved)
    handed_in.cells.insert(0, new_code_cell("import scipy_of_colab as sp"))
    handed_in.cells[-1].source += "\n"
    nb = transplant(source, handed_in).notebook
    marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    kinds = ("answer-twice", "answer-elsewhere", "library-missing", "newer-python", "order-restored")
    noticed = [Finding(kind, where, "It says so.") for kind in kinds for where in ("scale", "")]
    before, there = weighed(nb, noticed, marked)
    assert before == noticed
    assert there == marked.findings
    lost = replace(marked, verdicts=marked.verdicts | {"test_scale_value": Verdict("test_scale_value", Outcome.FAILED)})
    before, _ = weighed(nb, noticed, lost)
    assert {f.kind for f in before if f.level is Level.LOST and f.where} == {*kinds} - {"order-restored"}
    assert not any(f.level is Level.LOST for f in before if not f.where)


@pytest.mark.parametrize(
    ("source", "defines"),
    [
        ("def half(x): ...", True),
        ("    async  def half(x): ...", True),
        ("class half: ...", True),
        ("half = 1", True),
        ("half: float = 1", True),
        ("from a import b as half", True),
        ("import half", True),
        ("half == 1", False),
        ("print(half)", False),
        ("halfway = 1", False),
        ("by_half = 1", False),
    ],
)
def test_a_line_that_binds_a_name_is_seen(source, defines):
    assert losses._defines(f"x = 1\n{source}\n", "half") == defines


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("half = half(4)", "half = half(4)"),
        ("x = 1\nhalf, rest = half(4), 1  # both", "half, rest = half(4), 1  # both"),
        ("(rest, half) = half(4)", "(rest, half) = half(4)"),
        ("first = half = half(4)", "first = half = half(4)"),
        ("half: int = half(4)", "half: int = half(4)"),
        ("for half in (1, 2):\n    print(half)", "for half in (1, 2):"),
        ("for n in range(3):\n    half = half(n)", "half = half(n)"),
        ("with open('x') as half:\n    pass", "with open('x') as half:"),
        ("import half", "import half"),
        ("half = 'x" + 100 * "y" + "'", "half = 'x" + 51 * "y"),
        ("def mine(x):\n    half = x / 2\n    return half", ""),
        ("class Mine:\n    half = 3", ""),
        ("half(4)\nprint(half, sep=half)", ""),
        ("of_half = half(4)\nhalf.by = 3", ""),
        ("half == 1", ""),
        ("draw(half, by=3)", ""),
        ("for n in half(3):\n    print(n in (1, 2))", ""),
        ("half = lambda x: x / 2", ""),
        ("# half = half(4)", ""),
    ],
)
def test_a_line_that_gives_a_functions_name_to_something_else_is_seen(source, line):
    lines = losses._that_may_give([new_code_cell(source)])
    assert [found.text[: losses._SHOWN] for found in losses._giving(lines, "half")] == [line] * bool(line)


def test_of_a_crowd_of_names_and_lines_some_are_looked_at():
    names = [f"name_{n}" for n in range(2000)]
    answer = new_code_cell("\n".join(f"def {name}(): pass" for name in names))
    answer.metadata.nbgrader = {"grade_id": "half", "solution": True, "grade": False, "locked": False}
    crowd = new_code_cell("\n".join([f"{', '.join(names[n : n + 9])} == 1" for n in range(1900)] * 12))
    late = new_code_cell("name_0 = 1")
    nb = new_notebook(cells=[answer, crowd, late])
    lost = {"half": [Verdict("test_half", Outcome.FAILED, "TypeError", "'int' object is not callable")]}
    assert len(list(losses._that_may_give(nb.cells))) > 10 * losses._MOST_LINES
    assert list(losses._rebound(nb, lost)) == []
    assert [f.kind for f in losses._rebound(new_notebook(cells=[answer, late]), lost)] == ["name-rebound"]


@pytest.mark.parametrize(
    ("line", "names"),
    [
        ("a = 1", "a"),
        ("a, = found", "a"),
        ("(a, b)  =  1, 2", "a b"),
        ("a = b = 3", "a b"),
        ("a: int = 3", "a"),
        ("a.x, b = 1, 2", "b"),
        ("a[0] = 1", ""),
        ("a == 1", ""),
        ("a += 1", ""),
        ("a = lambda x: x", ""),
        ("for a, (b, c) in pairs:", "a b c"),
        ("async for a in pairs:", "a"),
        ("with open(p) as a, open(q) as b:", "a b"),
        ("from m import x as a", "a"),
        ("import a", "a"),
        ("import m as a", "m a"),
        ("print(a)", ""),
    ],
)
def test_a_line_tells_which_names_it_gives(line, names):
    assert losses._given(line) == set(names.split())


@pytest.mark.parametrize(
    ("place", "said"),
    [
        (0, "In a cell above all answers, the line"),
        (1, "In a cell below that of scale, the line"),
        (None, "In the cell of scale, the line"),
    ],
)
def test_a_result_named_like_the_function_is_told_with_what_to_do(source, solved, template, place, said):
    handed_in = copy.deepcopy(solved)
    answer = next(n for n, c in enumerate(handed_in.cells) if grade_id(c) == "scale")
    line = "scale = [scale(np.ones(2))]"
    if place is None:
        handed_in.cells[answer].source += f"\n{line}"
    elif place:
        handed_in.cells.insert(answer + 1, new_code_cell(line))
    else:
        handed_in.cells[answer].source = "def scale(x):\n    return times_three(x)"
        own = "def times_three(x):\n    return 3 * x\n\ntimes_three = times_three(1)"
        handed_in.cells.insert(0, new_code_cell(own))
    nb = transplant(source, handed_in).notebook
    marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    assert marked.verdicts["test_scale_value"].outcome == "failed"
    _, there = weighed(nb, [], marked)
    (found,) = [f for f in there if f.kind == "name-rebound"]
    assert (found.where, found.level) == ("scale", Level.LOST)
    assert said in found.text
    assert "give that another name" in found.text


def test_what_is_said_of_lines_that_give_a_functions_name_is_bounded(source, solved, template):
    """Each finding is made in the process that marks, where time has no limit."""
    handed_in = copy.deepcopy(solved)
    answer = next(n for n, c in enumerate(handed_in.cells) if grade_id(c) == "scale")
    handed_in.cells[answer + 1 : answer + 1] = [new_code_cell("scale = 3") for _ in range(150)]
    nb = transplant(source, handed_in).notebook
    marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    found = [f for f in weighed(nb, [], marked)[1] if f.kind == "name-rebound"]
    assert 0 < len(found) < 150


def test_an_object_that_an_answer_calls_by_mistake_is_no_other_name(source, solved, template):
    handed_in = copy.deepcopy(solved)
    answer = next(n for n, c in enumerate(handed_in.cells) if grade_id(c) == "scale")
    handed_in.cells[answer].source = "def scale(x):\n    return x(given_scale)"
    handed_in.cells.insert(answer + 1, new_code_cell("probe = scale\ndef mine(scale):\n    scale = 3"))
    nb = transplant(source, handed_in).notebook
    marked = mark_notebook(nb, Plan.of(nb, source), template, SHORT)
    assert "not callable" in marked.verdicts["test_scale_value"].message
    assert not [f for f in weighed(nb, [], marked)[1] if f.kind == "name-rebound"]
