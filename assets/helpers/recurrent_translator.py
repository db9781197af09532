"""The recurrent translator of number words: built around a decoder, trained by teacher forcing, run by itself."""

import keras
import numpy as np
from helpers.number_words import ENGLISH, GERMAN, PAD, SOURCE_LENGTH, START, TARGET_LENGTH


def start_afresh(seed):
    """Seed everything and let Keras number its layers from the start, so that a second training repeats the first.

    The names of layers enter the graph that TensorFlow compiles, and with them the order of its sums.
    """
    keras.utils.clear_session()
    keras.utils.set_random_seed(seed)


class WordByWord(keras.layers.Layer):
    """Decoder that calls its `step` once for each word; a subclass has `step` and the layer `project_key`."""

    def call(self, embedded, state, annotations, real):
        """Return `[state; context]` of each step, `(B, T, U + E)`, and the weights, `(B, T, S)`."""
        keys, outputs, maps = self.project_key(annotations), [], []  # keys once per sentence
        for t in range(embedded.shape[1]):
            state, context, weights = self.step(embedded[:, t], state, annotations, keys, real)
            outputs.append(keras.ops.concatenate([state, context], axis=-1))
            maps.append(weights)
        return keras.ops.stack(outputs, axis=1), keras.ops.stack(maps, axis=1)


def build_translator(decoder, units, encoder="bidirectional", context="chosen"):
    """Build the model from source ids and shifted target ids to logits.

    Args:
        decoder: Keras layer, called with `(embedded (B, T, D), state (B, U), annotations (B, S, E), real (B, S))`, that
            returns `[state; context]` of each step `(B, T, U + E)` and the weights `(B, T, S)`. Its attribute
            `attention` is the layer that scores.
        units: Width of the embeddings, of the annotations and of the decoder's state.
        encoder: `"bidirectional"`, with half of the units in each direction, or `"forward"`.
        context: `"chosen"` for weights that the decoder learns; `"uniform"` for equal weights: v is zero and stays so;
            `"fixed"` for the encoder's final state, the same vector at every step: a list of one annotation.

    Returns:
        `(model, maps)`: the model, and one with the same layers that returns weights, first state and annotations.
    """
    layers, ops = keras.layers, keras.ops
    source = keras.Input((SOURCE_LENGTH,), dtype="int32")  # (B, S)
    decoder_input = keras.Input((TARGET_LENGTH,), dtype="int32")  # (B, T)
    real = ops.not_equal(source, PAD)
    x = layers.Embedding(len(ENGLISH), units)(source)
    options = {"return_sequences": True, "return_state": True, "unroll": True}
    if encoder == "bidirectional":
        # Not layers.Bidirectional: unrolled and with a mask it zeroes the backward states of the first positions, since
        # Keras 3.15 reverses the mask for the steps but not for the outputs. So the input is reversed instead.
        ahead, last = layers.GRU(units // 2, **options, name="forward")(x, mask=real)
        backward = layers.GRU(units // 2, **options, name="backward")
        behind, first = backward(ops.flip(x, axis=1), mask=ops.flip(real, axis=1))
        annotations = ops.concatenate([ahead, ops.flip(behind, axis=1)], axis=-1)
        final = ops.concatenate([last, first], axis=-1)  # each direction has read the whole sentence
    else:
        annotations, final = layers.GRU(units, **options, name="encoder")(x, mask=real)
    state = layers.Dense(units, activation="tanh", name="first_state")(final)
    if context == "fixed":
        annotations, real = final[:, None], ops.ones_like(source[:, :1], dtype="bool")
    y = layers.Embedding(len(GERMAN), units, name="words")(decoder_input)
    outputs, weights = decoder(y, state, annotations, real)
    if context == "uniform":
        decoder.attention.scale.assign(np.zeros(units))
        decoder.attention.trainable = False
    logits = layers.Dense(len(GERMAN), name="logits")(outputs)  # (B, T, vocab_size)
    inputs = [source, decoder_input]
    return keras.Model(inputs, logits), keras.Model(inputs, [weights, state, annotations])


def shift_right(ids):
    """Return the decoder's input for a target: the start mark first, the last id left out."""
    return np.concatenate([np.full_like(ids[:, :1], START), ids[:, :-1]], axis=1)


def train_translator(model, source, target, epochs, batch_size=64):
    """Train by teacher forcing; padding does not count in the loss.

    Returns:
        The loss per word of each epoch.
    """
    steps = epochs * -(-len(source) // batch_size)
    rate = keras.optimizers.schedules.CosineDecay(1e-2, steps, alpha=0.05)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD)
    model.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss)
    model.optimizer.build(model.trainable_variables)  # before fit, or its step is traced twice
    return model.fit([source, shift_right(target)], target, batch_size, epochs, verbose=0).history["loss"]


def translate(model, source):
    """Translate `source (B, S)` greedily: each word the model chose is its next input. Returns ids `(B, T)`."""
    tokens = np.full((len(source), TARGET_LENGTH + 1), PAD)
    tokens[:, 0] = START
    for t in range(TARGET_LENGTH):  # the whole decoder runs for each word: wasteful, and short
        logits = model.predict([source, tokens[:, :-1]], batch_size=512, verbose=0)
        tokens[:, t + 1] = logits[:, t].argmax(axis=-1)
    return tokens[:, 1:]


def count_changed_annotations(words, change):
    """Return how many annotations of a random sentence change with one word, by the kind of encoder.

    Args:
        words: Number of words.
        change: Position of the word that is replaced.
    """
    x = np.random.default_rng(0).normal(size=(1, words, 4)).astype("float32")
    other = x.copy()
    other[0, change] += 1.0
    forward = keras.layers.GRU(3, return_sequences=True)
    both = keras.layers.Bidirectional(keras.layers.GRU(3, return_sequences=True))
    return {name: int((np.abs(np.asarray(encoder(other) - encoder(x)))[0] > 0).any(axis=-1).sum())
            for name, encoder in (("forward", forward), ("bidirectional", both))}  # fmt: skip
