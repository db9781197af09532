"""The generated sentences keep their promise about roles, and the suspects about their faults."""

import numpy as np
import pytest
from helpers.role_sentences import (
    GETTING,
    GIVING,
    NAMES,
    ROLE_WORDS,
    SENTENCE_LENGTH,
    VERB_POSITION,
    make_role_sentences,
    role_sentence,
    split_name_pairs,
)
from helpers.suspects import make_suspects


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("Mary", "Susan", "gave", "roses"), "Mary gave roses to Susan"),
        (("Mary", "Susan", "gave", "roses", True), "Mary gave Susan red roses"),
        (("Mary", "Susan", "got", "roses"), "Susan got roses from Mary"),
        (("Mary", "Susan", "got", "roses", True), "Susan got roses from Mary"),
    ],
)
def test_three_patterns(arguments, text):
    assert " ".join(role_sentence(*arguments)) == text


def test_words_are_unique_and_names_come_first():
    assert len(set(ROLE_WORDS)) == len(ROLE_WORDS)
    assert ROLE_WORDS[: len(NAMES)] == NAMES


def test_pairs_are_kept_apart():
    training, held_out = split_name_pairs(np.random.default_rng(0), 30)
    assert len(held_out) == 30
    assert len(training) + len(held_out) == len(NAMES) * (len(NAMES) - 1)
    assert not set(training) & set(held_out)
    assert all(a != b for a, b in training + held_out)


def test_sentences_hold_giver_and_receiver():
    pairs = [(0, 1), (2, 3)]
    ids, giver, receiver = make_role_sentences(np.random.default_rng(1), pairs, 200)
    assert ids.shape == (200, SENTENCE_LENGTH)
    assert set(zip(giver.tolist(), receiver.tolist(), strict=True)) == set(pairs)
    for row, g, r in zip(ids, giver, receiver, strict=True):
        words = [ROLE_WORDS[i] for i in row]
        verb = words[VERB_POSITION]
        assert verb in GIVING + GETTING
        assert words[0] == NAMES[g if verb in GIVING else r]
        assert {NAMES[g], NAMES[r]} <= set(words)


def test_the_same_seed_gives_the_same_sentences():
    one, two = (make_role_sentences(np.random.default_rng(5), [(0, 1), (1, 2)], 20) for _ in range(2))
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def test_each_suspect_shows_its_fault_and_no_other():
    x = np.random.default_rng(8).normal(size=(2, 6, 8))
    order = np.random.default_rng(9).permutation(6)
    later = x.copy()
    later[:, -1] += 1
    shown = {}
    for letter, (claim, f) in make_suspects().items():
        output, weights = f(x)
        equivariant = np.allclose(f(x[:, order])[0], output[:, order])
        ahead = not np.allclose(f(later)[0][:, :-1], output[:, :-1])
        rows = np.allclose(weights.sum(axis=-1), 1)
        shown[letter] = (claim, equivariant, ahead, rows)
    assert shown == {
        "A": ("causal", False, True, True),
        "B": ("set", True, True, True),
        "C": ("set", True, True, True),
        "D": ("ordered", True, True, True),
        "E": ("causal", False, False, True),
        "F": ("ordered", False, True, True),
        "G": ("set", True, True, False),
    }
