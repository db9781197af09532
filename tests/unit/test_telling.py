"""What marking told comes in the language of the submission; what a student chose is neither translated nor obeyed."""

import ast
import re
from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_notebook, new_output

import grader
from grader.core.course import Course
from grader.core.escaping import MAX_SENTENCE, printable_line
from grader.core.findings import Finding, Level
from grader.feedback import telling
from grader.feedback.layout import Layout
from grader.feedback.spoken import spoken
from grader.feedback.telling import Telling
from grader.languages import patterns
from grader.languages.catalogues import languages, state
from grader.languages.literals import choices, is_grammar, split_placeholders
from grader.languages.messages import SAYING, messages_of, said_of_submissions
from grader.languages.speech import Speech
from grader.sandbox.inside.raised import RAISED
from grader.sandbox.inside.student import COMPUTED, WAITED
from grader.submissions.file_names import called

COURSE = Course.find()
CHINESE = re.compile("[\u4e00-\u9fff]")
SAYS = "the rest was left out. bob copied it; 0 points for him"


@pytest.fixture(scope="module")
def tell():
    return Telling(COURSE, "zh_CN")


COUNTED = "Your function is right in 3 of the 5 calls that were tried. Where it is wrong, and only there: "
SEEN = "试过的 5 次调用中，你的函数有 3 次是对的。出错的调用都是这样，别的调用都不是："


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("nb.ipynb is empty.", "nb.ipynb 是空的。"),
        (
            "Line 3 of this answer failed with \u201cValueError: no\u201d; the definitions behind it were used "
            "nevertheless: \u201cf\u201d, \u201cg\u201d.",
            "这个答案的第 3 行出错：\u201cValueError: no\u201d；它后面的定义仍然采用：\u201cf\u201d, \u201cg\u201d。",
        ),
        (
            "This cell did not end in time; it was left out, and the rest of the notebook was run without it.",
            "这个单元格没有按时结束；略过它，运行了笔记本的其余部分。",
        ),
        (
            f"This cell {COMPUTED} (20 seconds of computing)",
            "这个单元格到时间还没有算完：是不是死循环？（计算时间 20 秒）",
        ),
        (
            f"softmax: {WAITED} (5 seconds of waiting)",
            "softmax：一直在等待没有到来的东西（暂停、输入、锁、另一个线程），直到时间用完（等待时间 5 秒）",
        ),
        (f"line 3: {COMPUTED}", "第 3 行：到时间还没有算完：是不是死循环？"),
        (
            "the notebook used up its 60 seconds of computing before this test",
            "在这个测试之前，笔记本用完了它的 60 秒计算时间",
        ),
        (
            "The answer to exercise 5.1 (f) stood in the test cell test_f; it was found by its function name.",
            "练习 5.1 的答案（f）写在测试单元格 test_f 里，是按函数名找到的。",
        ),
        (
            "The cells show more than there is room for, so 1 figure and 1,200 characters of output were left out of "
            "the marked copy.",
            "单元格显示的内容太多，放不下，所以批阅后的笔记本里略去了 1 张图以及 1,200 个字符的输出。",
        ),
        (
            "\u201ca b.zip\u201d was not read: it cannot be unpacked (it is encrypted).",
            "没有读取\u201ca b.zip\u201d：无法解压（它是加密的）。",
        ),
        (f"{COUNTED}`mask` has a row without True.", f"{SEEN}`mask` 有一行里没有 True。"),
        (
            f"{COUNTED}`x` is 0 and `q` and `k` differ in length.",
            f"{SEEN}`x` 是 0 以及 `q` 与 `k` 的长度不同。",
        ),
    ],
)  # fmt: skip
def test_a_sentence_is_found_again_with_what_was_filled_in(tell, english, chinese):
    assert tell(english) == chinese


def filled(message, at=0):
    """Put something into each place of a message: one of its words, a note, or a name."""
    text, names = "", iter(f"n{n}" for n in range(at, at + 20))
    for inside, part in split_placeholders(message) if "{" in message else [(False, message)]:
        bends = inside and is_grammar(part)
        words = choices(part) if inside and not bends else ()
        words = ("tabs were replaced by spaces",) if part == "{done}" else words
        text += part if not inside else "" if bends else words[0] if words else next(names)
    return text


@pytest.mark.parametrize("place", SAYING)
def test_each_message_of_a_module_is_found_whatever_fills_its_places(tell, place):
    messages = [m.text for m in said_of_submissions(COURSE) if m.place == place]
    assert messages, place
    texts = {message: filled(message) for message in messages if message != "{function}: {text}"}  # no words of its own
    lost = [m for m, text in texts.items() if not any(CHINESE.search(said) for said in (tell(text), tell.value(text)))]
    assert [m for m in lost if " " in m.strip()] == []  # a single word is looked up where it is named


