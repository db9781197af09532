"""Read German number words back, so that a wrong translation can be told as a number."""

from helpers.number_words import END, GERMAN, decode_ids, translate_number


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


def show_mistakes(numbers, says, count=4):
    """Print wrong translations with the number that each of them says.

    Args:
        numbers: The right numbers, `N` integers.
        says: Ids `(N, T)` that the model wrote.
        count: How many to print at most.
    """
    shown = well_formed = wrong = 0
    for number, ids in zip(numbers, says, strict=True):
        words = decode_ids(ids, GERMAN)
        if words == translate_number(number)[1]:
            continue
        heard = read_number(words) if END in ids else None
        wrong, well_formed = wrong + 1, well_formed + (heard is not None)
        if shown < count:
            shown += 1
            told = "not a number" if heard is None else f"{heard:,}"
            print(f"{number:>11,} became {told:>12}   {' '.join(words)}")
    print(f"{wrong} wrong translations, {well_formed} of them the correct German name of another number")
