"""The numbers that the self-checks of notebook 5 hold, made anew: by the right answers, and by each mistake."""

import math

import numpy as np
import pytest
from helpers import checks_positions, checks_relative, checks_rotary, checks_rotations, order_by_hand

from grader.core.notebook import read_notebook
from tests.unit.held import COURSE, answers, apart, same

RATES = {4: (1, 0.01), 5: (1, 10000 ** (-2 / 5), 10000 ** (-4 / 5)), 6: (1, 10000 ** (-1 / 3), 10000 ** (-2 / 3))}


def turned(x, rates=(1, 0.01), start=0, unit=1.0, way=1, axis=-2):
    """Turn the pairs (0, 1), (2, 3), ...; each argument is a part in which one may slip."""
    angles = unit * np.arange(start, start + x.shape[axis])[:, None] * np.array(rates)
    shape = [1] * x.ndim
    shape[axis], shape[-1] = angles.shape
    cos, sin = np.cos(angles).reshape(shape), way * np.sin(angles).reshape(shape)
    a, b = x[..., 0::2], x[..., 1::2]
    return np.stack([a * cos - b * sin, a * sin + b * cos], axis=-1).reshape(x.shape)


def rotary_slips():
    """Return for each usual mistake what it makes of three equal rows."""
    x = np.array(checks_rotary._ROWS)
    right = answers("05")["rotary"](x)
    angles = np.arange(3)[:, None] * np.repeat((1, 0.01), 2)
    cos, sin, odd = np.cos(angles), np.sin(angles), np.arange(4) % 2
    return {
        "": right,
        "counting starts at 0, and yours starts at 1": turned(x, start=1),
        "the columns come out in another order: put the pairs together alternately": right[:, [0, 2, 1, 3]],
        "rotated the other way: (a cos - b sin, a sin + b cos)": turned(x, way=-1),
        "column 0 forms a pair with column 2 here; the pairs are (0, 1), (2, 3)": turned(x[:, [0, 2, 1, 3]])[
            :, [0, 2, 1, 3]
        ],
        "the second column was made from the new first one: keep the old values": np.where(
            odd, right[:, [0, 0, 2, 2]] * sin + x * cos, right
        ),
        "this is a reflection: check the signs": turned(x, way=-1) * [1, -1, 1, -1],
        "this is a reflection: check the signs of both sines": x * cos + x[:, [1, 0, 3, 2]] * sin,
        "angles are in radians, not in degrees": turned(x, unit=math.radians(1)),
        "one unit is a radian, not a full turn: leave out 2 pi": turned(x, unit=math.tau),
        "all pairs rotate by the same angle; each has its own": turned(x, (1, 1)),
        "twice the number of the pair belongs in the exponent": turned(x, (1, 0.1)),
        "four times the number of the pair is in the exponent; twice the number belongs there": turned(x, (1, 0.0001)),
        "later pairs rotate more slowly: the exponent is negative": turned(x, (1, 100)),
        "a sinusoidal encoding was added; rotary positions rotate and add nothing": x + np.where(odd, cos, sin),
        "each column is multiplied by its cosine or sine; a rotation takes both columns of the pair": x
        * np.where(odd, sin, cos),
    }


def heads():
    """Return what positions 0, 1, ... make of a head, and what one position for all rows makes of it."""
    x = np.array(checks_rotary._HEAD)
    assert apart(turned(x[None, None], axis=1), answers("05")["rotary"](x[None, None]))
    equal = np.stack([x] * 3)  # if positions run along the heads, the second has 1 everywhere, and the third 2
    return {"": answers("05")["rotary"](x), "1": turned(equal, axis=0)[1], "2": turned(equal, axis=0)[2]}


def rounded_depths():
    """Return an encoding of depth 5, and what it is with another depth in the formula."""

    def sines(rates):
        angles = np.arange(2)[:, None] * np.repeat(rates, 2)[:5]
        return np.where(np.arange(5) % 2, np.cos(angles), np.sin(angles))

    return {
        "": answers("05")["sinusoidal_encoding"](2, 5),
        "the depth was rounded up: keep the real depth, 5, in the formula": sines(RATES[6]),
        "the depth was rounded down: keep the real depth, 5, in the formula": sines((*RATES[4], 0.0001)),
    }


def turn(angle):
    """Return the block that moves a pair (sine, cosine) by an angle."""
    return np.array([[math.cos(angle), math.sin(angle)], [-math.sin(angle), math.cos(angle)]])


def overlapping():
    matrix = np.zeros((6, 6))
    for place, rate in enumerate(RATES[6]):
        matrix[place : place + 2, place : place + 2] = turn(2 * rate)
    return matrix


def first_blocks():
    """Return what mistakes make of the first block, by the offset."""
    forms = {
        "this moves by 1; the offset multiplies the angle": lambda offset: turn(1),
        "it moves back: look at the sign of the sine, or swap rows and columns": lambda offset: turn(-offset),
        "angles are in radians, not in degrees": lambda offset: turn(math.radians(offset)),
    }
    return {text: {offset: form(offset) for offset in (2, 3)} for text, form in forms.items()}


