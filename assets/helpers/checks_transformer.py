"""Self-checks of notebook 6: layer norm, feed-forward."""

import numpy as np
from helpers.checks import self_check
from helpers.explained_errors import call_explained
from helpers.observed import describe_error, name_mistake, observed


def matches(a, b, atol=1e-6):
    """Return whether two arrays agree in shape and value; `nan` agrees with nothing."""
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=1e-4, atol=atol))


@self_check("layer_norm")
def check_layer_norm(report, layer_norm):
    """Check statistics, gamma and beta, epsilon and single positions."""
    x = np.array([[1.0, 2.0, 6.0, 7.0], [0.0, 0.0, 4.0, -2.0], [3.0, 1.0, -5.0, 5.0]])
    one, zero = np.ones(4), np.zeros(4)
    asked = "Which shape has one mean for each position, so that it can be subtracted from x?"
    got = report.array(call_explained(report, layer_norm, x, one, zero, on="x (3, 4)", expected=asked), x.shape)
    centred, std = x - x.mean(-1, keepdims=True), x.std(-1, keepdims=True)
    mistakes = {
        "divide by D, not by D - 1": centred / x.std(-1, ddof=1, keepdims=True),
        "the mean is not subtracted": x / np.sqrt((x**2).mean(-1, keepdims=True)),
        "the mean is subtracted for the variance only": x / std,
        "the statistics run over the wrong axis: use the last one": (x - x.mean(0)) / x.std(0),
        "one mean for everything: each position needs its own": (x - x.mean()) / x.std(),
        "you divided by the variance: take its root": centred / std**2,
        "variance and mean are right, but nothing is divided": centred,
    }
    rough = (text for text, wrong in mistakes.items() if np.allclose(got, wrong, rtol=1e-2, atol=1e-2))
    hint = next(rough, "") or observed(got, centred / std, "What are the mean and the variance of that position?")
    right = np.allclose(got, centred / std, atol=1e-2)
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
    small, eps = 1e-3 * x, {e: centred * 1e-3 / np.sqrt((1e-3 * std) ** 2 + e) for e in (1e-5, 1e-3, 1e-1)}
    got = np.asarray(report.call(layer_norm, small, one, zero))
    mistakes = {
        "epsilon is outside: add it to the variance, inside the root": centred * 1e-3 / (1e-3 * std + 1e-5),
        "your epsilon is Keras' default, 1e-3; here it is 1e-5": eps[1e-3],
        "epsilon is missing": centred / std,
        "epsilon is added twice": eps[1e-5] * np.sqrt((1e-3 * std) ** 2 + 1e-5) / np.sqrt((1e-3 * std) ** 2 + 2e-5),
    }
    hint = name_mistake(got, mistakes, eps[1e-5], "What is the root of the variance plus epsilon there?")
    report.expect(matches(got, eps[1e-5]), "for x of size 1e-3 epsilon counts, inside the root", hint, stop=True)
    got = np.asarray(report.call(layer_norm, small, one, zero, 0.1))
    mistakes = {"your epsilon is fixed; use the argument": eps[1e-5]}
    hint = name_mistake(got, mistakes, eps[1e-1], "What is the root of the variance plus 0.1 there?")
    report.expect(matches(got, eps[1e-1]), "epsilon is an argument", hint)
    alone = report.array(report.call(layer_norm, x[0], gamma, beta), (4,), what="the result for one position (D,)")
    hint = observed(alone, scaled[0], "Which numbers enter the mean of a position?")
    report.expect(matches(alone, scaled[0]), "a position is normalised on its own", hint)


@self_check("feed_forward")
def check_feed_forward(report, feed_forward):
    """Check the two products, the one ReLU, and that positions stay apart."""
    rng = np.random.default_rng(0)
    x, w1, b1 = rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 5)), rng.normal(size=5)
    w2, b2 = rng.normal(size=(5, 4)), rng.normal(size=4)
    asked = "Which axis of w1 (D, F), and which of w2 (F, D), does its product sum over?"
    got = call_explained(report, feed_forward, x, w1, b1, w2, b2, on="x (2, 3, 4), w1 (4, 5)", expected=asked)
    got = report.array(got, x.shape)

    def relu(a):
        return np.maximum(a, 0)

    right = relu(x @ w1 + b1) @ w2 + b2
    mistakes = {
        "there is a second ReLU; the output may be negative": relu(right),
        "the ReLU is missing": (x @ w1 + b1) @ w2 + b2,
        "b1 is missing": relu(x @ w1) @ w2 + b2,
        "b1 is added after the ReLU; it belongs inside": (relu(x @ w1) + b1) @ w2 + b2,
        "b2 is missing": relu(x @ w1 + b1) @ w2,
        "the residual is not added here": x + right,
        "the ReLU belongs on the hidden layer, not on x": (relu(x) @ w1 + b1) @ w2 + b2,
        "a tanh is used in place of the ReLU": np.tanh(x @ w1 + b1) @ w2 + b2,
        "a sigmoid is used in place of the ReLU": 1 / (1 + np.exp(-(x @ w1 + b1))) @ w2 + b2,
        "the ReLU is at the end; it belongs between the products": relu((x @ w1 + b1) @ w2 + b2),
        "the absolute value is used in place of the ReLU": np.abs(x @ w1 + b1) @ w2 + b2,
        "your ReLU keeps the negative numbers and drops the others": np.minimum(x @ w1 + b1, 0) @ w2 + b2,
        "your ReLU lets through a part of the negative numbers": right + 0.01 * np.minimum(x @ w1 + b1, 0) @ w2,
        "your ReLU cuts at 1 as well; it has no upper end": np.clip(x @ w1 + b1, 0, 1) @ w2 + b2,
        "both biases are missing": relu(x @ w1) @ w2,
        "every sentence gets the result of the first one; each has its own": right[[0, 0]],
    }
    asked = "What do a product, b1, the ReLU, a product and b2 make of that position?"
    hint = name_mistake(got, mistakes, right, asked)
    other = x.copy()
    other[0, 1] += 1.0
    moved = np.abs(np.asarray(report.call(feed_forward, other, w1, b1, w2, b2)) - got).max(axis=-1) > 1e-9
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
