"""Self-check of notebook 6: decoder layer."""

from copy import deepcopy

import numpy as np
from helpers.checks import self_check
from helpers.checks_layers import layer_weights, not_a_pair
from helpers.checks_transformer import matches, name_held, waves
from helpers.explained_errors import call_explained
from helpers.observed import Observed

_DECODER_CASE = waves(2, 2, 3, 4), waves(10, 2, 5, 4), layer_weights(["self_attention", "cross_attention"], 3)
_DECODER_MASKS = np.tri(3, dtype=bool), np.array([[False] + [True] * 4, [True, True, True, False, False]])[:, None]
#: What is right, and what known mistakes make of position [1, 1]: without masks; with a memory as long as the target,
#: where a mix-up of the two runs; and with both masks.
_DECODER_RESULTS = {
    "": [[[1.8648, 1.39702, 0.316056, 0.167791], [1.82292, 1.46328, 0.312381, 0.181048],
          [1.82019, 1.58168, 1.06356, -0.231824]],
         [[2.03356, 1.04642, 0.350836, 0.132264], [2.03958, 1.01113, 0.337914, 0.145671],
          [2.04137, 1.07387, 0.395952, 0.0942991]]],
    "the residual around cross-attention is missing": [2.0458, 0.882995, 0.277244, 0.213738],
    "the residual around the feed-forward is missing": [2.09432, 0.823106, 0.338175, 0.164419],
    "each residual carries what came into its own sublayer, not the layer's x": [1.95144, 0.960743, 0.192759, 0.305556],
    "the last residual carries the result of the second norm": [2.07685, 0.935268, 0.370756, 0.124723],
    "the last residual carries the layer's x; it carries the result of the second norm":
        [2.01004, 0.93253, 0.2461, 0.241409],
    "the memory is not used: keys and values of cross-attention": [1.83817, 1.61642, 0.581214, -0.0166181],
    "self-attention comes first, then cross-attention": [1.08837, 1.92537, 1.71558, -0.0869396],
    "the weights of the two attentions are swapped": [2.14767, 0.570607, 0.336919, 0.206534],
    "cross-attention takes the weights of self-attention; it has its own": [2.07233, 1.09323, 0.849132, -0.163508],
    "the last norm is missing": [1.99026, -0.140159, -14.8717, -7.76672],
    "norm2 serves twice; the last norm is norm3": [2.09498, 1.36575, -3.40628, -0.555899],
    "the feed-forward is missing": [1.83986, 1.52915, 0.407706, 0.0978735],
    "cross-attention asks with x; its query is the result of the first norm": [2.2586, 0.221741, 0.504862, 0.150106],
    "norm1 serves everywhere; each sublayer has its own": [-1.67865, 0.740164, 0.996166, -0.810929],
    "the caller passes the masks; yours adds a causal one": [2.00964, 0.96591, 0.259574, 0.223866],
    "the memory is cut to the length of the target: attention takes any two lengths":
        [1.87029, 1.22012, 0.216143, 0.272323],
    "the residual around self-attention is missing": [1.99821, 1.02683, 0.272079, 0.206451],
    "the second norm is missing": [1.85502, 1.60316, 0.699581, -0.0848566],
    "self-attention is missing": [2.19305, 0.46212, 0.400332, 0.174684],
    "cross-attention is missing": [1.65382, 1.62811, 1.44275, -0.303804],
    "the memory asks in cross-attention; the decoder should": [1.35204, 1.52283, 1.96593, -0.288878],
    "the memory is normalised once more; it comes in as it is": [2.03636, 1.19838, 0.598457, -0.0444421],
}  # fmt: skip
_EQUAL_LENGTHS = {
    "": [[[0.997233, 1.64967, 2.02574, -0.0772139], [0.990987, 1.64383, 2.03071, -0.0727519],
          [1.10103, 2.10324, 0.900485, 0.25119]],
         [[1.9461, 1.18702, 0.285391, 0.188082], [1.87029, 1.22012, 0.216143, 0.272323],
          [1.22067, 1.85268, 0.533155, 0.422656]]],
    "the values of cross-attention come from the decoder; they are the memory": [0.883928, 1.57028, 2.06293, 0.0212986],
    "the keys of cross-attention come from the decoder; they are the memory": [1.62471, 1.33513, 0.176443, 0.450302],
    "the memory asks in cross-attention; the decoder should": [1.35204, 1.52283, 1.96593, -0.288878],
}  # fmt: skip
_DECODER_MASKED = {
    "": [[[1.82559, 1.59008, 1.02139, -0.217861], [1.80585, 1.6184, 1.03936, -0.220492],
          [1.83622, 1.55164, 1.06373, -0.234722]],
         [[1.94607, 1.18711, 0.285402, 0.188071], [2.01526, 0.975503, 0.272359, 0.209776],
          [1.22067, 1.85268, 0.533155, 0.422656]]],
    "self_mask is not used": [1.87029, 1.22012, 0.216143, 0.272323],
    "memory_mask is not used": [2.00964, 0.96591, 0.259574, 0.223866],
    "neither mask is used": [2.03958, 1.01113, 0.337914, 0.145671],
    "memory_mask seems inverted: True = may attend": [2.20109, 0.413791, 0.403127, 0.182967],
}  # fmt: skip


def _name_by_equal_lengths(decoder_layer, *args):
    """Name the mix-up that a memory as long as the target shows; empty if it is another mistake, or raises as well."""
    try:
        named = name_held(np.asarray(decoder_layer(*deepcopy(args), 1)), _EQUAL_LENGTHS, "")
    except Exception:  # call_explained says it
        return ""
    return "" if isinstance(named, Observed) else f"With a memory as long as the target it runs, and there {named}."


@self_check("decoder_layer")
def check_decoder_layer(report, decoder_layer):
    """Check the three sublayers against their usual mistakes, and both masks."""
    x, memory, weights = _DECODER_CASE
    short = memory[:, :3]
    asked = "Where does the query of each attention come from?"
    asked = _name_by_equal_lengths(decoder_layer, x, short, weights) or asked
    sizes = "x (2, 3, 4), memory (2, 5, 4)"
    got = call_explained(report, decoder_layer, x, memory, weights, 1, on=sizes, expected=asked)
    got = report.array(not_a_pair(report, got), x.shape)
    asked = "What do the three sublayers make of that position: compute, add to what came in, normalise?"
    hint, right = name_held(got, _DECODER_RESULTS, asked), matches(got, _DECODER_RESULTS[""], 1e-5)
    report.expect(right, "three sublayers, each added and normalised", hint, stop=True)
    got = np.asarray(report.call(decoder_layer, x, short, weights, 1))
    hint = name_held(got, _EQUAL_LENGTHS, "Where do the queries come from, the keys and the values?")
    right = matches(got, _EQUAL_LENGTHS[""], 1e-5)
    report.expect(right, "the same holds for a memory as long as the target", hint, stop=True)
    got = np.asarray(report.call(decoder_layer, x, memory, weights, 1, *_DECODER_MASKS))
    hint = name_held(got, _DECODER_MASKED, "Which positions may each of the two attentions see?")
    report.expect(matches(got, _DECODER_MASKED[""], 1e-5), "each attention gets its own mask", hint)
