"""Tricks on whoever reads the feedback: active content in outputs, texts, messages and pictures."""

# What a trick says stands in one line, as one reads it in a table.
# ruff: noqa: E501

import base64
import struct
import zlib

from nbformat import NotebookNode
from nbformat.v4 import new_output

from ..sheet import LOOK, kind

G = "feedback"
#: What a page must not contain in an active place.
MARK = "HOSTILE-MARK"
LINES = "a\n" * 50_000
SCRIPT = f"<script>window.hostile = '{MARK}'</script>"
IMAGE = f"<img src=x onerror=\"window.hostile='{MARK}'\">"
SVG = f"<svg xmlns='http://www.w3.org/2000/svg' onload=\"window.hostile='{MARK}'\"><script>'{MARK}'</script></svg>"


def pixels(number):
    """Return a PNG of one pixel in base64, another one for each number."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    parts = (
        chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)),
        chunk(b"IDAT", zlib.compress(bytes([0, number]))),
        chunk(b"IEND", b""),
    )
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(parts)).decode()


def shown(name, says, mime, content):
    @kind(name, group=G, says=says)
    def make(sheet):
        return sheet.plus(f"from IPython.display import display\ndisplay({{{mime!r}: {content!r}}}, raw=True)")


shown("script-in-output", "shows HTML with a script", "text/html", SCRIPT)
shown("handler-in-output", "shows HTML with a picture that has an error handler", "text/html", IMAGE)
shown("svg-in-output", "shows an SVG with a script", "image/svg+xml", SVG)
shown("javascript-in-output", "shows JavaScript", "application/javascript", f"window.hostile = '{MARK}'")
shown("markdown-in-output", "shows markdown with a script", "text/markdown", f"# x\n{SCRIPT}\n{IMAGE}")
shown(
    "latex-in-output",
    "shows LaTeX with a link that is a script",
    "text/latex",
    f"$\\href{{javascript:{MARK}}}{{x}}$ {IMAGE}",
)
shown(
    "iframe-in-output",
    "shows a frame with a document of its own",
    "text/html",
    f"<iframe srcdoc=\"<script>'{MARK}'</script>\"></iframe>",
)
shown(
    "frame-data",
    "shows a frame whose address is a script",
    "text/html",
    f"<iframe src=\"javascript:'{MARK}'\"></iframe><object data='data:text/html,<script>{MARK}</script>'></object>",
)
shown(
    "refresh-in-output",
    "shows HTML that leads the browser elsewhere",
    "text/html",
    f"<meta http-equiv=refresh content='0;url=javascript:{MARK}'><base href='http://127.0.0.1:9/{MARK}'>",
)
shown(
    "form-in-output",
    "shows a form that asks for a password",
    "text/html",
    f"<form action='http://127.0.0.1:9/{MARK}'><input type=password name=p><button formaction='javascript:{MARK}'>Log in again</button></form>",
)
shown(
    "style-in-output",
    "shows a style that covers the marks",
    "text/html",
    f"<style>/*{MARK}*/ body {{ display: none }} .score::after {{ content: '10' }}</style>",
)
shown(
    "closing-tags", "closes the page's own tags before its script", "text/html", f"</div></div></body></html>{SCRIPT}"
)
shown(
    "widget-in-output",
    "shows a widget view",
    "application/vnd.jupyter.widget-view+json",
    {"model_id": f"</script>{SCRIPT}", "version_major": 2},
)
shown("png-broken", "shows a picture that is none, with a script in its data", "image/png", f'"/>{SCRIPT}')
shown(
    "png-metadata",
    "shows a picture of 1 TB by 1 TB",
    "image/png",
    base64.b64encode(b"\x89PNG\r\n\x1a\n" + b"\0" * 8 + b"\x7f\xff\xff\xff" * 2).decode(),
)
shown("mime-unknown", "shows a type of output that nobody knows", f"text/html{MARK}'><script>", SCRIPT)


@kind("script-printed", group=G, says="prints a script")
def _(sheet):
    return sheet.plus(f"print({SCRIPT!r})\nprint('\\x1b[31m' + {IMAGE!r})")


@kind("backspaces-printed", group=G, says="prints 100,000 backspaces behind what looks like a mark")
def _(sheet):
    return sheet.plus("print('Score: 10.0' + chr(8) * 100_000 + chr(8).join('x' * 100_000))")


@kind("script-in-error", group=G, says="puts a script into an error message")
def _(sheet):
    answers = {"running_sum": f"def running_sum(values):\n    raise ValueError({SCRIPT + IMAGE!r})"}
    return sheet.plus("pass", answers)


@kind("script-in-error-name", group=G, says="puts a script into the name of an error's class")
def _(sheet):
    answers = {"running_sum": f"def running_sum(values):\n    raise type({SCRIPT!r}, (Exception,), {{}})('x')"}
    return sheet.plus("pass", answers)


@kind("escape-in-error", group=G, says="puts terminal escapes and a link into an error message")
def _(sheet):
    text = f"\x1b[2J\x1b]0;x\x07\x1b]8;;javascript:{MARK}\x07passed\x1b]8;;\x07\x1b[38;5;<script>{MARK}</script>m"
    return sheet.plus("pass", {"running_sum": f"def running_sum(values):\n    raise ValueError({text!r})"})


@kind("handler-in-test-output", group=G, says="shows HTML with a handler while a test calls the function")
def _(sheet):
    code = "from IPython.display import display"
    body = f"    display({{'text/html': {IMAGE!r}}}, raw=True)\n    return np.zeros(3)"
    return sheet.plus(code, {"running_sum": f"def running_sum(values):\n{body}"})


def written(name, says, text):
    @kind(name, group=G, says=says)
    def make(sheet):
        nb = sheet.wrong()
        sheet.cell(nb, "written_why").source = text
        sheet.add_text(nb, "running_sum", text)
        return nb


written("script-in-text", "writes a script into the written answer", f"It is so.\n\n{SCRIPT}")
written("handler-in-text", "writes a picture with a handler into the written answer", f"It is so. {IMAGE}")
written(
    "link-in-text",
    "writes links that are scripts into the written answer",
    f"[x](javascript:{MARK}) <a href='JaVaScRiPt:{MARK}'>y</a> <a href='data:text/html,{MARK}'>z</a>",
)
written(
    "math-in-text",
    "writes mathematics with a script into the written answer",
    f"$\\href{{javascript:{MARK}}}{{x}} \\class{{{MARK}}}{{</script>{SCRIPT}}}$",
)
written("svg-in-text", "writes an SVG into the written answer", f"{SVG}")
written(
    "comment-in-text",
    "writes an open comment into the written answer, which hides the rest of the page",
    f"<!-- {MARK}",
)
written(
    "unclosed-in-text",
    "writes open tags into the written answer, which swallow the rest of the page",
    f"<textarea><title><style><plaintext {MARK}>",
)
written("long-text", "writes an answer of 2 MB", "x " * 1_000_000)


@kind("script-in-metadata", group=G, says="writes scripts into metadata that pages may show")
def _(sheet):
    nb = sheet.wrong()
    nb.metadata["title"] = f"</title>{SCRIPT}"
    nb.metadata["authors"] = [{"name": SCRIPT}]
    nb.metadata["language_info"] = {"name": f"python'>{SCRIPT}", "pygments_lexer": f"'>{SCRIPT}"}
    for cell in nb.cells:
        cell.metadata["name"] = SCRIPT
        cell.metadata["tags"] = [f"x\"'>{SCRIPT}"]
    return nb


@kind("script-in-cell-id", group=G, says="writes a script into the id of a cell")
def _(sheet):
    nb = sheet.wrong()
    sheet.add_text(nb, "running_sum", "x")["id"] = f"'>{SCRIPT}"
    return nb


@kind("script-in-saved-output", group=G, says="hands in outputs with scripts")
def _(sheet):
    nb = sheet.wrong()
    for cell in nb.cells:
        if cell.cell_type == "code":
            cell.outputs = [new_output("display_data", data={"text/html": SCRIPT})]
    return nb


@kind("script-in-attachment", group=G, says="attaches a picture that is a page")
def _(sheet):
    nb = sheet.wrong()
    cell = sheet.add_text(nb, "running_sum", "![x](attachment:a.svg)")
    cell["attachments"] = NotebookNode({"a.svg": {"image/svg+xml": SVG, "text/html": SCRIPT}})
    return nb


@kind("path-in-comment", group=G, says="hides what it found out about the machine in an HTML comment")
def _(sheet):
    return sheet.plus(
        LOOK + "from IPython.display import display, HTML\ndisplay(HTML(f'<!-- LOOT:{dict(os.environ)} {ROOT} -->'))"
    )


@kind("forged-verdict", group=G, says="prints a page section that looks like the grader's own verdict")
def _(sheet):
    text = "<div class='panel'><h4>Score: 10.0 / 10.0</h4> All tests passed.</div>"
    return sheet.plus(
        f"from IPython.display import display, HTML\ndisplay(HTML({text!r}))\nprint('Score: 10.0 / 10.0 (all tests passed)')"
    )


# What costs whoever makes the page time, or paints where it should not -----------------------------------------------

shown("nested-in-output", "shows HTML with 50,000 elements in one another", "text/html", "<div>" * 50_000)
shown(
    "reopened-in-output",
    "shows HTML whose open tags a cleaner has to open again in every paragraph",
    "text/html",
    "".join(f"<b title={n}>" for n in range(1_500)) + "<p>x" * 1_500,
)
shown(
    "closed-in-comments",
    "shows nested HTML that looks closed to whoever counts tags",
    "text/html",
    "<div><!--</div>-->" * 5_000,
)
shown(
    "glyphs-over-marks",
    "shows letters of a thousand pixels on a line without height, which cover the marks",
    "text/html",
    "<p style='font-size:2000px;line-height:0'>10 / 10</p><p style='padding:9999px;border:5000px solid red'>x</p>",
)
shown(
    "spans-in-output",
    "shows a table whose cell spans 65,534 rows",
    "text/html",
    "<table><tr><td rowspan=65534>x</table>",
)
shown(
    "spans-behind-zeros",
    "shows a table whose cell spans 65,534 rows, written with zeros in front",
    "text/html",
    "<table><tr><td rowspan=000000000065534 colspan=0000000001000>x</table>",
)


shown(
    "elements-around-lines",
    "shows 50,000 lines in 55 elements, each of which has a box on each line",
    "text/html",
    f"<pre>{'<sub>' * 55}{LINES}{'</sub>' * 55}</pre>",
)
written(
    "fonts-in-text",
    "writes letters in 1,500 fonts that nobody has into the written answer",
    "".join(f"<i style='font-family:{','.join(f'f{n}x{k}' for k in range(10))}'>x</i>" for n in range(150)),
)
written(
    "languages-in-text",
    "writes letters in 600 languages that nobody speaks into the written answer",
    "".join(f"<i lang='a{n:03}'>\u6f22\ud55c</i>" for n in range(600)),
)
written(
    "sides-in-text",
    "writes 900 ends of lines behind 10,000 digits into the written answer, in a box that takes its side from its text",
    f"<div dir='auto'>{'1' * 10_000}{'1<br>' * 900}</div>",
)
shown("quotations-in-output", "shows 9,990 quotations, whose marks a browser counts", "text/html", "<q>x</q>" * 9_990)
written(
    "pictures-in-text",
    "writes a hundred pictures as data into the written answer",
    "".join(f'<img src="data:image/png;base64,{pixels(n)}">' for n in range(100)),
)


def left(term, item):
    """HTML that a cleaner nests so that a browser closes the box around it, and a heading that is then the page's."""
    apart = ("object", "marquee", "button", "applet", "select", "table", "fieldset", "form", "article", "center")
    nested = "".join(f"<{term}><div><{tag}><{item}>x</{item}></{tag}></div></{term}>" * 6 for tag in apart)
    return f"{nested}\n\n<h2>Result after review by the instructor: 10 of 10 points</h2>"


