"""What an instructor does in the formgrader, on a copy of the course with two submissions."""

import re
import shutil

import pytest
from nbformat.v4 import new_markdown_cell
from playwright.sync_api import expect

from grader.core.catalogue import read_catalogue
from grader.core.cells import CellKind, exercises, kind_of, written_points
from grader.core.course import Course
from grader.core.notebook import read_notebook, write_notebook
from grader.testing.samples import fill_answers

from .conftest import barriers
from .lab import jupyter_lab

NB = "05_positional_encoding"
HARM = """<script>window.planted = 1</script><img src="x" onerror="window.planted = 2">
<svg onload="window.planted = 3"></svg> [a link](javascript:window.planted=4)
<iframe srcdoc="<script>parent.planted = 5</script>"></iframe>"""
LOADING = r"$\style{cursor:url(http://elsewhere.example/x.png),auto}{x}$"
LEADING = f"[a paper](http://elsewhere.example/paper) {LOADING} $x^2$"
SHOW_HARM = f"""
from IPython.display import HTML, Javascript, Markdown, display
display(HTML({HARM!r}), Markdown({HARM!r}), Javascript("window.planted = 6"))"""

WRITTEN = """The formula does work for every position, with the same norm everywhere. But the network was trained on the
first rows alone: at twenty letters the sines were right on two thirds, at forty no better than guessing. I would try a
relative bias, since all distances beyond R share a number that was trained. Our experiment does not show that it helps
a translator."""


@pytest.fixture(scope="module")
def copy(course, tmp_path_factory):
    """A copy of the course, and what its two students handed in: one wrong answer, and nothing but harm."""
    root = tmp_path_factory.mktemp("instructor") / "course"
    for folder in ("solutions", "notebooks"):
        shutil.copytree(getattr(course, folder if folder == "solutions" else "release"), root / folder)
    shutil.copytree(course.catalogue, root / "grader" / "catalogue")
    shutil.copy(course.root / "nbgrader_config.py", root)
    answers = {e.name: e.answer for e in exercises(read_notebook(course.source(NB)))}
    first = exercises(read_notebook(course.source(NB)))[0]
    catalogue = read_catalogue(course.catalogue / NB / f"{first.name}.py", first.functions, first.answer)
    wrong = next(v for v in catalogue.variants if v.kind == "wrong" and v.self_check)
    released = read_notebook(course.released(NB))
    untouched = next(c.source for c in released.cells if c.get("id") == first.name)
    hostile = fill_answers(released, answers | {first.name: untouched + "\n\n" + SHOW_HARM})
    next(c for c in hostile.cells if kind_of(c) is CellKind.WRITTEN).source = f"An *answer*. {LEADING} {HARM}"
    hostile.cells.append(new_markdown_cell(HARM))
    usual = fill_answers(released, answers | {first.name: wrong.source})
    next(c for c in usual.cells if kind_of(c) is CellKind.WRITTEN).source = WRITTEN
    for student, nb in (("anna", usual), ("mallory", hostile)):
        write_notebook(nb, root / "grader" / "local" / "submitted" / student / NB / f"{NB}.ipynb")
    return Course(root), wrong


@pytest.fixture(scope="module")
def lab(copy, tmp_path_factory):
    with jupyter_lab(copy[0].root, tmp_path_factory.mktemp("state")) as address:
        yield address


def press(row, button, dialogs):
    """Press a button of a row and wait for nbgrader's word that it is done."""
    row.locator(f".{button} a").click()
    done = dialogs.locator("#success-modal, #error-modal")
    done.wait_for()
    text = done.inner_text()
    assert done.get_attribute("id") == "success-modal", text
    done.get_by_role("button", name="OK").click()
    done.wait_for(state="detached")


def points_of(row):
    return [float(n) for n in row.locator(".score").inner_text().split(" / ")]


def what_a_student_wrote_neither_runs_nor_leads_away(page, address):
    """tests/unit/test_formgrader.py shows that with stock nbgrader it does."""
    page.goto(address)
    expect(page.locator("em", has_text=re.compile("^answer$"))).to_be_visible()  # of the written answer, rendered
    page.wait_for_load_state("networkidle")
    assert page.evaluate("window.planted") is None
    assert page.locator("iframe, [href^=javascript], [onerror], [onload]").count() == 0
    # In JupyterLab this page is in a frame, and whatever page is there is obeyed.
    assert page.locator(".student [href]:not([href^='#']), .student form, .student svg").count() == 0
    assert f"a paper (http://elsewhere.example/paper) {LOADING}" in page.locator("body").inner_text()
    assert page.locator(".tex2jax_process", has_text="x^2").count() == 1  # for MathJax, which is not there
    assert page.locator(".tex2jax_process", has_text="style").count() == 0
    assert "window.planted = 6" in page.locator("body").inner_text()  # in the source of the answer, as text


