"""Feedback pages: what a student must see, and what nobody must; each protection fails with nbgrader's own page."""

import json
import re
import shutil
import sys
import time
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.api import Gradebook
from traitlets.config import Config

from grader.core.cells import CellKind, kind_of
from grader.core.course import Course
from grader.core.nbgrader_api import course_config, folders_config, open_nbgrader
from grader.core.notebook import read_notebook, write_notebook
from grader.core.regions import hidden_tests
from grader.feedback import page as page_of
from grader.feedback import sanitise, scrub, steps
from grader.feedback.explain import explain_failures
from grader.feedback.layout import lay_out
from grader.feedback.page import findings_for_student
from grader.feedback.sanitise import clean_html, student_markdown
from grader.feedback.scrub import Scrubber
from grader.feedback.steps import HIDDEN_NOTE, failure, hide_tests
from grader.gradebook import records

ROOT = Path(__file__).parents[2]
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def marked(source, kind="code", **marks):
    """Make a cell with complete nbgrader metadata."""
    make = new_code_cell if kind == "code" else new_markdown_cell
    cell = make(source)
    known = {"grade": False, "solution": False, "locked": False, "task": False, "schema_version": 3}
    cell.metadata["nbgrader"] = known | marks
    return cell


VALUE = '''"""The value of small numbers."""
assert double(2) == 4, "<b>it</b> is not doubled: 2 & 2"
### BEGIN HIDDEN TESTS
assert double(-3.25) == -6.5, "it is not doubled for negative numbers"
### END HIDDEN TESTS'''
NEGATIVE = '''"""Negative numbers."""
import numpy as np
### BEGIN HIDDEN TESTS
secret_input_of_this_test = -17.125
assert double(secret_input_of_this_test) == -34.25, "it is not doubled for negative numbers"
### END HIDDEN TESTS'''
PASSED = '"""Nothing."""\nassert True'
WRONG = """
import numpy as np

def double(x):
    print("called with", x)
    if x == 2:
        return 4
    return 2 * abs(x)
"""
# What runs in the student's process and writes into the page.
HOSTILE = [
    """
from IPython.display import HTML, SVG, Javascript, Latex, Markdown, display
display(HTML("<script>student(1)</script><img src=x onerror='student(2)'><a href='javascript:student(3)'>x</a>"))
display(Javascript("student(4)"))
display(SVG("<svg xmlns='http://www.w3.org/2000/svg' onload='student(5)'><script>student(6)</script></svg>"))
display(Markdown("<iframe src='https://example.org/7'></iframe> [y](javascript:student(8))"))
display(Latex("$x$</div><script>student(9)</script>"))
display({"text/html": "<script>student(10)</script>"}, metadata={"text/html": {"isolated": True}}, raw=True)
display(HTML("<div style='position:fixed;top:0'>20 of 20</div><p class='message'>m</p><style>p{display:none}</style>"))
""",
    """
print("\\x1b[31m<script>student(11)</script>")
"</pre><script>student(12)</script>"
""",
    f"""
from IPython.display import display
display({{"image/png": "{PNG}", "text/plain": "a dot"}}, raw=True)
display({{"image/png": 'x" onerror="student(13)', "text/plain": "no image"}}, raw=True)
""",
    """
import pathlib, nbgrader
print(nbgrader.__file__, pathlib.__file__, pathlib.Path.cwd(), pathlib.Path.home() / "file")
nbgrader.utils.is_grade(None)
""",
    """
class Strange(Exception):
    pass
raise Strange("</pre><script>student(14)</script>")
""",
    # The hidden test as code in the student's process can find it under stock nbgrader.
    """
print(repr("secret_input_of_this_test" " = -17.125"))
""",
]
TEXT = """## Mine <script>student(20)</script>

<img src="https://example.org/track.png" onload="student(21)"> <svg onload="student(22)"></svg>
[link](javascript:student(23)) [good](https://example.org/good) ![dot](attachment:dot.png) ![lost](attachment:lost.png)
"""


def source():
    return new_notebook(
        cells=[
            new_markdown_cell("# Doubling\n\n## Exercise 1 - double"),
            marked(
                "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
                grade_id="double",
                solution=True,
            ),
            marked(VALUE, grade_id="test_value", grade=True, locked=True, points=2),
            marked(NEGATIVE, grade_id="test_negative", grade=True, locked=True, points=3),
            marked(PASSED, grade_id="test_nothing", grade=True, locked=True, points=1),
            marked("Why?", "markdown", grade_id="written_why", grade=True, solution=True, points=2),
        ],
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}},
    )


