"""Notebook 1's experiments on the vector: its width, its bits, the loss, and fading gradients."""

import keras
import matplotlib.pyplot as plt
import numpy as np
from helpers.number_words import PAD
from helpers.plots import MARKERS, OKABE_ITO, show

NARROW_SOURCE, NARROW_TARGET = 6, 8  # words of the longest numbers of four digits, the end mark included
NARROW_UNITS, NARROW_DIGITS = 32, 4


def mean_loss(logits, targets, loss=None):
    """Return the mean loss per real token.

    Args:
        logits: Float array `(N, T, vocab_size)`.
        targets: Ids `(N, T)`.
        loss: `masked_cross_entropy`, or None for the loss of Keras.
    """
    if loss is None:
        return float(keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD)(targets, logits))
    return float(loss(logits, targets, targets != PAD))


def build_narrow(build, width, seed, every_step=False):
    """Build a model of 32 units for short numbers, whose vector has `width` numbers.

    Args:
        build: `build_translator`.
        width: Numbers in the vector.
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
        source: English ids `(N, S)`.
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


def show_widths(stored):
    """Show exact match at four digits against the width of the vector, a point for each run.

    Args:
        stored: `STORED_WIDTHS`.
    """
    figure, ax = plt.subplots(figsize=(6.2, 3.5))
    said = []
    for i, (way, label) in enumerate(
        (("first state", "given once, as the first state"), ("every step", "given at every step"))
    ):
        means = {width: np.array(runs)[:, -1] for width, runs in stored[way].items()}
        places = np.log2(list(means)) + 0.06 * (2 * i - 1)
        for place, runs in zip(places, means.values(), strict=True):
            ax.plot(np.full(len(runs), place), runs, ls="", marker=MARKERS[i], ms=5, color=OKABE_ITO[i], alpha=0.45)
        average = [runs.mean() for runs in means.values()]
        ax.plot(places, average, color=OKABE_ITO[i], marker=MARKERS[i], ms=9, label=label)
        for width, runs in means.items():
            said.append(
                f"{label}, {width:2} numbers: mean {runs.mean():.3f}, seeds from {runs.min():.3f} to {runs.max():.3f}"
            )
    ax.set_xticks(np.log2(list(stored["first state"])), list(stored["first state"]))
    ax.set(
        xlabel="numbers in the vector (encoder and decoder: 32 units)",
        ylabel="exact match, 4 digits",
        ylim=(-0.04, 1.04),
    )
    ax.set_title("A wider vector, all else the same (small points: single seeds)")
    ax.legend(loc="lower right")
    show(figure, f"Exact match on four-digit numbers against the width of the vector. {'; '.join(said)}.")
    print("\n".join(said))


def write_rounded(writer, vectors, bits, rounding=None):
    """Let the decoder write from vectors whose numbers keep a few bits only.

    Args:
        writer: A `Writer`.
        vectors: Float array `(N, U)`.
        bits: Bits of each number.
        rounding: `quantize`, or None to look the levels up in a table.

    Returns:
        Ids `(N, 18)`.
    """
    if rounding is not None:
        return writer.write(np.asarray(rounding(vectors, bits)))
    levels = np.linspace(-1, 1, 2**bits)
    return writer.write(levels[np.digitize(vectors, (levels[1:] + levels[:-1]) / 2)])


def share_after(writer, vectors, target, bits=None, rounding=None):
    """Return the share of sentences that are entirely right after rounding; without `bits`, before it.

    Args:
        writer: A `Writer`.
        vectors: Float array `(N, U)`.
        target: Right ids `(N, 18)`.
        bits: Bits of each number.
        rounding: `quantize` or None.
    """
    says = writer.write(vectors) if bits is None else write_rounded(writer, vectors, bits, rounding)
    return float(((says == target) | (target == PAD)).all(axis=1).mean())


def gradient_norms(radius, steps=31, units=32):
    """Return norms of the gradient of the last state with respect to inputs 0, 1, 2, ... steps before the end.

    Args:
        radius: Largest eigenvalue of the recurrent weights, in absolute value.
        steps: Number of inputs.
        units: Units of the random network.
    """
    rng = np.random.default_rng(1)
    x, w_x, w_h = rng.normal(size=(steps, 8)), 0.1 * rng.normal(size=(8, units)), rng.normal(size=(units, units))
    w_h = radius * w_h / np.abs(np.linalg.eigvals(w_h)).max()
    states = [np.zeros(units)]
    for step in x:
        states.append(np.tanh(step @ w_x + states[-1] @ w_h))
    back, norms = np.eye(units), []
    for state in states[:0:-1]:  # from the last step to the first
        back = back * (1 - state**2)  # through tanh
        norms.append(np.linalg.norm(back @ w_x.T))  # to the input of this step
        back = back @ w_h.T  # to the state before it
    return norms
