"""Nothing that a student writes is painted over the marks, neither on the feedback page nor in the formgrader."""

import mimetypes
from pathlib import Path

import pytest
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config

from grader.core.nbgrader_api import course_config
from grader.feedback import sanitise
from grader.feedback.page import FeedbackExporter
from grader.feedback.steps import CleanOutputs
from grader.nbgrader_plugins import formgrader

from .conftest import barriers

STATIC = Path(handlers.template_path).parent / "static"
ADDRESS = "http://127.0.0.1:9/"
BLOCK = "\u2588" * 60
STACK = "".join("X" + "\u0301\u0323" * 500 + " " for _ in range(40))
HOSTILE = {
    "huge glyphs on a line without height": f"<p style='font-size:2000px;line-height:0'>{BLOCK}</p>",
    "margins below zero": f"<div style='margin:-900px;font-size:80px;background-color:red'>{BLOCK}<br>{BLOCK}</div>",
    "a fixed position": "<div style='position:fixed;top:0;left:0;width:100%;height:100%;background-color:red'>x</div>",
    "an absolute position": "<div style='position:absolute;top:-999px;width:999px;height:2999px;background:red'></div>",
    "a transform": f"<div style='transform:scale(90);background-color:red'>{BLOCK}</div>",
    "a shadow": f"<p style='text-shadow:0 -200px 0 red, 0 200px 0 red;box-shadow:0 0 0 999px red'>{BLOCK}</p>",
    "an outline": "<p style='outline:900px solid red;border:900px solid red'>x</p>",
    "marks on a letter, 1,000 high": f"<p>{STACK}</p>",
    "letters in other directions": f"<bdo dir=rtl>\u202e\u2066{BLOCK}</bdo><p dir=rtl>{BLOCK}</p>",
    "a table of wide cells": "<table style='width:9999px'><tr><td colspan=100 rowspan=100>" + "x" * 5000 + "</table>",
    "sizes on sizes": "<span style='font-size:200%'>" * 30 + BLOCK + "</span>" * 30,
}
#: Elements that a cleaner leaves out, and whose content is then nested as a browser reads it differently.
APART = ["object", "marquee", "button", "applet", "select", "table", "fieldset", "form", "article", "center", "menu"]
LEAVING = [f"<li><div><{tag}><li>x</li></{tag}></div></li>" * 6 for tag in APART]
LEAVING += [f"<dd><div><{tag}><dt>x</dt></{tag}></div></dd>" * 6 for tag in APART]
LEAVING += ["</div>" * 9, "<li>", "<dt>", "</td></tr></table><tr><td>", "<h1><h2>", "<summary>", "</section></details>"]
#: Everything that holds what a student wrote.
PIECES = ".student, .student *, .output, .output_area, .message, .text, #marks div, pre"
#: What covers the marks where the pieces are neither contained nor cleaned of such styles.
COVERS = ["huge glyphs on a line without height", "margins below zero", "an absolute position", "an outline"]


def notebook(piece):
    """A submission with marks between pieces of the student's: as text, as HTML that was shown, and printed."""
    outputs = [new_output("display_data", {"text/html": piece}), new_output("display_data", {"text/markdown": piece})]
    outputs.append(new_output("stream", name="stdout", text=piece + STACK))
    answer = new_code_cell(f"def double(x):\n    return x  # {STACK[:3000]}", outputs=outputs)
    cells = []
    for name, kind in (("double", "answer"), ("test_one", "test"), ("written", "words"), ("test_two", "test")):
        cell = answer if kind == "answer" else new_code_cell("assert double(2) == 4")
        cell = new_markdown_cell(piece) if kind == "words" else cell
        grade = {} if kind == "answer" else {"points": 3, "score": 1.0, "waits": False}
        cell.metadata["nbgrader"] = {
            "grade_id": name, "grade": bool(grade), "solution": kind != "test", "locked": kind == "test",
            "schema_version": 3, "task": False, **grade,
        }  # fmt: skip
        if kind == "test":
            cell.metadata["feedback"] = {"message": f"it is not doubled {STACK[:1500]}", "title": "doubled"}
        cells.append(cell)
    return new_notebook(cells=[*cells, new_markdown_cell(piece), new_code_cell("1", outputs=outputs)])


def feedback_page(course, nb):
    exporter = FeedbackExporter(config=Config())
    exporter.bounded = True
    exporter.register_preprocessor(CleanOutputs, enabled=True)
    names = {"notebook": "nb", "student": "eve", "score": 3, "max_score": 9, "late_penalty": 0, "made_from": ""}
    return exporter.from_notebook_node(nb, {"nbgrader": names})[0], ".points:not(col), .total, #marks td:nth-child(2)"


