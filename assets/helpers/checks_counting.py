"""Self-check of notebook 7: counting weights."""

import numpy as np
from helpers.checks import self_check
from helpers.counting import explain_count
from helpers.observed import Observed, observed

_SIZE_NAMES = ("num_layers", "d_model", "d_ff", "num_heads", "key_dim", "value_dim", "vocab_size")
_THREE_SIZES = ((2, 6, 10, 2, 3, 4, 50), (3, 10, 7, 5, 2, 6, 41), (1, 8, 12, 4, 3, 5, 33))  # a mistake fits all three


#: What known mistakes count at these sizes; several lists stand for several forms of a mistake.
_MISCOUNTS = {
    "the vocabulary's matrix counts once: tied": ([2272, 9262, 2568], [2572, 9672, 2832]),
    "the output layer has no bias": [2022, 8893, 2337],
    "a decoder layer has two attentions": [1636, 6452, 1792],
    "an encoder layer has one attention, a decoder layer two": [2308, 11252, 2816],
    "a decoder layer has three norms": ([1948, 8792, 2288], [1924, 8732, 2272]),
    "an encoder layer has two norms, a decoder layer three": ([1900, 8672, 2256], [1996, 8912, 2320]),
    "a norm has gamma and beta": [1912, 8702, 2264],
    "the norms are missing, and each has gamma and beta": [1852, 8552, 2224],
    "there is no norm at the end": ([1984, 8872, 2320], [1996, 8892, 2336]),
    "attention has no biases here": ([2128, 9392, 2460], [2116, 9212, 2400], [2008, 8942, 2328], [2092, 9302, 2436]),
    "the feed-forward has two biases": ([1908, 8750, 2264], [1932, 8810, 2280], [1948, 8792, 2288]),
    "the biases of the feed-forward have d_ff and d_model numbers": [1988, 8834, 2312],
    "the feed-forward has two matrices": [1732, 8432, 2112],
    "a decoder layer has a feed-forward too": [1700, 8381, 2092],
    "num_heads is missing: key_dim and value_dim are per head": [1468, 3092, 1152],
    "value_dim is a size of its own": ([1828, 5252, 1920], [1900, 7052, 2112]),
    "the output matrix of the attention is missing": [1684, 6152, 1824],
    "the output matrix of the attention takes in all heads; yours is d_model x d_model": [1900, 7052, 2016],
    "all projections are d_model x d_model in yours; use num_heads, key_dim and value_dim": [1828, 5252, 1536],
    "query and key have a matrix each; yours share one": [1756, 7952, 2016],
    "the decoder is missing": [956, 3401, 1020],
    "the encoder is missing": [1316, 5861, 1548],
    "the embedding is missing": [1672, 8442, 2040],
    "there are num_layers on each side; yours counts one": [1136, 3224, 2304],
    "there are num_layers on each side; yours counts both sides together": ([1135, 4630, 1283], [1136, 4631, 1284]),
}  # fmt: skip


@self_check("transformer_parameter_count")
def check_transformer_parameter_count(report, count):
    """Check the smallest model, sizes that are all different, what each size costs, and the base model."""
    got = report.call(count, 1, 1, 1, 1, 1, 1, 1)
    whole = np.ndim(got) == 0 and int(got) == got
    report.expect(whole, "it returns a whole number", Observed(f"Yours is {type(got).__name__}"), stop=True)
    got = [int(report.call(count, *sizes)) for sizes in _THREE_SIZES]
    right = [1972, 8852, 2304]
    hint, rows = "", {(n - wanted) / sizes[1] for n, wanted, sizes in zip(got, right, _THREE_SIZES, strict=True)}
    if len(rows) == 1 and min(rows) >= 8:
        hint = f"yours has {min(rows):.0f} rows of d_model too many, whatever else: positions are computed, not learned"
    elif got != right:
        costs = 836, 322, 52, 504, 144, 144, 6  # what one more of each size adds to the first of these
        hint = explain_count(count, right[0], costs, _MISCOUNTS, _SIZE_NAMES, _THREE_SIZES)
    report.expect(got == right, f"{right[0]:,} weights for sizes that are all different", hint, stop=True)
    got = int(report.call(count, 6, 512, 2048, 8, 64, 64, 37_000))
    hint = observed(got, 63_045_632, "What does each of these sizes cost?")
    report.expect(got == 63_045_632, "the base model with 37,000 tokens", hint)
