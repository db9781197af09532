"""Self-check of notebook 6: encoder layer."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_transformer import matches
from helpers.explained_errors import call_explained
from helpers.observed import name_mistake


def random_weights(rng, width, attentions, norms):
    """Make weights for a layer: dicts for the named attentions, for `norms` norms, and `ffn`."""
    weights = {}
    for name in attentions:
        weights[name] = {f"w_{p}": rng.normal(size=(width, width)) for p in "qkvo"}
        weights[name] |= {f"b_{p}": rng.normal(size=width) for p in "qkvo"}
    for i in range(norms):
        weights[f"norm{i + 1}"] = {"gamma": 1 + rng.normal(size=width) / 3, "beta": rng.normal(size=width)}
    shapes = {"w1": (width, 7), "b1": (7,), "w2": (7, width), "b2": (width,)}
    return weights | {"ffn": {name: rng.normal(size=shape) for name, shape in shapes.items()}}


def parts_of(weights):
    """Return the building blocks as functions, for one head: attend(name, x, memory, mask), norm(name, x), ffn(x)."""

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


def not_a_pair(report, result):
    """Stop if the attention weights were returned as well."""
    pair = isinstance(result, tuple | list)
    report.expect(not pair, "it returns the array only", "leave the attention weights out", stop=pair)
    return result


@self_check("encoder_layer")
def check_encoder_layer(report, encoder_layer):
    """Check both kinds of layer against their usual mistakes, and the mask."""
    rng = np.random.default_rng(1)
    x, weights = rng.normal(size=(2, 3, 4)), random_weights(rng, 4, ["attention"], 2)
    attend, norm, ffn = parts_of(weights)
    a = attend("attention", x, x)
    got = call_explained(report, encoder_layer, x, weights, 1, on="x (2, 3, 4)")
    got = report.array(not_a_pair(report, got), x.shape)
    y, after = norm("norm1", x + a), norm("norm1", x)
    pre = x + attend("attention", after, after)
    pre_right = pre + ffn(norm("norm2", pre))
    f, g = norm("norm1", x + ffn(x)), norm("norm2", x + ffn(x))
    mistakes = {
        "the residual of the attention is missing": norm("norm2", norm("norm1", a) + ffn(norm("norm1", a))),
        "the residual of the feed-forward is missing": norm("norm2", ffn(y)),
        "you normalise what the sublayer computes; normalise the sum": x
        + norm("norm1", a)
        + norm("norm2", ffn(x + norm("norm1", a))),
        "the second residual carries what came into its own sublayer, not x": norm("norm2", x + ffn(y)),
        "the feed-forward reads the result of the first norm, not x": norm("norm2", y + ffn(x)),
        "norm1 and norm2 are swapped": norm("norm1", norm("norm2", x + a) + ffn(norm("norm2", x + a))),
        "norm1 is used twice": norm("norm1", y + ffn(y)),
        "the second norm is missing": y + ffn(y),
        "the first norm is missing": norm("norm2", x + a + ffn(x + a)),
        "this is pre-norm; norm_first=False is post-norm": pre_right,
        "the feed-forward comes first; the attention should": norm("norm2", f + attend("attention", f, f)),
        "the feed-forward, with norm2, comes first; the attention should": norm("norm1", g + attend("attention", g, g)),
        "the attention is missing": norm("norm2", norm("norm1", 2 * x) + ffn(norm("norm1", 2 * x))),
        "the feed-forward is missing": norm("norm2", y),
    }
    right = norm("norm2", y + ffn(y))
    hint = name_mistake(got, mistakes, right, "What is LN(x + Attention(x)) there, and what LN(y + FFN(y))?")
    report.expect(matches(got, right, 1e-5), "post-norm: each sum is normalised", hint, stop=True)
    got = report.array(report.call(encoder_layer, x, weights, 1, None, True), x.shape, what="the pre-norm result")
    bare, late = x + a, x + norm("norm1", a)
    from_norm, half = after + attend("attention", after, after), x + attend("attention", after, x)
    mistakes = {
        "norm_first is ignored": right,
        "the residual carries the normalised value; it carries what came in": from_norm + ffn(norm("norm2", from_norm)),
        "the residual carries the normalised value": norm("norm2", from_norm) + ffn(norm("norm2", from_norm)),
        "there is a norm at the end; pre-norm adds none": norm("norm2", pre_right),
        "query, key and value are all normalised, yours only the query": half + ffn(norm("norm2", half)),
        "the second sublayer needs its own norm": pre + ffn(pre),
        "norm1 is used twice": pre + ffn(norm("norm1", pre)),
        "the first sublayer needs its own norm": bare + ffn(norm("norm2", bare)),
        "the residual of the attention is missing": pre - x + ffn(norm("norm2", pre - x)),
        "the residual of the feed-forward is missing": pre_right - pre,
        "the norm is taken of what a sublayer computes; it comes before the sublayer": late + norm("norm2", ffn(late)),
    }
    hint = name_mistake(got, mistakes, pre_right, "What is x + Attention(LN(x)) there, and what y + FFN(LN(y))?")
    report.expect(
        matches(got, pre_right, 1e-5), "pre-norm: the norm at the entrance, no norm of a sum", hint, stop=True
    )
    real = np.array([[True, True, False], [True, False, True]])[:, None]

    def masked(mask, norm_first):
        if norm_first:
            y = x + attend("attention", after, after, mask)
            return y + ffn(norm("norm2", y))
        y = norm("norm1", x + attend("attention", x, x, mask))
        return norm("norm2", y + ffn(y))

    for kind, norm_first in (("post-norm", False), ("pre-norm", True)):
        got = np.asarray(report.call(encoder_layer, x, weights, 1, real, norm_first))
        mistakes = {
            "the mask has no influence on your result": masked(None, norm_first),
            "the mask seems inverted: True = may attend": masked(~real, norm_first),
            "every sentence gets the mask of the first one": masked(real[:1], norm_first),
        }
        wanted = masked(real, norm_first)
        hint = name_mistake(got, mistakes, wanted, "Which of the three positions may this one attend to?")
        report.expect(matches(got, wanted, 1e-5), f"{kind}: what the mask forbids has no influence", hint, stop=True)