FINDINGS = [
    {"kind": "moved", "where": "double", "text": "A cell was <i>moved</i> back.", "level": "repaired"},
    {"kind": "lost", "where": "", "text": "The second half could not be used.", "level": "lost"},
    {"kind": "forged", "where": "", "text": "It looks for the gradebook.", "level": "suspicious"},
    {"kind": "odd", "where": "", "text": "Of an unknown level.", "level": "else"},
    "no finding",
]


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Mark a hostile submission with nbgrader's own steps; give its page by our configuration and by nbgrader's."""
    root = tmp_path_factory.mktemp("course")
    notebook = source()
    write_notebook(notebook, root / "source/ps1/ps1.ipynb")
    config = folders_config(course_config(Course(ROOT)), root)
    del config.Autograde
    config.CourseDirectory.source_directory = "source"
    config.Execute.extra_arguments = ["--IPKernelApp.log_level=ERROR"]
    config.Execute.iopub_timeout = 60
    with open_nbgrader(config, root / "log") as api:
        assert api.generate_assignment("ps1")["success"]
        submission = read_notebook(root / "release/ps1/ps1.ipynb")
        submission.cells[1].source = WRONG
        submission.cells[5].source = TEXT
        submission.cells[5]["attachments"] = {
            "dot.png": {"image/png": PNG, "text/html": "<script>student(30)</script>"},
            "lost.png": {"image/svg+xml": "PHN2Zy8+"},
        }
        submission.cells += [new_code_cell(text) for text in HOSTILE] + [new_markdown_cell(TEXT.split("![dot]")[0])]
        write_notebook(submission, root / "submitted/ada/ps1/ps1.ipynb")
        result = api.autograde("ps1", "ada")
        assert result["success"], result
        path = root / "autograded/ada/ps1/ps1.ipynb"
        graded = json.loads(path.read_text())
        record = {"submission": "", "tests": ""}
        with Gradebook(config.CourseDirectory.db_url) as gradebook:
            records.write(gradebook, "ps1", "ada", record)
            gradebook.db.commit()
        graded["metadata"]["marking"] = record | {"isolation": {}, "findings": FINDINGS}
        path.chmod(0o644)
        path.write_text(json.dumps(graded))
        result = api.generate_feedback("ps1", "ada", force=True)
        assert result["success"], result
    page = root / "feedback/ada/ps1/ps1.html"
    found = {"ours": page.read_text()}
    del config.GenerateFeedback
    del config.HTMLExporter  # what the formgrader's page goes through
    with open_nbgrader(config, root / "log") as api:
        result = api.generate_feedback("ps1", "ada", force=True)
        assert result["success"], result
    return found | {"stock": page.read_text(), "root": str(root)}


def attributes(page):
    for element in page.find_all(True):
        yield from ((element.name, name, str(value)) for name, value in element.attrs.items())


def of_student(page):
    """Give the page's scripts that a student wrote; nbgrader's own page has some of its template's."""
    return [s for s in page.find_all("script") if "student(" in s.get_text()]


HARM = {
    "script": of_student,
    "any script": lambda page: page.find_all("script"),
    "handler": lambda page: [a for a in attributes(page) if a[1].startswith("on")],
    "script address": lambda page: [a for a in attributes(page) if a[2].strip().lower().startswith("javascript:")],
    "frame": lambda page: page.find_all(["iframe", "object", "embed", "frame", "base", "form"]),
    "drawing": lambda page: [*page.find_all("svg"), *(a for a in attributes(page) if "image/svg" in a[2])],
    "request": lambda page: [a for a in attributes(page) if a[1] in ("src", "srcset") and not a[2].startswith("data:")],
    "overlay": lambda page: [a for a in attributes(page) if a[1] == "style" and "position" in a[2]],
    "style": lambda page: [s for s in page.find_all("style") if "p{display:none}" in s.get_text()],
    "hidden test": lambda page: re.findall(r"-3\.25\) == -6\.5|double\(secret_input", page.get_text()),
    "hidden line in an output": lambda page: re.findall(r"secret_input_of_this_test = ", page.get_text()),
    "hidden data printed": lambda page: re.findall(r"called with -(?:3\.25|17\.125)", page.get_text()),
    "library path": lambda page: re.findall(r"\S*site-packages\S*|\S*lib/python3\.\d+/\S*", page.get_text()),
    "home": lambda page: re.findall(re.escape(f"{Path.home()}/"), page.get_text()),
}


