"""Ask layers what they compute: which calls agree, which words a change reaches, what a cached decoder sees."""

import keras
import numpy as np
from helpers.tables import to_width

_CALLS = (  # as the cell that makes them asks for them
    "A  Attention()([query, value, key])",
    "B  Attention()([query, key, value])",
    "C  Attention(use_scale=True)([query, value, key])",
    "D  ops.dot_product_attention(query, key, value)",
)


def hunt_arrays(seed=6):
    """Return a query `(2, 3, 4)`, and a value and a key `(2, 5, 4)` of the same width, so that they can be swapped."""
    rng = np.random.default_rng(seed)
    return tuple(rng.normal(size=size).astype("float32") for size in ((2, 3, 4), (2, 5, 4), (2, 5, 4)))


def show_agreement(*answers):
    """Print for each of four calls how far its result is from that of call A.

    Args:
        *answers: What the calls A to D returned, four arrays of one shape.

    Returns:
        The letters of the calls that agree with A, in one string.
    """
    wide, same = max(map(len, _CALLS)), ""
    for call, answer in zip(_CALLS, answers, strict=True):
        apart = np.abs(np.asarray(answer) - np.asarray(answers[0])).max()
        same += call[0] if apart < 1e-5 else ""
        print(f"{call:{wide}}  largest difference from A: {apart:.6f}")
    return same.removeprefix("A")


def show_influence(length=6, changed=3, masks=None, attend=None):
    """Change one word of a sentence that ends in padding, and print which outputs change; once more with masks.

    Args:
        length: Words of the sentence, the last one padding.
        changed: Position of the word that is changed; then, in a second try, the padding is.
        masks: `(causal_mask, padding_mask, combine_masks)`, or None for those of Keras.
        attend: `scaled_dot_product_attention`, or None for the layer of Keras.
    """
    x = np.random.default_rng(2).normal(size=(1, length, 4))
    ids = np.array([[*range(1, length), 0]])
    real = ids != 0
    mask = None
    if masks is not None:
        causal, padding, combine = masks
        mask = np.asarray(combine(np.asarray(causal(length)), np.asarray(padding(ids))))
    layer = keras.layers.Attention(use_scale=True, dtype="float64")
    layer.build([x.shape, x.shape])
    layer.scale.assign(0.5)

    def outputs(words, masked):
        if attend is not None and (mask is not None or not masked):
            return np.asarray(attend(words, words, words, mask if masked else None)[0])
        # A sentence of its own for each query, so that any mask fits the layer.
        if masked and mask is not None:
            many = np.repeat(words, length, axis=0)
            return np.asarray(layer([words[0][:, None], many], mask=[None, mask[0]]))[:, 0][None]
        return np.asarray(layer([words, words], mask=[None, real] if masked else None, use_causal_mask=masked))

    for masked in (False, True):
        for place, name in ((changed, f"word {changed}"), (length - 1, f"word {length - 1} (padding)")):
            other = x.copy()
            other[0, place] += 1.0
            moved = np.abs(outputs(other, masked) - outputs(x, masked)).max(axis=-1)[0]
            told = ["." if m < 1e-9 else "x" for m in moved]
            print(f"{to_width('both masks' if masked else 'no mask', 11)} {name} changed: outputs {' '.join(told)}")


def show_masked_query(query, unmasked, by_value, by_query):
    """Print a query's weights and output without a mask, with a value mask and with a query mask.

    Args:
        query: Which query of the first sentence is shown.
        unmasked: `(output, weights)` of the layer without a mask.
        by_value: The same with a value mask.
        by_query: The same with a query mask.

    Returns:
        "value", "query", "both" or "neither": which of the masks changes the query's weights.
    """
    found = [[np.asarray(part)[0, query] for part in one] for one in (unmasked, by_value, by_query)]
    for name, (output, weights) in zip(("no mask", "value mask", "query mask"), found, strict=True):
        name = to_width(name, 11)
        print(f"{name} weights of query {query}: {np.round(weights, 2)}  its output: {np.round(output, 2)}")
    value, other = (not np.allclose(weights, found[0][1]) for _, weights in found[1:])
    return ("both" if other else "value") if value else ("query" if other else "neither")


def show_last_rows(all_ask, last_asks, unmasked):
    """Print the weights of the last query, once asked beside the others, once alone, and alone without a mask.

    Args:
        all_ask: Weights `(B, S, S)` of all queries, under the causal mask.
        last_asks: Weights `(B, 1, S)` of the last one alone, under the same mask.
        unmasked: The same without it.

    Returns:
        Booleans `(S,)`: which keys the query sees that is asked alone under the mask.
    """
    rows = [np.asarray(weights)[0, -1] for weights in (all_ask, last_asks, unmasked)]
    names = (f"causal, all {len(rows[0])} queries: last row", "causal, only the last query",
             "no mask, only the last query")  # fmt: skip
    for name, row in zip(names, rows, strict=True):
        print(f"{to_width(name, 30)} {np.round(row, 2)}")
    return rows[1] > 0


def show_weights_of_pads(calls):
    """Print how much weight a sentence's first word puts on the padding.

    Args:
        calls: Dictionary from a name to vectors `(1, S, D)` of which the last two belong to padding.

    Returns:
        The names whose padding has weight, joined by " and ".
    """
    wide, leaking = max(map(len, calls)), []
    for name, x in calls.items():
        _, weights = keras.layers.Attention()([x, x], return_attention_scores=True)
        share = float(np.asarray(weights)[0, 0, -2:].sum())
        print(f"{name:{wide}}  weight of the first word on the two pads: {share:.2f}")
        leaking += [name] if share > 1e-6 else []
    return " and ".join(leaking)
