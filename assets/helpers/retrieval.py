"""A small retrieval task: find the item that a question resembles, and say of which kind it is."""

import keras
import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, MARKERS, OKABE_ITO, PAPER, QUIET, show
from helpers.tables import to_width

ITEMS, ENTRIES, KINDS = 16, 32, 8  # items of a memory, entries of an item, kinds of items
_SURE = 8.0  # logit of a kind that has all the weight: enough for a probability of 0.998


def make_memories(count, seed):
    """Draw memories with a question to each: a copy of one of the items, with noise.

    Returns:
        `([asked, items, values], kinds)`: `(N, 1, 32)`, `(N, 16, 32)`, each item's kind as a row of one 1 and seven 0,
        `(N, 16, 8)`, and the kind of the item asked for, `(N,)`.
    """
    rng = np.random.default_rng(seed)
    items, kinds = rng.normal(size=(count, ITEMS, ENTRIES)), rng.integers(0, KINDS, size=(count, ITEMS))
    wanted, row = rng.integers(0, ITEMS, size=count), np.arange(count)
    asked = (items[row, wanted] + 0.5 * rng.normal(size=(count, ENTRIES))) / np.sqrt(1.25)
    arrays = [a.astype("float32") for a in (asked[:, None], items, np.eye(KINDS)[kinds])]
    return arrays, kinds[row, wanted]


def build_reader(width, scale, seed=0):
    """Build a model that answers by dot-product attention; only the projections of question and items are trained.

    Args:
        width: Width K of query and key. At the start their entries have variance 1.
        scale: The scores are multiplied by it.
        seed: Seed of the weights.

    Returns:
        A Keras model from `[asked, items, values]` to logits `(N, 8)`.
    """
    keras.utils.set_random_seed(seed)
    inputs = [keras.Input((1, ENTRIES)), keras.Input((ITEMS, ENTRIES)), keras.Input((ITEMS, KINDS))]
    query, key = (
        keras.layers.Dense(
            width, use_bias=False, name=name, kernel_initializer=keras.initializers.RandomNormal(stddev=ENTRIES**-0.5)
        )(x)
        for name, x in zip(("query", "key"), inputs[:2], strict=True)
    )
    attention = keras.layers.Attention(use_scale=True, name="attention")
    mixed = attention([query, inputs[2], key])
    attention.scale.assign(scale)
    attention.trainable = False
    return keras.Model(inputs, keras.layers.Rescaling(_SURE)(keras.layers.Flatten()(mixed)))


