"""The numbers that self-checks of notebook 2 hold, made anew: by the right answer, and by each mistake."""

import numpy as np
import pytest
from helpers import checks_additive, checks_alignment, checks_scores

from tests.unit.held import answers, apart, same


def share(hits):
    return float(np.mean(hits)) if len(hits) else 0.0


def chosen(weights, gold, best=None):
    """Return the pairs of a chosen position and a set that is not empty."""
    return [(j, g) for j, g in zip(weights.argmax(-1) if best is None else best, gold, strict=False) if g]


#: What each known mistake in `alignment_accuracy` returns.
MISALIGNED = {
    "this is the number of hits; divide it": lambda w, gold: sum(j in g for j, g in chosen(w, gold)),
    "a share from 0 to 1, not percent": lambda w, gold: 100 * share([j in g for j, g in chosen(w, gold)]),
    "rows are target positions: along which axis do the candidates for one of them lie?": lambda w, gold: share(
        [j in g for j, g in chosen(w, gold, w.argmax(0))]
    ),
    "a row is right or wrong; do not add up weights": lambda w, gold: share(
        [sum(row[j] for j in g) for row, g in zip(w, gold, strict=True) if g]
    ),
    "the smallest weight of each row was taken": lambda w, gold: share(
        [j in g for j, g in chosen(w, gold, w.argmin(-1))]
    ),
    "no row is ever right: is there one position for each row, and is it *in* its set?": lambda w, gold: 0.0,
    "position 0 is a position, and yours takes the set {0} for an empty one": lambda w, gold: share(
        [j in g for j, g in chosen(w, gold) if any(g)]
    ),
    "you compare with the whole set; one element of the set suffices": lambda w, gold: share(
        [{j} == g for j, g in chosen(w, gold)]
    ),
    "you compare with the smallest element alone; one element of the set suffices": lambda w, gold: share(
        [j == min(g) for j, g in chosen(w, gold)]
    ),
    "you divide by the number of right positions; divide by the number of rows": lambda w, gold: (
        sum(j in g for j, g in chosen(w, gold)) / sum(map(len, gold))
    ),
    "the largest weight counts however small it is; yours has to be above one half": lambda w, gold: share(
        [any(row[j] > 0.5 for j in g) for row, g in zip(w, gold, strict=True) if g]
    ),
    "of equal weights yours takes the last; take the first": lambda w, gold: share(
        [j in g for j, g in chosen(w, gold, w.shape[1] - 1 - w[:, ::-1].argmax(-1))]
    ),
    "of equal weights yours takes all; take the first": lambda w, gold: share(
        [any(row[j] == row.max() for j in g) for row, g in zip(w, gold, strict=True) if g]
    ),
    "rows with an empty set were counted as wrong": lambda w, gold: share(
        [j in g for j, g in zip(w.argmax(-1), gold, strict=True)]
    ),
    "rows with an empty set were counted as right": lambda w, gold: share(
        [not g or j in g for j, g in zip(w.argmax(-1), gold, strict=True)]
    ),
    "after an empty set yours compares each row with the next set; compare it with its own set": lambda w, gold: share(
        [j in g for j, g in zip(w.argmax(-1), [g for g in gold if g], strict=False)]
    ),
    "yours stops at the first empty set; leave that row out and go on": lambda w, gold: share(
        [j in g for j, g in zip(w.argmax(-1), gold[: [*gold, set()].index(set())], strict=False)]
    ),
}
ALIGNMENTS = [(np.array(w), gold) for _, w, gold, _ in checks_alignment._CASES] + checks_alignment._random_cases()


def test_each_held_alignment_is_looked_at():
    assert list(checks_alignment._SLIPS) == list(MISALIGNED)


@pytest.mark.parametrize("text", MISALIGNED)
def test_what_a_mistake_in_the_score_of_an_alignment_returns(text):
    held = checks_alignment._SLIPS[text]
    assert same(held, [float(MISALIGNED[text](*case)) for case in ALIGNMENTS])
    assert apart(held, [answers("02")["alignment_accuracy"](*case) for case in ALIGNMENTS])
    assert [other for other, numbers in checks_alignment._SLIPS.items() if not apart(held, numbers)] == [text]


def test_what_the_score_of_an_alignment_is():
    right = answers("02")["alignment_accuracy"]
    assert same([want for *_, want in checks_alignment._CASES], [right(*case) for case in ALIGNMENTS[:6]])


def test_what_the_score_is_by_columns():
    asked = []

    def by_columns(weights, gold):
        asked.append(share([j in g for j, g in chosen(weights, gold, weights.argmax(0))]))
        return asked[-1]

    assert checks_alignment._takes_columns(by_columns)
    assert same(checks_alignment._BY_COLUMNS, asked)
    assert not checks_alignment._takes_columns(answers("02")["alignment_accuracy"])


def without_an_axis(keep_top, keep_sum, shift=True):
    x = np.array(checks_additive._SQUARE)
    e = np.exp(x - (x.max(-1, keepdims=keep_top) if shift else 0))
    return e / e.sum(-1, keepdims=keep_sum)


def test_what_a_softmax_without_an_axis_returns():
    made = (
        ("the sum lost its axis", without_an_axis(True, False)),
        ("the sum lost its axis", without_an_axis(True, False, shift=False)),
        ("the maximum lost its axis", without_an_axis(False, True)),
        ("the maximum and the sum lost their axis", without_an_axis(False, False)),
    )
    right = answers("02")["softmax"](np.array(checks_additive._SQUARE))
    assert len(made) == len(checks_additive._LOST_AXES)
    for (text, numbers), (name, held) in zip(made, checks_additive._LOST_AXES, strict=True):
        assert text == name
        assert same(held, numbers)
        assert apart(held, right)


def test_what_reshaped_keys_give():
    query, key = np.array([[[1.0], [2.0], [0.0]]]), np.array([[[0.5], [-1.0], [1.0]]])
    w_query, w_key, v = np.array([[1.0, 0.5]]), np.array([[2.0, -1.0]]), np.array([1.0, -2.0])
    keys = (key @ w_key).swapaxes(1, 2).reshape(1, 1, 3, 2)
    assert same(checks_scores._REORDERED, np.tanh((query @ w_query)[:, :, None] + keys) @ v)
    assert apart(checks_scores._REORDERED, answers("02")["additive_scores"](query, key, w_query, w_key, v))