def second_blocks():
    """Return what mistakes make of the second block for offset 2, by the depth."""
    powers = {
        "all blocks have the same angle; each pair has its own": (0.0, 0.0),
        "twice the number of the pair belongs in the exponent": (-1 / 6, -1 / 10),
        "four times the number of the pair is in the exponent; twice the number belongs there": (-2 / 3, -2 / 5),
        "later pairs rotate more slowly: the exponent is negative": (1 / 3, 1 / 5),
        "the pairs are divided by D/2 - 1; divide by D/2": (-0.5, -0.25),
    }
    return {text: {6: turn(2 * 10000.0**six), 10: turn(2 * 10000.0**ten)} for text, (six, ten) in powers.items()}


def bias_slips():
    """Return for each usual mistake the biases that it returns."""
    table, R = np.array(checks_relative._BIASES), 2
    d = np.arange(5) - np.arange(5)[:, None]
    clipped = np.clip(d, -R, R)
    return {
        "": answers("05")["relative_bias"](5, table),
        "the sign is reversed: n - m is key minus query": table[R - clipped],
        "the direction is lost: n - m, without its absolute value": table[np.abs(clipped) + R],
        "add R before looking up: a negative index counts from the end of the table": table[clipped],
        "off by one: the middle of the table, table[R], belongs to distance 0": table[
            np.minimum(clipped + R + 1, 2 * R)
        ],
        "off by one to the other side: table[R] belongs to distance 0": table[np.maximum(clipped + R - 1, 0)],
        "you clip after adding R: clip the distance to -R and R first": table[np.clip(d + R, -R, R)],
        "keys after the query get the bias of distance 0; they have their own": table[np.clip(d, -R, 0) + R],
        "keys before the query get the bias of distance 0; they have their own": table[np.clip(d, 0, R) + R],
        "clip at R, not before": table[np.clip(d, 1 - R, R - 1) + R],
        "distances beyond R have no bias here; they share the outermost entry": np.where(
            np.abs(d) <= R, table[clipped + R], 0
        ),
        "distances beyond R begin again at the other end of the table: clip the distance": table[(d + R) % len(table)],
        "it is the distance itself; look it up in the table": d,
        "you clip the bias; clip the distance before it is looked up": np.clip(table[clipped + R], -R, R),
    }


TABLES = {
    "_TURNED": (checks_rotary, rotary_slips),
    "_HEAD_TURNED": (checks_rotary, heads),
    "_DEPTH_5": (checks_positions, rounded_depths),
    "_FIRST_BLOCKS": (checks_rotations, first_blocks),
    "_SECOND_BLOCKS": (checks_rotations, second_blocks),
    "_SPREAD": (checks_relative, bias_slips),
}


def flat(made):
    """Return a table with what is held by offset or by depth in a row."""
    return {text: np.array(list(one.values()) if isinstance(one, dict) else one) for text, one in made.items()}


@pytest.mark.parametrize("name", TABLES)
def test_results_of_mistakes(name):
    module, make = TABLES[name]
    held, made = getattr(module, name), make()
    assert list(held) == list(made)
    right = made.get("")
    for text, numbers in flat(made).items():
        assert same(flat(held)[text], numbers), text
        assert right is None or text == "" or apart(numbers, right), text


def test_right_results():
    rotary, sines, shift = (answers("05")[name] for name in ("rotary", "sinusoidal_encoding", "shift_matrix"))
    assert same(checks_rotary._WITH_BASE_100, rotary(np.array(checks_rotary._ROWS), 100.0))
    assert same(checks_rotary._FOUR_PAIRS, rotary(np.ones((6, 8))))
    assert same(checks_positions._DEPTH_6, sines(3, 6))
    assert same(checks_positions._BASES[100], sines(2, 4, 100.0))
    assert same(checks_positions._BASES[10000], sines(2, 4))
    assert same(checks_rotations._MOVED, shift(2, 6))
    assert same(checks_rotations._OVERLAPPING, overlapping())
    assert same(checks_rotations._BASED[100], shift(1, 4, 100.0))
    assert same(checks_rotations._BASED[10000], shift(1, 4))
    assert same(checks_rotations._FULL_TURNS, turn(2 * math.tau * RATES[6][1]))


@pytest.mark.parametrize("make", [first_blocks, second_blocks])
def test_mistakes_in_a_block_differ_from_what_is_right(make):
    shift, second = answers("05")["shift_matrix"], make is second_blocks
    for blocks in make().values():
        for n, block in blocks.items():
            assert apart(block, shift(2, n)[2:4, 2:4] if second else shift(n, 6)[:2, :2])


def test_biases_among_seven_are_those_of_the_table_in_the_lesson():
    (assignment,) = COURSE.select(["05"])
    sources = [
        cell.source for cell in read_notebook(COURSE.source(assignment)).cells if "spread_over_seven(" in cell.source
    ]
    (line,) = [line for source in sources for line in source.splitlines() if line.startswith("leftward = ")]
    space = {"np": np}
    exec(line, space)
    bias = answers("05")["relative_bias"]
    assert same(order_by_hand.spread_over_seven(None, space["leftward"]), bias(7, space["leftward"]))
    assert same(order_by_hand.spread_over_seven(bias, space["leftward"]), bias(7, space["leftward"]))
