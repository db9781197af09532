"""A relation with a direction: things in circles like rock, scissors and paper look for what they beat."""

import keras
import numpy as np

#: In each circle a thing beats the next one, and the last beats the first.
CIRCLES = (("rock", "scissors", "paper"), ("water", "fire", "grass"), ("mouse", "elephant", "cat"))
COLOURS = ("red", "blue", "green", "white", "black")
#: What may be left out of the head, by the name that figures show.
PARTS = ("nothing left out", "without W_Q", "without W_K", "one matrix for W_Q and W_K", "without W_V")
_THINGS = [thing for circle in CIRCLES for thing in circle]
_BEATEN = np.array([3 * (i // 3) + (i + 1) % 3 for i in range(len(_THINGS))])


def try_matrices(tries, seed=0):
    """Let three things look for what they beat by random matrices; count how many of the three find it.

    Args:
        tries: How often new matrices are drawn.
        seed: Seed of the random numbers.

    Returns:
        Dict with an integer array `(4,)` for `"one matrix"` and for `"two matrices"`: in how many tries 0, 1, 2 and 3
        of the things have their largest score with what they beat.
    """
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(3, 4))  # rock, scissors, paper
    w_q, w_k = rng.normal(size=(2, tries, 4, 4))
    found = {}
    for name, w in (("one matrix", w_q), ("two matrices", w_k)):
        scores = (x @ w_q) @ (x @ w).swapaxes(-2, -1)  # (tries, 3, 3)
        right = (scores.argmax(axis=-1) == _BEATEN[:3]).sum(axis=-1)
        found[name] = np.bincount(right, minlength=4)
    return found


def make_circle_sentences(rng, count):
    """Generate sentences of six coloured things: two whole circles in random order.

    Args:
        rng: Random generator.
        count: How many sentences.

    Returns:
        `(things, colours, wanted)`, integer arrays `(count, 6)`: the thing and the colour at each position, and the
        colour of what this thing beats.
    """
    left_out = rng.integers(len(CIRCLES), size=count)
    things = np.stack([rng.permutation([i for i in range(len(_THINGS)) if i // 3 != gone]) for gone in left_out])
    colours = rng.integers(len(COLOURS), size=things.shape)
    place = (things[:, None] == _BEATEN[things][..., None]).argmax(axis=-1)  # where the beaten thing is
    return things, colours, np.take_along_axis(colours, place, axis=-1)


def build_circle_reader(left_out, width=24):
    """Build the model: one head, whose output is added to the word, and a linear map to the colours.

    Args:
        left_out: A name of `PARTS`.
        width: Width of the word vectors and of the head.

    Returns:
        A model from `[things, colours]` to logits `(B, 6, colours)`.
    """
    layers, ops = keras.layers, keras.ops
    things, colours = (keras.Input((6,), dtype="int32") for _ in range(2))
    normal = keras.initializers.RandomNormal(stddev=1.0)
    x = layers.Embedding(len(_THINGS), width, embeddings_initializer=normal)(things)
    x = x + layers.Embedding(len(COLOURS), width, embeddings_initializer=normal)(colours)

    def project(name):
        return x if left_out == f"without {name}" else layers.Dense(width, use_bias=False, name=name)(x)

    query, value = project("W_Q"), project("W_V")
    key = query if left_out == "one matrix for W_Q and W_K" else project("W_K")
    scores = ops.matmul(query, ops.transpose(key, (0, 2, 1))) / width**0.5
    found = ops.matmul(ops.softmax(scores), value)
    return keras.Model([things, colours], layers.Dense(len(COLOURS))(x + found))


def train_circle_reader(left_out, seed, sentences=4000, epochs=20):
    """Train the model on generated sentences and return its accuracy on 1,000 new ones.

    Args:
        left_out: A name of `PARTS`.
        seed: Seed of the weights; the sentences are always the same.
        sentences: How many sentences it is trained on.
        epochs: How often it sees them.
    """
    keras.utils.clear_session()
    keras.utils.set_random_seed(seed)
    rng = np.random.default_rng(0)
    *training, wanted = make_circle_sentences(rng, sentences)
    *unseen, answers = make_circle_sentences(rng, 1000)
    model = build_circle_reader(left_out)
    rate = keras.optimizers.schedules.CosineDecay(1e-2, epochs * -(-sentences // 128), alpha=0.05)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate), loss, jit_compile=False)
    model.optimizer.build(model.trainable_variables)  # before fit, or its step is traced twice
    model.fit(training, wanted, 128, epochs, verbose=0)
    return float((model.predict(unseen, verbose=0).argmax(axis=-1) == answers).mean())