@pytest.mark.parametrize("name", HARM)
def test_no_harm_is_on_the_page_and_with_stock_nbgrader_it_is(pages, name):
    assert HARM[name](BeautifulSoup(pages["ours"], "html.parser")) == []
    assert HARM[name](BeautifulSoup(pages["stock"], "html.parser")) != []


def test_the_courses_folder_is_not_named(pages):
    assert pages["root"] not in pages["ours"]
    assert pages["root"] in pages["stock"]
    assert sys.prefix not in pages["ours"]
    assert sys.prefix in pages["stock"]


def test_the_page_forbids_scripts_and_requests(pages):
    page = BeautifulSoup(pages["ours"], "html.parser")
    policy = page.find("meta", attrs={"http-equiv": "Content-Security-Policy"})["content"]
    assert policy == "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    assert "Content-Security-Policy" not in pages["stock"]


def test_the_reason_stands_next_to_the_points(pages):
    page = BeautifulSoup(pages["ours"], "html.parser")
    rows = {
        row.a.get_text(): [cell.get_text() for cell in row.find_all("td")[1:]]
        for row in page.select("#marks tr:has(a)")
    }
    assert rows == {
        "test_value": ["0 of 2", "it is not doubled for negative numbers"],
        "test_negative": ["0 of 3", "it is not doubled for negative numbers"],
        "test_nothing": ["1 of 1", "passed"],
        "written_why": ["waits for a person (of 2)", ""],
    }
    section = page.find(id="test_value")
    assert section.find(class_="points").get_text() == "0 of 2"
    assert section.find(class_="message").get_text() == "it is not doubled for negative numbers"
    assert "The value of small numbers." in section.header.get_text()
    assert 'assert double(2) == 4, "<b>it</b> is not doubled: 2 & 2"' in section.get_text()
    assert HIDDEN_NOTE in section.get_text()
    assert page.find(class_="total").get_text() == "Points: 1 of 8, of which 2 wait for a person"
    assert page.find(id="test_nothing").find(class_="message") is None
    assert "Score: 0.0 / 2.0" in pages["stock"]  # which says no reason beside them


def test_what_was_noticed_is_told_but_not_what_is_for_the_instructor(pages, monkeypatch):
    page = BeautifulSoup(pages["ours"], "html.parser")
    told = [item.get_text() for item in page.find(id="noticed").find_next("ul").find_all("li")]
    assert told == ["A cell was <i>moved</i> back.", "The second half could not be used."]
    assert "gradebook" not in pages["ours"]
    # Without the choice by level it would be told.
    notebook = new_notebook(metadata={"marking": {"findings": FINDINGS[:3]}})
    assert len(findings_for_student(notebook)) == 2
    monkeypatch.setattr(page_of, "Level", type("All", (), {"REPAIRED": page_of.Level.SUSPICIOUS, "LOST": None}))
    assert [f.kind for f in findings_for_student(notebook)] == ["forged"]


@pytest.mark.parametrize("note", [None, {}, {"findings": None}, {"findings": "x"}, {"findings": [1, {}, {"kind": 1}]}])
def test_a_notebook_without_findings_has_none(note):
    notebook = new_notebook() if note is None else new_notebook(metadata={"marking": note})
    assert findings_for_student(notebook) == []


def test_images_answers_and_errors_of_the_students_own_stay(pages):
    page = BeautifulSoup(pages["ours"], "html.parser")
    images = [(image["alt"], image["src"]) for image in page.find_all("img")]
    assert images.count(("a dot", f"data:image/png;base64,{PNG}")) == 1
    assert all(source == f"data:image/png;base64,{PNG}" for _, source in images)
    text = page.get_text()
    assert "return 2 * abs(x)" in text
    # In the outputs: the code beside them has these words, too.
    outputs = [output.get_text() for output in page.select("pre.output, div.output")]
    assert "no image" in outputs
    assert any("Strange" in output and "</pre><script>student(14)</script>" in output for output in outputs)
    assert "](attachment:lost.png)" in text  # a lost image costs the markup of its cell, not the page
    assert "nbgrader/utils.py" in text
    assert page.find("a", href="https://example.org/good") is not None


