"""Self-check of notebook 5: rotary positions."""

import math

import numpy as np
from helpers.checks import self_check
from helpers.checks_places import guard_inputs
from helpers.checks_positions import same_values
from helpers.observed import name_mistake, observed


def _turned(x, rates=(1, 0.01), start=0, unit=1.0, way=1, axis=-2):
    """Turn the pairs (0, 1), (2, 3), ... at known rates; each argument is a part in which one may slip."""
    angles = unit * np.arange(start, start + x.shape[axis])[:, None] * np.array(rates)
    shape = [1] * x.ndim
    shape[axis], shape[-1] = angles.shape
    cos, sin = np.cos(angles).reshape(shape), way * np.sin(angles).reshape(shape)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)


def _halves(x):
    """Turn the pairs (0, 2), (1, 3) of a width of 4 instead of (0, 1), (2, 3)."""
    return _turned(x[..., [0, 2, 1, 3]])[..., [0, 2, 1, 3]]


def _slips(x):
    """Return for each usual mistake what it makes of `x`, of width 4."""
    right = _turned(x)
    c, s = np.cos(np.arange(len(x)))[:, None], np.sin(np.arange(len(x)))[:, None]
    c2, s2 = np.cos(0.01 * np.arange(len(x)))[:, None], np.sin(0.01 * np.arange(len(x)))[:, None]
    cos, sin = np.hstack([c, c, c2, c2]), np.hstack([s, s, s2, s2])
    first = right[:, [0, 0, 2, 2]]
    apart = np.concatenate([right[:, 0::2], right[:, 1::2]], axis=-1)
    swapped = x[:, [1, 0, 3, 2]]
    return {
        "counting starts at 0, and yours starts at 1": _turned(x, start=1),
        "the columns come out in another order: put the pairs together alternately": apart,
        "rotated the other way: (a cos - b sin, a sin + b cos)": _turned(x, way=-1),
        "column 0 forms a pair with column 2 here; the pairs are (0, 1), (2, 3)": _halves(x),
        "the second column was made from the new first one: keep the old values": np.where(
            np.arange(4) % 2, first * sin + x * cos, right
        ),
        "this is a reflection: check the signs": _turned(x, way=-1) * [1, -1, 1, -1],
        "this is a reflection: check the signs of both sines": x * cos + swapped * sin,
        "angles are in radians, not in degrees": _turned(x, unit=math.radians(1)),
        "one unit is a radian, not a full turn: leave out 2 pi": _turned(x, unit=math.tau),
        "all pairs rotate by the same angle; each has its own": _turned(x, (1, 1)),
        "twice the number of the pair belongs in the exponent": _turned(x, (1, 0.1)),
        "four times the number of the pair is in the exponent; twice the number belongs there": _turned(x, (1, 0.0001)),
        "later pairs rotate more slowly: the exponent is negative": _turned(x, (1, 100)),
        "a sinusoidal encoding was added; rotary positions rotate and add nothing": x
        + np.where(np.arange(4) % 2, cos, sin),
        "each column is multiplied by its cosine or sine; a rotation takes both columns of the pair": x
        * np.where(np.arange(4) % 2, sin, cos),
    }


@self_check("rotary")
def check_rotary(report, rotary):
    """Check shape, direction, pairs, frequencies, axes in front and the property of distances."""
    x = np.array([[1.0, 2.0, 3.0, 4.0]] * 3)
    rotary = guard_inputs(report, rotary, x=x)
    got = report.array(report.call(rotary, x), (3, 4))
    right, slips = _turned(x), _slips(x)
    hint = name_mistake(got, slips, right, "What does a rotation by the angle 0 change?")
    report.expect(same_values(got[0], x[0]), "position 0 stays as it is", hint, stop=True)
    hint = name_mistake(got, slips, right, "Where does a rotation by one radian take the pair (1, 2)?")
    line = "at position 1 the first pair rotates by one radian"
    report.expect(same_values(got[1, :2], right[1, :2]), line, hint, stop=True)
    hint = name_mistake(got, slips, right, "What is 10000 ** (-2 / 4)?")
    report.expect(same_values(got, right), "the second pair rotates by 0.01", hint, stop=True)
    got, right = np.asarray(report.call(rotary, x, 100.0)), _turned(x, (1, 0.1))
    mistakes = {"the base has no effect: use the argument base": _turned(x)}
    hint = name_mistake(got, mistakes, right, "What is 100 ** (-2 / 4)?")
    report.expect(same_values(got, right), "with base 100 the second pair rotates by 0.1", hint, stop=True)
    heads = np.random.default_rng(0).normal(size=(2, 3, 5, 4))
    got = report.array(report.call(rotary, heads), heads.shape, what="the result for (B, H, T, K) = (2, 3, 5, 4)")
    mistakes = {
        "the positions run along the batch; they belong on the second-to-last axis": _turned(heads, axis=0),
        "the positions run along the heads; they belong on the second-to-last axis": _turned(heads, axis=1),
        "nothing was rotated: the positions run along the second-to-last axis": heads,
    }
    hint = name_mistake(got, mistakes, _turned(heads), "Along which axis do the positions run?")
    report.expect(same_values(got[:, :, 0], heads[:, :, 0]), "position 0 of every head stays", hint, stop=True)
    alone = np.asarray(report.call(rotary, heads[1, 2]))
    report.expect(same_values(got[1, 2], alone), "a head in a batch rotates like one alone", hint)
    turned = np.asarray(report.call(rotary, np.ones((6, 8))))
    right = _turned(np.ones((6, 8)), (1, 0.1, 0.01, 0.001))
    hint = observed(turned, right, "By what does each of the four pairs rotate?")
    spread = max(np.ptp(np.diagonal(turned @ turned.T, d)) for d in range(-5, 6))
    report.expect(spread < 1e-3, "scores depend on the distance only", hint)
    report.expect(same_values(turned, right), "four pairs have four angles", hint)
