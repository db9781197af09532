"""Formulas of the web edition: MathML that is valid, with the spaces that TeX leaves beside names of functions."""

import re

import pytest
from web.course_pages import mathml

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
