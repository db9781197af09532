"""What students wrote is text wherever it goes: on a terminal, in Markdown, in what was noticed."""

import re
import unicodedata
from html import unescape

import mistune
import nbformat
import pytest
from nbformat.v4 import new_notebook

from grader.classrun.summary import Entry, Outcome, one_line, repairs, summary
from grader.core.escaping import DOUBLE_QUOTES, markdown_block, markdown_line, printable_line, without_controls
from grader.core.findings import Finding, Level
from grader.lms.marks import Mark, Question
from grader.lms.pack import _with_marks
from grader.sandbox.inside.checking import quoted
from grader.submissions.file_names import named, printable

MOVES = "\x1b[2J\x1b]0;title\x07\x1b[31m\r\b\x7f\x9b31m\u202e\u2066\u200e\ufeff\u2028\ud800\0"
EVIL = (
    "x\n\n# Heading\n\n![i](https://example.org/i.png) <form action='https://example.org'><input></form>\n"
    "> quote\n- item\n1. one\n***\n`code` ```\n~~~\n$x$ \\(y\\) | a | b |\n|---|---|\n"
    "https://example.org www.example.org a@b.org"
)


def prints_as_text(text):
    return all(unicodedata.category(char)[0] not in "CZ" or char in " \n" for char in text)


def test_the_sample_is_no_text():
    assert not prints_as_text(MOVES)
    html = mistune.html(EVIL)
    assert "<h1>" in html
    assert "<img" in html


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("\u05d6\u05d4\u200f? \u05de\u05d1\u05d7\u05df\u200e", "\u05d6\u05d4? \u05de\u05d1\u05d7\u05df"),
        ("\u0647\u0644\u061c \u064a\u200f", "\u0647\u0644 \u064a"),
        ("\u05d0\u202eb\u2066c\u202a", "\u05d0?b?c?"),
        ("x\u200e = 1\u200f\u061c", "x? = 1??"),
    ],
)
def test_marks_that_a_keyboard_writes_into_hebrew_and_arabic_are_no_question_marks(written, shown):
    """Those that turn what follows are, and any in a text of other letters."""
    assert without_controls(written) == shown


@pytest.mark.parametrize("text", [MOVES, EVIL, "a" * 5_000, ""])
def test_a_line_for_a_terminal_is_text(text):
    line = printable_line(text)
    assert prints_as_text(line)
    assert "\n" not in line
    assert len(line) <= 1_000


HEAP = "Z" + "\u0351\u0323" * 300 + "algo"


def test_marks_are_not_heaped_onto_a_letter():
    for text in (HEAP, "\u0301" * 50 + "x", "a" + "\ufe0f" * 90 + "b"):
        for shown in (printable_line(text), printable(text), Finding("k", text, text).text, without_controls(text)):
            assert not re.search("[\u0300-\u036f\ufe00-\ufe0f]{5}", shown)
    assert printable_line(HEAP).endswith("\ufffdalgo")
    assert len(printable_line(HEAP)) < 12
    # Nor onto what stands before a text in the same line.
    assert not unicodedata.combining(printable_line("\u0301x")[0])


@pytest.mark.parametrize(
    "text",
    [
        "Nguy\u00ea\u0303n Thi\u0323",
        "\u05e9\u05c1\u05bc\u05b8\u05dc\u05d5\u05b9\u05dd",
        "\u0e17\u0e35\u0e48",
        "\u0915\u094d\u0937\u093f",
        "e\u0301te\u0301",
    ],
)
def test_letters_keep_the_marks_that_languages_put_onto_them(text):
    assert printable_line(text) == printable(text) == without_controls(text) == text


@pytest.mark.parametrize("blank", "\u034f\u115f\u1160\u2800\u3164\uffa0")
def test_a_letter_that_looks_like_nothing_is_seen(blank):
    assert printable_line(f"a{blank}b") == "a\ufffdb"


def test_plain_sentences_stay_as_they_are():
    text = "Zelle „softmax“ — 3 × 4, naïve (å, 漢字): it's 100 % *right*."
    assert printable_line(text) == without_controls(text) == text
    assert without_controls("a\n\tb") == "a\n\tb"
    assert (
        markdown_line("Line 3 of this answer failed (ValueError: no).")
        == "Line 3 of this answer failed (ValueError: no)."
    )


def test_what_was_noticed_is_printable_by_construction():
    for finding in (
        Finding("k", MOVES, MOVES + EVIL),
        Finding.from_json({"kind": "k", "where": "a\nb", "text": MOVES, "level": "lost"}),
    ):
        assert prints_as_text(finding.text + finding.where)
        assert "\n" not in finding.text + finding.where


