"""Self-check of notebook 2: additive attention."""

import numpy as np
from helpers.checks import self_check
from helpers.checks_additive import agree
from helpers.explained_errors import call_explained, explain_error
from helpers.observed import Observed, name_mistake, observed


def split_parts(report, result, names, said=False):
    """Split a result into its arrays, or end the check.

    Args:
        report: The report of the check.
        result: What the student's function returned.
        names: What the arrays are called.
        said: Whether an earlier call has printed that the result has these parts; it is not printed again then.
    """
    fits = isinstance(result, (tuple, list)) and len(result) == len(names)
    words = {2: "two", 3: "three"}[len(names)]
    kind = "a single array" if isinstance(result, np.ndarray) else type(result).__name__
    if not (fits and said):
        report.expect(fits, f"it returns {words} arrays: {', '.join(names)}", Observed(f"Yours is {kind}"), stop=True)
    return [np.asarray(part) for part in result]


@self_check("additive_attention")
def check_additive_attention(report, additive_attention):
    """Check shapes, sums, the parts of key and value, and the mask."""
    rng = np.random.default_rng(0)
    # No cell of the notebook binds B, T, S, V, Dq, Dk or A to the size used here: who reads such a global is told.
    query, value, key = rng.normal(size=(5, 6, 8)), rng.normal(size=(5, 7, 2)), rng.normal(size=(5, 7, 4))
    w_query, w_key, v = rng.normal(size=(8, 9)), rng.normal(size=(4, 9)), rng.normal(size=9)
    projected = zip(query @ w_query, key @ w_key, strict=True)
    scores = np.array([[[np.tanh(q + k) @ v for k in keys] for q in queries] for queries, keys in projected])
    softmaxed = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    names = ("context", "weights")
    mix = "The context (B, T, V) = (5, 6, {}) holds a mixture of the values for each query."
    wide = rng.normal(size=(5, 7, 4))  # values as wide as the keys: a mix-up still runs
    result = call_explained(report, additive_attention, query, wide, key, w_query, w_key, v,
                 on="query (5, 6, 8), value (5, 7, 4), key (5, 7, 4)", expected=mix.format(4))  # fmt: skip
    context, weights = split_parts(report, result, names)
    if weights.shape == (5, 6, 7) and context.shape == (5, 6, 4):
        other = np.asarray(report.call(additive_attention, query, wide[:, ::-1], key, w_query, w_key, v)[1])
        hint = "your weights depend on the values: score the keys, not the values"
        report.expect(agree(weights, other), "other values leave the weights alone", hint, stop=True)
    result = call_explained(report, additive_attention, query, value, key, w_query, w_key, v,
                 on="query (5, 6, 8), value (5, 7, 2), key (5, 7, 4)", expected=mix.format(2))  # fmt: skip
    context, weights = split_parts(report, result, names, said=True)
    if context.shape == (5, 6, 7) and weights.shape == (5, 6, 2):
        report.expect(False, "the order of the results", "return the context first, then the weights", stop=True)
    hint = Observed(f"Yours has shape {context.shape}")
    if context.shape == (5, 6, 4) and agree(context, np.einsum("bts,bsv->btv", weights, key)):
        hint = "this was mixed from the keys; mix the values"
    report.expect(context.shape == (5, 6, 2), "the context has shape (B, T, V) = (5, 6, 2)", hint, stop=True)
    report.array(weights, (5, 6, 7), what="the array of weights")
    sums = weights.sum(axis=-1)
    hint = observed(weights, softmaxed, "What makes weights of scores?")
    if agree(weights.sum(axis=1), 1):
        hint = "they sum to 1 over the queries, not over the keys"
    elif agree(np.exp(weights) / np.exp(weights).sum(-1, keepdims=True), softmaxed):
        hint = "these are the scores; the weights are their softmax"
    report.expect(agree(sums, 1) and (weights >= 0).all(), "weights of a query sum to 1", hint, stop=True)
    mixed = np.einsum("bts,bsv->btv", weights, value)
    mistakes = {
        "yours is mixed with the scores; mix with the weights": np.einsum("bts,bsv->btv", scores, value),
        "yours is the mean of the weighted values; add them up": mixed / 7,
        "yours is the plain mean of the values; mix with the weights": value.mean(1, keepdims=True).repeat(6, 1),
    }
    hint = name_mistake(context, mistakes, mixed, "Which value counts how much for this query?")
    report.expect(agree(context, mixed), "the context is the weighted sum of the values", hint, stop=True)
    try:
        by_value = additive_attention(query, wide, None, w_query, w_key, v)
    except Exception as error:
        hint = explain_error(error, additive_attention)
        report.expect(False, "key=None means that the values are the keys", hint, stop=True)
    by_key = additive_attention(query, wide, wide, w_query, w_key, v)
    fits = agree(by_value[0], by_key[0]) and agree(by_value[1], by_key[1])
    hint = observed(by_value[1], by_key[1], "What does the query meet if there is no key?")
    report.expect(fits, "key=None does the same as key=value", hint, stop=True)
    mask = np.arange(7) % 3 != np.arange(6)[:, None] % 4  # (T, S); one row allows everything
    result = call_explained(
        report, additive_attention, query, value, key, w_query, w_key, v, mask, on="a mask (T, S) = (6, 7)"
    )
    context, weights = split_parts(report, result, names, said=True)
    hidden = (np.nan_to_num(weights[:, mask]) == 0).all()
    if hidden and not agree(weights[:, ~mask], 0):
        report.expect(False, "forbidden positions get 0", "the mask is inverted: True means may attend", stop=True)
    kept = softmaxed * mask / (softmaxed * mask).sum(-1, keepdims=True)
    mistakes = {"the mask has no effect on your weights: hand the mask on to the softmax": softmaxed}
    hint = name_mistake(weights, mistakes, kept, "Which of the five positions may this query attend to?")
    report.expect((weights[:, ~mask] == 0).all(), "forbidden positions get 0", hint, stop=True)
    hint = "the others have to share what the forbidden ones lost; where does the mask act?"
    hint = name_mistake(weights, {hint: softmaxed * mask}, kept, "Which weights do the allowed positions share?")
    report.expect(agree(weights.sum(-1), 1), "with a mask the weights of a query still sum to 1", hint, stop=True)
    mixed = np.einsum("bts,bsv->btv", weights, value)
    hint = "yours is mixed with the weights from before the mask; the weighted sum must use the masked weights"
    mistakes = {hint: np.einsum("bts,bsv->btv", softmaxed, value)}
    hint = name_mistake(context, mistakes, mixed, "Which value counts how much for this query?")
    report.expect(agree(context, mixed), "with a mask the context is still the weighted sum", hint)
    keyless = np.asarray(report.call(additive_attention, query, key, None, w_query, w_key, v, mask)[1])
    mistakes = {"without keys the mask has no effect: hand it on there too": softmaxed}
    hint = name_mistake(keyless, mistakes, kept, "Which positions may this query attend to?")
    report.expect(agree(keyless, kept), "without keys the mask counts as well", hint)
    mask = np.arange(6)[:, None].repeat(7, 1) != 1
    result = call_explained(report, additive_attention, query, value, key, w_query, w_key, v, mask, on="an empty row")
    context, weights = split_parts(report, result, names, said=True)
    fits = agree(weights[:, 1], 0) and agree(context[:, 1], 0) and agree(np.delete(weights, 1, axis=1).sum(-1), 1)
    hint = observed(weights[:, 1], np.zeros((5, 7)), "What should that query get?")
    if np.isnan(weights[:, 1]).any() or agree(weights[:, 1], 1 / 7):
        hint = "nan, or equal weights, came out in its row"
    elif agree(weights[:, 1], softmaxed[:, 1]):
        hint = "it has the weights of a query without a mask: what all positions share cancels in the softmax"
    elif agree(weights[:, 1], 0):
        hint = observed(context[:, 1], np.zeros((5, 2)), "What is a sum with these weights?")
    report.expect(fits, "a query that may attend to nothing gets zeros", hint)
