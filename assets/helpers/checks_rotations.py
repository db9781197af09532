"""Self-check of notebook 5: the shift matrix."""

import math

import numpy as np
from helpers.checks import self_check
from helpers.checks_positions import expect_error, same_values
from helpers.observed import name_mistake, name_tried, observed


def turn_back(angle):
    """Return the 2 x 2 matrix that moves a pair (sine, cosine) back by an angle."""
    return np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])


def _moves(offset, rates, places=(0, 2, 4)):
    """Compute the matrix that moves pairs that rotate at known rates; `places` is where the blocks begin."""
    matrix = np.zeros((2 * len(rates), 2 * len(rates)))
    for rate, place in zip(rates, places, strict=False):
        matrix[place : place + 2, place : place + 2] = turn_back(-offset * rate)
    return matrix


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
    rates = 1, 0.04641589, 0.00215443  # radians from one position to the next, for the pairs of depth 6
    right = _moves(2, rates)
    mistakes = {
        "yours overlap: block i begins at row and column 2i": _moves(2, rates, (0, 1, 2)),
        "yours are on the other diagonal": right[:, ::-1],
    }
    hint = name_mistake(got, mistakes, right, "What should be outside the 2 x 2 blocks?")
    report.expect(same_values(inside, (got**2).sum()), "the blocks are on the diagonal", hint, stop=True)
    if same_values(blocks[0], [[math.sin(2), math.cos(2)], [math.cos(2), -math.sin(2)]]):
        hint = "sine and cosine are swapped in the block"
        report.expect(False, "a move by 0 would be the identity", hint, stop=True)
    if all(same_values(np.abs(b), np.abs(right[:2, :2])) and np.linalg.det(b) < -0.5 for b in blocks[:1]):
        report.expect(
            False, "each block is a rotation", "these are reflections: one sine has the other sign", stop=True
        )
    slips = {
        "this moves by 1; the offset multiplies the angle": lambda offset: turn_back(-1),
        "it moves back: look at the sign of the sine, or swap rows and columns": turn_back,
        "angles are in radians, not in degrees": lambda offset: turn_back(-math.radians(offset)),
    }
    if same_values(blocks[1], turn_back(-2 * math.tau * 10000 ** (-2 / 6))):
        slips["one unit is a radian, not a full turn: leave out 2 pi"] = lambda offset: np.eye(2)

    def block(i, offset, depth):
        return np.asarray(shift_matrix(offset, depth))[2 * i : 2 * i + 2, 2 * i : 2 * i + 2]

    asked = "What are the cosine and the sine of 2?"
    hint = name_tried(lambda offset: block(0, offset, 6), [(2,), (3,)], slips, right[:2, :2], asked)
    report.expect(same_values(blocks[0], right[:2, :2]), "the first block moves pair 0 by 2", hint, stop=True)
    known = {
        "all blocks have the same angle; each pair has its own": (0.0, 0.0),
        "twice the number of the pair belongs in the exponent": (-1 / 6, -1 / 10),
        "four times the number of the pair is in the exponent; twice the number belongs there": (-2 / 3, -2 / 5),
        "later pairs rotate more slowly: the exponent is negative": (1 / 3, 1 / 5),
        "the pairs are divided by D/2 - 1; divide by D/2": (-0.5, -0.25),
    }  # powers of 10,000 for depths 6 and 10
    slips = {text: lambda D, two=two: turn_back(-2 * 10000.0 ** two[D > 6]) for text, two in known.items()}
    asked = "What is 2 * 10000 ** (-2 / 6)?"
    hint = name_tried(lambda depth: block(1, 2, depth), [(6,), (10,)], slips, right[2:4, 2:4], asked)
    line = "the second block rotates by 2 * 10000 ** (-2 / 6)"
    report.expect(same_values(blocks[1], right[2:4, 2:4]), line, hint, stop=True)
    hint = observed(blocks[2], right[4:, 4:], "What is 2 * 10000 ** (-4 / 6)?")
    line = "the third block rotates by 2 * 10000 ** (-4 / 6)"
    report.expect(same_values(blocks[2], right[4:, 4:]), line, hint, stop=True)
    back = np.asarray(report.call(shift_matrix, -2, 6))
    mistakes = {"a negative offset rotates back; yours loses its sign": right}
    hint = name_mistake(back, mistakes, right.T, "What undoes a rotation?")
    report.expect(same_values(back @ got, np.eye(6)), "moving by -2 undoes moving by 2", hint, stop=True)
    based = np.asarray(report.call(shift_matrix, 1, 4, 100.0))
    right = _moves(1, (1, 0.1))
    mistakes = {"the base has no effect: use the argument base": _moves(1, (1, 0.01))}
    hint = name_mistake(based, mistakes, right, "What is 100 ** (-2 / 4)?")
    report.expect(same_values(based[2:, 2:], right[2:, 2:]), "base 100, depth 4: block 1 rotates by 0.1", hint)
    hint = "nothing is raised: check depth % 2 first"
    expect_error(report, shift_matrix, (1, 5), "an odd depth raises ValueError", hint)
