"""Self-checks of notebook 7: learning rate, smoothed labels."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_mistake, name_slip, observed, quietly

#: What known mistakes return at steps 1, 3 and 36 for width 16 and warm-up 9, and at 5, 13 and 40 for 50 and 12.
_RATES = {
    "max is used in place of min": [0.25, 0.144338, 0.333333, 0.0632456, 0.0442269, 0.136083],
    "the power of the step is -0.5: one over the root":
        [0.00925926, 0.0277778, 0.333333, 0.0170103, 0.0442269, 0.136083],
    "d_model is missing": [0.037037, 0.111111, 0.166667, 0.120281, 0.27735, 0.158114],
    "the power of d_model is -0.5": [0.148148, 0.444444, 0.666667, 0.850517, 1.96116, 1.11803],
    "the power of warmup_steps is -1.5": [0.0833333, 0.144338, 0.0416667, 0.0632456, 0.0392232, 0.0223607],
    "steps count from 1; yours counts one too many": [0.0185185, 0.037037, 0.0410997, 0.0204124, 0.0377964, 0.0220863],
    "after the warm-up it falls with the root of the step":
        [0.00308642, 0.00925926, 0.00694444, 0.00491046, 0.0108786, 0.00353553],
    "steps count from 1; yours counts one too few":
        [9.25926e-15, 0.0185185, 0.0422577, 0.0136083, 0.0408248, 0.0226455],
    "after the warm-up it falls with the root of the step, yours with the step itself":
        [0.00925926, 0.0277778, 0.0208333, 0.0170103, 0.0376845, 0.0122474],
    "after the warm-up it falls, yours stays": [0.00925926, 0.0277778, 0.0833333, 0.0170103, 0.0408248, 0.0408248],
    "the rise is missing": [0.25, 0.144338, 0.0416667, 0.0632456, 0.0392232, 0.0223607],
    "divide by the root of d_model, not by d_model":
        [0.00231481, 0.00694444, 0.0104167, 0.00240563, 0.005547, 0.00316228],
    "the rate falls with 1 over the step; it should fall with 1 over its root":
        [0.00925926, 0.0277778, 0.00694444, 0.0170103, 0.0108786, 0.00353553],
    "the rising branch is 0 before the warm-up ends: // divides to whole numbers":
        [0, 0, 0.0416667, 0, 0.0392232, 0.0223607],
    "the rising branch is 0 for small steps: // divides to whole numbers": [0, 0, 0.0416667, 0, 0, 0],
    "during the warm-up it is constant; it should rise with the step":
        [0.0833333, 0.0833333, 0.0416667, 0.0408248, 0.0392232, 0.0223607],
    "the minimum is missing: the rate rises for ever":
        [0.00925926, 0.0277778, 0.333333, 0.0170103, 0.0442269, 0.136083],
    "both branches are added; take the smaller one": [0.259259, 0.172115, 0.375, 0.0802559, 0.0834501, 0.158443],
    "it falls from the first step on by the root of step + warm-up":
        [0.0790569, 0.0721688, 0.0372678, 0.0342997, 0.0282843, 0.0196116],
    "step and warm-up have changed places in the rising branch":
        [0.25, 0.144338, 0.0104167, 0.0632456, 0.0362061, 0.0067082],
}  # fmt: skip


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
    got, right = rates(steps, 16, 9), 1 / np.array([108, 36, 12, 24, 36])
    n = int(steps[np.argmax(~np.isclose(got, right))])  # the first step that is wrong
    ask = f"Here the steps are 1, 3, 9, 36 and 81, the width is 16 and the warm-up 9. What is each branch at step {n}?"
    tried = quietly(rates, steps[[0, 1, 3]], 16, 9), quietly(rates, steps[:4] + 4, 50, 12)
    slips = {text: np.reshape(row, (2, 3)).__getitem__ for text, row in _RATES.items()}
    hint = observed(got, right, ask)
    if tried[1] is not None:
        hint = name_slip([tried[0], tried[1][[0, 2, 3]]], [(0,), (1,)], slips) or hint
    report.expect(got[0] < got[1] < got[2], "it rises during the warm-up", hint, stop=True)
    report.expect(got[2] > got[3] > got[4], "it falls afterwards", hint, stop=True)
    report.expect(np.allclose(got, right), "values for width 16 and a warm-up of 9", hint, stop=True)
    hint = observed(rate(4, 64, 1), 1 / 16, "What are the two branches at step 4 for a width of 64?")
    report.expect(np.isclose(rate(4, 64, 1), 1 / 16), "a warm-up of one step", hint)


#: What known mistakes return for a target of 2, of 5 words with epsilon 0.2, and for 3, of 4 words with 0.4.
_LABELS = {
    "the share goes to the others only: spread it over all words":
        ([0.05, 0.05, 0.8, 0.05, 0.05], [0.133333, 0.133333, 0.133333, 0.6]),
    "the target keeps its whole 1: multiply by 1 - epsilon": ([0.04, 0.04, 1.04, 0.04, 0.04], [0.1, 0.1, 0.1, 1.1]),
    "the target is left out of the spreading": ([0.04, 0.04, 0.8, 0.04, 0.04], [0.1, 0.1, 0.1, 0.6]),
    "epsilon and 1 - epsilon are swapped": ([0.16, 0.16, 0.36, 0.16, 0.16], [0.15, 0.15, 0.15, 0.55]),
    "every word gets the whole epsilon: divide by vocab_size": ([0.2, 0.2, 1, 0.2, 0.2], [0.4, 0.4, 0.4, 1]),
    "nothing is smoothed": ([0, 0, 1, 0, 0], [0, 0, 0, 1]),
    "yours is 0.1, whatever epsilon is: use the argument":
        ([0.02, 0.02, 0.92, 0.02, 0.02], [0.025, 0.025, 0.025, 0.925]),
    "yours is 0.1, whatever epsilon is, and goes to the others only":
        ([0.025, 0.025, 0.9, 0.025, 0.025], [0.0333333, 0.0333333, 0.0333333, 0.9]),
    "the share goes to the neighbouring ids only; spread it over all words":
        ([0, 0.1, 0.8, 0.1, 0], [0.2, 0, 0.2, 0.6]),
    "the others get epsilon each": ([0.2, 0.2, 0.8, 0.2, 0.2], [0.4, 0.4, 0.4, 0.6]),
    "ids count from 0; yours from 1": ([0.04, 0.84, 0.04, 0.04, 0.04], [0.1, 0.1, 0.7, 0.1]),
    "you divided by the number of targets; divide by vocab_size":
        ([0.0666667, 0.0666667, 0.866667, 0.0666667, 0.0666667], [0.2, 0.2, 0.2, 0.8]),
    "the ones fill whole columns; each row has one, at its own target":
        ([0.84, 0.04, 0.84, 0.04, 0.84], [0.1, 0.7, 0.1, 0.7]),
}  # fmt: skip


@self_check("smooth_labels")
def check_smooth_labels(report, smooth_labels):
    """Check shape, sums and the two values that occur."""
    targets = np.array([2, 0, 4])
    got = report.array(report.call(smooth_labels, targets, 5, 0.2), (3, 5))
    one_hot = np.array([[0, 0, 1, 0, 0], [1, 0, 0, 0, 0], [0, 0, 0, 0, 1]])
    right = np.where(one_hot, 0.84, 0.04)
    asked = "With epsilon = 0.2 and five words, how much does each word get?"
    if np.allclose(np.sort(got), np.sort(right)):
        asked = "Which column of that row belongs to the row's target?"
    other = quietly(smooth_labels, np.array([1, 3]), 4, 0.4)
    hint = observed(got, right, asked)
    if np.shape(other) == (2, 4):
        slips = {text: rows.__getitem__ for text, rows in _LABELS.items()}
        hint = name_slip([got[0], np.asarray(other)[1]], [(0,), (1,)], slips) or hint
    report.expect(np.allclose(got.sum(-1), 1), "rows sum to 1", hint, stop=True)
    report.expect(np.allclose(got, right), "0.84 at the target, 0.04 elsewhere", hint, stop=True)
    plain = np.asarray(report.call(smooth_labels, targets, 5, 0.0))
    mistakes = {"your epsilon is fixed: use the argument": right}
    hint = name_mistake(plain, mistakes, one_hot, "How much is there to share out?")
    report.expect(np.allclose(plain, one_hot), "epsilon 0 gives one-hot vectors", hint)
