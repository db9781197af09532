"""Post-norm and pre-norm Transformers, trained for some steps at one learning rate, with and without a warm-up."""

import keras
import matplotlib.pyplot as plt
import numpy as np
from helpers.plots import INK, MARKERS, OKABE_ITO, show
from helpers.translator import shift_right

_LINES = {"post-norm": 0, "pre-norm": 3}  # a place of the norm keeps its colour and mark
#: How the figure names the recipes.
_SHOWN_RECIPES = {
    "post-norm, with warm-up": "post-norm, with warm-up", "post-norm, without warm-up": "post-norm, without warm-up",
    "pre-norm, with warm-up": "pre-norm, with warm-up", "pre-norm, without warm-up": "pre-norm, without warm-up",
}  # fmt: skip


def train_at_rate(model, source, target, rate, warmup, steps=300, batch_size=64, seed=0):
    """Train by teacher forcing with Adam (the paper's betas) at a rate that rises in a straight line and then stays.

    Args:
        model: From `[source ids, decoder input]` to logits. If it was compiled before, its optimizer is used as it is.
        source: Ids `(N, S)`.
        target: Ids `(N, T)`; padding, 0, does not count in the loss.
        rate: The learning rate after the warm-up.
        warmup: Number of steps in which the rate rises; with 0 it is there from the first step.
        steps: Number of updates.
        batch_size: Pairs in an update, drawn at random.
        seed: Seed of the drawing.

    Returns:
        The loss per word of each step, `(steps,)`.
    """
    if not model.compiled:
        adam = keras.optimizers.Adam(rate, beta_1=0.9, beta_2=0.98, epsilon=1e-9)
        model.compile(adam, keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=0))
        model.optimizer.build(model.trainable_variables)  # before fit, or its step is traced twice
    rng = np.random.default_rng(seed)
    drawn = np.concatenate([rng.integers(0, len(source), batch_size) for _ in range(steps)])
    rising = keras.callbacks.LearningRateScheduler(lambda step: rate * min(1.0, (step + 1) / max(warmup, 1)))
    options = {"epochs": steps, "steps_per_epoch": 1, "shuffle": False, "callbacks": [rising], "verbose": 0}
    history = model.fit([source[drawn], shift_right(target[drawn])], target[drawn], batch_size, **options)
    return np.array(history.history["loss"], dtype=float)  # of each step, since an epoch is one step here


def word_entropy(target):
    """Return the loss per word, in nats, of a model that knows how frequent each word is and nothing else."""
    share = np.bincount(target[target != 0]) / (target != 0).sum()
    return float(-(share[share > 0] * np.log(share[share > 0])).sum())


def show_norm_runs(stored):
    """Show the loss after training against the learning rate: a picture for each depth, a line for each recipe.

    Args:
        stored: Table of `assets/experiments/norm_and_warmup.py`.
    """
    figure, axes = plt.subplots(1, len(stored["depths"]), figsize=(7.4, 3.5), sharey=True, layout="constrained")
    figure.get_layout_engine().set(wspace=0.06)  # the first rate of a picture apart from the last of the one before
    words, rates = [], stored["rates"]
    for ax, depth in zip(np.atleast_1d(axes), stored["depths"], strict=True):
        for recipe, runs in stored["losses"][depth].items():
            norm, late = recipe.split(", ")[0], "without" in recipe
            i, runs = _LINES[norm], np.asarray(runs)  # (rates, seeds)
            line = {"ls": (0, (4, 2)), "mfc": "white"} if late else {}
            shown = _SHOWN_RECIPES.get(recipe, recipe)
            ax.plot(rates, runs.mean(axis=1), color=OKABE_ITO[i], marker=MARKERS[i], ms=6, label=shown, **line)
            ax.plot(rates, runs, ls="", color=OKABE_ITO[i], marker=MARKERS[i], ms=3, alpha=0.6)
            words.append(f"{depth} layers, {shown}: {', '.join(f'{v:.2f}' for v in runs.mean(axis=1))}")
        ax.axhline(stored["by frequency"], color=INK, lw=1.2, ls=":", label="word frequencies alone")
        ax.set(xscale="log", yscale="log", xlabel="learning rate", title=f"{depth} layers on each side")
        ax.set_xticks(rates, [f"{rate:g}" for rate in rates], minor=False)
        ax.minorticks_off()
    np.atleast_1d(axes)[0].set_yticks([0.01, 0.1, 1], ["0.01", "0.1", "1"])
    np.atleast_1d(axes)[0].set_ylabel("loss per word, last 20 steps")
    handles = np.atleast_1d(axes)[0].get_legend_handles_labels()
    figure.legend(*handles, loc="outside lower center", ncols=3)
    said = f"Mean over {stored['settings']['seeds']} seeds at the rates {', '.join(f'{r:g}' for r in rates)}"
    show(figure, f"Loss per word after training against the learning rate. {said}: {'; '.join(words)}.")