def test_the_page_is_well_made(pages):
    page = BeautifulSoup(pages["ours"], "html.parser")
    assert len(page.find_all("h1")) == 1
    assert page.html["lang"] == "en"
    assert "ps1" in page.title.get_text()
    ids = [element["id"] for element in page.find_all(id=True)]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in page.find_all("a", href=re.compile("^#"))} <= set(ids)
    assert [summary.get_text() for summary in page.select("details[open] > summary")] == [
        "7 cells of your own; at least one ended with an error"
    ]


# Pieces ---------------------------------------------------------------------------------------------------------------

VECTORS = [
    "<script>alert(1)</script>",
    "<SCRIPT SRC=//example.org/x.js>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src='data:image/svg+xml;base64,PHN2Zy8+'>",
    "<img src='https://example.org/x.png'>",
    "<img srcset='https://example.org/x.png 1x'>",
    "<svg><script>alert(1)</script></svg>",
    "<svg><a xlink:href='javascript:alert(1)'>x</a></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></mglyph></table></mtext></math>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<a href='javascript:alert(1)'>x</a>",
    "<a href=' jAvAsCrIpT&#58;alert(1)'>x</a>",
    "<a href='java\tscript:alert(1)'>x</a>",
    "<a href='data:text/html,<script>alert(1)</script>'>x</a>",
    "<a href='vbscript:x'>x</a>",
    "<a href='file:///etc/passwd'>x</a>",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>",
    "<object data='x'></object><embed src='x'><base href='//example.org'><link rel=stylesheet href=x>",
    "<form action='//example.org'><button formaction='javascript:alert(1)'>x</button><input onfocus=alert(1)></form>",
    "<meta http-equiv=refresh content='0;url=//example.org'>",
    "<details ontoggle=alert(1) open>x</details>",
    "<p style='background:url(//example.org)'>x</p><p style='position:fixed;z-index:9'>x</p>",
    "<style>@import '//example.org';</style>",
    "<p class='message points' id='top' name='x'>x</p>",
    "</main></body></html><script>alert(1)</script>",
    "<!--><script>alert(1)</script>-->",
    "<template><script>alert(1)</script></template>",
    "<x onclick=alert(1)>x</x>",
    "<video src=x onerror=alert(1)></video><audio autoplay onplay=alert(1)>",
    "<script>never closed",
    "\0<scr\0ipt>alert(1)</scr\0ipt>",
    # A tag inside an attribute, which whoever changes the cleaned page with a pattern could set free.
    "<img alt='><img src=x onerror=alert(1)>'>",
    "<img alt='<script>alert(1)</script>'>",
    "<img alt='&lt;script&gt;alert(1)&lt;/script&gt;'>",
    "<p title='><img src=x onerror=alert(1)>'>x</p><p title='<img alt=y onerror=alert(1)>'>x</p>",
    "<h1 title='<h1><img src=x onerror=alert(1)>'>x</h1>",
    "<textarea><title><style><plaintext onclick=alert(1)>",
    "\ud800<img alt='\udfff' src=x onerror=alert(1)>",
]


@pytest.mark.parametrize("vector", VECTORS)
@pytest.mark.parametrize("clean", [clean_html, student_markdown])
def test_html_of_students_is_harmless(clean, vector):
    cleaned = clean(vector)
    assert cleaned.encode("utf-8").decode("utf-8") == cleaned  # or the page could not be written
    page = BeautifulSoup(cleaned, "html.parser")
    assert {element.name for element in page.find_all(True)} <= sanitise.TAGS
    for tag, name, value in attributes(page):
        assert name in sanitise.ATTRIBUTES["*"] | sanitise.ATTRIBUTES.get(tag, set())
        assert not re.search(
            r"script|url\(|position|data:(?!image/png)|example\.org|file:|message", value, re.IGNORECASE
        )


