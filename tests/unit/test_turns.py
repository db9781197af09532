"""How often a text turns to another script, or to a picture, is counted and bounded: a browser is slow on that."""

import base64
import itertools
import random
import re
import unicodedata
from pathlib import Path

import matplotlib
import pytest
from fontTools.ttLib import TTFont
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from grader.core.course import Course
from grader.feedback import bounds
from grader.feedback.bounds import Allowance, cut
from grader.feedback.formulas import SET, Formulas
from grader.feedback.in_session import harmless
from grader.feedback.sanitise import clean_html, student_markdown
from grader.feedback.steps import CleanOutputs
from grader.feedback.turns import _ANY, gone_over, turns
from grader.languages.building import translated_release
from grader.testing.exploring import _figure as figure

MANY = 10**9
#: A small image, as an address has it.
PICTURE = base64.b64encode(figure(random.Random(0), 5)).decode()


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("plain text, (with) [brackets] 12", 0),
        ("Überraschung für José 12", 0),
        ("注意力机制的缩放因子，它除以根号。", 1),
        ("注意力 attention 机制", 3),
        ("שלום", 8),  # each letter, and each character of a text that runs to the left
        ("שלום עולם, hello world", 31),
        ("אaאa", 8),
        ("א(א(", 6),
        ("a(a(", 0),
        ("١(", 3),
        ("aᎠaᎠ", 3),
        ("a\u3000a\u3000", 3),
        ("漢字かな漢", 3),
        ("가漢가漢", 4),
        ("a🚀a🚀", 31),
        ("🚀🛸", 15),  # in a row, for which a browser begins once
        ("🚀 🛸", 30),
        ("✅ one\n✅ two", 32),
        ("👩\u200d💻", 15),
        ("1\ufe0fa1\ufe0fa", 32),
        ("1\u20e3", 15),
        ("a\u2194", 1),
        ("●○ ●○\n✓·\n", 3),
        ("⠿⠀⡇\n⠿⠀⡇ ⠿\n⠿", 3),  # a browser looks for their font anew behind a blank: two of three count
        ("가 가漢 漢", 4),
        ("a\U0001fa77 (b)", 16),  # a picture that is newer than Python 3.11, and runs nowhere
        ("a→b ∑ ─── ███", 5),
        ("a’b – c…", 0),
        ("e\u0301e\u0301", 0),
        ("กขคง", 4),
        ("नमस्ते", 6),
        ("Tiếng Việt", 4),
        ("🟩⬜🟩", 15),
        ("👍🏽👍🏻", 15),
        ("🇩🇪🇬🇧😀", 15),
        ("👩🏽\u200d💻😀", 15),
        ("🏻🏻", 30),  # by itself each of these is a piece
        ("😀🏻", 30),
        ("🇩😀", 30),
        ("🇩🇪🇩😀", 45),
        ("🌡😀", 30),
        ("🀄🀅", 30),
        ("🂡🅰", 30),
        ("😀\u20e3", 30),
        ("\u200d\u200d", 30),
        ("\U0001fa2e😀", 30),  # what has no name
        ("α\u0378", 16),
        ("\u212a\u2430", 16),
        ("\u2072", 15),
        ("\U0001f100", 15),  # a number that is drawn among pictures
        ("αϢα", 3),  # Greek and Coptic
        ("ก ꀀ ก", 9),  # two rarer scripts
        ("กaꀀaก", 5),
        ("አማርኛ ፊደል", 7),  # one script, of several blocks
        ("𝑥𝜷𝒪", 3),
        ("ฟོག་", 7),  # Thai, and three Tibetan letters and marks
        ("ᥐᨠꪀ", 9),  # three scripts called Tai
        ("a\u0366 b\u0366", 2),  # marks that fonts of Latin do not have
        ("e\u0301\ne\u0301 t\u0361s", 0),
        ("#\t\u0366\u0366\n\u0366", 11),  # the first of a line or column that needs another font
        ("\n\u29bb\t\u29bb \u29bb", 11),
        ("\n→ ─\u29bb", 6),  # not behind an arrow and a box, which need none
        ("\r \u29bb", 5),
        ("\nข ข", 6),
        ("\n⠿\t✓\n●", 3),
        ("\nế\nɛ", 2),  # letters that fonts of Latin have
        ("\nא", 3),
        ("字\n字\n字", 5),  # a list of Chinese words
        ("字 字\n字 字\t1", 5),
    ],
)
def test_turns_are_counted(text, number):
    assert turns(text, MANY) == (number, len(text))


