"""The numbers that the self-checks of notebook 6 hold, made anew: by the right answers, and by each mistake."""

import itertools

import numpy as np
import pytest
from helpers import checks_decoder_layer, checks_layers, checks_transformer

from tests.unit.held import answers, apart, same


def normalised(x, axis=-1):
    return (x - x.mean(axis, keepdims=True)) / x.std(axis, keepdims=True)


def norm_slips(x):
    """Return what known mistakes make of the first row of an array, without epsilon."""
    return {
        "": normalised(x),
        "divide by D, not by D - 1": (x - x.mean(-1, keepdims=True)) / x.std(-1, ddof=1, keepdims=True),
        "the mean is not subtracted": x / np.sqrt((x**2).mean(-1, keepdims=True)),
        "the mean is subtracted for the variance only": x / x.std(-1, keepdims=True),
        "the statistics run over the wrong axis: use the last one": normalised(x, 0),
        "one mean for everything: each position needs its own": normalised(x, (0, 1)),
        "you divided by the variance: take its root": normalised(x) / x.std(-1, keepdims=True),
        "variance and mean are right, but nothing is divided": x - x.mean(-1, keepdims=True),
    }


#: What a row's distances from its mean are multiplied by, for its variance.
EPSILON_SLIPS = {
    "": lambda variance: (variance + 1e-5) ** -0.5,
    "epsilon is outside: add it to the variance, inside the root": lambda variance: 1 / (variance**0.5 + 1e-5),
    "your epsilon is Keras' default, 1e-3; here it is 1e-5": lambda variance: (variance + 1e-3) ** -0.5,
    "epsilon is missing": lambda variance: variance**-0.5,
    "epsilon is added twice": lambda variance: (variance + 2e-5) ** -0.5,
    "0.1": lambda variance: (variance + 0.1) ** -0.5,
}


def relu(a):
    return np.maximum(a, 0)


def forward_slips(x, w1, b1, w2, b2):
    before = x @ w1 + b1
    right = relu(before) @ w2 + b2
    return {
        "": right,
        "there is a second ReLU; the output may be negative": relu(right),
        "the ReLU is missing": before @ w2 + b2,
        "b1 is missing": relu(x @ w1) @ w2 + b2,
        "b1 is added after the ReLU; it belongs inside": (relu(x @ w1) + b1) @ w2 + b2,
        "b2 is missing": right - b2,
        "the residual is not added here": x + right,
        "the ReLU belongs on the hidden layer, not on x": (relu(x) @ w1 + b1) @ w2 + b2,
        "a tanh is used in place of the ReLU": np.tanh(before) @ w2 + b2,
        "a sigmoid is used in place of the ReLU": 1 / (1 + np.exp(-before)) @ w2 + b2,
        "the ReLU is at the end; it belongs between the products": relu(before @ w2 + b2),
        "the absolute value is used in place of the ReLU": np.abs(before) @ w2 + b2,
        "your ReLU keeps the negative numbers and drops the others": np.minimum(before, 0) @ w2 + b2,
        "your ReLU lets through a part of the negative numbers": right + 0.01 * np.minimum(before, 0) @ w2,
        "your ReLU cuts at 1 as well; it has no upper end": np.clip(before, 0, 1) @ w2 + b2,
        "both biases are missing": relu(x @ w1) @ w2,
        "every sentence gets the result of the first one; each has its own": right[[0, 0]],
    }


def parts_of(weights):
    """Return the building blocks as functions: attend(name, x, memory, mask, value), norm(name, x), ffn(x)."""
    given = answers("06")

    def attend(name, x, memory, mask=None, value=None):
        value = memory if value is None else value
        return given["given_multi_head_attention"](x, value, memory, weights[name], 1, mask)[0]

    def norm(name, x):
        return given["layer_norm"](x, **weights[name])

    def ffn(x):
        return given["feed_forward"](x, **weights["ffn"])

    return attend, norm, ffn


def post_slips():
    x, weights = checks_layers._ENCODER_CASE
    attend, norm, ffn = parts_of(weights)
    a = attend("attention", x, x)
    y, late = norm("norm1", x + a), x + norm("norm1", a)
    f, g, bare = norm("norm1", x + ffn(x)), norm("norm2", x + ffn(x)), norm("norm1", a)
    first, double = norm("norm2", x + a), norm("norm1", 2 * x)
    return {
        "": norm("norm2", y + ffn(y)),
        "the residual of the attention is missing": norm("norm2", bare + ffn(bare)),
        "the residual of the feed-forward is missing": norm("norm2", ffn(y)),
        "you normalise what the sublayer computes; normalise the sum": late + norm("norm2", ffn(late)),
        "the second residual carries what came into its own sublayer, not x": norm("norm2", x + ffn(y)),
        "the feed-forward reads the result of the first norm, not x": norm("norm2", y + ffn(x)),
        "norm1 and norm2 are swapped": norm("norm1", first + ffn(first)),
        "norm1 is used twice": norm("norm1", y + ffn(y)),
        "the second norm is missing": y + ffn(y),
        "the first norm is missing": norm("norm2", x + a + ffn(x + a)),
        "this is pre-norm; norm_first=False is post-norm": pre_slips()[""],
        "the feed-forward comes first; the attention should": norm("norm2", f + attend("attention", f, f)),
        "the feed-forward, with norm2, comes first; the attention should": norm("norm1", g + attend("attention", g, g)),
        "the attention is missing": norm("norm2", double + ffn(double)),
        "the feed-forward is missing": norm("norm2", y),
    }


