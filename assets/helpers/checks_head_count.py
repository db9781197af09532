"""Self-check of notebook 4: the count of parameters."""

import numpy as np
from helpers.checks import self_check
from helpers.counting import explain_count
from helpers.observed import Observed

_HEAD_SIZES = ((10, 3, 4, 7), (12, 5, 3, 2), (8, 2, 7, 5))  # d_model, num_heads, key_dim, value_dim


#: What known mistakes count at these sizes, with biases and values as wide as keys; then with `value_dim`; then without
#: biases. Several lists stand for several forms of a mistake.
_ALIKE_MISCOUNTS = {
    "key_dim is per head: multiply by the number of heads": ([182, 165, 253], [350, 465, 372]),
    "key_dim is not used: heads times key_dim need not be d_model": ([440, 624, 288], [482, 699, 390]),
    "the biases are missing": [480, 720, 448],
    "the output bias is missing: it has d_model numbers": [516, 765, 490],
    "the output bias has the wrong size: it has d_model numbers": [528, 780, 504],
    "the output projection is missing": [396, 585, 378],
    "the output projection has only a bias, its kernel is missing": [406, 597, 386],
    "W_O is counted as D x D: it has a row for each merged column": [506, 741, 450],
    "the biases are per head: multiply them by the number of heads as well": [502, 741, 477],
}
_VALUED_MISCOUNTS = {
    "key_dim is per head: multiply by the number of heads": ([245, 140, 219], [539, 340, 304]),
    "value_dim is per head: multiply by the number of heads": [421, 452, 345],
    "key_dim is not used: heads times key_dim need not be d_model": ([440, 624, 288], [671, 574, 322]),
    "the biases are missing": [660, 600, 384],
    "the output bias is missing: it has d_model numbers": [705, 640, 422],
    "the output bias has the wrong size: it has d_model numbers": [726, 650, 432],
    "the biases of query, key and value have the wrong size: heads times width": [700, 648, 416],
    "the output projection is missing": [495, 520, 342],
    "the output projection has only a bias, its kernel is missing": [505, 532, 350],
    "W_O is counted as D x D: it has a row for each merged column": [605, 676, 414],
    "the biases are per head: multiply them by the number of heads as well": [685, 620, 411],
    "query, key and value share one kernel; each has its own": [451, 262, 178],
    "value_dim has no effect": [526, 777, 498],
    "key_dim has no effect on the values alone: query and key keep it": [913, 522, 358],
    "value_dim is also the width of what goes into the output projection": [625, 712, 462],
    "value_dim is the width of the values, too": [616, 717, 466],
    "the bias of the values is as wide as the values": [706, 657, 434],
}
_BARE_MISCOUNTS = {
    "use_bias has no effect": [715, 652, 430],
    "without biases there is no output bias either": [670, 612, 392],
    "the output has no bias now, query, key and value still have": [705, 640, 422],
    "one bias is left, that of the values": [681, 610, 394],
    "value_dim is per head: multiply by the number of heads": [366, 400, 299],
    "the output projection is missing": [440, 468, 296],
    "W_O is counted as D x D: it has a row for each merged column": [550, 624, 368],
    "query, key and value share one kernel; each has its own": [396, 210, 132],
    "value_dim has no effect": [471, 725, 452],
    "key_dim has no effect on the values alone: query and key keep it": [858, 470, 312],
    "value_dim is also the width of what goes into the output projection": [570, 660, 416],
    "value_dim is the width of the values, too": [561, 665, 420],
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

    names = ("d_model", "num_heads", "key_dim", "value_dim")
    for line, count, right, costs, slips in (  # the right counts, and what one more of each size adds to the first
        ("10 wide, 3 heads of 4: 526 parameters", alike, [526, 777, 498], (49, 172, 129), _ALIKE_MISCOUNTS),
        ("with value_dim=7 as Keras counts", valued, [715, 652, 430], (67, 235, 66, 63), _VALUED_MISCOUNTS),
        ("with use_bias=False as Keras counts", plain, [660, 600, 384], (66, 220, 60, 60), _BARE_MISCOUNTS),
    ):
        cases = [sizes[: len(costs)] for sizes in _HEAD_SIZES]
        fits = [int(report.call(count, *case)) for case in cases] == right
        hint = "" if fits else explain_count(count, right[0], costs, slips, names[: len(costs)], cases)
        report.expect(fits, line, hint, stop=True)
