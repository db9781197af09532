"""Training of the small stacks: to write, to fill gaps, and to tell libraries apart."""

import keras
import numpy as np
from helpers.small_stack import Stack
from helpers.subwords import MASK, PAD, SPECIAL


def fit_stack(model, inputs, targets, weights=None, steps=900, batch=16, rate=6e-3, seed=0):
    """Train a stack for a number of updates, in a fixed random order.

    Args:
        model: A stack.
        inputs: Ids `(N, T)`.
        targets: Ids `(N, T)`.
        weights: How much each target counts, `(N, T)`; None for 1 each.
        steps: Number of updates.
        batch: Windows in each.
        rate: Largest learning rate; it rises for 30 updates and then falls along a cosine.
        seed: Seed of the order.

    Returns:
        The mean training loss of each tenth of the updates.
    """
    falling = keras.optimizers.schedules.CosineDecay
    rate = falling(rate / 10, steps - 30, warmup_target=rate, warmup_steps=30, alpha=0.05)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    adam = keras.optimizers.Adam(rate, beta_2=0.99, clipnorm=1.0)
    model.compile(adam, loss, steps_per_execution=10, jit_compile=False)
    model.optimizer.build(model.trainable_variables)  # before fit, or its step is traced twice
    rng, passes = np.random.default_rng(seed), steps * batch // len(inputs) + 1
    order = np.concatenate([rng.permutation(len(inputs)) for _ in range(passes)])[: steps * batch]
    history = []
    for part in np.split(order, 10):
        counts = None if weights is None else weights[part]
        options = {"sample_weight": counts, "batch_size": batch, "shuffle": False, "verbose": 0}
        report = model.fit(inputs[part], targets[part], **options)
        history.append(report.history["loss"][0])
    return history


def new_stack(vocab_size, length=64, causal=True, seed=0, **sizes):
    """Build a stack and seed all random numbers."""
    keras.utils.clear_session()  # layers are named from the start, so a second training repeats the first
    keras.utils.set_random_seed(seed)
    model = Stack(vocab_size, length, causal=causal, **sizes)
    model(np.ones((1, length), dtype="int32"))
    return model


def fit_masked(model, rows, hide=None, share=0.15, steps=900, batch=16, seed=0, **options):
    """Train a stack to fill gaps, with new gaps in every pass.

    Args:
        model: A stack without a causal mask.
        rows: Ids `(N, T)`.
        hide: The student's `mask_tokens`; None hides every selected token.
        share: Share of the tokens that is selected.
        steps: Number of updates.
        batch: Rows in each.
        seed: Seed of gaps and order.
        **options: Passed to `fit_stack`.

    Returns:
        The mean training loss of each tenth of the updates, in nats per selected token.
    """
    rng, size = np.random.default_rng(seed), model.settings["vocab_size"]
    many = np.concatenate([rows] * (steps * batch // len(rows) + 1))
    if hide is None:
        selected = (rng.random(many.shape) < share) & (many >= len(SPECIAL))
        inputs = np.where(selected, MASK, many)
    else:
        inputs, selected = (np.asarray(a) for a in hide(many, size, MASK, list(range(len(SPECIAL))), rng, share))
    weights = selected / selected.mean()  # so that the loss is a mean over the selected tokens
    return fit_stack(model, inputs, many, weights.astype("float32"), steps, batch, seed=seed, **options)


def logits_of(model, ids):
    """Return the logits of many rows of ids, in parts; `predict` would compile a function for every new model."""
    return np.concatenate([model(part) for part in np.array_split(ids, -(-len(ids) // 64))])


def held_out_loss(model, inputs, targets):
    """Return the mean loss of a stack on windows, as Keras computes it, in nats."""
    logits = logits_of(model, inputs)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD)
    return float(loss(targets, logits))