@pytest.mark.parametrize(
    "text",
    [
        *("אa" * 100, "a🚀" * 100, "กข" * 100, "1\ufe0fa" * 100, "1\ufe0f\u20e3a" * 100, "😀\ufe0e😀\ufe0f" * 100),
        *(
            "אa" + "(" * 100 + "]" * 100,
            "א\n" * 100,
            "ع" * 100,
            "가漢" * 100,
            "word " * 15 + "א",
            "word " * 5 + "א" * 99,
        ),
    ],
)
def test_a_text_is_cut_where_it_turns_too_often(text):
    used, length = turns(text, 50)
    assert used <= 50
    assert turns(text[:length], MANY) == turns(text[:length], 50) == (used, length)
    assert turns(text[: length + 1], MANY)[0] > 50


def test_all_that_counts_little_has_a_name():
    letters = map(chr, range(0x80, 0x30000))
    cheap = [letter for letter in letters if turns(letter, MANY)[0] < 15 or turns(letter * 2, MANY)[0] < 30]
    assert len(cheap) > 100_000
    assert [letter for letter in cheap if unicodedata.category(letter) == "Cn"] == []


HONEST = [
    "●○" * 2_000,  # a mask
    ("⠿⠀⡇" * 20 + "\n") * 30,  # a plot in braille
    ("⠿ ⡇" * 20 + "\n") * 60,
    "i → ␣word ↵\n" * 600,
    "\ufffd\n" * 600,
    "⬛⬜" * 2_000,
    ("⬛ ⬜ " * 12 + "\n") * 24,
    "✅ step done\n" * 600,
    ("🟩⬜" * 30 + "\n") * 60,
    "█████░░░░░ 50 % ┃ ✓ ✔ ✗ →\n" * 600,
    "🇩🇪🇬🇧🇨🇳" * 500,
    "👍🏽👍🏻👨\u200d👩\u200d👧" * 400,
    "# 🩷\n" + "x = 1\n" * 2_000,
    "The scale is the root of the width. " * 500,
    "除以根号 d_k，否则 softmax 会饱和，梯度 gradient 接近于 0。" * 400,
    "동료가 보낸 값은 d_k 의 제곱근으로 나눈다. " * 500,
    "የቃላት ቁጥር በርዝመቱ ይካፈላል። " * 350,
    "हर अंक को मूल से भाग देते हैं। " * 300,
    "הגורם הוא 1/sqrt(d), since the products grow. " * 150,
    "Ответ: делим на корень из d_k, because the variance grows. " * 300,
    "".join(f"{chr(0x4E00 + number)}\n" for number in range(5_000)),  # a vocabulary
    "注意力\n机器翻译\n" * 2_000,
    "".join(f"汉字\t词语\t0.{number:04}\n" for number in range(1_500)),
    "".join(f"│ 汉字 │ 0.{number:04} │\n" for number in range(1_200)),
    "bước\n" * 1_500,
    "✔️ test 123 passed\n" * 550,
    "wᵢⱼ\t0.1234\tQKᵀ\n" * 900,
    "⟨q,k⟩\t0.12\n⎡1 2⎤\n⎣3 4⎦\n␣the\n" * 600,
    "ˈlɛnθː\t0.2\n" * 1_300,
    unicodedata.normalize("NFD", "Größe Tiếng Việt où ça\n") * 600,
]


#: As long as an answer may be, 150 words.
ANSWERS = [
    "عامل القياس هو الجذر التربيعي للبعد " * 25,
    "गुणनफल चौड़ाई के साथ बढ़ते हैं " * 25,
    "ผลคูณโตขึ้นตามความกว้าง " * 40,
    "Tích vô hướng tăng theo chiều rộng của khóa " * 17,
    "내적은 너비에 따라 커진다 softmax 는 포화된다 " * 25,
    "I think 🤔 the softmax saturates ⚠️ here ✅ " * 20,
]


@pytest.mark.parametrize("text", ANSWERS)
def test_an_answer_in_any_language_is_set_with_its_formulas(text):
    shown = student_markdown(f"**So:** {text} {'$x_1$ ' * 20}")
    assert shown.startswith("<p><strong>")
    assert not student_markdown(f'<p dir="rtl">{text}</p>').startswith("<pre>")


