"""Self-checks of notebook 6: layer norm, feed-forward, learning rate, smoothed labels, counting."""

import numpy as np
from helpers.checks import self_check


def matches(a, b, atol=1e-6):
    """Tell whether two arrays agree in shape and value; `nan` agrees with nothing."""
    return np.shape(a) == np.shape(b) and bool(np.allclose(a, b, rtol=1e-4, atol=atol))


def name_mistake(got, mistakes, otherwise):
    """Give the text of the first mistake whose result is `got`."""
    return next((text for text, wrong in mistakes.items() if matches(got, wrong)), otherwise)


@self_check("layer_norm")
def check_layer_norm(report, layer_norm):
    """Check statistics, gamma and beta, epsilon and single positions."""
    x = np.array([[1.0, 2.0, 6.0, 7.0], [0.0, 0.0, 4.0, -2.0], [3.0, 1.0, -5.0, 5.0]])
    one, zero = np.ones(4), np.zeros(4)
    got = report.array(report.call(layer_norm, x, one, zero), x.shape)
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
    rough = {text: wrong for text, wrong in mistakes.items() if np.allclose(got, wrong, rtol=1e-2, atol=1e-2)}
    hint = next(iter(rough), "mean 0 and variance 1 along the last axis")
    right = np.allclose(got, centred / std, atol=1e-2)
    report.expect(right, "each position has mean 0 and variance 1", hint, stop=True)
    gamma, beta = np.array([1.0, 2.0, 3.0, -1.0]), np.array([0.5, 0.0, -1.0, 2.0])
    scaled = np.asarray(report.call(layer_norm, x, gamma, beta))
    hint = name_mistake(
        scaled,
        {
            "gamma is not used": got + beta,
            "beta is not used": got * gamma,
            "beta comes after gamma": (got + beta) * gamma,
        },
        "the result is gamma times the normalised x, plus beta",
    )
    report.expect(matches(scaled, got * gamma + beta), "gamma scales, then beta shifts", hint, stop=True)
    small, eps = 1e-3 * x, {e: centred * 1e-3 / np.sqrt((1e-3 * std) ** 2 + e) for e in (1e-5, 1e-3, 1e-1)}
    got = np.asarray(report.call(layer_norm, small, one, zero))
    mistakes = {
        "epsilon stands outside: add it to the variance, inside the root": centred * 1e-3 / (1e-3 * std + 1e-5),
        "your epsilon is Keras' default, 1e-3; here it is 1e-5": eps[1e-3],
        "epsilon is missing": centred / std,
        "epsilon is added twice": eps[1e-5] * np.sqrt((1e-3 * std) ** 2 + 1e-5) / np.sqrt((1e-3 * std) ** 2 + 2e-5),
    }
    hint = name_mistake(got, mistakes, "variance plus epsilon, then the root")
    report.expect(matches(got, eps[1e-5]), "for x of size 1e-3 epsilon counts, inside the root", hint, stop=True)
    got = np.asarray(report.call(layer_norm, small, one, zero, 0.1))
    report.expect(matches(got, eps[1e-1]), "epsilon is an argument", "your epsilon is fixed; use the argument")
    alone = report.array(report.call(layer_norm, x[0], gamma, beta), (4,), what="the result for one position (D,)")
    report.expect(
        matches(alone, scaled[0]), "a position is normalised on its own", "no statistics over other positions"
    )


@self_check("feed_forward")
def check_feed_forward(report, feed_forward):
    """Check the two products, the one ReLU, and that positions stay apart."""
    rng = np.random.default_rng(0)
    x, w1, b1 = rng.normal(size=(2, 3, 4)), rng.normal(size=(4, 5)), rng.normal(size=5)
    w2, b2 = rng.normal(size=(5, 4)), rng.normal(size=4)
    got = report.array(report.call(feed_forward, x, w1, b1, w2, b2), x.shape)

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
        "a tanh stands where the ReLU belongs": np.tanh(x @ w1 + b1) @ w2 + b2,
        "a sigmoid stands where the ReLU belongs": 1 / (1 + np.exp(-(x @ w1 + b1))) @ w2 + b2,
        "the ReLU is at the end; it belongs between the products": relu((x @ w1 + b1) @ w2 + b2),
    }
    hint = name_mistake(got, mistakes, "a product, b1, the ReLU, a product, b2")
    other = x.copy()
    other[0, 1] += 1.0
    moved = np.abs(np.asarray(report.call(feed_forward, other, w1, b1, w2, b2)) - got).max(axis=-1) > 1e-9
    report.expect(moved.sum() <= 1, "a position acts on itself only", "yours mixes positions", stop=True)
    report.expect(matches(got, right), "two products with one ReLU between them", hint, stop=True)
    alone = report.array(report.call(feed_forward, x[1, 2], w1, b1, w2, b2), (4,), what="the result for one position")
    report.expect(matches(alone, right[1, 2]), "a single position gives the same", "no axis may be taken for granted")
