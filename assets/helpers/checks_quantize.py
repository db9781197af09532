"""Self-check of notebook 1: rounding a vector to a few bits."""

import numpy as np
from helpers.checks import self_check


@self_check("quantize")
def check_quantize(report, quantize):
    """Check `quantize` on levels known by hand, then on their number and distance."""
    x = np.array([[-1.0, -0.3, 0.2, 1.0, 0.5], [0.9, -0.55, 0.1, -0.8, 0.62], [-0.1, 0.4, 0.75, -0.2, 0.05]])
    got = report.array(report.call(quantize, x, 2), (3, 5), "f")
    expected = np.array([-1, -1 / 3, 1 / 3, 1, 1 / 3])
    if np.allclose(got, np.floor((x + 1) / 2 * 3) / 3 * 2 - 1):
        hint = "it always rounds down: take the nearest level"
    elif np.allclose(got, np.round(x * 2) / 2) or np.allclose(got, np.round((x + 1) / 2 * 4) / 4 * 2 - 1):
        hint = "that is a grid of 2 ** bits steps, which has one level too many: four levels have three gaps"
    elif len(np.unique(got)) > 4:
        hint = f"yours has {len(np.unique(got))} different values here; 2 bits tell four levels apart"
    elif got.min() >= 0:
        hint = "the levels run from -1 to 1; yours are not moved back from 0..1"
    elif not np.allclose(got[0, [0, 3]], [-1, 1]):
        hint = "both ends are levels: -1 and 1 must be levels themselves and so come out unchanged"
    else:
        hint = "with 2 bits the levels are -1, -1/3, 1/3 and 1"
    report.expect(np.allclose(got[0], expected), "2 bits round to -1, -1/3, 1/3 and 1", hint, stop=True)
    coarse = np.asarray(report.call(quantize, x, 1))
    report.expect(set(np.unique(coarse)) == {-1.0, 1.0}, "1 bit keeps the signs only", "its two levels are -1 and 1")
    wide = np.asarray(report.call(quantize, np.array([[-3.0, 1.7, 0.99]]), 3))
    hint = "clip to [-1, 1] before you round"
    report.expect(np.allclose(wide, [[-1, 1, 1]]), "values outside [-1, 1] land on the nearest end", hint)
    line = np.linspace(-1, 1, 4001)[None, :]
    for bits in (3, 5):
        levels = np.unique(np.round(np.asarray(report.call(quantize, line, bits)), 9))
        hint = f"yours has {len(levels)}"
        report.expect(len(levels) == 2**bits, f"{bits} bits have {2**bits} levels", hint, stop=True)
        even = np.allclose(np.diff(levels), 2 / (2**bits - 1))
        report.expect(even, f"the {2**bits} levels are evenly spaced", "the gap is 2 / (2 ** bits - 1)", stop=True)
    error = np.abs(np.asarray(report.call(quantize, line, 4)) - line).max()
    report.expect(error <= 1 / 15 + 1e-6, "no value moves by more than half a gap", "take the nearest level")