#: What students write between < and >, which a parser of HTML takes for tags.
LIKE_TAGS = [
    "It emits <end> first, then <pad/>; </start> and <unk> are <s>tokens</s>, a <query> meets a <key>.",
    "if n<m and weights>0, then 0<alpha and beta>1; i<p and q>0, a<b x=1 y>2, j<q>2",
    'List<int> and Dict<str, float>, max(n) <x y="z"> w',
    "<title> a title\n\n*not* lost",
    "Use <script> here\n\n*not* lost",
    "<script> at first\n\nnot lost",
    "the <template> and <noscript>that</noscript>, <xmp>this</xmp>, <plaintext>, <svg><text>x</text></svg>",
    "<textarea>\nin it\n\nbehind it",
    "<head> one\n\n<td> <mask> in a block, </mask x>, n<w and y>0",
    "<!-- in a comment -->\n\nbehind <!-- and <end> in -- one > two -->",
    "<![CDATA[ x ]]> y <? z ?> w <!DOCTYPE u> v",
    "<b title='<end>'> x",
]


@pytest.mark.parametrize("text", LIKE_TAGS)
def test_what_looks_like_a_tag_in_an_answer_is_shown_as_typed(text):
    shown = BeautifulSoup(student_markdown(text), "html.parser").get_text()
    assert shown.split() == text.replace("*", "").replace("<td> ", "").split()


def test_boxes_of_a_list_are_ticked_or_not():
    shown = BeautifulSoup(student_markdown("- [x] **a**\n- [ ] b\n- c"), "html.parser")
    assert [item.get_text() for item in shown.find_all("li")] == ["☑ a", "☐ b", "c"]


def test_tags_of_the_looks_and_what_editors_paste_are_not_shown():
    pasted = "<p class=MsoNormal><font color='red'>a</font><o:p>b</o:p></p><!--[if gte mso 9]><xml>x</xml><![endif]-->"
    sheet = "<style>\n.a td { color: red; }\n</style>"
    assert student_markdown(f"{pasted}\n{sheet}\n<center>c</center>").split() == ["<p>ab</p>", "c"]
    assert student_markdown("x<br/>y<td nowrap>").startswith("<p>x<br>y")
    assert student_markdown("<details open>\n<summary>s</summary>\n\n**t**\n\n</details>").count("<strong>") == 1


def test_markdown_that_cannot_be_rendered_is_shown_as_typed_and_our_faults_are_counted(monkeypatch, caplog):
    lost = new_markdown_cell("*a* <b> ![x](attachment:lost.png)")
    assert student_markdown(lost) == "<pre>*a* &lt;b&gt; ![x](attachment:lost.png)</pre>"
    assert caplog.records == []

    def stumble(text, renderer):
        raise ZeroDivisionError("the renderer's own")

    monkeypatch.setattr(sanitise, "rendered", stumble)
    with sanitise.faults_told_once("ada\x1b ps1"):
        for _ in range(30):
            assert student_markdown("*a*") == "<pre>*a*</pre>"
    [record] = caplog.records
    assert record.name == "grader.feedback.sanitise"
    assert not record.exc_info
    assert record.getMessage().startswith("ada\ufffd ps1: 30 texts could not be rendered (ZeroDivisionError)")


def test_plain_html_stays():
    table = '<table><thead><tr><th scope="col">a</th></tr></thead><tbody><tr><td>1 &lt; 2</td></tr></tbody></table>'
    assert clean_html(table) == table
    image = f'<img alt="what it shows" src="data:image/png;base64,{PNG}" style="max-width:100%">'
    assert clean_html(image) == image
    assert clean_html("<h1>One</h1><h5>Five</h5>") == "<h3>One</h3><h6>Five</h6>"
    assert clean_html('<p><img alt="A badge" src="https://example.org/x.svg"></p>') == "<p>A badge</p>"
    assert clean_html("<img alt='1 &lt; 2 &amp; \"3\"' src='https://example.org/x.svg'>") == '1 &lt; 2 &amp; "3"'
    assert clean_html('<a href="https://example.org/">a</a>') == '<a href="https://example.org/">a</a>'
    assert student_markdown("*a* `b` $x_1 < y$") == "<p><em>a</em> <code>b</code> $x_1 &lt; y$</p>\n"


