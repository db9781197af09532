"""Self-checks of notebook 4: the count of parameters, the equivariance test, the two heads made by hand."""

import keras
import numpy as np
from helpers.checks import self_check


@self_check("mha_parameter_count")
def check_mha_parameter_count(report, mha_parameter_count):
    """Check the count by hand, then against layers that Keras builds."""
    got = report.call(mha_parameter_count, 2, 1, 1)
    report.expect(isinstance(got, int | np.integer), "the count is an integer", f"got {type(got).__name__}", stop=True)
    got = int(mha_parameter_count(10, 3, 4))
    hints = {
        4 * 10 * 4 + 3 * 4 + 10: "key_dim is per head: multiply by the number of heads",
        4 * 10 * 10 + 4 * 10: "key_dim is not used: heads times key_dim need not be d_model",
        4 * 10 * 12: "the biases are missing",
        4 * 10 * 12 + 3 * 12: "the output bias is missing: it has d_model numbers",
        4 * 10 * 12 + 4 * 12: "the output bias has the wrong size: it has d_model numbers",
        4 * 10 * 12 + 4 * 10: "the biases of query, key and value have the wrong size: heads times width",
        3 * 10 * 12 + 3 * 12: "the output projection is missing",
        3 * 10 * 12 + 3 * 12 + 10: "the output projection has only a bias, its kernel is missing",
        3 * 10 * 12 + 10 * 10 + 3 * 12 + 10: "W_O is counted as D x D: it has a row for each merged column",
        4 * 10 * 12 + 3 * 4 + 10: "the biases are per head: multiply them by the number of heads as well",
    }
    hint = hints.get(got, "four kernels and four biases")
    report.expect(got == 526, "10 wide, 3 heads of 4: 526 parameters", hint, stop=True)
    for options in ({"value_dim": 7}, {"use_bias": False}, {"value_dim": 5, "use_bias": False}):
        layer = keras.layers.MultiHeadAttention(num_heads=3, key_dim=4, **options)
        layer.build((1, 1, 10), (1, 1, 10))
        got = int(mha_parameter_count(10, 3, 4, **options))
        if "value_dim" in options and got == mha_parameter_count(10, 3, 4, use_bias=options.get("use_bias", True)):
            hint = "value_dim has no effect"
        elif "use_bias" in options and got - layer.count_params() == 10:
            hint = "without biases there is no output bias either"
        elif "use_bias" in options and got > layer.count_params():
            hint = "use_bias has no effect"
        else:
            hint = "value_dim is the width of the values and of what goes into the output projection"
        report.expect(got == layer.count_params(), f"with {options} as Keras counts", hint, stop=True)


@self_check("is_permutation_equivariant")
def check_is_permutation_equivariant(report, is_permutation_equivariant):
    """Check the verdict on functions whose nature is known."""
    rng = np.random.default_rng(4)
    x, places, calls = rng.normal(size=(7, 3)), rng.normal(size=(7, 3)), []

    def says(f, seed=1):
        mine, rng = x.copy(), np.random.default_rng(seed)
        result = report.call(lambda: is_permutation_equivariant(f, mine, rng))
        if not np.array_equal(mine, x):
            hint = "rng.shuffle(x) changes x itself: draw an order and use x[order]"
            report.expect(False, "the inputs are unchanged", hint, stop=True)
        if not isinstance(result, bool | np.bool_):
            report.expect(False, "it returns True or False", f"got {type(result).__name__}", stop=True)
        return bool(result)

    right = says(lambda x: np.tanh(x + 1))
    if not right and says(lambda x: np.sort(x, axis=0)):
        hint = "f(x[order]) equal to f(x) is invariance: the output should be shuffled alike"
    else:
        hint = "are both sides in the same order? f(x[order]) should equal f(x)[order]"
    report.expect(right, "a row-wise function passes", hint, stop=True)
    noisy = says(lambda x: np.tanh(x) + 4e-6 * (np.arange(7) % 2)[:, None])
    report.expect(noisy, "differences below 1e-5 are rounding", "too strict: allow 1e-5 to 1e-2", stop=True)
    hint = "do you permute features? f need not treat columns alike"
    report.expect(says(lambda x: x * [1.0, 2.0, 3.0]), "a function with a factor for each column passes", hint)
    hint = "are both sides in the same order? f(x[order]) should equal f(x)[order]"
    report.expect(says(lambda x: x - x.mean(axis=0)), "rows minus their mean pass", hint)
    report.expect(says(lambda x: np.ones_like(x) * x.mean(axis=0)), "the mean in every row passes", hint)
    hint = "is the order you try the identity? f has to see shuffled rows, and each row of the result counts"
    report.expect(not says(lambda x: x + places), "a vector added for each place is found", hint, stop=True)
    hint = "a cyclic shift is not enough: shuffle at random"
    report.expect(not says(lambda x: x + np.roll(x, 1, axis=0)), "a look at the row before is found", hint)
    report.expect(not says(lambda x: x[::-1]), "rows turned round are found", "it is one order only")
    first, hint = 1.0 * (np.arange(7) == 0)[:, None], "one order that disagrees refutes; one that agrees proves nothing"
    found = not any(says(lambda x: x + first, seed) for seed in (1, 7, 21))  # 7 and 21 leave row 0 in place at first
    report.expect(found, "a change in row 0 alone is found", hint)
    says(lambda x: calls.append(0) or np.tanh(x))
    hint = f"f was called {len(calls)} times: try all trials, and return True behind the loop only"
    report.expect(len(calls) >= 10, "all trials are tried before it says True", hint)
    hint = "too lenient: the tolerance lies below 1e-2"
    report.expect(not says(lambda x: x + 0.02 * (np.arange(7) % 2)[:, None]), "a difference of 0.02 is found", hint)


