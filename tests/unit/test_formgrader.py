"""The formgrader's page of a submission, made as the formgrader makes it, with and without the course's settings."""

import base64
import os
import random
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from jinja2 import nodes
from nbconvert.exporters import HTMLExporter
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output, new_raw_cell
from nbgrader.server_extensions.formgrader import handlers
from traitlets.config import Config

from grader.core.course import Course
from grader.core.nbgrader_api import course_config
from grader.feedback import clock, colours
from grader.feedback.formulas import LEFT_ALONE, MAX_FORMULAS, SET
from grader.nbgrader_plugins import formgrader
from grader.testing.exploring import _figure as figure

PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
SCRIPT = "<script>planted = 1</script><img src='x' onerror='planted = 2'>"
WRITTEN = f"My **answer**, $a < b$. {SCRIPT} [link](javascript:planted=3) ![own](attachment:own.png)"


def submission():
    written = new_markdown_cell(WRITTEN, attachments={"own.png": {"image/png": PNG}})
    written.metadata["nbgrader"] = {"grade": True, "solution": True, "grade_id": "written_why", "points": 2}
    outputs = [
        new_output("display_data", {"text/html": f"<b>table</b>{SCRIPT}"}),
        new_output("display_data", {"application/javascript": "planted = 4"}),
        new_output("display_data", {"image/svg+xml": f"<svg xmlns='http://www.w3.org/2000/svg'>{SCRIPT}</svg>"}),
        new_output("display_data", {"text/markdown": SCRIPT}),
        new_output("display_data", {"image/png": PNG}),
        new_output("stream", name="stdout", text=SCRIPT),
        new_output("error", ename="E", evalue=SCRIPT, traceback=[SCRIPT]),
    ]
    code = new_code_cell(f"print({SCRIPT!r})", outputs=outputs)
    return new_notebook(cells=[written, code, new_raw_cell(SCRIPT, metadata={"raw_mimetype": "text/html"})])


def exporter_with(config):
    config = config.copy()
    config.HTMLExporter.template_name = "formgrade"
    config.HTMLExporter.extra_template_basedirs = [handlers.template_path]
    return HTMLExporter(config=config)


def page_with(config, nb=None):
    names = {"assignment_id": "01_x", "notebook_id": "01_x", "submission_id": "1", "index": 0, "total": 1}
    names |= {"base_url": "", "student": "anna", "last_name": SCRIPT, "first_name": "Anna", "notebook_path": "x.ipynb"}
    return BeautifulSoup(exporter_with(config).from_notebook_node(nb or submission(), names)[0], "html.parser")


def dangers(page):
    """List what of the submission would run: its own scripts, handlers of events, links to scripts."""
    planted = [s.get_text() for s in page.find_all("script") if "planted" in s.get_text()]
    planted += [str(tag) for tag in page.find_all(True) if any("planted" in str(v) for k, v in tag.attrs.items())]
    return planted


@pytest.fixture(scope="module")
def ours():
    return page_with(course_config(Course(Path(__file__).parents[2])))


def test_nothing_of_a_submission_runs_in_the_formgrader(ours):
    assert dangers(ours) == []


def test_with_stock_nbgrader_it_does():
    assert len(dangers(page_with(Config()))) >= 6


def test_the_answer_itself_is_there(ours):
    answer = ours.find(class_="nbgrader_cell")
    assert answer.find("strong").get_text() == "answer"
    assert "$a < b$" in answer.get_text()  # set by MathJax in the browser
    assert [image["alt"] for image in answer.find_all("img") if image["src"].startswith("data:image/png")] == ["own"]
    assert ours.find("input", id="written_why") is not None
    outputs = ours.find_all(class_="output_area")
    assert any(area.find("b") and area.find("b").get_text() == "table" for area in outputs)
    assert any(area.find("img", src=f"data:image/png;base64,{PNG}") for area in outputs)
    assert "planted = 1" in ours.find(class_="output_stdout").get_text()  # as text


