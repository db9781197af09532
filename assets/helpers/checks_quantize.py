"""Self-check of notebook 1: rounding a vector to a few bits."""

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_mistake, name_tried, observed


def _to_levels(x, gaps, to=np.round):
    """Round to levels from -1 to 1 with so many gaps between them."""
    return to((x + 1) / 2 * gaps) / gaps * 2 - 1


#: What known mistakes make of values from -1 to 1, for a number of bits.
_LEVEL_SLIPS = {
    "it always rounds down: take the nearest level": lambda x, bits: _to_levels(x, 2**bits - 1, np.floor),
    "it always rounds up: take the nearest level": lambda x, bits: _to_levels(x, 2**bits - 1, np.ceil),
    "your levels are counted from 0; the first one is -1": lambda x, bits: (
        np.round(x * (2**bits - 1) / 2) * 2 / (2**bits - 1)
    ),
    "that is a grid of 2 ** bits steps, which has one level too many: four levels have three gaps": lambda x, bits: (
        _to_levels(x, 2**bits)
    ),
    "the levels run from -1 to 1; yours are not moved back from 0..1": lambda x, bits: (
        (_to_levels(x, 2**bits - 1) + 1) / 2
    ),
    "these are the numbers of the levels; return their values": lambda x, bits: np.round((x + 1) / 2 * (2**bits - 1)),
}


@self_check("quantize")
def check_quantize(report, quantize):
    """Check `quantize` on levels known by hand, then on their number and distance."""
    x = np.array([[-1.0, -0.3, 0.2, 1.0, 0.5], [0.9, -0.55, 0.1, -0.8, 0.62], [-0.1, 0.4, 0.75, -0.2, 0.05]])
    got = report.array(report.call(quantize, x, 2), (3, 5), "f")
    right = np.array([[-1, -1 / 3, 1 / 3, 1, 1 / 3], [1, -1 / 3, 1 / 3, -1, 1 / 3], [-1 / 3, 1 / 3, 1, -1 / 3, 1 / 3]])
    values = len(np.unique(got))
    asked = "Which of -1, -1/3, 1/3 and 1 is nearest?"
    hint = name_tried(quantize, [(x, 2), (x, 3)], _LEVEL_SLIPS, right, asked)
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
    own = np.round((narrow + 0.5) / 0.75 * 3) / 3 * 0.75 - 0.5
    got, right = np.asarray(report.call(quantize, narrow, 2)), np.array([[-1 / 3, 1 / 3, 1 / 3]])
    mistakes = {"your levels run from the smallest to the largest value; they are fixed, from -1 to 1": own}
    hint = name_mistake(got, mistakes, right, "Which of -1, -1/3, 1/3 and 1 is nearest?")
    report.expect(np.allclose(got, right), "the levels are the same for a narrow range of values", hint)
    line = np.linspace(-1, 1, 4001)[None, :]
    for bits in (3, 5):
        levels = np.unique(np.round(np.asarray(report.call(quantize, line, bits)), 9))
        hint = Observed(f"Yours has {len(levels)}. How many levels can that many bits tell apart?")
        report.expect(len(levels) == 2**bits, f"{bits} bits have {2**bits} levels", hint, stop=True)
        gaps, gap = np.diff(levels), 2 / (2**bits - 1)
        hint = Observed(f"Yours are between {gaps.min():.4g} and {gaps.max():.4g} apart, and {gap:.4g} is expected")
        report.expect(np.allclose(gaps, gap), f"the {2**bits} levels are evenly spaced", hint, stop=True)
    error = np.abs(np.asarray(report.call(quantize, line, 4)) - line).max()
    hint = Observed(f"One of yours moves by {error:.4g}; half a gap is {1 / 15:.4g}. Which level is nearest?")
    report.expect(error <= 1 / 15 + 1e-6, "no value moves by more than half a gap", hint)
