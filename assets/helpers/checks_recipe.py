"""Self-checks of notebook 7: learning rate, smoothed labels."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_mistake, observed


@self_check("noam_learning_rate")
def check_noam_learning_rate(report, noam_learning_rate):
    """Check the rise, the peak, the fall and the width at a small schedule."""

    def rate(step, width=16, warmup=9):
        value = report.call(noam_learning_rate, step, width, warmup)
        if np.ndim(value):
            report.expect(False, "it returns one number", Observed(f"Yours has shape {np.shape(value)}"), stop=True)
        return float(np.asarray(value))

    got = [rate(n) for n in (1, 3, 9, 36, 81)]
    right = [0.25 * min(n**-0.5, n * 9**-1.5) for n in (1, 3, 9, 36, 81)]
    steps = np.array([1, 3, 9, 36, 81.0])
    mistakes = {
        "max is used in place of min": 0.25 * np.maximum(steps**-0.5, steps * 9**-1.5),
        "the power of the step is -0.5: one over the root": 0.25 * np.minimum(steps**0.5, steps * 9**-1.5),
        "d_model is missing": np.minimum(steps**-0.5, steps * 9**-1.5),
        "the power of d_model is -0.5": 4 * np.minimum(steps**-0.5, steps * 9**-1.5),
        "the power of warmup_steps is -1.5": 0.25 * np.minimum(steps**-0.5, steps * 9**-0.5),
        "steps count from 1; yours counts one too many": 0.25 * np.minimum((steps + 1) ** -0.5, (steps + 1) * 9**-1.5),
        "after the warm-up it falls with the root of the step": 0.25 * np.minimum(1 / steps, steps / 81),
        "steps count from 1; yours counts one too few": 0.25
        * np.minimum(np.maximum(steps - 1, 1e-12) ** -0.5, (steps - 1) * 9**-1.5),
        "after the warm-up it falls with the root of the step, yours with the step itself": 0.25
        * np.minimum(3 / steps, steps / 27),
        "after the warm-up it falls, yours stays": 0.25 * np.minimum(1 / 3, steps * 9**-1.5),
        "the rise is missing": 0.25 * steps**-0.5,
        "divide by the root of d_model, not by d_model": np.minimum(steps**-0.5, steps * 9**-1.5) / 16,
        "the rate falls with 1 over the step; it should fall with 1 over its root": 0.25
        * np.minimum(1 / steps, steps * 9**-1.5),
        "the rising branch is 0 before the warm-up ends: // divides to whole numbers": 0.25
        * np.minimum(steps**-0.5, steps // 9 / 3),
        "the rising branch is 0 for small steps: // divides to whole numbers": 0.25
        * np.minimum(steps**-0.5, steps // 27),
        "during the warm-up it is constant; it should rise with the step": 0.25 * np.minimum(steps**-0.5, 9**-0.5),
        "the minimum is missing: the rate rises for ever": 0.25 * steps * 9**-1.5,
        "both branches are added; take the smaller one": 0.25 * (steps**-0.5 + steps * 9**-1.5),
        "it falls from the first step on by the root of step + warm-up": 0.25 * (steps + 9) ** -0.5,
    }
    got, right = np.array(got), np.array(right)
    asked = "Here the steps are 1, 3, 9, 36 and 81, the width is 16 and the warm-up 9. What is each branch at step 1?"
    hint = name_mistake(got, mistakes, right, asked)
    report.expect(got[0] < got[1] < got[2], "it rises during the warm-up", hint, stop=True)
    report.expect(got[2] > got[3] > got[4], "it falls afterwards", hint, stop=True)
    report.expect(np.allclose(got, right), "values for width 16 and a warm-up of 9", hint, stop=True)
    hint = observed(rate(4, 64, 1), 1 / 16, "What are the two branches at step 4 for a width of 64?")
    report.expect(np.isclose(rate(4, 64, 1), 1 / 16), "a warm-up of one step", hint)


@self_check("smooth_labels")
def check_smooth_labels(report, smooth_labels):
    """Check shape, sums and the two values that occur."""
    targets = np.array([2, 0, 4])
    got = report.array(report.call(smooth_labels, targets, 5, 0.2), (3, 5))
    one_hot = np.eye(5)[targets]
    mistakes = {
        "the share goes to the others only: spread it over all words": np.where(one_hot > 0, 0.8, 0.05),
        "the target keeps its whole 1: multiply by 1 - epsilon": one_hot + 0.04,
        "the target is left out of the spreading": np.where(one_hot > 0, 0.8, 0.04),
        "epsilon and 1 - epsilon are swapped": 0.2 * one_hot + 0.8 / 5,
        "every word gets the whole epsilon: divide by vocab_size": 0.8 * one_hot + 0.2,
        "nothing is smoothed": one_hot,
        "yours is 0.1, whatever epsilon is: use the argument": 0.9 * one_hot + 0.02,
        "yours is 0.1, whatever epsilon is, and goes to the others only": np.where(one_hot > 0, 0.9, 0.025),
        "the share goes to the neighbouring ids only; spread it over all words": 0.8 * one_hot
        + 0.1 * (np.roll(one_hot, 1, 1) + np.roll(one_hot, -1, 1)),
        "the others get epsilon each": np.where(one_hot > 0, 0.8, 0.2),
        "ids count from 0; yours from 1": 0.8 * np.eye(5)[targets - 1] + 0.04,
        "you divided by the number of targets; divide by vocab_size": 0.8 * one_hot + 0.2 / 3,
        "the ones fill whole columns; each row has one, at its own target": 0.8 * one_hot.max(0) + 0.04 + 0 * one_hot,
    }
    right = 0.8 * one_hot + 0.04
    hint = name_mistake(got, mistakes, right, "With epsilon = 0.2 and five words, how much does each word get?")
    report.expect(np.allclose(got.sum(-1), 1), "rows sum to 1", hint, stop=True)
    report.expect(np.allclose(got, right), "0.84 at the target, 0.04 elsewhere", hint, stop=True)
    plain = np.asarray(report.call(smooth_labels, targets, 5, 0.0))
    mistakes = {"your epsilon is fixed: use the argument": right}
    hint = name_mistake(plain, mistakes, one_hot, "How much is there to share out?")
    report.expect(np.allclose(plain, one_hot), "epsilon 0 gives one-hot vectors", hint)