@pytest.mark.parametrize("language", ["en", "zh_CN"])
def test_the_course_itself_has_room(language):
    nb, _ = translated_release(Course(Path(__file__).parents[2]), "03_dot_product_attention", language)
    assert max(turns(cell.source, MANY)[0] for cell in nb.cells) < bounds.MAX_TURNS / 4
    markdown = Allowance()
    texts = [cell for cell in nb.cells if cell.cell_type == "markdown"]
    assert [cell.source for cell in texts if student_markdown(cell, markdown).startswith("<pre>")] == []
    assert markdown.boxes > 0.9 * bounds.MAX_ALL_BOXES
    assert markdown.turns > bounds.MAX_ALL_TURNS / 2


@pytest.mark.parametrize("text", HONEST)
def test_what_people_write_in_two_languages_is_shown_whole(text):
    assert turns(text, MANY)[0] <= bounds.MAX_TURNS
    assert cut(text, 60_000) == text
    room = Allowance()
    assert [room.source(text) for _ in range(5)] == [text] * 5


@pytest.mark.parametrize(
    "unit",
    [
        *("אa", "1\ufe0fa", "😀\ufe0e😀\ufe0f", "ع", "א\n", "🏻", "🌡😀", "🀄🀅", "α\u0378", "กꀀ", "죻 ", "⟺ "),
        *("\t\u0366", "\n\u29bb", "字\n"),
    ],
)
def test_a_text_that_turns_with_each_letter_is_cut_and_that_is_said(unit):
    text = unit * (60_000 // len(unit))
    shown, told = cut(text, 60_000).rsplit("\n", 1)
    assert text.startswith(shown)
    assert turns(shown, MANY)[0] <= bounds.MAX_TURNS
    assert told == f"[{60_000 - len(shown):,} more characters are not shown]"
    assert turns(student_markdown(text[:19_000]), MANY)[0] <= bounds.MAX_TURNS + 200  # what tells of the rest


@pytest.mark.parametrize("unit", ["1\ufe0fa", "<b>a</b>&#x1f680;"])
def test_a_text_that_turns_too_often_is_shown_as_typed_with_or_without_formulas(unit):
    text = unit * 1_520
    text = text[: 19_000 // len(unit) * len(unit)]
    for formulas in ("", "$x$ " * 10, "$x$ " * 11):
        assert student_markdown(f"{text} {formulas}").startswith("<pre>")
        assert clean_html(f"<p>{text} {formulas}</p>").startswith("<pre>")
        assert student_markdown(f"{unit * 50} {formulas}").startswith("<p>")


@pytest.mark.parametrize("unit", ["a🚀", "a&#x1f680;"])
def test_the_text_of_an_image_counts_as_it_may_be_shown(unit):
    few, many = (f'<img alt="{unit * number}" src="data:image/png;base64,{PICTURE}">' for number in (300, 1_000))
    assert clean_html(few).startswith("<img")
    assert clean_html(many).startswith("<pre>")
    room = Allowance()
    shown = [student_markdown(f"An answer. {few}", room).startswith("<p>") for _ in range(16)]
    assert shown == [True] * 12 + [False] * 4


@pytest.mark.parametrize("letter", ["⦻", "😀", "字", "ข"])
@pytest.mark.parametrize("unit", ["{}<br>", "<i>{}</i>{}", "<p>{}</p>"])
def test_what_is_behind_a_tag_counts_as_behind_the_end_of_a_line(unit, letter):
    markup, lines = unit.format(letter, letter) * 100, "\n".join(letter * 100)
    room = Allowance()
    assert room.markup(clean_html(markup))
    assert bounds.MAX_ALL_TURNS - room.turns >= turns(lines, MANY)[0]


def test_a_table_and_a_text_with_colours_are_rendered():
    rows = "".join(f"<tr><th>{number}</th><td>汉字</td><td>词语</td><td>✓</td></tr>" for number in range(1_000))
    assert clean_html(f"<table>{rows}</table>").startswith("<table>")
    assert clean_html("<span>注</span><span>意</span>" * 1_000).startswith("<span>")


def test_why_tests_failed_turns_no_more_often_than_a_page_may():
    cells = [new_code_cell("assert True") for _ in range(40)]
    for cell in cells:
        example = {"arguments": [["x", "漢a"]], "got": "漢a" * 500}
        cell.metadata["feedback"] = {"message": "漢a" * 500, "causes": ["漢a" * 500], "example": example}
    outputs = [new_output("stream", name="stdout", text="漢a" * 5_000) for _ in range(10)]
    before = new_code_cell("x", outputs=outputs)  # what takes up all room of outputs
    nb, _ = CleanOutputs().preprocess(new_notebook(cells=[before, *cells]), {})
    notes = [cell.metadata.feedback for cell in nb.cells[1:]]
    texts = [text for note in notes for text in (note.message, *note.causes, note.example.got)]
    assert texts[:30] == ["漢a" * 500] * 30
    assert texts[-1].endswith("more characters are not shown]")
    assert sum(turns(text, MANY)[0] for text in texts) <= bounds.MAX_ALL_TURNS + 200


def test_what_runs_to_the_left_is_bounded_as_a_whole():
    brackets = "(" * 5_010 + "}" * 5_010
    assert student_markdown(f"<p>{brackets}</p>").startswith("<p>")
    for tag in ("<p dir=rtl>", '<p dir="&#82;TL">', "<p dir='rtl'>", "<p di<style>{}</style>r=rtl>", "<p>א"):
        assert student_markdown(f"{tag}{brackets}</p>").startswith("<pre>")
        assert clean_html(f"{tag}{brackets}</p>").startswith("<pre>")


def test_all_texts_of_a_page_together_are_bounded():
    room, text = Allowance(), "漢a" * 4_500
    for shown in ([room.text(text) for _ in range(10)], [room.source(text) for _ in range(10)]):
        assert shown[0] == text, "an answer behind outputs that turn often has room of its own"
        assert sum(turns(one, MANY)[0] for one in shown) <= bounds.MAX_ALL_TURNS + 20  # and what tells of the rest
    assert room.source("plain") == "plain"


@pytest.mark.parametrize("pair", ["漢a", "&#28450;a", "&#x6f22;a"])
def test_html_that_turns_too_often_is_not_rendered(pair):
    # In paragraphs of 61 turns, since each would count more if it were longer.
    few, many = (f"<p>{pair * 30}</p>" * (bounds.MAX_TURNS // 61 + more) for more in (0, 1))
    assert clean_html(few).startswith("<p>")
    assert clean_html(many).startswith("<pre>")
    outputs = [new_output("display_data", {"text/html": few}) for _ in range(8)]
    nb, _ = CleanOutputs().preprocess(new_notebook(cells=[new_code_cell("x", outputs=outputs)]), {})
    assert ["text/html" in output.data for output in nb.cells[0].outputs] == [True] * 6 + [False] * 2


def test_markdown_of_a_page_that_turns_too_often_is_shown_as_typed():
    room, text = Allowance(), "\n\n".join(["&#28450;a" * 12] * 160)  # 4,000 turns
    shown = [student_markdown(new_markdown_cell(text), room).startswith("<p>") for _ in range(20)]
    assert shown == [True] * 15 + [False] * 5
    assert student_markdown("*plain*", room) == "<p><em>plain</em></p>\n"


def test_a_number_too_long_for_python_is_a_letter_of_html():
    room, text = Allowance(), f"<p>a&#{'9' * 5_000};</p>"
    output = new_output("display_data", {"text/html": text})
    nb, _ = CleanOutputs().preprocess(new_notebook(cells=[new_code_cell("x", outputs=[output])]), {})
    assert nb.cells[0].outputs[0].data["text/html"] == "<p>a\ufffd</p>"
    assert student_markdown(text, room).startswith("<p>a")


def test_the_tags_of_all_markdown_and_of_all_html_of_a_page_are_bounded():
    room, text = Allowance(), "- a\n" * 4_000
    shown = [student_markdown(text, room).count("<li>") for _ in range(10)]
    assert shown == [4_000] * 7 + [0] * 3
    outputs = [new_output("display_data", {"text/html": "<p>a</p>" * 4_000}) for _ in range(10)]
    nb, _ = CleanOutputs().preprocess(new_notebook(cells=[new_code_cell("x", outputs=outputs)]), {})
    assert ["text/html" in output.data for output in nb.cells[0].outputs] == [True] * 7 + [False] * 3


def test_dollars_in_a_plain_output_are_no_formulas():
    assert Allowance().text("漢a" * 1_600 + "$x$ " * 30) == "漢a" * 1_600 + "$x$ " * 30


@pytest.mark.parametrize(
    "quoted", ['`<div dir="rtl">`', "<code title=' dir=\"rtl\"'>a</code>", '<i title=" dir=">a</i>']
)
@pytest.mark.parametrize("length", [3_200, 10_700])
def test_a_text_that_only_quotes_a_tag_that_runs_to_the_left_does_not_do_so(quoted, length):
    """An English answer of 12 formulas was shown as typed for a sentence about such a tag."""
    text = "The score is $q^T k_i$, so that the weight $a_i$ follows from it. " * 6
    text += "The decoder asks for the words again. " * ((length - len(text)) // 38) + "\n\n"
    shown = student_markdown(text + quoted)
    assert shown.startswith("<p>The score")
    is_typed = student_markdown(f"{text}<i dir='RTL'>a</i>").startswith("<pre>The score")
    assert is_typed == (length > bounds.MAX_TURNS)


@pytest.mark.parametrize("unit", ["漢\u00a0", '漢"', "漢 漢", "\u1200\u00a0", "あ»"])
def test_a_long_text_of_two_fonts_by_turns_is_shown_as_typed(unit):
    """In a narrow box each line of it had a browser go over all of it: nine such texts took 18 seconds."""
    for text in (unit * (19_000 // len(unit)), "\n".join([unit * 30] * (19_000 // len(unit) // 31))):
        assert clean_html(f'<div style="width:0">{text}</div>').startswith("<pre>&lt;div")
    paragraphs = f"<p>{unit * (400 // len(unit))}</p>" * 20
    assert clean_html(f'<div style="width:0">{paragraphs}</div>').startswith("<div")


#: What is surely in every font of Latin.
SURE = re.compile("[\u00a0-\u017f\u2013\u2014\u2018-\u201e\u2022\u2026\u20ac]")
SIGNS = [sign for sign in map(chr, range(0x80, 0x3000)) if re.match(f"[{_ANY}]", sign) and not SURE.match(sign)]
LETTERS = "aαж字あ가אعกን₁→⠿😀\u0310\u2042"


@pytest.mark.parametrize("unit", [f"{one}{sign}" for one in ("a", "—") for sign in SIGNS])
def test_any_sign_that_a_font_of_latin_may_not_have_is_a_part_of_its_own(unit):
    """Signs that go with any script counted nothing: one answer of asterisms and dashes took a browser 91 seconds."""
    assert gone_over(unit * 9_500, 19_000) > bounds.MAX_TURNS


@pytest.mark.parametrize("font", ["DejaVuSans", "DejaVuSansMono"])
def test_a_letter_that_begins_no_part_is_in_every_font_of_latin(font):
    """One answer of letters of Greek, Cyrillic or Vietnamese that the page's font lacks took a browser 112 seconds."""
    held = TTFont(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / f"{font}.ttf").getBestCmap()
    letters = [letter for letter in map(chr, range(0xA0, 0x3000)) if gone_over(f"{letter}—" * 30, 6_000) < 10]
    assert len(letters) > 400
    assert [letter for letter in letters if ord(letter) not in held] == []


@pytest.mark.parametrize("letter", "ϡϗϴӿғңҖơếạ")
def test_a_letter_that_some_fonts_of_latin_do_not_have_is_a_part_of_its_own(letter):
    for other in ("—", "a", "α", "ж", "ɛ"):
        assert gone_over(f"{letter}{other}" * 9_500, 19_000) > bounds.MAX_TURNS


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations(LETTERS, 2)))
def test_a_change_of_script_begins_a_part(one, other):
    both_of_han = {one, other} == {"字", "あ"}
    assert (gone_over(f"{one}{other}" * 9_500, 19_000) > bounds.MAX_TURNS) is not both_of_han


NARROW = ['<div style="width:0">', '<div style="color:red;max-width:4.5em">', "<table><tr><td>", "<blockquote>" * 5]
NARROW += [
    '<div style="padding:0 4.99em">' * 2,
    '<div style="padding:0 60px 0 1rem">' * 2,
    '<h1 style="padding-left:4.9em">',
    '<div style="width:30rem">',
    '<div style="padding:0 99px">' * 3,
    '<h1><span style="font-size:200%">',
    '<pre style="white-space:normal;width:9%">',
    '<div style="font-size:60%">' * 8 + '<div style="width:30em"><div style="font-size:16px">',
    '<div style="font-size:smaller"><div style="max-width:40em">',
    '<small><div style="width:30em">',
    "<pre>" * 6 + '<div style="white-space:normal">',
    "<pre>" * 56 + '<div style="white-space:normal;font-family:serif">',
]


@pytest.mark.parametrize("opened", NARROW)
@pytest.mark.parametrize("unit", ["\u2042—", "жa—", "a\u0310—", "字\u00a0"])
def test_a_long_text_of_two_fonts_in_whatever_may_be_narrow_is_shown_as_typed(opened, unit):
    text = unit * (19_000 // len(unit))
    assert clean_html(f"{opened}{text}").startswith("<pre>&lt;")
    assert not clean_html(f"{opened}{text[:400]}").startswith("<pre>&lt;")


@pytest.mark.parametrize("unit", ["注意力 attention 的权重，", "━━┳━━┃ 0.5 ┃ ✓ ", "Ответ: делим на d. "])
def test_lines_of_a_preformatted_text_are_texts_of_their_own(unit):
    lines = f"{unit * 3}\n" * (20_000 // len(unit) // 3)
    assert clean_html(f'<pre style="white-space:pre;line-height:normal">{lines}</pre>').startswith("<pre style")
    assert student_markdown(f"```\n{lines[:19_000]}\n```").startswith("<pre><code>")


FORMULA = "$a_i = \\frac{e^{s_i}}{\\sum_j e^{s_j}}$ "


@pytest.mark.parametrize(
    ("sentence", "length"),
    [
        ("注意力 attention 机制的权重由 softmax 得出，即“查询”与“键”的点积；", 19_000),
        ("デコーダは state と key を使い、score を softmax に通して weight を得る。", 19_000),
        ("어텐션은 query 와 key 의 내적으로 가중치를 계산한다. ", 19_000),
        ("Ответ: делим на корень из d_k, because the variance grows. ", 19_000),
        ("Η προσοχή υπολογίζει βάρη από το query και το key. ", 19_000),
        ("Trọng số của mỗi trạng thái được tính từ điểm số bằng softmax, rồi lấy trung bình. ", 19_000),
        ("Әрбір күйдің салмағы softmax арқылы score мәнінен алынады, қорытынды — орташа. ", 19_000),
        ("The weights α and β of σ(x) → 0 if ‖q‖ ≤ ε, see “masking”. ", 19_000),
        ("הקשב מחשב משקלים לפי query ו-key, ואז סוכם. ", 5_000),
        ("الانتباه يحسب الأوزان من query و key ثم يجمع القيم. ", 4_500),
    ],
)
@pytest.mark.parametrize("opened", ["", "> ", "- a\n  - b\n    - ", '<div style="padding:1em;width:100%">\n\n'])
def test_a_long_paragraph_in_any_language_is_rendered_and_its_formulas_are_set(sentence, length, opened):
    """From 7,000 letters on, a Chinese answer in one paragraph with more than ten formulas was shown as typed."""
    part = sentence * (length // 12 // len(sentence))
    shown = student_markdown(f"{opened}{f'{part}{FORMULA}' * 12}")
    assert not shown.startswith("<pre>")
    assert harmless(shown, Formulas()).count(SET) == 12


@pytest.mark.parametrize(
    "text",
    [
        "注意力 attention 机制的权重 $a_i$ 由 softmax 得出，即“查询”与“键”的点积；" * 100,
        "注意力機構は、クエリとキーの内積から softmax で重みを計算します。" * 130,
        "어텐션은 query 와 key 의 내적으로 가중치를 계산한다. " * 100,
        "הקשב מחשב משקלים לפי query ו-key, ואז סוכם. " * 70,
        "ध्यान तंत्र क्वेरी और कुंजी से भार निकालता है। " * 70,
        "L’attention « pondère » les états — c’est-à-dire 3 → 4 ≤ 5. " * 250,
    ],
)
def test_a_long_paragraph_of_an_answer_is_rendered(text):
    assert student_markdown(text).startswith("<p>")
