import numpy as np
import pytest
from helpers.number_words import (
    DIGITS,
    END,
    ENGLISH,
    GERMAN,
    PAD,
    SOURCE_LENGTH,
    START,
    TARGET_LENGTH,
    count_digits,
    decode_ids,
    encode_numbers,
    encode_words,
    split_numbers,
    translate_number,
)

# Written by hand: number, English, German.
CASES = [
    (1, "one", "eins"),
    (7, "seven", "sieben"),
    (10, "ten", "zehn"),
    (11, "eleven", "elf"),
    (16, "sixteen", "sechzehn"),
    (17, "seventeen", "siebzehn"),
    (20, "twenty", "zwanzig"),
    (21, "twenty one", "ein und zwanzig"),
    (30, "thirty", "dreißig"),
    (66, "sixty six", "sechs und sechzig"),
    (100, "one hundred", "ein hundert"),
    (101, "one hundred one", "ein hundert eins"),
    (111, "one hundred eleven", "ein hundert elf"),
    (121, "one hundred twenty one", "ein hundert ein und zwanzig"),
    (1000, "one thousand", "ein tausend"),
    (1001, "one thousand one", "ein tausend eins"),
    (21000, "twenty one thousand", "ein und zwanzig tausend"),
    (101000, "one hundred one thousand", "ein hundert ein tausend"),
    (101101, "one hundred one thousand one hundred one", "ein hundert ein tausend ein hundert eins"),
    (1000000, "one million", "eine Million"),
    (1000001, "one million one", "eine Million eins"),
    (2000000, "two million", "zwei Millionen"),
    (21000000, "twenty one million", "ein und zwanzig Millionen"),
    (101000000, "one hundred one million", "ein hundert eine Millionen"),
    (1001001, "one million one thousand one", "eine Million ein tausend eins"),
    (700000012, "seven hundred million twelve", "sieben hundert Millionen zwölf"),
    (
        345678912,
        "three hundred forty five million six hundred seventy eight thousand nine hundred twelve",
        "drei hundert fünf und vierzig Millionen sechs hundert acht und siebzig tausend neun hundert zwölf",
    ),
]


@pytest.mark.parametrize(("number", "english", "german"), CASES)
def test_hand_written_cases(number, english, german):
    assert translate_number(number)[:2] == (english.split(), german.split())


@pytest.mark.parametrize("language", [0, 1])
def test_no_two_numbers_sound_alike(language):
    rng = np.random.default_rng(1)
    numbers = {*range(1, 3000), *(int(n) for n in rng.integers(1, 10**9, 3000))}
    assert len({" ".join(translate_number(n)[language]) for n in numbers}) == len(numbers)


def test_gold_alignment_by_hand():
    assert translate_number(21)[2] == [{1}, set(), {0}]
    assert translate_number(16)[2] == [{0}]
    # three hundred forty five million / drei hundert fünf und vierzig Millionen
    assert translate_number(345000000)[2] == [{0}, {1}, {3}, set(), {2}, {4}]
    # two thousand ninety nine / zwei tausend neun und neunzig
    assert translate_number(2099)[2] == [{0}, {1}, {3}, set(), {2}]


def test_alignment_covers_every_english_word_once():
    for number in np.random.default_rng(2).integers(1, 10**9, 300):
        english, german, gold = translate_number(number)
        assert len(gold) == len(german)
        assert sorted(i for positions in gold for i in positions) == list(range(len(english)))
        assert [word for word, positions in zip(german, gold, strict=True) if not positions] == ["und"] * german.count(
            "und"
        )


@pytest.mark.parametrize("number", [0, -3, 10**9])
def test_numbers_out_of_range(number):
    with pytest.raises(ValueError, match="Expected 1 to 999,999,999"):
        translate_number(number)


def test_ids_there_and_back():
    assert (GERMAN[PAD], GERMAN[START], GERMAN[END], ENGLISH[PAD]) == ("<pad>", "<start>", "<end>", "<pad>")
    assert len(set(ENGLISH)) == len(ENGLISH) == 31
    assert len(set(GERMAN)) == len(GERMAN) == 37
    words = ["ein", "hundert", "eins"]
    ids = encode_words(words, GERMAN, 5)
    assert ids.shape == (5,)
    assert (ids[3:] == PAD).all()
    assert decode_ids(ids, GERMAN) == words
    assert decode_ids([START, *ids[:2], END, *ids], GERMAN) == words[:2]
    with pytest.raises(ValueError, match="at least 3"):
        encode_words(words, GERMAN, 2)


def test_batches_hold_the_longest_number_exactly():
    source, target = encode_numbers([777777777, 3])
    assert source.shape == (2, SOURCE_LENGTH)
    assert target.shape == (2, TARGET_LENGTH)
    assert (source[0] != PAD).all()
    assert target[0, -1] == END
    assert list(target[1, 1:]) == [END] + [PAD] * (TARGET_LENGTH - 2)
    assert decode_ids(target[1], GERMAN) == ["drei"]


def test_all_words_are_used():
    source, target = encode_numbers([*range(1, 1000), 1001, 10**6, 2 * 10**6])
    assert set(source.ravel()) == set(range(len(ENGLISH)))
    assert set(target.ravel()) == set(range(len(GERMAN))) - {START}


def test_count_digits():
    assert list(count_digits([1, 9, 10, 99, 100, 999999999])) == [1, 1, 2, 2, 3, 9]


def test_split_holds_out_by_number_and_is_balanced():
    train, held_out = split_numbers(0, 300, 40)
    assert not set(train) & set(held_out)
    assert len(set(held_out)) == len(held_out)
    assert [int((count_digits(train) == d).sum()) for d in DIGITS] == [300] * 9
    assert [int((count_digits(held_out) == d).sum()) for d in DIGITS] == [2, 18] + [40] * 7
    again = split_numbers(0, 300, 40)
    assert (again[0] == train).all()
    assert (again[1] == held_out).all()
    assert (split_numbers(1, 300, 40)[0] != train).any()
