"""Which assignment a file is of, by its words."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from grader.core.course import Course
from grader.engine.kit import Kit
from grader.submissions import words

OWN = frozenset({"quantize", "encode_numbers", "decode_greedily", "test_quantize", "bits_of", "rows_of"})
OTHERS = {"own": OWN, "other": frozenset({"additive_scores", "masked_softmax", "test_scores"})}


@given(
    st.lists(st.sampled_from(sorted(OWN | OTHERS["other"] | {"word", "x"})), max_size=30),
    st.sampled_from([" ", "\n", "_", "", "é", "\0", '"', "-"]),
)
def test_who_is_surely_of_one_is_not_clearly_another(found, between):
    data = between.join(found).encode("latin-1")
    if words.is_surely_of(data, OWN):
        there = words.words_in(data, OWN | OTHERS["other"])
        assert words.clearly_another(words.shares_of(there, OTHERS), "own") is None


def test_a_third_of_the_words_is_enough_and_parts_of_words_are_none():
    assert words.is_surely_of(b"quantize, rows_of", OWN)
    assert not words.is_surely_of(b"quantize", OWN)
    assert not words.is_surely_of(b"quantized _rows_of test_bits_of encode_numbers_", OWN)
    assert words.is_surely_of(b"quantized quantize test_bits_of bits_of", OWN), "a part of a word hides none behind it"
    assert not words.is_surely_of(b"quantize rows_of", frozenset())


def test_a_word_that_is_only_a_part_of_others_a_million_times_is_not_looked_for_for_ever():
    assert not words.is_surely_of(b"quantized" * 200 + b" quantize rows_of", OWN), "then the whole file is read"
    assert words.words_in(b"quantized" * 200 + b" quantize rows_of", OWN) == {"quantize", "rows_of"}


def test_an_honest_notebook_is_not_read_word_by_word(monkeypatch):
    kit = Kit.read(Course(Path(__file__).parents[2]).source("01_seq2seq_bottleneck"))
    read = []
    monkeypatch.setattr("grader.engine.kit.words_in", lambda data, known: read.append(1) or set())
    assert kit.another(json.dumps(kit.release).encode()) is None
    assert not read
