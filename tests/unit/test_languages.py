"""What students read becomes messages and comes back translated, and nothing else changes."""

import ast
import io
import json
import re
import shutil
import warnings

import matplotlib.pyplot as plt
import pytest
from markdown_it import MarkdownIt

from grader.authoring.translate import Wanted, run
from grader.core.course import Course
from grader.core.errors import GraderError
from grader.core.notebook import read_notebook
from grader.languages import building, fonts
from grader.languages.catalogues import fill, languages, like, path_of, read_catalogue, state, update
from grader.languages.code import Rules, identifiers, in_code, pieces_of
from grader.languages.fonts import needed, with_letters
from grader.languages.glossary import Term, introduces, term_complaints
from grader.languages.headings import LINK, anchor, headings_of, translated_anchors, with_links
from grader.languages.literals import placeholders
from grader.languages.messages import Message, messages_of
from grader.languages.proofs import complaints
from grader.languages.prose import in_markdown, markdown_blocks

CODE = '''
def mix(weights, value):
    """Mix the values.

    Args:
        weights: Array `(T, S)`, with
            rows that sum to 1.

    Example:
        `mix(w, v)` returns `[1]`.
    """
    # The weights come first,
    # then the values.
    kinds = {"soft": 1, "your weights are the scores": 2}
    if kinds["soft"] == "not a text":
        raise ValueError(f"weights have {len(weights)} row{'s' * (len(weights) != 1)}: {'too many' if weights else ''}")
    words = "the dog bit the man".split()
    ax.set_title("weight")
    ax.plot(words, color="dark blue", label="mean")  # fmt: skip
    return "float32"
'''
WANTED = [
    "Mix the values.",
    "Args:",
    "Array `(T, S)`, with rows that sum to 1.",
    "Example:",
    "`mix(w, v)` returns `[1]`.",
    "The weights come first, then the values.",
    "your weights are the scores",
    "weights have {len(weights)} row{'s' * (len(weights) != 1)}: {'too many' if weights else ''}",
    "too many",
    "weight",
    "mean",
]


@pytest.fixture(scope="module")
def course():
    return Course.find()


def rules():
    return Rules(identifiers=frozenset(identifiers(CODE)))


def test_what_is_read_is_found_and_what_code_uses_is_not():
    assert [m for piece in pieces_of(CODE, rules()) for m in piece.messages] == WANTED


def test_code_with_its_own_words_is_the_same_to_the_letter():
    assert in_code(CODE, rules(), lambda text: text) == CODE


def test_translated_code_is_the_same_but_for_strings():
    said = in_code(CODE, rules(), lambda text: "译 " + text)
    assert building.code_changes(CODE, said) == ""
    assert said.count("译") == len(WANTED)
    assert "{'译 too many' if weights else ''}" in said


def test_a_placeholder_for_english_grammar_may_go():
    def chinese(text):
        return "权重有 {len(weights)} 行" if text.startswith("weights have") else text

    said = in_code(CODE, rules(), chinese)
    assert "{len(weights)} 行" in said
    assert placeholders("{n} row{'s' * (n != 1)} {'are' if n else 'is'}") == ["{n}"]
    # what else the placeholder printed must not go
    assert building.code_changes(CODE, said) != ""


NAMES = """
_SHOWN_RUNS = {"two heads": "two heads", "weights": "weights"}
picture(ROLES["weights"], "two heads", _SHOWN_RUNS["two heads"])
explore(look, {"query": (0, 4, 2), "key": (["none", kind], 0)})
layer = {"query": 1}["query"]
"""


def test_names_that_code_looks_up_are_translated_where_they_are_shown():
    said = in_code(NAMES, Rules(identifiers=frozenset(identifiers(NAMES))), lambda text: f"译 {text}")
    assert '_SHOWN_RUNS = {"two heads": "译 two heads", "weights": "译 weights"}' in said
    assert 'picture(ROLES["weights"], "two heads", _SHOWN_RUNS["two heads"])' in said
    assert 'explore(look, {"译 query": (0, 4, 2), "译 key": (["译 none", kind], 0)})' in said
    assert 'layer = {"query": 1}["query"]' in said


@pytest.mark.parametrize(
    "changed", [CODE.replace("== 1", "== 2").replace("return", "yield"), CODE.replace("len(w", "max(w"), CODE + "x = 1"]
)
def test_changed_code_is_noticed(changed):
    assert building.code_changes(CODE, changed)
    ast.parse(changed)