def test_a_run_prints_nothing_that_drives_the_terminal():
    finding = Finding("answer-rescued", "softmax", f"Line 1 failed ({MOVES})", Level.LOST)
    entries = [
        Entry("ada", "01", Outcome.MARKED, findings=[finding], unrecognised={"softmax": MOVES}),
        Entry("eve", "01", Outcome.FAILED, why=MOVES),
    ]
    for text in (summary(entries), repairs(entries), *map(one_line, entries)):
        assert prints_as_text(text)


@pytest.mark.parametrize(
    "text", [EVIL, *EVIL.split("\n"), "- a", "1. a", "===", "---", "    code", "[a]: b", "\\", "a\\"]
)
def test_a_line_for_markdown_is_a_paragraph_of_text(text):
    for before in ("", "- "):
        html = mistune.html(f"Before\n\n{before}{markdown_line(text)}\n\nafter")
        for tag in ("h1", "h2", "img", "form", "input", "a ", "code", "pre", "blockquote", "ol", "hr", "table", "em"):
            assert f"<{tag}" not in html
        assert not re.search(r"\$|\\[(\[]", html)  # formulas are set in the page that Markdown became


@pytest.mark.parametrize("text", [EVIL, "", "\n\n# a", "\ta\n<b>"])
def test_a_block_for_markdown_is_code(text):
    html = mistune.html(f"**Before**\n\n{markdown_block(text)}\n\nafter")
    assert "<h1" not in html
    assert "<img" not in html
    assert "<form" not in html


def test_the_notebook_that_goes_back_to_canvas_shows_an_error_as_text():
    """A raised message put a heading, an image of another server and a form into it."""
    finding = Finding("answer-rescued", "f", f"Line 1 of this answer failed (ValueError: {EVIL})")
    nb = new_notebook(metadata={"marking": {"findings": [finding.as_json()]}})
    marked = _with_marks(nb, Mark("ada", "01", (Question("test_f", 0, 1, False),), 0.0, ()))
    html = mistune.html(marked.cells[0].source)
    assert html.count("<h1>") == 1
    assert "Heading" in html
    assert "<img" not in html
    assert "<form" not in html
    nbformat.validate(marked)


REMARK = (
    "You missed the <end> token: w[i](t) needs a_i * b_i * c_i, if n<m and k>0. $5 or $6\n"
    "- one\n    - within it\n\n| a | b |\n|---|---|\n| 1 | 2 |\n# no heading\n```\n<b>`&lt;`"
)


def shown_in_canvas(*comments):
    marked = _with_marks(new_notebook(), Mark("ada", "01", (Question("test_f", 0, 1, False),), 0.0, comments))
    nbformat.validate(marked)
    return mistune.html(marked.cells[0].source)


def test_what_a_person_wrote_goes_back_to_canvas_as_typed():
    """`<end>` was gone, `w[i](t)` was a link, and a list or a table was one line."""
    french = "\tWell\u00a0done \u00ab\u00a0x\u00a0\u00bb: 你\u3000好"
    page = shown_in_canvas(("written_a", REMARK), ("written_b", french))
    blocks = [unescape(block) for block in re.findall("<pre><code>(.*?)\n?</code></pre>", page, re.DOTALL)]
    assert blocks == [REMARK, "        Well done \u00ab x \u00bb: 你 好"]
    assert page.count("<h1>") == 1
    assert not re.search("<(a|em|li|b|end)\\b", page)
    assert page.index("written_a:") < page.index("missed") < page.index("written_b:")


@pytest.mark.parametrize(
    "word", ["\u0645\u06cc\u200c\u0634\u0648\u062f", "\U0001f469\u200d\U0001f4bb", "\u0915\u094d\u200d\u0937"]
)
def test_what_joins_letters_and_pictures_is_part_of_a_word(word):
    assert markdown_block(f"{word}\u200b") == f"    {word}\ufffd"


def test_the_same_remark_on_two_answers_stands_there_once():
    page = shown_in_canvas(("written_a", "Good.\n"), ("written_b", "Good."), ("written_c", " \n"))
    assert page.count("Good.") == 1
    assert "written_a, written_b:" in page
    assert "written_c" not in page


def test_a_remark_is_one_line_in_moodles_table():
    mark = Mark("ada", "01", (Question("test_f", 0, 1, False),), 0.0, (("written_a", "a\n\n  - b <i>"),))
    assert mark.sentences()[-1] == "written_a: a - b <i>"


@pytest.mark.parametrize("mark", [*DOUBLE_QUOTES, "\u275e", "\u2033"])
def test_nothing_inside_quotation_marks_looks_like_their_end(mark):
    for shown in (named(printable(f"a{mark} was marked by hand.ipynb")), quoted(f"a{mark} was marked by hand")):
        assert shown[0] == "\u201c"
        assert shown[-1] == "\u201d"
        assert not set(shown[1:-1]) & set(DOUBLE_QUOTES)
