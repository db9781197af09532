"""What marking says comes in the language of the submission, with what was filled in."""

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from grader.core.course import Course
from grader.feedback import spoken as module
from grader.feedback.layout import Layout, Part
from grader.feedback.spoken import spoken
from grader.languages import speech
from grader.languages.messages import Message
from grader.languages.speech import Speech

SAID = {
    "the weights have shape {w.shape}; expected (T, S)": "权重的形状是 {w.shape}；应为 (T, S)",
    "{n} row{'s' * (n != 1)} of {m}: {'right' if ok else 'wrong'}": "{m} 行中有 {n} 行：{'right' if ok else 'wrong'}",
    "{{x}} is {x}": "{{x}} 是 {x}",
    "right": "正确",
    "not written yet": "还没有写",
    "Exercise 5.1": "练习 5.1",
    "Points: {score} of {points}": "得分：{score}/{points}",
}


@pytest.fixture
def say(monkeypatch):
    monkeypatch.setattr(speech, "translations", lambda *_: SAID)
    monkeypatch.setattr(speech, "messages_of", lambda *_: [Message(text, "string", formatted=True) for text in SAID])
    return Speech(Course.find(), "05_positional_encoding", "zh_CN")


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("not written yet", "还没有写"),
        ("the weights have shape (2, 3); expected (T, S)", "权重的形状是 (2, 3)；应为 (T, S)"),
        ("3 rows of 4: right", "4 行中有 3 行：正确"),
        ("{x} is 7", "{x} 是 7"),
        ("the weights have shape (2, 3); expected (T, T)", "the weights have shape (2, 3); expected (T, T)"),
        ("a student's own words", "a student's own words"),
        ("", ""),
    ],
)
def test_messages_are_found_again_with_what_was_filled_in(say, english, chinese):
    assert say(english) == chinese


def test_a_sentence_is_not_taken_for_words_of_the_page_or_for_what_is_printed(monkeypatch):
    said = {"{score} of {points}": "{score}/{points}", "{n} of them: {share}": "其中 {n}：{share}"}
    kinds = {"feedback": ("{score} of {points}", "on the feedback page")}
    here = ("{n} of them: {share}", "string, in print()")
    monkeypatch.setattr(speech, "translations", lambda *_: said)
    monkeypatch.setattr(speech, "messages_of", lambda _, name: [Message(*kinds.get(name, here), formatted=True)])
    say = Speech(Course.find(), "05_positional_encoding", "zh_CN")
    for sentence in ("a warm-up of 9 steps", "3 of them: 0.5"):
        assert say(sentence) == sentence
    assert say("{score} of {points}").format(score=1, points=2) == "1/2"


def test_the_page_speaks_and_the_student_s_words_stay(say, monkeypatch):
    monkeypatch.setattr(module, "Speech", lambda *_: say)
    test = new_code_cell(
        "assert True", metadata={"feedback": {"title": "", "message": "not written yet", "causes": ["right"]}}
    )
    own = new_markdown_cell("not written yet")
    nb = new_notebook(cells=[test, own])
    page = Layout([Part("Exercise 5.1")])
    words = spoken(nb, page, Course.find(), "no such assignment", "zh_CN")
    assert words("Points: {score} of {points}").format(score=1, points=2) == "得分：1/2"
    assert page.parts[0].title == "练习 5.1"
    assert nb.cells[0].metadata.feedback["message"] == "还没有写"
    assert nb.cells[0].metadata.feedback["causes"] == ["正确"]
    assert own.source == "not written yet"


def test_a_text_that_cannot_be_translated_stays_english(caplog):
    cut = "assert (\n    softmax("
    test = new_code_cell(cut, metadata={"nbgrader": {"grade": True, "solution": False, "grade_id": "t"}})
    page = Layout([Part("Written answer")])
    words = spoken(new_notebook(cells=[test]), page, Course.find(), "02_additive_attention", "zh_CN")
    assert test.source == cut
    assert words("passed") == "通过"
    assert "a text stays English: " in caplog.text


@pytest.mark.parametrize("language", ["en", "../../x", "xx_YY"])
def test_an_unknown_language_is_english(language):
    nb = new_notebook(cells=[new_code_cell("x", metadata={"feedback": {"title": "t", "message": "not written yet"}})])
    words = spoken(nb, Layout([]), Course.find(), "05_positional_encoding", language)
    assert words("passed") == "passed"
    assert nb.cells[0].metadata.feedback["message"] == "not written yet"


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        (
            "the inputs are unchanged. Hint: work on a copy: x = x.copy()",
            "输入没有被改动。提示：请在副本上操作：x = x.copy()",
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
    ],
)
def test_what_a_self_check_found_is_said_as_a_whole_or_not_at_all(english, chinese):
    name = "01_seq2seq_bottleneck" if english.startswith("decoder") else "02_additive_attention"
    assert Speech(Course.find(), name, "zh_CN")(english) == chinese


def test_a_text_that_can_be_cut_in_many_ways_is_tried_a_bounded_number_of_times(monkeypatch):
    say, tried = Speech(Course.find(), "02_additive_attention", "zh_CN"), []
    _, patterns = say.checking
    filled = type(patterns[0]).filled
    monkeypatch.setattr(type(patterns[0]), "filled", lambda self, text: tried.append(0) or filled(self, text))
    text = "Yours has shape 1. " * 60 + "a student's own words"
    assert say(text) == text
    assert len(tried) <= len(say.patterns) + speech._TRIES * len(patterns)
