"""One attention layer with fixed arrays, used in four ways or cut into heads, by Keras and by the student."""

import keras
import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import draw_weights, show, top_alignments
from helpers.tables import to_width

_ARRAYS = [kind + part for part in "qkvo" for kind in ("w_", "b_")]


def matrices_of(arrays):
    """Return the arrays of a Keras layer as exercise 4.2 takes them: `(D, D)` matrices and biases `(D,)`.

    Args:
        arrays: What `get_weights` of a `MultiHeadAttention` returns; H times K is D.
    """
    width = len(arrays[-1])
    return {n: np.reshape(a, (width, width) if n[0] == "w" else width) for n, a in zip(_ARRAYS, arrays, strict=True)}


def compare_uses(attend=None):
    """Use one layer for self-attention, cross-attention, with padding and causally, and compare with Keras.

    Args:
        attend: The student's `multi_head_attention`; with None only shapes are printed.
    """
    layer = keras.layers.MultiHeadAttention(num_heads=2, key_dim=4, dtype="float64")
    x, memory = (np.random.default_rng(seed).normal(size=(3, length, 8)) for seed, length in ((6, 5), (7, 6)))
    layer.build(x.shape, memory.shape)
    for weight in layer.weights:
        weight.assign(np.random.default_rng(len(weight.shape)).normal(size=weight.shape) / 2)
    matrices = matrices_of(layer.get_weights())
    padding = np.arange(6) < np.array([6, 4, 1])[:, None, None]  # (B, 1, S)
    causal = np.tri(5, dtype=bool)  # (T, T)
    for name, other, mask in (("self", x, None), ("cross", memory, None), ("padded", memory, padding),
                              ("causal", x, causal)):  # fmt: skip
        full = None if mask is None else np.broadcast_to(mask, (3, 5, other.shape[1]))
        output, weights = layer(x, other, attention_mask=full, return_attention_scores=True)
        line = f"{to_width(name, 8)} output {tuple(output.shape)}, weights {tuple(weights.shape)}"
        if attend is not None:
            difference = np.abs(attend(x, other, other, matrices, 2, mask)[0] - np.asarray(output)).max()
            line += f", largest difference from Keras {difference:.12f}"
        print(line)


def _without_projections(x, num_heads):
    """Let a Keras layer whose matrices change nothing attend; return output `(B, T, D)` and weights `(B, H, T, T)`."""
    width = x.shape[-1]
    layer = keras.layers.MultiHeadAttention(num_heads, width // num_heads, use_bias=False, dtype="float64")
    layer.build(x.shape, x.shape)
    layer.set_weights([np.eye(width).reshape(w.shape) for w in layer.get_weights()])
    return [np.asarray(a) for a in layer(x, x, return_attention_scores=True)]


def show_split_words(x, words, functions=None):
    """Draw the weights of two heads without projections; each compares its half of the columns.

    Args:
        x: Word vectors `(T, D)`, D even.
        words: The `T` words.
        functions: The student's `split_heads` and `merge_heads`, between which two layers with one head each attend;
            None draws what one layer with two heads does.
    """
    output, maps = _without_projections(x[None], 2)
    if functions:
        split, merge = functions
        blocks = np.asarray(split(x[None], 2))
        outputs, maps = zip(*(_without_projections(blocks[:, h], 1) for h in range(2)), strict=True)
        maps = np.concatenate(maps, axis=1)
        difference = np.abs(np.asarray(merge(np.stack(outputs, axis=1))) - output).max()
        print(f"merged: largest difference from one Keras layer with two heads {difference:.6f}")
    figure, axes = plt.subplots(1, 2, figsize=(7.0, 3.2), layout="constrained")
    said = []
    for h, ax in enumerate(axes):
        draw_weights(ax, maps[0, h], words, words, f"head {h + 1}")
        said.append(f"head {h + 1}: {top_alignments(maps[0, h], words, words)}")
    title = "Two heads without projections: each compares its half of the columns"
    figure.suptitle(title, x=0.02, ha="left", fontsize=11)
    show(figure, f"{title}. Largest weight in each row, {'. '.join(said)}.")
