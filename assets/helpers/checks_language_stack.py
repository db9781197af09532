"""Self-checks of notebook 8: the step with a cache, the test for leaks, the counts."""

import keras
import numpy as np
from helpers.checks import self_check
from helpers.observed import Observed, name_mistake, name_slip, quietly


@self_check("step_with_cache")
def check_step_with_cache(report, step_with_cache):
    """Check a first step by hand, then step by step against the Keras layer with a causal mask."""
    rng = np.random.default_rng(19)
    B, T, D, H = 2, 4, 6, 3
    weights = {k + p: rng.normal(size=(D, D) if k == "w_" else D) * 0.6 for p in "qkvo" for k in ("w_", "b_")}
    x, kept = rng.normal(size=(B, T, D)), None
    layer = keras.layers.MultiHeadAttention(num_heads=H, key_dim=D // H, dtype="float64")
    layer.build((1, 1, D), (1, 1, D))

    def whole(cut=slice(None), joined=slice(None)):
        parts = [w[..., cut] if n[2] in "qkv" else w[joined] if n == "w_o" else w for n, w in weights.items()]
        layer.set_weights([np.reshape(p, w.shape) for p, w in zip(parts, layer.get_weights(), strict=True)])
        return np.asarray(layer(x, x, use_causal_mask=True))

    want, dealt = whole(), np.arange(D).reshape(D // H, H).T.ravel()  # dealt: each head takes every H-th column
    odd = {
        "each of your heads takes every H-th column: head h has the columns h * K to (h + 1) * K": whole(dealt),
        "the heads are cut rightly, but not joined side by side, one after another": whole(joined=dealt),
        "yours cuts and joins the heads by every H-th column: head h has h * K to (h + 1) * K": whole(dealt, dealt),
    }
    for t in range(T):
        slips = {text: wrong[:, t] for text, wrong in odd.items()}
        result = report.call(step_with_cache, x[:, t], weights, H, kept)
        two = isinstance(result, tuple | list) and len(result) == 2 and isinstance(result[1], dict)
        if t == 0:
            hint = Observed(f"Yours is a {type(result).__name__}. What comes after return?")
            report.expect(two, "it returns the output and a dict", hint, stop=True)
        output = np.asarray(result[0])
        value = x[:, t] @ weights["w_v"] + weights["b_v"]
        alone = value @ weights["w_o"] + weights["b_o"]
        if t == 0:
            output = report.array(result[0], (B, D), "f", "the output")
            slips |= {"this is the projected value: the heads are side by side, and then w_o and b_o follow": value}
            hint = name_mistake(output, slips, want[:, 0], "With one key its weight is 1. What is left to compute?")
            report.expect(np.allclose(output, want[:, 0], atol=1e-5), "the first step is right", hint, stop=True)
        elif not np.allclose(output, want[:, t], atol=1e-5):
            slips |= {"the query sees its own position only: append to the keys and values of the cache": alone}
            asked = "Are the scores divided by the root of K, and does the softmax run over all positions?"
            hint = name_mistake(output, slips, want[:, t], asked)
            report.expect(False, f"step {t + 1} is that of Keras with a causal mask", hint, stop=True)
        shapes = {name: np.shape(a) for name, a in result[1].items()}
        right = shapes == {"key": (B, H, t + 1, D // H), "value": (B, H, t + 1, D // H)}
        hint = Observed(f"The shapes are {shapes}. Both should be {(B, H, t + 1, D // H)}.")
        if not right or t == 0:
            report.expect(right, f"the cache has {t + 1} position{'s' * (t > 0)}", hint, stop=True)
        before = {} if kept is None else {name: np.array(a) for name, a in kept.items()}
        again = report.call(step_with_cache, x[:, t], weights, H, kept)
        same = kept is None or all(np.array_equal(before[n], kept[n]) for n in before)
        if not same or not np.allclose(again[0], output, atol=1e-5):
            hint = Observed("It changed, or the same call returned another result. Do you make new arrays?")
            report.expect(False, "the cache handed in stays as it is", hint, stop=True)
        kept = result[1]
    report.expect(True, "every step is that of Keras with a causal mask, and the cache handed in stays as it is")
    key = (x @ weights["w_k"] + weights["b_k"]).reshape(B, T, H, D // H).swapaxes(1, 2)
    slips = {"yours has the newest first: the order is that of the text, so it comes last": key[:, :, ::-1]}
    hint = name_mistake(kept["key"], slips, key, "Which three arrays can the cache hold, and which two should it?")
    report.expect(np.allclose(kept["key"], key, atol=1e-5), "the cache holds the keys of all positions", hint)
    big = report.call(step_with_cache, 100 * x[:, 0], weights, H, None)[0]
    hint = Observed("There is nan or inf in the output. What can be subtracted from all scores before exp?")
    report.expect(np.isfinite(big).all(), "large scores give finite results", hint)


@self_check("leaks_future")
def check_leaks_future(report, leaks_future):
    """Check the verdict on models whose nature is known."""
    table, ids = np.random.default_rng(20).normal(size=(8, 8)), np.array([2, 7, 1, 1, 4, 0])

    def says(model, seed=0, trials=10, of=ids):
        mine = of.copy()
        result = report.call(lambda: leaks_future(model, mine, np.random.default_rng(seed), trials))
        if not np.array_equal(mine, of):
            report.expect(False, "ids stays as it is", Observed("It changed. Do you change a copy?"), stop=True)
        if not isinstance(result, bool | np.bool_):
            report.expect(False, "it returns True or False", Observed(f"Yours is a {type(result).__name__}."), True)
        return bool(result)

    def leak(source, row, shows=lambda new: new, size=(0.01, -0.01) * 4):  # half of the logits rise, half fall
        return lambda some: table[some] + np.array(size) * shows(some[source]) * (np.arange(len(some)) == row)[:, None]

    hint = Observed("Yours says it leaks. Is the row of the changed position compared? Is an earlier id still changed?")
    report.expect(not says(lambda ids: table[ids]), "a table that looks up each id is honest", hint, stop=True)
    report.expect(not says(lambda ids: np.cumsum(table[ids], axis=0)), "so is a cumulative sum", hint, stop=True)
    hint = Observed("Yours says that it leaks. From which difference on does it?")
    report.expect(not says(lambda s: table[s] + 9e-7 * (s.sum() % 2)), "differences of 1e-6 are rounding", hint, True)
    hint = Observed("Yours says that it leaks. Is there a later id?")
    report.expect(not says(lambda ids: table[ids], of=ids[:1]), "one id alone cannot leak", hint)
    hint = Observed("Yours says that it does not. What do you change, and which rows do you compare?")
    report.expect(says(lambda ids: table[ids] + table[ids].mean(axis=0)), "a mean over all rows leaks", hint, stop=True)
    rows = Observed("Yours finds a leak from there into another row, but not into this one. Which rows do you compare?")
    hint = Observed("Yours says that it does not leak. Which positions do you change?")
    for source, row, line in (
        (5, 0, "a leak from the last position into row 0 is found"), (1, 0, "a leak from position 1 is found"),
        (3, 1, "a leak from the middle is found"), (5, 4, "a leak into the row right before is found")):  # fmt: skip
        found, *others = (says(leak(source, n)) for n in (row, *range(source)))
        report.expect(found, line, rows if any(others) else hint)
    hint = Observed("Yours misses it, and half of the ids do not show it. How many do you try at each position?")
    found = all(says(leak(5, 4, lambda new: new % 2), seed, 40, np.resize(ids, 24)) for seed in range(5))
    report.expect(found, "a leak that every second id shows is found", hint, stop=True)
    hint = Observed("Yours misses it, although half of the vocabulary shows it. From which ids do you draw?")
    found, *others = (says(leak(3, n, lambda new: new > 3), 0, 40, np.array([2, 1, 3, 0])) for n in (1, 0, 2))
    hint = rows if any(others) else hint
    report.expect(found, "a leak is found that shows only for ids which are not in the text", hint)
    hint = Observed("Yours misses it. By how much does the mean of all logits move, and by how much the largest one?")
    one = 0.0015 * (np.arange(len(ids) * 2000) == 7).reshape(-1, 2000)
    report.expect(says(lambda ids: one * (ids[1] % 2 == 0), 0, 40), "a leak into one of 2,000 logits is found", hint)
    hint = Observed("Yours finds a leak that raises logits, but not this one. Which sign can a difference have?")
    other = Observed("Yours says that it does not leak. What do you compare, and with which number?")
    hint = hint if says(leak(5, 4, size=0.01)) else other
    report.expect(says(leak(5, 4, size=-0.01)), "a leak that only lowers logits is found", hint)


@self_check("gpt2_parameter_count")
def check_gpt2_parameter_count(report, gpt2_parameter_count, bert_parameter_count):
    """Check the parts that exist once, then a layer, for each of the two."""
    for name, count, sizes, other, (want, more_want), hints, (layer, more_layer) in (
        ("GPT-2", gpt2_parameter_count, (2, 3, 4), (5, 7, 11), (18, 100), {
            "the logits use the word vectors again: count them once": lambda d, V, n: V * d,
            "the normalisation after the last layer is missing": lambda d, V, n: -2 * d,
        }, (74, 365)),
        ("BERT", bert_parameter_count, (2, 7, 3, 4, 1), (5, 8, 7, 11, 2), (26, 140), {
            "the pooler is missing": lambda d, f, V, n, k: -d * d - d,
            "the normalisation after the tables is missing": lambda d, f, V, n, k: -2 * d,
            "the bias of the pooler is missing": lambda d, f, V, n, k: -d,
            "the segment vectors are missing": lambda d, f, V, n, k: -k * d,
        }, (69, 233))):  # fmt: skip
        with report.part(f"{name.lower().replace('-', '')}_parameter_count"):
            got, more = report.call(count, 0, *sizes), quietly(count, 0, *other)
            hint = Observed(f"Yours is a {type(got).__name__}.")
            report.expect(isinstance(got, int | np.integer), f"{name}: the count is an integer", hint, stop=True)
            asked = Observed(f"Yours is {got}. Which arrays exist once?")
            hint = name_slip([got - want, (more or 0) - more_want], [sizes, other], hints) or asked
            report.expect(got == want, f"{name} without layers has {want} parameters in this case", hint, stop=True)
            got, more = int(report.call(count, 1, *sizes)) - want, (quietly(count, 1, *other) or 0) - more_want
            hint = Observed(f"Yours adds {got}. Four projections and two dense layers, all with biases, and two norms?")
            few = {(8, 20): "8 too few: the biases of the projections, or the two normalisations, are missing"}
            hint = few.get((layer - got, more_layer - more), hint)
            report.expect(got == layer, f"a layer of {name} adds {layer}", hint, stop=True)
            got = int(report.call(count, 3, *sizes))
            slips = {"the layers do not share their parameters": want + layer}
            hint = name_mistake(got, slips, want + 3 * layer, "How often does what a layer has exist?")
            report.expect(got == want + 3 * layer, f"three layers of {name} add three times that", hint)