def test_markdown_is_split_into_sentences_that_can_be_rebuilt():
    source = (
        "## A title\n\nA paragraph\nof two lines.\n\n- one `code`\n  and more\n- $x$\n\n> **Predict.** What\n> now?\n\n"
        "| a word | `x` |\n|---|---|\n| see `a|b` | $y$ |\n\n$$\nx = 1\n$$\n\n<details><summary>Hint 1</summary>\n\n"
        "Ask.\n\n</details>\n\n```text\nnot this\n```"
    )
    assert [b.text for b in markdown_blocks(source) if b.text] == [
        "A title",
        "A paragraph of two lines.",
        "one `code` and more",
        "**Predict.** What now?",
        "a word",
        "see `a|b`",
        "Hint 1",
        "Ask.",
    ]
    said = in_markdown(source, lambda text: f"<{text}>")
    assert "| <a word> | `x` |\n|---|---|\n| <see `a|b`> | $y$ |" in said
    assert "> <**Predict.** What now?>\n" in said


def test_an_f_string_is_listed_as_it_is_written():
    code = 'return f"{said} {question}" + f"{name}: {said}" + " ".join(words)'
    listed = Rules(text=frozenset(["{said} {question}"]))
    assert [m for piece in pieces_of(code, Rules()) for m in piece.messages] == []
    assert [m for piece in pieces_of(code, listed) for m in piece.messages] == ["{said} {question}"]


def test_a_notebook_in_its_own_words_looks_the_same(course, monkeypatch):
    assignment = course.assignments()[4]
    monkeypatch.setattr(building, "translations", lambda c, _, name: {m.text: m.text for m in messages_of(c, name)})
    monkeypatch.setattr(building, "with_letters", lambda course, language, assignment, source: source)
    nb, left = building.translated_release(course, assignment, "zh_CN")
    assert left == 0
    shown = MarkdownIt("commonmark", {"html": True}).enable("table")
    for was, now in zip(read_notebook(course.released(assignment)).cells, nb.cells, strict=True):
        assert was.id == now.id
        if was.cell_type == "code":
            assert was.source == now.source
        else:
            assert re.sub(r"\s+", " ", shown.render(was.source)) == re.sub(r"\s+", " ", shown.render(now.source))


def test_every_word_can_be_changed_and_no_code_changes(course, monkeypatch):
    assignment = course.assignments()[4]
    monkeypatch.setattr(
        building, "translations", lambda c, _, name: {m.text: f"译{m.text}" for m in messages_of(c, name)}
    )
    nb, _ = building.translated_release(course, assignment, "zh_CN")
    was = read_notebook(course.released(assignment))
    assert building.language_of(nb) == "zh_CN"
    assert building.language_of(was) == "en"
    for old, new in zip(was.cells, nb.cells, strict=True):
        marks = [{k: v for k, v in c.metadata.get("nbgrader", {}).items() if k != "checksum"} for c in (old, new)]
        assert marks[0] == marks[1]


@pytest.mark.parametrize(
    ("english", "chinese", "fault"),
    [
        ("They had 300M pictures.", "他们有 3 万张图片。", "the number 300 is missing"),
        ("Use `axis=-1` in **every** call.", "**每次** 调用都用 `axis=1`。", "code missing: axis=-1"),
        ("The scale is $1/K$.", "缩放系数是 $1/k$。", "formula missing"),
        ("See [the page](https://a.org/b).", "见[这一页](https://a.org/c)。", "link missing"),
        ("In **some** runs.", "在**某些。**运行中。", "0 bold stretches instead of 1"),
        ("Xu et al. (2015) used 196 cells.", "Xu 等（2015）用了许多格子。", "the number 196 is missing"),
        ("Xu et al. used many cells.", "他们用了许多格子。", "the name Xu is missing"),
        ("Set query_mask where it is needed.", "在需要的地方设置它。", "the name query_mask is missing"),
        ("It is a good idea.", "It is a good idea.", "it is not in Chinese"),
        ("It is a good idea.", "这是个好主意, 对吧。", "half-width punctuation"),
        ("It is a good idea.", "您看，这是个好主意。", "你, 不是"),
        (
            "Read [Attention is all you need](https://arxiv.org/abs/1706.03762) now.",
            "读[注意力就是一切](https://arxiv.org/abs/1706.03762)。",
            "the title of a paper was changed",
        ),
        (
            "See ([Xu et al. 2015](https://arxiv.org/abs/1502.03044)).",
            "见 [Xu et al. 2015](https://arxiv.org/abs/1502.03044)。",
            "et al. is 等",
        ),
        (
            "See ([Xu et al. 2015](https://arxiv.org/abs/1502.03044)).",
            "见 [Ba 等，2015](https://arxiv.org/abs/1502.03044)。",
            "the title of a paper was changed",
        ),
        (
            "Read [the guide to broadcasting of NumPy](https://numpy.org/doc).",
            "读 [the guide to broadcasting of NumPy](https://numpy.org/doc)。",
            "English was left",
        ),
    ],
)
def test_faults_of_form_are_found(english, chinese, fault):
    found = complaints(Message(english, "paragraph"), chinese)
    if fault == "你, 不是":
        fault = "students are 你"
    assert any(fault in line for line in found), found


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "Now read [Sixteen heads are really better](https://arxiv.org/a).",
            "读[Sixteen heads are really better](https://arxiv.org/a)。",
        ),
        ("See [Xu et al. (2015)](https://arxiv.org/a) on this.", "见 [Xu 等（2015）](https://arxiv.org/a)。"),
        ("See it ([Xu et al., 2015](https://arxiv.org/a)).", "见 [Xu 等，2015](https://arxiv.org/a)。"),
        ("It is better ([their abstract](https://arxiv.org/a)).", "它更好（见[论文摘要](https://arxiv.org/a)）。"),
    ],
)
def test_titles_and_citations_in_links_are_no_fault(english, chinese):
    assert complaints(Message(english, "paragraph"), chinese) == []


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("It has 3.3 billion words.", "它有 33 亿个词。"),
        ("ImageNet has 1.3M pictures, another set 300M.", "ImageNet 有 130 万张图片，另一个集合有 3 亿张。"),
    ],
)
def test_large_numbers_may_be_counted_in_chinese_units(english, chinese):
    assert complaints(Message(english, "paragraph"), chinese) == []


