"""Self-checks of notebook 5: the shift matrix and rotary positions."""

import math

import numpy as np
from helpers.checks import self_check
from helpers.checks_places import guard_inputs
from helpers.checks_positions import expect_error, name_mistake, same_values


def turn_back(angle):
    """Return the 2 x 2 matrix that moves a pair (sine, cosine) back by an angle."""
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


@self_check("shift_matrix")
def check_shift_matrix(report, shift_matrix):
    """Check shape, blocks, direction, base and odd depths."""
    got = report.array(report.call(shift_matrix, 2, 6), (6, 6))
    blocks = [got[i : i + 2, i : i + 2] for i in (0, 2, 4)]
    inside = sum(float((b**2).sum()) for b in blocks)
    if same_values(np.sort(got, axis=1)[:, -1], np.ones(6)) and same_values((got**2).sum(), 6) and inside < 1:
        report.expect(False, "pairs rotate", "this rolls the columns; positions move by rotating pairs", stop=True)
    halves = got[[0, 3]][:, [0, 3]]
    if same_values(halves @ halves.T, np.eye(2)) and abs(halves[0, 1]) > 0.1:
        hint = "columns 0 and 3 form a pair here; they are interleaved: 0 and 1, 2 and 3"
        report.expect(False, "the blocks are on the diagonal", hint, stop=True)
    hint = "outside the 2 x 2 blocks on the diagonal everything is 0"
    report.expect(same_values(inside, (got**2).sum()), "the blocks are on the diagonal", hint, stop=True)
    if same_values(blocks[0], [[math.sin(2), math.cos(2)], [math.cos(2), -math.sin(2)]]):
        hint = "sine and cosine are swapped in the block"
        report.expect(False, "a move by 0 would be the identity", hint, stop=True)
    if all(np.linalg.det(b) < -0.5 for b in blocks):
        report.expect(
            False, "each block is a rotation", "these are reflections: one sine has the other sign", stop=True
        )
    hint = "cos, sin in the first row, -sin, cos in the second"
    if same_values(blocks[0], [[math.cos(1), math.sin(1)], [-math.sin(1), math.cos(1)]]):
        hint = "this moves by 1; the offset multiplies the angle"
    elif same_values(blocks[0], turn_back(2)):
        hint = "it moves back: look at the sign of the sine, or swap rows and columns"
    elif abs(blocks[0][0, 0] - math.cos(math.radians(2))) < 1e-6:
        hint = "angles are in radians, not in degrees"
    report.expect(
        same_values(blocks[0] @ turn_back(2), np.eye(2)), "the first block moves pair 0 by 2", hint, stop=True
    )
    speed = 10000 ** (-1 / 3)
    mistakes = {
        "all blocks have the same angle; each pair has its own": blocks[0],
        "twice the number of the pair belongs in the exponent": np.linalg.inv(turn_back(2 * 10000 ** (-1 / 6))),
        "later pairs rotate more slowly: the exponent is negative": np.linalg.inv(turn_back(2 * 10000 ** (1 / 3))),
    }
    hint = name_mistake(blocks[1], mistakes, "the frequencies are those of the encoding, base ** (-2i / depth)")
    line = "the second block rotates by 2 * 10000 ** (-2 / 6)"
    report.expect(same_values(blocks[1] @ turn_back(2 * speed), np.eye(2)), line, hint, stop=True)
    back = np.asarray(report.call(shift_matrix, -2, 6))
    report.expect(
        same_values(back @ got, np.eye(6)),
        "moving by -2 undoes moving by 2",
        "a negative offset rotates back",
        stop=True,
    )
    based = np.asarray(report.call(shift_matrix, 1, 4, 100.0))
    hint = "use the argument base"
    report.expect(
        same_values(based[2:, 2:] @ turn_back(0.1), np.eye(2)), "base 100, depth 4: block 1 rotates by 0.1", hint
    )
    hint = "nothing is raised: check depth % 2 first"
    expect_error(report, shift_matrix, (1, 5), "an odd depth raises ValueError", hint)


