"""What a student's HTML, Markdown and code cost: linear in their length, plain text beyond the bounds."""

import base64
import copy
import html
import io
import random
import re
import struct
import time
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from nbgrader.server_extensions.formgrader import handlers
from PIL import Image

from grader.feedback import bounds, colours, steps
from grader.feedback.bounds import is_simple_html, is_simple_markdown
from grader.feedback.colours import MAX_COLOURED, MAX_WORDS, Colours, coloured
from grader.feedback.page import FeedbackExporter
from grader.feedback.sanitise import _places, clean_html, student_markdown
from grader.feedback.styles import safe_style
from grader.testing.exploring import _figure as figure

#: CPU seconds that no piece may take; each of these took from 1 to 90.
LONG = 1.0
HTML = {
    "nested": "<div>" * 50_000,
    "reopened": "".join(f"<b title={n}>" for n in range(3_000)) + "<p>x" * 3_000,
    "reopened by blocks": "<p><b title=a><i title=b><u title=c>" * 3_000,
    "closed in comments": "<div><!--</div>-->" * 10_000,
    "closed in attributes": "<div><p title='>x</div>'>" * 10_000,
    "closed in texts": "<div><xmp></div></xmp>" * 10_000,
    "tables": "<table><tr><td>" * 10_000,
    "terms in items": "<dt><li>" * 4_000,
    "ends of nothing": "<div></span>" * 4_000,
    "long": "x" * 3_000_000,
    "open": "<a " * 60_000,
}
MARKDOWN = {
    "brackets": "[" * 200_000,
    "backticks": "`" * 100 + "`a" * 90_000,
    "environments": "\\begin{a}" * 20_000,
    "images": "![" * 90_000,
    "links": "[a](" * 50_000,
    "html": "<div>" * 30_000,
    "tables that are none": "a|b\n-|-\n" * 1_100 + "|-" * 5_000,
    "tables of empty cells": "a|b\n|\n" * 1_500 + "|-" * 4_000,
    "tables with wide spaces": "a|b\r-\u2003|-\r" * 1_000 + "|-" * 4_000,
    "long": "x " * 1_000_000,
}
CODE = {
    "blank lines": "if x:\n" + "    \n" * 4_000,
    "tabs": "\t\n" * 8_000,
    "quotes": '"""' * 20_000,
    "open text": '"""' + '"a' * 25_000,
    "backslashes": "'" + "\\" * 50_000,
    "decorators": "@" * 50_000,
    "formats": "f'{" * 20_000,
    "magics": "%x\n" * 20_000,
    "long": "x = 1\n" * 100_000,
}


#: A PNG file of a million bytes, in base64.
PHOTO = base64.b64encode(figure(random.Random(0), 600)).decode()


def costs(function, *args):
    begun = time.process_time()
    function(*args)
    return time.process_time() - begun


@pytest.mark.parametrize("name", HTML)
def test_html_that_a_cleaner_is_slow_on_is_shown_as_typed(name):
    assert costs(clean_html, HTML[name]) < LONG
    shown = clean_html(HTML[name])
    assert len(shown) < 2 * bounds.MAX_HTML
    assert shown.startswith("<pre>") or name == "open"


@pytest.mark.parametrize("name", MARKDOWN)
def test_markdown_that_a_parser_is_slow_on_is_shown_as_typed(name):
    assert costs(student_markdown, MARKDOWN[name]) < LONG
    shown = student_markdown(MARKDOWN[name])
    assert shown.startswith("<pre>")
    assert len(shown) < 8 * bounds.MAX_MARKDOWN


