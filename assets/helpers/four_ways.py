"""A sentence and its masks, four ways to attend, content and location, and rows in which every key is forbidden."""

import keras
import numpy as np
from helpers.diagrams_dot_product import show_maps
from helpers.tables import to_width

_PADDED = ("the", "cat", "drank", "<pad>", "<pad>")
_MASKS = {  # a row for each query; o: may attend
    "no mask": ("ooooo", "ooooo", "ooooo", "ooooo", "ooooo"),
    "padding mask": ("ooo..", "ooo..", "ooo..", "ooo..", "ooo.."),
    "causal mask": ("o....", "oo...", "ooo..", "oooo.", "ooooo"),
    "both": ("o....", "oo...", "ooo..", "ooo..", "ooo.."),
}


def show_sentence_masks():
    """Show what is left of equal weights in a padded sentence with its padding mask, its causal mask, and both."""
    masks = {title: np.array([[cell == "o" for cell in row] for row in rows]) for title, rows in _MASKS.items()}
    weights = {title: mask / mask.sum(axis=1, keepdims=True) for title, mask in masks.items()}
    show_maps(weights, _PADDED, _PADDED, masks)


def show_four_ways(queries, keys, sentence, attend=None, local=None, radius=1, query=2):
    """Show soft and hard, global and local attention of the words of a sentence to each other.

    Args:
        queries: Array `(T, K)`.
        keys: Array `(T, K)`.
        sentence: The `T` words.
        attend: `scaled_dot_product_attention`, or None for the layer of Keras.
        local: `(window_mask, hard_attention)`, or None to draw the window and pick the best key here.
        radius: Radius of the window.
        query: A position.

    Returns:
        `(hard, local)`: the word to which this position attends most, by hard global and by soft local attention; words
        that share the largest weight are joined, as in "cat/milk".
    """
    count = len(sentence)
    each = np.eye(count)  # as values: the output is the row of weights
    near = np.zeros((count, count), dtype=bool)
    for i in range(count):
        near[i, max(0, i - radius) : i + radius + 1] = True
    if local is not None:
        near = np.asarray(local[0](count, count, radius), dtype=bool)
    scores = queries @ keys.T / np.sqrt(keys.shape[1])
    maps, masks = {}, {"global": np.ones_like(near), f"local, radius {radius}": near}
    for name, mask in masks.items():
        if attend is None:
            soft = np.asarray(keras.layers.Softmax(dtype="float64")(scores, mask=mask))
        else:
            soft = np.asarray(attend(queries, each, keys, mask)[0])
        allowed = np.where(mask, scores, -1e9)
        best = each[allowed.argmax(axis=-1)] if local is None else np.asarray(local[1](allowed, each))
        maps[f"soft, {name}"], maps[f"hard, {name}"] = soft, best
    show_maps(maps, sentence, sentence, {name: near for name in maps if "local" in name})
    most = [np.flatnonzero(row > 0.99 * row.max()) for row in (weights[query] for weights in maps.values())]
    words = ["/".join(sentence[j] for j in places) for places in most]
    return words[1], words[2]


def show_content_and_location(query, keys, sentence, swapped=(1, 4)):
    """Print the weights of one query before and after two words change places, by content and by location.

    Args:
        query: Array `(K,)`.
        keys: Array `(T, K)`.
        sentence: The `T` words.
        swapped: The positions that change places.
    """
    order = list(range(len(sentence)))
    order[swapped[0]], order[swapped[1]] = order[swapped[1]], order[swapped[0]]
    to_position = np.random.default_rng(7).normal(size=(len(query), len(sentence)))  # location: no key in it
    for name, by_content in (("content", True), ("location", False)):
        for places in (range(len(sentence)), order):
            scores = keys[list(places)] @ query if by_content else query @ to_position
            weights = np.asarray(keras.ops.softmax(scores / np.sqrt(len(query))))
            told = ", ".join(f"{sentence[i]} {w:.2f}" for i, w in zip(places, weights, strict=True))
            print(to_width(name, 8), "|", told)


def show_empty_rows(masked_softmax):
    """Print what a query gets from Keras and from this course if every key is forbidden.

    Args:
        masked_softmax: The course's masked softmax.
    """
    x, each, nothing = np.array([[[0.3, -0.2, 1.1]]]), np.eye(3)[None], np.zeros((1, 3), dtype=bool)
    heads = keras.layers.MultiHeadAttention(num_heads=1, key_dim=3, use_bias=False)
    heads.build(x.shape, each.shape)
    heads.set_weights([np.eye(3).reshape(w.shape) for w in heads.weights])
    forbidden = nothing[:, None, :]

    def row(dtype, mask=(None, nothing)):
        a, b = x.astype(dtype), each.astype(dtype)
        return keras.layers.Attention(dtype=dtype)([a, b, b], mask=None if mask is None else list(mask))

    asked, _ = heads(x, each, attention_mask=forbidden, return_attention_scores=True)
    table = [
        ("Attention", "float64, no mask", row("float64", None), "(for comparison)"),
        ("Attention", "float32", row("float32"), "minus 1e9 erases the scores"),
        ("MultiHeadAttention", "output only", heads(x, each, attention_mask=forbidden), "one number for all"),
        ("Attention", "float64", row("float64"), "differences survive minus 1e9"),
        ("MultiHeadAttention", "weights asked for", asked, "forbidden weights set to 0"),
        ("given_masked_softmax", "this course", masked_softmax(x, forbidden), "forbidden weights set to 0"),
    ]
    print(f"{to_width('layer', 22)}{to_width('dtype or option', 19)}{to_width('result', 19)}reason")
    for name, option, result, reason in table:
        print(f"{name:22}{to_width(option, 19)}{np.round(np.asarray(result)[0, 0], 2)!s:19}{reason}")
    print("neighbouring float32 numbers at 1e9 are", np.spacing(np.float32(1e9)), "apart")
