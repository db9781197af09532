"""What cells printed on the pages of the web edition: which lines are wrapped."""

import html
import re

import pytest

from grader.publishing.printed import shown_output

SENTENCE = "a sentence that goes on for longer than any screen of a telephone is wide, and then for some more words"
TABLE = "epoch  loss\n1      0.50\n2      0.25"
NUMBERS = "digits           1      2\nexact match  0.500  1.000"


def rows(text):
    """Return the lines that stay whole, and those that go on below their last column."""
    made = shown_output(text)
    kinds = ("row", "hanging")
    return [re.findall(rf'<span class="{kind}"[^>]*>([^<]*)</span>', made) for kind in kinds]


@pytest.mark.parametrize("text", [TABLE, NUMBERS, "名称    值\n注意力  3\n层      4"])
def test_the_rows_of_a_table_stay_whole(text):
    assert rows(text) == [text.split("\n"), []]
    assert "output columns" in shown_output(text)


@pytest.mark.parametrize(
    "text",
    [
        f"weights: 24,578   {SENTENCE}",  # a gap alone makes no table
        f"{SENTENCE}\n{SENTENCE}",
        f"  {SENTENCE}\n  {SENTENCE}",
        "one  two\n\nand 1  number",
    ],
)
def test_sentences_are_wrapped(text):
    assert rows(text) == [[], []]
    assert "columns" not in shown_output(text)


def test_a_sentence_below_a_table_is_wrapped_and_the_table_stays():
    assert rows(f"{TABLE}\n{SENTENCE}") == [TABLE.split("\n"), []]


def test_a_table_that_no_screen_is_wide_enough_for_goes_on_below_its_last_column():
    text = f"beam 1  wrong  {SENTENCE}\nbeam 4  right  {SENTENCE}"
    assert rows(text) == [[], [f"{line}\n" for line in text.split("\n")]]
    assert shown_output(text).count("--column: 15ch") == 2


def test_a_last_column_without_room_is_not_what_a_row_goes_on_below():
    text = f"one  {SENTENCE}  x\ntwo  {SENTENCE}  y"
    assert shown_output(text).count("--column: 5ch") == 2


@pytest.mark.parametrize("text", [TABLE, f"a < b & c\n\n    x\n{TABLE}\n", f"one  {SENTENCE}\ntwo  {SENTENCE}\nend"])
def test_no_letter_of_what_was_printed_is_lost(text):
    made = shown_output(text)
    assert html.unescape(re.sub("<[^>]*>", "", made)) == text + "\n"
