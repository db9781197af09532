"""Self-check of notebook 3: similarity."""

import functools

import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_mistake, observed


def near(got, expected):
    """Return whether two results agree, in float32 as well."""
    return np.shape(got) == np.shape(expected) and np.allclose(got, expected, rtol=2e-4, atol=2e-5)


def hinted(function, hint, about=""):
    """Let a function add a hint to the `ValueError` that numpy raises, if `about` is part of its message."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except ValueError as error:
            raise ValueError(f"{error}. {hint}" if about in str(error) else str(error)) from error

    return run


def ratio_of(numerators, denominators):
    """Return the one factor between two arrays, or nan if there is none."""
    ratios = np.asarray(numerators) / np.asarray(denominators)
    return float(ratios.flat[0]) if np.allclose(ratios, ratios.flat[0], rtol=1e-3) else np.nan


def factor_hint(factor, hints, what, question):
    """Return the hint that belongs to a factor; an unknown one is told, and nothing is said of one that is none."""
    known = next((text for value, text in hints.items() if np.isclose(factor, value, rtol=1e-3)), "")
    told = Observed(f"Your {what} {factor:.3g} times the plain dot products. {question}")
    none = Observed(f"Your {what} no multiples of the plain dot products. {question}")
    return known or (told if np.isfinite(factor) else none)


@self_check("similarity")
def check_similarity(report, similarity):
    """Check `similarity` kind by kind, on three queries and four keys of width 5."""
    rng = np.random.default_rng(0)
    query, key = rng.normal(size=(3, 5)), rng.normal(size=(4, 5))
    dot = np.asarray(report.call(similarity, query, key))
    hint = Observed(f"Yours has shape {dot.shape}")
    hint = "transposed: a row for each query, a column for each key" if dot.shape == (4, 3) else hint
    report.expect(dot.shape == (3, 4), "the result has shape (T, S)", hint, stop=True)
    right = np.einsum("tk,sk->ts", query, key)
    apart = query[:, None] - key
    mistakes = {
        "that is a distance, with the sign reversed": -np.sum(apart**2, axis=-1),
        "that is a distance, with the sign reversed (the square root of the sum)": -np.linalg.norm(apart, axis=-1),
        "that is a distance; close vectors should have the larger similarity": np.sum(apart**2, axis=-1),
        "that is a distance, not a product": np.linalg.norm(apart, axis=-1),
        "that is the mean of the products of the entries; add them up": right / 5,
    }
    hint = name_mistake(dot, mistakes, right, "What is the sum of the products of their entries?")
    report.expect(near(dot, right), "dot: entry [i, j] is the product of query i and key j", hint, stop=True)
    factor = ratio_of(report.call(similarity, query, key, "scaled_dot"), dot)
    hints = {
        1.0: "the scale is missing",
        1 / 5: "divided by D: the square root is missing",
        5**0.5: "multiplied by the root",
        0.5: "divided by the root of the number of keys; what counts is their width",
    }
    hint = factor_hint(factor, hints, "scaled products are", "What do you divide them by, and what is sqrt(D) here?")
    report.expect(np.isclose(factor, 5**-0.5, rtol=1e-3), "scaled_dot is dot divided by sqrt(D)", hint)
    own = np.asarray(report.call(similarity, query, query, "cosine"))
    diagonal = np.diag(own)
    plain, length = query @ query.T, np.linalg.norm(query, axis=-1)
    down = np.linalg.norm(query, axis=0)
    mistakes = {
        "only one side was divided by its length": length,
        "a cosine needs no scale besides": np.full(3, 5**-0.5),
        "this is the dot product: divide by both lengths": length**2,
        "the lengths are not rooted: divide by the root of the sum of squares": 1 / length**2,
        "you divided by the sum of both lengths; divide by their product": length / 2,
        "the length is taken along the wrong axis: each vector has its own, over the last axis": np.sum(
            (query / down) ** 2, axis=-1
        ),
        "one length is taken of all vectors together; each vector has its own": np.diag(plain) / np.sum(query**2),
    }
    hint = name_mistake(diagonal, mistakes, np.ones(3), "Along which axis does each vector have its length?")
    report.expect(np.allclose(diagonal, 1, atol=1e-4), "cosine: a vector has 1 with itself", hint, stop=True)
    opposite = report.call(similarity, query, -query, "cosine")
    hint = name_mistake(np.diag(opposite), {"the sign got lost": np.ones(3)}, -np.ones(3), "Where may a sign get lost?")
    report.expect(near(np.diag(opposite), -np.ones(3)), "cosine: and -1 with its opposite", hint)
    query[1] = 0
    zero = np.asarray(report.call(similarity, query, key, "cosine"))[1]
    hint = observed(zero, np.zeros(4), "What is the product of a zero vector with another one?")
    hint = "nan: 0 divided by 0" if np.isnan(zero).any() else hint
    report.expect((zero == 0).all(), "cosine: a zero vector has 0 with everything", hint)
    other = np.asarray(report.call(similarity, key, query, "cosine"))[:, 1]
    hint = observed(other, np.zeros(4), "Which of the two vectors may be zero?")
    hint = "nan: 0 divided by 0, where the key is the zero vector" if np.isnan(other).any() else hint
    report.expect((other == 0).all(), "cosine: a key that is zero has 0 with every query", hint)
    axes, right = np.array([[2.0, 0.0], [3.0, -3.0]]), np.array([[1.0, 0.7071068], [0.7071068, 1.0]])
    got = np.asarray(report.call(similarity, axes, axes, "cosine"))
    taken = {
        "one entry of 0 makes no zero vector: all of them have to be 0": np.array([False, True]),
        "entries that add up to 0 make no zero vector: each of them has to be 0": np.array([True, False]),
    }
    seen = [(text, near(got, right * form)) for text, a in taken.items() for form in (a[:, None] & a, a[:, None], a)]
    hint = next((text for text, same in seen if same), "")
    hint = hint or observed(got, right, "Which vectors does your code take for zero vectors?")
    report.expect(near(got, right), "cosine: a vector with a 0 among its entries has an ordinary cosine", hint)
    tiny = np.diag(report.call(similarity, key * 1e-9, key, "cosine"))
    hint = observed(tiny, np.ones(4), "What do you divide by, beside the two lengths?")
    if (np.abs(tiny) < 0.9).all() and near(np.diag(similarity(key * 1e3, key, "cosine")), np.ones(4)):
        hint = "yours is 1 only for long vectors, so a small number that is added to the lengths, or is the smallest "
        hint += "length, swamps short vectors. Make an exception for nothing but a vector of zeros"
    report.expect(near(tiny, np.ones(4)), "cosine: a very short vector has 1 with a long one of its direction", hint)
    many = report.call(similarity, rng.normal(size=(2, 1, 3, 5)), rng.normal(size=(6, 4, 5)), "cosine")
    hint = Observed(f"For (2, 1, 3, 5) and (6, 4, 5) yours has shape {np.shape(many)}. Which axes are swapped?")
    report.expect(np.shape(many) == (2, 6, 3, 4), "leading axes broadcast", hint)
    try:
        similarity(query, key, "manhattan")
        said = "nothing was raised: an unknown kind must not pass for a known one"
    except ValueError:
        said = ""
    except Exception as error:
        said = f"{type(error).__name__} was raised"
    report.expect(not said, "an unknown kind raises ValueError", said)
