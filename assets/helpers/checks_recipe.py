"""Self-checks of notebook 7: learning rate, smoothed labels."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_mistake, name_tried, observed


def _rate(first, second):
    """Return the smaller one of two branches, functions of steps and warm-up, over the root of the width."""
    return lambda n, d, w: d**-0.5 * np.minimum(first(n, w), second(n, w))


def _falling(n, w):
    return n**-0.5


def _rising(n, w):
    return n * w**-1.5


#: What known mistakes compute for several steps n, a width d and a warm-up w.
_RATES = {
    "max is used in place of min": lambda n, d, w: d**-0.5 * np.maximum(n**-0.5, n * w**-1.5),
    "the power of the step is -0.5: one over the root": _rate(lambda n, w: n**0.5, _rising),
    "d_model is missing": lambda n, d, w: np.minimum(n**-0.5, n * w**-1.5),
    "the power of d_model is -0.5": lambda n, d, w: d**0.5 * np.minimum(n**-0.5, n * w**-1.5),
    "the power of warmup_steps is -1.5": _rate(_falling, lambda n, w: n * w**-0.5),
    "steps count from 1; yours counts one too many": lambda n, d, w: _rate(_falling, _rising)(n + 1, d, w),
    "after the warm-up it falls with the root of the step": _rate(lambda n, w: 1 / n, lambda n, w: n / w**2),
    "steps count from 1; yours counts one too few": lambda n, d, w: _rate(_falling, _rising)(
        np.maximum(n - 1, 1e-12), d, w
    ),
    "after the warm-up it falls with the root of the step, yours with the step itself": _rate(
        lambda n, w: w**0.5 / n, _rising
    ),
    "after the warm-up it falls, yours stays": _rate(lambda n, w: w**-0.5, _rising),
    "the rise is missing": lambda n, d, w: (d * n) ** -0.5,
    "divide by the root of d_model, not by d_model": lambda n, d, w: np.minimum(n**-0.5, n * w**-1.5) / d,
    "the rate falls with 1 over the step; it should fall with 1 over its root": _rate(lambda n, w: 1 / n, _rising),
    "the rising branch is 0 before the warm-up ends: // divides to whole numbers": _rate(
        _falling, lambda n, w: n // w * w**-0.5
    ),
    "the rising branch is 0 for small steps: // divides to whole numbers": _rate(_falling, lambda n, w: n // w**1.5),
    "during the warm-up it is constant; it should rise with the step": _rate(_falling, lambda n, w: w**-0.5),
    "the minimum is missing: the rate rises for ever": lambda n, d, w: d**-0.5 * n * w**-1.5,
    "both branches are added; take the smaller one": lambda n, d, w: d**-0.5 * (n**-0.5 + n * w**-1.5),
    "it falls from the first step on by the root of step + warm-up": lambda n, d, w: (d * (n + w)) ** -0.5,
    "step and warm-up have changed places in the rising branch": _rate(_falling, lambda n, w: w * n**-1.5),
}


@self_check("noam_learning_rate")
def check_noam_learning_rate(report, noam_learning_rate):
    """Check the rise, the peak, the fall and the width at a small schedule."""

    def rate(step, width=16, warmup=9):
        value = report.call(noam_learning_rate, step, width, warmup)
        if np.ndim(value):
            report.expect(False, "it returns one number", Observed(f"Yours has shape {np.shape(value)}"), stop=True)
        return float(np.asarray(value))

    def rates(steps, width, warmup):
        return np.array([rate(n, width, warmup) for n in steps.astype(int).tolist()])

    steps = np.array([1, 3, 9, 36, 81.0])
    got, right = rates(steps, 16, 9), 0.25 * np.minimum(steps**-0.5, steps * 9**-1.5)
    n = int(steps[np.argmax(~np.isclose(got, right))])  # the first step that is wrong
    ask = f"Here the steps are 1, 3, 9, 36 and 81, the width is 16 and the warm-up 9. What is each branch at step {n}?"
    hint = name_tried(rates, [(steps, 16, 9), (steps + 4, 50, 12)], _RATES, right, ask)
    report.expect(got[0] < got[1] < got[2], "it rises during the warm-up", hint, stop=True)
    report.expect(got[2] > got[3] > got[4], "it falls afterwards", hint, stop=True)
    report.expect(np.allclose(got, right), "values for width 16 and a warm-up of 9", hint, stop=True)
    hint = observed(rate(4, 64, 1), 1 / 16, "What are the two branches at step 4 for a width of 64?")
    report.expect(np.isclose(rate(4, 64, 1), 1 / 16), "a warm-up of one step", hint)


def _labels(target, other):
    """Return labels from what a target gets, and what the others get: functions of epsilon and the vocabulary."""
    return lambda y, V, e: np.where(np.eye(V)[y] > 0, target(e, V), other(e, V))


#: What known mistakes return for targets y, a vocabulary of V words and epsilon.
_LABELS = {
    "the share goes to the others only: spread it over all words": _labels(
        lambda e, V: 1 - e, lambda e, V: e / (V - 1)
    ),
    "the target keeps its whole 1: multiply by 1 - epsilon": lambda y, V, e: np.eye(V)[y] + e / V,
    "the target is left out of the spreading": _labels(lambda e, V: 1 - e, lambda e, V: e / V),
    "epsilon and 1 - epsilon are swapped": lambda y, V, e: e * np.eye(V)[y] + (1 - e) / V,
    "every word gets the whole epsilon: divide by vocab_size": lambda y, V, e: (1 - e) * np.eye(V)[y] + e,
    "nothing is smoothed": lambda y, V, e: np.eye(V)[y],
    "yours is 0.1, whatever epsilon is: use the argument": lambda y, V, e: 0.9 * np.eye(V)[y] + 0.1 / V,
    "yours is 0.1, whatever epsilon is, and goes to the others only": _labels(
        lambda e, V: 0.9, lambda e, V: 0.1 / (V - 1)
    ),
    "the share goes to the neighbouring ids only; spread it over all words": lambda y, V, e: (
        (1 - e) * np.eye(V)[y] + e / 2 * (np.roll(np.eye(V)[y], 1, 1) + np.roll(np.eye(V)[y], -1, 1))
    ),
    "the others get epsilon each": _labels(lambda e, V: 1 - e, lambda e, V: e),
    "ids count from 0; yours from 1": lambda y, V, e: (1 - e) * np.eye(V)[y - 1] + e / V,
    "you divided by the number of targets; divide by vocab_size": lambda y, V, e: (1 - e) * np.eye(V)[y] + e / len(y),
    "the ones fill whole columns; each row has one, at its own target": lambda y, V, e: (
        (1 - e) * np.eye(V)[y].max(0) + e / V + np.zeros((len(y), 1))
    ),
}


@self_check("smooth_labels")
def check_smooth_labels(report, smooth_labels):
    """Check shape, sums and the two values that occur."""
    targets = np.array([2, 0, 4])
    got = report.array(report.call(smooth_labels, targets, 5, 0.2), (3, 5))
    one_hot = np.eye(5)[targets]
    right = 0.8 * one_hot + 0.04
    asked = "With epsilon = 0.2 and five words, how much does each word get?"
    if np.allclose(np.sort(got), np.sort(right)):
        asked = "Which column of that row belongs to the row's target?"
    cases = [(targets, 5, 0.2), (np.array([3, 1, 6, 3]), 7, 0.3)]
    hint = name_tried(smooth_labels, cases, _LABELS, right, asked)
    report.expect(np.allclose(got.sum(-1), 1), "rows sum to 1", hint, stop=True)
    report.expect(np.allclose(got, right), "0.84 at the target, 0.04 elsewhere", hint, stop=True)
    plain = np.asarray(report.call(smooth_labels, targets, 5, 0.0))
    mistakes = {"your epsilon is fixed: use the argument": right}
    hint = name_mistake(plain, mistakes, one_hot, "How much is there to share out?")
    report.expect(np.allclose(plain, one_hot), "epsilon 0 gives one-hot vectors", hint)
