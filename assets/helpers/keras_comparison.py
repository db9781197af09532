"""Layer norm, feed-forward, encoder and decoder layer beside layers of Keras, on random inputs."""

import keras
import numpy as np
from helpers.look import show_difference


def _weights_of(attention):
    """Return the arrays of a Keras attention with the names of notebook 4."""
    names = [kind + part for part in "qkvo" for kind in ("w_", "b_")]
    return {n: np.reshape(w, (6, 6) if n[0] == "w" else 6) for n, w in zip(names, attention.get_weights(), strict=True)}


def compare_with_keras(layer_norm, feed_forward, encoder_layer, decoder_layer):
    """Print the largest difference between each of the four functions and layers of Keras."""
    rng = np.random.default_rng(3)
    x, memory = rng.normal(size=(2, 5, 6)), rng.normal(size=(2, 4, 6))
    gamma, beta = rng.normal(size=6), rng.normal(size=6)
    scaled = keras.layers.LayerNormalization(epsilon=1e-5, dtype="float64")
    scaled.build(x.shape)
    scaled.set_weights([gamma, beta])
    show_difference("layer_norm", lambda: layer_norm(x, gamma, beta), scaled(x))
    first, second = keras.layers.Dense(9, "relu", dtype="float64"), keras.layers.Dense(6, dtype="float64")
    expected = second(first(x))
    show_difference("feed_forward", lambda: feed_forward(x, *first.get_weights(), *second.get_weights()), expected)
    own, cross = (keras.layers.MultiHeadAttention(num_heads=2, key_dim=3, dtype="float64") for _ in range(2))
    norm = keras.layers.LayerNormalization(epsilon=1e-5, dtype="float64")
    middle = norm(x + own(x, x))
    encoded = norm(middle + second(first(middle)))
    middle = norm(x + own(x, x, use_causal_mask=True))
    middle = norm(middle + cross(middle, memory))
    decoded = norm(middle + second(first(middle)))
    weights = {f"norm{i}": {"gamma": np.ones(6), "beta": np.zeros(6)} for i in (1, 2, 3)}
    weights |= {use: _weights_of(own) for use in ("attention", "self_attention")}
    weights["cross_attention"] = _weights_of(cross)
    weights["ffn"] = dict(zip(("w1", "b1", "w2", "b2"), first.get_weights() + second.get_weights(), strict=True))
    past = np.tri(5, dtype=bool)
    show_difference("encoder_layer", lambda: encoder_layer(x, weights, 2), encoded)
    show_difference("decoder_layer", lambda: decoder_layer(x, memory, weights, 2, past), decoded)