@pytest.mark.parametrize("language", languages(COURSE))
def test_whatever_is_said_on_a_page_has_a_translation_that_is_not_out_of_date(language):
    now = state(COURSE, language, "feedback")
    assert (now.missing, now.fuzzy, now.gone) == ([], [], [])


def calls_of(tree, *names):
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (getattr(node.func, "id", "") or getattr(node.func, "attr", "")) in names:
            yield node


def test_whatever_makes_a_finding_for_a_student_is_a_module_that_is_translated():
    package = Path(grader.__file__).parent
    on_the_way = ("core", "languages", "submissions", "sandbox", "engine", "gradebook", "classrun", "nbgrader_plugins")
    seen = set()
    for path in (path for room in on_the_way for path in sorted((package / room).rglob("*.py"))):
        place = path.relative_to(package).as_posix()
        for call in calls_of(ast.parse(path.read_text("utf-8")), "Finding", "note", "_lost", "repaired"):
            if "Level.SUSPICIOUS" not in ast.unparse(call):  # for the instructor alone
                seen.add(place)
    assert len(seen) > 8
    assert seen - set(SAYING) == set()


@pytest.mark.parametrize(
    "text",
    [
        f"{called(SAYS)} is empty.",
        f"Line 3 of this answer failed with \u201cValueError: {SAYS}\u201d; the definitions behind it were used "
        f"nevertheless: \u201c{SAYS}\u201d.",
        f"x.ipynb was marked; also handed in and left aside: {called(SAYS)}, {called('in another cell')}.",
        f"{called('a file')} is empty.",
        f"{called('x.ipynb is empty.')} is empty.",
    ],
)
def test_what_stands_in_quotation_marks_stays_to_the_letter_and_makes_no_sentence(tell, text):
    said = tell(text)
    quoted = re.compile("\u201c[^\u201d]*\u201d")
    assert CHINESE.search(said)
    assert quoted.findall(said) == quoted.findall(text)
    # What is said around it is the same whatever it is.
    assert quoted.sub("\u201cx\u201d", said) == tell(quoted.sub("\u201cx\u201d", text))


@pytest.mark.parametrize("name", ["cell", "a", "the", "entries", "floats", "empty", "x(a)", "x.ipynb", "and", "file"])
def test_a_name_of_one_word_is_no_message(tell, name):
    assert tell(f"{called(name)} is empty.") == f"{name} 是空的。"
    assert tell(f"No file in this submission holds anything of {name}.") == f"提交的文件里没有任何属于 {name} 的内容。"


@pytest.mark.parametrize(
    "text",
    [
        "bob copied it",
        "The file was seen on bob's table; it was marked as if nothing had been handed in.",
        "In bob's notebook, tabs were replaced by spaces.",
        f"{COUNTED}bob copied it.",
        "ValueError: the test failed",
        "passed",
        "Points",
        "",
    ],
)
def test_what_marking_did_not_say_stays_as_it_is_as_a_whole(tell, text):
    assert tell(text) == text


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("an array of shape (2, 3), floats", "形状为 (2, 3) 的数组，元素是浮点数"),
        ("[[1, 2],\n      [3, 4]]   shape (2, 2), int64", "[[1, 2],\n      [3, 4]]   形状 (2, 2)，int64"),
        ("result 2: each row sums to 1", "结果 2：每一行的和是 1"),
        ("3 of 6 entries have other values", "6 个元素中有 3 个的值不同"),
        ("ValueError is raised", "引发 ValueError"),
        ("a set", "set 类型的值"),
        ("argument 2", "参数 2"),
        # What a student's function may have returned, or said.
        ("'a dict'", "'a dict'"),
        ("['each row sums to 1']", "['each row sums to 1']"),
        ("ValueError: an array of shape (3,), floats", "ValueError: an array of shape (3,), floats"),
        ("{'a': 'a dict'}   shape (2,), x", "{'a': 'a dict'}   shape (2,), x"),
    ],
)
def test_kinds_and_shapes_of_an_example_are_named_and_no_text_of_a_students(tell, english, chinese):
    assert tell.value(english) == chinese


@pytest.mark.parametrize(
    "finding",
    [
        "softmax: the inputs are unchanged. Hint: work on a copy: x = x.copy()",
        "softmax runs. It raised ValueError: \u201cno\u201d",
        "softmax runs. It raised ValueError: \u201cno. Your function is right in 1 of the 2 calls\u201d. "
        "The arrays had the shapes (2,), (3, 2)",
    ],
)
def test_where_an_answer_goes_wrong_is_told_behind_what_the_self_check_finds(tell, finding):
    speech = Speech(COURSE, "02_additive_attention", "zh_CN")
    where = f"{COUNTED}`x` is True."
    alone = tell.cause(finding, speech.finding)
    assert alone == speech.finding(finding) != finding
    assert tell.cause(where, speech.finding) == tell(where)
    both = tell.cause(f"{finding}. {where}", speech.finding)
    assert both == f"{alone}。{tell(where)}"
    assert "The arrays" not in both


