"""Self-check of notebook 7: counting weights."""

import numpy as np
from helpers.checks import self_check
from helpers.counting import explain_count
from helpers.observed import Observed, observed

_SIZE_NAMES = ("num_layers", "d_model", "d_ff", "num_heads", "key_dim", "value_dim", "vocab_size")
_THREE_SIZES = ((2, 6, 10, 2, 3, 4, 50), (3, 10, 7, 5, 2, 6, 41), (1, 8, 12, 4, 3, 5, 33))  # a mistake fits all three


def _whole(L, d, f, h, k, v, words):
    """Count the weights: three attentions, two feed-forwards and five norms a pair of layers, and one embedding."""
    return words * d + L * (6 * d * h * (k + v) + 2 * (2 * d * f + f + d) + 10 * d)


#: What known mistakes count too much; several functions where a mistake has several forms.
_MISCOUNTS = {
    "the vocabulary's matrix counts once: tied": (
        lambda L, d, f, h, k, v, w: w * d,
        lambda L, d, f, h, k, v, w: 2 * w * d,
    ),
    "the output layer has no bias": (lambda L, d, f, h, k, v, w: w,),
    "a decoder layer has two attentions": (lambda L, d, f, h, k, v, w: -L * 2 * d * h * (k + v),),
    "an encoder layer has one attention, a decoder layer two": (lambda L, d, f, h, k, v, w: L * 2 * d * h * (k + v),),
    "a decoder layer has three norms": (
        lambda L, d, f, h, k, v, w: -L * 2 * d,
        lambda L, d, f, h, k, v, w: -L * 4 * d,
    ),
    "an encoder layer has two norms, a decoder layer three": (
        lambda L, d, f, h, k, v, w: -L * 6 * d,
        lambda L, d, f, h, k, v, w: L * 2 * d,
    ),
    "a norm has gamma and beta": (lambda L, d, f, h, k, v, w: -L * 5 * d,),
    "the norms are missing, and each has gamma and beta": (lambda L, d, f, h, k, v, w: -L * 10 * d,),
    "there is no norm at the end": (
        lambda L, d, f, h, k, v, w: 2 * d,
        lambda L, d, f, h, k, v, w: 4 * d,
    ),
    "attention has no biases here": (
        lambda L, d, f, h, k, v, w: 3 * L * (2 * h * k + h * v + d),
        lambda L, d, f, h, k, v, w: 3 * L * 4 * d,
        lambda L, d, f, h, k, v, w: 3 * L * d,
        lambda L, d, f, h, k, v, w: 3 * L * (2 * h * k + h * v),
    ),
    "the feed-forward has two biases": (
        lambda L, d, f, h, k, v, w: -2 * L * (f + d),
        lambda L, d, f, h, k, v, w: -2 * L * f,
        lambda L, d, f, h, k, v, w: -2 * L * d,
    ),
    "the biases of the feed-forward have d_ff and d_model numbers": (lambda L, d, f, h, k, v, w: 2 * L * (f - d),),
    "the feed-forward has two matrices": (lambda L, d, f, h, k, v, w: -2 * L * d * f,),
    "a decoder layer has a feed-forward too": (lambda L, d, f, h, k, v, w: -L * (2 * d * f + f + d),),
    "num_heads is missing: key_dim and value_dim are per head": (
        lambda L, d, f, h, k, v, w: -6 * L * d * (h - 1) * (k + v),
    ),
    "value_dim is a size of its own": (
        lambda L, d, f, h, k, v, w: 6 * L * d * h * (k - v),
        lambda L, d, f, h, k, v, w: 3 * L * d * h * (k - v),
    ),
    "the output matrix of the attention is missing": (lambda L, d, f, h, k, v, w: -3 * L * d * h * v,),
    "the output matrix of the attention takes in all heads; yours is d_model x d_model": (
        lambda L, d, f, h, k, v, w: 3 * L * d * (d - h * v),
    ),
    "all projections are d_model x d_model in yours; use num_heads, key_dim and value_dim": (
        lambda L, d, f, h, k, v, w: 3 * L * d * (4 * d - 2 * h * (k + v)),
    ),
    "query and key have a matrix each; yours share one": (lambda L, d, f, h, k, v, w: -3 * L * d * h * k,),
    "the decoder is missing": (lambda L, d, f, h, k, v, w: -L * (4 * d * h * (k + v) + 2 * d * f + f + d + 6 * d),),
    "the encoder is missing": (lambda L, d, f, h, k, v, w: -L * (2 * d * h * (k + v) + 2 * d * f + f + d + 4 * d),),
    "the embedding is missing": (lambda L, d, f, h, k, v, w: -w * d,),
    "there are num_layers on each side; yours counts one": (
        lambda L, d, f, h, k, v, w: (1 - L) * (_whole(L, d, f, h, k, v, 0) // L),
    ),
    "there are num_layers on each side; yours counts both sides together": (
        lambda L, d, f, h, k, v, w: -(_whole(L, d, f, h, k, v, 0) + 1) // 2,
        lambda L, d, f, h, k, v, w: -_whole(L, d, f, h, k, v, 0) // 2,
    ),
}


def _added(form):
    """Return a count that is off by what a function of the sizes returns."""
    return lambda *sizes: _whole(*sizes) + form(*sizes)


@self_check("transformer_parameter_count")
def check_transformer_parameter_count(report, count):
    """Check the smallest model, sizes that are all different, what each size costs, and the base model."""
    got = report.call(count, 1, 1, 1, 1, 1, 1, 1)
    whole = np.ndim(got) == 0 and int(got) == got
    report.expect(whole, "it returns a whole number", Observed(f"Yours is {type(got).__name__}"), stop=True)
    got = [int(report.call(count, *sizes)) for sizes in _THREE_SIZES]
    right = [_whole(*sizes) for sizes in _THREE_SIZES]
    hint, rows = "", {(n - wanted) / sizes[1] for n, wanted, sizes in zip(got, right, _THREE_SIZES, strict=True)}
    if len(rows) == 1 and min(rows) >= 8:
        hint = f"yours has {min(rows):.0f} rows of d_model too many, whatever else: positions are computed, not learned"
    elif got != right:
        slips = {text: tuple(_added(form) for form in forms) for text, forms in _MISCOUNTS.items()}
        hint = explain_count(count, _whole, slips, _SIZE_NAMES, _THREE_SIZES)
    report.expect(got == right, f"{right[0]:,} weights for sizes that are all different", hint, stop=True)
    got = int(report.call(count, 6, 512, 2048, 8, 64, 64, 37_000))
    hint = observed(got, 63_045_632, "What does each of these sizes cost?")
    report.expect(got == 63_045_632, "the base model with 37,000 tokens", hint)
