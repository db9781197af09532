"""Self-check of notebook 1: rounding a vector to a few bits."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_mistake, name_slip, observed, quietly

_ROW = np.array([[-1.0, -0.3, 0.2, 0.62, 0.9, -0.55]])
#: What known mistakes make of this row, for 2 bits in thirds and for 3 bits in sevenths.
_LEVEL_SLIPS = {
    "it always rounds down: take the nearest level": ([-3, -1, -1, 1, 1, -3], [-7, -3, 1, 3, 5, -5]),
    "it always rounds up: take the nearest level": ([-3, 1, 1, 3, 3, -1], [-7, -1, 3, 5, 7, -3]),
    "your levels are counted from 0; the first one is -1": ([-4, 0, 0, 2, 2, -2], [-8, -2, 2, 4, 6, -4]),
    "that is a grid of 2 ** bits steps, which has one level too many: four levels have three gaps":
        ([-3, -1.5, 0, 1.5, 3, -1.5], [-7, -1.75, 1.75, 3.5, 7, -3.5]),
    "the levels run from -1 to 1; yours are not moved back from 0..1": ([0, 1, 2, 2, 3, 1], [0, 2, 4, 6, 7, 2]),
    "these are the numbers of the levels; return their values": ([0, 3, 6, 6, 9, 3], [0, 14, 28, 42, 49, 14]),
}  # fmt: skip


@self_check("quantize")
def check_quantize(report, quantize):
    """Check `quantize` on levels known by hand, then on their number and distance."""
    x = np.array([[-1.0, -0.3, 0.2, 1.0, 0.5], [0.9, -0.55, 0.1, -0.8, 0.62], [-0.1, 0.4, 0.75, -0.2, 0.05]])
    got = report.array(report.call(quantize, x, 2), (3, 5), "f")
    right = np.array([[-1, -1 / 3, 1 / 3, 1, 1 / 3], [1, -1 / 3, 1 / 3, -1, 1 / 3], [-1 / 3, 1 / 3, 1, -1 / 3, 1 / 3]])
    values = len(np.unique(np.round(got, 4)))
    asked = "Which of -1, -1/3, 1/3 and 1 is nearest?"
    rows = [quietly(quantize, _ROW, bits) for bits in (2, 3)]
    slips = {
        text: lambda bits, row=row: np.array([row[bits - 2]]) / (2**bits - 1) for text, row in _LEVEL_SLIPS.items()
    }
    hint = name_slip(rows, [(2,), (3,)], slips) or observed(got, right, asked)
    if isinstance(hint, Observed) and values != 4:
        hint = Observed(f"Yours has {values} different values here, and 2 bits tell four levels apart. Which are they?")
    elif isinstance(hint, Observed) and not (np.isclose(got[0, 0], -1) and np.isclose(got[0, 3], 1)):
        seen = f"yours makes {got[0, 0]:.4g} of -1 and {got[0, 3]:.4g} of 1"
        hint = Observed(f"Both ends are levels, so they come out unchanged, and {seen}. Which are your four levels?")
    report.expect(np.allclose(got, right), "2 bits round to -1, -1/3, 1/3 and 1", hint, stop=True)
    coarse = np.asarray(report.call(quantize, x, 1))
    hint = observed(coarse, np.where(x < 0, -1.0, 1.0), "How many levels can one bit tell apart?")
    report.expect(np.allclose(coarse, np.where(x < 0, -1, 1)), "1 bit keeps the signs only", hint)
    wide = np.asarray(report.call(quantize, np.array([[-3.0, 1.7, 0.99]]), 3))
    hint = observed(wide, [[-1.0, 1.0, 1.0]], "Which level is nearest to a value outside?")
    hint = "clip to [-1, 1] before you round" if np.abs(wide).max() > 1 else hint
    report.expect(np.allclose(wide, [[-1, 1, 1]]), "values outside [-1, 1] land on the nearest end", hint)
    narrow = np.array([[-0.5, 0.1, 0.25]])
    own = np.array([[-0.5, 0.0, 0.25]])
    got, right = np.asarray(report.call(quantize, narrow, 2)), np.array([[-1 / 3, 1 / 3, 1 / 3]])
    mistakes = {"your levels run from the smallest to the largest value; they are fixed, from -1 to 1": own}
    hint = name_mistake(got, mistakes, right, "Which of -1, -1/3, 1/3 and 1 is nearest?")
    report.expect(np.allclose(got, right), "the levels are the same for a narrow range of values", hint)
    line = np.linspace(-1, 1, 4001)[None, :]
    for bits in (3, 5):
        levels = np.unique(np.round(np.asarray(report.call(quantize, line, bits)), 4))
        hint = Observed(f"Yours has {len(levels)}. How many levels can that many bits tell apart?")
        report.expect(len(levels) == 2**bits, f"{bits} bits have {2**bits} levels", hint, stop=True)
        gaps, gap = np.diff(levels), 2 / (2**bits - 1)
        hint = Observed(f"Yours are between {gaps.min():.4g} and {gaps.max():.4g} apart, and {gap:.4g} is expected")
        report.expect(np.allclose(gaps, gap, atol=2e-4), f"the {2**bits} levels are evenly spaced", hint, stop=True)
    error = np.abs(np.asarray(report.call(quantize, line, 4)) - line).max()
    hint = Observed(f"One of yours moves by {error:.4g}; half a gap is {1 / 15:.4g}. Which level is nearest?")
    report.expect(error <= 1 / 15 + 1e-6, "no value moves by more than half a gap", hint)
