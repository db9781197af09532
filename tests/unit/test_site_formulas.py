"""Formulas of the web edition: MathML that is valid, with the spaces that TeX leaves beside names of functions."""

import re

import pytest
from sphinx.errors import SphinxError
from web.course_pages import mathml

from grader.core.course import Course
from grader.core.notebook import read_notebook
from tests.formulas import wrong_mathml


def test_formulas_are_mathml():
    assert mathml("W_q").startswith('<math xmlns="http://www.w3.org/1998/Math/MathML" display="inline">')
    assert 'display="block"' in mathml("W_q", display=True)
    assert "<mi>log</mi><mspace" in mathml(r"\log x")
    assert "<mspace" not in mathml(r"\exp(x)")


#: A thin space, as `spaced` writes it.
GAP = "_"


def spaced(formula):
    """Return what a formula shows, with a mark for each space."""
    return re.sub(r"<[^>]+>", "", re.sub(r"<mspace[^>]*>", GAP, mathml(formula)))


@pytest.mark.parametrize(
    ("formula", "shown"),
    [
        (r"\sin^2 a + \cos^2 b", "sin2_a+cos2_b"),  # behind the script, not within
        (r"\sin^2+\cos^2=1", "sin2+cos2=1"),
        (r"\log_k n", "logk_n"),
        (r"\sin a\cos b", "sin_a_cos_b"),
        (r"-\ln p", "−ln_p"),
        (r"x_i\log(y)", "xi_log(y)"),
        (r"a \max_i b", "a_maxi_b"),
        (r"f(a)\log\sin b", "f(a)_log_sin_b"),
        (r"\left(a\right)\log\left(b\right)", "(a)_log(b)"),
        (r"\log\sum_i a", "log∑ia"),  # a sum has spaces of its own
        (r"a\,\log\,b", "a_log_b"),
        (r"\cos\!\left(b\right)", "cos(b)"),
    ],
)
def test_a_functions_name_is_apart_from_letters(formula, shown):
    assert spaced(formula) == shown


def test_a_negative_space_has_a_width_that_browsers_know():
    assert '<mspace style="margin-left: -0.167em"' in mathml(r"a\!b")


@pytest.mark.parametrize("formula", [r"\sin^2 a", r"\log_k n", r"\max_i^n a", r"\frac{\log a}{\sin^2 b}", r"x^{\ln p}"])
def test_scripts_and_fractions_have_as_many_parts_as_they_may(formula):
    assert wrong_mathml(mathml(formula)) == []


def test_lines_below_each_other_are_rows_of_a_table():
    shown = mathml(r"\begin{aligned} a &= \log b, \\ c &= d. \end{aligned}", display=True)
    assert shown.count("<mtr>") == 2
    assert re.sub(r"<(?!/?mtd|/?mtr)[^>]+>|</?mtr>", "", shown).count('<mtd columnalign="right">') == 2
    assert "&amp;" not in shown
    shown = mathml(r"\begin{gathered} a = \sum_i b_i, \\ c = d. \end{gathered}", display=True)
    assert shown.count("<mtr>") == 2
    assert '<mtable displaystyle="true">' in shown


@pytest.mark.parametrize(
    "formula", [r"\text{a<b & c}", r"\arg\max_i p", r"x + \unknown", r"\text{a\_b}", r"\left(a", r"a \\ b"]
)
def test_a_formula_that_cannot_be_set_is_named(formula):
    with pytest.raises(SphinxError, match=re.escape(formula)):
        mathml(formula)


def test_signs_that_are_written_with_a_backslash_are_no_names():
    assert "<mi>\\</mi>" in mathml(r"\backslash")
    assert spaced(r"A \setminus \{a\}\,\|") == "A⧵{a}_‖"


def test_each_formula_of_the_course_can_be_set():
    """A page is made of them one by one, and one that cannot be read ends it."""
    course = Course.find()
    cells = [cell for name in course.assignments() for cell in read_notebook(course.source(name)).cells]
    texts = [re.sub(r"`[^`]*`", "", cell.source) for cell in cells if cell.cell_type == "markdown"]
    found = [pair for text in texts for pair in re.findall(r"\$\$(.+?)\$\$|\$([^$\n]+?)\$", text, re.DOTALL)]
    assert len(found) > 400
    for displayed, inline in found:
        assert wrong_mathml(mathml(displayed or inline, display=bool(displayed))) == []
