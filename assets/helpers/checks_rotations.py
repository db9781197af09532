"""Self-check of notebook 5: the shift matrix."""

import math

import numpy as np
from helpers.checks import self_check
from helpers.checks_positions import expect_error, same_values
from helpers.observed import name_mistake, name_tried, observed

#: What is right for offset 2 and depth 6, and what blocks at 0, 1 and 2 would make; tests/unit/test_held_positions.py
#: makes the numbers anew.
# fmt: off
_MOVED = [[-0.416147, 0.909297, 0, 0, 0, 0], [-0.909297, -0.416147, 0, 0, 0, 0], [0, 0, 0.995694, 0.0926985, 0, 0],
          [0, 0, -0.0926985, 0.995694, 0, 0], [0, 0, 0, 0, 0.999991, 0.00430886], [0, 0, 0, 0, -0.00430886, 0.999991]]
_OVERLAPPING = [[-0.416147, 0.909297, 0, 0, 0, 0], [-0.909297, 0.995694, 0.0926985, 0, 0, 0],
                [0, -0.0926985, 0.999991, 0.00430886, 0, 0], [0, 0, -0.00430886, 0.999991, 0, 0], [0, 0, 0, 0, 0, 0],
                [0, 0, 0, 0, 0, 0]]
# fmt: on
#: What known mistakes make of the first block, by the offset.
_FIRST_BLOCKS = {
    "this moves by 1; the offset multiplies the angle": {
        2: [[0.540302, 0.841471], [-0.841471, 0.540302]],
        3: [[0.540302, 0.841471], [-0.841471, 0.540302]],
    },
    "it moves back: look at the sign of the sine, or swap rows and columns": {
        2: [[-0.416147, -0.909297], [0.909297, -0.416147]],
        3: [[-0.989992, -0.14112], [0.14112, -0.989992]],
    },
    "angles are in radians, not in degrees": {
        2: [[0.999391, 0.0348995], [-0.0348995, 0.999391]],
        3: [[0.99863, 0.052336], [-0.052336, 0.99863]],
    },
}  # fmt: skip
#: What known mistakes make of the second block for offset 2, by the depth.
_SECOND_BLOCKS = {
    "all blocks have the same angle; each pair has its own":
        {6: [[-0.416147, 0.909297], [-0.909297, -0.416147]], 10: [[-0.416147, 0.909297], [-0.909297, -0.416147]]},
    "twice the number of the pair belongs in the exponent":
        {6: [[0.908596, 0.417677], [-0.417677, 0.908596]], 10: [[0.699417, 0.714713], [-0.714713, 0.699417]]},
    "four times the number of the pair is in the exponent; twice the number belongs there":
        {6: [[0.999991, 0.00430886], [-0.00430886, 0.999991]], 10: [[0.998738, 0.0502166], [-0.0502166, 0.998738]]},
    "later pairs rotate more slowly: the exponent is negative":
        {6: [[0.626608, -0.779335], [0.779335, 0.626608]], 10: [[0.998608, 0.0527518], [-0.0527518, 0.998608]]},
    "the pairs are divided by D/2 - 1; divide by D/2":
        {6: [[0.9998, 0.0199987], [-0.0199987, 0.9998]], 10: [[0.980067, 0.198669], [-0.198669, 0.980067]]},
}  # fmt: skip
_FULL_TURNS = [[0.834661, 0.550764], [-0.550764, 0.834661]]
#: What is right for offset 1 and depth 4, by the base.
_BASED = {
    100: [[0.540302, 0.841471, 0, 0], [-0.841471, 0.540302, 0, 0], [0, 0, 0.995004, 0.0998334],
          [0, 0, -0.0998334, 0.995004]],
    10000: [[0.540302, 0.841471, 0, 0], [-0.841471, 0.540302, 0, 0], [0, 0, 0.99995, 0.00999983],
            [0, 0, -0.00999983, 0.99995]],
}  # fmt: skip


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
    right = np.array(_MOVED)
    mistakes = {
        "yours overlap: block i begins at row and column 2i": _OVERLAPPING,
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
    slips = {text: held.__getitem__ for text, held in _FIRST_BLOCKS.items()}
    if same_values(blocks[1], _FULL_TURNS):
        slips["one unit is a radian, not a full turn: leave out 2 pi"] = lambda offset: np.eye(2)

    def block(i, offset, depth):
        return np.asarray(shift_matrix(offset, depth))[2 * i : 2 * i + 2, 2 * i : 2 * i + 2]

    asked = "What are the cosine and the sine of 2?"
    hint = name_tried(lambda offset: block(0, offset, 6), [(2,), (3,)], slips, right[:2, :2], asked)
    report.expect(same_values(blocks[0], right[:2, :2]), "the first block moves pair 0 by 2", hint, stop=True)
    slips = {text: held.__getitem__ for text, held in _SECOND_BLOCKS.items()}
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
    right = np.array(_BASED[100])
    mistakes = {"the base has no effect: use the argument base": _BASED[10000]}
    hint = name_mistake(based, mistakes, right, "What is 100 ** (-2 / 4)?")
    report.expect(same_values(based[2:, 2:], right[2:, 2:]), "base 100, depth 4: block 1 rotates by 0.1", hint)
    hint = "nothing is raised: check depth % 2 first"
    expect_error(report, shift_matrix, (1, 5), "an odd depth raises ValueError", hint)
