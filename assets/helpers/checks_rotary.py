"""Self-check of notebook 5: rotary positions."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_places import guard_inputs
from helpers.checks_positions import same_values
from helpers.observed import name_mistake, observed

_ROWS = [[1.0, 2.0, 3.0, 4.0]] * 3
#: What is right, and what known mistakes make of `_ROWS`; tests/unit/test_held_positions.py makes the numbers anew.
_TURNED = {
    "": [[1, 2, 3, 4], [-1.14264, 1.92208, 2.95985, 4.0298], [-2.23474, 0.0770038, 2.91941, 4.0592]],
    "counting starts at 0, and yours starts at 1":
        [[-1.14264, 1.92208, 2.95985, 4.0298], [-2.23474, 0.0770038, 2.91941, 4.0592],
         [-1.27223, -1.83886, 2.87867, 4.08819]],
    "the columns come out in another order: put the pairs together alternately":
        [[1, 3, 2, 4], [-1.14264, 2.95985, 1.92208, 4.0298], [-2.23474, 2.91941, 0.0770038, 4.0592]],
    "rotated the other way: (a cos - b sin, a sin + b cos)":
        [[1, 2, 3, 4], [2.22324, 0.239134, 3.03985, 3.9698], [1.40245, -1.74159, 3.07939, 3.9392]],
    "column 0 forms a pair with column 2 here; the pairs are (0, 1), (2, 3)":
        [[1, 2, 3, 4], [-1.98411, 1.9599, 2.46238, 4.0198], [-3.14404, 1.91961, -0.339143, 4.0392]],
    "the second column was made from the new first one: keep the old values":
        [[1, 2, 3, 4], [-1.14264, 0.119106, 2.95985, 4.0294], [-2.23474, -2.86434, 2.91941, 4.05758]],
    "this is a reflection: check the signs":
        [[1, -2, 3, -4], [2.22324, -0.239134, 3.03985, -3.9698], [1.40245, 1.74159, 3.07939, -3.9392]],
    "this is a reflection: check the signs of both sines":
        [[1, 2, 3, 4], [2.22324, 1.92208, 3.03985, 4.0298], [1.40245, 0.0770038, 3.07939, 4.0592]],
    "angles are in radians, not in degrees":
        [[1, 2, 3, 4], [0.964943, 2.01715, 2.9993, 4.00052], [0.929592, 2.03368, 2.9986, 4.00105]],
    "one unit is a radian, not a full turn: leave out 2 pi":
        [[1, 2, 3, 4], [1, 2, 2.74292, 4.18048], [1, 2, 2.47501, 4.34446]],
    "all pairs rotate by the same angle; each has its own":
        [[1, 2, 3, 4], [-1.14264, 1.92208, -1.74498, 4.68562], [-2.23474, 0.0770038, -4.88563, 1.0633]],
    "twice the number of the pair belongs in the exponent":
        [[1, 2, 3, 4], [-1.14264, 1.92208, 2.58568, 4.27952], [-2.23474, 0.0770038, 2.14552, 4.51627]],
    "four times the number of the pair is in the exponent; twice the number belongs there":
        [[1, 2, 3, 4], [-1.14264, 1.92208, 2.9996, 4.0003], [-2.23474, 0.0770038, 2.9992, 4.0006]],
    "later pairs rotate more slowly: the exponent is negative":
        [[1, 2, 3, 4], [-1.14264, 1.92208, 4.61242, 1.93018], [-2.23474, 0.0770038, 4.95475, -0.671141]],
    "a sinusoidal encoding was added; rotary positions rotate and add nothing":
        [[1, 3, 3, 5], [1.84147, 2.5403, 3.01, 4.99995], [1.9093, 1.58385, 3.02, 4.9998]],
    "each column is multiplied by its cosine or sine; a rotation takes both columns of the pair":
        [[1, 0, 3, 0], [0.540302, 1.68294, 2.99985, 0.0399993], [-0.416147, 1.81859, 2.9994, 0.0799947]],
}  # fmt: skip
_WITH_BASE_100 = [[1, 2, 3, 4], [-1.14264, 1.92208, 2.58568, 4.27952], [-2.23474, 0.0770038, 2.14552, 4.51627]]
_HEAD = [[0.1, -0.1, 0.6, 0.1], [-0.5, 0.4, 1.3, 0.9], [-0.7, -1.3, -0.6, 0], [-2.3, -0.2, -1.2, -0.7],
         [-0.5, -0.3, 0.4, 1]]  # fmt: skip
#: What positions 0, 1, ... make of `_HEAD`, and what position 1 or 2 makes of all its rows.
_HEAD_TURNED = {
    "": [[0.1, -0.1, 0.6, 0.1], [-0.60674, -0.204615, 1.29094, 0.912955], [1.47339, -0.0955173, -0.59988, -0.0119992],
         [2.30521, -0.126578, -1.17846, -0.73568], [0.0997811, 0.574494, 0.359691, 1.0152]],
    "1": [[0.138177, 0.0301169, 0.59897, 0.105995], [-0.60674, -0.204615, 1.29094, 0.912955],
          [0.715701, -1.29142, -0.59997, -0.0059999], [-1.0744, -2.04344, -1.19294, -0.711965],
          [-0.0177099, -0.582826, 0.38998, 1.00395]],
    "2": [[0.0493151, 0.132544, 0.59788, 0.111979], [-0.155646, -0.621107, 1.28174, 0.925818],
          [1.47339, -0.0955173, -0.59988, -0.0119992], [1.139, -2.00815, -1.18576, -0.723858],
          [0.480863, -0.329805, 0.379921, 1.0078]],
}  # fmt: skip
#: What is right for rows of eight ones.
_FOUR_PAIRS = [[1, 1, 1, 1, 1, 1, 1, 1], [-0.301169, 1.38177, 0.895171, 1.09484, 0.98995, 1.00995, 0.999, 1.001],
               [-1.32544, 0.493151, 0.781397, 1.17874, 0.979801, 1.0198, 0.997998, 1.002],
               [-1.13111, -0.848872, 0.659816, 1.25086, 0.969555, 1.02955, 0.996996, 1.003],
               [0.103159, -1.41045, 0.531643, 1.31048, 0.959211, 1.03919, 0.995992, 1.00399],
               [1.24259, -0.675262, 0.398157, 1.35701, 0.948771, 1.04873, 0.994988, 1.00499]]  # fmt: skip


@self_check("rotary")
def check_rotary(report, rotary):
    """Check shape, direction, pairs, frequencies, axes in front and the property of distances."""
    x, right = np.array(_ROWS), np.array(_TURNED[""])
    slips = {text: held for text, held in _TURNED.items() if text}
    rotary = guard_inputs(report, rotary, x=x)
    got = report.array(report.call(rotary, x), (3, 4))
    hint = name_mistake(got, slips, right, "What does a rotation by the angle 0 change?")
    report.expect(same_values(got[0], x[0]), "position 0 stays as it is", hint, stop=True)
    hint = name_mistake(got, slips, right, "Where does a rotation by one radian take the pair (1, 2)?")
    line = "at position 1 the first pair rotates by one radian"
    report.expect(same_values(got[1, :2], right[1, :2]), line, hint, stop=True)
    hint = name_mistake(got, slips, right, "What is 10000 ** (-2 / 4)?")
    report.expect(same_values(got, right), "the second pair rotates by 0.01", hint, stop=True)
    mistakes = {"the base has no effect: use the argument base": right}
    got, right = np.asarray(report.call(rotary, x, 100.0)), np.array(_WITH_BASE_100)
    hint = name_mistake(got, mistakes, right, "What is 100 ** (-2 / 4)?")
    report.expect(same_values(got, right), "with base 100 the second pair rotates by 0.1", hint, stop=True)
    sizes = np.array([[1.0, 2.0, -1.0], [0.5, 3.0, -2.0]])[..., None, None]  # of the heads, which are alike beside that
    heads, along, at = sizes * _HEAD, sizes * _HEAD_TURNED[""], np.array([_HEAD, _HEAD_TURNED["1"], _HEAD_TURNED["2"]])
    got = report.array(report.call(rotary, heads), heads.shape, what="the result for (B, H, T, K) = (2, 3, 5, 4)")
    mistakes = {
        "the positions run along the batch; they belong on the second-to-last axis": sizes * at[:2, None],
        "the positions run along the heads; they belong on the second-to-last axis": sizes * at,
        "nothing was rotated: the positions run along the second-to-last axis": heads,
    }
    hint = name_mistake(got, mistakes, along, "Along which axis do the positions run?")
    report.expect(same_values(got[:, :, 0], heads[:, :, 0]), "position 0 of every head stays", hint, stop=True)
    alone = np.asarray(report.call(rotary, heads[1, 2]))
    report.expect(same_values(got[1, 2], alone), "a head in a batch rotates like one alone", hint)
    turned = np.asarray(report.call(rotary, np.ones((6, 8))))
    right = np.array(_FOUR_PAIRS)
    hint = observed(turned, right, "By what does each of the four pairs rotate?")
    spread = max(np.ptp(np.diagonal(turned @ turned.T, d)) for d in range(-5, 6))
    report.expect(spread < 1e-3, "scores depend on the distance only", hint)
    report.expect(same_values(turned, right), "four pairs have four angles", hint)
