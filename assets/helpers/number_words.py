"""Number words: English to German pairs from 1 to 9 digits, with the gold alignment.

The German is spelled as people say it, with one simplification: the pieces that German writes as one word
(`zweihunderteinundzwanzig`) stand as separate words (`zwei hundert ein und zwanzig`), so that a word of one
language has its counterpart in the other. Of the forms that German allows, the full ones are used: `ein hundert`, not
`hundert`; 1,000,000 is `eine Million` and 101,000,000 `ein hundert eine Millionen`. English goes without `and`.
"""

import numpy as np

PAD, START, END = 0, 1, 2
DIGITS = range(1, 10)
SOURCE_LENGTH, TARGET_LENGTH = 14, 18  # the longest number, and one more in German for the end mark
_PAIRS = """one ein, two zwei, three drei, four vier, five fünf, six sechs, seven sieben, eight acht, nine neun,
ten zehn, eleven elf, twelve zwölf, thirteen dreizehn, fourteen vierzehn, fifteen fünfzehn, sixteen sechzehn,
seventeen siebzehn, eighteen achtzehn, nineteen neunzehn, twenty zwanzig, thirty dreißig, forty vierzig, fifty fünfzig,
sixty sechzig, seventy siebzig, eighty achtzig, ninety neunzig"""
_ENGLISH_NUMBERS, _GERMAN_NUMBERS = zip(*(pair.split() for pair in _PAIRS.split(",")), strict=True)
_GERMAN_OTHERS = ("eins", "eine", "hundert", "tausend", "Million", "Millionen", "und")
_TENS = 17  # the word for 10 * t stands at t + 17, the one for n below 20 at n - 1

#: Word of each id. 0 pads; the target side has marks for start and end as well.
ENGLISH = ("<pad>", *_ENGLISH_NUMBERS, "hundred", "thousand", "million")
GERMAN = ("<pad>", "<start>", "<end>", *_GERMAN_NUMBERS, *_GERMAN_OTHERS)
_IDS = {vocabulary: {word: i for i, word in enumerate(vocabulary)} for vocabulary in (ENGLISH, GERMAN)}


def translate_number(number):
    """Say a number in both languages.

    Args:
        number: From 1 to 999,999,999.

    Returns:
        `(english, german, gold)`: two lists of words, and for each German word the set of positions of the
        English words that it renders. It is empty for `und`, which has no counterpart.

    Example:
        `translate_number(21)` gives `(["twenty", "one"], ["ein", "und", "zwanzig"], [{1}, set(), {0}])`.
    """
    number = int(number)
    if not 1 <= number < 10**9:
        raise ValueError(f"Invalid number. Expected 1 to 999,999,999. Received: {number}")
    english, german, gold = [], [], []

    def say(german_word, position):
        german.append(german_word)
        gold.append(set() if position is None else {position})

    for scale, english_scale, one in ((10**6, "million", "eine"), (10**3, "thousand", "ein"), (1, "", "eins")):
        group = number // scale % 1000
        hundreds, rest = divmod(group, 100)
        tens, unit = divmod(rest, 10)
        here = len(english)
        if hundreds:
            english += [_ENGLISH_NUMBERS[hundreds - 1], "hundred"]
            say(_GERMAN_NUMBERS[hundreds - 1], here)
            say("hundert", here + 1)
            here += 2
        if 0 < rest < 20:
            english.append(_ENGLISH_NUMBERS[rest - 1])
            say(one if rest == 1 else _GERMAN_NUMBERS[rest - 1], here)
        elif rest:
            english.append(_ENGLISH_NUMBERS[tens + _TENS])
            if unit:
                english.append(_ENGLISH_NUMBERS[unit - 1])
                say(_GERMAN_NUMBERS[unit - 1], here + 1)
                say("und", None)
            say(_GERMAN_NUMBERS[tens + _TENS], here)
        if group and english_scale:
            english.append(english_scale)
            million = "Million" if group == 1 else "Millionen"
            say("tausend" if scale == 1000 else million, len(english) - 1)
    return english, german, gold


def encode_words(words, vocabulary, length):
    """Turn words into ids, padded at the end with 0.

    Args:
        words: List of words.
        vocabulary: `ENGLISH` or `GERMAN`.
        length: Length of the resulting integer array.
    """
    if len(words) > length:
        raise ValueError(f"Invalid argument length. Expected at least {len(words)}. Received: {length}")
    ids = np.full(length, PAD, dtype="int32")
    ids[: len(words)] = [_IDS[vocabulary][word] for word in words]
    return ids


def decode_ids(ids, vocabulary):
    """Turn ids into words; padding and the start mark are left out, the end mark ends the sentence.

    Args:
        ids: Integers, such as an array `(T,)`.
        vocabulary: `ENGLISH` or `GERMAN`.

    Returns:
        List of words.
    """
    words = [vocabulary[int(i)] for i in ids]
    words = words[: words.index("<end>")] if "<end>" in words else words
    return [word for word in words if word not in ("<pad>", "<start>")]


def encode_numbers(numbers):
    """Turn numbers into a batch of sentence pairs.

    Args:
        numbers: `N` integers.

    Returns:
        `(source, target)`: English ids `(N, 14)`, and German ids `(N, 18)` with the end mark after the last word.
    """
    pairs = [translate_number(number) for number in numbers]
    source = np.stack([encode_words(english, ENGLISH, SOURCE_LENGTH) for english, _, _ in pairs])
    target = np.stack([encode_words([*german, "<end>"], GERMAN, TARGET_LENGTH) for _, german, _ in pairs])
    return source, target


def count_digits(numbers):
    """Count the decimal digits of each number (an integer array, or a list)."""
    numbers = np.asarray(numbers)
    return sum((numbers >= 10**k).astype(int) for k in range(9))


def split_numbers(seed, train_per_length, held_out_per_length):
    """Draw numbers for training and, apart from them, numbers held out; as many of each count of digits.

    There are only 9 numbers of one digit, 90 of two and 900 of three: about a fifth of these is held out
    (2, 18, 180), and the others recur in training until the length has its share.

    Args:
        seed: Seed of the draw.
        train_per_length: Training examples of each count of digits.
        held_out_per_length: Held-out numbers of each count of digits, at most.

    Returns:
        `(train, held_out)`: integer arrays; `train` is shuffled, `held_out` sorted by the count of digits.
    """
    rng = np.random.default_rng(seed)
    train, held_out = [], []
    for digits in DIGITS:
        first, count = 10 ** (digits - 1), 9 * 10 ** (digits - 1)
        apart = min(held_out_per_length, max(2, count // 5))
        drawn = first + rng.choice(count, size=min(count, apart + train_per_length), replace=False)
        held_out.append(drawn[:apart])
        train.append(np.resize(drawn[apart:], train_per_length))
    return rng.permutation(np.concatenate(train)), np.concatenate(held_out)
