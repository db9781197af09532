"""Self-checks of notebook 6: encoder layer, decoder layer."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_transformer import matches, name_mistake


def _random_weights(rng, width, attentions, norms):
    """Make weights for a layer: dicts for the named attentions, for `norms` norms, and `ffn`."""
    weights = {}
    for name in attentions:
        weights[name] = {f"w_{p}": rng.normal(size=(width, width)) for p in "qkvo"}
        weights[name] |= {f"b_{p}": rng.normal(size=width) for p in "qkvo"}
    for i in range(norms):
        weights[f"norm{i + 1}"] = {"gamma": 1 + rng.normal(size=width) / 3, "beta": rng.normal(size=width)}
    shapes = {"w1": (width, 7), "b1": (7,), "w2": (7, width), "b2": (width,)}
    return weights | {"ffn": {name: rng.normal(size=shape) for name, shape in shapes.items()}}


def _parts(weights):
    """Give the building blocks as functions, for one head: attend(name, x, memory, mask), norm(name, x), ffn(x)."""

    def attend(name, x, memory, mask=None, value=None):
        w, value = weights[name], memory if value is None else value
        scores = (x @ w["w_q"] + w["b_q"]) @ (memory @ w["w_k"] + w["b_k"]).swapaxes(-2, -1) / x.shape[-1] ** 0.5
        e = np.exp(scores - scores.max(-1, keepdims=True)) * (1.0 if mask is None else mask)
        return (e / e.sum(-1, keepdims=True)) @ (value @ w["w_v"] + w["b_v"]) @ w["w_o"] + w["b_o"]

    def norm(name, x):
        centred = x - x.mean(-1, keepdims=True)
        return weights[name]["gamma"] * centred / np.sqrt(x.var(-1, keepdims=True) + 1e-5) + weights[name]["beta"]

    def ffn(x):
        w = weights["ffn"]
        return np.maximum(x @ w["w1"] + w["b1"], 0) @ w["w2"] + w["b2"]

    return attend, norm, ffn


def _not_a_pair(report, result):
    """Stop if the weights of attention were returned as well."""
    pair = isinstance(result, tuple | list)
    report.expect(not pair, "it returns the array only", "leave the attention weights out", stop=pair)
    return result


@self_check("encoder_layer")
def check_encoder_layer(report, encoder_layer):
    """Check both kinds of layer against their usual mistakes, and the mask."""
    rng = np.random.default_rng(1)
    x, weights = rng.normal(size=(2, 3, 4)), _random_weights(rng, 4, ["attention"], 2)
    attend, norm, ffn = _parts(weights)
    a = attend("attention", x, x)
    got = report.array(_not_a_pair(report, report.call(encoder_layer, x, weights, 1)), x.shape)
    y, after = norm("norm1", x + a), norm("norm1", x)
    pre = x + attend("attention", after, after)
    pre_right = pre + ffn(norm("norm2", pre))
    mistakes = {
        "the residual of the attention is missing": norm("norm2", norm("norm1", a) + ffn(norm("norm1", a))),
        "the residual of the feed-forward is missing": norm("norm2", ffn(y)),
        "you normalise what the sublayer gives; normalise the sum": x
        + norm("norm1", a)
        + norm("norm2", ffn(x + norm("norm1", a))),
        "the second residual carries what came into its own sublayer, not x": norm("norm2", x + ffn(y)),
        "the feed-forward reads the result of the first norm, not x": norm("norm2", y + ffn(x)),
        "norm1 and norm2 are exchanged": norm("norm1", norm("norm2", x + a) + ffn(norm("norm2", x + a))),
        "norm1 is used twice": norm("norm1", y + ffn(y)),
        "the second norm is missing": y + ffn(y),
        "the first norm is missing": norm("norm2", x + a + ffn(x + a)),
        "this is pre-norm; norm_first=False is post-norm": pre_right,
        "the attention is missing": norm("norm2", norm("norm1", 2 * x) + ffn(norm("norm1", 2 * x))),
        "the feed-forward is missing": norm("norm2", y),
    }
    hint = name_mistake(got, mistakes, "LN(x + Attention(x)), then LN(y + FFN(y))")
    right = norm("norm2", y + ffn(y))
    report.expect(matches(got, right, 1e-5), "post-norm: each sum is normalised", hint, stop=True)
    got = report.array(report.call(encoder_layer, x, weights, 1, None, True), x.shape, what="the pre-norm result")
    from_norm, half = after + attend("attention", after, after), x + attend("attention", after, x)
    mistakes = {
        "norm_first is ignored": right,
        "the residual carries the normalised value; it carries what came in": from_norm + ffn(norm("norm2", from_norm)),
        "the residual carries the normalised value": norm("norm2", from_norm) + ffn(norm("norm2", from_norm)),
        "there is a norm at the end; pre-norm adds none": norm("norm2", pre_right),
        "query, key and value are all normalised, yours only the query": half + ffn(norm("norm2", half)),
        "the second sublayer needs its own norm": pre + ffn(pre),
    }
    hint = name_mistake(got, mistakes, "x + Attention(LN(x)), then y + FFN(LN(y))")
    report.expect(
        matches(got, pre_right, 1e-5), "pre-norm: the norm at the entrance, no norm of a sum", hint, stop=True
    )
    real = np.array([[True, True, False], [True, True, True]])[:, None]
    y, pre = norm("norm1", x + attend("attention", x, x, real)), x + attend("attention", after, after, real)
    masked = {"post-norm": (norm("norm2", y + ffn(y)), right), "pre-norm": (pre + ffn(norm("norm2", pre)), pre_right)}
    for kind, (wanted, free) in masked.items():
        got = np.asarray(report.call(encoder_layer, x, weights, 1, real, kind == "pre-norm"))
        ignored = matches(got, free, 1e-5)
        hint = "the mask has no influence on your result" if ignored else "the mask seems inverted: True = may attend"
        report.expect(matches(got, wanted, 1e-5), f"{kind}: what the mask forbids has no influence", hint, stop=True)


@self_check("decoder_layer")
def check_decoder_layer(report, decoder_layer):
    """Check the three sublayers against their usual mistakes, and both masks."""
    rng = np.random.default_rng(2)
    x, memory = rng.normal(size=(2, 3, 4)), rng.normal(size=(2, 5, 4))
    weights = _random_weights(rng, 4, ["self_attention", "cross_attention"], 3)
    attend, norm, ffn = _parts(weights)
    past, real = np.tri(3, dtype=bool), np.array([[True] * 5, [True, True, True, False, False]])[:, None]
    got = report.array(_not_a_pair(report, report.call(decoder_layer, x, memory, weights, 1)), x.shape)

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
    mistakes = {
        "the residual around cross-attention is missing": norm("norm3", bare + ffn(bare)),
        "the residual around the feed-forward is missing": norm("norm3", ffn(z)),
        "each residual carries what came into its own sublayer, not the layer's x": norm("norm3", from_x + ffn(from_x)),
        "the last residual carries the result of the second norm": norm("norm3", y + ffn(z)),
        "the memory is not used: keys and values of cross-attention": norm("norm3", own + ffn(own)),
        "self-attention comes first, then cross-attention": norm("norm3", first + ffn(first)),
        "the weights of the two attentions are exchanged": norm("norm3", swapped + ffn(swapped)),
        "the last norm is missing": z + ffn(z),
        "the feed-forward is missing": norm("norm3", z),
        "cross-attention asks with x; its query is the result of the first norm": norm("norm3", asks + ffn(asks)),
        "norm1 serves everywhere; each sublayer has its own": norm("norm1", same + ffn(same)),
        "the caller gives the masks; yours adds a causal one": layer(past),
    }
    hint = name_mistake(got, mistakes, "three times: compute, add to what came in, normalise")
    report.expect(matches(got, layer(), 1e-5), "three sublayers, each added and normalised", hint, stop=True)
    got = np.asarray(report.call(decoder_layer, x, memory, weights, 1, past, real))
    mistakes = {
        "self_mask is not used": layer(None, real),
        "memory_mask is not used": layer(past, None),
        "neither mask is used": layer(),
    }
    hint = name_mistake(got, mistakes, "self_mask to self-attention, memory_mask to cross-attention")
    report.expect(matches(got, layer(past, real), 1e-5), "each attention gets its own mask", hint)
