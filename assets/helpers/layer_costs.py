"""What a layer costs against the length of the sentence, and the learning rate against the step."""

import time

import keras
import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import MARKERS, OKABE_ITO, QUIET, show

_PLACES = {"self-attention": 3, "recurrent": 2, "convolution": 5}  # colours and marks as where the models are compared


def measure_layers(width, lengths, repeats=9):
    """Measure the time of one call of three layers: self-attention, a GRU, a convolution of kernel 3.

    Returns:
        For each layer a list of seconds, the fastest of several calls, one for each length.
    """
    layers = {
        "self-attention": keras.layers.MultiHeadAttention(1, width),
        "recurrent": keras.layers.GRU(width, return_sequences=True),
        "convolution": keras.layers.Conv1D(width, 3, padding="same"),
    }
    seconds = {name: [] for name in layers}
    for length in lengths:
        x = np.random.default_rng(0).normal(size=(1, length, width)).astype("float32")
        for name, layer in layers.items():
            inputs = keras.Input((length, width))
            model = keras.Model(inputs, layer(inputs, inputs) if name == "self-attention" else layer(inputs))
            model.predict_on_batch(x)
            times = []
            for _ in range(repeats):
                begun = time.perf_counter()
                model.predict_on_batch(x)
                times.append(time.perf_counter() - begun)
            seconds[name].append(min(times))
    return seconds


def show_growth(lengths, seconds, title):
    """Show seconds against length, both axes logarithmic, with lines of slope 1 and 2."""
    figure, ax = plt.subplots(figsize=(6.4, 3.6))
    for name, times in seconds.items():
        i = _PLACES[name]
        ax.loglog(lengths, np.array(times) * 1e3, color=OKABE_ITO[i], marker=MARKERS[i], ms=6, label=name)
    high = max(times[-1] for times in seconds.values()) * 1e3
    for power, style in ((1, ":"), (2, "--")):
        line = high * 1.6 * (np.array(lengths) / lengths[-1]) ** power
        ax.loglog(lengths, line, color=QUIET, lw=1.2, ls=style, label=f"slope {power}")
    ax.set_xticks(lengths, lengths)
    ax.minorticks_off()
    ax.set(xlabel="words", ylabel="milliseconds", title=title)
    ax.legend(ncols=2)
    said = "; ".join(f"{name}: last doubling x {times[-1] / times[-2]:.1f}" for name, times in seconds.items())
    show(figure, f"{title}, from {lengths[0]} to {lengths[-1]} words. {said}.")


def show_schedule(warmup_steps, widths):
    """Show the paper's learning rate for some widths, and say where its peak is."""
    figure, ax = plt.subplots(figsize=(6.4, 2.9))
    steps = np.arange(1, 20_001)
    said = []
    for i, width in enumerate(widths):
        rate = width**-0.5 * np.minimum(steps**-0.5, steps * warmup_steps**-1.5)
        ax.plot(steps, rate, color=OKABE_ITO[i], ls=("-", "--")[i % 2], label=f"d_model {width}")
        said.append(f"d_model {width}: highest at step {steps[rate.argmax()]}, {rate.max():.5e}")
    ax.set(xlabel="step", ylabel="learning rate", ylim=(0, 0.006), title=f"Warm-up of {warmup_steps} steps")
    ax.legend()
    show(figure, f"Learning rate against step. Warm-up of {warmup_steps} steps. {'; '.join(said)}.")
    print("\n".join(said))
