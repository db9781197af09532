"""Self-check of notebook 2: masked softmax."""

import math

import numpy as np
from helpers.checks import self_check
from helpers.checks_additive import agree
from helpers.explained_errors import call_explained


@self_check("masked_softmax")
def check_masked_softmax(report, masked_softmax):
    """Check zeros, sums, shapes of masks, empty rows and large scores."""
    scores, mask = np.array([[0.0, 1.0, 2.0], [1.0, -1.0, 0.5]]), np.array([[True, True, False], [True, False, True]])
    same = "The weights have the shape of the scores, {}."
    got = call_explained(
        report, masked_softmax, scores, mask, on="scores (2, 3), mask (2, 3)", expected=same.format((2, 3))
    )
    got = report.array(got, scores.shape)
    if agree(np.where(mask, got, 0), 0) and (got[~mask] > 0).all():
        report.expect(False, "forbidden positions get 0", "the mask is inverted: True means may attend", stop=True)
    hint = "some are nan: 0 times infinity, or -inf minus -inf" if np.isnan(got).any() else "what does exp return?"
    report.expect((got >= 0).all(), "weights are positive or 0", hint, stop=True)
    hint = "a score of 0 has the exponential 1; what must a forbidden score be?"
    if (got[~mask] < 1e-8).all():
        hint = "nearly 0 is not 0: write the zeros"
    zero = (got[~mask] == 0).all()
    if zero and agree(got.sum(axis=0)[:2], 1):
        report.expect(False, "rows sum to 1", "the softmax runs along the last axis", stop=True)
    report.expect(zero, "forbidden positions get exactly 0", hint, stop=True)
    full = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    hint = "what else is in the sum?"
    if agree(got, full * mask):
        hint = "you masked after the softmax, and the rest no longer sums to 1"
    elif agree(got, np.exp(scores) * mask):
        hint = "these are the exponentials; what turns them into shares?"
    report.expect(agree(got.sum(-1), 1, 1e-6), "rows sum to 1", hint, stop=True)
    hint = "exp of the scores" if got[0, 0] else "an allowed score of 0 lost its weight; only the mask forbids"
    kept = agree(got[0, 1], math.e * got[0, 0]) and got[0, 0] > 0
    report.expect(kept, "allowed positions keep their proportions", hint, stop=True)
    none = "mask=None allows every position: deal with that case before anything reads the mask."
    got = np.asarray(call_explained(report, masked_softmax, scores, on="scores without a mask", expected=none))
    report.expect(agree(got, full), "mask=None allows everything", "check for None first", stop=True)
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 5, 3, 4))
    for shape in ((4,), (3, 4), (2, 1, 3, 4)):
        mask = rng.random(shape) < 0.5
        mask[..., 0] = True
        expected = same.format(scores.shape) + " The mask has to be stretched to that shape first."
        got = call_explained(
            report, masked_softmax, scores, mask, on=f"scores (2, 5, 3, 4), mask {shape}", expected=expected
        )
        got = report.array(got, scores.shape, what=f"the result for a mask {shape}")
        fits = (got[~np.broadcast_to(mask, scores.shape)] == 0).all() and agree(got.sum(-1), 1)
        report.expect(fits, f"a mask {shape} broadcasts to scores (2, 5, 3, 4)", "let np.where broadcast it", stop=True)
    row = np.array([[1e4, -1e4, -1e4]])
    got = np.asarray(
        call_explained(report, masked_softmax, row, np.array([False, True, True]), on="scores (1, 3), mask (3,)")
    )
    if not np.isfinite(got).all():
        with np.errstate(all="ignore"):
            shifted = np.isfinite(np.asarray(masked_softmax(np.array([[1e4, 0.0, 0.0]])))).all()
        hint = "the shift was by the forbidden score, so every allowed exponential became 0" if shifted else (
            "overflow: exp of 1e4 is inf, and exp of -1e4 is 0")  # fmt: skip
        hint += "; shift by the largest allowed score"
    elif got[0, 0] > 0:
        hint = "a fixed penalty is too small for it; which number is smaller than every score?"
    else:
        hint = "shift by the largest allowed score, not by the forbidden one"
    report.expect(agree(got, [[0, 0.5, 0.5]]), "a forbidden 1e4 beside real scores of -1e4 gets 0", hint, stop=True)
    far = np.array([[1e4, 1e4], [-1e4, -1e4]])
    got = np.asarray(call_explained(report, masked_softmax, far, on="scores of +-1e4 without a mask"))
    hint = "the second row is far below the first; what should it be shifted by?"
    report.expect(agree(got, 0.5), "a row of 1e4 and a row of -1e4 both sum to 1", hint, stop=True)
    empty = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[False, False], [True, True]])
    got = np.asarray(call_explained(report, masked_softmax, *empty, on="a row without allowed positions"))
    hint = "this one is uniform, or near it: a penalty that all positions share cancels in the softmax"
    hint = "it is nan: 0 divided by 0, or -inf minus -inf" if np.isnan(got[0]).any() else hint
    report.expect((got[0] == 0).all(), "a row without allowed positions is all zeros", hint)