@pytest.mark.parametrize(
    ("source", "shown", "hidden"),
    [
        ("a\n### BEGIN HIDDEN TESTS\nb\n### END HIDDEN TESTS\nc", f"a\n{HIDDEN_NOTE}\nc", ["b"]),
        (
            "if a:\n    ### BEGIN HIDDEN TESTS\n    b\n    ### END HIDDEN TESTS",
            f"if a:\n    {HIDDEN_NOTE}",
            ["    b"],
        ),
        ("### BEGIN HIDDEN TESTS\nb\nc", HIDDEN_NOTE, ["b", "c"]),
        (
            "### BEGIN HIDDEN TESTS\nb\n### BEGIN HIDDEN TESTS\nc\n### END HIDDEN TESTS\nd",
            f"{HIDDEN_NOTE}\nd",
            ["b", "c"],
        ),
        ("a\n### END HIDDEN TESTS\nb", "a\n### END HIDDEN TESTS\nb", []),
        ("", "", []),
    ],
)
def test_regions_of_hidden_tests(source, shown, hidden):
    assert hide_tests(source, hidden_tests()) == (shown, hidden)


def error(name, text=""):
    return new_output("error", ename=name, evalue=text, traceback=["a line of the test"])


@pytest.mark.parametrize(
    ("outputs", "says"),
    [
        ([], ""),
        ([new_output("stream", text="x")], ""),
        ([new_output("stream", text="x"), error("AssertionError", "not doubled")], "not doubled"),
        ([error("AssertionError")], "The test failed; it gives no further reason."),
        ([error("TypeError", "\x1b[31mno\x1b[0m")], "TypeError: no"),
        ([error("KeyboardInterrupt")], "The test did not end within its time."),
        ([error("StopIteration")], "StopIteration"),
        ([error("NotImplementedError", "not written yet")], "not written yet"),
        ([error("TimeoutError")], "TimeoutError"),
        ([error("ValueError", "x" * 5000)], "ValueError: " + "x" * (steps.MESSAGE_LENGTH - 12) + " ..."),
    ],
)
def test_why_a_test_failed(outputs, says):
    assert failure(outputs) == says


@pytest.mark.parametrize(
    ("kind", "text", "by_test", "says"),
    [
        ("AssertionError", "not doubled", {"test_negative": 4}, "not doubled"),
        ("AssertionError", "the test is wrong", {}, "AssertionError: the test is wrong"),
        ("AssertionError", "", {}, "AssertionError"),
        ("KeyboardInterrupt", "", {}, "KeyboardInterrupt"),
        ("KeyboardInterrupt", "", None, "The test did not end within its time."),
        ("AssertionError", "marked before this was noted", None, "marked before this was noted"),
        ("NotImplementedError", "not written yet", {}, "not written yet"),
        ("NotImplementedError", "还没有写", {}, "还没有写"),
        ("NotImplementedError", "fill me in", {}, "fill me in"),
        ("NotImplementedError", "this test was withdrawn", {}, "NotImplementedError: this test was withdrawn"),
        ("NotImplementedError", "这个测试已经取消", {}, "NotImplementedError: 这个测试已经取消"),
    ],
)
def test_no_error_of_a_students_reads_like_a_reason_of_the_courses(tmp_path, kind, text, by_test, says):
    test = marked(NEGATIVE, grade_id="test_negative", grade=True, locked=True, points=3)
    test["outputs"] = [error(kind, text)]
    note = {"isolation": {"level": "bubblewrap"}, "causes": []} | ({} if by_test is None else {"by_test": by_test})
    stub = new_code_cell("def double(x):\n    raise NotImplementedError('fill me in')")
    write_notebook(new_notebook(cells=[stub]), tmp_path / "release/ps1/ps1.ipynb")
    shutil.copytree(Course.find().root / "assets/locale/zh_CN", tmp_path / "assets/locale/zh_CN")
    config = Config({"CourseDirectory": {"root": str(tmp_path)}})
    names = {"nbgrader": {"assignment": "ps1", "notebook": "ps1"}}
    found, _ = steps.HideTests(config=config).preprocess(new_notebook(cells=[test], metadata={"marking": note}), names)
    assert found.cells[0].metadata.feedback.message == says


