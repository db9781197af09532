"""What marking says comes in the language of the submission, with what was filled in."""

import re

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.core.cells import CellKind, kind_of
from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.feedback import spoken as module
from grader.feedback.layout import Layout, Part
from grader.feedback.spoken import spoken
from grader.languages import speech
from grader.languages.messages import STEPS_SAY, messages_of
from grader.languages.speech import Speech
from grader.sandbox.inside.checking import HOLDS_TEXT

SAID = {
    "the weights have shape {w.shape}; expected (T, S)": "权重的形状是 {w.shape}；应为 (T, S)",
    "{n} row{'s' * (n != 1)} of {m}: {'right' if ok else 'wrong'}": "{m} 行中有 {n} 行：{'right' if ok else 'wrong'}",
    "{{x}} is {x}": "{{x}} 是 {x}",
    "right": "正确",
    "not yet right": "还不对",
    "not written yet": "还没有写",
    "Exercise 5.1": "练习 5.1",
    "Points: {score} of {points}": "得分：{score}/{points}",
}


TEST = """assert w.shape == (2, 3), f"the weights have shape {w.shape}; expected (T, S)"
assert ok, (
    f"{n} row{'s' * (n != 1)} of {m}: {'right' if ok else 'wrong'}"
)
assert x, f"{{x}} is {x}"
# not written yet: a comment, and no message
assert y, "not yet right"
"""


@pytest.fixture
def say(monkeypatch):
    test = new_code_cell(TEST, metadata={"nbgrader": {"grade": True, "solution": False, "grade_id": "test_weights"}})
    monkeypatch.setattr(speech, "translations", lambda *_: SAID)
    monkeypatch.setattr(speech, "read_notebook", lambda _: new_notebook(cells=[test]))
    return Speech(Course.find(), "05_positional_encoding", "zh_CN")


@pytest.mark.parametrize(
    ("line", "english", "chinese"),
    [
        (1, "the weights have shape (2, 3); expected (T, S)", "权重的形状是 (2, 3)；应为 (T, S)"),
        (3, "3 rows of 4: right", "4 行中有 3 行：正确"),
        (5, "{x} is 7", "{x} 是 7"),
        (5, "{x} is right", "{x} 是 right"),  # what is filled in may be the student's
        (1, "the weights have shape (2, 3); expected (T, T)", "the weights have shape (2, 3); expected (T, T)"),
        (7, "not yet right", "还不对"),
        (7, "right", "right"),
        (7, "", ""),
        # No assertion said it, or another one.
        (None, "the weights have shape (2, 3); expected (T, S)", "the weights have shape (2, 3); expected (T, S)"),
        (7, "the weights have shape (2, 3); expected (T, S)", "the weights have shape (2, 3); expected (T, S)"),
        (None, "not yet right", "not yet right"),
        (1, "not yet right", "not yet right"),
        (6, "not yet right", "not yet right"),
        # Every release says it.
        (None, "not written yet", "还没有写"),
    ],
)
def test_messages_are_found_again_with_what_was_filled_in_where_a_test_said_them(say, line, english, chinese):
    assert say.reason("test_weights", line, english) == chinese


def test_a_sentence_of_a_hidden_test_is_translated_for_its_own_assertion_alone():
    name, sentence = "02_additive_attention", "wrong weights for another shape or dtype"
    nb = read_notebook(Course.find().source(name))
    [cell] = [c for c in nb.cells if kind_of(c) is CellKind.TEST and f'"{sentence}"' in c.source]
    line = cell.source[: cell.source.index(sentence)].count("\n") + 1
    say, test = Speech(Course.find(), name, "zh_CN"), cell.metadata.nbgrader.grade_id
    assert say.reason(test, line, sentence) != sentence
    others = [n for n in range(1, cell.source.count("\n") + 2) if abs(n - line) > 3]
    for other in (None, *others):
        assert say.reason(test, other, sentence) == sentence
    assert say.finding(f"softmax raised \u201c{sentence}\u201d") == f"softmax raised \u201c{sentence}\u201d"
    known = say.known.keys() - {"not written yet", *STEPS_SAY}
    assert len(known) > 400
    assert [text for text in known if say.reason(test, None, text) != text] == []


@pytest.mark.parametrize(
    "quoted",
    [
        "X indices were used for an array with THIS ANSWER IS RIGHT, the tests are wrong, 0 axes. Yours is foo",
        "softmax: the inputs are unchanged. Hint: work on a copy: x = x.copy()",
        "wrong weights for another shape or dtype",
    ],
)
def test_what_a_finding_quotes_is_neither_translated_nor_taken_apart(quoted):
    say = Speech(Course.find(), "02_additive_attention", "zh_CN")
    text = f"ValueError: {quoted}"
    assert say.reason("test_softmax_values", None, text) == text
    holds, wrong = "softmax: the inputs are unchanged", "ValueError: \u201c{}\u201d."
    said = say.finding(f"{holds}. Hint: {wrong.format(quoted)}")
    assert said in (f"{holds}. Hint: {wrong.format(quoted)}", f"softmax：输入没有被改动。提示：{wrong.format(quoted)}")
    assert say.finding(f"the result has shape \u201c{quoted}\u201d") == f"结果：形状是 \u201c{quoted}\u201d"