def test_no_link_of_a_submission_leads_out_of_the_page():
    """JupyterLab obeys whatever page is in the formgrader's frame; nbgrader's own links stay."""
    linked = "[a](https://one.example/x) <a href='https://two.example'>b</a>"
    shown = [new_output("display_data", {form: linked}) for form in ("text/html", "text/markdown", "text/latex")]
    cells = [new_markdown_cell(linked), new_code_cell("1", outputs=shown), new_raw_cell(linked)]
    page = page_with(course_config(Course(Path(__file__).parents[2])), new_notebook(cells=cells))
    content = page.find(id="notebook-container")
    assert content.select("[href]") == []
    assert content.get_text().count("b (https://two.example)") == 3
    assert page.select("nav a[href]") != []


def test_only_harmless_formulas_of_a_submission_are_set():
    """A formula can load an address of its author's as soon as the page is opened."""
    harm, fine = r"$\style{cursor:url(/logout)}{x}$", "$x^2$"
    text = f"{fine} and {harm}"
    forms = [{form: text} for form in ("text/html", "text/markdown", "text/latex", "text/plain")]
    forms += [{"text/latex": text, "image/png": PNG}]
    outputs = [new_output("display_data", data) for data in forms]
    outputs += [new_output("stream", name="stderr", text=text), new_output("error", ename=text, traceback=[text])]
    cells = [new_markdown_cell(text), new_code_cell(f"'{text}'", outputs=outputs), new_raw_cell(text)]
    page = page_with(course_config(Course(Path(__file__).parents[2])), new_notebook(cells=cells))
    assert [one.get_text() for one in page.select(f".{SET}")] == [fine] * 5
    pieces = [piece for piece in page.body.find_all(string=re.compile("style"))]
    assert len(pieces) == 10
    assert [str(piece) for piece in pieces if not piece.find_parent(class_=LEFT_ALONE)] == []
    assert len(page.select(f"nav .{LEFT_ALONE}")) == 2  # the name, which is a student's as well
    assert formgrader.TOO_MANY not in page.get_text()


def test_a_page_says_once_that_it_has_too_many_formulas():
    cells = [new_markdown_cell(f"{n}. " + "$x$ " * 40) for n in range(5)]
    page = page_with(course_config(Course(Path(__file__).parents[2])), new_notebook(cells=cells))
    assert len(page.select(f".{SET}")) == MAX_FORMULAS
    assert page.get_text().count(formgrader.TOO_MANY) == 1
    assert page.get_text().count("$x$") == 200


def test_a_page_has_a_bounded_number_of_coloured_words(monkeypatch):
    monkeypatch.setattr(colours, "MAX_WORDS", 30)
    cells = [new_code_cell(f"a = [{n}, " + "1, " * 10 + "]") for n in range(5)]
    page = page_with(course_config(Course(Path(__file__).parents[2])), new_notebook(cells=cells))
    assert len(page.select(".input_area span")) == 30
    assert [area.get_text().strip() for area in page.select(".input_area")] == [cell.source for cell in cells]


def test_every_piece_of_a_submission_is_in_a_box_of_its_own(ours):
    """Glyphs of a thousand pixels on a line without height are painted over the points otherwise."""

    def boxed(element):
        around = [element, *element.parents]
        return any("contain: content" in (e.get("style") or "") and "overflow: auto" in e["style"] for e in around)

    pieces = [t for t in ours.find_all(string=re.compile(r"planted = 1|^answer$|^table$")) if t.find_parent("body")]
    assert len(pieces) >= 6
    # A name of the class list stands in the page's own heading.
    assert [str(piece)[:80] for piece in pieces if not boxed(piece.parent) and not piece.find_parent("nav")] == []


#: Filters of Jinja and nbconvert in the template that read what they get once.
LINEAR = {
    *("e", "float", "length", "replace", "round"),
    *("escape_html", "escape_html_keep_quotes", "escape_html_script", "filter_data_type", "get_metadata"),
    *("json_dumps", "posix_path", "text_base64"),
}


def filters_of(environment, name, seen):
    """Return the filters in a template and in all that it takes up."""
    if name in seen:
        return set()
    seen.add(name)
    tree = environment.parse(environment.loader.get_source(environment, name)[0])
    found = {one.name for one in tree.find_all(nodes.Filter)}
    for other in tree.find_all((nodes.Extends, nodes.Include, nodes.Import, nodes.FromImport)):
        found |= filters_of(environment, other.template.as_const(), seen)
    return found


