"""Columns of printed tables are counted as they are seen."""

import ast
import unicodedata

import pytest
from helpers.tables import to_width

from grader.core.course import Course
from grader.core.notebook import read_notebook
from grader.languages.building import translated

COURSE = Course.find()


def columns(text):
    return sum(2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text)


@pytest.mark.parametrize("text", ["no scale", "不缩放", "除以 sqrt(K)", "（作比较）", "über", ""])
def test_a_text_is_filled_up_to_columns(text):
    left, right = to_width(text, 12), to_width(text, -12)
    assert columns(left) == columns(right) == 12
    assert left.strip() == right.strip() == text
    assert left.startswith(text)
    assert right.endswith(text)


def test_a_text_in_latin_letters_is_filled_up_as_by_a_format():
    assert to_width("mean", 9) + to_width("mean", -9) == f"{'mean':9}{'mean':>9}"


def test_a_text_that_is_too_long_stays_whole():
    assert to_width("没有权重", 5) == to_width("没有权重", -5) == "没有权重"


def filled_by_formats(source):
    """Return the words in wide letters that a format of an f-string fills up, which counts them too short."""
    fields = [n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FormattedValue) and n.format_spec]
    words = [w.value for field in fields for w in ast.walk(field.value) if isinstance(w, ast.Constant)]
    return [w for w in words if isinstance(w, str) and columns(w) > len(w)]


def test_what_a_format_fills_up_is_noticed():
    assert filled_by_formats("""print(f"{'平均':>9} {to_width('平均', 9)} {x:9}")""") == ["平均"]


@pytest.mark.parametrize("name", COURSE.assignments())
def test_no_format_fills_up_a_translated_word(name):
    nb, _ = translated(COURSE, name, "zh_CN", read_notebook(COURSE.source(name)))
    found = {cell.id: filled_by_formats(cell.source) for cell in nb.cells if cell.cell_type == "code"}
    assert {where: words for where, words in found.items() if words} == {}
