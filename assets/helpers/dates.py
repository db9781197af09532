"""Full dates, English to Hungarian: every part is known, and year, month with day, and weekday come in reversed order.

The names and the order are those of Unicode's CLDR, which Babel's `format_date(day, "full", locale)` prints; words are
in lower case, and each digit is a word of its own, so that years need not be learned by heart.
"""

import datetime

import numpy as np

_MONTHS = """january január, february február, march március, april április, may május, june június, july július,
august augusztus, september szeptember, october október, november november, december december"""
_WEEKDAYS = """monday hétfő, tuesday kedd, wednesday szerda, thursday csütörtök, friday péntek, saturday szombat,
sunday vasárnap"""
_ENGLISH_MONTHS, _HUNGARIAN_MONTHS = zip(*(pair.split() for pair in _MONTHS.split(",")), strict=True)
_ENGLISH_DAYS, _HUNGARIAN_DAYS = zip(*(pair.split() for pair in _WEEKDAYS.split(",")), strict=True)
_DIGIT_WORDS = tuple("0123456789")

#: Word of each id. 0 pads; the target side has marks for start and end as well.
DATE_ENGLISH = ("<pad>", *_DIGIT_WORDS, ",", *_ENGLISH_DAYS, *_ENGLISH_MONTHS)
DATE_HUNGARIAN = ("<pad>", "<start>", "<end>", *_DIGIT_WORDS, ".", ",", *_HUNGARIAN_DAYS, *_HUNGARIAN_MONTHS)
DATE_SOURCE_LENGTH, DATE_TARGET_LENGTH = 10, 12  # the longest date, and one more in Hungarian for the end mark


def translate_date(day):
    """Say a date in both languages.

    Args:
        day: A `datetime.date`.

    Returns:
        `(english, hungarian, gold)`: two lists of words, and for each Hungarian word the set of positions of the
        English words that it renders. The full stops and the comma render nothing.

    Example:
        For 2026-11-21: `saturday , november 2 1 , 2 0 2 6` and `2 0 2 6 . november 2 1 . , szombat`.
    """
    number, year = list(str(day.day)), list(str(day.year))
    english = [_ENGLISH_DAYS[day.weekday()], ",", _ENGLISH_MONTHS[day.month - 1], *number, ",", *year]
    hungarian = [*year, ".", _HUNGARIAN_MONTHS[day.month - 1], *number, ".", ",", _HUNGARIAN_DAYS[day.weekday()]]
    after_day = 3 + len(number)
    gold = [{after_day + 1 + i} for i in range(len(year))] + [set(), {2}]
    gold += [{3 + i} for i in range(len(number))] + [set(), set(), {0}]
    return english, hungarian, gold


def encode_dates(days):
    """Turn dates into a batch of sentence pairs.

    Args:
        days: `N` dates.

    Returns:
        `(source, target)`: English ids `(N, 10)`, and Hungarian ids `(N, 12)` with the end mark after the last word.
    """
    source = np.zeros((len(days), DATE_SOURCE_LENGTH), dtype="int32")
    target = np.zeros((len(days), DATE_TARGET_LENGTH), dtype="int32")
    for row, day in enumerate(days):
        english, hungarian, _ = translate_date(day)
        source[row, : len(english)] = [DATE_ENGLISH.index(word) for word in english]
        target[row, : len(hungarian) + 1] = [DATE_HUNGARIAN.index(word) for word in [*hungarian, "<end>"]]
    return source, target


def split_dates(seed, train, held_out):
    """Draw dates of the years 1900 to 2099 for training and, apart from them, dates held out.

    Args:
        seed: Seed of the draw.
        train: How many to train on.
        held_out: How many to hold out.

    Returns:
        `(train, held_out)`: two lists of `datetime.date`.
    """
    first = datetime.date(1900, 1, 1)
    count = (datetime.date(2100, 1, 1) - first).days
    drawn = np.random.default_rng(seed).choice(count, size=train + held_out, replace=False)
    days = [first + datetime.timedelta(days=int(n)) for n in drawn]
    return days[:train], days[train:]
