"""Self-checks of notebook 2: masked softmax, attention."""

import math

import numpy as np
from helpers.checks import self_check
from helpers.checks_additive import agree


@self_check("masked_softmax")
def check_masked_softmax(report, masked_softmax):
    """Check zeros, sums, shapes of masks, empty rows and large scores."""
    scores, mask = np.array([[0.0, 1.0, 2.0], [1.0, -1.0, 0.5]]), np.array([[True, True, False], [True, False, True]])
    got = report.array(report.call(masked_softmax, scores, mask), scores.shape)
    if agree(np.where(mask, got, 0), 0) and (got[~mask] > 0).all():
        report.expect(False, "forbidden positions get 0", "the mask is inverted: True means may attend", stop=True)
    report.expect((got >= 0).all(), "weights are positive or 0", "", stop=True)
    hint = "a score of 0 has the exponential 1; what must a forbidden score be?"
    if (got[~mask] < 1e-8).all():
        hint = "nearly 0 is not 0: write the zeros"
    zero = (got[~mask] == 0).all()
    if zero and agree(got.sum(axis=0)[:2], 1):
        report.expect(False, "rows sum to 1", "the softmax runs along the last axis", stop=True)
    report.expect(zero, "forbidden positions get exactly 0", hint, stop=True)
    full = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    hint = (
        "you masked after the softmax, and the rest no longer sums to 1"
        if agree(got, full * mask)
        else "what else is in the sum?"
    )
    report.expect(agree(got.sum(-1), 1, 1e-6), "rows sum to 1", hint, stop=True)
    report.expect(
        agree(got[0, 1] / got[0, 0], math.e), "allowed positions keep their proportions", "exp of the scores", stop=True
    )
    got = np.asarray(report.call(masked_softmax, scores))
    report.expect(agree(got, full), "mask=None allows everything", "check for None first", stop=True)
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 5, 3, 4))
    for shape in ((4,), (3, 4), (2, 1, 3, 4)):
        mask = rng.random(shape) < 0.5
        mask[..., 0] = True
        got = report.array(
            report.call(masked_softmax, scores, mask), scores.shape, what=f"the result for a mask {shape}"
        )
        fits = (got[~np.broadcast_to(mask, scores.shape)] == 0).all() and agree(got.sum(-1), 1)
        report.expect(fits, f"a mask {shape} broadcasts to scores (2, 5, 3, 4)", "let np.where broadcast it", stop=True)
    row = np.array([[1e4, -1e4, -1e4]])
    got = np.asarray(report.call(masked_softmax, row, np.array([False, True, True])))
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
    got = np.asarray(
        report.call(masked_softmax, np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([[False, False], [True, True]]))
    )
    hint = (
        "it is nan: 0 divided by 0, or -inf minus -inf" if np.isnan(got[0]).any() else "this one is uniform, or near it"
    )
    report.expect((got[0] == 0).all(), "a row without allowed positions is all zeros", hint)


def split_parts(report, result, names):
    """Split a result into its arrays, or end the check.

    Args:
        report: The report of the check.
        result: What the student's function returned.
        names: What the arrays are called.
    """
    fits = isinstance(result, (tuple, list)) and len(result) == len(names)
    words = {2: "two", 3: "three"}[len(names)]
    report.expect(fits, f"it returns {words} arrays: {', '.join(names)}", f"got {type(result).__name__}", stop=True)
    return [np.asarray(part) for part in result]


@self_check("additive_attention")
def check_additive_attention(report, additive_attention):
    """Check shapes, sums, the parts of key and value, and the mask."""
    rng = np.random.default_rng(0)
    query, value, key = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 6)), rng.normal(size=(2, 5, 7))
    w_query, w_key, v = rng.normal(size=(4, 8)), rng.normal(size=(7, 8)), rng.normal(size=8)
    names = ("context", "weights")
    wide = rng.normal(size=(2, 5, 7))  # values as wide as the keys: a mix-up still runs
    context, weights = split_parts(report, report.call(additive_attention, query, wide, key, w_query, w_key, v), names)
    if weights.shape == (2, 3, 5) and context.shape == (2, 3, 7):
        other = np.asarray(report.call(additive_attention, query, wide[:, ::-1], key, w_query, w_key, v)[1])
        report.expect(
            agree(weights, other), "other values leave the weights alone", "score the keys, not the values", stop=True
        )
    context, weights = split_parts(report, report.call(additive_attention, query, value, key, w_query, w_key, v), names)
    if context.shape == (2, 3, 5) and weights.shape == (2, 3, 6):
        report.expect(False, "the order of the results", "return the context first, then the weights", stop=True)
    hint = "this was mixed from the keys; mix the values" if context.shape == (2, 3, 7) else f"got {context.shape}"
    report.expect(context.shape == (2, 3, 6), "the context has shape (B, T, V) = (2, 3, 6)", hint, stop=True)
    report.array(weights, (2, 3, 5), what="the array of weights")
    sums = weights.sum(axis=-1)
    hint = (
        "they sum to 1 over the queries, not over the keys"
        if agree(weights.sum(axis=1), 1)
        else "these look like scores"
    )
    report.expect(agree(sums, 1) and (weights >= 0).all(), "weights of a query sum to 1", hint, stop=True)
    mixed = np.einsum("bts,bsv->btv", weights, value)
    report.expect(
        agree(context, mixed), "the context is the weighted sum of the values", "mix with the weights", stop=True
    )
    try:
        by_value = additive_attention(query, wide, None, w_query, w_key, v)
    except Exception as error:
        hint = f"it raised {type(error).__name__}: {error}"
        report.expect(False, "key=None means that the values are the keys", hint, stop=True)
    by_key = additive_attention(query, wide, wide, w_query, w_key, v)
    fits = agree(by_value[0], by_key[0]) and agree(by_value[1], by_key[1])
    report.expect(fits, "key=None does the same as key=value", "check for None before you score", stop=True)
    mask = np.array([[True, True, False, True, False], [True] * 5, [False, True, True, True, True]])  # (T, S)
    context, weights = (
        np.asarray(a) for a in report.call(additive_attention, query, value, key, w_query, w_key, v, mask)
    )
    if (weights[:, mask] == 0).any() and not agree(weights[:, ~mask], 0):
        report.expect(False, "forbidden positions get 0", "the mask is inverted: True means may attend", stop=True)
    report.expect(
        (weights[:, ~mask] == 0).all(), "forbidden positions get 0", "hand the mask on to the softmax", stop=True
    )
    mixed = np.einsum("bts,bsv->btv", weights, value)
    hint = "the weighted sum must use the masked weights"
    report.expect(agree(context, mixed), "with a mask the context is still the weighted sum", hint)
