"""A head made by hand, and a convolution computed by an attention layer with such a head for each tap."""

import keras
import numpy as np
from helpers.plots import show_weights
from helpers.tables import to_width


def show_hand_made_head(words, make_head=None):
    """Draw the weights of the head that looks at the previous word.

    Args:
        words: `T` words, whose positions alone count.
        make_head: The student's `previous_token_head`; None draws what is asked for.
    """
    T = len(words)
    weights = np.eye(T)[[0, *range(T - 1)]]  # the row of the first word is free
    if make_head:
        w_q, w_k, x = (np.asarray(a, dtype="float64") for a in make_head(T, T + 3))
        weights = np.asarray(keras.ops.softmax((x @ w_q) @ (x @ w_k).T / np.sqrt(w_q.shape[1])))
    show_weights(weights, words, words, "By hand: each word but the first looks at the one before")


def tap_layer(x, kernel):
    """Return word vectors and the arrays of an attention layer, each of whose heads is a tap of a convolution.

    Zero rows are put before and after `x`, as padding "same" does. A word vector begins with a one-hot position, then
    comes the row of `x`. The query of head w points from position p to p + w - (W - 1) // 2, as in exercise 4.5.

    Args:
        x: Array `(T, C)`.
        kernel: Array `(W, C, V)`.

    Returns:
        `(vectors, weights, num_heads, rows)`: vectors `(1, T + W - 1, D)`, the dict of exercise 4.2, W, and the slice
        of the positions that hold the rows of `x`. The first V columns of the layer's output are the convolution.
    """
    (T, C), (W, _, V) = x.shape, kernel.shape
    front, length = (W - 1) // 2, T + W - 1
    K = max(length, C, -(-V // W))  # width of a head
    D = W * K
    vectors = np.zeros((1, length, D))
    vectors[0, :, :length] = np.eye(length)
    vectors[0, front : front + T, length : length + C] = x
    weights = {f"{kind}_{part}": np.zeros((D, D) if kind == "w" else D) for part in "qkvo" for kind in "wb"}
    for w in range(W):
        head = slice(w * K, (w + 1) * K)
        weights["w_q"][:length, head] = 30 * np.sqrt(K) * np.eye(length, K, k=w - front)
        weights["w_k"][:length, head] = np.eye(length, K)
        weights["w_v"][length : length + C, head] = np.eye(C, K)
        weights["w_o"][head, :V] = np.eye(K, C) @ kernel[w]
    return vectors, weights, W, slice(front, front + T)


def show_convolution_by_heads(attend=None, convolve=None):
    """Compute one convolution by heads, by the student's fixed weights and by Keras; print the largest differences.

    Args:
        attend: The student's `multi_head_attention`; None lets a Keras layer attend.
        convolve: The student's `convolution_as_attention`; None leaves it out.
    """
    rng = np.random.default_rng(21)
    x, kernel = rng.normal(size=(7, 4)), rng.normal(size=(3, 4, 5))
    want = np.asarray(keras.ops.conv(x[None], kernel, padding="same"))[0]
    vectors, weights, num_heads, rows = tap_layer(x, kernel)
    if attend is None:
        width = vectors.shape[-1]
        layer = keras.layers.MultiHeadAttention(num_heads, width // num_heads, dtype="float64")
        layer.build(vectors.shape, vectors.shape)
        layer.set_weights([np.reshape(w, v.shape) for w, v in zip(weights.values(), layer.get_weights(), strict=True)])
        output = np.asarray(layer(vectors, vectors))
    else:
        output = np.asarray(attend(vectors, vectors, vectors, weights, num_heads)[0])
    results = {"three heads with query and key": output[0, rows, : kernel.shape[2]]}
    if convolve is not None:
        results["three fixed maps (exercise 4.6)"] = convolve(x, kernel)
    for name, got in results.items():
        print(f"{to_width(name, 32)} largest difference from keras.ops.conv {np.abs(got - want).max():.9f}")
