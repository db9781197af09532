"""One attention layer with fixed arrays, used in four ways, by Keras and by the student's function."""

import keras
import numpy as np

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
        line = f"{name:7} output {tuple(output.shape)}, weights {tuple(weights.shape)}"
        if attend is not None:
            difference = np.abs(attend(x, other, other, matrices, 2, mask)[0] - np.asarray(output)).max()
            line += f", largest difference from Keras {difference:.12f}"
        print(line)
