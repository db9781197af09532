"""What the translator got right by length, and its wrong translations read back as the numbers that they say."""

import textwrap

from helpers.number_words import END, GERMAN, decode_ids, translate_number
from helpers.tables import to_width


def _value(word):
    """Return what one word is worth: 1 to 19, or a multiple of ten."""
    if word in ("eins", "eine"):
        return 1
    place = GERMAN.index(word) - GERMAN.index("ein")
    return place + 1 if place < 19 else 10 * (place - 17)


def read_number(words):
    """Return the number that German words say, or None if they are not the name of a number.

    Args:
        words: List of words, such as `["drei", "und", "zwanzig"]`.
    """
    total = group = 0
    for word in words:
        if word == "hundert":
            group *= 100
        elif word == "tausend":
            total, group = total + 1000 * group, 0
        elif word in ("Million", "Millionen"):
            total, group = total + 10**6 * group, 0
        elif word != "und":
            group += _value(word)
    number = total + group
    return number if 0 < number < 10**9 and translate_number(number)[1] == list(words) else None


def print_by_digits(fractions, counts):
    """Print exact match for 1, 2, ... digits with the number of held-out numbers behind each fraction.

    Args:
        fractions: Exact match for 1, 2, ... digits.
        counts: How many held-out numbers there are for each.
    """
    rows = {
        "digits": [str(d + 1) for d in range(len(fractions))],
        "held-out numbers": [str(n) for n in counts[: len(fractions)]],
        "exact match": [f"{fraction:.3f}" for fraction in fractions],
    }
    for name, entries in rows.items():
        print(to_width(name, 16) + "".join(f"{entry:>7}" for entry in entries))


def show_mistakes(numbers, says, count=4):
    """Print how many translations are wrong, and some of these with the number that each of them says.

    Args:
        numbers: The right numbers, `N` integers.
        says: Ids `(N, T)` that the model wrote.
        count: How many wrong translations to print at most.
    """
    lines, well_formed = [], 0
    for number, ids in zip(numbers, says, strict=True):
        words = decode_ids(ids, GERMAN)
        if words == translate_number(number)[1]:
            continue
        heard = read_number(words) if END in ids else None
        well_formed += heard is not None
        told = "not a number" if heard is None else f"{heard:,}"
        said = textwrap.fill(" ".join(words), 92, initial_indent=" " * 4, subsequent_indent=" " * 4)
        lines.append(f"{number:>11,} became {to_width(told, -12)}\n{said}")
    found = f"{len(lines)} of {len(says)} translations are wrong"
    found += (
        f"; {well_formed} of these are correct names of other numbers. The first {len(lines[:count])}:" if lines else ""
    )
    print("\n".join([found, *lines[:count]]))