def test_a_message_that_quotes_a_hidden_line_loses_it():
    cells = [
        marked(NEGATIVE, grade_id="test_negative", grade=True, locked=True, points=3),
        marked("import numpy as np", grade_id="test_other", grade=True, locked=True, points=3),
        new_code_cell(
            "1", outputs=[new_output("stream", text="x secret_input_of_this_test = -17.125 y import numpy as np")]
        ),
    ]
    cells[0]["outputs"] = [error("KeyError", "secret_input_of_this_test = -17.125")]
    cells[0].metadata["feedback"] = {"message": "forged"}
    notebook, _ = steps.HideTests().preprocess(new_notebook(cells=cells), {})
    assert notebook.cells[0].metadata.feedback.message == "KeyError: [hidden test]"
    assert notebook.cells[2].outputs[0].text == "x [hidden test] y import numpy as np"  # the last also stands in sight


HIDDEN_LINE, OTHER_LINE = "secret_input_of_this_test = -17.125", "secret_input_of_this_test = -17.126"


def guessed(line):
    """Make a marked notebook in which the student's side says a line wherever it can say something."""
    test, helper = marked(NEGATIVE, grade_id="test_negative", grade=True, locked=True, points=3), new_code_cell("1")
    test["outputs"] = [error("ValueError", f"guess: {line}")]
    answer = marked("def double(x): ...", grade_id="double", solution=True)
    helper["outputs"] = [
        new_output("stream", text=f"guess: {line}"),
        new_output("execute_result", data={"text/plain": line}),
        error("KeyError", line),
    ]
    cause = {"test": "test_negative", "exercise": "double", "name": "x", "says": f"it raised \u201c{line}\u201d"}
    cause["example"] = {"function": "double", "arguments": [["x", line]], "got": line, "wanted": []}
    note = {"isolation": {"level": "bubblewrap"}, "causes": [cause]}
    return new_notebook(cells=[answer, test, helper], metadata={"marking": note})


def test_a_guess_of_a_students_looks_the_same_whether_or_not_it_is_a_line_of_a_hidden_test():
    right, wrong = (steps.HideTests().preprocess(guessed(line), {})[0] for line in (HIDDEN_LINE, OTHER_LINE))
    assert [HIDDEN_LINE in cell.source for cell in right.cells] == [False, False, False]
    shown = [json.dumps([[c.get("outputs"), c.metadata.get("feedback")] for c in nb.cells]) for nb in (right, wrong)]
    assert shown[0].count(HIDDEN_LINE) == 7
    assert shown[0].replace(HIDDEN_LINE, OTHER_LINE) == shown[1]


def test_markers_in_a_cell_of_a_students_own_make_no_guess_a_hidden_line():
    """A test's message holds the first guess and not the second: taken out of the reason, it would be told apart."""
    shown = []
    for guess in ("gives the absolute value", "gives the relative value"):
        notebook = guessed(guess)
        notebook.cells[1].source += '\nassert double(-1) == -2, "it gives the absolute value"'
        around = f"### BEGIN HIDDEN TESTS\n# {guess}\n### END HIDDEN TESTS"
        notebook.cells[0].source += f"\n{around}"
        notebook.cells.append(new_code_cell(around))
        notebook, _ = steps.HideTests().preprocess(notebook, {})
        assert [around in notebook.cells[n].source for n in (0, -1)] == [True, True]
        assert guess in notebook.cells[1].metadata.feedback.message
        shown.append(json.dumps([[c.get("outputs"), c.metadata.get("feedback")] for c in notebook.cells]))
    assert shown[0].replace("absolute", "relative") == shown[1]


def test_what_the_tests_say_of_a_hidden_line_is_taken_out_though_a_student_may_have_said_it():
    notebook = guessed(OTHER_LINE)
    quoting = f'assert double(1) == 2, "see {HIDDEN_LINE}"\nassert double(2), f"{{double}}: {HIDDEN_LINE}"'
    quoting = f"### BEGIN HIDDEN TESTS\n{quoting}\n### END HIDDEN TESTS"
    notebook.cells.append(marked(quoting, grade_id="test_more", grade=True, locked=True, points=1))
    notebook.cells[3]["outputs"] = [error("AssertionError", f"see {HIDDEN_LINE}")]
    notebook.metadata.marking.causes[0].example["arguments"] = [["x", f"[{HIDDEN_LINE}]"]]
    notebook, _ = steps.HideTests().preprocess(notebook, {})
    assert notebook.cells[3].metadata.feedback.message == "see [hidden test]"
    assert notebook.cells[1].metadata.feedback.example["arguments"] == [["x", "[[hidden test]]"]]
    assert HIDDEN_LINE not in json.dumps(notebook.cells)