@pytest.mark.parametrize(
    "text",
    [
        "<script>" + "<b" + "\n" * 19_000,
        "<script>" + ("<b" + "\n" * 180) * 100,
        "<b xx='' yy='" * 1_500,
        "<b xx=\"'" * 2_400,
        "<script>" + "<!--StartFragment" * 1_100,
        "<" * 19_900,
        "<div>\n<b aa" + " \t" * 490 + "<b aa=1 " * 2_000,
        "<" + "b" * 19_000,
    ],
)
def test_tags_that_are_none_are_found_in_a_time_that_the_length_decides(text):
    assert is_simple_markdown(text)
    assert costs(student_markdown, text) < LONG


@pytest.mark.parametrize("name", CODE)
def test_code_that_a_lexer_is_slow_on_gets_its_colours_in_time(name):
    assert costs(coloured, CODE[name]) < LONG
    shown = coloured(CODE[name])
    assert BeautifulSoup(shown, "html.parser").get_text() == CODE[name]
    assert len(shown) < 30 * len(CODE[name])


@pytest.mark.parametrize(
    "text",
    [
        "<table border=1><thead><tr><th></th><th>a</th></tr></thead>" + "<tr><td>1</td><td>2</td></tr>" * 500,
        "<ul>" + "<li>one <b>two</b> <i>three</i>" * 300 + "</ul>",
        "<div>" * 40 + "x" + "</div>" * 40,
        "<p>one<p>two<br>three" * 500,
        "<b>" + "<p>x</p>" * 100 + "</b>",
        "<table>" + "<tr><td>1<br><td><img alt='x'>" * 1_000 + "</table>",
        "a < b and b > c, <a href='https://example.org'>link</a>",
    ],
)
def test_what_people_write_is_rendered(text):
    assert is_simple_html(text)
    assert not clean_html(text).startswith("<pre>")


def test_a_table_of_pandas_is_rendered_without_its_style_sheet():
    sheet = "<style scoped>\n    .dataframe tbody tr th { vertical-align: top; }\n</style>"
    table = f'<div>\n{sheet}\n<table border="1" class="dataframe"><tbody><tr><td>1</td></tr></tbody></table>\n</div>'
    assert clean_html(table) == "<div>\n\n<table><tbody><tr><td>1</td></tr></tbody></table>\n</div>"


def test_an_answer_of_some_pages_is_markdown():
    answer = "The weights sum to **1**, as `softmax` divides by the sum; see [1](#a) and $x_1$.\n\n" * 100
    assert is_simple_markdown(answer)
    assert student_markdown(answer).count("<strong>") == 100


@pytest.mark.parametrize(
    ("columns", "rows", "tables"),
    [(8, 200, 1), (2, 12, 40), (2, 600, 1), (10, 4, 25)],
)
def test_tables_that_people_write_are_tables(columns, rows, tables):
    one = "\n".join(["| head " * columns + "|", "|---" * columns + "|", *["| 1.0 " * columns + "|"] * rows])
    text = f"{one}\n\n" * tables
    assert is_simple_markdown(text)
    assert student_markdown(text).count("<td>") == columns * rows * tables


def test_a_table_without_any_results_is_a_table():
    text = "a | b | c\n--|---|--\n" + "- | - | -\n" * 200
    assert student_markdown(text).count("<td>") == 600


def test_a_photo_in_an_answer_is_shown_as_a_picture():
    cell = new_markdown_cell("*My* ![sketch](attachment:a.png)", attachments={"a.png": {"image/png": PHOTO}})
    notebook, _ = steps.CleanOutputs().preprocess(new_notebook(cells=[cell]), {})
    page = BeautifulSoup(student_markdown(notebook.cells[0]), "html.parser")
    assert page.get_text().strip() == "My"
    assert page.img["src"] == f"data:image/png;base64,{PHOTO}"
    assert page.img["alt"] == "sketch"


