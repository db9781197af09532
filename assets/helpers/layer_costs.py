"""What a layer costs against the length of the sentence, and the learning rate against the step."""

import functools
import time

import keras
import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import MARKERS, OKABE_ITO, QUIET, show

_PLACES = {"self-attention": 3, "recurrent": 2, "convolution": 0}  # colours and marks as where the models are compared


@functools.cache  # a clock never says the same twice; a session that runs the cell again sees what it saw before
def measure_layers(width, lengths, repeats=15):
    """Measure the time of one call of three layers: self-attention, a GRU, a convolution of kernel 3.

    Returns:
        For each layer a list of seconds, the fastest of several calls, one for each length.
    """
    layers = {
        "self-attention": keras.layers.MultiHeadAttention(1, width),
        "recurrent": keras.layers.GRU(width, return_sequences=True),
        "convolution": keras.layers.Conv1D(width, 3, padding="same"),
    }
    models, best = {}, {}
    for length in lengths:
        inputs = keras.Input((length, width))
        x = np.random.default_rng(0).normal(size=(1, length, width)).astype("float32")
        for name, layer in layers.items():
            outputs = layer(inputs, inputs) if name == "self-attention" else layer(inputs)
            models[name, length] = keras.Model(inputs, outputs), x
            for _ in range(8):  # the first call builds; TensorFlow warns if too few follow
                models[name, length][0].predict_on_batch(x)
    for _ in range(repeats):  # by turns, so that a moment in which the machine is busy spoils one call of each
        for key, (model, x) in models.items():
            begun = time.perf_counter()
            model.predict_on_batch(x)
            best[key] = min(best.get(key, np.inf), time.perf_counter() - begun)
    seconds = {name: [best[name, length] for length in lengths] for name in layers}
    return seconds


def growth(lengths, times, last=2):
    """Return the factor by which time grows with a doubling of the length, the mean of the last few doublings."""
    first = -min(last + 1, len(times))
    return (times[-1] / times[first]) ** (1 / np.log2(lengths[-1] / lengths[first]))


def show_growth(lengths, seconds, title):
    """Show seconds against length, both axes logarithmic, with short lines of slope 1 and 2 above the last two."""
    figure, ax = plt.subplots(figsize=(6.4, 3.6))
    for name, times in seconds.items():
        i = _PLACES[name]
        ax.loglog(lengths, np.array(times) * 1e3, color=OKABE_ITO[i], marker=MARKERS[i], ms=6, label=name)
    high, last = max(times[-1] for times in seconds.values()) * 1e3, np.array(lengths[-2:])
    for power, style in ((1, ":"), (2, "--")):
        line = high * 2.5 * (last / last[-1]) ** power
        ax.loglog(last, line, color=QUIET, lw=1.2, ls=style, label=f"slope {power}: a doubling x {2**power}")
    ax.set_xticks(lengths, lengths)
    ax.minorticks_off()
    ax.set(xlabel="words", ylabel="milliseconds", title=title)
    ax.legend(loc="upper left")
    said = "; ".join(f"{name}: x {growth(lengths, times):.1f}" for name, times in seconds.items())
    show(figure, f"{title}, from {lengths[0]} to {lengths[-1]} words. Mean of the last two doublings: {said}.")


def show_schedule(warmup_steps, widths):
    """Show the paper's learning rate for some widths, and say where its peak is."""
    figure, ax = plt.subplots(figsize=(6.4, 2.9))
    steps = np.arange(1, 20_001)
    said = []
    for i, width in enumerate(widths):
        rate = width**-0.5 * np.minimum(steps**-0.5, steps * warmup_steps**-1.5)
        ax.plot(steps, rate, color=OKABE_ITO[i], ls=("-", "--")[i % 2], label=f"d_model {width}")
        said.append(f"d_model {width}: highest at step {steps[rate.argmax()]}, {rate.max():.5e}")
    ax.set(xlabel="step", ylabel="learning rate", ylim=(0, 0.003), title=f"Warm-up of {warmup_steps} steps")
    ax.legend()
    show(figure, f"Learning rate against step. Warm-up of {warmup_steps} steps. {'; '.join(said)}.")
    print("\n".join(said))
