"""How large the vectors become in a stack of encoder layers with random weights."""

import keras
import numpy as np

_STACK_WIDTH, _STACK_HEADS, _STACK_LENGTH = 32, 4, 6


def _our_layer(x, weights, num_heads, norm_first):
    """Compute an encoder layer by Keras' operations on tensors, `(1, T, D)`; gammas are one and all biases zero."""
    ops, own = keras.ops, weights["attention"]

    def attend(a):
        query, key, value = (
            ops.reshape(ops.matmul(a, own[f"w_{p}"]), (1, -1, num_heads, _STACK_WIDTH // num_heads)) for p in "qkv"
        )
        mixed = ops.dot_product_attention(query, key, value)
        return ops.matmul(ops.reshape(mixed, (1, -1, _STACK_WIDTH)), own["w_o"])

    def transform(a):
        return ops.matmul(ops.relu(ops.matmul(a, weights["ffn"]["w1"])), weights["ffn"]["w2"])

    for compute in (attend, transform):
        before = ops.layer_normalization(x, epsilon=1e-5) if norm_first else x
        x = ops.add(x, compute(before))
        x = x if norm_first else ops.layer_normalization(x, epsilon=1e-5)
    return np.asarray(x)


def size_at_depth(depth, norm_first, layer=None):
    """Return the root mean square of what a stack of encoder layers with random weights makes of random words.

    Args:
        depth: Number of layers.
        norm_first: Whether they are pre-norm.
        layer: `encoder_layer`, or None to compute the layers by Keras.
    """
    rng = np.random.default_rng(0)
    x, zero = rng.normal(size=(1, _STACK_LENGTH, _STACK_WIDTH)), np.zeros(_STACK_WIDTH)
    norm = {"gamma": np.ones(_STACK_WIDTH), "beta": zero}
    for _ in range(depth):
        attention = {f"w_{p}": rng.normal(size=(_STACK_WIDTH, _STACK_WIDTH)) / np.sqrt(_STACK_WIDTH) for p in "qkvo"}
        attention |= {f"b_{p}": zero for p in "qkvo"}
        into = rng.normal(size=(_STACK_WIDTH, 2 * _STACK_WIDTH)) / np.sqrt(_STACK_WIDTH)
        back = rng.normal(size=(2 * _STACK_WIDTH, _STACK_WIDTH)) / np.sqrt(2 * _STACK_WIDTH)
        ffn = {"w1": into, "b1": np.zeros(2 * _STACK_WIDTH), "w2": back, "b2": zero}
        weights = {"attention": attention, "norm1": norm, "norm2": norm, "ffn": ffn}
        x = np.asarray((layer or _our_layer)(x, weights, _STACK_HEADS, norm_first=norm_first))
    return float(np.sqrt((x**2).mean()))
