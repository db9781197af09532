"""Which library does a summary come from? Few labels, for a pre-trained stack, a new one, and words alone."""

from collections import Counter

import keras
import numpy as np
from helpers.count_models import counted
from helpers.manuals import cut_words
from helpers.stack_training import logits_of
from helpers.subwords import END, PAD, padded

LENGTH = 48


def summaries(manuals):
    """Return the summaries of all docstrings and the number of their library, in a fixed shuffle."""
    pairs = [(text[0], n) for n, texts in enumerate(manuals.values()) for text in texts]
    order = np.random.default_rng(80).permutation(len(pairs))
    return [pairs[i][0] for i in order], np.array([pairs[i][1] for i in order])


def few_labels(labels, per_class, seed):
    """Return the places of `per_class` examples of each class, drawn at random."""
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.permutation(np.flatnonzero(labels == n))[:per_class] for n in range(labels.max() + 1)])


def evenly(texts, labels):
    """Return the first texts of each class and their labels: of each as many as the smallest class has."""
    least = np.bincount(labels).min()
    places = np.concatenate([np.flatnonzero(labels == n)[:least] for n in range(labels.max() + 1)])
    return [texts[i] for i in places], labels[places]


def count_words_alone(texts, labels, new_texts):
    """Return the classes that naive Bayes gives new texts: words counted, their order ignored."""
    counts = [Counter(w for t, n in zip(texts, labels, strict=True) if n == c for w in cut_words(t)) for c in range(4)]
    known = set().union(*counts)
    chances = [{w: np.log((c[w] + 1) / (sum(c.values()) + len(known))) for w in known} for c in counts]
    return np.array([np.argmax([sum(c[w] for w in cut_words(t) if w in c) for c in chances]) for t in new_texts])


class Judge(keras.Model):
    """A stack whose features are averaged over a text and read by a linear layer.

    Args:
        stack: A stack, trained or not.
        classes: Number of classes.
    """

    def __init__(self, stack, classes=4, **options):
        super().__init__(**options)
        self.stack, self.reader = stack, keras.layers.Dense(classes, name="reader")

    def get_config(self):
        """Return what the model was made with."""
        return {"stack": self.stack.get_config(), "classes": self.reader.units}

    def call(self, ids):
        """Return logits `(B, classes)`."""
        ops = keras.ops
        real = ops.cast(ids != 0, "float32")[..., None]
        mean = ops.sum(self.stack.features(ids) * real, axis=1) / ops.sum(real, axis=1)
        return self.reader(mean)


def fine_tune(stack, cut, texts, labels, new_texts, new_labels, steps=150, rate=1e-3, seed=0):
    """Train a stack with a linear layer on few labels and return its accuracy on new texts.

    Args:
        stack: A stack, trained or not; it is trained further.
        cut: `Subwords`.
        texts: Labelled texts.
        labels: Their classes.
        new_texts: Texts to judge.
        new_labels: Their classes.
        steps: Number of updates of 16 texts.
        rate: Largest learning rate; it falls along a cosine.
        seed: Seed of the order and of the linear layer.
    """
    keras.utils.set_random_seed(seed)
    judge = Judge(stack)
    x, new = (padded([cut.encode(t) for t in part], LENGTH) for part in (texts, new_texts))
    judge(x[:1])
    rate = keras.optimizers.schedules.CosineDecay(rate, steps, alpha=0.05)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    judge.compile(keras.optimizers.Adam(rate, clipnorm=1.0), loss, steps_per_execution=10, jit_compile=False)
    judge.optimizer.build(judge.trainable_variables)  # before fit, or its step is traced twice
    order = np.random.default_rng(seed).integers(len(x), size=16 * steps)
    judge.fit(x[order], labels[order], batch_size=16, shuffle=False, verbose=0)
    return float((logits_of(judge, new).argmax(axis=-1) == new_labels).mean())


def _both_orders(cut, texts, length, seed):
    """Return lists of ids: each text, followed by the same text with two neighbouring words swapped.

    Lists are cut to `length` ids, and a pair that is equal afterwards is left out: nothing could tell the two apart.
    """
    rng, pairs = np.random.default_rng(seed), []
    for words in (text.rstrip(".:").split() for text in texts):
        n = int(rng.integers(max(len(words) - 1, 1)))
        swapped = [*words[:n], *words[n : n + 2][::-1], *words[n + 2 :]]
        pair = [[END, *cut.encode(" ".join(some)), END][:length] for some in (words, swapped)]
        pairs += pair if pair[0] != pair[1] else []
    return pairs


def _share_lower(costs):
    """Return how often the first number of a pair is less than the second."""
    costs = np.reshape(costs, (-1, 2))
    return float((costs[:, 0] < costs[:, 1]).mean())


def counted_in_order(training, cut, texts, length, seed=0):
    """Return the share of `share_in_order`, on the same pairs, for a bigram model that has counted `training`.

    Args:
        training: Lists of ids.
        cut: `Subwords`.
        texts: Texts.
        length: How many ids of a text the stack reads, both `END` counted.
        seed: Seed of the places.
    """
    losses = counted(training, len(cut))
    pairs = _both_orders(cut, texts, length, seed)
    return _share_lower([losses(ids[1:])[:-1, 1].mean() for ids in pairs])  # without the end that it adds


def share_in_order(stack, cut, texts, loss=None, seed=0):
    """Return how often a text has a lower loss than the same text with two neighbouring words swapped.

    Args:
        stack: A causal stack.
        cut: `Subwords`.
        texts: Texts; those of fewer than two words are left out, and those whose swap is behind the last id it reads.
        loss: The student's `causal_lm_loss`; None takes Keras'.
        seed: Seed of the places.
    """
    length = stack.settings["length"]
    ids = padded(_both_orders(cut, texts, length, seed), length)
    logits = logits_of(stack, ids)
    if loss is None:
        keras_loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True, ignore_class=PAD)
        costs = [float(keras_loss(row[1:], some[:-1])) for row, some in zip(ids, logits, strict=True)]
    else:
        costs = [float(loss(some[None], row[None], PAD)) for row, some in zip(ids, logits, strict=True)]
    return _share_lower(costs)