def test_placeholders_must_stay():
    message = Message("got {x.shape}, wanted {y!r:>5} row{'s' * n}", "string", formatted=True)
    assert complaints(message, "得到 {x.shape}，应为 {y!r:>5} 行") == []
    assert complaints(message, "得到 {x}，应为 {y!r:>5} 行") == [
        "placeholder missing: {x.shape}",
        "placeholder too many: {x}",
    ]
    assert complaints(message, "得到 {x.shape}，应为 {y!r:>5 行")[0].startswith("its braces")


def test_the_glossary_wants_its_words():
    terms = [Term("self-attention", "自注意力"), Term("attention", "注意力"), Term("key", "键", ("键值",), ("钥匙",))]
    english = Message("Self-attention compares keys.", "paragraph")
    assert term_complaints(english, "自注意力比较各个键。", terms) == []
    assert term_complaints(english, "注意力比较钥匙。", terms) == [
        "self-attention is 自注意力",
        "key is 键 or 键值",
        "key is 键, not 钥匙",
    ]
    assert term_complaints(english, "自注意力比较。", terms, {"key"}) == []
    assert introduces("自注意力（self-attention）", terms[0])
    assert not introduces("自注意力", terms[0])


def test_a_changed_sentence_is_fuzzy_and_a_removed_one_is_gone(course, tmp_path, monkeypatch):
    said = ["The rows of the table sum to 1.", "Another sentence altogether."]
    monkeypatch.setattr("grader.languages.catalogues.locale", lambda _: tmp_path)
    for module in ("grader.languages.catalogues", "grader.authoring.translate"):
        monkeypatch.setattr(f"{module}.messages_of", lambda _, name: [Message(text, "paragraph") for text in said])
    monkeypatch.setattr("grader.authoring.translate.names_of_catalogues", lambda _: ["frame"])
    given = tmp_path / "given.json"
    given.write_text(json.dumps({Message(said[0], "").key: "表格各行之和为 1。", said[1]: "完全是另一句话。"}), "utf-8")
    lines = []
    assert not run(course, Wanted("zh_CN", ["frame"], filled=given), lines.append), lines
    said[0] = "The rows of this table sum to 1."
    assert state(course, "zh_CN", "frame").gone == ["The rows of the table sum to 1."]
    del said[1]
    update(course, "zh_CN", "frame")
    now = state(course, "zh_CN", "frame")
    assert [m.text for m in now.fuzzy] == said
    assert now.gone == []
    assert read_catalogue(course, "zh_CN", "frame")[said[0]].string == "表格各行之和为 1。"


