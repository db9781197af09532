"""Self-check of notebook 2: softmax."""

import math

import numpy as np
from helpers.checks import self_check
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_mistake, observed


def agree(a, b, atol=1e-5):
    """Return whether an array agrees with another one, or with a number throughout; `nan` agrees with nothing.

    Args:
        a: An array, or a number.
        b: What it should be: of the same shape, or a number.
        atol: Absolute tolerance, beside a relative one of 1e-4.
    """
    return np.shape(b) in ((), np.shape(a)) and bool(np.allclose(a, b, rtol=1e-4, atol=atol))


#: What softmax of `_SQUARE` gives if an axis is lost; tests/unit/test_held_additive.py makes the numbers anew.
_LOST_AXES = (
    ("the sum lost its axis",
     [[0.04201, 0.066024, 0.50648], [0.843795, 0.487856, 0.025216], [0.843795, 0.295899, 0.186324]]),
    ("the sum lost its axis",
     [[0.04201, 0.179472, 3.742412], [0.310415, 0.487856, 0.068545], [0.114195, 0.108855, 0.186324]]),
    ("the maximum lost its axis",
     [[0.006377, 0.047123, 0.946499], [0.244728, 0.665241, 0.090031], [0.186324, 0.307196, 0.50648]]),
    ("the maximum and the sum lost their axis",
     [[0.006377, 0.244728, 10.172931], [0.047123, 0.665241, 0.186324], [0.017336, 0.148435, 0.50648]]),
)  # fmt: skip
_SQUARE = ((0.0, 1.0, 3.0), (2.0, 2.0, -1.0), (1.0, 0.5, 0.0))


@self_check("softmax")
def check_softmax(report, softmax):
    """Check shape, sums, values, the axis argument and large scores."""
    x = np.array(_SQUARE)
    e, wide = np.exp(x), x[:2]
    try:  # two rows of three: an axis that was lost cannot be broadcast
        softmax(wide.copy())
    except ValueError as error:
        if "broadcast" in str(error):
            got = softmax(x.copy())
            lost = next((name for name, held in _LOST_AXES if agree(got, held)), "")
            hint = f"{lost}: write keepdims=True, which makes (2, 1) of (2,), so that it fits beside scores (2, 3)"
            report.expect(not lost, "softmax runs on two rows of three", hint, stop=True)
    except Exception:  # report.call says it
        pass
    same = "The weights have the shape of the scores."
    got = report.array(call_explained(report, softmax, x, on="scores (3, 3)", expected=same), x.shape)
    if agree(got, x / x.sum(-1, keepdims=True)):
        report.expect(False, "weights are positive", "take the exponential of the scores first", stop=True)
    if (got < 0).any() and agree(np.exp(got).sum(-1), 1):
        report.expect(False, "weights are positive", "these are the logarithms of the weights", stop=True)
    asked = "Does each row share one sum, of the same exponentials that you divide?"
    hint = observed(got, e / e.sum(-1, keepdims=True), asked)
    if agree(got, e / e.sum(0)):
        hint = "the columns do: the wrong axis"
    elif agree(got, e / e.sum()):
        hint = "everything together does; each row needs its own sum"
    elif agree(got.sum(axis=0), 1):
        hint = Observed(f"The columns do. {hint}")
    report.expect(agree(got.sum(axis=-1), 1), "rows sum to 1", hint, stop=True)
    ratio, apart = got / got[:, :1], x - x[:, :1]
    factor = np.log(ratio[0, 1])
    mistakes = {
        "these are powers of 2; take powers of e": 2**apart,
        "the largest score got the smallest weight; which sign does the shift have?": np.exp(-apart),
        "the scores were divided by the largest one; subtract it": np.exp(apart / x.max(-1, keepdims=True)),
        f"the scores were multiplied by {factor:.3g} before the exponential": np.exp(factor * apart),
    }
    asked = "By which factor should a score of 1 count more than a score of 0?"
    hint = name_mistake(ratio, mistakes, np.exp(apart), asked)
    report.expect(agree(ratio, np.exp(apart)), "weights are in proportion to exp of the scores", hint, stop=True)
    got = call_explained(report, softmax, wide, on="scores (2, 3)", expected=same)
    report.array(got, wide.shape, what="the result for two rows of three")
    got = call_explained(report, softmax, x, 0, on="scores (3, 3) with axis=0", expected=same)
    got = report.array(got, x.shape, what="the result for axis=0")
    hint = observed(got, e / e.sum(0), "Which of your calls should know the axis, and which axes has the result?")
    if any(agree(got, rows / rows.sum(-1, keepdims=True)) for rows in (e, np.exp(x - x.max(0)))):
        hint = "use the axis argument in every call: your rows sum to 1"
    report.expect(agree(got.sum(0), 1), "with axis=0 the columns sum to 1", hint, stop=True)
    big = np.array([[-1e4, 1e4, 1e4 - 1.0], [-1e4, -1e4, -1e4]])
    got = call_explained(report, softmax, big, on="scores of +-1e4", expected=same)
    got = report.array(got, big.shape, what="the result for scores of +-1e4")
    with np.errstate(all="ignore"):
        tried = np.full((1, 3), 1e4), big[:1] - 1e4, big[1:].copy()
        equal, lower, alone = (np.isfinite(np.asarray(softmax(scores))).all() for scores in tried)
    if not np.isfinite(got[0]).all():
        hint = Observed("They are not finite, also if the largest score is 0. What do you divide, and by what?")
        hint = "overflow: shift the scores first, so that none is above 0" if lower else hint
        if equal:
            hint = "overflow: equal scores of 1e4 give weights, different ones do not: shift so that none is above 0"
        report.expect(False, "scores of +-1e4 give weights", hint, stop=True)
    hint = Observed("Three equal scores of -1e4 give no weights. What is their exponential?")
    hint = "each row needs its own maximum; the second row is far below the first" if alone else hint
    report.expect(np.isfinite(got[1]).all(), "scores of +-1e4 give weights", hint, stop=True)
    hint = observed(got[0, 1] / got[0, 2], math.e, "How should weights depend on a number added to all scores?")
    clipped = np.asarray(softmax(np.array([[1e4, 5e3, -1e4]])))
    if agree(got[0, 1], got[0, 2]) and np.shape(clipped) == (1, 3) and agree(clipped[0, 0], clipped[0, 1]):
        hint = "scores that differ by 1 became equal: shift them; to clip or replace scores loses it"
    report.expect(agree(got[0, 1] / got[0, 2], math.e, 1e-2), "a difference of 1 counts the same at 1e4", hint)