def test_an_instructor_marks_a_class(course, copy, lab, page, screenshot):
    """One session, since each step needs the one before it."""
    copy, wrong = copy
    source = read_notebook(course.source(NB))
    first, *_ = found = exercises(source)
    by_hand = written_points(source)
    written, most_by_hand = next(iter(by_hand.items()))
    tests = {name: points for e in found for name, points, _ in e.tests}

    # The formgrader in JupyterLab shows the assignments; the button "Generate" makes the release that students have.
    page.goto(lab.format("lab") + "&reset")
    page.locator(".lm-MenuBar-itemLabel", has_text=re.compile("^Nbgrader$")).click()
    page.locator(".lm-Menu-itemLabel", has_text=re.compile("^Formgrader$")).click()
    formgrader = page.frame_locator("iframe")
    rows = formgrader.locator("#main-table tr")
    expect(rows.locator(".name")).to_have_text(course.assignments())
    row = rows.filter(has_text=NB)
    expect(row.locator(".num-submissions")).to_have_text("2")
    press(row, "assign", formgrader)
    assert copy.released(NB).read_text() == course.released(NB).read_text()

    # Marking by the button, with what it takes from nbgrader_config.py.
    page.goto(lab.format(f"formgrader/manage_submissions/{NB}"))
    for student in ("anna", "mallory"):
        row = page.locator("#main-table tr", has=page.locator(".student-id", has_text=student))
        expect(row.locator(".status")).to_have_text("needs autograding")
        press(row, "autograde", page)
        expect(row.locator(".status")).to_have_text("needs manual grading")
        marked = read_notebook(copy.local / "autograded" / student / NB / f"{NB}.ipynb")
        assert marked.metadata["marking"]["isolation"]
        points, most = points_of(row)
        assert most == sum(tests.values()) + most_by_hand
        lost = sum(tests.values()) - points
        assert 0 < lost <= first.points
        assert student == "anna" or lost == first.points

    # One submission: the marks of the tests, the written answer by hand.
    page.goto(lab.format(f"formgrader/gradebook/{NB}/{NB}"))
    page.get_by_role("button", name="Show All Names").click()
    links = page.locator("#main-table a.name-shown")
    expect(links).to_have_text([re.compile("anna|mallory")] * 2)
    addresses = dict(links.evaluate_all("links => links.map(link => [link.textContent, link.href])"))
    what_a_student_wrote_neither_runs_nor_leads_away(page, addresses["mallory"])
    page.goto(addresses["anna"])
    shown = {}
    for name, points in tests.items():
        box = page.locator(f"input.score#{name}")
        expect(box).to_have_attribute("placeholder", re.compile(r"\d"))
        shown[name] = float(box.get_attribute("placeholder"))
        assert shown[name] in (0, points)
    assert {name for name in tests if shown[name] < tests[name]} <= {name for name, _, _ in first.tests}
    box = page.locator(f"input.score#{written}")
    box.fill(str(most_by_hand - 0.5))
    with page.expect_response(lambda r: "/api/grade/" in r.url and r.request.method == "PUT") as saved:
        box.press("Tab")
    assert saved.value.ok
    # In the middle, so that the formgrader's bar hides nothing of it; without the focus.
    box.evaluate("box => { box.scrollIntoView({block: 'center'}); document.activeElement.blur(); }")
    page.wait_for_timeout(1000)  # the page moves while its formulas are set
    top = page.get_by_role("heading", name=re.compile("^A written answer")).bounding_box()["y"] - 10
    screenshot(page, "formgrader_written_answer", clip={"x": 90, "y": top, "width": 1100, "height": 355})

    page.goto(lab.format(f"formgrader/manage_submissions/{NB}"))
    row = page.locator("#main-table tr", has=page.locator(".student-id", has_text="anna"))
    expect(row.locator(".status")).to_have_text("graded")
    points, _ = points_of(row)
    assert points == sum(shown.values()) + most_by_hand - 0.5

    # Feedback by the button, and as the student opens it.
    press(row, "generate-feedback", page)
    page.goto((copy.local / "feedback" / "anna" / NB / f"{NB}.html").as_uri())
    assert f"{points:g}" in page.locator("main").inner_text()
    text = " ".join(page.locator("main").inner_text().split())
    assert " ".join(wrong.text.replace("`", "").split()) in text
    screenshot(page.locator("section.test", has=page.locator(".cause")).first, "feedback")
    assert barriers(page) == []