def test_a_photo_that_is_repeated_is_no_flood():
    cell = new_markdown_cell("![s](attachment:a.png) " * 300, attachments={"a.png": {"image/png": PHOTO}})
    shown = student_markdown(cell)
    assert shown.count("<img") == 1
    assert len(shown) < len(PHOTO) + 10_000
    assert BeautifulSoup(shown, "html.parser").get_text().split() == ["s"] * 299


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Screenshot 2026-11-20 at 12.00.00.png", "![s](<attachment:Screenshot 2026-11-20 at 12.00.00.png>)"),
        ("my pic.png", "![s](attachment:my%20pic.png)"),
        ("my%20pic.png", "![s](attachment:my%20pic.png)"),
        ("\u56fe\u7247.png", "![s](attachment:\u56fe\u7247.png)"),
        ("Eve's.png", "![s](attachment:Eve's.png)"),
        ("a&b.png", '<img alt="s" src="attachment:a&amp;b.png">'),
        ("a.png", '<img alt="s" src="attachment:a.png">'),
        ("a.png", "words <img alt='s' src='attachment:a.png'/> in a line"),
        ("my pic.png", '<figure><img alt="s" src="attachment:my pic.png"><figcaption>c</figcaption></figure>'),
        ("a.png", '<div align="center">\n<p><img alt="s" src="attachment:a.png"></p>\n</div>'),
        ("pasted-3-1", '<p align="center">![](attachment:pasted-3-1)</p>'),  # how `unpasted` leaves it
    ],
)
def test_an_attached_image_is_shown_however_its_address_is_written(name, text):
    shown = student_markdown(new_markdown_cell(text, attachments={name: {"image/png": PHOTO}}))
    assert shown.count(f'src="data:image/png;base64,{PHOTO}"') == 1
    assert "attachment:" not in shown


def test_the_size_that_an_attached_image_is_given_is_kept_and_nothing_else():
    photo = {"a.png": {"image/png": PHOTO}}
    for size, kept in [
        ('width="400"', ' width="400"'),
        ('width="99999"', ""),
        ('height="50%"', ""),
        ('width="1e3"', ""),
    ]:
        text = f'<img src="attachment:a.png" {size} srcset="https://example.org/x 2x" onload="a()" id="b">'
        shown = student_markdown(new_markdown_cell(text, attachments=photo))
        assert shown.strip() == f'<img src="data:image/png;base64,{PHOTO}"{kept}>'


def test_an_image_that_is_missing_takes_no_other_along():
    text = "*a* ![s](attachment:a.png) ![t](attachment:lost%20one.png)"
    shown = student_markdown(new_markdown_cell(text, attachments={"a.png": {"image/png": PHOTO}}))
    assert shown.startswith('<p><em>a</em> <img src="data:image/png;base64,')
    assert shown.endswith("![t](attachment:lost one.png)</p>\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("![](https://example.org/a.png)", ": https://example.org/a.png"),
        (
            '<img src="https://example.org/a.png?b=1&amp;c=&lt;b&gt;" width="400">',
            ": https://example.org/a.png?b=1&amp;c=&lt;b&gt;",
        ),
        ("![](my%20sketch.png)", ": my sketch.png"),
        ("![](data:image/svg+xml;base64,PHN2Zz4=)", ": data:image/svg+xml"),
        ("![](data:image/webp;base64,UklGRg==)", ": data:image/webp"),
        ("![](data:,a%22%3E)", ": data:"),
        ('<img src="attachment:lost.png">', ": attachment:lost.png"),
        ("![](file:///etc/passwd)", ""),
        ('<img src="C:\\a.png">', ""),
    ],
)
def test_that_an_image_from_elsewhere_is_not_shown_is_said(text, said):
    shown = student_markdown(text)
    assert f"[a picture that is not shown{said}]" in shown
    assert "<img" not in shown


def test_the_address_of_an_image_from_elsewhere_is_short_and_nothing_but_text():
    for address in ("https://example.org/" + "a" * 5_000, "\u56fe" * 3_000, "x\u202ey", "a%3Cscript%3Eb%E2%80%AE.png"):
        shown = student_markdown(f'<img src="{address}">')
        assert len(shown) < 200
        assert not re.search("<(?!/?p>)|\u202e", shown)
    assert student_markdown("![my sketch](https://example.org/a.png)") == "<p>my sketch</p>\n"


