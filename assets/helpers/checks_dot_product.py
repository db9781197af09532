"""Self-checks of notebook 3: similarity and scaled dot-product attention."""

import functools

import numpy as np
from helpers.checks import self_check


def near(got, expected):
    """Tell whether two results agree, in float32 as well."""
    return np.shape(got) == np.shape(expected) and np.allclose(got, expected, rtol=2e-4, atol=2e-5)


def hinted(function, hint):
    """Let a function add a hint to the `ValueError` that numpy raises when shapes do not fit."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            raise ValueError(f"{error}. {hint}") from error

    return run


def _ratio(numerators, denominators):
    """Give the one factor between two arrays, or nan if there is none."""
    ratios = np.asarray(numerators) / np.asarray(denominators)
    return float(ratios.flat[0]) if np.allclose(ratios, ratios.flat[0], rtol=1e-3) else np.nan


def _hint(value, hints, otherwise):
    """Choose the hint that belongs to a value."""
    return next((text for known, text in hints.items() if np.isclose(value, known, rtol=1e-3)), otherwise)


@self_check("similarity")
def check_similarity(report, similarity):
    """Check `similarity` kind by kind, on three queries and four keys of width 5."""
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(3, 5)), rng.normal(size=(4, 5))
    dot = np.asarray(report.call(similarity, query, key))
    hint = "transposed: a row for each query, a column for each key" if dot.shape == (4, 3) else f"got {dot.shape}"
    report.expect(dot.shape == (3, 4), "the result has shape (T, S)", hint, stop=True)
    pair = near(dot[1, 2], np.sum(query[1] * key[2]))
    hint = "that is a distance" if (dot <= 0).all() else "multiply the two vectors entry by entry and add up"
    report.expect(pair, "dot: entry [i, j] is the product of query i and key j", hint, stop=True)
    factor = _ratio(report.call(similarity, query, key, "scaled_dot"), dot)
    hints = {
        1.0: "the scale is missing",
        1 / 5: "divided by D: the square root is missing",
        5**0.5: "multiplied by the root",
        0.5: "divided by the root of the number of keys; what counts is their width",
    }
    hint = _hint(factor, hints, "divide the dot products by the square root of D")
    report.expect(np.isclose(factor, 5**-0.5, rtol=1e-3), "scaled_dot is dot divided by sqrt(D)", hint)
    own = np.asarray(report.call(similarity, query, query, "cosine"))
    diagonal = np.diag(own)
    if near(diagonal, np.linalg.norm(query, axis=-1)):
        hint = "only one side was divided by its length"
    elif np.allclose(diagonal, 5**-0.5, atol=1e-4):
        hint = "a cosine needs no scale besides"
    elif near(diagonal, np.sum(query**2, axis=-1)):
        hint = "this is the dot product: divide by both lengths"
    else:
        hint = "is the length taken along the wrong axis? Each vector has its own, over the last axis"
    report.expect(np.allclose(diagonal, 1, atol=1e-4), "cosine: a vector has 1 with itself", hint, stop=True)
    opposite = report.call(similarity, query, -query, "cosine")
    report.expect(near(np.diag(opposite), -np.ones(3)), "cosine: and -1 with its opposite", "the sign got lost")
    query[1] = 0
    zero = np.asarray(report.call(similarity, query, key, "cosine"))[1]
    hint = "nan: 0 divided by 0" if np.isnan(zero).any() else "its cosine with everything is 0 by contract"
    report.expect((zero == 0).all(), "cosine: a zero vector has 0 with everything", hint)
    tiny = np.diag(report.call(similarity, key * 1e-9, key, "cosine"))
    hint = "a small number added to the lengths swamps short vectors; treat only exact zeros apart"
    report.expect(near(tiny, np.ones(4)), "cosine: the length does not matter, however small", hint)
    many = report.call(similarity, rng.normal(size=(2, 1, 3, 5)), rng.normal(size=(6, 4, 5)), "cosine")
    report.expect(np.shape(many) == (2, 6, 3, 4), "leading axes broadcast", "swap the last two axes of key only")
    try:
        similarity(query, key, "manhattan")
        said = "nothing was raised: an unknown kind must not pass for a known one"
    except ValueError:
        said = ""
    except Exception as error:
        said = f"{type(error).__name__} was raised"
    report.expect(not said, "an unknown kind raises ValueError", said)


@self_check("scaled_dot_product_attention")
def check_scaled_dot_product_attention(report, attention):
    """Check `scaled_dot_product_attention` with K = 5, V = 3, T = 2 and S = 4."""
    rng = np.random.default_rng(1)
    query, value, key = rng.normal(size=(2, 5)), rng.normal(size=(4, 3)), rng.normal(size=(4, 5))
    result = report.call(hinted(attention, "Is the order of the arguments query, value, key?"), query, value, key)
    both = isinstance(result, tuple | list) and len(result) == 2
    report.expect(both, "it returns output and weights", "separate them by a comma", stop=True)
    output = report.array(result[0], (2, 3), "f", "output")
    weights = report.array(result[1], (2, 4), "f", "weights")
    rows, columns = weights.sum(axis=-1), weights.sum(axis=0)
    over_queries = near(columns, np.ones(4))
    hint = "the softmax runs over the queries, the wrong axis" if over_queries else "are these still scores?"
    report.expect(near(rows, np.ones(2)), "the weights of each query sum to 1", hint, stop=True)
    raw = query @ key.T
    factor = _ratio(np.log(weights[:, 1:] / weights[:, :1]), raw[:, 1:] - raw[:, :1])
    hints = {1.0: "the scale is missing", 1 / 5: "the square root is missing", 3**-0.5: "this is the width of value"}
    hint = _hint(factor, hints, "query times key, over sqrt(K)")
    report.expect(np.isclose(factor, 5**-0.5, rtol=1e-3), "the scores are divided by sqrt(K)", hint)
    report.expect(near(output, weights @ value), "output is the weighted sum of the values", "weights @ value")
    mask = np.array([[True, False, True, True], [False, False, False, False]])
    output, weights = (np.asarray(a) for a in report.call(attention, query, value, key, mask))
    if np.allclose(weights[0, [0, 2, 3]], 0):
        hint = "inverted: True means that the query may attend"
    elif weights[0, 1] > 1e-6:
        hint = "the mask has no effect" if near(weights[0].sum(), 1) else "the mask did not reach the softmax"
    else:
        hint = "the mask came after the softmax: the rest no longer sums to 1"
    kept = weights[0, 1] == 0 and near(weights[0].sum(), 1)
    report.expect(kept, "a masked key gets 0 and the others share 1", hint, stop=True)
    hint = "nan" if np.isnan(weights[1]).any() else "they are uniform, or something else than zeros"
    zero = (weights[1] == 0).all() and (output[1] == 0).all()
    report.expect(zero, "a fully masked row gives zeros, in the weights and in the output", hint)
    moved = report.call(attention, query, value, key + rng.normal(size=5))[0]
    whole = report.call(attention, query, value, key)[0]
    hint = "it adds the same number to all scores of a query; a softmax of them stays as it is"
    report.expect(near(moved, whole), "the same vector added to all keys changes nothing", hint)
    large = report.call(attention, 1e3 * query, value, 1e1 * key)
    report.expect(np.isfinite(large[1]).all(), "large scores give finite weights", "overflow: is the softmax stable?")
    hint = "Swap the last two axes of key only: np.swapaxes(key, -2, -1)"
    stack = [np.stack([a, 2 * a, -a]) for a in (query, value, key)]
    output, weights = report.call(hinted(attention, hint), *stack)
    shapes = np.shape(output) == (3, 2, 3) and np.shape(weights) == (3, 2, 4)
    report.expect(shapes, "leading axes stay", f"output {np.shape(output)}, weights {np.shape(weights)}", stop=True)
    first = attention(query, value, key)[0]
    report.expect(near(output[0], first), "each entry of a batch is on its own", "swap the last two axes only")
