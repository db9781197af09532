"""Self-checks of notebook 5: bits and sines."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_mistake, name_tried, observed


def same_values(a, b, atol=2e-5):
    """Return whether two arrays have one shape and one set of values; `nan` agrees with nothing."""
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=2e-4, atol=atol))


def raised_by(function, *args):
    """Return the name of the exception that a call raises, or `"nothing"`."""
    try:
        function(*args)
    except Exception as error:
        return "ValueError" if isinstance(error, ValueError) else type(error).__name__
    return "nothing"


def expect_error(report, function, args, line, hint):
    """Check that a call raises ValueError; `hint` is for one that raises nothing."""
    raised = raised_by(function, *args)
    if raised not in ("nothing", "ValueError"):
        hint = f"it raises {raised}, another kind of error: raise ValueError(...) yourself"
    report.expect(raised == "ValueError", line, hint)


@self_check("binary_encoding")
def check_binary_encoding(report, binary_encoding):
    """Check shape, order of the bits and positions that do not fit."""
    result = report.call(binary_encoding, np.array([1, 6, 3, 4]), 3)
    if np.shape(result) == (3, 4):
        report.expect(False, "one row per position", "positions run down, bits across: transpose it", stop=True)
    got = np.asarray(result)
    seen = Observed(f"Yours has shape {got.shape}")
    report.expect(got.shape == (4, 3), "four positions and three bits give shape (4, 3)", seen, stop=True)
    got = got.astype(float)
    bits = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
    shifted = np.array([1, 6, 3, 4])[:, None] // 2 ** np.arange(3)
    first, gray = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]]
    mistakes = {
        "you have -1 and 1: write 0 and 1": 2 * bits - 1,
        "take every bit by itself: is what is left odd? % 2": shifted,
        "the quotients are not rounded down: use // and % 2": np.array([1, 6, 3, 4])[:, None] / 2 ** np.arange(3) % 2,
        "a bit counts as 1, not as its power of 2": bits * 2 ** np.arange(3),
    }
    hint = name_mistake(got, mistakes, bits, "Which bits does that position have?")
    report.expect(np.isin(got, (0, 1)).all(), "entries are 0 and 1", hint, stop=True)
    mistakes = {
        "the most significant bit comes first: reverse the columns": bits[:, ::-1],
        "these are the bits of 0, 1, 2, 3: use the positions, not their places in the list": first,
        "this is the Gray code, where neighbours differ in one bit: leave out the exclusive or": gray,
        "these are the opposite bits: 1 stands for odd": 1 - bits,
        "only the lowest 1 of each position is left: 6 has two": bits * (np.cumsum(bits, axis=1) == 1),
        "yours asks which powers of 2 divide the position; ask which ones add up to it": shifted * 2 ** np.arange(3)
        == np.array([1, 6, 3, 4])[:, None],
    }
    hint = name_mistake(got, mistakes, bits, "6 = 2 + 4 is 0, 1, 1. Which powers of 2 make up the other positions?")
    report.expect(same_values(got, bits), "1, 6, 3, 4 have the right bits", hint, stop=True)
    line = "seven, the largest that fits into three bits, is no error"
    raised = raised_by(binary_encoding, np.array([7]), 3)
    hint = Observed(f"It raised {raised}. Which is the largest number that three bits can write?")
    others = [raised_by(binary_encoding, np.array([n]), bits) for n, bits in ((6, 3), (14, 4), (15, 4))]
    if [raised, *others] == ["ValueError", "nothing", "nothing", "ValueError"]:
        hint = "off by one: six is no error, seven is. Compare with 2**bits"
    report.expect(raised == "nothing", line, hint, stop=True)
    hint = Observed("Nothing is raised. Which is the largest number that three bits can write?")
    others = [raised_by(binary_encoding, np.array([n]), bits) for n, bits in ((9, 3), (16, 4), (17, 4))]
    if others == ["ValueError", "nothing", "ValueError"]:
        hint = "off by one: 2**bits itself does not fit either"
    expect_error(report, binary_encoding, (np.array([8]), 3), "8 in three bits raises ValueError", hint)
    hint = "nothing is raised: look at every position, any of them may be too large"
    line = "9 between smaller positions raises ValueError"
    expect_error(report, binary_encoding, (np.array([1, 9, 2]), 3), line, hint)


#: What is right for depth 6, for depth 5 with what known mistakes return, and for depth 4 by the base;
#: tests/unit/test_held_positions.py makes the numbers anew.
_DEPTH_6 = [[0, 1, 0, 1, 0, 1], [0.841471, 0.540302, 0.0463992, 0.998923, 0.00215443, 0.999998],
            [0.909297, -0.416147, 0.0926985, 0.995694, 0.00430886, 0.999991]]  # fmt: skip
_DEPTH_5 = {
    "": [[0, 1, 0, 1, 0], [0.841471, 0.540302, 0.0251162, 0.999685, 0.000630957]],
    "the depth was rounded up: keep the real depth, 5, in the formula":
        [[0, 1, 0, 1, 0], [0.841471, 0.540302, 0.0463992, 0.998923, 0.00215443]],
    "the depth was rounded down: keep the real depth, 5, in the formula":
        [[0, 1, 0, 1, 0], [0.841471, 0.540302, 0.00999983, 0.99995, 0.0001]],
}  # fmt: skip
_BASES = {100: [[0, 1, 0, 1], [0.841471, 0.540302, 0.0998334, 0.995004]],
          10000: [[0, 1, 0, 1], [0.841471, 0.540302, 0.00999983, 0.99995]]}  # fmt: skip


@self_check("sinusoidal_encoding")
def check_sinusoidal_encoding(report, sinusoidal_encoding):
    """Check shape, order of the columns, frequencies, odd depths and the base."""
    result = report.call(sinusoidal_encoding, 3, 6)
    hint = Observed(f"Yours has shape {np.shape(result)}")
    hint = "got (6, 3): positions run down, columns across" if np.shape(result) == (6, 3) else hint
    report.expect(np.shape(result) == (3, 6), "three positions in depth 6 have shape (3, 6)", hint, stop=True)
    got = report.array(result, (3, 6))
    right = np.array(_DEPTH_6)
    wave = np.isclose(got[1, 0], [np.sin(1), np.cos(1)], rtol=1e-4).any()  # position 0 would hide it
    mistakes = {
        "all sines come first and then all cosines; they alternate": [0, 0, 0, 1, 1, 1],
        "cosine and sine are swapped: the even columns are sines": [1, 0, 1, 0, 1, 0],
        "is row 0 position 0? Yours is position 1, and counting starts at 0": right[1],
        "all columns are sines; the odd ones are cosines": np.zeros(6) if wave else right[0],
        "all columns are cosines; the even ones are sines": np.ones(6) if wave else right[0],
    }
    hint = name_mistake(got[0], mistakes, right[0], "What are the sine and the cosine of 0?")
    report.expect(same_values(got[0], [0, 1, 0, 1, 0, 1]), "position 0 is 0, 1, 0, 1, ...", hint, stop=True)
    mistakes = {
        "angles are in radians, not in degrees": np.sin(np.radians([1, 91])),
        "the columns of a pair share one angle": np.array([np.sin(1), np.cos(10000 ** (-1 / 6))]),
        "sine and cosine of a pair share one angle": np.array([np.sin(1), np.cos(10000 ** (-1 / 3))]),
        "pair 0 has the angle of pair 1: pairs are counted from 0": right[1, 2:4],
    }
    if same_values(got[1, 2], np.sin(2 * np.pi * 10000 ** (-1 / 3))):
        mistakes["one unit is a radian, not a full turn: leave out 2 pi"] = np.array([0.0, 1.0])
    hint = name_mistake(got[1, :2], mistakes, right[1, :2], "What are the sine and the cosine of 1?")
    report.expect(same_values(got[1, :2], right[1, :2]), "pair 0 rotates by one radian per position", hint, stop=True)
    known = {
        "this reaches 1/base at pair D, twice too late: it belongs to pair D/2": (-1 / 6, -1 / 10),
        "this reaches 1/base at pair D/4, twice too early: it belongs to pair D/2": (-2 / 3, -2 / 5),
        "later pairs rotate faster; they should rotate more slowly": (1 / 3, 1 / 5),
        "the last pair has 1/base (is something divided by D/2 - 1?); it belongs to pair D/2": (-0.5, -0.25),
        "all pairs have the same frequency; it shrinks from pair to pair": (0.0, 0.0),
    }  # powers of 10,000 for depths 6 and 10; a cosine is a sine a quarter later
    slips = {text: lambda D, p=p: np.sin(np.add(10000.0 ** p[D > 6], [0, np.pi / 2])) for text, p in known.items()}
    question = "Depth 6: which factor, taken three times, leads from 1 to 1/10000?"
    second = lambda D: np.asarray(sinusoidal_encoding(3, D))[1, 2:4]  # noqa: E731
    hint = name_tried(second, [(6,), (10,)], slips, right[1, 2:4], question)
    line = "depth 6: the columns of pair 1 share the frequency 0.0464"
    report.expect(same_values(got[1, 2:4], right[1, 2:4]), line, hint, stop=True)
    hint = observed(got, right, "By how much does each pair rotate from one position to the next?")
    report.expect(same_values(got, right), "all positions and pairs have the right angles", hint, stop=True)
    raised = raised_by(sinusoidal_encoding, 2, 5)
    hint = f"it raised {raised}, an even depth does not: with an odd one there is one cosine fewer"
    report.expect(raised == "nothing", "an odd depth runs", hint, stop=True)
    got = report.array(report.call(sinusoidal_encoding, 2, 5), (2, 5), what="the encoding of odd depth 5")
    right = np.array(_DEPTH_5[""])
    mistakes = {"the last column is the sine of its pair, yours is 0": right * [1, 1, 1, 1, 0]} | _DEPTH_5
    hint = name_mistake(got, mistakes, right, "Which depth is in your formula?")
    line = "an odd depth keeps the real depth in the formula"
    report.expect(same_values(got[1, 2::2], right[1, 2::2], 1e-6), line, hint)
    got = np.asarray(report.call(sinusoidal_encoding, 2, 4, 100.0))
    mistakes = {"the base has no effect: use the argument base": _BASES[10000]}
    hint = name_mistake(got, mistakes, _BASES[100], "Which factor, taken twice, leads from 1 to 1/100?")
    report.expect(same_values(got[1, 2], np.sin(0.1)), "base 100, depth 4: pair 1 rotates by 0.1", hint)