def test_what_is_attached_and_no_picture_is_its_alternative_text():
    broken = {"a.png": {"image/png": PHOTO[:-40]}, "b.svg": {"image/svg+xml": "PHN2Zy8+"}}
    cell = new_markdown_cell("![s](attachment:a.png) ![t](attachment:b.svg)", attachments=broken)
    assert student_markdown(cell) == "<p>s t</p>\n"


def test_code_has_its_colours():
    page = BeautifulSoup(
        coloured('def f(x, n=2.5):  # twice\n    return len("a\'b") + x.len if n else """c"""'), "html.parser"
    )
    found = [(span["class"][0], span.get_text()) for span in page.find_all("span")]
    assert found == [
        ("k", "def"),
        ("nf", "f"),
        ("mi", "2.5"),
        ("c1", "# twice"),
        ("k", "return"),
        ("nb", "len"),
        ("s2", '"a\'b"'),
        ("k", "if"),
        ("k", "else"),
        ("s2", '"""c"""'),
    ]
    assert coloured("<b>&") == '<div class="highlight"><pre>&lt;b&gt;&amp;</pre></div>'
    assert "<span" not in coloured("def x" * MAX_COLOURED)


SHEETS = sorted((Path(handlers.__file__).parent / "static").rglob("*.css"))


@pytest.mark.parametrize("sheet", SHEETS, ids=lambda sheet: sheet.name)
def test_no_class_of_a_students_is_one_of_bootstraps(sheet):
    """`h1` enlarged letters, with which boxes that counted as wide had room for one letter a line: 110 seconds."""
    css = re.sub("[^{}]*[.]highlight[^{}]*{[^}]*}", "", sheet.read_text(encoding="utf-8"))
    named = set(re.findall(r"[.]([A-Za-z][A-Za-z0-9_-]*)(?=[^{}]*{)", css))
    kept = [name for name in sorted(named) if "class=" in clean_html(f'<p class="{name}">a</p>')]
    assert kept == []


def test_the_classes_of_code_stay():
    for name in ("highlight", "k", "nf", "s2", "sd", "mi", "c1", "cpf"):
        assert clean_html(f'<span class="{name}">a</span>') == f'<span class="{name}">a</span>'
    assert clean_html('<span class="">a</span><span class="h1">b</span>') == "<span>a</span><span>b</span>"


@pytest.mark.parametrize(
    "style",
    [
        "font-size:9999px",
        "font-size:20em",
        "font-size:calc(10px * 99)",
        "line-height:0",
        "line-height:0.01",
        "padding:9999px",
        "padding:1px 1px 999px",
        "border:5000px solid red",
        "width:99999px",
        "width:900%",
        "text-indent:-999px",
        "letter-spacing:99px",
        "position:fixed",
        "margin:-99px",
        "transform:scale(99)",
        "color:url(//example.org)",
        "color:var(--x)",
        "float:left",
        "font:999px serif",
        "display:block",
        "box-shadow:0 0 0 999px red",
        "overflow:visible",
        "contain:none",
        "line-height:normal !important;padding:500px !important",
    ],
)
def test_a_style_cannot_leave_its_place(style):
    kept = safe_style(style)
    assert kept in ("", "line-height:normal")
    assert "px" not in clean_html(f"<p style='{style}'>x</p>")


def test_a_style_that_colours_and_spaces_stays():
    style = "color:#a00;background-color:rgb(1, 2, 3);font-size:120%;padding:2px 4px;width:100%;text-align:right"
    assert safe_style(style) == style
    assert clean_html("<p style='color: red; position: fixed'>x</p>") == '<p style="color:red">x</p>'