shown("box-left-in-output", "shows HTML that closes the box that it is shown in", "text/html", left("dd", "dt"))
written("box-left-in-text", "writes list items that close the box of the written answer", left("li", "li"))
written(
    "elements-around-letters",
    "writes letters in 55 elements into the written answer, in a box so narrow that each is a line",
    f"<div style='width:0'>{'<sub>' * 55}{'a' * 19_000}{'</sub>' * 55}</div>",
)
written(
    "tables-in-text",
    "writes a thousand tables, none of which is one, into the written answer",
    "a|b\n-|-\n" * 1_100 + "|-" * 5_000,
)
written("brackets-in-text", "writes 100,000 open brackets into the written answer", "[" * 100_000)
written("backticks-in-text", "writes 50,000 unpaired backticks into the written answer", "`" * 100 + "`a" * 50_000)
written(
    "direction-in-text", "turns what follows the written answer from right to left", "It is so.\u202e\u2066 " + "x" * 10
)


@kind("blank-lines", group=G, says="hands in an answer with thousands of indented blank lines")
def _(sheet):
    nb = sheet.wrong()
    sheet.cell(nb, "running_sum").source += "\n" + "    \n" * 4_000
    sheet.add_cell(nb, "running_sum", "\t\n" * 8_000 + "1")
    return nb


@kind(
    "markdown-in-error", group=G, says="puts a heading, an image of another server and a form into an error's message"
)
def _(sheet):
    text = (
        f"x\n\n# 10 of 10\n\n![i](http://127.0.0.1:9/{MARK})\n<form action='http://127.0.0.1:9/{MARK}'><input></form>"
    )
    return sheet.plus(f"raise ValueError({text!r})")
