"""Notebook 1's experiments on the vector: its width, its bits, the loss, and fading gradients."""

import keras
import numpy as np
from helpers.number_words import PAD

NARROW_SOURCE, NARROW_TARGET = 6, 8  # words of the longest numbers of four digits, the end mark included
NARROW_UNITS, NARROW_DIGITS = 32, 4


def mean_loss(logits, targets, mask, loss=None):
    """Return the mean loss per real token.

    Args:
        logits: Float array `(N, T, vocab_size)`.
        targets: Ids `(N, T)`.
        mask: Boolean array `(N, T)`, `True` at the real tokens.
        loss: `masked_cross_entropy`, or None for the loss of Keras.
    """
    if loss is None:
        real = np.where(mask, targets, PAD)
        return float(keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD)(real, logits))
    return float(loss(logits, targets, mask))


def build_narrow(build, width, seed, every_step=False):
    """Build a model of 32 units for short numbers, whose vector has `width` values.

    Args:
        build: `build_translator`.
        width: Values in the vector.
        seed: Seed of the weights and of the order of training.
        every_step: Whether every decoder step gets the vector.
    """
    keras.utils.set_random_seed(seed)
    return build(NARROW_UNITS, width, every_step, NARROW_SOURCE, NARROW_TARGET)


def narrow_shares(model, source, decoder_input, target, digits):
    """Return exact match of a narrow model on held-out numbers of one to four digits.

    The decoder gets the right words. Up to its first mistake that is what it would have written itself, so a sentence
    is entirely right this way if and only if it is right when the decoder writes alone.

    Args:
        model: Model of `build_narrow`.
        source: English ids `(N, SOURCE_LENGTH)`.
        decoder_input: Ids `(N, T)`, the target one step later.
        target: Ids `(N, T)`.
        digits: Integer array `(N,)`.
    """
    few = digits <= NARROW_DIGITS
    source, decoder_input, target, digits = source[few], decoder_input[few], target[few], digits[few]
    target, decoder_input = target[:, :NARROW_TARGET], decoder_input[:, :NARROW_TARGET]
    says = np.asarray(model([source[:, :NARROW_SOURCE], decoder_input])).argmax(axis=-1)
    right = ((says == target) | (target == PAD)).all(axis=1)
    return [float(right[digits == d].mean()) for d in range(1, NARROW_DIGITS + 1)]


def write_rounded(writer, vectors, bits, rounding=None):
    """Let the decoder write from vectors whose values keep a few bits only.

    Args:
        writer: A `Writer`.
        vectors: Float array `(N, U)`.
        bits: Bits per value, from 1 to 8.
        rounding: `quantize`, or None to look the levels up in a table.

    Returns:
        Ids `(N, 18)`.
    """
    if rounding is not None:
        return writer.write(np.asarray(rounding(vectors, bits)))
    levels = np.linspace(-1, 1, (2, 4, 8, 16, 32, 64, 128, 256)[bits - 1])
    return writer.write(levels[np.digitize(vectors, (levels[1:] + levels[:-1]) / 2)])


def share_after(writer, vectors, target, bits=None, rounding=None):
    """Return exact match, the fraction of sentences that are entirely right, after rounding; without `bits`, before it.

    Args:
        writer: A `Writer`.
        vectors: Float array `(N, U)`.
        target: Right ids `(N, 18)`.
        bits: Bits per value.
        rounding: `quantize` or None.
    """
    says = writer.write(vectors) if bits is None else write_rounded(writer, vectors, bits, rounding)
    return float(((says == target) | (target == PAD)).all(axis=1).mean())


def gradient_norms(radius, encode=None, steps=31, units=32):
    """Return norms of the gradient of the last state with respect to inputs 0, 1, 2, ... steps before the end.

    Args:
        radius: Spectral radius of the recurrent weights.
        encode: `rnn_encode`, which reads a batch in which one value of one input is nudged in each row, or None to
            multiply the derivatives of the steps.
        steps: Number of inputs.
        units: Units of the random network.
    """
    rng = np.random.default_rng(1)
    x, w_x, w_h = rng.normal(size=(steps, 8)), 0.1 * rng.normal(size=(8, units)), rng.normal(size=(units, units))
    w_h = radius * w_h / np.abs(np.linalg.eigvals(w_h)).max()
    if encode is not None:
        nudge = 0.1  # so large that the change of the last state survives float32, and small beside inputs of size 1
        by = nudge * np.eye(x.size).reshape(x.size, *x.shape)  # row i nudges value i of all inputs
        everywhere, bias = np.ones((x.size, steps), dtype=bool), np.zeros(units)
        ahead, behind = (np.asarray(encode(x + one, everywhere, w_x, w_h, bias)[1]) for one in (by, -by))
        slopes = ((ahead - behind) / (2 * nudge)).reshape(steps, -1)
        return list(np.linalg.norm(slopes, axis=1)[::-1])
    states = [np.zeros(units)]
    for step in x:
        states.append(np.tanh(step @ w_x + states[-1] @ w_h))
    back, norms = np.eye(units), []
    for state in states[:0:-1]:  # from the last step to the first
        back = back * (1 - state**2)  # through tanh
        norms.append(np.linalg.norm(back @ w_x.T))  # to the input of this step
        back = back @ w_h.T  # to the state before it
    return norms
