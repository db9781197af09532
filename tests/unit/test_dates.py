"""Dates of notebook 6, compared with Babel's."""

import datetime
import re

import numpy as np
import pytest
from helpers import dates

babel_dates = pytest.importorskip("babel.dates")


def words_of(text):
    """Cut a date of Babel's into the words of the helper: lower case, each digit apart."""
    return re.findall(r"[^\W\d]+|\d|[.,]", text.lower())


@pytest.mark.parametrize("step", range(0, 73000, 977))
def test_names_and_order_are_those_of_babel(step):
    day = datetime.date(1900, 1, 1) + datetime.timedelta(days=step)
    english, hungarian, gold = dates.translate_date(day)
    assert english == words_of(babel_dates.format_date(day, "full", "en"))
    assert hungarian == words_of(babel_dates.format_date(day, "full", "hu"))
    assert len(gold) == len(hungarian)
    for word, right in zip(hungarian, gold, strict=True):
        assert right or word in ".,"
        assert all(english[j] == word if word.isdigit() else english[j].isalpha() for j in right)


def test_every_month_and_weekday_occurs():
    days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=n) for n in range(365)]
    said = {word for day in days for word in dates.translate_date(day)[1]}
    assert said >= set(dates.DATE_HUNGARIAN[-19:])


def test_encoding_pads_behind_and_ends():
    source, target = dates.encode_dates([datetime.date(2026, 11, 21), datetime.date(1999, 3, 2)])
    assert source.shape == (2, dates.DATE_SOURCE_LENGTH)
    assert target.shape == (2, dates.DATE_TARGET_LENGTH)
    assert [dates.DATE_ENGLISH[i] for i in source[0] if i] == words_of("saturday , november 21 , 2026")
    assert [dates.DATE_HUNGARIAN[i] for i in target[1] if i] == [*words_of("1999. március 2., kedd"), "<end>"]
    assert source[1, -1] == 0
    assert target.dtype == np.int32


def test_split_is_disjoint_and_seeded():
    train, held_out = dates.split_dates(3, 200, 50)
    assert len(train) == 200
    assert len(held_out) == 50
    assert not set(train) & set(held_out)
    assert dates.split_dates(3, 200, 50)[1] == held_out
    assert dates.split_dates(4, 200, 50)[1] != held_out