def test_every_filter_of_the_template_takes_as_long_as_its_text_is():
    """They run in the server's own process: nbconvert's `strip_files_prefix` took minutes for `[](files/`."""
    exporter = exporter_with(course_config(Course(Path(__file__).parents[2])))
    environment = exporter.environment
    used = filters_of(environment, exporter.template.name, set())
    assert {"markdown2html", "highlight_code", "ansi2html", "clean_html", "strip_files_prefix"} <= used
    others = {name for name in used if environment.filters[name].__module__ != formgrader.__name__}
    assert others <= LINEAR  # whoever adds one has read it
    made = {name: environment.filters[name] for name in used - others}
    text = "[](files/" * 1_300
    assert made["clean_html"](text) is text
    assert made["strip_files_prefix"](text) is text  # the address in a student's words as well


def test_a_page_for_the_formgrader_is_made_in_time_whatever_was_handed_in():
    """Blank lines took the lexer of nbgrader's template 40 seconds, nested tags the cleaner as long."""
    blank = "if x:\n" + "    \n" * 4_000
    cells = [new_code_cell(blank), new_markdown_cell("<div>" * 50_000), new_markdown_cell("[" * 100_000)]
    cells[0].outputs = [new_output("display_data", {"text/html": "<p><b title=x>" * 10_000})]
    cells += [new_code_cell("", outputs=[new_output("stream", text="x" * 10**7)])]
    cells += [new_markdown_cell("a" + " " * 19_000 + "b") for _ in range(30)]
    begun = sum(os.times()[:4])  # with that of the process that cleans
    page = page_with(course_config(Course(Path(__file__).parents[2])), new_notebook(cells=cells))
    assert sum(os.times()[:4]) - begun < 10  # 1 s; 60 s and more with nbconvert's own
    assert len(str(page)) < 3_000_000


@pytest.mark.parametrize("bound", ["time", "memory"])
def test_a_page_that_cannot_be_made_in_bounds_shows_what_was_typed(monkeypatch, caplog, bound):
    """Whatever nobody thought of: the server of the formgrader goes on, and the marks are shown."""

    def costly(text, room):
        while True:
            if bound == "memory":
                raise MemoryError

    monkeypatch.setattr(formgrader, "student_markdown", costly)
    monkeypatch.setattr(clock, "CPU_S", 1)
    page = page_with(course_config(Course(Path(__file__).parents[2])))
    assert dangers(page) == []
    assert "My **answer**, $a < b$" in page.find(class_="nbgrader_cell").find("pre").get_text()
    assert page.find("input", id="written_why") is not None
    assert 'print("<script>planted = 1' in page.find(class_="input_area").get_text()
    assert formgrader.LEFT_OUT in page.get_text()
    assert "took too long" in caplog.text


def test_a_fault_of_ours_is_told_by_the_formgrader(monkeypatch, caplog):
    """The page and the log say which; nothing is made a second time where nothing bounds it."""
    made_here = []

    def faulty(text, room):
        made_here.append(os.getpid())
        raise KeyError("ours \x1b[2J")

    monkeypatch.setattr(formgrader, "student_markdown", faulty)
    page = page_with(course_config(Course(Path(__file__).parents[2])))
    assert made_here == []  # the process beside this one has its own list
    assert "a fault of the grader and not of the submission: KeyError: 'ours" in page.get_text()
    assert dangers(page) == []
    assert page.find("input", id="written_why") is not None
    assert formgrader.NOT_MADE in page.get_text()
    assert "in faulty" in caplog.text
    assert "Traceback" in caplog.text
    assert "\x1b" not in caplog.text + page.get_text()


def test_a_photo_in_an_answer_is_shown_as_a_picture():
    photo = base64.b64encode(figure(random.Random(0), 400)).decode()
    cell = new_markdown_cell("My ![sketch](attachment:a.png)", attachments={"a.png": {"image/png": photo}})
    page = page_with(course_config(Course(Path(__file__).parents[2])), new_notebook(cells=[cell]))
    assert [image["src"] for image in page.find_all("img", alt="sketch")] == [f"data:image/png;base64,{photo}"]
    assert "attachment:a.png" not in page.get_text()
