"""The paper's recipe for the lesson's Transformer: learning rates step by step, smoothed labels, dropout."""

import keras
import numpy as np
from helpers.translator import HeadedAttention, WordsAndPlaces, shift_right

_UNSEEN = 0  # padding
RECIPE = {"warmup_steps": 60, "factor": 0.35, "epsilon": 0.1, "dropout": 0.1, "batch_size": 64}


class ListedRates(keras.optimizers.schedules.LearningRateSchedule):
    """Learning rates that were computed beforehand, one for each step; after the last one the rate stays."""

    def __init__(self, rates):
        self.rates = np.asarray(rates, dtype="float32")

    def __call__(self, step):
        """Return the learning rate of a step, counted from 0."""
        return keras.ops.take(self.rates, keras.ops.minimum(keras.ops.cast(step, "int32"), len(self.rates) - 1))


def rates_of_recipe(steps, width, rate=None, warm_up=True):
    """Return the learning rates of the steps 1, 2, ..., `(steps,)`.

    Args:
        steps: Number of updates.
        width: Width of the model, for the student's function.
        rate: A student's function `(step, d_model, warmup_steps)`; with None the rates are those of the lesson's model,
            which is 32 wide, and of its recipe.
        warm_up: False to begin with the highest rate; the later steps are the same.
    """
    reach, counted = RECIPE["warmup_steps"], np.arange(1, steps + 1)
    if rate is None:
        share = counted / 60
        listed = (32 * 60) ** -0.5 * np.where(share < 1, share, share**-0.5)
    else:
        listed = np.array([float(rate(int(n), width, reach)) for n in counted])
    if not warm_up:
        listed[:reach] = listed[reach - 1]
    return RECIPE["factor"] * listed


def labels_of_recipe(vocab_size, smooth=None):
    """Return the target distribution of each word of the vocabulary, `(vocab_size, vocab_size)`.

    Args:
        vocab_size: Number of words.
        smooth: A student's function `(targets, vocab_size, epsilon)`; with None the labels are those of the recipe.
    """
    if smooth is not None:
        return np.asarray(smooth(np.arange(vocab_size), vocab_size, RECIPE["epsilon"]), dtype="float32")
    labels = np.full((vocab_size, vocab_size), 0.1 / vocab_size, dtype="float32")
    np.fill_diagonal(labels, labels[0, 0] + 1 - 0.1)
    return labels


def with_dropout(model, share):
    """Return a model with the same layers and dropout where the paper has it.

    That is on the words with their positions, and on what each sublayer adds.
    """

    def call(layer, *args, **options):
        result = layer(*args, **options)
        if isinstance(layer, HeadedAttention):
            return keras.layers.Dropout(share)(result[0]), result[1]
        # The feed-forward's hidden layer is twice as wide as the model.
        ends_feed_forward = isinstance(layer, keras.layers.Dense) and 2 * layer.units == args[0].shape[-1]
        if isinstance(layer, WordsAndPlaces) or ends_feed_forward:
            return keras.layers.Dropout(share)(result)
        return result

    return keras.models.clone_model(model, clone_function=lambda layer: layer, call_function=call)


def train_by_recipe(model, source, target, epochs, rates, labels, dropout=0.0):
    """Train by teacher forcing against distributions, with weights averaged over the last steps.

    Args:
        model: From `[source ids (B, S), decoder input (B, T)]` to logits `(B, T, vocab_size)`.
        source: Ids `(N, S)`.
        target: Ids `(N, T)`; padding does not count.
        epochs: Passes over all pairs.
        rates: Learning rate of each step.
        labels: Target distribution of each word, `(vocab_size, vocab_size)`.
        dropout: Share of what is dropped in training.

    Returns:
        The loss per word of each epoch.
    """

    def loss(ids, logits):
        ops, ids = keras.ops, keras.ops.cast(ids, "int32")
        each = -ops.sum(ops.take(labels, ids, axis=0) * ops.log_softmax(logits), axis=-1)
        real = ops.cast(ids != _UNSEEN, "float32")
        return ops.sum(each * real) / ops.sum(real)

    adam = keras.optimizers.Adam(
        ListedRates(rates), beta_1=0.9, beta_2=0.98, epsilon=1e-9, use_ema=True, ema_momentum=0.97
    )
    trained = with_dropout(model, dropout) if dropout else model
    trained.compile(adam, loss)
    trained.optimizer.build(trained.trainable_variables)  # before fit, or its step is traced twice
    return trained.fit([source, shift_right(target)], target, RECIPE["batch_size"], epochs, verbose=0).history["loss"]


def loss_per_word(model, source, target):
    """Return the mean cross entropy of the right words, in nats, without smoothing or dropout."""
    logits = model.predict([source, shift_right(target)], batch_size=512, verbose=0).astype(float)
    logits -= logits.max(axis=-1, keepdims=True)
    log_p = logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))
    return float(-np.take_along_axis(log_p, target[..., None], axis=-1)[..., 0][target != _UNSEEN].mean())