@pytest.mark.parametrize("span", ["65534", "0", "00", "-1", "1e9", "101", "٣", "000000000065534", "0101"])
def test_a_cell_of_a_table_spans_what_a_browser_can_lay_out(span):
    assert clean_html(f"<table><tbody><tr><td rowspan='{span}'>x</td></tr></tbody></table>").count("span") == 0
    assert 'colspan="3"' in clean_html("<table><tbody><tr><td colspan='3'>x</td></tr></tbody></table>")


def test_all_that_a_submission_puts_on_a_page_is_bounded():
    shown = [
        new_output("stream", text="s" * 50_000),
        new_output("display_data", {"text/html": "<b>h</b>" * 10_000}),
        new_output("error", ename="E", evalue="e" * 50_000, traceback=["t" * 50_000]),
        *[new_output("display_data", {"text/plain": "p" * 1_000}) for _ in range(100)],
    ]
    cells = [new_code_cell("c" * 100_000, outputs=copy.deepcopy(shown)) for _ in range(100)]
    notebook, _ = steps.CleanOutputs().preprocess(new_notebook(cells=[*cells, new_markdown_cell("m" * 10**7)]), {})
    most = bounds.MAX_TEXTS + bounds.MAX_SOURCES + 2 * bounds.MAX_HTMLS
    assert len(str(notebook)) < most + 2_000_000  # what else an output of a notebook consists of
    first = notebook.cells[0]
    assert first.source.endswith("[40,000 more characters are not shown]")
    assert first.outputs[0].text.endswith("[29,000 more characters are not shown]")
    assert first.outputs[-1].text == "[63 more outputs are not shown]"


def test_outputs_of_an_honest_notebook_stay_whole():
    shown = [new_output("stream", text="a\n" * 500), new_output("display_data", {"text/html": "<b>1</b>"})]
    notebook, _ = steps.CleanOutputs().preprocess(new_notebook(cells=[new_code_cell("x = 1", outputs=shown)]), {})
    [cell] = notebook.cells
    assert cell.source == "x = 1"
    assert [cell.outputs[0].text, cell.outputs[1].data["text/html"]] == ["a\n" * 500, "<b>1</b>"]


def test_marks_of_direction_do_not_reach_the_page():
    """An open one would turn what comes after it, marks included."""
    assert clean_html("a\u202eb\u2066c") == "a?b?c"
    assert clean_html("a&#8238;b&#x2066;c&#27;[2J&rlm;<b title='&#x202e;t'>d</b>") == 'a?b?c?[2J?<b title="?t">d</b>'
    assert student_markdown("a&#8238;b&rlm;c") == "<p>a?b?c</p>\n"
    assert html.unescape(student_markdown("a\u202eb\x1b[2J")) == "<p>a?b?[2J</p>\n"


