"""Self-checks of notebook 6: layer norm, feed-forward."""

import numpy as np
from helpers.checks import self_check
from helpers.explained_errors import call_explained
from helpers.observed import Observed, describe_error, name_mistake, observed


def waves(n, *shape):
    """Return numbers from -1.5 to 1.5 with one decimal, in no order; other ones for each n."""
    return np.round(1.5 * np.sin(n * np.arange(1.0, 1 + np.prod(shape)) ** 2).reshape(shape), 1)


_NORM_CASE = np.array([[9.0, 3.0, 1.0, 3.0], [1.0, 7.0, 9.0, 15.0], [-5.0, 3.0, -5.0, 3.0]])
#: What is right for all rows without epsilon, and what known mistakes make of the first one.
_NORM_RESULTS = {
    "": [[1.66667, -0.333333, -1.0, -0.333333], [-1.4, -0.2, 0.2, 1.4], [-1.0, 1.0, -1.0, 1.0]],
    "divide by D, not by D - 1": [1.44338, -0.288675, -0.866025, -0.288675],
    "the mean is not subtracted": [1.8, 0.6, 0.2, 0.6],
    "the mean is subtracted for the variance only": [3.0, 1.0, 0.333333, 1.0],
    "the statistics run over the wrong axis: use the last one": [1.27872, -0.707107, -0.116248, -0.707107],
    "one mean for everything: each position needs its own": [0.970143, -0.121268, -0.485071, -0.121268],
    "you divided by the variance: take its root": [0.555556, -0.111111, -0.333333, -0.111111],
    "variance and mean are right, but nothing is divided": [5.0, -1.0, -3.0, -1.0],
}  # fmt: skip
#: What the distances from the mean are multiplied by in each row, for numbers that are 1000 times as small.
_WITH_EPSILON = {
    "": [229.416, 169.031, 196.116],
    "epsilon is outside: add it to the variance, inside the root": [332.226, 199.601, 249.377],
    "your epsilon is Keras' default, 1e-3; here it is 1e-5": [31.4814, 31.2348, 31.3728],
    "epsilon is missing": [333.333, 200.0, 250.0],
    "epsilon is added twice": [185.695, 149.071, 166.667],
    "0.1": [3.16214, 3.16188, 3.16202],
}  # fmt: skip
_FORWARD_CASE = waves(4, 2, 3, 4), waves(5, 4, 5), waves(6, 5), waves(7, 5, 4), waves(8, 4)
#: What is right, and what known mistakes make of position [1, 1].
_FORWARD_RESULTS = {
    "": [[[9.396, 7.034, -4.87, 7.338], [8.415, 3.7, 1.235, -6.114], [7.28, 3.296, 0.432, -3.976]],
         [[8.253, 4.106, 1.762, -4.855], [3.03, 2.024, -0.926, 2.528], [5.54, 3.94, -2.833, 4.357]]],
    "there is a second ReLU; the output may be negative": [3.03, 2.024, 0.0, 2.528],
    "the ReLU is missing": [1.869, 1.586, -6.55, 9.163],
    "b1 is missing": [0.774, 1.845, -0.708, 2.584],
    "b1 is added after the ReLU; it belongs inside": [3.434, 1.915, -2.078, 3.894],
    "b2 is missing": [1.53, 1.224, -1.326, 1.428],
    "the residual is not added here": [2.83, 3.524, -2.326, 1.328],
    "the ReLU belongs on the hidden layer, not on x": [2.405, 0.33, -2.38, 5.905],
    "a tanh is used in place of the ReLU": [1.76437, 0.844297, -1.25262, 3.58856],
    "a sigmoid is used in place of the ReLU": [2.78735, 2.35804, -1.33139, 2.78378],
    "the ReLU is at the end; it belongs between the products": [1.869, 1.586, 0.0, 9.163],
    "the absolute value is used in place of the ReLU": [4.191, 2.462, 4.698, -4.107],
    "your ReLU keeps the negative numbers and drops the others": [0.339, 0.362, -5.224, 7.735],
    "your ReLU lets through a part of the negative numbers": [3.01839, 2.01962, -0.98224, 2.59435],
    "your ReLU cuts at 1 as well; it has no upper end": [3.0, 2.0, -0.9, 2.5],
    "both biases are missing": [-0.726, 1.045, -1.108, 1.484],
    "every sentence gets the result of the first one; each has its own": [8.415, 3.7, 1.235, -6.114],
}  # fmt: skip


def matches(a, b, atol=1e-6):
    """Return whether two arrays agree in shape and value; `nan` agrees with nothing."""
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=1e-4, atol=atol))


def name_held(got, table, question):
    """Name the mistake that makes the same of position [1, 1], or say how the whole result differs."""
    mistakes, right = {text: row for text, row in table.items() if text}, np.array(table[""])
    named = Observed() if np.shape(got) != right.shape else name_mistake(got[1, 1], mistakes, right[1, 1])
    return observed(got, right, question) if isinstance(named, Observed) else named