def pre_slips():
    x, weights = checks_layers._ENCODER_CASE
    attend, norm, ffn = parts_of(weights)
    a, after = attend("attention", x, x), norm("norm1", x)
    pre = x + attend("attention", after, after)
    right = pre + ffn(norm("norm2", pre))
    bare, late = x + a, x + norm("norm1", a)
    carried, half = after + attend("attention", after, after), x + attend("attention", after, x)
    y = norm("norm1", x + a)
    return {
        "": right,
        "norm_first is ignored": norm("norm2", y + ffn(y)),
        "the residual carries the normalised value; it carries what came in": carried + ffn(norm("norm2", carried)),
        "the residual carries the normalised value": norm("norm2", carried) + ffn(norm("norm2", carried)),
        "there is a norm at the end; pre-norm adds none": norm("norm2", right),
        "query, key and value are all normalised, yours only the query": half + ffn(norm("norm2", half)),
        "the second sublayer needs its own norm": pre + ffn(pre),
        "norm1 is used twice": pre + ffn(norm("norm1", pre)),
        "the first sublayer needs its own norm": bare + ffn(norm("norm2", bare)),
        "the residual of the attention is missing": pre - x + ffn(norm("norm2", pre - x)),
        "the residual of the feed-forward is missing": right - pre,
        "the norm is taken of what a sublayer computes; it comes before the sublayer": late + norm("norm2", ffn(late)),
    }


def encoder_masks(norm_first):
    x, weights = checks_layers._ENCODER_CASE
    real = checks_layers._ENCODER_MASK

    def masked(mask):
        return answers("06")["encoder_layer"](x, weights, 1, mask, norm_first)

    return {
        "": masked(real),
        "the mask has no influence on your result": masked(None),
        "the mask seems inverted: True = may attend": masked(~real),
        "every sentence gets the mask of the first one": masked(real[:1]),
    }


def decoder_slips():
    x, memory, weights = checks_decoder_layer._DECODER_CASE
    attend, norm, ffn = parts_of(weights)

    def end(z, last="norm3"):
        return norm(last, z + ffn(z))

    own, past = attend("self_attention", x, x), np.tri(3, dtype=bool)
    y = norm("norm1", x + own)
    c = attend("cross_attention", y, memory)
    z = norm("norm2", y + c)
    first = norm("norm1", x + attend("cross_attention", x, memory))
    swapped = norm("norm1", x + attend("cross_attention", x, x))
    causal = norm("norm1", x + attend("self_attention", x, x, past))
    alone = norm("norm1", own)
    turned = attend("cross_attention", memory, y)[:, :3]
    normed = attend("cross_attention", y, norm("norm2", memory))
    return {
        "": end(z),
        "the residual around cross-attention is missing": end(norm("norm2", c)),
        "the residual around the feed-forward is missing": norm("norm3", ffn(z)),
        "each residual carries what came into its own sublayer, not the layer's x": end(norm("norm2", x + c)),
        "the last residual carries the result of the second norm": norm("norm3", y + ffn(z)),
        "the last residual carries the layer's x; it carries the result of the second norm": norm("norm3", x + ffn(z)),
        "the memory is not used: keys and values of cross-attention": end(
            norm("norm2", y + attend("cross_attention", y, y))
        ),
        "self-attention comes first, then cross-attention": end(
            norm("norm2", first + attend("self_attention", first, first))
        ),
        "the weights of the two attentions are swapped": end(
            norm("norm2", swapped + attend("self_attention", swapped, memory))
        ),
        "cross-attention takes the weights of self-attention; it has its own": end(
            norm("norm2", y + attend("self_attention", y, memory))
        ),
        "the last norm is missing": z + ffn(z),
        "norm2 serves twice; the last norm is norm3": end(z, "norm2"),
        "the feed-forward is missing": norm("norm3", z),
        "cross-attention asks with x; its query is the result of the first norm": end(
            norm("norm2", y + attend("cross_attention", x, memory))
        ),
        "norm1 serves everywhere; each sublayer has its own": end(norm("norm1", y + c), "norm1"),
        "the caller passes the masks; yours adds a causal one": end(
            norm("norm2", causal + attend("cross_attention", causal, memory))
        ),
        "the memory is cut to the length of the target: attention takes any two lengths": end(
            norm("norm2", y + attend("cross_attention", y, memory[:, :3]))
        ),
        "the residual around self-attention is missing": end(
            norm("norm2", alone + attend("cross_attention", alone, memory))
        ),
        "the second norm is missing": norm("norm3", y + c + ffn(y + c)),
        "self-attention is missing": end(norm("norm2", x + attend("cross_attention", x, memory))),
        "cross-attention is missing": end(norm("norm2", y)),
        "the memory asks in cross-attention; the decoder should": end(norm("norm2", y + turned)),
        "the memory is normalised once more; it comes in as it is": end(norm("norm2", y + normed)),
    }


