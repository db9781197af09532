"""Sentences such as "Mary gave roses to Susan", with giver and receiver known."""

import numpy as np

NAMES = ("Mary", "Susan", "John", "Peter", "Anna", "Tom", "Lucy", "Paul", "Jane", "Mark", "Emma", "Noah")
GIVING = ("gave", "sent", "lent")  # the giver stands first
GETTING = ("got", "received", "borrowed")  # the receiver stands first
THINGS = ("roses", "books", "letters", "coins", "apples", "maps")
ROLE_WORDS = (*NAMES, *GIVING, *GETTING, *THINGS, "to", "from", "red")
VERB_POSITION, SENTENCE_LENGTH = 1, 5
_ROLE_IDS = {word: i for i, word in enumerate(ROLE_WORDS)}


def role_sentence(giver, receiver, verb, thing, shifted=False):
    """Write one sentence of five words.

    Args:
        giver: Name.
        receiver: Name.
        verb: A word of `GIVING` or `GETTING`.
        thing: What changes hands.
        shifted: Write "gave Susan red roses" instead of "gave roses to Susan"; only for verbs of giving.

    Returns:
        List of words.

    Example:
        `role_sentence("Mary", "Susan", "got", "roses")` returns `["Susan", "got", "roses", "from", "Mary"]`.
    """
    if verb in GETTING:
        return [receiver, verb, thing, "from", giver]
    return [giver, verb, receiver, "red", thing] if shifted else [giver, verb, thing, "to", receiver]


def encode_role_sentence(words):
    """Turn words into ids, an integer array `(5,)`."""
    return np.array([_ROLE_IDS[word] for word in words], dtype="int32")


def split_name_pairs(rng, held_out):
    """Divide the 132 ordered pairs of different names.

    Args:
        rng: Random generator.
        held_out: How many pairs to keep apart.

    Returns:
        `(training, held_out)`: lists of pairs `(giver, receiver)`, numbers of names.
    """
    pairs = [(a, b) for a in range(len(NAMES)) for b in range(len(NAMES)) if a != b]
    order = rng.permutation(len(pairs))
    return [pairs[i] for i in order[held_out:]], [pairs[i] for i in order[:held_out]]


def make_role_sentences(rng, pairs, count):
    """Generate sentences whose giver and receiver are drawn from a list of pairs.

    Args:
        rng: Random generator.
        pairs: Pairs `(giver, receiver)`, numbers of names.
        count: How many sentences.

    Returns:
        `(ids, giver, receiver)`: integer arrays `(count, 5)`, `(count,)` and `(count,)`.
    """
    drawn = np.array(pairs)[rng.integers(len(pairs), size=count)]
    verbs = rng.choice(GIVING + GETTING, size=count)
    things = rng.choice(THINGS, size=count)
    shifted = rng.integers(2, size=count)
    rows = [
        encode_role_sentence(role_sentence(NAMES[g], NAMES[r], verb, thing, bool(s)))
        for (g, r), verb, thing, s in zip(drawn, verbs, things, shifted, strict=True)
    ]
    return np.stack(rows), drawn[:, 0].astype("int32"), drawn[:, 1].astype("int32")


def role_data(seed=0, held_out=30, train=3000, test=1000):
    """Divide the pairs of names and generate sentences of both kinds.

    Args:
        seed: Seed of the random numbers.
        held_out: How many pairs of names are kept for the test.
        train: How many sentences to train on.
        test: How many sentences to test with.

    Returns:
        `(training, held_out)`: twice what `make_role_sentences` returns.
    """
    rng = np.random.default_rng(seed)
    old, new = split_name_pairs(rng, held_out)
    return make_role_sentences(rng, old, train), make_role_sentences(rng, new, test)


def print_role_sentences(sentences, count):
    """Print the first sentences with their giver and receiver."""
    for ids, giver, receiver in list(zip(*sentences, strict=True))[:count]:
        print(f"{' '.join(ROLE_WORDS[i] for i in ids):32} giver {NAMES[giver]:6} receiver {NAMES[receiver]}")