def train_reader(model, optimizer, rate, epochs=3, seed=0):
    """Train a reader on 8,192 memories in batches of 64, 128 steps in each epoch.

    Args:
        model: Model of `build_reader`.
        optimizer: "SGD" or "Adam".
        rate: Learning rate.
        epochs: Passes over the memories.
        seed: Seed of the memories and of their order.

    Returns:
        Accuracy on 1,000 other memories after each epoch.
    """
    (arrays, kinds), held_out = make_memories(8192, 2 * seed + 1), make_memories(1000, 2 * seed + 2)
    made = {"SGD": keras.optimizers.SGD, "Adam": keras.optimizers.Adam}[optimizer](rate)
    model.compile(made, keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    model.optimizer.build(model.trainable_variables)  # before fit, or its step is traced twice
    keras.utils.set_random_seed(seed)
    history = model.fit(arrays, kinds, batch_size=64, epochs=epochs, validation_data=held_out, verbose=0)
    return [round(float(share), 3) for share in history.history["val_accuracy"]]


def answer_with(model, attention=None, count=1000, seed=2):
    """Let a trained reader answer, its attention computed by a function; print how it does and how it differs.

    Args:
        model: Model of `build_reader`.
        attention: `keras_attention`, or None for the model's own layer.
        count: Number of memories.
        seed: Seed of the memories.
    """
    (asked, items, values), kinds = make_memories(count, seed)
    own = np.asarray(model.predict([asked, items, values], batch_size=500, verbose=0))
    logits = own
    if attention is not None:
        query, key = (x @ np.asarray(model.get_layer(n).kernel) for n, x in (("query", asked), ("key", items)))
        scale = float(np.asarray(model.get_layer("attention").scale))
        logits = _SURE * np.asarray(attention(query, values, key, scale)[0])[:, 0]
    right = float((logits.argmax(axis=-1) == kinds).mean())
    print(f"right answers on {count:,} held-out memories: {right:.3f}")
    print(f"largest difference of a logit from the Keras model's own: {np.abs(logits - own).max():.6f}")


def _closed(bests):
    """Return where the first model is at most 0.01 below the second: one optimizer, "both" or "neither"."""
    found = [optimizer for optimizer, (bare, scaled) in bests.items() if scaled - bare <= 0.01]
    return "both" if len(found) == 2 else (found or ["neither"])[0]


def show_rates(stored):
    """Show the share of wrong answers against the learning rate, after one epoch and after all, with and without scale.

    Args:
        stored: `STORED_SCALE`: for each optimizer and each scale a table from rate to runs, an accuracy for each epoch.

    Returns:
        `(early, late)`: for which optimizers the best rate without the scale is at most 0.01 behind the best rate
        with it, after one epoch and after all: one name, "both" or "neither".
    """
    figure, axes = plt.subplots(1, 2, figsize=(6.8, 3.2), sharey=True)
    ring = {"color": INK, "ls": "", "marker": "o", "ms": 10, "mfc": "none", "mew": 1.2}
    said, bests = [], ({}, {})
    for ax, (optimizer, models) in zip(axes, stored["accuracy"].items(), strict=True):
        for i, (name, by_rate) in enumerate(models.items()):
            rates, runs = list(by_rate), np.array(list(by_rate.values()))  # (rates, seeds, epochs)
            for late, epoch in enumerate((0, -1)):
                mean, colour = runs[..., epoch].mean(axis=1), OKABE_ITO[i]
                steps = f"{128 * (runs.shape[-1] if late else 1)} steps"
                ax.plot(rates, 1 - mean, color=colour, marker=MARKERS[i], ms=5, ls="--" if late else "-",
                        mfc=PAPER if late else colour, label=f"{name}, {steps}")  # fmt: skip
                ends = runs[..., epoch].min(axis=1), runs[..., epoch].max(axis=1)
                ax.fill_between(rates, np.maximum(1 - ends[1], 5e-4), 1 - ends[0], color=colour, alpha=0.12, lw=0)
                best = int(mean.argmax())
                ax.plot(rates[best], 1 - mean[best], **ring)
                bests[late].setdefault(optimizer, []).append(mean[best])
                spread = f"{ends[0][best]:.3f} to {ends[1][best]:.3f}"
                tried = f"{optimizer:4} {to_width(name, 18)} {steps}"
                said.append(f"{tried}: best {mean[best]:.3f} ({spread}) at rate {rates[best]:g}")
        ax.axhline(1 - 1 / KINDS, color=QUIET, lw=1, ls=":", label="guessing")
        ax.set(title=optimizer, xlabel="learning rate", xscale="log", yscale="log", ylim=(5e-4, 1.3))
        ax.yaxis.set_major_formatter("{x:g}")
    axes[0].set_ylabel("share of wrong answers (log)")
    axes[0].plot([], [], **ring, label="best rate of a curve")
    figure.tight_layout(w_pad=1.5)
    figure.legend(
        *axes[0].get_legend_handles_labels(), loc="upper center", bbox_to_anchor=(0.5, 0.03), ncols=3, handlelength=3.5
    )
    alt = f"Share of wrong answers over the learning rate; bands span {runs.shape[1]} runs. Best accuracies: "
    show(figure, alt + ". ".join(" ".join(row.split()) for row in said) + ".")
    print("\n".join(said))
    return _closed(bests[0]), _closed(bests[1])
