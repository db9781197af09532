"""Self-checks of notebook 3: causal, padding and window masks, hard attention."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_dot_product import near


@self_check("causal_mask")
def check_causal_mask(report, causal_mask, padding_mask, combine_masks):
    """Check the three functions that make and combine masks, each on its own."""
    causal = report.array(report.call(causal_mask, 4), (4, 4), "b", "causal_mask(4)")
    if np.array_equal(causal, np.triu(np.ones((4, 4)))):
        hint = "transposed: you allow the future instead of the past"
    elif np.array_equal(causal, np.triu(np.ones((4, 4)), 1)):
        hint = "inverted: True means that the query may attend"
    elif not causal.diagonal().any():
        hint = "the diagonal is lost: a position may attend to itself"
    else:
        hint = "query i may attend to the keys 0 to i"
    report.expect(np.array_equal(causal, np.tri(4)), "causal_mask: query i sees keys 0 to i", hint)
    report.name = "padding_mask"
    ids = np.array([[5, 0, 7], [3, 8, 8]])
    padding = np.asarray(report.call(padding_mask, ids))
    report.expect(padding.shape == (2, 1, 3), "padding_mask gives (B, 1, S)", f"got {padding.shape}", stop=True)
    padding = report.array(padding, (2, 1, 3), "b", "padding_mask")
    hint = "inverted: True marks a real token" if padding[0, 0, 1] else "compare the ids with pad_id"
    if report.expect(padding[0, 0].tolist() == [True, False, True], "padding_mask is False on padding only", hint):
        other = np.asarray(report.call(padding_mask, ids, 8))
        real = other[:, 0].tolist() == [[True] * 3, [True, False, False]]
        larger = np.array_equal(other, ids[:, None] > 8)
        hint = "only ids equal to pad_id are padding" if larger else "pad_id is ignored: the padding id is an argument"
        report.expect(real, "with pad_id=8 it is the 8 that pads", hint)
    report.name = "combine_masks"
    past, real = np.tri(3, dtype=bool), np.array([[[True, False, True]], [[True] * 3]])  # not the student's masks
    both = np.asarray(report.call(combine_masks, past, real))
    if both.shape != (2, 3, 3):
        hint = f"got {both.shape}; let NumPy broadcast (T, S) and (B, 1, S)"
    else:
        hint = "that is OR: a key must be allowed by every mask, AND" if both[0, 0].sum() > 1 else "use &"
    right = np.array_equal(both, past & real)
    report.expect(right, "combine_masks allows what all masks allow", hint, stop=True)
    kept = report.call(combine_masks, None, past, None)
    report.expect(np.array_equal(kept, past), "None is ignored", "leave out the masks that are None")
    three = report.call(combine_masks, past, past.T, ~np.eye(3, dtype=bool))
    report.expect(not np.any(three), "three masks combine as well", "go through all of them")
    nothing = report.call(lambda: combine_masks(None, None) is None)
    report.expect(nothing, "without any mask the result is None", "return None if all masks are None")
    report.name = "causal_mask, padding_mask, combine_masks"


@self_check("window_mask")
def check_window_mask(report, window_mask, hard_attention):
    """Check `window_mask` and `hard_attention`."""
    mask = report.array(report.call(window_mask, 4, 6, 1), (4, 6), "b", "window_mask(4, 6, 1)")
    rows = mask.sum(axis=1).tolist()
    if rows == [4, 3, 3, 3]:
        hint = "inverted: True means that the query may attend"
    elif rows == [1, 1, 1, 1]:
        hint = "off by one: a distance equal to the radius is inside"
    elif rows == [6, 6, 5, 4]:
        hint = "all later keys are allowed: a distance has no sign, np.abs"
    elif rows == [2, 3, 4, 5]:
        hint = "all earlier keys are allowed: a distance has no sign, np.abs"
    elif rows in ([1, 2, 2, 2], [2, 2, 2, 2]):
        hint = "one side only: the window reaches to both sides"
    else:
        hint = "True where the distance of i and j is at most radius"
    report.expect(rows == [2, 3, 3, 3] and mask[3, 4], "query i sees keys i - radius to i + radius", hint, stop=True)
    zero = report.call(window_mask, 3, 5, 0)
    report.expect(np.array_equal(zero, np.eye(3, 5)), "radius 0 leaves the own position", "off by one at radius 0?")
    report.name = "hard_attention"
    scores = np.array([[0.1, 0.7, 0.2], [0.3, 0.0, 0.3]])
    value = np.array([[1.0, 10.0], [2.0, 20.0], [4.0, 40.0]])
    output = report.array(report.call(hard_attention, scores, value), (2, 2), "f", "hard_attention")
    soft = not np.isin(output[0], value).any()
    hint = "that is a soft mixture: take one value, whole" if soft else "the value with the largest score"
    if near(output[0], scores[0, 1] * value[1]):
        hint = "the value comes whole: do not multiply it by its score"
    report.expect(np.array_equal(output[0], value[1]), "a query gets the value of its best key", hint, stop=True)
    if np.array_equal(output[1], value[2]):
        hint = "you take the last one of ties"
    elif near(output[1], value[[0, 2]].mean(axis=0)):
        hint = "you average the ties"
    else:
        hint = "np.argmax takes the first"
    report.expect(np.array_equal(output[1], value[0]), "of equal scores the first wins", hint)
    report.name = "window_mask, hard_attention"
