"""A small Transformer stack in Keras that becomes a language model by its mask: causal to write, open to read."""

import keras
import numpy as np


def begin_as_waves(shape, dtype=None):
    """Return the sines and cosines of notebook 5 `(L, D)`, a tenth of their size; training goes on from there.

    Neighbours are easier to find that way than from random vectors, which matters where training is short.
    """
    length, width = shape
    angles = np.arange(length)[:, None] / 10000 ** (np.arange(0, width, 2) / width)
    return keras.ops.convert_to_tensor(
        0.1 * np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(shape), dtype=dtype
    )


class Stack(keras.Model):
    """Words plus positions, pre-norm layers, a last normalisation; the table of words makes the logits as well.

    Args:
        vocab_size: Number of ids; id 0 is padding.
        length: Longest text L.
        d_model: Width D.
        num_heads: Number of heads H.
        num_layers: Number of layers.
        causal: Whether a position sees only itself and what comes before it.
        near: How far a position sees in the first layer, to either side; None for no limit.
    """

    def __init__(self, vocab_size, length, d_model=64, num_heads=4, num_layers=2, causal=True, near=None, **options):
        super().__init__(**options)
        self.settings = {"vocab_size": vocab_size, "length": length, "d_model": d_model, "num_heads": num_heads,
                         "num_layers": num_layers, "causal": causal, "near": near}  # fmt: skip
        layers, normal = keras.layers, keras.initializers.RandomNormal
        self.words = layers.Embedding(vocab_size, d_model, embeddings_initializer=normal(stddev=0.1), name="words")
        self.places = layers.Embedding(length, d_model, embeddings_initializer=begin_as_waves, name="places")
        self.attention, self.feed_forward, self.norms = [], [], []
        for n in range(num_layers):
            self.attention.append(layers.MultiHeadAttention(num_heads, d_model // num_heads, name=f"attention_{n}"))
            wide = layers.Dense(4 * d_model, activation="relu", name=f"wide_{n}")
            self.feed_forward.append([wide, layers.Dense(d_model, name=f"narrow_{n}")])
            self.norms.append([layers.LayerNormalization(epsilon=1e-5, name=f"norm_{n}_{i}") for i in range(2)])
        self.last_norm = layers.LayerNormalization(epsilon=1e-5, name="last_norm")

    def get_config(self):
        """Return the arguments that the model was made with."""
        return self.settings

    def features(self, ids):
        """Return the vectors `(B, T, D)` after the last layer."""
        ops, length = keras.ops, ids.shape[1]
        mask = (ids != 0)[:, None]  # (B, 1, T): nobody attends to padding
        if self.settings["causal"]:
            mask = ops.logical_and(mask, np.tri(length, dtype=bool)[None])
        x, places = self.words(ids) + self.places(np.arange(length)[None]), np.arange(length)
        masks = [mask] * len(self.attention)
        if self.settings["near"] is not None:
            masks[0] = ops.logical_and(mask, (abs(places - places[:, None]) <= self.settings["near"])[None])
        parts = zip(self.attention, self.feed_forward, self.norms, masks, strict=True)
        for attend, (wide, narrow), (norm_1, norm_2), mask in parts:
            y = norm_1(x)
            x = x + attend(y, y, attention_mask=mask)
            x = x + narrow(wide(norm_2(x)))
        return self.last_norm(x)

    def call(self, ids):
        """Return the logits `(B, T, vocab_size)`."""
        return keras.ops.matmul(self.features(ids), keras.ops.transpose(self.words.embeddings))