@self_check("rotary")
def check_rotary(report, rotary):
    """Check shape, direction, pairs, frequencies, axes in front and the property of distances."""
    x = np.array([[1.0, 2.0, 3.0, 4.0]] * 3)
    rotary = guard_inputs(report, rotary, x=x)
    got = report.array(report.call(rotary, x), (3, 4))
    cos, sin, degree = math.cos(1), math.sin(1), math.radians(1)
    later = "position 0 stays as it is"
    hint = "what was added there? Rotary positions rotate and add nothing"
    if same_values(got[0, :2], [cos - 2 * sin, sin + 2 * cos]):
        hint = "counting starts at 0, and yours starts at 1"
    elif same_values(np.sort(got[0]), x[0]):
        hint = "the columns come out in another order: put the pairs together alternately"
    elif same_values(got[0], [1, -2, 3, -4]):
        hint = "this is a reflection: check the signs"
    report.expect(same_values(got[0], x[0]), later, hint, stop=True)
    mistakes = {
        "rotated the other way: (a cos - b sin, a sin + b cos)": [cos + 2 * sin, 2 * cos - sin],
        "column 0 forms a pair with column 2 here; the pairs are (0, 1), (2, 3)": [cos - 3 * sin, got[1, 1]],
        "the second column was made from the new first one: keep the old values": [
            cos - 2 * sin, (cos - 2 * sin) * sin + 2 * cos,
        ],
        "this is a reflection: check the signs": [cos + 2 * sin, sin - 2 * cos],
        "angles are in radians, not in degrees": [
            math.cos(degree) - 2 * math.sin(degree), math.sin(degree) + 2 * math.cos(degree),
        ],
    }  # fmt: skip
    hint = name_mistake(got[1, :2], mistakes, "work out position 1 by hand: one radian")
    if same_values(got[1, :2], x[1, :2]):
        hint = "nothing was rotated: the positions run along the second last axis"
    report.expect(
        same_values(got[1, :2], [cos - 2 * sin, sin + 2 * cos]),
        "at position 1 the first pair rotates by one radian",
        hint,
        stop=True,
    )
    angle = math.atan2(got[1, 3], got[1, 2]) - math.atan2(4, 3)
    known = {
        "all pairs rotate by the same angle; each has its own": 1.0,
        "twice the number of the pair belongs in the exponent": 0.1,
        "later pairs rotate more slowly: the exponent is negative": math.remainder(100.0, math.tau),
    }
    hint = next(
        (text for text, value in known.items() if abs(math.remainder(angle - value, math.tau)) < 1e-4),
        "10000 ** (-2 / 4) is 0.01",
    )
    report.expect(abs(angle - 0.01) < 1e-4, "the second pair rotates by 0.01", hint, stop=True)
    got = np.asarray(report.call(rotary, x, 100.0))
    angle = math.atan2(got[1, 3], got[1, 2]) - math.atan2(4, 3)
    report.expect(
        abs(angle - 0.1) < 1e-4, "with base 100 the second pair rotates by 0.1", "use the argument base", stop=True
    )
    heads = np.random.default_rng(0).normal(size=(2, 3, 5, 4))
    got = report.array(report.call(rotary, heads), heads.shape, what="the result for (B, H, T, K) = (2, 3, 5, 4)")
    hint = "the positions run along the second last axis, also after batch and heads"
    report.expect(same_values(got[:, :, 0], heads[:, :, 0]), "position 0 of every head stays", hint, stop=True)
    alone = np.asarray(report.call(rotary, heads[1, 2]))
    report.expect(same_values(got[1, 2], alone), "a head in a batch rotates like one alone", hint)
    turned = np.asarray(report.call(rotary, np.ones((6, 8))))
    spread = max(np.ptp(np.diagonal(turned @ turned.T, d)) for d in range(-5, 6))
    report.expect(spread < 1e-3, "scores depend on the distance only", "queries and keys must rotate in the same way")