def test_a_page_has_a_bounded_number_of_coloured_words():
    page, source = Colours(), "1 " * (MAX_WORDS // 4)
    assert all(page.code(source) == coloured(source) for _ in range(3))
    last = page.code(source + source)
    assert last.count("<span") == MAX_WORDS // 4
    assert BeautifulSoup(last, "html.parser").get_text() == source + source
    assert "<span" not in page.code("def f(): pass")


def test_so_has_a_feedback_page(monkeypatch):
    monkeypatch.setattr(colours, "MAX_WORDS", 30)
    cells = [new_code_cell(f"a = [{n}, " + "1, " * 10 + "]") for n in range(5)]
    for cell in cells:
        cell.metadata["nbgrader"] = {"grade_id": cell.id, "solution": True, "grade": False, "schema_version": 3}
    cells.append(
        new_code_cell("assert f", metadata={"nbgrader": {"grade_id": "test", "grade": True, "schema_version": 3}})
    )
    cells[-1].metadata["nbgrader"] |= {"points": 1, "score": 1, "waits": False, "locked": True}
    resources = {"nbgrader": {"notebook": "x", "score": 0, "max_score": 1, "late_penalty": 0}, "metadata": {}}
    page = BeautifulSoup(FeedbackExporter().from_notebook_node(new_notebook(cells=cells), resources)[0], "html.parser")
    assert len(page.select(".highlight")) == 5
    assert len(page.select(".highlight span")) == 30


def photo(number, width, height, scans):
    """Return a JPEG in base64 that says to be so large, with so many scans."""
    buffer = io.BytesIO()
    Image.new("L", (8, 8)).save(buffer, "jpeg", comment=str(number))
    data = buffer.getvalue()
    frame, scan, end = data.index(b"\xff\xc0") + 5, data.index(b"\xff\xda"), len(data) - 2
    data = data[:frame] + struct.pack(">HH", height, width) + data[frame + 4 : end] + data[scan:end] * (scans - 1)
    return base64.b64encode(data + b"\xff\xd9").decode()


@pytest.mark.parametrize(("scans", "shown"), [(1, 60), (10, 8), (83, 1), (84, 0)])
def test_a_browser_goes_over_a_bounded_number_of_pixels_for_the_pictures_of_a_page(scans, shown):
    data = [photo(n, 4_000, 3_000, scans) for n in range(60)]
    pictures = {f"{n}.jpg": {"image/jpeg": one} for n, one in enumerate(data)}
    outputs = [new_output("display_data", {"image/jpeg": one}) for one in data[:40]]
    cells = [new_markdown_cell("x", attachments=pictures), new_code_cell("1", outputs=outputs)]
    nb, _ = steps.CleanOutputs().preprocess(new_notebook(cells=cells), {})
    assert len(nb.cells[0].get("attachments", {})) == shown
    assert not any("image/jpeg" in output.data for output in nb.cells[1].outputs)
    assert all(output.data["text/plain"] == steps.IMAGE_LEFT_OUT for output in nb.cells[1].outputs)


WIDE = "<td colspan=100>" * 60


@pytest.mark.parametrize(
    ("markup", "spans", "rendered"),
    [
        (f"<tr>{WIDE}</tr>" + "<tr><td>x</td></tr>" * 200, False, True),
        (f"<tr>{WIDE}</tr><tr><td rowspan=90>x</td></tr>", False, True),
        ("<tr><th colspan=3>a</th><th>b</th></tr>" + "<tr><td rowspan=2>1</td><td>2</td></tr>" * 300, True, True),
        ("<tr>" + "<td>1</td>" * 30 + "</tr>" + ("<tr>" + "<td>1</td>" * 30 + "</tr>") * 150, False, True),
        ("<tr>" + "<td>" * 2_000 + "</tr>" + "<tr><td>" * 400, False, False),
        ("<tr><td colspan=30 rowspan=100>x" * 500, False, True),
        ("<tr><td rowspan=0>x" * 990, False, True),
        ("<tr><th rowspan=100>a</th><td>1</td></tr>" + "<tr><td>1</td></tr>" * 99, True, True),
        (("<tr><th rowspan=9>a</th><td>1</td></tr>" + "<tr><td>1</td></tr>" * 8) * 50, True, True),
    ],
)
def test_the_grid_of_a_table_is_bounded(markup, spans, rendered):
    """A browser makes room for each place of it, also where there is no cell."""
    cleaned = clean_html(f"<table>{markup}</table>")
    assert ("span=" in cleaned) is spans
    assert ("<table>" in cleaned) is rendered


def test_a_cell_that_spans_no_rows_is_taken_to_span_all():
    """That is what it says to a browser, if ever one gets that far."""
    assert _places('<tr><td rowspan="0">x</td></tr>' * 990) > 900_000


def test_words_about_spans_stay():
    markup = f'<table title=" colspan=&quot;7&quot;"><tr>{WIDE}</tr>' + '<tr><td>a colspan="9" b</td></tr>' * 200
    cleaned = clean_html(f"{markup}</table>")
    assert cleaned.count('a colspan="9" b') == 200
    assert 'colspan="100"' not in cleaned