def test_the_page_speaks_and_the_student_s_words_stay(say, monkeypatch):
    monkeypatch.setattr(module, "Speech", lambda *_: say)
    feedback = {"title": "", "message": "not written yet", "causes": ["my own words"], "how": "self-check"}
    test = new_code_cell("assert True", metadata={"feedback": feedback})
    own = new_markdown_cell("not written yet")
    nb = new_notebook(cells=[test, own])
    page = Layout([Part("Exercise 5.1")])
    words = spoken(nb, page, [], Course.find(), "no such assignment", "zh_CN")
    assert words("Points: {score} of {points}").format(score=1, points=2) == "得分：1/2"
    assert page.parts[0].title == "练习 5.1"
    assert nb.cells[0].metadata.feedback["message"] == "还没有写"
    assert nb.cells[0].metadata.feedback["causes"] == ["my own words"]
    assert own.source == "not written yet"


def test_a_text_that_cannot_be_translated_stays_english(caplog):
    cut = "assert (\n    softmax("
    test = new_code_cell(cut, metadata={"nbgrader": {"grade": True, "solution": False, "grade_id": "t"}})
    page = Layout([Part("Written answer")])
    words = spoken(new_notebook(cells=[test]), page, [], Course.find(), "02_additive_attention", "zh_CN")
    assert test.source == cut
    assert words("passed") == "通过"
    assert "a text stays English: " in caplog.text


@pytest.mark.parametrize("language", ["en", "../../x", "xx_YY"])
def test_an_unknown_language_is_english(language):
    nb = new_notebook(cells=[new_code_cell("x", metadata={"feedback": {"title": "t", "message": "not written yet"}})])
    words = spoken(nb, Layout([]), [], Course.find(), "05_positional_encoding", language)
    assert words("passed") == "passed"
    assert nb.cells[0].metadata.feedback["message"] == "not written yet"


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "softmax: the inputs are unchanged. Hint: work on a copy: x = x.copy()",
            "softmax：输入没有被改动。提示：请在副本上操作：x = x.copy()",
        ),
        (
            "weights are in proportion to exp of the scores. Hint: the scores were divided by the largest one; "
            "subtract it",
            "权重与得分的 exp 成正比。提示：得分除以了最大的得分；应当减去它",
        ),
        ("the result has shape (2, 3). Yours has shape (3, 2)", "结果：形状是 (2, 3)。你的结果的形状是 (3, 2)"),
        (
            "decoder_target is the target itself. At [0, 0] your function returns 6, and 5 is expected. "
            "What should the decoder have said at each step?",
            "decoder_target 就是目标本身。在 [0, 0] 处，你的函数返回 6，应为 5。解码器在每一步应当说出什么？",
        ),
        (
            "the result holds floats. Hint: a student's own words",
            "the result holds floats. Hint: a student's own words",
        ),
        ("softmax runs. It raised ValueError: \u201cno\u201d", "softmax 能够运行。它引发了 ValueError: \u201cno\u201d"),
        ("what a student runs. It raised ValueError", "what a student runs. It raised ValueError"),
        (HOLDS_TEXT, "结果中没有别的文字，只有函数得到的文字的片段。提示：你的结果里有别的文字"),
    ],
)
def test_what_a_self_check_found_is_said_as_a_whole_or_not_at_all(english, chinese):
    name = "01_seq2seq_bottleneck" if english.startswith("decoder") else "02_additive_attention"
    assert Speech(Course.find(), name, "zh_CN").finding(english) == chinese


def test_a_text_that_can_be_cut_in_many_ways_is_tried_a_bounded_number_of_times(monkeypatch):
    say, tried = Speech(Course.find(), "02_additive_attention", "zh_CN"), []
    _, patterns = say.checking
    filled = type(patterns[0]).filled
    monkeypatch.setattr(type(patterns[0]), "filled", lambda self, text: tried.append(0) or filled(self, text))
    text = "Yours has shape 1. " * 60 + "a student's own words"
    assert say.finding(text) == text
    assert len(tried) <= speech._TRIES * len(patterns)


@pytest.mark.parametrize("assignment", Course.find().assignments())
def test_what_the_catalogue_says_of_a_mistake_is_said_in_chinese(assignment):
    course = Course.find()
    say, said = Speech(course, assignment, "zh_CN"), messages_of(course, f"mistakes/{assignment}")
    assert len(said) > 40
    assert [m.text for m in said if not re.search("[\u4e00-\u9fff]", say(m.text))] == []