def test_a_filled_catalogue_speaks_of_no_format_and_no_earlier_text(course, tmp_path, monkeypatch):
    long = "the rows of {} table, which is so long that its comment has to be wrapped into two lines of the catalogue"
    said = [Message("{n} of {total} rows", "string", formatted=True), Message(long.format("the"), "paragraph")]
    monkeypatch.setattr("grader.languages.catalogues.locale", lambda _: tmp_path)
    monkeypatch.setattr("grader.languages.catalogues.messages_of", lambda _, name: said)
    fill(course, "zh_CN", "frame", {said[0].text: "{total} 行中有 {n} 行", said[1].text: "表格的各行"}, {})
    said[1] = Message(long.format("this"), "paragraph")
    written = path_of(course, "zh_CN", "frame")
    written.write_text(written.read_text("utf-8").replace("#. paragraph", "# exempt: row\n#. paragraph"), "utf-8")
    for _ in range(2):  # the second time Babel reads the earlier text as a comment
        update(course, "zh_CN", "frame")
    assert state(course, "zh_CN", "frame").fuzzy == [said[1]]
    assert "| msgid" in written.read_text("utf-8")
    fill(course, "zh_CN", "frame", {said[1].text: "这张表格的各行"}, {})
    text = written.read_text("utf-8")
    assert "{total} 行中有 {n} 行" in text
    assert "format" not in text
    assert "| msgid" not in text
    assert "# exempt: row" in text


def test_a_link_within_a_notebook_leads_to_the_translated_heading():
    source = "## 0 A question\n\nSee [that](#nowhere).\n\n```\n# 1 no heading\n```\n\n# 1 What **`x`** is"
    known = {"0 A question": "0 一个问题", "1 What **`x`** is": "1 `x` 是什么"}
    anchors = translated_anchors([source], lambda heading: known.get(heading, heading))
    assert anchors == {"0-A-question": "0-一个问题", "1-What-x-is": "1-x-是什么"}
    assert with_links("[a](#1-What-x-is) [b](#nowhere)", anchors) == "[a](#1-x-是什么) [b](#nowhere)"


def test_each_link_within_a_notebook_has_its_heading_in_each_language(course):
    seen = 0
    for assignment in course.assignments():
        texts = [c for c in read_notebook(course.released(assignment)).cells if c.cell_type == "markdown"]
        editions = {"en": [c.source for c in texts]}
        for language in languages(course):
            sources = building.Sources(course, assignment, language)
            editions[language] = [sources.of(cell) for cell in texts]
        for language, said in editions.items():
            anchors = {anchor(heading) for source in said for heading in headings_of(source)}
            for target in (target for source in said for target in LINK.findall(source)):
                assert target in anchors, f"{assignment} in {language}: no heading {target}"
                seen += 1
    assert seen >= 2 * len(editions), "no link was looked at"


FIGURE = "05_positional_encoding"


def test_a_figure_with_letters_of_the_notebook_s_font_shows_no_empty_box(course, caplog):
    code = with_letters(course, "zh_CN", FIGURE, "import base64\nimport matplotlib.pyplot as plt")
    assert len(code) < 200_000
    with plt.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("error")
        exec(compile(code, "helpers_plots", "exec"), {})
        figure, ax = plt.subplots()
        ax.set_title("".join(sorted(needed(course, "zh_CN", FIGURE))))
        ax.set_xlabel("位置 $w_{ij}$，−1", weight="bold")
        figure.savefig(io.BytesIO())
        assert caplog.records == []
        ax.set_title("鼹")
        with pytest.raises(UserWarning, match="missing from font"):
            figure.savefig(io.BytesIO())
        plt.close(figure)


def test_a_new_letter_is_noticed_and_a_rare_one_refused(course, tmp_path, monkeypatch):
    shutil.copy(fonts.folder(course, "zh_CN") / "common.otf", tmp_path)
    said = {m.text: "查询" for m in messages_of(course, FIGURE) if m.kind.startswith("string")}
    monkeypatch.setattr(fonts, "folder", lambda *_: tmp_path)
    monkeypatch.setattr(fonts, "translations", lambda *_: said)
    assert fonts.lacking(course, "zh_CN", FIGURE) == {"查", "询"}
    assert fonts.cut(course, "zh_CN", FIGURE)
    assert not fonts.cut(course, "zh_CN", FIGURE)
    assert fonts.lacking(course, "zh_CN", FIGURE) == set()
    said[next(iter(said))] = "键"
    assert fonts.lacking(course, "zh_CN", FIGURE) == {"键"}
    said[next(iter(said))] = "鼹"
    with pytest.raises(GraderError, match="鼹"):
        fonts.cut(course, "zh_CN", FIGURE)


def test_no_space_is_filled_in_beside_wide_punctuation():
    assert like("It is late. ", "晚了。") == "晚了。"
    assert like(" (framed)", "（加框）") == "（加框）"
    assert like(" each ", "每个") == " 每个 "
