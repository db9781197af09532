"""How often a text turns to another script is counted and bounded, since a browser takes the square of it."""

import pytest

from grader.feedback import bounds
from grader.feedback.bounds import Allowance, cut, is_simple_markdown
from grader.feedback.sanitise import student_markdown
from grader.feedback.turns import turns

MANY = 10**9


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("plain text, (with) [brackets] 12", 0),
        ("Überraschung für José 12", 0),
        ("注意力机制的缩放因子，它除以根号。", 1),
        ("注意力 attention 机制", 3),
        ("שלום עולם, hello world", 2),
        ("אaאa", 4),
        ("א1א1", 4),
        ("א(א(", 4),
        ("a(a(", 0),
        ("aᎠaᎠ", 3),
        ("a\u3000a\u3000", 3),
        ("a🚀a🚀", 3),
        ("🚀🛸🚀🛸", 4),
        ("a’b – c…", 0),
        ("e\u0301e\u0301", 0),
        ("กขคง", 4),
    ],
)
def test_turns_are_counted(text, number):
    assert turns(text, MANY) == (number, len(text))


@pytest.mark.parametrize("text", ["אa" * 100, "a🚀" * 100, "กข" * 100])
def test_a_text_is_cut_where_it_turns_too_often(text):
    used, length = turns(text, 50)
    assert used == 50
    assert turns(text[:length], MANY)[0] == 50
    assert turns(text[: length + 1], MANY)[0] == 51


HONEST = [
    "The scale is the root of the width. " * 500,
    "除以根号 d_k，否则 softmax 会饱和，梯度 gradient 接近于 0。" * 400,
    "הגורם הוא 1/sqrt(d), since the products grow. " * 200,
    "Ответ: делим на корень из d_k, because the variance grows. " * 300,
]


@pytest.mark.parametrize("text", HONEST)
def test_what_people_write_in_two_languages_is_shown_whole(text):
    assert turns(text, MANY)[0] <= bounds.MAX_TURNS
    assert cut(text, 60_000) == text
    room = Allowance()
    assert [room.source(text) for _ in range(5)] == [text] * 5


def test_a_text_that_turns_with_each_letter_is_cut_and_that_is_said():
    text = "אa" * 30_000
    shown = cut(text, 60_000)
    assert shown == f"{text[: bounds.MAX_TURNS]}\n[{60_000 - bounds.MAX_TURNS:,} more characters are not shown]"
    typed = text[:19_000]
    assert not is_simple_markdown(typed)
    assert turns(student_markdown(typed), MANY)[0] <= bounds.MAX_TURNS + 2


def test_around_many_formulas_a_text_may_turn_less_often():
    text = "אa" * (bounds.MAX_TURNS_AMONG // 2 + 1)
    assert is_simple_markdown(f"{text} {'$x$ ' * bounds.SOME}")
    assert not is_simple_markdown(f"{text} {'$x$ ' * (bounds.SOME + 1)}")
    assert not is_simple_markdown(f"{text} " + r"\(x\) " * (2 * bounds.SOME + 1))
    assert is_simple_markdown(f"{text[:-4]} {'$x$ ' * 50}")


def test_all_texts_of_a_page_together_are_bounded():
    room, text = Allowance(), "אa" * 4_500
    shown = [room.source(text) for _ in range(10)] + [room.text(text) for _ in range(10)]
    assert shown[0] == text
    assert sum(turns(one, MANY)[0] for one in shown) <= bounds.MAX_ALL_TURNS + 20  # and what tells of the rest
    assert room.source("plain") == "plain"


@pytest.mark.parametrize("pair", ["אa", "&#1488;a", "&#x5d0;a"])
def test_html_that_turns_too_often_is_not_rendered(pair):
    room = Allowance()
    assert room.html(f"<p>{pair * (bounds.MAX_TURNS // 2 - 10)}</p>")
    assert not room.html(f"<p>{pair * (bounds.MAX_TURNS // 2 + 10)}</p>")
