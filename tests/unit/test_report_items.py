"""Item analysis and pseudonyms: values computed by hand."""

import math
import stat

import helpers.plots as helpers
import numpy as np
import pytest

from grader.core.errors import GraderError
from grader.core.regions import hidden_tests
from grader.report import items, plots
from grader.report.pseudonyms import KEY_FILE, pseudonym, read_key


def test_facility_is_the_mean_over_the_points():
    assert items.facility(np.array([0, 1, 1, 2]), 2) == 0.5
    assert items.facility(np.array([0, 0]), 0) is None


def test_discrimination_leaves_the_item_out_and_is_the_point_biserial_for_right_or_wrong():
    scores, rest = np.array([0, 0, 1, 1]), np.array([1, 2, 3, 4])
    # a = -.5 -.5 .5 .5, b = -1.5 -.5 .5 1.5: a.b = 2, a.a = 1, b.b = 5
    assert items.discrimination(scores, rest) == pytest.approx(2 / math.sqrt(5))
    # Point-biserial: (mean of the right - mean of the wrong) / standard deviation * sqrt(share right * share wrong)
    assert items.discrimination(scores, rest) == pytest.approx((3.5 - 1.5) / math.sqrt(5 / 4) * math.sqrt(0.25))
    assert items.discrimination(1 - scores, rest) == pytest.approx(-2 / math.sqrt(5))


@pytest.mark.parametrize(("scores", "rest"), [([1, 1, 1], [1, 2, 3]), ([0, 1, 2], [5, 5, 5])])
def test_discrimination_is_not_defined_where_all_have_the_same(scores, rest):
    assert items.discrimination(np.array(scores), np.array(rest)) is None


def test_interval_is_fishers():
    # atanh 0.5 = 0.549306; 1.959964 / sqrt(28 - 3) = 0.391993; tanh 0.157313, tanh 0.941299
    assert items.interval(0.5, 28) == pytest.approx((0.156028, 0.735818), abs=2e-5)
    assert items.interval(1.0, 28) == (1.0, 1.0)


def test_spread_by_hand():
    group = items.spread(np.array([1, 2, 3, 4, 10]))
    assert (group.n, group.mean, group.median, group.quartile1, group.quartile3) == (5, 4, 3, 2, 4)
    assert group.deviation == pytest.approx(math.sqrt((9 + 4 + 1 + 0 + 36) / 4))
    assert (group.low, group.high) == pytest.approx((1.2, 8.8))


def test_histogram_puts_bounds_into_the_upper_class_and_full_marks_into_the_last():
    shares = np.array([0, 0.0999, 0.1, 7 / 10, 0.1 * 7, 0.9, 1.0, 1.2, -0.1])
    assert items.histogram(shares) == [3, 1, 0, 0, 0, 0, 0, 2, 0, 3]


@pytest.mark.parametrize(
    ("ease", "found", "low", "says"),
    [
        (0.29, 0.5, 0.3, "hard"),
        (0.3, 0.5, 0.3, ""),
        (0.91, 0.5, 0.3, "easy"),
        (0.5, 0.19, 0.1, "low discrimination"),
        (0.5, 0.2, 0.1, ""),
        (0.5, 0.3, -0.1, "not told from 0"),
        (0.5, -0.01, -0.2, "negative discrimination: read its tests"),
        (0.95, None, None, "easy; no discrimination: all scores alike"),
    ],
)
def test_remarks(ease, found, low, says):
    assert items.remark(ease, found, low) == says


def test_hidden_lines_are_those_between_the_marks():
    source = "a\n### BEGIN HIDDEN TESTS\nb\nc\n### END HIDDEN TESTS\nd\n### BEGIN HIDDEN TESTS\ne"
    assert hidden_tests().numbers(source) == {3, 4, 8}
    assert hidden_tests().numbers("a\nb") == frozenset()


def test_the_colours_are_those_of_the_notebooks():
    assert helpers.OKABE_ITO == plots.OKABE_ITO
    assert (helpers.INK, helpers.PAPER) == (plots.INK, plots.PAPER)


def test_a_pseudonym_needs_the_key_and_stays_the_same(tmp_path):
    key = read_key(tmp_path / "local")
    path = tmp_path / "local" / KEY_FILE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_key(tmp_path / "local") == key
    other = read_key(tmp_path / "other")
    assert pseudonym(key, "ada") == pseudonym(key, "ada")
    assert pseudonym(key, "ada") != pseudonym(key, "adb")
    assert pseudonym(key, "ada") != pseudonym(other, "ada")
    assert "ada" not in pseudonym(key, "ada").lower()
    assert len({pseudonym(key, f"student-{n}") for n in range(5000)}) == 5000


def test_a_pseudonym_is_the_keyed_digest():
    # HMAC-SHA-256 of test case 2 of RFC 4231, 5bdcc146bf...: its first 40 bits in base 32
    assert pseudonym(b"Jefe", "what do ya want for nothing?") == "S-LPOM-CRV7"


def test_a_file_that_holds_no_key_is_an_error_and_stays(tmp_path):
    (tmp_path / KEY_FILE).write_text("abc")
    with pytest.raises(GraderError, match="no key"):
        read_key(tmp_path)
    assert (tmp_path / KEY_FILE).read_text() == "abc"