@self_check("layer_norm")
def check_layer_norm(report, layer_norm):
    """Check statistics, gamma and beta, epsilon and single positions."""
    x, one, zero = _NORM_CASE, np.ones(4), np.zeros(4)
    asked = "Which shape has one mean for each position, so that it can be subtracted from x?"
    got = report.array(call_explained(report, layer_norm, x, one, zero, on="x (3, 4)", expected=asked), x.shape)
    right, *mistakes = _NORM_RESULTS.items()
    rough = (text for text, wrong in mistakes if np.allclose(got[0], wrong, rtol=1e-2, atol=1e-2))
    hint = next(rough, "") or observed(got, right[1], "What are the mean and the variance of that position?")
    right = np.allclose(got, right[1], atol=1e-2)
    report.expect(right, "each position has mean 0 and variance 1", hint, stop=True)
    gamma, beta = np.array([1.0, 2.0, 3.0, -1.0]), np.array([0.5, 0.0, -1.0, 2.0])
    scaled = np.asarray(report.call(layer_norm, x, gamma, beta))
    mistakes = {
        "gamma is not used": got + beta,
        "beta is not used": got * gamma,
        "neither gamma nor beta is used": got,
        "beta comes after gamma": (got + beta) * gamma,
        "beta is subtracted": got * gamma - beta,
        "gamma and beta are swapped": got * beta + gamma,
        "you divide by gamma; multiply": got / gamma + beta,
        "1 is added to gamma; it is the factor itself": got * (1 + gamma) + beta,
        "gamma and beta act per position; they belong to the features": got * gamma[:3, None] + beta[:3, None],
    }
    hint = name_mistake(scaled, mistakes, got * gamma + beta, "What is gamma times the normalised x, plus beta?")
    report.expect(matches(scaled, got * gamma + beta), "gamma scales, then beta shifts", hint, stop=True)
    square = np.asarray(report.call(layer_norm, np.concatenate([x, x[:1]]), gamma, beta))
    hint = "as many positions as features: here gamma and beta act per position, and they belong to the features"
    lengthwise = np.concatenate([got, got[:1]]) * gamma[:, None] + beta[:, None]
    wanted = np.concatenate([scaled, scaled[:1]])
    hint = name_mistake(square, {hint: lengthwise}, wanted, "Which axis has the length of gamma?")
    report.expect(matches(square, wanted), "gamma and beta have a number for each feature", hint, stop=True)
    small, apart = 1e-3 * x, np.array([[5e-3, -1e-3, -3e-3, -1e-3], [-7e-3, -1e-3, 1e-3, 7e-3], [-4e-3, 4e-3] * 2])
    known = {text: apart * np.reshape(factors, (3, 1)) for text, factors in _WITH_EPSILON.items()}
    wanted, larger = known.pop(""), known.pop("0.1")
    got = np.asarray(report.call(layer_norm, small, one, zero))
    hint = name_mistake(got, known, wanted, "What is the root of the variance plus epsilon there?")
    report.expect(matches(got, wanted), "for x of size 1e-3 epsilon counts, inside the root", hint, stop=True)
    got = np.asarray(report.call(layer_norm, small, one, zero, 0.1))
    mistakes = {"your epsilon is fixed; use the argument": wanted}
    hint = name_mistake(got, mistakes, larger, "What is the root of the variance plus 0.1 there?")
    report.expect(matches(got, larger), "epsilon is an argument", hint)
    alone = report.array(report.call(layer_norm, x[0], gamma, beta), (4,), what="the result for one position (D,)")
    hint = observed(alone, scaled[0], "Which numbers enter the mean of a position?")
    report.expect(matches(alone, scaled[0]), "a position is normalised on its own", hint)


@self_check("feed_forward")
def check_feed_forward(report, feed_forward):
    """Check the two products, the one ReLU, and that positions stay apart."""
    x, w1, b1, w2, b2 = _FORWARD_CASE
    asked = "Which axis of w1 (D, F), and which of w2 (F, D), does its product sum over?"
    got = call_explained(report, feed_forward, x, w1, b1, w2, b2, on="x (2, 3, 4), w1 (4, 5)", expected=asked)
    got = report.array(got, x.shape)
    right = np.array(_FORWARD_RESULTS[""])
    hint = name_held(got, _FORWARD_RESULTS, "What do a product, b1, the ReLU, a product and b2 make of that position?")
    other = x.copy()
    other[0, 1] += 1.0
    moved = np.abs(np.asarray(report.call(feed_forward, other, w1, b1, w2, b2)) - got).max(axis=-1) > 1e-4
    mixed = f"yours mixes positions: a change of one position reaches {moved[0].sum()} of its sentence"
    line = "a position acts on itself only"
    report.expect(moved.sum() <= 1, line, mixed if moved[0].sum() > 1 else hint, stop=True)
    report.expect(matches(got, right), "two products with one ReLU between them", hint, stop=True)
    try:
        feed_forward(x[1, 2].copy(), w1, b1, w2, b2)
    except Exception as error:
        hint = (
            f"x with three axes runs, a single position does not ({describe_error(error)}): act on the last axis alone"
        )
        report.expect(False, "a single position, of shape (4,), runs", hint, stop=True)
    alone = report.array(report.call(feed_forward, x[1, 2], w1, b1, w2, b2), (4,), what="the result for one position")
    hint = observed(alone, right[1, 2], "Which axes does x have here?")
    report.expect(matches(alone, right[1, 2]), "a single position gives the same", hint)
