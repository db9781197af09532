"""Self-check of notebook 4: the count of parameters."""

import numpy as np
from helpers.checks import self_check
from helpers.counting import explain_count
from helpers.observed import Observed

_HEAD_SIZES = ((10, 3, 4, 7), (12, 5, 3, 2), (8, 2, 7, 5))  # d_model, num_heads, key_dim, value_dim


def _heads(d, h, k, v):
    """Count four kernels and four biases."""
    return 2 * d * h * (k + v) + h * (2 * k + v) + d


#: What known mistakes count, with biases.
_HEAD_MISCOUNTS = {
    "key_dim is per head: multiply by the number of heads": (
        lambda d, h, k, v: 2 * d * (k + v) + 2 * k + v + d,
        lambda d, h, k, v: 2 * d * (k + h * v) + 2 * k + h * v + d,
    ),
    "value_dim is per head: multiply by the number of heads": lambda d, h, k, v: (
        2 * d * (h * k + v) + 2 * h * k + v + d
    ),
    "key_dim is not used: heads times key_dim need not be d_model": (
        lambda d, h, k, v: 4 * d * d + 4 * d,
        lambda d, h, k, v: 2 * d * d + 2 * d * h * v + 2 * d + h * v + d,
    ),
    "the biases are missing": lambda d, h, k, v: 2 * d * h * (k + v),
    "the output bias is missing: it has d_model numbers": lambda d, h, k, v: _heads(d, h, k, v) - d,
    "the output bias has the wrong size: it has d_model numbers": lambda d, h, k, v: _heads(d, h, k, v) - d + h * v,
    "the biases of query, key and value have the wrong size: heads times width": lambda d, h, k, v: (
        2 * d * h * (k + v) + 4 * d
    ),
    "the output projection is missing": lambda d, h, k, v: d * h * (2 * k + v) + h * (2 * k + v),
    "the output projection has only a bias, its kernel is missing": lambda d, h, k, v: _heads(d, h, k, v) - d * h * v,
    "W_O is counted as D x D: it has a row for each merged column": lambda d, h, k, v: (
        _heads(d, h, k, v) + d * (d - h * v)
    ),
    "the biases are per head: multiply them by the number of heads as well": lambda d, h, k, v: (
        2 * d * h * (k + v) + 2 * k + v + d
    ),
    "query, key and value share one kernel; each has its own": lambda d, h, k, v: 2 * d * h * v + h * v + d,
    "value_dim has no effect": lambda d, h, k, v: _heads(d, h, k, k),
    "key_dim has no effect on the values alone: query and key keep it": lambda d, h, k, v: _heads(d, h, v, v),
    "value_dim is also the width of what goes into the output projection": lambda d, h, k, v: (
        _heads(d, h, k, v) + d * h * (k - v)
    ),
    "value_dim is the width of the values, too": lambda d, h, k, v: _heads(d, h, k, v) + (d + 1) * h * (k - v),
    "the bias of the values is as wide as the values": lambda d, h, k, v: _heads(d, h, k, v) + h * (k - v),
}
#: The same without biases.
_BIASED = {
    "use_bias has no effect": _heads,
    "without biases there is no output bias either": lambda d, h, k, v: 2 * d * h * (k + v) + d,
    "the output has no bias now, query, key and value still have": lambda d, h, k, v: _heads(d, h, k, v) - d,
    "one bias is left, that of the values": lambda d, h, k, v: 2 * d * h * (k + v) + h * v,
}


@self_check("mha_parameter_count")
def check_mha_parameter_count(report, mha_parameter_count):
    """Check the count at three sizes, as Keras counts, with and without biases and a width of the values."""
    got = report.call(mha_parameter_count, 2, 1, 1)
    kind = Observed(f"Yours is {type(got).__name__}")
    report.expect(isinstance(got, int | np.integer), "the count is an integer", kind, stop=True)

    def alike(d, h, k):
        return mha_parameter_count(d, h, k)

    def valued(d, h, k, v):
        return mha_parameter_count(d, h, k, value_dim=v)

    def plain(d, h, k, v):
        return mha_parameter_count(d, h, k, value_dim=v, use_bias=False)

    same = {text: tuple(_narrow(one) for one in (slip if isinstance(slip, tuple) else (slip,)))
            for text, slip in _HEAD_MISCOUNTS.items() if "value" not in text}  # fmt: skip
    bare = {
        text: _less(slip)
        for text, slip in _HEAD_MISCOUNTS.items()
        if not isinstance(slip, tuple) and "bias" not in text
    }
    names = ("d_model", "num_heads", "key_dim", "value_dim")
    for line, count, right, slips, size in (
        ("10 wide, 3 heads of 4: 526 parameters", alike, _narrow(_heads), same, 3),
        ("with value_dim=7 as Keras counts", valued, _heads, _HEAD_MISCOUNTS, 4),
        ("with use_bias=False as Keras counts", plain, lambda d, h, k, v: 2 * d * h * (k + v), _BIASED | bare, 4),
    ):
        cases = [sizes[:size] for sizes in _HEAD_SIZES]
        fits = all(int(report.call(count, *case)) == right(*case) for case in cases)
        hint = "" if fits else explain_count(count, right, slips, names[:size], cases)
        report.expect(fits, line, hint, stop=True)


def _narrow(count):
    """Return a count for values as wide as keys."""
    return lambda d, h, k: count(d, h, k, k)


def _less(count):
    """Return a count without biases, made of one with them."""
    return lambda d, h, k, v: count(d, h, k, v) - h * (2 * k + v) - d
