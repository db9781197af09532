"""A small network that answers "does a come before b?", with one kind of position at a time."""

import keras
import numpy as np

LETTERS = "abcdefghijkl"
KINDS = ("none", "learned", "sinusoidal", "relative", "rotary", "distance", "causal")
UNITS, RADIUS, LONGEST = 32, 8, 64  # width D = K, distances with a bias of their own, rows of a table


def make_sequences(count, length, rng):
    """Return ids `(count, length)` with one a and one b each, and for each sequence whether a comes first."""
    ids = rng.integers(2, len(LETTERS), (count, length))
    places = rng.random((count, length)).argsort(axis=1)[:, :2]  # two different places
    np.put_along_axis(ids, places, [[0, 1]], axis=1)
    return ids, (places[:, 0] < places[:, 1]).astype("float32")


class PlacedLetters(keras.layers.Layer):
    """Word vectors of letters times `sqrt(D)`, plus a position if the kind is one that adds.

    Args:
        kind: One of `KINDS`.
        encode: Function of length and depth that returns the sinusoidal encoding; needed for that kind only.
    """

    def __init__(self, kind, encode=None, **options):
        super().__init__(**options)
        small = keras.initializers.RandomNormal(stddev=UNITS**-0.5)
        self.letters = keras.layers.Embedding(len(LETTERS), UNITS, small)
        self.table = None
        if kind == "learned":
            self.table = keras.layers.Embedding(LONGEST, UNITS, small)
        elif kind == "sinusoidal":
            self.table = keras.layers.Embedding(LONGEST, UNITS, trainable=False)
            self.table.build()
            self.table.set_weights([np.asarray(encode(LONGEST, UNITS), dtype="float32")])

    def call(self, ids):
        """Return vectors `(B, T, D)` of ids `(B, T)`."""
        x = self.letters(ids) * UNITS**0.5  # (B, T, D)
        return x if self.table is None else x + self.table(keras.ops.arange(keras.ops.shape(ids)[1]))

    def compute_output_shape(self, shape):
        """Return `(B, T, D)` for `(B, T)`."""
        return (*shape, UNITS)


class PlacedAttention(keras.layers.Layer):
    """Self-attention of one head, with a bias, a rotation or a mask if the kind is one that has it.

    Args:
        kind: One of `KINDS`.
    """

    def __init__(self, kind, **options):
        super().__init__(**options)
        self.kind = kind
        self.query, self.key, self.value = (keras.layers.Dense(UNITS, use_bias=False) for _ in range(3))
        if kind == "relative":  # one bias for each distance
            self.biases = self.add_weight(shape=(2 * RADIUS + 1,), initializer="zeros")

    def call(self, x):
        """Return `(B, T, D)`: for each word the weighted mean of the values."""
        ops, places = keras.ops, keras.ops.arange(keras.ops.shape(x)[1])
        distance = places[None, :] - places[:, None]  # key minus query
        query, key = self.query(x), self.key(x)
        if self.kind == "rotary":
            query, key = _rotate(query), _rotate(key)
        scores = query @ ops.swapaxes(key, 1, 2) / UNITS**0.5  # (B, T, T)
        if self.kind == "relative":
            scores = scores + ops.take(self.biases, ops.clip(distance, -RADIUS, RADIUS) + RADIUS)
        if self.kind == "distance":
            scores = scores - ops.cast(ops.abs(distance), "float32") / 2
        if self.kind == "causal":
            scores = ops.where(distance <= 0, scores, -1e9)
        return ops.softmax(scores) @ self.value(x)


def _rotate(x):
    """Rotate tensors `(B, T, K)`: each pair of columns times the 2 x 2 matrix of its position."""
    ops = keras.ops
    places = ops.cast(ops.arange(ops.shape(x)[1]), "float32")
    angles = places[:, None] * 1e4 ** (-np.arange(0, UNITS, 2, dtype="float32") / UNITS)
    cos, sin = ops.cos(angles), ops.sin(angles)
    matrices = ops.stack([ops.stack([cos, sin], -1), ops.stack([-sin, cos], -1)], -1)  # (T, K/2, 2, 2)
    pairs = ops.reshape(x, (-1, ops.shape(x)[1], UNITS // 2, 2))
    return ops.reshape(ops.einsum("tcij,btcj->btci", matrices, pairs), ops.shape(x))


def train_order_network(kind, seed=0, encode=None, length=10, count=8192, epochs=6, batch_size=128):
    """Train one network on sequences of one length.

    Args:
        kind: One of `KINDS`.
        seed: Seed of the weights and of the sequences.
        encode: As in `PlacedLetters`.
        length: Letters in a sequence.
        count: How many sequences.
        epochs: How often each is seen.
        batch_size: Sequences in a step.

    Returns:
        A model from ids `(B, T)` to logits `(B, 1)`.
    """
    keras.utils.clear_session()  # layers are named from the start, so a second training repeats the first
    keras.utils.set_random_seed(seed)
    ids = keras.Input((None,), dtype="int32")
    x = PlacedLetters(kind, encode, name="letters")(ids)
    x = keras.layers.Add()([x, PlacedAttention(kind, name="attention")(x)])
    x = keras.layers.Dense(2 * UNITS, activation="relu", name="hidden")(x)
    network = keras.Model(ids, keras.layers.Dense(1, name="answer")(keras.layers.GlobalMaxPooling1D()(x)))
    rate = keras.optimizers.schedules.CosineDecay(5e-3, epochs * count // batch_size)
    loss = keras.losses.BinaryCrossentropy(from_logits=True)
    network.compile(keras.optimizers.Adam(rate), loss, steps_per_execution=16, jit_compile=False)
    network.optimizer.build(network.trainable_variables)  # before fit, or its step is traced twice
    network.fit(*make_sequences(count, length, np.random.default_rng(seed)), batch_size, epochs, verbose=0)
    return network


def accuracy_at(answer, length, count=2000, seed=1000):
    """Return the accuracy on new sequences of one length.

    Args:
        answer: A network, or another function from ids to logits.
        length: Letters in a sequence.
        count: How many sequences.
        seed: With the length, the seed of the sequences.
    """
    ids, label = make_sequences(count, length, np.random.default_rng(seed + length))
    logits = [np.asarray(answer(part)).reshape(-1) for part in np.array_split(ids, max(1, count // 500))]
    return float(np.mean((np.concatenate(logits) > 0) == (label > 0)))
