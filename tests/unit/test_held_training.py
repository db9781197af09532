"""The numbers that the self-checks of notebook 7 hold, made anew: by the right answers, and by each mistake."""

import inspect

import numpy as np
import pytest
from helpers import checks_counting, checks_recipe

from tests.unit.held import answers, apart, same

SIZES = checks_counting._THREE_SIZES


def right(*sizes):
    return answers("07")["transformer_parameter_count"](*sizes)


def rate(first, second):
    return lambda n, d, w: d**-0.5 * np.minimum(first(n, w), second(n, w))


def falling(n, w):
    return n**-0.5


def rising(n, w):
    return n * w**-1.5


def labels(target, other):
    return lambda y, V, e: np.where(np.eye(V)[y] > 0, target(e, V), other(e, V))


#: What known mistakes count too much.
MISCOUNTS = {
    "the vocabulary's matrix counts once: tied": (
        lambda L, d, f, h, k, v, w: w * d,
        lambda L, d, f, h, k, v, w: 2 * w * d,
    ),
    "the output layer has no bias": (lambda L, d, f, h, k, v, w: w,),
    "a decoder layer has two attentions": (lambda L, d, f, h, k, v, w: -L * 2 * d * h * (k + v),),
    "an encoder layer has one attention, a decoder layer two": (lambda L, d, f, h, k, v, w: L * 2 * d * h * (k + v),),
    "a decoder layer has three norms": (
        lambda L, d, f, h, k, v, w: -L * 2 * d,
        lambda L, d, f, h, k, v, w: -L * 4 * d,
    ),
    "an encoder layer has two norms, a decoder layer three": (
        lambda L, d, f, h, k, v, w: -L * 6 * d,
        lambda L, d, f, h, k, v, w: L * 2 * d,
    ),
    "a norm has gamma and beta": (lambda L, d, f, h, k, v, w: -L * 5 * d,),
    "the norms are missing, and each has gamma and beta": (lambda L, d, f, h, k, v, w: -L * 10 * d,),
    "there is no norm at the end": (
        lambda L, d, f, h, k, v, w: 2 * d,
        lambda L, d, f, h, k, v, w: 4 * d,
    ),
    "attention has no biases here": (
        lambda L, d, f, h, k, v, w: 3 * L * (2 * h * k + h * v + d),
        lambda L, d, f, h, k, v, w: 3 * L * 4 * d,
        lambda L, d, f, h, k, v, w: 3 * L * d,
        lambda L, d, f, h, k, v, w: 3 * L * (2 * h * k + h * v),
    ),
    "the feed-forward has two biases": (
        lambda L, d, f, h, k, v, w: -2 * L * (f + d),
        lambda L, d, f, h, k, v, w: -2 * L * f,
        lambda L, d, f, h, k, v, w: -2 * L * d,
    ),
    "the biases of the feed-forward have d_ff and d_model numbers": (lambda L, d, f, h, k, v, w: 2 * L * (f - d),),
    "the feed-forward has two matrices": (lambda L, d, f, h, k, v, w: -2 * L * d * f,),
    "a decoder layer has a feed-forward too": (lambda L, d, f, h, k, v, w: -L * (2 * d * f + f + d),),
    "num_heads is missing: key_dim and value_dim are per head": (
        lambda L, d, f, h, k, v, w: -6 * L * d * (h - 1) * (k + v),
    ),
    "value_dim is a size of its own": (
        lambda L, d, f, h, k, v, w: 6 * L * d * h * (k - v),
        lambda L, d, f, h, k, v, w: 3 * L * d * h * (k - v),
    ),
    "the output matrix of the attention is missing": (lambda L, d, f, h, k, v, w: -3 * L * d * h * v,),
    "the output matrix of the attention takes in all heads; yours is d_model x d_model": (
        lambda L, d, f, h, k, v, w: 3 * L * d * (d - h * v),
    ),
    "all projections are d_model x d_model in yours; use num_heads, key_dim and value_dim": (
        lambda L, d, f, h, k, v, w: 3 * L * d * (4 * d - 2 * h * (k + v)),
    ),
    "query and key have a matrix each; yours share one": (lambda L, d, f, h, k, v, w: -3 * L * d * h * k,),
    "the decoder is missing": (lambda L, d, f, h, k, v, w: -L * (4 * d * h * (k + v) + 2 * d * f + f + d + 6 * d),),
    "the encoder is missing": (lambda L, d, f, h, k, v, w: -L * (2 * d * h * (k + v) + 2 * d * f + f + d + 4 * d),),
    "the embedding is missing": (lambda L, d, f, h, k, v, w: -w * d,),
    "there are num_layers on each side; yours counts one": (
        lambda L, d, f, h, k, v, w: (1 - L) * (right(L, d, f, h, k, v, 0) // L),
    ),
    "there are num_layers on each side; yours counts both sides together": (
        lambda L, d, f, h, k, v, w: -(right(L, d, f, h, k, v, 0) + 1) // 2,
        lambda L, d, f, h, k, v, w: -right(L, d, f, h, k, v, 0) // 2,
    ),
}
#: What known mistakes compute for several steps n, a width d and a warm-up w.
RATES = {
    "max is used in place of min": lambda n, d, w: d**-0.5 * np.maximum(n**-0.5, n * w**-1.5),
    "the power of the step is -0.5: one over the root": rate(lambda n, w: n**0.5, rising),
    "d_model is missing": lambda n, d, w: np.minimum(n**-0.5, n * w**-1.5),
    "the power of d_model is -0.5": lambda n, d, w: d**0.5 * np.minimum(n**-0.5, n * w**-1.5),
    "the power of warmup_steps is -1.5": rate(falling, lambda n, w: n * w**-0.5),
    "steps count from 1; yours counts one too many": lambda n, d, w: rate(falling, rising)(n + 1, d, w),
    "after the warm-up it falls with the root of the step": rate(lambda n, w: 1 / n, lambda n, w: n / w**2),
    "steps count from 1; yours counts one too few": lambda n, d, w: rate(falling, rising)(
        np.maximum(n - 1, 1e-12), d, w
    ),
    "after the warm-up it falls with the root of the step, yours with the step itself": rate(
        lambda n, w: w**0.5 / n, rising
    ),
    "after the warm-up it falls, yours stays": rate(lambda n, w: w**-0.5, rising),
    "the rise is missing": lambda n, d, w: (d * n) ** -0.5,
    "divide by the root of d_model, not by d_model": lambda n, d, w: np.minimum(n**-0.5, n * w**-1.5) / d,
    "the rate falls with 1 over the step; it should fall with 1 over its root": rate(lambda n, w: 1 / n, rising),
    "the rising branch is 0 before the warm-up ends: // divides to whole numbers": rate(
        falling, lambda n, w: n // w * w**-0.5
    ),
    "the rising branch is 0 for small steps: // divides to whole numbers": rate(falling, lambda n, w: n // w**1.5),
    "during the warm-up it is constant; it should rise with the step": rate(falling, lambda n, w: w**-0.5),
    "the minimum is missing: the rate rises for ever": lambda n, d, w: d**-0.5 * n * w**-1.5,
    "both branches are added; take the smaller one": lambda n, d, w: d**-0.5 * (n**-0.5 + n * w**-1.5),
    "it falls from the first step on by the root of step + warm-up": lambda n, d, w: (d * (n + w)) ** -0.5,
    "step and warm-up have changed places in the rising branch": rate(falling, lambda n, w: w * n**-1.5),
}
#: What known mistakes return for targets y, a vocabulary of V words and epsilon.
LABELS = {
    "the share goes to the others only: spread it over all words": labels(lambda e, V: 1 - e, lambda e, V: e / (V - 1)),
    "the target keeps its whole 1: multiply by 1 - epsilon": lambda y, V, e: np.eye(V)[y] + e / V,
    "the target is left out of the spreading": labels(lambda e, V: 1 - e, lambda e, V: e / V),
    "epsilon and 1 - epsilon are swapped": lambda y, V, e: e * np.eye(V)[y] + (1 - e) / V,
    "every word gets the whole epsilon: divide by vocab_size": lambda y, V, e: (1 - e) * np.eye(V)[y] + e,
    "nothing is smoothed": lambda y, V, e: np.eye(V)[y],
    "yours is 0.1, whatever epsilon is: use the argument": lambda y, V, e: 0.9 * np.eye(V)[y] + 0.1 / V,
    "yours is 0.1, whatever epsilon is, and goes to the others only": labels(
        lambda e, V: 0.9, lambda e, V: 0.1 / (V - 1)
    ),
    "the share goes to the neighbouring ids only; spread it over all words": lambda y, V, e: (
        (1 - e) * np.eye(V)[y] + e / 2 * (np.roll(np.eye(V)[y], 1, 1) + np.roll(np.eye(V)[y], -1, 1))
    ),
    "the others get epsilon each": labels(lambda e, V: 1 - e, lambda e, V: e),
    "ids count from 0; yours from 1": lambda y, V, e: (1 - e) * np.eye(V)[y - 1] + e / V,
    "you divided by the number of targets; divide by vocab_size": lambda y, V, e: (1 - e) * np.eye(V)[y] + e / len(y),
    "the ones fill whole columns; each row has one, at its own target": lambda y, V, e: (
        (1 - e) * np.eye(V)[y].max(0) + e / V + np.zeros((len(y), 1))
    ),
}


def test_counts_of_mistakes():
    made = {text: [[right(*s) + form(*s) for s in SIZES] for form in forms] for text, forms in MISCOUNTS.items()}
    held = checks_counting._MISCOUNTS.items()
    assert {text: list(rows) if isinstance(rows, tuple) else [rows] for text, rows in held} == made


def test_right_counts_and_what_one_more_of_each_size_adds():
    text, first = inspect.getsource(checks_counting), SIZES[0]
    more = [tuple(size + (n == place) for n, size in enumerate(first)) for place in range(len(first))]
    costs = ", ".join(str(right(*sizes) - right(*first)) for sizes in more)
    assert f"right = {[right(*sizes) for sizes in SIZES]}" in text
    assert f"costs = {costs}  #" in text


@pytest.mark.parametrize("text", RATES)
def test_rates_of_mistakes(text):
    cases = [(n, d, w) for steps, d, w in (((1, 3, 36), 16, 9), ((5, 13, 40), 50, 12)) for n in steps]
    made = [float(RATES[text](*map(np.float64, case))) for case in cases]
    assert same(checks_recipe._RATES[text], made), made
    assert apart(made, [answers("07")["noam_learning_rate"](*case) for case in cases])


@pytest.mark.parametrize("text", LABELS)
def test_labels_of_mistakes(text):
    cases = [((np.array([2, 0, 4]), 5, 0.2), 0), ((np.array([1, 3]), 4, 0.4), 1)]
    for (case, row), held in zip(cases, checks_recipe._LABELS[text], strict=True):
        made = LABELS[text](*case)[row]
        assert same(held, made), made
        assert apart(made, answers("07")["smooth_labels"](*case)[row])


def test_each_mistake_has_its_numbers():
    assert list(RATES) == list(checks_recipe._RATES)
    assert list(LABELS) == list(checks_recipe._LABELS)