def equal_lengths():
    """Return what a memory as long as the target leads to, where a mix-up of the two runs."""
    x, memory, weights = checks_decoder_layer._DECODER_CASE
    memory = memory[:, :3]
    attend, norm, ffn = parts_of(weights)
    y = norm("norm1", x + attend("self_attention", x, x))
    results = {
        "": (y, memory, memory),
        "the values of cross-attention come from the decoder; they are the memory": (y, memory, y),
        "the keys of cross-attention come from the decoder; they are the memory": (y, y, memory),
        "the memory asks in cross-attention; the decoder should": (memory, y, y),
    }
    for text, (query, key, value) in results.items():
        z = norm("norm2", y + attend("cross_attention", query, key, None, value))
        results[text] = norm("norm3", z + ffn(z))
    return results


def decoder_masks():
    past, real = checks_decoder_layer._DECODER_MASKS

    def layer(*masks):
        x, memory, weights = checks_decoder_layer._DECODER_CASE
        return answers("06")["decoder_layer"](x, memory, weights, 1, *masks)

    return {
        "": layer(past, real),
        "self_mask is not used": layer(None, real),
        "memory_mask is not used": layer(past, None),
        "neither mask is used": layer(None, None),
        "memory_mask seems inverted: True = may attend": layer(past, ~real),
    }


TABLES = {
    "FORWARD_RESULTS": (checks_transformer, lambda: forward_slips(*checks_transformer._FORWARD_CASE)),
    "POST_RESULTS": (checks_layers, post_slips),
    "PRE_RESULTS": (checks_layers, pre_slips),
    "MASKED_POST": (checks_layers, lambda: encoder_masks(False)),
    "MASKED_PRE": (checks_layers, lambda: encoder_masks(True)),
    "DECODER_RESULTS": (checks_decoder_layer, decoder_slips),
    "EQUAL_LENGTHS": (checks_decoder_layer, equal_lengths),
    "DECODER_MASKED": (checks_decoder_layer, decoder_masks),
}


@pytest.mark.parametrize("table", TABLES)
def test_results_of_mistakes(table):
    module, make = TABLES[table]
    held, made = getattr(module, f"_{table}"), make()
    assert list(held) == list(made)
    for text, numbers in made.items():
        numbers = numbers[1, 1] if text else numbers
        assert same(held[text], numbers), (text, numbers)
    for (text, a), (other, b) in itertools.combinations(made.items(), 2):
        assert apart(a[1, 1], b[1, 1]), (text, other)


def test_rows_of_known_norms():
    x, made = checks_transformer._NORM_CASE, norm_slips(checks_transformer._NORM_CASE)
    held = checks_transformer._NORM_RESULTS
    assert list(held) == list(made)
    for text, numbers in made.items():
        assert same(held[text], numbers if not text else numbers[0]), (text, numbers)
    assert np.allclose(held[""], answers("06")["layer_norm"](x, np.ones(4), np.zeros(4)), atol=1e-4)
    for (text, a), (other, b) in itertools.combinations(made.items(), 2):
        assert not np.allclose(a[0], b[0], rtol=1e-2, atol=1e-2), (text, other)


def test_rows_with_epsilon():
    small, held = 1e-3 * checks_transformer._NORM_CASE, checks_transformer._WITH_EPSILON
    made = {text: slip(small.var(-1)) for text, slip in EPSILON_SLIPS.items()}
    assert list(held) == list(made)
    for text, numbers in made.items():
        assert same(held[text], numbers), (text, numbers)
    apart_from_mean = small - small.mean(-1, keepdims=True)
    for text, options in (("", ()), ("0.1", (0.1,))):
        right = answers("06")["layer_norm"](small, np.ones(4), np.zeros(4), *options)
        assert same(apart_from_mean * np.reshape(held[text], (3, 1)), right)
