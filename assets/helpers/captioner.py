"""A small captioner in the manner of Show, Attend and Tell: convolutions, attention over the grid, a GRU."""

import keras
import numpy as np
from helpers.scenes import CAPTION_LENGTH, SIDE, START, WORDS

UNITS = 48


class PlaceCode(keras.layers.Layer):
    """Adds to each cell of a grid `(B, h, w, D)` a learned vector for its row and one for its column."""

    def build(self, shape):
        """Make one vector for each row and each column."""
        self.rows = self.add_weight(shape=(shape[1], 1, shape[3]), initializer="random_normal", name="rows")
        self.columns = self.add_weight(shape=(1, shape[2], shape[3]), initializer="random_normal", name="columns")

    def call(self, grid):
        """Return the grid with its places added."""
        return grid + self.rows + self.columns


class Captioner(keras.layers.Layer):
    """GRU decoder that looks at the grid before each word; its previous state is the query.

    Args:
        units: Width of the state, of the embeddings and of the score's hidden layer.
        looks: `"chosen"` for learned weights, `"uniform"` for equal ones, `"drawn"` for one cell, drawn with them.
    """

    def __init__(self, units=UNITS, looks="chosen", **options):
        super().__init__(**options)
        self.looks = looks
        self.state_to_score = keras.layers.Dense(units, use_bias=False, name="w_state")
        self.grid_to_score = keras.layers.Dense(units, use_bias=False, name="w_grid")
        self.score = keras.layers.Dense(1, use_bias=False, name="v")
        self.cell = keras.layers.GRUCell(units, reset_after=False, name="cell")
        if looks == "drawn":  # not otherwise: a generator's seed is taken from the numbers that fill the weights
            self.luck = keras.random.SeedGenerator()

    def draw(self, scores):
        """Draw one cell with the softmax of the scores as `(B, S)` of 0 and 1; gradients flow as through a mixture."""
        ops = keras.ops
        gumbel = -ops.log(-ops.log(keras.random.uniform(ops.shape(scores), 1e-6, 1.0, seed=self.luck)))
        mixture = ops.softmax(scores + gumbel)
        cell = ops.one_hot(ops.argmax(mixture, axis=-1), scores.shape[-1])
        return mixture + ops.stop_gradient(cell - mixture)

    def step(self, embedded, state, cells, keys):
        """Look and make one step: the new state, the context and the weights `(B, S)`."""
        ops = keras.ops
        scores = self.score(ops.tanh(self.state_to_score(state)[:, None] + keys))[..., 0]
        weights = ops.softmax(0 * scores if self.looks == "uniform" else scores)
        seen = self.draw(scores) if self.looks == "drawn" else weights
        context = ops.einsum("bs,bsd->bd", seen, cells)
        return self.cell(ops.concatenate([embedded, context], axis=-1), [state])[0], context, weights

    def call(self, embedded, state, grid):
        """Return `[state; context]` of all steps `(B, T, U + D)` and the weights `(B, T, S)`."""
        ops = keras.ops
        cells = ops.reshape(grid, (-1, grid.shape[1] * grid.shape[2], grid.shape[3]))
        keys, outputs, maps = self.grid_to_score(cells), [], []
        for t in range(embedded.shape[1]):
            state, context, weights = self.step(embedded[:, t], state, cells, keys)
            outputs.append(ops.concatenate([state, context], axis=-1))
            maps.append(weights)
        return ops.stack(outputs, axis=1), ops.stack(maps, axis=1)


def build_captioner(looks="chosen", units=UNITS):
    """Build the model from pictures and shifted captions to logits and weights, and one that returns the grid.

    Returns:
        `(model, eye)`: `model([images, words])` returns logits `(B, T, vocab_size)` and weights `(B, T, S)`;
        `eye(images)` the grid `(B, h, w, D)` and the decoder's first state `(B, U)`.
    """
    layers = keras.layers
    images, words = keras.Input((SIDE, SIDE, 3)), keras.Input((CAPTION_LENGTH,), dtype="int32")
    # Two strides of 2: a cell for 4 x 4 pixels.
    x = layers.Conv2D(units // 2, 3, strides=2, padding="same", activation="relu", name="edges")(images)
    x = layers.Conv2D(units, 3, strides=2, padding="same", activation="relu", name="parts")(x)
    x = layers.Conv2D(units, 3, padding="same", activation="relu", name="neighbours")(x)
    x = PlaceCode(name="places")(x)
    grid = layers.Dense(units, activation="relu", name="grid")(x)
    state = layers.Dense(units, activation="tanh", name="first_state")(layers.GlobalAveragePooling2D()(grid))
    embedded = layers.Embedding(len(WORDS), units, name="words")(words)
    outputs, maps = Captioner(units, looks, name="decoder")(embedded, state, grid)
    logits = layers.Dense(len(WORDS), name="logits")(outputs)
    return keras.Model([images, words], [logits, maps]), keras.Model(images, [grid, state])


def shift_caption(captions):
    """Return the decoder's input for captions `(N, T)`: the start mark first, the last id left out."""
    start = np.full_like(captions[:, :1], WORDS.index(START))
    return np.concatenate([start, captions[:, :-1]], axis=1)


def train_captioner(model, data, epochs, penalty=0.0, batch_size=32):
    """Train by teacher forcing, with the penalty's weight `penalty`; return the loss of the words in each epoch."""

    def unequal(steps, maps):  # how far each place is from being looked at once; Keras brings the target first
        looked = keras.ops.sum(maps * steps[..., None], axis=1)
        return keras.ops.sum((1 - looked) ** 2, axis=-1)

    captions = data["captions"]
    steps = epochs * -(-len(captions) // batch_size)
    rate = keras.optimizers.schedules.CosineDecay(4e-3, steps, alpha=0.02)
    words = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(keras.optimizers.Adam(rate, clipnorm=1.0), [words, unequal], loss_weights=[1.0, penalty])
    model.optimizer.build(model.trainable_variables)  # before fit, or its step is traced twice
    target = [captions, np.ones(captions.shape, "float32")]
    history = model.fit([data["images"], shift_caption(captions)], target, batch_size, epochs, verbose=0).history
    return history[next(name for name in history if name.startswith("logits"))]