def test_no_string_of_the_courses_tests_holds_a_line_of_a_hidden_one():
    """So in its reasons nothing is ever taken out, and no guess can be told from another one by that."""
    for assignment in Course(ROOT).assignments():
        tests = [c.source for c in read_notebook(Course(ROOT).source(assignment)).cells if kind_of(c) is CellKind.TEST]
        strings = [text for test in tests for text in steps.strings_in(test)]
        hidden = {line.strip() for test in tests for line in hide_tests(test, hidden_tests())[1]}
        assert len(hidden) > 20
        assert [s for s in hidden if len(s) >= steps.SECRET_LENGTH and any(s in text for text in strings)] == []


def test_a_heading_of_a_students_own_is_no_section_of_the_course():
    answer = marked("def double(x): ...", grade_id="double", solution=True)
    test = marked(PASSED, grade_id="test_nothing", grade=True, locked=True, points=1)
    test["outputs"] = [error("AssertionError", "not doubled")]
    texts = ["## 3. Doubling", "The course says this.", "## Read [this](https://example.org)", "And this."]
    cause = {"test": "test_nothing", "exercise": "double", "name": "x", "says": "it is halved"}
    notebook = new_notebook(cells=[*map(new_markdown_cell, texts), answer, test])
    notebook.metadata["marking"] = {"isolation": {"level": "landlock"}, "causes": [cause]}
    released = frozenset([texts[0], texts[1], texts[3]])
    explain_failures_of(notebook, released)
    assert test.metadata.feedback.section.title == "3. Doubling"
    [section] = lay_out(notebook, released).sections
    assert section.title == "3. Doubling"
    assert [cell.source for cell in section.cells] == [texts[0], texts[1], texts[3]]


def explain_failures_of(notebook, released):
    for cell in notebook.cells:
        if cell.get("outputs"):
            cell.metadata["feedback"] = {"message": failure(cell.outputs)}
    explain_failures(notebook, released)


@pytest.mark.parametrize(
    ("text", "scrubbed"),
    [
        ("/opt/venv/lib/python3.12/site-packages/numpy/core.py:3", "numpy/core.py:3"),
        ('File "/usr/lib/python3/dist-packages/x/y.py", line 3', 'File "x/y.py", line 3'),
        ("/usr/lib/python3.11/json/decoder.py", "json/decoder.py"),
        ("/srv/course/grader/local/x.ipynb", "course/grader/local/x.ipynb"),
        ("/srv/courses are many", "/srv/courses are many"),
        ("/home/someone/file and /Users/Some/file", "~/file and ~/file"),
        (r"C:\Users\Some\file", r"~\file"),
        ("/tmp/ipykernel_12/345.py:3: UserWarning", "cell:3: UserWarning"),
        ("the square/srv/course of d, x.org/srv/course?id=3", "the square/srv/course of d, x.org/srv/course?id=3"),
        ("a / b, 1/2, and/or https://example.org/home/x", "a / b, 1/2, and/or https://example.org/home/x"),
    ],
)
def test_paths_are_scrubbed(text, scrubbed, monkeypatch):
    monkeypatch.setattr(scrub.tempfile, "gettempdir", lambda: "/tmp")
    assert Scrubber("/srv/course")(text) == scrubbed


def test_scrubbing_takes_little_time_on_an_image():
    image = "+/" * 30_000  # as base64 has them: each slash could begin a path that goes on to the end
    start = time.process_time()
    assert Scrubber("/srv/course")(image) == image
    assert time.process_time() - start < 5  # 0.2 s; 30 s if the length of a path had no bound


def test_a_hostile_notebook_is_cleaned_whatever_its_outputs_are():
    bundles = [{"image/png": 5}, {"image/png": "QUJD"}, {"text/html": 3}, {"text/html": ["<b>"]}, {"x/y": "z"}, {}]
    notebook = new_notebook(cells=[new_code_cell("1", outputs=[new_output("display_data") for _ in bundles])])
    for output, bundle in zip(notebook.cells[0].outputs, bundles, strict=True):
        output["data"] = bundle
    notebook.cells[0]["attachments"] = {"x": {"image/png": PNG}}
    notebook, _ = steps.CleanOutputs().preprocess(notebook, {})
    assert notebook.cells[0].outputs == []
    assert "attachments" not in notebook.cells[0]
