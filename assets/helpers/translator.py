"""The Transformer of the demonstrations: built, trained, decoded and looked into, without any exercise's answer."""

import keras
import numpy as np

_PAD, _START = 0, 1  # the same in both vocabularies of every task


class HeadedAttention(keras.layers.Layer):
    """Multi-head attention that always hands out its weights; keys and values come from one product."""

    def __init__(self, width, num_heads, **options):
        super().__init__(**options)
        self.num_heads, self.scale = num_heads, (width // num_heads) ** -0.5
        self.to_query, self.to_pair = keras.layers.Dense(width), keras.layers.Dense(2 * width)
        self.to_output = keras.layers.Dense(width)

    def _split(self, x):
        shape = (-1, x.shape[1], self.num_heads, x.shape[2] // self.num_heads)
        return keras.ops.transpose(keras.ops.reshape(x, shape), (0, 2, 1, 3))

    def call(self, x, memory, mask):
        """Let `x (B, T, D)` attend to `memory (B, S, D)`; `mask` fits `(B, H, T, S)`, True = may attend."""
        key, value = (self._split(part) for part in keras.ops.split(self.to_pair(memory), 2, axis=-1))
        scores = keras.ops.matmul(self._split(self.to_query(x)), keras.ops.swapaxes(key, -2, -1)) * self.scale
        weights = keras.ops.softmax(keras.ops.where(mask, scores, -1e9))
        merged = keras.ops.transpose(keras.ops.matmul(weights, value), (0, 2, 1, 3))
        return self.to_output(keras.ops.reshape(merged, (-1, *x.shape[1:]))), weights


class WordsAndPlaces(keras.layers.Layer):
    """Embedding times the root of its width, plus sines and cosines of the position."""

    def __init__(self, vocab_size, width, length, **options):
        super().__init__(**options)
        start = keras.initializers.RandomNormal(stddev=width**-0.5)
        self.words = keras.layers.Embedding(vocab_size, width, embeddings_initializer=start)
        columns = np.arange(width)
        angles = np.arange(length)[:, None] / 10000.0 ** (2 * (columns // 2) / width)
        self.places = np.where(columns % 2, np.cos(angles), np.sin(angles)).astype("float32")
        self.root = width**0.5

    def call(self, ids):
        """Turn ids `(B, T)` into vectors `(B, T, D)`."""
        return self.words(ids) * self.root + self.places[: ids.shape[1]]


def make_translator(source_words, target_words, source_length, target_length, width=64, num_heads=4, depth=2, d_ff=128):
    """Build a Transformer, post-norm as in the paper.

    Returns:
        `(model, maps)`: from `[source ids (B, S), decoder input (B, T)]` to logits `(B, T, vocab_size)`, and with the
        same layers to a dict of weights, each a list of `(B, H, T, S)`, one for each layer.
    """
    layers, ops = keras.layers, keras.ops
    source = keras.Input((source_length,), dtype="int32")
    target = keras.Input((target_length,), dtype="int32")
    real = ops.not_equal(source, _PAD)[:, None, None, :]
    past = np.tri(target_length, dtype=bool)[None, None]
    maps = {"encoder self-attention": [], "decoder self-attention": [], "cross-attention": []}

    def attend(x, memory, mask, kind):
        out, weights = HeadedAttention(width, num_heads)(x, memory, mask)
        maps[kind].append(weights)
        return layers.LayerNormalization(epsilon=1e-5)(x + out)

    def transform(x):
        return layers.LayerNormalization(epsilon=1e-5)(x + layers.Dense(width)(layers.Dense(d_ff, "relu")(x)))

    memory = WordsAndPlaces(source_words, width, source_length)(source)
    for _ in range(depth):
        memory = transform(attend(memory, memory, real, "encoder self-attention"))
    y = WordsAndPlaces(target_words, width, target_length)(target)
    for _ in range(depth):
        y = attend(y, y, past, "decoder self-attention")
        y = transform(attend(y, memory, real, "cross-attention"))
    model = keras.Model([source, target], layers.Dense(target_words)(y))
    return model, keras.Model([source, target], maps)


class WarmUp(keras.optimizers.schedules.LearningRateSchedule):
    """The paper's schedule: up in a straight line to the peak, then down with the root of the step."""

    def __init__(self, peak, warmup_steps):
        self.peak, self.warmup_steps = peak, warmup_steps

    def __call__(self, step):
        """Give the learning rate of a step, counted from 0."""
        share = (keras.ops.cast(step, "float32") + 1) / self.warmup_steps
        return self.peak * keras.ops.minimum(share, keras.ops.rsqrt(share))


def shift_right(ids):
    """Give the decoder's input: the start mark in front, the last id left out."""
    return np.concatenate([np.full_like(ids[:, :1], _START), ids[:, :-1]], axis=1)


def train_translator(model, source, target, epochs, peak=3e-3, warmup_steps=100, batch_size=128):
    """Train by teacher forcing, as the paper does: Adam with its betas, warm-up, weights averaged over the last steps.

    Padding does not count in the loss.

    Returns:
        The loss per word of each epoch.
    """
    rate = WarmUp(peak, warmup_steps)
    adam = keras.optimizers.Adam(rate, beta_1=0.9, beta_2=0.98, epsilon=1e-9, use_ema=True, ema_momentum=0.97)
    model.compile(adam, keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=_PAD))
    model.optimizer.build(model.trainable_variables)  # before fit, or its step is traced twice
    return model.fit([source, shift_right(target)], target, batch_size, epochs, verbose=0).history["loss"]


def decode_greedily(model, source):
    """Translate `source (B, S)` with the largest logit at each step: ids `(B, T)`, which go on behind the end mark."""
    tokens = np.full((len(source), model.output_shape[1] + 1), _PAD)
    tokens[:, 0] = _START
    for t in range(model.output_shape[1]):
        tokens[:, t + 1] = model.predict([source, tokens[:, :-1]], batch_size=512, verbose=0)[:, t].argmax(axis=-1)
    return tokens[:, 1:]


def whole_sentence_right(written, target):
    """Tell for each row whether every real position agrees: bool `(B,)`."""
    return ((written == target) | (target == _PAD)).all(axis=1)


def decode_with_beam(model, source, beam_size):
    """Translate with beam search, all sentences and hypotheses in one batch; no length penalty.

    Returns:
        `(tokens, total)`: ids `(B, T)` padded behind the end mark, and the sum of log probabilities `(B,)`.
    """
    count, length, end = len(source), model.output_shape[1], _START + 1
    tokens = np.full((count, beam_size, length + 1), _PAD)
    tokens[:, :, 0] = _START
    total = np.where(np.arange(beam_size) == 0, 0.0, -np.inf) * np.ones((count, 1))
    over, repeated = np.zeros((count, beam_size), dtype=bool), np.repeat(source, beam_size, axis=0)
    for t in range(length):
        logits = model.predict([repeated, tokens[:, :, :-1].reshape(-1, length)], batch_size=1024, verbose=0)[:, t]
        logits = logits - logits.max(axis=-1, keepdims=True)
        log_p = (logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))).reshape(count, beam_size, -1)
        stay = np.where(np.arange(log_p.shape[-1]) == _PAD, 0.0, -np.inf)  # an ended hypothesis is padded at no cost
        grown = (total[..., None] + np.where(over[..., None], stay, log_p)).reshape(count, -1)
        best = np.argsort(-grown, axis=1)[:, :beam_size]
        parent, word = best // log_p.shape[-1], best % log_p.shape[-1]
        tokens = np.take_along_axis(tokens, parent[..., None], axis=1)
        tokens[:, :, t + 1] = word
        total = np.take_along_axis(grown, best, axis=1)
        over = np.take_along_axis(over, parent, axis=1) | (word == end)
    return tokens[:, 0, 1:], total[:, 0]
