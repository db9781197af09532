"""Self-checks of notebook 5: bits and sines."""

import math

import numpy as np
from helpers.checks import self_check


def same_values(a, b, atol=2e-5):
    """Return whether two arrays have the same shape and the same values; `nan` agrees with nothing."""
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=2e-4, atol=atol))


def name_mistake(got, mistakes, otherwise):
    """Return the text of the first known mistake whose values were returned.

    Args:
        got: What the student's function returned.
        mistakes: For each text the values that this mistake leads to.
        otherwise: The text if none of them fits.

    Returns:
        A hint.
    """
    return next((text for text, values in mistakes.items() if same_values(got, values)), otherwise)


def raised_by(function, *args):
    """Return the name of the exception that a call raises, or `"nothing"`."""
    try:
        function(*args)
    except Exception as error:
        return "ValueError" if isinstance(error, ValueError) else type(error).__name__
    return "nothing"


def expect_error(report, function, args, line, hint):
    """Check that a call raises ValueError, and say if it raises something else."""
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
    report.expect(got.shape == (4, 3), "four positions and three bits give shape (4, 3)", f"got {got.shape}", stop=True)
    got = got.astype(float)
    if (got < 0).any():
        report.expect(False, "entries are 0 and 1", "you have -1 and 1: write 0 and 1", stop=True)
    hint = "take % 2, the remainder, of what is left" if (got > 1).any() else "entries lie between 0 and 1"
    report.expect(np.isin(got, (0, 1)).all(), "entries are 0 and 1", hint, stop=True)
    bits = np.array([[1, 0, 0], [0, 1, 1], [1, 1, 0], [0, 0, 1]])
    mistakes = {
        "the most significant bit comes first: reverse the columns": bits[:, ::-1],
        "these are the bits of 0, 1, 2, 3: use the positions, not their places in the list": [
            [0, 0, 0],
            [1, 0, 0],
            [0, 1, 0],
            [1, 1, 0],
        ],
        "this is the Gray code, where neighbours differ in one bit: leave out the exclusive or": [
            [1, 0, 0],
            [1, 0, 1],
            [0, 1, 0],
            [0, 1, 1],
        ],
        "these are the opposite bits: 1 stands for odd": 1 - bits,
    }
    report.expect(
        same_values(got, bits),
        "1, 6, 3, 4 have the right bits",
        name_mistake(got, mistakes, "6 = 2 + 4 is 0, 1, 1"),
        stop=True,
    )
    line = "seven, the largest that fits into three bits, is no error"
    report.expect(
        raised_by(binary_encoding, np.array([7]), 3) == "nothing", line, "off by one: compare with 2**bits", stop=True
    )
    hint = "nothing is raised: compare the largest position with 2**bits"
    if raised_by(binary_encoding, np.array([9]), 3) == "ValueError":
        hint = "off by one: 2**bits itself does not fit either"
    expect_error(report, binary_encoding, (np.array([8]), 3), "8 in three bits raises ValueError", hint)
    hint = "look at every position: any of them may be too large"
    expect_error(
        report, binary_encoding, (np.array([1, 9, 2]), 3), "9 between smaller positions raises ValueError", hint
    )


@self_check("sinusoidal_encoding")
def check_sinusoidal_encoding(report, sinusoidal_encoding):
    """Check shape, order of the columns, frequencies, odd depths and the base."""
    result = report.call(sinusoidal_encoding, 3, 6)
    hint = "got (6, 3): positions run down, columns across" if np.shape(result) == (6, 3) else f"got {np.shape(result)}"
    report.expect(np.shape(result) == (3, 6), "three positions in depth 6 have shape (3, 6)", hint, stop=True)
    got = report.array(result, (3, 6))
    mistakes = {
        "all sines come first and then all cosines; they alternate": [0, 0, 0, 1, 1, 1],
        "cosine and sine are exchanged: the even columns are sines": [1, 0, 1, 0, 1, 0],
    }
    hint = name_mistake(got[0], mistakes, "is row 0 position 0? Counting starts at 0")
    report.expect(same_values(got[0], [0, 1, 0, 1, 0, 1]), "position 0 is 0, 1, 0, 1, ...", hint, stop=True)
    hint = (
        "angles are in radians, not in degrees"
        if abs(got[1, 0] - math.sin(math.pi / 180)) < 1e-6
        else "sin 1 and cos 1"
    )
    hint = "one unit is a radian, not a full turn: leave out 2 pi" if abs(got[1, 0]) < 1e-3 else hint
    alone = [math.cos(10000 ** (-1 / 6)), math.cos(10000 ** (-1 / 3))]
    hint = "the columns of a pair share one angle" if min(abs(got[1, 1] - c) for c in alone) < 1e-5 else hint
    report.expect(
        same_values(got[1, :2], [math.sin(1), math.cos(1)]),
        "pair 0 rotates by one radian per position",
        hint,
        stop=True,
    )
    angle = math.atan2(got[1, 2], got[1, 3])
    known = {
        "twice the number of the pair belongs in the exponent": 10000 ** (-1 / 6),
        "the exponent is positive, so later pairs rotate faster; they should rotate more slowly": math.remainder(
            10000 ** (1 / 3), math.tau
        ),
        "the pairs are divided by D/2 - 1, as some libraries do; the paper divides by D/2": 0.01,
        "all pairs have the same angle; each has its own": 1.0,
    }
    hint = next(
        (text for text, value in known.items() if abs(angle - value) < 1e-5),
        "sine and cosine of a pair share one angle",
    )
    line = "pair 1 rotates by 10000 ** (-2 / 6): columns of a pair share the exponent"
    report.expect(
        same_values(got[1, 2:4], [math.sin(10000 ** (-1 / 3)), math.cos(10000 ** (-1 / 3))]), line, hint, stop=True
    )
    raised = raised_by(sinusoidal_encoding, 2, 5)
    report.expect(raised == "nothing", "an odd depth runs", f"it raised {raised}: there is one cosine less", stop=True)
    got = report.array(report.call(sinusoidal_encoding, 2, 5), (2, 5), what="the encoding of odd depth 5")
    hint = "the depth was rounded: keep the real depth, 5, in the exponent"
    last = [math.sin(10000 ** (-i / 5)) for i in (2, 4)]
    report.expect(same_values(got[1, 2::2], last, 1e-6), "an odd depth keeps the real depth in the exponent", hint)
    got = np.asarray(report.call(sinusoidal_encoding, 2, 4, 100.0))
    report.expect(
        same_values(got[1, 2], math.sin(0.1)), "base 100, depth 4: pair 1 rotates by 0.1", "use the argument base"
    )
