"""Self-check of notebook 6: decoder layer."""

from copy import deepcopy

import numpy as np
from helpers.checks import self_check
from helpers.checks_layers import not_a_pair, parts_of, random_weights
from helpers.checks_transformer import matches
from helpers.explained_errors import call_explained
from helpers.observed import Observed, name_mistake


def _with_equal_lengths(x, memory, weights):
    """Return what a memory as long as the target leads to, where a mix-up of the two runs: by mistake, and if right."""
    attend, norm, ffn = parts_of(weights)
    y = norm("norm1", x + attend("self_attention", x, x))
    results = {
        "the values of cross-attention come from the decoder; they are the memory": (y, memory, y),
        "the keys of cross-attention come from the decoder; they are the memory": (y, y, memory),
        "the memory asks in cross-attention; the decoder should": (memory, y, y),
        "": (y, memory, memory),
    }
    for text, (query, key, value) in results.items():
        z = norm("norm2", y + attend("cross_attention", query, key, None, value))
        results[text] = norm("norm3", z + ffn(z))
    return results, results.pop("")


def _name_by_equal_lengths(decoder_layer, *args):
    """Name the mix-up that a memory as long as the target shows; empty if it is another mistake, or raises as well."""
    try:
        named = name_mistake(decoder_layer(*deepcopy(args), 1), *_with_equal_lengths(*args))
    except Exception:  # call_explained says it
        return ""
    return "" if isinstance(named, Observed) else f"With a memory as long as the target it runs, and there {named}."


@self_check("decoder_layer")
def check_decoder_layer(report, decoder_layer):
    """Check the three sublayers against their usual mistakes, and both masks."""
    rng = np.random.default_rng(2)
    x, memory = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4))
    weights = random_weights(rng, 4, ["self_attention", "cross_attention"], 3)
    attend, norm, ffn = parts_of(weights)
    short = memory[:, :3]
    asked = "Where does the query of each attention come from?"
    asked = _name_by_equal_lengths(decoder_layer, x, short, weights) or asked
    sizes = "x (2, 3, 4), memory (2, 5, 4)"
    got = call_explained(report, decoder_layer, x, memory, weights, 1, on=sizes, expected=asked)
    got = report.array(not_a_pair(report, got), x.shape)
    past, real = np.tri(3, dtype=bool), np.array([[False] + [True] * 4, [True, True, True, False, False]])[:, None]

    def layer(self_mask=None, memory_mask=None):
        y = norm("norm1", x + attend("self_attention", x, x, self_mask))
        y = norm("norm2", y + attend("cross_attention", y, memory, memory_mask))
        return norm("norm3", y + ffn(y))

    y = norm("norm1", x + attend("self_attention", x, x))
    c = attend("cross_attention", y, memory)
    z = norm("norm2", y + c)
    first = norm("norm1", x + attend("cross_attention", x, memory))
    first = norm("norm2", first + attend("self_attention", first, first))
    swapped = norm("norm1", x + attend("cross_attention", x, x))
    swapped = norm("norm2", swapped + attend("self_attention", swapped, memory))
    bare = norm("norm2", c)
    own = norm("norm2", y + attend("cross_attention", y, y))
    from_x = norm("norm2", x + c)
    asks, same = norm("norm2", y + attend("cross_attention", x, memory)), norm("norm1", y + c)
    cut = norm("norm2", y + attend("cross_attention", y, memory[:, :3]))
    alone = norm("norm1", attend("self_attention", x, x))
    alone = norm("norm2", alone + attend("cross_attention", alone, memory))
    direct = norm("norm2", x + attend("cross_attention", x, memory))
    turned = norm("norm2", y + attend("cross_attention", memory, y)[:, : y.shape[1]])
    normed = norm("norm2", y + attend("cross_attention", y, norm("norm2", memory)))
    twice = norm("norm2", y + attend("self_attention", y, memory))
    mistakes = {
        "the residual around cross-attention is missing": norm("norm3", bare + ffn(bare)),
        "the residual around the feed-forward is missing": norm("norm3", ffn(z)),
        "each residual carries what came into its own sublayer, not the layer's x": norm("norm3", from_x + ffn(from_x)),
        "the last residual carries the result of the second norm": norm("norm3", y + ffn(z)),
        "the last residual carries the layer's x; it carries the result of the second norm": norm("norm3", x + ffn(z)),
        "the memory is not used: keys and values of cross-attention": norm("norm3", own + ffn(own)),
        "self-attention comes first, then cross-attention": norm("norm3", first + ffn(first)),
        "the weights of the two attentions are swapped": norm("norm3", swapped + ffn(swapped)),
        "cross-attention takes the weights of self-attention; it has its own": norm("norm3", twice + ffn(twice)),
        "the last norm is missing": z + ffn(z),
        "norm2 serves twice; the last norm is norm3": norm("norm2", z + ffn(z)),
        "the feed-forward is missing": norm("norm3", z),
        "cross-attention asks with x; its query is the result of the first norm": norm("norm3", asks + ffn(asks)),
        "norm1 serves everywhere; each sublayer has its own": norm("norm1", same + ffn(same)),
        "the caller passes the masks; yours adds a causal one": layer(past),
        "the memory is cut to the length of the target: attention takes any two lengths": norm("norm3", cut + ffn(cut)),
        "the residual around self-attention is missing": norm("norm3", alone + ffn(alone)),
        "the second norm is missing": norm("norm3", y + c + ffn(y + c)),
        "self-attention is missing": norm("norm3", direct + ffn(direct)),
        "cross-attention is missing": norm("norm3", norm("norm2", y) + ffn(norm("norm2", y))),
        "the memory asks in cross-attention; the decoder should": norm("norm3", turned + ffn(turned)),
        "the memory is normalised once more; it comes in as it is": norm("norm3", normed + ffn(normed)),
    }
    asked = "What do the three sublayers make of that position: compute, add to what came in, normalise?"
    hint = name_mistake(got, mistakes, layer(), asked)
    report.expect(matches(got, layer(), 1e-5), "three sublayers, each added and normalised", hint, stop=True)
    got, (mistakes, wanted) = report.call(decoder_layer, x, short, weights, 1), _with_equal_lengths(x, short, weights)
    hint = name_mistake(got, mistakes, wanted, "Where do the queries come from, the keys and the values?")
    report.expect(matches(got, wanted, 1e-5), "the same holds for a memory as long as the target", hint, stop=True)
    got = np.asarray(report.call(decoder_layer, x, memory, weights, 1, past, real))
    mistakes = {
        "self_mask is not used": layer(None, real),
        "memory_mask is not used": layer(past, None),
        "neither mask is used": layer(),
    }
    mistakes["memory_mask seems inverted: True = may attend"] = layer(past, ~real)
    hint = name_mistake(got, mistakes, layer(past, real), "Which positions may each of the two attentions see?")
    report.expect(matches(got, layer(past, real), 1e-5), "each attention gets its own mask", hint)