@self_check("previous_token_head")
def check_previous_token_head(report, previous_token_head):
    """Check shapes, then where the rows look, then how sharply."""
    result = report.call(previous_token_head, 5, 8)
    three = isinstance(result, tuple | list) and len(result) == 3
    report.expect(three, "it returns w_q, w_k and positions", "separate them by commas after return", stop=True)
    positions = report.array(result[2], (5, 8), "f", "positions")
    w_q, w_k = (np.asarray(a, dtype=float) for a in result[:2])
    fits = w_q.ndim == 2 and w_q.shape == w_k.shape and len(w_q) == 8
    report.expect(fits, "w_q and w_k are both (D, K)", f"got {w_q.shape} and {w_k.shape}, D = 8", stop=True)
    scores = (positions @ w_q) @ (positions @ w_k).T / np.sqrt(w_q.shape[1])
    report.expect(np.isfinite(scores).all(), "the scores are finite", "nan or inf", stop=True)
    hint = "query i times key j should be largest for j = i - 1"
    if (scores[:-1].argmax(axis=1) == np.arange(1, 5)).all():
        hint = "yours looks at the next place"
    elif (scores.argmax(axis=1) == np.arange(5)).all():
        hint = "yours looks at its own place: itself"
    right = (scores[1:].argmax(axis=1) == np.arange(4)).all() and np.ptp(scores[1:]) > 0
    report.expect(right, "row i looks at i - 1", hint, stop=True)
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    least = float(np.diag(e / e.sum(axis=1, keepdims=True), -1).min())
    hint = f"the smallest is {least:.2f}, too weak: larger scores make the softmax sharper"
    report.expect(least > 0.99, "the weights there are above 0.99", hint, stop=True)
    for length, depth in ((2, 2), (30, 100), (60, 60)):
        w_q, w_k, x = (np.asarray(a, dtype=float) for a in report.call(previous_token_head, length, depth))
        scores = (x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])
        e = np.exp(scores - scores.max(axis=1, keepdims=True))
        least = float(np.diag(e / e.sum(axis=1, keepdims=True), -1).min())
        hint = f"the smallest is {least:.2f}: too weak for a wide K (scores are divided by its root) or many places"
        report.expect(least > 0.99, f"also for {length} places of width {depth}", hint, stop=True)


@self_check("convolution_as_attention")
def check_convolution_as_attention(report, convolution_as_attention):
    """Check a convolution of ones and twos by hand, then even and wide kernels against Keras."""
    x, kernel = np.array([[1.0], [2.0], [4.0]]), np.array([1.0, 10.0, 100.0]).reshape(3, 1, 1)
    result = report.call(convolution_as_attention, x, kernel)
    shape = np.shape(result)
    hint = "yours is the valid part only: padding is same" if shape == (1, 1) else f"got {shape}"
    report.expect(shape == (3, 1), "three rows go in, three come out", hint, stop=True)
    got = report.array(result, (3, 1))[:, 0]
    hints = {
        (12.0, 124.0, 240.0): "flipped: the first tap looks back, the last one ahead",
        (421.0, 42.0, 4.0): "all taps look ahead: the first should look (W - 1) // 2 back",
        (100.0, 210.0, 421.0): "causal: all taps look back, the last should look ahead",
        (214.0, 421.0, 42.0): "wrapped around in front: a negative index counts from the end; "
        "rows outside count as zero",
        (214.0, 421.0, 142.0): "wrapped around: rows outside count as zero",
        (211.0, 421.0, 442.0): "repeated at the borders: rows outside count as zero",
    }
    hint = hints.get(tuple(np.round(got, 6)), "output 0 is 0 + 10 + 200: nothing in front, then taps 1 and 2")
    report.expect(np.allclose(got, [210, 421, 42]), "1, 2, 4 with taps 1, 10, 100 gives 210, 421, 42", hint, stop=True)
    rng = np.random.default_rng(9)
    for (T, D, W, V), name, hint in (
        ((6, 2, 3, 4), "several columns", "each tap has a matrix (D, V): x @ kernel[w]"),
        ((5, 2, 4, 3), "an even number of taps", "for an even kernel (W - 1) // 2 rows of padding stand in front"),
        ((3, 2, 8, 4), "more taps than rows", "taps that fall outside add nothing"),
    ):
        x, kernel = rng.normal(size=(T, D)), rng.normal(size=(W, D, V))
        want = np.asarray(keras.ops.conv(x[None], kernel, padding="same"))[0]
        got = report.array(report.call(convolution_as_attention, x, kernel), (T, V), "f", f"with {name} the result")
        report.expect(np.allclose(got, want, atol=1e-5), f"{name} as in keras.ops.conv", hint, stop=True)