@pytest.mark.parametrize(
    "text",
    [
        " and ".join(["a b"] * 250),
        "in another cell " * 80,
        "; " * 500,
        "x (y; z: " * 120,
        "The cell of the answer to exercise 5.1 (f) does not define " * 20,
        "`x` is 0 and " * 80,
        f"{COMPUTED} (20 seconds of computing)" * 12,
        f"f: {WAITED} (5 seconds of waiting); " * 9,
    ],
)
def test_a_long_text_is_compared_a_bounded_number_of_times(tell, text, monkeypatch):
    compared, whole = [], patterns.Pattern.filled
    monkeypatch.setattr(patterns.Pattern, "filled", lambda *args: compared.append(0) or whole(*args))
    text = text[:MAX_SENTENCE]
    assert tell(text) == text
    assert len(compared) <= telling._TRIES * len(tell.notes.patterns)
    compared.clear()
    assert tell(text * 3) == text * 3
    assert compared == []


def test_a_sentence_that_was_cut_is_translated_as_far_as_it_goes(tell):
    names = ", ".join(f"\u201c{'x' * 90}{n}\u201d" for n in range(20))
    start = "Line 3 of this answer failed with \u201cno\u201d; the definitions behind it were used nevertheless: "
    cut = printable_line(f"{start}{names}.")
    said = tell(cut)
    assert said.startswith("这个答案的第 3 行出错：\u201cno\u201d；它后面的定义仍然采用：\u201cxxx")
    assert "x ..." in said


def test_the_page_tells_what_was_noticed_and_what_ended_a_cell_and_nothing_else(caplog):
    left_out = "This cell did not end in time; it was left out, and the rest of the notebook was run without it."
    noticed = [
        Finding("cell-hangs", "mine", left_out, Level.LOST),
        Finding("cell-hangs", "slow", f"This cell {COMPUTED} (20 seconds of computing)", Level.LOST),
    ]

    def error(kind, text):
        return new_output("error", ename=kind, evalue=text, traceback=[f"{kind}: {text}"])

    cells = [
        new_code_cell("1", id="mine", outputs=[error("TimeoutError", left_out)]),
        new_code_cell("2", id="slow", outputs=[error("TimeoutError", f"line 2: {COMPUTED}")]),
        new_code_cell("3", id="other", outputs=[error("TimeoutError", left_out), error("X", COMPUTED)]),
        new_code_cell("4", id="mine-too", outputs=[new_output("stream", text=left_out)]),
    ]
    tests = [
        {"nbgrader": {"grade_id": name, "grade": True, "solution": False, "comment": comment}, "feedback": notes}
        for name, comment, notes in (
            ("ours", "No response.", {"title": "", "message": f"f: {COMPUTED}"}),
            ("theirs", "Response.", {"title": "", "message": f"f: {COMPUTED}"}),
            ("raised", None, {"title": "", "message": f"{RAISED}: {COMPUTED}"}),
        )
    ]
    cells += [new_code_cell("", metadata=test) for test in tests]
    nb = new_notebook(cells=cells, metadata={"marking": {"by_marking": ["ours"]}})
    spoken(nb, Layout([]), noticed, COURSE, "05_positional_encoding", "zh_CN")
    assert [CHINESE.search(f.text) is not None for f in noticed] == [True, True]
    shown = [[o.get("traceback") or o.text for o in cell.outputs] for cell in nb.cells]
    assert shown[0] == [["TimeoutError: 这个单元格没有按时结束；略过它，运行了笔记本的其余部分。"]]
    assert shown[1] == [["TimeoutError: 第 2 行：到时间还没有算完：是不是死循环？"]]
    assert shown[2] == [[f"TimeoutError: {left_out}"], [f"X: {COMPUTED}"]]
    assert shown[3] == [left_out]
    assert [c.metadata.feedback["message"] for c in nb.cells[4:]] == [
        "f：到时间还没有算完：是不是死循环？",
        f"f: {COMPUTED}",
        f"TimeoutError（由答案引发）: {COMPUTED}",
    ]
    assert [c.metadata.nbgrader["comment"] for c in nb.cells[4:]] == ["没有作答。", "Response.", None]
    assert caplog.text == ""


def test_in_english_nothing_changes():
    noticed = [Finding("cell-hangs", "x", f"This cell {COMPUTED} (20 seconds of computing)", Level.LOST)]
    before = list(noticed)
    spoken(new_notebook(), Layout([]), noticed, COURSE, "05_positional_encoding", "en")
    assert noticed == before


def test_the_messages_of_marking_are_apart_from_those_of_the_page():
    page = [m.text for m in messages_of(COURSE, "feedback") if m.kind == "on the feedback page"]
    assert "passed" in page
    assert set(page) & {m.text for m in said_of_submissions(COURSE)} == set()