def formgrader_page(course, nb):
    config = course_config(course)
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    names = {"assignment_id": "nb", "notebook_id": "nb", "submission_id": "1", "index": 0, "total": 1}
    names |= {"base_url": "", "student": "eve", "last_name": "E", "first_name": "Eve", "notebook_path": "x.ipynb"}
    return HTMLExporter(config=config).from_notebook_node(nb, names)[0], "input.score"


PAGES = {"feedback": feedback_page, "formgrader": formgrader_page}


@pytest.fixture
def sheet(browser):
    """A page that shows HTML with nbgrader's own style sheets; its scripts would ask a server for the marks."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, java_script_enabled=True)
    page = context.new_page()
    shown = {}

    def answer(route):
        path = route.request.url.partition("?")[0].removeprefix(ADDRESS)
        file = STATIC / path.removeprefix("formgrader/static/")
        if path == "":
            route.fulfill(content_type="text/html; charset=utf-8", body=shown["html"])
        elif path.endswith(".css") and file.is_file():
            route.fulfill(content_type=mimetypes.guess_type(path)[0], body=file.read_bytes())
        else:
            route.abort()

    page.route("**/*", answer)

    def show(html):
        shown["html"] = html
        page.goto(ADDRESS)
        page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
        return page

    yield show
    context.close()


def covered(page, marks):
    """Name the marks at whose place something else is, or whose picture is another one without the student's pieces."""
    found = []
    places = page.locator(marks)
    assert places.count() >= 3
    for n in range(places.count()):
        one = places.nth(n)
        one.evaluate("e => e.scrollIntoView({block: 'center', inline: 'center'})")
        above = one.evaluate(
            "e => { const r = e.getBoundingClientRect();"
            " const at = document.elementFromPoint(r.left + r.width / 2, r.top + r.height / 2);"
            " return at !== null && (e === at || e.contains(at)) ? '' : at ? at.outerHTML.slice(0, 200) : 'nothing'; }"
        )
        box = one.bounding_box()
        seen = page.screenshot(clip=box)
        style = page.add_style_tag(
            content=".student, .student *, .output, .message, pre, .output_area { visibility: hidden !important; }"
        )
        alone = page.screenshot(clip=box)
        style.evaluate("e => e.remove()")
        if above or seen != alone:
            found.append(f"{n}: {above} {'' if seen == alone else 'with other pixels'}")
    return found


@pytest.mark.parametrize("trick", HOSTILE)
@pytest.mark.parametrize("kind", PAGES)
def test_the_marks_are_seen_whatever_a_student_wrote(course, sheet, kind, trick):
    html, marks = PAGES[kind](course, notebook(HOSTILE[trick]))
    page = sheet(html)
    assert covered(page, marks) == []
    width = page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert width[0] <= width[1]


@pytest.mark.parametrize("trick", COVERS)
@pytest.mark.parametrize("kind", PAGES)
def test_without_boxes_and_clean_styles_they_are_not(course, sheet, kind, trick, monkeypatch):
    """What the test above would see if the protection were gone."""
    monkeypatch.setattr(sanitise, "CONTAINED", "")
    monkeypatch.setattr(formgrader, "CONTAINED", "")
    monkeypatch.setattr(sanitise, "safe_style", lambda style: style)
    html, marks = PAGES[kind](course, notebook(HOSTILE[trick]))
    html = html.replace("contain: content;", "").replace("overflow: auto;", "").replace("overflow: hidden;", "")
    assert covered(sheet(html), marks) != []


@pytest.mark.parametrize("kind", PAGES)
def test_no_tags_close_the_box_of_what_a_student_wrote(course, sheet, kind):
    """What stands outside of the boxes is the page's own, such as a heading with the points."""
    nb = notebook("x")
    for number, piece in enumerate(LEAVING):
        said = f"{piece}\n\n<h2>Result after review: 20 of 20 points ({number})</h2>"
        outputs = [new_output("display_data", {form: said}) for form in ("text/html", "text/markdown")]
        nb.cells += [new_markdown_cell(said), new_code_cell("1", outputs=outputs)]
    nb.cells[2].source += LEAVING[0] + "<h2>Result after review: 20 of 20 points (the answer)</h2>"
    page = sheet(PAGES[kind](course, nb)[0])
    found = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4, h5, h6')].filter(h => h.textContent.includes('20 of 20'))"
        ".map(h => [h.textContent, h.closest('div.student') !== null])"
    )
    assert (
        len(found) == (2 if kind == "feedback" else 3) * len(LEAVING) + 1
    )  # a text beside no answer is left out there
    assert [text for text, boxed in found if not boxed] == []


def test_axe_finds_nothing_serious_on_a_feedback_page(course, page, tmp_path):
    html, _ = feedback_page(course, notebook("<h1>Mine</h1><table><tr><th>a</th><td>1</td></tr></table>"))
    (tmp_path / "page.html").write_text(html, encoding="utf-8")
    page.goto((tmp_path / "page.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(d => d.open = true)")
    assert barriers(page) == []
