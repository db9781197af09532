"""Self-check of notebook 2: masked softmax."""

import math

import numpy as np
from helpers.checks import self_check
from helpers.checks_additive import agree
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_mistake, observed


@self_check("masked_softmax")
def check_masked_softmax(report, masked_softmax):
    """Check zeros, sums, shapes of masks, empty rows and large scores."""

    def reference(scores, mask):
        e = np.exp(scores) * mask
        return e / e.sum(-1, keepdims=True)

    scores, mask = np.array([[0.0, 1.0, 2.0], [1.0, -1.0, 0.5]]), np.array([[True, True, False], [True, False, True]])
    same = "The weights have the shape of the scores, {}."
    got = call_explained(
        report, masked_softmax, scores, mask, on="scores (2, 3), mask (2, 3)", expected=same.format((2, 3))
    )
    got = report.array(got, scores.shape)
    if agree(np.where(mask, got, 0), 0) and (got[~mask] > 0).all():
        report.expect(False, "forbidden positions get 0", "the mask is inverted: True means may attend", stop=True)
    right = reference(scores, mask)
    hint = "Some are nan. Which operation with 0 or infinity gives that?" if np.isnan(got).any() else ""
    hint = hint or "Some are negative. Which values can an exponential have?"
    report.expect((got >= 0).all(), "weights are positive or 0", Observed(hint), stop=True)
    full = reference(scores, True)
    mistakes = {
        "a score of 0 has the exponential 1; what must a forbidden score be?": reference(scores * mask, True),
        "the mask has no effect": full,
    }
    hint = name_mistake(got, mistakes, right, "What should be left of a forbidden score after exp?")
    if (got[~mask] < 1e-8).all():
        hint = "nearly 0 is not 0: write the zeros"
    zero = (got[~mask] == 0).all()
    if zero and agree(got[:, :2], (np.exp(scores) * mask / (np.exp(scores) * mask).sum(0))[:, :2]):
        report.expect(False, "rows sum to 1", "the softmax runs along the last axis", stop=True)
    report.expect(zero, "forbidden positions get exactly 0", hint, stop=True)
    mistakes = {
        "you masked after the softmax, and the rest no longer sums to 1": full * mask,
        "these are the exponentials; what turns them into shares?": np.exp(scores) * mask,
        "all rows share one sum; each needs its own": np.exp(scores) * mask / (np.exp(scores) * mask).sum(),
    }
    hint = name_mistake(got, mistakes, right, "What else is in the sum?")
    report.expect(agree(got.sum(-1), 1, 1e-6), "rows sum to 1", hint, stop=True)
    hint = name_mistake(got, {"the allowed positions share evenly": mask / 2}, right, "Which weights has [0, 1] alone?")
    moved = np.asarray(masked_softmax(scores + 5, mask))
    if not got[0, 0] and np.shape(moved) == (2, 3) and moved[0, 0] > 0:
        hint = "an allowed score of 0 lost its weight; only the mask forbids"
    kept = agree(got[0, 1], math.e * got[0, 0]) and got[0, 0] > 0
    report.expect(kept, "allowed positions keep their proportions", hint, stop=True)
    none = "mask=None allows every position: deal with that case before anything reads the mask."
    got = np.asarray(call_explained(report, masked_softmax, scores, on="scores without a mask", expected=none))
    hint = observed(got, full, "Which positions does it allow?")
    report.expect(agree(got, full), "mask=None allows everything", hint, stop=True)
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(5, 3, 6, 7))  # sizes to which no cell of the notebook binds B, H, T or S
    for shape in ((7,), (6, 7), (5, 1, 6, 7)):
        mask = rng.random(shape) < 0.5
        mask[..., 0] = True
        expected = same.format(scores.shape) + " The mask has to be stretched to that shape first."
        got = call_explained(
            report, masked_softmax, scores, mask, on=f"scores (5, 3, 6, 7), mask {shape}", expected=expected
        )
        got = report.array(got, scores.shape, what=f"the result for a mask {shape}")
        fits = (got[~np.broadcast_to(mask, scores.shape)] == 0).all() and agree(got.sum(-1), 1)
        hint = observed(got, reference(scores, mask), "Which axes of the scores does the mask have?")
        report.expect(fits, f"a mask {shape} broadcasts to scores (5, 3, 6, 7)", hint, stop=True)
    row, allowed = np.array([[1e4, -1e4, -1e4]]), np.array([False, True, True])
    got = np.asarray(call_explained(report, masked_softmax, row, allowed, on="scores (1, 3), mask (3,)"))
    # exp(600) is finite, exp(720) is inf; exp(-720) is above 0, exp(-800) is 0: a shift by the forbidden score shows
    with np.errstate(all="ignore"):
        free = np.asarray(masked_softmax(row, None))
        lower = [np.asarray(masked_softmax(np.array([[n, 0.0, 0.0]]), allowed)) for n in (600, 720, 800)]
    fine = [np.shape(one) == (1, 3) and agree(one, [[0, 0.5, 0.5]]) for one in lower]
    hint = observed(got, np.array([[0, 0.5, 0.5]]), "Which scores do the two allowed positions compete with?")
    if got[0, 0] > 0:
        hint = "a fixed penalty is too small for it; which number is smaller than every score?"
    elif 0 < got[0, 1] < 0.5 and np.isfinite(got).all():
        hint = "the forbidden position still counts in the sum; which number is smaller than every score?"
    elif np.isfinite(free).all() and fine == [True, False, False] and np.isnan(lower[1]).any():
        hint = "exp of the forbidden score is inf, and inf times 0 is nan; replace that score before exp"
    elif np.isfinite(free).all() and fine == [True, True, False]:
        hint = "beside a forbidden 720 the two are right, beside 800 they are not, so the shift was by the forbidden "
        hint += "score, and every allowed exponential became 0; shift by the largest allowed score"
    elif np.isfinite(free).all() and all(fine):
        hint = Observed("Beside a forbidden 800 the two are right. What happens to larger forbidden scores?")
    elif not np.isfinite(free).all():
        hint = "overflow: exp of 1e4 is inf, and exp of -1e4 is 0; shift by the largest allowed score"
    report.expect(agree(got, [[0, 0.5, 0.5]]), "a forbidden 1e4 beside real scores of -1e4 gets 0", hint, stop=True)
    far = np.array([[1e4, 1e4], [-1e4, -1e4]])
    got = np.asarray(call_explained(report, masked_softmax, far, on="scores of +-1e4 without a mask"))
    with np.errstate(all="ignore"):
        alone = agree(np.asarray(masked_softmax(far[1:])), 0.5)
    hint = observed(got, np.full((2, 2), 0.5), "What is the exponential of -1e4?")
    if alone:
        hint = "alone the second row is right, but it is far below the first; what should it be shifted by?"
    report.expect(agree(got, 0.5), "a row of 1e4 and a row of -1e4 both sum to 1", hint, stop=True)
    empty = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[False, False], [True, True]])
    got = np.asarray(call_explained(report, masked_softmax, *empty, on="a row without allowed positions"))
    cancels = ": a penalty that all positions share cancels in the softmax"
    mistakes = {
        "this one is uniform, so no position differs from the others": np.array([0.5, 0.5]),
        "this one has the weights of a row without a mask" + cancels: reference(empty[0], True)[0],
    }
    hint = name_mistake(got[0], mistakes, np.zeros(2), "What should a query get that may attend to nothing?")
    hint = "it is nan: 0 divided by 0, or -inf minus -inf" if np.isnan(got[0]).any() else hint
    report.expect((got[0] == 0).all(), "a row without allowed positions is all zeros", hint)
    report.expect(agree(got[1], reference(empty[0], True)[1]), "the row beside it keeps its weights",
                  observed(got[1], reference(empty[0], True)[1]))  # fmt: skip
